/* csv_rows.c -- see csv_rows.h. The kernels do the work: csv splits, decimal reads numbers. */
#include "csv_rows.h"

#include <math.h>
#include <string.h>

#include "core/text/number_cure.h"
#include "csv_settings.h"
#include "kernels/text/decimal.h"

enum { SHOWN_BYTES = 60 }; /* of a text in a message */

static bool is_missing(const struct csv_settings *cfg, const struct csv_parser *st,
                       const char *text, uint32_t len)
{
    const struct leat_strings *missing = &cfg->missing;
    if (len < st->shortest_missing || len > st->longest_missing) return false;
    for (uint32_t i = 0; i < missing->n; i++)
        if (strlen(missing->v[i]) == len && !memcmp(text, missing->v[i], len)) return true;
    return !missing->n; /* the empty text, which is as long */
}

/* The cell functions return false after rejecting the row. */
static bool text_cell(struct leat_ctx *ctx, const struct csv_parser *st, struct leat_batch *b,
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
RARE static enum decimal_status read_grouped(const struct csv_parser *st, const char *text,
                                             uint32_t len, double *x)
{
    char plain[GROUPED_MAX];
    size_t n = grouped_plain(&st->grouped, text, len, plain);
    return n ? decimal_whole(plain, plain + n, x) : DECIMAL_NONE;
}

/* The settings that make a number of the text; NULL: none are known. */
RARE static const char *number_cure_of(const struct csv_parser *st, const char *text, uint32_t len)
{
    if (st->plain) return number_cure(text, len);
    return st->grouped.thousands ? NULL : number_group_cure(st->grouped.decimal, text, len);
}

static bool number_cell(struct leat_ctx *ctx, const struct csv_parser *st, struct leat_batch *b,
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
RARE static void reject_row(struct leat_ctx *ctx, const struct csv_parser *st, struct leat_batch *b,
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
static bool split_row(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b, uint32_t r)
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

void csv_parse_row(struct leat_ctx *ctx, struct csv_parser *st, struct leat_batch *b, uint32_t r)
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
