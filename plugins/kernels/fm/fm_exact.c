/* fm_exact.c -- see fm_exact.h. */
#include "fm_exact.h"

#include <math.h>

double exact_rate(const struct exact *m)
{
    double eta = m->eta, t = (double)m->t;
    if (eta == 0 && m->reach > 0)
        eta =
            (m->rule == EXACT_OGD ? 2 : 1) * EXACT_PACE / factor_curvature(m->loss) * t / m->reach;
    return m->rule == EXACT_OGD && t > 0 ? eta / sqrt(t) : eta;
}

double exact_learn(struct exact *m, const struct factor_example *e)
{
    double z = triangle_form(m->theta, e), reach = e->xx * e->xx;
    m->t++;
    m->reach += reach;
    double slope = factor_slope(m->loss, z, e->y);
    double step = factor_step(m->loss, exact_rate(m), slope, e->weight, reach);
    if (step != 0) triangle_add(m->theta, e, -step);
    return z;
}
