/* fm.c -- examples, losses and steps of factorization machines */
#include "fm.h"

#include <assert.h>
#include <stddef.h>

#include "kernels/base/loss.h"
#include "kernels/dense/multiply.h"

uint32_t fm_gather(struct feature_table *t, uint32_t n, uint32_t *feature, double *x)
{
    uint32_t kept = 0;
    assert(t->stride >= 1);
    for (uint32_t i = 0; i < n; i++) {
        if (feature[i] == FEATURE_TABLE_NONE) continue;
        double *location = feature_table_row(t, feature[i]); /* 1 + the feature's entry; 0: none */
        if (*location > 0) {
            x[(uint32_t)*location - 1] += x[i];
            continue;
        }
        feature[kept] = feature[i];
        x[kept++] = x[i];
        *location = kept;
    }
    for (uint32_t i = 0; i < kept; i++)
        *feature_table_row(t, feature[i]) = 0;
    return kept;
}

double fm_square(uint32_t n, const double *x)
{
    double s = 0;
    for (uint32_t i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}

double fm_slope(enum fm_loss loss, double z, double y)
{
    if (loss == FM_SQUARED) return z - y;
    if (loss == FM_LOGISTIC) return y * loss_slope(LOSS_LOGISTIC, y * z); /* -y / (1 + e^(y z)) */
    return y * z < 1 ? -y : 0.0;
}

double fm_curvature(enum fm_loss loss) { return loss == FM_LOGISTIC ? 0.25 : 1.0; }

double fm_step(enum fm_loss loss, double rate, double slope, double weight, double gain)
{
    double step = rate * weight;
    assert(rate >= 0 && weight > 0 && gain >= 0);
    if (loss == FM_SQUARED && step * gain > 1) step = 1 / gain; /* z moves to the label */
    return fm_clamp(step * slope, FM_MAX_SLOPE);
}

/* ---- pairs of a low-rank form ---- */

void pairs_scan(struct pairs *p, uint32_t n, uint32_t plus, uint32_t minus, const double *columns,
                double scale, double *product)
{
    uint32_t ld = plus + minus;
    for (uint32_t from = 0; from < n && ld; from += PAIRS_BLOCK) {
        uint32_t rows = n - from < PAIRS_BLOCK ? n - from : PAIRS_BLOCK;
        const double *block = columns + (size_t)from * ld;
        multiply_nt(rows, n, plus, scale, block, ld, columns, ld, false, product,
                    n); /* scale U_i' U_j */
        multiply_nt(rows, n, minus, -scale, block + plus, ld, columns + plus, ld, true, product,
                    n); /* - scale V_i' V_j */
        for (uint32_t i = from; i < from + rows; i++)
            for (uint32_t j = i + 1; j < n; j++)
                pairs_offer(p, i, j, product[(size_t)(i - from) * n + j]);
    }
}
