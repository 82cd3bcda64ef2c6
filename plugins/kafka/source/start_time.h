/* start_time.h -- what `start` says: one of its words, or a time. */
#ifndef LEAT_KAFKA_SOURCE_START_TIME_H
#define LEAT_KAFKA_SOURCE_START_TIME_H

#include "consumer.h"

/* An enum consumer_start. Of "2026-11-20T12:00:00Z" and "-6h" it is START_TIMESTAMP, and *ms the
 * time since 1970, as it is now; of "timestamp" it is what the parameter of that name says.
 * Negative: it is neither. */
int start_time_read(const struct consumer_cfg *cfg, int64_t *ms);

/* In the stage's validate: reports what is wrong with it. */
void start_time_check(const struct consumer_cfg *cfg, struct leat_diag *d);

#endif
