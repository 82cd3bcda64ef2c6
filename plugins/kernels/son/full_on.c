/* full_on.c -- implementation of full_on.h */
#include "full_on.h"

#include <string.h>

#include "core/wide.h"
#include "kernels/base/layout.h"

enum { PANEL = FULL_ON_PANEL };

/* ---- layout ---- */

static size_t full_on_panels(uint32_t n) { return (n + PANEL - 1) / PANEL; }

/* Returns the number of doubles in the first p panels. */
static size_t full_on_before_panel(size_t p) { return PANEL * PANEL * (p * (p + 1) / 2); }

static size_t full_on_lay_out(struct full_on *m, void *block)
{
    struct layout c = {block, 0};
    size_t p = full_on_panels(m->capacity), n = p * PANEL; /* whole panels */
    m->U = layout_take(&c, full_on_before_panel(p), sizeof *m->U);
    m->f = layout_take(&c, n, sizeof *m->f);
    m->h = layout_take(&c, n, sizeof *m->h);
    m->v = layout_take(&c, n, sizeof *m->v);
    m->cosine = layout_take(&c, n, sizeof *m->cosine);
    m->sine = layout_take(&c, n, sizeof *m->sine);
    return c.used;
}

static size_t full_on_bytes(const void *opt, uint32_t features, uint32_t touched)
{
    struct full_on m = {.capacity = features};
    return full_on_lay_out(&m, NULL);
}

static void full_on_init(void *model, const void *opt, uint32_t features, uint32_t touched,
                         void *block)
{
    struct full_on *m = model;
    *m = (struct full_on){.opt = *(const struct son_options *)opt, .capacity = features};
    assert(m->opt.alpha0 > 0);
    full_on_lay_out(m, block);
}

/* Returns row i of the panel that begins with column `left`. */
static double *full_on_panel_row(const struct full_on *m, uint32_t left, uint32_t i)
{
    return m->U + full_on_before_panel(left / PANEL) + (size_t)i * PANEL;
}

static double *full_on_element(const struct full_on *m, uint32_t i, uint32_t j)
{
    return full_on_panel_row(m, j - j % PANEL, i) + j % PANEL;
}

static void full_on_admit_features(struct full_on *m, uint32_t known)
{
    assert(known <= m->capacity);
    for (; m->n < known; m->n++)
        *full_on_element(m, m->n, m->n) = sqrt(m->opt.alpha0);
}

/* ---- a panel: rows [from, to) of it are at u, one after the other ---- */

/* Computes f -= sum of by[i] u_i over the rows of the panel. f has PANEL numbers. */
WIDE static void full_on_subtract_rows(const double *u, uint32_t from, uint32_t to,
                                       const double *by, double *f)
{
    double sum[PANEL];
    memcpy(sum, f, sizeof sum);
    for (uint32_t i = from; i < to; i++, u += PANEL)
        for (uint32_t k = 0; k < PANEL; k++)
            sum[k] -= by[i] * u[k];
    memcpy(f, sum, sizeof sum);
}

/* Computes h[i] -= u_i' x for the rows i < to of a panel. u_i and x have PANEL numbers. */
WIDE static void full_on_subtract_products(const double *u, uint32_t to, const double *x, double *h)
{
    for (uint32_t i = 0; i < to; i++, u += PANEL) {
        double s[PANEL / 2];
        for (uint32_t k = 0; k < PANEL / 2; k++)
            s[k] = u[k] * x[k] + u[k + PANEL / 2] * x[k + PANEL / 2];
        h[i] -= (s[0] + s[2]) + (s[1] + s[3]);
    }
}

/* Rotates (u_i, v) by the angle of row i, row after row. If the sine is 0, there is no rotation. */
WIDE static void full_on_turn_rows(double *u, uint32_t from, uint32_t to, const double *cosine,
                                   const double *sine, double *v)
{
    double last[PANEL];
    memcpy(last, v, sizeof last);
    for (uint32_t i = from; i < to; i++, u += PANEL) {
        double c = cosine[i], s = sine[i];
        if (s == 0) continue;
        for (uint32_t k = 0; k < PANEL; k++) {
            double uk = u[k];
            u[k] = c * uk + s * last[k];
            last[k] = c * last[k] - s * uk;
        }
    }
    memcpy(v, last, sizeof last);
}

/* ---- the triangle, panel after panel ---- */

static uint32_t full_on_end_of_panel(const struct full_on *m, uint32_t left)
{
    return m->n - left < PANEL ? m->n : left + PANEL;
}

/* Replaces f by U^-T f, where f[i] is 0 for i < first. */
static void full_on_solve_down(const struct full_on *m, uint32_t first, double *f)
{
    for (uint32_t left = first - first % PANEL; left < m->n; left += PANEL) {
        uint32_t end = full_on_end_of_panel(m, left);
        if (first < left)
            full_on_subtract_rows(full_on_panel_row(m, left, first), first, left, f, f + left);
        for (uint32_t i = left; i < end; i++) {
            const double *u = full_on_panel_row(m, left, i);
            double fi = f[i] /= u[i - left];
            for (uint32_t j = i + 1; j < end; j++)
                f[j] -= fi * u[j - left];
        }
    }
}

/* Sets h = U^-1 f, where h[i] is 0 for i >= n. */
static void full_on_solve_up(const struct full_on *m, const double *f, double *h)
{
    memcpy(h, f, m->n * sizeof *h);
    for (size_t p = full_on_panels(m->n); p-- > 0;) {
        uint32_t left = (uint32_t)p * PANEL, end = full_on_end_of_panel(m, left);
        for (uint32_t i = end; i-- > left;) {
            const double *u = full_on_panel_row(m, left, i);
            for (uint32_t j = i + 1; j < end; j++)
                h[i] -= u[j - left] * h[j];
            h[i] /= u[i - left];
        }
        full_on_subtract_products(full_on_panel_row(m, left, 0), left, h + left, h);
    }
}

/* Sets the angle of row i, the rotation of (u_i, v_i) to (length, 0). */
static void full_on_turn_diagonal(struct full_on *m, uint32_t left, uint32_t i, uint32_t end,
                                  double *v)
{
    double *u = full_on_panel_row(m, left, i);
    m->sine[i] = 0;
    if (v[i] == 0) return;
    /* without hypot(), whose bits depend on the processor; no square overflows (SON_LIMIT) */
    double length = sqrt(u[i - left] * u[i - left] + v[i] * v[i]);
    double c = u[i - left] / length, s = v[i] / length;
    m->cosine[i] = c;
    m->sine[i] = s;
    u[i - left] = length;
    for (uint32_t j = i + 1; j < end; j++) {
        double uj = u[j - left];
        u[j - left] = c * uj + s * v[j];
        v[j] = c * v[j] - s * uj;
    }
}

/* Computes U'U += v v'. Overwrites v. */
static void full_on_rotate_in(struct full_on *m, uint32_t first, double *v)
{
    for (uint32_t left = first - first % PANEL; left < m->n; left += PANEL) {
        uint32_t end = full_on_end_of_panel(m, left);
        if (first < left)
            full_on_turn_rows(full_on_panel_row(m, left, first), first, left, m->cosine, m->sine,
                              v + left);
        for (uint32_t i = first > left ? first : left; i < end; i++)
            full_on_turn_diagonal(m, left, i, end, v);
    }
}

/* ---- an example ---- */

/* Sets v = scale x, as a dense vector of n numbers. */
static void full_on_scatter(const struct son_row *r, uint32_t n, double scale, double *v)
{
    memset(v, 0, n * sizeof *v);
    for (uint32_t i = 0; i < r->n; i++)
        v[r->feature[i]] = scale * r->x[i];
}

/* Computes w += k h. */
static void full_on_step(struct full_on *m, const struct son_features *f, double k)
{
    for (uint32_t j = 0; j < m->n; j++)
        son_feature(f, j)[0] += k * m->h[j];
}

static uint32_t full_on_first_feature(const struct son_row *r)
{
    uint32_t first = r->feature[0];
    for (uint32_t i = 1; i < r->n; i++)
        first = r->feature[i] < first ? r->feature[i] : first;
    return first;
}

/* Sets f = U^-T x and h = H^-1 x. Returns rho = x'H^-1 x. */
static double full_on_solve(struct full_on *m, const struct son_row *r, uint32_t first)
{
    full_on_scatter(r, m->n, 1, m->f);
    full_on_solve_down(m, first, m->f);
    full_on_solve_up(m, m->f, m->h);
    return son_dot(m->n, m->f, m->f);
}

static const char *full_on_check(const void *model, const struct son_features *f)
{
    const struct full_on *m = model;
    if (m->n > f->known) return "the factor has more rows than there are features";
    for (uint32_t i = 0; i < m->n; i++) {
        if (!(*full_on_element(m, i, i) > 0))
            return "factor has a diagonal number that is not above 0";
        for (uint32_t j = i; j < m->n; j++)
            if (!(fabs(*full_on_element(m, i, j)) <= SON_LIMIT))
                return "the factor has an element that is not finite";
    }
    return NULL;
}

static enum son_result full_on_learn(void *model, const struct son_features *f,
                                     const struct son_row *r, double *z)
{
    struct full_on *m = model;
    double s = son_project(f, r, 0, NULL); /* step 1: s = w'x */
    full_on_admit_features(m, f->known);
    *z = son_clip(s, m->opt.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(s) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = s - *z;
    uint32_t first = full_on_first_feature(r);
    double rho = full_on_solve(m, r, first);
    if (!son_bounded(excess / rho, 0, m->n, m->h)) return SON_OVERFLOW;
    if (excess != 0) full_on_step(m, f, -excess / rho); /* step 2: w -= (s - z) / rho h */
    struct son_gradient d = son_gradient(&m->opt, *z, r->y, r->weight); /* step 3 of son.h */
    if (d.r == 0) return SON_OK;
    full_on_step(m, f, -d.g / (1 + d.r * d.r * rho)); /* step 5: w -= g / (1 + r^2 rho) h */
    full_on_scatter(r, m->n, d.r, m->v);
    full_on_rotate_in(m, first, m->v); /* step 4: U'U += (r x)(r x)' */
#ifdef LEAT_CHECKS
    assert(!full_on_check(m, f));
#endif
    return SON_OK;
}

/* ---- state ---- */

void full_on_pack(const struct full_on *m, double *packed)
{
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t j = i; j < m->n; j++)
            *packed++ = *full_on_element(m, i, j);
}

void full_on_unpack(struct full_on *m, uint32_t n, const double *packed)
{
    assert(n <= m->capacity);
    m->n = n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j < n; j++)
            *full_on_element(m, i, j) = *packed++;
}

static uint32_t full_on_stride(const void *opt) { return FULL_ON_STRIDE; }

const struct son_kernel full_on_kernel = {
    .model_size = sizeof(struct full_on),
    .stride = full_on_stride,
    .bytes = full_on_bytes,
    .init = full_on_init,
    .learn = full_on_learn,
    .check = full_on_check,
};
