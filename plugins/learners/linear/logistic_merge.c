/* logistic_merge.c -- two states of learn.logistic become one; see logistic_state.h.
 *
 * All models are made first, and cut to the heaviest features; then the pool loses the names of
 * what was cut; names of the other side come last. */
#include <string.h>

#include "linear.h"
#include "linear_state.h"
#include "logistic_inside.h"

/* The mean of two models of a class; number[i]: its feature that is the other's i-th, or
 * LOGISTIC_CUT. */
struct joined {
    uint32_t *number, n;
    bool cut;
};

static void note_cut(struct joined *j, const uint32_t *keep, uint32_t kept, uint32_t *new_number,
                     uint32_t n)
{
    for (uint32_t f = 0; f < n; f++)
        new_number[f] = LOGISTIC_CUT;
    for (uint32_t f = 0; f < kept; f++)
        new_number[keep[f]] = f;
    for (uint32_t i = 0; i < j->n; i++)
        j->number[i] = new_number[j->number[i]];
    j->cut = true;
}

/* Cut h to the heaviest max_capacity features, in no more memory than they need. */
static int cut_to_size(struct leat_ctx *ctx, const struct logistic_held *live,
                       struct logistic_held *h, struct joined *j)
{
    const struct leat_host *host = ctx->host;
    struct logistic_held small;
    uint32_t before = h->model.n, n = before < live->max_capacity ? before : live->max_capacity;
    if (before <= live->max_capacity && h->model.capacity <= live->max_capacity) return LEAT_OK;
    int status = logistic_make_like(ctx, live, n, &small);
    if (status != LEAT_OK) return status;
    uint32_t *keep = host->alloc(ctx, ((size_t)small.model.capacity + before) * sizeof *keep);
    if (!keep) {
        logistic_release(ctx, &small);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features",
                          before);
    }
    logistic_trim(&small.model, &h->model, keep);
    for (uint32_t f = 0; small.parts && f < small.model.n; f++)
        small.parts[f] = h->parts[keep[f]];
    note_cut(j, keep, small.model.n, keep + small.model.capacity, before);
    host->free(ctx, keep);
    logistic_release(ctx, h);
    *h = small;
    return LEAT_OK;
}

/* The mean of two models, one of which is `live`, with that one's names alone. */
static int join_one(struct leat_ctx *ctx, const struct logistic_held *live,
                    const struct logistic_held *other, double weight, struct logistic_held *h,
                    struct joined *j)
{
    const struct leat_host *host = ctx->host;
    uint32_t n = other->model.n;
    int status = logistic_make_like(ctx, live, (uint64_t)live->model.n + n, h);
    if (status != LEAT_OK) return status;
    *j = (struct joined){.number = host->alloc(ctx, (n + 1ull) * sizeof *j->number), .n = n};
    status = j->number ? LEAT_OK
                       : host->fail(ctx, LEAT_ENOMEM,
                                    "there is not enough memory to merge %u features", n);
    if (status == LEAT_OK) {
        struct logistic a = live->model, b = other->model; /* with clocks of their own */
        sgd_meet(&a.sgd, &b.sgd);
        logistic_merge(&h->model, &a, &b, weight, j->number);
        if (h->parts) memcpy(h->parts, live->parts, live->model.n * sizeof *h->parts);
        status = cut_to_size(ctx, live, h, j);
    }
    if (status != LEAT_OK) logistic_release(ctx, h);
    return status;
}

/* The pool loses the names of features that were cut: those that are left are added again, as a
 * restore would. */
static int repack_names(struct leat_ctx *ctx, struct logistic_held *h, uint32_t n)
{
    struct name_pool *pool = h->names, old = *pool;
    old.bytes = ctx->host->alloc(ctx, old.used + 1);
    if (!old.bytes)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a copy of %zu bytes of names",
                               old.used);
    if (old.used) memcpy(old.bytes, pool->bytes, old.used);
    name_pool_clear(pool);
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t f = 0; f < h[c].model.n; f++) {
            size_t len;
            uint32_t *tag = &h[c].model.tag[f];
            const char *name = name_pool_get(&old, *tag, &len);
            if (*tag && !logistic_share_name(h, &h[c], f)) *tag = name_pool_add(pool, name, len);
        }
    pool->dropped = old.dropped;
    ctx->host->free(ctx, old.bytes);
    return LEAT_OK;
}

/* Makes the means h of all classes, without the other's names. After a failure none is left. */
static int join_models(struct leat_ctx *ctx, const struct logistic_held *live,
                       const struct logistic_models_read *other, double weight,
                       struct logistic_held *h, struct joined *j)
{
    int status = LEAT_OK;
    bool cut = false;
    for (uint32_t c = 0; c < other->n && status == LEAT_OK; c++) {
        status = join_one(ctx, &live[c], &other->model[c], weight, &h[c], &j[c]);
        if (status != LEAT_OK) h[c] = (struct logistic_held){0};
        cut |= j[c].cut;
    }
    return status == LEAT_OK && cut ? repack_names(ctx, h, other->n) : status;
}

/* The live models become the means. */
static int join_all(struct leat_ctx *ctx, struct logistic_held **live,
                    const struct logistic_models_read *other, double weight)
{
    const struct leat_host *host = ctx->host;
    struct logistic_held *h = host->alloc(ctx, other->n * sizeof *h);
    struct joined *j = host->alloc(ctx, other->n * sizeof *j);
    int status = h && j ? join_models(ctx, *live, other, weight, h, j)
                        : host->fail(ctx, LEAT_ENOMEM,
                                     "there is not enough memory to merge %u classes", other->n);
    for (uint32_t c = 0; c < other->n && status == LEAT_OK; c++)
        logistic_take_names(h, &h[c], &other->names[c], j[c].number);
    for (uint32_t c = 0; j && c < other->n; c++)
        host->free(ctx, j[c].number);
    host->free(ctx, j);
    if (status != LEAT_OK) {
        logistic_release_all(ctx, h, other->n);
        return status;
    }
    logistic_release_all(ctx, *live, other->n);
    *live = h;
    return LEAT_OK;
}

int logistic_merge_all(struct leat_ctx *ctx, struct logistic_held **live, uint32_t classes,
                       struct leat_reader *r, double weight)
{
    struct logistic_models_read other;
    int status = logistic_read_all(ctx, *live, classes, r, &other);
    if (status != LEAT_OK) return status;
    bool fit = true;
    for (uint32_t c = 0; c < other.n; c++)
        fit &= other.model[c].model.capacity <= (*live)[c].max_capacity;
    /* all classes have learned the same examples */
    enum linear_merge how =
        linear_how_to_merge(&(*live)->model.sgd, &other.model->model.sgd, weight);
    if (how == LINEAR_TAKE_OTHER && fit) {
        logistic_replace_live(ctx, live, &other);
        return LEAT_OK;
    }
    if (how != LINEAR_KEEP_LIVE) status = join_all(ctx, live, &other, weight);
    logistic_free_read(ctx, &other);
    return status;
}
