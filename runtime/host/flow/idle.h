/* idle.h -- what a thread does while it waits for a batch, or for space for one: it answers those
 * who ask it, and counts how long it waits, and for whom.
 *
 * Who wants an answer sets `asked` and stirs what the thread may sleep on (ring_stir, pool_stir). A
 * thread that works looks at `asked` between two calls; one that sleeps is woken, so the longest
 * wait is that for the end of a call. No lock is held meanwhile.
 *
 * A thread that has no batch because the threads after it hold all that there are is held up by
 * them as much as one that finds no space: such times count as blocked, so that of all threads
 * before a bottleneck none looks as if the source were slow.
 */
#ifndef LEAT_HOST_FLOW_IDLE_H
#define LEAT_HOST_FLOW_IDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pool;

struct idle {
    _Atomic bool asked;            /* set by any thread, cleared by `answer`                  */
    void (*answer)(struct idle *); /* on the thread that waits                                */
    struct pool *fed_by;           /* of the last batch that it got; NULL: none. Its own      */
    uint64_t starved_ns;           /* it has waited for batches; its own                      */
    uint64_t blocked_ns;           /* … for threads after it: for space, or for batches of
                                      which all were under way                                */
};

/* A wait. */
struct idle_wait {
    bool for_space;
    uint64_t from, empty; /* not counted before: ns, and for how long the pool has been empty */
};

/* Begins to wait, with no lock of a pool held unless it is for space. */
struct idle_wait idle_begin(const struct idle *idle, bool for_space);
/* mu held: sleeps on `cond`, or counts and answers. It may return early. */
void idle_sleep(struct idle *idle, pthread_cond_t *cond, pthread_mutex_t *mu, struct idle_wait *w);
/* Counts what the wait has taken up to now. As idle_begin(). */
void idle_count(struct idle *idle, struct idle_wait *w);

#endif
