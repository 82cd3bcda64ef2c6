/* mystage.c -- source.mystage: records from the bytes of a file or pipe, which the host cuts.
 *
 * To make it yours, replace open, read and lseek with the calls for your bytes (a socket, a serial
 * line). For records that do not come as bytes use leat_add_record_at. Compiles as C and as
 * C++20. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

enum { BYTES = 65536, RECORD_MAX = 65536, WAIT_MS = 100 };

struct cfg {
    const char *path;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_STRING,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_READS_FILE,
               .doc = "the file to read"),
};

struct source {
    int fd; /* descriptor + 1; 0: none */
    int ended;
    size_t at, n; /* bytes[at .. n) are not cut yet */
    char *bytes;
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    (void)cfg;
    n->out->max_record_bytes = RECORD_MAX;
    return LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)cfg, (void)in, (void)out;
    p->work_bytes = BYTES + LEAT_CUT_BYTES(RECORD_MAX);
    return LEAT_OK;
}

static int open_source(struct leat_ctx *ctx, void *self)
{
    struct source *s = (struct source *)self;
    const char *path = ((const struct cfg *)ctx->cfg)->path;
    s->bytes = (char *)ctx->host->alloc(ctx, BYTES);
    if (!s->bytes) return LEAT_ENOMEM;
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) + 1;
    if (!s->fd) return ctx->host->fail(ctx, LEAT_EIO, "cannot open %s: %s", path, strerror(errno));
    return ctx->host->name_input(ctx, 0, path);
}

static void close_source(struct leat_ctx *ctx, void *self)
{
    (void)ctx;
    close(((struct source *)self)->fd - 1);
}

/* Reads more bytes into an empty buffer. Returns LEAT_AGAIN if there are none yet, after a wait no
 * longer than allowed. */
static int refill(struct leat_ctx *ctx, struct source *s)
{
    struct pollfd ready[2] = {{s->fd - 1, POLLIN, 0}, {ctx->host->stop_fd(ctx), POLLIN, 0}};
    poll(ready, 2, WAIT_MS);
    const ssize_t n = read(s->fd - 1, s->bytes, BYTES);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return LEAT_AGAIN;
    if (n < 0) return ctx->host->fail(ctx, LEAT_EIO, "cannot read: %s", strerror(errno));
    s->at = 0;
    s->n = (size_t)n;
    s->ended = n == 0;
    return LEAT_OK;
}

static int header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    struct source *s = (struct source *)self;
    int status = LEAT_AGAIN;
    while (status == LEAT_AGAIN && !ctx->host->stopping(ctx)) {
        size_t taken = 0;
        if (s->at == s->n && !s->ended) status = refill(ctx, s);
        if (status >= 0 && (s->at < s->n || s->ended))
            status = ctx->host->cut_header(ctx, 0, s->bytes + s->at, s->n - s->at, s->ended, &taken,
                                           text, len);
        s->at += taken;
    }
    return status == LEAT_AGAIN ? LEAT_EOS : status;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *s = (struct source *)self;
    for (;;) {
        size_t taken;
        int status = s->at == s->n && !s->ended ? refill(ctx, s) : LEAT_OK;
        if (status != LEAT_OK) return b->n ? (status < 0 ? status : LEAT_OK) : status;
        status = ctx->host->cut(ctx, b, 0, s->bytes + s->at, s->n - s->at, s->ended, &taken);
        if (status < 0 && status != LEAT_EFULL) return status;
        s->at += taken;
        if (status == LEAT_EFULL) return LEAT_OK;
        if (s->ended) return LEAT_EOS;
    }
}

/* Saves the place of the next record. Records that were cut are in the snapshot already. */
static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    uint64_t offset, line;
    (void)self;
    ctx->host->cut_place(ctx, 0, &offset, &line);
    w->u64(w, "offset", offset);
    return w->u64(w, "line", line);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct source *s = (struct source *)self;
    uint64_t offset, line;
    (void)version;
    if (r->u64(r, "offset", &offset) || r->u64(r, "line", &line)) return LEAT_EDATA;
    if (lseek(s->fd - 1, (off_t)offset, SEEK_SET) < 0)
        return r->refuse(r, "the file cannot be read from byte %llu: %s",
                         (unsigned long long)offset, strerror(errno));
    s->at = s->n = 0;
    s->ended = 0;
    return ctx->host->cut_continue(ctx, 0, offset, line);
}

static const struct leat_source source = {.size = sizeof(struct leat_source),
                                          .framings = LEAT_FRAMINGS_OF_TEXT,
                                          .produce = produce,
                                          .header = header};
static const struct leat_state state = {
    .size = sizeof(struct leat_state), .version = 1, .snapshot = snapshot, .restore = restore};

static const struct leat_stage source_mystage = {
    .name = "source.mystage",
    .summary = "records of a file",
    .doc =
        "Reads a file or pipe to its end. A run with --state continues at the exact next record.",
    .example = "leat.source.mystage { \"in.csv\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct source),
    .negotiate = negotiate,
    .plan = plan,
    .open = open_source,
    .close = close_source,
    .source = &source,
    .state = &state,
};

LEAT_PLUGIN("mystage", "0.1", "Apache-2.0", "records of a file", &source_mystage);
