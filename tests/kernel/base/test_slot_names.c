/* test_slot_names.c -- names of slots in few bytes, against one array a slot. */
#include "support/suite.h"
#include "core/mix64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/names.h"

enum { SLOTS = 40, MAX = 24, HEAD = 6 };
static uint32_t block[SLOTS + 4096];
static char naive[SLOTS][64];

static struct names fresh(uint32_t cap)
{
    struct names n;
    memset(block, 0, sizeof block);
    memset(naive, 0, sizeof naive);
    names_init(&n, SLOTS, MAX, cap, block);
    return n;
}

static void expect_name(const struct names *n, uint32_t slot)
{
    size_t len;
    const char *name = names_get(n, slot, &len);
    ck_assert_uint_eq(len, strlen(naive[slot]));
    ck_assert_mem_eq(name, naive[slot], len);
}

START_TEST(a_slot_has_its_last_name_however_often_names_change)
{
    struct names n = fresh(SLOTS * (MAX + HEAD));
    uint64_t seed = 1;
    for (int i = 0; i < 5000; i++) {
        uint32_t slot = (uint32_t)(mix64_next(&seed) % SLOTS);
        int len = (int)(mix64_next(&seed) % 20);
        snprintf(naive[slot], sizeof naive[slot], "%.*s", len, "abcdefghijklmnopqrst");
        names_set(&n, slot, naive[slot], strlen(naive[slot]));
        for (uint32_t s = 0; s < SLOTS; s++)
            expect_name(&n, s);
    }
    ck_assert_uint_eq(n.dropped, 0);
}
END_TEST

/* More bytes than the room of one round of replaced names. */
START_TEST(replaced_names_take_no_more_than_the_others_and_a_little)
{
    enum { MANY = 4000, LONG = 100 };
    size_t room = names_room(MANY, LONG), most = 0;
    void *bytes = calloc(1, names_block_bytes(MANY, room));
    struct names n;
    names_init(&n, MANY, LONG, room, bytes);
    for (uint32_t i = 0; i < 50 * MANY; i++) {
        names_set(&n, i % MANY, "twenty bytes of name", 20);
        if (n.used > most) most = n.used;
        ck_assert_uint_eq(n.live, (size_t)(i < MANY ? i + 1 : MANY) * (20 + HEAD));
    }
    ck_assert_uint_le(most, 2 * n.live + (16 << 10) + 20 + HEAD);
    free(bytes);
}
END_TEST

START_TEST(a_name_that_does_not_fit_is_dropped_and_leaves_the_others)
{
    struct names n = fresh(2 * (8 + HEAD));
    for (uint32_t s = 0; s < 3; s++) {
        names_set(&n, s, "12345678", 8);
        if (s < 2) strcpy(naive[s], "12345678");
    }
    ck_assert_uint_eq(n.dropped, 1);
    for (uint32_t s = 0; s < 3; s++)
        expect_name(&n, s);
    names_set(&n, 0, NULL, 0); /* makes room */
    naive[0][0] = 0;
    names_set(&n, 2, "87654321", 8);
    strcpy(naive[2], "87654321");
    for (uint32_t s = 0; s < 3; s++)
        expect_name(&n, s);
}
END_TEST

START_TEST(a_long_name_is_cut_as_everywhere)
{
    struct names n = fresh(200);
    const char *text = "a name that is longer than twenty-four bytes";
    char cut[MAX];
    uint32_t len = name_cut(text, strlen(text), MAX, cut);
    names_set(&n, 7, text, strlen(text));
    memcpy(naive[7], cut, len);
    expect_name(&n, 7);
}
END_TEST

LEAT_SUITE("slot names", a_slot_has_its_last_name_however_often_names_change,
           replaced_names_take_no_more_than_the_others_and_a_little,
           a_name_that_does_not_fit_is_dropped_and_leaves_the_others,
           a_long_name_is_cut_as_everywhere)
