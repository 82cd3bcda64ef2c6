/* growing.c -- implementation of growing.h: tables of features that double. */
#include "growing.h"

#include <stdio.h>
#include <inttypes.h>

/* ---- the pool of names ---- */

size_t pool_names_bytes(int64_t names_budget, int64_t name_bytes, uint64_t features,
                        const struct leat_schema *in)
{
    uint64_t all = features * name_pool_bytes((uint32_t)name_bytes);
    if (!(in->has & LEAT_HAS_NAMES)) return 0;
    return all < (uint64_t)names_budget ? (size_t)all : (size_t)names_budget;
}

bool pool_names_open(struct leat_ctx *ctx, size_t bytes, int64_t name_bytes, struct name_pool *pool,
                     char **text)
{
    void *block = bytes ? ctx->host->alloc(ctx, bytes) : NULL;
    *text = ctx->host->alloc(ctx, (size_t)name_bytes + 1);
    name_pool_init(pool, block, bytes, (uint32_t)name_bytes);
    return (block || !bytes) && *text;
}

void pool_names_close(struct leat_ctx *ctx, struct name_pool *pool, char *text)
{
    ctx->host->free(ctx, text);
    ctx->host->free(ctx, pool->bytes);
}

void pool_names_tell(struct leat_ctx *ctx, const struct name_pool *pool, bool *told)
{
    bool full = pool->cap - pool->used < name_pool_bytes(pool->max_bytes);
    if (!full || !pool->dropped || !pool->cap || *told) return;
    *told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "the %zu bytes for names are full: later features are shown by their ids and "
                   "counted (unnamed_features); to name more, raise names_budget. A run that "
                   "continues from its --state keeps what it learned",
                   pool->cap);
}

uint32_t pool_names_take(struct name_pool *pool, char *text, const struct leat_batch *b, uint32_t i)
{
    size_t cap = pool->max_bytes + 1; /* one byte too many, so the pool sees when to cut a name */
    size_t len = leat_name_text(b, i, text, cap);
    return name_pool_add(pool, text, len < cap ? len : cap);
}

const char *pool_names_get(const struct name_pool *pool, uint32_t tag, uint64_t id,
                           char digits[POOL_NAMES_DIGITS], size_t *len)
{
    if (tag) return name_pool_get(pool, tag, len);
    *len = (size_t)snprintf(digits, POOL_NAMES_DIGITS, "%" PRIu64, id);
    return digits;
}

/* ---- any table ---- */

uint32_t growing_max_capacity(int64_t max_features)
{
    uint32_t p = 1;
    while (p < max_features && p < FEATURE_TABLE_MAX)
        p *= 2;
    return p;
}

uint32_t growing_max_slots(int64_t max_features, uint32_t rows, uint32_t row)
{
    uint32_t max = growing_max_capacity(max_features), slots;
    int64_t all = 4 * (int64_t)rows * row, most = max / 16 > row ? max / 16 : row;
    slots = growing_max_capacity(most < all ? most : all);
    return slots < max ? slots : max;
}

void growing_note(struct leat_plan *p, uint32_t max_capacity)
{
    snprintf(
        p->note, sizeof p->note,
        "stops growing at %u features (max_features; %.1f MB): it ignores later ones and counts "
        "them",
        max_capacity, (double)p->state_bytes / (1 << 20));
}

void growing_tell(struct leat_ctx *ctx, struct growing_size size, bool *told)
{
    bool full = size.n == size.max_capacity;
    if (!full || !size.ignored || *told) return;
    *told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "max_features is reached at %u features: new ones are ignored and counted "
                   "(ignored_entries); to keep more, raise max_features. A run that continues from "
                   "its --state keeps what it learned",
                   size.max_capacity);
}

int growing_refuse_merge(struct leat_ctx *ctx, struct leat_reader *r, uint64_t n,
                         uint32_t max_capacity)
{
    return r->refuse(r,
                     "the two states together have %llu features and max_features allows %u: raise "
                     "it, for example with leat model merge --set %s.max_features=%llu",
                     (unsigned long long)n, max_capacity, ctx->id, (unsigned long long)n);
}

uint32_t growing_capacity(struct leat_ctx *ctx, struct growing_size size, uint32_t more, bool *told)
{
    uint32_t capacity = size.capacity;
    while (capacity - size.n < more && capacity < size.max_capacity)
        capacity *= 2;
    if (capacity - size.n < more) growing_tell(ctx, size, told);
    return capacity;
}

/* ---- a feature_table with names ---- */

uint32_t growing_first(const struct growing_cfg *c)
{
    uint32_t max = growing_max_capacity(c->max_features);
    return max < GROWING_FIRST ? max : GROWING_FIRST;
}

size_t growing_names_bytes(const struct growing_cfg *c, const struct leat_schema *in)
{
    return pool_names_bytes(c->names_budget, c->name_bytes, growing_max_capacity(c->max_features),
                            in);
}

void growing_close(struct leat_ctx *ctx, struct growing *g)
{
    pool_names_close(ctx, &g->names, g->text);
    ctx->host->free(ctx, g->block);
    *g = (struct growing){0};
}

int growing_open(struct leat_ctx *ctx, const struct growing_cfg *c, uint32_t stride,
                 struct growing *g)
{
    const struct leat_host *h = ctx->host;
    uint32_t max = growing_max_capacity(c->max_features);
    size_t pool = growing_names_bytes(c, ctx->in);
    g->block = h->alloc(ctx, feature_table_bytes(max, stride));
    bool named = pool_names_open(ctx, pool, c->name_bytes, &g->names, &g->text);
    if (!g->block || !named) {
        growing_close(ctx, g);
        return h->fail(ctx, LEAT_ENOMEM,
                       "there is not enough memory for max_features = %u and %zu bytes of names: "
                       "lower max_features or names_budget",
                       max, pool);
    }
    feature_table_init(&g->table, growing_first(c), max, stride, g->block);
    return LEAT_OK;
}

static struct growing_size growing_size_of(const struct feature_table *t)
{
    return (struct growing_size){t->n, t->capacity, t->max_capacity, t->ignored};
}

void growing_reserve(struct leat_ctx *ctx, struct growing *g, uint32_t n)
{
    uint32_t capacity = growing_capacity(ctx, growing_size_of(&g->table), n, &g->told);
    if (capacity > g->table.capacity) feature_table_grow(&g->table, capacity);
}

void growing_take_name(struct growing *g, const struct leat_batch *b, uint32_t i, uint32_t f)
{
    g->table.tag[f] = pool_names_take(&g->names, g->text, b, i);
}

const char *growing_name(const struct growing *g, uint32_t feature, char digits[24], size_t *len)
{
    return pool_names_get(&g->names, g->table.tag[feature], g->table.id[feature], digits, len);
}

void growing_report(struct leat_ctx *ctx, struct growing *g)
{
    const struct leat_host *h = ctx->host;
    growing_tell(ctx, growing_size_of(&g->table), &g->told);
    pool_names_tell(ctx, &g->names, &g->told_names);
    h->metric(ctx, "features", (double)g->table.n);
    h->metric(ctx, "ignored_entries", (double)g->table.ignored);
    h->metric(ctx, "names_bytes", (double)g->names.used);
    h->metric(ctx, "unnamed_features", (double)g->names.dropped);
}

/* ---- exact counts ---- */

enum { FIRST = 4096 };

uint32_t counted_first(int64_t max_features)
{
    uint32_t max = growing_max_capacity(max_features);
    return max < FIRST ? max : FIRST;
}

static size_t bytes_for(uint32_t max_capacity, bool parts, uint32_t extra_bytes)
{
    return feature_counts_block_bytes(max_capacity, parts) + (size_t)max_capacity * extra_bytes;
}

void counted_plan(struct leat_plan *p, int64_t max_features, bool parts, uint32_t extra_bytes,
                  uint32_t finding)
{
    uint32_t max = growing_max_capacity(max_features);
    p->state_bytes += bytes_for(max, parts, extra_bytes);
    p->work_bytes += (uint64_t)max * finding;
    growing_note(p, max);
}

int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features, bool parts,
                 uint32_t extra_bytes)
{
    uint32_t max = growing_max_capacity(max_features);
    c->extra_bytes = extra_bytes;
    c->block = ctx->host->alloc(ctx, bytes_for(max, parts, extra_bytes));
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for max_features = %u: lower it", max);
    feature_counts_init(&c->counts, counted_first(max_features), max, parts, c->block);
    c->extra = (char *)c->block + feature_counts_block_bytes(max, parts); /* after the counts */
    return LEAT_OK;
}

void counted_close(struct leat_ctx *ctx, struct counted *c)
{
    ctx->host->free(ctx, c->block);
    c->block = NULL;
}

static struct growing_size counted_size(const struct feature_table *t)
{
    return (struct growing_size){t->n, t->capacity, t->max_capacity, t->ignored};
}

void counted_reserve(struct leat_ctx *ctx, struct counted *c, uint32_t n)
{
    struct feature_table *t = &c->counts.table;
    uint32_t capacity = growing_capacity(ctx, counted_size(t), n, &c->told);
    if (capacity > t->capacity) feature_table_grow(t, capacity);
}

void counted_tell(struct leat_ctx *ctx, struct counted *c)
{
    growing_tell(ctx, counted_size(&c->counts.table), &c->told);
}
