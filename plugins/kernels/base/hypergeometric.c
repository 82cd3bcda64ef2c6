/* hypergeometric.c -- implementation of hypergeometric.h. */
#include "hypergeometric.h"

#include <math.h>

#include "core/log_gamma.h"
#include "kernels/base/loss.h"

enum { MOST_TERMS = 500 };

static double power(double x) { return x > 0 ? x * loss_log(x) - x : 0; }

/* Returns log x! - (x log x - x) for x >= 0. */
static double remainder_of(double x)
{
    if (x < 8) return log_gamma(x + 1) - power(x);
    return 0.5 * loss_log(2 * LOG_GAMMA_PI * x) + log_gamma_series(x);
}

static double likelihood(double seen, double expected)
{
    return seen > 0 ? seen * loss_log(seen / expected) : 0;
}

/* Returns G / 2 (see hypergeometric.h) of the table with the rows (a, b) and (N1 - a, N0 - b). */
static double deviance(double a, double b, double N1, double N0)
{
    double has = (a + b) / (N1 + N0), lacks = (N1 - a + N0 - b) / (N1 + N0);
    return likelihood(a, has * N1) + likelihood(b, has * N0) + likelihood(N1 - a, lacks * N1) +
           likelihood(N0 - b, lacks * N0);
}

static double log_probability(double a, double b, double N1, double N0)
{
    double margins = remainder_of(N1) + remainder_of(N0) + remainder_of(a + b) +
                     remainder_of(N1 - a + N0 - b) - remainder_of(N1 + N0);
    double inside = remainder_of(a) + remainder_of(b) + remainder_of(N1 - a) + remainder_of(N0 - b);
    return margins - inside - deviance(a, b, N1, N0);
}

double hypergeometric_log_excess(double a, double b, double N1, double N0)
{
    double all = N1 + N0, n = a + b;
    double binomial = remainder_of(n) - remainder_of(a) - remainder_of(b) -
                      likelihood(a, n * N1 / all) - likelihood(b, n * N0 / all);
    return log_probability(a, b, N1, N0) - binomial;
}

double hypergeometric_tail(double a, double b, double N1, double N0)
{
    double first = log_probability(a, b, N1, N0), sum = 1, term = 1;
    for (int i = 0; i < MOST_TERMS && term > 1e-17 * sum; i++, a += 1, b -= 1) {
        double q = a < N1 && b > 0 ? (N1 - a) * b / ((a + 1) * (N0 - b + 1)) : 0;
        if (q >= 1 && i == MOST_TERMS - 1) return 1;
        if (i == MOST_TERMS - 1) q = q / (1 - q); /* bounds the remaining terms */
        sum += term *= q;
    }
    return fmin(1, loss_exp(first + loss_log(sum)));
}
