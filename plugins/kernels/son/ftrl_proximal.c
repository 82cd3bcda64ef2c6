/* ftrl_proximal.c -- see ftrl_proximal.h. */
#include "ftrl_proximal.h"

#include "kernels/base/loss.h"

/* (beta + sqrt(n)) / alpha + l2 */
static double curvature(const struct ftrl_proximal *m, double n)
{
    return (m->beta + sqrt(n)) / m->alpha + m->l2;
}

static double weight_of(const struct ftrl_proximal *m, double z, double n, double l1)
{
    if (fabs(z) <= l1) return 0;
    return -(z - copysign(l1, z)) / curvature(m, n);
}

double ftrl_proximal_weight(const struct ftrl_proximal *m, const struct son_features *f,
                            uint32_t feature)
{
    const double *v = son_feature(f, feature);
    return weight_of(m, v[0], v[1], m->l1);
}

double ftrl_proximal_bias(const struct ftrl_proximal *m)
{
    return weight_of(m, m->bias_z, m->bias_n, 0);
}

uint32_t ftrl_proximal_nonzero(const struct ftrl_proximal *m, const struct son_features *f)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < f->known; j++)
        n += fabs(son_feature(f, j)[0]) > m->l1;
    return n;
}

static void step(const struct ftrl_proximal *m, double *z, double *n, double l1, double g)
{
    double w = weight_of(m, *z, *n, l1);
    double sigma = (sqrt(*n + g * g) - sqrt(*n)) / m->alpha; /* step 3 */
    *z += g - sigma * w;                                     /* step 4 */
    *n += g * g;
}

enum son_result ftrl_proximal_learn(struct ftrl_proximal *m, const struct son_features *f,
                                    const struct son_row *r, double *z)
{
    double margin = m->has_bias ? ftrl_proximal_bias(m) : 0;
    for (uint32_t i = 0; i < r->n; i++) /* step 1: w'x */
        margin += ftrl_proximal_weight(m, f, r->feature[i]) * r->x[i];
    *z = margin;
    if (!(r->weight > 0)) return SON_OK;
    double g = r->weight * r->y * loss_slope(LOSS_LOGISTIC, r->y * margin); /* c (p - [y = +1]) */
    for (uint32_t i = 0; i < r->n; i++) {
        double *v = son_feature(f, r->feature[i]);
        step(m, &v[0], &v[1], m->l1, g * r->x[i]); /* step 2: g_i = g x_i */
    }
    if (m->has_bias) step(m, &m->bias_z, &m->bias_n, 0, g);
#ifdef LEAT_CHECKS
    assert(!ftrl_proximal_check(m, f));
#endif
    return SON_OK;
}

/* ---- merging ---- */

/* The z for which a feature of this n has the weight w; with w = 0, `mean` as far as l1 allows. */
static double z_of(const struct ftrl_proximal *m, double w, double n, double l1, double mean)
{
    if (w != 0) return -w * curvature(m, n) - copysign(l1, w);
    return mean > l1 ? l1 : mean < -l1 ? -l1 : mean;
}

/* The numbers of both sides, for a feature that side `s` may lack (NULL). */
struct pair {
    double w, z, n;
};

static void add(struct pair *sum, const struct ftrl_proximal_side *s, const double *v, double l1)
{
    if (!v) return;
    sum->w += s->share * weight_of(s->model, v[0], v[1], l1);
    sum->z += s->share * v[0];
    sum->n += s->count * v[1];
}

/* z and n, at *z, of the mean. */
static void mix(const struct ftrl_proximal *m, double *z, double *n, const struct pair *sum,
                double l1)
{
    *n = sum->n;
    *z = z_of(m, sum->w, sum->n, l1, sum->z);
}

void ftrl_proximal_merge(struct ftrl_proximal *m, const struct son_features *f,
                         const struct ftrl_proximal_side *a, const struct ftrl_proximal_side *b,
                         const uint32_t *number)
{
    for (uint32_t j = 0; j < b->features.known; j++) { /* b's own are put aside in m */
        double *v = son_feature(f, number[j]);
        const double *of_b = son_feature(&b->features, j);
        v[0] = of_b[0];
        v[1] = of_b[1];
    }
    for (uint32_t j = 0; j < f->known; j++) {
        double *v = son_feature(f, j);
        struct pair sum = {0};
        add(&sum, a, j < a->features.known ? son_feature(&a->features, j) : NULL, m->l1);
        add(&sum, b, v, m->l1); /* zero where b has none */
        mix(m, &v[0], &v[1], &sum, m->l1);
    }
    const double bias_a[] = {a->model->bias_z, a->model->bias_n},
                 bias_b[] = {b->model->bias_z, b->model->bias_n};
    struct pair sum = {0};
    add(&sum, a, bias_a, 0);
    add(&sum, b, bias_b, 0);
    mix(m, &m->bias_z, &m->bias_n, &sum, 0);
}

/* ---- checks ---- */

static const char *check_pair(const struct ftrl_proximal *m, double z, double n, double l1)
{
    if (!(n >= 0 && isfinite(n)))
        return "feature_rows has a sum of squares that is negative or not finite";
    if (!(fabs(weight_of(m, z, n, l1)) <= SON_LIMIT))
        return "feature_rows or bias_z and bias_n make a weight above 1e100";
    return NULL;
}

const char *ftrl_proximal_check(const struct ftrl_proximal *m, const struct son_features *f)
{
    const char *wrong = check_pair(m, m->bias_z, m->bias_n, 0);
    for (uint32_t j = 0; j < f->known && !wrong; j++) {
        const double *v = son_feature(f, j);
        wrong = check_pair(m, v[0], v[1], m->l1);
    }
    return wrong;
}
