/* test_sums.c -- exact sums, and what merged models know together. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/logistic.h"
#include "support/merge_rig.h"
#include "support/random.h"
#include "support/zeroed.h"

/* ---- fixed.h ---- */

START_TEST(a_double_comes_back_unless_it_is_tiny_or_huge)
{
    uint64_t s = 1;
    struct fixed f = fixed_of(1.5);
    ck_assert(f.word[0] == UINT64_C(1) << 63 && f.word[1] == 1 && !f.word[2]);
    for (int k = 0; k < 10000; k++) {
        double v = ldexp(uniform(&s, -1, 1), (int)below(&s, 120) - 10);
        f = fixed_of(v);
        if (fabs(v) >= 0x1p-12) ck_assert(fixed_value(&f) == v);
        ck_assert(fabs(fixed_value(&f) - v) <= 0x1p-64);
    }
    f = fixed_of(-1e300);
    ck_assert(fixed_value(&f) == -FIXED_MAX);
    f = fixed_of(0x1p-70);
    ck_assert(fixed_value(&f) == 0);
}
END_TEST

START_TEST(sums_do_not_depend_on_order_or_grouping)
{
    enum { N = 300 };
    static struct fixed v[N];
    uint64_t s = 2;
    long double want = 0;
    for (int k = 0; k < N; k++) {
        double d = ldexp(uniform(&s, -1, 1), (int)below(&s, 60));
        v[k] = fixed_of(d);
        want += (long double)d;
    }
    struct fixed up = {{0, 0, 0}}, down = up, part[7] = {{{0, 0, 0}}}, tree = up;
    for (int k = 0; k < N; k++)
        fixed_add(&up, &v[k]), fixed_add(&down, &v[N - 1 - k]), fixed_add(&part[k % 7], &v[k]);
    for (int k = 6; k >= 0; k--)
        fixed_add(&tree, &part[k]);
    ck_assert(!memcmp(&up, &down, sizeof up) && !memcmp(&up, &tree, sizeof up));
    ck_assert(fabsl((long double)fixed_value(&up) - want) <= 1e-12L * fabsl(want) + 1e-3L);
    fixed_negate(&down);
    fixed_add(&up, &down);
    ck_assert(!up.word[0] && !up.word[1] && !up.word[2]);
}
END_TEST

/* ---- knowledge ---- */

/* The weight in the example of sums.h. */
START_TEST(two_newton_models_merge_as_posteriors_with_one_prior)
{
    const struct sums_knowledge k = {.rates = SGD_NEWTON, .start = 1};
    struct fixed row[SUMS_OPTIONAL], other[SUMS_OPTIONAL];
    sums_put(row, sums_known(&k, 1), 0.5);
    sums_put(other, sums_known(&k, 3), 0.8);
    for (int i = 0; i < SUMS_OPTIONAL; i++)
        fixed_add(&row[i], &other[i]);
    double by = sums_known(&k, 4);
    ck_assert_double_eq_tol(fixed_value(&row[SUMS_WEIGHT]) / by, 0.84, 1e-15);
    /* their mean is 0.7, their variance by knowledge (2 x 0.04 + 4 x 0.01) / 6 = 0.02 */
    ck_assert_double_eq_tol(sums_spread(row, by), sqrt(0.02) * 6 / 5, 1e-12);
    ck_assert(isnan(sums_spread(other, by)));
}
END_TEST

/* ---- whole models ---- */

enum { IDS = 200, PARTS = 6 };

struct made {
    struct logistic m;
    void *block;
};

static void *scratch;

static struct made model_new(enum sgd_rates rates)
{
    struct logistic_options opt = {.sgd = {.eta0 = 0.1, .lambda = 1e-6, .rates = rates}};
    struct made t = {.block = zeroed(logistic_block_bytes(256, &opt))};
    if (!scratch) scratch = zeroed(logistic_scratch_bytes(8));
    logistic_init(&t.m, &opt, 256, 256, t.block, 8, scratch);
    return t;
}

/* Learns n examples of the same law, with rare and frequent features. */
static void learn(struct logistic *m, uint64_t *s, int n)
{
    for (int k = 0; k < n; k++) {
        uint64_t id[4];
        float x[4] = {1, 1, 1, 1};
        double z = -1, margin;
        for (int i = 0; i < 4; i++) {
            id[i] = i * 50ull + below(s, 1 + below(s, 50));
            z += sin((double)id[i] * 1.7);
        }
        int y = uniform(s, 0, 1) < 1 / (1 + exp(-z)) ? 1 : -1;
        logistic_learn(m, &(struct linear_row){id, x, 4, y, 1, true}, &margin);
    }
}

static double correlation(const double *x, const double *y)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < IDS; i++)
        mx += x[i] / IDS, my += y[i] / IDS;
    for (int i = 0; i < IDS; i++) {
        xx += (x[i] - mx) * (x[i] - mx), yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xy / sqrt(xx * yy);
}

START_TEST(a_merge_by_curvature_is_nearer_to_one_learner_than_the_mean_by_examples)
{
    for (enum sgd_rates rates = SGD_ADAGRAD; rates <= SGD_ADAPTIVE; rates++) {
        struct made part[PARTS], all = model_new(rates), sum = model_new(rates);
        struct rig_sums together = {0};
        double one[IDS], mean[IDS] = {0}, merged[IDS];
        uint64_t s = 5, again = 5;
        learn(&all.m, &again, PARTS * 500);
        for (int p = 0; p < PARTS; p++) {
            part[p] = model_new(rates);
            learn(&part[p].m, &s, 500);
            struct rig_sums of = rig_sums_of_logistic(&part[p].m);
            struct rig_sums both = p ? rig_add(&together, &of, 1, &all.m.sgd.opt) : of;
            if (p) free(together.block), free(of.block);
            together = both;
            for (uint64_t id = 0; id < IDS; id++)
                mean[id] += logistic_weight(&part[p].m, id) / PARTS;
        }
        ck_assert_uint_eq(together.s.models, PARTS);
        struct sums_place *place = calloc(together.s.feature.n, sizeof *place);
        logistic_settle(&sum.m, &together.s, place);
        ck_assert_ptr_null(logistic_check(&sum.m));
        for (uint64_t id = 0; id < IDS; id++)
            one[id] = logistic_weight(&all.m, id), merged[id] = logistic_weight(&sum.m, id);
        double by_examples = correlation(one, mean), by_curvature = correlation(one, merged);
        ck_assert_msg(by_curvature > by_examples && by_curvature > 0.9, "rates %d: %g, %g",
                      (int)rates, by_examples, by_curvature);
        for (int p = 0; p < PARTS; p++)
            free(part[p].block);
        free(place), free(together.block), free(all.block), free(sum.block);
    }
}
END_TEST

/* Accumulators of tiny values are below what a sum keeps. */
START_TEST(weights_of_tiny_values_are_between_those_of_both_models_and_their_sum)
{
    for (enum sgd_rates rates = SGD_ADAGRAD; rates <= SGD_ADAPTIVE; rates++)
        for (int tiny = 7; tiny <= 11; tiny++) {
            struct made part[2] = {model_new(rates), model_new(rates)}, both = model_new(rates);
            uint64_t s = 5, id = 0;
            float x = (float)pow(10, -tiny);
            double margin;
            for (int k = 0; k < 300; k++) {
                int y = below(&s, 4) ? 1 : -1;
                struct linear_row row = {&id, &x, 1, y, 1, true};
                id = below(&s, 40);
                logistic_learn(&part[k % 2].m, &row, &margin);
            }
            rig_merge_logistic(&both.m, &part[0].m, &part[1].m, 1);
            for (id = 0; id < 40; id++) {
                double p = logistic_weight(&part[0].m, id), q = logistic_weight(&part[1].m, id),
                       w = logistic_weight(&both.m, id);
                ck_assert_msg(fabs(w) <= 1.01 * (fabs(p) + fabs(q)) &&
                                  (!(p * q > 0) || fabs(w) >= 0.99 * fmin(fabs(p), fabs(q))),
                              "rates %d, values of 1e-%d: %g of %g and %g", (int)rates, tiny, w, p,
                              q);
            }
            free(part[0].block), free(part[1].block), free(both.block);
        }
}
END_TEST

/* Rows are by ascending id, and a saved table that is not is refused. */
START_TEST(a_table_out_of_order_and_a_negative_count_are_refused)
{
    struct made t = model_new(SGD_NEWTON);
    uint64_t s = 3;
    learn(&t.m, &s, 100);
    struct rig_sums r = rig_sums_of_logistic(&t.m);
    ck_assert_ptr_null(sums_check(&r.s));
    uint64_t keep = r.s.feature.id[1];
    ck_assert_uint_eq(sums_find(&r.s.feature, keep), 1);
    ck_assert_uint_eq(sums_find(&r.s.feature, 1u << 30), UINT32_MAX);
    r.s.feature.id[1] = r.s.feature.id[0];
    ck_assert_ptr_nonnull(sums_check(&r.s));
    r.s.feature.id[1] = keep;
    fixed_negate(&r.s.clock[SUMS_EXAMPLES]);
    ck_assert_ptr_nonnull(sums_check(&r.s));
    free(r.block), free(t.block);
}
END_TEST

LEAT_SUITE("sums", a_double_comes_back_unless_it_is_tiny_or_huge,
           sums_do_not_depend_on_order_or_grouping,
           two_newton_models_merge_as_posteriors_with_one_prior,
           a_merge_by_curvature_is_nearer_to_one_learner_than_the_mean_by_examples,
           weights_of_tiny_values_are_between_those_of_both_models_and_their_sum,
           a_table_out_of_order_and_a_negative_count_are_refused)
