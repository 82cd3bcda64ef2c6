/* sgd.c -- rates, decay, bias and counts of a linear learner; see sgd.h. */
#include "plugins/kernels/sgd.h"

#include <math.h>

void sgd_init(struct sgd *s, const struct sgd_options *opt)
{
    *s = (struct sgd){.opt = *opt, .alpha = 1.0};
    if (s->opt.rate == 0) s->opt.rate = opt->rates == SGD_ADAGRAD ? 0.5 : 1.0;
}

static double eta_at(const struct sgd_options *o, uint64_t t)
{
    switch (o->schedule) {
    case SGD_SQRT:
        return o->eta0 / sqrt((double)t + 1.0);
    case SGD_CONSTANT:
        return o->eta0;
    case SGD_INVERSE:
        break;
    }
    return o->eta0 / (1.0 + o->eta0 * o->lambda * (double)t);
}

static double clamp(double v)
{
    double limit = (double)SGD_LIMIT;
    return v > limit ? limit : v < -limit ? -limit : v;
}

static void move_bias(struct sgd *s, double step)
{
    if (s->opt.bias == SGD_BIAS_SGD) s->bias = clamp(s->bias - step);
}

static void count_record(struct sgd *s, int y, double weight)
{
    s->records[y]++;
    s->mass[y] += weight;
    if (s->opt.bias == SGD_BIAS_PRIOR) s->bias = loss_log((s->mass[1] + 0.5) / (s->mass[0] + 0.5));
}

struct sgd_step sgd_advance(struct sgd *s, double margin, int y, double weight, bool new_record)
{
    const struct sgd_options *o = &s->opt;
    double tau = y > 0 ? margin : -margin;
    double eta = eta_at(o, s->t);
    struct sgd_step step = {.y = y > 0};
    step.g = weight * y * loss_slope(o->loss, tau);
    if (o->rates == SGD_NEWTON) step.curvature = weight * loss_curvature(o->loss, tau);
    s->alpha *= 1.0 - eta * o->lambda;
    step.alpha = s->alpha;
    step.u = (float)clamp(eta * step.g / s->alpha);
    if (o->l1 > 0) step.share = eta * o->l1 / s->alpha;
    s->t++;
    if (new_record) count_record(s, step.y, weight);
    move_bias(s, eta * step.g);
    return step;
}

float sgd_own_step(const struct sgd_options *opt, const struct sgd_step *step, float x, float *a)
{
    double gx = step->g * (double)x, d;
    if (opt->rates == SGD_ADAGRAD) {
        *a = sgd_clamp((float)clamp((double)*a + gx * gx));
        d = sqrt((double)*a);
    } else {
        *a = sgd_clamp((float)clamp((double)*a + step->curvature * (double)x * (double)x));
        d = 1.0 + (double)*a;
    }
    return d > 0 ? (float)clamp(opt->rate * gx / (d * step->alpha)) : 0.0f;
}

struct sgd_common sgd_common(double bias, double strength)
{
    double b = bias < -30 ? -30 : bias > 30 ? 30 : bias, odds = loss_exp(b);
    return (struct sgd_common){b, strength * odds / (1.0 + odds), strength / (1.0 + odds)};
}

double sgd_log_odds_ratio(uint32_t n1, uint32_t n0, const struct sgd_common *c)
{
    return loss_log(((double)n1 + c->positive) / ((double)n0 + c->negative)) - c->bias;
}

double sgd_relative_risk(uint64_t n11, uint64_t n10, uint64_t N1, uint64_t N0)
{
    double a = (double)n11, b = (double)n10;
    double c = N1 > n11 ? (double)(N1 - n11) : 0, d = N0 > n10 ? (double)(N0 - n10) : 0;
    if (a == 0 || b == 0 || c == 0 || d == 0) a += 0.5, b += 0.5, c += 0.5, d += 0.5;
    return a / (a + b) / (c / (c + d));
}
