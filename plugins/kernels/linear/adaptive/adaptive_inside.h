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
#include "kernels/sketch/compact.h"

#define ADAPTIVE_INLINE static inline __attribute__((always_inline))
#define NOWHERE         UINT32_MAX /* no slot */

static inline bool is_compact(const struct adaptive *m)
{
    return m->opt.precision == ADAPTIVE_COMPACT;
}

/* ---- places ---- */

/* The mix of a folded id (id_slots_mix) gives the head of its chain in the top bits, the sign in
 * bit 0, and the cell in bits 1 to 32. */
static inline uint32_t cell_of(const struct adaptive *m, uint64_t mix)
{
    return m->first_cell + (uint32_t)(((mix >> 1 & UINT32_MAX) * m->shape.cells) >> 32);
}

static inline float signed_by(float x, uint32_t flip)
{
    return float_of_bits(bits_of_float(x) ^ flip << 31);
}

/* Slot of a folded id, or NOWHERE. */
static inline uint32_t find_mixed(const struct adaptive *m, uint32_t id, uint64_t mix)
{
    uint32_t s = id_slots_seek_mixed(&m->index, id, mix);
    return m->id[s] == id ? s : NOWHERE;
}

/* ---- random bits ---- */

ADAPTIVE_INLINE uint64_t draw(struct adaptive *m)
{
    uint64_t z = (m->random + m->draws++) * MIX64_GOLDEN;
    return (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
}
static inline uint32_t bits_for_weight(uint64_t random) { return (uint32_t)(random >> 48); }
static inline uint32_t bits_for_sum(uint64_t random) { return (uint32_t)(random >> 24) & 0xffffff; }

/* ---- numbers ---- */

ADAPTIVE_INLINE float weight_at(const struct adaptive *m, uint32_t at, bool compact)
{
    return compact ? compact_weight(m->half[at]) : m->weight[at];
}

ADAPTIVE_INLINE float sum_at(const struct adaptive *m, uint32_t at, bool compact)
{
    return compact ? compact_sum(m->code[at]) : m->sum[at];
}

ADAPTIVE_INLINE void set_weight(struct adaptive *m, uint32_t at, float w, uint64_t random,
                                bool compact)
{
    if (compact)
        m->half[at] = compact_weight_of(w, bits_for_weight(random));
    else
        m->weight[at] = w;
}

ADAPTIVE_INLINE void set_sum(struct adaptive *m, uint32_t at, float sum, uint64_t random,
                             bool compact)
{
    if (compact)
        m->code[at] = compact_sum_of(sum, bits_for_sum(random));
    else
        m->sum[at] = sum;
}

ADAPTIVE_INLINE void add_to_sum(struct adaptive *m, uint32_t at, float more, uint64_t random,
                                bool compact)
{
    if (compact)
        m->code[at] = compact_add(m->code[at], more, bits_for_sum(random));
    else
        m->sum[at] = sgd_clamp(m->sum[at] + more);
}

/* A weight, as a value asks for it. */
ADAPTIVE_INLINE float tempered(const struct adaptive *m, uint32_t at, float x, bool compact)
{
    return weight_at(m, at, compact) * sgd_adaptive_temper(&m->sgd, sum_at(m, at, compact), x);
}

static inline int32_t magnitude(float w) { return lazy_min_bits(w); }

#endif
