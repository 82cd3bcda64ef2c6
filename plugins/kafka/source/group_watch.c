/* group_watch.c -- implementation of group_watch.h.
 *
 *   watching thread   asks, and puts the answer together in `answer`, with the lock held
 *   source's thread   takes a new answer in a tick, and reports it to the host */
#include "group_watch.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "core/time/steady_cond.h"
#include "group_past.h"
#include "kafka/group/group_status.h"

enum {
    WATCH_FIRST_S = 2,   /* until the first question: the member joins */
    WATCH_PERIOD_S = 10, /* between questions */
    WATCH_ANSWER_S = 5,  /* longest wait for an answer */
    WATCH_STILL_S = 30,  /* a member that has not moved for so long is remarkable */
    WATCH_NAME = 264,
    WATCH_WHY = 300
};

/* A partition, and what was answered about it. */
struct watch_past {
    char name[WATCH_NAME];
    struct group_past past;
};

/* An answer, whose texts are its own. */
struct watch_answer {
    struct leat_group group;
    struct leat_member *member;
    struct leat_share *share;
    char **text; /* all texts */
    char **id;   /* ID of each member */
    uint32_t n_text;
};

struct group_watch {
    pthread_t thread;
    pthread_mutex_t mu; /* guards answer, has_news, why */
    pthread_cond_t changed;
    _Atomic bool stops;
    bool has_news;
    struct watch_answer answer;
    char why[WATCH_WHY]; /* why there is no newer answer; "" if there is one */

    /* For the watching thread only: */
    struct leat_ctx *source;
    struct leat_ctx ctx; /* of the client, whose failures must not end the run */
    struct leat_host host;
    const struct consumer_cfg *cfg;
    const char *brokers;
    struct group_status status;
    struct watch_past *past;
    uint32_t n_past;
    bool opened;
};

/* ---- a context that never ends the run ---- */

static struct group_watch *watch_of(struct leat_ctx *ctx)
{
    return (struct group_watch *)((char *)ctx - offsetof(struct group_watch, ctx));
}

static void watch_note(struct group_watch *w, const char *format, va_list args)
{
    pthread_mutex_lock(&w->mu);
    if (!w->why[0]) vsnprintf(w->why, sizeof w->why, format, args);
    pthread_mutex_unlock(&w->mu);
}

static int watch_fail(struct leat_ctx *ctx, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    watch_note(watch_of(ctx), format, args);
    va_end(args);
    return status;
}

static void watch_log(struct leat_ctx *ctx, int level, const char *format, ...) {}

static int watch_stopping(struct leat_ctx *ctx)
{
    struct group_watch *w = watch_of(ctx);
    return atomic_load(&w->stops) || w->source->host->stopping(w->source);
}

static int64_t watch_time_left(struct leat_ctx *ctx)
{
    struct leat_ctx *source = watch_of(ctx)->source;
    return source->host->time_left(source);
}

/* Notes the first error of an inquiry. */
struct watch_diag {
    struct leat_diag base;
    struct group_watch *w;
};

static void watch_error(struct leat_diag *base, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    watch_note(((struct watch_diag *)base)->w, format, args);
    va_end(args);
}

/* ---- answers ---- */

static void watch_free_answer(struct watch_answer *a)
{
    for (uint32_t k = 0; k < a->n_text; k++)
        free(a->text[k]);
    free(a->text);
    free(a->id);
    free(a->member);
    free(a->share);
    *a = (struct watch_answer){.member = NULL};
}

/* Returns a copy of the text that lives as long as the answer; "" if there is no memory. */
static char *watch_keep(struct watch_answer *a, const char *text)
{
    char *copy = strdup(text);
    if (!copy) return (char *)"";
    a->text[a->n_text++] = copy;
    return copy;
}

static void watch_name(const struct group_partition *p, char name[WATCH_NAME])
{
    snprintf(name, WATCH_NAME, "%s/%d", p->topic, (int)p->number);
}

/* Returns what is known of the partition; NULL if it is new. Partitions mostly keep their order. */
static struct watch_past *past_of(struct group_watch *w, const struct group_partition *p,
                                  uint32_t k)
{
    char name[WATCH_NAME];
    watch_name(p, name);
    if (k < w->n_past && !strcmp(w->past[k].name, name)) return &w->past[k];
    for (uint32_t i = 0; i < w->n_past; i++)
        if (!strcmp(w->past[i].name, name)) return &w->past[i];
    return NULL;
}

/* Notes the answer about each partition, beside the answers before. Returns false if there is no
 * memory. */
static bool watch_remember(struct group_watch *w)
{
    const struct group_status *g = &w->status;
    const uint64_t now_ns = clock_ns();
    struct watch_past *now = calloc(g->n_partitions + 1, sizeof *now);
    for (uint32_t k = 0; now && k < g->n_partitions; k++) {
        const struct group_partition *p = &g->partition[k];
        const struct watch_past *old = past_of(w, p, k);
        watch_name(p, now[k].name);
        now[k].past = group_past_next(old ? &old->past : NULL, p->committed, group_lag(p), now_ns);
    }
    if (!now) return false;
    free(w->past);
    w->past = now;
    w->n_past = g->n_partitions;
    return true;
}

/* Adds partition k to the figures of its member. */
static void watch_add(const struct group_watch *w, uint32_t k, struct leat_member *m)
{
    const struct group_past *p = &w->past[k].past;
    int64_t lag = p->lag[0], old = p->lag[GROUP_PAST - 1];
    int64_t still = (int64_t)(clock_ns() - p->moved_ns);
    m->records = lag < 0 || m->records < 0 ? GROUP_UNKNOWN : m->records + lag;
    if (lag < 0 || old < 0) m->grown = INT64_MIN;
    if (m->grown != INT64_MIN) m->grown += lag - old;
    if (lag > 0 && (m->still_ns < 0 || still < m->still_ns)) m->still_ns = still;
}

/* Returns the shortest time without a commit that is remarkable: three checkpoints. */
static int64_t still_limit(const struct group_watch *w)
{
    int64_t least = WATCH_STILL_S * INT64_C(1000000000), three = 3 * w->source->checkpoint_ns;
    return three > least ? three : least;
}

static void watch_members(const struct group_watch *w, struct watch_answer *a)
{
    const struct group_status *g = &w->status;
    for (uint32_t k = 0; k < g->n_members; k++) {
        const struct group_member *m = &g->member[k];
        a->id[k] = watch_keep(a, m->id ? m->id : "");
        a->member[k] = (struct leat_member){.name = watch_keep(a, m->instance ? m->instance
                                                                  : m->id     ? m->id
                                                                              : "?"),
                                            .host = watch_keep(a, m->host ? m->host : ""),
                                            .inputs = m->partitions,
                                            .still_ns = -1};
    }
    for (uint32_t k = 0; k < g->n_partitions; k++)
        if (g->partition[k].owner >= 0) watch_add(w, k, &a->member[g->partition[k].owner]);
    for (uint32_t k = 0; k < g->n_members; k++)
        if (a->member[k].still_ns < still_limit(w)) a->member[k].still_ns = 0;
}

/* Orders by lag, largest first; an unknown lag comes last. */
static int watch_by_lag(const void *x, const void *y)
{
    const struct leat_share *a = x, *b = y;
    return (a->records < b->records) - (a->records > b->records);
}

static void watch_shares(const struct group_watch *w, struct watch_answer *a)
{
    const struct group_status *g = &w->status;
    for (uint32_t k = 0; k < g->n_partitions; k++) {
        const struct group_partition *p = &g->partition[k];
        a->share[k] = (struct leat_share){watch_keep(a, w->past[k].name), group_lag(p),
                                          p->owner < 0 ? UINT32_MAX : (uint32_t)p->owner, 0};
        bool unknown = group_lag(p) < 0 || a->group.records < 0;
        a->group.records = unknown ? GROUP_UNKNOWN : a->group.records + group_lag(p);
    }
    if (g->n_partitions) qsort(a->share, g->n_partitions, sizeof *a->share, watch_by_lag);
}

/* Makes the answer of the status. Returns false if there is no memory. */
static bool watch_make(struct group_watch *w, struct watch_answer *a)
{
    const struct group_status *g = &w->status;
    *a = (struct watch_answer){.text =
                                   calloc(g->n_partitions + 3 * g->n_members + 1, sizeof *a->text),
                               .id = calloc(g->n_members + 1, sizeof *a->id),
                               .member = calloc(g->n_members + 1, sizeof *a->member),
                               .share = calloc(g->n_partitions + 1, sizeof *a->share)};
    if (!a->text || !a->id || !a->member || !a->share || !watch_remember(w)) {
        watch_free_answer(a);
        return false;
    }
    a->group = (struct leat_group){.size = sizeof a->group,
                                   .n_members = g->n_members,
                                   .n_shares = g->n_partitions,
                                   .inputs = g->n_partitions,
                                   .name = w->cfg->group,
                                   .state = g->state,
                                   .answered = (int64_t)clock_unix_ns(),
                                   .member = a->member,
                                   .share = a->share};
    watch_members(w, a);
    watch_shares(w, a);
    return true;
}

/* ---- the thread ---- */

/* Asks the cluster. Returns false if it gave no answer; `why` has the reason. */
static bool watch_ask(struct group_watch *w)
{
    struct watch_diag d = {{.size = sizeof d.base, .error = watch_error, .warn = watch_error}, w};
    const struct group_question q = {.client = {.role = CLIENT_INQUIRER,
                                                .brokers = w->brokers,
                                                .properties = &w->cfg->properties},
                                     .group = w->cfg->group,
                                     .topics = &w->cfg->topics,
                                     .seconds = WATCH_ANSWER_S};
    if (w->opened) {
        w->status.inquiry.d = &d.base;
        group_status_again(&w->status, &q);
    } else {
        w->opened = true;
        if (group_status_open(&w->status, &w->ctx, &q, &d.base) != LEAT_OK) w->status.failed = true;
        if (!w->status.inquiry.rk) {
            group_status_close(&w->status);
            w->opened = false;
        }
    }
    return w->opened && !w->status.failed;
}

static void watch_look(struct group_watch *w)
{
    struct watch_answer a;
    pthread_mutex_lock(&w->mu);
    w->why[0] = 0;
    pthread_mutex_unlock(&w->mu);
    bool answered = watch_ask(w) && watch_make(w, &a);
    pthread_mutex_lock(&w->mu);
    w->has_news = true;
    if (answered) {
        watch_free_answer(&w->answer);
        w->answer = a;
    } else if (!w->why[0]) {
        snprintf(w->why, sizeof w->why, "the cluster gives no answer");
    }
    if (answered) w->why[0] = 0;
    pthread_mutex_unlock(&w->mu);
}

/* Waits for some seconds. Returns false if the thread is to end. */
static bool watch_wait(struct group_watch *w, int seconds)
{
    const uint64_t until = clock_ns() + (uint64_t)seconds * 1000000000;
    pthread_mutex_lock(&w->mu);
    while (!w->stops && clock_ns() < until)
        steady_cond_wait(&w->changed, &w->mu, until);
    bool goes_on = !w->stops;
    pthread_mutex_unlock(&w->mu);
    return goes_on;
}

static void *watch_main(void *self)
{
    struct group_watch *w = self;
    for (int seconds = WATCH_FIRST_S; watch_wait(w, seconds); seconds = WATCH_PERIOD_S)
        watch_look(w);
    if (w->opened) group_status_close(&w->status);
    return NULL;
}

struct group_watch *group_watch_begin(struct leat_ctx *ctx, const struct consumer_cfg *cfg,
                                      const char *brokers)
{
    bool watched = cfg->group && LEAT_HOST_HAS(ctx->host, group) && ctx->host->group(ctx, NULL);
    struct group_watch *w = watched ? calloc(1, sizeof *w) : NULL;
    if (!w) return NULL;
    w->source = ctx;
    w->cfg = cfg;
    w->brokers = brokers;
    w->host = *ctx->host;
    w->host.fail = watch_fail;
    w->host.log = watch_log;
    w->host.stopping = watch_stopping;
    w->host.time_left = watch_time_left;
    w->ctx = *ctx;
    w->ctx.host = &w->host;
    pthread_mutex_init(&w->mu, NULL);
    steady_cond_init(&w->changed);
    if (!pthread_create(&w->thread, NULL, watch_main, w)) return w;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mu);
    free(w);
    return NULL;
}

/* Marks this process among the members. */
static void watch_mark_self(struct group_watch *w, rd_kafka_t *rk)
{
    char *id = rd_kafka_memberid(rk);
    for (uint32_t k = 0; k < w->answer.group.n_members; k++)
        w->answer.member[k].own = id && !strcmp(w->answer.id[k], id);
    rd_kafka_mem_free(rk, id);
}

void group_watch_tell(struct group_watch *w, struct leat_ctx *ctx, rd_kafka_t *rk)
{
    pthread_mutex_lock(&w->mu);
    struct leat_group g = w->answer.group;
    bool news = w->has_news;
    w->has_news = false;
    g.why = w->why[0] ? w->why : NULL;
    if (!g.name) {
        g.name = w->cfg->group;
        g.state = "unknown";
    }
    if (news) watch_mark_self(w, rk);
    if (news) ctx->host->group(ctx, &g);
    pthread_mutex_unlock(&w->mu);
}

void group_watch_end(struct group_watch *w)
{
    if (!w) return;
    pthread_mutex_lock(&w->mu);
    atomic_store(&w->stops, true);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mu);
    pthread_join(w->thread, NULL);
    watch_free_answer(&w->answer);
    free(w->past);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mu);
    free(w);
}
