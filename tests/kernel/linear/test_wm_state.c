/* test_wm_state.c -- copies and merges of WM-Sketches. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/merge_rig.h"
#include "support/wm_rig.h"

static struct model trained(const struct linear_shape *shape, const struct linear_options *opt,
                            uint64_t seed, int rows)
{
    struct model t = model_new(*shape, *opt);
    for (int k = 0; k < rows; k++) {
        struct sample a;
        double z;
        draw(&a, &seed, 80, k % 3);
        store_learn(&t.m.s, &a.row, &z);
    }
    return t;
}

static void ck_same_model(const struct wm *a, const struct wm *b)
{
    ck_assert(!memcmp(a->s.sgd.records, b->s.sgd.records, 16) && a->s.sgd.t == b->s.sgd.t);
    ck_assert(a->s.sgd.alpha == b->s.sgd.alpha && a->s.sgd.bias == b->s.sgd.bias);
    ck_assert_uint_eq(a->s.set.n, b->s.set.n);
    ck_assert(!memcmp(a->s.set.id, b->s.set.id, a->s.set.n * 4));
    ck_assert(!memcmp(a->s.member.weight, b->s.member.weight, a->s.set.n * 4));
    ck_assert(!memcmp(a->s.cell.weight, b->s.cell.weight, cells(a) * 4));
    if (a->s.count) ck_assert(!memcmp(a->s.count, b->s.count, a->s.set.n * 8));
}

START_TEST(a_loaded_copy_goes_on_as_the_original_would)
{
    for (uint32_t depth = 1; depth < 5; depth++) {
        struct linear_shape shape = shape_of(12, 20, depth);
        struct linear_options opt = {
            .sgd = {.lambda = 1e-3, .eta0 = 0.3}, .counts = depth % 2, .max_row = MAX_ROW};
        struct model t = trained(&shape, &opt, depth, depth == 4 ? 2 : 400);
        struct model copy = model_new(shape, opt);
        struct linear_parts p = store_parts(&t.m.s);
        ck_assert_ptr_null(store_load(&copy.m.s, &p));
        ck_same_model(&t.m, &copy.m);
        uint64_t s = 77;
        for (int k = 0; k < 400; k++) {
            struct sample a;
            double z, want;
            draw(&a, &s, 80, k % 3);
            store_learn(&t.m.s, &a.row, &want);
            store_learn(&copy.m.s, &a.row, &z);
            ck_assert(z == want);
            ck_assert_ptr_null(store_check(&copy.m.s));
        }
        ck_same_model(&t.m, &copy.m);
        free(t.block);
        free(copy.block);
    }
}
END_TEST

START_TEST(a_feature_in_two_slots_is_refused)
{
    struct linear_shape shape = shape_of(4, 8, 2);
    struct linear_options opt = {.sgd = {.eta0 = 0.3}, .max_row = MAX_ROW};
    struct model t = trained(&shape, &opt, 5, 50), copy = model_new(shape, opt);
    uint32_t twice[4] = {1, 2, 1, 3};
    struct linear_parts p = store_parts(&t.m.s);
    p.id = twice;
    ck_assert_str_eq(store_load(&copy.m.s, &p), "ids has an id twice");
    free(copy.block);
    free(t.block);
}
END_TEST

static struct model merged(const struct model *a, const struct model *b, double count)
{
    struct model m = model_new(a->m.s.shape, a->m.s.opt);
    rig_merge(&m.m.s, &a->m.s, &b->m.s, count, NULL);
    ck_assert_ptr_null(store_check(&m.m.s));
    return m;
}

/* Returns the slot of a feature, or -1. */
static int64_t slot_in(const struct wm *m, uint32_t id)
{
    for (uint32_t s = 0; s < m->s.set.n; s++)
        if (m->s.set.id[s] == id) return s;
    return -1;
}

static double weight_in(const struct wm *m, int64_t slot, uint32_t id)
{
    return slot < 0 ? (double)WM_ESTIMATE_SHARE * store_weight(&m->s, id)
                    : store_slot_weight(&m->s, (uint32_t)slot);
}

START_TEST(a_merge_is_the_mean_by_examples_whichever_way_round)
{
    for (uint32_t depth = 1; depth < 6; depth++) {
        struct linear_shape shape = shape_of(10, 24, depth);
        struct linear_options opt = {
            .sgd = {.lambda = 1e-3, .eta0 = 0.3}, .counts = depth % 2, .max_row = MAX_ROW};
        struct model a = trained(&shape, &opt, 1, 300), b = trained(&shape, &opt, 2, 100);
        struct model m = merged(&a, &b, 1), n = merged(&b, &a, 1);
        ck_same_model(&m.m, &n.m);
        ck_assert_uint_eq(m.m.s.sgd.t, 400);
        ck_assert_double_le(fabs(m.m.s.sgd.bias - (0.75 * a.m.s.sgd.bias + 0.25 * b.m.s.sgd.bias)),
                            1e-12);
        for (size_t c = 0; c < cells(&m.m); c++) {
            double want = 0.75 * a.m.s.cell.weight[c] * a.m.s.sgd.alpha +
                          0.25 * b.m.s.cell.weight[c] * b.m.s.sgd.alpha;
            ck_assert_double_le(fabs(m.m.s.cell.weight[c] - want), 1e-6 * (1 + fabs(want)));
        }
        for (uint32_t s = 0; s < m.m.s.set.n;
             s++) { /* members: of one or both, the heaviest first */
            int64_t i = slot_in(&a.m, m.m.s.set.id[s]), j = slot_in(&b.m, m.m.s.set.id[s]);
            ck_assert(i >= 0 || j >= 0);
            double want = 0.75 * weight_in(&a.m, i, m.m.s.set.id[s]) +
                          0.25 * weight_in(&b.m, j, m.m.s.set.id[s]);
            if (depth <= 2) /* with more rows, the median of a mean is not a mean of medians */
                ck_assert_double_le(fabs((double)m.m.s.member.weight[s] - want),
                                    1e-6 * (1 + fabs(want)));
            if (s) ck_assert(fabsf(m.m.s.member.weight[s]) <= fabsf(m.m.s.member.weight[s - 1]));
            for (int y = 0; m.m.s.count && y < 2; y++)
                ck_assert_uint_eq(m.m.s.count[2 * s + y], (i < 0 ? 0 : a.m.s.count[2 * i + y]) +
                                                              (j < 0 ? 0 : b.m.s.count[2 * j + y]));
        }
        free(a.block), free(b.block), free(m.block), free(n.block);
    }
}
END_TEST

START_TEST(counting_twice_is_merging_twice_and_a_fresh_model_adds_nothing)
{
    struct linear_shape shape = shape_of(10, 24, 3);
    struct linear_options opt = {.sgd = {.lambda = 1e-3, .eta0 = 0.3}, .max_row = MAX_ROW};
    struct model a = trained(&shape, &opt, 1, 300), b = trained(&shape, &opt, 2, 200),
                 fresh = model_new(shape, opt);
    struct model once = merged(&a, &b, 1), twice = merged(&once, &b, 1),
                 at_once = merged(&a, &b, 2), same = merged(&a, &fresh, 1);
    ck_assert_uint_eq(at_once.m.s.sgd.t, 700);
    ck_assert_uint_eq(twice.m.s.sgd.t, 700);
    for (size_t c = 0; c < cells(&a.m); c++) {
        ck_assert_double_le(
            fabs((double)twice.m.s.cell.weight[c] - (double)at_once.m.s.cell.weight[c]), 1e-6);
        ck_assert_double_le(fabs(same.m.s.cell.weight[c] - a.m.s.cell.weight[c] * a.m.s.sgd.alpha),
                            1e-6);
    }
    struct model *all[] = {&a, &b, &fresh, &once, &twice, &at_once, &same};
    for (int i = 0; i < 7; i++)
        free(all[i]->block);
}
END_TEST

LEAT_SUITE("wm_state", a_loaded_copy_goes_on_as_the_original_would,
           a_feature_in_two_slots_is_refused, a_merge_is_the_mean_by_examples_whichever_way_round,
           counting_twice_is_merging_twice_and_a_fresh_model_adds_nothing)
