/* always.c -- implementation of always.h. */
#include "always.h"

#include <math.h>

#include "loss.h"

enum { STEPS = 28 };
static const double FIRST = 0.005, STEP = 1.3;
/* 1 / (sum over t of 1 / (1 + log^2 t)) */
static const double SHARE = 0.10583002232453137;

/* Returns log sum w(t) (p(t) / q)^a ((1 - p(t)) / (1 - q))^b, where q = N1 / N. */
static double log_mixture(double a, double b, double q)
{
    double most = -INFINITY, term[STEPS], sum = 0, t = FIRST;
    for (int i = 0; i < STEPS; i++, t *= STEP) {
        double far = loss_log(t), weight = SHARE / (1 + far * far);
        term[i] = loss_log(weight) + a * t - (a + b) * loss_log(1 + q * (loss_exp(t) - 1));
        most = fmax(most, term[i]);
    }
    for (int i = 0; i < STEPS; i++)
        sum += loss_exp(term[i] - most);
    return most + loss_log(sum);
}

double always_tail(double a, double b, double N1, double N0)
{
    if (!(a > 0) || !(N1 > 0) || !(N0 > 0)) return 1;
    double q = N1 / (N1 + N0), null = hypergeometric_log_excess(a, b, N1, N0);
    return fmin(1, loss_exp(null - log_mixture(a, b, q)));
}
