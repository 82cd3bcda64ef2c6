/* test_ring.c -- the bounded queue between two threads. */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "host/flow/pool.h"
#include "host/flow/ring.h"
#include "support/suite.h"

enum { MANY = 200000 };

static struct idle pushing, popping; /* no questions arrive */

static void *push_many(void *arg)
{
    for (uintptr_t i = 1; i <= MANY; i++)
        ring_push(arg, (void *)i, &pushing);
    return NULL;
}

/* Every item arrives once and in order, through a queue so small that both sides must wait. */
static void hand_over(size_t capacity)
{
    static struct ring q;
    pthread_t producer;
    ck_assert_int_eq(ring_init(&q, capacity), 0);
    pthread_create(&producer, NULL, push_many, &q);
    for (uintptr_t i = 1; i <= MANY; i++)
        ck_assert_uint_eq((uintptr_t)ring_pop(&q, &popping), i);
    pthread_join(producer, NULL);
    ring_fini(&q);
}

START_TEST(items_arrive_once_and_in_order_through_two_slots) { hand_over(2); }
END_TEST

START_TEST(items_arrive_once_and_in_order_through_many_slots) { hand_over(1000); }
END_TEST

START_TEST(a_ring_holds_its_capacity_without_a_consumer)
{
    struct ring q;
    ck_assert_int_eq(ring_init(&q, 5), 0);
    for (uintptr_t i = 0; i < 8; i++) /* 5 is rounded up to 8 */
        ring_push(&q, (void *)i, &pushing);
    for (uintptr_t i = 0; i < 8; i++)
        ck_assert_uint_eq((uintptr_t)ring_pop(&q, &popping), i);
    ring_fini(&q);
}
END_TEST

static void *pop_one(void *q) { return ring_pop(q, &popping); }

START_TEST(who_waits_on_an_empty_ring_is_woken)
{
    struct ring q;
    pthread_t consumer;
    void *got;
    ck_assert_int_eq(ring_init(&q, 2), 0);
    pthread_create(&consumer, NULL, pop_one, &q);
    while (!atomic_load(&q.sleepers)) /* waits until it sleeps */
        ;
    ring_push(&q, &q, &pushing);
    pthread_join(consumer, &got);
    ck_assert_ptr_eq(got, &q);
    ring_fini(&q);
}
END_TEST

struct asked {
    struct idle idle; /* first member */
    _Atomic int answers;
    struct ring q;
    void *got;
};

static void answer(struct idle *idle)
{
    atomic_store(&idle->asked, false);
    atomic_fetch_add(&((struct asked *)idle)->answers, 1);
}

static void ask(struct asked *a)
{
    int before = atomic_load(&a->answers);
    atomic_store(&a->idle.asked, true);
    ring_stir(&a->q);
    while (atomic_load(&a->answers) == before)
        ;
}

static void *pop_asked(void *asked)
{
    struct asked *a = asked;
    a->got = ring_pop(&a->q, &a->idle);
    return NULL;
}

static void *push_asked(void *asked)
{
    struct asked *a = asked;
    ring_push(&a->q, a, &a->idle);
    return NULL;
}

START_TEST(who_sleeps_answers_and_sleeps_on)
{
    static struct asked a = {.idle.answer = answer};
    pthread_t consumer;
    ck_assert_int_eq(ring_init(&a.q, 2), 0);
    pthread_create(&consumer, NULL, pop_asked, &a);
    for (int i = 0; i < 100; i++)
        ask(&a);
    ck_assert_ptr_null(a.got);
    ring_push(&a.q, &a, &pushing);
    pthread_join(consumer, NULL);
    ck_assert_ptr_eq(a.got, &a);
    ck_assert_int_eq(a.answers, 100);
    ck_assert(a.idle.starved_ns > 0 && !a.idle.blocked_ns);
    ring_fini(&a.q);
}
END_TEST

START_TEST(who_waits_for_space_answers)
{
    static struct asked a = {.idle.answer = answer};
    pthread_t producer;
    ck_assert_int_eq(ring_init(&a.q, 2), 0);
    for (int i = 0; i < 2; i++)
        ring_push(&a.q, &a.q, &pushing);
    pthread_create(&producer, NULL, push_asked, &a);
    ask(&a);
    ck_assert_ptr_eq(ring_pop(&a.q, &popping), &a.q);
    pthread_join(producer, NULL);
    ck_assert(a.idle.blocked_ns > 0 && !a.idle.starved_ns);
    ring_fini(&a.q);
}
END_TEST

static void *take_one(void *pool)
{
    struct idle taking = {.answer = NULL};
    return pool_take(pool, &taking);
}

static void *pop_two(void *asked)
{
    struct asked *a = asked;
    struct hbatch *first = ring_pop(&a->q, &a->idle);
    a->idle.fed_by = first->pool;
    a->got = ring_pop(&a->q, &a->idle);
    return NULL;
}

/* Waits until the consumer has taken n items and sleeps. */
static void await_sleep(struct asked *a, size_t n)
{
    while (atomic_load(&a->q.tail) != n || !atomic_load(&a->q.sleepers))
        ;
}

/* Returns both kinds of the consumer's waiting time after another 20 ms. */
static struct idle after_a_while(struct asked *a)
{
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    ask(a);
    return (struct idle){.starved_ns = a->idle.starved_ns, .blocked_ns = a->idle.blocked_ns};
}

enum { WHILE_NS = 20000000 };

START_TEST(who_waits_while_all_batches_are_under_way_is_blocked)
{
    static struct asked a = {.idle.answer = answer};
    static struct pool pool;
    pthread_t consumer, source;
    void *third;
    ck_assert_int_eq(ring_init(&a.q, 2), 0);
    ck_assert_int_eq(pool_init(&pool, 2, &(struct batch_shape){.records = 4, .bytes = 64}), 0);
    struct hbatch *first = pool_take(&pool, &pushing), *second = pool_take(&pool, &pushing);
    pthread_create(&consumer, NULL, pop_two, &a);
    await_sleep(&a, 0);
    struct idle then = {0}, now = after_a_while(&a); /* the source has batches, but is slow */
    ck_assert(now.starved_ns >= WHILE_NS && !now.blocked_ns);
    ring_push(&a.q, first, &pushing);
    pthread_create(&source, NULL, take_one, &pool);
    await_sleep(&a, 1);
    while (!pool_empty_ns(&pool))
        ;
    then = after_a_while(&a);
    now = after_a_while(&a); /* all batches are under way */
    ck_assert(now.blocked_ns >= then.blocked_ns + WHILE_NS);
    pool_release(second);
    pthread_join(source, &third);
    ck_assert_ptr_eq(third, second);
    then = after_a_while(&a);
    now = after_a_while(&a); /* the source has a batch again */
    ck_assert(now.starved_ns >= then.starved_ns + WHILE_NS && now.blocked_ns == then.blocked_ns);
    ring_push(&a.q, third, &pushing);
    pthread_join(consumer, NULL);
    ck_assert_ptr_eq(a.got, third);
    pool_release(first);
    pool_release(second);
    pool_fini(&pool);
    ring_fini(&a.q);
}
END_TEST

LEAT_SUITE("ring", items_arrive_once_and_in_order_through_two_slots,
           items_arrive_once_and_in_order_through_many_slots,
           a_ring_holds_its_capacity_without_a_consumer, who_waits_on_an_empty_ring_is_woken,
           who_sleeps_answers_and_sleeps_on, who_waits_for_space_answers,
           who_waits_while_all_batches_are_under_way_is_blocked)
