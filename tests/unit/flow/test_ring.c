/* test_ring.c -- the bounded queue between two threads. */
#include <pthread.h>
#include <stdint.h>

#include "flow/ring.h"
#include "support/suite.h"

enum { MANY = 200000 };

static struct idle pushing, popping; /* nobody asks */

static void *push_many(void *arg)
{
    for (uintptr_t i = 1; i <= MANY; i++)
        ring_push(arg, (void *)i, &pushing);
    return NULL;
}

/* Everything arrives once and in order, with a queue so small that both sides must wait. */
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
    while (!atomic_load(&q.sleepers)) /* until it really sleeps */
        ;
    ring_push(&q, &q, &pushing);
    pthread_join(consumer, &got);
    ck_assert_ptr_eq(got, &q);
    ring_fini(&q);
}
END_TEST

struct asked {
    struct idle idle; /* first */
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

LEAT_SUITE("ring", items_arrive_once_and_in_order_through_two_slots,
           items_arrive_once_and_in_order_through_many_slots,
           a_ring_holds_its_capacity_without_a_consumer, who_waits_on_an_empty_ring_is_woken,
           who_sleeps_answers_and_sleeps_on, who_waits_for_space_answers)
