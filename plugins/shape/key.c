/* key.c -- implementation of key.h: finds the columns, and hashes their values. */
#include "key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/bits.h"
#include "core/le.h"
#include "core/mix64.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"

int key_negotiate(struct leat_negotiation *n, const struct leat_strings *by)
{
    return columns_ask(n, "by", by, false, LEAT_TAKES_ANY);
}

int key_open(struct leat_ctx *ctx, struct key *k, const struct leat_strings *by)
{
    k->n = by->n;
    if (!by->n) return LEAT_OK;
    k->column = ctx->host->alloc(ctx, by->n * sizeof *k->column);
    if (!k->column)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u columns",
                               by->n);
    for (uint32_t i = 0; i < by->n; i++)
        k->column[i] = columns_known(ctx, by->v[i], LEAT_TAKES_ANY);
    return LEAT_OK;
}

void key_close(struct leat_ctx *ctx, struct key *k) { ctx->host->free(ctx, k->column); }

/* Returns the hash k, which is that of the previous values, extended by another value. */
static struct recent_key key_add(struct recent_key k, const void *p, size_t n)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(p, n, k.low);
    return (struct recent_key){h.high64 ^ mix64(k.high), h.low64};
}

static struct recent_key key_add_text(struct recent_key k, const struct leat_batch *b,
                                      struct leat_str s)
{
    if (s.len != LEAT_NULL) return key_add(k, leat_text(b, s), s.len);
    return (struct recent_key){mix64(k.high + MIX64_GOLDEN), mix64(k.low + MIX64_GOLDEN)};
}

static struct recent_key key_add_bits(struct recent_key k, uint64_t bits)
{
    bits = le_turned64(bits);
    return key_add(k, &bits, sizeof bits);
}

static struct recent_key key_add_number(struct recent_key k, double x)
{
    return key_add_bits(k, bits_of_double(isnan(x) ? (double)NAN : x == 0 ? 0 : x));
}

struct recent_key key_of(const struct leat_ctx *ctx, const struct key *k,
                         const struct leat_batch *b, uint32_t r, uint64_t seed)
{
    struct recent_key h = {0, seed};
    if (!k->n)
        return key_add_text(h, b,
                            leat_is_tombstone(b, r) ? (struct leat_str){0, LEAT_NULL} : b->raw[r]);
    for (uint32_t i = 0; i < k->n; i++) {
        union leat_cells cells = b->column[k->column[i]];
        uint32_t type = ctx->in->column[k->column[i]].type;
        if (cells_are_slices(type))
            h = key_add_text(h, b, cells.text[r]);
        else if (type == LEAT_NUMBER)
            h = key_add_number(h, cells.number[r]);
        else
            h = key_add_bits(h, cells_get(cells, type, r));
    }
    return h;
}

static bool key_is_blank(const struct leat_batch *b, struct leat_str s)
{
    const char *text = leat_text(b, s);
    while (s.len && cell_is_blank(text[s.len - 1]))
        s.len--;
    return !s.len;
}

uint32_t key_missing(const struct leat_ctx *ctx, const struct key *k, const struct leat_batch *b,
                     uint32_t r)
{
    for (uint32_t i = 0; i < k->n; i++) {
        union leat_cells cells = b->column[k->column[i]];
        uint32_t type = ctx->in->column[k->column[i]].type;
        if (!cells_have(cells, type, r)) return i;
        if (cells_are_slices(type) && key_is_blank(b, cells.text[r])) return i;
    }
    return k->n;
}
