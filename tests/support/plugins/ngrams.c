/* ngrams.c -- feature.ngrams: an example of each n bytes of a column's text; keeps earlier
 * examples. */
#include <stdio.h>

#include <leat/plugin.h>

struct cfg {
    const char *column;
    int64_t n;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, column, LEAT_STRING, .flags = LEAT_POSITIONAL, .def = "text",
               .doc = "the column"),
    LEAT_PARAM(struct cfg, n, LEAT_INT, .def = "1", .min = 1, .max = 16, .doc = "bytes of a gram"),
};

struct ngrams {
    uint32_t column;
};

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *c = config;
    uint32_t column;
    n->add_bounds(n, &(struct leat_bounds){.examples_per_record = 1, .entries_per_256_bytes = 256});
    return n->column(n, "column", c->column, LEAT_TAKES_TEXT, &column);
}

static int open_ngrams(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    struct ngrams *st = self;
    while (strcmp(ctx->in->column[st->column].name, c->column) != 0)
        st->column++;
    return LEAT_OK;
}

static int add_gram(struct leat_batch *b, struct leat_str gram)
{
    uint64_t id = 0;
    for (uint32_t i = 0; i < gram.len; i++)
        id = id * 257 + (unsigned char)leat_text(b, gram)[i] + 1;
    uint32_t part = leat_add_part(b, LEAT_NO_FIELD, gram);
    int i = part ? leat_add_entry(b, id, 1.0f) : LEAT_EFULL;
    if (i >= 0) b->name[i] = (struct leat_name){{part}};
    return i;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    const struct ngrams *st = self;
    uint32_t n = (uint32_t)c->n;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str text = b->column[st->column].text[r];
        int status = leat_add_example(b, r);
        for (uint32_t i = 0; status >= 0 && text.len != LEAT_NULL && i + n <= text.len; i++)
            status = add_gram(b, (struct leat_str){text.off + i, n});
        if (status < 0) return ctx->host->fail(ctx, status, "there is no room for record %u", r);
    }
    return LEAT_OK;
}

static const struct leat_stage feature_ngrams = {
    .name = "feature.ngrams",
    .summary = "bytes that follow each other",
    .doc = "An example of the n bytes that begin at each byte of a text.",
    .example = "leat.feature.ngrams { \"text\", n = 3 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES),
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct ngrams, open_ngrams, NULL),
    .negotiate = negotiate,
    .process = process,
};
LEAT_PLUGIN("ngrams", "1.0", "Apache-2.0", "test: examples beside examples", &feature_ngrams);
