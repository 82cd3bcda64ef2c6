/* adaptive_shape.c -- what a shape costs, the shape for a budget, where its arrays lie, and the
 * empty model; see adaptive.h.
 */
#include "adaptive.h"

#include <assert.h>
#include <float.h>

#include "adaptive_inside.h"
#include "kernels/base/layout.h"

/* ---- the budget ---- */

static bool compact(const struct adaptive_options *opt)
{
    return opt->precision == ADAPTIVE_COMPACT;
}

uint32_t adaptive_member_bytes(const struct adaptive_options *opt)
{
    return (compact(opt) ? 4u + 2u + 1u : 4u + 4u + 4u) + (opt->counts ? 8u : 0u);
}

uint32_t adaptive_cell_bytes(const struct adaptive_options *opt, bool owned)
{
    return (compact(opt) ? 2u + 1u : 4u + 4u) + (owned ? 1u : 0u);
}

static uint32_t at_most(uint64_t n, uint32_t most) { return n < most ? (uint32_t)n : most; }

/* As many as fit; where they are few, with the tags of their owners, in pairs. */
static uint32_t cells_for(uint64_t bytes, const struct adaptive_options *opt)
{
    uint64_t owned = bytes / adaptive_cell_bytes(opt, true) / 2 * 2;
    if (owned <= ADAPTIVE_FEW_CELLS) return (uint32_t)owned;
    return at_most(bytes / adaptive_cell_bytes(opt, false), ADAPTIVE_MAX_CELLS);
}

bool adaptive_shape_for(uint64_t bytes, const struct adaptive_options *opt,
                        struct adaptive_shape *s)
{
    uint32_t member = adaptive_member_bytes(opt);
    if (s->cells == ADAPTIVE_CHOOSE) {
        uint64_t given = (uint64_t)s->active * member, left = given < bytes ? bytes - given : 0;
        s->cells = cells_for(s->active == ADAPTIVE_CHOOSE ? bytes / 2 : left, opt);
    }
    s->owned = s->cells > 1 && s->cells <= ADAPTIVE_FEW_CELLS;
    if (s->active == ADAPTIVE_CHOOSE) {
        uint64_t given = (uint64_t)s->cells * adaptive_cell_bytes(opt, s->owned);
        uint64_t left = given < bytes ? bytes - given : 0;
        s->active = at_most(left / member, ADAPTIVE_MAX_ACTIVE);
        if (!s->active) return false;
    }
    return s->active + (uint64_t)s->cells > 0 && s->active <= ADAPTIVE_MAX_ACTIVE &&
           s->cells <= ADAPTIVE_MAX_CELLS;
}

uint64_t adaptive_charged_bytes(const struct adaptive_shape *s, const struct adaptive_options *opt)
{
    return (uint64_t)s->active * adaptive_member_bytes(opt) +
           (uint64_t)s->cells * adaptive_cell_bytes(opt, s->owned);
}

/* ---- arrays ---- */

static void lay_out_scratch(struct adaptive *m, struct layout *c)
{
    uint32_t n = m->opt.max_row;
    m->at = layout_take(c, n, 4);
    m->fold = layout_take(c, n, 4);
    m->flip = layout_take(c, n, 4);
    m->pair = m->shape.owned ? layout_take(c, n, 4) : NULL;
    m->tag = m->shape.owned ? layout_take(c, n, 1) : NULL;
    m->along = layout_take(c, n, 4);
    m->entrant = layout_take(c, n, sizeof(struct linear_entrant));
}

static bool some_have_no_place(const struct adaptive_shape *s) { return s->owned || !s->cells; }

static size_t lay_out(struct adaptive *m, void *block)
{
    struct layout c = {block, 0};
    uint32_t active = m->shape.active, slots = lazy_min_padded(active ? active : 1);
    size_t places = slots + (size_t)m->shape.cells + some_have_no_place(&m->shape);
    bool half = compact(&m->opt);
    m->half = half ? layout_take(&c, places, 2) : NULL;
    m->code = half ? layout_take(&c, places, 1) : NULL;
    m->weight = half ? NULL : layout_take(&c, places, 4);
    m->sum = half ? NULL : layout_take(&c, places, 4);
    m->id = layout_take(&c, active + 2, 4);
    m->count = m->opt.counts ? layout_take(&c, active, 8) : NULL;
    m->owner = m->shape.owned ? layout_take(&c, m->shape.cells, 1) : NULL;
    m->index.head = layout_take(&c, id_slots_heads(active), 4);
    m->index.next = layout_take(&c, active + 2, 4);
    m->bounds = layout_take(&c, lazy_min_bounds(slots), 4);
    lay_out_scratch(m, &c);
    return c.used;
}

size_t adaptive_block_bytes(const struct adaptive_shape *shape, const struct adaptive_options *opt)
{
    struct adaptive m = {.shape = *shape, .opt = *opt};
    return lay_out(&m, NULL);
}

void adaptive_init(struct adaptive *m, const struct adaptive_shape *shape,
                   const struct adaptive_options *opt, void *block)
{
    assert(shape->active + (uint64_t)shape->cells > 0 && shape->active <= ADAPTIVE_MAX_ACTIVE);
    assert(!shape->owned || (shape->owned == 1 && shape->cells > 1));
    assert(shape->cells <= ADAPTIVE_MAX_CELLS && opt->sgd.rates == SGD_ADAPTIVE);
    *m = (struct adaptive){.shape = *shape, .opt = *opt};
    m->bound = shape->active ? -1 : INT32_MAX; /* without S nothing enters */
    lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    m->first_cell = lazy_min_padded(shape->active ? shape->active : 1);
    m->nobody = some_have_no_place(shape) ? m->first_cell + shape->cells : NOWHERE;
    m->index.capacity = shape->active;
    m->index.made_for = shape->active ? ID_SLOTS_FEW : 0;
    m->index.seed = opt->seed;
    m->index.id = m->id;
    id_slots_rebuild(&m->index);
    lazy_min_init(&m->lowest, m->first_cell, m->bounds, lazy_min_bits(FLT_MAX));
    m->lowest.key = compact(opt) ? (const void *)m->half : m->weight;
    m->lowest.upper_halves = compact(opt);
    for (uint32_t s = shape->active; s < m->first_cell; s++) /* padding is never the lightest */
        compact(opt) ? (void)(m->half[s] = 0x7f7f) : (void)(m->weight[s] = FLT_MAX);
}

void adaptive_borrow(struct adaptive *m, const struct adaptive *from)
{
    assert(!m->opt.max_row && m->opt.seed == from->opt.seed);
    m->opt.max_row = from->opt.max_row;
    lay_out_scratch(m, &(struct layout){(char *)from->at, 0});
}
