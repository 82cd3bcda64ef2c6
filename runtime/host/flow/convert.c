/* convert.c -- implementation of convert.h. */
#include "convert.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/text/number_text.h"
#include "core/time/utc.h"
#include "core/report/text_out.h"

enum { SHOWN_BYTES = 40 };
static const double EXACT_WHOLE = 9007199254740992.0; /* 2^53 */

/* ---- conversions between numbers, integers, booleans and times ---- */

static void convert_int64_to_number(struct leat_ctx *ctx, const struct conversion *c,
                                    struct leat_batch *b)
{
    const int64_t *from = b->column[c->from].int64;
    double *to = b->column[c->to].number;
    for (LEAT_EACH_RECORD(b, r))
        to[r] = from[r] == LEAT_NO_INT64 ? (double)NAN : (double)from[r];
}

static void convert_time_to_number(struct leat_ctx *ctx, const struct conversion *c,
                                   struct leat_batch *b)
{
    const int64_t *from = b->column[c->from].int64;
    double *to = b->column[c->to].number;
    for (LEAT_EACH_RECORD(b, r))
        to[r] = from[r] == LEAT_NO_TIME ? (double)NAN : utc_seconds(from[r]);
}

static void convert_bool_to_number(struct leat_ctx *ctx, const struct conversion *c,
                                   struct leat_batch *b)
{
    const uint8_t *from = b->column[c->from].boolean;
    double *to = b->column[c->to].number;
    for (LEAT_EACH_RECORD(b, r))
        to[r] = from[r] == LEAT_NO_BOOLEAN ? (double)NAN : from[r];
}

static void convert_bool_to_int64(struct leat_ctx *ctx, const struct conversion *c,
                                  struct leat_batch *b)
{
    const uint8_t *from = b->column[c->from].boolean;
    int64_t *to = b->column[c->to].int64;
    for (LEAT_EACH_RECORD(b, r))
        to[r] = from[r] == LEAT_NO_BOOLEAN ? LEAT_NO_INT64 : from[r];
}

static void convert_time_to_int64(struct leat_ctx *ctx, const struct conversion *c,
                                  struct leat_batch *b)
{
    static_assert(LEAT_NO_TIME == LEAT_NO_INT64, "a missing time is a missing integer");
    for (LEAT_EACH_RECORD(b, r))
        b->column[c->to].int64[r] = b->column[c->from].int64[r];
}

static void convert_number_to_int64(struct leat_ctx *ctx, const struct conversion *c,
                                    struct leat_batch *b)
{
    const double *from = b->column[c->from].number;
    int64_t *to = b->column[c->to].int64;
    for (LEAT_EACH_RECORD(b, r)) {
        double x = from[r];
        bool whole = x == trunc(x) && fabs(x) <= EXACT_WHOLE;
        to[r] = whole ? (int64_t)x : LEAT_NO_INT64;
        if (!whole && !isnan(x))
            ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                              "column '%s': %.17g is not a whole number up to 2^53", c->name, x);
    }
}

/* ---- conversions from text ---- */

static void convert_reject_text(struct leat_ctx *ctx, const struct conversion *c,
                                struct leat_batch *b, uint32_t r, const char *what)
{
    struct leat_str s = b->column[c->from].text[r];
    char form[GROUPED_NAME];
    ctx->host->reject(ctx, b, r, LEAT_R_NUMBER, "column '%s': '%.*s%s' is not a %s%s", c->name,
                      (int)(s.len < SHOWN_BYTES ? s.len : SHOWN_BYTES), leat_text(b, s),
                      s.len > SHOWN_BYTES ? "…" : "", what, grouped_name(&c->form, form));
}

static void convert_text_to_number(struct leat_ctx *ctx, const struct conversion *c,
                                   struct leat_batch *b)
{
    double *to = b->column[c->to].number;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = b->column[c->from].text[r];
        const char *p = leat_text(b, s);
        int got = s.len == LEAT_NULL ? 0 : number_text_double_as(&c->form, p, p + s.len, &to[r]);
        if (got < 1) to[r] = (double)NAN;
        if (got < 0) convert_reject_text(ctx, c, b, r, "number");
    }
}

static void convert_text_to_int64(struct leat_ctx *ctx, const struct conversion *c,
                                  struct leat_batch *b)
{
    int64_t *to = b->column[c->to].int64;
    for (LEAT_EACH_RECORD(b, r)) {
        struct leat_str s = b->column[c->from].text[r];
        const char *p = leat_text(b, s);
        int got = s.len == LEAT_NULL ? 0 : number_text_int64_as(&c->form, p, p + s.len, &to[r]);
        if (got < 1) to[r] = LEAT_NO_INT64;
        if (got < 0) convert_reject_text(ctx, c, b, r, "whole number of 64 bits");
    }
}

/* ---- conversions to text ---- */

static size_t convert_write_number(char *out, union leat_cells cells, uint32_t r)
{
    return isnan(cells.number[r]) ? 0 : text_format_double(out, cells.number[r]);
}

static size_t convert_write_int64(char *out, union leat_cells cells, uint32_t r)
{
    return cells.int64[r] == LEAT_NO_INT64 ? 0 : text_format_int(out, cells.int64[r]);
}

static size_t convert_write_time(char *out, union leat_cells cells, uint32_t r)
{
    return cells.int64[r] == LEAT_NO_TIME ? 0 : utc_write(out, cells.int64[r]);
}

static size_t convert_write_bool(char *out, union leat_cells cells, uint32_t r)
{
    if (cells.boolean[r] == LEAT_NO_BOOLEAN) return 0;
    size_t n = cells.boolean[r] ? 4 : 5;
    memcpy(out, cells.boolean[r] ? "true" : "false", n);
    return n;
}

/* Writes the cell of record r as text. Returns its bytes; 0 if the value is missing. */
static size_t (*const CONVERT_WRITE[])(char *out, union leat_cells cells, uint32_t r) = {
    [LEAT_NUMBER] = convert_write_number,
    [LEAT_INT64] = convert_write_int64,
    [LEAT_TIME] = convert_write_time,
    [LEAT_BOOLEAN] = convert_write_bool,
};

const char *convert_cell(const struct leat_batch *b, uint32_t column, uint32_t type, uint32_t r,
                         char out[CONVERT_TEXT], size_t *n)
{
    union leat_cells cells = b->column[column];
    if (column_type_is_slice(type)) {
        *n = cells.text[r].len == LEAT_NULL ? 0 : cells.text[r].len;
        return cells.text[r].len == LEAT_NULL ? NULL : leat_text(b, cells.text[r]);
    }
    *n = CONVERT_WRITE[type](out, cells, r);
    return *n ? out : NULL;
}

static void convert_to_text(struct leat_ctx *ctx, const struct conversion *c, struct leat_batch *b)
{
    struct leat_str *to = b->column[c->to].text;
    char text[CONVERT_TEXT];
    size_t n;
    for (LEAT_EACH_RECORD(b, r)) {
        to[r] = (struct leat_str){0, LEAT_NULL};
        if (!convert_cell(b, c->from, c->from_type, r, text, &n)) continue;
        uint32_t off = leat_add_bytes(b, (uint32_t)n);
        if (off == LEAT_NULL) {
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "column '%s': the batch has no room for it as text", c->name);
            continue;
        }
        memcpy(b->bytes + off, text, n);
        to[r] = (struct leat_str){off, (uint32_t)n};
    }
}

typedef void convert_fn(struct leat_ctx *ctx, const struct conversion *c, struct leat_batch *b);

/* CONVERT[from][to]: function for each pair of types in `becomes` (column_type.c). */
static convert_fn *const CONVERT[][LEAT_TIME + 1] = {
    [LEAT_TEXT] = {[LEAT_NUMBER] = convert_text_to_number, [LEAT_INT64] = convert_text_to_int64},
    [LEAT_NUMBER] = {[LEAT_TEXT] = convert_to_text, [LEAT_INT64] = convert_number_to_int64},
    [LEAT_INT64] = {[LEAT_TEXT] = convert_to_text, [LEAT_NUMBER] = convert_int64_to_number},
    [LEAT_BOOLEAN] = {[LEAT_TEXT] = convert_to_text,
                      [LEAT_NUMBER] = convert_bool_to_number,
                      [LEAT_INT64] = convert_bool_to_int64},
    [LEAT_TIME] = {[LEAT_TEXT] = convert_to_text,
                   [LEAT_NUMBER] = convert_time_to_number,
                   [LEAT_INT64] = convert_time_to_int64},
};

void convert_column(struct leat_ctx *ctx, const struct conversion *c, struct leat_batch *b)
{
    assert(column_type_choose(c->from_type, 1u << c->to_type) == c->to_type);
    CONVERT[c->from_type][c->to_type](ctx, c, b);
}
