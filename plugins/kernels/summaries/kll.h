/* kll.h -- all quantiles of a stream of doubles from a few hundred items; explained in kll.c. */
#ifndef LEAT_KERNELS_SUMMARIES_KLL_H
#define LEAT_KERNELS_SUMMARIES_KLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KLL_MIN_K     8
#define KLL_MAX_K     65536
#define KLL_LEVELS    60
#define KLL_MAX_COUNT ((uint64_t)1 << 56) /* enough for one value every 10 ns for 22 years */

/* Sketch without pointers: its first kll_used(s) bytes are the whole state and may be copied. */
struct kll {
    uint64_t n;      /* number of values added */
    double min, max; /* smallest and largest value; infinity and -infinity if empty */
    uint64_t random; /* state of the random generator */
    uint64_t kept;   /* bit h: which half the last compaction of level h kept */
    uint64_t owed;   /* bit h: the next compaction of level h must keep the other half */
    uint32_t k;
    uint32_t capacity;            /* length of item[]: kll_capacity(k) */
    uint32_t levels;              /* number of levels in use, 1 .. KLL_LEVELS */
    uint32_t end[KLL_LEVELS + 1]; /* level h is item[end[h + 1] .. end[h]); 0 from end[levels] on */
    double item[];
};

/* An item of one or several sketches, for kll_at(). */
struct kll_item {
    double x;
    uint64_t rank; /* estimated number of values <= x */
};

/* Returns the number of items that a sketch can hold, about 3 k + 150. A stream of at most this
 * many values is kept completely. KLL_MIN_K <= k <= KLL_MAX_K. */
uint32_t kll_capacity(uint32_t k);
/* Returns the size of a sketch in bytes, which never changes. */
size_t kll_bytes(uint32_t k);

/* Makes an empty sketch at s, which has kll_bytes(k) bytes, aligned for double. Writes only the
 * header, so zeroed pages stay untouched. All sketches of a window need different seeds. */
void kll_init(struct kll *s, uint32_t k, uint64_t seed);

/* Adds a finite number x. A sketch takes at most KLL_MAX_COUNT values. Amortised O(log k). */
void kll_add(struct kll *s, double x);

/* Returns the bytes of a snapshot: the header and the items in use. */
size_t kll_used(const struct kll *s);

/* Returns the length of the array `work` that kll_gather() needs for n sketches of this k. */
size_t kll_work(uint32_t k, uint32_t n);
/* Writes the items of n sketches, sorted by value, to `work` for kll_at(). The sketches may have
 * different k and may be empty. Returns the number of items written, or 0 if all sketches are
 * empty. O(items log items). */
uint32_t kll_gather(const struct kll *const *s, uint32_t n, struct kll_item *work);
/* Estimates the q-quantile: the smallest x such that the share of values <= x is at least q, 0 <= q
 * <= 1. The result is one of the values. It is exact for the smallest value (q = 0) and the largest
 * (q = 1). It is exact for all q if no sketch received more values than its capacity. Returns NAN
 * if there are no items. O(log items). */
double kll_at(const struct kll_item *work, uint32_t items, double q);

/* Estimates the median distance from `center`: the smallest d such that at least half of the values
 * are within center - d .. center + d. If `center` is the median, this is the MAD. It is exact if
 * no sketch received more values than its capacity. Otherwise the share of values within d differs
 * from a half by at most twice kll_error(). Returns NAN if there are no items. O(items). */
double kll_distance(const struct kll_item *work, uint32_t items, double center);

/* Returns the error bound of kll_at(): with a probability of 99 %, the share of values up to the
 * result differs from q by at most this bound. Holds at any one moment and for any order of the
 * values, for one sketch or several. */
double kll_error(uint32_t k);

/* Converts the numbers of a sketch and its first n items to little-endian for a snapshot, or back.
 * The sketch need not be valid. */
void kll_turn(struct kll *s, uint32_t n);

/* True if s, of kll_bytes(k) bytes, is a sketch of this k with all invariants. For tests, and for
 * sketches that were read from a snapshot. If true, all functions end and stay within the block. */
bool kll_is_valid(const struct kll *s, uint32_t k);

#endif
