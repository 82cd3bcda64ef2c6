/* file.c -- source.file: records of files, plain or compressed, and of standard input.
 *
 * This file has the parameters, the state and the functions of the stage. common/inputs/inputs.h
 * finds the files. common/inputs/stream.h and reader.h read their text. follow.h has files that
 * grow. records.h and core/text/framing.h find the records. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/inputs/wake_fd.h"
#include "common/state/state_fields.h"
#include "header.h"
#include "records.h"
#include "shuffle.h"
#include "sources/file/docs.h"

struct file_cfg {
    struct leat_strings path;
    int64_t max_record, window, repeat;
    int32_t follow, encoding;
    int64_t max_files;
    const char *record_start; /* NULL: each line is a record */
    int64_t idle, quiet;
    int32_t shuffle, format;
};

/* Values of `format`. AUTO: the first bytes and the name of a file show its coding. */
enum file_format { FILE_AUTO, FILE_CBOR, FILE_MSGPACK };
static const char *const file_formats[] = {"auto", "cbor", "msgpack", NULL};

/* Returns the coding of the items that the files have, or NULL. */
static const char *file_format_of(const struct file_cfg *cfg)
{
    return cfg->format == FILE_AUTO ? NULL : file_formats[cfg->format];
}

static const struct leat_param file_params[] = {
    INPUTS_PATH(offsetof(struct file_cfg, path)),
    LEAT_PARAM(struct file_cfg, max_record, LEAT_SIZE, .def = "1MiB", .min = 1 << 10,
               .max = 64 << 20, .unit = "bytes", .doc = "longer records are rejected and skipped"),
    INPUTS_WINDOW(offsetof(struct file_cfg, window)),
    LEAT_PARAM(struct file_cfg, repeat, LEAT_INT, .flags = LEAT_ADVANCED, .def = "1", .min = 1,
               .max = 1e6, .doc = "how many times to read all files; for measurements"),
    LEAT_PARAM(struct file_cfg, follow, LEAT_BOOL, .flags = LEAT_MAY_COME | LEAT_OPERATIONAL,
               .def = "false",
               .doc = "wait for more text at the end of each file, and for files that do not exist "
                      "yet; rotated files are also read to their end"),
    LEAT_PARAM(struct file_cfg, record_start, LEAT_STRING,
               .doc = "regular expression: each line that it matches begins a record, which has "
                      "the lines up to the next match; without it each line is a record"),
    LEAT_PARAM(
        struct file_cfg, idle, LEAT_DURATION, .flags = LEAT_ADVANCED, .def = "1s", .min = 0.01,
        .max = 3600, .only_with = "record_start",
        .doc = "with follow: a record of several lines ends when no line has come for this long"),
    LEAT_PARAM(struct file_cfg, quiet, LEAT_DURATION, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .def = "10s", .max = 86400, .unit = "seconds", .only_with = "follow",
               .doc = "how long windows wait for the next line of a file that was read to its end; "
                      "then the event times of the others count alone"),
    INPUTS_ENCODING(offsetof(struct file_cfg, encoding)),
    LEAT_PARAM(struct file_cfg, format, LEAT_CHOICE, .def = "auto", .choices = file_formats,
               .doc = "what the files hold if neither their first bytes nor their names (.cbor, "
                      ".msgpack) show it; they are read as JSON Lines"),
    LEAT_PARAM(struct file_cfg, shuffle, LEAT_BOOL, .def = "false",
               .doc = "deliver the records of all files in a pseudo-random order, which the seed "
                      "decides; only of plain files"),
    LEAT_PARAM(struct file_cfg, max_files, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .def = "256", .min = 1, .max = FOLLOW_MAX, .unit = "files", .only_with = "follow",
               .doc = "most files that are followed at a time, rotated ones included; each takes a "
                      "file descriptor"),
};

static void validate_shuffle(const struct file_cfg *cfg, bool standard_input, struct leat_diag *d)
{
    if (standard_input)
        d->error(d, "shuffle",
                 "reads a file twice, and standard input ('-') can be read only once: save it as a "
                 "file");
    if (cfg->follow)
        d->error(d, "shuffle",
                 "orders all records of a file, and a file that is followed never ends: leave out "
                 "one of the two");
    if (cfg->encoding) d->error(d, "shuffle", "needs text in UTF-8: convert the file (iconv)");
}

static void validate_format(const struct file_cfg *cfg, struct leat_diag *d)
{
    const char *format = file_format_of(cfg);
    if (cfg->encoding) d->error(d, "encoding", "is of texts, and texts of %s are UTF-8", format);
    if (cfg->follow || cfg->shuffle)
        d->error(d, "format", "%s has no lines, which %s needs: leave out one of the two", format,
                 cfg->follow ? "follow" : "shuffle");
}

static int file_validate(const void *config, struct leat_diag *d)
{
    const struct file_cfg *cfg = config;
    bool standard_input = inputs_validate(&cfg->path, d);
    if (standard_input && cfg->repeat > 1)
        d->error(d, "repeat", "standard input ('-') cannot be read again: set it to 1");
    if (cfg->shuffle) validate_shuffle(cfg, standard_input, d);
    if (cfg->format) validate_format(cfg, d);
    if (cfg->record_start) {
        char why[256];
        struct multiline *s = multiline_new(cfg->record_start, why);
        if (!s && why[0]) d->error(d, "record_start", "'%s' %s", cfg->record_start, why);
        multiline_free(s);
    }
    if (!cfg->follow) return LEAT_OK;
    follow_validate(&cfg->path, d);
    if (cfg->encoding)
        d->error(d, "encoding",
                 "a file that is followed must be UTF-8: convert it (iconv), or set follow = "
                 "false");
    if (cfg->repeat > 1)
        d->error(d, "repeat",
                 "a file that is followed never ends, so it is read only once: set it to 1");
    return LEAT_OK;
}

static int file_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct file_cfg *cfg = config;
    const struct leat_framing *f = n->framing;
    n->out->max_record_bytes = (uint32_t)cfg->max_record;
    if (cfg->shuffle) n->add_bounds(n, &(struct leat_bounds){.extents = UINT32_MAX});
    if (!cfg->record_start || !f || (f->kind == LEAT_LINES && !f->header)) return LEAT_OK;
    n->diag->error(n->diag, "record_start",
                   "works only with parsers of lines, such as parse.lines and parse.regex, because "
                   "CSV marks the ends of its records itself: leave it out");
    return LEAT_EARG;
}

static int file_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct file_cfg *cfg = config;
    p->work_bytes =
        2 * (uint64_t)cfg->max_record + (256 << 10) + STREAM_RAW_BYTES +
        (cfg->encoding ? sizeof(struct stream_coded) : 0) +
        (cfg->follow ? follow_bytes(cfg->max_files)
                     : inputs_decoder_bytes(&cfg->path, file_format_of(cfg), cfg->window));
    if (!cfg->shuffle) return LEAT_OK;
    uint64_t records;
    p->work_bytes += shuffle_bytes(&cfg->path, &records);
    snprintf(p->note, sizeof p->note, "index of some %llu records, 12 bytes each (shuffle)",
             (unsigned long long)records);
    return LEAT_OK;
}

static void file_close(struct leat_ctx *ctx, void *self)
{
    struct reader *r = self;
    shuffle_fini(ctx, r);
    reader_fini(ctx, r);
    multiline_free(r->multiline);
}

/* True if the event times of the files are kept apart. */
static bool file_marks(const struct reader *r)
{
    return r->mode == READER_INPUTS && r->inputs.n > 1 && !r->shuffle.fd && r->passes == 1;
}

static int file_open(struct leat_ctx *ctx, void *self)
{
    const struct file_cfg *cfg = ctx->cfg;
    struct reader *r = self;
    char why[256];
    struct multiline *m = cfg->record_start ? multiline_new(cfg->record_start, why) : NULL;
    if (cfg->record_start && !m) return LEAT_ENOMEM;
    int status =
        reader_init(ctx, r,
                    (struct reader_options){.paths = &cfg->path,
                                            .format = file_format_of(cfg),
                                            .window = cfg->window,
                                            .max_record = cfg->max_record,
                                            .passes = cfg->shuffle ? 1 : (uint32_t)cfg->repeat,
                                            .encoding = (enum recode_from)cfg->encoding,
                                            .multiline = m,
                                            .idle_ns = (uint64_t)cfg->idle,
                                            .quiet_ns = (uint64_t)cfg->quiet,
                                            .follow = cfg->follow ? cfg->max_files : 0});
    if (status != LEAT_OK) {
        multiline_free(m);
        return status;
    }
    if (m) framing_of_events(&r->framing, multiline_begins, m);
    if (cfg->shuffle) status = shuffle_init(ctx, r, (uint32_t)cfg->repeat);
    if (status != LEAT_OK) file_close(ctx, r);
    /* A run may be stopped before it reads. What it continues must not take the files as read. */
    if (status == LEAT_OK && file_marks(r)) ctx->host->open_inputs(ctx, 0);
    return status;
}

/* ---- records ---- */

static int file_header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    struct reader *r = self;
    enum reader_step s = STEP_MORE;
    *text = NULL;
    *len = 0;
    while (!r->header && s != STEP_DONE && s != STEP_STOPPED && s != STEP_FAILED) {
        if (s != STEP_ON)
            s = reader_more_text(ctx, r, true);
        else
            s = r->state == READER_MARK ? records_skip_mark(ctx, r) : header_take(ctx, r);
    }
    if (s == STEP_FAILED) return reader_report_failure(ctx, r);
    if (s == STEP_STOPPED) return LEAT_EOS;
    if (!header_lookahead(ctx, r)) return reader_report_failure(ctx, r);
    reader_note_done(r);
    if (r->header) {
        *text = r->header;
        *len = r->header_len;
    }
    return LEAT_OK;
}

static enum reader_step file_take_step(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    if (r->state == READER_BETWEEN) return STEP_MORE;
    if (r->state == READER_MARK) return records_skip_mark(ctx, r);
    if (r->state == READER_HEADER) return header_take(ctx, r);
    if (r->too_long.state != LONG_NONE) return records_take_long(ctx, r, b);
    return records_take(ctx, r, b);
}

/* Rejects the record that is being skipped as too long, because the run ends before the record
 * does. */
static int end_early(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    if (r->too_long.state != LONG_SKIPPING) return LEAT_EOS;
    r->too_long.state = LONG_FOUND;
    r->too_long.cut = true;
    (void)records_take_long(ctx, r, b);
    return b->n ? LEAT_OK : LEAT_EOS;
}

enum { LONG_BYTES = 16 << 20 }; /* bytes of one record to skip in one call */

/* True if this call of produce() has skipped LONG_BYTES of one record. The call then returns, so
 * that the run can be stopped. */
static bool is_endless(const struct reader *r, uint64_t from)
{
    return r->too_long.state == LONG_SKIPPING && r->offset - from > LONG_BYTES;
}

static int fill(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b)
{
    assert(r->from <= r->end && r->end <= r->cap);
    const bool marks = file_marks(r);
    bool room = !marks || reader_open_inputs(ctx, r); /* for more inputs that close */
    if (r->framing.max_record > b->cap_bytes) r->framing.max_record = b->cap_bytes;
    r->gap = true;
    if (!r->looked_ahead && !header_lookahead_damage(ctx, r)) return reader_report_failure(ctx, r);
    enum reader_step s = STEP_ON;
    uint64_t from = r->offset;
    if (r->shuffle.fd) s = shuffle_take(ctx, r, b);
    while (!r->shuffle.fd && room && (s == STEP_ON || s == STEP_MORE) && !is_endless(r, from)) {
        s = s == STEP_ON ? file_take_step(ctx, r, b) : reader_more_text(ctx, r, b->n == 0);
        room = !marks || reader_open_inputs(ctx, r);
    }
    if (r->mode != READER_INPUTS) follow_open_inputs(ctx, &r->follow);
    if (!r->shuffle.fd) reader_note_done(r);
    switch (s) {
    case STEP_STOPPED:
        if (r->mode == READER_INPUTS) return LEAT_EOS;
        return b->n ? LEAT_OK : LEAT_AGAIN; /* the next call finishes the files */
    case STEP_DONE:
        return LEAT_EOS;
    case STEP_REST:
        r->rest_due = true;
        return LEAT_LATER;
    case STEP_FAILED:
        return b->n ? LEAT_OK : reader_report_failure(ctx, r);
    default:
        return b->n ? LEAT_OK : LEAT_AGAIN;
    }
}

static int file_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct reader *r = self;
    bool stopping = ctx->host->stopping(ctx), follows = r->mode != READER_INPUTS;
    /* With --state the next run reads a line that is incomplete now, once it has a line end. */
    if (stopping && !follows && !ctx->continued) return end_early(ctx, r, b);
    if (stopping && (!follows || ctx->continued)) return LEAT_EOS;
    if (stopping) r->mode = READER_FINISHING;
    return fill(ctx, r, b);
}

static void file_wake(void *self) { wake_fd_ring(((struct reader *)self)->wake_fd); }

static int file_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    struct reader *r = self;
    if (r->mode != READER_INPUTS) ctx->host->metric(ctx, "behind_bytes", (double)reader_backlog(r));
    return LEAT_OK;
}

static int file_stop(struct leat_ctx *ctx, void *self)
{
    const struct reader *r = self;
    const char *first;
    uint64_t lines = r->multiline ? multiline_given_up(r->multiline, &first) : 0;
    if (lines > 1)
        ctx->host->log(ctx, LEAT_WARN,
                       "record_start took too many steps or too much memory on %llu lines: they "
                       "did not begin a record",
                       (unsigned long long)lines);
    return file_tick(ctx, self, 0);
}

static void file_progress(void *self, uint64_t *done, uint64_t *total)
{
    struct reader *r = self;
    *done = atomic_load_explicit(&r->done, memory_order_relaxed);
    *total = r->inputs.bytes * r->passes;
}

/* ---- state ---- */

enum { STATE_VERSION = 7, SHUFFLED = 2 /* value of the field `followed` */ };

#define AT(member) STATE_MEMBER(struct reader_location, member)
static const struct state_field file_fields[] = {
    {"inputs", STATE_VALUE, .at = AT(inputs)},
    {"behind", STATE_VALUE, .at = AT(behind)},
    {"input", STATE_VALUE, .at = AT(input), .limit = AT(inputs)},
    {"pass", STATE_VALUE, .at = AT(pass), .max = UINT32_MAX},
    {"offset", STATE_VALUE, .at = AT(offset)},
    {"line", STATE_VALUE, .at = AT(line)},
    {"head_bytes", STATE_VALUE, .at = AT(n_head), .max = FINGERPRINT_BYTES},
    {"head", STATE_LENT, .at = AT(head), .count = {AT(n_head)}},
    {"tail_end", STATE_VALUE, .at = AT(tail_at), .limit = AT(offset)},
    {"tail_bytes", STATE_VALUE, .at = AT(n_tail), .max = FINGERPRINT_BYTES},
    {"tail", STATE_LENT, .at = AT(tail), .count = {AT(n_tail)}},
};
#undef AT

static int file_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct reader *r = self;
    bool follows = r->mode != READER_INPUTS;
    int status = w->u64(w, "followed", r->shuffle.fd ? SHUFFLED : follows);
    if (status == LEAT_OK && follows) return reader_write_followed(r, w);
    if (status == LEAT_OK && r->shuffle.fd) return shuffle_write(r, w);
    if (inputs_seekable(ctx, &r->inputs) != LEAT_OK) return LEAT_EARG;
    struct reader_location at = reader_locate(r);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(file_fields), &at);
    return status == LEAT_OK ? inputs_write(&r->inputs, (uint32_t)at.input, w) : status;
}

static int file_restore(struct leat_ctx *ctx, void *self, struct leat_reader *from,
                        uint32_t version)
{
    const struct file_cfg *cfg = ctx->cfg;
    struct reader *r = self;
    struct reader_location at = {.inputs = 0};
    uint64_t followed = 0;
    int status = state_check_version(from, version, STATE_VERSION);
    if (status == LEAT_OK) status = from->u64(from, "followed", &followed);
    if (status == LEAT_OK && (followed == SHUFFLED) != (r->shuffle.fd != NULL))
        return from->refuse(from, "shuffle was %s when it was saved and is %s now",
                            followed == SHUFFLED ? "true" : "false",
                            followed == SHUFFLED ? "false" : "true");
    if (status == LEAT_OK && followed == SHUFFLED) return shuffle_read(r, from);
    if (status == LEAT_OK && followed) return reader_read_followed(ctx, r, &cfg->path, from);
    if (status == LEAT_OK) status = state_read(from, STATE_TABLE(file_fields), &at);
    if (status == LEAT_OK && r->mode != READER_INPUTS)
        return reader_seek_followed(ctx, r, at, from);
    if (status == LEAT_OK) status = inputs_same(&r->inputs, at.inputs, at.input, from);
    return status == LEAT_OK ? reader_seek(ctx, r, at) : status;
}

static const struct leat_figure file_figures[] = {
    {"behind_bytes", "bytes", "with follow: bytes that were written and not read yet", LEAT_GAUGE},
};

const struct leat_stage source_file = {
    .name = "source.file",
    .summary = "records of files, plain or compressed, and of standard input",
    .doc = file_doc,
    .example = "leat.source.file { path = \"logs/*.csv.gz\", max_record = \"64KiB\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(file_params, struct file_cfg),
    LEAT_FIGURES(file_figures),
    LEAT_INSTANCE(struct reader, file_open, file_close),
    .validate = file_validate,
    .negotiate = file_negotiate,
    .plan = file_plan,
    .tick = file_tick,
    .stop = file_stop,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .header = file_header,
                        .produce = file_produce, .progress = file_progress, .wake = file_wake),
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = file_snapshot,
                       .restore = file_restore),
};
