/* adaptive_laws.c -- implementation of adaptive_laws.h. */
#include "adaptive_laws.h"
#include "merge_rig.h"

/* ---- models ---- */

void *adaptive_of_setting(const struct adaptive_kind *kind, int k, uint64_t seed)
{
    struct adaptive_setting s = {.full = k % 2,
                                 .counts = k / 2 % 2,
                                 .seed = seed,
                                 .sgd = {.lambda = 1e-3,
                                         .eta0 = 0.3,
                                         .l1 = k % 3 ? 0 : 1e-3,
                                         .half_life = k == 4 ? 30 : 0,
                                         .bias = k == 5 ? SGD_BIAS_PRIOR : SGD_BIAS_SGD,
                                         .loss = k == 6 ? 1 : 0}};
    return kind->make(ADAPTIVE_ANY, k, &s);
}

static void *plain(const struct adaptive_kind *kind, enum adaptive_use use, bool full,
                   uint64_t seed)
{
    struct adaptive_setting s = {.full = full, .seed = seed};
    return kind->make(use, 0, &s);
}

static void expect_sound(const struct adaptive_kind *kind, const void *m)
{
    const char *broken = store_check(m);
    ck_assert_msg(!broken, "%s", broken);
}

void adaptive_learn_more(const struct adaptive_kind *kind, void *m, uint64_t *s, int rows,
                         double *margin)
{
    for (int k = 0; k < rows; k++) {
        struct sample a;
        draw_any(&a, s, 150, k % KINDS);
        ck_assert_int_eq(store_learn(m, &a.row, margin ? &margin[k] : &(double){0}), LINEAR_OK);
        expect_sound(kind, m);
    }
}

/* ---- bytes ---- */

static void same_array(const void *a, const void *b, size_t n)
{
    ck_assert(!a == !b);
    ck_assert(!a || !memcmp(a, b, n));
}

static void same_bytes(const struct adaptive_kind *kind, const void *a, const void *b)
{
    struct linear_parts p = store_parts(a), q = store_parts(b);
    ck_assert_uint_eq(p.n, q.n);
    ck_assert_uint_eq(p.cells, q.cells);
    ck_assert(p.weight || p.half_weight);
    same_array(p.id, q.id, 4 * (size_t)p.n);
    same_array(p.weight, q.weight, 4 * (size_t)p.n);
    same_array(p.accumulator, q.accumulator, 4 * (size_t)p.n);
    same_array(p.half_weight, q.half_weight, 2 * (size_t)p.n);
    same_array(p.code, q.code, p.n);
    same_array(p.count, q.count, 8 * (size_t)p.n);
    same_array(p.cell, q.cell, 4 * p.cells);
    same_array(p.cell_accumulator, q.cell_accumulator, 4 * p.cells);
    same_array(p.half_cell, q.half_cell, 2 * p.cells);
    same_array(p.cell_code, q.cell_code, p.cells);
    same_array(p.cell_owner, q.cell_owner, p.cells);
    ck_assert(p.sgd.t == q.sgd.t && p.sgd.alpha == q.sgd.alpha && p.sgd.bias == q.sgd.bias);
    ck_assert(p.sgd.size == q.sgd.size && p.sgd.sized == q.sgd.sized);
    ck_assert(p.sgd.bias_sum == q.sgd.bias_sum);
    ck_assert(p.sgd.penalty == q.sgd.penalty && p.sgd.l1_applied == q.sgd.l1_applied);
    ck_assert(p.sgd.grown == q.sgd.grown && p.sgd.age == q.sgd.age);
    ck_assert(!memcmp(p.sgd.mass, q.sgd.mass, sizeof p.sgd.mass));
    ck_assert(!memcmp(p.sgd.records, q.sgd.records, sizeof p.sgd.records));
}

void law_equal_streams_give_equal_bytes(const struct adaptive_kind *kind)
{
    double want[40], got[40];
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++) {
        void *m = adaptive_of_setting(kind, k, 7);
        uint64_t s = 9;
        for (int round = 0; round < 40; round++) {
            void *copy = adaptive_of_setting(kind, k, 7);
            struct linear_parts p = store_parts(m);
            uint64_t again = s;
            ck_assert_ptr_null(store_load(copy, &p));
            same_bytes(kind, m, copy);
            adaptive_learn_more(kind, m, &s, 40, want);
            adaptive_learn_more(kind, copy, &again, 40, got);
            ck_assert(!memcmp(want, got, sizeof want));
            same_bytes(kind, m, copy);
            kind->drop(copy);
        }
        kind->drop(m);
    }
}

/* ---- forgetting ---- */

enum { FORGET_IDS = 300 };

/* True if the accumulator fell to a sixteenth. A compact one has three codes an octave. */
static bool is_sixteenth(uint8_t before, uint8_t after)
{
    return before > 12 ? after == before - 12 : after <= 1;
}

static void expect_sixteenths(const struct linear_parts *p, const struct linear_parts *q)
{
    for (uint32_t i = 0; p->accumulator && i < p->n; i++)
        ck_assert(q->accumulator[i] == p->accumulator[i] / 16);
    for (size_t c = 0; p->cell_accumulator && c < p->cells; c++)
        ck_assert(q->cell_accumulator[c] == p->cell_accumulator[c] / 16);
    for (uint32_t i = 0; p->code && i < p->n; i++)
        ck_assert(is_sixteenth(p->code[i], q->code[i]));
    for (size_t c = 0; p->cell_code && c < p->cells; c++)
        ck_assert(is_sixteenth(p->cell_code[c], q->cell_code[c]));
    double share = p->sgd.opt.bias == SGD_BIAS_SGD ? 0.5 : 1;
    ck_assert(q->sgd.bias_sum == p->sgd.bias_sum / 16 && q->sgd.bias == p->sgd.bias * share);
}

static void expect_nothing_known(const struct adaptive_kind *kind, void *m, uint64_t *s)
{
    double margin;
    ((struct store *)m)->kernel->forget(m, 0, 0);
    for (uint64_t id = 0; id < FORGET_IDS; id++)
        ck_assert(store_weight(m, id) == 0);
    double bias = store_parts(m).sgd.bias;
    adaptive_learn_more(kind, m, s, 1, &margin);
    ck_assert(margin == bias);
    if (store_parts(m).sgd.opt.bias == SGD_BIAS_SGD) ck_assert(bias == 0);
}

void law_all_numbers_are_forgotten_by_the_same_share(const struct adaptive_kind *kind)
{
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++) {
        void *m = adaptive_of_setting(kind, k, 7), *copy = adaptive_of_setting(kind, k, 7);
        uint64_t s = 1, again = 1;
        adaptive_learn_more(kind, m, &s, 400, NULL);
        adaptive_learn_more(kind, copy, &again, 400, NULL);
        ((struct store *)m)->kernel->forget(m, 0.5, 1.0 / 16);
        struct linear_parts p = store_parts(copy), q = store_parts(m);
        double rounds = p.half_weight || p.half_cell ? 1.0 / 64 : 0;
        for (uint64_t id = 0; id < FORGET_IDS; id++) {
            double want = store_weight(copy, id) / 2;
            ck_assert_double_le(fabs(store_weight(m, id) - want), rounds * (fabs(want) + 1e-3));
        }
        expect_sixteenths(&p, &q);
        expect_sound(kind, m);
        adaptive_learn_more(kind, m, &s, 100, NULL);
        expect_nothing_known(kind, m, &s);
        expect_sound(kind, m);
        kind->drop(m), kind->drop(copy);
    }
}

void law_another_seed_rounds_otherwise(const struct adaptive_kind *kind)
{
    void *a = plain(kind, ADAPTIVE_OF_MANY, false, 1), *b = plain(kind, ADAPTIVE_OF_MANY, false, 2);
    uint64_t s = 1, again = 1;
    adaptive_learn_more(kind, a, &s, 300, NULL);
    adaptive_learn_more(kind, b, &again, 300, NULL);
    struct linear_parts p = store_parts(a), q = store_parts(b);
    ck_assert(p.cells > 100 || p.n > 100);
    if (p.cells)
        ck_assert(memcmp(p.half_cell, q.half_cell, 2 * p.cells));
    else
        ck_assert(memcmp(p.half_weight, q.half_weight, 2 * (size_t)p.n));
    kind->drop(a), kind->drop(b);
}

void law_a_merge_is_the_same_either_way_round(const struct adaptive_kind *kind)
{
    for (int k = 0; k < ADAPTIVE_SETTINGS; k++) {
        void *a = adaptive_of_setting(kind, k, 7), *b = adaptive_of_setting(kind, k, 7);
        void *ab = adaptive_of_setting(kind, k, 7), *ba = adaptive_of_setting(kind, k, 7);
        uint64_t s = 1, r = 2;
        adaptive_learn_more(kind, a, &s, 400, NULL);
        adaptive_learn_more(kind, b, &r, 200, NULL);
        rig_merge(ab, a, b, 1, NULL);
        rig_merge(ba, b, a, 1, NULL);
        same_bytes(kind, ab, ba);
        expect_sound(kind, ab);
        ck_assert_uint_eq(store_parts(ab).sgd.t, 600);
        adaptive_learn_more(kind, ab, &s, 300, NULL);
        kind->drop(a), kind->drop(b), kind->drop(ab), kind->drop(ba);
    }
}

/* ---- numbers ---- */

void law_finite_input_keeps_a_finite_state(const struct adaptive_kind *kind)
{
    for (int k = 0; k < 72; k++) {
        uint64_t s = (uint64_t)k + 1;
        struct adaptive_setting setting = {
            .full = k % 2,
            .seed = s,
            .sgd = {.lambda = 0.5, .eta0 = 1, .bias = k % 3, .loss = k / 3 % 3}};
        setting.sgd.rate = k % 5 ? 0 : 1000;
        if (k % 4 == 3) setting.sgd.l1 = 1;
        if (k % 7 == 3) setting.sgd.half_life = 2;
        void *m = kind->make(ADAPTIVE_TINY, k, &setting);
        struct sample a;
        for (int r = 0; r < 300; r++) {
            double margin;
            draw_extreme(&a, &s, 12, r % 2);
            ck_assert_int_eq(store_learn(m, &a.row, &margin), LINEAR_OK);
            ck_assert(isfinite(margin));
            expect_sound(kind, m);
        }
        kind->drop(m);
    }
}

void law_no_importance_changes_no_weight(const struct adaptive_kind *kind)
{
    for (int full = 0; full < 2; full++) {
        void *m = plain(kind, ADAPTIVE_OF_EIGHT, full, 1);
        uint64_t id[8], s = 3;
        float x[8], was[8];
        double z;
        for (uint32_t i = 0; i < 8; i++)
            id[i] = i, x[i] = 1;
        for (int r = 0; r < 20; r++)
            store_learn(m, &(struct linear_row){id, x, 8, r % 3 ? 1 : -1, 1, true}, &z);
        for (uint32_t i = 0; i < 8; i++)
            was[i] = (float)store_weight(m, i), x[i] = (float)below(&s, 5);
        store_learn(m, &(struct linear_row){id, x, 8, 1, 0, true}, &z);
        for (uint32_t i = 0; i < 8; i++)
            ck_assert((float)store_weight(m, i) == was[i] && was[i] != 0);
        kind->drop(m);
    }
}

/* Learns 40 features, each with its own odds; the rows are the same for every seed. */
static void *with_odds(const struct adaptive_kind *kind, bool full, uint64_t seed)
{
    void *m = plain(kind, ADAPTIVE_OF_FORTY, full, seed);
    uint64_t s = 5;
    for (int k = 0; k < 1500; k++) {
        uint64_t id[3];
        float x[3];
        double z;
        for (int i = 0; i < 3; i++)
            id[i] = below(&s, 40), x[i] = id[i] % 4 ? 1.0f : 0.3f;
        int y = below(&s, 40) < id[0] ? 1 : -1;
        store_learn(m, &(struct linear_row){id, x, 3, y, 1, true}, &z);
    }
    return m;
}

void law_compact_is_full_in_the_mean(const struct adaptive_kind *kind)
{
    double sum[40] = {0}, squares[40] = {0}, n = kind->compact_seeds;
    void *full = with_odds(kind, true, 0);
    for (int seed = 1; seed <= kind->compact_seeds; seed++) {
        void *m = with_odds(kind, false, (uint64_t)seed);
        for (uint64_t id = 0; id < 40; id++) {
            double w = store_weight(m, id);
            sum[id] += w, squares[id] += w * w;
        }
        kind->drop(m);
    }
    for (uint64_t id = 0; id < 40; id++) {
        double mean = sum[id] / n, want = store_weight(full, id);
        double error = sqrt(fmax(0, squares[id] / n - mean * mean) / n);
        ck_assert_msg(fabs(mean - want) <= 5 * error + kind->compact_error * (0.1 + fabs(want)),
                      "feature %d: %g +- %g, not %g", (int)id, mean, error, want);
    }
    kind->drop(full);
}

/* Ten features of one value determine their label. Compact accumulators end at 2.9e16, full ones at
 * 1e30. Values above 1.7e9 and 1e16 stay large for ever (sgd_adaptive.h), and their effect is
 * reduced. */
void law_large_values_are_learned_as_small_ones(const struct adaptive_kind *kind)
{
    for (int full = 0; full < 2; full++)
        for (float x = 1; x < (full ? 5e15f : 1.5e9f); x *= 10) {
            struct adaptive_setting s = {.full = full, .seed = 3, .sgd = {.bias = SGD_BIAS_NONE}};
            void *m = kind->make(ADAPTIVE_OF_TEN, 0, &s);
            for (uint64_t k = 0; k < 400; k++) {
                uint64_t id = k % 10;
                double z;
                struct linear_row row = {&id, &x, 1, id % 2 ? 1 : -1, 1, true};
                store_learn(m, &row, &z);
                if (k >= 300) ck_assert_msg(row.y * z > 2, "full %d, value %g: %g", full, x, z);
            }
            kind->drop(m);
        }
}
