/* sparse_columns.h -- a buffer of sparse columns, and products of such a buffer with dense rows.
 *
 * S is features x columns, kept column by column: entries start[j] .. start[j + 1] are column j's.
 * A feature comes at most once in a column. Two buffers, S_x and S_y, whose columns arrive in pairs
 * make the product S_x S_y' = sum over j of x_j y_j', which is never formed: a product with it goes
 * pair by pair, (x_j y_j') g = x_j (y_j'g), in time (nnz(S_x) + nnz(S_y)) k for k right sides and
 * with k doubles of memory.
 */
#ifndef LEAT_KERNELS_DENSE_SPARSE_COLUMNS_H
#define LEAT_KERNELS_DENSE_SPARSE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "tall_matrix.h"

struct sparse_columns {
    uint32_t columns, max_columns;
    uint32_t max_entries;
    uint32_t *start; /* max_columns + 1 */
    uint32_t *feature;
    double *value;
};

static inline uint32_t sparse_columns_entries(const struct sparse_columns *s)
{
    return s->start[s->columns];
}

/* There must be room. */
void sparse_columns_append(struct sparse_columns *s, uint32_t n, const uint32_t *feature,
                           const double *value);
static inline void sparse_columns_clear(struct sparse_columns *s) { s->columns = s->start[0] = 0; }

/* K += S_x S_y' G of k columns; t: k doubles. K and G do not overlap. */
void sparse_columns_product(const struct sparse_columns *x, const struct sparse_columns *y,
                            struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t);
/* (K_x, K_y) += W W' (G_x, G_y) for W = S_x above S_y. */
void sparse_columns_square(const struct sparse_columns *x, const struct sparse_columns *y,
                           const struct tall_matrix G[2], const struct tall_matrix K[2], uint32_t k,
                           double *t);
/* u += S_x S_y' v for vectors. */
void sparse_columns_apply(const struct sparse_columns *x, const struct sparse_columns *y,
                          const double *v, double *u);

#endif
