/* client.h -- what every librdkafka client of ours needs: its properties checked, and an end.
 */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_H
#define LEAT_KAFKA_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/param.h>

#include <librdkafka/rdkafka.h>

/* The row of a parameter table for the longest message: whoever writes states and results in one
 * transaction has the same bounds for both. */
#define CLIENT_MAX_MESSAGE(OFFSET, DOC)                                                            \
    {                                                                                              \
        .name = "max_message", .type = LEAT_SIZE, .flags = LEAT_ADVANCED, .offset = (OFFSET),      \
        .def = "1000000", .min = 1 << 10, .max = 64 << 20, .unit = "bytes", .doc = DOC             \
    }

/* Set one property. false: `why` says what is wrong, and what was probably meant. */
bool client_set(rd_kafka_conf_t *conf, const char *key, const char *value, char *why, size_t cap);
/* Set the user's, each "name=value"; those in `ours` (ended by NULL) are refused. */
bool client_set_all(rd_kafka_conf_t *conf, const struct leat_strings *properties,
                    const char *const *ours, char *why, size_t cap);

/* What is wrong with the name of a topic, which a cluster would never have; or NULL. */
const char *client_topic_wrong(const char *name);

/* rd_kafka_destroy_flags, for some seconds: librdkafka can wait for ever for one of its own threads
 * (2.0.2 does when a topic that was read has been deleted). It is then left behind: false. */
bool client_destroy(rd_kafka_t *rk, int flags);

#endif
