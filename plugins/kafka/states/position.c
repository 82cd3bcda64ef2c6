/* position.c -- implementation of position.h. */
#define XXH_INLINE_ALL
#include "position.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/le.h"

enum { CHECKSUM = 8 };

void position_begin(struct position *p)
{
    if (p->member) rd_kafka_consumer_group_metadata_destroy(p->member);
    if (p->offsets) rd_kafka_topic_partition_list_destroy(p->offsets);
    for (uint32_t i = 0; i < p->n_states; i++)
        free(p->state[i].name);
    free(p->state_topic);
    *p = (struct position){.state = p->state, .cap = p->cap};
}

bool position_add(struct position *p, const struct position_state *s)
{
    assert(s->name);
    if (p->n_states == p->cap) {
        uint32_t cap = p->cap ? 2 * p->cap : 16;
        struct position_state *state = realloc(p->state, cap * sizeof *state);
        if (!state) return false;
        p->state = state;
        p->cap = cap;
    }
    struct position_state *added = &p->state[p->n_states];
    *added = *s;
    added->name = strdup(s->name);
    p->n_states += added->name != NULL;
    return added->name != NULL;
}

void position_free(struct position *p)
{
    position_begin(p);
    free(p->state);
    *p = (struct position){.cap = 0};
}

/* ---- writing ---- */

/* Returns room for n bytes at the end of b. Returns NULL if there is no memory, or if there was
 * none in an earlier call, which has set `cap` to 0. */
static unsigned char *position_append(struct position_bytes *b, size_t n)
{
    if (b->n + n > b->cap) {
        size_t cap = 2 * (b->n + n);
        unsigned char *bytes = b->bytes ? realloc(b->bytes, cap) : NULL;
        if (!bytes) free(b->bytes);
        b->bytes = bytes;
        b->cap = bytes ? cap : 0;
    }
    b->n += n;
    return b->bytes ? b->bytes + b->n - n : NULL;
}

static void put_number(struct position_bytes *b, uint64_t v, size_t size)
{
    unsigned char *to = position_append(b, size);
    if (to) le_put(to, v, size);
}

static void position_put_text(struct position_bytes *b, const void *text, size_t n, size_t size)
{
    put_number(b, n, size);
    unsigned char *to = position_append(b, n);
    if (to && n) memcpy(to, text, n);
}

static void put_string(struct position_bytes *b, const char *s)
{
    position_put_text(b, s ? s : "", s ? strlen(s) : 0, 2);
}

static bool put_member(struct position_bytes *b, const rd_kafka_consumer_group_metadata_t *member)
{
    void *bytes = NULL;
    size_t n = 0;
    rd_kafka_error_t *e =
        member ? rd_kafka_consumer_group_metadata_write(member, &bytes, &n) : NULL;
    position_put_text(b, bytes, n, 4);
    if (bytes) rd_kafka_mem_free(NULL, bytes);
    if (e) rd_kafka_error_destroy(e);
    return !e;
}

static void put_offsets(struct position_bytes *b, const rd_kafka_topic_partition_list_t *list)
{
    put_number(b, list ? (uint64_t)list->cnt : 0, 4);
    for (int i = 0; list && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        put_string(b, t->topic);
        put_number(b, (uint64_t)t->partition, 4);
        put_number(b, (uint64_t)t->offset, 8);
        position_put_text(b, t->metadata, t->metadata_size, 2);
    }
}

static void put_states(struct position_bytes *b, const struct position *p)
{
    put_number(b, p->n_states, 4);
    for (uint32_t i = 0; i < p->n_states; i++) {
        const struct position_state *s = &p->state[i];
        put_string(b, s->name);
        put_number(b, (uint64_t)s->next, 8);
        put_number(b, (uint64_t)s->last.offset, 8);
        put_number(b, (uint64_t)s->last.time, 8);
        put_number(b, s->last.hash, 8);
        put_number(b, s->input, 4);
        put_number(b, s->slot, 4);
    }
    put_string(b, p->state_topic);
    put_number(b, (uint64_t)p->state_partitions, 4);
    put_number(b, p->max_message, 8);
}

bool position_write(const struct position *p, struct position_bytes *to)
{
    to->n = 0;
    if (!p->offsets && !p->n_states) return true;
    if (!to->cap) to->bytes = malloc(to->cap = 1024);
    bool good = put_member(to, p->member);
    put_offsets(to, p->offsets);
    put_states(to, p);
    if (to->bytes) put_number(to, XXH3_64bits(to->bytes, to->n), CHECKSUM);
    return good && to->bytes;
}

void position_bytes_free(struct position_bytes *b)
{
    free(b->bytes);
    *b = (struct position_bytes){0};
}

/* ---- reading ---- */

/* Bytes that are not read yet. */
struct position_rest {
    const unsigned char *p;
    size_t n;
};

/* Returns the next n bytes; NULL if fewer are left. */
static const unsigned char *take_bytes(struct position_rest *r, size_t n)
{
    const unsigned char *p = r->p && n <= r->n ? r->p : NULL;
    *r = p ? (struct position_rest){p + n, r->n - n} : (struct position_rest){NULL, 0};
    return p;
}

static uint64_t get(struct position_rest *r, size_t size)
{
    const unsigned char *p = take_bytes(r, size);
    return p ? le_get(p, size) : 0;
}

static const unsigned char *get_text(struct position_rest *r, size_t size, size_t *n)
{
    *n = (size_t)get(r, size);
    return take_bytes(r, *n);
}

/* Returns a copy of the next text; NULL if too few bytes are left, or there is no memory. */
static char *get_string(struct position_rest *r)
{
    size_t n;
    const unsigned char *text = get_text(r, 2, &n);
    return text ? strndup((const char *)text, n) : NULL;
}

static bool get_member(struct position_rest *r, struct position *to)
{
    size_t n;
    const unsigned char *bytes = get_text(r, 4, &n);
    if (!bytes || !n) return bytes != NULL;
    rd_kafka_error_t *e = rd_kafka_consumer_group_metadata_read(&to->member, bytes, n);
    if (e) rd_kafka_error_destroy(e);
    return !e;
}

static bool get_offset(struct position_rest *r, rd_kafka_topic_partition_list_t *list)
{
    size_t n;
    char *topic = get_string(r);
    int32_t partition = (int32_t)get(r, 4);
    int64_t offset = (int64_t)get(r, 8);
    const unsigned char *metadata = get_text(r, 2, &n);
    if (topic && metadata) {
        rd_kafka_topic_partition_t *t = rd_kafka_topic_partition_list_add(list, topic, partition);
        t->offset = offset;
        t->metadata = n ? strndup((const char *)metadata, n) : NULL;
        t->metadata_size = t->metadata ? n : 0;
    }
    free(topic);
    return topic && metadata;
}

static bool get_offsets(struct position_rest *r, struct position *to)
{
    uint64_t n = get(r, 4);
    bool good = true;
    if (n) to->offsets = rd_kafka_topic_partition_list_new(0);
    for (uint64_t i = 0; i < n && good; i++)
        good = get_offset(r, to->offsets);
    return good;
}

static bool get_state(struct position_rest *r, struct position *to)
{
    struct position_state s = {.name = get_string(r)};
    s.next = (int64_t)get(r, 8);
    s.last.offset = (int64_t)get(r, 8);
    s.last.time = (int64_t)get(r, 8);
    s.last.hash = get(r, 8);
    s.input = (uint32_t)get(r, 4);
    s.slot = (uint32_t)get(r, 4);
    bool good = s.name && r->p && position_add(to, &s);
    free(s.name);
    return good;
}

static bool get_states(struct position_rest *r, struct position *to)
{
    uint64_t n = get(r, 4);
    bool good = true;
    for (uint64_t i = 0; i < n && good; i++)
        good = get_state(r, to);
    if (good) to->state_topic = get_string(r);
    to->state_partitions = (int32_t)get(r, 4);
    to->max_message = (size_t)get(r, 8);
    return good && to->state_topic;
}

static bool position_is_whole(const struct leat_position *given)
{
    if (given->n <= CHECKSUM) return false;
    size_t n = given->n - CHECKSUM;
    return XXH3_64bits(given->bytes, n) == le_get((const char *)given->bytes + n, CHECKSUM);
}

int position_read(struct leat_ctx *ctx, const struct leat_position *given, struct position *to)
{
    struct position_rest r = {given->bytes, given->n - CHECKSUM};
    if (strcmp(given->format, POSITION_FORMAT) != 0)
        return ctx->host->fail(ctx, LEAT_EARG,
                               "%s gives a position in format %s, and this sink commits %s",
                               given->source, given->format, POSITION_FORMAT);
    if (position_is_whole(given) && get_member(&r, to) && get_offsets(&r, to) &&
        get_states(&r, to) && r.p && !r.n)
        return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EDATA,
                           "the position of %s is damaged, or there is not enough memory",
                           given->source);
}

/* ---- marks ---- */

enum { MARK_BYTES = 128 };

/* Hashes key and value. A missing key or value gives another hash than an empty one. */
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
