/* csv_columns.c -- implementation of csv_columns.h. */
#include "csv_columns.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/name_look.h"
#include "kernels/text/decimal.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/tsv.h"

/* ---- parameters ---- */

struct csv_dialect csv_dialect_of(const struct csv_settings *cfg)
{
    bool tab = !cfg->delimiter || !strcmp(cfg->delimiter, "\\t");
    return (struct csv_dialect){.delimiter = tab ? '\t' : cfg->delimiter[0],
                                .quote = cfg->quote ? cfg->quote[0] : '\0',
                                .more =
                                    !tab && strlen(cfg->delimiter) > 1 ? cfg->delimiter + 1 : NULL,
                                .escapes = cfg->escapes == CSV_ESCAPES_BACKSLASH};
}

bool csv_has_escapes(const struct csv_settings *cfg)
{
    struct csv_dialect dialect = csv_dialect_of(cfg);
    if (cfg->escapes != CSV_ESCAPES_AUTO) return cfg->escapes == CSV_ESCAPES_BACKSLASH;
    return dialect.delimiter == '\t' && !dialect.more && !dialect.quote;
}

struct grouped csv_form_of(const struct csv_settings *cfg)
{
    return (struct grouped){cfg->decimal[0], cfg->thousands ? cfg->thousands[0] : '\0'};
}

static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

static void check_dialect(const struct csv_settings *cfg, struct leat_diag *d)
{
    struct csv_dialect dialect = csv_dialect_of(cfg);
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

static void check_numbers_text(const struct csv_settings *cfg, struct leat_diag *d)
{
    const char *t = cfg->thousands;
    if (strcmp(cfg->decimal, ".") && strcmp(cfg->decimal, ","))
        d->error(d, "decimal", "'%s' is not a decimal mark: give \".\" or \",\"", cfg->decimal);
    if (t && (!*t || t[1] || !strchr(".,' ", *t)))
        d->error(d, "thousands",
                 "'%s' is not a mark between groups of digits: give \".\", \",\", \" \" or \"'\", "
                 "or leave it out",
                 t);
    else if (t && *t == cfg->decimal[0])
        d->error(d, "thousands", "'%s' is also the decimal mark: set decimal = \"%s\"", t,
                 *t == ',' ? "." : ",");
}

int csv_validate(const void *config, struct leat_diag *d)
{
    const struct csv_settings *cfg = config;
    check_dialect(cfg, d);
    check_numbers_text(cfg, d);
    if (!cfg->header && !cfg->columns.n)
        d->error(d, "columns", "is empty: name the columns here, as header = false");
    return LEAT_OK;
}

int csv_framing(const void *config, struct leat_framing *f)
{
    const struct csv_settings *cfg = config;
    struct csv_dialect dialect = csv_dialect_of(cfg);
    f->kind = dialect.quote ? LEAT_CSV : LEAT_LINES;
    f->delimiter = dialect.delimiter;
    f->quote = dialect.quote;
    if (dialect.quote && dialect.escapes) f->flags |= LEAT_ESCAPES;
    f->header = cfg->header != 0;
    return LEAT_OK;
}

/* ---- columns ---- */

enum {
    SHOWN_BYTES = 60,    /* most bytes of a text that a message shows */
    LISTED_BYTES = 1000, /* most bytes of the names in a message */
    NUMBERED_BYTES = 20, /* room for "column 4294967295" and a NUL */
};

/* Names in the parameter `numbers`, sorted. `found` marks each name that is a column. */
struct numbers {
    const char **name;
    bool *found;
    uint32_t n;
    struct grouped form; /* format of numbers in text columns */
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int numbers_make(struct numbers *t, const struct csv_settings *cfg)
{
    const struct leat_strings *names = &cfg->numbers;
    t->form = csv_form_of(cfg);
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

/* True if `name` is in `numbers`. Marks all equal names as found. */
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

/* Adds a column. `name` has len bytes and a NUL. If the column is text, a later stage may read it
 * as a number in the format of the parameters. */
static int csv_columns_add_column(struct numbers *numbers, struct leat_negotiation *n,
                                  const char *name, size_t len)
{
    uint32_t index, type = numbers_mark(numbers, name) ? LEAT_NUMBER : LEAT_TEXT;
    int status = n->add_column(n, name, len, type, &index);
    if (status == LEAT_OK && type == LEAT_TEXT && !grouped_is_plain(&numbers->form))
        n->number_form(n, index, numbers->form.decimal, numbers->form.thousands);
    return status;
}

static int csv_columns_add_given(const struct csv_settings *cfg, struct leat_negotiation *n,
                                 struct numbers *numbers)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->columns.n; i++)
        status = csv_columns_add_column(numbers, n, cfg->columns.v[i], strlen(cfg->columns.v[i]));
    return status;
}

/* Writes the text of a field of the header. Returns its length. */
static uint32_t field_text(const struct csv_settings *cfg, const char *text,
                           const struct csv_field *f, char *to)
{
    int64_t other;
    struct csv_dialect dialect = csv_dialect_of(cfg);
    if (!dialect.quote && csv_has_escapes(cfg)) return tsv_undo(text + f->off, f->len, to, &other);
    if (f->doubled) return csv_unescape(&dialect, text + f->off, f->len, to);
    memcpy(to, text + f->off, f->len);
    return f->len;
}

/* A year, or the column's own number, does not look like a value, because columns may have such
 * names. */
bool csv_is_value(const char *name, size_t len, uint32_t column)
{
    double x;
    if (decimal_whole(name, name + len, &x) != DECIMAL_OK) return false;
    bool year = len == 4 && x >= 1000 && x < 10000 && x == floor(x);
    return !year && x != column && x != column + 1.0;
}

/* Warns of a name that is a number, because the file may have no header. Its first row would then
 * be lost, and its values would become names. */
static void suggest_no_header(struct leat_negotiation *n, const char *name, size_t len)
{
    n->diag->warn(n->diag, "header",
                  "the header has the column name '%.*s', which is a number: if the file has no "
                  "header, set header = false and `columns`",
                  (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES), name);
}

/* Adds a column of the header. name: buffer for the longest name. A column without a name is called
 * by its number: "column 3". */
static int add_named(const struct csv_settings *cfg, struct leat_negotiation *n,
                     struct numbers *numbers, const char *text, const struct csv_field *field,
                     uint32_t fields, char *name)
{
    int status = LEAT_OK;
    bool warned = false;
    for (uint32_t i = 0; status == LEAT_OK && i < fields; i++) {
        uint32_t len = field_text(cfg, text, &field[i], name);
        if (!len) len = (uint32_t)snprintf(name, NUMBERED_BYTES, "column %u", (unsigned)i + 1);
        name[len] = '\0';
        if (!warned && csv_is_value(name, len, i)) {
            suggest_no_header(n, name, len);
            warned = true;
        }
        status = csv_columns_add_column(numbers, n, name, len);
    }
    return status;
}

/* Warns if the header is a single name that contains another common delimiter, such as ;. */
static void suggest_delimiter(const struct csv_settings *cfg, struct leat_negotiation *n,
                              const char *text, uint32_t len)
{
    static const char *const shown[] = {";", "\\t", "|", ","};
    if (cfg->columns.n > 1 || memchr(text, csv_dialect_of(cfg).delimiter, len)) return;
    for (const char *c = ";\t|,"; *c; c++)
        if (memchr(text, *c, len)) {
            n->diag->warn(n->diag, "delimiter",
                          "the header has only one name, '%.*s': if '%s' separates the names, set "
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

/* Adds the columns of a header. If `columns` is set, only checks the number of names. */
static int add_from_header(const struct csv_settings *cfg, struct leat_negotiation *n,
                           struct numbers *numbers, const char *text, uint32_t len)
{
    struct csv_dialect dialect = csv_dialect_of(cfg);
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
    if (given) return given == fields ? csv_columns_add_given(cfg, n, numbers) : LEAT_EARG;
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

/* Uses the header record, without its byte order mark. */
static int use_header(const struct csv_settings *cfg, struct leat_negotiation *n,
                      struct numbers *numbers)
{
    const char *text = n->in->header;
    uint32_t len = n->in->header_len;
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3;
        len -= 3;
    }
    if (len) return add_from_header(cfg, n, numbers, text, len);
    n->diag->error(n->diag, "header",
                   "the input has no header, because it is empty or its first line is: check the "
                   "file, or if it should have no header, set header = false and `columns`");
    return LEAT_EARG;
}

/* Lists the names of the columns, as many as fit, for a message. */
static void list_columns(const struct leat_negotiation *n, char all[LISTED_BYTES])
{
    size_t used = 0;
    for (uint32_t i = n->in->n_columns; i < n->out->n_columns; i++) {
        const char *name = n->out->column[i].name;
        const char *quote = name_looks_plain(name) ? "" : "'";
        if (used + strlen(name) + sizeof "'', …" > LISTED_BYTES) {
            strcpy(all + used, "…");
            return;
        }
        used += (size_t)sprintf(all + used, "%s%s%s%s", quote, name, quote,
                                i + 1 < n->out->n_columns ? ", " : "");
    }
}

#define BLANKS_OF_HEADER "; blanks around a name are part of it (set other names with `columns`)"

/* Returns the column with the most similar name; NULL if no name is similar. */
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
        n->diag->error(
            n->diag, "numbers", "the input has no column '%s'%s%s%s (columns: %s)%s",
            numbers->name[i], near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "",
            all, near && name_has_blanks_more(numbers->name[i], near) ? BLANKS_OF_HEADER : "");
        status = LEAT_EARG;
    }
    return status;
}

/* Adds the columns, as far as they are known. */
static int name_columns(const struct csv_settings *cfg, struct leat_negotiation *n,
                        struct numbers *numbers)
{
    if (cfg->header && n->in->header) return use_header(cfg, n, numbers);
    if (cfg->columns.n) return csv_columns_add_given(cfg, n, numbers);
    n->out->open = 1;
    return LEAT_OK;
}

int csv_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct csv_settings *cfg = config;
    struct numbers numbers;
    int status = numbers_make(&numbers, cfg);
    if (csv_dialect_of(cfg).quote || csv_has_escapes(cfg))
        n->add_bounds(n, &(struct leat_bounds){.copies_text = 1});
    if (status == LEAT_OK) status = name_columns(cfg, n, &numbers);
    if (status == LEAT_OK && !n->out->open) status = check_numbers(n, &numbers);
    numbers_free(&numbers);
    return status;
}
