/* oracle_adaptive.c -- the slow twin of plugins/kernels/linear/adaptive; see oracle_adaptive.h. */
#include "oracle_adaptive.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/linear/sgd_adaptive.h"
#include "oracle_sgd.h"

enum { NO_MEMBER = -1, LONGEST = 64 };

void oracle_adaptive_init(struct oracle_adaptive *o, const struct adaptive *twin)
{
    *o = (struct oracle_adaptive){.active = twin->s.shape.active,
                                  .cells = twin->s.shape.width,
                                  .owned = twin->s.shape.owned,
                                  .seed = twin->s.opt.seed};
    sgd_init(&o->sgd, &twin->s.opt.sgd);
    o->member = calloc(o->active + 1, sizeof *o->member);
    o->cell = calloc(o->cells + 1, sizeof *o->cell);
}

void oracle_adaptive_fini(struct oracle_adaptive *o)
{
    free(o->member);
    free(o->cell);
}

uint32_t oracle_adaptive_cell(uint64_t seed, uint32_t cells, uint32_t id, float *sign)
{
    uint64_t h = id_slots_mix(seed, id), bits = (h >> 1) % (UINT64_C(1) << 32);
    *sign = h % 2 ? -1 : 1;
    return (uint32_t)(bits * cells / (UINT64_C(1) << 32));
}

static int member_of(const struct oracle_adaptive *o, uint32_t id)
{
    for (uint32_t s = 0; s < o->n; s++)
        if (o->member[s].id == id) return (int)s;
    return NO_MEMBER;
}

static uint32_t tag_of(const struct oracle_adaptive *o, uint32_t id)
{
    uint64_t bits = id_slots_mix(o->seed, id) / (UINT64_C(1) << 33) % 65536;
    return (uint32_t)(bits * 255 / 65536) + 1;
}

/* Returns the two cells where a feature may live. */
static struct oracle_adaptive_cell *pair_of(const struct oracle_adaptive *o, uint32_t id)
{
    float sign;
    return o->cell + 2 * oracle_adaptive_cell(o->seed, o->cells / 2, id, &sign);
}

/* Returns the cell of a feature that is not a member, and its sign there. Without one, returns the
 * cell of zeros. */
static struct oracle_adaptive_cell *cell_of(const struct oracle_adaptive *o, uint32_t id,
                                            float *sign)
{
    struct oracle_adaptive_cell *none = o->cell + o->cells;
    *sign = 1;
    if (!o->owned)
        return o->cells ? o->cell + oracle_adaptive_cell(o->seed, o->cells, id, sign) : none;
    for (int k = 0; k < 2; k++)
        if (pair_of(o, id)[k].owner == tag_of(o, id)) return pair_of(o, id) + k;
    return none;
}

static float worth_of(const struct oracle_adaptive *o, float w, float a)
{
    return a > 4 * (float)o->sgd.bias_sum ? fabsf(w) * sqrtf(a / (float)o->sgd.bias_sum) : fabsf(w);
}

/* Makes the feature the owner of a cell of its pair, if it is worth enough. */
static void contend(struct oracle_adaptive *o, uint32_t id, float w, float a, float worth)
{
    struct oracle_adaptive_cell *pair = pair_of(o, id);
    float first = worth_of(o, pair[0].w, pair[0].a), other = worth_of(o, pair[1].w, pair[1].a);
    struct oracle_adaptive_cell *c = other < first ? pair + 1 : pair;
    bool wins = worth > ADAPTIVE_CHALLENGE * fminf(first, other);
    o->taken += wins && c->owner;
    o->defended += !wins;
    if (wins) *c = (struct oracle_adaptive_cell){w, a, tag_of(o, id)};
}

/* Finds a feature's weight and accumulator. */
static void numbers_of(struct oracle_adaptive *o, uint32_t id, float **w, float **a, float *sign)
{
    int s = member_of(o, id);
    struct oracle_adaptive_cell *c = cell_of(o, id, sign);
    *w = s == NO_MEMBER ? &c->w : &o->member[s].w;
    *a = s == NO_MEMBER ? &c->a : &o->member[s].a;
    if (s != NO_MEMBER) *sign = 1;
}

static double predict(struct oracle_adaptive *o, const struct linear_row *r)
{
    struct sgd_limits limits = sgd_adaptive_limits(&o->sgd);
    double sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        float *w, *a, sign, x = r->x[i];
        numbers_of(o, id_slots_fold(r->id[i]), &w, &a, &sign);
        sum += (double)(sign * sgd_adaptive_temper(&limits, *w, *a, x)) * (double)x;
    }
    return sum * o->sgd.alpha + o->sgd.bias;
}

static void temper(struct oracle_adaptive *o, const struct linear_row *r)
{
    struct sgd_limits limits = sgd_adaptive_limits(&o->sgd);
    for (uint32_t i = 0; i < r->n; i++) {
        float *w, *a, sign;
        numbers_of(o, id_slots_fold(r->id[i]), &w, &a, &sign);
        o->held += sgd_adaptive_hold(&limits, *w, *a) != *w;
        o->lessened += sgd_adaptive_lessen(&limits, *a, r->x[i]) < 1 && *w != 0;
        *w = sgd_adaptive_temper(&limits, *w, *a, r->x[i]);
    }
}

static void leave_owned(struct oracle_adaptive *o, const struct oracle_adaptive_member *m)
{
    float sign;
    struct oracle_adaptive_cell *c = cell_of(o, m->id, &sign);
    if (c == o->cell + o->cells)
        contend(o, m->id, m->w, m->a, worth_of(o, m->w, m->a));
    else
        *c = (struct oracle_adaptive_cell){m->w, m->a, tag_of(o, m->id)};
}

static void leave_shared(struct oracle_adaptive *o, const struct oracle_adaptive_member *m)
{
    float sign;
    struct oracle_adaptive_cell *c = cell_of(o, m->id, &sign);
    float most = fmaxf(c->a, m->a);
    o->coarse += most > 4 * o->sgd.bias_sum;
    if (most <= 4 * o->sgd.bias_sum)
        c->w = (c->w + sign * m->w) / 2;
    else if (c->a <= m->a)
        c->w = sign * m->w;
    c->a = fmaxf(c->a, m->a / 2);
}

/* Returns a free slot, or the lightest member's slot if that is lighter than w; that member leaves.
 * `of` is the cell of the entering feature; if cells are owned, it becomes free. */
static int slot_for(struct oracle_adaptive *o, float w, struct oracle_adaptive_cell *of)
{
    const struct oracle_adaptive_cell none = {0};
    if (o->n < o->active) {
        if (o->owned) *of = none;
        return (int)o->n++;
    }
    if (!o->active) return NO_MEMBER;
    uint32_t min = 0;
    for (uint32_t s = 1; s < o->n; s++)
        if (fabsf(o->member[s].w) < fabsf(o->member[min].w)) min = s;
    struct oracle_adaptive_member *m = &o->member[min];
    if (!(fabsf(w) > fabsf(m->w))) return NO_MEMBER;
    o->evictions++;
    if (o->owned) {
        *of = none;
        leave_owned(o, m);
    } else if (o->cells) {
        leave_shared(o, m);
    }
    return (int)min;
}

static float at_most(float a) { return fminf(a, SGD_LIMIT); }

static void step(struct oracle_adaptive *o, uint32_t id, float x, float by, float more, int y)
{
    int s = member_of(o, id);
    if (s != NO_MEMBER) {
        struct oracle_adaptive_member *m = &o->member[s];
        m->w = fmaxf(at_most(m->w + by), -SGD_LIMIT);
        m->a = at_most(m->a + more);
        sgd_count(&o->sgd, &m->count[y]);
        return;
    }
    float sign;
    struct oracle_adaptive_cell *c = cell_of(o, id, &sign), *none = o->cell + o->cells;
    float w = fmaxf(at_most(sign * c->w + by), -SGD_LIMIT), a = c->a;
    s = slot_for(o, w, c);
    if (s != NO_MEMBER) {
        if (!o->owned) a = c->a;
        o->member[s] = (struct oracle_adaptive_member){.id = id, .w = w, .a = at_most(a + more)};
        o->member[s].count[y] = o->sgd.one;
        if (!o->owned) c->w /= 2;
    } else if (c == none && o->owned) {
        contend(o, id, w, more, fabsf(w) * (x * x > 4 ? fabsf(x) : 1));
    } else if (c != none) {
        c->w = sign * w;
        c->a = at_most(c->a + more);
    }
}

static void every_weight(struct oracle_adaptive *o, float penalty, float times)
{
    for (uint32_t s = 0; s < o->n; s++)
        o->member[s].w = times * oracle_shrunk(o->member[s].w, penalty);
    for (uint32_t c = 0; c < o->cells; c++)
        o->cell[c].w = times * oracle_shrunk(o->cell[c].w, penalty);
}

static void apply_l1(struct oracle_adaptive *o, double share)
{
    o->sgd.penalty += share;
    if (o->sgd.t % ((o->n + (uint64_t)o->cells) / 64 + 1)) return;
    every_weight(o, (float)(o->sgd.penalty - o->sgd.l1_applied), 1);
    o->sgd.l1_applied = o->sgd.penalty;
}

static void renew(struct oracle_adaptive *o)
{
    float by = (float)(1 / o->sgd.grown);
    for (uint32_t s = 0; s < o->n; s++) {
        o->member[s].a *= by;
        sgd_renew_counts(&o->sgd, o->member[s].count, 2);
    }
    for (uint32_t c = 0; c < o->cells; c++)
        o->cell[c].a *= by;
    sgd_renew(&o->sgd, NULL, NULL, 0);
}

double oracle_adaptive_learn(struct oracle_adaptive *o, const struct linear_row *r)
{
    float along[LONGEST];
    double z = predict(o, r);
    struct sgd_ways ways = {0};
    assert(r->n <= LONGEST);
    temper(o, r);
    struct sgd_adaptive e = sgd_adaptive_begin(&o->sgd, z, r->y, (double)r->weight, r->new_record);
    for (uint32_t i = 0; i < r->n; i++) {
        float *w, *a, sign;
        numbers_of(o, id_slots_fold(r->id[i]), &w, &a, &sign);
        along[i] = sgd_adaptive_direction(&e, sgd_adaptive_sum(&e, *a, r->x[i]), r->x[i], &ways);
    }
    float u = sgd_adaptive_end(&o->sgd, &e, &ways);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->x[i] != 0)
            step(o, id_slots_fold(r->id[i]), r->x[i], u * along[i], sgd_adaptive_more(&e, r->x[i]),
                 r->y > 0);
    if (o->sgd.opt.l1 > 0) apply_l1(o, e.step.share);
    if (oracle_sgd_must_fold(&(struct oracle_sgd){.alpha = o->sgd.alpha, .t = o->sgd.t},
                             &o->sgd.opt)) {
        every_weight(o, (float)(o->sgd.penalty - o->sgd.l1_applied), (float)o->sgd.alpha);
        sgd_folded(&o->sgd);
    }
    if (sgd_must_renew(&o->sgd)) renew(o);
    return z;
}
