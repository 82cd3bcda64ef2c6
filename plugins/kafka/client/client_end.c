/* client_end.c -- implementation of client_end.h. */
#include "client_end.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/time/clock.h"
#include "core/time/steady_cond.h"

enum {
    LEAVE_SECONDS = 6, /* the step itself gives up a second earlier */
    DESTROY_SECONDS = 3,
    POLL_MS = 20
};

uint64_t client_give_up_at(struct leat_ctx *ctx, int seconds)
{
    int64_t ns = seconds * INT64_C(1000000000), left = ctx->host->time_left(ctx) / 2;
    return clock_ns() + (uint64_t)(left < ns ? left : ns);
}

/* ---- a step in its own thread ---- */

struct ending {
    pthread_mutex_t mu;
    pthread_cond_t over;
    void (*step)(struct ending *);
    rd_kafka_t *rk;
    uint64_t until; /* client_leave_group: time to give up, monotonic ns */
    int flags;      /* client_destroy: flags of rd_kafka_destroy_flags */
    bool left;      /* client_leave_group: the client has left the group */
    bool done, abandoned;
};

static bool is_abandoned(struct ending *p)
{
    pthread_mutex_lock(&p->mu);
    bool abandoned = p->abandoned;
    pthread_mutex_unlock(&p->mu);
    return abandoned;
}

static void *client_end_take_step(void *arg)
{
    struct ending *p = arg;
    p->step(p);
    pthread_mutex_lock(&p->mu);
    p->done = true;
    bool abandoned = p->abandoned;
    pthread_cond_signal(&p->over);
    pthread_mutex_unlock(&p->mu);
    if (abandoned) free(p); /* the caller no longer waits */
    return NULL;
}

/* Waits for the step until the time `end`. If the step is not done by then, returns false, and the
 * step's thread frees p when the step returns. */
static bool wait_until(struct ending *p, uint64_t end)
{
    pthread_mutex_lock(&p->mu);
    while (!p->done && clock_ns() < end)
        steady_cond_wait(&p->over, &p->mu, end);
    p->abandoned = !p->done;
    pthread_mutex_unlock(&p->mu);
    return !p->abandoned;
}

/* Runs what->step in a thread and waits for it until the time `end`. Sets *left to the step's
 * `left`. Returns false if the step is not done by then, or if no thread can be created. */
static bool in_thread(const struct ending *what, uint64_t end, bool *left)
{
    pthread_t thread;
    struct ending *p = malloc(sizeof *p);
    if (!p) return false;
    *p = *what;
    pthread_mutex_init(&p->mu, NULL);
    steady_cond_init(&p->over);
    if (pthread_create(&thread, NULL, client_end_take_step, p)) {
        free(p);
        return false;
    }
    if (!wait_until(p, end)) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    *left = p->left;
    free(p);
    return true;
}

/* ---- the steps ---- */

static void client_end_leave(struct ending *p)
{
    rd_kafka_queue_t *events = rd_kafka_queue_new(p->rk); /* receives events only */
    rd_kafka_error_t *e = rd_kafka_consumer_close_queue(p->rk, events);
    while (!e && !rd_kafka_consumer_closed(p->rk) && clock_ns() < p->until && !is_abandoned(p)) {
        rd_kafka_message_t *late[64]; /* dropped: the group's next consumer reads them */
        ssize_t n = rd_kafka_consume_batch_queue(events, POLL_MS, late, 64);
        while (n > 0)
            rd_kafka_message_destroy(late[--n]);
    }
    p->left = !e && rd_kafka_consumer_closed(p->rk);
    if (e) rd_kafka_error_destroy(e);
    rd_kafka_queue_destroy(events);
}

enum client_leave client_leave_group(struct leat_ctx *ctx, rd_kafka_t *rk)
{
    const uint64_t end = client_give_up_at(ctx, LEAVE_SECONDS), now = clock_ns();
    const uint64_t until = end - (end > now ? end - now : 0) / LEAVE_SECONDS;
    const struct ending p = {.step = client_end_leave, .rk = rk, .until = until};
    bool left;
    if (!in_thread(&p, end, &left)) return CLIENT_STUCK;
    return left ? CLIENT_LEFT : CLIENT_LATE;
}

static void destroy(struct ending *p) { rd_kafka_destroy_flags(p->rk, p->flags); }

bool client_destroy(struct leat_ctx *ctx, rd_kafka_t *rk, int flags)
{
    const struct ending p = {.step = destroy, .rk = rk, .flags = flags};
    bool left;
    assert(rk);
    return in_thread(&p, client_give_up_at(ctx, DESTROY_SECONDS), &left);
}
