/* contrast_union.h -- the union of models that learned from different records.
 *
 * Models of one shape, seed and options are added to a union, in place. A model that was never
 * merged is a leaf. The union has all members of all leaves. It sums up, over the leaves where a
 * feature was a member:
 *
 *   count[2] | excess[2] | signature
 *   own[2][2]     the cells of these leaves at the feature's places
 *   totals        the cells of all leaves, of 32 bits and with as many places as the finest leaf
 *
 * In all other leaves, the feature has at most the smallest of its cells. So
 *
 *     count - excess <= true count <= count + min over rows of (total - own).
 *
 * All of these are sums, and samples, registers and largest amounts are unions and maxima. So a
 * union does not depend on the order in which its leaves came, nor on unions made on the way. Sums
 * that do not fit stay at the largest value, which then bounds nothing (contrast_most()). Clocks
 * that fade, and counts other than 1, round each sum.
 *
 * Example. Two leaves have room for one member. In the first one, feature 7 is the member and came
 * 3 times; its cells are 5, as feature 9 had to leave with the count 5. In the second one, 9 is the
 * member and came 4 times; its cells are 2. The totals are 7. Feature 7 has the count 3 and own 5:
 * it came 3 to 3 + 7 - 5 = 5 times. Feature 9 has the count 4 and own 2: it came 4 to 9 times.
 *
 * A union does not learn. contrast_settle_union() makes it a model that does. */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_UNION_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_UNION_H

#include "contrast.h"

/* Room of a union. grain: places in a word of the totals; 0: all cells are 0. */
struct contrast_union_size {
    uint32_t members, grain;
};

/* Returns what a union needs to hold m and `from`, each of which may be a leaf or a union. */
struct contrast_union_size contrast_union_of(const struct contrast *m, const struct contrast *from);
/* True if m is a union that has room for so much. */
bool contrast_union_fits(const struct contrast *m, struct contrast_union_size size);

/* Bytes of the block of a union of models of a shape. */
size_t contrast_union_bytes(const struct contrast_shape *leaf, struct contrast_union_size size);
/* Makes an empty union. block: zeroed bytes, aligned to 64. */
void contrast_union_init(struct contrast *m, const struct contrast_shape *leaf,
                         struct contrast_union_size size, const struct contrast_options *opt,
                         void *block);
/* Adds a leaf or a union to m, which has room. Each record of `from` counts `count` times. slot[i]
 * becomes the slot of member i of `from`. O(members + cells of `from`), unless counts fade. */
void contrast_union_add(struct contrast *m, const struct contrast *from, double count,
                        uint32_t *slot);
/* Brings samples and members into an order that depends on nothing but the content. Calls `swap`
 * for each two slots whose members it swaps, at most once a member. rank: room for the members. */
void contrast_union_sort(struct contrast *m, struct contrast_rank *rank,
                         void (*swap)(void *held, uint32_t a, uint32_t b), void *held);
/* Returns a message about a broken invariant, or NULL. */
const char *contrast_union_check(const struct contrast *m);

/* Upper bound of the count of a member in the leaves where it is none, and of any other feature.
 * UINT32_MAX: there is none. mix: contrast_cell_mix(). */
uint32_t contrast_union_rest(const struct contrast *m, uint32_t slot, int kind, uint64_t mix);
uint32_t contrast_union_least(const struct contrast *m, int kind, uint64_t mix);
/* Upper bound of the sum of amounts of a member in the leaves where it is none. */
uint64_t contrast_union_rest_sum(const struct contrast *m, uint32_t slot, int kind, uint64_t mix);

/* ---- a model that goes on ---- */

/* Makes m, which was just initialised, a model of the same records as a leaf or union `from`. The
 * width of `from` is that of m, or a power of two times as large. The members with the largest keys
 * stay, in this order; the others leave. So bounds hold. rank: room for the members of `from`;
 * rank[s].slot becomes the slot in `from` of the member in slot s. */
void contrast_settle_union(struct contrast *m, const struct contrast *from,
                           struct contrast_rank *rank);

#endif
