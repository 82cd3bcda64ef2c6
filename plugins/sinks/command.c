/* command.c -- sink.command: writes records as lines to the standard input of a command. */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#include "child.h"
#include "record_lines.h"
#include "sinks/docs.h"

struct sink_command_cfg {
    struct out_cfg out; /* only out.format is used */
    const char *command;
    struct leat_strings columns;
};

struct command {
    struct text_out text;
    struct columns columns;
    struct child child;
    bool failed; /* true after a failure that was reported to the host */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct sink_command_cfg, command, LEAT_STRING,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "command for /bin/sh -c: \"gzip >out.gz\", \"ssh host 'cat >>alerts'\""),
    RECORD_LINES_PARAMS(struct sink_command_cfg),
};

static enum record_format sink_command_format_of(const struct sink_command_cfg *cfg)
{
    return (enum record_format)cfg->out.format;
}

static int sink_command_validate(const void *config, struct leat_diag *d)
{
    const struct sink_command_cfg *cfg = config;
    if (!cfg->command[0])
        d->error(d, "command", "is empty: write a command, such as \"gzip >out.gz\"");
    record_lines_validate(sink_command_format_of(cfg), &cfg->columns, d);
    return LEAT_OK;
}

static int sink_command_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct sink_command_cfg *cfg = config;
    return record_lines_negotiate(sink_command_format_of(cfg), &cfg->columns, n);
}

static int sink_command_plan(const void *config, const struct leat_schema *in,
                             const struct leat_schema *out, struct leat_plan *p)
{
    p->work_bytes = OUT_BUFFER + in->n_columns * sizeof(uint32_t);
    return LEAT_OK;
}

/* ---- the command ---- */

static int sink_command_drain(void *to, const char *bytes, size_t n)
{
    return child_write(to, bytes, n);
}

static int open_command(struct leat_ctx *ctx, void *self)
{
    const struct sink_command_cfg *cfg = ctx->cfg;
    struct command *st = self;
    int status = columns_open(ctx, &st->columns, &cfg->columns,
                              sink_command_format_of(cfg) != RECORD_RAW, LEAT_TAKES_ANY);
    if (status != LEAT_OK) return status;
    char *buf = ctx->host->alloc(ctx, OUT_BUFFER);
    st->text = (struct text_out){
        .buf = buf, .cap = OUT_BUFFER, .drain = sink_command_drain, .to = &st->child};
    if (buf) return LEAT_OK;
    columns_close(ctx, &st->columns);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for an output buffer");
}

static void close_command(struct leat_ctx *ctx, void *self)
{
    struct command *st = self;
    columns_close(ctx, &st->columns);
    ctx->host->free(ctx, st->text.buf);
}

static void describe_end(const struct child *c, char *text, size_t n)
{
    if (WIFSIGNALED(c->status))
        snprintf(text, n, "ended by signal %d", WTERMSIG(c->status));
    else
        snprintf(text, n, "ended with exit status %d", WEXITSTATUS(c->status));
}

/* Fails because the command has ended. The message says whether it ended normally, too early or
 * with an error. */
static int fail_of(struct leat_ctx *ctx, struct command *st, const char *when)
{
    const struct sink_command_cfg *cfg = ctx->cfg;
    const char *said = st->child.last;
    char how[64];
    describe_end(&st->child, how, sizeof how);
    st->failed = true;
    return ctx->host->fail(ctx, LEAT_EIO, "'%s' %s%s%s%s", cfg->command, how, when,
                           *said ? ": " : "", said);
}

static int fail_late(struct leat_ctx *ctx, struct command *st)
{
    st->failed = true;
    return ctx->host->fail(ctx, LEAT_EIO,
                           "'%s' did not take its records in time while the run stopped",
                           ((const struct sink_command_cfg *)ctx->cfg)->command);
}

static int end_command(struct leat_ctx *ctx, struct command *st)
{
    return child_end(&st->child) ? LEAT_OK : fail_late(ctx, st);
}

static int sink_command_flush(struct leat_ctx *ctx, struct command *st)
{
    int failed = text_flush(&st->text);
    if (!failed) return LEAT_OK;
    if (st->failed) return LEAT_EIO;
    if (failed == ETIMEDOUT) return fail_late(ctx, st);
    int status = end_command(ctx, st);
    return status < 0 ? status : fail_of(ctx, st, " before it took all records");
}

static int sink_command_start(struct leat_ctx *ctx, void *self)
{
    const struct sink_command_cfg *cfg = ctx->cfg;
    struct command *st = self;
    int status = child_start(ctx, &st->child, cfg->command);
    if (status != LEAT_OK || !record_lines_headed(sink_command_format_of(cfg))) return status;
    record_lines_heading(&st->text, &st->columns, sink_command_format_of(cfg));
    text_line(&st->text);
    return LEAT_OK;
}

static int sink_command_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct command *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        record_lines_record(&st->text, &st->columns, sink_command_format_of(ctx->cfg), b, r);
        text_line(&st->text);
    }
    return sink_command_flush(ctx, st);
}

/* Logs the lines that the command has written to standard error. */
static int sink_command_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    child_hear(&((struct command *)self)->child);
    return LEAT_OK;
}

static int sink_command_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return sink_command_flush(ctx, self);
}

static int sink_command_stop(struct leat_ctx *ctx, void *self)
{
    struct command *st = self;
    int status = st->failed ? LEAT_OK : sink_command_flush(ctx, st);
    if (status < 0 || !st->child.pid) return status;
    status = end_command(ctx, st);
    if (status < 0 || st->failed || !st->child.status) return status;
    return fail_of(ctx, st, "");
}

const struct leat_stage sink_command = {
    .name = "sink.command",
    .summary = "writes records to a command, one a line",
    .doc = command_doc,
    .example = "leat.sink.command { \"mail -s alerts ops\", format = \"csv\" }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct sink_command_cfg),
    LEAT_INSTANCE(struct command, open_command, close_command),
    .validate = sink_command_validate,
    .negotiate = sink_command_negotiate,
    .plan = sink_command_plan,
    .start = sink_command_start,
    .process = sink_command_process,
    .tick = sink_command_tick,
    .barrier = sink_command_barrier,
    .stop = sink_command_stop,
};
