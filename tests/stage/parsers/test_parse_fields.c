/* test_parse_fields.c -- parse.fields in the harness: heads of Zeek and W3C, and rows below. */
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/suite.h"

static struct harness *fields_of(const char *const *columns, uint32_t n)
{
    struct harness *h = parser_new("parse.fields");
    harness_set_list(h, "columns", columns, n);
    return h;
}
#define FIELDS(...)                                                                                \
    fields_of((const char *const[]){__VA_ARGS__},                                                  \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Checks the cells of a selected record. want: the texts with bars between them. */
static void expect_row(struct harness *h, uint32_t k, const char *want)
{
    char found[512] = "";
    ck_assert_uint_lt(k, h->b.n_sel);
    for (uint32_t c = 0; c < h->out.n_columns; c++)
        sprintf(found + strlen(found), "%s%s", c ? "|" : "", cell(h, c, h->b.sel[k]));
    ck_assert_str_eq(found, want);
}

#define ZEEK                                                                                       \
    "#separator \\x09", "#set_separator\t,", "#empty_field\t(empty)", "#unset_field\t-", "#path\tx"

START_TEST(zeek_names_its_columns)
{
    struct harness *h = FIELDS("proto", "id.orig_h", "tags", "note");
    PARSE(h, ZEEK, "#open\t2026", "#fields\tts\tid.orig_h\tproto\ttags\tnote",
          "#types\ttime\taddr\tenum\tset[string]\tstring", "1.5\t10.0.0.1\ttcp\ta\\x2cb,c\\x09\t-",
          "2.5\t-\tudp\t(empty)\tx\\x09y\\\\x41\\xzz \"q", "#close\t2026");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_sel, 2);
    expect_row(h, 0, "tcp|10.0.0.1|a\\x2cb,c\t|NULL");
    expect_row(h, 1, "udp|NULL||x\ty\\x41\\xzz \"q");
    harness_free(h);
}
END_TEST

START_TEST(a_later_head_replaces_the_one_before)
{
    struct harness *h = FIELDS("a", "b");
    PARSE(h, ZEEK, "#fields\ta\tb", "1\t2", ZEEK, "#fields\tb\tc\ta", "3\t4\t5", "#separator ;",
          "#unset_field;?", "#fields;b", "?", "-", "#Fields: b a", "6 7");
    ck_assert_uint_eq(h->n_rejections, 0);
    expect_row(h, 0, "1|2");
    expect_row(h, 1, "5|3");
    expect_row(h, 2, "NULL|NULL");
    expect_row(h, 3, "NULL|-");
    expect_row(h, 4, "7|6");
    harness_free(h);
}
END_TEST

START_TEST(w3c_names_its_columns)
{
    struct harness *h = FIELDS("datetime", "cs(User-Agent)", "cs-uri-stem", "s");
    PARSE(h, "#Software: IIS", "#Fields: date time cs-uri-stem cs(User-Agent) s",
          "2026-01-02 03:04:05 /a+b Mozilla/5.0+(X11) -", "2026-01-02\t03:04:06\t/c d\tcurl 8\t",
          "- 03:04:07 - - 1");
    ck_assert_uint_eq(h->n_rejections, 0);
    expect_row(h, 0, "2026-01-02 03:04:05|Mozilla/5.0 (X11)|/a+b|NULL");
    expect_row(h, 1, "2026-01-02 03:04:06|curl 8|/c d|");
    expect_row(h, 2, "NULL|NULL|NULL|1");
    harness_free(h);
}
END_TEST

#define HEADLESS                                                                                   \
    "no line #fields or #Fields: is above this record: keep the head of the file, or name its "    \
    "columns with parse.tsv"

START_TEST(rows_that_no_head_describes_are_rejected)
{
    struct harness *h = FIELDS("a");
    PARSE(h, "1\t2", "#separator \\x0", "#separator \\x09", "3", "#fields\ta\tb", "1", "1\t2\t3",
          "1\t2", "", "#fields", "5\t6");
    ck_assert_uint_eq(h->n_rejections, 7);
    ck_assert_uint_eq(h->b.n_sel, 1);
    expect_rejected(h, 0, LEAT_R_SYNTAX, HEADLESS);
    expect_rejected(h, 1, LEAT_R_SYNTAX,
                    "the line of the head is wrong: a separator of one byte is expected");
    expect_rejected(h, 3, LEAT_R_SYNTAX, HEADLESS);
    expect_rejected(h, 5, LEAT_R_FIELDS, "the row has 1 fields and the head above it names 2");
    expect_rejected(h, 6, LEAT_R_FIELDS, "the row has 3 fields and the head above it names 2");
    expect_rejected(h, 9, LEAT_R_SYNTAX, "the line of the head is wrong: it names no field");
    harness_free(h);
}
END_TEST

/* Adds a record of an input. */
static void of_input(struct harness *h, uint32_t input, const char *text)
{
    uint32_t r = harness_record(h, text);
    struct leat_extent *x = &h->b.extent[h->b.n_extents++];
    *x = (struct leat_extent){.first = r, .n = 1, .input = input};
}

START_TEST(inputs_in_turn_have_heads_of_their_own)
{
    struct harness *h = FIELDS("a", "b");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    h->b.n_extents = 0;
    of_input(h, 0, "#Fields: a b");
    of_input(h, 7, "#Fields: b a");
    of_input(h, 0, "1 2");
    of_input(h, 7, "1 2");
    of_input(h, 3, "1 2");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    expect_row(h, 0, "1|2");
    expect_row(h, 1, "2|1");
    ck_assert_uint_eq(h->n_rejections, 1);
    harness_free(h);
}
END_TEST

START_TEST(a_later_run_knows_the_head)
{
    struct harness *a = FIELDS("datetime", "s", "none"), *b = FIELDS("datetime", "s", "none");
    size_t n = 0;
    PARSE(a, "#Fields: s date time", "1 2026-01-02 03:04:05");
    const void *state = harness_snapshot(a, &n);
    ck_assert_ptr_nonnull(state);
    ck_assert_int_eq(harness_continue(b, 64, state, n), LEAT_OK);
    harness_record(b, "2 2026-01-02 03:04:06");
    ck_assert_int_eq(harness_process(b), LEAT_OK);
    expect_row(b, 0, "2026-01-02 03:04:06|2|NULL");
    harness_free(a);
    harness_free(b);
}
END_TEST

/* More inputs than heads are kept: the one unused for longest is forgotten. */
START_TEST(the_oldest_head_is_forgotten)
{
    struct harness *h = FIELDS("a");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (uint32_t input = 0; input <= 256; input++) {
        harness_clear(h);
        h->b.n_extents = 0;
        of_input(h, input, "#Fields: a");
        if (input) of_input(h, 0, "1"); /* input 0 stays in use */
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->n_rejections, 0);
    }
    harness_clear(h);
    h->b.n_extents = 0;
    of_input(h, 1, "1");
    of_input(h, 2, "1");
    of_input(h, 256, "1");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 1);
    expect_rejected(h, 0, LEAT_R_SYNTAX, HEADLESS);
    harness_free(h);
}
END_TEST

LEAT_SUITE("parse.fields", zeek_names_its_columns, a_later_head_replaces_the_one_before,
           w3c_names_its_columns, rows_that_no_head_describes_are_rejected,
           inputs_in_turn_have_heads_of_their_own, a_later_run_knows_the_head,
           the_oldest_head_is_forgotten)
