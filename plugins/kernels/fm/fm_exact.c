/* fm_exact.c -- see fm_exact.h. */
#include "fm_exact.h"

#include <assert.h>
#include <math.h>

#include "trace_ball.h"

double fm_exact_rate(const struct fm_exact *m)
{
    double eta = m->eta, t = (double)m->t;
    if (eta == 0 && m->sum_norm4 > 0)
        eta = (m->rule == FM_EXACT_OGD ? 2 : 1) * FM_EXACT_PACE / fm_curvature(m->loss) * t /
              m->sum_norm4;                                        /* .6 / (h mean (a'a)^2) */
    return m->rule == FM_EXACT_OGD && t > 0 ? eta / sqrt(t) : eta; /* s_t */
}

static void project(struct fm_exact *m, double *theta, double moved)
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
    if (m->radius > 0) project(m, theta, fabs(step) * e->xx);
    return z;
}
