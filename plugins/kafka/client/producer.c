/* producer.c -- implementation of producer.h. */
#include "producer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "client_end.h"

enum { REPORTS_MS = 200, GIVE_UP_SECONDS = 10 };

/* ---- refused messages ---- */

static void refused_append(struct refused_list *list, struct refused *x)
{
    x->next = NULL;
    if (list->last) list->last->next = x;
    if (!list->last) list->first = x;
    list->last = x;
    list->n++;
}

static struct refused *refused_pop(struct refused_list *list)
{
    struct refused *x = list->first;
    list->first = x->next;
    if (!list->first) list->last = NULL;
    list->n--;
    return x;
}

/* Appends the messages of `more`. */
static void refused_join(struct refused_list *list, const struct refused_list *more)
{
    if (!more->n) return;
    if (list->last) list->last->next = more->first;
    if (!list->last) list->first = more->first;
    list->last = more->last;
    list->n += more->n;
}

static void refused_free(struct refused *x)
{
    if (x->message.headers) rd_kafka_headers_destroy(x->message.headers);
    free(x);
}

/* Copies a message of a delivery report, and takes its headers. Returns false if there is no
 * memory. */
static bool refused_add(struct producer *p, const rd_kafka_message_t *m)
{
    struct pending *pending = m->_private;
    struct refused *x = malloc(sizeof *x + m->len + m->key_len);
    if (!x) return false;
    char *value = x->text, *key = value + m->len;
    *x = (struct refused){.err = m->err,
                          .message = {.topic = rd_kafka_topic_name(m->rkt),
                                      .partition = m->partition,
                                      .value = m->payload ? value : NULL,
                                      .value_len = m->len,
                                      .key = m->key ? key : NULL,
                                      .key_len = m->key_len,
                                      .time = pending->time,
                                      .pending = pending}};
    if (m->len) memcpy(value, m->payload, m->len); /* after *x, whose padding the texts begin in */
    if (m->key_len) memcpy(key, m->key, m->key_len);
    rd_kafka_message_detach_headers((rd_kafka_message_t *)m, &x->message.headers);
    refused_append(&p->refused, x);
    return true;
}

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

/* True if the cluster refuses the message itself, or one that was sent together with it. */
static bool producer_is_refusal(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP || err == RD_KAFKA_RESP_ERR_INVALID_RECORD ||
           err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
           err == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE ||
           err == RD_KAFKA_RESP_ERR_POLICY_VIOLATION;
}

static void on_delivered(rd_kafka_t *rk, const rd_kafka_message_t *m, void *self)
{
    struct producer *p = self;
    p->reported++;
    p->confirmed += !m->err;
    if (!m->err) outage_end(&p->outage);
    if (m->_private && producer_is_refusal(m->err) && refused_add(p, m)) return;
    if (m->_private) kept_drop(&p->kept, m->_private);
    if (producer_is_refusal(m->err)) p->refusal = m->err;
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
    while (p->refused.n)
        refused_free(refused_pop(&p->refused));
    kept_free(&p->kept);
}

void producer_check_refused(struct producer *p)
{
    if (!p->why[0] && outage_is_final(&p->outage, p->rk))
        snprintf(p->why, sizeof p->why, "all brokers refuse this client: %s", p->outage.reason);
}

/* ---- messages ---- */

/* Tells the host whether the producer waits for a broker. */
static void producer_tell_wait(struct leat_ctx *ctx, struct producer *p, bool waits)
{
    char text[500];
    if (waits == p->waits) return;
    p->waits = waits;
    snprintf(text, sizeof text, "no broker can be reached: %s", p->outage.reason);
    ctx->host->waits(ctx, waits ? text : NULL);
}

/* Waits for delivery reports. If it `hurries`, batches do not wait for more messages. Once the run
 * is stopping, all calls together wait for some seconds at most. */
static void await_reports(struct leat_ctx *ctx, struct producer *p, bool hurries)
{
    if (hurries)
        rd_kafka_flush(p->rk, REPORTS_MS);
    else
        rd_kafka_poll(p->rk, REPORTS_MS);
    producer_check_refused(p);
    producer_tell_wait(ctx, p, p->outage.down);
    if (!ctx->host->stopping(ctx)) return;
    if (!p->give_up_at) p->give_up_at = client_give_up_at(ctx, GIVE_UP_SECONDS);
    if (clock_ns() < p->give_up_at || p->reported == p->sent || p->why[0]) return;
    p->gave_up = true;
    snprintf(p->why, sizeof p->why,
             "the run stops, and no broker has confirmed %llu messages; the next run repeats the "
             "messages after the last checkpoint",
             (unsigned long long)(p->sent - p->reported));
}

static rd_kafka_resp_err_t try_to_send(struct producer *p, const struct message *m)
{
    return rd_kafka_producev(p->rk, RD_KAFKA_V_TOPIC(m->topic), RD_KAFKA_V_PARTITION(m->partition),
                             RD_KAFKA_V_VALUE((void *)m->value, m->value_len),
                             RD_KAFKA_V_KEY(m->key, m->key_len), RD_KAFKA_V_TIMESTAMP(m->time),
                             RD_KAFKA_V_HEADERS(m->headers), RD_KAFKA_V_OPAQUE(m->pending),
                             RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
}

rd_kafka_resp_err_t producer_send(struct leat_ctx *ctx, struct producer *p, struct message *m)
{
    rd_kafka_resp_err_t err;
    assert(p->rk && m->topic);
    p->ctx = ctx;
    while ((err = try_to_send(p, m)) == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        await_reports(ctx, p, false);
        if (p->why[0]) return RD_KAFKA_RESP_ERR__FAIL;
    }
    if (m->pending) m->pending->time = m->time;
    p->sent += !err;
    return err;
}

static void await_all(struct leat_ctx *ctx, struct producer *p)
{
    while (p->reported < p->sent && !p->why[0])
        await_reports(ctx, p, true);
}

/* Sends the first n refused messages again, together, and waits for the answers. Then only those
 * that are refused again are in p->refused. Returns the other ones. */
static struct refused_list send_refused(struct leat_ctx *ctx, struct producer *p, size_t n)
{
    struct refused_list rest = p->refused;
    p->refused = (struct refused_list){0};
    for (; n && rest.n && !p->why[0]; n--) {
        struct refused *x = refused_pop(&rest);
        rd_kafka_resp_err_t err = producer_send(ctx, p, &x->message);
        if (!err) x->message.headers = NULL; /* the client has them now */
        if (err && !p->why[0])
            snprintf(p->why, sizeof p->why, "cannot send to %s again: %s", x->message.topic,
                     rd_kafka_err2str(err));
        refused_free(x);
    }
    await_all(ctx, p);
    return rest;
}

/* Finds the bad ones among the refused messages, and sends the others. Halves the part that is sent
 * together after a refusal, and doubles it after success. */
static void settle_refused(struct leat_ctx *ctx, struct producer *p)
{
    size_t part = (p->refused.n + 1) / 2;
    while (p->refused.n && !p->why[0]) {
        struct refused_list rest = send_refused(ctx, p, part);
        size_t again = p->refused.n;
        if (again && part == 1) {
            struct refused *x = refused_pop(&p->refused);
            p->on_refused(ctx, p, x->message.pending->record, &x->message, x->err);
            kept_drop(&p->kept, x->message.pending);
            refused_free(x);
        }
        part = !again ? 2 * part : again < 4 ? 1 : again / 2;
        refused_join(&p->refused, &rest);
    }
}

void producer_confirm(struct leat_ctx *ctx, struct producer *p)
{
    assert(p->rk);
    p->ctx = ctx;
    await_all(ctx, p);
    if (p->refused.n) settle_refused(ctx, p);
    producer_tell_wait(ctx, p, false);
}

/* Waits until `bytes` more may be kept. */
static void producer_await_room(struct leat_ctx *ctx, struct producer *p, size_t bytes)
{
    while (p->kept.n && p->kept.bytes + bytes > PRODUCER_KEPT && !p->why[0])
        if (p->reported < p->sent)
            await_reports(ctx, p, false);
        else
            producer_confirm(ctx, p);
}

struct pending *producer_keep(struct leat_ctx *ctx, struct producer *p, const struct leat_batch *b,
                              uint32_t r)
{
    size_t room, bytes;
    p->ctx = ctx;
    struct pending *pending = kept_next(&p->kept, &room);
    bytes = ctx->host->keep(ctx, b, r, pending ? pending->record : NULL, room);
    if (bytes > room) {
        producer_await_room(ctx, p, kept_growth(bytes));
        if (p->why[0] || !kept_grow(&p->kept, bytes)) return NULL;
        pending = kept_next(&p->kept, &room);
        ctx->host->keep(ctx, b, r, pending->record, room);
    }
    kept_take(&p->kept, pending, bytes);
    return pending;
}

void producer_drop(struct producer *p, struct pending *pending)
{
    if (pending) kept_drop(&p->kept, pending);
}

void producer_poll(struct leat_ctx *ctx, struct producer *p)
{
    rd_kafka_poll(p->rk, 0);
    if (p->refused.n) producer_confirm(ctx, p);
}
