/* position.h -- the position that sink.kafka commits for source.kafka; the marks of commits.
 *
 * The format is "kafka.offsets/1". A position has the offsets and the consumer's membership in the
 * group, both from one moment. If the group has since given the partitions to another member, the
 * cluster refuses the position. With state = "partition" a position also names the states that
 * belong to the offsets. The states themselves do not exist yet: the sink gets them from the host
 * (leat_host.shard_state), and writes them in the format of states.h.
 *
 *   text 4   membership (rd_kafka_consumer_group_metadata_write); empty: no group
 *   4        number of offsets; for each
 *     text 2   topic        4  partition        8  offset        text 2  metadata
 *   4        number of states; for each
 *     text 2   states_name  8  offset of the next message        8, 8, 8  last message
 *     4        number of the host's input                        4  slot of the previous state
 *   text 2   topic of the states        4  its partitions        8  max_message of the source
 *   8        XXH3 (64 bits, seed 0) of all bytes before
 *
 * "text k" is a length of k bytes and that many bytes. All numbers are little endian. */
#ifndef LEAT_KAFKA_STATES_POSITION_H
#define LEAT_KAFKA_STATES_POSITION_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "states.h"

#define POSITION_FORMAT "kafka.offsets/1"

struct position_state {
    char *name;               /* name by states_name() */
    int64_t next;             /* offset of the next message */
    struct last_message last; /* last message before `next` */
    uint32_t input;           /* the host's number of the partition */
    uint32_t slot;            /* slot of the partition's previous state (states_slot) */
};

/* A position, which owns its members. */
struct position {
    rd_kafka_consumer_group_metadata_t *member; /* NULL if there is no group */
    rd_kafka_topic_partition_list_t *offsets;   /* NULL if there is nothing new to commit */

    struct position_state *state;
    uint32_t n_states, cap;
    char *state_topic;        /* NULL if there are no states */
    int32_t state_partitions; /* number of partitions of state_topic */
    size_t max_message;       /* longest message; a longer state takes several messages */
};

/* Clears p, for the position of the next checkpoint. */
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

/* Reads the position of a source. `to` is zeroed first; always call position_free(). Returns
 * LEAT_OK, or a failure reported to the host. */
int position_read(struct leat_ctx *ctx, const struct leat_position *given, struct position *to);

/* ---- marks ----
 *
 * leat commits metadata with each offset: who committed it, and the last message before it. An
 * offset does not tell whether the topic of that name is still the same topic. So the mark stores
 * the last message's time and a hash of its key and value. Before reading continues at the offset,
 * the consumer compares the message with the mark. */

struct last_message last_message_of(const rd_kafka_message_t *m);
bool last_message_is(const struct last_message *l, const rd_kafka_message_t *m);

struct commit_mark {
    uint64_t checkpoint;
    uint64_t writer; /* ID of the run and of runs that continue its state; 0 if unknown */
    struct last_message last;
};

/* Writes the mark into the metadata of t. */
void commit_mark_put(rd_kafka_topic_partition_t *t, const struct commit_mark *m);
/* Reads the mark from the metadata of t. Returns false if leat has not committed this offset. */
bool commit_mark_get(const rd_kafka_topic_partition_t *t, struct commit_mark *m);

#endif
