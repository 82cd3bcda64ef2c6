/* test_parse_libsvm.c -- parse.libsvm in the harness: labels, names, keys, bounds, rejections.
 *
 * tests/kernel/text/test_libsvm.c tests the format. */
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/suite.h"

static struct harness *parser(void) { return parser_new("parse.libsvm"); }

START_TEST(a_record_becomes_an_example_with_its_label)
{
    struct harness *h = parser();
    PARSE(h, "+1 3:0.5 7:1", "0 9:-2", "-1", "1 5:1 5:1");
    const struct leat_batch *b = &h->b;
    ck_assert_uint_eq(b->n_examples, 4);
    ck_assert_uint_eq(b->n_ex_sel, 4);
    ck_assert(b->ex_label[0] == 1 && b->ex_label[1] == -1 && b->ex_label[2] == -1 &&
              b->ex_label[3] == 1);
    ck_assert(b->label[1] == -1);
    ck_assert(b->ex_start[1] == 2 && b->ex_start[2] == 3 && b->ex_start[3] == 3 &&
              b->ex_start[4] == 5);
    ck_assert(b->id[0] == 3 && b->value[0] == 0.5f && b->id[2] == 9 && b->value[2] == -2);
    ck_assert_str_eq(harness_name(h, 1), "7");
    harness_free(h);
}
END_TEST

START_TEST(blank_lines_and_comments_are_filtered_not_rejected)
{
    struct harness *h = parser();
    PARSE(h, "", "1 1:1", "# 1 1:1", " \t", "-1 2:1 # x");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_sel, 2);
    ck_assert_uint_eq(h->b.n_examples, 2);
    ck_assert_uint_eq(h->b.ex_record[1], 4);
    harness_free(h);
}
END_TEST

START_TEST(a_rejected_record_leaves_no_entries_behind)
{
    struct harness *h = parser();
    PARSE(h, "1 1:1 2:2 3:x", "1 4:4", "7 8:8 9:9", "-1 5:5");
    expect_rejected_for(h, 0, LEAT_R_NUMBER, "value 'x' is not a number, at byte 13");
    expect_rejected_for(h, 2, LEAT_R_LABEL, "positive");
    ck_assert_uint_eq(h->b.n_examples, 2);
    ck_assert_uint_eq(h->b.n_entries, 2);
    ck_assert(h->b.id[0] == 4 && h->b.id[1] == 5);
    harness_free(h);
}
END_TEST

START_TEST(labels_one_and_two_are_refused_until_the_script_says_which_is_positive)
{
    struct harness *h = parser();
    PARSE(h, "1 1:1", "2 1:1", "0.5 1:1");
    ck_assert_ptr_null(harness_rejected(h, 0));
    expect_rejected_for(h, 1, LEAT_R_LABEL, "positive = \"2\"");
    expect_rejected_for(h, 1, LEAT_R_LABEL, "label = \"raw\"");
    expect_rejected_for(h, 2, LEAT_R_LABEL, "0.5");
    harness_free(h);

    h = parser();
    harness_set(h, "positive", "2");
    PARSE(h, "1 1:1", "2 1:1", "2.0 1:1", "3 1:1");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert(h->b.ex_label[0] == -1 && h->b.ex_label[1] == 1 && h->b.ex_label[2] == 1 &&
              h->b.ex_label[3] == -1);
    harness_free(h);
}
END_TEST

START_TEST(raw_labels_keep_their_number)
{
    struct harness *h = parser();
    harness_set(h, "label", "raw");
    PARSE(h, "4.5 1:1", "-3e2", "nan 1:1", "x 1:1", "1e39");
    ck_assert(h->b.n_examples == 2 && h->b.ex_label[0] == 4.5f && h->b.ex_label[1] == -300);
    expect_rejected_for(h, 2, LEAT_R_NONFINITE, "label 'nan'");
    expect_rejected_for(h, 3, LEAT_R_LABEL, "label 'x' is not a number, at byte 1");
    expect_rejected_for(h, 4, LEAT_R_NONFINITE, "label '1e39'");
    harness_free(h);
}
END_TEST

START_TEST(a_name_is_refused_with_the_remedy_unless_names_are_asked_for)
{
    struct harness *h = parser();
    PARSE(h, "1 payee:2", "1 5", "1 :5", "1 2:inf");
    expect_rejected_for(h, 0, LEAT_R_SYNTAX, "feature 'payee' is not a number: set names = true");
    expect_rejected_for(h, 1, LEAT_R_SYNTAX, "':'");
    expect_rejected_for(h, 2, LEAT_R_SYNTAX, "':5'");
    expect_rejected_for(h, 3, LEAT_R_NONFINITE, "'inf'");
    harness_free(h);
}
END_TEST

START_TEST(names_travel_with_their_entries_and_numbers_show_as_numbers)
{
    struct harness *h = parser();
    harness_set(h, "names", "true");
    PARSE(h, "1 3:1 payee=VERIZON:2 4", "0 a b:x", "-1 a 9:1 c#:2");
    ck_assert(h->out.has & LEAT_HAS_NAMES);
    expect_rejected_for(h, 1, LEAT_R_NUMBER, "'x'");
    static const char *const expect[] = {"3", "payee=VERIZON", "4", "a", "9", "c#"};
    ck_assert_uint_eq(h->b.n_entries, 6);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_str_eq(harness_name(h, i), expect[i]);
    ck_assert_uint_eq(h->b.n_parts, 3); /* the rejected record gave its own back */
    harness_free(h);
}
END_TEST

START_TEST(qid_is_the_key_only_when_asked_for)
{
    struct harness *h = parser();
    harness_set(h, "qid", "true");
    PARSE(h, "1 qid:q17 1:1", "1 1:1");
    ck_assert(h->out.has & LEAT_HAS_KEY);
    ck_assert_uint_eq(h->b.key[0].len, 3);
    ck_assert(!memcmp(leat_text(&h->b, h->b.key[0]), "q17", 3));
    ck_assert_uint_eq(h->b.key[1].len, LEAT_NULL);
    harness_free(h);

    h = parser();
    PARSE(h, "1 qid:17 1:1");
    ck_assert(!(h->out.has & LEAT_HAS_KEY));
    ck_assert_uint_eq(h->b.n_entries, 1);
    harness_free(h);
}
END_TEST

START_TEST(positive_must_be_a_number_and_have_a_meaning)
{
    struct harness *h = parser();
    harness_set(h, "positive", "two");
    expect_errors(h, 1, "'two' is not a number");
    harness_set(h, "positive", "2");
    harness_set(h, "label", "raw");
    expect_errors(h, 1, "label = \"raw\"");
    harness_free(h);
}
END_TEST

START_TEST(declared_bounds_hold_for_the_densest_records)
{
    struct harness *named = parser();
    harness_set(named, "names", "true");
    parser_fits_its_bounds(named, "1", " a", true);
    parser_fits_its_bounds(parser(), "1", " 1:1", false);
}
END_TEST

START_TEST(a_record_larger_than_the_batch_is_rejected)
{
    parser_refuses_the_third(parser(), "1 1:1 2:1 3:1", "'3:1'");
}
END_TEST

LEAT_SUITE("parse_libsvm", a_record_becomes_an_example_with_its_label,
           blank_lines_and_comments_are_filtered_not_rejected,
           a_rejected_record_leaves_no_entries_behind,
           labels_one_and_two_are_refused_until_the_script_says_which_is_positive,
           raw_labels_keep_their_number,
           a_name_is_refused_with_the_remedy_unless_names_are_asked_for,
           names_travel_with_their_entries_and_numbers_show_as_numbers,
           qid_is_the_key_only_when_asked_for, positive_must_be_a_number_and_have_a_meaning,
           declared_bounds_hold_for_the_densest_records, a_record_larger_than_the_batch_is_rejected)
