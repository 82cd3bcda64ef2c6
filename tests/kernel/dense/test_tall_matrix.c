/* test_tall_matrix.c -- small factorisations in place, and their uses.
 *
 * The uses are shrinking, simultaneous iteration over sparse columns, and evaluations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/product/product_evaluate.h"
#include "kernels/product/shrink.h"
#include "support/oracle_product.h"
#include "support/suite.h"
#include "support/zeroed.h"

enum { PAD = 3 }; /* each row has padding after its columns */

/* A dense matrix as rows, each followed by padding that must not change. */
static struct tall_matrix tall_of(struct dense d)
{
    struct tall_matrix t = {zeroed(((size_t)d.n + PAD) * d.m * 8), d.m, d.n + PAD};
    for (uint32_t i = 0; i < d.m; i++) {
        memcpy(t.a + (size_t)i * t.ld, dense_at(d, i, 0), d.n * sizeof *t.a);
        for (int k = 0; k < PAD; k++)
            t.a[(size_t)i * t.ld + d.n + k] = 77;
    }
    return t;
}

static struct dense dense_of(struct tall_matrix t, uint32_t n)
{
    struct dense d = dense_new(t.n, n);
    for (uint32_t i = 0; i < t.n; i++) {
        memcpy(dense_at(d, i, 0), t.a + (size_t)i * t.ld, n * sizeof *t.a);
        for (int k = 0; k < PAD; k++)
            ck_assert(t.a[(size_t)i * t.ld + t.ld - PAD + k] == 77);
    }
    return d;
}

static struct tall_matrix_work work_for(uint32_t k, void **block)
{
    struct tall_matrix_work w;
    *block = zeroed(tall_matrix_work_bytes(k));
    tall_matrix_work_init(&w, k, *block);
    return w;
}

struct bench { /* everything that shrinking and iterating need for k columns */
    struct tall_matrix_work tall;
    struct shrink_work shrink;
    struct simultaneous_work si;
    void *block[10];
};

static struct bench *bench_new(uint32_t k)
{
    struct bench *b = calloc(1, sizeof *b);
    size_t k2 = 4 * (size_t)k * k * 8;
    b->tall = work_for(2 * k, &b->block[0]);
    for (int i = 1; i < 9; i++)
        b->block[i] = zeroed(k2 + 64);
    b->block[9] = zeroed(tall_matrix_stack(2 * k) * 8);
    b->shrink = (struct shrink_work){.tall = &b->tall,
                                     .R = {b->block[1], b->block[2]},
                                     .M = b->block[3],
                                     .U = b->block[4],
                                     .Vt = b->block[5],
                                     .sigma = b->block[6],
                                     .stack = b->block[9]};
    b->si = (struct simultaneous_work){.tall = &b->tall,
                                       .t = b->block[7],
                                       .R = b->block[1],
                                       .pair = b->block[3],
                                       .sigma = b->block[6]};
    return b;
}

static void bench_free(struct bench *b)
{
    for (int i = 0; i < 10; i++)
        free(b->block[i]);
    free(b);
}

/* ---- QR and products in place ---- */

START_TEST(qr_gives_orthonormal_columns_whose_product_is_the_matrix)
{
    uint32_t shapes[][2] = {{50, 7}, {7, 7}, {4, 7}, {1, 7}, {300, 1}, {200, 60}};
    for (int k = 0; k < 6; k++)
        for (int rank = 0; rank < 2; rank++) {
            uint32_t m = shapes[k][0], n = shapes[k][1];
            struct dense A = rank ? dense_random(m, n, 1, 3) : dense_of_rank(m, n, 1, 5), R, Q, P;
            struct tall_matrix T = tall_of(A);
            void *block;
            struct tall_matrix_work w = work_for(n, &block);
            R = dense_new(m < n ? m : n, n);
            ck_assert_uint_eq(tall_matrix_qr(T, n, R.a, &w), R.m);
            Q = dense_of(T, n);
            struct dense Qr = dense_new(m, R.m), Rt = dense_new(n, R.m);
            for (uint32_t j = 0; j < R.m; j++) {
                for (uint32_t i = 0; i < m; i++)
                    *dense_at(Qr, i, j) = *dense_at(Q, i, j);
                for (uint32_t i = 0; i < n; i++)
                    *dense_at(Rt, i, j) = *dense_at(R, j, i);
            }
            P = dense_times_transposed(Qr, Rt);
            ck_assert_double_le(dense_distance(P, A), 1e-12 * (1 + dense_frobenius(A)));
            for (uint32_t p = 0; p < R.m; p++)
                for (uint32_t q = 0; q <= p; q++) {
                    double s = 0;
                    for (uint32_t i = 0; i < m; i++)
                        s += *dense_at(Qr, i, p) * *dense_at(Qr, i, q);
                    ck_assert_double_eq_tol(s, p == q, 1e-12);
                }
            dense_free(&A), dense_free(&R), dense_free(&Q), dense_free(&P);
            dense_free(&Qr), dense_free(&Rt);
            free(T.a), free(block);
        }
}
END_TEST

START_TEST(a_triangle_is_that_of_the_qr_and_the_matrix_stays)
{
    uint32_t shapes[][2] = {{50, 7}, {7, 7}, {4, 7}, {1, 7}, {300, 1}, {600, 60}, {1000, 300}};
    for (int k = 0; k < 7; k++)
        for (int rank = 0; rank < 2; rank++) {
            uint32_t m = shapes[k][0], n = shapes[k][1];
            struct dense A = rank ? dense_random(m, n, 1, 3) : dense_of_rank(m, n, 1, 5);
            struct dense R = dense_new(m < n ? m : n, n);
            struct tall_matrix T = tall_of(A);
            void *block, *stack = zeroed(tall_matrix_stack(n) * 8);
            struct tall_matrix_work w = work_for(n, &block);
            ck_assert_uint_eq(tall_matrix_triangle(T, n, R.a, stack, &w), R.m);
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j <= i; j++) { /* A'A = R'R; zeros below the diagonal */
                    double sum = 0;
                    for (uint32_t r = 0; r < m; r++)
                        sum += *dense_at(A, r, i) * *dense_at(A, r, j);
                    for (uint32_t r = 0; r < R.m; r++)
                        sum -= *dense_at(R, r, i) * *dense_at(R, r, j);
                    ck_assert_double_eq_tol(sum, 0, 1e-12 * m);
                    if (i < R.m && j < i) ck_assert(*dense_at(R, i, j) == 0);
                }
            struct dense same = dense_of(T, n);
            ck_assert_mem_eq(same.a, A.a, (size_t)m * n * sizeof *A.a);
            dense_free(&A), dense_free(&R), dense_free(&same);
            free(T.a), free(block), free(stack);
        }
}
END_TEST

START_TEST(a_product_in_place_is_the_product_and_clears_what_it_should)
{
    for (uint32_t m = 1; m < 400; m = 3 * m + 1) {
        struct dense A = dense_random(m, 9, 1, 3), W = dense_random(9, 5, 1, 4),
                     Wt = dense_new(5, 9);
        for (uint32_t i = 0; i < 45; i++)
            *dense_at(Wt, i % 5, i / 5) = *dense_at(W, i / 5, i % 5);
        struct tall_matrix T = tall_of(A);
        void *block;
        struct tall_matrix_work w = work_for(9, &block);
        tall_matrix_times(T, 9, W.a, 5, 5, 7, &w);
        struct dense want = dense_times_transposed(A, Wt), got = dense_of(T, 9);
        for (uint32_t i = 0; i < m; i++) {
            for (uint32_t j = 0; j < 5; j++)
                ck_assert_double_eq_tol(*dense_at(got, i, j), *dense_at(want, i, j), 1e-12);
            ck_assert(*dense_at(got, i, 5) == 0 && *dense_at(got, i, 6) == 0);
            ck_assert(*dense_at(got, i, 7) == *dense_at(A, i, 7));
        }
        dense_free(&A), dense_free(&W), dense_free(&Wt), dense_free(&want), dense_free(&got);
        free(T.a), free(block);
    }
}
END_TEST

START_TEST(factorisations_refuse_what_is_not_finite)
{
    void *block;
    struct tall_matrix_work w = work_for(2, &block);
    double M[4] = {1, NAN, 0, 1}, sigma[2], U[4], V[4];
    ck_assert(!tall_matrix_svd(2, 2, M, sigma, U, V, &w));
    free(block);
}
END_TEST

/* ---- shrinking ---- */

START_TEST(shrinking_a_pair_is_soft_thresholding_of_its_product)
{
    uint32_t shapes[][3] = {{40, 30, 8}, {5, 30, 8}, {30, 5, 8}, {8, 8, 8}, {3, 2, 8}, {60, 60, 1}};
    for (int k = 0; k < 6; k++)
        for (uint32_t level = 0; level <= shapes[k][2]; level++) {
            uint32_t n = shapes[k][2], left, want_left;
            struct dense A = dense_random(shapes[k][0], n, 1, 3),
                         B = dense_random(shapes[k][1], n, 1, 9);
            struct dense want = dense_times_transposed(A, B);
            struct tall_matrix AB[2] = {tall_of(A), tall_of(B)};
            struct bench *b = bench_new(n);
            double lost;
            ck_assert(shrink_pair(AB, n, level, &left, &lost, &b->shrink));
            double gamma = dense_soften(want, level, &want_left);
            ck_assert_double_eq_tol(lost, gamma, 1e-10);
            ck_assert_uint_eq(left, want_left);
            struct dense A2 = dense_of(AB[0], n), B2 = dense_of(AB[1], n);
            struct dense got = dense_times_transposed(A2, B2);
            ck_assert_double_le(dense_distance(got, want), 1e-10);
            for (uint32_t j = left; j < n; j++)
                for (uint32_t i = 0; i < A2.m; i++)
                    ck_assert(*dense_at(A2, i, j) == 0);
            dense_free(&A), dense_free(&B), dense_free(&A2), dense_free(&B2);
            dense_free(&want), dense_free(&got);
            free(AB[0].a), free(AB[1].a);
            bench_free(b);
        }
}
END_TEST

/* ---- simultaneous iteration ---- */

static struct sparse_columns sparse_of(struct dense d)
{
    struct sparse_columns s = {.max_columns = d.n, .max_entries = d.m * d.n};
    s.start = zeroed((d.n + 1) * 4u);
    s.feature = zeroed((size_t)d.m * d.n * 4);
    s.value = zeroed((size_t)d.m * d.n * 8);
    for (uint32_t j = 0; j < d.n; j++) {
        uint32_t feature[64], n = 0;
        double value[64];
        for (uint32_t i = 0; i < d.m; i++)
            if (*dense_at(d, i, j) != 0) {
                feature[n] = i;
                value[n++] = *dense_at(d, i, j);
            }
        sparse_columns_append(&s, n, feature, value);
    }
    return s;
}

static void sparse_free(struct sparse_columns *s)
{
    free(s->start), free(s->feature), free(s->value);
}

/* Runs SI with k columns. Returns the error of C D' and its certificate. */
static void iterate(struct dense X, struct dense Y, uint32_t k, uint32_t q, uint64_t seed,
                    double *error, double *certificate)
{
    struct sparse_columns x = sparse_of(X), y = sparse_of(Y);
    struct dense C = dense_new(X.m, k), D = dense_new(Y.m, k);
    struct tall_matrix T[2] = {tall_of(C), tall_of(D)};
    struct bench *b = bench_new(k);
    double u[64], v[64];
    struct simultaneous_product p = {&x, &y, T[0], T[1], k};
    simultaneous(&p, q, &seed, &b->si);
    *certificate = simultaneous_certificate(&p, 0.01, &seed, u, v, &b->si);
    dense_free(&C), dense_free(&D);
    C = dense_of(T[0], k), D = dense_of(T[1], k);
    struct dense P = dense_times_transposed(X, Y), S = dense_times_transposed(C, D);
    *error = dense_distance(P, S);
    dense_free(&C), dense_free(&D), dense_free(&P), dense_free(&S);
    free(T[0].a), free(T[1].a);
    sparse_free(&x), sparse_free(&y);
    bench_free(b);
}

START_TEST(iteration_comes_close_to_the_best_of_its_rank_and_the_certificate_holds)
{
    struct dense X = dense_random(40, 120, 0.2, 3), Y = dense_random(50, 120, 0.2, 5);
    struct dense P = dense_times_transposed(X, Y);
    double sigma[50], error, certificate;
    dense_singular(P, sigma);
    for (uint32_t k = 1; k <= 32; k *= 2)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            iterate(X, Y, k, 10, seed, &error, &certificate);
            ck_assert_double_ge(error, sigma[k] * (1 - 1e-9));
            ck_assert_double_le(error, sigma[k] * 1.1);
            ck_assert_double_ge(certificate, error);
            ck_assert_double_le(certificate, error * 1.1);
        }
    dense_free(&X), dense_free(&Y), dense_free(&P);
}
END_TEST

START_TEST(iteration_is_exact_when_there_are_columns_enough)
{
    struct dense X = dense_of_rank(40, 60, 5, 3), Y = dense_random(50, 60, 0.2, 5);
    double error, certificate;
    iterate(X, Y, 5, 0, 1, &error, &certificate);
    ck_assert_double_le(error, 1e-11);
    ck_assert_double_le(certificate, 1e-11);
    dense_free(&X), dense_free(&Y);
}
END_TEST

START_TEST(stacked_iteration_is_a_projection_of_the_stacked_covariance)
{
    struct dense X = dense_random(10, 80, 0.3, 3), Y = dense_random(30, 80, 0.2, 5),
                 Z = dense_new(40, 80);
    struct sparse_columns x = sparse_of(X), y = sparse_of(Y);
    memcpy(Z.a, X.a, 800 * sizeof *Z.a);
    memcpy(dense_at(Z, 10, 0), Y.a, 2400 * sizeof *Z.a);
    struct dense C = dense_times_transposed(Z, Z);
    double sigma[40];
    dense_singular(C, sigma);
    for (uint32_t k = 4; k <= 40; k += 12) { /* 16 and more: more columns than one side has rows */
        struct dense A = dense_new(10, 2 * k), B = dense_new(30, 2 * k);
        struct tall_matrix T[2] = {tall_of(A), tall_of(B)};
        struct bench *b = bench_new(2 * k);
        uint64_t seed = 1;
        struct simultaneous_product p = {&x, &y, T[0], T[1], k};
        ck_assert(simultaneous_stacked(&p, 12, &seed, &b->si));
        dense_free(&A), dense_free(&B);
        A = dense_of(T[0], 2 * k), B = dense_of(T[1], 2 * k);
        struct dense S = dense_new(40, k);
        for (uint32_t i = 0; i < 40; i++)
            for (uint32_t j = 0; j < k; j++)
                *dense_at(S, i, j) = i < 10 ? *dense_at(A, i, j) : *dense_at(B, i - 10, j);
        struct dense SS = dense_times_transposed(S, S);
        double rest = k < 40 ? sigma[k] : 0;
        ck_assert_double_le(dense_distance(SS, C), 1.1 * rest + 1e-10 * sigma[0]);
        dense_free(&A), dense_free(&B), dense_free(&S), dense_free(&SS);
        free(T[0].a), free(T[1].a);
        bench_free(b);
    }
    sparse_free(&x), sparse_free(&y);
    dense_free(&X), dense_free(&Y), dense_free(&Z), dense_free(&C);
}
END_TEST

/* ---- evaluations ---- */

START_TEST(an_evaluation_finds_the_errors_of_the_definition)
{
    enum { K = 4 };
    struct dense X = dense_random(20, 60, 0.3, 3), Y = dense_random(25, 60, 0.3, 5);
    struct dense A = dense_random(20, 6, 1, 7), B = dense_random(25, 6, 1, 8);
    struct dense P = dense_times_transposed(X, Y), S = dense_times_transposed(A, B);
    struct sparse_columns x = sparse_of(X), y = sparse_of(Y);
    struct tall_matrix T[2] = {tall_of(A), tall_of(B)};
    struct product_evaluate j = {&x, &y, {20, 25}, K, 0, 0, 0};
    struct product_evaluate_sketch sketch = {{T[0], T[1]}, 6, 0.5};
    struct product_evaluate_result r;
    double sigma[25];
    void *work = zeroed(product_evaluate_bytes(j.m, 6, K));
    dense_singular(P, sigma);
    ck_assert(product_evaluate_exact(&j, work) && product_evaluate_sketch(&j, &sketch, &r, work));
    ck_assert_double_eq_tol(j.norm, sigma[0], 1e-9);
    ck_assert_double_eq_tol(j.next, sigma[K], 1e-9);
    ck_assert_double_eq_tol(j.frobenius, dense_frobenius(X) * dense_frobenius(Y), 1e-9);
    for (int i = 0; i < 500; i++)
        S.a[i] *= 0.5;
    ck_assert_double_eq_tol(r.error, dense_distance(P, S) / j.frobenius, 1e-9);

    /* U U' P V V' of the first K singular vectors of A B', from shrink_pair's columns. */
    struct bench *b = bench_new(6);
    uint32_t left;
    double lost;
    ck_assert(shrink_pair(T, 6, 0, &left, &lost, &b->shrink));
    struct dense U = dense_of(T[0], 6), V = dense_of(T[1], 6), M = dense_new(20, 25);
    for (int p = 0; p < K; p++)
        for (int q = 0; q < K; q++) {
            double c = 0, s = b->shrink.sigma[p] * b->shrink.sigma[q];
            for (int i = 0; i < 500; i++)
                c += *dense_at(U, i / 25, p) * P.a[i] * *dense_at(V, i % 25, q);
            for (int i = 0; i < 500; i++)
                M.a[i] += *dense_at(U, i / 25, p) * *dense_at(V, i % 25, q) * c / s;
        }
    ck_assert_double_eq_tol(r.projection, dense_distance(P, M) / sigma[K], 1e-7);
    dense_free(&X), dense_free(&Y), dense_free(&A), dense_free(&B), dense_free(&P), dense_free(&S);
    dense_free(&U), dense_free(&V), dense_free(&M);
    sparse_free(&x), sparse_free(&y);
    free(T[0].a), free(T[1].a), free(work);
    bench_free(b);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    double a[] = {3, 0, 4, 5}, b[] = {3, 0, 4, 5}, R[4], sigma[2], U[4], V[4];
    void *block;
    struct tall_matrix_work w = work_for(2, &block);
    ck_assert_uint_eq(tall_matrix_qr((struct tall_matrix){a, 2, 2}, 2, R, &w), 2);
    double sign[] = {copysign(1, R[0]), copysign(1, R[3])};
    ck_assert_double_eq_tol(sign[0] * R[0], 5, 1e-12);
    ck_assert_double_eq_tol(sign[0] * R[1], 4, 1e-12);
    ck_assert(R[2] == 0);
    ck_assert_double_eq_tol(sign[1] * R[3], 3, 1e-12);
    for (int i = 0; i < 2; i++) {
        ck_assert(tall_matrix_svd(2, 2, i ? R : b, sigma, U, V, &w));
        ck_assert_double_eq_tol(sigma[0], sqrt(45), 1e-12);
        ck_assert_double_eq_tol(sigma[1], sqrt(5), 1e-12);
    }
    free(block);
}
END_TEST

LEAT_SUITE("tall_matrix", qr_gives_orthonormal_columns_whose_product_is_the_matrix,
           a_triangle_is_that_of_the_qr_and_the_matrix_stays,
           a_product_in_place_is_the_product_and_clears_what_it_should,
           factorisations_refuse_what_is_not_finite,
           shrinking_a_pair_is_soft_thresholding_of_its_product,
           iteration_comes_close_to_the_best_of_its_rank_and_the_certificate_holds,
           iteration_is_exact_when_there_are_columns_enough,
           stacked_iteration_is_a_projection_of_the_stacked_covariance,
           an_evaluation_finds_the_errors_of_the_definition,
           the_example_of_the_header_is_what_happens)
