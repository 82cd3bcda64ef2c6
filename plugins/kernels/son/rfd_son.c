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

/* Our arrays, then a block for fd. */
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
    s->at = layout_take(&c, touched, sizeof *s->at);
    s->x = layout_take(&c, touched, sizeof(double));
    *used = c.used;
    return block ? (char *)block + c.used : NULL;
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
    *s = (struct rfd_son){.opt = *opt, .alpha = opt->diagonal ? 1 : opt->newton.alpha0};
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

/* f, q and rho of p = Bx. */
static double solve(struct rfd_son *s, double xx)
{
    uint32_t k = fd_rows(&s->fd), ld = fd_max_rows(&s->fd.opt);
    memcpy(s->f, s->p, k * sizeof *s->f);
    son_forward(k, s->L, ld, s->f);
    memcpy(s->q, s->f, k * sizeof *s->q);
    son_backward(k, s->L, ld, s->q);
    return fmax(xx - son_dot(k, s->f, s->f), 1e-15 * xx);
}

static void add_to_c(struct rfd_son *s, double k)
{
    for (uint32_t i = 0; i < fd_rows(&s->fd); i++)
        s->c[i] += k * s->q[i];
}

void rfd_son_restart(struct rfd_son *s, double lost)
{
    memset(s->c, 0, fd_max_rows(&s->fd.opt) * sizeof *s->c);
    if (s->opt.robust && !s->opt.diagonal) s->alpha += lost / 2;
    for (uint32_t i = 0; i < fd_rows(&s->fd); i++) {
        memset(row_of(s, i), 0, i * sizeof *s->L);
        row_of(s, i)[i] = sqrt(s->alpha + fd_gram(&s->fd, i, i));
    }
}

/* alpha + r^2 rho; the first row has a say in alpha. */
static double reach_of(struct rfd_son *s, const struct son_row *r, struct son_gradient pull,
                       double rho)
{
    if (s->opt.robust && !fd_rows(&s->fd) && !fd_shrinks(&s->fd))
        s->alpha = fmax(s->alpha, RFD_SON_FLOOR * pull.r * pull.r * r->xx);
    return s->alpha + pull.r * pull.r * rho;
}

/* Take the row in and step; then shrink where B is full. */
static void absorb(struct rfd_son *s, const struct son_features *f, const struct son_row *r,
                   struct son_gradient pull, double D)
{
    uint32_t k = fd_rows(&s->fd);
    add_to_c(s, pull.g / D);
    s->c[k] = -pull.g / pull.r / D;
    for (uint32_t i = 0; i < k; i++)
        row_of(s, k)[i] = pull.r * s->f[i];
    row_of(s, k)[k] = sqrt(D);
    fd_append(&s->fd, r->n, s->at, r->x, pull.r, s->p, r->xx);
    if (fd_full(&s->fd)) rfd_son_restart(s, fd_shrink(&s->fd, f->row, f->stride, f->known, s->c));
}

/* ---- diagonal scaling ---- */

static double scale_of(const struct rfd_son *s, double sum)
{
    return s->opt.diagonal ? sqrt(s->opt.newton.alpha0 + sqrt(sum)) : 1;
}

static void scale_row(struct rfd_son *s, const struct son_features *f, struct son_row *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        s->x[i] = r->x[i] / scale_of(s, son_feature(f, r->feature[i])[0]);
    r->x = s->x;
    son_row_finish(r);
}

/* The gradient g x enters the scales; all w_j stay. */
static void rescale(struct rfd_son *s, const struct son_features *f, const struct son_row *r,
                    double g)
{
    const double one = 1;
    for (uint32_t i = 0; i < r->n; i++) {
        double *sum = son_feature(f, r->feature[i]), was = scale_of(s, *sum), u;
        *sum += g * r->x[i] * g * r->x[i];
        fd_column(&s->fd, f->row, f->stride, r->feature[i], s->q, &u);
        double w = u + son_dot(fd_rows(&s->fd), s->q, s->c);
        fd_add_weight(&s->fd, 1, &s->at[i], &one, (scale_of(s, *sum) / was - 1) * w);
    }
}

/* ---- an example ---- */

/* u'x + c'Bx, p = Bx */
static double margin_of(struct rfd_son *s, const struct son_row *r)
{
    fd_project(&s->fd, r->n, s->at, r->x, s->p);
    return fd_weigh(&s->fd, r->n, s->at, r->x) + son_dot(fd_rows(&s->fd), s->c, s->p);
}

enum son_result rfd_son_learn(struct rfd_son *s, const struct son_features *f,
                              const struct son_row *r, double *z)
{
    struct son_row t = *r;
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->at);
    if (s->opt.diagonal) scale_row(s, f, &t);
    double margin = margin_of(s, &t);
    *z = son_clip(margin, s->opt.newton.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = margin - *z;
    struct son_gradient pull = son_gradient(&s->opt.newton, *z, r->y, r->weight);
    if (s->opt.diagonal && pull.g != 0) {
        t = *r;
        rescale(s, f, r, pull.g);
        scale_row(s, f, &t);
        margin_of(s, &t); /* the same, but for p */
    }
    double rho = solve(s, t.xx), D = reach_of(s, &t, pull, rho);
    double far = fmax(fabs(excess / rho), pull.r != 0 ? fabs(pull.g / D) : 0);
    if (!son_bounded(far, t.xx, fd_rows(&s->fd), s->q)) return SON_OVERFLOW;
    if (excess != 0) {
        fd_add_weight(&s->fd, t.n, s->at, t.x, -excess / rho);
        add_to_c(s, excess / rho);
    }
    if (pull.r != 0) absorb(s, f, &t, pull, D);
    return SON_OK;
}

double rfd_son_weight(const struct rfd_son *s, const struct son_features *f, uint32_t feature)
{
    double u;
    fd_column(&s->fd, f->row, f->stride, feature, s->q, &u);
    double w = u + son_dot(fd_rows(&s->fd), s->q, s->c);
    return s->opt.diagonal ? w / scale_of(s, son_feature(f, feature)[0]) : w;
}
