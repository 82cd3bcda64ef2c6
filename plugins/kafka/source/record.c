/* record.c -- implementation of record.h. */
#include "record.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- columns ---- */

static const char header_prefix[] = "header.";
enum { PREFIX = sizeof header_prefix - 1 };

static const char *header_name(const char *name)
{
    return !strncmp(name, header_prefix, PREFIX) && name[PREFIX] ? name + PREFIX : NULL;
}

static bool record_is_key(const char *name) { return !strcmp(name, "key"); }

static bool record_is_text(const char *name)
{
    return record_is_key(name) || !strcmp(name, "topic") || header_name(name);
}

static bool record_is_integer(const char *name)
{
    return !strcmp(name, "partition") || !strcmp(name, "offset");
}

static bool record_is_number(const char *name)
{
    return !strcmp(name, "time") || !strcmp(name, "tombstone");
}

void record_check(const struct record_cfg *cfg, struct leat_diag *d)
{
    const struct leat_strings *names = &cfg->columns;
    for (uint32_t i = 0; i < names->n; i++)
        if (!record_is_text(names->v[i]) && !record_is_integer(names->v[i]) &&
            !record_is_number(names->v[i]))
            d->error(
                d, "columns",
                "a message has no '%s': give key, topic, partition, offset, time, tombstone or "
                "header.NAME",
                names->v[i]);
}

static uint32_t record_column_type(const char *name)
{
    return record_is_text(name) ? LEAT_TEXT : record_is_integer(name) ? LEAT_INT64 : LEAT_NUMBER;
}

int record_negotiate(const struct record_cfg *cfg, struct leat_negotiation *n)
{
    const struct leat_strings *names = &cfg->columns;
    int status = LEAT_OK;
    n->out->max_record_bytes = (uint32_t)cfg->max_record;
    if (names->n) n->out->has |= LEAT_HAS_COLUMNS;
    if (cfg->headers == HEADERS_SKIP) n->out->has &= ~(uint32_t)LEAT_HAS_HEADERS;
    for (uint32_t i = 0; i < names->n && status == LEAT_OK; i++)
        status = n->add_column(n, names->v[i], strlen(names->v[i]), record_column_type(names->v[i]),
                               NULL);
    return status;
}

/* Returns the text of a column other than `key`; NULL if the message does not have this part. */
static const void *column_text(const char *name, const struct record_message *r, size_t *len)
{
    const char *wanted = header_name(name);
    const void *text = NULL;
    *len = 0;
    if (!wanted) {
        text = rd_kafka_topic_name(r->m->rkt);
        *len = strlen(text);
    } else if (!r->headers || rd_kafka_header_get_last(r->headers, wanted, &text, len)) {
        *len = 0;
        return NULL;
    }
    return text;
}

static double column_number(const char *name, const rd_kafka_message_t *m)
{
    if (!strcmp(name, "tombstone")) return m->payload == NULL;
    int64_t ms = rd_kafka_message_timestamp(m, NULL);
    return ms < 0 ? (double)NAN : (double)ms;
}

/* Returns the bytes of text that the columns need, without the column `key`, whose bytes are in the
 * record. */
static size_t columns_bytes(const struct leat_strings *names, const struct record_message *r)
{
    size_t sum = 0, len;
    for (uint32_t i = 0; i < names->n; i++)
        if (record_is_text(names->v[i]) && !record_is_key(names->v[i]) &&
            column_text(names->v[i], r, &len))
            sum += len;
    return sum;
}

/* Fills the columns of record r. The record already has its key, and the bytes fit. */
static void columns_fill(const struct leat_strings *names, struct leat_batch *b, uint32_t r,
                         const struct record_message *message)
{
    const rd_kafka_message_t *m = message->m;
    size_t len;
    for (uint32_t i = 0; i < names->n; i++) {
        if (record_is_integer(names->v[i])) {
            b->column[i].int64[r] = *names->v[i] == 'p' ? m->partition : m->offset;
            continue;
        }
        if (!record_is_text(names->v[i])) {
            b->column[i].number[r] = column_number(names->v[i], m);
            continue;
        }
        if (record_is_key(names->v[i])) {
            b->column[i].text[r] = b->key[r];
            continue;
        }
        const void *text = column_text(names->v[i], message, &len);
        uint32_t off = text ? leat_add_bytes(b, (uint32_t)len) : LEAT_NULL;
        b->column[i].text[r] = (struct leat_str){off == LEAT_NULL ? 0 : off,
                                                 off == LEAT_NULL ? LEAT_NULL : (uint32_t)len};
        if (off != LEAT_NULL && len) memcpy(b->bytes + off, text, len);
    }
}

/* ---- records ---- */

enum { HEAD_BYTES = 256 }; /* bytes kept of a value or key that is too long */

/* Finds header i. Returns false if there is no header i. */
static bool header_at(const rd_kafka_headers_t *headers, size_t i, struct leat_header *h)
{
    const void *value = NULL;
    size_t n = 0;
    if (rd_kafka_header_get_all(headers, i, &h->name, &value, &n)) return false;
    h->value = value;
    h->n_name = (uint32_t)strlen(h->name);
    h->n_value = value ? (uint32_t)n : LEAT_NULL;
    return true;
}

static size_t headers_bytes(const rd_kafka_headers_t *headers)
{
    size_t sum = 0;
    struct leat_header h;
    for (size_t i = 0; header_at(headers, i, &h); i++)
        sum += leat_header_bytes(&h);
    return sum;
}

static bool needs_headers(const struct record_cfg *cfg)
{
    if (cfg->headers == HEADERS_KEEP) return true;
    for (uint32_t i = 0; i < cfg->columns.n; i++)
        if (header_name(cfg->columns.v[i])) return true;
    return false;
}

struct record_message record_measure(const struct record_cfg *cfg, const rd_kafka_message_t *m)
{
    struct record_message r = {.m = m};
    if (needs_headers(cfg) && rd_kafka_message_headers(m, &r.headers)) r.headers = NULL;
    if (r.headers && cfg->headers == HEADERS_KEEP) r.headers_bytes = headers_bytes(r.headers);
    r.bytes = m->len + m->key_len + r.headers_bytes + columns_bytes(&cfg->columns, &r);
    return r;
}

bool record_fits(const struct leat_batch *b, const struct record_message *r)
{
    if (b->n == b->cap || b->n_extents == b->cap_extents) return false;
    return b->n == 0 || b->n_bytes + r->bytes <= b->fill_bytes;
}

static struct leat_str add_text(struct leat_batch *b, const void *text, size_t len)
{
    uint32_t off = text ? leat_add_bytes(b, (uint32_t)len) : LEAT_NULL;
    if (off == LEAT_NULL) return (struct leat_str){0, LEAT_NULL};
    if (len) memcpy(b->bytes + off, text, len);
    return (struct leat_str){off, (uint32_t)len};
}

/* Adds all headers of the message; adds no headers if they have more than `max` bytes. */
static struct leat_str record_add_headers(struct leat_batch *b, const struct record_message *r,
                                          size_t max)
{
    size_t n = r->headers_bytes;
    struct leat_header h;
    uint32_t off = n && n <= max ? leat_add_bytes(b, (uint32_t)n) : LEAT_NULL;
    if (off == LEAT_NULL) return (struct leat_str){0, 0};
    char *to = b->bytes + off;
    for (size_t i = 0; header_at(r->headers, i, &h); i++)
        to = leat_put_header(to, &h);
    return (struct leat_str){off, (uint32_t)n};
}

/* Returns the message's time in ns; -1 if it is missing or out of range, as producers may write any
 * time. */
static int64_t message_time(const rd_kafka_message_t *m)
{
    int64_t ms = rd_kafka_message_timestamp(m, NULL);
    return ms < 0 || ms > INT64_MAX / 1000000 ? -1 : ms * 1000000;
}

void record_add(struct leat_ctx *ctx, const struct record_cfg *cfg, struct leat_batch *b,
                const struct record_message *message, uint32_t input)
{
    assert(b->n < b->cap);
    const rd_kafka_message_t *m = message->m;
    size_t max = (size_t)cfg->max_record < b->cap_bytes ? (size_t)cfg->max_record : b->cap_bytes;
    bool too_long = message->bytes > max, no_key = too_long && m->key_len > HEAD_BYTES;
    struct leat_str text = {LEAT_NULL, 0};
    if (m->payload)
        text = add_text(b, m->payload, too_long && m->len > HEAD_BYTES ? HEAD_BYTES : m->len);
    uint32_t r = (uint32_t)leat_add_record_at(b, text.off, text.len, input, (uint64_t)m->offset, 0);
    b->key[r] = add_text(b, no_key ? NULL : m->key, m->key_len);
    if (b->headers) b->headers[r] = record_add_headers(b, message, too_long ? max / 2 : max);
    b->timestamp[r] = message_time(m);
    if (!too_long)
        columns_fill(&cfg->columns, b, r, message);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the message has %zu bytes, more than max_record = %zu", message->bytes,
                          max);
}
