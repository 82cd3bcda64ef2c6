/* test_adaptive.c -- the sketch with a rate for every weight: full precision against its slow twin,
 * compact by what must hold of it, and what must never happen to either. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/adaptive/adaptive.h"
#include "support/linear_rig.h"
#include "support/oracle_adaptive.h"
#include "support/zeroed.h"

struct model {
    struct adaptive m;
    void *block;
};

static struct model model_new(struct adaptive_shape shape, struct adaptive_options opt)
{
    struct model t;
    opt.sgd.rates = SGD_ADAPTIVE;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.block = zeroed(adaptive_block_bytes(&shape, &opt));
    adaptive_init(&t.m, &shape, &opt, t.block);
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

static void learn_both(struct model *t, struct oracle_adaptive *o, const struct linear_row *row)
{
    double margin, asked = adaptive_margin(&t->m, row->n, row->id, row->x);
    ck_assert_int_eq(adaptive_learn(&t->m, row, &margin), LINEAR_OK);
    ck_assert_msg(margin == asked, "margin %.17g, but asked for it: %.17g", margin, asked);
    double want = oracle_adaptive_learn(o, row);
    ck_assert_msg(margin == want, "row %d: margin %.17g, not %.17g", (int)o->sgd.t, margin, want);
    const char *broken = adaptive_check(&t->m);
    ck_assert_msg(!broken, "row %d: %s", (int)o->sgd.t, broken);
}

static void same_as_twin(const struct adaptive *m, const struct oracle_adaptive *o)
{
    ck_assert_uint_eq(m->index.n, o->n);
    ck_assert(m->sgd.alpha == o->sgd.alpha && m->sgd.bias == o->sgd.bias);
    ck_assert(m->sgd.t == o->sgd.t && m->sgd.grown == o->sgd.grown);
    for (uint32_t s = 0; s < o->n; s++) {
        const struct oracle_adaptive_member *want = &o->member[s];
        ck_assert_msg(m->id[s] == want->id, "slot %u holds %u, not %u", s, m->id[s], want->id);
        ck_assert_msg(m->weight[s] == want->w, "slot %u: %.9g not %.9g", s, m->weight[s], want->w);
        ck_assert_msg(m->sum[s] == want->a, "slot %u: a %.9g not %.9g", s, m->sum[s], want->a);
        if (m->count) ck_assert(!memcmp(m->count + 2 * s, want->count, 8));
    }
    for (uint32_t c = 0; c < o->cells; c++) {
        ck_assert(m->weight[m->first_cell + c] == o->cell[c].w);
        ck_assert(m->sum[m->first_cell + c] == o->cell[c].a);
    }
}

struct work {
    uint32_t evictions, tempered, folds, renewals;
};

static void compare_with_twin(struct adaptive_shape shape, const struct adaptive_options *opt,
                              uint32_t ids, int rows, struct work *done)
{
    struct model t = model_new(shape, *opt);
    struct oracle_adaptive o;
    struct sample a;
    uint64_t seed = opt->seed;
    oracle_adaptive_init(&o, &t.m);
    for (int k = 0; k < rows; k++) {
        double alpha = o.sgd.alpha, grown = o.sgd.grown;
        draw_any(&a, &seed, ids, (int)(opt->seed % KINDS));
        learn_both(&t, &o, &a.row);
        done->folds += o.sgd.alpha > alpha;
        done->renewals += o.sgd.grown < grown;
        if (k % 37 == 0) same_as_twin(&t.m, &o);
    }
    same_as_twin(&t.m, &o);
    done->evictions += o.evictions;
    done->tempered += o.tempered;
    oracle_adaptive_fini(&o);
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
        struct adaptive_shape shape = {1 + below(&s, 20), 1 + below(&s, 120)};
        if (k % 8 == 0) shape.active = 60 + below(&s, 150); /* several blocks of bounds */
        if (k % 5 == 1) shape.cells = 0;
        if (k % 5 == 2) shape.active = 0;
        struct adaptive_options opt = {.precision = ADAPTIVE_FULL,
                                       .counts = below(&s, 2),
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
    ck_assert_uint_gt(done.evictions, 10000);
    ck_assert_uint_gt(done.tempered, 1000);
    ck_assert_uint_gt(done.folds, 10);
}
END_TEST

START_TEST(strong_decay_and_fading_fold_and_renew_and_still_equal_the_twin)
{
    struct work done = {0};
    for (uint64_t seed = 1; seed < 9; seed++) {
        struct adaptive_options opt = {
            .precision = ADAPTIVE_FULL,
            .counts = seed % 2,
            .seed = seed,
            .sgd = {.lambda = 0.9, .eta0 = 1, .schedule = SGD_CONSTANT, .l1 = seed % 3 * 1e-3}};
        if (seed > 4) opt.sgd.half_life = 1 + (double)(seed - 5) * 4, opt.sgd.lambda = 0.1;
        compare_with_twin((struct adaptive_shape){8, seed % 4 ? 16 : 0}, &opt, 60, 2000, &done);
    }
    ck_assert_uint_gt(done.folds, 500);
    ck_assert_uint_gt(done.renewals, 100);
}
END_TEST

/* ---- bytes ---- */

static void same_bytes(const struct adaptive *a, const struct adaptive *b)
{
    struct linear_parts p = adaptive_parts(a), q = adaptive_parts(b);
    ck_assert_uint_eq(p.n, q.n);
    ck_assert(!memcmp(p.id, q.id, 4 * (size_t)p.n));
    if (p.weight) {
        ck_assert(!memcmp(p.weight, q.weight, 4 * (size_t)p.n));
        ck_assert(!memcmp(p.accumulator, q.accumulator, 4 * (size_t)p.n));
        ck_assert(!memcmp(p.cell, q.cell, 4 * p.cells));
        ck_assert(!memcmp(p.cell_accumulator, q.cell_accumulator, 4 * p.cells));
    } else {
        ck_assert(!memcmp(p.half_weight, q.half_weight, 2 * (size_t)p.n));
        ck_assert(!memcmp(p.code, q.code, p.n));
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
    return adaptive_learn(m, row, margin);
}

enum { SETTINGS = 8 };
/* Both precisions, with and without cells and S, with all that a state may have. */
static struct model of_setting(int k, uint64_t seed)
{
    static const struct adaptive_shape shapes[] = {{10, 40}, {0, 60}, {20, 0}, {70, 300}};
    struct adaptive_options opt = {.precision = k % 2 ? ADAPTIVE_FULL : ADAPTIVE_COMPACT,
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
        struct adaptive_options bare = t.m.opt;
        bare.max_row = 0;
        struct linear_subject subject = {learn, &t.m, t.block, offsetof(struct adaptive, at),
                                         adaptive_block_bytes(&t.m.shape, &bare)};
        expect_bad_rows_refused(&subject, (uint64_t)k + 1);
        free(t.block);
    }
}
END_TEST

START_TEST(finite_input_of_any_size_keeps_a_finite_state)
{
    for (int k = 0; k < 72; k++) {
        uint64_t s = (uint64_t)k + 1;
        struct adaptive_options opt = {
            .precision = k % 2,
            .seed = s,
            .sgd = {.lambda = 0.5, .eta0 = 1, .bias = k % 3, .loss = k / 3 % 3}};
        opt.sgd.rate = k % 5 ? 0 : 1000;
        if (k % 4 == 3) opt.sgd.l1 = 1;
        if (k % 7 == 3) opt.sgd.half_life = 2;
        struct model t = model_new((struct adaptive_shape){k % 8 ? 3 : 0, k % 5 ? 4 : 1}, opt);
        struct sample a;
        for (int r = 0; r < 300; r++) {
            double margin;
            draw_extreme(&a, &s, 12, r % 2);
            ck_assert_int_eq(adaptive_learn(&t.m, &a.row, &margin), LINEAR_OK);
            ck_assert(isfinite(margin));
            const char *broken = adaptive_check(&t.m);
            ck_assert_msg(!broken, "setting %d row %d: %s", k, r, broken);
        }
        free(t.block);
    }
}
END_TEST

START_TEST(rows_of_no_importance_change_no_weight)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct model t = model_new((struct adaptive_shape){8, 0},
                                   (struct adaptive_options){.precision = k % 2, .seed = 1});
        uint64_t id[8], s = 3;
        float x[8], was[8];
        double z;
        for (uint32_t i = 0; i < 8; i++)
            id[i] = i, x[i] = 1;
        for (int r = 0; r < 20; r++)
            adaptive_learn(&t.m, &(struct linear_row){id, x, 8, r % 3 ? 1 : -1, 1, true}, &z);
        for (uint32_t i = 0; i < 8; i++)
            was[i] = (float)adaptive_weight(&t.m, i), x[i] = (float)below(&s, 5);
        adaptive_learn(&t.m, &(struct linear_row){id, x, 8, 1, 0, true}, &z);
        for (uint32_t i = 0; i < 8; i++)
            ck_assert((float)adaptive_weight(&t.m, i) == was[i]);
        free(t.block);
    }
}
END_TEST

/* ---- copies ---- */

static void learn_more(struct adaptive *m, uint64_t *s, int rows, double *margin)
{
    for (int k = 0; k < rows; k++) {
        struct sample a;
        draw_any(&a, s, 150, k % KINDS);
        ck_assert_int_eq(adaptive_learn(m, &a.row, margin ? &margin[k] : &(double){0}), LINEAR_OK);
        const char *broken = adaptive_check(m);
        ck_assert_msg(!broken, "%s", broken);
    }
}

static const char *load(struct adaptive *m, const struct adaptive *from)
{
    struct linear_parts p = adaptive_parts(from);
    return adaptive_load(m, &p);
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
    struct adaptive_options opt = {.seed = 1};
    struct model a = model_new((struct adaptive_shape){200, 0}, opt);
    opt.seed = 2;
    struct model b = model_new((struct adaptive_shape){200, 0}, opt);
    uint64_t s = 1, again = 1;
    learn_more(&a.m, &s, 300, NULL);
    learn_more(&b.m, &again, 300, NULL);
    ck_assert(memcmp(a.m.half, b.m.half, 200));
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
        adaptive_merge(&ab.m, &a.m, &b.m, 1, member);
        adaptive_merge(&ba.m, &b.m, &a.m, 1, member);
        same_bytes(&ab.m, &ba.m);
        ck_assert_ptr_null(adaptive_check(&ab.m));
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
            adaptive_merge(&sum.m, side ? &none.m : &a.m, side ? &a.m : &none.m, 1, member);
            ck_assert_uint_eq(sum.m.index.n, a.m.index.n);
            double digits = k % 2 ? 1e-6 : 1.0 / 256;
            for (uint64_t id = 0; id < 150; id++) {
                double w = adaptive_weight(&a.m, id);
                ck_assert_double_le(fabs(adaptive_weight(&sum.m, id) - w), digits * fabs(w));
            }
            free(a.block), free(none.block), free(sum.block);
        }
}
END_TEST

START_TEST(merged_members_have_means_of_weights_and_sums_of_the_rest)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct model a = of_setting(k, 7), b = of_setting(k, 7), m = of_setting(k, 7);
        struct linear_origin o[200];
        uint64_t s = 1, r = 2;
        learn_more(&a.m, &s, 400, NULL);
        learn_more(&b.m, &r, 200, NULL);
        adaptive_merge(&m.m, &a.m, &b.m, 3, o);
        double na = sgd_age(&a.m.sgd), nb = 3 * sgd_age(&b.m.sgd),
               digits = k % 2 ? 1e-6 : 1 / 256.0;
        for (uint32_t i = 0; i < m.m.index.n; i++) {
            double wa = adaptive_weight(&a.m, m.m.id[i]), wb = adaptive_weight(&b.m, m.m.id[i]);
            double want = (na * wa + nb * wb) / (na + nb);
            ck_assert_double_le(fabs(adaptive_slot_weight(&m.m, i) - want), digits * fabs(want));
            for (int y = 0; m.m.count && y < 2 && a.m.opt.sgd.half_life == 0; y++) {
                uint32_t in_a = o[i].a ? a.m.count[2 * (o[i].a - 1) + y] : 0;
                uint32_t in_b = o[i].b ? b.m.count[2 * (o[i].b - 1) + y] : 0;
                ck_assert_uint_eq(m.m.count[2 * i + y], in_a + 3 * in_b);
            }
            if (m.m.sum && a.m.opt.sgd.half_life == 0) {
                double sum = o[i].a ? (double)a.m.sum[o[i].a - 1] : 0;
                sum += o[i].b ? 3 * (double)b.m.sum[o[i].b - 1] : 0;
                ck_assert_double_le(fabs((double)m.m.sum[i] - sum), 1e-6 * sum);
            }
        }
        free(a.block), free(b.block), free(m.block);
    }
}
END_TEST

/* ---- compact ---- */

/* 40 features, each with its own odds; the same rows for every seed. */
static void learn_odds(struct adaptive *m, uint64_t s, float scale)
{
    for (int k = 0; k < 1500; k++) {
        uint64_t id[3];
        float x[3];
        double z;
        for (int i = 0; i < 3; i++)
            id[i] = below(&s, 40), x[i] = scale * (id[i] % 4 ? 1.0f : 0.3f);
        int y = below(&s, 40) < id[0] ? 1 : -1;
        adaptive_learn(m, &(struct linear_row){id, x, 3, y, 1, true}, &z);
    }
}

START_TEST(compact_weights_are_those_of_full_precision_in_the_mean)
{
    enum { SEEDS = 200 };
    double sum[40] = {0}, squares[40] = {0};
    struct adaptive_shape shape = {40, 0};
    struct model full = model_new(shape, (struct adaptive_options){.precision = ADAPTIVE_FULL});
    learn_odds(&full.m, 5, 1);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct model t = model_new(shape, (struct adaptive_options){.seed = seed});
        learn_odds(&t.m, 5, 1);
        for (uint64_t id = 0; id < 40; id++) {
            double w = adaptive_weight(&t.m, id);
            sum[id] += w, squares[id] += w * w;
        }
        free(t.block);
    }
    for (uint64_t id = 0; id < 40; id++) {
        double mean = sum[id] / SEEDS, want = adaptive_weight(&full.m, id);
        double error = sqrt(fmax(0, squares[id] / SEEDS - mean * mean) / SEEDS);
        ck_assert_msg(fabs(mean - want) <= 5 * error + 0.01 * (0.1 + fabs(want)),
                      "feature %d: %g +- %g, not %g", (int)id, mean, error, want);
    }
    free(full.block);
}
END_TEST

/* Ten features of one value, which say their label. Compact accumulators end at 2.9e16, those of
 * full precision at 1e30: values above 1.7e9 and 1e16 are large for ever (sgd_adaptive.h), and what
 * was learned from them counts less. */
START_TEST(large_values_are_learned_as_small_ones)
{
    for (int precision = 0; precision < 2; precision++)
        for (float x = 1; x < (precision ? 5e15f : 1.5e9f); x *= 10) {
            struct adaptive_options opt = {
                .precision = precision, .seed = 3, .sgd = {.bias = SGD_BIAS_NONE}};
            struct model t = model_new((struct adaptive_shape){10, 0}, opt);
            for (uint64_t k = 0; k < 400; k++) {
                uint64_t id = k % 10;
                double z;
                struct linear_row row = {&id, &x, 1, id % 2 ? 1 : -1, 1, true};
                adaptive_learn(&t.m, &row, &z);
                if (k >= 300)
                    ck_assert_msg(row.y * z > 2, "precision %d, value %g: %g", precision, x, z);
            }
            free(t.block);
        }
}
END_TEST

/* ---- shapes ---- */

START_TEST(no_budget_is_ever_exceeded_and_none_is_wasted)
{
    uint64_t s = 8;
    for (int k = 0; k < 20000; k++) {
        struct adaptive_options opt = {.precision = below(&s, 2), .counts = below(&s, 2)};
        uint64_t bytes = below(&s, k % 2 ? 200 : 1u << 29);
        struct adaptive_shape shape = {ADAPTIVE_CHOOSE, k % 3 ? ADAPTIVE_CHOOSE : below(&s, 50)};
        if (!adaptive_shape_for(bytes, &opt, &shape)) continue;
        ck_assert_uint_le(adaptive_charged_bytes(&shape, &opt), bytes);
        ck_assert_uint_gt(shape.active, 0);
        if (shape.active < ADAPTIVE_MAX_ACTIVE)
            ck_assert_uint_lt(bytes - adaptive_charged_bytes(&shape, &opt),
                              adaptive_member_bytes(&opt));
    }
}
END_TEST

START_TEST(an_entry_costs_what_its_header_says)
{
    for (int counts = 0; counts < 2; counts++) {
        struct adaptive_options compact = {.counts = counts}, full = compact;
        full.precision = ADAPTIVE_FULL;
        ck_assert_uint_eq(adaptive_member_bytes(&compact), 7 + 8 * counts);
        ck_assert_uint_eq(adaptive_member_bytes(&full), 12 + 8 * counts);
        ck_assert_uint_eq(adaptive_cell_bytes(&compact), 3);
        ck_assert_uint_eq(adaptive_cell_bytes(&full), 8);
    }
}
END_TEST

START_TEST(entrants_name_the_slots_that_changed_hands)
{
    uint32_t owner[20], entered = 0;
    uint64_t s = 4;
    struct model t =
        model_new((struct adaptive_shape){20, 32}, (struct adaptive_options){.seed = 1});
    memset(owner, 0xff, sizeof owner);
    for (int k = 0; k < 3000; k++) {
        struct sample a;
        double z;
        draw(&a, &s, 200, k % 3);
        adaptive_learn(&t.m, &a.row, &z);
        for (uint32_t i = 0; i < t.m.n_entrants; i++)
            owner[t.m.entrant[i].slot] = id_slots_fold(a.id[t.m.entrant[i].entry]);
        entered += t.m.n_entrants;
        for (uint32_t i = 0; i < t.m.index.n; i++)
            ck_assert_uint_eq(owner[i], t.m.id[i]);
    }
    ck_assert_uint_gt(entered, 300);
    free(t.block);
}
END_TEST

LEAT_SUITE("adaptive", full_precision_equals_the_twin_to_the_bit_on_random_streams_of_random_shape,
           strong_decay_and_fading_fold_and_renew_and_still_equal_the_twin,
           rows_that_are_refused_leave_every_byte_as_it_was,
           finite_input_of_any_size_keeps_a_finite_state, rows_of_no_importance_change_no_weight,
           equal_streams_give_equal_bytes_also_after_a_restart, another_seed_rounds_otherwise,
           a_merge_is_the_same_bit_for_bit_whichever_way_round,
           a_merge_with_what_learned_nothing_keeps_every_weight,
           merged_members_have_means_of_weights_and_sums_of_the_rest,
           compact_weights_are_those_of_full_precision_in_the_mean,
           large_values_are_learned_as_small_ones, no_budget_is_ever_exceeded_and_none_is_wasted,
           an_entry_costs_what_its_header_says, entrants_name_the_slots_that_changed_hands)
