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

ADAPTIVE_INLINE uint64_t random_bits(uint64_t z)
{
    z *= MIX64_GOLDEN;
    return (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
}
ADAPTIVE_INLINE uint64_t draw(struct adaptive *m) { return random_bits(m->random + m->draws++); }
static inline uint32_t bits_for_weight(uint64_t random) { return (uint32_t)(random >> 48); }
static inline uint32_t bits_for_sum(uint64_t random) { return (uint32_t)(random >> 24) & 0xffffff; }

/* ---- numbers ---- */

/* The arrays, copied to where a loop keeps them in registers: a byte that is stored may be any part
 * of the model, for all that a compiler knows. */
struct numbers {
    uint16_t *half;
    uint8_t *code;
    float *weight, *sum;
};

ADAPTIVE_INLINE struct numbers numbers_of(const struct adaptive *m)
{
    return (struct numbers){m->half, m->code, m->weight, m->sum};
}

ADAPTIVE_INLINE float weight_in(struct numbers n, uint32_t at, bool compact)
{
    return compact ? compact_weight(n.half[at]) : n.weight[at];
}

ADAPTIVE_INLINE float sum_in(struct numbers n, uint32_t at, bool compact)
{
    return compact ? compact_sum(n.code[at]) : n.sum[at];
}

ADAPTIVE_INLINE void set_weight(struct numbers n, uint32_t at, float w, uint64_t random,
                                bool compact)
{
    if (compact)
        n.half[at] = compact_weight_of(w, bits_for_weight(random));
    else
        n.weight[at] = w;
}

ADAPTIVE_INLINE void set_sum(struct numbers n, uint32_t at, float sum, uint64_t random,
                             bool compact)
{
    if (compact)
        n.code[at] = compact_sum_of(sum, bits_for_sum(random));
    else
        n.sum[at] = sum;
}

ADAPTIVE_INLINE void add_to_sum(struct numbers n, uint32_t at, float more, uint64_t random,
                                bool compact)
{
    if (compact)
        n.code[at] = compact_add(n.code[at], more, bits_for_sum(random));
    else
        n.sum[at] = sgd_clamp(n.sum[at] + more);
}

/* The same of a model, where it is not one of many. */
static inline float weight_at(const struct adaptive *m, uint32_t at)
{
    return weight_in(numbers_of(m), at, is_compact(m));
}

static inline float sum_at(const struct adaptive *m, uint32_t at)
{
    return sum_in(numbers_of(m), at, is_compact(m));
}

static inline int32_t magnitude(float w) { return lazy_min_bits(w); }

#endif
