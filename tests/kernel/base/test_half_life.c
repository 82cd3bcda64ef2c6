/* test_half_life.c -- weights by event time against the sum of 2^-age over all records. */
#include "support/suite.h"

#include <math.h>

#include "kernels/base/half_life.h"
#include "support/random.h"

enum { INPUTS = 5, RECORDS = 3000, HALF_LIFE = 1000000 };

/* Faded sum of the records so far, as a learner keeps it. */
struct faded {
    struct half_life_clock clock;
    double sum;
};

static void faded_take(struct faded *f, int64_t time)
{
    double weight;
    f->sum *= half_life_take(&f->clock, HALF_LIFE, time, &weight);
    f->sum += weight;
}

static double naive_sum(const int64_t *time, uint32_t n, int64_t newest)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += exp2(-(double)(newest - time[i]) / HALF_LIFE);
    return sum;
}

/* Fills time[] with inputs of different speeds, which begin at about the same time and are in
 * order, except for some records. */
static int64_t draw_inputs(uint64_t *s, int64_t time[INPUTS][RECORDS])
{
    int64_t newest = 0;
    for (int i = 0; i < INPUTS; i++) {
        int64_t at = 1700000000000 + below(s, HALF_LIFE);
        uint32_t step = 1 + below(s, HALF_LIFE / 50);
        for (int k = 0; k < RECORDS; k++) {
            at += below(s, 300) ? below(s, step) : 3 * HALF_LIFE;
            time[i][k] = at - (below(s, 10) ? 0 : below(s, HALF_LIFE));
            if (time[i][k] > newest) newest = time[i][k];
        }
    }
    return newest;
}

/* The inputs come in random pieces: single records, or one input after the other. */
START_TEST(the_sum_depends_on_the_records_and_not_on_the_order_of_inputs)
{
    static int64_t time[INPUTS][RECORDS];
    uint64_t s = seed_given();
    for (int round = 0; round < 60; round++) {
        struct faded f = {.sum = 0};
        uint32_t at[INPUTS] = {0}, piece = round % 3 == 0 ? RECORDS : 1 + below(&s, 100);
        int64_t newest = draw_inputs(&s, time);
        for (uint32_t taken = 0; taken < INPUTS * RECORDS;) {
            uint32_t i = below(&s, INPUTS);
            for (uint32_t k = 0; k < piece && at[i] < RECORDS; k++, taken++)
                faded_take(&f, time[i][at[i]++]);
        }
        double want = naive_sum(time[0], INPUTS * RECORDS, newest);
        ck_assert_uint_eq(f.clock.newest, (uint64_t)newest);
        ck_assert_msg(fabs(f.sum - want) <= 1e-9 * want, "round %d: %.12g, not %.12g", round, f.sum,
                      want);
    }
}
END_TEST

/* A record far ahead counts once, and lets nothing fade, first or later. */
START_TEST(one_wrong_clock_lets_nothing_fade)
{
    int64_t time[200];
    for (uint32_t i = 0; i < 200; i++)
        time[i] = 1700000000000 + (int64_t)i * HALF_LIFE / 10;
    for (uint32_t wrong = 0; wrong < 200; wrong += 3) {
        struct faded f = {.sum = 0};
        for (uint32_t i = 0; i < 200; i++) {
            if (i == wrong) faded_take(&f, 2000000000000);
            faded_take(&f, time[i]);
        }
        double share = exp2(-((double)(time[199] - time[wrong]) / HALF_LIFE));
        double more = f.sum - naive_sum(time, 200, time[199]);
        ck_assert_uint_eq(f.clock.newest, (uint64_t)time[199]);
        ck_assert_double_le(fabs(more), 1.2 * share + 1e-9);
    }
}
END_TEST

/* After a gap the clock moves with the tenth record in a row; in a mixture, later or never. */
START_TEST(records_that_confirm_each_other_move_the_clock)
{
    const int64_t before = 1700000000000, after = before + 1000 * (int64_t)HALF_LIFE;
    for (int every = 1; every <= 20; every++) {
        struct faded f = {.sum = 0};
        uint32_t ahead = 0;
        for (int i = 0; i < 100; i++)
            faded_take(&f, before);
        for (int i = 0; i < 1000; i++) {
            if (f.clock.newest == (uint64_t)before) ahead += i % every == 0;
            faded_take(&f, i % every ? before : after + i);
        }
        if (every == 1) ck_assert_uint_eq(ahead, 10);
        if (every <= 5) ck_assert_uint_le(ahead, 20);
        if (every >= 11) ck_assert_uint_eq(f.clock.newest, (uint64_t)before);
    }
}
END_TEST

/* A record without an event time counts, and fades nothing. */
START_TEST(a_record_without_a_time_counts_in_full)
{
    struct faded f = {.sum = 0};
    faded_take(&f, -1);
    faded_take(&f, 1700000000000);
    faded_take(&f, -1);
    ck_assert_double_eq(f.sum, 3);
}
END_TEST

LEAT_SUITE("half_life", the_sum_depends_on_the_records_and_not_on_the_order_of_inputs,
           one_wrong_clock_lets_nothing_fade, records_that_confirm_each_other_move_the_clock,
           a_record_without_a_time_counts_in_full)
