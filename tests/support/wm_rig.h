/* wm_rig.h -- for tests of the WM-Sketch: models in memory of their own, and random rows. */
#ifndef LEAT_TESTS_SUPPORT_WM_RIG_H
#define LEAT_TESTS_SUPPORT_WM_RIG_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "kernels/linear/wm/wm.h"
#include "base/mix64.h"
#include "oracle_wm.h"

enum { MAX_ROW = 24 };

static inline uint32_t below(uint64_t *s, uint32_t n)
{
    return (uint32_t)(mix64_next(s) >> 33) % n;
}

struct model {
    struct wm m;
    void *block;
    size_t bytes;
};

static inline struct model model_new(struct wm_shape shape, struct wm_options opt)
{
    struct model t;
    shape.extra = wm_extra(&opt);
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.bytes = wm_block_bytes(&shape, &opt);
    t.block = aligned_alloc(64, t.bytes);
    ck_assert_ptr_nonnull(t.block);
    memset(t.block, 0, t.bytes);
    wm_init(&t.m, &shape, &opt, t.block);
    return t;
}

static inline struct wm_shape shape_of(uint32_t active, uint32_t width, uint32_t depth)
{
    return (struct wm_shape){active, width, depth, 0};
}

static inline size_t cells(const struct wm *m) { return (size_t)m->shape.width * m->shape.depth; }

struct sample {
    uint64_t id[ORACLE_WM_MAX_ROW];
    float x[ORACLE_WM_MAX_ROW];
    struct linear_row row;
};

enum kind { DISTINCT, REPEATED, SINGLE };

/* A row of fewer than `max` entries over `ids` features, small ids often; labels follow the low bit
 * of the first id, with noise. SINGLE: one feature of value 1, four to a record. */
static inline void draw(struct sample *a, uint64_t *s, uint32_t ids, enum kind kind, uint32_t max)
{
    uint32_t n = kind == SINGLE ? 1 : below(s, max), first = below(s, ids);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t skew = below(s, ids) % (1 + below(s, ids));
        a->id[i] = kind != DISTINCT ? skew : (first + i * (1 + ids / max)) % ids;
        a->x[i] = kind == SINGLE ? 1.0f : (float)below(s, 2001) / 1000 - 1;
        if (below(s, 10) == 0) a->x[i] = 0;
    }
    int y = ((n ? a->id[0] : 0) & 1) ^ (below(s, 5) == 0) ? 1 : -1;
    float weight = kind == SINGLE ? 1.0f : (float)below(s, 4) * 0.5f;
    a->row = (struct linear_row){a->id, a->x, n, y, weight, kind != SINGLE || below(s, 4) == 0};
}

#endif
