/* reflect.h -- reflectors I - v v' with |v|^2 = 2, and updates of matrices by them.
 *
 * A reduction to a tridiagonal or bidiagonal form alternates two steps: it changes the matrix by
 * one reflector, and multiplies the result by the next one. reflect_update() does both in one pass
 * over the matrix.
 *
 * Matrices are row-major. Their rows are padded with zeros to a multiple of four numbers. All sums
 * over rows are in ascending order.
 *
 * Example. v = (-1, 1) maps x = (3, 3) to x - (v'x) v = (3, 3), and (0, 5) to (5, 0).
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, sections 5.1 and 5.4. */
#ifndef LEAT_KERNELS_DENSE_REFLECT_H
#define LEAT_KERNELS_DENSE_REFLECT_H

#include <stdint.h>

/* If a number is below this share of the matrix's largest number, it is a rounding error. */
#define REFLECT_NEGLIGIBLE 0x1p-58

/* Returns n, rounded up to a multiple of four. */
static inline uint32_t reflect_padded(uint32_t n) { return (n + 3) & ~3u; }

/* Returns a power of two near `max`. After division by it, squares of numbers neither overflow nor
 * vanish. */
double reflect_scale(double max);

/* Replaces x by the vector v of the reflector I - v v' that makes all of x[0..n-1] 0 except the
 * last number; |v|^2 = 2, or v = 0. Returns the last number of (I - v v') x. The largest number of
 * the matrix must be about 1. */
double reflect_make(uint32_t n, double *x);

/* Change of a matrix by one or two outer products. */
struct reflect {
    const double *u, *w; /* u w', u of `rows` numbers, w of `width` numbers */
    const double *z, *v; /* z v', or z = NULL                               */
};
/* Computes A -= u w' + z v' for the first rows and columns of A, then s = A'x. `width` is a
 * multiple of four. The arrays s, x and A must not overlap the others, except that u and v, and w
 * and z, may be the same. */
void reflect_update(uint32_t rows, uint32_t width, uint32_t ld, double *a, struct reflect by,
                    const double *x, double *s);

/* Sets Z = H_count ... H_1 E for the reflectors H_i = I - v_i v_i', of which only the first
 * extra + i numbers are not 0. E has extra + n rows; its first `extra` rows are 0 and the others
 * are the unit matrix.
 *   v   H_i is row i - 1, ld_v numbers from row to row; zero from extra + i on
 *   z   extra + n rows, ld = reflect_padded(n)
 *   g   scratch, 2 ld doubles
 * count is n, or n - 1. */
void reflect_product(uint32_t count, uint32_t extra, const double *v, uint32_t ld_v, uint32_t n,
                     double *z, double *g);

#endif
