/* state_topic.c -- see state_topic.h. */
#include "state_topic.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ADMIN_MS = 5000, FLUSH_SLICE_MS = 200, GIVE_UP_SECONDS = 10 };

static const char *const ours[] = {"bootstrap.servers", "enable.idempotence", "acks", NULL};

/* ---- life ---- */

static bool configure(rd_kafka_conf_t *conf, const char *brokers,
                      const struct leat_strings *properties, int64_t max_message, char *why,
                      size_t cap)
{
    char most[24];
    snprintf(most, sizeof most, "%lld", (long long)max_message + STATES_HEADER + STATES_KEY);
    return client_set(conf, "message.max.bytes", most, why, cap) &&
           client_set(conf, "linger.ms", "1", why, cap) &&
           client_set(conf, "compression.codec", "lz4", why, cap) && /* much of a state is zeros */
           client_set_all(conf, properties, ours, why, cap) &&
           client_set(conf, "bootstrap.servers", brokers, why, cap) &&
           client_set(conf, "enable.idempotence", "true", why, cap) &&
           client_set(conf, "acks", "all", why, cap);
}

const char *state_topic_wrong(const char *brokers, const struct leat_strings *properties,
                              int64_t max_message, char *text, size_t cap)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    bool good = configure(conf, brokers, properties, max_message, text, cap);
    rd_kafka_conf_destroy(conf);
    return good ? NULL : text;
}

static void on_delivered(rd_kafka_t *rk, const rd_kafka_message_t *m, void *opaque)
{
    struct state_topic *t = opaque;
    (void)rk;
    t->confirmed++;
    if (m->err && !t->why[0])
        snprintf(t->why, sizeof t->why, "a state could not be written to %s: %s", t->topic,
                 rd_kafka_err2str(m->err));
}

static void on_error(rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
    struct state_topic *t = opaque;
    (void)rk;
    if (err == RD_KAFKA_RESP_ERR__FATAL && !t->why[0])
        snprintf(t->why, sizeof t->why, "%s", reason);
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk, (void)level, (void)facility, (void)text; /* what matters comes as an error */
}

int state_topic_open(struct leat_ctx *ctx, struct state_topic *t, const char *brokers,
                     const char *topic, const struct leat_strings *properties, int64_t max_message)
{
    char why[500] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    *t = (struct state_topic){.topic = topic, .max_message = (size_t)max_message};
    if (!configure(conf, brokers, properties, max_message, why, sizeof why)) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    }
    rd_kafka_conf_set_opaque(conf, t);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivered);
    rd_kafka_conf_set_error_cb(conf, on_error);
    rd_kafka_conf_set_log_cb(conf, on_log);
    t->rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    if (!t->rk) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EIO, "%s", why);
    }
    t->message = ctx->host->alloc(ctx, t->max_message + STATES_HEADER);
    return t->message ? LEAT_OK : ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for states");
}

void state_topic_close(struct leat_ctx *ctx, struct state_topic *t)
{
    if (t->rk) client_destroy(t->rk, 0);
    ctx->host->free(ctx, t->message);
    *t = (struct state_topic){.rk = NULL};
}

/* ---- the topic ---- */

static bool unreachable(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR__TIMED_OUT || err == RD_KAFKA_RESP_ERR__TRANSPORT ||
           err == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT || err == RD_KAFKA_RESP_ERR_NOT_CONTROLLER;
}

/* The cluster does not tell, or not us. */
static bool untold(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE ||
           err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
           err == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

static rd_kafka_AdminOptions_t *admin_options(struct state_topic *t, rd_kafka_admin_op_t op)
{
    char why[200];
    rd_kafka_AdminOptions_t *o = rd_kafka_AdminOptions_new(t->rk, op);
    rd_kafka_AdminOptions_set_request_timeout(o, ADMIN_MS, why, sizeof why);
    return o;
}

static rd_kafka_resp_err_t make_topic(struct state_topic *t)
{
    char why[300];
    rd_kafka_AdminOptions_t *o = admin_options(t, RD_KAFKA_ADMIN_OP_CREATETOPICS);
    rd_kafka_queue_t *q = rd_kafka_queue_new(t->rk);
    rd_kafka_NewTopic_t *new = rd_kafka_NewTopic_new(t->topic, 1, -1, why, sizeof why);
    rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
    if (new) {
        rd_kafka_NewTopic_set_config(new, "cleanup.policy", "compact");
        rd_kafka_CreateTopics(t->rk, &new, 1, o, q);
        rd_kafka_event_t *e = rd_kafka_queue_poll(q, ADMIN_MS + 1000);
        const rd_kafka_CreateTopics_result_t *made =
            e ? rd_kafka_event_CreateTopics_result(e) : NULL;
        size_t n = 0;
        const rd_kafka_topic_result_t **each =
            made ? rd_kafka_CreateTopics_result_topics(made, &n) : NULL;
        err = !e  ? RD_KAFKA_RESP_ERR__TIMED_OUT
              : n ? rd_kafka_topic_result_error(each[0])
                  : rd_kafka_event_error(e);
        if (e) rd_kafka_event_destroy(e);
        rd_kafka_NewTopic_destroy(new);
    }
    rd_kafka_queue_destroy(q);
    rd_kafka_AdminOptions_destroy(o);
    return err;
}

/* The topic's cleanup.policy, in `policy`. */
static rd_kafka_resp_err_t look_up_policy(struct state_topic *t, char *policy, size_t cap)
{
    rd_kafka_AdminOptions_t *o = admin_options(t, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_queue_t *q = rd_kafka_queue_new(t->rk);
    rd_kafka_ConfigResource_t *topic =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, t->topic);
    rd_kafka_DescribeConfigs(t->rk, &topic, 1, o, q);
    rd_kafka_event_t *e = rd_kafka_queue_poll(q, ADMIN_MS + 1000);
    const rd_kafka_DescribeConfigs_result_t *told =
        e ? rd_kafka_event_DescribeConfigs_result(e) : NULL;
    size_t n = 0, settings = 0;
    const rd_kafka_ConfigResource_t **each =
        told ? rd_kafka_DescribeConfigs_result_resources(told, &n) : NULL;
    rd_kafka_resp_err_t err = !e  ? RD_KAFKA_RESP_ERR__TIMED_OUT
                              : n ? rd_kafka_ConfigResource_error(each[0])
                                  : rd_kafka_event_error(e);
    const rd_kafka_ConfigEntry_t **entry =
        n && !err ? rd_kafka_ConfigResource_configs(each[0], &settings) : NULL;
    for (size_t i = 0; i < settings; i++)
        if (!strcmp(rd_kafka_ConfigEntry_name(entry[i]), "cleanup.policy") &&
            rd_kafka_ConfigEntry_value(entry[i]))
            snprintf(policy, cap, "%s", rd_kafka_ConfigEntry_value(entry[i]));
    if (e) rd_kafka_event_destroy(e);
    rd_kafka_ConfigResource_destroy(topic);
    rd_kafka_queue_destroy(q);
    rd_kafka_AdminOptions_destroy(o);
    return err;
}

static int check_policy(struct leat_ctx *ctx, struct state_topic *t)
{
    char policy[100] = "";
    rd_kafka_resp_err_t err = t->controlled ? look_up_policy(t, policy, sizeof policy)
                                            : RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE;
    if (unreachable(err)) return LEAT_AGAIN;
    if (untold(err)) {
        ctx->host->log(ctx, LEAT_WARN,
                       "the brokers do not tell whether topic %s is compacted (%s); it must be",
                       t->topic, rd_kafka_err2str(err));
        return LEAT_OK;
    }
    if (err)
        return ctx->host->fail(ctx, LEAT_EIO, "topic %s for states: %s", t->topic,
                               rd_kafka_err2str(err));
    if (!strcmp(policy, "compact")) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG,
                           "topic %s cannot keep states: it has cleanup.policy=%s, which deletes "
                           "them in time, and must have compact",
                           t->topic, policy);
}

/* How many partitions it has; 0: there is no such topic; below 0: no broker has answered. All
 * topics are asked for, since asking for one may make it, and not compacted. */
static int32_t count_partitions(struct state_topic *t)
{
    const struct rd_kafka_metadata *about = NULL;
    int32_t n = 0, controller;
    if (rd_kafka_metadata(t->rk, 1, NULL, &about, ADMIN_MS)) return -1;
    controller = rd_kafka_controllerid(t->rk, 0);
    t->controlled = controller < 0; /* not yet known */
    for (int i = 0; i < about->broker_cnt; i++)
        t->controlled |= about->brokers[i].id == controller;
    for (int i = 0; i < about->topic_cnt; i++)
        if (!strcmp(about->topics[i].topic, t->topic)) n = about->topics[i].partition_cnt;
    rd_kafka_metadata_destroy(about);
    return n;
}

/* LEAT_AGAIN: it is being made. */
static int make(struct leat_ctx *ctx, struct state_topic *t)
{
    rd_kafka_resp_err_t err = make_topic(t);
    if (unreachable(err) || err == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) return LEAT_AGAIN;
    if (err)
        return ctx->host->fail(ctx, LEAT_EIO,
                               "there is no topic %s for states, and none can be "
                               "made: %s",
                               t->topic, rd_kafka_err2str(err));
    ctx->host->log(ctx, LEAT_INFO, "made topic %s, compacted, for states", t->topic);
    t->made = true;
    return LEAT_AGAIN;
}

int state_topic_prepare(struct leat_ctx *ctx, struct state_topic *t)
{
    if (t->partitions) return LEAT_OK;
    int32_t n = count_partitions(t);
    if (n < 0) return LEAT_AGAIN;
    if (n == 0) return t->made ? LEAT_AGAIN : make(ctx, t);
    int s = t->made ? LEAT_OK : check_policy(ctx, t);
    if (s == LEAT_OK) t->partitions = n;
    return s;
}

/* ---- states ---- */

static int failed(struct leat_ctx *ctx, const struct state_topic *t)
{
    return t->why[0] ? ctx->host->fail(ctx, LEAT_EIO, "%s", t->why) : LEAT_OK;
}

static int64_t seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Serve the producer until all has arrived; once the run is being stopped, not for ever. */
int state_topic_wait(struct leat_ctx *ctx, struct state_topic *t)
{
    int64_t stopping = 0;
    while (t->confirmed < t->sent && !t->why[0]) {
        rd_kafka_flush(t->rk, FLUSH_SLICE_MS);
        if (!ctx->host->stopping(ctx)) continue;
        if (!stopping) stopping = seconds();
        if (seconds() - stopping > GIVE_UP_SECONDS)
            return ctx->host->fail(ctx, LEAT_EIO,
                                   "states could not be written to %s: no broker answers; those "
                                   "before hold, with their offsets",
                                   t->topic);
    }
    return failed(ctx, t);
}

static int send_message(struct leat_ctx *ctx, struct state_topic *t, int32_t partition,
                        const char *key, size_t key_len, size_t n)
{
    for (;;) {
        rd_kafka_resp_err_t err =
            rd_kafka_producev(t->rk, RD_KAFKA_V_TOPIC(t->topic), RD_KAFKA_V_PARTITION(partition),
                              RD_KAFKA_V_KEY(key, key_len), RD_KAFKA_V_VALUE(t->message, n),
                              RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
        if (!err) {
            t->sent++;
            return LEAT_OK;
        }
        if (err != RD_KAFKA_RESP_ERR__QUEUE_FULL)
            return ctx->host->fail(ctx, LEAT_EIO, "a state cannot be written to %s: %s", t->topic,
                                   rd_kafka_err2str(err));
        int s = state_topic_wait(ctx, t);
        if (s != LEAT_OK) return s;
    }
}

int state_topic_send(struct leat_ctx *ctx, struct state_topic *t, struct states_out *o)
{
    char key[STATES_KEY];
    size_t key_len, n;
    int32_t partition = states_partition(o->name, t->partitions);
    int s = LEAT_OK;
    while (s == LEAT_OK && states_next(o, key, &key_len, t->message, &n))
        s = send_message(ctx, t, partition, key, key_len, n);
    return s;
}
