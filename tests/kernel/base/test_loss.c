/* test_loss.c -- exp, log and losses against long double libm, and at the edges. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/base/loss.h"

static double uniform(uint64_t *s) /* xorshift, [0, 1) */
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (double)(*s >> 11) * 0x1p-53;
}

static double relative(double got, long double want)
{
    return want == 0 ? (double)fabsl(got) : (double)fabsl((got - want) / want);
}

START_TEST(exp_is_within_1e15_of_libm)
{
    uint64_t s = 1;
    for (int i = 0; i < 300000; i++) {
        double x = i % 3 ? (uniform(&s) - 0.5) * 1416 : (uniform(&s) - 0.5) * 2;
        ck_assert_double_lt(relative(loss_exp(x), expl((long double)x)), 1e-15);
    }
    ck_assert(loss_exp(0) == 1);
}
END_TEST

START_TEST(exp_leaves_its_range_without_surprise)
{
    ck_assert(loss_exp(-709) == 0);
    ck_assert(loss_exp(-(double)INFINITY) == 0);
    ck_assert(isinf(loss_exp(710)) && loss_exp(710) > 0);
    ck_assert(isinf(loss_exp((double)INFINITY)));
    ck_assert(isnan(loss_exp((double)NAN)));
    ck_assert(loss_exp(709) < DBL_MAX);
    ck_assert(loss_exp(-708) > 0);
}
END_TEST

START_TEST(log_is_within_1e15_of_libm)
{
    uint64_t s = 2;
    for (int i = 0; i < 300000; i++) {
        double x = ldexp(0.5 + uniform(&s), (int)(uniform(&s) * 2000) - 1000);
        ck_assert_double_lt(relative(loss_log(x), logl((long double)x)), 1e-15);
        x = 1 + (uniform(&s) - 0.5) * ldexp(1, -(int)(uniform(&s) * 40)); /* log is small here */
        ck_assert_double_lt(relative(loss_log(x), logl((long double)x)), 1e-15);
    }
    ck_assert(loss_log(1) == 0);
}
END_TEST

START_TEST(log1pexp_is_within_1e15_of_libm)
{
    uint64_t s = 3;
    for (int i = 0; i < 300000; i++) {
        double x = (uniform(&s) - 0.5) * (i % 2 ? 1400 : 4);
        long double want = x > 0 ? x + log1pl(expl(-(long double)x)) : log1pl(expl((long double)x));
        ck_assert_double_lt(relative(loss_log1pexp(x), want), 1e-15);
    }
    ck_assert(loss_log1pexp(1e308) == 1e308);
    ck_assert(loss_log1pexp(-1e308) == 0);
}
END_TEST

START_TEST(logistic_slope_is_its_formula)
{
    uint64_t s = 4;
    for (int i = 0; i < 100000; i++) {
        double t = (uniform(&s) - 0.5) * 200;
        ck_assert_double_lt(relative(loss_slope(LOSS_LOGISTIC, t), -1 / (1 + expl((long double)t))),
                            1e-15);
        long double p = 1 / (1 + expl(-(long double)t)), q = 1 / (1 + expl((long double)t));
        ck_assert_double_lt(fabs(loss_curvature(LOSS_LOGISTIC, t) - (double)(p * q)), 1e-15);
    }
    ck_assert(loss_slope(LOSS_LOGISTIC, -1e6) == -1);
    ck_assert(loss_slope(LOSS_LOGISTIC, 1e6) == 0);
}
END_TEST

START_TEST(slopes_and_curvatures_are_differences_of_the_loss)
{
    const double h = 1e-5;
    for (int kind = LOSS_LOGISTIC; kind <= LOSS_SQUARED; kind++)
        for (double t = -5.025; t < 5;
             t += 0.05) { /* never within h of the hinge's corners 0 and 1 */
            double up = loss_value(kind, t + h), down = loss_value(kind, t - h);
            ck_assert_double_lt(fabs((up - down) / (2 * h) - loss_slope(kind, t)), 1e-9);
            up = loss_slope(kind, t + h), down = loss_slope(kind, t - h);
            ck_assert_double_lt(fabs((up - down) / (2 * h) - loss_curvature(kind, t)), 1e-9);
        }
}
END_TEST

START_TEST(bits_are_the_same_wherever_it_runs)
{
    /* FNV-1a over the results, which reveals a change of any bit. */
    uint64_t s = 5, f = 14695981039346656037u;
    for (int i = 0; i < 10000; i++) {
        double t = (uniform(&s) - 0.5) * 60;
        double v[] = {loss_exp(t), loss_log(fabs(t)), loss_log1pexp(t),
                      loss_slope(LOSS_LOGISTIC, t)};
        unsigned char bytes[sizeof v];
        memcpy(bytes, v, sizeof v);
        for (size_t k = 0; k < sizeof v; k++)
            f = (f ^ bytes[k]) * 1099511628211u;
    }
    ck_assert_msg(f == 0xbb5756ee61635ccbu, "%#llx", (unsigned long long)f);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    ck_assert_double_eq_tol(loss_value(LOSS_LOGISTIC, 0.5), 0.474, 5e-4);
    ck_assert_double_eq_tol(loss_slope(LOSS_LOGISTIC, 0.5), -0.378, 5e-4);
    ck_assert_double_eq_tol(loss_curvature(LOSS_LOGISTIC, 0.5), 0.235, 5e-4);
    for (enum loss_kind kind = LOSS_SMOOTHED_HINGE; kind <= LOSS_SQUARED; kind++) {
        ck_assert(loss_value(kind, 0.5) == 0.125);
        ck_assert(loss_slope(kind, 0.5) == -0.5);
        ck_assert(loss_curvature(kind, 0.5) == 1);
    }
}
END_TEST

LEAT_SUITE("loss", exp_is_within_1e15_of_libm, exp_leaves_its_range_without_surprise,
           log_is_within_1e15_of_libm, log1pexp_is_within_1e15_of_libm,
           logistic_slope_is_its_formula, slopes_and_curvatures_are_differences_of_the_loss,
           bits_are_the_same_wherever_it_runs, the_example_of_the_header_is_what_happens)
