/* fm_exact.c -- see fm_exact.h. */
#include "fm_exact.h"

#include <math.h>

double fm_exact_rate(const struct fm_exact *m)
{
    double eta = m->eta, t = (double)m->t;
    if (eta == 0 && m->reach > 0)
        eta = (m->rule == FM_EXACT_OGD ? 2 : 1) * FM_EXACT_PACE / factor_curvature(m->loss) * t /
              m->reach;
    return m->rule == FM_EXACT_OGD && t > 0 ? eta / sqrt(t) : eta;
}

double fm_exact_learn(struct fm_exact *m, const struct factor_example *e)
{
    double z = triangle_form(m->theta, e), reach = e->xx * e->xx;
    m->t++;
    m->reach += reach;
    double slope = factor_slope(m->loss, z, e->y);
    double step = factor_step(m->loss, fm_exact_rate(m), slope, e->weight, reach);
    if (step != 0) triangle_add(m->theta, e, -step);
    return z;
}
