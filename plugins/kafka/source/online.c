/* online.c -- see online.h. */
#include "online.h"

#include <string.h>

#include "kafka/client/inquiry.h"

/* The state topic is made by the first run. */
static void ask_state_topic(struct inquiry *q, const struct consumer_cfg *cfg)
{
    if (cfg->by_partition && inquiry_has(q, cfg->state_topic))
        inquiry_topic(q, "state_topic", cfg->state_topic, true);
}

int online_ask(struct leat_ctx *ctx, const struct consumer_cfg *cfg, int seconds,
               struct leat_diag *d)
{
    struct inquiry q;
    const struct client_cfg client = {
        .role = CLIENT_CONSUMER, .brokers = cfg->brokers, .properties = &cfg->properties};
    if (client_is_embedded(&client)) return LEAT_OK;
    int status = inquiry_open(&q, ctx, &client, seconds, d);
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->topics.n; i++)
        inquiry_topic(&q, "topics", cfg->topics.v[i], true);
    if (status == LEAT_OK && cfg->group)
        inquiry_group(&q, "group", cfg->group, !strcmp(cfg->start, "committed"));
    if (status == LEAT_OK) ask_state_topic(&q, cfg);
    if (status == LEAT_OK) inquiry_reading(&q);
    inquiry_close(&q);
    return status;
}
