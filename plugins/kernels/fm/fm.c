/* fm.c -- see fm.h. A row: scratch of factor_gather, w, accumulator, v[k], accumulators[k]. */
#include "fm.h"

#include <math.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "base/mix64.h"

enum { W = 1, ACC = 2, V = 3 };

double fm_weight(const struct feature_table *t, uint32_t feature)
{
    return feature_table_row(t, feature)[W];
}

const double *fm_factors(const struct feature_table *t, uint32_t feature)
{
    return feature_table_row(t, feature) + V;
}

static void begin(const struct fm *m, const struct feature_table *t, uint32_t feature)
{
    double *r = feature_table_row(t, feature);
    uint64_t s = mix64(t->id[feature] ^ mix64(m->seed));
    r[ACC] = 1;
    for (uint32_t f = 0; f < m->k; f++) {
        r[V + f] = m->init * ((double)(mix64_next(&s) >> 11) * 0x1p-52 - 1);
        r[V + m->k + f] = 1;
    }
}

double fm_predict(struct fm *m, struct feature_table *t, const struct factor_example *e)
{
    double z = bias_centre(&m->centre), pairs = 0;
    memset(m->sum, 0, m->k * sizeof *m->sum);
    for (uint32_t i = 0; i < e->n; i++) {
        const double *r = feature_table_row(t, e->feature[i]);
        if (r[ACC] == 0) begin(m, t, e->feature[i]);
        z += r[W] * e->x[i];
        for (uint32_t f = 0; f < m->k; f++) {
            double vx = r[V + f] * e->x[i];
            m->sum[f] += vx;
            pairs -= vx * vx;
        }
    }
    for (uint32_t f = 0; f < m->k; f++)
        pairs += m->sum[f] * m->sum[f];
    return z + pairs / 2;
}

static void step(const struct fm *m, double gradient, double *theta, double *acc)
{
    double g = gradient + m->lambda * *theta;
    *acc = factor_hold(*acc + g * g, 1e200);
    *theta = factor_hold(*theta - m->rate * g / sqrt(*acc), FACTOR_HELD);
}

double fm_learn(struct fm *m, struct feature_table *t, const struct factor_example *e)
{
    double z = fm_predict(m, t, e);
    double g = factor_hold(e->weight * factor_slope(m->loss, z, e->y), FACTOR_SLOPE);
    for (uint32_t i = 0; i < e->n; i++) {
        double *r = feature_table_row(t, e->feature[i]), x = e->x[i];
        step(m, g * x, &r[W], &r[ACC]);
        for (uint32_t f = 0; f < m->k; f++)
            step(m, g * x * (m->sum[f] - r[V + f] * x), &r[V + f], &r[V + m->k + f]);
    }
    bias_count(&m->centre, e);
    return z;
}

const char *fm_check(const struct fm *m, const struct feature_table *t)
{
    if (!(m->centre.mass >= 0 && isfinite(m->centre.mass)))
        return "the examples' weights are out of range";
    if (!(fabs(m->centre.sum) <= m->centre.mass * FACTOR_MOST))
        return "the mean label is out of range";
    for (uint32_t i = 0; i < t->n; i++) {
        const double *r = feature_table_row(t, i);
        if (r[ACC] == 0) continue; /* never learned from: as it was made */
        if (!(fabs(r[W]) <= FACTOR_HELD && r[ACC] >= 1)) return "a weight is out of range";
        for (uint32_t f = 0; f < m->k; f++)
            if (!(fabs(r[V + f]) <= FACTOR_HELD && r[V + m->k + f] >= 1))
                return "a factor is out of range";
    }
    return NULL;
}
