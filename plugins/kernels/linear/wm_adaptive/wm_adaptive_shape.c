/* wm_adaptive_shape.c -- what a shape costs, the shape for a budget, where its arrays lie, and the
 * empty model; see wm_adaptive.h.
 */
#include <assert.h>

#include "kernels/base/layout.h"
#include "wm_adaptive.h"
#include "wm_adaptive_inside.h"

/* ---- the budget ---- */

enum { USUAL = 128, SHARE_OF_MEMBERS = 4, BESIDE_ONE_ROW = 8 };

static bool compact(const struct wm_adaptive_options *opt)
{
    return opt->precision == ADAPTIVE_COMPACT;
}

uint32_t wm_adaptive_member_bytes(const struct wm_adaptive_options *opt)
{
    return (compact(opt) ? 4u + 2u : 4u + 4u) + (opt->counts ? 8u : 0u);
}

uint32_t wm_adaptive_cell_bytes(const struct wm_adaptive_options *opt)
{
    return compact(opt) ? 2u + 1u : 4u + 4u;
}

uint64_t wm_adaptive_charged_bytes(const struct wm_adaptive_shape *s,
                                   const struct wm_adaptive_options *opt)
{
    return (uint64_t)s->active * wm_adaptive_member_bytes(opt) +
           (uint64_t)s->width * s->depth * wm_adaptive_cell_bytes(opt);
}

static uint32_t at_most(uint64_t n, uint32_t most) { return n < most ? (uint32_t)n : most; }

static bool is_whole(const struct wm_adaptive_shape *s)
{
    return s->active && s->width && s->depth && s->active <= WM_ADAPTIVE_MAX_ACTIVE &&
           s->depth <= COUNT_SKETCH_MAX_DEPTH &&
           (uint64_t)s->width * s->depth <= WM_ADAPTIVE_MAX_CELLS;
}

/* Rows of all cells that fit; where rows are given, as many of them as fit, at most the usual. */
static void choose_cells(struct wm_adaptive_shape *s, uint64_t cells)
{
    if (!s->depth && s->width) s->depth = at_most(cells / s->width, WM_ADAPTIVE_DEPTH);
    if (!s->depth) s->depth = at_most(cells, WM_ADAPTIVE_DEPTH);
    if (!s->width && s->depth) s->width = (uint32_t)(cells / s->depth);
}

bool wm_adaptive_shape_for(uint64_t bytes, const struct wm_adaptive_options *opt,
                           struct wm_adaptive_shape *s)
{
    uint32_t member = wm_adaptive_member_bytes(opt), cell = wm_adaptive_cell_bytes(opt);
    uint64_t share = bytes / (s->depth == 1 ? BESIDE_ONE_ROW : SHARE_OF_MEMBERS);
    if (!s->active) s->active = at_most(share / member, USUAL);
    if (!s->active) s->active = 1;
    uint64_t taken = (uint64_t)s->active * member, left = taken < bytes ? bytes - taken : 0;
    choose_cells(s, at_most(left / cell, WM_ADAPTIVE_MAX_CELLS));
    return is_whole(s) && wm_adaptive_charged_bytes(s, opt) <= bytes;
}

/* ---- arrays ---- */

static void lay_out_scratch(struct wm_adaptive *m, struct layout *c)
{
    uint32_t n = m->opt.max_row;
    m->place = layout_take(c, (size_t)n * m->shape.depth, 4);
    m->along = layout_take(c, n, 4);
    m->entrant = layout_take(c, n, sizeof *m->entrant);
}

static struct numbers take_weights(struct layout *c, size_t n, bool half)
{
    return (struct numbers){.half = half ? layout_take(c, n, 2) : NULL,
                            .weight = half ? NULL : layout_take(c, n, 4)};
}

static size_t lay_out(struct wm_adaptive *m, void *block)
{
    struct layout c = {block, 0};
    uint32_t active = m->shape.active, slots = lazy_min_padded(active);
    size_t cells = (size_t)m->shape.width * m->shape.depth;
    bool half = compact(&m->opt);
    m->cell = take_weights(&c, cells, half);
    m->cell.code = half ? layout_take(&c, cells, 1) : NULL;
    m->cell.sum = half ? NULL : layout_take(&c, cells, 4);
    m->member = take_weights(&c, slots, half);
    m->set.id = layout_take(&c, active + 2, 4);
    m->count = m->opt.counts ? layout_take(&c, active, 8) : NULL;
    m->set.head = layout_take(&c, id_slots_heads(active), 4);
    m->set.next = layout_take(&c, active + 2, 4);
    m->bounds = layout_take(&c, lazy_min_bounds(slots), 4);
    lay_out_scratch(m, &c);
    return c.used;
}

size_t wm_adaptive_block_bytes(const struct wm_adaptive_shape *shape,
                               const struct wm_adaptive_options *opt)
{
    struct wm_adaptive m = {.shape = *shape, .opt = *opt};
    return lay_out(&m, NULL);
}

static void make_lowest(struct wm_adaptive *m)
{
    uint32_t slots = lazy_min_padded(m->shape.active);
    bool half = compact(&m->opt);
    lazy_min_init(&m->lowest, slots, m->bounds, lazy_min_bits(FLT_MAX));
    m->lowest.key = half ? (const void *)m->member.half : m->member.weight;
    m->lowest.upper_halves = half;
    for (uint32_t s = m->shape.active; s < slots; s++) /* padding is never the lightest */
        half ? (void)(m->member.half[s] = 0x7f7f) : (void)(m->member.weight[s] = FLT_MAX);
}

void wm_adaptive_init(struct wm_adaptive *m, const struct wm_adaptive_shape *shape,
                      const struct wm_adaptive_options *opt, void *block)
{
    assert(is_whole(shape) && opt->sgd.rates == SGD_ADAPTIVE);
    *m = (struct wm_adaptive){.shape = *shape, .opt = *opt, .bar = -1};
    lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    m->rows = (struct count_sketch){.width = shape->width, .depth = shape->depth};
    count_sketch_draw(&m->rows, opt->seed);
    m->set.capacity = shape->active;
    m->set.seed = opt->seed;
    id_slots_rebuild(&m->set);
    make_lowest(m);
}

void wm_adaptive_borrow(struct wm_adaptive *m, const struct wm_adaptive *from)
{
    assert(!m->opt.max_row && m->opt.seed == from->opt.seed);
    m->opt.max_row = from->opt.max_row;
    lay_out_scratch(m, &(struct layout){(char *)from->place, 0});
}
