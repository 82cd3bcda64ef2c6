/* oracle_tracked.c -- the slow twin of plugins/kernels/linear/tracked/tracked.c; see
 * oracle_tracked.h. */
#include "oracle_tracked.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void oracle_tracked_init(struct oracle_tracked *o, const struct tracked *twin)
{
    *o = (struct oracle_tracked){.twin = twin, .sgd.alpha = 1};
    o->slot = calloc(twin->s.shape.active, sizeof *o->slot);
    o->cell = calloc((size_t)twin->s.shape.width * twin->s.shape.depth + 1, 4);
}

void oracle_tracked_fini(struct oracle_tracked *o)
{
    free(o->slot);
    free(o->cell);
}

/* ---- the example ---- */

struct feature {
    uint32_t id;
    float x;
    uint32_t slot; /* UINT32_MAX if untracked */
};

static float now(const struct oracle_tracked *o, const struct oracle_slot *s)
{
    return oracle_shrunk(s->w, (float)o->sgd.penalty - s->l1_seen);
}

static uint32_t slot_of(const struct oracle_tracked *o, uint32_t id)
{
    for (uint32_t s = 0; s < o->n; s++)
        if (o->slot[s].id == id) return s;
    return UINT32_MAX;
}

/* Finds the features of a row, each once, in order of first occurrence. */
static uint32_t features(const struct oracle_tracked *o, const struct linear_row *row,
                         struct feature *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t id = (uint32_t)(row->id[i] ^ (row->id[i] >> 32)), k = 0;
        while (k < n && f[k].id != id)
            k++;
        if (k < n)
            f[k].x += row->x[i];
        else
            f[n++] = (struct feature){id, row->x[i], slot_of(o, id)};
    }
    return n;
}

static void step(const struct oracle_tracked *o, struct oracle_slot *s, float x,
                 const struct oracle_gradient *d)
{
    s->w -= oracle_sgd_step(&o->sgd, &o->twin->s.sgd.opt, d, x, &s->accumulator);
    s->count[d->y]++;
}

/* ---- the features that stay ---- */

struct rival {
    double key;
    uint32_t newcomer, order; /* place in the row, or slot */
    struct oracle_slot slot;
};

static int better(const void *x, const void *y)
{
    const struct rival *a = x, *b = y;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    if (a->newcomer != b->newcomer) return a->newcomer ? 1 : -1;
    /* Among newcomers the earlier one is better, among members the one in the higher slot. */
    return (a->order < b->order) == (a->newcomer == 1) ? -1 : 1;
}

static double key(const struct oracle_tracked *o, const struct oracle_slot *s)
{
    if (o->twin->s.opt.rule == TRACKED_COUNT_MIN) return s->frequency;
    return fabsf(o->twin->s.opt.rule == TRACKED_SAMPLED ? now(o, s) * (float)s->e : now(o, s));
}

/* Keeps the best of members and newcomers. The best newcomer gets a free slot, or the slot of the
 * worst leaving member, and so on. */
static void keep_best(struct oracle_tracked *o, uint32_t n_new, const struct oracle_slot *fresh)
{
    uint32_t K = o->twin->s.shape.active, n = 0, gone = 0, last;
    struct rival *all = calloc(o->n + n_new + 1, sizeof *all);
    for (uint32_t s = 0; s < o->n; s++)
        all[n++] = (struct rival){key(o, &o->slot[s]), 0, s, o->slot[s]};
    for (uint32_t i = 0; i < n_new; i++)
        all[n++] = (struct rival){key(o, &fresh[i]), 1, i, fresh[i]};
    qsort(all, n, sizeof *all, better);
    last = n;
    for (uint32_t i = 0; i < n && i < K; i++) {
        if (!all[i].newcomer) continue;
        if (o->n < K) {
            o->slot[o->n++] = all[i].slot;
            continue;
        }
        do
            last--;
        while (all[last].newcomer);
        assert(last >= K);
        o->slot[all[last].order] = all[i].slot;
        gone++;
    }
    o->replaced += gone;
    free(all);
}

/* ---- rules ---- */

static struct oracle_slot newcomer(const struct oracle_tracked *o, const struct feature *f,
                                   const struct oracle_gradient *d)
{
    struct oracle_slot s = {.id = f->id, .l1_seen = (float)o->sgd.penalty};
    step(o, &s, f->x, d);
    return s;
}

static uint32_t count(struct oracle_tracked *o, uint32_t id)
{
    const struct linear_shape *shape = &o->twin->s.shape;
    uint32_t min = UINT32_MAX;
    for (uint32_t j = 0; j < shape->depth; j++) {
        uint32_t c = o->cell[count_min_cell(o->twin, j, id)] + 1;
        if (c < min) min = c;
    }
    for (uint32_t j = 0; j < shape->depth; j++) {
        uint32_t *c = &o->cell[count_min_cell(o->twin, j, id)];
        if (!o->twin->s.opt.conservative || *c < min) ++*c;
    }
    return min;
}

static void space_saving(struct oracle_tracked *o, const struct feature *f,
                         const struct oracle_gradient *d)
{
    struct oracle_slot s = newcomer(o, f, d);
    uint32_t at = 0;
    s.frequency = 1;
    if (o->n < o->twin->s.shape.active) {
        o->slot[o->n++] = s;
        return;
    }
    for (uint32_t k = 1; k < o->n; k++)
        if (o->slot[k].frequency < o->slot[at].frequency) at = k;
    s.frequency = o->slot[at].frequency + 1;
    o->slot[at] = s;
    o->replaced++;
}

static void space_saving_row(struct oracle_tracked *o, const struct feature *f, uint32_t n,
                             const struct oracle_gradient *d)
{
    const struct feature *other[ORACLE_TRACKED_ROW];
    uint32_t others = 0, j = 0;
    for (uint32_t i = 0; i < n; i++)
        if (f[i].slot == UINT32_MAX) other[others++] = &f[i];
    while (j < others && o->n < o->twin->s.shape.active)
        space_saving(o, other[j++], d);
    if (j < others && o->twin->s.opt.churn_one) {
        j += tracked_pick(o->twin->s.opt.seed, o->sgd.t - 1, others - j);
        others = j + 1;
    }
    while (j < others)
        space_saving(o, other[j++], d);
}

static void truncate_row(struct oracle_tracked *o, const struct feature *f, uint32_t n,
                         const struct oracle_gradient *d)
{
    struct oracle_slot fresh[ORACLE_TRACKED_ROW];
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (f[i].slot != UINT32_MAX) continue;
        fresh[k] = newcomer(o, &f[i], d);
        if (o->twin->s.opt.rule == TRACKED_SAMPLED)
            fresh[k].e = tracked_priority(&o->twin->s.opt,
                                          tracked_draw(o->twin->s.opt.seed, o->sgd.t - 1, i));
        if (o->twin->s.opt.rule == TRACKED_COUNT_MIN) fresh[k].frequency = count(o, f[i].id);
        k++;
    }
    keep_best(o, k, fresh);
}

static void fold(struct oracle_tracked *o)
{
    if (!oracle_sgd_must_fold(&o->sgd, &o->twin->s.opt.sgd)) return;
    for (uint32_t s = 0; s < o->n; s++) {
        o->slot[s].w = now(o, &o->slot[s]) * (float)o->sgd.alpha;
        o->slot[s].l1_seen = 0;
    }
    o->sgd.penalty = 0;
    o->sgd.alpha = 1;
}

double oracle_tracked_learn(struct oracle_tracked *o, const struct linear_row *row)
{
    struct feature f[ORACLE_TRACKED_ROW];
    double sum = 0;
    assert(row->n <= ORACLE_TRACKED_ROW);
    uint32_t n = features(o, row, f);
    for (uint32_t i = 0; i < n; i++) {
        if (f[i].slot == UINT32_MAX) continue;
        struct oracle_slot *s = &o->slot[f[i].slot];
        s->w = now(o, s);
        s->l1_seen = (float)o->sgd.penalty;
        sum += (double)s->w * f[i].x;
    }
    double z = sum * o->sgd.alpha + o->sgd.bias;
    struct oracle_gradient d = oracle_sgd_advance(&o->sgd, &o->twin->s.sgd.opt, row, z);
    for (uint32_t i = 0; i < n; i++) {
        if (f[i].slot == UINT32_MAX) continue;
        if (o->twin->s.opt.rule == TRACKED_COUNT_MIN) count(o, f[i].id);
        o->slot[f[i].slot].frequency += o->twin->s.opt.rule >= TRACKED_SPACE_SAVING;
        step(o, &o->slot[f[i].slot], f[i].x, &d);
    }
    if (o->twin->s.opt.rule == TRACKED_SPACE_SAVING)
        space_saving_row(o, f, n, &d);
    else
        truncate_row(o, f, n, &d);
    o->sgd.penalty += d.share;
    fold(o);
    return z;
}
