/* fm_exact.h -- a factorization machine with a number for every pair: the reference for sketches
 *
 *   z = a' Theta a,   Theta -= s_t phi'(z_t) a_t a_t'
 *
 *   FM_EXACT_FTRL   s_t = eta            follow-the-regularized-leader with the penalty
 *                                        |Theta|_F^2 / (2 eta);
 *                                        eta 0: .6 / (h mean of (a'a)^2 so far), as in sftrl.h
 *   FM_EXACT_OGD    s_t = eta / sqrt(t)  online gradient descent; eta 0: twice FTRL's automatic
 *                                        eta. With a radius, every `every`-th example replaces
 *                                        Theta by the nearest matrix in the ball
 *                                        |Theta|_* <= radius (trace_ball_project())
 *
 * h is the largest curvature of the loss. With the squared loss no step moves z beyond the label
 * (fm.h). If Theta is also to hold weights of single features, the caller adds FM_ONE to the
 * examples.
 *
 * Example: FM_EXACT_FTRL, squared loss, eta = 0.02. The first example is a = (1, 2) with the label
 * 1: z = 0, phi' = -1, so Theta = 0.02 a a'. The same a then has z = 0.02 (a'a)^2 = 0.5.
 *
 * Sources: B. McMahan, Follow-the-regularized-leader and mirror descent, AISTATS 2011; M.
 * Zinkevich, ICML 2003; X. Lin et al., Online compact convexified factorization machine, WWW 2018.
 * Memory grows with the square of the features, time with the square of an example's features. A
 * projection takes O(d^3) for d features. It is skipped while the sum of the steps' norms |s phi'|
 * a'a shows that Theta is inside the ball.
 */
#ifndef LEAT_KERNELS_FM_FM_EXACT_H
#define LEAT_KERNELS_FM_FM_EXACT_H

#include "fm.h"

#include <stddef.h>
#include <stdint.h>

#define FM_EXACT_PACE 0.6

enum fm_exact_rule { FM_EXACT_FTRL = 0, FM_EXACT_OGD = 1 };

struct fm_exact {
    enum fm_exact_rule rule;
    enum fm_loss loss;
    double eta;
    uint64_t t;       /* examples learned */
    double sum_norm4; /* sum of (a'a)^2   */
    /* only for FM_EXACT_OGD; if radius is 0 there is no projection, and the other members
     * are unused */
    double radius;
    uint32_t every, n; /* `every` examples between projections; n features */
    double norm;       /* upper bound of |Theta|_*                         */
    void *work;        /* trace_ball_bytes(n), aligned to 64               */
};

/* Returns s_t of the last example. */
double fm_exact_rate(const struct fm_exact *m);
/* Predicts, then learns; returns the prediction. The caller provides theta, triangle_size(features)
 * doubles. */
double fm_exact_learn(struct fm_exact *m, double *theta, const struct fm_example *e);

/* Symmetric matrix, stored as its lower triangle, row by row. Adding a row at the end moves no
 * number.
 *
 *   T00 | T10 T11 | T20 T21 T22 | ...
 *
 * Quadratic form of an example: z = sum_i T_ii x_i^2 + 2 sum_{i<j} T_ij x_i x_j. */

static inline size_t triangle_size(uint32_t n) { return (size_t)n * (n + 1ull) / 2; }

static inline size_t triangle_at(uint32_t i, uint32_t j)
{
    return i < j ? triangle_size(j) + i : triangle_size(i) + j;
}

static inline double triangle_form(const double *t, const struct fm_example *e)
{
    double diagonal = 0, rest = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        diagonal += t[triangle_at(e->feature[i], e->feature[i])] * e->x[i] * e->x[i];
        for (uint32_t j = 0; j < i; j++)
            rest += t[triangle_at(e->feature[i], e->feature[j])] * e->x[i] * e->x[j];
    }
    return diagonal + 2 * rest;
}

/* Computes T += k x x'. */
static inline void triangle_add(double *t, const struct fm_example *e, double k)
{
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t j = 0; j <= i; j++)
            t[triangle_at(e->feature[i], e->feature[j])] += k * e->x[i] * e->x[j];
}

/* Projection onto a ball of the trace norm: the nearest matrix in the ball.
 *
 *   T = U diag(lambda) U' -> U diag(sgn(lambda) (|lambda| - tau)+) U'
 *
 * Here tau >= 0 solves sum (|lambda_i| - tau)+ = radius; tau is 0 if sum |lambda_i| <= radius. This
 * projects the vector lambda onto a ball of the 1-norm, because the nearest matrix has the same
 * eigenvectors. With |lambda| in descending order, tau is tau_k for the largest k with
 * |lambda_k| > tau_k = (sum of the first k - radius) / k.
 *
 * Sources: J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra, Efficient projections onto
 * the l1-ball, ICML 2008; for matrices, e.g., X. Lin et al., WWW 2018. Cost: O(n^3). */

/* Largest n: a projection of this size takes many hours. */
#define TRACE_BALL_MAX 16384u

/* Returns the bytes of `work` for n x n matrices, n <= TRACE_BALL_MAX: about 24 n^2. */
size_t trace_ball_bytes(uint32_t n);
/* Projects t, a triangle of n rows with finite numbers. `work` is trace_ball_bytes(n) bytes,
 * aligned to 64. Returns the new trace norm: radius, or less if t was inside the ball. Returns -1,
 * with t unchanged, if eigen() failed. */
double trace_ball_project(uint32_t n, double *t, double radius, void *work);

#endif
