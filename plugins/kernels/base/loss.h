/* loss.h -- losses of a margin; exp and log that give the same bits on all machines.
 *
 * tau = y z is the margin z times the label y, which is -1 or +1.
 *
 *   logistic         l = log(1 + e^-tau)     l' = -1 / (1 + e^tau)     l'' = -l' (1 + l')
 *   smoothed hinge   l = 0 for tau >= 1, (1 - tau)^2 / 2 for 0 < tau < 1, 1/2 - tau for tau <= 0
 *   squared          l = (1 - tau)^2 / 2     l' = tau - 1              l'' = 1
 *
 * Example. At tau = 1/2 the logistic loss has l = 0.474, l' = -0.378 and l'' = 0.235. Smoothed
 * hinge and squared loss both have l = 1/8, l' = -1/2 and l'' = 1.
 *
 * All functions, exp and log included, give the same bits on all machines (core/exp.h). Their
 * relative error is below 1e-15. */
#ifndef LEAT_KERNELS_BASE_LOSS_H
#define LEAT_KERNELS_BASE_LOSS_H

enum loss_kind { LOSS_LOGISTIC = 0, LOSS_SMOOTHED_HINGE = 1, LOSS_SQUARED = 2 };

/* Returns e^x: 0 if x < -708, infinity if x > 709. */
double loss_exp(double x);
/* Returns the natural logarithm of x, a positive normal number. */
double loss_log(double x);
/* Returns log(1 + e^x) without overflow or cancellation. This is the log loss of the margin -x. */
double loss_log1pexp(double x);
/* Returns 1 / (1 + e^-x). */
double loss_sigmoid(double x);

/* Return the loss l at tau, its first derivative l', and its second derivative l''. */
double loss_value(enum loss_kind kind, double tau);
double loss_slope(enum loss_kind kind, double tau);
double loss_curvature(enum loss_kind kind, double tau);

#endif
