/* fd_eigen.h -- eigenvalues and eigenvectors of a small symmetric matrix: A = Z' diag(lambda) Z.
 *
 * Up to FD_EIGEN_QL_MAX rows by Householder's tridiagonal form and the implicit QL method (Wilkinson
 * and Reinsch, Handbook for Automatic Computation, II/2 and II/4), here because LAPACK takes 1.1 (n
 * = 40) to 1.8 (n = 10) times as long; beyond by its dsyevd, which is the faster one from n = 50.
 * Either way |A Z' - Z' diag(lambda)| and |Z Z' - I| are some units in the last place (of |A|, of
 * 1), growing with n; at any scale.
 */
#ifndef LEAT_KERNELS_FD_FD_EIGEN_H
#define LEAT_KERNELS_FD_FD_EIGEN_H

#include <stddef.h>
#include <stdint.h>

#define FD_EIGEN_QL_MAX 40

/* Doubles a row of Z. */
static inline uint32_t fd_eigen_ld(uint32_t n) { return (n + 3) & ~3u; }
/* Doubles of work for matrices up to n x n. */
size_t fd_eigen_work(uint32_t n);
/* a: n x n, finite, lower triangle, row-major, ld a row. lambda: n, descending. Returns Z, its rows
 * in that order, fd_eigen_ld(n) apart, within work (aligned to 32). */
const double *fd_eigen(uint32_t n, const double *a, uint32_t ld, double *lambda, double *work);

#endif
