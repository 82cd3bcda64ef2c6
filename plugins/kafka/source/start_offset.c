/* start_offset.c -- see start_offset.h. */
#include "start_offset.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/time/clock.h"

#define SECOND UINT64_C(1000000000)
enum {
    LOOK_UP_MS = 5000,
    PAUSE_MS = 100,
    REPORT_SECONDS = 4,
    GONE_SECONDS = 10,
    LOOK_UP_SECONDS = 150
};

/* ---- start = "offset" ---- */

/* The number that the digits up to `end` make; negative: there is something else. */
static int64_t read_number(const char *text, char end)
{
    char *at;
    if (!isdigit((unsigned char)*text)) return -1;
    errno = 0;
    long long n = strtoll(text, &at, 10);
    return errno || *at != end ? -1 : n;
}

/* "topic/partition=offset"; false: it is not of that form. */
static bool split_entry(const char *text, size_t *topic, int64_t *partition, int64_t *offset)
{
    const char *slash = strrchr(text, '/'), *equal = strrchr(text, '=');
    if (!slash || !equal || slash == text || equal < slash) return false;
    *topic = (size_t)(slash - text);
    *partition = read_number(slash + 1, '=');
    *offset = read_number(equal + 1, 0);
    return *partition >= 0 && *partition <= INT32_MAX && *offset >= 0;
}

/* The offset that is wanted of a partition; negative: none. */
static int64_t wanted_of(const struct leat_strings *offsets, const char *name, size_t n,
                         int64_t number, uint32_t end)
{
    size_t topic;
    int64_t partition, offset;
    for (uint32_t i = 0; i < end; i++)
        if (split_entry(offsets->v[i], &topic, &partition, &offset) && partition == number &&
            topic == n && !memcmp(offsets->v[i], name, n))
            return offset;
    return -1;
}

const char *start_offset_list_wrong(const struct leat_strings *offsets, uint32_t *which)
{
    size_t topic;
    int64_t partition, offset;
    for (*which = 0; *which < offsets->n; ++*which) {
        const char *text = offsets->v[*which];
        if (!split_entry(text, &topic, &partition, &offset))
            return "is not of the form topic/partition=offset";
        if (wanted_of(offsets, text, topic, partition, *which) >= 0)
            return "is a second offset of its partition: leave one out";
    }
    return NULL;
}

/* ---- asking the cluster ---- */

/* For how long to wait for an answer, in ns. The transaction of a process that was killed hides
 * offsets until it has timed out, after a time that the other process has set. */
static uint64_t patience(rd_kafka_resp_err_t err)
{
    switch (err) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
        return 0;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: /* a broker may not have heard yet of a new one */
        return GONE_SECONDS * SECOND;
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        return UINT64_MAX;
    default:
        return LOOK_UP_SECONDS * SECOND;
    }
}

/* Whether to ask again; then waits a little, and reports the first time what for. */
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

typedef rd_kafka_resp_err_t (*lookup)(rd_kafka_t *, rd_kafka_topic_partition_list_t *, int ms);

/* An error of one partition is an error of the whole answer. */
static rd_kafka_resp_err_t ask(struct consumer *c, rd_kafka_topic_partition_list_t *list,
                               lookup how, int64_t from)
{
    for (int i = 0; i < list->cnt; i++) {
        list->elems[i].offset = from;
        list->elems[i].err = RD_KAFKA_RESP_ERR_NO_ERROR;
    }
    rd_kafka_resp_err_t err = how(c->rk, list, LOOK_UP_MS);
    for (int i = 0; i < list->cnt && !err; i++)
        err = list->elems[i].err;
    return err;
}

/* Offset and metadata. */
static void give_answer(rd_kafka_topic_partition_list_t *list, rd_kafka_topic_partition_t *answer)
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

/* Fills in the offsets that are still unknown by `how`, which finds `from` in each. false: the
 * consumer has failed, or the run was stopped meanwhile. */
static bool look_up(struct consumer *c, rd_kafka_topic_partition_list_t *list, lookup how,
                    int64_t from, const char *what)
{
    uint64_t since = clock_ns();
    bool reported = false;
    rd_kafka_resp_err_t err;
    rd_kafka_topic_partition_list_t *wanted = rd_kafka_topic_partition_list_new(list->cnt);
    for (int i = 0; i < list->cnt; i++)
        if (list->elems[i].offset == RD_KAFKA_OFFSET_INVALID)
            rd_kafka_topic_partition_list_add(wanted, list->elems[i].topic,
                                              list->elems[i].partition);
    do
        err = wanted->cnt ? ask(c, wanted, how, from) : RD_KAFKA_RESP_ERR_NO_ERROR;
    while (err && ask_again(c, err, since, what, &reported));
    if (err && !c->ctx->host->stopping(c->ctx))
        consumer_fail(c, LEAT_EIO, "%s: %s", what, rd_kafka_err2str(err));
    for (int i = 0; i < wanted->cnt && !err; i++)
        give_answer(list, &wanted->elems[i]);
    rd_kafka_topic_partition_list_destroy(wanted);
    return !err;
}

rd_kafka_resp_err_t start_offset_log_ends(struct consumer *c, const char *topic, int32_t number,
                                          int64_t *first, int64_t *next)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *t = rd_kafka_topic_partition_list_add(list, topic, number);
    rd_kafka_resp_err_t err = ask(c, list, rd_kafka_offsets_for_times, RD_KAFKA_OFFSET_BEGINNING);
    *first = t->offset;
    if (!err) err = ask(c, list, rd_kafka_offsets_for_times, RD_KAFKA_OFFSET_END);
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
        err = start_offset_log_ends(c, t->topic, t->partition, first, next);
    while (err && ask_again(c, err, since, "the ends of a log", &reported));
    return err;
}

static void describe_log(int64_t first, int64_t next, char *text, size_t cap)
{
    if (first < next)
        snprintf(text, cap, "its messages go from %lld to %lld", (long long)first,
                 (long long)next - 1);
    else
        snprintf(text, cap, "it has no message; the next one will be %lld", (long long)next);
}

void start_offset_describe_log(struct consumer *c, const char *topic, int32_t number, char *text,
                               size_t cap)
{
    int64_t first, next;
    if (start_offset_log_ends(c, topic, number, &first, &next))
        snprintf(text, cap, "no broker says which messages there are");
    else
        describe_log(first, next, text, cap);
}

/* ---- where to begin ---- */

static void start_at_offset(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    char log[100];
    int64_t first, next;
    int64_t wanted =
        wanted_of(&c->cfg->offsets, t->topic, strlen(t->topic), t->partition, c->cfg->offsets.n);
    if (wanted < 0) {
        consumer_fail(c, LEAT_EARG, "%s/%d: `offsets` has no entry for this partition: add one",
                      t->topic, (int)t->partition);
        return;
    }
    rd_kafka_resp_err_t err = ends_of(c, t, &first, &next);
    if (err) {
        consumer_fail(c, LEAT_EIO, "%s/%d: %s", t->topic, (int)t->partition, rd_kafka_err2str(err));
    } else if (wanted < first || wanted > next) {
        describe_log(first, next, log, sizeof log);
        consumer_fail(c, LEAT_EDATA, "%s/%d: cannot begin at offset %lld: %s", t->topic,
                      (int)t->partition, (long long)wanted, log);
    }
    t->offset = wanted;
}

static void start_as_configured(struct consumer *c, rd_kafka_topic_partition_t *t)
{
    switch ((enum consumer_start)c->start) {
    case START_OFFSET:
        start_at_offset(c, t);
        break;
    case START_COMMITTED:
        consumer_fail(c, LEAT_EDATA,
                      "%s/%d: group %s has committed no offset: set another `start`, such as "
                      "\"earliest\"",
                      t->topic, (int)t->partition, c->cfg->group);
        break;
    case START_LATEST:
        t->offset = RD_KAFKA_OFFSET_END;
        break;
    case START_EARLIEST:
    case START_TIMESTAMP:
        t->offset = RD_KAFKA_OFFSET_BEGINNING;
    }
}

/* The answer to a time later than that of the last message is the end. */
bool start_offset_others(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    if (c->start == START_TIMESTAMP &&
        !look_up(c, list, rd_kafka_offsets_for_times, c->start_ms, "offsets at the time"))
        return false;
    for (int i = 0; i < list->cnt && !c->failure; i++)
        if (list->elems[i].offset == RD_KAFKA_OFFSET_INVALID)
            start_as_configured(c, &list->elems[i]);
    return !c->failure;
}

bool start_offset_committed(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++)
        list->elems[i].offset = RD_KAFKA_OFFSET_INVALID;
    return !c->cfg->group ||
           look_up(c, list, rd_kafka_committed, RD_KAFKA_OFFSET_INVALID, "the group's offsets");
}

/* A partition that was lost and has come back continues where this run left it, unless the group's
 * offset was set back meanwhile. */
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
        CONSUMER_LOG(c, LEAT_WARN, "%s/%d continues at offset %lld of the group, not at %lld: %s",
                     t->topic, (int)t->partition, group, (long long)own,
                     marked ? "other members have read on since" : "another program has set it");
    else if (marked || group < 0)
        CONSUMER_LOG(c, LEAT_INFO, "%s/%d continues at offset %lld; the group's is %lld", t->topic,
                     (int)t->partition, (long long)own, group);
    else
        CONSUMER_LOG(c, LEAT_WARN,
                     "%s/%d continues at offset %lld, where its state is, and not at %lld, where "
                     "another program has set the group's offset. Use another --state to begin "
                     "there with nothing learned",
                     t->topic, (int)t->partition, (long long)own, group);
}

/* Chooses between the group's offset, in t, and this run's. The group's counts where a sink
 * commits, and where others have read on. If only this run has, a later snapshot was lost, and the
 * model lacks what came after this one. */
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
    p->next = p->cut = follows ? group : own;
    p->cut_last = follows ? mark.last : p->last;
    p->committed_offset = group <= p->next ? group : PARTITION_UNKNOWN;
    t->offset = p->next >= 0 ? p->next : RD_KAFKA_OFFSET_INVALID;
}

static bool compare_with_group(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    if (!start_offset_committed(c, list)) return false;
    for (int i = 0; i < list->cnt; i++)
        choose_offset(c, &list->elems[i]);
    return true;
}

bool start_offset_find(struct consumer *c, rd_kafka_topic_partition_list_t *list)
{
    bool known = !c->cfg->group || c->cfg->by_partition; /* partition_states.c has asked */
    return (known || compare_with_group(c, list)) && start_offset_others(c, list);
}
