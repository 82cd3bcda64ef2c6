/* csv_settings.c -- see csv_settings.h. */
#include "csv_settings.h"

#include <stdbool.h>
#include <string.h>

struct csv_dialect csv_dialect_of(const struct csv_settings *cfg)
{
    bool tab = !cfg->delimiter || !strcmp(cfg->delimiter, "\\t");
    return (struct csv_dialect){.delimiter = tab ? '\t' : cfg->delimiter[0],
                                .quote = cfg->quote ? cfg->quote[0] : '\0',
                                .more =
                                    !tab && strlen(cfg->delimiter) > 1 ? cfg->delimiter + 1 : NULL};
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
        d->error(d, "decimal", "'%s' is before no fraction: give \".\" or \",\"", cfg->decimal);
    if (t && (!*t || t[1] || !strchr(".,' ", *t)))
        d->error(d, "thousands",
                 "'%s' groups no digits: give \".\", \",\", \" \" or \"'\", or leave it out", t);
    else if (t && *t == cfg->decimal[0])
        d->error(d, "thousands", "'%s' is before the fraction, too: set decimal = \"%s\"", t,
                 *t == ',' ? "." : ",");
}

int csv_validate(const void *config, struct leat_diag *d)
{
    const struct csv_settings *cfg = config;
    check_dialect(cfg, d);
    check_numbers_text(cfg, d);
    if (!cfg->header && !cfg->columns.n)
        d->error(d, "columns", "is empty: with header = false nothing else names the columns");
    return LEAT_OK;
}

int csv_framing(const void *config, struct leat_framing *f)
{
    const struct csv_settings *cfg = config;
    struct csv_dialect dialect = csv_dialect_of(cfg);
    f->kind = dialect.quote ? LEAT_CSV : LEAT_LINES;
    f->delimiter = dialect.delimiter;
    f->quote = dialect.quote;
    f->header = cfg->header != 0;
    return LEAT_OK;
}
