/* partition_states.c -- see partition_states.h. */
#include "partition_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka/source/start_offset.h"
#include "kafka/client/topic_reader.h"

enum { READ_MS = 200, ASK_MS = 10000, NAME = 300 };

static const char *group_of(const struct consumer *c) { return c->cfg->group ? c->cfg->group : ""; }

static bool name_of(const struct leat_ctx *ctx, const struct consumer *c, const char *topic,
                    int32_t partition, char out[STATES_KEY])
{
    return states_name(out, ctx->pipeline, group_of(c), topic, partition) > 0;
}

int partition_states_open(struct leat_ctx *ctx, struct partition_states *h,
                          const struct consumer *c, int64_t max_message)
{
    *h = (struct partition_states){.down = false};
    return state_topic_open(ctx, &h->topic, c->brokers, c->cfg->state_topic, &c->cfg->properties,
                            max_message);
}

void partition_states_close(struct leat_ctx *ctx, struct partition_states *h)
{
    state_topic_close(ctx, &h->topic);
}

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
    int s = topic_reader_open(ctx, &r, c->brokers, c->cfg->state_topic, &c->cfg->properties, true);
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
    rd_kafka_resp_err_t err = start_offset_log_ends(c, topic, number, &low, &high);
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

/* The group has an offset, and no state goes with it. */
static int go_without(struct leat_ctx *ctx, const struct consumer *c,
                      const rd_kafka_topic_partition_t *t, const struct state_of *o)
{
    char found[60] = "no state of it";
    if (o && o->n) snprintf(found, sizeof found, "its state as of %lld alone", (long long)o->next);
    if (c->cfg->missing == MISSING_REFUSE)
        return ctx->host->fail(
            ctx, LEAT_EDATA,
            "%s/%d: group %s has committed offset %lld, and %s holds %s: what was learned is lost, "
            "or was not kept by partition so far. missing = \"begin\" goes on at that offset with "
            "nothing learned, another group begins anew",
            t->topic, (int)t->partition, c->cfg->group, (long long)t->offset, c->cfg->state_topic,
            found);
    ctx->host->log(ctx, LEAT_WARN, "%s/%d begins with nothing learned at the group's offset %lld",
                   t->topic, (int)t->partition, (long long)t->offset);
    return LEAT_OK;
}

/* NULL: none that the partition can go on from; t has the group's offset. */
static struct state_of *usable(const struct leat_ctx *ctx, const struct states *found,
                               const char *name, const rd_kafka_topic_partition_t *t)
{
    struct state_of *o = states_find(found, name);
    if (o && o->n && (!ctx->transactional || o->next >= t->offset)) return o;
    return NULL;
}

/* A partition, with the group's offset, goes on from what was found of it. */
static int take_state(struct leat_ctx *ctx, struct consumer *c, const rd_kafka_topic_partition_t *t,
                      struct states *found)
{
    char name[STATES_KEY];
    if (!name_of(ctx, c, t->topic, t->partition, name))
        return ctx->host->fail(ctx, LEAT_EARG, "group and topic are too long to name a state by");
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for partitions");
    struct partition *p = &c->partitions.v[k];
    struct state_of *o = usable(ctx, found, name, t);
    partition_forget_state(p);
    p->cut = PARTITION_UNKNOWN;
    p->next = p->committed_offset = t->offset >= 0 ? t->offset : PARTITION_UNKNOWN;
    if (!o) return t->offset < 0 ? LEAT_OK : go_without(ctx, c, t, states_find(found, name));
    int s = check_offset(ctx, c, t->topic, t->partition, o->next);
    if (s != LEAT_OK) return s;
    if (t->offset >= 0 && t->offset != o->next)
        ctx->host->log(ctx, LEAT_INFO,
                       "%s/%d goes on from its state's offset %lld; the group's is %lld", t->topic,
                       (int)t->partition, (long long)o->next, (long long)t->offset);
    p->next = p->cut = p->published = o->next;
    p->slot = o->slot;
    p->state = o->bytes;
    p->n_state = o->n;
    o->bytes = NULL;
    return LEAT_OK;
}

static int ask_group(struct leat_ctx *ctx, struct consumer *c,
                     rd_kafka_topic_partition_list_t *list)
{
    c->ctx = ctx;
    if (start_offset_committed(c, list)) return LEAT_OK;
    return c->failure ? ctx->host->fail(ctx, c->failure, "%s", c->why) : LEAT_AGAIN;
}

static int assign(struct leat_ctx *ctx, struct partition_states *h, struct consumer *c)
{
    struct states found = {.n = 0};
    rd_kafka_topic_partition_list_t *group = rd_kafka_topic_partition_list_copy(c->given);
    int s = state_topic_prepare(ctx, &h->topic);
    if (s == LEAT_AGAIN && !h->down)
        ctx->host->log(ctx, LEAT_WARN, "waiting for the brokers of topic %s", c->cfg->state_topic);
    h->down = s == LEAT_AGAIN;
    /* In this order: no state can be before an offset that was known before it was looked for. */
    if (s == LEAT_OK) s = ask_group(ctx, c, group);
    if (s == LEAT_OK) s = look_up(ctx, c, &found);
    for (int i = 0; i < group->cnt && s == LEAT_OK; i++)
        s = take_state(ctx, c, &group->elems[i], &found);
    rd_kafka_topic_partition_list_destroy(group);
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

int partition_states_assign(struct leat_ctx *ctx, struct partition_states *h, struct consumer *c)
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

static int find_state(struct leat_ctx *ctx, const struct partition *p, const void **state,
                      size_t *n)
{
    ctx->host->shard_state(ctx, p->input, state, n);
    return *n ? LEAT_OK
              : ctx->host->fail(ctx, LEAT_EDATA, "%s/%d has no state", p->topic, (int)p->number);
}

static int publish(struct leat_ctx *ctx, struct partition_states *h, const struct consumer *c,
                   struct partition *p, uint64_t checkpoint)
{
    char name[STATES_KEY];
    struct states_out out;
    const void *state;
    size_t n;
    int s = find_state(ctx, p, &state, &n);
    if (s != LEAT_OK) return s;
    name_of(ctx, c, p->topic, p->number, name);
    states_begin(&out, name, p->slot, p->cut, checkpoint, state, n, h->topic.max_message);
    return state_topic_send(ctx, &h->topic, &out);
}

static int note_published(struct leat_ctx *ctx, const struct partition_states *h,
                          struct partition *p)
{
    const void *state;
    size_t n;
    int s = find_state(ctx, p, &state, &n);
    p->slot = states_slot(p->slot, n, h->topic.max_message);
    p->published = p->cut;
    return s;
}

int partition_states_publish(struct leat_ctx *ctx, struct partition_states *h, struct consumer *c,
                             uint64_t checkpoint)
{
    int s = LEAT_OK;
    for (uint32_t i = 0; i < c->partitions.n && s == LEAT_OK && !ctx->transactional; i++)
        if (has_moved(&c->partitions.v[i])) s = publish(ctx, h, c, &c->partitions.v[i], checkpoint);
    if (s == LEAT_OK) s = state_topic_wait(ctx, &h->topic);
    for (uint32_t i = 0; i < c->partitions.n && s == LEAT_OK; i++)
        if (has_moved(&c->partitions.v[i])) s = note_published(ctx, h, &c->partitions.v[i]);
    return s;
}

int partition_states_position(struct leat_ctx *ctx, const struct partition_states *h,
                              struct consumer *c)
{
    struct position *position = &c->position;
    char name[STATES_KEY];
    position->state_topic = h->topic.topic;
    position->state_partitions = h->topic.partitions;
    position->max_message = h->topic.max_message;
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (!has_moved(p)) continue;
        name_of(ctx, c, p->topic, p->number, name);
        if (!position_add(position, name, p->cut, p->input, p->slot))
            return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a position");
    }
    return LEAT_OK;
}
