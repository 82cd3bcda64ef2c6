/* test_recent_keys.c -- the table of recent keys against a linear search of an array. */
#include "kernels/base/recent_keys.h"
#include "support/random.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static struct recent_keys table(uint32_t capacity, void **block)
{
    struct recent_keys t;
    size_t bytes = (recent_keys_bytes(capacity) + 63) / 64 * 64;
    *block = aligned_alloc(64, bytes);
    memset(*block, 0, bytes);
    recent_keys_init(&t, capacity, *block);
    return t;
}

/* Keys of few values in the low bits, which make long runs of slots. */
static struct recent_key key(uint32_t i) { return (struct recent_key){i, i % 5 * 7}; }

/* keys[0] is the oldest */
struct naive {
    uint32_t key[64], n;
    uint64_t value[64];
};

static int find(const struct naive *a, uint32_t k)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->key[i] == k) return (int)i;
    return -1;
}

static void drop(struct naive *a, uint32_t i)
{
    a->n--;
    memmove(a->key + i, a->key + i + 1, (a->n - i) * sizeof *a->key);
    memmove(a->value + i, a->value + i + 1, (a->n - i) * sizeof *a->value);
}

static void append(struct naive *a, uint32_t k, uint64_t value)
{
    a->key[a->n] = k;
    a->value[a->n++] = value;
}

START_TEST(it_knows_what_a_searched_array_knows)
{
    uint64_t seed = seed_given();
    for (uint32_t capacity = 1; capacity <= 60; capacity += 1 + capacity / 3) {
        void *block;
        struct recent_keys t = table(capacity, &block);
        struct naive a = {.n = 0};
        for (uint64_t turn = 0; turn < 20000; turn++) {
            uint32_t k = below(&seed, 2 * capacity + 3), i = recent_keys_find(&t, key(k));
            int at = find(&a, k);
            ck_assert((at < 0) == (i == RECENT_KEYS_NONE));
            if (at >= 0) {
                ck_assert_uint_eq(t.value[i], a.value[at]);
                recent_keys_touch(&t, i);
                append(&a, k, a.value[at]);
                drop(&a, (uint32_t)at);
            } else {
                uint32_t victim = recent_keys_victim(&t);
                ck_assert((victim == RECENT_KEYS_NONE) == (a.n < capacity));
                if (a.n == capacity) {
                    ck_assert_uint_eq(t.value[victim], a.value[0]);
                    drop(&a, 0);
                }
                append(&a, k, turn);
                t.value[recent_keys_add(&t, key(k))] = turn;
            }
            if (turn % 64 == 0) ck_assert(recent_keys_check(&t));
        }
        free(block);
    }
}
END_TEST

START_TEST(a_table_read_from_elsewhere_goes_on_alike)
{
    void *block, *other;
    struct recent_keys t = table(20, &block), u = table(20, &other);
    uint64_t seed = 4;
    for (int turn = 0; turn < 500; turn++) {
        uint32_t k = below(&seed, 30), i = recent_keys_find(&t, key(k));
        if (i == RECENT_KEYS_NONE)
            recent_keys_add(&t, key(k));
        else
            recent_keys_touch(&t, i);
    }
    u.n = t.n;
    u.oldest = t.oldest;
    memcpy(u.high, t.high, 20 * sizeof *t.high);
    memcpy(u.low, t.low, 20 * sizeof *t.low);
    memcpy(u.next, t.next, 20 * sizeof *t.next);
    ck_assert(recent_keys_link(&u) && recent_keys_check(&u));
    for (uint32_t k = 100; k < 140; k++)
        ck_assert_uint_eq(recent_keys_add(&t, key(k)), recent_keys_add(&u, key(k)));
    free(block);
    free(other);
}
END_TEST

START_TEST(what_is_no_table_is_refused)
{
    static const uint32_t next[][3] = {{1, 2, 0}, {1, 1, 2}, {RECENT_KEYS_NONE, 2, 0}, {1, 7, 0}};
    for (int i = 0; i < 5; i++) {
        void *block;
        struct recent_keys t = table(3, &block);
        t.n = 3;
        t.oldest = 0;
        for (uint32_t k = 0; k < 3; k++) {
            t.high[k] = i == 4 ? k / 2 : k;
            t.next[k] = i < 4 ? next[i][k] : k < 2 ? k + 1 : RECENT_KEYS_NONE;
        }
        ck_assert(!recent_keys_link(&t) && t.n == 0 && recent_keys_check(&t));
        recent_keys_add(&t, key(3));
        ck_assert(recent_keys_check(&t));
        free(block);
    }
}
END_TEST

START_TEST(its_bytes_are_what_was_asked_for)
{
    for (uint64_t bytes = 4096; bytes < UINT64_C(1) << 40; bytes = bytes * 7 / 4) {
        uint32_t n = recent_keys_capacity(bytes);
        ck_assert(n > 0 && recent_keys_bytes(n) <= bytes);
        ck_assert(n == 1 << 30 || recent_keys_bytes(n + 1) > bytes);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    void *block;
    struct recent_keys t = table(2, &block);
    ck_assert_uint_eq(recent_keys_add(&t, key(1)), 0); /* A */
    ck_assert_uint_eq(recent_keys_add(&t, key(2)), 1); /* B */
    recent_keys_touch(&t, 0);
    ck_assert_uint_eq(recent_keys_victim(&t), 1);
    ck_assert_uint_eq(recent_keys_add(&t, key(3)), 1); /* C */
    ck_assert_uint_eq(recent_keys_find(&t, key(1)), 0);
    ck_assert_uint_eq(recent_keys_find(&t, key(2)), RECENT_KEYS_NONE);
    free(block);
}
END_TEST

LEAT_SUITE("recent_keys", it_knows_what_a_searched_array_knows,
           a_table_read_from_elsewhere_goes_on_alike, what_is_no_table_is_refused,
           its_bytes_are_what_was_asked_for, the_example_of_the_header_is_what_happens)
