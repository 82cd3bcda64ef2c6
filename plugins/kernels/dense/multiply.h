/* multiply.h -- products of dense row-major matrices, with the same bits on all machines.
 *
 * Matrices are given by their first number and the distance `ld` of their rows, in doubles.
 * In the names, n stands for a matrix and t for its transpose: multiply_tn() computes A'B.
 *
 * Each number of a product C = alpha A B is a sum over k in ascending order:
 *
 *   c_ij = (((start + a_i0 (alpha b_0j)) + a_i1 (alpha b_1j)) + ...
 *
 * The start is 0, or the c_ij from before if `add`. So a product of many rows may be computed
 * block after block, with `add`, and has the same bits as in one call. NaN and infinities pass
 * through as IEEE 754 says. The output must not overlap the inputs. Inputs may be the same.
 * multiply_use() gives large products of matrices to a library, whose order of summation differs.
 *
 * Example. For A = (3, 0; 4, 5), A A' = (9, 12; 12, 41) and A'A = (25, 20; 20, 25). */
#ifndef LEAT_KERNELS_DENSE_MULTIPLY_H
#define LEAT_KERNELS_DENSE_MULTIPLY_H

#include <stdbool.h>
#include <stddef.h>

/* Computes C = alpha A B, or C += alpha A B if `add`. C is m x n, A is m x k, B is k x n. */
void multiply_nn(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc);
/* Does the same for A', where A is k x m. */
void multiply_tn(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc);
/* Does the same for A and B', where B is n x k. */
void multiply_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc);
/* Does the same for A' and B'. */
void multiply_tt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc);

/* Computes the lower triangle of C = alpha A A', or C += alpha A A' if `add`. A is n x k. Numbers
 * above the diagonal of C are neither read nor written. */
void multiply_square_nt(size_t n, size_t k, double alpha, const double *a, size_t lda, bool add,
                        double *c, size_t ldc);
/* Does the same for A'A, where A is k x n. */
void multiply_square_tn(size_t n, size_t k, double alpha, const double *a, size_t lda, bool add,
                        double *c, size_t ldc);

/* Computes y = alpha A x, or y += alpha A x if `add`. A is m x n. The sums of A x are those of
 * vectors_dot(). */
void multiply_vector_n(size_t m, size_t n, double alpha, const double *a, size_t lda,
                       const double *x, bool add, double *y);
/* Computes y = A'(alpha x), or y += A'(alpha x) if `add`. A is m x n. Rows of A are added in
 * ascending order. */
void multiply_vector_t(size_t m, size_t n, double alpha, const double *a, size_t lda,
                       const double *x, bool add, double *y);

/* ---- symmetric matrices, stored as their lower triangle, row by row without gaps ---- */

/* Computes S += alpha x x'. Number (i, j) of S gets (alpha x_i) x_j. */
void multiply_packed_add(size_t n, double alpha, const double *x, double *s);
/* Computes y = alpha S x, or y += alpha S x if `add`. For each row i of the triangle, y_i gets
 * alpha times the dot product of the row with x, then y_j gets s_ij (alpha x_i) for each j < i. */
void multiply_packed_vector(size_t n, double alpha, const double *s, const double *x, bool add,
                            double *y);

/* ---- products by a library ---- */

/* Functions cblas_dgemm and cblas_dsyrk of a library. NULL: no library. */
struct multiply_library {
    void (*dgemm)(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                  const double *a, int lda, const double *b, int ldb, double beta, double *c,
                  int ldc);
    void (*dsyrk)(int order, int triangle, int transposed, int n, int k, double alpha,
                  const double *a, int lda, double beta, double *c, int ldc);
};

/* Gives the large products of matrices from now on to the library. A call with the library in use
 * may run beside products, since it writes nothing. */
void multiply_use(const struct multiply_library *library);

#endif
