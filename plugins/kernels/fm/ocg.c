/* ocg.c -- see ocg.h. */
#include "ocg.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double FOLD_BELOW = 1e-9;

double ocg_predict(const struct ocg *m, const struct fm_example *e)
{
    return m->scale * triangle_form(m->kept, e);
}

/* v = M u */
static void multiply(const struct ocg *m)
{
    int n = (int)m->n;
    cblas_dspmv(CblasRowMajor, CblasLower, n, m->eta, m->gradient, m->u, 1, 0, m->v,
                1); /* v = eta G u */
    cblas_dspmv(CblasRowMajor, CblasLower, n, 2 * m->scale, m->kept, m->u, 1, 1, m->v,
                1); /*   + 2 C u */
}

/* Makes u a unit vector; false: it is zero. */
static bool normalize(const struct ocg *m)
{
    double norm = cblas_dnrm2((int)m->n, m->u, 1);
    if (!(norm > 0)) return false;
    cblas_dscal((int)m->n, 1 / norm, m->u, 1);
    return true;
}

/* The eigenvector u; returns the sign of its eigenvalue, 0 when M is zero. */
static int find_eigenvector(const struct ocg *m, const struct fm_example *e)
{
    double length = sqrt(e->xx), lambda = 0;
    for (uint32_t i = 0; i < e->n && length > 0; i++)
        m->u[e->feature[i]] += e->x[i] / length;
    for (int k = 0; k < OCG_ITERATIONS; k++) {
        if (!normalize(m)) return 0;
        multiply(m);
        lambda = cblas_ddot((int)m->n, m->u, 1, m->v, 1); /* u' M u */
        memcpy(m->u, m->v, m->n * sizeof *m->u);
    }
    return normalize(m) ? (lambda > 0) - (lambda < 0) : 0;
}

static void move_matrix(struct ocg *m, int sign)
{
    double gamma = 2 / sqrt((double)m->steps); /* min(1, 2 / sqrt(t)), below */
    size_t size = triangle_size(m->n);
    if (gamma >= 1) {
        gamma = 1;
        memset(m->kept, 0, size * sizeof *m->kept);
        m->scale = 1;
    } else {
        m->scale *= 1 - gamma; /* C = (1 - gamma) C */
    }
    if (m->scale < FOLD_BELOW) {
        for (size_t i = 0; i < size; i++)
            m->kept[i] *= m->scale;
        m->scale = 1;
    }
    cblas_dspr(CblasRowMajor, CblasLower, (int)m->n, -sign * gamma * m->radius / m->scale, m->u, 1,
               m->kept); /* C -= gamma radius sign(lambda) u u' */
}

double ocg_learn(struct ocg *m, const struct fm_example *e)
{
    assert(e->weight > 0 && m->every > 0 && m->scale > 0);
    double z = ocg_predict(m, e);
    double g = fm_clamp(e->weight * fm_slope(m->loss, z, e->y), FM_MAX_SLOPE);
    m->t++;
    triangle_add(m->gradient, e, g); /* G += phi'(z) a a' */
    if (m->t % m->every) return z;
    m->steps++;
    int sign = find_eigenvector(m, e);
    if (sign) move_matrix(m, sign);
    return z;
}
