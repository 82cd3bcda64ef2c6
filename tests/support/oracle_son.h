/* oracle_son.h -- the online Newton family by definition: dense, with full matrices and fresh
 * solutions. */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_SON_H
#define LEAT_TESTS_SUPPORT_ORACLE_SON_H

#include "kernels/son/son.h"

enum { NAIVE_D = 12, NAIVE_ROWS = 64 };

enum naive_kind {
    NAIVE_ADAGRAD,
    NAIVE_FULL,
    NAIVE_FD,
    NAIVE_RFD,
    NAIVE_SCALED,
    NAIVE_PAPER, /* robust: no floor, shrinks before the step, eta_t = 1 / t */
    NAIVE_ROOT,  /* S-AdaGrad */
    NAIVE_RP,
    NAIVE_OJA
};

struct naive {
    enum naive_kind kind;
    struct son_options opt;
    uint32_t m, buffer, warm; /* sizes of the sketches */

    double w[NAIVE_D];
    double alpha;
    double fade, start; /* factor of all earlier examples; alpha at the start */
    bool fades;
    double H[NAIVE_D][NAIVE_D];    /* full matrix */
    double s[NAIVE_D];             /* sums of squares (AdaGrad, scaled) */
    double B[NAIVE_ROWS][NAIVE_D]; /* sketch rows; V of Oja */
    double S[NAIVE_ROWS];          /* Oja */
    uint32_t rows, shrinks, t;
};

struct naive naive_of(enum naive_kind kind, const struct son_options *opt, uint32_t m,
                      uint32_t buffer, uint32_t warm);
/* Predicts x, then learns. Returns the clipped prediction. xi: the m multiples of x that random
 * projection adds (NULL for the others). */
double naive_learn(struct naive *n, const double *x, double y, double weight, const double *xi);

#endif
