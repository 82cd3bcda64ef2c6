/* son.c -- see son.h. */
#include "son.h"

#include "kernels/base/loss.h"

/* ---- rows ---- */

/* The mark of a feature is a place in some row; whether it is in this one, that place says. */
void newton_add(struct newton_row *r, const struct newton_features *f, uint32_t feature, double x)
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

void newton_sum(struct newton_row *r) { r->xx = newton_dot(r->n, r->x, r->x); }

/* ---- losses ---- */

double newton_mu(enum newton_loss loss, double clip)
{
    if (loss == NEWTON_LOGISTIC) return loss_exp(-clip);
    if (loss == NEWTON_SQUARED_HINGE && clip > 1)
        return (3 * clip - 1) / (8 * clip * clip * (1 + clip));
    return 1 / (2 * (1 + clip) * (1 + clip));
}

double newton_slope(enum newton_loss loss, double z, int y)
{
    if (loss == NEWTON_LOGISTIC) return -y / (1 + loss_exp(y * z));
    if (loss == NEWTON_SQUARED_HINGE && y * z >= 1) return 0;
    return 2 * (z - y);
}

double newton_log_odds(enum newton_loss loss, double z)
{
    if (loss == NEWTON_LOGISTIC) return z;
    z = z > 1 ? 1 : z < -1 ? -1 : z;
    z *= 1 - NEWTON_DOUBT;
    return loss_log((1 + z) / (1 - z));
}

struct newton_pull newton_pull(const struct newton_options *o, double z, int y, double weight)
{
    double l = newton_slope(o->loss, z, y), mu = newton_mu(o->loss, o->clip);
    return (struct newton_pull){.g = weight * l, .r = sqrt(mu * weight) * l};
}

bool newton_bounded(double k, double xx, uint32_t n, const double *q)
{
    return fabs(k) * sqrt(xx + newton_dot(n, q, q)) <= NEWTON_LIMIT;
}

/* ---- small dense algebra ---- */

double newton_dot(uint32_t n, const double *a, const double *b)
{
    double s = 0;
    for (uint32_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

void newton_cholesky(uint32_t n, double *A, uint32_t ld)
{
    for (uint32_t i = 0; i < n; i++) {
        double *row = A + (size_t)i * ld, diagonal = row[i];
        for (uint32_t j = 0; j < i; j++)
            row[j] = (row[j] - newton_dot(j, row, A + (size_t)j * ld)) / A[(size_t)j * ld + j];
        double pivot = diagonal - newton_dot(i, row, row);
        row[i] = sqrt(fmax(pivot, 1e-14 * diagonal));
    }
}

void newton_forward(uint32_t n, const double *L, uint32_t ld, double *x)
{
    for (uint32_t i = 0; i < n; i++) {
        const double *row = L + (size_t)i * ld;
        x[i] = (x[i] - newton_dot(i, row, x)) / row[i];
    }
}

void newton_backward(uint32_t n, const double *L, uint32_t ld, double *x)
{
    for (uint32_t i = n; i-- > 0;) {
        const double *row = L + (size_t)i * ld;
        x[i] /= row[i];
        for (uint32_t j = 0; j < i; j++)
            x[j] -= x[i] * row[j];
    }
}

/* ---- columns ---- */

double newton_project(const struct newton_features *f, const struct newton_row *r, uint32_t m,
                      double *a)
{
    double s = 0;
    for (uint32_t k = 0; k < m; k++)
        a[k] = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const double *own = newton_own(f, r->feature[i]);
        double x = r->x[i];
        s += own[0] * x;
        for (uint32_t k = 0; k < m; k++)
            a[k] += own[1 + k] * x;
    }
    return s;
}

void newton_shift(const struct newton_features *f, const struct newton_row *r, double k)
{
    for (uint32_t i = 0; i < r->n; i++)
        newton_own(f, r->feature[i])[0] += k * r->x[i];
}

void newton_spread(const struct newton_features *f, const struct newton_row *r, uint32_t m,
                   const double *v)
{
    for (uint32_t i = 0; i < r->n; i++) {
        double *z = newton_own(f, r->feature[i]) + 1, x = r->x[i];
        for (uint32_t k = 0; k < m; k++)
            z[k] += v[k] * x;
    }
}

double newton_column_weight(const struct newton_features *f, uint32_t feature, uint32_t m,
                            const double *c)
{
    const double *own = newton_own(f, feature);
    return own[0] + newton_dot(m, c, own + 1);
}
