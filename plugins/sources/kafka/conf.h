/* conf.h -- a client's configuration, property by property, with a reason for each refusal. */
#ifndef SOURCES_KAFKA_CONF_H
#define SOURCES_KAFKA_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/param.h>
#include <librdkafka/rdkafka.h>

/* false: `why` has "name=value: what librdkafka says". */
bool conf_set(rd_kafka_conf_t *conf, const char *key, const char *value, char *why, size_t cap);
/* All of a list of "name=value", but those in `ours`, ended by NULL, which are the stage's. */
bool conf_properties(rd_kafka_conf_t *conf, const struct leat_strings *properties,
                     const char *const *ours, char *why, size_t cap);

#endif
