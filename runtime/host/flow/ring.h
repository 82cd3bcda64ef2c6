/* ring.h -- a bounded queue of pointers between two threads: one pushes, one pops.
 *
 * Head and tail are on separate cache lines. Each side keeps a copy of the other side's index, so
 * it rarely reads the other's cache line. If the ring is full or empty, a thread spins briefly and
 * then sleeps on a condition variable.
 */
#ifndef LEAT_HOST_FLOW_RING_H
#define LEAT_HOST_FLOW_RING_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "pool.h"

struct ring {
    alignas(64) _Atomic size_t head; /* number of items pushed; written by the producer */
    size_t tail_seen;                /* the producer's copy of `tail`                   */
    alignas(64) _Atomic size_t tail; /* number of items popped; written by the consumer */
    size_t head_seen;                /* the consumer's copy of `head`                   */
    alignas(64) size_t mask;
    void **slot;
    _Atomic int sleepers; /* number of sleeping threads; see ring.c for its memory order */
    pthread_mutex_t mu;
    pthread_cond_t changed;
};

/* Makes a ring for capacity > 0 items, rounded up to a power of two. Returns LEAT_OK or
 * LEAT_ENOMEM. */
int ring_init(struct ring *q, size_t capacity);
void ring_fini(struct ring *q);
/* ring_push waits while the ring is full, ring_pop while it is empty. `idle` belongs to the calling
 * thread. While this thread waits, it makes calls that other threads ask for (pool.h). */
void ring_push(struct ring *q, void *item, struct idle *idle);
void *ring_pop(struct ring *q, struct idle *idle);
/* Wakes the thread that waits for this ring, so that it makes calls that other threads ask for
 * (pool.h). Any thread may call it. */
void ring_stir(struct ring *q);
size_t ring_bytes(size_t capacity);

#endif
