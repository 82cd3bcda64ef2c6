/* position.h -- what source.kafka positions for a checkpoint, for sink.kafka to commit in its
 * transaction.
 *
 * The offsets, and the membership in the group they were read under, taken at the same moment: if
 * the group has given the partitions to someone else since, the cluster refuses both together. With
 * state = "partition" also which states go with them: the states themselves are not made yet, the
 * sink has them from the host (leat_host.shard_state) and writes them as states.h says.
 *
 * A position never leaves the process: its bytes are this struct.
 */
#ifndef LEAT_KAFKA_SOURCE_POSITION_H
#define LEAT_KAFKA_SOURCE_POSITION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct position_state {
    char *name;     /* states_name                          */
    int64_t next;   /* the offset it will be as of          */
    uint32_t input; /* the host's number of it              */
    uint32_t slot;  /* in which the one before it lies      */
};

struct position {
    char what[8];
    rd_kafka_consumer_group_metadata_t *member; /* NULL: no group              */
    rd_kafka_topic_partition_list_t *offsets;   /* NULL: none have moved on    */

    struct position_state *state; /* room for cap */
    uint32_t n_states, cap;
    const char *state_topic;
    int32_t state_partitions; /* of that topic                        */
    size_t max_message;       /* longer states go in several messages */
};

/* Of what was claimed before nothing is left. */
void position_begin(struct position *c);
/* name is copied; false: no memory. */
bool position_add(struct position *c, const char *name, int64_t next, uint32_t input,
                  uint32_t slot);
void position_free(struct position *c);
/* As the host passes it on. */
struct leat_position position_offer(const struct position *c);
/* NULL: it is none of ours. */
const struct position *position_of(const struct leat_position *given);

#endif
