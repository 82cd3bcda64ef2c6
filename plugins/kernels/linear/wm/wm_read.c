/* wm_read.c -- what a WM-Sketch answers: margins, weights, the heaviest members, and its check; see
 * wm.h. Nothing here changes a model.
 */
#include "wm.h"

#include <math.h>

#include "kernels/base/rank.h"
#include "wm_inside.h"

size_t wm_cell(const struct wm *m, uint32_t j, uint64_t id, float *sign)
{
    uint32_t bit;
    size_t c = locate(m, j, mix(m, id), &bit);
    *sign = with_sign(1.0f, bit);
    return c;
}

static inline void in_order(float *a, float *b)
{
    float x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}

/* Batcher's merge exchange (Knuth 5.2.2 M): no branch depends on the values. */
static void sort(float *v, uint32_t n)
{
    uint32_t top = 1;
    while (2 * top < n)
        top *= 2;
    for (uint32_t p = top; p; p /= 2)
        for (uint32_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
            for (uint32_t block = r; block + d < n; block += 2 * p)
                for (uint32_t i = block; i < block + p && i + d < n; i++)
                    in_order(&v[i], &v[i + d]);
            if (q == p) break;
        }
}

static float median(float *v, uint32_t n)
{
    if (n > 1) sort(v, n);
    return n % 2 ? v[n / 2] : 0.5f * (v[n / 2 - 1] + v[n / 2]);
}

double wm_square(const struct wm *m)
{
    double sum = 0;
    for (size_t c = 0; c < cells(m); c++)
        sum += (double)m->cell[c] * (double)m->cell[c];
    return sum;
}

float wm_recover(const struct wm *m, float *v)
{
    uint32_t depth = m->shape.depth;
    return m->opt.mean ? sgd_clamp(sum_of(v, depth) / (float)depth) : median(v, depth);
}

double wm_margin(const struct wm *m, uint32_t n, const uint64_t *id, const float *x)
{
    float v[WM_MAX_DEPTH];
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        read_cells(m, id[i], v);
        sum += (double)sum_of(v, m->shape.depth) * (double)x[i];
    }
    return sum / m->shape.depth * scale_now(m) + m->sgd.bias;
}

/* Stored estimate from the cells less the penalty that is pending. */
static float estimate_now(const struct wm *m, uint64_t id)
{
    float v[WM_MAX_DEPTH], pending = l1_pending(&m->sgd);
    read_cells(m, id, v);
    for (uint32_t j = 0; pending > 0 && j < m->shape.depth; j++)
        v[j] = l1_shrink(v[j], pending);
    return wm_recover(m, v);
}

double wm_weight(const struct wm *m, uint64_t id)
{
    return (double)estimate_now(m, id) * scale_now(m);
}

double wm_slot_weight(const struct wm *m, uint32_t slot)
{
    if (m->opt.estimates) return wm_weight(m, m->set.id[slot]);
    return (double)l1_shrink(m->weight[slot], l1_pending(&m->sgd)) * m->sgd.alpha;
}

uint32_t wm_top(const struct wm *m, uint32_t k, uint32_t min_count, float *weight, uint32_t *slot)
{
    uint32_t min = sgd_count_of(&m->sgd, min_count);
    for (uint32_t s = 0; s < m->set.n; s++)
        weight[s] = m->opt.estimates ? estimate_now(m, m->set.id[s]) : m->weight[s];
    return rank_heaviest(m->set.n, weight, m->count, min, k, slot);
}

const char *wm_check(const struct wm *m)
{
    const char *wrong = id_slots_check(&m->set);
    for (uint32_t s = 0; s < m->set.n && !wrong; s++) {
        int32_t v = lazy_min_bits(m->weight[s]);
        if (!*filter_of(m, mix(m, m->set.id[s]))) wrong = "the filter leaves out a member";
        if (!(fabsf(m->weight[s]) <= SGD_LIMIT)) wrong = "a weight is out of range";
        if (v < m->bar) wrong = "the bar is above a member";
        if (lazy_min_breaks(&m->lightest, s, v)) wrong = "a block bound is above a member";
    }
    for (size_t c = 0; c < cells(m) && !wrong; c++)
        if (!((double)fabsf(m->cell[c]) <= m->cell_bound * (1 + 1e-3)))
            wrong = "a cell is beyond the bound of cells";
    if (!(m->cell_bound <= (double)SGD_LIMIT)) wrong = "the bound of cells is above the limit";
    if ((m->set.n < m->set.capacity) != (m->bar < 0)) wrong = "the bar says that a slot is free";
    if (!(m->sgd.alpha > 0 && m->sgd.alpha <= 1) || !isfinite(m->sgd.bias)) wrong = "scale or bias";
    return wrong;
}
