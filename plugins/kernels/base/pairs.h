/* pairs.h -- the heaviest of many pairs, by a heap. */
#ifndef LEAT_KERNELS_BASE_PAIRS_H
#define LEAT_KERNELS_BASE_PAIRS_H

#include <stdint.h>

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
