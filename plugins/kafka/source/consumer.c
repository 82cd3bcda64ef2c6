/* consumer.c -- see consumer.h.
 *
 * The group's decisions arrive in on_rebalance, inside a poll, and are only noted there: assigning
 * is done by consumer_assign, letting go by let_go. librdkafka waits for both, with the member in
 * the group.
 */
#include "consumer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <librdkafka/rdkafka_mock.h>

#include "start_offset.h"
#include "kafka/client/client.h"

#define SECOND INT64_C(1000000000)
enum {
    LET_GO_SECONDS = 20,
    CLOSE_SECONDS = 5,
    MOCK_PARTITIONS = 8, /* of 5 MB each: older messages are gone, read or not */
    DRY_MS = 1,
    WAKE_MS = 50,
    METADATA_MS = 1000,
    MESSAGE_BYTES = 360 /* measured, librdkafka 2.0.2 */
};

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

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

static const char *const ours[] = {"enable.auto.commit",   "enable.auto.offset.store",
                                   "enable.partition.eof", "auto.offset.reset",
                                   "bootstrap.servers",    "group.id",
                                   "group.instance.id",    NULL};

/* Half of the memory for the bytes of messages, half for what librdkafka keeps of each besides. A
 * full queue makes librdkafka wait: later ones so long as is said here, for those before wake(). */
static bool set_bounds(rd_kafka_conf_t *conf, int64_t prefetch, char *why, size_t cap)
{
    char kilobytes[24], messages[24];
    snprintf(kilobytes, sizeof kilobytes, "%lld", (long long)prefetch / 2 / 1024);
    snprintf(messages, sizeof messages, "%lld", (long long)prefetch / 2 / MESSAGE_BYTES);
    rd_kafka_conf_set(conf, "fetch.queue.backoff.ms", "10", NULL, 0); /* unknown before 2.2 */
    return client_set(conf, "queued.max.messages.kbytes", kilobytes, why, cap) &&
           client_set(conf, "queued.min.messages", messages, why, cap);
}

static bool configure(rd_kafka_conf_t *conf, const struct consumer_cfg *cfg, char *why, size_t cap)
{
    bool mock = cfg->brokers && !strcmp(cfg->brokers, "embedded");
    bool good = set_bounds(conf, cfg->prefetch, why, cap);
    /* Eager assignment: cooperative-sticky has defects in librdkafka before 2.6.1. */
    good = good && client_set(conf, "partition.assignment.strategy", "range,roundrobin", why, cap);
    good = good && client_set(conf, "enable.auto.commit", "false", why, cap);
    good = good && client_set(conf, "enable.auto.offset.store", "false", why, cap);
    good = good && client_set(conf, "enable.partition.eof", "true", why, cap);
    good = good && client_set(conf, "isolation.level", "read_committed", why, cap);
    /* Where to begin is settled in start_offset.c; an offset that is gone later is never passed over. */
    good = good && client_set(conf, "auto.offset.reset", "error", why, cap);
    good = good && client_set(conf, "group.id", cfg->group ? cfg->group : "leat", why, cap);
    good =
        good && (!cfg->instance || client_set(conf, "group.instance.id", cfg->instance, why, cap));
    good = good && (mock ? client_set(conf, "test.mock.num.brokers", "1", why, cap)
                         : client_set(conf, "bootstrap.servers", cfg->brokers, why, cap));
    return good && client_set_all(conf, &cfg->properties, ours, why, cap);
}

const char *consumer_wrong(const struct consumer_cfg *cfg, char *text, size_t cap)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    text[0] = 0;
    bool good = configure(conf, cfg, text, cap);
    rd_kafka_conf_destroy(conf);
    return good ? NULL : text;
}

/* ---- what librdkafka tells ---- */

static bool is_gone(int err)
{
    return err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           err == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION || err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

static void on_error(rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
    struct consumer *c = opaque;
    char fatal[400];
    if (err == RD_KAFKA_RESP_ERR__FATAL) {
        rd_kafka_fatal_error(rk, fatal, sizeof fatal);
        consumer_fail(c, LEAT_EIO, "%s", fatal);
    } else if (err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && !c->down) {
        c->down = true;
        CONSUMER_LOG(c, LEAT_WARN, "no broker of %s can be reached; waiting for one",
                     c->cfg->brokers);
    } else if (is_gone(err) && partitions_assigned(&c->partitions)) {
        /* Were it made anew, its offsets would mean other messages. */
        consumer_fail(c, LEAT_EDATA, "%s: the topic was deleted while it was read", reason);
    } else {
        CONSUMER_LOG(c, LEAT_DEBUG, "%s: %s", rd_kafka_err2name(err), reason);
    }
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk, (void)level, (void)facility, (void)text; /* what matters comes as an error */
}

/* ---- assigned, and taken away ---- */

/* Its offset is where this run, or its state, knows it to stand. */
static void take_over(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0) return;
    struct partition *p = &c->partitions.v[k];
    char name[300];
    snprintf(name, sizeof name, "%.280s/%d", t->topic, (int)t->partition);
    if (!c->cfg->by_partition) c->ctx->host->name_input(c->ctx, (uint32_t)k, name);
    p->assigned = true;
    p->at_end = false;
    t->offset = p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
}

static void drop_given(struct consumer *c)
{
    if (c->given) rd_kafka_topic_partition_list_destroy(c->given);
    c->given = NULL;
}

void consumer_assign(struct leat_ctx *ctx, struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = c->given;
    c->ctx = ctx;
    for (int i = 0; i < list->cnt; i++)
        take_over(c, &list->elems[i]);
    partitions_forget_others(&c->partitions);
    rd_kafka_assign(c->rk, start_offset_find(c, list) ? list : NULL);
    c->assignments++;
    CONSUMER_LOG(c, LEAT_INFO, "reads %d partition%s", list->cnt, list->cnt == 1 ? "" : "s");
    drop_given(c);
}

/* Is anything of what was delivered not committed yet? */
static bool uncommitted(const struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++)
        if (c->partitions.v[i].assigned && c->partitions.v[i].next >= 0 &&
            c->partitions.v[i].next != c->partitions.v[i].committed_offset)
            return true;
    return false;
}

/* Messages of partitions that are someone else's now, and that no checkpoint holds yet. */
static void taken_away(struct consumer *c)
{
    if (c->ctx->transactional && uncommitted(c))
        consumer_fail(c, LEAT_EROLLBACK,
                      "the group has given partitions away before they could be committed");
}

/* Not inside the poll: what it returns along with this is of the assignment before. */
static void give(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    drop_given(c);
    c->given = rd_kafka_topic_partition_list_copy(list);
}

static void let_go(struct consumer *c)
{
    for (int i = 0; c->revoked && i < c->revoked->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &c->revoked->elems[i];
        int k = partitions_find(&c->partitions, t->topic, t->partition);
        if (k < 0) continue;
        struct partition *p = &c->partitions.v[k];
        if (p->begun && !c->closing) c->ctx->host->shard_end(c->ctx, p->input);
        partition_leave(p);
    }
    if (c->revoked) rd_kafka_topic_partition_list_destroy(c->revoked);
    c->revoked = NULL;
    c->asked = false;
    rd_kafka_assign(c->rk, NULL);
}

static void on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                         rd_kafka_topic_partition_list_t *list, void *opaque)
{
    struct consumer *c = opaque;
    if (err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        /* One that leaves reads nothing any more. */
        if (c->closing || c->failure)
            rd_kafka_assign(rk, NULL);
        else
            give(c, list);
        return;
    }
    drop_given(c);
    if (c->revoked) rd_kafka_topic_partition_list_destroy(c->revoked);
    c->revoked = rd_kafka_topic_partition_list_copy(list);
    c->deadline = now() + LET_GO_SECONDS * SECOND;
    bool lost = rd_kafka_assignment_lost(rk);
    if (lost) {
        CONSUMER_LOG(c, LEAT_WARN, "the group has given its %d partitions away already", list->cnt);
        taken_away(c);
    }
    if (lost || c->closing || err != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) let_go(c);
}

/* ---- life ---- */

/* Of one topic, from metadata; false: it has none yet. */
static bool add_partitions(struct consumer *c, const char *name,
                           rd_kafka_topic_partition_list_t *list)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(c->rk, name, NULL);
    bool known = topic && !rd_kafka_metadata(c->rk, 0, topic, &about, METADATA_MS) &&
                 about->topic_cnt == 1 && about->topics[0].partition_cnt > 0;
    for (int k = 0; known && k < about->topics[0].partition_cnt; k++)
        rd_kafka_topic_partition_list_add(list, name, about->topics[0].partitions[k].id);
    if (about) rd_kafka_metadata_destroy(about);
    if (topic) rd_kafka_topic_destroy(topic);
    return known;
}

/* Of all topics; NULL: some have none yet. */
static rd_kafka_topic_partition_list_t *all_partitions(struct consumer *c)
{
    bool all = true;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    for (uint32_t i = 0; i < c->cfg->topics.n && all; i++)
        all = add_partitions(c, c->cfg->topics.v[i], list);
    if (all) return list;
    rd_kafka_topic_partition_list_destroy(list);
    return NULL;
}

/* Without a group. */
static bool give_all(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = all_partitions(c);
    if (!list) return false;
    give(c, list);
    rd_kafka_topic_partition_list_destroy(list);
    return true;
}

/* How often librdkafka looks for partitions that a group does not have yet. */
static int64_t refresh_ns(const struct consumer *c)
{
    char ms[24] = "";
    size_t n = sizeof ms;
    rd_kafka_conf_get(rd_kafka_conf(c->rk), "topic.metadata.refresh.interval.ms", ms, &n);
    return atoll(ms) * (SECOND / 1000);
}

void consumer_look_around(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (c->cfg->group || !partitions_assigned(&c->partitions) || now() < c->look_at) return;
    bool first = !c->look_at;
    c->look_at = refresh_ns(c) > 0 ? now() + refresh_ns(c) : INT64_MAX;
    rd_kafka_topic_partition_list_t *list = first ? NULL : all_partitions(c);
    if (list && (uint32_t)list->cnt > partitions_assigned(&c->partitions)) {
        for (int i = 0; i < list->cnt; i++)
            partitions_begin_new(&c->partitions, list->elems[i].topic, list->elems[i].partition);
        give(c, list);
    }
    if (list) rd_kafka_topic_partition_list_destroy(list);
}

static int subscribe(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)c->cfg->topics.n);
    for (uint32_t i = 0; i < c->cfg->topics.n; i++)
        rd_kafka_topic_partition_list_add(list, c->cfg->topics.v[i], RD_KAFKA_PARTITION_UA);
    rd_kafka_resp_err_t err = rd_kafka_subscribe(c->rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    return err ? consumer_fail(c, LEAT_EIO, "cannot subscribe: %s", rd_kafka_err2str(err))
               : LEAT_OK;
}

static void begin_embedded(struct consumer *c)
{
    rd_kafka_mock_cluster_t *mock = rd_kafka_handle_mock_cluster(c->rk);
    if (!mock) return;
    for (uint32_t i = 0; i < c->cfg->topics.n; i++)
        rd_kafka_mock_topic_create(mock, c->cfg->topics.v[i], MOCK_PARTITIONS, 1);
    if (c->cfg->by_partition) rd_kafka_mock_topic_create(mock, c->cfg->state_topic, 1, 1);
    c->brokers = rd_kafka_mock_cluster_bootstraps(mock);
    CONSUMER_LOG(c, LEAT_WARN, "a broker to try things with, gone with this run, is at %s%s%s",
                 c->brokers, c->cfg->topics.n == 1 ? ", with topic " : "",
                 c->cfg->topics.n == 1 ? c->cfg->topics.v[0] : "");
}

int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg)
{
    char why[500] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    c->ctx = ctx;
    c->cfg = cfg;
    c->brokers = cfg->brokers;
    if (!configure(conf, cfg, why, sizeof why)) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    }
    rd_kafka_conf_set_opaque(conf, c);
    rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    rd_kafka_conf_set_error_cb(conf, on_error);
    rd_kafka_conf_set_log_cb(conf, on_log);
    c->rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (!c->rk) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EIO, "%s", why);
    }
    rd_kafka_poll_set_consumer(c->rk);
    c->queue = rd_kafka_queue_get_consumer(c->rk);
    c->commits = rd_kafka_queue_new(c->rk);
    begin_embedded(c);
    if (cfg->group && subscribe(c) != LEAT_OK)
        return ctx->host->fail(ctx, c->failure, "%s", c->why);
    c->connected = cfg->group != NULL;
    return LEAT_OK;
}

/* As rd_kafka_consumer_close, which may wait for ever for a broker that is gone. */
static bool leave(struct consumer *c)
{
    int64_t until = now() + CLOSE_SECONDS * SECOND;
    rd_kafka_queue_t *last_words = rd_kafka_queue_new(c->rk); /* apart from messages not yet read */
    rd_kafka_error_t *e = rd_kafka_consumer_close_queue(c->rk, last_words);
    while (!e && !rd_kafka_consumer_closed(c->rk) && now() < until) {
        rd_kafka_message_t *late[64]; /* fetched meanwhile: read by whoever comes next */
        ssize_t n = rd_kafka_consume_batch_queue(last_words, 20, late, 64);
        while (n > 0)
            rd_kafka_message_destroy(late[--n]);
    }
    if (e) rd_kafka_error_destroy(e);
    rd_kafka_queue_destroy(last_words);
    return !e && rd_kafka_consumer_closed(c->rk);
}

void consumer_close(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    c->closing = true;
    drop_given(c);
    if (c->revoked) let_go(c);
    bool left = c->rk && leave(c);
    if (c->commits) rd_kafka_queue_destroy(c->commits);
    if (c->queue) rd_kafka_queue_destroy(c->queue);
    if (c->rk && !client_destroy(c->rk, left ? 0 : RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE))
        CONSUMER_LOG(c, LEAT_DEBUG, "librdkafka does not end by itself and is left behind");
    partitions_free(&c->partitions);
    position_free(&c->position);
    c->rk = NULL;
}

/* ---- at work ---- */

/* Before librdkafka 2.2 a broker's thread that has found the queues full looks again after up to a
 * second, however soon they are empty. Any request to the broker wakes it. */
static void wake(struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        uint32_t k = c->woken++ % c->partitions.n;
        const struct partition *p = &c->partitions.v[k];
        if (!p->assigned || p->at_end) continue;
        /* Not query_watermark_offsets, which waits for a broker that has gone however long. */
        rd_kafka_topic_partition_list_t *one = rd_kafka_topic_partition_list_new(1);
        rd_kafka_topic_partition_list_add(one, p->topic, p->number)->offset = RD_KAFKA_OFFSET_END;
        rd_kafka_offsets_for_times(c->rk, one, WAKE_MS);
        rd_kafka_topic_partition_list_destroy(one);
        return;
    }
}

/* What is there, or else the first that comes: of a batch librdkafka would wait for all n. */
static ssize_t receive(struct consumer *c, rd_kafka_message_t **m, size_t n, int ms)
{
    ssize_t got = rd_kafka_consume_batch_queue(c->queue, 0, m, n);
    return got ? got : rd_kafka_consume_batch_queue(c->queue, ms, m, 1);
}

ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms)
{
    c->ctx = ctx;
    if (!c->connected && !(c->connected = give_all(c))) {
        if (!c->down)
            CONSUMER_LOG(c, LEAT_WARN, "waiting for %s to know the topics", c->cfg->brokers);
        c->down = true;
        rd_kafka_poll(c->rk, 0);
        return c->failure ? c->failure : 0;
    }
    if (c->given) return 0; /* nothing comes before they are assigned */
    ssize_t got = receive(c, m, n, ms < DRY_MS ? ms : DRY_MS);
    if (!got && !c->failure && !c->given && ms > DRY_MS) {
        if (!c->down) wake(c);
        got = receive(c, m, n, ms - DRY_MS);
    }
    if (c->failure && got <= 0) return c->failure;
    return got < 0 ? 0 : got;
}

bool consumer_waits(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (!c->revoked) return false;
    bool late = now() > c->deadline;
    if (late) {
        CONSUMER_LOG(c, LEAT_WARN, "partitions are let go uncommitted: it took too long");
        taken_away(c);
    }
    if (late || !uncommitted(c)) {
        let_go(c);
        return false;
    }
    if (!c->asked) ctx->host->checkpoint_soon(ctx);
    c->asked = true;
    return true;
}

/* Said once, until it goes well again. */
static void not_committed(struct consumer *c, rd_kafka_resp_err_t err)
{
    if (!c->refused)
        CONSUMER_LOG(
            c, LEAT_WARN,
            "offsets could not be committed: %s; they go with the next checkpoint, and what is not "
            "committed at the end is read again next time",
            rd_kafka_err2str(err));
    c->refused = true;
}

static void on_committed(struct consumer *c, rd_kafka_event_t *e)
{
    rd_kafka_resp_err_t err = rd_kafka_event_error(e);
    const rd_kafka_topic_partition_list_t *list = rd_kafka_event_topic_partition_list(e);
    c->committing--;
    if (err)
        not_committed(c, err);
    else if (list)
        partitions_committed(&c->partitions, list);
    if (!err) c->refused = false;
}

void consumer_collect(struct leat_ctx *ctx, struct consumer *c, int ms)
{
    c->ctx = ctx;
    int64_t until = now() + ms * (SECOND / 1000);
    while (c->committing) {
        rd_kafka_event_t *e = rd_kafka_queue_poll(c->commits, ms);
        if (e && rd_kafka_event_type(e) == RD_KAFKA_EVENT_OFFSET_COMMIT) on_committed(c, e);
        if (e) rd_kafka_event_destroy(e);
        if (now() >= until) break;
    }
}

int consumer_position(struct leat_ctx *ctx, struct consumer *c)
{
    position_begin(&c->position);
    if (c->failure) return ctx->host->fail(ctx, c->failure, "%s", c->why); /* lost, and delivered */
    c->position.offsets = c->cfg->group ? partitions_to_commit(&c->partitions, NULL) : NULL;
    if (!c->position.offsets) return LEAT_OK;
    c->position.member = rd_kafka_consumer_group_metadata(c->rk);
    char *member = rd_kafka_memberid(c->rk); /* looked at after: one that is none any more is "" */
    bool is_member = member && *member;
    rd_kafka_mem_free(c->rk, member);
    if (is_member && c->position.member) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EROLLBACK, "is no member of its group any more");
}

static void commit(struct consumer *c, const char *metadata)
{
    rd_kafka_topic_partition_list_t *list = partitions_to_commit(&c->partitions, metadata);
    if (list && c->ctx->transactional) {
        partitions_committed(&c->partitions, list); /* the sink did it */
    } else if (list) {
        rd_kafka_resp_err_t err = rd_kafka_commit_queue(c->rk, list, c->commits, NULL, NULL);
        if (err)
            not_committed(c, err);
        else
            c->committing++;
    }
    if (list) rd_kafka_topic_partition_list_destroy(list);
}

/* A checkpoint whose barrier came before the last messages leaves these for the next one. */
void consumer_commit(struct leat_ctx *ctx, struct consumer *c, const char *metadata, bool final)
{
    c->ctx = ctx;
    if (!c->cfg->group) return;
    commit(c, metadata);
    if (final || c->revoked) consumer_collect(ctx, c, CLOSE_SECONDS * 1000);
    if (!c->revoked) return;
    if (partitions_cut_all(&c->partitions))
        let_go(c);
    else
        c->asked = false;
}
