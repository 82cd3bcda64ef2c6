/* paired_count_min_state.h -- the state of learn.paired_count_min as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/linear/paired_count_min/paired_count_min_state.c makes models of parts
 * and of other models. Members are in the order of their slots: ids, ratios, names. The seed of the
 * hash functions is a field because cells mean nothing under another one.
 */
#ifndef LEAT_LEARNERS_COUNTING_PAIRED_COUNT_MIN_STATE_H
#define LEAT_LEARNERS_COUNTING_PAIRED_COUNT_MIN_STATE_H

#include "kernels/linear/paired_count_min/paired_count_min.h"
#include "support/state_fields.h"
#include "support/state_names.h"

enum { PAIRED_STATE_VERSION = 1 };

/* A model with its names and the memory of both. */
struct paired_held {
    struct paired model;
    struct names names;
    void *block, *names_block;
};

static inline void paired_release(struct leat_ctx *ctx, struct paired_held *h)
{
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
    *h = (struct paired_held){0};
}

/* A fresh one like another, or LEAT_ENOMEM. */
static inline int paired_hold(struct leat_ctx *ctx, const struct paired_held *like,
                              struct paired_held *h)
{
    const struct leat_host *host = ctx->host;
    const struct paired_shape *s = &like->model.shape;
    size_t bytes = paired_block_bytes(s);
    *h = (struct paired_held){.block = host->alloc(ctx, bytes)};
    h->names_block = host->alloc(ctx, names_block_bytes(s->active, like->names.max_bytes));
    if (!h->block || !h->names_block) {
        paired_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "no memory for a second model of %zu bytes", bytes);
    }
    paired_init(&h->model, s, &like->model.opt, h->block);
    names_init(&h->names, s->active, like->names.max_bytes, h->names_block);
    return LEAT_OK;
}

static inline bool paired_is_fresh(const struct paired *m)
{
    return !m->records[0] && !m->records[1];
}

/* ---- writing ---- */

static inline void paired_list_names(const void *held, struct name_list *l)
{
    const struct paired_held *h = held;
    for (uint32_t s = 0; s < h->model.members.n; s++) {
        size_t len;
        const char *name = names_get(&h->names, s, &len);
        name_list_add(l, len ? name : NULL, len);
    }
}

static inline int paired_write(const struct paired_held *h, struct leat_writer *w)
{
    const struct paired *m = &h->model;
    struct paired_parts p = paired_parts(m);
    w->u64(w, "active", m->shape.active);
    w->u64(w, "width", m->shape.width);
    w->u64(w, "depth", m->shape.depth);
    w->u64(w, "seed", m->opt.seed);
    w->u64(w, "conservative", m->opt.conservative);
    w->array(w, "records", LEAT_U64, p.records, 2);
    w->u64(w, "cursor", p.cursor);
    w->array(w, "ids", LEAT_U32, p.id, p.n_active);
    w->array(w, "ratios", LEAT_F32, p.ratio, p.n_active);
    w->array(w, "cells", LEAT_U32, p.cell, 2ull * m->shape.width * m->shape.depth);
    return state_write_names(w, paired_list_names, h, p.n_active);
}

/* ---- reading ---- */

static inline int paired_same(struct leat_reader *r, const struct paired *m)
{
    int bad = r->same_u64(r, "active", m->shape.active) | r->same_u64(r, "width", m->shape.width) |
              r->same_u64(r, "depth", m->shape.depth) | r->same_u64(r, "seed", m->opt.seed) |
              state_same_choice(r, "conservative", state_false_true, m->opt.conservative);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static inline int paired_read_parts(struct leat_reader *r, const struct paired *m,
                                    struct paired_parts *p)
{
    const void *records, *id, *ratio, *cell;
    uint64_t n = 0, cursor, cells = 2ull * m->shape.width * m->shape.depth;
    if (state_read_array(r, "records", LEAT_U64, 2, &records) != LEAT_OK ||
        r->u64(r, "cursor", &cursor) != LEAT_OK || r->array(r, "ids", LEAT_U32, &id, &n) != LEAT_OK)
        return LEAT_EDATA;
    if (n > m->shape.active)
        return r->refuse(r, "ids are %llu, more than active", (unsigned long long)n);
    if (cursor > n) return r->refuse(r, "cursor is %llu", (unsigned long long)cursor);
    if (state_read_array(r, "ratios", LEAT_F32, n, &ratio) != LEAT_OK ||
        state_read_array(r, "cells", LEAT_U32, cells, &cell) != LEAT_OK)
        return LEAT_EDATA;
    memcpy(p->records, records, sizeof p->records);
    p->n_active = (uint32_t)n;
    p->cursor = (uint32_t)cursor;
    p->id = id, p->ratio = ratio, p->cell = cell;
    return LEAT_OK;
}

static inline int paired_read_names(struct leat_reader *r, struct paired_held *h)
{
    struct name_list l;
    uint64_t at = 0;
    if (state_read_names(r, h->model.members.n, &l) != LEAT_OK) return LEAT_EDATA;
    for (uint32_t s = 0; s < l.n; s++) {
        size_t len;
        const char *name = name_list_next(&l, s, &at, &len);
        if (name) names_set(&h->names, s, name, len);
    }
    return LEAT_OK;
}

/* The model that was written, like `live` in shape and parameters. */
static inline int paired_read(struct leat_ctx *ctx, const struct paired_held *live,
                              struct leat_reader *r, struct paired_held *h)
{
    struct paired_parts p = {0};
    if (paired_same(r, &live->model) != LEAT_OK ||
        paired_read_parts(r, &live->model, &p) != LEAT_OK)
        return LEAT_EDATA;
    int status = paired_hold(ctx, live, h);
    if (status != LEAT_OK) return status;
    const char *wrong = paired_load(&h->model, &p);
    status = wrong ? r->refuse(r, "%s", wrong) : paired_read_names(r, h);
    if (status != LEAT_OK) paired_release(ctx, h);
    return status;
}

/* ---- merging ---- */

/* Slot s of h is slot a - 1 of one and b - 1 of the other; a name from either. */
static inline void paired_join_names(struct paired_held *h, uint32_t s,
                                     const struct paired_held *one, uint32_t a,
                                     const struct paired_held *other, uint32_t b)
{
    size_t a_len = 0, b_len = 0;
    const char *in_a = a ? names_get(&one->names, a - 1, &a_len) : "";
    const char *in_b = b ? names_get(&other->names, b - 1, &b_len) : "";
    bool take_a = name_preferred(in_a, a_len, in_b, b_len);
    if (a_len || b_len) names_set(&h->names, s, take_a ? in_a : in_b, take_a ? a_len : b_len);
}

/* The sum of two models. */
static inline int paired_join(struct leat_ctx *ctx, const struct paired_held *one,
                              const struct paired_held *other, double count, struct paired_held *h)
{
    const struct leat_host *host = ctx->host;
    size_t most = 2 * (size_t)one->model.shape.active;
    int status = paired_hold(ctx, one, h);
    if (status != LEAT_OK) return status;
    struct linear_origin *member = host->alloc(ctx, most * sizeof *member);
    if (!member) {
        paired_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "no memory to merge %zu features", most);
    }
    paired_merge(&h->model, &one->model, &other->model, count, member);
    for (uint32_t s = 0; s < h->model.members.n; s++)
        paired_join_names(h, s, one, member[s].a, other, member[s].b);
    host->free(ctx, member);
    return LEAT_OK;
}

/* What the live model becomes when the written one is merged into it. *changed 0: it stays as it
 * is, and h is nothing. */
static inline int paired_read_merge(struct leat_ctx *ctx, const struct paired_held *live,
                                    struct leat_reader *r, double count, struct paired_held *h,
                                    bool *changed)
{
    struct paired_held other;
    *changed = false;
    int status = state_check_weight(r, count);
    if (status == LEAT_OK) status = paired_read(ctx, live, r, &other);
    if (status != LEAT_OK) return status;
    *changed = count > 0 && !paired_is_fresh(&other.model);
    if (*changed && count == 1 && paired_is_fresh(&live->model)) { /* bit for bit the other */
        *h = other;
        return LEAT_OK;
    }
    if (*changed) status = paired_join(ctx, live, &other, count, h);
    *changed = *changed && status == LEAT_OK;
    paired_release(ctx, &other);
    return status;
}

#define PAIRED_STATE_DOC                                                                           \
    "\n\nSnapshots hold the model bit for bit. A merge adds cells and records up: estimates are "  \
    "those of one model of all the data (with conservative update still never too small). Of the " \
    "features that either side keeps by name those of the largest |log ratio| in the sum stay. "   \
    "Both sides must have the same shape, seed and parameters. A restore or merge takes the "      \
    "memory "                                                                                      \
    "of a second model, a merge of a third, until it is done."

#endif
