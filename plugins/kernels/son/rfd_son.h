/* rfd_son.h -- online Newton and full-matrix AdaGrad, with H sketched by frequent directions
 *
 *   H = alpha I + B'B,  where B is a frequent directions sketch (fd.h) of the rows r x (son.h)
 *
 *   RFD-SON (robust)   each shrink by lambda_m adds lambda_m / 2 to alpha
 *   FD-SON             alpha stays alpha0
 *
 * Weights are implicit: w = u + B'c, where c has a coefficient for each row of B. L = chol(alpha I
 * + BB') gets a row whenever B does. So an example needs one pair of triangular solves and no
 * division by alpha:
 *
 *   p = Bx;  f = L^-1 p;  q = L^-T f;  rho = x'x - f'f        H^-1 x = (x - B'q) / alpha
 *   |s| > C:   k = (s - z) / rho;  u -= k x;  c += k q
 *   D = alpha + r^2 rho;  c += (g / D) q;  c_new = -g / (r D);  L gets the row [r f', sqrt(D)]
 *   B is full: u += B'c;  c = 0;  shrink B;  L = diag(sqrt(alpha + lambda_i - lambda_m))
 *
 * rho is at least 1e-15 x'x. If it were smaller, doubles could not tell x from a vector in the span
 * of B.
 *
 * Start of a robust learner. alpha starts at `floor` times the first row's square r^2 x'x, or at
 * alpha0 if that is larger. The first `warm` shrinks come at every row, so they soon determine
 * alpha. Then alpha0 hardly matters and may be 0, and the result does not depend on the scale of
 * the features. Without the floor, the learner would interpolate the first examples and take long
 * to forget the resulting weights. Without fading, alpha never falls.
 *
 * The paper's form has floor = 0, warm = 0 and shrink_first, with eta > 0 for its eta_t = O(1 / t):
 *
 *   shrink_first  if a row fills B, B shrinks before the step, which then uses the new H
 *   eta           rows are sqrt(mu + eta / t) l x at example t (labels that are numbers:
 *                 eta / C^2)
 *   floor = 0     while alpha = 0 (alpha0 = 0, and no shrink has subtracted anything), H = B'B is
 *                 singular, and steps use its pseudo-inverse. With G = BB' and p = Bx
 *                     H^+ x = B'(G^+)^2 p;   rho = x'x - p'G^+p: the part of x outside span(B)
 *                 The projection moves w along this part, which costs nothing in the norm of H.
 *                 If rho is 0, the projection moves w along H^+ x.
 *
 * Example: RFD-SON, squared loss, C = 1, alpha0 = 1, m = 2, buffer = 1. The first example is that
 * of full_on.h: D = 3/2 and w = 4/3. The second has another new feature with x = 1, y = +1, which
 * also gets w = 4/3. Its row fills B, so B shrinks: lambda_2 = 1/2, B becomes 0, and alpha = 1 +
 * 1/4.
 *
 * Accuracy on a9a with m = 5, 10, 20: with floor and warm 83.6, 83.7, 83.8 % at every alpha0 from 0
 * to 1. The paper's form (eta = 1) has the same at alpha0 = 1, and 83.6, 83.1, 81.8 % at
 * alpha0 = 0.
 *
 * Fading. With a half-life of T examples, each learned example multiplies the weight of all earlier
 * ones by f = 2^(-1/T): B <- sqrt(f) B (fd.h), alpha <- f alpha. If alpha has fallen below its
 * initial value, the next shrink raises it to this value. Fading rewrites no stored number. With
 * F = fd.fade, the model stores H / F, and B, alpha, L and c accordingly; new gradients and rows
 * are added as g / F and r / sqrt(F). With by_time, T is in nanoseconds, and an example counts by
 * its event time (half_life.h): the caller multiplies its importance by rfd_son_at()'s result.
 *
 * Diagonal scaling (`diagonal`): x_j is divided by d_j, where d_j^2 = alpha0 + sqrt(s_j) and s_j is
 * the sum of (g x_j)^2. So H = D (I + B'B) D combines AdaGrad's diagonal with the sketch. When d_j
 * changes, u_j is adjusted so that w_j does not change. alpha is always 1, because D contains the
 * mass that shrinks subtract.
 *
 * An example costs O(m^2) more than in fd.h.
 *
 * Memory. The learner's doubles of a feature are s_j (only with `diagonal`), then the doubles of
 * fd.h, which include u_j.
 *
 * Paper letter = field: m, alpha^(t) = alpha, B^(t) = B, (sigma_m)^2 = lambda_m, g^(t) = l x,
 * mu_t = mu, eta_t = eta / t, K_t = {|w'x| <= C}. Source: L. Luo, C. Chen, Z. Zhang, W.-J. Li, T.
 * Zhang, Robust frequent directions with application in online learning, JMLR 20, 2019: algorithm
 * 3 and section 5.2; the form with a buffer is algorithm 6 of the preprint (Online learning via
 * regularized frequent directions, 2017). */
#ifndef LEAT_KERNELS_SON_RFD_SON_H
#define LEAT_KERNELS_SON_RFD_SON_H

#include "kernels/fd/fd.h"
#include "kernels/base/half_life.h"
#include "son.h"

#define RFD_SON_FLOOR 0.01 /* default of `floor` */

struct rfd_son_options {
    struct son_options son;
    uint32_t m, buffer, warm; /* see fd.h                                                   */
    bool robust, diagonal;    /* diagonal requires alpha0 > 0                               */
    bool shrink_first;        /* excludes `diagonal`                                        */
    double floor, eta;        /* >= 0; floor is used only if robust                         */
    bool root;                /* S-AdaGrad: H is a square root; requires robust, alpha0 > 0 */
    double rate;              /* eta of S-AdaGrad                                           */
    double half_life;         /* examples, >= 1; 0: no fading; not with diagonal            */
    bool by_time;             /* half_life is in nanoseconds of event time                  */
};

struct rfd_son {
    struct rfd_son_options opt;
    struct fd fd;              /* B and u                                                       */
    double alpha;              /* alpha of H, divided by fd.fade                                */
    double start;              /* initial alpha                                                 */
    double fade;               /* f: fading factor of an example; 1 if by_time                  */
    struct half_life_clock at; /* by_time */
    uint64_t t;                /* number of examples so far, the t of eta / t                   */
    double *L, *c;             /* L: max_rows x max_rows, lower triangle; c: max_rows numbers   */
    double *p, *f, *q;         /* scratch, max_rows each                                        */
    double *work;              /* scratch for son_pseudo(), if alpha may be 0                   */
    uint32_t *slot;            /* scratch: slots of a row's entries, `touched` elements         */
    double *x;                 /* scratch: scaled values of a row's entries, `touched` elements */
};

/* Kernel whose options are a struct rfd_son_options. If learn() returns SON_OVERFLOW, no weight
 * has changed, with one exception: if H is singular or B shrinks first, one of two steps may have
 * been done. */
extern const struct son_kernel rfd_son_kernel;

/* Returns the number of rows of the full sketch: all rows that may contain features between
 * two shrinks. */
uint32_t rfd_son_max_rows(const void *opt);
/* Frees all slots by a shrink, even if B is not full. */
void rfd_son_free_all(void *model, const struct son_features *f);

/* True if H = B'B is singular, so that steps use its pseudo-inverse and L is unused. */
static inline bool rfd_son_is_flat(const struct rfd_son *s)
{
    return s->alpha == 0 && s->opt.son.alpha0 == 0 && s->opt.floor == 0;
}

/* Fades all earlier examples. Must run before the next example touches the sketch. */
void rfd_son_fade(struct rfd_son *s, const struct son_features *f);
/* Takes the event time of the next example, and returns the example's weight. Requires by_time. */
double rfd_son_at(void *model, const struct son_features *f, int64_t time);
/* ---- copies and merges ---- */

/* Makes s, just initialised, a copy of `from`, which may be corrupt. Copies alpha, L, c and the
 * sketch (fd.h); the features' rows are already in f. Returns NULL, or a text that names the fault
 * of `from`; s is then unusable. */
const char *rfd_son_load(struct rfd_son *s, const struct rfd_son *from,
                         const struct son_features *f);

/* One of two models to be merged. Its rows count `count` times, and its weights have a `share` in
 * the weights of the merged model. */
struct rfd_son_side {
    const struct rfd_son *s;
    struct son_features f;
    double count, share;
};
size_t rfd_son_merge_bytes(const struct rfd_son_options *opt);
/* Makes s the merge of both sides. s was just initialised with options like theirs, without
 * `diagonal`. The merged H sums the rows of both models, as in fd.h. alpha - alpha0 adds up as
 * well, plus half of what the last shrink subtracts.
 *   f       zeroed rows for the features of both; a's features keep their numbers
 *   number  number[j]: number in f of b's feature j
 *   work    rfd_son_merge_bytes() zeroed bytes, aligned to 64 */
void rfd_son_merge(struct rfd_son *s, const struct son_features *f, const struct rfd_son_side *a,
                   const struct rfd_son_side *b, const uint32_t *number, void *work);

/* ---- S-AdaGrad ---- */

/* S-AdaGrad: full-matrix AdaGrad whose matrix is sketched by frequent directions. The model is a
 * struct rfd_son with the option `root`.
 *
 *   H = (alpha I + B'B)^(1/2),  B: a frequent directions sketch (fd.h) of the gradients g x
 *
 * A shrink adds all that it subtracts (rho, the escaped mass) to alpha, whereas RFD-SON adds half
 * of it. The sketch shrinks at every gradient, before the step, so its rows are orthogonal: BB' =
 * diag(lambda). With p = Bx
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
 * y = +1: z = 0, g = -2, so B gets the row 2 and the shrink subtracts nothing. H = (1 + 4)^(1/2),
 * and w = 2 / sqrt(5) = 0.894.
 *
 * Sketch, weights w = u + B'c, memory, state and merges are those of RFD-SON. L is unused. If
 * labels are numbers, step 4 divides g by C.
 *
 * An example costs O(m nnz + m^3), the cost of fd.h with a shrink at each example.
 *
 * Paper letter = field: l = m, rho_(1:t) = alpha - alpha0, Gbar_t = B'B, G~_t = B'B + alpha I, eta
 * as here. The paper's G~ has no alpha0 and uses the pseudo-inverse; here alpha0 > 0. Source: V.
 * Feinberg, X. Chen, Y. J. Sun, R. Anil, E. Hazan, Sketchy: memory-efficient adaptive
 * regularization with frequent directions, NeurIPS 2023, algorithms 1 and 2.
 */
extern const struct son_kernel s_adagrad_kernel;

#endif
