/* lanczos.c -- implementation of lanczos.h */
#include "lanczos.h"

#include <assert.h>
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/dense/eigen.h"

struct lanczos {
    double *V; /* LANCZOS_STEPS + 1 rows of n; the last row in use is w or w / |w| */
    double *T; /* LANCZOS_STEPS squared, lower triangle                            */
    double *theta, *work, *share, *fresh;
    const double *Y; /* eigenvectors of T as rows, in work */
    uint32_t n, rows;
    double beta; /* |w| */
    double size; /* the largest |M v_j| so far */
};

static size_t lanczos_lay_out(struct lanczos *l, uint32_t n, void *block)
{
    struct layout c = {block, 0};
    l->n = n;
    l->V = layout_take(&c, (size_t)(LANCZOS_STEPS + 1) * n, sizeof(double));
    l->fresh = layout_take(&c, (size_t)2 * LANCZOS_KEPT * n, sizeof(double));
    l->T = layout_take(&c, LANCZOS_STEPS * LANCZOS_STEPS, sizeof(double));
    l->theta = layout_take(&c, LANCZOS_STEPS, sizeof(double));
    l->share = layout_take(&c, LANCZOS_STEPS, sizeof(double));
    l->work = layout_take(&c, eigen_work(LANCZOS_STEPS), sizeof(double));
    return c.used;
}

size_t lanczos_bytes(uint32_t n)
{
    struct lanczos l;
    return lanczos_lay_out(&l, n, NULL);
}

static double *lanczos_row_at(const struct lanczos *l, uint32_t j)
{
    return l->V + (size_t)j * l->n;
}

/* Computes w -= V'V w. Adds V w to row `rows - 1` of T. */
static void lanczos_orthogonalise(struct lanczos *l, double *w)
{
    int n = (int)l->n, rows = (int)l->rows;
    double *T = l->T + (size_t)(rows - 1) * LANCZOS_STEPS;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, n, 1, l->V, n, w, 1, 0, l->share, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, rows, n, -1, l->V, n, l->share, 1, 1, w, 1);
    cblas_daxpy(rows, 1, l->share, 1, T, 1);
}

/* Performs step 2 of lanczos.h: adds a vector to V. Returns false if M maps the
 * space of V to itself. */
static bool lanczos_extend(struct lanczos *l, const struct lanczos_operator *m)
{
    int n = (int)l->n;
    double *v = lanczos_row_at(l, l->rows), *w = v + n;
    memset(l->T + (size_t)l->rows++ * LANCZOS_STEPS, 0, LANCZOS_STEPS * sizeof *l->T);
    m->times(m->self, v, w);
    l->size = fmax(l->size, cblas_dnrm2(n, w, 1));
    lanczos_orthogonalise(l, w);
    lanczos_orthogonalise(l, w); /* again, to remove rounding errors */
    l->beta = cblas_dnrm2(n, w, 1);
    if (l->rows == l->n || !(l->beta > 64 * DBL_EPSILON * l->size)) return false;
    cblas_dscal(n, 1 / l->beta, w, 1);
    return true;
}

/* Returns the estimated error of theta_i (lanczos.h). */
static double lanczos_error_of(const struct lanczos *l, uint32_t i)
{
    double theta = l->theta[i], gap = INFINITY, same = LANCZOS_TOLERANCE * fabs(theta);
    double r = l->beta * fabs(l->Y[(size_t)i * eigen_ld(l->rows) + l->rows - 1]);
    for (uint32_t j = 0; j < l->rows; j++) {
        double distance = fabs(l->theta[j] - theta);
        if (distance > same && distance < gap) gap = distance;
    }
    return r < gap ? r * r / gap : r;
}

/* Performs step 3 of lanczos.h: computes theta and Y. Sets *largest to the index of the largest
 * |theta|. Returns true if this theta is accurate enough to end the search. */
static bool lanczos_is_found(struct lanczos *l, uint32_t *largest)
{
    eigen(l->rows, l->T, LANCZOS_STEPS, l->theta, l->work);
    l->Y = l->work;
    uint32_t low = l->rows - 1;
    bool at_low = fabs(l->theta[low]) > fabs(l->theta[0]);
    *largest = at_low ? low : 0;
    double size = fabs(l->theta[*largest]), other = fabs(l->theta[low - *largest]);
    return lanczos_error_of(l, *largest) <= LANCZOS_TOLERANCE * size &&
           other + lanczos_error_of(l, low - *largest) <= size * (1 + LANCZOS_TOLERANCE);
}

/* Computes the Ritz vector out = V'y_i. */
static void lanczos_ritz_vector(const struct lanczos *l, uint32_t i, double *out)
{
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)l->rows, (int)l->n, 1, l->V, (int)l->n,
                l->Y + (size_t)i * eigen_ld(l->rows), 1, 0, out, 1);
}

/* Performs step 4 of lanczos.h: restarts with the Ritz vectors of both ends. Requires Y and theta
 * of the whole matrix T. */
static void lanczos_restart(struct lanczos *l)
{
    uint32_t n = l->n, kept = 2 * LANCZOS_KEPT, last = l->rows - 1;
    memset(l->T, 0, (size_t)kept * LANCZOS_STEPS * sizeof *l->T);
    for (uint32_t k = 0; k < kept; k++) {
        uint32_t i = k % 2 ? last - k / 2 : k / 2;
        lanczos_ritz_vector(l, i, l->fresh + (size_t)k * n);
        l->T[(size_t)k * LANCZOS_STEPS + k] = l->theta[i];
    }
    memcpy(lanczos_row_at(l, kept), lanczos_row_at(l, l->rows), n * sizeof *l->V);
    memcpy(l->V, l->fresh, (size_t)kept * n * sizeof *l->V);
    l->rows = kept;
}

struct lanczos_result lanczos_largest(const struct lanczos_operator *m, double *u, void *work)
{
    struct lanczos l = {0};
    struct lanczos_result result = {0, 0, true};
    lanczos_lay_out(&l, m->n, work);
    uint32_t i = 0;
    double length = cblas_dnrm2((int)m->n, u, 1);
    if (!(length > 0)) return result;
    memcpy(l.V, u, m->n * sizeof *u); /* step 1 of lanczos.h */
    cblas_dscal((int)m->n, 1 / length, l.V, 1);
    for (bool found = false; !found;) {
        bool open = lanczos_extend(&l, m);
        result.products++;
        result.converged = result.products < LANCZOS_PRODUCTS;
        if (open && result.converged && l.rows % LANCZOS_STRIDE) continue;
        found = lanczos_is_found(&l, &i) || !open || !result.converged;
        if (!found && l.rows == LANCZOS_STEPS) lanczos_restart(&l);
    }
    lanczos_ritz_vector(&l, i, u);
    result.value = l.theta[i];
    return result;
}
