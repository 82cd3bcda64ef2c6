/* trial.c -- implementation of trial.h. */
#include "trial.h"

#include <stdio.h>

enum { SLICE_MS = 1000 };

/* Fails because of error e, and destroys it. */
static int trial_fail(struct leat_ctx *ctx, const struct trial *t, rd_kafka_error_t *e)
{
    int status = rd_kafka_error_is_fatal(e) ? LEAT_EFENCED : LEAT_EIO;
    ctx->host->fail(ctx, status,
                    "messages cannot be tried in transaction \"%s\", which needs the same rights "
                    "as the other one: %s",
                    t->id, rd_kafka_error_string(e));
    rd_kafka_error_destroy(e);
    return status;
}

static int trial_init(struct leat_ctx *ctx, struct trial *t)
{
    for (rd_kafka_error_t *e; (e = rd_kafka_init_transactions(t->producer.rk, SLICE_MS));) {
        if (!rd_kafka_error_is_retriable(e) || ctx->host->stopping(ctx))
            return trial_fail(ctx, t, e);
        rd_kafka_error_destroy(e);
    }
    return LEAT_OK;
}

int trial_open(struct leat_ctx *ctx, struct trial *t, const struct client_cfg *cfg)
{
    struct client_cfg own = *cfg;
    if (t->producer.rk) return LEAT_OK;
    snprintf(t->id, sizeof t->id, "%s-try", cfg->transaction);
    own.transaction = t->id;
    int status = producer_open(ctx, &t->producer, &own);
    return status == LEAT_OK ? trial_init(ctx, t) : status;
}

static int trial_abort(struct leat_ctx *ctx, struct trial *t)
{
    for (rd_kafka_error_t *e; (e = rd_kafka_abort_transaction(t->producer.rk, SLICE_MS));) {
        if (!rd_kafka_error_is_retriable(e) || ctx->host->stopping(ctx))
            return trial_fail(ctx, t, e);
        rd_kafka_error_destroy(e);
    }
    return LEAT_OK;
}

/* The sink, and what it sends. */
struct trial_of {
    void *sink;
    struct leat_batch *b;
    trial_message *message;
    trial_reject *reject;
};

static void trial_send(struct leat_ctx *ctx, struct trial *t, const struct trial_of *of, uint32_t k,
                       uint32_t n)
{
    for (uint32_t end = k + n; k < end && !t->producer.why[0]; k++) {
        struct message m;
        if (!of->message(of->sink, of->b, of->b->sel[k], &m)) continue;
        rd_kafka_resp_err_t err = producer_send(ctx, &t->producer, &m);
        if (err && m.headers) rd_kafka_headers_destroy(m.headers);
        if (err) break; /* the transaction has failed: the reports tell why */
    }
    producer_confirm(ctx, &t->producer);
}

/* Tries records sel[k .. k + n) together. Sets *err to the error with which the cluster refuses
 * them, if it does. */
static int trial_part(struct leat_ctx *ctx, struct trial *t, const struct trial_of *of, uint32_t k,
                      uint32_t n, rd_kafka_resp_err_t *err)
{
    struct producer *p = &t->producer;
    rd_kafka_error_t *e = rd_kafka_begin_transaction(p->rk);
    if (e) return trial_fail(ctx, t, e);
    trial_send(ctx, t, of, k, n);
    int status = trial_abort(ctx, t);
    *err = p->refusal;
    if (status == LEAT_OK && p->why[0] && !p->refusal)
        status = ctx->host->fail(ctx, LEAT_EIO, "%s", p->why);
    p->refusal = RD_KAFKA_RESP_ERR_NO_ERROR;
    p->why[0] = 0;
    return status;
}

int trial_batch(struct leat_ctx *ctx, struct trial *t, void *sink, struct leat_batch *b,
                trial_message *message, trial_reject *reject)
{
    const struct trial_of of = {sink, b, message, reject};
    rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR_NO_ERROR;
    for (uint32_t k = 0, part = b->n_sel; k < b->n_sel;) {
        uint32_t n = part < b->n_sel - k ? part : b->n_sel - k;
        int status = trial_part(ctx, t, &of, k, n, &err);
        if (status != LEAT_OK) return status;
        if (err && n == 1) reject(ctx, sink, b, b->sel[k], err);
        k += err && n > 1 ? 0 : n;
        part = !err ? 2 * part : n > 1 ? n / 2 : 1;
    }
    return LEAT_OK;
}

void trial_close(struct trial *t)
{
    if (t->producer.rk) producer_close(&t->producer);
}
