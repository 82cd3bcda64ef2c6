/* pairs.h -- the heaviest of many pairs, by a heap, and of a low-rank form by blocks.
 *
 * A quadratic form in factors gives the pair (i, j) the weight scale (U_i' U_j - V_i' V_j), with
 * U_i of `plus` and V_i of `minus` numbers. pairs_scan() looks at all pairs of n features by blocks
 * of products, so it never needs the n x n matrix. A caller that can afford only some of many
 * features takes those with the longest columns: a pair weighs at most scale |column_i| |column_j|.
 */
#ifndef LEAT_KERNELS_FM_PAIRS_H
#define LEAT_KERNELS_FM_PAIRS_H

#include <stddef.h>
#include <stdint.h>

enum { PAIRS_BLOCK = 64 };

struct pair {
    uint32_t a, b; /* a < b */
    double weight;
};

struct pairs {
    struct pair *heap; /* for k pairs; the lightest on top */
    uint32_t n, k;
};

/* Keeps the k largest |weight|; of equal ones, those with the lower numbers. */
void pairs_offer(struct pairs *p, uint32_t a, uint32_t b, double weight);
/* Heaviest first, equals by a, then b. No more offers. */
void pairs_sort(struct pairs *p);

/* pairs_scan.c. columns: n x (plus + minus), row-major, U_i then V_i; product: PAIRS_BLOCK x n
 * doubles. Offers (i, j) for all i < j < n. */
void pairs_scan(struct pairs *p, uint32_t n, uint32_t plus, uint32_t minus, const double *columns,
                double scale, double *product);

#endif
