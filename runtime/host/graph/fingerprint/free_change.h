/* free_change.h -- differences from a snapshot's pipeline with which a run may still continue.
 *
 * A stage that keeps something of the records must not change. A stage that keeps nothing may come,
 * change, go and move. The exception is a stage that defines the meaning of others' state:
 *
 *     it defines    if
 *     labels        it makes them
 *     features      it makes features without names, or rewrites incoming features (values or
 *                   identity). A feature with a name is defined by its name
 *     times         it makes event times
 *
 * and a later learner, or a later transform that keeps something, needs these. Sources count as
 * keeping something, because their position is part of every state. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FREE_CHANGE_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FREE_CHANGE_H

#include <jansson.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "host/graph/graph.h"
#include "host/memory/arena.h"

/* True if the stage keeps something of the records. False for a source. A Lua function keeps
 * something in the variables of its `state`. */
bool free_change_keeps(const struct node *n);

/* True if the parameter shapes a question (LEAT_QUESTION). A change counts from the next answer
 * on. */
bool free_change_question(const struct leat_stage *s, const char *name);

/* Adds to a stage of a fingerprint the members that the functions below read: "keeps", and as bits
 * of enum leat_has "defines", or "needs" if it keeps something. */
void free_change_note(json_t *stage, const struct graph *g, const struct node *n);

/* Ids of stages that restart, so that their learned state does not matter. */
struct free_change_resets {
    const char *const *id;
    size_t n;
};
bool free_change_restarts(const struct free_change_resets *resets, const char *id);

/* True if this stage of fingerprint `all` may come, change or go. False for fingerprints of older
 * versions. */
bool free_change_may(const json_t *all, const json_t *stage,
                     const struct free_change_resets *resets);
/* Returns the reason why a stage that keeps nothing may not change: the id of the first stage that
 * has learned from what it defines; *what names it: "labels". NULL: no reason. */
const char *free_change_learned(const json_t *all, const json_t *stage,
                                const struct free_change_resets *resets, const char **what);

/* Limits: parameters that only bound a stage's state, so that a continued run may raise them.
 *
 * A learner whose tables grow to max_features restores a state of fewer features into larger
 * tables. The same holds for the memory of feature names (names_budget) and the longest name
 * (name_bytes). The learned part stays unchanged, and later features find room. A plugin's learner
 * with a parameter max_features must follow this rule. In other learners name_bytes may be a share
 * of a budget, which is the model's size, so it must not change. */

/* Returns the parameter with this name if it is a limit; otherwise NULL. */
const struct leat_param *limit_change_param(const struct leat_stage *s, const char *name);

enum limit_change { LIMIT_OTHER, LIMIT_RAISED, LIMIT_LOWERED };

/* Compares two values of a limit in a fingerprint's notation. LIMIT_OTHER: not a limit, or one of
 * the values is NULL or invalid. */
enum limit_change limit_change(const struct leat_stage *s, const char *name, const char *from,
                               const char *to, struct arena *a);

#endif
