/* test_adaptive.c -- the sketch with a rate for every weight.
 *
 * Full precision is compared with its slow twin. Compact precision must obey laws. Some events must
 * never happen to either. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/adaptive/adaptive.h"
#include "support/adaptive_laws.h"
#include "support/oracle_adaptive.h"
#include "support/zeroed.h"
#include "support/merge_rig.h"

struct model {
    struct adaptive m;
    void *block;
};

/* One row of cells, or no cells. */
static struct linear_shape shape_of(uint32_t active, uint32_t cells, uint32_t owned)
{
    return (struct linear_shape){active, cells, cells > 0, owned};
}

static struct model model_new(struct linear_shape shape, struct linear_options opt)
{
    struct model t;
    opt.sgd.rates = SGD_ADAPTIVE;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.block = zeroed(store_block_bytes(&adaptive_kernel, &shape, &opt));
    store_init(&t.m.s, &adaptive_kernel, &shape, &opt, t.block);
    return t;
}

static void learn_both(struct model *t, struct oracle_adaptive *o, const struct linear_row *row)
{
    double margin, asked = store_margin(&t->m.s, row->n, row->id, row->x);
    ck_assert_int_eq(store_learn(&t->m.s, row, &margin), LINEAR_OK);
    ck_assert_msg(margin == asked, "margin %.17g, but asked for it: %.17g", margin, asked);
    double want = oracle_adaptive_learn(o, row);
    ck_assert_msg(margin == want, "row %d: margin %.17g, not %.17g", (int)o->sgd.t, margin, want);
    const char *broken = store_check(&t->m.s);
    ck_assert_msg(!broken, "row %d: %s", (int)o->sgd.t, broken);
}

static void same_as_twin(const struct adaptive *m, const struct oracle_adaptive *o)
{
    ck_assert_uint_eq(m->s.set.n, o->n);
    ck_assert(m->s.sgd.alpha == o->sgd.alpha && m->s.sgd.bias == o->sgd.bias);
    ck_assert(m->s.sgd.t == o->sgd.t && m->s.sgd.grown == o->sgd.grown);
    for (uint32_t s = 0; s < o->n; s++) {
        const struct oracle_adaptive_member *want = &o->member[s];
        ck_assert_msg(m->s.set.id[s] == want->id, "slot %u holds %u, not %u", s, m->s.set.id[s],
                      want->id);
        ck_assert_msg(m->s.member.weight[s] == want->w, "slot %u: %.9g not %.9g", s,
                      m->s.member.weight[s], want->w);
        ck_assert_msg(m->s.member.sum[s] == want->a, "slot %u: a %.9g not %.9g", s,
                      m->s.member.sum[s], want->a);
        if (m->s.count) ck_assert(!memcmp(m->s.count + 2 * s, want->count, 8));
    }
    for (uint32_t c = 0; c < o->cells; c++) {
        ck_assert(m->s.member.weight[m->s.first_cell + c] == o->cell[c].w);
        ck_assert(m->s.member.sum[m->s.first_cell + c] == o->cell[c].a);
        if (m->owner) ck_assert_uint_eq(m->owner[c], o->cell[c].owner);
    }
}

struct work {
    uint32_t evictions, coarse, held, lessened, taken, defended, folds, renewals;
};

static void compare_with_twin(struct linear_shape shape, const struct linear_options *opt,
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
    done->coarse += o.coarse;
    done->held += o.held;
    done->lessened += o.lessened;
    done->taken += o.taken;
    done->defended += o.defended;
    oracle_adaptive_fini(&o);
    free(t.block);
}

/* The streams must cause the intended events. */
START_TEST(full_precision_equals_the_twin_to_the_bit_on_random_streams_of_random_shape)
{
    static const double lambdas[] = {0, 1e-6, 1e-3, 0.1}, l1s[] = {1e-5, 1e-3, 0.02},
                        half_lives[] = {1, 3, 50, 1e4};
    uint64_t s = 11;
    struct work done = {0};
    for (int k = 0; k < 400; k++) {
        struct linear_shape shape = {1 + below(&s, 20), 1 + below(&s, 120), 1, 0};
        if (k % 8 == 0) shape.active = 60 + below(&s, 150); /* several blocks of bounds */
        if (k % 5 == 1) shape.width = shape.depth = 0;
        if (k % 5 == 2) shape.active = 0;
        shape.owned = k % 2 && shape.width > 1;
        struct linear_options opt = {.precision = ADAPTIVE_FULL,
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
    ck_assert_uint_gt(done.coarse, 1000);
    ck_assert_uint_lt(done.coarse, done.evictions);
    ck_assert_uint_gt(done.held, 100);
    ck_assert_uint_gt(done.lessened, 1000);
    ck_assert_uint_gt(done.taken, 10000);
    ck_assert_uint_gt(done.defended, 10000);
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
        struct linear_shape shape = shape_of(8, seed % 4 ? 16 : 0, seed % 4 == 1);
        compare_with_twin(shape, &opt, 60, 2000, &done);
    }
    ck_assert_uint_gt(done.folds, 500);
    ck_assert_uint_gt(done.renewals, 100);
}
END_TEST

/* ---- laws of both adaptive sketches ---- */

static struct linear_shape shape_for(enum adaptive_use use, int k)
{
    /* with and without cells and S */
    static const struct linear_shape any[] = {{10, 40, 1, 0},  {0, 60, 1, 0},  {20, 0, 0, 0},
                                              {70, 300, 1, 0}, {10, 40, 1, 1}, {0, 61, 1, 1}};
    static const struct linear_shape of[] = {
        [ADAPTIVE_OF_EIGHT] = {.active = 8},
        [ADAPTIVE_OF_TEN] = {.active = 10},
        [ADAPTIVE_OF_FORTY] = {.active = 40},
        [ADAPTIVE_OF_MANY] = {.active = 200},
    };
    if (use == ADAPTIVE_ANY) return any[k / 2];
    if (use == ADAPTIVE_TINY) return shape_of(k % 8 ? 3 : 0, k % 5 ? 4 : 1, k % 5 > 2);
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

static const struct adaptive_kind kind = {make, drop, .compact_seeds = 200, .compact_error = 0.01};

START_TEST(rows_that_are_refused_leave_every_byte_as_it_was)
{
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++) {
        struct model *t = adaptive_of_setting(&kind, k, 3);
        struct linear_options bare = t->m.s.opt;
        bare.max_row = 0;
        struct linear_subject subject = {learn_store, &t->m, t->block,
                                         offsetof(struct adaptive, at),
                                         store_block_bytes(&adaptive_kernel, &t->m.s.shape, &bare)};
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
            double digits = k % 2 ? 1e-6 : 1.0 / 256;
            for (uint64_t id = 0; id < 150; id++) {
                double w = store_weight(&a->m.s, id);
                ck_assert_double_le(fabs(store_weight(&sum->m.s, id) - w), digits * fabs(w));
            }
            drop(a), drop(none), drop(sum);
        }
}
END_TEST

enum { MERGED_IDS = 150 };

/* Weight and accumulator of a feature in a slot or in a cell of its own; 0 if it has neither. */
struct knows {
    double weight, sum;
    int64_t slot;
};

static struct knows known_of(const struct adaptive *m, uint64_t id)
{
    struct knows k = {.slot = -1};
    for (uint32_t s = 0; s < m->s.set.n; s++)
        if (m->s.set.id[s] == id) k.slot = s;
    uint32_t flip, at = adaptive_place_outside(m, id_slots_mix(m->s.opt.seed, (uint32_t)id), &flip);
    if (k.slot >= 0) at = (uint32_t)k.slot;
    if (k.slot < 0 && !m->s.shape.owned) return k;
    k.weight = store_weight(&m->s, id);
    k.sum = (double)adaptive_sum_at(m, at) / m->s.sgd.grown;
    return k;
}

/* Sum over all weights of two models of their accumulators, each at most G. */
static double total_of(const struct adaptive *a, const struct adaptive *b, double count)
{
    double G = a->s.sgd.bias_sum / a->s.sgd.grown + count * b->s.sgd.bias_sum / b->s.sgd.grown,
           sum = 0;
    for (uint64_t id = 0; id < MERGED_IDS; id++) {
        struct knows in_a = known_of(a, id), in_b = known_of(b, id);
        double slots = (in_a.slot < 0 ? 0 : in_a.sum) + count * (in_b.slot < 0 ? 0 : in_b.sum);
        sum += fmin(slots, G);
        if (a->s.shape.owned) sum += fmin(in_a.sum + count * in_b.sum - slots, G);
    }
    for (uint32_t c = 0; !a->s.shape.owned && c < a->s.shape.width; c++)
        sum += fmin((double)adaptive_sum_at(a, a->s.first_cell + c) / a->s.sgd.grown +
                        count * (double)adaptive_sum_at(b, b->s.first_cell + c) / b->s.sgd.grown,
                    G);
    return sum;
}

START_TEST(merged_members_have_means_by_curvature_and_sums_of_the_rest)
{
    int compared = 0;
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++) {
        struct model *a = adaptive_of_setting(&kind, k, 7), *b = adaptive_of_setting(&kind, k, 7),
                     *m = adaptive_of_setting(&kind, k, 7),
                     *none = adaptive_of_setting(&kind, k, 7);
        uint64_t s = 1, r = 2;
        adaptive_learn_more(&kind, a, &s, 400, NULL);
        adaptive_learn_more(&kind, b, &r, 200, NULL);
        rig_merge(&m->m.s, &a->m.s, &b->m.s, 3, NULL);
        double digits = k % 2 ? 1e-5 : 1 / 256.0;
        double of_a = rig_start(&a->m.s.sgd, total_of(&a->m, &none->m, 0)),
               of_b = rig_start(&b->m.s.sgd, total_of(&b->m, &none->m, 0)),
               of_m = rig_start(&m->m.s.sgd, total_of(&a->m, &b->m, 3));
        for (uint32_t i = 0; i < m->m.s.set.n; i++) {
            struct knows in_a = known_of(&a->m, m->m.s.set.id[i]),
                         in_b = known_of(&b->m, m->m.s.set.id[i]);
            double sum = in_a.sum + 3 * in_b.sum, known = in_a.sum > 0 ? in_a.sum + of_a : 0;
            double want =
                (known * in_a.weight + 3 * (in_b.sum > 0 ? in_b.sum + of_b : 0) * in_b.weight) /
                (sum + of_m);
            ck_assert_double_le(fabs(store_slot_weight(&m->m.s, i) - want), digits * fabs(want));
            ck_assert_double_le(fabs((double)adaptive_sum_at(&m->m, i) - sum),
                                (k % 2 ? 1e-6 : .3) * sum);
            for (int y = 0; m->m.s.count && y < 2 && a->m.s.opt.sgd.half_life == 0; y++)
                ck_assert_uint_eq(m->m.s.count[2 * i + y],
                                  (in_a.slot < 0 ? 0 : a->m.s.count[2 * in_a.slot + y]) +
                                      3 * (in_b.slot < 0 ? 0 : b->m.s.count[2 * in_b.slot + y]));
            compared++;
        }
        drop(a), drop(b), drop(m), drop(none);
    }
    ck_assert_int_gt(compared, 50);
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

/* ---- tokens and columns ---- */

/* Learns one feature with the label +1; every fourth time with -1 if `noisy`. */
static void learn_single(struct adaptive *m, uint64_t id, float x, bool noisy, int times)
{
    for (int k = 0; k < times; k++) {
        double z;
        store_learn(&m->s, &(struct linear_row){&id, &x, 1, noisy && k % 4 == 3 ? -1 : 1, 1, true},
                    &z);
    }
}

/* Returns the first id from `from` on that lives in the cell of `id`, or outside it. */
static uint64_t id_with(const struct adaptive *m, uint64_t id, bool same, uint64_t from)
{
    float sign;
    uint32_t c = oracle_adaptive_cell(m->s.opt.seed, m->s.shape.width, (uint32_t)id, &sign);
    while ((oracle_adaptive_cell(m->s.opt.seed, m->s.shape.width, (uint32_t)from, &sign) == c) !=
           same)
        from++;
    return from;
}

/* A token has the only slot; a column of values of 10^6 lives in the token's cell. */
static struct model with_column(enum adaptive_precision precision, uint64_t column, uint64_t *token)
{
    struct model t = model_new(
        shape_of(1, 16, 0),
        (struct linear_options){.precision = precision, .seed = 5, .sgd = {.bias = SGD_BIAS_NONE}});
    *token = id_with(&t.m, column, true, 100);
    learn_single(&t.m, *token, 1, true, 40);
    learn_single(&t.m, column, 1e6f, true, 40);
    ck_assert_uint_eq(t.m.s.set.id[0], id_slots_fold(*token));
    ck_assert_double_gt(fabs(store_weight(&t.m.s, *token)), 0.2);
    ck_assert_double_lt(fabs(store_weight(&t.m.s, column)), 1e-5);
    return t;
}

START_TEST(a_token_that_leaves_does_not_overwrite_a_column_of_large_numbers)
{
    for (int precision = 0; precision < 2; precision++) {
        uint64_t column = 7, token;
        struct model t = with_column(precision, column, &token);
        uint64_t heavier = id_with(&t.m, column, false, 200);
        double was = store_weight(&t.m.s, column);
        learn_single(&t.m, heavier, 1, false, 400);
        ck_assert_uint_eq(t.m.s.set.id[0], id_slots_fold(heavier));
        ck_assert_double_eq(store_weight(&t.m.s, column), was);
        free(t.block);
    }
}
END_TEST

START_TEST(nor_does_one_that_has_no_slot_after_a_merge)
{
    for (int precision = 0; precision < 2; precision++) {
        uint64_t column = 7, token, other;
        struct model a = with_column(precision, column, &token);
        struct model b = with_column(precision, column, &other),
                     m = model_new(a.m.s.shape, a.m.s.opt);
        uint64_t heavier = id_with(&a.m, column, false, 200);
        learn_single(&b.m, heavier, 1, false, 400);
        rig_merge(&m.m.s, &a.m.s, &b.m.s, 1, NULL);
        ck_assert_uint_eq(m.m.s.set.id[0], id_slots_fold(heavier));
        ck_assert_double_lt(fabs(store_weight(&m.m.s, column)), 1e-5);
        ck_assert_double_gt(fabs(store_weight(&m.m.s, column)), 1e-9);
        free(a.block), free(b.block), free(m.block);
    }
}
END_TEST

/* ---- shapes ---- */

START_TEST(no_budget_is_ever_exceeded_and_none_is_wasted)
{
    uint64_t s = 8;
    for (int k = 0; k < 20000; k++) {
        struct linear_options opt = {.precision = below(&s, 2), .counts = below(&s, 2)};
        uint64_t bytes = below(&s, k % 2 ? 200 : 1u << 29);
        struct linear_shape shape = {ADAPTIVE_CHOOSE, k % 3 ? ADAPTIVE_CHOOSE : below(&s, 50), 0,
                                     0};
        if (!adaptive_kernel.shape_for(bytes, &opt, &shape)) continue;
        ck_assert_uint_le(store_charged_bytes(&adaptive_kernel, &shape, &opt), bytes);
        ck_assert_uint_gt(shape.active, 0);
        if (shape.active < LINEAR_MAX_ACTIVE)
            ck_assert_uint_lt(bytes - store_charged_bytes(&adaptive_kernel, &shape, &opt),
                              adaptive_kernel.slot_bytes(&opt));
    }
}
END_TEST

START_TEST(few_cells_have_owners_and_many_are_shared)
{
    struct linear_options opt = {0};
    for (uint64_t bytes = 64; bytes < 20000; bytes++) {
        struct linear_shape shape = {ADAPTIVE_CHOOSE, ADAPTIVE_CHOOSE, 0, 0};
        ck_assert(adaptive_kernel.shape_for(bytes, &opt, &shape));
        bool few = bytes / 16 * 2 <= ADAPTIVE_FEW_CELLS;
        ck_assert_uint_eq(shape.owned, few);
        ck_assert_uint_eq(shape.width, few ? bytes / 16 * 2 : bytes / 6);
    }
    for (uint32_t cells = 0; cells < 2000; cells++) {
        struct linear_shape shape = {ADAPTIVE_CHOOSE, cells, 0, 0};
        ck_assert(adaptive_kernel.shape_for(1 << 16, &opt, &shape));
        ck_assert_uint_eq(shape.owned, cells > 1 && cells <= ADAPTIVE_FEW_CELLS);
    }
}
END_TEST

/* A model of owned cells that has learned, and its parts. */
static struct model with_owners(struct linear_parts *p)
{
    struct model t = model_new(shape_of(10, 40, 1), (struct linear_options){.seed = 1});
    uint64_t s = 1;
    adaptive_learn_more(&kind, &t, &s, 400, NULL);
    *p = store_parts(&t.m.s);
    return t;
}

START_TEST(a_state_whose_owners_cannot_be_is_refused)
{
    for (int fault = 0; fault < 3; fault++) {
        struct linear_parts p;
        struct model t = with_owners(&p), fresh = model_new(t.m.s.shape, t.m.s.opt);
        uint32_t c = 0;
        while (!p.cell_owner[c] || !p.cell_owner[c + 1] || !t.m.s.member.half[t.m.s.first_cell + c])
            c += 2;
        if (fault == 1) p.cell_owner[c] = 0;
        if (fault == 2) p.cell_owner[c] = p.cell_owner[c + 1];
        const char *wrong = store_load(&fresh.m.s, &p);
        ck_assert(fault ? wrong && !strncmp(wrong, "cell_owners: ", 13) : !wrong);
        free(t.block), free(fresh.block);
    }
}
END_TEST

/* Ids of owners have 64 bits, pairs 32: a table that ascends may have a pair more than once. */
START_TEST(sums_whose_owners_or_ids_cannot_be_are_refused)
{
    struct linear_parts p;
    struct model from = with_owners(&p);
    struct rig_sums s = rig_sums_of(&from.m.s),
                    many = rig_sums_room(s.s.fields, s.s.cells, s.s.feature.n, 510);
    uint64_t cells = s.s.cells;
    const uint64_t wrong[] = {0, cells / 2 << 8 | 1, UINT64_C(1) << 40 | 1, UINT64_MAX};
    ck_assert_uint_gt(s.s.owner.n, 0);
    ck_assert_ptr_null(sums_check(&s.s));
    many.s.owner.n = 1;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        many.s.owner.id[0] = wrong[k];
        ck_assert_str_eq(sums_check(&many.s), "owners has a cell that the model does not have");
    }
    many.s.owner.n = 510;
    for (uint64_t k = 0; k < 510; k++)
        many.s.owner.id[k] = k / 255 << 40 | (k % 255 + 1);
    ck_assert_ptr_nonnull(sums_check(&many.s));
    s.s.feature.id[s.s.feature.n - 1] |= UINT64_C(1) << 32;
    ck_assert_str_eq(sums_check(&s.s), "ids has a number above 2^32");
    free(s.block), free(many.block), free(from.block);
}
END_TEST

START_TEST(an_entry_costs_what_its_header_says)
{
    for (int counts = 0; counts < 2; counts++) {
        struct linear_options compact = {.counts = counts}, full = compact;
        full.precision = ADAPTIVE_FULL;
        const struct linear_shape shared = {0}, owned = {.owned = 1};
        ck_assert_uint_eq(adaptive_kernel.slot_bytes(&compact), 7 + 8 * counts);
        ck_assert_uint_eq(adaptive_kernel.slot_bytes(&full), 12 + 8 * counts);
        ck_assert_uint_eq(adaptive_kernel.cell_bytes(&compact, &shared), 3);
        ck_assert_uint_eq(adaptive_kernel.cell_bytes(&compact, &owned), 4);
        ck_assert_uint_eq(adaptive_kernel.cell_bytes(&full, &shared), 8);
        ck_assert_uint_eq(adaptive_kernel.cell_bytes(&full, &owned), 9);
    }
}
END_TEST

START_TEST(entrants_name_the_slots_that_changed_hands)
{
    uint32_t owner[20], entered = 0;
    uint64_t s = 4;
    struct model t = model_new(shape_of(20, 32, 0), (struct linear_options){.seed = 1});
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
    ck_assert_uint_gt(entered, 300);
    free(t.block);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const struct linear_options opt = {.precision = ADAPTIVE_COMPACT};
    struct linear_shape few = {ADAPTIVE_CHOOSE, ADAPTIVE_CHOOSE, 0, 0}, many = few;
    ck_assert(adaptive_kernel.shape_for(1024, &opt, &few));
    ck_assert(few.owned && few.width == 128 && few.active == 73);
    ck_assert_uint_eq(store_charged_bytes(&adaptive_kernel, &few, &opt), 73 * 7 + 128 * 4);
    ck_assert(adaptive_kernel.shape_for(8192, &opt, &many));
    ck_assert(!many.owned && many.width == 1365 && many.active == 585);
}
END_TEST

LEAT_SUITE("adaptive", full_precision_equals_the_twin_to_the_bit_on_random_streams_of_random_shape,
           strong_decay_and_fading_fold_and_renew_and_still_equal_the_twin,
           rows_that_are_refused_leave_every_byte_as_it_was,
           finite_input_of_any_size_keeps_a_finite_state, rows_of_no_importance_change_no_weight,
           equal_streams_give_equal_bytes_also_after_a_restart,
           all_numbers_are_forgotten_by_the_same_share, another_seed_rounds_otherwise,
           a_merge_is_the_same_bit_for_bit_whichever_way_round,
           a_merge_with_what_learned_nothing_keeps_every_weight,
           merged_members_have_means_by_curvature_and_sums_of_the_rest,
           compact_weights_are_those_of_full_precision_in_the_mean,
           large_values_are_learned_as_small_ones, no_budget_is_ever_exceeded_and_none_is_wasted,
           a_token_that_leaves_does_not_overwrite_a_column_of_large_numbers,
           nor_does_one_that_has_no_slot_after_a_merge, few_cells_have_owners_and_many_are_shared,
           a_state_whose_owners_cannot_be_is_refused,
           sums_whose_owners_or_ids_cannot_be_are_refused, an_entry_costs_what_its_header_says,
           entrants_name_the_slots_that_changed_hands, the_example_of_the_header_is_what_happens)
