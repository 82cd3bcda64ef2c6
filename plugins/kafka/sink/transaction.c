/* transaction.c -- implementation of transaction.h. */
#include "transaction.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "kafka/client/answers.h"
#include "kafka/client/bounded.h"
#include "kafka/client/client_end.h"
#include "kafka/states/position.h"
#include "kafka/states/state_topic.h"

enum {
    SLICE_MS = 1000,
    RETRY_MS = 100,
    MARGIN_MS = 29000, /* how much later than its limit a call of librdkafka must return */
    CLOSE_SECONDS = 2,
    PATIENCE_SECONDS = 10, /* how long to retry after the run was stopped */
    SHORTEST_MS = 60000,
    LONGEST_MS = 900000 /* default limit of brokers (transaction.max.timeout.ms) */
};

int64_t transaction_timeout_ms(int64_t checkpoint_ns)
{
    int64_t ms = 4 * (checkpoint_ns / 1000000);
    return !checkpoint_ns ? LONGEST_MS : ms < SHORTEST_MS ? SHORTEST_MS : ms;
}

/* ---- calls of librdkafka ---- */

struct transaction_call {
    struct bounded bounded;
    rd_kafka_t *rk;
    int ms;                                /* the limit that librdkafka is given */
    rd_kafka_topic_partition_list_t *list; /* copies, for send_offsets */
    const rd_kafka_consumer_group_metadata_t *member;
    rd_kafka_error_t *e; /* result */
};

static void call_init(struct bounded *b)
{
    struct transaction_call *c = (struct transaction_call *)b;
    c->e = rd_kafka_init_transactions(c->rk, c->ms);
}

static void call_offsets(struct bounded *b)
{
    struct transaction_call *c = (struct transaction_call *)b;
    c->e = rd_kafka_send_offsets_to_transaction(c->rk, c->list, c->member, c->ms);
}

static void call_commit(struct bounded *b)
{
    struct transaction_call *c = (struct transaction_call *)b;
    c->e = rd_kafka_commit_transaction(c->rk, c->ms);
}

static void call_abort(struct bounded *b)
{
    struct transaction_call *c = (struct transaction_call *)b;
    c->e = rd_kafka_abort_transaction(c->rk, c->ms);
}

/* Calls librdkafka. If it does not return within its limit and MARGIN_MS, or in time for a stop,
 * returns an error that says so, and t is `stuck`: the call may still use rk and member. */
static rd_kafka_error_t *transaction_call(struct leat_ctx *ctx, struct transaction *t,
                                          void (*call)(struct bounded *), const char *name, int ms,
                                          const rd_kafka_topic_partition_list_t *list,
                                          const rd_kafka_consumer_group_metadata_t *member)
{
    struct transaction_call *c = calloc(1, sizeof *c);
    const char *wrong = client_transactions_wrong();
    uint64_t from = clock_ns();
    if (!c) return rd_kafka_error_new(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, "no memory");
    *c = (struct transaction_call){.bounded.call = call, .rk = t->rk, .ms = ms, .member = member};
    c->list = list ? rd_kafka_topic_partition_list_copy(list) : NULL;
    if (!bounded_call(ctx, &c->bounded, (uint64_t)(ms + MARGIN_MS) * 1000000)) {
        t->stuck = true;
        return rd_kafka_error_new(
            RD_KAFKA_RESP_ERR__FAIL,
            "%s of librdkafka %s has not returned for %.0f s, though it was given %g s. The "
            "cluster aborts the transaction after transaction.timeout.ms%s%s",
            name, rd_kafka_version_str(), (double)(clock_ns() - from) / 1e9, ms / 1e3,
            wrong ? ". " : "", wrong ? wrong : "");
    }
    rd_kafka_error_t *e = c->e;
    if (c->list) rd_kafka_topic_partition_list_destroy(c->list);
    free(c);
    return e;
}

static rd_kafka_error_t *abort_transaction(struct leat_ctx *ctx, struct transaction *t, int ms)
{
    return transaction_call(ctx, t, call_abort, "rd_kafka_abort_transaction", ms, NULL, NULL);
}

static rd_kafka_error_t *transaction_offsets(struct leat_ctx *ctx, struct transaction *t,
                                             const rd_kafka_topic_partition_list_t *list,
                                             const rd_kafka_consumer_group_metadata_t *member)
{
    return transaction_call(ctx, t, call_offsets, "rd_kafka_send_offsets_to_transaction", SLICE_MS,
                            list, member);
}

/* ---- errors ---- */

/* Decides whether to retry after an error. Logs a warning, once. Returns true until some seconds
 * after the run was stopped. */
static bool may_wait(struct leat_ctx *ctx, struct transaction *t, const char *what, const char *why)
{
    if (!t->waits) ctx->host->log(ctx, LEAT_WARN, "%s: %s; trying again", what, why);
    t->waits = true;
    rd_kafka_poll(t->rk, RETRY_MS); /* errors of connections, which say why */
    if (!ctx->host->stopping(ctx)) return true;
    if (!t->give_up_at) t->give_up_at = client_give_up_at(ctx, PATIENCE_SECONDS);
    return clock_ns() < t->give_up_at;
}

static bool may_retry(struct leat_ctx *ctx, struct transaction *t, rd_kafka_error_t *e,
                      const char *what)
{
    if (!rd_kafka_error_is_retriable(e)) return false;
    return may_wait(ctx, t, what, rd_kafka_error_string(e));
}

/* Fails because a call does not return. At a stop this is an ordinary error. */
static int fail_stuck(struct leat_ctx *ctx, const char *why)
{
    return ctx->host->fail(ctx, ctx->host->stopping(ctx) ? LEAT_EIO : LEAT_ESTUCK, "%s", why);
}

static int fenced(struct leat_ctx *ctx, const struct transaction *t, const char *why)
{
    return ctx->host->fail(
        ctx, LEAT_EFENCED,
        "transaction \"%s\" is no longer this run's: another run has begun under "
        "that name, or the transaction took longer than transaction.timeout.ms (%s)",
        t->id, why);
}

/* Fails because of error e, and destroys it. */
static int transaction_give_up(struct leat_ctx *ctx, struct transaction *t, rd_kafka_error_t *e,
                               const char *what)
{
    char why[400];
    int fatal = rd_kafka_error_is_fatal(e), retriable = rd_kafka_error_is_retriable(e);
    snprintf(why, sizeof why, "%s%s%s", t->stuck ? "" : what, t->stuck ? "" : ": ",
             rd_kafka_error_string(e));
    rd_kafka_error_destroy(e);
    if (t->stuck) return fail_stuck(ctx, why);
    if (fatal) return fenced(ctx, t, why);
    if (retriable) return ctx->host->fail(ctx, LEAT_EIO, "%s; the sink gives up", why);
    return transaction_abort(ctx, t, why);
}

void transaction_group(const char *id, char group[TRANSACTION_GROUP])
{
    snprintf(group, TRANSACTION_GROUP, "leat-%s", id);
}

/* Adds the checkpoint's number to the transaction, as an offset of the group "leat-ID". */
static rd_kafka_error_t *add_checkpoint(struct leat_ctx *ctx, struct transaction *t,
                                        uint64_t checkpoint)
{
    char group[TRANSACTION_GROUP];
    transaction_group(t->id, group);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_consumer_group_metadata_t *nobody = rd_kafka_consumer_group_metadata_new(group);
    rd_kafka_topic_partition_list_add(list, t->topic, 0)->offset = (int64_t)checkpoint;
    rd_kafka_error_t *e = transaction_offsets(ctx, t, list, nobody);
    if (!t->stuck) rd_kafka_consumer_group_metadata_destroy(nobody);
    rd_kafka_topic_partition_list_destroy(list);
    return e;
}

/* Finds the reason why a transaction failed. The first error is often a consequence ("purged"). A
 * failed transaction refuses offsets with an error that has the reason. */
static void find_reason(struct leat_ctx *ctx, struct transaction *t, char *text, size_t cap)
{
    rd_kafka_error_t *e = add_checkpoint(ctx, t, 0);
    if (!e) return;
    snprintf(text, cap, "%s", rd_kafka_error_string(e));
    rd_kafka_error_destroy(e);
}

int transaction_abort(struct leat_ctx *ctx, struct transaction *t, const char *why)
{
    uint64_t until = client_give_up_at(ctx, PATIENCE_SECONDS);
    assert(t->id);
    char text[400];
    snprintf(text, sizeof text, "%s", why);
    if (!t->stuck) find_reason(ctx, t, text, sizeof text);
    if (t->stuck) return fail_stuck(ctx, text);
    for (rd_kafka_error_t *e; t->open && (e = abort_transaction(ctx, t, SLICE_MS));) {
        int fatal = rd_kafka_error_is_fatal(e), retriable = rd_kafka_error_is_retriable(e);
        if (t->stuck) snprintf(text, sizeof text, "%s", rd_kafka_error_string(e));
        rd_kafka_error_destroy(e);
        if (t->stuck) return fail_stuck(ctx, text);
        if (fatal) return fenced(ctx, t, text);
        if (!retriable || clock_ns() > until) break; /* the next run's producer aborts it */
    }
    t->open = false;
    return ctx->host->fail(ctx, LEAT_EROLLBACK, "transaction \"%s\" is aborted: %s", t->id, text);
}

void transaction_close(struct leat_ctx *ctx, struct transaction *t)
{
    int ms = (int)((client_give_up_at(ctx, CLOSE_SECONDS) - clock_ns()) / 1000000);
    rd_kafka_error_t *e = t->open && !t->stuck ? abort_transaction(ctx, t, ms) : NULL;
    if (e) rd_kafka_error_destroy(e);
    t->open = false;
}

/* ---- at the start of a run ---- */

static int begin_transaction(struct leat_ctx *ctx, struct transaction *t)
{
    rd_kafka_error_t *e = rd_kafka_begin_transaction(t->rk);
    t->open = !e;
    t->waits = false;
    return e ? transaction_give_up(ctx, t, e, "a transaction could not begin") : LEAT_OK;
}

/* Fences off earlier producers of this ID. Afterwards they cannot commit, and their open
 * transaction is aborted. */
static int fence_off(struct leat_ctx *ctx, struct transaction *t)
{
    for (rd_kafka_error_t *e; (e = transaction_call(ctx, t, call_init, "rd_kafka_init_transactions",
                                                    SLICE_MS, NULL, NULL));) {
        bool retriable = may_retry(ctx, t, e, "transactions could not be initialised");
        int status = LEAT_OK;
        if (ctx->host->stopping(ctx))
            status = LEAT_EOS;
        else if (!retriable && t->stuck)
            status = fail_stuck(ctx, rd_kafka_error_string(e));
        else if (!retriable)
            status = ctx->host->fail(ctx, LEAT_EARG, "the cluster refuses transaction \"%s\": %s",
                                     t->id, rd_kafka_error_string(e));
        rd_kafka_error_destroy(e);
        if (status != LEAT_OK) return status;
    }
    return LEAT_OK;
}

int transaction_await_topic(struct leat_ctx *ctx, struct transaction *t)
{
    rd_kafka_topic_t *topic = rd_kafka_topic_new(t->rk, t->topic, NULL);
    int status = LEAT_AGAIN;
    while (topic && status == LEAT_AGAIN) {
        const struct rd_kafka_metadata *about = NULL;
        rd_kafka_resp_err_t err = rd_kafka_metadata(t->rk, 0, topic, &about, SLICE_MS);
        if (!err && about->topic_cnt == 1) err = about->topics[0].err;
        if (about) rd_kafka_metadata_destroy(about);
        if (!err)
            status = LEAT_OK;
        else if (answer_is_final(err))
            status = ctx->host->fail(ctx, LEAT_EIO, "%s: %s%s", t->topic, rd_kafka_err2str(err),
                                     answer_advice(err));
        else if (ctx->host->stopping(ctx))
            status = LEAT_EOS;
        else
            may_wait(ctx, t, t->topic, rd_kafka_err2str(err));
        if (status == LEAT_AGAIN) rd_kafka_poll(t->rk, 100);
        if (outage_is_final(t->outage, t->rk))
            status = ctx->host->fail(ctx, LEAT_EIO, "all brokers refuse this client: %s",
                                     t->outage->reason);
    }
    if (topic) rd_kafka_topic_destroy(topic);
    return topic ? status
                 : ctx->host->fail(ctx, LEAT_EARG, "%s is not a name that a topic can have",
                                   t->topic);
}

/* Reads the checkpoint's number from the cluster's answer. *checkpoint stays 0 if no checkpoint was
 * committed. */
static rd_kafka_resp_err_t read_answer(rd_kafka_event_t *answer, uint64_t *checkpoint)
{
    size_t n = 0;
    const rd_kafka_ListConsumerGroupOffsets_result_t *result =
        answer ? rd_kafka_event_ListConsumerGroupOffsets_result(answer) : NULL;
    if (!result) return RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (rd_kafka_event_error(answer)) return rd_kafka_event_error(answer);
    const rd_kafka_group_result_t **group =
        rd_kafka_ListConsumerGroupOffsets_result_groups(result, &n);
    if (n != 1) return RD_KAFKA_RESP_ERR__BAD_MSG;
    const rd_kafka_error_t *e = rd_kafka_group_result_error(group[0]);
    if (e) return rd_kafka_error_code(e);
    const rd_kafka_topic_partition_list_t *list = rd_kafka_group_result_partitions(group[0]);
    for (int i = 0; list && i < list->cnt; i++) {
        if (list->elems[i].err) return list->elems[i].err;
        if (list->elems[i].offset > 0) *checkpoint = (uint64_t)list->elems[i].offset;
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t ask_checkpoint(struct transaction *t, rd_kafka_queue_t *queue,
                                          uint64_t *checkpoint)
{
    char group[TRANSACTION_GROUP], why[200];
    transaction_group(t->id, group);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, t->topic, 0);
    rd_kafka_ListConsumerGroupOffsets_t *wanted =
        rd_kafka_ListConsumerGroupOffsets_new(group, list);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(t->rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
    rd_kafka_AdminOptions_set_request_timeout(options, 5 * SLICE_MS, why, sizeof why);
    rd_kafka_error_t *e = rd_kafka_AdminOptions_set_require_stable_offsets(options, 1);
    if (e) rd_kafka_error_destroy(e);
    rd_kafka_ListConsumerGroupOffsets(t->rk, &wanted, 1, options, queue);
    rd_kafka_event_t *answer = rd_kafka_queue_poll(queue, 6 * SLICE_MS);
    rd_kafka_resp_err_t err = read_answer(answer, checkpoint);
    if (answer) rd_kafka_event_destroy(answer);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
    rd_kafka_topic_partition_list_destroy(list);
    return err;
}

static int last_checkpoint(struct leat_ctx *ctx, struct transaction *t, uint64_t *checkpoint)
{
    rd_kafka_queue_t *queue = rd_kafka_queue_new(t->rk);
    rd_kafka_resp_err_t err;
    int status = LEAT_OK;
    *checkpoint = 0;
    while (status == LEAT_OK && (err = ask_checkpoint(t, queue, checkpoint))) {
        if (answer_is_final(err))
            status = ctx->host->fail(ctx, LEAT_EIO, "the last checkpoint cannot be read: %s%s",
                                     rd_kafka_err2str(err), answer_advice(err));
        else
            may_wait(ctx, t, "the last checkpoint could not be read", rd_kafka_err2str(err));
        if (status == LEAT_OK && ctx->host->stopping(ctx)) status = LEAT_EOS;
        rd_kafka_poll(t->rk, 100);
    }
    rd_kafka_queue_destroy(queue);
    return status;
}

int transaction_recover(struct leat_ctx *ctx, struct transaction *t, uint64_t *checkpoint)
{
    int status = fence_off(ctx, t);
    if (status == LEAT_OK) status = last_checkpoint(ctx, t, checkpoint);
    return status == LEAT_OK ? begin_transaction(ctx, t) : status;
}

/* ---- at the end of a checkpoint ---- */

/* Writes the checkpoint's number into the marks of the offsets in `list` (position.h). The source
 * did not know the number when it made the marks. */
static void add_checkpoint_to(rd_kafka_topic_partition_list_t *list, uint64_t checkpoint)
{
    struct commit_mark mark;
    for (int i = 0; i < list->cnt; i++) {
        commit_mark_get(&list->elems[i], &mark);
        mark.checkpoint = checkpoint;
        commit_mark_put(&list->elems[i], &mark);
    }
}

static int send_offsets(struct leat_ctx *ctx, struct transaction *t,
                        const rd_kafka_topic_partition_list_t *list,
                        const rd_kafka_consumer_group_metadata_t *member)
{
    for (rd_kafka_error_t *e; (e = transaction_offsets(ctx, t, list, member));) {
        if (!may_retry(ctx, t, e, "offsets could not be added"))
            return transaction_give_up(ctx, t, e, "offsets could not be added");
        rd_kafka_error_destroy(e);
    }
    return LEAT_OK;
}

static int send_position(struct leat_ctx *ctx, struct transaction *t, uint64_t checkpoint,
                         const struct leat_position *position)
{
    struct position c = {0};
    int status = position->n ? position_read(ctx, position, &c) : LEAT_OK;
    if (status == LEAT_OK && c.offsets) {
        add_checkpoint_to(c.offsets, checkpoint);
        status = send_offsets(ctx, t, c.offsets, c.member);
    }
    if (!t->stuck) position_free(&c);
    return status;
}

static int send_checkpoint(struct leat_ctx *ctx, struct transaction *t, uint64_t checkpoint)
{
    for (rd_kafka_error_t *e; (e = add_checkpoint(ctx, t, checkpoint));) {
        if (!may_retry(ctx, t, e, "offsets could not be added"))
            return transaction_give_up(ctx, t, e, "offsets could not be added");
        rd_kafka_error_destroy(e);
    }
    return LEAT_OK;
}

static int commit_transaction(struct leat_ctx *ctx, struct transaction *t)
{
    for (rd_kafka_error_t *e;
         (e = transaction_call(ctx, t, call_commit, "rd_kafka_commit_transaction", SLICE_MS, NULL,
                               NULL));) {
        if (!may_retry(ctx, t, e, "the commit failed"))
            return transaction_give_up(ctx, t, e, "the commit failed");
        rd_kafka_error_destroy(e);
    }
    t->open = false;
    t->n++;
    return LEAT_OK;
}

int transaction_commit(struct leat_ctx *ctx, struct transaction *t, uint64_t checkpoint,
                       const struct leat_position *positions, uint32_t n)
{
    assert(t->open);
    int status = send_checkpoint(ctx, t, checkpoint);
    for (uint32_t i = 0; status == LEAT_OK && i < n; i++)
        status = send_position(ctx, t, checkpoint, &positions[i]);
    if (status == LEAT_OK) ctx->host->fault(ctx, "transaction_offsets_sent");
    if (status == LEAT_OK) status = commit_transaction(ctx, t);
    return status == LEAT_OK ? begin_transaction(ctx, t) : status;
}

/* ---- states of the sources ---- */

/* Opens the topic of the states with compression, because states have many zeros. librdkafka keeps
 * the settings with which a topic is first opened. */
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
    if (!n)
        return ctx->host->fail(ctx, LEAT_EDATA, "%s has no state to publish: this is a bug in leat",
                               one->name);
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
                                "max_message = %zu is less than the max_message = %zu of %s, whose "
                                "states go into the same transactions: set both to the same value",
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
