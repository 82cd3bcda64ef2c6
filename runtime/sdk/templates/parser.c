/* mystage.c -- parse.mystage: columns of lines such as "city: Bern; ms: 12".
 *
 * To make it yours, change: cfg and params (settings of a script), negotiate (names of the new
 * columns), process (finds the columns in each record, and rejects malformed ones). Compiles as C
 * and as C++20. */
#include <string.h>

#include <leat/helpers.h>
#include <leat/plugin.h>

enum { COLUMNS_MAX = 256 };

struct cfg {
    struct leat_strings columns;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, columns, LEAT_STRINGS, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "the keys that become columns"),
};

/* State of a lane. Begins zeroed. */
struct parser {
    uint32_t first; /* index of the first new column */
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = (const struct cfg *)config;
    if (cfg->columns.n > COLUMNS_MAX)
        d->error(d, "columns", "there are %u, and at most %d are possible", cfg->columns.n,
                 COLUMNS_MAX);
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = (const struct cfg *)config;
    for (uint32_t i = 0; i < cfg->columns.n; i++) {
        const char *name = cfg->columns.v[i];
        int status = n->add_column(n, name, strlen(name), LEAT_TEXT, NULL);
        if (status < 0) return status;
    }
    return LEAT_OK;
}

/* A record is a line. */
static int framing(const void *config, struct leat_framing *f)
{
    (void)config;
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

static int open_parser(struct leat_ctx *ctx, void *self)
{
    ((struct parser *)self)->first = ctx->in->n_columns;
    return LEAT_OK;
}

/* Returns a text without blanks at its ends, as a slice of the batch. */
static struct leat_str trimmed(const struct leat_batch *b, uint32_t from, uint32_t to)
{
    while (from < to && b->bytes[from] == ' ')
        from++;
    while (to > from && b->bytes[to - 1] == ' ')
        to--;
    struct leat_str s = {from, to - from};
    return s;
}

/* Returns the number of the column with this name, or -1. */
static int column_of(const struct cfg *cfg, const struct leat_batch *b, struct leat_str key)
{
    for (uint32_t i = 0; i < cfg->columns.n; i++) {
        const char *name = cfg->columns.v[i];
        if (strlen(name) == key.len && !memcmp(name, leat_text(b, key), key.len)) return (int)i;
    }
    return -1;
}

/* Takes one pair, in bytes[from .. to). Returns 0 if it has no colon. */
static int take_pair(const struct cfg *cfg, const struct parser *p, struct leat_batch *b,
                     uint32_t r, uint32_t from, uint32_t to)
{
    const char *colon = (const char *)memchr(b->bytes + from, ':', to - from);
    if (!colon) return trimmed(b, from, to).len == 0;
    uint32_t at = (uint32_t)(colon - b->bytes);
    int i = column_of(cfg, b, trimmed(b, from, at));
    if (i >= 0) b->column[p->first + (uint32_t)i].text[r] = trimmed(b, at + 1, to);
    return 1;
}

static const struct leat_own_reason reasons[] = {{"no_colon", "A pair has no colon."}};

static void parse(struct leat_ctx *ctx, const struct parser *p, struct leat_batch *b, uint32_t r)
{
    const struct cfg *cfg = (const struct cfg *)ctx->cfg;
    const struct leat_str none = {0, LEAT_NULL};
    uint32_t end = b->raw[r].off + b->raw[r].len;
    for (uint32_t i = 0; i < cfg->columns.n; i++) /* every record needs a value in every cell */
        b->column[p->first + i].text[r] = none;
    if (!b->raw[r].len) return;
    for (uint32_t from = b->raw[r].off, to; from <= end; from = to + 1) {
        const char *semicolon = (const char *)memchr(b->bytes + from, ';', end - from);
        to = semicolon ? (uint32_t)(semicolon - b->bytes) : end;
        if (take_pair(cfg, p, b, r, from, to)) continue;
        ctx->host->reject(ctx, b, r, LEAT_R_OWN(0), "'%.*s' has no colon: write key: value",
                          (int)(to - from), b->bytes + from);
        return;
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        parse(ctx, (const struct parser *)self, b, r);
    return LEAT_OK;
}

static const struct leat_stage parse_mystage = {
    .name = "parse.mystage",
    .summary = "columns of lines of key: value pairs",
    .doc =
        "A record is a line of pairs with semicolons between. A key that a record lacks gives no "
        "value; a pair without a colon rejects the record.",
    .example = "leat.parse.mystage { \"city\", \"ms\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_PARSER,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS),
    LEAT_PARAMS(params, struct cfg),
    LEAT_REASONS(reasons),
    .instance_size = sizeof(struct parser),
    .validate = validate,
    .negotiate = negotiate,
    .framing = framing,
    .open = open_parser,
    .process = process,
};

LEAT_PLUGIN("mystage", "0.1", "Apache-2.0", "lines of key: value pairs", &parse_mystage);
