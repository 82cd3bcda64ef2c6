/* group_status.c -- implementation of group_status.h. */
#include "group_status.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/stream_name.h"
#include "core/time/clock.h"
#include "kernels/text/edit_distance.h"

enum { GROUP_SLICE_MS = 200 };

static int group_ms_left(const struct group_status *g) { return inquiry_ms_left(&g->inquiry); }

/* Reports why the cluster does not answer about the group. */
static void group_refused(struct group_status *g, const char *why)
{
    g->inquiry.d->error(g->inquiry.d, "group", "the cluster says nothing of group '%s': %s",
                        g->group, why);
    g->failed = true;
}

static bool group_lacks_memory(struct group_status *g)
{
    group_refused(g, "there is not enough memory");
    return false;
}

/* ---- requests ---- */

/* Function that sends a request; its answer comes to the queue. */
typedef void (*group_send)(struct group_status *, const rd_kafka_AdminOptions_t *,
                           rd_kafka_queue_t *);

/* Sends a request and waits for its answer. Returns NULL after an error, which the diag has. */
static rd_kafka_event_t *group_ask(struct group_status *g, rd_kafka_admin_op_t op, group_send send)
{
    char why[200];
    rd_kafka_queue_t *queue = rd_kafka_queue_new(g->inquiry.rk);
    rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new(g->inquiry.rk, op);
    rd_kafka_AdminOptions_set_request_timeout(options, group_ms_left(g) + 1, why, sizeof why);
    send(g, options, queue);
    rd_kafka_event_t *answer = NULL;
    for (int left; !answer && (left = group_ms_left(g)) > 0;)
        answer = rd_kafka_queue_poll(queue, left < GROUP_SLICE_MS ? left + 1 : GROUP_SLICE_MS);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_queue_destroy(queue);
    if (answer && !rd_kafka_event_error(answer)) return answer;
    group_refused(g, answer ? rd_kafka_event_error_string(answer) : "it does not answer in time");
    if (answer) rd_kafka_event_destroy(answer);
    return NULL;
}

static void group_send_describe(struct group_status *g, const rd_kafka_AdminOptions_t *options,
                                rd_kafka_queue_t *queue)
{
    rd_kafka_DescribeConsumerGroups(g->inquiry.rk, &g->group, 1, options, queue);
}

static void group_send_list(struct group_status *g, const rd_kafka_AdminOptions_t *options,
                            rd_kafka_queue_t *queue)
{
    rd_kafka_ListConsumerGroups(g->inquiry.rk, options, queue);
}

/* Returns the partitions of g as a list of librdkafka. */
static rd_kafka_topic_partition_list_t *partitions_list(const struct group_status *g,
                                                        int64_t offset)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)g->n_partitions + 1);
    for (uint32_t i = 0; i < g->n_partitions; i++)
        rd_kafka_topic_partition_list_add(list, g->partition[i].topic, g->partition[i].number)
            ->offset = offset;
    return list;
}

static void group_send_offsets(struct group_status *g, const rd_kafka_AdminOptions_t *options,
                               rd_kafka_queue_t *queue)
{
    rd_kafka_topic_partition_list_t *list = partitions_list(g, RD_KAFKA_OFFSET_INVALID);
    rd_kafka_ListConsumerGroupOffsets_t *of = rd_kafka_ListConsumerGroupOffsets_new(g->group, list);
    rd_kafka_ListConsumerGroupOffsets(g->inquiry.rk, &of, 1, options, queue);
    rd_kafka_ListConsumerGroupOffsets_destroy(of);
    rd_kafka_topic_partition_list_destroy(list);
}

/* ---- the partitions ---- */

static int by_topic_and_number(const void *a, const void *b)
{
    const struct group_partition *x = a, *y = b;
    int order = strcmp(x->topic, y->topic);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static struct group_partition *partition_find(const struct group_status *g, const char *topic,
                                              int32_t number)
{
    const struct group_partition key = {.topic = topic, .number = number};
    if (!g->n_partitions) return NULL;
    return bsearch(&key, g->partition, g->n_partitions, sizeof key, by_topic_and_number);
}

static bool topic_is_asked(const struct leat_strings *topics, const char *name)
{
    bool asked = !topics->n && strncmp(name, "__", 2) != 0;
    for (uint32_t i = 0; i < topics->n; i++)
        asked |= stream_name_covers(topics->v[i], name);
    return asked;
}

/* Adds all partitions of the topics that are asked for. */
static bool partitions_make(struct group_status *g, const struct leat_strings *topics)
{
    const struct rd_kafka_metadata *all = g->inquiry.all;
    size_t most = 1;
    for (int i = 0; i < all->topic_cnt; i++)
        most += (size_t)all->topics[i].partition_cnt;
    if (!(g->partition = malloc(most * sizeof *g->partition))) return group_lacks_memory(g);
    for (int i = 0; i < all->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *t = &all->topics[i];
        for (int k = 0; k < t->partition_cnt && topic_is_asked(topics, t->topic); k++)
            g->partition[g->n_partitions++] =
                (struct group_partition){.topic = t->topic,
                                         .number = t->partitions[k].id,
                                         .owner = GROUP_NOBODY,
                                         .committed = GROUP_UNKNOWN,
                                         .end = GROUP_UNKNOWN,
                                         .waits_since = GROUP_UNKNOWN};
    }
    if (g->n_partitions)
        qsort(g->partition, g->n_partitions, sizeof *g->partition, by_topic_and_number);
    return true;
}

/* Removes the topics of which the group neither owns a partition nor has an offset. */
static void partitions_drop_foreign(struct group_status *g)
{
    uint32_t n = 0, end;
    for (uint32_t i = 0; i < g->n_partitions; i = end) {
        bool own = false;
        for (end = i;
             end < g->n_partitions && !strcmp(g->partition[end].topic, g->partition[i].topic);
             end++)
            own |= g->partition[end].owner >= 0 || g->partition[end].committed >= 0;
        for (uint32_t k = i; k < end && own; k++)
            g->partition[n++] = g->partition[k];
    }
    g->n_partitions = n;
}

/* ---- offsets ---- */

static bool ask_committed(struct group_status *g)
{
    size_t n = 0;
    if (!g->n_partitions) return true;
    rd_kafka_event_t *answer =
        group_ask(g, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, group_send_offsets);
    if (!answer) return false;
    const rd_kafka_group_result_t *const *groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
        rd_kafka_event_ListConsumerGroupOffsets_result(answer), &n);
    const rd_kafka_error_t *e = n ? rd_kafka_group_result_error(groups[0]) : NULL;
    const rd_kafka_topic_partition_list_t *list =
        n && !e ? rd_kafka_group_result_partitions(groups[0]) : NULL;
    if (e) group_refused(g, rd_kafka_error_string(e));
    for (int i = 0; list && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        struct group_partition *p = partition_find(g, t->topic, t->partition);
        if (p && !t->err && t->offset >= 0) p->committed = t->offset;
    }
    rd_kafka_event_destroy(answer);
    return list != NULL;
}

/* Asks where the logs end. A partition without a leader keeps GROUP_UNKNOWN. */
static void ask_ends(struct group_status *g)
{
    if (!g->n_partitions) return;
    rd_kafka_topic_partition_list_t *list = partitions_list(g, RD_KAFKA_OFFSET_END);
    rd_kafka_resp_err_t err = rd_kafka_offsets_for_times(g->inquiry.rk, list, group_ms_left(g) + 1);
    for (int i = 0; !err && i < list->cnt; i++)
        if (!list->elems[i].err && list->elems[i].offset >= 0)
            g->partition[i].end = list->elems[i].offset;
    if (err) group_refused(g, rd_kafka_err2str(err));
    rd_kafka_topic_partition_list_destroy(list);
}

int64_t group_lag(const struct group_partition *p)
{
    if (p->committed < 0 || p->end < 0) return GROUP_UNKNOWN;
    return p->end > p->committed ? p->end - p->committed : 0;
}

/* ---- the group and its members ---- */

static const char *state_word(rd_kafka_consumer_group_state_t state)
{
    switch (state) {
    case RD_KAFKA_CONSUMER_GROUP_STATE_STABLE:
        return "stable";
    case RD_KAFKA_CONSUMER_GROUP_STATE_PREPARING_REBALANCE:
    case RD_KAFKA_CONSUMER_GROUP_STATE_COMPLETING_REBALANCE:
        return "rebalancing";
    case RD_KAFKA_CONSUMER_GROUP_STATE_EMPTY:
        return "empty";
    case RD_KAFKA_CONSUMER_GROUP_STATE_DEAD:
        return "dead";
    default:
        return "unknown";
    }
}

static char *group_copy(const char *text) { return text && *text ? strdup(text) : NULL; }

static void take_member(struct group_status *g, const rd_kafka_MemberDescription_t *m)
{
    const int32_t k = (int32_t)g->n_members++;
    const rd_kafka_MemberAssignment_t *a = rd_kafka_MemberDescription_assignment(m);
    const rd_kafka_topic_partition_list_t *owns =
        a ? rd_kafka_MemberAssignment_partitions(a) : NULL;
    const char *host = rd_kafka_MemberDescription_host(m); /* Java writes a slash before it */
    g->member[k] = (struct group_member){
        .id = group_copy(rd_kafka_MemberDescription_consumer_id(m)),
        .instance = group_copy(rd_kafka_MemberDescription_group_instance_id(m)),
        .client = group_copy(rd_kafka_MemberDescription_client_id(m)),
        .host = group_copy(host && *host == '/' ? host + 1 : host)};
    for (int i = 0; owns && i < owns->cnt; i++) {
        struct group_partition *p =
            partition_find(g, owns->elems[i].topic, owns->elems[i].partition);
        if (!p) continue;
        p->owner = k;
        g->member[k].partitions++;
    }
}

static bool take_group(struct group_status *g, const rd_kafka_ConsumerGroupDescription_t *d)
{
    const rd_kafka_Node_t *node = rd_kafka_ConsumerGroupDescription_coordinator(d);
    const char *assignor = rd_kafka_ConsumerGroupDescription_partition_assignor(d);
    size_t n = rd_kafka_ConsumerGroupDescription_member_count(d);
    g->state = state_word(rd_kafka_ConsumerGroupDescription_state(d));
    snprintf(g->assignor, sizeof g->assignor, "%s", assignor ? assignor : "");
    if (node)
        snprintf(g->coordinator, sizeof g->coordinator, "%s:%u", rd_kafka_Node_host(node),
                 (unsigned)rd_kafka_Node_port(node));
    if (!(g->member = calloc(n + 1, sizeof *g->member))) return group_lacks_memory(g);
    for (size_t i = 0; i < n; i++)
        take_member(g, rd_kafka_ConsumerGroupDescription_member(d, i));
    return true;
}

static bool ask_members(struct group_status *g)
{
    size_t n = 0;
    rd_kafka_event_t *answer =
        group_ask(g, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, group_send_describe);
    if (!answer) return false;
    const rd_kafka_ConsumerGroupDescription_t **groups =
        rd_kafka_DescribeConsumerGroups_result_groups(
            rd_kafka_event_DescribeConsumerGroups_result(answer), &n);
    const rd_kafka_error_t *e = n ? rd_kafka_ConsumerGroupDescription_error(groups[0]) : NULL;
    if (e) group_refused(g, rd_kafka_error_string(e));
    bool good = n && !e && take_group(g, groups[0]);
    rd_kafka_event_destroy(answer);
    return good;
}

/* Reports a group that the cluster does not have, with the group whose name is nearest. */
static void group_report_unknown(struct group_status *g, const char *const *names, size_t n)
{
    const char *near = edit_nearest(g->group, names);
    g->inquiry.d->error(g->inquiry.d, "group",
                        "group '%s' has no members and no offsets%s%s%s; this client sees %zu "
                        "group%s",
                        g->group, near ? ": did you mean '" : "", near ? near : "",
                        near ? "'?" : "", n, n == 1 ? "" : "s");
    g->failed = true;
}

/* Reports an error if the cluster's list of groups lacks this one. */
static void group_look_up(struct group_status *g)
{
    size_t n = 0;
    bool listed = false;
    rd_kafka_event_t *answer = group_ask(g, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, group_send_list);
    if (!answer) return;
    const rd_kafka_ConsumerGroupListing_t **groups = rd_kafka_ListConsumerGroups_result_valid(
        rd_kafka_event_ListConsumerGroups_result(answer), &n);
    const char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++) {
        names[i] = rd_kafka_ConsumerGroupListing_group_id(groups[i]);
        listed |= !strcmp(names[i], g->group);
    }
    if (!names)
        group_lacks_memory(g);
    else if (!listed)
        group_report_unknown(g, names, n);
    free(names);
    rd_kafka_event_destroy(answer);
}

/* True if the group has neither members nor offsets of these partitions. */
static bool group_is_idle(const struct group_status *g)
{
    bool known = g->n_members > 0;
    for (uint32_t i = 0; i < g->n_partitions; i++)
        known |= g->partition[i].committed >= 0;
    return !known;
}

static void group_ask_all(struct group_status *g, const struct group_question *q)
{
    for (uint32_t i = 0; i < q->topics->n; i++)
        inquiry_topic(&g->inquiry, "topics", q->topics->v[i], false);
    if (q->state_topic) inquiry_topic(&g->inquiry, "state_topic", q->state_topic, false);
    if (!partitions_make(g, q->topics) || !ask_members(g) || !ask_committed(g)) return;
    if (group_is_idle(g)) group_look_up(g);
    if (g->failed) return;
    if (!q->topics->n) partitions_drop_foreign(g);
    ask_ends(g);
}

static void group_free(struct group_status *g)
{
    for (uint32_t i = 0; i < g->n_members; i++) {
        free(g->member[i].id);
        free(g->member[i].instance);
        free(g->member[i].client);
        free(g->member[i].host);
    }
    free(g->member);
    free(g->partition);
    g->member = NULL;
    g->partition = NULL;
    g->n_members = g->n_partitions = 0;
}

void group_status_again(struct group_status *g, const struct group_question *q)
{
    group_free(g);
    g->state = "unknown";
    inquiry_again(&g->inquiry, q->seconds);
    g->failed = !g->inquiry.all;
    if (!g->failed) group_ask_all(g, q);
}

int group_status_open(struct group_status *g, struct leat_ctx *ctx, const struct group_question *q,
                      struct leat_diag *d)
{
    *g = (struct group_status){.group = q->group, .state = "unknown"};
    int status = inquiry_open(&g->inquiry, ctx, &q->client, q->seconds, d);
    if (status != LEAT_OK) return status;
    if (g->inquiry.all) group_ask_all(g, q);
    g->failed |= !g->inquiry.all;
    return LEAT_OK;
}

/* ---- times of unread messages ---- */

/* Begins to read from the committed offsets. */
static void times_begin(struct group_status *g)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    g->messages = rd_kafka_queue_get_consumer(g->inquiry.rk);
    for (uint32_t i = 0; i < g->n_partitions; i++)
        if (group_lag(&g->partition[i]) > 0)
            rd_kafka_topic_partition_list_add(list, g->partition[i].topic, g->partition[i].number)
                ->offset = g->partition[i].committed;
    g->awaited = (uint32_t)list->cnt;
    if (list->cnt) rd_kafka_assign(g->inquiry.rk, list);
    rd_kafka_topic_partition_list_destroy(list);
}

/* Takes a message, the end of a partition or an error. The first of a partition ends the wait. */
static void times_take(struct group_status *g, const rd_kafka_message_t *m)
{
    struct group_partition *p =
        m->rkt ? partition_find(g, rd_kafka_topic_name(m->rkt), m->partition) : NULL;
    if (!p || p->answered || group_lag(p) <= 0) return;
    p->answered = true;
    if (!m->err) p->waits_since = rd_kafka_message_timestamp(m, NULL);
    if (p->waits_since < 0) p->waits_since = GROUP_UNKNOWN;
    g->awaited--;
}

bool group_status_read(struct group_status *g, int ms)
{
    if (!g->messages) times_begin(g);
    if (!g->awaited || !group_ms_left(g)) return false;
    rd_kafka_message_t *m = rd_kafka_consume_queue(g->messages, ms);
    if (!m) return true;
    times_take(g, m);
    rd_kafka_message_destroy(m);
    return g->awaited > 0;
}

void group_status_close(struct group_status *g)
{
    if (g->messages) rd_kafka_assign(g->inquiry.rk, NULL);
    if (g->messages) rd_kafka_queue_destroy(g->messages);
    group_free(g);
    inquiry_close(&g->inquiry);
    *g = (struct group_status){.n_members = 0};
}
