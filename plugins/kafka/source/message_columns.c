/* message_columns.c -- see message_columns.h. */
#include "message_columns.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const char prefix[] = "header.";
enum { PREFIX = sizeof prefix - 1 };

static const char *header_name(const char *name)
{
    return !strncmp(name, prefix, PREFIX) && name[PREFIX] ? name + PREFIX : NULL;
}

static bool is_key(const char *name) { return !strcmp(name, "key"); }

static bool is_text(const char *name)
{
    return is_key(name) || !strcmp(name, "topic") || header_name(name);
}

static bool is_integer(const char *name)
{
    return !strcmp(name, "partition") || !strcmp(name, "offset");
}

static bool is_number(const char *name)
{
    return !strcmp(name, "time") || !strcmp(name, "tombstone");
}

void message_columns_check(const struct leat_strings *names, struct leat_diag *d)
{
    for (uint32_t i = 0; i < names->n; i++)
        if (!is_text(names->v[i]) && !is_integer(names->v[i]) && !is_number(names->v[i]))
            d->error(
                d, "columns",
                "a message has no '%s': give key, topic, partition, offset, time, tombstone or "
                "header.NAME",
                names->v[i]);
}

static uint32_t type_of(const char *name)
{
    return is_text(name) ? LEAT_TEXT : is_integer(name) ? LEAT_INT64 : LEAT_NUMBER;
}

int message_columns_negotiate(const struct leat_strings *names, struct leat_negotiation *n)
{
    int status = LEAT_OK;
    if (names->n) n->out->has |= LEAT_HAS_COLUMNS;
    for (uint32_t i = 0; i < names->n && status == LEAT_OK; i++)
        status = n->add_column(n, names->v[i], strlen(names->v[i]), type_of(names->v[i]), NULL);
    return status;
}

/* The text of a column other than the key; NULL: the message has none. */
static const void *text_of(const char *name, const rd_kafka_message_t *m, size_t *len)
{
    const char *wanted = header_name(name);
    const void *text = NULL;
    rd_kafka_headers_t *headers;
    *len = 0;
    if (!wanted) {
        text = rd_kafka_topic_name(m->rkt);
        *len = strlen(text);
    } else if (rd_kafka_message_headers(m, &headers) ||
               rd_kafka_header_get_last(headers, wanted, &text, len)) {
        *len = 0;
        return NULL;
    }
    return text;
}

static double number_of(const char *name, const rd_kafka_message_t *m)
{
    if (!strcmp(name, "tombstone")) return m->payload == NULL;
    int64_t ms = rd_kafka_message_timestamp(m, NULL);
    return ms < 0 ? (double)NAN : (double)ms;
}

size_t message_columns_bytes(const struct leat_strings *names, const rd_kafka_message_t *m)
{
    size_t sum = 0, len;
    for (uint32_t i = 0; i < names->n; i++)
        if (is_text(names->v[i]) && !is_key(names->v[i]) && text_of(names->v[i], m, &len))
            sum += len;
    return sum;
}

void message_columns_fill(const struct leat_strings *names, struct leat_batch *b, uint32_t r,
                          const rd_kafka_message_t *m)
{
    size_t len;
    for (uint32_t i = 0; i < names->n; i++) {
        if (is_integer(names->v[i])) {
            b->column[i].int64[r] = *names->v[i] == 'p' ? m->partition : m->offset;
            continue;
        }
        if (!is_text(names->v[i])) {
            b->column[i].number[r] = number_of(names->v[i], m);
            continue;
        }
        if (is_key(names->v[i])) {
            b->column[i].text[r] = b->key[r];
            continue;
        }
        const void *text = text_of(names->v[i], m, &len);
        uint32_t off = text ? leat_add_bytes(b, (uint32_t)len) : LEAT_NULL;
        b->column[i].text[r] = (struct leat_str){off == LEAT_NULL ? 0 : off,
                                                 off == LEAT_NULL ? LEAT_NULL : (uint32_t)len};
        if (off != LEAT_NULL && len) memcpy(b->bytes + off, text, len);
    }
}
