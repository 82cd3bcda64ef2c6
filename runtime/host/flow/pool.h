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

#include "batch.h"
#include "idle.h"

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
/* How long anyone has waited for a batch, ns. Any thread. */
uint64_t pool_empty_ns(struct pool *p);
/* Wakes who waits, so that it looks whether it is asked. Any thread. */
void pool_stir(struct pool *p);
/* Back to its pool, once nobody borrows from it any more; then likewise the parent it borrows from.
 * Any thread. */
void pool_release(struct hbatch *h);

#endif
