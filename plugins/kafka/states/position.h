/* position.h -- what source.kafka gives to a checkpoint for sink.kafka to commit in its
 * transaction: a position in the format "kafka.offsets/1".
 *
 * The offsets, and the membership in the group they were read under, taken at the same moment: if
 * the group has given the partitions to others since, the cluster refuses both together. With
 * state = "partition" also the names of the states that go with them: they do not exist yet, the
 * sink gets them from the host (leat_host.shard_state) and writes them as states.h says.
 *
 *   text 4   membership (rd_kafka_consumer_group_metadata_write); empty: no group
 *   4        number of offsets; for each
 *     text 2   topic        4  partition        8  offset        text 2  metadata
 *   4        number of states; for each
 *     text 2   states_name  8  offset of the next message        8, 8, 8  last message
 *     4        number of the host's input                        4  slot of the state before
 *   text 2   topic of the states        4  its partitions        8  max_message of the source
 *   8        XXH3 (64 bits, seed 0) of all before
 *
 * text k: k bytes with a length, and so many bytes. All numbers are little endian.
 */
#ifndef LEAT_KAFKA_STATES_POSITION_H
#define LEAT_KAFKA_STATES_POSITION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "states.h"

#define POSITION_FORMAT "kafka.offsets/1"

struct position_state {
    char *name;               /* states_name                               */
    int64_t next;             /* the offset of the next message            */
    struct last_message last; /* before it                                 */
    uint32_t input;           /* the host's number of the partition        */
    uint32_t slot;            /* that has the state before (states_slot)   */
};

/* Owns what it points to. */
struct position {
    rd_kafka_consumer_group_metadata_t *member; /* NULL: no group                  */
    rd_kafka_topic_partition_list_t *offsets;   /* NULL: nothing new was delivered */

    struct position_state *state;
    uint32_t n_states, cap;
    char *state_topic;        /* NULL: no states                      */
    int32_t state_partitions; /* of that topic                        */
    size_t max_message;       /* longer states are in several messages */
};

/* Forgets the position of the checkpoint before. */
void position_begin(struct position *p);
/* Copies the name, too. false: no memory. */
bool position_add(struct position *p, const struct position_state *s);
void position_free(struct position *p);

struct position_bytes {
    unsigned char *bytes;
    size_t n, cap;
};

/* n is 0 when there is nothing to commit. false: no memory. */
bool position_write(const struct position *p, struct position_bytes *to);
void position_bytes_free(struct position_bytes *b);

/* Reads a position that a source gave; `to` is zeroed, and to be freed in any case. LEAT_OK, or a
 * failure reported to the host. */
int position_read(struct leat_ctx *ctx, const struct leat_position *given, struct position *to);

#endif
