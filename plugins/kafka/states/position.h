/* position.h -- what source.kafka gives to a checkpoint for sink.kafka to commit in its
 * transaction.
 *
 * The offsets, and the membership in the group they were read under, taken at the same moment: if
 * the group has given the partitions to others since, the cluster refuses both together. With
 * state = "partition" also the names of the states that go with them: they do not exist yet, the
 * sink gets them from the host (leat_host.shard_state) and writes them as states.h says.
 *
 * A position never leaves the process: its bytes are this struct.
 */
#ifndef LEAT_KAFKA_STATES_POSITION_H
#define LEAT_KAFKA_STATES_POSITION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "states.h"

struct position_state {
    char *name;               /* states_name                               */
    int64_t next;             /* the offset of the next message            */
    struct last_message last; /* before it                       */
    uint32_t input;           /* the host's number of the partition        */
    uint32_t slot;            /* that has the state before (states_slot)   */
};

struct position {
    char magic[8];
    rd_kafka_consumer_group_metadata_t *member; /* NULL: no group                  */
    rd_kafka_topic_partition_list_t *offsets;   /* NULL: nothing new was delivered */

    struct position_state *state;
    uint32_t n_states, cap;
    const char *state_topic;
    int32_t state_partitions; /* of that topic                        */
    size_t max_message;       /* longer states are in several messages */
};

/* Forgets the position of the checkpoint before. */
void position_begin(struct position *p);
/* Copies the name, too. false: no memory. */
bool position_add(struct position *p, const struct position_state *s);
void position_free(struct position *p);
/* As the host passes it on; empty when there is nothing to commit. */
struct leat_position position_offer(const struct position *p);
/* NULL: it is another plugin's. */
const struct position *position_of(const struct leat_position *given);

#endif
