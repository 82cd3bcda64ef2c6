/* partitions.h -- the partitions that a consumer has met: their states, and how far they are read.
 *
 *   AWAY       another consumer reads it, or nobody
 *   STARTING   assigned; with state = "partition", delivers nothing before the host has its state
 *   LEAVING    the group takes it away; delivers no more, and its offset is being committed
 *   READING    delivers messages
 *   AT_END     READING, and the last message of its log is delivered
 *   STOPPED    READING, but librdkafka stopped fetching, as no broker has the next message
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
 * Any other pair leaves the state as it is. partition_move() alone sets a state.
 *
 *   next               offset of the first message that is not delivered yet
 *   cut                `next` at the last barrier: earlier messages belong to its checkpoint
 *   committed_offset   the group's offset, as far as this consumer knows
 *
 *   committed_offset <= cut <= next
 *
 * A released partition may come back: `left_next` and `left_committed` store its offsets. A
 * partition has one number (the input of its records) during the whole run, even while it belongs
 * to another consumer. */
#ifndef LEAT_KAFKA_SOURCE_PARTITIONS_H
#define LEAT_KAFKA_SOURCE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "kafka/states/position.h"

/* Unknown offset: the group's offset, or `start`, decides where to begin. */
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
    int64_t delivered; /* messages of this run */
    int64_t next, cut, committed_offset;
    int64_t left_next, left_committed; /* AWAY: its last `next` and `committed_offset` */

    /* Messages at these offsets (position.h, offsets.h): */
    struct last_message last, cut_last; /* last one delivered; last one cut */
    struct last_message group_last;     /* last one before the group's offset */
    struct last_message expected;       /* next one, which an earlier run has read */
    int64_t sample_time, sample_offset; /* time, and offset of its first message; or unknown */

    /* With state = "partition": */
    uint32_t input;    /* number of its records' extents, once begun */
    int64_t published; /* offset of its last state on the topic */
    uint32_t slot;     /* slot of that state (states.h) */
    char *saved;       /* STARTING: state to continue from, or NULL */
    size_t n_saved;
};

struct partitions {
    struct partition *v;
    uint32_t n, cap;
    uint32_t last; /* where a search begins, as messages of a partition come together */
};

/* Applies an event of the table above. A partition that goes away stores its offsets in
 * `left_…`. */
void partition_move(struct partition *p, enum partition_event event);
/* True if p is this consumer's. */
static inline bool partition_is_assigned(const struct partition *p)
{
    return p->state != PARTITION_AWAY;
}
/* True if the consumer delivers messages of p. */
static inline bool partition_is_read(const struct partition *p)
{
    return p->state >= PARTITION_READING;
}

/* Returns the partition's index and adds it if it is new; -1 if there is no memory. */
int partitions_find(struct partitions *p, const char *topic, int32_t number);
void partitions_free(struct partitions *p);
/* Frees the saved state, and forgets the published one. */
void partition_forget_state(struct partition *p);

/* Assigns, at a barrier, all delivered messages to its checkpoint. */
void partitions_cut(struct partitions *p);
/* True if assigned partitions have delivered nothing since the last cut. */
bool partitions_all_cut(const struct partitions *p);
/* Returns the uncommitted cuts of assigned partitions, with their marks; NULL if there are none. */
rd_kafka_topic_partition_list_t *partitions_to_commit(const struct partitions *p,
                                                      uint64_t checkpoint, uint64_t writer);
/* Marks all assigned partitions uncommitted and unpublished, at the last barrier. Stages flush
 * after the last message, which changes the states at the same offsets. */
void partitions_end(struct partitions *p);
/* Notes the offsets of `list` as committed. */
void partitions_committed(struct partitions *p, const rd_kafka_topic_partition_list_t *list);
/* Makes a partition that is new in its topic begin at its first message. */
void partitions_start_new(struct partitions *p, const char *topic, int32_t number);
/* Forgets all of p: its topic is gone, and another of the same name would differ. */
void partition_forget(struct partition *p);
/* Forgets the offsets of partitions that are away: other consumers continue with them. */
void partitions_forget_others(struct partitions *p);
uint32_t partitions_assigned(const struct partitions *p);

/* Tells the host the lag: messages that wait, in all partitions and in the worst ones. The total is
 * unknown if any end or offset is. Asks no broker: librdkafka learns the ends of logs with
 * messages. */
void partitions_tell_lag(const struct partitions *p, rd_kafka_t *rk, struct leat_ctx *ctx);

/* All known offsets for a snapshot, each with the last message before it. */
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
