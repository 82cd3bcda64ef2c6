/* test_libsvm.c -- the libsvm kernel against a naive reader (naive_libsvm.h), and by example.
 *
 * Each record ends at the end of a heap block, to catch reads past it. It also has other text
 * behind it, which must not matter. */
#include <inttypes.h>
#include <stdio.h>

#include "support/naive_libsvm.h"
#include "support/suite.h"
#include "support/random.h"
#include "support/sparse_text.h"

#define ENTRIES 512

static struct naive expect;

static struct got {
    enum libsvm_status status;
    struct libsvm_row row;
    uint64_t id[ENTRIES];
    float value[ENTRIES];
    char name[ENTRIES][64]; /* "" if it has no name */
    char qid[NAIVE_MAX];
    size_t at, at_len;
} got;

static void take_name(void *self, size_t entry, const char *name, size_t len)
{
    struct got *g = self;
    ck_assert_uint_lt(entry, ENTRIES);
    ck_assert_uint_lt(len, sizeof g->name[0]);
    memcpy(g->name[entry], name, len);
    g->name[entry][len] = 0;
}

/* Texts behind a record in memory. They would continue the record if its end were ignored. */
static const char *const behind[] = {"",
                                     "7 8:1 9:0.25 10:1 11:0.125 12:1",
                                     ".5 8:1 9:0.25 10:1 11:0.125 12:1",
                                     " 8:1 9:0.25 10:1 11:0.125 12:1 13:1",
                                     ":1 8:1 9:0.25 10:1 11:0.125 12:1",
                                     "77777777777777777777777777777777"};
#define BEHIND (sizeof behind / sizeof *behind)

/* Parses `text` with `more` readable behind it. */
static void parse(const char *text, const char *more, bool names, size_t cap)
{
    size_t len = strlen(text), slack = strlen(more);
    char *block = malloc(len + slack + !len);
    memcpy(block, text, len);
    memcpy(block + len, more, slack);
    for (size_t i = 0; i < ENTRIES; i++)
        got.name[i][0] = 0;
    got.row = (struct libsvm_row){.id = got.id,
                                  .value = got.value,
                                  .cap = cap,
                                  .self = &got,
                                  .name = names ? take_name : NULL};
    got.status = libsvm_parse(block, block + len, block + len + slack, &got.row);
    got.qid[0] = 0;
    if (got.row.qid) {
        memcpy(got.qid, got.row.qid, got.row.qid_len);
        got.qid[got.row.qid_len] = 0;
    }
    got.at = got.row.at ? (size_t)(got.row.at - block) : 0;
    got.at_len = got.row.at_len;
    free(block);
}

static void same_entries(const char *text)
{
    ck_assert_msg(got.row.n == expect.n, "'%s': %zu entries, naive %zu", text, got.row.n, expect.n);
    for (size_t i = 0; i < expect.n; i++) {
        ck_assert_msg(got.id[i] == expect.id[i], "'%s': entry %zu is %" PRIu64 ", naive %" PRIu64,
                      text, i, got.id[i], expect.id[i]);
        ck_assert_msg(memcmp(&got.value[i], &expect.value[i], sizeof(float)) == 0,
                      "'%s': entry %zu is worth %.9g, naive %.9g", text, i, (double)got.value[i],
                      (double)expect.value[i]);
        ck_assert_msg(!got.name[i][0] == !expect.named[i], "'%s': entry %zu", text, i);
    }
}

static void agree(const char *text, bool names, size_t cap)
{
    naive_parse(text, strlen(text), names, cap, &expect);
    for (size_t k = 0; k < BEHIND; k++) {
        parse(text, behind[k], names, cap);
        ck_assert_msg(got.status == expect.status, "'%s': status %d, naive %d", text, got.status,
                      expect.status);
        if (expect.status == LIBSVM_NOTHING) continue;
        if (expect.status != LIBSVM_OK) {
            ck_assert_msg(got.at == expect.at, "'%s': wrong at %zu, naive %zu", text, got.at,
                          expect.at);
            ck_assert_uint_le(got.at + got.at_len, strlen(text));
            continue;
        }
        ck_assert_msg(got.row.label == expect.label, "'%s': label %g, naive %g", text,
                      got.row.label, expect.label);
        ck_assert_msg(!got.row.qid == !expect.qid[0], "'%s'", text);
        ck_assert_str_eq(got.qid, expect.qid);
        same_entries(text);
    }
}

static uint64_t state;

/* A sound record of up to 24 entries. */
static void sound_record(char *out)
{
    out += sparse_number(&state, out);
    for (unsigned n = below(&state, 25); n; n--) {
        out += sprintf(out, "%s", below(&state, 20) ? " " : " \t ");
        out += sparse_index(&state, out);
        *out++ = ':';
        out += sparse_number(&state, out);
    }
    strcpy(out, (const char *const[]){"", "", "", " ", "\t", "\r\n", " # c 1:2",
                                      "#c"}[below(&state, 8)]);
}

START_TEST(sound_records_read_as_the_naive_reader_reads_them)
{
    char text[2048];
    state = seed_given();
    for (int i = 0; i < 6000; i++) {
        sound_record(text);
        agree(text, false, ENTRIES);
        ck_assert_msg(got.status == LIBSVM_OK, "'%s'", text);
    }
}
END_TEST

START_TEST(spoiled_records_are_refused_where_the_naive_reader_refuses_them)
{
    char text[2048];
    size_t refused = 0, n = 12000;
    state = seed_given();
    for (size_t i = 0; i < n; i++) {
        sound_record(text);
        sparse_spoil(&state, "0123456789 :.-+e#\tqx1: \x80nif\r", text);
        agree(text, i % 2, i % 7 ? ENTRIES : below(&state, 25));
        refused += got.status > LIBSVM_NOTHING;
    }
    ck_assert_uint_gt(refused, n / 10); /* both outcomes must have been met */
    ck_assert_uint_lt(refused, n * 9 / 10);
}
END_TEST

START_TEST(every_cut_of_a_record_reads_as_the_naive_reader_reads_it)
{
    static const char whole[] =
        "-1.5 qid:7 3:0.167071 12345678:1 9:-0.5 18446744073709551615:2e-3 name:4 c#:1 :# x";
    char text[sizeof whole];
    for (size_t n = 0; n < sizeof whole; n++) {
        memcpy(text, whole, n);
        text[n] = 0;
        agree(text, true, ENTRIES);
        agree(text, false, ENTRIES);
    }
}
END_TEST

static void one(const char *entry, bool names, uint64_t id, float value)
{
    char text[256];
    snprintf(text, sizeof text, "1 %s", entry);
    agree(text, names, ENTRIES);
    ck_assert_msg(got.status == LIBSVM_OK && got.row.n == 1, "'%s'", text);
    ck_assert_msg(got.id[0] == id && got.value[0] == value, "'%s'", text);
}

START_TEST(numbers_keep_their_value_in_every_shape)
{
    one("1:1", false, 1, 1);
    one("0:0", false, 0, 0);
    one("7:0.167071", false, 7, 0.167071f);
    one("7:-0.00081", false, 7, -0.00081f);
    one("1234567:0.5", false, 1234567, 0.5f);
    one("12345678:9.1234567", false, 12345678, 9.1234567f);
    one("12345678:-9.12345678", false, 12345678, -9.12345678f);
    one("3:1.17549435e-38", false, 3, 1.17549435e-38f);
    one("3:1e-46", false, 3, 0);
    one("3:3.4028234e38", false, 3, 3.4028234e38f);
    one("18446744073709551615:+1", false, UINT64_MAX, 1);
    one("0007:10", false, 7, 10);
    one("5:.5", false, 5, .5f);
    one("5:5.", false, 5, 5);
    one("5:1#a:b", false, 5, 1);
}
END_TEST

START_TEST(labels_are_any_finite_decimal)
{
    static const struct {
        const char *text;
        double label;
    } cases[] = {{"+1 1:1", 1},    {"-1 1:1", -1},  {"1.0 1:1", 1}, {"0", 0},
                 {"  4.5\t", 4.5}, {"2e3#x", 2000}, {"-0", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        agree(cases[i].text, false, ENTRIES);
        ck_assert_int_eq(got.status, LIBSVM_OK);
        ck_assert_msg(got.row.label == cases[i].label, "'%s'", cases[i].text);
    }
}
END_TEST

START_TEST(blank_and_comment_lines_hold_nothing)
{
    static const char *const texts[] = {"",      " ",  "\t  ",  "#", "# 1 1:1",
                                        "  # x", "\r", " \r\n", "\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        agree(texts[i], i % 2, ENTRIES);
        ck_assert_msg(got.status == LIBSVM_NOTHING, "'%s'", texts[i]);
    }
}
END_TEST

START_TEST(repeated_and_descending_indexes_are_kept)
{
    agree("1 5:1 5:2 3:4 5:1", false, ENTRIES);
    ck_assert_uint_eq(got.row.n, 4);
    ck_assert(got.id[0] == 5 && got.id[1] == 5 && got.id[2] == 3 && got.id[3] == 5);
}
END_TEST

START_TEST(names_end_at_the_last_colon_and_count_one_without)
{
    one("a", true, XXH3_64bits("a", 1), 1);
    one("a:2", true, XXH3_64bits("a", 1), 2);
    one("a:b:2.5", true, XXH3_64bits("a:b", 3), 2.5f);
    one("7:8:9", true, XXH3_64bits("7:8", 3), 9);
    one("c#:3", true, XXH3_64bits("c#", 2), 3);
    one("c#", true, XXH3_64bits("c#", 2), 1);
    one("-1:3", true, XXH3_64bits("-1", 2), 3);
    one("18446744073709551616:3", true, XXH3_64bits("18446744073709551616", 20), 3);
    one("7", true, 7, 1);
    agree("1 3:1 sergeant:2 4:1 at_arms # x", true, ENTRIES);
    ck_assert_uint_eq(got.row.n, 4);
    ck_assert_str_eq(got.name[0], "");
    ck_assert_str_eq(got.name[1], "sergeant");
    ck_assert_str_eq(got.name[2], "");
    ck_assert_str_eq(got.name[3], "at_arms");
}
END_TEST

START_TEST(qid_is_kept_aside)
{
    agree("2 qid:17 1:1 2:0.5", false, ENTRIES);
    ck_assert_str_eq(got.qid, "17");
    ck_assert_uint_eq(got.row.n, 2);
    agree("2 1:1 qid:a:b#c", true, ENTRIES);
    ck_assert_str_eq(got.qid, "a:b");
    ck_assert_uint_eq(got.row.n, 1);
}
END_TEST

START_TEST(errors_say_what_and_where)
{
    static const struct {
        const char *text;
        enum libsvm_status status;
        size_t at, len;
        bool names;
    } cases[] = {{"x 1:1", LIBSVM_LABEL, 0, 1, false},
                 {" 1:1 2:1", LIBSVM_LABEL, 1, 3, false},
                 {"1,2 1:1", LIBSVM_LABEL, 0, 3, false},
                 {"0x1 1:1", LIBSVM_LABEL, 0, 3, false},
                 {"nan 1:1", LIBSVM_LABEL_NONFINITE, 0, 3, false},
                 {"1e39", LIBSVM_LABEL_NONFINITE, 0, 4, false},
                 {"1 2:", LIBSVM_VALUE, 4, 0, false},
                 {"1 2:x", LIBSVM_VALUE, 4, 1, false},
                 {"1 2:1x 3:1", LIBSVM_VALUE, 4, 2, false},
                 {"1 2:0x1", LIBSVM_VALUE, 4, 3, false},
                 {"1 2: 5", LIBSVM_VALUE, 4, 0, false},
                 {"1 2:1,5", LIBSVM_VALUE, 4, 3, false},
                 {"1 2:NaN", LIBSVM_VALUE_NONFINITE, 4, 3, false},
                 {"1 1:1 2:-inf", LIBSVM_VALUE_NONFINITE, 8, 4, false},
                 {"1 2:1e39", LIBSVM_VALUE_NONFINITE, 4, 4, false},
                 {"1 2:1e999", LIBSVM_VALUE_NONFINITE, 4, 5, false},
                 {"1 pay:2", LIBSVM_NAME, 2, 3, false},
                 {"1 -3:2", LIBSVM_NAME, 2, 2, false},
                 {"1 1.5:2", LIBSVM_NAME, 2, 3, false},
                 {"1 1:1 18446744073709551616:1", LIBSVM_NAME, 6, 20, false},
                 {"1 5", LIBSVM_NO_COLON, 2, 1, false},
                 {"1 pay 1:1", LIBSVM_NO_COLON, 2, 3, false},
                 {"1 :5", LIBSVM_NO_NAME, 2, 2, false},
                 {"1 :5", LIBSVM_NO_NAME, 2, 2, true},
                 {"1 a:", LIBSVM_VALUE, 4, 0, true},
                 {"1 a:b", LIBSVM_VALUE, 4, 1, true},
                 {"1 a:nan", LIBSVM_VALUE_NONFINITE, 4, 3, true},
                 {"1 qid:", LIBSVM_VALUE, 6, 0, true},
                 {"1 1:0.5#a:b 2:x", LIBSVM_OK, 0, 0, false},
                 {"1 a:1#b:c", LIBSVM_VALUE, 8, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        agree(cases[i].text, cases[i].names, ENTRIES);
        ck_assert_msg(got.status == cases[i].status, "'%s': %d", cases[i].text, got.status);
        if (got.status == LIBSVM_OK) continue;
        ck_assert_msg(got.at == cases[i].at && got.at_len == cases[i].len, "'%s': %zu, %zu",
                      cases[i].text, got.at, got.at_len);
    }
}
END_TEST

START_TEST(a_record_with_more_entries_than_room_is_refused_and_writes_no_further)
{
    static const char text[] = "1 1:1 2:0.5 333333333333:7 name:1 5:1";
    for (size_t cap = 0; cap <= 5; cap++) {
        memset(got.id, 0xee, sizeof got.id);
        agree(text, true, cap);
        ck_assert_int_eq(got.status, cap < 5 ? LIBSVM_FULL : LIBSVM_OK);
        ck_assert(got.id[cap] == UINT64_C(0xeeeeeeeeeeeeeeee));
    }
}
END_TEST

LEAT_SUITE("libsvm", sound_records_read_as_the_naive_reader_reads_them,
           spoiled_records_are_refused_where_the_naive_reader_refuses_them,
           every_cut_of_a_record_reads_as_the_naive_reader_reads_it,
           numbers_keep_their_value_in_every_shape, labels_are_any_finite_decimal,
           blank_and_comment_lines_hold_nothing, repeated_and_descending_indexes_are_kept,
           names_end_at_the_last_colon_and_count_one_without, qid_is_kept_aside,
           errors_say_what_and_where,
           a_record_with_more_entries_than_room_is_refused_and_writes_no_further)
