/* transaction.h -- the transactions of sink.kafka, one for each checkpoint.
 *
 * A transaction has the checkpoint's messages and states, the offsets that
 * sources give (position.h), and the checkpoint's number. That number is kept as the offset of
 * partition 0 of the sink's topic in a group of the transaction's own, "leat-ID", which nobody
 * joins: so it can be read back, whichever process has the sources' partitions by then.
 *
 * Errors. A temporary one is tried again, until the run was asked to stop and some time has passed.
 * One that spoils the transaction aborts it, and the run rolls back. A fatal one ends the run, for
 * instance when another producer has begun under the same ID.
 */
#ifndef LEAT_KAFKA_SINK_TRANSACTION_H
#define LEAT_KAFKA_SINK_TRANSACTION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "kafka/client/producer.h"

enum { TRANSACTION_GROUP = 300 }; /* bytes of its group's name */

struct transaction {
    rd_kafka_t *rk;
    struct outage *outage; /* of the producer */
    const char *id, *topic;
    bool open;           /* begun, and neither committed nor aborted */
    bool waits;          /* that was reported                        */
    uint64_t give_up_at; /* monotonic ns; 0: never                  */
    uint64_t n;          /* committed in this run                    */
};

/* Writes "leat-ID". */
void transaction_group(const char *id, char group[TRANSACTION_GROUP]);

/* Returns how long a transaction may take, with checkpoints of that length: four of them, at least
 * a minute. 0 is an unknown length. */
int64_t transaction_timeout_ms(int64_t checkpoint_ns);

/* Fences off the previous producer of this ID, reads the last checkpoint, begins:
 * leat_stage.fence. */
int transaction_recover(struct leat_ctx *ctx, struct transaction *t, uint64_t *checkpoint);
/* Commits, as leat_stage.commit. Every message was confirmed before. */
int transaction_commit(struct leat_ctx *ctx, struct transaction *t, uint64_t checkpoint,
                       const struct leat_position *positions, uint32_t n);
/* Aborts a transaction that cannot be committed any more: LEAT_EROLLBACK or LEAT_EFENCED. `why` is
 * reported unless librdkafka knows the reason. */
int transaction_abort(struct leat_ctx *ctx, struct transaction *t, const char *why);
/* Aborts an open transaction, if that is possible soon. */
void transaction_close(struct leat_ctx *ctx, struct transaction *t);

/* The states that a source's position names, as messages of the checkpoint's transaction: they are
 * on their topic if and only if its results and offsets are committed. */
struct transaction_states {
    rd_kafka_topic_t *topic; /* of the states, with settings of its own; NULL: none came yet */
    uint64_t sent;           /* messages */
};

/* Sends the states that `positions` name, through `buf` of at least max_message + STATES_HEADER
 * bytes. Returns LEAT_OK if all are sent, or p->why says why not; or a failure reported to the
 * host. */
int transaction_states_send(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                            uint64_t checkpoint, const struct leat_position *positions, uint32_t n,
                            char *buf, size_t max_message);
/* Call it before the producer is closed. */
void transaction_states_close(struct transaction_states *s);

#endif
