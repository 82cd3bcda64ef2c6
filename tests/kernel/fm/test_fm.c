/* test_fm.c -- the common part of factorization machines, and the small ones, against definitions.
 *
 * It tests losses, gathering, biases, pairs, exact matrices, conditional gradient, and factors. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fm/bias.h"
#include "core/mix64.h"
#include "kernels/fm/fm_exact.h"
#include "kernels/fm/fm_adagrad.h"
#include "kernels/fm/ocg.h"
#include "kernels/fm/fm.h"
#include "support/suite.h"
#include "support/zeroed.h"
#include "support/random.h"

enum { D = 12, SIZE = D * (D + 1) / 2 };

static void near(double a, double b, double tolerance)
{
    ck_assert_msg(fabs(a - b) <= tolerance * (1 + fabs(a)), "%.12g and %.12g", a, b);
}

static struct feature_table table_of(uint32_t n, uint32_t stride)
{
    struct feature_table t;
    feature_table_init(&t, 64, 64, stride, zeroed(feature_table_bytes(64, stride)));
    for (uint32_t i = 0; i < n; i++)
        feature_table_enroll(&t, 100 + i);
    return t;
}

static void drop(struct feature_table *t) { free(t->id); } /* start of the block */

/* A few of D features, ascending. */
struct sample {
    uint32_t feature[D], n;
    double x[D], dense[D], y;
};

static struct sample sample(uint64_t *s, enum fm_loss loss)
{
    struct sample e = {.n = 0};
    for (uint32_t j = 0; j < D; j++)
        if (mix64_next(s) % 3 == 0) {
            e.dense[j] = e.x[e.n] = uniform(s, -1, 1);
            e.feature[e.n++] = j;
        }
    double z = e.dense[0] - e.dense[1] + 2 * e.dense[2] * e.dense[3] + 0.3 * uniform(s, -1, 1);
    e.y = loss == FM_SQUARED ? z : z > 0 ? 1 : -1;
    return e;
}

static struct fm_example of(const struct sample *e)
{
    return (struct fm_example){e->feature, e->x, e->n, fm_square(e->n, e->x), e->y, 1};
}

/* ---- losses, examples ---- */

static double loss_at(enum fm_loss loss, double z, double y)
{
    if (loss == FM_SQUARED) return (z - y) * (z - y) / 2;
    return loss == FM_LOGISTIC ? log1p(exp(-y * z)) : fmax(0, 1 - y * z);
}

START_TEST(slopes_are_those_of_the_losses_and_no_steeper_than_the_curvature)
{
    for (int loss = 0; loss < 3; loss++)
        for (double y = -1; y <= 1; y += 2)
            for (double z = -4.05; z < 4; z += 0.1) {
                enum fm_loss l = (enum fm_loss)loss;
                double h = 1e-5, numeric = (loss_at(l, z + h, y) - loss_at(l, z - h, y)) / (2 * h);
                near(fm_slope(l, z, y), numeric, 1e-6);
                double bend = (fm_slope(l, z + h, y) - fm_slope(l, z - h, y)) / (2 * h);
                if (l != FM_HINGE) ck_assert(bend <= fm_curvature(l) + 1e-6);
            }
}
END_TEST

START_TEST(gathering_adds_up_what_repeats_and_leaves_out_what_has_no_number)
{
    struct feature_table t = table_of(5, 2);
    uint32_t feature[] = {3, 1, FEATURE_TABLE_NONE, 3, 0, 1, 3};
    double x[] = {1, 2, 4, 8, 16, 32, 64};
    ck_assert_uint_eq(fm_gather(&t, 7, feature, x), 3);
    ck_assert(feature[0] == 3 && feature[1] == 1 && feature[2] == 0);
    ck_assert(x[0] == 73 && x[1] == 34 && x[2] == 16);
    for (uint32_t i = 0; i < 5; i++)
        ck_assert(feature_table_row(&t, i)[0] == 0);
    drop(&t);
}
END_TEST

START_TEST(no_step_goes_beyond_the_label)
{
    ck_assert(fm_step(FM_SQUARED, 0.1, 2, 1, 4) == 0.1 * 2);
    ck_assert(fm_step(FM_SQUARED, 0.5, 2, 1, 4) == 0.5); /* 4 * .5 = the slope */
    ck_assert(fm_step(FM_SQUARED, 0.1, 2, 100, 4) == 0.5);
    ck_assert(fm_step(FM_LOGISTIC, 0.5, -2, 1, 4) == -1);
    ck_assert(fm_step(FM_LOGISTIC, 1e6, -1, 3e38, 4) == -FM_MAX_SLOPE);
    ck_assert(fm_clamp((double)NAN, 5) == 0 && fm_clamp((double)-INFINITY, 5) == -5);
}
END_TEST

/* ---- biases ---- */

START_TEST(biases_are_shrunk_means_of_what_the_centre_leaves)
{
    struct feature_table t = table_of(1, 1 + BIAS_STRIDE);
    struct bias b = {FM_SQUARED, 1, 0, 0};
    uint32_t feature = 0;
    double x = 3, w = 0, sum = 0; /* at any scale, a weight times x is the bias */
    for (int n = 0; n < 200; n++) {
        struct fm_example e = {&feature, &x, 1, 9, 1 + n % 4, 1};
        double centre = n ? sum / n : 0, z = bias_predict(&b, &t, &e);
        near(bias_centre(&b), centre, 1e-12);
        near(z, centre + w, 1e-9);
        bias_learn(&b, &t, &e, z);
        w += (e.y - centre - w) / (5 + fmin(n, 45));
        sum += e.y;
    }
    near(bias_weight(&b, &t, 0) * 3, w, 1e-9);
    drop(&t);
}
END_TEST

START_TEST(the_centre_of_classes_is_their_log_odds)
{
    struct bias b = {FM_LOGISTIC, 1, 0, 0};
    for (int n = 0; n < 30; n++)
        bias_count(&b, &(struct fm_example){.y = n % 3 ? 1 : -1, .weight = 2});
    near(bias_centre(&b), log(40.5 / 20.5), 1e-12);
}
END_TEST

START_TEST(merged_biases_are_means_by_the_examples_that_had_the_feature)
{
    struct bias b = {FM_SQUARED, 1, 0, 0};
    double rows[] = {0, 2, 30, 30, 0, 7, 1, 1}, one[] = {0, 8, 5, 20}, none[] = {0, 0, 0, 0};
    const uint32_t second = 1;
    struct feature_table t = {.n = 2, .stride = 4, .row = rows},
                         other = {.n = 1, .stride = 4, .row = one};
    bias_merge_features(&b, &t, &other, NULL, 2);
    ck_assert(rows[1] == (30 * 2 + 10 * 8) / 40.0 && rows[2] == 40 && rows[3] == 70);
    other.row = none;
    bias_merge_features(&b, &t, &other, NULL, 3);
    ck_assert(rows[1] == 3.5 && rows[2] == 40 && rows[5] == 7);
    other.row = one;
    bias_merge_features(&b, &t, &other, &second, 1); /* feature 0 of `other` is feature 1 here */
    ck_assert(rows[1] == 3.5 && rows[5] == (7 + 5 * 8) / 6.0 && rows[6] == 6);
}
END_TEST

/* ---- pairs ---- */

static int lighter(const void *a, const void *b)
{
    double x = fabs(((const struct pair *)a)->weight), y = fabs(((const struct pair *)b)->weight);
    return x < y ? 1 : x > y ? -1 : 0;
}

START_TEST(the_heaviest_pairs_are_found_whatever_the_blocks)
{
    enum { N = 150, PLUS = 3, MINUS = 4, R = PLUS + MINUS, ALL = N * (N - 1) / 2 };
    static double u[N][R], product[PAIRS_BLOCK * N];
    static struct pair all[ALL], heap[ALL + 9];
    static const uint32_t sizes[] = {0, 1, 7, 100, ALL, ALL + 9};
    uint64_t s = 3;
    size_t n = 0;
    for (int i = 0; i < N * R; i++)
        u[i / R][i % R] = uniform(&s, -1, 1);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = i + 1; j < N; j++) {
            double w = 0;
            for (int r = 0; r < R; r++)
                w += (r < PLUS ? 0.5 : -0.5) * u[i][r] * u[j][r];
            all[n++] = (struct pair){i, j, w};
        }
    qsort(all, ALL, sizeof *all, lighter);
    for (int k = 0; k < 6; k++) {
        struct pairs p = {heap, 0, sizes[k]};
        pairs_scan(&p, N, PLUS, MINUS, u[0], 0.5, product);
        pairs_sort(&p);
        ck_assert_uint_eq(p.n, sizes[k] < ALL ? sizes[k] : ALL);
        for (uint32_t i = 0; i < p.n; i++) {
            ck_assert(heap[i].a == all[i].a && heap[i].b == all[i].b);
            near(heap[i].weight, all[i].weight, 1e-12);
        }
    }
}
END_TEST

START_TEST(equal_pairs_come_in_their_order)
{
    struct pair heap[3];
    struct pairs p = {heap, 0, 3};
    for (uint32_t i = 6; i-- > 0;)
        pairs_offer(&p, i / 2, 7 - i % 2, i == 3 ? -9 : 1);
    pairs_sort(&p);
    ck_assert(heap[0].a == 1 && heap[0].b == 6 && heap[0].weight == -9);
    ck_assert(heap[1].a == 0 && heap[1].b == 6 && heap[2].a == 0 && heap[2].b == 7);
}
END_TEST

/* ---- exact ---- */

START_TEST(exact_rules_are_gradient_steps_on_the_whole_matrix)
{
    for (int rule = 0; rule < 2; rule++)
        for (int automatic = 0; automatic < 2; automatic++) {
            double theta[SIZE] = {0}, full[D][D] = {{0}}, reach = 0;
            struct fm_exact m = {
                .rule = (enum fm_exact_rule)rule, .loss = FM_LOGISTIC, .eta = automatic ? 0 : 0.3};
            uint64_t s = 5;
            for (int t = 1; t <= 500; t++) {
                struct sample e = sample(&s, FM_LOGISTIC);
                struct fm_example ex = of(&e);
                double z = 0, eta = 0.3;
                for (int i = 0; i < D; i++)
                    for (int j = 0; j < D; j++)
                        z += full[i][j] * e.dense[i] * e.dense[j];
                near(fm_exact_learn(&m, theta, &ex), z, 1e-10);
                reach += ex.xx * ex.xx;
                if (automatic) eta = reach > 0 ? (rule ? 2 : 1) * 0.6 / 0.25 * t / reach : 0;
                if (rule) eta /= sqrt(t);
                for (int i = 0; i < D; i++)
                    for (int j = 0; j < D; j++)
                        full[i][j] += eta * e.y / (1 + exp(e.y * z)) * e.dense[i] * e.dense[j];
            }
        }
}
END_TEST

/* Tests the definition in another form. P is the nearest matrix of a convex set if every Q in it
 * has <T - P, Q - P> <= 0. In the ball, the largest <T - P, Q> is radius |T - P|_2. */
START_TEST(projection_onto_the_ball_of_the_trace_norm_is_to_the_nearest_matrix)
{
    uint64_t s = 12;
    void *work = zeroed(trace_ball_bytes(D));
    for (int trial = 0; trial < 60; trial++) {
        double t[SIZE], p[SIZE], full[D * D], rest[D * D], lambda[D], norm = 0, inner = 0;
        double radius = trial % 3 ? 0.5 * (1 + trial % 7) : 100;
        for (int i = 0; i < SIZE; i++)
            p[i] = t[i] = trial % 5 ? uniform(&s, -2, 2) : i % 3 - 1;
        double said = trace_ball_project(D, p, radius, work);
        for (uint32_t i = 0; i < D * D; i++) {
            full[i] = p[triangle_at(i / D, i % D)];
            rest[i] = t[triangle_at(i / D, i % D)] - full[i];
            inner += rest[i] * full[i]; /* <T - P, P> */
        }
        ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', D, full, D, lambda), 0);
        for (int i = 0; i < D; i++)
            norm += fabs(lambda[i]);
        near(norm, said, 1e-10);
        ck_assert(said <= radius);
        if (radius == 100) { /* t is inside the ball */
            ck_assert(!memcmp(p, t, sizeof t));
            continue;
        }
        ck_assert(said == radius);
        ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', D, rest, D, lambda), 0);
        near(radius * fmax(-lambda[0], lambda[D - 1]), inner, 1e-9);
    }
    free(work);
}
END_TEST

START_TEST(projected_gradient_descent_stays_in_its_ball)
{
    for (uint32_t every = 1; every <= 10; every += 9) {
        double theta[SIZE] = {0}, slow[SIZE] = {0}, free_of_ball[SIZE] = {0};
        void *work = zeroed(trace_ball_bytes(D)), *other = zeroed(trace_ball_bytes(D));
        struct fm_exact m = {FM_EXACT_OGD, FM_SQUARED, 0.5, 0, 0, 2, every, D, 0, work},
                        plain = {FM_EXACT_OGD, FM_SQUARED, 0.5, 0, 0, 0, 0, 0, 0, NULL};
        uint64_t s = 13;
        for (uint32_t t = 1; t <= 300; t++) {
            struct sample e = sample(&s, FM_SQUARED);
            struct fm_example ex = of(&e);
            double z = triangle_form(slow, &ex); /* the definition: step, then project */
            double step = fm_step(FM_SQUARED, 0.5 / sqrt(t), z - e.y, 1, ex.xx * ex.xx);
            triangle_add(slow, &ex, -step);
            if (t % every == 0) trace_ball_project(D, slow, 2, other);
            near(fm_exact_learn(&m, theta, &ex), z, 1e-9);
            fm_exact_learn(&plain, free_of_ball, &ex);
        }
        for (int i = 0; i < SIZE; i++)
            near(theta[i], slow[i], 1e-9);
        ck_assert(trace_ball_project(D, free_of_ball, 2.5, other) == 2.5); /* it would have left */
        free(work), free(other);
    }
}
END_TEST

/* ---- conditional gradient ---- */

static double trace_norm(const struct ocg *m, double *largest)
{
    double a[D * D], lambda[D], sum = 0;
    for (uint32_t i = 0; i < D; i++)
        for (uint32_t j = 0; j < D; j++)
            a[i * D + j] = m->scale * m->kept[triangle_at(i, j)];
    ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', D, a, D, lambda), 0);
    for (int i = 0; i < D; i++)
        sum += fabs(lambda[i]);
    *largest = fmax(fabs(lambda[0]), fabs(lambda[D - 1]));
    return sum;
}

/* Makes a model of D features; the caller frees m.work. */
static struct ocg conditional_gradient(double eta, double radius, uint32_t every)
{
    static double gradient[SIZE], matrix[SIZE], u[D], v[D];
    memset(u, 0, sizeof u);
    memset(matrix, 0, sizeof matrix);
    memset(gradient, 0, sizeof gradient);
    return (struct ocg){.loss = FM_SQUARED,
                        .eta = eta,
                        .radius = radius,
                        .every = every,
                        .seed = 1,
                        .scale = 1,
                        .gradient = gradient,
                        .kept = matrix,
                        .u = u,
                        .v = v,
                        .work = zeroed(lanczos_bytes(D)),
                        .n = D};
}

START_TEST(conditional_gradients_stay_in_the_ball_and_learn)
{
    struct ocg m = conditional_gradient(0.1, 4, 3);
    uint64_t s = 7;
    double late = 0, variance = 0, largest;
    for (int t = 1; t <= 6000; t++) {
        struct sample e = sample(&s, FM_SQUARED);
        struct fm_example ex = of(&e);
        e.y -= e.dense[0] - e.dense[1]; /* leaves the pair's part */
        ex.y = e.y;
        double z = ocg_learn(&m, &ex);
        if (t == 3) { /* the first step goes to the boundary, by one direction */
            near(trace_norm(&m, &largest), 4, 1e-9);
            near(largest, 4, 1e-9);
        }
        if (t % 100 == 0) ck_assert(trace_norm(&m, &largest) <= 4 * (1 + 1e-9));
        if (t > 3000) late += (z - e.y) * (z - e.y), variance += e.y * e.y;
    }
    ck_assert_uint_eq(m.steps, 2000);
    ck_assert_msg(late < 0.7 * variance, "%g of %g", late, variance);
    free(m.work);
}
END_TEST

/* A step goes along the largest eigenvalue of M = eta G + 2 C; LAPACK is the oracle. */
START_TEST(a_step_goes_along_the_eigenvector_of_the_largest_eigenvalue)
{
    struct ocg m = conditional_gradient(0.4, 50, 1);
    uint64_t s = 11;
    double a[D * D], was[D * D], lambda[D];
    for (int t = 1; t <= 500; t++) {
        struct sample e = sample(&s, FM_SQUARED);
        struct fm_example ex = of(&e);
        for (uint32_t i = 0; i < D * D; i++)
            was[i] = m.scale * m.kept[triangle_at(i / D, i % D)];
        ocg_learn(&m, &ex);
        if (t % 50) continue;
        double rayleigh = 0;
        for (uint32_t i = 0; i < D * D; i++) {
            a[i] = m.eta * m.gradient[triangle_at(i / D, i % D)] + 2 * was[i];
            rayleigh += m.u[i / D] * a[i] * m.u[i % D];
        }
        ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', D, a, D, lambda), 0);
        double largest = -lambda[0] > lambda[D - 1] ? lambda[0] : lambda[D - 1];
        ck_assert_msg(fabs(rayleigh - largest) <= 1e-6 * fabs(largest), "step %d: %.12g, not %.12g",
                      t, rayleigh, largest);
    }
    free(m.work);
}
END_TEST

/* Another seed gives another start, and so other rounding errors. Steps amplify them: 300 steps by
 * about a thousand. */
START_TEST(the_start_of_the_search_changes_no_prediction)
{
    enum { EXAMPLES = 900 };
    static double z[2][EXAMPLES];
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct ocg m = conditional_gradient(0.1, 4, 3);
        uint64_t s = 19;
        m.seed = 1 + seed;
        for (int t = 0; t < EXAMPLES; t++) {
            struct sample e = sample(&s, FM_SQUARED);
            struct fm_example ex = of(&e);
            z[seed][t] = ocg_learn(&m, &ex);
        }
        free(m.work);
    }
    for (int t = 0; t < EXAMPLES; t++)
        ck_assert_msg(fabs(z[0][t] - z[1][t]) <= 1e-9 * (1 + fabs(z[0][t])),
                      "example %d: %.15g and %.15g", t, z[0][t], z[1][t]);
}
END_TEST

START_TEST(the_first_direction_is_the_leading_eigenvector)
{
    struct ocg m = conditional_gradient(1, 2, 1);
    uint32_t feature[] = {2, 5};
    double x[] = {3, 4};
    struct fm_example e = {feature, x, 2, 25, 10, 1};
    ocg_learn(&m, &e);
    near(ocg_predict(&m, &e), 2 * 25, 1e-12); /* radius u u', u = x / |x|, up the gradient */
    free(m.work);
}
END_TEST

/* ---- factors ---- */

static double fm_definition(const struct feature_table *t, double centre, const struct sample *e,
                            uint32_t k)
{
    double z = centre;
    for (uint32_t i = 0; i < e->n; i++) {
        const double *a = feature_table_row(t, e->feature[i]);
        z += a[1] * e->x[i];
        for (uint32_t j = 0; j < i; j++)
            for (uint32_t f = 0; f < k; f++)
                z += a[3 + f] * feature_table_row(t, e->feature[j])[3 + f] * e->x[i] * e->x[j];
    }
    return z;
}

/* One step from accumulators 1 is -rate G / sqrt(1 + G^2); G from differences of the definition. */
/* Returns the power of two whose ratio to x is at most sqrt(2). */
static double nearest_power(double x)
{
    double p = 1;
    while (x >= p * sqrt(2))
        p *= 2;
    while (x < p / sqrt(2))
        p /= 2;
    return p;
}

START_TEST(steps_of_factors_are_along_the_gradient)
{
    enum { K = 4 };
    double sum[K];
    uint64_t s = 9;
    for (int trial = 0; trial < 50; trial++) {
        struct feature_table t = table_of(D, fm_adagrad_stride(K));
        struct fm_adagrad m = {FM_SQUARED, K, 0.1, 0, 0.5, 3, {FM_SQUARED, 1, 1, 0}, 0, sum};
        struct sample e = sample(&s, FM_SQUARED);
        e.y *= trial % 3 == 0 ? 1 : trial % 3 == 1 ? 300 : 1.0 / 300;
        struct fm_example ex = of(&e);
        const double u = nearest_power(fabs(e.y) / sqrt(2));               /* labels: 0, then y */
        double z = fm_adagrad_predict(&m, &t, &ex), g = z - e.y, h = 1e-6; /* factors begin here */
        near(z, fm_definition(&t, 0, &e, K), 1e-12);
        double *was = zeroed(D * t.stride * 8);
        memcpy(was, t.row, D * t.stride * 8);
        fm_adagrad_learn(&m, &t, &ex);
        double *is = zeroed(D * t.stride * 8);
        memcpy(is, t.row, D * t.stride * 8);
        memcpy(t.row, was, D * t.stride * 8);
        for (uint32_t i = 0; i < D; i++)
            for (uint32_t c = 1; c < 3 + K; c++) {
                if (c == 2) continue;
                double *v = feature_table_row(&t, i) + c, at = *v;
                *v = at + h;
                double up = fm_definition(&t, 0, &e, K);
                *v = at - h;
                double slope = g * (up - fm_definition(&t, 0, &e, K)) / (2 * h);
                *v = at;
                const double of = c == 1 ? u : sqrt(u), G = slope / u * of / u;
                near(is[i * t.stride + c] / of, (at - of * 0.1 * G / sqrt(1 + G * G)) / of, 1e-4);
            }
        free(was), free(is);
        drop(&t);
    }
}
END_TEST

START_TEST(factors_begin_by_seed_and_id_and_not_by_order)
{
    enum { K = 2 };
    double sum[K];
    struct feature_table a = table_of(2, fm_adagrad_stride(K)),
                         b = table_of(0, fm_adagrad_stride(K));
    feature_table_enroll(&b, 101);
    feature_table_enroll(&b, 100);
    struct fm_adagrad m = {FM_SQUARED, K, 0.1, 0, 0.5, 3, {FM_SQUARED, 1, 0, 0}, 0, sum}, other = m;
    uint32_t both[] = {0, 1};
    double x[] = {1, 1};
    struct fm_example e = {both, x, 2, 2, 0, 1};
    near(fm_adagrad_predict(&m, &a, &e), fm_adagrad_predict(&m, &b, &e), 1e-14);
    ck_assert(!memcmp(fm_adagrad_factors(&a, 0), fm_adagrad_factors(&b, 1), K * sizeof(double)));
    ck_assert(fabs(fm_adagrad_factors(&a, 0)[0]) <= 0.5 && fm_adagrad_factors(&a, 0)[0] != 0);
    struct feature_table c = table_of(2, fm_adagrad_stride(K));
    other.seed = 4;
    ck_assert(fm_adagrad_predict(&other, &c, &e) != fm_adagrad_predict(&m, &a, &e));
    drop(&a), drop(&b), drop(&c);
}
END_TEST

/* ---- the examples of the headers ---- */

START_TEST(the_example_of_bias_is_what_happens)
{
    struct feature_table t = table_of(1, 1 + BIAS_STRIDE);
    struct bias b = {FM_SQUARED, 1, 0, 0};
    uint32_t feature = 0;
    double x = 1;
    struct fm_example none = {&feature, &x, 0, 0, 2, 1}, e = {&feature, &x, 1, 1, 8, 1};
    bias_learn(&b, &t, &none, bias_predict(&b, &t, &none));
    near(bias_predict(&b, &t, &e), 2, 1e-15);
    bias_learn(&b, &t, &e, 2);
    near(bias_weight(&b, &t, 0), 1.2, 1e-15);
    near(bias_centre(&b), 5, 1e-15);
    near(bias_predict(&b, &t, &e), 6.2, 1e-15);
    drop(&t);
}
END_TEST

START_TEST(the_example_of_fm_adagrad_is_what_happens)
{
    struct feature_table t = table_of(2, fm_adagrad_stride(1));
    double sum[1], x[] = {1, 1};
    struct fm_adagrad m = {FM_SQUARED, 1, 1, 0, 0, 3, {FM_SQUARED, 1, 1, 0}, 0, sum};
    uint32_t both[] = {0, 1};
    struct fm_example e = {both, x, 2, 2, 1, 1};
    for (uint32_t j = 0; j < 2; j++)
        memcpy(feature_table_row(&t, j) + 1, (const double[]){0, 1, 0.5, 1}, 4 * sizeof(double));
    near(fm_adagrad_learn(&m, &t, &e), 0.25, 1e-15);
    near(fm_adagrad_weight(&t, 0), 0.6, 1e-15);
    near(feature_table_row(&t, 0)[2], 1.5625, 1e-15);
    near(*fm_adagrad_factors(&t, 0), 0.851, 2e-4);
    near(feature_table_row(&t, 0)[4], 1.140625, 1e-15);
    drop(&t);
}
END_TEST

START_TEST(the_example_of_fm_exact_is_what_happens)
{
    double theta[3] = {0}, x[] = {1, 2};
    struct fm_exact m = {.rule = FM_EXACT_FTRL, .loss = FM_SQUARED, .eta = 0.02};
    uint32_t both[] = {0, 1};
    struct fm_example e = {both, x, 2, 5, 1, 1};
    ck_assert(fm_exact_learn(&m, theta, &e) == 0);
    near(theta[0], 0.02, 1e-15), near(theta[1], 0.04, 1e-15), near(theta[2], 0.08, 1e-15);
    near(triangle_form(theta, &e), 0.5, 1e-15);
}
END_TEST

START_TEST(the_example_of_ocg_is_what_happens)
{
    struct ocg m = conditional_gradient(1, 2, 1);
    uint32_t both[] = {0, 1};
    double x[] = {3, 4};
    struct fm_example e = {both, x, 2, 25, 10, 1};
    ck_assert(ocg_learn(&m, &e) == 0);
    near(m.gradient[triangle_at(0, 0)], -90, 1e-15);
    near(m.u[0], 0.6, 1e-14), near(m.u[1], 0.8, 1e-14);
    near(ocg_predict(&m, &e), 50, 1e-12);
    free(m.work);
}
END_TEST

LEAT_SUITE("fm", slopes_are_those_of_the_losses_and_no_steeper_than_the_curvature,
           gathering_adds_up_what_repeats_and_leaves_out_what_has_no_number,
           no_step_goes_beyond_the_label, biases_are_shrunk_means_of_what_the_centre_leaves,
           the_centre_of_classes_is_their_log_odds,
           merged_biases_are_means_by_the_examples_that_had_the_feature,
           the_heaviest_pairs_are_found_whatever_the_blocks, equal_pairs_come_in_their_order,
           exact_rules_are_gradient_steps_on_the_whole_matrix,
           projection_onto_the_ball_of_the_trace_norm_is_to_the_nearest_matrix,
           projected_gradient_descent_stays_in_its_ball,
           conditional_gradients_stay_in_the_ball_and_learn,
           a_step_goes_along_the_eigenvector_of_the_largest_eigenvalue,
           the_first_direction_is_the_leading_eigenvector, steps_of_factors_are_along_the_gradient,
           factors_begin_by_seed_and_id_and_not_by_order, the_example_of_bias_is_what_happens,
           the_example_of_fm_adagrad_is_what_happens, the_example_of_fm_exact_is_what_happens,
           the_example_of_ocg_is_what_happens, the_start_of_the_search_changes_no_prediction)
