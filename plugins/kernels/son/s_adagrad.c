/* s_adagrad.c -- see s_adagrad.h. */
#include "s_adagrad.h"

/* A pair (a, q): H^-1 x = a x + B'q, with q in s->q and p = Bx in s->p. */
static double solve(struct rfd_son *s)
{
    double a = 1 / sqrt(s->alpha); /* alpha^(-1/2) */
    for (uint32_t i = 0; i < s->fd.rows; i++) {
        double lambda = fd_gram(&s->fd, i, i), root = sqrt(s->alpha + lambda);
        /* (1 / root - a) / lambda = -a / (root (root + sqrt(alpha))): nothing cancels */
        s->q[i] = -a * s->p[i] / (root * (root + 1 / a));
    }
    return a;
}

/* w -= k H^-1 x; false: the step is too large and is left out. */
static bool step(struct rfd_son *s, const struct son_row *r, double k, double a)
{
    if (!(fabs(k) * a * sqrt(r->xx + son_dot(s->fd.rows, s->q, s->q) / (a * a)) <= SON_LIMIT))
        return false;
    fd_add_weight(&s->fd, r->n, s->slot, r->x, -k * a); /* u -= k a x */
    for (uint32_t i = 0; i < s->fd.rows; i++)
        s->c[i] -= k * s->q[i]; /* c -= k q */
    return true;
}

static double project_row(struct rfd_son *s, const struct son_features *f, const struct son_row *r)
{
    fd_touch(&s->fd, f->row, f->stride, f->known, r->n, r->feature, s->slot);
    fd_project(&s->fd, r->n, s->slot, r->x, s->p); /* p = Bx */
    return fd_weigh(&s->fd, r->n, s->slot, r->x) + son_dot(s->fd.rows, s->c, s->p);
}

/* Step 2: w'x becomes z, which is `excess` less. */
static bool clip(struct rfd_son *s, const struct son_row *r, double excess)
{
    if (excess == 0) return true;
    double a = solve(s), along = a * r->xx + son_dot(s->fd.rows, s->p, s->q); /* x'H^-1 x */
    return step(s, r, excess / along, a);
}

enum son_result s_adagrad_learn(struct rfd_son *s, const struct son_features *f,
                                const struct son_row *r, double *z)
{
    assert(s->opt.root && s->alpha > 0);
    if (s->fade < 1 && son_row_teaches(r)) rfd_son_fade(s, f);
    double margin = project_row(s, f, r); /* step 1 */
    *z = son_clip(margin, s->opt.son.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT) || !clip(s, r, margin - *z)) return SON_OVERFLOW;
    double g = son_gradient(&s->opt.son, *z, r->y, r->weight).g; /* step 3 */
    if (g == 0) return SON_OK;
    double scaled = fd_kept(&s->fd, g / son_unit(&s->opt.son));
    s->c[s->fd.rows] = 0;
    if (!fd_append(&s->fd, r->n, s->slot, r->x, scaled, s->p, r->xx)) return SON_OVERFLOW;
    rfd_son_free_all(s, f); /* step 4: u += B'c, c = 0, B <- W B, alpha += lambda_m */
    project_row(s, f, r);
    double a = solve(s); /* step 5 */
    bool done = step(s, r, s->opt.rate * g, a);
#ifdef LEAT_CHECKS
    assert(!rfd_son_check(s, f));
#endif
    return done ? SON_OK : SON_OVERFLOW;
}
