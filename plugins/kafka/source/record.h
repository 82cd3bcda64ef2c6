/* record.h -- a message as a record of a batch.
 *
 * The record is the message's value, and has its key and its time; the rest of a message becomes
 * columns (message_columns.h). A message without a value becomes a record without bytes that is
 * marked as a tombstone (leat_is_tombstone). A record has no key when the message has none, and a
 * negative time when the message has none.
 */
#ifndef LEAT_KAFKA_SOURCE_RECORD_H
#define LEAT_KAFKA_SOURCE_RECORD_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct record_cfg {
    struct leat_strings columns;
    int64_t max_record;
};

/* Whether the batch has room. An empty batch has it for any: record_add rejects what is too
 * long. */
bool record_fits(const struct record_cfg *cfg, const struct leat_batch *b,
                 const rd_kafka_message_t *m);
/* Adds a message that fits. */
void record_add(struct leat_ctx *ctx, const struct record_cfg *cfg, struct leat_batch *b,
                const rd_kafka_message_t *m, uint32_t input);

#endif
