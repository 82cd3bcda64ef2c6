/* wm_state.h -- the state of learn.wm and learn.hash as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/linear/wm/wm_state.c makes models of parts and of other models.
 * Members are in the order of their slots. The seed of the hash functions is a field because cells
 * mean nothing under another one.
 */
#ifndef LEAT_LEARNERS_LINEAR_WM_STATE_H
#define LEAT_LEARNERS_LINEAR_WM_STATE_H

#include "kernels/linear/wm/wm.h"
#include "slotted.h"

static const char *const wm_recoveries[] = {"median", "mean", NULL};

static inline void wm_write(const void *model, struct leat_writer *w)
{
    const struct wm *m = model;
    struct wm_parts p = wm_parts(m);
    struct linear_arrays a = {p.n_active, p.id, p.weight, NULL, p.count, NULL};
    w->u64(w, "active", m->shape.active);
    w->u64(w, "width", m->shape.width);
    w->u64(w, "depth", m->shape.depth);
    w->u64(w, "seed", m->opt.seed);
    w->u64(w, "recovery", m->opt.mean);
    linear_write_options(w, &m->sgd.opt, m->opt.counts);
    linear_write_clock(w, &m->sgd);
    linear_write_arrays(w, LEAT_U32, &a);
    w->array(w, "cells", LEAT_F32, p.cell, (uint64_t)m->shape.width * m->shape.depth);
}

static inline int wm_same(struct leat_reader *r, const struct wm *m)
{
    int bad = r->same_u64(r, "active", m->shape.active) | r->same_u64(r, "width", m->shape.width) |
              r->same_u64(r, "depth", m->shape.depth) | r->same_u64(r, "seed", m->opt.seed) |
              linear_same_choice(r, "recovery", wm_recoveries, m->opt.mean) |
              linear_same_options(r, &m->sgd.opt, m->opt.counts);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static inline int wm_read(void *fresh, struct leat_reader *r)
{
    struct wm *m = fresh;
    struct wm_parts p = {0};
    const struct linear_arrays has = {.count = m->count};
    struct linear_arrays a;
    const void *cell;
    if (wm_same(r, m) != LEAT_OK || linear_read_clock(r, &p.sgd) != LEAT_OK ||
        linear_read_arrays(r, LEAT_U32, m->shape.active, &has, &a) != LEAT_OK ||
        linear_read_array(r, "cells", LEAT_F32, (uint64_t)m->shape.width * m->shape.depth, &cell) !=
            LEAT_OK)
        return LEAT_EDATA;
    p.n_active = (uint32_t)a.n;
    p.id = a.id, p.weight = a.weight, p.count = a.count, p.cell = cell;
    const char *wrong = wm_load(m, &p);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static inline void wm_mix(void *fresh, const void *a, const void *b, double count, void *origin)
{
    wm_merge(fresh, a, b, count, origin);
}

static inline struct slotted_origin wm_origin(const void *origin, uint32_t slot)
{
    const struct linear_origin *o = (const struct linear_origin *)origin + slot;
    return (struct slotted_origin){o->a, o->b};
}

#define WM_STATE_DOC                                                                               \
    LINEAR_STATE_DOC                                                                               \
    " Cells are linear in the steps that made them, so their mean is the sketch of the mean "      \
    "model; of the features that either side keeps by name the heaviest stay. A restore or "       \
    "merge takes the memory of a second model, a merge of a third, until it is done."

#endif
