/* deltoids.c -- eval.deltoids: which share of the features that set two groups apart a learner
 * found.
 *
 * A feature that is in c1 of N1 records labelled +1 and in c0 of N0 others has the exact ratio
 * (c1 / N1) / (c0 / N0), with a half added to both counts when one of them is 0. */
#include <stdio.h>

#include "evaluate/docs.h"
#include "exact.h"
#include "support/asked.h"
#include "support/reports.h"

enum { THRESHOLDS = 6 };

struct cfg {
    struct out_cfg out;
    int64_t k, min_count, name_bytes;
    const char *of;
    struct leat_interval every;
};

struct deltoids {
    struct reports reports;
    struct exact exact;
};

static const struct leat_param params[] = {
    ASKED_K_PARAM(struct cfg, "2048", 1e6, "features",
                  "how many of the learner's heaviest features count as its answer"),
    LEAT_PARAM(struct cfg, min_count, LEAT_INT, .def = "10", .min = 1, .max = 4e9,
               .unit = "entries", .doc = "features with fewer entries need not be found"),
    ASKED_OF_PARAM(struct cfg, 0),
    ASKED_EVERY_PARAM(struct cfg, NULL, ASKED_ONLY_AT_END),
    REPORT_PARAM("table",
                 "table: for people; jsonl: one object a report; csv: one line a threshold"),
    EXACT_NAME_PARAM(struct cfg),
    OUT_PARAMS,
};

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)config;
    (void)in;
    (void)out;
    p->state_bytes = exact_bytes(FEATURE_COUNTS_MAX_CAPACITY);
    p->work_bytes = OUT_BUFFER;
    snprintf(p->note, sizeof p->note, "grows with the distinct features, " EXACT_BYTES);
    return LEAT_OK;
}

static int ask(const void *config, struct leat_ask *a)
{
    const struct cfg *cfg = config;
    a->every = cfg->every;
    return asked_heaviest(a, cfg->of, cfg->k);
}

static void close_deltoids(struct leat_ctx *ctx, void *self)
{
    struct deltoids *st = self;
    exact_close(ctx, &st->exact);
    out_close(ctx, self);
}

static int open_deltoids(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct deltoids *st = self;
    int status = out_open(ctx, self);
    if (status != LEAT_OK) return status;
    status = exact_open(ctx, &st->exact, FEATURE_COUNTS_MAX_CAPACITY, cfg->name_bytes);
    if (status != LEAT_OK) close_deltoids(ctx, self);
    return status;
}

static int start(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    return reports_start(ctx, self, cfg->out.format, "Recall");
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    exact_count(ctx, &((struct deltoids *)self)->exact, b);
    return LEAT_OK;
}

/* ---- recall ---- */

struct score {
    uint64_t features, found;
};

static double log_ratio(const struct exact *e, const uint32_t *count)
{
    double half = count[0] && count[1] ? 0.0 : 0.5;
    double N1 = (double)e->records[1], N0 = (double)e->records[0];
    return log((count[1] + half) / (count[0] + half)) - log(N1 / N0);
}

/* The features that the answer names. */
static void mark_found(const struct exact *e, const struct leat_table *t, uint8_t *found)
{
    for (uint32_t row = 0; row < t->n_rows; row++) {
        uint32_t n;
        const struct exact_name *at = exact_find(e, t->names[row], t->name_len[row], &n);
        for (uint32_t i = 0; i < n; i++)
            found[at[i].feature] = 1;
    }
}

/* score[t - 1]: of the features with |log ratio| >= t. With one group only there are no ratios. */
static void score_all(const struct exact *e, int64_t min_count, const uint8_t *found,
                      struct score score[THRESHOLDS])
{
    if (!e->records[0] || !e->records[1]) return;
    for (uint32_t f = 0; f < e->counts.n; f++) {
        const uint32_t *count = e->counts.count + 2 * (size_t)f;
        if ((int64_t)count[0] + count[1] < min_count) continue;
        double size = fabs(log_ratio(e, count));
        for (int t = 0; t < THRESHOLDS && size >= t + 1; t++) {
            score[t].features++;
            score[t].found += found[f];
        }
    }
}

static int evaluate(struct leat_ctx *ctx, struct exact *e, const struct leat_table *t,
                    struct score score[THRESHOLDS])
{
    const struct cfg *cfg = ctx->cfg;
    int status = exact_begin(ctx, e);
    if (status != LEAT_OK) return status;
    uint8_t *found = ctx->host->alloc(ctx, e->counts.n + 1u);
    if (found) {
        mark_found(e, t, found);
        score_all(e, cfg->min_count, found, score);
    }
    ctx->host->free(ctx, found);
    exact_end(ctx, e);
    return found ? LEAT_OK
                 : ctx->host->fail(ctx, LEAT_ENOMEM,
                                   "there is not enough memory to mark %u features", e->counts.n);
}

/* ---- the report ---- */

enum { LOG_RATIO, FEATURES, FOUND, RECALL, COLUMNS };

static const struct report_column columns[COLUMNS] = {
    [LOG_RATIO] = {.name = "log_ratio", .type = REPORT_COUNT, .heading = "|log ratio| >="},
    [FEATURES] = {.name = "features", .type = REPORT_COUNT, .width = 8},
    [FOUND] = {.name = "found", .type = REPORT_COUNT, .width = 8},
    [RECALL] = {.name = "recall", .type = REPORT_NUMBER, .decimals = 3}};

static struct report_value cell(const void *of, uint32_t row, uint32_t column)
{
    const struct score *s = (const struct score *)of + row;
    switch (column) {
    case LOG_RATIO:
        return report_count(row + 1ull);
    case FEATURES:
        return report_count(s->features);
    case FOUND:
        return report_count(s->found);
    default:
        return report_number(s->features ? (double)s->found / (double)s->features : (double)NAN);
    }
}

static void add_count(struct report_head *h, const char *name, const char *heading, uint64_t n)
{
    report_head_add(h,
                    (struct report_column){.name = name,
                                           .type = REPORT_COUNT,
                                           .in = REPORT_IN_TABLE | REPORT_IN_JSONL,
                                           .heading = heading},
                    report_count(n));
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    const struct cfg *cfg = ctx->cfg;
    struct deltoids *st = self;
    struct score score[THRESHOLDS] = {{0, 0}};
    struct report_head head;
    int status = evaluate(ctx, &st->exact, t, score);
    if (status != LEAT_OK) return status;
    answer_report_head(&head, t);
    add_count(&head, "features", "features", st->exact.counts.n);
    add_count(&head, "retrieved", "retrieved", t->n_rows);
    add_count(&head, "min_count", "entries at least", (uint64_t)cfg->min_count);
    report_begin(&st->reports.report, &head);
    report_rows(&st->reports.report, &(struct report_list){.name = "recall",
                                                           .column = columns,
                                                           .n_columns = COLUMNS,
                                                           .n_rows = THRESHOLDS,
                                                           .cell = cell,
                                                           .of = score});
    report_end(&st->reports.report);
    return out_flush(ctx, &st->reports.out);
}

const struct leat_stage eval_deltoids = {
    .name = "eval.deltoids",
    .summary = "reports which share of the true relative deltoids a learner found",
    .doc = deltoids_doc,
    .example = "leat.eval.deltoids { k = 2048, min_count = 10, of = \"model\" }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct deltoids, open_deltoids, close_deltoids),
    .validate = out_validate,
    .plan = plan,
    .ask = ask,
    .process = process,
    .start = start,
    .stop = out_stop,
    .show = show,
};
