/* test_awm_state.c -- copies of an AWM-Sketch continue like the original.
 *
 * A merge of two equals its definition, computed here by brute force. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/count.h"
#include "kernels/linear/awm/awm_sketch.h"
#include "kernels/linear/sgd.h"
#include "support/merge_rig.h"
#include "support/random.h"
#include "support/zeroed.h"

enum { MAX_ROW = 12, MAX_ACTIVE = 80 };

struct setting {
    uint32_t active, width, depth, ids;
    struct sgd_options sgd;
    bool counts;
};

static const struct setting settings[] = {
    {64, 128, 1, 1000, {.lambda = 1e-6, .eta0 = 0.1}, false},
    {70, 64, 1, 300, {.lambda = 0.05, .eta0 = 5}, false}, /* the scale is folded in often */
    {5, 16, 3, 60, {.lambda = 1e-3, .eta0 = 0.3, .rates = SGD_ADAGRAD}, true},
    {64, 32, 4, 400, {.eta0 = 0.1, .rates = SGD_NEWTON, .bias = SGD_BIAS_PRIOR}, true},
    {1, 1, 1, 10, {.lambda = 1e-4, .eta0 = 0.5, .loss = LOSS_SQUARED}, false},
    {80, 8, 2, 20, {.lambda = 1e-2, .eta0 = 1, .schedule = SGD_SQRT}, true}, /* S never full */
};
enum { SETTINGS = sizeof settings / sizeof *settings };

struct model {
    struct awm m;
    void *block;
};

static struct model fresh(const struct setting *g)
{
    struct linear_options opt = {
        .sgd = g->sgd, .counts = g->counts, .max_row = MAX_ROW, .seed = 42};
    struct linear_shape shape = {g->active, g->width, g->depth, 0};
    struct model t = {.block = zeroed(store_block_bytes(&awm_kernel, &shape, &opt))};
    store_init(&t.m.s, &awm_kernel, &shape, &opt, t.block);
    return t;
}

static void learn(struct awm *m, uint64_t *s, uint32_t n, uint32_t ids, double *margin)
{
    for (uint32_t k = 0; k < n; k++) {
        uint64_t id[MAX_ROW];
        float x[MAX_ROW];
        struct linear_row row = {.id = id, .x = x, .n = below(s, MAX_ROW), .weight = 1};
        for (uint32_t i = 0; i < row.n; i++) {
            id[i] = below(s, ids) % (1 + below(s, ids));
            x[i] = below(s, 3) ? 1.0f : (float)below(s, 100) / 50 - 1; /* ones make ties */
        }
        row.y = below(s, 5) && row.n && id[0] % 2 ? 1 : -1;
        row.new_record = below(s, 3) > 0;
        double z;
        ck_assert_int_eq(store_learn(&m->s, &row, &z), LINEAR_OK);
        if (margin) margin[k] = z;
    }
}

static struct model learned(const struct setting *g, uint64_t seed, uint32_t n)
{
    struct model t = fresh(g);
    learn(&t.m, &seed, n, g->ids, NULL);
    return t;
}

static void same_model(const struct awm *a, const struct awm *b)
{
    uint32_t n = a->s.set.n;
    size_t cells = (size_t)a->s.shape.width * a->s.shape.depth;
    ck_assert_uint_eq(n, b->s.set.n);
    ck_assert(!memcmp(a->s.set.id, b->s.set.id, n * 4) &&
              !memcmp(a->s.member.weight, b->s.member.weight, n * 4));
    ck_assert(!memcmp(a->s.member.weight + a->s.first_cell, b->s.member.weight + b->s.first_cell,
                      cells * 4));
    if (a->s.member.sum) ck_assert(!memcmp(a->s.member.sum, b->s.member.sum, n * 4));
    if (a->s.count) ck_assert(!memcmp(a->s.count, b->s.count, n * 8));
    ck_assert(a->s.sgd.t == b->s.sgd.t && a->s.sgd.alpha == b->s.sgd.alpha &&
              a->s.sgd.bias == b->s.sgd.bias);
    ck_assert(!memcmp(a->s.sgd.records, b->s.sgd.records, sizeof a->s.sgd.records));
    ck_assert(!memcmp(a->s.sgd.mass, b->s.sgd.mass, sizeof a->s.sgd.mass));
    ck_assert(!memcmp(&a->s.sgd.opt, &b->s.sgd.opt, sizeof a->s.sgd.opt));
}

static const char *load(struct awm *m, const struct awm *from)
{
    struct linear_parts p = store_parts(&from->s);
    return store_load(&m->s, &p);
}

/* ---- copies ---- */

START_TEST(a_copy_goes_on_as_the_original_whenever_it_is_made)
{
    double want[40], got[40];
    for (const struct setting *g = settings; g < settings + SETTINGS; g++) {
        struct model t = fresh(g);
        uint64_t s = 9;
        for (int k = 0; k < 60; k++) {
            struct model copy = fresh(g);
            ck_assert_ptr_null(load(&copy.m, &t.m));
            same_model(&t.m, &copy.m);
            ck_assert_ptr_null(store_check(&copy.m.s));
            uint64_t again = s;
            learn(&t.m, &s, 40, g->ids, want);
            learn(&copy.m, &again, 40, g->ids, got);
            ck_assert(!memcmp(want, got, sizeof want));
            same_model(&t.m, &copy.m);
            free(copy.block);
        }
        free(t.block);
    }
}
END_TEST

/* The reader of a state checks that all numbers are in range. */
START_TEST(a_feature_in_two_slots_is_refused)
{
    const struct setting *g = &settings[3];
    struct model t = learned(g, 1, 500), copy = fresh(g);
    t.m.s.set.id[3] = t.m.s.set.id[40];
    ck_assert_str_eq(load(&copy.m, &t.m), "ids has an id twice");
    free(copy.block);
    free(t.block);
}
END_TEST

/* ---- merges ---- */

struct pair {
    struct model a, b, ab;
};

static void merge(struct pair *p, const struct setting *g, uint32_t na, uint32_t nb, double count)
{
    p->a = learned(g, 1, na);
    p->b = learned(g, 2, nb);
    p->ab = fresh(g);
    rig_merge(&p->ab.m.s, &p->a.m.s, &p->b.m.s, count, NULL);
}

static void free_pair(struct pair *p)
{
    free(p->a.block);
    free(p->b.block);
    free(p->ab.block);
}

static int64_t slot_of(const struct awm *m, uint32_t id)
{
    for (uint32_t s = 0; s < m->s.set.n; s++)
        if (m->s.set.id[s] == id) return s;
    return -1;
}

static double known(const struct sgd_options *o, double a)
{
    double rate = o->rate > 0 ? o->rate : 0.5;
    if (o->rates == SGD_NEWTON) return 1 + a;
    return a > 0 ? fmax(1e-12, a / -expm1(-2 * rate * sqrt(a))) : 1e-12;
}

static bool is_member(const struct awm *m, uint32_t id) { return slot_of(m, id) >= 0; }

/* Weight of a feature after a merge of 700 and 300 examples: by curvature if members have own
 * rates, else by examples. */
static double merged_weight(const struct awm *a, const struct awm *b, uint32_t id)
{
    double wa = store_weight(&a->s, id), wb = store_weight(&b->s, id);
    if (!a->s.member.sum) return 0.7 * wa + 0.3 * wb;
    int64_t i = slot_of(a, id), j = slot_of(b, id);
    double in_a = i < 0 ? 0 : (double)a->s.member.sum[i] / a->s.sgd.grown,
           in_b = j < 0 ? 0 : (double)b->s.member.sum[j] / b->s.sgd.grown;
    double ka = i < 0 ? 0 : known(&a->s.sgd.opt, in_a), kb = j < 0 ? 0 : known(&b->s.sgd.opt, in_b);
    double by = known(&a->s.sgd.opt, in_a + in_b);
    return by > 0 ? (ka * wa + kb * wb) / by : 0;
}

START_TEST(members_are_the_heaviest_of_both_with_the_mean_of_their_weights)
{
    for (const struct setting *g = settings; g < settings + SETTINGS; g++) {
        if (g->depth > 1 && g->sgd.rates == SGD_SHARED) continue; /* medians do not add */
        struct pair p;
        merge(&p, g, 700, 300, 1);
        const struct awm *a = &p.a.m, *b = &p.b.m, *m = &p.ab.m;
        double lightest = INFINITY;
        uint32_t candidates = 0;
        ck_assert_ptr_null(store_check(&m->s));
        for (uint32_t s = 0; s < m->s.set.n; s++) {
            double w = merged_weight(a, b, m->s.set.id[s]);
            ck_assert(is_member(a, m->s.set.id[s]) || is_member(b, m->s.set.id[s]));
            ck_assert(fabs(store_slot_weight(&m->s, s) - w) <= 1e-6 * fabs(w) + 1e-30);
            lightest = fmin(lightest, fabs(w));
        }
        for (uint32_t id = 0; id < g->ids; id++) {
            if (!is_member(a, id) && !is_member(b, id)) continue;
            candidates++;
            double w = merged_weight(a, b, id);
            if (!is_member(m, id)) ck_assert(fabs(w) <= lightest * (1 + 1e-12));
        }
        ck_assert_uint_eq(m->s.set.n, candidates < g->active ? candidates : g->active);
        free_pair(&p);
    }
}
END_TEST

/* With one row of cells, an evicted feature leaves exactly its weight in its cell. There it stays
 * until a heavier feature wants the same cell. */
START_TEST(the_sketch_is_the_mean_of_both_with_evicted_members_in_their_cells)
{
    int evicted = 0;
    for (const struct setting *g = settings; g < settings + SETTINGS; g++) {
        if (g->depth > 1) continue;
        struct pair p;
        merge(&p, g, 700, 300, 1);
        const struct awm *a = &p.a.m, *b = &p.b.m, *m = &p.ab.m;
        double *want = calloc(g->width, sizeof *want), *heaviest = calloc(g->width, sizeof *want);
        for (uint32_t c = 0; c < g->width; c++)
            want[c] = 0.7 * a->s.sgd.alpha * (double)a->s.member.weight[a->s.first_cell + c] +
                      0.3 * b->s.sgd.alpha * (double)b->s.member.weight[b->s.first_cell + c];
        for (uint32_t id = 0; id < g->ids; id++) {
            if ((!is_member(a, id) && !is_member(b, id)) || is_member(m, id)) continue;
            float sign;
            uint32_t c = awm_cell(m, 0, id, &sign) - m->s.first_cell;
            double w = merged_weight(a, b, id);
            if (fabs(w) >= heaviest[c]) want[c] = (double)sign * w, heaviest[c] = fabs(w);
            evicted++;
        }
        for (uint32_t c = 0; c < g->width; c++)
            ck_assert(fabs((double)m->s.member.weight[m->s.first_cell + c] - want[c]) <=
                      1e-5 * (1 + fabs(want[c])));
        free(want);
        free(heaviest);
        free_pair(&p);
    }
    ck_assert_int_gt(evicted, 20);
}
END_TEST

START_TEST(own_rates_and_counts_of_members_add_up)
{
    for (const struct setting *g = settings; g < settings + SETTINGS; g++) {
        struct pair p;
        merge(&p, g, 700, 300, 3);
        const struct awm *a = &p.a.m, *b = &p.b.m, *m = &p.ab.m;
        ck_assert_uint_eq(m->s.sgd.t, 700 + 3 * 300);
        for (int y = 0; y < 2; y++) {
            ck_assert_uint_eq(m->s.sgd.records[y], a->s.sgd.records[y] + 3 * b->s.sgd.records[y]);
            ck_assert(m->s.sgd.mass[y] == a->s.sgd.mass[y] + 3 * b->s.sgd.mass[y]);
        }
        for (uint32_t s = 0; s < m->s.set.n; s++) {
            int64_t i = slot_of(a, m->s.set.id[s]), j = slot_of(b, m->s.set.id[s]);
            double sum = (i < 0 || !a->s.member.sum ? 0.0 : (double)a->s.member.sum[i]) +
                         3 * (j < 0 || !b->s.member.sum ? 0.0 : (double)b->s.member.sum[j]);
            if (m->s.member.sum) ck_assert(m->s.member.sum[s] == (float)sum);
            for (int y = 0; m->s.count && y < 2; y++)
                ck_assert_uint_eq(m->s.count[2 * s + y],
                                  (i < 0 ? 0 : a->s.count[2 * i + y]) +
                                      3 * (j < 0 ? 0 : b->s.count[2 * j + y]));
        }
        free_pair(&p);
    }
}
END_TEST

START_TEST(a_merge_is_the_same_bit_for_bit_whichever_way_round)
{
    for (const struct setting *g = settings; g < settings + SETTINGS; g++) {
        struct pair p;
        struct model ba = fresh(g);
        merge(&p, g, 700, 300, 1);
        rig_merge(&ba.m.s, &p.b.m.s, &p.a.m.s, 1, NULL);
        same_model(&p.ab.m, &ba.m);
        free(ba.block);
        free_pair(&p);
    }
}
END_TEST

/* Equal models averaged by examples change only the counts, so no scale is folded in twice. With
 * own rates, one learner would have moved a little further. */
START_TEST(a_model_merged_with_itself_keeps_its_weights)
{
    for (const struct setting *g = settings; g < settings + SETTINGS; g++) {
        struct model a = learned(g, 1, 700), twice = fresh(g);
        rig_merge(&twice.m.s, &a.m.s, &a.m.s, 1, NULL);
        ck_assert_uint_eq(twice.m.s.sgd.t, 1400);
        ck_assert(twice.m.s.sgd.alpha == 1 && (g->sgd.lambda == 0 || a.m.s.sgd.alpha < 1));
        double heaviest = 0; /* cells are rounded to floats */
        for (uint32_t id = 0; id < g->ids; id++)
            heaviest = fmax(heaviest, fabs(store_weight(&a.m.s, id)));
        for (uint32_t id = 0; id < g->ids; id++) {
            int64_t i = slot_of(&a.m, id);
            if (i < 0 && g->depth > 1) continue; /* another median, if a member left */
            double sum = a.m.s.member.sum ? (double)a.m.s.member.sum[i < 0 ? 0 : i] : 0,
                   further = 1;
            if (i >= 0 && a.m.s.member.sum)
                further = 2 * known(&a.m.s.sgd.opt, sum) / known(&a.m.s.sgd.opt, 2 * sum);
            double w = further * store_weight(&a.m.s, id);
            ck_assert(further >= 1 && further <= 2);
            if (is_member(&twice.m, id) || i < 0)
                ck_assert(fabs(store_weight(&twice.m.s, id) - w) <= 1e-6 * 2 * heaviest);
        }
        free(a.block);
        free(twice.block);
    }
}
END_TEST

START_TEST(a_merged_model_learns_on_soundly)
{
    for (const struct setting *g = settings; g < settings + SETTINGS; g++) {
        struct pair p;
        uint64_t s = 3;
        merge(&p, g, 700, 300, 1);
        for (int k = 0; k < 50; k++) {
            learn(&p.ab.m, &s, 20, g->ids, NULL);
            ck_assert_ptr_null(store_check(&p.ab.m.s));
        }
        free_pair(&p);
    }
}
END_TEST

/* Counters stop at their limit, and do not wrap. */
START_TEST(counts_saturate)
{
    ck_assert_uint_eq(sgd_add_count(UINT32_MAX - 3, 5, 1), UINT32_MAX);
    ck_assert_uint_eq(sgd_add_count(1, UINT32_MAX, 1e9), UINT32_MAX);
    ck_assert_uint_eq(sgd_add_count(2, 3, 0.5), 4); /* 1.5 is rounded up */
    struct sgd a = {.t = COUNT_MAX - 1, .alpha = 1}, b = {.t = COUNT_MAX, .alpha = 1};
    ck_assert(sgd_merge(&a, &b, 1).t == COUNT_MAX && sgd_merge(&a, &b, 1e9).t == COUNT_MAX);
}
END_TEST

LEAT_SUITE("awm_state", a_copy_goes_on_as_the_original_whenever_it_is_made,
           a_feature_in_two_slots_is_refused,
           members_are_the_heaviest_of_both_with_the_mean_of_their_weights,
           the_sketch_is_the_mean_of_both_with_evicted_members_in_their_cells,
           own_rates_and_counts_of_members_add_up,
           a_merge_is_the_same_bit_for_bit_whichever_way_round,
           a_model_merged_with_itself_keeps_its_weights, a_merged_model_learns_on_soundly,
           counts_saturate)
