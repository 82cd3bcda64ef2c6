/* fm.h -- shared parts of the factorization machines of this folder: examples, losses, steps
 *
 * A model predicts z from the features a of an example and their pairs. It learns from the
 * example's label b by the slope phi'(z) of a loss:
 *
 *   squared    phi = (z - b)^2 / 2           phi' = z - b                  any label: a rating
 *   logistic   phi = log(1 + e^(-b z))       phi' = -b / (1 + e^(b z))     b is -1 or +1
 *   hinge      phi = max(0, 1 - b z)         phi' = -b where b z < 1       b is -1 or +1
 *
 * An example lists each feature once, by its number in feature_table.h. fm_gather() adds up the
 * values of a feature that was listed several times. fm_gather() uses the first double of each
 * feature's row, which is 0 between calls.
 *
 * Limits keep the state finite for every finite input. |a|_1 and |b| are at most FM_MAX_INPUT; the
 * caller refuses other examples. A slope times its importance weight is limited to +-FM_MAX_SLOPE.
 * With the squared loss, a step moves the example's prediction at most to its label. Plain gradient
 * descent would overshoot and diverge.
 */
#ifndef LEAT_KERNELS_FM_FM_H
#define LEAT_KERNELS_FM_FM_H

#include <stdint.h>

#include "kernels/base/feature_table.h"
#include "kernels/base/rank.h"

#define FM_ONE        0xa11c0f7e5ee1d0e5u /* id of a feature that is 1 in every example; optional */
#define FM_MAX_INPUT  1e10
#define FM_MAX_SLOPE  1e15
#define FM_MAX_WEIGHT 1e30 /* limit of a feature's weight */

enum fm_loss { FM_SQUARED = 0, FM_LOGISTIC = 1, FM_HINGE = 2 };

struct fm_example {
    const uint32_t *feature; /* a: numbers of distinct features    */
    const double *x;         /* a: values, |x|_1 <= FM_MAX_INPUT   */
    uint32_t n;              /* a: number of entries               */
    double xx;               /* a'a, the square of the length of a */
    double y;                /* label b: |y| <= FM_MAX_INPUT       */
    double weight;           /* importance: finite, > 0            */
};

/* Adds up the values of features that occur several times. Works in place, in the order of first
 * occurrence. Drops entries with FEATURE_TABLE_NONE. Returns the number of entries that remain. */
uint32_t fm_gather(struct feature_table *t, uint32_t n, uint32_t *feature, double *x);
/* Returns x'x. */
double fm_square(uint32_t n, const double *x);

/* fm_slope() returns phi'(z). fm_curvature() returns h, the largest value of the second derivative
 * phi''; for the hinge loss, which has none, it returns 1. */
double fm_slope(enum fm_loss loss, double z, double y);
double fm_curvature(enum fm_loss loss);

/* Returns v limited to -max .. max; 0 if v is NaN. */
static inline double fm_clamp(double v, double max)
{
    return v > max ? max : v >= -max ? v : v < -max ? -max : 0.0;
}

/* Returns the step s = rate * weight * slope; the caller's step moves z by -s * gain. With the
 * squared loss, s is reduced so that z moves at most to the label. */
double fm_step(enum fm_loss loss, double rate, double slope, double weight, double gain);

/* Heaviest pairs of a low-rank form.
 *
 * A quadratic form in factors gives the pair (i, j) the weight scale (U_i' U_j - V_i' V_j), where
 * U_i has `plus` numbers and V_i `minus`. pairs_scan() examines all pairs of n features in blocks
 * of matrix products, so it never needs the whole n x n matrix. If there are too many features, the
 * caller passes those with the longest columns, because a pair weighs at most scale |column_i|
 * |column_j|. */

enum { PAIRS_BLOCK = 64 };

/* Offers all pairs (i, j), i < j < n, to p. `columns` is n x (plus + minus), row-major: U_i, then
 * V_i. `product` is scratch for PAIRS_BLOCK x n doubles. */
void pairs_scan(struct pairs *p, uint32_t n, uint32_t plus, uint32_t minus, const double *columns,
                double scale, double *product);

#endif
