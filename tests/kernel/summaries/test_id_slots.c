/* test_id_slots.c -- ids stay in the slots that they entered, for any number of heads. */
#include "support/suite.h"

#include "kernels/summaries/id_slots.h"

enum { SLOTS = 5000 };
static uint32_t id[SLOTS + 2], next[SLOTS + 2], head[1 << 16];

static struct id_slots table(uint32_t capacity)
{
    ck_assert_uint_le(id_slots_heads(capacity), 1 << 16);
    struct id_slots s = {.capacity = capacity,
                         .made_for = ID_SLOTS_FEW,
                         .seed = 11,
                         .id = id,
                         .next = next,
                         .head = head};
    id_slots_rebuild(&s);
    return s;
}

static uint32_t id_of(uint32_t slot) { return slot * 2654435761u; }

static void enter(struct id_slots *s)
{
    uint32_t slot = id_slots_take(s);
    s->id[slot] = id_of(slot);
    id_slots_link(s, slot);
}

START_TEST(each_id_keeps_its_slot_while_the_heads_grow)
{
    for (uint32_t capacity = 3; capacity <= SLOTS; capacity += 833) {
        struct id_slots s = table(capacity);
        while (s.n < capacity) {
            enter(&s);
            if ((s.n & (s.n - 1)) < 2) ck_assert_msg(!id_slots_check(&s), "%u slots", s.n);
        }
        ck_assert_msg(!id_slots_check(&s), "%s", id_slots_check(&s));
        ck_assert_uint_eq(s.id[id_slots_seek(&s, id_of(capacity / 2))], id_of(capacity / 2));
        ck_assert_uint_ne(s.id[id_slots_seek(&s, 17)], 17);
    }
}
END_TEST

/* With some of the seeds, the ids 0 and 1 of the guards would share a chain. */
START_TEST(an_empty_table_has_no_id)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct id_slots s = table(3);
        s.seed = seed;
        id_slots_rebuild(&s);
        for (uint32_t absent = 0; absent < 100; absent++)
            ck_assert_uint_ne(s.id[id_slots_seek(&s, absent)], absent);
    }
}
END_TEST

START_TEST(few_ids_use_few_heads)
{
    struct id_slots s = table(SLOTS);
    ck_assert_uint_eq(1u << (64 - s.head_shift), id_slots_heads(ID_SLOTS_FEW));
    for (int i = 0; i < SLOTS; i++)
        enter(&s);
    ck_assert_uint_eq(1u << (64 - s.head_shift), id_slots_heads(SLOTS));
}
END_TEST

/* A power of two, at least the heads a slot that id_slots.c names, and less than twice as many. */
START_TEST(heads_are_as_many_a_slot_as_the_cache_bears)
{
    for (uint32_t capacity = 1; capacity < 200000; capacity += 1 + capacity / 9) {
        uint32_t per_slot = capacity > 16384 ? 2 : capacity > 1024 ? 4 : 8;
        uint32_t heads = id_slots_heads(capacity);
        ck_assert(heads >= capacity * per_slot && heads < 2 * capacity * per_slot);
        ck_assert(!(heads & (heads - 1)));
    }
}
END_TEST

START_TEST(an_index_built_at_once_is_the_one_that_grew)
{
    struct id_slots s = table(SLOTS);
    for (uint32_t i = 0; i < 3000; i++)
        enter(&s);
    uint32_t shift = s.head_shift;
    s.made_for = ID_SLOTS_FEW;
    id_slots_rebuild(&s);
    ck_assert_uint_eq(s.head_shift, shift);
    ck_assert(!id_slots_check(&s));
}
END_TEST

LEAT_SUITE("id_slots", an_empty_table_has_no_id, each_id_keeps_its_slot_while_the_heads_grow,
           few_ids_use_few_heads, heads_are_as_many_a_slot_as_the_cache_bears,
           an_index_built_at_once_is_the_one_that_grew)
