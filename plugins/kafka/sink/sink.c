/* sink.c -- sink.kafka: writes records as messages of a Kafka topic.
 *
 * The producer is idempotent (producer.h): while the process lives, each message arrives once and
 * in order. At a barrier the sink waits until the cluster has confirmed every earlier message. So
 * offsets and snapshots never run ahead of the results. After a crash the run sends the messages
 * after the last checkpoint again (at least once). A message that the cluster finally refuses ends
 * the run, so no loss goes unnoticed.
 *
 * With the parameter `transaction`, the messages of a checkpoint are one transaction
 * (transaction.h): exactly once. If the source has a state for each partition, the transaction
 * contains these states. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cells/columns.h"
#include "kafka/client/inquiry.h"
#include "kafka/client/producer.h"
#include "kafka/sink/docs.h"
#include "kafka/states/position.h"
#include "kafka/states/states.h"
#include "transaction.h"

/* ---- headers ----
 *
 * Columns that become headers of messages. Each entry of the parameter is "column", "name=column",
 * or "*" for all headers of the original message. */

struct header {
    const char *name; /* name_len bytes without a NUL; NULL for "*" */
    uint32_t name_len, column;
};

struct headers {
    struct header *v;
    uint32_t n;
};

/* Types of columns that can be keys or headers. */
enum { HEADERS_TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_BYTES };

static const char *sink_column_of(const char *wanted)
{
    const char *eq = strchr(wanted, '=');
    return eq ? eq + 1 : wanted;
}

static bool is_all(const char *wanted) { return !strcmp(wanted, "*"); }

static void headers_negotiate(struct leat_negotiation *n, const struct leat_strings *wanted)
{
    for (uint32_t i = 0; i < wanted->n; i++) {
        uint32_t index;
        const char *name = sink_column_of(wanted->v[i]);
        if (is_all(wanted->v[i])) {
            if (!(n->in->has & LEAT_HAS_HEADERS))
                n->diag->error(n->diag, "headers",
                               "'*' keeps the headers of messages, but no earlier stage makes "
                               "headers: read from source.kafka, or leave '*' out");
        } else if (!*name || *wanted->v[i] == '=')
            n->diag->error(n->diag, "headers",
                           "'%s' must have the form \"column\" or \"name=column\"", wanted->v[i]);
        else
            n->column(n, "headers", name, HEADERS_TAKES, &index);
    }
}

static int headers_open(struct leat_ctx *ctx, struct headers *h, const struct leat_strings *wanted)
{
    if (!wanted->n) return LEAT_OK;
    h->v = ctx->host->alloc(ctx, wanted->n * sizeof *h->v);
    if (!h->v)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u headers",
                               wanted->n);
    h->n = wanted->n;
    for (uint32_t i = 0; i < h->n; i++) {
        const char *text = wanted->v[i];
        h->v[i] = (struct header){
            .name = is_all(text) ? NULL : text,
            .name_len = (uint32_t)strcspn(text, "="),
            .column = is_all(text) ? 0 : columns_known(ctx, sink_column_of(text), HEADERS_TAKES)};
    }
    return LEAT_OK;
}

static void headers_close(struct leat_ctx *ctx, struct headers *h)
{
    ctx->host->free(ctx, h->v);
    *h = (struct headers){0};
}

/* Adds the headers of the original message, except headers that describe a dead letter (leat.*). */
static void add_all(rd_kafka_headers_t *list, const struct leat_batch *b, uint32_t r)
{
    const char *text = leat_text(b, b->headers[r]);
    uint32_t n = b->headers[r].len;
    struct leat_header h;
    while (leat_next_header(&text, &n, &h))
        if (h.n_name < 5 || memcmp(h.name, "leat.", 5) != 0)
            rd_kafka_header_add(list, h.name, h.n_name, h.value, h.value ? (ssize_t)h.n_value : 0);
}

static rd_kafka_headers_t *headers_make(const struct headers *h, const struct leat_batch *b,
                                        uint32_t r)
{
    rd_kafka_headers_t *list = h->n ? rd_kafka_headers_new(h->n) : NULL;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct header *k = &h->v[i];
        if (!k->name) {
            add_all(list, b, r);
            continue;
        }
        struct leat_str cell = b->column[k->column].text[r];
        if (cell.len != LEAT_NULL)
            rd_kafka_header_add(list, k->name, k->name_len, leat_text(b, cell), cell.len);
    }
    return list;
}

/* ---- the sink ---- */

enum { MAX_NAME = 200 };
enum { RAW, JSONL };
enum { TIME_KEPT, TIME_NOW };
static const char *const formats[] = {"raw", "jsonl", NULL};
static const char *const times[] = {"kept", "now", NULL};

struct sink_cfg {
    const char *brokers, *topic, *key, *transaction;
    struct leat_strings columns, headers, properties;
    int64_t max_message;
    int32_t format, time;
};

struct sink {
    struct producer producer;
    struct columns columns;
    struct headers headers;
    struct text_out text;
    uint32_t key; /* column of the key if has_key; otherwise the record's key is used */
    bool has_key;
    struct transaction transaction; /* its id is NULL without transactions */
    struct transaction_states states;
};

static const struct leat_param sink_params[] = {
    CLIENT_TOPIC(offsetof(struct sink_cfg, topic), "topic to write to"),
    CLIENT_BROKERS(offsetof(struct sink_cfg, brokers)),
    LEAT_PARAM(struct sink_cfg, format, LEAT_CHOICE, .choices = formats, .def = "raw",
               .doc = "raw: each record as it arrived; jsonl: an object of its columns"),
    LEAT_PARAM(struct sink_cfg, columns, LEAT_STRINGS,
               .doc = "jsonl: the columns to write, in this order; by default all"),
    LEAT_PARAM(struct sink_cfg, key, LEAT_STRING,
               .doc = "text column that becomes the key of the message: equal keys go to one "
                      "partition; by default the key that the record came with, if any"),
    LEAT_PARAM(struct sink_cfg, time, LEAT_CHOICE, .choices = times, .def = "kept",
               .doc = "time of the message: kept: the time of the record, if it has one; now: the "
                      "time of sending. A topic soon drops messages with old times (retention.ms)"),
    LEAT_PARAM(struct sink_cfg, headers, LEAT_STRINGS,
               .doc =
                   "text columns that become headers of the message: \"column\", or "
                   "\"name=column\" for another name; without a value there is no header; \"*\": "
                   "all headers that the message came with, except those of a dead letter"),
    LEAT_PARAM(struct sink_cfg, transaction, LEAT_STRING,
               .doc = "exactly once: the name of this output (transactional.id), which no other "
                      "run may use; the messages of a checkpoint and their source's offsets become "
                      "one transaction. Needs --state, or a source with state = \"partition\""),
    CLIENT_MAX_MESSAGE(
        offsetof(struct sink_cfg, max_message),
        "longer messages are rejected; the cluster must accept messages of this length "
        "(message.max.bytes)"),
    CLIENT_PROPERTIES(offsetof(struct sink_cfg, properties), "\"compression.codec=zstd\""),
};

/* ---- configuration ---- */

/* Returns the settings of the producer. Messages do not expire, so they wait while no broker can be
 * reached. Only a transaction has a timeout. */
static struct client_cfg sink_client_of(const struct sink_cfg *cfg, const char *transaction_ms)
{
    return (struct client_cfg){.role = CLIENT_PRODUCER,
                               .brokers = cfg->brokers,
                               .properties = &cfg->properties,
                               .message_bytes = cfg->max_message + PRODUCER_OVERHEAD,
                               .message_ms = cfg->transaction ? NULL : "0",
                               .transaction = cfg->transaction,
                               .transaction_ms = cfg->transaction ? transaction_ms : NULL};
}

static int sink_validate(const void *config, struct leat_diag *d)
{
    const struct sink_cfg *cfg = config;
    struct client_cfg client = sink_client_of(cfg, NULL);
    const char *wrong = client_topic_wrong(cfg->topic);
    client_validate(&client, d);
    if (wrong) d->error(d, "topic", "'%s' %s", cfg->topic, wrong);
    if (cfg->transaction && (!*cfg->transaction || strlen(cfg->transaction) > MAX_NAME))
        d->error(d, "transaction", "the name has %zu bytes: it must have 1 to %d",
                 strlen(cfg->transaction), MAX_NAME);
    if (cfg->format == RAW && cfg->columns.n)
        d->error(d, "columns",
                 "has a meaning only with format = \"jsonl\": \"raw\" writes records "
                 "as they arrived");
    return LEAT_OK;
}

static int sink_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct sink_cfg *cfg = config;
    uint32_t index;
    if (cfg->format == JSONL && !(n->in->has & LEAT_HAS_COLUMNS))
        n->diag->error(
            n->diag, "format",
            "\"jsonl\" writes columns, but no earlier stage makes columns: add a parser");
    if (cfg->format == RAW) columns_check_raw(n, "\"jsonl\"");
    columns_ask(n, "columns", &cfg->columns, cfg->format == JSONL, LEAT_TAKES_ANY);
    if (cfg->key) n->column(n, "key", cfg->key, HEADERS_TAKES, &index);
    headers_negotiate(n, &cfg->headers);
    return LEAT_OK;
}

static int sink_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct sink_cfg *cfg = config;
    p->work_bytes = (uint64_t)cfg->max_message + (32 << 20);
    return LEAT_OK;
}

/* Checks the topics with the brokers. With a transaction, also checks that the sink may read its
 * topic: an offset of this topic stores the checkpoint's number. Does not check the right to use
 * the transaction, because that would fence off a running pipeline. */
static int sink_online(struct leat_ctx *ctx, int seconds, struct leat_diag *d)
{
    const struct sink_cfg *cfg = ctx->cfg;
    const char *id = cfg->transaction;
    struct client_cfg client = sink_client_of(cfg, NULL);
    struct inquiry q;
    char group[TRANSACTION_GROUP];
    if (id) transaction_group(id, group);
    int status = inquiry_open(&q, ctx, &client, seconds, d);
    if (status == LEAT_OK) inquiry_topic(&q, "topic", cfg->topic, id != NULL);
    if (status == LEAT_OK && id) inquiry_group(&q, "transaction", group, false);
    if (status == LEAT_OK && id) inquiry_reading(&q);
    inquiry_close(&q);
    return status;
}

/* ---- life ---- */

static void sink_close(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    transaction_close(ctx, &st->transaction);
    transaction_states_close(&st->states);
    producer_close(&st->producer);
    ctx->host->free(ctx, st->text.buf);
    headers_close(ctx, &st->headers);
    columns_close(ctx, &st->columns);
}

/* Called when the buffer st->text is full. Stops the writing, because the buffer is as long as the
 * longest message allowed. */
static int sink_overlong(void *to, const char *bytes, size_t n) { return 1; }

/* Refuses a transaction timeout of at most three checkpoint intervals, because a transaction must
 * not time out before its checkpoint is complete. */
static int check_timeout(struct leat_ctx *ctx, const struct sink *st)
{
    char ms[24] = "";
    size_t n = sizeof ms;
    rd_kafka_conf_get(rd_kafka_conf(st->producer.rk), "transaction.timeout.ms", ms, &n);
    if (!st->transaction.id || atoll(ms) * 1000000 > 3 * ctx->checkpoint_ns) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG,
                           "properties: transaction.timeout.ms=%s is too short: set more than "
                           "three times the interval of checkpoints (--every %g s)",
                           ms, (double)ctx->checkpoint_ns / 1e9);
}

static int connect_to(struct leat_ctx *ctx, struct sink *st)
{
    char ms[24];
    const struct sink_cfg *cfg = ctx->cfg;
    snprintf(ms, sizeof ms, "%lld", (long long)transaction_timeout_ms(ctx->checkpoint_ns));
    struct client_cfg client = sink_client_of(cfg, ms);
    int status = producer_open(ctx, &st->producer, &client);
    st->transaction = (struct transaction){.rk = st->producer.rk,
                                           .outage = &st->producer.outage,
                                           .id = cfg->transaction,
                                           .topic = cfg->topic};
    return status == LEAT_OK ? check_timeout(ctx, st) : status;
}

static int sink_open(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    const struct sink_cfg *cfg = ctx->cfg;
    size_t cap = (size_t)cfg->max_message;
    int status =
        columns_open(ctx, &st->columns, &cfg->columns, cfg->format == JSONL, LEAT_TAKES_ANY);
    if (status < 0) return status;
    char *buf = ctx->host->alloc(ctx, cap + STATES_HEADER);
    st->text = (struct text_out){.buf = buf, .cap = cap, .drain = sink_overlong};
    st->has_key = cfg->key != NULL;
    if (st->has_key) st->key = columns_known(ctx, cfg->key, HEADERS_TAKES);
    status = buf ? headers_open(ctx, &st->headers, &cfg->headers)
                 : ctx->host->fail(ctx, LEAT_ENOMEM,
                                   "there is not enough memory for a message of %zu bytes", cap);
    if (status == LEAT_OK) status = connect_to(ctx, st);
    if (status < 0) sink_close(ctx, st);
    return status;
}

/* ---- messages ---- */

/* Checks whether all messages can be delivered. If not, aborts the transaction. Fails the run
 * instead if there is no transaction, or if a stopping run gets no answer. */
static int sink_check_producer(struct leat_ctx *ctx, struct sink *st)
{
    const struct producer *p = &st->producer;
    if (!p->why[0]) return LEAT_OK;
    return st->transaction.id && !p->gave_up ? transaction_abort(ctx, &st->transaction, p->why)
                                             : ctx->host->fail(ctx, LEAT_EIO, "%s", p->why);
}

/* Writes the message of record r into the buffer st->text. */
static void sink_write_record(struct sink *st, const struct sink_cfg *cfg,
                              const struct leat_batch *b, uint32_t r)
{
    struct text_out *o = &st->text;
    o->n = 0;
    o->failed = 0;
    if (cfg->format == RAW) {
        text_bytes(o, leat_text(b, b->raw[r]), b->raw[r].len);
        return;
    }
    columns_object(o, &st->columns, b, r);
}

static struct leat_str sink_key_of(const struct sink *st, const struct leat_batch *b, uint32_t r)
{
    if (st->has_key) return b->column[st->key].text[r];
    return b->key ? b->key[r] : (struct leat_str){0, LEAT_NULL};
}

/* Makes the message of record r. The message points into the batch and st->text. */
static struct message make_message(struct sink *st, const struct sink_cfg *cfg,
                                   const struct leat_batch *b, uint32_t r)
{
    sink_write_record(st, cfg, b, r);
    bool is_null = cfg->format == RAW && leat_is_tombstone(b, r);
    struct message m = {.topic = cfg->topic,
                        .partition = RD_KAFKA_PARTITION_UA,
                        .value = is_null ? NULL : st->text.buf,
                        .value_len = st->text.n};
    struct leat_str key = sink_key_of(st, b, r);
    if (key.len != LEAT_NULL) m.key = leat_text(b, key), m.key_len = key.len;
    if (b->timestamp && b->timestamp[r] > 0 && cfg->time == TIME_KEPT)
        m.time = b->timestamp[r] / 1000000;
    m.headers = headers_make(&st->headers, b, r);
    return m;
}

/* Rejects record r, because its message is too long. If the message overflowed the buffer, the
 * report does not show its length, which is unknown. */
static void reject_overlong(struct leat_ctx *ctx, const struct sink *st, struct leat_batch *b,
                            uint32_t r, const struct message *m)
{
    long long max = (long long)((const struct sink_cfg *)ctx->cfg)->max_message;
    if (st->text.failed)
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "the message would have more than max_message = %lld bytes", max);
    else
        ctx->host->reject(
            ctx, b, r, LEAT_R_TOO_LARGE,
            "the message has %zu bytes with its key and without its headers, more than "
            "max_message = %lld",
            m->value_len + m->key_len, max);
}

static int send_record(struct leat_ctx *ctx, struct sink *st, struct leat_batch *b, uint32_t r)
{
    const struct sink_cfg *cfg = ctx->cfg;
    struct message m = make_message(st, cfg, b, r);
    rd_kafka_resp_err_t err = st->text.failed ? RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
                                              : producer_send(ctx, &st->producer, &m);
    if (!err) return LEAT_OK;
    if (m.headers) rd_kafka_headers_destroy(m.headers);
    if (err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
        reject_overlong(ctx, st, b, r, &m);
        return LEAT_OK;
    }
    char *why = st->producer.why;
    if (!why[0])
        snprintf(why, sizeof st->producer.why, "cannot send to %s: %s", cfg->topic,
                 rd_kafka_err2str(err));
    return sink_check_producer(ctx, st);
}

static int sink_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sink *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        int status = send_record(ctx, st, b, r);
        if (status < 0) return status;
    }
    rd_kafka_poll(st->producer.rk, 0);
    return sink_check_producer(ctx, st);
}

/* Waits until the cluster has confirmed all messages. */
static int confirm(struct leat_ctx *ctx, struct sink *st)
{
    producer_confirm(ctx, &st->producer);
    return sink_check_producer(ctx, st);
}

static int sink_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return confirm(ctx, self);
}

/* ---- exactly once ---- */

static const char *transaction(const void *cfg)
{
    return ((const struct sink_cfg *)cfg)->transaction;
}

static const char *const accepts[] = {POSITION_FORMAT, NULL};

static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    struct sink *st = self;
    st->producer.ctx = ctx;
    return transaction_recover(ctx, &st->transaction, checkpoint);
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *positions, uint32_t n)
{
    struct sink *st = self;
    st->producer.ctx = ctx;
    int status = transaction_states_send(ctx, &st->states, &st->producer, checkpoint, positions, n,
                                         st->text.buf, st->text.cap);
    if (status == LEAT_OK) status = confirm(ctx, st);
    if (status == LEAT_OK) ctx->host->fault(ctx, "transaction_states_sent");
    if (status == LEAT_OK)
        status = transaction_commit(ctx, &st->transaction, checkpoint, positions, n);
    ctx->host->metric(ctx, "transactions", (double)st->transaction.n);
    return status;
}

static int sink_stop(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    int status = confirm(ctx, st);
    ctx->host->metric(ctx, "delivered", (double)(st->producer.confirmed - st->states.sent));
    return status;
}

static const struct leat_figure sink_figures[] = {
    {"transactions", "transactions", "transactions that were committed", LEAT_COUNTER},
    {"delivered", "records", "messages that the cluster has confirmed", LEAT_COUNTER},
};

const struct leat_stage sink_kafka = {
    .name = "sink.kafka",
    .summary = "writes records to a Kafka topic",
    .doc = sink_doc,
    .example =
        "leat.sink.kafka { \"late\", brokers = \"localhost:9092\", format = \"jsonl\", key = "
        "\"carrier\" }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(sink_params, struct sink_cfg),
    LEAT_FIGURES(sink_figures),
    LEAT_INSTANCE(struct sink, sink_open, sink_close),
    .validate = sink_validate,
    .negotiate = sink_negotiate,
    .plan = sink_plan,
    .process = sink_process,
    .barrier = sink_barrier,
    .stop = sink_stop,
    .online = sink_online,
    .transaction = LEAT_ROLE(leat_transaction, .name = transaction, .fence = fence,
                             .commit = commit, .accepts = accepts),
};
