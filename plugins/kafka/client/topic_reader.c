/* topic_reader.c -- implementation of topic_reader.h. */
#include "topic_reader.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "client_end.h"

static void topic_reader_on_error(rd_kafka_t *rk, int err, const char *reason, void *self)
{
    struct topic_reader *r = self;
    outage_take(&r->outage, err, reason);
    if (err == RD_KAFKA_RESP_ERR__FATAL) snprintf(r->why, sizeof r->why, "%s", reason);
}

int topic_reader_open(struct leat_ctx *ctx, struct topic_reader *r, const struct client_cfg *cfg,
                      const char *topic, bool whole)
{
    static const struct client_callbacks callbacks = {.on_error = topic_reader_on_error};
    assert(cfg->role == CLIENT_TOPIC_READER);
    *r = (struct topic_reader){.ctx = ctx, .topic = topic, .whole = whole};
    int status = client_open(ctx, cfg, &callbacks, r, &r->rk);
    if (status != LEAT_OK) return status;
    rd_kafka_poll_set_consumer(r->rk);
    r->queue = rd_kafka_queue_get_consumer(r->rk);
    return LEAT_OK;
}

void topic_reader_close(struct topic_reader *r)
{
    if (r->rk) rd_kafka_assign(r->rk, NULL);
    if (r->queue) rd_kafka_queue_destroy(r->queue);
    if (r->rk) client_destroy(r->ctx, r->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    free(r->end);
    *r = (struct topic_reader){.rk = NULL};
}

/* Ends the reader if the error is final. Returns false if it is not. */
static bool topic_reader_take_answer(struct topic_reader *r, rd_kafka_resp_err_t err)
{
    if (!answer_is_final(err)) return false;
    if (!r->why[0])
        snprintf(r->why, sizeof r->why, "%s%s", rd_kafka_err2str(err), answer_advice(err));
    return true;
}

/* Assigns all partitions of the topic to the consumer. Returns false while no broker knows the
 * topic. */
static bool assign_all(struct leat_ctx *ctx, struct topic_reader *r, int ms)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(r->rk, r->topic, NULL);
    if (topic) rd_kafka_metadata(r->rk, 0, topic, &about, ms);
    int32_t n = about && about->topic_cnt == 1 ? about->topics[0].partition_cnt : 0;
    bool known = n > 0;
    if (about && about->topic_cnt == 1) topic_reader_take_answer(r, about->topics[0].err);
    if (about) rd_kafka_metadata_destroy(about);
    if (topic) rd_kafka_topic_destroy(topic);
    rd_kafka_poll(r->rk, 0);
    if (!known && !r->down)
        ctx->host->log(ctx, LEAT_WARN, "waiting for the brokers to know topic %s%s%s", r->topic,
                       r->outage.down ? ": " : "", r->outage.reason);
    if (!known && outage_is_final(&r->outage, r->rk) && !r->why[0])
        snprintf(r->why, sizeof r->why, "all brokers refuse this client: %s", r->outage.reason);
    r->down = !known;
    if (!known || !(r->end = calloc((size_t)n, sizeof *r->end))) return false;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(n);
    for (int32_t k = 0; k < n; k++) {
        rd_kafka_topic_partition_list_add(list, r->topic, k)->offset = RD_KAFKA_OFFSET_BEGINNING;
        r->end[k] = TOPIC_READER_UNKNOWN;
    }
    rd_kafka_assign(r->rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    r->n = r->unread = n;
    return true;
}

/* Called when partition k has been read up to `offset` and has no further messages for now. Decides
 * whether that is the end of the partition. */
static void reach(struct leat_ctx *ctx, struct topic_reader *r, int32_t k, int64_t offset)
{
    int64_t low, high = offset;
    if (r->whole && r->end[k] == TOPIC_READER_UNKNOWN) {
        rd_kafka_get_watermark_offsets(r->rk, r->topic, k, &low, &high);
        r->end[k] = high;
    }
    if (offset >= r->end[k]) {
        r->end[k] = TOPIC_READER_ENDED;
        r->unread--;
    } else if (!r->waits) {
        r->waits = true;
        ctx->host->log(ctx, LEAT_INFO, "waiting for transactions that are open on topic %s",
                       r->topic);
    }
}

/* Handles an event, which librdkafka delivers as a message: the end of a partition, or an error. */
static void topic_reader_take_event(struct leat_ctx *ctx, struct topic_reader *r,
                                    const rd_kafka_message_t *m)
{
    if (m->err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
        topic_reader_take_answer(r, m->err);
        return;
    }
    if (m->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        ctx->host->log(ctx, LEAT_WARN, "%s: %s", r->topic, rd_kafka_message_errstr(m));
        return;
    }
    if (m->partition < 0 || m->partition >= r->n || r->end[m->partition] == TOPIC_READER_ENDED)
        return;
    reach(ctx, r, m->partition, m->offset);
}

int topic_reader_next(struct leat_ctx *ctx, struct topic_reader *r, int ms, rd_kafka_message_t **m)
{
    assert(r->queue);
    r->ctx = ctx;
    *m = NULL;
    bool ready = r->n || assign_all(ctx, r, ms);
    ssize_t got = ready ? rd_kafka_consume_batch_queue(r->queue, ms, m, 1) : 0;
    if (r->why[0]) return ctx->host->fail(ctx, LEAT_EIO, "%s: %s", r->topic, r->why);
    if (got <= 0) return LEAT_AGAIN;
    if (!(*m)->err) return LEAT_OK;
    topic_reader_take_event(ctx, r, *m);
    rd_kafka_message_destroy(*m);
    *m = NULL;
    return LEAT_AGAIN;
}

bool topic_reader_at_end(const struct topic_reader *r) { return r->n && !r->unread; }
