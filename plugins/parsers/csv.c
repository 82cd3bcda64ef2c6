/* csv.c -- parse.csv and parse.tsv: a row's fields as columns.
 *
 * The two differ in their defaults only. The kernels do the work: csv splits, decimal reads
 * numbers. Columns are known from `columns` or from the input's header record; without either they
 * are left open until the input is.
 *
 * A field's text stays where it is in the record, except when it holds doubled quotes: then the
 * text without them is appended to the batch, because the record itself must stay as it arrived for
 * the dead letters. It is never longer than the record: hence copies_text. */
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "kernels/text/csv.h"
#include "kernels/text/decimal.h"

enum {
    SHOWN_BYTES = 60 /* of a text in a message */
};

struct cfg {
    const char *delimiter; /* NULL: a tab */
    const char *quote;     /* "": none    */
    int32_t header;
    struct leat_strings columns, numbers;
    const char *missing;
};

struct parser {
    struct csv_dialect dialect;
    uint32_t first, n; /* our columns among the batch's */
    uint32_t missing_len;
    struct csv_field *field; /* n, of the row at hand */
};

#define HEADER_PARAM                                                                               \
    {                                                                                              \
        .name = "header", .type = LEAT_BOOL, .offset = offsetof(struct cfg, header),               \
        .def = "true", .doc = "each file's first record names the columns"                         \
    }
#define COLUMNS_PARAM                                                                              \
    {                                                                                              \
        .name = "columns", .type = LEAT_STRINGS, .flags = LEAT_POSITIONAL,                         \
        .offset = offsetof(struct cfg, columns),                                                   \
        .doc = "names of the columns, instead of those in the header"                              \
    }
#define NUMBERS_PARAM                                                                              \
    {                                                                                              \
        .name = "numbers", .type = LEAT_STRINGS, .offset = offsetof(struct cfg, numbers),          \
        .doc = "columns that hold numbers; the others hold text"                                   \
    }
#define MISSING_PARAM                                                                              \
    {                                                                                              \
        .name = "missing", .type = LEAT_STRING, .offset = offsetof(struct cfg, missing),           \
        .def = "",                                                                                 \
        .doc = "text that means no value; in columns of numbers the empty text always does"        \
    }
#define QUOTE_PARAM(DEFAULT)                                                                       \
    {                                                                                              \
        .name = "quote", .type = LEAT_STRING, .offset = offsetof(struct cfg, quote),               \
        .def = DEFAULT,                                                                            \
        .doc = "character around fields that hold delimiters or line ends; \"\": none"             \
    }

static const struct leat_param csv_params[] = {
    {.name = "delimiter",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, delimiter),
     .def = ",",
     .doc =
         "what stands between fields; \"\\t\" is a tab. More than one byte only with quote = \"\""},
    QUOTE_PARAM("\""),
    HEADER_PARAM,
    COLUMNS_PARAM,
    NUMBERS_PARAM,
    MISSING_PARAM,
};

static const struct leat_param tsv_params[] = {
    QUOTE_PARAM(""), HEADER_PARAM, COLUMNS_PARAM, NUMBERS_PARAM, MISSING_PARAM,
};

/* ---- configuration ---- */

static struct csv_dialect dialect_of(const struct cfg *cfg)
{
    int tab = !cfg->delimiter || !strcmp(cfg->delimiter, "\\t");
    return (struct csv_dialect){.delimiter = tab ? '\t' : cfg->delimiter[0],
                                .quote = cfg->quote ? cfg->quote[0] : '\0',
                                .more =
                                    !tab && strlen(cfg->delimiter) > 1 ? cfg->delimiter + 1 : NULL};
}

static int is_line_end(char c) { return c == '\n' || c == '\r'; }

static void check_dialect(const struct cfg *cfg, struct leat_diag *d)
{
    struct csv_dialect dialect = dialect_of(cfg);
    if (!dialect.delimiter)
        d->error(d, "delimiter", "is empty: something must stand between fields");
    else if (dialect.more && dialect.quote)
        d->error(d, "delimiter",
                 "'%s' is longer than one byte: for that fields must be without quotes, quote = "
                 "\"\"",
                 cfg->delimiter);
    else if (is_line_end(dialect.delimiter) || (dialect.more && strpbrk(dialect.more, "\r\n")))
        d->error(d, "delimiter", "a line end cannot part fields");
    if (cfg->quote && strlen(cfg->quote) > 1)
        d->error(d, "quote", "'%s' is not one character of one byte", cfg->quote);
    else if (dialect.quote && (dialect.quote == dialect.delimiter || is_line_end(dialect.quote)))
        d->error(d, "quote", "must differ from the delimiter and from line ends");
}

static int is_in(const struct leat_strings *names, const char *name, size_t len)
{
    for (uint32_t i = 0; i < names->n; i++)
        if (strlen(names->v[i]) == len && !memcmp(names->v[i], name, len)) return 1;
    return 0;
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    check_dialect(cfg, d);
    if (!cfg->header && !cfg->columns.n)
        d->error(d, "columns", "needed: with header = false nothing else names the columns");
    return LEAT_OK;
}

static int framing(const void *config, struct leat_framing *f)
{
    const struct cfg *cfg = config;
    struct csv_dialect dialect = dialect_of(cfg);
    f->kind = dialect.quote ? LEAT_CSV : LEAT_LINES;
    f->delimiter = dialect.delimiter;
    f->quote = dialect.quote;
    f->header = cfg->header != 0;
    return LEAT_OK;
}

/* ---- negotiation ---- */

static int add_column(const struct cfg *cfg, struct leat_negotiation *n, const char *name,
                      size_t len)
{
    return n->add_column(n, name, len, is_in(&cfg->numbers, name, len) ? LEAT_NUMBER : LEAT_TEXT);
}

static int add_given(const struct cfg *cfg, struct leat_negotiation *n)
{
    int s = LEAT_OK;
    for (uint32_t i = 0; s == LEAT_OK && i < cfg->columns.n; i++)
        s = add_column(cfg, n, cfg->columns.v[i], strlen(cfg->columns.v[i]));
    return s;
}

static int add_named(const struct cfg *cfg, struct leat_negotiation *n, const char *text,
                     const struct csv_field *field, uint32_t fields, char *name)
{
    int s = LEAT_OK;
    for (uint32_t i = 0; s == LEAT_OK && i < fields; i++) {
        const char *at = text + field[i].off;
        if (!field[i].len) {
            n->diag->error(n->diag, NULL, "column %u of the header has no name: give `columns`",
                           (unsigned)i + 1);
            return LEAT_EARG;
        }
        if (!field[i].doubled)
            s = add_column(cfg, n, at, field[i].len);
        else
            s = add_column(cfg, n, name,
                           csv_unescape(at, field[i].len, dialect_of(cfg).quote, name));
    }
    return s;
}

/* With `columns` given the header only has to have as many. */
static int add_from_header(const struct cfg *cfg, struct leat_negotiation *n, const char *text,
                           uint32_t len)
{
    struct csv_dialect dialect = dialect_of(cfg);
    uint32_t fields, at, given = cfg->columns.n;
    if (csv_split(&dialect, text, len, NULL, 0, &fields, &at) != CSV_OK) {
        n->diag->error(n->diag, NULL, "the header has a wrong quote at byte %u", (unsigned)at + 1);
        return LEAT_EARG;
    }
    if (given && given != fields)
        n->diag->error(n->diag, "columns", "names %u columns, and the header %u", (unsigned)given,
                       (unsigned)fields);
    if (given) return given == fields ? add_given(cfg, n) : LEAT_EARG;
    struct csv_field *field = malloc(fields * sizeof *field);
    char *name = malloc(len);
    int s = LEAT_ENOMEM;
    if (field && name) {
        csv_split(&dialect, text, len, field, fields, &fields, &at);
        s = add_named(cfg, n, text, field, fields, name);
    }
    free(name);
    free(field);
    return s;
}

/* A header record without the byte order mark that may stand before it. */
static int use_header(const struct cfg *cfg, struct leat_negotiation *n)
{
    const char *text = n->in->header;
    uint32_t len = n->in->header_len;
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3;
        len -= 3;
    }
    if (len) return add_from_header(cfg, n, text, len);
    n->diag->error(n->diag, "header", "the input has no header: its first line is empty, or it is");
    return LEAT_EARG;
}

static int check_numbers(const struct cfg *cfg, struct leat_negotiation *n)
{
    int s = LEAT_OK;
    for (uint32_t i = 0; i < cfg->numbers.n; i++) {
        uint32_t k = n->in->n_columns;
        while (k < n->out->n_columns && strcmp(n->out->column[k].name, cfg->numbers.v[i]))
            k++;
        if (k < n->out->n_columns) continue;
        n->diag->error(n->diag, "numbers", "there is no column '%s'", cfg->numbers.v[i]);
        s = LEAT_EARG;
    }
    return s;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    int s = LEAT_OK;
    if (dialect_of(cfg).quote) n->out->copies_text++;
    if (cfg->header && n->in->header)
        s = use_header(cfg, n);
    else if (cfg->columns.n)
        s = add_given(cfg, n);
    else
        n->out->open = 1;
    if (s == LEAT_OK && !n->out->open) s = check_numbers(cfg, n);
    return s;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)config;
    p->work_bytes = (out->n_columns - in->n_columns) * sizeof(struct csv_field);
    return LEAT_OK;
}

/* ---- running ---- */

static int open_parser(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct parser *st = self;
    st->dialect = dialect_of(cfg);
    st->first = ctx->in->n_columns;
    st->n = ctx->out->n_columns - st->first;
    st->missing_len = (uint32_t)strlen(cfg->missing);
    if (!st->n) return ctx->host->fail(ctx, LEAT_EARG, "nothing names the columns: give `columns`");
    st->field = ctx->host->alloc(ctx, st->n * sizeof *st->field);
    return st->field ? LEAT_OK : LEAT_ENOMEM;
}

static void close_parser(struct leat_ctx *ctx, void *self)
{
    struct parser *st = self;
    ctx->host->free(ctx, st->field);
}

static int shown(uint32_t len) { return len < SHOWN_BYTES ? (int)len : SHOWN_BYTES; }

static int is_missing(const struct cfg *cfg, const struct parser *st, const char *text,
                      uint32_t len)
{
    return len == st->missing_len && !memcmp(text, cfg->missing, len);
}

/* Each cell function is true when the row is still good. */
static int text_cell(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                     uint32_t r, const struct csv_field *f, struct leat_str *cell)
{
    uint32_t off = b->raw[r].off + f->off, len = f->len;
    if (f->doubled) {
        uint32_t from = off;
        len -= f->doubled;
        off = leat_add_bytes(b, len);
        if (off == LEAT_NULL) {
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "no room in the batch for its fields with doubled quotes");
            return 0;
        }
        csv_unescape(b->bytes + from, f->len, st->dialect.quote, b->bytes + off);
    }
    if (is_missing(ctx->cfg, st, b->bytes + off, len)) len = LEAT_NULL;
    *cell = (struct leat_str){off, len};
    return 1;
}

static int number_cell(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                       uint32_t r, const struct csv_field *f, uint32_t column, double *cell)
{
    const char *text = b->bytes + b->raw[r].off + f->off;
    *cell = (double)NAN;
    if (!f->len || is_missing(ctx->cfg, st, text, f->len)) return 1;
    enum decimal_status s = decimal_whole(text, text + f->len, cell);
    if (s == DECIMAL_OK) return 1;
    int finite = s != DECIMAL_NONFINITE;
    ctx->host->reject(ctx, b, r, finite ? LEAT_R_NUMBER : LEAT_R_NONFINITE,
                      "column '%s': '%.*s' is %s", ctx->out->column[column].name, shown(f->len),
                      text, finite ? "no number" : "not finite");
    return 0;
}

/* Split row r into st->field. True when it has what it should. */
static int split_row(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                     uint32_t r)
{
    uint32_t found, at;
    enum csv_result s = csv_split(&st->dialect, leat_text(b, b->raw[r]), b->raw[r].len, st->field,
                                  st->n, &found, &at);
    if (s == CSV_OPEN_QUOTE)
        ctx->host->reject(ctx, b, r, LEAT_R_QUOTE, "the quote at byte %u is never closed",
                          (unsigned)at + 1);
    else if (s == CSV_AFTER_QUOTE)
        ctx->host->reject(ctx, b, r, LEAT_R_QUOTE, "text after the closing quote, at byte %u",
                          (unsigned)at + 1);
    else if (found != st->n)
        ctx->host->reject(ctx, b, r, LEAT_R_FIELDS, "%u columns expected, %u found",
                          (unsigned)st->n, (unsigned)found);
    else
        return 1;
    return 0;
}

static void parse_row(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                      uint32_t r)
{
    if (!b->raw[r].len) {
        leat_filter(b, r);
        return;
    }
    if (!split_row(ctx, st, b, r)) return;
    const struct leat_column *column = ctx->out->column + st->first;
    int good = 1;
    for (uint32_t i = 0; good && i < st->n; i++) {
        union leat_cells cells = b->column[st->first + i];
        if (column[i].type == LEAT_NUMBER)
            good = number_cell(ctx, st, b, r, &st->field[i], st->first + i, &cells.number[r]);
        else
            good = text_cell(ctx, st, b, r, &st->field[i], &cells.text[r]);
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_RECORD(b, r))
        parse_row(ctx, self, b, r);
    return LEAT_OK;
}

/* What the two stages have in common. */
#define PARSER                                                                                     \
    .kind = LEAT_TRANSFORM, .caps = LEAT_PARALLEL | LEAT_PARSER, .needs = LEAT_HAS_RECORDS,        \
    .makes = LEAT_HAS_COLUMNS, .cfg_size = sizeof(struct cfg),                                     \
    .instance_size = sizeof(struct parser), .validate = validate, .negotiate = negotiate,          \
    .plan = plan, .framing = framing, .open = open_parser, .close = close_parser,                  \
    .process = process

const struct leat_stage parse_csv = {
    .name = "parse.csv",
    .summary = "columns of rows with delimiters and quotes",
    .doc =
        "Splits each record into its fields, one a column (RFC 4180). A quote opens a field only "
        "as "
        "its first character, and two in it stand for one; elsewhere it is a character like any "
        "other. Blanks belong to the field.\n"
        "Columns are named by the header or by `columns`; with both, the header is skipped and "
        "must "
        "have as many. A row with more or fewer fields, a wrong quote, or a text in a column of "
        "`numbers` that is no finite decimal number is rejected; a blank line is filtered.\n"
        "Texts are not copied, except fields with doubled quotes: for these a batch has room of "
        "64 "
        "bytes a row, and rows past that are rejected. Time: linear in the bytes.",
    .example = "leat.parse.csv { delimiter = \";\", numbers = { \"age\", \"income\" } }",
    LEAT_PARAMS(csv_params),
    PARSER,
};

const struct leat_stage parse_tsv = {
    .name = "parse.tsv",
    .summary = "columns of rows with tabs between",
    .doc =
        "As parse.csv, with a tab between the fields and no quotes unless `quote` is given: then "
        "every line is a record, and each character but the tab is text.",
    .example = "leat.parse.tsv { header = false, columns = { \"word\", \"count\" }, "
               "numbers = { \"count\" } }",
    LEAT_PARAMS(tsv_params),
    PARSER,
};
