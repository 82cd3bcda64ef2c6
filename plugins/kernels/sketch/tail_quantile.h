/* tail_quantile.h -- one quantile of a stream of doubles, however near to an end. See
 * tail_quantile.c. */
#ifndef LEAT_KERNELS_SKETCH_TAIL_QUANTILE_H
#define LEAT_KERNELS_SKETCH_TAIL_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAIL_MIN_K      16
#define TAIL_MAX_K      1048576
#define TAIL_MAX_LEVELS 48
#define TAIL_MAX_COUNT  ((uint64_t)1 << 48)

/* Plain data, no pointers: these tail_quantile_bytes(q, k) bytes are the whole state. */
struct tail_quantile {
    double q;
    uint64_t n;    /* values taken      */
    uint64_t coin; /* state of the coin */
    uint32_t k, levels;
    uint64_t sampled[TAIL_MAX_LEVELS]; /* values that came to level h           */
    uint32_t held[TAIL_MAX_LEVELS];    /* min(sampled, k)                       */
    double item[];                     /* k of each level, then k to choose in  */
};

/* How many levels the q-quantile needs. 0 < q < 1, TAIL_MIN_K <= k <= TAIL_MAX_K. */
uint32_t tail_quantile_levels(double q, uint32_t k);
/* Bytes of a sketch, which never grows. */
size_t tail_quantile_bytes(double q, uint32_t k);

/* An empty sketch in so many bytes at s, aligned for double. */
void tail_quantile_init(struct tail_quantile *s, double q, uint32_t k, uint64_t seed);

/* Takes x, a finite number. false: the sketch holds TAIL_MAX_COUNT values; nothing has changed.
 * O(log k), mostly O(1). */
bool tail_quantile_insert(struct tail_quantile *s, double x);

/* Estimate of the smallest x with |{values <= x}| >= q n; one of the values. Exact while
 * min(q, 1 - q) n < k. NaN when empty. O(k). Not const: it needs room to choose in, which changes
 * no later answer. */
double tail_quantile_value(struct tail_quantile *s);

/* With a chance of 99 %, the number of values on the rarer side of the answer differs from
 * min(q, 1 - q) n by at most this share of it, at any one moment and in any order of the values. */
double tail_quantile_error(double q, uint32_t k);

/* Does every invariant hold? For tests, and for a state that was read from outside. */
bool tail_quantile_check(const struct tail_quantile *s);

#endif
