/* record.c -- see record.h. */
#include "record.h"

#include <assert.h>
#include <string.h>

#include "message_columns.h"

enum { HEAD_BYTES = 256 }; /* kept of a value, or a key, that is too long */

/* Header i of a message; false: there is none. */
static bool header_at(const rd_kafka_message_t *m, size_t i, struct leat_header *h)
{
    rd_kafka_headers_t *list;
    const void *value = NULL;
    size_t n = 0;
    if (rd_kafka_message_headers(m, &list) ||
        rd_kafka_header_get_all(list, i, &h->name, &value, &n))
        return false;
    h->value = value;
    h->n_name = (uint32_t)strlen(h->name);
    h->n_value = value ? (uint32_t)n : LEAT_NULL;
    return true;
}

static size_t headers_bytes(const rd_kafka_message_t *m)
{
    size_t sum = 0;
    struct leat_header h;
    for (size_t i = 0; header_at(m, i, &h); i++)
        sum += leat_header_bytes(&h);
    return sum;
}

/* How many bytes of a message go into a batch. */
static size_t bytes_of(const struct record_cfg *cfg, const rd_kafka_message_t *m)
{
    return m->len + m->key_len + headers_bytes(m) + message_columns_bytes(&cfg->columns, m);
}

bool record_fits(const struct record_cfg *cfg, const struct leat_batch *b,
                 const rd_kafka_message_t *m)
{
    if (b->n == b->cap || b->n_extents == b->cap_extents) return false;
    return b->n == 0 || b->n_bytes + bytes_of(cfg, m) <= b->fill_bytes;
}

static struct leat_str add_text(struct leat_batch *b, const void *text, size_t len)
{
    uint32_t off = text ? leat_add_bytes(b, (uint32_t)len) : LEAT_NULL;
    if (off == LEAT_NULL) return (struct leat_str){0, LEAT_NULL};
    if (len) memcpy(b->bytes + off, text, len);
    return (struct leat_str){off, (uint32_t)len};
}

/* All of them, or none: those of a message that is too long may take half of it. */
static struct leat_str add_headers(struct leat_batch *b, const rd_kafka_message_t *m, size_t max)
{
    size_t n = headers_bytes(m);
    struct leat_header h;
    uint32_t off = n && n <= max ? leat_add_bytes(b, (uint32_t)n) : LEAT_NULL;
    if (off == LEAT_NULL) return (struct leat_str){0, 0};
    char *to = b->bytes + off;
    for (size_t i = 0; header_at(m, i, &h); i++)
        to = leat_put_header(to, &h);
    return (struct leat_str){off, (uint32_t)n};
}

/* In ns. A producer may claim any time. */
static int64_t time_of(const rd_kafka_message_t *m)
{
    int64_t ms = rd_kafka_message_timestamp(m, NULL);
    return ms < 0 || ms > INT64_MAX / 1000000 ? -1 : ms * 1000000;
}

void record_add(struct leat_ctx *ctx, const struct record_cfg *cfg, struct leat_batch *b,
                const rd_kafka_message_t *m, uint32_t input)
{
    assert(b->n < b->cap);
    size_t max = (size_t)cfg->max_record < b->cap_bytes ? (size_t)cfg->max_record : b->cap_bytes;
    size_t all = bytes_of(cfg, m);
    bool too_long = all > max, no_key = too_long && m->key_len > HEAD_BYTES;
    struct leat_str text = {LEAT_NULL, 0};
    if (m->payload)
        text = add_text(b, m->payload, too_long && m->len > HEAD_BYTES ? HEAD_BYTES : m->len);
    uint32_t r = (uint32_t)leat_add_record_at(b, text.off, text.len, input, (uint64_t)m->offset, 0);
    b->key[r] = add_text(b, no_key ? NULL : m->key, m->key_len);
    b->headers[r] = add_headers(b, m, too_long ? max / 2 : max);
    b->timestamp[r] = time_of(m);
    if (!too_long)
        message_columns_fill(&cfg->columns, b, r, m);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the message has %zu bytes, more than max_record = %zu", all, max);
}
