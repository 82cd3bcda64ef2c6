/* client.h -- opens the librdkafka clients of the Kafka stages, and tracks their outages.
 *
 * client_end.h closes the clients. Each client has a role (enum client_role). client.c has a table
 * of librdkafka properties for each role. A user's `properties` replace the values that the table
 * marks as DEFAULT or OPTIONAL. */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_H
#define LEAT_KAFKA_CLIENT_CLIENT_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

/* Rows for the parameter tables of the stages. OFFSET: offset of the parameter in the stage's
 * configuration. */
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
        .flags = LEAT_ADVANCED | LEAT_OPERATIONAL | LEAT_SECRET | LEAT_REFERENCES,                 \
        .offset = (OFFSET),                                                                        \
        .doc = "any property of librdkafka: { " EXAMPLE                                            \
               " }; ${env:NAME} and ${file:PATH} in a value stand for a secret"                    \
    }

/* Row for the parameter max_message of source.kafka (for states) and of the sinks. The bounds are
 * equal, because sink.kafka sends states and results with one producer if it uses transactions. */
#define CLIENT_MAX_MESSAGE(OFFSET, DOC)                                                            \
    {                                                                                              \
        .name = "max_message", .type = LEAT_SIZE, .flags = LEAT_ADVANCED, .offset = (OFFSET),      \
        .def = "1000000", .min = 1 << 10, .max = 64 << 20, .unit = "bytes", .doc = DOC             \
    }

enum client_role {
    CLIENT_CONSUMER,      /* of source.kafka: reads the messages */
    CLIENT_TOPIC_READER,  /* of source.kafka: reads the topic of states from its beginning */
    CLIENT_INQUIRER,      /* checks topics and groups before a run (inquiry.h) */
    CLIENT_PRODUCER,      /* of sink.kafka and sink.dead_letters */
    CLIENT_STATE_PRODUCER /* of source.kafka with state = "partition": writes the states */
};

/* Settings of a client. The property table of the role (client.c) tells which members the client
 * uses. */
struct client_cfg {
    enum client_role role;
    const char *brokers;                   /* "host:port,…"; for a consumer also "embedded" */
    const struct leat_strings *properties; /* set by the user; each is "name=value" */

    const char *group, *instance;         /* NULL if `instance` is unset */
    int64_t queue_kbytes, queue_messages; /* limits of the prefetch queue */

    int64_t message_bytes;      /* longest message, with key and headers */
    const char *batch_bytes;    /* longest batch; NULL for batch.size of the user or librdkafka */
    const char *linger_ms;      /* how long a message waits for others; NULL for 5 ms */
    const char *message_ms;     /* age in ms at which an unsent message expires; "0" for never */
    const char *transaction;    /* transactional ID; NULL without transactions */
    const char *transaction_ms; /* NULL for librdkafka's default */
};

struct client_callbacks {
    void (*on_error)(rd_kafka_t *rk, int err, const char *reason, void *self);
    void (*on_delivered)(rd_kafka_t *rk, const rd_kafka_message_t *m, void *self); /* may be NULL */
    void (*on_rebalance)(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                         rd_kafka_topic_partition_list_t *list, void *self); /* may be NULL */
};

/* Reports wrong `properties` and `brokers` when a stage is validated. Uses no network. */
void client_validate(const struct client_cfg *cfg, struct leat_diag *d);
/* Opens a client. Returns LEAT_OK, or a failure reported to the host. `self` is passed to the
 * callbacks; its first member must be a struct leat_ctx *, the context of the present call. Polls
 * of the client write librdkafka's log to that context, at level debug. */
int client_open(struct leat_ctx *ctx, const struct client_cfg *cfg,
                const struct client_callbacks *callbacks, void *self, rd_kafka_t **rk);

/* First version of librdkafka in which a commit during a cooperative rebalance keeps the
 * assignment. */
#define CLIENT_COOPERATIVE_FROM "2.10.0"
/* True if this librdkafka is that version or later. */
bool client_is_cooperative_safe(void);
/* True if the user's properties have group.protocol=consumer. */
bool client_uses_consumer_protocol(const struct client_cfg *cfg);
/* Returns what is known to be wrong with transactions of this librdkafka, as a sentence without its
 * end; NULL if nothing is. */
const char *client_transactions_wrong(void);
/* True if the user asks for a broker inside this process: brokers = "embedded". */
bool client_is_embedded(const struct client_cfg *cfg);
/* Returns the reason why the topic name is wrong, as the end of an error message that begins with
 * the name ("is not a topic's name: …"). Returns NULL if the name is valid. */
const char *client_topic_wrong(const char *name);

/* ---- outages ----
 *
 * An outage is a time when no broker can be reached. struct outage keeps the reason for messages.
 * It also tells whether all brokers refuse the client's credentials or certificate, in which case
 * waiting is useless. */

struct outage {
    bool down;              /* no broker can be reached */
    int err, reported;      /* last connection error; last error reported */
    uint64_t ask_at;        /* time of the next request of outage_is_over, monotonic ns */
    uint64_t refused_since; /* first refusal by a broker, monotonic ns; 0 if there was none */
    char reason[400];       /* text of `err` from librdkafka */
};

/* Handles an error of librdkafka. Returns true if no broker can be reached and the reason, now in
 * o->reason, has not been reported yet. */
bool outage_take(struct outage *o, int err, const char *reason);
/* Ends the outage. Called when a broker has answered. */
void outage_end(struct outage *o);
/* Ends the outage if a broker answers a request, which it sends from time to time. Returns true if
 * that has ended it. */
bool outage_is_over(struct outage *o, rd_kafka_t *rk);
/* True if all brokers have refused the client for 20 s. May send the brokers a request to find
 * out. */
bool outage_is_final(struct outage *o, rd_kafka_t *rk);

#endif
