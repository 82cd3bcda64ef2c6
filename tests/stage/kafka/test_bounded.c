/* test_bounded.c -- a call that does not return is abandoned, and its memory is freed later. */
#include "kafka/client/bounded.c"

#include <stdatomic.h>
#include <unistd.h>

#include "support/suite.h"

#define MS UINT64_C(1000000)

struct test_call {
    struct bounded bounded;
    int ms, result;
};

static atomic_int returned;

static void sleep_then_answer(struct bounded *b)
{
    struct test_call *c = (struct test_call *)b;
    usleep((useconds_t)c->ms * 1000);
    c->result = bounded_is_abandoned(b) ? -1 : 7;
    atomic_fetch_add(&returned, 1);
}

static struct test_call *bounded_make(int ms)
{
    struct test_call *c = calloc(1, sizeof *c);
    c->bounded.call = sleep_then_answer;
    c->ms = ms;
    return c;
}

START_TEST(a_call_that_returns_gives_its_result)
{
    struct test_call *c = bounded_make(5);
    ck_assert(bounded_call(NULL, &c->bounded, 60000 * MS));
    ck_assert_int_eq(c->result, 7);
    free(c);
}
END_TEST

START_TEST(a_call_that_takes_too_long_is_abandoned)
{
    const int before = atomic_load(&returned);
    uint64_t from = clock_ns();
    ck_assert(!bounded_call(NULL, &bounded_make(1500)->bounded, 300 * MS));
    ck_assert_uint_ge(clock_ns() - from, 300 * MS);
    ck_assert_int_eq(atomic_load(&returned), before);
    while (atomic_load(&returned) == before)
        usleep(1000);
}
END_TEST

LEAT_SUITE("bounded", a_call_that_returns_gives_its_result, a_call_that_takes_too_long_is_abandoned)
