/* limits.h -- the limits that a topic sets for each message, and the messages that break them.
 *
 * Kafka refuses a whole batch of messages for one that breaks a limit of its topic. So a sink reads
 * the limits before its first message, and rejects such a message before it is sent. A cluster may
 * forbid reading the limits. They are then unknown, and no message breaks them. */
#ifndef LEAT_KAFKA_CLIENT_LIMITS_H
#define LEAT_KAFKA_CLIENT_LIMITS_H

#include "producer.h"

struct limits {
    const char *topic;
    bool known;
    bool needs_key;              /* the topic is compacted (cleanup.policy)                     */
    int64_t bytes;               /* of a batch on the wire (max.message.bytes)                  */
    int64_t before_ms, after_ms; /* how far a message's time may be from the broker's;
                                   * INT64_MAX: any time                                         */
    const char *before, *after;  /* names of these two limits                                   */
    bool compresses;             /* the size on the wire is unknown before a batch is made      */
    int32_t broker;              /* broker to ask */
    unsigned asked;              /* number of requests */
    uint64_t read_at;            /* monotonic ns                                                */
};

/* Limit that a message breaks. */
enum limits_broken { LIMITS_NONE, LIMITS_TIME, LIMITS_KEY, LIMITS_BYTES };

/* Reads the limits of l->topic. Takes at most `ms`. On an error, the limits do not change. */
rd_kafka_resp_err_t limits_read(struct limits *l, rd_kafka_t *rk, int ms);
/* Reads the limits before the first message. Waits while no broker can be reached. If the
 * producer's batches might be longer than the topic's limit, opens the producer again with shorter
 * ones. Returns LEAT_OK, or a failure reported to the host. */
int limits_fit(struct leat_ctx *ctx, struct limits *l, struct producer *p,
               const struct client_cfg *cfg);
/* Returns the limit that the message breaks. `now`: ms since 1970. */
enum limits_broken limits_check(const struct limits *l, const struct message *m, int64_t now);
/* Reads the limits again, at most once a second. */
void limits_refresh(struct limits *l, rd_kafka_t *rk);
/* Like limits_check. But if a limit is broken that was read more than a minute ago, reads the
 * limits again first, because somebody may have raised it. */
enum limits_broken limits_recheck(struct limits *l, rd_kafka_t *rk, const struct message *m,
                                  int64_t now);
/* Writes what is wrong with the message, and what to do. */
void limits_describe(const struct limits *l, const struct message *m, int64_t now,
                     enum limits_broken broken, char *text, size_t cap);

enum { LIMITS_SPAN = 32 };
/* Writes a time span such as "1.0 h". Returns `text`. */
const char *limits_span(int64_t ms, char text[LIMITS_SPAN]);

/* Returns the bytes of a batch of this message alone, without compression. */
size_t limits_wire_bytes(const struct message *m);

#endif
