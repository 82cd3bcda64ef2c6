/* fm_exact.c -- implementation of fm_exact.h */
#include "fm_exact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/dense/eigen.h"
#include "kernels/dense/multiply.h"

double fm_exact_rate(const struct fm_exact *m)
{
    double eta = m->eta, t = (double)m->t;
    if (eta == 0 && m->sum_norm4 > 0)
        eta = (m->rule == FM_EXACT_OGD ? 2 : 1) * FM_EXACT_PACE / fm_curvature(m->loss) * t /
              m->sum_norm4;                                        /* .6 / (h mean (a'a)^2) */
    return m->rule == FM_EXACT_OGD && t > 0 ? eta / sqrt(t) : eta; /* s_t of fm_exact.h */
}

static void fm_exact_project(struct fm_exact *m, double *theta, double moved)
{
    m->norm += moved; /* |Theta - s phi' a a'|_* <= |Theta|_* + |s phi'| a'a */
    if (m->t % m->every || m->norm <= m->radius) return;
    double norm = trace_ball_project(m->n, theta, m->radius, m->work);
    if (norm >= 0) m->norm = norm;
}

double fm_exact_learn(struct fm_exact *m, double *theta, const struct fm_example *e)
{
    assert(e->weight > 0 && e->xx >= 0);
    double z = triangle_form(theta, e), norm4 = e->xx * e->xx; /* z = a' Theta a */
    m->t++;
    m->sum_norm4 += norm4;
    double slope = fm_slope(m->loss, z, e->y); /* phi'(z) */
    double step = fm_step(m->loss, fm_exact_rate(m), slope, e->weight, norm4);
    if (step != 0) triangle_add(theta, e, -step); /* Theta -= s phi' a a' */
    if (m->radius > 0) fm_exact_project(m, theta, fabs(step) * e->xx);
    return z;
}

/* ---- a ball of the trace norm ---- */

struct trace_ball_eigen {
    double *full, *lambda; /* full: lower triangle; lambda: n eigenvalues, descending */
    double *Z;             /* n eigenvectors as rows, then scratch                    */
};

static size_t trace_ball_lay_out(struct trace_ball_eigen *e, uint32_t n, void *block)
{
    struct layout c = {block, 0};
    assert(n <= TRACE_BALL_MAX);
    e->full = layout_take(&c, (size_t)n * n, sizeof(double));
    e->lambda = layout_take(&c, n, sizeof(double));
    e->Z = layout_take(&c, eigen_work(n), sizeof(double));
    return c.used;
}

size_t trace_ball_bytes(uint32_t n)
{
    struct trace_ball_eigen e;
    return trace_ball_lay_out(&e, n, NULL);
}

/* Returns tau of fm_exact.h. Visits the eigenvalues by descending |lambda|, from both ends of
 * the descending array. */
static double trace_ball_threshold(uint32_t n, const double *lambda, double radius)
{
    double sum = 0, tau = 0;
    for (uint32_t k = 0, high = 0, low = n; k < n; k++) {
        double size = -lambda[low - 1] > lambda[high] ? -lambda[--low] : lambda[high++];
        sum += size;
        double next = (sum - radius) / (k + 1); /* tau_k */
        if (size <= next) break;
        tau = next;
    }
    return tau;
}

/* Sets t = sum over i of sgn(lambda_i) (|lambda_i| - tau)+ z_i z_i'. */
static void trace_ball_rebuild(uint32_t n, double *t, const struct trace_ball_eigen *e, double tau)
{
    memset(t, 0, triangle_size(n) * sizeof *t);
    for (uint32_t i = 0; i < n; i++) {
        double left = fabs(e->lambda[i]) - tau;
        if (left > 0)
            multiply_packed_add(n, copysign(left, e->lambda[i]), e->Z + (size_t)i * eigen_ld(n), t);
    }
}

double trace_ball_project(uint32_t n, double *t, double radius, void *work)
{
    struct trace_ball_eigen e;
    double norm = 0;
    assert(radius > 0);
    trace_ball_lay_out(&e, n, work);
    for (uint32_t i = 0; i < n; i++)
        memcpy(e.full + (size_t)i * n, t + triangle_size(i), (i + 1ull) * sizeof *t);
    if (!eigen(n, e.full, n, e.lambda, e.Z)) return -1;
    for (uint32_t i = 0; i < n; i++)
        norm += fabs(e.lambda[i]);
    if (norm <= radius) return norm;
    trace_ball_rebuild(n, t, &e, trace_ball_threshold(n, e.lambda, radius));
    return radius;
}
