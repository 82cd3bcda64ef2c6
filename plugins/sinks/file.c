/* file.c -- sink.file: selected records as lines, raw or as columns. */
#include "record_lines.h"
#include "sinks/docs.h"

struct sink_file_cfg {
    struct out_cfg out;
    struct leat_strings columns;
};

static const struct leat_param params[] = {
    OUT_PARAMS,
    RECORD_LINES_PARAMS(struct sink_file_cfg),
};

static enum record_format sink_file_format_of(const struct sink_file_cfg *cfg)
{
    return (enum record_format)cfg->out.format;
}

static int sink_file_validate(const void *config, struct leat_diag *d)
{
    const struct sink_file_cfg *cfg = config;
    record_lines_validate(sink_file_format_of(cfg), &cfg->columns, d);
    return out_validate(config, d);
}

static int sink_file_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct sink_file_cfg *cfg = config;
    return record_lines_negotiate(sink_file_format_of(cfg), &cfg->columns, n);
}

static int sink_file_plan(const void *config, const struct leat_schema *in,
                          const struct leat_schema *out, struct leat_plan *p)
{
    int status = out_plan(config, in, out, p);
    p->work_bytes += in->n_columns * sizeof(uint32_t);
    return status;
}

static int sink_file_open_file(struct leat_ctx *ctx, void *self)
{
    const struct sink_file_cfg *cfg = ctx->cfg;
    return column_file_open(ctx, self, &cfg->columns, sink_file_format_of(cfg) != RECORD_RAW);
}

static int sink_file_start(struct leat_ctx *ctx, void *self)
{
    const struct sink_file_cfg *cfg = ctx->cfg;
    struct column_file *st = self;
    bool heading = record_lines_headed(sink_file_format_of(cfg)) && st->out.fresh;
    int status = out_start(ctx, self);
    if (status != LEAT_OK || !heading) return status;
    record_lines_heading(&st->out.text, &st->columns, sink_file_format_of(cfg));
    return out_line(ctx, &st->out);
}

static int sink_file_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct column_file *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        record_lines_record(&st->out.text, &st->columns, sink_file_format_of(ctx->cfg), b, r);
        int status = out_line(ctx, &st->out);
        if (status < 0) return status;
    }
    return out_flush(ctx, &st->out); /* a reader of the file waits for at most one batch */
}

const struct leat_stage sink_file = {
    .name = "sink.file",
    .summary = "writes records to a file, one a line",
    .doc = file_doc,
    .example = "leat.sink.file { path = \"late.csv\", format = \"csv\", columns = { \"carrier\", "
               "\"dep_delay\" } }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct sink_file_cfg),
    LEAT_INSTANCE(struct column_file, sink_file_open_file, column_file_close),
    .validate = sink_file_validate,
    .negotiate = sink_file_negotiate,
    .plan = sink_file_plan,
    .start = sink_file_start,
    .process = sink_file_process,
    OUT_CALLS,
};
