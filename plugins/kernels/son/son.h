/* son.h -- what the online Newton learners share: losses, their curvature, the projection, rows.
 *
 * At example t, with x, label y of {-1, +1} and importance c, and a positive matrix H:
 *
 *   s = w'x
 *   |s| > C:  w -= (s - z) H^-1 x / (x'H^-1 x),  z = sgn(s) C     projection onto |w'x| <= C
 *                                                                 in the norm of H; else z = s
 *   l = f'(z);  H += mu c (l x)(l x)';  w -= c l H^-1 x           g = c l, r = sqrt(mu c) l
 *
 * The learners differ in how they keep H (adagrad.h, full_on.h, rfd_son.h, rp_son.h, oja_son.h).
 *
 * mu is the constant of  f(v) >= f(u) + f'(u)(v - u) + (mu / 2) (f'(u)(v - u))^2  for all u, v in
 * [-C, C], the largest there is; f'' >= mu f'(u)^2 at all v would do, and is needed at some u:
 *
 *   squared        (z - y)^2              mu = 1 / (2 (1 + C)^2), so 1/8 at C = 1
 *   logistic       log(1 + e^-yz)         mu = f''(C) / f'(-C)^2 = e^-C
 *   squared hinge  max(0, 1 - yz)^2       as squared up to C = 1. Beyond, v may lie where f is 0:
 *                                         mu = (3 C - 1) / (8 C^2 (1 + C)), from u = -C, v = C
 *
 * Sources: H. Luo et al., Efficient second order online learning by sketching, NIPS 2016 (updates,
 * projection; their mu for |y| <= C, 1 / (8 C^2), is ours at C = 1); L. Luo et al., Robust frequent
 * directions with application in online learning, JMLR 2019. An example of importance c is c times
 * the loss, so its mu is mu / c.
 *
 * Range. Rows up to SON_MAX_SQUARE, importances up to SON_MAX_WEIGHT; the caller sees to it.
 * Rows below SON_MIN_SQUARE and of
 * importance 0 are only predicted. Where a margin or a step passes SON_LIMIT (alpha
 * far too small for the features) the example is only predicted: SON_OVERFLOW. So all stays
 * finite.
 *
 * A feature is a row of doubles (feature_table.h): the first is the mark of son_row_add(), the
 * others are the learner's, zero at first.
 */
#ifndef LEAT_KERNELS_SON_SON_H
#define LEAT_KERNELS_SON_SON_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SON_MAX_SQUARE 1e30
#define SON_MIN_SQUARE 1e-30
#define SON_MAX_WEIGHT 1e15
#define SON_LIMIT      1e100

enum { SON_MARK = 1 }; /* doubles of a feature's row before the learner's */

enum son_loss { SON_SQUARED = 0, SON_LOGISTIC = 1, SON_SQUARED_HINGE = 2 };
enum son_result { SON_OK = 0, SON_OVERFLOW };

struct son_options {
    enum son_loss loss;
    double clip;   /* C                    */
    double alpha0; /* H = alpha0 I at first */
};

/* The rows of all features, wherever they are now. */
struct son_features {
    double *row;
    uint32_t stride, known;
};

static inline double *son_feature(const struct son_features *f, uint32_t feature)
{
    return f->row + (size_t)feature * f->stride + SON_MARK;
}

struct son_row {
    uint32_t n;
    uint32_t *feature; /* each once */
    double *x;
    double xx; /* x'x       */
    int y;     /* -1, +1    */
    double weight;
};

/* Add an entry to a row; one of a feature that it has already adds up. The caller's arrays have
 * room. */
void son_row_add(struct son_row *r, const struct son_features *f, uint32_t feature, double x);
/* No entry follows. */
void son_row_finish(struct son_row *r);

/* Is there anything to learn from it? Otherwise it is only predicted. */
static inline bool son_row_teaches(const struct son_row *r)
{
    return r->xx >= SON_MIN_SQUARE && r->weight > 0;
}

double son_mu(enum son_loss loss, double clip);
/* f'(z) */
double son_slope(enum son_loss loss, double z, int y);
/* Log odds of y = +1 where the prediction is z: z itself for the logistic loss. The other two are
 * least, in expectation, at z = p - (1 - p), so their log odds are log((1 + z) / (1 - z)); with
 * SON_DOUBT of a chance that anything may happen they stay finite at z = +-1. */
double son_log_odds(enum son_loss loss, double z);
#define SON_DOUBT 0.02

/* z; 0 where s is not a number. */
static inline double son_clip(double s, double clip)
{
    return s > clip ? clip : s >= -clip ? s : s < -clip ? -clip : 0;
}

struct son_gradient {
    double g,
        r; /* g x: gradient; r x: row of the matrix that H adds up. Both 0: nothing to learn */
};
struct son_gradient son_gradient(const struct son_options *o, double z, int y, double weight);

/* Is a step of w by k (x - B'q) within the limit? */
bool son_bounded(double k, double xx, uint32_t n, const double *q);

/* ---- small dense algebra, row-major, leading dimension ld, lower triangles ---- */

double son_dot(uint32_t n, const double *a, const double *b);
/* L L' = A (lower triangle read and overwritten). A pivot that rounding has eaten becomes 1e-14 of
 * its diagonal. */
void son_cholesky(uint32_t n, double *A, uint32_t ld);
/* x <- L^-1 x;  x <- L^-T x */
void son_forward(uint32_t n, const double *L, uint32_t ld, double *x);
void son_backward(uint32_t n, const double *L, uint32_t ld, double *x);

/* ---- learners that keep a column z_j of Z and u_j of each feature, w = u + Z'c ----
 * A feature's own doubles: u_j, then z_j. */

/* a = Z x; returns u'x. */
double son_project(const struct son_features *f, const struct son_row *r, uint32_t m, double *a);
/* u += k x */
void son_shift(const struct son_features *f, const struct son_row *r, double k);
/* Z += v x' */
void son_spread(const struct son_features *f, const struct son_row *r, uint32_t m, const double *v);
/* w_j */
double son_column_weight(const struct son_features *f, uint32_t feature, uint32_t m,
                         const double *c);

#endif
