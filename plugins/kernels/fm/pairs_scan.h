/* pairs_scan.h -- the heaviest pairs of a low-rank form, by blocks.
 *
 * A quadratic form in factors gives the pair (i, j) the weight scale (U_i' U_j - V_i' V_j), with
 * U_i of `plus` and V_i of `minus` numbers. pairs_scan() looks at all pairs of n features by blocks
 * of products, so it never needs the n x n matrix. A caller that can afford only some of many
 * features takes those with the longest columns: a pair weighs at most scale |column_i| |column_j|.
 */
#ifndef LEAT_KERNELS_FM_PAIRS_SCAN_H
#define LEAT_KERNELS_FM_PAIRS_SCAN_H

#include "kernels/base/rank.h"

enum { PAIRS_BLOCK = 64 };

/* columns: n x (plus + minus), row-major, U_i then V_i; product: PAIRS_BLOCK x n doubles. Offers
 * (i, j) for all i < j < n. */
void pairs_scan(struct pairs *p, uint32_t n, uint32_t plus, uint32_t minus, const double *columns,
                double scale, double *product);

#endif
