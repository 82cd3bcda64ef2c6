/* tail_quantile.h -- one quantile of a stream of doubles, however extreme; explained in the .c. */
#ifndef LEAT_KERNELS_SUMMARIES_TAIL_QUANTILE_H
#define LEAT_KERNELS_SUMMARIES_TAIL_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAIL_MIN_K      16
#define TAIL_MAX_K      1048576
#define TAIL_MAX_LEVELS 48
#define TAIL_MAX_COUNT  ((uint64_t)1 << 48)

/* Sketch without pointers: its tail_quantile_bytes(q, k) bytes are the whole state. */
struct tail_quantile {
    double q;
    uint64_t n;    /* number of values added */
    uint64_t coin; /* state of the random generator */
    uint32_t k, levels;
    uint64_t sampled[TAIL_MAX_LEVELS]; /* [h]: number of values that entered level h */
    uint32_t held[TAIL_MAX_LEVELS];    /* [h]: min(sampled[h], k) */
    double item[];                     /* k values of each level, then k of scratch */
};

/* Returns the number of levels of a sketch. 0 < q < 1, TAIL_MIN_K <= k <= TAIL_MAX_K. */
uint32_t tail_quantile_levels(double q, uint32_t k);
/* Returns the size of a sketch in bytes, which never changes. */
size_t tail_quantile_bytes(double q, uint32_t k);

/* Makes an empty sketch at s, which has tail_quantile_bytes(q, k) bytes, aligned for double. */
void tail_quantile_init(struct tail_quantile *s, double q, uint32_t k, uint64_t seed);

/* Adds a finite number x. Returns false, without adding it, if the sketch already has
 * TAIL_MAX_COUNT values. O(log k), mostly O(1). */
bool tail_quantile_insert(struct tail_quantile *s, double x);

/* Estimates the q-quantile: the smallest x such that at least q n values are <= x. The result is
 * one of the values. It is exact while min(q, 1 - q) n < k. Returns NaN if the sketch is empty.
 * O(k). Writes scratch in the sketch, which does not affect later results. */
double tail_quantile_value(struct tail_quantile *s);

/* Returns the error bound. Let m be the number of values on the rarer side of the result. With a
 * probability of 99 %, m differs from min(q, 1 - q) n by at most this share of it. Holds at any one
 * moment and for any order of the values. */
double tail_quantile_error(double q, uint32_t k);

/* True if all invariants hold. For tests, and for a sketch that was read from a snapshot. */
bool tail_quantile_check(const struct tail_quantile *s);

#endif
