/* rank.h -- the heaviest of many weights. */
#ifndef LEAT_KERNELS_BASE_RANK_H
#define LEAT_KERNELS_BASE_RANK_H

#include <stdint.h>

/* Indices of the k largest |w[0 .. n)|, heaviest first, equal ones by ascending index. count[n][2]
 * may be NULL; otherwise those with count[i][0] + count[i][1] < min_count are left out. top: room
 * for k. Returns how many there are. O(n log k), no other memory: a heap of the best so far, worst
 * on top. */
uint32_t rank_heaviest(uint32_t n, const float *w, const uint32_t *count, uint32_t min_count,
                       uint32_t k, uint32_t *top);

#endif
