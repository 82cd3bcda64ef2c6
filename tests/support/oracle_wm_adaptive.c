/* oracle_wm_adaptive.c -- the slow twin of plugins/kernels/linear/wm_adaptive; see
 * oracle_wm_adaptive.h. */
#include "oracle_wm_adaptive.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/linear/sgd_adaptive.h"
#include "oracle_sgd.h"

enum { LONGEST = 64 };

static uint32_t cells(const struct oracle_wm_adaptive *o)
{
    return o->twin->s.shape.width * o->twin->s.shape.depth;
}

void oracle_wm_adaptive_init(struct oracle_wm_adaptive *o, const struct wm_adaptive *twin)
{
    *o = (struct oracle_wm_adaptive){.twin = twin};
    sgd_init(&o->sgd, &twin->s.opt.sgd);
    o->member = calloc(twin->s.shape.active, sizeof *o->member);
    o->cell = calloc(cells(o), sizeof *o->cell);
}

void oracle_wm_adaptive_fini(struct oracle_wm_adaptive *o)
{
    free(o->member);
    free(o->cell);
}

/* Returns the cell of a feature in row j; *sign is 1 or -1. */
static struct oracle_wm_adaptive_cell *cell_of(const struct oracle_wm_adaptive *o, uint32_t j,
                                               uint64_t id, float *sign)
{
    const struct count_sketch *rows = &o->twin->rows;
    uint32_t negative, mixed = count_sketch_mix(rows, id_slots_fold(id));
    size_t c = count_sketch_at(rows, j, mixed, &negative);
    *sign = negative ? -1 : 1;
    return &o->cell[c];
}

static float clamped(float w) { return fmaxf(fminf(w, SGD_LIMIT), -SGD_LIMIT); }

/* Returns a cell's weight within the limits of its accumulator. */
static float held(const struct sgd_limits *limits, const struct oracle_wm_adaptive_cell *c)
{
    return sgd_adaptive_hold(limits, c->w, c->a);
}

/* Reads w_i and a_i. limits: limits of the cells' weights, or NULL. */
static void read_feature(const struct oracle_wm_adaptive *o, const struct sgd_limits *limits,
                         uint64_t id, float *w, float *a)
{
    *w = 0, *a = 0;
    for (uint32_t j = 0; j < o->twin->s.shape.depth; j++) {
        float sign;
        const struct oracle_wm_adaptive_cell *c = cell_of(o, j, id, &sign);
        *w += sign * (limits ? held(limits, c) : c->w);
        *a += c->a / (float)o->twin->s.shape.depth;
    }
    *w /= (float)o->twin->s.shape.depth;
}

float oracle_wm_adaptive_estimate(const struct oracle_wm_adaptive *o, uint64_t id)
{
    uint32_t depth = o->twin->s.shape.depth;
    float v[COUNT_SKETCH_MAX_DEPTH], w, a, sign;
    read_feature(o, NULL, id, &w, &a);
    if (o->twin->s.opt.mean) return w;
    for (uint32_t j = 0; j < depth; j++) {
        v[j] = cell_of(o, j, id, &sign)->w;
        v[j] *= sign;
    }
    return oracle_median(v, depth);
}

static struct oracle_wm_adaptive_member *member_of(const struct oracle_wm_adaptive *o, uint64_t id)
{
    for (uint32_t s = 0; s < o->n; s++)
        if (o->member[s].id == id_slots_fold(id)) return &o->member[s];
    return NULL;
}

static double predict(struct oracle_wm_adaptive *o, const struct sgd_limits *limits,
                      const struct linear_row *r, float *less)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        float w, a, x = r->x[i];
        read_feature(o, limits, r->id[i], &w, &a);
        less[i] = sgd_adaptive_lessen(limits, a, x);
        o->lessened += less[i] < 1 && w != 0;
        sum += (double)(less[i] * w) * (double)x;
    }
    return sum * o->sgd.alpha + o->sgd.bias;
}

static void lessen(struct oracle_wm_adaptive *o, const struct sgd_limits *limits, uint64_t id,
                   float times)
{
    struct oracle_wm_adaptive_member *m = member_of(o, id);
    for (uint32_t j = 0; j < o->twin->s.shape.depth; j++) {
        float sign;
        struct oracle_wm_adaptive_cell *c = cell_of(o, j, id, &sign);
        c->w = times * held(limits, c);
    }
    if (m) m->w *= times;
}

/* Returns a free slot, or the lightest member's slot if that is lighter than w. */
static struct oracle_wm_adaptive_member *slot_for(struct oracle_wm_adaptive *o, float w)
{
    if (o->n < o->twin->s.shape.active) return &o->member[o->n++];
    struct oracle_wm_adaptive_member *min = o->member;
    for (uint32_t s = 1; s < o->n; s++)
        if (fabsf(o->member[s].w) < fabsf(min->w)) min = &o->member[s];
    if (!(fabsf(w) > fabsf(min->w))) return NULL;
    o->replaced++;
    return min;
}

static void step(struct oracle_wm_adaptive *o, const struct sgd_limits *limits, uint64_t id,
                 float by, float more, int y)
{
    float a = 0;
    for (uint32_t j = 0; j < o->twin->s.shape.depth; j++) {
        float sign;
        struct oracle_wm_adaptive_cell *c = cell_of(o, j, id, &sign);
        float w = held(limits, c);
        o->held += w != c->w;
        a += c->a / (float)o->twin->s.shape.depth;
        c->w = sign * clamped(sign * w + by);
        c->a = fminf(c->a + more, SGD_LIMIT);
    }
    struct oracle_wm_adaptive_member *m = member_of(o, id);
    if (m) {
        m->w = o->twin->s.opt.estimates ? oracle_wm_adaptive_estimate(o, id)
                                        : clamped(sgd_adaptive_hold(limits, m->w, a) + by);
        sgd_count(&o->sgd, &m->count[y]);
        return;
    }
    float share = o->twin->s.opt.estimates ? 1 : WM_ADAPTIVE_SHARE;
    float w = share * oracle_wm_adaptive_estimate(o, id);
    m = slot_for(o, w);
    if (!m) return;
    *m = (struct oracle_wm_adaptive_member){.id = id_slots_fold(id), .w = w};
    m->count[y] = o->sgd.one;
}

static void every_weight(struct oracle_wm_adaptive *o, float penalty, float times)
{
    for (uint32_t s = 0; s < o->n; s++)
        o->member[s].w = times * oracle_shrunk(o->member[s].w, penalty);
    for (uint32_t c = 0; c < cells(o); c++)
        o->cell[c].w = times * oracle_shrunk(o->cell[c].w, penalty);
}

static void apply_l1(struct oracle_wm_adaptive *o, double share)
{
    o->sgd.penalty += share;
    if (o->sgd.t % ((o->n + (uint64_t)cells(o)) / 64 + 1)) return;
    every_weight(o, (float)(o->sgd.penalty - o->sgd.l1_applied), 1);
    o->sgd.l1_applied = o->sgd.penalty;
}

static void renew(struct oracle_wm_adaptive *o)
{
    float by = (float)(1 / o->sgd.grown);
    for (uint32_t c = 0; c < cells(o); c++)
        o->cell[c].a *= by;
    for (uint32_t s = 0; s < o->n; s++)
        sgd_renew_counts(&o->sgd, o->member[s].count, 2);
    sgd_renew(&o->sgd, NULL, NULL, 0);
}

double oracle_wm_adaptive_learn(struct oracle_wm_adaptive *o, const struct linear_row *r)
{
    float along[LONGEST], less[LONGEST], a[LONGEST], w;
    struct sgd_limits limits = sgd_adaptive_limits(&o->sgd);
    double z = predict(o, &limits, r, less);
    struct sgd_ways ways = {0};
    assert(r->n <= LONGEST);
    for (uint32_t i = 0; i < r->n; i++)
        if (less[i] < 1) lessen(o, &limits, r->id[i], less[i]);
    struct sgd_adaptive e = sgd_adaptive_begin(&o->sgd, z, r->y, (double)r->weight, r->new_record);
    for (uint32_t i = 0; i < r->n; i++) {
        read_feature(o, NULL, r->id[i], &w, &a[i]);
        along[i] = sgd_adaptive_direction(&e, sgd_adaptive_sum(&e, a[i], r->x[i]), r->x[i], &ways);
    }
    float u = sgd_adaptive_end(&o->sgd, &e, &ways);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->x[i] != 0)
            step(o, &limits, r->id[i], u * along[i], sgd_adaptive_more(&e, r->x[i]), r->y > 0);
    if (o->sgd.opt.l1 > 0) apply_l1(o, e.step.share);
    if (oracle_sgd_must_fold(&(struct oracle_sgd){.alpha = o->sgd.alpha, .t = o->sgd.t},
                             &o->sgd.opt)) {
        every_weight(o, (float)(o->sgd.penalty - o->sgd.l1_applied), (float)o->sgd.alpha);
        sgd_folded(&o->sgd);
    }
    if (sgd_must_renew(&o->sgd)) renew(o);
    return z;
}
