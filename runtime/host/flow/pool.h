/* pool.h -- pools of batches, one for each source, stage with expand, and branch of a fork.
 *
 * A pool is made with all its batches before the run. A thread that finds the pool empty waits. So
 * the pool bounds the number of batches in use, and a fast source waits for the stages after it
 * (back-pressure).
 *
 * The pool hands out each batch once before it reuses any. So a run reaches its full memory in the
 * first second, not weeks later at the first long wait. After that it hands out the batch that came
 * back last, because its memory is in the caches.
 */
#ifndef LEAT_HOST_FLOW_POOL_H
#define LEAT_HOST_FLOW_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "batch.h"

struct pool;

/* ---- idle: what a worker does while it waits for a batch, or for space in a ring ----
 *
 * Other threads may ask a worker to make a call on its own thread; such a call is a visit
 * (exec/worker/visits.h). A waiting worker makes these calls, and counts how long it waits and for
 * which side.
 *
 * The asking thread sets `asked` and wakes the worker if it sleeps (ring_stir, pool_stir). A worker
 * that does not sleep checks `asked` between two batches. It makes the call without holding a lock.
 *
 * A worker that waits for a batch is starved if the workers before it are slow. But if all batches
 * are held by later workers, it is blocked by them, like a worker that waits for space. Without
 * this distinction a slow stage would look like a slow source.
 */

struct idle {
    _Atomic bool asked;            /* a visit is waiting; set by any thread, cleared by `answer`  */
    void (*answer)(struct idle *); /* makes the call of the visit, on the worker's thread         */
    struct pool *fed_by;           /* pool of the last batch, or NULL; used only by the worker    */
    uint64_t starved_ns;           /* waiting for earlier workers; used only by the worker        */
    uint64_t blocked_ns;           /* waiting for later workers: ring full, or all batches in use */
};

/* One wait of a worker. */
struct idle_wait {
    bool for_space;
    /* from: start of the time that is not counted yet, clock_ns(). empty: pool_empty_ns() of fed_by
     * at that time. */
    uint64_t from, empty;
};

/* Begins a wait. The caller must not hold a pool's mutex, unless for_space is true. */
struct idle_wait idle_begin(const struct idle *idle, bool for_space);
/* If another thread has asked for a call (idle->asked), unlocks mu and makes the call; otherwise
 * sleeps on `cond`. Call it with mu held. May return early, like pthread_cond_wait. */
void idle_sleep(struct idle *idle, pthread_cond_t *cond, pthread_mutex_t *mu, struct idle_wait *w);
/* Adds the time since w->from to starved_ns or blocked_ns, and restarts w. The caller must not hold
 * a pool's mutex, unless w->for_space is true. */
void idle_count(struct idle *idle, struct idle_wait *w);

/* ---- struct pool and its functions ---- */

struct pool {
    pthread_mutex_t mu; /* guards all other members, because any worker may give a batch back */
    pthread_cond_t freed;
    struct hbatch *fresh; /* batches that were never handed out */
    struct hbatch *free;
    uint32_t n, waiting;            /* n: batches; waiting: threads that wait for one */
    uint64_t empty_ns, empty_since; /* empty_ns: time that threads have waited; empty_since:
                                     * start of the present wait */
};

/* Makes a pool of n > 0 batches. Returns LEAT_OK or LEAT_ENOMEM. In both cases call pool_fini
 * later, when all batches are back. */
int pool_init(struct pool *p, uint32_t n, const struct batch_shape *s);
void pool_fini(struct pool *p);
/* Returns an empty batch; waits if the pool has none. `idle` belongs to the calling thread. While
 * this thread waits, it makes calls that other threads ask for (visits). */
struct hbatch *pool_take(struct pool *p, struct idle *idle);
/* Returns for how long at least one thread has waited for a batch, ns. Any thread may call it. */
uint64_t pool_empty_ns(struct pool *p);
/* Wakes the threads that wait for a batch, so that they make calls that other threads ask for
 * (visits). Any thread may call it. */
void pool_stir(struct pool *p);
/* Drops one use of a batch. If no batch borrows from it any more, gives it back to its pool and
 * drops its use of its parent. Any thread may call it. */
void pool_release(struct hbatch *h);

#endif
