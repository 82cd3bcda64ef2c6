/* test_contrast_sums.c -- sums of amounts against naive sums, in any order of the records.
 *
 * Amounts are heavy-tailed: most are small, and a few have most of the sum. */
#include "support/random.h"
#include "support/suite.h"
#include "support/united.h"
#include "core/mix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/counting/contrast/contrast.h"

enum { IDS = 2000, RECORDS = 10000, EACH = 4, MODELS = 4 };
static void *block[MODELS];
static struct record {
    int kind;
    uint64_t amount;
    uint32_t id[EACH];
} record[RECORDS];

/* Naive sums, totals and largest amounts by kind. */
static struct {
    uint64_t sum[IDS][2], count[IDS][2], largest[IDS][2], total[2], occurrences;
} naive;

static struct contrast model(int number, uint32_t members, uint32_t width, uint32_t sample)
{
    const struct contrast_shape s = {members, width, sample, 1};
    const struct contrast_options o = {.both = number % 2, .seed = 7};
    struct contrast m;
    free(block[number]);
    block[number] = aligned_alloc(64, contrast_block_bytes(&s));
    memset(block[number], 0, contrast_block_bytes(&s));
    contrast_init(&m, &s, &o, block[number]);
    return m;
}

/* Makes records whose features are skewed, and whose amounts have a Pareto tail of 0.8. */
static void make_records(uint64_t seed)
{
    for (int i = 0; i < RECORDS; i++) {
        struct record *r = &record[i];
        double u = ((double)(mix64_next(&seed) >> 11) + 1) * 0x1p-53;
        r->kind = mix64_next(&seed) % 10 < 3;
        r->amount = i % 50 ? (uint64_t)(100 * pow(u, -1 / 0.8)) : 0;
        for (uint32_t k = 0; k < EACH; k++) {
            double v = (double)(mix64_next(&seed) >> 11) * 0x1p-53;
            r->id[k] = k * (IDS / EACH) + (uint32_t)(IDS / EACH * v * v * v);
        }
    }
}

static void add_naively(int from, int to, uint64_t times)
{
    for (int i = from; i < to; i++) {
        const struct record *r = &record[i];
        naive.total[r->kind] += times * r->amount;
        for (uint32_t k = 0; k < EACH; k++) {
            uint64_t *largest = &naive.largest[r->id[k]][r->kind];
            naive.sum[r->id[k]][r->kind] += times * r->amount;
            naive.count[r->id[k]][r->kind] += times;
            if (*largest < r->amount) *largest = r->amount;
        }
    }
}

static void feed(struct contrast *m, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct record *r = &record[i];
        ck_assert(contrast_amount(m, r->kind, r->amount));
        contrast_record(m, r->kind, 0);
        for (uint32_t k = 0; k < EACH; k++) {
            contrast_add(m, r->id[k], r->kind);
            if (contrast_samples(m, r->kind)) contrast_keep(m, r->kind, r->id[k]);
        }
    }
}

static int by_amount(const void *a, const void *b)
{
    uint64_t x = ((const struct record *)a)->amount, y = ((const struct record *)b)->amount;
    return (x > y) - (x < y);
}

static int by_kind(const void *a, const void *b)
{
    return ((const struct record *)a)->kind - ((const struct record *)b)->kind;
}

enum order { AS_IT_IS, SMALL_FIRST, KIND_0_FIRST, LARGE_FIRST, ORDERS };

static void put_in(enum order order)
{
    if (order == SMALL_FIRST || order == LARGE_FIRST)
        qsort(record, RECORDS, sizeof *record, by_amount);
    if (order == KIND_0_FIRST) qsort(record, RECORDS, sizeof *record, by_kind);
    for (int i = 0, j = RECORDS - 1; order == LARGE_FIRST && i < j; i++, j--) {
        struct record r = record[i];
        record[i] = record[j];
        record[j] = r;
    }
}

/* Checks the bounds of a member's sums, in units. */
static void expect_member(const struct contrast *m, uint32_t slot)
{
    const struct contrast_sum of = contrast_slot_sum(m, slot);
    uint32_t id = (uint32_t)m->index.wide[slot];
    for (int y = 0; y < 2; y++) {
        ck_assert_uint_le(of.sum[y] - of.excess[y], naive.sum[id][y]);
        ck_assert_uint_ge(of.sum[y], naive.sum[id][y]);
        ck_assert_uint_ge(of.largest[y], naive.largest[id][y]);
    }
}

static void expect_bounds(const struct contrast *m)
{
    double unit = contrast_mass_unit(m);
    for (int y = 0; y < 2; y++)
        ck_assert_uint_eq(m->sums.total[y], naive.total[y]);
    for (uint32_t s = 0; s < m->index.n; s++)
        expect_member(m, s);
    for (uint32_t id = 0; id < IDS; id++) {
        struct contrast_bounds b = contrast_mass_of(m, id), n = contrast_bounds_of(m, id);
        for (int y = 0; y < 2; y++) {
            double sum = (double)naive.sum[id][y] / unit, count = (double)naive.count[id][y];
            ck_assert_msg(b.low[y] <= sum && sum <= b.high[y],
                          "feature %u, kind %d: %g is not in [%g, %g]", id, y, sum, b.low[y],
                          b.high[y]);
            ck_assert(n.low[y] <= count && count <= n.high[y]);
        }
    }
    ck_assert_ptr_null(contrast_check(m));
}

static void begin(uint64_t seed)
{
    memset(&naive, 0, sizeof naive);
    make_records(seed);
}

START_TEST(bounds_hold_the_sums_in_any_order_with_many_features_or_few)
{
    for (enum order order = AS_IT_IS; order < ORDERS; order++)
        for (int i = 0; i < 4; i++) {
            struct contrast m = model(i % 2, i < 2 ? 60 : 400, i < 2 ? 32 : 300, 100);
            begin(1);
            put_in(order);
            add_naively(0, RECORDS, 1);
            feed(&m, 0, RECORDS);
            ck_assert_uint_eq(m.index.n, m.shape.members);
            expect_bounds(&m);
        }
}
END_TEST

START_TEST(sums_are_exact_until_a_member_has_to_leave)
{
    struct contrast m = model(0, IDS, 16, 0);
    begin(2);
    add_naively(0, RECORDS, 1);
    feed(&m, 0, RECORDS);
    for (uint32_t s = 0; s < m.index.n; s++)
        for (int y = 0; y < 2; y++) {
            ck_assert_uint_eq(m.sums.member[s].sum[y], naive.sum[m.index.wide[s]][y]);
            ck_assert_uint_eq(m.sums.member[s].excess[y], 0);
            ck_assert_uint_eq(m.sums.member[s].largest[y], naive.largest[m.index.wide[s]][y]);
        }
}
END_TEST

/* The heaviest feature by its sum is rare, and comes after all slots are taken. */
START_TEST(a_rare_feature_with_a_large_sum_stays)
{
    struct contrast m = model(0, 40, 64, 0);
    begin(3);
    for (int i = RECORDS / 2; i < RECORDS; i += 500) {
        record[i].kind = 1;
        record[i].id[0] = IDS / EACH - 1;
        record[i].amount = 1000000000;
    }
    add_naively(0, RECORDS, 1);
    feed(&m, 0, RECORDS);
    expect_bounds(&m);
    struct contrast_bounds b = contrast_mass_of(&m, IDS / EACH - 1);
    ck_assert_double_gt(b.low[1], 0);
    ck_assert_double_le(b.high[1] - b.low[1], 0.2 * b.high[1]);
}
END_TEST

START_TEST(models_merge_to_the_sums_of_both)
{
    const uint32_t members[] = {60, 400};
    for (int i = 0; i < 2; i++)
        for (int times = 1; times <= 3; times += 2) {
            struct contrast a = model(0, members[i], 200, 0), b = model(2, members[i], 200, 0);
            begin(4);
            add_naively(0, RECORDS / 3, 1);
            add_naively(RECORDS / 3, RECORDS, (uint64_t)times);
            feed(&a, 0, RECORDS / 3);
            feed(&b, RECORDS / 3, RECORDS);
            struct contrast m = united(&block[1], &a, &b, times);
            expect_bounds(&m);
        }
}
END_TEST

START_TEST(a_copy_goes_on_as_the_model_would)
{
    struct contrast m = model(0, 60, 50, 400), copy = model(2, 60, 50, 400);
    begin(6);
    add_naively(0, RECORDS, 1);
    feed(&m, 0, RECORDS / 2);
    struct contrast_parts p = contrast_parts(&m);
    ck_assert_ptr_null(contrast_load(&copy, &p));
    feed(&m, RECORDS / 2, RECORDS);
    feed(&copy, RECORDS / 2, RECORDS);
    ck_assert_mem_eq(m.sums.member, copy.sums.member, 60 * sizeof *m.sums.member);
    ck_assert_mem_eq(m.sums.cell, copy.sums.cell, 4 * 50 * sizeof *m.sums.cell);
    ck_assert_mem_eq(m.sample[1].word, copy.sample[1].word, 4 * m.sample[1].used);
    expect_bounds(&copy);
}
END_TEST

START_TEST(an_impossible_state_is_refused)
{
    struct contrast m = model(0, 60, 50, 0), copy = model(2, 60, 50, 0);
    begin(7);
    feed(&m, 0, 1000);
    m.sums.member[3].excess[1] = m.sums.member[3].sum[1] + 1;
    struct contrast_parts p = contrast_parts(&m);
    ck_assert_ptr_nonnull(contrast_load(&copy, &p));
}
END_TEST

/* The sum of all records of a whole sample is the total. */
START_TEST(a_sample_keeps_the_amounts_of_its_records)
{
    struct contrast m = model(0, IDS, 16, 400000);
    static uint64_t amount[RECORDS];
    begin(8);
    add_naively(0, RECORDS, 1);
    feed(&m, 0, RECORDS);
    for (int y = 0; y < 2; y++)
        ck_assert_uint_eq(contrast_sample_amounts(&m.sample[y], amount), naive.total[y]);
}
END_TEST

START_TEST(a_sum_stops_before_it_wraps)
{
    struct contrast m = model(0, 4, 4, 0);
    ck_assert(contrast_amount(&m, 1, CONTRAST_SUMS_TOTAL - 5));
    contrast_record(&m, 1, 0);
    contrast_add(&m, 1, 1);
    ck_assert(!contrast_amount(&m, 0, 6));
    ck_assert(contrast_amount(&m, 0, 5));
    ck_assert_uint_eq(m.sums.total[0] + m.sums.total[1], CONTRAST_SUMS_TOTAL);
}
END_TEST

/* Amounts of 0, or none at all, leave keys finite. */
START_TEST(records_without_an_amount_are_counted)
{
    struct contrast m = model(0, 4, 4, 0);
    for (uint32_t i = 0; i < 100; i++) {
        ck_assert(contrast_amount(&m, i % 2, 0));
        contrast_record(&m, i % 2, 0);
        contrast_add(&m, i % 10, i % 2);
    }
    ck_assert_ptr_null(contrast_check(&m));
    struct contrast_bounds b = contrast_mass_of(&m, 1), n = contrast_bounds_of(&m, 1);
    ck_assert(b.high[1] == 0 && n.high[1] >= 10);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct contrast m = model(0, 1, 64, 0);
    const uint64_t amount[] = {300, 150};
    for (int i = 0; i < 2; i++) {
        ck_assert(contrast_amount(&m, 1, amount[i]));
        contrast_record(&m, 1, 0);
        contrast_add(&m, 7, 1);
    }
    const struct contrast_sum want = {{0, 450}, {0, 0}, {0, 300}};
    ck_assert_mem_eq(m.sums.member, &want, sizeof want);
    for (int i = 0; i < 40; i++) { /* feature 9 pushes it out */
        ck_assert(contrast_amount(&m, 1, 1000));
        contrast_record(&m, 1, 0);
        contrast_add(&m, 9, 1);
    }
    ck_assert_uint_eq(m.index.wide[0], 9);
    ck_assert_double_eq_tol(contrast_mass_of(&m, 7).high[1] * contrast_mass_unit(&m), 450, 1e-9);
}
END_TEST

START_TEST(a_budget_with_amounts_is_kept)
{
    for (uint64_t bytes = 1024; bytes <= 64 << 20; bytes *= 2) {
        struct contrast_shape s = {.amounts = 1};
        ck_assert(contrast_shape_from_budget(bytes, &s));
        ck_assert_uint_le(contrast_charged_bytes(&s), bytes);
        ck_assert_uint_ge(contrast_charged_bytes(&s) + 128, bytes);
        ck_assert_uint_le(contrast_budget_for(s.members, true), bytes + 512);
    }
}
END_TEST

LEAT_SUITE("contrast_sums", bounds_hold_the_sums_in_any_order_with_many_features_or_few,
           sums_are_exact_until_a_member_has_to_leave, a_rare_feature_with_a_large_sum_stays,
           models_merge_to_the_sums_of_both, a_copy_goes_on_as_the_model_would,
           an_impossible_state_is_refused, a_sample_keeps_the_amounts_of_its_records,
           a_sum_stops_before_it_wraps, records_without_an_amount_are_counted,
           the_example_of_the_header_is_what_happens, a_budget_with_amounts_is_kept)
