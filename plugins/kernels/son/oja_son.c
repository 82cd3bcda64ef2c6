/* oja_son.c -- see oja_son.h. */
#include "oja_son.h"

#include <string.h>

#include "kernels/base/layout.h"

/* A gradient becomes a row of V if more than this share of its square is outside the span of V. */
#define MIN_NEW_SHARE 1e-6
/* A row of V is lost unless more than this share of its square lies outside the rows before it. */
#define MIN_KEPT_SHARE 1e-12

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
    assert(m >= 1 && m <= SON_MAX_M && opt->alpha0 > 0);
    *s = (struct oja_son){.opt = *opt, .m = m};
    lay_out(s, block);
}

static double *row_of(const struct oja_son *s, double *A, uint32_t i)
{
    return A + (size_t)i * s->m;
}

/* p = F a = Vx */
static void rotate(struct oja_son *s)
{
    for (uint32_t i = 0; i < s->k; i++)
        s->p[i] = son_dot(i + 1, row_of(s, s->F, i), s->a);
}

/* H^-1 x = (x - Z'q) / alpha0 with q = F' diag(S / (alpha0 + S)) p. Returns rho = alpha0 x'H^-1 x,
 * held at 1e-15 x'x: below, x is in the span of V as far as doubles tell. */
static double solve(struct oja_son *s, double xx)
{
    double rho = xx;
    memset(s->q, 0, s->m * sizeof *s->q);
    for (uint32_t i = 0; i < s->k; i++) {
        double share = s->S[i] / (s->opt.alpha0 + s->S[i]), *row = row_of(s, s->F, i);
        rho -= share * s->p[i] * s->p[i]; /* rho = x'x - p' diag(share) p */
        for (uint32_t j = 0; j <= i; j++)
            s->q[j] += share * s->p[i] * row[j]; /* q = F' diag(share) p */
    }
    return fmax(rho, 1e-15 * xx);
}

/* The part of x outside the span of V, if it is large enough, becomes row k of V, normalised:
 * V_k = (x - V'p) / rest. So Z_k = x / rest, and row k of F subtracts V'p / rest. */
static void append_row(struct oja_son *s, const struct son_features *f, const struct son_row *r)
{
    uint32_t k = s->k;
    double rest2 = r->xx - son_dot(k, s->p, s->p), rest = sqrt(fmax(rest2, 0)); /* x'x - p'p */
    if (k == s->m || !(rest2 > MIN_NEW_SHARE * r->xx)) return;
    double *row = row_of(s, s->F, k);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j <= i; j++)
            row[j] -= s->p[i] / rest * row_of(s, s->F, i)[j]; /* F_k = e_k - p'F / rest */
    row[k] = 1;
    for (uint32_t i = 0; i < r->n; i++)
        son_feature(f, r->feature[i])[1 + k] = r->x[i] / rest; /* Z_k = x / rest */
    s->a[k] = r->xx / rest;                                    /* a_k = Z_k x */
    s->p[k] = rest;                                            /* p_k = V_k x */
    s->zz += r->xx / rest2;
    s->k++;
}

/* C <- its Cholesky factor, F <- C^-1 F. A row that rounding has cancelled gets an infinite pivot:
 * so it becomes 0, and nothing is subtracted from the others for it. */
static void orthonormalise(struct oja_son *s)
{
    for (uint32_t i = 0; i < s->k; i++) {
        double *row = row_of(s, s->F, i), *C = row_of(s, s->C, i), square = C[i];
        for (uint32_t l = 0; l < i; l++)
            C[l] = (C[l] - son_dot(l, C, row_of(s, s->C, l))) / row_of(s, s->C, l)[l];
        double pivot = square - son_dot(i, C, C);
        C[i] = pivot > MIN_KEPT_SHARE * square ? sqrt(pivot) : (double)INFINITY;
        for (uint32_t l = 0; l < i; l++)
            for (uint32_t j = 0; j <= l; j++)
                row[j] -= C[l] * row_of(s, s->F, l)[j]; /* F_i -= C_il F_l */
        for (uint32_t j = 0; j <= i; j++)
            row[j] /= C[i]; /* F_i /= C_ii */
    }
}

/* V turns towards the row `scale` x; w stays, a and p follow. */
static void turn(struct oja_son *s, const struct son_features *f, const struct son_row *r,
                 double scale)
{
    double rate = scale * scale / (double)s->t, beta = rate * (2 + rate * r->xx); /* rate = r^2/t */
    son_shift(f, r, -rate * son_dot(s->k, s->a, s->c)); /* u -= rate (a'c) x: w stays */
    for (uint32_t i = 0; i < s->k; i++)
        s->q[i] = rate * s->a[i];
    son_spread(f, r, s->k, s->q); /* Z += rate a x' */
    s->zz += beta * son_dot(s->k, s->a, s->a);
    for (uint32_t i = 0; i < s->k; i++) {
        for (uint32_t j = 0; j <= i; j++)
            row_of(s, s->C, i)[j] = (i == j) + beta * s->p[i] * s->p[j]; /* I + beta p p' */
        s->a[i] *= 1 + rate * r->xx;                                     /* a = Zx of the new Z */
    }
    orthonormalise(s);
    rotate(s);
}

static void rebase_feature(struct oja_son *s, double *u, double *z)
{
    *u += son_dot(s->k, s->c, z); /* u_j += c'z_j */
    for (uint32_t i = s->k; i-- > 0;)
        z[i] = son_dot(i + 1, row_of(s, s->F, i), z); /* z_j <- F z_j */
    for (uint32_t i = 0; i < s->k; i++)
        for (uint32_t j = 0; j <= i; j++)
            row_of(s, s->C, i)[j] += z[i] * z[j]; /* C += z_j z_j' */
}

/* Z <- V = F Z, c <- 0. F makes the rows of the new Z orthonormal, as far as rounding allows. */
static void rebase(struct oja_son *s, const struct son_features *f)
{
    size_t bytes = (size_t)s->m * s->m * sizeof *s->F;
    memset(s->C, 0, bytes);
    for (uint32_t j = 0; j < f->known; j++) {
        double *u = son_feature(f, j);
        rebase_feature(s, u, u + 1);
    }
    memset(s->c, 0, s->m * sizeof *s->c);
    memset(s->F, 0, bytes);
    s->zz = 0;
    for (uint32_t i = 0; i < s->k; i++) {
        s->zz += row_of(s, s->C, i)[i];
        row_of(s, s->F, i)[i] = 1;
    }
    orthonormalise(s);
}

/* |F| |Z| > OJA_SON_SPREAD, or |Z| alone is large */
static bool must_rebase(const struct oja_son *s)
{
    if (!(s->zz <= OJA_SON_MAX_SQUARE)) return true;
    double ff = son_dot(s->k * s->m, s->F, s->F);
    return !(ff * s->zz <= OJA_SON_SPREAD * OJA_SON_SPREAD);
}

enum son_result oja_son_learn(struct oja_son *s, const struct son_features *f,
                              const struct son_row *r, double *z)
{
    double margin = son_project(f, r, s->k, s->a); /* step 1: s = u'x + c'a */
    margin += son_dot(s->k, s->c, s->a);
    *z = son_clip(margin, s->opt.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = margin - *z;
    rotate(s);
    if (excess != 0) { /* step 2: w -= (s - z) / rho (x - Z'q) */
        double rho = solve(s, r->xx);
        if (!son_step(f, r, -excess / rho, s->k, s->q, s->c)) return SON_OVERFLOW;
    }
    struct son_gradient d = son_gradient(&s->opt, *z, r->y, r->weight); /* step 3 */
    if (d.r == 0) return SON_OK;
    s->t++;
    append_row(s, f, r); /* step 4: S_i += (V_i g^)^2; V turns towards g^ = r x */
    for (uint32_t i = 0; i < s->k; i++)
        s->S[i] += d.r * s->p[i] * d.r * s->p[i];
    turn(s, f, r, d.r);
    solve(s, r->xx); /* step 5: w -= g / alpha0 (x - Z'q) */
    bool done = son_step(f, r, -d.g / s->opt.alpha0, s->k, s->q, s->c);
    if (must_rebase(s)) rebase(s, f);
#ifdef LEAT_CHECKS
    assert(!oja_son_check(s));
#endif
    return done ? SON_OK : SON_OVERFLOW;
}

double oja_son_weight(const struct oja_son *s, const struct son_features *f, uint32_t feature)
{
    return son_column_weight(f, feature, s->k, s->c);
}

const char *oja_son_check(const struct oja_son *s)
{
    if (s->k > s->m) return "there are more rows than m";
    if (!(s->zz >= 0) || isinf(s->zz)) return "the norm of Z is not finite";
    for (uint32_t i = 0; i < s->k; i++) {
        if (!(s->S[i] >= 0) || isinf(s->S[i])) return "an eigenvalue is negative or not finite";
        if (!isfinite(s->c[i])) return "a coefficient is not finite";
        for (uint32_t j = 0; j <= i; j++)
            if (!isfinite(row_of(s, s->F, i)[j])) return "the rotation F is not finite";
    }
    return NULL;
}
