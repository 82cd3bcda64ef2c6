/* adaptive_inside.h -- for the files of adaptive.h: where a feature lives, and how weights and
 * accumulators are read and written in either precision.
 *
 * Functions that take `compact` are inlined where it is a constant.
 */
#ifndef LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_INSIDE_H
#define LEAT_KERNELS_LINEAR_ADAPTIVE_ADAPTIVE_INSIDE_H

#include <math.h>

#include "adaptive.h"
#include "kernels/linear/l1.h"
#include "kernels/linear/sgd_adaptive.h"

#define ADAPTIVE_INLINE static inline __attribute__((always_inline))
#define ADAPTIVE_PASS   __attribute__((noinline)) /* a loop over the entries of a row */
#define NOWHERE         UINT32_MAX                /* no slot */

static inline bool is_compact(const struct adaptive *m)
{
    return m->opt.precision == ADAPTIVE_COMPACT;
}

/* ---- places ---- */

/* The mix of a folded id (id_slots_mix) gives the head of its chain in the top bits, the sign in
 * bit 0, and the cell in bits 1 to 32. */
static inline uint32_t adaptive_cell(uint32_t first, uint64_t cells, uint64_t mix)
{
    return first + (uint32_t)(((mix >> 1 & UINT32_MAX) * cells) >> 32);
}

static inline uint32_t cell_of(const struct adaptive *m, uint64_t mix)
{
    return adaptive_cell(m->first_cell, m->shape.cells, mix);
}

/* Slot of a folded id, or NOWHERE. */
static inline uint32_t find_mixed(const struct adaptive *m, uint32_t id, uint64_t mix)
{
    uint32_t s = id_slots_seek_mixed(&m->index, id, mix);
    return m->id[s] == id ? s : NOWHERE;
}

/* ---- random bits ---- */

ADAPTIVE_INLINE uint64_t draw(struct adaptive *m) { return numbers_random(m->random + m->draws++); }

/* ---- numbers ---- */

ADAPTIVE_INLINE struct numbers numbers_of(const struct adaptive *m)
{
    return (struct numbers){m->half, m->code, m->weight, m->sum};
}

/* The same of a model, where it is not one of many. */
static inline float weight_at(const struct adaptive *m, uint32_t at)
{
    return numbers_weight(numbers_of(m), at, is_compact(m));
}

static inline float sum_at(const struct adaptive *m, uint32_t at)
{
    return numbers_sum(numbers_of(m), at, is_compact(m));
}

static inline int32_t magnitude(float w) { return lazy_min_bits(w); }

/* What becomes of a cell's weight when a member leaves for it. A weight of tokens would say as much
 * of a column of large numbers: beside one of those, the other is forgotten. */
static inline float shared_weight(const struct sgd *s, float in_cell, float cell_sum, float w,
                                  float sum)
{
    float larger = cell_sum > sum ? cell_sum : sum;
    if (larger <= sgd_adaptive_coarse(s)) return 0.5f * (in_cell + w);
    return cell_sum > sum ? in_cell : w;
}

#endif
