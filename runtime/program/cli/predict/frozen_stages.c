/* frozen_stages.c -- the stages that `leat predict` adds to a saved pipeline (frozen.h).
 *
 * frozen.labels makes examples that a learner predicts and does not learn. frozen.sink writes one
 * line for each record to standard output:
 *
 *     {"tag":1,"score":-1.25,"probability":0.222700134,"label":-1}
 *     {"tag":2,"rejected":"number","message":"column 'age': 'x' is no number"}
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/exp.h"
#include "core/report/text_out.h"
#include "core/version.h"
#include "frozen.h"
#include "host/exec/trial/trial.h"

/* ---- frozen.labels ---- */

struct frozen_labels_cfg {
    struct leat_strings classes;
};

static const struct leat_param frozen_labels_params[] = {
    LEAT_PARAM(struct frozen_labels_cfg, classes, LEAT_STRINGS,
               .doc = "the names of the classes that the learner knows"),
};

static int frozen_labels_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct frozen_labels_cfg *cfg = config;
    n->out->n_classes = cfg->classes.n;
    n->out->classes = cfg->classes.v;
    return LEAT_OK;
}

static int frozen_labels_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    (void)ctx;
    (void)self;
    for (LEAT_EACH_RECORD(b, r))
        b->label[r] = b->weight[r] = 0;
    for (LEAT_EACH_EXAMPLE(b, e))
        b->ex_label[e] = b->ex_weight[e] = 0;
    return LEAT_OK;
}

static const struct leat_stage frozen_labels = {
    .name = "frozen.labels",
    .summary = "makes examples that are predicted and not learned",
    .doc = "Gives every example the label 0 and the importance weight 0.",
    .example = "leat.stage(\"frozen.labels\", {})",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_REWRITES,
    LEAT_FLOW(LEAT_HAS_EXAMPLES, LEAT_HAS_LABEL),
    LEAT_PARAMS(frozen_labels_params, struct frozen_labels_cfg),
    .instance_size = 1,
    .negotiate = frozen_labels_negotiate,
    .process = frozen_labels_process,
};

/* ---- frozen.sink ---- */

enum frozen_format { FROZEN_JSONL, FROZEN_CSV, FROZEN_TSV };
static const char *const frozen_formats[] = {"jsonl", "csv", "tsv", NULL};

struct frozen_sink_cfg {
    int32_t format;
};

static const struct leat_param frozen_sink_params[] = {
    LEAT_PARAM(struct frozen_sink_cfg, format, LEAT_CHOICE, .choices = frozen_formats,
               .def = "jsonl", .doc = "jsonl, csv or tsv"),
};

enum { FROZEN_RECORDS = 65536, FROZEN_BUFFER = 65536 }; /* most records of a batch */

struct frozen_sink {
    struct text_out out;
    char buf[FROZEN_BUFFER];
    uint32_t example[FROZEN_RECORDS]; /* 1 + example of each record of the batch; 0: none */
};

/* Columns of a prediction, by the kind of score; the tag comes before them. */
static const char *const frozen_columns[][3] = {
    [LEAT_SCORE_MARGIN] = {"score", "probability", "label"},
    [LEAT_SCORE_VALUE] = {"value"},
    [LEAT_SCORE_CLASS] = {"class", "name"},
    [LEAT_SCORE_DECISION] = {"score", "label"},
};
enum { FROZEN_COLUMNS = 3 };

static uint32_t frozen_sink_width(const struct leat_ctx *ctx)
{
    uint32_t n = 0;
    while (n < FROZEN_COLUMNS && frozen_columns[ctx->in->score][n])
        n++;
    return n;
}

static int frozen_sink_negotiate(const void *config, struct leat_negotiation *n)
{
    (void)config;
    if (n->in->examples_per_record > 1)
        n->diag->error(n->diag, NULL,
                       "an earlier stage may make %u examples of a record, such as "
                       "leat.feature.columns with explode, so a record has no single prediction",
                       n->in->examples_per_record);
    return LEAT_OK;
}

static int frozen_sink_open(struct leat_ctx *ctx, void *self)
{
    struct frozen_sink *st = self;
    (void)ctx;
    st->out = (struct text_out){
        .buf = st->buf, .cap = FROZEN_BUFFER, .drain = text_to_file, .to = stdout};
    return LEAT_OK;
}

/* Passes all text to standard output. Returns LEAT_OK, or LEAT_EIO after reporting it. */
static int frozen_sink_flush(struct leat_ctx *ctx, struct frozen_sink *st)
{
    int failed = text_flush(&st->out);
    if (!failed && fflush(stdout) == EOF) failed = errno;
    return failed ? ctx->host->fail(ctx, LEAT_EIO, "cannot write standard output: %s",
                                    strerror(failed))
                  : LEAT_OK;
}

static char frozen_delimiter(const struct leat_ctx *ctx)
{
    const struct frozen_sink_cfg *cfg = ctx->cfg;
    return cfg->format == FROZEN_TSV ? '\t' : cfg->format == FROZEN_CSV ? ',' : 0;
}

static int frozen_sink_start(struct leat_ctx *ctx, void *self)
{
    struct frozen_sink *st = self;
    const char d = frozen_delimiter(ctx);
    if (!d) return LEAT_OK;
    text_str(&st->out, "tag");
    for (uint32_t i = 0; i < frozen_sink_width(ctx); i++) {
        text_char(&st->out, d);
        text_str(&st->out, frozen_columns[ctx->in->score][i]);
    }
    text_char(&st->out, d);
    text_str(&st->out, "rejected");
    text_char(&st->out, d);
    text_str(&st->out, "message");
    text_line(&st->out);
    return frozen_sink_flush(ctx, st);
}

static void frozen_text_field(struct text_out *o, char d, const char *s, size_t n)
{
    if (!d)
        text_json(o, s, n);
    else if (d == '\t')
        text_tsv(o, s, n);
    else
        text_csv(o, s, n, d);
}

static void frozen_number(struct text_out *o, char d, float x)
{
    d ? text_float(o, x) : text_json_float(o, x);
}

/* Begins the field `name`. */
static void frozen_begin(struct text_out *o, char d, const char *name)
{
    text_char(o, d ? d : ',');
    if (d) return;
    text_char(o, '"');
    text_str(o, name);
    text_str(o, "\":");
}

/* Writes the key of the record; if it has none its line, or its number among the messages. */
static void frozen_tag(struct leat_ctx *ctx, struct text_out *o, const struct leat_batch *b,
                       uint32_t r)
{
    const char d = frozen_delimiter(ctx), *input;
    uint64_t offset, line;
    if (!d) text_str(o, "{\"tag\":");
    if (b->key && b->key[r].len != LEAT_NULL) {
        frozen_text_field(o, d, leat_text(b, b->key[r]), b->key[r].len);
        return;
    }
    ctx->host->where(ctx, b, r, &input, &offset, &line);
    text_uint(o, line ? line : offset);
}

static void frozen_class_name(const struct leat_ctx *ctx, struct text_out *o, char d, float z)
{
    const struct leat_schema *in = ctx->in;
    const char *name = z >= 0 && z < (float)in->n_classes ? in->classes[(uint32_t)z] : NULL;
    if (name)
        frozen_text_field(o, d, name, strlen(name));
    else if (!d)
        text_str(o, "null");
}

/* Writes one field of a prediction; z: the learner's score. */
static void frozen_field(const struct leat_ctx *ctx, struct text_out *o, char d, const char *name,
                         float z)
{
    frozen_begin(o, d, name);
    if (!strcmp(name, "name"))
        frozen_class_name(ctx, o, d, z);
    else if (!strcmp(name, "label"))
        text_int(o, z >= 0 ? 1 : -1);
    else if (!strcmp(name, "probability"))
        frozen_number(o, d, (float)(1 / (1 + exp_all(-(double)z))));
    else
        frozen_number(o, d, z);
}

/* Writes the reason why a record has no prediction. A line end in the text would break the line, so
 * it becomes a blank. */
static void frozen_no_prediction(struct text_out *o, char d, const char *reason, const char *text,
                                 size_t n)
{
    char message[1024];
    frozen_begin(o, d, "rejected");
    frozen_text_field(o, d, reason, strlen(reason));
    frozen_begin(o, d, "message");
    if (n > sizeof message) n = sizeof message;
    for (size_t i = 0; i < n; i++)
        message[i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
    frozen_text_field(o, d, message, n);
}

static void frozen_why(struct text_out *o, char d, const struct leat_batch *b, uint32_t r)
{
    static const char filtered[] = "a stage leaves this record out",
                      nothing[] = "no stage has made an example of this record";
    size_t n = 0;
    const char *reason = "unknown";
    /* The host's batch begins with that of the stages. */
    const char *text = trial_rejection((const struct hbatch *)b, r, &reason, &n);
    if (b->status[r] == LEAT_ROW_REJECTED)
        frozen_no_prediction(o, d, reason, text ? text : "", n);
    else if (b->status[r] == LEAT_ROW_FILTERED)
        frozen_no_prediction(o, d, "filtered", filtered, sizeof filtered - 1);
    else
        frozen_no_prediction(o, d, "no_example", nothing, sizeof nothing - 1);
}

static void frozen_record(struct leat_ctx *ctx, struct frozen_sink *st, const struct leat_batch *b,
                          uint32_t r)
{
    struct text_out *o = &st->out;
    const char d = frozen_delimiter(ctx);
    const uint32_t width = frozen_sink_width(ctx), e = st->example[r];
    frozen_tag(ctx, o, b, r);
    for (uint32_t i = 0; i < width && (e || d); i++)
        if (e)
            frozen_field(ctx, o, d, frozen_columns[ctx->in->score][i], b->score[e - 1]);
        else
            text_char(o, d);
    if (!e)
        frozen_why(o, d, b, r);
    else if (d)
        text_bytes(o, (const char[]){d, d}, 2);
    if (!d) text_char(o, '}');
    text_line(o);
}

static int frozen_sink_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct frozen_sink *st = self;
    memset(st->example, 0, b->n * sizeof *st->example);
    for (LEAT_EACH_EXAMPLE(b, e))
        st->example[b->ex_record[e]] = e + 1;
    for (uint32_t r = 0; r < b->n; r++)
        frozen_record(ctx, st, b, r);
    return frozen_sink_flush(ctx, st);
}

static const struct leat_stage frozen_sink = {
    .name = "frozen.sink",
    .summary = "writes one line for each record: its prediction, or why it has none",
    .doc = "Writes one line for each record to standard output.",
    .example = "leat.stage(\"frozen.sink\", { format = \"csv\" })",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_SCORE,
    LEAT_PARAMS(frozen_sink_params, struct frozen_sink_cfg),
    LEAT_INSTANCE(struct frozen_sink, frozen_sink_open, NULL),
    .negotiate = frozen_sink_negotiate,
    .start = frozen_sink_start,
    .process = frozen_sink_process,
};

static const struct leat_stage *const frozen_stages[] = {&frozen_labels, &frozen_sink};

const struct leat_plugin frozen_plugin = {
    .magic = LEAT_MAGIC,
    .abi_major = LEAT_ABI_MAJOR,
    .abi_minor = LEAT_ABI_MINOR,
    .size = sizeof(struct leat_plugin),
    .name = "frozen",
    .version = LEAT_VERSION,
    .license = "Apache-2.0",
    .summary = "stages of leat predict; built in",
    .n_stages = sizeof frozen_stages / sizeof *frozen_stages,
    .stage_size = sizeof(struct leat_stage),
    .stages = frozen_stages,
};
