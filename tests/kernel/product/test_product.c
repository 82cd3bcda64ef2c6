/* test_product.c -- sketches of products against definitions that share no code with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/product/product_evaluate.h"
#include "support/event_times.h"
#include "support/product_rig.h"
#include "support/suite.h"
#include "support/zeroed.h"

static const enum product_method all[] = {PRODUCT_SCOD,   PRODUCT_COD,     PRODUCT_FD,
                                          PRODUCT_SFD,    PRODUCT_COLUMNS, PRODUCT_PROJECTION,
                                          PRODUCT_HASHING};
enum { METHODS = sizeof all / sizeof *all };

/* A sketch that has learned all of X and Y. */
static struct product_rig *after(const struct product_options *o, struct dense X, struct dense Y)
{
    struct product_rig *r = rig_new(o, X.m, Y.m);
    rig_learn(r, X, Y, 0, X.n);
    return r;
}

/* Spectral error of a sketch, the sketch's bound, and |X|_F |Y|_F. */
static double error_of(const struct product_options *o, struct dense X, struct dense Y,
                       double *bound)
{
    struct product_rig *r = after(o, X, Y);
    ck_assert(product_flush(&r->p));
    struct dense P = dense_times_transposed(X, Y), S = rig_product(r, bound);
    double e = dense_distance(P, S);
    dense_free(&P), dense_free(&S);
    rig_free(r);
    return e;
}

static double norms(struct dense X, struct dense Y)
{
    return dense_frobenius(X) * dense_frobenius(Y);
}

/* ---- against the definition ---- */

static void same_as(struct dense (*oracle)(struct dense, struct dense, uint32_t, double *),
                    enum product_method method)
{
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (uint32_t l = 1; l <= 16; l += 1 + l / 3) {
            struct dense X = dense_random(9, 60, 0.4, seed),
                         Y = dense_random(13, 60, 0.3, 9 * seed);
            for (uint32_t i = 0; i < 60; i++) { /* a pair without a side would be skipped */
                *dense_at(X, i % 9, i) += 0.5;
                *dense_at(Y, i % 13, i) += 0.5;
            }
            struct product_options o = product_of(method, l);
            struct product_rig *r = after(&o, X, Y);
            double lost, bound;
            struct dense want = oracle(X, Y, l, &lost), got = rig_product(r, &bound);
            double scale = norms(X, Y);
            ck_assert_double_le(dense_distance(want, got), 1e-9 * scale);
            ck_assert_double_eq_tol(bound, lost, 1e-9 * scale);
            dense_free(&want), dense_free(&got), dense_free(&X), dense_free(&Y);
            rig_free(r);
        }
}

START_TEST(cod_is_soft_thresholding_of_the_product) { same_as(oracle_cod, PRODUCT_COD); }
END_TEST

START_TEST(fd_is_soft_thresholding_of_the_stacked_covariance) { same_as(oracle_fd, PRODUCT_FD); }
END_TEST

/* If X has l rows, every buffer is factored without loss, and each is shrunk. */
START_TEST(scod_in_the_papers_form_shrinks_every_buffer)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint32_t l = 3 + (uint32_t)seed % 6;
        struct dense X = dense_random(l, 90, 0.5, seed), Y = dense_random(13, 90, 0.4, 9 * seed);
        for (uint32_t i = 0; i < 90; i++) { /* a pair without a side would be skipped */
            *dense_at(X, i % l, i) += 0.5;
            *dense_at(Y, i % 13, i) += 0.5;
        }
        struct product_options o = product_of(PRODUCT_SCOD, l);
        o.paper = true;
        o.failure = 0;
        struct product_rig *r = after(&o, X, Y);
        ck_assert(product_flush(&r->p));
        double lost, scale = norms(X, Y);
        struct dense want = oracle_scod(X, Y, l, &lost), got = rig_product(r, NULL);
        ck_assert_double_le(dense_distance(want, got), 1e-9 * scale);
        ck_assert_double_eq_tol(r->p.sums.lost, lost, 1e-9 * scale);
        ck_assert_uint_ge(r->p.sums.shrinks, 6);
        dense_free(&want), dense_free(&got), dense_free(&X), dense_free(&Y);
        rig_free(r);
    }
}
END_TEST

START_TEST(products_of_low_rank_are_exact)
{
    struct dense X = dense_of_rank(30, 200, 4, 3), Y = dense_of_rank(25, 200, 4, 5);
    for (int i = 0; i < 4; i++) { /* scod, cod, fd, sfd; the stacked columns have rank 8 */
        uint32_t l = all[i] == PRODUCT_SCOD ? 5 : all[i] == PRODUCT_SFD ? 9 : 18;
        struct product_options o = product_of(all[i], l);
        double bound;
        ck_assert_double_le(error_of(&o, X, Y, &bound), 1e-9 * norms(X, Y));
        ck_assert_double_le(bound, 1e-7 * norms(X, Y));
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

START_TEST(few_pairs_are_exact)
{
    struct dense X = dense_random(40, 12, 0.3, 3), Y = dense_random(50, 12, 0.3, 5);
    for (int i = 0; i < 4; i++) {
        struct product_options o = product_of(all[i], 13);
        double bound;
        ck_assert_double_le(error_of(&o, X, Y, &bound), 1e-9 * norms(X, Y));
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* ---- bounds ---- */

START_TEST(errors_are_within_the_bounds_of_the_run_and_of_the_theorems)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (uint32_t l = 1; l <= 24; l += 1 + l / 2) { /* odd ones, too */
            struct dense X = dense_random(30, 400, 0.15, seed),
                         Y = dense_random(35, 400, 0.1, seed + 50);
            for (int i = 0; i < METHODS; i++) {
                struct product_options o = product_of(all[i], l);
                double bound, theorem = product_theorem(&o) * norms(X, Y);
                double e = error_of(&o, X, Y, &bound);
                ck_assert_msg(e <= bound * (1 + 1e-9), "method %d, l %u: %g > %g", i, l, e, bound);
                if (all[i] == PRODUCT_SCOD || all[i] == PRODUCT_COD)
                    ck_assert_msg(bound <= theorem * (1 + 1e-9), "method %d, l %u: %g > %g", i, l,
                                  bound, theorem);
            }
            dense_free(&X), dense_free(&Y);
        }
}
END_TEST

START_TEST(scod_is_no_worse_than_cod)
{
    for (uint32_t l = 4; l <= 24; l += 4) {
        double sum[2] = {0, 0};
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct dense X = dense_random(30, 400, 0.15, seed),
                         Y = dense_random(35, 400, 0.1, seed + 50);
            for (int i = 0; i < 2; i++) { /* scod, cod */
                struct product_options o = product_of(all[i], l);
                sum[i] += error_of(&o, X, Y, NULL);
            }
            dense_free(&X), dense_free(&Y);
        }
        ck_assert_double_le(sum[0], sum[1]);
    }
}
END_TEST

START_TEST(random_methods_are_right_on_average)
{
    struct dense X = dense_random(6, 40, 0.5, 3), Y = dense_random(5, 40, 0.5, 5);
    struct dense P = dense_times_transposed(X, Y);
    for (int i = 4; i < METHODS; i++) {
        struct dense mean = dense_new(6, 5);
        enum { RUNS = 4000 };
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            struct product_options o = product_of(all[i], 4);
            o.seed = seed;
            struct product_rig *r = after(&o, X, Y);
            struct dense S = rig_product(r, NULL);
            for (int k = 0; k < 30; k++)
                mean.a[k] += S.a[k] / RUNS;
            dense_free(&S);
            rig_free(r);
        }
        /* The error of one run is about norms / 2, over all directions together. */
        ck_assert_double_le(dense_distance(mean, P), 4 * norms(X, Y) / sqrt(4.0 * RUNS));
        dense_free(&mean);
    }
    dense_free(&X), dense_free(&Y), dense_free(&P);
}
END_TEST

/* ---- effects of a look ---- */

START_TEST(waiting_pairs_are_part_of_a_look_which_changes_nothing)
{
    struct dense X = dense_random(20, 30, 0.2, 3), Y = dense_random(20, 30, 0.2, 5);
    struct dense P = dense_times_transposed(X, Y);
    enum product_method waits[] = {PRODUCT_SCOD, PRODUCT_SFD};
    for (int i = 0; i < 2; i++) {
        struct product_options o = product_of(waits[i], 30);
        struct product_rig *r = after(&o, X, Y), *other = rig_new(&o, 20, 20);
        ck_assert_uint_eq(r->p.buffer[0].columns, 30);
        struct product_sums before = r->p.sums;
        struct dense S = rig_product(r, NULL), T = rig_product(r, NULL);
        ck_assert_double_le(dense_distance(S, P), 1e-9 * norms(X, Y));
        ck_assert(!memcmp(S.a, T.a, 400 * sizeof *S.a));
        ck_assert(!memcmp(&before, &r->p.sums, sizeof before));
        rig_learn(other, X, Y, 0, 15);
        dense_free(&S);
        S = rig_product(other, NULL);
        rig_learn(other, X, Y, 15, 30);
        dense_free(&S);
        S = rig_product(other, NULL); /* a look in between changes nothing */
        ck_assert(!memcmp(S.a, T.a, 400 * sizeof *S.a));
        dense_free(&S), dense_free(&T);
        rig_free(r), rig_free(other);
    }
    dense_free(&X), dense_free(&Y), dense_free(&P);
}
END_TEST

START_TEST(equal_seeds_give_equal_sketches)
{
    struct dense X = dense_random(20, 300, 0.2, 3), Y = dense_random(20, 300, 0.2, 5);
    for (int i = 0; i < METHODS; i++) {
        struct product_options o = product_of(all[i], 6);
        struct product_rig *a = after(&o, X, Y), *b = after(&o, X, Y);
        o.seed++;
        struct product_rig *c = after(&o, X, Y);
        struct dense A = rig_product(a, NULL), B = rig_product(b, NULL), C = rig_product(c, NULL);
        bool seeded = all[i] != PRODUCT_COD && all[i] != PRODUCT_FD;
        ck_assert(!memcmp(A.a, B.a, 400 * sizeof *A.a));
        ck_assert(!memcmp(A.a, C.a, 400 * sizeof *A.a) == !seeded);
        dense_free(&A), dense_free(&B), dense_free(&C);
        rig_free(a), rig_free(b), rig_free(c);
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* ---- odd input ---- */

START_TEST(a_feature_that_comes_twice_is_added_up)
{
    for (int i = 0; i < METHODS; i++) {
        struct product_options o = product_of(all[i], 4);
        struct product_rig *r = rig_new(&o, 3, 2);
        struct product_column c[2] = {{4, (uint32_t[4]){2, 0, 2, 2}, (double[4]){1, 5, 2, 4}},
                                      {2, (uint32_t[2]){1, 1}, (double[2]){3, -1}}};
        ck_assert(product_add(&r->p, c, 1));
        struct dense S = rig_product(r, NULL);
        ck_assert_double_eq_tol(*dense_at(S, 2, 1), 14, 1e-12); /* 7 x 2 */
        ck_assert_double_eq_tol(*dense_at(S, 0, 1), 10, 1e-12);
        ck_assert_double_eq_tol(dense_frobenius(S), sqrt(14.0 * 14 + 100), 1e-12);
        ck_assert_double_eq_tol(r->p.sums.square[0], 74, 1e-12);
        dense_free(&S);
        rig_free(r);
    }
}
END_TEST

START_TEST(a_weight_counts_a_pair_so_many_times)
{
    for (int i = 0; i < METHODS; i++) {
        struct product_options o = product_of(all[i], 3);
        struct product_rig *r = rig_new(&o, 2, 2);
        for (int k = 0; k < 2; k++) {
            struct product_column c[2] = {{1, (uint32_t[1]){1}, (double[1]){3}},
                                          {1, (uint32_t[1]){0}, (double[1]){2}}};
            ck_assert(product_add(&r->p, c, k ? 0 : 2.5)); /* 0: it does not count */
        }
        struct dense S = rig_product(r, NULL);
        ck_assert_double_eq_tol(*dense_at(S, 1, 0), 15, 1e-12);
        ck_assert_uint_eq(r->p.sums.skipped, 1);
        dense_free(&S);
        rig_free(r);
    }
}
END_TEST

START_TEST(pairs_with_an_empty_side_and_zero_columns_add_nothing)
{
    struct dense X = dense_random(8, 90, 0.3, 3), Y = dense_random(8, 90, 0.3, 5);
    struct dense X3 = dense_new(8, 270), Y3 = dense_new(8, 270);
    for (uint32_t j = 0; j < 90; j++)
        for (uint32_t i = 0; i < 8; i++) {
            *dense_at(X3, i, 3 * j) = *dense_at(X, i, j);
            *dense_at(Y3, i, 3 * j) = *dense_at(Y, i, j);
            *dense_at(X3, i, 3 * j + 1) = 1; /* no right side; column 3j + 2 has no side */
        }
    for (int i = 0; i < METHODS; i++) {
        struct product_options o = product_of(all[i], 4);
        struct product_rig *a = after(&o, X, Y), *b = after(&o, X3, Y3);
        struct dense A = rig_product(a, NULL), B = rig_product(b, NULL);
        ck_assert(!memcmp(A.a, B.a, 64 * sizeof *A.a));
        ck_assert_uint_ge(b->p.sums.skipped, 180);
        dense_free(&A), dense_free(&B);
        rig_free(a), rig_free(b);
    }
    dense_free(&X), dense_free(&Y), dense_free(&X3), dense_free(&Y3);
}
END_TEST

START_TEST(one_column_and_one_feature_are_no_error)
{
    uint32_t sizes[][2] = {{1, 1}, {1, 20}, {20, 1}, {3, 2}};
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 4; k++)
            for (uint32_t l = 1; l <= 40; l += 13) {
                struct dense X = dense_random(sizes[k][0], 100, 0.8, 3);
                struct dense Y = dense_random(sizes[k][1], 100, 0.8, 5);
                struct product_options o = product_of(all[i], l);
                double bound, e = error_of(&o, X, Y, &bound);
                ck_assert_double_le(e, bound * (1 + 1e-9) + 1e-9);
                /* if l is larger than either side, nothing is lost */
                if (all[i] == PRODUCT_SCOD && l > 20) ck_assert_double_le(e, 1e-9);
                dense_free(&X), dense_free(&Y);
            }
}
END_TEST

START_TEST(nothing_learned_is_a_product_of_zero)
{
    for (int i = 0; i < METHODS; i++) {
        struct product_options o = product_of(all[i], 4);
        struct product_rig *r = rig_new(&o, 3, 3);
        double bound;
        ck_assert(product_flush(&r->p));
        struct dense S = rig_product(r, &bound);
        ck_assert(dense_frobenius(S) == 0 && bound == 0);
        dense_free(&S);
        rig_free(r);
    }
}
END_TEST

START_TEST(extreme_values_neither_overflow_nor_vanish)
{
    struct dense X = dense_random(8, 60, 0.5, 3), Y = dense_random(8, 60, 0.5, 5);
    for (int i = 0; i < METHODS; i++)
        for (int e = -38; e <= 38; e += 76) {
            struct dense S[2];
            double bound[2];
            for (int k = 0; k < 2; k++) {
                struct dense X2 = dense_new(8, 60), Y2 = dense_new(8, 60);
                for (int j = 0; j < 480; j++) {
                    X2.a[j] = X.a[j] * (k ? pow(10, e) : 1);
                    Y2.a[j] = Y.a[j] * (k ? pow(10, e) : 1);
                }
                struct product_options o = product_of(all[i], 5);
                struct product_rig *r = after(&o, X2, Y2);
                S[k] = rig_product(r, &bound[k]);
                dense_free(&X2), dense_free(&Y2);
                rig_free(r);
            }
            for (int j = 0; j < 64; j++)
                S[1].a[j] *= pow(10, -2 * e);
            ck_assert_double_le(dense_distance(S[0], S[1]), 1e-6 * norms(X, Y));
            ck_assert_double_eq_tol(bound[1] * pow(10, -2 * e), bound[0], 1e-6 * norms(X, Y));
            dense_free(&S[0]), dense_free(&S[1]);
        }
    dense_free(&X), dense_free(&Y);
}
END_TEST

START_TEST(memory_is_of_the_features_times_the_size)
{
    for (int i = 0; i < METHODS; i++)
        for (uint32_t l = 1; l <= 512; l *= 8)
            for (uint32_t m = 1024; m <= 65536; m *= 8) {
                struct product_options o = product_of(all[i], l);
                struct product_capacity capacity = product_capacity_for(&o, m, m, 0);
                double fixed = 100.0 * (l + 64) * (l + 64) * 8; /* factors of l x l */
                double bytes =
                    (double)product_bytes(&o, &capacity) + 2.0 * m * product_stride(&o) * 8;
                ck_assert_double_le(bytes, 2.0 * m * (40.0 * l + 64) + fixed);
            }
}
END_TEST

START_TEST(buffers_hold_what_comes_before_they_are_full)
{
    enum product_method waits[] = {PRODUCT_SCOD, PRODUCT_SFD};
    for (int i = 0; i < 2; i++)
        for (uint32_t l = 1; l <= 64; l *= 4) { /* sides of all features, and of one */
            struct product_options o = product_of(waits[i], l);
            struct dense X = dense_random(16, 900, 1, 3), Y = dense_random(16, 900, 1, 5);
            for (uint32_t j = 300; j < 900; j++)
                for (uint32_t f = 0; f < 16; f++)
                    if (f != j % 16) *dense_at(j < 600 ? X : Y, f, j) = 0;
            struct product_rig *r = rig_new(&o, 16, 16);
            rig_learn(r, X, Y, 0, 900); /* sparse_columns_append() asserts that there is room */
            ck_assert_uint_ge(r->p.sums.checks, 1);
            dense_free(&X), dense_free(&Y);
            rig_free(r);
        }
}
END_TEST

START_TEST(without_a_chance_of_failure_random_methods_know_no_bound)
{
    struct dense X = dense_random(8, 60, 0.5, 3), Y = dense_random(8, 60, 0.5, 5);
    for (int i = 0; i < METHODS; i++) {
        struct product_options o = product_of(all[i], 5);
        o.failure = 0;
        double bound;
        error_of(&o, X, Y, &bound);
        bool sure = all[i] == PRODUCT_COD || all[i] == PRODUCT_FD;
        ck_assert(isnan(bound) == !sure);
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* Each pair has features of its own, so a row shows the column that its pair has fallen in. */
START_TEST(hashing_spreads_pairs_over_all_columns)
{
    enum { L = 16, N = 320 };
    struct product_options o = product_of(PRODUCT_HASHING, L);
    struct dense X = dense_new(N, N);
    for (uint32_t t = 0; t < N; t++)
        *dense_at(X, t, t) = 1;
    struct product_rig *r = after(&o, X, X);
    struct tall_matrix A = product_side(&r->p, 0);
    uint32_t pairs[L] = {0};
    for (uint32_t t = 0; t < N; t++)
        for (uint32_t c = 0; c < L; c++)
            pairs[c] += A.a[(size_t)t * A.ld + c] != 0;
    for (uint32_t c = 0; c < L; c++) /* 20 are expected */
        ck_assert_msg(pairs[c] > 4 && pairs[c] < 44, "column %u has %u pairs", c, pairs[c]);
    dense_free(&X);
    rig_free(r);
}
END_TEST

/* ---- fading ---- */

enum { PAIRS = 400 };

/* Returns column t of X as it counts after the last one, age[t] half-lives later. */
static struct dense faded(struct dense X, const double *age)
{
    struct dense F = dense_random(X.m, X.n, 0, 1);
    for (uint32_t t = 0; t < X.n; t++)
        for (uint32_t f = 0; f < X.m; f++)
            *dense_at(F, f, t) = *dense_at(X, f, t) * exp2(-0.5 * age[t]);
    return F;
}

/* A pair without a side would be skipped. */
static struct dense without_empty_columns(uint32_t m, double density, uint64_t seed)
{
    struct dense X = dense_random(m, PAIRS, density, seed);
    for (uint32_t t = 0; t < PAIRS; t++)
        *dense_at(X, t % m, t) += 0.5;
    return X;
}

/* Checks that the sketch and its bound fit the faded streams. */
static void expect_faded(int method, struct product_rig *r, struct dense XF, struct dense YF)
{
    struct dense P = dense_times_transposed(XF, YF);
    double bound;
    struct dense S = rig_product(r, &bound);
    double e = dense_distance(P, S), size = norms(XF, YF);
    ck_assert_msg(e <= bound * (1 + 1e-9), "method %d: %g > %g", method, e, bound);
    if (method < 2) ck_assert_double_le(e, 1e-6 * size); /* columns equal features in number */
    ck_assert_double_eq_tol(r->p.sums.square[0] / r->p.sums.grown,
                            dense_frobenius(XF) * dense_frobenius(XF), 1e-9 * size);
    dense_free(&P), dense_free(&S);
}

/* 400 pairs are up to 400 half-lives, so the sketch is divided ten times. */
START_TEST(with_a_half_life_what_is_sketched_is_the_faded_stream)
{
    static const double half_lives[] = {1, 7, 150};
    struct dense X = without_empty_columns(12, 0.3, 3), Y = without_empty_columns(15, 0.2, 4);
    for (int h = 0; h < 3; h++) {
        double age[PAIRS];
        for (int t = 0; t < PAIRS; t++)
            age[t] = (PAIRS - 1 - t) / half_lives[h];
        struct dense XF = faded(X, age), YF = faded(Y, age);
        for (int i = 0; i < METHODS; i++) {
            struct product_options o = product_of(all[i], i < 2 ? 30 : 8);
            o.half_life = half_lives[h];
            struct product_rig *r = after(&o, X, Y);
            double bound;
            struct dense S = rig_product(r, &bound);
            if (all[i] == PRODUCT_SCOD || all[i] == PRODUCT_COD)
                ck_assert_double_le(bound, product_theorem(&o) * norms(XF, YF) * (1 + 1e-9));
            dense_free(&S);
            expect_faded(i, r, XF, YF);
            rig_free(r);
        }
        dense_free(&XF), dense_free(&YF);
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

static struct product_options timed(enum product_method method, uint32_t l, double seconds)
{
    struct product_options o = product_of(method, l);
    o.half_life = seconds * (double)EVENT_SECOND;
    o.by_time = true;
    return o;
}

/* Event times of all pairs, and the half-lives by which each is older than the newest. */
static void draw_times(double half_life, int64_t at[PAIRS], double age[PAIRS])
{
    struct event_times times = {.seed = 8};
    double passed, sum = 0;
    for (int t = 0; t < PAIRS; t++) {
        at[t] = event_times_next(&times, &passed);
        sum += passed / half_life;
        age[t] = sum - times.late / half_life;
    }
    for (int t = 0; t < PAIRS; t++)
        age[t] = sum - age[t];
}

/* Learns pairs [from, to) at their times. */
static void learn_at(struct product_rig *r, struct dense X, struct dense Y, const int64_t *at,
                     uint32_t from, uint32_t to)
{
    for (uint32_t t = from; t < to; t++) {
        product_at(&r->p, at[t]);
        rig_learn(r, X, Y, t, t + 1);
    }
}

/* The sketch is divided a few times. */
START_TEST(by_event_time_it_fades_by_what_has_passed)
{
    struct dense X = without_empty_columns(12, 0.3, 3), Y = without_empty_columns(15, 0.2, 4);
    int64_t at[PAIRS];
    double age[PAIRS];
    draw_times(3, at, age);
    ck_assert_double_gt(age[0], 80);
    struct dense XF = faded(X, age), YF = faded(Y, age);
    for (int i = 0; i < METHODS; i++) {
        struct product_options o = timed(all[i], i < 2 ? 30 : 8, 3);
        struct product_rig *r = rig_new(&o, X.m, Y.m);
        learn_at(r, X, Y, at, 0, PAIRS);
        expect_faded(i, r, XF, YF);
        rig_free(r);
    }
    dense_free(&XF), dense_free(&YF), dense_free(&X), dense_free(&Y);
}
END_TEST

/* The other sketch has the later or the earlier half of the pairs. */
START_TEST(sketches_of_two_times_meet_at_the_later_one)
{
    struct dense X = without_empty_columns(12, 0.3, 3), Y = without_empty_columns(15, 0.2, 4);
    int64_t at[PAIRS];
    double age[PAIRS];
    uint32_t same[15], *const number[2] = {same, same};
    for (uint32_t f = 0; f < 15; f++)
        same[f] = f;
    draw_times(60, at, age);
    struct dense XF = faded(X, age), YF = faded(Y, age);
    for (int i = 0; i < 2 * METHODS; i++) {
        struct product_options o = timed(all[i / 2], i / 2 < 2 ? 30 : 8, 60);
        struct product_rig *early = rig_new(&o, X.m, Y.m), *late = rig_new(&o, X.m, Y.m);
        learn_at(early, X, Y, at, 0, PAIRS / 2);
        product_follow(&late->p, &early->p);
        learn_at(late, X, Y, at, PAIRS / 2, PAIRS);
        struct product_rig *into = i % 2 ? early : late;
        ck_assert(product_merge(&into->p, i % 2 ? &late->p : &early->p, number, 1));
        expect_faded(i / 2, into, XF, YF);
        rig_free(early), rig_free(late);
    }
    dense_free(&XF), dense_free(&YF), dense_free(&X), dense_free(&Y);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct product_options o = product_of(PRODUCT_COD, 4);
    struct dense X = dense_new(2, 4);
    for (uint32_t t = 0; t < 4; t++)
        *dense_at(X, t == 3, t) = 1;
    struct product_rig *r = after(&o, X, X);
    struct dense S = rig_product(r, NULL);
    ck_assert_double_eq_tol(r->p.sums.lost, 1, 1e-15);
    ck_assert_double_eq_tol(S.a[0], 2, 1e-14);
    for (int i = 1; i < 4; i++)
        ck_assert_double_eq_tol(S.a[i], 0, 1e-14);
    ck_assert_double_eq_tol(product_theorem(&o) * norms(X, X), 2, 1e-15);
    dense_free(&X), dense_free(&S);
    rig_free(r);
}
END_TEST

static void shrinks_to(bool stacked, double product, double lost)
{
    double a[4] = {2, 0, 0, 1}, b[4] = {1, 0, 0, 1}, gone;
    const struct tall_matrix AB[2] = {{a, 2, 2}, {b, 2, 2}};
    struct tall_matrix_work tall;
    struct shrink_work w;
    struct layout size = {NULL, 0};
    uint32_t left;
    shrink_work_init(&w, &tall, 2, &size);
    void *block = zeroed(size.used);
    struct layout c = {block, 0};
    shrink_work_init(&w, &tall, 2, &c);
    ck_assert((stacked ? shrink_stacked : shrink_pair)(AB, 2, 2, &left, &gone, &w));
    ck_assert_uint_eq(left, 1);
    ck_assert_double_eq_tol(gone, lost, 1e-14);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            ck_assert_double_eq_tol(a[2 * i] * b[2 * j] + a[2 * i + 1] * b[2 * j + 1],
                                    i + j ? 0 : product, 1e-14);
    free(block);
}

START_TEST(the_example_of_shrink_is_what_happens)
{
    shrinks_to(false, 1, 1);
    shrinks_to(true, 1.2, 1);
}
END_TEST

/* The sketch diag(a, b) of X Y' = diag(3, 1). */
static struct product_evaluate_result evaluated(double a, double b)
{
    uint32_t start[] = {0, 1, 2, 3, 4}, feature[] = {0, 0, 0, 1};
    double value[] = {1, 1, 1, 1}, A[] = {a, 0, 0, b}, B[] = {1, 0, 0, 1};
    const struct sparse_columns X = {4, 4, 4, start, feature, value};
    struct product_evaluate j = {.x = &X, .y = &X, .m = {2, 2}, .k = 1};
    const struct product_evaluate_sketch s = {{{A, 2, 2}, {B, 2, 2}}, 2, 1};
    struct product_evaluate_result r;
    void *work = zeroed(product_evaluate_bytes(j.m, 2, 1));
    ck_assert(product_evaluate_exact(&j, work));
    ck_assert_double_eq_tol(j.frobenius, 4, 1e-14);
    ck_assert_double_eq_tol(j.norm, 3, 1e-14);
    ck_assert_double_eq_tol(j.next, 1, 1e-14);
    ck_assert(product_evaluate_sketch(&j, &s, &r, work));
    free(work);
    return r;
}

START_TEST(the_example_of_product_evaluate_is_what_happens)
{
    struct product_evaluate_result good = evaluated(2, 0), bad = evaluated(0, 2);
    ck_assert_double_eq_tol(good.error, 0.25, 1e-14);
    ck_assert_double_eq_tol(good.projection, 1, 1e-13);
    ck_assert_double_eq_tol(bad.error, 0.75, 1e-14);
    ck_assert_double_eq_tol(bad.projection, 3, 1e-13);
}
END_TEST

LEAT_SUITE("product", cod_is_soft_thresholding_of_the_product,
           fd_is_soft_thresholding_of_the_stacked_covariance,
           scod_in_the_papers_form_shrinks_every_buffer, products_of_low_rank_are_exact,
           few_pairs_are_exact, errors_are_within_the_bounds_of_the_run_and_of_the_theorems,
           scod_is_no_worse_than_cod, random_methods_are_right_on_average,
           waiting_pairs_are_part_of_a_look_which_changes_nothing, equal_seeds_give_equal_sketches,
           a_feature_that_comes_twice_is_added_up, a_weight_counts_a_pair_so_many_times,
           pairs_with_an_empty_side_and_zero_columns_add_nothing,
           one_column_and_one_feature_are_no_error, nothing_learned_is_a_product_of_zero,
           extreme_values_neither_overflow_nor_vanish, memory_is_of_the_features_times_the_size,
           buffers_hold_what_comes_before_they_are_full,
           without_a_chance_of_failure_random_methods_know_no_bound,
           hashing_spreads_pairs_over_all_columns,
           with_a_half_life_what_is_sketched_is_the_faded_stream,
           by_event_time_it_fades_by_what_has_passed, sketches_of_two_times_meet_at_the_later_one,
           the_example_of_the_header_is_what_happens, the_example_of_shrink_is_what_happens,
           the_example_of_product_evaluate_is_what_happens)
