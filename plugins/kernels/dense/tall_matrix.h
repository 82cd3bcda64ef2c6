/* tall_matrix.h -- matrices of many rows and few columns, kept row by row: a row is what is known
 * of one feature.
 *
 * What a sketch needs of them, in place, so that nothing of the size of the rows is allocated:
 *
 *   A = Q R                    Q where A was, R small
 *   A <- A W                   for a small matrix W
 *   M = U diag(s) V'           of a small matrix; G = V diag(lambda) V' of a small symmetric one
 *
 * Small means k x k with k the columns. Row-major throughout; only tall_matrix.c talks to LAPACK,
 * which reads the same memory as the transposed matrix (so the QR of A is the LQ of A').
 * Deterministic for one BLAS on one kind of CPU.
 */
#ifndef LEAT_KERNELS_DENSE_TALL_MATRIX_H
#define LEAT_KERNELS_DENSE_TALL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALL_MATRIX_MAX_COLUMNS 4096

/* n rows; the first column at a, the next row ld doubles further on. */
struct tall_matrix {
    double *a;
    uint32_t n, ld;
};

/* The same rows from another column on. */
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
/* block: aligned to 64. */
void tall_matrix_work_init(struct tall_matrix_work *w, uint32_t k, void *block);

/* A (k columns) becomes Q, R[r x k] upper; r = min(n, k) is returned. Columns of Q are orthonormal
 * whatever the rank of A. */
uint32_t tall_matrix_qr(struct tall_matrix A, uint32_t k, double *R, struct tall_matrix_work *w);
/* The first c columns become A[: , :k] W, W[k x c] with ldw; columns c .. clear - 1 become zero. */
void tall_matrix_times(struct tall_matrix A, uint32_t k, const double *W, uint32_t ldw, uint32_t c,
                       uint32_t clear, struct tall_matrix_work *w);
void tall_matrix_clear(struct tall_matrix A, uint32_t k);

/* M[m x n] (overwritten) = U[m x s] diag(sigma) Vt[s x n], s = min(m, n), sigma descending.
 * false: it did not converge, or M is not finite. */
bool tall_matrix_svd(uint32_t m, uint32_t n, double *M, double *sigma, double *U, double *Vt,
                     struct tall_matrix_work *w);
/* Symmetric G[k x k], lower triangle, overwritten: row i becomes the eigenvector of lambda[i],
 * ascending. */
bool tall_matrix_eigen(uint32_t k, double *G, double *lambda, struct tall_matrix_work *w);

#endif
