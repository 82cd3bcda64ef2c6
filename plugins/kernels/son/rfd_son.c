/* rfd_son.c -- see rfd_son.h. */
#include "rfd_son.h"

#include <string.h>

#include "kernels/base/layout.h"

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
    *used = c.used;
    return block ? (char *)block + c.used : NULL;
}

uint32_t rfd_son_max_rows(const struct rfd_son_options *opt)
{
    struct fd_options o = rfd_son_fd_options(opt);
    return fd_max_rows(&o);
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
    assert(opt->m >= 1 && (!opt->diagonal || opt->son.alpha0 > 0));
    *s = (struct rfd_son){.opt = *opt, .alpha = opt->diagonal ? 1 : opt->son.alpha0};
    fd_init(&s->fd, &o, features, touched, lay_out(s, touched, block, &used));
}

void rfd_son_grow(struct rfd_son *s, uint32_t features, uint32_t touched, void *block)
{
    struct rfd_son old = *s;
    size_t used, rows = fd_max_rows(&s->fd.opt);
    void *rest = lay_out(s, touched, block, &used);
    memcpy(s->L, old.L, rows * rows * sizeof *s->L);
    memcpy(s->c, old.c, rows * sizeof *s->c);
    fd_grow(&s->fd, features, touched, rest);
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
    if (s->opt.robust && !s->opt.diagonal) s->alpha += lost / 2; /* alpha += lambda_m / 2 */
    for (uint32_t i = 0; i < s->fd.rows; i++) {
        memset(row_of(s, i), 0, i * sizeof *s->L);
        row_of(s, i)[i] = sqrt(s->alpha + fd_gram(&s->fd, i, i)); /* L_ii = sqrt(alpha + G_ii) */
    }
}

/* D = alpha + r^2 rho. The first row of all raises alpha to its floor. */
static double next_pivot(struct rfd_son *s, const struct son_row *r, struct son_gradient d,
                         double rho)
{
    if (s->opt.robust && !s->fd.rows && !s->fd.log.n)
        s->alpha = fmax(s->alpha, RFD_SON_FLOOR * d.r * d.r * r->xx);
    return s->alpha + d.r * d.r * rho;
}

/* Takes the row in and steps; then shrinks B if it is full. */
static void take_row(struct rfd_son *s, const struct son_features *f, const struct son_row *r,
                     struct son_gradient d, double D)
{
    uint32_t k = s->fd.rows;
    add_to_c(s, d.g / D);     /* c += (g / D) q */
    s->c[k] = -d.g / d.r / D; /* c_new = -g / (r D) */
    for (uint32_t i = 0; i < k; i++)
        row_of(s, k)[i] = d.r * s->f[i]; /* L_new = [r f', sqrt(D)] */
    row_of(s, k)[k] = sqrt(D);
    fd_append(&s->fd, r->n, s->slot, r->x, d.r, s->p, r->xx);
    if (fd_full(&s->fd)) /* u += B'c; c = 0 */
        rfd_son_restart(s, fd_shrink(&s->fd, f->row, f->stride, f->known, s->c));
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

/* Steps of son.h; lines of algorithm 3 of Luo et al. 2019 in brackets. */
enum son_result rfd_son_learn(struct rfd_son *s, const struct son_features *f,
                              const struct son_row *r, double *z)
{
    struct son_row t = *r;
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->slot);
    if (s->opt.diagonal) scale_row(s, f, &t);
    double margin = margin_of(s, &t); /* step 1 */
    *z = son_clip(margin, s->opt.son.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = margin - *z;
    struct son_gradient d = son_gradient(&s->opt.son, *z, r->y, r->weight); /* step 3 */
    if (s->opt.diagonal && d.g != 0) enter_scales(s, f, r, d.g, &t);
    double rho = solve(s, t.xx), D = next_pivot(s, &t, d, rho);
    double longest = fmax(fabs(excess / rho), d.r != 0 ? fabs(d.g / D) : 0);
    if (!son_bounded(longest, t.xx, s->fd.rows, s->q)) return SON_OVERFLOW;
    if (excess != 0) { /* step 2: u -= k x, c += k q, k = (s - z) / rho */
        fd_add_weight(&s->fd, t.n, s->slot, t.x, -excess / rho);
        add_to_c(s, excess / rho);
    }
    if (d.r != 0) take_row(s, f, &t, d, D); /* steps 4 and 5 */
#ifdef LEAT_CHECKS
    assert(!rfd_son_check(s, f));
#endif
    return SON_OK;
}

double rfd_son_weight(const struct rfd_son *s, const struct son_features *f, uint32_t feature)
{
    double u;
    fd_column(&s->fd, f->row, f->stride, feature, s->q, &u);
    double w = u + son_dot(s->fd.rows, s->q, s->c);
    return s->opt.diagonal ? w / scale_of(s, son_feature(f, feature)[0]) : w;
}
