/* group_about.c -- implementation of group_about.h. */
#include "group_about.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "client.h"

/* True if `list`, names with commas between, has the name. */
static bool group_about_has(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        at += strspn(at, " ");
        if (!strncmp(at, name, n) && (at[n] == ',' || at[n] == ' ' || !at[n])) return true;
    }
    return false;
}

/* True if the cluster lists the group as one of consumers. A list of all groups by librdkafka also
 * has share groups, and those of Kafka Streams and of other programs. */
static bool group_about_is_of_consumers(rd_kafka_t *rk, const char *group, int ms)
{
    char why[200];
    size_t n = 0;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rk);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS);
    rd_kafka_AdminOptions_set_request_timeout(options, ms, why, sizeof why);
    rd_kafka_ListConsumerGroups(rk, options, queue);
    rd_kafka_event_t *answer = rd_kafka_queue_poll(queue, ms);
    bool listed = !answer || rd_kafka_event_error(answer); /* unknown: nothing is said of it */
    const rd_kafka_ConsumerGroupListing_t **each =
        listed ? NULL
               : rd_kafka_ListConsumerGroups_result_valid(
                     rd_kafka_event_ListConsumerGroups_result(answer), &n);
    for (size_t i = 0; i < n && !listed; i++)
        listed = !strcmp(rd_kafka_ConsumerGroupListing_group_id(each[i]), group);
    if (answer) rd_kafka_event_destroy(answer);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_queue_destroy(queue);
    return listed;
}

/* True if the client has group.protocol=consumer: the brokers then choose the assignor. */
static bool group_about_is_new(rd_kafka_t *rk)
{
    char protocol[20] = "";
    size_t n = sizeof protocol;
    rd_kafka_conf_get(rd_kafka_conf(rk), "group.protocol", protocol, &n);
    return !strcmp(protocol, "consumer");
}

/* Writes what to set so that the client shares partitions by `assignor`. */
static void group_about_advise(const char *assignor, char *out, size_t cap)
{
    bool cooperative = !strcmp(assignor, "cooperative-sticky");
    if (cooperative && !client_is_cooperative_safe())
        snprintf(out, cap,
                 "cooperative-sticky needs librdkafka " CLIENT_COOPERATIVE_FROM
                 ", and this is %s: let all members use range, or use another group",
                 rd_kafka_version_str());
    else if (cooperative || group_about_has("range,roundrobin", assignor))
        snprintf(out, cap,
                 "set properties = { \"partition.assignment.strategy=%s\" }, or use another group",
                 assignor);
    else
        snprintf(out, cap, "librdkafka has no %s: use another group", assignor);
}

static void group_about_write(rd_kafka_t *rk, const struct rd_kafka_group_info *g, int ms,
                              char *out, size_t cap)
{
    char ours[100] = "", advice[300];
    size_t n = sizeof ours;
    rd_kafka_conf_get(rd_kafka_conf(rk), "partition.assignment.strategy", ours, &n);
    const char *type = g->protocol_type, *assignor = g->protocol;
    if (*type && strcmp(type, "consumer") != 0) {
        snprintf(out, cap, "it is a group of type %s, and not of consumers: use another group",
                 type);
    } else if (!*type && !strcmp(g->state, "Dead") &&
               !group_about_is_of_consumers(rk, g->group, ms)) {
        snprintf(out, cap,
                 "it is not a group of consumers, but a share group or one of Kafka Streams: use "
                 "another group");
    } else if (g->member_cnt && *assignor && !group_about_has(ours, assignor) &&
               !group_about_is_new(rk)) {
        group_about_advise(assignor, advice, sizeof advice);
        snprintf(out, cap, "its %d member%s share%s partitions by %s, and this one by %s: %s",
                 g->member_cnt, g->member_cnt == 1 ? "" : "s", g->member_cnt == 1 ? "s" : "",
                 assignor, ours, advice);
    }
}

void group_about_refusal(rd_kafka_t *rk, const char *group, int ms, char *out, size_t cap)
{
    const struct rd_kafka_group_list *list = NULL;
    if (cap) *out = 0;
    rd_kafka_resp_err_t err = rd_kafka_list_groups(rk, group, &list, ms);
    if (!err && list && list->group_cnt == 1 && !list->groups[0].err)
        group_about_write(rk, &list->groups[0], ms, out, cap);
    if (list) rd_kafka_group_list_destroy(list);
}
