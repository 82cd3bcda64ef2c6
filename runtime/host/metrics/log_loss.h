/* log_loss.h -- log loss of a margin, without a branch, a comparison or a call.
 *
 * So the compiler can vectorise the loss over several examples (margin_losses() in progressive.c),
 * which halves the time. The result has the same bits on every machine (core/exp.h). */
#ifndef LEAT_HOST_METRICS_LOG_LOSS_H
#define LEAT_HOST_METRICS_LOG_LOSS_H

#include <math.h>

#include "core/exp.h"

#define FAR 700.0 /* log1p(exp(-700)) is exp(-700), far below any rounding error */

/* log_loss() returns the loss of a margin for the label `sign` (1 or -1). chance() returns the
 * margin's probability of label +1. t must be exp(-|margin|). */
static inline double log_loss(double margin, double sign, double t)
{
    return 0.5 * (fabs(margin) - margin * sign) + exp_log1p(t); /* first term: 0 or |margin| */
}

static inline double chance(double margin, double t)
{
    double decided = 0.5 + copysign(0.5, margin);
    return (decided + (1.0 - decided) * t) / (1.0 + t);
}

static inline double capped(double margin) { return fabs(margin) < FAR ? fabs(margin) : FAR; }

#endif
