/* mission.c -- implementation of mission.h.
 *
 * s.bound is a lower bound of the smallest |beta| in the top. Only an estimate above it starts a
 * search for the smallest one.
 */
#include "mission.h"

#include <assert.h>

/* ---- memory ---- */

enum { USUAL = 128, ROWS = 3 };

uint32_t mission_slot_bytes(const struct linear_options *opt) { return opt->counts ? 16 : 8; }

uint32_t mission_cell_bytes(const struct linear_options *opt, const struct linear_shape *shape)
{
    return 4;
}

bool mission_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s)
{
    const uint32_t slot_bytes = mission_slot_bytes(opt);
    uint64_t fit = bytes / 2 / slot_bytes;
    if (!s->active) s->active = fit < USUAL ? (uint32_t)fit : USUAL;
    uint64_t set = s->active * (uint64_t)slot_bytes, cells = bytes > set ? (bytes - set) / 4 : 0;
    if (cells > LINEAR_MAX_CELLS) cells = LINEAR_MAX_CELLS;
    if (!s->depth && s->width)
        s->depth = (uint32_t)(cells / s->width < ROWS ? cells / s->width : ROWS);
    if (!s->depth) s->depth = cells < ROWS ? 1 : ROWS;
    if (!s->width) s->width = (uint32_t)(cells / s->depth);
    return s->active && s->width && s->active <= LINEAR_MAX_ACTIVE &&
           s->depth <= COUNT_SKETCH_MAX_DEPTH && linear_cells(s) <= LINEAR_MAX_CELLS &&
           s->active * (uint64_t)slot_bytes + 4 * linear_cells(s) <= bytes;
}

void mission_lay_out(struct store *s, struct layout *c)
{
    s->cell.weight = layout_take(c, (size_t)linear_cells(&s->shape), 4);
    s->member.weight = layout_take(c, s->first_cell, 4);
}

static void mission_lay_out_scratch(struct store *s, struct layout *c) {}

void mission_begin(struct store *s)
{
    struct mission *m = (struct mission *)s;
    assert(s->shape.active && s->shape.width && s->shape.depth);
    assert(s->opt.sgd.rates == SGD_SHARED && s->opt.sgd.l1 == 0);
    m->sketch.width = s->shape.width;
    m->sketch.depth = s->shape.depth;
    m->sketch.cell = s->cell.weight;
    count_sketch_draw(&m->sketch, s->opt.seed);
}

/* ---- learning ---- */

static double mission_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x)
{
    const struct mission *m = (const struct mission *)s;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = mission_find(m, id[i]);
        sum += (slot == STORE_NONE ? 0.0 : (double)m->s.member.weight[slot]) *
               (double)x[i]; /* beta_i x_i */
    }
    return sum * m->s.sgd.alpha + m->s.sgd.bias;
}

/* ---- the top ---- */

void mission_threshold(struct mission *m, uint64_t id, float w, uint32_t entry, int y)
{
    uint32_t slot = mission_find(m, id);
    if (slot == STORE_NONE) {
        if (lazy_min_bits(w) <= m->s.bound) return; /* true for most entries */
        slot = store_take_slot(&m->s, w);
        if (slot == STORE_NONE) return;
        store_enter(&m->s, slot, id_slots_fold(id), entry, y);
    } else if (m->s.count) {
        sgd_count(&m->s.sgd, &m->s.count[2 * (size_t)slot + (uint32_t)y]);
    }
    store_set(&m->s, slot, w);
}

/* ---- one example ---- */

static void mission_fold_alpha(struct mission *m)
{
    float a = (float)m->s.sgd.alpha;
    uint64_t cells = linear_cells(&m->s.shape);
    for (uint64_t c = 0; c < cells; c++)
        m->sketch.cell[c] *= a;
    for (uint32_t s = 0; s < m->s.set.n; s++)
        m->s.member.weight[s] *= a;
    store_forget_bounds(&m->s);
    sgd_folded(&m->s.sgd);
}

void mission_tidy(struct mission *m)
{
    if (sgd_must_fold(&m->s.sgd)) mission_fold_alpha(m);
    if (sgd_must_renew(&m->s.sgd)) sgd_renew(&m->s.sgd, NULL, m->s.count, m->s.set.n);
}

static enum linear_result mission_learn(struct store *s, const struct linear_row *row,
                                        const uint64_t *hash, double *margin)
{
    struct mission *m = (struct mission *)s;
    if (row->n > m->s.opt.max_row) return LINEAR_TOO_LONG;
    double z = mission_margin(s, row->n, row->id, row->x); /* step 1 of mission.h */
    /* Checks all values at once. Weights are finite and 0 times a non-finite value is NaN, so a
     * non-finite value makes z non-finite. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->s.n_entrants = 0;
    struct sgd_step g = sgd_advance(&m->s.sgd, z, row->y, (double)row->weight, row->new_record);
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t mix = hash ? (uint32_t)hash[i] : mission_mix(m, row->id[i]);
        float w = count_sketch_add(&m->sketch, mix, -(g.u * row->x[i]), SGD_LIMIT); /* step 2 */
        mission_threshold(m, row->id[i], w, i, g.y);                                /* step 3 */
    }
    if (sgd_is_due(&m->s.sgd)) mission_tidy(m);
#ifdef LEAT_CHECKS
    assert(!mission_check(s));
#endif
    return LINEAR_OK;
}

void mission_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    const struct mission *m = (const struct mission *)s;
    for (uint32_t i = 0; i < n; i++)
        hash[i] = mission_mix(m, id[i]);
}

/* ---- queries ---- */

double mission_weight(const struct store *s, uint64_t id)
{
    const struct mission *m = (const struct mission *)s;
    return (double)count_sketch_estimate(&m->sketch, mission_mix(m, id)) * s->sgd.alpha;
}

const char *mission_check(const struct store *s)
{
    for (uint32_t slot = 0; slot < s->set.n; slot++)
        if (!(fabsf(s->member.weight[slot]) <= SGD_LIMIT)) return "a weight is out of range";
    for (uint64_t c = 0; c < linear_cells(&s->shape); c++)
        if (!(fabsf(s->cell.weight[c]) <= SGD_LIMIT)) return "a cell is out of range";
    return store_check_slots(s);
}

void mission_weigh(const struct store *m, const struct sums *s, struct sums_place *place,
                   uint32_t n)
{
    const struct count_sketch *sketch = &((const struct mission *)m)->sketch;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mix = count_sketch_mix(sketch, id_slots_fold(place[i].id));
        place[i].weight = (double)count_sketch_estimate(sketch, mix);
        place[i].key = fabs(place[i].weight);
    }
}

const struct linear_kernel mission_kernel = {
    .model_bytes = sizeof(struct mission),
    .slot_bytes = mission_slot_bytes,
    .cell_bytes = mission_cell_bytes,
    .shape_for = mission_shape_for,
    .lay_out = mission_lay_out,
    .lay_out_scratch = mission_lay_out_scratch,
    .begin = mission_begin,
    .hash = mission_hash,
    .learn = mission_learn,
    .margin = mission_margin,
    .weight = mission_weight,
    .check = mission_check,
    .weigh = mission_weigh,
};
