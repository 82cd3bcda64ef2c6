/* pool.h -- where batches come from and go back to: one pool for each source, and one for each
 * branch of a tee or route.
 *
 * A pool is made once with all its batches. Who finds it empty waits, so a pool bounds how many
 * batches are under way: this is the back-pressure on a source.
 *
 * Each batch is handed out once before any is again, so that what they touch of memory is seen in
 * the first second, not weeks later in the first long wait; from then on the last that came back
 * goes first, whose memory is in the caches.
 */
#ifndef LEAT_HOST_FLOW_POOL_H
#define LEAT_HOST_FLOW_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "batch.h"

struct pool;

/* ---- idle: what a thread does while it waits for a batch, or for space for one ----
 *
 * It answers those who ask it, and counts how long it waits, and for whom.
 *
 * Who wants an answer sets `asked` and stirs what the thread may sleep on (ring_stir, pool_stir). A
 * thread that works looks at `asked` between two calls; one that sleeps is woken, so the longest
 * wait is that for the end of a call. No lock is held meanwhile.
 *
 * A thread that has no batch because the threads after it hold all that there are is held up by
 * them as much as one that finds no space: such times count as blocked, so that of all threads
 * before a bottleneck none looks as if the source were slow.
 */

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

/* ---- the pool ---- */

struct pool {
    pthread_mutex_t mu; /* over all below: any worker may give a batch back */
    pthread_cond_t freed;
    struct hbatch *fresh; /* never handed out */
    struct hbatch *free;
    uint32_t n, waiting;            /* batches; threads that wait for one          */
    uint64_t empty_ns, empty_since; /* how long any has waited; the last since when */
};

/* n > 0 batches of this shape. LEAT_OK, or LEAT_ENOMEM; pool_fini is called in both cases, once
 * all batches are back. */
int pool_init(struct pool *p, uint32_t n, const struct batch_shape *s);
void pool_fini(struct pool *p);
/* An empty batch; waits for one. Meanwhile `idle`, the calling thread's, answers. */
struct hbatch *pool_take(struct pool *p, struct idle *idle);
/* Returns how long any thread has waited for a batch, ns. Any thread. */
uint64_t pool_empty_ns(struct pool *p);
/* Wakes who waits, so that it looks whether it is asked. Any thread. */
void pool_stir(struct pool *p);
/* Back to its pool, once nobody borrows from it any more; then likewise the parent it borrows from.
 * Any thread. */
void pool_release(struct hbatch *h);

#endif
