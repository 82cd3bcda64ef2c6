/* test_bounds.c -- bounds of stages' output on a batch add up. */
#include "host/graph/bounds.h"

#include "support/suite.h"

START_TEST(what_two_stages_make_is_a_sum)
{
    struct leat_schema s = {.size = sizeof s};
    const struct leat_bounds tokens = {.examples_per_record = 1,
                                       .entries_per_record = 1,
                                       .parts_per_record = 1,
                                       .entries_per_256_bytes = 128};
    for (int stage = 0; stage < 2; stage++) {
        struct leat_schema in = s;
        bounds_add(&s, &in, &tokens);
    }
    ck_assert_uint_eq(s.examples_per_record, 2);
    ck_assert_uint_eq(s.entries_per_record, 2);
    ck_assert_uint_eq(s.parts_per_record, 2);
    ck_assert_uint_eq(bounds_entries_of_text(&s, 1000), 1000);
}
END_TEST

START_TEST(text_that_earlier_stages_have_appended_makes_entries_and_later_text_none)
{
    struct leat_schema in = {.size = sizeof in, .copies_text = 2, .added_bytes_per_record = 5};
    struct leat_schema s = in;
    bounds_add(&s, &in, &(struct leat_bounds){.entries_per_256_bytes = 128, .copies_text = 7});
    ck_assert_uint_eq(s.copies_text, 9);
    ck_assert_uint_eq(bounds_entries_of_text(&s, 1000), 1500);
    ck_assert_uint_eq(s.entries_per_record, 3); /* 5 bytes at 2 a byte, rounded up */
    ck_assert_uint_eq(s.parts_per_record, 3);
}
END_TEST

START_TEST(entries_that_are_copied_are_there_again)
{
    struct leat_schema in = {.size = sizeof in, .entries_per_record = 3, .parts_per_record = 3};
    in.entries_per_256_bytes = 64;
    struct leat_schema s = in;
    bounds_add(&s, &in, &(struct leat_bounds){.examples_per_record = 2, .copies_entries = 2});
    ck_assert_uint_eq(s.entries_per_record, 9);
    ck_assert_uint_eq(s.entries_per_256_bytes, 192);
    ck_assert_uint_eq(s.parts_per_record, 3);
}
END_TEST

START_TEST(sums_stay_at_the_largest_number)
{
    struct leat_schema in = {.size = sizeof in, .copies_text = UINT32_MAX}, s = in;
    s.entries_per_record = UINT32_MAX - 1;
    bounds_add(&s, &in,
               &(struct leat_bounds){
                   .entries_per_record = 2, .entries_per_256_bytes = UINT32_MAX, .copies_text = 1});
    ck_assert_uint_eq(s.entries_per_record, UINT32_MAX);
    ck_assert_uint_eq(s.entries_per_256_bytes, UINT32_MAX);
    ck_assert_uint_eq(s.copies_text, UINT32_MAX);
}
END_TEST

LEAT_SUITE("bounds", what_two_stages_make_is_a_sum,
           text_that_earlier_stages_have_appended_makes_entries_and_later_text_none,
           entries_that_are_copied_are_there_again, sums_stay_at_the_largest_number)
