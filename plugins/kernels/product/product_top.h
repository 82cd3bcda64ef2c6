/* product_top.h -- singular triplets and largest entries of a sketched product */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_TOP_H

#include "kernels/base/rank.h"
#include "kernels/dense/tall_matrix.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Singular triplets of a sketched product: scale A B' = sum of sigma_i u_i v_i'. They are computed
 * from small matrices only; A and B are not copied.
 *
 *   A = Q_x R_x,  B = Q_y R_y,  R_x R_y' = U diag(sigma) V'
 *   T_x = R_y' V diag(1 / sqrt(sigma)),  T_y = R_x' U diag(1 / sqrt(sigma))
 *
 * Example: the columns A = (3, 4)' and B = (2) have A B' = (6, 8)', with the one triplet
 * sigma = 10, u = (0.6, 0.8), v = (1). The largest entry is 8, of row 1 of A.
 *
 * Since R_x R_y' V = U diag(sigma), A T_x = Q_x U sqrt(sigma) and B T_y = Q_y V sqrt(sigma): the
 * square-root method of balanced truncation (M. Tombs, I. Postlethwaite, Int. J. Control 1987).
 * Neither R_x nor R_y is inverted, so they may be singular. Only sigmas below the rounding error of
 * the largest sigma are left out. Q_x and Q_y are never formed. Rows of A T_x are computed on
 * demand. Memory is O(columns^2) for any number of features. */

enum { PRODUCT_TRIPLETS_ROWS = 256 }; /* limit of rows in a call of product_triplets_rows() */

struct product_triplets {
    struct tall_matrix side[2]; /* A and B of the sketch */
    uint32_t columns;           /* columns of A and B    */
    double scale;
    uint32_t n;          /* number of triplets                           */
    const double *sigma; /* n singular values of scale A B', descending  */
    double rounding;     /* sigmas up to this one may be rounding errors */
    double *T[2];        /* T_x, T_y, times sqrt(scale): columns x n     */
    double *rows;        /* PRODUCT_TRIPLETS_ROWS x n                    */
};

size_t product_triplets_bytes(uint32_t columns);
/* Computes the triplets of scale A B', scale > 0. `block` is product_triplets_bytes() bytes,
 * aligned to 64. A and B do not change, and the caller must not change them while it uses t.
 * Returns false if there is no convergence, or an overflow. */
bool product_triplets(const struct tall_matrix side[2], uint32_t columns, double scale, void *block,
                      struct product_triplets *t);

/* Returns the rows of `count` features, from feature `first` on. Each row has n
 * numbers: the feature's u_i sqrt(sigma_i) (side 0) or v_i sqrt(sigma_i) (side 1). The
 * next call overwrites them. */
const double *product_triplets_rows(const struct product_triplets *t, int side, uint32_t first,
                                    uint32_t count);

/* Order of entries, and of the features of a vector, that are equal or differ by rounding errors.
 * Numbers are first rounded to multiples of `grain`, which is more than rounding errors make. Equal
 * ones stand in the order of their features. So an answer depends neither on the order of the
 * stream nor on the processor. */
struct product_order {
    const uint32_t *rank[2]; /* place of each feature of a side in its order; NULL: its number */
    double grain;            /* power of two; 0: nothing is rounded                            */
};
/* Returns the grain for values of a product with the norms |X|_F |Y|_F: 2^-40 of them. */
double product_grain(double norms);

static inline uint32_t product_rank(const struct product_order *o, int side, uint32_t feature)
{
    return o->rank[side] ? o->rank[side][feature] : feature;
}
static inline double product_rounded(double value, double grain)
{
    return grain > 0 ? rint(value / grain) * grain : value;
}

struct product_heavy {
    uint32_t feature;
    double value; /* the feature's u_i sqrt(sigma_i) or v_i sqrt(sigma_i); 0: no further feature */
};
/* For each of the first `triplets` <= n triplets i, sets heavy[i k .. i k + k - 1] to the k largest
 * |values|, the largest first. Equal ones, up to product_alike_grain() of product_alike.h, stand in
 * the order of their features. */
void product_heaviest(const struct product_triplets *t, int side, uint32_t triplets, uint32_t k,
                      const struct product_order *order, struct product_heavy *heavy);

/* Exact search for the largest entries of a sketched product.
 *
 * For rows u_i of A T_x and v_j of B T_y (product_triplets()), |(A B')_ij| <= |u_i| |v_j|. This
 * bound is far better than the one by the lengths of A's and B's rows. Rows are sorted by length
 * and multiplied in tiles, the longest first. The search stops when no product of lengths exceeds
 * the k-th largest entry so far. The entries are computed from the rows of A and B themselves. The
 * m_x x m_y entries are never in memory at once; in skewed data most are never computed. The worst
 * case is O(m_x m_y l).
 *
 * The caller provides memory for a number for each row, and for two tiles. */
size_t product_entries_bytes(const uint32_t m[2], uint32_t columns);
/* Finds the k entries with the largest |value|, rounded to the grain, the largest first; equal ones
 * in the order of their features (first of the left side, then of the right one). An entry has the
 * ranks of its features. Leaves out entries up to `rounding` (struct product_view), which may be 0.
 * t->side may have fewer rows than when t was computed. Returns the number of entries found. Sets
 * *looked to the number of entries computed. */
uint32_t product_entries(const struct product_triplets *t, const struct product_order *order,
                         uint32_t k, double rounding, void *block, struct pair *entry,
                         uint64_t *looked);

#endif
