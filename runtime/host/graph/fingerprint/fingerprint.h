/* fingerprint.h -- identifies the pipeline of a snapshot: its stages and all their parameters.
 *
 * A model may continue to learn only if its state still means the same. So a snapshot holds seed,
 * stages and parameters as JSON. A run that resumes compares them with its own; so do `leat check
 * --state` and a reload. Stages that keep nothing may differ, and limits may be raised
 * (free_change.h).
 *
 * Sinks without a state are left out, because they do not change the model. Lua functions are left
 * out, because they cannot be compared. So are operational parameters (LEAT_OPERATIONAL): the
 * addresses of brokers or files may change from run to run.
 *
 * {"pipeline", "seed", "stages": [{"id", "stage", "kind", "version", "lanes",
 *                                  "after": [{"id", "branch"}],
 *                                  "parameters": {name: as a script would write it},
 *                                  "was": if the script has it (the seed derives from it),
 *                                  "keeps", "defines" or "needs", "in", "out"}]}
 *
 *   after     the transforms and learners that feed the stage, in order, with the branches of
 *             routes on the way (" where proto is tcp"). Compared: another order makes another
 *             model
 *   keeps, …  whether it may change; see free_change.h. Not compared
 *   in, out   schemas (schema_json.h) of learners and of transforms with a state. With schemas and
 *             parameters such a stage can be opened without its pipeline (model.h). Not compared
 *
 * A merged snapshot also has "merged", the number of its inputs, and "dropped", the ids of stages
 * whose state was not merged. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_H

#include <jansson.h>
#include <stdbool.h>

#include "free_change.h"
#include "host/graph/graph.h"

/* True if the stage can be opened without input, output and functions of the script: a learner or
 * transform that restores a state. */
bool fingerprint_lives_alone(const struct leat_stage *s);

/* Makes the fingerprint: JSON text in the graph's arena. */
const char *fingerprint_make(const struct graph *g);
/* Makes a fingerprint of transforms and learners only, independent of sources and sinks. */
const char *fingerprint_of_models(const struct graph *g);

/* A permitted change of a stage. A stage has any number of them. */
struct fingerprint_change {
    const char *id, *what; /* `what` is a sentence without its full stop */
    struct fingerprint_change *next;
};
struct fingerprint_changes {
    struct fingerprint_change *first; /* all changes are in the graph's arena */
};
bool fingerprint_has_changed(const struct fingerprint_changes *changes, const char *id);

/* Compares the pipeline with a snapshot's fingerprint (n bytes). Adds each difference to the diag,
 * except differences of stages that restart: a warning for a stage that may change (also noted in
 * `free`), a warning for a raised limit, otherwise an error. Returns LEAT_OK, LEAT_EARG (errors) or
 * LEAT_EDATA (the bytes are not a fingerprint). */
int fingerprint_compare(const struct graph *g, const char *json, size_t n,
                        const struct free_change_resets *resets, struct fingerprint_changes *free,
                        struct diag *d);

/* Calls see (unless NULL) for each stage of a fingerprint, with an id that is valid during the
 * call. Returns the number of stages; 0 if the bytes are not a fingerprint. */
uint32_t fingerprint_stages(const char *json, size_t n, void (*see)(void *to, const char *id),
                            void *to);

/* One difference between the fingerprints a and b. Texts are valid only during the call. */
struct fingerprint_difference {
    const char *id;    /* id of the stage; NULL: the pipeline                                    */
    const char *kind;  /* kind of the stage: "learner"                                           */
    const char *name;  /* "seed", "stage", a parameter; NULL: only one of the two has this stage */
    const char *a, *b; /* the values; for a stage its type. NULL: absent                         */
};
typedef void fingerprint_report(void *to, const struct fingerprint_difference *d);
/* Calls report(to, d) for each difference. */
void fingerprint_differences(const json_t *a, const json_t *b, fingerprint_report *report,
                             void *to);

#endif
