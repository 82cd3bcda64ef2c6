/* growing.h -- glue of learners that keep something of every feature: a feature_table that doubles,
 * and the names of its features.
 *
 * The table doubles when the next example might not fit: the only time that process() allocates,
 * and never twice for the same size. Each new feature leaves its name in a pool of names_budget
 * bytes; when that is full, later features are shown by their id.
 *
 * struct growing_cfg is a member of a stage's configuration, GROWING_PARAMS its parameters.
 */
#ifndef LEAT_LEARNERS_GROWING_H
#define LEAT_LEARNERS_GROWING_H

#include <inttypes.h>
#include <stdio.h>

#include <leat/plugin.h>

#include "kernels/base/feature_table.h"
#include "kernels/base/names.h"

enum { GROWING_FIRST = 1024 };

struct growing_cfg {
    int64_t max_features, names_budget, name_bytes, max_entries;
};

/* OFFSET: of the struct growing_cfg in the stage's configuration. */
#define GROWING_PARAM(OFFSET, FIELD, TYPE)                                                         \
    .name = #FIELD, .type = TYPE, .flags = LEAT_ADVANCED,                                          \
    .offset = (OFFSET) + offsetof(struct growing_cfg, FIELD)

/* clang-format off */
#define GROWING_PARAMS(OFFSET)                                                                     \
    {GROWING_PARAM(OFFSET, max_features, LEAT_INT), .def = "4194304", .min = 1,                    \
     .max = FEATURE_TABLE_MAX, .unit = "features",                                                 \
     .doc = "features kept, rounded up to a power of two; later ones are ignored and counted"},    \
    GROWING_OTHER_PARAMS(OFFSET)
/* For those that have a max_features of their own. */
#define GROWING_OTHER_PARAMS(OFFSET)                                                               \
    {GROWING_PARAM(OFFSET, names_budget, LEAT_SIZE), .def = "16MiB", .min = 0,                     \
     .max = 4294967295.0, .unit = "bytes",                                                         \
     .doc = "memory for names, taken at the start; features that come later are shown by their id"}, \
    {GROWING_PARAM(OFFSET, name_bytes, LEAT_INT), .def = "120", .min = 8, .max = 65535,            \
     .unit = "bytes", .doc = "longest name kept; longer ones are cut and end with …"},             \
    {GROWING_PARAM(OFFSET, max_entries, LEAT_INT), .def = "65536", .min = 1, .max = 16777216,      \
     .unit = "entries", .doc = "longest example learned; longer ones are rejected"}
/* clang-format on */

struct growing {
    struct feature_table table;
    struct name_pool names;
    void *block, *names_block;
    char *text;    /* scratch: a name, one byte longer than is kept */
    uint32_t most; /* features, a power of two                      */
};

static inline uint32_t growing_most(const struct growing_cfg *c)
{
    uint32_t p = 1;
    while (p < c->max_features)
        p *= 2;
    return p;
}

static inline uint32_t growing_first(const struct growing_cfg *c)
{
    uint32_t most = growing_most(c);
    return most < GROWING_FIRST ? most : GROWING_FIRST;
}

/* Ids need no names. */
static inline size_t growing_names_bytes(const struct growing_cfg *c, const struct leat_schema *in)
{
    return in->has & LEAT_HAS_NAMES ? (size_t)c->names_budget : 0;
}

/* Entries of the longest example there will be: known where entries do not depend on the text. */
static inline uint32_t growing_max_row(const struct growing_cfg *c, const struct leat_schema *in)
{
    uint32_t most = (uint32_t)c->max_entries, known = in->entries_per_record;
    return !in->bytes_per_entry && known && known < most ? known : most;
}

static inline void growing_close(struct leat_ctx *ctx, struct growing *g)
{
    ctx->host->free(ctx, g->text);
    ctx->host->free(ctx, g->names_block);
    ctx->host->free(ctx, g->block);
    *g = (struct growing){0};
}

static inline int growing_open(struct leat_ctx *ctx, const struct growing_cfg *c, uint32_t stride,
                               struct growing *g)
{
    const struct leat_host *h = ctx->host;
    uint32_t first = growing_first(c);
    size_t pool = growing_names_bytes(c, ctx->in);
    g->block = h->alloc(ctx, feature_table_bytes(first, stride));
    g->names_block = pool ? h->alloc(ctx, pool) : NULL;
    g->text = h->alloc(ctx, (size_t)c->name_bytes + 1);
    if (!g->block || (pool && !g->names_block) || !g->text) {
        growing_close(ctx, g);
        return h->fail(ctx, LEAT_ENOMEM,
                       "no memory for the first %u features and %zu bytes of names", first, pool);
    }
    feature_table_init(&g->table, first, stride, g->block);
    name_pool_init(&g->names, g->names_block, pool, (uint32_t)c->name_bytes);
    g->most = growing_most(c);
    return LEAT_OK;
}

/* Double the table until n more features fit or it may not grow. */
static inline void growing_make_room(struct leat_ctx *ctx, struct growing *g, uint32_t n)
{
    struct feature_table *t = &g->table;
    while (feature_table_room(t) < n && t->capacity < g->most) {
        uint32_t capacity = 2 * t->capacity;
        void *block = ctx->host->alloc(ctx, feature_table_bytes(capacity, t->stride));
        if (!block) {
            ctx->host->log(ctx, LEAT_WARN,
                           "no memory for more than %u features: new ones are ignored",
                           t->capacity);
            g->most = t->capacity;
            return;
        }
        feature_table_grow(t, capacity, block);
        ctx->host->free(ctx, g->block);
        g->block = block;
    }
}

/* The feature of entry i of the batch, a new one with its name; FEATURE_TABLE_NONE: no room. */
static inline uint32_t growing_enroll(struct growing *g, const struct leat_batch *b, uint32_t i)
{
    uint32_t known = g->table.n, f = feature_table_enroll(&g->table, b->id[i]);
    if (g->table.n > known && g->names_block) {
        size_t cap =
            g->names.max_bytes + 1; /* one more than is kept: the pool sees that it must cut */
        size_t len = leat_name_text(b, i, g->text, cap);
        g->table.tag[f] = name_pool_add(&g->names, g->text, len < cap ? len : cap);
    }
    return f;
}

/* The name of a feature, or its id in decimal; digits: room for 24. */
static inline const char *growing_name(const struct growing *g, uint32_t feature, char digits[24],
                                       size_t *len)
{
    if (g->table.tag[feature]) return name_pool_get(&g->names, g->table.tag[feature], len);
    *len = (size_t)snprintf(digits, 24, "%" PRIu64, g->table.id[feature]);
    return digits;
}

static inline void growing_report(struct leat_ctx *ctx, const struct growing *g)
{
    const struct leat_host *h = ctx->host;
    h->metric(ctx, "features", (double)g->table.n);
    h->metric(ctx, "ignored_entries", (double)g->table.ignored);
    h->metric(ctx, "names_bytes", (double)g->names.used);
    h->metric(ctx, "unnamed_features", (double)g->names.dropped);
}

#endif
