/* partition_states.c -- implementation of partition_states.h. */
#include "partition_states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka/client/answers.h"
#include "kafka/client/topic_reader.h"
#include "offsets.h"

enum { READ_MS = 200, METADATA_MS = 1000, NAME = 300 };

static const char *group_of(const struct consumer *c) { return c->cfg->group ? c->cfg->group : ""; }

/* Writes the name of a partition's state. Returns false if the name is too long. */
static bool shard_name(const struct leat_ctx *ctx, const struct consumer *c, const char *topic,
                       int32_t partition, char out[STATES_KEY])
{
    return states_name(out, ctx->pipeline, group_of(c), topic, partition) > 0;
}

int partition_states_open(struct leat_ctx *ctx, struct partition_states *s,
                          const struct consumer *c, int64_t max_message)
{
    *s = (struct partition_states){.down = false};
    return state_topic_open(ctx, &s->topic, c->brokers, c->cfg->state_topic, c->cfg->topics.v[0],
                            &c->cfg->properties, max_message);
}

void partition_states_close(struct leat_ctx *ctx, struct partition_states *s)
{
    state_topic_close(ctx, &s->topic);
}

/* ---- looking up states ---- */

struct state_lookup {
    const struct leat_ctx *ctx;
    const struct consumer *c;
};

static bool partition_states_is_given(void *self, const char *name)
{
    const struct state_lookup *w = self;
    char mine[STATES_KEY];
    const rd_kafka_topic_partition_list_t *given = w->c->rebalance.given;
    for (int i = 0; i < given->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &given->elems[i];
        if (shard_name(w->ctx, w->c, t->topic, t->partition, mine) && !strcmp(mine, name))
            return true;
    }
    return false;
}

/* Reads the state topic to its end, into `found`. Returns LEAT_AGAIN if the run is stopping. */
static int read_states(struct leat_ctx *ctx, struct topic_reader *r, struct states *found)
{
    int status = LEAT_OK;
    while (status >= 0 && !topic_reader_at_end(r)) {
        rd_kafka_message_t *m;
        uint32_t which;
        if (ctx->host->stopping(ctx)) return LEAT_AGAIN;
        status = topic_reader_next(ctx, r, READ_MS, &m);
        if (status != LEAT_OK) continue;
        if (states_take(found, m->key, m->key_len, m->payload, m->len, &which) == STATES_NO_MEMORY)
            status = ctx->host->fail(ctx, LEAT_ENOMEM,
                                     "there is not enough memory for the states of %s", r->topic);
        rd_kafka_message_destroy(m);
    }
    return status < 0 ? status : LEAT_OK;
}

static int look_up_states(struct leat_ctx *ctx, struct consumer *c, struct states *found)
{
    struct topic_reader r;
    struct state_lookup w = {ctx, c};
    struct client_cfg client = {
        .role = CLIENT_TOPIC_READER, .brokers = c->brokers, .properties = &c->cfg->properties};
    *found = (struct states){.wanted = partition_states_is_given, .self = &w};
    int status = topic_reader_open(ctx, &r, &client, c->cfg->state_topic, true);
    if (status == LEAT_OK) status = read_states(ctx, &r, found);
    topic_reader_close(&r);
    found->wanted = NULL;
    return status;
}

/* ---- beginning a partition ---- */

/* Refuses an offset that is not in the log. If it is after the log's end, the topic was created
 * again. If it is before the log's start, messages are lost. */
static int check_offset(struct leat_ctx *ctx, struct consumer *c, const char *topic, int32_t number,
                        int64_t next)
{
    int64_t low, high;
    rd_kafka_resp_err_t err = offsets_of_log(c, topic, number, &low, &high);
    if (answer_kind(err) == ANSWER_WAIT) return LEAT_AGAIN;
    if (err)
        return ctx->host->fail(ctx, LEAT_EIO, "%s/%d: %s", topic, (int)number,
                               rd_kafka_err2str(err));
    bool begins = c->cfg->expired == EXPIRED_BEGIN;
    if ((next >= low || begins) && next <= high) return LEAT_OK;
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s/%d: its state in %s was saved at offset %lld, but its log has offsets %lld to "
        "%lld: the messages between are lost. Use another state_topic or group to start over",
        topic, (int)number, c->cfg->state_topic, (long long)next, (long long)low, (long long)high);
}

/* Decides by the parameter `missing` whether to begin at the group's offset although there is no
 * usable state. */
static int begin_without(struct leat_ctx *ctx, const struct consumer *c,
                         const rd_kafka_topic_partition_t *t, const struct states_found *o)
{
    char found[60] = "no state for it";
    if (o && o->n)
        snprintf(found, sizeof found, "only its state at offset %lld", (long long)o->next);
    if (c->cfg->missing == MISSING_REFUSE)
        return ctx->host->fail(
            ctx, LEAT_EDATA,
            "%s/%d: group %s has committed offset %lld, but %s holds %s: the state was lost, or "
            "was never kept by partition. Set missing = \"begin\" to continue at that offset with "
            "nothing learned, or use another group to start over",
            t->topic, (int)t->partition, c->cfg->group, (long long)t->offset, c->cfg->state_topic,
            found);
    ctx->host->log(ctx, LEAT_WARN, "%s/%d begins with nothing learned at the group's offset %lld",
                   t->topic, (int)t->partition, (long long)t->offset);
    return LEAT_OK;
}

/* Returns the state from which the partition can continue, or NULL. t has the group's offset. */
static struct states_found *usable_state(const struct leat_ctx *ctx, const struct states *found,
                                         const char *name, const rd_kafka_topic_partition_t *t)
{
    struct states_found *o = states_find(found, name);
    if (o && o->n && (!ctx->position_committed || o->next >= t->offset)) return o;
    return NULL;
}

/* True if the partition begins with the model of parameter `begin`: only one does, so that a merge
 * of all partitions has that model once. */
static bool begins_with_file(const struct consumer *c, const struct partition *p)
{
    return c->cfg->begin && !p->number && !strcmp(p->topic, c->cfg->topics.v[0]);
}

static int begin_with_file(struct leat_ctx *ctx, const struct consumer *c, struct partition *p)
{
    const char *path = c->cfg->begin;
    errno = 0;
    FILE *f = fopen(path, "rbe");
    bool has_bytes = f && fgetc(f) != EOF; /* fails for a folder, whose size has no meaning */
    long n = has_bytes && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    p->saved = n > 0 ? malloc((size_t)n) : NULL;
    bool good = p->saved && !fseek(f, 0, SEEK_SET) && fread(p->saved, (size_t)n, 1, f) == 1;
    int err = errno;
    if (f) fclose(f);
    if (!good)
        return ctx->host->fail(ctx, LEAT_EIO, "begin = \"%s\": the model cannot be read: %s", path,
                               err ? strerror(err) : "the file is empty");
    p->n_saved = (size_t)n;
    ctx->host->log(ctx, LEAT_INFO, "%s/%d begins with the model of %s", p->topic, (int)p->number,
                   path);
    return LEAT_OK;
}

/* Begins a partition that has no usable state. t has the group's offset. */
static int begin_new(struct leat_ctx *ctx, const struct consumer *c, struct partition *p,
                     const rd_kafka_topic_partition_t *t, const struct states_found *o)
{
    if (t->offset >= 0) return begin_without(ctx, c, t, o);
    return begins_with_file(c, p) ? begin_with_file(ctx, c, p) : LEAT_OK;
}

/* Continues a partition from its state, unless it is read already. t has the group's offset. */
static int partition_states_take_state(struct leat_ctx *ctx, struct consumer *c,
                                       const rd_kafka_topic_partition_t *t, struct states *found)
{
    char name[STATES_KEY];
    if (!shard_name(ctx, c, t->topic, t->partition, name))
        return ctx->host->fail(ctx, LEAT_EARG,
                               "the names of pipeline, group and topic are too long together: the "
                               "name of a state has at most %d bytes",
                               STATES_KEY - 32);
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for partitions");
    struct partition *p = &c->partitions.v[k];
    if (partition_is_read(p)) return LEAT_OK; /* the host has its state */
    struct states_found *o = usable_state(ctx, found, name, t);
    struct commit_mark mark;
    bool marked = commit_mark_get(t, &mark);
    p->group_last = mark.last;
    partition_forget_state(p);
    p->cut = PARTITION_UNKNOWN;
    p->next = p->committed_offset = t->offset >= 0 ? t->offset : PARTITION_UNKNOWN;
    if (!o) return begin_new(ctx, c, p, t, states_find(found, name));
    int status = check_offset(ctx, c, t->topic, t->partition, o->next);
    if (status != LEAT_OK) return status;
    if (t->offset >= 0 && t->offset != o->next)
        ctx->host->log(ctx, marked ? LEAT_INFO : LEAT_WARN,
                       "%s/%d continues from its state's offset %lld; the group's is %lld%s",
                       t->topic, (int)t->partition, (long long)o->next, (long long)t->offset,
                       marked ? "" : ", which another program has set");
    p->next = p->cut = p->published = o->next;
    p->last = p->cut_last = o->last;
    p->slot = o->slot;
    p->saved = o->bytes;
    p->n_saved = o->n;
    o->bytes = NULL;
    return LEAT_OK;
}

static int ask_group(struct leat_ctx *ctx, struct consumer *c,
                     rd_kafka_topic_partition_list_t *list)
{
    c->ctx = ctx;
    if (offsets_committed(c, list)) return LEAT_OK;
    return c->failure ? ctx->host->fail(ctx, c->failure, "%s", c->why) : LEAT_AGAIN;
}

/* Adds the partitions that the topics have now, and had not before, to those that the host counts
 * memory for. Returns LEAT_OK; LEAT_AGAIN if no broker has answered. */
static int announce_partitions(struct leat_ctx *ctx, struct partition_states *s,
                               const struct consumer *c)
{
    const struct rd_kafka_metadata *all = NULL;
    uint32_t n = 0;
    if (rd_kafka_metadata(c->rk, 1, NULL, &all, METADATA_MS)) return LEAT_AGAIN;
    for (int i = 0; i < all->topic_cnt; i++)
        if (consumer_reads(c, all->topics[i].topic)) n += (uint32_t)all->topics[i].partition_cnt;
    rd_kafka_metadata_destroy(all);
    if (n <= s->counted) return LEAT_OK;
    ctx->host->open_inputs(ctx, n - s->counted);
    s->counted = n;
    return LEAT_OK;
}

static int assign_with_states(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c)
{
    struct states found = {.n = 0};
    rd_kafka_topic_partition_list_t *group = rd_kafka_topic_partition_list_copy(c->rebalance.given);
    int status = state_topic_prepare(ctx, &s->topic);
    if (status == LEAT_AGAIN && !s->down)
        ctx->host->log(ctx, LEAT_WARN, "waiting for the brokers of topic %s", c->cfg->state_topic);
    s->down = status == LEAT_AGAIN;
    /* The states are looked up after the group's offsets, so no state is older than its offset. */
    if (status == LEAT_OK) status = announce_partitions(ctx, s, c);
    if (status == LEAT_OK) status = ask_group(ctx, c, group);
    if (status == LEAT_OK) status = look_up_states(ctx, c, &found);
    for (int i = 0; i < group->cnt && status == LEAT_OK; i++)
        status = partition_states_take_state(ctx, c, &group->elems[i], &found);
    rd_kafka_topic_partition_list_destroy(group);
    states_free(&found);
    if (status != LEAT_OK) return status;
    rebalance_assign(ctx, c);
    return LEAT_OK;
}

/* Gives the saved state to the host, which copies it. */
static int begin_shard(struct leat_ctx *ctx, struct consumer *c, struct partition *p)
{
    char name[NAME];
    snprintf(name, sizeof name, "%.280s/%d", p->topic, (int)p->number);
    p->input = LEAT_NEW_INPUT;
    int status = ctx->host->shard_begin(ctx, name, p->saved, p->n_saved, &p->input);
    if (status == LEAT_EFULL)
        return ctx->host->fail(ctx, LEAT_EARG, "%u partitions are assigned, more than %s",
                               (unsigned)partitions_assigned(&c->partitions),
                               c->cfg->partitions_max ? "partitions_max: raise it"
                                                      : "a process takes: start more of them");
    if (status == LEAT_EDATA && p->cut < 0)
        return ctx->host->fail(ctx, status, "begin = \"%s\": the file is not a whole model",
                               c->cfg->begin);
    if (status == LEAT_EDATA) /* the state's offset may be wrong, too */
        return ctx->host->fail(
            ctx, status,
            "%s: its message in %s is not a state. Use another state_topic or group to start over",
            name, c->cfg->state_topic);
    if (status != LEAT_OK) return status;
    free(p->saved);
    p->saved = NULL;
    p->n_saved = 0;
    partition_move(p, PARTITION_BEGUN);
    return LEAT_OK;
}

int partition_states_assign(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c)
{
    bool given = c->rebalance.state == REBALANCE_GIVEN;
    int status = given ? assign_with_states(ctx, s, c) : LEAT_OK;
    for (uint32_t i = 0; i < c->partitions.n && status == LEAT_OK; i++)
        if (c->partitions.v[i].state == PARTITION_STARTING)
            status = begin_shard(ctx, c, &c->partitions.v[i]);
    return status;
}

/* ---- publishing ---- */

/* True if the partition's state at the last checkpoint is not on the state topic yet. */
static bool partition_states_has_moved(const struct partition *p)
{
    bool begun = partition_is_read(p) || p->state == PARTITION_LEAVING;
    return begun && p->cut >= 0 && p->cut != p->published;
}

static int find_state(struct leat_ctx *ctx, const struct partition *p, const void **state,
                      size_t *n)
{
    ctx->host->shard_state(ctx, p->input, state, n);
    return *n ? LEAT_OK
              : ctx->host->fail(ctx, LEAT_EDATA,
                                "%s/%d has no state to publish: this is a bug in leat", p->topic,
                                (int)p->number);
}

static int publish_state(struct leat_ctx *ctx, struct partition_states *s, const struct consumer *c,
                         struct partition *p, uint64_t checkpoint)
{
    char name[STATES_KEY];
    struct states_out out;
    const void *state;
    size_t n;
    int status = find_state(ctx, p, &state, &n);
    if (status != LEAT_OK) return status;
    shard_name(ctx, c, p->topic, p->number, name);
    states_begin(&out, name, p->slot, p->cut, &p->cut_last, checkpoint, state, n,
                 s->topic.max_message);
    return state_topic_send(ctx, &s->topic, &out);
}

static int note_published(struct leat_ctx *ctx, const struct partition_states *s,
                          struct partition *p)
{
    const void *state;
    size_t n;
    int status = find_state(ctx, p, &state, &n);
    p->slot = states_slot(p->slot, n, s->topic.max_message);
    p->published = p->cut;
    return status;
}

int partition_states_publish(struct leat_ctx *ctx, struct partition_states *s, struct consumer *c,
                             uint64_t checkpoint)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < c->partitions.n && status == LEAT_OK && !ctx->position_committed; i++)
        if (partition_states_has_moved(&c->partitions.v[i]))
            status = publish_state(ctx, s, c, &c->partitions.v[i], checkpoint);
    if (status == LEAT_OK) status = state_topic_wait(ctx, &s->topic);
    for (uint32_t i = 0; i < c->partitions.n && status == LEAT_OK; i++)
        if (partition_states_has_moved(&c->partitions.v[i]))
            status = note_published(ctx, s, &c->partitions.v[i]);
    return status;
}

int partition_states_position(struct leat_ctx *ctx, const struct partition_states *s,
                              struct consumer *c)
{
    struct position *position = &c->position;
    char name[STATES_KEY];
    position->state_topic = strdup(s->topic.topic);
    if (!position->state_topic)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a position");
    position->state_partitions = s->topic.partitions;
    position->max_message = s->topic.max_message;
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (!partition_states_has_moved(p)) continue;
        shard_name(ctx, c, p->topic, p->number, name);
        const struct position_state state = {name, p->cut, p->cut_last, p->input, p->slot};
        if (!position_add(position, &state))
            return ctx->host->fail(ctx, LEAT_ENOMEM,
                                   "there is not enough memory for the names of states");
    }
    return LEAT_OK;
}
