/* deltoids.c -- eval.deltoids: the fraction of the real differences of two groups that a learner
 * found.
 *
 * The two groups are the N1 records labelled +1, and the N0 other records. c1 and c0 of them
 * contain a feature. The feature's exact ratio is (c1 / N1) / (c0 / N0), with a record at the
 * common odds if c1 or c0 is 0 (core/odds.h). */
#include "core/exp.h"
#include "core/odds.h"
#include "evaluate/docs.h"
#include "exact.h"

enum { THRESHOLDS = 6 };

static const struct leat_param deltoids_params[] = {
    ASKED_K_PARAM(struct asked, LEAT_QUESTION, "2048", 1e6, "features",
                  "how many of the learner's heaviest features count as its answer"),
    LEAT_PARAM(struct exact_cfg, min_count, LEAT_INT, .flags = LEAT_QUESTION, .def = "10", .min = 1,
               .max = 4e9, .unit = "entries",
               .doc = "features with fewer entries do not count as missed"),
    ASKED_OF_PARAM(struct asked, 0),
    ASKED_EVERY_PARAM(struct asked, NULL, ASKED_ONLY_AT_END),
    ASKED_CLOCK_PARAM,
    REPORT_PARAM("table",
                 "table: for people; jsonl: one object a report; csv: one line a threshold"),
    EXACT_NAME_PARAM,
    EXACT_MAX_PARAM,
    OUT_PARAMS,
};

static int deltoids_start(struct leat_ctx *ctx, void *self)
{
    return reports_start(ctx, self, "Recall");
}

/* Sets the query. The query has the sink's min_count, so that a learner with counts omits the
 * features that are not compared. */
static int deltoids_ask(const void *config, struct leat_ask *a)
{
    const struct exact_cfg *cfg = config;
    int status = asked_top(config, a);
    a->min_count = (uint32_t)cfg->min_count;
    return status;
}

/* ---- recall ---- */

struct deltoids_score {
    uint64_t features, found;
};

static double deltoids_log_ratio(const struct exact *e, const double count[2])
{
    struct exact_counts N = exact_records(e);
    return exp_log_all(odds_ratio_of_shares(count[1], count[0], N.n[1], N.n[0], false));
}

/* Marks the features that are in the answer. */
static void deltoids_mark_found(struct exact *e, const struct leat_table *t)
{
    for (uint32_t row = 0; row < t->n_rows; row++) {
        uint32_t n;
        struct exact_name *at = exact_find(e, t, row, &n);
        for (uint32_t i = 0; i < n; i++)
            at[i].found = 1;
    }
}

/* Counts the features, and those of them that the learner found. score[t - 1] has the counts for
 * features with |log ratio| >= t. Does nothing if one group is empty. */
static void deltoids_score_all(const struct exact *e, int64_t min_count,
                               struct deltoids_score score[THRESHOLDS])
{
    struct exact_counts N = exact_records(e);
    if (!(N.n[0] > 0) || !(N.n[1] > 0)) return;
    for (uint32_t i = 0; i < e->counted.counts.table.n; i++) {
        struct exact_counts count = exact_counts(e, e->by_name[i].feature);
        if (count.n[0] + count.n[1] < (double)min_count) continue;
        double size = fabs(deltoids_log_ratio(e, count.n));
        for (int t = 0; t < THRESHOLDS && size >= t + 1; t++) {
            score[t].features++;
            score[t].found += e->by_name[i].found;
        }
    }
}

/* ---- the report ---- */

enum { LOG_RATIO, FEATURES, FOUND, RECALL, COLUMNS };

static const struct report_column deltoids_columns[COLUMNS] = {
    [LOG_RATIO] = {.name = "log_ratio", .type = REPORT_COUNT, .heading = "|log ratio| >="},
    [FEATURES] = {.name = "features", .type = REPORT_COUNT, .width = 8},
    [FOUND] = {.name = "found", .type = REPORT_COUNT, .width = 8},
    [RECALL] = {.name = "recall", .type = REPORT_NUMBER, .decimals = 3}};

static struct report_value deltoids_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct deltoids_score *s = (const struct deltoids_score *)of + row;
    double deltoids_recall = s->features ? (double)s->found / (double)s->features : (double)NAN;
    const struct report_value value[COLUMNS] = {[LOG_RATIO] = report_count(row + 1ull),
                                                [FEATURES] = report_count(s->features),
                                                [FOUND] = report_count(s->found),
                                                [RECALL] = report_number(deltoids_recall)};
    return value[column];
}

static const struct report_list deltoids_recall = {
    .name = "recall", .column = deltoids_columns, .n_columns = COLUMNS, .cell = deltoids_cell};

static int deltoids_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    const struct exact_cfg *cfg = ctx->cfg;
    struct exact *st = self;
    struct deltoids_score score[THRESHOLDS] = {{0, 0}};
    struct report_head head;
    unsigned in = REPORT_IN_TABLE | REPORT_IN_JSONL;
    int status = exact_begin(ctx, st);
    if (status != LEAT_OK) return status;
    deltoids_mark_found(st, t);
    deltoids_score_all(st, cfg->min_count, score);
    exact_end(ctx, st);
    answer_report_head(&head, t, st->reports.timed);
    reports_head_count(&head, in, "features", "features", st->counted.counts.table.n);
    reports_head_count(&head, in, "retrieved", "retrieved", t->n_rows);
    reports_head_count(&head, in, "min_count", "entries at least", (uint64_t)cfg->min_count);
    report_begin(&st->reports.report, &head);
    reports_rows(&st->reports, &deltoids_recall, THRESHOLDS, score);
    report_end(&st->reports.report);
    return out_flush(ctx, &st->reports.out);
}

const struct leat_stage eval_deltoids = {
    .name = "eval.deltoids",
    .summary = "reports the share of the true relative deltoids that a learner found",
    .doc = deltoids_doc,
    .example = "leat.eval.deltoids { k = 2048, min_count = 10, of = \"model\" }",
    EXACT_SINK(exact_plan, deltoids_start, deltoids_ask, deltoids_show),
    LEAT_PARAMS(deltoids_params, struct exact_cfg),
    LEAT_INSTANCE(struct exact, exact_open, exact_close),
};
