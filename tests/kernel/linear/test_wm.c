/* test_wm.c -- the WM-Sketch against its slow twin, and events that must never happen to it. */
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/wm_rig.h"

static void same_as_twin(const struct wm *m, const struct oracle_wm *o)
{
    ck_assert_uint_eq(m->s.set.n, o->n);
    ck_assert(m->s.sgd.alpha == o->sgd.alpha && m->s.sgd.bias == o->sgd.bias &&
              m->s.sgd.t == o->sgd.t);
    for (uint32_t s = 0; s < o->n; s++) {
        ck_assert_msg(m->s.set.id[s] == o->id[s], "slot %u holds %u, not %u", s, m->s.set.id[s],
                      o->id[s]);
        ck_assert_msg(m->s.member.weight[s] == o->w[s], "slot %u: %.9g, not %.9g", s,
                      m->s.member.weight[s], o->w[s]);
        if (m->s.count) ck_assert(!memcmp(m->s.count + 2 * s, o->count + 2 * s, 8));
    }
    for (size_t c = 0; c < cells(m); c++)
        ck_assert(m->s.cell.weight[c] == o->cell[c]);
}

struct setting {
    struct linear_shape shape;
    struct linear_options opt;
    uint32_t ids, longest;
    enum kind kind;
};

/* Returns how many members were replaced. */
static uint32_t compare_with_twin(const struct setting *c, uint64_t seed, int rows)
{
    struct linear_options opt = c->opt;
    opt.seed = seed;
    opt.max_row = c->longest;
    struct model t = model_new(c->shape, opt);
    struct oracle_wm o;
    struct sample a;
    oracle_wm_init(&o, &t.m);
    for (int k = 0; k < rows; k++) {
        double margin;
        draw_up_to(&a, &seed, c->ids, c->kind, c->longest);
        double before = store_margin(&t.m.s, a.row.n, a.id, a.x);
        ck_assert_int_eq(store_learn(&t.m.s, &a.row, &margin), LINEAR_OK);
        double want = oracle_wm_learn(&o, &a.row);
        ck_assert_msg(margin == want, "row %d: margin %.17g, not %.17g", k, margin, want);
        ck_assert(margin == before);
        const char *broken = store_check(&t.m.s);
        ck_assert_msg(!broken, "row %d: %s", k, broken);
        if (k % 37 == 0) same_as_twin(&t.m, &o);
    }
    same_as_twin(&t.m, &o);
    uint32_t replaced = o.replaced;
    oracle_wm_fini(&o);
    free(t.block);
    return replaced;
}

START_TEST(equals_the_twin_to_the_bit_on_random_streams_of_random_shape)
{
    const double lambdas[] = {0, 1e-6, 1e-3, 0.1}, l1s[] = {1e-5, 1e-3, 0.02};
    uint64_t s = 11;
    uint32_t replaced = 0;
    for (int k = 0; k < 300; k++) {
        struct setting c = {
            .shape = shape_of(1 + below(&s, 20), 1 + below(&s, 100), 1 + below(&s, k % 3 ? 6 : 32)),
            .ids = 5 + below(&s, 300),
            .longest = MAX_ROW,
            .kind = (enum kind)below(&s, 3)};
        if (k % 2) c.shape.width = 1u << below(&s, 8);
        if (k % 8 == 0) c.shape.active = 60 + below(&s, 150); /* several blocks of bounds */
        c.opt = (struct linear_options){.sgd = {.lambda = lambdas[below(&s, 4)],
                                                .eta0 = 0.05 + 0.1 * below(&s, 9),
                                                .schedule = below(&s, 3),
                                                .bias = below(&s, 3),
                                                .loss = k % 5 ? LOSS_LOGISTIC : below(&s, 3)},
                                        .counts = below(&s, 2),
                                        .mean = below(&s, 4) == 0,
                                        .estimates = k % 7 < 2};
        if (c.opt.sgd.loss == LOSS_SQUARED) c.opt.sgd.eta0 = 0.003; /* diverges with large steps */
        if (k % 3 == 0) c.opt.sgd.l1 = l1s[below(&s, 3)];
        replaced += compare_with_twin(&c, 1000 + (uint64_t)k, 300);
    }
    ck_assert_uint_gt(replaced, 5000); /* the streams cause the intended events */
}
END_TEST

START_TEST(equals_the_twin_at_every_depth)
{
    uint32_t replaced = 0;
    for (uint32_t depth = 1; depth <= WM_MAX_DEPTH; depth++) {
        struct setting c = {shape_of(8, 32, depth),
                            {.sgd = {.lambda = 1e-3, .eta0 = 0.2},
                             .mean = depth % 5 == 0,
                             .estimates = depth % 3 == 0},
                            150,
                            MAX_ROW,
                            DISTINCT};
        replaced += compare_with_twin(&c, depth, 200);
    }
    ck_assert_uint_gt(replaced, 1000);
}
END_TEST

START_TEST(rows_longer_than_a_stretch_equal_the_twin)
{
    uint32_t replaced = 0;
    for (uint64_t seed = 1; seed < 9; seed++) {
        struct setting c = {
            shape_of(20, seed % 2 ? 64 : 50, 1 + (uint32_t)seed % 4),
            {.sgd = {.lambda = 1e-4, .eta0 = 0.02}, .counts = seed % 3 == 0, .estimates = seed > 6},
            3000,
            LONGEST_ROW,
            seed % 2 ? DISTINCT : REPEATED};
        replaced += compare_with_twin(&c, seed, 60);
    }
    ck_assert_uint_gt(replaced, 500);
}
END_TEST

START_TEST(strong_decay_folds_the_scale_and_still_equals_the_twin)
{
    for (uint64_t seed = 1; seed < 7; seed++) {
        struct setting c = {
            shape_of(8, 16, (uint32_t)seed),
            {.sgd = {.lambda = 0.9, .eta0 = 1, .schedule = SGD_CONSTANT}, .counts = seed % 2},
            60,
            MAX_ROW,
            DISTINCT};
        compare_with_twin(&c, seed, 2000); /* alpha falls tenfold a row: a fold every nine rows */
    }
}
END_TEST

START_TEST(of_one_row_is_feature_hashing)
{
    /* A table of signed buckets, stepped by plain SGD. */
    struct linear_options opt = {.sgd = {.eta0 = 0.25, .bias = SGD_BIAS_NONE}, .seed = 21};
    struct model t = model_new(shape_of(4, 37, 1), opt);
    double bucket[37] = {0};
    uint64_t s = 3;
    for (int k = 0; k < 3000; k++) {
        struct sample a;
        double z, want = 0;
        float sign;
        draw(&a, &s, 200, k % 2 ? DISTINCT : REPEATED);
        for (uint32_t i = 0; i < a.row.n; i++) {
            size_t h = oracle_wm_cell(&t.m, 0, a.id[i], &sign);
            want += bucket[h] * (double)sign * (double)a.x[i];
        }
        ck_assert_int_eq(store_learn(&t.m.s, &a.row, &z), LINEAR_OK);
        ck_assert_double_le(fabs(z - want), 1e-3);
        double step = 0.25 * (double)a.row.weight * a.row.y / (1 + exp(a.row.y * want));
        for (uint32_t i = 0; i < a.row.n; i++) {
            size_t h = oracle_wm_cell(&t.m, 0, a.id[i], &sign);
            bucket[h] += step * (double)sign * (double)a.x[i];
        }
    }
    free(t.block);
}
END_TEST

START_TEST(cells_and_signs_are_spread_evenly)
{
    const uint32_t widths[] = {128, 37, 1000};
    for (int w = 0; w < 3; w++) {
        struct model t = model_new(shape_of(1, widths[w], 3), (struct linear_options){.seed = 8});
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t n = 200 * widths[w], *hits = calloc(widths[w], 4);
            double chi = 0, signs = 0;
            float sign;
            for (uint64_t id = 0; id < n; id++) {
                size_t c = oracle_wm_cell(&t.m, j, id * 3, &sign);
                ck_assert(c >= j * widths[w] && c < (j + 1) * widths[w]);
                hits[c - j * widths[w]]++;
                signs += (double)sign;
            }
            for (uint32_t c = 0; c < widths[w]; c++)
                chi += (hits[c] - 200.0) * (hits[c] - 200.0) / 200;
            /* chi^2 of width - 1 degrees: mean width, variance 2 width; six deviations */
            ck_assert_double_le(chi, widths[w] + 6 * sqrt(2.0 * widths[w]));
            ck_assert_double_le(fabs(signs), 6 * sqrt(n));
            free(hits);
        }
        free(t.block);
    }
}
END_TEST

START_TEST(two_features_rarely_share_more_than_one_row)
{
    /* Pairs collide in a row with probability 1 / width, independently: two of eight rows at width
     * 64 with probability C(8,2) / 64^2 = 0.0068; 20,000 pairs, six deviations. */
    struct model t = model_new(shape_of(1, 64, 8), (struct linear_options){.seed = 4});
    uint32_t twice = 0, once = 0;
    uint64_t s = 5;
    for (int k = 0; k < 20000; k++) {
        uint64_t a = k % 2 ? mix64_next(&s) : (uint64_t)k,
                 b = k % 2 ? mix64_next(&s) : (uint64_t)k + 1;
        uint32_t same = 0;
        float sign;
        for (uint32_t j = 0; j < 8; j++)
            same += oracle_wm_cell(&t.m, j, a, &sign) == oracle_wm_cell(&t.m, j, b, &sign);
        twice += same >= 2;
        once += same >= 1;
    }
    ck_assert_uint_le(twice, 20000 * 0.0068 + 6 * sqrt(20000 * 0.0068));
    ck_assert_double_le(fabs(once - 20000 * (1 - pow(63.0 / 64, 8))), 6 * sqrt(20000 * 0.12));
    free(t.block);
}
END_TEST

/* Learns a stream of single features in a sketch with these hash functions. A third are feature 0,
 * which is always positive. Steps are so small that they hardly depend on the cells. Returns the
 * estimate of feature 0 in steps. */
static double learn_planted(uint32_t width, uint32_t depth, uint64_t seed)
{
    struct linear_options opt = {.sgd = {.eta0 = 1e-6, .bias = SGD_BIAS_NONE}, .seed = seed};
    struct model t = model_new(shape_of(2, width, depth), opt);
    uint64_t s = 99; /* every seed gets the same stream */
    for (int k = 0; k < 300; k++) {
        uint64_t id = k % 3 ? 1 + below(&s, 40) : 0;
        float x = 1;
        double z;
        store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, id % 3 ? -1 : 1, 1, true}, &z);
    }
    double w = store_weight(&t.m.s, 0) / 0.5e-6;
    free(t.block);
    return w;
}

START_TEST(estimates_of_planted_weights_are_unbiased)
{
    /* Colliding features have independent signs, so over hash functions they cancel: in a cell, and
     * by symmetry in a median of rows. */
    enum { SEEDS = 600 };
    for (uint32_t depth = 1; depth < 6; depth += 2) {
        double mean = 0, square = 0;
        ck_assert_double_le(fabs(learn_planted(1u << 16, depth, 3) - 100), 1e-2);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            double e = learn_planted(16, depth, seed * 7919 + 1);
            mean += e / SEEDS;
            square += e * e / SEEDS;
        }
        double deviation = sqrt((square - mean * mean) / SEEDS);
        ck_assert_double_gt(deviation, 0.1); /* there were collisions */
        ck_assert_msg(fabs(mean - 100) < 4 * deviation, "depth %u: %g, deviation %g", depth, mean,
                      deviation);
    }
}
END_TEST

START_TEST(deep_sketches_find_the_planted_features)
{
    /* Ten of 2000 features decide the label; 15 rows of 256 cells, medians. */
    struct linear_options opt = {.sgd = {.eta0 = 0.2}, .seed = 6};
    struct model t = model_new(shape_of(32, 256, 15), opt);
    uint64_t s = 17;
    for (int k = 0; k < 6000; k++) {
        uint64_t id[12];
        float x[12];
        uint32_t heavy = below(&s, 10), top[10];
        float scratch[32];
        double z;
        id[0] = heavy * 100;
        x[0] = 1;
        for (int i = 1; i < 12; i++) {
            id[i] = 1 + heavy + below(&s, 1900);
            if (id[i] % 100 == 0) id[i]++;
            x[i] = 0.3f;
        }
        store_learn(&t.m.s, &(struct linear_row){id, x, 12, heavy % 2 ? 1 : -1, 1, true}, &z);
        if (k < 5999) continue;
        ck_assert_uint_eq(store_top(&t.m.s, 10, 0, scratch, top), 10);
        for (int i = 0; i < 10; i++) {
            ck_assert_uint_eq(t.m.s.set.id[top[i]] % 100, 0);
            ck_assert((t.m.s.set.id[top[i]] / 100 % 2 == 1) ==
                      (store_slot_weight(&t.m.s, top[i]) > 0));
        }
    }
    free(t.block);
}
END_TEST

START_TEST(rows_that_are_refused_leave_every_byte_as_it_was)
{
    for (uint32_t depth = 1; depth < 5; depth++) {
        struct linear_options opt = {
            .sgd = {.lambda = 1e-3, .eta0 = 0.1}, .counts = depth == 2, .mean = depth == 3};
        struct model t = model_new(shape_of(10, 32, depth), opt);
        size_t kept =
            store_block_bytes(&wm_kernel, &t.m.s.shape, &opt); /* without rows: no scratch */
        struct linear_subject subject = {learn_store, &t.m, t.block, sizeof t.m, kept};
        expect_bad_rows_refused(&subject, depth);
        free(t.block);
    }
}
END_TEST

START_TEST(finite_input_of_any_size_keeps_a_finite_state)
{
    for (int k = 0; k < 54; k++) {
        uint64_t s = (uint64_t)k + 1;
        struct linear_options opt = {
            .sgd = {.lambda = 0.5, .eta0 = 1, .bias = k % 3, .loss = k / 9 % 3},
            .mean = k % 4 == 3};
        struct model t = model_new(shape_of(3, 4, 1 + (uint32_t)k % 5), opt);
        struct sample a;
        for (int r = 0; r < 300; r++) {
            double margin;
            draw_extreme(&a, &s, 12, REPEATED);
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
    const uint32_t want[][4] = {{2, 128, 128, 2},
                                {4, 256, 256, 2},
                                {8, 128, 128, 14},
                                {16, 128, 128, 30},
                                {32, 128, 256, 31}};
    const struct linear_options opt = {0};
    for (int i = 0; i < 5; i++) {
        struct linear_shape s = {0}, h = {0};
        ck_assert(wm_kernel.shape_for(want[i][0] * 1024u, &opt, &s));
        ck_assert_uint_eq(s.active, want[i][1]);
        ck_assert_uint_eq(s.width, want[i][2]);
        ck_assert_uint_eq(s.depth, want[i][3]);
        ck_assert_uint_eq(store_charged_bytes(&wm_kernel, &s, &opt), want[i][0] * 1024u);
        ck_assert(wm_hash_shape_for(want[i][0] * 1024u, &opt, &h));
        ck_assert_uint_eq(h.depth, 1);
        ck_assert_uint_eq(h.active, want[i][0] < 8 ? want[i][0] * 16 : 128);
        ck_assert_uint_eq(store_charged_bytes(&wm_kernel, &h, &opt), want[i][0] * 1024u);
    }
}
END_TEST

START_TEST(no_budget_is_ever_exceeded)
{
    uint64_t s = 8;
    uint32_t fitted = 0;
    for (int k = 0; k < 20000; k++) {
        uint64_t bytes = below(&s, k % 2 ? 200 : 1u << 30);
        struct linear_options opt = {.counts = below(&s, 2)};
        struct linear_shape shape = {0}, given;
        if (k % 5 == 1) shape.depth = below(&s, 70);
        if (k % 5 == 2) shape.width = below(&s, 1000);
        if (k % 5 == 3) shape.active = below(&s, 1000);
        given = shape;
        bool hash = below(&s, 2);
        if (!(hash ? wm_hash_shape_for : wm_kernel.shape_for)(bytes, &opt, &shape)) continue;
        fitted++;
        ck_assert_uint_le(store_charged_bytes(&wm_kernel, &shape, &opt), bytes);
        ck_assert(shape.active && shape.width && shape.depth && shape.depth <= WM_MAX_DEPTH);
        ck_assert(!given.depth || given.depth == shape.depth);
        ck_assert(!given.width || given.width == shape.width);
        ck_assert(!given.active || given.active == shape.active);
        if (hash && !given.width && shape.depth == 1) /* the budget is used up */
            ck_assert_uint_lt(bytes - store_charged_bytes(&wm_kernel, &shape, &opt), 4);
    }
    ck_assert_uint_gt(fitted, 10000);
    struct linear_shape tiny = {0}, smallest = {0}, hash = {0};
    const struct linear_options plain = {0};
    ck_assert(!wm_hash_shape_for(11, &plain, &hash));
    ck_assert(!wm_kernel.shape_for(15, &plain, &tiny));
    ck_assert(wm_kernel.shape_for(16, &plain, &smallest));
    struct linear_shape given = {.active = 128, .width = 1024, .depth = 8};
    ck_assert(!wm_kernel.shape_for(32768, &plain, &given)); /* 33792 bytes */
}
END_TEST

START_TEST(a_repeated_id_learns_what_its_sum_would)
{
    for (uint32_t depth = 1; depth < 5; depth++) {
        struct linear_options opt = {.sgd = {.eta0 = 0.25}, .seed = depth};
        struct model t = model_new(shape_of(4, 16, depth), opt),
                     sum = model_new(shape_of(4, 16, depth), opt);
        uint64_t s = depth;
        for (int k = 0; k < 300; k++) {
            uint64_t a = below(&s, 12), b = 20 + below(&s, 12);
            uint64_t id[] = {a, b, a, a, b}, once[] = {a, b};
            float x[] = {1, 2, 0.5f, -0.25f, 1}, both[] = {1.25f, 3};
            int y = a % 2 ? 1 : -1;
            double z, want;
            store_learn(&t.m.s, &(struct linear_row){id, x, 5, y, 1, true}, &z);
            store_learn(&sum.m.s, &(struct linear_row){once, both, 2, y, 1, true}, &want);
            ck_assert_double_le(fabs(z - want), 1e-3);
        }
        for (uint64_t id = 0; id < 40; id++)
            ck_assert_double_le(fabs(store_weight(&t.m.s, id) - store_weight(&sum.m.s, id)), 1e-4);
        free(t.block);
        free(sum.block);
    }
}
END_TEST

START_TEST(entrants_name_the_slots_that_changed_hands)
{
    uint64_t s = 4;
    struct linear_options opt = {.sgd = {.lambda = 1e-3, .eta0 = 0.3}, .seed = 1};
    struct model t = model_new(shape_of(20, 32, 3), opt);
    uint32_t owner[20], entered = 0;
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

START_TEST(top_ranks_members_by_their_weights_and_changes_nothing)
{
    uint64_t s = 6;
    struct linear_options opt = {.sgd = {.lambda = 1e-4, .eta0 = 0.3}, .counts = true, .seed = 1};
    struct model t = model_new(shape_of(50, 16, 4), opt);
    char *before = malloc(t.bytes);
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
        memcpy(before, t.block, t.bytes);
        uint32_t n = store_top(&t.m.s, want < 50 ? want : 50, min, scratch, top);
        ck_assert(!memcmp(before, t.block, t.bytes));
        ck_assert_uint_eq(n, want < enough ? want : enough);
        for (uint32_t i = 0; i < n; i++) {
            ck_assert_uint_ge(t.m.s.count[2 * top[i]] + t.m.s.count[2 * top[i] + 1], min);
            double w = store_slot_weight(&t.m.s, top[i]);
            ck_assert(w == (double)t.m.s.member.weight[top[i]] * t.m.s.sgd.alpha);
            if (i) ck_assert(fabs(w) <= fabs(store_slot_weight(&t.m.s, top[i - 1])));
        }
    }
    free(before);
    free(t.block);
}
END_TEST

START_TEST(with_estimates_members_are_shown_as_the_cells_say_now)
{
    struct linear_options opt = {
        .sgd = {.lambda = 1e-4, .eta0 = 0.3, .l1 = 1e-4}, .estimates = true, .seed = 1};
    struct model t = model_new(shape_of(20, 16, 4), opt);
    uint32_t top[20], differ = 0;
    float scratch[20];
    uint64_t s = 6;
    for (int k = 0; k < 500; k++) {
        struct sample a;
        double z;
        draw(&a, &s, 300, REPEATED);
        store_learn(&t.m.s, &a.row, &z);
        for (uint32_t i = 0, n = store_top(&t.m.s, 20, 0, scratch, top); i < n; i++) {
            double w = store_slot_weight(&t.m.s, top[i]);
            ck_assert(w == store_weight(&t.m.s, t.m.s.set.id[top[i]]));
            if (i) ck_assert(fabs(w) <= fabs(store_slot_weight(&t.m.s, top[i - 1])));
            differ += w != (double)t.m.s.member.weight[top[i]] * t.m.s.sgd.alpha;
        }
    }
    ck_assert_uint_gt(differ, 1000); /* their shared cells have moved since they entered */
    free(t.block);
}
END_TEST

START_TEST(members_that_entered_while_there_was_room_are_feature_by_feature_exact)
{
    /* Eight features, a slot for each, and hardly any cells. Every weight is the sum of its own
     * steps, at the margins of the sketch. Only its first value is an estimate. */
    struct linear_options opt = {.sgd = {.eta0 = 0.25, .bias = SGD_BIAS_NONE}, .seed = 2};
    struct model t = model_new(shape_of(8, 2, 3), opt);
    double want[8] = {0};
    bool known[8] = {false};
    uint64_t s = 9;
    for (int k = 0; k < 400; k++) {
        uint64_t id = below(&s, 8);
        float x = 1 + 0.25f * (float)below(&s, 4);
        int y = (id & 1) ^ (below(&s, 4) == 0) ? 1 : -1;
        double z, before = store_weight(&t.m.s, id);
        store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, y, 1, true}, &z);
        double own = 0.25 * y * (double)x / (1 + exp(y * z));
        want[id] = known[id] ? want[id] + own : (double)WM_ESTIMATE_SHARE * (before + own);
        known[id] = true;
    }
    ck_assert_uint_eq(t.m.s.set.n, 8);
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_double_le(fabs(store_slot_weight(&t.m.s, i) - want[t.m.s.set.id[i]]), 1e-4);
    free(t.block);
}
END_TEST

START_TEST(one_feature_streams_count_their_members)
{
    struct linear_options opt = {.sgd = {.eta0 = 0.1}, .counts = true, .seed = 2};
    struct model t = model_new(shape_of(8, 64, 3), opt);
    uint32_t count[8][2] = {{0}};
    uint64_t s = 1;
    for (int k = 0; k < 2000; k++) {
        uint64_t id = below(&s, 8);
        float x = 1;
        double z;
        int y = below(&s, 3) ? -1 : 1;
        count[id][y > 0]++;
        store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, y, 1, true}, &z);
    }
    for (uint32_t i = 0; i < 8; i++)
        ck_assert(!memcmp(t.m.s.count + 2 * i, count[t.m.s.set.id[i]], 8));
    free(t.block);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct linear_options opt = {
        .sgd = {.eta0 = 0.5, .schedule = SGD_CONSTANT, .bias = SGD_BIAS_NONE}};
    struct model t = model_new(shape_of(2, 16, 2), opt);
    const uint64_t id = 7;
    const float x = 1;
    double z;
    store_learn(&t.m.s, &(struct linear_row){&id, &x, 1, 1, 1, true}, &z);
    ck_assert(z == 0 && store_weight(&t.m.s, 7) == 0.25);
    for (uint32_t j = 0; j < 2; j++) {
        float sign;
        size_t c = oracle_wm_cell(&t.m, j, 7, &sign);
        ck_assert(t.m.s.cell.weight[c] == sign * 0.25f);
    }
    ck_assert_uint_eq(t.m.s.set.id[0], 7);
    ck_assert(store_slot_weight(&t.m.s, 0) == 0.0625);
    ck_assert(store_margin(&t.m.s, 1, &id, &x) == 0.25);
    free(t.block);
}
END_TEST

LEAT_SUITE("wm", equals_the_twin_to_the_bit_on_random_streams_of_random_shape,
           equals_the_twin_at_every_depth, rows_longer_than_a_stretch_equal_the_twin,
           strong_decay_folds_the_scale_and_still_equals_the_twin, of_one_row_is_feature_hashing,
           cells_and_signs_are_spread_evenly, two_features_rarely_share_more_than_one_row,
           estimates_of_planted_weights_are_unbiased, deep_sketches_find_the_planted_features,
           rows_that_are_refused_leave_every_byte_as_it_was,
           finite_input_of_any_size_keeps_a_finite_state, budgets_give_the_shapes_of_the_paper,
           no_budget_is_ever_exceeded, a_repeated_id_learns_what_its_sum_would,
           entrants_name_the_slots_that_changed_hands,
           top_ranks_members_by_their_weights_and_changes_nothing,
           with_estimates_members_are_shown_as_the_cells_say_now,
           members_that_entered_while_there_was_room_are_feature_by_feature_exact,
           one_feature_streams_count_their_members, the_example_of_the_header_is_what_happens)
