/* producer.h -- an idempotent producer that counts the messages that the cluster has confirmed.
 *
 * The producer waits for a broker and never drops a message. When the run stops, it waits some
 * seconds more. Then it gives up and reports how many messages were not confirmed. Only one thread
 * at a time may use it.
 *
 * Refused messages. Kafka refuses a whole batch of messages for one of them. A producer with
 * `on_refused` collects the refused messages and sends them again in ever smaller parts, until the
 * bad one is alone. The others arrive once each and in their order, but after messages of their
 * partition that were under way. */
#ifndef LEAT_KAFKA_CLIENT_PRODUCER_H
#define LEAT_KAFKA_CLIENT_PRODUCER_H

#include "client.h"
#include "kept.h"

/* Bytes of a message that are reserved for its key and headers. */
enum { PRODUCER_OVERHEAD = 4096 };
/* Most memory of the records that a producer keeps, unless a single one needs more. */
enum { PRODUCER_KEPT = 32 << 20 };

struct message {
    const char *topic;
    int32_t partition;       /* RD_KAFKA_PARTITION_UA: chosen by the key, or at random */
    const void *value, *key; /* NULL if absent, which differs from empty */
    size_t value_len, key_len;
    int64_t time;                /* ms since 1970; 0 for the present time */
    rd_kafka_headers_t *headers; /* may be NULL; the client owns them once the message is sent */
    struct pending *pending;     /* of producer_keep; may be NULL; the same */
};

/* A message that the cluster has refused. */
struct refused {
    struct refused *next;
    struct message message;
    rd_kafka_resp_err_t err;
    char text[]; /* value, key */
};

struct refused_list {
    struct refused *first, *last;
    size_t n;
};

struct producer {
    struct leat_ctx *ctx; /* context of the present call */
    rd_kafka_t *rk;
    uint64_t sent, reported; /* messages given to librdkafka, and how many it has reported on */
    uint64_t confirmed;      /* messages that the cluster has confirmed */
    /* Takes a record that the cluster refuses, with its message: rejects it. NULL: a refused
     * message ends the run. */
    void (*on_refused)(struct leat_ctx *, struct producer *, const void *kept,
                       const struct message *, rd_kafka_resp_err_t);
    void *of; /* for on_refused */
    /* Error with which the cluster has refused a message whose record is not kept; 0: none. */
    rd_kafka_resp_err_t refusal;
    struct kept kept;
    struct refused_list refused;
    struct outage outage;
    bool silent;         /* another client reports outages */
    bool waits;          /* the host was told that the producer waits for a broker */
    bool gave_up;        /* the run was stopping, and some messages were not confirmed in time */
    uint64_t give_up_at; /* deadline once the run is stopping, monotonic ns; 0 before */
    char why[512];       /* reason why messages can no longer be delivered; "" if they can */
};

/* Opens a producer. Returns LEAT_OK, or a failure reported to the host. */
int producer_open(struct leat_ctx *ctx, struct producer *p, const struct client_cfg *cfg);
/* Keeps record r until its message is confirmed. Waits while much is kept. Returns NULL if there is
 * no memory, or if p->why has a reason to give up. */
struct pending *producer_keep(struct leat_ctx *ctx, struct producer *p, const struct leat_batch *b,
                              uint32_t r);
void producer_drop(struct producer *p, struct pending *pending);
/* Queues a copy of the message. Waits while the queue is full, so the cluster sets the pace. */
rd_kafka_resp_err_t producer_send(struct leat_ctx *ctx, struct producer *p, struct message *m);
/* Waits until the cluster has confirmed all messages but the refused ones, or p->why has a reason
 * to give up. */
void producer_confirm(struct leat_ctx *ctx, struct producer *p);
/* Takes reports on messages without waiting. If some are refused, does as producer_confirm. */
void producer_poll(struct leat_ctx *ctx, struct producer *p);
/* Sets p->why if all brokers have refused the client for 20 s. */
void producer_check_refused(struct producer *p);
void producer_close(struct producer *p);

#endif
