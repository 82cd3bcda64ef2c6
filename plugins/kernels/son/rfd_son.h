/* rfd_son.h -- online Newton and full-matrix AdaGrad, with H sketched by frequent directions
 *
 *   H = alpha I + B'B,  where B is a frequent directions sketch (fd.h) of the rows r x (son.h)
 *
 *   RFD-SON (robust)   each shrink by lambda_m adds lambda_m / 2 to alpha
 *   FD-SON             alpha stays alpha0
 *
 * Weights are implicit: w = u + B'c, with one coefficient for each row of B.
 * L = chol(alpha I + BB') gains a row whenever B does. An example therefore takes one pair of
 * triangular solves, without a division by alpha:
 *
 *   p = Bx;  f = L^-1 p;  q = L^-T f;  rho = x'x - f'f        H^-1 x = (x - B'q) / alpha
 *   |s| > C:   k = (s - z) / rho;  u -= k x;  c += k q
 *   D = alpha + r^2 rho;  c += (g / D) q;  c_new = -g / (r D);  L gets the row [r f', sqrt(D)]
 *   B is full: u += B'c;  c = 0;  shrink B;  L = diag(sqrt(alpha + lambda_i - lambda_m))
 *
 * rho is at least 1e-15 x'x: below that, x lies in the span of B as far as doubles can tell.
 *
 * The start of a robust learner. alpha starts at `floor` times the first row's square r^2 x'x, or
 * at alpha0 if that is larger. The first `warm` shrinks come at every row, so alpha soon follows
 * from them. alpha0 then hardly matters and may be 0, and the result does not depend on the scale
 * of the features. Without the floor, the learner interpolates the first examples, and takes long
 * to forget the weights this gives. alpha never falls.
 *
 * The paper's form is floor = 0, warm = 0 and shrink_first, with eta > 0 for its eta_t = O(1 / t):
 *
 *   shrink_first  a row that fills B shrinks it before the step, which then uses the new H
 *   eta           rows are sqrt(mu + eta / t) l x at example t (labels that are numbers:
 *                 eta / C^2)
 *   floor = 0     while alpha = 0 (alpha0 = 0, and no shrink has lost anything), H = B'B is
 *                 singular, and steps use its pseudo-inverse. With G = BB' and p = Bx
 *                     H^+ x = B'(G^+)^2 p;   rho = x'x - p'G^+p: the part of x outside span(B)
 *                 The projection moves w along this part, which costs nothing in the norm of H.
 *                 If rho is 0, the projection moves w along H^+ x.
 *
 * Example: RFD-SON, squared loss, C = 1, alpha0 = 1, m = 2, buffer = 1. The first example is that
 * of full_on.h: D = 3/2 and w = 4/3. The second has another new feature with x = 1, y = +1, and
 * also w = 4/3. Its row fills B, so B shrinks: lambda_2 = 1/2, B becomes 0, and alpha = 1 + 1/4.
 *
 * On a9a with m = 5, 10, 20, floor and warm reach 83.6, 83.7, 83.8 % at every alpha0 from 0 to 1.
 * The paper's form (eta = 1) reaches the same at alpha0 = 1, and 83.6, 83.1, 81.8 % at alpha0 = 0.
 *
 * Fading. With a half-life of T examples, each learned example makes the earlier ones count
 * f = 2^(-1/T) times: B <- sqrt(f) B (fd.h), alpha <- f alpha. At a shrink, alpha rises to its
 * value at the start if it has fallen below it. Fading itself rewrites no number: with F = fd.fade
 * the model keeps H / F, and with it B, alpha, L and c. Gradients and rows enter as g / F and
 * r / sqrt(F). By event time T is in nanoseconds, and rfd_son_at() fades by the time that has
 * passed.
 *
 * Diagonal scaling: x_j is divided by d_j, where d_j^2 = alpha0 + sqrt(s_j) and s_j is the sum of
 * (g x_j)^2. This gives H = D (I + B'B) D: AdaGrad's diagonal, and the sketch on top of it. When
 * d_j changes, u_j changes by the opposite amount, so that w_j stays. alpha stays 1, because D
 * contains the mass that shrinks lose.
 *
 * Cost of an example: the cost of fd.h, plus O(m^2).
 *
 * Memory. The learner's doubles of a feature are s_j (with `diagonal`), then the doubles of fd.h,
 * which include u_j.
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

#define RFD_SON_FLOOR 0.01 /* default of `floor` */

struct rfd_son_options {
    struct son_options son;
    uint32_t m, buffer, warm; /* see fd.h                         */
    bool robust, diagonal;    /* diagonal needs alpha0 > 0         */
    bool shrink_first;        /* excludes diagonal                 */
    double floor, eta;        /* >= 0; floor applies if robust */
    bool root;                /* S-AdaGrad: H is a root; needs robust and alpha0 > 0 */
    double rate;              /* eta of root                       */
    double half_life;         /* examples, >= 1; 0: no fading; not with diagonal */
    bool by_time;             /* half_life is in nanoseconds of event time */
};

struct rfd_son {
    struct rfd_son_options opt;
    struct fd fd;      /* B and u */
    double alpha;      /* alpha / fd.fade                     */
    double start;      /* alpha at the start                  */
    double fade;       /* f; by_time: 1                       */
    uint64_t newest;   /* by_time: latest event time, ns; 0 before the first */
    uint64_t t;        /* examples so far: t of eta / t */
    double *L, *c;     /* max_rows x max_rows, row-major, lower triangle; max_rows */
    double *p, *f, *q; /* scratch, max_rows each                          */
    double *work;      /* scratch of son_pseudo(), if alpha may be 0      */
    uint32_t *slot;    /* scratch of `touched` elements: slots of the entries */
    double *x;         /* scratch of `touched` elements: their scaled values */
};

/* Takes a struct rfd_son_options. If learn returns SON_OVERFLOW, no weight has changed. The
 * exception: if H is singular or B shrinks first, one of the two steps was left out. */
extern const struct son_kernel rfd_son_kernel;

/* Returns the rows of the full sketch: all rows that may touch features between two shrinks. */
uint32_t rfd_son_max_rows(const void *opt);
/* Frees all slots by a shrink before B is full. */
void rfd_son_free_all(void *model, const struct son_features *f);

/* True if H = B'B is singular, so that steps use its pseudo-inverse and L is unused. */
static inline bool rfd_son_is_flat(const struct rfd_son *s)
{
    return s->alpha == 0 && s->opt.son.alpha0 == 0 && s->opt.floor == 0;
}

/* Fades all earlier examples before the next is learned. Must run before the sketch is touched. */
void rfd_son_fade(struct rfd_son *s, const struct son_features *f);
/* Moves the clock to an event time (kernels/base/half_life.h) before an example is learned. Needs
 * by_time. */
void rfd_son_at(void *model, const struct son_features *f, int64_t time);
/* ---- copies and merges ---- */

/* Makes s, freshly initialised, a copy of `from`, a model that may be corrupt: copies alpha, L, c
 * and the sketch (fd.h). The features' rows are already in f. Returns NULL, or the fault of `from`;
 * s is then unusable. */
const char *rfd_son_load(struct rfd_son *s, const struct rfd_son *from,
                         const struct son_features *f);

/* One of two models to be merged: its rows count `count` times, and its weights have a `share` in
 * the weights of the result. */
struct rfd_son_side {
    const struct rfd_son *s;
    struct son_features f;
    double count, share;
};
size_t rfd_son_merge_bytes(const struct rfd_son_options *opt);
/* Makes s the merge of both sides. s is freshly initialised with options like theirs, without
 * `diagonal`. H of the result sums the rows that both have taken in, as in fd.h. alpha - alpha0
 * adds up as well, plus half of the loss of the last shrink.
 *   f       zeroed rows for the features of both; a's features keep their numbers
 *   number  number[j]: number in f of b's feature j
 *   work    rfd_son_merge_bytes() zeroed bytes, aligned to 64 */
void rfd_son_merge(struct rfd_son *s, const struct son_features *f, const struct rfd_son_side *a,
                   const struct rfd_son_side *b, const uint32_t *number, void *work);

/* ---- S-AdaGrad ---- */

/* S-AdaGrad: full-matrix AdaGrad with its matrix sketched by frequent directions, as a struct
 * rfd_son with the option `root`.
 *
 *   H = (alpha I + B'B)^(1/2),  B: a frequent directions sketch (fd.h) of the gradients g x
 *
 * alpha grows by all that a shrink subtracts (rho, the escaped mass), where RFD-SON adds half of
 * it. The sketch shrinks at every gradient, before the step, so that its rows are orthogonal:
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
 * Example: squared loss, C = 1, alpha0 = 1, eta = 1, m = 2. A new feature arrives with x = 1,
 * y = +1: z = 0, g = -2, so B gets the row 2 and the shrink loses nothing. H = (1 + 4)^(1/2), and
 * w = 2 / sqrt(5) = 0.894.
 *
 * The sketch, the weights w = u + B'c, memory, state and merges are as for RFD-SON. L is unused. If
 * labels are numbers, step 4 divides g by C.
 *
 * Cost of an example: that of fd.h with a shrink each time, O(m nnz + m^3).
 *
 * Paper letter = field: l = m, rho_(1:t) = alpha - alpha0, Gbar_t = B'B, G~_t = B'B + alpha I, eta
 * as here. The paper's G~ has no alpha0 and uses the pseudo-inverse; here alpha0 > 0. Source: V.
 * Feinberg, X. Chen, Y. J. Sun, R. Anil, E. Hazan, Sketchy: memory-efficient adaptive
 * regularization with frequent directions, NeurIPS 2023, algorithms 1 and 2.
 */
extern const struct son_kernel s_adagrad_kernel;

#endif
