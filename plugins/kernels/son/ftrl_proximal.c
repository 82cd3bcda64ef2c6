/* ftrl_proximal.c -- implementation of ftrl_proximal.h */
#include "ftrl_proximal.h"

#include "kernels/base/loss.h"

/* Returns (beta + sqrt(n)) / alpha + l2. */
static double ftrl_proximal_curvature(const struct ftrl_proximal *m, double n)
{
    return (m->beta + sqrt(n)) / m->alpha + m->l2;
}

static double ftrl_proximal_weight_of(const struct ftrl_proximal *m, double z, double n, double l1)
{
    if (fabs(z) <= l1) return 0;
    return -(z - copysign(l1, z)) / ftrl_proximal_curvature(m, n);
}

static double ftrl_proximal_weight(const void *model, const struct son_features *f,
                                   uint32_t feature)
{
    const struct ftrl_proximal *m = model;
    const double *v = son_feature(f, feature);
    return ftrl_proximal_weight_of(m, v[0], v[1], m->l1);
}

double ftrl_proximal_bias(const struct ftrl_proximal *m)
{
    return ftrl_proximal_weight_of(m, m->bias_z, m->bias_n, 0);
}

uint32_t ftrl_proximal_nonzero(const struct ftrl_proximal *m, const struct son_features *f)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < f->known; j++)
        n += fabs(son_feature(f, j)[0]) > m->l1;
    return n;
}

static void ftrl_proximal_step(const struct ftrl_proximal *m, double *z, double *n, double l1,
                               double g)
{
    double w = ftrl_proximal_weight_of(m, *z, *n, l1);
    double sigma = (sqrt(*n + g * g) - sqrt(*n)) / m->alpha; /* step 3 of ftrl_proximal.h */
    *z += g - sigma * w;                                     /* step 4 of ftrl_proximal.h */
    *n += g * g;
}

static const char *ftrl_proximal_check_pair(const struct ftrl_proximal *m, double z, double n,
                                            double l1)
{
    if (!(n >= 0 && isfinite(n)))
        return "feature_rows has a sum of squares that is negative or not finite";
    if (!(fabs(ftrl_proximal_weight_of(m, z, n, l1)) <= SON_LIMIT))
        return "feature_rows or bias_z and bias_n make a weight above 1e100";
    return NULL;
}

static const char *ftrl_proximal_check(const void *model, const struct son_features *f)
{
    const struct ftrl_proximal *m = model;
    const char *wrong = ftrl_proximal_check_pair(m, m->bias_z, m->bias_n, 0);
    for (uint32_t j = 0; j < f->known && !wrong; j++) {
        const double *v = son_feature(f, j);
        wrong = ftrl_proximal_check_pair(m, v[0], v[1], m->l1);
    }
    return wrong;
}

static enum son_result ftrl_proximal_learn(void *model, const struct son_features *f,
                                           const struct son_row *r, double *z)
{
    struct ftrl_proximal *m = model;
    double margin = m->has_bias ? ftrl_proximal_bias(m) : 0;
    for (uint32_t i = 0; i < r->n; i++) /* step 1: w'x */
        margin += ftrl_proximal_weight(m, f, r->feature[i]) * r->x[i];
    *z = margin;
    if (!(r->weight > 0)) return SON_OK;
    double g = r->weight * r->y * loss_slope(LOSS_LOGISTIC, r->y * margin); /* c (p - [y = +1]) */
    for (uint32_t i = 0; i < r->n; i++) {
        double *v = son_feature(f, r->feature[i]);
        ftrl_proximal_step(m, &v[0], &v[1], m->l1, g * r->x[i]); /* step 2: g_i = g x_i */
    }
    if (m->has_bias) ftrl_proximal_step(m, &m->bias_z, &m->bias_n, 0, g);
#ifdef LEAT_CHECKS
    assert(!ftrl_proximal_check(m, f));
#endif
    return SON_OK;
}

/* ---- merging ---- */

/* Returns the z that gives a feature with this n the weight w. If w is 0, returns `mean` limited to
 * [-l1, l1]. */
static double ftrl_proximal_z_of(const struct ftrl_proximal *m, double w, double n, double l1,
                                 double mean)
{
    if (w != 0) return -w * ftrl_proximal_curvature(m, n) - copysign(l1, w);
    return mean > l1 ? l1 : mean < -l1 ? -l1 : mean;
}

/* Sums over both models for one feature. A model without the feature (NULL) adds nothing. */
struct ftrl_proximal_pair {
    double w, z, n;
};

static void ftrl_proximal_add(struct ftrl_proximal_pair *sum, const struct ftrl_proximal_side *s,
                              const double *v, double l1)
{
    if (!v) return;
    sum->w += s->share * ftrl_proximal_weight_of(s->model, v[0], v[1], l1);
    sum->z += s->share * v[0];
    sum->n += s->count * v[1];
}

/* Sets *z and *n of one feature of the merged model from the sums of both models. */
static void ftrl_proximal_mix(const struct ftrl_proximal *m, double *z, double *n,
                              const struct ftrl_proximal_pair *sum, double l1)
{
    *n = sum->n;
    *z = ftrl_proximal_z_of(m, sum->w, sum->n, l1, sum->z);
}

void ftrl_proximal_merge(struct ftrl_proximal *m, const struct son_features *f,
                         const struct ftrl_proximal_side *a, const struct ftrl_proximal_side *b,
                         const uint32_t *number)
{
    for (uint32_t j = 0; j < b->features.known; j++) { /* first, copies z and n of b to m */
        double *v = son_feature(f, number[j]);
        const double *of_b = son_feature(&b->features, j);
        v[0] = of_b[0];
        v[1] = of_b[1];
    }
    for (uint32_t j = 0; j < f->known; j++) {
        double *v = son_feature(f, j);
        struct ftrl_proximal_pair sum = {0};
        ftrl_proximal_add(&sum, a, j < a->features.known ? son_feature(&a->features, j) : NULL,
                          m->l1);
        ftrl_proximal_add(&sum, b, v, m->l1); /* v is 0 if b does not have the feature */
        ftrl_proximal_mix(m, &v[0], &v[1], &sum, m->l1);
    }
    const double bias_a[] = {a->model->bias_z, a->model->bias_n},
                 bias_b[] = {b->model->bias_z, b->model->bias_n};
    struct ftrl_proximal_pair sum = {0};
    ftrl_proximal_add(&sum, a, bias_a, 0);
    ftrl_proximal_add(&sum, b, bias_b, 0);
    ftrl_proximal_mix(m, &m->bias_z, &m->bias_n, &sum, 0);
}

static uint32_t ftrl_proximal_stride(const void *opt) { return FTRL_PROXIMAL_STRIDE; }

static void ftrl_proximal_init(void *model, const void *opt, uint32_t features, uint32_t touched,
                               void *block)
{
    *(struct ftrl_proximal *)model = *(const struct ftrl_proximal *)opt;
}

const struct son_kernel ftrl_proximal_kernel = {
    .model_size = sizeof(struct ftrl_proximal),
    .stride = ftrl_proximal_stride,
    .init = ftrl_proximal_init,
    .learn = ftrl_proximal_learn,
    .weight = ftrl_proximal_weight,
    .check = ftrl_proximal_check,
};
