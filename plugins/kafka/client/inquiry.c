/* inquiry.c -- implementation of inquiry.h. */
#include "inquiry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/text/stream_name.h"
#include "core/time/clock.h"
#include "answers.h"
#include "client_end.h"
#include "group_about.h"
#include "kernels/text/edit_distance.h"

enum { SLICE_MS = 500, PAUSE_MS = 20, SHOWN_TOPICS = 5 };
#define DOWN_NS UINT64_C(3000000000)
/* Marks a partition in `read` for which a broker has answered. */
#define ANSWERED RD_KAFKA_RESP_ERR__PARTITION_EOF

static void inquiry_on_error(rd_kafka_t *rk, int err, const char *reason, void *self)
{
    struct inquiry *q = self;
    outage_take(&q->outage, err, reason);
}

int inquiry_ms_left(const struct inquiry *q)
{
    uint64_t now = clock_ns();
    if (now >= q->until || q->ctx->host->stopping(q->ctx)) return 0;
    return (int)((q->until - now) / 1000000);
}

/* ---- the cluster's topics ---- */

/* True if brokers refuse the client, or if all brokers have been down for a while. Waiting a few
 * seconds more will not help. */
static bool is_hopeless(const struct inquiry *q, uint64_t since)
{
    return q->outage.refused_since || (q->outage.down && clock_ns() > since + DOWN_NS);
}

static void ask_topics(struct inquiry *q)
{
    const struct timespec pause = {0, PAUSE_MS * 1000000};
    uint64_t since = clock_ns();
    rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR__TIMED_OUT;
    for (int left; !q->all && (left = inquiry_ms_left(q)) > 0 && !is_hopeless(q, since);) {
        err = rd_kafka_metadata(q->rk, 1, NULL, &q->all, left < SLICE_MS ? left : SLICE_MS);
        rd_kafka_poll(q->rk, 0);
        if (err) nanosleep(&pause, NULL);
    }
    if (!q->all)
        q->d->error(q->d, "brokers", "no broker of %s answers: %s", q->brokers,
                    q->outage.reason[0] ? q->outage.reason : rd_kafka_err2str(err));
}

int inquiry_open(struct inquiry *q, struct leat_ctx *ctx, const struct client_cfg *cfg, int seconds,
                 struct leat_diag *d)
{
    static const struct client_callbacks callbacks = {.on_error = inquiry_on_error};
    struct client_cfg client = {
        .role = CLIENT_INQUIRER, .brokers = cfg->brokers, .properties = cfg->properties};
    *q = (struct inquiry){.ctx = ctx, .d = d, .brokers = cfg->brokers};
    q->until = clock_ns() + (uint64_t)seconds * 1000000000;
    int status = client_open(ctx, &client, &callbacks, q, &q->rk);
    if (status != LEAT_OK) return status;
    q->read = rd_kafka_topic_partition_list_new(1);
    ask_topics(q);
    return LEAT_OK;
}

void inquiry_again(struct inquiry *q, int seconds)
{
    if (q->all) rd_kafka_metadata_destroy(q->all);
    q->all = NULL;
    q->until = clock_ns() + (uint64_t)seconds * 1000000000;
    ask_topics(q);
}

void inquiry_close(struct inquiry *q)
{
    if (q->all) rd_kafka_metadata_destroy(q->all);
    if (q->read) rd_kafka_topic_partition_list_destroy(q->read);
    if (q->committed) rd_kafka_topic_partition_list_destroy(q->committed);
    if (q->rk) client_destroy(q->ctx, q->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    *q = (struct inquiry){.rk = NULL};
}

/* ---- does the topic exist? ---- */

static int inquiry_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes, for a message about a missing topic, the topic with the most similar name, or the first
 * few topics. */
static void describe_others(const struct inquiry *q, const char *name, char *text, size_t cap)
{
    const char **names = calloc((size_t)q->all->topic_cnt + 1, sizeof *names);
    size_t n = 0, at = 0;
    *text = 0;
    for (int i = 0; names && i < q->all->topic_cnt; i++)
        if (strncmp(q->all->topics[i].topic, "__", 2)) names[n++] = q->all->topics[i].topic;
    if (n) qsort(names, n, sizeof *names, inquiry_by_name);
    const char *near = names ? edit_nearest(name, names) : NULL;
    if (near) at += (size_t)snprintf(text, cap, ": did you mean '%s'?", near);
    if (!near && !n) snprintf(text, cap, ": create it; this client sees no topics");
    for (size_t i = 0; !near && i < n && i < SHOWN_TOPICS && at < cap; i++)
        at += (size_t)snprintf(text + at, cap - at, "%s%s%s",
                               i ? ", " : ": create it, or name one of ", names[i],
                               i + 1 == SHOWN_TOPICS && i + 1 < n ? ", …" : "");
    free(names);
}

/* Asks for a topic by name to find why the cluster's list lacks it. The answer may be that the
 * client has no right to see the topic. */
static rd_kafka_resp_err_t ask_topic(struct inquiry *q, const char *name)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(q->rk, name, NULL);
    rd_kafka_resp_err_t err = rd_kafka_metadata(q->rk, 0, topic, &about, inquiry_ms_left(q));
    if (about && about->topic_cnt == 1) err = about->topics[0].err;
    if (about) rd_kafka_metadata_destroy(about);
    if (topic) rd_kafka_topic_destroy(topic);
    return err;
}

static void inquiry_report_missing(struct inquiry *q, const char *param, const char *name)
{
    char others[600];
    rd_kafka_resp_err_t err = ask_topic(q, name);
    if (err && answer_kind(err) != ANSWER_NO_TOPIC) {
        q->d->error(q->d, param, "cannot use topic '%s': %s%s", name, rd_kafka_err2str(err),
                    answer_advice(err));
        return;
    }
    describe_others(q, name, others, sizeof others);
    q->d->error(q->d, param, "topic '%s' does not exist%s", name, others);
}

bool inquiry_has(const struct inquiry *q, const char *topic)
{
    for (int i = 0; q->all && i < q->all->topic_cnt; i++)
        if (!strcmp(q->all->topics[i].topic, topic)) return true;
    return false;
}

static void add_topic(struct inquiry *q, const rd_kafka_metadata_topic_t *t, bool reads)
{
    if (reads)
        for (int i = 0; i < t->partition_cnt; i++)
            rd_kafka_topic_partition_list_add(q->read, t->topic, t->partitions[i].id);
}

void inquiry_topic(struct inquiry *q, const char *param, const char *name, bool reads)
{
    int topics = 0, partitions = 0;
    for (int i = 0; q->all && i < q->all->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *t = &q->all->topics[i];
        if (t->partition_cnt < 1 || !stream_name_covers(name, t->topic)) continue;
        add_topic(q, t, reads);
        topics++;
        partitions += t->partition_cnt;
    }
    if (!q->all) return;
    if (topics)
        q->ctx->host->log(q->ctx, LEAT_INFO, "'%s' is there: %d topic%s, %d partition%s", name,
                          topics, topics == 1 ? "" : "s", partitions, partitions == 1 ? "" : "s");
    else if (*name == '^')
        q->d->error(q->d, param, "'%s' matches none of the %d topics that this client sees", name,
                    q->all->topic_cnt);
    else
        inquiry_report_missing(q, param, name);
}

/* ---- what will the topic refuse? ---- */

static void inquiry_warn_of_times(struct inquiry *q, const struct limits *l)
{
    char most[LIMITS_SPAN];
    if (l->after_ms != INT64_MAX)
        q->d->warn(q->d, "time",
                   "topic '%s' refuses a message whose time is more than %s ahead (%s=%lld): such "
                   "records will be rejected. Set time = \"now\", or raise this limit of the topic",
                   l->topic, limits_span(l->after_ms, most), l->after, (long long)l->after_ms);
    if (l->before_ms != INT64_MAX)
        q->d->warn(q->d, "time",
                   "topic '%s' refuses a message whose time is more than %s ago (%s=%lld): such "
                   "records will be rejected. Set time = \"now\", or raise this limit of the topic",
                   l->topic, limits_span(l->before_ms, most), l->before, (long long)l->before_ms);
}

void inquiry_limits(struct inquiry *q, const struct inquiry_sink *sink)
{
    struct limits l = {.topic = sink->topic};
    if (!q->all || !inquiry_has(q, sink->topic)) return;
    rd_kafka_resp_err_t err = limits_read(&l, q->rk, inquiry_ms_left(q) / 2);
    if (err) {
        q->ctx->host->log(q->ctx, LEAT_INFO, "the limits of topic '%s' cannot be read: %s",
                          sink->topic, rd_kafka_err2str(err));
        return;
    }
    if (l.needs_key && !sink->has_keys)
        q->d->error(q->d, "key",
                    "topic '%s' is compacted (cleanup.policy), and refuses messages without a key: "
                    "name a column with `key`",
                    sink->topic);
    if (sink->max_message > l.bytes)
        q->d->warn(q->d, "max_message",
                   "topic '%s' takes at most %lld bytes (max.message.bytes), less than max_message "
                   "= %lld: raise this limit of the topic, or lower max_message",
                   sink->topic, (long long)l.bytes, (long long)sink->max_message);
    if (sink->has_times) inquiry_warn_of_times(q, &l);
}

/* ---- may the stage use it? ---- */

/* Handles an event of a partition: its end, a message or an error. Returns true if the event shows
 * whether the client may read the partition. */
static bool inquiry_take_event(struct inquiry *q, const rd_kafka_message_t *m)
{
    const char *topic = m->rkt ? rd_kafka_topic_name(m->rkt) : NULL;
    rd_kafka_topic_partition_t *t =
        topic ? rd_kafka_topic_partition_list_find(q->read, topic, m->partition) : NULL;
    bool read = !m->err || m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
    if (!t || t->err == ANSWERED) return false;
    t->err = ANSWERED;
    if (!read)
        q->d->error(q->d, NULL, "topic '%s' cannot be read: %s", topic, rd_kafka_err2str(m->err));
    return true;
}

static void report_silent(struct inquiry *q)
{
    for (int i = 0; i < q->read->cnt; i++)
        if (q->read->elems[i].err != ANSWERED)
            q->d->error(q->d, NULL,
                        "no broker answers for %s/%d: the one that leads it may be down",
                        q->read->elems[i].topic, (int)q->read->elems[i].partition);
}

/* Fetches from the end of each partition. Both a message and the end of the partition show that the
 * client may read it. */
void inquiry_reading(struct inquiry *q)
{
    int known = 0, left;
    if (!q->all || !q->read->cnt) return;
    for (int i = 0; i < q->read->cnt; i++)
        q->read->elems[i].offset = RD_KAFKA_OFFSET_END;
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(q->rk);
    rd_kafka_assign(q->rk, q->read);
    while (known < q->read->cnt && (left = inquiry_ms_left(q)) > 0) {
        rd_kafka_message_t *m = rd_kafka_consume_queue(queue, left < SLICE_MS ? left : SLICE_MS);
        if (m) known += inquiry_take_event(q, m);
        if (m) rd_kafka_message_destroy(m);
        rd_kafka_poll(q->rk, 0);
    }
    report_silent(q);
    rd_kafka_assign(q->rk, NULL);
    rd_kafka_queue_destroy(queue);
}

static void check_offsets(struct inquiry *q, const char *group,
                          const rd_kafka_topic_partition_list_t *list)
{
    int without = 0;
    const rd_kafka_topic_partition_t *first = NULL;
    for (int i = 0; i < list->cnt; i++)
        if (!list->elems[i].err && list->elems[i].offset < 0 && !without++) first = &list->elems[i];
    if (first)
        q->d->error(q->d, "start",
                    "\"committed\": group %s has committed no offset of %s/%d; %d of %d partitions "
                    "have no committed offset",
                    group, first->topic, (int)first->partition, without, list->cnt);
}

static void take_offsets(struct inquiry *q, const char *param, const char *group,
                         bool needs_offsets, rd_kafka_event_t *answer)
{
    size_t n = 0;
    const rd_kafka_ListConsumerGroupOffsets_result_t *result =
        answer ? rd_kafka_event_ListConsumerGroupOffsets_result(answer) : NULL;
    const rd_kafka_group_result_t *const *groups =
        result ? rd_kafka_ListConsumerGroupOffsets_result_groups(result, &n) : NULL;
    const rd_kafka_error_t *e = n ? rd_kafka_group_result_error(groups[0]) : NULL;
    const char *why = !answer ? "no broker answers"
                      : rd_kafka_event_error(answer)
                          ? rd_kafka_err2str(rd_kafka_event_error(answer))
                      : e ? rd_kafka_err2str(rd_kafka_error_code(e))
                          : NULL;
    if (why)
        q->d->error(q->d, param, "group %s cannot be used: %s", group, why);
    else if (n && needs_offsets)
        check_offsets(q, group, rd_kafka_group_result_partitions(groups[0]));
    if (!why && n && !q->committed)
        q->committed =
            rd_kafka_topic_partition_list_copy(rd_kafka_group_result_partitions(groups[0]));
}

void inquiry_group(struct inquiry *q, const char *param, const char *group, bool needs_offsets)
{
    char why[200];
    if (!q->all || !q->read->cnt) return;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(q->rk);
    rd_kafka_ListConsumerGroupOffsets_t *wanted =
        rd_kafka_ListConsumerGroupOffsets_new(group, q->read);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(q->rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
    rd_kafka_AdminOptions_set_request_timeout(options, inquiry_ms_left(q) / 2, why, sizeof why);
    rd_kafka_ListConsumerGroupOffsets(q->rk, &wanted, 1, options, queue);
    rd_kafka_event_t *answer = rd_kafka_queue_poll(queue, inquiry_ms_left(q) / 2);
    take_offsets(q, param, group, needs_offsets, answer);
    if (answer) rd_kafka_event_destroy(answer);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
    rd_kafka_queue_destroy(queue);
}

void inquiry_join(struct inquiry *q, const char *param, const char *group)
{
    char why[400];
    if (!q->all) return;
    group_about_refusal(q->rk, group, inquiry_ms_left(q) / 2, why, sizeof why);
    if (*why) q->d->error(q->d, param, "group %s cannot be joined: %s", group, why);
}
