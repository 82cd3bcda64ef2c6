/* path_row.c -- cells of path_columns.h: values that are missing, null, blank, of another type. */
#include "path_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text/number_cure.h"
#include "core/text/number_text.h"
#include "kernels/text/decimal.h"

enum { SHOWN_BYTES = 60 }; /* most bytes of a text that a message shows */

static const char *row_name(const struct path_row *row)
{
    return path_columns_name(row->ctx, row->columns, row->i);
}

static const char *row_path(const struct path_row *row)
{
    return path_columns_path(row->ctx, row->columns, row->i);
}

void path_row_clear(const struct path_row *row)
{
    union leat_cells cells = row->b->column[row->columns->first + row->i];
    uint32_t type = path_columns_type(row->ctx, row->columns, row->i);
    if (type == LEAT_TEXT)
        cells.text[row->r] = (struct leat_str){0, LEAT_NULL};
    else if (type == LEAT_INT64)
        cells.int64[row->r] = LEAT_NO_INT64;
    else
        cells.number[row->r] = (double)NAN;
}

bool path_row_missing(const struct path_row *row)
{
    if (row->columns->cfg->missing == PATH_AS_EMPTY) return true;
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_FIELDS,
                           "column '%s': the record has no %s", row_name(row), row_path(row));
    return false;
}

bool path_row_null(const struct path_row *row)
{
    if (row->columns->cfg->null == PATH_AS_EMPTY) return true;
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_FIELDS, "column '%s': %s is null",
                           row_name(row), row_path(row));
    return false;
}

#define SET_OTHER "set other = \"empty\" to leave such cells empty"

bool path_columns_takes_other(const struct path_columns_cfg *cfg)
{
    return cfg->other == PATH_AS_EMPTY;
}

static bool takes_other(const struct path_row *row)
{
    return path_columns_takes_other(row->columns->cfg);
}

bool path_row_compound(const struct path_row *row, const char *what, bool keyed, uint32_t at)
{
    char byte[32] = "";
    if (takes_other(row)) return true;
    if (at != PATH_ROW_NOWHERE) snprintf(byte, sizeof byte, " (byte %u)", (unsigned)at + 1);
    row->ctx->host->reject(
        row->ctx, row->b, row->r, LEAT_R_FIELDS,
        "column '%s': %s is %s%s, and a column takes single values: %s; " SET_OTHER, row_name(row),
        row_path(row), what, byte,
        keyed ? "add a key, as in a.b" : "add an element, [0], or all, [*]");
    return false;
}

bool path_row_full(const struct path_row *row)
{
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_TOO_LARGE,
                           "the batch has no room for the text of column '%s'", row_name(row));
    return false;
}

/* Moves both ends of the text past blanks. Returns true if nothing is left, which is no value. */
static bool row_trim(const char **text, uint32_t *len)
{
    while (*len && (**text == ' ' || **text == '\t'))
        ++*text, --*len;
    while (*len && ((*text)[*len - 1] == ' ' || (*text)[*len - 1] == '\t'))
        --*len;
    return !*len;
}

/* Handles a text of blanks where a number is needed. */
static bool row_blank(const struct path_row *row)
{
    if (row->columns->cfg->missing == PATH_AS_EMPTY) return true;
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_FIELDS,
                           "column '%s': %s is blank, which is no number", row_name(row),
                           row_path(row));
    return false;
}

/* LEAT_NO_INT64 as text. */
#define SMALLEST "-9223372036854775808"

bool path_row_integer(const struct path_row *row, const char *text, uint32_t len, int64_t *cell)
{
    *cell = LEAT_NO_INT64;
    if (row_trim(&text, &len)) return row_blank(row);
    if (number_text_int64(text, text + len, cell) > 0) return true;
    *cell = LEAT_NO_INT64;
    if (takes_other(row)) return true;
    bool smallest = len == strlen(SMALLEST) && !memcmp(text, SMALLEST, len);
    row->ctx->host->reject(row->ctx, row->b, row->r, LEAT_R_NUMBER, "column '%s': '%.*s' is %s",
                           row_name(row), (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES), text,
                           smallest ? "reserved for a missing integer: take the column as text"
                                    : "not a whole number of 64 bits");
    return false;
}

bool path_row_number(const struct path_row *row, const char *text, uint32_t len, double *cell)
{
    *cell = (double)NAN;
    if (row_trim(&text, &len)) return row_blank(row);
    enum decimal_status status = decimal_whole(text, text + len, cell);
    if (status == DECIMAL_OK) return true;
    bool finite = status != DECIMAL_NONFINITE;
    bool too_large = !finite && number_is_too_large(&(struct grouped){0}, text, len);
    *cell = (double)NAN;
    if (!too_large && takes_other(row)) return true;
    row->ctx->host->reject(row->ctx, row->b, row->r, finite ? LEAT_R_NUMBER : LEAT_R_NONFINITE,
                           "column '%s': '%.*s' is %s", row_name(row),
                           (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES), text,
                           finite      ? "not a number: " SET_OTHER
                           : too_large ? NUMBER_TOO_LARGE
                                       : "not finite: " SET_OTHER);
    return false;
}
