/* bear.c -- see bear.h.
 *
 * Invariants (bear_check): those of the top; fewer examples wait than a mini-batch has, with fewer
 * entries.
 */
#include "bear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "mission_inside.h"

/* Weight of a feature in the model: its estimate, or 0 when it is not in the top. */
static double beta_of(const struct mission *m, uint64_t id)
{
    if (mission_find(m, id) == NOWHERE) return 0;
    return (double)count_sketch_estimate(&m->sketch, mission_mix(m, id)) * m->sgd.alpha;
}

double bear_margin(const struct bear *b, uint32_t n, const uint64_t *id, const float *x)
{
    double sum = b->top.sgd.bias;
    for (uint32_t i = 0; i < n; i++)
        sum += beta_of(&b->top, id[i]) * (double)x[i]; /* beta_i x_i */
    return sum;
}

/* ---- the active set ---- */

/* Sorts n keys by their upper halves, eight bits a pass. */
static void sort_keys(uint64_t *key, uint64_t *other, uint32_t n)
{
    for (uint32_t shift = 32; shift < 64; shift += 8) {
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < n; i++)
            start[(key[i] >> shift & 255) + 1]++;
        for (uint32_t d = 0; d < 256; d++)
            start[d + 1] += start[d];
        for (uint32_t i = 0; i < n; i++)
            other[start[key[i] >> shift & 255]++] = key[i];
        uint64_t *swap = key; /* after four passes they are where they were */
        key = other;
        other = swap;
    }
}

/* A, and where the entries that wait are in it. */
static struct lbfgs_ids find_active(struct bear *b)
{
    struct bear_scratch *s = &b->scratch;
    const struct linear_pending *p = &b->pending;
    for (uint32_t e = 0; e < p->entries; e++)
        s->key[e] = (uint64_t)p->id[e] << 32 | e;
    sort_keys(s->key, s->sorted, p->entries);
    s->n = 0;
    for (uint32_t e = 0; e < p->entries; e++) {
        uint32_t id = (uint32_t)(s->key[e] >> 32);
        if (!s->n || s->id[s->n - 1] != id) s->id[s->n++] = id;
        s->at[(uint32_t)s->key[e]] = s->n - 1;
    }
    return (struct lbfgs_ids){s->n, s->id};
}

/* ---- a mini-batch ---- */

/* Step 5: g(beta). */
static void gradient(const struct bear *b, const double *beta, double *g)
{
    const struct linear_pending *p = &b->pending;
    const struct sgd *sgd = &b->top.sgd;
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

/* Step 7, and beta' of step 8, by which members are weighed. */
static void move(struct bear *b, struct lbfgs_ids a, double eta)
{
    struct mission *m = &b->top;
    for (uint32_t i = 0; i < a.n; i++) {
        float d = lbfgs_float(-eta * b->scratch.z[i] / m->sgd.alpha);
        count_sketch_add(&m->sketch, mission_mix(m, a.id[i]), d, SGD_LIMIT);
    }
    for (uint32_t i = 0; i < a.n; i++) { /* all have moved: they may share cells */
        uint32_t slot = mission_find(m, a.id[i]);
        b->scratch.after[i] = beta_of(m, a.id[i]);
        if (slot != NOWHERE)
            mission_weigh(m, slot, count_sketch_estimate(&m->sketch, mission_mix(m, a.id[i])));
    }
}

static void learn_batch(struct bear *b, double eta)
{
    struct bear_scratch *s = &b->scratch;
    struct lbfgs_ids a = find_active(b);
    for (uint32_t i = 0; i < a.n; i++)
        s->beta[i] = beta_of(&b->top, a.id[i]); /* step 4 */
    gradient(b, s->beta, s->g);
    if (!lbfgs_direction(&b->lbfgs, a, s->g, s->z)) { /* step 6 */
        lbfgs_forget(&b->lbfgs);
        memcpy(s->z, s->g, a.n * sizeof *s->z);
    }
    move(b, a, eta);
    gradient(b, s->after, s->z);
    for (uint32_t i = 0; i < a.n; i++) { /* step 8 */
        s->after[i] -= s->beta[i];
        s->z[i] -= s->g[i];
    }
    lbfgs_push(&b->lbfgs, a, s->after, s->z);
    b->pending.n = b->pending.entries = 0;
}

/* ---- one example ---- */

static void append(struct linear_pending *p, const struct linear_row *row)
{
    for (uint32_t i = 0; i < row->n; i++) {
        p->id[p->entries + i] = id_slots_fold(row->id[i]);
        p->x[p->entries + i] = row->x[i];
    }
    p->entries += row->n;
    p->length[p->n] = row->n;
    p->pull[p->n++] = (float)row->y * row->weight;
}

enum linear_result bear_learn_hashed(struct bear *b, const struct linear_row *row,
                                     const uint64_t *hash, double *margin)
{
    struct mission *m = &b->top;
    if (row->n > m->opt.max_row) return LINEAR_TOO_LONG;
    double z = bear_margin(b, row->n, row->id, row->x); /* step 1 */
    if (!isfinite(z)) return LINEAR_NONFINITE;          /* as in mission.c */
    *margin = z;
    m->n_entrants = 0;
    struct sgd_step g = sgd_advance(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    struct linear_pending *p = &b->pending;
    if (p->n && p->entries + row->n > b->opt.entries) learn_batch(b, g.eta);
    for (uint32_t i = 0; i < row->n; i++) { /* step 3 */
        uint32_t mix = hash ? (uint32_t)hash[i] : mission_mix(m, row->id[i]);
        mission_threshold(m, row->id[i], count_sketch_estimate(&m->sketch, mix), i, g.y);
    }
    append(p, row);
    if (p->n == b->opt.batch || p->entries >= b->opt.entries) learn_batch(b, g.eta);
    if (sgd_is_due(&m->sgd)) mission_tidy(m);
    b->n_entrants = m->n_entrants;
#ifdef LEAT_CHECKS
    assert(!bear_check(b));
#endif
    return LINEAR_OK;
}

const char *bear_check(const struct bear *b)
{
    const struct linear_pending *p = &b->pending;
    if (p->n >= b->opt.batch || p->entries >= b->opt.entries)
        return "a whole mini-batch has not been learned";
    return mission_check(&b->top);
}
