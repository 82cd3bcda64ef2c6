/* message_columns.h -- what of a message besides its value becomes columns.
 *
 *   key, topic, header.NAME     text; no value where the message has none
 *   partition, offset           numbers
 *   time                        a number: ms since 1970
 *   tombstone                   a number: 1 of a message without a value, else 0
 *
 * Each is a column of that name.
 */
#ifndef LEAT_KAFKA_SOURCE_MESSAGE_COLUMNS_H
#define LEAT_KAFKA_SOURCE_MESSAGE_COLUMNS_H

#include <leat/plugin.h>

#include <librdkafka/rdkafka.h>

/* Says against the parameter `columns` which are none. */
void message_columns_check(const struct leat_strings *names, struct leat_diag *d);
int message_columns_negotiate(const struct leat_strings *names, struct leat_negotiation *n);
/* Bytes of text that a message's columns take; 0 without any. The key's are the record's. */
size_t message_columns_bytes(const struct leat_strings *names, const rd_kafka_message_t *m);
/* Of record r, which has its key and whose bytes fit. */
void message_columns_fill(const struct leat_strings *names, struct leat_batch *b, uint32_t r,
                          const rd_kafka_message_t *m);

#endif
