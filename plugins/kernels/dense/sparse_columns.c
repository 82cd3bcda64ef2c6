/* sparse_columns.c -- see sparse_columns.h. */
#include "sparse_columns.h"

#include <assert.h>
#include <cblas.h>
#include <string.h>

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

/* t += S[:, j]' G */
static void gather(const struct sparse_columns *s, uint32_t j, struct tall_matrix G, uint32_t k,
                   double *t)
{
    for (uint32_t e = s->start[j]; e < s->start[j + 1]; e++)
        cblas_daxpy((blasint)k, s->value[e], G.a + (size_t)s->feature[e] * G.ld, 1, t, 1);
}

/* K += S[:, j] t' */
static void scatter(const struct sparse_columns *s, uint32_t j, const double *t, uint32_t k,
                    struct tall_matrix K)
{
    for (uint32_t e = s->start[j]; e < s->start[j + 1]; e++)
        cblas_daxpy((blasint)k, s->value[e], t, 1, K.a + (size_t)s->feature[e] * K.ld, 1);
}

void sparse_columns_product(const struct sparse_columns *x, const struct sparse_columns *y,
                            struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t)
{
    assert(x->columns == y->columns);
    for (uint32_t j = 0; j < x->columns; j++) {
        memset(t, 0, k * sizeof *t);
        gather(y, j, G, k, t);  /* t = y_j'G */
        scatter(x, j, t, k, K); /* K += x_j t */
    }
}

void sparse_columns_square(const struct sparse_columns *x, const struct sparse_columns *y,
                           const struct tall_matrix G[2], const struct tall_matrix K[2], uint32_t k,
                           double *t)
{
    assert(x->columns == y->columns);
    for (uint32_t j = 0; j < x->columns; j++) {
        memset(t, 0, k * sizeof *t);
        gather(x, j, G[0], k, t); /* t = x_j'G_x + y_j'G_y */
        gather(y, j, G[1], k, t);
        scatter(x, j, t, k, K[0]);
        scatter(y, j, t, k, K[1]);
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
