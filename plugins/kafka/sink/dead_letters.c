/* dead_letters.c -- sink.dead_letters: rejected records as messages of a Kafka topic.
 *
 * A message is the record as it arrived, with its key and time if it had them; why it was rejected
 * and where it came from are headers. So the topic is read like the one the records came from.
 *
 * Every dead_letter is confirmed before the checkpoint it belongs to is over (settle): offsets are
 * not committed ahead of it, and no snapshot counts it. After a crash those behind the last
 * checkpoint are sent again. Records that are not rejected pass by. */
#include <stdio.h>
#include <string.h>

#include "kafka/client/producer.h"
#include "kafka/client/client.h"

struct cfg {
    const char *brokers, *topic;
    struct leat_strings properties;
    int64_t max_message;
};

struct sink {
    struct producer producer;
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
    CLIENT_MAX_MESSAGE(
        offsetof(struct cfg, max_message),
        "of longer records only as many bytes are sent, with the header leat.cut; the cluster "
        "must take as long messages (message.max.bytes)"),
    {.name = "properties",
     .type = LEAT_STRINGS,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, properties),
     .doc = "any property of librdkafka: { \"compression.codec=zstd\" }"},
};

/* A message does not expire: with no broker in reach it waits. */
static bool configure(rd_kafka_conf_t *conf, const struct cfg *cfg, char *why, size_t cap)
{
    return client_set(conf, "message.timeout.ms", "0", why, cap) &&
           producer_configure(conf, cfg->brokers, cfg->max_message, &cfg->properties, why, cap);
}

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    char why[600] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!configure(conf, cfg, why, sizeof why)) d->error(d, "properties", "%s", why);
    rd_kafka_conf_destroy(conf);
    if (!*cfg->topic) d->error(d, "topic", "is empty: a topic has a name");
    if (!strcmp(cfg->brokers, "embedded"))
        d->error(d, "brokers", "a source can have a broker embedded, and says where it is");
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)config, (void)in, (void)out;
    p->work_bytes = 32 << 20;
    return LEAT_OK;
}

static int open_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    char why[500] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (configure(conf, ctx->cfg, why, sizeof why)) return producer_open(ctx, &st->producer, conf);
    rd_kafka_conf_destroy(conf);
    return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
}

static void close_sink(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    (void)ctx;
    producer_close(&st->producer);
}

/* ---- dead_letters ---- */

static void add(rd_kafka_headers_t *to, const char *name, const char *text, size_t n)
{
    rd_kafka_header_add(to, name, -1, text, (ssize_t)n);
}

static void add_number(rd_kafka_headers_t *to, const char *name, uint64_t number)
{
    char text[24];
    add(to, name, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)number));
}

static rd_kafka_headers_t *cause(const struct leat_dead_letter *l, int cut)
{
    rd_kafka_headers_t *h = rd_kafka_headers_new(8);
    add(h, "leat.pipeline", l->pipeline, strlen(l->pipeline));
    add(h, "leat.stage", l->stage, strlen(l->stage));
    add(h, "leat.reason", l->reason, strlen(l->reason));
    add(h, "leat.message", l->message, l->n_message);
    add(h, "leat.input", l->input, strlen(l->input));
    add_number(h, "leat.offset", l->offset);
    if (l->line) add_number(h, "leat.line", l->line);
    if (cut) add(h, "leat.cut", "1", 1);
    return h;
}

static int failed(struct leat_ctx *ctx, const struct sink *st)
{
    return st->producer.why[0] ? ctx->host->fail(ctx, LEAT_EIO, "%s", st->producer.why) : LEAT_OK;
}

/* With a key that takes more than half of what a message may have, it goes without. */
static int dead_letter(struct leat_ctx *ctx, void *self, const struct leat_dead_letter *l)
{
    struct sink *st = self;
    const struct cfg *cfg = ctx->cfg;
    size_t most = (size_t)cfg->max_message;
    struct message m = {.topic = cfg->topic,
                        .partition = RD_KAFKA_PARTITION_UA,
                        .value = l->record,
                        .value_len = l->n_record,
                        .time = l->timestamp > 0 ? l->timestamp / 1000000 : 0};
    if (l->n_key <= most / 2) m.key = l->key, m.key_len = l->n_key;
    int cut = l->cut || m.value_len > most - m.key_len;
    if (m.value_len > most - m.key_len) m.value_len = most - m.key_len;
    m.headers = cause(l, cut);
    rd_kafka_resp_err_t err = producer_send(ctx, &st->producer, &m);
    if (err) rd_kafka_headers_destroy(m.headers);
    if (err && !st->producer.why[0])
        snprintf(st->producer.why, sizeof st->producer.why, "cannot send to %s: %s", cfg->topic,
                 rd_kafka_err2str(err));
    rd_kafka_poll(st->producer.rk, 0);
    return failed(ctx, st);
}

static int flush_dead_letters(struct leat_ctx *ctx, void *self)
{
    struct sink *st = self;
    producer_confirm(ctx, &st->producer);
    ctx->host->metric(ctx, "delivered", (double)st->producer.confirmed);
    return failed(ctx, st);
}

const struct leat_stage sink_dead_letters = {
    .name = "sink.dead_letters",
    .summary = "sends rejected records to a Kafka topic, with the cause in headers",
    .doc =
        "Sends every record that any stage of the pipeline rejects as a message, wherever in the "
        "pipeline this sink stands; records that are not rejected pass it by. The message is the "
        "record as it arrived, with its key and time where the source has them. Its "
        "headers: leat.pipeline, leat.stage, leat.reason, leat.message, leat.input (topic/"
        "partition or file), leat.offset, leat.line (of a file), and leat.cut = 1 where the "
        "record was too long and this is its beginning. source.kafka reads them as columns "
        "(header.leat.stage).\n"
        "Each is confirmed by the cluster (acks=all, idempotent) before its checkpoint is over, so "
        "before offsets are committed or a snapshot counts it. At least once: after a crash, or "
        "when a transaction takes a checkpoint back, what came behind the last checkpoint is sent again. "
        "With no broker in reach it waits; a message that is refused for good ends the run, and "
        "so do too many of them (max_reject_ratio of the pipeline).",
    .example = "leat.sink.dead_letters { \"payments.dead\", brokers = \"localhost:9092\" }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct sink),
    .validate = validate,
    .plan = plan,
    .open = open_sink,
    .close = close_sink,
    .dead_letter = dead_letter,
    .flush = flush_dead_letters,
};
