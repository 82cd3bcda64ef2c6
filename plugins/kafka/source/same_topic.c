/* same_topic.c -- see same_topic.h. */
#include "same_topic.h"

#include "core/time/clock.h"
#include "kafka/client/client_end.h"

enum { ASK_MS = 200 };
#define PAUSE_NS UINT64_C(1000000000) /* no answer came */

static int fail_other_topic(struct leat_ctx *ctx, const struct partition *p)
{
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s/%d: the topic was deleted and created again: its offsets mean other messages now. Use "
        "another group, or another --state, to start over",
        p->topic, (int)p->number);
}

/* The later one of two messages that comes before `offset`; or none. */
static struct last_message before(int64_t offset, struct last_message a, struct last_message b)
{
    if (a.offset >= offset) a.offset = PARTITION_UNKNOWN;
    if (b.offset >= offset) b.offset = PARTITION_UNKNOWN;
    return a.offset > b.offset ? a : b;
}

void same_topic_expect(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0) return;
    struct partition *p = &c->partitions.v[k];
    p->expected.offset = p->sample_offset = PARTITION_UNKNOWN;
    if (t->offset < 0 || p->next != t->offset) return;
    p->expected = before(t->offset, p->last, p->group_last);
    if (p->expected.offset >= 0) t->offset = p->expected.offset;
}

/* A later one came: compaction has removed it, which a new topic cannot be told from. */
int same_topic_check(struct leat_ctx *ctx, struct partition *p, const rd_kafka_message_t *m)
{
    if (p->expected.offset < 0) return LEAT_OK;
    bool other = m->offset == p->expected.offset && !last_message_is(&p->expected, m);
    p->expected.offset = PARTITION_UNKNOWN;
    return other ? fail_other_topic(ctx, p) : LEAT_OK;
}

/* ---- while reading goes on ---- */

/* The first message of a log is the first of too many times. */
static bool tells_apart(const struct partition *p) { return p->sample_offset > 0; }

static rd_kafka_topic_partition_list_t *questions(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)c->partitions.n);
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        struct partition *p = &c->partitions.v[i];
        if (!p->assigned || p->last.offset < 0 || p->last.time <= 0) continue;
        if (!tells_apart(p)) p->sample_time = p->last.time;
        rd_kafka_topic_partition_t *t =
            rd_kafka_topic_partition_list_add(list, p->topic, p->number);
        t->offset = p->sample_time;
        t->err = RD_KAFKA_RESP_ERR__NOENT; /* until there is an answer */
    }
    return list;
}

static int take_answer(struct leat_ctx *ctx, struct consumer *c,
                       const rd_kafka_topic_partition_t *t)
{
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0 || t->err || t->offset < 0) return LEAT_OK;
    struct partition *p = &c->partitions.v[k];
    if (tells_apart(p) && t->offset < p->sample_offset) return fail_other_topic(ctx, p);
    p->sample_offset = t->offset;
    return LEAT_OK;
}

static void ignore_error(rd_kafka_t *rk, int err, const char *reason, void *self)
{
    (void)rk, (void)err, (void)reason, (void)self; /* the consumer reports the same */
}

/* A broker answers a connection's requests in turn, and one that fetches waits for messages. */
static int open_asker(struct leat_ctx *ctx, struct consumer *c)
{
    static const struct client_callbacks callbacks = {.on_error = ignore_error};
    const struct client_cfg cfg = {
        .role = CLIENT_TOPIC_READER, .brokers = c->brokers, .properties = &c->cfg->properties};
    return c->asker ? LEAT_OK : client_open(ctx, &cfg, &callbacks, c, &c->asker);
}

void same_topic_close(struct consumer *c)
{
    if (c->asker) client_destroy(c->ctx, c->asker, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    c->asker = NULL;
}

int same_topic_sample(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (c->asker) rd_kafka_poll(c->asker, 0);
    if (c->outage.down || clock_ns() < c->ask_at) return LEAT_OK;
    int status = open_asker(ctx, c);
    rd_kafka_topic_partition_list_t *list = questions(c);
    bool answers =
        status == LEAT_OK && list->cnt && !rd_kafka_offsets_for_times(c->asker, list, ASK_MS);
    if (!answers && list->cnt) c->ask_at = clock_ns() + PAUSE_NS;
    for (int i = 0; answers && i < list->cnt && status == LEAT_OK; i++)
        status = take_answer(ctx, c, &list->elems[i]);
    rd_kafka_topic_partition_list_destroy(list);
    return status;
}
