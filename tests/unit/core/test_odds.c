/* test_odds.c -- relative risk and ratio, against counts of whole records. */
#include "support/suite.h"

#include <math.h>

#include "core/odds.h"

/* Calls f for all tables of up to MOST records of a kind: n1 of N1 and n0 of N0 have the feature.
 */
enum { MOST = 9 };
static void each_table(void (*f)(int n1, int n0, int N1, int N0))
{
    for (int N1 = 0; N1 <= MOST; N1++)
        for (int N0 = 0; N0 <= 40; N0 += N0 < MOST ? 1 : 31)
            for (int n1 = 0; n1 <= N1; n1++)
                for (int n0 = 0; n0 <= N0; n0++)
                    f(n1, n0, N1, N0);
}

static double risk(double n1, double n0, double N1, double N0)
{
    return odds_relative_risk(n1, n0, N1, N0, false);
}
static double ratio(double n1, double n0, double N1, double N0)
{
    return odds_ratio_of_shares(n1, n0, N1, N0, false);
}

static int sign(double x) { return (x > 1e-12) - (x < -1e-12); }

/* The side follows from whole numbers: n1 of n1 + n0 against N1 of N1 + N0. */
static void check_side(int n1, int n0, int N1, int N0)
{
    int side = sign(n1 * N0 - n0 * N1);
    ck_assert_int_eq(sign(log(risk(n1, n0, N1, N0))), side);
    ck_assert_int_eq(sign(log(ratio(n1, n0, N1, N0))), side);
}

START_TEST(no_quotient_is_on_the_wrong_side_of_1) { each_table(check_side); }
END_TEST

/* A record at the common odds is a mean of all records. So each record counts N times, and N
 * records, one like each of all, are added to those with the feature and to those without it. */
static void check_records(int n1, int n0, int N1, int N0)
{
    int c = N1 - n1, d = N0 - n0, N = N1 + N0;
    if (!N1 || !N0) {
        ck_assert(risk(n1, n0, N1, N0) == 1 && ratio(n1, n0, N1, N0) == 1);
        return;
    }
    bool in_risk = !n1 || !n0 || !c || !d, in_ratio = !n1 || !n0;
    double with = in_risk ? (double)(N * n1 + N1) / (N * (n1 + n0) + N) : (double)n1 / (n1 + n0);
    double without = in_risk ? (double)(N * c + N1) / (N * (c + d) + N) : (double)c / (c + d);
    ck_assert_double_eq_tol(risk(n1, n0, N1, N0), with / without, 1e-12 * with / without);
    double in1 = in_ratio ? (double)(N * n1 + N1) / N1 : (double)n1 / N1;
    double in0 = in_ratio ? (double)(N * n0 + N0) / N0 : (double)n0 / N0;
    ck_assert_double_eq_tol(ratio(n1, n0, N1, N0), in1 / in0, 1e-12 * in1 / in0);
}

START_TEST(a_count_of_0_adds_records_like_all) { each_table(check_records); }
END_TEST

/* Exchanging the kinds inverts the ratio; exchanging the records with and without it, the risk. */
static void check_symmetry(int n1, int n0, int N1, int N0)
{
    ck_assert_double_eq_tol(log(ratio(n1, n0, N1, N0)), -log(ratio(n0, n1, N0, N1)), 1e-12);
    ck_assert_double_eq_tol(log(risk(n1, n0, N1, N0)), -log(risk(N1 - n1, N0 - n0, N1, N0)), 1e-12);
}

START_TEST(exchanged_sides_invert_the_quotients) { each_table(check_symmetry); }
END_TEST

/* Bounds of counts rest on this. Fractions are faded counts. */
static void check_growth(int n1, int n0, int N1, int N0)
{
    for (double x = n1, y = n1 + 0.125; y <= fmin(N1, n1 + 1); x = y, y += 0.125)
        for (double z = n0; z <= fmin(N0, n0 + 0.5); z += 0.25) {
            ck_assert_double_ge(risk(y, z, N1, N0) * (1 + 1e-12), risk(x, z, N1, N0));
            ck_assert_double_ge(ratio(y, z, N1, N0) * (1 + 1e-12), ratio(x, z, N1, N0));
        }
}

START_TEST(quotients_grow_with_the_count_of_kind_1) { each_table(check_growth); }
END_TEST

START_TEST(known_tables_point_the_right_way)
{
    /* 20 of 10,000 records of B, none of 100 of A; one inlier of 9,900, no outlier of 100. */
    ck_assert(ratio(0, 20, 100, 10000) < 0.05 && ratio(20, 0, 10000, 100) > 20);
    ck_assert(risk(0, 1, 100, 9900) < 1 && risk(0, 20, 100, 9900) < 0.06);
    ck_assert_double_eq_tol(risk(100, 9900, 100, 9900), 1, 1e-12);
    ck_assert_double_eq_tol(risk(0, 9, 10, 90), (0.1 / 10) / (10.1 / 92), 1e-12);
    /* A small sum is no small count. */
    ck_assert_double_eq_tol(odds_ratio_of_shares(0.01, 0.02, 10, 10, true), 0.5, 1e-12);
    ck_assert(odds_ratio_of_shares(0, 0.02, 10, 10, true) < 1);
    ck_assert(isfinite(risk(9, 9, 3, 3))); /* repeated ids: more counts than records */
}
END_TEST

LEAT_SUITE("odds", no_quotient_is_on_the_wrong_side_of_1, a_count_of_0_adds_records_like_all,
           exchanged_sides_invert_the_quotients, quotients_grow_with_the_count_of_kind_1,
           known_tables_point_the_right_way)
