/* test_states.c -- states of partitions as messages.
 *
 * Whichever messages arrive, in any order, late or damaged: the state found was written completely,
 * and has the largest offset. */
#include "kafka/states/states.c"

#include "support/suite.h"

enum { MAX_STATE = 4000 };

struct written {
    char key[40][STATES_KEY];
    size_t key_len[40], n[40];
    unsigned char *value[40];
    uint32_t parts;
};

static char NAME[STATES_KEY];
static const struct last_message LAST = {4, -1, 99};

static void fill(unsigned char *state, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++)
        state[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
}

/* A state of n bytes in parts of at most max_part. */
static struct written *write_state(uint32_t slot, int64_t next, uint64_t checkpoint, uint32_t seed,
                                   size_t n, size_t max_part)
{
    struct written *w = calloc(1, sizeof *w);
    unsigned char state[MAX_STATE];
    fill(state, n, seed);
    struct states_header h = {.parts = (uint32_t)((n + max_part - 1) / max_part),
                              .next = next,
                              .checkpoint = checkpoint,
                              .bytes = n};
    h.hash = states_hash(state, n);
    size_t each = (n + h.parts - 1) / h.parts;
    for (w->parts = h.parts; h.part < h.parts; h.part++) {
        uint32_t k = h.part;
        size_t len = k + 1 < h.parts ? each : n - k * each;
        w->value[k] = malloc(STATES_HEADER + len);
        states_put_header(w->value[k], &h, state + k * each, len);
        memcpy(w->value[k] + STATES_HEADER, state + k * each, len);
        w->n[k] = STATES_HEADER + len;
        w->key_len[k] = states_key(w->key[k], NAME, slot, k);
    }
    return w;
}

static void free_written(struct written *w)
{
    for (uint32_t k = 0; k < w->parts; k++)
        free(w->value[k]);
    free(w);
}

static enum states_result give(struct states *s, const struct written *w, uint32_t k)
{
    uint32_t which;
    return states_take(s, w->key[k], w->key_len[k], w->value[k], w->n[k], &which);
}

static int holds(const struct states *s, uint32_t seed, size_t n, int64_t next)
{
    unsigned char state[MAX_STATE];
    const struct states_found *o = states_find(s, NAME);
    fill(state, n, seed);
    return o && o->n == n && o->next == next && !memcmp(o->bytes, state, n);
}

static void set_up(void) { states_name(NAME, "pipeline", "group", "topic", 3); }

START_TEST(a_state_in_any_number_of_parts_and_any_order_comes_back)
{
    set_up();
    for (size_t n = 1; n < MAX_STATE; n = n * 3 + 1)
        for (size_t max_part = n / 37 + 1; max_part < 2 * n + 2; max_part = max_part * 2 + 1) {
            struct states s = {0};
            struct written *w = write_state(1, 5, 2, 7, n, max_part);
            for (uint32_t k = 0; k < w->parts; k++) {
                ck_assert(!holds(&s, 7, n, 5));
                uint32_t turn =
                    (k * 7 + 3) % w->parts; /* 7 and parts may share a factor: then some twice */
                give(&s, w, turn);
                give(&s, w, turn);
            }
            for (uint32_t k = w->parts; k-- > 0 && !holds(&s, 7, n, 5);)
                give(&s, w, k);
            ck_assert(holds(&s, 7, n, 5));
            free_written(w);
            states_free(&s);
        }
}
END_TEST

START_TEST(what_is_sent_comes_back_and_the_one_before_stays_whole_until_then)
{
    unsigned char first[MAX_STATE], second[MAX_STATE], value[STATES_HEADER + MAX_STATE];
    char key[STATES_KEY];
    size_t key_len, len;
    uint32_t which;
    set_up();
    fill(first, MAX_STATE, 1);
    fill(second, MAX_STATE, 2);
    for (size_t n = 1; n <= MAX_STATE; n = n * 2 + 1)
        for (size_t max_part = n / 50 + 1; max_part <= MAX_STATE; max_part = max_part * 2 + 1) {
            struct states s = {0};
            struct states_out out;
            states_begin(&out, NAME, 0, 5, &LAST, 1, first, n, max_part);
            uint32_t slot = out.slot;
            while (states_next(&out, key, &key_len, value, &len)) {
                ck_assert_uint_le(len, STATES_HEADER + max_part);
                ck_assert(!holds(&s, 1, n, 5));
                states_take(&s, key, key_len, value, len, &which);
            }
            states_begin(&out, NAME, slot, 6, &LAST, 2, second, n, max_part);
            while (states_next(&out, key, &key_len, value, &len)) {
                ck_assert(holds(&s, 1, n, 5));
                states_take(&s, key, key_len, value, len, &which);
            }
            ck_assert(holds(&s, 2, n, 6));
            ck_assert_uint_eq(s.v[0].slot, states_slot(slot, n, max_part));
            if (max_part < n) ck_assert_uint_ne(s.v[0].slot, slot);
            states_free(&s);
        }
}
END_TEST

START_TEST(the_furthest_state_wins_whatever_came_last)
{
    struct states s = {0};
    set_up();
    struct written *a = write_state(0, 50, 3, 1, 900, 1000),
                   *b = write_state(0, 40, 9, 2, 800, 1000),
                   *c = write_state(0, 60, 1, 3, 700, 1000);
    ck_assert_int_eq(give(&s, a, 0), STATES_CHANGED);
    ck_assert_int_eq(give(&s, b, 0), STATES_UNCHANGED);
    ck_assert(holds(&s, 1, 900, 50));
    ck_assert_int_eq(give(&s, c, 0), STATES_CHANGED);
    ck_assert(holds(&s, 3, 700, 60));
    free_written(a);
    free_written(b);
    free_written(c);
    states_free(&s);
}
END_TEST

START_TEST(a_writer_that_dies_between_parts_has_spoilt_nothing)
{
    struct states s = {0};
    set_up();
    struct written *a = write_state(0, 50, 3, 1, 900, 100), *b = write_state(1, 60, 4, 2, 900, 100),
                   *c = write_state(1, 60, 5, 4, 950, 100);
    for (uint32_t k = 0; k < a->parts; k++)
        give(&s, a, k);
    for (uint32_t k = 0; k < b->parts - 1; k++)
        give(&s, b, k);
    ck_assert(holds(&s, 1, 900, 50));
    for (uint32_t k = 0; k < c->parts; k++) /* its successor, in the same slot */
        give(&s, c, k);
    ck_assert(holds(&s, 4, 950, 60));
    free_written(a);
    free_written(b);
    free_written(c);
    states_free(&s);
}
END_TEST

START_TEST(no_changed_bit_and_no_cut_is_taken_for_a_state)
{
    struct states s = {0};
    set_up();
    struct written *w = write_state(0, 50, 3, 1, 90, 1000);
    for (size_t bit = 0; bit < 8 * w->n[0]; bit++) {
        w->value[0][bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_int_eq(give(&s, w, 0), STATES_UNCHANGED);
        w->value[0][bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t n = 0, whole = w->n[0]; n < whole; n++) {
        w->n[0] = n;
        ck_assert_int_eq(give(&s, w, 0), STATES_UNCHANGED);
        w->n[0] = whole;
    }
    ck_assert_int_eq(give(&s, w, 0), STATES_CHANGED);
    free_written(w);
    states_free(&s);
}
END_TEST

START_TEST(a_part_that_claims_more_than_there_is_memory_takes_none)
{
    struct states s = {0};
    char key[STATES_KEY];
    unsigned char value[STATES_HEADER + 8] = {0};
    uint32_t which;
    states_name(NAME, "p", "g", "t", 3);
    struct states_header h = {.parts = 2, .next = 7, .bytes = 1ull << 60};
    for (h.part = 0; h.part < 2; h.part++) {
        size_t n = states_key(key, NAME, 0, h.part);
        states_put_header(value, &h, value + STATES_HEADER, 8);
        ck_assert_int_eq(states_take(&s, key, n, value, sizeof value, &which), STATES_UNCHANGED);
    }
    states_free(&s);
}
END_TEST

START_TEST(other_keys_are_passed_over)
{
    static const char *const keys[] = {"",
                                       "x",
                                       "a\tb\tc\t1",
                                       "a\tb\tc\t1\t2.0",
                                       "a\tb\t0.0",
                                       "a\tb\tc\t0.0",
                                       "a\tb\tc\t1\t1\t0.0",
                                       "a\tb\tc\t1\t0",
                                       "a\tb\tc\t1\t0.0x",
                                       "a\tb\tc\t1\t0.1",
                                       "a\tb\tc\t1\t-1.0"};
    struct states s = {0};
    uint32_t which;
    set_up();
    struct written *w = write_state(0, 50, 3, 1, 90, 1000);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        ck_assert_int_eq(states_take(&s, keys[k], strlen(keys[k]), w->value[0], w->n[0], &which),
                         STATES_UNCHANGED);
    ck_assert_int_eq(states_take(&s, NULL, 0, w->value[0], w->n[0], &which), STATES_UNCHANGED);
    ck_assert_int_eq(s.n, 0);
    free_written(w);
    states_free(&s);
}
END_TEST

START_TEST(a_record_without_a_value_takes_the_state_away)
{
    struct states s = {0};
    uint32_t which;
    set_up();
    struct written *w = write_state(0, 50, 3, 1, 90, 1000);
    give(&s, w, 0);
    ck_assert_int_eq(states_take(&s, w->key[0], w->key_len[0], NULL, 0, &which), STATES_CHANGED);
    ck_assert_int_eq(states_find(&s, NAME)->n, 0);
    ck_assert_int_eq(states_take(&s, w->key[0], w->key_len[0], NULL, 0, &which), STATES_UNCHANGED);
    ck_assert_int_eq(give(&s, w, 0), STATES_CHANGED);
    free_written(w);
    states_free(&s);
}
END_TEST

static bool none(void *to, const char *name) { return false; }

START_TEST(what_is_not_wanted_is_not_kept)
{
    struct states s = {.wanted = none};
    set_up();
    struct written *w = write_state(0, 50, 3, 1, 90, 1000);
    ck_assert_int_eq(give(&s, w, 0), STATES_UNCHANGED);
    ck_assert_int_eq(s.n, 0);
    free_written(w);
    states_free(&s);
}
END_TEST

LEAT_SUITE("states", a_state_in_any_number_of_parts_and_any_order_comes_back,
           what_is_sent_comes_back_and_the_one_before_stays_whole_until_then,
           the_furthest_state_wins_whatever_came_last,
           a_writer_that_dies_between_parts_has_spoilt_nothing,
           no_changed_bit_and_no_cut_is_taken_for_a_state,
           a_part_that_claims_more_than_there_is_memory_takes_none, other_keys_are_passed_over,
           a_record_without_a_value_takes_the_state_away, what_is_not_wanted_is_not_kept)
