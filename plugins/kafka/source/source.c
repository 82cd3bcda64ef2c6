/* source.c -- source.kafka: reads messages of Kafka topics as records.
 *
 * This file has the batches and checkpoints. source_params.h has the parameters, and record.h
 * converts messages to records. consumer.h has the connection and lists the other modules.
 *
 * Each message is copied into the batch and given back at once, so librdkafka's memory stays within
 * `prefetch`. A message that does not fit into the batch is held for the next one. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/state/state_fields.h"
#include "core/time/clock.h"
#include "kafka/source/docs.h"
#include "bounds.h"
#include "group_watch.h"
#include "offsets.h"
#include "partition_states.h"
#include "source_params.h"

enum { HELD = 512, POLL_MS = 100, WAIT_MS = 5, STATE_VERSION = 3, MAX_PARTITIONS = 1 << 20 };

struct source {
    struct consumer consumer;
    struct partition_states states;
    struct group_watch *watch;      /* NULL: nobody watches the group */
    rd_kafka_message_t *held[HELD]; /* messages [at, n) are not delivered yet */
    uint32_t at, n;
    uint64_t tombstones, expired;
    uint64_t cut_checkpoint; /* checkpoint of the last call of source_barrier */
    uint64_t silent_ns;      /* waiting time since the last message */
    uint64_t opened_ns;      /* time of the last look at which partitions are open */
    bool ended;              /* the source has reached its end or limit, and reads no more */
    bool stopped;
};

/* ---- configuration ---- */

static int source_negotiate(const void *config, struct leat_negotiation *n)
{
    return record_negotiate(&((const struct source_cfg *)config)->record, n);
}

static int source_plan(const void *config, const struct leat_schema *in,
                       const struct leat_schema *out, struct leat_plan *p)
{
    const struct source_cfg *cfg = config;
    const uint32_t most = (uint32_t)cfg->consumer.partitions_max;
    p->work_bytes = (uint64_t)cfg->consumer.prefetch;
    if (cfg->consumer.by_partition) {
        p->work_bytes += (uint64_t)cfg->max_message;
        p->shards = most ? most : UINT32_MAX;
    }
    snprintf(
        p->note, sizeof p->note,
        "librdkafka %s; at least once: offsets are committed after their records are processed",
        rd_kafka_version_str());
    return LEAT_OK;
}

static void end_consumer(struct leat_ctx *ctx, struct source *st)
{
    group_watch_end(st->watch);
    st->watch = NULL;
    partition_states_close(ctx, &st->states);
    rebalance_close(ctx, &st->consumer);
    offsets_close(ctx, &st->consumer);
    consumer_close(ctx, &st->consumer);
}

static int source_open(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    const struct source_cfg *cfg = ctx->cfg;
    if (!cfg->consumer.by_partition) ctx->host->open_inputs(ctx, 0);
    int status = consumer_open(ctx, &st->consumer, &cfg->consumer);
    if (status == LEAT_OK && cfg->consumer.by_partition)
        status = partition_states_open(ctx, &st->states, &st->consumer, cfg->max_message);
    if (status != LEAT_OK) end_consumer(ctx, st);
    return status;
}

static void drop_held(struct source *st)
{
    for (; st->at < st->n; st->at++)
        rd_kafka_message_destroy(st->held[st->at]);
    st->at = st->n = 0;
}

static void source_close(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    drop_held(st);
    end_consumer(ctx, st);
}

/* ---- messages ---- */

static struct partition *message_partition(struct source *st, const rd_kafka_message_t *m,
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
    offsets_describe_log(&st->consumer, topic, number, log, sizeof log);
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s/%d has lost message %lld, the next to read: the topic was emptied or created again, "
        "or messages expired unread (%s). Set expired = \"begin\" to continue at the first message "
        "that is left, or use another group, or another --state, to start over",
        topic, (int)number, (long long)next, log);
}

/* Handles the error that no broker has the next message: fails, or continues reading. The error may
 * be false: a broker that no longer leads the partition reports it for messages that exist. If
 * nothing was read yet, `start` decides again where to begin. */
static int take_out_of_range(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    uint32_t input;
    int64_t first, next;
    struct consumer *c = &st->consumer;
    const char *topic = rd_kafka_topic_name(m->rkt);
    struct partition *p = message_partition(st, m, &input);
    if (!p || !partition_is_read(p) || c->rebalance.given) return LEAT_OK;
    rd_kafka_resp_err_t err = offsets_of_log(c, topic, m->partition, &first, &next);
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
    p->last.offset = p->group_last.offset = PARTITION_UNKNOWN; /* the log lost these messages */
    partition_move(p, PARTITION_OUT_OF_RANGE);
    rebalance_resume(c);
    return LEAT_OK;
}

/* True if the partition has delivered `limit` messages. */
static bool is_full(const struct source_cfg *cfg, const struct partition *p)
{
    return cfg->limit && p->delivered >= cfg->limit;
}

/* Notes that p has no messages before `offset` any more, up to its bound. */
static void reach_offset(struct partition *p, int64_t offset)
{
    if (p->bound >= 0 && offset > p->bound) offset = p->bound;
    if (p->next < offset) p->next = offset;
}

/* Notes the end of a partition. Its offset may be later than the last message's, because control
 * records follow. */
static int take_end(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    uint32_t input;
    struct partition *p = message_partition(st, m, &input);
    if (!p) return LEAT_ENOMEM;
    partition_move(p, PARTITION_ENDED);
    p->expected.offset = PARTITION_UNKNOWN; /* the log has no message there */
    if (!partition_is_read(p) || is_full(ctx->cfg, p)) return LEAT_OK;
    reach_offset(p, m->offset);
    return LEAT_OK;
}

/* Handles an event, which librdkafka delivers as a message: the end of a partition, or an error. */
static int source_take_event(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    struct consumer *c = &st->consumer;
    switch (m->err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        return take_end(ctx, st, m);
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
        return take_out_of_range(ctx, st, m);
    case RD_KAFKA_RESP_ERR__FATAL:
        return consumer_take_fatal(ctx, c);
    default:
        if (!consumer_take_answer(c, m->err, rd_kafka_message_errstr(m)))
            ctx->host->log(ctx, LEAT_WARN, "%s", rd_kafka_message_errstr(m));
        return c->failure ? ctx->host->fail(ctx, c->failure, "%s", c->why) : LEAT_OK;
    }
}

/* True if the message fits into the batch. If each partition has its own state, a batch holds
 * messages of one partition only. */
static bool batch_fits(const struct source_cfg *cfg, const struct leat_batch *b,
                       const struct record_message *r, uint32_t input)
{
    if (b->n && cfg->consumer.by_partition && b->extent[0].input != input) return false;
    return record_fits(b, r);
}

/* Adds a message of p to the batch. Returns LEAT_EFULL if the message does not fit. */
static int take_message(struct leat_ctx *ctx, struct source *st, struct partition *p,
                        uint32_t input, const rd_kafka_message_t *m, struct leat_batch *b)
{
    const struct source_cfg *cfg = ctx->cfg;
    int status = offsets_check(ctx, p, m);
    if (status != LEAT_OK || m->offset < p->next || is_full(cfg, p)) return status;
    if (p->bound >= 0 && m->offset >= p->bound) {
        reach_offset(p, m->offset);
        return LEAT_OK;
    }
    if (m->payload || cfg->tombstones == TOMBSTONES_EMPTY) {
        struct record_message r = record_measure(&cfg->record, m);
        if (!batch_fits(cfg, b, &r, input)) return LEAT_EFULL;
        record_add(ctx, &cfg->record, b, &r, input);
    } else {
        st->tombstones++;
    }
    p->next = m->offset + 1;
    p->delivered++;
    partition_move(p, PARTITION_DELIVERED);
    return LEAT_OK;
}

/* Returns the end of the run of held messages that are of the same partition as the first one. */
static uint32_t run_end(const struct source *st)
{
    const rd_kafka_message_t *first = st->held[st->at];
    uint32_t end = st->at + 1;
    while (end < st->n && st->held[end]->rkt == first->rkt && !st->held[end]->err &&
           st->held[end]->partition == first->partition)
        end++;
    return end;
}

/* Delivers the run of held messages that begins with the first one. Only the run's end becomes the
 * partition's last message, because storing that hashes all bytes of a message. */
static int deliver_run(struct leat_ctx *ctx, struct source *st, struct leat_batch *b)
{
    uint32_t input, end = run_end(st);
    int status = LEAT_OK;
    struct partition *p = message_partition(st, st->held[st->at], &input);
    if (!p) return LEAT_ENOMEM;
    bool reads = partition_is_read(p); /* otherwise another member reads p now */
    for (; st->at < end; rd_kafka_message_destroy(st->held[st->at++])) {
        const rd_kafka_message_t *m = st->held[st->at];
        if (reads) status = take_message(ctx, st, p, input, m, b);
        if (status != LEAT_OK) return status;
        if (st->at + 1 == end && partition_is_assigned(p) && m->offset == p->next - 1)
            p->last = last_message_of(m);
    }
    return LEAT_OK;
}

static int deliver_event(struct leat_ctx *ctx, struct source *st)
{
    int status = source_take_event(ctx, st, st->held[st->at]);
    if (status == LEAT_OK) rd_kafka_message_destroy(st->held[st->at++]);
    return status;
}

static int deliver_held(struct leat_ctx *ctx, struct source *st, struct leat_batch *b)
{
    int status = LEAT_OK;
    while (st->at < st->n && status == LEAT_OK)
        status = st->held[st->at]->err ? deliver_event(ctx, st) : deliver_run(ctx, st, b);
    if (st->at == st->n) st->at = st->n = 0;
    return status;
}

/* True if p must be read further before the run may end by itself. */
static bool is_open(const struct source_cfg *cfg, const struct partition *p)
{
    return partition_is_assigned(p) && !partition_is_over(p) && !is_full(cfg, p);
}

/* True if messages of p are expected: p is read, and has not reached its end, bound or limit. */
static bool is_unread(const struct source_cfg *cfg, const struct partition *p)
{
    return partition_is_read(p) && p->state != PARTITION_AT_END && is_open(cfg, p);
}

/* Returns a partition for which `test` is true; NULL if there is none. */
static const struct partition *
find_partition(const struct source_cfg *cfg, const struct partitions *all,
               bool (*test)(const struct source_cfg *, const struct partition *))
{
    const struct partition *p = all->v, *end = all->v + all->n;
    while (p < end && !test(cfg, p))
        p++;
    return p < end ? p : NULL;
}

enum { OPEN_MS = 50 };

/* Tells the host which partitions hold event time back, if some were assigned (`given`), and from
 * time to time. If each partition has its own state, it has its own event time, too. */
static void open_partitions(struct leat_ctx *ctx, struct source *st, bool given)
{
    const struct source_cfg *cfg = ctx->cfg;
    uint64_t now = clock_ns();
    if (cfg->consumer.by_partition) return;
    if (!given && now - st->opened_ns < OPEN_MS * UINT64_C(1000000)) return;
    st->opened_ns = now;
    partitions_open(&st->consumer.partitions, ctx, cfg->quiet, is_open);
}

static bool is_finished(const struct leat_ctx *ctx, const struct source *st)
{
    const struct source_cfg *cfg = ctx->cfg;
    const struct partitions *all = &st->consumer.partitions;
    return !st->n && !st->consumer.rebalance.given && partitions_assigned(all) &&
           !find_partition(cfg, all, is_open);
}

/* Fails if no message came for `give_up`, although one is expected. A group member without
 * partitions may wait. */
static int check_give_up(struct leat_ctx *ctx, const struct source *st)
{
    const struct source_cfg *cfg = ctx->cfg;
    const struct consumer *c = &st->consumer;
    const struct partition *p = find_partition(cfg, &c->partitions, is_unread);
    bool waits = !c->kept_out && (c->outage.down || p || !c->partitions.n);
    if (!waits || st->silent_ns < (uint64_t)cfg->consumer.give_up) return LEAT_AGAIN;
    double seconds = (double)cfg->consumer.give_up / 1e9;
    if (c->outage.down)
        return ctx->host->fail(ctx, LEAT_EIO, "no broker of %s answered for %g s: %s",
                               c->cfg->brokers, seconds, c->outage.reason);
    if (p)
        return ctx->host->fail(ctx, LEAT_EIO,
                               "nothing came from %s/%d for %g s: no broker leads it", p->topic,
                               (int)p->number, seconds);
    return ctx->host->fail(ctx, LEAT_EIO,
                           "%s has not named the partitions of the topics for %g s: run `leat "
                           "check --online` to find out why",
                           c->cfg->brokers, seconds);
}

static int end_source(struct source *st)
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

/* Assigns the partitions that the group has given, and gives the host their states. */
static int assign_given(struct leat_ctx *ctx, struct source *st)
{
    struct consumer *c = &st->consumer;
    bool given = c->rebalance.state == REBALANCE_GIVEN;
    if (given && !c->rebalance.cooperative) drop_held(st);
    if (c->cfg->by_partition) return partition_states_assign(ctx, &st->states, c);
    if (given) rebalance_assign(ctx, c);
    return LEAT_OK;
}

static ssize_t poll_messages(struct leat_ctx *ctx, struct source *st, int ms)
{
    struct consumer *c = &st->consumer;
    if (!rebalance_give_all(ctx, c)) return consumer_await_topics(ctx, c);
    return consumer_poll(ctx, c, st->held, HELD, ms);
}

/* True if some of the n are messages, or ends of partitions, and not errors. */
static bool has_message(rd_kafka_message_t *const *m, ssize_t n)
{
    for (ssize_t i = 0; i < n; i++)
        if (!m[i]->err || m[i]->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return true;
    return false;
}

/* Polls messages into `held` if it is empty. Returns LEAT_AGAIN if no message came. */
static int receive_messages(struct leat_ctx *ctx, struct source *st, const struct leat_batch *b)
{
    struct consumer *c = &st->consumer;
    if (st->n) return LEAT_OK;
    uint64_t from = clock_ns();
    int ms = rebalance_is_releasing(&c->rebalance) ? WAIT_MS : POLL_MS;
    ssize_t got = poll_messages(ctx, st, b->n ? 0 : ms);
    st->silent_ns = has_message(st->held, got) ? 0 : st->silent_ns + clock_ns() - from;
    if (got < 0) return ctx->host->fail(ctx, c->failure, "%s", c->why);
    if (!got) return LEAT_AGAIN;
    st->n = (uint32_t)got;
    if (!has_message(st->held, got)) return LEAT_OK;
    if (c->outage.down) ctx->host->log(ctx, LEAT_INFO, "messages arrive again");
    consumer_end_wait(c);
    return LEAT_OK;
}

static int renew_consumer(struct leat_ctx *ctx, struct source *st)
{
    drop_held(st); /* the next reader of these partitions reads them again */
    return consumer_renew(ctx, &st->consumer);
}

static int source_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *st = self;
    struct consumer *c = &st->consumer;
    if (ctx->host->stopping(ctx)) return LEAT_EOS;
    if (c->fenced) return renew_consumer(ctx, st);
    consumer_take_commits(ctx, c, 0);
    if (rebalance_waits(ctx, c) && !c->rebalance.cooperative) {
        drop_held(st); /* the next reader of these partitions reads them again */
        return wait_a_little(ctx);
    }
    bool given = c->rebalance.state == REBALANCE_GIVEN;
    int status = assign_given(ctx, st);
    if (status == LEAT_AGAIN) return wait_a_little(ctx);
    open_partitions(ctx, st, given);
    rebalance_resume(c);
    while (status == LEAT_OK && rebalance_may_read(&c->rebalance) && !is_finished(ctx, st)) {
        status = receive_messages(ctx, st, b);
        if (status == LEAT_OK) status = deliver_held(ctx, st, b);
    }
    if (status < 0 && status != LEAT_EFULL && status != LEAT_AGAIN) return status;
    bounds_pause(c);
    open_partitions(ctx, st, false);
    if (is_finished(ctx, st)) return end_source(st);
    if (b->n) return LEAT_OK;
    return c->cfg->give_up ? check_give_up(ctx, st) : LEAT_AGAIN;
}

static void source_wake(void *self) { consumer_wake(&((struct source *)self)->consumer); }

/* ---- checkpoints ---- */

/* Cuts all delivered messages. The last barrier comes after the source has ended and earlier
 * checkpoints are complete, so it publishes all states and offsets again. */
static int source_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    bool moved = !partitions_all_cut(&st->consumer.partitions);
    partitions_cut(&st->consumer.partitions);
    if (st->ended && st->consumer.cfg->by_partition) partitions_end(&st->consumer.partitions);
    st->cut_checkpoint = checkpoint;
    return moved ? offsets_sample(ctx, &st->consumer) : LEAT_OK;
}

/* Publishes and commits a durable checkpoint. Once the run has stopped, all delivered messages are
 * durable. */
static int source_durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    struct source *st = self;
    if (checkpoint < st->cut_checkpoint && !st->stopped) return LEAT_OK;
    if (st->consumer.cfg->by_partition) {
        int status = partition_states_publish(ctx, &st->states, &st->consumer, checkpoint);
        if (status != LEAT_OK) return status;
    }
    consumer_commit(ctx, &st->consumer, checkpoint, st->stopped);
    /* After the end, partitions are not released: the group lets only a member commit the offsets
     * of results that stages flush now. */
    if (!st->ended) rebalance_committed(&st->consumer);
    return LEAT_OK;
}

static const char *source_position_format(const void *config)
{
    const struct consumer_cfg *cfg = &((const struct source_cfg *)config)->consumer;
    return cfg->group || cfg->by_partition ? POSITION_FORMAT : NULL;
}

static int source_position(struct leat_ctx *ctx, void *self, struct leat_position *out)
{
    struct consumer *c = &((struct source *)self)->consumer;
    struct position_bytes *bytes = &c->position_bytes;
    int status = consumer_position(ctx, c);
    if (status == LEAT_OK && c->cfg->by_partition)
        status = partition_states_position(ctx, &((struct source *)self)->states, c);
    if (status != LEAT_OK) return status;
    if (!position_write(&c->position, bytes))
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a position");
    out->bytes = bytes->bytes;
    out->n = bytes->n;
    return LEAT_OK;
}

static int source_stop(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    st->stopped = true;
    drop_held(st);
    partitions_tell_lag(&st->consumer.partitions, st->consumer.rk, ctx);
    ctx->host->metric(ctx, "partitions", partitions_assigned(&st->consumer.partitions));
    ctx->host->metric(ctx, "tombstones", (double)st->tombstones);
    ctx->host->metric(ctx, "expired", (double)st->expired);
    return LEAT_OK;
}

static int source_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    struct source *st = self;
    rebalance_tick(ctx, &st->consumer);
    if (!st->watch) st->watch = group_watch_begin(ctx, st->consumer.cfg, st->consumer.brokers);
    if (st->watch) group_watch_tell(st->watch, ctx, st->consumer.rk);
    partitions_tell_lag(&st->consumer.partitions, st->consumer.rk, ctx);
    return LEAT_OK;
}

#define AT(member) STATE_MEMBER(struct partition_table, member)
static const struct state_field source_fields[] = {
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

static int source_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct source *st = self;
    struct partition_table t;
    if (!partitions_save(&st->consumer.partitions, &t))
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for offsets");
    t.writer = st->consumer.writer;
    int status = state_write(w, STATE_TABLE(source_fields), &t);
    partition_table_free(&t);
    return status;
}

static int source_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct source *st = self;
    struct partition_table t = {.n = 0};
    int status = state_check_version(r, version, STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(source_fields), &t);
    if (status != LEAT_OK) return status;
    st->consumer.writer = t.writer;
    if (!t.n) return LEAT_OK;
    return partitions_load(&st->consumer.partitions, &t)
               ? LEAT_OK
               : r->refuse(r, "the lists of topics, partitions and offsets do not fit together");
}

static const struct leat_figure source_figures[] = {
    {"partitions", "partitions", "partitions that this process reads now", LEAT_GAUGE},
    {"tombstones", "records", "messages without a value", LEAT_COUNTER},
    {"expired", "1", "times that messages expired unread", LEAT_COUNTER},
    {"lag", "records", "messages that were not read yet", LEAT_GAUGE},
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
    LEAT_PARAMS(source_params, struct source_cfg),
    LEAT_FIGURES(source_figures),
    LEAT_INSTANCE(struct source, source_open, source_close),
    .validate = params_validate,
    .negotiate = source_negotiate,
    .plan = source_plan,
    .stop = source_stop,
    .tick = source_tick,
    .barrier = source_barrier,
    .online = params_online,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES,
                        .produce = source_produce, .wake = source_wake, .durable = source_durable,
                        .position_format = source_position_format, .position = source_position),
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = source_snapshot,
                       .restore = source_restore),
};
