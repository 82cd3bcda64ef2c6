/* window_key.c -- see window_key.h. */
#include "window_key.h"

#include <math.h>
#include <string.h>

#include "core/bits.h"
#include "common/cells/cells.h"

/* Equal values have equal bits. */
static uint64_t window_key_value_of(union leat_cells cells, uint32_t type, uint32_t r)
{
    if (type != LEAT_NUMBER) return cells_get(cells, type, r);
    double x = cells.number[r] + 0.0; /* -0 becomes 0 */
    return bits_of_double(isnan(x) ? (double)NAN : x);
}

uint32_t window_key_write(struct leat_ctx *ctx, struct window *st, const struct leat_batch *b,
                          uint32_t r)
{
    const struct window_cfg *cfg = ctx->cfg;
    uint32_t n = 0, cap = (uint32_t)cfg->key_bytes;
    for (uint32_t i = 0; i < st->n_by; i++) {
        uint32_t type = ctx->in->column[st->by[i]].type;
        bool slice = cells_are_slices(type);
        struct leat_str s = slice ? b->column[st->by[i]].text[r] : (struct leat_str){0, 0};
        uint64_t x = slice ? 0 : window_key_value_of(b->column[st->by[i]], type, r);
        uint32_t head = slice ? sizeof s.len : sizeof x, text = s.len == LEAT_NULL ? 0 : s.len;
        if (text > cap || n + head + text > cap) return UINT32_MAX;
        memcpy(st->key + n, slice ? (const void *)&s.len : (const void *)&x, head);
        if (text) memcpy(st->key + n + head, leat_text(b, s), text);
        n += head + text;
    }
    return n;
}

void window_key_read(struct leat_ctx *ctx, const struct window *st, const char *key,
                     struct leat_batch *out, uint32_t r)
{
    for (uint32_t i = 0; i < st->n_by; i++) {
        union leat_cells *column = &out->column[1 + i];
        uint32_t type = ctx->in->column[st->by[i]].type;
        if (!cells_are_slices(type)) {
            uint64_t x;
            memcpy(&x, key, sizeof x);
            cells_set(*column, type, r, x);
            key += sizeof x;
            continue;
        }
        struct leat_str s = {out->n_bytes, 0};
        memcpy(&s.len, key, sizeof s.len);
        key += sizeof s.len;
        uint32_t n = s.len == LEAT_NULL ? 0 : s.len;
        if (n) memcpy(out->bytes + s.off, key, n);
        out->n_bytes += n;
        column->text[r] = s;
        key += n;
    }
}

bool window_key_is_whole(struct leat_ctx *ctx, const struct window *st, const char *key, uint32_t n)
{
    for (uint32_t i = 0; i < st->n_by; i++) {
        bool slice = cells_are_slices(ctx->in->column[st->by[i]].type);
        uint32_t head = slice ? sizeof(uint32_t) : sizeof(uint64_t), text = 0;
        if (n < head) return false;
        if (slice) memcpy(&text, key, sizeof text);
        if (text == LEAT_NULL) text = 0;
        if (text > n - head) return false;
        n -= head + text;
        key += head + text;
    }
    return n == 0;
}
