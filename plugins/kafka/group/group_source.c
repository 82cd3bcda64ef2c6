/* group_source.c -- source.group: what a consumer group does, as records of JSON.
 *
 * Records come once, after all questions are answered: one for each partition and each member, and
 * last one for the group. So who finds the record of the group has all of them.
 *
 *   open       asks for members, offsets and ends (group_status.h)
 *   TIMES      reads the first unread message of each partition
 *   STATES     reads the state topic to its end
 *   WRITES     makes the records, as many as fit into each batch */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/text_out.h"
#include "core/time/clock.h"
#include "group_status.h"
#include "kafka/client/topic_reader.h"
#include "kafka/group/docs.h"
#include "kafka/states/states.h"

enum { ONCE_MS = 50, RECORD_BYTES = 8192 };

struct group_cfg {
    const char *group, *brokers, *state_topic, *pipeline;
    struct leat_strings topics, properties;
    int64_t timeout; /* ns */
};

enum group_phase { GROUP_TIMES, GROUP_STATES, GROUP_WRITES };

/* The newest state of a partition, at the index of struct states. */
struct group_state {
    int64_t written; /* ms since 1970; GROUP_UNKNOWN: there is no state */
};

struct group_source {
    struct group_status status;
    struct topic_reader reader;
    struct states found;
    struct group_state *state;
    uint32_t cap_states;
    const struct group_cfg *cfg;
    enum group_phase phase;
    uint32_t written; /* records */
    int64_t now;      /* ms since 1970 */
};

static const struct leat_param group_params[] = {
    LEAT_PARAM(struct group_cfg, group, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "the consumer group"),
    CLIENT_BROKERS(offsetof(struct group_cfg, brokers)),
    LEAT_PARAM(struct group_cfg, topics, LEAT_STRINGS, .flags = LEAT_STREAM,
               .doc = "topics, or patterns (^…), to report on; otherwise those of which the group "
                      "has partitions or offsets"),
    LEAT_PARAM(struct group_cfg, state_topic, LEAT_STRING, .flags = LEAT_STREAM,
               .doc = "topic with the states of the group's partitions; it is read as a whole"),
    LEAT_PARAM(struct group_cfg, pipeline, LEAT_STRING,
               .doc = "pipeline whose states count; otherwise all that the group has there"),
    LEAT_PARAM(struct group_cfg, timeout, LEAT_DURATION, .flags = LEAT_ADVANCED, .def = "10s",
               .min = 1, .max = 3600, .doc = "longest wait for the brokers' answers"),
    CLIENT_PROPERTIES(offsetof(struct group_cfg, properties), "\"security.protocol=ssl\""),
};

static struct group_question group_question_of(const struct group_cfg *cfg, int seconds)
{
    return (struct group_question){.client = {.role = CLIENT_INQUIRER,
                                              .brokers = cfg->brokers,
                                              .properties = &cfg->properties},
                                   .group = cfg->group,
                                   .topics = &cfg->topics,
                                   .state_topic = cfg->state_topic,
                                   .seconds = seconds};
}

static int group_validate(const void *config, struct leat_diag *d)
{
    const struct group_cfg *cfg = config;
    struct client_cfg client = group_question_of(cfg, 0).client;
    client_validate(&client, d);
    return LEAT_OK;
}

static int group_negotiate(const void *config, struct leat_negotiation *n)
{
    n->out->max_record_bytes = RECORD_BYTES;
    return LEAT_OK;
}

static int group_online(struct leat_ctx *ctx, int seconds, struct leat_diag *d)
{
    struct group_status status;
    struct group_question q = group_question_of(ctx->cfg, seconds);
    int s = group_status_open(&status, ctx, &q, d);
    group_status_close(&status);
    return s;
}

/* ---- life ---- */

/* Makes errors of an inquiry those of the stage. */
struct group_diag {
    struct leat_diag base;
    struct leat_ctx *ctx;
    int status;
};

static void group_fail(struct leat_diag *base, const char *param, const char *format, ...)
{
    struct group_diag *d = (struct group_diag *)base;
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->status = d->ctx->host->fail(d->ctx, LEAT_EIO, "%s", text);
}

/* True for the names of states that belong to the group, and to the pipeline if one is given. */
static bool state_is_of_group(void *self, const char *name)
{
    const struct group_cfg *cfg = ((struct group_source *)self)->cfg;
    const char *pipeline, *group;
    size_t n = states_name_field(name, 0, &pipeline), m = states_name_field(name, 1, &group);
    if (m != strlen(cfg->group) || memcmp(group, cfg->group, m) != 0) return false;
    return !cfg->pipeline || (n == strlen(cfg->pipeline) && !memcmp(pipeline, cfg->pipeline, n));
}

static int group_open_states(struct leat_ctx *ctx, struct group_source *st)
{
    const struct client_cfg client = {.role = CLIENT_TOPIC_READER,
                                      .brokers = st->cfg->brokers,
                                      .properties = &st->cfg->properties};
    st->found = (struct states){.wanted = state_is_of_group, .self = st};
    if (!st->cfg->state_topic) return LEAT_OK;
    int status = topic_reader_open(ctx, &st->reader, &client, st->cfg->state_topic, false);
    if (status != LEAT_OK) topic_reader_close(&st->reader);
    return status;
}

static int group_open(struct leat_ctx *ctx, void *self)
{
    struct group_source *st = self;
    st->cfg = ctx->cfg;
    struct group_question q = group_question_of(st->cfg, (int)(st->cfg->timeout / 1000000000));
    struct group_diag d = {
        {.size = sizeof d.base, .error = group_fail, .warn = group_fail}, ctx, 0};
    int status = group_status_open(&st->status, ctx, &q, &d.base);
    if (status == LEAT_OK) status = d.status;
    if (status == LEAT_OK) status = group_open_states(ctx, st);
    if (status != LEAT_OK) group_status_close(&st->status);
    return status;
}

static void group_close(struct leat_ctx *ctx, void *self)
{
    struct group_source *st = self;
    group_status_close(&st->status);
    topic_reader_close(&st->reader);
    states_free(&st->found);
    free(st->state);
}

/* ---- states ---- */

static bool state_note(struct group_source *st, uint32_t which, const rd_kafka_message_t *m)
{
    struct states_found *o = &st->found.v[which];
    if (which >= st->cap_states) {
        uint32_t cap = 2 * (which + 8);
        struct group_state *state = realloc(st->state, cap * sizeof *state);
        if (!state) return false;
        st->state = state;
        st->cap_states = cap;
    }
    st->state[which].written = o->n ? rd_kafka_message_timestamp(m, NULL) : GROUP_UNKNOWN;
    free(o->bytes); /* only its size and offset matter */
    o->bytes = NULL;
    return true;
}

/* Reads the next message of the state topic. Sets *more to false at its end. */
static int states_read(struct leat_ctx *ctx, struct group_source *st, bool *more)
{
    rd_kafka_message_t *m = NULL;
    uint32_t which;
    int status = topic_reader_next(ctx, &st->reader, ONCE_MS, &m);
    *more = status == LEAT_OK || !topic_reader_at_end(&st->reader);
    if (status != LEAT_OK) return status;
    enum states_result r = states_take(&st->found, m->key, m->key_len, m->payload, m->len, &which);
    bool noted = r == STATES_CHANGED ? state_note(st, which, m) : r != STATES_NO_MEMORY;
    rd_kafka_message_destroy(m);
    return noted ? LEAT_OK
                 : ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a state");
}

/* Returns the index of the state of a partition, the newest if several pipelines have one; found.n
 * if there is none. */
static uint32_t state_of(const struct group_source *st, const struct group_partition *p)
{
    uint32_t newest = st->found.n;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)p->number);
    for (uint32_t i = 0; i < st->found.n; i++) {
        const char *topic, *of;
        size_t n = states_name_field(st->found.v[i].name, 2, &topic);
        states_name_field(st->found.v[i].name, 3, &of);
        if (!st->found.v[i].n || n != strlen(p->topic) || memcmp(topic, p->topic, n) != 0) continue;
        if (strcmp(of, number) != 0) continue;
        if (newest == st->found.n || st->state[i].written > st->state[newest].written) newest = i;
    }
    return newest;
}

/* ---- records ---- */

static void put_text(struct text_out *o, const char *key, const char *text)
{
    text_char(o, ',');
    text_json(o, key, strlen(key));
    text_char(o, ':');
    if (text)
        text_json(o, text, strlen(text));
    else
        text_str(o, "null");
}

/* Writes a number; null if it is negative, which means unknown. */
static void put_count(struct text_out *o, const char *key, int64_t n)
{
    text_char(o, ',');
    text_json(o, key, strlen(key));
    text_char(o, ':');
    if (n >= 0)
        text_int(o, n);
    else
        text_str(o, "null");
}

static int64_t ms_since(const struct group_source *st, int64_t time)
{
    if (time < 0) return GROUP_UNKNOWN;
    return st->now > time ? st->now - time : 0;
}

static void put_state(struct text_out *o, const struct group_source *st,
                      const struct group_partition *p)
{
    uint32_t k = state_of(st, p);
    bool has = k < st->found.n;
    put_count(o, "state_offset", has ? st->found.v[k].next : GROUP_UNKNOWN);
    put_count(o, "state_bytes", has ? (int64_t)st->found.v[k].n : GROUP_UNKNOWN);
    put_count(o, "state_age_ms", has ? ms_since(st, st->state[k].written) : GROUP_UNKNOWN);
}

static void put_partition(struct text_out *o, const struct group_source *st,
                          const struct group_partition *p)
{
    const struct group_member *m = p->owner >= 0 ? &st->status.member[p->owner] : NULL;
    text_str(o, "{\"record\":\"partition\"");
    put_text(o, "topic", p->topic);
    put_count(o, "partition", p->number);
    put_text(o, "owner", m ? m->id : NULL);
    put_count(o, "committed", p->committed);
    put_count(o, "end", p->end);
    put_count(o, "lag", group_lag(p));
    put_count(o, "behind_ms", group_lag(p) ? ms_since(st, p->waits_since) : 0);
    put_state(o, st, p);
    text_char(o, '}');
}

static void put_group_member(struct text_out *o, const struct group_member *m)
{
    text_str(o, "{\"record\":\"member\"");
    put_text(o, "id", m->id);
    put_text(o, "instance", m->instance);
    put_text(o, "client", m->client);
    put_text(o, "host", m->host);
    put_count(o, "partitions", m->partitions);
    text_char(o, '}');
}

static void put_group(struct text_out *o, const struct group_source *st)
{
    const struct group_status *g = &st->status;
    text_str(o, "{\"record\":\"group\"");
    put_text(o, "group", g->group);
    put_text(o, "state", g->state);
    put_text(o, "assignor", g->assignor[0] ? g->assignor : NULL);
    put_text(o, "coordinator", g->coordinator[0] ? g->coordinator : NULL);
    put_text(o, "state_topic", st->cfg->state_topic);
    text_char(o, '}');
}

static int cut_record(void *to, const char *bytes, size_t n) { return LEAT_EFULL; }

/* Writes record k to the text. */
static void put_record(struct text_out *o, const struct group_source *st, uint32_t k)
{
    const struct group_status *g = &st->status;
    if (k < g->n_partitions)
        put_partition(o, st, &g->partition[k]);
    else if (k < g->n_partitions + g->n_members)
        put_group_member(o, &g->member[k - g->n_partitions]);
    else
        put_group(o, st);
}

static int write_records(struct leat_ctx *ctx, struct group_source *st, struct leat_batch *b)
{
    const uint32_t all = st->status.n_partitions + st->status.n_members + 1;
    char text[RECORD_BYTES];
    while (st->written < all && b->n < b->cap && b->n_bytes + RECORD_BYTES <= b->fill_bytes) {
        struct text_out o = {.buf = text, .cap = sizeof text, .drain = cut_record};
        put_record(&o, st, st->written);
        if (o.failed) return ctx->host->fail(ctx, LEAT_EFULL, "a name of the group is too long");
        uint32_t off = leat_add_bytes(b, (uint32_t)o.n);
        if (off == LEAT_NULL) break;
        memcpy(b->bytes + off, text, o.n);
        leat_add_record(b, off, (uint32_t)o.n);
        st->written++;
    }
    return st->written == all ? LEAT_EOS : LEAT_OK;
}

static int group_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct group_source *st = self;
    bool more = false;
    int status = LEAT_OK;
    if (ctx->host->stopping(ctx)) return LEAT_EOS;
    if (st->phase == GROUP_WRITES) return write_records(ctx, st, b);
    if (st->phase == GROUP_TIMES)
        more = group_status_read(&st->status, ONCE_MS);
    else if (st->cfg->state_topic)
        status = states_read(ctx, st, &more);
    st->phase += !more;
    st->now = (int64_t)(clock_unix_ns() / 1000000);
    return status < 0 ? status : LEAT_AGAIN;
}

const struct leat_stage source_group = {
    .name = "source.group",
    .summary = "what a consumer group does: members, offsets, lag, states, as JSON",
    .doc = group_doc,
    .example = "leat.source.group { \"clicks\", brokers = \"localhost:9092\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(group_params, struct group_cfg),
    LEAT_INSTANCE(struct group_source, group_open, group_close),
    .validate = group_validate,
    .negotiate = group_negotiate,
    .online = group_online,
    .source =
        LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = group_produce),
};
