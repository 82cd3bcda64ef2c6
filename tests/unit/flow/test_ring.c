/* test_ring.c -- the bounded queue between two threads. */
#include <pthread.h>
#include <stdint.h>

#include "flow/ring.h"
#include "support/suite.h"

enum { MANY = 200000 };

static void *push_many(void *arg)
{
    for (uintptr_t i = 1; i <= MANY; i++)
        ring_push(arg, (void *)i);
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
        ck_assert_uint_eq((uintptr_t)ring_pop(&q), i);
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
        ring_push(&q, (void *)i);
    for (uintptr_t i = 0; i < 8; i++)
        ck_assert_uint_eq((uintptr_t)ring_pop(&q), i);
    ring_fini(&q);
}
END_TEST

static void *pop_one(void *q) { return ring_pop(q); }

START_TEST(who_waits_on_an_empty_ring_is_woken)
{
    struct ring q;
    pthread_t consumer;
    void *got;
    ck_assert_int_eq(ring_init(&q, 2), 0);
    pthread_create(&consumer, NULL, pop_one, &q);
    while (!atomic_load(&q.sleepers)) /* until it really sleeps */
        ;
    ring_push(&q, &q);
    pthread_join(consumer, &got);
    ck_assert_ptr_eq(got, &q);
    ring_fini(&q);
}
END_TEST

LEAT_SUITE("ring", items_arrive_once_and_in_order_through_two_slots,
           items_arrive_once_and_in_order_through_many_slots,
           a_ring_holds_its_capacity_without_a_consumer, who_waits_on_an_empty_ring_is_woken)
