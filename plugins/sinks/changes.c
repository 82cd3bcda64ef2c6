/* changes.c -- sink.changes: what enters and leaves the heaviest features of a learner.
 *
 * State: the list of the report before (support/answers/feature_changes.h), so that a run that
 * continues writes what an unbroken one would have written.
 *
 * Nothing flows through this sink: it has no process(), it only asks. */
#include "sinks/docs.h"
#include "common/answers/asked.h"
#include "common/answers/feature_changes.h"
#include "common/output/reports.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 2 };

struct cfg {
    struct asked asked;
    int32_t final, reserved;
    double weight_change;
};

struct changes {
    struct reports reports;
    struct feature_changes changes;
};

static const struct leat_param params[] = {
    ASKED_PARAMS(0, 1e5, "how many of the heaviest features are watched", "10000",
                 ASKED_ALSO_AT_END),
    REPORT_PARAM("table", "table: for people; jsonl: one object a change; csv: one line a change"),
    LEAT_PARAM(
        struct cfg, weight_change, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,
        .doc =
            "also write features that stay once their weight has moved by more than this; 0: no"),
    LEAT_PARAM(struct cfg, final, LEAT_BOOL, .def = "true",
               .doc = "at the end write the features of the last list, as change = final"),
    OUT_PARAMS,
};

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    int status = out_plan(config, in, out, p);
    p->work_bytes += feature_changes_bytes((uint32_t)cfg->asked.k);
    return status;
}

static void close_changes(struct leat_ctx *ctx, void *self)
{
    feature_changes_close(ctx, &((struct changes *)self)->changes);
    out_close(ctx, self);
}

static int open_changes(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct changes *st = self;
    int status = out_open(ctx, self);
    if (status != LEAT_OK) return status;
    st->changes.weight_change = cfg->weight_change;
    st->changes.final = cfg->final;
    status = feature_changes_open(ctx, &st->changes, (uint32_t)cfg->asked.k);
    if (status != LEAT_OK) out_close(ctx, self);
    return status;
}

static int start(struct leat_ctx *ctx, void *self)
{
    struct changes *st = self;
    int status = reports_start(ctx, &st->reports, NULL);
    st->reports.report.terminal = 0; /* a changelog keeps its names whole */
    return status;
}

/* ---- lines ---- */

enum { EXAMPLES, TIME, CHANGE, FEATURE, WEIGHT, COLUMNS };

/* The width of a column is that of any report, as a heading is written once for all of them. */
static const struct report_column columns[COLUMNS] = {
    [EXAMPLES] = {.name = "examples", .type = REPORT_COUNT, .in = REPORT_IN_TABLE, .width = 12},
    [TIME] = {.name = "time", .type = REPORT_TIME, .in = REPORT_IN_TABLE, .width = 23},
    [CHANGE] = {.name = "change", .type = REPORT_WORD, .width = 7},
    [FEATURE] = {.name = "feature", .type = REPORT_NAME},
    [WEIGHT] = {.name = "weight", .type = REPORT_NUMBER, .decimals = 3, .width = 9}};

struct line {
    uint64_t examples;
    int64_t time;
    struct feature_change change;
};

static struct report_value cell(const void *of, uint32_t row, uint32_t column)
{
    const struct line *l = of;
    const struct feature *f = l->change.feature;
    const struct report_value value[COLUMNS] = {[EXAMPLES] = report_count(l->examples),
                                                [TIME] = report_time(l->time),
                                                [CHANGE] = report_word(l->change.what),
                                                [FEATURE] = report_text(f->name, f->len),
                                                [WEIGHT] = report_number(f->weight)};
    return value[column];
}

/* A heading where it is missing, then a line each. Without event times there is no column of
 * them. */
static int write_changes(struct leat_ctx *ctx, struct changes *st, const struct leat_table *t)
{
    struct line line = {.examples = t->examples, .time = t->time};
    struct report_column column[COLUMNS];
    struct report_list lines = {.column = column, .n_columns = COLUMNS, .cell = cell};
    int status = LEAT_OK;
    memcpy(column, columns, sizeof column);
    if (!st->reports.timed) column[TIME].in = REPORT_IN_NONE;
    reports_rows(&st->reports, &lines, 0, &line);
    feature_changes_begin(&st->changes, t);
    while (feature_changes_next(&st->changes, &line.change)) {
        reports_rows(&st->reports, &lines, 1, &line);
        status = out_result(ctx, &st->reports.out, st->reports.out.text.failed);
    }
    return status;
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct changes *st = self;
    struct report_head head;
    answer_report_head(&head, t, st->reports.timed);
    head.n = ANSWER_SECONDS;                                /* learner, examples, time */
    st->reports.report.headed |= st->changes.reported != 0; /* in the run before this one */
    report_begin(&st->reports.report, &head);
    int status = write_changes(ctx, st, t);
    report_end(&st->reports.report);
    ctx->host->metric(ctx, "entered", st->changes.entered);
    ctx->host->metric(ctx, "left", st->changes.left);
    return status < 0 ? status : out_flush(ctx, &st->reports.out);
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    out_snapshot(ctx, self, w);
    return feature_changes_save(ctx, &((struct changes *)self)->changes, w);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct changes *st = self;
    if (state_check_version(r, version, STATE_VERSION) != LEAT_OK ||
        out_restore(ctx, self, r, version) != LEAT_OK)
        return LEAT_EDATA;
    return feature_changes_restore(&st->changes, r);
}

static const struct leat_figure figures[] = {
    {"entered", "features", "features that have come into the top", LEAT_COUNTER},
    {"left", "features", "features that have left it", LEAT_COUNTER},
};

const struct leat_stage sink_changes = {
    .name = "sink.changes",
    .summary = "writes which features enter and leave a learner's heaviest",
    .doc = changes_doc,
    .example = "leat.sink.changes { k = 50, every = 100000, format = \"jsonl\" }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    LEAT_PARAMS(params, struct cfg),
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(struct changes, open_changes, close_changes),
    .validate = asked_validate,
    .plan = plan,
    .start = start,
    .stop = out_stop,
    .barrier = out_barrier,
    .asker = LEAT_ROLE(leat_asker, .ask = asked_top, .show = show),
    .state =
        LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = snapshot, .restore = restore),
};
