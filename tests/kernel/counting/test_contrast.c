/* test_contrast.c -- bounds against exact counts, in any order of the records.
 *
 * It also tests the features that stay, twins, the sample, copies and merges. */
#include "support/random.h"
#include "support/suite.h"
#include "support/touched.h"
#include "support/united.h"
#include "core/mix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/counting/contrast/contrast.h"

/* ---- models ---- */

enum { MODELS = 4 };
static void *block[MODELS];

static struct contrast model(int number, struct contrast_shape s, struct contrast_options o)
{
    struct contrast m;
    free(block[number]);
    block[number] = aligned_alloc(64, contrast_block_bytes(&s));
    memset(block[number], 0, contrast_block_bytes(&s));
    contrast_init(&m, &s, &o, block[number]);
    return m;
}

static const struct contrast_options plain = {.seed = 7}, both = {.both = true, .seed = 7};

/* ---- records: features 0 .. IDS - 1, skewed; the multiples of 10 lean to kind 1 ---- */

enum { IDS = 3000, RECORDS = 20000, EACH = 6 };
struct record {
    int kind;
    uint32_t id[EACH];
};
static struct record record[RECORDS];
static uint32_t exact[IDS][2];
static uint64_t exact_records[2];

static uint32_t skewed(uint64_t *seed)
{
    double u = (double)(mix64_next(seed) >> 11) * 0x1p-53;
    return (uint32_t)(IDS * u * u * u);
}

static bool has(const struct record *r, uint32_t n, uint32_t id)
{
    for (uint32_t i = 0; i < n; i++)
        if (r->id[i] == id) return true;
    return false;
}

static void make_records(uint64_t seed)
{
    for (int i = 0; i < RECORDS; i++) {
        struct record *r = &record[i];
        uint32_t leaning = 0;
        for (uint32_t k = 0; k < EACH; k++) {
            do
                r->id[k] = skewed(&seed);
            while (has(r, k, r->id[k]));
            leaning += r->id[k] % 10 == 0;
        }
        r->kind = mix64_next(&seed) % 10 < 1 + 4 * leaning;
    }
}

enum order { AS_IT_IS, REVERSED, KIND_1_FIRST, KIND_0_FIRST, BURSTS, ORDERS };

static int by_kind(const void *a, const void *b)
{
    return ((const struct record *)b)->kind - ((const struct record *)a)->kind;
}

static int by_feature(const void *a, const void *b)
{
    uint32_t x = ((const struct record *)a)->id[0], y = ((const struct record *)b)->id[0];
    return (x > y) - (x < y);
}

static void put_in(enum order order)
{
    if (order == BURSTS) qsort(record, RECORDS, sizeof *record, by_feature);
    if (order == KIND_1_FIRST || order == KIND_0_FIRST)
        qsort(record, RECORDS, sizeof *record, by_kind);
    for (int i = 0, j = RECORDS - 1; (order == REVERSED || order == KIND_0_FIRST) && i < j;
         i++, j--) {
        struct record r = record[i];
        record[i] = record[j];
        record[j] = r;
    }
}

/* Counts a feature of the current record, and keeps its id in the sample. */
static uint32_t add(struct contrast *m, uint32_t id, int kind)
{
    uint32_t slot = contrast_add(m, id, kind);
    if (contrast_samples(m, kind)) contrast_keep(m, kind, id);
    return slot;
}

static uint32_t slot_of(const struct contrast *m, uint64_t id)
{
    return id_slots_find(&m->index, id, id_slots_mix(m->index.seed, id_slots_fold(id)));
}

static void feed(struct contrast *m, int from, int to)
{
    for (int i = from; i < to; i++) {
        contrast_record(m, record[i].kind, 0);
        for (uint32_t k = 0; k < EACH; k++)
            add(m, record[i].id[k], record[i].kind);
    }
}

static void count_exactly(int from, int to, uint32_t weight)
{
    for (int i = from; i < to; i++) {
        exact_records[record[i].kind] += weight;
        for (uint32_t k = 0; k < EACH; k++)
            exact[record[i].id[k]][record[i].kind] += weight;
    }
}

static void forget_counts(void)
{
    memset(exact, 0, sizeof exact);
    memset(exact_records, 0, sizeof exact_records);
}

static void expect_bounds(const struct contrast *m)
{
    for (uint32_t id = 0; id < IDS; id++) {
        struct contrast_bounds b = contrast_bounds_of(m, id);
        for (int y = 0; y < 2; y++)
            ck_assert_msg(b.low[y] <= exact[id][y] && exact[id][y] <= b.high[y],
                          "feature %u, kind %d: %u is not in [%g, %g]", id, y, exact[id][y],
                          b.low[y], b.high[y]);
    }
    ck_assert_ptr_null(contrast_check(m));
}

/* ---- bounds ---- */

START_TEST(bounds_hold_the_exact_counts_in_any_order)
{
    const struct contrast_shape small = {50, 64, 0, 0}, middle = {300, 200, 100, 0};
    for (enum order order = AS_IT_IS; order < ORDERS; order++)
        for (int large = 0; large < 2; large++)
            for (int signs = 0; signs < 2; signs++) {
                struct contrast m = model(0, large ? middle : small, signs ? both : plain);
                make_records(1);
                put_in(order);
                forget_counts();
                count_exactly(0, RECORDS, 1);
                feed(&m, 0, RECORDS);
                ck_assert_uint_eq(m.index.n, m.shape.members);
                ck_assert_uint_ge(m.cells.bits, large ? 8 : 16);
                expect_bounds(&m);
            }
}
END_TEST

START_TEST(counts_are_exact_until_a_member_has_to_leave)
{
    struct contrast m = model(0, (struct contrast_shape){IDS, 16, 0, 0}, plain);
    make_records(2);
    forget_counts();
    count_exactly(0, RECORDS, 1);
    feed(&m, 0, RECORDS);
    for (uint32_t id = 0; id < IDS; id++) {
        struct contrast_bounds b = contrast_bounds_of(&m, id);
        for (int y = 0; y < 2; y++) {
            ck_assert(b.low[y] == exact[id][y]);
            ck_assert(b.high[y] == exact[id][y]);
        }
    }
    ck_assert_uint_eq(contrast_late(&m), 0);
}
END_TEST

START_TEST(an_excess_is_packed_to_no_less_and_little_more)
{
    uint64_t seed = 3;
    for (int i = 0; i < 100000; i++) {
        uint32_t e[2] = {(uint32_t)mix64_next(&seed),
                         (uint32_t)(mix64_next(&seed) >> (i % 32 + 32))};
        uint32_t packed = contrast_pack(e);
        for (int y = 0; y < 2; y++) {
            uint32_t back = contrast_unpack(packed, y);
            ck_assert_uint_ge(back, e[y]);
            ck_assert(back == e[y] || back - 1.0 <= e[y] * (1 + 1.0 / 1024));
        }
    }
    const uint32_t ends[2] = {0, UINT32_MAX};
    ck_assert_uint_eq(contrast_unpack(contrast_pack(ends), 0), 0);
    ck_assert_uint_eq(contrast_unpack(contrast_pack(ends), 1), UINT32_MAX);
}
END_TEST

/* ---- features that stay ---- */

/* Returns the ratio of odds after the prior, from exact counts. */
static double exact_key(uint32_t id)
{
    double q = (exact_records[1] + 0.5) / ((double)exact_records[0] + (double)exact_records[1] + 1);
    return (exact[id][1] + 50 * q) / (exact[id][0] + 50 * (1 - q)) / (q / (1 - q));
}

/* Returns how many of the `n` largest exact keys are members. */
static uint32_t kept_of_largest(const struct contrast *m, uint32_t n)
{
    static bool taken[IDS];
    uint32_t kept = 0;
    memset(taken, 0, sizeof taken);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t id = 0; id < IDS; id++)
            if (!taken[id] && (best == UINT32_MAX || exact_key(id) > exact_key(best))) best = id;
        taken[best] = true;
        kept += contrast_has(m, best);
    }
    return kept;
}

START_TEST(the_features_of_the_largest_keys_stay)
{
    for (enum order order = AS_IT_IS; order < ORDERS; order++) {
        make_records(4);
        put_in(order);
        forget_counts();
        count_exactly(0, RECORDS, 1);
        struct contrast m = model(0, (struct contrast_shape){200, 2048, 0, 0}, plain);
        feed(&m, 0, RECORDS);
        uint32_t kept = kept_of_largest(&m, 50);
        ck_assert_msg(kept >= 45, "order %d: %u of 50 are kept", (int)order, kept);
    }
}
END_TEST

START_TEST(both_signs_keep_features_of_the_rest_and_one_does_not)
{
    struct contrast one = model(0, (struct contrast_shape){8, 64, 0, 0}, plain);
    struct contrast two = model(1, (struct contrast_shape){8, 64, 0, 0}, both);
    for (int i = 0; i < 40000;
         i++) { /* 1 .. 20: common in both kinds; seldom: 0 in kind 0, 100 in 1 */
        int kind = i % 2;
        uint32_t id[2] = {1 + (uint32_t)(i / 2 % 20), kind ? 100 : 0};
        contrast_record(&one, kind, 0);
        contrast_record(&two, kind, 0);
        for (int k = 0; k < (i % 100 < 2 ? 2 : 1); k++) {
            contrast_add(&one, id[k], kind);
            contrast_add(&two, id[k], kind);
        }
    }
    ck_assert(!contrast_has(&one, 0));
    ck_assert(contrast_has(&two, 0));
    ck_assert(contrast_has(&two, 100));
}
END_TEST

/* Each of features 0 .. 9 is in a tenth of the records. Feature 0 is in more of kind 1, which comes
 * last. Other features come once. */
START_TEST(frequent_features_are_counted_before_the_records_come_that_they_set_apart)
{
    struct contrast m = model(0, (struct contrast_shape){40, 64, 0, 0}, plain);
    uint32_t zero[2] = {0, 0};
    for (int i = 0; i < 20000; i++) {
        int kind = i >= 15000;
        uint32_t frequent = kind && i % 2 ? 0 : (uint32_t)i % 10;
        contrast_record(&m, kind, 0);
        contrast_add(&m, frequent, kind);
        contrast_add(&m, 1000 + (uint32_t)i, kind);
        zero[kind] += frequent == 0;
    }
    struct contrast_bounds b = contrast_bounds_of(&m, 0);
    for (int y = 0; y < 2; y++)
        ck_assert(b.low[y] == zero[y] && b.high[y] == zero[y]);
}
END_TEST

/* ---- twins ---- */

START_TEST(features_of_the_same_records_are_twins_and_equal_counts_alone_are_not)
{
    struct contrast m = model(0, (struct contrast_shape){16, 16, 0, 0}, plain);
    for (int i = 0; i < 90; i++) { /* 1 and 2 together; 3 as often, in other records */
        contrast_record(&m, i % 2, 0);
        if (i % 3 == 0) contrast_add(&m, 1, i % 2), contrast_add(&m, 2, i % 2);
        if (i % 3 == 1) contrast_add(&m, 3, i % 2);
    }
    uint32_t a = slot_of(&m, 1), b = slot_of(&m, 2), c = slot_of(&m, 3);
    ck_assert(contrast_twins(&m, a, b));
    ck_assert_uint_eq(m.count[2 * a], m.count[2 * c]);
    ck_assert_uint_eq(m.count[2 * a + 1], m.count[2 * c + 1]);
    ck_assert(!contrast_twins(&m, a, c));
}
END_TEST

/* Features of different records with the same numbers are no twins after a merge, nor those whose
 * first records are not known. */
START_TEST(records_of_two_runs_are_different_ones)
{
    struct contrast_shape s = {8, 16, 16, 0};
    struct contrast a = model(0, s, plain), b = model(1, s, plain);
    for (uint64_t i = 0; i < 100; i++) {
        contrast_record(&a, i % 3 == 0, i % 10 ? 1 : 70);
        if (i % 10 == 0) contrast_add(&a, 70, i % 3 == 0);
        contrast_record(&b, i % 3 == 0, i % 10 ? 1 : 171);
        if (i % 10 == 0) contrast_add(&b, 80, i % 3 == 0);
        if (i % 10 == 0) contrast_add(&b, 91, i % 3 == 0);
    }
    struct contrast m = united(&block[2], &a, &b, 1);
    ck_assert_uint_eq(m.count[2 * slot_of(&m, 70)], m.count[2 * slot_of(&m, 80)]);
    ck_assert(!contrast_twins(&m, slot_of(&m, 70), slot_of(&m, 80)));
    ck_assert(contrast_twins(&m, slot_of(&m, 80), slot_of(&m, 91)));
    for (uint64_t id = 80; id <= 91; id += 11)
        m.united.beside[slot_of(&m, id)].excess[0] = 1;
    ck_assert(!contrast_twins(&m, slot_of(&m, 80), slot_of(&m, 91)));
}
END_TEST

/* ---- the sample ---- */

/* Counts the records of b's sample whose numbers are in the sample of a. A record has its number as
 * its only id, which follows the hash and the count of ids. */
static uint32_t common_places(const struct contrast *a, const struct contrast *b)
{
    const struct contrast_sample *x = &a->sample[0], *y = &b->sample[0];
    uint32_t common = 0;
    for (uint32_t i = 0; i < x->used; i += 3)
        for (uint32_t j = 0; j < y->used; j += 3)
            common += x->word[i + 2] == y->word[j + 2];
    return common;
}

static void sample_places(struct contrast *m, uint64_t each)
{
    for (uint64_t i = 0; i < 4000; i++) {
        int kind = i % each == 0;
        contrast_record(m, kind, 5);
        if (!kind) contrast_keep(m, 0, i);
    }
}

START_TEST(samples_apart_are_of_other_places_of_the_splits)
{
    struct contrast_shape s = {8, 16, 1200, 0};
    struct contrast_options apart = plain;
    apart.apart = true;
    struct contrast a = model(0, s, plain), b = model(1, s, plain), c = model(2, s, apart),
                    d = model(3, s, apart);
    sample_places(&a, 50);
    sample_places(&b, 40);
    sample_places(&c, 50);
    sample_places(&d, 40);
    uint32_t sampled = a.sample[0].used / 3;
    ck_assert_uint_gt(sampled, 80);
    ck_assert_uint_gt(common_places(&a, &b), sampled * 9 / 10);
    ck_assert_uint_lt(common_places(&c, &d), sampled / 5);
    struct contrast again = model(3, s, apart);
    sample_places(&again, 50);
    ck_assert_uint_eq(common_places(&c, &again), c.sample[0].used / 3);
}
END_TEST

/* Compares the share of sampled records of a kind that have all of up to three features with the
 * share of all records, which is counted. */
static void expect_share(const struct contrast *m, int kind, const uint32_t id[3], uint32_t parts)
{
    static struct contrast_sample_entry entry[8000];
    static uint32_t found[8000];
    struct contrast_sample_index x = contrast_sample_index(&m->sample[kind], entry);
    uint32_t n = contrast_sample_find(&x, id, parts, found), with = 0, all = 0;
    for (int i = 0; i < RECORDS; i++) {
        bool every = true;
        for (uint32_t k = 0; k < parts; k++)
            every &= has(&record[i], EACH, id[k]);
        all += record[i].kind == kind;
        with += record[i].kind == kind && every;
    }
    for (uint32_t i = 1; i < n; i++)
        ck_assert(found[i - 1] < found[i] && found[i] < x.records);
    ck_assert_uint_ge(x.records, 8000 / (EACH + 2) / 2 - 1);
    double p = (double)with / all;
    ck_assert_double_eq_tol((double)n / x.records, p, 4 * sqrt(p * (1 - p) / x.records) + 1e-9);
}

START_TEST(the_sample_of_each_kind_tells_what_share_of_it_has_features)
{
    struct contrast m = model(0, (struct contrast_shape){500, 500, 16000, 0}, plain);
    static const uint32_t ids[][3] = {{10, 0, 0}, {1, 2, 0}, {10, 1, 0}, {1, 2, 3}, {3, 499, 0}};
    make_records(5);
    feed(&m, 0, RECORDS);
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
            expect_share(&m, kind, ids[i], ids[i][2] ? 3 : ids[i][1] ? 2 : 1);
    ck_assert_ptr_null(contrast_check(&m));
}
END_TEST

START_TEST(records_are_found_by_all_their_ids)
{
    uint32_t word[64], found[16];
    struct contrast_sample s;
    contrast_sample_init(&s, word, 64, false);
    static const uint32_t of[][5] = {{5, 7, 9}, {7, 7, 1}, {9, 5}, {0}, {9, 7, 5, 2}};
    for (uint32_t r = 0; r < 5; r++) {
        contrast_sample_begin(&s, r, true, 0);
        for (uint32_t i = 0; of[r][i]; i++)
            contrast_sample_add(&s, of[r][i]);
    }
    struct contrast_sample_entry entry[64];
    struct contrast_sample_index x = contrast_sample_index(&s, entry);
    ck_assert_uint_eq(x.records, 5);
    ck_assert_uint_eq(x.n, 12);
    ck_assert_uint_eq(contrast_sample_find(&x, (uint32_t[]){7}, 1, found), 3);
    ck_assert(found[0] == 0 && found[1] == 1 && found[2] == 4);
    ck_assert_uint_eq(contrast_sample_find(&x, (uint32_t[]){9, 5}, 2, found), 3);
    ck_assert(found[0] == 0 && found[1] == 2 && found[2] == 4);
    ck_assert_uint_eq(contrast_sample_find(&x, (uint32_t[]){5, 7, 2}, 3, found), 1);
    ck_assert_uint_eq(found[0], 4);
    ck_assert_uint_eq(contrast_sample_find(&x, (uint32_t[]){1, 2}, 2, found), 0);
    ck_assert_uint_eq(contrast_sample_find(&x, (uint32_t[]){3}, 1, found), 0);
}
END_TEST

START_TEST(a_record_that_is_longer_than_the_sample_is_left_out)
{
    struct contrast m = model(0, (struct contrast_shape){64, 16, 32, 0}, plain);
    for (uint32_t r = 0; r < 100; r++) {
        contrast_record(&m, 1, 0);
        for (uint32_t i = 0; i < (r % 2 ? 3 : 40); i++)
            add(&m, 100 * r + i, 1);
        ck_assert_ptr_null(contrast_sample_check(&m.sample[1]));
    }
    ck_assert_uint_le(m.sample[1].used, 16);
}
END_TEST

/* ---- distinct features ---- */

START_TEST(distinct_features_are_estimated_within_four_standard_errors)
{
    for (uint32_t n = 10; n <= 1000000; n *= 10) {
        uint8_t registers[DISTINCT_REGISTERS] = {0};
        for (uint32_t i = 0; i < n; i++)
            for (int twice = 0; twice < 2; twice++)
                distinct_add(registers, mix64(i + 77));
        ck_assert_double_eq_tol(distinct_count(registers), n, 4 * 0.0325 * n + 1);
    }
}
END_TEST

/* ---- fading ---- */

START_TEST(with_a_half_life_counts_fade_as_they_should)
{
    enum { HALF_LIFE = 500 };
    struct contrast m = model(0, (struct contrast_shape){200, 128, 0, 0},
                              (struct contrast_options){.half_life = HALF_LIFE, .seed = 7});
    static double faded[IDS][2];
    double fade = exp2(-1.0 / HALF_LIFE);
    memset(faded, 0, sizeof faded);
    make_records(6);
    feed(&m, 0, RECORDS);
    for (int i = 0; i < RECORDS; i++)
        for (uint32_t k = 0; k < EACH; k++)
            faded[record[i].id[k]][record[i].kind] += pow(fade, RECORDS - 1 - i);
    for (uint32_t id = 0; id < IDS; id++) {
        struct contrast_bounds b = contrast_bounds_of(&m, id);
        for (int y = 0; y < 2; y++) {
            ck_assert_double_ge(b.high[y], faded[id][y] - 0.5);
            ck_assert_double_le(b.low[y], faded[id][y] + 0.5);
        }
    }
    ck_assert_ptr_null(contrast_check(&m));
}
END_TEST

#define SECOND INT64_C(1000000000)

/* Adds record i of feed() at its own time. */
static void feed_at(struct contrast *m, int i, int64_t time)
{
    contrast_at(m, time);
    contrast_record(m, record[i].kind, 0);
    for (uint32_t k = 0; k < EACH; k++)
        contrast_add(m, record[i].id[k], record[i].kind);
}

static struct contrast by_time(int k, double seconds)
{
    return model(k, (struct contrast_shape){200, 128, 0, 0},
                 (struct contrast_options){.half_life = seconds * 1e9, .by_time = true, .seed = 7});
}

/* Checks that counts of `id` are within `tolerance` of `want`, and that the bounds hold it. */
static void expect_faded(const struct contrast *m, uint32_t id, const double want[2],
                         double tolerance)
{
    struct contrast_bounds b = contrast_bounds_of(m, id);
    for (int y = 0; y < 2; y++) {
        ck_assert_double_ge(b.high[y], want[y] * (1 - tolerance) - 0.1);
        ck_assert_double_le(b.low[y], want[y] * (1 + tolerance) + 0.1);
    }
}

/* Times stand still, jump, or go backwards. A record that is late counts what fading has left of
 * it. */
START_TEST(by_event_time_counts_fade_by_what_has_passed)
{
    struct contrast m = by_time(0, 60);
    static double faded[IDS][2];
    int64_t newest = 0, time = 1700000000 * SECOND;
    uint64_t s = 3;
    memset(faded, 0, sizeof faded);
    make_records(6);
    for (int i = 0; i < RECORDS; i++) {
        time += (int64_t)below(&s, 5) * SECOND / 10 - SECOND / 10;
        if (below(&s, 1000) == 0) time += 200 * SECOND;
        int64_t its = i % 7 ? time : -1; /* some records have no time */
        double f = newest && its > newest ? exp2(-(double)(its - newest) / 60e9) : 1;
        newest = its > newest ? its : newest;
        double weight = its > 0 ? exp2(-(double)(newest - its) / 60e9) : 1;
        for (double *v = faded[0]; v < faded[IDS]; v++)
            *v *= f;
        for (uint32_t k = 0; k < EACH; k++)
            faded[record[i].id[k]][record[i].kind] += weight;
        feed_at(&m, i, its);
    }
    for (uint32_t id = 0; id < IDS; id++)
        expect_faded(&m, id, faded[id], 0.01);
    ck_assert_ptr_null(contrast_check(&m));
}
END_TEST

START_TEST(any_number_of_records_has_room_in_a_half_life)
{
    enum { MANY = 12000000 };
    struct contrast m = by_time(0, 3600);
    double want[2] = {0, 0};
    for (int i = 0; i < MANY; i++) {
        contrast_at(&m, SECOND + i); /* 12 ms in all */
        contrast_record(&m, i % 4 == 0, 0);
        contrast_add(&m, 5, i % 4 == 0);
        want[i % 4 == 0]++;
    }
    expect_faded(&m, 5, want, 1e-4);
    contrast_at(&m, SECOND + MANY + 2 * 3600 * SECOND); /* two half-lives */
    contrast_record(&m, 0, 0);
    for (int y = 0; y < 2; y++)
        want[y] /= 4;
    expect_faded(&m, 5, want, 1e-3);
    for (int i = 0; i < 10; i++) { /* a thousand half-lives later, which ten records confirm */
        contrast_at(&m, 1000 * 3600 * SECOND);
        contrast_record(&m, 1, 0);
        contrast_add(&m, 6, 1);
    }
    ck_assert_double_le(contrast_bounds_of(&m, 5).high[0], 8);
    expect_faded(&m, 6, (const double[]){0, 1}, 0.01);
    ck_assert_double_eq_tol(contrast_records(&m, 1), 1, 1);
}
END_TEST

START_TEST(models_of_two_times_meet_at_the_later_one)
{
    struct contrast a = by_time(0, 60), b = by_time(1, 60), all = by_time(3, 60);
    double want[2];
    make_records(9);
    for (int i = 0; i < RECORDS; i++) {
        int64_t time = 1700000000 * SECOND + i * SECOND / 20;
        feed_at(i < RECORDS / 2 ? &a : &b, i, time);
        feed_at(&all, i, time);
    }
    contrast_meet(&a, &b);
    struct contrast m = united(&block[2], &a, &b, 1);
    ck_assert_uint_eq(m.clock.at.newest, b.clock.at.newest);
    for (uint32_t id = 0; id < IDS; id++) {
        struct contrast_bounds of_all = contrast_bounds_of(&all, id);
        for (int y = 0; y < 2; y++)
            want[y] = (of_all.low[y] + of_all.high[y]) / 2;
        if (of_all.high[0] == of_all.low[0] && of_all.high[1] == of_all.low[1])
            expect_faded(&m, id, want, 0.01);
    }
    for (int y = 0; y < 2; y++)
        ck_assert_double_eq_tol(contrast_records(&m, y), contrast_records(&all, y), 1e-6);
}
END_TEST

/* ---- copies and merges ---- */

static void expect_equal(const struct contrast *a, const struct contrast *b)
{
    struct contrast_parts p = contrast_parts(a), q = contrast_parts(b);
    ck_assert_uint_eq(p.n, q.n);
    ck_assert_mem_eq(p.id, q.id, p.n * sizeof *p.id);
    ck_assert_mem_eq(p.count, q.count, 2 * p.n * sizeof *p.count);
    ck_assert_mem_eq(p.excess, q.excess, p.n * sizeof *p.excess);
    ck_assert_mem_eq(p.signatures, q.signatures, p.n * sizeof *p.signatures);
    ck_assert_mem_eq(p.key, q.key, p.n * sizeof *p.key);
    ck_assert_uint_eq(p.words, q.words);
    ck_assert_mem_eq(p.word, q.word, p.words * sizeof *p.word);
    ck_assert_mem_eq(p.registers, q.registers, DISTINCT_REGISTERS);
    for (int y = 0; y < 2; y++) {
        ck_assert_uint_eq(p.sample[y].n, q.sample[y].n);
        ck_assert_mem_eq(p.sample[y].word, q.sample[y].word, p.sample[y].n * sizeof(uint32_t));
    }
    ck_assert_uint_eq(p.cursor, q.cursor);
    ck_assert_uint_eq(p.cell_bits, q.cell_bits);
    ck_assert(p.occurrences == q.occurrences);
}

START_TEST(a_copy_goes_on_as_the_model_that_it_was_taken_from)
{
    const struct contrast_shape s = {100, 100, 200, 0};
    for (int fading = 0; fading < 2; fading++) {
        struct contrast_options o = {.half_life = fading ? 700 : 0, .seed = 7};
        struct contrast m = model(0, s, o), copy = model(1, s, o);
        make_records(8);
        feed(&m, 0, RECORDS / 2);
        struct contrast_parts p = contrast_parts(&m);
        ck_assert_ptr_null(contrast_load(&copy, &p));
        feed(&m, RECORDS / 2, RECORDS);
        feed(&copy, RECORDS / 2, RECORDS);
        expect_equal(&m, &copy);
    }
}
END_TEST

START_TEST(parts_that_no_model_can_have_are_refused)
{
    const struct contrast_shape s = {8, 16, 16, 0};
    struct contrast m = model(0, s, plain);
    make_records(11);
    feed(&m, 0, 50);
    struct contrast_parts p = contrast_parts(&m);
    uint64_t twice[8];
    memcpy(twice, p.id, sizeof twice);
    twice[1] = twice[0];
    p.id = twice;
    struct contrast copy = model(1, s, plain);
    ck_assert_ptr_nonnull(contrast_load(&copy, &p));
    const uint32_t open_end[] = {1, 9, 5};
    p = contrast_parts(&m);
    p.cell_bits = 24;
    copy = model(1, s, plain);
    ck_assert_ptr_nonnull(contrast_load(&copy, &p));
    p = contrast_parts(&m);
    p.sample[0].word = open_end;
    p.sample[0].n = 3;
    copy = model(1, s, plain);
    ck_assert_ptr_nonnull(contrast_load(&copy, &p));
}
END_TEST

/* ---- shapes ---- */

START_TEST(a_budget_is_kept_and_nearly_used)
{
    for (uint64_t bytes = 256; bytes <= 64 << 20; bytes *= 2) {
        struct contrast_shape s = {0};
        ck_assert(contrast_shape_from_budget(bytes, &s));
        ck_assert_uint_le(contrast_charged_bytes(&s), bytes);
        ck_assert_uint_ge(contrast_charged_bytes(&s) + 64, bytes);
        ck_assert_uint_le(contrast_budget_for(s.members, false), bytes + 256);
    }
    struct contrast_shape s = {0};
    ck_assert(!contrast_shape_from_budget(32, &s));
}
END_TEST

/* The block is no larger than the model may need. */
START_TEST(few_features_touch_little_of_a_large_model)
{
    struct contrast_shape s = {0};
    ck_assert(contrast_shape_from_budget(64 << 20, &s));
    size_t bytes = contrast_block_bytes(&s);
    void *fresh = touched_none(bytes);
    struct contrast m;
    contrast_init(&m, &s, &plain, fresh);
    for (uint64_t i = 0; i < 3000; i++) {
        contrast_record(&m, i & 1, 0);
        contrast_add(&m, i % 1000, i & 1);
    }
    uint64_t sampled = 4 * (uint64_t)(m.sample[0].used + m.sample[1].used);
    ck_assert_uint_eq(contrast_used_bytes(&m) - sampled, 1000 * 28);
    size_t now = touched_bytes(fresh), own = contrast_used_bytes(&m);
    ck_assert_msg(now <= own + (256 << 10), "%zu bytes are touched, %zu are used", now, own);
    touched_free(fresh, bytes);
}
END_TEST

START_TEST(a_full_model_uses_what_it_is_charged)
{
    struct contrast_shape s = {.members = 10, .width = 8, .sample = 40};
    struct contrast m = model(0, s, plain);
    for (uint64_t i = 0; i < 1000; i++) {
        contrast_record(&m, 1, 0);
        add(&m, (uint32_t)i, 1);
    }
    uint64_t unused = s.sample - m.sample[0].used - m.sample[1].used;
    ck_assert_uint_eq(contrast_used_bytes(&m) + 4 * unused, contrast_charged_bytes(&s));
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct contrast m = model(0, (struct contrast_shape){1, 64, 16, 0}, plain);
    uint32_t slot = CONTRAST_NONE;
    for (int i = 0; i < 7; i++) {
        int kind = i < 3;
        contrast_record(&m, kind, 0);
        if (i == 6) ck_assert_double_eq_tol((double)m.key[0], 1.71, 5e-3);
        slot = contrast_add(&m, kind ? 7 : 9, kind);
        ck_assert_uint_eq(slot, i == 0 || i == 6 ? 0 : CONTRAST_NONE);
        if (i == 2) ck_assert(m.count[0] == 0 && m.count[1] == 3 && m.excess[0] == 0);
        if (i == 5) ck_assert(contrast_bounds_of(&m, 9).high[0] == 3);
    }
    ck_assert_double_eq_tol((double)m.key[0], 2.29, 5e-3);
    ck_assert_uint_eq(m.count[0], 4);
    ck_assert_uint_eq(contrast_unpack(m.excess[0], 0), 3);
    struct contrast_bounds nine = contrast_bounds_of(&m, 9), seven = contrast_bounds_of(&m, 7);
    ck_assert(nine.low[0] == 1 && nine.high[0] == 4);
    ck_assert(seven.low[1] == 0 && seven.high[1] == 3);
}
END_TEST

START_TEST(the_example_of_the_header_of_the_sample_is_what_happens)
{
    static const struct {
        uint32_t hash, n, id[2], used;
    } of[] = {{0x20000000, 2, {1, 2}, 4}, {0xa0000000, 2, {3, 4}, 8}, {0x10000000, 1, {5}, 7}};
    uint32_t word[8];
    struct contrast_sample s;
    contrast_sample_init(&s, word, 8, false);
    for (int i = 0; i < 3; i++) {
        contrast_sample_begin(&s, of[i].hash, true, 0);
        for (uint32_t k = 0; k < of[i].n; k++)
            contrast_sample_add(&s, of[i].id[k]);
        ck_assert_uint_eq(s.used, of[i].used);
    }
    ck_assert_uint_eq(s.limit, 1ull << 31);
    ck_assert_uint_eq(word[4], 0x10000000);
}
END_TEST

LEAT_SUITE("contrast", records_of_two_runs_are_different_ones,
           bounds_hold_the_exact_counts_in_any_order, counts_are_exact_until_a_member_has_to_leave,
           an_excess_is_packed_to_no_less_and_little_more, the_features_of_the_largest_keys_stay,
           both_signs_keep_features_of_the_rest_and_one_does_not,
           frequent_features_are_counted_before_the_records_come_that_they_set_apart,
           features_of_the_same_records_are_twins_and_equal_counts_alone_are_not,
           samples_apart_are_of_other_places_of_the_splits,
           the_sample_of_each_kind_tells_what_share_of_it_has_features,
           records_are_found_by_all_their_ids, a_record_that_is_longer_than_the_sample_is_left_out,
           distinct_features_are_estimated_within_four_standard_errors,
           with_a_half_life_counts_fade_as_they_should,
           by_event_time_counts_fade_by_what_has_passed,
           any_number_of_records_has_room_in_a_half_life, models_of_two_times_meet_at_the_later_one,
           a_copy_goes_on_as_the_model_that_it_was_taken_from,
           parts_that_no_model_can_have_are_refused, a_budget_is_kept_and_nearly_used,
           few_features_touch_little_of_a_large_model, a_full_model_uses_what_it_is_charged,
           the_example_of_the_header_is_what_happens,
           the_example_of_the_header_of_the_sample_is_what_happens)
