/* test_sample_dedup.c -- shape.sample and shape.dedup: the records that pass. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/random.h"
#include "support/suite.h"

enum { BATCH = 100 };

static struct harness *stage(const char *name)
{
    struct harness *h = harness_new("shape", name);
    harness_column(h, "user", LEAT_TEXT);
    harness_column(h, "x", LEAT_NUMBER);
    return h;
}

/* True if the next record stays. */
static bool stays(struct harness *h, const char *cells, int64_t time)
{
    harness_clear(h);
    uint32_t r = harness_row(h, cells);
    if (h->b.timestamp) h->b.timestamp[r] = time;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    return h->b.n_sel == 1;
}

/* ---- sample ---- */

static struct harness *sample(const char *rate, const char *by)
{
    struct harness *h = stage("shape.sample");
    harness_set(h, "rate", rate);
    if (by) harness_set(h, "by", by);
    return h;
}

START_TEST(the_share_that_stays_is_the_rate)
{
    static const char *const rates[] = {"0.5", "0.01", "0.9", "1"};
    enum { N = 40000 };
    for (size_t i = 0; i < 4; i++) {
        struct harness *h = sample(rates[i], NULL);
        double rate = strtod(rates[i], NULL), kept = 0;
        ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
        for (int k = 0; k < N; k++)
            kept += stays(h, "same|1", 0);
        ck_assert_double_eq_tol(kept, rate * N, 4 * sqrt(N * rate * (1 - rate)) + 1e-9);
        harness_free(h);
    }
}
END_TEST

START_TEST(by_columns_all_of_a_value_stay_or_none)
{
    struct harness *h = sample("0.3", "user"), *numbers = sample("0.3", "user,x");
    int users = 0, pairs = 0;
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    ck_assert_int_eq(harness_open(numbers, BATCH), LEAT_OK);
    for (int user = 0; user < 2000; user++) {
        char first[32], second[32];
        snprintf(first, sizeof first, "u%d|1", user);
        snprintf(second, sizeof second, "u%d|2", user);
        bool kept = stays(h, first, 0);
        users += kept;
        ck_assert(stays(h, second, 0) == kept);
        pairs += stays(numbers, first, 0) != stays(numbers, second, 0);
    }
    ck_assert_double_eq_tol(users, 600, 4 * sqrt(2000 * .21));
    ck_assert_double_eq_tol(pairs, 2000 * 2 * .21, 4 * sqrt(2000 * .42 * .58));
    harness_free(h);
    harness_free(numbers);
}
END_TEST

START_TEST(another_seed_chooses_others)
{
    struct harness *a = sample("0.5", NULL), *b = sample("0.5", NULL);
    int both = 0;
    b->seed = a->seed + 1;
    ck_assert_int_eq(harness_open(a, BATCH), LEAT_OK);
    ck_assert_int_eq(harness_open(b, BATCH), LEAT_OK);
    for (int i = 0; i < 4000; i++)
        both += stays(a, "u|1", 0) & stays(b, "u|1", 0);
    ck_assert_double_eq_tol(both, 1000, 4 * sqrt(4000 * .25 * .75));
    harness_free(a);
    harness_free(b);
}
END_TEST

START_TEST(a_restored_sample_goes_on_alike)
{
    struct harness *a = sample("0.5", NULL), *b = sample("0.5", NULL);
    size_t n;
    ck_assert_int_eq(harness_open(a, BATCH), LEAT_OK);
    ck_assert_int_eq(harness_open(b, BATCH), LEAT_OK);
    for (int i = 0; i < 77; i++)
        stays(a, "u|1", 0);
    const void *state = harness_snapshot(a, &n);
    ck_assert_int_eq(harness_restore(b, state, n), LEAT_OK);
    for (int i = 0; i < 500; i++)
        ck_assert(stays(a, "u|1", 0) == stays(b, "u|1", 0));
    harness_free(a);
    harness_free(b);
}
END_TEST

/* ---- dedup ---- */

static struct harness *dedup(const char *within, const char *records, const char *memory)
{
    struct harness *h = stage("shape.dedup");
    harness_set(h, "by", "user,x");
    if (within) {
        harness_has(h, LEAT_HAS_TIMESTAMP);
        harness_set(h, "within", within);
    }
    if (records) harness_set(h, "records", records);
    if (memory) harness_set(h, "memory", memory);
    return h;
}

START_TEST(the_first_of_equal_records_stays)
{
    struct harness *h = dedup(NULL, NULL, NULL);
    harness_set(h, "missing", "one");
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    ck_assert(stays(h, "a|1", 0) && stays(h, "b|1", 0) && stays(h, "a|2", 0));
    ck_assert(!stays(h, "a|1", 0) && !stays(h, "b|1", 0));
    ck_assert(stays(h, "\\N|1", 0) && stays(h, "|1", 0) && !stays(h, "\\N|1", 0));
    ck_assert(stays(h, "c|0", 0) && !stays(h, "c|-0", 0));
    ck_assert(stays(h, "c|\\N", 0) && !stays(h, "c|\\N", 0));
    harness_free(h);
    h = stage("shape.dedup");
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    ck_assert(stays(h, "a|1", 0) && stays(h, "a|1.0", 0) && !stays(h, "a|1", 0));
    harness_free(h);
}
END_TEST

START_TEST(time_counts_from_the_record_that_was_kept)
{
    struct harness *h = dedup("10s", NULL, NULL);
    const int64_t s = 1000000000;
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    ck_assert(stays(h, "a|1", 100 * s) && !stays(h, "a|1", 105 * s) && !stays(h, "a|1", 110 * s));
    ck_assert(stays(h, "a|1", 110 * s + 1) && !stays(h, "a|1", 120 * s));
    ck_assert(!stays(h, "a|1", 101 * s)); /* earlier, but near */
    ck_assert(stays(h, "a|1", 50 * s) && !stays(h, "a|1", 111 * s));
    harness_clear(h);
    uint32_t r = harness_row(h, "a|1");
    h->b.timestamp[r] = -1;
    harness_process(h);
    expect_rejected(h, r, LEAT_R_TIME, "the record has no event time");
    harness_free(h);
}
END_TEST

static const char *const keyless[] = {"a|1", "|1", "\\N|1", "  |1", "a|1", "|1"};

static struct harness *dedup_by_user(const char *missing)
{
    struct harness *h = stage("shape.dedup");
    harness_set(h, "by", "user");
    if (missing) harness_set(h, "missing", missing);
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    return h;
}

START_TEST(records_without_a_key_equal_no_other)
{
    static const struct {
        const char *missing, *stay;
    } cases[] = {{NULL, "yyyyny"}, {"keep", "yyyyny"}, {"reject", "ynnnnn"}, {"one", "yyyynn"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct harness *h = dedup_by_user(cases[k].missing);
        for (int i = 0; i < 6; i++)
            ck_assert_msg(stays(h, keyless[i], 0) == (cases[k].stay[i] == 'y'), "%s: record %d",
                          cases[k].stay, i);
        if (cases[k].stay[1] == 'n')
            expect_rejected(h, 0, LEAT_R_OTHER,
                            "the record has no value in the `by` column "
                            "'user'");
        h->stage->stop(&h->ctx, h->self);
        ck_assert_double_eq(harness_metric(h, "without_key"), 4);
        harness_free(h);
    }
}
END_TEST

START_TEST(chance_decides_for_each_record_without_a_key)
{
    struct harness *h = sample("0.5", "user");
    int stay = 0;
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    for (int i = 0; i < 1000; i++)
        stay += stays(h, "\\N|1", 0);
    ck_assert_int_gt(stay, 400);
    ck_assert_int_lt(stay, 600);
    harness_free(h);
}
END_TEST

/* Compares with a list of all records that were kept. */
static void agrees_with_a_list(bool timed, uint64_t seed)
{
    struct harness *h = timed ? dedup("50s", NULL, NULL) : dedup(NULL, "50", NULL);
    int64_t when[40] = {0}, now = 0;
    bool known[40] = {false};
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    for (int i = 1; i <= 5000; i++) {
        char cells[32];
        uint32_t k = below(&seed, 40);
        now += timed ? below(&seed, 4) : 1;
        int64_t t = timed ? now - below(&seed, 3) + 2 : now;
        bool near = known[k] && llabs(t - when[k]) <= 50;
        snprintf(cells, sizeof cells, "u%u|%u", k / 2, k % 2);
        ck_assert(stays(h, cells, t * 1000000000) == !near);
        if (!near && (!known[k] || t > when[k])) when[k] = t;
        known[k] = true;
    }
    harness_free(h);
}

START_TEST(records_stay_as_a_list_of_all_says)
{
    agrees_with_a_list(true, seed_given());
    agrees_with_a_list(false, seed_given());
}
END_TEST

START_TEST(what_is_forgotten_too_early_is_counted)
{
    struct harness *h = dedup(NULL, NULL, "4KB"), *short_lived = dedup(NULL, "10", "4KB");
    uint32_t keys = 0;
    ck_assert_int_eq(harness_open(h, BATCH), LEAT_OK);
    ck_assert_int_eq(harness_open(short_lived, BATCH), LEAT_OK);
    ck_assert_int_eq(sscanf(harness_plan(h).note, "remembers the last %u keys", &keys), 1);
    ck_assert(keys > 50 && harness_plan(h).state_bytes <= 4096);
    for (uint32_t i = 0; i < keys + 7; i++) {
        char cells[32];
        snprintf(cells, sizeof cells, "u%u|1", i);
        ck_assert(stays(h, cells, 0) && stays(short_lived, cells, 0));
    }
    ck_assert(stays(h, "u0|1", 0)); /* forgotten */
    h->stage->stop(&h->ctx, h->self);
    short_lived->stage->stop(&short_lived->ctx, short_lived->self);
    ck_assert(harness_metric(h, "forgotten_early") == 8 && harness_metric(h, "keys") == keys);
    ck_assert(harness_metric(short_lived, "forgotten_early") == 0);
    harness_free(h);
    harness_free(short_lived);
}
END_TEST

START_TEST(a_restored_table_goes_on_alike)
{
    struct harness *a = dedup(NULL, "30", "4KB"), *b = dedup(NULL, "30", "4KB");
    struct harness *other = dedup(NULL, "30", "8KB");
    uint64_t seed = 5;
    size_t n;
    ck_assert_int_eq(harness_open(a, BATCH), LEAT_OK);
    ck_assert_int_eq(harness_open(b, BATCH), LEAT_OK);
    ck_assert_int_eq(harness_open(other, BATCH), LEAT_OK);
    for (int i = 0; i < 2000; i++) {
        char cells[32];
        snprintf(cells, sizeof cells, "u%u|1", below(&seed, 150));
        bool kept = stays(a, cells, 0);
        if (i > 1000) ck_assert(stays(b, cells, 0) == kept);
        if (i != 1000) continue;
        const void *state = harness_snapshot(a, &n);
        ck_assert_int_eq(harness_restore(b, state, n), LEAT_OK);
        ck_assert_int_eq(harness_restore(other, state, n), LEAT_EDATA);
        ck_assert_msg(says(other, "capacity is"), "%s", other->said);
    }
    harness_free(a);
    harness_free(b);
    harness_free(other);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    struct harness *h = dedup("10s", "5", NULL);
    expect_refused_and_free(h, "cannot be set together with `within`");
    h = stage("shape.dedup");
    harness_set(h, "within", "10s");
    expect_refused_and_free(h, "needs event times, and no earlier stage gives them");
    h = sample("0.5", "usr");
    expect_refused_and_free(h, "usr");
}
END_TEST

static struct harness *some_sample(void) { return sample("0.5", "user"); }
static struct harness *some_dedup(void) { return dedup(NULL, NULL, "4KB"); }

START_TEST(failed_allocations_are_told)
{
    expect_failed_allocations_told(some_sample);
    expect_failed_allocations_told(some_dedup);
}
END_TEST

LEAT_SUITE("sample and dedup", the_share_that_stays_is_the_rate,
           by_columns_all_of_a_value_stay_or_none, another_seed_chooses_others,
           a_restored_sample_goes_on_alike, the_first_of_equal_records_stays,
           time_counts_from_the_record_that_was_kept, records_stay_as_a_list_of_all_says,
           records_without_a_key_equal_no_other, chance_decides_for_each_record_without_a_key,
           what_is_forgotten_too_early_is_counted, a_restored_table_goes_on_alike,
           what_cannot_be_is_refused, failed_allocations_are_told)
