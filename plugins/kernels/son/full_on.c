/* full_on.c -- see full_on.h. */
#include "full_on.h"

#include <string.h>

#include "kernels/base/layout.h"

static size_t lay_out(struct full_on *m, void *block)
{
    struct layout c = {block, 0};
    size_t n = m->capacity;
    m->U = layout_take(&c, n * n, sizeof *m->U);
    m->f = layout_take(&c, n, sizeof *m->f);
    m->h = layout_take(&c, n, sizeof *m->h);
    m->v = layout_take(&c, n, sizeof *m->v);
    return c.used;
}

size_t full_on_bytes(uint32_t capacity)
{
    struct full_on m = {.capacity = capacity};
    return lay_out(&m, NULL);
}

void full_on_init(struct full_on *m, const struct son_options *opt, uint32_t capacity, void *block)
{
    assert(opt->alpha0 > 0);
    *m = (struct full_on){.opt = *opt, .capacity = capacity};
    lay_out(m, block);
}

static double *row_of(const struct full_on *m, uint32_t i)
{
    return m->U + (size_t)i * m->capacity;
}

void full_on_grow(struct full_on *m, uint32_t capacity, void *block)
{
    struct full_on old = *m;
    assert(capacity >= m->n);
    m->capacity = capacity;
    lay_out(m, block);
    for (uint32_t i = 0; i < m->n; i++)
        memcpy(row_of(m, i) + i, row_of(&old, i) + i, (m->n - i) * sizeof *m->U);
}

static void admit_features(struct full_on *m, uint32_t known)
{
    assert(known <= m->capacity);
    for (; m->n < known; m->n++)
        row_of(m, m->n)[m->n] = sqrt(m->opt.alpha0);
}

/* v = scale x */
static void scatter(const struct son_row *r, uint32_t n, double scale, double *v)
{
    memset(v, 0, n * sizeof *v);
    for (uint32_t i = 0; i < r->n; i++)
        v[r->feature[i]] = scale * r->x[i];
}

/* f <- U^-T f; f is 0 before `first`. */
static void solve_down(const struct full_on *m, uint32_t first, double *f)
{
    for (uint32_t i = first; i < m->n; i++) {
        const double *u = row_of(m, i);
        double fi = f[i] /= u[i];
        if (fi != 0)
            for (uint32_t j = i + 1; j < m->n; j++)
                f[j] -= fi * u[j];
    }
}

/* h = U^-1 f */
static void solve_up(const struct full_on *m, const double *f, double *h)
{
    for (uint32_t i = m->n; i-- > 0;) {
        const double *u = row_of(m, i);
        h[i] = (f[i] - son_dot(m->n - i - 1, u + i + 1, h + i + 1)) / u[i];
    }
}

/* U'U += v v'; v is overwritten. */
static void rotate_in(struct full_on *m, uint32_t first, double *v)
{
    for (uint32_t i = first; i < m->n; i++) {
        double *u = row_of(m, i);
        if (v[i] == 0) continue;
        double length = hypot(u[i], v[i]), c = u[i] / length, s = v[i] / length;
        u[i] = length; /* (u_i, v_i) turns to (length, 0) */
        for (uint32_t j = i + 1; j < m->n; j++) {
            double uj = u[j];
            u[j] = c * uj + s * v[j];
            v[j] = c * v[j] - s * uj;
        }
    }
}

/* w += k h */
static void step(struct full_on *m, const struct son_features *f, double k)
{
    for (uint32_t j = 0; j < m->n; j++)
        son_feature(f, j)[0] += k * m->h[j];
}

static uint32_t first_feature(const struct son_row *r)
{
    uint32_t first = r->feature[0];
    for (uint32_t i = 1; i < r->n; i++)
        first = r->feature[i] < first ? r->feature[i] : first;
    return first;
}

/* f = U^-T x, h = H^-1 x; returns rho = x'H^-1 x. */
static double solve(struct full_on *m, const struct son_row *r, uint32_t first)
{
    scatter(r, m->n, 1, m->f);
    solve_down(m, first, m->f);
    solve_up(m, m->f, m->h);
    return son_dot(m->n, m->f, m->f);
}

enum son_result full_on_learn(struct full_on *m, const struct son_features *f,
                              const struct son_row *r, double *z)
{
    double s = son_project(f, r, 0, NULL); /* step 1: s = w'x */
    admit_features(m, f->known);
    *z = son_clip(s, m->opt.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(s) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = s - *z;
    uint32_t first = first_feature(r);
    double rho = solve(m, r, first);
    if (!son_bounded(excess / rho, 0, m->n, m->h)) return SON_OVERFLOW;
    if (excess != 0) step(m, f, -excess / rho); /* step 2: w -= (s - z) / rho h */
    struct son_gradient d = son_gradient(&m->opt, *z, r->y, r->weight); /* step 3 */
    if (d.r == 0) return SON_OK;
    step(m, f, -d.g / (1 + d.r * d.r * rho)); /* step 5: w -= g / (1 + r^2 rho) h */
    scatter(r, m->n, d.r, m->v);
    rotate_in(m, first, m->v); /* step 4: U'U += (r x)(r x)' */
#ifdef LEAT_CHECKS
    assert(!full_on_check(m, f));
#endif
    return SON_OK;
}

/* ---- state ---- */

void full_on_pack(const struct full_on *m, double *packed)
{
    for (uint32_t i = 0; i < m->n; i++) {
        memcpy(packed, row_of(m, i) + i, (m->n - i) * sizeof *packed);
        packed += m->n - i;
    }
}

void full_on_unpack(struct full_on *m, uint32_t n, const double *packed)
{
    assert(n <= m->capacity);
    m->n = n;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(row_of(m, i) + i, packed, (n - i) * sizeof *packed);
        packed += n - i;
    }
}

const char *full_on_check(const struct full_on *m, const struct son_features *f)
{
    if (m->n > f->known) return "the factor has more rows than there are features";
    for (uint32_t i = 0; i < m->n; i++) {
        const double *u = row_of(m, i);
        if (!(u[i] > 0)) return "factor has a diagonal number that is not above 0";
        for (uint32_t j = i; j < m->n; j++)
            if (!(fabs(u[j]) <= SON_LIMIT)) return "the factor has an element that is not finite";
    }
    return NULL;
}
