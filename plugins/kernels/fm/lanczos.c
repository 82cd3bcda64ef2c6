/* lanczos.c -- implementation of lanczos.h */
#include "lanczos.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/dense/eigen.h"
#include "kernels/dense/multiply.h"
#include "kernels/dense/vectors.h"

struct lanczos {
    double *V; /* LANCZOS_STEPS + 1 rows of n; the last row in use is w or w / |w| */
    double *T; /* LANCZOS_STEPS squared, lower triangle                            */
    double *theta, *work, *share, *fresh;
    const double *Y; /* eigenvectors of T as rows, in work */
    uint32_t n, rows, products;
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
    multiply_vector_n(l->rows, l->n, 1, l->V, l->n, w, false, l->share);
    multiply_vector_t(l->rows, l->n, -1, l->V, l->n, l->share, true, w);
    vectors_add(l->rows, 1, l->share, l->T + (size_t)(l->rows - 1) * LANCZOS_STEPS);
}

/* Performs step 2 of lanczos.h: adds a vector to V. Returns false if M maps the
 * space of V to itself. */
static bool lanczos_extend(struct lanczos *l, const struct lanczos_operator *m)
{
    double *v = lanczos_row_at(l, l->rows), *w = v + l->n;
    memset(l->T + (size_t)l->rows++ * LANCZOS_STEPS, 0, LANCZOS_STEPS * sizeof *l->T);
    m->times(m->self, v, w);
    l->size = fmax(l->size, vectors_norm(l->n, w));
    lanczos_orthogonalise(l, w);
    lanczos_orthogonalise(l, w); /* again, to remove rounding errors */
    l->beta = vectors_norm(l->n, w);
    if (l->rows == l->n || !(l->beta > 64 * DBL_EPSILON * l->size)) return false;
    vectors_scale(l->n, 1 / l->beta, w);
    return true;
}

static double lanczos_residual_of(const struct lanczos *l, uint32_t i)
{
    return l->beta * fabs(l->Y[(size_t)i * eigen_ld(l->rows) + l->rows - 1]);
}

/* Returns the estimated error of theta_i (lanczos.h). */
static double lanczos_error_of(const struct lanczos *l, uint32_t i)
{
    double theta = l->theta[i], gap = INFINITY, same = LANCZOS_ALIKE * fabs(theta);
    double r = lanczos_residual_of(l, i);
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
    bool at_low = -l->theta[low] * (1 - LANCZOS_TIE) > l->theta[0];
    *largest = at_low ? low : 0;
    double size = fabs(l->theta[*largest]), tolerance = LANCZOS_TOLERANCE * size;
    double other = fabs(l->theta[low - *largest]), error = lanczos_error_of(l, low - *largest);
    double left = l->products < LANCZOS_ENOUGH ? lanczos_residual_of(l, *largest)
                                               : lanczos_error_of(l, *largest);
    return left <= tolerance && (other + error <= size * (1 - LANCZOS_TIE) || error <= tolerance);
}

/* Computes the Ritz vector out = V'y_i. */
static void lanczos_ritz_vector(const struct lanczos *l, uint32_t i, double *out)
{
    multiply_vector_t(l->rows, l->n, 1, l->V, l->n, l->Y + (size_t)i * eigen_ld(l->rows), false,
                      out);
}

/* Makes the largest number of u positive. */
static void lanczos_choose_sign(uint32_t n, double *u)
{
    double largest = 0;
    for (uint32_t i = 0; i < n; i++)
        if (fabs(u[i]) > fabs(largest) * (1 + LANCZOS_TIE)) largest = u[i];
    if (largest < 0) vectors_scale(n, -1, u);
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
    double length = vectors_norm(m->n, u);
    if (!(length > 0)) return result;
    memcpy(l.V, u, m->n * sizeof *u); /* step 1 of lanczos.h */
    vectors_scale(m->n, 1 / length, l.V);
    for (bool found = false; !found;) {
        bool open = lanczos_extend(&l, m);
        result.converged = ++l.products < LANCZOS_PRODUCTS;
        if (open && result.converged && l.rows % LANCZOS_STRIDE) continue;
        found = lanczos_is_found(&l, &i) || !open || !result.converged;
        if (!found && l.rows == LANCZOS_STEPS) lanczos_restart(&l);
    }
    result.products = l.products;
    lanczos_ritz_vector(&l, i, u);
    lanczos_choose_sign(m->n, u);
    result.value = l.theta[i];
    return result;
}
