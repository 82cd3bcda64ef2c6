/* factored_state.c -- states of factorization machines: write, read, merge.
 *
 * A state has the features' ids, rows and names, and the fields of the model (struct
 * factored_method). It is read into a second instance, which replaces the live one when no step can
 * fail any more. */
#include <math.h>
#include <string.h>

#include "factored.h"
#include "kernels/base/feature_id.h"
#include "common/state/state_names.h"

/* ---- fields ---- */

static const struct state_field factored_cfg_fields[] = {
    {"loss", STATE_SAME, .at = STATE_MEMBER_OF(struct factored_cfg, loss, LEAT_U32),
     .choices = factored_losses},
};

/* Fields of the instance. They are read into a copy of struct factored, which has the table of the
 * live instance. */
#define AT(member) STATE_MEMBER(struct factored, member)
static const struct state_field factored_fields[] = {
    {"stride", STATE_SAME, .at = AT(g.table.stride)},
    {"features", STATE_VALUE, .at = AT(g.table.n), .limit = AT(g.table.max_capacity),
     .hint = "max_features"},
    {"examples", STATE_VALUE, .at = AT(examples), .max = COUNT_MAX},
    {"capacity", STATE_VALUE, .at = AT(g.table.capacity)},
    {"ignored", STATE_VALUE, .at = AT(g.table.ignored), .max = COUNT_MAX},
    {"unnamed", STATE_VALUE, .at = AT(g.names.dropped), .max = COUNT_MAX},
    {"ids", STATE_LENT, .at = AT(g.table.id), .count = {AT(g.table.n)}},
    {"rows", STATE_LENT, .at = AT(g.table.row), .count = {AT(g.table.n), AT(g.table.stride)}},
};
#undef AT

/* ---- writing ---- */

int factored_write(const void *self, struct leat_writer *w)
{
    const struct factored *f = self;
    const struct factored_method *m = f->method;
    int status = state_write(w, m->params.field, m->params.n, self);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(factored_cfg_fields), f->cfg);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(factored_fields), f);
    if (status == LEAT_OK) status = averaged_write(&f->averages, f->g.table.n, w);
    if (status == LEAT_OK) status = state_write(w, m->fields.field, m->fields.n, self);
    if (status == LEAT_OK && m->write) status = m->write(self, w);
    return status == LEAT_OK ? state_write_pool_names(w, &f->g.names, f->g.table.tag, f->g.table.n)
                             : status;
}

/* ---- reading ---- */

/* Copies the saved features into the empty table of f. */
static int factored_take_features(struct leat_ctx *ctx, struct factored *f, struct leat_reader *r,
                                  const struct factored *from)
{
    struct feature_table *t = &f->g.table;
    const struct feature_table *v = &from->g.table;
    bool fits = v->capacity >= v->n && v->capacity <= f->g.table.max_capacity;
    uint64_t numbers = (uint64_t)v->n * t->stride;
    /* takes the saved capacity if possible, so that a restored model saves the same bytes again */
    growing_reserve(ctx, &f->g, fits ? v->capacity : v->n);
    if (feature_table_free_slots(t) < v->n)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a second model");
    for (uint32_t i = 0; i < v->n; i++)
        if (feature_table_enroll(t, v->id[i]) != i) return r->refuse(r, FEATURE_ID_TWICE);
    for (uint64_t i = 0; i < numbers; i += t->stride)
        if (v->row[i] != 0)
            return r->refuse(r, "rows[%llu] is %g; the row of a feature must begin with 0",
                             (unsigned long long)i, v->row[i]);
    if (numbers) memcpy(t->row, v->row, numbers * sizeof *t->row);
    t->ignored = v->ignored;
    f->g.names.dropped = from->g.names.dropped;
    f->examples = from->examples;
    return LEAT_OK;
}

static void factored_take_names(struct factored *f, const struct name_list *names)
{
    uint64_t at = 0, dropped = f->g.names.dropped;
    for (uint32_t i = 0; i < names->n; i++) {
        size_t len;
        const char *name = name_list_next(names, i, &at, &len);
        if (name) f->g.table.tag[i] = name_pool_add(&f->g.names, name, len);
    }
    f->g.names.dropped = dropped; /* undoes the count of names that were dropped here, because they
                                   * did not fit into a smaller pool */
}

static int factored_read_model(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    const struct factored_method *m = ((struct factored *)self)->method;
    int status = factored_prepare(ctx, self, 0);
    if (status == LEAT_OK) status = state_read(r, m->fields.field, m->fields.n, self);
    if (status == LEAT_OK && m->read) status = m->read(ctx, self, r);
    if (status != LEAT_OK || !m->check) return status;
    const char *wrong = m->check(self);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

/* Reads a state into a new instance. */
static int factored_read_state(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct factored *f = self, from = *f;
    struct state_table params = f->method->params;
    struct name_list names;
    if (state_read(r, params.field, params.n, self) != LEAT_OK ||
        state_read(r, STATE_TABLE(factored_cfg_fields), (void *)(uintptr_t)ctx->cfg) != LEAT_OK ||
        state_read(r, STATE_TABLE(factored_fields), &from) != LEAT_OK ||
        state_read_names(r, from.g.table.n, &names) != LEAT_OK)
        return LEAT_EDATA;
    int status = factored_take_features(ctx, f, r, &from);
    if (status == LEAT_OK) status = averaged_read(&f->averages, f->g.table.n, r);
    if (status == LEAT_OK) status = factored_read_model(ctx, self, r);
    if (status == LEAT_OK) factored_take_names(f, &names);
    return status;
}

/* ---- the second instance ---- */

static void *factored_open_second(struct leat_ctx *ctx, const struct factored_method *m)
{
    void *self = ctx->host->alloc(ctx, m->instance_size);
    if (!self) ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a second model");
    if (self && factored_open(ctx, m, self) == LEAT_OK) return self;
    ctx->host->free(ctx, self);
    return NULL;
}

static void factored_drop_second(struct leat_ctx *ctx, void *second)
{
    if (second) learner_close(ctx, second);
    ctx->host->free(ctx, second);
}

/* Replaces the live instance by `second`. */
static void factored_replace_live(struct leat_ctx *ctx, void *self, void *second)
{
    const struct factored_method *m = ((struct factored *)self)->method;
    learner_close(ctx, self);
    memcpy(self, second, m->instance_size);
    ctx->host->free(ctx, second);
}

int factored_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    void *second = factored_open_second(ctx, ((struct factored *)self)->method);
    if (!second) return LEAT_ENOMEM;
    int status = factored_read_state(ctx, second, r);
    if (status == LEAT_OK)
        factored_replace_live(ctx, self, second);
    else
        factored_drop_second(ctx, second);
    return status;
}

/* ---- merging ---- */

/* Adds the features of a, then those of b, to the table of f. Feature j of b becomes feature
 * number[j]. Returns LEAT_EFULL if there is no room for all. */
static int factored_unite_features(struct leat_ctx *ctx, struct factored *f,
                                   const struct factored *a, const struct factored *b,
                                   uint32_t *number)
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
    t->ignored = count_add(ta->ignored, tb->ignored, 1);
    f->g.names.dropped =
        count_add(count_add(f->g.names.dropped, a->g.names.dropped, 1), b->g.names.dropped, 1);
    return LEAT_OK;
}

/* Sets the averages of f to those over the records of both models. */
static void factored_join_averages(struct factored *f, const struct factored *a,
                                   const struct factored *b, const uint32_t *number, double count)
{
    for (uint32_t i = 0; f->averages.of && i < a->g.table.n; i++)
        averages_set(&f->averages, i, averages_get(&a->averages, i));
    for (uint32_t i = 0; f->averages.of && i < b->g.table.n; i++)
        averages_join(&f->averages, number[i], &b->averages, i, count);
    averages_taken(&f->averages, f->examples);
}

/* Sets the new instance `both` to the merge of m->a and m->b. */
static int factored_merge_into(struct leat_ctx *ctx, void *both, struct leat_reader *r,
                               const struct factored_merger *m, uint32_t *number)
{
    struct factored *f = both, *a = m->a, *b = m->b;
    int status = factored_unite_features(ctx, f, a, b, number);
    if (status == LEAT_EFULL)
        return growing_refuse_merge(ctx, r, feature_table_union(&a->g.table, &b->g.table),
                                    a->g.table.max_capacity);
    if (status == LEAT_OK) status = factored_prepare(ctx, both, 0);
    if (status == LEAT_OK) status = a->method->merge(ctx, both, m);
    if (status != LEAT_OK) return status;
    f->examples = count_add(a->examples, b->examples, m->count);
    factored_join_averages(f, a, b, number, m->count);
    return LEAT_OK;
}

static int factored_join_models(struct leat_ctx *ctx, void *self, void *other,
                                struct leat_reader *r, double count)
{
    uint32_t n = ((struct factored *)other)->g.table.n;
    void *both = factored_open_second(ctx, ((struct factored *)self)->method);
    uint32_t *number = ctx->host->alloc(ctx, (n + 1ull) * sizeof *number);
    struct factored_merger m = {self, other, number, count};
    int status = number && both ? factored_merge_into(ctx, both, r, &m, number) : LEAT_ENOMEM;
    ctx->host->free(ctx, number);
    if (status == LEAT_OK)
        factored_replace_live(ctx, self, both);
    else
        factored_drop_second(ctx, both);
    if (status == LEAT_ENOMEM)
        ctx->host->fail(ctx, status, "there is not enough memory to merge %u features", n);
    return status;
}

int factored_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count)
{
    struct factored *live = self;
    if (!live->method->merge) return r->refuse(r, "%s", live->method->no_merge);
    struct factored *other = factored_open_second(ctx, live->method);
    if (!other) return LEAT_ENOMEM;
    int status = factored_read_state(ctx, other, r);
    if (status == LEAT_OK && count > 0 && other->examples) {
        if (count == 1 && !live->examples) { /* live becomes an exact copy of the saved model */
            factored_replace_live(ctx, self, other);
            return LEAT_OK;
        }
        status = factored_join_models(ctx, self, other, r, count);
    }
    factored_drop_second(ctx, other);
    return status;
}
