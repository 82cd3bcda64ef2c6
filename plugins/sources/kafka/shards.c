/* shards.c -- see shards.h. */
#include "shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "begin.h"
#include "topic_reader.h"

enum { READ_MS = 200, ASK_MS = 10000, NAME = 300 };

static const char *group_of(const struct consumer *c) { return c->cfg->group ? c->cfg->group : ""; }

static bool name_of(const struct leat_ctx *ctx, const struct consumer *c, const char *topic,
                    int32_t partition, char out[STATES_KEY])
{
    return states_name(out, ctx->pipeline, group_of(c), topic, partition) > 0;
}

int shards_open(struct leat_ctx *ctx, struct shards *h, const struct consumer *c,
                int64_t max_message)
{
    *h = (struct shards){.down = false};
    return state_topic_open(ctx, &h->topic, c->brokers, c->cfg->state_topic, &c->cfg->properties,
                            max_message);
}

void shards_close(struct leat_ctx *ctx, struct shards *h) { state_topic_close(ctx, &h->topic); }

/* ---- looking up ---- */

struct wanting {
    const struct leat_ctx *ctx;
    const struct consumer *c;
};

static bool is_given(void *to, const char *name)
{
    const struct wanting *w = to;
    char mine[STATES_KEY];
    for (int i = 0; i < w->c->given->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &w->c->given->elems[i];
        if (name_of(w->ctx, w->c, t->topic, t->partition, mine) && !strcmp(mine, name)) return true;
    }
    return false;
}

/* LEAT_AGAIN: the run is being stopped. */
static int read_all(struct leat_ctx *ctx, struct topic_reader *r, struct states *found)
{
    int s = LEAT_OK;
    while (s >= 0 && !topic_reader_at_end(r)) {
        rd_kafka_message_t *m;
        uint32_t which;
        if (ctx->host->stopping(ctx)) return LEAT_AGAIN;
        s = topic_reader_next(ctx, r, READ_MS, &m);
        if (s != LEAT_OK) continue;
        if (states_take(found, m->key, m->key_len, m->payload, m->len, &which) == STATES_NO_MEMORY)
            s = ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for the states of %s", r->topic);
        rd_kafka_message_destroy(m);
    }
    return s < 0 ? s : LEAT_OK;
}

static int look_up(struct leat_ctx *ctx, struct consumer *c, struct states *found)
{
    struct topic_reader r;
    struct wanting w = {ctx, c};
    *found = (struct states){.wanted = is_given, .to = &w};
    int s = topic_reader_open(ctx, &r, c->brokers, c->cfg->state_topic, &c->cfg->properties);
    if (s == LEAT_OK) s = read_all(ctx, &r, found);
    topic_reader_close(&r);
    found->wanted = NULL;
    return s;
}

/* ---- beginning ---- */

/* No broker answers, or the one that did is not the leader (any more). */
static bool comes_again(rd_kafka_resp_err_t err)
{
    return err == RD_KAFKA_RESP_ERR__TIMED_OUT || err == RD_KAFKA_RESP_ERR__TRANSPORT ||
           err == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT ||
           err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
           err == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
           err == RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE ||
           err == RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE ||
           err == RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH ||
           err == RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH ||
           err == RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR;
}

/* What lies before the log's start is lost, and behind its end it is another log. */
static int check_offset(struct leat_ctx *ctx, struct consumer *c, const char *topic, int32_t number,
                        int64_t next)
{
    int64_t low, high;
    rd_kafka_resp_err_t err = begin_log_ends(c, topic, number, &low, &high);
    if (comes_again(err)) return LEAT_AGAIN;
    if (err)
        return ctx->host->fail(ctx, LEAT_EIO, "%s/%d: %s", topic, (int)number,
                               rd_kafka_err2str(err));
    if (next >= low && next <= high) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EDATA,
                           "%s/%d: its state in %s is as of offset %lld, and its messages go from "
                           "%lld to %lld: what lies between is lost; another state_topic or group "
                           "begins anew",
                           topic, (int)number, c->cfg->state_topic, (long long)next, (long long)low,
                           (long long)high);
}

static void compare_committed(struct leat_ctx *ctx, struct consumer *c, const struct states *found)
{
    char name[STATES_KEY];
    if (!c->cfg->group) return;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_copy(c->given);
    bool known = !rd_kafka_committed(c->rk, list, ASK_MS);
    for (int i = 0; known && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        const struct state_of *o =
            name_of(ctx, c, t->topic, t->partition, name) ? states_find(found, name) : NULL;
        if (t->offset < 0 || (o && o->n && o->next == t->offset)) continue;
        if (o && o->n)
            ctx->host->log(ctx, LEAT_INFO,
                           "%s/%d goes on from its state's offset %lld; the group's is %lld",
                           t->topic, (int)t->partition, (long long)o->next, (long long)t->offset);
        else
            ctx->host->log(ctx, LEAT_WARN,
                           "%s/%d has no state in %s and begins a new one at the group's offset "
                           "%lld",
                           t->topic, (int)t->partition, c->cfg->state_topic, (long long)t->offset);
    }
    rd_kafka_topic_partition_list_destroy(list);
}

/* Partition i of the assignment goes on from what was found of it. */
static int take_state(struct leat_ctx *ctx, struct consumer *c, int i, struct states *found)
{
    char name[STATES_KEY];
    const rd_kafka_topic_partition_t *t = &c->given->elems[i];
    if (!name_of(ctx, c, t->topic, t->partition, name))
        return ctx->host->fail(ctx, LEAT_EARG, "group and topic are too long to name a state by");
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for partitions");
    struct partition *p = &c->partitions.v[k];
    struct state_of *o = states_find(found, name);
    partition_forget_state(p);
    p->next = p->cut = p->committed = PARTITION_UNKNOWN;
    if (!o || !o->n) return LEAT_OK;
    int s = check_offset(ctx, c, t->topic, t->partition, o->next);
    if (s != LEAT_OK) return s;
    p->next = p->cut = p->published = o->next;
    p->slot = o->slot;
    p->state = o->bytes;
    p->n_state = o->n;
    o->bytes = NULL;
    return LEAT_OK;
}

static int assign(struct leat_ctx *ctx, struct shards *h, struct consumer *c)
{
    struct states found = {.n = 0};
    int s = state_topic_prepare(ctx, &h->topic);
    if (s == LEAT_AGAIN && !h->down)
        ctx->host->log(ctx, LEAT_WARN, "waiting for the brokers of topic %s", c->cfg->state_topic);
    h->down = s == LEAT_AGAIN;
    if (s == LEAT_OK) s = look_up(ctx, c, &found);
    if (s == LEAT_OK) compare_committed(ctx, c, &found);
    for (int i = 0; i < c->given->cnt && s == LEAT_OK; i++)
        s = take_state(ctx, c, i, &found);
    states_free(&found);
    if (s != LEAT_OK) return s;
    consumer_assign(ctx, c);
    return LEAT_OK;
}

/* The host takes a copy of the state. */
static int begin(struct leat_ctx *ctx, struct consumer *c, struct partition *p)
{
    char name[NAME];
    snprintf(name, sizeof name, "%.280s/%d", p->topic, (int)p->number);
    p->input = LEAT_NEW_INPUT;
    int s = ctx->host->shard_begin(ctx, name, p->state, p->n_state, &p->input);
    if (s == LEAT_EFULL)
        return ctx->host->fail(ctx, LEAT_EARG,
                               "%u partitions are assigned, more than partitions_max has room for",
                               (unsigned)partitions_assigned(&c->partitions));
    if (s != LEAT_OK) return s;
    free(p->state);
    p->state = NULL;
    p->n_state = 0;
    p->begun = true;
    return LEAT_OK;
}

int shards_settle(struct leat_ctx *ctx, struct shards *h, struct consumer *c)
{
    int s = c->given ? assign(ctx, h, c) : LEAT_OK;
    for (uint32_t i = 0; i < c->partitions.n && s == LEAT_OK; i++)
        if (c->partitions.v[i].assigned && !c->partitions.v[i].begun)
            s = begin(ctx, c, &c->partitions.v[i]);
    return s;
}

/* ---- publishing ---- */

static bool has_moved(const struct partition *p)
{
    return p->assigned && p->begun && p->cut >= 0 && p->cut != p->published;
}

/* Where the last state, if it is in parts, stays whole. */
static uint32_t next_slot(const struct shards *h, const struct partition *p, size_t n)
{
    return state_topic_parts(&h->topic, n) > 1 ? 1 - p->slot : 0;
}

static int publish(struct leat_ctx *ctx, struct shards *h, const struct consumer *c,
                   struct partition *p, uint64_t epoch)
{
    char name[STATES_KEY];
    const void *state;
    size_t n;
    ctx->host->shard_state(ctx, p->input, &state, &n);
    if (!n) return LEAT_OK; /* nothing but tombstones yet */
    name_of(ctx, c, p->topic, p->number, name);
    uint32_t slot = next_slot(h, p, n);
    int s = state_topic_send(ctx, &h->topic, name, slot, p->cut, epoch, state, n);
    p->slot = slot;
    return s;
}

int shards_publish(struct leat_ctx *ctx, struct shards *h, struct consumer *c, uint64_t epoch)
{
    int s = LEAT_OK;
    for (uint32_t i = 0; i < c->partitions.n && s == LEAT_OK; i++)
        if (has_moved(&c->partitions.v[i])) s = publish(ctx, h, c, &c->partitions.v[i], epoch);
    if (s == LEAT_OK) s = state_topic_wait(ctx, &h->topic);
    for (uint32_t i = 0; i < c->partitions.n && s == LEAT_OK; i++)
        if (has_moved(&c->partitions.v[i])) c->partitions.v[i].published = c->partitions.v[i].cut;
    return s;
}
