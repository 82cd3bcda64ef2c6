/* son.h -- shared parts of the online Newton learners: losses, curvature, projection, rows
 *
 * Example t has a row x, an importance c, and a label y: -1 or +1, or with the squared loss also a
 * number of [-C, C]. With a positive definite H:
 *
 *   1  s = w'x;  z = s clipped to [-C, C]                               predict
 *   2  w -= (s - z) / (x'H^-1 x) H^-1 x                                 project onto |w'x| <= C
 *   3  l = f'(z);  g = c l;  r = sqrt(mu c) l                           gradient g x, row r x
 *   4  H += (r x)(r x)'                                                 take the row in
 *   5  w -= g H^-1 x                                                    step
 *
 * Step 2 is the projection, in the norm of H, onto the set of the current example, as in Luo et al.
 * 2016; Luo et al. 2019 place it after step 5. The learners differ in how they keep H: adagrad.h,
 * full_on.h, rfd_son.h, column_son.h.
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
 * Paper letter = field. Luo et al. 2016: x_t, y_t, w_t, C as here; sigma_t = mu; g_t = l x;
 * ghat_t = r x; A_t = H; alpha = alpha0. Luo et al. 2019: mu_t = mu; eta_t is eta / t in rfd_son.h,
 * and 0 in the other learners; alpha^(0) = alpha0; H^(t) = H.
 *
 * Sources: H. Luo, A. Agarwal, N. Cesa-Bianchi, J. Langford, Efficient second order online learning
 * by sketching, NIPS 2016 (steps and projection; its mu for |y| <= C, 1 / (8 C^2), is ours at
 * C = 1). L. Luo, C. Chen, Z. Zhang, W.-J. Li, T. Zhang, Robust frequent directions with
 * application in online learning, JMLR 20, 2019.
 *
 * Range. The caller ensures x'x <= SON_MAX_SQUARE and c <= SON_MAX_WEIGHT. An example with
 * x'x < SON_MIN_SQUARE or c = 0 is only predicted. An example whose margin or step would exceed
 * SON_LIMIT is only predicted as well, and the result is SON_OVERFLOW: alpha0 is far too small for
 * the features. All numbers therefore stay finite.
 *
 * Memory. A feature is a row of doubles (feature_table.h), zero at first: the mark of
 * son_row_add(), then the learner's doubles. */
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
#define SON_RANK       1e-11 /* relative; far above rounding, which therefore decides no rank */
#define SON_MAX_M      256   /* rows of a sketch */

enum { SON_MARK = 1 }; /* doubles of a feature's row before the learner's */

enum son_loss { SON_SQUARED = 0, SON_LOGISTIC = 1, SON_SQUARED_HINGE = 2 };
enum son_result { SON_OK = 0, SON_OVERFLOW };

struct son_options {
    enum son_loss loss;
    double clip;   /* C                     */
    double alpha0; /* H = alpha0 I at first */
    bool numbers;  /* labels are numbers; squared loss only */
};

/* Returns the unit in which AdaGrad's scales sum squared gradients. With it, rates do not depend on
 * the unit of labels that are numbers. */
static inline double son_unit(const struct son_options *o) { return o->numbers ? o->clip : 1; }

/* ---- features and rows ---- */

/* Current rows of all features. */
struct son_features {
    double *row;
    uint32_t stride, known; /* doubles of a row; number of features */
};

/* Returns the learner's doubles of a feature. */
static inline double *son_feature(const struct son_features *f, uint32_t feature)
{
    return f->row + (size_t)feature * f->stride + SON_MARK;
}

struct son_row {
    uint32_t n;
    uint32_t *feature; /* distinct features */
    double *x;
    double xx;     /* x'x       */
    double y;      /* -1, +1, or a number of [-clip, clip] */
    double weight; /* c     */
};

/* Appends an entry to a row, or adds it to the entry of the same feature. The caller's arrays must
 * have room. */
void son_row_add(struct son_row *r, const struct son_features *f, uint32_t feature, double x);
/* Completes the row after its last entry: sets xx. */
void son_row_finish(struct son_row *r);

/* True if a learner can learn from the row; otherwise it only predicts. */
static inline bool son_row_teaches(const struct son_row *r)
{
    return r->xx >= SON_MIN_SQUARE && r->weight > 0;
}

/* ---- losses ---- */

double son_mu(const struct son_options *o);
/* Returns f'(z). */
double son_slope(enum son_loss loss, double z, double y);
/* Returns the log odds of y = +1 for the prediction z. For the logistic loss this is z itself. The
 * other two losses have the least expectation at z = p - (1 - p). So their log odds are
 * log((1 + z) / (1 - z)). To keep them finite at z = +-1, z is first multiplied by
 * 1 - SON_DOUBT. */
double son_log_odds(enum son_loss loss, double z);
#define SON_DOUBT 0.02

/* Returns s clipped to [-clip, clip]; 0 if s is not a number. */
static inline double son_clip(double s, double clip)
{
    return s > clip ? clip : s >= -clip ? s : s < -clip ? -clip : 0;
}

/* The gradient is g x, and the row that H takes in is r x. Both are 0 if there is nothing to
 * learn. */
struct son_gradient {
    double g, r;
};
struct son_gradient son_gradient(const struct son_options *o, double z, double y, double weight);

/* ---- the interface of any learner ---- */

/* Functions of a learner; a function is NULL where the learner has no such part. `opt` points to
 * the learner's options: its header names the struct. */
struct son_kernel {
    size_t model_size;
    uint32_t (*stride)(const void *opt); /* doubles of a feature, after the mark */
    /* Number of examples whose features may be touched at the same time. */
    uint32_t (*max_rows)(const void *opt);
    /* bytes returns the size of the model's block; init makes a fresh model in `block`, which is
     * zeroed and aligned to 64. `features` and `touched` are upper bounds, as in fd.h. */
    size_t (*bytes)(const void *opt, uint32_t features, uint32_t touched);
    void (*init)(void *model, const void *opt, uint32_t features, uint32_t touched, void *block);
    /* Predicts (*z), then learns. Returns SON_OVERFLOW if a step was left out. */
    enum son_result (*learn)(void *model, const struct son_features *, const struct son_row *,
                             double *z);
    /* Returns a feature's weight. NULL if the weight is the first of the feature's doubles. */
    double (*weight)(const void *model, const struct son_features *, uint32_t feature);
    /* Returns NULL, or a description of the model's fault. */
    const char *(*check)(const void *model, const struct son_features *);
    /* free_slots: room for entries of the next row; slots: all slots, free or not; free_all frees
     * them. */
    uint32_t (*free_slots)(const void *model);
    uint32_t (*slots)(const void *model);
    void (*free_all)(void *model, const struct son_features *);
    /* at moves the clock to an event time; newest returns the current time of the clock. */
    void (*at)(void *model, const struct son_features *, int64_t time);
    uint64_t (*newest)(const void *model);
};

/* True if a step of w by k (x - B'q) stays within SON_LIMIT. */
bool son_bounded(double k, double xx, uint32_t n, const double *q);

/* ---- small dense algebra: row-major, ld doubles from row to row, lower triangles ---- */

double son_dot(uint32_t n, const double *a, const double *b);
/* A <- L with L L' = A. Reads and writes the lower triangle. A pivot that rounding has cancelled
 * becomes 1e-14 of its diagonal element. */
void son_cholesky(uint32_t n, double *A, uint32_t ld);
/* x <- L^-1 x */
void son_forward(uint32_t n, const double *L, uint32_t ld, double *x);
/* x <- L^-T x */
void son_backward(uint32_t n, const double *L, uint32_t ld, double *x);

/* a = G^+ p and b = G^+ a for a Gram matrix G. Eigenvalues up to SON_RANK of the largest count as
 * 0. Reads the lower triangle of G. lambda has n numbers, work has fd_eigen_work(n) doubles,
 * aligned to 32. */
void son_pseudo(uint32_t n, const double *G, uint32_t ld, const double *p, double *a, double *b,
                double *lambda, double *work);

/* ---- learners that keep w = u + Z'c ----
 * The learner's doubles of feature j are u_j, then the column z_j of Z (m x d).
 * With m = 0: w = u. */

static inline uint32_t son_column_stride(uint32_t m) { return 1 + m; }
/* a = Z x; returns u'x. */
double son_project(const struct son_features *f, const struct son_row *r, uint32_t m, double *a);
/* u += k x */
void son_shift(const struct son_features *f, const struct son_row *r, double k);
/* Z += v x' */
void son_spread(const struct son_features *f, const struct son_row *r, uint32_t m, const double *v);
/* w += k (x - Z'q): u += k x, c -= k q. Returns false, and leaves the step out, if it is not
 * son_bounded(). */
bool son_step(const struct son_features *f, const struct son_row *r, double k, uint32_t m,
              const double *q, double *c);
/* w_j = u_j + z_j'c */
double son_column_weight(const struct son_features *f, uint32_t feature, uint32_t m,
                         const double *c);

#endif
