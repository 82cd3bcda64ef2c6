/* producer.c -- implementation of producer.h. */
#include "producer.h"

#include <assert.h>
#include <stdio.h>

#include "core/time/clock.h"
#include "client_end.h"

enum { REPORTS_MS = 200, GIVE_UP_SECONDS = 10 };

/* ---- callbacks of librdkafka ---- */

static bool is_missing_topic(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

static const char *advice(rd_kafka_resp_err_t err)
{
    if (is_missing_topic(err))
        return "; the cluster does not make topics by itself: make this one first";
    if (err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        return "; the cluster's limit is for all messages that are sent together: lower batch.size "
               "in `properties`, or raise max.message.bytes of the topic";
    return "";
}

static void on_delivered(rd_kafka_t *rk, const rd_kafka_message_t *m, void *self)
{
    struct producer *p = self;
    p->confirmed++;
    if (!m->err) outage_end(&p->outage);
    if (m->err && !p->why[0])
        snprintf(p->why, sizeof p->why, "a message of %zu bytes could not be delivered to %s: %s%s",
                 m->len, rd_kafka_topic_name(m->rkt), rd_kafka_err2str(m->err), advice(m->err));
}

static void producer_on_error(rd_kafka_t *rk, int err, const char *reason, void *self)
{
    struct producer *p = self;
    if (err == RD_KAFKA_RESP_ERR__FATAL && !p->why[0])
        snprintf(p->why, sizeof p->why, "%s", reason);
    if (outage_take(&p->outage, err, reason) && !p->silent)
        p->ctx->host->log(p->ctx, LEAT_WARN, "no broker can be reached; waiting for one: %s",
                          p->outage.reason);
}

/* ---- life ---- */

int producer_open(struct leat_ctx *ctx, struct producer *p, const struct client_cfg *cfg)
{
    static const struct client_callbacks callbacks = {.on_error = producer_on_error,
                                                      .on_delivered = on_delivered};
    /* A source that writes states also has a consumer, which reports the outages. */
    *p = (struct producer){.ctx = ctx, .silent = cfg->role == CLIENT_STATE_PRODUCER};
    return client_open(ctx, cfg, &callbacks, p, &p->rk);
}

void producer_close(struct producer *p)
{
    if (p->rk) client_destroy(p->ctx, p->rk, 0);
    p->rk = NULL;
}

void producer_check_refused(struct producer *p)
{
    if (!p->why[0] && outage_is_final(&p->outage, p->rk))
        snprintf(p->why, sizeof p->why, "all brokers refuse this client: %s", p->outage.reason);
}

/* ---- messages ---- */

/* Waits for delivery reports. Once the run is stopping, all calls together wait for some seconds at
 * most. */
static void await_reports(struct leat_ctx *ctx, struct producer *p)
{
    rd_kafka_poll(p->rk, REPORTS_MS);
    producer_check_refused(p);
    if (!ctx->host->stopping(ctx)) return;
    if (!p->give_up_at) p->give_up_at = client_give_up_at(ctx, GIVE_UP_SECONDS);
    if (clock_ns() < p->give_up_at || p->confirmed == p->sent || p->why[0]) return;
    p->gave_up = true;
    snprintf(p->why, sizeof p->why,
             "the run stops, and no broker has confirmed %llu messages; the next run repeats the "
             "messages after the last checkpoint",
             (unsigned long long)(p->sent - p->confirmed));
}

static rd_kafka_resp_err_t try_to_send(struct producer *p, const struct message *m)
{
    return rd_kafka_producev(p->rk, RD_KAFKA_V_TOPIC(m->topic), RD_KAFKA_V_PARTITION(m->partition),
                             RD_KAFKA_V_VALUE((void *)m->value, m->value_len),
                             RD_KAFKA_V_KEY(m->key, m->key_len), RD_KAFKA_V_TIMESTAMP(m->time),
                             RD_KAFKA_V_HEADERS(m->headers),
                             RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
}

rd_kafka_resp_err_t producer_send(struct leat_ctx *ctx, struct producer *p, struct message *m)
{
    rd_kafka_resp_err_t err;
    assert(p->rk && m->topic);
    p->ctx = ctx;
    while ((err = try_to_send(p, m)) == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        await_reports(ctx, p);
        if (p->why[0]) return RD_KAFKA_RESP_ERR__FAIL;
    }
    p->sent += !err;
    return err;
}

void producer_confirm(struct leat_ctx *ctx, struct producer *p)
{
    assert(p->rk);
    p->ctx = ctx;
    while (p->confirmed < p->sent && !p->why[0])
        await_reports(ctx, p);
}
