/* test_averages.c -- averages of weights: sums, merges, and whether intervals hold the truth. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fm/bias.h"
#include "kernels/linear/adaptive/adaptive.h"
#include "kernels/summaries/averages.h"
#include "support/zeroed.h"

enum { STREAMS = 200, FEATURES = 6, RECORDS = 8000 };

static uint64_t state;

static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

/* Averages of a few features, in memory of their own. */
struct few {
    struct averages_block block[8];
    struct averages a;
};

static struct averages *open_few(struct few *f)
{
    *f = (struct few){.a = {.of = f->block}};
    return &f->a;
}

/* Adds a weight to average f alone. */
static void add_one(struct averages *a, uint32_t f, double weight, float stored, double records)
{
    struct few alone;
    averages_set(open_few(&alone), 0, averages_get(a, f));
    averages_add(&alone.a, 0, 1, &weight, &stored, records);
    averages_set(a, f, averages_get(&alone.a, 0));
}

/* ---- the sums, as the formulas of the header give them over all records ---- */

START_TEST(an_average_is_the_sum_of_its_formula)
{
    enum { N = 5000 };
    static double w[N + 1];
    struct few few;
    struct averages *of = open_few(&few);
    state = 3;
    for (int l = 1; l <= N; l++) {
        w[l] = 2 + sin(l / 50.0) + uniform() + (l < 300);
        add_one(of, 0, w[l], (float)w[l], 1);
    }
    double up = 0, mass = 0, v[N + 1], apart = 0;
    for (int l = 1; l <= N; l++) {
        up += sqrt(l) * w[l];
        mass += sqrt(l);
        v[l] = up / mass;
    }
    for (int l = 1; l <= N; l++)
        apart += (double)l * l * (v[l] - v[N]) * (v[l] - v[N]) / pow(N, 3);
    ck_assert_double_eq_tol(averages_mean(of, 0, 1), v[N], 2e-4);
    ck_assert_double_eq_tol(averages_spread(of, 0), AVERAGES_REACH * sqrt(apart), 2e-3 * v[N]);
    ck_assert_double_eq_tol((double)averages_get(of, 0).records, N, 1e-3);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct few few;
    struct averages *of = open_few(&few);
    const double w[] = {1, 0, 0, 0}, want[] = {1, 0.25, 0.125, 0.078};
    for (int i = 0; i < 4; i++) {
        add_one(of, 0, w[i], (float)w[i], 1);
        ck_assert_double_eq_tol(averages_mean(of, 0, 1), want[i], 5e-4);
    }
}
END_TEST

START_TEST(features_of_one_call_are_averaged_as_those_of_several)
{
    enum { N = 37 };
    struct few few, others;
    struct averages *of = open_few(&few), *alone = open_few(&others);
    double weight[N];
    float stored[N];
    state = 5;
    for (int round = 0; round < 300; round++) {
        uint32_t from = AVERAGES_WIDE * (uint32_t)(3 * uniform()),
                 n = 1 + (uint32_t)((N - from) * uniform());
        double records = 1 + floor(9 * uniform());
        for (uint32_t i = 0; i < n; i++) {
            stored[i] = (float)(weight[i] = uniform() < 0.1 ? 1e35 : uniform() - 0.5);
            add_one(alone, from + i, weight[i], stored[i], records);
        }
        averages_add(of, from, n, weight, stored, records);
        ck_assert_mem_eq(few.block, others.block, sizeof few.block);
    }
}
END_TEST

START_TEST(a_weight_that_hardly_moves_has_no_spread)
{
    struct few few;
    struct averages *of = open_few(&few);
    ck_assert(averages_mean(of, 0, 7) == 7 && isnan(averages_spread(of, 0)));
    for (int i = 0; i < AVERAGES_MOVES - 1; i++)
        for (int k = 0; k < 50; k++)
            add_one(of, 0, i, (float)(i + 1), 1);
    ck_assert(isnan(averages_spread(of, 0)));
    add_one(of, 0, 1, -1, 1);
    ck_assert_msg(averages_spread(of, 0) > 0, "%g", averages_spread(of, 0));
    ck_assert_msg(averages_mean(of, 0, 7) > 7, "%g", averages_mean(of, 0, 7));
    ck_assert(averages_mean(of, 0, 0) == 0);
}
END_TEST

/* An entry costs one sample of one feature at most, and the last half has enough of them. */
START_TEST(samples_are_few_and_even)
{
    for (uint32_t n = 1; n <= 100000; n *= 10) {
        struct averages a = {.of = zeroed(averages_blocks(n) * sizeof *a.of)};
        uint64_t end = 3000000, samples = 0, late = 0;
        for (uint64_t t = 1; t <= end; t++) {
            if (!averages_due(&a, 3, n, t)) continue;
            averages_taken(&a, t);
            samples++;
            late += t > end / 2;
        }
        ck_assert_uint_le(samples * n, 3 * end);
        ck_assert_uint_ge(late, n <= 1000 ? AVERAGES_SAMPLES / 2 : end / n);
        free(a.of);
    }
}
END_TEST

START_TEST(any_numbers_leave_an_average_that_a_state_may_have)
{
    const double wild[] = {0, 1, -1, 1e30, -1e30, 1e-30, 3e38};
    struct few few;
    struct averages *of = open_few(&few);
    state = 11;
    for (int i = 0; i < 20000; i++) {
        double w = wild[(int)(7 * uniform())];
        add_one(of, i & 1, w, (float)w, pow(10, 9 * uniform()));
        if (i % 100 == 0) averages_join(of, 0, of, 1, pow(10, 18 * uniform() - 9));
        const char *wrong = averages_check(of, 2);
        ck_assert_msg(!wrong, "%s", wrong);
    }
}
END_TEST

/* ---- merges ---- */

/* Averages a walk of n weights in average f. */
static void walk(struct averages *of, uint32_t f, uint32_t seed, int n, double about)
{
    state = seed;
    for (int i = 0; i < n; i++) {
        double w = about + uniform() - 0.5;
        add_one(of, f, w, (float)w, 1);
    }
}

static void copy(struct averages *of, uint32_t to, uint32_t from)
{
    averages_set(of, to, averages_get(of, from));
}

START_TEST(a_merge_is_the_mean_over_the_records_and_takes_either_side_first)
{
    enum { A, B, AB, BA, NONE, SAME };
    struct few few;
    struct averages *of = open_few(&few);
    walk(of, A, 1, 3000, 2);
    walk(of, B, 2, 1000, 5);
    copy(of, AB, A);
    copy(of, BA, B);
    copy(of, SAME, A);
    averages_join(of, AB, of, B, 1);
    averages_join(of, BA, of, A, 1);
    struct average ab = averages_get(of, AB), ba = averages_get(of, BA), a = averages_get(of, A),
                   b = averages_get(of, B), same;
    ba.last = ab.last;
    ck_assert(!memcmp(&ab, &ba, sizeof ab));
    ck_assert_double_eq_tol((double)ab.mean, (3 * (double)a.mean + (double)b.mean) / 4, 1e-6);
    averages_join(of, SAME, of, NONE, 1);
    same = averages_get(of, SAME);
    ck_assert(!memcmp(&same, &a, sizeof a));
    averages_join(of, NONE, of, A, 1);
    ck_assert_double_eq_tol(averages_spread(of, NONE), averages_spread(of, A), 1e-6);
}
END_TEST

START_TEST(a_merge_has_the_variance_of_a_mean_whichever_two_come_first)
{
    enum { A, B, C, AB, BC };
    struct few few;
    struct averages *of = open_few(&few);
    walk(of, A, 1, 4000, 2);
    walk(of, B, 2, 2000, 3);
    walk(of, C, 3, 2000, 5);
    copy(of, AB, A);
    copy(of, BC, B);
    double va = pow(averages_spread(of, A), 2), vb = pow(averages_spread(of, B), 2);
    averages_join(of, AB, of, B, 1);
    ck_assert_double_eq_tol(pow(averages_spread(of, AB), 2), (4 * va + vb) / 9, 1e-6 * va);
    averages_join(of, AB, of, C, 1);
    averages_join(of, BC, of, C, 1);
    averages_join(of, A, of, BC, 1);
    ck_assert_double_eq_tol(averages_mean(of, A, 1), averages_mean(of, AB, 1), 1e-6);
    ck_assert_double_eq_tol(averages_spread(of, A), averages_spread(of, AB), 1e-6);
}
END_TEST

/* ---- streams of known weights ---- */

static const double truth[FEATURES] = {1, -1, 0.3, 0, 1.5, -1.5};

/* Draws the features of a record, and returns their sum with the intercept -0.5. */
static double draw(uint32_t *n, uint32_t *feature)
{
    double z = -0.5;
    *n = 0;
    for (uint32_t f = 0; f < FEATURES; f++) {
        if (uniform() > (f < 4 ? 0.5 : 0.1)) continue;
        feature[(*n)++] = f;
        z += truth[f];
    }
    return z;
}

struct tally {
    double held, closer; /* intervals with the truth; averages nearer to it than the last weights */
};

static void score(struct tally *t, const struct averages *a, uint32_t f, double last, double want)
{
    double v = averages_mean(a, f, last), s = averages_spread(a, f);
    t->held += fabs(v - want) <= 2 * s;
    t->closer += fabs(v - want) < fabs(last - want);
}

static void classify(uint32_t seed, struct tally *tally)
{
    struct linear_shape shape = {FEATURES, 0, 0, 0};
    struct linear_options opt = {.max_row = FEATURES, .seed = seed};
    struct adaptive m;
    struct few few;
    struct averages *a = open_few(&few);
    opt.sgd = (struct sgd_options){.lambda = 1e-6, .eta0 = 0.1, .rates = SGD_ADAPTIVE};
    void *block = zeroed(store_block_bytes(&adaptive_kernel, &shape, &opt));
    store_init(&m.s, &adaptive_kernel, &shape, &opt, block);
    for (int t = 0; t < RECORDS; t++) {
        uint32_t n, feature[FEATURES];
        const float x[FEATURES] = {1, 1, 1, 1, 1, 1};
        uint64_t id[FEATURES];
        double z = draw(&n, feature), margin;
        for (uint32_t i = 0; i < n; i++)
            id[i] = feature[i] + 1;
        struct linear_row row = {id, x, n, uniform() < 1 / (1 + exp(-z)) ? 1 : -1, 1, true};
        ck_assert_int_eq(store_learn(&m.s, &row, &margin), LINEAR_OK);
        if (!averages_due(a, n, m.s.set.n, m.s.sgd.t)) continue;
        for (uint32_t s = 0; s < m.s.set.n; s++)
            add_one(a, s, store_slot_weight(&m.s, s), adaptive_weight_at(&m, s),
                    (double)(m.s.sgd.t - a->taken));
        averages_taken(a, m.s.sgd.t);
    }
    for (uint32_t s = 0; s < m.s.set.n; s++)
        score(&tally[m.s.set.id[s] - 1], a, s, store_slot_weight(&m.s, s),
              truth[m.s.set.id[s] - 1]);
    free(block);
}

static void regress(uint32_t seed, struct tally *tally)
{
    struct bias m = {.loss = FM_SQUARED, .offset = 1};
    struct feature_table t;
    struct few few;
    struct averages *a = open_few(&few);
    void *block = zeroed(feature_table_bytes(8, 1 + BIAS_STRIDE));
    feature_table_init(&t, 8, 8, 1 + BIAS_STRIDE, block);
    for (uint32_t f = 0; f <= FEATURES; f++)
        feature_table_enroll(&t, f + 1);
    for (uint64_t r = 1; r <= RECORDS; r++) {
        uint32_t n, feature[FEATURES + 1];
        const double x[FEATURES + 1] = {1, 1, 1, 1, 1, 1, 1};
        double z = draw(&n, feature);
        feature[n++] = FEATURES; /* the constant */
        double y = 10 + z + 4 * (uniform() + uniform() - 1);
        struct fm_example e = {.feature = feature, .x = x, .n = n, .xx = n, .y = y, .weight = 1};
        bias_learn(&m, &t, &e, bias_predict(&m, &t, &e));
        if (!averages_due(a, n, t.n, r)) continue;
        for (uint32_t f = 0; f < t.n; f++)
            add_one(a, f, bias_weight(&m, &t, f), (float)bias_weight(&m, &t, f),
                    (double)(r - a->taken));
        averages_taken(a, r);
    }
    for (uint32_t f = 0; f < FEATURES; f++)
        score(&tally[f], a, f, bias_weight(&m, &t, f), truth[f]);
    free(block);
}

/* For each weight, 90 % of the intervals hold the truth; and the averages are nearer to it than the
 * last weights. */
static void check_streams(void (*learn)(uint32_t, struct tally *))
{
    struct tally tally[FEATURES] = {{0}};
    state = 1;
    for (uint32_t k = 0; k < STREAMS; k++)
        learn(k + 1, tally);
    for (uint32_t f = 0; f < FEATURES; f++) {
        ck_assert_msg(tally[f].held >= 0.9 * STREAMS, "feature %u: %g of %d intervals", f,
                      tally[f].held, STREAMS);
        ck_assert_msg(tally[f].closer >= 0.6 * STREAMS, "feature %u: %g of %d are closer", f,
                      tally[f].closer, STREAMS);
    }
}

START_TEST(nine_of_ten_intervals_hold_the_weight_of_a_classifier) { check_streams(classify); }
END_TEST

START_TEST(nine_of_ten_intervals_hold_the_weight_of_a_regression) { check_streams(regress); }
END_TEST

LEAT_SUITE("averages", features_of_one_call_are_averaged_as_those_of_several,
           an_average_is_the_sum_of_its_formula, the_example_of_the_header_is_what_happens,
           a_weight_that_hardly_moves_has_no_spread, samples_are_few_and_even,
           any_numbers_leave_an_average_that_a_state_may_have,
           a_merge_is_the_mean_over_the_records_and_takes_either_side_first,
           a_merge_has_the_variance_of_a_mean_whichever_two_come_first,
           nine_of_ten_intervals_hold_the_weight_of_a_classifier,
           nine_of_ten_intervals_hold_the_weight_of_a_regression)
