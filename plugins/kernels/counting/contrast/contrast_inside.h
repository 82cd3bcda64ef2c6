/* contrast_inside.h -- for contrast.c and contrast_state.c: where the sketch keeps a feature,
 * and the key of a member.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_INSIDE_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_INSIDE_H

#include "contrast.h"

/* ---- the sketch of those that are no members ---- */

static inline uint64_t cell_mix(const struct contrast *m, uint32_t id)
{
    return id_slots_mix(m->opt.seed + 0xa0761d6478bd642fu, id);
}

/* Row r of a kind has the one half of the mix, or the other; the index takes the top
 * bits of another mix. */
static inline uint32_t least(const struct contrast *m, int kind, uint64_t mix)
{
    uint32_t row = CONTRAST_DEPTH * (uint32_t)kind;
    uint32_t a = packed_cells_get(&m->cells, row, (uint32_t)(mix >> 32));
    uint32_t b = packed_cells_get(&m->cells, row + 1, (uint32_t)mix);
    return a < b ? a : b;
}

/* Conservative update: only the cells that are too small rise. */
static inline void raise(struct contrast *m, int kind, uint64_t mix, uint32_t count)
{
    uint32_t row = CONTRAST_DEPTH * (uint32_t)kind;
    packed_cells_raise(&m->cells, row, (uint32_t)(mix >> 32), count);
    packed_cells_raise(&m->cells, row + 1, (uint32_t)mix, count);
}

/* ---- keys ---- */

static inline float key_of(const struct contrast *m, const uint32_t count[2])
{
    double ratio = (count[1] + m->q1) / (count[0] + m->q0) * m->inverse;
    double share = ((double)count[0] + count[1]) * m->share;
    if (m->opt.both && ratio < 1) ratio = 1 / ratio;
    return (float)(share > ratio ? share : ratio);
}

static inline void set_key(struct contrast *m, uint32_t slot)
{
    float key = key_of(m, m->count + 2 * (size_t)slot);
    m->key[slot] = key;
    lazy_min_lower(&m->lowest, slot, lazy_min_bits(key));
}

/* The prior of the common odds and the fair share as they are now. */
static inline void follow_records(struct contrast *m)
{
    double n1 = contrast_records(m, 1) + 0.5, n0 = contrast_records(m, 0) + 0.5;
    double unit = m->opt.half_life > 0 ? m->clock.unit * m->clock.grown : 1;
    m->q1 = CONTRAST_PRIOR * unit * n1 / (n1 + n0); /* s q       */
    m->q0 = CONTRAST_PRIOR * unit * n0 / (n1 + n0); /* s (1 - q) */
    m->inverse = n0 / n1;                           /* (1 - q) / q */
    m->share = CONTRAST_SHARE * m->shape.members / ((m->occurrences + 1) * unit);
}

#endif
