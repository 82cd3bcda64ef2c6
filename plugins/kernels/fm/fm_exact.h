/* fm_exact.h -- a factorization machine with a number for every pair of features: what sketches of
 * it are measured by.
 *
 *   z = a' Theta a,   Theta -= s_t phi'(z_t) a_t a_t'
 *
 *   FM_EXACT_FTRL   s_t = eta            follow-the-regularized-leader with the penalty
 *                                        |Theta|_F^2 / (2 eta);
 *                                        eta 0: .6 / (h mean of (a'a)^2 so far), as in sftrl.h
 *   FM_EXACT_OGD    s_t = eta / sqrt(t)  online gradient descent; eta 0: twice that;
 *                                        with a radius Theta then becomes the nearest matrix in the
 *                                        ball |Theta|_* <= radius (trace_ball.h), at
 *                                        every `every`-th example
 *
 * h is the largest curvature of the loss. No step goes beyond the example's label (fm.h). The
 * caller adds FM_ONE to examples where Theta is to hold weights of single features.
 *
 * Sources: B. McMahan, Follow-the-regularized-leader and mirror descent, AISTATS 2011; M.
 * Zinkevich, ICML 2003; X. Lin et al., Online compact convexified factorization machine, WWW 2018.
 * Memory and time grow with the square of the features, and of an example's; a projection takes
 * O(d^3), and none is made while the sum of the steps' norms |s phi'| a'a says that
 * Theta is inside.
 */
#ifndef LEAT_KERNELS_FM_FM_EXACT_H
#define LEAT_KERNELS_FM_FM_EXACT_H

#include "triangle.h"

#define FM_EXACT_PACE 0.6

enum fm_exact_rule { FM_EXACT_FTRL = 0, FM_EXACT_OGD = 1 };

struct fm_exact {
    enum fm_exact_rule rule;
    enum fm_loss loss;
    double eta;
    uint64_t t;       /* examples learned */
    double sum_norm4; /* sum of (a'a)^2   */
    /* Of OGD; radius 0: no projection, and the others are not in use. */
    double radius;
    uint32_t every, n; /* examples between projections; features */
    double norm;       /* |Theta|_* at most                      */
    void *work;        /* trace_ball_bytes(n), aligned to 64     */
};

/* s_t of the last example. */
double fm_exact_rate(const struct fm_exact *m);
/* Predict, then learn; returns what was predicted. theta: the caller's, triangle_size(features)
 * doubles. */
double fm_exact_learn(struct fm_exact *m, double *theta, const struct fm_example *e);

#endif
