/* offsets.c -- implementation of offsets.h. */
#include "offsets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/time/clock.h"
#include "kafka/client/answers.h"
#include "kafka/client/client_end.h"

#define SECOND UINT64_C(1000000000)
enum {
    LOOK_UP_MS = 5000,
    PAUSE_MS = 100,
    REPORT_SECONDS = 4,
    GONE_SECONDS = 10,
    LOOK_UP_SECONDS = 150
};

/* ---- requests to the cluster ---- */

/* Returns how long to repeat a request that fails with `err`, in ns. UINT64_MAX: until the run
 * stops. For instance, the open transaction of a killed process hides offsets until it times out,
 * and only that process knew the timeout. */
static uint64_t patience(rd_kafka_resp_err_t err)
{
    switch (answer_kind(err)) {
    case ANSWER_FORBIDDEN:
    case ANSWER_FINAL:
        return 0;
    case ANSWER_NO_TOPIC: /* a broker may not know a new topic yet */
        return GONE_SECONDS * SECOND;
    case ANSWER_WAIT:
        return UINT64_MAX;
    default:
        return LOOK_UP_SECONDS * SECOND;
    }
}

/* Pauses before a request is repeated. Returns true if the request is to be repeated. Logs a long
 * wait once. */
static bool ask_again(struct consumer *c, rd_kafka_resp_err_t err, uint64_t since, const char *what,
                      bool *reported)
{
    const struct timespec pause = {0, PAUSE_MS * 1000000};
    if (clock_ns() - since >= patience(err) || c->ctx->host->stopping(c->ctx)) return false;
    if (!*reported && clock_ns() > since + REPORT_SECONDS * SECOND) {
        CONSUMER_LOG(c, LEAT_WARN, "waiting for %s: %s", what, rd_kafka_err2str(err));
        *reported = true;
    }
    nanosleep(&pause, NULL);
    return !c->ctx->host->stopping(c->ctx);
}

/* Moves the offset and metadata of an answer to its partition in `list`. */
static void copy_answer(rd_kafka_topic_partition_list_t *list, rd_kafka_topic_partition_t *answer)
{
    rd_kafka_topic_partition_t *t =
        rd_kafka_topic_partition_list_find(list, answer->topic, answer->partition);
    t->offset = answer->offset;
    free(t->metadata);
    t->metadata = answer->metadata;
    t->metadata_size = answer->metadata_size;
    answer->metadata = NULL;
    answer->metadata_size = 0;
}

/* Looks up offsets once. `list` has the argument for each partition as its offset, and keeps it if
 * the request fails, or fails for one partition. */
static rd_kafka_resp_err_t ask_offsets(struct consumer *c, rd_kafka_topic_partition_list_t *list,
                                       offsets_request how)
{
    rd_kafka_topic_partition_list_t *asked = rd_kafka_topic_partition_list_copy(list);
    rd_kafka_resp_err_t err =
        list->cnt ? how(c->rk, asked, LOOK_UP_MS) : RD_KAFKA_RESP_ERR_NO_ERROR;
    for (int i = 0; i < asked->cnt && !err; i++)
        err = asked->elems[i].err;
    for (int i = 0; i < asked->cnt && !err; i++)
        copy_answer(list, &asked->elems[i]);
    rd_kafka_topic_partition_list_destroy(asked);
    return err;
}

bool offsets_ask(struct consumer *c, rd_kafka_topic_partition_list_t *list, offsets_request how,
                 const char *what)
{
    uint64_t since = clock_ns();
    bool reported = false;
    rd_kafka_resp_err_t err;
    do
        err = ask_offsets(c, list, how);
    while (err && ask_again(c, err, since, what, &reported));
    if (err && !c->ctx->host->stopping(c->ctx))
        consumer_fail(c, LEAT_EIO, "%s: %s", what, rd_kafka_err2str(err));
    return !err;
}

rd_kafka_resp_err_t offsets_of_log(struct consumer *c, const char *topic, int32_t number,
                                   int64_t *first, int64_t *next)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *t = rd_kafka_topic_partition_list_add(list, topic, number);
    t->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_resp_err_t err = ask_offsets(c, list, rd_kafka_offsets_for_times);
    *first = t->offset;
    t->offset = RD_KAFKA_OFFSET_END;
    if (!err) err = ask_offsets(c, list, rd_kafka_offsets_for_times);
    *next = t->offset;
    rd_kafka_topic_partition_list_destroy(list);
    return err;
}

static rd_kafka_resp_err_t ends_of(struct consumer *c, const rd_kafka_topic_partition_t *t,
                                   int64_t *first, int64_t *next)
{
    uint64_t since = clock_ns();
    bool reported = false;
    rd_kafka_resp_err_t err;
    do
        err = offsets_of_log(c, t->topic, t->partition, first, next);
    while (err && ask_again(c, err, since, "the ends of a log", &reported));
    return err;
}

void offsets_write_log(int64_t first, int64_t next, char *text, size_t cap)
{
    if (first < next)
        snprintf(text, cap, "its messages go from %lld to %lld", (long long)first,
                 (long long)next - 1);
    else
        snprintf(text, cap, "it has no message; the next one will be %lld", (long long)next);
}

void offsets_describe_log(struct consumer *c, const char *topic, int32_t number, char *text,
                          size_t cap)
{
    int64_t first, next;
    if (offsets_of_log(c, topic, number, &first, &next))
        snprintf(text, cap, "no broker says which messages there are");
    else
        offsets_write_log(first, next, text, cap);
}

/* ---- where to begin ---- */

static void start_at_offset(struct consumer *c, rd_kafka_topic_partition_t *t, int64_t wanted)
{
    char log[100];
    int64_t first, next;
    rd_kafka_resp_err_t err = ends_of(c, t, &first, &next);
    if (err) {
        consumer_fail(c, LEAT_EIO, "%s/%d: %s", t->topic, (int)t->partition, rd_kafka_err2str(err));
    } else if (wanted < first || wanted > next) {
        offsets_write_log(first, next, log, sizeof log);
        consumer_fail(c, LEAT_EDATA, "%s/%d: cannot begin at offset %lld: %s", t->topic,
                      (int)t->partition, (long long)wanted, log);
    }
    t->offset = wanted;
}

/* Fills in where the parameter `start` begins the partition. Adds it to `times` if a time says. */
static void start_as_configured(struct consumer *c, rd_kafka_topic_partition_t *t,
                                rd_kafka_topic_partition_list_t *times)
{
    const struct places start = params_start(c->cfg);
    struct place place = places_of(&start, t->topic, t->partition, c->now_ms);
    switch (place.kind) {
    case PLACE_OFFSET:
        start_at_offset(c, t, place.at);
        break;
    case PLACE_COMMITTED:
        consumer_fail(c, LEAT_EDATA,
                      "%s/%d: group %s has committed no offset: set another `start`, such as "
                      "\"earliest\"",
                      t->topic, (int)t->partition, c->cfg->group);
        break;
    case PLACE_TIME:
        rd_kafka_topic_partition_list_add(times, t->topic, t->partition)->offset = place.at;
        break;
    case PLACE_LATEST:
        t->offset = RD_KAFKA_OFFSET_END;
        break;
    default:
        t->offset = RD_KAFKA_OFFSET_BEGINNING;
    }
}

/* True if the cluster finds no message of 1970 or later, although the partition has messages. The
 * broker that is embedded in leat does not look for times. */
static bool knows_no_times(struct consumer *c, const rd_kafka_topic_partition_t *t)
{
    int64_t first, next;
    if (offsets_of_log(c, t->topic, t->partition, &first, &next) || first >= next) return false;
    rd_kafka_topic_partition_list_t *one = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(one, t->topic, t->partition)->offset = 0;
    bool none = !ask_offsets(c, one, rd_kafka_offsets_for_times) && one->elems[0].offset < 0;
    rd_kafka_topic_partition_list_destroy(one);
    return none;
}

bool offsets_of_times(struct consumer *c, rd_kafka_topic_partition_list_t *list,
                      const char *instead)
{
    if (!offsets_ask(c, list, rd_kafka_offsets_for_times, "offsets at the time")) return false;
    for (int i = 0; i < list->cnt && !c->failure; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        if (t->offset == RD_KAFKA_OFFSET_END && knows_no_times(c, t))
            consumer_fail(c, LEAT_EDATA,
                          "%s/%d has messages, but the broker finds none by its time, as the one "
                          "that is embedded in leat: set %s",
                          t->topic, (int)t->partition, instead);
    }
    return !c->failure;
}

/* Fills in the offsets that the parameter `start` defines. */
bool offsets_by_start(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    rd_kafka_topic_partition_list_t *times = rd_kafka_topic_partition_list_new(list->cnt);
    for (int i = 0; i < list->cnt && !c->failure; i++)
        if (list->elems[i].offset == RD_KAFKA_OFFSET_INVALID)
            start_as_configured(c, &list->elems[i], times);
    bool found = !c->failure && offsets_of_times(c, times, "start = \"earliest\"");
    for (int i = 0; i < times->cnt && found; i++)
        copy_answer(list, &times->elems[i]);
    rd_kafka_topic_partition_list_destroy(times);
    return found;
}

bool offsets_committed(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++)
        list->elems[i].offset = RD_KAFKA_OFFSET_INVALID;
    return !c->cfg->group || offsets_ask(c, list, rd_kafka_committed, "the group's offsets");
}

/* Returns the offset at which this run stopped reading the partition. For a partition that was lost
 * and is assigned again this is left_next, unless the group's offset was set back meanwhile. */
static int64_t own_offset(struct partition *p, int64_t group)
{
    bool left = p->next < 0 && p->left_next > group && p->left_committed <= group;
    int64_t own = left ? p->left_next : p->next;
    p->left_next = p->left_committed = PARTITION_UNKNOWN;
    return own;
}

static void report_choice(struct consumer *c, const rd_kafka_topic_partition_t *t, int64_t own,
                          bool follows, bool marked)
{
    long long group = t->offset;
    if (follows)
        CONSUMER_LOG(c, LEAT_WARN, "%s/%d continues at the group's offset %lld, not at %lld: %s",
                     t->topic, (int)t->partition, group, (long long)own,
                     marked ? "other members have read on since" : "another program has set it");
    else if (marked || group < 0)
        CONSUMER_LOG(c, LEAT_INFO, "%s/%d continues at offset %lld; the group's is %lld", t->topic,
                     (int)t->partition, (long long)own, group);
    else
        CONSUMER_LOG(
            c, LEAT_WARN,
            "%s/%d continues at offset %lld of its state, although another program has set the "
            "group's offset to %lld. Use another --state to begin there with nothing learned",
            t->topic, (int)t->partition, (long long)own, group);
}

/* Chooses between the group's offset, in t, and this run's own offset. Takes the group's offset if
 * a sink commits, if this run has no offset, or if another member has read further. If this run
 * itself committed the larger offset, the snapshot of that time was lost. The model then lacks the
 * messages between the two offsets, so they are read again. */
static void choose_offset(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    struct commit_mark mark;
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0) return;
    struct partition *p = &c->partitions.v[k];
    bool marked = commit_mark_get(t, &mark), by_sink = c->ctx->position_committed;
    int64_t group = t->offset >= 0 ? t->offset : PARTITION_UNKNOWN;
    int64_t own = by_sink ? p->next : own_offset(p, group);
    bool follows = group >= 0 &&
                   (by_sink || own < 0 || (group > own && !(marked && mark.writer == c->writer)));
    if (own >= 0 && group >= 0 && own != group) report_choice(c, t, own, follows, marked);
    p->group_last = mark.last;
    partition_continue(p, follows ? group : own, follows ? &mark.last : NULL);
    p->committed_offset = group <= p->next ? group : PARTITION_UNKNOWN;
    t->offset = p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
}

static bool compare_with_group(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    if (!offsets_committed(c, list)) return false;
    for (int i = 0; i < list->cnt; i++)
        choose_offset(c, &list->elems[i]);
    return true;
}

bool offsets_find(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    bool known = !c->cfg->group || c->cfg->by_partition; /* set by partition_states.c */
    return (known || compare_with_group(c, list)) && offsets_by_start(c, list);
}

/* ---- the message before an offset ---- */

enum { ASK_MS = 200 };
#define ASK_PAUSE_NS UINT64_C(1000000000) /* pause after an unanswered request */

static int fail_other_topic(struct leat_ctx *ctx, const struct partition *p)
{
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "%s/%d: the topic was deleted and created again: its offsets mean other messages now. Use "
        "another group, or another --state, to start over",
        p->topic, (int)p->number);
}

/* Returns the later of the messages a and b that are before `offset`; an unknown message if neither
 * is. */
static struct last_message last_before(int64_t offset, struct last_message a, struct last_message b)
{
    if (a.offset >= offset) a.offset = PARTITION_UNKNOWN;
    if (b.offset >= offset) b.offset = PARTITION_UNKNOWN;
    return a.offset > b.offset ? a : b;
}

void offsets_expect(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0) return;
    struct partition *p = &c->partitions.v[k];
    p->expected.offset = p->sample_offset = PARTITION_UNKNOWN;
    if (t->offset < 0 || p->next != t->offset) return;
    p->expected = last_before(t->offset, p->last, p->group_last);
    if (p->expected.offset >= 0) t->offset = p->expected.offset;
}

/* Compares messages at the same offset only. A message at a later offset proves nothing: compaction
 * may have removed the expected one. */
int offsets_check(struct leat_ctx *ctx, struct partition *p, const rd_kafka_message_t *m)
{
    if (p->expected.offset < 0) return LEAT_OK;
    bool other = m->offset == p->expected.offset && !last_message_is(&p->expected, m);
    p->expected.offset = PARTITION_UNKNOWN;
    return other ? fail_other_topic(ctx, p) : LEAT_OK;
}

/* True if a later answer can differ from p->sample_offset and so reveal a new topic. Offset 0
 * cannot reveal it, because a new topic may answer 0 as well. */
static bool is_telling(const struct partition *p) { return p->sample_offset > 0; }

/* Returns the requests for samples: each partition that has been read, with the time to look up as
 * its offset. */
static rd_kafka_topic_partition_list_t *sample_questions(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)c->partitions.n);
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        struct partition *p = &c->partitions.v[i];
        if (!partition_is_assigned(p) || p->last.offset < 0 || p->last.time <= 0) continue;
        if (!is_telling(p)) p->sample_time = p->last.time;
        rd_kafka_topic_partition_t *t =
            rd_kafka_topic_partition_list_add(list, p->topic, p->number);
        t->offset = p->sample_time;
        t->err = RD_KAFKA_RESP_ERR__NOENT; /* replaced by the answer */
    }
    return list;
}

static int take_sample(struct leat_ctx *ctx, struct consumer *c,
                       const rd_kafka_topic_partition_t *t)
{
    int k = partitions_find(&c->partitions, t->topic, t->partition);
    if (k < 0 || t->err || t->offset < 0) return LEAT_OK;
    struct partition *p = &c->partitions.v[k];
    if (is_telling(p) && t->offset < p->sample_offset) return fail_other_topic(ctx, p);
    p->sample_offset = t->offset;
    return LEAT_OK;
}

static void ignore_error(rd_kafka_t *rk, int err, const char *reason, void *self)
{
    (void)rk, (void)err, (void)reason, (void)self; /* the consumer reports the same error */
}

/* Opens a connection that only looks up offsets. On the consumer's connection an answer would wait
 * for a fetch of messages, because a broker answers requests in order. */
static int open_asker(struct leat_ctx *ctx, struct consumer *c)
{
    static const struct client_callbacks callbacks = {.on_error = ignore_error};
    const struct client_cfg cfg = {
        .role = CLIENT_TOPIC_READER, .brokers = c->brokers, .properties = &c->cfg->properties};
    return c->asker ? LEAT_OK : client_open(ctx, &cfg, &callbacks, c, &c->asker);
}

void offsets_close(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (c->asker) client_destroy(c->ctx, c->asker, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    c->asker = NULL;
}

int offsets_sample(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (c->asker) rd_kafka_poll(c->asker, 0);
    if (c->outage.down || clock_ns() < c->ask_at) return LEAT_OK;
    int status = open_asker(ctx, c);
    rd_kafka_topic_partition_list_t *list = sample_questions(c);
    bool answers =
        status == LEAT_OK && list->cnt && !rd_kafka_offsets_for_times(c->asker, list, ASK_MS);
    if (!answers && list->cnt) c->ask_at = clock_ns() + ASK_PAUSE_NS;
    for (int i = 0; answers && i < list->cnt && status == LEAT_OK; i++)
        status = take_sample(ctx, c, &list->elems[i]);
    rd_kafka_topic_partition_list_destroy(list);
    return status;
}
