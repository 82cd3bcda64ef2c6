/* source_params.h -- parameters of source.kafka: their table and their checks. */
#ifndef LEAT_KAFKA_SOURCE_SOURCE_PARAMS_H
#define LEAT_KAFKA_SOURCE_SOURCE_PARAMS_H

#include <leat/plugin.h>

#include "kafka/client/client.h"
#include "places.h"
#include "record.h"

enum consumer_missing { MISSING_REFUSE, MISSING_BEGIN };
enum consumer_expired { EXPIRED_REFUSE, EXPIRED_BEGIN };
enum source_tombstones { TOMBSTONES_SKIP, TOMBSTONES_EMPTY };

struct consumer_cfg {
    const char *brokers, *group, *instance;
    struct leat_strings topics, properties;
    struct leat_strings start, until; /* places.h */
    int32_t by_partition;             /* state = "partition": each partition has its own state */
    int32_t missing;  /* enum consumer_missing: for a missing state at the group's offset */
    int32_t expired;  /* enum consumer_expired: for a deleted next message */
    int64_t prefetch; /* bytes */
    int64_t give_up;  /* ns; 0: never */
    const char *state_topic;
    const char *begin;      /* file with the state of the first partition of a new group */
    int64_t partitions_max; /* 0: as many as the topics have */
};

struct source_cfg {
    struct consumer_cfg consumer;
    struct record_cfg record;
    int64_t max_message, limit, quiet;
    int32_t tombstones; /* enum source_tombstones */
};

enum { SOURCE_PARAMS = 22 };
extern const struct leat_param source_params[SOURCE_PARAMS];

/* Checks the parameters (leat_stage.validate). */
int params_validate(const void *config, struct leat_diag *d);
/* Checks with the brokers that the topics exist and can be read, and that the group can be used
 * (leat_stage.online). */
int params_online(struct leat_ctx *ctx, int seconds, struct leat_diag *d);

/* Returns the settings of the consumer's client. */
struct client_cfg params_client(const struct consumer_cfg *cfg);
/* Return the parameters `start` and `until`. */
struct places params_start(const struct consumer_cfg *cfg);
struct places params_until(const struct consumer_cfg *cfg);

#endif
