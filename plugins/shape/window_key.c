/* window_key.c -- see window_key.h. */
#include "window_key.h"

#include <math.h>
#include <string.h>

uint32_t window_key_write(struct leat_ctx *ctx, struct window *st, const struct leat_batch *b,
                          uint32_t r)
{
    const struct window_cfg *cfg = ctx->cfg;
    uint32_t n = 0, cap = (uint32_t)cfg->key_bytes;
    for (uint32_t i = 0; i < st->n_by; i++) {
        bool number = ctx->in->column[st->by[i]].type == LEAT_NUMBER;
        struct leat_str s = number ? (struct leat_str){0, 0} : b->column[st->by[i]].text[r];
        double x = number ? b->column[st->by[i]].number[r] + 0.0 : 0; /* -0 becomes 0 */
        uint32_t head = number ? sizeof x : sizeof s.len, text = s.len == LEAT_NULL ? 0 : s.len;
        if (isnan(x)) x = (double)NAN;
        if (text > cap || n + head + text > cap) return UINT32_MAX;
        memcpy(st->key + n, number ? (const void *)&x : (const void *)&s.len, head);
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
        if (ctx->in->column[st->by[i]].type == LEAT_NUMBER) {
            memcpy(&column->number[r], key, sizeof(double));
            key += sizeof(double);
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
        bool number = ctx->in->column[st->by[i]].type == LEAT_NUMBER;
        uint32_t head = number ? sizeof(double) : sizeof(uint32_t), text = 0;
        if (n < head) return false;
        if (!number) memcpy(&text, key, sizeof text);
        if (text == LEAT_NULL) text = 0;
        if (text > n - head) return false;
        n -= head + text;
        key += head + text;
    }
    return n == 0;
}
