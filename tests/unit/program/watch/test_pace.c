/* test_pace.c -- what answers may take of the time. */
#include "program/watch/pace.h"
#include "support/suite.h"

static const uint64_t MS = 1000000;

/* Asks as fast as it is let, each answer of `cost` ns of processor time, for `whole` ns. The
 * processor time that all take. */
static uint64_t attack(struct pace *p, uint64_t *now, uint64_t cost, uint64_t whole)
{
    uint64_t end = *now + whole, busy = p->busy, before = busy;
    while (*now < end) {
        *now += cost;
        busy += cost;
        *now += pace_rest(p, *now, busy);
    }
    return busy - before;
}

START_TEST(whoever_asks_without_end_gets_the_share_and_the_advance)
{
    for (uint64_t cost = MS / 100; cost <= PACE_REST_NS / 100 * PACE_PERCENT; cost *= 7) {
        struct pace p = {0};
        uint64_t now = 1, whole = 600000 * MS;
        pace_rest(&p, now, 0);
        uint64_t took = attack(&p, &now, cost, whole);
        ck_assert_uint_le(took, whole / 100 * PACE_PERCENT + PACE_ADVANCE_NS + cost);
        ck_assert_uint_ge(took, whole / 100 * PACE_PERCENT);
    }
}
END_TEST

START_TEST(whoever_asks_now_and_then_never_waits)
{
    struct pace p = {0};
    uint64_t busy = 0;
    for (uint64_t s = 1; s < 10000; s++) {
        busy += 30 * MS; /* each second */
        ck_assert_uint_eq(pace_rest(&p, s * 1000 * MS, busy), 0);
    }
    for (int k = 0; k < 2000; k++) { /* and at once, a page of a quarter of a millisecond */
        busy += MS / 4;
        ck_assert_uint_eq(pace_rest(&p, 10000 * 1000 * MS, busy), 0);
    }
}
END_TEST

START_TEST(a_rest_is_short)
{
    struct pace p = {0};
    pace_rest(&p, 1, 0);
    ck_assert_uint_eq(pace_rest(&p, 2, 60000 * MS), PACE_REST_NS);
}
END_TEST

LEAT_SUITE("pace", whoever_asks_without_end_gets_the_share_and_the_advance,
           whoever_asks_now_and_then_never_waits, a_rest_is_short)
