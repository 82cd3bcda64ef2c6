/* transaction.h -- the transactions of sink.kafka, one a checkpoint.
 *
 * A transaction has the checkpoint's messages and states, the sources' offsets (position.h), and
 * the checkpoint's number. The number is stored as the offset of partition 0 of the sink's topic,
 * in a group "leat-ID" that nobody joins. So any process can read it back, whichever has the
 * sources' partitions by then.
 *
 * Errors. A temporary error is retried, until some time after a stop of the run. An error that
 * spoils the transaction aborts it, and the run rolls back. A fatal error ends the run, for
 * instance when another producer has begun under the same ID. */
#ifndef LEAT_KAFKA_SINK_TRANSACTION_H
#define LEAT_KAFKA_SINK_TRANSACTION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "kafka/client/producer.h"

enum { TRANSACTION_GROUP = 300 }; /* bytes of the group's name */

struct transaction {
    rd_kafka_t *rk;
    struct outage *outage; /* of the producer */
    const char *id, *topic;
    bool open;           /* begun, but neither committed nor aborted */
    bool waits;          /* reported that it waits */
    uint64_t give_up_at; /* time to give up, monotonic ns; 0 for never */
    uint64_t n;          /* transactions committed in this run */
};

/* Writes "leat-ID". */
void transaction_group(const char *id, char group[TRANSACTION_GROUP]);

/* Returns the timeout of a transaction for this interval of checkpoints: four intervals, but at
 * least a minute. An interval of 0 is unknown. */
int64_t transaction_timeout_ms(int64_t checkpoint_ns);

/* Fences off the previous producer of this ID, reads the last checkpoint, and begins, for
 * leat_stage.fence. */
int transaction_recover(struct leat_ctx *ctx, struct transaction *t, uint64_t *checkpoint);
/* Commits, for leat_stage.commit. The cluster has confirmed every message before. */
int transaction_commit(struct leat_ctx *ctx, struct transaction *t, uint64_t checkpoint,
                       const struct leat_position *positions, uint32_t n);
/* Aborts a transaction that can no longer be committed. Returns LEAT_EROLLBACK or LEAT_EFENCED.
 * Reports `why` unless librdkafka knows the reason. */
int transaction_abort(struct leat_ctx *ctx, struct transaction *t, const char *why);
/* Aborts an open transaction, if that is possible soon. */
void transaction_close(struct leat_ctx *ctx, struct transaction *t);

/* Sends the states of a source's position in the checkpoint's transaction. So they are on their
 * topic if and only if its results and offsets are committed. */
struct transaction_states {
    rd_kafka_topic_t *topic; /* topic of the states, with its own settings; NULL before the first */
    uint64_t sent;           /* messages sent */
};

/* Sends the states of `positions`, through `buf` of at least max_message + STATES_HEADER bytes.
 * Returns LEAT_OK if all are sent or p->why has a reason; or a failure reported to the host. */
int transaction_states_send(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                            uint64_t checkpoint, const struct leat_position *positions, uint32_t n,
                            char *buf, size_t max_message);
/* Closes the topic; call it before the producer is closed. */
void transaction_states_close(struct transaction_states *s);

#endif
