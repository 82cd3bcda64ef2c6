/* awm_inside.h -- for awm.c and awm_read.c: where a feature lives, its estimate from the sketch,
 * and the weight that follows from a member's counts.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_INSIDE_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_INSIDE_H

#include "awm.h"
#include "awm_scan.h"

#define NOWHERE UINT32_MAX /* no slot */

/* The mix of a folded id (id_slots_mix) gives the head of its chain in the top bits, the sign in
 * bit 0, and the cell in the bits after that. */
static inline uint64_t row_seed(const struct awm *m, uint32_t j)
{
    return m->opt.seed + j * 0xa0761d6478bd642fu;
}

static inline uint32_t cell_of(const struct awm *m, uint64_t h)
{
    return m->first_cell + ((uint32_t)(h >> 1) & (m->shape.width - 1));
}

/* Slot of a folded id, or NOWHERE. */
static inline uint32_t find(const struct awm *m, uint32_t id)
{
    uint32_t s = id_slots_seek(&m->index, id);
    return m->id[s] == id ? s : NOWHERE;
}

static inline float median(float *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        float x = v[i];
        uint32_t k = i;
        for (; k && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
    return n % 2 ? v[n / 2] : 0.5f * (v[n / 2 - 1] + v[n / 2]);
}

/* Stored estimate of a feature from its cells alone; *mean: the m_i of the margin. */
static inline float estimate(const struct awm *m, uint32_t id, double *mean)
{
    float v[AWM_MAX_DEPTH], sign;
    double sum = 0;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t c = awm_cell(m, j, id, &sign);
        v[j] = sign * m->cell[c];
        sum += (double)v[j];
    }
    *mean = sum / m->shape.depth;
    return median(v, m->shape.depth);
}

#endif
