/* adwin.h -- ADWIN: a window over numbers of [0, 1] that drops its older part when its mean has
 * changed.
 *
 * Of every cut of the window into an older part of n0 numbers and a newer one of n1, the means mu0
 * and mu1 are compared; the older part is dropped while somewhere
 *
 *   |mu0 - mu1| > sqrt(2/m var ln(2/d')) + 2/(3 m) ln(2/d'),
 *                                               1/m = 1/n0 + 1/n1,  d' = delta / ln n
 *
 * where var is the variance of the window and n its length. A stream without a change loses numbers
 * at a check with a chance of at most about delta; after a change the mean is that of the new
 * numbers as soon as there are enough of them to tell.
 *
 * The window is kept as an exponential histogram: buckets of 1, 2, 4, … numbers, at most
 * ADWIN_BUCKETS of each size, the oldest ones the largest. Cuts are looked for between buckets, and
 * what is dropped is the oldest bucket, again and again.
 *
 *   level 2: [4][4]   level 1: [2][2][2]   level 0: [1][1][1][1]      oldest to newest
 *
 * A number costs O(1) on average; a check costs O(log n), and the caller decides how often. Parts
 * of fewer than ADWIN_MIN numbers are not compared.
 *
 * Source: A. Bifet, R. Gavaldà, Learning from time-changing data with adaptive windowing, SDM 2007
 * (ADWIN2, with the bound by the variance).
 */
#ifndef LEAT_KERNELS_DRIFT_ADWIN_H
#define LEAT_KERNELS_DRIFT_ADWIN_H

#include <stdbool.h>
#include <stdint.h>

enum { ADWIN_BUCKETS = 5, ADWIN_LEVELS = 56, ADWIN_MIN = 5 };

/* Numbers, their sum, and the sum of the squares of their differences to their mean. */
struct adwin_part {
    double n, sum, square;
};

/* Bucket b of level l, the oldest first, holds 2^l numbers. Level l has used[l] of them. */
struct adwin {
    double delta;
    uint32_t used[ADWIN_LEVELS];
    double sum[ADWIN_LEVELS][ADWIN_BUCKETS + 1], square[ADWIN_LEVELS][ADWIN_BUCKETS + 1];
};

/* An empty window; 0 < delta < 1. */
void adwin_init(struct adwin *a, double delta);
/* x of [0, 1] */
void adwin_add(struct adwin *a, double x);
/* What a check has found, at the cut whose means differ most for their bound. */
struct adwin_change {
    double dropped;       /* numbers that left the window     */
    double newer;         /* numbers after the cut            */
    double before, after; /* means of the two parts           */
};

/* Drops numbers from the old end while some cut shows a change. true: *change is what there was. A
 * large change is mostly found before the window can forget all of what was before it: then later
 * checks drop more, and their cuts are at about the same place. */
bool adwin_check(struct adwin *a, struct adwin_change *change);
struct adwin_part adwin_window(const struct adwin *a);

static inline double adwin_mean(const struct adwin_part *p) { return p->n > 0 ? p->sum / p->n : 0; }

/* What the means of parts of n0 and n1 numbers may differ by. */
double adwin_bound(double delta, double variance, double n0, double n1);
/* NULL, or what is wrong with numbers that were read. */
const char *adwin_broken(const struct adwin *a);

#endif
