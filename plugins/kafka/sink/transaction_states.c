/* transaction_states.c -- see transaction_states.h. */
#include "transaction_states.h"

#include "kafka/states/position.h"
#include "kafka/states/state_topic.h"

/* Much of a state is zeros, so it is compressed. A topic's settings are those of its first
 * handle. */
static int open_topic(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                      const char *name)
{
    char why[200] = "no memory";
    rd_kafka_topic_conf_t *conf = rd_kafka_default_topic_conf_dup(p->rk);
    rd_kafka_topic_conf_set(conf, "compression.codec", "lz4", why, sizeof why);
    s->topic = rd_kafka_topic_new(p->rk, name, conf);
    if (s->topic) return LEAT_OK;
    rd_kafka_topic_conf_destroy(conf);
    return ctx->host->fail(ctx, LEAT_EIO, "topic %s for the states cannot be used: %s", name,
                           rd_kafka_err2str(rd_kafka_last_error()));
}

static int send_state(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                      uint64_t checkpoint, const struct position *position,
                      const struct position_state *one, char *buf)
{
    struct states_out out;
    const void *state;
    size_t n;
    ctx->host->shard_state(ctx, one->input, &state, &n);
    if (!n) return ctx->host->fail(ctx, LEAT_EDATA, "%s has no state to publish", one->name);
    states_begin(&out, one->name, one->slot, one->next, &one->last, checkpoint, state, n,
                 position->max_message);
    s->sent +=
        state_topic_send_by(ctx, p, position->state_topic, position->state_partitions, &out, buf);
    return LEAT_OK;
}

static int send_states(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                       uint64_t checkpoint, const struct position *position, char *buf)
{
    int status = s->topic ? LEAT_OK : open_topic(ctx, s, p, position->state_topic);
    for (uint32_t k = 0; k < position->n_states && status == LEAT_OK; k++)
        status = send_state(ctx, s, p, checkpoint, position, &position->state[k], buf);
    return status;
}

int transaction_states_send(struct leat_ctx *ctx, struct transaction_states *s, struct producer *p,
                            uint64_t checkpoint, const struct leat_position *positions, uint32_t n,
                            char *buf, size_t max_message)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++) {
        struct position position = {0};
        if (positions[i].n) status = position_read(ctx, &positions[i], &position);
        if (status == LEAT_OK && position.n_states && position.max_message > max_message)
            status =
                ctx->host->fail(ctx, LEAT_EARG,
                                "max_message = %zu is less than the %zu of %s, whose states are "
                                "in the same transactions: set both to the same value",
                                max_message, position.max_message, positions[i].source);
        if (status == LEAT_OK && position.n_states)
            status = send_states(ctx, s, p, checkpoint, &position, buf);
        position_free(&position);
    }
    return status;
}

void transaction_states_close(struct transaction_states *s)
{
    if (s->topic) rd_kafka_topic_destroy(s->topic);
    s->topic = NULL;
}
