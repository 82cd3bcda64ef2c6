/* oracle_awm.c -- the slow twin of plugins/kernels/linear/awm/awm.c; see oracle_awm.h. */
#include "oracle_awm.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/awm/awm_sketch.h"

void oracle_awm_init(struct oracle_awm *o, const struct awm *twin)
{
    uint32_t a = twin->s.shape.active;
    *o = (struct oracle_awm){.twin = twin, .sgd.alpha = 1};
    o->id = calloc(a, 4);
    o->w = calloc(a, 4);
    o->accumulator = calloc(a, 4);
    o->l1_seen = calloc(a, 4);
    o->count = calloc(a, 8);
    o->cell = calloc((size_t)twin->s.shape.width * twin->s.shape.depth, 4);
}

void oracle_awm_fini(struct oracle_awm *o)
{
    free(o->id);
    free(o->w);
    free(o->accumulator);
    free(o->l1_seen);
    free(o->count);
    free(o->cell);
}

static float now(const struct oracle_awm *o, uint32_t s)
{
    return oracle_shrunk(o->w[s], (float)o->sgd.penalty - o->l1_seen[s]);
}

static void apply_l1_to(struct oracle_awm *o, uint32_t s)
{
    o->w[s] = now(o, s);
    o->l1_seen[s] = (float)o->sgd.penalty;
}

static float *cell(struct oracle_awm *o, uint32_t j, uint32_t id, float *sign)
{
    return o->cell + (awm_cell(o->twin, j, id, sign) - o->twin->s.first_cell);
}

static float recover(struct oracle_awm *o, uint32_t id, double *mean)
{
    float v[AWM_MAX_DEPTH], sign;
    uint32_t s = o->twin->s.shape.depth;
    double sum = 0;
    for (uint32_t j = 0; j < s; j++) {
        v[j] = *cell(o, j, id, &sign);
        v[j] *= sign;
        sum += v[j];
    }
    *mean = sum / s;
    return oracle_median(v, s);
}

static void add(struct oracle_awm *o, uint32_t id, float delta)
{
    for (uint32_t j = 0; j < o->twin->s.shape.depth; j++) {
        float sign, *c = cell(o, j, id, &sign);
        *c += sign * delta;
    }
}

static uint32_t member(const struct oracle_awm *o, uint32_t id)
{
    for (uint32_t s = 0; s < o->n; s++)
        if (o->id[s] == id) return s;
    return UINT32_MAX;
}

static void step_member(struct oracle_awm *o, uint32_t s, float x, const struct oracle_gradient *d)
{
    const struct sgd_options *opt = &o->twin->s.sgd.opt;
    o->count[2 * s + (uint32_t)d->y]++;
    o->w[s] -= oracle_sgd_step(&o->sgd, opt, d, x, &o->accumulator[s]);
}

/* Returns the slot for a candidate of this weight: a free one, the lightest member's, or none. */
static uint32_t slot_for(struct oracle_awm *o, float w)
{
    if (o->n < o->twin->s.shape.active) return o->n++;
    uint32_t min = 0;
    for (uint32_t s = 1; s < o->n; s++)
        if (fabsf(now(o, s)) < fabsf(now(o, min))) min = s;
    if (!(fabsf(w) > fabsf(now(o, min)))) return UINT32_MAX;
    double mean;
    add(o, o->id[min], now(o, min) - recover(o, o->id[min], &mean));
    o->evictions++;
    return min;
}

static void enter(struct oracle_awm *o, uint32_t s, uint32_t id, float w, int y)
{
    o->id[s] = id;
    o->w[s] = w;
    o->accumulator[s] = 0;
    o->l1_seen[s] = (float)o->sgd.penalty;
    o->count[2 * s] = y < 0;
    o->count[2 * s + 1] = y > 0;
}

static double predict(struct oracle_awm *o, const struct linear_row *row, bool *in, float *estimate)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t id = id_slots_fold(row->id[i]), s = member(o, id);
        double w;
        in[i] = s != UINT32_MAX;
        if (in[i]) apply_l1_to(o, s);
        estimate[i] = recover(o, id, &w);
        sum += (in[i] ? (double)o->w[s] : w) * row->x[i];
    }
    return sum * o->sgd.alpha + o->sgd.bias;
}

static void apply_l1(struct oracle_awm *o)
{
    for (uint32_t c = 0; c < o->twin->s.shape.width * o->twin->s.shape.depth; c++)
        o->cell[c] = oracle_shrunk(o->cell[c], (float)(o->sgd.penalty - o->l1_applied));
    o->l1_applied = o->sgd.penalty;
}

static void fold(struct oracle_awm *o)
{
    if (!oracle_sgd_must_fold(&o->sgd, &o->twin->s.opt.sgd)) return;
    for (uint32_t s = 0; s < o->n; s++)
        o->w[s] = now(o, s) * (float)o->sgd.alpha;
    apply_l1(o);
    for (uint32_t c = 0; c < o->twin->s.shape.width * o->twin->s.shape.depth; c++)
        o->cell[c] *= (float)o->sgd.alpha;
    memset(o->l1_seen, 0, o->n * sizeof *o->l1_seen);
    o->sgd.penalty = o->l1_applied = 0;
    o->sgd.alpha = 1;
}

double oracle_awm_learn(struct oracle_awm *o, const struct linear_row *row)
{
    uint32_t n = row->n;
    bool in[ORACLE_MAX_ROW], done[ORACLE_MAX_ROW], entered[ORACLE_MAX_ROW];
    float estimate[ORACLE_MAX_ROW], candidate[ORACLE_MAX_ROW];
    assert(n <= ORACLE_MAX_ROW);
    double z = predict(o, row, in, estimate);
    struct oracle_gradient d = oracle_sgd_advance(&o->sgd, &o->twin->s.sgd.opt, row, z);
    float u = (float)(d.eta * d.g / o->sgd.alpha);
    for (uint32_t i = 0; i < n; i++) {
        done[i] = entered[i] = in[i];
        candidate[i] = estimate[i] - u * row->x[i];
        if (in[i]) step_member(o, member(o, id_slots_fold(row->id[i])), row->x[i], &d);
    }
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i] && (best == UINT32_MAX || fabsf(candidate[i]) > fabsf(candidate[best])))
                best = i;
        if (best == UINT32_MAX) break;
        done[best] = true;
        uint32_t id = id_slots_fold(row->id[best]);
        if (member(o, id) != UINT32_MAX) continue;
        uint32_t s = slot_for(o, candidate[best]);
        if (s == UINT32_MAX) continue;
        enter(o, s, id, candidate[best], row->y);
        entered[best] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = id_slots_fold(row->id[i]), s = member(o, id);
        if (entered[i]) continue;
        if (s != UINT32_MAX)
            step_member(o, s, row->x[i], &d);
        else
            add(o, id, -(u * row->x[i]));
    }
    o->sgd.penalty += d.share;
    uint32_t cells = o->twin->s.shape.width * o->twin->s.shape.depth;
    if (o->sgd.t % (cells / 64 + 1) == 0) apply_l1(o);
    fold(o);
    return z;
}
