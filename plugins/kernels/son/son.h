/* son.h -- parts that the online Newton learners share: losses, curvature, projection, rows
 *
 * Example t has a row x, an importance c, and a label y. The label is -1 or +1; with the squared
 * loss it may be any number of [-C, C]. H is a positive definite matrix. Learning an example:
 *
 *   1  s = w'x;  z = s clipped to [-C, C]                               predict
 *   2  w -= (s - z) / (x'H^-1 x) H^-1 x                                 project onto |w'x| <= C
 *   3  l = f'(z);  g = c l;  r = sqrt(mu c) l                           gradient g x, row r x
 *   4  H += (r x)(r x)'                                                 add the row to H
 *   5  w -= g H^-1 x                                                    step
 *
 * Step 2 is the projection, in the norm of H, onto the set { w: |w'x| <= C } of the current
 * example, as in Luo et al. 2016. Luo et al. 2019 place it after step 5. The learners differ in how
 * they store H: adagrad.h, full_on.h, rfd_son.h, column_son.h.
 *
 * mu is the largest constant for which
 *
 *   f(v) >= f(u) + f'(u)(v - u) + (mu / 2) (f'(u)(v - u))^2      for all u, v in [-C, C].
 *
 * The condition f''(v) >= mu f'(v)^2 for all v suffices, and is necessary for some v.
 *
 *   loss           f(z)                   mu
 *   squared        (z - y)^2              1 / (2 (1 + C)^2), which is 1/8 at C = 1; labels that
 *                                         are numbers: 1 / (8 C^2), so that labels, clip and
 *                                         weights may be in any unit
 *   logistic       log(1 + e^-yz)         f''(C) / f'(-C)^2 = e^-C
 *   squared hinge  max(0, 1 - yz)^2       C <= 1: as squared; C > 1, where f(v) may be 0:
 *                                         (3 C - 1) / (8 C^2 (1 + C)), from u = -C, v = C
 *
 * An example of importance c has c times the loss, so its mu is mu / c.
 *
 * The squared loss of numbers has the curvature f'' = 2 everywhere. With `hessian`, step 3 has r =
 * sqrt(2 c), so H is alpha0 I plus the Hessian of all losses, and the steps are those of recursive
 * least squares. mu bounds what any loss needs, and its rows are small where l is: with noisy
 * labels their steps stay long for more examples.
 *
 * Paper letter = field. Luo et al. 2016: x_t, y_t, w_t, C as here; sigma_t = mu; g_t = l x;
 * ghat_t = r x; A_t = H; alpha = alpha0. Luo et al. 2019: mu_t = mu; eta_t is eta / t in rfd_son.h,
 * and 0 in the other learners; alpha^(0) = alpha0; H^(t) = H.
 *
 * Sources: H. Luo, A. Agarwal, N. Cesa-Bianchi, J. Langford, Efficient second order online learning
 * by sketching, NIPS 2016 (steps and projection; its mu for |y| <= C, 1 / (8 C^2), equals mu here
 * at C = 1). L. Luo, C. Chen, Z. Zhang, W.-J. Li, T. Zhang, Robust frequent directions with
 * application in online learning, JMLR 20, 2019.
 *
 * Range. The caller ensures x'x <= SON_MAX_SQUARE and c <= SON_MAX_WEIGHT. If x'x < SON_MIN_SQUARE
 * or c = 0, the example is predicted but not learned. If the margin or a step would exceed
 * SON_LIMIT, it is not learned either, and the result is SON_OVERFLOW; alpha0 is then far too small
 * for the features. So all numbers stay finite.
 *
 * Memory. A feature has a row of doubles (feature_table.h), 0 at first: one double, the mark, for
 * son_row_add(), then the doubles of the learner. */
#ifndef LEAT_KERNELS_SON_SON_H
#define LEAT_KERNELS_SON_SON_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SON_MAX_SQUARE 1e30
#define SON_MIN_SQUARE 1e-30
#define SON_MAX_WEIGHT 1e15
#define SON_LIMIT      1e100
#define SON_RANK       1e-11 /* relative tolerance of ranks, far above rounding errors */
#define SON_MAX_M      256   /* limit of m, the rows of a sketch                       */

enum { SON_MARK = 1 }; /* doubles in a feature's row before those of the learner */

enum son_loss { SON_SQUARED = 0, SON_LOGISTIC = 1, SON_SQUARED_HINGE = 2 };
enum son_result { SON_OK = 0, SON_OVERFLOW };

struct son_options {
    enum son_loss loss;
    double clip;   /* C, the limit of |prediction|                                 */
    double alpha0; /* initial H is alpha0 I                                        */
    bool numbers;  /* labels are any numbers of [-C, C]; requires the squared loss */
    bool hessian;  /* labels have the unit 1, rows are sqrt(2 c) x; requires numbers */
};

/* Returns the unit in which AdaGrad's scales measure gradients. So if labels are numbers, their
 * unit does not affect the rates. */
static inline double son_unit(const struct son_options *o)
{
    return o->numbers && !o->hessian ? o->clip : 1;
}

/* ---- features and rows ---- */

/* Rows of all features, at their current address. */
struct son_features {
    double *row;
    uint32_t stride, known; /* doubles per row; number of features */
};

/* Returns the doubles of the learner in a feature's row. */
static inline double *son_feature(const struct son_features *f, uint32_t feature)
{
    return f->row + (size_t)feature * f->stride + SON_MARK;
}

struct son_row {
    uint32_t n;
    uint32_t *feature; /* distinct features */
    double *x;
    double xx;     /* x'x                                  */
    double y;      /* -1, +1, or a number of [-clip, clip] */
    double weight; /* c, the importance                    */
};

/* Adds an entry to a row: appends it, or adds x to the entry of the same feature. The caller's
 * arrays must have room. */
void son_row_add(struct son_row *r, const struct son_features *f, uint32_t feature, double x);
/* Completes the row after its last entry; sets xx. */
void son_row_finish(struct son_row *r);

/* True if a learner can learn from the row; otherwise it only predicts. */
static inline bool son_row_teaches(const struct son_row *r)
{
    return r->xx >= SON_MIN_SQUARE && r->weight > 0;
}

/* ---- losses ---- */

double son_mu(const struct son_options *o);
/* Returns f'(z), the slope of the loss at z. */
double son_slope(enum son_loss loss, double z, double y);
/* Returns the log odds of y = +1 for the prediction z. For the logistic loss they are z. The
 * expectation of each of the other two losses is least at z = p - (1 - p), where p is the
 * probability of y = +1. So their log odds are log((1 + z) / (1 - z)). To keep these finite at z =
 * +-1, z is first multiplied by 1 - SON_DOUBT. */
double son_log_odds(enum son_loss loss, double z);
#define SON_DOUBT 0.02

/* Returns s limited to [-clip, clip]; 0 if s is NaN. */
static inline double son_clip(double s, double clip)
{
    return s > clip ? clip : s >= -clip ? s : s < -clip ? -clip : 0;
}

/* Factors of an example: the gradient is g x, and the row added to H is r x. Both are 0 if there is
 * nothing to learn. */
struct son_gradient {
    double g, r;
};
struct son_gradient son_gradient(const struct son_options *o, double z, double y, double weight);

/* ---- the interface of any learner ---- */

/* Functions of a learner. A function is NULL if the learner has no such part. `opt` points to the
 * learner's options; the learner's header names their struct. */
struct son_kernel {
    size_t model_size;
    uint32_t (*stride)(const void *opt); /* doubles of the learner per feature */
    /* Number of examples whose features may have slots at the same time (fd.h). */
    uint32_t (*max_rows)(const void *opt);
    /* bytes() returns the size of the model's block. init() makes a new model in `block`, which is
     * zeroed and aligned to 64. `features` and `touched` are upper bounds, as in fd.h. */
    size_t (*bytes)(const void *opt, uint32_t features, uint32_t touched);
    void (*init)(void *model, const void *opt, uint32_t features, uint32_t touched, void *block);
    /* Predicts *z, then learns. Returns SON_OVERFLOW if the learner skipped a step. */
    enum son_result (*learn)(void *model, const struct son_features *, const struct son_row *,
                             double *z);
    /* Returns a feature's weight. NULL if the weight is the first of the learner's doubles. */
    double (*weight)(const void *model, const struct son_features *, uint32_t feature);
    /* Sets w to the weights of n features, from the feature `from` on. They have the same bits as
     * those of weight(). NULL if this would not be faster. */
    void (*weights)(const void *model, const struct son_features *, uint32_t from, uint32_t n,
                    double *w);
    /* Checks the model. Returns NULL, or a text that names the fault. */
    const char *(*check)(const void *model, const struct son_features *);
    /* free_slots() returns how many entries the next row may have; slots() returns the number of
     * all slots; free_all() frees all slots. */
    uint32_t (*free_slots)(const void *model);
    uint32_t (*slots)(const void *model);
    void (*free_all)(void *model, const struct son_features *);
    /* at() takes the event time of a row, and returns its weight; only with by_time. follow() moves
     * the clock to that of `other`, unless it is later. */
    double (*at)(void *model, const struct son_features *, int64_t time);
    void (*follow)(void *model, const struct son_features *, const void *other);
};

/* True if the step w += k (x - B'q) stays within SON_LIMIT. */
bool son_bounded(double k, double xx, uint32_t n, const double *q);

/* ---- small dense algebra: row-major, ld doubles from row to row, lower triangles ---- */

double son_dot(uint32_t n, const double *a, const double *b);
/* Replaces A by L with L L' = A. Reads and writes only the lower triangle. If rounding has
 * cancelled a pivot, it becomes 1e-14 of its diagonal element. */
void son_cholesky(uint32_t n, double *A, uint32_t ld);
/* Replaces x by L^-1 x. */
void son_forward(uint32_t n, const double *L, uint32_t ld, double *x);
/* Replaces x by L^-T x. */
void son_backward(uint32_t n, const double *L, uint32_t ld, double *x);

/* Computes a = G^+ p and b = G^+ a for a Gram matrix G. Eigenvalues of at most SON_RANK times the
 * largest count as 0. Reads only the lower triangle of G. lambda has n numbers; work has
 * eigen_work(n) doubles, aligned to 32. */
void son_pseudo(uint32_t n, const double *G, uint32_t ld, const double *p, double *a, double *b,
                double *lambda, double *work);

/* ---- learners that keep w = u + Z'c ----
 * The learner's doubles of feature j are u_j, then the column z_j of Z (m x d).
 * With m = 0: w = u. */

static inline uint32_t son_column_stride(uint32_t m) { return 1 + m; }
/* Sets a = Z x and returns u'x. */
double son_project(const struct son_features *f, const struct son_row *r, uint32_t m, double *a);
/* Computes u += k x. */
void son_shift(const struct son_features *f, const struct son_row *r, double k);
/* Computes Z += v x'. */
void son_spread(const struct son_features *f, const struct son_row *r, uint32_t m, const double *v);
/* Computes w += k (x - Z'q) by u += k x and c -= k q. If the step is not son_bounded(), does
 * nothing and returns false. */
bool son_step(const struct son_features *f, const struct son_row *r, double k, uint32_t m,
              const double *q, double *c);
/* Returns the weight w_j = u_j + z_j'c of a feature. */
double son_column_weight(const struct son_features *f, uint32_t feature, uint32_t m,
                         const double *c);

#endif
