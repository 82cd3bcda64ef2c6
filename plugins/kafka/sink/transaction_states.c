/* transaction_states.c -- see transaction_states.h. */
#include "transaction_states.h"

#include <stdio.h>

#include "kafka/source/position.h"
#include "kafka/states/states.h"

/* Much of a state is zeros. A topic's settings are those of its first handle. */
static int begin_topic(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                       const struct position *c)
{
    char why[200] = "no memory";
    rd_kafka_topic_conf_t *conf = rd_kafka_default_topic_conf_dup(p->rk);
    rd_kafka_topic_conf_set(conf, "compression.codec", "lz4", why, sizeof why);
    s->topic = rd_kafka_topic_new(p->rk, c->state_topic, conf);
    if (s->topic) return LEAT_OK;
    rd_kafka_topic_conf_destroy(conf);
    return ctx->host->fail(ctx, LEAT_EIO, "topic %s for states: %s", c->state_topic,
                           rd_kafka_err2str(rd_kafka_last_error()));
}

static int send_state(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                      uint64_t checkpoint, const struct position *c,
                      const struct position_state *one, char *buf)
{
    char key[STATES_KEY];
    struct states_out out;
    const void *state;
    size_t n;
    struct message m = {.topic = c->state_topic,
                        .partition = states_partition(one->name, c->state_partitions),
                        .key = key,
                        .value = buf};
    ctx->host->shard_state(ctx, one->input, &state, &n);
    if (!n) return ctx->host->fail(ctx, LEAT_EDATA, "there is no state of %s", one->name);
    states_begin(&out, one->name, one->slot, one->next, checkpoint, state, n, c->max_message);
    while (!p->why[0] && states_next(&out, key, &m.key_len, buf, &m.value_len)) {
        rd_kafka_resp_err_t err = producer_send(ctx, p, &m);
        if (err && !p->why[0])
            snprintf(p->why, sizeof p->why, "a state cannot be written to %s: %s", c->state_topic,
                     rd_kafka_err2str(err));
        s->sent += !err;
    }
    return LEAT_OK;
}

int transaction_states_send(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                            uint64_t checkpoint, const struct leat_position *given, uint32_t n,
                            char *buf, size_t max_message)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < n; i++) {
        const struct position *c = position_of(&given[i]);
        if (!c || !c->n_states) continue;
        if (c->max_message > max_message)
            return ctx->host->fail(ctx, LEAT_EARG,
                                   "max_message = %zu is less than the %zu of %s, whose states go "
                                   "in the same transactions",
                                   max_message, c->max_message, given[i].source);
        if (!s->topic) status = begin_topic(ctx, s, p, c);
        for (uint32_t k = 0; k < c->n_states && status == LEAT_OK; k++)
            status = send_state(ctx, s, p, checkpoint, c, &c->state[k], buf);
    }
    return status;
}

void transaction_states_close(struct transaction_states *s)
{
    if (s->topic) rd_kafka_topic_destroy(s->topic);
    s->topic = NULL;
}
