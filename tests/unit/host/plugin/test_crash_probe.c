/* test_crash_probe.c -- the time limit of a trial in its own process. */
#include "support/suite.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "host/memory/arena.h"
#include "host/plugin/crash_probe.h"

enum { LIMIT_MS = 100 };

static void wait_for_a_second(void *arg)
{
    (void)arg;
    nanosleep(&(struct timespec){1, 0}, NULL);
}

static void wait_for_ever(void *arg)
{
    (void)arg;
    for (;;)
        pause();
}

static void work_for_ever(void *arg)
{
    volatile bool *more = arg;
    while (*more) {
    }
}

static void outcome(void (*trial)(void *), const char *want)
{
    struct arena a = {0};
    bool more = true;
    struct probe p = {.work_ms = LIMIT_MS, .wait_ms = 30 * LIMIT_MS, .doing = "in a test"};
    const char *why = probe(&p, trial, &more, &a);
    ck_assert_int_eq(p.timed_out, want != NULL);
    if (want)
        ck_assert_pstr_eq(why, want);
    else
        ck_assert_ptr_null(why);
    arena_free(&a);
}

START_TEST(a_trial_that_has_to_wait_for_ten_times_its_limit_is_no_failure)
{
    outcome(wait_for_a_second, NULL);
}
END_TEST

START_TEST(one_that_works_for_longer_is_ended)
{
    outcome(work_for_ever, "did not answer within 0.1 s of work");
}
END_TEST

START_TEST(and_so_is_one_that_waits_for_ever)
{
    outcome(wait_for_ever, "did not answer within 3 s");
}
END_TEST

LEAT_SUITE("crash_probe", a_trial_that_has_to_wait_for_ten_times_its_limit_is_no_failure,
           one_that_works_for_longer_is_ended, and_so_is_one_that_waits_for_ever)
