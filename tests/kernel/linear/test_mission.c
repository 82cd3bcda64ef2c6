/* test_mission.c -- MISSION without collisions is gradient descent whose heaviest weights predict.
 *
 * That holds to the bit. With collisions, it still finds the features that matter. It also tests
 * merges. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/loss.h"
#include "kernels/linear/mission/mission.h"
#include "support/mission_rig.h"
#include "support/suite.h"
#include "support/merge_rig.h"

struct model {
    struct mission m;
    void *block;
};

static struct model model_new(uint32_t active, uint32_t width, uint32_t depth, double lambda)
{
    struct linear_shape shape = {.active = active, .width = width, .depth = depth};
    struct linear_options opt = {
        .sgd = {.lambda = lambda, .eta0 = 0.5, .schedule = SGD_CONSTANT, .bias = SGD_BIAS_SGD},
        .max_row = 64,
        .seed = 7};
    struct model t = {.block = NULL};
    size_t n = store_block_bytes(&mission_kernel, &shape, &opt);
    t.block = aligned_alloc(64, (n + 63) & ~(size_t)63);
    memset(t.block, 0, (n + 63) & ~(size_t)63);
    store_init(&t.m.s, &mission_kernel, &shape, &opt, t.block);
    return t;
}

static double learn(struct model *t, const struct sample *a)
{
    double margin;
    ck_assert_int_eq(mission_kernel.learn(&t->m.s, &a->row, NULL, &margin), LINEAR_OK);
    const char *wrong = store_check(&t->m.s);
    ck_assert_msg(!wrong, "%s", wrong);
    return margin;
}

/* ---- the definition: all weights, and which of them predict ---- */

struct dense {
    const uint64_t *id;
    float w[IDS], beta[IDS];
    double bias;
    uint32_t member[IDS], n, k;
};

static uint32_t number_of(const struct dense *o, uint64_t id)
{
    uint32_t f = 0;
    while (o->id[f] != id)
        f++;
    return f;
}

static bool predicts(const struct dense *o, uint32_t f)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (o->member[i] == f) return true;
    return false;
}

static void dense_admit(struct dense *o, uint32_t f)
{
    uint32_t lightest = 0;
    if (predicts(o, f)) {
        o->beta[f] = o->w[f];
        return;
    }
    for (uint32_t i = 1; i < o->n; i++)
        if (fabsf(o->beta[o->member[i]]) < fabsf(o->beta[o->member[lightest]])) lightest = i;
    if (o->n < o->k)
        o->member[o->n++] = f;
    else if (fabsf(o->w[f]) > fabsf(o->beta[o->member[lightest]]))
        o->member[lightest] = f;
    else
        return;
    o->beta[f] = o->w[f];
}

static double dense_learn(struct dense *o, const struct linear_row *row)
{
    double z = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = number_of(o, row->id[i]);
        z += predicts(o, f) ? (double)o->beta[f] * (double)row->x[i] : 0;
    }
    z += o->bias;
    double g = (double)row->weight * row->y * loss_slope(LOSS_LOGISTIC, row->y * z);
    float u = (float)(0.5 * g);
    o->bias -= 0.5 * g;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = number_of(o, row->id[i]);
        o->w[f] -= u * row->x[i];
        dense_admit(o, f);
    }
    return z;
}

static void is_dense_descent(uint32_t k, uint32_t depth)
{
    struct model t = model_new(k, 4096, depth, 0);
    struct dense o = {.k = k};
    uint64_t id[IDS], s = seed_given();
    apart(&t.m.sketch, id);
    o.id = id;
    for (int r = 0; r < 3000; r++) {
        struct sample a;
        draw(&s, id, 4, &a);
        double want = dense_learn(&o, &a.row), got = learn(&t, &a);
        ck_assert_msg(got == want, "k %u, row %d: %.17g, not %.17g", k, r, got, want);
    }
    for (uint32_t f = 0; f < IDS; f++)
        ck_assert((float)store_weight(&t.m.s, id[f]) == o.w[f]);
    ck_assert_uint_eq(t.m.s.set.n, o.n);
    for (uint32_t i = 0; i < o.n; i++) {
        ck_assert_uint_eq(t.m.s.set.id[i], id[o.member[i]]);
        ck_assert(t.m.s.member.weight[i] == o.beta[o.member[i]]);
    }
    free(t.block);
}

START_TEST(without_collisions_it_is_gradient_descent_of_which_the_heaviest_weights_predict)
{
    is_dense_descent(5, 3);
    is_dense_descent(12, 4);
    is_dense_descent(1, 1);
}
END_TEST

START_TEST(with_room_for_all_features_it_is_plain_gradient_descent) { is_dense_descent(IDS, 3); }
END_TEST

/* The L2 penalty, by the formula in double: w = (1 - eta lambda) w - eta g x. */
START_TEST(the_penalty_shrinks_all_weights_with_each_example)
{
    struct model t = model_new(IDS, 4096, 3, 0.01);
    double w[IDS] = {0}, bias = 0;
    uint64_t id[IDS], s = seed_given();
    apart(&t.m.sketch, id);
    struct dense o = {.id = id};
    for (int r = 0; r < 9000; r++) { /* alpha is folded on the way */
        struct sample a;
        draw(&s, id, 4, &a);
        double z = bias;
        for (uint32_t i = 0; i < a.row.n; i++)
            z += w[number_of(&o, a.id[i])] * (double)a.x[i];
        ck_assert_double_eq_tol(learn(&t, &a), z, 1e-4);
        double g = (double)a.row.weight * a.row.y / -(1 + exp(a.row.y * z));
        for (uint32_t f = 0; f < IDS; f++)
            w[f] *= 1 - 0.5 * 0.01;
        for (uint32_t i = 0; i < a.row.n; i++)
            w[number_of(&o, a.id[i])] -= 0.5 * g * (double)a.x[i];
        bias -= 0.5 * g;
    }
    free(t.block);
}
END_TEST

/* Checks that the slots from `first` on hold `mark`. */
static void is_marked(const struct model *t, uint32_t first, float mark)
{
    for (uint32_t s = first; s < IDS; s++)
        ck_assert(t->m.s.member.weight[s] == mark);
}

START_TEST(alpha_is_folded_into_the_members_alone)
{
    struct model t = model_new(IDS, 4096, 3, 0.01);
    uint64_t id[IDS], s = seed_given();
    uint32_t folds = 0;
    apart(&t.m.sketch, id);
    learn(&t, &(struct sample){
                  .row = {.id = id, .x = (const float[]){1}, .n = 1, .weight = 1, .y = 1}});
    uint32_t n = t.m.s.set.n;
    ck_assert(n < IDS);
    for (uint32_t slot = n; slot < IDS; slot++)
        t.m.s.member.weight[slot] = 3;
    for (int r = 0; r < 9000; r++) {
        double margin, alpha = t.m.s.sgd.alpha;
        struct linear_row row = {.weight = 1, .y = below(&s, 2) ? 1 : -1, .new_record = true};
        ck_assert_int_eq(store_learn(&t.m.s, &row, &margin), LINEAR_OK);
        folds += t.m.s.sgd.alpha > alpha;
        is_marked(&t, n, 3);
    }
    ck_assert_uint_gt(folds, 0);
    free(t.block);
}
END_TEST

START_TEST(as_many_ids_are_hashed_as_there_are)
{
    struct model t = model_new(5, 64, 3, 0);
    uint64_t id[4] = {1, 2, 3, 4}, hash[5] = {0, 0, 0, 0, 99};
    mission_kernel.hash(&t.m.s, 4, id, hash);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(hash[i], count_sketch_mix(&t.m.sketch, (uint32_t)id[i]));
    ck_assert_uint_eq(hash[4], 99);
    free(t.block);
}
END_TEST

START_TEST(the_features_that_matter_are_found_among_many_in_a_small_sketch)
{
    struct model t = model_new(20, 1500, 3, 0);
    uint64_t s = 3;
    for (int r = 0; r < 30000; r++) {
        struct sample a;
        double score = 0;
        for (uint32_t i = 0; i < ENTRIES; i++) {
            a.id[i] = i < 2 ? below(&s, 10) : 10 + below(&s, 20000);
            a.x[i] = 1;
            score += a.id[i] < 10 ? (a.id[i] % 2 ? 1 : -1) : 0;
        }
        a.row = (struct linear_row){.id = a.id,
                                    .x = a.x,
                                    .n = ENTRIES,
                                    .weight = 0.02f,
                                    .y = score + 0.5 * normal(&s) > 0 ? 1 : -1};
        learn(&t, &a);
    }
    float weight[20];
    uint32_t slot[20], found = 0, n = store_top(&t.m.s, 10, 0, weight, slot);
    ck_assert_uint_eq(n, 10);
    for (uint32_t i = 0; i < n; i++)
        found += t.m.s.set.id[slot[i]] < 10;
    ck_assert_msg(found >= 9, "%u of 10", found);
    free(t.block);
}
END_TEST

START_TEST(a_value_that_is_not_finite_changes_nothing)
{
    struct model t = model_new(5, 64, 3, 0);
    uint64_t id[IDS], s = 1;
    struct sample a;
    double margin;
    apart(&t.m.sketch, id);
    for (int r = 0; r < 50; r++) {
        draw(&s, id, 4, &a);
        learn(&t, &a);
    }
    static float cell[64 * 3];
    memcpy(cell, t.m.sketch.cell, sizeof cell);
    a.id[0] = 999999; /* a feature outside the top */
    a.x[0] = NAN;
    ck_assert_int_eq(mission_kernel.learn(&t.m.s, &a.row, NULL, &margin), LINEAR_NONFINITE);
    a.x[0] = -INFINITY;
    ck_assert_int_eq(mission_kernel.learn(&t.m.s, &a.row, NULL, &margin), LINEAR_NONFINITE);
    a.row.n = 65;
    ck_assert_int_eq(mission_kernel.learn(&t.m.s, &a.row, NULL, &margin), LINEAR_TOO_LONG);
    ck_assert(!memcmp(cell, t.m.sketch.cell, sizeof cell));
    free(t.block);
}
END_TEST

START_TEST(values_of_any_size_keep_the_model_finite)
{
    struct model t = model_new(3, 8, 3, 1e-3);
    uint64_t s = seed_given();
    for (int r = 0; r < 5000; r++) {
        uint64_t id[IDS];
        struct sample a;
        for (uint32_t f = 0; f < IDS; f++)
            id[f] = f;
        draw(&s, id, 4, &a);
        for (uint32_t i = 0; i < a.row.n; i++)
            a.x[i] *= (float)pow(10, uniform(&s, -45, 38));
        ck_assert(isfinite(learn(&t, &a)));
    }
    free(t.block);
}
END_TEST

START_TEST(a_budget_is_never_exceeded)
{
    for (uint64_t bytes = 16; bytes < 100000; bytes = bytes * 5 / 4 + 1) {
        struct linear_options opt = {0};
        struct linear_shape s = {0}, wide = {.width = 16}, deep = {.depth = 5};
        if (mission_kernel.shape_for(bytes, &opt, &s))
            ck_assert(store_charged_bytes(&mission_kernel, &s, &opt) <= bytes);
        ck_assert(bytes < 64 || s.depth == 3);
        if (mission_kernel.shape_for(bytes, &opt, &wide))
            ck_assert(store_charged_bytes(&mission_kernel, &wide, &opt) <= bytes &&
                      wide.width == 16);
        if (mission_kernel.shape_for(bytes, &opt, &deep))
            ck_assert(store_charged_bytes(&mission_kernel, &deep, &opt) <= bytes &&
                      deep.depth == 5);
    }
}
END_TEST

START_TEST(a_merge_has_the_mean_of_the_weights_and_the_heaviest_members)
{
    struct model a = model_new(6, 4096, 3, 0), b = model_new(6, 4096, 3, 0),
                 m = model_new(6, 4096, 3, 0);
    uint64_t id[IDS], s = 11;
    struct sample x;
    apart(&a.m.sketch, id);
    for (int r = 0; r < 400; r++) {
        draw(&s, id, 4, &x);
        learn(r < 100 ? &a : &b, &x);
    }
    rig_merge(&m.m.s, &a.m.s, &b.m.s, 1, NULL);
    const char *wrong = store_check(&m.m.s);
    ck_assert_msg(!wrong, "%s", wrong);
    for (uint32_t f = 0; f < IDS; f++)
        ck_assert_double_eq_tol(
            store_weight(&m.m.s, id[f]),
            0.25 * store_weight(&a.m.s, id[f]) + 0.75 * store_weight(&b.m.s, id[f]), 1e-5);
    ck_assert_uint_eq(m.m.s.set.n, 6);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert(m.m.s.member.weight[i] == (float)store_weight(&m.m.s, m.m.s.set.id[i]));
        if (i) ck_assert(fabsf(m.m.s.member.weight[i]) <= fabsf(m.m.s.member.weight[i - 1]));
    }
    free(a.block), free(b.block), free(m.block);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct model t = model_new(1, 4096, 3, 0);
    t.m.s.opt.sgd.bias = t.m.s.sgd.opt.bias = SGD_BIAS_NONE;
    const uint64_t seven = 7, nine = 9;
    const float one = 1, three = 3;
    double z;
    store_learn(&t.m.s, &(struct linear_row){&seven, &one, 1, 1, 1, true}, &z);
    ck_assert(t.m.s.set.id[0] == 7 && store_weight(&t.m.s, 7) == 0.25);
    store_learn(&t.m.s, &(struct linear_row){&nine, &three, 1, 1, 1, true}, &z);
    ck_assert(z == 0 && t.m.s.set.id[0] == 9 && store_weight(&t.m.s, 9) == 0.75);
    store_learn(&t.m.s, &(struct linear_row){&seven, &one, 1, 1, 1, true}, &z);
    ck_assert(z == 0 && store_weight(&t.m.s, 7) == 0.5);
    free(t.block);
}
END_TEST

LEAT_SUITE("mission",
           without_collisions_it_is_gradient_descent_of_which_the_heaviest_weights_predict,
           with_room_for_all_features_it_is_plain_gradient_descent,
           the_penalty_shrinks_all_weights_with_each_example,
           alpha_is_folded_into_the_members_alone, as_many_ids_are_hashed_as_there_are,
           the_features_that_matter_are_found_among_many_in_a_small_sketch,
           a_value_that_is_not_finite_changes_nothing, values_of_any_size_keep_the_model_finite,
           a_budget_is_never_exceeded, a_merge_has_the_mean_of_the_weights_and_the_heaviest_members,
           the_example_of_the_header_is_what_happens)
