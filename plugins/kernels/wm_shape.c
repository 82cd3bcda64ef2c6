/* wm_shape.c -- what a WM-Sketch of some shape costs, and the shape for a budget; see wm.h.
 *
 * The cost model is that of the paper (section 7): four bytes for each id, weight, other value of a
 * member, and cell. Index, padding and scratch are in wm_block_bytes.
 */
#include "plugins/kernels/wm.h"

/* The paper's table 2 has 128 members and rows of 128 cells or more, and once 256 of both. */
enum { USUAL = 128, AT_4K = 256, MOST_ROWS = 32 };

uint32_t wm_extra(const struct wm_options *opt) { return opt->counts ? 2 : 0; }

static uint64_t member_bytes(const struct wm_shape *s) { return 8 + 4 * (uint64_t)s->extra; }

uint64_t wm_charged_bytes(const struct wm_shape *s)
{
    return s->active * member_bytes(s) + 4 * (uint64_t)s->width * s->depth;
}

static uint32_t members_in(const struct wm_shape *s, uint64_t bytes, uint32_t most)
{
    uint64_t fit = bytes / member_bytes(s);
    return fit < most ? (uint32_t)fit : most;
}

static bool is_whole(const struct wm_shape *s, uint64_t bytes)
{
    return s->active && s->width && s->depth && s->active <= WM_MAX_ACTIVE &&
           s->depth <= WM_MAX_DEPTH && (uint64_t)s->width * s->depth <= WM_MAX_CELLS &&
           wm_charged_bytes(s) <= bytes;
}

/* Cells for the sketch beside the members. */
static uint64_t cells_left(const struct wm_shape *s, uint64_t bytes)
{
    uint64_t set = s->active * member_bytes(s), cells = bytes > set ? (bytes - set) / 4 : 0;
    return cells < WM_MAX_CELLS ? cells : WM_MAX_CELLS;
}

static uint32_t width_for(uint64_t cells, uint32_t usual, uint32_t depth)
{
    uint32_t width = usual;
    if (depth) {
        for (width = 1; 2ull * width * depth <= cells;)
            width *= 2;
        return width;
    }
    while (width > 1 && cells / width < 2)
        width /= 2;
    while (cells / width > MOST_ROWS)
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
        s->depth = rows < MOST_ROWS ? (uint32_t)rows : MOST_ROWS;
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
