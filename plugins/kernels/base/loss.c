/* loss.c -- deterministic exp, log and the losses built on them; see loss.h.
 *
 * exp: x = k ln 2 + r with |r| <= (ln 2)/2, ln 2 in two parts so that k ln 2 is exact enough; e^r
 * by its Taylor polynomial of degree 13 (remainder 4e-18), summed in pairs (Estrin) because the
 *      latency of Horner's chain is what an example with one feature would mostly wait for.
 * log: x = 2^k m with m in [sqrt(1/2), sqrt 2); log m = 2 atanh(s), s = (m - 1)/(m + 1), |s| <
 * 0.172, by its series to s^21 (remainder 1e-18).
 */
#include "loss.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double LN2_HI = 0x1.62e42fefa0000p-1; /* 36 bits: k * LN2_HI is exact for |k| < 2^16 */
static const double LN2_LO = 0x1.cf79abc9e3b3ap-40;
static const double INV_LN2 = 0x1.71547652b82fep+0;
static const double LN2 = 0x1.62e42fefa39efp-1;

static double power_of_two(int k) /* -1022 <= k <= 1023 */
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double p;
    memcpy(&p, &bits, sizeof p);
    return p;
}

/* e^r - 1 for |r| <= 0.35 */
static double expm1_small(double r)
{
    double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    double a = 0.5 + r * (1.0 / 6);
    double b = 1.0 / 24 + r * (1.0 / 120);
    double c = 1.0 / 720 + r * (1.0 / 5040);
    double d = 1.0 / 40320 + r * (1.0 / 362880);
    double e = 1.0 / 3628800 + r * (1.0 / 39916800);
    double f = 1.0 / 479001600 + r * (1.0 / 6227020800);
    double low = (a + r2 * b) + r4 * (c + r2 * d);
    double high = e + r2 * f;
    return r + r2 * (low + r8 * high);
}

double loss_exp(double x)
{
    if (!(x <= 709.0)) return x > 0 ? (double)INFINITY : x;
    if (x < -708.0) return 0.0;
    /* To the nearest by truncation: rint() would follow the rounding mode; and the sign of a margin
     * must not be a branch, which nobody can predict. */
    double t = x * INV_LN2;
    int k = (int)(t + copysign(0.5, t));
    double r = (x - k * LN2_HI) - k * LN2_LO;
    return (1.0 + expm1_small(r)) * power_of_two(k);
}

/* log((1 + s)/(1 - s)) for |s| < 0.18 */
static double two_atanh(double s)
{
    double q = s * s, q2 = q * q, q4 = q2 * q2;
    double a = 1.0 / 3 + q * (1.0 / 5);
    double b = 1.0 / 7 + q * (1.0 / 9);
    double c = 1.0 / 11 + q * (1.0 / 13);
    double d = 1.0 / 15 + q * (1.0 / 17);
    double e = 1.0 / 19 + q * (1.0 / 21);
    double tail = (a + q2 * b) + q4 * ((c + q2 * d) + q4 * e);
    return 2.0 * (s + s * (q * tail));
}

double loss_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt 2 */
        m *= 0.5;
        k++;
    }
    double l = two_atanh((m - 1.0) / (m + 1.0));
    return k * LN2_HI + (l + k * LN2_LO);
}

/* log(1 + u) for 0 <= u <= 1, accurate for the smallest u too. */
static double log1p_unit(double u)
{
    if (u < 0.41) return two_atanh(u / (2.0 + u));
    return LN2 + two_atanh((u - 1.0) / (u + 3.0)); /* log 2 + log((1 + u)/2) */
}

double loss_log1pexp(double x)
{
    double u = loss_exp(x > 0 ? -x : x);
    return (x > 0 ? x : 0.0) + log1p_unit(u);
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
