/* product_top.h -- the largest entries of a sketched product, and its singular triplets.
 *
 * Both are read from copies of A and B brought to A = U sqrt(Sigma), B = V sqrt(Sigma) (shrink.h at
 * level 0), so that A B' = sum of sigma_i u_i v_i'.
 *
 * Largest entries. |A_i . B_j| <= |A_i| |B_j|: rows are sorted by length and multiplied in tiles,
 * the longest first, as long as a product of lengths is more than the k-th largest entry so far.
 * The answer is exact. The m_x x m_y entries are never in memory at once, and of skewed data most
 * are never computed; at worst it takes O(m_x m_y l).
 *
 * Memory is the caller's and O((m_x + m_y) l).
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H

#include "kernels/base/pairs.h"
#include "product.h"

struct product_triplets {
    struct tall_matrix side[2]; /* rows of U sqrt(Sigma), V sqrt(Sigma) */
    uint32_t n;                 /* triplets                             */
    const double *sigma;
};

size_t product_triplets_bytes(const uint32_t m[2], uint32_t columns);
/* The sketch is not changed. false: no convergence. */
bool product_triplets(const struct product *p, const struct product_view *v, void *block,
                      struct product_triplets *t);

/* The k features with the largest |value| in a singular vector, or fewer. Returns how many. */
uint32_t product_heaviest(struct tall_matrix side, uint32_t column, uint32_t k, uint32_t *feature);

size_t product_entries_bytes(const uint32_t m[2], uint32_t columns);
/* The k largest |entries|, largest first, equal ones by their features' numbers (a of the left
 * side, b of the right one), without those that are 0 but for rounding. Returns how many. *looked:
 * entries that were computed. */
uint32_t product_entries(const struct product_triplets *t, uint32_t k, void *block,
                         struct pair *entry, uint64_t *looked);

#endif
