/* rank.h -- finds the heaviest of many weights. */
#ifndef LEAT_KERNELS_BASE_RANK_H
#define LEAT_KERNELS_BASE_RANK_H

#include <stdint.h>

/* Lists the indices of the k largest |w[0 .. n)|, heaviest first, equal ones in ascending order.
 * Returns their number, k or less. Takes O(n log k) time and no other memory: `top` is a heap of
 * the heaviest weights so far, the lightest at the root.
 *   count  n pairs, or NULL; an index with count[2 i] + count[2 i + 1] < min_count is left out
 *   top    room for k indices */
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
    struct pair *heap; /* room for k pairs; the lightest at the root */
    uint32_t n, k;
};

/* Offers a pair. The k pairs of largest |weight| stay; of equal ones, the lower a stays, then the
 * lower b. */
void pairs_offer(struct pairs *p, uint32_t a, uint32_t b, double weight);
/* Sorts the pairs, heaviest first, equal ones by a, then b. No more offers may follow. */
void pairs_sort(struct pairs *p);

#endif
