/* sgd_adaptive.h -- steps with a rate of its own for every weight, however it is stored.
 *
 * At an example with margin z, label y, importance weight c and values x_i, tau = y z:
 *
 *   G    = G + c l'(tau)^2                         over all examples: the accumulator of the bias
 *   a_i  = a_i + c l'(tau)^2 x_i^2                 the accumulator of the weight
 *   s_i  = max(|x_i|, sqrt(a_i / G))               the scale of the feature
 *   u_i  = x_i / s_i  where s_i >= 1,  else  x_i / s_i^(1/4)
 *   M    = mean of sum_i u_i^2 over the examples where it is not 0
 *   r    = rate / sqrt(M)
 *   d_i  = r u_i / sqrt(a_i + 8 x_i^2)             its direction; the bias: rate / sqrt(G + 8)
 *   P    = sum_i d_i x_i                           how fast the margin moves along them
 *   s    = (tau' - tau) / P,  where tau' is what tau becomes in the time c of  dtau/dt = -P l'(tau)
 *   w_i  = w_i + y s d_i
 *
 * u_i / sqrt(a_i) is the direction of AdaGrad (J. Duchi, E. Hazan, Y. Singer, JMLR 2011) for values
 * in units of their scale, as in S. Ross, P. Mineiro, J. Langford, Normalized Online Learning, UAI
 * 2013, who keep the largest value of each feature. Here the scale needs no memory: a_i / G is the
 * mean of x_i^2 over the examples, 0 where the feature is missing, weighted by l'^2. So a feature
 * that is there in few examples has the scale |x_i|. Below 1 scales are only lessened: the small
 * values of a row that was brought to a length on purpose, as of texts, say what counts less. M
 * makes the whole independent of the size of rows. 8 x_i^2 are thirty-two examples of even odds
 * (l'^2 = 1/4), so that the first examples of a rare feature do not decide.
 *
 * s is the step of N. Karampatziakis, J. Langford, Online Importance Weight Aware Updates, UAI
 * 2011: an example of weight c moves the model as c examples of weight 1 along the same directions
 * would, and no step goes past the label, however large the values are, as long as no two entries
 * of the example move the same weight.
 *
 * Values that grow. A value is large when x^2 > SGD_LARGE^2 a_i. A weight that was learned from
 * values like 1 says nothing of a value like 10^6: before the margin is computed it becomes
 * w_i SGD_LARGE sqrt(a_i) / |x_i|, as if a_i had been the scale of the values.
 * As values of that size come again a_i follows them, and they are large no more, but the
 * weight has still to unlearn what the first of them left. So where the scale sqrt(a_i / G)
 * is above 2 a weight is held within SGD_LARGE by that scale: a usual value of the feature
 * moves no margin further.
 *
 * With a half-life accumulators are `grown` times as large (sgd.h).
 */
#ifndef LEAT_KERNELS_LINEAR_SGD_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_SGD_ADAPTIVE_H

#include <float.h>
#include <math.h>

#include "sgd.h"

#define SGD_LARGE 10.0f

/* What an example does to every weight. */
struct sgd_adaptive {
    struct sgd_step step; /* y, alpha, grown and share, as in sgd.h */
    double tau, importance;
    float square;      /* what 1 = x^2 adds to an accumulator: grown c l'^2 */
    float spread;      /* 1 / G                                            */
    float shrunk;      /* 1 / grown                                        */
    float huge, limit; /* FLT_MAX and SGD_LIMIT: of variables, but not of a constant, gcc takes the
                        * lesser in one wide instruction */
};

/* What the entries of an example add up to. {0}: none yet. */
struct sgd_ways {
    double speed; /* P / r        */
    double size;  /* sum of u_i^2 */
};

/* Is an accumulator above this? Then it is that of a column of numbers whose mean square is above
 * SGD_COARSE. Those of tokens are at most G each. */
#define SGD_COARSE 4.0
static inline float sgd_adaptive_coarse(const struct sgd *s)
{
    return (float)(SGD_COARSE * s->bias_sum);
}

/* What a weight is held within, as the clock stands. */
struct sgd_limits {
    float large;  /* a value is large when its square is above this times the accumulator */
    float coarse; /* sgd_adaptive_coarse; where the accumulator a is above it,              */
    float most;   /* w^2 a of a stored weight w is at most this                           */
};

static inline struct sgd_limits sgd_adaptive_limits(const struct sgd *s)
{
    double large = (double)(SGD_LARGE * SGD_LARGE),
           most = large * s->bias_sum / s->alpha / s->alpha;
    return (struct sgd_limits){.large = (float)(large / s->grown),
                               .coarse = sgd_adaptive_coarse(s),
                               .most = (float)(most < (double)FLT_MAX ? most : (double)FLT_MAX)};
}

/* By what a weight is multiplied because of a value: 1, or less for a large one. a: its
 * accumulator; 0: it has learned nothing. */
static inline float sgd_adaptive_lessen(const struct sgd_limits *of, float a, float x)
{
    return x * x > of->large * a && a > 0 ? sqrtf(of->large * a) / fabsf(x) : 1;
}

/* A stored weight, held by the scale of its feature. */
static inline float sgd_adaptive_hold(const struct sgd_limits *of, float w, float a)
{
    return a > of->coarse && w * w * a > of->most ? copysignf(sqrtf(of->most / a), w) : w;
}

/* Both: what a stored weight is for a value. */
static inline float sgd_adaptive_temper(const struct sgd_limits *of, float w, float a, float x)
{
    return sgd_adaptive_hold(of, w, a) * sgd_adaptive_lessen(of, a, x);
}

/* After the margin of an example was computed, as sgd_advance: the clock goes on. */
struct sgd_adaptive sgd_adaptive_begin(struct sgd *s, double margin, int y, double importance,
                                       bool new_record);

/* What an entry adds to the accumulator of its weight. */
static inline float sgd_adaptive_more(const struct sgd_adaptive *e, float x)
{
    float square = x * x;
    float more = e->square * (square < e->huge ? square : e->huge); /* 0 times infinity is no 0 */
    return more < e->limit ? more : e->limit;
}

/* Accumulator of a weight after the example. */
static inline float sgd_adaptive_sum(const struct sgd_adaptive *e, float a, float x)
{
    float sum = a + sgd_adaptive_more(e, x);
    return sum < e->limit ? sum : e->limit;
}

/* u_i, of the accumulator after the example. Within -1 and 1. */
static inline float sgd_adaptive_unit(const struct sgd_adaptive *e, float a, float x)
{
    float scale = sqrtf(a * e->spread), least = fabsf(x) + FLT_MIN;
    scale = scale > least ? scale : least;
    float lessened = sqrtf(sqrtf(scale));
    return x / (scale < 1 ? lessened : scale);
}

/* d_i / r of u_i; 0 where 8 x^2 is no float. */
static inline float sgd_adaptive_along(const struct sgd_adaptive *e, float a, float x, float u)
{
    return u / sqrtf(a * e->shrunk + 8 * (x * x) + FLT_MIN);
}

static inline void sgd_adaptive_add(struct sgd_ways *sum, float d, float x, float u)
{
    sum->speed += (double)d * (double)x;
    sum->size += (double)u * (double)u;
}

/* d_i / r, of the accumulator after the example. */
static inline float sgd_adaptive_direction(const struct sgd_adaptive *e, float a, float x,
                                           struct sgd_ways *sum)
{
    float u = sgd_adaptive_unit(e, a, x), d = sgd_adaptive_along(e, a, x, u);
    sgd_adaptive_add(sum, d, x, u);
    return d;
}

/* The same of n entries: a holds their accumulators before the example, and gets d_i / r. */
struct sgd_ways sgd_adaptive_directions(const struct sgd_adaptive *e, uint32_t n, const float *x,
                                        float *a);

/* All entries are in `sum`. The bias takes its step. Returns y s r / alpha: stored weights move by
 * that times what sgd_adaptive_direction gave. */
float sgd_adaptive_end(struct sgd *s, const struct sgd_adaptive *e, const struct sgd_ways *sum);

/* The clock's part of forgetting: a bias that is learned becomes `share` of what it is, its
 * accumulator `sums` of it, and weights have had the penalty that was pending. */
void sgd_adaptive_forget(struct sgd *s, double share, double sums);

/* (tau' - tau) / P. importance >= 0, P >= 0. */
double sgd_adaptive_path(enum loss_kind loss, double tau, double P, double importance);

#endif
