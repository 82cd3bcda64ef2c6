/* dead_letters.c -- sink.dead_letters: writes rejected records as messages of a Kafka topic.
 *
 * A message is the record as it arrived, with its key if it had one. So a source can read the topic
 * of dead letters like the original topic. Headers of the message have the reason, the record's
 * time and its origin. The time of the message is the time of sending, because a topic may refuse
 * the record's time.
 *
 * flush() waits until the cluster has confirmed all dead letters of a checkpoint. So a dead letter
 * is safe before the group commits the record's offset or a snapshot includes the record. After a
 * crash, the dead letters that came after the last checkpoint are sent again. Accepted records pass
 * unchanged. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka/client/inquiry.h"
#include "kafka/client/limits.h"
#include "kafka/client/producer.h"
#include "kafka/sink/docs.h"

struct dead_letters_cfg {
    const char *brokers, *topic;
    struct leat_strings properties;
    int64_t max_message;
};

struct dead_letters_sink {
    struct producer producer;
    struct limits limits;
    bool fitted; /* limits_fit was called */
};

static const struct leat_param dead_letters_params[] = {
    CLIENT_TOPIC(offsetof(struct dead_letters_cfg, topic), "topic to write to"),
    CLIENT_BROKERS(offsetof(struct dead_letters_cfg, brokers)),
    CLIENT_MAX_MESSAGE(
        offsetof(struct dead_letters_cfg, max_message),
        "longer records are cut to this length and get the header leat.cut; the cluster must "
        "accept messages of this length (message.max.bytes)"),
    CLIENT_PROPERTIES(offsetof(struct dead_letters_cfg, properties), "\"compression.codec=zstd\""),
};

/* Returns the settings of the producer. Messages do not expire, so they wait while no broker can be
 * reached. */
static struct client_cfg dead_letters_client_of(const struct dead_letters_cfg *cfg)
{
    return (struct client_cfg){.role = CLIENT_PRODUCER,
                               .brokers = cfg->brokers,
                               .properties = &cfg->properties,
                               .message_bytes = cfg->max_message + PRODUCER_OVERHEAD,
                               .message_ms = "0"};
}

static int dead_letters_validate(const void *config, struct leat_diag *d)
{
    const struct dead_letters_cfg *cfg = config;
    struct client_cfg client = dead_letters_client_of(cfg);
    const char *wrong = client_topic_wrong(cfg->topic);
    client_validate(&client, d);
    if (wrong) d->error(d, "topic", "'%s' %s", cfg->topic, wrong);
    return LEAT_OK;
}

static int dead_letters_online(struct leat_ctx *ctx, int seconds, struct leat_diag *d)
{
    const struct dead_letters_cfg *cfg = ctx->cfg;
    struct client_cfg client = dead_letters_client_of(cfg);
    const struct inquiry_sink sends = {.topic = cfg->topic,
                                       .max_message = cfg->max_message,
                                       .has_keys = ctx->in->has & LEAT_HAS_KEY};
    struct inquiry q;
    int status = inquiry_open(&q, ctx, &client, seconds, d);
    if (status == LEAT_OK) inquiry_topic(&q, "topic", cfg->topic, false);
    if (status == LEAT_OK) inquiry_limits(&q, &sends);
    inquiry_close(&q);
    return status;
}

static int dead_letters_plan(const void *config, const struct leat_schema *in,
                             const struct leat_schema *out, struct leat_plan *p)
{
    p->work_bytes = 32 << 20;
    return LEAT_OK;
}

static int dead_letters_open(struct leat_ctx *ctx, void *self)
{
    struct dead_letters_sink *st = self;
    const struct dead_letters_cfg *cfg = ctx->cfg;
    struct client_cfg client = dead_letters_client_of(cfg);
    st->limits = (struct limits){.topic = cfg->topic};
    return producer_open(ctx, &st->producer, &client);
}

static void dead_letters_close(struct leat_ctx *ctx, void *self)
{
    struct dead_letters_sink *st = self;
    producer_close(&st->producer);
}

/* ---- dead letters ---- */

static void dead_letters_add_header(rd_kafka_headers_t *to, const char *name, const char *text,
                                    size_t n)
{
    rd_kafka_header_add(to, name, -1, text, (ssize_t)n);
}

static void dead_letters_add_number(rd_kafka_headers_t *to, const char *name, uint64_t number)
{
    char text[24];
    dead_letters_add_header(
        to, name, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)number));
}

static bool header_is(const struct leat_header *h, const char *name)
{
    return h->n_name == strlen(name) && !memcmp(h->name, name, h->n_name) && h->value;
}

static bool is_of_dead_letter(const struct leat_header *h)
{
    return h->n_name >= 5 && !memcmp(h->name, "leat.", 5);
}

/* Returns a header's value as a number; 0 if the value is not a number. */
static unsigned long long header_number(const struct leat_header *h)
{
    char digits[20] = "";
    if (h->n_value < sizeof digits) memcpy(digits, h->value, h->n_value);
    return strtoull(digits, NULL, 10);
}

/* Adds the headers leat.origin, the input and offset where the record was first rejected, and
 * leat.time, the time that it had then. */
static void add_origin(rd_kafka_headers_t *to, const struct leat_dead_letter *l)
{
    char text[400];
    int n = snprintf(text, sizeof text, "%.360s:%llu", l->input, (unsigned long long)l->offset);
    dead_letters_add_header(to, "leat.origin", text, (size_t)n);
    if (l->timestamp > 0)
        dead_letters_add_number(to, "leat.time", (uint64_t)l->timestamp / 1000000);
}

/* Adds the headers of the message. If the record is itself a dead letter, replaces the headers that
 * describe it, but keeps leat.origin and leat.time, and adds 1 to leat.attempt. */
static void add_own(rd_kafka_headers_t *to, const struct leat_dead_letter *l)
{
    const char *text = l->headers;
    uint32_t n = l->n_headers;
    struct leat_header h;
    unsigned long long attempt = 0;
    while (leat_next_header(&text, &n, &h)) {
        if (header_is(&h, "leat.attempt")) attempt = header_number(&h);
        if (!is_of_dead_letter(&h))
            rd_kafka_header_add(to, h.name, h.n_name, h.value, h.value ? (ssize_t)h.n_value : 0);
        else if (header_is(&h, "leat.origin") || header_is(&h, "leat.time"))
            rd_kafka_header_add(to, h.name, h.n_name, h.value, (ssize_t)h.n_value);
    }
    if (!attempt) add_origin(to, l);
    dead_letters_add_number(to, "leat.attempt", attempt + 1);
}

static rd_kafka_headers_t *make_headers(const struct leat_dead_letter *l, int cut)
{
    rd_kafka_headers_t *h = rd_kafka_headers_new(8);
    add_own(h, l);
    dead_letters_add_header(h, "leat.pipeline", l->pipeline, strlen(l->pipeline));
    dead_letters_add_header(h, "leat.stage", l->stage, strlen(l->stage));
    dead_letters_add_header(h, "leat.reason", l->reason, strlen(l->reason));
    dead_letters_add_header(h, "leat.message", l->message, l->n_message);
    dead_letters_add_header(h, "leat.input", l->input, strlen(l->input));
    dead_letters_add_number(h, "leat.offset", l->offset);
    if (l->line) dead_letters_add_number(h, "leat.line", l->line);
    if (cut) dead_letters_add_header(h, "leat.cut", "1", 1);
    return h;
}

static int dead_letters_check_producer(struct leat_ctx *ctx, const struct dead_letters_sink *st)
{
    return st->producer.why[0] ? ctx->host->fail(ctx, LEAT_EIO, "%s", st->producer.why) : LEAT_OK;
}

/* Reads the limits of the topic, once. */
static int fit_dead_letters(struct leat_ctx *ctx, struct dead_letters_sink *st)
{
    struct client_cfg client = dead_letters_client_of(ctx->cfg);
    if (st->fitted) return LEAT_OK;
    st->fitted = true;
    int status = limits_fit(ctx, &st->limits, &st->producer, &client);
    return status == LEAT_OK ? dead_letters_check_producer(ctx, st) : status;
}

/* Makes the headers. Cuts the record if the topic would refuse the message as too long. */
static void cut_dead_letter(const struct limits *limits, const struct leat_dead_letter *l,
                            struct message *m, bool cut)
{
    m->headers = make_headers(l, cut);
    if (!limits->known || limits_wire_bytes(m) <= (size_t)limits->bytes) return;
    rd_kafka_headers_destroy(m->headers);
    m->headers = make_headers(l, true);
    size_t over = limits_wire_bytes(m) - (size_t)limits->bytes;
    m->value_len -= over < m->value_len ? over : m->value_len;
}

/* Makes the message of a dead letter. Leaves out a key that is longer than half of max_message. */
static struct message make_dead_letter(const struct leat_ctx *ctx, const struct limits *limits,
                                       const struct leat_dead_letter *l)
{
    const struct dead_letters_cfg *cfg = ctx->cfg;
    size_t max = (size_t)cfg->max_message;
    struct message m = {.topic = cfg->topic,
                        .partition = RD_KAFKA_PARTITION_UA,
                        .value = l->record,
                        .value_len = l->n_record};
    if (l->n_key <= max / 2) m.key = l->key, m.key_len = l->n_key;
    bool cut = l->cut || m.value_len > max - m.key_len;
    if (m.value_len > max - m.key_len) m.value_len = max - m.key_len;
    cut_dead_letter(limits, l, &m, cut);
    return m;
}

static int send_dead_letter(struct leat_ctx *ctx, void *self, const struct leat_dead_letter *l)
{
    struct dead_letters_sink *st = self;
    int status = fit_dead_letters(ctx, st);
    if (status != LEAT_OK) return status;
    struct message m = make_dead_letter(ctx, &st->limits, l);
    rd_kafka_resp_err_t err = producer_send(ctx, &st->producer, &m);
    if (err) rd_kafka_headers_destroy(m.headers);
    if (err && !st->producer.why[0])
        snprintf(st->producer.why, sizeof st->producer.why, "cannot send to %s: %s",
                 st->limits.topic, rd_kafka_err2str(err));
    rd_kafka_poll(st->producer.rk, 0);
    return dead_letters_check_producer(ctx, st);
}

static int flush_dead_letters(struct leat_ctx *ctx, void *self)
{
    struct dead_letters_sink *st = self;
    producer_confirm(ctx, &st->producer);
    ctx->host->metric(ctx, "delivered", (double)st->producer.confirmed);
    return dead_letters_check_producer(ctx, st);
}

static const struct leat_figure dead_letters_figures[] = {
    {"delivered", "records", "dead letters that the cluster confirmed", LEAT_COUNTER},
};

const struct leat_stage sink_dead_letters = {
    .name = "sink.dead_letters",
    .summary = "sends rejected records to a Kafka topic, with the cause in headers",
    .doc = dead_letters_doc,
    .example = "leat.sink.dead_letters { \"payments.dead\", brokers = \"localhost:9092\" }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(dead_letters_params, struct dead_letters_cfg),
    LEAT_FIGURES(dead_letters_figures),
    LEAT_INSTANCE(struct dead_letters_sink, dead_letters_open, dead_letters_close),
    .validate = dead_letters_validate,
    .plan = dead_letters_plan,
    .online = dead_letters_online,
    .letters = LEAT_ROLE(leat_letters, .take = send_dead_letter, .flush = flush_dead_letters),
};
