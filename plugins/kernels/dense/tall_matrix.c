/* tall_matrix.c -- implementation of tall_matrix.h. */
#include "tall_matrix.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "multiply.h"
#include "vectors.h"

enum { BLOCK = 128 };   /* rows that tall_matrix_times() multiplies in one block */
enum { STACKED = 256 }; /* smallest number of rows that tall_matrix_triangle() adds at a time */

/* Returns the doubles of workspace that suffice for dgesdd, dsyevd, blocked dgelqf and dorglq. */
static size_t tall_matrix_lapack_doubles(size_t k) { return 4 * k * k + 128 * k + 64; }

static size_t tall_matrix_lay_out(struct tall_matrix_work *w, uint32_t k, void *base)
{
    struct layout c = {base, 0};
    w->k = k;
    w->n_lapack = tall_matrix_lapack_doubles(k);
    w->block = layout_take(&c, (size_t)BLOCK * k, 8);
    w->tau = layout_take(&c, k, 8);
    w->lapack = layout_take(&c, w->n_lapack, 8);
    w->integers = layout_take(&c, 8 * (size_t)k + 8, sizeof *w->integers);
    return c.used;
}

size_t tall_matrix_work_bytes(uint32_t k)
{
    struct tall_matrix_work w;
    return tall_matrix_lay_out(&w, k, NULL);
}

void tall_matrix_work_init(struct tall_matrix_work *w, uint32_t k, void *block)
{
    assert(k && k <= TALL_MATRIX_MAX_COLUMNS);
    tall_matrix_lay_out(w, k, block);
}

static lapack_int tall_matrix_lapack(size_t n)
{
    assert(n <= INT32_MAX);
    return (lapack_int)n;
}

/* Factors A = Q R as the LQ of A' (LAPACK sees A transposed). Copies R out of A, and leaves the
 * factors of Q in A and w->tau. Returns the number of rows of R. */
static uint32_t tall_matrix_factor(struct tall_matrix A, uint32_t k, double *R,
                                   struct tall_matrix_work *w)
{
    uint32_t r = A.n < k ? A.n : k;
    lapack_int info = LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, tall_matrix_lapack(k),
                                          tall_matrix_lapack(A.n), A.a, tall_matrix_lapack(A.ld),
                                          w->tau, w->lapack, tall_matrix_lapack(w->n_lapack));
    assert(!info);
    for (uint32_t i = 0; i < r; i++) {
        memset(R + (size_t)i * k, 0, i * sizeof *R);
        memcpy(R + (size_t)i * k + i, A.a + (size_t)i * A.ld + i, (k - i) * sizeof *R);
    }
    return r;
}

uint32_t tall_matrix_qr(struct tall_matrix A, uint32_t k, double *R, struct tall_matrix_work *w)
{
    assert(k <= w->k && k <= A.ld);
    if (!A.n || !k) return 0;
    uint32_t r = tall_matrix_factor(A, k, R, w);
    lapack_int info = LAPACKE_dorglq_work(
        LAPACK_COL_MAJOR, tall_matrix_lapack(r), tall_matrix_lapack(A.n), tall_matrix_lapack(r),
        A.a, tall_matrix_lapack(A.ld), w->tau, w->lapack, tall_matrix_lapack(w->n_lapack));
    assert(!info);
    return r;
}

/* Returns how many rows of A are stacked below R at a time. Smaller stacks would cost more time,
 * because each stack factors R again. */
static uint32_t tall_matrix_stacked(uint32_t k) { return k > STACKED ? k : STACKED; }

size_t tall_matrix_stack(uint32_t k) { return ((size_t)k + tall_matrix_stacked(k)) * k; }

uint32_t tall_matrix_triangle(struct tall_matrix A, uint32_t k, double *R, double *stack,
                              struct tall_matrix_work *w)
{
    uint32_t r = 0;
    assert(k <= w->k && k <= A.ld);
    if (!k) return 0;
    for (uint32_t from = 0, rows; from < A.n; from += rows) {
        rows = A.n - from < tall_matrix_stacked(k) ? A.n - from : tall_matrix_stacked(k);
        memcpy(stack, R, (size_t)r * k * sizeof *R);
        for (uint32_t i = 0; i < rows; i++)
            memcpy(stack + (size_t)(r + i) * k, A.a + (size_t)(from + i) * A.ld, k * sizeof *R);
        r = tall_matrix_factor((struct tall_matrix){stack, r + rows, k}, k, R, w);
    }
    return r;
}

void tall_matrix_times(struct tall_matrix A, uint32_t k, const double *W, uint32_t ldw, uint32_t c,
                       uint32_t clear, struct tall_matrix_work *w)
{
    assert(k <= w->k && c <= w->k && c <= ldw && (c > clear ? c : clear) <= A.ld);
    for (uint32_t from = 0; from < A.n; from += BLOCK) {
        uint32_t rows = A.n - from < BLOCK ? A.n - from : BLOCK;
        double *a = A.a + (size_t)from * A.ld;
        multiply_nn(rows, c, k, 1, a, A.ld, W, ldw, false, w->block, c); /* A[rows, :k] W */
        for (uint32_t i = 0; i < rows; i++, a += A.ld) {
            memcpy(a, w->block + (size_t)i * c, c * sizeof *a);
            if (clear > c) memset(a + c, 0, (clear - c) * sizeof *a);
        }
    }
}

void tall_matrix_clear(struct tall_matrix A, uint32_t k)
{
    assert(k <= A.ld);
    for (uint32_t i = 0; i < A.n; i++)
        memset(A.a + (size_t)i * A.ld, 0, k * sizeof *A.a);
}

bool tall_matrix_svd(uint32_t m, uint32_t n, double *M, double *sigma, double *U, double *Vt,
                     struct tall_matrix_work *w)
{
    uint32_t s = m < n ? m : n;
    assert(m <= w->k && n <= w->k);
    if (!s) return true;
    for (size_t i = 0; i < (size_t)m * n; i++)
        if (!isfinite(M[i])) return false;
    /* LAPACK sees M' = V diag(sigma) U'. Its u, column by column, is our Vt row by row;
     * its vt is our U. */
    return !LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', tall_matrix_lapack(n), tall_matrix_lapack(m),
                                M, tall_matrix_lapack(n), sigma, Vt, tall_matrix_lapack(n), U,
                                tall_matrix_lapack(s), w->lapack, tall_matrix_lapack(w->n_lapack),
                                w->integers);
}

bool tall_matrix_eigen(uint32_t k, double *G, double *lambda, struct tall_matrix_work *w)
{
    assert(k <= w->k);
    if (!k) return true;
    for (size_t i = 0; i < (size_t)k * k; i++)
        if (!isfinite(G[i])) return false;
    /* LAPACK sees G by columns, so our lower triangle is its upper triangle. */
    return !LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', tall_matrix_lapack(k), G,
                                tall_matrix_lapack(k), lambda, w->lapack,
                                tall_matrix_lapack(w->n_lapack), w->integers,
                                tall_matrix_lapack(8 * (size_t)w->k + 8));
}

/* ---- sparse columns ---- */

void sparse_columns_append(struct sparse_columns *s, uint32_t n, const uint32_t *feature,
                           const double *value)
{
    uint32_t at = sparse_columns_entries(s);
    assert(s->columns < s->max_columns && n <= s->max_entries - at);
    if (n) {
        memcpy(s->feature + at, feature, n * sizeof *feature);
        memcpy(s->value + at, value, n * sizeof *value);
    }
    s->start[++s->columns] = at + n;
}

/* Computes t += S[:, j]' G for column j of S. */
static void sparse_columns_gather(const struct sparse_columns *s, uint32_t j, struct tall_matrix G,
                                  uint32_t k, double *t)
{
    for (uint32_t e = s->start[j]; e < s->start[j + 1]; e++)
        vectors_add(k, s->value[e], G.a + (size_t)s->feature[e] * G.ld, t);
}

/* Computes K += S[:, j] t' for column j of S. */
static void sparse_columns_scatter(const struct sparse_columns *s, uint32_t j, const double *t,
                                   uint32_t k, struct tall_matrix K)
{
    for (uint32_t e = s->start[j]; e < s->start[j + 1]; e++)
        vectors_add(k, s->value[e], t, K.a + (size_t)s->feature[e] * K.ld);
}

void sparse_columns_product(const struct sparse_columns *x, const struct sparse_columns *y,
                            struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t)
{
    assert(x->columns == y->columns);
    for (uint32_t j = 0; j < x->columns; j++) {
        memset(t, 0, k * sizeof *t);
        sparse_columns_gather(y, j, G, k, t);  /* t = y_j'G */
        sparse_columns_scatter(x, j, t, k, K); /* K += x_j t */
    }
}

void sparse_columns_square(const struct sparse_columns *x, const struct sparse_columns *y,
                           const struct tall_matrix G[2], const struct tall_matrix K[2], uint32_t k,
                           double *t)
{
    assert(x->columns == y->columns);
    for (uint32_t j = 0; j < x->columns; j++) {
        memset(t, 0, k * sizeof *t);
        sparse_columns_gather(x, j, G[0], k, t); /* t = x_j'G_x + y_j'G_y */
        sparse_columns_gather(y, j, G[1], k, t);
        sparse_columns_scatter(x, j, t, k, K[0]);
        sparse_columns_scatter(y, j, t, k, K[1]);
    }
}

void sparse_columns_apply(const struct sparse_columns *x, const struct sparse_columns *y,
                          const double *v, double *u)
{
    assert(x->columns == y->columns);
    for (uint32_t j = 0; j < x->columns; j++) {
        double t = 0; /* y_j'v */
        for (uint32_t e = y->start[j]; e < y->start[j + 1]; e++)
            t += y->value[e] * v[y->feature[e]];
        for (uint32_t e = x->start[j]; e < x->start[j + 1]; e++)
            u[x->feature[e]] += t * x->value[e];
    }
}
