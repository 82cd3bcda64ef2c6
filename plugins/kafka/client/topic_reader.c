/* topic_reader.c -- see topic_reader.h. */
#include "topic_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ours[] = {"bootstrap.servers", "enable.partition.eof", NULL};

static void on_error(rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
    struct topic_reader *r = opaque;
    (void)rk;
    if (err == RD_KAFKA_RESP_ERR__FATAL) snprintf(r->why, sizeof r->why, "%s", reason);
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk, (void)level, (void)facility, (void)text; /* what matters comes as an error */
}

/* The user's properties are for the source's consumer in the first place: its offsets and group are
 * of no concern here, so ours come last. */
static bool configure(rd_kafka_conf_t *conf, const char *brokers,
                      const struct leat_strings *properties, char *why, size_t cap)
{
    return client_set(conf, "fetch.wait.max.ms", "50", why, cap) && /* the end is waited for */
           client_set_all(conf, properties, ours, why, cap) &&
           client_set(conf, "bootstrap.servers", brokers, why, cap) &&
           client_set(conf, "group.id", "leat", why, cap) &&
           client_set(conf, "enable.auto.commit", "false", why, cap) &&
           client_set(conf, "isolation.level", "read_committed", why, cap) &&
           client_set(conf, "auto.offset.reset", "earliest", why, cap) &&
           client_set(conf, "enable.partition.eof", "true", why, cap);
}

const char *topic_reader_wrong(const char *brokers, const struct leat_strings *properties,
                               char *text, size_t cap)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    bool good = configure(conf, brokers, properties, text, cap);
    rd_kafka_conf_destroy(conf);
    return good ? NULL : text;
}

int topic_reader_open(struct leat_ctx *ctx, struct topic_reader *r, const char *brokers,
                      const char *topic, const struct leat_strings *properties, bool whole)
{
    char why[500] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    *r = (struct topic_reader){.topic = topic, .whole = whole};
    if (!configure(conf, brokers, properties, why, sizeof why)) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    }
    rd_kafka_conf_set_opaque(conf, r);
    rd_kafka_conf_set_error_cb(conf, on_error);
    rd_kafka_conf_set_log_cb(conf, on_log);
    r->rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (!r->rk) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EIO, "%s", why);
    }
    rd_kafka_poll_set_consumer(r->rk);
    r->queue = rd_kafka_queue_get_consumer(r->rk);
    return LEAT_OK;
}

void topic_reader_close(struct topic_reader *r)
{
    if (r->rk) rd_kafka_assign(r->rk, NULL);
    if (r->queue) rd_kafka_queue_destroy(r->queue);
    if (r->rk) client_destroy(r->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    free(r->end);
    *r = (struct topic_reader){.rk = NULL};
}

/* The topic's partitions from the brokers; false: not yet. */
static bool begin(struct leat_ctx *ctx, struct topic_reader *r, int ms)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(r->rk, r->topic, NULL);
    if (topic) rd_kafka_metadata(r->rk, 0, topic, &about, ms);
    int32_t n = about && about->topic_cnt == 1 ? about->topics[0].partition_cnt : 0;
    bool known = n > 0;
    if (about) rd_kafka_metadata_destroy(about);
    if (topic) rd_kafka_topic_destroy(topic);
    if (!known && !r->down)
        ctx->host->log(ctx, LEAT_WARN, "waiting for the brokers to know topic %s", r->topic);
    r->down = !known;
    if (!known || !(r->end = calloc((size_t)n, sizeof *r->end))) return false;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(n);
    for (int32_t k = 0; k < n; k++) {
        rd_kafka_topic_partition_list_add(list, r->topic, k)->offset = RD_KAFKA_OFFSET_BEGINNING;
        r->end[k] = TOPIC_READER_UNKNOWN;
    }
    rd_kafka_assign(r->rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    r->n = r->left = n;
    return true;
}

/* Partition k was read up to this offset, and no further for now. */
static void come_to(struct leat_ctx *ctx, struct topic_reader *r, int32_t k, int64_t offset)
{
    int64_t low, high = offset;
    if (r->whole && r->end[k] == TOPIC_READER_UNKNOWN) {
        rd_kafka_get_watermark_offsets(r->rk, r->topic, k, &low, &high);
        r->end[k] = high;
    }
    if (offset >= r->end[k]) {
        r->end[k] = TOPIC_READER_ENDED;
        r->left--;
    } else if (!r->waits) {
        r->waits = true;
        ctx->host->log(ctx, LEAT_INFO, "waiting for transactions that are open on topic %s",
                       r->topic);
    }
}

/* A message that is none. */
static void take_event(struct leat_ctx *ctx, struct topic_reader *r, const rd_kafka_message_t *m)
{
    if (m->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        ctx->host->log(ctx, LEAT_WARN, "%s: %s", r->topic, rd_kafka_message_errstr(m));
        return;
    }
    if (m->partition < 0 || m->partition >= r->n || r->end[m->partition] == TOPIC_READER_ENDED)
        return;
    come_to(ctx, r, m->partition, m->offset);
}

int topic_reader_next(struct leat_ctx *ctx, struct topic_reader *r, int ms, rd_kafka_message_t **m)
{
    *m = NULL;
    if (!r->n && !begin(ctx, r, ms)) return LEAT_AGAIN;
    ssize_t got = rd_kafka_consume_batch_queue(r->queue, ms, m, 1);
    if (r->why[0]) return ctx->host->fail(ctx, LEAT_EIO, "%s: %s", r->topic, r->why);
    if (got <= 0) return LEAT_AGAIN;
    if (!(*m)->err) return LEAT_OK;
    take_event(ctx, r, *m);
    rd_kafka_message_destroy(*m);
    *m = NULL;
    return LEAT_AGAIN;
}

bool topic_reader_at_end(const struct topic_reader *r) { return r->n && !r->left; }
