/* adagrad.c -- implementation of adagrad.h */
#include "adagrad.h"

/* Returns a diagonal element of eta H: alpha0 + sqrt(s_j). */
static double adagrad_diagonal(const struct adagrad *m, double s)
{
    return m->opt.alpha0 + sqrt(s);
}

/* Performs step 2 of son.h: w -= excess / (x'H^-1 x) H^-1 x. */
static void adagrad_project(const struct adagrad *m, const struct son_features *f,
                            const struct son_row *r, double excess)
{
    double rho = 0;
    for (uint32_t i = 0; i < r->n; i++) /* rho = x'(eta H)^-1 x */
        rho += r->x[i] * r->x[i] / adagrad_diagonal(m, son_feature(f, r->feature[i])[1]);
    for (uint32_t i = 0; i < r->n; i++) {
        double *w = son_feature(f, r->feature[i]), *s = w + 1;
        *w -= excess / rho * r->x[i] / adagrad_diagonal(m, *s);
    }
}

static const char *adagrad_check(const void *model, const struct son_features *f)
{
    for (uint32_t j = 0; j < f->known; j++) {
        const double *w = son_feature(f, j), *s = w + 1;
        if (!isfinite(*w)) return "a weight is not finite";
        if (!(*s >= 0)) return "a sum of squares is negative or not a number";
    }
    return NULL;
}

static enum son_result adagrad_learn(void *model, const struct son_features *f,
                                     const struct son_row *r, double *z)
{
    const struct adagrad *m = model;
    double margin = 0;
    for (uint32_t i = 0; i < r->n; i++) /* step 1: s = w'x */
        margin += son_feature(f, r->feature[i])[0] * r->x[i];
    *z = son_clip(margin, m->opt.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(margin) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = margin - *z;
    if (excess != 0) adagrad_project(m, f, r, excess);       /* step 2 of son.h */
    double g = son_gradient(&m->opt, *z, r->y, r->weight).g; /* step 3 of son.h */
    double scaled = g / son_unit(&m->opt);
    for (uint32_t i = 0; i < r->n; i++) {
        double *w = son_feature(f, r->feature[i]), *s = w + 1, gx = scaled * r->x[i];
        *s += gx * gx;                                          /* step 4: s_j += (g x_j)^2 */
        *w -= m->eta * (g * r->x[i]) / adagrad_diagonal(m, *s); /* step 5: w_j -= g x_j / H_jj */
    }
#ifdef LEAT_CHECKS
    assert(!adagrad_check(m, f));
#endif
    return SON_OK;
}

static uint32_t adagrad_stride(const void *opt) { return ADAGRAD_STRIDE; }

static void adagrad_init(void *model, const void *opt, uint32_t features, uint32_t touched,
                         void *block)
{
    *(struct adagrad *)model = *(const struct adagrad *)opt;
}

const struct son_kernel adagrad_kernel = {
    .model_size = sizeof(struct adagrad),
    .stride = adagrad_stride,
    .init = adagrad_init,
    .learn = adagrad_learn,
    .check = adagrad_check,
};
