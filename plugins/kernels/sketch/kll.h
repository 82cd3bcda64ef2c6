/* kll.h -- all quantiles of a stream of doubles, from a few hundred of them. See kll.c. */
#ifndef LEAT_KERNELS_SKETCH_KLL_H
#define LEAT_KERNELS_SKETCH_KLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KLL_MIN_K     8
#define KLL_MAX_K     65536
#define KLL_LEVELS    60
#define KLL_MAX_COUNT ((uint64_t)1 << 56) /* 22 years of a value each 10 ns */

/* Plain data, no pointers: the first kll_used(s) bytes are the whole state, and may be moved. */
struct kll {
    uint64_t n;      /* values added                                                */
    double min, max; /* of them, exactly; infinity and -infinity before the first   */
    uint64_t random; /* the counter of random bits                                  */
    uint64_t kept;   /* bit h: the half that the last compaction of level h kept    */
    uint64_t owed;   /* bit h: the next compaction of level h keeps the other half  */
    uint32_t k;
    uint32_t capacity;            /* items of the block: kll_capacity(k) */
    uint32_t levels;              /* 1 .. KLL_LEVELS                     */
    uint32_t end[KLL_LEVELS + 1]; /* level h is item[end[h + 1] .. end[h]); 0 from end[levels] on */
    double item[];
};

/* An item of several sketches together. */
struct kll_item {
    double x;
    uint64_t rank; /* so many of the values are x or less, about */
};

/* Items of a sketch, KLL_MIN_K <= k <= KLL_MAX_K: about 3 k + 150. As many values are kept all. */
uint32_t kll_capacity(uint32_t k);
/* Bytes of a sketch, which never grows. */
size_t kll_bytes(uint32_t k);

/* An empty sketch in kll_bytes(k) bytes at s, aligned for double. Writes the header only, so
 * zeroed memory stays untouched. Sketches of one window need seeds of their own. */
void kll_init(struct kll *s, uint32_t k, uint64_t seed);

/* Takes x, a finite number; up to KLL_MAX_COUNT of them. Amortised O(log k). */
void kll_add(struct kll *s, double x);

/* The bytes that a snapshot needs: the header and the items, which stand first in the block. */
size_t kll_used(const struct kll *s);

/* Items at most that kll_gather() writes for n sketches of this k. */
size_t kll_work(uint32_t k, uint32_t n);
/* The items of n sketches together, in ascending order, for kll_at(). They may be of different k;
 * those at s may be empty. Returns how many items there are, 0 if there is no value.
 * O(items log items). */
uint32_t kll_gather(const struct kll *const *s, uint32_t n, struct kll_item *work);
/* Estimate of the smallest x with |{values <= x}| >= q of their number, 0 <= q <= 1; one of the
 * values, q = 0 the least. Least and largest are exact, and all are while no sketch has taken more
 * than its capacity. NAN if there are no items. O(log items). */
double kll_at(const struct kll_item *work, uint32_t items, double q);

/* With a chance of 99 %, the share of values up to the answer differs from q by at most this, at
 * any one moment and in any order of the values: for one sketch or several together. */
double kll_error(uint32_t k);

/* Do these kll_bytes(k) bytes hold a sketch of k, every invariant included? For tests, and for a
 * state that was read from outside: after it no function reads or writes outside of the block, or
 * does not end. */
bool kll_is_valid(const struct kll *s, uint32_t k);

#endif
