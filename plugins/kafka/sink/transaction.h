/* transaction.h -- the transactions of sink.kafka: one a checkpoint.
 *
 * In one transaction go the checkpoint's messages and states (transaction_states.h), the offsets that
 * sources position (position.h), and the number of the checkpoint. That number is kept as the
 * offset of partition 0 of the sink's topic in a group of the transaction's own, "leat-ID", which
 * nobody joins: so it can be asked for whoever owns the sources' partitions by then.
 *
 * Errors. Those that may pass are tried again, until the run has been asked to stop and some time
 * has gone by. Those that cost the transaction: it is aborted, and the run goes back. Fatal ones,
 * among them that another producer has begun under the same ID: the run ends.
 */
#ifndef LEAT_KAFKA_SINK_TRANSACTION_H
#define LEAT_KAFKA_SINK_TRANSACTION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct transaction {
    rd_kafka_t *rk;
    const char *id, *topic;
    bool open;       /* begun, and neither committed nor aborted */
    bool waits;      /* it was said so                           */
    int64_t give_up; /* when to, ns, monotonic; 0: never         */
    uint64_t n;      /* committed in this run                    */
};

/* How long a transaction may take, for checkpoints of that length: more than three of them. */
int64_t transaction_timeout_ms(int64_t checkpoint_ns);

/* Fence off whoever had this ID before, ask for the last checkpoint, begin. As `committed`. */
int transaction_recover(struct leat_ctx *ctx, struct transaction *t, uint64_t *checkpoint);
/* As `commit`; every message was confirmed before. */
int transaction_commit(struct leat_ctx *ctx, struct transaction *t, uint64_t checkpoint,
                       const struct leat_position *position, uint32_t n);
/* It cannot be committed any more, and why, if librdkafka does not know it better. Aborts it:
 * LEAT_EROLLBACK or LEAT_EFENCED. */
int transaction_abort(struct leat_ctx *ctx, struct transaction *t, const char *why);
/* What is open is aborted, if that is possible soon. */
void transaction_close(struct transaction *t);

#endif
