/* test_libffm.c -- the libffm kernel against a naive reader (naive_libffm.h), and by example.
 *
 * Each record ends at the end of a heap block, to catch reads past it. */
#include <inttypes.h>
#include <stdio.h>

#include "support/naive_libffm.h"
#include "support/random.h"
#include "support/sparse_text.h"
#include "support/suite.h"

#define ENTRIES 512

static struct naive_libffm expect;

static struct got {
    enum libffm_status status;
    struct libffm_row row;
    uint64_t id[ENTRIES];
    float value[ENTRIES];
    char name[ENTRIES][64];
    size_t at, at_len;
} got;

static void take_name(void *self, size_t entry, const char *name, size_t len)
{
    struct got *g = self;
    ck_assert_uint_lt(entry, ENTRIES);
    snprintf(g->name[entry], sizeof g->name[entry], "%.*s", (int)len, name);
}

static void parse(const char *text, size_t cap)
{
    size_t len = strlen(text);
    char *block = malloc(len + !len);
    memcpy(block, text, len);
    got.row = (struct libffm_row){
        .id = got.id, .value = got.value, .cap = cap, .self = &got, .name = take_name};
    got.status = libffm_parse(block, block + len, &got.row);
    got.at = got.row.at ? (size_t)(got.row.at - block) : 0;
    got.at_len = got.row.at_len;
    free(block);
}

static void same_entries(const char *text)
{
    ck_assert_uint_eq(got.row.n, expect.n);
    for (size_t i = 0; i < expect.n; i++) {
        char field[64], index[64];
        ck_assert_int_eq(sscanf(got.name[i], "%63[0-9]:%63[0-9]", field, index), 2);
        ck_assert_msg(strtoull(field, NULL, 10) == expect.field[i] &&
                          strtoull(index, NULL, 10) == expect.index[i],
                      "'%s': entry %zu is %s", text, i, got.name[i]);
        ck_assert(got.id[i] == libffm_id(expect.field[i], expect.index[i]));
        ck_assert(memcmp(&got.value[i], &expect.value[i], sizeof(float)) == 0);
    }
}

static void agree(const char *text, size_t cap)
{
    naive_libffm_parse(text, strlen(text), cap, &expect);
    parse(text, cap);
    ck_assert_msg(got.status == expect.status, "'%s': status %d, naive %d", text, got.status,
                  expect.status);
    if (got.status == LIBFFM_OK) {
        ck_assert(got.row.label == expect.label);
        same_entries(text);
    } else if (got.status != LIBFFM_NOTHING) {
        ck_assert_msg(got.at == expect.at, "'%s': wrong at %zu, naive %zu", text, got.at,
                      expect.at);
        ck_assert_uint_le(got.at + got.at_len, strlen(text));
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
        out += sparse_index(&state, out);
        *out++ = ':';
        out += sparse_number(&state, out);
    }
    strcpy(out, (const char *const[]){"", "", " ", "\t", "\r\n"}[below(&state, 5)]);
}

START_TEST(sound_records_read_as_the_naive_reader_reads_them)
{
    char text[NAIVE_LIBFFM_MAX];
    state = seed_given();
    for (int i = 0; i < 6000; i++) {
        sound_record(text);
        agree(text, ENTRIES);
        ck_assert_msg(got.status == LIBFFM_OK, "'%s'", text);
    }
}
END_TEST

START_TEST(spoiled_records_are_refused_where_the_naive_reader_refuses_them)
{
    char text[NAIVE_LIBFFM_MAX];
    size_t refused = 0, n = 12000;
    state = seed_given();
    for (size_t i = 0; i < n; i++) {
        sound_record(text);
        sparse_spoil(&state, "0123 ::.-+e\tx \x80nif\r", text);
        agree(text, i % 7 ? ENTRIES : below(&state, 25));
        refused += got.status > LIBFFM_NOTHING;
    }
    ck_assert_uint_gt(refused, n / 10); /* both outcomes must have been met */
    ck_assert_uint_lt(refused, n * 9 / 10);
}
END_TEST

START_TEST(every_cut_of_a_record_reads_as_the_naive_reader_reads_it)
{
    static const char whole[] = "-1.5 1:3:0.167071 0:12345678:1\t18446744073709551615:2:-2e-3 ";
    char text[sizeof whole];
    for (size_t n = 0; n < sizeof whole; n++) {
        memcpy(text, whole, n);
        text[n] = 0;
        agree(text, ENTRIES);
    }
}
END_TEST

START_TEST(a_feature_is_the_pair_of_its_field_and_its_index)
{
    agree("1 1:2:1 2:1:1 1:12:1 11:2:1 01:02:0.5", ENTRIES);
    ck_assert_uint_eq(got.row.n, 5);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            ck_assert(got.id[i] != got.id[j]);
    ck_assert(got.id[4] == got.id[0] && got.value[4] == 0.5f);
    ck_assert_str_eq(got.name[2], "1:12");
}
END_TEST

START_TEST(ids_never_change)
{
    ck_assert_uint_eq(libffm_id(0, 0), UINT64_C(7699491724411881829));
    ck_assert_uint_eq(libffm_id(1, 2), UINT64_C(17369606939214047198));
    ck_assert_uint_eq(libffm_id(2, 1), UINT64_C(2066310344039617605));
}
END_TEST

START_TEST(blank_lines_hold_nothing)
{
    static const char *const texts[] = {"", " ", "\t  ", "\r", " \r\n", "\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        agree(texts[i], ENTRIES);
        ck_assert_msg(got.status == LIBFFM_NOTHING, "'%s'", texts[i]);
    }
}
END_TEST

START_TEST(errors_say_what_and_where)
{
    static const struct {
        const char *text;
        enum libffm_status status;
        size_t at, len;
    } cases[] = {{"x 1:1:1", LIBFFM_LABEL, 0, 1},
                 {" 1:1:1 2", LIBFFM_LABEL, 1, 5},
                 {"nan 1:1:1", LIBFFM_LABEL_NONFINITE, 0, 3},
                 {"1e39", LIBFFM_LABEL_NONFINITE, 0, 4},
                 {"1 a:1:1", LIBFFM_FIELD, 2, 5},
                 {"1 17", LIBFFM_FIELD, 2, 2},
                 {"1 -1:1:1", LIBFFM_FIELD, 2, 6},
                 {"1 18446744073709551616:1:1", LIBFFM_FIELD, 2, 24},
                 {"1 3:0.5 4:1", LIBFFM_INDEX, 4, 3},
                 {"1 3:x:1", LIBFFM_INDEX, 4, 3},
                 {"1 3::1", LIBFFM_INDEX, 4, 2},
                 {"1 3:5", LIBFFM_INDEX, 4, 1},
                 {"1 3:5:", LIBFFM_VALUE, 6, 0},
                 {"1 3:5:1:2 7", LIBFFM_VALUE, 6, 3},
                 {"1 3:5:x", LIBFFM_VALUE, 6, 1},
                 {"1 3:5:1#", LIBFFM_VALUE, 6, 2},
                 {"1 3:5:inf", LIBFFM_VALUE_NONFINITE, 6, 3},
                 {"1 3:5:1e39 3:5:1", LIBFFM_VALUE_NONFINITE, 6, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        agree(cases[i].text, ENTRIES);
        ck_assert_msg(got.status == cases[i].status, "'%s': %d", cases[i].text, got.status);
        ck_assert_msg(got.at == cases[i].at && got.at_len == cases[i].len, "'%s': %zu, %zu",
                      cases[i].text, got.at, got.at_len);
    }
}
END_TEST

START_TEST(a_record_with_more_entries_than_room_is_refused_and_writes_no_further)
{
    for (size_t cap = 0; cap <= 3; cap++) {
        memset(got.id, 0xee, sizeof got.id);
        agree("1 1:1:1 2:2:0.5 3:333333333333:7", cap);
        ck_assert_int_eq(got.status, cap < 3 ? LIBFFM_FULL : LIBFFM_OK);
        ck_assert(got.id[cap] == UINT64_C(0xeeeeeeeeeeeeeeee));
    }
}
END_TEST

LEAT_SUITE("libffm", sound_records_read_as_the_naive_reader_reads_them,
           spoiled_records_are_refused_where_the_naive_reader_refuses_them,
           every_cut_of_a_record_reads_as_the_naive_reader_reads_it,
           a_feature_is_the_pair_of_its_field_and_its_index, ids_never_change,
           blank_lines_hold_nothing, errors_say_what_and_where,
           a_record_with_more_entries_than_room_is_refused_and_writes_no_further)
