/* lanczos.h -- eigenvalue of largest magnitude of a symmetric matrix, and its eigenvector
 *
 * The caller gives the matrix M by a function that multiplies it by a vector.
 *
 * Lanczos' method with full reorthogonalisation and thick restarts:
 *
 *   1  v_0 = start / |start|
 *   2  w = M v_j;  T_ji = v_i'w for i <= j;  w -= sum T_ji v_i;  v_(j+1) = w / |w|
 *   3  T = Y' diag(theta) Y;  the residual of theta_i is r_i = |w| |y_i's last number|
 *   4  V is full: LANCZOS_KEPT vectors V'y_i of each end of theta become v_0 ..., and v_j the next
 *
 *            v_0                  each row is a vector of n numbers; after a restart the first
 *            ...                  rows are the Ritz vectors of both ends, and T is diagonal there
 *     V      v_j       M V' = V'T + (w of step j) e_j'
 *            v_(j+1)
 *
 * The error of theta_i is at most e_i = min(r_i, r_i^2 / gap_i), where gap_i is the distance to the
 * nearest other theta. Thetas that differ by less than LANCZOS_ALIKE count as one. The search ends
 * if
 *
 * - r_i <= LANCZOS_TOLERANCE |theta_i| for the largest |theta|. After LANCZOS_ENOUGH products, e_i
 *   takes the place of r_i. Also the end of the largest |theta| is known: the other end is smaller
 *   even after adding its e_i, or its e_i is below the tolerance, too;
 * - M maps the space that V spans to itself; or
 * - LANCZOS_PRODUCTS products have been computed.
 *
 * Rounding does not decide. If the ends differ by less than LANCZOS_TIE in size, the positive one
 * is the result. Of u and -u, the one whose largest number is positive is the result. Of numbers
 * that differ by less than LANCZOS_TIE in size, the first counts. If an eigenvalue is multiple, u
 * is the unit projection of the start onto its eigenvectors. The error of u is about r_i / gap_i,
 * so only eigenvalues that are alike, but not equal, leave u open.
 *
 * An eigenvector orthogonal to the start is never found, so the start should have a component in
 * every direction.
 *
 * Example: M = diag(3, -5) and the start (1, 1). Two products span the plane, so T has the
 * eigenvalues 3 and -5. The result is the value -5, with u = (0, 1).
 *
 * Sources: C. Lanczos, J. Res. Nat. Bur. Standards 45, 1950; K. Wu, H. Simon, Thick-restart Lanczos
 * method for large symmetric eigenvalue problems, SIAM J. Matrix Anal. Appl. 22, 2000.
 * Cost: step j takes a product and O(n j); every LANCZOS_STRIDE-th step takes O(j^3) more. With a
 * good start, ten to twenty steps are usual.
 */
#ifndef LEAT_KERNELS_FM_LANCZOS_H
#define LEAT_KERNELS_FM_LANCZOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANCZOS_TOLERANCE 1e-14
#define LANCZOS_TIE       1e-10
#define LANCZOS_ALIKE     1e-7
enum {
    LANCZOS_STEPS = 32,
    LANCZOS_KEPT = 4,
    LANCZOS_STRIDE = 2,
    LANCZOS_ENOUGH = 128,
    LANCZOS_PRODUCTS = 2048
};

/* Matrix M, n x n. times() computes out = M in; in and out do not overlap. */
struct lanczos_operator {
    uint32_t n;
    const void *self;
    void (*times)(const void *self, const double *in, double *out);
};

struct lanczos_result {
    double value;      /* the eigenvalue; 0 if M or the start is 0        */
    uint32_t products; /* number of products with M                       */
    bool converged;    /* false if LANCZOS_PRODUCTS products were too few */
};

/* Returns the bytes of `work` for n x n matrices. */
size_t lanczos_bytes(uint32_t n);
/* Finds the eigenvalue. u has n numbers: on entry the start; on return the unit eigenvector, if the
 * value is not 0. `work` is scratch of lanczos_bytes(n) bytes, aligned to 64. M must be finite. */
struct lanczos_result lanczos_largest(const struct lanczos_operator *m, double *u, void *work);

#endif
