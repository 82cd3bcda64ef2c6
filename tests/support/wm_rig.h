/* wm_rig.h -- models of the WM-Sketch in their own memory, and random rows. */
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

static inline struct model model_new(struct linear_shape shape, struct linear_options opt)
{
    struct model t;
    if (!opt.max_row) opt.max_row = MAX_ROW;
    t.bytes = store_block_bytes(&wm_kernel, &shape, &opt);
    t.block = zeroed(t.bytes);
    store_init(&t.m.s, &wm_kernel, &shape, &opt, t.block);
    return t;
}

static inline struct linear_shape shape_of(uint32_t active, uint32_t width, uint32_t depth)
{
    return (struct linear_shape){.active = active, .width = width, .depth = depth};
}

static inline size_t cells(const struct wm *m)
{
    return (size_t)m->s.shape.width * m->s.shape.depth;
}

#endif
