/* producer.h -- an idempotent producer that counts the messages that the cluster has confirmed.
 *
 * The producer waits for a broker and never drops a message. When the run stops, it waits some
 * seconds more. Then it gives up and reports how many messages were not confirmed. Only one thread
 * at a time may use it. */
#ifndef LEAT_KAFKA_CLIENT_PRODUCER_H
#define LEAT_KAFKA_CLIENT_PRODUCER_H

#include "client.h"

/* Bytes of a message that are reserved for its key and headers. */
enum { PRODUCER_OVERHEAD = 4096 };

struct producer {
    struct leat_ctx *ctx; /* context of the present call */
    rd_kafka_t *rk;
    uint64_t sent, confirmed;
    struct outage outage;
    bool silent;         /* another client reports outages */
    bool gave_up;        /* the run was stopping, and some messages were not confirmed in time */
    uint64_t give_up_at; /* deadline once the run is stopping, monotonic ns; 0 before */
    char why[512];       /* reason why messages can no longer be delivered; "" if they can */
};

struct message {
    const char *topic;
    int32_t partition;       /* RD_KAFKA_PARTITION_UA: chosen by the key, or at random */
    const void *value, *key; /* NULL if absent, which differs from empty */
    size_t value_len, key_len;
    int64_t time;                /* ms since 1970; 0 for the present time */
    rd_kafka_headers_t *headers; /* may be NULL; the client owns them once the message is sent */
};

/* Opens a producer. Returns LEAT_OK, or a failure reported to the host. */
int producer_open(struct leat_ctx *ctx, struct producer *p, const struct client_cfg *cfg);
/* Queues a copy of the message. Waits while the queue is full, so the cluster sets the pace. */
rd_kafka_resp_err_t producer_send(struct leat_ctx *ctx, struct producer *p, struct message *m);
/* Waits until the cluster has confirmed all messages, or p->why has a reason to give up. */
void producer_confirm(struct leat_ctx *ctx, struct producer *p);
/* Sets p->why if all brokers have refused the client for 20 s. */
void producer_check_refused(struct producer *p);
void producer_close(struct producer *p);

#endif
