/* test_kept.c -- records that are kept keep their bytes, and their memory is bounded and reused. */
#include "kafka/client/kept.c"

#include <string.h>

#include "support/random.h"
#include "support/suite.h"

enum { SLOTS = 700, STEPS = 200000 };

struct slot {
    struct pending *pending;
    size_t bytes;
    unsigned char fill;
};

static struct slot slots[SLOTS];

static void slot_take(struct kept *k, struct slot *s, size_t bytes)
{
    size_t room;
    struct pending *p = kept_next(k, &room);
    if (bytes > room) {
        ck_assert(kept_grow(k, bytes));
        p = kept_next(k, &room);
    }
    ck_assert_uint_ge(room, bytes);
    ck_assert_uint_eq((uintptr_t)p->record % 8, 0);
    kept_take(k, p, bytes);
    *s = (struct slot){.pending = p, .bytes = bytes, .fill = (unsigned char)(s - slots)};
    memset(p->record, s->fill, bytes);
}

static void slot_drop(struct kept *k, struct slot *s)
{
    const unsigned char *text = (const unsigned char *)s->pending->record;
    for (size_t i = 0; i < s->bytes; i++)
        ck_assert_uint_eq(text[i], s->fill);
    kept_drop(k, s->pending);
    s->pending = NULL;
}

static size_t slots_used(void)
{
    size_t n = 0;
    for (size_t i = 0; i < SLOTS; i++)
        n += slots[i].pending != NULL;
    return n;
}

/* Returns lengths of 1 byte to 2 KB, and sometimes of more than a chunk. */
static size_t random_length(uint64_t *seed)
{
    return below(seed, 500) ? 1 + below(seed, 2048) : 100000 + below(seed, 7001);
}

START_TEST(records_keep_their_bytes_until_they_are_dropped)
{
    struct kept k = {0};
    uint64_t seed = 5;
    for (int i = 0; i < STEPS; i++) {
        struct slot *s = &slots[below(&seed, SLOTS)];
        if (s->pending)
            slot_drop(&k, s);
        else
            slot_take(&k, s, random_length(&seed));
        if (i % 1000 == 0) ck_assert_uint_eq(k.n, slots_used());
    }
    for (size_t i = 0; i < SLOTS; i++)
        if (slots[i].pending) slot_drop(&k, &slots[i]);
    ck_assert_uint_eq(k.n, 0);
    ck_assert_uint_le(k.bytes, 200000); /* of the last chunk */
    kept_free(&k);
}
END_TEST

START_TEST(records_that_are_dropped_in_order_need_no_more_memory)
{
    struct kept k = {0};
    size_t most = 0;
    for (size_t i = 0; i < 100 * SLOTS; i++) {
        struct slot *s = &slots[i % SLOTS];
        if (s->pending) slot_drop(&k, s);
        slot_take(&k, s, 100);
        if (k.bytes > most) most = k.bytes;
    }
    /* 700 records of 116 bytes lie in at most three chunks, and one more grows. */
    ck_assert_uint_le(most, 4 * (size_t)KEPT_CHUNK);
    kept_free(&k);
    memset(slots, 0, sizeof slots);
}
END_TEST

START_TEST(one_late_record_holds_only_its_chunk)
{
    struct kept k = {0};
    slot_take(&k, &slots[0], 100);
    for (int i = 0; i < 10000; i++) {
        slot_take(&k, &slots[1], 1000);
        slot_drop(&k, &slots[1]);
    }
    ck_assert_uint_le(k.bytes, 2 * (size_t)KEPT_CHUNK);
    slot_drop(&k, &slots[0]);
    kept_free(&k);
}
END_TEST

LEAT_SUITE("kept", records_keep_their_bytes_until_they_are_dropped,
           records_that_are_dropped_in_order_need_no_more_memory,
           one_late_record_holds_only_its_chunk)
