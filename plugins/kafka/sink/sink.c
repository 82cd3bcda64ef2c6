/* sink.c -- sink.kafka: records as messages of a Kafka topic.
 *
 * An idempotent producer (producer.h): what it sends arrives once and in order as long as the
 * process lives. At a barrier it waits until every message before it is confirmed, so offsets and
 * snapshots never run ahead of what was delivered; after a crash what came behind the last
 * checkpoint is sent again (at least once). A message that the cluster refuses for good ends the
 * run: nothing is lost in silence.
 *
 * With `transaction` the messages of a checkpoint are one transaction (transaction.h): exactly
 * once. So are the states of a source that keeps them by partition (transaction_states.h). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka/client/client.h"
#include "kafka/states/states.h"
#include "support/columns.h"
#include "transaction_states.h"
#include "headers.h"
#include "kafka/client/producer.h"
#include "transaction.h"

enum { MAX_NAME = 200, RAW = 0, JSONL = 1, TIME_KEPT = 0 };
static const char *const formats[] = {"raw", "jsonl", NULL};
static const char *const times[] = {"kept", "now", NULL};

struct cfg {
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
    uint32_t key;                   /* column, or n_columns: the record's own */
    struct transaction transaction; /* id NULL: none */
    struct transaction_states states;
};

static const struct leat_param params[] = {
    {.name = "topic",
     .type = LEAT_STRING,
     .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, topic),
     .doc = "topic to write to"},
    {.name = "brokers",
     .type = LEAT_STRING,
     .flags = LEAT_REQUIRED,
     .offset = offsetof(struct cfg, brokers),
     .doc = "host:port, several apart by commas"},
    {.name = "format",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, format),
     .choices = formats,
     .def = "raw",
     .doc = "raw: each record as it arrived; jsonl: an object of its columns"},
    {.name = "columns",
     .type = LEAT_STRINGS,
     .offset = offsetof(struct cfg, columns),
     .doc = "jsonl: which columns, in this order; by default all"},
    {.name = "key",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, key),
     .doc = "column of text whose value is the message's key: equal keys go to one partition; "
            "without it the key is the one the record came with, if any"},
    {.name = "time",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, time),
     .choices = times,
     .def = "kept",
     .doc = "of the message: the one the record came with, if any; or when it is sent. A topic "
            "drops old messages soon (retention.ms)"},
    {.name = "headers",
     .type = LEAT_STRINGS,
     .offset = offsetof(struct cfg, headers),
     .doc = "columns of text as headers of the message: \"column\", or \"name=column\" for another "
            "name; a record without a value has not the header"},
    {.name = "transaction",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, transaction),
     .doc =
         "exactly once: a name for this output that no other run has (transactional.id); the "
         "messages of a checkpoint, and the offsets they come from, are then one transaction. Needs "
         "--state, or a source with state = \"partition\""},
    CLIENT_MAX_MESSAGE(
        offsetof(struct cfg, max_message),
        "longer messages are rejected; the cluster must take as long ones (message.max.bytes)"),
    {.name = "properties",
     .type = LEAT_STRINGS,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, properties),
     .doc = "any property of librdkafka: { \"compression.codec=zstd\" }"},
};

/* ---- configuration ---- */

static bool set_transaction(rd_kafka_conf_t *conf, const struct cfg *cfg, int64_t checkpoint_ns,
                            char *why, size_t cap)
{
    char ms[24];
    /* Of a message alone: with no broker in reach it waits. */
    if (!cfg->transaction) return client_set(conf, "message.timeout.ms", "0", why, cap);
    snprintf(ms, sizeof ms, "%lld", (long long)transaction_timeout_ms(checkpoint_ns));
    return client_set(conf, "transactional.id", cfg->transaction, why, cap) &&
           client_set(conf, "transaction.timeout.ms", ms, why, cap);
}

/* A transaction that is aborted while its checkpoint goes on would never be committed. */
static bool is_long_enough(const rd_kafka_conf_t *conf, const struct cfg *cfg,
                           int64_t checkpoint_ns, char *why, size_t cap)
{
    char ms[24] = "";
    size_t n = sizeof ms;
    rd_kafka_conf_get(conf, "transaction.timeout.ms", ms, &n);
    if (!cfg->transaction || atoll(ms) * 1000000 > 3 * checkpoint_ns) return true;
    snprintf(why, cap,
             "transaction.timeout.ms=%s: must be more than three checkpoints (--every %g s)", ms,
             (double)checkpoint_ns / 1e9);
    return false;
}

static bool configure(rd_kafka_conf_t *conf, const struct cfg *cfg, int64_t checkpoint_ns,
                      char *why, size_t cap)
{
    bool good = set_transaction(conf, cfg, checkpoint_ns, why, cap);
    good = good &&
           producer_configure(conf, cfg->brokers, cfg->max_message, &cfg->properties, why, cap);
    return good && is_long_enough(conf, cfg, checkpoint_ns, why, cap);
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    char why[600] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!configure(conf, cfg, 0, why, sizeof why)) d->error(d, "properties", "%s", why);
    rd_kafka_conf_destroy(conf);
    const char *wrong = client_topic_wrong(cfg->topic);
    if (wrong) d->error(d, "topic", "'%s' %s", cfg->topic, wrong);
    if (!strcmp(cfg->brokers, "embedded"))
        d->error(d, "brokers", "a source can have a broker embedded, and says where it is");
    if (cfg->transaction && (!*cfg->transaction || strlen(cfg->transaction) > MAX_NAME))
        d->error(d, "transaction", "is a name of 1 to %d bytes for this output", MAX_NAME);
    if (cfg->format == RAW && cfg->columns.n)
        d->error(d, "columns", "is for jsonl: raw writes records as they arrived");
    return LEAT_OK;
}

static int negotiate(const void *config, struct leat_negotiation *n)
{
    const struct cfg *cfg = config;
    uint32_t index;
    if (cfg->format == JSONL && !(n->in->has & LEAT_HAS_COLUMNS))
        n->diag->error(n->diag, "format",
                       "jsonl needs columns, and no stage before this one makes any");
    columns_check(n, "columns", &cfg->columns);
    if (cfg->key && n->column(n, "key", cfg->key, &index) == LEAT_OK &&
        n->in->column[index].type != LEAT_TEXT)
        n->diag->error(n->diag, "key", "column '%s' holds numbers; a key is text", cfg->key);
    headers_negotiate(n, &cfg->headers);
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *cfg = config;
    (void)in, (void)out;
    p->work_bytes = (uint64_t)cfg->max_message + (32 << 20);
    return LEAT_OK;
}

/* ---- life ---- */

static void close_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    transaction_close(&st->transaction);
    transaction_states_close(&st->states);
    producer_close(&st->producer);
    ctx->host->free(ctx, st->text.buf);
    headers_close(ctx, &st->headers);
    columns_close(ctx, &st->columns);
}

/* The buffer is as long as a message may be. */
static int overlong(void *to, const char *bytes, size_t n)
{
    (void)to, (void)bytes, (void)n;
    return 1;
}

static int connect_to(struct leat_ctx *ctx, struct sink *st)
{
    char why[500] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!configure(conf, ctx->cfg, ctx->checkpoint_ns, why, sizeof why)) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    }
    const struct cfg *cfg = ctx->cfg;
    int s = producer_open(ctx, &st->producer, conf);
    st->transaction =
        (struct transaction){.rk = st->producer.rk, .id = cfg->transaction, .topic = cfg->topic};
    return s;
}

static int open_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    const struct cfg *cfg = ctx->cfg;
    size_t cap = (size_t)cfg->max_message;
    int s = columns_open(ctx, &st->columns, &cfg->columns, cfg->format == JSONL);
    if (s < 0) return s;
    char *buf = ctx->host->alloc(ctx, cap + STATES_HEADER);
    st->text = (struct text_out){.buf = buf, .cap = cap, .drain = overlong};
    st->key = cfg->key ? columns_find(ctx->in, cfg->key) : ctx->in->n_columns;
    s = buf ? headers_open(ctx, &st->headers, &cfg->headers)
            : ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for messages");
    if (s == LEAT_OK) s = connect_to(ctx, st);
    if (s < 0) close_sink(ctx, st);
    return s;
}

/* ---- messages ---- */

/* It cannot go on: a transaction is taken back. Without one the run ends, and so it does when it
 * was to stop and has waited in vain. */
static int failed(struct leat_ctx *ctx, struct sink *st)
{
    const struct producer *p = &st->producer;
    if (!p->why[0]) return LEAT_OK;
    return st->transaction.id && !p->gave_up ? transaction_abort(ctx, &st->transaction, p->why)
                                             : ctx->host->fail(ctx, LEAT_EIO, "%s", p->why);
}

/* The message of record r in the buffer. */
static void write_record(struct sink *st, const struct cfg *cfg, const struct leat_batch *b,
                         uint32_t r)
{
    struct text_out *o = &st->text;
    o->n = 0;
    o->failed = 0;
    if (cfg->format == RAW) {
        text_bytes(o, leat_text(b, b->raw[r]), b->raw[r].len);
        return;
    }
    text_char(o, '{');
    for (uint32_t i = 0; i < st->columns.n; i++) {
        if (i) text_char(o, ',');
        columns_member(o, &st->columns, i, b, r);
    }
    text_char(o, '}');
}

static struct leat_str key_of(const struct sink *st, const struct leat_batch *b, uint32_t r)
{
    if (st->key < b->n_columns) return b->column[st->key].text[r];
    return b->key ? b->key[r] : (struct leat_str){0, LEAT_NULL};
}

/* What of record r is sent; its bytes are lent. */
static struct message make_message(struct sink *st, const struct cfg *cfg,
                                   const struct leat_batch *b, uint32_t r)
{
    write_record(st, cfg, b, r);
    bool is_null = cfg->format == RAW && leat_is_tombstone(b, r);
    struct message m = {.topic = cfg->topic,
                        .partition = RD_KAFKA_PARTITION_UA,
                        .value = is_null ? NULL : st->text.buf,
                        .value_len = st->text.n};
    struct leat_str key = key_of(st, b, r);
    if (key.len != LEAT_NULL) m.key = leat_text(b, key), m.key_len = key.len;
    if (b->timestamp && b->timestamp[r] > 0 && cfg->time == TIME_KEPT)
        m.time = b->timestamp[r] / 1000000;
    m.headers = headers_make(&st->headers, b, r);
    return m;
}

static int send_record(struct leat_ctx *ctx, struct sink *st, struct leat_batch *b, uint32_t r)
{
    const struct cfg *cfg = ctx->cfg;
    struct message m = make_message(st, cfg, b, r);
    rd_kafka_resp_err_t err = st->text.failed ? RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
                                              : producer_send(ctx, &st->producer, &m);
    if (!err) return LEAT_OK;
    if (m.headers) rd_kafka_headers_destroy(m.headers);
    if (err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "as a message it is over max_message");
        return LEAT_OK;
    }
    char *why = st->producer.why;
    if (!why[0])
        snprintf(why, sizeof st->producer.why, "cannot send to %s: %s", cfg->topic,
                 rd_kafka_err2str(err));
    return failed(ctx, st);
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sink *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        int s = send_record(ctx, st, b, r);
        if (s < 0) return s;
    }
    rd_kafka_poll(st->producer.rk, 0);
    return failed(ctx, st);
}

/* Until all that was sent is confirmed. */
static int confirm(struct leat_ctx *ctx, struct sink *st)
{
    producer_confirm(ctx, &st->producer);
    return failed(ctx, st);
}

static int barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    (void)checkpoint;
    return confirm(ctx, self);
}

/* ---- exactly once ---- */

static const char *transaction(const void *cfg) { return ((const struct cfg *)cfg)->transaction; }

static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    struct sink *st = self;
    st->producer.ctx = ctx;
    return transaction_recover(ctx, &st->transaction, checkpoint);
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *position, uint32_t n)
{
    struct sink *st = self;
    st->producer.ctx = ctx;
    int s = transaction_states_send(ctx, &st->states, &st->producer, checkpoint, position, n,
                                    st->text.buf, st->text.cap);
    if (s == LEAT_OK) s = confirm(ctx, st);
    if (s == LEAT_OK) ctx->host->fault(ctx, "transaction_states_sent");
    if (s == LEAT_OK) s = transaction_commit(ctx, &st->transaction, checkpoint, position, n);
    ctx->host->metric(ctx, "transactions", (double)st->transaction.n);
    return s;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    int s = confirm(ctx, st);
    ctx->host->metric(ctx, "delivered", (double)(st->producer.confirmed - st->states.sent));
    return s;
}

const struct leat_stage sink_kafka = {
    .name = "sink.kafka",
    .summary = "writes records to a Kafka topic",
    .doc =
        "Sends each selected record as a message, by an idempotent producer with acks=all: in "
        "order, and once as long as the process lives. At every checkpoint it waits until the cluster "
        "has confirmed what was sent, before offsets are committed or a snapshot is made; what "
        "came behind the last checkpoint before a crash is sent again: at least once. With no broker "
        "in reach it waits; a message that is refused for good ends the run.\n"
        "A message as source.kafka read it is written as it was: value, or none (tombstones = "
        "\"empty\" there), key, or none, and time; and those headers that headers names. A key's "
        "partition is that of Kafka's own clients (partitioner = murmur2_random).\n"
        "Exactly once. With transaction = \"ID\" and --state the messages of a checkpoint, the "
        "offsets "
        "of the groups they were read in, and the checkpoint's number (in a group of its own, leat-ID) "
        "are one transaction, committed when the snapshot of the checkpoint is on disk: readers with "
        "isolation.level=read_committed see all of it, once, or nothing. After a crash the run "
        "goes on from the snapshot of the last checkpoint that was committed. A transaction that is "
        "aborted takes the run back there, too. With source.kafka { state = \"partition\" } the "
        "states of its partitions are in the transaction, and there is no --state. Who begins "
        "under the same ID ends the one before "
        "(exit code 3). transaction.timeout.ms is four checkpoints, a minute at least.",
    .example =
        "leat.sink.kafka { \"late\", brokers = \"localhost:9092\", format = \"jsonl\", key = "
        "\"carrier\" }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct sink),
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .open = open_sink,
    .close = close_sink,
    .process = process,
    .barrier = barrier,
    .stop = stop,
    .transaction = transaction,
    .fence = fence,
    .commit = commit,
};
