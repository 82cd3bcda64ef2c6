/* wm_state.h -- the state of learn.wm and learn.hash as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/wm_state.c makes models of parts and of other models. Members are in
 * the order of their slots: ids, weights (stored: w / alpha), counted, parts, names.
 * The seed of the hash functions is a field because cells mean nothing under another one.
 */
#ifndef LEARNERS_WM_STATE_H
#define LEARNERS_WM_STATE_H

#include "plugins/kernels/wm.h"
#include "plugins/kernels/distinct.h"
#include "plugins/learners/linear_state.h"

enum { WM_STATE_VERSION = 2 };

static const char *const wm_recoveries[] = {"median", "mean", NULL};

/* A model with its names and the memory of both. */
struct wm_held {
    struct wm model;
    struct names names;
    struct distinct_parts *parts; /* of each slot's name; NULL: entries have no names */
    void *block, *names_block;
};

static inline void wm_release(struct leat_ctx *ctx, struct wm_held *h)
{
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
    *h = (struct wm_held){0};
}

/* A fresh one like another, or LEAT_ENOMEM. */
static inline int wm_hold(struct leat_ctx *ctx, const struct wm_held *like, struct wm_held *h)
{
    const struct leat_host *host = ctx->host;
    const struct wm_shape *s = &like->model.shape;
    size_t bytes = wm_block_bytes(s, &like->model.opt);
    *h = (struct wm_held){.block = host->alloc(ctx, bytes)};
    h->names_block = host->alloc(ctx, names_block_bytes(s->active, like->names.max_bytes));
    if (like->parts) h->parts = host->alloc(ctx, s->active * sizeof *h->parts);
    if (!h->block || !h->names_block || (like->parts && !h->parts)) {
        wm_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "no memory for a second model of %zu bytes", bytes);
    }
    wm_init(&h->model, s, &like->model.opt, h->block);
    names_init(&h->names, s->active, like->names.max_bytes, h->names_block);
    return LEAT_OK;
}

/* ---- writing ---- */

static inline void wm_list_names(const void *held, struct name_list *l)
{
    const struct wm_held *h = held;
    for (uint32_t s = 0; s < h->model.set.n; s++) {
        size_t len;
        const char *name = names_get(&h->names, s, &len);
        name_list_add(l, len ? name : NULL, len);
    }
}

static inline int wm_write(struct leat_ctx *ctx, const struct wm_held *h, struct leat_writer *w)
{
    const struct wm *m = &h->model;
    struct wm_parts p = wm_parts(m);
    w->u64(w, "active", m->shape.active);
    w->u64(w, "width", m->shape.width);
    w->u64(w, "depth", m->shape.depth);
    w->u64(w, "seed", m->opt.seed);
    w->u64(w, "recovery", m->opt.mean);
    linear_write_options(w, &m->sgd.opt, m->opt.counts);
    linear_write_clock(w, &m->sgd);
    w->array(w, "ids", LEAT_U32, p.id, p.n_active);
    w->array(w, "weights", LEAT_F32, p.weight, p.n_active);
    if (p.count) w->array(w, "counted", LEAT_U32, p.count, 2ull * p.n_active);
    w->array(w, "parts", LEAT_U32, h->parts, h->parts ? 3ull * p.n_active : 0);
    w->array(w, "cells", LEAT_F32, p.cell, (uint64_t)m->shape.width * m->shape.depth);
    return linear_write_names(ctx, w, wm_list_names, h);
}

/* ---- reading ---- */

static inline int wm_same(struct leat_reader *r, const struct wm *m)
{
    int bad = r->same_u64(r, "active", m->shape.active) | r->same_u64(r, "width", m->shape.width) |
              r->same_u64(r, "depth", m->shape.depth) | r->same_u64(r, "seed", m->opt.seed) |
              linear_same_choice(r, "recovery", wm_recoveries, m->opt.mean) |
              linear_same_options(r, &m->sgd.opt, m->opt.counts);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static inline int wm_read_parts(struct leat_reader *r, const struct wm *m, struct wm_parts *p)
{
    const void *id, *weight, *count = NULL, *cell;
    uint64_t n = 0, cells = (uint64_t)m->shape.width * m->shape.depth;
    if (linear_read_clock(r, &p->sgd) != LEAT_OK ||
        r->array(r, "ids", LEAT_U32, &id, &n) != LEAT_OK)
        return LEAT_EDATA;
    if (n > m->shape.active)
        return r->refuse(r, "ids are %llu, more than active", (unsigned long long)n);
    if (linear_read_array(r, "weights", LEAT_F32, n, &weight) != LEAT_OK ||
        (m->count && linear_read_array(r, "counted", LEAT_U32, 2 * n, &count) != LEAT_OK) ||
        linear_read_array(r, "cells", LEAT_F32, cells, &cell) != LEAT_OK)
        return LEAT_EDATA;
    p->n_active = (uint32_t)n;
    p->id = id, p->weight = weight, p->count = count, p->cell = cell;
    return LEAT_OK;
}

static inline int wm_read_names(struct leat_reader *r, struct wm_held *h)
{
    struct name_list l;
    const void *parts;
    uint64_t at = 0, n_parts = 0;
    uint32_t n = h->model.set.n;
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
static inline int wm_read(struct leat_ctx *ctx, const struct wm_held *live, struct leat_reader *r,
                          struct wm_held *h)
{
    struct wm_parts p = {0};
    if (wm_same(r, &live->model) != LEAT_OK || wm_read_parts(r, &live->model, &p) != LEAT_OK)
        return LEAT_EDATA;
    int status = wm_hold(ctx, live, h);
    if (status != LEAT_OK) return status;
    const char *wrong = wm_load(&h->model, &p);
    status = wrong ? r->refuse(r, "%s", wrong) : wm_read_names(r, h);
    if (status != LEAT_OK) wm_release(ctx, h);
    return status;
}

/* ---- merging ---- */

/* Slot s of h is slot a - 1 of one and b - 1 of the other; a name from either. */
static inline void wm_join_names(struct wm_held *h, uint32_t s, const struct wm_held *one,
                                 uint32_t a, const struct wm_held *other, uint32_t b)
{
    size_t a_len = 0, b_len = 0;
    const char *in_a = a ? names_get(&one->names, a - 1, &a_len) : "";
    const char *in_b = b ? names_get(&other->names, b - 1, &b_len) : "";
    bool take_a = name_preferred(in_a, a_len, in_b, b_len);
    if (a_len || b_len) names_set(&h->names, s, take_a ? in_a : in_b, take_a ? a_len : b_len);
    if (!h->parts) return;
    h->parts[s] = a && (take_a || !b) ? one->parts[a - 1] : other->parts[b - 1];
}

/* The mean of two models. */
static inline int wm_join(struct leat_ctx *ctx, const struct wm_held *one,
                          const struct wm_held *other, double count, struct wm_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t most = 2 * (size_t)one->model.shape.active;
    int status = wm_hold(ctx, one, h);
    if (status != LEAT_OK) return status;
    struct wm_member *member = host->alloc(ctx, most * sizeof *member);
    if (!member) {
        wm_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "no memory to merge %zu features", most);
    }
    wm_merge(&h->model, &one->model, &other->model, count, member);
    for (uint32_t s = 0; s < h->model.set.n; s++)
        wm_join_names(h, s, one, member[s].a, other, member[s].b);
    host->free(ctx, member);
    return LEAT_OK;
}

/* What the live model becomes when the written one is merged into it. *changed 0: it stays as it
 * is, and h is nothing. */
static inline int wm_read_merge(struct leat_ctx *ctx, const struct wm_held *live,
                                struct leat_reader *r, double count, struct wm_held *h,
                                bool *changed)
{
    struct wm_held other;
    *changed = false;
    int status = linear_check_count(r, count);
    if (status == LEAT_OK) status = wm_read(ctx, live, r, &other);
    if (status != LEAT_OK) return status;
    *changed = count > 0 && other.model.sgd.t > 0;
    if (*changed && count == 1 && live->model.sgd.t == 0) { /* fresh: bit for bit the other */
        *h = other;
        return LEAT_OK;
    }
    if (*changed) status = wm_join(ctx, live, &other, count, h);
    *changed = *changed && status == LEAT_OK;
    wm_release(ctx, &other);
    return status;
}

#define WM_STATE_DOC                                                                               \
    LINEAR_STATE_DOC                                                                               \
    " Cells are linear in the steps that made them, so their mean is the sketch of the mean "      \
    "model; of the features that either side keeps by name the heaviest stay. A restore or "       \
    "merge takes the memory of a second model, a merge of a third, until it is done."

#endif
