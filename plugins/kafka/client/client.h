/* client.h -- opens the librdkafka clients of this plugin, and tracks their outages.
 *
 * client_end.h closes them. Each client has a role, which is a table of properties (client.c). The
 * user's `properties` override its values where the table allows it. */
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

/* Row of the longest message. States and results in one transaction have the same bounds. */
#define CLIENT_MAX_MESSAGE(OFFSET, DOC)                                                            \
    {                                                                                              \
        .name = "max_message", .type = LEAT_SIZE, .flags = LEAT_ADVANCED, .offset = (OFFSET),      \
        .def = "1000000", .min = 1 << 10, .max = 64 << 20, .unit = "bytes", .doc = DOC             \
    }

enum client_role {
    CLIENT_CONSUMER,      /* source.kafka: the messages */
    CLIENT_TOPIC_READER,  /* the topic of states, from its beginning */
    CLIENT_INQUIRER,      /* checks before a run that it can do its work */
    CLIENT_PRODUCER,      /* sink.kafka, sink.dead_letters */
    CLIENT_STATE_PRODUCER /* source.kafka with state = "partition": its states */
};

/* Settings of a client. The table of its role names the members that it uses. */
struct client_cfg {
    enum client_role role;
    const char *brokers;                   /* "host:port,…"; a consumer's may be "embedded" */
    const struct leat_strings *properties; /* the user's; each is "name=value" */

    const char *group, *instance;         /* instance: NULL for none */
    int64_t queue_kbytes, queue_messages; /* largest prefetch queue */

    int64_t message_bytes;      /* longest message, with header and key */
    const char *message_ms;     /* age at which a message expires; "0" for never */
    const char *transaction;    /* transactional ID; NULL for none */
    const char *transaction_ms; /* NULL for librdkafka's default */
};

struct client_callbacks {
    void (*on_error)(rd_kafka_t *rk, int err, const char *reason, void *self);
    void (*on_delivered)(rd_kafka_t *rk, const rd_kafka_message_t *m, void *self); /* or NULL */
    void (*on_rebalance)(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                         rd_kafka_topic_partition_list_t *list, void *self); /* or NULL */
};

/* Reports wrong `properties` and `brokers`, in a stage's validate, without a network. */
void client_validate(const struct client_cfg *cfg, struct leat_diag *d);
/* Returns LEAT_OK and the client, or a failure reported to the host. Callbacks get `self`. Its
 * first member is the struct leat_ctx * of the present call. Each poll of the client writes
 * librdkafka's own log there, at level debug. */
int client_open(struct leat_ctx *ctx, const struct client_cfg *cfg,
                const struct client_callbacks *callbacks, void *self, rd_kafka_t **rk);

/* True if the client wants a broker inside this process. */
bool client_is_embedded(const struct client_cfg *cfg);
/* Returns the fault of a topic's name, as a predicate; NULL if the name is good. */
const char *client_topic_wrong(const char *name);

/* ---- outages ----
 *
 * The reason, for messages, why no broker can be reached. Also whether waiting is useless, because
 * all brokers refuse the client's credentials or certificate. */

struct outage {
    bool down;              /* no broker can be reached */
    int err, reported;      /* last error of a connection; last error reported */
    uint64_t refused_since; /* monotonic ns; 0 if no broker has refused the client */
    char reason[400];       /* of `err`, in librdkafka's words */
};

/* Takes an error of librdkafka. Returns true if no broker can be reached for a reason that is new.
 * The reason is in o->reason. */
bool outage_take(struct outage *o, int err, const char *reason);
/* Ends the outage, as a broker has answered. */
void outage_end(struct outage *o);
/* True if all brokers have refused the client for a while. It may ask them. */
bool outage_is_final(struct outage *o, rd_kafka_t *rk);

#endif
