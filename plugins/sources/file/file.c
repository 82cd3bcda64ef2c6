/* file.c -- source.file: records of files, plain or compressed, and of standard input.
 *
 * Here: parameters, state, and the calls of the stage. Which files: support/inputs/inputs.h. Their
 * text: support/inputs/stream.h. Files that grow: follow.h. Records: reader.h and
 * base/text/framing.h. */
#include <string.h>

#include "reader.h"
#include "sources/file/docs.h"
#include "start.h"
#include "common/state/state_fields.h"

struct cfg {
    struct leat_strings path;
    int64_t max_record, window, repeat;
    int32_t follow, encoding;
    int64_t max_files;
    const char *record_start; /* NULL: each line is a record */
    int64_t idle;
};

static const struct leat_param params[] = {
    INPUTS_PATH(offsetof(struct cfg, path)),
    LEAT_PARAM(struct cfg, max_record, LEAT_SIZE, .def = "1MiB", .min = 1 << 10, .max = 64 << 20,
               .unit = "bytes", .doc = "longer records are rejected and skipped"),
    INPUTS_WINDOW(offsetof(struct cfg, window)),
    LEAT_PARAM(struct cfg, repeat, LEAT_INT, .flags = LEAT_ADVANCED, .def = "1", .min = 1,
               .max = 1e6, .doc = "how many times to read all files; for measurements"),
    LEAT_PARAM(struct cfg, follow, LEAT_BOOL, .flags = LEAT_MAY_COME | LEAT_OPERATIONAL,
               .def = "false",
               .doc = "wait for more text at the end of each file, and for files that do not exist "
                      "yet; rotated files are read to their end, too"),
    LEAT_PARAM(struct cfg, record_start, LEAT_STRING,
               .doc = "a regular expression: a record begins at each line in which it finds "
                      "something, and has the lines up to the next; without it each line is one"),
    LEAT_PARAM(struct cfg, idle, LEAT_DURATION, .flags = LEAT_ADVANCED, .def = "1s", .min = 0.01,
               .max = 3600, .only_with = "record_start",
               .doc = "with follow: a record of several lines ends when none has come for so long"),
    INPUTS_ENCODING(offsetof(struct cfg, encoding)),
    LEAT_PARAM(struct cfg, max_files, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .def = "256", .min = 1, .max = FOLLOW_MAX, .unit = "files", .only_with = "follow",
               .doc = "followed at a time at most, rotated ones among them; each takes a file "
                      "descriptor"),
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    if (inputs_validate(&cfg->path, d) && cfg->repeat > 1)
        d->error(d, "repeat", "standard input ('-') cannot be read again: set it to 1");
    if (cfg->record_start) {
        char why[256];
        struct start *s = start_new(cfg->record_start, why);
        if (!s && why[0]) d->error(d, "record_start", "'%s' %s", cfg->record_start, why);
        start_free(s);
    }
    if (!cfg->follow) return LEAT_OK;
    follow_validate(&cfg->path, d);
    if (cfg->encoding)
        d->error(d, "encoding",
                 "a file that is followed must be UTF-8: convert it (iconv), or set follow = "
                 "false");
    if (cfg->repeat > 1)
        d->error(d, "repeat",
                 "a file that is followed has no end to begin again after: set it to 1");
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    const struct leat_framing *f = n->framing;
    n->out->max_record_bytes = (uint32_t)cfg->max_record;
    if (!cfg->record_start || !f || (f->kind == LEAT_LINES && !f->header)) return LEAT_OK;
    n->diag->error(n->diag, "record_start",
                   "it is for parsers of lines, such as parse.lines and parse.regex: CSV says "
                   "itself where its records end. Leave it out");
    return LEAT_EARG;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    p->work_bytes = 2 * (uint64_t)cfg->max_record + (256 << 10) + STREAM_RAW_BYTES +
                    (cfg->encoding ? sizeof(struct stream_coded) : 0) +
                    (cfg->follow ? follow_bytes(cfg->max_files)
                                 : inputs_decoder_bytes(&cfg->path, cfg->window));
    return LEAT_OK;
}

static int open_all(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    return reader_init(ctx, self,
                       (struct reader_options){.paths = &cfg->path,
                                               .window = cfg->window,
                                               .max_record = cfg->max_record,
                                               .passes = (uint32_t)cfg->repeat,
                                               .encoding = (enum recode_from)cfg->encoding,
                                               .record_start = cfg->record_start,
                                               .idle_ns = (uint64_t)cfg->idle,
                                               .follow = cfg->follow ? cfg->max_files : 0});
}

static void close_all(struct leat_ctx *ctx, void *self) { reader_fini(ctx, self); }

static int header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    return reader_header(ctx, self, text, len);
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct reader *r = self;
    bool stopping = ctx->host->stopping(ctx);
    /* With --state the next run reads a line that has no end yet, when it has one. */
    if (stopping && !r->follows && !ctx->continued) return reader_end(ctx, r, b);
    if (stopping && (!r->follows || ctx->continued)) return LEAT_EOS;
    r->finishing |= stopping;
    return reader_fill(ctx, r, b);
}

static void wake(void *self) { reader_wake(self); }

static int tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    struct reader *r = self;
    if (r->follows) ctx->host->metric(ctx, "behind_bytes", (double)reader_behind(r));
    return LEAT_OK;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    const struct reader *r = self;
    const char *first;
    uint64_t lines = r->start ? start_given_up(r->start, &first) : 0;
    if (lines > 1)
        ctx->host->log(ctx, LEAT_WARN,
                       "record_start was given up on %llu lines, which began no record",
                       (unsigned long long)lines);
    return tick(ctx, self, 0);
}

static void progress(void *self, uint64_t *done, uint64_t *total)
{
    struct reader *r = self;
    *done = atomic_load_explicit(&r->done, memory_order_relaxed);
    *total = r->inputs.bytes * r->passes;
}

/* ---- state ---- */

enum { STATE_VERSION = 6 };

#define AT(member) STATE_MEMBER(struct reader_location, member)
static const struct state_field fields[] = {
    {"inputs", STATE_VALUE, .at = AT(inputs)},
    {"input", STATE_VALUE, .at = AT(input), .limit = AT(inputs)},
    {"pass", STATE_VALUE, .at = AT(pass), .max = UINT32_MAX},
    {"offset", STATE_VALUE, .at = AT(offset)},
    {"line", STATE_VALUE, .at = AT(line)},
    {"head_bytes", STATE_VALUE, .at = AT(n_head), .max = READER_HEAD},
    {"head", STATE_LENT, .at = AT(head), .count = {AT(n_head)}},
};
#undef AT

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct reader *r = self;
    int status = w->u64(w, "followed", r->follows);
    if (status == LEAT_OK && r->follows) return reader_write_followed(r, w);
    if (inputs_seekable(ctx, &r->inputs) != LEAT_OK) return LEAT_EARG;
    struct reader_location at = reader_tell(r);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(fields), &at);
    return status == LEAT_OK ? inputs_write(&r->inputs, (uint32_t)at.input, w) : status;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *from, uint32_t version)
{
    const struct cfg *cfg = ctx->cfg;
    struct reader *r = self;
    struct reader_location at = {.inputs = 0};
    uint64_t followed = 0;
    int status = state_check_version(from, version, STATE_VERSION);
    if (status == LEAT_OK) status = from->u64(from, "followed", &followed);
    if (status == LEAT_OK && followed) return reader_read_followed(ctx, r, &cfg->path, from);
    if (status == LEAT_OK) status = state_read(from, STATE_TABLE(fields), &at);
    if (status == LEAT_OK && r->follows) return reader_seek_followed(ctx, r, at, from);
    if (status == LEAT_OK) status = inputs_same(&r->inputs, at.inputs, at.input, from);
    return status == LEAT_OK ? reader_seek(ctx, r, at) : status;
}

static const struct leat_figure figures[] = {
    {"behind_bytes", "bytes", "with follow: what was written and not read yet", LEAT_GAUGE},
};

const struct leat_stage source_file = {
    .name = "source.file",
    .summary = "records of files, plain or compressed, and of standard input",
    .doc = file_doc,
    .example = "leat.source.file { path = \"logs/*.csv.gz\", max_record = \"64KiB\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(struct reader, open_all, close_all),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .tick = tick,
    .stop = stop,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .header = header,
                        .produce = produce, .progress = progress, .wake = wake),
    .state =
        LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = snapshot, .restore = restore),
};
