/* rfd_son.h -- online Newton with H sketched by frequent directions.
 *
 *   H = alpha I + B'B,  B a frequent directions sketch (fd.h) of the rows r x  (son.h)
 *   robust (RFD-SON): each shrink by lambda_m adds lambda_m / 2 to alpha; otherwise (FD-SON) alpha
 *   stays alpha0
 *
 * Implicit weights w = u + B'c, a coefficient a row. L = chol(alpha I + BB') is extended row by
 * row, so an example takes one pair of triangular solves, and nothing is divided by alpha:
 *
 *   p = Bx,  f = L^-1 p,  q = L^-T f,  rho = x'x - f'f      H^-1 x = (x - B'q) / alpha
 *   |s| > C:  u -= k x,  c += k q,  k = (s - z) / rho
 *   D = alpha + r^2 rho;  c += (g / D) q;  c_new = -g / (r D);  L gets the row [r f', sqrt(D)]
 *   full: u += B'c, c = 0, shrink, L = diag(sqrt(alpha + lambda_i - lambda_m))
 *
 * rho cannot fall below 1e-15 x'x: then x is in the span of B as far as doubles tell.
 *
 * Robust: alpha starts at no less than RFD_SON_FLOOR of the first row's square r^2 x'x, and the
 * first `warm` shrinks come at every row, so that what they find takes over soon. Then alpha0
 * hardly matters, may be 0, and the result does not depend on the scale of the features. Without
 * the floor the first examples are interpolated with weights that take long to forget. alpha never
 * falls.
 *
 * Diagonal scaling. x_j is divided by d_j, d_j^2 = alpha0 + sqrt(s_j), s_j the sum of (g x_j)^2:
 * H = D (I + B'B) D, AdaGrad's diagonal and what the sketch knows beside it. When d_j changes, u_j
 * takes back what that would do to w_j. alpha stays 1: D has what shrinks lose.
 *
 * Source: L. Luo et al., Robust frequent directions with application in online learning, JMLR 2019,
 * algorithm 6 and section 5.2 (with eta_t = 0). Cost of an example: that of fd.h and O(m^2).
 *
 * A feature's own doubles: with `diagonal` s_j; then fd's, its weight u_j among them.
 */
#ifndef LEAT_KERNELS_SON_RFD_SON_H
#define LEAT_KERNELS_SON_RFD_SON_H

#include "kernels/fd/fd.h"
#include "son.h"

#define RFD_SON_FLOOR 0.01

struct rfd_son_options {
    struct son_options newton;
    uint32_t m, buffer, warm; /* as in fd.h */
    bool robust, diagonal;    /* diagonal: alpha0 > 0 */
};

struct rfd_son {
    struct rfd_son_options opt;
    struct fd fd;
    double alpha;
    double *L, *c;     /* rows x rows, row-major, lower; rows                */
    double *p, *f, *q; /* scratch, rows each                                 */
    uint32_t *at;      /* scratch, `touched` each: places, entries as scaled */
    double *x;
};

/* Of the sketch. */
struct fd_options rfd_son_fd_options(const struct rfd_son_options *opt);
/* Doubles of a feature. */
uint32_t rfd_son_stride(const struct rfd_son_options *opt);
/* features: capacity of the caller's rows; touched: as in fd.h. */
size_t rfd_son_bytes(const struct rfd_son_options *opt, uint32_t features, uint32_t touched);
/* block: zeroed, aligned to 64. */
void rfd_son_init(struct rfd_son *s, const struct rfd_son_options *opt, uint32_t features,
                  uint32_t touched, void *block);
/* Move to a larger zeroed block; the old one is the caller's to free. */
void rfd_son_grow(struct rfd_son *s, uint32_t features, uint32_t touched, void *block);
/* Entries that the next row may have, before the block must grow. */
static inline uint32_t rfd_son_free_slots(const struct rfd_son *s) { return fd_free_slots(&s->fd); }

/* Predict (*z), then learn. SON_OVERFLOW: no weight has changed. */
enum son_result rfd_son_learn(struct rfd_son *s, const struct son_features *f,
                              const struct son_row *r, double *z);
double rfd_son_weight(const struct rfd_son *s, const struct son_features *f, uint32_t feature);

/* The rows of B are new and orthogonal, w = u: after a shrink or merge that lost so much. */
void rfd_son_restart(struct rfd_son *s, double lost);

/* ---- copies and merges (rfd_son_state.c) ---- */

/* All that makes a model, besides options and the features' rows. */
struct rfd_son_parts {
    double alpha;
    const double *L; /* fd_max_rows() squared */
    const double *c; /* fd_max_rows()         */
    struct fd_parts fd;
};
struct rfd_son_parts rfd_son_parts(const struct rfd_son *s);
/* Make s, just initialised, that model; the features' rows are there. NULL, or why there is none.
 */
const char *rfd_son_load(struct rfd_son *s, const struct rfd_son_parts *p,
                         const struct son_features *f);

/* One of two to be merged: it counts `count` times, its weights have a `share` in those of the
 * result. */
struct rfd_son_side {
    const struct rfd_son *s;
    struct son_features f;
    double count, share;
};
size_t rfd_son_merge_bytes(const struct rfd_son_options *opt);
/* Make s, just initialised with options like theirs, without `diagonal`, the merge of both: what H
 * has taken in adds up, as in fd.h; alpha - alpha0, too, and half of what the last shrink lost. f:
 * zeroed rows for the features of both, a's numbers kept, number[j] that of b's feature j. work:
 * rfd_son_merge_bytes() zeroed. */
void rfd_son_merge(struct rfd_son *s, const struct son_features *f, const struct rfd_son_side *a,
                   const struct rfd_son_side *b, const uint32_t *number, void *work);

#endif
