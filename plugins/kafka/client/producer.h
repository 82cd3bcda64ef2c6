/* producer.h -- an idempotent producer that counts the messages that the cluster has confirmed.
 *
 * It waits for a broker and never drops a message. When the run stops, it waits some seconds more.
 * Then it gives up and reports how much was not confirmed. One thread at a time may use it. */
#ifndef LEAT_KAFKA_CLIENT_PRODUCER_H
#define LEAT_KAFKA_CLIENT_PRODUCER_H

#include "client.h"

/* Bytes of a message without its value: key and header. */
enum { PRODUCER_OVERHEAD = 4096 };

struct producer {
    struct leat_ctx *ctx; /* context of the present call */
    rd_kafka_t *rk;
    uint64_t sent, confirmed;
    struct outage outage;
    bool silent;         /* another client reports that no broker can be reached */
    bool gave_up;        /* the run was to stop, and some messages were not confirmed in time */
    uint64_t give_up_at; /* time to give up, monotonic ns; 0 while the run is not stopping */
    char why[512];       /* why the first undeliverable message will never arrive; or "" */
};

struct message {
    const char *topic;
    int32_t partition;       /* RD_KAFKA_PARTITION_UA: by its key, or any */
    const void *value, *key; /* NULL for none, which differs from an empty one */
    size_t value_len, key_len;
    int64_t time;                /* ms since 1970; 0 for now */
    rd_kafka_headers_t *headers; /* or NULL; the client takes them over with the message */
};

/* Returns LEAT_OK, or a failure reported to the host. */
int producer_open(struct leat_ctx *ctx, struct producer *p, const struct client_cfg *cfg);
/* Sends a copy of the message. Waits while the queue is full: the cluster sets the pace. */
rd_kafka_resp_err_t producer_send(struct leat_ctx *ctx, struct producer *p, struct message *m);
/* Waits until the cluster has confirmed all messages, or p->why has a reason. */
void producer_confirm(struct leat_ctx *ctx, struct producer *p);
/* Sets p->why if all brokers have refused the client for a while. */
void producer_check_refused(struct producer *p);
void producer_close(struct producer *p);

#endif
