/* commit_mark.c -- see commit_mark.h. */
#define XXH_INLINE_ALL
#include "commit_mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MARK_BYTES = 128 };

/* Without a key, or a value, it is another message than with an empty one. */
static uint64_t hash_of(const rd_kafka_message_t *m)
{
    uint64_t key = m->key ? XXH3_64bits(m->key, m->key_len) : 1;
    return m->payload ? XXH3_64bits_withSeed(m->payload, m->len, key) : key + 1;
}

struct last_message last_message_of(const rd_kafka_message_t *m)
{
    return (struct last_message){m->offset, rd_kafka_message_timestamp(m, NULL), hash_of(m)};
}

bool last_message_is(const struct last_message *l, const rd_kafka_message_t *m)
{
    return l->offset == m->offset && l->time == rd_kafka_message_timestamp(m, NULL) &&
           l->hash == hash_of(m);
}

void commit_mark_put(rd_kafka_topic_partition_t *t, const struct commit_mark *m)
{
    char text[MARK_BYTES];
    int n =
        snprintf(text, sizeof text, "leat %" PRIu64 " %" PRIx64 " %" PRId64 " %" PRId64 " %" PRIx64,
                 m->checkpoint, m->writer, m->last.offset, m->last.time, m->last.hash);
    free(t->metadata);
    t->metadata = strdup(text);
    t->metadata_size = t->metadata ? (size_t)n : 0;
}

bool commit_mark_get(const rd_kafka_topic_partition_t *t, struct commit_mark *m)
{
    char text[MARK_BYTES];
    *m = (struct commit_mark){.last = {.offset = -1}};
    if (!t->metadata || t->metadata_size >= sizeof text) return false;
    memcpy(text, t->metadata, t->metadata_size);
    text[t->metadata_size] = 0;
    int n = sscanf(text, "leat %" SCNu64 " %" SCNx64 " %" SCNd64 " %" SCNd64 " %" SCNx64,
                   &m->checkpoint, &m->writer, &m->last.offset, &m->last.time, &m->last.hash);
    if (n < 5) m->last.offset = -1;
    return n > 0;
}
