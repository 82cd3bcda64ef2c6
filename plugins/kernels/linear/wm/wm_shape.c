/* wm_shape.c -- a WM-Sketch in memory: what a shape costs, the shape for a budget, where its arrays
 * lie, and the empty model; see wm.h.
 *
 * The cost model is that of the paper (section 7): four bytes for each id, weight, other value of a
 * member, and cell. Index, padding and scratch are in wm_block_bytes.
 */
#include "wm.h"

#include <assert.h>
#include <float.h>

#include "kernels/base/layout.h"

/* The paper's table 2 has 128 members and rows of 128 cells or more, and once 256 of both. */
enum { USUAL = 128, AT_4K = 256, MAX_ROWS = 32 };

uint32_t wm_extra(const struct wm_options *opt) { return opt->counts ? 2 : 0; }

uint32_t wm_beside(const struct wm_options *opt) { return opt->average; }

static uint64_t cell_bytes(const struct wm_shape *s) { return 4 + 4 * (uint64_t)s->beside; }

static uint64_t member_bytes(const struct wm_shape *s) { return 8 + 4 * (uint64_t)s->extra; }

uint64_t wm_charged_bytes(const struct wm_shape *s)
{
    return s->active * member_bytes(s) + cell_bytes(s) * s->width * s->depth;
}

static uint32_t members_in(const struct wm_shape *s, uint64_t bytes, uint32_t max)
{
    uint64_t fit = bytes / member_bytes(s);
    return fit < max ? (uint32_t)fit : max;
}

static bool is_whole(const struct wm_shape *s, uint64_t bytes)
{
    return s->active && s->width && s->depth && s->active <= WM_MAX_ACTIVE &&
           s->depth <= WM_MAX_DEPTH && (uint64_t)s->width * s->depth <= WM_MAX_CELLS &&
           wm_charged_bytes(s) <= bytes;
}

/* Cells that the members leave for the sketch. */
static uint64_t cells_left(const struct wm_shape *s, uint64_t bytes)
{
    uint64_t set = s->active * member_bytes(s),
             cells = bytes > set ? (bytes - set) / cell_bytes(s) : 0;
    return cells < WM_MAX_CELLS ? cells : WM_MAX_CELLS;
}

static uint32_t width_for(uint64_t cells, uint32_t usual, uint32_t depth)
{
    uint32_t width = usual;
    if (depth) return (uint32_t)linear_widest(cells, depth);
    while (width > 1 && cells / width < 2)
        width /= 2;
    while (cells / width > MAX_ROWS)
        width *= 2;
    return width;
}

bool wm_shape_from_budget(uint64_t bytes, struct wm_shape *s)
{
    uint32_t usual = bytes >= 4096 && bytes < 8192 ? AT_4K : USUAL;
    if (!s->active) s->active = members_in(s, bytes / 2, usual);
    uint64_t cells = cells_left(s, bytes);
    if (!s->width) s->width = width_for(cells, usual, s->depth);
    if (!s->depth) {
        uint64_t rows = cells / s->width;
        s->depth = rows < MAX_ROWS ? (uint32_t)rows : MAX_ROWS;
    }
    return is_whole(s, bytes);
}

bool wm_hash_shape_from_budget(uint64_t bytes, struct wm_shape *s)
{
    if (!s->depth) s->depth = 1;
    if (!s->active) s->active = members_in(s, bytes / 8, USUAL);
    if (!s->active) s->active = 1;
    if (!s->width) s->width = (uint32_t)(cells_left(s, bytes) / s->depth);
    return is_whole(s, bytes);
}

/* ---- arrays ---- */

static void lay_out_scratch(struct wm_scratch *s, struct layout *c, uint32_t depth,
                            uint32_t max_row)
{
    size_t n = max_row < WM_STRETCH ? (max_row + 3) / 4 * 4 /* whole vectors */ : WM_STRETCH;
    s->mixed = layout_take(c, n, 4);
    s->at = layout_take(c, n * depth, 4);
    s->sign = layout_take(c, n * depth, 4);
    s->before = layout_take(c, n * depth, 4);
    s->sum = layout_take(c, n, 4);
    s->d = layout_take(c, n, 4);
    s->above = layout_take(c, n, 4);
    s->below = layout_take(c, n, 4);
    s->signed_d = layout_take(c, n, 4);
    s->votes = layout_take(c, n, 4);
    s->slot = layout_take(c, n, 4);
    s->member = layout_take(c, n, 4);
}

static void lay_out_work(struct wm *m, struct layout *c)
{
    lay_out_scratch(&m->scratch, c, m->shape.depth, m->opt.max_row);
    m->entrant = layout_take(c, m->opt.max_row, sizeof *m->entrant);
}

static size_t lay_out(struct wm *m, void *block)
{
    const struct wm_shape *s = &m->shape;
    struct layout c = {block, 0};
    m->cell = layout_take(&c, (size_t)s->width * s->depth, 4);
    m->behind = m->opt.average ? layout_take(&c, (size_t)s->width * s->depth, 4) : NULL;
    m->weight = layout_take(&c, lazy_min_padded(s->active), 4);
    m->count = m->opt.counts ? layout_take(&c, s->active, 8) : NULL;
    m->set.id = layout_take(&c, s->active + 2, 4);
    m->set.next = layout_take(&c, s->active + 2, 4);
    m->set.head = layout_take(&c, id_slots_heads(s->active), 4);
    m->filter = layout_take(&c, wm_filter_size(s->active), 1);
    m->bounds = layout_take(&c, lazy_min_bounds(lazy_min_padded(s->active)), 4);
    lay_out_work(m, &c);
    return c.used;
}

size_t wm_block_bytes(const struct wm_shape *shape, const struct wm_options *opt)
{
    struct wm m = {.shape = *shape, .opt = *opt};
    return lay_out(&m, NULL);
}

static void draw_hash_functions(struct wm *m)
{
    uint32_t w = m->shape.width;
    m->width_bits = UINT32_MAX;
    for (uint32_t b = 0; b < 31; b++)
        if (w == 1u << b) m->width_bits = b;
    m->seed = (uint32_t)id_slots_mix(m->opt.seed, 0);
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint64_t r = id_slots_mix(~m->opt.seed, j);
        m->multiplier[j] = (uint32_t)r | 1;
        m->addend[j] = (uint32_t)(r >> 32);
    }
}

void wm_init(struct wm *m, const struct wm_shape *shape, const struct wm_options *opt, void *block)
{
    assert(shape->active && shape->active <= WM_MAX_ACTIVE && shape->width && shape->depth);
    assert(shape->depth <= WM_MAX_DEPTH && (uint64_t)shape->width * shape->depth <= WM_MAX_CELLS);
    assert(opt->sgd.rates == SGD_SHARED && shape->extra == wm_extra(opt));
    assert(shape->beside == wm_beside(opt) && (!opt->average || opt->estimates));
    assert((!opt->average && !(opt->radius > 0)) ||
           (!(opt->sgd.l1 > 0) && !(opt->sgd.half_life > 0)));
    *m = (struct wm){.shape = *shape, .opt = *opt, .bar = -1};
    lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    draw_hash_functions(m);
    m->set.capacity = shape->active;
    m->set.seed = opt->seed;
    m->filter_shift = 32;
    for (uint32_t size = wm_filter_size(shape->active); size > 1; size /= 2)
        m->filter_shift--;
    wm_reindex(m);
    lazy_min_init(&m->lightest, lazy_min_padded(shape->active), m->bounds, lazy_min_bits(FLT_MAX));
    m->lightest.key = m->weight;
    for (uint32_t s = shape->active; s < lazy_min_padded(shape->active); s++)
        m->weight[s] = FLT_MAX;
}

void wm_borrow(struct wm *m, const struct wm *from)
{
    assert(!m->opt.max_row && m->opt.seed == from->opt.seed);
    m->scratch = from->scratch;
    m->entrant = from->entrant;
    m->opt.max_row = from->opt.max_row;
}
