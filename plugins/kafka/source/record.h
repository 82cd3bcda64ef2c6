/* record.h -- a message as a record of a batch.
 *
 * The record is the message's value, with its key and its time. A message without a value becomes
 * an empty record that is marked as a tombstone (leat_is_tombstone). A message without a key gives
 * a record without a key; one without a time gives a negative time.
 *
 * The parts of a message that `columns` names become columns of the same names:
 *
 *   key, topic, header.NAME     texts; no value where the message has none
 *   partition, offset           integers
 *   time                        a number: ms since 1970
 *   tombstone                   a number: 1 when the message has no value, else 0 */
#ifndef LEAT_KAFKA_SOURCE_RECORD_H
#define LEAT_KAFKA_SOURCE_RECORD_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct record_cfg {
    struct leat_strings columns;
    int64_t max_record;
};

/* Reports names of columns that a message does not have, in the stage's validate. */
void record_check(const struct record_cfg *cfg, struct leat_diag *d);
int record_negotiate(const struct record_cfg *cfg, struct leat_negotiation *n);
/* True if the batch has room. An empty batch has room for any message: record_add rejects one that
 * is too long. */
bool record_fits(const struct record_cfg *cfg, const struct leat_batch *b,
                 const rd_kafka_message_t *m);
/* Adds a message that fits. */
void record_add(struct leat_ctx *ctx, const struct record_cfg *cfg, struct leat_batch *b,
                const rd_kafka_message_t *m, uint32_t input);

#endif
