/* laws.h -- laws of the state of every learner, for learner_rig.h.
 *
 * A broken law fails the test. Each stream is the first n examples of stream 1, with `ids`
 * features. */
#ifndef LEAT_TESTS_SUPPORT_LAWS_H
#define LEAT_TESTS_SUPPORT_LAWS_H

#include <stdbool.h>

#include "learner_rig.h"

/* Checks that both learners give the same answer, bit for bit. Returns the rows of the answer. */
uint32_t law_same_top(struct harness *h, struct harness *copy);

/* Checks that a merge with a state that has learned nothing, in either order, or with weight 0,
 * changes nothing. */
void law_identity_of_merge(const struct learner *l, uint32_t n, uint32_t ids);

/* Checks that restore and merge refuse these bytes with a reason that contains `text`. The state of
 * h, `is`, must not change. */
void law_refuses(struct harness *h, const struct kept *is, const void *bytes, size_t n,
                 const char *text);

/* Checks that a state that differs in one parameter of l->differs is refused with the parameter's
 * name. */
void law_refuses_other_parameters(const struct learner *l, uint32_t n, uint32_t ids);

/* Checks that snapshot, restore and merge survive a failure of any allocation, without a change or
 * a leak. snapshot_allocates: false if the snapshot only uses the writer's memory. */
void law_survives_without_memory(const struct learner *l, uint32_t n, uint32_t ids,
                                 bool snapshot_allocates);

#endif
