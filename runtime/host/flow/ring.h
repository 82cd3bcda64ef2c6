/* ring.h -- a bounded queue of pointers between two threads: one pushes, one pops.
 *
 * Head and tail lie on separate cache lines, and each side keeps a copy of the other's index, so
 * the steady state touches one shared line per item. A side that finds the ring full or empty spins
 * a little and then sleeps on a condition variable.
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
    alignas(64) _Atomic size_t head; /* pushed; written by the producer */
    size_t tail_seen;                /* producer's copy of tail         */
    alignas(64) _Atomic size_t tail; /* popped; written by the consumer */
    size_t head_seen;                /* consumer's copy of head         */
    alignas(64) size_t mask;
    void **slot;
    _Atomic int sleepers; /* partner of the fences in ring.c */
    pthread_mutex_t mu;
    pthread_cond_t changed;
};

/* Makes a ring for capacity > 0 items, rounded up to a power of two. Returns LEAT_OK or
 * LEAT_ENOMEM. */
int ring_init(struct ring *q, size_t capacity);
void ring_fini(struct ring *q);
/* Wait while the ring is full, or empty. Meanwhile they answer visits by `idle`, which belongs to
 * the calling thread. */
void ring_push(struct ring *q, void *item, struct idle *idle);
void *ring_pop(struct ring *q, struct idle *idle);
/* Wakes a waiting thread, so that it looks for visits. Any thread. */
void ring_stir(struct ring *q);
size_t ring_bytes(size_t capacity);

#endif
