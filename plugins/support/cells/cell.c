/* cell.c -- see cell.h. */
#include "cell.h"

#include <stdio.h>

#include "number_cure.h"

enum { CURE_BYTES = 300 };

/* A cure for a text that is no number; "": none is known. */
static const char *cure_of(const struct leat_column *c, const char *text, size_t n,
                           char cure[CURE_BYTES])
{
    const char *column = c->name;
    const char *settings = c->thousands ? NULL
                           : c->decimal ? number_group_cure(c->decimal, text, n)
                                        : number_cure(text, n);
    size_t unit = number_unit(text, n);
    *cure = '\0';
    if (settings && c->decimal)
        snprintf(cure, CURE_BYTES, ": for parse.csv %s", settings);
    else if (settings)
        snprintf(cure, CURE_BYTES,
                 ": for parse.csv give numbers = { \"%.60s\" }, and %s; of another format "
                 "shape.set makes it one, by replace and number",
                 column, settings);
    else if (unit < n)
        snprintf(
            cure, CURE_BYTES,
            ": take the unit off, by shape.set { \"%.60s = number(replace(%.60s, '%.*s', ''))\" }",
            column, column, (int)(n - unit), text + unit);
    return cure;
}

enum decimal_status cell_decimal_as(const struct leat_column *column, const char *p,
                                    const char *end, double *x)
{
    char plain[GROUPED_MAX];
    struct grouped form = {column->decimal, column->thousands};
    size_t n = grouped_plain(&form, p, (size_t)(end - p), plain);
    return n ? decimal_whole(plain, plain + n, x) : DECIMAL_NONE;
}

enum cell cell_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                      const struct leat_column *column, const char *text, size_t len)
{
    char cure[CURE_BYTES] = "", form[GROUPED_NAME] = "";
    struct grouped written = {column->decimal, column->thousands};
    if (reason == LEAT_R_NUMBER) cure_of(column, text, len, cure);
    if (reason == LEAT_R_NUMBER) grouped_name(&written, form);
    ctx->host->reject(ctx, b, r, reason, "column '%s': '%.*s%s' is %s%s%s", column->name,
                      (int)(len > CELL_SHOWN ? CELL_SHOWN : len), text, len > CELL_SHOWN ? "…" : "",
                      reason == LEAT_R_NUMBER ? "not a number" : "not finite", form, cure);
    return CELL_REJECTED;
}
