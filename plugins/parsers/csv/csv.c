/* csv.c -- parse.csv and parse.tsv: a row's fields as columns. The two differ in their defaults
 * only. */
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "csv_columns.h"
#include "csv_rows.h"
#include "csv_settings.h"
#include "parsers/csv/docs.h"
#include "parsers/parser.h"

static const char *const extra_names[] = {"reject", "ignore", NULL};
static const char *const short_names[] = {"reject", "fill", NULL};

/* clang-format off */
#define QUOTE_PARAM(DEFAULT)                                                                       \
    LEAT_PARAM(struct csv_settings, quote, LEAT_STRING, .def = DEFAULT,                                     \
               .doc = "character around fields that hold delimiters or line ends; \"\": none")
#define OTHER_PARAMS                                                                               \
    LEAT_PARAM(struct csv_settings, header, LEAT_BOOL, .def = "true",                                       \
               .doc = "each file's first record names the columns"),                               \
    LEAT_PARAM(struct csv_settings, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL,                        \
               .doc = "names of the columns, instead of those in the header"),                     \
    LEAT_PARAM(struct csv_settings, numbers, LEAT_STRINGS,                                                  \
               .doc = "columns that hold numbers; the others hold text"),                          \
    LEAT_PARAM(struct csv_settings, missing, LEAT_STRINGS,                                                  \
               .doc = "texts that mean no value, such as { \"\", \"NA\", \"-\" }; none: the empty "   \
                      "text. In columns of numbers that always does"),                             \
    LEAT_PARAM(struct csv_settings, decimal, LEAT_STRING, .def = ".",                                       \
               .doc = "what is before the fraction of numbers: \".\" or \",\""),                   \
    LEAT_PARAM(struct csv_settings, thousands, LEAT_STRING,                                                 \
               .doc = "what groups the digits of numbers by three: \".\", \",\", \" \" (also those " \
                      "that do not break) or \"'\""),                                              \
    LEAT_PARAM(struct csv_settings, extra, LEAT_CHOICE, .def = "reject", .choices = extra_names,            \
               .doc = "rows with more fields than columns are rejected, or lose the fields after "  \
                      "the last column"),                                                          \
    LEAT_PARAM_AS("short", struct csv_settings, short_rows, LEAT_CHOICE, .def = "reject",                   \
                  .choices = short_names,                                                          \
                  .doc = "rows with fewer fields are rejected, or filled with fields without a value")
/* clang-format on */

static const struct leat_param csv_params[] = {
    LEAT_PARAM(
        struct csv_settings, delimiter, LEAT_STRING, .def = ",",
        .doc =
            "what separates fields; \"\\t\" is a tab. More than one byte only with quote = \"\""),
    QUOTE_PARAM("\""),
    OTHER_PARAMS,
};

static const struct leat_param tsv_params[] = {QUOTE_PARAM(""), OTHER_PARAMS};

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    p->work_bytes = (out->n_columns - in->n_columns) * sizeof(struct csv_field);
    return LEAT_OK;
}

/* Most fields are longer, or shorter, than all of them. */
static void measure_missing(struct csv_parser *st, const struct leat_strings *missing)
{
    st->shortest_missing = missing->n ? UINT32_MAX : 0;
    st->longest_missing = 0;
    for (uint32_t i = 0; i < missing->n; i++) {
        uint32_t len = (uint32_t)strlen(missing->v[i]);
        if (len < st->shortest_missing) st->shortest_missing = len;
        if (len > st->longest_missing) st->longest_missing = len;
    }
}

static int open_parser(struct leat_ctx *ctx, void *self)
{
    const struct csv_settings *cfg = ctx->cfg;
    struct csv_parser *st = self;
    st->dialect = csv_dialect_of(cfg);
    st->first = ctx->in->n_columns;
    st->n = ctx->out->n_columns - st->first;
    measure_missing(st, &cfg->missing);
    st->grouped = csv_form_of(cfg);
    st->plain = grouped_is_plain(&st->grouped);
    st->names_columns = cfg->header && !cfg->columns.n;
    for (uint32_t i = 0; i < st->n && st->names_columns; i++) { /* else negotiate has warned */
        const char *name = ctx->out->column[st->first + i].name;
        st->names_columns = !csv_is_value(name, strlen(name), i);
    }
    if (!st->n) return ctx->host->fail(ctx, LEAT_EARG, "nothing names the columns: set `columns`");
    st->field = ctx->host->alloc(ctx, st->n * sizeof *st->field);
    return st->field ? LEAT_OK : LEAT_ENOMEM;
}

static void close_parser(struct leat_ctx *ctx, void *self)
{
    struct csv_parser *st = self;
    ctx->host->free(ctx, st->field);
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct csv_parser *st = self;
    for (LEAT_EACH_RECORD(b, r))
        csv_parse_row(ctx, st, b, r);
    if (st->names_columns && st->values.rows < HEADER_VALUES_ROWS)
        header_values_look(&st->values, ctx, b, st->first, st->n);
    return LEAT_OK;
}

/* The lanes together: what was taken although it was not right. */
static void finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t trailing = 0, longer = 0, shorter = 0;
    const struct csv_parser *first = self[0];
    if (first->names_columns) header_values_warn(&first->values, ctx, first->first, first->n);
    for (uint32_t i = 0; i < lanes; i++) {
        const struct csv_parser *st = self[i];
        trailing += st->trailing, longer += st->longer, shorter += st->shorter;
    }
    if (trailing)
        ctx->host->log(
            ctx, LEAT_WARN,
            "%llu of the rows have a delimiter after the last field, too: it was left out",
            (unsigned long long)trailing);
    if (longer || shorter)
        ctx->host->log(ctx, LEAT_WARN,
                       "of the rows, %llu had more fields than columns, which were ignored, and "
                       "%llu had fewer, which were filled",
                       (unsigned long long)longer, (unsigned long long)shorter);
}

/* What both stages have. */
#define ROWS_TO_COLUMNS                                                                            \
    PARSER_OF_COLUMNS, LEAT_INSTANCE(struct csv_parser, open_parser, close_parser),                \
        .validate = csv_validate, .negotiate = csv_negotiate, .plan = plan,                        \
        .framing = csv_framing, .process = process, .finish = finish

const struct leat_stage parse_csv = {
    .name = "parse.csv",
    .summary = "rows with delimiters and quotes to columns",
    .doc = csv_doc,
    .example = "leat.parse.csv { delimiter = \";\", numbers = { \"age\", \"income\" } }",
    LEAT_PARAMS(csv_params, struct csv_settings),
    ROWS_TO_COLUMNS,
};

const struct leat_stage parse_tsv = {
    .name = "parse.tsv",
    .summary = "rows with tabs to columns",
    .doc = tsv_doc,
    .example = "leat.parse.tsv { header = false, columns = { \"word\", \"count\" }, "
               "numbers = { \"count\" } }",
    LEAT_PARAMS(tsv_params, struct csv_settings),
    ROWS_TO_COLUMNS,
};
