/* wm_rig.h -- for tests of the WM-Sketch: models in memory of their own, and random rows. */
#ifndef LEAT_TESTS_SUPPORT_WM_RIG_H
#define LEAT_TESTS_SUPPORT_WM_RIG_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "kernels/linear/wm/wm.h"
#include "linear_rig.h"
#include "oracle_wm.h"
#include "zeroed.h"

struct model {
    struct wm m;
    void *block;
    size_t bytes;
};

static inline struct model model_new(struct wm_shape shape, struct wm_options opt)
{
    struct model t;
    shape.extra = wm_extra(&opt);
    shape.beside = wm_beside(&opt);
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.bytes = wm_block_bytes(&shape, &opt);
    t.block = zeroed(t.bytes);
    wm_init(&t.m, &shape, &opt, t.block);
    return t;
}

static inline struct wm_shape shape_of(uint32_t active, uint32_t width, uint32_t depth)
{
    return (struct wm_shape){.active = active, .width = width, .depth = depth};
}

static inline size_t cells(const struct wm *m) { return (size_t)m->shape.width * m->shape.depth; }

#endif
