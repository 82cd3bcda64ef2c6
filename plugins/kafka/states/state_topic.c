/* state_topic.c -- implementation of state_topic.h. */
#include "state_topic.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "kafka/client/answers.h"

enum { ADMIN_MS = 5000 };
#define SEGMENT_BYTES "134217728" /* size of a log segment: more than the longest message */

/* ---- life ---- */

int state_topic_open(struct leat_ctx *ctx, struct state_topic *t, const char *brokers,
                     const char *topic, const char *like, const struct leat_strings *properties,
                     int64_t max_message)
{
    struct client_cfg cfg = {.role = CLIENT_STATE_PRODUCER,
                             .brokers = brokers,
                             .properties = properties,
                             .message_bytes = max_message + STATES_HEADER + STATES_KEY};
    *t = (struct state_topic){.topic = topic, .like = like, .max_message = (size_t)max_message};
    int status = producer_open(ctx, &t->producer, &cfg);
    if (status != LEAT_OK) return status;
    t->message = ctx->host->alloc(ctx, t->max_message + STATES_HEADER);
    return t->message ? LEAT_OK
                      : ctx->host->fail(ctx, LEAT_ENOMEM,
                                        "there is not enough memory for a message of %zu bytes",
                                        t->max_message);
}

void state_topic_close(struct leat_ctx *ctx, struct state_topic *t)
{
    producer_close(&t->producer);
    ctx->host->free(ctx, t->message);
    *t = (struct state_topic){.topic = NULL};
}

/* ---- the topic ---- */

/* True if the cluster does not tell this client how it stores the topic. */
static bool is_withheld(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE || answer_kind(err) == ANSWER_FORBIDDEN;
}

static rd_kafka_AdminOptions_t *admin_options(struct state_topic *t, rd_kafka_admin_op_t op)
{
    char why[200];
    rd_kafka_AdminOptions_t *o = rd_kafka_AdminOptions_new(t->producer.rk, op);
    rd_kafka_AdminOptions_set_request_timeout(o, ADMIN_MS, why, sizeof why);
    return o;
}

static rd_kafka_resp_err_t request_topic(struct state_topic *t)
{
    char why[300];
    rd_kafka_AdminOptions_t *o = admin_options(t, RD_KAFKA_ADMIN_OP_CREATETOPICS);
    rd_kafka_queue_t *q = rd_kafka_queue_new(t->producer.rk);
    rd_kafka_NewTopic_t *new =
        rd_kafka_NewTopic_new(t->topic, 1, t->copies ? t->copies : -1, why, sizeof why);
    rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
    if (new) {
        /* Small segments, because only closed ones are compacted and every member reads the last
         * one in full. */
        rd_kafka_NewTopic_set_config(new, "cleanup.policy", "compact");
        rd_kafka_NewTopic_set_config(new, "segment.bytes", SEGMENT_BYTES);
        rd_kafka_NewTopic_set_config(new, "min.cleanable.dirty.ratio", "0.1");
        rd_kafka_CreateTopics(t->producer.rk, &new, 1, o, q);
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

/* Reads the cleanup.policy of the topic. */
static rd_kafka_resp_err_t look_up_policy(struct state_topic *t, char *policy, size_t cap)
{
    rd_kafka_AdminOptions_t *o = admin_options(t, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_queue_t *q = rd_kafka_queue_new(t->producer.rk);
    rd_kafka_ConfigResource_t *topic =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, t->topic);
    rd_kafka_DescribeConfigs(t->producer.rk, &topic, 1, o, q);
    rd_kafka_event_t *e = rd_kafka_queue_poll(q, ADMIN_MS + 1000);
    const rd_kafka_DescribeConfigs_result_t *found =
        e ? rd_kafka_event_DescribeConfigs_result(e) : NULL;
    size_t n = 0, settings = 0;
    const rd_kafka_ConfigResource_t **each =
        found ? rd_kafka_DescribeConfigs_result_resources(found, &n) : NULL;
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
    if (answer_kind(err) == ANSWER_WAIT) return LEAT_AGAIN;
    if (is_withheld(err)) {
        ctx->host->log(ctx, LEAT_WARN,
                       "the brokers do not say whether topic %s is compacted (%s): make sure that "
                       "it has cleanup.policy=compact",
                       t->topic, rd_kafka_err2str(err));
        return LEAT_OK;
    }
    if (err)
        return ctx->host->fail(ctx, LEAT_EIO, "the settings of topic %s could not be read: %s",
                               t->topic, rd_kafka_err2str(err));
    if (!strcmp(policy, "compact")) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG,
                           "topic %s has cleanup.policy=%s, which deletes old states: give it "
                           "cleanup.policy=compact, or name another state_topic",
                           t->topic, policy);
}

/* Returns the number of the topic's partitions; 0 if the topic does not exist; negative if no
 * broker has answered. Asks for all topics, because a request for one topic may create it, without
 * compaction. */
static int32_t count_partitions(struct state_topic *t)
{
    const struct rd_kafka_metadata *about = NULL;
    int32_t n = 0, controller;
    if (rd_kafka_metadata(t->producer.rk, 1, NULL, &about, ADMIN_MS)) return -1;
    controller = rd_kafka_controllerid(t->producer.rk, 0);
    t->controlled = controller < 0; /* the controller is unknown so far */
    for (int i = 0; i < about->broker_cnt; i++)
        t->controlled |= about->brokers[i].id == controller;
    for (int i = 0; i < about->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *each = &about->topics[i];
        if (!strcmp(each->topic, t->topic)) n = each->partition_cnt;
        if (!strcmp(each->topic, t->like) && each->partition_cnt)
            t->copies = each->partitions[0].replica_cnt;
    }
    rd_kafka_metadata_destroy(about);
    return n;
}

/* Creates the topic. Returns LEAT_AGAIN while it is being created. */
static int make_topic(struct leat_ctx *ctx, struct state_topic *t)
{
    rd_kafka_resp_err_t err = request_topic(t);
    if (answer_kind(err) == ANSWER_WAIT || err == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
        return LEAT_AGAIN;
    if (err)
        return ctx->host->fail(
            ctx, LEAT_EIO, "topic %s for the states does not exist, and leat cannot make it: %s",
            t->topic, rd_kafka_err2str(err));
    ctx->host->log(ctx, LEAT_INFO, "topic %s was made for the states, compacted", t->topic);
    if (t->copies == 1)
        ctx->host->log(
            ctx, LEAT_WARN,
            "topic %s has only one copy, like %s: if its broker is lost, the states are lost",
            t->topic, t->like);
    t->made = true;
    return LEAT_AGAIN;
}

int state_topic_prepare(struct leat_ctx *ctx, struct state_topic *t)
{
    if (t->partitions) return LEAT_OK;
    int32_t n = count_partitions(t);
    if (n < 0) return LEAT_AGAIN;
    if (n == 0) return t->made ? LEAT_AGAIN : make_topic(ctx, t);
    int status = t->made ? LEAT_OK : check_policy(ctx, t);
    if (status == LEAT_OK) t->partitions = n;
    return status;
}

/* ---- states ---- */

static int state_topic_check_producer(struct leat_ctx *ctx, const struct state_topic *t)
{
    if (t->producer.gave_up)
        return ctx->host->fail(ctx, LEAT_EIO,
                               "no broker answered: states were not written to %s. The previous "
                               "states and offsets remain valid",
                               t->topic);
    return t->producer.why[0] ? ctx->host->fail(ctx, LEAT_EIO, "%s", t->producer.why) : LEAT_OK;
}

uint64_t state_topic_send_by(struct leat_ctx *ctx, struct producer *p, const char *topic,
                             int32_t partitions, struct states_out *o, char *buf)
{
    char key[STATES_KEY];
    uint64_t sent = 0;
    assert(partitions > 0 && o->max_part > 0);
    struct message m = {.topic = topic,
                        .partition = states_partition(o->name, partitions),
                        .key = key,
                        .value = buf};
    while (!p->why[0] && states_next(o, key, &m.key_len, buf, &m.value_len)) {
        rd_kafka_resp_err_t err = producer_send(ctx, p, &m);
        if (err && !p->why[0])
            snprintf(p->why, sizeof p->why, "a state cannot be written to %s: %s", topic,
                     rd_kafka_err2str(err));
        sent += !err;
    }
    return sent;
}

int state_topic_send(struct leat_ctx *ctx, struct state_topic *t, struct states_out *o)
{
    state_topic_send_by(ctx, &t->producer, t->topic, t->partitions, o, t->message);
    return state_topic_check_producer(ctx, t);
}

int state_topic_wait(struct leat_ctx *ctx, struct state_topic *t)
{
    producer_confirm(ctx, &t->producer);
    return state_topic_check_producer(ctx, t);
}
