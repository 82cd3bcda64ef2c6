/* tracked_state.h -- the state of learners of tracked features as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/tracked_state.c makes models of parts and of other models. Features
 * are in the order of their slots: ids, weights (stored: w / alpha), accumulators, counted, draws,
 * seen, parts, names. The seed is a field because cells mean nothing under another one, and random
 * choices go on from it.
 */
#ifndef LEARNERS_TRACKED_STATE_H
#define LEARNERS_TRACKED_STATE_H

#include "plugins/kernels/distinct.h"
#include "plugins/kernels/tracked.h"
#include "plugins/learners/linear_state.h"

enum { TRACKED_STATE_VERSION = 1 };

/* Names of the rules' own parameters, in the order of the kernel's flags. */
static const char *const tracked_keys[] = {"ratio", "product", NULL};
static const char *const tracked_churns[] = {"all", "one", NULL};
static const char *const tracked_no_yes[] = {"false", "true", NULL};

/* A model with its names and the memory of both. */
struct tracked_held {
    struct tracked model;
    struct names names;
    struct distinct_parts *parts; /* of each slot's name; NULL: entries have no names */
    size_t parts_bytes;
    void *block, *names_block;
};

static inline void tracked_release(struct leat_ctx *ctx, struct tracked_held *h)
{
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
    *h = (struct tracked_held){0};
}

/* A fresh one, or LEAT_ENOMEM. */
static inline int tracked_hold(struct leat_ctx *ctx, const struct tracked_shape *s,
                               const struct tracked_options *o, uint32_t name_bytes,
                               size_t parts_bytes, struct tracked_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t bytes = tracked_block_bytes(s, o);
    *h = (struct tracked_held){.block = host->alloc(ctx, bytes), .parts_bytes = parts_bytes};
    h->names_block = host->alloc(ctx, names_block_bytes(s->slots, name_bytes));
    if (parts_bytes) h->parts = host->alloc(ctx, parts_bytes);
    if (!h->block || !h->names_block || (parts_bytes && !h->parts)) {
        tracked_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "no memory for %u features: %zu bytes", s->slots,
                          bytes);
    }
    tracked_init(&h->model, s, o, h->block);
    names_init(&h->names, s->slots, name_bytes, h->names_block);
    return LEAT_OK;
}

static inline int tracked_hold_like(struct leat_ctx *ctx, const struct tracked_held *like,
                                    struct tracked_held *h)
{
    const struct tracked *m = &like->model;
    return tracked_hold(ctx, &m->shape, &m->opt, like->names.max_bytes, like->parts_bytes, h);
}

/* `live` becomes h. */
static inline void tracked_take(struct leat_ctx *ctx, struct tracked_held *live,
                                const struct tracked_held *h)
{
    tracked_release(ctx, live);
    *live = *h;
}

/* ---- writing ---- */

static inline void tracked_list_names(const void *held, struct name_list *l)
{
    const struct tracked_held *h = held;
    for (uint32_t s = 0; s < h->model.slots.n; s++) {
        size_t len;
        const char *name = names_get(&h->names, s, &len);
        name_list_add(l, len ? name : NULL, len);
    }
}

static inline int tracked_write(struct leat_ctx *ctx, const struct tracked_held *h,
                                struct leat_writer *w)
{
    const struct tracked *m = &h->model;
    struct tracked_parts p = tracked_parts(m);
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
    w->array(w, "ids", LEAT_U32, p.id, p.n);
    w->array(w, "weights", LEAT_F32, p.weight, p.n);
    if (p.own) w->array(w, "accumulators", LEAT_F32, p.own, p.n);
    if (p.count) w->array(w, "counted", LEAT_U32, p.count, 2ull * p.n);
    if (p.luck) w->array(w, "draws", LEAT_F32, p.luck, p.n);
    if (p.seen) w->array(w, "seen", LEAT_U32, p.seen, p.n);
    if (p.cell) w->array(w, "cells", LEAT_U32, p.cell, (uint64_t)m->shape.width * m->shape.depth);
    w->array(w, "parts", LEAT_U32, h->parts, h->parts ? 3ull * p.n : 0);
    return linear_write_names(ctx, w, tracked_list_names, h);
}

/* ---- reading ---- */

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

static inline int tracked_read_arrays(struct leat_reader *r, const struct tracked *m, uint64_t n,
                                      struct tracked_parts *p)
{
    const void *weight, *own = NULL, *count = NULL, *luck = NULL, *seen = NULL, *cell = NULL;
    uint64_t cells = (uint64_t)m->shape.width * m->shape.depth;
    if (linear_read_array(r, "weights", LEAT_F32, n, &weight) != LEAT_OK ||
        (m->own && linear_read_array(r, "accumulators", LEAT_F32, n, &own) != LEAT_OK) ||
        (m->count && linear_read_array(r, "counted", LEAT_U32, 2 * n, &count) != LEAT_OK) ||
        (m->luck && linear_read_array(r, "draws", LEAT_F32, n, &luck) != LEAT_OK) ||
        (m->seen && linear_read_array(r, "seen", LEAT_U32, n, &seen) != LEAT_OK) ||
        (m->cell && linear_read_array(r, "cells", LEAT_U32, cells, &cell) != LEAT_OK))
        return LEAT_EDATA;
    p->weight = weight, p->own = own, p->count = count;
    p->luck = luck, p->seen = seen, p->cell = cell;
    return LEAT_OK;
}

static inline int tracked_read_parts(struct leat_reader *r, const struct tracked *m,
                                     struct tracked_parts *p)
{
    const void *id;
    uint64_t n = 0;
    if (linear_read_clock(r, &p->sgd) != LEAT_OK ||
        r->u64(r, "replaced", &p->replaced) != LEAT_OK ||
        r->array(r, "ids", LEAT_U32, &id, &n) != LEAT_OK)
        return LEAT_EDATA;
    if (n > m->shape.slots)
        return r->refuse(r, "ids are %llu, more than features", (unsigned long long)n);
    p->n = (uint32_t)n;
    p->id = id;
    return tracked_read_arrays(r, m, n, p);
}

static inline int tracked_read_names(struct leat_reader *r, struct tracked_held *h)
{
    struct name_list l;
    const void *parts;
    uint64_t at = 0, n_parts = 0;
    uint32_t n = h->model.slots.n;
    size_t len;
    if (r->array(r, "parts", LEAT_U32, &parts, &n_parts) != LEAT_OK ||
        linear_read_names(r, n, &l) != LEAT_OK)
        return LEAT_EDATA;
    if (n_parts && n_parts != 3ull * n) return r->refuse(r, "parts are not three a feature");
    if (h->parts && n_parts) memcpy(h->parts, parts, n * sizeof *h->parts);
    for (uint32_t s = 0; s < n; s++) {
        const char *name = name_list_next(&l, s, &at, &len);
        if (name) names_set(&h->names, s, name, len);
    }
    return LEAT_OK;
}

/* The model that was written, like `live` in shape and parameters. */
static inline int tracked_read(struct leat_ctx *ctx, const struct tracked_held *live,
                               struct leat_reader *r, struct tracked_held *h)
{
    struct tracked_parts p = {0};
    if (tracked_same(r, &live->model) != LEAT_OK ||
        tracked_read_parts(r, &live->model, &p) != LEAT_OK)
        return LEAT_EDATA;
    int status = tracked_hold_like(ctx, live, h);
    if (status != LEAT_OK) return status;
    const char *wrong = tracked_load(&h->model, &p);
    status = wrong ? r->refuse(r, "%s", wrong) : tracked_read_names(r, h);
    if (status != LEAT_OK) tracked_release(ctx, h);
    return status;
}

/* ---- merging ---- */

/* Slot s of h is slot o->a - 1 of one and o->b - 1 of the other; a name from either. */
static inline void tracked_join_names(struct tracked_held *h, uint32_t s,
                                      const struct tracked_origin *o,
                                      const struct tracked_held *one,
                                      const struct tracked_held *other)
{
    size_t a_len = 0, b_len = 0;
    const char *in_a = o->a ? names_get(&one->names, o->a - 1, &a_len) : "";
    const char *in_b = o->b ? names_get(&other->names, o->b - 1, &b_len) : "";
    bool take_a = name_preferred(in_a, a_len, in_b, b_len);
    if (a_len || b_len) names_set(&h->names, s, take_a ? in_a : in_b, take_a ? a_len : b_len);
    if (!h->parts) return;
    h->parts[s] = o->a && (take_a || !o->b) ? one->parts[o->a - 1] : other->parts[o->b - 1];
}

/* The mean of two models. */
static inline int tracked_join(struct leat_ctx *ctx, const struct tracked_held *one,
                               const struct tracked_held *other, double count,
                               struct tracked_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t most = 2 * (size_t)one->model.shape.slots;
    int status = tracked_hold_like(ctx, one, h);
    if (status != LEAT_OK) return status;
    struct tracked_origin *origin = host->alloc(ctx, most * sizeof *origin);
    if (!origin) {
        tracked_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "no memory to merge %zu features", most);
    }
    tracked_merge(&h->model, &one->model, &other->model, count, origin);
    for (uint32_t s = 0; s < h->model.slots.n; s++)
        tracked_join_names(h, s, &origin[s], one, other);
    host->free(ctx, origin);
    return LEAT_OK;
}

/* What the live model becomes when the written one is merged into it. *changed false: it stays as
 * it is, and h is nothing. */
static inline int tracked_read_merge(struct leat_ctx *ctx, const struct tracked_held *live,
                                     struct leat_reader *r, double count, struct tracked_held *h,
                                     bool *changed)
{
    struct tracked_held other;
    *changed = false;
    int status = linear_check_count(r, count);
    if (status == LEAT_OK) status = tracked_read(ctx, live, r, &other);
    if (status != LEAT_OK) return status;
    *changed = count > 0 && other.model.sgd.t > 0;
    if (*changed && count == 1 && live->model.sgd.t == 0) { /* fresh: bit for bit the other */
        *h = other;
        return LEAT_OK;
    }
    if (*changed) status = tracked_join(ctx, live, &other, count, h);
    *changed = *changed && status == LEAT_OK;
    tracked_release(ctx, &other);
    return status;
}

#define TRACKED_STATE_DOC                                                                          \
    LINEAR_STATE_DOC                                                                               \
    " Of the features that either side tracks the rule's first ones stay; one that a side does "   \
    "not track weighs 0 there. A restore or merge takes the memory of a second model, a merge of " \
    "a third, until it is done."

#endif
