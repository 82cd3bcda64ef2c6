/* sparse_columns.h -- a buffer of sparse columns, and products of two such buffers with dense rows.
 *
 * S is features x columns, kept column by column: entries start[j] .. start[j + 1] - 1 are those of
 * column j. A feature occurs at most once in a column.
 *
 * Two buffers S_x and S_y, whose columns arrive in pairs, have the product
 *
 *   S_x S_y' = sum over j of x_j y_j'
 *
 * which is never formed. A product with it goes pair by pair, (x_j y_j') g = x_j (y_j'g). For k
 * right sides it takes (nnz(S_x) + nnz(S_y)) k time and k doubles of memory. */
#ifndef LEAT_KERNELS_DENSE_SPARSE_COLUMNS_H
#define LEAT_KERNELS_DENSE_SPARSE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "tall_matrix.h"

struct sparse_columns {
    uint32_t columns, max_columns;
    uint32_t max_entries;
    uint32_t *start;   /* max_columns + 1 */
    uint32_t *feature; /* max_entries     */
    double *value;     /* max_entries     */
};

static inline uint32_t sparse_columns_entries(const struct sparse_columns *s)
{
    return s->start[s->columns];
}

/* Appends a column; columns < max_columns, and its n entries must fit. */
void sparse_columns_append(struct sparse_columns *s, uint32_t n, const uint32_t *feature,
                           const double *value);
static inline void sparse_columns_clear(struct sparse_columns *s) { s->columns = s->start[0] = 0; }

/* K += S_x S_y' G, k columns each. t: k doubles of scratch. K and G must not overlap. */
void sparse_columns_product(const struct sparse_columns *x, const struct sparse_columns *y,
                            struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t);
/* (K_x, K_y) += W W' (G_x, G_y), where W is S_x on top of S_y. */
void sparse_columns_square(const struct sparse_columns *x, const struct sparse_columns *y,
                           const struct tall_matrix G[2], const struct tall_matrix K[2], uint32_t k,
                           double *t);
/* u += S_x S_y' v */
void sparse_columns_apply(const struct sparse_columns *x, const struct sparse_columns *y,
                          const double *v, double *u);

#endif
