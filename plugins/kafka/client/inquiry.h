/* inquiry.h -- asks brokers before a run whether a stage may use its topics and groups.
 *
 * An inquiry changes nothing: it makes no topic, joins no group, commits no offset, and fences no
 * transaction of another run. It reports faults to the diag, as errors of the data.
 *
 * Kafka tells the rights to write a topic, and to use a transaction, only to a client that does so.
 * An inquiry cannot know them. */
#ifndef LEAT_KAFKA_CLIENT_INQUIRY_H
#define LEAT_KAFKA_CLIENT_INQUIRY_H

#include "client.h"

struct inquiry {
    struct leat_ctx *ctx; /* first member, as client_open requires */
    struct leat_diag *d;
    const char *brokers;
    rd_kafka_t *rk;
    /* Topics of the cluster; NULL if no broker has answered. */
    const struct rd_kafka_metadata *all;
    rd_kafka_topic_partition_list_t *read; /* one partition of each topic to read */
    struct outage outage;
    uint64_t until; /* end of the inquiry, monotonic ns */
};

/* Asks for the topics of the cluster. All calls together take at most `seconds`. It uses `brokers`
 * and `properties` of cfg. Returns LEAT_OK, or a failure reported to the host. Without an answer,
 * which it reports to the diag, all other calls do nothing. Always close it afterwards. */
int inquiry_open(struct inquiry *q, struct leat_ctx *ctx, const struct client_cfg *cfg, int seconds,
                 struct leat_diag *d);
void inquiry_close(struct inquiry *q);

/* Reports a topic, or a regular expression (^…), that the cluster does not have. */
void inquiry_topic(struct inquiry *q, const char *param, const char *name, bool reads);
/* True if the cluster has this topic. Reports nothing. */
bool inquiry_has(const struct inquiry *q, const char *topic);
/* Reports the topics of inquiry_topic, with `reads`, that may not be read. */
void inquiry_reading(struct inquiry *q);
/* Reports a group that may not be used. With `needs_offsets` it must have committed an offset for
 * each partition of those topics. (It checks the right to describe a group. Who has that may mostly
 * join.) */
void inquiry_group(struct inquiry *q, const char *param, const char *group, bool needs_offsets);

#endif
