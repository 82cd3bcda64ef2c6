/* blend.h -- a prediction made of two: that of the last weights, and that of their average.
 *
 * Long steps follow a stream that changes, and learn rare features soon, but their last weights are
 * noisy. The average over the examples is not, but lags behind. So both predict, and a logistic
 * regression of the two margins learns which of them to follow: no rate has to be chosen.
 *
 *   z = b + sum w_i x_i       last weights
 *   q = c + sum a_i x_i       averages, where the example that brings the sum of importances from
 *                             k to t counts t^3 - k^3 times
 *   s = u z + v q             the prediction; weight i is u w_i + v a_i
 *
 * u and v begin with (1/2, 1/2), and take the steps of an online Newton method with the Hessian of
 * the logistic loss and a ridge of 20. In these steps z and q are limited to +-8.
 *
 * So an example of importance c counts as c examples. Averages are computed when a feature is met:
 * w was the same since its last example, at k, so now, at t, a = w + (a_k - w) (k / t)^3. Before
 * its first example a weight counts as what that example made of it.
 *
 * Sources: B. T. Polyak, A. B. Juditsky, Acceleration of stochastic approximation by averaging,
 * SIAM J. Control Optim. 1992; D. H. Wolpert, Stacked generalization, Neural Networks 1992.
 *
 * Example. w is 1 in the first four examples, and then 3. After example 8 the average is
 * 3 + (1 - 3) (4 / 8)^3 = 2.75.
 */
#ifndef LEAT_KERNELS_LINEAR_BLEND_H
#define LEAT_KERNELS_LINEAR_BLEND_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/loss.h"
#include "sgd.h"

/* Average of a weight up to `since`, a sum of importances; 0: it has none. */
struct blend_past {
    float mean, since;
};

struct blend {
    double part[2];    /* u, v                                          */
    double inverse[3]; /* of the Hessian: (0, 0), (0, 1), (1, 1)        */
    double seen;       /* sum of importances that averages have         */
    double bias;       /* c, up to the last example                     */
};

/* Margins of both predictions. */
struct blend_margins {
    double last, mean;
};

static const double BLEND_RIDGE = 20, BLEND_MOST = 8, BLEND_PART = 1e6;

static inline void blend_begin(struct blend *b, double bias)
{
    *b = (struct blend){{0.5, 0.5}, {1 / BLEND_RIDGE, 0, 1 / BLEND_RIDGE}, 0, bias};
}

/* Returns the average, at the sum `now`, of a weight that is w since its last example. */
static inline float blend_mean(struct blend_past p, float w, float now)
{
    float share = p.since > 0 ? p.since / now : 0;
    return w + (p.mean - w) * (share * share * share);
}

/* Adds an example of importance c, in which the bias was `bias`. Returns the new sum. */
static inline float blend_see(struct blend *b, double c, double bias)
{
    double now = b->seen + c, share = now > 0 ? b->seen / now : 0;
    b->bias = bias + (b->bias - bias) * (share * share * share);
    b->seen = now < (double)SGD_LIMIT ? now : (double)SGD_LIMIT;
    return (float)b->seen;
}

/* False if no model can have it. */
static inline bool blend_is_possible(const struct blend *b)
{
    const double *H = b->inverse;
    return fabs(b->part[0]) <= BLEND_PART && fabs(b->part[1]) <= BLEND_PART && b->seen >= 0 &&
           b->seen <= (double)SGD_LIMIT && fabs(b->bias) <= (double)SGD_LIMIT && H[0] >= 0 &&
           H[2] >= 0 && H[0] <= 1 && H[2] <= 1 && fabs(H[1]) <= 1;
}

static inline double blend_of(const struct blend *b, double last, double mean)
{
    return b->part[0] * last + b->part[1] * mean;
}

static inline double blend_within(double z)
{
    return z > BLEND_MOST ? BLEND_MOST : z < -BLEND_MOST ? -BLEND_MOST : z;
}

/* Learns from an example with label y, -1 or +1, and importance c. */
static inline void blend_learn(struct blend *b, struct blend_margins m, int y, double c)
{
    const double z = blend_within(m.last), q = blend_within(m.mean);
    const double s = blend_of(b, z, q), p = 1 / (1 + loss_exp(-s));
    const double h = c * p * (1 - p), g = c * (p - (y > 0));
    double *const H = b->inverse;
    const double t0 = H[0] * z + H[1] * q, t1 = H[1] * z + H[2] * q;
    const double by = 1 + h * (t0 * z + t1 * q);
    H[0] -= h * t0 * t0 / by;
    H[1] -= h * t0 * t1 / by;
    H[2] -= h * t1 * t1 / by;
    b->part[0] = fmax(-BLEND_PART, fmin(BLEND_PART, b->part[0] - t0 * g / by));
    b->part[1] = fmax(-BLEND_PART, fmin(BLEND_PART, b->part[1] - t1 * g / by));
}

#endif
