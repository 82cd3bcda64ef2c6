/* test_page_hinkley.c -- the Page-Hinkley test against its definition over all numbers. */
#include <math.h>

#include "kernels/drift/page_hinkley.h"
#include "support/random.h"
#include "support/suite.h"

enum { MAX = 4000 };
static double x[MAX];

/* Returns m_t of the numbers from..to by its definition. *at: count of numbers at the minimum. */
static double excess(int from, int to, double tolerance, int *at)
{
    double sum = 0, m = 0, min = 0;
    *at = 0;
    for (int t = from; t < to; t++) {
        sum += x[t];
        m += x[t] - sum / (t - from + 1) - tolerance;
        if (m > min) continue;
        min = m;
        *at = t - from + 1;
    }
    return m - min;
}

static double mean_of(int from, int to)
{
    double sum = 0;
    for (int t = from; t < to; t++)
        sum += x[t];
    return to > from ? sum / (to - from) : 0;
}

START_TEST(a_rise_is_told_when_the_definition_tells_it)
{
    struct page_hinkley p;
    uint64_t s = seed_given();
    int from = 0, rises = 0;
    page_hinkley_init(&p, 0.01, 12);
    for (int t = 0; t < MAX; t++) {
        int at;
        x[t] = uniform(&s, 0, 1) < (t / 800 % 2 ? 0.5 : 0.1);
        double want = excess(from, t + 1, 0.01, &at);
        ck_assert_int_eq(page_hinkley_add(&p, x[t]), want > 12);
        if (want <= 12) continue;
        ck_assert_double_eq_tol(page_hinkley_before(&p), mean_of(from, from + at), 1e-12);
        ck_assert_double_eq_tol(page_hinkley_after(&p), mean_of(from + at, t + 1), 1e-12);
        ck_assert(page_hinkley_after(&p) > page_hinkley_before(&p));
        page_hinkley_restart(&p);
        from = t + 1;
        rises++;
    }
    ck_assert_int_ge(rises, 2);
}
END_TEST

START_TEST(a_sequence_that_stays_or_falls_is_no_rise)
{
    struct page_hinkley p;
    uint64_t s = seed_given();
    page_hinkley_init(&p, 0.05, 50);
    for (int t = 0; t < 100000; t++)
        ck_assert(!page_hinkley_add(&p, uniform(&s, 0, 1) < (t < 50000 ? 0.4 : 0.1)));
}
END_TEST

/* Each number after the change adds its excess over the mean, which moves little. */
START_TEST(a_rise_is_found_within_the_delay_of_the_theory)
{
    uint64_t s = seed_given();
    for (int run = 0; run < 50; run++) {
        struct page_hinkley p;
        int t = 0;
        page_hinkley_init(&p, 0.1, 30);
        for (int k = 0; k < 5000; k++)
            page_hinkley_add(&p, uniform(&s, 0, 1) < 0.1);
        while (!page_hinkley_add(&p, uniform(&s, 0, 1) < 0.5))
            t++;
        ck_assert_msg(t > 40 && t < 240, "%d", t); /* 30 / (0.4 - 0.1) = 100 */
        ck_assert_double_eq_tol(page_hinkley_before(&p), 0.1, 0.03);
        ck_assert(page_hinkley_after(&p) > 0.3);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    static const double number[] = {0, 0, 1, 1, 1}, m[] = {-0.1, -0.2, 0.367, 0.767, 1.067};
    struct page_hinkley p;
    page_hinkley_init(&p, 0.1, 1);
    for (int t = 0; t < 5; t++) {
        ck_assert_int_eq(page_hinkley_add(&p, number[t]), t == 4);
        ck_assert_double_eq_tol(p.m, m[t], 5e-4);
    }
    ck_assert(p.min_n == 2);
    ck_assert(page_hinkley_before(&p) == 0 && page_hinkley_after(&p) == 1);
}
END_TEST

LEAT_SUITE("page_hinkley", a_rise_is_told_when_the_definition_tells_it,
           a_sequence_that_stays_or_falls_is_no_rise,
           a_rise_is_found_within_the_delay_of_the_theory,
           the_example_of_the_header_is_what_happens)
