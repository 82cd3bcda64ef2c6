/* son.h -- what the stages of the online Newton family share: parameters, features, examples.
 *
 * Only glue. struct son_cfg is the first member of each stage's configuration, struct
 * son_stage of its instance; struct son_method is what a kernel adds. Its memory (the block)
 * grows with the table of features and with the features of the working block; process() allocates
 * only then, and never twice for the same size.
 */
#ifndef LEAT_LEARNERS_SON_SON_H
#define LEAT_LEARNERS_SON_SON_H

#include <stdio.h>

#include "kernels/son/son.h"
#include "kernels/base/rank.h"
#include "support/growing.h"
#include "learners/linear/linear.h"

struct son_cfg {
    struct growing_cfg growing;
    double alpha0, clip;
    int32_t loss;
    int32_t reserved;
};

static const char *const son_losses[] = {"squared", "logistic", "squared_hinge", NULL};

/* clang-format off */
#define SON_PARAM(FIELD, TYPE)                                                                  \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct son_cfg, FIELD)
#define SON_PARAMS(ALPHA_DEF, ALPHA_MIN, ALPHA_DOC)                                             \
    {SON_PARAM(alpha0, LEAT_FLOAT), .def = ALPHA_DEF, .min = ALPHA_MIN, .max = 1e15,            \
     .doc = ALPHA_DOC},                                                                            \
    {SON_PARAM(loss, LEAT_CHOICE), .def = "squared", .choices = son_losses,                  \
     .doc = "what is minimised: (z-y)^2, log(1+e^-yz), max(0, 1-yz)^2"},                           \
    {SON_PARAM(clip, LEAT_FLOAT), .def = "1", .min = 0.01, .max = 30,                           \
     .doc = "C: weights are projected onto |w'x| <= C before each step"}
/* clang-format on */

struct son_stage {
    struct growing growing;
    struct son_row row;
    void *block;
    uint32_t features, touched; /* what the block has room for */
    uint32_t max_row;
    uint64_t examples;  /* learned                               */
    uint64_t overflows; /* too large to learn from; not in state */
    uint64_t full;      /* examples with features that found no room; not in state */
};

enum { SON_FIRST_TOUCHED = 1024 };

/* What a kernel adds. `self` is the stage's instance, `cfg` its configuration. */
struct son_method {
    uint32_t (*stride)(const void *cfg); /* its doubles of a feature */
    size_t (*bytes)(const void *cfg, uint32_t features, uint32_t touched);
    void (*init)(struct leat_ctx *, void *self, uint32_t features, uint32_t touched, void *block);
    /* NULL: the block does not depend on features and touched. */
    void (*grow)(void *self, uint32_t features, uint32_t touched, void *block);
    uint32_t (*room)(const void *self); /* entries of the next row; NULL: any */
    enum son_result (*learn)(void *self, const struct son_features *, double *z);
    double (*weight)(const void *self, const struct son_features *, uint32_t feature);
    void (*report)(struct leat_ctx *, const void *self); /* NULL: nothing */
};

static inline struct son_options son_options(const struct son_cfg *c)
{
    return (struct son_options){(enum son_loss)c->loss, c->clip, c->alpha0};
}

static inline struct son_features son_features(const struct son_stage *st)
{
    const struct feature_table *t = &st->growing.table;
    return (struct son_features){t->row, t->stride, t->n};
}

/* ---- plan, open, close ---- */

static inline int son_plan(const struct son_method *m, const void *cfg,
                           const struct leat_schema *in, struct leat_plan *p)
{
    const struct son_cfg *c = cfg;
    uint32_t first = growing_first(&c->growing), stride = SON_MARK + m->stride(cfg);
    p->state_bytes = feature_table_bytes(first, stride) + m->bytes(cfg, first, SON_FIRST_TOUCHED);
    p->names_bytes = growing_names_bytes(&c->growing, in);
    p->work_bytes = growing_max_row(&c->growing, in) * (sizeof(double) + sizeof(uint32_t)) +
                    (uint64_t)c->growing.name_bytes + 4; /* a name; nothing is asked for 0 bytes */
    snprintf(p->note, sizeof p->note, "at the start; grows with the features, %u bytes each",
             20 + stride * 8);
    return LEAT_OK;
}

static inline void son_close(struct leat_ctx *ctx, struct son_stage *st)
{
    ctx->host->free(ctx, st->block);
    ctx->host->free(ctx, st->row.feature);
    ctx->host->free(ctx, st->row.x);
    growing_close(ctx, &st->growing);
    *st = (struct son_stage){0};
}

static inline int son_open(struct leat_ctx *ctx, const struct son_method *m, struct son_stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct son_cfg *c = ctx->cfg;
    int status = growing_open(ctx, &c->growing, SON_MARK + m->stride(c), &st->growing);
    if (status != LEAT_OK) return status;
    st->max_row = growing_max_row(&c->growing, ctx->in);
    st->features = st->growing.table.capacity;
    st->touched = SON_FIRST_TOUCHED;
    st->block = h->alloc(ctx, m->bytes(c, st->features, st->touched) + 1);
    st->row.feature = h->alloc(ctx, st->max_row * sizeof(uint32_t) + 1);
    st->row.x = h->alloc(ctx, st->max_row * sizeof(double) + 1);
    if (!st->block || !st->row.feature || !st->row.x) {
        son_close(ctx, st);
        return h->fail(ctx, LEAT_ENOMEM, "no memory for the first %u features",
                       growing_first(&c->growing));
    }
    m->init(ctx, st, st->features, st->touched, st->block);
    return LEAT_OK;
}

/* ---- examples ---- */

/* The values of an example that cannot be learned are rejected here: true. Sums of that size have
 * squares of at most SON_MAX_SQUARE. */
static inline bool son_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e, uint32_t most)
{
    const double limit = sqrt(SON_MAX_SQUARE);
    double sum = 0, weight = (double)b->ex_weight[e];
    if (linear_refuse(ctx, b, e, most)) return true;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        sum += fabs((double)b->value[i]);
    if (!isfinite(sum))
        linear_reject_values(ctx, b, e);
    else if (sum > limit)
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE,
                          "values add up to %g: their squares would overflow above %g", sum, limit);
    else if (weight > SON_MAX_WEIGHT)
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE, "importance weight %g",
                          weight);
    else
        return false;
    return true;
}

/* Room for an example of n entries. */
static inline int son_make_room(struct leat_ctx *ctx, const struct son_method *m,
                                struct son_stage *st, uint32_t n)
{
    growing_reserve(ctx, &st->growing, n);
    if (!m->grow) return LEAT_OK;
    uint32_t features = st->growing.table.capacity, touched = st->touched,
             room = m->room ? m->room(st) : n;
    while (room < n && touched < features) { /* no feature has two places */
        room += touched;
        touched *= 2;
    }
    if (features == st->features && touched == st->touched) return LEAT_OK;
    void *block = ctx->host->alloc(ctx, m->bytes(ctx->cfg, features, touched) + 1);
    if (!block)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to keep more than %u features",
                               st->features);
    m->grow(st, features, touched, block);
    ctx->host->free(ctx, st->block);
    st->block = block;
    st->features = features;
    st->touched = touched;
    return LEAT_OK;
}

/* st->row becomes the example; LEAT_EFULL: a feature found no room. */
static inline int son_gather(struct son_stage *st, const struct leat_batch *b, uint32_t e)
{
    struct son_row *row = &st->row;
    int status = LEAT_OK;
    row->n = 0;
    row->y = b->ex_label[e] > 0 ? 1 : -1;
    row->weight = (double)b->ex_weight[e];
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t feature = growing_enroll(&st->growing, b, i);
        struct son_features all = son_features(st);
        if (feature == FEATURE_TABLE_NONE)
            status = LEAT_EFULL;
        else
            son_row_add(row, &all, feature, (double)b->value[i]);
    }
    son_row_finish(row);
    return status;
}

static inline int son_example(struct leat_ctx *ctx, const struct son_method *m,
                              struct son_stage *st, struct leat_batch *b, uint32_t e)
{
    const struct son_cfg *c = ctx->cfg;
    double z;
    int status = son_make_room(ctx, m, st, b->ex_start[e + 1] - b->ex_start[e]);
    if (status != LEAT_OK) return status;
    if (son_gather(st, b, e) != LEAT_OK && !st->full++)
        ctx->host->log(ctx, LEAT_WARN,
                       "more than max_features = %u features: new ones are ignored and counted",
                       st->growing.table.capacity);
    struct son_features all = son_features(st);
    enum son_result got = m->learn(st, &all, &z);
    b->score[e] = linear_score(son_log_odds((enum son_loss)c->loss, z));
    st->examples += st->row.weight > 0;
    if (got == SON_OVERFLOW && !st->overflows++)
        ctx->host->log(ctx, LEAT_WARN,
                       "weights would overflow: alpha0 = %g is too small for such features; such "
                       "examples are predicted, but not learned",
                       c->alpha0);
    return LEAT_OK;
}

static inline int son_process(struct leat_ctx *ctx, const struct son_method *m,
                              struct son_stage *st, struct leat_batch *b)
{
    uint32_t refused = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        if (r == refused) continue; /* its other examples */
        if (son_refuse(ctx, b, e, st->max_row)) {
            refused = r;
            continue;
        }
        int status = son_example(ctx, m, st, b, e);
        if (status != LEAT_OK) return status;
    }
    return LEAT_OK;
}

/* ---- answers ---- */

static inline void son_report(struct leat_ctx *ctx, const struct son_method *m,
                              const struct son_stage *st)
{
    const struct feature_table *t = &st->growing.table;
    growing_report(ctx, &st->growing);
    ctx->host->metric(ctx, "model_bytes",
                      (double)(feature_table_bytes(t->capacity, t->stride) +
                               m->bytes(ctx->cfg, st->features, st->touched)));
    ctx->host->metric(ctx, "overflows", (double)st->overflows);
    if (m->report) m->report(ctx, st);
}

static inline int son_answer(const struct son_stage *st, uint32_t n, const uint32_t *top,
                             const float *weight, struct leat_result *out)
{
    int status = linear_answer_columns(out, false);
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++) {
        char digits[24];
        size_t len;
        const char *name = growing_name(&st->growing, top[i], digits, &len);
        double w = (double)weight[top[i]];
        status = out->row(out, name, len, &w);
    }
    return status;
}

/* All weights are read when somebody asks. */
static inline int son_query(struct leat_ctx *ctx, const struct son_method *m,
                            const struct son_stage *st, const struct leat_query *q,
                            struct leat_result *out)
{
    const struct leat_host *h = ctx->host;
    struct son_features all = son_features(st);
    uint32_t n = all.known, k = q->k < n ? q->k : n;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    son_report(ctx, m, st);
    float *weight = h->alloc(ctx, n * sizeof *weight + 1);
    uint32_t *top = h->alloc(ctx, k * sizeof *top + 1);
    int status = LEAT_OK;
    if (!weight || !top) status = h->fail(ctx, LEAT_ENOMEM, "no memory to rank %u features", n);
    for (uint32_t j = 0; j < n && status == LEAT_OK; j++)
        weight[j] = linear_score(m->weight(st, &all, j));
    if (status == LEAT_OK) {
        k = k ? rank_heaviest(n, weight, NULL, 0, k, top) : 0;
        status = son_answer(st, k, top, weight, out);
    }
    h->free(ctx, top);
    h->free(ctx, weight);
    return status;
}

/* ---- the calls of a stage, for METHOD, their names after P; struct stage begins with a struct
 * son_stage ---- */

#define SON_CALLS(P, METHOD)                                                                       \
    static int P##plan(const void *cfg, const struct leat_schema *in,                              \
                       const struct leat_schema *out, struct leat_plan *p)                         \
    {                                                                                              \
        (void)out;                                                                                 \
        return son_plan(&(METHOD), cfg, in, p);                                                    \
    }                                                                                              \
    static int P##open(struct leat_ctx *ctx, void *self)                                           \
    {                                                                                              \
        return son_open(ctx, &(METHOD), self);                                                     \
    }                                                                                              \
    static void P##close(struct leat_ctx *ctx, void *self) { son_close(ctx, self); }               \
    static int P##process(struct leat_ctx *ctx, void *self, struct leat_batch *b)                  \
    {                                                                                              \
        return son_process(ctx, &(METHOD), self, b);                                               \
    }                                                                                              \
    static int P##query(struct leat_ctx *ctx, void *self, const struct leat_query *q,              \
                        struct leat_result *out)                                                   \
    {                                                                                              \
        return son_query(ctx, &(METHOD), self, q, out);                                            \
    }                                                                                              \
    static int P##stop(struct leat_ctx *ctx, void *self)                                           \
    {                                                                                              \
        son_report(ctx, &(METHOD), self);                                                          \
        return LEAT_OK;                                                                            \
    }

#define SON_STAGE(P)                                                                               \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE,    \
    LEAT_PARAMS(P##params), .cfg_size = sizeof(struct cfg), .instance_size = sizeof(struct stage), \
    .negotiate = linear_negotiate, .plan = P##plan, .open = P##open, .close = P##close,            \
    .stop = P##stop, .process = P##process, .query = P##query, .state_version = SON_STATE_VERSION, \
    .snapshot = P##snapshot, .restore = P##restore, .merge = P##merge

#define SON_DOC                                                                                    \
    "\n\nEach example is predicted, then learned: s = w'x; beyond the clip C weights move by a "   \
    "multiple of H^-1 x until |w'x| = C, z = s otherwise; w -= H^-1 f'(z) x. There is no bias: "   \
    "give the examples a constant feature where they need one. An example of weight c counts c "   \
    "times; of weight 0 it is only predicted.\n\n"                                                 \
    "Losses f and the constant mu of their curvature (the largest with f(v) >= f(u) + f'(u)(v-u) " \
    "+ mu/2 (f'(u)(v-u))^2 on [-C, C]): squared (z-y)^2, mu = 1/(2(1+C)^2), 1/8 for C = 1; "       \
    "logistic log(1+e^-yz), mu = e^-C; squared_hinge max(0, 1-yz)^2, mu as squared up to C = 1, "  \
    "then (3C-1)/(8C^2(1+C)). For the last two a clip of 3 to 10 is usual.\n\n"                    \
    "Scores are log odds. Logistic: z. The other two are least in expectation at z = p(+) - "      \
    "p(-), so the score is log((1+z')/(1-z')) with z' = 0.98 z within +-0.98: at most log odds "   \
    "of "                                                                                          \
    "4.6; weights in the top are those of z.\n\n"                                                  \
    "Memory grows with the distinct features up to max_features, names are kept while "            \
    "names_budget lasts. Labels are -1 and +1; 0 counts as -1. Records with another label, "       \
    "values "                                                                                      \
    "that are not finite or whose sum is above 1e15 are rejected and change nothing."

#endif
