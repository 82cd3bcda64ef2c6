/* tall_matrix.h -- matrices with many rows and few columns, and lists of sparse columns.
 *
 * A tall matrix is stored row by row. Each row belongs to a feature.
 *
 * The operations are those that sketches need. They work in place. Their workspace depends only on
 * the number k of columns, not on the number of rows.
 *
 *   A = Q R              Q replaces A; R is small
 *   A <- A W             for a small matrix W
 *   M = U diag(s) V'     for a small matrix M
 *
 * Example. The rows (3, 0) and (4, 5) have R = (5, 4; 0, 3), up to the signs of its rows, because
 * R'R = A'A = (25, 20; 20, 25). The singular values of A and of R are sqrt 45 and sqrt 5.
 *
 * Small matrices are at most k x k. All matrices are row-major. qr.h, svd.h and eigen.h
 * have the factorizations. */
#ifndef LEAT_KERNELS_DENSE_TALL_MATRIX_H
#define LEAT_KERNELS_DENSE_TALL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALL_MATRIX_MAX_COLUMNS 4096

/* Matrix of n rows; row i begins at a + i * ld. */
struct tall_matrix {
    double *a;
    uint32_t n, ld;
};

/* Returns the matrix without its first `column` columns. */
static inline struct tall_matrix tall_matrix_from(struct tall_matrix t, uint32_t column)
{
    t.a += column;
    return t;
}

/* Workspace for matrices of up to k columns. */
struct tall_matrix_work {
    uint32_t k;
    double *block;
    double *work; /* of qr(), svd() or eigen() */
};
size_t tall_matrix_work_bytes(uint32_t k);
/* Makes a workspace for k columns. block: tall_matrix_work_bytes(k) bytes, aligned to 64. */
void tall_matrix_work_init(struct tall_matrix_work *w, uint32_t k, void *block);

/* Factors the first k columns of A as Q R. Q replaces them; R becomes an upper triangular r x k
 * matrix. Returns r = min(n, k). The columns of Q are orthonormal even if A has a lower rank. */
uint32_t tall_matrix_qr(struct tall_matrix A, uint32_t k, double *R, struct tall_matrix_work *w);
/* Computes the R of tall_matrix_qr() without changing A. stack: tall_matrix_stack(k) doubles. */
uint32_t tall_matrix_triangle(struct tall_matrix A, uint32_t k, double *R, double *stack,
                              struct tall_matrix_work *w);
size_t tall_matrix_stack(uint32_t k);
/* Sets the first c columns of A to A[:, :k] W, where W is k x c with rows of ldw doubles. Then sets
 * columns c .. clear - 1 to zero. */
void tall_matrix_times(struct tall_matrix A, uint32_t k, const double *W, uint32_t ldw, uint32_t c,
                       uint32_t clear, struct tall_matrix_work *w);
/* Sets the first k columns of A to zero. */
void tall_matrix_clear(struct tall_matrix A, uint32_t k);

/* Computes M = U diag(sigma) Vt with sigma descending. M is m x n, U is m x s, Vt is s x n, and s
 * = min(m, n). Returns false if M is not finite or the iteration
 * did not converge (svd.h). */
bool tall_matrix_svd(uint32_t m, uint32_t n, const double *M, double *sigma, double *U, double *Vt,
                     struct tall_matrix_work *w);

/* ---- lists of sparse columns ----
 *
 * S is a matrix of features x columns, stored column by column. The entries of column j are
 * start[j] .. start[j + 1] - 1. A feature occurs at most once in a column.
 *
 * The columns of two lists S_x and S_y are added in pairs (x_j, y_j). Their product is
 *
 *   S_x S_y' = sum over j of x_j y_j'
 *
 * This matrix is never formed. It is multiplied by a vector g pair by pair: (x_j y_j') g = x_j
 * (y_j'g). For k vectors, this takes (nnz(S_x) + nnz(S_y)) k time and k doubles of memory. */

struct sparse_columns {
    uint32_t columns, max_columns;
    uint32_t max_entries;
    uint32_t *start;   /* [max_columns + 1] */
    uint32_t *feature; /* [max_entries] */
    double *value;     /* [max_entries] */
};

static inline uint32_t sparse_columns_entries(const struct sparse_columns *s)
{
    return s->start[s->columns];
}

/* Appends a column of n entries, for which there must be room. */
void sparse_columns_append(struct sparse_columns *s, uint32_t n, const uint32_t *feature,
                           const double *value);
static inline void sparse_columns_clear(struct sparse_columns *s) { s->columns = s->start[0] = 0; }

/* Computes K += S_x S_y' G, where x and y list the columns of S_x and S_y. K and G have k columns
 * and do not overlap. t: k doubles of scratch. */
void sparse_columns_product(const struct sparse_columns *x, const struct sparse_columns *y,
                            struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t);
/* Computes K += W W' G for the matrix W that has the rows of S_x above those of S_y. x and y list
 * the columns of S_x and S_y. G[0] and K[0] have the rows of S_x; G[1] and K[1] have those of S_y.
 * t: k doubles of scratch. */
void sparse_columns_square(const struct sparse_columns *x, const struct sparse_columns *y,
                           const struct tall_matrix G[2], const struct tall_matrix K[2], uint32_t k,
                           double *t);
/* Computes u += S_x S_y' v, where x and y list the columns of S_x and S_y. */
void sparse_columns_apply(const struct sparse_columns *x, const struct sparse_columns *y,
                          const double *v, double *u);

#endif
