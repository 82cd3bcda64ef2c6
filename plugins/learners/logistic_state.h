/* logistic_state.h -- the state of learn.logistic as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/logistic_state.c makes models of parts and of other models. Features
 * are in the order of their numbers. Names go into the live pool, last of all: it is emptied first
 * on restore, which gives each name the place it had; on merge it only grows.
 */
#ifndef LEARNERS_LOGISTIC_STATE_H
#define LEARNERS_LOGISTIC_STATE_H

#include "plugins/kernels/logistic.h"
#include "plugins/learners/linear_state.h"

/* A model and its memory. Its names are in the stage's pool, by tag. */
struct logistic_held {
    struct logistic model;
    struct name_pool *names;
    void *block;
    struct distinct_parts *parts; /* of each feature's name; NULL: entries have no names */
    uint32_t least, most;         /* capacities, powers of two */
};

static inline size_t logistic_parts_bytes(uint32_t capacity, bool named)
{
    return named ? capacity * sizeof(struct distinct_parts) : 0;
}

static inline void logistic_release(struct leat_ctx *ctx, struct logistic_held *h)
{
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->block);
    h->parts = NULL;
    h->block = NULL;
}

static inline void logistic_replace(struct leat_ctx *ctx, struct logistic_held *live,
                                    const struct logistic_held *h)
{
    logistic_release(ctx, live);
    *live = *h;
}

/* A fresh one like `live`, which lends its scratch and its pool, with room for n features. */
static inline int logistic_hold(struct leat_ctx *ctx, const struct logistic_held *live, uint64_t n,
                                struct logistic_held *h)
{
    const struct leat_host *host = ctx->host;
    const struct logistic *m = &live->model;
    uint32_t capacity = live->least;
    while (capacity < n && capacity < LOGISTIC_MAX_CAPACITY)
        capacity *= 2;
    *h = *live;
    h->block = NULL;
    h->parts = NULL;
    if (n <= capacity) h->block = host->alloc(ctx, logistic_block_bytes(capacity, &m->opt));
    if (h->block && live->parts) h->parts = host->alloc(ctx, logistic_parts_bytes(capacity, true));
    if (!h->block || (live->parts && !h->parts)) {
        logistic_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "no memory for a second model of %llu features",
                          (unsigned long long)n);
    }
    logistic_init(&h->model, &m->opt, capacity, h->block, m->max_row, m->at);
    return LEAT_OK;
}

/* ---- writing ---- */

static inline void logistic_list_names(const void *held, struct name_list *l)
{
    const struct logistic_held *h = held;
    for (uint32_t f = 0; f < h->model.n; f++) {
        size_t len;
        const char *name = name_pool_get(h->names, h->model.tag[f], &len);
        name_list_add(l, h->model.tag[f] ? name : NULL, len);
    }
}

static inline int logistic_write(struct leat_ctx *ctx, const struct logistic_held *h,
                                 struct leat_writer *w)
{
    const struct logistic *m = &h->model;
    struct logistic_parts p = logistic_parts(m);
    struct linear_arrays a = {p.n, p.id, p.weight, p.own, p.count, p.settled};
    linear_write_options(w, &m->sgd.opt, m->opt.counts);
    linear_write_clock(w, &m->sgd);
    w->u64(w, "ignored", p.ignored);
    w->u64(w, "unnamed", h->names->dropped);
    linear_write_arrays(w, LEAT_U64, &a);
    linear_write_name_parts(w, h->parts, p.n);
    return linear_write_names(ctx, w, logistic_list_names, h);
}

/* ---- reading ---- */

static inline int logistic_read_parts(struct leat_reader *r, const struct logistic *m,
                                      struct logistic_parts *p)
{
    const struct linear_arrays has = {.own = m->own, .count = m->count, .settled = m->settled};
    struct linear_arrays a;
    if (linear_read_clock(r, &p->sgd) != LEAT_OK || r->u64(r, "ignored", &p->ignored) != LEAT_OK ||
        linear_read_arrays(r, LEAT_U64, LOGISTIC_MAX_CAPACITY, &has, &a) != LEAT_OK)
        return LEAT_EDATA;
    p->n = (uint32_t)a.n;
    p->id = a.id, p->weight = a.weight, p->own = a.own, p->count = a.count, p->settled = a.settled;
    return LEAT_OK;
}

/* What was written, beside its model: lent by the reader. */
struct logistic_said {
    struct name_list names;
    const struct distinct_parts *parts; /* or NULL */
    uint64_t unnamed;
};

/* The model that was written, like `live` in parameters, without names. */
static inline int logistic_read(struct leat_ctx *ctx, const struct logistic_held *live,
                                struct leat_reader *r, struct logistic_held *h,
                                struct logistic_said *said)
{
    struct logistic_parts p = {0};
    if (linear_same_options(r, &live->model.sgd.opt, live->model.opt.counts) != LEAT_OK ||
        logistic_read_parts(r, &live->model, &p) != LEAT_OK ||
        r->u64(r, "unnamed", &said->unnamed) != LEAT_OK ||
        linear_read_name_parts(r, p.n, &said->parts) != LEAT_OK ||
        linear_read_names(r, p.n, &said->names) != LEAT_OK)
        return LEAT_EDATA;
    int status = logistic_hold(ctx, live, p.n, h);
    if (status != LEAT_OK) return status;
    const char *wrong = logistic_load(&h->model, &p);
    if (!wrong) return LEAT_OK;
    logistic_release(ctx, h);
    return r->refuse(r, "%s", wrong);
}

static inline bool logistic_has_parts(const struct distinct_parts *p)
{
    return p->key[0] | p->key[1] | p->key[2];
}

/* Give name i to feature number[i] (NULL: to feature i), where that has none; parts likewise. */
static inline void logistic_take_names(struct logistic_held *h, const struct logistic_said *said,
                                       const uint32_t *number)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < said->names.n; i++) {
        size_t len;
        const char *name = name_list_next(&said->names, i, &at, &len);
        uint32_t f = number ? number[i] : i, *tag = &h->model.tag[f];
        if (name && !*tag) *tag = name_pool_add(h->names, name, len);
        if (h->parts && said->parts && !logistic_has_parts(&h->parts[f]))
            h->parts[f] = said->parts[i];
    }
    h->names->dropped += said->unnamed;
}

static inline int logistic_read_all(struct leat_ctx *ctx, const struct logistic_held *live,
                                    struct leat_reader *r, struct logistic_held *h)
{
    struct logistic_said said;
    int status = logistic_read(ctx, live, r, h, &said);
    if (status != LEAT_OK) return status;
    if (h->model.n > live->most) {
        status =
            r->refuse(r, "it has %u features; max_features allows %u here", h->model.n, live->most);
        logistic_release(ctx, h);
        return status;
    }
    name_pool_clear(h->names);
    logistic_take_names(h, &said, NULL);
    return LEAT_OK;
}

/* ---- merging ---- */

/* h as it should be in the long run: no more features than `most`, the heaviest, in no more room
 * than they need. */
static inline int logistic_settle(struct leat_ctx *ctx, const struct logistic_held *live,
                                  struct logistic_held *h)
{
    const struct leat_host *host = ctx->host;
    struct logistic_held small;
    uint32_t n = h->model.n < live->most ? h->model.n : live->most;
    if (h->model.n <= live->most && h->model.capacity <= live->most) return LEAT_OK;
    int status = logistic_hold(ctx, live, n, &small);
    if (status != LEAT_OK) return status;
    uint32_t *keep = host->alloc(ctx, small.model.capacity * sizeof *keep);
    if (!keep) {
        logistic_release(ctx, &small);
        return host->fail(ctx, LEAT_ENOMEM, "no memory to rank %u features", h->model.n);
    }
    logistic_trim(&small.model, &h->model, keep);
    for (uint32_t f = 0; small.parts && f < small.model.n; f++)
        small.parts[f] = h->parts[keep[f]];
    host->free(ctx, keep);
    logistic_release(ctx, h);
    *h = small;
    return LEAT_OK;
}

/* The mean of two models, one of which is `live`. */
static inline int logistic_join(struct leat_ctx *ctx, const struct logistic_held *live,
                                const struct logistic_held *other, const struct logistic_said *said,
                                double count, struct logistic_held *h)
{
    const struct leat_host *host = ctx->host;
    uint32_t n = other->model.n;
    int status = logistic_hold(ctx, live, (uint64_t)live->model.n + n, h);
    if (status != LEAT_OK) return status;
    uint32_t *number = host->alloc(ctx, (n + 1ull) * sizeof *number);
    struct name_pool before = *live->names;
    status = number ? LEAT_OK : host->fail(ctx, LEAT_ENOMEM, "no memory to merge %u features", n);
    if (status == LEAT_OK) {
        logistic_merge(&h->model, &live->model, &other->model, count, number);
        if (h->parts) memcpy(h->parts, live->parts, live->model.n * sizeof *h->parts);
        logistic_take_names(h, said, number);
        status = logistic_settle(ctx, live, h);
    }
    host->free(ctx, number);
    if (status == LEAT_OK) return status;
    *live->names = before; /* what was added lies behind what it holds */
    logistic_release(ctx, h);
    return status;
}

static inline int logistic_read_merge(struct leat_ctx *ctx, struct logistic_held *live,
                                      struct leat_reader *r, double count)
{
    struct logistic_held other, h;
    struct logistic_said said;
    int status = linear_check_count(r, count);
    if (status == LEAT_OK) status = logistic_read(ctx, live, r, &other, &said);
    if (status != LEAT_OK) return status;
    enum linear_merge how = linear_how_to_merge(&live->model.sgd, &other.model.sgd, count);
    if (how == LINEAR_TAKE_OTHER && other.model.capacity <= live->most) {
        logistic_take_names(&other, &said, NULL);
        logistic_replace(ctx, live, &other);
        return LEAT_OK;
    }
    if (how != LINEAR_STAY) status = logistic_join(ctx, live, &other, &said, count, &h);
    if (how != LINEAR_STAY && status == LEAT_OK) logistic_replace(ctx, live, &h);
    logistic_release(ctx, &other);
    return status;
}

#define LOGISTIC_STATE_DOC                                                                         \
    LINEAR_STATE_DOC                                                                               \
    " A feature that one side does not know weighs 0 there. When there are more features than "    \
    "max_features after a merge, the heaviest stay. A restore or merge takes the memory of a "     \
    "second model, a merge of a third, until it is done."

#endif
