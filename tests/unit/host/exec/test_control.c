/* test_control.c -- the end of a run: the first failure counts, and all who wait are woken. */
#include <leat/status.h>

#include "core/time/clock.h"
#include "host/exec/control.h"
#include "support/suite.h"

static int wakes;

static void count_wake(struct control *c)
{
    ck_assert(atomic_load(&c->stopping));
    wakes++;
}

static void begin(struct control *c, uint32_t workers)
{
    wakes = 0;
    control_init(c, count_wake);
    atomic_store(&c->at_work, workers);
}

START_TEST(the_first_failure_gives_the_reason_and_stops_the_run)
{
    struct control c;
    begin(&c, 1);
    ck_assert_int_eq(control_fail(&c, LEAT_EIO, "disk %d is full", 7), LEAT_EIO);
    ck_assert_int_eq(control_fail(&c, LEAT_EDATA, "a later failure"), LEAT_EDATA);
    ck_assert_int_eq(atomic_load(&c.failed), LEAT_EIO);
    ck_assert_str_eq(c.reason, "disk 7 is full");
    ck_assert(atomic_load(&c.stopping));
    ck_assert(!control_halted(&c));
    control_fini(&c);
}
END_TEST

START_TEST(a_stop_wakes_the_sources_once_and_is_no_failure)
{
    struct control c;
    begin(&c, 1);
    control_stop(&c);
    control_stop(&c);
    ck_assert_int_eq(wakes, 1);
    ck_assert_int_eq(atomic_load(&c.failed), 0);
    control_fini(&c);
}
END_TEST

START_TEST(a_halt_is_no_stop)
{
    struct control c;
    begin(&c, 1);
    control_halt(&c);
    ck_assert(control_halted(&c));
    ck_assert(!atomic_load(&c.stopping));
    ck_assert_int_eq(wakes, 0);
    control_fini(&c);
}
END_TEST

START_TEST(the_wait_ends_with_the_last_worker)
{
    struct control c;
    begin(&c, 2);
    control_worker_ended(&c);
    ck_assert(!control_await(&c, clock_ns() + 1000));
    control_worker_ended(&c);
    ck_assert(control_await(&c, UINT64_MAX));
    control_fini(&c);
}
END_TEST

START_TEST(a_wake_ends_one_wait)
{
    struct control c;
    begin(&c, 1);
    control_wake(&c);
    ck_assert(!control_await(&c, UINT64_MAX));
    uint64_t from = clock_ns();
    ck_assert(!control_await(&c, from + 1000000));
    ck_assert_uint_ge(clock_ns(), from + 1000000);
    control_fini(&c);
}
END_TEST

LEAT_SUITE("control", the_first_failure_gives_the_reason_and_stops_the_run,
           a_stop_wakes_the_sources_once_and_is_no_failure, a_halt_is_no_stop,
           the_wait_ends_with_the_last_worker, a_wake_ends_one_wait)
