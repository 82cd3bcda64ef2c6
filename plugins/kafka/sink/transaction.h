/* transaction.h -- the transactions of sink.kafka, one for each checkpoint.
 *
 * A transaction contains the checkpoint's messages and states, the sources' offsets (position.h),
 * and the checkpoint's number. The number is stored as the offset of partition 0 of the sink's
 * topic, in a group "leat-ID" that no consumer joins. So any process can read the number, whichever
 * process has the sources' partitions by then.
 *
 * Errors: after a temporary error the sink tries again, until some time after the run is stopped.
 * After an error that makes the transaction fail, the sink aborts the transaction, and the run
 * rolls back. A fatal error ends the run, for example if another producer has begun under the same
 * ID.
 *
 * librdkafka may not return from a call within the time that the call was given (bounded.h). Then
 * the run ends with LEAT_ESTUCK, and the cluster aborts the transaction after its timeout. While a
 * run is being stopped, it ends so after half of the time that is left, with LEAT_EIO. */
#ifndef LEAT_KAFKA_SINK_TRANSACTION_H
#define LEAT_KAFKA_SINK_TRANSACTION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "kafka/client/producer.h"

enum { TRANSACTION_GROUP = 300 }; /* longest name of a group */
/* linger.ms of the messages, which readers see after the commit only. A thread of librdkafka spins
 * while a message has waited longer than this, and others of its partition are under way. */
#define TRANSACTION_LINGER_MS "100"

struct transaction {
    rd_kafka_t *rk;
    struct outage *outage; /* outage of the producer */
    const char *id, *topic;
    bool open;           /* a transaction has begun, and is neither committed nor aborted */
    bool stuck;          /* a call of librdkafka has not returned: rk must not be used again */
    bool waits;          /* the log has said that the sink retries */
    uint64_t give_up_at; /* deadline once the run is stopping, monotonic ns; 0 before */
    uint64_t n;          /* number of transactions committed in this run */
};

/* Writes the name of the group, "leat-ID". */
void transaction_group(const char *id, char group[TRANSACTION_GROUP]);

/* Returns the timeout of a transaction, in ms: four checkpoint intervals, but at least a minute. If
 * checkpoint_ns is 0 (unknown interval), returns 15 minutes. */
int64_t transaction_timeout_ms(int64_t checkpoint_ns);

/* Waits until the topic exists, because the checkpoint's number is stored as an offset of the
 * topic. Returns LEAT_OK, LEAT_EOS if the run is stopped, or a failure reported to the host. */
int transaction_await_topic(struct leat_ctx *ctx, struct transaction *t);
/* Fences off the previous producer of this ID, reads the number of the last committed checkpoint,
 * and begins a transaction (leat_stage.fence). */
int transaction_recover(struct leat_ctx *ctx, struct transaction *t, uint64_t *checkpoint);
/* Commits the transaction (leat_stage.commit). The cluster must have confirmed every message. */
int transaction_commit(struct leat_ctx *ctx, struct transaction *t, uint64_t checkpoint,
                       const struct leat_position *positions, uint32_t n);
/* Aborts a transaction that can no longer be committed. Returns LEAT_EROLLBACK or LEAT_EFENCED.
 * Reports `why` unless librdkafka knows the reason. */
int transaction_abort(struct leat_ctx *ctx, struct transaction *t, const char *why);
/* Aborts an open transaction, but tries this for a short time only. */
void transaction_close(struct leat_ctx *ctx, struct transaction *t);

/* Sends the states of the sources in the checkpoint's transaction. So the states are on their topic
 * if and only if the results and offsets are committed. */
struct transaction_states {
    rd_kafka_topic_t *topic; /* state topic with its settings; NULL before the first state */
    uint64_t sent;           /* number of messages sent */
};

/* Sends the states of `positions`. `buf` has at least max_message + STATES_HEADER bytes. Returns
 * LEAT_OK if all states are sent, or if p->why has a reason why not; or a failure reported to the
 * host. */
int transaction_states_send(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                            uint64_t checkpoint, const struct leat_position *positions, uint32_t n,
                            char *buf, size_t max_message);
/* Closes the topic. Call this before the producer is closed. */
void transaction_states_close(struct transaction_states *s);

#endif
