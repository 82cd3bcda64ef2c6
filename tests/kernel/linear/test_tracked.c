/* test_tracked.c -- learners of tracked features against their slow twin; impossible events. */
#include <float.h>

#include "kernels/linear/logistic.h"
#include "support/oracle_tracked.h"
#include "support/tracked_rig.h"

/* ---- the twin ---- */

static void same_as_twin(const struct tracked *m, const struct oracle_tracked *o)
{
    ck_assert_uint_eq(m->s.set.n, o->n);
    ck_assert_uint_eq(m->replaced, o->replaced);
    ck_assert(m->s.sgd.alpha == o->sgd.alpha && m->s.sgd.bias == o->sgd.bias &&
              m->s.sgd.t == o->sgd.t);
    for (uint32_t s = 0; s < o->n; s++) {
        const struct oracle_slot *w = &o->slot[s];
        if (m->s.set.id[s] != w->id || m->s.member.weight[s] != w->w)
            ck_abort_msg("slot %u: %u %.9g, not %u %.9g", s, m->s.set.id[s], m->s.member.weight[s],
                         w->id, w->w);
        if (m->s.count) ck_assert(!memcmp(m->s.count + 2 * s, w->count, 8));
        if (m->s.member.sum) ck_assert(m->s.member.sum[s] == w->accumulator);
        if (m->frequency) ck_assert_uint_eq(m->frequency[s], w->frequency);
        if (m->priority) ck_assert(m->priority[s] == (float)w->e);
    }
    for (uint32_t c = 0; c < m->s.shape.width * m->s.shape.depth; c++)
        ck_assert_uint_eq(m->counter[c], o->cell[c]);
}

static uint64_t compare_with_twin(struct linear_shape shape, struct linear_options opt,
                                  uint32_t ids, int rows)
{
    struct model t = model_new(shape, opt);
    struct oracle_tracked o;
    struct sample a;
    uint64_t seed = opt.seed;
    oracle_tracked_init(&o, &t.m);
    for (int k = 0; k < rows; k++) {
        double margin;
        draw(&a, &seed, ids, (int)(opt.seed % KINDS));
        int result = store_learn(&t.m.s, &a.row, &margin);
        double want = oracle_tracked_learn(&o, &a.row);
        if (result != LINEAR_OK || margin != want)
            ck_abort_msg("rule %d, seed %llu, row %d: margin %.17g, not %.17g", opt.rule,
                         (unsigned long long)opt.seed, k, margin, want);
        const char *broken = store_check(&t.m.s);
        if (broken) ck_abort_msg("rule %d, row %d: %s", opt.rule, k, broken);
        if (k % 37 == 0) same_as_twin(&t.m, &o);
    }
    same_as_twin(&t.m, &o);
    uint64_t replaced = o.replaced;
    oracle_tracked_fini(&o);
    free(t.block);
    return replaced;
}

START_TEST(equals_the_twin_to_the_bit_on_random_streams_of_random_shape)
{
    const double lambdas[] = {0, 1e-6, 1e-3, 0.1}, l1s[] = {1e-5, 1e-3, 0.02};
    uint64_t s = 11, replaced[RULES] = {0};
    for (int k = 0; k < 800; k++) {
        struct linear_shape shape = {1 + below(&s, 20), 1u << below(&s, 7), 1 + below(&s, 5), 0};
        struct linear_options opt = {.rule = (enum tracked_rule)(k % RULES),
                                     .counts = below(&s, 2),
                                     .product = below(&s, 2),
                                     .churn_one = below(&s, 2),
                                     .conservative = below(&s, 2),
                                     .seed = 1000 + mix64_next(&s)};
        if (k % 7 == 0) shape.active = 60 + below(&s, 150); /* several blocks of bounds */
        opt.sgd = (struct sgd_options){.lambda = lambdas[below(&s, 4)],
                                       .eta0 = 0.05 + 0.1 * below(&s, 9),
                                       .schedule = below(&s, 3),
                                       .bias = below(&s, 3),
                                       .rates = below(&s, 3),
                                       .loss = k % 5 ? LOSS_LOGISTIC : below(&s, 3)};
        if (opt.sgd.loss == LOSS_SQUARED) opt.sgd.eta0 = 0.01; /* diverges with large steps */
        if (opt.sgd.loss == LOSS_SQUARED) opt.sgd.rates = SGD_SHARED;
        if (k % 3 == 0) opt.sgd.l1 = l1s[below(&s, 3)];
        replaced[opt.rule] += compare_with_twin(shape, opt, 5 + below(&s, 300), 300);
    }
    for (int r = 0; r < RULES; r++) /* the streams cause the intended events */
        ck_assert_uint_gt(replaced[r], 10000);
}
END_TEST

START_TEST(strong_decay_folds_the_scale_and_still_equals_the_twin)
{
    for (uint64_t seed = 1; seed < 13; seed++) {
        struct linear_options opt = {.sgd = {.lambda = 0.9,
                                             .eta0 = 1,
                                             .schedule = SGD_CONSTANT}, /* a fold every nine rows */
                                     .rule = (enum tracked_rule)(seed % RULES),
                                     .seed = seed};
        compare_with_twin((struct linear_shape){8, 16, 2, 0}, opt, 60, 1000);
    }
}
END_TEST

START_TEST(ids_whose_chains_collide_are_told_apart)
{
    /* One slot has four heads: every chain is long. */
    struct linear_options opt = {.sgd = plain, .rule = TRACKED_HEAVIEST, .seed = 3};
    for (uint32_t slots = 1; slots < 4; slots++)
        compare_with_twin((struct linear_shape){.active = slots}, opt, 100000, 3000);
}
END_TEST

/* ---- against the uncompressed model ---- */

static void room_for_all_equals_logistic(struct linear_options opt, int kind)
{
    enum { IDS = 200 };
    struct model t = model_new((struct linear_shape){IDS, 16, 2, 0}, opt);
    struct logistic_options lo = {.sgd = opt.sgd, .counts = opt.counts};
    struct logistic l;
    void *block = calloc(1, logistic_block_bytes(256, &lo));
    void *scratch = calloc(1, logistic_scratch_bytes(MAX_ROW));
    uint64_t seed = opt.seed;
    struct sample a;
    logistic_init(&l, &lo, 256, 256, block, MAX_ROW, scratch);
    for (int k = 0; k < 1500; k++) {
        double z, want;
        draw(&a, &seed, IDS, kind);
        struct linear_row row = {a.id, a.x, a.row.n, a.row.y, a.row.weight, a.row.new_record};
        learn(&t.m, &a.row);
        logistic_learn(&l, &row, &want);
        draw(&a, &seed, IDS, kind); /* compares both margins before learning */
        row = (struct linear_row){a.id, a.x, a.row.n, a.row.y, a.row.weight, a.row.new_record};
        store_learn(&t.m.s, &a.row, &z);
        logistic_learn(&l, &row, &want);
        ck_assert_msg(z == want, "rule %d, row %d: %.17g, not %.17g", opt.rule, k, z, want);
    }
    for (uint64_t id = 0; id < IDS; id++)
        ck_assert(store_weight(&t.m.s, id) == logistic_weight(&l, id));
    ck_assert_uint_eq(t.m.replaced, 0);
    free(t.block);
    free(block);
    free(scratch);
}

START_TEST(room_for_every_feature_equals_the_uncompressed_model_to_the_bit)
{
    for (int rule = 0; rule < RULES; rule++)
        for (int rates = 0; rates < 3; rates++)
            for (int kind = 0; kind < 4; kind += SINGLE) { /* no id repeated in a row */
                struct linear_options opt = {.sgd = {.lambda = 1e-4, .eta0 = 0.3},
                                             .rule = (enum tracked_rule)rule,
                                             .counts = true,
                                             .churn_one = true,
                                             .seed = 77};
                opt.sgd.rates = (enum sgd_rates)rates;
                room_for_all_equals_logistic(opt, kind);
                opt.sgd.l1 = 2e-3;
                room_for_all_equals_logistic(opt, kind);
            }
}
END_TEST

START_TEST(repeated_ids_count_as_one_with_their_values_summed)
{
    uint64_t twice[] = {9, 4, 9, 7, 4, 9}, once[] = {9, 4, 7};
    float split[] = {0.5f, 0.25f, -0.125f, 1, 0.5f, 0.125f}, whole[] = {0.5f, 0.75f, 1};
    for (int rule = 0; rule < RULES; rule++) {
        struct linear_options opt = {.sgd = plain, .rule = (enum tracked_rule)rule, .counts = true};
        struct linear_shape shape = {2, 4, 2, 0};
        struct model a = model_new(shape, opt), b = model_new(shape, opt);
        for (int k = 0; k < 20; k++) {
            int y = k % 3 ? 1 : -1;
            learn(&a.m, &(struct linear_row){twice, split, 6, y, 1, true});
            learn(&b.m, &(struct linear_row){once, whole, 3, y, 1, true});
            for (uint32_t e = 0; e < a.m.s.n_entrants; e++) /* entries refer to the original row */
                ck_assert_uint_eq(twice[a.m.s.entrant[e].entry], once[b.m.s.entrant[e].entry]);
        }
        ck_assert(!memcmp(a.m.s.member.weight, b.m.s.member.weight, state_bytes(&a.m)));
        free(a.block);
        free(b.block);
    }
}
END_TEST

/* ---- refusals and extremes ---- */

START_TEST(values_that_are_not_finite_change_no_byte)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    uint64_t seed = 31;
    struct sample a;
    for (int rule = 0; rule < RULES; rule++)
        for (int kind = 0; kind < KINDS; kind++) {
            struct linear_options opt = {.sgd = plain, .rule = (enum tracked_rule)rule};
            struct model t = model_new((struct linear_shape){12, 16, 2, 0}, opt);
            for (int k = 0; k < 200; k++) {
                draw(&a, &seed, 40, kind);
                learn(&t.m, &a.row);
            }
            void *copy = malloc(state_bytes(&t.m));
            memcpy(copy, t.m.s.member.weight, state_bytes(&t.m));
            struct tracked before = t.m;
            for (int k = 0; k < 100; k++) {
                double z = 42;
                draw(&a, &seed, 40, kind);
                if (!a.row.n) continue;
                uint32_t i = below(&seed, a.row.n), j = below(&seed, a.row.n);
                a.x[i] = bad[k % 3];
                a.x[j] = k % 2 ? -bad[k % 3] : bad[k % 3]; /* infinities that would cancel */
                ck_assert_int_eq(store_learn(&t.m.s, &a.row, &z), LINEAR_NONFINITE);
                ck_assert(z == 42);
            }
            ck_assert(!memcmp(copy, t.m.s.member.weight, state_bytes(&t.m)));
            ck_assert(!memcmp(&before.s.sgd, &t.m.s.sgd, sizeof before.s.sgd));
            ck_assert_uint_eq(before.s.set.n, t.m.s.set.n);
            ck_assert_uint_eq(before.replaced, t.m.replaced);
            free(copy);
            free(t.block);
        }
}
END_TEST

START_TEST(rows_longer_than_agreed_are_refused)
{
    struct linear_options opt = {.sgd = plain, .rule = TRACKED_HEAVIEST, .max_row = 2};
    struct model t = model_new((struct linear_shape){.active = 3}, opt);
    uint64_t id[] = {1, 2, 3};
    float x[] = {1, 1, 1};
    double z;
    ck_assert_int_eq(store_learn(&t.m.s, &(struct linear_row){id, x, 3, 1, 1, true}, &z),
                     LINEAR_TOO_LONG);
    ck_assert_uint_eq(t.m.s.set.n, 0);
    learn(&t.m, &(struct linear_row){id, x, 2, 1, 1, true});
    learn(&t.m, &(struct linear_row){id, x, 0, 1, 1, true});
    free(t.block);
}
END_TEST

START_TEST(finite_values_of_any_size_keep_a_finite_state)
{
    uint64_t s = 3;
    struct sample a;
    for (int k = 0; k < 3 * RULES; k++) {
        struct linear_options opt = {.sgd = {.lambda = 0.5, .eta0 = 1},
                                     .rule = (enum tracked_rule)(k % RULES),
                                     .product = k & 1};
        opt.sgd.rates = (enum sgd_rates)(k / RULES);
        struct model t = model_new((struct linear_shape){5, 4, 2, 0}, opt);
        for (int r = 0; r < 500; r++) {
            draw_extreme(&a, &s, 20, r % KINDS);
            learn(&t.m, &a.row);
            const char *broken = store_check(&t.m.s);
            ck_assert_msg(!broken, "rule %d, row %d: %s", k % RULES, r, broken);
        }
        free(t.block);
    }
}
END_TEST

/* ---- budgets ---- */

START_TEST(charged_bytes_stay_within_the_budget_and_leave_room_for_no_other_slot)
{
    uint64_t s = 8;
    for (int k = 0; k < 4000; k++) {
        uint64_t budget = 1 + below(&s, k % 2 ? 100 : 1u << 20);
        struct linear_options opt = {.rule = (enum tracked_rule)(k % RULES),
                                     .sgd.rates = below(&s, 3),
                                     .counts = below(&s, 2)};
        uint32_t slot = tracked_kernel.slot_bytes(&opt);
        struct linear_shape shape = {.depth = 1 + below(&s, 4)};
        bool fits = tracked_kernel.shape_for(budget, &opt, &shape);
        uint64_t charged = store_charged_bytes(&tracked_kernel, &shape, &opt);
        if (!fits) {
            ck_assert_uint_lt(budget, opt.rule == TRACKED_COUNT_MIN ? charged + slot : slot);
            continue;
        }
        ck_assert_uint_le(charged, budget);
        ck_assert_uint_gt(charged + slot, budget);
    }
}
END_TEST

START_TEST(shapes_for_the_budgets_of_the_paper)
{
    const struct {
        struct linear_options opt;
        uint32_t slots, cells;
    } want[] = {{{.rule = TRACKED_HEAVIEST}, 4096, 0},
                {{.rule = TRACKED_SAMPLED}, 2730, 0},
                {{.rule = TRACKED_SPACE_SAVING}, 2730, 0},
                {{.rule = TRACKED_COUNT_MIN}, 1365, 4096},
                {{.rule = TRACKED_HEAVIEST, .sgd.rates = SGD_NEWTON, .counts = true}, 1638, 0}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        struct linear_shape s = {0};
        ck_assert(tracked_kernel.shape_for(32768, &want[k].opt, &s));
        ck_assert_uint_eq(s.active, want[k].slots);
        ck_assert_uint_eq(s.width * s.depth, want[k].cells);
    }
    struct linear_shape given = {.width = 8, .depth = TRACKED_MAX_DEPTH + 1};
    ck_assert(!tracked_kernel.shape_for(32768, &want[3].opt, &given));
}
END_TEST

LEAT_SUITE("tracked", equals_the_twin_to_the_bit_on_random_streams_of_random_shape,
           strong_decay_folds_the_scale_and_still_equals_the_twin,
           ids_whose_chains_collide_are_told_apart,
           room_for_every_feature_equals_the_uncompressed_model_to_the_bit,
           repeated_ids_count_as_one_with_their_values_summed,
           values_that_are_not_finite_change_no_byte, rows_longer_than_agreed_are_refused,
           finite_values_of_any_size_keep_a_finite_state,
           charged_bytes_stay_within_the_budget_and_leave_room_for_no_other_slot,
           shapes_for_the_budgets_of_the_paper)
