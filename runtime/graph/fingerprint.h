/* fingerprint.h -- identifies the pipeline of a snapshot: its stages and all their parameters.
 *
 * A model continues to learn only in the pipeline that made it. A snapshot therefore holds seed,
 * stages and parameters as JSON, and a run that resumes compares them with its own. Sinks without a
 * state are left out, because they do not change the model. Lua functions are left out, because
 * they cannot be compared, and so are operational parameters (LEAT_OPERATIONAL): how brokers are
 * reached, or where files lie, may change from run to run.
 *
 *   {"pipeline", "seed", "stages": [{"id", "stage", "kind", "version", "lanes",
 *                                    "after": [{"id", "branch"}],
 *                                    "parameters": {name: as a script would write it},
 *                                    "was": if the script has it (its seed follows from that),
 *                                    "in", "out"}]}
 *
 *   after     the transforms and learners that feed the stage, in order, with the branches of
 *             routes on the way (" where proto is tcp"). Compared: another order makes another
 *             model
 *   in, out   schemas (schema_json.h) of learners and of transforms with a state; with them and the
 *             parameters such a stage can be opened without its pipeline (model.h). Not compared
 *
 * A merged snapshot also has "merged", the number of its inputs, and "dropped", the ids of stages
 * whose state was not merged. */
#ifndef LEAT_GRAPH_FINGERPRINT_H
#define LEAT_GRAPH_FINGERPRINT_H

#include <jansson.h>
#include <stdbool.h>

#include "graph.h"

/* Can the stage be opened without input, output and functions of the script? It is a learner or a
 * transform, and restores a state. */
bool fingerprint_lives_alone(const struct leat_stage *s);

/* JSON text in the graph's arena. */
const char *fingerprint_make(const struct graph *g);
/* The same for transforms and learners only, so that it does not depend on sources and sinks. */
const char *fingerprint_of_models(const struct graph *g);

/* Compares with a snapshot's fingerprint (n bytes). Adds each difference to the diag, except those
 * of stages whose id is in `reset`. Returns LEAT_OK, LEAT_EARG (they differ) or LEAT_EDATA (the
 * bytes are not a fingerprint). */
int fingerprint_compare(const struct graph *g, const char *json, size_t n, const char *const *reset,
                        size_t n_fresh, struct diag *d);

/* Calls see for each stage of a fingerprint, if it is not NULL, with an id that is valid during the
 * call, and whether it is a Lua function without `state`. Returns how many there are; 0: the bytes
 * are no fingerprint. */
uint32_t fingerprint_stages(const char *json, size_t n,
                            void (*see)(void *to, const char *id, bool is_stateless), void *to);

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
