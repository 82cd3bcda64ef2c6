/* pool.c -- implementation of pool.h. */
#include "pool.h"

#include <assert.h>

#include "core/time/clock.h"

static void pool_push(struct hbatch **list, struct hbatch *h)
{
    h->next_free = *list;
    *list = h;
}

/* Returns a free batch; NULL if all are in use. Call it with mu held. */
static struct hbatch *pool_pop(struct pool *p)
{
    struct hbatch **list = p->fresh ? &p->fresh : &p->free;
    struct hbatch *h = *list;
    if (h) *list = h->next_free;
    return h;
}

int pool_init(struct pool *p, uint32_t n, const struct batch_shape *s)
{
    assert(n > 0);
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->freed, NULL);
    for (uint32_t i = 0; i < n; i++) {
        struct hbatch *h = batch_new(s);
        if (!h) return LEAT_ENOMEM;
        h->pool = p;
        pool_push(&p->fresh, h);
        p->n++;
    }
    return LEAT_OK;
}

void pool_fini(struct pool *p)
{
    for (struct hbatch *h; (h = pool_pop(p));)
        batch_free(h);
    pthread_cond_destroy(&p->freed);
    pthread_mutex_destroy(&p->mu);
}

struct hbatch *pool_take(struct pool *p, struct idle *idle)
{
    pthread_mutex_lock(&p->mu);
    struct hbatch *h = pool_pop(p);
    if (!h) {
        struct idle_wait w = idle_begin(idle, true);
        if (!p->waiting++) p->empty_since = w.from;
        while (!(h = pool_pop(p)))
            idle_sleep(idle, &p->freed, &p->mu, &w);
        idle_count(idle, &w);
        if (!--p->waiting) p->empty_ns += w.from - p->empty_since;
    }
    pthread_mutex_unlock(&p->mu);
    batch_reset(h);
    return h;
}

uint64_t pool_empty_ns(struct pool *p)
{
    pthread_mutex_lock(&p->mu);
    uint64_t ns = p->empty_ns + (p->waiting ? clock_ns() - p->empty_since : 0);
    pthread_mutex_unlock(&p->mu);
    return ns;
}

void pool_stir(struct pool *p)
{
    pthread_mutex_lock(&p->mu);
    pthread_cond_broadcast(&p->freed);
    pthread_mutex_unlock(&p->mu);
}

static void pool_give_back(struct hbatch *h)
{
    struct pool *p = h->pool;
    pthread_mutex_lock(&p->mu);
    pool_push(&p->free, h);
    pthread_mutex_unlock(&p->mu);
    pthread_cond_signal(&p->freed);
}

void pool_release(struct hbatch *h)
{
    assert(h);
    while (h && atomic_fetch_sub_explicit(&h->borrowers, 1, memory_order_acq_rel) == 1) {
        struct hbatch *parent = h->parent;
        pool_give_back(h);
        h = parent;
    }
}

/* ---- idle: counting the time that a worker waits ---- */

static uint64_t idle_empty_ns(const struct idle *idle, bool for_space)
{
    return for_space || !idle->fed_by ? 0 : pool_empty_ns(idle->fed_by);
}

struct idle_wait idle_begin(const struct idle *idle, bool for_space)
{
    return (struct idle_wait){for_space, clock_ns(), idle_empty_ns(idle, for_space)};
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
