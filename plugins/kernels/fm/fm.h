/* fm.h -- shared parts of the factorization machines of this folder: examples, losses, steps
 *
 * A model of order two predicts z from the features a of an example, and learns from its label b by
 * the slope phi'(z) of a loss:
 *
 *   squared    phi = (z - b)^2 / 2           phi' = z - b                  any label: a rating
 *   logistic   phi = log(1 + e^(-b z))       phi' = -b / (1 + e^(b z))     b is -1 or +1
 *   hinge      phi = max(0, 1 - b z)         phi' = -b where b z < 1       b is -1 or +1
 *
 * Features come by number (feature_table.h), each once; fm_gather() adds up the values of a
 * repeated feature. It uses the first double of every feature's row, which is 0 between examples.
 *
 * Limits keep the state finite for every finite input. |a|_1 and |b| are at most FM_MAX_INPUT, and
 * the caller refuses other examples. A slope times its weight is clipped to +-FM_MAX_SLOPE. With
 * the squared loss no step goes beyond the example's own label, where plain gradient descent would
 * overshoot and diverge.
 */
#ifndef LEAT_KERNELS_FM_FM_H
#define LEAT_KERNELS_FM_FM_H

#include <stdint.h>

#include "kernels/base/feature_table.h"
#include "kernels/base/rank.h"

#define FM_ONE        0xa11c0f7e5ee1d0e5u /* optional: id of a feature that is always 1 */
#define FM_MAX_INPUT  1e10
#define FM_MAX_SLOPE  1e15
#define FM_MAX_WEIGHT 1e30 /* limit of a feature's weight */

enum fm_loss { FM_SQUARED = 0, FM_LOGISTIC = 1, FM_HINGE = 2 };

struct fm_example {
    const uint32_t *feature; /* a:  distinct                */
    const double *x;         /*     |x|_1 <= FM_MAX_INPUT   */
    uint32_t n;              /*     entries                 */
    double xx;               /* a'a                         */
    double y;                /* b:  |y| <= FM_MAX_INPUT     */
    double weight;           /* importance: finite, > 0     */
};

/* Adds up the values of repeated features, in place and in order of appearance. Removes entries
 * with FEATURE_TABLE_NONE. Returns the number of remaining entries. */
uint32_t fm_gather(struct feature_table *t, uint32_t n, uint32_t *feature, double *x);
/* Returns x'x. */
double fm_square(uint32_t n, const double *x);

/* fm_slope returns phi'(z). fm_curvature returns h, the largest value of phi'' (1 for the hinge,
 * which has no phi''). */
double fm_slope(enum fm_loss loss, double z, double y);
double fm_curvature(enum fm_loss loss);

/* Returns v clipped to +-max; 0 for NaN. */
static inline double fm_clamp(double v, double max)
{
    return v > max ? max : v >= -max ? v : v < -max ? -max : 0.0;
}

/* Returns the step s = rate * weight * slope, which moves z by s * gain. With the squared loss, z
 * moves to the label at most. */
double fm_step(enum fm_loss loss, double rate, double slope, double weight, double gain);

/* The heaviest pairs of a low-rank form, by blocks.
 *
 * A quadratic form in factors gives the pair (i, j) the weight scale (U_i' U_j - V_i' V_j), where
 * U_i has `plus` numbers and V_i `minus`. pairs_scan() examines all pairs of n features by blocks
 * of products, so it never needs the n x n matrix. If there are too many features, the caller
 * takes the features with the longest columns, because a pair weighs at most scale |column_i|
 * |column_j|. */

enum { PAIRS_BLOCK = 64 };

/* Offers (i, j) for all i < j < n. `columns` is n x (plus + minus), row-major, U_i then V_i.
 * `product` is scratch of PAIRS_BLOCK x n doubles. */
void pairs_scan(struct pairs *p, uint32_t n, uint32_t plus, uint32_t minus, const double *columns,
                double scale, double *product);

#endif
