/* ring.c -- implementation of ring.h.
 *
 * No wake-up is lost. Before it sleeps, a thread increments `sleepers` and then reads the other
 * side's index once more. The other side writes its index and then reads `sleepers`. Both steps are
 * sequentially consistent, so at least one of the two threads sees the other's write.
 */
#include "ring.h"

#include <assert.h>
#include <stdlib.h>

#include <leat/status.h>

enum { SPINS = 64 };

static size_t ring_round_up(size_t n)
{
    size_t p = 2;
    while (p < n)
        p *= 2;
    return p;
}

size_t ring_bytes(size_t capacity)
{
    return sizeof(struct ring) + ring_round_up(capacity) * sizeof(void *);
}

int ring_init(struct ring *q, size_t capacity)
{
    assert(capacity > 0);
    *q = (struct ring){.mask = ring_round_up(capacity) - 1};
    q->slot = calloc(q->mask + 1, sizeof *q->slot);
    if (!q->slot) return LEAT_ENOMEM;
    pthread_mutex_init(&q->mu, NULL);
    pthread_cond_init(&q->changed, NULL);
    return LEAT_OK;
}

void ring_fini(struct ring *q)
{
    if (!q->slot) return;
    free(q->slot);
    q->slot = NULL;
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->mu);
}

/* Waits until *index, which the other side writes, is not `stuck` any more. */
static void ring_sleep_while(struct ring *q, _Atomic size_t *index, size_t stuck, struct idle *idle,
                             bool for_space)
{
    for (int i = 0; i < SPINS; i++)
        if (atomic_load_explicit(index, memory_order_acquire) != stuck) return;
    struct idle_wait w = idle_begin(idle, for_space);
    pthread_mutex_lock(&q->mu);
    atomic_fetch_add(&q->sleepers, 1);
    while (atomic_load(index) == stuck)
        idle_sleep(idle, &q->changed, &q->mu, &w);
    atomic_fetch_sub(&q->sleepers, 1);
    pthread_mutex_unlock(&q->mu);
    idle_count(idle, &w);
}

/* Wakes the other side if it sleeps. The lock waits until a thread that saw the old index sleeps.
 * It is given back before the wake-up, because on one core the woken thread runs at once. */
static void ring_wake(struct ring *q)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&q->sleepers, memory_order_relaxed)) {
        pthread_mutex_lock(&q->mu);
        pthread_mutex_unlock(&q->mu);
        pthread_cond_broadcast(&q->changed);
    }
}

void ring_push(struct ring *q, void *item, struct idle *idle)
{
    size_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    while (head - q->tail_seen > q->mask) {
        q->tail_seen = atomic_load_explicit(&q->tail, memory_order_acquire);
        if (head - q->tail_seen > q->mask) ring_sleep_while(q, &q->tail, q->tail_seen, idle, true);
    }
    q->slot[head & q->mask] = item;
    atomic_store_explicit(&q->head, head + 1, memory_order_release);
    ring_wake(q);
}

void *ring_pop(struct ring *q, struct idle *idle)
{
    size_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    while (q->head_seen == tail) {
        q->head_seen = atomic_load_explicit(&q->head, memory_order_acquire);
        if (q->head_seen == tail) ring_sleep_while(q, &q->head, tail, idle, false);
    }
    void *item = q->slot[tail & q->mask];
    atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
    ring_wake(q);
    return item;
}

void ring_stir(struct ring *q)
{
    pthread_mutex_lock(&q->mu);
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mu);
}
