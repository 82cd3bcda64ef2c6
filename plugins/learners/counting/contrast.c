/* contrast.c -- stage learn.contrast: counts of features in two kinds of records, with bounds.
 *
 * The algorithm is in plugins/kernels/counting/contrast, the answer in contrast_answer.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contrast.h"
#include "contrast_chunk.h"
#include "contrast_counter.h"
#include "contrast_panes.h"
#include "learners/counting/docs.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "contrast_state.h"

struct contrast_cfg {
    int64_t budget, members, name_bytes, max_entries;
    struct leat_interval half_life;
    struct leat_strings left_out;
    int32_t sign;
    struct amounts_cfg amounts;
    struct contrast_panes_cfg by;
};

struct contrast_stage {
    struct learner learner;
    struct contrast_held held;
    struct contrast_found found;
    struct amounts amounts;
    struct contrast_counter counter;
    bool told, told_k;
};

static const struct leat_param contrast_params[] = {
    LEAT_PARAM(struct contrast_cfg, budget, LEAT_SIZE, .def = "1MB", .min = 64, .max = 4294967296.0,
               .unit = "bytes", .doc = "most bytes of the model, without names"),
    LEAT_PARAM(struct contrast_cfg, sign, LEAT_CHOICE, .def = "positive", .choices = contrast_signs,
               .doc = "positive: keep features of label +1; both: also features of label -1"),
    LEAT_PARAM(struct contrast_cfg, half_life, LEAT_INTERVAL, .def = "0", .min = 0, .max = 1e8,
               .unit = "records",
               .doc =
                   "records, or event time (\"6h\"), after which counts are worth half; 0: never"),
    LEAT_PARAM(struct contrast_cfg, members, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = CONTRAST_MAX_MEMBERS, .unit = "features",
               .doc = "features kept by name; 0: about half the budget"),
    LEAT_PARAM(struct contrast_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120",
               .min = 8, .max = 65535, .unit = "bytes",
               .doc = "longest name kept; longer ones are cut and end with …"),
    LEAT_PARAM(struct contrast_cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED, .def = "65536",
               .min = 1, .max = 16777216, .unit = "entries",
               .doc = "longest example taken; longer ones are rejected"),
    LEAT_PARAM_AS("panes", struct contrast_cfg, by.panes, LEAT_DURATION, .def = "0", .min = 0,
                  .max = 3.2e7,
                  .doc = "also counts by event time, in panes of this length (\"5min\"), for "
                         "questions about past periods; 0: does not"),
    LEAT_PARAM_AS("keep", struct contrast_cfg, by.keep, LEAT_DURATION, .def = "30d", .min = 1,
                  .max = 3.2e9, .doc = "how long panes are kept", .only_with = "panes"),
    LEAT_PARAM_AS("panes_of", struct contrast_cfg, by.of, LEAT_CHOICE, .def = "outliers",
                  .choices = contrast_panes_choices, .only_with = "panes",
                  .doc = "records that panes count: outliers: those labelled +1; all: all"),
    LEAT_PARAM_AS("period", struct contrast_cfg, by.period, LEAT_STRING, .flags = LEAT_QUESTION,
                  .doc = "asks about the panes of a period FROM..TO, such as "
                         "2024-05-17T10:00..2024-05-17T11:00 or -1h.., in UTC"),
    LEAT_PARAM_AS("against", struct contrast_cfg, by.against, LEAT_STRING, .flags = LEAT_QUESTION,
                  .doc =
                      "the period to compare it with: FROM..TO, or -7d, the same time seven days "
                      "before; by default all other times"),
    LEAT_PARAM(struct contrast_cfg, left_out, LEAT_STRINGS,
               .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .doc = "columns without features, for the message that nothing is more than chance"),
    AMOUNTS_PARAMS(struct contrast_cfg, amounts),
};

/* ---- memory ---- */

bool contrast_adds_amounts(const void *cfg)
{
    return ((const struct contrast_cfg *)cfg)->amounts.column != NULL;
}

/* Multiplies a shape, unless it becomes too large. */
static void contrast_multiply(struct contrast_shape *s, uint32_t times)
{
    for (; times > 1; times /= 2) {
        if (s->members > CONTRAST_MAX_MEMBERS / 2 || s->width > CONTRAST_MAX_WIDTH / 2 ||
            s->sample >= UINT32_MAX / 2)
            return;
        s->members *= 2;
        s->width *= 2;
        s->sample *= 2;
    }
}

bool contrast_held_shape(const void *cfg, bool split, struct contrast_shape *s)
{
    const struct contrast_cfg *c = cfg;
    uint64_t budget = (uint64_t)c->budget;
    *s = (struct contrast_shape){.members = (uint32_t)c->members,
                                 .amounts = contrast_adds_amounts(c)};
    bool fits = contrast_shape_from_budget(budget - contrast_panes_budget(&c->by, budget), s);
    if (fits && split) contrast_multiply(s, CONTRAST_SPLIT_TIMES);
    return fits;
}

static int contrast_validate(const void *cfg, struct leat_diag *d)
{
    const struct contrast_cfg *c = cfg;
    struct contrast_shape s;
    if (c->amounts.column && examples_half_life(&c->half_life) > 0)
        d->error(d, "half_life", "sums of amounts do not fade: leave out half_life or amount");
    if (c->amounts.column && c->by.panes)
        d->error(d, "panes", "panes count records, not amounts: leave out panes or amount");
    contrast_panes_validate(&c->by, (uint64_t)c->budget, examples_half_life(&c->half_life) > 0, d);
    if (contrast_held_shape(c, false, &s)) return LEAT_OK;
    d->error(d, c->members ? "members" : "budget",
             "with %u features, a budget of %lld bytes has no room for cells: give at least %llu",
             s.members, (long long)c->budget,
             (unsigned long long)contrast_budget_for(s.members ? s.members : 1, s.amounts));
    return LEAT_EARG;
}

static int contrast_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct contrast_cfg *c = cfg;
    examples_need_time(n, &c->half_life);
    amounts_negotiate(&c->amounts, n);
    examples_count_each_once(n, AMOUNTS_ADVICE);
    contrast_panes_negotiate(&c->by, n);
    return examples_of_two_classes(cfg, n);
}

static int contrast_plan(const void *cfg, const struct leat_schema *in,
                         const struct leat_schema *out, struct leat_plan *p)
{
    const struct contrast_cfg *c = cfg;
    struct contrast_shape s;
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, in);
    if (!contrast_held_shape(c, p->split, &s)) return LEAT_EARG;
    p->state_bytes = contrast_block_bytes(&s) + contrast_panes_bytes(&c->by, (uint64_t)c->budget);
    p->names_bytes = contrast_held_names_bytes(s.members, name_bytes);
    p->work_bytes = contrast_answer_bytes(&s) + contrast_counter_bytes(&s, in) + name_bytes + 1;
    if (c->by.panes) p->work_bytes += contrast_panes_answer_bytes(&s);
    snprintf(p->note, sizeof p->note, "%u features, two sketches of %u x %u, charged %llu bytes%s",
             s.members, CONTRAST_DEPTH, s.width, (unsigned long long)contrast_charged_bytes(&s),
             p->split ? ": more than `budget`, as the state will be merged" : "");
    return LEAT_OK;
}

static void contrast_close(struct leat_ctx *ctx, void *self)
{
    struct contrast_stage *st = self;
    contrast_counter_free(ctx, &st->counter);
    contrast_held_release(ctx, &st->held);
}

static int contrast_begin(struct leat_ctx *ctx, void *self)
{
    struct contrast_stage *st = self;
    const struct contrast_cfg *c = ctx->cfg;
    const struct contrast_options o = {.both = c->sign,
                                       .half_life = examples_half_life(&c->half_life),
                                       .by_time = c->half_life.ns > 0,
                                       .apart = ctx->split,
                                       .seed = ctx->host->seed(ctx)};
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, ctx->in);
    struct contrast_shape s;
    if (!contrast_held_shape(c, ctx->split, &s))
        return ctx->host->fail(ctx, LEAT_EARG, "nothing fits the budget");
    amounts_open(ctx, &c->amounts, &st->amounts);
    int status = contrast_held_make(ctx, &s, &o, name_bytes, &st->held);
    st->held.amounts = s.amounts ? &st->amounts : NULL;
    if (status == LEAT_OK) status = contrast_counter_make(ctx, &st->counter, &st->held);
    if (status == LEAT_OK)
        status = contrast_panes_begin(ctx, &c->by, (uint64_t)c->budget, o.seed, &st->held);
    return status == LEAT_OK ? learner_text(ctx, &st->learner, name_bytes) : status;
}

/* ---- learning ---- */

/* Reads the amount of record r, if amounts are added up. Returns LEAT_OK; 1 if the record is
 * rejected; or an error if the sum is too large. */
static int contrast_take_amount(struct leat_ctx *ctx, struct contrast_stage *st,
                                struct leat_batch *b, uint32_t r, int kind)
{
    uint64_t units;
    if (!st->held.amounts) return LEAT_OK;
    if (!amounts_read(ctx, &st->amounts, b, r, &units)) return 1;
    if (contrast_amount(&st->held.model, kind, units)) return LEAT_OK;
    return amounts_overflow(ctx, &st->amounts, (double)CONTRAST_SUMS_TOTAL);
}

/* Counts the examples of a batch. The pairs of a chunk of them may still wait. */
static int contrast_learn(struct leat_ctx *ctx, struct contrast_stage *st, struct leat_batch *b)
{
    const struct contrast_cfg *c = ctx->cfg;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    uint32_t most = examples_max_entries(c->max_entries, ctx->in);
    bool by_time = st->held.model.opt.by_time;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        int kind = b->ex_label[e] > 0;
        if (r == refused) continue; /* a refused record loses all its examples */
        if (examples_refuse(ctx, b, e, most) || examples_refuse_weight(ctx, b, e, AMOUNTS_ADVICE)) {
            refused = r;
            continue;
        }
        if (b->ex_weight[e] == 0) continue; /* held out */
        if (r != record) {
            int taken = contrast_take_amount(ctx, st, b, r, kind);
            if (taken < 0) return taken;
            if (taken) refused = r;
            if (taken) continue;
            if (by_time) contrast_at(&st->held.model, b->timestamp[r]);
            bool takes = st->held.panes && (kind || c->by.of == PANES_OF_ALL);
            st->counter.in_pane = takes && panes_record(st->held.panes, b->timestamp[r]);
            contrast_counter_record(&st->counter, &st->held, b, e, kind);
        }
        record = r;
        contrast_counter_example(&st->counter, &st->learner, &st->held, b, e, kind);
    }
    return LEAT_OK;
}

static int contrast_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct contrast_stage *st = self;
    contrast_held_settle(ctx, &st->held);
    int status = contrast_learn(ctx, st, b);
    contrast_chunk_end(&st->counter, &st->learner, &st->held, b);
    return status;
}

/* ---- reports ---- */

/* Returns how often the model has the budget of the script: more than once for --split. */
static double contrast_times(const void *cfg, const struct contrast *m)
{
    struct contrast_shape s;
    return contrast_held_shape(cfg, false, &s) ? (double)m->shape.width / s.width : 1;
}

static void contrast_report(struct leat_ctx *ctx, void *self)
{
    const struct contrast_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct contrast *m = &st->held.model;
    const bool merged = m->united.is;
    double used = (double)contrast_used_bytes(m),
           charged = merged ? used : (double)contrast_charged_bytes(&m->shape),
           budget = (double)((const struct contrast_cfg *)ctx->cfg)->budget;
    h->metric(ctx, "budget_bytes", merged ? used : budget * contrast_times(ctx->cfg, m));
    h->metric(ctx, "model_bytes", charged);
    h->metric(ctx, "used_bytes", used);
    h->metric(ctx, "table_bytes", (double)contrast_bytes(m) - charged);
    h->metric(ctx, "names_bytes",
              (double)(names_block_bytes(m->shape.members, st->held.names.cap) +
                       m->shape.members * sizeof *st->held.parts));
    h->metric(ctx, "active", (double)m->index.n);
    h->metric(ctx, "features", distinct_count(m->registers));
    h->metric(ctx, "late_features", (double)contrast_late(m));
    if (st->held.panes) h->metric(ctx, "panes", st->held.panes->n);
}

/* Warns once, at the end of the run, if features had to be dropped. */
static void contrast_tell_size(struct leat_ctx *ctx, struct contrast_stage *st)
{
    const struct contrast *m = &st->held.model;
    double features = distinct_count(m->registers);
    if (st->told || !contrast_has_lost(m) || features <= 1.05 * m->index.n) return;
    st->told = true;
    double enough = (double)contrast_budget_for(1.05 * features, m->shape.amounts) /
                    contrast_times(ctx->cfg, m);
    ctx->host->log(ctx, LEAT_WARN,
                   "of about %.0f features %u are kept, and %u of their counts are known only "
                   "within bounds: budget = \"%.0fMB\" would keep all and count them exactly",
                   answer_about(features), m->index.n, contrast_late(m), ceil(enough / (1 << 20)));
}

static int contrast_top(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                        struct leat_result *out)
{
    struct contrast_stage *st = self;
    const struct contrast_panes_cfg *by = &((const struct contrast_cfg *)ctx->cfg)->by;
    contrast_flush(&st->held.model);
    if (!st->held.model.united.is) /* a union has all features */
        answer_tell_k(ctx, q, st->held.model.index.n, st->held.model.shape.members, &st->told_k);
    if (by->period) return contrast_panes_answer(ctx, &st->held, by, q, out, &st->found);
    return contrast_answer(ctx, &st->held, q, out, &st->found);
}

static void contrast_finish(struct leat_ctx *ctx, void *self)
{
    struct contrast_stage *st = self;
    const struct leat_strings *left_out = &((const struct contrast_cfg *)ctx->cfg)->left_out;
    char text[800];
    contrast_flush(&st->held.model);
    contrast_tell_size(ctx, st);
    amounts_tell(ctx, &st->amounts);
    if (st->held.panes) contrast_panes_finish(ctx, st->held.panes);
    if (contrast_nothing(&st->held.model, &st->found, left_out, text, sizeof text))
        ctx->host->log(ctx, LEAT_WARN, "%s", text);
    if (st->found.by_chance) ctx->host->metric(ctx, "by_chance", (double)st->found.by_chance);
}

/* ---- state ---- */

static bool contrast_is_empty(const void *held)
{
    return !((const struct contrast_held *)held)->model.clock.t;
}

static const struct learner_held contrast_state = {
    LEARNER_HELD(struct contrast_stage, held),
    .release = contrast_held_release,
    .write = contrast_state_write,
    .read = contrast_state_read,
    .is_empty = contrast_is_empty,
    .add = contrast_held_add,
};

/* ---- the stage ---- */

static const struct learner_method contrast_method = {
    .open = contrast_begin,
    .close = contrast_close,
    .report = contrast_report,
    .answer = contrast_top,
    .finish = contrast_finish,
    .held = &contrast_state,
    .version = CONTRAST_STATE_VERSION,
};

static int contrast_open(struct leat_ctx *ctx, void *self)
{
    return learner_open(ctx, self, &contrast_method);
}

static const struct leat_figure contrast_figures[] = {
    FIGURE_BUDGET_BYTES,
    FIGURE_MODEL_BYTES,
    FIGURE_USED_BYTES,
    FIGURE_TABLE_BYTES,
    FIGURE_NAMES_BYTES,
    FIGURE_ACTIVE,
    {"features", "features", "different features so far, estimated", LEAT_GAUGE},
    {"by_chance", "features", "no rows of the last answer by gain: they may be chance", LEAT_GAUGE},
    {"late_features", "features", "kept features whose first records were not counted", LEAT_GAUGE},
    {"panes", "panes", "panes in use, if the model has panes", LEAT_GAUGE},
};

const struct leat_stage learn_contrast = {
    .name = "learn.contrast",
    .summary =
        "counts of features by label with bounds that hold the truth: explanations, deltoids",
    .doc = contrast_doc,
    .example = "leat.learn.contrast { budget = \"1MB\" }",
    LEARNER_OF_COUNTS,
    .caps = LEAT_ANY_ORDER | LEAT_PAIRS,
    LEAT_PARAMS(contrast_params, struct contrast_cfg),
    LEAT_FIGURES(contrast_figures),
    LEARNER_STAGE(struct contrast_stage, contrast_columns, CONTRAST_STATE_VERSION),
    .validate = contrast_validate,
    .negotiate = contrast_negotiate,
    .plan = contrast_plan,
    .open = contrast_open,
    .process = contrast_process,
};
