/* typed.c -- columns of every type, and a sink that knows only text and numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

/* ---- shape.typed: columns made from a whole number x, the first column ---- */

static const struct {
    const char *name;
    uint32_t type;
} made[] = {{"i", LEAT_INT64}, {"y", LEAT_BYTES}, {"b", LEAT_BOOLEAN}, {"t", LEAT_TIME}};

struct typed {
    uint32_t x;
};

static int typed_negotiate(const void *config, struct leat_negotiation *n)
{
    uint32_t index;
    int status = n->column(n, NULL, "x", LEAT_TAKES_INT64, &index);
    for (int i = 0; i < 4; i++)
        n->add_column(n, made[i].name, 1, made[i].type, NULL);
    return status;
}

static int typed_open(struct leat_ctx *ctx, void *self)
{
    return ctx->host->column(ctx, "x", LEAT_TAKES_INT64, &((struct typed *)self)->x);
}

/* Fills the columns. A record with 0 has no values. */
static int typed_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const int64_t *x = b->column[((struct typed *)self)->x].int64;
    const union leat_cells *to = b->column + ctx->in->n_columns;
    for (LEAT_EACH_RECORD(b, r)) {
        to[0].int64[r] = x[r] ? x[r] + INT64_C(9007199254740992) : LEAT_NO_INT64;
        to[1].text[r] = x[r] ? b->raw[r] : (struct leat_str){0, LEAT_NULL};
        to[2].boolean[r] = x[r] ? x[r] % 2 : LEAT_NO_BOOLEAN;
        to[3].int64[r] = x[r] ? x[r] * 1000000000 : LEAT_NO_TIME;
    }
    return LEAT_OK;
}

static const struct leat_stage typed = {
    .name = "shape.typed",
    .summary = "columns of every type",
    .doc = "For tests.",
    .example = "leat.shape.typed {}",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS),
    LEAT_INSTANCE(struct typed, typed_open, NULL),
    .negotiate = typed_negotiate,
    .process = typed_process,
};

/* ---- sink.elder: knows only text and numbers ---- */

struct elder_cfg {
    const char *path;
    int32_t asks, reserved;
};

static const struct leat_param elder_params[] = {
    LEAT_PARAM(struct elder_cfg, path, LEAT_STRING, .flags = LEAT_POSITIONAL | LEAT_REQUIRED,
               .doc = "the file"),
    LEAT_PARAM(struct elder_cfg, asks, LEAT_BOOL, .def = "true", .doc = "for its columns"),
};

struct elder {
    FILE *file;
    uint32_t n, column[64];
};

enum { ELDER_TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER };

static int elder_negotiate(const void *config, struct leat_negotiation *n)
{
    uint32_t index;
    for (uint32_t i = 0; ((const struct elder_cfg *)config)->asks && i < n->in->n_columns; i++)
        n->column(n, NULL, n->in->column[i].name, ELDER_TAKES, &index);
    return LEAT_OK;
}

static int elder_open(struct leat_ctx *ctx, void *self)
{
    const struct elder_cfg *cfg = ctx->cfg;
    struct elder *st = self;
    st->n = ctx->in->n_columns;
    for (uint32_t i = 0; i < st->n; i++) {
        st->column[i] = i;
        if (cfg->asks &&
            ctx->host->column(ctx, ctx->in->column[i].name, ELDER_TAKES, &st->column[i]) != LEAT_OK)
            return LEAT_EARG;
    }
    st->file = fopen(cfg->path, "w");
    return st->file ? LEAT_OK : ctx->host->fail(ctx, LEAT_EIO, "no file");
}

static void elder_close(struct leat_ctx *ctx, void *self) { fclose(((struct elder *)self)->file); }

static void put(FILE *to, const struct leat_batch *b, union leat_cells cells, uint32_t type,
                uint32_t r)
{
    if (!type)
        fputs("?", to);
    else if (type == LEAT_NUMBER)
        fprintf(to, "%.17g", cells.number[r]);
    else if (cells.text[r].len != LEAT_NULL)
        fprintf(to, "'%.*s'", (int)cells.text[r].len, leat_text(b, cells.text[r]));
    fputc(' ', to);
}

static int elder_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct elder *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        for (uint32_t i = 0; i < st->n; i++)
            put(st->file, b, b->column[st->column[i]], ctx->in->column[st->column[i]].type, r);
        fputc('\n', st->file);
    }
    return LEAT_OK;
}

static const struct leat_stage elder = {
    .name = "sink.elder",
    .summary = "writes text and numbers",
    .doc = "For tests.",
    .example = "leat.sink.elder { 'a' }",
    .kind = LEAT_SINK,
    LEAT_FLOW(LEAT_HAS_COLUMNS, 0),
    LEAT_PARAMS(elder_params, struct elder_cfg),
    LEAT_INSTANCE(struct elder, elder_open, elder_close),
    .negotiate = elder_negotiate,
    .process = elder_process,
};

LEAT_PLUGIN("typed", "1", "Apache-2.0", "columns of every type", &typed, &elder);
