/* trial.h -- finds the messages that the cluster would refuse, before they are in a transaction.
 *
 * A refused message makes its whole transaction fail, and no other one can be committed instead.
 * After the first such message, the sink tries each batch in a transaction of its own, ID-try,
 * which is always aborted. So no reader of committed messages sees it. */
#ifndef LEAT_KAFKA_SINK_TRIAL_H
#define LEAT_KAFKA_SINK_TRIAL_H

#include "kafka/client/producer.h"

struct trial {
    struct producer producer; /* its rk is NULL until the first trial */
    char id[256];
};

/* Makes the message of record r for a trial. Returns false if the record has none. */
typedef bool trial_message(void *sink, const struct leat_batch *b, uint32_t r, struct message *m);
/* Rejects record r, whose message the cluster refuses. */
typedef void trial_reject(struct leat_ctx *ctx, void *sink, struct leat_batch *b, uint32_t r,
                          rd_kafka_resp_err_t err);

/* Opens the producer, with cfg but for the name of the transaction, unless it is open. Returns
 * LEAT_OK, or a failure reported to the host. */
int trial_open(struct leat_ctx *ctx, struct trial *t, const struct client_cfg *cfg);
/* Tries the selected records, and calls `reject` for each that the cluster refuses. Returns
 * LEAT_OK, or a failure reported to the host. */
int trial_batch(struct leat_ctx *ctx, struct trial *t, void *sink, struct leat_batch *b,
                trial_message *message, trial_reject *reject);
void trial_close(struct trial *t);

#endif
