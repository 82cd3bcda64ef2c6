/* pool.h -- pools of batches: one for each source, and one for each branch of a tee or route.
 *
 * A pool is made once, with all its batches. A thread that finds it empty waits, so a pool bounds
 * the number of batches under way: this is the back-pressure on a source.
 *
 * Each batch is handed out once before any is reused, so that the full memory of batches shows in
 * the first second, not weeks later at the first long wait. From then on the batch that came back
 * last goes first, because its memory is in the caches.
 */
#ifndef LEAT_HOST_FLOW_POOL_H
#define LEAT_HOST_FLOW_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "batch.h"

struct pool;

/* ---- idle: a thread while it waits for a batch, or for space for one ----
 *
 * The thread answers visits, and counts how long it waits, and for whom.
 *
 * A visitor sets `asked` and wakes the thread from its possible sleep (ring_stir, pool_stir). A
 * working thread looks at `asked` between two calls, so the longest wait is for the end of a call.
 * No lock is held meanwhile.
 *
 * A thread without a batch may wait because later threads hold all batches. Such times count as
 * blocked, like a wait for space. Otherwise the threads before a bottleneck would look as if the
 * source were slow.
 */

struct idle {
    _Atomic bool asked;            /* set by any thread, cleared by `answer`            */
    void (*answer)(struct idle *); /* called on the thread that waits                   */
    struct pool *fed_by;           /* pool of its last batch, or NULL; the thread's own */
    uint64_t starved_ns;           /* waiting for batches; the thread's own             */
    uint64_t blocked_ns;           /* waiting for later threads: for space, or for batches that were
                                    * all under way */
};

/* A wait. */
struct idle_wait {
    bool for_space;
    uint64_t from, empty; /* start of the time to count, ns; empty_ns of the pool then */
};

/* Begins a wait. No lock of a pool may be held, unless the wait is for space. */
struct idle_wait idle_begin(const struct idle *idle, bool for_space);
/* Sleeps on `cond`, or counts and answers. Call it with mu held. May return early. */
void idle_sleep(struct idle *idle, pthread_cond_t *cond, pthread_mutex_t *mu, struct idle_wait *w);
/* Counts the time of the wait until now. Locks: see idle_begin(). */
void idle_count(struct idle *idle, struct idle_wait *w);

/* ---- the pool ---- */

struct pool {
    pthread_mutex_t mu; /* guards all members below: any worker may give a batch back */
    pthread_cond_t freed;
    struct hbatch *fresh; /* never handed out */
    struct hbatch *free;
    uint32_t n, waiting;            /* batches; threads that wait for one */
    uint64_t empty_ns, empty_since; /* time that any thread has waited; start of this wait */
};

/* Makes a pool of n > 0 batches of this shape. Returns LEAT_OK or LEAT_ENOMEM. Call pool_fini in
 * both cases, once all batches are back. */
int pool_init(struct pool *p, uint32_t n, const struct batch_shape *s);
void pool_fini(struct pool *p);
/* Returns an empty batch. While it waits for one, it answers visits by `idle`, which belongs to the
 * calling thread. */
struct hbatch *pool_take(struct pool *p, struct idle *idle);
/* Returns how long any thread has waited for a batch, ns. Any thread. */
uint64_t pool_empty_ns(struct pool *p);
/* Wakes waiting threads, so that they look for visits. Any thread. */
void pool_stir(struct pool *p);
/* Gives a batch back to its pool, once nobody borrows from it; then does the same with its parent.
 * Any thread. */
void pool_release(struct hbatch *h);

#endif
