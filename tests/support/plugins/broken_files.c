/* broken_files.c -- sources and sinks of files that each break one law of `leat plugin test`.
 *
 * whole.bytes and whole.raw break none. tests/system/plugin_test.sh names each law. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <leat/plugin.h>

enum { BYTES = 4096, RECORD_MAX = 4096, WAIT_MS = 100, BUFFER = 512 };

struct cfg {
    const char *path;
};

/* ---- sources ---- */

static const struct leat_param source_params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_PATH, .flags = LEAT_REQUIRED | LEAT_READS_FILE,
               .doc = "what it reads"),
};

struct source {
    int fd;
    int ended;
    size_t at, n; /* bytes[at .. n) are not cut yet */
    char bytes[BYTES];
};

static int bound(const void *cfg, struct leat_negotiation *n)
{
    n->out->max_record_bytes = RECORD_MAX;
    return LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    p->work_bytes = LEAT_CUT_BYTES(RECORD_MAX);
    return LEAT_OK;
}

static int open_source(struct leat_ctx *ctx, void *self)
{
    const char *path = ((const struct cfg *)ctx->cfg)->path;
    const int fd = ((struct source *)self)->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return ctx->host->fail(ctx, LEAT_EIO, "%s cannot be opened", path);
    return ctx->host->name_input(ctx, 0, path);
}

static void close_source(struct leat_ctx *ctx, void *self) { close(((struct source *)self)->fd); }

static int refill(struct leat_ctx *ctx, struct source *st, int stop)
{
    struct pollfd ready[] = {{st->fd, POLLIN, 0}, {stop, POLLIN, 0}};
    poll(ready, 2, WAIT_MS);
    const ssize_t n = read(st->fd, st->bytes, BYTES);
    if (n < 0 && errno == EAGAIN) return LEAT_AGAIN;
    if (n < 0) return ctx->host->fail(ctx, LEAT_EIO, "it cannot be read");
    st->at = 0;
    st->n = (size_t)n;
    st->ended = n == 0;
    return LEAT_OK;
}

static int give(struct leat_ctx *ctx, struct source *st, struct leat_batch *b, int stop, int at_end)
{
    int status = LEAT_OK;
    while (status == LEAT_OK) {
        size_t taken;
        if (st->at == st->n && !st->ended) status = refill(ctx, st, stop);
        if (status != LEAT_OK) return b->n && status > 0 ? LEAT_OK : status;
        status = ctx->host->cut(ctx, b, 0, st->bytes + st->at, st->n - st->at, st->ended, &taken);
        st->at += taken;
        if (status == LEAT_OK && st->ended) return at_end;
    }
    return status == LEAT_EFULL ? LEAT_OK : status;
}

static int bytes(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return give(ctx, self, b, ctx->host->stop_fd(ctx), LEAT_EOS);
}

static int never_ends(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return give(ctx, self, b, ctx->host->stop_fd(ctx), LEAT_AGAIN);
}

static int deaf(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return give(ctx, self, b, -1, LEAT_EOS);
}

static int forgets_little(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    *(volatile char *)malloc(8) = 1;
    return bytes(ctx, self, b);
}

/* Waits for a header, but no longer than the run. */
static int header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    struct source *st = self;
    int status = LEAT_AGAIN;
    while (status == LEAT_AGAIN && !ctx->host->stopping(ctx)) {
        size_t taken = 0;
        if (st->at == st->n && !st->ended) status = refill(ctx, st, ctx->host->stop_fd(ctx));
        if (status >= 0 && (st->at < st->n || st->ended))
            status = ctx->host->cut_header(ctx, 0, st->bytes + st->at, st->n - st->at, st->ended,
                                           &taken, text, len);
        st->at += taken;
    }
    return status == LEAT_AGAIN ? LEAT_EOS : status;
}

static int header_waits(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    struct pollfd ready = {((struct source *)self)->fd, POLLIN, 0};
    poll(&ready, 1, -1);
    return header(ctx, self, text, len);
}

#define SOURCE(ID, NAME, PRODUCE, HEADER)                                                          \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a source for tests",                                                           \
        .doc = "It gives the records of a file.",                                                  \
        .example = "leat.stage(\"" NAME "\", { path = \"in.csv\" })",                              \
        .kind = LEAT_SOURCE,                                                                       \
        .makes = LEAT_HAS_RECORDS,                                                                 \
        LEAT_INSTANCE(struct source, open_source, close_source),                                   \
        LEAT_PARAMS(source_params, struct cfg),                                                    \
        .negotiate = bound,                                                                        \
        .plan = plan,                                                                              \
        .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .produce = PRODUCE,    \
                            .header = HEADER),                                                     \
    }
SOURCE(bytes, "whole.bytes", bytes, header);
SOURCE(never_ends, "broken.never_ends", never_ends, NULL);
SOURCE(deaf, "broken.deaf", deaf, NULL);
SOURCE(header_waits, "broken.header_waits", bytes, header_waits);
SOURCE(forgets_little, "broken.forgets_little", forgets_little, NULL);

/* ---- sinks ---- */

static const struct leat_param sink_params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_PATH, .flags = LEAT_REQUIRED | LEAT_WRITES_FILE,
               .doc = "what it writes"),
};

struct sink {
    FILE *file;
    char buffer[BUFFER];
};

static int open_at(struct leat_ctx *ctx, struct sink *st, const char *path)
{
    st->file = fopen(path, "ae");
    if (st->file) setvbuf(st->file, st->buffer, _IOFBF, BUFFER);
    return st->file ? LEAT_OK : ctx->host->fail(ctx, LEAT_EIO, "%s cannot be opened", path);
}

static int open_sink(struct leat_ctx *ctx, void *self)
{
    return open_at(ctx, self, ((const struct cfg *)ctx->cfg)->path);
}

static int open_elsewhere(struct leat_ctx *ctx, void *self)
{
    return open_at(ctx, self, "/dev/null");
}

static void close_sink(struct leat_ctx *ctx, void *self) { fclose(((struct sink *)self)->file); }

/* Leaves the contents of its buffer unwritten. */
static void close_only(struct leat_ctx *ctx, void *self) {}

static int raw(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        fprintf(((struct sink *)self)->file, "%.*s\n", (int)b->raw[r].len, leat_text(b, b->raw[r]));
    return LEAT_OK;
}

static int flush(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return fflush(((struct sink *)self)->file) ? LEAT_EIO : LEAT_OK;
}

#define SINK(ID, NAME, OPEN, CLOSE)                                                                \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a sink for tests",                                                             \
        .doc = "It writes what comes.",                                                            \
        .example = "leat.stage(\"" NAME "\", { path = \"out.txt\" })",                             \
        .kind = LEAT_SINK,                                                                         \
        .needs = LEAT_HAS_RECORDS,                                                                 \
        LEAT_PARAMS(sink_params, struct cfg),                                                      \
        LEAT_INSTANCE(struct sink, OPEN, CLOSE),                                                   \
        .process = raw,                                                                            \
        .barrier = flush,                                                                          \
    }
SINK(raw, "whole.raw", open_sink, close_sink);
SINK(elsewhere, "broken.elsewhere", open_elsewhere, close_sink);
SINK(keeps_last, "broken.keeps_last", open_sink, close_only);

LEAT_PLUGIN("broken_files", "1.0", "Apache-2.0", "sources and sinks that break laws", &s_bytes,
            &s_never_ends, &s_deaf, &s_header_waits, &s_forgets_little, &s_raw, &s_elsewhere,
            &s_keeps_last);
