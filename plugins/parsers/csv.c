/* csv.c -- parse.csv and parse.tsv: a row's fields as columns.
 *
 * The two differ in their defaults only. The kernels do the work: csv splits, decimal reads
 * numbers. Columns are named by `columns` or by the input's header record; without either they are
 * left open until the input is known.
 *
 * A field's text stays where it is in the record, except when it holds doubled quotes: then the
 * text without them is appended to the batch, because the record itself must stay as it arrived for
 * the dead letters. The text is never longer than the record: hence copies_text. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "kernels/text/csv.h"
#include "kernels/text/decimal.h"
#include "parser.h"
#include "parsers/docs.h"
#include "support/strings.h"

enum { SHOWN_BYTES = 60 }; /* of a text in a message */

struct cfg {
    const char *delimiter; /* NULL: a tab */
    const char *quote;     /* "": none    */
    int32_t header;
    struct leat_strings columns, numbers;
    const char *missing;
};

struct parser {
    struct csv_dialect dialect;
    uint32_t first, n; /* of this parser's columns, among the batch's */
    uint32_t missing_len;
    struct csv_field *field; /* n: the row that is parsed */
};

/* clang-format off */
#define QUOTE_PARAM(DEFAULT)                                                                       \
    LEAT_PARAM(struct cfg, quote, LEAT_STRING, .def = DEFAULT,                                     \
               .doc = "character around fields that hold delimiters or line ends; \"\": none")
#define OTHER_PARAMS                                                                               \
    LEAT_PARAM(struct cfg, header, LEAT_BOOL, .def = "true",                                       \
               .doc = "each file's first record names the columns"),                               \
    LEAT_PARAM(struct cfg, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,                        \
               .doc = "names of the columns, instead of those in the header"),                     \
    LEAT_PARAM(struct cfg, numbers, LEAT_STRINGS,                                                  \
               .doc = "columns that hold numbers; the others hold text"),                          \
    LEAT_PARAM(struct cfg, missing, LEAT_STRING, .def = "",                                        \
               .doc = "text that means no value; in columns of numbers the empty text always does")
/* clang-format on */

static const struct leat_param csv_params[] = {
    LEAT_PARAM(
        struct cfg, delimiter, LEAT_STRING, .def = ",",
        .doc =
            "what separates fields; \"\\t\" is a tab. More than one byte only with quote = \"\""),
    QUOTE_PARAM("\""),
    OTHER_PARAMS,
};

static const struct leat_param tsv_params[] = {QUOTE_PARAM(""), OTHER_PARAMS};

/* ---- configuration ---- */

static struct csv_dialect dialect_of(const struct cfg *cfg)
{
    bool tab = !cfg->delimiter || !strcmp(cfg->delimiter, "\\t");
    return (struct csv_dialect){.delimiter = tab ? '\t' : cfg->delimiter[0],
                                .quote = cfg->quote ? cfg->quote[0] : '\0',
                                .more =
                                    !tab && strlen(cfg->delimiter) > 1 ? cfg->delimiter + 1 : NULL};
}

static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

static void check_dialect(const struct cfg *cfg, struct leat_diag *d)
{
    struct csv_dialect dialect = dialect_of(cfg);
    if (!dialect.delimiter)
        d->error(d, "delimiter", "is empty: give the text that separates fields, such as \",\"");
    else if (dialect.more && dialect.quote)
        d->error(d, "delimiter",
                 "'%s' is longer than one byte, which works only without quotes: set quote = \"\"",
                 cfg->delimiter);
    else if (is_line_end(dialect.delimiter) || (dialect.more && strpbrk(dialect.more, "\r\n")))
        d->error(d, "delimiter", "a line end cannot separate fields: it ends the record");
    if (cfg->quote && strlen(cfg->quote) > 1)
        d->error(d, "quote", "'%s' is longer than one byte: give one character, or \"\" for none",
                 cfg->quote);
    else if (dialect.quote && dialect.quote == dialect.delimiter)
        d->error(d, "quote", "'%c' is also the delimiter: give another character", dialect.quote);
    else if (is_line_end(dialect.quote))
        d->error(d, "quote", "a line end cannot be a quote: give another character");
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    check_dialect(cfg, d);
    if (!cfg->header && !cfg->columns.n)
        d->error(d, "columns", "is empty: with header = false nothing else names the columns");
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
    bool number = strings_find(&cfg->numbers, name, len) < cfg->numbers.n;
    return n->add_column(n, name, len, number ? LEAT_NUMBER : LEAT_TEXT);
}

static int add_given(const struct cfg *cfg, struct leat_negotiation *n)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->columns.n; i++)
        status = add_column(cfg, n, cfg->columns.v[i], strlen(cfg->columns.v[i]));
    return status;
}

static int add_named(const struct cfg *cfg, struct leat_negotiation *n, const char *text,
                     const struct csv_field *field, uint32_t fields, char *name)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < fields; i++) {
        const char *at = text + field[i].off;
        if (!field[i].len) {
            n->diag->error(n->diag, NULL,
                           "column %u of the header has no name: name the columns by `columns`",
                           (unsigned)i + 1);
            return LEAT_EARG;
        }
        if (!field[i].doubled)
            status = add_column(cfg, n, at, field[i].len);
        else
            status = add_column(cfg, n, name,
                                csv_unescape(at, field[i].len, dialect_of(cfg).quote, name));
    }
    return status;
}

/* With `columns`, the header must only have as many names. */
static int add_from_header(const struct cfg *cfg, struct leat_negotiation *n, const char *text,
                           uint32_t len)
{
    struct csv_dialect dialect = dialect_of(cfg);
    uint32_t fields, at, given = cfg->columns.n;
    if (csv_split(&dialect, text, len, NULL, 0, &fields, &at) != CSV_OK) {
        n->diag->error(n->diag, "header", "the header has a wrong quote at byte %u",
                       (unsigned)at + 1);
        return LEAT_EARG;
    }
    if (given && given != fields)
        n->diag->error(n->diag, "columns", "names %u columns, but the header names %u",
                       (unsigned)given, (unsigned)fields);
    if (given) return given == fields ? add_given(cfg, n) : LEAT_EARG;
    struct csv_field *field = malloc(fields * sizeof *field);
    char *name = malloc(len);
    int status = LEAT_ENOMEM;
    if (field && name) {
        csv_split(&dialect, text, len, field, fields, &fields, &at);
        status = add_named(cfg, n, text, field, fields, name);
    }
    free(name);
    free(field);
    return status;
}

/* The header record, without a byte order mark before it. */
static int use_header(const struct cfg *cfg, struct leat_negotiation *n)
{
    const char *text = n->in->header;
    uint32_t len = n->in->header_len;
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3;
        len -= 3;
    }
    if (len) return add_from_header(cfg, n, text, len);
    n->diag->error(n->diag, "header",
                   "the input has no header: the input or its first line is empty. Set header = "
                   "false and `columns`");
    return LEAT_EARG;
}

static int check_numbers(const struct cfg *cfg, struct leat_negotiation *n)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < cfg->numbers.n; i++) {
        uint32_t k = n->in->n_columns;
        while (k < n->out->n_columns && strcmp(n->out->column[k].name, cfg->numbers.v[i]))
            k++;
        if (k < n->out->n_columns) continue;
        n->diag->error(n->diag, "numbers", "the input has no column '%s'", cfg->numbers.v[i]);
        status = LEAT_EARG;
    }
    return status;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    int status = LEAT_OK;
    if (dialect_of(cfg).quote) n->out->copies_text++;
    if (cfg->header && n->in->header)
        status = use_header(cfg, n);
    else if (cfg->columns.n)
        status = add_given(cfg, n);
    else
        n->out->open = 1;
    if (status == LEAT_OK && !n->out->open) status = check_numbers(cfg, n);
    return status;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
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
    if (!st->n) return ctx->host->fail(ctx, LEAT_EARG, "nothing names the columns: set `columns`");
    st->field = ctx->host->alloc(ctx, st->n * sizeof *st->field);
    return st->field ? LEAT_OK : LEAT_ENOMEM;
}

static void close_parser(struct leat_ctx *ctx, void *self)
{
    struct parser *st = self;
    ctx->host->free(ctx, st->field);
}

static bool is_missing(const struct cfg *cfg, const struct parser *st, const char *text,
                       uint32_t len)
{
    return len == st->missing_len && !memcmp(text, cfg->missing, len);
}

/* The cell functions return false after rejecting the row. */
static bool text_cell(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                      uint32_t r, const struct csv_field *f, struct leat_str *cell)
{
    uint32_t off = b->raw[r].off + f->off, len = f->len;
    if (f->doubled) {
        uint32_t from = off;
        len -= f->doubled;
        off = leat_add_bytes(b, len);
        if (off == LEAT_NULL) {
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "the batch has no room for the row's fields with doubled quotes");
            return false;
        }
        csv_unescape(b->bytes + from, f->len, st->dialect.quote, b->bytes + off);
    }
    if (is_missing(ctx->cfg, st, b->bytes + off, len)) len = LEAT_NULL;
    *cell = (struct leat_str){off, len};
    return true;
}

static bool number_cell(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                        uint32_t r, const struct csv_field *f, uint32_t column, double *cell)
{
    const char *text = b->bytes + b->raw[r].off + f->off;
    *cell = (double)NAN;
    if (!f->len || is_missing(ctx->cfg, st, text, f->len)) return true;
    enum decimal_status status = decimal_whole(text, text + f->len, cell);
    if (status == DECIMAL_OK) return true;
    bool finite = status != DECIMAL_NONFINITE;
    ctx->host->reject(ctx, b, r, finite ? LEAT_R_NUMBER : LEAT_R_NONFINITE,
                      "column '%s': '%.*s' is %s", ctx->out->column[column].name,
                      (int)(f->len < SHOWN_BYTES ? f->len : SHOWN_BYTES), text,
                      finite ? "not a number" : "not finite");
    return false;
}

/* Splits row r into st->field. false: the row was rejected. */
static bool split_row(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                      uint32_t r)
{
    uint32_t found, at;
    enum csv_result result = csv_split(&st->dialect, leat_text(b, b->raw[r]), b->raw[r].len,
                                       st->field, st->n, &found, &at);
    if (result == CSV_OPEN_QUOTE)
        ctx->host->reject(ctx, b, r, LEAT_R_QUOTE, "the quote at byte %u is never closed",
                          (unsigned)at + 1);
    else if (result == CSV_AFTER_QUOTE)
        ctx->host->reject(ctx, b, r, LEAT_R_QUOTE, "byte %u is text after the closing quote",
                          (unsigned)at + 1);
    else if (found != st->n)
        ctx->host->reject(ctx, b, r, LEAT_R_FIELDS, "the row has %u fields and must have %u",
                          (unsigned)found, (unsigned)st->n);
    else
        return true;
    return false;
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
    bool good = true;
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

/* What both stages have. */
#define ROWS_TO_COLUMNS                                                                            \
    PARSER_OF_COLUMNS, LEAT_INSTANCE(struct parser, open_parser, close_parser),                    \
        .validate = validate, .negotiate = negotiate, .plan = plan, .framing = framing,            \
        .process = process

const struct leat_stage parse_csv = {
    .name = "parse.csv",
    .summary = "rows with delimiters and quotes to columns",
    .doc = csv_doc,
    .example = "leat.parse.csv { delimiter = \";\", numbers = { \"age\", \"income\" } }",
    LEAT_PARAMS(csv_params, struct cfg),
    ROWS_TO_COLUMNS,
};

const struct leat_stage parse_tsv = {
    .name = "parse.tsv",
    .summary = "rows with tabs to columns",
    .doc = tsv_doc,
    .example = "leat.parse.tsv { header = false, columns = { \"word\", \"count\" }, "
               "numbers = { \"count\" } }",
    LEAT_PARAMS(tsv_params, struct cfg),
    ROWS_TO_COLUMNS,
};
