/* message_columns.h -- the parts of a message that `columns` names, as columns of its record:
 *
 *   key, topic, header.NAME     texts; no value where the message has none
 *   partition, offset           numbers
 *   time                        a number: ms since 1970
 *   tombstone                   a number: 1 when the message has no value, else 0
 *
 * Each is a column of that name.
 */
#ifndef LEAT_KAFKA_SOURCE_MESSAGE_COLUMNS_H
#define LEAT_KAFKA_SOURCE_MESSAGE_COLUMNS_H

#include <leat/plugin.h>

#include <librdkafka/rdkafka.h>

/* Reports names that are none of these. */
void message_columns_check(const struct leat_strings *names, struct leat_diag *d);
int message_columns_negotiate(const struct leat_strings *names, struct leat_negotiation *n);
/* How many bytes of text a message's columns take. The key's bytes are the record's. */
size_t message_columns_bytes(const struct leat_strings *names, const rd_kafka_message_t *m);
/* Fills in the columns of record r, which has its key and whose bytes fit. */
void message_columns_fill(const struct leat_strings *names, struct leat_batch *b, uint32_t r,
                          const rd_kafka_message_t *m);

#endif
