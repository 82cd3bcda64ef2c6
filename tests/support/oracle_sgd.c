/* oracle_sgd.c -- the clock of the slow twins; see oracle_sgd.h. */
#include "oracle_sgd.h"

#include <math.h>
#include <stdlib.h>

static double eta_at(const struct sgd_options *opt, uint64_t t)
{
    if (opt->schedule == SGD_SQRT) return opt->eta0 / sqrt(t + 1.0);
    if (opt->schedule == SGD_CONSTANT) return opt->eta0;
    return opt->eta0 / (1 + opt->eta0 * opt->lambda * t);
}

struct oracle_gradient oracle_sgd_advance(struct oracle_sgd *s, const struct sgd_options *opt,
                                          const struct linear_row *row, double z)
{
    struct oracle_gradient d = {.eta = eta_at(opt, s->t), .y = row->y > 0};
    d.g = (double)row->weight * row->y * loss_slope(opt->loss, row->y * z);
    d.curvature = (double)row->weight * loss_curvature(opt->loss, row->y * z);
    s->alpha *= 1 - d.eta * opt->lambda;
    d.share = d.eta * opt->l1 / s->alpha;
    s->t++;
    if (row->new_record) *(row->y > 0 ? &s->plus : &s->minus) += row->weight;
    if (opt->bias == SGD_BIAS_SGD) s->bias -= d.eta * d.g;
    if (opt->bias == SGD_BIAS_PRIOR) s->bias = loss_log((s->plus + 0.5) / (s->minus + 0.5));
    return d;
}

float oracle_sgd_step(const struct oracle_sgd *s, const struct sgd_options *opt,
                      const struct oracle_gradient *d, float x, float *accumulator)
{
    double gx = d->g * x;
    if (opt->rates == SGD_SHARED) return (float)(d->eta * d->g / s->alpha) * x;
    if (opt->rates == SGD_ADAGRAD) {
        *accumulator = (float)(*accumulator + gx * gx);
        return *accumulator > 0 ? (float)(opt->rate * gx / (sqrt(*accumulator) * s->alpha)) : 0;
    }
    *accumulator = (float)(*accumulator + d->curvature * x * x);
    return (float)(opt->rate * gx / ((1 + (double)*accumulator) * s->alpha));
}

bool oracle_sgd_must_fold(const struct oracle_sgd *s, const struct sgd_options *opt)
{
    return s->alpha < SGD_FOLD_BELOW || (opt->l1 > 0 && s->t % SGD_FOLD_PENALTY == 0);
}

float oracle_shrunk(float w, float by)
{
    if (fabsf(w) <= by) return 0;
    return w > 0 ? w - by : w + by;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

float oracle_median(float *v, uint32_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : 0.5f * (v[n / 2 - 1] + v[n / 2]);
}
