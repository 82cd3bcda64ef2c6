/* growing.c -- tables of features that double; see growing.h. */
#include "growing.h"

#include <stdio.h>

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
    int64_t share = growing_max_capacity(max_features) / 16, all = 4 * (int64_t)rows * row,
            slots = share > row ? share : row;
    return growing_max_capacity(slots < all ? slots : all);
}

/* The table moves first; the block moves when the table has. */
void growing_plan(struct leat_plan *p, struct growing_bytes max, struct growing_bytes before)
{
    uint64_t both = before.table + before.block,
             while_table = both > max.block ? both - max.block : 0; /* beyond table + block */
    p->state_bytes += max.table + max.block;
    p->work_bytes += while_table > before.block ? while_table : before.block;
}

void growing_note(struct leat_plan *p, uint32_t max_capacity)
{
    snprintf(p->note, sizeof p->note,
             "stops growing at max_features = %u (%.1f MB): it ignores later features and counts "
             "them",
             max_capacity, (double)p->state_bytes / (1 << 20));
}

void growing_tell(struct leat_ctx *ctx, struct growing_size size)
{
    if (!size.ignored || *size.told) return;
    *size.told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "max_features = %u is reached: the stage ignores new features and counts them "
                   "(ignored_entries); raise max_features to keep more",
                   size.max_capacity);
}

uint32_t growing_double(struct leat_ctx *ctx, void *table, growing_move *move,
                        struct growing_size size, uint32_t more)
{
    uint32_t capacity = size.capacity;
    while (capacity - size.n < more && capacity < size.max_capacity) {
        if (!move(ctx, table, 2 * capacity)) {
            ctx->host->log(
                ctx, LEAT_WARN,
                "there is not enough memory for more than %u features: new ones are ignored",
                capacity);
            *size.told = true;
            return capacity;
        }
        capacity *= 2;
    }
    growing_tell(ctx, size);
    return size.max_capacity;
}

/* ---- a feature_table with names ---- */

uint32_t growing_first(const struct growing_cfg *c)
{
    uint32_t max = growing_max_capacity(c->max_features);
    return max < GROWING_FIRST ? max : GROWING_FIRST;
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
    uint32_t first = growing_first(c);
    size_t pool = pool_names_bytes(c->names_budget, ctx->in);
    g->block = h->alloc(ctx, feature_table_bytes(first, stride));
    bool named = pool_names_open(ctx, pool, c->name_bytes, &g->names, &g->text);
    if (!g->block || !named) {
        growing_close(ctx, g);
        return h->fail(
            ctx, LEAT_ENOMEM,
            "there is not enough memory for the first %u features and %zu bytes of names", first,
            pool);
    }
    feature_table_init(&g->table, first, stride, g->block);
    g->max_capacity = growing_max_capacity(c->max_features);
    return LEAT_OK;
}

static bool move_table(struct leat_ctx *ctx, void *growing, uint32_t capacity)
{
    struct growing *g = growing;
    void *block = ctx->host->alloc(ctx, feature_table_bytes(capacity, g->table.stride));
    if (!block) return false;
    feature_table_grow(&g->table, capacity, block);
    ctx->host->free(ctx, g->block);
    g->block = block;
    return true;
}

static struct growing_size size_of(struct growing *g)
{
    return (struct growing_size){g->table.n, g->table.capacity, g->max_capacity, g->table.ignored,
                                 &g->told};
}

void growing_reserve(struct leat_ctx *ctx, struct growing *g, uint32_t n)
{
    g->max_capacity = growing_double(ctx, g, move_table, size_of(g), n);
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
    growing_tell(ctx, size_of(g));
    h->metric(ctx, "features", (double)g->table.n);
    h->metric(ctx, "ignored_entries", (double)g->table.ignored);
    h->metric(ctx, "names_bytes", (double)g->names.used);
    h->metric(ctx, "unnamed_features", (double)g->names.dropped);
}
