/* awm_sketch.h -- the Count-Sketch of awm.h: cells of a feature, estimate, addition. */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_SKETCH_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_SKETCH_H

#include "awm.h"
#include "awm_scan.h"
#include "kernels/summaries/count_sketch.h"

static inline uint32_t awm_fold(uint64_t id) { return id_slots_fold(id); }

/* Returns the hash seed of row j. In the mix of a folded id (id_slots_mix), bit 0 is the sign and
 * the bits above it give the cell. The top bits give the id's chain in the index. */
static inline uint64_t awm_row_seed(const struct awm *m, uint32_t j)
{
    return m->s.opt.seed + j * 0xa0761d6478bd642fu;
}

static inline uint32_t awm_cell_of(const struct awm *m, uint64_t h)
{
    return m->s.first_cell + ((uint32_t)(h >> 1) & (m->s.shape.width - 1));
}

/* Returns the index in s.member.weight of the feature's cell in row j. Sets *sign to the feature's
 * sign in this cell, -1 or 1. */
static inline uint32_t awm_cell(const struct awm *m, uint32_t j, uint64_t id, float *sign)
{
    uint64_t h = id_slots_mix(awm_row_seed(m, j), awm_fold(id));
    *sign = signed_by(1.0f, (uint32_t)h);
    return awm_cell_of(m, h) + j * m->s.shape.width;
}

/* Returns the stored estimate of a feature from its cells. Sets *mean to the m_i of the margin. */
static inline float awm_estimate(const struct awm *m, uint32_t id, double *mean)
{
    float v[AWM_MAX_DEPTH], sign;
    double sum = 0;
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        uint32_t c = awm_cell(m, j, id, &sign);
        v[j] = sign * m->s.member.weight[c];
        sum += (double)v[j];
    }
    *mean = sum / m->s.shape.depth;
    return count_sketch_median(v, m->s.shape.depth);
}

static inline size_t awm_sketch_cells(const struct awm *m)
{
    return (size_t)m->s.shape.width * m->s.shape.depth;
}

/* Adds delta, times the feature's sign, to its cell in each row. */
static inline void awm_add_to_sketch(struct awm *m, uint32_t id, float delta)
{
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        float sign;
        uint32_t c = awm_cell(m, j, id, &sign);
        m->s.member.weight[c] =
            sgd_clamp(m->s.member.weight[c] + sign * delta); /* cell_j[h_j(i)] += sign_j(i) delta */
    }
}

#endif
