/* client_end.c -- implementation of client_end.h. */
#include "client_end.h"

#include <assert.h>
#include <stdlib.h>

#include "bounded.h"
#include "core/time/clock.h"

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
    struct bounded bounded;
    rd_kafka_t *rk;
    uint64_t until; /* client_leave_group: time to give up, monotonic ns */
    int flags;      /* client_destroy: flags of rd_kafka_destroy_flags */
    bool is_static; /* client_leave_group: a static member, which leaves all the same */
    bool left;      /* client_leave_group: the client has left the group */
};

/* Runs the step in a thread and waits for it until the time `end`. Sets *left to the step's `left`.
 * Returns false if the step is not done by then, or if no thread can be created. */
static bool in_thread(const struct ending *what, uint64_t end, bool *left)
{
    const uint64_t now = clock_ns();
    struct ending *p = malloc(sizeof *p);
    if (!p) return false;
    *p = *what;
    if (!bounded_call(NULL, &p->bounded, end > now ? end - now : 0)) return false;
    *left = p->left;
    free(p);
    return true;
}

/* ---- the steps ---- */

/* Serves the events of a client while it leaves its group. Drops messages, which the group's next
 * consumer reads. */
static void serve_events(rd_kafka_queue_t *events)
{
    rd_kafka_message_t *late[64];
    ssize_t n = rd_kafka_consume_batch_queue(events, POLL_MS, late, 64);
    while (n > 0)
        rd_kafka_message_destroy(late[--n]);
}

static bool client_is_member(rd_kafka_t *rk)
{
    char *id = rd_kafka_memberid(rk);
    bool is_member = id && *id;
    rd_kafka_mem_free(rk, id);
    return is_member;
}

/* Makes a static member leave its group, which closing does not. */
static void unsubscribe(struct ending *p)
{
    rd_kafka_queue_t *events = rd_kafka_queue_get_consumer(p->rk);
    rd_kafka_unsubscribe(p->rk);
    while (client_is_member(p->rk) && clock_ns() < p->until && !bounded_is_abandoned(&p->bounded))
        serve_events(events);
    rd_kafka_queue_destroy(events);
}

static void client_end_leave(struct bounded *bounded)
{
    struct ending *p = (struct ending *)bounded;
    if (p->is_static) unsubscribe(p);
    rd_kafka_queue_t *events = rd_kafka_queue_new(p->rk); /* receives events only */
    rd_kafka_error_t *e = rd_kafka_consumer_close_queue(p->rk, events);
    while (!e && !rd_kafka_consumer_closed(p->rk) && clock_ns() < p->until &&
           !bounded_is_abandoned(&p->bounded))
        serve_events(events);
    p->left = !e && rd_kafka_consumer_closed(p->rk);
    if (e) rd_kafka_error_destroy(e);
    rd_kafka_queue_destroy(events);
}

enum client_leave client_leave_group(struct leat_ctx *ctx, rd_kafka_t *rk, bool is_static)
{
    const uint64_t end = client_give_up_at(ctx, LEAVE_SECONDS), now = clock_ns();
    const uint64_t until = end - (end > now ? end - now : 0) / LEAVE_SECONDS;
    const struct ending p = {
        .bounded.call = client_end_leave, .rk = rk, .until = until, .is_static = is_static};
    bool left;
    if (!in_thread(&p, end, &left)) return CLIENT_STUCK;
    return left ? CLIENT_LEFT : CLIENT_LATE;
}

static void destroy(struct bounded *bounded)
{
    const struct ending *p = (const struct ending *)bounded;
    rd_kafka_destroy_flags(p->rk, p->flags);
}

bool client_destroy(struct leat_ctx *ctx, rd_kafka_t *rk, int flags)
{
    const struct ending p = {.bounded.call = destroy, .rk = rk, .flags = flags};
    bool left;
    assert(rk);
    return in_thread(&p, client_give_up_at(ctx, DESTROY_SECONDS), &left);
}
