/* test_wm_adaptive.c -- the WM-Sketch with a rate for every weight: full precision against its slow
 * twin, compact by what must hold of it, and what must never happen to either. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/wm_adaptive/wm_adaptive.h"
#include "support/linear_rig.h"
#include "support/oracle_wm_adaptive.h"
#include "support/zeroed.h"

struct model {
    struct wm_adaptive m;
    void *block;
};

static uint32_t cells(const struct wm_adaptive *m) { return m->shape.width * m->shape.depth; }

static struct model model_new(struct wm_adaptive_shape shape, struct wm_adaptive_options opt)
{
    struct model t;
    opt.sgd.rates = SGD_ADAPTIVE;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.block = zeroed(wm_adaptive_block_bytes(&shape, &opt));
    wm_adaptive_init(&t.m, &shape, &opt, t.block);
    return t;
}

/* Values of all sizes, now and then. */
static void draw_any(struct sample *a, uint64_t *s, uint32_t ids, int kind)
{
    draw(a, s, ids, kind);
    for (uint32_t i = 0; i < a->row.n && below(s, 3) == 0; i++)
        if (below(s, 4) == 0) a->x[i] *= (float)exp2(uniform(s, -20, 20));
    if (below(s, 10) == 0) a->row.weight = (float)exp2(uniform(s, -20, 20));
}

static void learn_both(struct model *t, struct oracle_wm_adaptive *o, const struct linear_row *row)
{
    double margin, asked = wm_adaptive_margin(&t->m, row->n, row->id, row->x);
    ck_assert_int_eq(wm_adaptive_learn(&t->m, row, &margin), LINEAR_OK);
    ck_assert_msg(margin == asked, "margin %.17g, but asked for it: %.17g", margin, asked);
    double want = oracle_wm_adaptive_learn(o, row);
    ck_assert_msg(margin == want, "row %d: margin %.17g, not %.17g", (int)o->sgd.t, margin, want);
    const char *broken = wm_adaptive_check(&t->m);
    ck_assert_msg(!broken, "row %d: %s", (int)o->sgd.t, broken);
}

static void same_as_twin(const struct wm_adaptive *m, const struct oracle_wm_adaptive *o)
{
    ck_assert_uint_eq(m->set.n, o->n);
    ck_assert(m->sgd.alpha == o->sgd.alpha && m->sgd.bias == o->sgd.bias);
    ck_assert(m->sgd.t == o->sgd.t && m->sgd.grown == o->sgd.grown);
    for (uint32_t s = 0; s < o->n; s++) {
        const struct oracle_wm_adaptive_member *want = &o->member[s];
        ck_assert_msg(m->set.id[s] == want->id, "slot %u holds %u, not %u", s, m->set.id[s],
                      want->id);
        ck_assert_msg(m->member.weight[s] == want->w, "slot %u: %.9g not %.9g", s,
                      m->member.weight[s], want->w);
        if (m->count) ck_assert(!memcmp(m->count + 2 * s, want->count, 8));
    }
    for (uint32_t c = 0; c < cells(m); c++) {
        ck_assert(m->cell.weight[c] == o->cell[c].w);
        ck_assert(m->cell.sum[c] == o->cell[c].a);
    }
}

struct work {
    uint32_t replaced, tempered, folds, renewals;
};

static void compare_with_twin(struct wm_adaptive_shape shape, const struct wm_adaptive_options *opt,
                              uint32_t ids, int rows, struct work *done)
{
    struct model t = model_new(shape, *opt);
    struct oracle_wm_adaptive o;
    struct sample a;
    uint64_t seed = opt->seed;
    oracle_wm_adaptive_init(&o, &t.m);
    for (int k = 0; k < rows; k++) {
        double alpha = o.sgd.alpha, grown = o.sgd.grown;
        draw_any(&a, &seed, ids, (int)(opt->seed % KINDS));
        learn_both(&t, &o, &a.row);
        done->folds += o.sgd.alpha > alpha;
        done->renewals += o.sgd.grown < grown;
        if (k % 37 == 0) same_as_twin(&t.m, &o);
    }
    same_as_twin(&t.m, &o);
    done->replaced += o.replaced;
    done->tempered += o.tempered;
    oracle_wm_adaptive_fini(&o);
    free(t.block);
}

/* The streams must do what they are for. */
START_TEST(full_precision_equals_the_twin_to_the_bit_on_random_streams_of_random_shape)
{
    static const double lambdas[] = {0, 1e-6, 1e-3, 0.1}, l1s[] = {1e-5, 1e-3, 0.02},
                        half_lives[] = {1, 3, 50, 1e4};
    uint64_t s = 11;
    struct work done = {0};
    for (int k = 0; k < 300; k++) {
        struct wm_adaptive_shape shape = {1 + below(&s, 20), 1 + below(&s, 60),
                                          1 + below(&s, k % 3 ? 6 : 32)};
        if (k % 8 == 0) shape.active = 60 + below(&s, 150); /* several blocks of bounds */
        struct wm_adaptive_options opt = {.precision = ADAPTIVE_FULL,
                                          .counts = below(&s, 2),
                                          .mean = k % 5 == 1,
                                          .estimates = k % 7 < 2,
                                          .seed = 1000 + (uint64_t)k,
                                          .sgd = {.lambda = lambdas[below(&s, 4)],
                                                  .eta0 = 0.05 + 0.1 * below(&s, 9),
                                                  .rate = 0.3 * below(&s, 5),
                                                  .schedule = below(&s, 3),
                                                  .bias = below(&s, 3),
                                                  .loss = below(&s, 3)}};
        if (k % 3 == 0) opt.sgd.l1 = l1s[below(&s, 3)];
        if (k % 4 == 0) opt.sgd.half_life = half_lives[below(&s, 4)];
        compare_with_twin(shape, &opt, 5 + below(&s, 300), 300, &done);
    }
    ck_assert_uint_gt(done.replaced, 10000);
    ck_assert_uint_gt(done.tempered, 1000);
    ck_assert_uint_gt(done.folds, 10);
}
END_TEST

START_TEST(strong_decay_and_fading_fold_and_renew_and_still_equal_the_twin)
{
    struct work done = {0};
    for (uint64_t seed = 1; seed < 9; seed++) {
        struct wm_adaptive_options opt = {
            .precision = ADAPTIVE_FULL,
            .counts = seed % 2,
            .seed = seed,
            .sgd = {.lambda = 0.9, .eta0 = 1, .schedule = SGD_CONSTANT, .l1 = seed % 3 * 1e-3}};
        if (seed > 4) opt.sgd.half_life = 1 + (double)(seed - 5) * 4, opt.sgd.lambda = 0.1;
        compare_with_twin((struct wm_adaptive_shape){8, 16, 1 + (uint32_t)seed % 4}, &opt, 60, 2000,
                          &done);
    }
    ck_assert_uint_gt(done.folds, 500);
    ck_assert_uint_gt(done.renewals, 100);
}
END_TEST

/* ---- bytes ---- */

static void same_bytes(const struct wm_adaptive *a, const struct wm_adaptive *b)
{
    struct linear_parts p = wm_adaptive_parts(a), q = wm_adaptive_parts(b);
    ck_assert_uint_eq(p.n, q.n);
    ck_assert(!memcmp(p.id, q.id, 4 * (size_t)p.n));
    if (p.weight) {
        ck_assert(!memcmp(p.weight, q.weight, 4 * (size_t)p.n));
        ck_assert(!memcmp(p.cell, q.cell, 4 * p.cells));
        ck_assert(!memcmp(p.cell_accumulator, q.cell_accumulator, 4 * p.cells));
    } else {
        ck_assert(!memcmp(p.half_weight, q.half_weight, 2 * (size_t)p.n));
        ck_assert(!memcmp(p.half_cell, q.half_cell, 2 * p.cells));
        ck_assert(!memcmp(p.cell_code, q.cell_code, p.cells));
    }
    if (p.count) ck_assert(!memcmp(p.count, q.count, 8 * (size_t)p.n));
    ck_assert(p.sgd.t == q.sgd.t && p.sgd.alpha == q.sgd.alpha && p.sgd.bias == q.sgd.bias);
    ck_assert(p.sgd.size == q.sgd.size && p.sgd.bias_sum == q.sgd.bias_sum);
    ck_assert(p.sgd.penalty == q.sgd.penalty && p.sgd.l1_applied == q.sgd.l1_applied);
    ck_assert(p.sgd.grown == q.sgd.grown && p.sgd.age == q.sgd.age);
    ck_assert(!memcmp(p.sgd.mass, q.sgd.mass, sizeof p.sgd.mass));
    ck_assert(!memcmp(p.sgd.records, q.sgd.records, sizeof p.sgd.records));
}

static int learn(void *m, const struct linear_row *row, double *margin)
{
    return wm_adaptive_learn(m, row, margin);
}

enum { SETTINGS = 8 };
/* Both precisions, one row and more, with all that a state may have. */
static struct model of_setting(int k, uint64_t seed)
{
    static const struct wm_adaptive_shape shapes[] = {
        {10, 40, 3}, {20, 60, 1}, {20, 30, 2}, {70, 100, 5}};
    struct wm_adaptive_options opt = {.precision = k % 2 ? ADAPTIVE_FULL : ADAPTIVE_COMPACT,
                                      .counts = k / 2 % 2,
                                      .seed = seed,
                                      .sgd = {.lambda = 1e-3,
                                              .eta0 = 0.3,
                                              .l1 = k % 3 ? 0 : 1e-3,
                                              .half_life = k == 4 ? 30 : 0,
                                              .bias = k == 5 ? SGD_BIAS_PRIOR : SGD_BIAS_SGD,
                                              .loss = k == 6 ? 1 : 0}};
    return model_new(shapes[k / 2], opt);
}

START_TEST(rows_that_are_refused_leave_every_byte_as_it_was)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct model t = of_setting(k, 3);
        struct wm_adaptive_options bare = t.m.opt;
        bare.max_row = 0;
        struct linear_subject subject = {learn, &t.m, t.block, offsetof(struct wm_adaptive, place),
                                         wm_adaptive_block_bytes(&t.m.shape, &bare)};
        expect_bad_rows_refused(&subject, (uint64_t)k + 1);
        free(t.block);
    }
}
END_TEST

START_TEST(finite_input_of_any_size_keeps_a_finite_state)
{
    for (int k = 0; k < 72; k++) {
        uint64_t s = (uint64_t)k + 1;
        struct wm_adaptive_options opt = {
            .precision = k % 2,
            .seed = s,
            .sgd = {.lambda = 0.5, .eta0 = 1, .bias = k % 3, .loss = k / 3 % 3}};
        opt.sgd.rate = k % 5 ? 0 : 1000;
        if (k % 4 == 3) opt.sgd.l1 = 1;
        if (k % 7 == 3) opt.sgd.half_life = 2;
        struct model t =
            model_new((struct wm_adaptive_shape){3, k % 5 ? 4 : 1, 1 + (uint32_t)k % 4}, opt);
        struct sample a;
        for (int r = 0; r < 300; r++) {
            double margin;
            draw_extreme(&a, &s, 12, r % 2);
            ck_assert_int_eq(wm_adaptive_learn(&t.m, &a.row, &margin), LINEAR_OK);
            ck_assert(isfinite(margin));
            const char *broken = wm_adaptive_check(&t.m);
            ck_assert_msg(!broken, "setting %d row %d: %s", k, r, broken);
        }
        free(t.block);
    }
}
END_TEST

START_TEST(rows_of_no_importance_change_no_weight)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct model t = model_new((struct wm_adaptive_shape){8, 64, 3},
                                   (struct wm_adaptive_options){.precision = k % 2, .seed = 1});
        uint64_t id[8], s = 3;
        float x[8], was[8];
        double z;
        for (uint32_t i = 0; i < 8; i++)
            id[i] = i, x[i] = 1;
        for (int r = 0; r < 20; r++)
            wm_adaptive_learn(&t.m, &(struct linear_row){id, x, 8, r % 3 ? 1 : -1, 1, true}, &z);
        for (uint32_t i = 0; i < 8; i++)
            was[i] = (float)wm_adaptive_weight(&t.m, i), x[i] = (float)below(&s, 5);
        wm_adaptive_learn(&t.m, &(struct linear_row){id, x, 8, 1, 0, true}, &z);
        for (uint32_t i = 0; i < 8; i++)
            ck_assert((float)wm_adaptive_weight(&t.m, i) == was[i]);
        free(t.block);
    }
}
END_TEST

/* ---- copies ---- */

static void learn_more(struct wm_adaptive *m, uint64_t *s, int rows, double *margin)
{
    for (int k = 0; k < rows; k++) {
        struct sample a;
        draw_any(&a, s, 150, k % KINDS);
        ck_assert_int_eq(wm_adaptive_learn(m, &a.row, margin ? &margin[k] : &(double){0}),
                         LINEAR_OK);
        const char *broken = wm_adaptive_check(m);
        ck_assert_msg(!broken, "%s", broken);
    }
}

static const char *load(struct wm_adaptive *m, const struct wm_adaptive *from)
{
    struct linear_parts p = wm_adaptive_parts(from);
    return wm_adaptive_load(m, &p);
}

START_TEST(equal_streams_give_equal_bytes_also_after_a_restart)
{
    double want[40], got[40];
    for (int k = 0; k < SETTINGS; k++) {
        struct model t = of_setting(k, 7);
        uint64_t s = 9;
        for (int round = 0; round < 40; round++) {
            struct model copy = of_setting(k, 7);
            uint64_t again = s;
            ck_assert_ptr_null(load(&copy.m, &t.m));
            same_bytes(&t.m, &copy.m);
            learn_more(&t.m, &s, 40, want);
            learn_more(&copy.m, &again, 40, got);
            ck_assert(!memcmp(want, got, sizeof want));
            same_bytes(&t.m, &copy.m);
            free(copy.block);
        }
        free(t.block);
    }
}
END_TEST

START_TEST(another_seed_rounds_otherwise)
{
    struct wm_adaptive_options opt = {.seed = 1};
    struct model a = model_new((struct wm_adaptive_shape){20, 200, 1}, opt);
    opt.seed = 2;
    struct model b = model_new((struct wm_adaptive_shape){20, 200, 1}, opt);
    uint64_t s = 1, again = 1;
    learn_more(&a.m, &s, 300, NULL);
    learn_more(&b.m, &again, 300, NULL);
    ck_assert(memcmp(a.m.cell.half, b.m.cell.half, 200));
    free(a.block);
    free(b.block);
}
END_TEST

/* ---- merges ---- */

START_TEST(a_merge_is_the_same_bit_for_bit_whichever_way_round)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct model a = of_setting(k, 7), b = of_setting(k, 7);
        struct model ab = of_setting(k, 7), ba = of_setting(k, 7);
        struct linear_origin member[200];
        uint64_t s = 1, r = 2;
        learn_more(&a.m, &s, 400, NULL);
        learn_more(&b.m, &r, 200, NULL);
        wm_adaptive_merge(&ab.m, &a.m, &b.m, 1, member);
        wm_adaptive_merge(&ba.m, &b.m, &a.m, 1, member);
        same_bytes(&ab.m, &ba.m);
        ck_assert_ptr_null(wm_adaptive_check(&ab.m));
        ck_assert_uint_eq(ab.m.sgd.t, 600);
        learn_more(&ab.m, &s, 300, NULL);
        free(a.block), free(b.block), free(ab.block), free(ba.block);
    }
}
END_TEST

/* Weights and accumulators of two bytes and one are rounded where scales are folded in. */
START_TEST(a_merge_with_what_learned_nothing_keeps_every_weight)
{
    for (int k = 0; k < SETTINGS; k++)
        for (int side = 0; side < 2; side++) {
            struct model a = of_setting(k, 7), none = of_setting(k, 7), sum = of_setting(k, 7);
            struct linear_origin member[200];
            uint64_t s = 1;
            learn_more(&a.m, &s, 400, NULL);
            wm_adaptive_merge(&sum.m, side ? &none.m : &a.m, side ? &a.m : &none.m, 1, member);
            ck_assert_uint_eq(sum.m.set.n, a.m.set.n);
            double digits = k % 2 ? 1e-6 : 1.0 / 256, heaviest = 0; /* cells of a median cancel */
            for (uint32_t c = 0; c < cells(&a.m); c++)
                heaviest = fmax(heaviest, fabs((double)numbers_weight(a.m.cell, c, k % 2 == 0)));
            for (uint64_t id = 0; id < 150; id++) {
                double w = wm_adaptive_weight(&a.m, id);
                ck_assert_double_le(fabs(wm_adaptive_weight(&sum.m, id) - w), digits * heaviest);
            }
            free(a.block), free(none.block), free(sum.block);
        }
}
END_TEST

START_TEST(merged_cells_have_means_of_weights_and_sums_of_the_rest)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct model a = of_setting(k, 7), b = of_setting(k, 7), m = of_setting(k, 7);
        struct linear_origin o[200];
        uint64_t s = 1, r = 2;
        learn_more(&a.m, &s, 400, NULL);
        learn_more(&b.m, &r, 200, NULL);
        wm_adaptive_merge(&m.m, &a.m, &b.m, 3, o);
        double na = sgd_age(&a.m.sgd), nb = 3 * sgd_age(&b.m.sgd),
               digits = k % 2 ? 1e-5 : 1 / 256.0;
        for (uint32_t i = 0; i < m.m.set.n; i++) {
            uint32_t id = m.m.set.id[i];
            double in_a = o[i].a ? wm_adaptive_slot_weight(&a.m, o[i].a - 1)
                                 : 0.25 * wm_adaptive_weight(&a.m, id);
            double in_b = o[i].b ? wm_adaptive_slot_weight(&b.m, o[i].b - 1)
                                 : 0.25 * wm_adaptive_weight(&b.m, id);
            double want = (na * in_a + nb * in_b) / (na + nb);
            ck_assert_double_le(fabs(wm_adaptive_slot_weight(&m.m, i) - want),
                                digits * fabs(want) + 1e-12);
        }
        for (uint32_t c = 0; m.m.cell.sum && c < cells(&m.m); c++) {
            double sum = ((double)a.m.cell.sum[c] / a.m.sgd.grown) +
                         3 * ((double)b.m.cell.sum[c] / b.m.sgd.grown);
            ck_assert_double_le(fabs((double)m.m.cell.sum[c] - sum), 1e-6 * sum);
        }
        free(a.block), free(b.block), free(m.block);
    }
}
END_TEST

/* ---- compact ---- */

/* 40 features, each with its own odds; the same rows for every seed. */
static void learn_odds(struct wm_adaptive *m, uint64_t s)
{
    for (int k = 0; k < 1500; k++) {
        uint64_t id[3];
        float x[3];
        double z;
        for (int i = 0; i < 3; i++)
            id[i] = below(&s, 40), x[i] = id[i] % 4 ? 1.0f : 0.3f;
        int y = below(&s, 40) < id[0] ? 1 : -1;
        wm_adaptive_learn(m, &(struct linear_row){id, x, 3, y, 1, true}, &z);
    }
}

/* Cells enough that hardly any two features share one. */
START_TEST(compact_weights_are_those_of_full_precision_in_the_mean)
{
    enum { SEEDS = 60 };
    double sum[40] = {0}, squares[40] = {0};
    struct wm_adaptive_shape shape = {8, 1 << 16, 3};
    struct model full = model_new(shape, (struct wm_adaptive_options){.precision = ADAPTIVE_FULL});
    learn_odds(&full.m, 5);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct model t = model_new(shape, (struct wm_adaptive_options){.seed = seed});
        learn_odds(&t.m, 5);
        for (uint64_t id = 0; id < 40; id++) {
            double w = wm_adaptive_weight(&t.m, id);
            sum[id] += w, squares[id] += w * w;
        }
        free(t.block);
    }
    for (uint64_t id = 0; id < 40; id++) {
        double mean = sum[id] / SEEDS, want = wm_adaptive_weight(&full.m, id);
        double error = sqrt(fmax(0, squares[id] / SEEDS - mean * mean) / SEEDS);
        ck_assert_msg(fabs(mean - want) <= 5 * error + 0.03 * (0.1 + fabs(want)),
                      "feature %d: %g +- %g, not %g", (int)id, mean, error, want);
    }
    free(full.block);
}
END_TEST

/* Ten features of one value, which say their label; three rows. */
START_TEST(large_values_are_learned_as_small_ones)
{
    for (int precision = 0; precision < 2; precision++)
        for (float x = 1; x < (precision ? 5e15f : 1.5e9f); x *= 10) {
            struct wm_adaptive_options opt = {
                .precision = precision, .seed = 3, .sgd = {.bias = SGD_BIAS_NONE}};
            struct model t = model_new((struct wm_adaptive_shape){10, 256, 3}, opt);
            for (uint64_t k = 0; k < 400; k++) {
                uint64_t id = k % 10;
                double z;
                struct linear_row row = {&id, &x, 1, id % 2 ? 1 : -1, 1, true};
                wm_adaptive_learn(&t.m, &row, &z);
                if (k >= 300)
                    ck_assert_msg(row.y * z > 2, "precision %d, value %g: %g", precision, x, z);
            }
            free(t.block);
        }
}
END_TEST

/* ---- the sketch ---- */

/* One example of one feature: its cells hold the step, and the bias the same. */
START_TEST(every_row_takes_the_full_step)
{
    for (uint32_t depth = 1; depth < 9; depth++) {
        struct model t = model_new((struct wm_adaptive_shape){4, 64, depth},
                                   (struct wm_adaptive_options){.precision = ADAPTIVE_FULL});
        uint64_t id = 77;
        float x = 1;
        double z;
        wm_adaptive_learn(&t.m, &(struct linear_row){&id, &x, 1, 1, 1, true}, &z);
        uint32_t moved = 0;
        for (uint32_t c = 0; c < cells(&t.m); c++) {
            if (t.m.cell.weight[c] == 0) continue;
            ck_assert_double_le(fabs(fabs((double)t.m.cell.weight[c]) - t.m.sgd.bias), 1e-7);
            ck_assert(t.m.cell.sum[c] == 0.25f);
            moved++;
        }
        ck_assert_uint_eq(moved, depth);
        ck_assert_double_le(fabs(wm_adaptive_weight(&t.m, id) - t.m.sgd.bias), 1e-7);
        free(t.block);
    }
}
END_TEST

START_TEST(more_rows_find_more_of_the_planted_features)
{
    /* Ten of 2000 features decide the label; 1,500 cells in one row, or in three. */
    uint32_t found[2] = {0};
    for (uint64_t seed = 1; seed < 9; seed++)
        for (uint32_t k = 0; k < 2; k++) {
            struct wm_adaptive_options opt = {.seed = seed};
            struct model t =
                model_new((struct wm_adaptive_shape){10, k ? 500 : 1500, k ? 3 : 1}, opt);
            uint64_t s = 17;
            for (int r = 0; r < 3000; r++) {
                uint64_t id[12];
                float x[12];
                uint32_t heavy = below(&s, 10);
                double z;
                id[0] = heavy * 100;
                x[0] = 1;
                for (int i = 1; i < 12; i++) {
                    id[i] = 1 + heavy + below(&s, 1900);
                    if (id[i] % 100 == 0) id[i]++;
                    x[i] = 0.3f;
                }
                wm_adaptive_learn(&t.m,
                                  &(struct linear_row){id, x, 12, heavy % 2 ? 1 : -1, 1, true}, &z);
            }
            for (uint32_t i = 0; i < t.m.set.n; i++)
                found[k] += t.m.set.id[i] % 100 == 0;
            free(t.block);
        }
    ck_assert_uint_ge(found[1], 72);
    ck_assert_uint_ge(found[1], found[0]);
}
END_TEST

START_TEST(with_estimates_members_are_shown_as_the_cells_say_now)
{
    for (int precision = 0; precision < 2; precision++) {
        struct wm_adaptive_options opt = {
            .sgd = {.l1 = 1e-4}, .precision = precision, .estimates = true, .seed = 1};
        struct model t = model_new((struct wm_adaptive_shape){20, 16, 4}, opt);
        uint32_t top[20];
        float scratch[20];
        uint64_t s = 6;
        for (int k = 0; k < 300; k++) {
            struct sample a;
            double z;
            draw(&a, &s, 300, REPEATED);
            wm_adaptive_learn(&t.m, &a.row, &z);
            for (uint32_t i = 0, n = wm_adaptive_top(&t.m, 20, 0, scratch, top); i < n; i++) {
                double w = wm_adaptive_slot_weight(&t.m, top[i]);
                ck_assert(w == wm_adaptive_weight(&t.m, t.m.set.id[top[i]]));
                if (i) ck_assert(fabs(w) <= fabs(wm_adaptive_slot_weight(&t.m, top[i - 1])));
            }
        }
        free(t.block);
    }
}
END_TEST

/* ---- shapes ---- */

START_TEST(no_budget_is_ever_exceeded_and_given_fields_stay)
{
    uint64_t s = 8;
    uint32_t fitted = 0;
    for (int k = 0; k < 20000; k++) {
        struct wm_adaptive_options opt = {.precision = below(&s, 2), .counts = below(&s, 2)};
        uint64_t bytes = below(&s, k % 2 ? 200 : 1u << 29);
        struct wm_adaptive_shape shape = {0}, given;
        if (k % 5 == 1) shape.depth = below(&s, 70);
        if (k % 5 == 2) shape.width = below(&s, 1000);
        if (k % 5 == 3) shape.active = below(&s, 1000);
        given = shape;
        if (!wm_adaptive_shape_for(bytes, &opt, &shape)) continue;
        fitted++;
        ck_assert_uint_le(wm_adaptive_charged_bytes(&shape, &opt), bytes);
        ck_assert(shape.active && shape.width && shape.depth);
        ck_assert(shape.depth <= COUNT_SKETCH_MAX_DEPTH);
        ck_assert(!given.depth || given.depth == shape.depth);
        ck_assert(!given.width || given.width == shape.width);
        ck_assert(!given.active || given.active == shape.active);
        if (!given.width) /* and none is wasted */
            ck_assert_uint_lt(bytes - wm_adaptive_charged_bytes(&shape, &opt),
                              (uint64_t)shape.depth * wm_adaptive_cell_bytes(&opt));
    }
    ck_assert_uint_gt(fitted, 10000);
}
END_TEST

START_TEST(a_feature_and_a_cell_cost_what_the_header_says)
{
    for (uint32_t counts = 0; counts < 2; counts++) {
        struct wm_adaptive_options compact = {.counts = counts}, full = compact;
        full.precision = ADAPTIVE_FULL;
        ck_assert_uint_eq(wm_adaptive_member_bytes(&compact), 6 + 8 * counts);
        ck_assert_uint_eq(wm_adaptive_member_bytes(&full), 8 + 8 * counts);
        ck_assert_uint_eq(wm_adaptive_cell_bytes(&compact), 3);
        ck_assert_uint_eq(wm_adaptive_cell_bytes(&full), 8);
    }
}
END_TEST

START_TEST(entrants_name_the_slots_that_changed_hands)
{
    uint32_t owner[20], entered = 0;
    uint64_t s = 4;
    struct model t =
        model_new((struct wm_adaptive_shape){20, 32, 3}, (struct wm_adaptive_options){.seed = 1});
    memset(owner, 0xff, sizeof owner);
    for (int k = 0; k < 3000; k++) {
        struct sample a;
        double z;
        draw(&a, &s, 200, k % 3);
        wm_adaptive_learn(&t.m, &a.row, &z);
        for (uint32_t i = 0; i < t.m.n_entrants; i++)
            owner[t.m.entrant[i].slot] = id_slots_fold(a.id[t.m.entrant[i].entry]);
        entered += t.m.n_entrants;
        for (uint32_t i = 0; i < t.m.set.n; i++)
            ck_assert_uint_eq(owner[i], t.m.set.id[i]);
    }
    ck_assert_uint_gt(entered, 200);
    free(t.block);
}
END_TEST

LEAT_SUITE(
    "wm adaptive", full_precision_equals_the_twin_to_the_bit_on_random_streams_of_random_shape,
    strong_decay_and_fading_fold_and_renew_and_still_equal_the_twin,
    rows_that_are_refused_leave_every_byte_as_it_was, finite_input_of_any_size_keeps_a_finite_state,
    rows_of_no_importance_change_no_weight, equal_streams_give_equal_bytes_also_after_a_restart,
    another_seed_rounds_otherwise, a_merge_is_the_same_bit_for_bit_whichever_way_round,
    a_merge_with_what_learned_nothing_keeps_every_weight,
    merged_cells_have_means_of_weights_and_sums_of_the_rest,
    compact_weights_are_those_of_full_precision_in_the_mean, large_values_are_learned_as_small_ones,
    every_row_takes_the_full_step, more_rows_find_more_of_the_planted_features,
    with_estimates_members_are_shown_as_the_cells_say_now,
    no_budget_is_ever_exceeded_and_given_fields_stay,
    a_feature_and_a_cell_cost_what_the_header_says, entrants_name_the_slots_that_changed_hands)
