/* partitions.c -- implementation of partitions.h. */
#include "partitions.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"

/* ---- states ---- */

enum {
    AWAY = PARTITION_AWAY,
    STARTING = PARTITION_STARTING,
    LEAVING = PARTITION_LEAVING,
    READING = PARTITION_READING,
    AT_END = PARTITION_AT_END,
    STOPPED = PARTITION_STOPPED
};

/* Next state by event and state: the table of partitions.h. */
static const uint8_t partition_next[PARTITION_EVENTS][PARTITION_STATES] = {
    /* from                    AWAY      STARTING  LEAVING  READING   AT_END    STOPPED */
    [PARTITION_ASSIGNED] = {STARTING, STARTING, LEAVING, STARTING, STARTING, STARTING},
    [PARTITION_BEGUN] = {AWAY, READING, LEAVING, READING, AT_END, STOPPED},
    [PARTITION_DELIVERED] = {AWAY, STARTING, LEAVING, READING, READING, STOPPED},
    [PARTITION_ENDED] = {AWAY, STARTING, LEAVING, AT_END, AT_END, STOPPED},
    [PARTITION_OUT_OF_RANGE] = {AWAY, STARTING, LEAVING, STOPPED, STOPPED, STOPPED},
    [PARTITION_RESUMED] = {AWAY, STARTING, LEAVING, READING, AT_END, READING},
    [PARTITION_REVOKED] = {AWAY, AWAY, LEAVING, LEAVING, LEAVING, LEAVING},
    [PARTITION_RELEASED] = {AWAY, AWAY, AWAY, AWAY, AWAY, AWAY},
};

static void partition_leave(struct partition *p)
{
    partition_forget_state(p);
    p->left_next = p->next;
    p->left_committed = p->committed_offset;
    p->expected.offset = PARTITION_UNKNOWN;
    p->next = p->cut = p->committed_offset = PARTITION_UNKNOWN;
}

void partition_move(struct partition *p, enum partition_event event)
{
    enum partition_state from = p->state;
    p->state = (enum partition_state)partition_next[event][from];
    if (p->state == PARTITION_AT_END && from != PARTITION_AT_END) p->at_end_ns = clock_ns();
    if (p->state == PARTITION_AWAY && from != PARTITION_AWAY) partition_leave(p);
}

/* ---- the set of partitions ---- */

static bool is_partition(const struct partition *p, const char *topic, int32_t number)
{
    return p->number == number && !strcmp(p->topic, topic);
}

static int add_partition(struct partitions *p, const char *topic, int32_t number)
{
    if (p->n == p->cap) {
        uint32_t cap = p->cap ? 2 * p->cap : 16;
        struct partition *v = realloc(p->v, cap * sizeof *v);
        if (!v) return -1;
        p->v = v;
        p->cap = cap;
    }
    char *name = strdup(topic);
    if (!name) return -1;
    p->v[p->n] = (struct partition){.topic = name,
                                    .number = number,
                                    .next = PARTITION_UNKNOWN,
                                    .cut = PARTITION_UNKNOWN,
                                    .committed_offset = PARTITION_UNKNOWN,
                                    .bound = PARTITION_UNKNOWN,
                                    .left_next = PARTITION_UNKNOWN,
                                    .left_committed = PARTITION_UNKNOWN,
                                    .last = {.offset = PARTITION_UNKNOWN},
                                    .cut_last = {.offset = PARTITION_UNKNOWN},
                                    .group_last = {.offset = PARTITION_UNKNOWN},
                                    .expected = {.offset = PARTITION_UNKNOWN},
                                    .sample_offset = PARTITION_UNKNOWN,
                                    .published = PARTITION_UNKNOWN};
    return (int)p->n++;
}

int partitions_find(struct partitions *p, const char *topic, int32_t number)
{
    if (p->last < p->n && is_partition(&p->v[p->last], topic, number)) return (int)p->last;
    for (uint32_t i = 0; i < p->n; i++)
        if (is_partition(&p->v[i], topic, number)) {
            p->last = i;
            return (int)i;
        }
    return add_partition(p, topic, number);
}

void partitions_free(struct partitions *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        free(p->v[i].topic), free(p->v[i].saved);
    free(p->v);
    *p = (struct partitions){0};
}

void partition_forget_state(struct partition *p)
{
    free(p->saved);
    p->saved = NULL;
    p->n_saved = 0;
    p->slot = 0;
    p->published = PARTITION_UNKNOWN;
}

void partitions_start_new(struct partitions *p, const char *topic, int32_t number)
{
    int k = partitions_find(p, topic, number);
    if (k >= 0 && !partition_is_assigned(&p->v[k]) && p->v[k].next < 0) p->v[k].next = 0;
}

void partition_forget(struct partition *p)
{
    partition_move(p, PARTITION_RELEASED);
    p->next = p->cut = p->committed_offset = PARTITION_UNKNOWN;
    p->left_next = p->left_committed = p->bound = PARTITION_UNKNOWN;
    p->last.offset = p->cut_last.offset = p->group_last.offset = PARTITION_UNKNOWN;
}

void partition_continue(struct partition *p, int64_t next, const struct last_message *before)
{
    p->next = next;
    p->cut = before ? next : PARTITION_UNKNOWN;
    if (before) p->cut_last = *before;
}

void partitions_cut(struct partitions *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        p->v[i].cut = p->v[i].next;
        p->v[i].cut_last = p->v[i].last;
    }
}

bool partitions_all_cut(const struct partitions *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (partition_is_assigned(&p->v[i]) && p->v[i].next != p->v[i].cut) return false;
    return true;
}

rd_kafka_topic_partition_list_t *partitions_to_commit(const struct partitions *p,
                                                      uint64_t checkpoint, uint64_t writer)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct partition *v = &p->v[i];
        assert(v->cut <= v->next);
        if (!partition_is_assigned(v) || v->cut < 0 || v->cut == v->committed_offset) continue;
        rd_kafka_topic_partition_t *t =
            rd_kafka_topic_partition_list_add(list, v->topic, v->number);
        t->offset = v->cut;
        const struct commit_mark mark = {checkpoint, writer, v->cut_last};
        commit_mark_put(t, &mark);
    }
    if (list->cnt) return list;
    rd_kafka_topic_partition_list_destroy(list);
    return NULL;
}

void partitions_committed(struct partitions *p, const rd_kafka_topic_partition_list_t *list)
{
    for (int i = 0; i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *t = &list->elems[i];
        int k = partitions_find(p, t->topic, t->partition);
        if (k >= 0 && !t->err) p->v[k].committed_offset = t->offset;
    }
}

void partitions_end(struct partitions *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (partition_is_assigned(&p->v[i]))
            p->v[i].published = p->v[i].committed_offset = PARTITION_UNKNOWN;
}

uint32_t partitions_assigned(const struct partitions *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        n += partition_is_assigned(&p->v[i]);
    return n;
}

/* ---- event time ---- */

/* True if messages of p may come, or came less than `quiet` ns ago. */
static bool partition_is_awaited(const struct partition *p, uint64_t now, int64_t quiet)
{
    if (!partition_is_assigned(p) || p->state == PARTITION_LEAVING) return false;
    return p->state != PARTITION_AT_END || now - p->at_end_ns < (uint64_t)quiet;
}

void partitions_open(struct partitions *p, struct leat_ctx *ctx, int64_t quiet,
                     bool (*reads)(const struct source_cfg *, const struct partition *))
{
    uint64_t now = clock_ns();
    for (uint32_t i = 0; i < p->n; i++) {
        struct partition *v = &p->v[i];
        bool open = partition_is_awaited(v, now, quiet) && reads(ctx->cfg, v);
        if (open == v->open) continue;
        if (open)
            ctx->host->open_inputs(ctx, 1);
        else if (ctx->host->close_input(ctx, i) != LEAT_OK)
            return; /* the next batch closes the others */
        v->open = open;
    }
}

/* ---- snapshots ---- */

void partition_table_free(struct partition_table *t)
{
    free(t->topics);
    free(t->number);
    free(t->offset);
    free(t->last_offset);
    free(t->last_time);
    free(t->last_hash);
    *t = (struct partition_table){0};
}

bool partitions_save(const struct partitions *p, struct partition_table *t)
{
    size_t len = 1;
    for (uint32_t i = 0; i < p->n; i++)
        len += strlen(p->v[i].topic) + 1;
    *t = (struct partition_table){.topics = malloc(len),
                                  .number = calloc(p->n + 1, sizeof *t->number),
                                  .offset = calloc(p->n + 1, sizeof *t->offset),
                                  .last_offset = calloc(p->n + 1, sizeof *t->last_offset),
                                  .last_time = calloc(p->n + 1, sizeof *t->last_time),
                                  .last_hash = calloc(p->n + 1, sizeof *t->last_hash)};
    if (!t->topics || !t->number || !t->offset || !t->last_offset || !t->last_time ||
        !t->last_hash) {
        partition_table_free(t);
        return false;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->v[i].next < 0) continue;
        size_t n = strlen(p->v[i].topic) + 1;
        memcpy(t->topics + t->topics_len, p->v[i].topic, n);
        t->topics_len += n;
        t->number[t->n] = (uint32_t)p->v[i].number;
        t->offset[t->n] = (uint64_t)p->v[i].next;
        t->last_offset[t->n] = (uint64_t)p->v[i].last.offset;
        t->last_time[t->n] = (uint64_t)p->v[i].last.time;
        t->last_hash[t->n++] = p->v[i].last.hash;
    }
    return true;
}

bool partitions_load(struct partitions *p, const struct partition_table *t)
{
    struct partitions read = {0};
    uint64_t at = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const char *topic = (const char *)t->topics + at;
        const char *end = at < t->topics_len ? memchr(topic, 0, t->topics_len - at) : NULL;
        bool valid = end && t->number[i] <= INT32_MAX && t->offset[i] <= INT64_MAX;
        int k = valid ? partitions_find(&read, topic, (int32_t)t->number[i]) : -1;
        if (k < 0) {
            partitions_free(&read);
            return false;
        }
        read.v[k].next = read.v[k].cut = (int64_t)t->offset[i];
        read.v[k].last = read.v[k].cut_last = (struct last_message){
            (int64_t)t->last_offset[i], (int64_t)t->last_time[i], t->last_hash[i]};
        at += (uint64_t)(end - topic) + 1;
    }
    partitions_free(p);
    *p = read;
    return true;
}

void partitions_forget_others(struct partitions *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (!partition_is_assigned(&p->v[i]))
            p->v[i].next = p->v[i].cut = p->v[i].committed_offset = PARTITION_UNKNOWN;
}

/* ---- lag ---- */

enum { NAME_BYTES = 264 };

/* Partitions with the largest lags, largest first. */
struct worst_lags {
    struct {
        const struct partition *p;
        int64_t lag;
    } v[LEAT_LAGS];
    uint32_t n;
};

static int64_t lag_of(rd_kafka_t *rk, const struct partition *p)
{
    int64_t low, high;
    if (p->next < 0 || rd_kafka_get_watermark_offsets(rk, p->topic, p->number, &low, &high) ||
        high < 0)
        return PARTITION_UNKNOWN;
    if (p->bound >= 0 && high > p->bound) high = p->bound;
    return high > p->next ? high - p->next : 0;
}

/* Inserts p in order of lag. An unknown lag is negative, so it comes last. Equal lags stay in the
 * order of insertion. */
static void rank_lag(struct worst_lags *w, const struct partition *p, int64_t lag)
{
    uint32_t k = w->n;
    while (k && w->v[k - 1].lag < lag)
        k--;
    if (k == LEAT_LAGS) return;
    uint32_t last = w->n < LEAT_LAGS ? w->n++ : LEAT_LAGS - 1;
    memmove(&w->v[k + 1], &w->v[k], (last - k) * sizeof w->v[0]);
    w->v[k].p = p;
    w->v[k].lag = lag;
}

static void tell_lags(struct leat_ctx *ctx, int64_t total, const struct worst_lags *w)
{
    char name[LEAT_LAGS][NAME_BYTES];
    struct leat_lag rows[LEAT_LAGS];
    for (uint32_t k = 0; k < w->n; k++) {
        snprintf(name[k], sizeof name[k], "%s/%d", w->v[k].p->topic, (int)w->v[k].p->number);
        rows[k] = (struct leat_lag){name[k], w->v[k].lag};
    }
    ctx->host->lag(ctx, total, rows, w->n);
    ctx->host->metric(ctx, "lag", total < 0 ? (double)NAN : (double)total);
}

void partitions_tell_lag(const struct partitions *p, rd_kafka_t *rk, struct leat_ctx *ctx)
{
    struct worst_lags w = {.n = 0};
    int64_t total = p->n ? 0 : PARTITION_UNKNOWN; /* unknown while no partition is known */
    for (uint32_t i = 0; i < p->n; i++) {
        if (!partition_is_assigned(&p->v[i])) continue;
        int64_t lag = lag_of(rk, &p->v[i]);
        total = lag < 0 || total < 0 ? PARTITION_UNKNOWN : total + lag;
        rank_lag(&w, &p->v[i], lag);
    }
    tell_lags(ctx, total, &w);
}
