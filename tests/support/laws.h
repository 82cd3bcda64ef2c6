/* laws.h -- what holds of the state of every learner, for learner_rig.h. A law that is broken fails
 * the test. Streams: the first n examples of stream 1, of `ids` features.
 */
#ifndef LEAT_TESTS_SUPPORT_LAWS_H
#define LEAT_TESTS_SUPPORT_LAWS_H

#include <stdbool.h>

#include "learner_rig.h"

/* Both answer alike to the bit. Returns the rows of the answer. */
uint32_t law_same_top(struct harness *h, struct harness *copy);

/* A merge with a state that learned nothing, in either order, or with weight 0, changes nothing. */
void law_identity_of_merge(const struct learner *l, uint32_t n, uint32_t ids);

/* Neither restore nor merge takes these bytes; the reason contains `text`, and h, whose state is
 * `is`, has not changed. */
void law_refuses(struct harness *h, const struct kept *is, const void *bytes, size_t n,
                 const char *text);

/* States of learners that differ in one parameter of l->differs are refused by its name. */
void law_refuses_other_parameters(const struct learner *l, uint32_t n, uint32_t ids);

/* Snapshot, restore and merge fail with each of their allocations, and change and leak nothing.
 * snapshot_allocates: false where what is written goes into the writer's memory. */
void law_survives_without_memory(const struct learner *l, uint32_t n, uint32_t ids,
                                 bool snapshot_allocates);

#endif
