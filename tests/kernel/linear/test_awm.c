/* test_awm.c -- the AWM-Sketch against its slow twin, and events that must never happen to it. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/awm/awm.h"
#include "support/linear_rig.h"
#include "support/oracle_awm.h"
#include "support/zeroed.h"

struct model {
    struct awm m;
    void *block;
    size_t bytes;
};

static struct model model_new(struct linear_shape shape, struct linear_options opt)
{
    struct model t;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.bytes = store_block_bytes(&awm_kernel, &shape, &opt);
    t.block = zeroed(t.bytes);
    store_init(&t.m.s, &awm_kernel, &shape, &opt, t.block);
    return t;
}

static void same_as_twin(const struct awm *m, struct oracle_awm *o, bool counts)
{
    ck_assert_uint_eq(m->s.set.n, o->n);
    ck_assert(m->s.sgd.alpha == o->sgd.alpha && m->s.sgd.bias == o->sgd.bias &&
              m->s.sgd.t == o->sgd.t);
    for (uint32_t s = 0; s < o->n; s++) {
        ck_assert_msg(m->s.set.id[s] == o->id[s], "slot %u holds %u, not %u", s, m->s.set.id[s],
                      o->id[s]);
        ck_assert_msg(m->s.member.weight[s] == o->w[s], "slot %u: %.9g, not %.9g", s,
                      m->s.member.weight[s], o->w[s]);
        if (m->s.l1_seen) ck_assert(m->s.l1_seen[s] == o->l1_seen[s]);
        if (counts) ck_assert(!memcmp(m->s.count + 2 * s, o->count + 2 * s, 8));
        if (m->s.member.sum) ck_assert(m->s.member.sum[s] == o->accumulator[s]);
    }
    for (uint32_t c = 0; c < m->s.shape.width * m->s.shape.depth; c++)
        ck_assert(m->s.member.weight[m->s.first_cell + c] == o->cell[c]);
}

/* Checks that the predicted margin equals the learned example's up to rounding. */
static void predicts(const struct awm *m, const struct linear_row *row, double margin)
{
    double size = 0;
    for (uint32_t i = 0; i < row->n; i++)
        size += fabs(store_weight(&m->s, row->id[i]) * (double)row->x[i]);
    ck_assert_double_eq_tol(store_margin(&m->s, row->n, row->id, row->x), margin,
                            1e-5 * (1 + size));
}

struct setting {
    uint32_t active, width, depth, ids;
    struct sgd_options sgd;
    bool counts;
};

static uint32_t compare_with_twin(const struct setting *c, uint64_t seed, int rows)
{
    struct linear_options opt = {.sgd = c->sgd, .counts = c->counts, .seed = seed};
    struct model t = model_new((struct linear_shape){c->active, c->width, c->depth, 0}, opt);
    struct oracle_awm o;
    struct sample a;
    oracle_awm_init(&o, &t.m);
    for (int k = 0; k < rows; k++) {
        double margin;
        draw(&a, &seed, c->ids, (int)(opt.seed % 3));
        double want = oracle_awm_learn(&o, &a.row);
        if (k % 5 == 0) predicts(&t.m, &a.row, want);
        ck_assert_int_eq(store_learn(&t.m.s, &a.row, &margin), LINEAR_OK);
        ck_assert_msg(margin == want, "row %d: margin %.17g, not %.17g", k, margin, want);
        const char *broken = store_check(&t.m.s);
        ck_assert_msg(!broken, "row %d: %s", k, broken);
        if (k % 37 == 0) same_as_twin(&t.m, &o, t.m.s.opt.counts);
    }
    same_as_twin(&t.m, &o, t.m.s.opt.counts);
    uint32_t evictions = o.evictions;
    oracle_awm_fini(&o);
    free(t.block);
    return evictions;
}

static uint32_t compare_at_random(void)
{
    const double lambdas[] = {0, 1e-6, 1e-3, 0.1}, l1s[] = {1e-5, 1e-3, 0.02};
    uint64_t s = 11;
    uint32_t evictions = 0;
    for (int k = 0; k < 400; k++) {
        struct setting c = {.active = 1 + below(&s, 20),
                            .width = 1u << below(&s, 7),
                            .depth = 1 + below(&s, 5),
                            .ids = 5 + below(&s, 300),
                            .counts = below(&s, 2)};
        if (k % 8 == 0) c.active = 60 + below(&s, 150); /* several blocks of bounds */
        if (k % 2) c.depth = 1;
        c.sgd = (struct sgd_options){.lambda = lambdas[below(&s, 4)],
                                     .eta0 = 0.05 + 0.1 * below(&s, 9),
                                     .schedule = below(&s, 3),
                                     .bias = below(&s, 3),
                                     .rates = below(&s, 3),
                                     .loss = k % 5 ? LOSS_LOGISTIC : below(&s, 3)};
        if (c.sgd.loss == LOSS_SQUARED) c.sgd.eta0 = 0.01; /* diverges with large steps */
        if (k % 2) c.sgd.rates = SGD_SHARED, c.counts = k % 4 == 1;
        if (k % 3 == 0) c.sgd.l1 = l1s[below(&s, 3)];
        evictions += compare_with_twin(&c, 1000 + (uint64_t)k, 300);
    }
    return evictions;
}

/* The streams must cause evictions. */
START_TEST(equals_the_twin_to_the_bit_on_random_streams_of_random_shape)
{
    ck_assert_uint_gt(compare_at_random(), 20000);
}
END_TEST

START_TEST(strong_decay_folds_the_scale_and_still_equals_the_twin)
{
    for (uint64_t seed = 1; seed < 10; seed++) {
        struct setting c = {.active = 8,
                            .width = 16,
                            .depth = seed % 2 ? 1 : 3,
                            .ids = 60,
                            .sgd = {.lambda = 0.9, .eta0 = 1, .schedule = SGD_CONSTANT},
                            .counts = seed % 2};
        compare_with_twin(&c, seed, 2000); /* alpha falls tenfold a row: a fold every nine rows */
    }
}
END_TEST

START_TEST(folding_the_scale_moves_no_margin)
{
    uint64_t s = 5;
    struct linear_options opt = {.sgd = {.lambda = 0.02, .eta0 = 0.5, .schedule = SGD_CONSTANT},
                                 .seed = 9};
    struct model t = model_new((struct linear_shape){16, 64, 1, 0}, opt);
    struct sample a, probe;
    int folds = 0;
    do
        draw(&probe, &s, 100, DISTINCT);
    while (probe.row.n < 10);
    for (int k = 0; k < 6000; k++) {
        double z;
        draw(&a, &s, 100, DISTINCT);
        double before = t.m.s.sgd.alpha * (1 - 0.5 * 0.02);
        store_learn(&t.m.s, &a.row, &z);
        if (before >= SGD_FOLD_BELOW) continue;
        folds++;
        ck_assert(t.m.s.sgd.alpha == 1);
        double after = store_margin(&t.m.s, probe.row.n, probe.id, probe.x), size = 0;
        for (uint32_t i = 0; i < probe.row.n; i++)
            size += fabs(store_weight(&t.m.s, probe.id[i]) * (double)probe.x[i]);
        /* unfold by hand: the margin at scale `before` of the same stored weights */
        for (uint32_t c = 0; c < t.m.s.first_cell + 64; c++)
            if (c < t.m.s.set.n || c >= t.m.s.first_cell)
                t.m.s.member.weight[c] = (float)(t.m.s.member.weight[c] / before);
        t.m.s.sgd.alpha = before;
        double unfolded = store_margin(&t.m.s, probe.row.n, probe.id, probe.x);
        ck_assert_double_le(fabs(after - unfolded), 1e-6 * size);
        for (uint32_t c = 0; c < t.m.s.first_cell + 64; c++)
            if (c < t.m.s.set.n || c >= t.m.s.first_cell)
                t.m.s.member.weight[c] = (float)(t.m.s.member.weight[c] * before);
        t.m.s.sgd.alpha = 1;
    }
    ck_assert_int_ge(folds, 2);
    free(t.block);
}
END_TEST

START_TEST(rows_that_are_refused_leave_every_byte_as_it_was)
{
    for (uint32_t depth = 1; depth < 4; depth++) {
        struct linear_options opt = {
            .sgd = {.lambda = 1e-3, .eta0 = 0.1}, .counts = depth == 2, .seed = 3};
        if (depth == 2) opt.sgd.l1 = 1e-3;
        struct model t = model_new((struct linear_shape){10, 32, depth, 0}, opt);
        size_t kept =
            store_block_bytes(&awm_kernel, &t.m.s.shape, &opt); /* without rows: no scratch */
        struct linear_subject subject = {learn_store, &t.m, t.block,
                                         offsetof(struct awm, at), /* scratch */
                                         kept};
        expect_bad_rows_refused(&subject, depth);
        free(t.block);
    }
}
END_TEST

START_TEST(finite_input_of_any_size_keeps_a_finite_state)
{
    for (int k = 0; k < 60; k++) {
        uint64_t s = (uint64_t)k + 1;
        struct linear_options opt = {
            .sgd = {
                .lambda = 0.5, .eta0 = 1, .bias = k % 3, .rates = k / 3 % 3, .loss = k / 9 % 3}};
        if (k % 4 == 3) opt.sgd.l1 = 1;
        struct model t = model_new((struct linear_shape){3, 4, 1 + (uint32_t)k % 2 * 2, 0}, opt);
        struct sample a;
        for (int r = 0; r < 300; r++) {
            double margin;
            draw_extreme(&a, &s, 12, DISTINCT);
            ck_assert_int_eq(store_learn(&t.m.s, &a.row, &margin), LINEAR_OK);
            ck_assert(isfinite(margin));
            const char *broken = store_check(&t.m.s);
            ck_assert_msg(!broken, "setting %d row %d: %s", k, r, broken);
        }
        free(t.block);
    }
}
END_TEST

START_TEST(budgets_give_the_shapes_of_the_paper)
{
    const uint32_t want[][3] = {
        {2, 128, 256}, {4, 256, 512}, {8, 512, 1024}, {16, 1024, 2048}, {32, 2048, 4096}};
    for (int i = 0; i < 5; i++)
        for (uint32_t extra = 0; extra < 4; extra++) { /* values in addition to id and weight */
            struct linear_shape s = {0};
            struct linear_options opt = {.counts = extra / 2};
            opt.sgd.rates = extra % 2 ? SGD_NEWTON : SGD_SHARED;
            ck_assert(awm_kernel.shape_for(want[i][0] * 1024u, &opt, &s));
            ck_assert_uint_eq(s.active, want[i][0] * 512 / (8 + 4 * extra));
            if (!extra) ck_assert_uint_eq(s.active, want[i][1]);
            ck_assert_uint_eq(s.width, want[i][2]);
            ck_assert_uint_eq(s.depth, 1);
        }
}
END_TEST

START_TEST(no_budget_is_ever_exceeded)
{
    uint64_t s = 8;
    for (int k = 0; k < 20000; k++) {
        uint64_t bytes = below(&s, k % 2 ? 200 : 1u << 30);
        struct linear_shape shape = {.depth = below(&s, 8)};
        struct linear_options opt = {.counts = below(&s, 2), .sgd.rates = below(&s, 2)};
        if (!awm_kernel.shape_for(bytes, &opt, &shape)) continue;
        ck_assert_uint_le(store_charged_bytes(&awm_kernel, &shape, &opt), bytes);
        ck_assert(shape.active && shape.width && !(shape.width & (shape.width - 1)));
        if (shape.active < LINEAR_MAX_ACTIVE) /* the budget is used up */
            ck_assert_uint_lt(bytes - store_charged_bytes(&awm_kernel, &shape, &opt),
                              awm_kernel.slot_bytes(&opt));
    }
    struct linear_shape tiny = {0}, smallest = {0}, deep = {.depth = AWM_MAX_DEPTH + 1, .width = 1},
                        wide = {.depth = 2, .width = LINEAR_MAX_CELLS};
    struct linear_options plain = {0};
    ck_assert(!awm_kernel.shape_for((uint64_t)1 << 40, &plain, &deep));
    ck_assert(!awm_kernel.shape_for((uint64_t)1 << 40, &plain, &wide));
    ck_assert(!awm_kernel.shape_for(11, &plain, &tiny));
    ck_assert(awm_kernel.shape_for(12, &plain, &smallest));
}
END_TEST

START_TEST(a_longer_row_costs_its_arrays_and_no_more)
{
    struct linear_shape shape = {16, 64, 1, 0};
    struct linear_options shorter = {.max_row = 64}, longer = {.max_row = 1088};
    ck_assert_uint_eq(store_block_bytes(&awm_kernel, &shape, &longer) -
                          store_block_bytes(&awm_kernel, &shape, &shorter),
                      1024 * (5 * 4 + 8 + sizeof(struct linear_entrant)));
}
END_TEST

START_TEST(a_repeated_id_learns_what_its_sum_would)
{
    /* Dyadic values have exact sums, so the two ways to write a row differ only by the rounding of
     * steps. */
    for (uint32_t depth = 1; depth < 4; depth++) {
        struct linear_options opt = {.sgd = {.eta0 = 0.25}, .seed = depth};
        struct linear_shape shape = {4, 1u << 16, depth, 0}; /* wide: no two ids collide */
        struct model t = model_new(shape, opt), sum = model_new(shape, opt);
        uint64_t s = depth;
        for (int k = 0; k < 300; k++) {
            uint64_t a = below(&s, 12), b = 20 + below(&s, 12);
            uint64_t id[] = {a, b, a, a, b}, once[] = {a, b};
            float x[] = {1, 2, 0.5f, -0.25f, 1}, both[] = {1.25f, 3};
            int y = a % 2 ? 1 : -1;
            double z, want;
            store_learn(&t.m.s, &(struct linear_row){id, x, 5, y, 1, true}, &z);
            store_learn(&sum.m.s, &(struct linear_row){once, both, 2, y, 1, true}, &want);
            /* the members may differ: |w~| is that of one entry */
            ck_assert_double_le(fabs(z - want), 1e-4);
            ck_assert_ptr_null(store_check(&t.m.s));
        }
        free(t.block);
        free(sum.block);
    }
}
END_TEST

START_TEST(entrants_name_the_slots_that_changed_hands)
{
    uint64_t s = 4;
    struct linear_options opt = {.sgd = {.lambda = 1e-3, .eta0 = 0.3}, .seed = 1};
    struct model t = model_new((struct linear_shape){20, 32, 1, 0}, opt);
    uint32_t owner[20];
    uint32_t entered = 0;
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
    ck_assert_uint_gt(entered, 500);
    free(t.block);
}
END_TEST

START_TEST(top_is_the_sorted_active_set)
{
    uint64_t s = 6;
    struct linear_options opt = {
        .sgd = {.lambda = 1e-4, .eta0 = 0.3, .bias = SGD_BIAS_PRIOR}, .counts = true, .seed = 1};
    struct model t = model_new((struct linear_shape){50, 64, 1, 0}, opt);
    uint32_t top[50];
    float scratch[50];
    for (int k = 0; k < 500; k++) {
        struct sample a;
        double z;
        draw(&a, &s, 300, REPEATED);
        store_learn(&t.m.s, &a.row, &z);
        uint32_t want = below(&s, 60), min = below(&s, 6), enough = 0;
        for (uint32_t i = 0; i < t.m.s.set.n; i++)
            enough += t.m.s.count[2 * i] + t.m.s.count[2 * i + 1] >= min;
        uint32_t n = store_top(&t.m.s, want < 50 ? want : 50, min, scratch, top);
        ck_assert_uint_eq(n, want < enough ? want : enough);
        for (uint32_t i = 0; i < n; i++) {
            double w = store_slot_weight(&t.m.s, top[i]);
            ck_assert_uint_ge(t.m.s.count[2 * top[i]] + t.m.s.count[2 * top[i] + 1], min);
            if (i) ck_assert(fabs(w) <= fabs(store_slot_weight(&t.m.s, top[i - 1])));
            ck_assert(store_weight(&t.m.s, t.m.s.set.id[top[i]]) == w);
        }
    }
    free(t.block);
}
END_TEST

START_TEST(ids_are_told_apart_by_all_their_bits)
{
    struct linear_options opt = {.sgd = {.eta0 = 0.5}, .seed = 77};
    struct model t = model_new((struct linear_shape){64, 64, 1, 0}, opt);
    for (uint32_t k = 0; k < 64; k++) { /* ids one bit apart, including 0 and the guards' ids */
        uint64_t id = k < 3 ? k : 1ull << (k % 64);
        float x = 1;
        double z;
        store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, 1, 1, true}, &z);
    }
    ck_assert_ptr_null(store_check(&t.m.s));
    ck_assert_uint_eq(t.m.s.set.n, 3 + 30); /* bits 2 .. 31; bits 32 .. 63 fold onto them */
    free(t.block);
}
END_TEST

START_TEST(an_empty_model_knows_no_id)
{
    for (uint32_t id = 0; id < 100000; id++) {
        static struct model t;
        if (!id)
            t = model_new((struct linear_shape){1, 1, 1, 0},
                          (struct linear_options){.sgd = {.eta0 = 1}, .seed = 5});
        t.m.s.member.weight[0] = 7; /* reveals a look-up that ends in slot 0 */
        ck_assert(store_weight(&t.m.s, id) == 0);
        if (id == 99999) free(t.block);
    }
}
END_TEST

START_TEST(prior_bias_is_the_log_odds_of_records_not_of_examples)
{
    struct linear_options opt = {.sgd = {.eta0 = 0.1, .bias = SGD_BIAS_PRIOR}, .seed = 5};
    struct model t = model_new((struct linear_shape){4, 8, 1, 0}, opt);
    for (uint64_t r = 0; r < 100; r++)
        for (uint32_t e = 0; e < (r % 4 ? 1 : 9u); e++) { /* a positive record has nine examples */
            uint64_t id = e;
            float x = 1;
            double z;
            store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, r % 4 ? -1 : 1, 1, !e}, &z);
        }
    ck_assert_double_le(fabs(t.m.s.sgd.bias - log(25.5 / 75.5)), 1e-15);
    ck_assert_uint_eq(t.m.s.sgd.records[1], 25);
    ck_assert_uint_eq(t.m.s.sgd.records[0], 75);
    free(t.block);
}
END_TEST

START_TEST(one_feature_streams_learn_its_log_odds)
{
    /* Feature f of 4 is positive in a share p_f; Newton's rate and the prior lead its weight to
     * log(n+/n-) - log(N+/N-). 20000 examples: a standard error of at most 0.04 each. */
    const double p[] = {0.5, 0.1, 0.8, 0.25};
    struct linear_options opt = {.sgd = {.eta0 = 0.1, .bias = SGD_BIAS_PRIOR, .rates = SGD_NEWTON},
                                 .counts = true};
    struct model t = model_new((struct linear_shape){4, 8, 1, 0}, opt);
    uint64_t s = 12;
    for (int k = 0; k < 80000; k++) {
        uint64_t id = below(&s, 4);
        int y = below(&s, 10000) < p[id] * 10000 ? 1 : -1;
        float x = 1;
        double z;
        store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, y, 1, true}, &z);
    }
    for (uint64_t f = 0; f < 4; f++) {
        double w = store_weight(&t.m.s, f), want = log(p[f] / (1 - p[f])) - t.m.s.sgd.bias;
        ck_assert_msg(fabs(w - want) < 0.12, "feature %d: %g, not %g", (int)f, w, want);
    }
    free(t.block);
}
END_TEST

START_TEST(log_odds_ratio_is_its_formula_and_0_without_counts)
{
    double q = 0.2, bias = log(0.25);
    struct sgd_prior five = sgd_prior(bias, 5);
    ck_assert_double_le(fabs(sgd_log_odds_ratio(7, 3, &five) - (log(8.0 / 7) - bias)), 1e-14);
    for (double b = -50; b <= 50; b += 0.5) {
        struct sgd_prior many = sgd_prior(b, 30), few = sgd_prior(b, 2);
        ck_assert_double_le(fabs(sgd_log_odds_ratio(0, 0, &many)), 1e-12);
        ck_assert(sgd_log_odds_ratio(1, 0, &few) >= 0 && sgd_log_odds_ratio(0, 1, &few) <= 0);
        ck_assert(isfinite(sgd_log_odds_ratio(UINT32_MAX, 0, &few)));
        ck_assert(isfinite(sgd_log_odds_ratio(0, UINT32_MAX, &few)));
    }
    for (double strength = 1; strength < 1e4; strength *= 2) { /* more caution, less weight */
        struct sgd_prior more = sgd_prior(bias, 2 * strength), less = sgd_prior(bias, strength);
        ck_assert(sgd_log_odds_ratio(9, 1, &more) < sgd_log_odds_ratio(9, 1, &less));
    }
    ck_assert_double_le(fabs(q - 1 / (1 + exp(-bias))), 1e-15);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct linear_options opt = {
        .sgd = {.eta0 = 0.5, .schedule = SGD_CONSTANT, .bias = SGD_BIAS_NONE}, .seed = 1};
    struct model t = model_new((struct linear_shape){1, 64, 1, 0}, opt);
    const uint64_t id[] = {7, 9};
    const float x[] = {1, 2};
    double z, slope = 1 / (1 + exp(-0.25));
    store_learn(&t.m.s, &(struct linear_row){id, x, 1, 1, 1, true}, &z);
    ck_assert(z == 0 && store_weight(&t.m.s, 7) == 0.25);
    store_learn(&t.m.s, &(struct linear_row){id, x, 2, -1, 1, true}, &z);
    ck_assert(z == 0.25);
    ck_assert_uint_eq(t.m.s.set.id[0], 9);
    ck_assert_double_eq_tol(store_weight(&t.m.s, 9), -slope, 1e-7);
    ck_assert_double_eq_tol(store_weight(&t.m.s, 7), 0.25 - slope / 2, 1e-7);
    free(t.block);
}
END_TEST

LEAT_SUITE("awm", equals_the_twin_to_the_bit_on_random_streams_of_random_shape,
           log_odds_ratio_is_its_formula_and_0_without_counts,
           strong_decay_folds_the_scale_and_still_equals_the_twin,
           folding_the_scale_moves_no_margin, rows_that_are_refused_leave_every_byte_as_it_was,
           finite_input_of_any_size_keeps_a_finite_state, budgets_give_the_shapes_of_the_paper,
           no_budget_is_ever_exceeded, a_longer_row_costs_its_arrays_and_no_more,
           a_repeated_id_learns_what_its_sum_would, entrants_name_the_slots_that_changed_hands,
           top_is_the_sorted_active_set, ids_are_told_apart_by_all_their_bits,
           an_empty_model_knows_no_id, prior_bias_is_the_log_odds_of_records_not_of_examples,
           one_feature_streams_learn_its_log_odds, the_example_of_the_header_is_what_happens)
