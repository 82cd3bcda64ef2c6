/* test_log.c -- messages of several threads. The first test is for ThreadSanitizer. */
#include "support/suite.h"

#include <pthread.h>

#include <leat/plugin.h>

#include "host/log/log.h"

enum { TIMES = 1000 };

static void *raise_and_say(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        log_set_level(LEAT_ERROR);
        log_message(LEAT_DEBUG, "nobody reads this");
    }
    return unused;
}

START_TEST(threads_set_the_level_while_others_log)
{
    pthread_t other;
    log_set_level(-1);
    ck_assert_int_eq(pthread_create(&other, NULL, raise_and_say, NULL), 0);
    raise_and_say(NULL);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert_int_eq(log_set_level(LEAT_WARN), LEAT_ERROR);
}
END_TEST

START_TEST(a_level_that_is_set_returns_the_one_before)
{
    ck_assert_int_eq(log_set_level(-1), LEAT_WARN);
    ck_assert_int_eq(log_set_level(LEAT_WARN), -1);
}
END_TEST

START_TEST(the_first_warnings_are_kept_but_those_in_passing)
{
    const char *text[LOG_WARNINGS];
    size_t n = log_warnings(text);
    log_message(LEAT_WARN, "%s is %d", "k", 7);
    log_passing("a record is bad");
    log_message(LEAT_INFO, "nobody reads this");
    ck_assert_uint_eq(log_warnings(text), n + 1);
    ck_assert_str_eq(text[n], "k is 7");
    for (int i = 0; i < 2 * LOG_WARNINGS; i++)
        log_message(LEAT_WARN, "again");
    ck_assert_uint_eq(log_warnings(text), LOG_WARNINGS);
}
END_TEST

LEAT_SUITE("log", threads_set_the_level_while_others_log,
           a_level_that_is_set_returns_the_one_before,
           the_first_warnings_are_kept_but_those_in_passing)
