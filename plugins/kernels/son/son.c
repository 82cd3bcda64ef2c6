/* son.c -- implementation of son.h */
#include "son.h"

#include "kernels/base/loss.h"
#include "kernels/dense/eigen.h"

/* ---- rows ---- */

/* The mark of a feature is its entry's index in the last row that contained the feature. If the
 * entry at that index of this row has another feature, the mark comes from an earlier row. */
void son_row_add(struct son_row *r, const struct son_features *f, uint32_t feature, double x)
{
    double *mark = f->row + (size_t)feature * f->stride;
    uint32_t at = (uint32_t)*mark;
    if (at < r->n && r->feature[at] == feature) {
        r->x[at] += x;
        return;
    }
    *mark = r->n;
    r->feature[r->n] = feature;
    r->x[r->n++] = x;
}

void son_row_finish(struct son_row *r) { r->xx = son_dot(r->n, r->x, r->x); }

/* ---- losses ---- */

double son_mu(const struct son_options *o)
{
    double clip = o->clip;
    assert(clip > 0 && (!o->numbers || o->loss == SON_SQUARED));
    if (o->numbers) return 1 / (8 * clip * clip);        /* 1 / (8 C^2) */
    if (o->loss == SON_LOGISTIC) return loss_exp(-clip); /* e^-C */
    if (o->loss == SON_SQUARED_HINGE && clip > 1)
        return (3 * clip - 1) / (8 * clip * clip * (1 + clip)); /* (3 C - 1) / (8 C^2 (1 + C)) */
    return 1 / (2 * (1 + clip) * (1 + clip));                   /* 1 / (2 (1 + C)^2) */
}

double son_slope(enum son_loss loss, double z, double y)
{
    assert(loss == SON_SQUARED || y == 1 || y == -1);
    if (loss == SON_LOGISTIC) return -y / (1 + loss_exp(y * z)); /* -y / (1 + e^yz) */
    if (loss == SON_SQUARED_HINGE && y * z >= 1) return 0;
    return 2 * (z - y);
}

double son_log_odds(enum son_loss loss, double z)
{
    if (loss == SON_LOGISTIC) return z;
    z = z > 1 ? 1 : z < -1 ? -1 : z;
    z *= 1 - SON_DOUBT;
    return loss_log((1 + z) / (1 - z));
}

struct son_gradient son_gradient(const struct son_options *o, double z, double y, double weight)
{
    assert(weight >= 0 && weight <= SON_MAX_WEIGHT && (!o->numbers || fabs(y) <= o->clip));
    double l = son_slope(o->loss, z, y), mu = son_mu(o);
    return (struct son_gradient){.g = weight * l,
                                 .r = o->hessian ? sqrt(2 * weight) : sqrt(mu * weight) * l};
}

bool son_bounded(double k, double xx, uint32_t n, const double *q)
{
    return fabs(k) * sqrt(xx + son_dot(n, q, q)) <= SON_LIMIT;
}

/* ---- small dense algebra ---- */

double son_dot(uint32_t n, const double *a, const double *b)
{
    double s = 0;
    for (uint32_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

void son_cholesky(uint32_t n, double *A, uint32_t ld)
{
    assert(n <= ld);
    for (uint32_t i = 0; i < n; i++) {
        double *row = A + (size_t)i * ld, diagonal = row[i];
        for (uint32_t j = 0; j < i; j++) /* L_ij = (A_ij - L_i'L_j) / L_jj */
            row[j] = (row[j] - son_dot(j, row, A + (size_t)j * ld)) / A[(size_t)j * ld + j];
        double pivot = diagonal - son_dot(i, row, row);
        row[i] = sqrt(fmax(pivot, 1e-14 * diagonal)); /* L_ii = sqrt(A_ii - L_i'L_i) */
    }
}

void son_forward(uint32_t n, const double *L, uint32_t ld, double *x)
{
    assert(n <= ld);
    for (uint32_t i = 0; i < n; i++) {
        const double *row = L + (size_t)i * ld;
        x[i] = (x[i] - son_dot(i, row, x)) / row[i];
    }
}

void son_backward(uint32_t n, const double *L, uint32_t ld, double *x)
{
    assert(n <= ld);
    for (uint32_t i = n; i-- > 0;) {
        const double *row = L + (size_t)i * ld;
        x[i] /= row[i];
        for (uint32_t j = 0; j < i; j++)
            x[j] -= x[i] * row[j];
    }
}

void son_pseudo(uint32_t n, const double *G, uint32_t ld, const double *p, double *a, double *b,
                double *lambda, double *work)
{
    eigen(n, G, ld, lambda, work); /* G = U' diag(lambda) U */
    const double *U = work;
    for (uint32_t i = 0; i < n; i++)
        a[i] = b[i] = 0;
    for (uint32_t k = 0; k < n && lambda[k] > SON_RANK * lambda[0]; k++) {
        const double *u = U + (size_t)k * eigen_ld(n);
        double along = son_dot(n, u, p) / lambda[k];
        for (uint32_t i = 0; i < n; i++) {
            a[i] += along * u[i];             /* a += (u'p / lambda) u */
            b[i] += along / lambda[k] * u[i]; /* b += (u'p / lambda^2) u */
        }
    }
}

/* ---- columns ---- */

double son_project(const struct son_features *f, const struct son_row *r, uint32_t m, double *a)
{
    double s = 0;
    for (uint32_t k = 0; k < m; k++)
        a[k] = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const double *u = son_feature(f, r->feature[i]), *z = u + 1;
        double x = r->x[i];
        s += *u * x; /* s += u_j x_j */
        for (uint32_t k = 0; k < m; k++)
            a[k] += z[k] * x; /* a += z_j x_j */
    }
    return s;
}

void son_shift(const struct son_features *f, const struct son_row *r, double k)
{
    for (uint32_t i = 0; i < r->n; i++)
        *son_feature(f, r->feature[i]) += k * r->x[i]; /* u_j += k x_j */
}

void son_spread(const struct son_features *f, const struct son_row *r, uint32_t m, const double *v)
{
    for (uint32_t i = 0; i < r->n; i++) {
        double *z = son_feature(f, r->feature[i]) + 1, x = r->x[i];
        for (uint32_t k = 0; k < m; k++)
            z[k] += v[k] * x; /* z_j += v x_j */
    }
}

bool son_step(const struct son_features *f, const struct son_row *r, double k, uint32_t m,
              const double *q, double *c)
{
    if (!son_bounded(k, r->xx, m, q)) return false;
    son_shift(f, r, k); /* u += k x */
    for (uint32_t i = 0; i < m; i++)
        c[i] -= k * q[i]; /* c -= k q */
    return true;
}

double son_column_weight(const struct son_features *f, uint32_t feature, uint32_t m,
                         const double *c)
{
    assert(feature < f->known);
    const double *u = son_feature(f, feature), *z = u + 1;
    return *u + son_dot(m, c, z);
}
