/* adwin.h -- ADWIN: a window over numbers in [0, 1] that drops old ones when the mean changes.
 *
 * A cut divides the window into n0 older numbers with the mean mu0, and n1 newer numbers with the
 * mean mu1. Old numbers are dropped while there is a cut with
 *
 *   |mu0 - mu1| > sqrt(2/m var ln(2/d')) + 2/(3 m) ln(2/d'),
 *                                               1/m = 1/n0 + 1/n1,  d' = delta / ln n
 *
 * where var is the variance of the window, and n = n0 + n1 its length. If the mean of the stream
 * does not change, a check drops numbers with a probability of about delta at most. After a change,
 * old numbers are dropped once there are enough new numbers to prove the change.
 *
 * The window is an exponential histogram: its buckets hold 1, 2, 4, … numbers, and the oldest
 * buckets are the largest. There are at most ADWIN_BUCKETS buckets of each size. A check considers
 * the cuts between buckets. While one of them exceeds the bound, it drops the oldest bucket.
 *
 *   level 2: [4][4]   level 1: [2][2][2]   level 0: [1][1][1][1]      oldest to newest
 *
 * Example. delta = 0.002. 64 zeros fill 4 buckets of 8, 5 of 4, 4 of 2 and 4 of 1. Then ones
 * follow. After 12 ones, a check drops nothing. After 13 ones, the variance of the 77 numbers is
 * 0.140, so the bound for the cut between zeros and ones is 0.983. The means differ by 1, so the
 * check drops the two oldest buckets. The other 61 numbers have the mean 0.213.
 *
 * adwin_add() takes O(1) on average, adwin_check() O(log n). The caller decides how often to check.
 * Cuts with fewer than ADWIN_MIN numbers on one side are ignored.
 *
 * Source: A. Bifet, R. Gavaldà, Learning from time-changing data with adaptive windowing, SDM 2007
 * (ADWIN2, with the bound by the variance).
 */
#ifndef LEAT_KERNELS_DRIFT_ADWIN_H
#define LEAT_KERNELS_DRIFT_ADWIN_H

#include <stdbool.h>
#include <stdint.h>

enum { ADWIN_BUCKETS = 5, ADWIN_LEVELS = 56, ADWIN_MIN = 5 };

/* Summary of some numbers: how many, their sum, and the sum of squared differences
 * from their mean. */
struct adwin_part {
    double n, sum, square;
};

/* Window. Level l has used[l] buckets of 2^l numbers each, from oldest to newest. */
struct adwin {
    double delta;
    uint32_t used[ADWIN_LEVELS];
    double sum[ADWIN_LEVELS][ADWIN_BUCKETS + 1], square[ADWIN_LEVELS][ADWIN_BUCKETS + 1];
};

/* Makes an empty window; 0 < delta < 1. */
void adwin_init(struct adwin *a, double delta);
/* Adds a number x in [0, 1]. */
void adwin_add(struct adwin *a, double x);
/* Result of adwin_check(). */
struct adwin_change {
    double dropped;       /* how many numbers left the window */
    double newer;         /* how many numbers are after the cut */
    double before, after; /* means before and after the cut */
};

/* Drops the oldest numbers while some cut shows a change. Returns true if it dropped any. *change
 * describes the first cut found, whose means differ most relative to the bound. A large change is
 * often found before the new numbers suffice to drop all old ones. Later checks then drop more, at
 * cuts near the same place. */
bool adwin_check(struct adwin *a, struct adwin_change *change);
struct adwin_part adwin_window(const struct adwin *a);

static inline double adwin_mean(const struct adwin_part *p) { return p->n > 0 ? p->sum / p->n : 0; }

/* Returns the bound of |mu0 - mu1| for a cut. A larger difference shows a change. */
double adwin_bound(double delta, double variance, double n0, double n1);
/* Checks a window that was read from a snapshot. Returns NULL, or an error message. */
const char *adwin_broken(const struct adwin *a);

#endif
