/* contrast_keys.h -- keys of members and cells of others: used while counting, and in merges. */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_KEYS_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_KEYS_H

#include "contrast.h"

/* ---- the sketch of non-members ---- */

/* Returns the hash that selects the cells of a feature. */
static inline uint64_t contrast_cell_mix(const struct contrast *m, uint64_t id)
{
    return id_slots_mix(m->opt.seed + 0xa0761d6478bd642fu, id_slots_fold(id));
}

/* Returns the smallest cell of a feature for a kind. `mix` is the feature's contrast_cell_mix().
 * Each half of it selects the cell in one of the two rows. */
static inline uint32_t contrast_least(const struct contrast *m, int kind, uint64_t mix)
{
    uint32_t row = CONTRAST_DEPTH * (uint32_t)kind;
    uint32_t a = packed_cells_get(&m->cells, row, (uint32_t)(mix >> 32));
    uint32_t b = packed_cells_get(&m->cells, row + 1, (uint32_t)mix);
    return a < b ? a : b;
}

/* Raises those cells of a feature that are below `count` (conservative update). */
static inline void contrast_raise(struct contrast *m, int kind, uint64_t mix, uint32_t count)
{
    uint32_t row = CONTRAST_DEPTH * (uint32_t)kind;
    packed_cells_raise(&m->cells, row, (uint32_t)(mix >> 32), count);
    packed_cells_raise(&m->cells, row + 1, (uint32_t)mix, count);
}

/* ---- keys ---- */

/* Returns the key of a feature with n1 and n0 counts, or sums, of the two kinds. */
static inline float contrast_key_of(const struct contrast *m, double n1, double n0)
{
    double ratio = (n1 + m->q1) / (n0 + m->q0) * m->inverse;
    double share = (n0 + n1) * m->share;
    if (m->opt.both && ratio < 1) ratio = 1 / ratio;
    return (float)(share > ratio ? share : ratio);
}

static inline float contrast_key_of_sum(const struct contrast *m, const struct contrast_sum *of)
{
    return contrast_key_of(m, (double)of->sum[1], (double)of->sum[0]);
}

/* Returns the excess of a member of a leaf. The packed excess is rounded up and may exceed the
 * count. */
static inline uint32_t contrast_excess_of(const struct contrast *m, uint32_t slot, int kind)
{
    uint32_t e = contrast_unpack(m->excess[slot], kind),
             n = m->count[2 * (size_t)slot + (size_t)kind];
    return e < n ? e : n;
}

/* True if all slots are taken, so that a newcomer must replace a member. */
static inline bool contrast_is_full(const struct contrast *m)
{
    return m->index.n == m->shape.members;
}

/* True if cells of a leaf may be above 0. */
static inline bool contrast_keeps_cells(const struct contrast *m)
{
    return m->has_cells || contrast_is_full(m);
}

/* Sets base and factors of the keys from the records so far. */
void contrast_follow(struct contrast *m);
/* Computes the factors of the keys (q1, q0, inverse, share) from the base. */
void contrast_set_factors(struct contrast *m);
/* Sets the keys of all members, of which the last one has just come. */
void contrast_set_keys(struct contrast *m);

/* ---- memory ---- */

/* Sets shape, options, clock and arrays of an empty model. m->united.is and m->united.grain are
 * set. block: zeroed; NULL: only computes the bytes. Returns the bytes of the block. */
size_t contrast_set_up(struct contrast *m, const struct contrast_shape *shape,
                       const struct contrast_options *opt, void *block);

#endif
