/* idle.h -- what a thread does while it waits for a batch, or for space for one: it answers those
 * who ask it, and counts how long it waits.
 *
 * Who wants an answer sets `asked` and stirs what the thread may sleep on (ring_stir, pool_stir). A
 * thread that works looks at `asked` between two batches; one that sleeps is woken, so the longest
 * wait is that for the end of a call. No lock is held meanwhile.
 */
#ifndef LEAT_FLOW_IDLE_H
#define LEAT_FLOW_IDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time/clock.h"

struct idle {
    _Atomic bool asked;            /* set by any thread, cleared by `answer`         */
    void (*answer)(struct idle *); /* on the thread that waits                       */
    uint64_t starved_ns;           /* it has waited for batches; its own             */
    uint64_t blocked_ns;           /* … for space, that is for threads after it      */
};

/* mu held: sleeps on `cond`, or answers. It may return early. `*from`: since when it waits, ns, and
 * what of that is not in *waited yet. */
static inline void idle_wait(struct idle *idle, pthread_cond_t *cond, pthread_mutex_t *mu,
                             uint64_t *from, uint64_t *waited)
{
    if (!atomic_load(&idle->asked)) {
        pthread_cond_wait(cond, mu);
        return;
    }
    pthread_mutex_unlock(mu);
    *waited += clock_ns() - *from;
    idle->answer(idle);
    *from = clock_ns();
    pthread_mutex_lock(mu);
}

#endif
