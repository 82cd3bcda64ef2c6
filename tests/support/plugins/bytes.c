/* bytes.c -- source.bytes: a file in pieces of some size, which the host cuts into records. */
#include <errno.h>
#include <stdio.h>

#include <leat/plugin.h>

struct cfg {
    const char *path;
    int64_t piece, max_record;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, path, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "the file"),
    LEAT_PARAM(struct cfg, piece, LEAT_INT, .def = "1", .min = 1, .max = 65536, .doc = "its size"),
    LEAT_PARAM(struct cfg, max_record, LEAT_SIZE, .def = "1KB", .min = 1, .max = 1e9, .doc = "…"),
};

struct bytes {
    FILE *file;
    size_t at, n; /* bytes of `piece`; the first `at` are taken */
    char piece[65536];
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->max_record_bytes = (uint32_t)((const struct cfg *)cfg)->max_record;
    return LEAT_OK;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    p->work_bytes = LEAT_CUT_BYTES(out->max_record_bytes);
    return LEAT_OK;
}

static int open_bytes(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct bytes *s = self;
    if (!(s->file = fopen(cfg->path, "rb")))
        return ctx->host->fail(ctx, LEAT_EIO, "%s: %s", cfg->path, strerror(errno));
    return ctx->host->name_input(ctx, 0, cfg->path);
}

static void close_bytes(struct leat_ctx *ctx, void *self) { fclose(((struct bytes *)self)->file); }

static void fill(struct leat_ctx *ctx, struct bytes *s)
{
    if (s->at < s->n) return;
    s->n = fread(s->piece, 1, (size_t)((const struct cfg *)ctx->cfg)->piece, s->file);
    s->at = 0;
}

static int header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    struct bytes *s = self;
    int status = LEAT_AGAIN;
    for (size_t taken; status == LEAT_AGAIN; s->at += taken) {
        fill(ctx, s);
        status =
            ctx->host->cut_header(ctx, 0, s->piece + s->at, s->n - s->at, !s->n, &taken, text, len);
    }
    return status;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct bytes *s = self;
    int status = LEAT_OK;
    for (size_t taken; status == LEAT_OK; s->at += taken) {
        fill(ctx, s);
        status = ctx->host->cut(ctx, b, 0, s->piece + s->at, s->n - s->at, !s->n, &taken);
        if (status == LEAT_OK && !s->n) return LEAT_EOS;
    }
    return status == LEAT_EFULL ? LEAT_OK : status;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    uint64_t offset, line;
    ctx->host->cut_place(ctx, 0, &offset, &line);
    w->u64(w, "offset", offset);
    return w->u64(w, "line", line);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    uint64_t offset, line;
    int status = r->u64(r, "offset", &offset);
    if (status == LEAT_OK) status = r->u64(r, "line", &line);
    if (status != LEAT_OK) return status;
    fseek(((struct bytes *)self)->file, (long)offset, SEEK_SET);
    ((struct bytes *)self)->n = 0;
    return ctx->host->cut_continue(ctx, 0, offset, line);
}

static const struct leat_stage source_bytes = {
    .name = "source.bytes",
    .summary = "a file in pieces",
    .doc = "A file in pieces of some size, which the host cuts.",
    .example = "leat.source.bytes { \"a.csv\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct bytes, open_bytes, close_bytes),
    .negotiate = negotiate,
    .plan = plan,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .produce = produce,
                        .header = header),
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
};
LEAT_PLUGIN("bytes", "1.0", "Apache-2.0", "test: a source of bytes", &source_bytes);
