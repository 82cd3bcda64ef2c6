/* sink.c -- sink.kafka: writes records as messages of a Kafka topic.
 *
 * The producer is idempotent (producer.h): while the process lives, each message arrives once and
 * in order. At a barrier the sink waits until the cluster has confirmed every earlier message. So
 * offsets and snapshots never run ahead of the results. After a crash the run sends the messages
 * after the last checkpoint again (at least once). A record that the topic refuses is rejected:
 * before it is sent if its limits show that (limits.h), else when the cluster has refused it
 * (producer.h). Any other final error ends the run, so no loss goes unnoticed.
 *
 * With the parameter `transaction`, the messages of a checkpoint are one transaction
 * (transaction.h): exactly once. If the source has a state for each partition, the transaction
 * contains these states. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cells/columns.h"
#include "core/time/clock.h"
#include "kafka/client/inquiry.h"
#include "kafka/client/limits.h"
#include "kafka/client/producer.h"
#include "kafka/sink/docs.h"
#include "kafka/states/position.h"
#include "kafka/states/states.h"
#include "encoder.h"
#include "headers.h"
#include "transaction.h"
#include "trial.h"

/* ---- the sink ---- */

enum { MAX_NAME = 200 };
enum { TIME_KEPT, TIME_NOW };
static const char *const times[] = {"kept", "now", NULL};

struct sink_cfg {
    const char *brokers, *topic, *key, *transaction;
    struct leat_strings columns, headers, properties;
    struct encoder_cfg encoder;
    int64_t max_message;
    int32_t time;
};

struct sink {
    const struct sink_cfg *cfg;
    struct producer producer;
    struct limits limits;
    bool fitted;            /* limits_fit was called                      */
    bool requested;         /* the first commit was requested             */
    int64_t now_ms;         /* time of the present batch, ms since 1970   */
    struct columns columns; /* jsonl */
    struct encoder encoder; /* formats with a schema */
    struct headers headers;
    struct text_out text;
    uint32_t key; /* column of the key if has_key; otherwise the record's key is used */
    bool has_key;
    struct transaction transaction; /* its id is NULL without transactions */
    struct transaction_states states;
    struct trial trial;
};

/* True once the cluster has refused a message of a transaction: each batch is tried first
 * (trial.h). Outlives a rollback, which opens the sink again. */
static _Atomic bool sink_tries;

static const struct leat_param sink_params[] = {
    CLIENT_TOPIC(offsetof(struct sink_cfg, topic), "topic to write to"),
    CLIENT_BROKERS(offsetof(struct sink_cfg, brokers)),
    LEAT_PARAM_AS("format", struct sink_cfg, encoder.format, LEAT_CHOICE,
                  .choices = encoder_formats, .def = "raw",
                  .doc = "raw: each record as it arrived; jsonl: an object of its columns; avro: a "
                         "record of Avro with its columns, whose schema a Schema Registry knows; "
                         "json_schema, protobuf: JSON and Protocol Buffers with such a schema"),
    LEAT_PARAM(struct sink_cfg, columns, LEAT_STRINGS,
               .doc = "the columns to write, in this order; by default all. With a schema also "
                      "\"field=column\", for another name in the message"),
    ENCODER_PARAMS(struct sink_cfg, encoder),
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
                               .linger_ms = cfg->transaction ? TRANSACTION_LINGER_MS : NULL,
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
    if (cfg->encoder.format == ENCODER_RAW && cfg->columns.n)
        d->error(d, "columns",
                 "has a meaning only with a format that has columns, such as \"jsonl\": \"raw\" "
                 "writes records as they arrived");
    encoder_check(&cfg->encoder, d);
    return LEAT_OK;
}

static int sink_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct sink_cfg *cfg = config;
    const int32_t format = cfg->encoder.format;
    uint32_t index;
    if (format != ENCODER_RAW && !(n->in->has & LEAT_HAS_COLUMNS))
        n->diag->error(n->diag, "format",
                       "\"%s\" writes columns, but no earlier stage makes columns: add a parser",
                       encoder_formats[format]);
    else if (format >= ENCODER_FIRST)
        encoder_negotiate(n, &cfg->encoder, &cfg->columns, cfg->topic);
    if (format == ENCODER_RAW) columns_check_raw(n, "\"jsonl\"");
    if (format == ENCODER_JSONL) columns_ask(n, "columns", &cfg->columns, true, LEAT_TAKES_ANY);
    if (cfg->key) n->column(n, "key", cfg->key, HEADERS_TAKES, &index);
    headers_negotiate(n, &cfg->headers);
    return LEAT_OK;
}

static int sink_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct sink_cfg *cfg = config;
    p->work_bytes = (uint64_t)cfg->max_message + (32 << 20) + PRODUCER_KEPT;
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
    const struct inquiry_sink sends = {.topic = cfg->topic,
                                       .max_message = cfg->max_message,
                                       .has_keys = cfg->key || ctx->in->has & LEAT_HAS_KEY,
                                       .has_times = cfg->time == TIME_KEPT &&
                                                    ctx->in->has & LEAT_HAS_TIMESTAMP};
    struct inquiry q;
    char group[TRANSACTION_GROUP];
    if (id) transaction_group(id, group);
    int status = inquiry_open(&q, ctx, &client, seconds, d);
    if (status == LEAT_OK) inquiry_topic(&q, "topic", cfg->topic, id != NULL);
    if (status == LEAT_OK) inquiry_limits(&q, &sends);
    if (status == LEAT_OK && id) inquiry_group(&q, "transaction", group, false);
    if (status == LEAT_OK && id) inquiry_reading(&q);
    inquiry_close(&q);
    if (status == LEAT_OK && cfg->encoder.format >= ENCODER_FIRST)
        status = encoder_online(ctx, &cfg->encoder, &cfg->columns, cfg->topic, seconds, d);
    return status;
}

/* ---- life ---- */

static void sink_close(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    transaction_close(ctx, &st->transaction);
    trial_close(&st->trial);
    transaction_states_close(&st->states);
    producer_close(&st->producer);
    ctx->host->free(ctx, st->text.buf);
    headers_close(ctx, &st->headers);
    encoder_close(ctx, &st->encoder);
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

enum { SINK_MS = 24 };

/* Returns the settings of the producer in this run. They use the text `ms`. */
static struct client_cfg sink_client_in(const struct leat_ctx *ctx, char ms[SINK_MS])
{
    snprintf(ms, SINK_MS, "%lld", (long long)transaction_timeout_ms(ctx->checkpoint_ns));
    return sink_client_of(ctx->cfg, ms);
}

static int connect_to(struct leat_ctx *ctx, struct sink *st)
{
    char ms[SINK_MS];
    const struct sink_cfg *cfg = ctx->cfg;
    struct client_cfg client = sink_client_in(ctx, ms);
    int status = producer_open(ctx, &st->producer, &client);
    st->limits = (struct limits){.topic = cfg->topic};
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
    st->cfg = cfg;
    bool object = cfg->encoder.format == ENCODER_JSONL;
    int status =
        object ? columns_open(ctx, &st->columns, &cfg->columns, true, LEAT_TAKES_ANY) : LEAT_OK;
    if (status < 0) return status;
    char *buf = ctx->host->alloc(ctx, cap + STATES_HEADER);
    st->text = (struct text_out){.buf = buf, .cap = cap, .drain = sink_overlong};
    st->has_key = cfg->key != NULL;
    if (st->has_key) st->key = columns_known(ctx, cfg->key, HEADERS_TAKES);
    status = buf ? headers_open(ctx, &st->headers, &cfg->headers)
                 : ctx->host->fail(ctx, LEAT_ENOMEM,
                                   "there is not enough memory for a message of %zu bytes", cap);
    st->headers.new_value = cfg->encoder.format != ENCODER_RAW;
    if (status == LEAT_OK && cfg->encoder.format >= ENCODER_FIRST)
        status = encoder_open(ctx, &st->encoder, &cfg->encoder, &cfg->columns, cfg->topic);
    st->headers.more = st->encoder.framed.header;
    st->headers.n_more = st->encoder.framed.n_headers;
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
    if (!st->transaction.id || p->gave_up) return ctx->host->fail(ctx, LEAT_EIO, "%s", p->why);
    int status = transaction_abort(ctx, &st->transaction, p->why);
    if (p->refusal) sink_tries = true;
    return status;
}

/* Writes the message of record r into the buffer st->text. Returns false if the record does not fit
 * the schema, with the reason in `why`. */
static bool sink_write_record(struct sink *st, const struct leat_batch *b, uint32_t r,
                              char why[ENCODER_WHY])
{
    const int32_t format = st->cfg->encoder.format;
    struct text_out *o = &st->text;
    o->n = 0;
    o->failed = 0;
    if (format >= ENCODER_FIRST) return encoder_write(&st->encoder, b, r, o, why);
    if (format == ENCODER_RAW)
        text_bytes(o, leat_text(b, b->raw[r]), b->raw[r].len);
    else
        columns_object(o, &st->columns, b, r);
    return true;
}

static struct leat_str sink_key_of(const struct sink *st, const struct leat_batch *b, uint32_t r)
{
    if (st->has_key) return b->column[st->key].text[r];
    return b->key ? b->key[r] : (struct leat_str){0, LEAT_NULL};
}

/* Makes the message of record r, whose value is in st->text. The message points into the batch and
 * st->text. */
static struct message make_message(struct sink *st, const struct sink_cfg *cfg,
                                   const struct leat_batch *b, uint32_t r)
{
    bool is_null = cfg->encoder.format == ENCODER_RAW && leat_is_tombstone(b, r);
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

enum { SINK_NO_KEY, SINK_REFUSED, SINK_UNFIT };
static const struct leat_own_reason sink_reasons[] = {
    [SINK_NO_KEY] = {"no_key", "The topic is compacted, and the message has no key."},
    [SINK_REFUSED] = {"refused", "The cluster refuses the message."},
    [SINK_UNFIT] = {"unfit", "A value does not fit its field in the schema."},
};

enum { SINK_WHY = 600 };

/* Returns the reason for rejecting a record whose message breaks a limit of the topic, and writes
 * the text. */
static int sink_describe_broken(const struct sink *st, const struct message *m, int64_t now,
                                enum limits_broken broken, char why[SINK_WHY])
{
    limits_describe(&st->limits, m, now, broken, why, SINK_WHY);
    return broken == LIMITS_TIME    ? LEAT_R_TIME
           : broken == LIMITS_BYTES ? LEAT_R_TOO_LARGE
                                    : LEAT_R_OWN(SINK_NO_KEY);
}

/* Does the same for a message that the cluster has refused. Its limits may have changed since the
 * sink has read them. */
static int sink_describe_refused(struct sink *st, const struct message *m, rd_kafka_resp_err_t err,
                                 char why[SINK_WHY])
{
    int64_t now = (int64_t)(clock_unix_ns() / 1000000);
    limits_refresh(&st->limits, st->producer.rk);
    enum limits_broken broken = limits_check(&st->limits, m, now);
    if (broken != LIMITS_NONE) return sink_describe_broken(st, m, now, broken, why);
    snprintf(why, SINK_WHY, "topic %s refuses its message of %zu bytes: %s", m->topic,
             m->value_len + m->key_len, rd_kafka_err2str(err));
    return err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ? LEAT_R_TOO_LARGE
                                                       : LEAT_R_OWN(SINK_REFUSED);
}

/* Rejects a record of an earlier batch (producer.on_refused). */
static void sink_refused(struct leat_ctx *ctx, struct producer *p, const void *kept,
                         const struct message *m, rd_kafka_resp_err_t err)
{
    char why[SINK_WHY];
    int reason = sink_describe_refused(p->of, m, err, why);
    ctx->host->reject_kept(ctx, kept, reason, "%s", why);
}

/* Reads the limits of the topic, once. */
static int sink_fit(struct leat_ctx *ctx, struct sink *st)
{
    char ms[SINK_MS];
    struct client_cfg client = sink_client_in(ctx, ms);
    if (st->fitted) return LEAT_OK;
    st->fitted = true;
    int status = limits_fit(ctx, &st->limits, &st->producer, &client);
    st->transaction.rk = st->producer.rk;
    st->producer.on_refused = sink_refused;
    st->producer.of = st;
    return status == LEAT_OK ? sink_check_producer(ctx, st) : status;
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

/* Sends the message of record r. Without transactions, keeps the record, because the cluster may
 * refuse it later. */
static rd_kafka_resp_err_t send_kept(struct leat_ctx *ctx, struct sink *st, struct leat_batch *b,
                                     uint32_t r, struct message *m)
{
    bool keeps = !st->transaction.id;
    m->pending = keeps ? producer_keep(ctx, &st->producer, b, r) : NULL;
    if (keeps && !m->pending) return RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE;
    rd_kafka_resp_err_t err = producer_send(ctx, &st->producer, m);
    if (err) producer_drop(&st->producer, m->pending);
    return err;
}

static rd_kafka_resp_err_t try_record(struct leat_ctx *ctx, struct sink *st, struct leat_batch *b,
                                      uint32_t r, struct message *m)
{
    char why[SINK_WHY];
    if (st->text.failed) return RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    enum limits_broken broken = limits_recheck(&st->limits, st->producer.rk, m, st->now_ms);
    if (broken == LIMITS_NONE) return send_kept(ctx, st, b, r, m);
    ctx->host->reject(ctx, b, r, sink_describe_broken(st, m, st->now_ms, broken, why), "%s", why);
    return RD_KAFKA_RESP_ERR_INVALID_RECORD;
}

static int send_record(struct leat_ctx *ctx, struct sink *st, struct leat_batch *b, uint32_t r)
{
    const struct sink_cfg *cfg = ctx->cfg;
    char unfit[ENCODER_WHY];
    if (!sink_write_record(st, b, r, unfit)) {
        ctx->host->reject(ctx, b, r, LEAT_R_OWN(SINK_UNFIT), "%s", unfit);
        return LEAT_OK;
    }
    struct message m = make_message(st, cfg, b, r);
    rd_kafka_resp_err_t err = try_record(ctx, st, b, r, &m);
    if (!err) return LEAT_OK;
    if (m.headers) rd_kafka_headers_destroy(m.headers);
    if (err == RD_KAFKA_RESP_ERR_INVALID_RECORD) return LEAT_OK; /* rejected */
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

/* Makes the message of record r for a trial. Leaves out those that send_record will reject. */
static bool sink_trial_message(void *self, const struct leat_batch *b, uint32_t r,
                               struct message *m)
{
    struct sink *st = self;
    char unfit[ENCODER_WHY];
    if (!sink_write_record(st, b, r, unfit)) return false;
    *m = make_message(st, st->cfg, b, r);
    if (!st->text.failed && limits_check(&st->limits, m, st->now_ms) == LIMITS_NONE) return true;
    if (m->headers) rd_kafka_headers_destroy(m->headers);
    return false;
}

static void sink_trial_reject(struct leat_ctx *ctx, void *self, struct leat_batch *b, uint32_t r,
                              rd_kafka_resp_err_t err)
{
    char why[SINK_WHY], unfit[ENCODER_WHY];
    struct sink *st = self;
    sink_write_record(st, b, r, unfit); /* succeeds, as in sink_trial_message */
    struct message m = make_message(st, st->cfg, b, r);
    int reason = sink_describe_refused(st, &m, err, why);
    if (m.headers) rd_kafka_headers_destroy(m.headers);
    ctx->host->reject(ctx, b, r, reason, "%s", why);
}

/* Rejects the records that the cluster would refuse, if it has refused one before. */
static int sink_try(struct leat_ctx *ctx, struct sink *st, struct leat_batch *b)
{
    char ms[SINK_MS];
    struct client_cfg client = sink_client_in(ctx, ms);
    if (!st->transaction.id || !sink_tries || !b->n_sel) return LEAT_OK;
    int status = trial_open(ctx, &st->trial, &client);
    return status == LEAT_OK
               ? trial_batch(ctx, &st->trial, st, b, sink_trial_message, sink_trial_reject)
               : status;
}

/* Requests a checkpoint once the first messages are sent: readers see the first results of a run,
 * or of one that was killed and started again, without waiting for the interval. */
static void sink_request_first(struct leat_ctx *ctx, struct sink *st)
{
    if (!st->transaction.id || st->requested || !st->producer.sent || !ctx->checkpoint_ns) return;
    st->requested = true;
    ctx->host->checkpoint_soon(ctx);
}

static int sink_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sink *st = self;
    int status = b->n_sel ? sink_fit(ctx, st) : LEAT_OK;
    st->now_ms = (int64_t)(clock_unix_ns() / 1000000);
    if (status == LEAT_OK) status = sink_try(ctx, st, b);
    if (status != LEAT_OK) return status;
    for (LEAT_EACH_RECORD(b, r)) {
        if (b->status[r] != LEAT_ROW_OK) continue; /* rejected by sink_try */
        status = send_record(ctx, st, b, r);
        if (status < 0) return status;
    }
    producer_poll(ctx, &st->producer);
    sink_request_first(ctx, st);
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
    int status = transaction_await_topic(ctx, &st->transaction);
    if (status == LEAT_OK) status = sink_fit(ctx, st);
    return status == LEAT_OK ? transaction_recover(ctx, &st->transaction, checkpoint) : status;
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
    LEAT_REASONS(sink_reasons),
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
