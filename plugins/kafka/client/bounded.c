/* bounded.c -- implementation of bounded.h. */
#include "bounded.h"

#include <stdlib.h>

#include "core/time/clock.h"
#include "core/time/steady_cond.h"

#define SLICE_NS UINT64_C(200000000)

bool bounded_is_abandoned(struct bounded *b)
{
    pthread_mutex_lock(&b->mu);
    bool abandoned = b->abandoned;
    pthread_mutex_unlock(&b->mu);
    return abandoned;
}

static void *bounded_run(void *arg)
{
    struct bounded *b = arg;
    b->call(b);
    pthread_mutex_lock(&b->mu);
    b->done = true;
    bool abandoned = b->abandoned;
    pthread_cond_signal(&b->over);
    pthread_mutex_unlock(&b->mu);
    if (abandoned) free(b);
    return NULL;
}

/* Waits for the call. If it is not done after `ns`, returns false, and the thread frees b when the
 * call returns. A slice that lasted much longer is one in which the process was stopped. */
static bool bounded_wait(struct leat_ctx *ctx, struct bounded *b, uint64_t ns)
{
    uint64_t waited = 0;
    bool stopping = false;
    pthread_mutex_lock(&b->mu);
    while (!b->done && waited < ns) {
        uint64_t from = clock_ns(), slice = ns - waited < SLICE_NS ? ns - waited : SLICE_NS;
        steady_cond_wait(&b->over, &b->mu, from + slice);
        uint64_t took = clock_ns() - from;
        waited += took < 2 * SLICE_NS ? took : slice;
        if (waited < ns && ctx && !stopping && ctx->host->stopping(ctx)) {
            uint64_t left = (uint64_t)ctx->host->time_left(ctx) / 2;
            stopping = true;
            if (ns - waited > left) ns = waited + left;
        }
    }
    b->abandoned = !b->done;
    pthread_mutex_unlock(&b->mu);
    return !b->abandoned;
}

bool bounded_call(struct leat_ctx *ctx, struct bounded *b, uint64_t ns)
{
    pthread_t thread;
    pthread_mutex_init(&b->mu, NULL);
    steady_cond_init(&b->over);
    b->done = b->abandoned = false;
    if (pthread_create(&thread, NULL, bounded_run, b)) {
        free(b);
        return false;
    }
    if (!bounded_wait(ctx, b, ns)) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    return true;
}
