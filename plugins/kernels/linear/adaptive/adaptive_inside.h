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

/* What a feature is known by in its pair, 1 to 255. */
ADAPTIVE_INLINE uint8_t tag_of(uint64_t mix)
{
    return (uint8_t)(1 + ((mix >> 33 & 0xffff) * 255 >> 16));
}

/* What tells who owns which cell, copied to where a loop keeps it in registers (numbers.h). */
struct owners {
    const uint8_t *tag;
    uint32_t first, pairs, nobody;
};

ADAPTIVE_INLINE struct owners owners_of(const struct adaptive *m)
{
    return (struct owners){m->owner, m->first_cell, m->shape.cells / 2, m->nobody};
}

/* First cell of the pair of a feature. */
ADAPTIVE_INLINE uint32_t pair_of(struct owners of, uint64_t mix)
{
    return of.first + 2 * adaptive_cell(0, of.pairs, mix);
}

/* The cell of a pair that has the tag, or `nobody`: no branch could be predicted. */
ADAPTIVE_INLINE uint32_t owned_in(struct owners of, uint32_t pair, uint8_t tag)
{
    const uint8_t *const at = of.tag + (pair - of.first);
    uint32_t first = -(uint32_t)(at[0] == tag), other = -(uint32_t)(at[1] == tag);
    return of.nobody ^ ((of.nobody ^ (pair + 1)) & other) ^ ((of.nobody ^ pair) & first);
}

/* Where a feature that is no member lives; *flip: its sign there is -1. */
ADAPTIVE_INLINE uint32_t place_outside(const struct adaptive *m, uint64_t mix, uint32_t *flip)
{
    const struct owners of = owners_of(m);
    *flip = m->shape.owned ? 0 : (uint32_t)mix & 1;
    return m->shape.owned ? owned_in(of, pair_of(of, mix), tag_of(mix)) : cell_of(m, mix);
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

/* ---- owned cells ---- */

/* What a feature with that weight and that accumulator is worth. */
static inline float worth(const struct sgd *s, float w, float sum)
{
    return fabsf(w) * (sum > sgd_adaptive_coarse(s) ? sqrtf(sum / (float)s->bias_sum) : 1);
}

/* The same of one that was never seen before: x is its value. */
static inline float worth_of_new(float w, float x)
{
    return fabsf(w) * (x * x > (float)SGD_COARSE ? fabsf(x) : 1);
}

/* The cell of a pair that a feature of that worth takes, or NOWHERE. */
static inline uint32_t cell_won(const struct adaptive *m, uint32_t pair, float challenger)
{
    float first = worth(&m->sgd, weight_at(m, pair), sum_at(m, pair));
    float other = worth(&m->sgd, weight_at(m, pair + 1), sum_at(m, pair + 1));
    float least = other < first ? other : first;
    return challenger > ADAPTIVE_CHALLENGE * least ? pair + (other < first) : NOWHERE;
}

/* The cell that a feature takes which may have one already: then that. */
static inline uint32_t cell_for(const struct adaptive *m, uint64_t mix, float challenger)
{
    const struct owners of = owners_of(m);
    uint32_t pair = pair_of(of, mix), c = owned_in(of, pair, tag_of(mix));
    return c == m->nobody ? cell_won(m, pair, challenger) : c;
}

static inline void set_owner(struct adaptive *m, uint32_t cell, uint8_t tag)
{
    m->owner[cell - m->first_cell] = tag;
}

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
