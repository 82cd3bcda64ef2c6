/* factored_state.h -- states of factorization machines: written, read, merged.
 *
 * Only glue. A state is the features' ids and rows, their names, and what the model adds (struct
 * factored_kind). What is read goes into a second instance, which takes the place of the live one
 * when nothing can fail any more.
 */
#ifndef LEAT_LEARNERS_FM_FACTORED_STATE_H
#define LEAT_LEARNERS_FM_FACTORED_STATE_H

#include "factored.h"
#include "factored_top.h"
#include "learners/linear/linear_state.h"

enum { FACTORED_STATE_VERSION = 1 };

/* ---- writing ---- */

static inline void factored_list_names(const void *self, struct name_list *l)
{
    const struct growing *g = &((const struct factored *)self)->g;
    for (uint32_t i = 0; i < g->table.n; i++) {
        size_t len;
        const char *name = name_pool_get(&g->names, g->table.tag[i], &len);
        name_list_add(l, g->table.tag[i] ? name : NULL, len);
    }
}

static inline int factored_snapshot(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                                    struct leat_writer *w)
{
    struct factored *f = self;
    const struct feature_table *t = &f->g.table;
    w->u64(w, "loss", (uint64_t)((const struct factored_cfg *)ctx->cfg)->loss);
    if (k->write_params) k->write_params(self, w);
    w->u64(w, "stride", t->stride);
    w->u64(w, "examples", f->examples);
    w->u64(w, "capacity", t->capacity);
    w->u64(w, "ignored", t->ignored);
    w->u64(w, "unnamed", f->g.names.dropped);
    w->array(w, "ids", LEAT_U64, t->id, t->n);
    w->array(w, "rows", LEAT_F64, t->row, (uint64_t)t->n * t->stride);
    k->write(self, w);
    return linear_write_names(w, factored_list_names, self, t->n);
}

/* ---- reading ---- */

static inline int factored_read_rows(struct leat_ctx *ctx, struct factored *f,
                                     struct leat_reader *r)
{
    const void *id, *row;
    uint64_t n = 0, capacity;
    struct feature_table *t = &f->g.table;
    if (r->u64(r, "capacity", &capacity) != LEAT_OK) return LEAT_EDATA;
    if (r->array(r, "ids", LEAT_U64, &id, &n) != LEAT_OK) return LEAT_EDATA;
    if (n > f->g.max_capacity)
        return r->refuse(r, "it has %llu features; max_features allows %u here",
                         (unsigned long long)n, f->g.max_capacity);
    if (linear_read_array(r, "rows", LEAT_F64, n * t->stride, &row) != LEAT_OK) return LEAT_EDATA;
    if (capacity < n || capacity > f->g.max_capacity) capacity = n;
    growing_reserve(ctx, &f->g, (uint32_t)capacity); /* as large as it was: a state is its bytes */
    if (feature_table_room(t) < n)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a second model");
    for (uint32_t i = 0; i < n; i++)
        if (feature_table_enroll(t, ((const uint64_t *)id)[i]) != i)
            return r->refuse(r, "an id is there twice");
    const double *v = row;
    for (uint64_t i = 0; i < n * t->stride; i++)
        if (!isfinite(v[i]) || (i % t->stride == 0 && v[i] != 0))
            return r->refuse(r, "rows have a value that no model has");
    if (n) memcpy(t->row, row, n * t->stride * sizeof *t->row);
    return LEAT_OK;
}

static inline void factored_take_names(struct factored *f, const struct name_list *names,
                                       const uint32_t *number)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < names->n; i++) {
        size_t len;
        const char *name = name_list_next(names, i, &at, &len);
        uint32_t *tag = &f->g.table.tag[number ? number[i] : i];
        if (name && !*tag) *tag = name_pool_add(&f->g.names, name, len);
    }
}

/* Into a fresh instance. */
static inline int factored_read(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                                struct leat_reader *r)
{
    struct factored *f = self;
    struct name_list names;
    uint64_t ignored, unnamed;
    const struct factored_cfg *c = ctx->cfg;
    if (linear_same_choice(r, "loss", factored_losses, (uint32_t)c->loss) != LEAT_OK ||
        (k->same_params && k->same_params(self, r) != LEAT_OK) ||
        r->same_u64(r, "stride", f->g.table.stride) != LEAT_OK ||
        r->u64(r, "examples", &f->examples) != LEAT_OK ||
        r->u64(r, "ignored", &ignored) != LEAT_OK || r->u64(r, "unnamed", &unnamed) != LEAT_OK)
        return LEAT_EDATA;
    int status = factored_read_rows(ctx, f, r);
    if (status == LEAT_OK) status = linear_read_names(r, f->g.table.n, &names);
    if (status == LEAT_OK) status = k->read(ctx, self, r);
    if (status != LEAT_OK) return status;
    factored_take_names(f, &names, NULL);
    f->g.table.ignored = ignored;
    f->g.names.dropped = unnamed;
    return LEAT_OK;
}

/* ---- a second instance ---- */

static inline void *factored_second(const struct factored_kind *k, struct leat_ctx *ctx)
{
    void *self = ctx->host->alloc(ctx, k->instance_size);
    if (!self) ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a second model");
    if (self && factored_open(k, ctx, self) == LEAT_OK) return self;
    ctx->host->free(ctx, self);
    return NULL;
}

static inline void factored_drop(const struct factored_kind *k, struct leat_ctx *ctx, void *second)
{
    if (second) factored_close(k, ctx, second);
    ctx->host->free(ctx, second);
}

/* The second becomes the live one. */
static inline void factored_replace(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                                    void *second)
{
    factored_close(k, ctx, self);
    memcpy(self, second, k->instance_size);
    ctx->host->free(ctx, second);
}

static inline int factored_restore(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                                   struct leat_reader *r, uint32_t version)
{
    int status = linear_same_version(r, version, FACTORED_STATE_VERSION);
    if (status != LEAT_OK) return status;
    void *second = factored_second(k, ctx);
    if (!second) return LEAT_ENOMEM;
    status = factored_read(k, ctx, second, r);
    if (status == LEAT_OK)
        factored_replace(k, ctx, self, second);
    else
        factored_drop(k, ctx, second);
    return status;
}

/* ---- merging ---- */

/* The features of both, a's first; number[j]: of b's feature j. */
static inline int factored_union(struct leat_ctx *ctx, struct factored *f, const struct factored *a,
                                 const struct factored *b, uint32_t *number)
{
    const struct feature_table *ta = &a->g.table, *tb = &b->g.table;
    struct feature_table *t = &f->g.table;
    growing_reserve(ctx, &f->g, ta->n + tb->n);
    for (uint32_t side = 0; side < 2; side++) {
        const struct factored *from = side ? b : a;
        for (uint32_t i = 0; i < from->g.table.n; i++) {
            uint32_t j = feature_table_enroll(t, from->g.table.id[i]), tag = from->g.table.tag[i];
            size_t len;
            if (j == FEATURE_TABLE_NONE) return LEAT_EFULL;
            if (side) number[i] = j;
            const char *name = name_pool_get(&from->g.names, tag, &len);
            if (tag && !t->tag[j]) t->tag[j] = name_pool_add(&f->g.names, name, len);
        }
    }
    t->ignored = ta->ignored + tb->ignored;
    f->g.names.dropped += a->g.names.dropped + b->g.names.dropped;
    return LEAT_OK;
}

static inline int factored_join(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                                void *other, struct leat_reader *r, double count)
{
    struct factored *a = self, *b = other;
    void *both = factored_second(k, ctx);
    uint32_t *number = ctx->host->alloc(ctx, (b->g.table.n + 1ull) * sizeof *number);
    int status = number && both ? LEAT_OK : LEAT_ENOMEM;
    if (status == LEAT_OK) status = factored_union(ctx, both, a, b, number);
    if (status == LEAT_EFULL)
        status = r->refuse(r, "together they have more features than max_features allows here");
    struct factored_merger merger = {self, other, number, count};
    if (status == LEAT_OK) status = k->merge(ctx, both, &merger);
    ctx->host->free(ctx, number);
    if (status == LEAT_OK) {
        ((struct factored *)both)->examples =
            a->examples + (uint64_t)(count * (double)b->examples + 0.5);
        factored_replace(k, ctx, self, both);
    } else if (status == LEAT_ENOMEM) {
        ctx->host->fail(ctx, status, "no memory to merge %u features", b->g.table.n);
        factored_drop(k, ctx, both);
    } else {
        factored_drop(k, ctx, both);
    }
    return status;
}

static inline int factored_merge(const struct factored_kind *k, struct leat_ctx *ctx, void *self,
                                 struct leat_reader *r, double count)
{
    if (!k->merge) return r->refuse(r, "%s", k->no_merge);
    int status = linear_check_count(r, count);
    if (status != LEAT_OK) return status;
    struct factored *live = self, *other = factored_second(k, ctx);
    if (!other) return LEAT_ENOMEM;
    status = factored_read(k, ctx, other, r);
    if (status == LEAT_OK && count > 0 && other->examples) {
        if (count == 1 && !live->examples) { /* bit for bit the other */
            factored_replace(k, ctx, self, other);
            return LEAT_OK;
        }
        status = factored_join(k, ctx, self, other, r, count);
    }
    factored_drop(k, ctx, other);
    return status;
}

/* ---- the calls of a stage ----
 * These need struct cfg, struct stage, params and plan; learn, predict, report, weight, write_model
 * and read_model for the members of its kind. */

#define FACTORED_KIND_MEMBERS                                                                      \
    .instance_size = sizeof(struct stage), .learn = learn, .predict = predict, .report = report,   \
    .weight = weight, .write = write_model, .read = read_model

/* The functions of struct leat_stage, from one struct factored_kind KIND. */
#define FACTORED_STAGE(KIND)                                                                       \
    static int open_stage(struct leat_ctx *ctx, void *self)                                        \
    {                                                                                              \
        return factored_open(&KIND, ctx, self);                                                    \
    }                                                                                              \
    static void close_stage(struct leat_ctx *ctx, void *self)                                      \
    {                                                                                              \
        factored_close(&KIND, ctx, self);                                                          \
    }                                                                                              \
    static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)                     \
    {                                                                                              \
        return factored_process(&KIND, ctx, self, b);                                              \
    }                                                                                              \
    static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,                 \
                     struct leat_result *out)                                                      \
    {                                                                                              \
        return factored_query(&KIND, ctx, self, q, out);                                           \
    }                                                                                              \
    static int stop(struct leat_ctx *ctx, void *self)                                              \
    {                                                                                              \
        factored_report(&KIND, ctx, self);                                                         \
        return LEAT_OK;                                                                            \
    }                                                                                              \
    static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)                   \
    {                                                                                              \
        return factored_snapshot(&KIND, ctx, self, w);                                             \
    }                                                                                              \
    static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)  \
    {                                                                                              \
        return factored_restore(&KIND, ctx, self, r, version);                                     \
    }                                                                                              \
    static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)       \
    {                                                                                              \
        return factored_merge(&KIND, ctx, self, r, weight);                                        \
    }

/* What all these stages have in common. */
#define FACTORED_MEMBERS                                                                           \
    LEAT_PARAMS(params), .cfg_size = sizeof(struct cfg), .instance_size = sizeof(struct stage),    \
                         .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,        \
                         .makes = LEAT_HAS_SCORE, .validate = factored_validate,                   \
                         .negotiate = factored_negotiate, .plan = plan, .open = open_stage,        \
                         .close = close_stage, .stop = stop, .process = process, .query = query,   \
                         .state_version = FACTORED_STATE_VERSION, .snapshot = snapshot,            \
                         .restore = restore, .merge = merge

#endif
