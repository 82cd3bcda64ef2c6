/* contrast_inside.h -- for contrast.c and contrast_state.c: where the sketch keeps a feature, and the
 * key of a member.
 */
#ifndef LEAT_KERNELS_LINEAR_CONTRAST_CONTRAST_INSIDE_H
#define LEAT_KERNELS_LINEAR_CONTRAST_CONTRAST_INSIDE_H

#include "contrast.h"

/* ---- the sketch of those that are no members ---- */

static inline uint32_t *cell_of(const struct contrast *m, int kind, uint32_t row, uint64_t mix)
{
    uint32_t half = (uint32_t)(row ? mix : mix >> 32); /* the index takes the top bits of another */
    size_t at = (uint64_t)half * m->shape.width >> 32; /* 0 .. width - 1 */
    return &m->cell[((size_t)kind * CONTRAST_DEPTH + row) * m->shape.width + at];
}

static inline uint64_t cell_mix(const struct contrast *m, uint32_t id)
{
    return id_slots_mix(m->opt.seed + 0xa0761d6478bd642fu, id);
}

static inline uint32_t least(const struct contrast *m, int kind, uint64_t mix)
{
    uint32_t a = *cell_of(m, kind, 0, mix), b = *cell_of(m, kind, 1, mix);
    return a < b ? a : b;
}

/* Conservative update: only the cells that are too small rise. */
static inline void raise(struct contrast *m, int kind, uint64_t mix, uint32_t count)
{
    for (uint32_t row = 0; row < CONTRAST_DEPTH; row++) {
        uint32_t *c = cell_of(m, kind, row, mix);
        *c = count > *c ? count : *c;
    }
}

/* ---- keys ---- */

static inline float key_of(const struct contrast *m, const uint32_t count[2])
{
    double ratio = (count[1] + m->q1) / (count[0] + m->q0) * m->inverse;
    return (float)(m->opt.both && ratio < 1 ? 1 / ratio : ratio);
}

static inline void set_key(struct contrast *m, uint32_t slot)
{
    float key = key_of(m, m->count + 2 * (size_t)slot);
    m->key[slot] = key;
    lazy_min_lower(&m->lowest, slot, lazy_min_bits(key));
}

/* The prior of the common odds as they are now. */
static inline void follow_records(struct contrast *m)
{
    double n1 = contrast_records(m, 1) + 0.5, n0 = contrast_records(m, 0) + 0.5;
    double unit = m->opt.half_life > 0 ? m->clock.unit * m->clock.grown : 1;
    m->q1 = CONTRAST_PRIOR * unit * n1 / (n1 + n0); /* s q       */
    m->q0 = CONTRAST_PRIOR * unit * n0 / (n1 + n0); /* s (1 - q) */
    m->inverse = n0 / n1;                           /* (1 - q) / q */
}

#endif
