/* producer.h -- an idempotent producer that counts what is confirmed: of sink.kafka and
 * sink.dead_letters.
 *
 * It waits for a broker and never drops anything: of a run that is to stop it waits some seconds
 * more, then gives up and says what for. Threads: one at a time.
 */
#ifndef LEAT_KAFKA_CLIENT_PRODUCER_H
#define LEAT_KAFKA_CLIENT_PRODUCER_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct producer {
    rd_kafka_t *rk;
    struct leat_ctx *ctx; /* of the call being served */
    uint64_t sent, confirmed;
    bool down, gave_up;
    int64_t give_up; /* once the run is to stop: when to wait no longer, seconds; or 0 */
    char why[400];   /* the first message that will never arrive */
};

struct message {
    const char *topic;
    int32_t partition;       /* RD_KAFKA_PARTITION_UA: by its key, or any */
    const void *value, *key; /* NULL: none, which is not an empty one */
    size_t value_len, key_len;
    int64_t time;                /* ms since 1970; 0: now                       */
    rd_kafka_headers_t *headers; /* or NULL; taken over when it returns 0       */
};

/* What every producer of ours is set to, then the user's. false: `why` says what is wrong. */
bool producer_configure(rd_kafka_conf_t *conf, const char *brokers, int64_t max_message,
                        const struct leat_strings *properties, char *why, size_t cap);
/* Takes conf over. LEAT_OK, or a failure told to the run. */
int producer_open(struct leat_ctx *ctx, struct producer *p, rd_kafka_conf_t *conf);
/* Copies the message. Waits while the queue is full: the cluster sets the pace. */
rd_kafka_resp_err_t producer_send(struct leat_ctx *ctx, struct producer *p, struct message *m);
/* Until all that was sent is confirmed, or there is a `why`. */
void producer_confirm(struct leat_ctx *ctx, struct producer *p);
void producer_close(struct producer *p);

#endif
