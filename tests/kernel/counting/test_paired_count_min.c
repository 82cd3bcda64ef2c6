/* test_paired_count_min.c -- counts and ratios against exact ones, the heap against a full scan. */
#include "support/suite.h"
#include "core/mix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/counting/paired_count_min/paired_count_min.h"

static void *block;

static struct paired_count_min model(uint32_t active, uint32_t width, uint32_t depth,
                                     bool conservative)
{
    struct paired_count_min m;
    struct paired_count_min_shape s = {active, width, depth};
    struct paired_count_min_options o = {conservative, 7};
    free(block);
    block = aligned_alloc(64, paired_count_min_block_bytes(&s));
    memset(block, 0, paired_count_min_block_bytes(&s));
    paired_count_min_init(&m, &s, &o, block);
    return m;
}

static uint32_t count(struct paired_count_min *m, uint64_t id, int stream)
{
    paired_count_min_record(m, stream);
    return paired_count_min_add(m, id, stream);
}

enum { IDS = 2000 };
static uint32_t exact[IDS][2];

/* Skewed items; low ones lean to stream 1, odd ones to stream 0. */
static void feed(struct paired_count_min *m, uint64_t seed, uint32_t updates)
{
    memset(exact, 0, sizeof exact);
    while (updates--) {
        uint64_t u = mix64_next(&seed);
        uint32_t i = (uint32_t)((u & 0xffff) * (u >> 16 & 0xffff) >> 21) % IDS;
        int stream = (u >> 40 & 7) < (i % 2 ? 2u : i < 50 ? 7u : 4u);
        count(m, i, stream);
        exact[i][stream]++;
    }
}

START_TEST(estimates_are_never_below_the_count_and_rarely_far_above)
{
    for (int conservative = 0; conservative < 2; conservative++) {
        struct paired_count_min m = model(64, 250, 4, conservative);
        uint32_t far = 0, updates = 20000;
        feed(&m, 1, updates);
        for (uint32_t i = 0; i < IDS; i++) {
            uint32_t c[2];
            paired_count_min_counts(&m, i, c);
            for (int s = 0; s < 2; s++) {
                ck_assert_uint_ge(c[s], exact[i][s]);
                far += c[s] > exact[i][s] + 2.718281828 * m.records[s] / 250;
            }
        }
        /* e^-4 of 4000 is 73; more than twice that cannot be chance */
        ck_assert_uint_le(far, 146);
    }
}
END_TEST

START_TEST(conservative_update_is_never_worse)
{
    struct paired_count_min plain = model(64, 64, 3, false);
    feed(&plain, 2, 20000);
    void *kept = block;
    block = NULL;
    struct paired_count_min careful = model(64, 64, 3, true);
    feed(&careful, 2, 20000);
    uint64_t gain = 0;
    for (uint32_t i = 0; i < IDS; i++) {
        uint32_t a[2], b[2];
        paired_count_min_counts(&plain, i, a);
        paired_count_min_counts(&careful, i, b);
        for (int s = 0; s < 2; s++) {
            ck_assert_uint_le(b[s], a[s]);
            gain += a[s] - b[s];
        }
    }
    ck_assert_uint_gt(gain, 0);
    free(kept);
}
END_TEST

START_TEST(without_collisions_the_heap_holds_the_largest_ratios)
{
    enum { ACTIVE = 32 };
    struct paired_count_min m = model(ACTIVE, 1 << 20, 2, false);
    static float w[IDS];
    float ratio[ACTIVE];
    uint32_t counts[2 * ACTIVE], top[ACTIVE];
    feed(&m, 3, 50000);
    for (uint32_t i = 0; i < IDS; i++) {
        /* Each record counts `all` times, and as many records like all are added. */
        double N1 = (double)m.records[1], N0 = (double)m.records[0], all = N1 + N0;
        double p1 = (all * exact[i][1] + N1) / N1, p0 = (all * exact[i][0] + N0) / N0;
        ck_assert_double_eq_tol(paired_count_min_ratio(&m, i), log(p1 / p0), 1e-12);
        w[i] = exact[i][0] + exact[i][1] ? (float)fabs(log(p1 / p0)) : 0;
    }
    uint32_t n = paired_count_min_top(&m, ACTIVE, 0, ratio, counts, top);
    ck_assert_uint_eq(n, ACTIVE);
    float min = fabsf(ratio[top[n - 1]]);
    uint32_t above = 0;
    for (uint32_t i = 0; i < IDS; i++)
        above += w[i] > min * 1.0001f;
    /* A displaced item comes back only when it is seen again, and few are. */
    ck_assert_uint_le(above, ACTIVE + ACTIVE / 4);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = top[k], i = m.members.id[s];
        ck_assert_uint_eq(counts[2 * s], exact[i][0]);
        ck_assert_uint_eq(counts[2 * s + 1], exact[i][1]);
        if (k) ck_assert(fabsf(ratio[s]) <= fabsf(ratio[top[k - 1]]));
    }
}
END_TEST

START_TEST(invariants_hold_after_every_update)
{
    struct paired_count_min m =
        model(17, 8, 2, false); /* everything collides, members come and go */
    uint64_t seed = 4;
    for (int t = 0; t < 5000; t++) {
        uint64_t u = mix64_next(&seed);
        count(&m, u % 97 ? u % 61 : u, (int)(u >> 60 & 1));
        const char *broken = paired_count_min_check(&m);
        ck_assert_msg(!broken, "%s after %d", broken, t);
    }
    ck_assert_uint_eq(m.members.n, 17);
}
END_TEST

START_TEST(an_entrant_is_told_once_and_its_slot_holds_it)
{
    struct paired_count_min m = model(4, 64, 2, false);
    for (uint64_t id = 10; id < 14; id++) {
        uint32_t slot = count(&m, id, 1);
        ck_assert_uint_lt(slot, 4);
        ck_assert_uint_eq(m.members.id[slot], id);
        ck_assert_uint_eq(count(&m, id, 1), PAIRED_COUNT_MIN_NONE);
    }
}
END_TEST

START_TEST(one_stream_alone_keeps_everything_finite)
{
    struct paired_count_min m = model(8, 16, 2, true);
    ck_assert(isfinite(paired_count_min_ratio(&m, 1)) && isfinite(paired_count_min_prior(&m)));
    for (int t = 0; t < 1000; t++)
        count(&m, (uint64_t)t % 40, 1);
    ck_assert_ptr_null(paired_count_min_check(&m));
    ck_assert(isfinite(paired_count_min_prior(&m)) && paired_count_min_prior(&m) > 7);
    float ratio[8];
    uint32_t counts[16], top[8];
    ck_assert_uint_eq(paired_count_min_top(&m, 8, 1, ratio, counts, top), 8);
    for (int k = 0; k < 8; k++)
        ck_assert(isfinite(ratio[top[k]]));
    ck_assert_uint_eq(paired_count_min_top(&m, 8, 100000, ratio, counts, top), 0);
}
END_TEST

START_TEST(a_full_counter_stays_full)
{
    struct paired_count_min m = model(2, 1, 1, false);
    m.cell[1] = UINT32_MAX - 1;
    for (int t = 0; t < 3; t++)
        count(&m, 5, 1);
    uint32_t c[2];
    paired_count_min_counts(&m, 5, c);
    ck_assert_uint_eq(c[1], UINT32_MAX);
    ck_assert_ptr_null(paired_count_min_check(&m));
}
END_TEST

START_TEST(shapes_keep_their_budget)
{
    for (uint64_t bytes = 64; bytes < 1 << 22; bytes = bytes * 5 / 4) {
        struct paired_count_min_shape s = {0, 0, 0};
        ck_assert(paired_count_min_shape_from_budget(bytes, &s));
        ck_assert_uint_le(paired_count_min_charged_bytes(&s), bytes);
        /* The budget is used up. */
        ck_assert_uint_ge(paired_count_min_charged_bytes(&s) + 24, bytes);
    }
    struct paired_count_min_shape s = {0, 0, 0};
    ck_assert(paired_count_min_shape_from_budget(32768, &s));
    ck_assert_uint_eq(s.active, 2048);
    ck_assert_uint_eq(s.width, 1024);
    s = (struct paired_count_min_shape){2048, 0, 2};
    ck_assert(paired_count_min_shape_from_budget(262144, &s));
    ck_assert_uint_eq(s.width, 15360);
    s = (struct paired_count_min_shape){0, 1024, 4};
    ck_assert(!paired_count_min_shape_from_budget(32768, &s)); /* no room is left for names */
    s = (struct paired_count_min_shape){4096, 0, 2};
    ck_assert(!paired_count_min_shape_from_budget(32768, &s)); /* no room is left for cells */
}
END_TEST

/* A model with its block. */
static struct paired_count_min another(const struct paired_count_min *like, void **its)
{
    struct paired_count_min m;
    size_t n = paired_count_min_block_bytes(&like->shape);
    *its = memset(aligned_alloc(64, n), 0, n);
    paired_count_min_init(&m, &like->shape, &like->opt, *its);
    return m;
}

static bool has_member(const struct paired_count_min *m, uint32_t id)
{
    for (uint32_t s = 0; s < m->members.n; s++)
        if (m->members.id[s] == id) return true;
    return false;
}

START_TEST(a_merge_estimates_as_one_model_of_both_streams_would)
{
    for (int conservative = 0; conservative < 2; conservative++) {
        void *blocks[3];
        struct linear_origin member[2 * 64];
        static uint32_t first[IDS][2];
        struct paired_count_min all = model(64, 250, 4, conservative);
        struct paired_count_min a = another(&all, &blocks[0]), b = another(&all, &blocks[1]);
        struct paired_count_min wide = all;
        wide.shape.active = 2 * 64;
        struct paired_count_min m = another(&wide, &blocks[2]);
        feed(&a, 1, 20000);
        memcpy(first, exact, sizeof first);
        feed(&b, 2, 9000);
        feed(&all, 1, 20000);
        feed(&all, 2, 9000);
        paired_count_min_merge(&m, &a, &b, 1, member);
        ck_assert_ptr_null(paired_count_min_check(&m));
        ck_assert(m.records[0] == all.records[0] && m.records[1] == all.records[1]);
        for (uint32_t i = 0; i < IDS; i++) {
            uint32_t c[2], want[2];
            paired_count_min_counts(&m, i, c);
            paired_count_min_counts(&all, i, want);
            for (int s = 0; s < 2; s++) {
                ck_assert_uint_ge(c[s], first[i][s] + exact[i][s]);
                if (!conservative) ck_assert_uint_eq(c[s], want[s]);
            }
        }
        for (uint32_t s = 0; s < m.members.n; s++) { /* the heaviest of either side, in order */
            ck_assert(m.ratio[s] == (float)paired_count_min_ratio(&m, m.members.id[s]) &&
                      m.members.id[s] == member[s].id);
            ck_assert(!s || fabsf(m.ratio[s]) <= fabsf(m.ratio[s - 1]));
            ck_assert(!member[s].a || a.members.id[member[s].a - 1] == m.members.id[s]);
            ck_assert(!member[s].b || b.members.id[member[s].b - 1] == m.members.id[s]);
        }
        for (uint32_t s = 0; s < 64; s++) { /* all of either side stay */
            ck_assert(has_member(&m, a.members.id[s]) && has_member(&m, b.members.id[s]));
        }
        ck_assert_uint_gt(m.members.n, 64);
        uint32_t heaviest[64];
        memcpy(heaviest, m.members.id, sizeof heaviest);
        paired_count_min_settle(&m, 64);
        ck_assert_ptr_null(paired_count_min_check(&m));
        ck_assert_uint_eq(m.members.n, 64);
        ck_assert_mem_eq(m.members.id, heaviest, sizeof heaviest);
        for (int k = 0; k < 3; k++)
            free(blocks[k]);
    }
}
END_TEST

START_TEST(a_feature_in_two_slots_is_refused)
{
    struct paired_count_min m = model(8, 32, 2, false);
    void *its;
    feed(&m, 1, 500);
    uint32_t id[8];
    memcpy(id, m.members.id, sizeof id);
    for (int twice = 0; twice < 2; twice++) {
        struct paired_count_min copy = another(&m, &its);
        struct paired_count_min_parts p = paired_count_min_parts(&m);
        p.id = id;
        id[5] = id[twice ? 2 : 5];
        const char *wrong = paired_count_min_load(&copy, &p);
        ck_assert(twice ? !strcmp(wrong, "ids has an id twice")
                        : !wrong && !paired_count_min_check(&copy));
        free(its);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct paired_count_min m = model(1, 64, 2, false);
    for (int i = 0; i < 20; i++)
        paired_count_min_record(&m, 0);
    for (int i = 0; i < 10; i++) {
        paired_count_min_record(&m, 1);
        if (i < 3) paired_count_min_add(&m, 7, 1);
    }
    ck_assert_double_eq_tol(exp(paired_count_min_ratio(&m, 7)), 10, 1e-9);
    paired_count_min_add(&m, 7, 0);
    ck_assert_double_eq_tol(exp(paired_count_min_ratio(&m, 7)), 4, 1e-9);
    ck_assert_double_eq_tol(paired_count_min_ratio(&m, 7), 1.39, 5e-3);
}
END_TEST

LEAT_SUITE("paired_count_min", estimates_are_never_below_the_count_and_rarely_far_above,
           conservative_update_is_never_worse, without_collisions_the_heap_holds_the_largest_ratios,
           invariants_hold_after_every_update, an_entrant_is_told_once_and_its_slot_holds_it,
           one_stream_alone_keeps_everything_finite, a_full_counter_stays_full,
           shapes_keep_their_budget, a_merge_estimates_as_one_model_of_both_streams_would,
           a_feature_in_two_slots_is_refused, the_example_of_the_header_is_what_happens)
