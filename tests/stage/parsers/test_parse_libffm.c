/* test_parse_libffm.c -- parse.libffm in the harness: labels, names, bounds, rejections.
 *
 * Written rows are read back. tests/kernel/text/test_libffm.c tests the format. */
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/random.h"
#include "support/suite.h"

static struct harness *parser(void) { return parser_new("parse.libffm"); }

START_TEST(a_record_becomes_an_example_of_features_named_by_field_and_index)
{
    struct harness *h = parser();
    PARSE(h, "1 0:17:1 1:204:0.5 1:17:-2", "", "0", "-1 1:17:1");
    const struct leat_batch *b = &h->b;
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(b->n_ex_sel, 3);
    ck_assert(b->ex_label[0] == 1 && b->ex_label[1] == -1 && b->ex_label[2] == -1);
    ck_assert(b->ex_start[1] == 3 && b->ex_start[2] == 3 && b->ex_start[3] == 4);
    ck_assert(b->value[0] == 1 && b->value[1] == 0.5f && b->value[2] == -2);
    ck_assert(b->id[2] == b->id[3] && b->id[0] != b->id[2]);
    ck_assert_str_eq(harness_name(h, 0), "0:17");
    ck_assert_str_eq(harness_name(h, 1), "1:204");
    ck_assert_str_eq(harness_name(h, 3), "1:17");
    harness_free(h);
}
END_TEST

START_TEST(a_rejected_record_says_why_and_leaves_nothing_behind)
{
    struct harness *h = parser();
    PARSE(h, "1 0:1:1 0:2:x", "1 3:0.5", "7 1:1:1", "1 a:1:1", "x 1:1:1", "1 1:1:inf", "-1 5:5:5");
    expect_rejected(h, 0, LEAT_R_NUMBER, "value 'x' is not a number, at byte 13");
    expect_rejected_for(h, 1, LEAT_R_SYNTAX, "'0.5' after the field is not an index and a value");
    expect_rejected_for(h, 1, LEAT_R_SYNTAX, "parse.libsvm");
    expect_rejected_for(h, 2, LEAT_R_LABEL, "positive = \"7\"");
    expect_rejected_for(h, 3, LEAT_R_SYNTAX, "entry 'a:1:1'");
    expect_rejected_for(h, 4, LEAT_R_LABEL, "label 'x' is not a number, at byte 1");
    expect_rejected_for(h, 5, LEAT_R_NONFINITE, "value 'inf' is not finite, at byte 7");
    ck_assert_uint_eq(h->b.n_examples, 1);
    ck_assert_uint_eq(h->b.n_entries, 1);
    ck_assert_uint_eq(h->b.n_parts, 1);
    ck_assert_str_eq(harness_name(h, 0), "5:5");
    harness_free(h);
}
END_TEST

START_TEST(raw_labels_keep_their_number)
{
    struct harness *h = parser();
    harness_set(h, "label", "raw");
    PARSE(h, "4.5 1:1:1");
    ck_assert(h->b.ex_label[0] == 4.5f);
    harness_free(h);
}
END_TEST

START_TEST(declared_bounds_hold_for_the_densest_records)
{
    parser_fits_its_bounds(parser(), "1", " 1:1:1", true);
}
END_TEST

START_TEST(a_record_larger_than_the_batch_is_rejected)
{
    parser_refuses_the_third(parser(), "1 1:1:1 2:1:1 3:1:1", "'3:1:1'");
}
END_TEST

START_TEST(rows_that_are_written_are_read_back)
{
    enum { FEATURES = 9 };
    uint64_t state = seed_given();
    struct harness *h = parser();
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    for (int row = 0; row < 2000; row++) {
        char text[512], name[FEATURES][32], *p = text;
        float value[FEATURES], label = below(&state, 2) ? 1 : -1;
        uint32_t n = below(&state, FEATURES + 1);
        p += sprintf(p, "%g", (double)label);
        for (uint32_t i = 0; i < n; i++) {
            value[i] = (float)normal(&state);
            sprintf(name[i], "%u:%u", below(&state, 30), below(&state, 1000000));
            p += sprintf(p, " %s:%.9g", name[i], (double)value[i]);
        }
        harness_clear(h);
        harness_record(h, text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert(h->b.n_examples == 1 && h->b.n_entries == n && h->b.ex_label[0] == label);
        for (uint32_t i = 0; i < n; i++) {
            ck_assert_msg(h->b.value[i] == value[i], "%s", text);
            ck_assert_str_eq(harness_name(h, i), name[i]);
        }
    }
    harness_free(h);
}
END_TEST

LEAT_SUITE("parse_libffm", a_record_becomes_an_example_of_features_named_by_field_and_index,
           a_rejected_record_says_why_and_leaves_nothing_behind, raw_labels_keep_their_number,
           declared_bounds_hold_for_the_densest_records, a_record_larger_than_the_batch_is_rejected,
           rows_that_are_written_are_read_back)
