/* test_bear.c -- BEAR against textbook BFGS without collisions, and a naive twin with collisions.
 *
 * It also tests a mini-batch, a pair and a merge. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/loss.h"
#include "kernels/linear/mission/bear.h"
#include "support/mission_rig.h"
#include "support/suite.h"
#include "support/merge_rig.h"

enum { TAU = 3, BATCH = 8 };
#define ETA 0.1

struct model {
    struct bear b;
    void *block;
};

static struct linear_options options(uint32_t batch, uint32_t entries)
{
    return (struct linear_options){
        .sgd = {.eta0 = ETA, .schedule = SGD_CONSTANT, .bias = SGD_BIAS_SGD},
        .max_row = 64,
        .seed = 7,
        .tau = TAU,
        .batch = batch,
        .entries = entries,
        .longest = 64};
}

static struct model model_of(uint32_t active, uint32_t width, const struct linear_options *opt)
{
    struct linear_shape shape = {.active = active, .width = width, .depth = 3};
    struct model t = {.block = NULL};
    size_t n = store_block_bytes(&bear_kernel, &shape, opt);
    t.block = aligned_alloc(64, n);
    memset(t.block, 0, n);
    store_init(&t.b.top.s, &bear_kernel, &shape, opt, t.block);
    return t;
}

static struct model model_new(uint32_t active, uint32_t width)
{
    struct linear_options opt = options(BATCH, 1000);
    return model_of(active, width, &opt);
}

static double learn(struct model *t, const struct sample *a)
{
    double margin;
    ck_assert_int_eq(bear_kernel.learn(&t->b.top.s, &a->row, NULL, &margin), LINEAR_OK);
    const char *wrong = store_check(&t->b.top.s);
    ck_assert_msg(!wrong, "%s", wrong);
    return margin;
}

/* ---- the definition, with vectors of all features ---- */

struct twin {
    const uint64_t *id;
    struct count_sketch sketch; /* own cells of the twin; NULL: w has the weights */
    double w[IDS], bias, s[TAU][IDS], r[TAU][IDS];
    float top[IDS]; /* weight of each member after its last example or mini-batch */
    uint32_t member[IDS], n, k, pairs, waiting;
    struct sample batch[BATCH];
};

static uint32_t number_of(const struct twin *o, uint64_t id)
{
    uint32_t f = 0;
    while (o->id[f] != id)
        f++;
    return f;
}

static uint32_t place_of(const struct twin *o, uint32_t f)
{
    uint32_t i = 0;
    while (i < o->n && o->member[i] != f)
        i++;
    return i;
}

static uint32_t mix_of(const struct twin *o, uint32_t f)
{
    return count_sketch_mix(&o->sketch, (uint32_t)o->id[f]);
}

static double estimate(const struct twin *o, uint32_t f)
{
    return o->sketch.cell ? (double)count_sketch_estimate(&o->sketch, mix_of(o, f)) : o->w[f];
}

static double beta(const struct twin *o, uint32_t f)
{
    return place_of(o, f) < o->n ? estimate(o, f) : 0;
}

static void admit(struct twin *o, uint32_t f)
{
    uint32_t at = place_of(o, f), lightest = 0;
    for (uint32_t i = 1; i < o->n; i++)
        if (fabsf(o->top[i]) < fabsf(o->top[lightest])) lightest = i;
    if (at == o->n && o->n == o->k) {
        if (fabsf((float)estimate(o, f)) <= fabsf(o->top[lightest])) return;
        at = lightest;
    }
    if (at == o->n) o->n++;
    o->member[at] = f;
    o->top[at] = (float)estimate(o, f);
}

static double margin_of(const struct twin *o, const struct linear_row *row)
{
    double z = o->bias;
    for (uint32_t i = 0; i < row->n; i++)
        z += beta(o, number_of(o, row->id[i])) * (double)row->x[i];
    return z;
}

static double slope(const struct linear_row *row, double z)
{
    return (double)row->weight * row->y * loss_slope(LOSS_LOGISTIC, row->y * z); /* c y l'(y z) */
}

static void gradient_of(const struct twin *o, double g[IDS])
{
    memset(g, 0, IDS * sizeof *g);
    for (uint32_t k = 0; k < o->waiting; k++) {
        const struct sample *a = &o->batch[k];
        struct linear_row row = a->row;
        row.id = a->id, row.x = a->x; /* pointers into the copy */
        double u = slope(&row, margin_of(o, &row)) / o->waiting;
        for (uint32_t i = 0; i < row.n; i++)
            g[number_of(o, a->id[i])] += u * (double)a->x[i];
    }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int f = 0; f < IDS; f++)
        sum += a[f] * b[f];
    return sum;
}

/* q becomes z. */
static void two_loops(const struct twin *o, double q[IDS])
{
    double a[TAU];
    if (!o->pairs) return;
    for (uint32_t i = o->pairs; i-- > 0;) {
        a[i] = dot(o->s[i], q) / dot(o->s[i], o->r[i]);
        for (int f = 0; f < IDS; f++)
            q[f] -= a[i] * o->r[i][f];
    }
    const double *s = o->s[o->pairs - 1], *r = o->r[o->pairs - 1];
    for (int f = 0; f < IDS; f++)
        q[f] *= dot(s, r) / dot(r, r);
    for (uint32_t i = 0; i < o->pairs; i++) {
        double b = dot(o->r[i], q) / dot(o->s[i], o->r[i]);
        for (int f = 0; f < IDS; f++)
            q[f] += (a[i] - b) * o->s[i][f];
    }
}

static void keep_pair(struct twin *o, const double s[IDS], const double r[IDS])
{
    if (dot(s, s) < LBFGS_TINY || dot(s, r) < LBFGS_CURVATURE * dot(s, s)) return;
    if (o->pairs == TAU) {
        memmove(o->s[0], o->s[1], sizeof o->s - sizeof o->s[0]);
        memmove(o->r[0], o->r[1], sizeof o->r - sizeof o->r[0]);
        o->pairs--;
    }
    for (int f = 0; f < IDS; f++) {
        o->s[o->pairs][f] = (double)(float)s[f];
        o->r[o->pairs][f] = (double)(float)r[f];
    }
    o->pairs++;
}

static bool is_active(const struct twin *o, uint32_t f)
{
    for (uint32_t k = 0; k < o->waiting; k++)
        for (uint32_t i = 0; i < o->batch[k].row.n; i++)
            if (o->batch[k].id[i] == o->id[f]) return true;
    return false;
}

static void twin_batch(struct twin *o)
{
    double g[IDS], z[IDS], r[IDS], s[IDS] = {0};
    gradient_of(o, g);
    memcpy(z, g, sizeof z);
    two_loops(o, z);
    for (uint32_t f = 0; f < IDS; f++)
        if (is_active(o, f)) s[f] = -beta(o, f);
    for (uint32_t f = 0; f < IDS; f++) {
        if (!is_active(o, f)) continue;
        if (o->sketch.cell) count_sketch_add(&o->sketch, mix_of(o, f), (float)(-ETA * z[f]), 1e30f);
        o->w[f] -= ETA * z[f];
    }
    for (uint32_t f = 0; f < IDS; f++) {
        if (!is_active(o, f)) continue;
        s[f] += beta(o, f);
        if (place_of(o, f) < o->n) admit(o, f);
    }
    gradient_of(o, r);
    for (int f = 0; f < IDS; f++)
        r[f] -= g[f];
    keep_pair(o, s, r);
    o->waiting = 0;
}

static double twin_learn(struct twin *o, const struct sample *a)
{
    double z = margin_of(o, &a->row);
    o->bias -= ETA * slope(&a->row, z);
    for (uint32_t i = 0; i < a->row.n; i++)
        admit(o, number_of(o, a->id[i]));
    o->batch[o->waiting++] = *a;
    if (o->waiting == BATCH) twin_batch(o);
    return z;
}

/* Cells are floats. Without a sketch the twin has doubles, so it is only near. */
static void is_its_twin(struct model *t, struct twin *o, const uint64_t *id, int rows,
                        double tolerance)
{
    uint64_t s = seed_given();
    uint32_t most = 0;
    o->id = id;
    for (int r = 0; r < rows; r++) {
        struct sample a;
        draw(&s, id, 8, &a);
        double want = twin_learn(o, &a), got = learn(t, &a);
        ck_assert_msg(fabs(got - want) <= tolerance * (1 + fabs(want)), "row %d: %.17g, not %.17g",
                      r, got, want);
        most = o->pairs > most ? o->pairs : most;
        ck_assert_uint_eq(t->b.lbfgs.pairs.n, o->pairs);
    }
    ck_assert_uint_eq(most, TAU);
    ck_assert_uint_eq(t->b.top.s.set.n, o->n);
    for (uint32_t i = 0; i < o->n; i++)
        ck_assert_uint_eq(t->b.top.s.set.id[i], id[o->member[i]]);
    free(t->block);
}

START_TEST(without_collisions_it_is_the_textbooks_limited_memory_bfgs)
{
    struct model t = model_new(IDS, 4096);
    struct twin o = {.k = IDS};
    uint64_t id[IDS];
    apart(&t.b.top.sketch, id);
    is_its_twin(&t, &o, id, 1000, 1e-3);
}
END_TEST

START_TEST(in_few_cells_and_with_few_members_it_is_what_a_naive_twin_is)
{
    struct model t = model_new(6, 24);
    struct twin o = {.k = 6, .sketch = t.b.top.sketch};
    float cell[24 * 3] = {0};
    uint64_t id[IDS];
    for (uint32_t f = 0; f < IDS; f++)
        id[f] = f;
    o.sketch.cell = cell;
    is_its_twin(&t, &o, id, 1000, 1e-3);
}
END_TEST

/* ---- directions ---- */

START_TEST(a_direction_is_that_of_whole_vectors_also_where_pairs_reach_beyond_it)
{
    struct linear_options opt = options(1, 64);
    uint64_t s = seed_given();
    for (int round = 0; round < 200; round++) {
        struct model t = model_of(1, 8, &opt);
        static struct twin o;
        memset(&o, 0, sizeof o);
        double g[IDS], z[IDS], want[IDS] = {0};
        uint32_t id[IDS], n = 0;
        for (uint32_t k = 0; k < 5; k++) { /* more than there is room for */
            double d[IDS], r[IDS], whole_s[IDS] = {0}, whole_r[IDS] = {0};
            for (uint32_t f = n = 0; f < IDS; f++) {
                if (below(&s, 2)) continue;
                whole_s[f] = d[n] = (double)(float)normal(&s);
                whole_r[f] = r[n] = (double)(float)(d[n] + 0.5 * normal(&s));
                id[n++] = f;
            }
            keep_pair(&o, whole_s, whole_r);
            lbfgs_push(&t.b.lbfgs, (struct lbfgs_ids){n, id}, d, r);
        }
        for (uint32_t f = n = 0; f < IDS; f++) {
            if (below(&s, 2)) continue;
            want[f] = g[n] = normal(&s);
            id[n++] = f;
        }
        two_loops(&o, want);
        ck_assert_uint_eq(t.b.lbfgs.pairs.n, o.pairs);
        ck_assert(lbfgs_direction(&t.b.lbfgs, (struct lbfgs_ids){n, id}, g, z) == (o.pairs > 0));
        for (uint32_t i = 0; i < n && o.pairs; i++)
            ck_assert_double_eq_tol(z[i], want[id[i]], 1e-9 * (1 + fabs(want[id[i]])));
        free(t.block);
    }
}
END_TEST

START_TEST(a_pair_that_is_flat_uphill_or_too_long_is_not_kept)
{
    struct linear_options opt = options(1, 2);
    struct model t = model_of(1, 8, &opt);
    const uint32_t id[] = {3, 5, 9};
    const struct lbfgs_ids two = {2, id}, three = {3, id};
    const double s[] = {1, 2, 1}, up[] = {-1, -2, -1}, flat[] = {1, -0.5, 0}, huge[] = {1e300, 0};
    const double tiny[] = {1e-12, 0};
    ck_assert(!lbfgs_push(&t.b.lbfgs, two, s, up));
    ck_assert(!lbfgs_push(&t.b.lbfgs, two, s, flat));
    ck_assert(!lbfgs_push(&t.b.lbfgs, two, tiny, tiny));
    ck_assert(!lbfgs_push(&t.b.lbfgs, three, s, s));
    ck_assert_uint_eq(t.b.lbfgs.pairs.n, 0);
    ck_assert(lbfgs_push(&t.b.lbfgs, two, s, s));
    ck_assert(lbfgs_push(&t.b.lbfgs, two, huge, huge));
    ck_assert(t.b.lbfgs.pairs.s[2] == SGD_LIMIT);
    free(t.block);
}
END_TEST

/* ---- mini-batches ---- */

static struct sample row_of(uint64_t id, uint32_t n)
{
    struct sample a = {.row = {.n = n, .y = 1, .weight = 1, .new_record = true}};
    for (uint32_t i = 0; i < n; i++) {
        a.id[i] = id + i;
        a.x[i] = 1;
    }
    return a;
}

static double learn_row(struct model *t, uint64_t id, uint32_t n)
{
    struct sample a = row_of(id, n);
    a.row.id = a.id, a.row.x = a.x;
    return learn(t, &a);
}

START_TEST(weights_move_when_a_mini_batch_is_whole_or_as_long_as_it_may_be)
{
    struct linear_options opt = options(3, 8);
    struct model t = model_of(20, 4096, &opt);
    learn_row(&t, 1, 2);
    learn_row(&t, 1, 2);
    ck_assert(store_weight(&t.b.top.s, 1) == 0 && t.b.pending.n == 2);
    learn_row(&t, 1, 2); /* the third */
    ck_assert(store_weight(&t.b.top.s, 1) > 0 && !t.b.pending.n);
    learn_row(&t, 11, 5);
    ck_assert(store_weight(&t.b.top.s, 11) == 0);
    learn_row(&t, 16, 4); /* one entry too many for the same mini-batch */
    ck_assert(store_weight(&t.b.top.s, 11) > 0 && store_weight(&t.b.top.s, 16) == 0);
    learn_row(&t, 16, 4); /* 8 entries */
    ck_assert(store_weight(&t.b.top.s, 16) > 0 && !t.b.pending.n);
    free(t.block);
}
END_TEST

START_TEST(an_example_longer_than_a_mini_batch_is_one_and_leaves_no_pair)
{
    struct linear_options opt = options(3, 4);
    struct model t = model_of(20, 4096, &opt);
    learn_row(&t, 1, 7);
    ck_assert(store_weight(&t.b.top.s, 7) > 0);
    ck_assert_uint_eq(t.b.lbfgs.pairs.n, 0);
    free(t.block);
}
END_TEST

/* ---- numbers, and models ---- */

START_TEST(a_value_that_is_not_finite_changes_nothing)
{
    struct model t = model_new(5, 64);
    uint64_t id[IDS], s = 1;
    struct sample a;
    double margin;
    for (uint32_t f = 0; f < IDS; f++)
        id[f] = f;
    for (int r = 0; r < 53; r++) {
        draw(&s, id, 8, &a);
        learn(&t, &a);
    }
    struct bear was = t.b;
    a = row_of(999999, 2); /* a feature outside the top */
    a.row.id = a.id, a.row.x = a.x;
    a.x[1] = NAN;
    ck_assert_int_eq(bear_kernel.learn(&t.b.top.s, &a.row, NULL, &margin), LINEAR_NONFINITE);
    a.x[1] = -INFINITY;
    ck_assert_int_eq(bear_kernel.learn(&t.b.top.s, &a.row, NULL, &margin), LINEAR_NONFINITE);
    a.row.n = 65;
    ck_assert_int_eq(bear_kernel.learn(&t.b.top.s, &a.row, NULL, &margin), LINEAR_TOO_LONG);
    ck_assert_uint_eq(t.b.pending.n, was.pending.n);
    ck_assert(t.b.top.s.sgd.t == was.top.s.sgd.t && t.b.top.s.set.n == was.top.s.set.n);
    free(t.block);
}
END_TEST

START_TEST(values_of_any_size_keep_the_model_finite)
{
    static const enum loss_kind losses[] = {LOSS_LOGISTIC, LOSS_SMOOTHED_HINGE, LOSS_SQUARED};
    for (int l = 0; l < 3; l++) {
        struct linear_options opt = options(4, 1000);
        opt.sgd.loss = losses[l];
        opt.sgd.lambda = 1e-3;
        struct model t = model_of(3, 8, &opt);
        uint64_t s = seed_given(), id[IDS];
        for (uint32_t f = 0; f < IDS; f++)
            id[f] = f;
        for (int r = 0; r < 5000; r++) {
            struct sample a;
            draw(&s, id, 8, &a);
            for (uint32_t i = 0; i < a.row.n; i++)
                a.x[i] *= (float)pow(10, uniform(&s, -45, 38));
            ck_assert(isfinite(learn(&t, &a)));
        }
        free(t.block);
    }
}
END_TEST

START_TEST(a_merge_has_the_mean_of_the_weights_and_no_pairs)
{
    struct model a = model_new(6, 4096), b = model_new(6, 4096), m = model_new(6, 4096);
    uint64_t id[IDS], s = 11;
    struct sample x;
    apart(&a.b.top.sketch, id);
    for (int r = 0; r < 400; r++) {
        draw(&s, id, 8, &x);
        learn(r < 100 ? &a : &b, &x);
    }
    ck_assert(a.b.pending.n && a.b.lbfgs.pairs.n && b.b.lbfgs.pairs.n);
    rig_merge(&m.b.top.s, &a.b.top.s, &b.b.top.s, 1, NULL);
    const char *wrong = store_check(&m.b.top.s);
    ck_assert_msg(!wrong, "%s", wrong);
    ck_assert(!m.b.pending.n && !m.b.lbfgs.pairs.n);
    for (uint32_t f = 0; f < IDS; f++)
        ck_assert_double_eq_tol(
            store_weight(&m.b.top.s, id[f]),
            0.25 * store_weight(&a.b.top.s, id[f]) + 0.75 * store_weight(&b.b.top.s, id[f]), 1e-5);
    free(a.block), free(b.block), free(m.block);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct linear_options opt = {
        .sgd = {.eta0 = 0.5, .schedule = SGD_CONSTANT, .bias = SGD_BIAS_NONE},
        .max_row = 1,
        .seed = 7,
        .tau = 1,
        .batch = 1,
        .entries = 1,
        .longest = 1};
    struct model t = model_of(1, 64, &opt);
    struct sample a = {.id = {7}, .x = {1}};
    a.row =
        (struct linear_row){.id = a.id, .x = a.x, .n = 1, .y = 1, .weight = 1, .new_record = true};
    learn(&t, &a);
    ck_assert_double_eq_tol(mission_weight(&t.b.top.s, 7), 0.25, 1e-6);
    ck_assert_uint_eq(t.b.lbfgs.pairs.n, 1);
    ck_assert_double_eq_tol((double)t.b.lbfgs.pairs.s[0], 0.25, 1e-6);
    ck_assert_double_eq_tol((double)t.b.lbfgs.pairs.r[0], 0.0622, 5e-5);
    ck_assert_double_eq_tol(learn(&t, &a), 0.25, 1e-6);
    ck_assert_double_eq_tol(t.b.scratch.beta[0], 0.25, 1e-6);
    ck_assert_double_eq_tol(t.b.scratch.g[0], -0.438, 5e-4);
    ck_assert_double_eq_tol(mission_weight(&t.b.top.s, 7), 1.13, 5e-3);
    free(t.block);
}
END_TEST

START_TEST(the_example_of_the_header_of_lbfgs_is_what_happens)
{
    uint32_t length[2], id[4];
    float s[4], r[4];
    double sr[1], rr[1], z[2];
    struct lbfgs l = {
        .pairs = {.max = 1, .max_entries = 2, .length = length, .id = id, .s = s, .r = r},
        .sr = sr,
        .rr = rr};
    const uint32_t at[] = {1, 2};
    ck_assert(lbfgs_push(&l, (struct lbfgs_ids){1, at}, (const double[]){1}, (const double[]){2}));
    ck_assert(lbfgs_direction(&l, (struct lbfgs_ids){2, at}, (const double[]){4, 6}, z));
    ck_assert(z[0] == 2 && z[1] == 3);
}
END_TEST

LEAT_SUITE("bear", without_collisions_it_is_the_textbooks_limited_memory_bfgs,
           in_few_cells_and_with_few_members_it_is_what_a_naive_twin_is,
           a_direction_is_that_of_whole_vectors_also_where_pairs_reach_beyond_it,
           a_pair_that_is_flat_uphill_or_too_long_is_not_kept,
           weights_move_when_a_mini_batch_is_whole_or_as_long_as_it_may_be,
           an_example_longer_than_a_mini_batch_is_one_and_leaves_no_pair,
           a_value_that_is_not_finite_changes_nothing, values_of_any_size_keep_the_model_finite,
           a_merge_has_the_mean_of_the_weights_and_no_pairs,
           the_example_of_the_header_is_what_happens,
           the_example_of_the_header_of_lbfgs_is_what_happens)
