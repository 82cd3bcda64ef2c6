/* wm_theorem.h -- the shape of a WM-Sketch by theorem 1 of its paper.
 *
 * With w* the minimiser of the mean loss with the penalty lambda, over d features, w the estimates
 * from the minimiser of the sketched problem, beta = 1 the smoothness of the loss and gamma the
 * largest |x_1| + |x_2| + … of an example, with k cells in s rows
 *
 *   k = (C1 / epsilon^4) log^3(d / delta) max(1, (beta gamma^2 / lambda)^2)
 *   s = (C2 / epsilon^2) log^2(d / delta) max(1,  beta gamma^2 / lambda)
 *
 * every |w*_i - w_i| <= epsilon sum |w*_i|, with probability 1 - delta over the hash functions. The
 * paper leaves the constants open; here C1 = C2 = 1. So this is what the theorem asks for up to a
 * constant: sketches that are far smaller are what is of use (RESULTS.md).
 */
#ifndef LEAT_KERNELS_LINEAR_WM_WM_THEOREM_H
#define LEAT_KERNELS_LINEAR_WM_WM_THEOREM_H

struct wm_theorem {
    double epsilon, delta; /* 0 < epsilon, 0 < delta < 1 */
    double lambda;         /* > 0                        */
    double features;       /* d >= 1                     */
    double norm;           /* gamma > 0                  */
};

/* Whole numbers, of any size: rows s, and k / s cells in each. */
struct wm_theorem_shape {
    double rows, width;
};
struct wm_theorem_shape wm_theorem_shape(const struct wm_theorem *t);

#endif
