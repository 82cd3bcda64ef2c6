/* mystage.c -- sink.mystage: writes the columns of each record to a file, separated by tabs.
 *
 * To make it yours, change: process (takes the records), barrier (delivers all of them before a
 * checkpoint is complete), snapshot and restore (let a killed run continue without writing anything
 * twice). Compiles as C and as C++20. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

enum { COLUMNS_MAX = 256 };

struct cfg {
    const char *path;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_STRING,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_WRITES_FILE,
               .doc = "the file to write"),
};

struct sink {
    FILE *file;
    uint64_t written; /* bytes, including earlier runs that this one continues */
    uint32_t n;       /* number of columns */
    uint32_t column[COLUMNS_MAX];
};

/* Asks for all columns as text; the host converts other types. */
static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    uint32_t column;
    (void)cfg;
    if (n->in->n_columns > COLUMNS_MAX)
        n->diag->error(n->diag, NULL, "there are %u columns, and at most %d are possible",
                       n->in->n_columns, COLUMNS_MAX);
    for (uint32_t i = 0; i < n->in->n_columns && i < COLUMNS_MAX; i++)
        if (n->column(n, NULL, n->in->column[i].name, LEAT_TAKES_TEXT, &column) < 0)
            return LEAT_EARG;
    return LEAT_OK;
}

static int fail(struct leat_ctx *ctx)
{
    const char *path = ((const struct cfg *)ctx->cfg)->path;
    return ctx->host->fail(ctx, LEAT_EIO, "cannot write %s: %s", path, strerror(errno));
}

static int open_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *s = (struct sink *)self;
    for (; s->n < ctx->in->n_columns; s->n++)
        if (ctx->host->column(ctx, ctx->in->column[s->n].name, LEAT_TAKES_TEXT, &s->column[s->n]) <
            0)
            return LEAT_EARG;
    s->file = fopen(((const struct cfg *)ctx->cfg)->path, "a");
    return s->file ? ctx->host->sync_file(ctx, fileno(s->file)) : fail(ctx);
}

static void close_sink(struct leat_ctx *ctx, void *self)
{
    (void)ctx;
    fclose(((struct sink *)self)->file);
}

/* Cuts the file: to the bytes of the checkpoint after a restore, else to nothing. */
static int start(struct leat_ctx *ctx, void *self)
{
    struct sink *s = (struct sink *)self;
    if (ftruncate(fileno(s->file), (off_t)s->written) || fseeko(s->file, 0, SEEK_END))
        return fail(ctx);
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sink *s = (struct sink *)self;
    for (LEAT_EACH_RECORD(b, r)) {
        for (uint32_t i = 0; i < s->n; i++) {
            struct leat_str cell = b->column[s->column[i]].text[r];
            uint32_t n = cell.len == LEAT_NULL ? 0 : cell.len;
            if (n) fwrite(leat_text(b, cell), 1, n, s->file);
            putc(i + 1 < s->n ? '\t' : '\n', s->file);
            s->written += n + 1;
        }
    }
    return ferror(s->file) ? fail(ctx) : LEAT_OK;
}

static const struct leat_figure figures[] = {
    {"written_bytes", "bytes", "the file's length", LEAT_COUNTER}};

/* Delivers all records before it returns: at a checkpoint, and at the end. */
static int flush(struct leat_ctx *ctx, void *self)
{
    struct sink *s = (struct sink *)self;
    ctx->host->metric(ctx, "written_bytes", (double)s->written);
    return fflush(s->file) ? fail(ctx) : LEAT_OK;
}
static int barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    (void)checkpoint;
    return flush(ctx, self);
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct sink *s = (struct sink *)self;
    (void)ctx;
    return w->u64(w, "written", s->written);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct sink *s = (struct sink *)self;
    uint64_t written;
    (void)ctx, (void)version;
    if (r->u64(r, "written", &written)) return LEAT_EDATA;
    if (fseeko(s->file, 0, SEEK_END) || (uint64_t)ftello(s->file) < written)
        return r->refuse(r, "the file is shorter than the %llu bytes that were written",
                         (unsigned long long)written);
    s->written = written;
    return LEAT_OK;
}

static const struct leat_state state = {
    .size = sizeof(struct leat_state), .version = 1, .snapshot = snapshot, .restore = restore};

static const struct leat_stage sink_mystage = {
    .name = "sink.mystage",
    .summary = "records with tabs between their columns",
    .doc = "A run with --state that was killed continues, and the file has each record once.",
    .example = "leat.sink.mystage { \"out.tsv\" }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_FIGURES(figures),
    .instance_size = sizeof(struct sink),
    .negotiate = negotiate,
    .open = open_sink,
    .close = close_sink,
    .start = start,
    .stop = flush,
    .process = process,
    .barrier = barrier,
    .state = &state,
};

LEAT_PLUGIN("mystage", "0.1", "Apache-2.0", "records with tabs between", &sink_mystage);
