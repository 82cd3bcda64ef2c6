/* source_params.h -- parameters of source.kafka: their table and their checks. */
#ifndef LEAT_KAFKA_SOURCE_SOURCE_PARAMS_H
#define LEAT_KAFKA_SOURCE_SOURCE_PARAMS_H

#include <leat/plugin.h>

#include "kafka/client/client.h"
#include "record.h"

enum consumer_start {
    START_EARLIEST,
    START_LATEST,
    START_COMMITTED,
    START_TIMESTAMP,
    START_OFFSET
};
enum consumer_missing { MISSING_REFUSE, MISSING_BEGIN };
enum consumer_expired { EXPIRED_REFUSE, EXPIRED_BEGIN };
enum source_tombstones { TOMBSTONES_SKIP, TOMBSTONES_EMPTY };

struct consumer_cfg {
    const char *brokers, *group, *instance;
    struct leat_strings topics, properties;
    struct leat_strings offsets; /* first offsets, each "topic/partition=offset" */
    const char *start;           /* word or time (params_start) */
    int32_t by_partition;        /* state = "partition": each partition has its own state */
    int32_t missing;   /* enum consumer_missing: for a missing state at the group's offset */
    int32_t expired;   /* enum consumer_expired: for a deleted next message */
    int64_t timestamp; /* ms since 1970 */
    int64_t prefetch;  /* bytes */
    const char *state_topic;
};

struct source_cfg {
    struct consumer_cfg consumer;
    struct record_cfg record;
    int64_t max_message, partitions_max, limit, give_up, quiet;
    int32_t until;      /* 0: read until the run is stopped; 1: to the end of every partition */
    int32_t tombstones; /* enum source_tombstones */
};

enum { SOURCE_PARAMS = 23 };
extern const struct leat_param source_params[SOURCE_PARAMS];

/* Checks the parameters (leat_stage.validate). */
int params_validate(const void *config, struct leat_diag *d);
/* Checks with the brokers that the topics exist and can be read, and that the group can be used
 * (leat_stage.online). */
int params_online(struct leat_ctx *ctx, int seconds, struct leat_diag *d);

/* Returns the settings of the consumer's client. */
struct client_cfg params_client(const struct consumer_cfg *cfg);
/* Returns the enum consumer_start for the text `start`; negative if the text is wrong. A time such
 * as "2026-11-20T12:00:00Z" or "-6h" (before now) gives START_TIMESTAMP and sets *ms to ms since
 * 1970. The word "timestamp" sets *ms to the parameter `timestamp`. */
int params_start(const struct consumer_cfg *cfg, int64_t *ms);
/* Returns the offset for a partition from the parameter `offsets`; negative if it has none for
 * it. */
int64_t params_offset(const struct consumer_cfg *cfg, const char *topic, int32_t partition);

#endif
