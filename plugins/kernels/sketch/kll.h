/* kll.h -- all quantiles of a stream of doubles from a few hundred of them; essay in kll.c. */
#ifndef LEAT_KERNELS_SKETCH_KLL_H
#define LEAT_KERNELS_SKETCH_KLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KLL_MIN_K     8
#define KLL_MAX_K     65536
#define KLL_LEVELS    60
#define KLL_MAX_COUNT ((uint64_t)1 << 56) /* 22 years of one value per 10 ns */

/* Plain data without pointers: the first kll_used(s) bytes are the whole state, and may be
 * moved. */
struct kll {
    uint64_t n;      /* values added                                                */
    double min, max; /* exact bounds of the values; infinity, -infinity at first    */
    uint64_t random; /* state of the random bits                                    */
    uint64_t kept;   /* bit h: the half that the last compaction of level h kept    */
    uint64_t owed;   /* bit h: the next compaction of level h keeps the other half  */
    uint32_t k;
    uint32_t capacity;            /* items of the block: kll_capacity(k) */
    uint32_t levels;              /* 1 .. KLL_LEVELS                     */
    uint32_t end[KLL_LEVELS + 1]; /* level h is item[end[h + 1] .. end[h]); 0 from end[levels] on */
    double item[];
};

/* An item of several sketches combined. */
struct kll_item {
    double x;
    uint64_t rank; /* estimated number of values <= x */
};

/* Returns the items of a sketch, about 3 k + 150, for KLL_MIN_K <= k <= KLL_MAX_K. A stream of at
 * most this many values is kept whole. */
uint32_t kll_capacity(uint32_t k);
/* Returns the bytes of a sketch, which never grows. */
size_t kll_bytes(uint32_t k);

/* Makes an empty sketch in kll_bytes(k) bytes at s, aligned for double. Writes the header only, so
 * zeroed memory stays untouched. The sketches of one window need different seeds. */
void kll_init(struct kll *s, uint32_t k, uint64_t seed);

/* Adds x, a finite number; at most KLL_MAX_COUNT values in all. Amortised O(log k). */
void kll_add(struct kll *s, double x);

/* Returns the bytes of a snapshot: the header and the items, which come first in the block. */
size_t kll_used(const struct kll *s);

/* Returns the largest number of items that kll_gather() writes for n sketches of this k. */
size_t kll_work(uint32_t k, uint32_t n);
/* Writes the items of n sketches to `work`, in ascending order, for kll_at(). Sketches may differ
 * in k and may be empty. Returns the number of items; 0 if there is no value.
 * O(items log items). */
uint32_t kll_gather(const struct kll *const *s, uint32_t n, struct kll_item *work);
/* Estimates the smallest x for which the share of values <= x is at least q, 0 <= q <= 1. The
 * estimate is one of the values; q = 0 gives the least. The least and the largest value are exact.
 * All estimates are exact while no sketch has taken more values than its capacity. Returns NAN if
 * there are no items. O(log items). */
double kll_at(const struct kll_item *work, uint32_t items, double q);

/* Returns the error bound: with a probability of 99 %, the share of values up to the answer differs
 * from q by at most this. Holds at any one moment and for any order of the values, for one sketch
 * or several combined. */
double kll_error(uint32_t k);

/* True if these kll_bytes(k) bytes hold a sketch of k with all invariants. For tests, and for a
 * state that was read from outside. If true, every function stays within the block and
 * terminates. */
bool kll_is_valid(const struct kll *s, uint32_t k);

#endif
