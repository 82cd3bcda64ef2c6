/* partitions.h -- the partitions that a consumer knows: their states, and how far they are read.
 *
 *   AWAY       not assigned to this consumer
 *   STARTING   assigned; with state = "partition", delivers nothing until the host has its state
 *   LEAVING    revoked by the group; delivers nothing more while its offset is being committed
 *   READING    delivers messages
 *   AT_END     as READING, and the last message of the log has been delivered
 *   STOPPED    as READING, but librdkafka has stopped fetching: no broker has the next message
 *
 *   event          comes from                          transition
 *   ASSIGNED       rebalance_assign                    all but LEAVING      -> STARTING
 *   BEGUN          rebalance_assign, or                STARTING             -> READING
 *                  partition_states_assign
 *   DELIVERED      source.c, a message                 AT_END               -> READING
 *   ENDED          source.c, an event of librdkafka    READING              -> AT_END
 *   OUT_OF_RANGE   source.c, an error of a message     READING AT_END       -> STOPPED
 *   RESUMED        rebalance_resume, rebalance_assign  STOPPED              -> READING
 *   REVOKED        the group                           READING AT_END STOPPED -> LEAVING
 *                                                      STARTING             -> AWAY
 *   RELEASED       rebalance_release; topic deleted    all                  -> AWAY
 *
 * An event in any other state changes nothing. Only partition_move() sets a state.
 *
 *   next               offset of the first message that is not delivered yet
 *   cut                `next` at the last barrier: earlier messages belong to that checkpoint
 *   committed_offset   the group's offset, as far as this consumer knows
 *
 *   committed_offset <= cut <= next
 *
 * A released partition may be assigned again, so `left_next` and `left_committed` keep its offsets.
 * A partition keeps its index in struct partitions (the input of its records) during the whole run,
 * even while it is AWAY. */
#ifndef LEAT_KAFKA_SOURCE_PARTITIONS_H
#define LEAT_KAFKA_SOURCE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

#include "kafka/states/position.h"

struct source_cfg;

/* Unknown offset. Reading then begins at the group's offset or as the parameter `start` says. */
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
    int64_t delivered;  /* number of messages delivered in this run */
    bool open;          /* the host waits for its event time (leat_host.open_inputs) */
    uint64_t at_end_ns; /* AT_END: when it was reached, monotonic */
    int64_t next, cut, committed_offset;
    int64_t bound; /* `until`: offset before which reading ends; INT64_MAX: never (bounds.h) */
    bool paused;   /* librdkafka fetches nothing, as the bound is reached */
    int64_t left_next, left_committed; /* AWAY: `next` and `committed_offset` when released */

    /* Messages that show whether the topic is still the same one (position.h, offsets.h): */
    struct last_message last, cut_last; /* last message delivered; last message before `cut` */
    struct last_message group_last;     /* last message before the group's offset */
    struct last_message expected;       /* message to read again and compare (offsets_check) */
    int64_t sample_time, sample_offset; /* a time, and the offset of the first message since it */

    /* With state = "partition": */
    uint32_t input; /* number of the partition in the extents of its records (struct leat_extent) */
    int64_t published; /* offset of the newest state on the state topic */
    uint32_t slot;     /* slot of the newest state on the state topic (states.h) */
    char *saved;       /* STARTING: state to continue from, or NULL */
    size_t n_saved;
};

struct partitions {
    struct partition *v;
    uint32_t n, cap;
    uint32_t last; /* index found by the last search, which the next message often needs again */
};

/* Moves p to the state that the table above gives for the event. A partition that becomes AWAY
 * keeps its offsets in `left_next` and `left_committed`. */
void partition_move(struct partition *p, enum partition_event event);
/* True if p is assigned to this consumer. */
static inline bool partition_is_assigned(const struct partition *p)
{
    return p->state != PARTITION_AWAY;
}
/* True if p has been read to its bound. The messages before it need not exist: transactions end
 * with control records, and compaction leaves gaps. The `expected` message is compared before. */
static inline bool partition_is_over(const struct partition *p)
{
    return p->bound >= 0 && p->next >= p->bound && p->expected.offset < 0;
}
/* True if the consumer delivers messages of p. */
static inline bool partition_is_read(const struct partition *p)
{
    return p->state >= PARTITION_READING;
}

/* Returns the index of the partition. Adds the partition if it is new. Returns -1 if there is no
 * memory. */
int partitions_find(struct partitions *p, const char *topic, int32_t number);
void partitions_free(struct partitions *p);
/* Frees p->saved, and forgets the offset and slot of the published state. */
void partition_forget_state(struct partition *p);

/* Sets the offset at which reading continues. `before` is the last message before it if the offset
 * is the group's, and otherwise NULL: then no checkpoint may have the earlier messages yet, and
 * `cut` is unknown until the next barrier. */
void partition_continue(struct partition *p, int64_t next, const struct last_message *before);
/* Sets every `cut` to `next` at a barrier. All delivered messages then belong to the checkpoint. */
void partitions_cut(struct partitions *p);
/* True if all messages that assigned partitions have delivered are before their cuts. */
bool partitions_all_cut(const struct partitions *p);
/* Returns the uncommitted cuts of assigned partitions, with marks (position.h) as metadata; NULL if
 * there are none. */
rd_kafka_topic_partition_list_t *partitions_to_commit(const struct partitions *p,
                                                      uint64_t checkpoint, uint64_t writer);
/* Marks all assigned partitions as uncommitted and unpublished. Called at the last barrier: stages
 * flush after the last message, so their states change although the offsets do not. */
void partitions_end(struct partitions *p);
/* Sets `committed_offset` of the partitions in `list`. */
void partitions_committed(struct partitions *p, const rd_kafka_topic_partition_list_t *list);
/* Makes reading begin at the first message if the partition was added to its topic during the
 * run. */
void partitions_start_new(struct partitions *p, const char *topic, int32_t number);
/* Releases p and forgets its offsets, because its topic was deleted. A new topic of the same name
 * would have other messages. */
void partition_forget(struct partition *p);
/* Forgets `next`, `cut` and `committed_offset` of AWAY partitions, which other consumers now
 * read. */
void partitions_forget_others(struct partitions *p);
uint32_t partitions_assigned(const struct partitions *p);

/* Opens the partitions for which `reads` is true as inputs of event time, and closes the others
 * (leat_host.open_inputs). A partition at its end stays open for `quiet` ns. */
void partitions_open(struct partitions *p, struct leat_ctx *ctx, int64_t quiet,
                     bool (*reads)(const struct source_cfg *, const struct partition *));

/* Reports the lag to the host: how many messages wait, in all partitions and in the worst ones. The
 * total is unknown if any partition's lag is unknown. Asks no broker: librdkafka learns the ends of
 * logs as it fetches messages. */
void partitions_tell_lag(const struct partitions *p, rd_kafka_t *rk, struct leat_ctx *ctx);

/* Table for a snapshot: the `next` of every partition, if known, and the message before it. */
struct partition_table {
    uint64_t writer;
    uint8_t *topics; /* topic of each partition, ended by NUL */
    uint64_t topics_len;
    uint32_t *number;
    uint64_t *offset;
    uint64_t *last_offset, *last_time, *last_hash;
    uint32_t n;
};
/* Fills t. Returns false if there is no memory. */
bool partitions_save(const struct partitions *p, struct partition_table *t);
void partition_table_free(struct partition_table *t);
/* Replaces all partitions by those of t. Returns false if t is not a valid table, or if there is no
 * memory. */
bool partitions_load(struct partitions *p, const struct partition_table *t);

#endif
