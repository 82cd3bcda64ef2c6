/* commit.c -- see commit.h. */
#include "commit.h"

#include "core/time/clock.h"
#include "kafka/client/client_end.h"
#include "rebalance.h"

enum { ANSWER_SECONDS = 5, SLICE_MS = 100 };

/* Reported once, until a commit succeeds again. */
static void report_failure(struct consumer *c, rd_kafka_resp_err_t err)
{
    if (!c->commit_failed)
        CONSUMER_LOG(c, LEAT_WARN,
                     "could not commit offsets: %s. Retrying at the next checkpoint; uncommitted "
                     "records will be read again",
                     rd_kafka_err2str(err));
    c->commit_failed = true;
}

static void take_answer(struct consumer *c, rd_kafka_event_t *e)
{
    rd_kafka_resp_err_t err = rd_kafka_event_error(e);
    const rd_kafka_topic_partition_list_t *list = rd_kafka_event_topic_partition_list(e);
    c->committing--;
    if (err)
        report_failure(c, err);
    else if (list)
        partitions_committed(&c->partitions, list);
    if (!err) c->commit_failed = false;
}

void commit_collect(struct leat_ctx *ctx, struct consumer *c, int seconds)
{
    c->ctx = ctx;
    uint64_t until = client_give_up_at(ctx, seconds);
    while (c->committing) {
        rd_kafka_event_t *e = rd_kafka_queue_poll(c->commits, seconds ? SLICE_MS : 0);
        if (e && rd_kafka_event_type(e) == RD_KAFKA_EVENT_OFFSET_COMMIT) take_answer(c, e);
        if (e) rd_kafka_event_destroy(e);
        if (clock_ns() >= until) break;
    }
}

int commit_position(struct leat_ctx *ctx, struct consumer *c)
{
    position_begin(&c->position);
    if (c->failure) return ctx->host->fail(ctx, c->failure, "%s", c->why); /* lost, and delivered */
    c->position.offsets = c->cfg->group ? partitions_to_commit(&c->partitions, 0, c->writer) : NULL;
    if (!c->position.offsets) return LEAT_OK;
    c->position.member = rd_kafka_consumer_group_metadata(c->rk);
    char *id = rd_kafka_memberid(c->rk); /* looked at afterwards; "": it was put out of the group */
    bool is_member = id && *id;
    rd_kafka_mem_free(c->rk, id);
    if (is_member && c->position.member) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EROLLBACK, "this consumer is no longer a member of group %s",
                           c->cfg->group);
}

static void commit_to_group(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    rd_kafka_resp_err_t err = rd_kafka_commit_queue(c->rk, list, c->commits, NULL, NULL);
    if (err)
        report_failure(c, err);
    else
        c->committing++;
}

/* Before partitions are released. */
static void await_answers(struct leat_ctx *ctx, struct consumer *c)
{
    uint64_t from = clock_ns();
    commit_collect(ctx, c, ANSWER_SECONDS);
    if (c->committing)
        CONSUMER_LOG(c, LEAT_WARN,
                     "no broker has confirmed the offsets of partitions that are released within "
                     "%.1f s: whoever gets them may read messages again",
                     (double)(clock_ns() - from) / 1e9);
}

/* A checkpoint whose barrier came before the last messages leaves these to the next one. */
void commit_offsets(struct leat_ctx *ctx, struct consumer *c, uint64_t checkpoint, bool final)
{
    c->ctx = ctx;
    if (!c->cfg->group) return;
    rd_kafka_topic_partition_list_t *list =
        partitions_to_commit(&c->partitions, checkpoint, c->writer);
    if (list && ctx->position_committed)
        partitions_committed(&c->partitions, list); /* the sink did it */
    else if (list)
        commit_to_group(c, list);
    if (list) rd_kafka_topic_partition_list_destroy(list);
    if (final || c->to_revoke) await_answers(ctx, c);
}

void commit_release(struct consumer *c)
{
    if (!c->to_revoke) return;
    if (rebalance_is_cut(c))
        rebalance_release(c);
    else
        c->checkpoint_requested = false;
}
