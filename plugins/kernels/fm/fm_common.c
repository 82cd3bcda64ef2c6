/* fm_common.c -- examples, losses and steps of factorization machines; see fm_common.h. */
#include "fm_common.h"

#include "kernels/base/loss.h"

uint32_t factor_gather(struct feature_table *t, uint32_t n, uint32_t *feature, double *x)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (feature[i] == FEATURE_TABLE_NONE) continue;
        double *place = feature_table_row(t, feature[i]); /* 1 + where it is, or 0 */
        if (*place > 0) {
            x[(uint32_t)*place - 1] += x[i];
            continue;
        }
        feature[kept] = feature[i];
        x[kept++] = x[i];
        *place = kept;
    }
    for (uint32_t i = 0; i < kept; i++)
        *feature_table_row(t, feature[i]) = 0;
    return kept;
}

double factor_square(uint32_t n, const double *x)
{
    double s = 0;
    for (uint32_t i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}

double factor_slope(enum factor_loss loss, double z, double y)
{
    if (loss == FACTOR_SQUARED) return z - y;
    if (loss == FACTOR_LOGISTIC) return y * loss_slope(LOSS_LOGISTIC, y * z);
    return y * z < 1 ? -y : 0.0;
}

double factor_curvature(enum factor_loss loss) { return loss == FACTOR_LOGISTIC ? 0.25 : 1.0; }

double factor_step(enum factor_loss loss, double rate, double slope, double weight, double reach)
{
    double step = rate * weight;
    if (loss == FACTOR_SQUARED && step * reach > 1) step = 1 / reach;
    return factor_hold(step * slope, FACTOR_SLOPE);
}
