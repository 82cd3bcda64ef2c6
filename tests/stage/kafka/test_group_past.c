/* test_group_past.c -- since when a partition stands still: not while it is idle. */
#include "kafka/source/group_past.h"

#include "support/suite.h"

enum { SECOND = 1000000000 };

static struct group_past past;
static int answers;

/* Adds an answer, ten seconds after the one before. Returns for how many seconds it stands
 * still. */
static int answer(int64_t committed, int64_t lag)
{
    uint64_t now = (uint64_t)(answers + 1) * 10 * SECOND;
    past = group_past_next(answers ? &past : NULL, committed, lag, now);
    answers++;
    return (int)((now - past.moved_ns) / SECOND);
}

static void begin(void) { answers = 0; }

START_TEST(stands_still_since_its_last_commit)
{
    begin();
    ck_assert_int_eq(answer(500, 20), 0);
    ck_assert_int_eq(answer(510, 30), 0);
    ck_assert_int_eq(answer(510, 40), 10);
    ck_assert_int_eq(answer(510, 40), 20);
    ck_assert_int_eq(answer(511, 40), 0);
}
END_TEST

START_TEST(an_idle_partition_begins_with_its_first_lag)
{
    begin();
    for (int i = 0; i < 360; i++)
        answer(500, 0);
    ck_assert_int_eq(answer(500, 1), 0);
    ck_assert_int_eq(answer(500, 1), 10);
}
END_TEST

START_TEST(an_unknown_lag_is_none)
{
    begin();
    answer(GROUP_UNKNOWN, GROUP_UNKNOWN);
    answer(GROUP_UNKNOWN, GROUP_UNKNOWN);
    ck_assert_int_eq(answer(GROUP_UNKNOWN, 7), 0);
}
END_TEST

START_TEST(lags_are_kept_newest_first)
{
    begin();
    answer(1, 5);
    ck_assert_int_eq(past.lag[1], GROUP_UNKNOWN);
    answer(2, 6);
    answer(3, 7);
    answer(4, 8);
    ck_assert_int_eq(past.lag[0], 8);
    ck_assert_int_eq(past.lag[1], 7);
    ck_assert_int_eq(past.lag[2], 6);
}
END_TEST

LEAT_SUITE("group_past", stands_still_since_its_last_commit,
           an_idle_partition_begins_with_its_first_lag, an_unknown_lag_is_none,
           lags_are_kept_newest_first)
