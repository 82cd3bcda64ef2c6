/* tracked.h -- stages of learners that keep weights only for tracked features: all but what tells
 * them apart.
 *
 * Only glue; the algorithms are in plugins/kernels/tracked.h. A plugin says its rule, parameters
 * and text; struct tracked_cfg holds the parameters of all of them, those of others are 0. A
 * feature that takes a slot gives its name to it; whoever was there before is gone, and so is its
 * name.
 */
#ifndef LEARNERS_TRACKED_H
#define LEARNERS_TRACKED_H

#include <stdio.h>

#include "plugins/kernels/names.h"
#include "plugins/kernels/tracked.h"
#include "plugins/learners/linear.h"
#include "plugins/learners/shown.h"
#include "plugins/learners/tracked_state.h"

struct tracked_cfg {
    struct linear_cfg linear;
    int64_t budget, features;
    int64_t width, depth;                       /* Count-Min      */
    int32_t conservative, churn, key, reserved; /* Count-Min; Space Saving; sampled */
};

struct tracked_stage {
    struct tracked_held held;
    uint32_t *top; /* scratch of a query: each slot */
    char *text;    /* scratch: a name, one byte longer than is kept */
};

/* clang-format off */
#define TRACKED_PARAM(FIELD, TYPE)                                                                 \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct tracked_cfg, FIELD)

#define TRACKED_PARAMS                                                                             \
    {TRACKED_PARAM(budget, LEAT_SIZE), .def = "32KB", .min = 1, .max = 4294967296.0,               \
     .unit = "bytes",                                                                              \
     .doc = "model size at 4 bytes an id, weight and other value; names are counted apart"},       \
    LINEAR_PARAMS,                                                                                 \
    {TRACKED_PARAM(features, LEAT_INT), .flags = LEAT_ADVANCED, .def = "0",                        \
     .max = TRACKED_MAX_SLOTS, .unit = "features",                                                 \
     .doc = "features tracked; 0: as many as the budget holds"}
/* clang-format on */

static inline struct tracked_options tracked_options_of(enum tracked_rule rule,
                                                        const struct tracked_cfg *c)
{
    return (struct tracked_options){.sgd = linear_options(&c->linear),
                                    .rule = rule,
                                    .counts = c->linear.counts,
                                    .product = c->key,
                                    .churn_one = c->churn,
                                    .conservative = c->conservative};
}

static inline bool tracked_shape_of(enum tracked_rule rule, const struct tracked_cfg *c,
                                    struct tracked_shape *s)
{
    struct tracked_options o = tracked_options_of(rule, c);
    *s = (struct tracked_shape){(uint32_t)c->features, (uint32_t)c->width, (uint32_t)c->depth,
                                tracked_extra(&o)};
    return tracked_shape_from_budget((uint64_t)c->budget, rule, s);
}

static inline int tracked_validate(enum tracked_rule rule, const void *cfg, struct leat_diag *d)
{
    const struct tracked_cfg *c = cfg;
    struct tracked_shape s;
    int status = linear_validate(&c->linear, d);
    if (c->width & (c->width - 1)) {
        d->error(d, "width", "%lld is not a power of two", (long long)c->width);
        return LEAT_EARG;
    }
    if (tracked_shape_of(rule, c, &s)) return status;
    unsigned long long cells = 4ull * s.width * s.depth;
    if (cells)
        d->error(d, c->width ? "width" : "budget",
                 "no feature fits in a budget of %lld bytes: one takes %u, and %u rows of %u cells "
                 "take %llu",
                 (long long)c->budget, 8 + 4 * s.extra, s.depth, s.width, cells);
    else
        d->error(d, "budget", "no feature fits in a budget of %lld bytes: one takes %u",
                 (long long)c->budget, 8 + 4 * s.extra);
    return LEAT_EARG;
}

static inline size_t tracked_parts_bytes(uint32_t slots, const struct leat_schema *in)
{
    return in->has & LEAT_HAS_NAMES ? slots * sizeof(struct distinct_parts) : 0;
}

static inline int tracked_plan(enum tracked_rule rule, const void *cfg,
                               const struct leat_schema *in, struct leat_plan *p)
{
    const struct tracked_cfg *c = cfg;
    struct tracked_options o = tracked_options_of(rule, c);
    struct tracked_shape s;
    if (!tracked_shape_of(rule, c, &s)) return LEAT_EARG;
    o.max_row = linear_max_row(&c->linear, in);
    size_t scratch = tracked_scratch_bytes(o.max_row);
    unsigned long long charged = tracked_charged_bytes(&s);
    p->state_bytes = tracked_block_bytes(&s, &o) - scratch;
    p->names_bytes = names_block_bytes(s.slots, linear_name_bytes(&c->linear, in)) +
                     tracked_parts_bytes(s.slots, in);
    p->work_bytes =
        scratch + (uint64_t)s.slots * sizeof(uint32_t) + linear_name_bytes(&c->linear, in) + 1;
    if (s.width)
        snprintf(p->note, sizeof p->note, "%u features, sketch %u x %u, charged %llu bytes",
                 s.slots, s.depth, s.width, charged);
    else
        snprintf(p->note, sizeof p->note, "%u features, charged %llu bytes", s.slots, charged);
    return LEAT_OK;
}

static inline void tracked_close(struct leat_ctx *ctx, void *self)
{
    struct tracked_stage *st = self;
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->top);
    tracked_release(ctx, &st->held);
    *st = (struct tracked_stage){0};
}

static inline int tracked_open(enum tracked_rule rule, struct leat_ctx *ctx, void *self)
{
    struct tracked_stage *st = self;
    const struct tracked_cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct tracked_options o = tracked_options_of(rule, c);
    uint32_t name_bytes = linear_name_bytes(&c->linear, ctx->in);
    struct tracked_shape s;
    o.max_row = linear_max_row(&c->linear, ctx->in);
    o.seed = h->seed(ctx);
    if (!tracked_shape_of(rule, c, &s))
        return h->fail(ctx, LEAT_EARG, "no feature fits the budget");
    int status =
        tracked_hold(ctx, &s, &o, name_bytes, tracked_parts_bytes(s.slots, ctx->in), &st->held);
    if (status != LEAT_OK) return status;
    st->top = h->alloc(ctx, s.slots * sizeof *st->top);
    st->text = h->alloc(ctx, name_bytes + 1);
    if (st->top && st->text) return LEAT_OK;
    tracked_close(ctx, self);
    return h->fail(ctx, LEAT_ENOMEM, "no memory to rank %u features", s.slots);
}

static inline void tracked_take_names(struct tracked_stage *st, const struct leat_batch *b,
                                      uint32_t start)
{
    struct tracked_held *h = &st->held;
    size_t cap =
        h->names.max_bytes + 1; /* one more than is kept: names_set sees that it must cut */
    for (uint32_t k = 0; k < h->model.n_entrants; k++) {
        struct tracked_entrant in = h->model.entrant[k];
        size_t len = leat_name_text(b, start + in.entry, st->text, cap);
        names_set(&h->names, in.slot, st->text, len < cap ? len : cap);
        if (h->parts) h->parts[in.slot] = shown_parts(b, start + in.entry);
    }
}

static inline int tracked_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct tracked_stage *st = self;
    struct tracked *m = &st->held.model;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e], start = b->ex_start[e];
        if (r == refused) continue; /* its other examples */
        double margin = 0;
        struct tracked_row row = {.id = b->id + start,
                                  .x = b->value + start,
                                  .n = b->ex_start[e + 1] - start,
                                  .y = b->ex_label[e] > 0 ? 1 : -1,
                                  .weight = b->ex_weight[e],
                                  .new_record = r != record};
        if (linear_refuse(ctx, b, e, m->opt.max_row)) {
            refused = r;
        } else if (tracked_learn(m, &row, &margin) != TRACKED_OK) {
            linear_reject_values(ctx, b, e);
            refused = r;
        } else {
            b->score[e] = linear_score(margin);
            record = r;
            tracked_take_names(st, b, start);
        }
    }
    return LEAT_OK;
}

static inline void tracked_report(struct leat_ctx *ctx, const struct tracked_stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct tracked *m = &st->held.model;
    size_t charged = tracked_charged_bytes(&m->shape),
           scratch = tracked_scratch_bytes(m->opt.max_row);
    size_t block = tracked_block_bytes(&m->shape, &m->opt);
    size_t names = names_block_bytes(m->shape.slots, st->held.names.max_bytes);
    int64_t budget = ((const struct tracked_cfg *)ctx->cfg)->budget;
    h->metric(ctx, "budget_bytes", budget > (int64_t)charged ? (double)budget : (double)charged);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "table_bytes", (double)(block - scratch - charged));
    h->metric(ctx, "names_bytes", (double)(names + tracked_parts_bytes(m->shape.slots, ctx->in)));
    h->metric(ctx, "tracked", (double)m->slots.n);
    h->metric(ctx, "replaced", (double)m->replaced);
    h->metric(ctx, "bias", m->sgd.bias);
}

static inline const uint32_t *tracked_count_of(const struct tracked *m, uint32_t slot)
{
    return m->count ? m->count + 2 * (size_t)slot : NULL;
}

/* Slots whose conjunctions say no more than their parts: NULL, or freed by the caller. */
static inline int tracked_redundant(struct leat_ctx *ctx, const struct tracked_held *h,
                                    const struct leat_query *q, uint8_t **out)
{
    const struct tracked *m = &h->model;
    *out = NULL;
    if (!(q->distinct > 0) || !h->parts || !m->slots.n) return LEAT_OK;
    double *weight = ctx->host->alloc(ctx, m->slots.n * sizeof *weight);
    if (!weight) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to rank features");
    for (uint32_t s = 0; s < m->slots.n; s++)
        weight[s] = tracked_slot_weight(m, s);
    int status = shown_redundant(ctx, q, m->slots.n, h->parts, weight, out);
    ctx->host->free(ctx, weight);
    return status;
}

static inline int tracked_query(struct leat_ctx *ctx, void *self, const struct leat_query *question,
                                struct leat_result *out)
{
    struct tracked_stage *st = self;
    const struct tracked *m = &st->held.model;
    const struct leat_query q = shown_query(question);
    uint8_t *leave_out;
    if (q.kind != LEAT_QUERY_TOP) return LEAT_EARG;
    tracked_report(ctx, st);
    int status = tracked_redundant(ctx, &st->held, &q, &leave_out);
    if (status == LEAT_OK) status = linear_answer_columns(out, m->opt.counts);
    uint32_t n = tracked_top(m, shown_filters(&q) || q.k > m->slots.n ? m->slots.n : q.k,
                             q.min_count, st->top);
    for (uint32_t k = 0, rows = 0; k < n && rows < q.k && status == LEAT_OK; k++) {
        uint32_t s = st->top[k];
        const uint32_t *count = tracked_count_of(m, s);
        size_t len;
        const char *name = names_get(&st->held.names, s, &len);
        if ((leave_out && leave_out[s]) || !shown_passes(&q, &m->sgd, count)) continue;
        status = linear_answer_row(out, &m->sgd, name, len, tracked_slot_weight(m, s), count);
        rows++;
    }
    ctx->host->free(ctx, leave_out);
    return status;
}

static inline int tracked_stop(struct leat_ctx *ctx, void *self)
{
    tracked_report(ctx, self);
    return LEAT_OK;
}

/* ---- state ---- */

static inline int tracked_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return tracked_write(ctx, &((struct tracked_stage *)self)->held, w);
}

static inline int tracked_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                  uint32_t version)
{
    struct tracked_held *live = &((struct tracked_stage *)self)->held, h;
    int status = linear_same_version(r, version, TRACKED_STATE_VERSION);
    if (status == LEAT_OK) status = tracked_read(ctx, live, r, &h);
    if (status == LEAT_OK) tracked_take(ctx, live, &h);
    return status;
}

static inline int tracked_merge_state(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                      double weight)
{
    struct tracked_held *live = &((struct tracked_stage *)self)->held, h;
    bool changed;
    int status = tracked_read_merge(ctx, live, r, weight, &h, &changed);
    if (changed) tracked_take(ctx, live, &h);
    return status;
}

/* The parts of struct leat_stage that do not depend on the rule, and small functions that bind the
 * others to it. */
#define TRACKED_RULE(RULE)                                                                         \
    static int validate(const void *cfg, struct leat_diag *d)                                      \
    {                                                                                              \
        return tracked_validate(RULE, cfg, d);                                                     \
    }                                                                                              \
    static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,  \
                    struct leat_plan *p)                                                           \
    {                                                                                              \
        (void)out;                                                                                 \
        return tracked_plan(RULE, cfg, in, p);                                                     \
    }                                                                                              \
    static int open_stage(struct leat_ctx *ctx, void *self)                                        \
    {                                                                                              \
        return tracked_open(RULE, ctx, self);                                                      \
    }

#define TRACKED_STAGE                                                                              \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE,    \
    LEAT_PARAMS(params), .cfg_size = sizeof(struct tracked_cfg),                                   \
    .instance_size = sizeof(struct tracked_stage), .validate = validate,                           \
    .negotiate = linear_negotiate, .plan = plan, .open = open_stage, .close = tracked_close,       \
    .stop = tracked_stop, .process = tracked_process, .query = tracked_query,                      \
    .state_version = TRACKED_STATE_VERSION, .snapshot = tracked_snapshot,                          \
    .restore = tracked_restore, .merge = tracked_merge_state

#define TRACKED_DOC                                                                                \
    "\n\nEach example is predicted from the tracked features alone, then learned: margin z = b + " \
    "sum w_i x_i, w_i <- (1 - eta lambda) w_i - eta y l'(y z) x_i; values of an id that an "       \
    "example repeats are summed. Own rates cost 4 bytes a feature more, counts 8. Time per entry " \
    "of an example is constant, some nanoseconds; the budget is for ids, weights and other "       \
    "values (model_bytes), the index with padding (table_bytes) and the names (names_bytes) are "  \
    "reported apart. Counts of a feature start when it is tracked, while shares are of all "       \
    "records: for one that entered late the supports are lower bounds. At an equal budget "        \
    "learn.awm is the better model; this is its yardstick." LINEAR_DOC

#endif
