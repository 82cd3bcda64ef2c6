/* son_state.h -- the state of an online Newton learner as fields: written, read, merged.
 *
 * Only glue. A state is the parameters, which must be the same; what is kept of each feature (ids,
 * rows of doubles, names), in the order of their numbers; and what the method adds. It is read into
 * a second instance, which takes the place of the live one when nothing can fail any more. Names go
 * into the live pool, last of all.
 */
#ifndef LEAT_LEARNERS_SON_SON_STATE_H
#define LEAT_LEARNERS_SON_SON_STATE_H

#include "learners/linear/linear_state.h"
#include "son.h"

enum { SON_STATE_VERSION = 1 };

/* How much of each of two learners goes into their merge. */
struct son_mix {
    double count;            /* b's examples count so often         */
    double share_a, share_b; /* of the weights                      */
    const uint32_t *number;  /* of b's features in the merged model */
};

struct son_state_method {
    const struct son_method *method;
    size_t size; /* of an instance */
    /* Parameters and all numbers beside the features' rows. */
    int (*write)(struct leat_ctx *, const void *self, struct leat_writer *);
    /* The parameters are those of `live`, or a refusal. */
    int (*same)(const void *live, struct leat_reader *);
    /* The numbers, into an instance just initialised whose features are there. */
    int (*read)(void *self, struct leat_reader *);
    /* Make `self`, just initialised and with room, the merge of two. NULL: */
    int (*merge)(struct leat_ctx *, void *self, const void *a, const void *b,
                 const struct son_mix *);
    const char *no_merge; /* why there is no such thing */
};

/* ---- writing ---- */

static inline void son_list_names(const void *growing, struct name_list *l)
{
    const struct growing *g = growing;
    for (uint32_t f = 0; f < g->table.n; f++) {
        size_t len = 0;
        const char *name = g->table.tag[f] ? name_pool_get(&g->names, g->table.tag[f], &len) : NULL;
        name_list_add(l, name, len);
    }
}

static inline int son_write(struct leat_ctx *ctx, const struct son_state_method *m,
                            const struct son_stage *st, struct leat_writer *w)
{
    const struct son_cfg *c = ctx->cfg;
    const struct feature_table *t = &st->growing.table;
    w->f64(w, "alpha0", c->alpha0);
    w->f64(w, "clip", c->clip);
    w->u64(w, "loss", (uint64_t)c->loss);
    w->u64(w, "examples", st->examples);
    w->u64(w, "touched", st->touched);
    w->u64(w, "ignored", t->ignored);
    w->u64(w, "unnamed", st->growing.names.dropped);
    w->array(w, "ids", LEAT_U64, t->id, t->n);
    w->array(w, "features", LEAT_F64, t->row, (uint64_t)t->n * t->stride);
    int status = m->write(ctx, st, w);
    return status == LEAT_OK
               ? linear_write_names(w, son_list_names, &st->growing, st->growing.table.n)
               : status;
}

/* ---- a second instance ---- */

static inline void son_release(struct leat_ctx *ctx, struct son_stage *st)
{
    if (!st) return;
    ctx->host->free(ctx, st->growing.block);
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st);
}

/* A fresh one with room for n features that borrows all else from `live`; NULL: no memory. */
static inline struct son_stage *son_second(struct leat_ctx *ctx, const struct son_state_method *m,
                                           const struct son_stage *live, uint64_t n,
                                           uint32_t touched)
{
    const struct leat_host *h = ctx->host;
    const struct son_cfg *c = ctx->cfg;
    uint32_t capacity = growing_first(&c->growing), stride = live->growing.table.stride;
    struct son_stage *st = h->alloc(ctx, m->size);
    while (capacity < n && capacity < FEATURE_TABLE_MAX)
        capacity *= 2;
    if (st) {
        memcpy(st, live, m->size);
        st->growing.block = h->alloc(ctx, feature_table_bytes(capacity, stride));
        st->block = h->alloc(ctx, m->method->bytes(c, capacity, touched) + 1);
    }
    if (!st || !st->growing.block || !st->block) {
        son_release(ctx, st);
        h->fail(ctx, LEAT_ENOMEM, "no memory for a second model of %llu features",
                (unsigned long long)n);
        return NULL;
    }
    feature_table_init(&st->growing.table, capacity, stride, st->growing.block);
    st->features = capacity;
    st->touched = touched;
    st->examples = 0;
    m->method->init(ctx, st, capacity, touched, st->block);
    return st;
}

/* The live one gives way; `st` is used up. */
static inline void son_replace(struct leat_ctx *ctx, const struct son_state_method *m,
                               struct son_stage *live, struct son_stage *st)
{
    const struct leat_host *h = ctx->host;
    struct name_pool names = live->growing.names; /* it has grown since */
    h->free(ctx, live->growing.block);
    h->free(ctx, live->block);
    memcpy(live, st, m->size);
    live->growing.names = names;
    h->free(ctx, st);
}

/* ---- reading ---- */

/* What was written, beside numbers. */
struct son_said {
    uint64_t unnamed;
    struct name_list names; /* lent by the reader */
};

static inline int son_same(struct leat_reader *r, const struct son_state_method *m,
                           const struct son_cfg *c, const struct son_stage *live)
{
    int bad = r->same_f64(r, "alpha0", c->alpha0) | r->same_f64(r, "clip", c->clip) |
              linear_same_choice(r, "loss", son_losses, (uint32_t)c->loss) | m->same(live, r);
    return bad ? LEAT_EDATA : LEAT_OK;
}

/* Marks are places in a row; whatever else there is, is a number. */
static inline int son_rows_are_sane(const struct feature_table *t, const double *row)
{
    for (size_t i = 0; i < (size_t)t->n * t->stride; i++) {
        double most = i % t->stride ? 1e200 : 1e9;
        if (!(fabs(row[i]) <= most) || (i % t->stride == 0 && row[i] < 0)) return 0;
    }
    return 1;
}

static inline int son_read_features(struct leat_reader *r, struct son_stage *st, const uint64_t *id,
                                    uint32_t n)
{
    struct feature_table *t = &st->growing.table;
    const void *row;
    if (linear_read_array(r, "features", LEAT_F64, (uint64_t)n * t->stride, &row) != LEAT_OK)
        return LEAT_EDATA;
    for (uint32_t f = 0; f < n; f++)
        if (feature_table_enroll(t, id[f]) != f) return r->refuse(r, "a feature has two numbers");
    if (!son_rows_are_sane(t, row)) return r->refuse(r, "a feature has an impossible value");
    memcpy(t->row, row, (size_t)n * t->stride * sizeof *t->row);
    return LEAT_OK;
}

/* The learner that was written, without names. */
static inline int son_read(struct leat_ctx *ctx, const struct son_state_method *m,
                           const struct son_stage *live, struct leat_reader *r,
                           struct son_stage **other, struct son_said *said)
{
    const void *id;
    uint64_t n = 0, touched, examples, ignored;
    *other = NULL;
    if (son_same(r, m, ctx->cfg, live) != LEAT_OK || r->u64(r, "examples", &examples) != LEAT_OK ||
        r->u64(r, "touched", &touched) != LEAT_OK || r->u64(r, "ignored", &ignored) != LEAT_OK ||
        r->u64(r, "unnamed", &said->unnamed) != LEAT_OK ||
        r->array(r, "ids", LEAT_U64, &id, &n) != LEAT_OK)
        return LEAT_EDATA;
    if (n > live->growing.max_capacity)
        return r->refuse(r, "it has %llu features; max_features allows %u here",
                         (unsigned long long)n, live->growing.max_capacity);
    uint64_t needed = n + growing_max_row(&((const struct son_cfg *)ctx->cfg)->growing, ctx->in);
    if (touched < SON_FIRST_TOUCHED || /* it doubles, and only when features need it */
        (touched > SON_FIRST_TOUCHED && touched > 2 * needed))
        return r->refuse(r, "touched is %llu", (unsigned long long)touched);
    if (linear_read_names(r, (uint32_t)n, &said->names) != LEAT_OK) return LEAT_EDATA;
    struct son_stage *st = son_second(ctx, m, live, n, (uint32_t)touched);
    if (!st) return LEAT_ENOMEM;
    st->examples = examples;
    int status = son_read_features(r, st, id, (uint32_t)n);
    st->growing.table.ignored = ignored;
    if (status == LEAT_OK) status = m->read(st, r);
    if (status == LEAT_OK)
        *other = st;
    else
        son_release(ctx, st);
    return status;
}

/* Name i becomes that of feature number[i] (NULL: i) of st, where that has none. */
static inline void son_take_names(struct name_pool *pool, struct son_stage *st,
                                  const struct son_said *said, const uint32_t *number)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < said->names.n; i++) {
        size_t len;
        const char *name = name_list_next(&said->names, i, &at, &len);
        uint32_t *tag = &st->growing.table.tag[number ? number[i] : i];
        if (name && !*tag) *tag = name_pool_add(pool, name, len);
    }
    pool->dropped += said->unnamed;
}

/* The live one becomes what was written. */
static inline void son_become(struct leat_ctx *ctx, const struct son_state_method *m,
                              struct son_stage *live, struct son_stage *other,
                              const struct son_said *said)
{
    name_pool_clear(&live->growing.names);
    son_take_names(&live->growing.names, other, said, NULL);
    son_replace(ctx, m, live, other);
}

static inline int son_restore(struct leat_ctx *ctx, const struct son_state_method *m,
                              struct son_stage *live, struct leat_reader *r, uint32_t version)
{
    struct son_stage *other;
    struct son_said said;
    int status = linear_same_version(r, version, SON_STATE_VERSION);
    if (status == LEAT_OK) status = son_read(ctx, m, live, r, &other, &said);
    if (status == LEAT_OK) son_become(ctx, m, live, other, &said);
    return status;
}

/* ---- merging ---- */

/* Enroll the features of both, a's first; number[j] is that of b's feature j. */
static inline void son_enroll_both(struct feature_table *t, const struct feature_table *a,
                                   const struct feature_table *b, uint32_t *number)
{
    for (uint32_t f = 0; f < a->n; f++)
        feature_table_enroll(t, a->id[f]);
    memcpy(t->tag, a->tag, a->n * sizeof *t->tag);
    for (uint32_t f = 0; f < b->n; f++)
        number[f] = feature_table_enroll(t, b->id[f]);
    t->ignored = a->ignored + b->ignored;
}

static inline int son_join(struct leat_ctx *ctx, const struct son_state_method *m,
                           struct son_stage *live, const struct son_stage *other,
                           const struct son_said *said, double count)
{
    const struct leat_host *h = ctx->host;
    const struct feature_table *a = &live->growing.table, *b = &other->growing.table;
    double na = (double)live->examples, nb = count * (double)other->examples;
    uint32_t touched = live->touched > other->touched ? live->touched : other->touched;
    uint32_t *number = h->alloc(ctx, (b->n + 1ull) * sizeof *number);
    struct son_stage *st = number ? son_second(ctx, m, live, (uint64_t)a->n + b->n, touched) : NULL;
    int status = st ? LEAT_OK : h->fail(ctx, LEAT_ENOMEM, "no memory to merge %u features", b->n);
    if (status == LEAT_OK) {
        struct son_mix mix = {count, na / (na + nb), nb / (na + nb), number};
        son_enroll_both(&st->growing.table, a, b, number);
        status = m->merge(ctx, st, live, other, &mix);
    }
    if (status == LEAT_OK) {
        st->examples = (uint64_t)(na + nb + 0.5);
        son_take_names(&live->growing.names, st, said, number);
        son_replace(ctx, m, live, st);
    } else {
        son_release(ctx, st);
    }
    h->free(ctx, number);
    return status;
}

static inline uint64_t son_union(const struct feature_table *a, const struct feature_table *b)
{
    uint64_t n = a->n;
    for (uint32_t f = 0; f < b->n; f++)
        n += feature_table_find(a, b->id[f]) == FEATURE_TABLE_NONE;
    return n;
}

static inline int son_merge(struct leat_ctx *ctx, const struct son_state_method *m,
                            struct son_stage *live, struct leat_reader *r, double count)
{
    struct son_stage *other;
    struct son_said said;
    if (!m->merge) return r->refuse(r, "%s", m->no_merge);
    int status = linear_check_count(r, count);
    if (status == LEAT_OK) status = son_read(ctx, m, live, r, &other, &said);
    if (status != LEAT_OK) return status;
    uint64_t both = son_union(&live->growing.table, &other->growing.table);
    if (!live->examples && other->examples && count == 1) {
        son_become(ctx, m, live, other, &said); /* fresh: bit for bit the other */
        return LEAT_OK;
    }
    if (!other->examples || count == 0)
        status = LEAT_OK;
    else if (both > live->growing.max_capacity)
        status = r->refuse(r, "together they have %llu features; max_features allows %u",
                           (unsigned long long)both, live->growing.max_capacity);
    else
        status = son_join(ctx, m, live, other, &said, count);
    son_release(ctx, other);
    return status;
}

/* ---- the calls of a stage, for METHOD, their names after P ---- */

#define SON_STATE_CALLS(P, METHOD)                                                                 \
    static int P##snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)                \
    {                                                                                              \
        return son_write(ctx, &(METHOD), self, w);                                                 \
    }                                                                                              \
    static int P##restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,                 \
                          uint32_t version)                                                        \
    {                                                                                              \
        return son_restore(ctx, &(METHOD), self, r, version);                                      \
    }                                                                                              \
    static int P##merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)    \
    {                                                                                              \
        return son_merge(ctx, &(METHOD), self, r, weight);                                         \
    }

/* n doubles that are finite, as the learner's limits allow. */
static inline int son_read_numbers(struct leat_reader *r, const char *name, uint64_t n, double *to)
{
    const void *v;
    if (linear_read_array(r, name, LEAT_F64, n, &v) != LEAT_OK) return LEAT_EDATA;
    for (uint64_t i = 0; i < n; i++)
        if (!(fabs(((const double *)v)[i]) <= 1e200))
            return r->refuse(r, "%s has values that are not finite", name);
    memcpy(to, v, n * sizeof *to);
    return LEAT_OK;
}

#endif
