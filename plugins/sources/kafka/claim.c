/* claim.c -- see claim.h. */
#include "claim.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct claim *c, const void *bytes, size_t n)
{
    if (c->n + n > c->cap) {
        size_t cap = 2 * (c->n + n);
        char *grown = realloc(c->bytes, cap);
        if (!grown) return false;
        c->bytes = grown;
        c->cap = cap;
    }
    memcpy(c->bytes + c->n, bytes, n);
    c->n += n;
    return true;
}

static bool add_member(struct claim *c, rd_kafka_t *consumer)
{
    const void *bytes = NULL;
    size_t n = 0;
    rd_kafka_consumer_group_metadata_t *member = rd_kafka_consumer_group_metadata(consumer);
    rd_kafka_error_t *e =
        member ? rd_kafka_consumer_group_metadata_write(member, (void **)&bytes, &n) : NULL;
    uint32_t length = (uint32_t)n;
    bool good = bytes && add(c, &length, sizeof length) && add(c, bytes, n);
    if (e) rd_kafka_error_destroy(e);
    if (bytes) rd_kafka_mem_free(NULL, (void *)bytes);
    if (member) rd_kafka_consumer_group_metadata_destroy(member);
    return good;
}

bool claim_write(struct claim *c, rd_kafka_t *consumer,
                 const rd_kafka_topic_partition_list_t *offsets)
{
    c->n = 0;
    bool good = add_member(c, consumer);
    for (int i = 0; good && i < offsets->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &offsets->elems[i];
        good = add(c, &t->partition, sizeof t->partition) && add(c, &t->offset, sizeof t->offset) &&
               add(c, t->topic, strlen(t->topic) + 1);
    }
    return good;
}

void claim_free(struct claim *c)
{
    free(c->bytes);
    *c = (struct claim){0};
}

/* Moves on over the next n bytes; NULL: there are not so many. */
static const char *next(const char **at, const char *end, size_t n)
{
    const char *from = *at;
    if ((size_t)(end - from) < n) return NULL;
    *at += n;
    return from;
}

static bool read_offset(const char **at, const char *end, rd_kafka_topic_partition_list_t *list)
{
    int32_t partition;
    int64_t offset;
    const char *p = next(at, end, sizeof partition), *o = next(at, end, sizeof offset);
    const char *topic = *at, *nul = memchr(topic, 0, (size_t)(end - topic));
    if (!p || !o || !nul) return false;
    memcpy(&partition, p, sizeof partition);
    memcpy(&offset, o, sizeof offset);
    rd_kafka_topic_partition_list_add(list, topic, partition)->offset = offset;
    *at = nul + 1;
    return true;
}

bool claim_read(const char *bytes, size_t n, rd_kafka_consumer_group_metadata_t **member,
                rd_kafka_topic_partition_list_t **offsets)
{
    const char *at = bytes, *end = bytes + n;
    uint32_t length = 0;
    const char *head = next(&at, end, sizeof length);
    if (head) memcpy(&length, head, sizeof length);
    const char *who = head ? next(&at, end, length) : NULL;
    if (!who) return false;
    rd_kafka_error_t *e = rd_kafka_consumer_group_metadata_read(member, who, length);
    if (e) {
        rd_kafka_error_destroy(e);
        return false;
    }
    *offsets = rd_kafka_topic_partition_list_new(16);
    while (at < end)
        if (!read_offset(&at, end, *offsets)) {
            rd_kafka_topic_partition_list_destroy(*offsets);
            rd_kafka_consumer_group_metadata_destroy(*member);
            return false;
        }
    return true;
}
