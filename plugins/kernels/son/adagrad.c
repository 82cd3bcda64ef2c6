/* adagrad.c -- see adagrad.h. */
#include "adagrad.h"

/* Diagonal of H, but for eta, which the projection does not see. */
static double diagonal(const struct adagrad *m, const double *own)
{
    return m->opt.alpha0 + sqrt(own[1]);
}

static void project(const struct adagrad *m, const struct son_features *f, const struct son_row *r,
                    double excess)
{
    double rho = 0;
    for (uint32_t i = 0; i < r->n; i++)
        rho += r->x[i] * r->x[i] / diagonal(m, son_feature(f, r->feature[i]));
    for (uint32_t i = 0; i < r->n; i++) {
        double *own = son_feature(f, r->feature[i]);
        own[0] -= excess / rho * r->x[i] / diagonal(m, own);
    }
}

enum son_result adagrad_learn(const struct adagrad *m, const struct son_features *f,
                              const struct son_row *r, double *z)
{
    double s = 0;
    for (uint32_t i = 0; i < r->n; i++)
        s += son_feature(f, r->feature[i])[0] * r->x[i];
    *z = son_clip(s, m->opt.clip);
    if (!son_row_teaches(r)) return SON_OK;
    if (!(fabs(s) <= SON_LIMIT)) return SON_OVERFLOW;
    double excess = s - *z;
    if (excess != 0) project(m, f, r, excess);
    double g = son_gradient(&m->opt, *z, r->y, r->weight).g;
    for (uint32_t i = 0; i < r->n; i++) {
        double *own = son_feature(f, r->feature[i]), gx = g * r->x[i];
        own[1] += gx * gx;
        own[0] -= m->eta * gx / diagonal(m, own);
    }
    return SON_OK;
}

double adagrad_weight(const struct son_features *f, uint32_t feature)
{
    return son_feature(f, feature)[0];
}
