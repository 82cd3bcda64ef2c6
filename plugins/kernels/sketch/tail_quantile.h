/* tail_quantile.h -- one quantile of a stream of doubles, however extreme; essay in the .c file. */
#ifndef LEAT_KERNELS_SKETCH_TAIL_QUANTILE_H
#define LEAT_KERNELS_SKETCH_TAIL_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAIL_MIN_K      16
#define TAIL_MAX_K      1048576
#define TAIL_MAX_LEVELS 48
#define TAIL_MAX_COUNT  ((uint64_t)1 << 48)

/* Plain data without pointers: these tail_quantile_bytes(q, k) bytes are the whole state. */
struct tail_quantile {
    double q;
    uint64_t n;    /* values added      */
    uint64_t coin; /* state of the coin */
    uint32_t k, levels;
    uint64_t sampled[TAIL_MAX_LEVELS]; /* values that entered level h           */
    uint32_t held[TAIL_MAX_LEVELS];    /* min(sampled, k)                       */
    double item[];                     /* k for each level, then k of scratch   */
};

/* Returns the number of levels of the q-quantile. 0 < q < 1, TAIL_MIN_K <= k <= TAIL_MAX_K. */
uint32_t tail_quantile_levels(double q, uint32_t k);
/* Returns the bytes of a sketch, which never grows. */
size_t tail_quantile_bytes(double q, uint32_t k);

/* Makes an empty sketch in tail_quantile_bytes(q, k) bytes at s, aligned for double. */
void tail_quantile_init(struct tail_quantile *s, double q, uint32_t k, uint64_t seed);

/* Adds x, a finite number. Returns false, and changes nothing, if the sketch already has
 * TAIL_MAX_COUNT values. O(log k), mostly O(1). */
bool tail_quantile_insert(struct tail_quantile *s, double x);

/* Estimates the smallest x for which the number of values <= x is at least q n. The estimate is one
 * of the values. It is exact while min(q, 1 - q) n < k. Returns NaN if the sketch is empty. O(k).
 * Not const, because it uses scratch in the sketch; no later answer changes. */
double tail_quantile_value(struct tail_quantile *s);

/* Returns the relative error bound. Let m be the number of values on the rarer side of the answer.
 * With a probability of 99 %, m differs from min(q, 1 - q) n by at most this share of it. Holds at
 * any one moment and for any order of the values. */
double tail_quantile_error(double q, uint32_t k);

/* True if all invariants hold. For tests, and for a state that was read from outside. */
bool tail_quantile_check(const struct tail_quantile *s);

#endif
