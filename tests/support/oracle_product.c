/* oracle_product.c -- implementation of oracle_product.h. */
#include "oracle_product.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dense dense_new(uint32_t m, uint32_t n)
{
    return (struct dense){m, n, calloc((size_t)m * n + 1, sizeof(double))};
}

void dense_free(struct dense *d) { free(d->a); }

void dense_add_pair(struct dense P, struct dense X, struct dense Y, uint32_t j, double factor)
{
    for (uint32_t i = 0; i < X.m; i++)
        for (uint32_t k = 0; k < Y.m; k++)
            *dense_at(P, i, k) += factor * *dense_at(X, i, j) * *dense_at(Y, k, j);
}

struct dense dense_times_transposed(struct dense A, struct dense B)
{
    struct dense P = dense_new(A.m, B.m);
    for (uint32_t j = 0; j < A.n; j++)
        dense_add_pair(P, A, B, j, 1);
    return P;
}

static struct dense transposed(struct dense d)
{
    struct dense t = dense_new(d.n, d.m);
    for (uint32_t i = 0; i < d.m; i++)
        for (uint32_t j = 0; j < d.n; j++)
            *dense_at(t, j, i) = *dense_at(d, i, j);
    return t;
}

static double dot_columns(struct dense d, uint32_t p, uint32_t q)
{
    double s = 0;
    for (uint32_t i = 0; i < d.m; i++)
        s += *dense_at(d, i, p) * *dense_at(d, i, q);
    return s;
}

static void rotate(struct dense d, uint32_t p, uint32_t q, double c, double s)
{
    for (uint32_t i = 0; i < d.m; i++) {
        double x = *dense_at(d, i, p), y = *dense_at(d, i, q);
        *dense_at(d, i, p) = c * x - s * y;
        *dense_at(d, i, q) = s * x + c * y;
    }
}

/* Finds W = d V with orthogonal columns; V is orthogonal. */
static void jacobi(struct dense W, struct dense V)
{
    for (uint32_t i = 0; i < V.m; i++)
        *dense_at(V, i, i) = 1;
    for (int sweep = 0, turned = 1; turned && sweep < 60; sweep++) {
        turned = 0;
        for (uint32_t p = 0; p < W.n; p++)
            for (uint32_t q = p + 1; q < W.n; q++) {
                double a = dot_columns(W, p, p), b = dot_columns(W, q, q), g = dot_columns(W, p, q);
                if (fabs(g) <= 1e-15 * sqrt(a * b) || g == 0) continue;
                double z = (b - a) / (2 * g), t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
                double c = 1 / sqrt(1 + t * t);
                rotate(W, p, q, c, c * t);
                rotate(V, p, q, c, c * t);
                turned = 1;
            }
    }
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void dense_singular(struct dense d, double *sigma)
{
    struct dense W = d.m < d.n ? transposed(d) : dense_new(d.m, d.n), V = dense_new(W.n, W.n);
    if (d.m >= d.n) memcpy(W.a, d.a, (size_t)d.m * d.n * sizeof *d.a);
    jacobi(W, V);
    for (uint32_t j = 0; j < W.n; j++)
        sigma[j] = sqrt(dot_columns(W, j, j));
    qsort(sigma, W.n, sizeof *sigma, descending);
    dense_free(&W);
    dense_free(&V);
}

double dense_norm(struct dense d)
{
    uint32_t n = d.m < d.n ? d.m : d.n;
    double *sigma = calloc(n + 1, sizeof *sigma);
    dense_singular(d, sigma);
    double norm = sigma[0];
    free(sigma);
    return norm;
}

double dense_frobenius(struct dense d)
{
    double s = 0;
    for (uint64_t i = 0; i < (uint64_t)d.m * d.n; i++)
        s += d.a[i] * d.a[i];
    return sqrt(s);
}

double dense_distance(struct dense a, struct dense b)
{
    struct dense e = dense_new(a.m, a.n);
    for (uint64_t i = 0; i < (uint64_t)a.m * a.n; i++)
        e.a[i] = a.a[i] - b.a[i];
    double norm = dense_norm(e);
    dense_free(&e);
    return norm;
}

double dense_soften(struct dense d, uint32_t level, uint32_t *left)
{
    uint32_t n = d.m < d.n ? d.m : d.n;
    double *sigma = calloc(n + 1, sizeof *sigma);
    struct dense W = dense_new(d.m, d.n), V = dense_new(d.n, d.n);
    memcpy(W.a, d.a, (size_t)d.m * d.n * sizeof *d.a);
    dense_singular(d, sigma);
    jacobi(W, V);
    double rounding = 1e-12 * sigma[0];
    double gamma = level && level <= n && sigma[level - 1] > rounding ? sigma[level - 1] : 0;
    memset(d.a, 0, (size_t)d.m * d.n * sizeof *d.a);
    *left = 0;
    for (uint32_t j = 0; j < d.n; j++) {
        double s = sqrt(dot_columns(W, j, j));
        if (s - gamma > rounding) {
            ++*left;
            dense_add_pair(d, W, V, j, (s - gamma) / s);
        }
    }
    dense_free(&W);
    dense_free(&V);
    free(sigma);
    return gamma;
}

struct dense oracle_cod(struct dense X, struct dense Y, uint32_t l, double *lost)
{
    struct dense P = dense_new(X.m, Y.m);
    uint32_t used = 0;
    *lost = 0;
    for (uint32_t j = 0; j < X.n; j++) {
        dense_add_pair(P, X, Y, j, 1);
        if (++used == l) *lost += dense_soften(P, l < 2 ? l : l / 2, &used);
    }
    return P;
}

static uint32_t nonzeros(struct dense d, uint32_t j)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d.m; i++)
        n += *dense_at(d, i, j) != 0;
    return n;
}

struct dense oracle_scod(struct dense X, struct dense Y, uint32_t l, double *lost)
{
    struct dense P = dense_new(X.m, Y.m);
    uint32_t nx = 0, ny = 0, pairs = 0, left, most = X.m > Y.m ? X.m : Y.m;
    *lost = 0;
    for (uint32_t j = 0; j < X.n; j++) {
        dense_add_pair(P, X, Y, j, 1);
        nx += nonzeros(X, j), ny += nonzeros(Y, j), pairs++;
        if (nx < l * X.m && ny < l * Y.m && pairs < most && j + 1 < X.n) continue;
        *lost += dense_soften(P, l, &left);
        nx = ny = pairs = 0;
    }
    return P;
}

struct dense oracle_fd(struct dense X, struct dense Y, uint32_t l, double *lost)
{
    struct dense Z = dense_new(X.m + Y.m, X.n), C = dense_new(Z.m, Z.m), P = dense_new(X.m, Y.m);
    uint32_t used = 0;
    memcpy(Z.a, X.a, (size_t)X.m * X.n * sizeof *X.a);
    memcpy(dense_at(Z, X.m, 0), Y.a, (size_t)Y.m * Y.n * sizeof *Y.a);
    *lost = 0;
    for (uint32_t j = 0; j < X.n; j++) {
        dense_add_pair(C, Z, Z, j, 1);
        if (++used == l) *lost += dense_soften(C, l < 2 ? l : l / 2, &used) / 2;
    }
    for (uint32_t i = 0; i < X.m; i++)
        memcpy(dense_at(P, i, 0), dense_at(C, i, X.m), Y.m * sizeof(double));
    dense_free(&Z);
    dense_free(&C);
    return P;
}

struct dense dense_random(uint32_t m, uint32_t n, double density, uint64_t seed)
{
    struct dense d = dense_new(m, n);
    for (uint64_t i = 0; i < (uint64_t)m * n; i++)
        if (uniform(&seed, 0, 1) < density) d.a[i] = uniform(&seed, -1, 1);
    return d;
}

struct dense dense_of_rank(uint32_t m, uint32_t n, uint32_t rank, uint64_t seed)
{
    struct dense A = dense_random(m, rank, 1, seed), B = dense_random(n, rank, 1, seed + 1);
    struct dense P = dense_times_transposed(A, B);
    dense_free(&A);
    dense_free(&B);
    return P;
}
