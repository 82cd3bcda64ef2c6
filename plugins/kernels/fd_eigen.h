/* fd_eigen.h -- eigenvalues and leading eigenvectors of a small symmetric matrix. */
#ifndef KERNEL_FD_EIGEN_H
#define KERNEL_FD_EIGEN_H

#include <stddef.h>
#include <stdint.h>

/* Doubles of work for matrices up to n x n. */
size_t fd_eigen_work(uint32_t n);
/* a: n x n, lower triangle, row-major, ld a row; is lost. lambda: n values, descending. vector i,
 * at the returned pointer - i * ld, belongs to lambda[i]. NULL: it failed (a is not finite). */
const double *fd_eigen(uint32_t n, double *a, uint32_t ld, double *lambda, double *work);

#endif
