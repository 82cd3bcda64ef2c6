/* predictions.c -- sink.predictions: writes a learner's predictions, made before the example was
 * learned. */
#include "sinks/docs.h"
#include "record_lines.h"
#include "kernels/base/loss.h"

enum sink_predictions_format { TSV, CSV, JSONL };
static const char *const formats[] = {"tsv", "csv", "jsonl", NULL};

struct sink_predictions_cfg {
    struct out_cfg out;
    int32_t probability;
    int32_t heading;
    struct leat_strings columns;
};

static const struct leat_param params[] = {
    OUT_PARAMS,
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = formats, .def = "tsv",
               .doc = "tsv, csv or jsonl"),
    LEAT_PARAM(struct sink_predictions_cfg, probability, LEAT_BOOL, .def = "false",
               .doc = "write the probability of label +1 instead of its log odds"),
    LEAT_PARAM(struct sink_predictions_cfg, heading, LEAT_BOOL, .def = "true",
               .doc = "tsv, csv: begin with the names of the columns"),
    LEAT_PARAM(struct sink_predictions_cfg, columns, LEAT_STRINGS,
               .doc = "columns of the record to write after the prediction"),
};

static int sink_predictions_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct sink_predictions_cfg *cfg = config;
    if (cfg->probability && n->in->score != LEAT_SCORE_MARGIN)
        n->diag->error(n->diag, "probability",
                       "needs a learner whose scores are log odds, and the scores of this one are "
                       "not: leave it out");
    return columns_ask(n, "columns", &cfg->columns, false, LEAT_TAKES_ANY);
}

static int sink_predictions_plan(const void *config, const struct leat_schema *in,
                                 const struct leat_schema *out, struct leat_plan *p)
{
    const struct sink_predictions_cfg *cfg = config;
    int status = out_plan(config, in, out, p);
    p->work_bytes += cfg->columns.n * sizeof(uint32_t);
    return status;
}

static char sink_predictions_delimiter(const struct sink_predictions_cfg *cfg)
{
    return cfg->out.format == TSV ? '\t' : ',';
}

static int sink_predictions_open_predictions(struct leat_ctx *ctx, void *self)
{
    const struct sink_predictions_cfg *cfg = ctx->cfg;
    return column_file_open(ctx, self, &cfg->columns, false);
}

static int sink_predictions_start(struct leat_ctx *ctx, void *self)
{
    const struct sink_predictions_cfg *cfg = ctx->cfg;
    struct column_file *st = self;
    struct text_out *o = &st->out.text;
    int status = out_start(ctx, self);
    if (status < 0 || !cfg->heading || cfg->out.format == JSONL || !st->out.fresh) return status;
    text_str(o, "tag");
    text_char(o, sink_predictions_delimiter(cfg));
    text_str(o, cfg->probability ? "probability" : "score");
    text_char(o, sink_predictions_delimiter(cfg));
    text_str(o, "label");
    for (uint32_t i = 0; i < st->columns.n; i++) {
        text_char(o, sink_predictions_delimiter(cfg));
        columns_heading(o, &st->columns, i, sink_predictions_delimiter(cfg));
    }
    return out_line(ctx, &st->out);
}

/* Returns the line number of record r. If the input has no lines, returns its offset or message
 * number. */
static uint64_t sink_predictions_number_of(struct leat_ctx *ctx, const struct leat_batch *b,
                                           uint32_t r)
{
    const char *input;
    uint64_t offset, line;
    ctx->host->where(ctx, b, r, &input, &offset, &line);
    return line ? line : offset;
}

static void write_tag(struct leat_ctx *ctx, struct column_file *st, const struct leat_batch *b,
                      uint32_t r)
{
    const struct sink_predictions_cfg *cfg = ctx->cfg;
    struct text_out *o = &st->out.text;
    if (!b->key || b->key[r].len == LEAT_NULL)
        text_uint(o, sink_predictions_number_of(ctx, b, r));
    else if (cfg->out.format == JSONL)
        text_json(o, leat_text(b, b->key[r]), b->key[r].len);
    else
        columns_text(o, leat_text(b, b->key[r]), b->key[r].len, sink_predictions_delimiter(cfg));
}

/* Begins a field. In JSON, writes the field's name. */
static void begin_field(const struct sink_predictions_cfg *cfg, struct text_out *o,
                        const char *json)
{
    if (cfg->out.format == JSONL)
        text_str(o, json);
    else
        text_char(o, sink_predictions_delimiter(cfg));
}

static void write_number(const struct sink_predictions_cfg *cfg, struct text_out *o, float x)
{
    if (cfg->out.format == JSONL)
        text_json_float(o, x);
    else
        text_float(o, x);
}

static void write_prediction(struct leat_ctx *ctx, struct column_file *st,
                             const struct leat_batch *b, uint32_t e)
{
    const struct sink_predictions_cfg *cfg = ctx->cfg;
    struct text_out *o = &st->out.text;
    bool json = cfg->out.format == JSONL;
    uint32_t r = b->ex_record[e];
    float score = b->score[e];
    if (json) text_str(o, "{\"tag\":");
    write_tag(ctx, st, b, r);
    begin_field(cfg, o, cfg->probability ? ",\"probability\":" : ",\"score\":");
    write_number(cfg, o, cfg->probability ? (float)loss_sigmoid((double)score) : score);
    begin_field(cfg, o, ",\"label\":");
    if (json || !isnan(b->ex_label[e])) write_number(cfg, o, b->ex_label[e]);
    for (uint32_t i = 0; i < st->columns.n; i++) {
        begin_field(cfg, o, ",");
        if (json)
            columns_member(o, &st->columns, i, b, r);
        else
            columns_cell(o, &st->columns, i, b, r, sink_predictions_delimiter(cfg));
    }
    if (json) text_char(o, '}');
}

static int sink_predictions_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct column_file *st = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        write_prediction(ctx, st, b, e);
        int status = out_line(ctx, &st->out);
        if (status < 0) return status;
    }
    return out_flush(ctx, &st->out);
}

const struct leat_stage sink_predictions = {
    .name = "sink.predictions",
    .summary = "writes the prediction of every example",
    .doc = predictions_doc,
    .example = "leat.sink.predictions { path = \"out.csv\", format = \"csv\", probability = true }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_SCORE,
    LEAT_PARAMS(params, struct sink_predictions_cfg),
    LEAT_INSTANCE(struct column_file, sink_predictions_open_predictions, column_file_close),
    .validate = out_validate,
    .negotiate = sink_predictions_negotiate,
    .plan = sink_predictions_plan,
    .start = sink_predictions_start,
    .process = sink_predictions_process,
    OUT_CALLS,
};
