/* source.c -- source.kafka: the messages of Kafka topics as records.
 *
 * Here: parameters, batches, snapshots. The connection: consumer.h, which says where to find the
 * rest. A message as a record: record.c. With state = "partition": partition_states.h.
 *
 * Messages are copied into the batch and given back at once, so librdkafka's memory stays within
 * `prefetch`; a message that does not fit is held back for the next batch. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "all_partitions.h"
#include "core/time/clock.h"
#include "core/text/stream_name.h"
#include "commit.h"
#include "kafka/source/docs.h"
#include "lag.h"
#include "matched_topics.h"
#include "partition_states.h"
#include "message_columns.h"
#include "online.h"
#include "rebalance.h"
#include "record.h"
#include "same_topic.h"
#include "start_offset.h"
#include "start_time.h"
#include "common/state/state_fields.h"

enum { HELD = 512, POLL_MS = 100, WAIT_MS = 5, STATE_VERSION = 3, MAX_PARTITIONS = 1 << 20 };
enum { TOMBSTONES_SKIP, TOMBSTONES_EMPTY };
static const char *const untils[] = {"stopped", "end", NULL};
static const char *const tombstone_names[] = {"skip", "empty", NULL};
static const char *const state_names[] = {"process", "partition", NULL};
static const char *const expired_names[] = {"refuse", "begin", NULL}; /* enum consumer_expired */
static const char *const missing_names[] = {"refuse", "begin", NULL}; /* enum consumer_missing */

struct cfg {
    struct consumer_cfg consumer;
    struct record_cfg record;
    int64_t max_message, partitions_max, limit, give_up;
    int32_t until, tombstones;
};

struct source {
    struct consumer consumer;
    struct partition_states states;
    rd_kafka_message_t *held[HELD]; /* [at, n) are still to be delivered */
    uint32_t at, n;
    uint64_t tombstones, expired;
    uint64_t cut_checkpoint; /* of the last barrier */
    uint64_t silent_ns;      /* waited for messages since the last one came */
    bool ended;              /* by itself: nothing more is read */
    bool stopped;
};

#define CONSUMER_PARAM(FIELD, ...) LEAT_PARAM_AS(#FIELD, struct cfg, consumer.FIELD, __VA_ARGS__)

static const struct leat_param params[] = {
    CONSUMER_PARAM(
        topics, LEAT_STRINGS, .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_STREAM,
        .doc = "topics to read; with a group, a name that begins with ^ is a regular expression"),
    CONSUMER_PARAM(
        brokers, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_OPERATIONAL | LEAT_SERVERS,
        .doc = "host:port, several with commas between; \"embedded\" starts a test broker in this "
               "process"),
    CONSUMER_PARAM(
        group, LEAT_STRING,
        .doc = "consumer group that shares the partitions and keeps the offsets; without a group "
               "this process reads all partitions, and only --state keeps offsets"),
    CONSUMER_PARAM(
        start, LEAT_STRING, .flags = LEAT_REQUIRED,
        .doc =
            "where to begin in a partition when neither --state nor the group has its offset: "
            "earliest, latest, a time (\"2026-11-20T12:00:00Z\"; without an offset it is UTC), a "
            "time ago (\"-6h\"; s, min, h, d, w), timestamp, or offset; committed: that is an "
            "error. Of a time: at the first message of that time or later, or, if there is none, "
            "at the end"),
    CONSUMER_PARAM(
        timestamp, LEAT_INT, .max = 9e15, .unit = "ms",
        .doc = "start = \"timestamp\": begin at the first message of this time or later (ms since "
               "1970)"),
    CONSUMER_PARAM(
        offsets, LEAT_STRINGS,
        .doc = "start = \"offset\": the offset of the first message, for each partition: { "
               "\"payments/0=1200\", \"payments/1=1187\" }; an offset that the topic does not have "
               "(any more) is an error"),
    LEAT_PARAM(struct cfg, until, LEAT_CHOICE, .flags = LEAT_OPERATIONAL, .def = "stopped",
               .choices = untils, .doc = "end: stop when every partition was read to its end"),
    LEAT_PARAM(struct cfg, limit, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .min = 1,
               .max = 9e15, .unit = "messages",
               .doc = "read that many messages of each partition at most, and stop when every "
                      "partition has given them, or, with until = \"end\", has no more"),
    LEAT_PARAM(
        struct cfg, give_up, LEAT_DURATION, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
        .doc = "end the run, with the reason, when for that long nothing has come of what there is "
               "to read: no broker answers, a topic does not exist, or a partition has no leader; "
               "by default it waits"),
    LEAT_PARAM_AS(
        "columns", struct cfg, record.columns, LEAT_STRINGS,
        .doc = "parts of the message that become columns: key, topic, partition, offset, time (ms "
               "since 1970), tombstone (1 or 0), header.NAME"),
    LEAT_PARAM(
        struct cfg, tombstones, LEAT_CHOICE, .def = "skip", .choices = tombstone_names,
        .doc =
            "messages without a value: skip and count them, or make records without bytes, which "
            "sink.kafka writes as messages without a value again"),
    LEAT_PARAM_AS(
        "state", struct cfg, consumer.by_partition, LEAT_CHOICE, .def = "process",
        .choices = state_names,
        .doc = "process: stages learn from all that this process reads; partition: each partition "
               "has a state of its own, which moves with it from process to process"),
    CONSUMER_PARAM(
        state_topic, LEAT_STRING,
        .doc = "state = \"partition\": the topic that keeps the states; it is made, compacted, if "
               "it does not exist"),
    CONSUMER_PARAM(
        expired, LEAT_CHOICE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "refuse",
        .choices = expired_names,
        .doc = "messages that the cluster has deleted before they were read: refuse: end the run; "
               "begin: warn, count them and continue at the first that is left, with what was "
               "learned"),
    CONSUMER_PARAM(
        missing, LEAT_CHOICE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "refuse",
        .choices = missing_names,
        .doc = "state = \"partition\": where the group has committed an offset and state_topic has "
               "no state for it, refuse: end the run; begin: start there with nothing learned"),
    LEAT_PARAM(
        struct cfg, partitions_max, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
        .def = "16", .min = 1, .max = 4096, .unit = "partitions",
        .doc = "state = \"partition\": how many partitions can have a state in this process; more "
               "end the run"),
    CLIENT_MAX_MESSAGE(
        offsetof(struct cfg, max_message),
        "state = \"partition\": longer states are written in several messages; the cluster must "
        "accept messages of this length (message.max.bytes)"),
    LEAT_PARAM_AS("max_record", struct cfg, record.max_record, LEAT_SIZE, .flags = LEAT_ADVANCED,
                  .def = "1MiB", .min = 1 << 10, .max = 64 << 20, .unit = "bytes",
                  .doc = "longer messages are rejected"),
    CONSUMER_PARAM(
        prefetch, LEAT_SIZE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "32MiB",
        .min = 64 << 10, .max = 2147483647.0, .unit = "bytes",
        .doc = "memory for messages that wait to be read: half for their bytes, half for what "
               "librdkafka keeps of each"),
    CONSUMER_PARAM(
        instance, LEAT_STRING, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
        .doc = "name of this member of the group (group.instance.id): restarted within "
               "session.timeout.ms it gets its partitions back, and the others do not notice"),
    CLIENT_PROPERTIES(offsetof(struct cfg, consumer.properties),
                      "\"security.protocol=ssl\", \"client.id=leat-7\""),
};

/* ---- configuration ---- */

/* A predicate; NULL: it is a regular expression. */
static const char *pattern_wrong(const char *pattern)
{
    return stream_name_is_good(pattern)
               ? NULL
               : "is not a regular expression: a bracket or brace may be open";
}

static void check_state_topic(const struct consumer_cfg *cfg, const char *topic,
                              struct leat_diag *d)
{
    const char *states = cfg->by_partition ? cfg->state_topic : NULL;
    if (states && stream_name_covers(topic, states))
        d->error(d, "state_topic",
                 "'%s' is also in `topics`, as '%s': states need a topic of "
                 "their own",
                 states, topic);
}

static void check_topics(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    if (!cfg->topics.n) d->error(d, "topics", "the list is empty: name at least one topic");
    for (uint32_t i = 0; i < cfg->topics.n; i++) {
        const char *name = cfg->topics.v[i];
        const char *wrong = *name == '^' ? pattern_wrong(name) : client_topic_wrong(name);
        if (wrong) d->error(d, "topics", "'%s' %s", name, wrong);
        if (*name == '^' && !cfg->group)
            d->error(d, "topics", "'%s' is a regular expression, which needs a group: set `group`",
                     name);
        check_state_topic(cfg, name, d);
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(name, cfg->topics.v[k]))
                d->error(d, "topics", "'%s' is listed twice: leave one out", name);
    }
}

static void check_start(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    uint32_t which;
    int64_t ms;
    int start = start_time_read(cfg, &ms);
    start_time_check(cfg, d);
    const char *wrong = start_offset_list_wrong(&cfg->offsets, &which);
    if (wrong) d->error(d, "offsets", "'%s' %s", cfg->offsets.v[which], wrong);
    if (start == START_TIMESTAMP && !ms)
        d->error(d, "timestamp", "start = \"timestamp\" needs a time in ms since 1970");
    if (start == START_OFFSET && !cfg->offsets.n)
        d->error(d, "offsets",
                 "start = \"offset\" needs an offset for each partition: { \"topic/0=1200\" }");
    if (start != START_OFFSET && cfg->offsets.n)
        d->error(d, "offsets", "has a meaning only with start = \"offset\": leave it out");
    if (start == START_COMMITTED && !cfg->group)
        d->error(d, "start",
                 "\"committed\" needs a group, because only a group has committed offsets: set "
                 "`group`, or start = \"earliest\", \"latest\", \"timestamp\" or \"offset\"");
}

static void check_group(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    if (cfg->instance && !cfg->group)
        d->error(d, "instance",
                 "'%s' names a member of a group: set `group`, or leave out this name",
                 cfg->instance);
    if (cfg->by_partition && !cfg->state_topic)
        d->error(d, "state_topic",
                 "state = \"partition\" keeps the states in a topic: name that topic");
    if (!cfg->by_partition && cfg->state_topic)
        d->error(d, "state_topic",
                 "has a meaning only with state = \"partition\": set that, or leave it out");
    if (cfg->group && strpbrk(cfg->group, "\t\n\r"))
        d->error(d, "group", "the name has a tab or a line end: use printable characters");
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    check_topics(&cfg->consumer, d);
    check_start(&cfg->consumer, d);
    check_group(&cfg->consumer, d);
    message_columns_check(&cfg->record.columns, d);
    consumer_validate(&cfg->consumer, d);
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    n->out->max_record_bytes = (uint32_t)cfg->record.max_record;
    return message_columns_negotiate(&cfg->record.columns, n);
}

static int online(struct leat_ctx *ctx, int seconds, struct leat_diag *d)
{
    const struct cfg *cfg = ctx->cfg;
    return online_ask(ctx, &cfg->consumer, seconds, d);
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    p->work_bytes = (uint64_t)cfg->consumer.prefetch;
    if (cfg->consumer.by_partition) {
        p->work_bytes += (uint64_t)cfg->max_message;
        p->shards = (uint32_t)cfg->partitions_max;
    }
    snprintf(
        p->note, sizeof p->note,
        "librdkafka %s; at least once: offsets are committed after their records are processed",
        rd_kafka_version_str());
    return LEAT_OK;
}

static int open_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    const struct cfg *cfg = ctx->cfg;
    int status = consumer_open(ctx, &st->consumer, &cfg->consumer);
    if (status == LEAT_OK && cfg->consumer.by_partition)
        status = partition_states_open(ctx, &st->states, &st->consumer, cfg->max_message);
    if (status == LEAT_OK) return status;
    partition_states_close(ctx, &st->states);
    consumer_close(ctx, &st->consumer);
    return status;
}

static void drop_held(struct source *st)
{
    for (; st->at < st->n; st->at++)
        rd_kafka_message_destroy(st->held[st->at]);
    st->at = st->n = 0;
}

static void close_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    drop_held(st);
    partition_states_close(ctx, &st->states);
    consumer_close(ctx, &st->consumer);
}

/* ---- messages ---- */

static struct partition *partition_of(struct source *st, const rd_kafka_message_t *m,
                                      uint32_t *input)
{
    int k = partitions_find(&st->consumer.partitions, rd_kafka_topic_name(m->rkt), m->partition);
    if (k < 0) return NULL;
    struct partition *p = &st->consumer.partitions.v[k];
    *input = st->consumer.cfg->by_partition ? p->input : (uint32_t)k;
    return p;
}

static int fail_expired(struct leat_ctx *ctx, struct source *st, const char *topic, int32_t number,
                        int64_t next)
{
    char log[100];
    start_offset_describe_log(&st->consumer, topic, number, log, sizeof log);
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s/%d has lost message %lld, the next to read: the topic was emptied or created again, "
        "or messages expired unread (%s). Set expired = \"begin\" to continue at the first message "
        "that is left, or use another group, or another --state, to start over",
        topic, (int)number, (long long)next, log);
}

/* No broker has the message to be read next. A leader that does not know yet that it no longer
 * leads says so of a message that the log has. Where nothing was read yet `start` counts again. */
static int take_out_of_range(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    uint32_t input;
    int64_t first, next;
    struct consumer *c = &st->consumer;
    const char *topic = rd_kafka_topic_name(m->rkt);
    struct partition *p = partition_of(st, m, &input);
    if (!p || !p->assigned || p->leaving || c->to_assign) return LEAT_OK;
    rd_kafka_resp_err_t err = start_offset_log_ends(c, topic, m->partition, &first, &next);
    bool gone = p->next >= 0 && p->next < first;
    bool expired = gone && c->cfg->expired == EXPIRED_BEGIN;
    if (err || p->next > next || (gone && !expired))
        return fail_expired(ctx, st, topic, m->partition, p->next >= 0 ? p->next : m->offset);
    if (expired) {
        ctx->host->log(ctx, LEAT_WARN,
                       "%s/%d: messages %lld to %lld expired unread; reading "
                       "continues at %lld",
                       topic, (int)m->partition, (long long)p->next, (long long)first - 1,
                       (long long)first);
        st->expired += (uint64_t)(first - p->next);
        p->next = first;
    }
    p->at_end = false;
    p->last.offset = p->group_last.offset = PARTITION_UNKNOWN; /* it is not there to compare with */
    rebalance_read_on(c);
    return LEAT_OK;
}

/* It has given all that may be read of it. */
static bool is_full(const struct cfg *cfg, const struct partition *p)
{
    return cfg->limit && p->delivered >= cfg->limit;
}

/* A message that is an event: the end of a partition, or an error. */
static int take_event(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    uint32_t input;
    struct partition *p;
    switch (m->err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        if (!(p = partition_of(st, m, &input))) return LEAT_ENOMEM;
        p->at_end = p->assigned;
        if (p->at_end && p->next < m->offset && !is_full(ctx->cfg, p))
            p->next = m->offset; /* control records only */
        return LEAT_OK;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
        return take_out_of_range(ctx, st, m);
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
        if (!st->consumer.cfg->group) return LEAT_OK; /* librdkafka looks for one all the same */
        return ctx->host->fail(ctx, LEAT_EIO, "group %s cannot be used: %s",
                               st->consumer.cfg->group, rd_kafka_message_errstr(m));
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        return ctx->host->fail(ctx, LEAT_EIO, "%s", rd_kafka_message_errstr(m));
    default:
        ctx->host->log(ctx, LEAT_WARN, "%s", rd_kafka_message_errstr(m));
        return LEAT_OK;
    }
}

/* Does the message fit the batch? With a state for each partition, a batch has only one
 * partition. */
static bool fits(const struct cfg *cfg, const struct leat_batch *b, const rd_kafka_message_t *m,
                 uint32_t input)
{
    if (b->n && cfg->consumer.by_partition && b->extent[0].input != input) return false;
    return record_fits(&cfg->record, b, m);
}

/* Adds a message to the batch. LEAT_EFULL: it does not fit. */
static int take_message(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m,
                        struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    uint32_t input;
    if (m->err) return take_event(ctx, st, m);
    struct partition *p = partition_of(st, m, &input);
    if (!p) return LEAT_ENOMEM;
    if (!p->assigned || p->leaving) return LEAT_OK; /* another member's, or soon */
    int status = same_topic_check(ctx, p, m);
    if (status != LEAT_OK || m->offset < p->next || is_full(cfg, p)) return status;
    if (m->payload || cfg->tombstones == TOMBSTONES_EMPTY) {
        if (!fits(cfg, b, m, input)) return LEAT_EFULL;
        record_add(ctx, &cfg->record, b, m, input);
    } else {
        st->tombstones++;
    }
    p->next = m->offset + 1;
    p->at_end = false;
    p->delivered++;
    return LEAT_OK;
}

/* Only of the last message in a row of one partition: its bytes are read for that. */
static void note_last(struct source *st, const rd_kafka_message_t *m)
{
    uint32_t input;
    const rd_kafka_message_t *next = st->at + 1 < st->n ? st->held[st->at + 1] : NULL;
    if (m->err || (next && next->rkt == m->rkt && next->partition == m->partition && !next->err))
        return;
    struct partition *p = partition_of(st, m, &input);
    if (p && p->assigned && m->offset == p->next - 1) p->last = last_message_of(m);
}

static int deliver_held(struct leat_ctx *ctx, struct source *st, struct leat_batch *b)
{
    int status = LEAT_OK;
    while (st->at < st->n && (status = take_message(ctx, st, st->held[st->at], b)) == LEAT_OK) {
        note_last(st, st->held[st->at]);
        rd_kafka_message_destroy(st->held[st->at++]);
    }
    if (st->at == st->n) st->at = st->n = 0;
    return status;
}

/* A partition of which there is something to read; NULL: there is none, or none is assigned. */
static const struct partition *unread(const struct cfg *cfg, const struct source *st)
{
    const struct partitions *all = &st->consumer.partitions;
    const struct partition *p = all->v;
    while (p < all->v + all->n && (!p->assigned || p->at_end || is_full(cfg, p)))
        p++;
    return p < all->v + all->n ? p : NULL;
}

static bool is_any_open(const struct cfg *cfg, const struct partitions *all)
{
    bool open = false;
    for (uint32_t i = 0; i < all->n && !open; i++)
        open = all->v[i].assigned && !(cfg->until && all->v[i].at_end) && !is_full(cfg, &all->v[i]);
    return open;
}

static bool is_finished(const struct leat_ctx *ctx, const struct source *st)
{
    const struct cfg *cfg = ctx->cfg;
    const struct partitions *all = &st->consumer.partitions;
    return (cfg->until || cfg->limit) && !st->n && !st->consumer.to_assign &&
           partitions_assigned(all) && !is_any_open(cfg, all);
}

/* What a run waits for in vain. A member of a group may have nothing to read, once it is one. */
static int give_up(struct leat_ctx *ctx, const struct source *st)
{
    const struct cfg *cfg = ctx->cfg;
    const struct consumer *c = &st->consumer;
    const struct partition *p = unread(cfg, st);
    bool waits = c->outage.down || p || !c->partitions.n;
    if (!waits || st->silent_ns < (uint64_t)cfg->give_up) return LEAT_AGAIN;
    double seconds = (double)cfg->give_up / 1e9;
    if (c->outage.down)
        return ctx->host->fail(ctx, LEAT_EIO, "no broker of %s answered for %g s: %s",
                               c->cfg->brokers, seconds, c->outage.reason);
    if (p)
        return ctx->host->fail(ctx, LEAT_EIO, "nothing came of %s/%d for %g s: no broker leads it",
                               p->topic, (int)p->number, seconds);
    return ctx->host->fail(ctx, LEAT_EIO,
                           "%s has not named the partitions of the topics for %g s: `leat check "
                           "--online` may say why",
                           c->cfg->brokers, seconds);
}

static int end(struct source *st)
{
    st->ended = true;
    return LEAT_EOS;
}

static int wait_a_little(struct leat_ctx *ctx)
{
    struct timespec t = {0, WAIT_MS * 1000000};
    nanosleep(&t, NULL);
    return LEAT_AGAIN;
}

/* Partitions that the group has given are assigned, with their states. */
static int assign_given(struct leat_ctx *ctx, struct source *st)
{
    struct consumer *c = &st->consumer;
    if (c->to_assign && !c->cooperative) drop_held(st);
    if (c->cfg->by_partition) return partition_states_assign(ctx, &st->states, c);
    if (c->to_assign) rebalance_assign(ctx, c);
    return LEAT_OK;
}

/* Messages for `held`, when it is empty. LEAT_AGAIN: none came. */
static int receive(struct leat_ctx *ctx, struct source *st, const struct leat_batch *b)
{
    struct consumer *c = &st->consumer;
    if (st->n) return LEAT_OK;
    uint64_t from = clock_ns();
    ssize_t got = consumer_poll(ctx, c, st->held, HELD,
                                b->n           ? 0
                                : c->to_revoke ? WAIT_MS
                                               : POLL_MS);
    st->silent_ns = got ? 0 : st->silent_ns + clock_ns() - from;
    if (got < 0) return ctx->host->fail(ctx, c->failure, "%s", c->why);
    if (!got) return LEAT_AGAIN;
    st->n = (uint32_t)got;
    if (c->outage.down) ctx->host->log(ctx, LEAT_INFO, "messages arrive again");
    outage_end(&c->outage);
    return LEAT_OK;
}

/* What the group takes away, and what it gives, comes first; a cooperative one leaves the rest. */
static bool may_read(const struct consumer *c)
{
    return !c->to_assign && (!c->to_revoke || c->cooperative);
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *st = self;
    struct consumer *c = &st->consumer;
    if (ctx->host->stopping(ctx)) return LEAT_EOS;
    commit_collect(ctx, c, 0);
    if (rebalance_waits(ctx, c) && !c->cooperative) {
        drop_held(st); /* whoever has the partition next reads them again */
        return wait_a_little(ctx);
    }
    int status = assign_given(ctx, st);
    if (status == LEAT_AGAIN) return wait_a_little(ctx);
    rebalance_read_later(c);
    while (status == LEAT_OK && may_read(c) && !is_finished(ctx, st)) {
        status = receive(ctx, st, b);
        if (status == LEAT_OK) status = deliver_held(ctx, st, b);
    }
    if (status < 0 && status != LEAT_EFULL && status != LEAT_AGAIN) return status;
    if (is_finished(ctx, st)) return end(st);
    if (b->n) return LEAT_OK;
    return ((const struct cfg *)ctx->cfg)->give_up ? give_up(ctx, st) : LEAT_AGAIN;
}

static void wake(void *self) { consumer_wake(&((struct source *)self)->consumer); }

/* ---- checkpoints ---- */

/* After the end it is the last one. A checkpoint that was under way at the end is over by then:
 * what it has published and committed is not the last. */
static int barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    bool moved = !partitions_all_cut(&st->consumer.partitions);
    partitions_cut(&st->consumer.partitions);
    if (st->ended && st->consumer.cfg->by_partition) partitions_end(&st->consumer.partitions);
    st->cut_checkpoint = checkpoint;
    return moved ? same_topic_sample(ctx, &st->consumer) : LEAT_OK;
}

/* Once the run has stopped, all that was delivered is durable. */
static int durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    if (checkpoint < st->cut_checkpoint && !st->stopped) return LEAT_OK;
    if (st->consumer.cfg->by_partition) {
        int status = partition_states_publish(ctx, &st->states, &st->consumer, checkpoint);
        if (status != LEAT_OK) return status;
    }
    commit_offsets(ctx, &st->consumer, checkpoint, st->stopped);
    /* What is open is given now, and goes with offsets that are committed as this member's. */
    if (!st->ended) commit_release(&st->consumer);
    return LEAT_OK;
}

static const char *position_format(const void *config)
{
    const struct consumer_cfg *cfg = &((const struct cfg *)config)->consumer;
    return cfg->group || cfg->by_partition ? POSITION_FORMAT : NULL;
}

static int position(struct leat_ctx *ctx, void *self, struct leat_position *out)
{
    struct consumer *c = &((struct source *)self)->consumer;
    struct position_bytes *bytes = &c->position_bytes;
    int status = commit_position(ctx, c);
    if (status == LEAT_OK && c->cfg->by_partition)
        status = partition_states_position(ctx, &((struct source *)self)->states, c);
    if (status != LEAT_OK) return status;
    if (!position_write(&c->position, bytes))
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a position");
    out->bytes = bytes->bytes;
    out->n = bytes->n;
    return LEAT_OK;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    st->stopped = true;
    drop_held(st);
    lag_tell(ctx, &st->consumer);
    ctx->host->metric(ctx, "partitions", partitions_assigned(&st->consumer.partitions));
    ctx->host->metric(ctx, "tombstones", (double)st->tombstones);
    ctx->host->metric(ctx, "expired", (double)st->expired);
    return LEAT_OK;
}

static int tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    struct source *st = self;
    all_partitions_look_again(ctx, &st->consumer);
    matched_topics_look(ctx, &st->consumer);
    lag_tell(ctx, &st->consumer);
    return LEAT_OK;
}

#define AT(member) STATE_MEMBER(struct partition_table, member)
static const struct state_field fields[] = {
    {"writer", STATE_VALUE, .at = AT(writer)},
    {"partitions", STATE_VALUE, .at = AT(n), .max = MAX_PARTITIONS},
    {"topic_bytes", STATE_VALUE, .at = AT(topics_len), .max = MAX_PARTITIONS * 250.0},
    {"topic", STATE_LENT, .at = AT(topics), .count = {AT(topics_len)}},
    {"partition", STATE_LENT, .at = AT(number), .count = {AT(n)}},
    {"offset", STATE_LENT, .at = AT(offset), .count = {AT(n)}},
    {"last_offset", STATE_LENT, .at = AT(last_offset), .count = {AT(n)}},
    {"last_time", STATE_LENT, .at = AT(last_time), .count = {AT(n)}},
    {"last_hash", STATE_LENT, .at = AT(last_hash), .count = {AT(n)}},
};
#undef AT

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct source *st = self;
    struct partition_table t;
    if (!partitions_save(&st->consumer.partitions, &t))
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for offsets");
    t.writer = st->consumer.writer;
    int status = state_write(w, STATE_TABLE(fields), &t);
    partition_table_free(&t);
    return status;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct source *st = self;
    struct partition_table t = {.n = 0};
    int status = state_check_version(r, version, STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(fields), &t);
    if (status != LEAT_OK) return status;
    st->consumer.writer = t.writer;
    if (!t.n) return LEAT_OK;
    return partitions_load(&st->consumer.partitions, &t)
               ? LEAT_OK
               : r->refuse(r, "the lists of topics, partitions and offsets do not fit together");
}

static const struct leat_figure figures[] = {
    {"partitions", "partitions", "partitions that this process reads", LEAT_GAUGE},
    {"tombstones", "records", "messages without a value", LEAT_COUNTER},
    {"expired", "1", "times that messages had expired unread", LEAT_COUNTER},
    {"lag", "records", "messages that were not delivered yet", LEAT_GAUGE},
};

const struct leat_stage source_kafka = {
    .name = "source.kafka",
    .summary = "the messages of Kafka topics; commits offsets only after records are processed",
    .doc = source_doc,
    .example =
        "leat.source.kafka { \"payments\", brokers = \"localhost:9092\", group = \"explain\", "
        "start = \"earliest\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS | LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP | LEAT_HAS_HEADERS,
    LEAT_PARAMS(params, struct cfg),
    LEAT_FIGURES(figures),
    LEAT_INSTANCE(struct source, open_source, close_source),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .stop = stop,
    .tick = tick,
    .barrier = barrier,
    .online = online,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce,
                        .wake = wake, .durable = durable, .position_format = position_format,
                        .position = position),
    .state =
        LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = snapshot, .restore = restore),
};
