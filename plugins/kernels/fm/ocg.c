/* ocg.c -- implementation of ocg.h */
#include "ocg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/random.h"
#include "kernels/dense/multiply.h"
#include "kernels/dense/vectors.h"

static const double FOLD_BELOW = 1e-9;

double ocg_predict(const struct ocg *m, const struct fm_example *e)
{
    return m->scale * triangle_form(m->kept, e);
}

/* Sets out = M in. */
static void ocg_multiply(const void *self, const double *in, double *out)
{
    const struct ocg *m = self;
    multiply_packed_vector(m->n, m->eta, m->gradient, in, false, out);  /* eta G in */
    multiply_packed_vector(m->n, 2 * m->scale, m->kept, in, true, out); /* + 2 C in */
}

/* Computes u += v / |v|, if v is not 0. */
static void ocg_add_unit(const struct ocg *m, double *v)
{
    double length = vectors_norm(m->n, v);
    if (length > 0) vectors_add(m->n, 1 / length, v, m->u);
}

/* Sets u to the start: the sum of the last u, the last example and a random vector, each of
 * length 1. */
static void ocg_make_start(const struct ocg *m, const struct fm_example *e)
{
    uint64_t counter = m->seed + mix64(m->steps * MIX64_GOLDEN);
    memset(m->v, 0, m->n * sizeof *m->v);
    for (uint32_t i = 0; i < e->n; i++)
        m->v[e->feature[i]] = e->x[i];
    ocg_add_unit(m, m->v);
    random_fill(&counter, m->n, m->v);
    ocg_add_unit(m, m->v);
}

static void ocg_move_matrix(struct ocg *m, int sign)
{
    double gamma = 2 / sqrt((double)m->steps); /* limited to 1 below */
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
    multiply_packed_add(m->n, -sign * gamma * m->radius / m->scale, m->u,
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
    const struct lanczos_operator M = {m->n, m, ocg_multiply};
    ocg_make_start(m, e);
    struct lanczos_result found = lanczos_largest(&M, m->u, m->work);
    m->products += found.products;
    if (found.value != 0) ocg_move_matrix(m, found.value > 0 ? 1 : -1);
    return z;
}
