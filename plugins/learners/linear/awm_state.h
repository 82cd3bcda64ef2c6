/* awm_state.h -- the state of learn.awm as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/linear/awm/awm_state.c makes models of parts and of other models.
 * Members are in the order of their slots. The seed of the hash functions is a field because cells
 * mean nothing under another one.
 */
#ifndef LEAT_LEARNERS_LINEAR_AWM_STATE_H
#define LEAT_LEARNERS_LINEAR_AWM_STATE_H

#include "kernels/linear/awm/awm.h"
#include "slotted.h"

static const char *const awm_evidences[] = {"gradient", "counts", NULL};

static inline void awm_write(const void *model, struct leat_writer *w)
{
    const struct awm *m = model;
    struct awm_parts p = awm_parts(m);
    struct linear_arrays a = {p.n_active, p.id, p.weight, p.accumulator, p.count, p.l1_seen};
    w->u64(w, "active", m->shape.active);
    w->u64(w, "width", m->shape.width);
    w->u64(w, "depth", m->shape.depth);
    w->u64(w, "seed", m->opt.seed);
    linear_write_options(w, &m->sgd.opt, m->opt.counts);
    w->u64(w, "evidence", m->opt.evidence);
    linear_write_clock(w, &m->sgd);
    linear_write_arrays(w, LEAT_U32, &a);
    w->array(w, "cells", LEAT_F32, p.cell, (uint64_t)m->shape.width * m->shape.depth);
}

static inline int awm_same(struct leat_reader *r, const struct awm *m)
{
    int bad = r->same_u64(r, "active", m->shape.active) | r->same_u64(r, "width", m->shape.width) |
              r->same_u64(r, "depth", m->shape.depth) | r->same_u64(r, "seed", m->opt.seed) |
              linear_same_options(r, &m->sgd.opt, m->opt.counts) |
              linear_same_choice(r, "evidence", awm_evidences, m->opt.evidence);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static inline int awm_read(void *fresh, struct leat_reader *r)
{
    struct awm *m = fresh;
    struct awm_parts p = {0};
    const struct linear_arrays has = {
        .own = m->accumulator, .count = m->count, .settled = m->l1_seen};
    struct linear_arrays a;
    const void *cell;
    if (awm_same(r, m) != LEAT_OK || linear_read_clock(r, &p.sgd) != LEAT_OK ||
        linear_read_arrays(r, LEAT_U32, m->shape.active, &has, &a) != LEAT_OK ||
        linear_read_array(r, "cells", LEAT_F32, (uint64_t)m->shape.width * m->shape.depth, &cell) !=
            LEAT_OK)
        return LEAT_EDATA;
    p.n_active = (uint32_t)a.n;
    p.id = a.id, p.weight = a.weight, p.accumulator = a.own, p.count = a.count,
    p.l1_seen = a.settled, p.cell = cell;
    const char *wrong = awm_load(m, &p);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static inline void awm_mix(void *fresh, const void *a, const void *b, double count, void *origin)
{
    awm_merge(fresh, a, b, count, origin);
}

static inline struct slotted_origin awm_origin(const void *origin, uint32_t slot)
{
    const struct linear_origin *o = (const struct linear_origin *)origin + slot;
    return (struct slotted_origin){o->a, o->b};
}

#define AWM_STATE_DOC                                                                              \
    LINEAR_STATE_DOC                                                                               \
    " Of the features that either side keeps by name the heaviest stay, with the mean of what "    \
    "both know of them; the others go to the sketch, the mean of both. A restore or merge takes "  \
    "the memory of a second model, a merge of a third, until it is done."

#endif
