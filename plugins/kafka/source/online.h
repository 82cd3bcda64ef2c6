/* online.h -- what source.kafka asks the brokers before a run (leat check --online). */
#ifndef LEAT_KAFKA_SOURCE_ONLINE_H
#define LEAT_KAFKA_SOURCE_ONLINE_H

#include "consumer.h"

/* As leat_stage.online: are the topics there, can they be read, and may the group be used? */
int online_ask(struct leat_ctx *ctx, const struct consumer_cfg *cfg, int seconds,
               struct leat_diag *d);

#endif
