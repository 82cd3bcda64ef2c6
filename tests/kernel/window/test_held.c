/* test_held.c -- items leave in the order of their keys, against a linear search of a list. */
#include "kernels/window/held.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/suite.h"

enum { THINGS = 4000, SIZE = 1 << 16, LEAST = 4 };

/* Every item that arrived and has not left, in order of arrival. */
struct slow {
    uint64_t key[THINGS];
    uint32_t number[THINGS], bytes[THINGS], n;
};

static uint32_t slow_first(const struct slow *s)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < s->n; i++)
        if (s->key[i] < s->key[first]) first = i;
    return first;
}

static void slow_drop(struct slow *s, uint32_t i)
{
    s->n--;
    memmove(s->key + i, s->key + i + 1, (s->n - i) * sizeof *s->key);
    memmove(s->number + i, s->number + i + 1, (s->n - i) * sizeof *s->number);
    memmove(s->bytes + i, s->bytes + i + 1, (s->n - i) * sizeof *s->bytes);
}

static void slow_add(struct slow *s, uint64_t key, uint32_t number, uint32_t bytes)
{
    s->key[s->n] = key;
    s->number[s->n] = number;
    s->bytes[s->n++] = bytes;
}

static void check_first(const struct held *h, const struct slow *s)
{
    uint32_t n, i = slow_first(s), number;
    const char *thing = held_first(h, &n);
    memcpy(&number, thing, sizeof number);
    ck_assert_uint_eq(number, s->number[i]);
    ck_assert_uint_eq(n, s->bytes[i]);
    ck_assert_uint_eq(held_key(h), s->key[i]);
    for (uint32_t k = LEAST; k < n; k++)
        ck_assert_int_eq(thing[k], (char)number);
}

static void drop_both(struct held *h, struct slow *s)
{
    check_first(h, s);
    slow_drop(s, slow_first(s));
    held_drop(h);
}

static void add_both(struct held *h, struct slow *s, uint64_t key, uint32_t number, uint32_t bytes)
{
    char *thing = held_add(h, key, bytes);
    memset(thing, (char)number, bytes);
    memcpy(thing, &number, sizeof number);
    slow_add(s, key, number, bytes);
}

/* longest: bytes of the longest item; share: chance in eighths that an item leaves. */
static void run(uint32_t longest, uint32_t share)
{
    void *block = aligned_alloc(64, SIZE);
    struct slow *s = calloc(1, sizeof *s);
    struct held h;
    uint64_t seed = longest + share;
    held_init(&h, block, SIZE, LEAST);
    for (uint32_t i = 0; i < THINGS; i++) {
        while (held_is_over(&h))
            drop_both(&h, s);
        add_both(&h, s, i / 4 + below(&seed, 50), i, LEAST + below(&seed, longest - LEAST + 1));
        if (s->n && below(&seed, 8) < share) drop_both(&h, s);
        if (i % 64 == 0) ck_assert(held_check(&h));
    }
    ck_assert_uint_eq(h.n, s->n);
    while (s->n)
        drop_both(&h, s);
    ck_assert(held_check(&h) && !h.n && !h.live);
    free(s);
    free(block);
}

START_TEST(things_leave_in_the_order_of_keys_and_of_their_coming)
{
    for (uint32_t share = 0; share <= 8; share += 4) {
        run(LEAST, share);
        run(100, share);
        run(1500, share);
    }
}
END_TEST

START_TEST(the_longest_thing_fits_while_nothing_is_over)
{
    void *block = aligned_alloc(64, SIZE);
    struct held h;
    held_init(&h, block, SIZE, LEAST);
    for (uint32_t i = 0; i < 100; i++) {
        while (held_is_over(&h))
            held_drop(&h);
        memset(held_add(&h, 1000 - i, held_longest(&h)), 1, held_longest(&h));
        ck_assert(held_check(&h));
    }
    ck_assert_uint_ge(h.n, 15);
    free(block);
}
END_TEST

START_TEST(by_arrival_they_leave_as_they_came)
{
    void *block = aligned_alloc(64, SIZE);
    struct held h;
    uint64_t at = 0, key;
    uint32_t n, dropped = 0;
    held_init(&h, block, SIZE, LEAST);
    for (uint32_t i = 0; i < 500; i++) {
        uint32_t *thing = held_add(&h, (i * 37) % 101, 4 + i % 9);
        *thing = i;
        if (i % 5 == 4) held_drop(&h);
    }
    held_mark(&h);
    for (const uint32_t *thing, *last = NULL; (thing = held_next(&h, &at, &key, &n));
         last = thing) {
        ck_assert_uint_eq(key, (*thing * 37) % 101);
        ck_assert(!last || *last < *thing);
        dropped++;
    }
    ck_assert_uint_eq(dropped, h.n);
    held_by_arrival(&h);
    for (uint32_t last = 0; h.n; held_drop(&h)) {
        const uint32_t *thing = held_first(&h, &n);
        ck_assert_uint_ge(*thing, last);
        last = *thing;
    }
    free(block);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    static const struct {
        uint32_t key, bytes;
        char name;
    } item[] = {{30, 40, 'a'}, {10, 5, 'b'}, {20, 64, 'c'}};
    static const uint64_t used[] = {48, 48 + 16, 48 + 16 + 72};
    void *block = malloc(4096);
    struct held h;
    held_init(&h, block, 4096, LEAST);
    for (int i = 0; i < 3; i++) {
        char *to = held_add(&h, item[i].key, item[i].bytes);
        *to = item[i].name;
        ck_assert_uint_eq(h.used, used[i]);
    }
    for (const char *want = "bca"; *want; want++) {
        uint32_t n;
        const char *first = held_first(&h, &n);
        ck_assert_int_eq(*first, *want);
        held_drop(&h);
    }
    free(block);
}
END_TEST

LEAT_SUITE("held", things_leave_in_the_order_of_keys_and_of_their_coming,
           the_longest_thing_fits_while_nothing_is_over, by_arrival_they_leave_as_they_came,
           the_example_of_the_header_is_what_happens)
