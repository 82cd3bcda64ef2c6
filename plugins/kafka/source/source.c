/* source.c -- source.kafka: the messages of Kafka topics as records.
 *
 * Glue: parameters, batches, state. The connection: consumer.c. Where it stands: partitions.c.
 * What of a message is kept: record.c.
 *
 * Messages are copied into the batch and given back at once, so librdkafka's memory stays within
 * `prefetch`; what finds no room is held back for the next batch. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "start_offset.h"
#include "kafka/client/client.h"
#include "message_columns.h"
#include "record.h"
#include "kafka/states/partition_states.h"

enum { STATE_PROCESS, STATE_PARTITION };
static const char *const state_names[] = {"process", "partition", NULL};
static const char *const missing_names[] = {"refuse", "begin", NULL};
enum { HELD = 512, POLL_MS = 100, WAIT_MS = 5, STATE_VERSION = 1 };

struct cfg {
    struct consumer_cfg consumer;
    struct record_cfg record;
    int64_t max_message, partitions_max;
    int32_t until, tombstones;
};

struct source {
    struct consumer consumer;
    struct partition_states shards;
    rd_kafka_message_t *held[HELD]; /* [at, n) are still to be delivered */
    uint32_t at, n;
    uint64_t tombstones;
    uint64_t cut_checkpoint; /* of the last barrier */
    bool stopped;
};

static const char *const starts[] = {"earliest",  "latest", "committed",
                                     "timestamp", "offset", NULL};
static const char *const untils[] = {"stopped", "end", NULL};
enum { TOMBSTONES_SKIP, TOMBSTONES_EMPTY };
static const char *const tombstone_names[] = {"skip", "empty", NULL};

#define CONSUMER(FIELD) offsetof(struct cfg, consumer) + offsetof(struct consumer_cfg, FIELD)

static const struct leat_param params[] = {
    {.name = "topics",
     .type = LEAT_STRINGS,
     .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
     .offset = CONSUMER(topics),
     .doc = "topics to read; with a group, one that begins with ^ is a regular expression"},
    {.name = "brokers",
     .type = LEAT_STRING,
     .flags = LEAT_REQUIRED,
     .offset = CONSUMER(brokers),
     .doc = "host:port, several apart by commas; \"embedded\" starts one in this process, to try"},
    {.name = "group",
     .type = LEAT_STRING,
     .offset = CONSUMER(group),
     .doc = "consumer group that shares the partitions and keeps the offsets; without it all "
            "partitions are read and no offset is kept but in --state"},
    {.name = "start",
     .type = LEAT_CHOICE,
     .flags = LEAT_REQUIRED,
     .offset = CONSUMER(start),
     .choices = starts,
     .doc = "where to begin in a partition of which neither --state nor the group knows an offset; "
            "committed: that is an error"},
    {.name = "timestamp",
     .type = LEAT_INT,
     .offset = CONSUMER(timestamp),
     .max = 9e15,
     .unit = "ms",
     .doc = "start = \"timestamp\": the first message of this time or later, since 1970"},
    {.name = "offsets",
     .type = LEAT_STRINGS,
     .offset = CONSUMER(offsets),
     .doc = "start = \"offset\": that of the first message, of each partition: "
            "{ \"payments/0=1200\", \"payments/1=1187\" }; one that is not in the topic (any more) "
            "is an error"},
    {.name = "until",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, until),
     .def = "stopped",
     .choices = untils,
     .doc = "end: stop when every partition was read to its end"},
    {.name = "columns",
     .type = LEAT_STRINGS,
     .offset = offsetof(struct cfg, record.columns),
     .doc = "columns beside the value's own: key, topic, partition, offset, time (ms since 1970), "
            "tombstone (1 or 0), header.NAME"},
    {.name = "tombstones",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, tombstones),
     .def = "skip",
     .choices = tombstone_names,
     .doc = "messages without a value: passed over and counted, or records without bytes, which "
            "sink.kafka writes as what they were"},
    {.name = "state",
     .type = LEAT_CHOICE,
     .offset = CONSUMER(by_partition),
     .def = "process",
     .choices = state_names,
     .doc =
         "process: what stages learn is of all that this process reads; partition: each partition "
         "has a state of its own, which moves with it from process to process"},
    {.name = "state_topic",
     .type = LEAT_STRING,
     .offset = CONSUMER(state_topic),
     .doc = "state = \"partition\": the topic the states are kept in; made, compacted, if there is "
            "none"},
    {.name = "missing",
     .type = LEAT_CHOICE,
     .flags = LEAT_ADVANCED,
     .offset = CONSUMER(missing),
     .def = "refuse",
     .choices = missing_names,
     .doc = "state = \"partition\": where the group has committed an offset and state_topic has no "
            "state to go with it, end the run, or begin there with nothing learned"},
    {.name = "partitions_max",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, partitions_max),
     .def = "16",
     .min = 1,
     .max = 4096,
     .unit = "partitions",
     .doc = "state = \"partition\": so many at most have a state here; more end the run"},
    CLIENT_MAX_MESSAGE(
        offsetof(struct cfg, max_message),
        "state = \"partition\": longer states are written in several messages; the cluster must "
        "take as long ones (message.max.bytes)"),
    {.name = "max_record",
     .type = LEAT_SIZE,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, record.max_record),
     .def = "1MiB",
     .min = 1 << 10,
     .max = 64 << 20,
     .unit = "bytes",
     .doc = "longer messages are rejected"},
    {.name = "prefetch",
     .type = LEAT_SIZE,
     .flags = LEAT_ADVANCED,
     .offset = CONSUMER(prefetch),
     .def = "32MiB",
     .min = 64 << 10,
     .max = 2147483647.0,
     .unit = "bytes",
     .doc = "memory for messages that wait to be read: half for their bytes, half for what "
            "librdkafka keeps of each"},
    {.name = "instance",
     .type = LEAT_STRING,
     .flags = LEAT_ADVANCED,
     .offset = CONSUMER(instance),
     .doc = "name of this member of the group: restarted within session.timeout.ms it gets its "
            "partitions back without the others noticing (group.instance.id)"},
    {.name = "properties",
     .type = LEAT_STRINGS,
     .flags = LEAT_ADVANCED,
     .offset = CONSUMER(properties),
     .doc = "any property of librdkafka: { \"security.protocol=ssl\", \"client.id=leat-7\" }"},
};

static void check_topics(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    if (!cfg->topics.n) d->error(d, "topics", "is empty: there is nothing to read");
    for (uint32_t i = 0; i < cfg->topics.n; i++) {
        const char *name = cfg->topics.v[i],
                   *wrong = *name == '^' ? NULL : client_topic_wrong(name);
        if (wrong) d->error(d, "topics", "'%s' %s", name, wrong);
        if (*name == '^' && !cfg->group)
            d->error(d, "topics", "'%s' is a regular expression, which needs a group", name);
        if (cfg->by_partition && cfg->state_topic && !strcmp(name, cfg->state_topic))
            d->error(d, "state_topic", "is one of the topics that are read");
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(name, cfg->topics.v[k])) d->error(d, "topics", "'%s' is there twice", name);
    }
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    const char *wrong;
    char why[600];
    uint32_t which;
    check_topics(&cfg->consumer, d);
    if (cfg->consumer.start == START_TIMESTAMP && !cfg->consumer.timestamp)
        d->error(d, "timestamp", "start = \"timestamp\" needs one");
    if ((cfg->consumer.start == START_OFFSET) != (cfg->consumer.offsets.n > 0))
        d->error(d, "offsets",
                 cfg->consumer.offsets.n ? "is for start = \"offset\""
                                         : "start = \"offset\" needs those of all partitions: "
                                           "{ \"topic/0=1200\" }");
    if ((wrong = start_offset_list_wrong(&cfg->consumer.offsets, &which)))
        d->error(d, "offsets", "'%s' %s", cfg->consumer.offsets.v[which], wrong);
    if (cfg->consumer.start == START_COMMITTED && !cfg->consumer.group)
        d->error(d, "start",
                 "only a group has committed offsets: earliest, latest, timestamp or offset");
    if (cfg->consumer.instance && !cfg->consumer.group)
        d->error(d, "instance", "is a member's name in a group, and there is none");
    if (cfg->consumer.by_partition && !cfg->consumer.state_topic)
        d->error(d, "state_topic", "state = \"partition\" keeps the states in a topic: name it");
    if (!cfg->consumer.by_partition && cfg->consumer.state_topic)
        d->error(d, "state_topic", "is for state = \"partition\"");
    if (cfg->consumer.group && strpbrk(cfg->consumer.group, "\t\n\r"))
        d->error(d, "group", "is a name of printable characters");
    message_columns_check(&cfg->record.columns, d);
    wrong = consumer_wrong(&cfg->consumer, why, sizeof why);
    if (wrong) d->error(d, "properties", "%s", wrong);
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    n->out->max_record_bytes = (uint32_t)cfg->record.max_record;
    return message_columns_negotiate(&cfg->record.columns, n);
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    (void)in, (void)out;
    p->work_bytes = (uint64_t)cfg->consumer.prefetch;
    if (cfg->consumer.by_partition) {
        p->work_bytes += (uint64_t)cfg->max_message;
        p->shards = (uint32_t)cfg->partitions_max;
    }
    snprintf(p->note, sizeof p->note,
             "librdkafka %s; at least once, offsets are committed once "
             "their records are worked off",
             rd_kafka_version_str());
    return LEAT_OK;
}

static int open_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    const struct cfg *cfg = ctx->cfg;
    int s = consumer_open(ctx, &st->consumer, &cfg->consumer);
    if (s == LEAT_OK && cfg->consumer.by_partition)
        s = partition_states_open(ctx, &st->shards, &st->consumer, cfg->max_message);
    if (s == LEAT_OK) return s;
    partition_states_close(ctx, &st->shards);
    consumer_close(ctx, &st->consumer);
    return s;
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
    partition_states_close(ctx, &st->shards);
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

/* The message that comes next is not there. */
static int expired(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    uint32_t input;
    char log[100];
    const char *topic = rd_kafka_topic_name(m->rkt);
    const struct partition *p = partition_of(st, m, &input);
    start_offset_describe_log(&st->consumer, topic, m->partition, log, sizeof log);
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s/%d has no message %lld (any more), which comes next: the topic was emptied or made "
        "anew, or messages expired unread (%s); another group, or another --state, begins anew",
        topic, (int)m->partition, (long long)(p && p->next >= 0 ? p->next : m->offset), log);
}

/* A message that is none: the end of a partition, or an error. */
static int take_event(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    uint32_t input;
    struct partition *p;
    switch (m->err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        if (!(p = partition_of(st, m, &input))) return LEAT_ENOMEM;
        p->at_end = p->assigned;
        if (p->assigned && p->next < m->offset) p->next = m->offset; /* none but control records */
        return LEAT_OK;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
        return expired(ctx, st, m);
    default:
        ctx->host->log(ctx, LEAT_WARN, "%s", rd_kafka_message_errstr(m));
        return LEAT_OK;
    }
}

/* With states by partition a batch is of one. */
static bool has_room(const struct cfg *cfg, const struct leat_batch *b, const rd_kafka_message_t *m,
                     uint32_t input)
{
    if (b->n && cfg->consumer.by_partition && b->run[0].input != input) return false;
    return record_fits(&cfg->record, b, m);
}

/* One message into the batch. LEAT_EFULL: it finds no room. */
static int take(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m,
                struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    uint32_t input;
    if (m->err) return take_event(ctx, st, m);
    struct partition *p = partition_of(st, m, &input);
    if (!p) return LEAT_ENOMEM;
    if (!p->assigned || m->offset < p->next) return LEAT_OK; /* of an assignment that is over */
    if (m->payload || cfg->tombstones == TOMBSTONES_EMPTY) {
        if (!has_room(cfg, b, m, input)) return LEAT_EFULL;
        record_add(ctx, &cfg->record, b, m, input);
    } else {
        st->tombstones++;
    }
    p->next = m->offset + 1;
    p->at_end = false;
    return LEAT_OK;
}

static int deliver_held(struct leat_ctx *ctx, struct source *st, struct leat_batch *b)
{
    int s = LEAT_OK;
    while (st->at < st->n && (s = take(ctx, st, st->held[st->at], b)) == LEAT_OK)
        rd_kafka_message_destroy(st->held[st->at++]);
    if (st->at == st->n) st->at = st->n = 0;
    return s;
}

static int finished(const struct leat_ctx *ctx, const struct source *st)
{
    const struct cfg *cfg = ctx->cfg;
    return cfg->until && !st->n && !st->consumer.given &&
           partitions_at_end(&st->consumer.partitions);
}

static int idle(struct leat_ctx *ctx)
{
    struct timespec t = {0, WAIT_MS * 1000000};
    (void)ctx;
    nanosleep(&t, NULL);
    return LEAT_AGAIN;
}

/* Partitions that were given are assigned, and have their states. */
static int settle(struct leat_ctx *ctx, struct source *st)
{
    struct consumer *c = &st->consumer;
    if (c->given) drop_held(st);
    if (c->cfg->by_partition) return partition_states_assign(ctx, &st->shards, c);
    if (c->given) consumer_assign(ctx, c);
    return LEAT_OK;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *st = self;
    struct consumer *c = &st->consumer;
    if (ctx->host->stopping(ctx)) return LEAT_EOS;
    consumer_collect(ctx, c, 0);
    if (consumer_waits(ctx, c)) {
        drop_held(st); /* they come again, to whoever owns the partition then */
        return idle(ctx);
    }
    int s = settle(ctx, st);
    if (s == LEAT_AGAIN) return idle(ctx);
    while (s == LEAT_OK && !c->revoked && !c->given && !finished(ctx, st)) {
        if (!st->n) {
            ssize_t got = consumer_poll(ctx, c, st->held, HELD, b->n ? 0 : POLL_MS);
            if (got < 0) return ctx->host->fail(ctx, c->failure, "%s", c->why);
            if (!got) break;
            st->n = (uint32_t)got;
            if (c->down) ctx->host->log(ctx, LEAT_INFO, "messages come again");
            c->down = false;
        }
        s = deliver_held(ctx, st, b);
    }
    if (s < 0 && s != LEAT_EFULL) return s;
    if (finished(ctx, st)) return LEAT_EOS;
    return b->n ? LEAT_OK : LEAT_AGAIN;
}

/* ---- checkpoints ---- */

static int barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    (void)ctx;
    partitions_cut(&st->consumer.partitions);
    st->cut_checkpoint = checkpoint;
    return LEAT_OK;
}

/* Without a barrier since (the run has ended) all that was delivered is durable. */
static int durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    char metadata[32];
    if (checkpoint < st->cut_checkpoint && !st->stopped) return LEAT_OK;
    if (st->consumer.cfg->by_partition) {
        int s = partition_states_publish(ctx, &st->shards, &st->consumer, checkpoint);
        if (s != LEAT_OK) return s;
    }
    snprintf(metadata, sizeof metadata, "leat %llu", (unsigned long long)checkpoint);
    consumer_commit(ctx, &st->consumer, metadata, st->stopped);
    return LEAT_OK;
}

static int position(struct leat_ctx *ctx, void *self, struct leat_position *out)
{
    struct source *st = self;
    int s = consumer_position(ctx, &st->consumer);
    if (s == LEAT_OK && st->consumer.cfg->by_partition)
        s = partition_states_position(ctx, &st->shards, &st->consumer);
    *out = position_offer(&st->consumer.position);
    return s;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    st->stopped = true;
    drop_held(st);
    ctx->host->metric(ctx, "partitions", partitions_assigned(&st->consumer.partitions));
    ctx->host->metric(ctx, "tombstones", (double)st->tombstones);
    return LEAT_OK;
}

/* How far the reading is behind: what librdkafka knows of the ends. */
static int tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    struct source *st = self;
    double lag = 0;
    (void)now;
    consumer_look_around(ctx, &st->consumer);
    for (uint32_t i = 0; i < st->consumer.partitions.n; i++) {
        const struct partition *p = &st->consumer.partitions.v[i];
        int64_t low, high;
        if (p->assigned && p->next >= 0 &&
            !rd_kafka_get_watermark_offsets(st->consumer.rk, p->topic, p->number, &low, &high) &&
            high > p->next)
            lag += (double)(high - p->next);
    }
    ctx->host->metric(ctx, "lag", lag);
    return LEAT_OK;
}

/* State: names of topics, each ended by NUL, and for each partition its topic, number and offset.
 */
static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct partition_table t;
    if (!partitions_save(&((const struct source *)self)->consumer.partitions, &t))
        return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for offsets");
    w->array(w, "topics", LEAT_U8, t.topics, t.topics_len);
    w->array(w, "partition", LEAT_U32, t.number, t.n);
    int s = w->array(w, "offset", LEAT_U64, t.offset, t.n);
    partition_table_free(&t);
    return s;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct source *st = self;
    const void *topics, *number, *offset;
    uint64_t len = 0, n = 0;
    (void)ctx, (void)version;
    int s = r->array(r, "topics", LEAT_U8, &topics, &len);
    if (s == LEAT_OK) s = r->array(r, "partition", LEAT_U32, &number, &n);
    if (s == LEAT_OK && n) s = r->array(r, "offset", LEAT_U64, &offset, &n);
    if (s != LEAT_OK || !n) return s;
    struct partition_table t = {(char *)topics, len, (uint32_t *)number, (uint64_t *)offset,
                                (uint32_t)n};
    return partitions_load(&st->consumer.partitions, &t) ? LEAT_OK
                                                         : r->refuse(r, "its offsets cannot be");
}

const struct leat_stage source_kafka = {
    .name = "source.kafka",
    .summary = "the messages of Kafka topics, with offsets that follow what is worked off",
    .doc =
        "Reads topics as one member of a consumer group, or, without a group, all their "
        "partitions. "
        "A record is a message's value, with its key and time, which go with it to "
        "sink.kafka, sink.dead_letters and sink.predictions; columns makes columns of them, too. "
        "Its place in dead letters is topic/partition and the offset. Of headers of one name the "
        "last counts; one without a value is as one that is not there.\n"
        "Offsets. Nothing is committed by itself. At every checkpoint (--every, 10 s) a barrier passes "
        "through all stages; when it has passed, and with --state the snapshot is on disk, the "
        "offsets before it are committed. So a run that is killed reads again what came after the "
        "last checkpoint: at least once; with --state its models go back to that checkpoint as well, and "
        "what "
        "they have learned is as if nothing had happened. With both, the snapshot's offsets are "
        "followed.\n"
        "When the group takes partitions away, a checkpoint is made and committed before they are let "
        "go (at most 20 s). The model keeps what it has learned of them.\n"
        "Where a sink commits the checkpoints (sink.kafka with transaction) the offsets are part of "
        "its "
        "transaction, and the group's are followed; partitions that are lost with messages that "
        "were not committed take the run back to its last checkpoint. Of transactions only what was "
        "committed is read (isolation.level).\n"
        "state = \"partition\". What stages learn is kept apart for each partition, and at every "
        "checkpoint "
        "written to state_topic, a compacted one: one record (longer ones in parts) with the "
        "offset "
        "it is as of, and only then is the offset committed. A partition that another process "
        "gets "
        "goes on there from that record, so what was learned of it is what one process would have "
        "learned, whoever is killed when. Answers are of the partitions that this process has, "
        "merged; source.models shows those of all. The newest record counts, not the group's "
        "offset; "
        "where that record's offset is no longer in the topic the run ends, and so it does where "
        "the group has an offset and no record goes with it (missing). Where a sink commits the "
        "checkpoints the states are in its transaction as well, and --state is not needed. Costs a "
        "process: partitions_max times three times the state.\n"
        "With no broker in reach it waits, says so once, and goes on when there is one. Memory: "
        "prefetch and what librdkafka needs for its connections.",
    .example =
        "leat.source.kafka { \"payments\", brokers = \"localhost:9092\", group = \"explain\", "
        "start = \"earliest\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS | LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct source),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .open = open_source,
    .close = close_source,
    .stop = stop,
    .produce = produce,
    .tick = tick,
    .barrier = barrier,
    .state_version = STATE_VERSION,
    .snapshot = snapshot,
    .restore = restore,
    .durable = durable,
    .position = position,
};
