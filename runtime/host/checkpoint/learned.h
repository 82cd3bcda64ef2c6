/* learned.h -- what a run has learned, as a snapshot without its inputs and outputs.
 *
 * Such a snapshot is the state of a split (`leat run --split`), or of several (`leat model merge`).
 * It has the sections of snapshot.h with these differences, so that the same records give the same
 * bytes, whatever the files, the threads and the time:
 *
 *   pipeline   without sources and stages that parse (fingerprint.h)
 *   run        without the time of writing and the length of the dead letters
 *   splits     what the state was learned from (splits.h)
 *   host/…     one for each stage of `pipeline`, with the counts of all its lanes
 *   stage/…    learners and transforms only
 *
 * An empty split, whose input has not even a header, has no stages. */
#ifndef LEAT_HOST_CHECKPOINT_LEARNED_H
#define LEAT_HOST_CHECKPOINT_LEARNED_H

#include <jansson.h>

#include "host/store/snapshot.h"
#include "host/store/state_codec.h"

struct instance_state;
struct run;

/* Sections of what was learned. */
struct learned {
    struct snapshot_section *section;
    uint32_t n;
    /* the memory of the sections */
    struct instance_state *state;
    uint32_t n_states;
    struct state_writer run;
    char *splits;
};

/* Makes only the sections `pipeline` and `run`, for an empty split, like learned_collect(). */
int learned_begin(struct learned *l, struct run *r, const char *fingerprint);
/* Collects the sections of a run: the last saved states of its stages, or the present ones if
 * none were saved. `fingerprint` must outlive the result. Call it while no worker runs. Returns
 * LEAT_OK, or the status with which the run failed. Always call learned_free() afterwards. */
int learned_collect(struct learned *l, struct run *r, const char *fingerprint);
/* Adds the section `splits`. Takes ownership of `splits`. */
void learned_add_splits(struct learned *l, json_t *splits);
void learned_free(struct learned *l);

#endif
