/* group_status.h -- asks a cluster what a consumer group does: members, offsets, lag, times.
 *
 * The order of calls is: group_status_open, group_status_read until it returns false,
 * group_status_close. Nothing is changed on the cluster: the group is not joined. */
#ifndef LEAT_KAFKA_GROUP_GROUP_STATUS_H
#define LEAT_KAFKA_GROUP_GROUP_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "kafka/client/inquiry.h"

enum { GROUP_NOBODY = -1, GROUP_UNKNOWN = -1 };

struct group_member {
    char *id, *instance, *client, *host; /* instance: NULL if the member has no fixed name */
    uint32_t partitions;
};

/* A partition of the group's topics. Unknown numbers are GROUP_UNKNOWN. */
struct group_partition {
    const char *topic; /* of the inquiry's metadata */
    int32_t number;
    int32_t owner; /* index of a member, or GROUP_NOBODY */
    int64_t committed, end;
    int64_t waits_since; /* time of the first message that is not read, ms since 1970 */
    bool answered;       /* a broker has answered the question for `waits_since` */
};

struct group_status {
    struct inquiry inquiry;
    const char *group;
    const char *state; /* "stable", "rebalancing", "empty", "dead" or "unknown" */
    char assignor[100], coordinator[300];
    struct group_member *member;
    uint32_t n_members;
    struct group_partition *partition; /* by topic and number */
    uint32_t n_partitions;
    rd_kafka_queue_t *messages; /* while the first unread messages are awaited */
    uint32_t awaited;           /* partitions whose `waits_since` is awaited */
    bool failed;                /* the diag has an error */
};

/* Question about a group. `topics` are names or patterns (^…). Without topics, the answer is about
 * those of which the group owns partitions or has committed offsets. */
struct group_question {
    struct client_cfg client;
    const char *group, *state_topic;
    const struct leat_strings *topics;
    int seconds;
};

/* Asks for all but the times. Reports faults to the diag, and then sets g->failed: no broker, an
 * unknown group, a missing right. Reports topics that do not exist to the diag, too. Returns
 * LEAT_OK, or a failure reported to the host. Always call group_status_close. */
int group_status_open(struct group_status *g, struct leat_ctx *ctx, const struct group_question *q,
                      struct leat_diag *d);
/* Asks again with the same client, and replaces the answer. */
void group_status_again(struct group_status *g, const struct group_question *q);
/* Reads the first unread message of each partition, for its time. Waits up to `ms`. Returns false
 * when all times are known, or the time of the question is over. */
bool group_status_read(struct group_status *g, int ms);
void group_status_close(struct group_status *g);

/* Returns the number of unread messages; GROUP_UNKNOWN if an offset is unknown. */
int64_t group_lag(const struct group_partition *p);

#endif
