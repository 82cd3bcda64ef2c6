/* rebalance.c -- see rebalance.h. */
#include "rebalance.h"

#include <assert.h>
#include <stdio.h>

#include "base/clock.h"
#include "matched_topics.h"
#include "same_topic.h"
#include "start_offset.h"

#define REVOKE_NS UINT64_C(20000000000)

/* ---- assigned ---- */

static void drop_to_assign(struct consumer *c)
{
    if (c->to_assign) rd_kafka_topic_partition_list_destroy(c->to_assign);
    c->to_assign = NULL;
}

void rebalance_give(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    assert(list);
    drop_to_assign(c);
    c->to_assign = rd_kafka_topic_partition_list_copy(list);
}

/* Its offset is the one that this run, or its state, knows. */
static void take_over(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0) return;
    struct partition *p = &c->partitions.v[k];
    char name[300];
    snprintf(name, sizeof name, "%.280s/%d", t->topic, (int)t->partition);
    if (!c->cfg->by_partition) c->ctx->host->name_input(c->ctx, (uint32_t)k, name);
    p->assigned = true;
    p->at_end = false;
    t->offset = p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
}

void rebalance_assign(struct leat_ctx *ctx, struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = c->to_assign;
    assert(list);
    c->ctx = ctx;
    matched_topics_assigned(c, list);
    for (int i = 0; i < list->cnt; i++)
        take_over(c, &list->elems[i]);
    partitions_forget_others(&c->partitions);
    bool found = start_offset_find(c, list);
    for (int i = 0; i < list->cnt; i++)
        same_topic_expect(c, &list->elems[i]);
    rd_kafka_assign(c->rk, found ? list : NULL);
    CONSUMER_LOG(c, LEAT_INFO, "reads %d partition%s", list->cnt, list->cnt == 1 ? "" : "s");
    drop_to_assign(c);
}

void rebalance_read_on(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)c->partitions.n);
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (!p->assigned) continue;
        rd_kafka_topic_partition_list_add(list, p->topic, p->number)->offset =
            p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
    }
    if (start_offset_others(c, list)) rd_kafka_assign(c->rk, list);
    rd_kafka_topic_partition_list_destroy(list);
}

/* ---- taken away ---- */

static bool is_uncommitted(const struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++)
        if (c->partitions.v[i].assigned && c->partitions.v[i].next >= 0 &&
            c->partitions.v[i].next != c->partitions.v[i].committed_offset)
            return true;
    return false;
}

/* Messages that no checkpoint has yet are another member's now. */
static void roll_back_if_uncommitted(struct consumer *c)
{
    if (c->ctx->transactional && is_uncommitted(c))
        consumer_fail(c, LEAT_EROLLBACK,
                      "the group took partitions away before their offsets were committed");
}

void rebalance_release(struct consumer *c)
{
    for (int i = 0; c->to_revoke && i < c->to_revoke->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &c->to_revoke->elems[i];
        int k = partitions_find(&c->partitions, t->topic, t->partition);
        if (k < 0) continue;
        struct partition *p = &c->partitions.v[k];
        if (p->shard_begun && !c->closing) c->ctx->host->shard_end(c->ctx, p->input);
        partition_leave(p);
    }
    if (c->to_revoke) rd_kafka_topic_partition_list_destroy(c->to_revoke);
    c->to_revoke = NULL;
    c->checkpoint_requested = false;
    if (c->cfg->group) c->look_at = 0;
    rd_kafka_assign(c->rk, NULL);
}

static void revoke(struct consumer *c, rd_kafka_topic_partition_list_t *list, bool lost)
{
    drop_to_assign(c);
    if (c->to_revoke) rd_kafka_topic_partition_list_destroy(c->to_revoke);
    c->to_revoke = rd_kafka_topic_partition_list_copy(list);
    c->revoke_deadline = clock_ns() + REVOKE_NS;
    if (!lost && !c->closing)
        CONSUMER_LOG(c, LEAT_INFO,
                     "the group takes %d partition%s away: the offsets are committed first",
                     list->cnt, list->cnt == 1 ? "" : "s");
    if (lost) {
        CONSUMER_LOG(c, LEAT_WARN, "the group has given the %d partitions to others already",
                     list->cnt);
        roll_back_if_uncommitted(c);
    }
    if (lost || c->closing) rebalance_release(c);
}

void rebalance_callback(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                        rd_kafka_topic_partition_list_t *list, void *self)
{
    struct consumer *c = self;
    if (err != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        revoke(c, list, rd_kafka_assignment_lost(rk));
        if (c->to_revoke && err != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) rebalance_release(c);
    } else if (c->closing || c->failure) {
        rd_kafka_assign(rk, NULL); /* a consumer that leaves reads nothing any more */
    } else {
        rebalance_give(c, list);
    }
}

bool rebalance_waits(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (!c->to_revoke) return false;
    bool late = clock_ns() > c->revoke_deadline;
    if (late) {
        CONSUMER_LOG(c, LEAT_WARN,
                     "partitions are released with offsets that are not committed: "
                     "the checkpoint took longer than %d s",
                     (int)(REVOKE_NS / UINT64_C(1000000000)));
        roll_back_if_uncommitted(c);
    }
    if (late || !is_uncommitted(c)) {
        rebalance_release(c);
        return false;
    }
    if (!c->checkpoint_requested) ctx->host->checkpoint_soon(ctx);
    c->checkpoint_requested = true;
    return true;
}

void rebalance_close(struct consumer *c)
{
    drop_to_assign(c);
    if (c->to_revoke) rebalance_release(c);
}
