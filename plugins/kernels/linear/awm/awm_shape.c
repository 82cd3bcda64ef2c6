/* awm_shape.c -- an AWM-Sketch in memory: what a shape costs, the shape for a budget, where its
 * arrays lie, and the empty model; see awm.h.
 *
 * The cost model is that of the paper (section 7): four bytes for each id, weight, other value of a
 * slot, and cell. Index, padding and scratch are in awm_block_bytes.
 */
#include "awm.h"

#include <assert.h>
#include <float.h>

#include "awm_scan.h"
#include "kernels/base/layout.h"

/* ---- the budget ---- */

uint32_t awm_extra(const struct awm_options *opt)
{
    return awm_keeps_accumulators(opt) + (awm_keeps_counts(opt) ? 2u : 0u) + awm_keeps_l1_seen(opt);
}

static bool fit(uint64_t bytes, uint64_t for_sketch, struct awm_shape *s)
{
    if (!s->depth) s->depth = 1;
    uint64_t max = for_sketch / 4 < AWM_MAX_CELLS ? for_sketch / 4 : AWM_MAX_CELLS;
    uint64_t width = s->width ? s->width : linear_widest(max, s->depth), active = s->active;
    uint64_t sketch = 4 * width * s->depth;
    if (!active) active = bytes > sketch ? (bytes - sketch) / (8 + 4 * (uint64_t)s->extra) : 0;
    if (active > AWM_MAX_ACTIVE) active = AWM_MAX_ACTIVE;
    s->active = (uint32_t)active;
    s->width = (uint32_t)width;
    return active > 0 && s->depth <= AWM_MAX_DEPTH && width * s->depth <= AWM_MAX_CELLS;
}

uint64_t awm_charged_bytes(const struct awm_shape *s)
{
    return (uint64_t)s->active * (8 + 4 * (uint64_t)s->extra) + 4 * (uint64_t)s->width * s->depth;
}

bool awm_shape_from_budget(uint64_t bytes, struct awm_shape *s) { return fit(bytes, bytes / 2, s); }

bool awm_shape_for(uint64_t bytes, const struct awm_options *opt, struct awm_shape *s)
{
    s->extra = awm_extra(opt);
    return fit(bytes, bytes / 2, s);
}

/* ---- arrays ---- */

static void lay_out_scratch(struct awm *m, struct layout *c)
{
    uint32_t n = m->opt.max_row;
    m->at = layout_take(c, n, 4);
    m->sx = layout_take(c, n, 4);
    m->before = layout_take(c, n, 4);
    m->key = layout_take(c, n, 4);
    m->member = layout_take(c, n, 4);
    m->candidate = layout_take(c, n, 8);
    m->entrant = layout_take(c, n, sizeof(struct linear_entrant));
}

static size_t lay_out(struct awm *m, void *block)
{
    const struct awm_shape *s = &m->shape;
    struct layout c = {block, 0};
    size_t cells = lazy_min_padded(s->active) + (size_t)s->width * s->depth;
    m->cell = layout_take(&c, cells, 4);
    m->id = layout_take(&c, s->active + 2, 4);
    m->accumulator = awm_keeps_accumulators(&m->opt) ? layout_take(&c, s->active, 4) : NULL;
    m->count = awm_keeps_counts(&m->opt) ? layout_take(&c, s->active, 8) : NULL;
    m->l1_seen = awm_keeps_l1_seen(&m->opt) ? layout_take(&c, s->active, 4) : NULL;
    m->state_bytes = c.used;
    m->index.head = layout_take(&c, id_slots_heads(s->active), 4);
    m->index.next = layout_take(&c, s->active + 2, 4);
    m->bounds = layout_take(&c, lazy_min_bounds(lazy_min_padded(s->active)), 4);
    lay_out_scratch(m, &c);
    return c.used;
}

size_t awm_block_bytes(const struct awm_shape *shape, const struct awm_options *opt)
{
    struct awm m = {.shape = *shape, .opt = *opt};
    return lay_out(&m, NULL);
}

void awm_init(struct awm *m, const struct awm_shape *shape, const struct awm_options *opt,
              void *block)
{
    assert(shape->active && shape->active <= AWM_MAX_ACTIVE && shape->depth <= AWM_MAX_DEPTH);
    assert((uint64_t)shape->width * shape->depth <= AWM_MAX_CELLS && shape->depth > 0);
    assert(shape->width && !(shape->width & (shape->width - 1)) && shape->extra == awm_extra(opt));
    *m = (struct awm){.shape = *shape, .opt = *opt, .bound = -1};
    m->opt.counts = awm_keeps_counts(opt);
    lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    m->first_cell = lazy_min_padded(shape->active);
    m->index.capacity = shape->active;
    m->index.seed = opt->seed;
    m->index.id = m->id;
    id_slots_rebuild(&m->index);
    lazy_min_init(&m->lowest, m->first_cell, m->bounds, bits_of(FLT_MAX));
    m->lowest.key = m->cell;
    for (uint32_t s = shape->active; s < m->first_cell; s++)
        m->cell[s] = FLT_MAX;
}

void awm_borrow(struct awm *m, const struct awm *from)
{
    assert(!m->opt.max_row && m->opt.seed == from->opt.seed);
    m->opt.max_row = from->opt.max_row;
    lay_out_scratch(m, &(struct layout){(char *)from->at, 0});
}
