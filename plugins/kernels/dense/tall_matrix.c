/* tall_matrix.c -- implementation of tall_matrix.h. */
#include "tall_matrix.h"

#include <assert.h>
#include <string.h>

#include "eigen.h"
#include "kernels/base/layout.h"
#include "multiply.h"
#include "qr.h"
#include "svd.h"
#include "vectors.h"

enum { BLOCK = 128 }; /* rows that tall_matrix_times() multiplies in one block */

/* Returns the doubles of workspace that suffice for qr(), svd() and eigen(). */
static size_t tall_matrix_doubles(uint32_t k)
{
    size_t n = qr_work(k) > svd_work(k) ? qr_work(k) : svd_work(k);
    return n > eigen_work(k) ? n : eigen_work(k);
}

static size_t tall_matrix_lay_out(struct tall_matrix_work *w, uint32_t k, void *base)
{
    struct layout c = {base, 0};
    w->k = k;
    w->block = layout_take(&c, (size_t)BLOCK * k, 8);
    w->work = layout_take(&c, tall_matrix_doubles(k), 8);
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

uint32_t tall_matrix_qr(struct tall_matrix A, uint32_t k, double *R, struct tall_matrix_work *w)
{
    assert(k <= w->k && k <= A.ld);
    return qr(A.n, k, A.a, A.ld, R, w->work);
}

size_t tall_matrix_stack(uint32_t k) { return qr_stack(k); }

uint32_t tall_matrix_triangle(struct tall_matrix A, uint32_t k, double *R, double *stack,
                              struct tall_matrix_work *w)
{
    assert(k <= w->k && k <= A.ld);
    return qr_triangle(A.n, k, A.a, A.ld, R, stack, w->work);
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

bool tall_matrix_svd(uint32_t m, uint32_t n, const double *M, double *sigma, double *U, double *Vt,
                     struct tall_matrix_work *w)
{
    assert(m <= w->k && n <= w->k);
    return svd(m, n, M, sigma, U, Vt, w->work);
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
