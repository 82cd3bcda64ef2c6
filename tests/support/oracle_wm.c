/* oracle_wm.c -- the slow twin of plugins/kernels/linear/wm/wm.c; see oracle_wm.h. */
#include "oracle_wm.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

size_t oracle_wm_cell(const struct wm *m, uint32_t j, uint64_t id, float *sign)
{
    uint32_t bit;
    size_t c = wm_locate(m, j, wm_mix(m, id), &bit);
    *sign = bit ? -1 : 1;
    return c;
}

void oracle_wm_init(struct oracle_wm *o, const struct wm *twin)
{
    *o = (struct oracle_wm){.twin = twin, .sgd.alpha = 1};
    o->id = calloc(twin->s.shape.active, 4);
    o->w = calloc(twin->s.shape.active, 4);
    o->count = calloc(twin->s.shape.active, 8);
    o->cell = calloc((size_t)twin->s.shape.width * twin->s.shape.depth, 4);
}

void oracle_wm_fini(struct oracle_wm *o)
{
    free(o->id);
    free(o->w);
    free(o->count);
    free(o->cell);
}

static float sum_of_rows(const struct oracle_wm *o, uint64_t id)
{
    float sum = 0, sign;
    for (uint32_t j = 0; j < o->twin->s.shape.depth; j++) {
        float v = o->cell[oracle_wm_cell(o->twin, j, id, &sign)];
        sum += sign * v;
    }
    return sum;
}

float oracle_wm_estimate(const struct oracle_wm *o, uint64_t id)
{
    float v[WM_MAX_DEPTH], sign;
    uint32_t s = o->twin->s.shape.depth;
    if (o->twin->s.opt.mean) return sum_of_rows(o, id) / (float)s;
    for (uint32_t j = 0; j < s; j++) {
        v[j] = o->cell[oracle_wm_cell(o->twin, j, id, &sign)];
        v[j] *= sign;
    }
    return oracle_median(v, s);
}

static double predict(const struct oracle_wm *o, const struct linear_row *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->n; i++)
        sum += (double)sum_of_rows(o, row->id[i]) * (double)row->x[i];
    return sum / o->twin->s.shape.depth * o->sgd.alpha + o->sgd.bias;
}

static uint32_t member(const struct oracle_wm *o, uint32_t id)
{
    for (uint32_t s = 0; s < o->n; s++)
        if (o->id[s] == id) return s;
    return UINT32_MAX;
}

static void own_step(struct oracle_wm *o, uint32_t s, float d, float estimate, int y)
{
    o->w[s] = o->twin->s.opt.estimates ? estimate : o->w[s] - d;
    o->count[2 * s + (y > 0)]++;
}

static void offer(struct oracle_wm *o, uint32_t id, float w, int y)
{
    uint32_t s = 0;
    if (o->n < o->twin->s.shape.active) {
        s = o->n++;
    } else {
        for (uint32_t k = 1; k < o->n; k++)
            if (fabsf(o->w[k]) < fabsf(o->w[s])) s = k;
        if (!(fabsf(w) > fabsf(o->w[s]))) return;
        o->replaced++;
    }
    o->id[s] = id;
    o->w[s] = w;
    o->count[2 * s] = o->count[2 * s + 1] = 0;
    o->count[2 * s + (y > 0)]++;
}

/* Members step; other features are offered. One that enters and comes again in the row steps,
 * too. */
static void update_set(struct oracle_wm *o, const struct linear_row *row, uint32_t from,
                       uint32_t end, float u, const float *candidate)
{
    bool stepped[ORACLE_WM_MAX_ROW];
    float share = o->twin->s.opt.estimates ? 1 : WM_ESTIMATE_SHARE;
    for (uint32_t i = from; i < end; i++) {
        uint32_t s = member(o, id_slots_fold(row->id[i]));
        stepped[i] = s != UINT32_MAX;
        if (stepped[i]) own_step(o, s, u * row->x[i], candidate[i], row->y);
    }
    for (uint32_t i = from; i < end; i++) {
        uint32_t id = id_slots_fold(row->id[i]), s = member(o, id);
        if (stepped[i]) continue;
        if (s != UINT32_MAX)
            own_step(o, s, u * row->x[i], candidate[i], row->y);
        else
            offer(o, id, share * candidate[i], row->y);
    }
}

static size_t cells(const struct oracle_wm *o)
{
    return (size_t)o->twin->s.shape.width * o->twin->s.shape.depth;
}

static void apply_l1(struct oracle_wm *o)
{
    for (size_t c = 0; c < cells(o); c++)
        o->cell[c] = oracle_shrunk(o->cell[c], (float)(o->sgd.penalty - o->l1_applied));
    for (uint32_t s = 0; s < o->n; s++)
        o->w[s] = oracle_shrunk(o->w[s], (float)(o->sgd.penalty - o->l1_applied));
    o->l1_applied = o->sgd.penalty;
}

static void fold(struct oracle_wm *o)
{
    if (!oracle_sgd_must_fold(&o->sgd, &o->twin->s.opt.sgd)) return;
    apply_l1(o);
    o->sgd.penalty = o->l1_applied = 0;
    for (uint32_t s = 0; s < o->n; s++)
        o->w[s] *= (float)o->sgd.alpha;
    for (size_t c = 0; c < cells(o); c++)
        o->cell[c] *= (float)o->sgd.alpha;
    o->sgd.alpha = 1;
}

double oracle_wm_learn(struct oracle_wm *o, const struct linear_row *row)
{
    float candidate[ORACLE_WM_MAX_ROW], sign;
    assert(row->n <= ORACLE_WM_MAX_ROW);
    double z = predict(o, row);
    struct oracle_gradient d = oracle_sgd_advance(&o->sgd, &o->twin->s.sgd.opt, row, z);
    float u = (float)(d.eta * d.g / o->sgd.alpha);
    for (uint32_t from = 0; from < row->n; from += WM_STRETCH) {
        uint32_t end = from + WM_STRETCH < row->n ? from + WM_STRETCH : row->n;
        for (uint32_t i = from; i < end; i++)
            candidate[i] = oracle_wm_estimate(o, row->id[i]) - u * row->x[i];
        for (uint32_t j = 0; j < o->twin->s.shape.depth; j++)
            for (uint32_t i = from; i < end; i++) {
                float *c = o->cell + oracle_wm_cell(o->twin, j, row->id[i], &sign);
                *c -= sign * (u * row->x[i]);
            }
        update_set(o, row, from, end, u, candidate);
    }
    o->sgd.penalty += d.share;
    if (o->sgd.t % (cells(o) / 64 + 1) == 0) apply_l1(o);
    fold(o);
    return z;
}
