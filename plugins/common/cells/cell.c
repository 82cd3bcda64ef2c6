/* cell.c -- implementation of cell.h. */
#include "cell.h"

#include "core/text/number_cure.h"

enum decimal_status cell_decimal_as(const struct leat_column *column, const char *p,
                                    const char *end, double *x)
{
    char plain[GROUPED_MAX];
    struct grouped form = {column->decimal, column->thousands};
    size_t n = grouped_plain(&form, p, (size_t)(end - p), plain);
    return n ? decimal_whole(plain, plain + n, x) : DECIMAL_NONE;
}

enum cell cell_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason,
                      const struct leat_column *column, const char *text, size_t len,
                      const char *otherwise)
{
    char said[NUMBER_REFUSAL];
    bool cured;
    const struct number_refused refused = {
        .column = column->name,
        .n_column = strlen(column->name),
        .form = {column->decimal, column->thousands},
        .text = text,
        .n = len,
    };
    const char *what = number_refusal(&refused, said, &cured);
    if (reason == LEAT_R_NONFINITE && what == said) what = "not finite";
    ctx->host->reject(ctx, b, r, reason, "column '%s': '%.*s%s' is %s%s", column->name,
                      (int)(len > CELL_SHOWN ? CELL_SHOWN : len), text, len > CELL_SHOWN ? "…" : "",
                      what, reason == LEAT_R_NUMBER && !cured && otherwise ? otherwise : "");
    return CELL_REJECTED;
}
