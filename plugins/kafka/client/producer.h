/* producer.h -- an idempotent producer that counts what the cluster has confirmed.
 *
 * It waits for a broker and never drops a message. When the run is to stop it waits some seconds
 * more, then gives up and reports how much was not confirmed. One thread at a time.
 */
#ifndef LEAT_KAFKA_CLIENT_PRODUCER_H
#define LEAT_KAFKA_CLIENT_PRODUCER_H

#include "client.h"

/* Bytes of a message besides its value: its key, its header. */
enum { PRODUCER_OVERHEAD = 4096 };

struct producer {
    struct leat_ctx *ctx; /* of the call being served */
    rd_kafka_t *rk;
    uint64_t sent, confirmed;
    struct outage outage;
    bool silent;         /* another client reports that no broker can be reached      */
    bool gave_up;        /* the run was to stop, and not all was confirmed in time    */
    uint64_t give_up_at; /* when to do so, monotonic ns; 0: the run is not to stop   */
    char why[512];       /* why a message will never arrive, of the first one; or ""  */
};

struct message {
    const char *topic;
    int32_t partition;       /* RD_KAFKA_PARTITION_UA: by its key, or any */
    const void *value, *key; /* NULL: none, which is not an empty one */
    size_t value_len, key_len;
    int64_t time;                /* ms since 1970; 0: now                       */
    rd_kafka_headers_t *headers; /* or NULL; taken over when the message is sent */
};

/* Returns LEAT_OK, or a failure reported to the host. */
int producer_open(struct leat_ctx *ctx, struct producer *p, const struct client_cfg *cfg);
/* Copies the message. Waits while the queue is full: the cluster sets the pace. */
rd_kafka_resp_err_t producer_send(struct leat_ctx *ctx, struct producer *p, struct message *m);
/* Waits until all that was sent is confirmed, or there is a `why`. */
void producer_confirm(struct leat_ctx *ctx, struct producer *p);
/* Sets p->why when all brokers have refused the client for a while. */
void producer_check_refused(struct producer *p);
void producer_close(struct producer *p);

#endif
