/* fm_adagrad.c -- factors by AdaGrad. A feature's row:
 *
 *   | fm_gather's | w | acc | v[0 .. k - 1] | acc[0 .. k - 1] |
 */
#include "fm_adagrad.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/mix64.h"

enum { W = 1, ACC = 2, V = 3 };

double fm_adagrad_weight(const struct feature_table *t, uint32_t feature)
{
    return feature_table_row(t, feature)[W];
}

const double *fm_adagrad_factors(const struct feature_table *t, uint32_t feature)
{
    return feature_table_row(t, feature) + V;
}

/* Returns s, the unit of the labels. */
static double fm_adagrad_unit(const struct fm_adagrad *m)
{
    if (m->loss != FM_SQUARED || !(m->square > 0)) return 1;
    int exponent;
    double mean = m->square / m->centre.mass, digits = frexp(sqrt(mean), &exponent);
    return ldexp(1, digits < M_SQRT1_2 ? exponent - 1 : exponent);
}

static void fm_adagrad_init_factors(const struct fm_adagrad *m, const struct feature_table *t,
                                    uint32_t feature)
{
    double *r = feature_table_row(t, feature);
    uint64_t s = mix64(t->id[feature] ^ mix64(m->seed));
    double init = m->init * sqrt(fm_adagrad_unit(m));
    r[ACC] = 1;
    for (uint32_t f = 0; f < m->k; f++) {
        r[V + f] = init * ((double)(mix64_next(&s) >> 11) * 0x1p-52 - 1);
        r[V + m->k + f] = 1;
    }
}

double fm_adagrad_predict(struct fm_adagrad *m, struct feature_table *t, const struct fm_example *e)
{
    double z = bias_centre(&m->centre), pairs = 0;
    assert(t->stride == fm_adagrad_stride(m->k));
    memset(m->sum, 0, m->k * sizeof *m->sum);
    for (uint32_t i = 0; i < e->n; i++) {
        const double *r = feature_table_row(t, e->feature[i]);
        if (r[ACC] == 0) fm_adagrad_init_factors(m, t, e->feature[i]);
        z += r[W] * e->x[i];
        for (uint32_t f = 0; f < m->k; f++) {
            double vx = r[V + f] * e->x[i];
            m->sum[f] += vx;  /* sum_j v_jf x_j */
            pairs -= vx * vx; /* - sum_j v_jf^2 x_j^2 */
        }
    }
    for (uint32_t f = 0; f < m->k; f++)
        pairs += m->sum[f] * m->sum[f];
    return z + pairs / 2;
}

/* Steps a number whose unit is `unit`; gradient: in this unit. */
static void fm_adagrad_step(const struct fm_adagrad *m, double gradient, double unit, double *theta,
                            double *acc)
{
    double g = gradient + m->lambda * (*theta / unit); /* G */
    *acc = fm_clamp(*acc + g * g, 1e200);              /* acc += G^2 */
    double step = unit * (m->rate * g / sqrt(*acc));   /* rate G / sqrt(acc) */
    *theta = fm_clamp(*theta - step, FM_MAX_WEIGHT);
}

/* Counts the label, and the square of its distance from the centre before. */
static void fm_adagrad_count(struct fm_adagrad *m, const struct fm_example *e)
{
    double d = e->y - bias_centre(&m->centre);
    if (m->loss == FM_SQUARED && m->centre.mass > 0) m->square += e->weight * d * d;
    bias_count(&m->centre, e);
}

double fm_adagrad_learn(struct fm_adagrad *m, struct feature_table *t, const struct fm_example *e)
{
    assert(e->weight > 0);
    double z = fm_adagrad_predict(m, t, e);
    double g = fm_clamp(e->weight * fm_slope(m->loss, z, e->y), FM_MAX_SLOPE);
    bool is_first = m->loss == FM_SQUARED && !(m->centre.mass > 0);
    fm_adagrad_count(m, e);
    if (is_first) return z;
    const double s = fm_adagrad_unit(m), root = sqrt(s);
    for (uint32_t i = 0; i < e->n; i++) {
        double *r = feature_table_row(t, e->feature[i]), x = e->x[i];
        fm_adagrad_step(m, g / s * x, s, &r[W], &r[ACC]); /* dz/dw_j = x_j */
        for (uint32_t f = 0; f < m->k; f++)
            fm_adagrad_step(
                m,
                g / s * x * ((m->sum[f] - r[V + f] * x) / root), /* dz/dv_jf = x_j (sum_i v_if x_i -
                                                                  * v_jf x_j) */
                root, &r[V + f], &r[V + m->k + f]);
    }
#ifdef LEAT_CHECKS
    assert(!fm_adagrad_check(m, t));
#endif
    return z;
}

const char *fm_adagrad_check(const struct fm_adagrad *m, const struct feature_table *t)
{
    const char *wrong = bias_check_centre(&m->centre);
    if (wrong) return wrong;
    if (!(m->square >= 0 && isfinite(m->square))) return "square is not 0 or more";
    for (uint32_t i = 0; i < t->n; i++) {
        const double *r = feature_table_row(t, i);
        if (r[ACC] == 0) continue; /* the feature has had no example, so no factors yet */
        if (!(fabs(r[W]) <= FM_MAX_WEIGHT && r[ACC] >= 1)) return "rows has a weight above 1e+30";
        for (uint32_t f = 0; f < m->k; f++)
            if (!(fabs(r[V + f]) <= FM_MAX_WEIGHT && r[V + m->k + f] >= 1))
                return "rows has a factor above its limit";
    }
    return NULL;
}
