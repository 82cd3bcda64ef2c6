/* partitions.h -- where a consumer stands in each partition it has met.
 *
 *   next       offset of the first message not yet delivered
 *   cut        `next` at the last barrier: what lies before belongs to its checkpoint
 *   committed  what the group's offset is known to be
 *
 * committed <= cut <= next. Of a partition that was let go it is remembered where it `stood` and
 * what was `known` to be committed then, for the case that it comes back. Partitions keep their
 * number (the input of a run) as long as the run, also while they belong to another consumer.
 */
#ifndef LEAT_KAFKA_SOURCE_PARTITIONS_H
#define LEAT_KAFKA_SOURCE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <librdkafka/rdkafka.h>

#define PARTITION_UNKNOWN                                                                          \
    (-1) /* an offset that is not known: wherever the group or `start` says                        \
          */

struct partition {
    char *topic;
    int32_t number;
    bool assigned, at_end;
    int64_t next, cut, committed_offset;
    int64_t stood, known; /* not assigned: next and committed_offset when it was */

    /* with a state of its own: */
    bool begun;        /* its stages have been given the state           */
    uint32_t input;    /* then: the number of its records' runs          */
    int64_t published; /* the offset that its last state on the topic has */
    uint32_t slot;     /* where that lies (states.h)                     */
    char *state;       /* not begun: what it goes on from, or NULL       */
    size_t n_state;
};

struct partitions {
    struct partition *v;
    uint32_t n, last; /* last: where the search begins, for messages come in runs */
    uint32_t cap;
};

/* The partition's index, a new one if need be; -1: no memory. */
int partitions_find(struct partitions *p, const char *topic, int32_t number);
void partitions_free(struct partitions *p);
void partition_forget_state(struct partition *p);

/* A barrier: all that was delivered belongs to its checkpoint. */
void partitions_cut(struct partitions *p);
/* Of the assigned: nothing was delivered since. */
bool partitions_cut_all(const struct partitions *p);
/* What of the cuts of the assigned is not yet committed, with that metadata (NULL: none); NULL:
 * nothing. */
rd_kafka_topic_partition_list_t *partitions_to_commit(const struct partitions *p,
                                                      const char *metadata);
void partitions_committed(struct partitions *p, const rd_kafka_topic_partition_list_t *list);
/* Every assigned partition was read to its end, and there is one. */
bool partitions_at_end(const struct partitions *p);
/* A partition that is read from its first message, unless it is known already. */
void partitions_begin_new(struct partitions *p, const char *topic, int32_t number);
/* It is someone else's now. */
void partition_leave(struct partition *p);
/* What is known of partitions that are not assigned: others go on with them. */
void partitions_forget_others(struct partitions *p);
uint32_t partitions_assigned(const struct partitions *p);

/* All offsets that are known, for a snapshot. */
struct partition_table {
    char *topics; /* the topic of each partition, ended by NUL */
    uint64_t topics_len;
    uint32_t *number;
    uint64_t *offset;
    uint32_t n;
};
bool partitions_save(const struct partitions *p, struct partition_table *t); /* false: no memory */
void partition_table_free(struct partition_table *t);
/* In place of what there is; false: it cannot be, or no memory. */
bool partitions_load(struct partitions *p, const struct partition_table *t);

#endif
