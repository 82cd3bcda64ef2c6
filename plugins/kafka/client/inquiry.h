/* inquiry.h -- asks brokers before a run whether a stage may use its topics and groups.
 *
 * An inquiry changes nothing: it creates no topic, joins no group, commits no offset, and fences no
 * transaction of another run. It reports faults to the diag.
 *
 * An inquiry cannot check the rights to write a topic and to use a transaction, because Kafka
 * checks them only when a client writes. */
#ifndef LEAT_KAFKA_CLIENT_INQUIRY_H
#define LEAT_KAFKA_CLIENT_INQUIRY_H

#include "limits.h"

struct inquiry {
    struct leat_ctx *ctx; /* first member, as client_open requires */
    struct leat_diag *d;
    const char *brokers;
    rd_kafka_t *rk;
    /* Metadata of the cluster; NULL if no broker has answered. */
    const struct rd_kafka_metadata *all;
    rd_kafka_topic_partition_list_t *read;      /* partitions of the topics that the stage reads */
    rd_kafka_topic_partition_list_t *committed; /* the group's offsets of these; or NULL */
    struct outage outage;
    uint64_t until; /* deadline of the inquiry, monotonic ns */
};

/* Starts an inquiry: fetches the list of the cluster's topics, with `brokers` and `properties` of
 * cfg. All calls for this inquiry take at most `seconds` together. If no broker answers, reports
 * that to the diag, and the other calls do nothing. Returns LEAT_OK, or a failure reported to the
 * host. Always call inquiry_close(). */
int inquiry_open(struct inquiry *q, struct leat_ctx *ctx, const struct client_cfg *cfg, int seconds,
                 struct leat_diag *d);
/* Begins the inquiry anew with the same client. */
void inquiry_again(struct inquiry *q, int seconds);
void inquiry_close(struct inquiry *q);
/* Returns the time that is left for the inquiry; 0 if the run is being stopped. */
int inquiry_ms_left(const struct inquiry *q);

/* Reports a topic that the cluster does not have, or a regular expression (^…) that no topic
 * matches. If `reads`, inquiry_reading() also checks that the stage may read the topic. */
void inquiry_topic(struct inquiry *q, const char *param, const char *name, bool reads);
/* True if the cluster has this topic. */
bool inquiry_has(const struct inquiry *q, const char *topic);
/* Describes what a sink sends to a topic, for inquiry_limits(). */
struct inquiry_sink {
    const char *topic;
    int64_t max_message; /* longest message */
    bool has_keys;       /* messages may have keys */
    bool has_times;      /* messages have the times of their records */
};

/* Reads the limits of the topic, and reports the messages that it will refuse. */
void inquiry_limits(struct inquiry *q, const struct inquiry_sink *sink);
/* Reports each topic that the stage reads (`reads` of inquiry_topic) but has no right to read. */
void inquiry_reading(struct inquiry *q);
/* Reports a group that the stage may not use. If `needs_offsets`, the group must have a committed
 * offset for each partition of the topics to read. Checks the right to describe the group, because
 * a client with this right can usually join the group as well. */
void inquiry_group(struct inquiry *q, const char *param, const char *group, bool needs_offsets);
/* Reports a group that a consumer with the properties of the inquiry cannot join. */
void inquiry_join(struct inquiry *q, const char *param, const char *group);

#endif
