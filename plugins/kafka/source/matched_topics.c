/* matched_topics.c -- see matched_topics.h. */
#include "matched_topics.h"

#include <string.h>

#include "all_partitions.h"
#include "core/text/stream_name.h"
#include "core/time/clock.h"

enum { METADATA_MS = 1000 };

static bool is_listed(const struct consumer *c, const char *topic)
{
    for (uint32_t i = 0; i < c->cfg->topics.n; i++)
        if (!strcmp(c->cfg->topics.v[i], topic)) return true;
    return false;
}

bool matched_topics_has(const struct consumer *c, const char *reason)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        size_t n = strlen(p->topic);
        if (!strncmp(reason, p->topic, n) && reason[n] == ' ') return !is_listed(c, p->topic);
    }
    return false;
}

static bool is_assigned(const rd_kafka_topic_partition_list_t *list, const char *topic)
{
    for (int i = 0; i < list->cnt; i++)
        if (!strcmp(list->elems[i].topic, topic)) return true;
    return false;
}

/* Was it read, and is it not assigned now? */
static bool is_missing(const struct consumer *c, const struct partition *p,
                       const rd_kafka_topic_partition_list_t *list)
{
    return p->left_next >= 0 && !is_listed(c, p->topic) && !is_assigned(list, p->topic);
}

static bool exists(const struct rd_kafka_metadata *all, const char *topic)
{
    for (int i = 0; i < all->topic_cnt; i++)
        if (!strcmp(all->topics[i].topic, topic)) return all->topics[i].partition_cnt > 0;
    return false;
}

static bool is_covered(const struct consumer *c, const char *topic)
{
    bool covers = false;
    for (uint32_t i = 0; i < c->cfg->topics.n && !covers; i++)
        covers = stream_name_covers(c->cfg->topics.v[i], topic);
    return covers;
}

static bool is_any_left(const struct consumer *c, const struct rd_kafka_metadata *all)
{
    bool left = false;
    for (int i = 0; i < all->topic_cnt && !left; i++)
        left = all->topics[i].partition_cnt > 0 && is_covered(c, all->topics[i].topic);
    return left;
}

/* Of several partitions of a topic the first one reports it; all are forgotten. */
static void report_deleted(struct consumer *c, const char *topic, bool is_left)
{
    for (uint32_t i = 0; i < c->partitions.n; i++)
        if (!strcmp(c->partitions.v[i].topic, topic)) partition_forget(&c->partitions.v[i]);
    if (is_left)
        CONSUMER_LOG(c, LEAT_WARN,
                     "%s: the topic was deleted while it was read; the other topics "
                     "are still read",
                     topic);
    else
        consumer_fail(c, LEAT_EDATA,
                      "%s: the topic was deleted while it was read, and no other "
                      "topic is left that `topics` matches",
                      topic);
}

void matched_topics_assigned(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    const struct rd_kafka_metadata *all = NULL;
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (!is_missing(c, p, list)) continue;
        if (!all && rd_kafka_metadata(c->rk, 1, NULL, &all, METADATA_MS)) return;
        if (!exists(all, p->topic)) report_deleted(c, p->topic, is_any_left(c, all));
    }
    if (all) rd_kafka_metadata_destroy(all);
}

void matched_topics_look(struct leat_ctx *ctx, struct consumer *c)
{
    const rd_kafka_topic_partition_list_t none = {.cnt = 0};
    c->ctx = ctx;
    if (!c->cfg->group || c->to_assign || partitions_assigned(&c->partitions) ||
        clock_ns() < c->look_at)
        return;
    c->look_at = all_partitions_next_look(c);
    matched_topics_assigned(c, &none);
}
