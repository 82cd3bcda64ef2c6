/* bounds_report.c -- implementation of bounds_report.h. */
#include "bounds_report.h"

#include <stdio.h>
#include <string.h>

#include "core/time/clock.h"
#include "offsets.h"

enum { REPORT_MOST = 100, REPORT_LINE = 500 };

/* Answers of the cluster about the partitions to read, in the order of inquiry.read. An
 * answer is negative if it is unknown. */
struct bounds_answers {
    rd_kafka_topic_partition_list_t *first, *end, *start, *until;
};

/* Asks for offsets. `what` gives the argument for each partition: RD_KAFKA_OFFSET_…, or a time. */
static rd_kafka_topic_partition_list_t *
report_ask(struct inquiry *q, int64_t (*what)(const rd_kafka_topic_partition_t *, void *),
           void *self)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_copy(q->read);
    for (int i = 0; i < list->cnt; i++) {
        list->elems[i].err = RD_KAFKA_RESP_ERR_NO_ERROR;
        list->elems[i].offset = what(&list->elems[i], self);
    }
    rd_kafka_resp_err_t err = rd_kafka_offsets_for_times(q->rk, list, inquiry_ms_left(q) / 2 + 1);
    for (int i = 0; i < list->cnt; i++)
        if (err || list->elems[i].err) list->elems[i].offset = RD_KAFKA_OFFSET_INVALID;
    return list;
}

static int64_t report_first(const rd_kafka_topic_partition_t *t, void *self)
{
    return RD_KAFKA_OFFSET_BEGINNING;
}

static int64_t report_end(const rd_kafka_topic_partition_t *t, void *self)
{
    return RD_KAFKA_OFFSET_END;
}

/* Returns the time of the partition's place; the end if its place is none. */
static int64_t report_time(const rd_kafka_topic_partition_t *t, void *self)
{
    struct place place =
        places_of(self, t->topic, t->partition, (int64_t)(clock_unix_ns() / 1000000));
    return place.kind == PLACE_TIME ? place.at : RD_KAFKA_OFFSET_END;
}

/* Returns the group's offset; negative if it has none. */
static int64_t report_committed(const struct inquiry *q, const rd_kafka_topic_partition_t *t)
{
    const rd_kafka_topic_partition_t *found =
        q->committed ? rd_kafka_topic_partition_list_find(q->committed, t->topic, t->partition)
                     : NULL;
    return found && !found->err ? found->offset : RD_KAFKA_OFFSET_INVALID;
}

/* Returns the offset of a place; negative if it is unknown, and INT64_MAX for never. */
static int64_t report_offset(const struct place *place, int64_t first, int64_t end, int64_t time)
{
    switch (place->kind) {
    case PLACE_EARLIEST:
        return first;
    case PLACE_LATEST:
        return end;
    case PLACE_TIME:
        return time < 0 ? end : time;
    case PLACE_OFFSET:
        return place->at;
    case PLACE_NEVER:
        return INT64_MAX;
    default:
        return RD_KAFKA_OFFSET_INVALID;
    }
}

/* Writes where a partition begins. */
static int64_t report_begin(struct inquiry *q, const struct consumer_cfg *cfg,
                            const rd_kafka_topic_partition_t *t, const struct bounds_answers *a,
                            int i, char *text)
{
    const struct places start = params_start(cfg);
    struct place place = places_of(&start, t->topic, t->partition, INT64_MAX);
    int64_t group = report_committed(q, t), first = a->first->elems[i].offset,
            end = a->end->elems[i].offset;
    int64_t at = report_offset(&place, first, end, a->start->elems[i].offset);
    if (place.kind == PLACE_OFFSET && group < 0 && first >= 0 && end >= 0 &&
        (at < first || at > end)) {
        char log[100];
        offsets_write_log(first, end, log, sizeof log);
        q->d->error(q->d, "start", "%s/%d cannot begin at offset %lld: %s", t->topic,
                    (int)t->partition, (long long)at, log);
    }
    if (group >= 0) at = group;
    if (at >= 0)
        snprintf(text, REPORT_LINE, "begins at offset %lld%s", (long long)at,
                 group >= 0 ? " of the group" : "");
    else
        snprintf(text, REPORT_LINE, "begins at an unknown offset");
    return at;
}

/* Writes where a partition ends. */
static void report_bound(const struct consumer_cfg *cfg, const rd_kafka_topic_partition_t *t,
                         const struct bounds_answers *a, int i, int64_t begins, char *text)
{
    const struct places until = params_until(cfg);
    struct place place = places_of(&until, t->topic, t->partition, INT64_MAX);
    int64_t first = a->first->elems[i].offset, end = a->end->elems[i].offset;
    int64_t at = report_offset(&place, first, end, a->until->elems[i].offset);
    if (at == INT64_MAX)
        snprintf(text, REPORT_LINE, "does not end");
    else if (at < 0)
        snprintf(text, REPORT_LINE, "ends at an unknown offset");
    else if (begins >= 0 && at <= begins)
        snprintf(text, REPORT_LINE, "ends before offset %lld, at once", (long long)at);
    else if (at > end && end >= 0)
        snprintf(text, REPORT_LINE, "waits for its end, which is before offset %lld",
                 (long long)at);
    else
        snprintf(text, REPORT_LINE, "ends before offset %lld", (long long)at);
}

static void bounds_report_missing(struct inquiry *q, const struct places *p)
{
    int64_t partition;
    for (int i = 0; i < q->all->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *t = &q->all->topics[i];
        const char *entry =
            t->partition_cnt > 0 ? places_missing(p, t->topic, t->partition_cnt, &partition) : NULL;
        if (entry)
            q->d->error(q->d, p->param,
                        "'%s': %s has no partition %lld: its partitions are 0 to %d", entry,
                        t->topic, (long long)partition, t->partition_cnt - 1);
    }
}

static void bounds_report_partition(struct inquiry *q, const struct consumer_cfg *cfg,
                                    const struct bounds_answers *a, int i)
{
    char begin[REPORT_LINE], end[REPORT_LINE], log[100];
    const rd_kafka_topic_partition_t *t = &q->read->elems[i];
    int64_t at = report_begin(q, cfg, t, a, i, begin);
    report_bound(cfg, t, a, i, at, end);
    offsets_write_log(a->first->elems[i].offset, a->end->elems[i].offset, log, sizeof log);
    q->ctx->host->log(q->ctx, LEAT_INFO, "%s/%d %s and %s; %s", t->topic, (int)t->partition, begin,
                      end, log);
}

void bounds_report(struct inquiry *q, const struct consumer_cfg *cfg)
{
    struct places start = params_start(cfg), until = params_until(cfg);
    if (!q->all || !q->read->cnt) return;
    bounds_report_missing(q, &start);
    bounds_report_missing(q, &until);
    struct bounds_answers a = {report_ask(q, report_first, NULL), report_ask(q, report_end, NULL),
                               report_ask(q, report_time, &start),
                               report_ask(q, report_time, &until)};
    for (int i = 0; i < q->read->cnt && i < REPORT_MOST; i++)
        bounds_report_partition(q, cfg, &a, i);
    if (q->read->cnt > REPORT_MOST)
        q->ctx->host->log(q->ctx, LEAT_INFO, "and %d other partitions", q->read->cnt - REPORT_MOST);
    rd_kafka_topic_partition_list_destroy(a.first);
    rd_kafka_topic_partition_list_destroy(a.end);
    rd_kafka_topic_partition_list_destroy(a.start);
    rd_kafka_topic_partition_list_destroy(a.until);
}
