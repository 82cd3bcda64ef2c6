/* bounds.c -- implementation of bounds.h. */
#include "bounds.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kafka/client/answers.h"
#include "offsets.h"

enum { METADATA_MS = 1000, PAUSE_MS = 100, NAMED = 5, NAMES = 400 };

static struct partition *bounds_partition(struct consumer *c, const char *topic, int32_t number)
{
    int k = partitions_find(&c->partitions, topic, number);
    return k < 0 ? NULL : &c->partitions.v[k];
}

/* ---- partitions that places name ---- */

/* Returns how many partitions a topic has; 0 if no broker says it. */
static int topic_partitions(struct consumer *c, const char *name)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(c->rk, name, NULL);
    int n = 0;
    if (topic && !rd_kafka_metadata(c->rk, 0, topic, &about, METADATA_MS) && about->topic_cnt == 1)
        n = about->topics[0].partition_cnt;
    if (about) rd_kafka_metadata_destroy(about);
    if (topic) rd_kafka_topic_destroy(topic);
    return n;
}

static int await_partitions(struct consumer *c, const char *topic)
{
    const struct timespec pause = {0, PAUSE_MS * 1000000};
    int n = 0;
    while (!c->ctx->host->stopping(c->ctx) && !(n = topic_partitions(c, topic)))
        nanosleep(&pause, NULL);
    return n;
}

static void bounds_check_named(struct consumer *c, const struct places *p, const char *topic)
{
    int64_t partition;
    if (!places_by_partition(p) || c->failure) return;
    int n = await_partitions(c, topic);
    const char *entry = n ? places_missing(p, topic, n, &partition) : NULL;
    if (entry)
        consumer_fail(c, LEAT_EARG,
                      "%s: '%s': %s has no partition %lld: its partitions are 0 to %d", p->param,
                      entry, topic, (long long)partition, n - 1);
}

/* Warns of the partitions that have no entry, although others have. */
static void bounds_tell_unnamed(struct consumer *c, const struct places *p,
                                const rd_kafka_topic_partition_list_t *list)
{
    char names[NAMES] = "";
    size_t at = 0;
    int n = 0;
    for (int i = 0; places_by_partition(p) && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        if (!places_of(p, t->topic, t->partition, c->now_ms).has_none) continue;
        if (n++ < NAMED && at < sizeof names)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s/%d", at ? ", " : "",
                                   t->topic, (int)t->partition);
    }
    if (n)
        CONSUMER_LOG(c, LEAT_WARN, "%s does not name %s%s: %s", p->param, names,
                     n > NAMED ? " and others" : "",
                     *p->param == 's' ? "there reading begins at the beginning"
                                      : "there reading ends at the end");
}

bool bounds_check(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    const struct places both[2] = {params_start(c->cfg), params_until(c->cfg)};
    for (int k = 0; k < 2 && !c->named && list->cnt; k++) {
        for (int i = 0; i < list->cnt; i++)
            if (!i || strcmp(list->elems[i].topic, list->elems[i - 1].topic) != 0)
                bounds_check_named(c, &both[k], list->elems[i].topic);
        bounds_tell_unnamed(c, &both[k], list);
    }
    c->named |= list->cnt > 0;
    return !c->failure;
}

/* ---- bounds ---- */

/* Partitions whose bounds are looked up, in the same order in all lists. */
struct bounds_lookup {
    rd_kafka_topic_partition_list_t *first, *end, *time; /* offsets of logs; of times, for TIME */
};

static void bounds_free(struct bounds_lookup *u)
{
    rd_kafka_topic_partition_list_destroy(u->first);
    rd_kafka_topic_partition_list_destroy(u->end);
    rd_kafka_topic_partition_list_destroy(u->time);
}

/* Adds a partition to the lists that its place needs. */
static void bounds_add(struct bounds_lookup *u, const rd_kafka_topic_partition_t *t,
                       const struct place *place)
{
    rd_kafka_topic_partition_list_add(u->end, t->topic, t->partition)->offset = RD_KAFKA_OFFSET_END;
    if (place->kind == PLACE_OFFSET)
        rd_kafka_topic_partition_list_add(u->first, t->topic, t->partition)->offset =
            RD_KAFKA_OFFSET_BEGINNING;
    if (place->kind == PLACE_TIME)
        rd_kafka_topic_partition_list_add(u->time, t->topic, t->partition)->offset = place->at;
}

static bool bounds_ask(struct consumer *c, struct bounds_lookup *u)
{
    return offsets_ask(c, u->end, rd_kafka_offsets_for_times, "the ends of logs") &&
           offsets_ask(c, u->first, rd_kafka_offsets_for_times, "the beginnings of logs") &&
           offsets_of_times(c, u->time, "until = \"end\"");
}

static int64_t bounds_answer(rd_kafka_topic_partition_list_t *list,
                             const rd_kafka_topic_partition_t *t)
{
    const rd_kafka_topic_partition_t *found =
        rd_kafka_topic_partition_list_find(list, t->topic, t->partition);
    return found ? found->offset : RD_KAFKA_OFFSET_INVALID;
}

/* Says what is notable about a bound that the user has given as an offset or a time. */
static void bounds_tell(struct consumer *c, const struct partition *p, const struct place *place,
                        int64_t begins, int64_t first, int64_t end)
{
    char log[100];
    long long bound = p->bound;
    if (begins == RD_KAFKA_OFFSET_BEGINNING) begins = first;
    offsets_write_log(first, end, log, sizeof log);
    if (place->kind == PLACE_OFFSET && bound > end)
        CONSUMER_LOG(c, LEAT_WARN, "%s/%d ends before offset %lld, and waits for it: %s", p->topic,
                     (int)p->number, bound, log);
    else if (place->kind == PLACE_OFFSET && bound < first)
        CONSUMER_LOG(c, LEAT_WARN, "%s/%d ends at once: nothing before offset %lld is left; %s",
                     p->topic, (int)p->number, bound, log);
    else if (begins >= 0 && bound <= begins && place->kind != PLACE_LATEST)
        CONSUMER_LOG(c, LEAT_WARN,
                     "%s/%d ends at once: it is read from offset %lld, and ends before offset %lld",
                     p->topic, (int)p->number, (long long)begins, bound);
}

static void bounds_take(struct consumer *c, struct bounds_lookup *u,
                        const rd_kafka_topic_partition_t *t, struct partition *p)
{
    const struct places until = params_until(c->cfg);
    struct place place = places_of(&until, t->topic, t->partition, c->now_ms);
    int64_t end = bounds_answer(u->end, t), time = bounds_answer(u->time, t);
    p->bound = end;
    if (place.kind == PLACE_OFFSET) p->bound = place.at;
    if (place.kind == PLACE_TIME && time >= 0) p->bound = time;
    if (place.kind == PLACE_NEVER) p->bound = INT64_MAX;
    if (t->offset > end && end >= 0) p->bound = INT64_MAX; /* the log has lost messages: an error */
    if (p->bound == INT64_MAX) return;
    CONSUMER_LOG(c, LEAT_INFO, "%s/%d ends before offset %lld", t->topic, (int)t->partition,
                 (long long)p->bound);
    bounds_tell(c, p, &place, t->offset, bounds_answer(u->first, t), end);
}

bool bounds_find(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    const struct places until = params_until(c->cfg);
    struct bounds_lookup u = {rd_kafka_topic_partition_list_new(list->cnt),
                              rd_kafka_topic_partition_list_new(list->cnt),
                              rd_kafka_topic_partition_list_new(list->cnt)};
    for (int i = 0; i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        struct partition *p = bounds_partition(c, t->topic, t->partition);
        struct place place = places_of(&until, t->topic, t->partition, c->now_ms);
        if (p && p->bound < 0 && place.kind != PLACE_NEVER) bounds_add(&u, t, &place);
    }
    bool found = bounds_ask(c, &u);
    for (int i = 0; i < list->cnt && found; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        struct partition *p = bounds_partition(c, t->topic, t->partition);
        if (p && p->bound < 0) bounds_take(c, &u, t, p);
    }
    bounds_free(&u);
    return found;
}

/* ---- after the bound ---- */

static void bounds_pause_one(struct consumer *c, struct partition *p)
{
    rd_kafka_topic_partition_list_t *one = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(one, p->topic, p->number);
    rd_kafka_pause_partitions(c->rk, one);
    rd_kafka_topic_partition_list_destroy(one);
    p->paused = true;
}

void bounds_pause(struct consumer *c)
{
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        struct partition *p = &c->partitions.v[i];
        if (partition_is_read(p) && !p->paused && partition_is_over(p)) bounds_pause_one(c, p);
    }
}

void bounds_resume(struct consumer *c, const rd_kafka_topic_partition_list_t *list)
{
    rd_kafka_topic_partition_list_t *unread = rd_kafka_topic_partition_list_new(1);
    for (int i = 0; list && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        struct partition *p = bounds_partition(c, t->topic, t->partition);
        if (!p || !p->paused || partition_is_over(p)) continue;
        rd_kafka_topic_partition_list_add(unread, t->topic, t->partition);
        p->paused = false;
    }
    if (unread->cnt) rd_kafka_resume_partitions(c->rk, unread);
    rd_kafka_topic_partition_list_destroy(unread);
}
