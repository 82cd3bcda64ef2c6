/* test_vw.c -- the kernel of VW's text against a naive reader (naive_vw.h), and by example.
 *
 * Each record ends at the end of a heap block, to catch reads past it. It also has other text
 * behind it, which must not matter. */
#include <inttypes.h>
#include <stdio.h>

#include "support/naive_vw.h"
#include "support/random.h"
#include "support/sparse_text.h"
#include "support/suite.h"

#define ENTRIES 512

static struct naive_vw expect;

static struct got {
    enum vw_status status;
    struct vw_row row;
    uint64_t id[ENTRIES];
    float value[ENTRIES];
    char name[ENTRIES][80]; /* "" if it has no name */
    char tag[NAIVE_VW_MAX];
    size_t at, at_len;
} got;

static void take_name(void *self, size_t entry, struct vw_text space, struct vw_text name)
{
    struct got *g = self;
    ck_assert_uint_lt(entry, ENTRIES);
    snprintf(g->name[entry], sizeof g->name[entry], "%.*s%s%.*s", (int)space.len, space.at,
             space.len ? "^" : "", (int)name.len, name.at);
}

/* Texts behind a record in memory. They would continue the record if its end were ignored. */
static const char *const behind[] = {
    "", "b:2 c", ":5 b c d e f", ".5 b c d e f", " b:1 c", "|b c d e f g", "77777777777777777777"};
#define BEHIND (sizeof behind / sizeof *behind)

/* Parses `text` with `more` readable behind it. */
static void parse(const char *text, const char *more, size_t cap)
{
    size_t len = strlen(text), slack = strlen(more);
    char *block = malloc(len + slack + !len);
    memcpy(block, text, len);
    memcpy(block + len, more, slack);
    for (size_t i = 0; i < ENTRIES; i++)
        got.name[i][0] = 0;
    got.row = (struct vw_row){
        .id = got.id, .value = got.value, .cap = cap, .self = &got, .name = take_name};
    got.status = vw_parse(block, block + len, block + len + slack, &got.row);
    memcpy(got.tag, got.row.tag.at, got.row.tag.len);
    got.tag[got.row.tag.len] = 0;
    got.at = got.row.wrong.at ? (size_t)(got.row.wrong.at - block) : 0;
    got.at_len = got.row.wrong.len;
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
        ck_assert_str_eq(got.name[i], expect.name[i]);
    }
}

static void agree(const char *text, size_t cap)
{
    naive_vw_parse(text, strlen(text), cap, &expect);
    for (size_t k = 0; k < BEHIND; k++) {
        parse(text, behind[k], cap);
        ck_assert_msg(got.status == expect.status, "'%s': status %d, naive %d", text, got.status,
                      expect.status);
        if (expect.status == VW_NOTHING) continue;
        if (expect.status != VW_OK) {
            ck_assert_msg(got.at == expect.at, "'%s': wrong at %zu, naive %zu", text, got.at,
                          expect.at);
            ck_assert_uint_le(got.at + got.at_len, strlen(text));
            continue;
        }
        ck_assert_msg(got.row.has_label == expect.has_label, "'%s'", text);
        if (expect.has_label) ck_assert(got.row.label == expect.label);
        ck_assert(got.row.importance == expect.importance && got.row.base == expect.base);
        ck_assert_str_eq(got.tag, expect.tag);
        same_entries(text);
    }
}

static uint64_t state;

static size_t random_name(char *out)
{
    static const char letters[] = "abcXYZ019_-=^.#'&/\xc3\xa9";
    size_t n = 1 + below(&state, below(&state, 8) ? 9 : 30);
    for (size_t i = 0; i < n; i++)
        out[i] = letters[below(&state, sizeof letters - 1)];
    return n;
}

static size_t random_head(char *out)
{
    char *p = out;
    unsigned words = below(&state, 4);
    for (unsigned i = 0; i < words; i++) {
        size_t n = sparse_number(&state, p);
        if (i == 1 && *p == '-') *p = '0';
        p += n;
        *p++ = ' ';
    }
    if (below(&state, 3)) return (size_t)(p - out);
    *p++ = '\'';
    p += random_name(p);
    if (below(&state, 2)) *p++ = ' ';
    return (size_t)(p - out);
}

static size_t random_space(char *out)
{
    char *p = out;
    *p++ = '|';
    if (below(&state, 3)) {
        p += random_name(p);
        if (!below(&state, 4)) {
            *p++ = ':';
            p += sparse_number(&state, p);
        }
    }
    for (unsigned n = below(&state, 9); n; n--) {
        p += sprintf(p, "%s", below(&state, 20) ? " " : " \t ");
        p += random_name(p);
        if (!below(&state, 2)) continue;
        *p++ = ':';
        p += sparse_number(&state, p);
    }
    if (!below(&state, 3)) *p++ = ' ';
    return (size_t)(p - out);
}

/* A sound record of up to five namespaces. */
static void sound_record(char *out)
{
    out += random_head(out);
    for (unsigned n = 1 + below(&state, 5); n; n--)
        out += random_space(out);
    strcpy(out, (const char *const[]){"", "", " ", "\t", "\r\n"}[below(&state, 5)]);
}

START_TEST(sound_records_read_as_the_naive_reader_reads_them)
{
    char text[NAIVE_VW_MAX];
    state = seed_given();
    for (int i = 0; i < 6000; i++) {
        sound_record(text);
        agree(text, ENTRIES);
        ck_assert_msg(got.status == VW_OK, "'%s': %d", text, got.status);
    }
}
END_TEST

START_TEST(spoiled_records_are_refused_where_the_naive_reader_refuses_them)
{
    char text[NAIVE_VW_MAX];
    size_t refused = 0, n = 12000;
    state = seed_given();
    for (size_t i = 0; i < n; i++) {
        sound_record(text);
        sparse_spoil(&state, "0123 :||.-+e'\tax: \x80nif\r", text);
        agree(text, i % 7 ? ENTRIES : below(&state, 25));
        refused += got.status > VW_NOTHING;
    }
    ck_assert_uint_gt(refused, n / 10); /* both outcomes must have been met */
    ck_assert_uint_lt(refused, n * 9 / 10);
}
END_TEST

START_TEST(every_cut_of_a_record_reads_as_the_naive_reader_reads_it)
{
    static const char whole[] = "-1.5 2 0.25 'tag-7|ns:0.5 feature_of_many_bytes:-2e-3 b|c d:1\t|"
                                " 17:2 18446744073709551615 18446744073709551616 x#:1|: |e:";
    char text[sizeof whole];
    for (size_t n = 0; n < sizeof whole; n++) {
        memcpy(text, whole, n);
        text[n] = 0;
        agree(text, ENTRIES);
    }
}
END_TEST

START_TEST(the_head_has_label_importance_base_and_tag)
{
    static const struct {
        const char *text;
        bool has_label;
        double label, importance, base;
        const char *tag;
    } cases[] = {{"1 |a b", true, 1, 1, 0, ""},
                 {"-1 0.5 |a b", true, -1, 0.5, 0, ""},
                 {"3.25 2 -0.5 |a b", true, 3.25, 2, -0.5, ""},
                 {"1 2 3 'x |a b", true, 1, 2, 3, "x"},
                 {"1 2 'x|a b", true, 1, 2, 0, "x"},
                 {"1 x|a b", true, 1, 1, 0, "x"},
                 {"1 2 77|a b", true, 1, 2, 0, "77"},
                 {"x|a b", false, 0, 1, 0, "x"},
                 {"'1|a b", false, 0, 1, 0, "1"},
                 {"'x' |a b", false, 0, 1, 0, "x'"},
                 {"|a b", false, 0, 1, 0, ""},
                 {"  | b", false, 0, 1, 0, ""},
                 {"1 'x", true, 1, 1, 0, "x"},
                 {"1 2", true, 1, 1, 0, "2"},
                 {"1 2 3 x", true, 1, 2, 3, "x"},
                 {"x", false, 0, 1, 0, "x"},
                 {"1 ", true, 1, 1, 0, ""},
                 {"1 2 ", true, 1, 2, 0, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        agree(cases[i].text, ENTRIES);
        ck_assert_msg(got.status == VW_OK, "'%s': %d", cases[i].text, got.status);
        ck_assert_int_eq(got.row.has_label, cases[i].has_label);
        if (cases[i].has_label) ck_assert(got.row.label == cases[i].label);
        ck_assert(got.row.importance == cases[i].importance && got.row.base == cases[i].base);
        ck_assert_str_eq(got.tag, cases[i].tag);
    }
}
END_TEST

static void has(size_t i, const char *name, uint64_t id, float value)
{
    ck_assert_str_eq(got.name[i], name);
    ck_assert_msg(got.id[i] == id && got.value[i] == value, "%s: %g", name, (double)got.value[i]);
}

START_TEST(values_are_multiplied_by_the_scale_of_their_namespace)
{
    agree("1 |user:0.5 age:4 tall |item age:4| age:3 |user age:4", ENTRIES);
    uint64_t user = XXH3_64bits("user", 4), item = XXH3_64bits("item", 4);
    ck_assert_uint_eq(got.row.n, 5);
    has(0, "user^age", XXH3_64bits_withSeed("age", 3, user), 2);
    has(1, "user^tall", XXH3_64bits_withSeed("tall", 4, user), 0.5f);
    has(2, "item^age", XXH3_64bits_withSeed("age", 3, item), 4);
    has(3, "age", XXH3_64bits("age", 3), 3);
    has(4, "user^age", got.id[0], 4);
}
END_TEST

START_TEST(digits_are_an_index_only_in_the_namespace_without_a_name)
{
    agree("1 | 7:2 007 +7 7a |n 7", ENTRIES);
    ck_assert_uint_eq(got.row.n, 5);
    has(0, "", 7, 2);
    has(1, "", 7, 1);
    has(2, "+7", XXH3_64bits("+7", 2), 1);
    has(3, "7a", XXH3_64bits("7a", 2), 1);
    has(4, "n^7", XXH3_64bits_withSeed("7", 1, XXH3_64bits("n", 1)), 1);
}
END_TEST

static bool keeps_b(void *self, struct vw_text space) { return space.len == 1 && *space.at == 'b'; }

START_TEST(features_of_namespaces_that_are_not_kept_are_read_and_left_out)
{
    static const char text[] = "1 | x |a y:2 |b z:3 |c u |b v", bad[] = "1 |a y:x |b z";
    struct vw_row row = {.id = got.id, .value = got.value, .cap = ENTRIES, .keeps = keeps_b};
    ck_assert_int_eq(vw_parse(text, text + strlen(text), text + strlen(text), &row), VW_OK);
    ck_assert_uint_eq(row.n, 2);
    ck_assert(got.value[0] == 3 && got.value[1] == 1);
    ck_assert_int_eq(vw_parse(bad, bad + strlen(bad), bad + strlen(bad), &row), VW_VALUE);
}
END_TEST

START_TEST(blank_lines_hold_nothing)
{
    static const char *const texts[] = {"", " ", "\t  ", "\r", " \r\n", "\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        agree(texts[i], ENTRIES);
        ck_assert_msg(got.status == VW_NOTHING, "'%s'", texts[i]);
    }
}
END_TEST

START_TEST(errors_say_what_and_where)
{
    static const struct {
        const char *text;
        enum vw_status status;
        size_t at, len;
    } cases[] = {{"x |a b", VW_LABEL, 0, 1},
                 {"1,2 |a b", VW_LABEL, 0, 3},
                 {"0:1:0.5 |a b", VW_LABEL, 0, 7},
                 {"'x 1 |a b", VW_LABEL, 0, 2},
                 {"nan |a b", VW_LABEL_NONFINITE, 0, 3},
                 {"1e39 |a b", VW_LABEL_NONFINITE, 0, 4},
                 {"1|a b", VW_LABEL_TOUCHES, 0, 1},
                 {"1", VW_LABEL_TOUCHES, 0, 1},
                 {" -1|a b", VW_LABEL_TOUCHES, 1, 2},
                 {"+1 3:0.5 7:1", VW_IMPORTANCE, 3, 5},
                 {"1 tag |a b", VW_IMPORTANCE, 2, 3},
                 {"1 inf |a b", VW_IMPORTANCE_NONFINITE, 2, 3},
                 {"1 -2 |a b", VW_IMPORTANCE_NEGATIVE, 2, 2},
                 {"1 2 x |a b", VW_BASE, 4, 1},
                 {"1 2 1e999 |a b", VW_BASE_NONFINITE, 4, 5},
                 {"1 2 3 4 |a b", VW_HEAD, 6, 1},
                 {"1 |a: b", VW_SCALE, 5, 0},
                 {"1 |a:x b", VW_SCALE, 5, 1},
                 {"1 |a:2x b", VW_SCALE, 5, 2},
                 {"1 |a:nan b", VW_SCALE_NONFINITE, 5, 3},
                 {"1 |:2 b", VW_NO_NAME, 3, 2},
                 {"1 |a b:", VW_VALUE, 7, 0},
                 {"1 |a b:|c", VW_VALUE, 7, 0},
                 {"1 |a b:x c", VW_VALUE, 7, 1},
                 {"1 |a b:1:2", VW_VALUE, 7, 3},
                 {"1 |a b:0x1", VW_VALUE, 7, 3},
                 {"1 |a b:inf", VW_VALUE_NONFINITE, 7, 3},
                 {"1 |a b:1e39|c", VW_VALUE_NONFINITE, 7, 4},
                 {"1 |a:1e20 b:1e20 c", VW_VALUE_NONFINITE, 12, 4},
                 {"1 |a :0.5", VW_NO_NAME, 5, 4}};
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
    static const char text[] = "1 |a b c:0.5 |d e f:2 g";
    for (size_t cap = 0; cap <= 5; cap++) {
        memset(got.id, 0xee, sizeof got.id);
        agree(text, cap);
        ck_assert_int_eq(got.status, cap < 5 ? VW_FULL : VW_OK);
        ck_assert(got.id[cap] == UINT64_C(0xeeeeeeeeeeeeeeee));
    }
}
END_TEST

LEAT_SUITE("vw", sound_records_read_as_the_naive_reader_reads_them,
           spoiled_records_are_refused_where_the_naive_reader_refuses_them,
           every_cut_of_a_record_reads_as_the_naive_reader_reads_it,
           the_head_has_label_importance_base_and_tag,
           values_are_multiplied_by_the_scale_of_their_namespace,
           digits_are_an_index_only_in_the_namespace_without_a_name,
           features_of_namespaces_that_are_not_kept_are_read_and_left_out, blank_lines_hold_nothing,
           errors_say_what_and_where,
           a_record_with_more_entries_than_room_is_refused_and_writes_no_further)
