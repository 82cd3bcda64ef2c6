/* product_top.h -- the singular triplets and the largest entries of a sketched product. */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H

#include "kernels/base/rank.h"
#include "kernels/dense/tall_matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The singular triplets of a sketched product, scale A B' = sum of
 * sigma_i u_i v_i', by small matrices alone: no copy of A or B is made.
 *
 *   A = Q_x R_x,  B = Q_y R_y,  R_x R_y' = U diag(sigma) V'
 *   T_x = R_y' V diag(1 / sqrt(sigma)),  T_y = R_x' U diag(1 / sqrt(sigma))
 *
 * A T_x = Q_x U sqrt(sigma) and B T_y = Q_y V sqrt(sigma), as R_x R_y' V = U diag(sigma): the
 * square-root method of balanced truncation (M. Tombs, I. Postlethwaite, Int. J. Control 1987).
 * No R is inverted, so either may be singular; only what is below the rounding of the largest sigma
 * is left out. Q_x and Q_y are never formed. Rows of A T_x are multiplied out when they are asked
 * for. Memory is O(columns^2), whatever the number of features.
 */

enum { PRODUCT_TRIPLETS_ROWS = 256 }; /* that product_triplets_rows() gives at once */

struct product_triplets {
    struct tall_matrix side[2]; /* A and B, of the sketch */
    uint32_t columns;           /* of A and B             */
    double scale;
    uint32_t n;          /* triplets                                          */
    const double *sigma; /* of scale A B', descending: n                      */
    double rounding;     /* sigmas up to this one would be rounding errors    */
    const double *T[2];  /* T_x, T_y, times sqrt(scale): columns x n          */
    double *rows;        /* PRODUCT_TRIPLETS_ROWS x n                         */
};

size_t product_triplets_bytes(uint32_t columns);
/* block: that many bytes, aligned to 64. A and B are not changed, and have to stay as they are.
 * scale > 0. false: no convergence, or an overflow. */
bool product_triplets(const struct tall_matrix side[2], uint32_t columns, double scale, void *block,
                      struct product_triplets *t);

/* Of `count` rows from `first` on, all u_i sqrt(sigma_i) (side 0) or v_i sqrt(sigma_i) (side 1): n
 * numbers a row, which the next call overwrites. */
const double *product_triplets_rows(const struct product_triplets *t, int side, uint32_t first,
                                    uint32_t count);

struct product_heavy {
    uint32_t feature;
    double value; /* of u_i sqrt(sigma_i) or v_i sqrt(sigma_i); 0: there is no other */
};
/* heavy[i k .. i k + k - 1] become the k largest |values| of triplet i, the largest first, for the
 * first `triplets`, which are at most n. */
void product_heaviest(const struct product_triplets *t, int side, uint32_t triplets, uint32_t k,
                      struct product_heavy *heavy);

/* The largest entries of a sketched product, exactly.
 *
 * |(A B')_ij| <= |u_i| |v_j| for rows u_i, v_j of A T_x, B T_y (product_triplets()), whose lengths
 * bound far better than those of A and B: rows are sorted by them and multiplied in tiles, the
 * longest first, as long as a product of lengths is more than the k-th largest entry so far. What
 * is multiplied are rows of A and B themselves. The m_x x m_y entries are never in memory at once,
 * and of skewed data most are never computed; at worst it takes O(m_x m_y l).
 *
 * Memory is the caller's: a number for each row, and two tiles.
 */
size_t product_entries_bytes(const uint32_t m[2], uint32_t columns);
/* The k largest |entries|, largest first, equal ones by their features' numbers (a of the left
 * side, b of the right one), without those up to `rounding` (product_view), which may be 0.
 * t->side may be fewer rows
 * than the triplets were made of. Returns how many. *looked: entries that were computed. */
uint32_t product_entries(const struct product_triplets *t, uint32_t k, double rounding, void *block,
                         struct pair *entry, uint64_t *looked);

#endif
