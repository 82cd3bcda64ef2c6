/* tall_matrix.h -- matrices of many rows and few columns, and buffers of sparse columns.
 *
 * A tall matrix is stored row by row; each row belongs to a feature.
 *
 * These are the operations that a sketch needs. They work in place, with workspace for k columns
 * but not for all rows.
 *
 *   A = Q R              Q replaces A; R is small
 *   A <- A W             for a small matrix W
 *   M = U diag(s) V'     for a small matrix M
 *   G = V diag(l) V'     for a small symmetric matrix G
 *
 * Example. The rows (3, 0) and (4, 5) have R = (5, 4; 0, 3), up to signs of rows, because
 * R'R = A'A = (25, 20; 20, 25). The singular values of A and of R are sqrt 45 and sqrt 5.
 *
 * Small means k x k, where k is the number of columns. All matrices are row-major. LAPACK reads
 * this memory as the transposed matrix, so the QR of A is the LQ of A'. Results are deterministic
 * for one BLAS on one kind of CPU. */
#ifndef LEAT_KERNELS_DENSE_TALL_MATRIX_H
#define LEAT_KERNELS_DENSE_TALL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALL_MATRIX_MAX_COLUMNS 4096

/* Matrix of n rows, ld doubles from row to row. a: first column. */
struct tall_matrix {
    double *a;
    uint32_t n, ld;
};

/* Matrix of all rows of t, from a later column on. */
static inline struct tall_matrix tall_matrix_from(struct tall_matrix t, uint32_t column)
{
    t.a += column;
    return t;
}

/* Workspace for matrices of up to k columns. */
struct tall_matrix_work {
    uint32_t k;
    double *block, *tau, *lapack;
    int32_t *integers;
    size_t n_lapack;
};
size_t tall_matrix_work_bytes(uint32_t k);
/* block: tall_matrix_work_bytes(k) bytes, aligned to 64. */
void tall_matrix_work_init(struct tall_matrix_work *w, uint32_t k, void *block);

/* Factors the first k columns of A, which Q replaces. R becomes r x k, upper triangular. Returns
 * r = min(n, k). The columns of Q are orthonormal whatever the rank of A. */
uint32_t tall_matrix_qr(struct tall_matrix A, uint32_t k, double *R, struct tall_matrix_work *w);
/* Computes the R of tall_matrix_qr(), up to signs of rows, without changing A. Block by block, it
 * stacks rows of A below the current R and factors both (sequential TSQR: J. Demmel, L. Grigori, M.
 * Hoemmen, J. Langou, Communication-optimal parallel and sequential QR and LU, SIAM J. Sci. Comput.
 * 2012). stack: tall_matrix_stack(k) doubles. */
uint32_t tall_matrix_triangle(struct tall_matrix A, uint32_t k, double *R, double *stack,
                              struct tall_matrix_work *w);
size_t tall_matrix_stack(uint32_t k);
/* Sets the first c columns of A to A[:, :k] W, where W is k x c with ldw doubles from row to row.
 * Sets the columns c .. clear - 1 to zero. */
void tall_matrix_times(struct tall_matrix A, uint32_t k, const double *W, uint32_t ldw, uint32_t c,
                       uint32_t clear, struct tall_matrix_work *w);
/* Sets the first k columns to zero. */
void tall_matrix_clear(struct tall_matrix A, uint32_t k);

/* Computes M = U diag(sigma) Vt, sigma descending. M is m x n, U m x s, Vt s x n, with
 * s = min(m, n). Overwrites M. Returns false if the iteration did not converge, or M is not
 * finite. */
bool tall_matrix_svd(uint32_t m, uint32_t n, double *M, double *sigma, double *U, double *Vt,
                     struct tall_matrix_work *w);
/* Computes the eigenvalues, ascending, of the symmetric k x k matrix G from its lower triangle. Row
 * i of G becomes the eigenvector of lambda[i]. Returns false as tall_matrix_svd(). */
bool tall_matrix_eigen(uint32_t k, double *G, double *lambda, struct tall_matrix_work *w);

/* ---- buffers of sparse columns ----
 *
 * S is features x columns, stored column by column: column j has the entries start[j] ..
 * start[j + 1] - 1. A feature occurs at most once in a column.
 *
 * Two buffers S_x and S_y, whose columns arrive in pairs, have the product
 *
 *   S_x S_y' = sum over j of x_j y_j'
 *
 * This matrix is never formed. Multiplication by it goes pair by pair: (x_j y_j') g = x_j (y_j'g).
 * For k right sides it takes (nnz(S_x) + nnz(S_y)) k time and k doubles of memory. */

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

/* Appends a column. There must be room for it and for its n entries. */
void sparse_columns_append(struct sparse_columns *s, uint32_t n, const uint32_t *feature,
                           const double *value);
static inline void sparse_columns_clear(struct sparse_columns *s) { s->columns = s->start[0] = 0; }

/* Computes K += S_x S_y' G, k columns each. t: k doubles of scratch. K and G must not overlap. */
void sparse_columns_product(const struct sparse_columns *x, const struct sparse_columns *y,
                            struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t);
/* Computes (K_x, K_y) += W W' (G_x, G_y), where W is S_x on top of S_y. */
void sparse_columns_square(const struct sparse_columns *x, const struct sparse_columns *y,
                           const struct tall_matrix G[2], const struct tall_matrix K[2], uint32_t k,
                           double *t);
/* Computes u += S_x S_y' v. */
void sparse_columns_apply(const struct sparse_columns *x, const struct sparse_columns *y,
                          const double *v, double *u);

#endif
