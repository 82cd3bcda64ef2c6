/* inquiry.h -- asks brokers, before a run, whether what a stage is going to use is there and may be
 * used. Nothing is changed: no topic is made, no group is joined, no offset committed, no
 * transaction of another run fenced. What is wrong goes to the diag, as an error of the data.
 *
 * What Kafka tells nobody who does not do it is not known then: the rights to write a topic, and to
 * a transaction. */
#ifndef LEAT_KAFKA_CLIENT_INQUIRY_H
#define LEAT_KAFKA_CLIENT_INQUIRY_H

#include "client.h"

struct inquiry {
    struct leat_ctx *ctx; /* first: client_open wants it there */
    struct leat_diag *d;
    const char *brokers;
    rd_kafka_t *rk;
    const struct rd_kafka_metadata *all;   /* topics of the cluster; NULL: no broker has answered */
    rd_kafka_topic_partition_list_t *read; /* one partition of each topic that is to be read      */
    struct outage outage;
    uint64_t until; /* monotonic ns */
};

/* Asks for the topics of the cluster; all calls together take `seconds` at most. `brokers` and
 * `properties` of cfg count. LEAT_OK; or a failure reported to the host. Without an answer, which
 * is reported to the diag, all other calls do nothing. Afterwards always close it. */
int inquiry_open(struct inquiry *q, struct leat_ctx *ctx, const struct client_cfg *cfg, int seconds,
                 struct leat_diag *d);
void inquiry_close(struct inquiry *q);

/* True if this topic is there, or a topic that this regular expression (^…) matches. */
void inquiry_topic(struct inquiry *q, const char *param, const char *name, bool reads);
/* Without a word of it. */
bool inquiry_has(const struct inquiry *q, const char *topic);
/* Reports topics of inquiry_topic, with `reads`, that may not be read. */
void inquiry_reading(struct inquiry *q);
/* Reports a group that may not be used. `needs_offsets`: it must have committed one for each
 * partition of those topics. (Whoever may look at a group, which is what this finds out, may mostly
 * join it.) */
void inquiry_group(struct inquiry *q, const char *param, const char *group, bool needs_offsets);

#endif
