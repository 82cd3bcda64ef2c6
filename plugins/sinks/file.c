/* file.c -- sink.file: selected records as lines: the bytes that arrived, or their columns. */
#include "sinks/docs.h"
#include "column_file.h"

enum format { RAW, JSONL, CSV, TSV };
static const char *const formats[] = {"raw", "jsonl", "csv", "tsv", NULL};

struct cfg {
    struct out_cfg out;
    struct leat_strings columns;
};

static const struct leat_param params[] = {
    OUT_PARAMS,
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = formats, .def = "raw",
               .doc = "raw: each record as it arrived; else its columns"),
    LEAT_PARAM(struct cfg, columns, LEAT_STRINGS,
               .doc = "jsonl, csv, tsv: which columns, in this order; by default all"),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    if (cfg->out.format == RAW && cfg->columns.n)
        d->error(d, "columns",
                 "has a meaning only for jsonl, csv and tsv: raw writes records as they arrived");
    return out_validate(config, d);
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    if (cfg->out.format != RAW && !(n->in->has & LEAT_HAS_COLUMNS))
        n->diag->error(n->diag, "format",
                       "%s needs columns: put a parser that makes columns before this sink",
                       formats[cfg->out.format]);
    else if (cfg->out.format == RAW)
        columns_check_raw(n, "\"csv\" or \"jsonl\"");
    else
        columns_check(n, "columns", &cfg->columns);
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    int status = out_plan(config, in, out, p);
    p->work_bytes += in->n_columns * sizeof(uint32_t);
    return status;
}

static char delimiter(const struct cfg *cfg) { return cfg->out.format == TSV ? '\t' : ','; }

static int write_heading(struct leat_ctx *ctx, struct column_file *st)
{
    for (uint32_t i = 0; i < st->columns.n; i++) {
        if (i) text_char(&st->out.text, delimiter(ctx->cfg));
        columns_heading(&st->out.text, &st->columns, i, delimiter(ctx->cfg));
    }
    return out_line(ctx, &st->out);
}

static int open_file(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    return column_file_open(ctx, self, &cfg->columns, cfg->out.format != RAW);
}

static int start(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct column_file *st = self;
    bool heading = (cfg->out.format == CSV || cfg->out.format == TSV) && st->out.fresh;
    int status = out_start(ctx, self);
    return status == LEAT_OK && heading ? write_heading(ctx, st) : status;
}

static void write_record(const struct cfg *cfg, struct column_file *st, const struct leat_batch *b,
                         uint32_t r)
{
    struct text_out *o = &st->out.text;
    if (cfg->out.format == RAW) {
        if (b->raw[r].len != LEAT_NULL) text_bytes(o, leat_text(b, b->raw[r]), b->raw[r].len);
        return;
    }
    if (cfg->out.format == JSONL) text_char(o, '{');
    for (uint32_t i = 0; i < st->columns.n; i++) {
        if (i) text_char(o, delimiter(cfg));
        if (cfg->out.format == JSONL)
            columns_member(o, &st->columns, i, b, r);
        else
            columns_cell(o, &st->columns, i, b, r, delimiter(cfg));
    }
    if (cfg->out.format == JSONL) text_char(o, '}');
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct column_file *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        write_record(ctx->cfg, st, b, r);
        int status = out_line(ctx, &st->out);
        if (status < 0) return status;
    }
    return out_flush(ctx, &st->out); /* whoever reads the file waits for no more than a batch */
}

const struct leat_stage sink_file = {
    .name = "sink.file",
    .summary = "writes records to a file, one a line",
    .doc = file_doc,
    .example = "leat.sink.file { path = \"late.csv\", format = \"csv\", columns = { \"carrier\", "
               "\"dep_delay\" } }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct column_file, open_file, column_file_close),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .start = start,
    .process = process,
    OUT_CALLS,
};
