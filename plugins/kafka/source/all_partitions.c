/* all_partitions.c -- see all_partitions.h. */
#include "all_partitions.h"

#include <stdlib.h>

#include "core/time/clock.h"
#include "rebalance.h"

enum { METADATA_MS = 1000 };

/* The partitions of one topic, from metadata; false: it has none yet. */
static bool add_topic(struct consumer *c, const char *name, rd_kafka_topic_partition_list_t *list)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(c->rk, name, NULL);
    bool known = topic && !rd_kafka_metadata(c->rk, 0, topic, &about, METADATA_MS) &&
                 about->topic_cnt == 1 && about->topics[0].partition_cnt > 0;
    if (about && about->topic_cnt == 1 &&
        about->topics[0].err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
        consumer_fail(c, LEAT_EIO, "%s: %s", name, rd_kafka_err2str(about->topics[0].err));
    for (int k = 0; known && k < about->topics[0].partition_cnt; k++)
        rd_kafka_topic_partition_list_add(list, name, about->topics[0].partitions[k].id);
    if (about) rd_kafka_metadata_destroy(about);
    if (topic) rd_kafka_topic_destroy(topic);
    return known;
}

/* NULL: a topic has none yet. */
static rd_kafka_topic_partition_list_t *list_all(struct consumer *c)
{
    bool all = true;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    for (uint32_t i = 0; i < c->cfg->topics.n && all; i++)
        all = add_topic(c, c->cfg->topics.v[i], list);
    if (all) return list;
    rd_kafka_topic_partition_list_destroy(list);
    return NULL;
}

bool all_partitions_give(struct consumer *c)
{
    rd_kafka_topic_partition_list_t *list = list_all(c);
    if (!list) return false;
    rebalance_give(c, list);
    rd_kafka_topic_partition_list_destroy(list);
    return true;
}

/* As often as librdkafka looks for partitions that a group does not have yet; negative: never. */
uint64_t all_partitions_next_look(const struct consumer *c)
{
    char text[24] = "";
    size_t n = sizeof text;
    rd_kafka_conf_get(rd_kafka_conf(c->rk), "topic.metadata.refresh.interval.ms", text, &n);
    int64_t ms = atoll(text);
    return ms > 0 ? clock_ns() + (uint64_t)ms * 1000000 : UINT64_MAX;
}

void all_partitions_look_again(struct leat_ctx *ctx, struct consumer *c)
{
    c->ctx = ctx;
    if (c->cfg->group || !partitions_assigned(&c->partitions) || clock_ns() < c->look_at) return;
    bool first = !c->look_at;
    c->look_at = all_partitions_next_look(c);
    rd_kafka_topic_partition_list_t *list = first ? NULL : list_all(c);
    if (list && (uint32_t)list->cnt > partitions_assigned(&c->partitions)) {
        for (int i = 0; i < list->cnt; i++)
            partitions_start_new(&c->partitions, list->elems[i].topic, list->elems[i].partition);
        rebalance_give(c, list);
    }
    if (list) rd_kafka_topic_partition_list_destroy(list);
}
