/* bias.c -- a centre and own rates; see bias.h. */
#include "bias.h"

#include <math.h>

#include "kernels/base/loss.h"

enum { WEIGHT, EXAMPLES, SQUARES };

static double *own(const struct bias *b, const struct feature_table *t, uint32_t feature)
{
    return feature_table_row(t, feature) + b->offset;
}

double bias_weight(const struct bias *b, const struct feature_table *t, uint32_t feature)
{
    return own(b, t, feature)[WEIGHT];
}

double bias_centre(const struct bias *b)
{
    if (b->loss == FACTOR_LOGISTIC)
        return loss_log((b->mass + b->sum + 1) / (b->mass - b->sum + 1));
    return b->mass > 0 ? b->sum / b->mass : 0.0;
}

double bias_predict(const struct bias *b, const struct feature_table *t,
                    const struct factor_example *e)
{
    double z = bias_centre(b);
    for (uint32_t i = 0; i < e->n; i++)
        z += own(b, t, e->feature[i])[WEIGHT] * e->x[i];
    return z;
}

/* What a slope of 1 moves the weight of a feature with these doubles by, per unit of x. */
static double rate_of(const struct bias *b, const double *f)
{
    double n = f[EXAMPLES], s = f[SQUARES], window = n - 1 < BIAS_WINDOW ? n - 1 : BIAS_WINDOW;
    return s > 0 ? n / (factor_curvature(b->loss) * s * (BIAS_PRIOR + window)) : 0.0;
}

void bias_count(struct bias *b, const struct factor_example *e)
{
    b->mass += e->weight;
    b->sum += e->weight * e->y;
}

void bias_learn(struct bias *b, struct feature_table *t, const struct factor_example *e, double z)
{
    double reach = 0, h = factor_curvature(b->loss);
    for (uint32_t i = 0; i < e->n; i++) {
        double *f = own(b, t, e->feature[i]), xx = e->x[i] * e->x[i];
        f[EXAMPLES]++;
        f[SQUARES] += xx;
        reach += rate_of(b, f) * xx * h;
    }
    double weight = e->weight * reach > 1 ? 1 / reach : e->weight;
    double g = factor_hold(weight * factor_slope(b->loss, z, e->y), FACTOR_SLOPE);
    for (uint32_t i = 0; i < e->n; i++) {
        double *f = own(b, t, e->feature[i]);
        f[WEIGHT] = factor_hold(f[WEIGHT] - rate_of(b, f) * g * e->x[i], FACTOR_HELD);
    }
    bias_count(b, e);
}

/* ---- states ---- */

void bias_merge_feature(const struct bias *b, double *row, const double *other, double count)
{
    double *f = row + b->offset, na = f[EXAMPLES], nb = count * other[b->offset + EXAMPLES];
    if (nb == 0) return;
    f[WEIGHT] = (na * f[WEIGHT] + nb * other[b->offset + WEIGHT]) / (na + nb);
    f[EXAMPLES] = na + nb;
    f[SQUARES] += count * other[b->offset + SQUARES];
}

void bias_merge_centre(struct bias *b, const struct bias *other, double count)
{
    b->mass += count * other->mass;
    b->sum += count * other->sum;
}

const char *bias_check(const struct bias *b, const struct feature_table *t)
{
    if (!(b->mass >= 0 && isfinite(b->mass))) return "the examples' weights are out of range";
    if (!(fabs(b->sum) <= b->mass * FACTOR_MOST)) return "the mean label is out of range";
    for (uint32_t i = 0; i < t->n; i++) {
        const double *f = own(b, t, i);
        if (!(fabs(f[WEIGHT]) <= FACTOR_HELD)) return "a weight is out of range";
        if (!(f[EXAMPLES] >= 0) || !(f[SQUARES] >= 0)) return "a feature is counted wrongly";
    }
    return NULL;
}
