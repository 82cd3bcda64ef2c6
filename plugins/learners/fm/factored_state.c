/* factored_state.c -- states of factorization machines: written, read, merged.
 *
 * A state is the features' ids and rows, their names, and what the model adds (struct
 * factored_method). It is read into a second instance, which replaces the live one when nothing can
 * fail any more.
 */
#include <math.h>
#include <string.h>

#include "factored.h"
#include "support/state_names.h"

/* ---- fields ---- */

struct table_fields {
    uint32_t loss, stride, max_features, features;
    uint64_t examples, capacity, ignored, unnamed;
    const uint64_t *id;
    const double *row;
};

#define AT(member) STATE_MEMBER(struct table_fields, member)
static const struct state_field fields[] = {
    {"loss", STATE_SAME, .at = AT(loss), .choices = factored_losses},
    {"stride", STATE_SAME, .at = AT(stride)},
    {"features", STATE_VALUE, .at = AT(features), .limit = AT(max_features),
     .hint = "max_features"},
    {"examples", STATE_VALUE, .at = AT(examples)},
    {"capacity", STATE_VALUE, .at = AT(capacity)},
    {"ignored", STATE_VALUE, .at = AT(ignored)},
    {"unnamed", STATE_VALUE, .at = AT(unnamed)},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(features)}},
    {"rows", STATE_LENT, .at = AT(row), .count = {AT(features), AT(stride)}},
};
#undef AT

static struct table_fields fields_of(const struct leat_ctx *ctx, const struct factored *f)
{
    const struct feature_table *t = &f->g.table;
    return (struct table_fields){.loss = (uint32_t)((const struct factored_cfg *)ctx->cfg)->loss,
                                 .stride = t->stride,
                                 .max_features = f->g.max_capacity,
                                 .features = t->n,
                                 .examples = f->examples,
                                 .capacity = t->capacity,
                                 .ignored = t->ignored,
                                 .unnamed = f->g.names.dropped,
                                 .id = t->id,
                                 .row = t->row};
}

/* ---- writing ---- */

int factored_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct factored *f = self;
    struct table_fields v = fields_of(ctx, f);
    int status = state_write(w, f->method->params, f->method->n_params, self);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), &v);
    if (status == LEAT_OK) status = f->method->write(self, w);
    return status == LEAT_OK ? state_write_pool_names(w, &f->g.names, f->g.table.tag, f->g.table.n)
                             : status;
}

/* ---- reading ---- */

/* The features that were written, into a fresh table. */
static int take_features(struct leat_ctx *ctx, struct factored *f, struct leat_reader *r,
                         const struct table_fields *v)
{
    struct feature_table *t = &f->g.table;
    bool fits = v->capacity >= v->features && v->capacity <= f->g.max_capacity;
    uint64_t numbers = (uint64_t)v->features * t->stride;
    /* as large as it was: the bytes of a restored model's state are those it came from */
    growing_reserve(ctx, &f->g, fits ? (uint32_t)v->capacity : v->features);
    if (feature_table_free_slots(t) < v->features)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a second model");
    for (uint32_t i = 0; i < v->features; i++)
        if (feature_table_enroll(t, v->id[i]) != i) return r->refuse(r, "ids[%u] occurs twice", i);
    for (uint64_t i = 0; i < numbers; i += t->stride)
        if (v->row[i] != 0) return r->refuse(r, "a row does not begin with 0");
    if (numbers) memcpy(t->row, v->row, numbers * sizeof *t->row);
    t->ignored = v->ignored;
    f->g.names.dropped = v->unnamed;
    f->examples = v->examples;
    return LEAT_OK;
}

static void take_names(struct factored *f, const struct name_list *names)
{
    uint64_t at = 0, dropped = f->g.names.dropped;
    for (uint32_t i = 0; i < names->n; i++) {
        size_t len;
        const char *name = name_list_next(names, i, &at, &len);
        if (name) f->g.table.tag[i] = name_pool_add(&f->g.names, name, len);
    }
    f->g.names.dropped = dropped; /* whatever a smaller pool has dropped now */
}

/* Into a fresh instance. */
static int read_state(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct factored *f = self;
    struct name_list names;
    struct table_fields v = fields_of(ctx, f);
    if (state_read(r, f->method->params, f->method->n_params, self) != LEAT_OK ||
        state_read(r, STATE_TABLE(fields), &v) != LEAT_OK ||
        state_read_names(r, v.features, &names) != LEAT_OK)
        return LEAT_EDATA;
    int status = take_features(ctx, f, r, &v);
    if (status == LEAT_OK) status = f->method->read(ctx, self, r);
    if (status == LEAT_OK) take_names(f, &names);
    return status;
}

/* ---- a second instance ---- */

static void *open_second(struct leat_ctx *ctx, const struct factored_method *m)
{
    void *self = ctx->host->alloc(ctx, m->instance_size);
    if (!self) ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a second model");
    if (self && factored_open(m, ctx, self) == LEAT_OK) return self;
    ctx->host->free(ctx, self);
    return NULL;
}

static void drop_second(struct leat_ctx *ctx, void *second)
{
    if (second) factored_close(ctx, second);
    ctx->host->free(ctx, second);
}

/* The second becomes the live one. */
static void replace_live(struct leat_ctx *ctx, void *self, void *second)
{
    const struct factored_method *m = ((struct factored *)self)->method;
    factored_close(ctx, self);
    memcpy(self, second, m->instance_size);
    ctx->host->free(ctx, second);
}

int factored_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    int status = state_check_version(r, version, FACTORED_STATE_VERSION);
    if (status != LEAT_OK) return status;
    void *second = open_second(ctx, ((struct factored *)self)->method);
    if (!second) return LEAT_ENOMEM;
    status = read_state(ctx, second, r);
    if (status == LEAT_OK)
        replace_live(ctx, self, second);
    else
        drop_second(ctx, second);
    return status;
}

/* ---- merging ---- */

/* The features of both, a's first; number[j]: of b's feature j. LEAT_EFULL: they do not fit. */
static int unite_features(struct leat_ctx *ctx, struct factored *f, const struct factored *a,
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

/* `both`, a fresh instance, becomes the merger of two. */
static int merge_into(struct leat_ctx *ctx, void *both, struct leat_reader *r,
                      const struct factored_merger *m, uint32_t *number)
{
    struct factored *f = both, *a = m->a, *b = m->b;
    int status = unite_features(ctx, f, a, b, number);
    if (status == LEAT_EFULL)
        return r->refuse(r, "both sides together have more features than max_features = %u",
                         a->g.max_capacity);
    if (status == LEAT_OK) status = a->method->merge(ctx, both, m);
    if (status == LEAT_OK)
        f->examples = a->examples + (uint64_t)(m->count * (double)b->examples + 0.5);
    return status;
}

static int join_models(struct leat_ctx *ctx, void *self, void *other, struct leat_reader *r,
                       double count)
{
    uint32_t n = ((struct factored *)other)->g.table.n;
    void *both = open_second(ctx, ((struct factored *)self)->method);
    uint32_t *number = ctx->host->alloc(ctx, (n + 1ull) * sizeof *number);
    struct factored_merger m = {self, other, number, count};
    int status = number && both ? merge_into(ctx, both, r, &m, number) : LEAT_ENOMEM;
    ctx->host->free(ctx, number);
    if (status == LEAT_OK)
        replace_live(ctx, self, both);
    else
        drop_second(ctx, both);
    if (status == LEAT_ENOMEM)
        ctx->host->fail(ctx, status, "there is not enough memory to merge %u features", n);
    return status;
}

int factored_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count)
{
    struct factored *live = self;
    if (!live->method->merge) return r->refuse(r, "%s", live->method->no_merge);
    int status = state_check_weight(r, count);
    if (status != LEAT_OK) return status;
    struct factored *other = open_second(ctx, live->method);
    if (!other) return LEAT_ENOMEM;
    status = read_state(ctx, other, r);
    if (status == LEAT_OK && count > 0 && other->examples) {
        if (count == 1 && !live->examples) { /* bit for bit the other */
            replace_live(ctx, self, other);
            return LEAT_OK;
        }
        status = join_models(ctx, self, other, r, count);
    }
    drop_second(ctx, other);
    return status;
}
