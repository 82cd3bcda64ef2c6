/* metrics.c -- sink.metrics: writes a learner's progressive validation over time, as JSON lines. */
#include "sinks/docs.h"
#include "common/answers/asked.h"
#include "common/output/reports.h"

struct sink_metrics_figures {
    uint32_t n;
    struct report_column column[REPORT_MAX_COLUMNS];
    double value[REPORT_MAX_COLUMNS];
};

static const struct leat_param params[] = {
    ASKED_OF_PARAM(struct asked, LEAT_POSITIONAL),
    ASKED_EVERY_PARAM(struct asked, "1s", ASKED_ALSO_AT_END),
    ASKED_CLOCK_PARAM,
    OUT_PARAMS,
};

static int sink_metrics_start(struct leat_ctx *ctx, void *self)
{
    struct reports *st = self;
    int status = reports_start(ctx, st, NULL);
    st->report.format = REPORT_JSONL;
    return status;
}

static struct report_value sink_metrics_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct sink_metrics_figures *f = of;
    return report_number(f->value[column]);
}

/* Copies the figures of an answer, except `examples`, which each line has in its first members. */
static void sink_metrics_take_figures(struct sink_metrics_figures *f, const struct leat_table *t)
{
    f->n = 0;
    for (uint32_t i = 0; t->n_rows && i < t->n_columns && f->n < REPORT_MAX_COLUMNS; i++) {
        if (!strcmp(t->columns[i], "examples")) continue;
        f->column[f->n] = (struct report_column){.name = t->columns[i]};
        f->value[f->n++] = t->values[i];
    }
}

static int sink_metrics_show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct reports *st = self;
    struct sink_metrics_figures f;
    struct report_head head;
    sink_metrics_take_figures(&f, t);
    answer_report_head(&head, t, st->timed);
    /* Writes the seconds in every line, even the last, because a curve over time needs them. */
    head.column[ANSWER_SECONDS].in = 0;
    head.value[ANSWER_SECONDS] = report_number(floor(t->seconds * 1e3 + 0.5) / 1e3);
    head.n = ANSWER_LAST;
    report_begin(&st->report, &head);
    report_rows(&st->report, &(struct report_list){.column = f.column,
                                                   .n_columns = f.n,
                                                   .n_rows = 1,
                                                   .cell = sink_metrics_cell,
                                                   .of = &f});
    report_end(&st->report);
    return out_flush(ctx, &st->out);
}

const struct leat_stage sink_metrics = {
    .name = "sink.metrics",
    .summary = "writes a learner's figures as JSON lines while it learns",
    .doc = metrics_doc,
    .example = "leat.sink.metrics { every = 100000, path = \"curve.jsonl\" }",
    .kind = LEAT_SINK,
    LEAT_PARAMS(params, struct asked),
    LEAT_INSTANCE(struct reports, out_open, out_close),
    .validate = asked_validate,
    .plan = out_plan,
    .start = sink_metrics_start,
    OUT_CALLS,
    .asker = LEAT_ROLE(leat_asker, .ask = asked_figures, .show = sink_metrics_show),
};
