/* record.h -- a message as a record of a batch.
 *
 * The record is the message's value, and has its key and its time; what else a message has becomes
 * columns (message_columns.h). A message without a value is a record without bytes that is marked as such
 * (leat_is_tombstone), one without a key has none, and its time is negative when it has none.
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

/* Is there room for it? An empty batch has it for any: what is too long is rejected. */
bool record_fits(const struct record_cfg *cfg, const struct leat_batch *b,
                 const rd_kafka_message_t *m);
/* A message that fits, of an input of the source. */
void record_add(struct leat_ctx *ctx, const struct record_cfg *cfg, struct leat_batch *b,
                const rd_kafka_message_t *m, uint32_t input);

#endif
