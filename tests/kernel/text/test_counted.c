/* test_counted.c -- counted records are found wherever the text ends. */
#include "support/suite.h"
#include "core/mix64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/text/counted.h"

enum { RECORDS = 200, MAX_LEN = 300, TEXT = RECORDS * (MAX_LEN + COUNTED_HEAD) };

/* Writes a record as a sender does, by snprintf or shifts. */
static size_t put(enum counted_kind kind, char *to, const char *record, size_t n)
{
    size_t head = 4;
    for (int i = 0; i < 4; i++)
        to[i] = (char)(n >> (24 - 8 * i));
    if (kind == COUNTED_OCTETS) head = (size_t)sprintf(to, "%zu ", n);
    memcpy(to + head, record, n);
    return head + n;
}

/* Each prefix is a separate copy, so that a sanitizer sees every read past it. */
static enum counted_result next(enum counted_kind kind, size_t max, const char *p, size_t n,
                                struct counted_cut *cut)
{
    char *copy = malloc(n + !n);
    memcpy(copy, p, n);
    enum counted_result what = counted_next(kind, max, copy, n, cut);
    free(copy);
    return what;
}

static void try_all(enum counted_kind kind)
{
    static char text[TEXT], record[MAX_LEN];
    size_t len[RECORDS], n = 0, at = 0, have = 0;
    for (size_t i = 0; i < sizeof record; i++)
        record[i] = (char)mix64(i);
    for (int k = 0; k < RECORDS; k++) {
        len[k] = mix64((uint64_t)k) % MAX_LEN + (kind == COUNTED_OCTETS);
        n += put(kind, text + n, record, len[k]);
    }
    for (int k = 0; k < RECORDS;) {
        struct counted_cut cut;
        enum counted_result what = next(kind, MAX_LEN, text + at, have - at, &cut);
        if (what == COUNTED_MORE) {
            ck_assert_uint_lt(have++, n);
            continue;
        }
        ck_assert_int_eq(what, COUNTED_RECORD);
        ck_assert_uint_eq(cut.len, len[k++]);
        ck_assert_mem_eq(text + at + cut.head, record, cut.len);
        at += cut.head + cut.len;
        ck_assert_uint_eq(at, have); /* found with its last byte */
    }
    ck_assert_uint_eq(at, n);
}

START_TEST(records_are_found_with_their_last_byte)
{
    try_all(COUNTED_LENGTH);
    try_all(COUNTED_OCTETS);
}
END_TEST

START_TEST(a_record_that_is_too_long_is_known_by_its_head)
{
    struct counted_cut cut;
    ck_assert_int_eq(next(COUNTED_OCTETS, 99, "100 ", 4, &cut), COUNTED_LONG);
    ck_assert_uint_eq(cut.len, 100);
    ck_assert_uint_eq(cut.head, 4);
    ck_assert_int_eq(next(COUNTED_OCTETS, 99, "9999999999 x", 12, &cut), COUNTED_LONG);
    ck_assert_uint_eq(cut.len, 9999999999);
    ck_assert_int_eq(next(COUNTED_LENGTH, 99, "\xff\xff\xff\xff", 4, &cut), COUNTED_LONG);
    ck_assert_uint_eq(cut.len, 0xffffffff);
    ck_assert_int_eq(next(COUNTED_LENGTH, 99, "\0\0\0\x64", 4, &cut), COUNTED_LONG);
    ck_assert_int_eq(next(COUNTED_LENGTH, 100, "\0\0\0\x64", 4, &cut), COUNTED_MORE);
    ck_assert_uint_eq(cut.head, 4);
}
END_TEST

START_TEST(what_is_no_octet_count_is_wrong_at_its_first_wrong_byte)
{
    static const char *const wrong[] = {"<34>1", "0 ",   "01 a",        " 1 a", "1x",
                                        "12\n",  "-1 a", "12345678901", "\xff"};
    struct counted_cut cut;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(next(COUNTED_OCTETS, 99, wrong[i], strlen(wrong[i]), &cut), COUNTED_WRONG);
    ck_assert_int_eq(next(COUNTED_OCTETS, 99, "1234567890", 10, &cut), COUNTED_MORE);
    ck_assert_uint_eq(cut.head, 0);
    ck_assert_int_eq(next(COUNTED_OCTETS, 99, "", 0, &cut), COUNTED_MORE);
    ck_assert_int_eq(next(COUNTED_LENGTH, 99, "\0\0\0", 3, &cut), COUNTED_MORE);
}
END_TEST

LEAT_SUITE("counted", records_are_found_with_their_last_byte,
           a_record_that_is_too_long_is_known_by_its_head,
           what_is_no_octet_count_is_wrong_at_its_first_wrong_byte)
