/* cooccurrence.c -- stage learn.cooccurrence: counts of pairs of tokens, with bounds.
 *
 * The algorithm is in plugins/kernels/counting/cooccurrence. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cooccurrence_answer.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/learners/sides.h"
#include "learners/counting/docs.h"

enum { MOST_OF_A_SIDE = 4096 }; /* entries of the longest side */
enum { TOGETHER = 256 };        /* most tokens in one call of the kernel */
/* Advice if there are importance weights. */
static const char COOCCURRENCE_ADVICE[] = "leave out the weights";

struct cooccurrence_cfg {
    int64_t budget, window, min_count, name_bytes, max_entries;
    int32_t ordered, sides, rank; /* rank: enum cooccurrence_rank */
};

static const char *const cooccurrence_ranks[] = {"lift", "pmi", NULL};

struct cooccurrence_stage {
    struct learner learner;
    struct cooccurrence_held held;
    struct cooccurrence_place *side; /* with cfg.sides: 2 * MOST_OF_A_SIDE places */
    bool told, told_k;
};

static const struct leat_param cooccurrence_params[] = {
    LEAT_PARAM(struct cooccurrence_cfg, budget, LEAT_SIZE, .def = "1MB",
               .min = COOCCURRENCE_MIN_BUDGET, .max = 4294967296.0, .unit = "bytes",
               .doc = "most bytes of the model, with names"),
    LEAT_PARAM(struct cooccurrence_cfg, window, LEAT_INT, .def = "6",
               .min = COOCCURRENCE_MIN_WINDOW, .max = COOCCURRENCE_MAX_WINDOW, .unit = "tokens",
               .doc = "each token makes a pair with each of the window - 1 tokens after it"),
    LEAT_PARAM(struct cooccurrence_cfg, ordered, LEAT_BOOL, .def = "false",
               .doc = "(u, v) and (v, u) are two pairs"),
    LEAT_PARAM(struct cooccurrence_cfg, sides, LEAT_BOOL, .def = "false",
               .doc = "records have two sides (feature.sides), and a pair has a feature of each; "
                      "window and ordered then do nothing"),
    LEAT_PARAM(struct cooccurrence_cfg, min_count, LEAT_INT, .def = "5", .min = 1,
               .max = 4294967295.0, .unit = "times",
               .doc =
                   "pairs that came less often are not shown; the PMI of a rare pair says little"),
    LEAT_PARAM(struct cooccurrence_cfg, rank, LEAT_CHOICE, .flags = LEAT_QUESTION, .def = "lift",
               .choices = cooccurrence_ranks,
               .doc = "order of the answer: the lift at the low end of its bounds, or the PMI, "
                      "which leaves chance aside"),
    LEAT_PARAM(struct cooccurrence_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "64",
               .min = 8, .max = 65535, .unit = "bytes",
               .doc = "longest name of a token kept; longer ones are cut and end with …"),
    LEAT_PARAM(struct cooccurrence_cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED,
               .def = "65536", .min = 1, .max = 16777216, .unit = "tokens",
               .doc = "longest example taken; longer ones are rejected"),
};

/* ---- memory ---- */

static void cooccurrence_close(struct leat_ctx *ctx, void *self)
{
    struct cooccurrence_stage *st = self;
    ctx->host->free(ctx, st->side);
    cooccurrence_release(ctx, &st->held);
}

/* Returns the width of the tables, in those of the budget. */
static uint32_t cooccurrence_times(const struct cooccurrence_cfg *c, bool split)
{
    uint32_t names;
    const struct cooccurrence_shape s = cooccurrence_shape_from_budget((uint64_t)c->budget, &names);
    return split ? cooccurrence_widest(&s, COOCCURRENCE_WIDER) : 1;
}

/* Returns the shape of tables `wider` times those of the budget, and sets *names to their bytes. */
static struct cooccurrence_shape cooccurrence_shape_of(const struct cooccurrence_cfg *c,
                                                       uint32_t wider, uint32_t *names)
{
    struct cooccurrence_shape s = cooccurrence_shape_from_budget((uint64_t)c->budget, names);
    *names *= wider;
    return (struct cooccurrence_shape){s.kept * wider, s.token_width * wider, s.pair_width * wider};
}

static int cooccurrence_begin(struct leat_ctx *ctx, void *self)
{
    struct cooccurrence_stage *st = self;
    const struct cooccurrence_cfg *c = ctx->cfg;
    const struct cooccurrence_options o = {.window = c->sides ? 2 : (uint32_t)c->window,
                                           .min_count = (uint32_t)c->min_count,
                                           .ordered = c->ordered || c->sides,
                                           .sides = c->sides != 0,
                                           .seed = ctx->host->seed(ctx)};
    struct cooccurrence_names names = {.max_bytes = examples_name_bytes(c->name_bytes, ctx->in)};
    const uint32_t wider = cooccurrence_times(c, ctx->split);
    const struct cooccurrence_shape s = cooccurrence_shape_of(c, wider, &names.bytes);
    int status = cooccurrence_make(ctx, &s, &o, names, wider, &st->held);
    if (c->sides) st->side = ctx->host->alloc(ctx, 2 * MOST_OF_A_SIDE * sizeof *st->side);
    if (c->sides && !st->side && status == LEAT_OK)
        status = ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for two sides");
    return status == LEAT_OK ? learner_text(ctx, &st->learner, names.max_bytes) : status;
}

/* ---- learning ---- */

static void cooccurrence_take_name(struct cooccurrence_stage *st, const struct leat_batch *b,
                                   uint32_t entry, uint32_t slot)
{
    bool named = b->name && b->name[entry].part[0];
    size_t cap = st->held.names.max_bytes + 1; /* one byte more, to notice longer names */
    size_t len = named ? leat_name_text(b, entry, st->learner.text, cap) : 0;
    names_set(&st->held.names, slot, st->learner.text, len < cap ? len : cap);
}

static void cooccurrence_count_example(struct cooccurrence_stage *st, const struct leat_batch *b,
                                       uint32_t e)
{
    struct cooccurrence *m = &st->held.model;
    uint32_t entered[TOGETHER], end = b->ex_start[e + 1];
    st->held.without_pairs += end - b->ex_start[e] < 2;
    for (uint32_t at = b->ex_start[e], n; at < end; at += n) {
        n = end - at < TOGETHER ? end - at : TOGETHER;
        cooccurrence_add(m, n, b->id + at, entered);
        for (uint32_t i = 0; i < n; i++)
            if (entered[i] != COOCCURRENCE_NONE) cooccurrence_take_name(st, b, at + i, entered[i]);
    }
    cooccurrence_record(m); /* ends the last record: it does not continue in the next batch */
}

static void cooccurrence_count_side(struct cooccurrence_stage *st, const struct leat_batch *b,
                                    uint32_t e, bool right)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t slot = cooccurrence_add_side(&st->held.model, b->id[i], right);
        if (slot != COOCCURRENCE_NONE) cooccurrence_take_name(st, b, i, slot);
    }
}

/* Counts records of two sides, each an example. A record with an empty side adds nothing. */
static int cooccurrence_process_sides(struct leat_ctx *ctx, struct cooccurrence_stage *st,
                                      struct leat_batch *b)
{
    uint32_t k = 0, x, y;
    while (sides_next(ctx, b, MOST_OF_A_SIDE, &k, &x, &y)) {
        bool empty = b->ex_start[x] == b->ex_start[x + 1] || b->ex_start[y] == b->ex_start[y + 1];
        if (examples_refuse_weight(ctx, b, x, COOCCURRENCE_ADVICE)) continue;
        if (b->ex_weight[x] == 0) continue; /* held out */
        st->held.without_pairs += empty;
        if (empty) continue;
        cooccurrence_begin_sides(&st->held.model, st->side);
        cooccurrence_count_side(st, b, x, false);
        cooccurrence_count_side(st, b, y, true);
    }
    cooccurrence_record(&st->held.model);
    return LEAT_OK;
}

static int cooccurrence_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cooccurrence_cfg *c = ctx->cfg;
    cooccurrence_settle(ctx, &((struct cooccurrence_stage *)self)->held);
    if (c->sides) return cooccurrence_process_sides(ctx, self, b);
    uint32_t most = (uint32_t)c->max_entries;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t n = b->ex_start[e + 1] - b->ex_start[e];
        if (n > most)
            ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_TOO_LARGE,
                              "the example has %u tokens, more than max_entries = %u", n, most);
        else if (b->ex_weight[e] != 0 && !examples_refuse_weight(ctx, b, e, COOCCURRENCE_ADVICE))
            cooccurrence_count_example(self, b, e); /* weight 0: the example is held out */
    }
    return LEAT_OK;
}

/* ---- reports ---- */

static uint32_t cooccurrence_late_pairs(const struct cooccurrence *m)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < m->pair.n; p++)
        n += cooccurrence_is_late(m, p);
    return n;
}

static void cooccurrence_report_bytes(struct leat_ctx *ctx, size_t model, size_t used,
                                      size_t tables, size_t names)
{
    const struct leat_host *h = ctx->host;
    double budget = (double)((const struct cooccurrence_cfg *)ctx->cfg)->budget;
    h->metric(ctx, "budget_bytes", fmax(budget, (double)model));
    h->metric(ctx, "model_bytes", (double)model);
    h->metric(ctx, "used_bytes", (double)used);
    h->metric(ctx, "table_bytes", (double)tables);
    h->metric(ctx, "names_bytes", (double)names);
}

static void cooccurrence_report_leaf(struct leat_ctx *ctx, const struct cooccurrence_held *held)
{
    const struct leat_host *h = ctx->host;
    const struct cooccurrence *m = &held->model;
    size_t charged = cooccurrence_charged_bytes(&m->shape);
    cooccurrence_report_bytes(ctx, charged, cooccurrence_used_bytes(m) + held->names.used,
                              cooccurrence_block_bytes(&m->shape) - charged,
                              names_block_bytes(held->names.slots, held->names.cap));
    h->metric(ctx, "active", (double)m->pair.n);
    h->metric(ctx, "frequent_pairs", (double)cooccurrence_grown(m));
    h->metric(ctx, "late_pairs", (double)cooccurrence_late_pairs(m));
}

static void cooccurrence_report_sum(struct leat_ctx *ctx, const struct cooccurrence_held *held)
{
    const struct leat_host *h = ctx->host;
    const struct cooccurrence_sum *s = &held->sum;
    size_t used = cooccurrence_sum_used(s);
    uint32_t grown, late;
    cooccurrence_sum_tally(s, &grown, &late);
    cooccurrence_report_bytes(ctx, used, used + held->sum_names.used,
                              cooccurrence_sum_bytes(&s->shape, &s->room) - used,
                              held->sum_names.cap);
    h->metric(ctx, "active", (double)s->pairs);
    h->metric(ctx, "frequent_pairs", (double)grown);
    h->metric(ctx, "late_pairs", (double)late);
}

static void cooccurrence_report(struct leat_ctx *ctx, void *self)
{
    const struct cooccurrence_held *held = &((const struct cooccurrence_stage *)self)->held;
    const struct leat_host *h = ctx->host;
    const bool sum = held->sum_block != NULL;
    if (sum)
        cooccurrence_report_sum(ctx, held);
    else
        cooccurrence_report_leaf(ctx, held);
    h->metric(ctx, "tokens", (double)(sum ? held->sum.n_tokens : held->model.n_tokens));
    h->metric(ctx, "pairs", (double)(sum ? held->sum.n_pairs : held->model.n_pairs));
    if (held->without_pairs) /* if there are none, no sentence mentions them */
        h->metric(ctx, "without_pairs", (double)held->without_pairs);
    h->metric(ctx, "distinct_pairs",
              distinct_count(sum ? held->sum.registers : held->model.pair.registers));
    h->metric(ctx, "unnamed_tokens", (double)held->names.dropped);
}

/* Warns once, at the end of the run, if pairs had to be dropped. */
static void cooccurrence_finish(struct leat_ctx *ctx, void *self)
{
    struct cooccurrence_stage *st = self;
    const struct cooccurrence *m = &st->held.model;
    double pairs = distinct_count(m->pair.registers);
    if (st->told || m->pair.n < m->shape.kept || pairs <= 1.05 * m->shape.kept) return;
    st->told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "of about %.0f pairs %u are kept, and %u of their counts are known only within "
                   "bounds: budget = \"%.0fMB\" would keep all and count them exactly",
                   answer_about(pairs), m->pair.n, cooccurrence_late_pairs(m),
                   ceil((double)cooccurrence_budget_for(1.05 * pairs) / (1 << 20)));
}

/* ---- before the run ---- */

static int cooccurrence_negotiate(const void *cfg, struct leat_negotiation *n)
{
    examples_count_each_once(n, COOCCURRENCE_ADVICE);
    return ((const struct cooccurrence_cfg *)cfg)->sides ? sides_check(n) : LEAT_OK;
}

static int cooccurrence_plan(const void *cfg, const struct leat_schema *in,
                             const struct leat_schema *out, struct leat_plan *p)
{
    const struct cooccurrence_cfg *c = cfg;
    uint32_t names, name_bytes = examples_name_bytes(c->name_bytes, in);
    const struct cooccurrence_shape s =
        cooccurrence_shape_of(c, cooccurrence_times(c, p->split), &names);
    p->state_bytes = cooccurrence_block_bytes(&s);
    p->names_bytes = names;
    p->work_bytes = cooccurrence_answer_bytes(&s, name_bytes) + name_bytes + 1;
    if (c->sides) p->work_bytes += 2 * MOST_OF_A_SIDE * sizeof(struct cooccurrence_place);
    snprintf(p->note, sizeof p->note,
             "%u tokens and as many pairs, sketches of %u x %u and %u x %u, charged %llu bytes",
             s.kept, COOCCURRENCE_TOKEN_DEPTH, s.token_width, COOCCURRENCE_PAIR_DEPTH, s.pair_width,
             (unsigned long long)(cooccurrence_charged_bytes(&s) + names));
    return LEAT_OK;
}

static int cooccurrence_top(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                            struct leat_result *out)
{
    struct cooccurrence_stage *st = self;
    const struct cooccurrence_cfg *c = ctx->cfg;
    const enum cooccurrence_rank rank = (enum cooccurrence_rank)c->rank;
    struct cooccurrence_held view;
    if (!st->held.sum_block) {
        answer_tell_k(ctx, q, st->held.model.pair.n, st->held.model.shape.kept, &st->told_k);
        return cooccurrence_answer(ctx, &st->held, q, rank, out);
    }
    int status = cooccurrence_view(ctx, &st->held, &view);
    if (status != LEAT_OK) return status;
    status = cooccurrence_answer(ctx, &view, q, rank, out);
    cooccurrence_release(ctx, &view);
    return status;
}

/* ---- state ---- */

static int cooccurrence_snapshot(const void *self, struct leat_writer *w)
{
    return cooccurrence_write(&((const struct cooccurrence_stage *)self)->held, w);
}

static int cooccurrence_restores(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    return cooccurrence_restore(ctx, &((struct cooccurrence_stage *)self)->held, r);
}

static int cooccurrence_merges(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                               double weight)
{
    return cooccurrence_merge(ctx, &((struct cooccurrence_stage *)self)->held, r, weight);
}

/* ---- the stage ---- */

static const struct learner_method cooccurrence_method = {
    .open = cooccurrence_begin,
    .close = cooccurrence_close,
    .report = cooccurrence_report,
    .answer = cooccurrence_top,
    .finish = cooccurrence_finish,
    .write = cooccurrence_snapshot,
    .restore = cooccurrence_restores,
    .merge = cooccurrence_merges,
    .version = COOCCURRENCE_STATE_VERSION,
};

static int cooccurrence_open(struct leat_ctx *ctx, void *self)
{
    return learner_open(ctx, self, &cooccurrence_method);
}

static const struct leat_figure cooccurrence_figures[] = {
    FIGURE_BUDGET_BYTES,
    FIGURE_MODEL_BYTES,
    FIGURE_USED_BYTES,
    FIGURE_TABLE_BYTES,
    FIGURE_NAMES_BYTES,
    {"tokens", "tokens", "tokens so far", LEAT_COUNTER},
    {"pairs", "pairs", "pairs so far", LEAT_COUNTER},
    {"without_pairs", "records",
     "records that make no pair: with an empty side, or fewer than two tokens", LEAT_COUNTER},
    {"distinct_pairs", "pairs", "different pairs so far, estimated", LEAT_GAUGE},
    {"active", "pairs", "pairs kept by name", LEAT_GAUGE},
    {"frequent_pairs", "pairs", "kept pairs whose counts are too large for their cells",
     LEAT_GAUGE},
    {"late_pairs", "pairs", "kept pairs whose first records were not counted", LEAT_GAUGE},
    {"unnamed_tokens", "tokens", "tokens that came after the room for names was full",
     LEAT_COUNTER},
};

const struct leat_stage learn_cooccurrence = {
    .name = "learn.cooccurrence",
    .summary =
        "which tokens occur together: PMI of pairs, by counts with bounds that hold the truth",
    .doc = cooccurrence_doc,
    .example = "leat.learn.cooccurrence { window = 6, budget = \"1MB\" }",
    .kind = LEAT_LEARNER,
    .caps = LEAT_ANY_ORDER,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(cooccurrence_params, struct cooccurrence_cfg),
    LEAT_FIGURES(cooccurrence_figures),
    LEARNER_STAGE(struct cooccurrence_stage, cooccurrence_columns, COOCCURRENCE_STATE_VERSION),
    .negotiate = cooccurrence_negotiate,
    .plan = cooccurrence_plan,
    .open = cooccurrence_open,
    .process = cooccurrence_process,
};
