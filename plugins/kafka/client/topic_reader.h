/* topic_reader.h -- reads all partitions of one topic from their beginnings, without a group; of
 * transactions only what was committed. All calls are on the stage's thread.
 *
 * What comes after the first message of an open transaction cannot be read before that is over. So
 * a partition's end is as far as it can be read; or, with `whole`, the end that its log had when
 * that point was first reached, with the transactions that were open by then: these are waited
 * for. */
#ifndef LEAT_KAFKA_CLIENT_TOPIC_READER_H
#define LEAT_KAFKA_CLIENT_TOPIC_READER_H

#include "client.h"

enum { TOPIC_READER_UNKNOWN = -1, TOPIC_READER_ENDED = -2 };

struct topic_reader {
    struct leat_ctx *ctx; /* of the call being served */
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue;
    const char *topic;
    int32_t n;      /* partitions; 0: not known yet                            */
    int64_t *end;   /* of each partition: an offset, or TOPIC_READER_…         */
    int32_t unread; /* partitions that are not yet read to their ends          */
    bool whole;
    bool waits; /* it was reported that a transaction is waited for        */
    bool down;  /* it was reported that no broker knows the topic          */
    struct outage outage;
    char why[512]; /* of a failure that is for good, or ""                    */
};

/* Returns LEAT_OK, or a failure reported to the host. Afterwards always close it. `cfg` has the
 * role CLIENT_TOPIC_READER. */
int topic_reader_open(struct leat_ctx *ctx, struct topic_reader *r, const struct client_cfg *cfg,
                      const char *topic, bool whole);
void topic_reader_close(struct topic_reader *r);

/* Waits for up to ms milliseconds. Returns LEAT_OK and a message, the caller's to destroy;
 * LEAT_AGAIN if none came; or LEAT_EIO after reporting the reason to the host. */
int topic_reader_next(struct leat_ctx *ctx, struct topic_reader *r, int ms, rd_kafka_message_t **m);
/* Every partition was read to its end. */
bool topic_reader_at_end(const struct topic_reader *r);

#endif
