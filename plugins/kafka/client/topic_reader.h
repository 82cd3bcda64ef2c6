/* topic_reader.h -- reads all partitions of a topic from their beginnings, without a group.
 *
 * The reader returns committed messages only. All calls are on the stage's thread.
 *
 * Kafka does not deliver messages behind an open transaction until that transaction ends. By
 * default the reader takes such a transaction as the end of the partition. With `whole`, it waits
 * for open transactions: a partition ends where its log ended when the reader first found no
 * further message. */
#ifndef LEAT_KAFKA_CLIENT_TOPIC_READER_H
#define LEAT_KAFKA_CLIENT_TOPIC_READER_H

#include "client.h"

enum { TOPIC_READER_UNKNOWN = -1, TOPIC_READER_ENDED = -2 };

struct topic_reader {
    struct leat_ctx *ctx; /* context of the present call */
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue;
    const char *topic;
    int32_t n;      /* number of partitions; 0 if unknown */
    int64_t *end;   /* end of each partition: an offset, or TOPIC_READER_… */
    int32_t unread; /* number of partitions that are not read to their ends */
    bool whole;
    bool waits; /* the log has said that the reader waits for a transaction */
    bool down;  /* the log has said that no broker knows the topic */
    struct outage outage;
    char why[512]; /* reason of a failure; "" if there is none */
};

/* Opens a reader. `cfg` must have the role CLIENT_TOPIC_READER. Returns LEAT_OK, or a failure
 * reported to the host. Always call topic_reader_close(). */
int topic_reader_open(struct leat_ctx *ctx, struct topic_reader *r, const struct client_cfg *cfg,
                      const char *topic, bool whole);
void topic_reader_close(struct topic_reader *r);

/* Waits up to `ms` milliseconds for a message. Returns LEAT_OK and a message, which the caller
 * destroys; LEAT_AGAIN if no message came; LEAT_EIO after a failure reported to the host. */
int topic_reader_next(struct leat_ctx *ctx, struct topic_reader *r, int ms, rd_kafka_message_t **m);
/* True if every partition has been read to its end. */
bool topic_reader_at_end(const struct topic_reader *r);

#endif
