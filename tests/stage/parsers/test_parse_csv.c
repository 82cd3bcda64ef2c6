/* test_parse_csv.c -- parse.csv, parse.tsv and parse.lines: columns, numbers, missing values,
 * rejections.
 *
 * tests/kernel/text/test_csv.c tests how rows are split. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/suite.h"

static struct harness *parser(const char *stage, const char *header)
{
    struct harness *h = parser_new(stage);
    if (header) {
        h->in.header = header;
        h->in.header_len = (uint32_t)strlen(header);
    }
    return h;
}

START_TEST(header_names_the_columns)
{
    struct harness *h = parser("parse.csv", "\xef\xbb\xbfname,\"age, \"\"years\"\"\",city");
    harness_set(h, "numbers", "city");
    ck_assert_int_eq(harness_negotiate(h), 0);
    ck_assert_uint_eq(h->out.n_columns, 3);
    ck_assert_uint_eq(h->out.open, 0);
    ck_assert_str_eq(h->out.column[0].name, "name");
    ck_assert_str_eq(h->out.column[1].name, "age, \"years\"");
    ck_assert_uint_eq(h->out.column[1].type, LEAT_TEXT);
    ck_assert_uint_eq(h->out.column[2].type, LEAT_NUMBER);
    harness_free(h);
}
END_TEST

START_TEST(columns_stay_open_until_a_header_is_there)
{
    struct harness *h = parser("parse.csv", NULL);
    harness_set(h, "numbers", "later");
    ck_assert_int_eq(harness_negotiate(h), 0);
    ck_assert_uint_eq(h->out.open, 1);
    harness_free(h);
    h = parser("parse.csv", NULL);
    harness_set(h, "columns", "a,b");
    ck_assert_int_eq(harness_negotiate(h), 0);
    ck_assert_uint_eq(h->out.open, 0);
    ck_assert_uint_eq(h->out.n_columns, 2);
    harness_free(h);
}
END_TEST

START_TEST(rows_become_cells)
{
    struct harness *h = parser("parse.csv", "a,b,n");
    harness_set(h, "numbers", "n");
    PARSE(h, "x,\"y,z\",1.5", ",\"say \"\"hi\"\"\",", "\"\"\"\",\"two\nlines\",-1e3", "",
          " x ,y,7");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_sel, 4);
    ck_assert_str_eq(cell(h, 0, 0), "x");
    ck_assert_str_eq(cell(h, 1, 0), "y,z");
    ck_assert_str_eq(cell(h, 0, 1), "NULL");
    ck_assert_str_eq(cell(h, 1, 1), "say \"hi\"");
    ck_assert_str_eq(cell(h, 0, 2), "\"");
    ck_assert_str_eq(cell(h, 1, 2), "two\nlines");
    ck_assert_str_eq(cell(h, 0, 4), " x ");
    const double *n = h->b.column[2].number;
    ck_assert(n[0] == 1.5 && isnan(n[1]) && n[2] == -1000 && n[4] == 7);
    ck_assert_int_eq(memcmp(leat_text(&h->b, h->b.raw[1]), ",\"say \"\"hi\"\"\",", 14), 0);
    harness_free(h);
}
END_TEST

START_TEST(missing_text_is_no_value)
{
    struct harness *h = parser("parse.csv", "a,n");
    harness_set(h, "numbers", "n");
    harness_set(h, "missing", "NA");
    PARSE(h, "NA,NA", ",", "NAN,1");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_str_eq(cell(h, 0, 0), "NULL");
    ck_assert_str_eq(cell(h, 0, 1), "");
    ck_assert_str_eq(cell(h, 0, 2), "NAN");
    ck_assert(isnan(h->b.column[1].number[0]) && isnan(h->b.column[1].number[1]));
    harness_free(h);
}
END_TEST

START_TEST(any_of_several_texts_is_no_value)
{
    struct harness *h = parser("parse.csv", "a,n");
    static const char *const missing[] = {"", "NA", "-", "no value"};
    harness_set(h, "numbers", "n");
    harness_set_list(h, "missing", missing, 4);
    PARSE(h, "NA,NA", ",", "-,-", "no value,no value", "na,1", "--,2", " -,3", "\"-\",4");
    ck_assert_uint_eq(h->n_rejections, 0);
    const char *const wanted[] = {"NULL", "NULL", "NULL", "NULL", "na", "--", " -", "NULL"};
    for (uint32_t r = 0; r < 8; r++) {
        ck_assert_str_eq(cell(h, 0, r), wanted[r]);
        ck_assert_int_eq(isnan(h->b.column[1].number[r]), r < 4);
    }
    harness_free(h);
}
END_TEST

START_TEST(wrong_rows_are_rejected_with_the_reason)
{
    struct harness *h = parser("parse.csv", "a,b,n");
    harness_set(h, "numbers", "n");
    PARSE(h, "1,2", "1,2,3,4", "x,y,12a", "x,y,1e999", "x,\"y\"z,1", "x,\"y", "x,y,1",
          "{\"a\":1,\"b\":2}", "{ }");
    expect_rejected(h, 0, LEAT_R_FIELDS,
                    "the row has 2 fields and must have 3 (or set short = \"fill\")");
    expect_rejected(h, 1, LEAT_R_FIELDS,
                    "the row has 4 fields and must have 3 (or set extra = \"ignore\")");
    expect_rejected(
        h, 7, LEAT_R_QUOTE,
        "text follows the closing quote at byte 11: the row looks like JSON: use parse.json, or "
        "format=json");
    expect_rejected(
        h, 8, LEAT_R_FIELDS,
        "the row has 1 fields and must have 3: the row looks like JSON: use parse.json, or "
        "format=json");
    expect_rejected(h, 2, LEAT_R_NUMBER, "column 'n': '12a' is not a number");
    expect_rejected(h, 3, LEAT_R_NONFINITE,
                    "column 'n': '1e999' is too large: the largest number is 1.8e308");
    expect_rejected(h, 4, LEAT_R_QUOTE, "text follows the closing quote at byte 6");
    expect_rejected(h, 5, LEAT_R_QUOTE, "the quote at byte 3 is never closed");
    ck_assert_uint_eq(h->b.n_sel, 1);
    harness_free(h);
}
END_TEST

START_TEST(tabs_part_fields_and_quotes_are_text)
{
    struct harness *h = parser("parse.tsv", "a\tb");
    PARSE(h, "\"x\t5\" pipe, long", "\t\tz");
    ck_assert_str_eq(cell(h, 0, 0), "\"x");
    ck_assert_str_eq(cell(h, 1, 0), "5\" pipe, long");
    expect_rejected(h, 1, LEAT_R_FIELDS,
                    "the row has 3 fields and must have 2 (or set extra = \"ignore\")");
    harness_free(h);
}
END_TEST

START_TEST(a_delimiter_after_the_last_field_is_left_out)
{
    struct harness *h = parser("parse.csv", "a,b");
    PARSE(h, "1,2,", "1,,", ",,", "1,\"2\",", "1,2,,");
    for (uint32_t r = 0; r < 4; r++)
        ck_assert_ptr_null(harness_rejected(h, r));
    ck_assert_str_eq(cell(h, 1, 3), "2");
    expect_rejected(h, 4, LEAT_R_FIELDS,
                    "the row has 4 fields and must have 2 (or set extra = \"ignore\")");
    harness_free(h);
}
END_TEST

START_TEST(ragged_rows_are_taken_on_request)
{
    struct harness *h = parser("parse.csv", "a,b,n");
    harness_set(h, "numbers", "n");
    harness_set(h, "extra", "ignore");
    harness_set(h, "short", "fill");
    PARSE(h, "1,2,3,4,5", "1", "1,\"x\"\"y\"");
    ck_assert(h->b.column[2].number[0] == 3);
    ck_assert_uint_eq(h->b.column[1].text[1].len, LEAT_NULL);
    ck_assert(isnan(h->b.column[2].number[1]) && isnan(h->b.column[2].number[2]));
    ck_assert_str_eq(cell(h, 1, 2), "x\"y");
    harness_free(h);
}
END_TEST

/* "1.188,02" in columns a and n. Column n is of numbers. */
static struct harness *parser_of_other_countries(void)
{
    struct harness *h = parser("parse.csv", "a;n");
    harness_set(h, "delimiter", ";");
    harness_set(h, "numbers", "n");
    harness_set(h, "decimal", ",");
    harness_set(h, "thousands", ".");
    return h;
}

START_TEST(numbers_of_other_countries_are_read)
{
    struct harness *h = parser_of_other_countries();
    PARSE(h, "x;1.188,02", "x;-3,5", "x;", "x;1.5", "x;inf");
    ck_assert(h->b.column[1].number[0] == 1188.02);
    ck_assert(h->b.column[1].number[1] == -3.5);
    ck_assert(isnan(h->b.column[1].number[2]));
    expect_rejected(h, 3, LEAT_R_NUMBER, "column 'n': '1.5' is not a number");
    expect_rejected_for(h, 4, LEAT_R_NONFINITE, "column 'n': 'inf' is not finite: `missing`");
    harness_free(h);
}
END_TEST

/* A later stage may read numbers out of texts. */
START_TEST(columns_of_text_say_how_numbers_are_written)
{
    struct harness *h = parser_of_other_countries();
    PARSE(h, "1.188,02;1.188,02");
    ck_assert_int_eq(h->out.column[0].decimal, ',');
    ck_assert_int_eq(h->out.column[0].thousands, '.');
    ck_assert_int_eq(h->out.column[1].decimal, 0);
    ck_assert_int_eq(h->out.column[1].thousands, 0);
    harness_free(h);
    h = parser("parse.csv", "a,n");
    PARSE(h, "1,2");
    ck_assert_int_eq(h->out.column[0].decimal, 0);
    harness_free(h);
}
END_TEST

START_TEST(delimiter_of_several_bytes_parts_fields)
{
    struct harness *h = parser("parse.csv", "user::item::rating");
    harness_set(h, "delimiter", "::");
    harness_set(h, "quote", "");
    harness_set(h, "numbers", "rating");
    PARSE(h, "1::a:b::4.5", "\"2::c\"::3");
    ck_assert_str_eq(h->out.column[1].name, "item");
    ck_assert_str_eq(cell(h, 1, 0), "a:b");
    ck_assert(h->b.column[2].number[0] == 4.5);
    ck_assert_str_eq(cell(h, 0, 1), "\"2");
    harness_free(h);
}
END_TEST

START_TEST(a_column_without_a_name_is_named_by_its_number)
{
    struct harness *h = parser("parse.csv", "a,,n,");
    harness_set(h, "numbers", "n");
    PARSE(h, "1,2,3,");
    ck_assert_uint_eq(h->out.n_columns, 4);
    ck_assert_str_eq(h->out.column[1].name, "column 2");
    ck_assert_str_eq(h->out.column[3].name, "column 4");
    ck_assert_str_eq(cell(h, 1, 0), "2");
    ck_assert(h->b.column[2].number[0] == 3);
    harness_free(h);
}
END_TEST

START_TEST(numbers_in_any_order_and_twice_are_numbers)
{
    struct harness *h = parser("parse.csv", "c,a,b,\"d \"\"e\"\"\"");
    harness_set(h, "numbers", "d \"e\",b,a,b");
    PARSE(h, "x,1,2,3");
    ck_assert(h->out.column[0].type == LEAT_TEXT);
    for (uint32_t i = 1; i < 4; i++)
        ck_assert(h->out.column[i].type == LEAT_NUMBER && h->b.column[i].number[0] == i);
    harness_free(h);
}
END_TEST

START_TEST(a_number_with_a_comma_is_rejected_with_what_a_number_is)
{
    struct harness *h = parser("parse.csv", "a;n");
    harness_set(h, "delimiter", ";");
    harness_set(h, "numbers", "n");
    PARSE(h, "x;188,02", "x;1,188.02", "x;12a");
    expect_rejected_for(h, 0, LEAT_R_NUMBER, "'188,02' is not a number: set decimal = \",\" if");
    expect_rejected_for(h, 1, LEAT_R_NUMBER, "'1,188.02' is not a number: set thousands = \",\"");
    expect_rejected(h, 2, LEAT_R_NUMBER, "column 'n': '12a' is not a number");
    harness_free(h);
}
END_TEST

START_TEST(blanks_around_a_number_do_not_count)
{
    for (int grouped = 0; grouped < 2; grouped++) {
        struct harness *h = parser("parse.csv", "a;n");
        harness_set(h, "delimiter", ";");
        harness_set(h, "numbers", "n");
        if (grouped) harness_set(h, "decimal", ",");
        PARSE(h, grouped ? "x; 3,5 " : "x; 3.5 ", "x;4\t", "x;\t-5", "x;   ", "x;3 4", "x; b ",
              "x; 1e999");
        const double wanted[] = {3.5, 4, -5};
        for (uint32_t r = 0; r < 3; r++)
            ck_assert_double_eq(h->b.column[1].number[r], wanted[r]);
        ck_assert(h->b.status[3] == LEAT_ROW_OK && isnan(h->b.column[1].number[3]));
        expect_rejected(h, 4, LEAT_R_NUMBER, "column 'n': '3 4' is not a number");
        expect_rejected(h, 5, LEAT_R_NUMBER, "column 'n': ' b ' is not a number");
        expect_rejected_for(h, 6, LEAT_R_NONFINITE, "column 'n': ' 1e999' is");
        harness_free(h);
    }
}
END_TEST

static struct leat_framing framing_of(const char *stage, const char *param, const char *text)
{
    struct harness *h = parser(stage, NULL);
    struct leat_framing f = {0};
    if (param) harness_set(h, param, text);
    ck_assert_int_eq(h->stage->framing(h->cfg, &f), LEAT_OK);
    harness_free(h);
    return f;
}

START_TEST(parameters_say_how_the_source_is_to_cut)
{
    struct leat_framing f = framing_of("parse.csv", NULL, NULL);
    ck_assert(f.kind == LEAT_CSV && f.delimiter == ',' && f.quote == '"' && f.header == 1);
    f = framing_of("parse.csv", "delimiter", "\\t");
    ck_assert(f.delimiter == '\t');
    f = framing_of("parse.csv", "quote", "");
    ck_assert(f.kind == LEAT_LINES);
    f = framing_of("parse.tsv", "header", "false");
    ck_assert(f.kind == LEAT_LINES && f.delimiter == '\t' && f.header == 0);
}
END_TEST

START_TEST(wrong_parameters_and_headers_are_reported)
{
    struct harness *h = parser("parse.csv", "a,b");
    harness_set(h, "numbers", "a,c");
    expect_refused_and_free(h, "the input has no column 'c': did you mean 'a'? (columns: a, b)");
    h = parser("parse.csv", "a,b,c");
    harness_set(h, "columns", "x,y");
    expect_refused_and_free(h, "names 2 columns, but the header names 3");
    expect_refused_and_free(parser("parse.csv", ""), "no header");
    expect_refused_and_free(parser("parse.csv", "a,\"b\"c"), "wrong quote at byte 6");
    expect_refused_and_free(parser("parse.csv", "a,b,a"), "a");
    h = parser("parse.csv", NULL);
    harness_set(h, "header", "false");
    expect_refused_and_free(h, "header = false");
    h = parser("parse.csv", "a");
    harness_set(h, "delimiter", "::");
    expect_refused_and_free(h, "'::' is longer than one byte");
    h = parser("parse.csv", "a");
    harness_set(h, "delimiter", "");
    expect_refused_and_free(h, "give the text that separates fields");
    h = parser("parse.csv", "a");
    harness_set(h, "quote", "");
    harness_set(h, "delimiter", "x\n");
    expect_refused_and_free(h, "a line end cannot separate fields");
    h = parser("parse.csv", "a");
    harness_set(h, "quote", ",");
    expect_refused_and_free(h, "is also the delimiter");
}
END_TEST

START_TEST(lines_are_one_column_and_blank_ones_are_left_out)
{
    struct harness *h = harness_new("parsers", "parse.lines");
    harness_has(h, LEAT_HAS_RECORDS);
    PARSE(h, "a, \"b\"", "", " \t ", "x");
    ck_assert_str_eq(h->out.column[0].name, "text");
    ck_assert_str_eq(cell(h, 0, 0), "a, \"b\"");
    ck_assert_str_eq(cell(h, 0, 3), "x");
    ck_assert_uint_eq(h->b.n_sel, 2);
    ck_assert_uint_eq(h->n_rejections, 0);
    harness_free(h);
    h = harness_new("parsers", "parse.lines");
    harness_has(h, LEAT_HAS_RECORDS);
    harness_set(h, "skip_blank", "false");
    harness_set(h, "column", "line");
    PARSE(h, "", "x");
    ck_assert_str_eq(h->out.column[0].name, "line");
    ck_assert_uint_eq(h->b.n_sel, 2);
    ck_assert_str_eq(cell(h, 0, 0), "");
    harness_free(h);
}
END_TEST

LEAT_SUITE("parse_csv", a_column_without_a_name_is_named_by_its_number,
           numbers_in_any_order_and_twice_are_numbers,
           a_number_with_a_comma_is_rejected_with_what_a_number_is,
           blanks_around_a_number_do_not_count, header_names_the_columns,
           columns_stay_open_until_a_header_is_there, rows_become_cells, missing_text_is_no_value,
           any_of_several_texts_is_no_value, a_delimiter_after_the_last_field_is_left_out,
           ragged_rows_are_taken_on_request, numbers_of_other_countries_are_read,
           columns_of_text_say_how_numbers_are_written, wrong_rows_are_rejected_with_the_reason,
           tabs_part_fields_and_quotes_are_text, delimiter_of_several_bytes_parts_fields,
           parameters_say_how_the_source_is_to_cut, wrong_parameters_and_headers_are_reported,
           lines_are_one_column_and_blank_ones_are_left_out)
