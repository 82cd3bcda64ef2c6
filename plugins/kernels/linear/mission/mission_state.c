/* mission_state.c -- MISSION in memory, from its parts, and from two others; see mission.h. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "kernels/base/feature_id.h"
#include "kernels/base/layout.h"
#include "mission.h"

/* ---- shapes ---- */

enum { USUAL = 128, ROWS = 3 };

uint32_t mission_extra(const struct mission_options *opt) { return opt->counts ? 2 : 0; }

static uint64_t member_bytes(const struct mission_shape *s) { return 8 + 4 * (uint64_t)s->extra; }

static uint64_t cells_of(const struct mission_shape *s) { return (uint64_t)s->width * s->depth; }

uint64_t mission_charged_bytes(const struct mission_shape *s)
{
    return s->active * member_bytes(s) + 4 * cells_of(s);
}

bool mission_shape_from_budget(uint64_t bytes, struct mission_shape *s)
{
    uint64_t fit = bytes / 2 / member_bytes(s);
    if (!s->active) s->active = fit < USUAL ? (uint32_t)fit : USUAL;
    uint64_t set = s->active * member_bytes(s), cells = bytes > set ? (bytes - set) / 4 : 0;
    if (cells > MISSION_MAX_CELLS) cells = MISSION_MAX_CELLS;
    if (!s->depth && s->width)
        s->depth = (uint32_t)(cells / s->width < ROWS ? cells / s->width : ROWS);
    if (!s->depth) s->depth = cells < ROWS ? 1 : ROWS;
    if (!s->width) s->width = (uint32_t)(cells / s->depth);
    return s->active && s->width && s->active <= MISSION_MAX_ACTIVE &&
           s->depth <= COUNT_SKETCH_MAX_DEPTH && cells_of(s) <= MISSION_MAX_CELLS &&
           mission_charged_bytes(s) <= bytes;
}

static size_t lay_out(struct mission *m, void *block)
{
    const struct mission_shape *s = &m->shape;
    struct layout c = {block, 0};
    m->sketch.cell = layout_take(&c, (size_t)cells_of(s), 4);
    m->weight = layout_take(&c, lazy_min_padded(s->active), 4);
    m->count = m->opt.counts ? layout_take(&c, s->active, 8) : NULL;
    m->set.id = layout_take(&c, s->active + 2, 4);
    m->set.next = layout_take(&c, s->active + 2, 4);
    m->set.head = layout_take(&c, id_slots_heads(s->active), 4);
    m->bounds = layout_take(&c, lazy_min_bounds(lazy_min_padded(s->active)), 4);
    m->entrant = layout_take(&c, m->opt.max_row, sizeof *m->entrant);
    return c.used;
}

size_t mission_block_bytes(const struct mission_shape *shape, const struct mission_options *opt)
{
    struct mission m = {.shape = *shape, .opt = *opt};
    return lay_out(&m, NULL);
}

void mission_init(struct mission *m, const struct mission_shape *shape,
                  const struct mission_options *opt, void *block)
{
    uint32_t padded = lazy_min_padded(shape->active);
    assert(shape->active && shape->width && shape->depth && shape->extra == mission_extra(opt));
    assert(opt->sgd.rates == SGD_SHARED && opt->sgd.l1 == 0);
    *m = (struct mission){.shape = *shape, .opt = *opt, .bar = -1};
    lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    m->sketch.width = shape->width;
    m->sketch.depth = shape->depth;
    count_sketch_draw(&m->sketch, opt->seed);
    m->set.capacity = shape->active;
    m->set.seed = opt->seed;
    id_slots_rebuild(&m->set);
    lazy_min_init(&m->lightest, padded, m->bounds, lazy_min_bits(FLT_MAX));
    m->lightest.key = m->weight;
    for (uint32_t s = shape->active; s < padded; s++)
        m->weight[s] = FLT_MAX;
}

void mission_borrow(struct mission *m, const struct mission *from)
{
    assert(!m->opt.max_row && m->opt.seed == from->opt.seed);
    m->entrant = from->entrant;
    m->opt.max_row = from->opt.max_row;
}

/* ---- copies ---- */

struct linear_parts mission_parts(const struct mission *m)
{
    return (struct linear_parts){.sgd = m->sgd,
                                 .n = m->set.n,
                                 .id = m->set.id,
                                 .weight = m->weight,
                                 .count = m->count,
                                 .cells = cells_of(&m->shape),
                                 .cell = m->sketch.cell};
}

/* Ids, weights and cells are in their arrays, n members among them: the index, the bounds and the
 * clock are made. Bounds start at 0; no decision depends on how tight they are. */
static void rebuild(struct mission *m, const struct sgd *clock, uint32_t n)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->set.n = n;
    id_slots_rebuild(&m->set);
    lazy_min_forget(&m->lightest);
    m->bar = n < m->set.capacity ? -1 : 0;
    m->n_entrants = 0;
}

const char *mission_load(struct mission *m, const struct linear_parts *p)
{
    struct linear_parts to = mission_parts(m);
    assert(!m->set.n && !m->sgd.t && p->n <= m->shape.active);
    linear_take_parts(&to, p);
    rebuild(m, &p->sgd, p->n);
    return id_slots_check(&m->set) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

void mission_merge(struct mission *m, const struct mission *a, const struct mission *b,
                   double count, struct linear_origin *member)
{
    assert(a->opt.seed == b->opt.seed && m->opt.seed == a->opt.seed && !m->set.n);
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    const struct linear_parts in_m = mission_parts(m), in_a = mission_parts(a),
                              in_b = mission_parts(b);
    linear_mix_cells(&in_m, &in_a, &in_b, share);
    uint32_t n = linear_unite(a->set.n, a->set.id, b->set.n, b->set.id, member);
    uint32_t stay = n < m->shape.active ? n : m->shape.active;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mix = count_sketch_mix(&m->sketch, member[i].id);
        member[i].weight = (double)count_sketch_estimate(&m->sketch, mix);
        member[i].key = fabs(member[i].weight);
    }
    linear_rank(member, n);
    for (uint32_t s = 0; s < stay; s++) {
        m->set.id[s] = member[s].id;
        m->weight[s] = (float)member[s].weight;
        linear_mix_slot(&in_m, s, &member[s], &in_a, &in_b, count);
    }
    rebuild(m, &clock, stay);
}
