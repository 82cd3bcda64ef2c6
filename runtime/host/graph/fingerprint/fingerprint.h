/* fingerprint.h -- identifies the pipeline of a snapshot: its stages and all their parameters.
 *
 * A model continues to learn only where its state means what it meant. A snapshot therefore holds
 * seed, stages and parameters as JSON, and a run that resumes compares them with its own; so do
 * `leat check --state` and a reload. Stages that keep nothing may differ (free_change.h), and
 * limits may be raised (limit_change.h).
 * Sinks without a state are left out, because they do not change the model. Lua functions are left
 * out, because they cannot be compared, and so are operational parameters (LEAT_OPERATIONAL): how
 * brokers are reached, or where files lie, may change from run to run.
 *
 *   {"pipeline", "seed", "stages": [{"id", "stage", "kind", "version", "lanes",
 *                                    "after": [{"id", "branch"}],
 *                                    "parameters": {name: as a script would write it},
 *                                    "was": if the script has it (its seed follows from that),
 *                                    "keeps", "defines" or "needs", "in", "out"}]}
 *
 *   after     the transforms and learners that feed the stage, in order, with the branches of
 *             routes on the way (" where proto is tcp"). Compared: another order makes another
 *             model
 *   keeps, …  may it change? See free_change.h. Not compared
 *   in, out   schemas (schema_json.h) of learners and of transforms with a state; with them and the
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

/* Can the stage be opened without input, output and functions of the script? It is a learner or a
 * transform, and restores a state. */
bool fingerprint_lives_alone(const struct leat_stage *s);

/* JSON text in the graph's arena. */
const char *fingerprint_make(const struct graph *g);
/* The same for transforms and learners only, so that it does not depend on sources and sinks. */
const char *fingerprint_of_models(const struct graph *g);

/* What has changed of a stage that may. A stage has several, or none. */
struct fingerprint_change {
    const char *id, *what; /* what: a sentence without its full stop */
    struct fingerprint_change *next;
};
struct fingerprint_changes {
    struct fingerprint_change *first; /* in the graph's arena, as all of them */
};
bool fingerprint_has_changed(const struct fingerprint_changes *changes, const char *id);

/* Compares with a snapshot's fingerprint (n bytes). Adds each difference to the diag, except those
 * of stages that restart: a warning of a stage that may change, which is noted in `free`, too; a
 * warning of a limit that is raised; else an error. Returns LEAT_OK, LEAT_EARG (errors) or
 * LEAT_EDATA (the bytes are not a fingerprint). */
int fingerprint_compare(const struct graph *g, const char *json, size_t n,
                        const struct free_change_resets *resets, struct fingerprint_changes *free,
                        struct diag *d);

/* Calls see for each stage of a fingerprint, if it is not NULL, with an id that is valid during the
 * call. Returns how many there are; 0: the bytes are no fingerprint. */
uint32_t fingerprint_stages(const char *json, size_t n, void (*see)(void *to, const char *id),
                            void *to);

/* One difference between the fingerprints a and b. Texts are valid during the call only. */
struct fingerprint_difference {
    const char *id;    /* of the stage; NULL: the pipeline's                              */
    const char *kind;  /* of the stage: "learner"                                         */
    const char *name;  /* "seed", "stage", a parameter; NULL: only one has this stage     */
    const char *a, *b; /* the values; for a stage its type. NULL: absent                  */
};
typedef void fingerprint_report(void *to, const struct fingerprint_difference *d);
/* Calls report(to, d) for each difference. */
void fingerprint_differences(const json_t *a, const json_t *b, fingerprint_report *report,
                             void *to);

#endif
