/* kll.h -- quantiles of a stream of doubles in fixed memory. See kll.c. */
#ifndef LEAT_KERNELS_SKETCH_KLL_H
#define LEAT_KERNELS_SKETCH_KLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KLL_MIN_K      8
#define KLL_MAX_K      32768
#define KLL_MAX_LEVELS 47
#define KLL_MAX_COUNT  ((uint64_t)1 << 48)

/* Plain data, no pointers: these kll_bytes(k) bytes are the whole state; copy or save them. */
struct kll {
    uint64_t n;    /* values taken                                                         */
    uint64_t coin; /* state of the coin                                                    */
    double min, max;
    double spread; /* sum of the squared weights of all compactions: kll_error rests on it */
    uint32_t k;
    uint32_t levels;
    uint32_t sorted; /* 1: level 0 happens to be in order; the other levels always are      */
    uint32_t reserved;
    uint32_t cap[KLL_MAX_LEVELS + 1];   /* by depth below the top level                     */
    uint32_t start[KLL_MAX_LEVELS + 1]; /* level h is item[start[h]] .. item[start[h+1]-1]  */
    double item[];
};

/* Bytes of a sketch, which never grows. KLL_MIN_K <= k <= KLL_MAX_K. */
size_t kll_bytes(uint32_t k);

/* An empty sketch in kll_bytes(k) bytes at s, aligned for double. */
void kll_init(struct kll *s, uint32_t k, uint64_t seed);

/* Take x. false: x is NaN or the sketch holds KLL_MAX_COUNT values, and nothing has changed.
 * Amortised O(log k); at worst one compaction a value. */
bool kll_insert(struct kll *s, double x);

/* Estimate of how many of the values taken are <= x. O(levels * log k), and O(k log k) the first
 * time after an insert. Not const because it may sort level 0, which changes no later answer. */
uint64_t kll_rank(struct kll *s, double x);

/* The smallest x held with kll_rank(x) >= q * n; q <= 0: the minimum; q >= 1: the maximum, both
 * exact. NaN when empty. O((levels * log k)^2), which is some microseconds. */
double kll_quantile(struct kll *s, double q);

/* Take all that `other`, another sketch of the same k, holds. false: k differs or the counts add up
 * to more than KLL_MAX_COUNT, and nothing has changed. No aliasing. Give the two different
 * seeds, or kll_error does not hold for the sum. O(k^2) moves of doubles. */
bool kll_merge(struct kll *restrict s, const struct kll *restrict other);

/* With probability >= 1 - delta the rank of any one x given beforehand is off by at most this share
 * of n. Proved, for this very sketch and its history of inserts and merges; 0 while it is exact. */
double kll_error(const struct kll *s, double delta);

/* The same bound before the first value, for any n: sqrt(2 ln(2 / delta)) / k. For k = 200 and
 * delta = 0.01 it is 1.6 %. It holds for one stream; a merge of parts of very different sizes may
 * exceed it. */
double kll_error_ahead(uint32_t k, double delta);

/* Does every invariant of kll.c hold? For tests, and for a state that was read from outside. */
bool kll_check(const struct kll *s);

#endif
