/* wm_inside.h -- for wm.c and wm_read.c: a feature's cells, and the estimate from them. */
#ifndef LEAT_KERNELS_LINEAR_WM_WM_INSIDE_H
#define LEAT_KERNELS_LINEAR_WM_WM_INSIDE_H

#include "core/bits.h"
#include "wm.h"

/* w, with its sign flipped when `sign` is SIGN_BIT. */
static inline float with_sign(float w, uint32_t sign)
{
    return float_of_bits(bits_of_float(w) ^ sign);
}

/* A permutation of the 32-bit words. */
static inline uint32_t mix(const struct wm *m, uint64_t id)
{
    uint32_t h = id_slots_fold(id) ^ m->seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

#define SIGN_BIT 0x80000000u

/* The column in a row of width w that 31 bits of a hash give: bits * w / 2^31, for a power of two
 * their top ones. */
static inline uint32_t column_of(uint32_t hash, uint32_t w)
{
    return (uint32_t)(((uint64_t)(hash & ~SIGN_BIT) * w) >> 31);
}

static inline size_t locate(const struct wm *m, uint32_t j, uint32_t mixed, uint32_t *sign)
{
    uint32_t hash = mixed * m->multiplier[j] + m->addend[j];
    *sign = hash & SIGN_BIT;
    return (size_t)j * m->shape.width + column_of(hash, m->shape.width);
}

static inline size_t cells(const struct wm *m) { return (size_t)m->shape.width * m->shape.depth; }

/* How many members share this part of their mixed id. A counter that was full once stays full: it
 * only lets more through. */
static inline uint8_t *filter_of(const struct wm *m, uint32_t mixed)
{
    return &m->filter[mixed >> m->filter_shift];
}

static inline float sum_of(const float *v, uint32_t n)
{
    float sum = 0;
    for (uint32_t j = 0; j < n; j++)
        sum += v[j];
    return sum;
}

/* What answers know of cell c: what is stored, or the sum of all z. */
static inline float cell_now(const struct wm *m, size_t c)
{
    if (!m->behind) return m->cell[c];
    return sgd_clamp((float)(m->mass * (double)m->cell[c] - (double)m->behind[c]));
}

/* By what that is multiplied. */
static inline double scale_now(const struct wm *m)
{
    if (!m->behind) return m->sgd.alpha;
    return m->iterates > 0 ? 1 / m->iterates : 0;
}

static inline void read_cells(const struct wm *m, uint64_t id, float *v)
{
    uint32_t mixed = mix(m, id), sign;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        size_t c = locate(m, j, mixed, &sign);
        v[j] = with_sign(cell_now(m, c), sign);
    }
}

/* The sum of the squares of all cells. */
double wm_square(const struct wm *m);

/* What of its estimate a feature enters the passive set with. */
static inline float share_of_estimate(const struct wm *m)
{
    return m->opt.estimates ? 1 : WM_ESTIMATE_SHARE;
}

/* Stored estimate from the signed cells v of a feature; reorders them. */
float wm_recover(const struct wm *m, float *v);

#endif
