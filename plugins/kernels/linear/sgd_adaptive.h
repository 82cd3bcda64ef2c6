/* sgd_adaptive.h -- steps of weights that each have their own rate, however they are stored.
 *
 * At an example with margin z, label y, importance weight c and values x_i, tau = y z:
 *
 *   G    = G + c l'(tau)^2                         the accumulator of the bias, over all examples
 *   a_i  = a_i + c l'(tau)^2 x_i^2                 the accumulator of the weight
 *   s_i  = max(|x_i|, sqrt(a_i / G))               the scale of the feature
 *   u_i  = x_i / s_i  where s_i >= 1,  else  x_i / s_i^(1/4)
 *   M    = mean of sum_i u_i^2 over the examples where it is not 0
 *   r    = rate / sqrt(M)
 *   d_i  = r u_i / sqrt(a_i + 8 x_i^2)             the direction; for the bias rate / sqrt(G + 8)
 *   P    = sum_i d_i x_i                           the margin's speed along the directions
 *   s    = (tau' - tau) / P,  where tau' is what tau becomes in the time c of  dtau/dt = -P l'(tau)
 *   w_i  = w_i + y s d_i
 *
 * u_i / sqrt(a_i) is the direction of AdaGrad (J. Duchi, E. Hazan, Y. Singer, JMLR 2011) for values
 * in units of their scale. S. Ross, P. Mineiro, J. Langford, Normalized Online Learning, UAI 2013,
 * store the largest value of each feature as its scale. Here the scale needs no memory: a_i / G is
 * the mean of x_i^2 over all examples, weighted by l'^2, where a missing feature counts as 0. So a
 * rare feature has the scale |x_i|. If the scale is below 1, the value is divided only by the
 * fourth root of the scale, because normalised rows, such as texts, have small values on purpose.
 * Dividing by sqrt(M) makes the steps independent of the number of entries in a row. 8 x_i^2 acts
 * like thirty-two earlier examples with even odds (l'^2 = 1/4), so the first examples of a rare
 * feature do not decide its weight.
 *
 * s is the step of N. Karampatziakis, J. Langford, Online Importance Weight Aware Updates, UAI
 * 2011. An example of weight c moves the model as far as c examples of weight 1 with the same
 * directions. A step never overshoots the label, however large the values are, unless two entries
 * of the example move the same weight.
 *
 * Values that grow. A value is large if x_i^2 > SGD_LARGE^2 a_i. A weight that was learned from
 * values near 1 tells nothing about a value near 10^6. So before the margin is computed for a large
 * value, the weight is reduced to w_i SGD_LARGE sqrt(a_i) / |x_i|. After more such values a_i has
 * grown, so they are no longer large, but the weight may still be far too large for them. So where
 * the scale sqrt(a_i / G) is above 2, |w_i| is limited to SGD_LARGE / scale. A usual value of the
 * feature then moves the margin by at most SGD_LARGE.
 *
 * Example. Rate 1.5, logistic loss, no bias. The first example, the row { 7: 2 } of label +1, has
 * the margin 0 and l' = -1/2. G = 1/4 and a = 1, so the scale is 2, u = 1, M = 1 and r = 1.5. The
 * direction is d = 1.5 / sqrt(1 + 32) = 0.261, and P = 2 d = 0.522. tau' + e^tau' = 1 + P gives
 * tau' = 0.245, so the step is s = 0.245 / 0.522 = 0.469. Feature 7 then weighs s d = 0.122.
 *
 * With a half-life, the stored accumulators and G are `grown` times as large (sgd.h).
 */
#ifndef LEAT_KERNELS_LINEAR_SGD_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_SGD_ADAPTIVE_H

#include <float.h>
#include <math.h>

#include "sgd.h"

#define SGD_LARGE 10.0f

/* Effect of an example on every weight. */
struct sgd_adaptive {
    struct sgd_step step; /* only y, alpha, grown and share are used */
    double tau, importance;
    float square;      /* grown c l'^2, the amount that x = 1 adds to an accumulator */
    float spread;      /* 1 / G                                                      */
    float shrunk;      /* 1 / grown                                                  */
    float huge, limit; /* FLT_MAX and SGD_LIMIT; variables, because gcc vectorises a minimum of
                        * variables but not of constants */
};

/* Sums over the entries of an example. Start with {0}. */
struct sgd_ways {
    double speed; /* P / r of the formulas above */
    double size;  /* sum of u_i^2 */
};

/* A feature whose mean square value a / G is above SGD_COARSE is a column of large numbers. */
#define SGD_COARSE 4.0
/* Accumulator above which a feature is a column of large numbers. A feature whose value is always
 * 1, such as a token, has an accumulator of at most G. */
static inline float sgd_adaptive_coarse(const struct sgd *s)
{
    return (float)(SGD_COARSE * s->bias_sum);
}

/* Limits of weights under the current clock. a is the weight's accumulator. */
struct sgd_limits {
    float large;  /* x is large if x^2 > large * a                                 */
    float coarse; /* sgd_adaptive_coarse()                                         */
    float most;   /* limit of w^2 a for stored weights w whose a is above `coarse` */
};

static inline struct sgd_limits sgd_adaptive_limits(const struct sgd *s)
{
    double large = (double)(SGD_LARGE * SGD_LARGE),
           most = large * s->bias_sum / s->alpha / s->alpha;
    return (struct sgd_limits){.large = (float)(large / s->grown),
                               .coarse = sgd_adaptive_coarse(s),
                               .most = (float)(most < (double)FLT_MAX ? most : (double)FLT_MAX)};
}

/* Returns the factor by which a value x reduces its weight: below 1 if x is large, else 1. a: the
 * weight's accumulator; 0 if the weight has learned nothing. */
static inline float sgd_adaptive_lessen(const struct sgd_limits *of, float a, float x)
{
    return x * x > of->large * a && a > 0 ? sqrtf(of->large * a) / fabsf(x) : 1;
}

/* Returns the stored weight w, limited according to the scale of its feature. */
static inline float sgd_adaptive_hold(const struct sgd_limits *of, float w, float a)
{
    return a > of->coarse && w * w * a > of->most ? copysignf(sqrtf(of->most / a), w) : w;
}

/* Returns the stored weight w to be used with the value x: sgd_adaptive_hold(),
 * then sgd_adaptive_lessen(). */
static inline float sgd_adaptive_temper(const struct sgd_limits *of, float w, float a, float x)
{
    return sgd_adaptive_hold(of, w, a) * sgd_adaptive_lessen(of, a, x);
}

/* Advances the clock by an example whose margin is known, as sgd_advance() does for the
 * other rates. */
struct sgd_adaptive sgd_adaptive_begin(struct sgd *s, double margin, int y, double importance,
                                       bool new_record);

/* Returns the amount that an entry of value x adds to the accumulator of its weight. */
static inline float sgd_adaptive_more(const struct sgd_adaptive *e, float x)
{
    float square = x * x;
    float more = e->square * (square < e->huge ? square : e->huge); /* else 0 * infinity = NaN */
    return more < e->limit ? more : e->limit;
}

/* Returns the accumulator of a weight after the example; a was its accumulator before. */
static inline float sgd_adaptive_sum(const struct sgd_adaptive *e, float a, float x)
{
    float sum = a + sgd_adaptive_more(e, x);
    return sum < e->limit ? sum : e->limit;
}

/* Returns u_i (-1 to 1). a: the accumulator after the example. */
static inline float sgd_adaptive_unit(const struct sgd_adaptive *e, float a, float x)
{
    float scale = sqrtf(a * e->spread), least = fabsf(x) + FLT_MIN;
    scale = scale > least ? scale : least;
    float lessened = sqrtf(sqrtf(scale));
    return x / (scale < 1 ? lessened : scale);
}

/* Returns d_i / r. a: the accumulator after the example; u: u_i. Returns 0 if 8 x^2 overflows. */
static inline float sgd_adaptive_along(const struct sgd_adaptive *e, float a, float x, float u)
{
    return u / sqrtf(a * e->shrunk + 8 * (x * x) + FLT_MIN);
}

static inline void sgd_adaptive_add(struct sgd_ways *sum, float d, float x, float u)
{
    sum->speed += (double)d * (double)x;
    sum->size += (double)u * (double)u;
}

/* Returns d_i / r and adds the entry to `sum`. a: the accumulator after the example. */
static inline float sgd_adaptive_direction(const struct sgd_adaptive *e, float a, float x,
                                           struct sgd_ways *sum)
{
    float u = sgd_adaptive_unit(e, a, x), d = sgd_adaptive_along(e, a, x, u);
    sgd_adaptive_add(sum, d, x, u);
    return d;
}

/* Computes the directions of n entries and returns their sums. In a[i], replaces the accumulator
 * before the example by d_i / r. */
struct sgd_ways sgd_adaptive_directions(const struct sgd_adaptive *e, uint32_t n, const float *x,
                                        float *a);

/* Computes the step s of an example and moves the bias. sum: the sums over all entries. Returns y s
 * r / alpha; the caller adds this times d_i / r to each stored weight. */
float sgd_adaptive_end(struct sgd *s, const struct sgd_adaptive *e, const struct sgd_ways *sum);

/* Forgets part of the clock's state: multiplies a learned bias by `share` and its accumulator by
 * `sums`. The caller has applied the pending L1 penalty to all cells. */
void sgd_adaptive_forget(struct sgd *s, double share, double sums);

/* Returns s = (tau' - tau) / P, where `importance` is c. importance >= 0, P >= 0. */
double sgd_adaptive_path(enum loss_kind loss, double tau, double P, double importance);

#endif
