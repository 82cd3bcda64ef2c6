/* consumer.h -- a Kafka consumer: its connection, its messages, and the commits of its offsets.
 *
 *   source_params.h     parameters of the consumer
 *   partitions.h        state of each partition, and how far it was read and committed
 *   rebalance.h         which partitions the consumer reads: the group assigns and revokes them
 *   places.h            where `start` and `until` say that a partition begins and ends
 *   offsets.h           where reading a partition begins, and whether its offsets are still valid
 *   bounds.h            where reading a partition ends
 *   partition_states.h  states of stages by partition
 *   static_member.h     name of this member in its group
 *
 * librdkafka commits nothing by itself. At a barrier, partitions_cut() stores the offset of each
 * partition as its cut. When the host reports that checkpoint as durable, consumer_commit() commits
 * the cuts. If a sink commits the offsets instead (ctx->position_committed), consumer_position()
 * gives the cuts to the sink, and consumer_commit() only notes that they are committed.
 *
 * All calls except consumer_wake() are on the stage's thread. They run librdkafka's callbacks. */
#ifndef LEAT_KAFKA_SOURCE_CONSUMER_H
#define LEAT_KAFKA_SOURCE_CONSUMER_H

#include <pthread.h>
#include <stdatomic.h>

#include "kafka/client/client.h"
#include "kafka/states/position.h"
#include "partitions.h"
#include "rebalance.h"
#include "source_params.h"
#include "static_member.h"

struct consumer {
    struct leat_ctx *ctx; /* context of the present call */
    const struct consumer_cfg *cfg;
    rd_kafka_t *rk;
    rd_kafka_queue_t *messages, *commits;
    pthread_mutex_t waking; /* guards `messages` against consumer_wake() */
    const char *brokers;    /* address of the brokers, or of the embedded broker */
    int64_t now_ms;         /* consumer_open(), ms since 1970: "-6h" is before it */
    bool named;             /* bounds_check() has looked at the partitions that places name */
    struct partitions partitions;
    struct rebalance rebalance;
    struct static_member member;
    struct position position; /* position for the sink to commit */
    struct position_bytes position_bytes;
    uint64_t writer; /* ID in the marks of this run's commits (position.h), saved in snapshots */
    uint32_t committing;  /* commit requests that are not answered yet */
    uint32_t woken;       /* index of the next partition for wake_broker() */
    _Atomic bool hurried; /* the next poll must not wait; any thread may set it */
    rd_kafka_t *asker;    /* client that only looks up offsets (offsets.c); NULL before use */
    uint64_t ask_at;      /* earliest time of the next request of `asker`, monotonic ns */
    struct outage outage;
    int kept_out; /* error with which other members keep this one out of the group; or 0 */
    uint64_t kept_out_until; /* when that ends the run, monotonic ns */
    bool waits;              /* the host was told what the consumer waits for */
    bool fenced;             /* the group has fenced this member out: the client is dead */
    bool wait_reported;      /* the log has said that the consumer waits for its topics */
    bool commit_reported;    /* the log has said that a commit failed */
    int failure;             /* negative status of a failure, whose reason is in `why`; or 0 */
    char why[512];
};

#define CONSUMER_LOG(C, LEVEL, ...) (C)->ctx->host->log((C)->ctx, LEVEL, __VA_ARGS__)

/* Opens a consumer. Returns LEAT_OK, or a failure reported to the host. Always call
 * consumer_close(). */
int consumer_open(struct leat_ctx *ctx, struct consumer *c, const struct consumer_cfg *cfg);
/* Joins the group with a new client, after the group has fenced this member out (`fenced`). The
 * caller must drop messages polled earlier. Returns LEAT_OK, or a failure reported to the host. */
int consumer_renew(struct leat_ctx *ctx, struct consumer *c);
/* Leaves the group, within some seconds, and frees c. Call rebalance_close() and offsets_close()
 * first. */
void consumer_close(struct leat_ctx *ctx, struct consumer *c);

/* Makes consumer_poll() return soon; if no poll is waiting, the next one does. Any thread may call
 * this while the consumer is open. */
void consumer_wake(struct consumer *c);
/* Waits up to `ms` milliseconds for messages. Writes up to n of them to m; the caller destroys
 * them. Returns their number, or the negative `failure` if the consumer has failed. */
ssize_t consumer_poll(struct leat_ctx *ctx, struct consumer *c, rd_kafka_message_t **m, size_t n,
                      int ms);
/* Waits a little because no broker knows the topics yet. Called instead of consumer_poll(). Returns
 * 0, or the negative `failure` if the consumer has failed. */
ssize_t consumer_await_topics(struct leat_ctx *ctx, struct consumer *c);

/* True if the parameter `topics` lists this topic by name, not only by a regular expression. */
bool consumer_lists(const struct consumer *c, const char *topic);
/* True if the parameter `topics` names this topic, or has a regular expression that matches it. */
bool consumer_reads(const struct consumer *c, const char *topic);
/* Stores a failure, which ends the run at the next poll. Returns `status`, or the status of an
 * earlier failure. */
int consumer_fail(struct consumer *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes that a broker has answered, or that the group has let the member in. */
void consumer_end_wait(struct consumer *c);
/* Handles an answer of brokers that ends the run, now or after a while: a missing right, a group
 * that this member cannot join. Returns false if waiting helps. */
bool consumer_take_answer(struct consumer *c, int err, const char *reason);

/* Commits the cuts of all partitions. Waits for the answer if `final`. */
void consumer_commit(struct leat_ctx *ctx, struct consumer *c, uint64_t checkpoint, bool final);
/* Handles a fatal error of librdkafka. If the group has fenced out a member whose name was made,
 * the consumer is `fenced`. Returns LEAT_OK then; otherwise a failure reported to the host. */
int consumer_take_fatal(struct leat_ctx *ctx, struct consumer *c);

/* Handles the brokers' answers to commits. Waits for them at most `seconds`. */
void consumer_take_commits(struct leat_ctx *ctx, struct consumer *c, int seconds);
/* Fills c->position with the uncommitted cuts, for the sink to commit. Returns LEAT_OK, or a
 * failure reported to the host. */
int consumer_position(struct leat_ctx *ctx, struct consumer *c);

#endif
