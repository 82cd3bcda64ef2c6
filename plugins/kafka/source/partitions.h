/* partitions.h -- how far a consumer has read and committed each partition that it has met.
 *
 *   next               offset of the first message that is not delivered yet
 *   cut                `next` at the last barrier: what comes before belongs to its checkpoint
 *   committed_offset   what the group's offset is known to be
 *
 *   committed_offset <= cut <= next
 *
 * A partition that was released may come back: `left_next` and `left_committed` say what its
 * offsets were. A partition keeps its number (the input of its records) as long as the run, also
 * while it belongs to another consumer.
 */
#ifndef LEAT_KAFKA_SOURCE_PARTITIONS_H
#define LEAT_KAFKA_SOURCE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <librdkafka/rdkafka.h>

#include "kafka/states/commit_mark.h"

/* An offset that is not known: the group's, or `start`, says where to begin. */
enum { PARTITION_UNKNOWN = -1 };

struct partition {
    char *topic;
    int32_t number;
    bool assigned, at_end;
    bool leaving;      /* assigned, until what was delivered is committed: nothing more is read */
    int64_t delivered; /* messages, in this run */
    int64_t next, cut, committed_offset;
    int64_t left_next, left_committed; /* not assigned: what they were */

    /* which messages those offsets mean (commit_mark.h, same_topic.h): */
    struct last_message last, cut_last; /* of those delivered, of those cut            */
    struct last_message group_last;     /* before the group's offset                   */
    struct last_message expected;       /* the next to come, which was read before     */
    int64_t sample_time, sample_offset; /* the first of that time or later; or unknown */

    /* with a state of its own: */
    bool shard_begun;  /* the host has the state                             */
    uint32_t input;    /* then: the number of its records' extents           */
    int64_t published; /* the offset of its last state on the topic          */
    uint32_t slot;     /* which that is in (states.h)                        */
    char *state;       /* not begun: the state to continue from, or NULL     */
    size_t n_state;
};

struct partitions {
    struct partition *v;
    uint32_t n, cap;
    uint32_t last; /* where the search begins: messages of one partition come together */
};

/* The partition's index; it is added if need be. -1: no memory. */
int partitions_find(struct partitions *p, const char *topic, int32_t number);
void partitions_free(struct partitions *p);
void partition_forget_state(struct partition *p);

/* At a barrier: all that was delivered belongs to its checkpoint. */
void partitions_cut(struct partitions *p);
/* Nothing was delivered since, from assigned partitions. */
bool partitions_all_cut(const struct partitions *p);
/* The cuts of assigned partitions that are not committed yet, with their marks; NULL: all are. */
rd_kafka_topic_partition_list_t *partitions_to_commit(const struct partitions *p,
                                                      uint64_t checkpoint, uint64_t writer);
/* At the last barrier: what stages have kept is given after the last message, and changes the
 * states at the same offsets. So those of assigned partitions are published and committed again. */
void partitions_end(struct partitions *p);
void partitions_committed(struct partitions *p, const rd_kafka_topic_partition_list_t *list);
/* A partition that is new in its topic: it is read from its first message. */
void partitions_start_new(struct partitions *p, const char *topic, int32_t number);
/* Its topic is gone: one of that name is another topic. */
void partition_forget(struct partition *p);
/* The partition is another consumer's now. */
void partition_leave(struct partition *p);
/* Forgets the offsets of partitions that are not assigned: others continue with them. */
void partitions_forget_others(struct partitions *p);
uint32_t partitions_assigned(const struct partitions *p);

/* All offsets that are known, for a snapshot, each with the last message before it. */
struct partition_table {
    uint64_t writer;
    uint8_t *topics; /* of each partition, ended by NUL */
    uint64_t topics_len;
    uint32_t *number;
    uint64_t *offset;
    uint64_t *last_offset, *last_time, *last_hash;
    uint32_t n;
};
/* false: no memory. */
bool partitions_save(const struct partitions *p, struct partition_table *t);
void partition_table_free(struct partition_table *t);
/* Replaces what is known. false: the table is not one that partitions_save makes, or no memory. */
bool partitions_load(struct partitions *p, const struct partition_table *t);

#endif
