/* test_ftrl_proximal.c -- FTRL-Proximal against its definition.
 *
 * The weights minimise the sum of all gradients and proximal terms so far. The test computes them
 * anew from the whole history in every round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/son/ftrl_proximal.h"
#include "support/random.h"
#include "support/suite.h"

enum { FEATURES = 24, ENTRIES = 6, STRIDE = SON_MARK + FTRL_PROXIMAL_STRIDE, ROUNDS = 400 };

/* ---- the kernel with its memory ---- */

struct rig {
    struct ftrl_proximal model;
    double row[FEATURES * STRIDE];
};

static struct son_features features_of(struct rig *g)
{
    return (struct son_features){g->row, STRIDE, FEATURES};
}

static void rig_init(struct rig *g, double l1, double l2, bool bias)
{
    memset(g, 0, sizeof *g);
    g->model =
        (struct ftrl_proximal){.alpha = 0.3, .beta = 0.7, .l1 = l1, .l2 = l2, .has_bias = bias};
}

struct example {
    uint32_t n, feature[ENTRIES];
    double x[ENTRIES], y, weight;
};

static double learn(struct rig *g, const struct example *ex)
{
    uint32_t feature[ENTRIES];
    double x[ENTRIES], z;
    struct son_features f = features_of(g);
    struct son_row row = {.feature = feature, .x = x, .y = ex->y, .weight = ex->weight};
    for (uint32_t i = 0; i < ex->n; i++)
        son_row_add(&row, &f, ex->feature[i], ex->x[i]);
    son_row_finish(&row);
    ck_assert_int_eq(ftrl_proximal_kernel.learn(&g->model, &f, &row, &z), SON_OK);
    return z;
}

static double weight(struct rig *g, uint32_t j)
{
    struct son_features f = features_of(g);
    return ftrl_proximal_kernel.weight(&g->model, &f, j);
}

/* ---- the definition ---- */

/* The gradients of all rounds, dense, and the weights before each. The last feature is the bias. */
static struct history {
    int t;
    double g[ROUNDS][FEATURES + 1], w[ROUNDS + 1][FEATURES + 1];
} past;

/* Returns sigma_s of feature j, from its squared gradients up to round s and before round s. */
static double sigma(const struct ftrl_proximal *m, uint32_t j, int s)
{
    double before = 0;
    for (int i = 0; i < s; i++)
        before += past.g[i][j] * past.g[i][j];
    return (sqrt(before + past.g[s][j] * past.g[s][j]) - sqrt(before)) / m->alpha;
}

/* Returns the slope at w of the sum that w_j minimises, without the L1 penalty. */
static double slope(const struct ftrl_proximal *m, uint32_t j, double w)
{
    double sum = (m->l2 + m->beta / m->alpha) * w;
    for (int s = 0; s < past.t; s++)
        sum += past.g[s][j] + sigma(m, j, s) * (w - past.w[s][j]);
    return sum;
}

/* Returns the w at which that slope equals `to`. The slope rises in w. */
static double where_slope_is(const struct ftrl_proximal *m, uint32_t j, double to)
{
    double at_0 = slope(m, j, 0), rise = slope(m, j, 1) - at_0; /* linear in w */
    return (to - at_0) / rise;
}

static double minimiser(const struct ftrl_proximal *m, uint32_t j)
{
    double l1 = j == FEATURES ? 0 : m->l1, at_0 = slope(m, j, 0);
    if (fabs(at_0) <= l1) return 0;
    return where_slope_is(m, j, at_0 < 0 ? -l1 : l1);
}

static double dense_margin(const struct example *ex, const double *w, bool bias)
{
    double margin = bias ? w[FEATURES] : 0;
    for (uint32_t i = 0; i < ex->n; i++)
        margin += w[ex->feature[i]] * ex->x[i];
    return margin;
}

static double dense_learn(const struct ftrl_proximal *m, const struct example *ex)
{
    double *g = past.g[past.t], *w = past.w[past.t];
    double margin = dense_margin(ex, w, m->has_bias), p = 1 / (1 + exp(-margin));
    memset(g, 0, sizeof past.g[0]);
    for (uint32_t i = 0; i < ex->n; i++)
        g[ex->feature[i]] += ex->weight * (p - (ex->y > 0)) * ex->x[i];
    if (m->has_bias) g[FEATURES] = ex->weight * (p - (ex->y > 0));
    past.t++;
    for (uint32_t j = 0; j <= FEATURES; j++)
        past.w[past.t][j] = minimiser(m, j);
    return margin;
}

/* ---- streams ---- */

/* Labels follow features 0 to 3; the others are noise. */
static void draw(uint64_t *s, struct example *ex)
{
    double score = -0.5;
    *ex = (struct example){.n = 1 + below(s, ENTRIES), .weight = below(s, 4) ? 1 : 2.5};
    for (uint32_t i = 0; i < ex->n; i++) {
        ex->feature[i] = below(s, FEATURES);
        ex->x[i] = below(s, 3) ? 1 : uniform(s, -2, 2);
        if (ex->feature[i] < 4) score += ex->x[i] * (ex->feature[i] % 2 ? 2 : -2);
    }
    ex->y = uniform(s, 0, 1) < 1 / (1 + exp(-2 * score)) ? 1 : -1;
}

static void near(double got, double want, double within, const char *what, uint32_t j)
{
    ck_assert_msg(fabs(got - want) <= within * (1 + fabs(want)), "%s %u: %.17g, not %.17g", what, j,
                  got, want);
}

static void follows_the_definition(double l1, double l2, bool bias)
{
    struct rig g;
    uint64_t s = seed_given();
    rig_init(&g, l1, l2, bias);
    past.t = 0;
    memset(past.w[0], 0, sizeof past.w[0]);
    for (int t = 0; t < ROUNDS; t++) {
        struct example ex;
        draw(&s, &ex);
        double z = learn(&g, &ex);
        near(z, dense_learn(&g.model, &ex), 1e-12, "margin of round", (uint32_t)t);
        for (uint32_t j = 0; j < FEATURES; j++) {
            near(weight(&g, j), past.w[past.t][j], 1e-12, "weight", j);
            ck_assert((weight(&g, j) == 0) == (past.w[past.t][j] == 0));
        }
        if (bias) near(ftrl_proximal_bias(&g.model), past.w[past.t][FEATURES], 1e-12, "bias", 0);
    }
}

START_TEST(weights_minimise_the_gradients_and_proximal_terms_of_all_rounds)
{
    follows_the_definition(0, 0, false);
    follows_the_definition(0, 0.5, true);
    follows_the_definition(1.5, 0, true);
    follows_the_definition(0.3, 0.2, false);
}
END_TEST

/* ---- consequences ---- */

static uint32_t nonzero_after(double l1, struct rig *g)
{
    uint64_t s = 7;
    struct example ex;
    rig_init(g, l1, 0, true);
    for (int t = 0; t < 4000; t++) {
        draw(&s, &ex);
        learn(g, &ex);
    }
    struct son_features f = features_of(g);
    return ftrl_proximal_nonzero(&g->model, &f);
}

START_TEST(l1_leaves_only_the_features_that_matter)
{
    struct rig g;
    ck_assert_uint_eq(nonzero_after(0, &g), FEATURES);
    uint32_t some = nonzero_after(5, &g);
    ck_assert_msg(some >= 4 && some < FEATURES, "%u", some);
    ck_assert_uint_eq(nonzero_after(40, &g), 4);
    for (uint32_t j = 0; j < 4; j++)
        ck_assert_msg(j % 2 ? weight(&g, j) > 0.2 : weight(&g, j) < -0.2, "%g", weight(&g, j));
    ck_assert_uint_eq(nonzero_after(1e6, &g), 0);
    ck_assert(ftrl_proximal_bias(&g.model) != 0); /* the bias has no penalty */
}
END_TEST

START_TEST(an_example_of_weight_0_is_only_predicted)
{
    struct rig g, before;
    nonzero_after(1, &g);
    uint64_t s = 9;
    struct example ex;
    draw(&s, &ex);
    ex.weight = 0;
    before = g;
    learn(&g, &ex);
    for (uint32_t j = 0; j < FEATURES; j++)
        ck_assert(weight(&g, j) == weight(&before, j));
    ck_assert(g.model.bias_z == before.model.bias_z && g.model.bias_n == before.model.bias_n);
}
END_TEST

START_TEST(values_and_weights_of_any_size_keep_numbers_finite)
{
    struct rig g;
    uint64_t s = 3;
    rig_init(&g, 0.1, 0, true);
    g.model.alpha = 1e3;
    g.model.beta = 1e-6;
    for (int t = 0; t < 20000; t++) {
        struct example ex;
        draw(&s, &ex);
        for (uint32_t i = 0; i < ex.n; i++)
            ex.x[i] *= pow(10, uniform(&s, -45, 14));
        ex.weight = pow(10, uniform(&s, -30, 15));
        if (!below(&s, 9)) ex.y = -ex.y;
        ck_assert(isfinite(learn(&g, &ex)));
        struct son_features f = features_of(&g);
        ck_assert_ptr_null(ftrl_proximal_kernel.check(&g.model, &f));
    }
}
END_TEST

/* ---- merging ---- */

START_TEST(a_merge_has_the_mean_of_the_weights_and_the_sum_of_the_squares)
{
    struct rig a, b, m;
    uint32_t number[FEATURES];
    nonzero_after(5, &a);
    nonzero_after(20, &b);
    b.model.l1 = 5;
    rig_init(&m, 5, 0, true);
    for (uint32_t j = 0; j < FEATURES; j++)
        number[j] = FEATURES - 1 - j;
    struct ftrl_proximal_side one = {&a.model, features_of(&a), 1, 0.25},
                              other = {&b.model, features_of(&b), 3, 0.75};
    struct son_features f = features_of(&m);
    ftrl_proximal_merge(&m.model, &f, &one, &other, number);
    for (uint32_t j = 0; j < FEATURES; j++) {
        uint32_t in_b = FEATURES - 1 - j;
        near(weight(&m, j), 0.25 * weight(&a, j) + 0.75 * weight(&b, in_b), 1e-12, "weight", j);
        near(son_feature(&f, j)[1],
             son_feature(&one.features, j)[1] + 3 * son_feature(&other.features, in_b)[1], 1e-12,
             "n", j);
    }
    near(ftrl_proximal_bias(&m.model),
         0.25 * ftrl_proximal_bias(&a.model) + 0.75 * ftrl_proximal_bias(&b.model), 1e-12, "bias",
         0);
}
END_TEST

START_TEST(weights_of_0_on_both_sides_stay_0_in_a_merge)
{
    struct rig a, b, m;
    uint32_t number[FEATURES], zero = 0;
    nonzero_after(40, &a);
    nonzero_after(40, &b);
    rig_init(&m, 40, 0, true);
    for (uint32_t j = 0; j < FEATURES; j++)
        number[j] = j;
    struct ftrl_proximal_side one = {&a.model, features_of(&a), 1, 0.5},
                              other = {&b.model, features_of(&b), 1, 0.5};
    struct son_features f = features_of(&m);
    ftrl_proximal_merge(&m.model, &f, &one, &other, number);
    for (uint32_t j = 0; j < FEATURES; j++)
        zero += weight(&m, j) == 0;
    ck_assert_uint_eq(zero, FEATURES - 4);
}
END_TEST

/* With alpha = beta = 1 and l2 = 0 the weight is -(z - sgn(z) l1) / (1 + sqrt(n)). */
START_TEST(where_the_mean_of_the_weights_is_0_z_is_the_mean_as_far_as_l1_allows)
{
    enum { CASES = 6 };
    const struct {
        double z_a, n_a, z_b, n_b, z;
    } c[CASES] = {
        {1.5, 4, -0.25, 9, 0.625}, /* both weights are 0 */
        {2, 4, 2, 9, 2},           /* both are at the bound */
        {-1, 0, 0, 0, -0.5},       /* b has not seen it */
        {6, 9, -3, 0, 1.5},        /* -1 and 1 */
        {10, 9, -4, 0, 2},         /* -2 and 2: the mean, 3, makes a weight */
        {-10, 9, 4, 0, -2},
    };
    struct rig a, b, m;
    uint32_t number[CASES];
    rig_init(&a, 2, 0, true);
    a.model.alpha = a.model.beta = 1;
    b = m = a;
    struct ftrl_proximal_side one = {&a.model, {a.row, STRIDE, CASES}, 1, 0.5},
                              other = {&b.model, {b.row, STRIDE, CASES}, 1, 0.5};
    struct son_features f = {m.row, STRIDE, CASES};
    for (uint32_t j = 0; j < CASES; j++) {
        number[j] = j;
        memcpy(son_feature(&one.features, j), (const double[]){c[j].z_a, c[j].n_a}, 16);
        memcpy(son_feature(&other.features, j), (const double[]){c[j].z_b, c[j].n_b}, 16);
    }
    ftrl_proximal_merge(&m.model, &f, &one, &other, number);
    for (uint32_t j = 0; j < CASES; j++) {
        ck_assert(weight(&m, j) == 0);
        ck_assert_double_eq(son_feature(&f, j)[0], c[j].z);
        ck_assert_double_eq(son_feature(&f, j)[1], c[j].n_a + c[j].n_b);
    }
    ck_assert(ftrl_proximal_bias(&m.model) == 0);
}
END_TEST

START_TEST(the_example_of_the_header_is_right)
{
    struct rig g;
    const struct example e = {1, {3}, {2}, 1, 1};
    rig_init(&g, 0, 0, false);
    g.model.alpha = 0.1;
    g.model.beta = 1;
    ck_assert(learn(&g, &e) == 0);
    near(weight(&g, 3), 0.05, 1e-15, "w", 0);
    near(learn(&g, &e), 0.1, 1e-15, "margin", 1);
}
END_TEST

LEAT_SUITE("ftrl_proximal", the_example_of_the_header_is_right,
           weights_minimise_the_gradients_and_proximal_terms_of_all_rounds,
           l1_leaves_only_the_features_that_matter, an_example_of_weight_0_is_only_predicted,
           values_and_weights_of_any_size_keep_numbers_finite,
           a_merge_has_the_mean_of_the_weights_and_the_sum_of_the_squares,
           weights_of_0_on_both_sides_stay_0_in_a_merge,
           where_the_mean_of_the_weights_is_0_z_is_the_mean_as_far_as_l1_allows)
