/* file.c -- sink.file: writes selected records as lines, raw or as columns. */
#include "record_lines.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

/* ---- the heading of a file to which a run appends ---- */

/* State of a comparison of text, which arrives in pieces, with the beginning of a file. */
struct sink_file_beginning {
    int fd;
    off_t at;
    bool differs;
};

static int sink_file_compare(void *to, const char *bytes, size_t n)
{
    struct sink_file_beginning *f = to;
    char held[512];
    for (size_t done = 0; done < n && !f->differs;) {
        size_t part = n - done < sizeof held ? n - done : sizeof held;
        ssize_t got = pread(f->fd, held, part, f->at);
        f->differs = got <= 0 || memcmp(held, bytes + done, (size_t)got) != 0;
        done += got > 0 ? (size_t)got : 0;
        f->at += got > 0 ? got : 0;
    }
    return 0;
}

/* Warns if the file to which the run appends does not begin with the heading of these columns. */
static void sink_file_check_heading(struct leat_ctx *ctx, const struct column_file *st,
                                    enum record_format format)
{
    char text[1024];
    struct sink_file_beginning f = {.fd = open(st->out.path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    struct text_out out = {.buf = text, .cap = sizeof text, .drain = sink_file_compare, .to = &f};
    if (f.fd < 0) return;
    record_lines_heading(&out, &st->columns, format);
    text_line(&out);
    text_flush(&out);
    close(f.fd);
    if (f.differs)
        ctx->host->log(ctx, LEAT_WARN,
                       "the first line of %s does not name the columns of these records, which "
                       "are added below it: give another path, or remove the file",
                       st->out.path);
}

static int sink_file_start(struct leat_ctx *ctx, void *self)
{
    enum record_format format = sink_file_format_of(ctx->cfg);
    struct column_file *st = self;
    bool fresh = st->out.fresh;
    int status = out_start(ctx, self);
    if (status != LEAT_OK || !record_lines_headed(format)) return status;
    if (!fresh) {
        sink_file_check_heading(ctx, st, format);
        return LEAT_OK;
    }
    record_lines_heading(&st->out.text, &st->columns, format);
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
