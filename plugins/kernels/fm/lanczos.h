/* lanczos.h -- the eigenvalue of largest size of a symmetric matrix that is known by its products,
 * and its eigenvector.
 *
 * Lanczos' method with full reorthogonalisation and thick restarts:
 *
 *   1  v_0 = start / |start|
 *   2  w = M v_j;  T_ji = v_i'w for i <= j;  w -= sum T_ji v_i;  v_(j+1) = w / |w|
 *   3  T = Y' diag(theta) Y;  the residual of theta_i is r_i = |w| |y_i's last number|
 *   4  V is full: LANCZOS_KEPT vectors V'y_i of each end of theta become v_0 ..., and v_j the next
 *
 *            v_0                  each row a vector of n numbers; after a restart the first ones
 *            ...                  are the Ritz vectors of both ends, and T is diagonal there
 *     V      v_j       M V' = V'T + (w of step j) e_j'
 *            v_(j+1)
 *
 * An error of theta_i is estimated as min(r_i, r_i^2 / gap_i), where gap_i is the distance to the
 * nearest other theta; thetas that differ by less than the tolerance count as one. The search ends
 * when the error of the largest |theta| is below LANCZOS_TOLERANCE |theta| and that of the other
 * end cannot make it the larger one; when V spans a space that M does not leave; or after
 * LANCZOS_PRODUCTS products. Whatever direction the start has nothing of is never found: add some
 * of each.
 *
 * Sources: C. Lanczos, J. Res. Nat. Bur. Standards 45, 1950; K. Wu, H. Simon, Thick-restart Lanczos
 * method for large symmetric eigenvalue problems, SIAM J. Matrix Anal. Appl. 22, 2000.
 * Cost: a product and O(n j) a step j, O(j^3) at every LANCZOS_STRIDE-th; four to twelve steps are
 * usual when the start is near.
 */
#ifndef LEAT_KERNELS_FM_LANCZOS_H
#define LEAT_KERNELS_FM_LANCZOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LANCZOS_TOLERANCE 1e-7
enum { LANCZOS_STEPS = 32, LANCZOS_KEPT = 4, LANCZOS_STRIDE = 2, LANCZOS_PRODUCTS = 2048 };

/* M, n x n. times: out = M in; in and out do not overlap. */
struct lanczos_operator {
    uint32_t n;
    const void *self;
    void (*times)(const void *self, const double *in, double *out);
};

struct lanczos_result {
    double value;      /* the eigenvalue; 0: M is zero, or the start is             */
    uint32_t products; /* with M                                                     */
    bool converged;    /* false: LANCZOS_PRODUCTS were not enough for the tolerance  */
};

/* Bytes of work for matrices up to n x n. */
size_t lanczos_bytes(uint32_t n);
/* u: n numbers, the start; becomes the unit eigenvector if its value is not 0.
 * work: lanczos_bytes(n) bytes, aligned to 64; nothing in it is kept. M is finite. */
struct lanczos_result lanczos_largest(const struct lanczos_operator *m, double *u, void *work);

#endif
