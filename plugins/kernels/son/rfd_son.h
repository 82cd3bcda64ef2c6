/* rfd_son.h -- online Newton and full-matrix AdaGrad, with H sketched by frequent directions.
 *
 *   H = alpha I + B'B,  where B is a frequent directions sketch (fd.h) of the rows r x (son.h)
 *
 *   RFD-SON (robust)   each shrink by lambda_m adds lambda_m / 2 to alpha
 *   FD-SON             alpha stays alpha0
 *
 * Weights are implicit: w = u + B'c, a coefficient a row of B. L = chol(alpha I + BB') grows by a
 * row with each row of B, so an example takes one pair of triangular solves, and nothing is divided
 * by alpha:
 *
 *   p = Bx;  f = L^-1 p;  q = L^-T f;  rho = x'x - f'f        H^-1 x = (x - B'q) / alpha
 *   |s| > C:   k = (s - z) / rho;  u -= k x;  c += k q
 *   D = alpha + r^2 rho;  c += (g / D) q;  c_new = -g / (r D);  L gets the row [r f', sqrt(D)]
 *   B is full: u += B'c;  c = 0;  shrink B;  L = diag(sqrt(alpha + lambda_i - lambda_m))
 *
 * rho is held at 1e-15 x'x: below, x is in the span of B as far as doubles tell.
 *
 * The start, when robust: alpha starts at `floor` of the first row's square r^2 x'x, or at alpha0
 * if that is larger, and the first `warm` shrinks come at every row, so that alpha soon follows
 * from them. alpha0 then hardly matters and may be 0, and the result does not depend on the scale
 * of the features. Without the floor the first examples are interpolated, with weights that take
 * long to forget. alpha never falls.
 *
 * The paper's form is floor = 0, warm = 0 and shrink_first, with eta > 0 for its eta_t = O(1 / t):
 *
 *   shrink_first  a row that fills B shrinks it before the step, which is then by the new H
 *   eta           rows are sqrt(mu + eta / t) l x at example t (eta / C^2 of labels that are
 *                 numbers)
 *   floor = 0     while alpha = 0 (alpha0 = 0, and no shrink has lost anything) H = B'B is
 *                 singular: steps are by its pseudo-inverse. With G = BB' and p = Bx
 *                     H^+ x = B'(G^+)^2 p;   x'x - p'G^+p = rho: what the span of B leaves of x
 *                 The projection moves w along that rest, where H puts no price on it, or, if
 *                 there is none, along H^+ x.
 *
 * On a9a, m = 5, 10, 20: 83.6, 83.7, 83.8 % with floor and warm at every alpha0 from 0 to 1; the
 * paper's form (eta = 1) has the same at alpha0 = 1, and 83.6, 83.1, 81.8 % at alpha0 = 0.
 *
 * Fading. With a half-life of T examples each one learned makes those before it count f = 2^(-1/T)
 * times: B <- sqrt(f) B (fd.h), alpha <- f alpha, but at a shrink alpha does not stay below what it
 * began with. No number moves in between: with F = fd.fade, H / F is kept, and so B, alpha, L and
 * c; gradients and rows come in as g / F and r / sqrt(F). By event time T is in nanoseconds, and
 * rfd_son_at() fades by what has passed.
 *
 * Diagonal scaling: x_j is divided by d_j, where d_j^2 = alpha0 + sqrt(s_j) and s_j is the sum of
 * (g x_j)^2. This gives H = D (I + B'B) D: AdaGrad's diagonal, and what the sketch adds to it. When
 * d_j changes, u_j takes back what this would change in w_j. alpha stays 1, as D has what the
 * shrinks lose.
 *
 * Cost of an example: that of fd.h, and O(m^2).
 *
 * Memory. The learner's doubles of a feature are s_j (with `diagonal`), then those of fd.h, among
 * them u_j.
 *
 * Paper letter = field: m, alpha^(t) = alpha, B^(t) = B, (sigma_m)^2 = lambda_m, g^(t) = l x,
 * mu_t = mu, eta_t = eta / t, K_t = {|w'x| <= C}.
 * Source: L. Luo, C. Chen, Z. Zhang, W.-J. Li, T. Zhang, Robust frequent directions with
 * application in online learning, JMLR 20, 2019: algorithm 3 and section 5.2; the form with a
 * buffer is algorithm 6 of the preprint (Online learning via regularized frequent directions,
 * 2017). */
#ifndef LEAT_KERNELS_SON_RFD_SON_H
#define LEAT_KERNELS_SON_RFD_SON_H

#include "kernels/fd/fd.h"
#include "son.h"

#define RFD_SON_FLOOR 0.01 /* of `floor`, unless another is given */

struct rfd_son_options {
    struct son_options son;
    uint32_t m, buffer, warm; /* as in fd.h                       */
    bool robust, diagonal;    /* diagonal needs alpha0 > 0         */
    bool shrink_first;        /* not with diagonal                 */
    double floor, eta;        /* >= 0; the floor is for robust ones */
    bool root;                /* H is a root (S-AdaGrad); then robust, not the others, alpha0 > 0 */
    double rate;              /* of root: its eta                  */
    double half_life;         /* examples; 0: nothing fades, else >= 1; not with diagonal */
    bool by_time;             /* half_life is in nanoseconds of event time */
};

struct rfd_son {
    struct rfd_son_options opt;
    struct fd fd;      /* B and u */
    double alpha;      /* over fd.fade                        */
    double start;      /* alpha at the start                  */
    double fade;       /* f; by_time: 1                       */
    uint64_t newest;   /* by_time: the latest event time, ns; 0: none yet */
    uint64_t t;        /* examples that could be learned from */
    double *L, *c;     /* max_rows x max_rows, row-major, lower; max_rows */
    double *p, *f, *q; /* scratch, max_rows each                          */
    double *work;      /* of son_pseudo(), if alpha may be 0              */
    uint32_t *slot;    /* scratch, `touched` each: slots of the entries,  */
    double *x;         /* and their scaled values                         */
};

/* Its options are a struct rfd_son_options. If learn returns SON_OVERFLOW, no weight has changed;
 * or, where H is singular or B shrinks first, one of the two steps was left out. */
extern const struct son_kernel rfd_son_kernel;

/* Rows of the full sketch: all that may touch features between two shrinks. */
uint32_t rfd_son_max_rows(const void *opt);
/* Frees all slots: a shrink before B is full. */
void rfd_son_free_all(void *model, const struct son_features *f);

/* Whether H = B'B is singular, so that steps are by its pseudo-inverse and L is not in use. */
static inline bool rfd_son_is_flat(const struct rfd_son *s)
{
    return s->alpha == 0 && s->opt.son.alpha0 == 0 && s->opt.floor == 0;
}

/* An example is learned: all before it count less. Before the sketch is touched. */
void rfd_son_fade(struct rfd_son *s, const struct son_features *f);
/* The clock goes to an event time (kernels/base/half_life.h) before an example is learned. Only
 * by_time. */
void rfd_son_at(void *model, const struct son_features *f, int64_t time);
/* ---- copies and merges ---- */

/* Makes s, just initialised, a copy of a model that may be anything: of alpha, L, c and the sketch
 * (fd.h). The features' rows are there already. NULL, or what is wrong with `from`: then s is of no
 * use. */
const char *rfd_son_load(struct rfd_son *s, const struct rfd_son *from,
                         const struct son_features *f);

/* One of two models to be merged: its rows count `count` times, and its weights have a `share` in
 * those of the result. */
struct rfd_son_side {
    const struct rfd_son *s;
    struct son_features f;
    double count, share;
};
size_t rfd_son_merge_bytes(const struct rfd_son_options *opt);
/* Makes s, just initialised with options like theirs and not `diagonal`, the merge of both: what H
 * has taken in adds up, as in fd.h, and so does alpha - alpha0, and half of what the last shrink
 * lost.
 *   f       zeroed rows for the features of both; a's features keep their numbers
 *   number  number[j]: that of b's feature j
 *   work    rfd_son_merge_bytes() zeroed bytes, aligned to 64 */
void rfd_son_merge(struct rfd_son *s, const struct son_features *f, const struct rfd_son_side *a,
                   const struct rfd_son_side *b, const uint32_t *number, void *work);

/* ---- S-AdaGrad ---- */

/* S-AdaGrad: full-matrix AdaGrad with its matrix sketched by frequent directions, as a struct
 * rfd_son with the option `root`.
 *
 *   H = (alpha I + B'B)^(1/2),  B: a frequent directions sketch (fd.h) of the gradients g x
 *
 * alpha grows by all that a shrink subtracts (rho, the escaped mass), where RFD-SON adds half. The
 * sketch shrinks at every gradient, and before the step, so that its rows are orthogonal:
 * BB' = diag(lambda). With p = Bx
 *
 *   H^-1 x = alpha^(-1/2) x + B'q,
 *                     q_i = ((alpha + lambda_i)^(-1/2) - alpha^(-1/2)) p_i / lambda_i
 *
 *   1  s = w'x;  z = s clipped to [-C, C]
 *   2  w -= (s - z) / (x'H^-1 x) H^-1 x
 *   3  g = c f'(z)
 *   4  B gets the row g x; u += B'c, c = 0; B shrinks; alpha += lambda_m
 *   5  w -= eta g H^-1 x
 *
 * Sketch, weights w = u + B'c, memory, state and merges are those of RFD-SON; L is not in use. If
 * labels are numbers, g is divided by C in step 4.
 *
 * Cost of an example: that of fd.h with a shrink each time, O(m nnz + m^3).
 *
 * Paper letter = field: l = m, rho_(1:t) = alpha - alpha0, Gbar_t = B'B, G~_t = B'B + alpha I, eta
 * as here. The paper's G~ has no alpha0: with the pseudo-inverse. Here alpha0 > 0. Source: V.
 * Feinberg, X. Chen, Y. J. Sun, R. Anil, E. Hazan, Sketchy: memory-efficient adaptive
 * regularization with frequent directions, NeurIPS 2023, algorithms 1 and 2.
 */
extern const struct son_kernel s_adagrad_kernel;

#endif
