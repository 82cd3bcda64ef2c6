/* header_values.c -- see header_values.h. */
#include "header_values.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS = 64, SHOWN = 40 };

static bool is_name(const struct leat_ctx *ctx, const struct leat_batch *b, uint32_t column,
                    uint32_t r)
{
    const struct leat_column *c = &ctx->out->column[column];
    if (c->type != LEAT_TEXT) return false;
    struct leat_str s = b->column[column].text[r];
    return s.len != LEAT_NULL && s.len == strlen(c->name) &&
           !memcmp(leat_text(b, s), c->name, s.len);
}

void header_values_look(struct header_values *v, const struct leat_ctx *ctx,
                        const struct leat_batch *b, uint32_t first, uint32_t n)
{
    const uint32_t columns = n < COLUMNS ? n : COLUMNS;
    for (LEAT_EACH_RECORD(b, r)) {
        uint64_t same = 0;
        uint32_t names = 0;
        if (b->status[r] != LEAT_ROW_OK) continue;
        for (uint32_t i = 0; i < columns; i++)
            if (is_name(ctx, b, first + i, r)) same |= UINT64_C(1) << i, names++;
        if (names < columns) v->same |= same;
        if (++v->rows == HEADER_VALUES_ROWS) return;
    }
}

void header_values_warn(const struct header_values *v, struct leat_ctx *ctx, uint32_t first,
                        uint32_t n)
{
    const uint32_t columns = n < COLUMNS ? n : COLUMNS,
                   same = (uint32_t)__builtin_popcountll(v->same);
    if (2 * same <= columns) return;
    ctx->host->log(
        ctx, LEAT_WARN,
        "the header's names come as values of their columns, too, such as '%.*s': if the "
        "file has no header, set header = false and `columns`",
        SHOWN, ctx->out->column[first + (uint32_t)__builtin_ctzll(v->same)].name);
}
