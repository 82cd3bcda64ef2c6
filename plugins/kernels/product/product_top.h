/* product_top.h -- the largest entries of a sketched product, exactly.
 *
 * |(A B')_ij| <= |u_i| |v_j| for rows u_i, v_j of A T_x, B T_y (product_triplets.h), whose lengths
 * bound far better than those of A and B: rows are sorted by them and multiplied in tiles, the
 * longest first, as long as a product of lengths is more than the k-th largest entry so far. What
 * is multiplied are rows of A and B themselves. The m_x x m_y entries are never in memory at once,
 * and of skewed data most are never computed; at worst it takes O(m_x m_y l).
 *
 * Memory is the caller's: a number for each row, and two tiles.
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H

#include "kernels/base/rank.h"
#include "product_triplets.h"

size_t product_entries_bytes(const uint32_t m[2], uint32_t columns);
/* The k largest |entries|, largest first, equal ones by their features' numbers (a of the left
 * side, b of the right one), without those up to `rounding` (product_view), which may be 0.
 * t->side may be fewer rows
 * than the triplets were made of. Returns how many. *looked: entries that were computed. */
uint32_t product_entries(const struct product_triplets *t, uint32_t k, double rounding, void *block,
                         struct pair *entry, uint64_t *looked);

#endif
