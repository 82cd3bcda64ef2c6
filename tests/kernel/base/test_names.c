/* test_names.c -- names of features stay in their slots, and are cut only between characters. */
#include "support/suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/names.h"

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Decodes strictly enough for a cut to show: lead bytes followed by their continuation bytes. */
static bool whole_sequences(const char *t, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)t[i++];
        size_t more = c < 0x80             ? 0
                      : (c & 0xe0) == 0xc0 ? 1
                      : (c & 0xf0) == 0xe0 ? 2
                      : (c & 0xf8) == 0xf0 ? 3
                                           : 9;
        if (more > n - i) return false;
        while (more--)
            if (((unsigned char)t[i++] & 0xc0) != 0x80) return false;
    }
    return true;
}

static size_t random_text(uint64_t *s, char *out, size_t most)
{
    static const char *const part[] = {"a", "=", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8e\x88"};
    size_t n = 0, target = next(s) % most;
    while (n < target) {
        const char *p = part[next(s) % 5];
        if (n + strlen(p) > target) break;
        memcpy(out + n, p, strlen(p));
        n += strlen(p);
    }
    return n;
}

START_TEST(a_name_that_fits_is_kept_whole)
{
    char out[8];
    for (uint32_t n = 0; n <= 8; n++) {
        memset(out, 'x', sizeof out);
        ck_assert_uint_eq(name_cut("a\0cdefgh", n, 8, out), n);
        ck_assert(!memcmp(out, "a\0cdefgh", n));
    }
}
END_TEST

START_TEST(a_long_name_is_cut_at_a_sequence_and_ends_with_an_ellipsis)
{
    uint64_t s = 7;
    char text[300], out[300];
    int cut = 0;
    for (int k = 0; k < 100000; k++) {
        uint32_t max = 8 + (uint32_t)(next(&s) % 120);
        size_t len = random_text(&s, text, sizeof text);
        memset(out, '!', sizeof out);
        uint32_t n = name_cut(text, len, max, out);
        ck_assert_uint_le(n, max);
        ck_assert(out[max] == '!');
        ck_assert(whole_sequences(out, n));
        if (len <= max) continue;
        cut++;
        ck_assert(!memcmp(out + n - 3, "\xe2\x80\xa6", 3) && !memcmp(out, text, n - 3));
        ck_assert_uint_ge(n, max - 3); /* loses at most one sequence at the cut */
    }
    ck_assert_int_gt(cut, 10000);
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_cut_within_bounds_too)
{
    uint64_t s = 9;
    char text[64], out[64];
    for (int k = 0; k < 100000; k++) {
        uint32_t max = 8 + (uint32_t)(next(&s) % 40);
        size_t len = next(&s) % sizeof text;
        for (size_t i = 0; i < len; i++)
            text[i] = (char)(k % 2 ? next(&s) >> 56 : 0x80 | (next(&s) & 0x3f));
        memset(out, '!', sizeof out);
        uint32_t n = name_cut(text, len, max, out);
        ck_assert(n <= max && (max == 64 || out[max] == '!'));
        if (len > max) ck_assert_uint_ge(n, max - 3);
    }
}
END_TEST

START_TEST(slots_do_not_touch_each_other)
{
    enum { SLOTS = 37, BYTES = 11 };
    struct names n;
    void *block = calloc(1, names_block_bytes(SLOTS, names_room(SLOTS, BYTES)));
    char want[SLOTS][BYTES + 1] = {{0}};
    uint64_t s = 3;
    names_init(&n, SLOTS, BYTES, names_room(SLOTS, BYTES), block);
    for (int k = 0; k < 5000; k++) {
        uint32_t slot = (uint32_t)(next(&s) % SLOTS);
        if (k % 9 == 0) {
            names_set(&n, slot, "", 0);
            want[slot][0] = 0;
        } else {
            int len = snprintf(want[slot], sizeof want[slot], "%llu",
                               (unsigned long long)(next(&s) % 100000000000u));
            names_set(&n, slot, want[slot], (size_t)len);
        }
        for (uint32_t i = 0; i < SLOTS; i++) {
            size_t len;
            const char *got = names_get(&n, i, &len);
            ck_assert(len == strlen(want[i]) && !memcmp(got, want[i], len));
        }
    }
    free(block);
}
END_TEST

START_TEST(a_pool_gives_back_what_fitted_and_counts_the_rest)
{
    enum { CAP = 1000 };
    struct name_pool p;
    char *bytes = malloc(CAP), text[64], want[200][64];
    uint32_t number[200], kept = 0;
    uint64_t s = 2;
    name_pool_init(&p, bytes, CAP, 20);
    for (uint32_t k = 0; k < 200; k++) {
        size_t len = random_text(&s, text, 40);
        number[k] = name_pool_add(&p, text, len);
        uint32_t n = name_cut(text, len, 20, want[k]);
        want[k][n] = 0;
        kept += number[k] != 0;
    }
    ck_assert_uint_gt(kept, 40);
    ck_assert_uint_eq(p.dropped, 200 - kept);
    ck_assert_uint_le(p.used, CAP);
    for (uint32_t k = 0; k < 200; k++) {
        size_t len;
        const char *got = name_pool_get(&p, number[k], &len);
        ck_assert(!number[k] ? len == 0 : len == strlen(want[k]) && !memcmp(got, want[k], len));
    }
    free(bytes);
}
END_TEST

START_TEST(an_empty_pool_takes_no_name)
{
    struct name_pool p;
    size_t len;
    name_pool_init(&p, NULL, 0, 120);
    ck_assert_uint_eq(name_pool_add(&p, "a", 1), 0);
    name_pool_get(&p, 0, &len);
    ck_assert_uint_eq(len, 0);
}
END_TEST

START_TEST(a_list_gives_back_each_name_and_each_that_is_none)
{
    enum { N = 500 };
    static char want[N][64];
    static size_t len[N];
    uint64_t s = 4;
    struct name_list l = {0};
    for (int pass = 0; pass < 2; pass++) { /* the first pass measures */
        if (pass) {
            ck_assert_uint_eq(l.n, N);
            l = (struct name_list){.size = malloc(N * sizeof *l.size), .text = malloc(l.bytes)};
        }
        s = 4;
        for (int k = 0; k < N; k++) {
            len[k] = random_text(&s, want[k], sizeof want[k]);
            name_list_add(&l, k % 7 ? want[k] : NULL, len[k]);
        }
    }
    ck_assert(name_list_fits(&l));
    uint64_t at = 0;
    for (uint32_t k = 0; k < N; k++) {
        size_t n;
        const char *name = name_list_next(&l, k, &at, &n);
        ck_assert(k % 7 ? name && n == len[k] && !memcmp(name, want[k], n) : !name && !n);
    }
    ck_assert_uint_eq(at, l.bytes);
    l.size[1]++;
    ck_assert(!name_list_fits(&l));
    l.size[1] = UINT32_MAX;
    ck_assert(!name_list_fits(&l));
    free(l.size);
    free(l.text);
}
END_TEST

START_TEST(of_two_names_a_merge_takes_the_same_whichever_comes_first)
{
    static const char *const name[] = {"", "a", "ab", "b",
                                       "\xc3\xa9"}; /* in order of preference, except "" */
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            bool first = name_preferred(name[i], strlen(name[i]), name[j], strlen(name[j]));
            if (i == j) continue;
            ck_assert(first == (j == 0 || (i != 0 && i < j)));
        }
}
END_TEST

START_TEST(a_cleared_pool_gives_the_same_numbers_again)
{
    char bytes[64];
    struct name_pool p;
    name_pool_init(&p, bytes, sizeof bytes, 20);
    uint32_t a = name_pool_add(&p, "one", 3), b = name_pool_add(&p, "three", 5);
    while (name_pool_add(&p, "more", 4))
        ;
    name_pool_clear(&p);
    ck_assert_uint_eq(p.dropped, 0);
    ck_assert(name_pool_add(&p, "one", 3) == a && name_pool_add(&p, "three", 5) == b);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    static const char text[] = "\303\274berl\303\244nge", want[] = "\303\274ber\342\200\246";
    char out[8];
    ck_assert_uint_eq(strlen(text), 11);
    ck_assert_uint_eq(name_cut(text, 11, 8, out), 8);
    ck_assert_mem_eq(out, want, 8);
}
END_TEST

LEAT_SUITE("names", a_name_that_fits_is_kept_whole,
           a_long_name_is_cut_at_a_sequence_and_ends_with_an_ellipsis,
           bytes_that_are_no_utf8_are_cut_within_bounds_too, slots_do_not_touch_each_other,
           a_pool_gives_back_what_fitted_and_counts_the_rest, an_empty_pool_takes_no_name,
           a_list_gives_back_each_name_and_each_that_is_none,
           of_two_names_a_merge_takes_the_same_whichever_comes_first,
           a_cleared_pool_gives_the_same_numbers_again, the_example_of_the_header_is_what_happens)
