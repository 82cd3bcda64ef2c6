/* topic_reader.h -- all partitions of one topic from their beginnings, by a consumer without a
 * group, and of transactions what was committed. All calls are on the stage's thread.
 *
 * What lies behind the first message of an open transaction cannot be read before that is over. A
 * partition's end is where it can be read to; or, with `whole`, what it held when that was reached
 * first, transactions open by then included: these are waited for. */
#ifndef LEAT_KAFKA_CLIENT_TOPIC_READER_H
#define LEAT_KAFKA_CLIENT_TOPIC_READER_H

#include <leat/plugin.h>

#include "client.h"

enum { TOPIC_READER_UNKNOWN = -1, TOPIC_READER_ENDED = -2 };

struct topic_reader {
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue;
    const char *topic;
    int32_t n;    /* partitions; 0: not known yet */
    int64_t *end; /* of each partition; TOPIC_READER_*      */
    int32_t left; /* partitions not yet read to their ends */
    bool whole, waits, down;
    char why[400]; /* of a failure that is for good */
};

/* NULL, or what is wrong with these, found without a network; written to text. */
const char *topic_reader_wrong(const char *brokers, const struct leat_strings *properties,
                               char *text, size_t cap);

/* LEAT_OK, or a failure told to the host. Afterwards always close it. */
int topic_reader_open(struct leat_ctx *ctx, struct topic_reader *r, const char *brokers,
                      const char *topic, const struct leat_strings *properties, bool whole);
void topic_reader_close(struct topic_reader *r);

/* Within ms milliseconds: LEAT_OK and a message, the caller's to destroy; LEAT_AGAIN: none came;
 * LEAT_EIO: told to the host. */
int topic_reader_next(struct leat_ctx *ctx, struct topic_reader *r, int ms, rd_kafka_message_t **m);
/* All that was there when it was looked has been read. */
bool topic_reader_at_end(const struct topic_reader *r);

#endif
