/* wm_adaptive_inside.h -- for the files of wm_adaptive.h: a feature's cells and what they say. */
#ifndef LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_INSIDE_H
#define LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_INSIDE_H

#include <float.h>
#include <math.h>

#include "kernels/linear/l1.h"
#include "kernels/linear/sgd_adaptive.h"
#include "wm_adaptive.h"

static inline bool is_compact(const struct wm_adaptive *m)
{
    return m->opt.precision == ADAPTIVE_COMPACT;
}

static inline uint32_t cells_of(const struct wm_adaptive_shape *s) { return s->width * s->depth; }

NUMBERS_INLINE uint64_t draw(struct wm_adaptive *m)
{
    return numbers_random(m->random + m->draws++);
}

/* ---- places: the cell of a feature in a row, with its sign in the top bit ---- */

static inline uint32_t cell_at(uint32_t place) { return place & ~COUNT_SKETCH_SIGN; }
static inline uint32_t flip_at(uint32_t place) { return place >> 31; }

static inline uint32_t mix(const struct wm_adaptive *m, uint64_t id)
{
    return count_sketch_mix(&m->rows, id_slots_fold(id));
}

/* Of all rows. */
static inline void find_places(const struct wm_adaptive *m, uint32_t mixed, uint32_t *place)
{
    for (uint32_t j = 0, sign; j < m->shape.depth; j++) {
        uint32_t c = (uint32_t)count_sketch_at(&m->rows, j, mixed, &sign);
        place[j] = c | sign;
    }
}

/* ---- what cells say ---- */

/* A cell's weight, held by its accumulator a. */
NUMBERS_INLINE float held_weight(struct numbers n, const struct sgd_limits *limits, uint32_t c,
                                 float a, bool compact)
{
    return sgd_adaptive_hold(limits, numbers_weight(n, c, compact), a);
}

struct wm_adaptive_said {
    float w; /* the mean                 */
    float a; /* that of the accumulators */
};

NUMBERS_INLINE struct wm_adaptive_said ask_cells(struct numbers n, const struct sgd_limits *limits,
                                                 uint32_t depth, const uint32_t *place,
                                                 bool compact)
{
    struct wm_adaptive_said s = {0, 0};
    for (uint32_t j = 0; j < depth; j++) {
        uint32_t c = cell_at(place[j]);
        float a = numbers_sum(n, c, compact);
        s.w += numbers_signed(held_weight(n, limits, c, a, compact), flip_at(place[j]));
        s.a += a / (float)depth;
    }
    s.w /= (float)depth;
    return s;
}

/* What of its estimate a feature enters the passive set with. */
static inline float share_of_estimate(const struct wm_adaptive *m)
{
    return m->opt.estimates ? 1 : WM_ADAPTIVE_SHARE;
}

/* Estimate from the signed cells v of a feature; reorders them. */
float wm_adaptive_recover(const struct wm_adaptive *m, float *v);

#endif
