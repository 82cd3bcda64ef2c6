/* client.h -- how the librdkafka clients of this plugin are opened; client_end.h: and ended.
 *
 * Each has a role, which is a table of properties (client_properties.c); the user's `properties`
 * come on top of it, as far as the table lets them.
 */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_H
#define LEAT_KAFKA_CLIENT_CLIENT_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

/* Rows of the stages' parameter tables. */
#define CLIENT_TOPIC(OFFSET, DOC)                                                                  \
    {                                                                                              \
        .name = "topic", .type = LEAT_STRING,                                                      \
        .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_STREAM, .offset = (OFFSET), .doc = DOC     \
    }
#define CLIENT_BROKERS(OFFSET)                                                                     \
    {                                                                                              \
        .name = "brokers", .type = LEAT_STRING,                                                    \
        .flags = LEAT_REQUIRED | LEAT_OPERATIONAL | LEAT_SERVERS, .offset = (OFFSET),              \
        .doc = "host:port, several with commas between"                                            \
    }
#define CLIENT_PROPERTIES(OFFSET, EXAMPLE)                                                         \
    {                                                                                              \
        .name = "properties", .type = LEAT_STRINGS, .unit = "name=value",                          \
        .flags = LEAT_ADVANCED | LEAT_OPERATIONAL | LEAT_SECRET, .offset = (OFFSET),               \
        .doc = "any property of librdkafka: { " EXAMPLE                                            \
               " }; ${env:NAME} and ${file:PATH} in a value stand for a secret"                    \
    }

/* The row for the longest message: whoever writes states and results in one
 * transaction has the same bounds for both. */
#define CLIENT_MAX_MESSAGE(OFFSET, DOC)                                                            \
    {                                                                                              \
        .name = "max_message", .type = LEAT_SIZE, .flags = LEAT_ADVANCED, .offset = (OFFSET),      \
        .def = "1000000", .min = 1 << 10, .max = 64 << 20, .unit = "bytes", .doc = DOC             \
    }

enum client_role {
    CLIENT_CONSUMER,      /* source.kafka: the messages                              */
    CLIENT_TOPIC_READER,  /* the topic of states, read from its beginning            */
    CLIENT_INQUIRER,      /* asks before a run whether it could do its work          */
    CLIENT_PRODUCER,      /* sink.kafka, sink.dead_letters                           */
    CLIENT_STATE_PRODUCER /* source.kafka with state = "partition": the states       */
};

/* What a client is opened with. A member that its role does not name in client_properties.c is not
 * used. */
struct client_cfg {
    enum client_role role;
    const char *brokers;                   /* "host:port,…"; a consumer's may be "embedded" */
    const struct leat_strings *properties; /* the user's, each "name=value"                 */

    const char *group, *instance;         /* instance NULL: none                */
    int64_t queue_kbytes, queue_messages; /* the most that wait to be read      */

    int64_t message_bytes;      /* the longest message, with its header and key */
    const char *message_ms;     /* after which a message expires; "0": never    */
    const char *transaction;    /* its ID; NULL: none                           */
    const char *transaction_ms; /* NULL: librdkafka's own                       */
};

struct client_callbacks {
    void (*on_error)(rd_kafka_t *rk, int err, const char *reason, void *self);
    void (*on_delivered)(rd_kafka_t *rk, const rd_kafka_message_t *m, void *self); /* or NULL */
    void (*on_rebalance)(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                         rd_kafka_topic_partition_list_t *list, void *self); /* or NULL */
};

/* In a stage's validate, without a network: reports wrong `properties` and `brokers`. */
void client_validate(const struct client_cfg *cfg, struct leat_diag *d);
/* LEAT_OK and the client, or a failure reported to the host. `self` is what callbacks get; its
 * first member is the struct leat_ctx * of the call being served, with which librdkafka's own log
 * is written, at level debug, whenever the client is polled. */
int client_open(struct leat_ctx *ctx, const struct client_cfg *cfg,
                const struct client_callbacks *callbacks, void *self, rd_kafka_t **rk);

/* A broker is to run inside this process. */
bool client_is_embedded(const struct client_cfg *cfg);
/* What is wrong with the name of a topic, a predicate; NULL: nothing. */
const char *client_topic_wrong(const char *name);

#endif
