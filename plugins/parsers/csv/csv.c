/* csv.c -- parse.csv and parse.tsv: a row's fields as columns. Only their defaults differ.
 *
 * The kernel csv splits rows, and the kernel decimal reads numbers. A field's text stays in the
 * record. A field with doubled quotes is the exception: its decoded text is appended to the batch,
 * because dead letters need the unchanged record. The decoded text is never longer than the record,
 * so copies_text is 1. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "core/text/number_cure.h"
#include "csv_columns.h"
#include "csv_warnings.h"
#include "kernels/text/decimal.h"
#include "kernels/text/tsv.h"
#include "parsers/csv/docs.h"
#include "parsers/parser.h"

/* ---- rows ---- */

struct csv_parser {
    struct csv_dialect dialect;
    uint32_t first, n; /* first column of this parser in the batch; number of columns */
    uint32_t shortest_missing, longest_missing; /* lengths of the texts in `missing` */
    bool *keeps; /* by column: only the empty text means no value; NULL: `missing` is of all */
    struct grouped grouped;
    bool c_numbers; /* numbers have C's format */
    bool escapes;   /* fields of the present batch may have escapes */
    struct csv_other other;
    struct csv_swallowed swallowed;
    uint64_t trailing, longer, shorter; /* rows accepted with this fault */
    struct csv_field *field;            /* n fields of the present row */
    struct csv_text text;               /* text of the present batch */
    uint32_t plain; /* a field that is longer, without doubled quotes, is its cell's text */
    struct csv_made {
        uint32_t column;        /* counted from `first` */
        struct leat_str *texts; /* its cells in the present batch; NULL if it is not a text */
    } * made;                   /* columns whose cells are made */
    uint32_t n_made;
    bool names_columns; /* the columns have their names from the header */
    struct csv_header_values values;
};

enum { SHOWN_BYTES = 60 }; /* most bytes of a text that a message shows */

/* True if a text of a column, counted from the parser's first one, means no value. */
static bool csv_is_missing(const struct csv_settings *cfg, const struct csv_parser *st,
                           uint32_t column, const char *text, uint32_t len)
{
    const struct leat_strings *missing = &cfg->missing;
    if (st->keeps && st->keeps[column]) return !len;
    if (len < st->shortest_missing || len > st->longest_missing) return false;
    for (uint32_t i = 0; i < missing->n; i++)
        if (strlen(missing->v[i]) == len && !memcmp(text, missing->v[i], len)) return true;
    return !missing->n; /* without `missing`, only the empty text */
}

/* Takes space in the batch for a text that the cell does not share with its row. */
static bool csv_take_space(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, uint32_t len,
                           uint32_t *off)
{
    *off = leat_add_bytes(b, len);
    if (*off != LEAT_NULL) return true;
    ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                      "the batch has no room for the row's fields with doubled quotes or escapes");
    return false;
}

/* Sets a text cell whose field has escapes. A text that means no value is compared as it stands in
 * the file. */
static bool csv_escaped_cell(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b,
                             uint32_t r, const struct csv_field *f, uint32_t i,
                             struct leat_str *cell)
{
    uint32_t from = b->raw[r].off + f->off, off = from, len = LEAT_NULL;
    int64_t other;
    if (!csv_is_missing(ctx->cfg, st, i, b->bytes + from, f->len)) {
        if (!csv_take_space(ctx, b, r, f->len, &off)) return false;
        len = tsv_undo(b->bytes + from, f->len, b->bytes + off, &other);
        if (other != TSV_NONE)
            csv_other_note(&st->other, i, b->bytes + from, f->len, (uint32_t)other);
    }
    *cell = (struct leat_str){off, len};
    return true;
}

/* True if a field is \N, without quotes around it. */
static bool csv_is_null(const struct csv_parser *st, const char *text, uint32_t len, bool at_start)
{
    if (!st->escapes || !tsv_is_null(text, len)) return false;
    return at_start || !st->dialect.quote || text[-1] != st->dialect.quote;
}

/* Sets a text cell. The functions for cells return false if they rejected the row. */
static bool csv_text_cell(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b,
                          uint32_t r, const struct csv_field *f, uint32_t i, struct leat_str *cell)
{
    uint32_t off = b->raw[r].off + f->off, len = f->len;
    if (csv_is_null(st, b->bytes + off, len, !f->off)) {
        *cell = (struct leat_str){off, LEAT_NULL};
        return true;
    }
    if (st->escapes && !st->dialect.quote && memchr(b->bytes + off, '\\', len))
        return csv_escaped_cell(ctx, st, b, r, f, i, cell);
    if (f->doubled) {
        uint32_t from = off;
        len -= f->doubled;
        if (!csv_take_space(ctx, b, r, len, &off)) return false;
        csv_unescape(&st->dialect, b->bytes + from, f->len, b->bytes + off);
    }
    if (csv_is_missing(ctx->cfg, st, i, b->bytes + off, len)) len = LEAT_NULL;
    *cell = (struct leat_str){off, len};
    return true;
}

/* Marks functions for rare rows. They are not inlined, because inlining slowed all other rows by a
 * sixth. */
#define RARE   __attribute__((noinline, cold))
#define CALLED __attribute__((noinline)) /* keeps the registers of the caller's loop free */

/* Reads a number in the format that the parameters define. */
RARE static enum decimal_status read_grouped(const struct csv_parser *st, const char *text,
                                             uint32_t len, double *x)
{
    char plain[GROUPED_MAX];
    size_t n = grouped_plain(&st->grouped, text, len, plain);
    return n ? decimal_whole(plain, plain + n, x) : DECIMAL_NONE;
}

/* Returns advice: parameters with which the text would be a number. Returns NULL if there are
 * none. */
RARE static const char *number_cure_of(const struct csv_parser *st, const char *text, uint32_t len)
{
    if (st->c_numbers) return number_cure(text, len);
    return st->grouped.thousands ? NULL : number_group_cure(st->grouped.decimal, text, len);
}

static bool csv_is_blank(char c) { return c == ' ' || c == '\t'; }

/* Reads a number with blanks around it. A blank text has no value. */
RARE static enum decimal_status read_trimmed(const struct csv_parser *st, const char *text,
                                             uint32_t len, double *x)
{
    const char *end = text + len;
    while (text < end && csv_is_blank(end[-1]))
        end--;
    while (text < end && csv_is_blank(*text))
        text++;
    if (text == end) return DECIMAL_OK;
    return st->c_numbers ? decimal_whole(text, end, x)
                         : read_grouped(st, text, (uint32_t)(end - text), x);
}

static bool csv_number_cell(struct leat_ctx *ctx, const struct csv_parser *st, struct leat_batch *b,
                            uint32_t r, const struct csv_field *f, uint32_t column, double *cell)
{
    const char *text = b->bytes + b->raw[r].off + f->off;
    *cell = (double)NAN;
    if (!f->len || csv_is_null(st, text, f->len, !f->off) ||
        csv_is_missing(ctx->cfg, st, column - st->first, text, f->len))
        return true;
    enum decimal_status status = st->c_numbers ? decimal_whole(text, text + f->len, cell)
                                               : read_grouped(st, text, f->len, cell);
    if (status == DECIMAL_NONE && (csv_is_blank(*text) || csv_is_blank(text[f->len - 1])))
        status = read_trimmed(st, text, f->len, cell);
    if (status == DECIMAL_OK) return true;
    bool finite = status != DECIMAL_NONFINITE;
    const char *cure = finite ? number_cure_of(st, text, f->len) : NULL;
    ctx->host->reject(
        ctx, b, r, finite ? LEAT_R_NUMBER : LEAT_R_NONFINITE, "column '%s': '%.*s' is %s%s%s",
        ctx->out->column[column].name, (int)(f->len < SHOWN_BYTES ? f->len : SHOWN_BYTES), text,
        finite ? "not a number"
        : number_is_too_large(&st->grouped, text, f->len)
            ? NUMBER_TOO_LARGE
            : "not finite: `missing` (--set missing_texts=…) lists texts that are no value",
        cure ? ": " : "", cure ? cure : "");
    return false;
}

static bool ends_with_delimiter(const struct csv_dialect *d, const char *text, uint32_t len)
{
    size_t more = d->more ? strlen(d->more) : 0;
    return len > more && text[len - more - 1] == d->delimiter &&
           !memcmp(text + len - more, d->more ? d->more : "", more);
}

/* Decides whether to accept a row with `found` fields instead of n. Returns true if so; the row is
 * then cut or filled to n fields. */
RARE static bool take_ragged(const struct csv_settings *cfg, struct csv_parser *st,
                             const char *text, uint32_t len, uint32_t found)
{
    if (found == st->n + 1 && ends_with_delimiter(&st->dialect, text, len)) {
        st->trailing++;
        return true;
    }
    if (found > st->n) {
        st->longer += cfg->extra == CSV_EXTRA_IGNORE;
        return cfg->extra == CSV_EXTRA_IGNORE;
    }
    if (cfg->short_rows == CSV_SHORT_REJECT) return false;
    st->shorter++;
    for (uint32_t i = found; i < st->n; i++)
        st->field[i] = (struct csv_field){.len = LEAT_NULL, .doubled = LEAT_NULL};
    return true;
}

static const char *hint_of(const char *row, size_t n)
{
    bool json = n > 1 && row[0] == '{' && row[n - 1] == '}';
    return json ? ": the row looks like JSON: use parse.json, or format=json" : "";
}

static const char *csv_cure_of(uint32_t found, uint32_t expected)
{
    return found > expected ? " (or set extra = \"ignore\")" : " (or set short = \"fill\")";
}

#define QUOTE_ESCAPED                                                                              \
    ": if \\ before a quote makes it text, as Spark and MySQL write, set escapes = \"backslash\""

/* Rejects a row that csv_split could not split into n fields. at: byte at which csv_split
 * stopped. */
RARE static void reject_row(struct leat_ctx *ctx, const struct csv_parser *st, struct leat_batch *b,
                            uint32_t r, enum csv_result result, uint32_t found, uint32_t at)
{
    const struct leat_host *h = ctx->host;
    const char *text = leat_text(b, b->raw[r]), *hint = hint_of(text, b->raw[r].len);
    const bool is_escaped = at > 1 && text[at - 2] == '\\' && !st->dialect.escapes;
    if (result == CSV_OPEN_QUOTE)
        h->reject(ctx, b, r, LEAT_R_QUOTE, "the quote at byte %u is never closed%s", at + 1, hint);
    else if (result == CSV_AFTER_QUOTE)
        h->reject(ctx, b, r, LEAT_R_QUOTE, "text follows the closing quote at byte %u%s", at + 1,
                  is_escaped ? QUOTE_ESCAPED : hint);
    else
        h->reject(ctx, b, r, LEAT_R_FIELDS, "the row has %u fields and must have %u%s", found,
                  st->n, *hint ? hint : csv_cure_of(found, st->n));
}

/* Splits row r into st->field. Returns false if the row was rejected. */
static bool split_row(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b, uint32_t r)
{
    const char *text = leat_text(b, b->raw[r]);
    const uint32_t len = b->raw[r].len;
    uint32_t found, at;
    enum csv_result result =
        csv_split_at(&st->dialect, &st->text, b->raw[r].off, len, st->field, st->n, &found, &at);
    if (result == CSV_OK && (found == st->n || take_ragged(ctx->cfg, st, text, len, found))) {
        csv_swallowed_look(&st->swallowed, &st->dialect, text, len, st->n);
        return true;
    }
    reject_row(ctx, st, b, r, result, found, at);
    return false;
}

/* Sets the cell of a field that the row does not have. */
static void set_missing(uint32_t type, union leat_cells cells, uint32_t r)
{
    if (type == LEAT_NUMBER)
        cells.number[r] = (double)NAN;
    else
        cells.text[r] = (struct leat_str){0, LEAT_NULL};
}

/* Sets the cell of column i, of whatever type, from its field. */
CALLED static bool csv_cell(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b,
                            uint32_t r, const struct csv_field *f, uint32_t i)
{
    union leat_cells cells = b->column[st->first + i];
    uint32_t type = ctx->out->column[st->first + i].type;
    if (f->len == LEAT_NULL) {
        set_missing(type, cells, r);
        return true;
    }
    return type == LEAT_NUMBER ? csv_number_cell(ctx, st, b, r, f, st->first + i, &cells.number[r])
                               : csv_text_cell(ctx, st, b, r, f, i, &cells.text[r]);
}

/* Fills the columns of record r from its fields. */
static void csv_fill(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b, uint32_t r)
{
    bool good = true;
    for (uint32_t k = 0; good && k < st->n_made; k++)
        good = csv_cell(ctx, st, b, r, &st->field[st->made[k].column], st->made[k].column);
}

/* Fills the columns of a record with quotes or a wrong number of fields, or rejects it. Filters an
 * empty record, unless it is the empty field of a single column. */
CALLED static void csv_parse_other(struct leat_ctx *ctx, struct csv_parser *st,
                                   struct leat_batch *b, uint32_t r)
{
    if (!b->raw[r].len && st->n > 1)
        leat_filter(b, r);
    else if (split_row(ctx, st, b, r))
        csv_fill(ctx, st, b, r);
}

/* Sets where the cells of the columns are in this batch, and whether its texts have escapes. */
static void csv_aim(const struct leat_ctx *ctx, struct csv_parser *st, const struct leat_batch *b)
{
    st->escapes = csv_has_escapes(ctx->cfg) && memchr(b->bytes, '\\', b->n_bytes);
    st->plain = st->escapes ? UINT32_MAX : st->longest_missing;
    for (struct csv_made *m = st->made; m < st->made + st->n_made; m++) {
        const uint32_t column = st->first + m->column;
        m->texts = ctx->out->column[column].type == LEAT_TEXT ? b->column[column].text : NULL;
    }
}

/* Fills the columns of all records. Those with quotes or a wrong number of fields, and cells other
 * than plain texts, are left to functions. */
static void csv_parse(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b)
{
    const struct csv_made *const made = st->made, *const stop = made + st->n_made;
    const uint32_t *const sel = b->sel, n = b->n_sel, last = st->n - 1, plain = st->plain;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t r = sel[k], row = b->raw[r].off, row_len = b->raw[r].len;
        const uint32_t *at = csv_delimiters(&st->dialect, &st->text, row, row_len, last + 1);
        if (!at) {
            csv_parse_other(ctx, st, b, r);
            continue;
        }
        for (const struct csv_made *m = made; m < stop; m++) {
            const uint32_t i = m->column, from = i ? at[i - 1] + 1 : row,
                           len = (i < last ? at[i] : row + row_len) - from;
            if (m->texts && len > plain)
                m->texts[r] = (struct leat_str){from, len};
            else if (!csv_cell(ctx, st, b, r, &(struct csv_field){from - row, len, 0}, i))
                break;
        }
    }
}

/* ---- the stages ---- */

static const char *const extra_names[] = {"reject", "ignore", NULL};
static const char *const escapes_names[] = {"auto", "backslash", "none", NULL};
static const char *const short_names[] = {"reject", "fill", NULL};

/* clang-format off */
#define QUOTE_PARAM(DEFAULT)                                                                       \
    LEAT_PARAM(struct csv_settings, quote, LEAT_STRING, .def = DEFAULT,                            \
               .doc = "character around fields that hold delimiters or line ends; \"\": none")
#define OTHER_PARAMS                                                                               \
    LEAT_PARAM(struct csv_settings, header, LEAT_BOOL, .flags = LEAT_LAYOUT, .def = "true",        \
               .doc = "each file's first record names the columns"),                               \
    LEAT_PARAM(struct csv_settings, columns, LEAT_STRINGS, .flags = LEAT_POSITIONAL | LEAT_LAYOUT, \
               .doc = "names of the columns, instead of those in the header"),                     \
    LEAT_PARAM(struct csv_settings, numbers, LEAT_STRINGS,                                         \
               .doc = "columns that hold numbers; the others hold text"),                          \
    LEAT_PARAM(struct csv_settings, missing, LEAT_STRINGS,                                         \
               .doc = "texts that mean no value, such as { \"\", \"NA\", \"-\" }; by default "     \
                      "the empty text, which in columns of numbers always means no value"),        \
    LEAT_PARAM(struct csv_settings, texts, LEAT_STRINGS,                                           \
               .doc = "columns in which only the empty text means no value, whatever `missing` "   \
                      "says",                                                                      \
               .only_with = "missing"),                                                            \
    LEAT_PARAM(struct csv_settings, decimal, LEAT_STRING, .def = ".",                              \
               .doc = "decimal mark of numbers: \".\" or \",\""),                   \
    LEAT_PARAM(struct csv_settings, thousands, LEAT_STRING,                                        \
               .doc = "mark between groups of three digits in numbers: \".\", \",\", \" \" "       \
                      "(also no-break spaces) or \"'\""),                                          \
    LEAT_PARAM(struct csv_settings, extra, LEAT_CHOICE, .def = "reject", .choices = extra_names,   \
               .doc = "rows with more fields than columns are rejected, or lose the fields after " \
                      "the last column"),                                                          \
    LEAT_PARAM(struct csv_settings, escapes, LEAT_CHOICE, .def = "auto", .choices = escapes_names, \
               .doc = "backslash: a backslash begins an escape, as databases write between tabs, " \
                      "and Spark and MySQL in quotes; none: it is text; auto: backslash between "  \
                      "tabs without `quote`, else none"),                                          \
    LEAT_PARAM_AS("short", struct csv_settings, short_rows, LEAT_CHOICE, .def = "reject",          \
                  .choices = short_names,                                                          \
                  .doc = "rows with fewer fields are rejected, or filled with fields without a "   \
                         "value")
/* clang-format on */

static const struct leat_param csv_params[] = {
    LEAT_PARAM(
        struct csv_settings, delimiter, LEAT_STRING, .def = ",",
        .doc =
            "what separates fields; \"\\t\" is a tab. More than one byte only with quote = \"\""),
    QUOTE_PARAM("\""),
    OTHER_PARAMS,
};

static const struct leat_param tsv_params[] = {
    QUOTE_PARAM(""),
    OTHER_PARAMS,
};

static int csv_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                    struct leat_plan *p)
{
    p->work_bytes =
        (out->n_columns - in->n_columns) * (sizeof(struct csv_field) + sizeof(struct csv_made));
    return LEAT_OK;
}

/* Stores the least and largest length of a text in `missing`. Most fields have another length and
 * need no comparison. */
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

/* Marks the columns of the parameter `texts`. */
static int csv_keep_texts(struct leat_ctx *ctx, struct csv_parser *st)
{
    const struct csv_settings *cfg = ctx->cfg;
    if (!cfg->texts.n) return LEAT_OK;
    st->keeps = ctx->host->alloc(ctx, st->n * sizeof *st->keeps);
    if (!st->keeps) return LEAT_ENOMEM;
    for (uint32_t k = 0; k < cfg->texts.n; k++) {
        uint32_t i = 0;
        while (i < st->n && strcmp(ctx->out->column[st->first + i].name, cfg->texts.v[k]) != 0)
            i++;
        if (i == st->n)
            return ctx->host->fail(ctx, LEAT_EARG, "texts: there is no column '%s'",
                                   cfg->texts.v[k]);
        st->keeps[i] = true;
    }
    return LEAT_OK;
}

/* Lists the columns whose cells are made: those that somebody reads, and numbers, because a wrong
 * number rejects its row. As long as the header may be a row, all. */
static void csv_choose(struct leat_ctx *ctx, struct csv_parser *st)
{
    const bool all = st->names_columns && st->values.rows < CSV_HEADER_ROWS;
    st->n_made = 0;
    for (uint32_t i = 0; i < st->n; i++)
        if (all || ctx->out->column[st->first + i].type == LEAT_NUMBER ||
            ctx->host->is_read(ctx, st->first + i))
            st->made[st->n_made++].column = i;
}

static int csv_open(struct leat_ctx *ctx, void *self)
{
    const struct csv_settings *cfg = ctx->cfg;
    struct csv_parser *st = self;
    st->dialect = csv_dialect_of(cfg);
    st->first = ctx->in->n_columns;
    st->n = ctx->out->n_columns - st->first;
    measure_missing(st, &cfg->missing);
    st->grouped = csv_form_of(cfg);
    st->c_numbers = grouped_is_plain(&st->grouped);
    st->names_columns = cfg->header && !cfg->columns.n;
    /* A name that looks like a value has caused a warning in csv_negotiate(). */
    for (uint32_t i = 0; i < st->n && st->names_columns; i++) {
        const char *name = ctx->out->column[st->first + i].name;
        st->names_columns = !csv_is_value(name, strlen(name), i);
    }
    if (!st->n) return ctx->host->fail(ctx, LEAT_EARG, "nothing names the columns: set `columns`");
    st->field = ctx->host->alloc(ctx, st->n * sizeof *st->field);
    st->made = ctx->host->alloc(ctx, st->n * sizeof *st->made);
    if (!st->field || !st->made) return LEAT_ENOMEM;
    csv_choose(ctx, st);
    return csv_keep_texts(ctx, st);
}

static void csv_close(struct leat_ctx *ctx, void *self)
{
    struct csv_parser *st = self;
    ctx->host->free(ctx, st->field);
    ctx->host->free(ctx, st->made);
}

static int csv_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct csv_parser *st = self;
    csv_text_begin(&st->text, b->bytes, b->n_bytes);
    csv_aim(ctx, st, b);
    csv_parse(ctx, st, b);
    if (st->names_columns && st->values.rows < CSV_HEADER_ROWS) {
        csv_header_look(&st->values, ctx, b, st->first, st->n);
        csv_choose(ctx, st);
    }
    return LEAT_OK;
}

/* Warns, once for all lanes, of rows that were accepted with a fault. */
static void csv_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t trailing = 0, longer = 0, shorter = 0;
    struct csv_other other = {0};
    struct csv_swallowed swallowed = {0};
    const struct csv_parser *first = self[0];
    if (first->names_columns) csv_header_warn(&first->values, ctx, first->first, first->n);
    for (uint32_t i = 0; i < lanes; i++) {
        const struct csv_parser *st = self[i];
        csv_other_add(&other, &st->other);
        csv_swallowed_add(&swallowed, &st->swallowed);
        trailing += st->trailing, longer += st->longer, shorter += st->shorter;
    }
    csv_other_warn(&other, ctx, first->first);
    csv_swallowed_warn(&swallowed, ctx);
    if (trailing)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu of the rows end with a delimiter after the last field: it was ignored",
                       (unsigned long long)trailing);
    if (longer || shorter)
        ctx->host->log(ctx, LEAT_WARN,
                       "rows with too many fields: %llu (the extra fields were ignored); rows with "
                       "too few: %llu (they were filled)",
                       (unsigned long long)longer, (unsigned long long)shorter);
}

/* Members that both stages share. */
#define ROWS_TO_COLUMNS                                                                            \
    PARSER_OF_COLUMNS, LEAT_INSTANCE(struct csv_parser, csv_open, csv_close),                      \
        .validate = csv_validate, .negotiate = csv_negotiate, .plan = csv_plan,                    \
        .framing = csv_framing, .process = csv_process, .finish = csv_finish

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
