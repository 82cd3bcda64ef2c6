/* test_wm_adaptive.c -- the WM-Sketch with a rate for every weight.
 *
 * Full precision is compared with its slow twin. Compact precision must obey laws. Some events must
 * never happen to either. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/wm_adaptive/wm_adaptive.h"
#include "support/adaptive_laws.h"
#include "support/oracle_wm_adaptive.h"
#include "support/zeroed.h"
#include "support/merge_rig.h"

struct model {
    struct wm_adaptive m;
    void *block;
};

static uint32_t cells(const struct wm_adaptive *m) { return m->s.shape.width * m->s.shape.depth; }

static struct model model_new(struct linear_shape shape, struct linear_options opt)
{
    struct model t;
    opt.sgd.rates = SGD_ADAPTIVE;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.block = zeroed(store_block_bytes(&wm_adaptive_kernel, &shape, &opt));
    store_init(&t.m.s, &wm_adaptive_kernel, &shape, &opt, t.block);
    return t;
}

static void learn_both(struct model *t, struct oracle_wm_adaptive *o, const struct linear_row *row)
{
    double margin, asked = store_margin(&t->m.s, row->n, row->id, row->x);
    ck_assert_int_eq(store_learn(&t->m.s, row, &margin), LINEAR_OK);
    ck_assert_msg(margin == asked, "margin %.17g, but asked for it: %.17g", margin, asked);
    double want = oracle_wm_adaptive_learn(o, row);
    ck_assert_msg(margin == want, "row %d: margin %.17g, not %.17g", (int)o->sgd.t, margin, want);
    const char *broken = store_check(&t->m.s);
    ck_assert_msg(!broken, "row %d: %s", (int)o->sgd.t, broken);
}

static void same_as_twin(const struct wm_adaptive *m, const struct oracle_wm_adaptive *o)
{
    ck_assert_uint_eq(m->s.set.n, o->n);
    ck_assert(m->s.sgd.alpha == o->sgd.alpha && m->s.sgd.bias == o->sgd.bias);
    ck_assert(m->s.sgd.t == o->sgd.t && m->s.sgd.grown == o->sgd.grown);
    for (uint32_t s = 0; s < o->n; s++) {
        const struct oracle_wm_adaptive_member *want = &o->member[s];
        ck_assert_msg(m->s.set.id[s] == want->id, "slot %u holds %u, not %u", s, m->s.set.id[s],
                      want->id);
        ck_assert_msg(m->s.member.weight[s] == want->w, "slot %u: %.9g not %.9g", s,
                      m->s.member.weight[s], want->w);
        if (m->s.count) ck_assert(!memcmp(m->s.count + 2 * s, want->count, 8));
    }
    for (uint32_t c = 0; c < cells(m); c++) {
        ck_assert(m->s.cell.weight[c] == o->cell[c].w);
        ck_assert(m->s.cell.sum[c] == o->cell[c].a);
    }
}

struct work {
    uint32_t replaced, held, lessened, folds, renewals;
};

static void compare_with_twin(struct linear_shape shape, const struct linear_options *opt,
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
    done->held += o.held;
    done->lessened += o.lessened;
    oracle_wm_adaptive_fini(&o);
    free(t.block);
}

/* The streams must cause the intended events. */
START_TEST(full_precision_equals_the_twin_to_the_bit_on_random_streams_of_random_shape)
{
    static const double lambdas[] = {0, 1e-6, 1e-3, 0.1}, l1s[] = {1e-5, 1e-3, 0.02},
                        half_lives[] = {1, 3, 50, 1e4};
    uint64_t s = 11;
    struct work done = {0};
    for (int k = 0; k < 300; k++) {
        struct linear_shape shape = {1 + below(&s, 20), 1 + below(&s, 60),
                                     1 + below(&s, k % 3 ? 6 : 32), 0};
        if (k % 8 == 0) shape.active = 60 + below(&s, 150); /* several blocks of bounds */
        struct linear_options opt = {.precision = ADAPTIVE_FULL,
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
    ck_assert_uint_gt(done.held, 1000);
    ck_assert_uint_gt(done.lessened, 1000);
    ck_assert_uint_gt(done.folds, 10);
}
END_TEST

START_TEST(strong_decay_and_fading_fold_and_renew_and_still_equal_the_twin)
{
    struct work done = {0};
    for (uint64_t seed = 1; seed < 9; seed++) {
        struct linear_options opt = {
            .precision = ADAPTIVE_FULL,
            .counts = seed % 2,
            .seed = seed,
            .sgd = {.lambda = 0.9, .eta0 = 1, .schedule = SGD_CONSTANT, .l1 = seed % 3 * 1e-3}};
        if (seed > 4) opt.sgd.half_life = 1 + (double)(seed - 5) * 4, opt.sgd.lambda = 0.1;
        compare_with_twin((struct linear_shape){8, 16, 1 + (uint32_t)seed % 4, 0}, &opt, 60, 2000,
                          &done);
    }
    ck_assert_uint_gt(done.folds, 500);
    ck_assert_uint_gt(done.renewals, 100);
}
END_TEST

/* ---- laws of both adaptive sketches ---- */

static struct linear_shape shape_for(enum adaptive_use use, int k)
{
    /* one row and more */
    static const struct linear_shape any[] = {
        {10, 40, 3, 0}, {20, 60, 1, 0}, {20, 30, 2, 0}, {70, 100, 5, 0}};
    static const struct linear_shape of[] = {
        [ADAPTIVE_OF_EIGHT] = {8, 64, 3, 0},
        [ADAPTIVE_OF_TEN] = {10, 256, 3, 0},
        [ADAPTIVE_OF_FORTY] = {8, 1 << 16, 3, 0}, /* hardly any two share a cell */
        [ADAPTIVE_OF_MANY] = {20, 200, 1, 0},
    };
    if (use == ADAPTIVE_ANY) return any[k / 2 % 4];
    if (use == ADAPTIVE_TINY)
        return (struct linear_shape){3, k % 5 ? 4 : 1, 1 + (uint32_t)k % 4, 0};
    return of[use];
}

static void *make(enum adaptive_use use, int k, const struct adaptive_setting *s)
{
    struct model *t = malloc(sizeof *t);
    *t = model_new(shape_for(use, k),
                   (struct linear_options){.precision = s->full ? ADAPTIVE_FULL : ADAPTIVE_COMPACT,
                                           .counts = s->counts,
                                           .seed = s->seed,
                                           .sgd = s->sgd});
    return t;
}

static void drop(void *model)
{
    free(((struct model *)model)->block);
    free(model);
}

static const struct adaptive_kind kind = {make, drop, .compact_seeds = 60, .compact_error = 0.03};

START_TEST(rows_that_are_refused_leave_every_byte_as_it_was)
{
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++) {
        struct model *t = adaptive_of_setting(&kind, k, 3);
        struct linear_options bare = t->m.s.opt;
        bare.max_row = 0;
        struct linear_subject subject = {
            learn_store, &t->m, t->block, offsetof(struct wm_adaptive, place),
            store_block_bytes(&wm_adaptive_kernel, &t->m.s.shape, &bare)};
        expect_bad_rows_refused(&subject, (uint64_t)k + 1);
        drop(t);
    }
}
END_TEST

START_TEST(finite_input_of_any_size_keeps_a_finite_state)
{
    law_finite_input_keeps_a_finite_state(&kind);
}
END_TEST

START_TEST(rows_of_no_importance_change_no_weight) { law_no_importance_changes_no_weight(&kind); }
END_TEST

START_TEST(equal_streams_give_equal_bytes_also_after_a_restart)
{
    law_equal_streams_give_equal_bytes(&kind);
}
END_TEST

START_TEST(all_numbers_are_forgotten_by_the_same_share)
{
    law_all_numbers_are_forgotten_by_the_same_share(&kind);
}
END_TEST

START_TEST(another_seed_rounds_otherwise) { law_another_seed_rounds_otherwise(&kind); }
END_TEST

/* ---- merges ---- */

START_TEST(a_merge_is_the_same_bit_for_bit_whichever_way_round)
{
    law_a_merge_is_the_same_either_way_round(&kind);
}
END_TEST

/* Weights and accumulators of two bytes and one are rounded where scales are folded in. */
START_TEST(a_merge_with_what_learned_nothing_keeps_every_weight)
{
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++)
        for (int side = 0; side < 2; side++) {
            struct model *a = adaptive_of_setting(&kind, k, 7),
                         *none = adaptive_of_setting(&kind, k, 7),
                         *sum = adaptive_of_setting(&kind, k, 7);
            uint64_t s = 1;
            adaptive_learn_more(&kind, a, &s, 400, NULL);
            rig_merge(&sum->m.s, side ? &none->m.s : &a->m.s, side ? &a->m.s : &none->m.s, 1, NULL);
            ck_assert_uint_eq(sum->m.s.set.n, a->m.s.set.n);
            double digits = k % 2 ? 1e-6 : 1.0 / 256, heaviest = 0; /* cells of a median cancel */
            for (uint32_t c = 0; c < cells(&a->m); c++)
                heaviest = fmax(heaviest, fabs((double)numbers_weight(a->m.s.cell, c, k % 2 == 0)));
            for (uint64_t id = 0; id < 150; id++) {
                double w = store_weight(&a->m.s, id);
                ck_assert_double_le(fabs(store_weight(&sum->m.s, id) - w), digits * heaviest);
            }
            drop(a), drop(none), drop(sum);
        }
}
END_TEST

/* Weight and accumulator of a cell, without what fades or shrinks them later. */
static double cell_of(const struct wm_adaptive *m, uint32_t c)
{
    float w = numbers_weight(m->s.cell, c, m->s.cell.half != NULL);
    return (double)l1_shrink(w, (float)(m->s.sgd.penalty - m->s.sgd.l1_applied)) * m->s.sgd.alpha;
}

static double sum_of(const struct wm_adaptive *m, uint32_t c)
{
    return (double)numbers_sum(m->s.cell, c, m->s.cell.code != NULL) / m->s.sgd.grown;
}

/* Sum over the cells of a row of two models of their accumulators, each at most G. */
static double total_of(const struct wm_adaptive *a, const struct wm_adaptive *b, double count)
{
    double G = a->s.sgd.bias_sum / a->s.sgd.grown + count * b->s.sgd.bias_sum / b->s.sgd.grown,
           sum = 0;
    for (uint32_t c = 0; c < cells(a); c++)
        sum += fmin(sum_of(a, c) + count * sum_of(b, c), G);
    return sum / a->s.shape.depth;
}

START_TEST(merged_cells_have_means_by_curvature_and_sums_of_the_rest)
{
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++) {
        struct model *a = adaptive_of_setting(&kind, k, 7), *b = adaptive_of_setting(&kind, k, 7),
                     *m = adaptive_of_setting(&kind, k, 7);
        uint64_t s = 1, r = 2;
        adaptive_learn_more(&kind, a, &s, 400, NULL);
        adaptive_learn_more(&kind, b, &r, 200, NULL);
        rig_merge(&m->m.s, &a->m.s, &b->m.s, 3, NULL);
        bool compact = k % 2 == 0;
        double of_a = rig_start(&a->m.s.sgd, total_of(&a->m, &a->m, 0)),
               of_b = rig_start(&b->m.s.sgd, total_of(&b->m, &b->m, 0)),
               of_m = rig_start(&m->m.s.sgd, total_of(&a->m, &b->m, 3));
        for (uint32_t c = 0; c < cells(&m->m); c++) {
            double in_a = sum_of(&a->m, c), in_b = sum_of(&b->m, c), sum = in_a + 3 * in_b;
            double want =
                ((in_a + of_a) * cell_of(&a->m, c) + 3 * (in_b + of_b) * cell_of(&b->m, c)) /
                (sum + of_m);
            ck_assert_double_le(fabs(cell_of(&m->m, c) - want),
                                (compact ? 1 / 256.0 : 1e-5) * fabs(want) + 1e-12);
            ck_assert_double_le(fabs(sum_of(&m->m, c) - sum), (compact ? .3 : 1e-6) * sum);
        }
        drop(a), drop(b), drop(m);
    }
}
END_TEST

/* ---- compact ---- */

START_TEST(compact_weights_are_those_of_full_precision_in_the_mean)
{
    law_compact_is_full_in_the_mean(&kind);
}
END_TEST

START_TEST(large_values_are_learned_as_small_ones)
{
    law_large_values_are_learned_as_small_ones(&kind);
}
END_TEST

/* ---- the sketch ---- */

/* Learns one example of one feature. Its cells and the bias get the same step. */
START_TEST(every_row_takes_the_full_step)
{
    for (uint32_t depth = 1; depth < 9; depth++) {
        struct model t = model_new((struct linear_shape){4, 64, depth, 0},
                                   (struct linear_options){.precision = ADAPTIVE_FULL});
        uint64_t id = 77;
        float x = 1;
        double z;
        store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, 1, 1, true}, &z);
        uint32_t moved = 0;
        for (uint32_t c = 0; c < cells(&t.m); c++) {
            if (t.m.s.cell.weight[c] == 0) continue;
            ck_assert_double_le(fabs(fabs((double)t.m.s.cell.weight[c]) - t.m.s.sgd.bias), 1e-7);
            ck_assert(t.m.s.cell.sum[c] == 0.25f);
            moved++;
        }
        ck_assert_uint_eq(moved, depth);
        ck_assert_double_le(fabs(store_weight(&t.m.s, id) - t.m.s.sgd.bias), 1e-7);
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
            struct linear_options opt = {.seed = seed};
            struct model t =
                model_new((struct linear_shape){10, k ? 500 : 1500, k ? 3 : 1, 0}, opt);
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
                store_learn(&t.m.s, &(struct linear_row){id, x, 12, heavy % 2 ? 1 : -1, 1, true},
                            &z);
            }
            for (uint32_t i = 0; i < t.m.s.set.n; i++)
                found[k] += t.m.s.set.id[i] % 100 == 0;
            free(t.block);
        }
    ck_assert_uint_ge(found[1], 72);
    ck_assert_uint_ge(found[1], found[0]);
}
END_TEST

START_TEST(with_estimates_members_are_shown_as_the_cells_say_now)
{
    for (int precision = 0; precision < 2; precision++) {
        struct linear_options opt = {
            .sgd = {.l1 = 1e-4}, .precision = precision, .estimates = true, .seed = 1};
        struct model t = model_new((struct linear_shape){20, 16, 4, 0}, opt);
        uint32_t top[20];
        float scratch[20];
        uint64_t s = 6;
        for (int k = 0; k < 300; k++) {
            struct sample a;
            double z;
            draw(&a, &s, 300, REPEATED);
            store_learn(&t.m.s, &a.row, &z);
            for (uint32_t i = 0, n = store_top(&t.m.s, 20, 0, scratch, top); i < n; i++) {
                double w = store_slot_weight(&t.m.s, top[i]);
                ck_assert(w == store_weight(&t.m.s, t.m.s.set.id[top[i]]));
                if (i) ck_assert(fabs(w) <= fabs(store_slot_weight(&t.m.s, top[i - 1])));
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
        struct linear_options opt = {.precision = below(&s, 2), .counts = below(&s, 2)};
        uint64_t bytes = below(&s, k % 2 ? 200 : 1u << 29);
        struct linear_shape shape = {0}, given;
        if (k % 5 == 1) shape.depth = below(&s, 70);
        if (k % 5 == 2) shape.width = below(&s, 1000);
        if (k % 5 == 3) shape.active = below(&s, 1000);
        given = shape;
        if (!wm_adaptive_kernel.shape_for(bytes, &opt, &shape)) continue;
        fitted++;
        ck_assert_uint_le(store_charged_bytes(&wm_adaptive_kernel, &shape, &opt), bytes);
        ck_assert(shape.active && shape.width && shape.depth);
        ck_assert(shape.depth <= COUNT_SKETCH_MAX_DEPTH);
        ck_assert(!given.depth || given.depth == shape.depth);
        ck_assert(!given.width || given.width == shape.width);
        ck_assert(!given.active || given.active == shape.active);
        if (!given.width) /* the budget is used up */
            ck_assert_uint_lt(bytes - store_charged_bytes(&wm_adaptive_kernel, &shape, &opt),
                              (uint64_t)shape.depth * wm_adaptive_kernel.cell_bytes(&opt, &shape));
    }
    ck_assert_uint_gt(fitted, 10000);
}
END_TEST

START_TEST(a_feature_and_a_cell_cost_what_the_header_says)
{
    for (uint32_t counts = 0; counts < 2; counts++) {
        struct linear_options compact = {.counts = counts}, full = compact;
        full.precision = ADAPTIVE_FULL;
        const struct linear_shape any = {0};
        ck_assert_uint_eq(wm_adaptive_kernel.slot_bytes(&compact), 6 + 8 * counts);
        ck_assert_uint_eq(wm_adaptive_kernel.slot_bytes(&full), 8 + 8 * counts);
        ck_assert_uint_eq(wm_adaptive_kernel.cell_bytes(&compact, &any), 3);
        ck_assert_uint_eq(wm_adaptive_kernel.cell_bytes(&full, &any), 8);
    }
}
END_TEST

START_TEST(entrants_name_the_slots_that_changed_hands)
{
    uint32_t owner[20], entered = 0;
    uint64_t s = 4;
    struct model t =
        model_new((struct linear_shape){20, 32, 3, 0}, (struct linear_options){.seed = 1});
    memset(owner, 0xff, sizeof owner);
    for (int k = 0; k < 3000; k++) {
        struct sample a;
        double z;
        draw(&a, &s, 200, k % 3);
        store_learn(&t.m.s, &a.row, &z);
        for (uint32_t i = 0; i < t.m.s.n_entrants; i++)
            owner[t.m.s.entrant[i].slot] = id_slots_fold(a.id[t.m.s.entrant[i].entry]);
        entered += t.m.s.n_entrants;
        for (uint32_t i = 0; i < t.m.s.set.n; i++)
            ck_assert_uint_eq(owner[i], t.m.s.set.id[i]);
    }
    ck_assert_uint_gt(entered, 200);
    free(t.block);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const struct linear_options opt = {.precision = ADAPTIVE_COMPACT};
    struct linear_shape s = {0};
    ck_assert(wm_adaptive_kernel.shape_for(1024, &opt, &s));
    ck_assert(s.active == 42 && s.width == 85 && s.depth == 3);
    ck_assert_uint_eq(store_charged_bytes(&wm_adaptive_kernel, &s, &opt), 1017);
}
END_TEST

LEAT_SUITE("wm adaptive",
           full_precision_equals_the_twin_to_the_bit_on_random_streams_of_random_shape,
           strong_decay_and_fading_fold_and_renew_and_still_equal_the_twin,
           rows_that_are_refused_leave_every_byte_as_it_was,
           finite_input_of_any_size_keeps_a_finite_state, rows_of_no_importance_change_no_weight,
           equal_streams_give_equal_bytes_also_after_a_restart,
           all_numbers_are_forgotten_by_the_same_share, another_seed_rounds_otherwise,
           a_merge_is_the_same_bit_for_bit_whichever_way_round,
           a_merge_with_what_learned_nothing_keeps_every_weight,
           merged_cells_have_means_by_curvature_and_sums_of_the_rest,
           compact_weights_are_those_of_full_precision_in_the_mean,
           large_values_are_learned_as_small_ones, every_row_takes_the_full_step,
           more_rows_find_more_of_the_planted_features,
           with_estimates_members_are_shown_as_the_cells_say_now,
           no_budget_is_ever_exceeded_and_given_fields_stay,
           a_feature_and_a_cell_cost_what_the_header_says,
           entrants_name_the_slots_that_changed_hands, the_example_of_the_header_is_what_happens)
