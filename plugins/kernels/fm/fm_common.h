/* fm_common.h -- what the factorization machines here have in common: examples, losses, steps.
 *
 * A model of order two predicts z from the features a of an example, and learns from its label b by
 * the slope phi'(z) of a loss:
 *
 *   squared    phi = (z - b)^2 / 2           phi' = z - b                  any label: a rating
 *   logistic   phi = log(1 + e^(-b z))       phi' = -b / (1 + e^(b z))     b is -1 or +1
 *   hinge      phi = max(0, 1 - b z)         phi' = -b where b z < 1       b is -1 or +1
 *
 * Features come by number (feature_table.h), each once, values added up (factor_gather). The first
 * double of every feature's row is used for that and is 0 between examples.
 *
 * Limits, so that no finite input makes a state that is not: |a|_1 and |b| are at most FACTOR_MOST
 * (else the example is refused), a slope times its weight is held within FACTOR_SLOPE, and with the
 * squared loss no step goes beyond the example's own label, where plain gradient descent would
 * overshoot and diverge.
 */
#ifndef LEAT_KERNELS_FM_FM_COMMON_H
#define LEAT_KERNELS_FM_FM_COMMON_H

#include <stdint.h>

#include "kernels/base/feature_table.h"

#define FACTOR_ONE                                                                                 \
    0xa11c0f7e5ee1d0e5u /* id of a feature that is 1 in every example, where wanted */
#define FACTOR_MOST  1e10
#define FACTOR_SLOPE 1e15
#define FACTOR_HELD  1e30 /* weights are held within that */

enum factor_loss { FACTOR_SQUARED = 0, FACTOR_LOGISTIC = 1, FACTOR_HINGE = 2 };

struct factor_example {
    const uint32_t *feature; /* distinct */
    const double *x;         /* |x|_1 <= FACTOR_MOST */
    uint32_t n;
    double xx;     /* x'x                       */
    double y;      /* |y| <= FACTOR_MOST        */
    double weight; /* finite, > 0: importance   */
};

/* Add up values of features that repeat: n entries become as many as the result says, in order of
 * appearance, in place; FEATURE_TABLE_NONE is left out. */
uint32_t factor_gather(struct feature_table *t, uint32_t n, uint32_t *feature, double *x);
double factor_square(uint32_t n, const double *x);

/* phi'(z), and the largest phi'' there is (1 for the hinge, which has none). */
double factor_slope(enum factor_loss loss, double z, double y);
double factor_curvature(enum factor_loss loss);

/* v held within +-most; NaN becomes 0. */
static inline double factor_hold(double v, double most)
{
    return v > most ? most : v >= -most ? v : v < -most ? -most : 0.0;
}

/* Rate times weight times slope, for a step that moves z by that much times `reach`: the whole
 * distance to the label at most (squared loss). */
double factor_step(enum factor_loss loss, double rate, double slope, double weight, double reach);

#endif
