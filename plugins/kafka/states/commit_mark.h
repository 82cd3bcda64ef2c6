/* commit_mark.h -- what leat commits with an offset, as its metadata: who committed it, and which
 * message was the last before it.
 *
 * Offsets are numbers: they do not say whether a topic of the same name is still the same topic.
 * So the last message is kept with its time and a hash of its key and value, and compared when
 * reading continues there. */
#ifndef LEAT_KAFKA_STATES_COMMIT_MARK_H
#define LEAT_KAFKA_STATES_COMMIT_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include <librdkafka/rdkafka.h>

#include "states.h"

struct last_message last_message_of(const rd_kafka_message_t *m);
bool last_message_is(const struct last_message *l, const rd_kafka_message_t *m);

struct commit_mark {
    uint64_t checkpoint;
    uint64_t writer; /* of a run and those that continue its state; 0: not known */
    struct last_message last;
};

/* Sets the metadata of t. */
void commit_mark_put(rd_kafka_topic_partition_t *t, const struct commit_mark *m);
/* false: leat has not committed this. */
bool commit_mark_get(const rd_kafka_topic_partition_t *t, struct commit_mark *m);

#endif
