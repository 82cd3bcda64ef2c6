/* producer.c -- see producer.h. */
#include "producer.h"

#include <stdio.h>
#include <time.h>

#include "client.h"

enum { REPORTS_MS = 200, LAST_SECONDS = 10 };

static const char *const ours[] = {"bootstrap.servers",
                                   "message.max.bytes",
                                   "enable.idempotence",
                                   "acks",
                                   "request.required.acks",
                                   "transactional.id",
                                   NULL};

bool producer_configure(rd_kafka_conf_t *conf, const char *brokers, int64_t max_message,
                        const struct leat_strings *properties, char *why, size_t cap)
{
    char most[24];
    snprintf(most, sizeof most, "%lld", (long long)max_message + 4096);
    bool good = client_set(conf, "bootstrap.servers", brokers, why, cap);
    good = good && client_set(conf, "message.max.bytes", most, why, cap);
    good = good && client_set(conf, "linger.ms", "5", why, cap);
    good = good && client_set(conf, "queue.buffering.max.kbytes", "32768", why, cap);
    good = good && client_set(conf, "enable.idempotence", "true", why, cap);
    good = good && client_set(conf, "acks", "all", why, cap);
    good = good && client_set(conf, "partitioner", "murmur2_random", why, cap);
    return good && client_set_all(conf, properties, ours, why, cap);
}

/* ---- what librdkafka tells ---- */

static bool no_topic(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

static void on_delivered(rd_kafka_t *rk, const rd_kafka_message_t *m, void *opaque)
{
    struct producer *p = opaque;
    (void)rk;
    p->confirmed++;
    if (m->err && !p->why[0])
        snprintf(p->why, sizeof p->why, "a message of %zu bytes could not be delivered to %s: %s%s",
                 m->len, rd_kafka_topic_name(m->rkt), rd_kafka_err2str(m->err),
                 no_topic(m->err) ? "; the cluster makes no topics by itself: make it first" : "");
}

static void on_error(rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
    struct producer *p = opaque;
    (void)rk;
    if (err == RD_KAFKA_RESP_ERR__FATAL && !p->why[0])
        snprintf(p->why, sizeof p->why, "%s", reason);
    if (err != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || p->down) return;
    p->down = true;
    p->ctx->host->log(p->ctx, LEAT_WARN, "no broker can be reached; waiting for one");
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk, (void)level, (void)facility, (void)text; /* what matters comes as an error */
}

/* ---- life ---- */

int producer_open(struct leat_ctx *ctx, struct producer *p, rd_kafka_conf_t *conf)
{
    char why[500] = "";
    p->ctx = ctx;
    rd_kafka_conf_set_opaque(conf, p);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivered);
    rd_kafka_conf_set_error_cb(conf, on_error);
    rd_kafka_conf_set_log_cb(conf, on_log);
    p->rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    if (p->rk) return LEAT_OK;
    rd_kafka_conf_destroy(conf);
    return ctx->host->fail(ctx, LEAT_EIO, "%s", why);
}

void producer_close(struct producer *p)
{
    if (p->rk) client_destroy(p->rk, 0);
    p->rk = NULL;
}

/* ---- messages ---- */

/* Waits for reports; of a run that is to stop, some seconds in all. */
static void await_reports(struct leat_ctx *ctx, struct producer *p)
{
    struct timespec t;
    rd_kafka_poll(p->rk, REPORTS_MS);
    if (!ctx->host->stopping(ctx)) return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (!p->give_up) p->give_up = t.tv_sec + LAST_SECONDS;
    if (t.tv_sec < p->give_up || p->confirmed == p->sent || p->why[0]) return;
    p->gave_up = true;
    snprintf(p->why, sizeof p->why,
             "stopped with %llu messages that no broker has confirmed; what came after the last "
             "checkpoint is sent again next time",
             (unsigned long long)(p->sent - p->confirmed));
}

static rd_kafka_resp_err_t offer(struct producer *p, const struct message *m)
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
    p->ctx = ctx;
    while ((err = offer(p, m)) == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        await_reports(ctx, p);
        if (p->why[0]) return RD_KAFKA_RESP_ERR__FAIL;
    }
    p->sent += !err;
    return err;
}

void producer_confirm(struct leat_ctx *ctx, struct producer *p)
{
    p->ctx = ctx;
    while (p->confirmed < p->sent && !p->why[0])
        await_reports(ctx, p);
}
