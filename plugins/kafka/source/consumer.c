/* consumer.c -- see consumer.h. */
#include "consumer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <librdkafka/rdkafka_mock.h>

#include "all_partitions.h"
#include "core/mix64.h"
#include "core/time/clock.h"
#include "kafka/client/client_end.h"
#include "matched_topics.h"
#include "rebalance.h"
#include "same_topic.h"
#include "start_time.h"

enum {
    MOCK_PARTITIONS = 8, /* of 5 MB each: older messages are gone, read or not */
    DRY_MS = 1,
    WAKE_MS = 50,
    MESSAGE_BYTES = 360 /* that librdkafka keeps of each; measured, 2.0.2 */
};

int consumer_fail(struct consumer *c, int status, const char *format, ...)
{
    va_list args;
    if (c->failure) return c->failure; /* the first one is the reason */
    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    return c->failure = status;
}

/* ---- configuration ---- */

/* Half of the memory is for the bytes of messages, half for what librdkafka keeps of each. */
static struct client_cfg client_of(const struct consumer_cfg *cfg)
{
    return (struct client_cfg){.role = CLIENT_CONSUMER,
                               .brokers = cfg->brokers,
                               .properties = &cfg->properties,
                               .group = cfg->group ? cfg->group : "leat",
                               .instance = cfg->instance,
                               .queue_kbytes = cfg->prefetch / 2 / 1024,
                               .queue_messages = cfg->prefetch / 2 / MESSAGE_BYTES};
}

void consumer_validate(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    struct client_cfg client = client_of(cfg);
    client_validate(&client, d);
}

/* ---- what librdkafka reports ---- */

static bool is_gone(int err)
{
    return err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           err == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION || err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

static bool is_forbidden(const struct consumer *c, int err)
{
    return err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
           (err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED && c->cfg->group);
}

static void on_error(rd_kafka_t *rk, int err, const char *reason, void *self)
{
    struct consumer *c = self;
    char fatal[400];
    if (c->closing) return; /* this is not the stage's thread */
    if (err == RD_KAFKA_RESP_ERR__FATAL) {
        rd_kafka_fatal_error(rk, fatal, sizeof fatal);
        consumer_fail(c, LEAT_EIO, "%s", fatal);
    } else if (outage_take(&c->outage, err, reason)) {
        CONSUMER_LOG(c, LEAT_WARN, "no broker of %s can be reached; waiting for one: %s",
                     c->cfg->brokers, c->outage.reason);
    } else if (is_forbidden(c, err)) {
        consumer_fail(c, LEAT_EIO, "%s", reason);
    } else if (is_gone(err) && partitions_assigned(&c->partitions) &&
               !matched_topics_has(c, reason)) {
        /* If it were made again, its offsets would mean other messages. */
        consumer_fail(c, LEAT_EDATA, "%s: the topic was deleted while it was read", reason);
    } else {
        CONSUMER_LOG(c, LEAT_DEBUG, "%s: %s", rd_kafka_err2name(err), reason);
    }
}

/* ---- life ---- */

static int subscribe(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)c->cfg->topics.n);
    for (uint32_t i = 0; i < c->cfg->topics.n; i++)
        rd_kafka_topic_partition_list_add(list, c->cfg->topics.v[i], RD_KAFKA_PARTITION_UA);
    rd_kafka_resp_err_t err = rd_kafka_subscribe(c->rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    return err ? consumer_fail(c, LEAT_EIO, "cannot subscribe to the topics: %s",
                               rd_kafka_err2str(err))
               : LEAT_OK;
}

static void start_embedded(struct consumer *c)
{
    rd_kafka_mock_cluster_t *mock = rd_kafka_handle_mock_cluster(c->rk);
    if (!mock) return;
    for (uint32_t i = 0; i < c->cfg->topics.n; i++)
        rd_kafka_mock_topic_create(mock, c->cfg->topics.v[i], MOCK_PARTITIONS, 1);
    if (c->cfg->by_partition) rd_kafka_mock_topic_create(mock, c->cfg->state_topic, 1, 1);
    c->brokers = rd_kafka_mock_cluster_bootstraps(mock);
    CONSUMER_LOG(c, LEAT_WARN, "the embedded test broker is at %s%s%s; it disappears with this run",
                 c->brokers, c->cfg->topics.n == 1 ? ", with topic " : "",
                 c->cfg->topics.n == 1 ? c->cfg->topics.v[0] : "");
}

/* What is aborted would be in results that are committed. */
static int check_isolation(struct leat_ctx *ctx, const struct consumer *c)
{
    char level[32] = "";
    size_t n = sizeof level;
    rd_kafka_conf_get(rd_kafka_conf(c->rk), "isolation.level", level, &n);
    if (!ctx->transactional || !strcmp(level, "read_committed")) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG,
                           "properties: isolation.level=%s delivers aborted messages, and the "
                           "sink's transactions would commit results of them: leave it out",
                           level);
}

/* Whether the group's partitions that do not move are read on is the members' to say. */
static bool is_cooperative(const struct consumer *c)
{
    char strategy[64] = "";
    size_t n = sizeof strategy;
    rd_kafka_conf_get(rd_kafka_conf(c->rk), "partition.assignment.strategy", strategy, &n);
    return !strcmp(strategy, "cooperative-sticky");
}

int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg)
{
    static const struct client_callbacks callbacks = {.on_error = on_error,
                                                      .on_rebalance = rebalance_callback};
    struct client_cfg client = client_of(cfg);
    c->ctx = ctx;
    c->cfg = cfg;
    c->brokers = cfg->brokers;
    c->start = start_time_read(cfg, &c->start_ms);
    c->writer = mix64(clock_ns() ^ (uint64_t)getpid() << 40);
    int status = client_open(ctx, &client, &callbacks, c, &c->rk);
    if (status != LEAT_OK) return status;
    rd_kafka_poll_set_consumer(c->rk);
    c->messages = rd_kafka_queue_get_consumer(c->rk);
    c->commits = rd_kafka_queue_new(c->rk);
    c->cooperative = is_cooperative(c);
    start_embedded(c);
    status = check_isolation(ctx, c);
    if (status != LEAT_OK) return status;
    if (cfg->group && subscribe(c) != LEAT_OK)
        return ctx->host->fail(ctx, c->failure, "%s", c->why);
    c->connected = cfg->group != NULL;
    return LEAT_OK;
}

static void end_client(struct leat_ctx *ctx, struct consumer *c)
{
    enum client_leave left = client_leave_group(ctx, c->rk);
    if (c->commits) rd_kafka_queue_destroy(c->commits);
    if (c->messages) rd_kafka_queue_destroy(c->messages);
    int flags = left == CLIENT_LEFT ? 0 : RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE;
    if (left == CLIENT_STUCK || !client_destroy(ctx, c->rk, flags))
        CONSUMER_LOG(c, LEAT_DEBUG, "librdkafka does not end by itself and is abandoned");
}

void consumer_close(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    c->closing = true;
    rebalance_close(c);
    same_topic_close(c);
    if (c->rk) end_client(ctx, c);
    partitions_free(&c->partitions);
    position_free(&c->position);
    position_bytes_free(&c->position_bytes);
    c->rk = NULL;
}

/* ---- messages ---- */

/* Before librdkafka 2.2 a broker's thread that has found the queues full looks again only after up
 * to a second, however soon they are empty. Any request to the broker wakes it. */
static void wake_broker(struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        uint32_t k = c->woken++ % c->partitions.n;
        const struct partition *p = &c->partitions.v[k];
        if (!p->assigned || p->at_end) continue;
        /* Not query_watermark_offsets, which waits without end for a broker that is gone. */
        rd_kafka_topic_partition_list_t *one = rd_kafka_topic_partition_list_new(1);
        rd_kafka_topic_partition_list_add(one, p->topic, p->number)->offset = RD_KAFKA_OFFSET_END;
        rd_kafka_offsets_for_times(c->rk, one, WAKE_MS);
        rd_kafka_topic_partition_list_destroy(one);
        return;
    }
}

void consumer_wake(struct consumer *c)
{
    atomic_store(&c->hurried, true);
    rd_kafka_queue_yield(c->messages);
}

/* The messages that have come, else the first that comes: librdkafka would wait for all n. */
static ssize_t receive(struct consumer *c, rd_kafka_message_t **m, size_t n, int ms)
{
    ssize_t got = rd_kafka_consume_batch_queue(c->messages, 0, m, n);
    if (got || atomic_load(&c->hurried)) return got; /* its yield may be over */
    return rd_kafka_consume_batch_queue(c->messages, ms, m, 1);
}

/* Why they are not known may still be on its way. */
static ssize_t await_topics(struct consumer *c)
{
    rd_kafka_poll(c->rk, 0);
    if (!c->waits && !c->outage.down && !c->failure)
        CONSUMER_LOG(c, LEAT_WARN, "waiting for %s to know the topics", c->cfg->brokers);
    c->waits = true;
    return c->failure ? c->failure : 0;
}

ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms)
{
    c->ctx = ctx;
    if (outage_is_final(&c->outage, c->rk))
        consumer_fail(c, LEAT_EIO, "all brokers of %s refuse this client: %s", c->cfg->brokers,
                      c->outage.reason);
    if (!c->connected && !(c->connected = all_partitions_give(c))) return await_topics(c);
    if (c->to_assign) return 0; /* nothing comes before they are assigned */
    if (atomic_exchange(&c->hurried, false)) ms = 0;
    ssize_t got = receive(c, m, n, ms < DRY_MS ? ms : DRY_MS);
    if (!got && !c->failure && !c->to_assign && ms > DRY_MS && !atomic_load(&c->hurried)) {
        if (!c->outage.down) wake_broker(c);
        got = receive(c, m, n, ms - DRY_MS);
    }
    if (c->failure && got <= 0) return c->failure;
    return got < 0 ? 0 : got;
}
