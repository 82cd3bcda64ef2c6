/* oracle_product.h -- small dense matrices, the slow way, without BLAS and LAPACK.
 *
 * Products are by definition, singular values by one-sided Jacobi rotations. Sketches are compared
 * by A B' alone. Dense shrinkage of (A, B) at gamma is soft thresholding of the singular values of
 * A B'. The shrinkage of frequent directions is soft thresholding of Z Z'. */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_PRODUCT_H
#define LEAT_TESTS_SUPPORT_ORACLE_PRODUCT_H

#include <stdint.h>

struct dense {
    uint32_t m, n;
    double *a; /* row by row */
};

struct dense dense_new(uint32_t m, uint32_t n);
void dense_free(struct dense *d);
static inline double *dense_at(struct dense d, uint32_t i, uint32_t j)
{
    return &d.a[(uint64_t)i * d.n + j];
}
/* Adds factor * X[:, j] Y[:, j]' to P. */
void dense_add_pair(struct dense P, struct dense X, struct dense Y, uint32_t j, double factor);
struct dense dense_times_transposed(struct dense A, struct dense B); /* A B' */

/* Finds the min(m, n) singular values, descending. */
void dense_singular(struct dense d, double *sigma);
double dense_norm(struct dense d); /* spectral norm */
double dense_frobenius(struct dense d);
double dense_distance(struct dense a, struct dense b); /* spectral norm of a - b */

/* Subtracts the level-th singular value from all, with a minimum of 0; level 0 subtracts nothing.
 * Returns the subtracted value; *left: how many remain. Values below 1e-12 of the first count as
 * 0. */
double dense_soften(struct dense d, uint32_t level, uint32_t *left);

/* Return A B' of COD (pairs of X and Y in order); X Y' of FD on the stacked columns. */
struct dense oracle_cod(struct dense X, struct dense Y, uint32_t l, double *lost);
struct dense oracle_fd(struct dense X, struct dense Y, uint32_t l, double *lost);

/* Returns A B' of SCOD in the paper's form, for an l at which buffers are factored without loss. A
 * buffer is full at l non-zeros a row of either side, or at as many pairs as the larger side has
 * rows. */
struct dense oracle_scod(struct dense X, struct dense Y, uint32_t l, double *lost);

/* Returns a matrix with uniform entries in (-1, 1), of which about `density` are not 0;
 * splitmix64. */
struct dense dense_random(uint32_t m, uint32_t n, double density, uint64_t seed);
/* Returns the product of two random factors. */
struct dense dense_of_rank(uint32_t m, uint32_t n, uint32_t rank, uint64_t seed);

#endif
