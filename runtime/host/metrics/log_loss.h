/* log_loss.h -- log loss of a margin, without a branch, a comparison or a call.
 *
 * So the compiler vectorises it over several examples (margin_losses() in progressive.c), which
 * halves the time. The same bits on every machine (core/exp.h). */
#ifndef LEAT_HOST_METRICS_LOG_LOSS_H
#define LEAT_HOST_METRICS_LOG_LOSS_H

#include <math.h>

#include "core/exp.h"

#define FAR 700.0 /* log1p cannot tell exp(-700) from 0 */

/* log_loss: loss of a margin for class `sign` (1 or -1); chance: the margin's probability of +1. t
 * = exp(-|margin|). */
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
