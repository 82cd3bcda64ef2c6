/* cell.h -- reads the cells of a record as numbers, from columns of all types except BYTES.
 *
 * A boolean is 0 or 1, a time its seconds since 1970. In a TEXT column, a text that is missing,
 * empty or blank is a missing value; a text such as "nan" or "inf" is wrong. */
#ifndef LEAT_COMMON_CELLS_CELL_H
#define LEAT_COMMON_CELLS_CELL_H

#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

#include "core/text/grouped.h"
#include "cells.h"
#include "kernels/text/decimal.h"

enum { CELL_TAKES = LEAT_TAKES_ANY & ~LEAT_TAKES_BYTES };

enum cell { CELL_NUMBER, CELL_MISSING, CELL_REJECTED };

enum { CELL_SHOWN = 40 }; /* most bytes of a wrong text that a message shows */

static inline int cell_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Rejects record r because of its text (or number) in `column`. The message ends with advice for
 * this text if there is some, else with `otherwise` (may be NULL). reason: LEAT_R_NUMBER or
 * LEAT_R_NONFINITE. */
enum cell cell_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                      const struct leat_column *column, const char *text, size_t len,
                      const char *otherwise);

/* Reads a number from a text without blanks around it, with the decimal and thousands separators of
 * the column. */
enum decimal_status cell_decimal_as(const struct leat_column *column, const char *p,
                                    const char *end, double *x);

/* Reads a number from a text in the form that its column declares. */
static inline enum decimal_status cell_decimal(const struct leat_column *column, const char *p,
                                               const char *end, double *x)
{
    return column->decimal || column->thousands ? cell_decimal_as(column, p, end, x)
                                                : decimal_whole(p, end, x);
}

static inline enum cell cell_fixed(union leat_cells cells, uint32_t type, uint32_t r, double *x)
{
    if (!cells_have(cells, type, r)) return CELL_MISSING;
    *x = type == LEAT_BOOLEAN ? cells.boolean[r]
         : type == LEAT_TIME  ? utc_seconds(cells.int64[r])
                              : (double)cells.int64[r];
    return CELL_NUMBER;
}

/* Moves the ends of a text past the blanks around it. Returns false if nothing is left. */
static inline bool cell_trim(const char **p, const char **end)
{
    while (*p < *end && cell_is_blank(**p))
        ++*p;
    while (*p < *end && cell_is_blank((*end)[-1]))
        --*end;
    return *p < *end;
}

/* Reads the cell of record r in column c of the stage's input. If it returns CELL_NUMBER, *x is
 * finite. If it returns CELL_REJECTED, the cell is not a finite number, and the record has been
 * rejected (cell_refuse). */
static inline enum cell cell_number_or(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                       uint32_t c, double *x, const char *otherwise)
{
    const struct leat_column *column = &ctx->in->column[c];
    if (column->type != LEAT_NUMBER && column->type != LEAT_TEXT)
        return cell_fixed(b->column[c], column->type, r, x);
    if (column->type == LEAT_NUMBER) {
        *x = b->column[c].number[r];
        if (isinf(*x))
            return *x > 0 ? cell_refuse(ctx, b, r, LEAT_R_NONFINITE, column, "inf", 3, NULL)
                          : cell_refuse(ctx, b, r, LEAT_R_NONFINITE, column, "-inf", 4, NULL);
        return isnan(*x) ? CELL_MISSING : CELL_NUMBER;
    }
    struct leat_str s = b->column[c].text[r];
    *x = (double)NAN;
    if (s.len == LEAT_NULL) return CELL_MISSING;
    const char *p = leat_text(b, s), *end = p + s.len;
    if (!cell_trim(&p, &end)) return CELL_MISSING;
    enum decimal_status got = cell_decimal(column, p, end, x);
    if (got == DECIMAL_OK) return CELL_NUMBER;
    return cell_refuse(ctx, b, r, got == DECIMAL_NONE ? LEAT_R_NUMBER : LEAT_R_NONFINITE, column, p,
                       (size_t)(end - p), otherwise);
}

static inline enum cell cell_number(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                                    uint32_t c, double *x)
{
    return cell_number_or(ctx, b, r, c, x, NULL);
}

#endif
