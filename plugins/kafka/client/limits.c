/* limits.c -- implementation of limits.h. */
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_end.h"
#include "core/time/clock.h"
#include "core/time/utc.h"

enum {
    SLICE_MS = 200,
    ASK_MS = 5000,
    ATTEMPTS = 2,     /* requests without an answer, while brokers can be reached */
    BATCH_BYTES = 61, /* head of a batch in format 2 */
};
#define OLD_NS UINT64_C(60000000000)
#define NEW_NS UINT64_C(1000000000)

/* ---- reading ---- */

static int64_t limits_number(const char *text)
{
    return text ? strtoll(text, NULL, 10) : INT64_MAX;
}

static const char *limits_value(const rd_kafka_ConfigEntry_t **entry, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rd_kafka_ConfigEntry_name(entry[i]), name))
            return rd_kafka_ConfigEntry_value(entry[i]);
    return NULL;
}

/* Returns a limit of times, and sets *name to its name. Kafka before 4.0 has one for both
 * directions, which counts if the other one is not set. */
static int64_t limits_of_time(const rd_kafka_ConfigEntry_t **entry, size_t n, const char **name)
{
    static const char both[] = "message.timestamp.difference.max.ms";
    int64_t ms = limits_number(limits_value(entry, n, *name));
    if (ms != INT64_MAX || !limits_value(entry, n, both)) return ms;
    *name = both;
    return limits_number(limits_value(entry, n, both));
}

static void limits_take_times(struct limits *l, const rd_kafka_ConfigEntry_t **entry, size_t n)
{
    const char *type = limits_value(entry, n, "message.timestamp.type");
    l->before = "message.timestamp.before.max.ms";
    l->after = "message.timestamp.after.max.ms";
    l->before_ms = l->after_ms = INT64_MAX;
    if (type && !strcmp(type, "LogAppendTime")) return; /* the topic ignores our times */
    l->before_ms = limits_of_time(entry, n, &l->before);
    l->after_ms = limits_of_time(entry, n, &l->after);
}

static rd_kafka_resp_err_t limits_take(struct limits *l, rd_kafka_event_t *answer)
{
    size_t n = 0;
    const rd_kafka_DescribeConfigs_result_t *result =
        answer ? rd_kafka_event_DescribeConfigs_result(answer) : NULL;
    if (!result) return RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (rd_kafka_event_error(answer)) return rd_kafka_event_error(answer);
    const rd_kafka_ConfigResource_t **resource =
        rd_kafka_DescribeConfigs_result_resources(result, &n);
    if (n != 1) return RD_KAFKA_RESP_ERR__BAD_MSG;
    if (rd_kafka_ConfigResource_error(resource[0]))
        return rd_kafka_ConfigResource_error(resource[0]);
    const rd_kafka_ConfigEntry_t **entry = rd_kafka_ConfigResource_configs(resource[0], &n);
    const char *policy = limits_value(entry, n, "cleanup.policy");
    l->known = true;
    l->read_at = clock_ns();
    l->needs_key = policy && strstr(policy, "compact");
    l->bytes = limits_number(limits_value(entry, n, "max.message.bytes"));
    limits_take_times(l, entry, n);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_event_t *limits_await(rd_kafka_t *rk, rd_kafka_queue_t *queue, int ms)
{
    rd_kafka_event_t *answer = NULL;
    for (uint64_t until = clock_ns() + (uint64_t)ms * 1000000; !answer && clock_ns() < until;) {
        answer = rd_kafka_queue_poll(queue, SLICE_MS);
        rd_kafka_poll(rk, 0); /* errors of connections */
    }
    return answer;
}

/* Waits for a connection to a broker, at most a moment: a request for limits would not open one
 * again after an outage. Chooses the broker to ask, another one each time, because librdkafka would
 * ask the controller, which may be unknown. */
static rd_kafka_resp_err_t limits_reach(struct limits *l, rd_kafka_t *rk)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_resp_err_t err = rd_kafka_metadata(rk, 0, NULL, &about, SLICE_MS);
    if (!err && !about->broker_cnt) err = RD_KAFKA_RESP_ERR__TRANSPORT;
    if (!err) l->broker = about->brokers[l->asked++ % (unsigned)about->broker_cnt].id;
    if (about) rd_kafka_metadata_destroy(about);
    rd_kafka_poll(rk, 0); /* errors of connections */
    return err;
}

static rd_kafka_resp_err_t limits_ask(struct limits *l, rd_kafka_t *rk, int ms)
{
    char why[200], codec[32] = "";
    size_t n = sizeof codec;
    rd_kafka_conf_get(rd_kafka_conf(rk), "compression.codec", codec, &n);
    l->compresses = strcmp(codec, "none") != 0;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rk);
    rd_kafka_ConfigResource_t *wanted =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, l->topic);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(rk, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_AdminOptions_set_request_timeout(options, ms, why, sizeof why);
    rd_kafka_AdminOptions_set_broker(options, l->broker, why, sizeof why);
    rd_kafka_DescribeConfigs(rk, &wanted, 1, options, queue);
    rd_kafka_event_t *answer = limits_await(rk, queue, ms);
    rd_kafka_resp_err_t err = limits_take(l, answer);
    if (answer) rd_kafka_event_destroy(answer);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ConfigResource_destroy(wanted);
    rd_kafka_queue_destroy(queue);
    return err;
}

rd_kafka_resp_err_t limits_read(struct limits *l, rd_kafka_t *rk, int ms)
{
    rd_kafka_resp_err_t err = limits_reach(l, rk);
    return err ? err : limits_ask(l, rk, ms);
}

static bool limits_may_come(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR__TIMED_OUT || err == RD_KAFKA_RESP_ERR__TRANSPORT ||
           err == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT;
}

/* Opens the producer again if its batches might be longer than the topic's limit. */
static int limits_shorten(struct leat_ctx *ctx, const struct limits *l, struct producer *p,
                          const struct client_cfg *cfg)
{
    char text[24] = "";
    size_t n = sizeof text;
    struct client_cfg shorter = *cfg;
    rd_kafka_conf_get(rd_kafka_conf(p->rk), "batch.size", text, &n);
    if (!l->known || atoll(text) <= l->bytes || p->sent) return LEAT_OK;
    snprintf(text, sizeof text, "%lld", (long long)(l->bytes > 0 ? l->bytes : 1));
    shorter.batch_bytes = text;
    ctx->host->log(ctx, LEAT_DEBUG, "batches of %s have at most %s bytes (max.message.bytes)",
                   l->topic, text);
    producer_close(p);
    return producer_open(ctx, p, &shorter);
}

int limits_fit(struct leat_ctx *ctx, struct limits *l, struct producer *p,
               const struct client_cfg *cfg)
{
    rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR__TIMED_OUT;
    p->ctx = ctx;
    for (int k = 0; limits_may_come(err) && k < ATTEMPTS && !ctx->host->stopping(ctx);) {
        err = limits_reach(l, p->rk);
        producer_check_refused(p);
        if (p->why[0]) return LEAT_OK; /* the caller reports it */
        if (err) continue;
        outage_end(&p->outage);
        err = limits_ask(l, p->rk, ASK_MS);
        k++;
    }
    if (err)
        ctx->host->log(ctx, LEAT_DEBUG, "the limits of topic %s cannot be read: %s", l->topic,
                       rd_kafka_err2str(err));
    return limits_shorten(ctx, l, p, cfg);
}

/* ---- messages ---- */

/* Returns the bytes of a signed number that Kafka writes with 7 bits a byte. */
static size_t limits_varint(size_t n)
{
    size_t bytes = 1;
    for (n *= 2; n > 127; n >>= 7)
        bytes++;
    return bytes;
}

static size_t limits_text_bytes(const void *text, size_t n)
{
    return text ? limits_varint(n) + n : 1;
}

size_t limits_wire_bytes(const struct message *m)
{
    size_t n =
        3 + limits_text_bytes(m->key, m->key_len) + limits_text_bytes(m->value, m->value_len);
    size_t headers = 0, len;
    const char *name;
    const void *value;
    while (m->headers && !rd_kafka_header_get_all(m->headers, headers, &name, &value, &len)) {
        n += limits_text_bytes(name, strlen(name)) + limits_text_bytes(value, len);
        headers++;
    }
    n += limits_varint(headers);
    return BATCH_BYTES + limits_varint(n) + n;
}

enum limits_broken limits_check(const struct limits *l, const struct message *m, int64_t now)
{
    if (!l->known) return LIMITS_NONE;
    if (l->needs_key && !m->key) return LIMITS_KEY;
    if (m->time > 0 && (m->time - now > l->after_ms || now - m->time > l->before_ms))
        return LIMITS_TIME;
    bool near = l->bytes < INT32_MAX && !l->compresses;
    return near && limits_wire_bytes(m) > (size_t)l->bytes ? LIMITS_BYTES : LIMITS_NONE;
}

void limits_refresh(struct limits *l, rd_kafka_t *rk)
{
    if (clock_ns() < l->read_at + NEW_NS) return;
    l->read_at = clock_ns(); /* counts even if the cluster does not answer */
    limits_read(l, rk, ASK_MS);
}

enum limits_broken limits_recheck(struct limits *l, rd_kafka_t *rk, const struct message *m,
                                  int64_t now)
{
    enum limits_broken broken = limits_check(l, m, now);
    if (broken == LIMITS_NONE || clock_ns() < l->read_at + OLD_NS) return broken;
    limits_refresh(l, rk);
    return limits_check(l, m, now);
}

const char *limits_span(int64_t ms, char text[LIMITS_SPAN])
{
    static const struct {
        double ms;
        const char *unit;
    } units[] = {{864e5, "days"}, {36e5, "h"}, {6e4, "min"}, {1e3, "s"}, {1, "ms"}};
    size_t k = 0;
    while (units[k].ms > 1 && (double)ms < (k ? 1 : 2) * units[k].ms)
        k++;
    snprintf(text, LIMITS_SPAN, "%.1f %s", (double)ms / units[k].ms, units[k].unit);
    return text;
}

static void limits_describe_time(const struct limits *l, const struct message *m, int64_t now,
                                 char *text, size_t cap)
{
    char when[UTC_TEXT], span[LIMITS_SPAN], most[LIMITS_SPAN];
    bool ahead = m->time > now;
    uint32_t n = utc_write(when, m->time * 1000000);
    snprintf(text, cap,
             "its time, %.*s, is %s %s now, and topic %s takes at most %s (%s=%lld): set time = "
             "\"now\", or raise this limit of the topic",
             (int)n, when, limits_span(ahead ? m->time - now : now - m->time, span),
             ahead ? "ahead of" : "before", l->topic,
             limits_span(ahead ? l->after_ms : l->before_ms, most), ahead ? l->after : l->before,
             (long long)(ahead ? l->after_ms : l->before_ms));
}

void limits_describe(const struct limits *l, const struct message *m, int64_t now,
                     enum limits_broken broken, char *text, size_t cap)
{
    if (broken == LIMITS_TIME)
        limits_describe_time(l, m, now, text, cap);
    else if (broken == LIMITS_KEY)
        snprintf(text, cap,
                 "it has no key, and topic %s is compacted (cleanup.policy): name a column with "
                 "`key`, or write to a topic that is not compacted",
                 l->topic);
    else
        snprintf(text, cap,
                 "its message needs %zu bytes, and topic %s takes at most %lld "
                 "(max.message.bytes): raise this limit of the topic, or write fewer columns",
                 limits_wire_bytes(m), l->topic, (long long)l->bytes);
}
