/* kafka.c -- sink.kafka: records as messages of a Kafka topic.
 *
 * An idempotent producer: what it sends arrives once and in order as long as the process lives. At
 * a barrier it waits until every message before it is confirmed, so offsets and snapshots never run
 * ahead of what was delivered; after a crash what came behind the last epoch is sent again (at
 * least once). A message that the cluster refuses for good ends the run: nothing is lost in
 * silence. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <librdkafka/rdkafka.h>

#include "../sources/kafka/client.h"
#include "columns.h"

enum { REPORTS_MS = 200, LAST_SECONDS = 10, RAW = 0, JSONL = 1 };
static const char *const formats[] = {"raw", "jsonl", NULL};

struct cfg {
    const char *brokers, *topic, *key;
    struct leat_strings columns, properties;
    int64_t max_message;
    int32_t format;
    int32_t reserved;
};

struct sink {
    rd_kafka_t *rk;
    struct leat_ctx *ctx; /* of the call being served */
    struct columns columns;
    struct text_out text;
    uint32_t key; /* column, or n_columns: none */
    uint64_t sent, confirmed;
    bool down;
    int64_t give_up; /* once the run is to stop: when to wait no longer, seconds; or 0 */
    char why[400];   /* the first message that will never arrive */
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
     .doc = "column of text whose value is the message's key: equal keys go to one partition"},
    {.name = "max_message",
     .type = LEAT_SIZE,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, max_message),
     .def = "1000000",
     .min = 1 << 10,
     .max = 64 << 20,
     .unit = "bytes",
     .doc = "longer messages are rejected; the cluster must take as long ones (message.max.bytes)"},
    {.name = "properties",
     .type = LEAT_STRINGS,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, properties),
     .doc = "any property of librdkafka: { \"compression.codec=zstd\" }"},
};

/* ---- configuration ---- */

static const char *const ours[] = {"bootstrap.servers",     "message.max.bytes",
                                   "enable.idempotence",    "acks",
                                   "request.required.acks", NULL};

static bool configure(rd_kafka_conf_t *conf, const struct cfg *cfg, char *why, size_t cap)
{
    char most[24];
    snprintf(most, sizeof most, "%lld", (long long)cfg->max_message + 4096);
    bool good = client_set(conf, "bootstrap.servers", cfg->brokers, why, cap);
    good = good && client_set(conf, "message.max.bytes", most, why, cap);
    good = good && client_set(conf, "linger.ms", "5", why, cap);
    good = good && client_set(conf, "queue.buffering.max.kbytes", "32768", why, cap);
    good = good && client_set(conf, "message.timeout.ms", "0", why, cap); /* no broker: wait */
    good = good && client_set(conf, "enable.idempotence", "true", why, cap);
    good = good && client_set(conf, "acks", "all", why, cap);
    return good && client_set_all(conf, &cfg->properties, ours, why, cap);
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    char why[600] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!configure(conf, cfg, why, sizeof why)) d->error(d, "properties", "%s", why);
    rd_kafka_conf_destroy(conf);
    if (!strcmp(cfg->brokers, "embedded"))
        d->error(d, "brokers", "a source can have a broker embedded, and says where it is");
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

/* ---- what librdkafka tells ---- */

static void on_delivered(rd_kafka_t *rk, const rd_kafka_message_t *m, void *opaque)
{
    struct sink *st = opaque;
    (void)rk;
    st->confirmed++;
    if (m->err && !st->why[0])
        snprintf(st->why, sizeof st->why, "a message of %zu bytes could not be delivered: %s",
                 m->len, rd_kafka_err2str(m->err));
}

static void on_error(rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
    struct sink *st = opaque;
    (void)rk;
    if (err == RD_KAFKA_RESP_ERR__FATAL && !st->why[0])
        snprintf(st->why, sizeof st->why, "%s", reason);
    if (err != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || st->down) return;
    st->down = true;
    st->ctx->host->log(st->ctx, LEAT_WARN, "no broker can be reached; waiting for one");
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk, (void)level, (void)facility, (void)text; /* what matters comes as an error */
}

/* ---- life ---- */

static void close_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    st->ctx = ctx;
    if (st->rk) client_destroy(st->rk, 0);
    ctx->host->free(ctx, st->text.buf);
    columns_close(ctx, &st->columns);
    st->rk = NULL;
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
    if (!configure(conf, ctx->cfg, why, sizeof why)) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    }
    rd_kafka_conf_set_opaque(conf, st);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivered);
    rd_kafka_conf_set_error_cb(conf, on_error);
    rd_kafka_conf_set_log_cb(conf, on_log);
    st->rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    if (st->rk) return LEAT_OK;
    rd_kafka_conf_destroy(conf);
    return ctx->host->fail(ctx, LEAT_EIO, "%s", why);
}

static int open_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    const struct cfg *cfg = ctx->cfg;
    size_t cap = (size_t)cfg->max_message;
    st->ctx = ctx;
    int s = columns_open(ctx, &st->columns, &cfg->columns, cfg->format == JSONL);
    if (s < 0) return s;
    char *buf = ctx->host->alloc(ctx, cap);
    st->text = (struct text_out){.buf = buf, .cap = cap, .drain = overlong};
    st->key = cfg->key ? columns_find(ctx->in, cfg->key) : ctx->in->n_columns;
    s = buf ? connect_to(ctx, st) : ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for messages");
    if (s < 0) close_sink(ctx, st);
    return s;
}

/* ---- messages ---- */

static int failed(struct leat_ctx *ctx, const struct sink *st)
{
    return st->why[0] ? ctx->host->fail(ctx, LEAT_EIO, "%s", st->why) : LEAT_OK;
}

/* The message of record r in the buffer. */
static void write_record(struct sink *st, const struct cfg *cfg, const struct leat_batch *b,
                         uint32_t r)
{
    struct text_out *o = &st->text;
    o->n = 0;
    o->failed = 0;
    if (cfg->format == RAW) {
        if (b->raw[r].len != LEAT_NULL) text_bytes(o, leat_text(b, b->raw[r]), b->raw[r].len);
        return;
    }
    text_char(o, '{');
    for (uint32_t i = 0; i < st->columns.n; i++) {
        if (i) text_char(o, ',');
        columns_member(o, &st->columns, i, b, r);
    }
    text_char(o, '}');
}

/* Waits for reports; of a run that is to stop, some seconds in all. */
static void await_reports(struct leat_ctx *ctx, struct sink *st)
{
    struct timespec t;
    rd_kafka_poll(st->rk, REPORTS_MS);
    if (!ctx->host->stopping(ctx)) return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (!st->give_up) st->give_up = t.tv_sec + LAST_SECONDS;
    if (t.tv_sec < st->give_up || st->confirmed == st->sent || st->why[0]) return;
    snprintf(st->why, sizeof st->why,
             "stopped with %llu messages that no broker has confirmed; what came after the last "
             "epoch is sent again next time",
             (unsigned long long)(st->sent - st->confirmed));
}

/* Waits while the producer's queue is full: the cluster sets the pace. */
static rd_kafka_resp_err_t send_message(struct leat_ctx *ctx, struct sink *st, const void *key,
                                        size_t key_len)
{
    const struct cfg *cfg = ctx->cfg;
    for (;;) {
        rd_kafka_resp_err_t err = rd_kafka_producev(
            st->rk, RD_KAFKA_V_TOPIC(cfg->topic), RD_KAFKA_V_VALUE(st->text.buf, st->text.n),
            RD_KAFKA_V_KEY(key, key_len), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
        if (err != RD_KAFKA_RESP_ERR__QUEUE_FULL) return err;
        await_reports(ctx, st);
        if (st->why[0]) return RD_KAFKA_RESP_ERR__FAIL;
    }
}

static int send_record(struct leat_ctx *ctx, struct sink *st, struct leat_batch *b, uint32_t r)
{
    const void *key = NULL;
    size_t key_len = 0;
    write_record(st, ctx->cfg, b, r);
    if (st->key < b->n_columns && b->column[st->key].text[r].len != LEAT_NULL) {
        key = leat_text(b, b->column[st->key].text[r]);
        key_len = b->column[st->key].text[r].len;
    }
    rd_kafka_resp_err_t err = st->text.failed ? RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
                                              : send_message(ctx, st, key, key_len);
    if (err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "as a message it is over max_message");
        return LEAT_OK;
    }
    if (err)
        return st->why[0]
                   ? failed(ctx, st)
                   : ctx->host->fail(ctx, LEAT_EIO, "cannot send to %s: %s",
                                     ((const struct cfg *)ctx->cfg)->topic, rd_kafka_err2str(err));
    st->sent++;
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sink *st = self;
    int s = LEAT_OK;
    st->ctx = ctx;
    for (LEAT_EACH_RECORD(b, r)) {
        s = send_record(ctx, st, b, r);
        if (s < 0) return s;
    }
    rd_kafka_poll(st->rk, 0);
    return failed(ctx, st);
}

/* Until all that was sent is confirmed. */
static int confirm(struct leat_ctx *ctx, struct sink *st)
{
    st->ctx = ctx;
    while (st->confirmed < st->sent && !st->why[0])
        await_reports(ctx, st);
    return failed(ctx, st);
}

static int barrier(struct leat_ctx *ctx, void *self, uint64_t epoch)
{
    (void)epoch;
    return confirm(ctx, self);
}

static int stop(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    int s = confirm(ctx, st);
    ctx->host->metric(ctx, "delivered", (double)st->confirmed);
    return s;
}

static const struct leat_stage stages[] = {
    {.name = "sink.kafka",
     .summary = "writes records to a Kafka topic",
     .doc =
         "Sends each selected record as a message, by an idempotent producer with acks=all: in "
         "order, and once as long as the process lives. At every epoch it waits until the cluster "
         "has confirmed what was sent, before offsets are committed or a snapshot is made; what "
         "came behind the last epoch before a crash is sent again: at least once. With no broker "
         "in reach it waits; a message that is refused for good ends the run.",
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
     .stop = stop},
};

LEAT_PLUGIN("sink_kafka", "1.0", "Apache-2.0", "writes records to Kafka topics", stages);
