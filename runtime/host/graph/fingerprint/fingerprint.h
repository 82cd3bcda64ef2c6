/* fingerprint.h -- identifies the pipeline of a snapshot: its stages and all their parameters.
 *
 * A run may continue a model only if the model's state has the same meaning in the new pipeline. So
 * a snapshot stores the seed, stages and parameters as JSON, the fingerprint. A run that resumes
 * compares it with its own, and so do `leat check --state` and a reload. Stages without a state may
 * differ, and limits may be raised (free_change.h).
 *
 * The fingerprint leaves out:
 *  - sinks without a state, because they do not change the model
 *  - Lua functions, because they cannot be compared
 *  - operational parameters (LEAT_OPERATIONAL), because the addresses of brokers or files may
 *    change from run to run
 *
 * {"pipeline", "seed", "linalg": if not own,
 *                     "stages": [{"id", "stage", "kind", "version", "lanes",
 *                                  "after": [{"id", "branch"}],
 *                                  "parameters": {name: as a script would write it},
 *                                  "was": if the script has it (the seed derives from it),
 *                                  "layout": names of parameters with the flag LEAT_LAYOUT,
 *                                  "keeps", "defines" or "needs", "in", "out"}]}
 *
 *   after     the transforms and learners that feed the stage, in order, with the branches of
 *             routes on the way (" where proto is tcp"). Compared, because another order makes
 *             another model
 *   keeps, defines, needs
 *             whether the stage may change; see free_change.h. Not compared
 *   in, out   schemas (schema_json.h) of learners and of transforms with a state. With its schemas
 *             and parameters such a stage can be opened without its pipeline (model.h). Not
 *             compared
 *
 * Parameters of the layout are left out if they have their default.
 *
 * A snapshot of what was learned (checkpoint/learned.h) has no sources. A merged one also has
 * "dropped", the ids of stages whose state was not merged. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FINGERPRINT_H

#include <jansson.h>
#include <stdbool.h>

#include "free_change.h"
#include "host/graph/graph.h"

/* True if the stage can be opened alone, without input, output and functions of the script. This
 * holds for learners and transforms that restore a state and take no Lua function. */
bool fingerprint_lives_alone(const struct leat_stage *s);

/* Returns the graph's fingerprint: JSON text in the graph's arena. */
const char *fingerprint_make(const struct graph *g);
/* Returns a fingerprint of transforms and learners only, which does not depend on sources and
 * sinks. */
const char *fingerprint_of_models(const struct graph *g);
/* Returns a fingerprint without sources: where the records came from is no part of what was learned
 * of them. Stages have one lane. */
const char *fingerprint_of_learned(const struct graph *g);
/* True for the transforms and learners of such a fingerprint. It also has sinks, for their
 * questions. */
bool fingerprint_learns(const struct node *n);
/* Makes such a fingerprint of another one. */
void fingerprint_keep_learned(json_t *all);

/* One permitted change of a stage, in a list. A stage may have several. */
struct fingerprint_change {
    const char *id, *what; /* `what`: a sentence without its full stop */
    struct fingerprint_change *next;
};
struct fingerprint_changes {
    struct fingerprint_change *first; /* list in the graph's arena */
};
bool fingerprint_has_changed(const struct fingerprint_changes *changes, const char *id);

/* Compares the pipeline with a snapshot's fingerprint (n bytes). Reports each difference to d,
 * except for stages that restart (`resets`). A difference is a warning if the stage may change,
 * which is then added to `free`; a warning if a limit was raised; otherwise an error. Returns
 * LEAT_OK; LEAT_EARG after an error; or LEAT_EDATA if the bytes are not a fingerprint. */
int fingerprint_compare(const struct graph *g, const char *json, size_t n,
                        const struct free_change_resets *resets, struct fingerprint_changes *free,
                        struct diag *d);

/* Calls see(to, id) for each stage of a fingerprint, unless `see` is NULL. The id is valid only
 * during the call. Returns the number of stages; 0 if the bytes are not a fingerprint. */
uint32_t fingerprint_stages(const char *json, size_t n, void (*see)(void *to, const char *id),
                            void *to);

/* One difference between fingerprints a and b. The texts are valid only while it is reported. */
struct fingerprint_difference {
    const char *id;    /* stage's id; NULL if the whole pipeline differs */
    const char *kind;  /* stage's kind, such as "learner" */
    const char *name;  /* parameter, "seed", "linalg", "stage"; NULL if only one has the stage */
    const char *a, *b; /* values in a and b, or the stage's type; NULL if absent */
};
/* True if products of matrices were computed by others (linalg.h), so that results differ in their
 * last digits. States with this difference continue and merge. */
bool fingerprint_is_linalg(const struct fingerprint_difference *d);
/* Returns who has computed the products: "OpenBLAS 0.3.21 Haswell", or "own products". */
const char *fingerprint_linalg(const json_t *fingerprint);
/* True if the difference is that of a parameter with the flag LEAT_LAYOUT. `all` is the fingerprint
 * a or b. */
bool fingerprint_is_layout(const json_t *all, const struct fingerprint_difference *d);
typedef void fingerprint_report(void *to, const struct fingerprint_difference *d);
/* Calls report(to, d) for each difference between a and b. */
void fingerprint_differences(const json_t *a, const json_t *b, fingerprint_report *report,
                             void *to);

#endif
