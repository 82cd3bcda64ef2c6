/* sgd_adaptive.h -- steps with a rate of its own for every weight, however it is stored.
 *
 * At an example with margin z, label y, importance weight c and values x_i (the bias has the value
 * 1), tau = y z:
 *
 *   M    = mean over the examples of sum_i min(1, x_i^2)
 *   r    = rate / sqrt(max(1, M))
 *   a_i  = a_i + c l'(tau)^2 x_i^2                 the accumulator of the weight
 *   d_i  = r x_i / sqrt(a_i + 4 x_i^2)             its direction
 *   P    = sum_i d_i x_i                           how fast the margin moves along them
 *   s    = (tau' - tau) / P,  where tau' is what tau becomes in the time c of  dtau/dt = -P l'(tau)
 *   w_i  = w_i + y s d_i
 *
 * The directions are those of AdaGrad (J. Duchi, E. Hazan, Y. Singer, JMLR 2011), with sixteen
 * examples of even odds (l'^2 = 1/4) added, so that the first examples of a rare feature do not
 * decide. s is the step of N. Karampatziakis, J. Langford, Online Importance Weight Aware Updates,
 * UAI 2011: an example of weight c moves the model as c examples of weight 1 along the same
 * directions would, and no step goes past the label, however large the values are, as long as no
 * two entries of the example move the same weight. r is the part of the normalisation of S. Ross,
 * P. Mineiro, J. Langford (UAI 2013) that needs nothing by feature: rows of many entries take
 * smaller steps.
 *
 * Values that grow. A value is large when x^2 > SGD_LARGE^2 a_i. A weight that was learned from
 * values like 1 says nothing of a value like 10^6: before the margin is computed it becomes
 * w_i SGD_LARGE sqrt(a_i) / |x_i|, as if a_i had been the scale of the values.
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
    float square; /* what 1 = x^2 adds to an accumulator: grown c l'^2 */
    float rate;   /* r                                                */
    float shrunk; /* 1 / grown                                        */
};

/* min(1, x^2) */
static inline float sgd_adaptive_size(float x)
{
    float square = x * x;
    return square < 1 ? square : 1;
}

/* A value is large when its square is above this times the accumulator. */
static inline float sgd_adaptive_large(const struct sgd *s)
{
    return SGD_LARGE * SGD_LARGE / (float)s->grown;
}

/* By what a weight is multiplied because of a value: 1, or less for a large one. a: its accumulator;
 * 0: it has learned nothing. large: sgd_adaptive_large. */
static inline float sgd_adaptive_temper(float large, float a, float x)
{
    return x * x > large * a && a > 0 ? sqrtf(large * a) / fabsf(x) : 1;
}

/* After the margin of an example was computed, as sgd_advance: the clock goes on. size: the sum of
 * sgd_adaptive_size over its entries. */
struct sgd_adaptive sgd_adaptive_begin(struct sgd *s, double margin, int y, double importance,
                                       bool new_record, double size);

/* What an entry adds to the accumulator of its weight. */
static inline float sgd_adaptive_more(const struct sgd_adaptive *e, float x)
{
    float square = x * x;
    float more = e->square * (square < FLT_MAX ? square : FLT_MAX); /* 0 times infinity is no 0 */
    return more < SGD_LIMIT ? more : SGD_LIMIT;
}

/* Accumulator of a weight after the example. */
static inline float sgd_adaptive_sum(const struct sgd_adaptive *e, float a, float x)
{
    float sum = a + sgd_adaptive_more(e, x);
    return sum < SGD_LIMIT ? sum : SGD_LIMIT;
}

/* d_i, of the accumulator after the example; 0 where 4 x^2 is no float. */
static inline float sgd_adaptive_direction(const struct sgd_adaptive *e, float a, float x)
{
    return e->rate * (x / sqrtf(a * e->shrunk + 4 * (x * x) + FLT_MIN));
}

/* P is the sum of d_i x_i over the entries; the bias is added here, and takes its step. Returns
 * y s / alpha: stored weights move by that times d_i. */
float sgd_adaptive_end(struct sgd *s, const struct sgd_adaptive *e, double P);

/* (tau' - tau) / P. importance >= 0, P >= 0. */
double sgd_adaptive_path(enum loss_kind loss, double tau, double P, double importance);

#endif
