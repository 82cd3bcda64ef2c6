/* slotted.h -- stages of linear learners that know some features by name, each in a slot of the
 * model: all but what tells their kernels apart.
 *
 * Only glue. A plugin says how to speak to its kernel (struct slotted_kind), shapes a model from
 * its configuration, and calls the rest from here. A feature that enters a slot gives its name to
 * it; whoever was there before is gone, and so is its name. With several classes (classes.h) there
 * is a copy of all that for each.
 *
 * A restore or merge makes its new model beside the live one (linear_state.h).
 */
#ifndef LEAT_LEARNERS_LINEAR_SLOTTED_H
#define LEAT_LEARNERS_LINEAR_SLOTTED_H

#include <stdio.h>

#include "linear_state.h"
#include "shown.h"

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
    size_t block, scratch; /* bytes of memory, without scratch, and of that  */
};

/* A feature of a merged model: 1 + its slot in either; 0: it had none. */
struct slotted_origin {
    uint32_t a, b;
};

/* The kernel. A model is its struct there, made to the pattern of another by `init`: the pattern
 * needs only shape and options. lender: a model whose scratch it uses, or NULL: its block has some.
 */
struct slotted_kind {
    size_t model_bytes, origin_bytes;
    struct slotted_facts (*facts)(const void *model);
    void (*init)(void *model, const void *pattern, const void *lender, void *block);
    void (*hash)(const void *model, const struct linear_row *row, uint64_t *hash);
    /* Entrants of the example; -1: a value is not finite, and nothing has changed. hash: NULL, or
     * what `hash` made. */
    int64_t (*learn)(void *model, const struct linear_row *row, const uint64_t *hash,
                     double *margin);
    double (*margin)(const void *model, const struct linear_row *row); /* predicts only */
    struct linear_entrant (*entrant)(const void *model, uint32_t k);
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
    struct redundancy_parts *parts; /* of each slot's name; NULL: entries have no names */
};

/* A copy and how to ask it. */
struct slotted_asked {
    const struct slotted_kind *kind;
    const struct slotted *of;
};

struct slotted_stage {
    const struct slotted_kind *kind;
    struct slotted *copy; /* one, or one of each class */
    uint32_t classes;     /* 0: two, by one model */
    uint64_t *hash;       /* scratch of a row, with classes */
    struct slotted_asked asked;
    char *text; /* scratch: a name, one byte longer than is kept */
};

/* ---- memory ---- */

static inline void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n)
{
    for (uint32_t c = 0; s && c < n; c++) {
        ctx->host->free(ctx, s[c].parts);
        ctx->host->free(ctx, s[c].names_block);
        ctx->host->free(ctx, s[c].block);
        ctx->host->free(ctx, s[c].model);
    }
    ctx->host->free(ctx, s);
}

/* A fresh one after a pattern, with its own scratch or that of `lender`. */
static inline bool slotted_make(struct leat_ctx *ctx, const struct slotted_kind *kind,
                                const void *pattern, const void *lender, uint32_t name_bytes,
                                bool has_parts, struct slotted *s)
{
    const struct leat_host *h = ctx->host;
    struct slotted_facts f = kind->facts(pattern);
    *s = (struct slotted){.model = h->alloc(ctx, kind->model_bytes),
                          .block = h->alloc(ctx, f.block + (lender ? 0 : f.scratch)),
                          .names_block = h->alloc(ctx, names_block_bytes(f.slots, name_bytes)),
                          .parts = has_parts ? h->alloc(ctx, f.slots * sizeof *s->parts) : NULL};
    if (!s->model || !s->block || !s->names_block || (has_parts && !s->parts)) return false;
    kind->init(s->model, pattern, lender, s->block);
    names_init(&s->names, f.slots, name_bytes, s->names_block);
    return true;
}

/* Fresh ones for all classes, or LEAT_ENOMEM. */
static inline int slotted_make_all(struct leat_ctx *ctx, const struct slotted_kind *kind,
                                   const void *pattern, uint32_t classes, uint32_t name_bytes,
                                   bool has_parts, struct slotted **out)
{
    uint32_t n = linear_models(classes);
    struct slotted *s = ctx->host->alloc(ctx, n * sizeof *s);
    bool made = s != NULL;
    for (uint32_t c = 0; c < n && made; c++)
        made =
            slotted_make(ctx, kind, pattern, c ? s[0].model : NULL, name_bytes, has_parts, &s[c]);
    *out = s;
    if (made) return LEAT_OK;
    slotted_release(ctx, s, n);
    struct slotted_facts f = kind->facts(pattern);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %u features: %zu bytes", f.slots,
                           n * f.block + f.scratch);
}

static inline int slotted_make_like(struct leat_ctx *ctx, const struct slotted_stage *st,
                                    struct slotted **out)
{
    const struct slotted *l = st->copy;
    return slotted_make_all(ctx, st->kind, l->model, st->classes, l->names.max_bytes,
                            l->parts != NULL, out);
}

static inline void slotted_replace(struct leat_ctx *ctx, struct slotted_stage *st,
                                   struct slotted *s)
{
    slotted_release(ctx, st->copy, linear_models(st->classes));
    st->copy = s;
}

static inline size_t slotted_names_bytes(const struct slotted_facts *f, uint32_t name_bytes,
                                         bool has_parts)
{
    return names_block_bytes(f->slots, name_bytes) +
           (has_parts ? f->slots * sizeof(struct redundancy_parts) : 0);
}

static inline void slotted_plan(const struct slotted_kind *kind, const void *pattern,
                                const void *cfg, const struct leat_schema *in, struct leat_plan *p)
{
    const struct slotted_cfg *c = cfg;
    struct slotted_facts f = kind->facts(pattern);
    uint32_t classes = linear_classes(&c->linear, in), n = linear_models(classes);
    uint32_t name_bytes = linear_name_bytes(&c->linear, in);
    p->state_bytes = n * f.block;
    p->names_bytes = n * slotted_names_bytes(&f, name_bytes, in->has & LEAT_HAS_NAMES);
    p->work_bytes = f.scratch + n * (kind->model_bytes + sizeof(struct slotted)) + name_bytes + 1 +
                    (classes ? f.max_row * sizeof(uint64_t) : 0);
}

/* What is said of the shape, and for how many classes there is one. */
static inline void slotted_note_classes(const void *cfg, const struct leat_schema *in,
                                        struct leat_plan *p)
{
    uint32_t classes = linear_classes(&((const struct slotted_cfg *)cfg)->linear, in);
    size_t n = strlen(p->note);
    if (classes) snprintf(p->note + n, sizeof p->note - n, ", for each of %u classes", classes);
}

/* A model's share of the budget. */
static inline uint64_t slotted_budget(const struct slotted_cfg *c, const struct leat_schema *in)
{
    return (uint64_t)c->budget / linear_models(linear_classes(&c->linear, in));
}

static inline void slotted_close(struct leat_ctx *ctx, void *self)
{
    struct slotted_stage *st = self;
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->hash);
    slotted_release(ctx, st->copy, linear_models(st->classes));
    *st = (struct slotted_stage){0};
}

static inline int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_kind *kind,
                               const void *pattern)
{
    struct slotted_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct slotted_cfg *c = ctx->cfg;
    uint32_t name_bytes = linear_name_bytes(&c->linear, ctx->in);
    size_t hash_bytes = kind->facts(pattern).max_row * sizeof *st->hash;
    st->kind = kind;
    st->classes = linear_classes(&c->linear, ctx->in);
    int status = slotted_make_all(ctx, kind, pattern, st->classes, name_bytes,
                                  ctx->in->has & LEAT_HAS_NAMES, &st->copy);
    if (status != LEAT_OK) {
        st->copy = NULL;
        return status;
    }
    st->text = h->alloc(ctx, name_bytes + 1);
    st->hash = st->classes ? h->alloc(ctx, hash_bytes) : NULL;
    if (st->text && (st->hash || !st->classes)) return LEAT_OK;
    slotted_close(ctx, st);
    return h->fail(ctx, LEAT_ENOMEM, "no memory for a name of %u bytes", name_bytes);
}

/* ---- examples ---- */

static inline void slotted_take_name(struct slotted_stage *st, struct slotted *s,
                                     const struct leat_batch *b, uint32_t slot, uint32_t entry)
{
    size_t cap =
        s->names.max_bytes + 1; /* one more than is kept: names_set sees that it must cut */
    size_t len = leat_name_text(b, entry, st->text, cap);
    names_set(&s->names, slot, st->text, len < cap ? len : cap);
    if (s->parts) s->parts[slot] = shown_parts(b, entry);
}

/* One model learns. */
LINEAR_INLINE bool slotted_learn_one(const struct slotted_kind *kind, struct slotted_stage *st,
                                     struct slotted *s, const struct leat_batch *b,
                                     const struct linear_row *row, uint32_t start,
                                     const uint64_t *hash, double *margin)
{
    int64_t n = kind->learn(s->model, row, hash, margin);
    for (uint32_t k = 0; k < n; k++) {
        struct linear_entrant in = kind->entrant(s->model, k);
        slotted_take_name(st, s, b, in.slot, start + in.entry);
    }
    return n >= 0;
}

static inline bool slotted_learn_classes(struct leat_ctx *ctx, void *self,
                                         const struct leat_batch *b,
                                         const struct linear_example *ex, double *score)
{
    struct slotted_stage *st = self;
    struct linear_row r = ex->row;
    double margin, most = 0;
    (void)ctx;
    st->kind->hash(st->copy->model, &r, st->hash);
    for (uint32_t c = 0; c < st->classes; c++) {
        r.y = ex->label == (float)c ? 1 : -1;
        /* a value that is not finite is so for all, and the first says so */
        if (!slotted_learn_one(st->kind, st, &st->copy[c], b, &r, ex->start, st->hash, &margin))
            return false;
        if (c && margin <= most) continue;
        most = margin;
        *score = c;
    }
    return true;
}

static inline double slotted_margin(void *self, uint32_t c, const struct linear_row *row)
{
    struct slotted_stage *st = self;
    return st->kind->margin(st->copy[c].model, row);
}

/* process() of a stage with this kind of model. */
#define SLOTTED_PROCESS(KIND)                                                                      \
    LINEAR_INLINE bool learn_row(struct leat_ctx *ctx, void *self, const struct leat_batch *b,     \
                                 const struct linear_example *ex, double *score)                   \
    {                                                                                              \
        struct slotted_stage *st = self;                                                           \
        (void)ctx;                                                                                 \
        return slotted_learn_one(&(KIND), st, st->copy, b, &ex->row, ex->start, NULL, score);      \
    }                                                                                              \
    static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)                     \
    {                                                                                              \
        struct slotted_stage *st = self;                                                           \
        uint32_t most = (KIND).facts(st->copy->model).max_row;                                     \
        if (st->classes)                                                                           \
            return linear_process(ctx, st, b, most, st->classes, slotted_learn_classes,            \
                                  slotted_margin);                                                 \
        return linear_process(ctx, st, b, most, 0, learn_row, slotted_margin);                     \
    }

/* ---- answers ---- */

static inline void slotted_report(struct leat_ctx *ctx, const struct slotted_stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct slotted *s = st->copy;
    struct slotted_facts f = st->kind->facts(s->model);
    double n = linear_models(st->classes);
    double budget = (double)((const struct slotted_cfg *)ctx->cfg)->budget;
    /* a shape that was given may take more */
    h->metric(ctx, "budget_bytes", fmax(budget, n * (double)f.charged));
    h->metric(ctx, "model_bytes", n * (double)f.charged);
    h->metric(ctx, "table_bytes", n * (double)(f.block - f.charged));
    h->metric(ctx, "names_bytes",
              n * (double)slotted_names_bytes(&f, s->names.max_bytes, s->parts != NULL));
    if (st->classes) return; /* the others are of one model each */
    st->kind->report(ctx, s->model);
    h->metric(ctx, "bias", f.sgd->bias);
}

static inline uint32_t slotted_rank(void *asked, uint32_t k, uint32_t min_count, float *weight,
                                    uint32_t *top)
{
    struct slotted_asked *a = asked;
    return a->kind->rank(a->of->model, k, min_count, weight, top);
}

static inline double slotted_weigh(void *asked, const float *weight, uint32_t slot)
{
    struct slotted_asked *a = asked;
    return a->kind->weigh(a->of->model, weight, slot);
}

static inline double slotted_sure(void *asked, const float *weight, uint32_t slot)
{
    struct slotted_asked *a = asked;
    return a->kind->sure(a->of->model, weight, slot);
}

static inline const char *slotted_name(void *asked, uint32_t slot, size_t *len)
{
    return names_get(&((struct slotted_asked *)asked)->of->names, slot, len);
}

static inline struct shown_model slotted_shown(void *self, uint32_t copy)
{
    struct slotted_stage *st = self;
    const struct slotted *s = &st->copy[copy];
    struct slotted_facts f = st->kind->facts(s->model);
    st->asked = (struct slotted_asked){st->kind, s};
    return (struct shown_model){.of = &st->asked,
                                .sgd = f.sgd,
                                .n = f.used,
                                .counts = f.counts,
                                .count = f.count,
                                .parts = s->parts,
                                .rank = slotted_rank,
                                .weigh = slotted_weigh,
                                .sure = slotted_sure,
                                .name = slotted_name};
}

static inline int slotted_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                                struct leat_result *out)
{
    struct slotted_stage *st = self;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    slotted_report(ctx, st);
    return shown_all(ctx, q, st, st->classes, slotted_shown, out);
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

static inline int slotted_write(const struct slotted_stage *st, const struct slotted *copy,
                                struct leat_writer *w)
{
    struct slotted_named s = {copy, st->kind->facts(copy->model).used};
    st->kind->write(copy->model, w);
    linear_write_name_parts(w, copy->parts, s.used);
    return linear_write_names(w, slotted_list_names, &s, s.used);
}

static inline int slotted_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct slotted_stage *st = self;
    (void)ctx;
    int status = w->u64(w, "classes", st->classes);
    if (!st->classes) return slotted_write(st, st->copy, w);
    for (uint32_t c = 0; c < st->classes && status == LEAT_OK; c++) {
        struct classes_writer cw = classes_writer(w, c);
        status = slotted_write(st, &st->copy[c], &cw.base);
    }
    return status;
}

static inline int slotted_read_names(struct leat_reader *r, uint32_t used, struct slotted *s)
{
    struct name_list l;
    const struct redundancy_parts *parts;
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

static inline int slotted_read_one(const struct slotted_stage *st, struct leat_reader *r,
                                   struct slotted *s)
{
    int status = st->kind->read(s->model, r);
    if (status != LEAT_OK) return status;
    return slotted_read_names(r, st->kind->facts(s->model).used, s);
}

/* The models that were written, like the live ones in shape and parameters. */
static inline int slotted_read(struct leat_ctx *ctx, const struct slotted_stage *st,
                               struct leat_reader *r, struct slotted **out)
{
    int status = r->same_u64(r, "classes", st->classes);
    if (status == LEAT_OK) status = slotted_make_like(ctx, st, out);
    if (status != LEAT_OK) return status;
    if (!st->classes) status = slotted_read_one(st, r, *out);
    for (uint32_t c = 0; c < st->classes && status == LEAT_OK; c++) {
        struct classes_reader cr = classes_reader(r, c);
        status = slotted_read_one(st, &cr.base, &(*out)[c]);
    }
    if (status != LEAT_OK) slotted_release(ctx, *out, linear_models(st->classes));
    return status;
}

static inline int slotted_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                  uint32_t version)
{
    struct slotted *s;
    int status = linear_same_version(r, version, LINEAR_STATE_VERSION);
    if (status == LEAT_OK) status = slotted_read(ctx, self, r, &s);
    if (status == LEAT_OK) slotted_replace(ctx, self, s);
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

/* Each copy becomes the mean of the live one and another. */
static inline int slotted_join(struct leat_ctx *ctx, const struct slotted_stage *st,
                               const struct slotted *other, double count, struct slotted **out)
{
    const struct leat_host *h = ctx->host;
    const struct slotted_kind *kind = st->kind;
    size_t most = 2 * (size_t)kind->facts(st->copy->model).slots;
    int status = slotted_make_like(ctx, st, out);
    if (status != LEAT_OK) return status;
    void *origin = h->alloc(ctx, most * kind->origin_bytes);
    if (!origin) {
        slotted_release(ctx, *out, linear_models(st->classes));
        return h->fail(ctx, LEAT_ENOMEM, "no memory to merge %zu features", most);
    }
    for (uint32_t c = 0; c < linear_models(st->classes); c++) {
        struct slotted *s = &(*out)[c];
        kind->merge(s->model, st->copy[c].model, other[c].model, count, origin);
        for (uint32_t k = 0, n = kind->facts(s->model).used; k < n; k++)
            slotted_join_name(s, k, kind->origin(origin, k), &st->copy[c], &other[c]);
    }
    h->free(ctx, origin);
    return LEAT_OK;
}

static inline int slotted_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                double count)
{
    struct slotted_stage *st = self;
    struct slotted *other, *s;
    int status = linear_check_count(r, count);
    if (status == LEAT_OK) status = slotted_read(ctx, st, r, &other);
    if (status != LEAT_OK) return status;
    /* all classes have learned the same examples */
    enum linear_merge how = linear_how_to_merge(st->kind->facts(st->copy->model).sgd,
                                                st->kind->facts(other->model).sgd, count);
    if (how == LINEAR_TAKE_OTHER) {
        slotted_replace(ctx, st, other);
        return LEAT_OK;
    }
    if (how == LINEAR_JOIN) status = slotted_join(ctx, st, other, count, &s);
    if (how == LINEAR_JOIN && status == LEAT_OK) slotted_replace(ctx, st, s);
    slotted_release(ctx, other, linear_models(st->classes));
    return status;
}

/* The parts of struct leat_stage that all of them share. */
#define SLOTTED_STAGE                                                                              \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE,    \
    .instance_size = sizeof(struct slotted_stage), .negotiate = linear_negotiate_classes,          \
    .close = slotted_close, .stop = slotted_stop, .process = process, .query = slotted_query,      \
    .state_version = LINEAR_STATE_VERSION, .snapshot = slotted_snapshot,                           \
    .restore = slotted_restore, .merge = slotted_merge

#endif
