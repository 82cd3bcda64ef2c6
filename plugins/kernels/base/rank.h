/* rank.h -- finds the k weights of largest absolute value. */
#ifndef LEAT_KERNELS_BASE_RANK_H
#define LEAT_KERNELS_BASE_RANK_H

#include <stdint.h>

/* Writes the indices of the k largest |w[0 .. n)| to top, largest first. If weights are equal, the
 * smaller index comes first. Returns the number of indices, at most k. Takes O(n log k) time.
 *   count  n pairs, or NULL. Indices with count[2 i] + count[2 i + 1] < min_count are left out.
 *   top    room for k indices; also serves as a heap of the best indices so far */
uint32_t rank_heaviest(uint32_t n, const float *w, const uint32_t *count, uint32_t min_count,
                       uint32_t k, uint32_t *top);

/* ---- pairs ----
 *
 * Keeps the k heaviest of many pairs, in a heap.
 */

struct pair {
    uint32_t a, b;
    double weight;
};

struct pairs {
    struct pair *heap; /* room for k pairs; the root has the smallest |weight| */
    uint32_t n, k;
};

/* Offers a pair. `heap` keeps the k pairs of largest |weight|. If weights are equal, the smaller a
 * is kept, then the smaller b. */
void pairs_offer(struct pairs *p, uint32_t a, uint32_t b, double weight);
/* Sorts the kept pairs: heaviest first, then by a, then by b. No pairs_offer() may follow. */
void pairs_sort(struct pairs *p);

#endif
