/* oja_son.c -- see oja_son.h. */
#include "oja_son.h"

#include <string.h>

#include "kernels/base/layout.h"

/* A gradient becomes a row of V when this share of its square lies outside the span of V. */
#define NEW_SHARE 1e-6
/* A row of V is lost when no more than this share of its square lies outside the rows before it. */
#define LOST 1e-12

static size_t lay_out(struct oja_son *s, void *block)
{
    struct layout c = {block, 0};
    size_t m = s->m;
    s->F = layout_take(&c, m * m, sizeof(double));
    s->C = layout_take(&c, m * m, sizeof(double));
    s->S = layout_take(&c, m, sizeof(double));
    s->c = layout_take(&c, m, sizeof(double));
    s->a = layout_take(&c, m, sizeof(double));
    s->p = layout_take(&c, m, sizeof(double));
    s->q = layout_take(&c, m, sizeof(double));
    return c.used;
}

size_t oja_son_bytes(uint32_t m)
{
    struct oja_son s = {.m = m};
    return lay_out(&s, NULL);
}

void oja_son_init(struct oja_son *s, const struct son_options *opt, uint32_t m, void *block)
{
    *s = (struct oja_son){.opt = *opt, .m = m};
    lay_out(s, block);
}

static double *row_of(const struct oja_son *s, double *A, uint32_t i)
{
    return A + (size_t)i * s->m;
}

/* p = F a */
static void rotate(struct oja_son *s)
{
    for (uint32_t i = 0; i < s->k; i++)
        s->p[i] = son_dot(i + 1, row_of(s, s->F, i), s->a);
}

/* H^-1 x = (x - Z'q) / alpha0 with q = F' diag(S / (alpha0 + S)) p. Returns alpha0 x'H^-1 x. */
static double solve(struct oja_son *s, double xx)
{
    double rho = xx;
    memset(s->q, 0, s->m * sizeof *s->q);
    for (uint32_t i = 0; i < s->k; i++) {
        double share = s->S[i] / (s->opt.alpha0 + s->S[i]), *row = row_of(s, s->F, i);
        rho -= share * s->p[i] * s->p[i];
        for (uint32_t j = 0; j <= i; j++)
            s->q[j] += share * s->p[i] * row[j];
    }
    return fmax(rho, 1e-15 * xx);
}

/* w += k (x - Z'q); false: that is too far, and was left out. */
static bool step(struct oja_son *s, const struct son_features *f, const struct son_row *r, double k)
{
    if (!son_bounded(k, r->xx, s->k, s->q)) return false;
    son_shift(f, r, k);
    for (uint32_t i = 0; i < s->k; i++)
        s->c[i] -= k * s->q[i];
    return true;
}

/* What x has outside the span of V becomes row k: Z gets x / |rest|, F what takes the rest off. */
static void widen(struct oja_son *s, const struct son_features *f, const struct son_row *r)
{
    uint32_t k = s->k;
    double rest2 = r->xx - son_dot(k, s->p, s->p), rest = sqrt(fmax(rest2, 0));
    if (k == s->m || !(rest2 > NEW_SHARE * r->xx)) return;
    double *row = row_of(s, s->F, k);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j <= i; j++)
            row[j] -= s->p[i] / rest * row_of(s, s->F, i)[j];
    row[k] = 1;
    for (uint32_t i = 0; i < r->n; i++)
        son_feature(f, r->feature[i])[1 + k] = r->x[i] / rest;
    s->a[k] = r->xx / rest;
    s->p[k] = rest;
    s->zz += r->xx / rest2;
    s->k++;
}

/* C <- its Cholesky factor, F <- C^-1 F. The pivot of a row that rounding has eaten is infinite: so
 * the row becomes 0, and nothing is taken off the others for it. */
static void orthonormalise(struct oja_son *s)
{
    for (uint32_t i = 0; i < s->k; i++) {
        double *row = row_of(s, s->F, i), *C = row_of(s, s->C, i), square = C[i];
        for (uint32_t l = 0; l < i; l++)
            C[l] = (C[l] - son_dot(l, C, row_of(s, s->C, l))) / row_of(s, s->C, l)[l];
        double pivot = square - son_dot(i, C, C);
        C[i] = pivot > LOST * square ? sqrt(pivot) : (double)INFINITY;
        for (uint32_t l = 0; l < i; l++)
            for (uint32_t j = 0; j <= l; j++)
                row[j] -= C[l] * row_of(s, s->F, l)[j];
        for (uint32_t j = 0; j <= i; j++)
            row[j] /= C[i];
    }
}

/* Z += (row / t) a (row x)'; w stays; a and p follow. */
static void turn(struct oja_son *s, const struct son_features *f, const struct son_row *r,
                 double row)
{
    double rate = row * row / (double)s->t, beta = rate * (2 + rate * r->xx);
    son_shift(f, r, -rate * son_dot(s->k, s->a, s->c));
    for (uint32_t i = 0; i < s->k; i++)
        s->q[i] = rate * s->a[i];
    son_spread(f, r, s->k, s->q);
    s->zz += beta * son_dot(s->k, s->a, s->a);
    for (uint32_t i = 0; i < s->k; i++) {
        for (uint32_t j = 0; j <= i; j++)
            row_of(s, s->C, i)[j] = (i == j) + beta * s->p[i] * s->p[j];
        s->a[i] *= 1 + rate * r->xx;
    }
    orthonormalise(s);
    rotate(s);
}

/* z_j <- F z_j, u_j += c'z_j; adds z z' to C. */
static void rebase_feature(struct oja_son *s, double *own)
{
    double *z = own + 1;
    own[0] += son_dot(s->k, s->c, z);
    for (uint32_t i = s->k; i-- > 0;)
        z[i] = son_dot(i + 1, row_of(s, s->F, i), z);
    for (uint32_t i = 0; i < s->k; i++)
        for (uint32_t j = 0; j <= i; j++)
            row_of(s, s->C, i)[j] += z[i] * z[j];
}

/* Z <- V, c <- 0; F makes the rows of that orthonormal once more, as far as rounding allows. */
static void rebase(struct oja_son *s, const struct son_features *f)
{
    size_t bytes = (size_t)s->m * s->m * sizeof *s->F;
    memset(s->C, 0, bytes);
    for (uint32_t j = 0; j < f->known; j++)
        rebase_feature(s, son_feature(f, j));
    memset(s->c, 0, s->m * sizeof *s->c);
    memset(s->F, 0, bytes);
    s->zz = 0;
    for (uint32_t i = 0; i < s->k; i++) {
        s->zz += row_of(s, s->C, i)[i];
        row_of(s, s->F, i)[i] = 1;
    }
    orthonormalise(s);
}

static int spread_out(const struct oja_son *s)
{
    double ff = son_dot(s->k * s->m, s->F, s->F);
    return !(ff * s->zz <= OJA_SON_SPREAD * OJA_SON_SPREAD);
}

enum son_result oja_son_learn(struct oja_son *s, const struct son_features *f,
                              const struct son_row *r, double *z)
{
    double margin = son_project(f, r, s->k, s->a);
    margin += son_dot(s->k, s->c, s->a);
    *z = son_clip(margin, s->opt.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = margin - *z;
    rotate(s);
    if (excess != 0) {
        double rho = solve(s, r->xx);
        if (!step(s, f, r, -excess / rho)) return SON_OVERFLOW;
    }
    struct son_gradient pull = son_gradient(&s->opt, *z, r->y, r->weight);
    if (pull.r == 0) return SON_OK;
    s->t++;
    widen(s, f, r);
    for (uint32_t i = 0; i < s->k; i++)
        s->S[i] += pull.r * s->p[i] * pull.r * s->p[i];
    turn(s, f, r, pull.r);
    solve(s, r->xx);
    bool done = step(s, f, r, -pull.g / s->opt.alpha0);
    if (spread_out(s)) rebase(s, f);
    return done ? SON_OK : SON_OVERFLOW;
}

double oja_son_weight(const struct oja_son *s, const struct son_features *f, uint32_t feature)
{
    return son_column_weight(f, feature, s->k, s->c);
}
