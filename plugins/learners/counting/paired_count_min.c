/* paired_count_min.c -- learn.paired_count_min: two Count-Min sketches as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/counting/paired_count_min/paired_count_min.c. It
 * answers in the columns of the linear classifiers, so that it can stand in for one: the weight is
 * the log ratio, counts and what follows from them are the sketches' estimates. */
#include <stdio.h>

#include "kernels/base/names.h"
#include "kernels/base/rank.h"
#include "kernels/counting/paired_count_min/paired_count_min.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"
#include "learners/counting/docs.h"
#include "paired_count_min_state.h"
#include "common/learners/learner_figures.h"

struct cfg {
    int64_t name_bytes, max_entries;
    int64_t budget, active, width, depth;
    int32_t conservative;
};

struct stage {
    struct paired_held held;
    void *scratch;
    uint32_t *top, *count; /* scratch of a query, by rank and by slot */
    float *ratio, *key;    /* by slot: what it ranks by */
    char *text;            /* scratch: a name, one byte longer than is kept */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, budget, LEAT_SIZE, .def = "32KB", .min = 64, .max = 4294967296.0,
               .unit = "bytes",
               .doc = "model size at 4 bytes an id, estimate and cell; names are counted apart"),
    LEAT_PARAM(struct cfg, conservative, LEAT_BOOL, .def = "false",
               .doc = "raise only the cells that are too small: more exact counts"),
    LEAT_PARAM(struct cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120", .min = 8,
               .max = 65535, .unit = "bytes",
               .doc = "longest name kept; longer ones are cut and end with …"),
    LEAT_PARAM(struct cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED, .def = "65536", .min = 1,
               .max = 16777216, .unit = "entries",
               .doc = "longest example taken; longer ones are rejected"),
    LEAT_PARAM(struct cfg, active, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = PAIRED_COUNT_MIN_MAX_ACTIVE, .unit = "features",
               .doc = "features kept by name; 0: half the budget, or what `width` leaves of it"),
    LEAT_PARAM(struct cfg, width, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = PAIRED_COUNT_MIN_MAX_CELLS, .unit = "cells",
               .doc = "cells in a row of each sketch; 0: what the budget leaves"),
    LEAT_PARAM(struct cfg, depth, LEAT_INT, .flags = LEAT_ADVANCED, .def = "2", .min = 1,
               .max = PAIRED_COUNT_MIN_MAX_DEPTH, .unit = "rows", .doc = "rows of each sketch"),
};

static bool shape_of(const struct cfg *c, struct paired_count_min_shape *s)
{
    *s = (struct paired_count_min_shape){(uint32_t)c->active, (uint32_t)c->width,
                                         (uint32_t)c->depth};
    return paired_count_min_shape_from_budget((uint64_t)c->budget, s);
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct paired_count_min_shape s;
    if (shape_of(c, &s)) return LEAT_OK;
    d->error(
        d, c->width ? "width" : "budget",
        "nothing fits: %u features and two sketches of %u rows of %u cells in a budget of %lld "
        "bytes",
        s.active, s.depth, s.width, (long long)c->budget);
    return LEAT_EARG;
}

static size_t scratch_bytes(const struct paired_count_min_shape *s)
{
    return (size_t)s->active * (4 * sizeof(uint32_t) + sizeof(float));
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    if (examples_have_made_labels(n->in))
        n->diag->warn(n->diag, NULL,
                      "the ratios compare with the examples of label -1, and feature.pairs makes "
                      "these up: use learn.awm with bias = \"none\"");
    return examples_negotiate(cfg, n);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    struct paired_count_min_shape s;
    if (!shape_of(c, &s)) return LEAT_EARG;
    p->state_bytes = paired_count_min_block_bytes(&s);
    p->names_bytes = names_block_bytes(s.active, examples_name_bytes(c->name_bytes, in));
    p->work_bytes = scratch_bytes(&s) + examples_name_bytes(c->name_bytes, in) + 1;
    snprintf(p->note, sizeof p->note, "active %u, two sketches of %u x %u, charged %llu bytes",
             s.active, s.depth, s.width, (unsigned long long)paired_count_min_charged_bytes(&s));
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->scratch);
    paired_release(ctx, &st->held);
    *st = (struct stage){0};
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct paired_count_min_options o = {.conservative = c->conservative, .seed = h->seed(ctx)};
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, ctx->in);
    struct paired_count_min_shape s;
    if (!shape_of(c, &s)) return h->fail(ctx, LEAT_EARG, "nothing fits the budget");
    int status = paired_make(ctx, &s, &o, name_bytes, &st->held);
    if (status != LEAT_OK) return status;
    st->scratch = h->alloc(ctx, scratch_bytes(&s));
    st->text = h->alloc(ctx, name_bytes + 1);
    if (!st->scratch || !st->text) {
        close_stage(ctx, self);
        return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for an answer of %u features",
                       s.active);
    }
    st->count = st->scratch;
    st->top = st->count + 2 * (size_t)s.active;
    st->ratio = (float *)(void *)(st->top + s.active);
    st->key = st->ratio + s.active;
    return LEAT_OK;
}

static void take_name(struct stage *st, const struct leat_batch *b, uint32_t entry, uint32_t slot)
{
    size_t cap =
        st->held.names.max_bytes + 1; /* one more than is kept: names_set sees that it cuts */
    size_t len = leat_name_text(b, entry, st->text, cap);
    names_set(&st->held.names, slot, st->text, len < cap ? len : cap);
}

/* What a classifier that takes features for independent would say. NaN: a value is not finite. */
static double margin_of(const struct stage *st, const struct leat_batch *b, uint32_t e)
{
    double z = paired_count_min_prior(&st->held.model);
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        z += paired_count_min_ratio(&st->held.model, b->id[i]) * (double)b->value[i];
    return isfinite(z) ? z : (double)NAN;
}

static void count_example(struct stage *st, const struct leat_batch *b, uint32_t e, int stream)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t slot = paired_count_min_add(&st->held.model, b->id[i], stream);
        if (slot != PAIRED_COUNT_MIN_NONE) take_name(st, b, i, slot);
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    uint32_t most = examples_max_entries(c->max_entries, ctx->in);
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        int stream = b->ex_label[e] > 0;
        if (r == refused) continue; /* its other examples */
        if (examples_refuse(ctx, b, e, most)) {
            refused = r;
            continue;
        }
        double z = margin_of(st, b, e);
        if (isnan(z)) {
            examples_reject_values(ctx, b, e);
            refused = r;
            continue;
        }
        b->score[e] = examples_score(z);
        if (b->ex_weight[e] == 0) continue; /* held out */
        if (r != record) paired_count_min_record(&st->held.model, stream);
        record = r;
        count_example(st, b, e, stream);
    }
    return LEAT_OK;
}

static void report(struct leat_ctx *ctx, const struct stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct paired_count_min_shape *s = &st->held.model.shape;
    size_t charged = paired_count_min_charged_bytes(s);
    int64_t budget = ((const struct cfg *)ctx->cfg)->budget;
    h->metric(ctx, "budget_bytes", budget > (int64_t)charged ? (double)budget : (double)charged);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "table_bytes", (double)(paired_count_min_block_bytes(s) - charged));
    h->metric(ctx, "names_bytes", (double)names_block_bytes(s->active, st->held.names.max_bytes));
    h->metric(ctx, "active", (double)st->held.model.members.n);
}

/* The n members of st->top in another order than that of their ratios. */
static void put_in_order(const struct leat_query *q, const struct sgd *records, struct stage *st,
                         uint32_t n)
{
    uint32_t held = st->held.model.members.n;
    if (q->order == LEAT_ORDER_WEIGHT || !n) return;
    for (uint32_t s = 0; s < held; s++)
        st->key[s] = (float)answer_order_key(q, records, st->count + 2 * (size_t)s);
    rank_heaviest(held, st->key, st->count, q->min_count, n, st->top);
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *question,
                 struct leat_result *out)
{
    struct stage *st = self;
    const struct leat_query all = answer_query(question), *q = &all;
    const struct paired_count_min *m = &st->held.model;
    struct sgd records = {.records = {m->records[0], m->records[1]}};
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    uint32_t n =
        paired_count_min_top(m, m->shape.active, q->min_count, st->ratio, st->count, st->top);
    put_in_order(q, &records, st, n);
    int status = answer_columns(out, true);
    for (uint32_t i = 0, rows = 0; i < n && rows < q->k && status == LEAT_OK; i++) {
        uint32_t s = st->top[i];
        const uint32_t *count = st->count + 2 * (size_t)s;
        if (!answer_passes(q, &records, count) || (q->positive && !(st->ratio[s] > 0))) continue;
        size_t len;
        const char *name = names_get(&st->held.names, s, &len);
        status = answer_row(out, &records, name, len, (double)st->ratio[s], count);
        rows++;
    }
    return status;
}

LEARNER_TICK

static int stop(struct leat_ctx *ctx, void *self)
{
    report(ctx, self);
    return LEAT_OK;
}

/* ---- state ---- */

LEARNER_OF_ONE_MODEL(paired, PAIRED_STATE_VERSION);

static const char *const *columns(const void *cfg, uint32_t *n) { return answer_names(true, n); }

static const struct leat_figure figures[] = {
    FIGURE_BUDGET_BYTES, FIGURE_MODEL_BYTES, FIGURE_TABLE_BYTES, FIGURE_NAMES_BYTES, FIGURE_ACTIVE,
};

const struct leat_stage learn_paired_count_min = {
    .name = "learn.paired_count_min",
    .summary = "ratios of frequencies in two streams, from two Count-Min sketches: a baseline",
    .doc = paired_count_min_doc,
    .example = "leat.learn.paired_count_min { budget = \"32KB\" }",
    LEARNER_OF_LABELS,
    .caps = LEAT_ANY_ORDER,
    .validate = validate,
    .negotiate = negotiate,
    LEAT_FIGURES(figures),
    LEARNER_OF_ONE_FILE(PAIRED_STATE_VERSION),
};
