/* test_set_where.c -- shape.set and shape.where: columns, labels and the records that pass. */
#include <math.h>
#include <stdio.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *set(const char *const *definitions, uint32_t n)
{
    struct harness *h = harness_new("shape", "shape.set");
    harness_column(h, "name", LEAT_TEXT);
    harness_column(h, "size", LEAT_TEXT);
    harness_column(h, "x", LEAT_NUMBER);
    h->in.max_record_bytes = 64;
    harness_set_list(h, "columns", definitions, n);
    return h;
}

static struct harness *where(const char *condition)
{
    struct harness *h = harness_new("shape", "shape.where");
    harness_column(h, "name", LEAT_TEXT);
    harness_column(h, "x", LEAT_NUMBER);
    harness_set(h, "condition", condition);
    return h;
}

static bool is_text(const struct harness *h, uint32_t column, uint32_t r, const char *wanted)
{
    struct leat_str s = h->b.column[column].text[r];
    return s.len == strlen(wanted) && !memcmp(leat_text(&h->b, s), wanted, s.len);
}

START_TEST(an_expression_sees_the_columns_of_those_before_it)
{
    static const char *const definitions[] = {"a = x + 1", "b = a * 2", "a = a + b",
                                              "`two words` = upper(name) .. a"};
    struct harness *h = set(definitions, 4);
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    uint32_t r = harness_row(h, "n|3|4");
    harness_process(h);
    ck_assert_str_eq(h->out.column[5].name, "two words");
    ck_assert(h->b.column[3].number[r] == 15 && h->b.column[4].number[r] == 10);
    ck_assert(is_text(h, 5, r, "N15"));
    harness_free(h);
    static const char *const early[] = {"b = a", "a = x"};
    expect_refused_and_free(set(early, 2),
                            "'b = a' is wrong at character 5: there is no column 'a'");
}
END_TEST

START_TEST(a_column_that_is_there_keeps_its_type)
{
    static const char *const definitions[] = {"size = number(size) * 2", "x = '7'",
                                              "name = lower(name)", "new = x > 5"};
    struct harness *h = set(definitions, 4);
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    ck_assert_int_eq(h->out.n_columns, 4);
    uint32_t r = harness_row(h, "Ab|3|4");
    harness_process(h);
    ck_assert(is_text(h, 0, r, "ab") && is_text(h, 1, r, "6"));
    ck_assert(h->b.column[2].number[r] == 7 && h->b.column[3].boolean[r] == 1);
    harness_free(h);
}
END_TEST

START_TEST(label_where_labels_what_is_known_and_filters_the_rest)
{
    struct harness *h = harness_new("shape", "label.where");
    harness_column(h, "name", LEAT_TEXT);
    harness_column(h, "x", LEAT_NUMBER);
    harness_set(h, "condition", "x > 5 or name == 'n'");
    ck_assert_msg(harness_open(h, 8) == LEAT_OK, "%s", h->said);
    ck_assert(h->out.has & LEAT_HAS_LABEL);
    harness_row(h, "a|6"), harness_row(h, "a|5"), harness_row(h, "a|\\N"), harness_row(h, "n|\\N");
    harness_process(h);
    ck_assert(h->b.label[0] == 1 && h->b.label[1] == -1 && h->b.label[3] == 1);
    ck_assert_int_eq(h->b.status[2], LEAT_ROW_FILTERED);
    ck_assert_int_eq(h->b.n_sel, 3);
    harness_free(h);
    h = harness_new("shape", "label.where");
    harness_column(h, "x", LEAT_NUMBER);
    h->in.has |= LEAT_HAS_LABEL;
    harness_set(h, "condition", "x > 5");
    expect_refused_and_free(h, "an earlier stage makes labels: leave out that stage or this one");
}
END_TEST

START_TEST(parts_of_a_condition_are_counted_among_the_records_it_holds_for)
{
    static const char *const parts[] = {"x > 5", "name == 'n'", "x > 1e9"};
    struct harness *h = harness_new("shape", "label.where");
    harness_column(h, "name", LEAT_TEXT);
    harness_column(h, "x", LEAT_NUMBER);
    harness_set(h, "condition", "x > 5 or name == 'n'");
    harness_set_list(h, "parts", parts, 3);
    ck_assert_msg(harness_open(h, 8) == LEAT_OK, "%s", h->said);
    ck_assert_double_eq(harness_metric(h, "part_1"), 0);
    harness_row(h, "a|6"), harness_row(h, "a|5"), harness_row(h, "a|\\N"), harness_row(h, "n|\\N");
    harness_row(h, "n|7"), harness_row(h, "n|2");
    harness_process(h);
    ck_assert_double_eq(harness_metric(h, "true"), 4);
    ck_assert_double_eq(harness_metric(h, "known"), 5);
    ck_assert_double_eq(harness_metric(h, "part_1"), 2);
    ck_assert_double_eq(harness_metric(h, "part_2"), 3);
    ck_assert_double_eq(harness_metric(h, "part_3"), 0);
    harness_free(h);
}
END_TEST

START_TEST(labels_are_set_by_conditions_and_numbers)
{
    static const char *const condition[] = {"@label = x > 5"}, *const number[] = {"@label = x / 2"};
    struct harness *h = set(condition, 1);
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    ck_assert(h->out.has & LEAT_HAS_LABEL);
    harness_row(h, "||6"), harness_row(h, "||5"), harness_row(h, "||\\N");
    harness_process(h);
    ck_assert(h->b.label[0] == 1 && h->b.label[1] == -1 && isnan(h->b.label[2]));
    harness_free(h);
    h = set(number, 1);
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_row(h, "||5");
    harness_process(h);
    ck_assert(h->b.label[0] == 2.5f);
    harness_free(h);
}
END_TEST

START_TEST(what_makes_no_column_is_refused)
{
    static const struct {
        const char *definition, *told;
    } cases[] = {
        {"x + 1", "'x + 1' does not make a column: write \"name = expression\""},
        {"x == 1", "does not make a column"},
        {"", "does not make a column"},
        {"'a' = 1", "does not make a column"},
        {"@raw = 'a'", "'@raw = 'a'': @raw of a record cannot be set, only @label can"},
        {"@timestamp = 1", "@timestamp of a record cannot be set"},
        {"@label = name", "a label is a number or a condition, and this is a text"},
        {"x = 'abc'", "the column wants a number, and this text is not one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused_and_free(set(&cases[i].definition, 1), cases[i].told);
    static const char *const label[] = {"@label = x"};
    struct harness *h = set(label, 1);
    harness_has(h, LEAT_HAS_EXAMPLES);
    expect_refused_and_free(h, "labels must be set before examples are made");
    expect_refused_and_free(set(NULL, 0), "is empty");
}
END_TEST

/* Whole blocks, and records that are not selected. */
START_TEST(every_selected_record_is_computed_and_no_other)
{
    static const char *const definitions[] = {"new = x * 2", "t = 'r' .. x"};
    struct harness *h = set(definitions, 2);
    ck_assert_int_eq(harness_open(h, 2000), LEAT_OK);
    for (int i = 0; i < 1000; i++) {
        char line[32];
        snprintf(line, sizeof line, "a|b|%d", i);
        harness_row(h, line);
    }
    h->b.n_sel = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        if (i % 3)
            h->b.sel[h->b.n_sel++] = i;
        else
            h->b.status[i] = LEAT_ROW_FILTERED;
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "r%u", i);
        ck_assert(i == 0 || (h->b.column[3].number[i] == 2.0 * i) == (i % 3 != 0));
        ck_assert(i % 3 == 0 || is_text(h, 4, i, wanted));
    }
    harness_free(h);
}
END_TEST

START_TEST(a_text_that_is_no_number_is_named)
{
    static const char *const definitions[] = {"kb = size / 1000"};
    struct harness *h = set(definitions, 1);
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    uint32_t r = harness_row(h, "a|12 kB|1");
    harness_process(h);
    expect_rejected(h, r, LEAT_R_NUMBER,
                    "'size / 1000', character 1: '12 kB' is not a number: remove the unit, by "
                    "shape.set { \"size = number(replace(size, 'kB', ''))\" }");
    harness_free(h);
}
END_TEST

/* Cells that share one text are together longer than the batch. */
START_TEST(a_record_whose_text_does_not_fit_is_rejected)
{
    static const char *const definitions[] = {"long = name .. name .. name"};
    struct harness *h = set(definitions, 1);
    ck_assert_int_eq(harness_open(h, 40), LEAT_OK);
    harness_row(h, "0123456789012345678901234567890123456789|b|1");
    for (int i = 0; i < 30; i++) {
        uint32_t r = harness_row(h, "a|b|1");
        h->b.column[0].text[r] = h->b.column[0].text[0];
    }
    h->b.cap_bytes = h->b.n_bytes + 1000;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 31 - 1000 / 120);
    expect_rejected_for(h, h->rejection[0].record, LEAT_R_TOO_LARGE, "make batch_bytes larger");
    harness_free(h);
}
END_TEST

START_TEST(where_keeps_what_is_true_and_filters_the_rest)
{
    struct harness *h = where("x > 1 and name != 'b'");
    static const char *const rows[] = {"a|2", "b|2", "a|1", "a|\\N", "\\N|2"};
    ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
    for (int i = 0; i < 5; i++)
        harness_row(h, rows[i]);
    uint32_t n_bytes = h->b.n_bytes;
    harness_process(h);
    ck_assert(h->b.n_sel == 1 && h->b.sel[0] == 0 && !h->n_rejections);
    ck_assert(h->b.status[4] == LEAT_ROW_FILTERED);
    ck_assert_uint_eq(h->b.n_bytes, n_bytes); /* its texts are gone */
    harness_free(h);
}
END_TEST

START_TEST(where_wants_a_condition)
{
    expect_refused_and_free(where("x + 1"), "'x + 1' is a number: give a condition");
    expect_refused_and_free(where("name"), "'name' is a text: give a condition");
    expect_refused_and_free(
        where("x >"),
        "'x >' is wrong at character 4: the expression ends where a value is missing");
}
END_TEST

static struct harness *some_set(void)
{
    static const char *const definitions[] = {"a = x + 1", "b = lower(name)"};
    return set(definitions, 2);
}
static struct harness *some_where(void) { return where("x > 1"); }

START_TEST(failed_allocations_are_told)
{
    expect_failed_allocations_told(some_set);
    expect_failed_allocations_told(some_where);
}
END_TEST

LEAT_SUITE("set and where", an_expression_sees_the_columns_of_those_before_it,
           a_column_that_is_there_keeps_its_type,
           label_where_labels_what_is_known_and_filters_the_rest,
           parts_of_a_condition_are_counted_among_the_records_it_holds_for,
           labels_are_set_by_conditions_and_numbers, what_makes_no_column_is_refused,
           every_selected_record_is_computed_and_no_other, a_text_that_is_no_number_is_named,
           a_record_whose_text_does_not_fit_is_rejected,
           where_keeps_what_is_true_and_filters_the_rest, where_wants_a_condition,
           failed_allocations_are_told)
