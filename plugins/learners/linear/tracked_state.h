/* tracked_state.h -- the state of learners of tracked features as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/linear/tracked/tracked_state.c makes models of parts and of other
 * models. Features are in the order of their slots. The seed is a field because cells mean nothing
 * under another one, and random choices go on from it.
 */
#ifndef LEAT_LEARNERS_LINEAR_TRACKED_STATE_H
#define LEAT_LEARNERS_LINEAR_TRACKED_STATE_H

#include "kernels/linear/tracked/tracked.h"
#include "slotted.h"

/* Names of the rules' own parameters, in the order of the kernel's flags. */
static const char *const tracked_keys[] = {"ratio", "product", NULL};
static const char *const tracked_churns[] = {"all", "one", NULL};
static const char *const tracked_no_yes[] = {"false", "true", NULL};

static inline void tracked_write(const void *model, struct leat_writer *w)
{
    const struct tracked *m = model;
    struct tracked_parts p = tracked_parts(m);
    struct linear_arrays a = {p.n, p.id, p.weight, p.accumulator, p.count, p.l1_seen};
    w->u64(w, "features", m->shape.slots);
    w->u64(w, "width", m->shape.width);
    w->u64(w, "depth", m->shape.depth);
    w->u64(w, "rule", m->opt.rule);
    w->u64(w, "key", m->opt.product);
    w->u64(w, "churn", m->opt.churn_one);
    w->u64(w, "conservative", m->opt.conservative);
    w->u64(w, "seed", m->opt.seed);
    linear_write_options(w, &m->sgd.opt, m->opt.counts);
    linear_write_clock(w, &m->sgd);
    w->u64(w, "replaced", p.replaced);
    linear_write_arrays(w, LEAT_U32, &a);
    if (p.priority) w->array(w, "draws", LEAT_F32, p.priority, p.n);
    if (p.frequency) w->array(w, "seen", LEAT_U32, p.frequency, p.n);
    if (p.cell) w->array(w, "cells", LEAT_U32, p.cell, (uint64_t)m->shape.width * m->shape.depth);
}

static inline int tracked_same(struct leat_reader *r, const struct tracked *m)
{
    int bad = r->same_u64(r, "rule", m->opt.rule) | r->same_u64(r, "features", m->shape.slots) |
              r->same_u64(r, "width", m->shape.width) | r->same_u64(r, "depth", m->shape.depth) |
              linear_same_choice(r, "key", tracked_keys, m->opt.product) |
              linear_same_choice(r, "churn", tracked_churns, m->opt.churn_one) |
              linear_same_choice(r, "conservative", tracked_no_yes, m->opt.conservative) |
              r->same_u64(r, "seed", m->opt.seed) |
              linear_same_options(r, &m->sgd.opt, m->opt.counts);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static inline int tracked_read(void *fresh, struct leat_reader *r)
{
    struct tracked *m = fresh;
    struct tracked_parts p = {0};
    const struct linear_arrays has = {
        .own = m->accumulator, .count = m->count, .settled = m->l1_seen};
    struct linear_arrays a;
    const void *luck = NULL, *seen = NULL, *cell = NULL;
    uint64_t cells = (uint64_t)m->shape.width * m->shape.depth;
    if (tracked_same(r, m) != LEAT_OK || linear_read_clock(r, &p.sgd) != LEAT_OK ||
        r->u64(r, "replaced", &p.replaced) != LEAT_OK ||
        linear_read_arrays(r, LEAT_U32, m->shape.slots, &has, &a) != LEAT_OK ||
        (m->priority && linear_read_array(r, "draws", LEAT_F32, a.n, &luck) != LEAT_OK) ||
        (m->frequency && linear_read_array(r, "seen", LEAT_U32, a.n, &seen) != LEAT_OK) ||
        (m->cell && linear_read_array(r, "cells", LEAT_U32, cells, &cell) != LEAT_OK))
        return LEAT_EDATA;
    p.n = (uint32_t)a.n;
    p.id = a.id, p.weight = a.weight, p.accumulator = a.own, p.count = a.count,
    p.l1_seen = a.settled;
    p.priority = luck, p.frequency = seen, p.cell = cell;
    const char *wrong = tracked_load(m, &p);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static inline void tracked_mix(void *fresh, const void *a, const void *b, double count,
                               void *origin)
{
    tracked_merge(fresh, a, b, count, origin);
}

static inline struct slotted_origin tracked_origin_of(const void *origin, uint32_t slot)
{
    const struct linear_origin *o = (const struct linear_origin *)origin + slot;
    return (struct slotted_origin){o->a, o->b};
}

#define TRACKED_STATE_DOC                                                                          \
    LINEAR_STATE_DOC                                                                               \
    " Of the features that either side tracks the rule's first ones stay; one that a side does "   \
    "not track weighs 0 there. A restore or merge takes the memory of a second model, a merge of " \
    "a third, until it is done."

#endif
