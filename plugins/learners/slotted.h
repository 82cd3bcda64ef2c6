/* slotted.h -- stages of linear learners that know some features by name, each in a slot of the
 * model: all but what tells their kernels apart.
 *
 * Only glue. A plugin says how to speak to its kernel (struct slotted_kind), shapes a model from
 * its configuration, and calls the rest from here. A feature that enters a slot gives its name to
 * it; whoever was there before is gone, and so is its name.
 *
 * A restore or merge makes its new model beside the live one (linear_state.h).
 */
#ifndef LEARNERS_SLOTTED_H
#define LEARNERS_SLOTTED_H

#include <stdio.h>

#include "plugins/learners/linear_state.h"
#include "plugins/learners/shown.h"

/* The first member of each stage's configuration. */
struct slotted_cfg {
    struct linear_cfg linear;
    int64_t budget;
};

/* clang-format off */
#define SLOTTED_PARAMS(LEAST)                                                                      \
    {.name = "budget", .type = LEAT_SIZE, .offset = offsetof(struct slotted_cfg, budget),          \
     .def = "32KB", .min = LEAST, .max = 4294967296.0, .unit = "bytes",                            \
     .doc = "model size at 4 bytes an id, weight, other value and cell; names are counted apart"}, \
    LINEAR_PARAMS
/* clang-format on */

/* A model in general terms. */
struct slotted_facts {
    const struct sgd *sgd;
    uint32_t slots, used; /* slots 0 .. used - 1 hold features */
    uint32_t max_row;
    bool counts;
    const uint32_t *count; /* slots x { negative, positive }, or NULL        */
    uint64_t charged;      /* bytes, by the paper's cost model               */
    size_t block, scratch; /* bytes of memory, and those that are scratch    */
};

struct slotted_entrant { /* entry `entry` of the row now lives in slot `slot` */
    uint32_t slot, entry;
};

/* A feature of a merged model: 1 + its slot in either; 0: it had none. */
struct slotted_origin {
    uint32_t a, b;
};

/* The kernel. A model is its struct there, made to the pattern of another by `init`: the pattern
 * needs only shape and options. */
struct slotted_kind {
    size_t model_bytes, origin_bytes;
    struct slotted_facts (*facts)(const void *model);
    void (*init)(void *model, const void *pattern, void *block);
    /* Entrants of the example; -1: a value is not finite, and nothing has changed. */
    int64_t (*learn)(void *model, const struct linear_row *row, double *margin);
    struct slotted_entrant (*entrant)(const void *model, uint32_t k);
    /* As in shown.h. */
    uint32_t (*rank)(const void *model, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *top);
    double (*weigh)(const void *model, const float *weight, uint32_t slot);
    double (*sure)(const void *model, const float *weight, uint32_t slot);
    void (*report)(struct leat_ctx *ctx, const void *model);
    void (*write)(const void *model, struct leat_writer *w);
    int (*read)(void *fresh, struct leat_reader *r);
    /* origin: 2 slots of origin_bytes; those of the slots in use are then set. */
    void (*merge)(void *fresh, const void *a, const void *b, double count, void *origin);
    struct slotted_origin (*origin)(const void *origin, uint32_t slot);
};

/* A model with the names of its features, and the memory of all of it. */
struct slotted {
    void *model, *block;
    struct names names;
    void *names_block;
    struct distinct_parts *parts; /* of each slot's name; NULL: entries have no names */
};

struct slotted_stage {
    const struct slotted_kind *kind;
    struct slotted live;
    char *text; /* scratch: a name, one byte longer than is kept */
};

/* ---- memory ---- */

static inline void slotted_release(struct leat_ctx *ctx, struct slotted *s)
{
    ctx->host->free(ctx, s->parts);
    ctx->host->free(ctx, s->names_block);
    ctx->host->free(ctx, s->block);
    ctx->host->free(ctx, s->model);
    *s = (struct slotted){0};
}

/* A fresh one after a pattern, or LEAT_ENOMEM. */
static inline int slotted_make(struct leat_ctx *ctx, const struct slotted_kind *kind,
                               const void *pattern, uint32_t name_bytes, bool has_parts,
                               struct slotted *s)
{
    const struct leat_host *h = ctx->host;
    struct slotted_facts f = kind->facts(pattern);
    *s = (struct slotted){.model = h->alloc(ctx, kind->model_bytes),
                          .block = h->alloc(ctx, f.block),
                          .names_block = h->alloc(ctx, names_block_bytes(f.slots, name_bytes)),
                          .parts = has_parts ? h->alloc(ctx, f.slots * sizeof *s->parts) : NULL};
    if (!s->model || !s->block || !s->names_block || (has_parts && !s->parts)) {
        slotted_release(ctx, s);
        return h->fail(ctx, LEAT_ENOMEM, "no memory for %u features: %zu bytes", f.slots, f.block);
    }
    kind->init(s->model, pattern, s->block);
    names_init(&s->names, f.slots, name_bytes, s->names_block);
    return LEAT_OK;
}

static inline int slotted_make_like(struct leat_ctx *ctx, const struct slotted_stage *st,
                                    struct slotted *s)
{
    const struct slotted *l = &st->live;
    return slotted_make(ctx, st->kind, l->model, l->names.max_bytes, l->parts != NULL, s);
}

static inline void slotted_replace(struct leat_ctx *ctx, struct slotted_stage *st,
                                   const struct slotted *s)
{
    slotted_release(ctx, &st->live);
    st->live = *s;
}

static inline size_t slotted_names_bytes(const struct slotted_facts *f, uint32_t name_bytes,
                                         bool has_parts)
{
    return names_block_bytes(f->slots, name_bytes) +
           (has_parts ? f->slots * sizeof(struct distinct_parts) : 0);
}

static inline void slotted_plan(const struct slotted_kind *kind, const void *pattern,
                                const void *cfg, const struct leat_schema *in, struct leat_plan *p)
{
    const struct slotted_cfg *c = cfg;
    struct slotted_facts f = kind->facts(pattern);
    p->state_bytes = f.block - f.scratch;
    p->names_bytes =
        slotted_names_bytes(&f, linear_name_bytes(&c->linear, in), in->has & LEAT_HAS_NAMES);
    p->work_bytes = f.scratch + kind->model_bytes;
}

static inline void slotted_close(struct leat_ctx *ctx, void *self)
{
    struct slotted_stage *st = self;
    ctx->host->free(ctx, st->text);
    slotted_release(ctx, &st->live);
    *st = (struct slotted_stage){0};
}

static inline int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_kind *kind,
                               const void *pattern)
{
    struct slotted_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct slotted_cfg *c = ctx->cfg;
    uint32_t name_bytes = linear_name_bytes(&c->linear, ctx->in);
    bool has_parts = ctx->in->has & LEAT_HAS_NAMES;
    int status = slotted_make(ctx, kind, pattern, name_bytes, has_parts, &st->live);
    if (status != LEAT_OK) return status;
    st->kind = kind;
    st->text = h->alloc(ctx, name_bytes + 1);
    if (st->text) return LEAT_OK;
    slotted_close(ctx, st);
    return h->fail(ctx, LEAT_ENOMEM, "no memory for a name of %u bytes", name_bytes);
}

/* ---- examples ---- */

static inline void slotted_take_name(struct slotted_stage *st, const struct leat_batch *b,
                                     uint32_t slot, uint32_t entry)
{
    struct names *names = &st->live.names;
    size_t cap = names->max_bytes + 1; /* one more than is kept: names_set sees that it must cut */
    size_t len = leat_name_text(b, entry, st->text, cap);
    names_set(names, slot, st->text, len < cap ? len : cap);
    if (st->live.parts) st->live.parts[slot] = shown_parts(b, entry);
}

static inline bool slotted_learn(struct leat_ctx *ctx, void *self, const struct leat_batch *b,
                                 const struct linear_row *row, double *margin)
{
    struct slotted_stage *st = self;
    int64_t n = st->kind->learn(st->live.model, row, margin);
    (void)ctx;
    for (uint32_t k = 0; k < n; k++) {
        struct slotted_entrant in = st->kind->entrant(st->live.model, k);
        slotted_take_name(st, b, in.slot, row->start + in.entry);
    }
    return n >= 0;
}

static inline int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct slotted_stage *st = self;
    return linear_process(ctx, st, b, st->kind->facts(st->live.model).max_row, slotted_learn);
}

/* ---- answers ---- */

static inline void slotted_report(struct leat_ctx *ctx, const struct slotted_stage *st)
{
    const struct leat_host *h = ctx->host;
    struct slotted_facts f = st->kind->facts(st->live.model);
    double budget = (double)((const struct slotted_cfg *)ctx->cfg)->budget;
    /* a shape that was given may take more */
    h->metric(ctx, "budget_bytes", fmax(budget, (double)f.charged));
    h->metric(ctx, "model_bytes", (double)f.charged);
    h->metric(ctx, "table_bytes", (double)(f.block - f.scratch - f.charged));
    h->metric(ctx, "names_bytes",
              (double)slotted_names_bytes(&f, st->live.names.max_bytes, st->live.parts != NULL));
    st->kind->report(ctx, st->live.model);
    h->metric(ctx, "bias", f.sgd->bias);
}

static inline uint32_t slotted_rank(void *self, uint32_t k, uint32_t min_count, float *weight,
                                    uint32_t *top)
{
    struct slotted_stage *st = self;
    return st->kind->rank(st->live.model, k, min_count, weight, top);
}

static inline double slotted_weigh(void *self, const float *weight, uint32_t slot)
{
    struct slotted_stage *st = self;
    return st->kind->weigh(st->live.model, weight, slot);
}

static inline double slotted_sure(void *self, const float *weight, uint32_t slot)
{
    struct slotted_stage *st = self;
    return st->kind->sure(st->live.model, weight, slot);
}

static inline const char *slotted_name(void *self, uint32_t slot, size_t *len)
{
    return names_get(&((struct slotted_stage *)self)->live.names, slot, len);
}

static inline int slotted_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                                struct leat_result *out)
{
    struct slotted_stage *st = self;
    struct slotted_facts f = st->kind->facts(st->live.model);
    struct shown_model m = {.of = st,
                            .sgd = f.sgd,
                            .n = f.used,
                            .counts = f.counts,
                            .count = f.count,
                            .parts = st->live.parts,
                            .rank = slotted_rank,
                            .weigh = slotted_weigh,
                            .sure = slotted_sure,
                            .name = slotted_name};
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    slotted_report(ctx, st);
    return shown_answer(ctx, q, &m, out);
}

static inline int slotted_stop(struct leat_ctx *ctx, void *self)
{
    slotted_report(ctx, self);
    return LEAT_OK;
}

/* ---- snapshot and restore ---- */

/* A slotted and how many of its slots are in use. */
struct slotted_named {
    const struct slotted *of;
    uint32_t used;
};

static inline void slotted_list_names(const void *named, struct name_list *l)
{
    const struct slotted_named *s = named;
    for (uint32_t k = 0; k < s->used; k++) {
        size_t len;
        const char *name = names_get(&s->of->names, k, &len);
        name_list_add(l, len ? name : NULL, len);
    }
}

static inline int slotted_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct slotted_stage *st = self;
    struct slotted_named s = {&st->live, st->kind->facts(st->live.model).used};
    st->kind->write(st->live.model, w);
    linear_write_name_parts(w, st->live.parts, s.used);
    return linear_write_names(ctx, w, slotted_list_names, &s);
}

static inline int slotted_read_names(struct leat_reader *r, uint32_t used, struct slotted *s)
{
    struct name_list l;
    const struct distinct_parts *parts;
    uint64_t at = 0;
    size_t len;
    if (linear_read_name_parts(r, used, &parts) != LEAT_OK ||
        linear_read_names(r, used, &l) != LEAT_OK)
        return LEAT_EDATA;
    if (s->parts && parts) memcpy(s->parts, parts, used * sizeof *parts);
    for (uint32_t k = 0; k < used; k++) {
        const char *name = name_list_next(&l, k, &at, &len);
        if (name) names_set(&s->names, k, name, len);
    }
    return LEAT_OK;
}

/* The model that was written, like the live one in shape and parameters. */
static inline int slotted_read(struct leat_ctx *ctx, const struct slotted_stage *st,
                               struct leat_reader *r, struct slotted *s)
{
    int status = slotted_make_like(ctx, st, s);
    if (status != LEAT_OK) return status;
    status = st->kind->read(s->model, r);
    if (status == LEAT_OK) status = slotted_read_names(r, st->kind->facts(s->model).used, s);
    if (status != LEAT_OK) slotted_release(ctx, s);
    return status;
}

static inline int slotted_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                  uint32_t version)
{
    struct slotted s;
    int status = linear_same_version(r, version, LINEAR_STATE_VERSION);
    if (status == LEAT_OK) status = slotted_read(ctx, self, r, &s);
    if (status == LEAT_OK) slotted_replace(ctx, self, &s);
    return status;
}

/* ---- merge ---- */

/* A name for slot k from either side. */
static inline void slotted_join_name(struct slotted *s, uint32_t k, struct slotted_origin o,
                                     const struct slotted *one, const struct slotted *other)
{
    size_t a_len = 0, b_len = 0;
    const char *in_a = o.a ? names_get(&one->names, o.a - 1, &a_len) : "";
    const char *in_b = o.b ? names_get(&other->names, o.b - 1, &b_len) : "";
    bool take_a = name_preferred(in_a, a_len, in_b, b_len);
    if (a_len || b_len) names_set(&s->names, k, take_a ? in_a : in_b, take_a ? a_len : b_len);
    if (!s->parts) return;
    s->parts[k] = o.a && (take_a || !o.b) ? one->parts[o.a - 1] : other->parts[o.b - 1];
}

/* The mean of the live model and another. */
static inline int slotted_join(struct leat_ctx *ctx, const struct slotted_stage *st,
                               const struct slotted *other, double count, struct slotted *s)
{
    const struct leat_host *h = ctx->host;
    const struct slotted_kind *kind = st->kind;
    const struct slotted *live = &st->live;
    size_t most = 2 * (size_t)kind->facts(live->model).slots;
    int status = slotted_make_like(ctx, st, s);
    if (status != LEAT_OK) return status;
    void *origin = h->alloc(ctx, most * kind->origin_bytes);
    if (!origin) {
        slotted_release(ctx, s);
        return h->fail(ctx, LEAT_ENOMEM, "no memory to merge %zu features", most);
    }
    kind->merge(s->model, live->model, other->model, count, origin);
    for (uint32_t k = 0, n = kind->facts(s->model).used; k < n; k++)
        slotted_join_name(s, k, kind->origin(origin, k), live, other);
    h->free(ctx, origin);
    return LEAT_OK;
}

static inline int slotted_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                double count)
{
    struct slotted_stage *st = self;
    struct slotted other, s;
    int status = linear_check_count(r, count);
    if (status == LEAT_OK) status = slotted_read(ctx, st, r, &other);
    if (status != LEAT_OK) return status;
    enum linear_merge how = linear_how_to_merge(st->kind->facts(st->live.model).sgd,
                                                st->kind->facts(other.model).sgd, count);
    if (how == LINEAR_TAKE_OTHER) {
        slotted_replace(ctx, st, &other);
        return LEAT_OK;
    }
    if (how == LINEAR_JOIN) status = slotted_join(ctx, st, &other, count, &s);
    if (how == LINEAR_JOIN && status == LEAT_OK) slotted_replace(ctx, st, &s);
    slotted_release(ctx, &other);
    return status;
}

/* The parts of struct leat_stage that all of them share. */
#define SLOTTED_STAGE                                                                              \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE,    \
    .instance_size = sizeof(struct slotted_stage), .negotiate = linear_negotiate,                  \
    .close = slotted_close, .stop = slotted_stop, .process = slotted_process,                      \
    .query = slotted_query, .state_version = LINEAR_STATE_VERSION, .snapshot = slotted_snapshot,   \
    .restore = slotted_restore, .merge = slotted_merge

#endif
