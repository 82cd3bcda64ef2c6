/* log_gamma.h -- log Gamma(x) with the same bits on every machine, and without the global variable
 * that lgamma() of libc sets. */
#ifndef LEAT_CORE_LOG_GAMMA_H
#define LEAT_CORE_LOG_GAMMA_H

#include "exp.h"

#define LOG_GAMMA_PI 3.14159265358979323846

/* Error of Stirling's formula, log x! - (x log x - x + log(2 pi x) / 2), for x >= 8, by Stirling's
 * series. Accurate to 1e-11. */
static inline double log_gamma_series(double x)
{
    double y = 1 / (x * x);
    return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x;
}

/* log Gamma(x) for x >= 1/2, within 1e-10 absolute or 1e-15 relative. */
static inline double log_gamma(double x)
{
    double below = 0;
    for (; x < 8; x += 1)
        below += exp_log(x); /* Gamma(x + 1) = x Gamma(x) */
    return (x - 0.5) * exp_log(x) - x + 0.5 * exp_log(2 * LOG_GAMMA_PI) + log_gamma_series(x) -
           below;
}

#endif
