/* test_unit.c -- centre and spread of numbers, wild values, markers, and columns that change. */
#include "kernels/summaries/unit.h"

#include <math.h>
#include <string.h>

#include "support/random.h"
#include "support/suite.h"

static struct unit after(uint32_t n, double mean, double sd)
{
    struct unit u = {.n = 0};
    uint64_t s = 5;
    for (uint32_t k = 0; k < n; k++)
        unit_see(&u, (float)(mean + sd * normal(&s)), false);
    return u;
}

#define ck_near(X, WANT, BY)                                                                       \
    ck_assert_msg(fabs((double)(X) - (WANT)) <= (BY), "%g is not near %g", (double)(X),            \
                  (double)(WANT))

START_TEST(numbers_far_from_0_have_their_median_as_centre)
{
    static const double mean[] = {100, -273, 1013, 2e6}, sd[] = {1, 8, 7, 3000};
    for (int k = 0; k < 4; k++) {
        struct unit u = after(5000, mean[k], sd[k]);
        ck_near(u.centre, mean[k], 0.6 * sd[k]);
        ck_near(u.spread, sd[k], 0.6 * sd[k]);
        ck_near(unit_of(&u, u.centre + 2 * u.spread, true), 2, 1e-3);
        ck_near(unit_of(&u, u.centre + 2 * u.spread, false), 2 * (double)u.spread,
                1e-3 * (double)u.spread);
    }
}
END_TEST

START_TEST(numbers_around_0_keep_it_as_centre)
{
    struct unit u = after(5000, 0.5, 1);
    ck_assert(u.centre == 0);
    ck_near(u.spread, 1, 0.5);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct unit u = {.n = 0};
    static const float x[] = {2001, 2003, 1999, 2002};
    for (int k = 0; k < 4; k++)
        unit_see(&u, x[k], false);
    ck_near(u.centre, 2001, 0);
    ck_near(u.spread, 2.96, 1e-5);
    ck_near(unit_of(&u, 2003, true), 0.68, 0.01);
}
END_TEST

START_TEST(what_is_not_known_is_0)
{
    struct unit u = {.n = 0};
    ck_assert(unit_of(&u, 7, true) == 0);
    for (int k = 0; k < 1000; k++)
        unit_see(&u, 7, false);
    ck_assert(unit_of(&u, 7, true) == 0 && unit_of(&u, 9, true) == 0);
    ck_assert(u.centre == 7 && u.spread == 0);
}
END_TEST

START_TEST(most_values_may_be_0)
{
    struct unit u = {.n = 0};
    uint64_t s = 2;
    for (int k = 0; k < 20000; k++)
        unit_see(&u, k % 50 ? 0 : (float)(300 + 20 * normal(&s)), false);
    ck_assert(u.centre == 0);
    ck_near(u.spread, 350, 150);
}
END_TEST

START_TEST(a_wild_value_is_drawn_in_and_moves_nothing)
{
    for (int at = 0; at < 300; at += 7) {
        struct unit u = {.n = 0};
        uint64_t s = 3;
        for (int k = 0; k < 300; k++) {
            float x = k == at ? 1e6f : (float)(100 + normal(&s));
            unit_see(&u, x, false);
            ck_assert_msg(fabsf(unit_of(&u, x, true)) < 1000, "value %d of %d is %g", k, at,
                          (double)unit_of(&u, x, true));
        }
        ck_near(u.centre, 100, 1);
        ck_near(u.spread, 1, 0.6);
        ck_assert(unit_is_wild(&u, 1e6f) && !unit_is_marker(&u, 1e6f));
    }
}
END_TEST

START_TEST(a_wild_value_that_comes_again_marks_missing_numbers)
{
    struct unit u = {.n = 0};
    uint64_t s = 3;
    for (int k = 0; k < 20000; k++)
        unit_see(&u, below(&s, 100) ? (float)(100 + normal(&s)) : -9999.0f, false);
    ck_assert(unit_is_marker(&u, -9999) && unit_of(&u, -9999, true) == 0);
    ck_near(u.centre, 100, 1);
    ck_near(u.spread, 1, 0.6);
}
END_TEST

/* A rate of 1 is far from rates of some hundredths, but as real. */
START_TEST(a_value_that_many_records_have_is_not_wild)
{
    struct unit u = {.n = 0};
    uint64_t s = 3;
    for (int k = 0; k < 20000; k++) {
        float rates[] = {0, 0, 0, 0.01f, 0.02f, 1};
        unit_see(&u, rates[below(&s, 6)], false);
    }
    ck_assert(!unit_is_wild(&u, 1) && unit_of(&u, 1, true) > 0);
}
END_TEST

START_TEST(a_column_that_changes_its_unit_begins_anew)
{
    struct unit u = after(10000, 100, 1);
    uint64_t s = 8;
    for (int k = 0; k < 100; k++)
        unit_see(&u, (float)(1e5 + 1000 * normal(&s)), true);
    ck_near(u.centre, 1e5, 1000);
    ck_near(u.spread, 1000, 600);
    for (int k = 0; k < 2000; k++)
        unit_see(&u, (float)(100 + normal(&s)), false);
    ck_near(u.centre, 100, 3);
}
END_TEST

START_TEST(a_unit_that_stays_does_not_follow_a_trend)
{
    struct unit follows = {.n = 0}, stays = {.n = 0};
    struct unit first = {.n = 0};
    for (int k = 0; k < 20000; k++) {
        unit_see(&follows, (float)k, false);
        unit_see(&stays, (float)k, true);
        if (k == UNIT_SAMPLE) first = stays;
    }
    ck_assert(stays.centre == first.centre && stays.spread == first.spread);
    ck_assert(!unit_is_wild(&stays, 20000) && !unit_is_wild(&follows, 20000));
    ck_assert(follows.spread > 1000);
}
END_TEST

START_TEST(a_unit_stays_only_once_it_is_known)
{
    uint64_t s = 9;
    for (int first = 1; first < 300; first++) {
        struct unit u = {.n = 0};
        for (int k = 0; k < 2000; k++)
            unit_see(&u, k >= first && below(&s, 3) == 0 ? 1 : 0, true);
        ck_assert(u.spread > 0.5f && u.spread < 2);
    }
    /* a first value beside the centre that is unlike the later ones */
    struct unit u = {.n = 0};
    for (int k = 0; k < 2000; k++)
        unit_see(&u, k < 40 ? 0 : k == 40 ? 0.001f : (float)below(&s, 9), true);
    ck_assert(u.spread > 1);
}
END_TEST

START_TEST(moves_are_reported_and_rare)
{
    struct unit u = {.n = 0}, before;
    uint64_t s = 3;
    int moves = 0;
    for (int k = 0; k < 50000; k++) {
        before = u;
        bool moved = unit_see(&u, (float)(100 + normal(&s)), false);
        ck_assert(moved == (before.centre != u.centre || before.spread != u.spread));
        moves += moved && k > UNIT_SAMPLE;
    }
    ck_assert_int_le(moves, 2);
}
END_TEST

START_TEST(values_of_any_size_leave_a_unit_that_can_be)
{
    struct unit u = {.n = 0};
    uint64_t s = 3;
    for (int k = 0; k < 100000; k++) {
        float x = (float)(normal(&s) * pow(10, (double)below(&s, 76) - 38));
        unit_see(&u, isfinite(x) ? x : 0, k & 1);
        ck_assert_ptr_null(unit_check(&u));
        ck_assert(isfinite(unit_of(&u, x, true)) && isfinite(unit_of(&u, x, false)));
    }
    u.spread = NAN;
    ck_assert_ptr_nonnull(unit_check(&u));
}
END_TEST

LEAT_SUITE("unit", numbers_far_from_0_have_their_median_as_centre,
           numbers_around_0_keep_it_as_centre, the_example_of_the_header_is_what_happens,
           what_is_not_known_is_0, most_values_may_be_0, a_wild_value_is_drawn_in_and_moves_nothing,
           a_wild_value_that_comes_again_marks_missing_numbers,
           a_value_that_many_records_have_is_not_wild, a_column_that_changes_its_unit_begins_anew,
           a_unit_that_stays_does_not_follow_a_trend, a_unit_stays_only_once_it_is_known,
           moves_are_reported_and_rare, values_of_any_size_leave_a_unit_that_can_be)
