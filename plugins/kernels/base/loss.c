/* loss.c -- implementation of loss.h, on core/exp.h. */
#include "loss.h"

#include <math.h>

#include "core/exp.h"

double loss_exp(double x) { return exp_all(x); }

double loss_log(double x) { return exp_log(x); }

double loss_log1pexp(double x)
{
    double u = loss_exp(x > 0 ? -x : x);
    return (x > 0 ? x : 0.0) + exp_log1p(u);
}

double loss_sigmoid(double x) { return 1.0 / (1.0 + loss_exp(-x)); }

double loss_value(enum loss_kind kind, double tau)
{
    if (kind == LOSS_LOGISTIC) return loss_log1pexp(-tau);
    double miss = 1.0 - tau;
    if (kind == LOSS_SQUARED) return 0.5 * miss * miss;
    if (miss <= 0) return 0.0;
    return miss < 1.0 ? 0.5 * miss * miss : miss - 0.5;
}

double loss_slope(enum loss_kind kind, double tau)
{
    if (kind == LOSS_LOGISTIC) return -1.0 / (1.0 + loss_exp(tau));
    double miss = 1.0 - tau;
    if (kind == LOSS_SQUARED) return -miss;
    if (miss <= 0) return 0.0;
    return miss < 1.0 ? -miss : -1.0;
}

double loss_curvature(enum loss_kind kind, double tau)
{
    if (kind == LOSS_SQUARED) return 1.0;
    if (kind == LOSS_SMOOTHED_HINGE) return tau > 0 && tau < 1 ? 1.0 : 0.0;
    double p = loss_sigmoid(tau);
    return p * (1.0 - p);
}
