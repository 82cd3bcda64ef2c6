/* adwin.h -- ADWIN: a window over numbers of [0, 1] that drops old numbers when the mean changes.
 *
 * A cut divides the window into two parts: n0 older numbers with the mean mu0, and n1 newer numbers
 * with the mean mu1. Old numbers are dropped while some cut has
 *
 *   |mu0 - mu1| > sqrt(2/m var ln(2/d')) + 2/(3 m) ln(2/d'),
 *                                               1/m = 1/n0 + 1/n1,  d' = delta / ln n
 *
 * where var is the variance of the window and n its length. In a stream without a change, a check
 * drops numbers with a probability of at most about delta. After a change, the mean is that of the
 * new numbers as soon as there are enough of them to show the change.
 *
 * The window is an exponential histogram: buckets of 1, 2, 4, … numbers, at most ADWIN_BUCKETS of
 * each size, the oldest ones the largest. A check tries the cuts between buckets, and drops the
 * oldest bucket, again and again.
 *
 *   level 2: [4][4]   level 1: [2][2][2]   level 0: [1][1][1][1]      oldest to newest
 *
 * Example. delta = 0.002. 64 zeros fill 4 buckets of 8, 5 of 4, 4 of 2 and 4 of 1. Ones follow.
 * After 12 ones a check drops nothing. After 13 the variance of the 77 numbers is 0.140, so the cut
 * between zeros and ones has the bound 0.983. The means differ by 1, so the check drops the two
 * oldest buckets. The other 61 numbers have the mean 0.213.
 *
 * A number costs O(1) on average. A check costs O(log n); the caller decides how often to check.
 * Parts of fewer than ADWIN_MIN numbers are not compared.
 *
 * Source: A. Bifet, R. Gavaldà, Learning from time-changing data with adaptive windowing, SDM 2007
 * (ADWIN2, with the bound by the variance).
 */
#ifndef LEAT_KERNELS_DRIFT_ADWIN_H
#define LEAT_KERNELS_DRIFT_ADWIN_H

#include <stdbool.h>
#include <stdint.h>

enum { ADWIN_BUCKETS = 5, ADWIN_LEVELS = 56, ADWIN_MIN = 5 };

/* Count of some numbers, their sum, and the sum of their squared differences from their mean. */
struct adwin_part {
    double n, sum, square;
};

/* Window. Level l has used[l] buckets of 2^l numbers each, the oldest first. */
struct adwin {
    double delta;
    uint32_t used[ADWIN_LEVELS];
    double sum[ADWIN_LEVELS][ADWIN_BUCKETS + 1], square[ADWIN_LEVELS][ADWIN_BUCKETS + 1];
};

/* Makes an empty window; 0 < delta < 1. */
void adwin_init(struct adwin *a, double delta);
/* Adds a number x of [0, 1]. */
void adwin_add(struct adwin *a, double x);
/* Result of a check, at the cut whose means differ most relative to their bound. */
struct adwin_change {
    double dropped;       /* numbers that left the window */
    double newer;         /* numbers after the cut        */
    double before, after; /* means of the two parts       */
};

/* Drops numbers from the old end while some cut shows a change. Returns true if it dropped any;
 * *change becomes the first cut found. A large change is mostly found before all older numbers can
 * be dropped. Later checks then drop more of them, at cuts near the same place. */
bool adwin_check(struct adwin *a, struct adwin_change *change);
struct adwin_part adwin_window(const struct adwin *a);

static inline double adwin_mean(const struct adwin_part *p) { return p->n > 0 ? p->sum / p->n : 0; }

/* Largest difference of the means of parts of n0 and n1 numbers that shows no change. */
double adwin_bound(double delta, double variance, double n0, double n1);
/* Checks a window that was read from elsewhere. Returns NULL, or the first error. */
const char *adwin_broken(const struct adwin *a);

#endif
