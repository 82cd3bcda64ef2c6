/* rfd_son.c -- see rfd_son.h. */
#include "rfd_son.h"

#include <string.h>

#include "kernels/base/half_life.h"
#include "kernels/base/layout.h"
#include "kernels/base/loss.h"
#include "kernels/fd/fd_eigen.h"

/* A share of x'x: what rounding leaves of an x in the span of B is below. */
#define RFD_SON_OUTSIDE 1e-8

struct fd_options rfd_son_fd_options(const struct rfd_son_options *o)
{
    return (struct fd_options){.m = o->m,
                               .buffer = o->buffer,
                               .warm = o->warm,
                               .weights = true,
                               .offset = SON_MARK + o->diagonal};
}

uint32_t rfd_son_stride(const struct rfd_son_options *opt)
{
    struct fd_options o = rfd_son_fd_options(opt);
    return opt->diagonal + fd_stride(&o);
}

/* Doubles of work for the pseudo-inverse: none if alpha is never 0. */
static size_t flat_work(const struct rfd_son_options *o, size_t rows)
{
    return o->son.alpha0 == 0 && o->floor == 0 ? rows + 3 + fd_eigen_work((uint32_t)rows) : 0;
}

/* The model's arrays; returns the block of the sketch after them. */
static void *lay_out(struct rfd_son *s, uint32_t touched, void *block, size_t *used)
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
    s->work = layout_take(&c, flat_work(&s->opt, rows), sizeof(double));
    *used = c.used;
    return block ? (char *)block + c.used : NULL;
}

uint32_t rfd_son_max_rows(const struct rfd_son_options *opt)
{
    struct fd_options o = rfd_son_fd_options(opt);
    return fd_max_rows(&o) + (opt->shrink_first || opt->root); /* a row is touched again */
}

size_t rfd_son_bytes(const struct rfd_son_options *opt, uint32_t features, uint32_t touched)
{
    struct rfd_son s = {.opt = *opt};
    struct fd_options o = rfd_son_fd_options(opt);
    size_t used;
    lay_out(&s, touched, NULL, &used);
    return used + fd_block_bytes(&o, features, touched);
}

void rfd_son_init(struct rfd_son *s, const struct rfd_son_options *opt, uint32_t features,
                  uint32_t touched, void *block)
{
    struct fd_options o = rfd_son_fd_options(opt);
    size_t used;
    assert(opt->m >= 1 && (!opt->diagonal || (opt->son.alpha0 > 0 && !opt->shrink_first)));
    assert(opt->half_life == 0 || (opt->half_life >= 1 && !opt->diagonal));
    *s = (struct rfd_son){.opt = *opt, .alpha = opt->diagonal ? 1 : opt->son.alpha0};
    s->start = s->alpha;
    s->fade = opt->by_time ? 1 : half_life_share(1, opt->half_life); /* 2^(-1/T) */
    fd_init(&s->fd, &o, features, touched, lay_out(s, touched, block, &used));
}

static double *row_of(const struct rfd_son *s, uint32_t i)
{
    return s->L + (size_t)i * fd_max_rows(&s->fd.opt);
}

/* f and q of p = Bx; returns rho. */
static double solve(struct rfd_son *s, double xx)
{
    uint32_t k = s->fd.rows, ld = fd_max_rows(&s->fd.opt);
    memcpy(s->f, s->p, k * sizeof *s->f);
    son_forward(k, s->L, ld, s->f); /* f = L^-1 p */
    memcpy(s->q, s->f, k * sizeof *s->q);
    son_backward(k, s->L, ld, s->q);                      /* q = L^-T f */
    return fmax(xx - son_dot(k, s->f, s->f), 1e-15 * xx); /* rho = x'x - f'f */
}

/* c += k q */
static void add_to_c(struct rfd_son *s, double k)
{
    for (uint32_t i = 0; i < s->fd.rows; i++)
        s->c[i] += k * s->q[i];
}

void rfd_son_restart(struct rfd_son *s, double lost)
{
    assert(lost >= 0);
    memset(s->c, 0, fd_max_rows(&s->fd.opt) * sizeof *s->c);
    if (s->opt.robust && !s->opt.diagonal)
        s->alpha += s->opt.root ? lost : lost / 2; /* alpha += lambda_m / 2; root: lambda_m */
    if (s->opt.half_life > 0) s->alpha = fmax(s->alpha, s->start);
    for (uint32_t i = 0; i < s->fd.rows; i++) {
        memset(row_of(s, i), 0, i * sizeof *s->L);
        row_of(s, i)[i] = sqrt(s->alpha + fd_gram(&s->fd, i, i)); /* L_ii = sqrt(alpha + G_ii) */
    }
}

/* The first row of all raises alpha to its floor. */
static void raise_alpha(struct rfd_son *s, const struct son_row *r, struct son_gradient d)
{
    if (!s->opt.robust || s->fd.rows || s->fd.log.n) return;
    s->alpha = fmax(s->alpha, s->opt.floor * d.r * d.r * r->xx);
    s->start = fmax(s->start, s->fd.fade * s->alpha);
}

/* B gets the row, and L unless alpha is 0; D is its pivot. */
static void append_row(struct rfd_son *s, const struct son_row *r, double scale, double D)
{
    uint32_t k = s->fd.rows;
    bool flat = rfd_son_is_flat(s);
    s->c[k] = 0;
    for (uint32_t i = 0; i < k; i++)
        row_of(s, k)[i] = flat ? 0 : scale * s->f[i]; /* L_new = [r f', sqrt(D)] */
    row_of(s, k)[k] = sqrt(D);
    fd_append(&s->fd, r->n, s->slot, r->x, scale, s->p, r->xx);
}

/* u += B'c; c = 0; B <- W B */
static void shrink(struct rfd_son *s, const struct son_features *f)
{
    s->alpha *= s->fd.fade;
    rfd_son_restart(s, fd_shrink(&s->fd, f->row, f->stride, f->known, s->c));
}

static void fade_to(struct rfd_son *s, const struct son_features *f, double share)
{
    fd_fade(&s->fd, share);
    if (fd_is_faint(&s->fd)) shrink(s, f);
}

void rfd_son_fade(struct rfd_son *s, const struct son_features *f) { fade_to(s, f, s->fade); }

void rfd_son_at(struct rfd_son *s, const struct son_features *f, int64_t time)
{
    assert(s->opt.by_time);
    fade_to(s, f, half_life_share_at(&s->newest, s->opt.half_life, time));
}

void rfd_son_free_all(struct rfd_son *s, const struct son_features *f) { shrink(s, f); }

/* ---- the paper's order, and alpha = 0 ---- */

/* h = H^+ x for x in the span of B, as coefficients of its rows, in s->q; p = Bx. */
static void solve_flat(struct rfd_son *s)
{
    uint32_t k = s->fd.rows, ld = fd_max_rows(&s->fd.opt);
    son_pseudo(k, s->fd.gram, ld, s->p, s->f, s->q, s->work, s->work + ((ld + 3) & ~3u));
}

/* w moves by `excess` less along x, in the seminorm of H = B'B. */
static bool project_flat(struct rfd_son *s, const struct son_row *r, double excess)
{
    uint32_t k = s->fd.rows;
    solve_flat(s); /* f = G^+ p, q = (G^+)^2 p */
    double rho = r->xx - son_dot(k, s->p, s->f), along = son_dot(k, s->p, s->q);
    bool outside = rho > RFD_SON_OUTSIDE * r->xx;
    double step = excess / (outside ? rho : along);
    if (outside) memcpy(s->q, s->f, k * sizeof *s->q);
    if (!son_bounded(step, outside ? r->xx : 0, k, s->q)) return false;
    if (outside) fd_add_weight(&s->fd, r->n, s->slot, r->x, -step); /* u -= k x */
    add_to_c(s, outside ? step : -step); /* c += k G^+p; or c -= k (G^+)^2 p */
    return true;
}

/* w -= g H^-1 x after B and alpha have changed: by (x - B'q) / alpha, or at alpha = 0 by B'q. */
static bool step_anew(struct rfd_son *s, const struct son_features *f, const struct son_row *r,
                      double g)
{
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->slot);
    fd_project(&s->fd, r->n, s->slot, r->x, s->p);
    bool flat = rfd_son_is_flat(s);
    if (flat)
        solve_flat(s);
    else
        solve(s, r->xx);
    g /= s->fd.fade;
    double k = flat ? -g : g / s->alpha;
    if (!son_bounded(k, flat ? 0 : r->xx, s->fd.rows, s->q)) return false;
    if (!flat) fd_add_weight(&s->fd, r->n, s->slot, r->x, -k); /* u -= (g / alpha) x */
    add_to_c(s, k);
    return true;
}

/* ---- a row ---- */

/* w -= g H^-1 x, where x gave row k of B, its last. */
static void step_by_pivot(struct rfd_son *s, uint32_t k, struct son_gradient d, double D)
{
    for (uint32_t i = 0; i < k; i++)
        s->c[i] += d.g / D * s->q[i]; /* c += (g / D) q */
    s->c[k] = -d.g / d.r / D;         /* c_new = -g / (r D) */
}

/* Takes the row in, and shrinks B if that has filled it: after the step, or before it. g: as it is,
 * d: over the fade. */
static bool take_row(struct rfd_son *s, const struct son_features *f, const struct son_row *r,
                     double g, struct son_gradient d, double D)
{
    uint32_t k = s->fd.rows;
    append_row(s, r, d.r, D);
    bool full = fd_full(&s->fd), last = full && s->opt.shrink_first;
    bool done = true;
    if (!last && rfd_son_is_flat(s))
        done = step_anew(s, f, r, g);
    else if (!last)
        step_by_pivot(s, k, d, D);
    if (full) shrink(s, f);
    return last ? step_anew(s, f, r, g) : done;
}

/* ---- diagonal scaling ---- */

/* d_j = sqrt(alpha0 + sqrt(s_j)) */
static double scale_of(const struct rfd_son *s, double sum)
{
    return s->opt.diagonal ? sqrt(s->opt.son.alpha0 + sqrt(sum)) : 1;
}

/* r->x = D^-1 x, in the scratch s->x. */
static void scale_row(struct rfd_son *s, const struct son_features *f, struct son_row *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        s->x[i] = r->x[i] / scale_of(s, son_feature(f, r->feature[i])[0]);
    r->x = s->x;
    son_row_finish(r);
}

/* The scales take the gradient g x in; all w_j stay. */
static void rescale(struct rfd_son *s, const struct son_features *f, const struct son_row *r,
                    double g)
{
    const double one = 1, scaled = g / son_unit(&s->opt.son);
    for (uint32_t i = 0; i < r->n; i++) {
        double *sum = son_feature(f, r->feature[i]), before = scale_of(s, *sum), u;
        *sum += scaled * r->x[i] * scaled * r->x[i]; /* s_j += (g x_j)^2 */
        fd_column(&s->fd, f->row, f->stride, r->feature[i], s->q, &u);
        double w = u + son_dot(s->fd.rows, s->q, s->c); /* d_j w_j, by the scale before */
        fd_add_weight(&s->fd, 1, &s->slot[i], &one, (scale_of(s, *sum) / before - 1) * w);
    }
}

/* ---- an example ---- */

/* p = Bx; returns w'x = u'x + c'p. */
static double margin_of(struct rfd_son *s, const struct son_row *r)
{
    fd_project(&s->fd, r->n, s->slot, r->x, s->p);
    return fd_weigh(&s->fd, r->n, s->slot, r->x) + son_dot(s->fd.rows, s->c, s->p);
}

/* Steps 3 to 5 with diagonal scaling begin with new scales: t becomes the row in these. */
static void enter_scales(struct rfd_son *s, const struct son_features *f, const struct son_row *r,
                         double g, struct son_row *t)
{
    *t = *r;
    rescale(s, f, r, g);
    scale_row(s, f, t);
    margin_of(s, t); /* is as before; p is new */
}

/* Step 2: w'x becomes z, which is `excess` less. */
static bool project(struct rfd_son *s, const struct son_row *r, double excess, double rho)
{
    if (excess == 0) return true;
    if (rfd_son_is_flat(s)) return project_flat(s, r, excess);
    fd_add_weight(&s->fd, r->n, s->slot, r->x, -excess / rho); /* u -= k x, k = (s - z) / rho */
    add_to_c(s, excess / rho);                                 /* c += k q                    */
    return true;
}

/* Step 3, with eta_t */
static struct son_gradient gradient_of(struct rfd_son *s, const struct son_row *r, double z)
{
    const struct son_options *o = &s->opt.son;
    struct son_gradient d = son_gradient(o, z, r->y, r->weight);
    double unit = son_unit(o), eta = s->opt.eta / (double)++s->t / (unit * unit);
    if (eta > 0) d.r *= sqrt(1 + eta / son_mu(o)); /* sqrt(mu + eta_t) l */
    return d;
}

/* Steps of son.h; lines of algorithm 3 of Luo et al. 2019 in brackets. */
enum son_result rfd_son_learn(struct rfd_son *s, const struct son_features *f,
                              const struct son_row *r, double *z)
{
    struct son_row t = *r;
    if (s->fade < 1 && son_row_teaches(r)) rfd_son_fade(s, f);
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->slot);
    if (s->opt.diagonal) scale_row(s, f, &t);
    double margin = margin_of(s, &t); /* step 1 */
    *z = son_clip(margin, s->opt.son.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    struct son_gradient d = gradient_of(s, r, *z); /* step 3 [4] */
    double g = d.g;
    d.g /= s->fd.fade;
    d.r = fd_kept(&s->fd, d.r);
    if (s->opt.diagonal && g != 0) enter_scales(s, f, r, g, &t);
    raise_alpha(s, &t, d);
    double rho = 0, D = 0, excess = margin - *z;
    if (!rfd_son_is_flat(s)) {
        rho = solve(s, t.xx);
        D = s->alpha + d.r * d.r * rho; /* D = alpha + r^2 rho */
        double longest = fmax(fabs(excess / rho), d.r != 0 ? fabs(d.g / D) : 0);
        if (!son_bounded(longest, t.xx, s->fd.rows, s->q)) return SON_OVERFLOW;
    }
    bool done = project(s, &t, excess, rho);                  /* step 2 [12] */
    if (done && d.r != 0) done = take_row(s, f, &t, g, d, D); /* steps 4 and 5 [5 to 11] */
#ifdef LEAT_CHECKS
    assert(!rfd_son_check(s, f));
#endif
    return done ? SON_OK : SON_OVERFLOW;
}

double rfd_son_weight(const struct rfd_son *s, const struct son_features *f, uint32_t feature)
{
    double u;
    fd_column(&s->fd, f->row, f->stride, feature, s->q, &u);
    double w = u + son_dot(s->fd.rows, s->q, s->c);
    return s->opt.diagonal ? w / scale_of(s, son_feature(f, feature)[0]) : w;
}
