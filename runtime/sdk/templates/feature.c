/* mystage.c -- feature.mystage: the n-grams of characters of a text column, as features.
 *
 * To make it yours, change: cfg and params (settings of a script), negotiate (columns to read, and
 * bounds of the output), process (the work on each record). Compiles as C and as C++20. */
#include <string.h>

#include <leat/helpers.h>
#include <leat/plugin.h>

struct cfg {
    const char *column;
    int64_t n;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, column, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "the column with the text"),
    LEAT_PARAM(struct cfg, n, LEAT_INT, .def = "3", .min = 1, .max = 8, .unit = "characters",
               .doc = "length of an n-gram; shorter texts are one"),
};

/* State of a lane. Begins zeroed. */
struct grams {
    uint32_t column; /* index */
    uint32_t field;  /* of the names, as in "city=ber" */
};

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = (const struct cfg *)config;
    uint32_t column;
    int status = n->column(n, "column", cfg->column, LEAT_TAKES_TEXT, &column);
    if (status < 0) return status; /* already reported */
    int field = n->add_field(n, cfg->column);
    if (field < 0) return field;
    struct leat_bounds most = {0};
    most.examples_per_record = 1;
    most.entries_per_256_bytes = 256; /* at most one n-gram begins at each byte */
    n->add_bounds(n, &most);
    return LEAT_OK;
}

static int open_grams(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = (const struct cfg *)ctx->cfg;
    struct grams *g = (struct grams *)self;
    g->field = ctx->out->n_fields - 1; /* added by negotiate */
    return ctx->host->column(ctx, cfg->column, LEAT_TAKES_TEXT, &g->column);
}

/* Returns the end of the n-gram that begins at `at`, which is at most the end of the text. */
static uint32_t gram_end(const char *text, uint32_t len, uint32_t at, int64_t n)
{
    while (n-- > 0 && at < len)
        at += leat_utf8_step(text + at, len - at);
    return at;
}

static int add_gram(struct leat_ctx *ctx, const struct grams *g, struct leat_batch *b,
                    struct leat_str gram)
{
    const char *field = ctx->out->fields[g->field];
    uint64_t id = ctx->host->feature_id(field, strlen(field), leat_text(b, gram), gram.len);
    uint32_t part = leat_add_part(b, g->field, gram);
    int i = leat_add_entry(b, id, 1);
    if (i < 0 || !part) return LEAT_EFULL;
    b->name[i].part[0] = part;
    b->name[i].part[1] = b->name[i].part[2] = 0;
    return LEAT_OK;
}

static int add_example(struct leat_ctx *ctx, const struct grams *g, struct leat_batch *b,
                       uint32_t r)
{
    const struct cfg *cfg = (const struct cfg *)ctx->cfg;
    struct leat_str cell = b->column[g->column].text[r];
    uint32_t len = cell.len == LEAT_NULL ? 0 : cell.len, end = 0;
    int status = leat_add_example(b, r);
    for (uint32_t at = 0; at < len && end < len && status >= 0;) {
        const char *text = leat_text(b, cell);
        end = gram_end(text, len, at, cfg->n);
        struct leat_str gram = {cell.off + at, end - at};
        status = add_gram(ctx, g, b, gram);
        at += leat_utf8_step(text + at, len - at);
    }
    return status < 0 ? status : LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r)) {
        int status = add_example(ctx, (const struct grams *)self, b, r);
        if (status < 0) return ctx->host->fail(ctx, status, "more n-grams than negotiate has said");
    }
    return LEAT_OK;
}

static const struct leat_stage feature_mystage = {
    .name = "feature.mystage",
    .summary = "n-grams of characters",
    .doc = "Each run of n characters of the column becomes a feature of value 1, named column=run.",
    .example = "leat.feature.mystage { \"city\", n = 3 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES),
    LEAT_PARAMS(params, struct cfg),
    .instance_size = sizeof(struct grams),
    .negotiate = negotiate,
    .open = open_grams,
    .process = process,
};

LEAT_PLUGIN("mystage", "0.1", "Apache-2.0", "n-grams of characters", &feature_mystage);
