/* rank.h -- the heaviest of many weights. */
#ifndef LEAT_KERNELS_BASE_RANK_H
#define LEAT_KERNELS_BASE_RANK_H

#include <stdint.h>

/* The indices of the k largest |w[0 .. n)|, heaviest first, equal ones in ascending order. Returns
 * their number, k or less. Takes O(n log k) time and no other memory: a heap of the heaviest so
 * far, the lightest on top.
 *   count  n pairs, or NULL; an index with count[2 i] + count[2 i + 1] < min_count is left out
 *   top    k numbers */
uint32_t rank_heaviest(uint32_t n, const float *w, const uint32_t *count, uint32_t min_count,
                       uint32_t k, uint32_t *top);

/* ---- pairs ----
 *
 * The heaviest of many pairs, by a heap.
 */

struct pair {
    uint32_t a, b;
    double weight;
};

struct pairs {
    struct pair *heap; /* for k pairs; the lightest on top */
    uint32_t n, k;
};

/* Keeps the k largest |weight|; of equal ones, those with the lower a, then b. */
void pairs_offer(struct pairs *p, uint32_t a, uint32_t b, double weight);
/* Heaviest first, equals by a, then b. No more offers. */
void pairs_sort(struct pairs *p);

#endif
