/* rfd_son.c -- implementation of rfd_son.h */
#include "rfd_son.h"

#include <string.h>

#include "kernels/base/count.h"
#include "kernels/base/layout.h"
#include "kernels/base/loss.h"
#include "kernels/dense/eigen.h"
#include "kernels/fd/fd_weights.h"

/* If x lies in the span of B, rounding errors make the part of x outside it less than this share
 * of x'x. */
#define RFD_SON_OUTSIDE 1e-8

static struct fd_options rfd_son_fd_options(const struct rfd_son_options *o)
{
    return (struct fd_options){.m = o->m,
                               .buffer = o->buffer,
                               .warm = o->warm,
                               .weights = true,
                               .offset = SON_MARK + o->diagonal};
}

static uint32_t rfd_son_stride(const void *opt)
{
    struct fd_options o = rfd_son_fd_options(opt);
    return ((const struct rfd_son_options *)opt)->diagonal + fd_stride(&o);
}

/* Returns the number of doubles of scratch that the pseudo-inverse needs: 0 if alpha is never 0. */
static size_t rfd_son_flat_work(const struct rfd_son_options *o, size_t rows)
{
    return o->son.alpha0 == 0 && o->floor == 0 ? rows + 3 + eigen_work((uint32_t)rows) : 0;
}

/* Lays out the model's arrays. Returns the block of the sketch, which follows them. */
static void *rfd_son_lay_out(struct rfd_son *s, uint32_t touched, void *block, size_t *used)
{
    struct layout c = {block, 0};
    struct fd_options o = rfd_son_fd_options(&s->opt);
    size_t rows = fd_max_rows(&o);
    s->L = layout_take(&c, rows * rows, sizeof(double));
    s->c = layout_take(&c, rows, sizeof(double));
    s->p = layout_take(&c, rows, sizeof(double));
    s->f = layout_take(&c, rows, sizeof(double));
    s->q = layout_take(&c, rows, sizeof(double));
    s->slot = layout_take(&c, touched, sizeof *s->slot);
    s->x = layout_take(&c, touched, sizeof(double));
    s->work = layout_take(&c, rfd_son_flat_work(&s->opt, rows), sizeof(double));
    *used = c.used;
    return block ? (char *)block + c.used : NULL;
}

uint32_t rfd_son_max_rows(const void *opt)
{
    const struct rfd_son_options *c = opt;
    struct fd_options o = rfd_son_fd_options(c);
    return fd_max_rows(&o) + (c->shrink_first || c->root); /* + 1 if learning touches a row twice */
}

static size_t rfd_son_bytes(const void *opt, uint32_t features, uint32_t touched)
{
    struct rfd_son s = {.opt = *(const struct rfd_son_options *)opt};
    struct fd_options o = rfd_son_fd_options(opt);
    size_t used;
    rfd_son_lay_out(&s, touched, NULL, &used);
    return used + fd_block_bytes(&o, features, touched);
}

static void rfd_son_init(void *model, const void *opt, uint32_t features, uint32_t touched,
                         void *block)
{
    struct rfd_son *s = model;
    const struct rfd_son_options *c = opt;
    struct fd_options o = rfd_son_fd_options(c);
    size_t used;
    assert(c->m >= 1 && (!c->diagonal || (c->son.alpha0 > 0 && !c->shrink_first)));
    assert(c->half_life == 0 || (c->half_life >= 1 && !c->diagonal));
    *s = (struct rfd_son){.opt = *c, .alpha = c->diagonal ? 1 : c->son.alpha0};
    s->start = s->alpha;
    s->fade = c->by_time ? 1 : half_life_share(1, c->half_life); /* 2^(-1/T) */
    fd_init(&s->fd, &o, features, touched, rfd_son_lay_out(s, touched, block, &used));
}

static double *rfd_son_row(const struct rfd_son *s, uint32_t i)
{
    return s->L + (size_t)i * fd_max_rows(&s->fd.opt);
}

/* Computes f and q from p = Bx. Returns rho. */
static double rfd_son_solve(struct rfd_son *s, double xx)
{
    uint32_t k = s->fd.rows, ld = fd_max_rows(&s->fd.opt);
    memcpy(s->f, s->p, k * sizeof *s->f);
    son_forward(k, s->L, ld, s->f); /* f = L^-1 p */
    memcpy(s->q, s->f, k * sizeof *s->q);
    son_backward(k, s->L, ld, s->q);                      /* q = L^-T f */
    return fmax(xx - son_dot(k, s->f, s->f), 1e-15 * xx); /* rho = x'x - f'f */
}

/* Computes c += k q. */
static void rfd_son_add_to_c(struct rfd_son *s, double k)
{
    for (uint32_t i = 0; i < s->fd.rows; i++)
        s->c[i] += k * s->q[i];
}

/* Resets c and L for the orthogonal rows that a shrink or merge produced: c = 0, w = u, and L is
 * diagonal. `lost` is the mass that the shrink subtracted. */
static void rfd_son_restart(struct rfd_son *s, double lost)
{
    assert(lost >= 0);
    memset(s->c, 0, fd_max_rows(&s->fd.opt) * sizeof *s->c);
    if (s->opt.robust && !s->opt.diagonal)
        s->alpha += s->opt.root ? lost : lost / 2; /* alpha += lambda_m / 2; root: lambda_m */
    if (s->opt.half_life > 0) s->alpha = fmax(s->alpha, s->start);
    for (uint32_t i = 0; i < s->fd.rows; i++) {
        memset(rfd_son_row(s, i), 0, i * sizeof *s->L);
        rfd_son_row(s, i)[i] =
            sqrt(s->alpha + fd_gram(&s->fd, i, i)); /* L_ii = sqrt(alpha + G_ii) */
    }
}

/* Raises alpha to its floor at the first row. */
static void rfd_son_raise_alpha(struct rfd_son *s, const struct son_row *r, struct son_gradient d)
{
    if (!s->opt.robust || s->fd.rows || s->fd.log.n) return;
    s->alpha = fmax(s->alpha, s->opt.floor * d.r * d.r * r->xx);
    s->start = fmax(s->start, s->fd.fade * s->alpha);
}

/* Appends the row to B, and to L unless alpha is 0. D is the square of the new pivot of L. */
static void rfd_son_append(struct rfd_son *s, const struct son_row *r, double scale, double D)
{
    uint32_t k = s->fd.rows;
    bool flat = rfd_son_is_flat(s);
    s->c[k] = 0;
    for (uint32_t i = 0; i < k; i++)
        rfd_son_row(s, k)[i] = flat ? 0 : scale * s->f[i]; /* L_new = [r f', sqrt(D)] */
    rfd_son_row(s, k)[k] = sqrt(D);
    fd_append(&s->fd, r->n, s->slot, r->x, scale, s->p, r->xx);
}

/* Shrinks B: does u += B'c, c = 0, B <- W B. */
static void rfd_son_shrink(struct rfd_son *s, const struct son_features *f)
{
    s->alpha *= s->fd.fade;
    rfd_son_restart(s, fd_shrink(&s->fd, f->row, f->stride, f->known, s->c));
}

static void rfd_son_fade_to(struct rfd_son *s, const struct son_features *f, double share)
{
    fd_fade(&s->fd, share);
    if (fd_is_faint(&s->fd)) rfd_son_shrink(s, f);
}

void rfd_son_fade(struct rfd_son *s, const struct son_features *f)
{
    rfd_son_fade_to(s, f, s->fade);
}

double rfd_son_at(void *model, const struct son_features *f, int64_t time)
{
    struct rfd_son *s = model;
    double weight;
    assert(s->opt.by_time);
    rfd_son_fade_to(s, f, half_life_take(&s->at, s->opt.half_life, time, &weight));
    return weight;
}

static void rfd_son_follow(void *model, const struct son_features *f, const void *other)
{
    struct rfd_son *s = model;
    if (!s->opt.by_time) return;
    rfd_son_fade_to(s, f,
                    half_life_meet(&s->at, s->opt.half_life, &((const struct rfd_son *)other)->at));
}

void rfd_son_free_all(void *model, const struct son_features *f) { rfd_son_shrink(model, f); }

static uint32_t rfd_son_free_slots(const void *model)
{
    return fd_free_slots(&((const struct rfd_son *)model)->fd);
}

static uint32_t rfd_son_slots(const void *model)
{
    return ((const struct rfd_son *)model)->fd.max_slots;
}

/* ---- the paper's order of steps, and alpha = 0 ---- */

/* Sets s->q to the coefficients (of the rows of B) of h = H^+ x, for x in the span of B. Reads
 * p = Bx. */
static void rfd_son_solve_flat(struct rfd_son *s)
{
    uint32_t k = s->fd.rows, ld = fd_max_rows(&s->fd.opt);
    son_pseudo(k, s->fd.gram, ld, s->p, s->f, s->q, s->work, s->work + ((ld + 3) & ~3u));
}

/* Reduces w'x by `excess`, with the least change of w in the seminorm of H = B'B. */
static bool rfd_son_project_flat(struct rfd_son *s, const struct son_row *r, double excess)
{
    uint32_t k = s->fd.rows;
    rfd_son_solve_flat(s); /* f = G^+ p, q = (G^+)^2 p */
    double rho = r->xx - son_dot(k, s->p, s->f), along = son_dot(k, s->p, s->q);
    bool outside = rho > RFD_SON_OUTSIDE * r->xx;
    double step = excess / (outside ? rho : along);
    if (outside) memcpy(s->q, s->f, k * sizeof *s->q);
    if (!son_bounded(step, outside ? r->xx : 0, k, s->q)) return false;
    if (outside) fd_add_weight(&s->fd, r->n, s->slot, r->x, -step); /* u -= k x */
    rfd_son_add_to_c(s, outside ? step : -step); /* c += k G^+p; or c -= k (G^+)^2 p */
    return true;
}

/* Computes w -= g H^-1 x after B and alpha have changed. H^-1 x is (x - B'q) / alpha,
 * or B'q if alpha is 0. */
static bool rfd_son_step_anew(struct rfd_son *s, const struct son_features *f,
                              const struct son_row *r, double g)
{
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->slot);
    fd_project(&s->fd, r->n, s->slot, r->x, s->p);
    bool flat = rfd_son_is_flat(s);
    if (flat)
        rfd_son_solve_flat(s);
    else
        rfd_son_solve(s, r->xx);
    g /= s->fd.fade;
    double k = flat ? -g : g / s->alpha;
    if (!son_bounded(k, flat ? 0 : r->xx, s->fd.rows, s->q)) return false;
    if (!flat) fd_add_weight(&s->fd, r->n, s->slot, r->x, -k); /* u -= (g / alpha) x */
    rfd_son_add_to_c(s, k);
    return true;
}

/* ---- a row ---- */

/* Computes w -= g H^-1 x after x was appended as row k, the last row of B. */
static void rfd_son_step_by_pivot(struct rfd_son *s, uint32_t k, struct son_gradient d, double D)
{
    for (uint32_t i = 0; i < k; i++)
        s->c[i] += d.g / D * s->q[i]; /* c += (g / D) q */
    s->c[k] = -d.g / d.r / D;         /* c_new = -g / (r D) */
}

/* Adds the row to B and takes the step. If this fills B, shrinks B after the step, or before it
 * with shrink_first. `g` is the gradient's factor; `d` has the factors divided by fading. */
static bool rfd_son_take_row(struct rfd_son *s, const struct son_features *f,
                             const struct son_row *r, double g, struct son_gradient d, double D)
{
    uint32_t k = s->fd.rows;
    rfd_son_append(s, r, d.r, D);
    bool full = fd_full(&s->fd), last = full && s->opt.shrink_first;
    bool done = true;
    if (!last && rfd_son_is_flat(s))
        done = rfd_son_step_anew(s, f, r, g);
    else if (!last)
        rfd_son_step_by_pivot(s, k, d, D);
    if (full) rfd_son_shrink(s, f);
    return last ? rfd_son_step_anew(s, f, r, g) : done;
}

/* ---- diagonal scaling ---- */

/* Returns d_j = sqrt(alpha0 + sqrt(s_j)), where `sum` is s_j; 1 without `diagonal`. */
static double rfd_son_scale(const struct rfd_son *s, double sum)
{
    return s->opt.diagonal ? sqrt(s->opt.son.alpha0 + sqrt(sum)) : 1;
}

/* Sets r->x to D^-1 x, stored in the scratch s->x. */
static void rfd_son_scale_row(struct rfd_son *s, const struct son_features *f, struct son_row *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        s->x[i] = r->x[i] / rfd_son_scale(s, son_feature(f, r->feature[i])[0]);
    r->x = s->x;
    son_row_finish(r);
}

/* Adds the gradient g x to the scales d_j. Does not change any w_j. */
static void rfd_son_rescale(struct rfd_son *s, const struct son_features *f,
                            const struct son_row *r, double g)
{
    const double one = 1, scaled = g / son_unit(&s->opt.son);
    for (uint32_t i = 0; i < r->n; i++) {
        double *sum = son_feature(f, r->feature[i]), before = rfd_son_scale(s, *sum), u;
        *sum += scaled * r->x[i] * scaled * r->x[i]; /* s_j += (g x_j)^2 */
        fd_column(&s->fd, f->row, f->stride, r->feature[i], s->q, &u);
        double w = u + son_dot(s->fd.rows, s->q, s->c); /* d_j w_j, with the old scale d_j */
        fd_add_weight(&s->fd, 1, &s->slot[i], &one, (rfd_son_scale(s, *sum) / before - 1) * w);
    }
}

/* ---- an example ---- */

/* Sets p = Bx. Returns w'x = u'x + c'p. */
static double rfd_son_margin(struct rfd_son *s, const struct son_row *r)
{
    fd_project(&s->fd, r->n, s->slot, r->x, s->p);
    return fd_weigh(&s->fd, r->n, s->slot, r->x) + son_dot(s->fd.rows, s->c, s->p);
}

/* Updates the scales before steps 3 to 5, for diagonal scaling. Sets t to the row r in the
 * new scales. */
static void rfd_son_enter_scales(struct rfd_son *s, const struct son_features *f,
                                 const struct son_row *r, double g, struct son_row *t)
{
    *t = *r;
    rfd_son_rescale(s, f, r, g);
    rfd_son_scale_row(s, f, t);
    rfd_son_margin(s, t); /* only to compute p; the margin does not change */
}

/* Performs step 2 of son.h: reduces w'x by `excess`, so that it becomes z. */
static bool rfd_son_project(struct rfd_son *s, const struct son_row *r, double excess, double rho)
{
    if (excess == 0) return true;
    if (rfd_son_is_flat(s)) return rfd_son_project_flat(s, r, excess);
    fd_add_weight(&s->fd, r->n, s->slot, r->x, -excess / rho); /* u -= k x, k = (s - z) / rho */
    rfd_son_add_to_c(s, excess / rho);                         /* c += k q                    */
    return true;
}

/* Performs step 3 of son.h (the gradient and the row), with eta_t. */
static struct son_gradient rfd_son_gradient(struct rfd_son *s, const struct son_row *r, double z)
{
    const struct son_options *o = &s->opt.son;
    struct son_gradient d = son_gradient(o, z, r->y, r->weight);
    double unit = son_unit(o), eta = s->opt.eta / (double)++s->t / (unit * unit);
    if (eta > 0 && !o->hessian) d.r *= sqrt(1 + eta / son_mu(o)); /* sqrt(mu + eta_t) l */
    return d;
}

static const char *rfd_son_check(const void *model, const struct son_features *f)
{
    const struct rfd_son *s = model;
    size_t max_rows = fd_max_rows(&s->fd.opt);
    if (!(s->alpha >= 0 && s->alpha <= SON_LIMIT) || (s->opt.root && s->alpha == 0))
        return "alpha is out of range";
    for (size_t i = 0; i < s->fd.rows; i++) {
        const double *L = s->L + i * max_rows;
        if (!(fabs(s->c[i]) <= FD_MAX_SQUARE)) return "coefficients has a number above 1e+200";
        if (rfd_son_is_flat(s)) continue;
        if (!(L[i] > 0)) return "factor has a diagonal number that is not above 0";
        for (size_t j = 0; j <= i; j++)
            if (!(fabs(L[j]) <= FD_MAX_SQUARE)) return "factor has a number above 1e+200";
    }
    for (uint32_t j = 0; j < f->known && s->opt.diagonal; j++)
        if (!(son_feature(f, j)[0] >= 0 && son_feature(f, j)[0] <= FD_MAX_SQUARE))
            return "feature_rows has a scale below 0 or above 1e+200";
    return NULL;
}

/* Learns an example by the steps of son.h. Numbers in brackets are lines of algorithm 3 of Luo et
 * al. 2019. */
static enum son_result rfd_son_learn(void *model, const struct son_features *f,
                                     const struct son_row *r, double *z)
{
    struct rfd_son *s = model;
    struct son_row t = *r;
    if (s->fade < 1 && son_row_teaches(r)) rfd_son_fade(s, f);
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->slot);
    if (s->opt.diagonal) rfd_son_scale_row(s, f, &t);
    double margin = rfd_son_margin(s, &t); /* step 1 of son.h */
    *z = son_clip(margin, s->opt.son.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    struct son_gradient d = rfd_son_gradient(s, r, *z); /* step 3 [4] */
    double g = d.g;
    d.g /= s->fd.fade;
    d.r = fd_kept(&s->fd, d.r);
    if (s->opt.diagonal && g != 0) rfd_son_enter_scales(s, f, r, g, &t);
    rfd_son_raise_alpha(s, &t, d);
    double rho = 0, D = 0, excess = margin - *z;
    if (!rfd_son_is_flat(s)) {
        rho = rfd_son_solve(s, t.xx);
        D = s->alpha + d.r * d.r * rho; /* D = alpha + r^2 rho */
        double longest = fmax(fabs(excess / rho), d.r != 0 ? fabs(d.g / D) : 0);
        if (!son_bounded(longest, t.xx, s->fd.rows, s->q)) return SON_OVERFLOW;
    }
    bool done = rfd_son_project(s, &t, excess, rho);                  /* step 2 [12] */
    if (done && d.r != 0) done = rfd_son_take_row(s, f, &t, g, d, D); /* steps 4 and 5 [5 to 11] */
#ifdef LEAT_CHECKS
    assert(!rfd_son_check(s, f));
#endif
    return done ? SON_OK : SON_OVERFLOW;
}

static void rfd_son_weights(const void *model, const struct son_features *f, uint32_t from,
                            uint32_t n, double *w)
{
    const struct rfd_son *s = model;
    fd_weights(&s->fd, f->row, f->stride, from, n, s->c, w);
    for (uint32_t i = 0; i < n && s->opt.diagonal; i++)
        w[i] /= rfd_son_scale(s, son_feature(f, from + i)[0]);
}

static double rfd_son_weight(const void *model, const struct son_features *f, uint32_t feature)
{
    double w;
    rfd_son_weights(model, f, feature, 1, &w);
    return w;
}

/* ---- copies and merges ---- */

const char *rfd_son_load(struct rfd_son *s, const struct rfd_son *from,
                         const struct son_features *f)
{
    size_t max_rows = fd_max_rows(&s->fd.opt);
    const char *wrong = fd_load(&s->fd, &from->fd, f->row, f->stride, f->known);
    if (wrong) return wrong;
    s->alpha = from->alpha;
    s->start = from->start;
    s->t = from->t;
    s->at = from->at;
    memcpy(s->L, from->L, max_rows * max_rows * sizeof *s->L);
    memcpy(s->c, from->c, max_rows * sizeof *s->c);
    return rfd_son_check(s, f);
}

size_t rfd_son_merge_bytes(const struct rfd_son_options *opt)
{
    struct fd_options o = rfd_son_fd_options(opt);
    return fd_merge_bytes(&o);
}

static struct fd_side rfd_son_fd_side(const struct rfd_son_side *side)
{
    return (struct fd_side){&side->s->fd, side->f.row, side->f.stride, side->f.known,
                            side->count,  side->share, side->s->c};
}

static double rfd_son_alpha(const struct rfd_son *s) { return s->fd.fade * s->alpha; }

void rfd_son_merge(struct rfd_son *s, const struct son_features *f, const struct rfd_son_side *a,
                   const struct rfd_son_side *b, const uint32_t *number, void *work)
{
    struct fd_side fa = rfd_son_fd_side(a), fb = rfd_son_fd_side(b);
    assert(!s->opt.diagonal);
    double lost = fd_merge(&s->fd, f->row, f->stride, &fa, &fb, number, work);
    double start = s->opt.son.alpha0;
    s->alpha =
        start + a->count * (rfd_son_alpha(a->s) - start) + b->count * (rfd_son_alpha(b->s) - start);
    s->start = fmax(a->s->start, b->s->start);
    s->t = count_add(a->s->t, b->s->t, b->count);
    s->at = a->s->at; /* the caller has moved both clocks to the same time */
    rfd_son_restart(s, lost);
}

/* ---- S-AdaGrad ---- */

/* Sets s->q and returns a, such that H^-1 x = a x + B'q. Reads p = Bx in s->p. */
static double s_adagrad_solve(struct rfd_son *s)
{
    double a = 1 / sqrt(s->alpha);
    for (uint32_t i = 0; i < s->fd.rows; i++) {
        double lambda = fd_gram(&s->fd, i, i), root = sqrt(s->alpha + lambda);
        /* equals (1 / root - a) / lambda, but without cancellation */
        s->q[i] = -a * s->p[i] / (root * (root + 1 / a));
    }
    return a;
}

/* Computes w -= k H^-1 x. If the step is too large, does nothing and returns false. */
static bool s_adagrad_step(struct rfd_son *s, const struct son_row *r, double k, double a)
{
    if (!(fabs(k) * a * sqrt(r->xx + son_dot(s->fd.rows, s->q, s->q) / (a * a)) <= SON_LIMIT))
        return false;
    fd_add_weight(&s->fd, r->n, s->slot, r->x, -k * a); /* u -= k a x */
    for (uint32_t i = 0; i < s->fd.rows; i++)
        s->c[i] -= k * s->q[i]; /* c -= k q */
    return true;
}

static double s_adagrad_project(struct rfd_son *s, const struct son_features *f,
                                const struct son_row *r)
{
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->slot);
    fd_project(&s->fd, r->n, s->slot, r->x, s->p); /* p = Bx */
    return fd_weigh(&s->fd, r->n, s->slot, r->x) + son_dot(s->fd.rows, s->c, s->p);
}

/* Performs step 2 of son.h: reduces w'x by `excess`, so that it becomes z. */
static bool s_adagrad_clip(struct rfd_son *s, const struct son_row *r, double excess)
{
    if (excess == 0) return true;
    double a = s_adagrad_solve(s),
           along = a * r->xx + son_dot(s->fd.rows, s->p, s->q); /* x'H^-1 x */
    return s_adagrad_step(s, r, excess / along, a);
}

static enum son_result s_adagrad_learn(void *model, const struct son_features *f,
                                       const struct son_row *r, double *z)
{
    struct rfd_son *s = model;
    assert(s->opt.root && s->alpha > 0);
    if (s->fade < 1 && son_row_teaches(r)) rfd_son_fade(s, f);
    double margin = s_adagrad_project(s, f, r); /* step 1 of S-AdaGrad */
    *z = son_clip(margin, s->opt.son.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT) || !s_adagrad_clip(s, r, margin - *z)) return SON_OVERFLOW;
    double g = son_gradient(&s->opt.son, *z, r->y, r->weight).g; /* step 3 of S-AdaGrad */
    if (g == 0) return SON_OK;
    double scaled = fd_kept(&s->fd, g / son_unit(&s->opt.son));
    s->c[s->fd.rows] = 0;
    if (!fd_append(&s->fd, r->n, s->slot, r->x, scaled, s->p, r->xx)) return SON_OVERFLOW;
    rfd_son_free_all(s, f); /* step 4: u += B'c, c = 0, B <- W B, alpha += lambda_m */
    s_adagrad_project(s, f, r);
    double a = s_adagrad_solve(s); /* step 5 of S-AdaGrad */
    bool done = s_adagrad_step(s, r, s->opt.rate * g, a);
#ifdef LEAT_CHECKS
    assert(!rfd_son_check(s, f));
#endif
    return done ? SON_OK : SON_OVERFLOW;
}

#define RFD_SON_KERNEL                                                                             \
    .model_size = sizeof(struct rfd_son), .stride = rfd_son_stride, .max_rows = rfd_son_max_rows,  \
    .bytes = rfd_son_bytes, .init = rfd_son_init, .weight = rfd_son_weight,                        \
    .weights = rfd_son_weights, .check = rfd_son_check, .free_slots = rfd_son_free_slots,          \
    .slots = rfd_son_slots, .free_all = rfd_son_free_all, .at = rfd_son_at,                        \
    .follow = rfd_son_follow

const struct son_kernel rfd_son_kernel = {RFD_SON_KERNEL, .learn = rfd_son_learn};
const struct son_kernel s_adagrad_kernel = {RFD_SON_KERNEL, .learn = s_adagrad_learn};
