/* simultaneous.c -- see simultaneous.h. */
#include "simultaneous.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "kernels/base/random.h"

static void fill(struct tall_matrix G, uint32_t k, uint64_t *random)
{
    for (uint32_t i = 0; i < G.n; i++)
        random_fill(random, k, G.a + (size_t)i * G.ld);
}

/* K = S_x S_y' G. */
static void product(const struct sparse_columns *x, const struct sparse_columns *y,
                    struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t)
{
    tall_matrix_clear(K, k);
    sparse_columns_product(x, y, G, K, k, t);
}

void simultaneous(const struct sparse_columns *x, const struct sparse_columns *y,
                  struct tall_matrix C, struct tall_matrix D, uint32_t k, uint32_t q,
                  uint64_t *random, struct simultaneous_work *w)
{
    fill(D, k, random);
    product(x, y, D, C, k, w->t);
    tall_matrix_qr(C, k, w->R, w->tall);
    for (uint32_t i = 0; i < q; i++) {
        product(y, x, C, D, k, w->t);
        product(x, y, D, C, k, w->t);
        tall_matrix_qr(C, k, w->R, w->tall);
    }
    product(y, x, C, D, k, w->t);
}

/* ---- stacked ---- */

static void square(const struct sparse_columns *x, const struct sparse_columns *y,
                   const struct tall_matrix T[2], uint32_t from, uint32_t to, uint32_t k, double *t)
{
    struct tall_matrix G[2] = {tall_matrix_from(T[0], from), tall_matrix_from(T[1], from)};
    struct tall_matrix K[2] = {tall_matrix_from(T[0], to), tall_matrix_from(T[1], to)};
    tall_matrix_clear(K[0], k);
    tall_matrix_clear(K[1], k);
    sparse_columns_square(x, y, G, K, k, t);
}

/* Orthonormal columns of two blocks, one above the other: the QR of each, then of both R. */
static void orthonormal(const struct tall_matrix T[2], uint32_t at, uint32_t k,
                        struct simultaneous_work *w)
{
    struct tall_matrix K[2] = {tall_matrix_from(T[0], at), tall_matrix_from(T[1], at)};
    uint32_t r0 = tall_matrix_qr(K[0], k, w->pair, w->tall);
    uint32_t r1 = tall_matrix_qr(K[1], k, w->pair + (size_t)r0 * k, w->tall);
    struct tall_matrix R = {w->pair, r0 + r1, k};
    tall_matrix_qr(R, k, w->R, w->tall);
    tall_matrix_times(K[0], r0, w->pair, k, k, 0, w->tall);
    tall_matrix_times(K[1], r1, w->pair + (size_t)r0 * k, k, k, 0, w->tall);
}

bool simultaneous_stacked(const struct sparse_columns *x, const struct sparse_columns *y,
                          const struct tall_matrix T[2], uint32_t k, uint32_t q, uint64_t *random,
                          struct simultaneous_work *w)
{
    uint32_t at = (1 + q) % 2 ? k : 0; /* so that the last Q lies in the first k columns */
    fill(tall_matrix_from(T[0], at), k, random);
    fill(tall_matrix_from(T[1], at), k, random);
    for (uint32_t i = 0; i <= q; i++, at = k - at) {
        square(x, y, T, at, k - at, k, w->t);
        orthonormal(T, k - at, k, w);
    }
    square(x, y, T, 0, k, k, w->t);
    for (int s = 0; s < 2; s++) /* H = Q' W W' Q */
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)k, (blasint)k,
                    (blasint)T[s].n, 1, T[s].a, (blasint)T[s].ld, T[s].a + k, (blasint)T[s].ld, s,
                    w->R, (blasint)k);
    if (!tall_matrix_eigen(k, w->R, w->sigma, w->tall)) return false;
    for (uint32_t i = 0; i < k; i++) /* transposed, the largest first, scaled */
        for (uint32_t j = 0; j < k; j++)
            w->pair[(size_t)j * k + i] =
                w->R[(size_t)(k - 1 - i) * k + j] * sqrt(fmax(w->sigma[k - 1 - i], 0));
    tall_matrix_times(T[0], k, w->pair, k, k, 0, w->tall);
    tall_matrix_times(T[1], k, w->pair, k, k, 0, w->tall);
    return true;
}

/* ---- certificate ---- */

/* u = S_x S_y'v - C D'v; t: k. */
static void lack(const struct sparse_columns *x, const struct sparse_columns *y,
                 struct tall_matrix C, struct tall_matrix D, uint32_t k, const double *v, double *u,
                 double *t)
{
    memset(u, 0, C.n * sizeof *u);
    sparse_columns_apply(x, y, v, u);
    cblas_dgemv(CblasRowMajor, CblasTrans, (blasint)D.n, (blasint)k, 1, D.a, (blasint)D.ld, v, 1, 0,
                t, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (blasint)C.n, (blasint)k, -1, C.a, (blasint)C.ld, t, 1,
                1, u, 1);
}

/* x to length 1; its logarithm, -inf for 0. */
static double unit(double *x, uint32_t n)
{
    double norm = cblas_dnrm2((blasint)n, x, 1);
    if (norm > 0) cblas_dscal((blasint)n, 1 / norm, x, 1);
    return log(norm);
}

double simultaneous_certificate(const struct sparse_columns *x, const struct sparse_columns *y,
                                struct tall_matrix C, struct tall_matrix D, uint32_t k,
                                double delta, uint64_t *random, double *u, double *v, double *t)
{
    double chance = 0.5 * (1 + log(C.n)) - log(delta);
    double grown = 0, least = -INFINITY, most = INFINITY; /* logarithms */
    random_fill(random, C.n, u);
    unit(u, C.n);
    for (uint32_t i = 1; most > least + log(1.1); i++) {
        lack(y, x, D, C, k, u, v, t);
        double first = unit(v, D.n);
        lack(x, y, C, D, k, v, u, t);
        double second = unit(u, C.n);
        grown += first + second;
        least = fmax(least, fmax(first, second));
        most = (grown + chance) / (2 * i);
    }
    return exp(most);
}
