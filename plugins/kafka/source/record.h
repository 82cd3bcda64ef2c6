/* record.h -- converts a Kafka message to a record of a batch.
 *
 * The record is the message's value, with its key and its time. A message without a value becomes
 * an empty record that is marked as a tombstone (leat_is_tombstone). A message without a key gives
 * a record without a key; one without a time gives a negative time.
 *
 * The parts of a message that are listed in `columns` become columns of the same names:
 *
 *   key, topic, header.NAME     text; missing if the message does not have the part
 *   partition, offset           integers
 *   time                        number: ms since 1970
 *   tombstone                   number: 1 if the message has no value, else 0 */
#ifndef LEAT_KAFKA_SOURCE_RECORD_H
#define LEAT_KAFKA_SOURCE_RECORD_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

enum record_headers { HEADERS_KEEP, HEADERS_SKIP };

struct record_cfg {
    struct leat_strings columns;
    int64_t max_record;
    int32_t headers; /* enum record_headers */
};

/* Reports names in `columns` that are not parts of a message. Called in validate. */
void record_check(const struct record_cfg *cfg, struct leat_diag *d);
int record_negotiate(const struct record_cfg *cfg, struct leat_negotiation *n);
/* A message, its headers and how many bytes of it go into a batch. */
struct record_message {
    const rd_kafka_message_t *m;
    rd_kafka_headers_t *headers; /* NULL: the message has none, or nobody needs them */
    size_t headers_bytes, bytes;
};

/* Measures a message. Call it once for each message: librdkafka decodes the headers at each call,
 * which takes longer than all else that is done for a short message. */
struct record_message record_measure(const struct record_cfg *cfg, const rd_kafka_message_t *m);
/* True if the message fits into the batch. An empty batch fits any message, because record_add()
 * rejects a message that is too long. */
bool record_fits(const struct leat_batch *b, const struct record_message *r);
/* Adds the message to the batch. Requires record_fits(). */
void record_add(struct leat_ctx *ctx, const struct record_cfg *cfg, struct leat_batch *b,
                const struct record_message *message, uint32_t input);

#endif
