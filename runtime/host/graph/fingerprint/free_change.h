/* free_change.h -- differences from a snapshot's pipeline with which a run may still continue.
 *
 * A stage that keeps a state of the records must not change. A stage without a state may be added,
 * changed, moved or removed, unless other stages have learned from what it defines:
 *
 *     a stage defines   if it
 *     labels            makes labels
 *     features          makes features without names, or rewrites incoming features (values or
 *                       identity). A feature with a name is defined by its name
 *     times             makes event times
 *
 * and a later learner, or a later transform with a state, needs these. Sources count as stages with
 * a state, because their position is part of every snapshot. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FREE_CHANGE_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FREE_CHANGE_H

#include <jansson.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "host/graph/graph.h"
#include "host/memory/arena.h"

/* True if the stage keeps a state of the records. False for a source. A Lua stage keeps a state if
 * its parameter `state` is set. */
bool free_change_keeps(const struct node *n);

/* True if the parameter only affects queries to a learner (LEAT_QUESTION). A changed value applies
 * from the next answer on. */
bool free_change_question(const struct leat_stage *s, const char *name);

/* Adds the members "keeps" and "defines" or "needs" to a stage of a fingerprint, for the functions
 * below. "needs" is for a stage that keeps a state, "defines" for any other; both are bits of enum
 * leat_has. */
void free_change_note(json_t *stage, const struct graph *g, const struct node *n);

/* Ids of the stages that restart without their learned state (--reset). */
struct free_change_resets {
    const char *const *id;
    size_t n;
};
bool free_change_restarts(const struct free_change_resets *resets, const char *id);

/* True if the stage of fingerprint `all` may be added, changed or removed. False for fingerprints
 * of older versions. */
bool free_change_may(const json_t *all, const json_t *stage,
                     const struct free_change_resets *resets);
/* Returns why a stage without a state may not change: the id of the first stage that has learned
 * from what it defines. Sets *what to a name for that, such as "labels". Returns NULL if it may
 * change. */
const char *free_change_learned(const json_t *all, const json_t *stage,
                                const struct free_change_resets *resets, const char **what);

/* Limits: parameters that only bound a stage's state. A continued run may raise them.
 *
 * Limits are max_features, names_budget (memory of feature names) and name_bytes (longest name) of
 * a learner whose tables grow to max_features. Such a learner restores a state of fewer features
 * into larger tables. The learned part stays unchanged, and later features find room. A plugin's
 * learner with a parameter max_features must follow this rule. In other learners name_bytes may be
 * a share of a budget that determines the model's size, so it must not change. */

/* Returns the parameter with this name if it is a limit; otherwise NULL. */
const struct leat_param *limit_change_param(const struct leat_stage *s, const char *name);

enum limit_change { LIMIT_OTHER, LIMIT_RAISED, LIMIT_LOWERED };

/* Compares two values of a limit, written as in a fingerprint. Returns LIMIT_OTHER if the parameter
 * is not a limit, or if a value is NULL or invalid. */
enum limit_change limit_change(const struct leat_stage *s, const char *name, const char *from,
                               const char *to, struct arena *a);

#endif
