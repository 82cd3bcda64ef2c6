/* partitions.h -- the partitions that a consumer has met: their states, and how far they were read.
 *
 *   AWAY       another consumer reads it, or nobody
 *   STARTING   assigned; nothing is delivered before the host has its state (state = "partition")
 *   LEAVING    the group takes it away; nothing more is delivered, and its offset is committed
 *   READING    messages are delivered
 *   AT_END     as READING; the last message of its log was delivered
 *   STOPPED    as READING; librdkafka stopped to fetch, because no broker has the next message
 *
 *   event          by whom                             transition
 *   ASSIGNED       rebalance_assign                    all but LEAVING      -> STARTING
 *   BEGUN          rebalance_assign, or                STARTING             -> READING
 *                  partition_states_assign
 *   DELIVERED      source.c, a message                 AT_END               -> READING
 *   ENDED          source.c, an event of librdkafka    READING              -> AT_END
 *   OUT_OF_RANGE   source.c, an error of a message     READING AT_END       -> STOPPED
 *   RESUMED        rebalance_resume                    STOPPED              -> READING
 *   REVOKED        the group                           READING AT_END STOPPED -> LEAVING
 *                                                      STARTING             -> AWAY
 *   RELEASED       rebalance_release; topic deleted    all                  -> AWAY
 *
 * Other events change nothing in a state. partition_move is the only function that sets a state.
 *
 *   next               offset of the first message that is not delivered yet
 *   cut                `next` at the last barrier: earlier messages belong to its checkpoint
 *   committed_offset   the group's offset, as far as this consumer knows
 *
 *   committed_offset <= cut <= next
 *
 * A partition that was released may come back: `left_next` and `left_committed` keep its offsets.
 * A partition keeps its number (the input of its records) as long as the run, also while it belongs
 * to another consumer.
 */
#ifndef LEAT_KAFKA_SOURCE_PARTITIONS_H
#define LEAT_KAFKA_SOURCE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "kafka/states/position.h"

/* An unknown offset: the group's, or `start`, says where to begin. */
enum { PARTITION_UNKNOWN = -1 };

enum partition_state {
    PARTITION_AWAY,
    PARTITION_STARTING,
    PARTITION_LEAVING,
    PARTITION_READING,
    PARTITION_AT_END,
    PARTITION_STOPPED,
    PARTITION_STATES
};

enum partition_event {
    PARTITION_ASSIGNED,
    PARTITION_BEGUN,
    PARTITION_DELIVERED,
    PARTITION_ENDED,
    PARTITION_OUT_OF_RANGE,
    PARTITION_RESUMED,
    PARTITION_REVOKED,
    PARTITION_RELEASED,
    PARTITION_EVENTS
};

struct partition {
    char *topic;
    int32_t number;
    enum partition_state state;
    int64_t delivered; /* messages, in this run */
    int64_t next, cut, committed_offset;
    int64_t left_next, left_committed; /* AWAY: `next` and `committed_offset` before */

    /* The messages at those offsets (position.h, offsets.h): */
    struct last_message last, cut_last; /* the last one delivered; the last one cut    */
    struct last_message group_last;     /* the last one before the group's offset      */
    struct last_message expected;       /* the next to come, which was read before     */
    int64_t sample_time, sample_offset; /* the first of that time or later; or unknown */

    /* with state = "partition": */
    uint32_t input;    /* once begun: the number of its records' extents */
    int64_t published; /* the offset of its last state on the topic      */
    uint32_t slot;     /* where that state is (states.h)                 */
    char *saved;       /* STARTING: the state to continue from, or NULL  */
    size_t n_saved;
};

struct partitions {
    struct partition *v;
    uint32_t n, cap;
    uint32_t last; /* where the search begins: messages of one partition come together */
};

/* Moves p by the table above. A partition that goes away keeps its offsets as `left_…`. */
void partition_move(struct partition *p, enum partition_event event);
/* True if p is this consumer's. */
static inline bool partition_is_assigned(const struct partition *p)
{
    return p->state != PARTITION_AWAY;
}
/* True if messages of p are delivered. */
static inline bool partition_is_read(const struct partition *p)
{
    return p->state >= PARTITION_READING;
}

/* Returns the partition's index and adds it if it is new; -1 if there is no memory. */
int partitions_find(struct partitions *p, const char *topic, int32_t number);
void partitions_free(struct partitions *p);
/* Frees the saved state and forgets which one was published. */
void partition_forget_state(struct partition *p);

/* At a barrier: assigns all that was delivered to its checkpoint. */
void partitions_cut(struct partitions *p);
/* True if assigned partitions have delivered nothing since the last cut. */
bool partitions_all_cut(const struct partitions *p);
/* Returns the cuts of assigned partitions that are not committed yet, with their marks; NULL if
 * there are none. */
rd_kafka_topic_partition_list_t *partitions_to_commit(const struct partitions *p,
                                                      uint64_t checkpoint, uint64_t writer);
/* At the last barrier: makes all assigned partitions uncommitted and unpublished. Stages give what
 * they hold after the last message, which changes the states at the same offsets. */
void partitions_end(struct partitions *p);
/* Notes the offsets of `list` as committed. */
void partitions_committed(struct partitions *p, const rd_kafka_topic_partition_list_t *list);
/* Reads a partition that is new in its topic from its first message. */
void partitions_start_new(struct partitions *p, const char *topic, int32_t number);
/* Forgets all of p: its topic is gone, and one of that name would be another topic. */
void partition_forget(struct partition *p);
/* Forgets the offsets of partitions that are away: others continue with them. */
void partitions_forget_others(struct partitions *p);
uint32_t partitions_assigned(const struct partitions *p);

/* Tells the host how many messages wait: of all partitions together, and of the worst ones. The
 * total is unknown if the end or the offset of one partition is. Asks no broker: librdkafka learns
 * the ends of logs with messages. */
void partitions_tell_lag(const struct partitions *p, rd_kafka_t *rk, struct leat_ctx *ctx);

/* All known offsets, for a snapshot, each with the last message before it. */
struct partition_table {
    uint64_t writer;
    uint8_t *topics; /* of each partition, ended by NUL */
    uint64_t topics_len;
    uint32_t *number;
    uint64_t *offset;
    uint64_t *last_offset, *last_time, *last_hash;
    uint32_t n;
};
/* Returns false if there is no memory. */
bool partitions_save(const struct partitions *p, struct partition_table *t);
void partition_table_free(struct partition_table *t);
/* Replaces all partitions by those of t. Returns false if partitions_save makes no such table, or
 * if there is no memory. */
bool partitions_load(struct partitions *p, const struct partition_table *t);

#endif
