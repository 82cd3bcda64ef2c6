/* test_log_limit.c -- many messages of one kind within a second. */
#include "host/log/log.h"
#include "support/suite.h"

static const uint64_t SECOND = UINT64_C(1000000000);

/* Returns how many of n messages of a kind pass at `now`. */
static int passing(struct log_limit *l, const char *id, const char *format, uint64_t now, int n)
{
    int passed = 0;
    uint64_t left_out = 0;
    for (int i = 0; i < n; i++)
        passed += log_limit_take(l, id, format, now, &left_out);
    return passed;
}

START_TEST(a_burst_passes_in_a_second)
{
    struct log_limit l = {0};
    ck_assert_int_eq(passing(&l, "a", "x", 5 * SECOND, LOG_BURST), LOG_BURST);
    ck_assert_int_eq(passing(&l, "a", "x", 6 * SECOND - 1, 1000), 0);
    ck_assert_int_eq(passing(&l, "a", "x", 6 * SECOND, 1), 1);
}
END_TEST

START_TEST(the_next_that_passes_says_how_many_did_not)
{
    struct log_limit l = {0};
    uint64_t left_out = 77;
    passing(&l, "a", "x", 0, LOG_BURST + 5);
    ck_assert(log_limit_take(&l, "a", "x", SECOND, &left_out));
    ck_assert_uint_eq(left_out, 5);
    ck_assert(log_limit_take(&l, "a", "x", SECOND, &left_out));
    ck_assert_uint_eq(left_out, 0);
}
END_TEST

START_TEST(kinds_have_limits_of_their_own)
{
    struct log_limit l = {0};
    const char *id[] = {"a", "b"}, *format[] = {"x", "y"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            ck_assert_int_ge(passing(&l, id[i], format[k], 0, LOG_BURST), LOG_BURST);
}
END_TEST

LEAT_SUITE("log_limit", a_burst_passes_in_a_second, the_next_that_passes_says_how_many_did_not,
           kinds_have_limits_of_their_own)
