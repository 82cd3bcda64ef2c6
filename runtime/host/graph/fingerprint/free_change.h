/* free_change.h -- which stages may differ from those that made a snapshot, so that a run continues
 * from it all the same.
 *
 * What keeps something of the records must be what it was. A stage that keeps nothing may come,
 * change, go, and stand elsewhere, unless what others have learned would mean something else then:
 *
 *     it defines    when
 *     labels        it makes them
 *     features      it makes features without names, or rewrites those that come (their values, or
 *                   which is which); what a feature with a name is, its name says
 *     times         it makes event times
 *
 * and a learner, or a transform that keeps something, needs these and comes after it. Sources are
 * as if they kept something: from where they are read is part of every state. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_FREE_CHANGE_H
#define LEAT_HOST_GRAPH_FINGERPRINT_FREE_CHANGE_H

#include <jansson.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "host/graph/graph.h"
#include "host/memory/arena.h"

/* Does the stage keep something of the records? Not a source; a Lua function does in the variables
 * of its `state`. */
bool free_change_keeps(const struct node *n);

/* Does the parameter say what is asked (LEAT_QUESTION)? It counts from the next answer on. */
bool free_change_question(const struct leat_stage *s, const char *name);

/* Adds to a stage of a fingerprint what the functions below read: "keeps", and of enum leat_has
 * what it "defines", or "needs" as one that keeps something. */
void free_change_note(json_t *stage, const struct graph *g, const struct node *n);

/* Ids of stages that restart, so that what they have learned does not matter. */
struct free_change_resets {
    const char *const *id;
    size_t n;
};
bool free_change_restarts(const struct free_change_resets *resets, const char *id);

/* May this stage of fingerprint `all` come, change or go? Not in a fingerprint of an older
 * version. */
bool free_change_may(const json_t *all, const json_t *stage,
                     const struct free_change_resets *resets);
/* Why one that keeps nothing may not: the id of the first that has learned from what it defines,
 * and that as a word, "labels". NULL: there is none. */
const char *free_change_learned(const json_t *all, const json_t *stage,
                                const struct free_change_resets *resets, const char **what);

/* Parameters that only bound what a stage keeps, so that a run that continues
 * from a snapshot may raise them.
 *
 * A learner whose tables grow to max_features restores a state of fewer features into larger ones,
 * and so it is with the memory for their names (names_budget) and the longest one (name_bytes):
 * what was learned stays as it is, and what comes later finds room. A plugin's learner with a
 * parameter max_features keeps to that. Elsewhere name_bytes may be a share of a budget, which is
 * the model's size: it does not change. */

/* A parameter that is such a limit, by its name; NULL: the stage has none of this name. */
const struct leat_param *limit_change_param(const struct leat_stage *s, const char *name);

enum limit_change { LIMIT_OTHER, LIMIT_RAISED, LIMIT_LOWERED };

/* From one value, as a fingerprint has it, to another. LIMIT_OTHER: it is no such limit, or one of
 * them is NULL or no value of it. */
enum limit_change limit_change(const struct leat_stage *s, const char *name, const char *from,
                               const char *to, struct arena *a);

#endif
