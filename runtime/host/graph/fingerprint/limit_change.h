/* limit_change.h -- parameters that only bound what a stage keeps, so that a run that continues
 * from a snapshot may raise them.
 *
 * A learner whose tables grow to max_features restores a state of fewer features into larger ones,
 * and so it is with the memory for their names (names_budget) and the longest one (name_bytes):
 * what was learned stays as it is, and what comes later finds room. A plugin's learner with a
 * parameter max_features keeps to that. Elsewhere name_bytes may be a share of a budget, which is
 * the model's size: it does not change. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_LIMIT_CHANGE_H
#define LEAT_HOST_GRAPH_FINGERPRINT_LIMIT_CHANGE_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "host/memory/arena.h"

/* A parameter that is such a limit, by its name; NULL: the stage has none of this name. */
const struct leat_param *limit_change_param(const struct leat_stage *s, const char *name);

enum limit_change { LIMIT_OTHER, LIMIT_RAISED, LIMIT_LOWERED };

/* From one value, as a fingerprint has it, to another. LIMIT_OTHER: it is no such limit, or one of
 * them is NULL or no value of it. */
enum limit_change limit_change(const struct leat_stage *s, const char *name, const char *from,
                               const char *to, struct arena *a);

#endif
