/* sgd_adaptive.c -- steps of adaptive rates, and their loss paths; implements sgd_adaptive.h. */
#include "sgd_adaptive.h"

#include <assert.h>
#include <string.h>

#include "core/exp.h"

/* Keeps two loops in separate functions. In one function, gcc would keep the sums of one loop in
 * memory to have registers for the constants of the other. */
#define NOINLINE __attribute__((noinline))

/* ---- solutions of dtau/dt = -P l'(tau) ---- */

/* Solves u + e^u = a, where -EXP_LIMIT < a < e^EXP_LIMIT, by Newton's method. The start is chosen
 * such that u falls to the root. */
static double solve(double a)
{
    double u = a > 1 ? exp_log(a) : a < 0 ? a : 0;
    for (int k = 0; k < 32; k++) {
        double e = exp_within(u), d = (u + e - a) / (1 + e);
        u -= d;
        if (fabs(d) <= 1e-13 * (1 + fabs(u))) break;
    }
    return u;
}

/* If P c is below SHORT, l' is nearly constant along the path, and the difference tau' - tau would
 * lose digits. */
static const double SHORT = 1e-5;
static const double SURE = 15; /* above this margin, tau is negligible compared with e^tau */
static const double LOST = 40; /* below -LOST, e^tau is negligible compared with 1         */

static double logistic_path(double tau, double P, double c)
{
    if (P * c < SHORT) return -c * loss_slope(LOSS_LOGISTIC, tau);
    if (tau > SURE) return loss_log1pexp(loss_log(P * c) - tau) / P; /* e^tau' = e^tau + P c */
    if (tau + P * c < -LOST) return c;                               /* l' = -1 all the way */
    return (solve(tau + loss_exp(tau) + P * c) - tau) / P; /* tau' + e^tau' = tau + e^tau + P c */
}

/* The quadratic loss, l' = tau - 1: 1 - tau falls by the factor e^(-P c). */
static double quadratic_path(double tau, double P, double c)
{
    if (P * c < SHORT) return c * (1 - tau);
    return (1 - tau) * (1 - loss_exp(-P * c)) / P;
}

/* The smoothed hinge loss: l' is -1 for tau < 0, tau - 1 from 0 to 1, and 0 above. */
static double hinge_path(double tau, double P, double c)
{
    if (tau >= 1) return 0;
    if (tau >= 0) return quadratic_path(tau, P, c);
    double to_0 = P > 0 ? -tau / P : c;
    if (to_0 >= c) return c;
    return to_0 + quadratic_path(0, P, c - to_0);
}

double sgd_adaptive_path(enum loss_kind loss, double tau, double P, double importance)
{
    switch (loss) {
    case LOSS_SMOOTHED_HINGE:
        return hinge_path(tau, P, importance);
    case LOSS_SQUARED:
        return quadratic_path(tau, P, importance);
    case LOSS_LOGISTIC:
        break;
    }
    return logistic_path(tau, P, importance);
}

/* ---- an example ---- */

/* Limit a number. Written out because fmin and fmax would be calls, a dozen for each example. */
static double sgd_adaptive_at_most(double v, double limit) { return v < limit ? v : limit; }
static double at_least(double v, double limit) { return v > limit ? v : limit; }
static double sgd_adaptive_held(double v)
{
    return at_least(sgd_adaptive_at_most(v, (double)SGD_LIMIT), -(double)SGD_LIMIT);
}

struct sgd_adaptive sgd_adaptive_begin(struct sgd *s, double margin, int y, double importance,
                                       bool new_record)
{
    struct sgd_adaptive e = {.tau = y > 0 ? margin : -margin,
                             .importance = importance,
                             .huge = FLT_MAX,
                             .limit = SGD_LIMIT};
    double slope = loss_slope(s->opt.loss, e.tau);
    e.step = sgd_tick(s, y, importance, new_record);
    e.square = sgd_clamp(
        (float)sgd_adaptive_at_most(s->grown * importance * slope * slope, (double)SGD_LIMIT));
    e.shrunk = (float)(1 / s->grown);
    s->bias_sum = sgd_adaptive_at_most(s->bias_sum + (double)e.square, (double)SGD_LIMIT); /* G */
    e.spread = (float)(1 / (s->bias_sum + (double)FLT_MIN));
    return e;
}

/* WIDE: entries that the compiler handles with one vector instruction. BLOCK: entries whose terms
 * of both sums are stored before the terms are added up. */
enum { WIDE = 8, BLOCK = 64 };

/* Each entry's terms of the sums in struct sgd_ways. */
struct terms {
    double speed[BLOCK], size[BLOCK];
};

/* Computes n directions, n = WIDE .. BLOCK. If n is not a multiple of WIDE, the last WIDE entries
 * overlap the group before and some are computed twice. */
static NOINLINE void directions_wide(const struct sgd_adaptive *e, uint32_t n,
                                     const float *restrict x, float *restrict a,
                                     struct terms *restrict of)
{
    const struct sgd_adaptive by = *e;
    float last[WIDE], before[WIDE];
    memcpy(last, a + n - WIDE, sizeof last);
    for (uint32_t i = 0; i < n; i += WIDE) {
        uint32_t from = i + WIDE <= n ? i : n - WIDE;
        const float *const xs = x + from;
        float *const as = a + from;
        double *const speed = of->speed + from, *const size = of->size + from;
        memcpy(before, from == i ? as : last, sizeof before);
        for (int k = 0; k < WIDE; k++) {
            float sum = sgd_adaptive_sum(&by, before[k], xs[k]);
            float u = sgd_adaptive_unit(&by, sum, xs[k]);
            float d = as[k] = sgd_adaptive_along(&by, sum, xs[k], u);
            speed[k] = (double)d * (double)xs[k];
            size[k] = (double)u * (double)u;
        }
    }
}

/* Both sums of struct sgd_ways: { speed, size }. */
typedef double pair __attribute__((vector_size(16)));

static NOINLINE pair sgd_adaptive_add_up(pair sum, uint32_t n, const struct terms *of)
{
    for (uint32_t k = 0; k < n; k++)
        sum += (pair){of->speed[k], of->size[k]};
    return sum;
}

struct sgd_ways sgd_adaptive_directions(const struct sgd_adaptive *e, uint32_t n, const float *x,
                                        float *a)
{
    pair sum = {0, 0};
    struct terms of;
    while (n >= WIDE) {
        uint32_t m = n < BLOCK ? n : BLOCK;
        directions_wide(e, m, x, a, &of);
        sum = sgd_adaptive_add_up(sum, m, &of);
        n -= m, x += m, a += m;
    }
    struct sgd_ways ways = {sum[0], sum[1]};
    for (uint32_t k = 0; k < n; k++)
        a[k] = sgd_adaptive_direction(e, sgd_adaptive_sum(e, a[k], x[k]), x[k], &ways);
    return ways;
}

/* Adds an example's sum_i u_i^2 to M and returns r. */
static double rate_of(struct sgd *s, double size)
{
    static const double LEAST = 1e-12;
    s->size += size;
    s->sized += size > 0;
    double mean = s->size / at_least(s->sized, 1);
    return s->opt.rate / sqrt(at_least(mean, LEAST));
}

float sgd_adaptive_end(struct sgd *s, const struct sgd_adaptive *e, const struct sgd_ways *sum)
{
    double r = rate_of(s, sum->size), P = r * sum->speed;
    double along = s->opt.rate / sqrt(s->bias_sum * (double)e->shrunk + 8);
    bool learns_bias = s->opt.bias == SGD_BIAS_SGD;
    if (learns_bias) P += along;
    double way = sgd_adaptive_path(s->opt.loss, e->tau, P, e->importance);
    double ys = e->step.y ? way : -way;
    if (learns_bias) s->bias = sgd_adaptive_held(s->bias + ys * along);
    return (float)sgd_adaptive_held(ys * r / e->step.alpha);
}

void sgd_adaptive_forget(struct sgd *s, double share, double sums)
{
    if (s->opt.bias == SGD_BIAS_SGD) s->bias *= share;
    s->bias_sum *= sums;
    s->l1_applied = s->penalty;
}
