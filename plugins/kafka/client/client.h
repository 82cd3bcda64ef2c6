/* client.h -- the librdkafka clients of this plugin: how they are opened, and their outages. Their
 * ends: client_end.h.
 *
 * Each has a role, which is a table of properties (client.c); the user's `properties` come on top
 * of it, as far as the table lets them. */
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

/* The row for the longest message. States and results in one transaction have the same bounds. */
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

/* The settings of a client. A member that the table of its role does not name is not used. */
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
/* Returns LEAT_OK and the client, or a failure reported to the host. Callbacks get `self`; its
 * first member is the struct leat_ctx * of the call being served, with which librdkafka's own log
 * is written, at level debug, whenever the client is polled. */
int client_open(struct leat_ctx *ctx, const struct client_cfg *cfg,
                const struct client_callbacks *callbacks, void *self, rd_kafka_t **rk);

/* True if a broker is to run inside this process. */
bool client_is_embedded(const struct client_cfg *cfg);
/* Returns what is wrong with the name of a topic, as a predicate; NULL if it is good. */
const char *client_topic_wrong(const char *name);

/* ---- outages ----
 *
 * Why no broker can be reached, for messages; and whether waiting is of no use, because all brokers
 * refuse the client's credentials or certificate. */

struct outage {
    bool down;              /* no broker can be reached, which was reported               */
    int err, reported;      /* the last error of a connection; the reported one           */
    uint64_t refused_since; /* monotonic ns; 0: nobody has refused the client               */
    char reason[400];       /* of that error, in librdkafka's words                        */
};

/* Takes an error of librdkafka. Returns true if no broker can be reached, for a reason that was not
 * reported yet; it is in o->reason. */
bool outage_take(struct outage *o, int err, const char *reason);
/* Ends the outage: a broker has answered. */
void outage_end(struct outage *o);
/* True if all brokers have refused the client for a while. May ask them. */
bool outage_is_final(struct outage *o, rd_kafka_t *rk);

#endif
