/* consumer.h -- a Kafka consumer that keeps its offsets itself: connection, assignment, commits.
 *
 * Nothing is committed on its own: consumer_commit does it for what partitions_cut has cut, when
 * the host says that it is durable. Where a sink commits (ctx->transactional) it only positions
 * what was cut, and the group's offsets are where it goes on, whatever a snapshot says: results up
 * to there have been seen. Partitions with a state of their own go on from its offset (partition_states.h).
 * When the group takes partitions away, they are kept until what was delivered of them is durable
 * and committed, or a deadline has passed; until then nothing is read (consumer_waits). Partitions
 * that were lost already are let go at once, uncommitted.
 *
 * All calls are on the stage's thread; librdkafka's callbacks run inside them.
 */
#ifndef LEAT_KAFKA_SOURCE_CONSUMER_H
#define LEAT_KAFKA_SOURCE_CONSUMER_H

#include <leat/plugin.h>

#include "position.h"
#include "partitions.h"

enum consumer_start {
    START_EARLIEST,
    START_LATEST,
    START_COMMITTED,
    START_TIMESTAMP,
    START_OFFSET
};
enum consumer_missing { MISSING_REFUSE, MISSING_BEGIN };

struct consumer_cfg {
    const char *brokers, *group, *instance;
    struct leat_strings topics, properties;
    struct leat_strings offsets; /* each "topic/partition=offset" */
    int32_t start;
    int32_t until_end;
    int64_t timestamp;    /* ms since 1970 */
    int64_t prefetch;     /* bytes         */
    int32_t by_partition; /* each partition has a state of its own              */
    int32_t missing;      /* then: what if one is not where the group's offset is */
    const char *state_topic;
};

struct consumer {
    struct leat_ctx *ctx; /* of the call being served */
    const struct consumer_cfg *cfg;
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue, *commits;
    const char *brokers; /* where they are: of an embedded one, too */
    struct partitions partitions;
    rd_kafka_topic_partition_list_t *given;   /* to be assigned; or NULL */
    rd_kafka_topic_partition_list_t *revoked; /* to be let go, once committed; or NULL */
    int64_t deadline;                         /* of that, ns, monotonic                */
    bool asked;                               /* for a checkpoint, to commit them          */
    bool connected, closing;
    bool down, refused;   /* said: no broker; no commit */
    uint32_t woken;       /* the partition whose broker is woken next */
    int64_t look_at;      /* for new partitions, ns; 0: not yet begun */
    uint32_t assignments; /* that the group has made so far */
    uint32_t committing;  /* requests under way             */
    struct position position;
    int failure;
    char why[512];
};

#define CONSUMER_LOG(C, LEVEL, ...) (C)->ctx->host->log((C)->ctx, LEVEL, __VA_ARGS__)

/* The run ends, at the next poll. Returns `status`, or that of the failure before. */
int consumer_fail(struct consumer *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks a property list, without a network: NULL, or what is wrong (lasts until the next call of
 * this thread). */
const char *consumer_wrong(const struct consumer_cfg *cfg, char *text, size_t cap);

int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg);
/* Leaves the group; at most some seconds. */
void consumer_close(struct leat_ctx *ctx, struct consumer *c);

/* Up to n messages within ms milliseconds, the caller's to destroy; negative: `why`. */
ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms);
/* Read the partitions that were given (start_offset.h says from where), and no others. Messages polled
 * before are of the assignment before. */
void consumer_assign(struct leat_ctx *ctx, struct consumer *c);
/* Without a group nobody says when a topic has more partitions than it had: looks, now and then. */
void consumer_look_around(struct leat_ctx *ctx, struct consumer *c);
/* Partitions wait to be let go: nothing may be read now. */
bool consumer_waits(struct leat_ctx *ctx, struct consumer *c);
/* What was cut is durable: commit it, and let go what waits for that. `final`: wait for the answer.
 */
void consumer_commit(struct leat_ctx *ctx, struct consumer *c, const char *metadata, bool final);
/* For a sink to commit: what was cut and is not committed yet, in `position`. */
int consumer_position(struct leat_ctx *ctx, struct consumer *c);
/* Answers to commits that have come. */
void consumer_collect(struct leat_ctx *ctx, struct consumer *c, int ms);

#endif
