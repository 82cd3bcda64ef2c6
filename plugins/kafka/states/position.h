/* position.h -- the position that sink.kafka commits for source.kafka in its transaction, in the
 * format "kafka.offsets/1"; and the marks of committed offsets.
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
/* Adds a state, with a copy of its name. Returns false if there is no memory. */
bool position_add(struct position *p, const struct position_state *s);
void position_free(struct position *p);

struct position_bytes {
    unsigned char *bytes;
    size_t n, cap;
};

/* Writes the position; no bytes if there is nothing to commit. Returns false if there is no
 * memory. */
bool position_write(const struct position *p, struct position_bytes *to);
void position_bytes_free(struct position_bytes *b);

/* Reads a position that a source gave; `to` is zeroed, and to be freed in any case. Returns
 * LEAT_OK, or a failure reported to the host. */
int position_read(struct leat_ctx *ctx, const struct leat_position *given, struct position *to);

/* ---- marks ----
 *
 * leat commits metadata with an offset: who committed it, and which message was the last before it.
 * Offsets are numbers: they do not say whether a topic of the same name is still the same topic. So
 * the last message is kept with its time and a hash of its key and value, and compared when reading
 * continues there. */

struct last_message last_message_of(const rd_kafka_message_t *m);
bool last_message_is(const struct last_message *l, const rd_kafka_message_t *m);

struct commit_mark {
    uint64_t checkpoint;
    uint64_t writer; /* of a run and of runs that continue its state; 0: unknown */
    struct last_message last;
};

/* Sets the metadata of t. */
void commit_mark_put(rd_kafka_topic_partition_t *t, const struct commit_mark *m);
/* Returns false if leat has not committed this offset. */
bool commit_mark_get(const rd_kafka_topic_partition_t *t, struct commit_mark *m);

#endif
