/* rebalance.c -- see rebalance.h. */
#include "rebalance.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/time/clock.h"
#include "matched_topics.h"
#include "same_topic.h"
#include "start_offset.h"

#define REVOKE_NS UINT64_C(20000000000)

static void check(struct consumer *c, rd_kafka_error_t *e, const char *what)
{
    if (!e) return;
    consumer_fail(c, LEAT_EIO, "partitions cannot be %s: %s", what, rd_kafka_error_string(e));
    rd_kafka_error_destroy(e);
}

/* ---- assigned ---- */

static void assign(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    const rd_kafka_topic_partition_list_t none = {.cnt = 0};
    if (c->cooperative)
        check(c, rd_kafka_incremental_assign(c->rk, list ? list : &none), "assigned");
    else
        rd_kafka_assign(c->rk, list);
}

static void report_assigned(const struct consumer *c, int given)
{
    uint32_t n = partitions_assigned(&c->partitions);
    if (!c->cooperative)
        CONSUMER_LOG(c, LEAT_INFO, "reads %d partition%s", given, given == 1 ? "" : "s");
    else if (given)
        CONSUMER_LOG(c, LEAT_INFO, "reads %u partition%s, %d of which the group has added",
                     (unsigned)n, n == 1 ? "" : "s", given);
}

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
    assign(c, found ? list : NULL);
    report_assigned(c, list->cnt);
    drop_to_assign(c);
}

void rebalance_read_later(struct consumer *c)
{
    if (c->stopped_reading && !c->to_assign && !c->to_revoke) rebalance_read_on(c);
}

void rebalance_read_on(struct consumer *c)
{
    c->stopped_reading = c->to_assign || c->to_revoke;
    if (c->stopped_reading) return;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)c->partitions.n);
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (!p->assigned) continue;
        rd_kafka_topic_partition_list_add(list, p->topic, p->number)->offset =
            p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
    }
    bool found = start_offset_others(c, list);
    if (found && c->cooperative) check(c, rd_kafka_incremental_unassign(c->rk, list), "taken away");
    if (found) assign(c, list);
    rd_kafka_topic_partition_list_destroy(list);
}

/* ---- taken away ---- */

static bool is_uncommitted(const struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++)
        if (c->partitions.v[i].leaving && c->partitions.v[i].next >= 0 &&
            c->partitions.v[i].next != c->partitions.v[i].committed_offset)
            return true;
    return false;
}

bool rebalance_is_cut(const struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++)
        if (c->partitions.v[i].leaving && c->partitions.v[i].next != c->partitions.v[i].cut)
            return false;
    return true;
}

static void mark_leaving(struct consumer *c)
{
    for (int i = 0; i < c->to_revoke->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &c->to_revoke->elems[i];
        int k = partitions_find(&c->partitions, t->topic, t->partition);
        if (k >= 0) c->partitions.v[k].leaving = c->partitions.v[k].assigned;
    }
}

/* Messages that no checkpoint has yet are another member's now. */
static void roll_back_if_uncommitted(struct consumer *c)
{
    if (c->ctx->transactional && is_uncommitted(c))
        consumer_fail(c, LEAT_EROLLBACK,
                      "the group took partitions away before their offsets were committed");
}

static void drop_to_revoke(struct consumer *c)
{
    if (c->to_revoke) rd_kafka_topic_partition_list_destroy(c->to_revoke);
    c->to_revoke = NULL;
}

/* All, or those that leave. */
static void unassign(struct consumer *c)
{
    const rd_kafka_topic_partition_list_t none = {.cnt = 0};
    if (!c->cooperative) {
        rd_kafka_assign(c->rk, NULL);
        return;
    }
    check(c, rd_kafka_incremental_unassign(c->rk, c->to_revoke ? c->to_revoke : &none),
          "taken away");
    uint32_t n = partitions_assigned(&c->partitions);
    if (!c->closing)
        CONSUMER_LOG(c, LEAT_INFO, "reads on %u partition%s", (unsigned)n, n == 1 ? "" : "s");
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
    unassign(c);
    drop_to_revoke(c);
    c->checkpoint_requested = false;
    if (c->cfg->group) c->look_at = 0;
}

static void revoke(struct consumer *c, rd_kafka_topic_partition_list_t *list, bool lost)
{
    if (!c->cooperative) drop_to_assign(c); /* … which waits for an answer to each */
    drop_to_revoke(c);
    c->to_revoke = rd_kafka_topic_partition_list_copy(list);
    mark_leaving(c);
    c->revoke_deadline = clock_ns() + REVOKE_NS;
    if (!lost)
        CONSUMER_LOG(c, LEAT_INFO,
                     "the group takes %d partition%s away: the offsets are committed first",
                     list->cnt, list->cnt == 1 ? "" : "s");
    if (lost) {
        CONSUMER_LOG(c, LEAT_WARN, "the group has given the %d partitions to others already",
                     list->cnt);
        roll_back_if_uncommitted(c);
    }
    if (lost) rebalance_release(c);
}

/* To one that leaves the group, and reads nothing any more. librdkafka may have ended while it
 * asked: then the answer never returns (client_end.h), so nothing comes after it. */
static void answer_leaving(rd_kafka_t *rk, bool assigned, bool cooperative,
                           const rd_kafka_topic_partition_list_t *list)
{
    const rd_kafka_topic_partition_list_t none = {.cnt = 0};
    rd_kafka_error_t *e = NULL;
    if (rd_kafka_consumer_closed(rk)) return;
    if (!cooperative)
        rd_kafka_assign(rk, NULL);
    else
        e = assigned ? rd_kafka_incremental_assign(rk, &none)
                     : rd_kafka_incremental_unassign(rk, list);
    if (e) rd_kafka_error_destroy(e);
}

void rebalance_callback(rd_kafka_t *rk, rd_kafka_resp_err_t err,
                        rd_kafka_topic_partition_list_t *list, void *self)
{
    struct consumer *c = self;
    if (c->closing) {
        bool assigned = err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
        answer_leaving(rk, assigned, c->cooperative, list);
    } else if (err != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        revoke(c, list, rd_kafka_assignment_lost(rk));
        if (c->to_revoke && err != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) rebalance_release(c);
    } else if (c->failure) {
        assign(c, NULL);
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
