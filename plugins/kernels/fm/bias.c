/* bias.c -- implementation of bias.h */
#include "bias.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/loss.h"

enum { WEIGHT, EXAMPLES, SQUARES };

static double *bias_numbers_of(const struct bias *b, const struct feature_table *t,
                               uint32_t feature)
{
    return feature_table_row(t, feature) + b->offset;
}

double bias_weight(const struct bias *b, const struct feature_table *t, uint32_t feature)
{
    return bias_numbers_of(b, t, feature)[WEIGHT];
}

double bias_centre(const struct bias *b)
{
    if (b->loss == FM_LOGISTIC)
        return loss_log((b->mass + b->sum + 1) /
                        (b->mass - b->sum + 1)); /* log (n1 + .5)/(n0 + .5) */
    return b->mass > 0 ? b->sum / b->mass : 0.0; /* mean label */
}

double bias_predict(const struct bias *b, const struct feature_table *t, const struct fm_example *e)
{
    double z = bias_centre(b);
    for (uint32_t i = 0; i < e->n; i++)
        z += bias_numbers_of(b, t, e->feature[i])[WEIGHT] * e->x[i];
    return z;
}

/* Returns how far a slope of 1 moves the weight of a feature per unit of x. f: the feature's
 * BIAS_STRIDE numbers. */
static double bias_rate_of(const struct bias *b, const double *f)
{
    double n = f[EXAMPLES], s = f[SQUARES], window = n - 1 < BIAS_WINDOW ? n - 1 : BIAS_WINDOW;
    return s > 0 ? n / (fm_curvature(b->loss) * s * (BIAS_PRIOR + window))
                 : 0.0; /* f[SQUARES] is the sum of n squares: n times the mean square */
}

void bias_count(struct bias *b, const struct fm_example *e)
{
    b->mass += e->weight;
    b->sum += e->weight * e->y;
}

void bias_learn(struct bias *b, struct feature_table *t, const struct fm_example *e, double z)
{
    double gain = 0, h = fm_curvature(b->loss);
    assert(e->weight > 0);
    for (uint32_t i = 0; i < e->n; i++) {
        double *f = bias_numbers_of(b, t, e->feature[i]), xx = e->x[i] * e->x[i];
        f[EXAMPLES]++;
        f[SQUARES] += xx;
        gain += bias_rate_of(b, f) * xx * h; /* fraction of z's way to the label in one step */
    }
    double weight = e->weight * gain > 1 ? 1 / gain : e->weight;
    double g = fm_clamp(weight * fm_slope(b->loss, z, e->y), FM_MAX_SLOPE);
    for (uint32_t i = 0; i < e->n; i++) {
        double *f = bias_numbers_of(b, t, e->feature[i]);
        f[WEIGHT] =
            fm_clamp(f[WEIGHT] - bias_rate_of(b, f) * g * e->x[i], FM_MAX_WEIGHT); /* w -= r g x */
    }
    bias_count(b, e);
#ifdef LEAT_CHECKS
    assert(!bias_check(b, t));
#endif
}

/* ---- merges and checks ---- */

static void bias_merge_feature(const struct bias *b, double *row, const double *other, double count)
{
    double *f = row + b->offset, na = f[EXAMPLES], nb = count * other[b->offset + EXAMPLES];
    if (nb == 0) return;
    double mean = (na * f[WEIGHT] + nb * other[b->offset + WEIGHT]) / (na + nb);
    f[WEIGHT] = fm_clamp(mean, FM_MAX_WEIGHT); /* rounding may lift |mean| above the limit */
    f[EXAMPLES] = na + nb;
    f[SQUARES] += count * other[b->offset + SQUARES];
}

void bias_merge_features(const struct bias *b, const struct feature_table *t,
                         const struct feature_table *other, const uint32_t *number, double count)
{
    for (uint32_t j = 0; j < other->n; j++)
        bias_merge_feature(b, feature_table_row(t, number ? number[j] : j),
                           feature_table_row(other, j), count);
}

void bias_merge_centre(struct bias *b, const struct bias *other, double count)
{
    b->mass += count * other->mass;
    b->sum += count * other->sum;
}

const char *bias_check_centre(const struct bias *b)
{
    if (!(b->mass >= 0 && isfinite(b->mass))) return "mass is not 0 or more";
    double max = b->mass * FM_MAX_INPUT * (1 + 1e-6); /* 1e-6 covers the rounding of mass and sum */
    return fabs(b->sum) <= max ? NULL : "sum is more than 1e+10 times mass";
}

const char *bias_check(const struct bias *b, const struct feature_table *t)
{
    const char *wrong = bias_check_centre(b);
    if (wrong) return wrong;
    for (uint32_t i = 0; i < t->n; i++) {
        const double *f = bias_numbers_of(b, t, i);
        if (!(fabs(f[WEIGHT]) <= FM_MAX_WEIGHT)) return "rows has a weight above 1e+30";
        if (!(f[EXAMPLES] >= 0) || !(f[SQUARES] >= 0)) return "rows has a count or square below 0";
    }
    return NULL;
}
