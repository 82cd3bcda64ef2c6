/* test_sftrl.c -- SFTRL against an eager sketch and the exact matrix; its bound, its linear
 * part. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>

#include "kernels/fm/fm_exact.h"
#include "core/mix64.h"
#include "support/event_times.h"
#include "support/sftrl_rig.h"
#include "support/suite.h"
#include "support/random.h"

enum { D = 24, ROWS = 256 };

/* ---- streams ---- */

struct sample {
    uint32_t n;
    uint64_t id[4];
    double x[4], y, dense[D]; /* dense[0] is the constant 1 */
};

/* Ids 1 .. d; the label follows from a few pairs. */
static struct sample sample(uint64_t *s, uint32_t d, enum fm_loss loss)
{
    struct sample e = {.n = 1 + (uint32_t)(mix64_next(s) % 4), .dense = {1}};
    double z = 0.3;
    for (uint32_t i = 0; i < e.n; i++) {
        e.id[i] = 1 + mix64_next(s) % d;
        e.x[i] = 0.25 * (double)(mix64_next(s) % 7) - 0.5;
        e.dense[e.id[i]] += e.x[i];
        z += e.x[i] * (double)(e.id[i] % 3) + (double)(e.id[0] * e.id[i] % 5) * e.x[0] * e.x[i] - 1;
    }
    e.y = loss == FM_SQUARED ? z + uniform(s, 0, 1) : z + uniform(s, 0, 1) > 0 ? 1 : -1;
    return e;
}

static double learn(struct rig *g, const struct sample *e)
{
    return rig_learn(g, e->n, e->id, e->x, e->y);
}

/* ---- an eager sketch: all rows, products from scratch, columns at once ---- */

struct naive {
    uint32_t m, buffer, rows;
    double row[ROWS][D];
};

static double naive_square(const struct naive *b, const double *a)
{
    double sum = 0;
    for (uint32_t r = 0; r < b->rows; r++) {
        double p = 0;
        for (int j = 0; j < D; j++)
            p += b->row[r][j] * a[j];
        sum += p * p;
    }
    return sum;
}

static void naive_shrink(struct naive *b)
{
    int n = (int)b->rows, rank = 0;
    double g[ROWS * ROWS], lambda[ROWS], fresh[ROWS][D] = {{0}};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            g[i * n + k] = 0;
            for (int j = 0; j < D; j++)
                g[i * n + k] += b->row[i][j] * b->row[k][j];
        }
    ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, g, n, lambda), 0);
    while (rank < n && lambda[n - 1 - rank] > 1e-13 * lambda[n - 1])
        rank++;
    int keep = rank < (int)b->m ? rank : (int)b->m - 1;
    double delta = rank < (int)b->m ? 0 : lambda[n - (int)b->m];
    for (int i = 0; i < keep; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < D; j++)
                fresh[i][j] += sqrt((lambda[n - 1 - i] - delta) / lambda[n - 1 - i]) *
                               g[k * n + n - 1 - i] * b->row[k][j];
    memcpy(b->row, fresh, sizeof fresh);
    b->rows = (uint32_t)keep;
}

static void naive_append(struct naive *b, const double *a, double scale)
{
    for (int j = 0; j < D; j++)
        b->row[b->rows][j] = scale * a[j];
    if (++b->rows == b->m - 1 + b->buffer) naive_shrink(b);
}

static double reach(const double *a)
{
    double s = 0;
    for (int j = 0; j < D; j++)
        s += a[j] * a[j];
    return s * s;
}

static void near(double a, double b, double tolerance)
{
    ck_assert_msg(fabs(a - b) <= tolerance * (1 + fabs(a)), "%.12g and %.12g", a, b);
}

START_TEST(predictions_are_those_of_an_eager_sketch)
{
    static const uint32_t shapes[][2] = {{1, 2}, {2, 3}, {5, 6}, {5, 1}, {8, 20}};
    for (int k = 0; k < 5; k++) {
        static struct naive p, q;
        uint64_t s = 7;
        uint32_t m = shapes[k][0];
        struct sftrl_options opt = {m, shapes[k][1], 0.02, FM_SQUARED, SFTRL_INSIDE, 0, false};
        struct rig *g = rig_new(opt, 4, RIG_FEATURES);
        p = q = (struct naive){.m = m, .buffer = shapes[k][1]};
        for (int t = 0; t < 1500; t++) {
            struct sample e = sample(&s, D - 1, FM_SQUARED);
            double z = naive_square(&p, e.dense) - naive_square(&q, e.dense);
            double eta = fmin(0.02, 1 / reach(e.dense));
            near(learn(g, &e), z, 1e-8);
            naive_append(z < e.y ? &p : &q, e.dense, sqrt(eta * fabs(z - e.y)));
        }
        rig_free(g);
    }
}
END_TEST

/* ---- the exact matrix ---- */

static struct fm_example dense_example(const struct sample *e, uint32_t *feature, double *x)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < D; j++)
        if (e->dense[j] != 0) feature[n] = j, x[n++] = e->dense[j];
    return (struct fm_example){feature, x, n, fm_square(n, x), e->y, 1};
}

/* Returns the share that remains at the next example, and sets *weight to that of the example. */
static double share_left(struct rig *g, double half_life, struct event_times *times, double *weight)
{
    double passed = 1;
    *weight = times ? sftrl_at(&g->m, &g->t, event_times_next(times, &passed)) : 1;
    if (times) ck_assert_double_eq_tol(*weight, exp2(-times->late / half_life), 1e-12);
    return half_life > 0 ? exp2(-passed / half_life) : 1;
}

/* half_life: in seconds if `by_time`. */
static void same_as_exact(double half_life, bool by_time)
{
    double unit = by_time ? (double)EVENT_SECOND : 1;
    for (int loss = 0; loss < 3; loss++)
        for (int automatic = 0; automatic < 2; automatic++)
            for (uint32_t m = 12; m <= 40; m += 28) {
                double theta[D * (D + 1) / 2] = {0},
                                           eta = automatic ? 0 : 0.0973; /* z differs from 1 */
                struct fm_exact exact = {
                    .rule = FM_EXACT_FTRL, .loss = (enum fm_loss)loss, .eta = eta};
                struct sftrl_options opt = {
                    m, 0, eta, (enum fm_loss)loss, SFTRL_INSIDE, half_life * unit, by_time};
                struct rig *g = rig_new(opt, 4, RIG_FEATURES);
                uint64_t s = 11;
                struct event_times times = {.seed = 5};
                for (int t = 0; t < 2000; t++) {
                    uint32_t feature[D];
                    double x[D];
                    struct sample e = sample(&s, 10, (enum fm_loss)loss);
                    struct fm_example ex = dense_example(&e, feature, x);
                    double f = share_left(g, half_life, by_time ? &times : NULL, &ex.weight);
                    g->weight = ex.weight;
                    for (uint32_t i = 0; i < D * (D + 1) / 2; i++)
                        theta[i] *= f;
                    near(learn(g, &e), fm_exact_learn(&exact, theta, &ex), 1e-9);
                }
                ck_assert(sftrl_lost(&g->m) < 1e-9);
                rig_free(g);
            }
}

START_TEST(a_sketch_larger_than_the_rank_is_exact_ftrl) { same_as_exact(0, false); }
END_TEST

/* Theta = -sum f^(T - t) s phi' a a'. With a half-life of 1, shrinks come while the sketch gets
 * faint. */
START_TEST(a_faded_sketch_larger_than_the_rank_is_exact_faded_ftrl)
{
    same_as_exact(100, false);
    same_as_exact(7, false);
    same_as_exact(1, false);
}
END_TEST

START_TEST(by_event_time_it_fades_by_what_has_passed)
{
    same_as_exact(30, true);
    same_as_exact(6, true);
}
END_TEST

static double entry(struct rig *g, uint64_t i, uint64_t j)
{
    double a[ROWS], b[ROWS], sum = 0;
    uint32_t fi = feature_table_find(&g->t, i ? i : FM_ONE),
             fj = feature_table_find(&g->t, j ? j : FM_ONE);
    if (fi == FEATURE_TABLE_NONE || fj == FEATURE_TABLE_NONE) return 0;
    sftrl_column(&g->m, &g->t, fi, a);
    sftrl_column(&g->m, &g->t, fj, b);
    for (uint32_t r = 0; r < sftrl_rows(&g->m); r++)
        sum += (r < g->m.plus.rows ? 1 : -1) * a[r] * b[r];
    return sum;
}

/* Theta against the sum of all rows ever appended. */
START_TEST(the_error_of_theta_is_within_what_was_lost)
{
    for (uint32_t m = 1; m <= 16; m *= 2) {
        struct sftrl_options opt = {m, 0, 0.05, FM_LOGISTIC, SFTRL_INSIDE, 0, false};
        struct rig *g = rig_new(opt, 4, RIG_FEATURES);
        static double sum[D][D];
        double error[D * D], lambda[D];
        uint64_t s = 3;
        memset(sum, 0, sizeof sum);
        for (int t = 0; t < 1000; t++) {
            struct sample e = sample(&s, D - 1, FM_LOGISTIC);
            double slope = -e.y / (1 + exp(e.y * learn(g, &e)));
            for (int i = 0; i < D; i++)
                for (int j = 0; j < D; j++)
                    sum[i][j] -= 0.05 * slope * e.dense[i] * e.dense[j];
        }
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                error[i * D + j] = entry(g, (uint64_t)i, (uint64_t)j) - sum[i][j];
        ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', D, error, D, lambda), 0);
        double worst = fmax(fabs(lambda[0]), fabs(lambda[D - 1]));
        ck_assert_msg(worst <= sftrl_lost(&g->m) + 1e-9, "m %u: %g, bound %g", m, worst,
                      sftrl_lost(&g->m));
        ck_assert(m == 1 || worst > 0);
        rig_free(g);
    }
}
END_TEST

START_TEST(weights_and_pairs_make_up_the_prediction)
{
    struct sftrl_options opt = {5, 0, 0.05, FM_SQUARED, SFTRL_INSIDE, 0, false};
    struct rig *g = rig_new(opt, 4, RIG_FEATURES);
    uint64_t s = 5, id[2] = {3, 9};
    double x[2] = {0.5, -2};
    for (int t = 0; t < 500; t++) {
        struct sample e = sample(&s, D - 1, FM_SQUARED);
        learn(g, &e);
    }
    uint32_t one = feature_table_find(&g->t, FM_ONE);
    double w3 = sftrl_weight(&g->m, &g->t, feature_table_find(&g->t, 3), one);
    double w9 = sftrl_weight(&g->m, &g->t, feature_table_find(&g->t, 9), one);
    double z = entry(g, 0, 0) + x[0] * w3 + x[1] * w9 + 2 * x[0] * x[1] * entry(g, 3, 9) +
               x[0] * x[0] * entry(g, 3, 3) + x[1] * x[1] * entry(g, 9, 9);
    near(rig_predict(g, 2, id, x), z, 1e-10);
    rig_free(g);
}
END_TEST

/* ---- the linear part ---- */

/* A model by the definition, with the whole matrix. */
struct separate {
    double centre, n, w[D], count[D], squares[D];
    double theta[D][D], reach, agree, q2, noise;
};

/* Returns how many times the next example counts for the pairs. */
static int separate_count(const struct separate *m)
{
    if (m->n < 4096 || m->agree > 0) return 1;
    return mix64((uint64_t)m->n) % 4 == 0 ? 4 : 0;
}

static double separate_learn(struct separate *m, const struct sample *e)
{
    int count = separate_count(m);
    double l = m->n ? m->centre / m->n : 0, q = 0, r = 0, xx = sqrt(reach(e->dense)) - 1;
    for (int i = 1; i < D; i++) {
        l += m->w[i] * e->dense[i];
        for (int j = 1; j < D; j++)
            q += m->theta[i][j] * e->dense[i] * e->dense[j];
    }
    double c = m->agree > 0 ? fmin(1, m->agree / (m->q2 + 100 * m->noise / m->n)) : 0;
    double z = l + c * q, g = l + q - e->y;
    m->agree += count * (e->y - l) * q, m->q2 += count * q * q;
    m->noise += count * (l - e->y) * (l - e->y);
    m->n++, m->centre += e->y, m->reach += xx * xx;
    double step = fmin(0.6 * m->n / m->reach, 1 / (xx * xx)), rate[D] = {0};
    for (int i = 1; i < D; i++) {
        for (int j = 1; j < D; j++)
            m->theta[i][j] -= xx > 0 && count ? step * g * e->dense[i] * e->dense[j] : 0;
        int there = 0;
        for (uint32_t k = 0; k < e->n; k++)
            there |= e->id[k] == (uint64_t)i;
        m->count[i] += there;
        m->squares[i] += e->dense[i] * e->dense[i];
        if (there && m->squares[i] > 0)
            rate[i] = m->count[i] / (m->squares[i] * (5 + fmin(45, m->count[i] - 1)));
        r += rate[i] * e->dense[i] * e->dense[i];
    }
    for (int i = 1; i < D; i++)
        m->w[i] -= rate[i] * e->dense[i] * (l - e->y) / fmax(1, r);
    return z;
}

START_TEST(a_separate_linear_part_is_what_it_says)
{
    static struct separate m;
    struct sftrl_options opt = {40, 0, 0, FM_SQUARED, SFTRL_SEPARATE, 0, false};
    struct rig *g = rig_new(opt, 4, RIG_FEATURES);
    uint64_t s = 13;
    double share = 0;
    for (int t = 0; t < 1000; t++) {
        struct sample e = sample(&s, D - 1, FM_SQUARED);
        near(learn(g, &e), separate_learn(&m, &e), 1e-8);
        share = fmax(share, sftrl_share(&g->m));
    }
    ck_assert(share > 0.1); /* otherwise the pairs were not tested */
    rig_free(g);
}
END_TEST

/* Labels are noise at first, so the share of pairs is 0 and the sketches are spared. */
START_TEST(pairs_that_say_nothing_are_spared_until_they_help)
{
    static struct separate m;
    struct sftrl_options opt = {D, 0, 0, FM_SQUARED, SFTRL_SEPARATE, 0, false};
    struct rig *g = rig_new(opt, 4, RIG_FEATURES);
    uint64_t s = 17;
    uint32_t spared = 0, helped = 0;
    for (int t = 0; t < 16000; t++) {
        struct sample e = sample(&s, D - 1, FM_SQUARED);
        if (t < 8000) e.y = uniform(&s, -1, 1);
        double q2 = g->m.sum_qq;
        near(learn(g, &e), separate_learn(&m, &e), 1e-8);
        near(g->m.sum_gq, m.agree, 1e-8);
        spared += g->m.sum_qq == q2;
        helped += t >= 8000 && sftrl_share(&g->m) > 0;
    }
    ck_assert_msg(spared > 2000 && helped > 2000, "spared %u, helped %u", spared, helped);
    rig_free(g);
}
END_TEST

START_TEST(scaling_all_values_changes_no_prediction)
{
    struct sftrl_options opt = {6, 0, 0, FM_SQUARED, SFTRL_SEPARATE, 0, false};
    struct rig *g = rig_new(opt, 4, RIG_FEATURES), *h = rig_new(opt, 4, RIG_FEATURES);
    uint64_t s = 17;
    for (int t = 0; t < 500; t++) {
        struct sample e = sample(&s, D - 1, FM_SQUARED);
        double z = learn(g, &e);
        for (uint32_t i = 0; i < e.n; i++)
            e.x[i] *= 1024;
        near(learn(h, &e), z, 1e-7);
    }
    rig_free(g);
    rig_free(h);
}
END_TEST

/* ---- edges ---- */

START_TEST(one_example_is_learned_as_the_formula_says)
{
    uint64_t id[2] = {1, 2};
    double x[2] = {1, 1};
    struct sftrl_options opt = {10, 0, 0.02, FM_SQUARED, SFTRL_INSIDE, 0, false};
    struct rig *g = rig_new(opt, 4, RIG_FEATURES);
    ck_assert(rig_learn(g, 2, id, x, 5) == 0);
    near(rig_predict(g, 2, id, x), 0.02 * 5 * 9, 1e-14); /* eta b (a'a)^2 */
    near(rig_predict(g, 1, id, x), 0.02 * 5 * 4, 1e-14); /* eta b (a'c)^2 */
    rig_free(g);
}
END_TEST

START_TEST(repeated_features_add_up)
{
    uint64_t twice[3] = {1, 2, 1}, once[2] = {1, 2};
    double x[3] = {0.5, 2, 0.25}, sum[2] = {0.75, 2};
    for (int linear = 0; linear < 2; linear++) {
        struct sftrl_options opt = {3, 0, 0, FM_SQUARED, (enum sftrl_linear)linear, 0, false};
        struct rig *g = rig_new(opt, 4, RIG_FEATURES), *h = rig_new(opt, 4, RIG_FEATURES);
        for (int t = 0; t < 50; t++)
            ck_assert(rig_learn(g, 3, twice, x, t % 4) == rig_learn(h, 2, once, sum, t % 4));
        rig_free(g);
        rig_free(h);
    }
}
END_TEST

START_TEST(capacities_change_nothing)
{
    struct sftrl_options opt = {4, 0, 0, FM_SQUARED, SFTRL_SEPARATE, 0, false};
    struct rig *g = rig_new(opt, 1, 1024), *h = rig_new(opt, RIG_FEATURES, RIG_FEATURES);
    uint64_t s = 19;
    for (int t = 0; t < 1000; t++) {
        struct sample e = sample(&s, D - 1, FM_SQUARED);
        for (uint32_t i = 0; i < e.n; i++)
            e.id[i] += 16 * (mix64_next(&s) % 40); /* more features than a sweep takes at once */
        ck_assert(learn(g, &e) == learn(h, &e));
    }
    rig_free(g);
    rig_free(h);
}
END_TEST

static void all_finite(const struct rig *g)
{
    for (size_t i = 0; i < (size_t)g->t.n * g->t.stride; i++)
        ck_assert(isfinite(g->t.row[i]));
    ck_assert(isfinite(g->m.sum_gq) && isfinite(g->m.sum_qq) && isfinite(g->m.sum_gg));
}

START_TEST(extreme_values_keep_a_finite_state)
{
    static const double sizes[] = {1e10, 1e-38, 1, 1e5, 1e-10, 2.5e9, 0};
    for (int k = 0; k < 12; k++) {
        struct sftrl_options opt = {
            k % 4 + 1, 0,    k % 2 ? 1e6 : 0, (enum fm_loss)(k % 3), (enum sftrl_linear)(k / 6),
            0,         false};
        struct rig *g = rig_new(opt, 4, RIG_FEATURES);
        uint64_t s = 23, id[2];
        for (int t = 0; t < 3000; t++) {
            double x[2], y = mix64_next(&s) % 2 ? 1 : -1;
            for (int i = 0; i < 2; i++) {
                id[i] = mix64_next(&s) % 9;
                x[i] = 0.5 * sizes[mix64_next(&s) % 7] * (mix64_next(&s) % 2 ? 1 : -1);
            }
            if (k % 3 == FM_SQUARED) y *= sizes[mix64_next(&s) % 7];
            ck_assert(isfinite(rig_learn(g, 2, id, x, y)));
        }
        all_finite(g);
        rig_free(g);
    }
}
END_TEST

/* eta far beyond 2 / (a'a)^2, where gradient descent would blow up. */
START_TEST(steps_too_long_do_not_diverge)
{
    struct sftrl_options opt = {6, 0, 100, FM_SQUARED, SFTRL_INSIDE, 0, false};
    struct rig *g = rig_new(opt, 4, RIG_FEATURES);
    uint64_t s = 29;
    double worst = 0;
    for (int t = 0; t < 5000; t++) {
        struct sample e = sample(&s, 3, FM_SQUARED);
        double z = learn(g, &e);
        if (t >= 4000) worst = fmax(worst, fabs(z));
    }
    ck_assert_msg(worst < 1000, "%g", worst);
    rig_free(g);
}
END_TEST

START_TEST(a_merged_model_is_the_mean_by_examples)
{
    struct sftrl_options opt = {40, 0, 0.02, FM_SQUARED, SFTRL_INSIDE, 0, false};
    struct rig *g[3];
    uint64_t s = 31;
    uint32_t number[D + 1];
    for (int k = 0; k < 3; k++)
        g[k] = rig_new(opt, 64, 1024);
    for (int t = 0; t < 400; t++) {
        struct sample e = sample(&s, D - 1, FM_SQUARED);
        learn(g[t % 4 == 0], &e);
    }
    for (uint32_t i = 0; i < g[0]->t.n; i++)
        feature_table_enroll(&g[2]->t, g[0]->t.id[i]);
    for (uint32_t i = 0; i < g[1]->t.n; i++)
        number[i] = feature_table_enroll(&g[2]->t, g[1]->t.id[i]);
    struct sftrl_side a = {&g[0]->m, &g[0]->t}, b = {&g[1]->m, &g[1]->t};
    void *work = zeroed(sftrl_merge_bytes(&opt));
    sftrl_merge(&g[2]->m, &g[2]->t, &a, &b, 3, number, work); /* 300 and 3 x 100 examples */
    for (uint64_t i = 0; i < D; i++)
        for (uint64_t j = 0; j <= i; j++)
            near(entry(g[2], i, j), (entry(g[0], i, j) + entry(g[1], i, j)) / 2, 1e-10);
    ck_assert_uint_eq(g[2]->m.t, 600);
    free(work);
    for (int k = 0; k < 3; k++)
        rig_free(g[k]);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    uint64_t id[2] = {1, 2};
    double x[2] = {1, 1};
    struct sftrl_options opt = {10, 0, 0.02, FM_SQUARED, SFTRL_INSIDE, 0, false};
    struct rig *g = rig_new(opt, 4, RIG_FEATURES);
    ck_assert(rig_learn(g, 2, id, x, 5) == 0);
    ck_assert_uint_eq(g->m.plus.rows, 1);
    near(fd_gram(&g->m.plus, 0, 0), 0.1 * 3, 1e-14);
    near(rig_predict(g, 2, id, x), 0.9, 1e-14);
    near(rig_predict(g, 1, id, x), 0.4, 1e-14);
    rig_free(g);
}
END_TEST

LEAT_SUITE("sftrl", predictions_are_those_of_an_eager_sketch,
           a_sketch_larger_than_the_rank_is_exact_ftrl,
           a_faded_sketch_larger_than_the_rank_is_exact_faded_ftrl,
           by_event_time_it_fades_by_what_has_passed, the_error_of_theta_is_within_what_was_lost,
           weights_and_pairs_make_up_the_prediction, a_separate_linear_part_is_what_it_says,
           pairs_that_say_nothing_are_spared_until_they_help,
           scaling_all_values_changes_no_prediction, one_example_is_learned_as_the_formula_says,
           repeated_features_add_up, capacities_change_nothing, extreme_values_keep_a_finite_state,
           steps_too_long_do_not_diverge, a_merged_model_is_the_mean_by_examples,
           the_example_of_the_header_is_what_happens)
