/* consumer.c -- implementation of consumer.h. */
#include "consumer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <librdkafka/rdkafka_mock.h>

#include "core/mix64.h"
#include "core/text/stream_name.h"
#include "core/time/clock.h"
#include "kafka/client/answers.h"
#include "kafka/client/client_end.h"
#include "kafka/client/group_about.h"

enum {
    MOCK_PARTITIONS = 8, /* embedded topics keep 5 MB a partition; older messages are deleted */
    DRY_MS = 1,
    WAKE_MS = 50,
    COMMIT_SECONDS = 5,
    SLICE_MS = 100,
    KEPT_BYTES = 32 << 20,
    ABOUT_MS = 900 /* produce must return within a second */
};

int consumer_fail(struct consumer *c, int status, const char *format, ...)
{
    va_list args;
    if (c->failure) return c->failure; /* report only the first failure */
    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    return c->failure = status;
}

/* ---- waits ---- */

/* Tells the host what the consumer waits for. */
static void consumer_tell_wait(struct consumer *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void consumer_tell_wait(struct consumer *c, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->ctx->host->waits(c->ctx, text);
    c->waits = true;
}

void consumer_end_wait(struct consumer *c)
{
    outage_end(&c->outage);
    c->kept_out = 0;
    if (c->waits) c->ctx->host->waits(c->ctx, NULL);
    c->waits = false;
}

/* ---- callbacks of librdkafka ---- */

bool consumer_lists(const struct consumer *c, const char *topic)
{
    for (uint32_t i = 0; i < c->cfg->topics.n; i++)
        if (!strcmp(c->cfg->topics.v[i], topic)) return true;
    return false;
}

bool consumer_reads(const struct consumer *c, const char *topic)
{
    bool reads = false;
    for (uint32_t i = 0; i < c->cfg->topics.n && !reads; i++)
        reads = stream_name_covers(c->cfg->topics.v[i], topic);
    return reads;
}

/* True if the error is about a topic that is read only because a regular expression matches its
 * name. The text `reason` begins with the topic. */
static bool is_of_matched_topic(const struct consumer *c, const char *reason)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        size_t n = strlen(p->topic);
        if (!strncmp(reason, p->topic, n) && reason[n] == ' ') return !consumer_lists(c, p->topic);
    }
    return false;
}

/* True if the error is about librdkafka's own group, which a consumer without a group has. */
static bool is_of_no_group(const struct consumer *c, int err)
{
    return !c->cfg->group && (err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED ||
                              err == RD_KAFKA_RESP_ERR_INVALID_GROUP_ID);
}

static bool is_of_topic(int err)
{
    return err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
           err == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
}

/* Returns session.timeout.ms, in ms. */
static int64_t session_ms(const struct consumer *c)
{
    char text[24] = "";
    size_t n = sizeof text;
    rd_kafka_conf_get(rd_kafka_conf(c->rk), "session.timeout.ms", text, &n);
    return atoll(text);
}

/* Notes that other members keep this one out. They may be leaving, so the consumer tries on for
 * session.timeout.ms: by then, those that have died have left, too. */
static void await_members(struct consumer *c, int err, const char *reason)
{
    uint64_t ns = (uint64_t)session_ms(c) * 1000000;
    uint64_t give_up = (uint64_t)c->cfg->give_up;
    if (c->kept_out) return;
    if (give_up && give_up < ns) ns = give_up;
    c->kept_out = err;
    c->kept_out_until = clock_ns() + ns;
    CONSUMER_LOG(c, LEAT_WARN,
                 "group %s keeps this member out: %s; the run ends in %.9g s if its other members "
                 "have not left by then",
                 c->cfg->group, reason, (double)ns / 1e9);
    consumer_tell_wait(c, "group %s keeps this member out: %s", c->cfg->group, reason);
}

bool consumer_take_answer(struct consumer *c, int err, const char *reason)
{
    if (is_of_no_group(c, err)) return true;
    if (answer_kind(err) == ANSWER_MEMBERS)
        await_members(c, err, reason);
    else if (answer_is_final(err) && c->cfg->group && !is_of_topic(err))
        consumer_fail(c, LEAT_EIO, "group %s cannot be used: %s%s", c->cfg->group, reason,
                      answer_advice(err));
    else if (answer_is_final(err))
        consumer_fail(c, LEAT_EIO, "%s%s", reason, answer_advice(err));
    else
        return false;
    return true;
}

/* Ends the run if other members have kept this one out for long enough. */
static void check_kept_out(struct consumer *c)
{
    char why[400];
    if (!c->kept_out || clock_ns() < c->kept_out_until) return;
    group_about_refusal(c->rk, c->cfg->group, ABOUT_MS, why, sizeof why);
    consumer_fail(c, LEAT_EIO, "group %s keeps this member out: %s%s%s%s", c->cfg->group,
                  rd_kafka_err2str(c->kept_out), *why ? "; " : "", why, answer_advice(c->kept_out));
}

static void consumer_on_error(rd_kafka_t *rk, int err, const char *reason, void *self)
{
    struct consumer *c = self;
    char fatal[400];
    /* While the consumer closes, another thread runs this callback. */
    if (c->rebalance.state == REBALANCE_CLOSED) return;
    if (err == RD_KAFKA_RESP_ERR__FATAL) {
        err = rd_kafka_fatal_error(rk, fatal, sizeof fatal);
        consumer_fail(c, LEAT_EIO, "%s%s", fatal, answer_advice(err));
    } else if (outage_take(&c->outage, err, reason)) {
        CONSUMER_LOG(c, LEAT_WARN, "no broker of %s can be reached; waiting for one: %s",
                     c->cfg->brokers, c->outage.reason);
        consumer_tell_wait(c, "no broker of %s can be reached: %s", c->cfg->brokers,
                           c->outage.reason);
    } else if (consumer_take_answer(c, err, reason)) {
        return;
    } else if (answer_kind(err) == ANSWER_NO_TOPIC && partitions_assigned(&c->partitions) &&
               !is_of_matched_topic(c, reason)) {
        /* A new topic of this name would have other messages at the same offsets. */
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

/* Refuses isolation.level = read_uncommitted if a sink commits the results. The source would read
 * aborted messages, and the sink would commit results of them. */
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

/* True if the group rebalances cooperatively (rebalance.h). By the consumer protocol it always
 * does. */
static bool is_cooperative(const struct consumer *c)
{
    char strategy[64] = "";
    size_t n = sizeof strategy;
    rd_kafka_conf_get(rd_kafka_conf(c->rk), "partition.assignment.strategy", strategy, &n);
    return !strcmp(strategy, "cooperative-sticky");
}

/* Lets malloc use the memory of read messages again. By default it gives most of it back to the
 * system, whose pages are then mapped and cleared anew. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
}

/* Opens librdkafka's client and its queues. */
static int open_client(struct leat_ctx *ctx, struct consumer *c)
{
    static const struct client_callbacks callbacks = {.on_error = consumer_on_error,
                                                      .on_rebalance = rebalance_callback};
    struct client_cfg client = params_client(c->cfg);
    client.instance = c->member.name;
    keep_memory();
    int status = client_open(ctx, &client, &callbacks, c, &c->rk);
    if (status != LEAT_OK) return status;
    rd_kafka_poll_set_consumer(c->rk);
    pthread_mutex_lock(&c->waking);
    c->messages = rd_kafka_queue_get_consumer(c->rk);
    pthread_mutex_unlock(&c->waking);
    c->commits = rd_kafka_queue_new(c->rk);
    c->committing = 0;
    return LEAT_OK;
}

static int join_group(struct leat_ctx *ctx, struct consumer *c)
{
    if (!c->cfg->group) return LEAT_OK;
    if (c->member.name)
        CONSUMER_LOG(c, LEAT_INFO, "is member %s of group %s", c->member.name, c->cfg->group);
    return subscribe(c) == LEAT_OK ? LEAT_OK : ctx->host->fail(ctx, c->failure, "%s", c->why);
}

int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg)
{
    c->ctx = ctx;
    c->cfg = cfg;
    c->brokers = cfg->brokers;
    c->now_ms = (int64_t)(clock_unix_ns() / 1000000);
    c->writer = mix64(clock_ns() ^ (uint64_t)getpid() << 40);
    pthread_mutex_init(&c->waking, NULL);
    /* By the consumer protocol a static member never leaves, and until its session has timed out
     * its name is refused: so the source makes no name. */
    const struct client_cfg client = params_client(cfg);
    bool consumer = client_uses_consumer_protocol(&client);
    static_member_open(&c->member, cfg, consumer ? NULL : ctx->pipeline);
    int status = open_client(ctx, c);
    if (status != LEAT_OK) return status;
    c->rebalance.cooperative = consumer || is_cooperative(c);
    start_embedded(c);
    status = check_isolation(ctx, c);
    return status == LEAT_OK ? join_group(ctx, c) : status;
}

/* Warns that a member which the user has named keeps its partitions after its end. */
static void tell_stay(const struct consumer *c)
{
    char fatal[100];
    bool is_member = c->member.name && !c->failure && !c->kept_out &&
                     !rd_kafka_fatal_error(c->rk, fatal, sizeof fatal);
    if (!is_member || static_member_leaves(&c->member)) return;
    CONSUMER_LOG(c, LEAT_WARN,
                 "member %s stays in group %s, because it has a name of its own: its partitions "
                 "are unread until it starts again, or for session.timeout.ms (%g s)",
                 c->member.name, c->cfg->group, (double)session_ms(c) / 1e3);
}

static void end_client(struct leat_ctx *ctx, struct consumer *c)
{
    tell_stay(c);
    enum client_leave left =
        c->fenced ? CLIENT_LATE : client_leave_group(ctx, c->rk, static_member_leaves(&c->member));
    pthread_mutex_lock(&c->waking);
    if (c->messages) rd_kafka_queue_destroy(c->messages);
    c->messages = NULL;
    pthread_mutex_unlock(&c->waking);
    if (c->commits) rd_kafka_queue_destroy(c->commits);
    int flags = left == CLIENT_LEFT ? 0 : RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE;
    if (left == CLIENT_STUCK || !client_destroy(ctx, c->rk, flags))
        CONSUMER_LOG(c, LEAT_DEBUG, "librdkafka does not end, and the run does not wait for it");
    c->rk = NULL;
}

int consumer_take_fatal(struct leat_ctx *ctx, struct consumer *c)
{
    char why[400];
    rd_kafka_resp_err_t err = rd_kafka_fatal_error(c->rk, why, sizeof why);
    c->fenced = err == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID && static_member_leaves(&c->member);
    return c->fenced ? LEAT_OK : ctx->host->fail(ctx, LEAT_EIO, "%s%s", why, answer_advice(err));
}

/* A request of this member that was under way during an outage can fence it out: the group has let
 * it join again since, and takes the request for another process's. */
int consumer_renew(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    CONSUMER_LOG(c, LEAT_WARN, "group %s has fenced out %s, which joins it again", c->cfg->group,
                 c->member.name);
    rebalance_lose(c);
    if (c->failure) return ctx->host->fail(ctx, c->failure, "%s", c->why);
    end_client(ctx, c);
    static_member_fenced(&c->member);
    c->fenced = false;
    int status = open_client(ctx, c);
    return status == LEAT_OK ? join_group(ctx, c) : status;
}

void consumer_close(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (c->rk) end_client(ctx, c);
    static_member_close(&c->member);
    if (c->cfg) pthread_mutex_destroy(&c->waking);
    partitions_free(&c->partitions);
    position_free(&c->position);
    position_bytes_free(&c->position_bytes);
}

/* ---- messages ---- */

/* Sends a request about one partition, which wakes librdkafka's thread for the partition's broker.
 * Without a request, librdkafka before 2.2 looks at a full queue again only after up to a
 * second. */
static void wake_broker(struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        uint32_t k = c->woken++ % c->partitions.n;
        const struct partition *p = &c->partitions.v[k];
        if (p->state != PARTITION_READING && p->state != PARTITION_STOPPED) continue;
        /* A request with a timeout: query_watermark_offsets would wait for ever if the broker is
         * gone. */
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
    pthread_mutex_lock(&c->waking);
    if (c->messages) rd_kafka_queue_yield(c->messages);
    pthread_mutex_unlock(&c->waking);
}

/* Returns the waiting messages, or else waits for one message. A single call of librdkafka would
 * wait for all n. */
static ssize_t poll_queue(struct consumer *c, rd_kafka_message_t **m, size_t n, int ms)
{
    ssize_t got = rd_kafka_consume_batch_queue(c->messages, 0, m, n);
    if (got || atomic_load(&c->hurried)) return got; /* consumer_wake() may have ended the wait */
    return rd_kafka_consume_batch_queue(c->messages, ms, m, 1);
}

static void check_outage(struct consumer *c)
{
    if (outage_is_over(&c->outage, c->rk)) {
        CONSUMER_LOG(c, LEAT_INFO, "a broker answers again");
        consumer_end_wait(c);
    }
    if (outage_is_final(&c->outage, c->rk))
        consumer_fail(c, LEAT_EIO, "all brokers of %s refuse this client: %s", c->cfg->brokers,
                      c->outage.reason);
}

/* Waits for the topics. Polls first, because the reason why the topics are unknown may arrive only
 * now. */
ssize_t consumer_await_topics(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    check_outage(c);
    rd_kafka_poll(c->rk, 0);
    if (!c->wait_reported && !c->outage.down && !c->failure)
        CONSUMER_LOG(c, LEAT_WARN, "waiting for %s to know the topics", c->cfg->brokers);
    c->wait_reported = true;
    return c->failure ? c->failure : 0;
}

ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms)
{
    c->ctx = ctx;
    check_outage(c);
    check_kept_out(c);
    if (c->rebalance.given) return 0; /* no message can come before the partitions are assigned */
    if (atomic_exchange(&c->hurried, false)) ms = 0;
    ssize_t got = poll_queue(c, m, n, ms < DRY_MS ? ms : DRY_MS);
    if (!got && !c->failure && !c->rebalance.given && ms > DRY_MS && !atomic_load(&c->hurried)) {
        if (!c->outage.down) wake_broker(c);
        got = poll_queue(c, m, n, ms - DRY_MS);
    }
    if (c->failure && got <= 0) return c->failure;
    return got < 0 ? 0 : got;
}

/* ---- commits ---- */

/* Logs a failed commit, but only once until a commit succeeds. */
static void report_uncommitted(struct consumer *c, rd_kafka_resp_err_t err)
{
    if (!c->commit_reported)
        CONSUMER_LOG(c, LEAT_WARN,
                     "could not commit offsets: %s. Retrying at the next checkpoint; uncommitted "
                     "records will be read again",
                     rd_kafka_err2str(err));
    c->commit_reported = true;
}

static void take_commit(struct consumer *c, rd_kafka_event_t *e)
{
    rd_kafka_resp_err_t err = rd_kafka_event_error(e);
    const rd_kafka_topic_partition_list_t *list = rd_kafka_event_topic_partition_list(e);
    c->committing--;
    if (err)
        report_uncommitted(c, err);
    else if (list)
        partitions_committed(&c->partitions, list);
    if (!err) c->commit_reported = false;
}

void consumer_take_commits(struct leat_ctx *ctx, struct consumer *c, int seconds)
{
    c->ctx = ctx;
    uint64_t until = client_give_up_at(ctx, seconds);
    while (c->committing) {
        rd_kafka_event_t *e = rd_kafka_queue_poll(c->commits, seconds ? SLICE_MS : 0);
        if (e && rd_kafka_event_type(e) == RD_KAFKA_EVENT_OFFSET_COMMIT) take_commit(c, e);
        if (e) rd_kafka_event_destroy(e);
        if (clock_ns() >= until) break;
    }
}

int consumer_position(struct leat_ctx *ctx, struct consumer *c)
{
    position_begin(&c->position);
    if (c->failure) return ctx->host->fail(ctx, c->failure, "%s", c->why); /* partitions are lost */
    c->position.offsets = c->cfg->group ? partitions_to_commit(&c->partitions, 0, c->writer) : NULL;
    if (!c->position.offsets) return LEAT_OK;
    c->position.member = rd_kafka_consumer_group_metadata(c->rk);
    /* Read after the metadata, so that an empty ID shows that the metadata is out of date. */
    char *id = rd_kafka_memberid(c->rk);
    bool is_member = id && *id;
    rd_kafka_mem_free(c->rk, id);
    if (is_member && c->position.member) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EROLLBACK, "this consumer is no longer a member of group %s",
                           c->cfg->group);
}

static void commit_to_group(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    rd_kafka_resp_err_t err = rd_kafka_commit_queue(c->rk, list, c->commits, NULL, NULL);
    if (err)
        report_uncommitted(c, err);
    else
        c->committing++;
}

/* Waits until the brokers have answered all commits, so that partitions can be released. */
static void await_commits(struct leat_ctx *ctx, struct consumer *c)
{
    uint64_t from = clock_ns();
    consumer_take_commits(ctx, c, COMMIT_SECONDS);
    if (c->committing)
        CONSUMER_LOG(c, LEAT_WARN,
                     "partitions are released, but no broker confirmed their offsets within %.1f "
                     "s: their next reader may read messages again",
                     (double)(clock_ns() - from) / 1e9);
}

/* Commits `cut` of each partition. Messages after the barrier belong to the next checkpoint. */
void consumer_commit(struct leat_ctx *ctx, struct consumer *c, uint64_t checkpoint, bool final)
{
    c->ctx = ctx;
    if (!c->cfg->group) return;
    rd_kafka_topic_partition_list_t *list =
        partitions_to_commit(&c->partitions, checkpoint, c->writer);
    if (list && ctx->position_committed)
        partitions_committed(&c->partitions, list); /* the sink has committed them */
    else if (list)
        commit_to_group(c, list);
    if (list) rd_kafka_topic_partition_list_destroy(list);
    if (final || rebalance_is_releasing(&c->rebalance)) await_commits(ctx, c);
}
