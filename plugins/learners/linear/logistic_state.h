/* logistic_state.h -- the state of learn.logistic as fields: written, read, merged.
 *
 * Only glue; plugins/kernels/linear/logistic_state.c makes models of parts and of other models.
 * Features are in the order of their numbers. Names go into the live pool, last of all: it is
 * emptied first on restore, which gives each name the place it had; on merge it only grows.
 */
#ifndef LEAT_LEARNERS_LINEAR_LOGISTIC_STATE_H
#define LEAT_LEARNERS_LINEAR_LOGISTIC_STATE_H

#include "kernels/linear/logistic.h"
#include "classes.h"
#include "linear_state.h"

/* A model and its memory. Its names are in the stage's pool, by tag. */
struct logistic_held {
    struct logistic model;
    struct name_pool *names;
    void *block;
    struct redundancy_parts *parts; /* of each feature's name; NULL: entries have no names */
    uint32_t least, most;           /* capacities, powers of two */
};

static inline size_t logistic_parts_bytes(uint32_t capacity, bool named)
{
    return named ? capacity * sizeof(struct redundancy_parts) : 0;
}

static inline void logistic_release(struct leat_ctx *ctx, struct logistic_held *h)
{
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->block);
    h->parts = NULL;
    h->block = NULL;
}

static inline void logistic_release_all(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n)
{
    for (uint32_t c = 0; h && c < n; c++)
        logistic_release(ctx, &h[c]);
    ctx->host->free(ctx, h);
}

/* Feature f of `l` has the name that the first of all copies has given to the same number. */
static inline bool logistic_share_name(const struct logistic_held *first, struct logistic_held *l,
                                       uint32_t f)
{
    const struct logistic *m = &first->model;
    if (l == first || f >= m->n || m->id[f] != l->model.id[f]) return false;
    l->model.tag[f] = m->tag[f];
    return true;
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

/* unnamed: features for whose names the pool had no room. */
static inline int logistic_write(const struct logistic_held *h, uint64_t unnamed,
                                 struct leat_writer *w)
{
    const struct logistic *m = &h->model;
    struct logistic_parts p = logistic_parts(m);
    struct linear_arrays a = {p.n, p.id, p.weight, p.accumulator, p.count, p.l1_seen};
    linear_write_options(w, &m->sgd.opt, m->opt.counts);
    linear_write_clock(w, &m->sgd);
    w->u64(w, "ignored", p.ignored);
    w->u64(w, "unnamed", unnamed);
    linear_write_arrays(w, LEAT_U64, &a);
    linear_write_name_parts(w, h->parts, p.n);
    return linear_write_names(w, logistic_list_names, h, p.n);
}

static inline int logistic_write_all(const struct logistic_held *h, uint32_t classes,
                                     struct leat_writer *w)
{
    int status = w->u64(w, "classes", classes);
    if (!classes) return logistic_write(h, h->names->dropped, w);
    for (uint32_t c = 0; c < classes && status == LEAT_OK; c++) {
        struct classes_writer cw = classes_writer(w, c);
        status = logistic_write(&h[c], c ? 0 : h->names->dropped, &cw.base);
    }
    return status;
}

/* ---- reading ---- */

static inline int logistic_read_parts(struct leat_reader *r, const struct logistic *m,
                                      struct logistic_parts *p)
{
    const struct linear_arrays has = {
        .own = m->accumulator, .count = m->count, .settled = m->l1_seen};
    struct linear_arrays a;
    if (linear_read_clock(r, &p->sgd) != LEAT_OK || r->u64(r, "ignored", &p->ignored) != LEAT_OK ||
        linear_read_arrays(r, LEAT_U64, LOGISTIC_MAX_CAPACITY, &has, &a) != LEAT_OK)
        return LEAT_EDATA;
    p->n = (uint32_t)a.n;
    p->id = a.id, p->weight = a.weight, p->accumulator = a.own, p->count = a.count,
    p->l1_seen = a.settled;
    return LEAT_OK;
}

/* What was written, beside its model: lent by the reader. */
struct logistic_said {
    struct name_list names;
    const struct redundancy_parts *parts; /* or NULL */
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

static inline bool logistic_has_parts(const struct redundancy_parts *p)
{
    return p->key[0] | p->key[1] | p->key[2];
}

/* Give name i to feature number[i] (NULL: to feature i), where that has none; parts likewise. Names
 * that the first copy has are shared. */
static inline void logistic_take_names(const struct logistic_held *first, struct logistic_held *h,
                                       const struct logistic_said *said, const uint32_t *number)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < said->names.n; i++) {
        size_t len;
        const char *name = name_list_next(&said->names, i, &at, &len);
        uint32_t f = number ? number[i] : i, *tag = &h->model.tag[f];
        if (name && !*tag && !logistic_share_name(first, h, f))
            *tag = name_pool_add(h->names, name, len);
        if (h->parts && said->parts && !logistic_has_parts(&h->parts[f]))
            h->parts[f] = said->parts[i];
    }
    h->names->dropped += said->unnamed;
}

/* What was written: its models, without names. */
struct logistic_written {
    struct logistic_held *model;
    struct logistic_said *said;
    uint32_t n;
};

static inline void logistic_forget(struct leat_ctx *ctx, struct logistic_written *all)
{
    logistic_release_all(ctx, all->model, all->n);
    ctx->host->free(ctx, all->said);
}

static inline int logistic_read_all(struct leat_ctx *ctx, const struct logistic_held *live,
                                    uint32_t classes, struct leat_reader *r,
                                    struct logistic_written *all)
{
    const struct leat_host *h = ctx->host;
    uint32_t n = linear_models(classes);
    int status = r->same_u64(r, "classes", classes);
    if (status != LEAT_OK) return status;
    *all = (struct logistic_written){.model = h->alloc(ctx, n * sizeof *all->model),
                                     .said = h->alloc(ctx, n * sizeof *all->said),
                                     .n = n};
    if (!all->model || !all->said)
        status = h->fail(ctx, LEAT_ENOMEM, "no memory for a second model of %u classes", n);
    for (uint32_t c = 0; c < n && status == LEAT_OK; c++) {
        struct classes_reader cr = classes_reader(r, c);
        struct leat_reader *from = classes ? &cr.base : r;
        status = logistic_read(ctx, &live[c], from, &all->model[c], &all->said[c]);
        if (status != LEAT_OK) all->model[c] = (struct logistic_held){0};
    }
    if (status != LEAT_OK) logistic_forget(ctx, all);
    return status;
}

/* They become the live ones, with the names that were said. */
static inline void logistic_become(struct leat_ctx *ctx, struct logistic_held **live,
                                   struct logistic_written *all)
{
    for (uint32_t c = 0; c < all->n; c++)
        logistic_take_names(all->model, &all->model[c], &all->said[c], NULL);
    logistic_release_all(ctx, *live, all->n);
    *live = all->model;
    ctx->host->free(ctx, all->said);
}

static inline int logistic_restore_all(struct leat_ctx *ctx, struct logistic_held **live,
                                       uint32_t classes, struct leat_reader *r)
{
    struct logistic_written all;
    int status = logistic_read_all(ctx, *live, classes, r, &all);
    if (status != LEAT_OK) return status;
    for (uint32_t c = 0; c < all.n && status == LEAT_OK; c++)
        if (all.model[c].model.n > all.model[c].most)
            status = r->refuse(r, "it has %u features; max_features allows %u here",
                               all.model[c].model.n, all.model[c].most);
    if (status != LEAT_OK) {
        logistic_forget(ctx, &all);
        return status;
    }
    name_pool_clear((*live)->names);
    logistic_become(ctx, live, &all);
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

/* The mean of two models, one of which is `live`; first: that of the first class, for names. */
static inline int logistic_join(struct leat_ctx *ctx, const struct logistic_held *first,
                                const struct logistic_held *live, const struct logistic_held *other,
                                const struct logistic_said *said, double count,
                                struct logistic_held *h)
{
    const struct leat_host *host = ctx->host;
    uint32_t n = other->model.n;
    int status = logistic_hold(ctx, live, (uint64_t)live->model.n + n, h);
    if (status != LEAT_OK) return status;
    uint32_t *number = host->alloc(ctx, (n + 1ull) * sizeof *number);
    status = number ? LEAT_OK : host->fail(ctx, LEAT_ENOMEM, "no memory to merge %u features", n);
    if (status == LEAT_OK) {
        logistic_merge(&h->model, &live->model, &other->model, count, number);
        if (h->parts) memcpy(h->parts, live->parts, live->model.n * sizeof *h->parts);
        logistic_take_names(first, h, said, number);
        status = logistic_settle(ctx, live, h);
    }
    host->free(ctx, number);
    if (status != LEAT_OK) logistic_release(ctx, h);
    return status;
}

/* The live models become the means. */
static inline int logistic_join_all(struct leat_ctx *ctx, struct logistic_held **live,
                                    const struct logistic_written *other, double count)
{
    const struct leat_host *host = ctx->host;
    struct logistic_held *h = host->alloc(ctx, other->n * sizeof *h);
    if (!h) return host->fail(ctx, LEAT_ENOMEM, "no memory to merge %u classes", other->n);
    struct name_pool *names = (*live)->names, before = *names;
    int status = LEAT_OK;
    for (uint32_t c = 0; c < other->n && status == LEAT_OK; c++) {
        status =
            logistic_join(ctx, h, &(*live)[c], &other->model[c], &other->said[c], count, &h[c]);
        if (status != LEAT_OK) h[c] = (struct logistic_held){0};
    }
    if (status != LEAT_OK) {
        *names = before; /* what was added lies behind what it holds */
        logistic_release_all(ctx, h, other->n);
        return status;
    }
    logistic_release_all(ctx, *live, other->n);
    *live = h;
    return LEAT_OK;
}

static inline int logistic_merge_all(struct leat_ctx *ctx, struct logistic_held **live,
                                     uint32_t classes, struct leat_reader *r, double count)
{
    struct logistic_written other;
    int status = logistic_read_all(ctx, *live, classes, r, &other);
    if (status != LEAT_OK) return status;
    bool fit = true;
    for (uint32_t c = 0; c < other.n; c++)
        fit &= other.model[c].model.capacity <= (*live)[c].most;
    /* all classes have learned the same examples */
    enum linear_merge how =
        linear_how_to_merge(&(*live)->model.sgd, &other.model->model.sgd, count);
    if (how == LINEAR_TAKE_OTHER && fit) {
        logistic_become(ctx, live, &other);
        return LEAT_OK;
    }
    if (how != LINEAR_STAY) status = logistic_join_all(ctx, live, &other, count);
    logistic_forget(ctx, &other);
    return status;
}

#define LOGISTIC_STATE_DOC                                                                         \
    LINEAR_STATE_DOC                                                                               \
    " A feature that one side does not know weighs 0 there. When there are more features than "    \
    "max_features after a merge, the heaviest stay. A restore or merge takes the memory of a "     \
    "second model, a merge of a third, until it is done."

#endif
