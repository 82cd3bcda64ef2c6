/* consumer.h -- a Kafka consumer that keeps its offsets itself: its connection and its messages.
 *
 *   rebalance.h       which partitions it reads: assigned by the group, taken away by it
 *   all_partitions.h  without a group: all partitions of the topics
 *   matched_topics.h  topics that match a regular expression, and are deleted
 *   start_offset.h    where reading a partition begins
 *   same_topic.h      whether its offsets still mean the same messages
 *   partitions.h      how far each was read, and committed
 *   commit.h          the offsets: to the group, or to a sink that commits
 *
 * All calls but consumer_wake are on the stage's thread; librdkafka's callbacks run inside them.
 */
#ifndef LEAT_KAFKA_SOURCE_CONSUMER_H
#define LEAT_KAFKA_SOURCE_CONSUMER_H

#include <stdatomic.h>

#include "kafka/client/client.h"
#include "kafka/client/outage.h"
#include "partitions.h"
#include "kafka/states/position.h"

enum consumer_start {
    START_EARLIEST,
    START_LATEST,
    START_COMMITTED,
    START_TIMESTAMP,
    START_OFFSET
};
enum consumer_missing { MISSING_REFUSE, MISSING_BEGIN };
enum consumer_expired { EXPIRED_REFUSE, EXPIRED_BEGIN };

struct consumer_cfg {
    const char *brokers, *group, *instance;
    struct leat_strings topics, properties;
    struct leat_strings offsets; /* each "topic/partition=offset" */
    const char *start;           /* a word, or a time (start_time.h) */
    int32_t by_partition;        /* each partition has a state of its own                 */
    int32_t missing;             /* enum consumer_missing: no state with the group's offset */
    int32_t expired;             /* enum consumer_expired: the next message was deleted    */
    int64_t timestamp;           /* ms since 1970 */
    int64_t prefetch;            /* bytes         */
    const char *state_topic;
};

struct consumer {
    struct leat_ctx *ctx; /* of the call being served */
    const struct consumer_cfg *cfg;
    rd_kafka_t *rk;
    rd_kafka_queue_t *messages, *commits;
    const char *brokers; /* their address, of an embedded one, too */
    int start;           /* enum consumer_start */
    int64_t start_ms;    /* START_TIMESTAMP: since 1970; of "-6h" when the consumer was opened */
    struct partitions partitions;
    struct position position; /* that a sink is to commit */
    struct position_bytes position_bytes;
    uint64_t writer; /* of its commits (commit_mark.h); kept in the snapshot */

    /* rebalance.h, all_partitions.h */
    rd_kafka_topic_partition_list_t *to_assign; /* or NULL                          */
    rd_kafka_topic_partition_list_t *to_revoke; /* once committed; or NULL          */
    uint64_t revoke_deadline;                   /* of that, monotonic ns            */
    bool cooperative;                           /* partitions that do not move are read on */
    bool stopped_reading;                       /* one of them, until that is over    */
    bool checkpoint_requested;                  /* to commit them                   */
    uint64_t look_at;                           /* at the cluster's topics, ns; 0: not yet begun */

    uint32_t committing;  /* requests under way                                  */
    uint32_t woken;       /* the partition whose broker is woken next            */
    _Atomic bool hurried; /* it is not to wait; set by any thread (consumer_wake) */
    bool connected, closing;
    rd_kafka_t *asker; /* same_topic.h: asks beside the connection that fetches */
    uint64_t ask_at;   /* not before that, monotonic ns */
    bool waits;        /* it was reported that topics are waited for           */
    struct outage outage;
    bool commit_failed; /* it was reported that offsets could not be committed  */
    int failure;        /* status, or 0; and then why                           */
    char why[512];
};

#define CONSUMER_LOG(C, LEVEL, ...) (C)->ctx->host->log((C)->ctx, LEVEL, __VA_ARGS__)

/* In the stage's validate: reports what is wrong with the connection. */
void consumer_validate(const struct consumer_cfg *cfg, struct leat_diag *d);

/* LEAT_OK, or a failure reported to the host. Afterwards always close it. */
int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg);
/* Leaves the group; takes at most some seconds. */
void consumer_close(struct leat_ctx *ctx, struct consumer *c);

/* A consumer_poll that waits returns soon, or else the next one. Any thread, between open and
 * close. */
void consumer_wake(struct consumer *c);

/* Up to n messages within ms milliseconds, the caller's to destroy; negative: `failure` says
 * why. */
ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms);

/* Ends the run at the next poll. Returns `status`, or that of an earlier failure. */
int consumer_fail(struct consumer *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
