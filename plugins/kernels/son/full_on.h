/* full_on.h -- the online Newton step with the exact matrix, for up to a few thousand features.
 *
 *   H = alpha0 I + sum of (r x)(r x)',   stored as H = U'U with U upper triangular
 *
 *   f = U^-T x;  h = U^-1 f = H^-1 x;  rho = f'f = x'H^-1 x         rho without cancellation
 *   |s| > C:  w -= (s - z) / rho h
 *   w -= g / (1 + r^2 rho) h                                        h_new = h / (1 + r^2 rho)
 *   U'U += (r x)(r x)'                                              by Givens rotations
 *
 * Example: squared loss, C = 1, so mu = 1/8; alpha0 = 1, and one new feature. It arrives with
 * x = 1, y = +1: z = 0, g = -2, r^2 = 4/8 = 1/2, rho = 1. So w = 2 / (1 + 1/2) = 4/3, and H becomes
 * 3/2.
 *
 * Time and memory are O(d^2), where d is the number of features so far. A new feature j adds the
 * row sqrt(alpha0) e_j to U.
 *
 * Memory. The learner has one double for each feature, w_j. U is stored in panels of 8 columns, one
 * panel after the other. A panel has the rows down to its last diagonal number, with 8 doubles per
 * row:
 *
 *   columns 0-7    8-15        16-23
 *   rows    0-7    0-15        0-23       ...
 *
 * So U takes half a square and grows in place. The block has room for the largest number of
 * features, but only the part for features that have occurred is touched. Numbers below the
 * diagonal, and numbers of features that have not occurred, are 0.
 *
 * Paper letter = field: beta = mu, beta A_t = H, beta eps = alpha0.
 * Sources: son.h; E. Hazan, A. Agarwal, S. Kale, Logarithmic regret algorithms for online convex
 * optimization, Machine Learning 69, 2007 (online Newton step).
 */
#ifndef LEAT_KERNELS_SON_FULL_ON_H
#define LEAT_KERNELS_SON_FULL_ON_H

#include "son.h"

#define FULL_ON_MAX_FEATURES 8192
enum { FULL_ON_STRIDE = 1 /* doubles of the learner per feature */, FULL_ON_PANEL = 8 };

struct full_on {
    struct son_options opt;
    uint32_t capacity, n;  /* limit of features; features in U          */
    double *U, *f, *h, *v; /* U, f and h of the formulas above; scratch */
    double *cosine, *sine; /* scratch: the angles of a row's rotations  */
};

/* Kernel whose options are a struct son_options. If learn() returns SON_OVERFLOW, no weight
 * has changed. */
extern const struct son_kernel full_on_kernel;

/* Copies U to `packed` without the zeros: n (n + 1) / 2 numbers, each row from its diagonal on. */
void full_on_pack(const struct full_on *m, double *packed);
/* Sets U, n rows, from `packed`. m was just initialised. */
void full_on_unpack(struct full_on *m, uint32_t n, const double *packed);

#endif
