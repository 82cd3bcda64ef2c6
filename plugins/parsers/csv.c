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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "base/text/grouped.h"
#include "base/text/number_cure.h"
#include "kernels/text/csv.h"
#include "kernels/text/decimal.h"
#include "kernels/text/edit_distance.h"
#include "header_values.h"
#include "parser.h"
#include "parsers/docs.h"

enum {
    SHOWN_BYTES = 60,    /* of a text in a message */
    LISTED_BYTES = 1000, /* of names in a message */
    NUMBERED_BYTES = 20, /* "column 4294967295" and a NUL */
};

struct cfg {
    const char *delimiter; /* NULL: a tab */
    const char *quote;     /* "": none    */
    int32_t header;
    struct leat_strings columns, numbers, missing;
    const char *decimal, *thousands; /* thousands NULL: none */
    int32_t extra, short_rows;
};
enum { EXTRA_REJECT, EXTRA_IGNORE };
enum { SHORT_REJECT, SHORT_FILL };
static const char *const extra_names[] = {"reject", "ignore", NULL};
static const char *const short_names[] = {"reject", "fill", NULL};

struct parser {
    struct csv_dialect dialect;
    uint32_t first, n;                          /* of this parser's columns, among the batch's */
    uint32_t shortest_missing, longest_missing; /* bytes of the texts in `missing` */
    struct grouped grouped;
    bool plain;                         /* numbers as C has them */
    uint64_t trailing, longer, shorter; /* rows with such fields, that were taken */
    struct csv_field *field;            /* n: the row that is parsed */
    bool names_columns;                 /* the header does */
    struct header_values values;
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
    LEAT_PARAM(struct cfg, missing, LEAT_STRINGS,                                                  \
               .doc = "texts that mean no value, such as { \"\", \"NA\", \"-\" }; none: the empty "   \
                      "text. In columns of numbers that always does"),                             \
    LEAT_PARAM(struct cfg, decimal, LEAT_STRING, .def = ".",                                       \
               .doc = "what is before the fraction of numbers: \".\" or \",\""),                   \
    LEAT_PARAM(struct cfg, thousands, LEAT_STRING,                                                 \
               .doc = "what groups the digits of numbers by three: \".\", \",\", \" \" (also those " \
                      "that do not break) or \"'\""),                                              \
    LEAT_PARAM(struct cfg, extra, LEAT_CHOICE, .def = "reject", .choices = extra_names,            \
               .doc = "rows with more fields than columns are rejected, or lose the fields after "  \
                      "the last column"),                                                          \
    LEAT_PARAM_AS("short", struct cfg, short_rows, LEAT_CHOICE, .def = "reject",                   \
                  .choices = short_names,                                                          \
                  .doc = "rows with fewer fields are rejected, or filled with fields without a value")
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

static void check_numbers_text(const struct cfg *cfg, struct leat_diag *d)
{
    const char *t = cfg->thousands;
    if (strcmp(cfg->decimal, ".") && strcmp(cfg->decimal, ","))
        d->error(d, "decimal", "'%s' is before no fraction: give \".\" or \",\"", cfg->decimal);
    if (t && (!*t || t[1] || !strchr(".,' ", *t)))
        d->error(d, "thousands",
                 "'%s' groups no digits: give \".\", \",\", \" \" or \"'\", or leave it out", t);
    else if (t && *t == cfg->decimal[0])
        d->error(d, "thousands", "'%s' is before the fraction, too: set decimal = \"%s\"", t,
                 *t == ',' ? "." : ",");
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    check_dialect(cfg, d);
    check_numbers_text(cfg, d);
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

/* The names in `numbers`, sorted, and which of them a column has. */
struct numbers {
    const char **name;
    bool *found;
    uint32_t n;
    struct grouped form; /* of numbers that other columns hold as text */
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct grouped form_of(const struct cfg *cfg)
{
    return (struct grouped){cfg->decimal[0], cfg->thousands ? cfg->thousands[0] : '\0'};
}

static int numbers_make(struct numbers *t, const struct cfg *cfg)
{
    const struct leat_strings *names = &cfg->numbers;
    t->form = form_of(cfg);
    t->n = names->n;
    t->name = malloc((names->n + 1) * sizeof *t->name);
    t->found = calloc(names->n + 1, sizeof *t->found);
    if (!t->name || !t->found) return LEAT_ENOMEM;
    for (uint32_t i = 0; i < names->n; i++)
        t->name[i] = names->v[i];
    qsort(t->name, t->n, sizeof *t->name, by_text);
    return LEAT_OK;
}

static void numbers_free(struct numbers *t)
{
    free(t->name);
    free(t->found);
}

/* Is `name` among them? Then all equal ones are marked. */
static bool numbers_mark(struct numbers *t, const char *name)
{
    const char **at = bsearch(&name, t->name, t->n, sizeof *t->name, by_text);
    if (!at) return false;
    uint32_t i = (uint32_t)(at - t->name);
    while (i && !strcmp(t->name[i - 1], name))
        i--;
    for (; i < t->n && !strcmp(t->name[i], name); i++)
        t->found[i] = true;
    return true;
}

/* name: len bytes and a NUL. A later stage may read a text as a number, written as all are. */
static int add_column(struct numbers *numbers, struct leat_negotiation *n, const char *name,
                      size_t len)
{
    uint32_t index, type = numbers_mark(numbers, name) ? LEAT_NUMBER : LEAT_TEXT;
    int status = n->add_column(n, name, len, type, &index);
    if (status == LEAT_OK && type == LEAT_TEXT && !grouped_is_plain(&numbers->form))
        n->number_form(n, index, numbers->form.decimal, numbers->form.thousands);
    return status;
}

static int add_given(const struct cfg *cfg, struct leat_negotiation *n, struct numbers *numbers)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->columns.n; i++)
        status = add_column(numbers, n, cfg->columns.v[i], strlen(cfg->columns.v[i]));
    return status;
}

static uint32_t field_text(const char *text, const struct csv_field *f, char quote, char *to)
{
    if (f->doubled) return csv_unescape(text + f->off, f->len, quote, to);
    memcpy(to, text + f->off, f->len);
    return f->len;
}

/* Is a name of a header rather a value: a number, and neither a year nor that of the column? */
static bool is_value(const char *name, size_t len, uint32_t column)
{
    double x;
    if (decimal_whole(name, name + len, &x) != DECIMAL_OK) return false;
    bool year = len == 4 && x >= 1000 && x == (double)(int)x;
    return !year && x != column && x != column + 1.0;
}

/* A file without a header loses its first row, and has columns of its values. */
static void suggest_no_header(struct leat_negotiation *n, const char *name, size_t len)
{
    n->diag->warn(n->diag, "header",
                  "the header names a column '%.*s', which is a number: if the file has no header, "
                  "set header = false and `columns`",
                  (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES), name);
}

/* name: room for the longest one. A column without a name gets its number: "column 3". */
static int add_named(const struct cfg *cfg, struct leat_negotiation *n, struct numbers *numbers,
                     const char *text, const struct csv_field *field, uint32_t fields, char *name)
{
    int status = LEAT_OK;
    bool told = false;
    for (uint32_t i = 0; status == LEAT_OK && i < fields; i++) {
        uint32_t len = field_text(text, &field[i], dialect_of(cfg).quote, name);
        if (!len) len = (uint32_t)snprintf(name, NUMBERED_BYTES, "column %u", (unsigned)i + 1);
        name[len] = '\0';
        if (!told && is_value(name, len, i)) {
            suggest_no_header(n, name, len);
            told = true;
        }
        status = add_column(numbers, n, name, len);
    }
    return status;
}

/* A header of one name that holds what separates names elsewhere. */
static void suggest_delimiter(const struct cfg *cfg, struct leat_negotiation *n, const char *text,
                              uint32_t len)
{
    static const char *const shown[] = {";", "\\t", "|", ","};
    if (cfg->columns.n > 1 || memchr(text, dialect_of(cfg).delimiter, len)) return;
    for (const char *c = ";\t|,"; *c; c++)
        if (memchr(text, *c, len)) {
            n->diag->warn(n->diag, "delimiter",
                          "the header is one name, '%.*s': if '%s' separates the names, set "
                          "delimiter = \"%s\"",
                          (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES), text, shown[c - ";\t|,"],
                          shown[c - ";\t|,"]);
            return;
        }
}

static bool looks_like_json(const char *text, uint32_t len)
{
    return len > 2 && (*text == '{' || *text == '[') && memchr(text, '"', len) &&
           memchr(text, ':', len);
}

/* With `columns`, the header must only have as many names. */
static int add_from_header(const struct cfg *cfg, struct leat_negotiation *n,
                           struct numbers *numbers, const char *text, uint32_t len)
{
    struct csv_dialect dialect = dialect_of(cfg);
    uint32_t fields, at, given = cfg->columns.n;
    if (looks_like_json(text, len)) {
        n->diag->error(n->diag, "header",
                       "the first line is JSON, '%.*s…': use parse.json in place of this stage",
                       (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES), text);
        return LEAT_EARG;
    }
    if (csv_split(&dialect, text, len, NULL, 0, &fields, &at) != CSV_OK) {
        n->diag->error(n->diag, "header", "the header has a wrong quote at byte %u",
                       (unsigned)at + 1);
        return LEAT_EARG;
    }
    if (fields == 1) suggest_delimiter(cfg, n, text, len);
    if (given && given != fields)
        n->diag->error(n->diag, "columns", "names %u columns, but the header names %u",
                       (unsigned)given, (unsigned)fields);
    if (given) return given == fields ? add_given(cfg, n, numbers) : LEAT_EARG;
    struct csv_field *field = malloc(fields * sizeof *field);
    char *name = malloc(len + NUMBERED_BYTES);
    int status = LEAT_ENOMEM;
    if (field && name) {
        csv_split(&dialect, text, len, field, fields, &fields, &at);
        status = add_named(cfg, n, numbers, text, field, fields, name);
    }
    free(name);
    free(field);
    return status;
}

/* The header record, without a byte order mark before it. */
static int use_header(const struct cfg *cfg, struct leat_negotiation *n, struct numbers *numbers)
{
    const char *text = n->in->header;
    uint32_t len = n->in->header_len;
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3;
        len -= 3;
    }
    if (len) return add_from_header(cfg, n, numbers, text, len);
    n->diag->error(n->diag, "header",
                   "the input has no header, as it or its first line is empty: see whether it is "
                   "the right file; for one without a header set header = false and `columns`");
    return LEAT_EARG;
}

/* Of a name that is not, one would not see where it begins or ends. */
static bool is_plain(const char *name)
{
    size_t n = strlen(name);
    return n && name[0] != ' ' && name[n - 1] != ' ' && !strchr(name, ',');
}

/* The names of the columns, as many as there is space for. */
static void list_columns(const struct leat_negotiation *n, char all[LISTED_BYTES])
{
    size_t used = 0;
    for (uint32_t i = n->in->n_columns; i < n->out->n_columns; i++) {
        const char *name = n->out->column[i].name;
        const char *quote = is_plain(name) ? "" : "'";
        if (used + strlen(name) + sizeof "'', …" > LISTED_BYTES) {
            strcpy(all + used, "…");
            return;
        }
        used += (size_t)sprintf(all + used, "%s%s%s%s", quote, name, quote,
                                i + 1 < n->out->n_columns ? ", " : "");
    }
}

#define BLANKS_OF_HEADER "; blanks around names belong to them (`columns` gives others)"

static bool differs_by_blanks(const char *name, const char *column)
{
    size_t n = strlen(name);
    column += strspn(column, " ");
    return !strncmp(name, column, n) && !column[n + strspn(column + n, " ")];
}

/* The column that was meant; NULL: none is near. */
static const char *near_column(const struct leat_negotiation *n, const char *word)
{
    uint32_t first = n->in->n_columns, many = n->out->n_columns - first;
    const char **names = calloc(many + 1, sizeof *names);
    for (uint32_t i = 0; names && i < many; i++)
        names[i] = n->out->column[first + i].name;
    const char *near = names ? edit_nearest(word, names) : NULL;
    free(names);
    return near;
}

static int check_numbers(struct leat_negotiation *n, const struct numbers *numbers)
{
    char all[LISTED_BYTES];
    int status = LEAT_OK;
    for (uint32_t i = 0; i < numbers->n; i++) {
        if (numbers->found[i]) continue;
        if (status == LEAT_OK) list_columns(n, all);
        const char *near = near_column(n, numbers->name[i]);
        n->diag->error(n->diag, "numbers", "the input has no column '%s'%s%s%s (columns: %s)%s",
                       numbers->name[i], near ? ": did you mean '" : "", near ? near : "",
                       near ? "'?" : "", all,
                       near && differs_by_blanks(numbers->name[i], near) ? BLANKS_OF_HEADER : "");
        status = LEAT_EARG;
    }
    return status;
}

/* The columns, as far as they are known. */
static int name_columns(const struct cfg *cfg, struct leat_negotiation *n, struct numbers *numbers)
{
    if (cfg->header && n->in->header) return use_header(cfg, n, numbers);
    if (cfg->columns.n) return add_given(cfg, n, numbers);
    n->out->open = 1;
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    struct numbers numbers;
    int status = numbers_make(&numbers, cfg);
    if (dialect_of(cfg).quote) n->add_bounds(n, &(struct leat_bounds){.copies_text = 1});
    if (status == LEAT_OK) status = name_columns(cfg, n, &numbers);
    if (status == LEAT_OK && !n->out->open) status = check_numbers(n, &numbers);
    numbers_free(&numbers);
    return status;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    p->work_bytes = (out->n_columns - in->n_columns) * sizeof(struct csv_field);
    return LEAT_OK;
}

/* ---- running ---- */

/* Most fields are longer, or shorter, than all of them. */
static void measure_missing(struct parser *st, const struct leat_strings *missing)
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
    const struct cfg *cfg = ctx->cfg;
    struct parser *st = self;
    st->dialect = dialect_of(cfg);
    st->first = ctx->in->n_columns;
    st->n = ctx->out->n_columns - st->first;
    measure_missing(st, &cfg->missing);
    st->grouped = form_of(cfg);
    st->plain = grouped_is_plain(&st->grouped);
    st->names_columns = cfg->header && !cfg->columns.n;
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
    const struct leat_strings *missing = &cfg->missing;
    if (len < st->shortest_missing || len > st->longest_missing) return false;
    for (uint32_t i = 0; i < missing->n; i++)
        if (strlen(missing->v[i]) == len && !memcmp(text, missing->v[i], len)) return true;
    return !missing->n; /* the empty text, which is as long */
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

/* Out of line, as is all that rows of other files do not need: it made these a sixth slower. */
#define RARE __attribute__((noinline, cold))

/* A number as the parameters write it. */
RARE static enum decimal_status read_grouped(const struct parser *st, const char *text,
                                             uint32_t len, double *x)
{
    char plain[GROUPED_MAX];
    size_t n = grouped_plain(&st->grouped, text, len, plain);
    return n ? decimal_whole(plain, plain + n, x) : DECIMAL_NONE;
}

/* The settings that make a number of the text; NULL: none are known. */
RARE static const char *number_cure_of(const struct parser *st, const char *text, uint32_t len)
{
    if (st->plain) return number_cure(text, len);
    return st->grouped.thousands ? NULL : number_group_cure(st->grouped.decimal, text, len);
}

static bool number_cell(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                        uint32_t r, const struct csv_field *f, uint32_t column, double *cell)
{
    const char *text = b->bytes + b->raw[r].off + f->off;
    *cell = (double)NAN;
    if (!f->len || is_missing(ctx->cfg, st, text, f->len)) return true;
    enum decimal_status status =
        st->plain ? decimal_whole(text, text + f->len, cell) : read_grouped(st, text, f->len, cell);
    if (status == DECIMAL_OK) return true;
    bool finite = status != DECIMAL_NONFINITE;
    const char *cure = finite ? number_cure_of(st, text, f->len) : NULL;
    ctx->host->reject(ctx, b, r, finite ? LEAT_R_NUMBER : LEAT_R_NONFINITE,
                      "column '%s': '%.*s' is %s%s%s", ctx->out->column[column].name,
                      (int)(f->len < SHOWN_BYTES ? f->len : SHOWN_BYTES), text,
                      finite                                            ? "not a number"
                      : number_is_too_large(&st->grouped, text, f->len) ? NUMBER_TOO_LARGE
                                                                        : "not finite",
                      cure ? ": " : "", cure ? cure : "");
    return false;
}

static bool ends_with_delimiter(const struct csv_dialect *d, const char *text, uint32_t len)
{
    size_t more = d->more ? strlen(d->more) : 0;
    return len > more && text[len - more - 1] == d->delimiter &&
           !memcmp(text + len - more, d->more ? d->more : "", more);
}

/* Is a row that has `found` fields taken? It is made to have the right number. */
RARE static bool take_ragged(const struct cfg *cfg, struct parser *st, const char *text,
                             uint32_t len, uint32_t found)
{
    if (found == st->n + 1 && ends_with_delimiter(&st->dialect, text, len)) {
        st->trailing++;
        return true;
    }
    if (found > st->n) {
        st->longer += cfg->extra == EXTRA_IGNORE;
        return cfg->extra == EXTRA_IGNORE;
    }
    if (cfg->short_rows == SHORT_REJECT) return false;
    st->shorter++;
    for (uint32_t i = found; i < st->n; i++)
        st->field[i] = (struct csv_field){.len = LEAT_NULL};
    return true;
}

static const char *hint_of(const char *row, size_t n)
{
    bool json = n > 1 && row[0] == '{' && row[n - 1] == '}';
    return json ? ": the row looks like JSON: use parse.json, or format=json" : "";
}

static const char *cure_of(uint32_t found, uint32_t expected)
{
    return found > expected ? " (or set extra = \"ignore\")" : " (or set short = \"fill\")";
}

/* at: the byte that csv_split stopped at. */
RARE static void reject_row(struct leat_ctx *ctx, const struct parser *st, struct leat_batch *b,
                            uint32_t r, enum csv_result result, uint32_t found, uint32_t at)
{
    const struct leat_host *h = ctx->host;
    const char *hint = hint_of(leat_text(b, b->raw[r]), b->raw[r].len);
    if (result == CSV_OPEN_QUOTE)
        h->reject(ctx, b, r, LEAT_R_QUOTE, "the quote at byte %u is never closed%s", at + 1, hint);
    else if (result == CSV_AFTER_QUOTE)
        h->reject(ctx, b, r, LEAT_R_QUOTE, "byte %u is text after the closing quote%s", at + 1,
                  hint);
    else
        h->reject(ctx, b, r, LEAT_R_FIELDS, "the row has %u fields and must have %u%s", found,
                  st->n, *hint ? hint : cure_of(found, st->n));
}

/* Splits row r into st->field. false: the row was rejected. */
static bool split_row(struct leat_ctx *ctx, struct parser *st, struct leat_batch *b, uint32_t r)
{
    uint32_t found, at;
    enum csv_result result = csv_split(&st->dialect, leat_text(b, b->raw[r]), b->raw[r].len,
                                       st->field, st->n, &found, &at);
    if (result == CSV_OK && (found == st->n || take_ragged(ctx->cfg, st, leat_text(b, b->raw[r]),
                                                           b->raw[r].len, found)))
        return true;
    reject_row(ctx, st, b, r, result, found, at);
    return false;
}

/* Of a row that is too short. */
static void set_missing(uint32_t type, union leat_cells cells, uint32_t r)
{
    if (type == LEAT_NUMBER)
        cells.number[r] = (double)NAN;
    else
        cells.text[r] = (struct leat_str){0, LEAT_NULL};
}

static void parse_row(struct leat_ctx *ctx, struct parser *st, struct leat_batch *b, uint32_t r)
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
        if (st->field[i].len == LEAT_NULL)
            set_missing(column[i].type, cells, r);
        else if (column[i].type == LEAT_NUMBER)
            good = number_cell(ctx, st, b, r, &st->field[i], st->first + i, &cells.number[r]);
        else
            good = text_cell(ctx, st, b, r, &st->field[i], &cells.text[r]);
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct parser *st = self;
    for (LEAT_EACH_RECORD(b, r))
        parse_row(ctx, st, b, r);
    if (st->names_columns && st->values.rows < HEADER_VALUES_ROWS)
        header_values_look(&st->values, ctx, b, st->first, st->n);
    return LEAT_OK;
}

/* The lanes together: what was taken although it was not right. */
static void finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    uint64_t trailing = 0, longer = 0, shorter = 0;
    const struct parser *first = self[0];
    if (first->names_columns) header_values_warn(&first->values, ctx, first->first, first->n);
    for (uint32_t i = 0; i < lanes; i++) {
        const struct parser *st = self[i];
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
    PARSER_OF_COLUMNS, LEAT_INSTANCE(struct parser, open_parser, close_parser),                    \
        .validate = validate, .negotiate = negotiate, .plan = plan, .framing = framing,            \
        .process = process, .finish = finish

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
