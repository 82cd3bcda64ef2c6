/* fingerprint.h -- what pipeline a snapshot belongs to: its stages and all their parameters.
 *
 * A model goes on learning only in the pipeline that made it, so the snapshot holds seed, stages
 * and parameters as JSON, and a run that resumes compares. Sinks that keep nothing may change: how
 * a model is shown is no part of it. Lua functions cannot be compared and are left out.
 *
 *   {"pipeline", "seed", "stages": [{"id", "stage", "kind", "version", "lanes",
 *                                    "after": [{"id", "branch"}],
 *                                    "parameters": {name: as a script would write it},
 *                                    "in", "out"}]}
 *
 * after: the transforms and learners that feed the stage, in order, and the branches of routes
 * between (" where proto is tcp"). It is compared, too: in another order they make another model.
 * in and out are schemas (schema_json.h), of learners and transforms with a state: with them and
 * the parameters such a stage is opened without its pipeline (model.h). They are not compared. A
 * merged snapshot has also "merged", of how many, and "dropped", the ids of stages without state.
 */
#ifndef LEAT_GRAPH_FINGERPRINT_H
#define LEAT_GRAPH_FINGERPRINT_H

#include <jansson.h>

#include "graph.h"

/* JSON text in the graph's arena. */
const char *fingerprint_make(const struct graph *g);
/* The same without sources and sinks: of what learns, whatever it learns from. */
const char *fingerprint_of_models(const struct graph *g);

/* Compare with that of a snapshot (n bytes). Differences are added to the diag, one a line, but not
 * those of stages whose id is among `fresh`. LEAT_OK, LEAT_EARG (they differ), LEAT_EDATA (no
 * fingerprint). */
int fingerprint_compare(const struct graph *g, const char *json, size_t n, const char *const *fresh,
                        size_t n_fresh, struct diag *d);

/* In which two fingerprints differ. */
struct fingerprint_difference {
    const char *id;    /* of the stage; NULL: the pipeline's                              */
    const char *kind;  /* of the stage: "learner"                                         */
    const char *name;  /* "seed", "stage", a parameter; NULL: only one has this stage     */
    const char *a, *b; /* the values; of a stage, its type. NULL: not there               */
};
typedef void fingerprint_told(void *to, const struct fingerprint_difference *d);
void fingerprint_differences(const json_t *a, const json_t *b, fingerprint_told *tell, void *to);

#endif
