/* rebalance.c -- implementation of rebalance.h. */
#include "rebalance.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "consumer.h"
#include "core/time/clock.h"
#include "kafka/client/answers.h"
#include "offsets.h"

enum { METADATA_MS = 1000 };
#define REVOKE_NS UINT64_C(20000000000)

/* ---- states ---- */

enum rebalance_event { GIVE, ASSIGN, REVOKE, REQUEST, UNCUT, RELEASE, CLOSE, REBALANCE_EVENTS };

enum {
    IDLE = REBALANCE_IDLE,
    GIVEN = REBALANCE_GIVEN,
    REVOKED = REBALANCE_REVOKED,
    COMMITTING = REBALANCE_COMMITTING,
    CLOSED = REBALANCE_CLOSED
};

/* Next state by event and state: the table of rebalance.h. */
static const uint8_t rebalance_next[REBALANCE_EVENTS][REBALANCE_STATES] = {
    /* from      IDLE     GIVEN    REVOKED     COMMITTING  CLOSED */
    [GIVE] = {GIVEN, GIVEN, REVOKED, COMMITTING, CLOSED},
    [ASSIGN] = {IDLE, IDLE, REVOKED, COMMITTING, CLOSED},
    [REVOKE] = {REVOKED, REVOKED, REVOKED, REVOKED, CLOSED},
    [REQUEST] = {IDLE, GIVEN, COMMITTING, COMMITTING, CLOSED},
    [UNCUT] = {IDLE, GIVEN, REVOKED, REVOKED, CLOSED},
    [RELEASE] = {IDLE, GIVEN, IDLE, IDLE, CLOSED},
    [CLOSE] = {CLOSED, CLOSED, CLOSED, CLOSED, CLOSED},
};

static void rebalance_move(struct consumer *c, enum rebalance_event event)
{
    struct rebalance *r = &c->rebalance;
    r->state = (enum rebalance_state)rebalance_next[event][r->state];
}

static struct partition *partition_of(struct consumer *c, const rd_kafka_topic_partition_t *t)
{
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    return k < 0 ? NULL : &c->partitions.v[k];
}

static void drop_list(rd_kafka_topic_partition_list_t **list)
{
    if (*list) rd_kafka_topic_partition_list_destroy(*list);
    *list = NULL;
}

/* ---- topics of the cluster ---- */

static bool list_has_topic(const rd_kafka_topic_partition_list_t *list, const char *topic)
{
    for (int i = 0; i < list->cnt; i++)
        if (!strcmp(list->elems[i].topic, topic)) return true;
    return false;
}

/* True if p was read, and its topic is not in `list`. */
static bool is_topic_missing(const struct partition *p, const rd_kafka_topic_partition_list_t *list)
{
    return p->left_next >= 0 && !list_has_topic(list, p->topic);
}

static bool topic_exists(const struct rd_kafka_metadata *all, const char *topic)
{
    for (int i = 0; i < all->topic_cnt; i++)
        if (!strcmp(all->topics[i].topic, topic)) return all->topics[i].partition_cnt > 0;
    return false;
}

static bool is_any_left(const struct consumer *c, const struct rd_kafka_metadata *all)
{
    bool left = false;
    for (int i = 0; i < all->topic_cnt && !left; i++)
        left = all->topics[i].partition_cnt > 0 && consumer_reads(c, all->topics[i].topic);
    return left;
}

/* Reports a deleted topic. Forgets all its partitions, so each deletion is reported once. */
static void report_deleted(struct consumer *c, const char *topic, bool is_left)
{
    for (uint32_t i = 0; i < c->partitions.n; i++)
        if (!strcmp(c->partitions.v[i].topic, topic)) partition_forget(&c->partitions.v[i]);
    if (consumer_lists(c, topic)) /* librdkafka may tell it before the partitions are assigned */
        consumer_fail(c, LEAT_EDATA, "%s: the topic was deleted while it was read", topic);
    else if (is_left)
        CONSUMER_LOG(c, LEAT_WARN,
                     "%s: the topic was deleted while it was read; the other topics "
                     "are still read",
                     topic);
    else
        consumer_fail(c, LEAT_EDATA,
                      "%s: the topic was deleted while it was read, and no other "
                      "topic is left that `topics` matches",
                      topic);
}

/* Reports topics that were read before, are not in `list`, and have been deleted. Asks the cluster
 * if there are candidates, which blocks for up to a second. */
static void report_deleted_topics(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    const struct rd_kafka_metadata *all = NULL;
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (!is_topic_missing(p, list)) continue;
        if (!all && rd_kafka_metadata(c->rk, 1, NULL, &all, METADATA_MS)) return;
        if (!topic_exists(all, p->topic)) report_deleted(c, p->topic, is_any_left(c, all));
    }
    if (all) rd_kafka_metadata_destroy(all);
}

/* Adds the partitions of a topic to `list`, from the cluster's metadata. Returns false if the topic
 * has none yet. */
static bool add_topic_partitions(struct consumer *c, const char *name,
                                 rd_kafka_topic_partition_list_t *list)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(c->rk, name, NULL);
    bool known = topic && !rd_kafka_metadata(c->rk, 0, topic, &about, METADATA_MS) &&
                 about->topic_cnt == 1 && about->topics[0].partition_cnt > 0;
    if (about && about->topic_cnt == 1 && answer_is_final(about->topics[0].err))
        consumer_fail(c, LEAT_EIO, "%s: %s", name, rd_kafka_err2str(about->topics[0].err));
    for (int k = 0; known && k < about->topics[0].partition_cnt; k++)
        rd_kafka_topic_partition_list_add(list, name, about->topics[0].partitions[k].id);
    if (about) rd_kafka_metadata_destroy(about);
    if (topic) rd_kafka_topic_destroy(topic);
    return known;
}

/* Returns all partitions of all topics; NULL if a topic has no partitions yet. */
static rd_kafka_topic_partition_list_t *list_partitions(struct consumer *c)
{
    bool all = true;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    for (uint32_t i = 0; i < c->cfg->topics.n && all; i++)
        all = add_topic_partitions(c, c->cfg->topics.v[i], list);
    if (all) return list;
    rd_kafka_topic_partition_list_destroy(list);
    return NULL;
}

/* Returns when to ask for the cluster's topics again, monotonic ns; UINT64_MAX for never. The
 * interval is the one at which librdkafka looks for new partitions. */
static uint64_t next_look(const struct consumer *c)
{
    char text[24] = "";
    size_t n = sizeof text;
    rd_kafka_conf_get(rd_kafka_conf(c->rk), "topic.metadata.refresh.interval.ms", text, &n);
    int64_t ms = atoll(text);
    return ms > 0 ? clock_ns() + (uint64_t)ms * 1000000 : UINT64_MAX;
}

/* ---- partitions that are assigned ---- */

static void check_error(struct consumer *c, rd_kafka_error_t *e, const char *what)
{
    if (!e) return;
    consumer_fail(c, LEAT_EIO, "partitions cannot be %s: %s", what, rd_kafka_error_string(e));
    rd_kafka_error_destroy(e);
}

static void answer_assigned(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    const rd_kafka_topic_partition_list_t none = {.cnt = 0};
    if (c->rebalance.cooperative)
        check_error(c, rd_kafka_incremental_assign(c->rk, list ? list : &none), "assigned");
    else
        rd_kafka_assign(c->rk, list);
    bounds_resume(c, list);
}

static void report_assigned(const struct consumer *c, int given)
{
    uint32_t n = partitions_assigned(&c->partitions);
    if (!c->rebalance.cooperative)
        CONSUMER_LOG(c, LEAT_INFO, "reads %d partition%s", given, given == 1 ? "" : "s");
    else if (given)
        CONSUMER_LOG(c, LEAT_INFO, "reads %u partition%s, %d of which the group has added",
                     (unsigned)n, n == 1 ? "" : "s", given);
}

/* Stores a copy of `list` as the partitions to assign. */
static void give(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    drop_list(&c->rebalance.given);
    c->rebalance.given = rd_kafka_topic_partition_list_copy(list);
    rebalance_move(c, GIVE);
}

/* Begins a partition at once. Used if partitions do not have their own states. */
static void begin_partition(struct consumer *c, struct partition *p)
{
    char name[300];
    uint32_t input = (uint32_t)(p - c->partitions.v);
    snprintf(name, sizeof name, "%.280s/%d", p->topic, (int)p->number);
    c->ctx->host->name_input(c->ctx, input, name);
    partition_move(p, PARTITION_BEGUN);
}

/* Marks the partition as assigned. Sets t->offset to the partition's `next` if that is known. A
 * partition that is read, because its topic has got more partitions, keeps its own state. */
static void take_partition(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    struct partition *p = partition_of(c, t);
    if (!p) return;
    bool stays = c->cfg->by_partition && partition_is_read(p);
    partition_move(p, stays ? PARTITION_RESUMED : PARTITION_ASSIGNED);
    if (!c->cfg->by_partition) begin_partition(c, p);
    t->offset = p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
}

void rebalance_assign(struct leat_ctx *ctx, struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = c->rebalance.given;
    assert(c->rebalance.state == REBALANCE_GIVEN);
    c->ctx = ctx;
    report_deleted_topics(c, list);
    for (int i = 0; i < list->cnt; i++)
        take_partition(c, &list->elems[i]);
    partitions_forget_others(&c->partitions);
    bool found = bounds_check(c, list) && offsets_find(c, list) && bounds_find(c, list);
    for (int i = 0; i < list->cnt; i++)
        offsets_expect(c, &list->elems[i]);
    answer_assigned(c, found ? list : NULL);
    report_assigned(c, list->cnt);
    drop_list(&c->rebalance.given);
    rebalance_move(c, ASSIGN);
}

static bool is_any_stopped(const struct consumer *c)
{
    bool stopped = false;
    for (uint32_t i = 0; i < c->partitions.n && !stopped; i++)
        stopped = c->partitions.v[i].state == PARTITION_STOPPED;
    return stopped;
}

/* Assigns all partitions of the consumer again, at their offsets, so librdkafka fetches again from
 * the STOPPED ones. */
void rebalance_resume(struct consumer *c)
{
    if (c->rebalance.state != REBALANCE_IDLE || !is_any_stopped(c)) return;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)c->partitions.n);
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        struct partition *p = &c->partitions.v[i];
        partition_move(p, PARTITION_RESUMED);
        if (!partition_is_assigned(p)) continue;
        rd_kafka_topic_partition_list_add(list, p->topic, p->number)->offset =
            p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
    }
    bool found = offsets_by_start(c, list);
    if (found && c->rebalance.cooperative)
        check_error(c, rd_kafka_incremental_unassign(c->rk, list), "taken away");
    if (found) answer_assigned(c, list);
    rd_kafka_topic_partition_list_destroy(list);
}

/* ---- partitions that are revoked ---- */

/* True if a LEAVING partition has delivered messages that are not committed. */
static bool is_uncommitted(const struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (p->state == PARTITION_LEAVING && p->next >= 0 && p->next != p->committed_offset)
            return true;
    }
    return false;
}

/* True if every message that LEAVING partitions have delivered is before a cut. */
static bool rebalance_is_cut(const struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (p->state == PARTITION_LEAVING && p->next != p->cut) return false;
    }
    return true;
}

/* Removes from `revoked` and `given` the partitions that are in both: they were not assigned
 * yet. */
static void revoke_given(struct rebalance *r)
{
    for (int i = r->given ? r->revoked->cnt - 1 : -1; i >= 0; i--) {
        const rd_kafka_topic_partition_t *t = &r->revoked->elems[i];
        if (rd_kafka_topic_partition_list_del(r->given, t->topic, t->partition))
            rd_kafka_topic_partition_list_del_by_idx(r->revoked, i);
    }
}

/* Rolls the run back if the LEAVING partitions have uncommitted messages: other members read them
 * again. */
static void roll_back_if_uncommitted(struct consumer *c)
{
    if (c->ctx->transactional && is_uncommitted(c))
        consumer_fail(c, LEAT_EROLLBACK,
                      "the group took partitions away before their offsets were committed");
}

/* Tells librdkafka to release the revoked partitions. If the group is eager, these are all
 * partitions; if it is cooperative, the partitions in `revoked`. */
static void answer_revoked(struct consumer *c)
{
    if (c->fenced) return; /* the client is dead */
    if (!c->rebalance.cooperative) {
        rd_kafka_assign(c->rk, NULL);
        return;
    }
    check_error(c, rd_kafka_incremental_unassign(c->rk, c->rebalance.revoked), "taken away");
    uint32_t n = partitions_assigned(&c->partitions);
    if (c->rebalance.state != REBALANCE_CLOSED)
        CONSUMER_LOG(c, LEAT_INFO, "reads on %u partition%s", (unsigned)n, n == 1 ? "" : "s");
}

/* Releases the LEAVING partitions and answers the group. */
static void rebalance_release(struct consumer *c)
{
    bool ends_shards = c->cfg->by_partition && c->rebalance.state != REBALANCE_CLOSED;
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        struct partition *p = &c->partitions.v[i];
        if (p->state != PARTITION_LEAVING) continue;
        if (ends_shards) c->ctx->host->shard_end(c->ctx, p->input);
        partition_move(p, PARTITION_RELEASED);
    }
    answer_revoked(c);
    drop_list(&c->rebalance.revoked);
    rebalance_move(c, RELEASE);
    if (c->rebalance.given) rebalance_move(c, GIVE);
    c->rebalance.look_at = 0;
}

static void take_revoked(struct consumer *c, rd_kafka_topic_partition_list_t *list, bool lost)
{
    struct rebalance *r = &c->rebalance;
    if (!r->cooperative) drop_list(&r->given);
    drop_list(&r->revoked);
    r->revoked = rd_kafka_topic_partition_list_copy(list);
    revoke_given(r);
    r->deadline = clock_ns() + REVOKE_NS;
    rebalance_move(c, REVOKE);
    for (int i = 0; i < list->cnt; i++) {
        struct partition *p = partition_of(c, &list->elems[i]);
        if (p) partition_move(p, PARTITION_REVOKED);
    }
    if (!lost) {
        CONSUMER_LOG(c, LEAT_INFO,
                     "the group takes %d partition%s away: the offsets are committed first",
                     list->cnt, list->cnt == 1 ? "" : "s");
        return;
    }
    if (list->cnt)
        CONSUMER_LOG(c, LEAT_WARN, "the group has given the %d partitions to others already",
                     list->cnt);
    roll_back_if_uncommitted(c);
    rebalance_release(c);
}

/* Answers a report that comes while the consumer leaves its group. Does nothing if librdkafka has
 * closed the consumer, because the call would never return (client_end.h). */
static void answer_closed(rd_kafka_t *rk, bool assigned, bool cooperative,
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
    if (c->kept_out) consumer_end_wait(c);
    if (c->rebalance.state == REBALANCE_CLOSED) {
        bool assigned = err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
        answer_closed(rk, assigned, c->rebalance.cooperative, list);
    } else if (err != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        take_revoked(c, list, rd_kafka_assignment_lost(rk));
        if (rebalance_is_releasing(&c->rebalance) && err != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS)
            rebalance_release(c);
    } else if (c->failure) {
        answer_assigned(c, NULL);
    } else {
        give(c, list);
    }
}

bool rebalance_waits(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (!rebalance_is_releasing(&c->rebalance)) return false;
    bool late = clock_ns() > c->rebalance.deadline;
    if (late) {
        CONSUMER_LOG(c, LEAT_WARN,
                     "partitions are released before their offsets are committed: the checkpoint "
                     "took longer than %d s",
                     (int)(REVOKE_NS / UINT64_C(1000000000)));
        roll_back_if_uncommitted(c);
    }
    if (late || !is_uncommitted(c)) {
        rebalance_release(c);
        return false;
    }
    if (c->rebalance.state == REBALANCE_REVOKED) ctx->host->checkpoint_soon(ctx);
    rebalance_move(c, REQUEST);
    return true;
}

void rebalance_committed(struct consumer *c)
{
    if (!rebalance_is_releasing(&c->rebalance)) return;
    if (rebalance_is_cut(c))
        rebalance_release(c);
    else
        rebalance_move(c, UNCUT);
}

void rebalance_lose(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (partition_is_assigned(p)) rd_kafka_topic_partition_list_add(list, p->topic, p->number);
    }
    drop_list(&c->rebalance.given);
    take_revoked(c, list, true);
    rd_kafka_topic_partition_list_destroy(list);
}

void rebalance_close(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    rebalance_move(c, CLOSE);
    drop_list(&c->rebalance.given);
    if (c->rebalance.revoked) rebalance_release(c);
}

/* ---- consumers without a group ---- */

bool rebalance_give_all(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (c->cfg->group || c->rebalance.given || partitions_assigned(&c->partitions)) return true;
    rd_kafka_topic_partition_list_t *list = list_partitions(c);
    if (!list) return false;
    give(c, list);
    rd_kafka_topic_partition_list_destroy(list);
    return true;
}

/* Assigns all partitions again if topics have more partitions than before. */
static void look_for_partitions(struct consumer *c, bool first)
{
    rd_kafka_topic_partition_list_t *list = first ? NULL : list_partitions(c);
    if (list && (uint32_t)list->cnt > partitions_assigned(&c->partitions)) {
        for (int i = 0; i < list->cnt; i++)
            partitions_start_new(&c->partitions, list->elems[i].topic, list->elems[i].partition);
        give(c, list);
    }
    if (list) rd_kafka_topic_partition_list_destroy(list);
}

void rebalance_tick(struct leat_ctx *ctx, struct consumer *c)
{
    const rd_kafka_topic_partition_list_t none = {.cnt = 0};
    struct rebalance *r = &c->rebalance;
    bool group = c->cfg->group, assigned = partitions_assigned(&c->partitions);
    c->ctx = ctx;
    if (assigned == group || (group && r->given) || clock_ns() < r->look_at) return;
    bool first = !r->look_at;
    r->look_at = next_look(c);
    if (group)
        report_deleted_topics(c, &none);
    else
        look_for_partitions(c, first);
}
