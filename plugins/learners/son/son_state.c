/* son_state.c -- the state of an online Newton learner (son.h): write, read, merge.
 *
 * A state has the parameters, which must be equal on restore; the features (ids, rows of doubles,
 * names) in the order of their numbers; and the method's fields. It is read into a second instance,
 * which replaces the live one when no step can fail any more. Names are added to the live pool
 * last. */
#include "son.h"

#include <math.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "common/state/state_names.h"

/* Limits on the numbers of a feature, and on its mark (its position in a row). */
#define MAX_NUMBER 1e200
#define MAX_MARK   1e9

/* ---- fields ---- */

/* Fields of the configuration. */
static const struct state_field son_family_fields[] = {
#define AT(member, type) STATE_MEMBER_OF(struct son_cfg, member, type)
    {"alpha0", STATE_SAME, .at = AT(alpha0, LEAT_F64)},
    {"clip", STATE_SAME, .at = AT(clip, LEAT_F64)},
    {"loss", STATE_SAME, .at = AT(loss, LEAT_U32), .choices = son_losses},
    {"m", STATE_SAME, .at = AT(m, LEAT_U64)},
#undef AT
};

static struct state_table son_params(const struct son_method *m)
{
    return (struct state_table){
        son_family_fields, m->plain ? 0 : sizeof son_family_fields / sizeof *son_family_fields};
}

/* Field that a state has only with labels = "numbers", because states of older versions, which have
 * classes, lack it. */
static const struct state_field son_label_fields[] = {
    {"labels", STATE_SAME, .at = STATE_MEMBER_OF(struct son_cfg, labels, LEAT_U32),
     .choices = son_labels},
};

static struct state_table son_label_params(const struct son_cfg *c)
{
    return (struct state_table){son_label_fields, c->labels == SON_NUMBERS};
}

/* Saved fields of the instance. The reader owns the arrays. */
struct son_saved {
    struct growing growing;
    uint64_t examples;
    struct name_list names;
};

#define AT(member) STATE_MEMBER(struct son_saved, member)
static const struct state_field son_count_fields[] = {
    {"features", STATE_VALUE, .at = AT(growing.table.n), .limit = AT(growing.table.max_capacity),
     .hint = "max_features"},
    {"examples", STATE_VALUE, .at = AT(examples), .max = COUNT_MAX},
    {"ignored", STATE_VALUE, .at = AT(growing.table.ignored), .max = COUNT_MAX},
    {"unnamed", STATE_VALUE, .at = AT(growing.names.dropped), .max = COUNT_MAX},
};
static const struct state_field son_array_fields[] = {
    {"ids", STATE_LENT, .at = AT(growing.table.id), .count = {AT(growing.table.n)}},
    {"feature_rows", STATE_LENT, .at = AT(growing.table.row),
     .count = {AT(growing.table.n), AT(growing.table.stride)}, .min = -MAX_NUMBER,
     .max = MAX_NUMBER},
};
#undef AT

static struct son_saved son_saved_of(const struct son_stage *st)
{
    return (struct son_saved){.growing = st->growing, .examples = st->examples};
}

/* ---- writing ---- */

int son_write(const void *self, struct leat_writer *w)
{
    const struct son_stage *st = self;
    const struct son_method *m = st->method;
    struct son_saved s = son_saved_of(st);
    struct state_table family = son_params(m), labels = son_label_params(st->cfg);
    int status = state_write(w, family.field, family.n, st->cfg);
    if (status == LEAT_OK) status = state_write(w, labels.field, labels.n, st->cfg);
    if (status == LEAT_OK) status = state_write(w, m->params.field, m->params.n, st->model);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(son_count_fields), &s);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(son_array_fields), &s);
    if (status == LEAT_OK) status = state_write(w, m->fields.field, m->fields.n, st->model);
    if (status == LEAT_OK && m->write) status = m->write(st->model, w);
    return status == LEAT_OK ? state_write_pool_names(w, &st->growing.names, st->growing.table.tag,
                                                      st->growing.table.n)
                             : status;
}

/* ---- a second instance ---- */

static void son_release_second(struct leat_ctx *ctx, struct son_stage *st)
{
    if (!st) return;
    ctx->host->free(ctx, st->growing.block);
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st);
}

/* Creates an empty instance with room for n features, but not more than max_features. Its other
 * members are those of `live`. Returns NULL if there is not enough memory. */
static struct son_stage *son_make_second(struct leat_ctx *ctx, const struct son_stage *live,
                                         uint64_t n)
{
    const struct leat_host *h = ctx->host;
    const struct son_cfg *c = ctx->cfg;
    const struct feature_table *t = &live->growing.table;
    uint32_t capacity = growing_first(&c->growing);
    size_t bytes = sizeof *live + live->method->kernel->model_size;
    struct son_stage *st = h->alloc(ctx, bytes);
    while (capacity < n && capacity < t->max_capacity)
        capacity *= 2;
    if (st) {
        memcpy(st, live, bytes);
        st->growing.block = h->alloc(ctx, feature_table_bytes(t->max_capacity, t->stride));
        st->block =
            h->alloc(ctx, son_size(live->method, c, t->max_capacity, live->max_row).block + 1);
    }
    if (!st || !st->growing.block || !st->block) {
        son_release_second(ctx, st);
        h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a second model of %llu features",
                (unsigned long long)n);
        return NULL;
    }
    feature_table_init(&st->growing.table, capacity, t->max_capacity, t->stride, st->growing.block);
    st->examples = 0;
    son_init(ctx, st);
    return st;
}

/* Replaces the live instance by `second`, and frees `second`. */
static void son_replace_live(struct leat_ctx *ctx, struct son_stage *live, struct son_stage *second)
{
    const struct leat_host *h = ctx->host;
    struct name_pool names = live->growing.names; /* the pool has changed since `second` was made */
    h->free(ctx, live->growing.block);
    h->free(ctx, live->block);
    memcpy(live, second, sizeof *live + live->method->kernel->model_size);
    live->growing.names = names;
    h->free(ctx, second);
}

/* ---- reading ---- */

/* Compares the parameters. Reads the counts and the features' arrays into *s. */
static int son_read_saved(struct leat_ctx *ctx, struct leat_reader *r, const struct son_stage *live,
                          struct son_saved *s)
{
    struct state_table family = son_params(live->method), same = live->method->params,
                       labels = son_label_params(ctx->cfg);
    void *cfg = (void *)(uintptr_t)ctx->cfg; /* state_read() only compares in these tables */
    *s = son_saved_of(live);
    if (state_read(r, family.field, family.n, cfg) != LEAT_OK ||
        state_read(r, labels.field, labels.n, cfg) != LEAT_OK ||
        state_read(r, same.field, same.n, (void *)(uintptr_t)live->model) != LEAT_OK ||
        state_read(r, STATE_TABLE(son_count_fields), s) != LEAT_OK)
        return LEAT_EDATA;
    if (state_read(r, STATE_TABLE(son_array_fields), s) != LEAT_OK) return LEAT_EDATA;
    return state_read_names(r, s->growing.table.n, &s->names);
}

static int son_read_features(struct leat_reader *r, const struct feature_table *from,
                             struct feature_table *t)
{
    for (uint32_t f = 0; f < from->n; f++) {
        double mark = *feature_table_row(from, f);
        if (feature_table_enroll(t, from->id[f]) != f) return r->refuse(r, FEATURE_ID_TWICE);
        if (!(mark >= 0 && mark <= MAX_MARK))
            return r->refuse(r, "feature_rows[%llu] is %g; a mark must be 0 to %g",
                             (unsigned long long)f * t->stride, mark, MAX_MARK);
    }
    if (from->n) memcpy(t->row, from->row, (size_t)from->n * t->stride * sizeof *t->row);
    t->ignored = from->ignored;
    return LEAT_OK;
}

static int son_read_model(struct leat_reader *r, const struct son_saved *s, struct son_stage *st)
{
    const struct son_method *m = st->method;
    int status = son_read_features(r, &s->growing.table, &st->growing.table);
    struct son_features all = son_features(st);
    if (status == LEAT_OK) status = state_read(r, m->fields.field, m->fields.n, st->model);
    if (status == LEAT_OK && m->read) status = m->read(st->model, &all, r);
    if (status != LEAT_OK || !m->kernel->check) return status;
    const char *wrong = m->kernel->check(st->model, &all);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

/* Reads a saved learner into *second. Its names stay in s. */
static int son_read_second(struct leat_ctx *ctx, const struct son_stage *live,
                           struct leat_reader *r, struct son_saved *s, struct son_stage **second)
{
    *second = NULL;
    if (son_read_saved(ctx, r, live, s) != LEAT_OK) return LEAT_EDATA;
    struct son_stage *st = son_make_second(ctx, live, s->growing.table.n);
    if (!st) return LEAT_ENOMEM;
    st->examples = s->examples;
    int status = son_read_model(r, s, st);
    if (status == LEAT_OK)
        *second = st;
    else
        son_release_second(ctx, st);
    return status;
}

/* Gives name i to feature number[i] of st if that feature has no name yet. If `number` is NULL,
 * feature i gets name i. */
static void son_take_names(struct name_pool *pool, struct son_stage *st, const struct son_saved *s,
                           const uint32_t *number)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->names.n; i++) {
        size_t len;
        const char *name = name_list_next(&s->names, i, &at, &len);
        uint32_t *tag = &st->growing.table.tag[number ? number[i] : i];
        if (name && !*tag) *tag = name_pool_add(pool, name, len);
    }
    pool->dropped = count_add(pool->dropped, s->growing.names.dropped, 1);
}

/* Replaces the live instance by an exact copy of the saved one. */
static void son_take_second(struct leat_ctx *ctx, struct son_stage *live, struct son_stage *second,
                            const struct son_saved *s)
{
    name_pool_clear(&live->growing.names);
    son_take_names(&live->growing.names, second, s, NULL);
    son_replace_live(ctx, live, second);
}

int son_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct son_stage *second;
    struct son_saved s;
    int status = son_read_second(ctx, self, r, &s, &second);
    if (status == LEAT_OK) son_take_second(ctx, self, second, &s);
    return status;
}

/* ---- merging ---- */

/* Adds the features of a, then those of b, to t. Feature j of b becomes feature number[j]. */
static void son_enroll_both(struct feature_table *t, const struct feature_table *a,
                            const struct feature_table *b, uint32_t *number)
{
    for (uint32_t f = 0; f < a->n; f++)
        feature_table_enroll(t, a->id[f]);
    memcpy(t->tag, a->tag, a->n * sizeof *t->tag);
    for (uint32_t f = 0; f < b->n; f++)
        number[f] = feature_table_enroll(t, b->id[f]);
    t->ignored = count_add(a->ignored, b->ignored, 1);
}

/* Advances both clocks to the later of their times. */
static void son_meet(struct son_stage *a, struct son_stage *b)
{
    const struct son_kernel *k = a->method->kernel;
    struct son_features fa = son_features(a), fb = son_features(b);
    k->follow(a->model, &fa, b->model);
    k->follow(b->model, &fb, a->model);
}

/* Returns by what to multiply weights so that they are in another unit of the labels. */
static double son_in_unit(const struct units *from, const struct units *to)
{
    if (!from || !to || !from->label || !to->label) return 1;
    double spread = (double)from->label->spread, unit = (double)to->label->spread;
    return spread > 0 && unit > 0 ? spread / unit : 1;
}

/* Replaces the live instance by its merge with `other`. An example of `other` counts `count`
 * times. */
static int son_merge_both(struct leat_ctx *ctx, struct son_stage *live, struct son_stage *other,
                          const struct son_saved *s, double count)
{
    const struct leat_host *h = ctx->host;
    const struct feature_table *a = &live->growing.table, *b = &other->growing.table;
    const struct learner *l = &live->learner;
    double na = (double)live->examples, nb = count * (double)other->examples,
           share_a = na / (na + nb) * son_in_unit(l->units, l->joint_units),
           share_b = nb / (na + nb) * son_in_unit(l->other_units, l->joint_units);
    uint32_t *number = h->alloc(ctx, (b->n + 1ull) * sizeof *number);
    struct son_stage *st = number ? son_make_second(ctx, live, (uint64_t)a->n + b->n) : NULL;
    int status =
        st ? LEAT_OK
           : h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %u features", b->n);
    if (status == LEAT_OK) {
        struct son_mix mix = {count, share_a, share_b, number};
        if (live->method->kernel->at) son_meet(live, other);
        son_enroll_both(&st->growing.table, a, b, number);
        status = live->method->merge(ctx, st, live, other, &mix);
    }
    if (status == LEAT_OK) {
        st->examples = count_add(live->examples, other->examples, count);
        son_take_names(&live->growing.names, st, s, number);
        son_replace_live(ctx, live, st);
    } else {
        son_release_second(ctx, st);
    }
    h->free(ctx, number);
    return status;
}

int son_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct son_stage *live = self, *other;
    struct son_saved s;
    if (!live->method->merge) return r->refuse(r, "%s", live->method->no_merge);
    int status = son_read_second(ctx, live, r, &s, &other);
    if (status != LEAT_OK) return status;
    uint64_t both = feature_table_union(&live->growing.table, &other->growing.table);
    if (!live->examples && other->examples && weight == 1) {
        son_take_second(ctx, live, other, &s);
        return LEAT_OK;
    }
    if (!other->examples || weight == 0)
        status = LEAT_OK;
    else if (both > live->growing.table.max_capacity)
        status = growing_refuse_merge(ctx, r, both, live->growing.table.max_capacity);
    else
        status = son_merge_both(ctx, live, other, &s, weight);
    son_release_second(ctx, other);
    return status;
}
