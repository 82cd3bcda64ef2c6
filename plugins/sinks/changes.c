/* changes.c -- sink.changes: reports features that enter or leave a learner's heaviest features.
 *
 * The state is the list of the previous report (common/answers/feature_changes.h). So a continued
 * run writes the same report as an uninterrupted run.
 *
 * The sink has no process() function. It receives no records, only answers of the learner. */
#include "sinks/docs.h"
#include "common/answers/feature_changes.h"
#include "common/output/reports.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 2 };

struct sink_changes {
    struct reports reports;
    struct feature_changes changes;
};

static const struct leat_param params[] = {
    CHANGES_ASKED_PARAMS,
    REPORT_PARAM("table", "table: for people; jsonl: one object a change; csv: one line a change"),
    CHANGES_PARAMS("write"),
    OUT_PARAMS,
};

static int sink_changes_plan(const void *config, const struct leat_schema *in,
                             const struct leat_schema *out, struct leat_plan *p)
{
    int status = out_plan(config, in, out, p);
    p->work_bytes += feature_changes_bytes(config);
    return status;
}

static void sink_changes_close_changes(struct leat_ctx *ctx, void *self)
{
    feature_changes_close(ctx, &((struct sink_changes *)self)->changes);
    out_close(ctx, self);
}

static int sink_changes_open_changes(struct leat_ctx *ctx, void *self)
{
    struct sink_changes *st = self;
    int status = out_open(ctx, self);
    if (status != LEAT_OK) return status;
    status = feature_changes_open(ctx, &st->changes);
    if (status != LEAT_OK) out_close(ctx, self);
    return status;
}

static int sink_changes_start(struct leat_ctx *ctx, void *self)
{
    struct sink_changes *st = self;
    int status = reports_start(ctx, &st->reports, NULL);
    st->reports.report.terminal = 0; /* width 0: names are never cut to the terminal's width */
    return status;
}

/* ---- lines ---- */

enum { EXAMPLES, TIME, CHANGE, FEATURE, WEIGHT, COLUMNS };

/* Columns of a report. Widths are fixed, because the heading is written only once. */
static const struct report_column columns[COLUMNS] = {
    [EXAMPLES] = {.name = "examples", .type = REPORT_COUNT, .in = REPORT_IN_TABLE, .width = 12},
    [TIME] = {.name = "time", .type = REPORT_TIME, .in = REPORT_IN_TABLE, .width = 23},
    [CHANGE] = {.name = "change", .type = REPORT_WORD, .width = 7},
    [FEATURE] = {.name = "feature", .type = REPORT_NAME},
    [WEIGHT] = {.name = "weight", .type = REPORT_NUMBER, .decimals = 3, .width = 9}};

struct sink_changes_line {
    uint64_t examples;
    int64_t time;
    struct feature_change change;
};

static struct report_value sink_changes_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct sink_changes_line *l = of;
    const struct feature *f = l->change.feature;
    const struct report_value value[COLUMNS] = {[EXAMPLES] = report_count(l->examples),
                                                [TIME] = report_time(l->time),
                                                [CHANGE] = report_word(l->change.what),
                                                [FEATURE] = report_text(f->name, f->len),
                                                [WEIGHT] = report_number(f->weight)};
    return value[column];
}

/* Writes the heading, if it is not yet written, and a line for each change. Omits the column for
 * event times if there are none. */
static int write_changes(struct leat_ctx *ctx, struct sink_changes *st, const struct leat_table *t)
{
    struct sink_changes_line line = {.examples = t->examples, .time = t->time};
    struct report_column column[COLUMNS];
    struct report_list lines = {.column = column, .n_columns = COLUMNS, .cell = sink_changes_cell};
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

static int sink_changes_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct sink_changes *st = self;
    struct report_head head;
    answer_report_head(&head, t, st->reports.timed);
    head.n = ANSWER_SECONDS; /* the head has learner, examples and time */
    /* an earlier run has written the heading */
    st->reports.report.headed |= st->changes.reported != 0;
    report_begin(&st->reports.report, &head);
    int status = write_changes(ctx, st, t);
    report_end(&st->reports.report);
    feature_changes_metrics(ctx, &st->changes);
    return status < 0 ? status : out_flush(ctx, &st->reports.out);
}

static int sink_changes_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    out_snapshot(ctx, self, w);
    return feature_changes_save(ctx, &((struct sink_changes *)self)->changes, w);
}

static int sink_changes_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                uint32_t version)
{
    struct sink_changes *st = self;
    if (state_check_version(r, version, STATE_VERSION) != LEAT_OK ||
        out_restore(ctx, self, r, version) != LEAT_OK)
        return LEAT_EDATA;
    return feature_changes_restore(&st->changes, r);
}

static const struct leat_figure figures[] = {CHANGES_FIGURES};

const struct leat_stage sink_changes = {
    .name = "sink.changes",
    .summary = "writes which features enter and leave a learner's heaviest",
    .doc = changes_doc,
    .example = "leat.sink.changes { k = 50, every = 100000, format = \"jsonl\" }",
    .kind = LEAT_SINK,
    .caps = LEAT_STATEFUL,
    LEAT_PARAMS(params, struct changes_cfg),
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(struct sink_changes, sink_changes_open_changes, sink_changes_close_changes),
    .validate = asked_validate,
    .plan = sink_changes_plan,
    .start = sink_changes_start,
    .stop = out_stop,
    .barrier = out_barrier,
    .asker = LEAT_ROLE(leat_asker, .ask = asked_top, .show = sink_changes_show),
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = sink_changes_snapshot,
                       .restore = sink_changes_restore),
};
