/* idle.c -- see idle.h. */
#include "idle.h"

#include "core/time/clock.h"
#include "pool.h"

static uint64_t empty_ns(const struct idle *idle, bool for_space)
{
    return for_space || !idle->fed_by ? 0 : pool_empty_ns(idle->fed_by);
}

struct idle_wait idle_begin(const struct idle *idle, bool for_space)
{
    return (struct idle_wait){for_space, clock_ns(), empty_ns(idle, for_space)};
}

void idle_count(struct idle *idle, struct idle_wait *w)
{
    struct idle_wait now = idle_begin(idle, w->for_space);
    uint64_t waited = now.from - w->from, empty = now.empty - w->empty;
    uint64_t blocked = w->for_space || empty > waited ? waited : empty;
    idle->blocked_ns += blocked;
    idle->starved_ns += waited - blocked;
    *w = now;
}

void idle_sleep(struct idle *idle, pthread_cond_t *cond, pthread_mutex_t *mu, struct idle_wait *w)
{
    if (!atomic_load(&idle->asked)) {
        pthread_cond_wait(cond, mu);
        return;
    }
    pthread_mutex_unlock(mu);
    idle_count(idle, w);
    idle->answer(idle);
    *w = idle_begin(idle, w->for_space);
    pthread_mutex_lock(mu);
}
