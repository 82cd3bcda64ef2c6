/* bear.c -- implementation of bear.h.
 *
 * Invariants: mission_check(); fewer than `batch` examples wait, with fewer than `entries` entries
 * in total.
 */
#include "bear.h"

#include <assert.h>
#include <string.h>

/* ---- memory ---- */

/* Returns the limit of entries in a mini-batch, which may be a single long row. */
static uint32_t bear_room_of(const struct linear_options *o)
{
    return o->longest > o->entries ? o->longest : o->entries;
}

/* Lays out the arrays of the pairs and of the waiting examples. */
static void bear_lay_out_pairs(struct bear *b, const struct linear_options *o, struct layout *c)
{
    struct linear_pairs *p = &b->lbfgs.pairs;
    struct linear_pending *w = &b->pending;
    size_t of_pairs = ((size_t)o->tau + 1) * o->entries, room = bear_room_of(o);
    p->length = layout_take(c, o->tau + 1, 4);
    p->id = layout_take(c, of_pairs, 4);
    p->s = layout_take(c, of_pairs, 4);
    p->r = layout_take(c, of_pairs, 4);
    b->lbfgs.sr = layout_take(c, (size_t)o->tau * o->tau, 8);
    b->lbfgs.rr = layout_take(c, (size_t)o->tau * o->tau, 8);
    w->length = layout_take(c, o->batch, 4);
    w->pull = layout_take(c, o->batch, 4);
    w->id = layout_take(c, room, 4);
    w->x = layout_take(c, room, 4);
}

static size_t bear_pair_bytes(const struct linear_options *opt)
{
    struct bear b;
    struct layout c = {NULL, 0};
    bear_lay_out_pairs(&b, opt, &c);
    return c.used;
}

static void bear_lay_out(struct store *s, struct layout *c)
{
    mission_lay_out(s, c);
    bear_lay_out_pairs((struct bear *)s, &s->opt, c);
}

static void bear_lay_out_scratch(struct store *s, struct layout *c)
{
    struct bear_scratch *w = &((struct bear *)s)->scratch;
    size_t room = bear_room_of(&s->opt);
    if (!s->opt.max_row) return; /* store_borrow() sets another model's scratch */
    w->key = layout_take(c, room, 8);
    w->sorted = layout_take(c, room, 8);
    w->id = layout_take(c, room, 4);
    w->at = layout_take(c, room, 4);
    w->beta = layout_take(c, room, 8);
    w->after = layout_take(c, room, 8);
    w->g = layout_take(c, room, 8);
    w->z = layout_take(c, room, 8);
}

static void bear_begin(struct store *s)
{
    struct bear *b = (struct bear *)s;
    const struct linear_options *opt = &s->opt;
    assert(opt->tau && opt->tau <= LBFGS_MAX_PAIRS && opt->batch && opt->entries);
    assert(opt->max_row <= opt->longest);
    mission_begin(s);
    b->lbfgs.pairs.max = opt->tau;
    b->lbfgs.pairs.max_entries = opt->tau * opt->entries;
    b->pending.max = opt->batch - 1; /* the last example of a mini-batch does not wait */
    b->pending.max_entries = opt->entries - 1;
}

/* ---- the margin ---- */

/* Returns beta of a feature: its estimate, or 0 if it is not in the top. */
static double bear_beta_of(const struct mission *m, uint64_t id)
{
    return mission_find(m, id) == STORE_NONE ? 0 : mission_weight(&m->s, id);
}

static double bear_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x)
{
    const struct mission *top = (const struct mission *)s;
    double sum = s->sgd.bias;
    for (uint32_t i = 0; i < n; i++)
        sum += bear_beta_of(top, id[i]) * (double)x[i]; /* beta_i x_i */
    return sum;
}

/* ---- the active set ---- */

/* Sorts n keys by their upper halves, eight bits a pass. */
static void bear_sort_keys(uint64_t *key, uint64_t *other, uint32_t n)
{
    for (uint32_t shift = 32; shift < 64; shift += 8) {
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < n; i++)
            start[(key[i] >> shift & 255) + 1]++;
        for (uint32_t d = 0; d < 256; d++)
            start[d + 1] += start[d];
        for (uint32_t i = 0; i < n; i++)
            other[start[key[i] >> shift & 255]++] = key[i];
        uint64_t *swap = key; /* after four passes the keys are back in `key` */
        key = other;
        other = swap;
    }
}

/* Finds A, the ids of the waiting examples. Sets scratch.at[e] to the index in A of each waiting
 * entry e. */
static struct lbfgs_ids bear_find_active(struct bear *b)
{
    struct bear_scratch *s = &b->scratch;
    const struct linear_pending *p = &b->pending;
    for (uint32_t e = 0; e < p->entries; e++)
        s->key[e] = (uint64_t)p->id[e] << 32 | e;
    bear_sort_keys(s->key, s->sorted, p->entries);
    s->n = 0;
    for (uint32_t e = 0; e < p->entries; e++) {
        uint32_t id = (uint32_t)(s->key[e] >> 32);
        if (!s->n || s->id[s->n - 1] != id) s->id[s->n++] = id;
        s->at[(uint32_t)s->key[e]] = s->n - 1;
    }
    return (struct lbfgs_ids){s->n, s->id};
}

/* ---- a mini-batch ---- */

/* Performs step 5 of bear.h: computes g(beta). */
static void bear_gradient(const struct bear *b, const double *beta, double *g)
{
    const struct linear_pending *p = &b->pending;
    const struct sgd *sgd = &b->top.s.sgd;
    memset(g, 0, b->scratch.n * sizeof *g);
    for (uint32_t k = 0, e = 0; k < p->n; k++) {
        uint32_t end = e + p->length[k], first = e;
        double z = sgd->bias, y = p->pull[k] < 0 ? -1 : 1;
        for (; e < end; e++)
            z += beta[b->scratch.at[e]] * (double)p->x[e];
        double slope =
            (double)p->pull[k] * loss_slope(sgd->opt.loss, y * z) / p->n; /* c y l' / n */
        for (e = first; e < end; e++)
            g[b->scratch.at[e]] += slope * (double)p->x[e];
    }
}

/* Performs step 7 of bear.h, the step of the sketch, and computes beta' of step 8. The weights of
 * features in the top become their new estimates. */
static void bear_move(struct bear *b, struct lbfgs_ids a, double eta)
{
    struct mission *m = &b->top;
    for (uint32_t i = 0; i < a.n; i++) {
        float d = lbfgs_float(-eta * b->scratch.z[i] / m->s.sgd.alpha);
        count_sketch_add(&m->sketch, mission_mix(m, a.id[i]), d, SGD_LIMIT);
    }
    for (uint32_t i = 0; i < a.n; i++) { /* after all moves, because features may share cells */
        uint32_t slot = mission_find(m, a.id[i]);
        b->scratch.after[i] = bear_beta_of(m, a.id[i]);
        if (slot != STORE_NONE)
            store_set(&m->s, slot, count_sketch_estimate(&m->sketch, mission_mix(m, a.id[i])));
    }
}

static void bear_learn_batch(struct bear *b, double eta)
{
    struct bear_scratch *s = &b->scratch;
    struct lbfgs_ids a = bear_find_active(b);
    for (uint32_t i = 0; i < a.n; i++)
        s->beta[i] = bear_beta_of(&b->top, a.id[i]); /* step 4 of bear.h */
    bear_gradient(b, s->beta, s->g);
    if (!lbfgs_direction(&b->lbfgs, a, s->g, s->z)) { /* step 6 of bear.h */
        lbfgs_forget(&b->lbfgs);
        memcpy(s->z, s->g, a.n * sizeof *s->z);
    }
    bear_move(b, a, eta);
    bear_gradient(b, s->after, s->z);
    for (uint32_t i = 0; i < a.n; i++) { /* step 8 of bear.h */
        s->after[i] -= s->beta[i];
        s->z[i] -= s->g[i];
    }
    lbfgs_push(&b->lbfgs, a, s->after, s->z);
    b->pending.n = b->pending.entries = 0;
}

/* ---- one example ---- */

static const char *bear_check(const struct store *s)
{
    const struct bear *b = (const struct bear *)s;
    const struct linear_pending *p = &b->pending;
    if (p->n >= s->opt.batch || p->entries >= s->opt.entries)
        return "a whole mini-batch has not been learned";
    return mission_check(s);
}

static void bear_append(struct linear_pending *p, const struct linear_row *row)
{
    for (uint32_t i = 0; i < row->n; i++) {
        p->id[p->entries + i] = id_slots_fold(row->id[i]);
        p->x[p->entries + i] = row->x[i];
    }
    p->entries += row->n;
    p->length[p->n] = row->n;
    p->pull[p->n++] = (float)row->y * row->weight;
}

static enum linear_result bear_learn(struct store *s, const struct linear_row *row,
                                     const uint64_t *hash, double *margin)
{
    struct bear *b = (struct bear *)s;
    struct mission *m = &b->top;
    if (row->n > m->s.opt.max_row) return LINEAR_TOO_LONG;
    double z = bear_margin(s, row->n, row->id, row->x); /* step 1 of bear.h */
    if (!isfinite(z)) return LINEAR_NONFINITE;          /* see mission_learn() */
    *margin = z;
    m->s.n_entrants = 0;
    struct sgd_step g = sgd_advance(&m->s.sgd, z, row->y, (double)row->weight, row->new_record);
    struct linear_pending *p = &b->pending;
    if (p->n && p->entries + row->n > b->top.s.opt.entries) bear_learn_batch(b, g.eta);
    for (uint32_t i = 0; i < row->n; i++) { /* step 3 of bear.h */
        uint32_t mix = hash ? (uint32_t)hash[i] : mission_mix(m, row->id[i]);
        mission_threshold(m, row->id[i], count_sketch_estimate(&m->sketch, mix), i, g.y);
    }
    bear_append(p, row);
    if (p->n == b->top.s.opt.batch || p->entries >= b->top.s.opt.entries)
        bear_learn_batch(b, g.eta);
    if (sgd_is_due(&m->s.sgd)) mission_tidy(m);
#ifdef LEAT_CHECKS
    assert(!bear_check(s));
#endif
    return LINEAR_OK;
}

/* ---- copies ---- */

static void bear_parts(const struct store *s, struct linear_parts *p)
{
    const struct bear *b = (const struct bear *)s;
    p->pairs = b->lbfgs.pairs;
    p->pending = b->pending;
}

static void bear_take_pairs(struct linear_pairs *to, const struct linear_pairs *p)
{
    memcpy(to->length, p->length, p->n * sizeof *p->length);
    memcpy(to->id, p->id, p->entries * sizeof *p->id);
    memcpy(to->s, p->s, p->entries * sizeof *p->s);
    memcpy(to->r, p->r, p->entries * sizeof *p->r);
    to->n = p->n;
    to->entries = p->entries;
}

static void bear_take_pending(struct linear_pending *to, const struct linear_pending *p)
{
    memcpy(to->length, p->length, p->n * sizeof *p->length);
    memcpy(to->pull, p->pull, p->n * sizeof *p->pull);
    memcpy(to->id, p->id, p->entries * sizeof *p->id);
    memcpy(to->x, p->x, p->entries * sizeof *p->x);
    to->n = p->n;
    to->entries = p->entries;
}

static const char *bear_load(struct store *s, const struct linear_parts *p)
{
    struct bear *b = (struct bear *)s;
    uint64_t sum = 0;
    assert(p->pairs.n <= b->lbfgs.pairs.max && p->pairs.entries <= b->lbfgs.pairs.max_entries);
    assert(p->pending.n <= b->pending.max && p->pending.entries <= b->pending.max_entries);
    for (uint32_t k = 0; k < p->pending.n; k++)
        sum += p->pending.length[k];
    if (sum != p->pending.entries)
        return "pending_lengths do not add up to the number of pending_ids";
    bear_take_pending(&b->pending, &p->pending);
    bear_take_pairs(&b->lbfgs.pairs, &p->pairs);
    return lbfgs_rebuild(&b->lbfgs);
}

const struct linear_kernel bear_kernel = {
    .model_bytes = sizeof(struct bear),
    .slot_bytes = mission_slot_bytes,
    .cell_bytes = mission_cell_bytes,
    .beside_bytes = bear_pair_bytes,
    .shape_for = mission_shape_for,
    .lay_out = bear_lay_out,
    .lay_out_scratch = bear_lay_out_scratch,
    .begin = bear_begin,
    .hash = mission_hash,
    .learn = bear_learn,
    .margin = bear_margin,
    .weight = mission_weight,
    .check = bear_check,
    .parts = bear_parts,
    .load = bear_load,
    .weigh = mission_weigh,
};
