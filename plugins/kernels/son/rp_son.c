/* rp_son.c -- see rp_son.h. */
#include "rp_son.h"

#include <string.h>

#include "kernels/base/layout.h"
#include "core/mix64.h"

static size_t lay_out(struct rp_son *s, void *block)
{
    struct layout c = {block, 0};
    size_t m = s->m;
    s->G = layout_take(&c, m * m, sizeof(double));
    s->L = layout_take(&c, m * m, sizeof(double));
    s->c = layout_take(&c, m, sizeof(double));
    s->p = layout_take(&c, m, sizeof(double));
    s->q = layout_take(&c, m, sizeof(double));
    s->xi = layout_take(&c, m, sizeof(double));
    return c.used;
}

size_t rp_son_bytes(uint32_t m)
{
    struct rp_son s = {.m = m};
    return lay_out(&s, NULL);
}

void rp_son_init(struct rp_son *s, const struct son_options *opt, uint32_t m, uint64_t seed,
                 void *block)
{
    assert(m >= 1 && m <= SON_MAX_M && opt->alpha0 > 0);
    *s = (struct rp_son){.opt = *opt, .m = m, .seed = seed};
    lay_out(s, block);
}

/* xi of row number t */
static void draw_signs(struct rp_son *s)
{
    double size = 1 / sqrt((double)s->m);
    uint64_t start = s->seed + mix64(s->t * MIX64_GOLDEN);
    for (uint32_t k = 0; k < s->m; k++) {
        uint64_t bits = mix64(start + (k / 64 + 1) * MIX64_GOLDEN);
        s->xi[k] = bits >> k % 64 & 1 ? size : -size;
    }
}

/* q = (alpha0 I + G)^-1 p */
static void solve(struct rp_son *s)
{
    uint32_t m = s->m;
    memcpy(s->L, s->G, (size_t)m * m * sizeof *s->L);
    for (uint32_t k = 0; k < m; k++)
        s->L[(size_t)k * m + k] += s->opt.alpha0;
    son_cholesky(m, s->L, m); /* L L' = alpha0 I + G */
    memcpy(s->q, s->p, m * sizeof *s->q);
    son_forward(m, s->L, m, s->q);
    son_backward(m, s->L, m, s->q);
}

/* B += xi (scale x)'; w stays, p = Bx follows. */
static void take_row(struct rp_son *s, const struct son_features *f, const struct son_row *r,
                     double scale)
{
    uint32_t m = s->m;
    draw_signs(s);
    son_shift(f, r, -scale * son_dot(m, s->xi, s->c)); /* u -= (xi'c) r x: w stays */
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < m; j++) /* G += r (p xi' + xi p') + r^2 x'x xi xi' */
            s->G[(size_t)i * m + j] += scale * (s->p[i] * s->xi[j] + s->xi[i] * s->p[j]) +
                                       scale * scale * r->xx * s->xi[i] * s->xi[j];
    for (uint32_t i = 0; i < m; i++) {
        double *square =
            &s->G[(size_t)i * m + i]; /* of a row of B: rounding may make it negative */
        *square = fmax(*square, 0);
        s->p[i] += scale * r->xx * s->xi[i]; /* p += r x'x xi */
        s->xi[i] *= scale;
    }
    son_spread(f, r, m, s->xi); /* B += r xi x' */
    s->t++;
}

enum son_result rp_son_learn(struct rp_son *s, const struct son_features *f,
                             const struct son_row *r, double *z)
{
    double margin = son_project(f, r, s->m, s->p); /* step 1: s = u'x + c'p */
    margin += son_dot(s->m, s->c, s->p);
    *z = son_clip(margin, s->opt.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = margin - *z;
    if (excess != 0) { /* step 2: w -= (s - z) / rho (x - B'q) */
        solve(s);
        double rho = fmax(r->xx - son_dot(s->m, s->p, s->q), 1e-15 * r->xx); /* x'x - p'q */
        if (!son_step(f, r, -excess / rho, s->m, s->q, s->c)) return SON_OVERFLOW;
    }
    struct son_gradient d = son_gradient(&s->opt, *z, r->y, r->weight); /* step 3 */
    if (d.r == 0) return SON_OK;
    take_row(s, f, r, d.r); /* step 4: B += xi (r x)' */
    solve(s);               /* step 5: w -= g / alpha0 (x - B'q) */
    bool done = son_step(f, r, -d.g / s->opt.alpha0, s->m, s->q, s->c);
#ifdef LEAT_CHECKS
    assert(!rp_son_check(s));
#endif
    return done ? SON_OK : SON_OVERFLOW;
}

double rp_son_weight(const struct rp_son *s, const struct son_features *f, uint32_t feature)
{
    return son_column_weight(f, feature, s->m, s->c);
}

const char *rp_son_check(const struct rp_son *s)
{
    for (uint32_t i = 0; i < s->m; i++) {
        const double *G = s->G + (size_t)i * s->m;
        if (!(G[i] >= 0)) return "gram has a negative square";
        if (!isfinite(s->c[i])) return "a coefficient is not finite";
        for (uint32_t j = 0; j < s->m; j++)
            if (!isfinite(G[j])) return "gram is not finite";
    }
    return NULL;
}
