/* contrast.c -- learn.contrast: counts of features in two kinds of records, with
 * bounds, as a stage.
 *
 * Only glue: the algorithm is in plugins/kernels/counting/contrast, the answer in
 * contrast_answer.c. */
#include <math.h>
#include <stdio.h>

#include "contrast_answer.h"
#include "contrast_state.h"
#include "kernels/base/loss.h"
#include "learners/counting/docs.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"
#include "common/learners/learner_figures.h"

struct cfg {
    int64_t budget, members, name_bytes, max_entries;
    struct leat_interval half_life;
    struct leat_strings left_out;
    int32_t sign;
};

struct stage {
    struct contrast_held held;
    char *text; /* scratch: a name, one byte longer than is kept */
    struct contrast_found found;
    bool told, told_k;
};

static const char *const signs[] = {"positive", "both", NULL};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, budget, LEAT_SIZE, .def = "1MB", .min = 64, .max = 4294967296.0,
               .unit = "bytes", .doc = "model size at most; names are counted apart"),
    LEAT_PARAM(struct cfg, sign, LEAT_CHOICE, .def = "positive", .choices = signs,
               .doc = "positive: keep features of label +1; both: those of label -1, too"),
    LEAT_PARAM(
        struct cfg, half_life, LEAT_INTERVAL, .def = "0", .min = 0, .max = 1e8, .unit = "records",
        .doc = "records, or event time (\"6h\"), after which what was counted is worth half; "
               "0: never"),
    LEAT_PARAM(struct cfg, members, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = CONTRAST_MAX_MEMBERS, .unit = "features",
               .doc = "features kept by name; 0: half the budget"),
    LEAT_PARAM(struct cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120", .min = 8,
               .max = 65535, .unit = "bytes",
               .doc = "longest name kept; longer ones are cut and end with …"),
    LEAT_PARAM(struct cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED, .def = "65536", .min = 1,
               .max = 16777216, .unit = "entries",
               .doc = "longest example taken; longer ones are rejected"),
    LEAT_PARAM(struct cfg, left_out, LEAT_STRINGS, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .doc = "columns that are no features: named where nothing is more than chance"),
};

static bool shape_of(const struct cfg *c, struct contrast_shape *s)
{
    *s = (struct contrast_shape){.members = (uint32_t)c->members};
    return contrast_shape_from_budget((uint64_t)c->budget, s);
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct contrast_shape s;
    if (shape_of(c, &s)) return LEAT_OK;
    d->error(d, c->members ? "members" : "budget",
             "%u features leave no cell in a budget of %lld bytes: give at least %llu", s.members,
             (long long)c->budget,
             (unsigned long long)contrast_budget_for(s.members ? s.members : 1));
    return LEAT_EARG;
}

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    examples_need_time(n, &((const struct cfg *)cfg)->half_life);
    return examples_negotiate(cfg, n);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    struct contrast_shape s;
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, in);
    if (!shape_of(c, &s)) return LEAT_EARG;
    p->state_bytes = contrast_block_bytes(&s);
    p->names_bytes = contrast_names_bytes(s.members, name_bytes);
    p->work_bytes = contrast_answer_bytes(&s) + name_bytes + 1;
    snprintf(p->note, sizeof p->note, "%u features, two sketches of %u x %u, charged %llu bytes",
             s.members, CONTRAST_DEPTH, s.width, (unsigned long long)contrast_charged_bytes(&s));
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->text);
    contrast_release(ctx, &st->held);
    *st = (struct stage){0};
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    const struct contrast_options o = {.both = c->sign,
                                       .half_life = examples_half_life(&c->half_life),
                                       .by_time = c->half_life.ns > 0,
                                       .seed = h->seed(ctx)};
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, ctx->in);
    struct contrast_shape s;
    if (!shape_of(c, &s)) return h->fail(ctx, LEAT_EARG, "nothing fits the budget");
    int status = contrast_make(ctx, &s, &o, name_bytes, &st->held);
    if (status != LEAT_OK) return status;
    st->text = h->alloc(ctx, name_bytes + 1);
    if (st->text) return LEAT_OK;
    close_stage(ctx, self);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a name");
}

/* ---- learning ---- */

static void take_name(struct stage *st, const struct leat_batch *b, uint32_t entry, uint32_t slot)
{
    size_t cap = st->held.names.max_bytes + 1; /* one more than is kept: names_set sees the cut */
    size_t len = leat_name_text(b, entry, st->text, cap);
    names_set(&st->held.names, slot, st->text, len < cap ? len : cap);
    st->held.parts[slot] = answer_parts(b, entry);
}

static void count_example(struct stage *st, const struct leat_batch *b, uint32_t e, int kind)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t slot = contrast_add(&st->held.model, b->id[i], kind);
        if (slot != CONTRAST_NONE) take_name(st, b, i, slot);
    }
}

/* Log odds of the label +1, half a record added to each kind. */
static float prior(const struct contrast *m)
{
    return (float)loss_log((contrast_records(m, 1) + 0.5) / (contrast_records(m, 0) + 0.5));
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    uint32_t most = examples_max_entries(c->max_entries, ctx->in);
    bool by_time = st->held.model.opt.by_time;
    float score = prior(&st->held.model);
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        int kind = b->ex_label[e] > 0;
        if (r == refused) continue; /* its other examples */
        if (examples_refuse(ctx, b, e, most)) {
            refused = r;
            continue;
        }
        b->score[e] = score;
        if (b->ex_weight[e] == 0) continue; /* held out */
        if (r != record) {
            if (by_time) contrast_at(&st->held.model, b->timestamp[r]);
            contrast_record(&st->held.model, kind);
            score = prior(&st->held.model);
        }
        record = r;
        count_example(st, b, e, kind);
    }
    return LEAT_OK;
}

/* ---- what it tells ---- */

static void report(struct leat_ctx *ctx, const struct stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct contrast *m = &st->held.model;
    size_t charged = contrast_charged_bytes(&m->shape);
    h->metric(ctx, "budget_bytes", (double)((const struct cfg *)ctx->cfg)->budget);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "used_bytes", (double)contrast_used_bytes(m));
    h->metric(ctx, "table_bytes", (double)(contrast_block_bytes(&m->shape) - charged));
    h->metric(ctx, "names_bytes",
              (double)contrast_names_bytes(m->shape.members, st->held.names.max_bytes));
    h->metric(ctx, "active", (double)m->index.n);
    h->metric(ctx, "features", distinct_count(m->registers));
    h->metric(ctx, "late_features", (double)contrast_late(m));
}

/* Once, at the end: features had to be left out. */
static void tell_size(struct leat_ctx *ctx, struct stage *st)
{
    const struct contrast *m = &st->held.model;
    double features = distinct_count(m->registers);
    if (st->told || m->index.n < m->shape.members || features <= 1.05 * m->shape.members) return;
    st->told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "of about %.0f features %u are kept, and %u of their counts are known only "
                   "within bounds: budget = \"%.0fMB\" would keep all and count them exactly",
                   answer_about(features), m->index.n, contrast_late(m),
                   ceil((double)contrast_budget_for(1.05 * features) / (1 << 20)));
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *out)
{
    struct stage *st = self;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    answer_tell_k(ctx, q, st->held.model.index.n, st->held.model.shape.members, &st->told_k);
    return contrast_answer(ctx, &st->held, q, out, &st->found);
}

LEARNER_TICK

static int stop(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    char text[800];
    report(ctx, self);
    tell_size(ctx, self);
    if (contrast_nothing(&st->held.model, &st->found, &c->left_out, text, sizeof text))
        ctx->host->log(ctx, LEAT_WARN, "%s", text);
    return LEAT_OK;
}

/* ---- state ---- */

LEARNER_OF_ONE_MODEL(contrast, CONTRAST_STATE_VERSION);

static const char *const *columns(const void *cfg, uint32_t *n) { return contrast_columns(n); }

static const struct leat_figure figures[] = {
    FIGURE_BUDGET_BYTES,
    FIGURE_MODEL_BYTES,
    FIGURE_USED_BYTES,
    FIGURE_TABLE_BYTES,
    FIGURE_NAMES_BYTES,
    FIGURE_ACTIVE,
    {"features", "features", "different features that have come, estimated", LEAT_GAUGE},
    {"late_features", "features", "kept features that were not counted from their first record on",
     LEAT_GAUGE},
};

const struct leat_stage learn_contrast = {
    .name = "learn.contrast",
    .summary =
        "counts of features by label with bounds that hold the truth: explanations, deltoids",
    .doc = contrast_doc,
    .example = "leat.learn.contrast { budget = \"1MB\" }",
    LEARNER_OF_LABELS,
    .caps = LEAT_ANY_ORDER,
    .validate = validate,
    .negotiate = negotiate,
    LEAT_FIGURES(figures),
    LEARNER_OF_ONE_FILE(CONTRAST_STATE_VERSION),
};
