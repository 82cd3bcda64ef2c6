/* cooccurrence.c -- learn.cooccurrence: counts of pairs of tokens, with bounds, as a stage.
 *
 * Only glue: the algorithm is in plugins/kernels/counting/cooccurrence, the answer in
 * cooccurrence_answer.c. */
#include <math.h>
#include <stdio.h>

#include "cooccurrence_answer.h"
#include "cooccurrence_state.h"
#include "learners/counting/docs.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"
#include "common/learners/learner_figures.h"

struct cfg {
    int64_t budget, window, min_count, name_bytes, max_entries;
    int32_t ordered;
};

struct stage {
    struct cooccurrence_held held;
    char *text; /* scratch: a name, one byte longer than is kept */
    bool told, told_k;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, budget, LEAT_SIZE, .def = "1MB", .min = COOCCURRENCE_MIN_BUDGET,
               .max = 4294967296.0, .unit = "bytes", .doc = "model size at most, with names"),
    LEAT_PARAM(struct cfg, window, LEAT_INT, .def = "6", .min = COOCCURRENCE_MIN_WINDOW,
               .max = COOCCURRENCE_MAX_WINDOW, .unit = "tokens",
               .doc = "each token makes a pair with each of the window - 1 tokens after it"),
    LEAT_PARAM(struct cfg, ordered, LEAT_BOOL, .def = "false",
               .doc = "(u, v) and (v, u) are two pairs"),
    LEAT_PARAM(struct cfg, min_count, LEAT_INT, .def = "5", .min = 1, .max = 4294967295.0,
               .unit = "times",
               .doc = "pairs that came less often are not shown; a PMI of few says little"),
    LEAT_PARAM(struct cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "64", .min = 8,
               .max = 65535, .unit = "bytes",
               .doc = "longest name of a token kept; longer ones are cut and end with …"),
    LEAT_PARAM(struct cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED, .def = "65536", .min = 1,
               .max = 16777216, .unit = "tokens",
               .doc = "longest example taken; longer ones are rejected"),
};

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    uint32_t names, name_bytes = examples_name_bytes(c->name_bytes, in);
    const struct cooccurrence_shape s = cooccurrence_shape_from_budget((uint64_t)c->budget, &names);
    p->state_bytes = cooccurrence_block_bytes(&s);
    p->names_bytes = names;
    p->work_bytes = cooccurrence_answer_bytes(&s, name_bytes) + name_bytes + 1;
    snprintf(p->note, sizeof p->note,
             "%u tokens and as many pairs, sketches of %u x %u and %u x %u, charged %llu bytes",
             s.kept, COOCCURRENCE_TOKEN_DEPTH, s.token_width, COOCCURRENCE_PAIR_DEPTH, s.pair_width,
             (unsigned long long)(cooccurrence_charged_bytes(&s) + names));
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->text);
    cooccurrence_release(ctx, &st->held);
    *st = (struct stage){0};
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    const struct cooccurrence_options o = {.window = (uint32_t)c->window,
                                           .min_count = (uint32_t)c->min_count,
                                           .ordered = c->ordered != 0,
                                           .seed = h->seed(ctx)};
    struct cooccurrence_names names = {.max_bytes = examples_name_bytes(c->name_bytes, ctx->in)};
    const struct cooccurrence_shape s =
        cooccurrence_shape_from_budget((uint64_t)c->budget, &names.bytes);
    int status = cooccurrence_make(ctx, &s, &o, names, &st->held);
    if (status != LEAT_OK) return status;
    st->text = h->alloc(ctx, names.max_bytes + 1);
    if (st->text) return LEAT_OK;
    close_stage(ctx, self);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a name");
}

/* ---- learning ---- */

static void take_name(struct stage *st, const struct leat_batch *b, uint32_t entry, uint32_t slot)
{
    bool named = b->name && b->name[entry].part[0];
    size_t cap = st->held.names.max_bytes + 1; /* one more than is kept, to see that it is cut */
    size_t len = named ? leat_name_text(b, entry, st->text, cap) : 0;
    packed_names_set(&st->held.names, slot, st->text, len < cap ? len : cap);
}

static void count_example(struct stage *st, const struct leat_batch *b, uint32_t e)
{
    struct cooccurrence *m = &st->held.model;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t slot = cooccurrence_add(m, b->id[i]);
        if (slot != COOCCURRENCE_NONE) take_name(st, b, i, slot);
    }
    cooccurrence_record(m); /* nothing of it is open between batches */
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    uint32_t most = (uint32_t)c->max_entries;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t n = b->ex_start[e + 1] - b->ex_start[e];
        if (n > most)
            ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_TOO_LARGE,
                              "the example has %u tokens, more than max_entries = %u", n, most);
        else if (b->ex_weight[e] != 0) /* 0: held out */
            count_example(self, b, e);
    }
    return LEAT_OK;
}

/* ---- what it tells ---- */

static uint32_t late_pairs(const struct cooccurrence *m)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < m->pair.index.n; p++)
        n += cooccurrence_is_late(m, p);
    return n;
}

static void report(struct leat_ctx *ctx, const struct stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct cooccurrence *m = &st->held.model;
    size_t charged = cooccurrence_charged_bytes(&m->shape);
    h->metric(ctx, "budget_bytes", (double)((const struct cfg *)ctx->cfg)->budget);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "used_bytes", (double)(cooccurrence_used_bytes(m) + st->held.names.used));
    h->metric(ctx, "table_bytes", (double)(cooccurrence_block_bytes(&m->shape) - charged));
    h->metric(ctx, "names_bytes",
              (double)packed_names_block_bytes(st->held.names.slots, st->held.names.cap));
    h->metric(ctx, "tokens", (double)m->n_tokens);
    h->metric(ctx, "pairs", (double)m->n_pairs);
    h->metric(ctx, "distinct_pairs", distinct_count(m->pair.registers));
    h->metric(ctx, "active", (double)m->pair.index.n);
    h->metric(ctx, "frequent_pairs", (double)cooccurrence_grown(m));
    h->metric(ctx, "late_pairs", (double)late_pairs(m));
    h->metric(ctx, "unnamed_tokens", (double)st->held.names.dropped);
}

/* Once, at the end: pairs had to be left out. */
static void tell_size(struct leat_ctx *ctx, struct stage *st)
{
    const struct cooccurrence *m = &st->held.model;
    double pairs = distinct_count(m->pair.registers);
    if (st->told || m->pair.index.n < m->shape.kept || pairs <= 1.05 * m->shape.kept) return;
    st->told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "of about %.0f pairs %u are kept, and %u of their counts are known only within "
                   "bounds: budget = \"%.0fMB\" would keep all and count them exactly",
                   answer_about(pairs), m->pair.index.n, late_pairs(m),
                   ceil((double)cooccurrence_budget_for(1.05 * pairs) / (1 << 20)));
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *out)
{
    struct stage *st = self;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    answer_tell_k(ctx, q, st->held.model.pair.index.n, st->held.model.shape.kept, &st->told_k);
    return cooccurrence_answer(ctx, &st->held, q, out);
}

LEARNER_TICK

static int stop(struct leat_ctx *ctx, void *self)
{
    report(ctx, self);
    tell_size(ctx, self);
    return LEAT_OK;
}

/* ---- state ---- */

LEARNER_OF_ONE_MODEL(cooccurrence, COOCCURRENCE_STATE_VERSION);

static const char *const *columns(const void *cfg, uint32_t *n) { return cooccurrence_columns(n); }

static const struct leat_figure figures[] = {
    FIGURE_BUDGET_BYTES,
    FIGURE_MODEL_BYTES,
    FIGURE_USED_BYTES,
    FIGURE_TABLE_BYTES,
    FIGURE_NAMES_BYTES,
    {"tokens", "tokens", "tokens that have come", LEAT_COUNTER},
    {"pairs", "pairs", "pairs that have come", LEAT_COUNTER},
    {"distinct_pairs", "pairs", "different pairs that have come, estimated", LEAT_GAUGE},
    {"active", "pairs", "pairs kept by name", LEAT_GAUGE},
    {"frequent_pairs", "pairs", "kept pairs whose counts have grown out of their cells",
     LEAT_GAUGE},
    {"late_pairs", "pairs", "kept pairs that were not counted from their first record on",
     LEAT_GAUGE},
    {"unnamed_tokens", "tokens", "tokens that came when there was no more room for names",
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
    LEAT_FIGURES(figures),
    LEARNER_OF_ONE_FILE(COOCCURRENCE_STATE_VERSION),
};
