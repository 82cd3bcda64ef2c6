/* top.c -- sink.top: the heaviest features of a learner, by name: for people, or as JSON or CSV.
 *
 * Nothing flows through this sink: it has no process(), it only asks. */
#include "sinks/docs.h"
#include "support/asked.h"
#include "support/reports.h"

struct cfg {
    const char *path;
    int32_t append;
    int32_t format;
    struct asked asked;
    const char *title;
};

struct top {
    struct out out;
    struct report report;
};

static const struct leat_param params[] = {
    ASKED_PARAMS(
        struct cfg, 1e6, "how many features to show, heaviest first", NULL,
        "how often: a time (\"10s\") or a number of examples; by default once, at the end"),
    REPORT_PARAM(struct cfg, "table",
                 "table: for people; jsonl: one object a report; csv: one line a feature"),
    LEAT_PARAM(struct cfg, title, LEAT_STRING, .def = "Heaviest features",
               .doc = "the title of the table"),
    OUT_PARAMS(struct cfg),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    out_validate(cfg->path, d);
    asked_validate(&cfg->asked, d);
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)config;
    (void)in;
    (void)out;
    p->work_bytes = OUT_BUFFER;
    return LEAT_OK;
}

static int ask(const void *config, struct leat_ask *a)
{
    return asked_top(&((const struct cfg *)config)->asked, a);
}

static int open_top(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct top *st = self;
    return out_open(ctx, &st->out, cfg->path, cfg->append);
}

static int start(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct top *st = self;
    int status = out_begin(ctx, &st->out);
    st->report = reports_to(&st->out, cfg->format, cfg->title);
    return status;
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    struct top *st = self;
    answer_report_top(&st->report, t);
    return out_flush(ctx, &st->out);
}

static void close_top(struct leat_ctx *ctx, void *self)
{
    out_close(ctx, &((struct top *)self)->out);
}

const struct leat_stage sink_top = {
    .name = "sink.top",
    .summary = "shows the heaviest features of a learner by name",
    .doc = top_doc,
    .example = "leat.sink.top { k = 20, every = \"10s\", title = \"What explains the outliers\" }",
    .kind = LEAT_SINK,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct top),
    .validate = validate,
    .plan = plan,
    .ask = ask,
    .open = open_top,
    .close = close_top,
    .start = start,
    .stop = out_stop,
    .barrier = out_barrier,
    .show = show,
    OUT_STATE,
};
