/* column_son.c -- implementation of column_son.h */
#include "column_son.h"

#include <string.h>

#include "core/mix64.h"
#include "kernels/base/layout.h"

/* If more than this share of a gradient's square lies outside the span of V, the gradient adds a
 * row to V. */
#define OJA_SON_MIN_NEW_SHARE 1e-6
/* A row of V becomes 0 if at most this share of its square lies outside the span of
 * the rows before it. */
#define OJA_SON_MIN_KEPT_SHARE 1e-12

/* ---- both learners ---- */

static uint32_t column_son_stride(const void *opt)
{
    return son_column_stride(((const struct column_son_options *)opt)->m);
}

static double column_son_weight(const void *model, const struct son_features *f, uint32_t feature)
{
    const struct column_son *s = model;
    return son_column_weight(f, feature, s->k, s->c);
}

static void column_son_open(struct column_son *s, const void *opt)
{
    *s = (struct column_son){.opt = *(const struct column_son_options *)opt};
    assert(s->opt.m >= 1 && s->opt.m <= SON_MAX_M && s->opt.son.alpha0 > 0);
}

/* Functions in which Oja and random projection differ. */
struct column_son_rule {
    void (*enter)(struct column_son *s);              /* computes p from a = Zx; NULL if p is a */
    double (*solve)(struct column_son *s, double xx); /* sets q; returns rho                    */
    /* Adds the row `scale` x to H. Does not change w; updates p. */
    void (*take)(struct column_son *s, const struct son_features *f, const struct son_row *r,
                 double scale);
};

static enum son_result column_son_learn(struct column_son *s, const struct column_son_rule *rule,
                                        const struct son_features *f, const struct son_row *r,
                                        double *z)
{
    const struct son_options *o = &s->opt.son;
    double margin = son_project(f, r, s->k, s->a); /* step 1: s = u'x + c'a */
    margin += son_dot(s->k, s->c, s->a);
    *z = son_clip(margin, o->clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = margin - *z;
    if (rule->enter) rule->enter(s);
    if (excess != 0) { /* step 2: w -= (s - z) / rho (x - Z'q) */
        double rho = rule->solve(s, r->xx);
        if (!son_step(f, r, -excess / rho, s->k, s->q, s->c)) return SON_OVERFLOW;
    }
    struct son_gradient d = son_gradient(o, *z, r->y, r->weight); /* step 3 of son.h */
    if (d.r == 0) return SON_OK;
    rule->take(s, f, r, d.r); /* step 4 of son.h */
    rule->solve(s, r->xx);    /* step 5: w -= g / alpha0 (x - Z'q) */
    return son_step(f, r, -d.g / o->alpha0, s->k, s->q, s->c) ? SON_OK : SON_OVERFLOW;
}

/* ---- Oja ---- */

static size_t oja_son_lay_out(struct column_son *s, void *block)
{
    struct layout c = {block, 0};
    size_t m = s->opt.m;
    s->F = layout_take(&c, m * m, sizeof(double));
    s->C = layout_take(&c, m * m, sizeof(double));
    s->S = layout_take(&c, m, sizeof(double));
    s->c = layout_take(&c, m, sizeof(double));
    s->a = layout_take(&c, m, sizeof(double));
    s->p = layout_take(&c, m, sizeof(double));
    s->q = layout_take(&c, m, sizeof(double));
    return c.used;
}

static size_t oja_son_bytes(const void *opt, uint32_t features, uint32_t touched)
{
    struct column_son s = {.opt = *(const struct column_son_options *)opt};
    return oja_son_lay_out(&s, NULL);
}

static void oja_son_init(void *model, const void *opt, uint32_t features, uint32_t touched,
                         void *block)
{
    column_son_open(model, opt);
    oja_son_lay_out(model, block);
}

static double *oja_son_row(const struct column_son *s, double *A, uint32_t i)
{
    return A + (size_t)i * s->opt.m;
}

/* Sets p = F a = Vx. */
static void oja_son_rotate(struct column_son *s)
{
    for (uint32_t i = 0; i < s->k; i++)
        s->p[i] = son_dot(i + 1, oja_son_row(s, s->F, i), s->a);
}

/* Sets q = F' diag(S / (alpha0 + S)) p, so that H^-1 x = (x - Z'q) / alpha0. Returns rho = alpha0
 * x'H^-1 x, at least 1e-15 x'x. If it were smaller, doubles could not tell x from a vector in the
 * span of V. */
static double oja_son_solve(struct column_son *s, double xx)
{
    double rho = xx;
    memset(s->q, 0, s->opt.m * sizeof *s->q);
    for (uint32_t i = 0; i < s->k; i++) {
        double share = s->S[i] / (s->opt.son.alpha0 + s->S[i]), *row = oja_son_row(s, s->F, i);
        rho -= share * s->p[i] * s->p[i]; /* rho = x'x - p' diag(share) p */
        for (uint32_t j = 0; j <= i; j++)
            s->q[j] += share * s->p[i] * row[j]; /* q = F' diag(share) p */
    }
    return fmax(rho, 1e-15 * xx);
}

/* If the part of x outside the span of V is large enough, makes it row k of V, normalised: V_k = (x
 * - V'p) / rest. So Z_k = x / rest, and row k of F subtracts V'p / rest. */
static void oja_son_append(struct column_son *s, const struct son_features *f,
                           const struct son_row *r)
{
    uint32_t k = s->k;
    double rest2 = r->xx - son_dot(k, s->p, s->p), rest = sqrt(fmax(rest2, 0)); /* x'x - p'p */
    if (k == s->opt.m || !(rest2 > OJA_SON_MIN_NEW_SHARE * r->xx)) return;
    double *row = oja_son_row(s, s->F, k);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j <= i; j++)
            row[j] -= s->p[i] / rest * oja_son_row(s, s->F, i)[j]; /* F_k = e_k - p'F / rest */
    row[k] = 1;
    for (uint32_t i = 0; i < r->n; i++)
        son_feature(f, r->feature[i])[1 + k] = r->x[i] / rest; /* Z_k = x / rest */
    s->a[k] = r->xx / rest;                                    /* a_k = Z_k x */
    s->p[k] = rest;                                            /* p_k = V_k x */
    s->zz += r->xx / rest2;
    s->k++;
}

/* Replaces C by its Cholesky factor, and F by C^-1 F. A row that rounding has cancelled gets an
 * infinite pivot. So the row becomes 0 and does not change the other rows. */
static void oja_son_orthonormalise(struct column_son *s)
{
    for (uint32_t i = 0; i < s->k; i++) {
        double *row = oja_son_row(s, s->F, i), *C = oja_son_row(s, s->C, i), square = C[i];
        for (uint32_t l = 0; l < i; l++)
            C[l] = (C[l] - son_dot(l, C, oja_son_row(s, s->C, l))) / oja_son_row(s, s->C, l)[l];
        double pivot = square - son_dot(i, C, C);
        C[i] = pivot > OJA_SON_MIN_KEPT_SHARE * square ? sqrt(pivot) : (double)INFINITY;
        for (uint32_t l = 0; l < i; l++)
            for (uint32_t j = 0; j <= l; j++)
                row[j] -= C[l] * oja_son_row(s, s->F, l)[j]; /* F_i -= C_il F_l */
        for (uint32_t j = 0; j <= i; j++)
            row[j] /= C[i]; /* F_i /= C_ii */
    }
}

/* Turns V towards the row `scale` x. Does not change w; updates a and p. */
static void oja_son_turn(struct column_son *s, const struct son_features *f,
                         const struct son_row *r, double scale)
{
    double rate = scale * scale / (double)s->t, beta = rate * (2 + rate * r->xx); /* rate = r^2/t */
    son_shift(f, r, -rate * son_dot(s->k, s->a, s->c)); /* u -= rate (a'c) x: w stays */
    for (uint32_t i = 0; i < s->k; i++)
        s->q[i] = rate * s->a[i];
    son_spread(f, r, s->k, s->q); /* Z += rate a x' */
    s->zz += beta * son_dot(s->k, s->a, s->a);
    for (uint32_t i = 0; i < s->k; i++) {
        for (uint32_t j = 0; j <= i; j++)
            oja_son_row(s, s->C, i)[j] = (i == j) + beta * s->p[i] * s->p[j]; /* I + beta p p' */
        s->a[i] *= 1 + rate * r->xx; /* a = Zx of the new Z */
    }
    oja_son_orthonormalise(s);
    oja_son_rotate(s);
}

static void oja_son_rebase_feature(struct column_son *s, double *u, double *z)
{
    *u += son_dot(s->k, s->c, z); /* u_j += c'z_j */
    for (uint32_t i = s->k; i-- > 0;)
        z[i] = son_dot(i + 1, oja_son_row(s, s->F, i), z); /* z_j <- F z_j */
    for (uint32_t i = 0; i < s->k; i++)
        for (uint32_t j = 0; j <= i; j++)
            oja_son_row(s, s->C, i)[j] += z[i] * z[j]; /* C += z_j z_j' */
}

/* Replaces Z by V = F Z; c becomes 0. The new F makes the rows of the new Z orthonormal, as far as
 * rounding permits. */
static void oja_son_rebase(struct column_son *s, const struct son_features *f)
{
    size_t bytes = (size_t)s->opt.m * s->opt.m * sizeof *s->F;
    memset(s->C, 0, bytes);
    for (uint32_t j = 0; j < f->known; j++) {
        double *u = son_feature(f, j);
        oja_son_rebase_feature(s, u, u + 1);
    }
    memset(s->c, 0, s->opt.m * sizeof *s->c);
    memset(s->F, 0, bytes);
    s->zz = 0;
    for (uint32_t i = 0; i < s->k; i++) {
        s->zz += oja_son_row(s, s->C, i)[i];
        oja_son_row(s, s->F, i)[i] = 1;
    }
    oja_son_orthonormalise(s);
}

/* True if |F| |Z| > OJA_SON_SPREAD, or if |Z| alone is large. */
static bool oja_son_must_rebase(const struct column_son *s)
{
    if (!(s->zz <= OJA_SON_MAX_SQUARE)) return true;
    double ff = son_dot(s->k * s->opt.m, s->F, s->F);
    return !(ff * s->zz <= OJA_SON_SPREAD * OJA_SON_SPREAD);
}

static void oja_son_take(struct column_son *s, const struct son_features *f,
                         const struct son_row *r, double scale)
{
    s->t++;
    oja_son_append(s, f, r); /* S_i += (V_i g^)^2; V turns towards g^ = r x */
    for (uint32_t i = 0; i < s->k; i++)
        s->S[i] += scale * s->p[i] * scale * s->p[i];
    oja_son_turn(s, f, r, scale);
}

static const char *oja_son_check(const void *model, const struct son_features *f)
{
    const struct column_son *s = model;
    if (s->k > s->opt.m) return "there are more rows than m";
    if (!(s->zz >= 0) || isinf(s->zz)) return "the norm of Z is not finite";
    for (uint32_t i = 0; i < s->k; i++) {
        if (!(s->S[i] >= 0) || isinf(s->S[i])) return "an eigenvalue is negative or not finite";
        if (!isfinite(s->c[i])) return "a coefficient is not finite";
        for (uint32_t j = 0; j <= i; j++)
            if (!isfinite(oja_son_row(s, s->F, i)[j])) return "the rotation F is not finite";
    }
    return NULL;
}

static enum son_result oja_son_learn(void *model, const struct son_features *f,
                                     const struct son_row *r, double *z)
{
    static const struct column_son_rule rule = {oja_son_rotate, oja_son_solve, oja_son_take};
    struct column_son *s = model;
    uint64_t t = s->t;
    enum son_result result = column_son_learn(s, &rule, f, r, z);
    if (s->t > t && oja_son_must_rebase(s)) oja_son_rebase(s, f);
#ifdef LEAT_CHECKS
    assert(!oja_son_check(s, f));
#endif
    return result;
}

const struct son_kernel oja_son_kernel = {
    .model_size = sizeof(struct column_son),
    .stride = column_son_stride,
    .bytes = oja_son_bytes,
    .init = oja_son_init,
    .learn = oja_son_learn,
    .weight = column_son_weight,
    .check = oja_son_check,
};

/* ---- random projection ---- */

static size_t rp_son_lay_out(struct column_son *s, void *block)
{
    struct layout c = {block, 0};
    size_t m = s->opt.m;
    s->G = layout_take(&c, m * m, sizeof(double));
    s->L = layout_take(&c, m * m, sizeof(double));
    s->c = layout_take(&c, m, sizeof(double));
    s->p = s->a = layout_take(&c, m, sizeof(double));
    s->q = layout_take(&c, m, sizeof(double));
    s->xi = layout_take(&c, m, sizeof(double));
    return c.used;
}

static size_t rp_son_bytes(const void *opt, uint32_t features, uint32_t touched)
{
    struct column_son s = {.opt = *(const struct column_son_options *)opt};
    return rp_son_lay_out(&s, NULL);
}

static void rp_son_init(void *model, const void *opt, uint32_t features, uint32_t touched,
                        void *block)
{
    struct column_son *s = model;
    column_son_open(s, opt);
    rp_son_lay_out(s, block);
    s->k = s->opt.m;
}

/* Computes the signs xi of row number t. */
static void rp_son_draw(struct column_son *s)
{
    double size = 1 / sqrt((double)s->opt.m);
    uint64_t start = s->opt.seed + mix64(s->t * MIX64_GOLDEN);
    for (uint32_t k = 0; k < s->opt.m; k++) {
        uint64_t bits = mix64(start + (k / 64 + 1) * MIX64_GOLDEN);
        s->xi[k] = bits >> k % 64 & 1 ? size : -size;
    }
}

/* Sets q = (alpha0 I + G)^-1 p and returns rho. */
static double rp_son_solve(struct column_son *s, double xx)
{
    uint32_t m = s->opt.m;
    memcpy(s->L, s->G, (size_t)m * m * sizeof *s->L);
    for (uint32_t k = 0; k < m; k++)
        s->L[(size_t)k * m + k] += s->opt.son.alpha0;
    son_cholesky(m, s->L, m); /* L L' = alpha0 I + G */
    memcpy(s->q, s->p, m * sizeof *s->q);
    son_forward(m, s->L, m, s->q);
    son_backward(m, s->L, m, s->q);
    return fmax(xx - son_dot(m, s->p, s->q), 1e-15 * xx); /* x'x - p'q */
}

/* Computes B += xi (scale x)'. Does not change w; updates p = Bx. */
static void rp_son_take(struct column_son *s, const struct son_features *f, const struct son_row *r,
                        double scale)
{
    uint32_t m = s->opt.m;
    rp_son_draw(s);
    son_shift(f, r, -scale * son_dot(m, s->xi, s->c)); /* u -= (xi'c) r x: w stays */
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < m; j++) /* G += r (p xi' + xi p') + r^2 x'x xi xi' */
            s->G[(size_t)i * m + j] += scale * (s->p[i] * s->xi[j] + s->xi[i] * s->p[j]) +
                                       scale * scale * r->xx * s->xi[i] * s->xi[j];
    for (uint32_t i = 0; i < m; i++) {
        double *square =
            &s->G[(size_t)i * m + i]; /* square of a row of B: rounding may make it negative */
        *square = fmax(*square, 0);
        s->p[i] += scale * r->xx * s->xi[i]; /* p += r x'x xi */
        s->xi[i] *= scale;
    }
    son_spread(f, r, m, s->xi); /* B += r xi x' */
    s->t++;
}

static const char *rp_son_check(const void *model, const struct son_features *f)
{
    const struct column_son *s = model;
    for (uint32_t i = 0; i < s->opt.m; i++) {
        const double *G = s->G + (size_t)i * s->opt.m;
        if (!(G[i] >= 0)) return "gram has a negative square";
        if (!isfinite(s->c[i])) return "a coefficient is not finite";
        for (uint32_t j = 0; j < s->opt.m; j++)
            if (!isfinite(G[j])) return "gram is not finite";
    }
    return NULL;
}

static enum son_result rp_son_learn(void *model, const struct son_features *f,
                                    const struct son_row *r, double *z)
{
    static const struct column_son_rule rule = {NULL, rp_son_solve, rp_son_take};
    enum son_result result = column_son_learn(model, &rule, f, r, z);
#ifdef LEAT_CHECKS
    assert(!rp_son_check(model, f));
#endif
    return result;
}

const struct son_kernel rp_son_kernel = {
    .model_size = sizeof(struct column_son),
    .stride = column_son_stride,
    .bytes = rp_son_bytes,
    .init = rp_son_init,
    .learn = rp_son_learn,
    .weight = column_son_weight,
    .check = rp_son_check,
};
