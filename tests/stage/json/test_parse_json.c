/* test_parse_json.c -- parse.json in the harness: paths, values, missing values, rejections.
 *
 * Random documents are compared with jansson, which finds the values by another method. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/random.h"
#include "support/suite.h"

static struct harness *parser(const char *columns)
{
    struct harness *h = harness_new("json", "parse.json");
    harness_has(h, LEAT_HAS_RECORDS);
    if (columns) harness_set(h, "columns", columns);
    return h;
}

static bool is_in_record(const struct harness *h, uint32_t column, uint32_t r)
{
    struct leat_str s = h->b.column[column].text[r], raw = h->b.raw[r];
    return s.off >= raw.off && s.off + s.len <= raw.off + raw.len;
}

START_TEST(columns_are_named_by_their_paths_or_by_their_names)
{
    struct harness *h = parser("host,status=http.response.status,\"a.b\",x=\"c=d\".e");
    PARSE(h, "{\"c=d\":{\"e\":4},\"a.b\":3,\"http\":{\"response\":{\"status\":2}},\"host\":1}");
    ck_assert_str_eq(h->out.column[0].name, "host");
    ck_assert_str_eq(h->out.column[1].name, "status");
    ck_assert_str_eq(h->out.column[2].name, "\"a.b\"");
    ck_assert_str_eq(h->out.column[3].name, "x");
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(atoi(cell(h, i, 0)), (int)i + 1);
    harness_free(h);
}
END_TEST

START_TEST(values_are_what_is_written)
{
    struct harness *h = parser("v");
    PARSE(h, "{\"v\":404}", "{\"v\":-0.50e+3}", "{ \"v\" : 123456789012345678901234567890 }",
          "{\"v\":true}", "{\"v\":false}", "{\"v\":\"\"}", "{\"v\":\" a b \"}", "{\"v\":null}",
          "{\"w\":1}", "{}", "\t{\"v\"\n:\r1 \t} ");
    const char *const want[] = {"404",   "-0.50e+3", "123456789012345678901234567890",
                                "true",  "false",    "",
                                " a b ", "NULL",     "NULL",
                                "NULL",  "1"};
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_sel, 11);
    for (uint32_t r = 0; r < 11; r++) {
        ck_assert_str_eq(cell(h, 0, r), want[r]);
        if (strcmp(want[r], "NULL") != 0) ck_assert(is_in_record(h, 0, r));
    }
    harness_free(h);
}
END_TEST

/* Lines of journalctl 252 -o json, without the fields that do not matter here. */
START_TEST(bytes_of_the_journal_are_texts)
{
    struct harness *h = parser("MESSAGE,tags=TAG[*],m=MESSAGE[*]");
    PARSE(h, "{\"MESSAGE\":[27,91,51,49,109,114,101,100],\"__CURSOR\":\"s=1\"}",
          "{\"__CURSOR\":\"s=1\",\"MESSAGE\":[108,97,116,105,110,32,233,0]}",
          "{\"__CURSOR\":\"s=1\",\"MESSAGE\":\"a\",\"TAG\":[\"x\",\"y\",[122,1]]}",
          "{\"__CURSOR\":\"s=1\",\"MESSAGE\":null,\"TAG\":[[ 255 , 0 ],\"y\"]}");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_str_eq(cell(h, 0, 0), "\x1b[31mred");
    ck_assert_str_eq(cell(h, 2, 0), "\x1b[31mred");
    ck_assert_str_eq(cell(h, 0, 1), "latin \xe9");
    ck_assert_uint_eq(h->b.column[0].text[1].len, 8);
    ck_assert_str_eq(cell(h, 1, 2), "x y z\x01");
    ck_assert_str_eq(cell(h, 2, 2), "a");
    ck_assert_str_eq(cell(h, 0, 3), "NULL");
    ck_assert_uint_eq(h->b.column[1].text[3].len, 4); /* the zero byte is one of them */
    harness_free(h);
}
END_TEST

START_TEST(other_arrays_are_no_bytes)
{
    struct harness *h = parser("v");
    PARSE(h, "{\"v\":[1,2,3]}", "{\"__CURSOR\":\"s=1\",\"v\":[1,256]}",
          "{\"__CURSOR\":\"s=1\",\"v\":[1,\"2\"]}", "{\"__CURSOR\":\"s=1\",\"v\":[1,-2]}",
          "{\"__CURSOR\":\"s=1\",\"v\":[1.0]}", "{\"__CURSOR\":\"s=1\",\"v\":[]}",
          "{\"a\":{\"__CURSOR\":1},\"v\":[1]}", "{\"__CURSOR\":\"s=1\",\"v\":[1,[2]]}",
          "{\"__CURSOR\":\"s=1\",\"v\":[0001]}", "{\"__CURSOR\":\"s=1\",\"v\":{\"a\":[1]}}");
    ck_assert_uint_eq(h->n_rejections, 10);
    harness_free(h);
}
END_TEST

START_TEST(escapes_become_the_characters_they_stand_for)
{
    struct harness *h = parser("v,w=v");
    PARSE(h, "{\"v\":\"a\\\"b\\\\c\\/d\\be\\ff\\ng\\rh\\ti\"}",
          "{\"v\":\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"}", "{\"\\u0076\":\"x\\\\\"}",
          "{\"v\\\\\":1,\"v\":\"y\"}");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_str_eq(cell(h, 0, 0), "a\"b\\c/d\be\ff\ng\rh\ti");
    ck_assert_str_eq(cell(h, 0, 1), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    ck_assert_str_eq(cell(h, 0, 2), "x\\");
    ck_assert_str_eq(cell(h, 0, 3), "y");
    ck_assert(is_in_record(h, 0, 3) && !is_in_record(h, 0, 0));
    for (uint32_t r = 0; r < 4; r++) /* one text for both */
        ck_assert_uint_eq(h->b.column[0].text[r].off, h->b.column[1].text[r].off);
    harness_free(h);
}
END_TEST

START_TEST(elements_are_taken_one_by_one_or_joined)
{
    struct harness *h = parser("a[0],a[2].n,all=a[*],names=b[*].n,deep=c[*][*],c[1][0]");
    PARSE(h, "{\"a\":[1,\"x\",{\"n\":2}],\"b\":[]}",
          "{\"a\":[\"p q\",null,\"\\u0072\"],\"b\":[{\"m\":1,\"n\":\"i\"},{},{\"n\":null},{\"n\":"
          "[]},3]}",
          "{\"a\":[true],\"b\":[{\"n\":\"i\"},{\"n\":\"j\"}],\"c\":[[1,2],[3],[]]}",
          "{\"a\":[],\"b\":1,\"c\":[]}");
    expect_rejected_for(h, 0, LEAT_R_FIELDS, "column 'all': a[*] is an object (byte 13)");
    expect_rejected_for(h, 1, LEAT_R_FIELDS, "column 'names': b[*].n is an array");
    ck_assert_str_eq(cell(h, 0, 2), "true");
    ck_assert_str_eq(cell(h, 1, 2), "NULL");
    ck_assert_str_eq(cell(h, 2, 2), "true");
    ck_assert_str_eq(cell(h, 3, 2), "i j");
    ck_assert_str_eq(cell(h, 4, 2), "1 2 3");
    ck_assert_str_eq(cell(h, 5, 2), "3");
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_str_eq(cell(h, i, 3), "NULL");
    harness_free(h);
}
END_TEST

START_TEST(nan_and_infinity_are_no_value_on_demand)
{
    static const char *const record[] = {"{\"v\":NaN,\"n\":1,\"l\":[1,NaN,-Infinity,2]}",
                                         "{\"v\":\"NaN\",\"n\":Infinity,\"l\":[NaN]}",
                                         "{\"v\":1,\"n\":\"-Infinity\",\"z\":{\"y\":[-Infinity]}}",
                                         "{\"v\":nan}",
                                         "{\"v\":-NaN}",
                                         "{\"v\":Infinit}",
                                         "{\"n\":1e999}"};
    for (int taken = 0; taken < 2; taken++) {
        struct harness *h = parser("v,n,l=l[*]");
        harness_set(h, "numbers", "n");
        if (taken) harness_set(h, "other", "empty");
        PARSE(h, record[0], record[1], record[2], record[3], record[4], record[5], record[6]);
        for (uint32_t r = 3; r < 6; r++)
            expect_rejected_for(h, r, LEAT_R_SYNTAX, "this is not a JSON value");
        expect_rejected_for(h, 6, LEAT_R_NONFINITE, "'1e999' is too large");
        for (uint32_t r = 0; r < 3 && !taken; r++)
            expect_rejected_for(h, r, LEAT_R_SYNTAX,
                                "JSON has neither NaN nor Infinity, which Python's json.dumps and "
                                "DuckDB write: set other = \"empty\"");
        ck_assert_uint_eq(h->n_rejections, taken ? 4 : 7);
        if (taken) {
            ck_assert_str_eq(cell(h, 0, 0), "NULL");
            ck_assert_str_eq(cell(h, 0, 1), "NaN");
            ck_assert_str_eq(cell(h, 2, 0), "1 2");
            ck_assert_str_eq(cell(h, 2, 1), "NULL");
            ck_assert(h->b.column[1].number[0] == 1);
            ck_assert(isnan(h->b.column[1].number[1]) && isnan(h->b.column[1].number[2]));
        }
        harness_free(h);
    }
}
END_TEST

START_TEST(what_is_no_array_is_one_element)
{
    struct harness *h = parser("all=a[*],n=b[*].n,deep=c[*][*],d[*].e[*]");
    PARSE(h, "{\"a\":\"p q\",\"b\":{\"n\":\"i\"},\"c\":7,\"d\":{\"e\":true}}",
          "{\"a\":[\"p q\"],\"b\":[{\"n\":\"i\"}],\"c\":[[7]],\"d\":[{\"e\":[true]}]}",
          "{\"a\":null,\"b\":1,\"c\":[8,[9]],\"d\":[{\"e\":1},{\"e\":[2,3]}]}",
          "{\"a\":{\"x\":1}}");
    static const char *const one[] = {"p q", "i", "7", "true"};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_str_eq(cell(h, i, 0), one[i]);
        ck_assert_str_eq(cell(h, i, 1), one[i]);
    }
    ck_assert_str_eq(cell(h, 0, 2), "NULL");
    ck_assert_str_eq(cell(h, 1, 2), "NULL");
    ck_assert_str_eq(cell(h, 2, 2), "8 9");
    ck_assert_str_eq(cell(h, 3, 2), "1 2 3");
    expect_rejected_for(h, 3, LEAT_R_FIELDS, "column 'all': a[*] is an object (byte 6)");
    harness_free(h);
}
END_TEST

START_TEST(values_of_another_type_are_left_out_on_demand)
{
    struct harness *h = parser("a,n,t[*],i");
    harness_set(h, "numbers", "n");
    harness_set(h, "integers", "i");
    harness_set(h, "other", "empty");
    PARSE(h, "{\"a\":[1],\"n\":\"12,50\",\"t\":[\"x\",{\"y\":1},[2],\"z\"],\"i\":1.5}",
          "{\"a\":{\"b\":1},\"n\":{},\"t\":{},\"i\":[]}", "{\"a\":\"x\",\"n\":2,\"t\":[],\"i\":3}",
          "{\"n\":1e999}");
    expect_rejected(h, 3, LEAT_R_NONFINITE,
                    "column 'n': '1e999' is too large: the largest number is 1.8e308");
    ck_assert_uint_eq(h->b.n_sel, 3);
    ck_assert_str_eq(cell(h, 0, 0), "NULL");
    ck_assert_str_eq(cell(h, 0, 1), "NULL");
    ck_assert_str_eq(cell(h, 0, 2), "x");
    ck_assert_str_eq(cell(h, 2, 0), "x z");
    ck_assert_str_eq(cell(h, 2, 1), "NULL");
    const double *n = h->b.column[1].number;
    const int64_t *i = h->b.column[3].int64;
    ck_assert(isnan(n[0]) && isnan(n[1]) && n[2] == 2);
    ck_assert(i[0] == LEAT_NO_INT64 && i[1] == LEAT_NO_INT64 && i[2] == 3);
    harness_free(h);
}
END_TEST

START_TEST(joined_elements_have_the_separator_between)
{
    struct harness *h = parser("t[*],a=t[*]");
    harness_set(h, "separator", " | ");
    PARSE(h, "{\"t\":[\"p q\",null,\"\\u0072\"]}", "{\"t\":[\"\",\"\"]}", "{\"t\":[7]}");
    ck_assert_str_eq(cell(h, 0, 0), "p q | r");
    ck_assert_str_eq(cell(h, 1, 0), "p q | r");
    ck_assert_str_eq(cell(h, 0, 1), " | ");
    ck_assert_str_eq(cell(h, 0, 2), "7");
    harness_free(h);
}
END_TEST

START_TEST(joined_elements_fit_the_declared_room)
{
    struct harness *h = parser("t[*],a=t[*],s");
    char text[512] = "{\"t\":[1", *end = text + strlen(text);
    harness_set(h, "separator", "-----");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    for (int i = 0; i < 200; i++)
        end += sprintf(end, ",1");
    strcpy(end, "]}");
    uint32_t copies = h->out.copies_text;
    harness_record(h, text);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.column[0].text[0].len, 201 + 200 * 5);
    ck_assert_uint_le(2 * h->b.column[0].text[0].len, strlen(text) * (copies - 1));
    harness_free(h);
}
END_TEST

START_TEST(numbers_are_read_as_numbers)
{
    struct harness *h = parser("a,n=b.n");
    harness_set(h, "numbers", "n");
    PARSE(h, "{\"b\":{\"n\":1.5}}", "{\"b\":{\"n\":\"-2\"}}", "{\"b\":{\"n\":null}}", "{}",
          "{\"b\":{\"n\":true}}", "{\"b\":{\"n\":1e999}}", "{\"b\":{\"n\":\"\"}}");
    const double *n = h->b.column[1].number;
    ck_assert_uint_eq(h->out.column[1].type, LEAT_NUMBER);
    ck_assert(n[0] == 1.5 && n[1] == -2 && isnan(n[2]) && isnan(n[3]));
    expect_rejected(
        h, 4, LEAT_R_NUMBER,
        "column 'n': 'true' is not a number: set other = \"empty\" to leave such cells empty");
    expect_rejected(h, 5, LEAT_R_NONFINITE,
                    "column 'n': '1e999' is too large: the largest number is 1.8e308");
    ck_assert(isnan(n[6]));
    harness_free(h);
}
END_TEST

START_TEST(what_is_missing_or_null_is_rejected_on_demand)
{
    struct harness *h = parser("x=a.b,t[*].u");
    harness_set(h, "missing", "reject");
    PARSE(h, "{\"a\":{\"b\":null},\"t\":[]}", "{\"a\":{},\"t\":[]}", "{\"a\":1,\"t\":[]}",
          "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1},\"t\":[{\"u\":1},{}]}");
    expect_rejected(h, 1, LEAT_R_FIELDS, "column 'x': the record has no a.b");
    expect_rejected(h, 2, LEAT_R_FIELDS, "column 'x': the record has no a.b");
    expect_rejected(h, 3, LEAT_R_FIELDS, "column 't[*].u': the record has no t[*].u");
    expect_rejected(h, 4, LEAT_R_FIELDS, "column 't[*].u': the record has no t[*].u");
    ck_assert_uint_eq(h->b.n_sel, 1);
    harness_free(h);
    h = parser("x=a.b,t[*]");
    harness_set(h, "null", "reject");
    PARSE(h, "{\"a\":{\"b\":null}}", "{}", "{\"t\":[1,null]}");
    expect_rejected(h, 0, LEAT_R_FIELDS, "column 'x': a.b is null");
    expect_rejected(h, 2, LEAT_R_FIELDS, "column 't[*]': t[*] is null");
    ck_assert_uint_eq(h->b.n_sel, 1);
    harness_free(h);
}
END_TEST

START_TEST(of_equal_keys_the_first_counts)
{
    struct harness *h = parser("a,b.c");
    PARSE(h, "{\"a\":1,\"a\":2,\"b\":{\"d\":0,\"c\":3,\"c\":4},\"b\":{\"c\":5}}",
          "{\"b\":{},\"\\u0062\":{\"c\":5},\"a\":null,\"a\":1}");
    ck_assert_str_eq(cell(h, 0, 0), "1");
    ck_assert_str_eq(cell(h, 1, 0), "3");
    ck_assert_str_eq(cell(h, 0, 1), "NULL");
    ck_assert_str_eq(cell(h, 1, 1), "NULL");
    harness_free(h);
}
END_TEST

START_TEST(blank_records_are_left_out)
{
    struct harness *h = parser("a");
    PARSE(h, "", " ", "\t \r", "\xef\xbb\xbf", "\xef\xbb\xbf{\"a\":1}");
    ck_assert_uint_eq(h->b.n_sel, 1);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_str_eq(cell(h, 0, 4), "1");
    harness_free(h);
}
END_TEST

static const struct wrong {
    const char *record;
    uint32_t byte;
    const char *why;
} WRONG[] = {
    {"[1]", 1, "a { is expected"},
    {"17", 1, "a { is expected"},
    {"x", 1, "a { is expected"},
    {"{", 2, "the text ends inside the object"},
    {"{\"a\":{\"b\":1}", 13, "the text ends inside the object"},
    {"{\"a\"", 5, "the text ends inside the object"},
    {"{\"a\":", 6, "the text ends inside the object"},
    {"{a:1}", 2, "a key in quotes is expected"},
    {"{\"a\":1,}", 8, "a key in quotes is expected"},
    {"{\"a\" 1}", 6, "a colon is expected"},
    {"{\"a\":}", 6, "a value is expected"},
    {"{\"a\":1 \"b\":2}", 8, "a comma or } is expected"},
    {"{\"z\":[1 2]}", 9, "a comma or ] is expected"},
    {"{\"z\":[1,]}", 9, "a value is expected"},
    {"{\"z\":[1}", 8, "a comma or ] is expected"},
    {"{\"z\":tru}", 6, "not a JSON value"},
    {"{\"z\":trues}", 6, "not a JSON value"},
    {"{\"z\":nul}", 6, "not a JSON value"},
    {"{\"z\":01}", 6, "not a JSON value"},
    {"{\"z\":+1}", 6, "not a JSON value"},
    {"{\"z\":.5}", 6, "not a JSON value"},
    {"{\"z\":1.}", 6, "not a JSON value"},
    {"{\"z\":1e}", 6, "not a JSON value"},
    {"{\"z\":-}", 6, "not a JSON value"},
    {"{\"z\":1\"\"}", 6, "not a JSON value"},
    {"{\"z\":NaN}", 6, "JSON has neither NaN nor Infinity"},
    {"{\"z\":'a'}", 6, "not a JSON value"},
    {"{\"a\":1} {\"a\":2}", 9, "text follows the object"},
    {"{\"a\":1}}", 8, "text follows the object"},
    {"{\"a\":\"x", 6, "the quote is never closed"},
    {"{\"a\":\"x\\\"}", 6, "the quote is never closed"},
    {"{\"a\":\"x\ty\"}", 8, "a string has a control character"},
    {"{\"a\":\"x\\\ty\"}", 9, "a string has a control character"},
    {"{\"z\":\"\\x\"}", 7, "JSON does not have this escape"},
    {"{\"z\":\"\\u12g4\"}", 7, "JSON does not have this escape"},
    {"{\"z\\u\":1}", 4, "JSON does not have this escape"},
    {"{\"z\":\"\\ud800\"}", 7, "half of a surrogate pair"},
    {"{\"z\":\"\\udc00\\ud800\"}", 7, "half of a surrogate pair"},
    {"{\"z\":\"\\ud800\\n1234\"}", 7, "half of a surrogate pair"},
    {"{\"z\":\"\xc3(\"}", 7, "this is not UTF-8"},
    {"{\"z\":\"\xed\xa0\x80\"}", 7, "this is not UTF-8"},
    {"{\"z\":\"\xf4\x90\x80\x80\"}", 7, "this is not UTF-8"},
    {"{\"z\":1}\xff", 8, "this is not UTF-8"},
    {"{\\\"a\\\":1}", 2, "a key in quotes is expected"},
    {"{\"z\":\"x\"\\\"}", 9, "a comma or } is expected"},
};
enum { N_WRONG = sizeof WRONG / sizeof *WRONG };

START_TEST(what_is_no_object_is_rejected_with_the_byte)
{
    struct harness *h = parser("a,b");
    ck_assert_int_eq(harness_open(h, N_WRONG), LEAT_OK);
    for (uint32_t i = 0; i < N_WRONG; i++)
        harness_record(h, WRONG[i].record);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t i = 0; i < N_WRONG; i++) {
        const struct harness_rejection *got = harness_rejected(h, i);
        char head[32];
        int n = sprintf(head, "byte %u is wrong: ", (unsigned)WRONG[i].byte);
        ck_assert_msg(got && got->reason == LEAT_R_SYNTAX, "%s is not rejected", WRONG[i].record);
        ck_assert_msg(!strncmp(got->text, head, (size_t)n) && strstr(got->text, WRONG[i].why),
                      "%s: %s", WRONG[i].record, got->text);
    }
    harness_free(h);
}
END_TEST

static const char *nested(char *to, uint32_t depth, const char *open, const char *close)
{
    char *p = to + sprintf(to, "{\"a\":1,\"z\":");
    for (uint32_t i = 1; i < depth; i++)
        p += sprintf(p, "%s", open);
    p += sprintf(p, "0");
    for (uint32_t i = 1; i < depth; i++)
        p += sprintf(p, "%s", close);
    strcpy(p, "}");
    return to;
}

START_TEST(what_is_too_deep_is_rejected)
{
    struct harness *h = parser("a");
    char text[4][4096];
    PARSE(h, nested(text[0], 256, "[", "]"), nested(text[1], 257, "[", "]"),
          nested(text[2], 256, "{\"b\":", "}"), nested(text[3], 257, "{\"b\":", "}"));
    expect_rejected(h, 1, LEAT_R_SYNTAX,
                    "byte 267 is wrong: objects and arrays are nested too deep");
    expect_rejected_for(h, 3, LEAT_R_SYNTAX, "too deep");
    ck_assert_str_eq(cell(h, 0, 0), "1");
    ck_assert_str_eq(cell(h, 0, 2), "1");
    harness_free(h);
}
END_TEST

START_TEST(an_object_or_array_is_no_single_value)
{
    struct harness *h = parser("a,x=b.c");
    PARSE(h, "{\"a\":{\"b\":1}}", "{\"b\":{\"c\":[1]}}", "{\"a\":[]}");
    expect_rejected(h, 0, LEAT_R_FIELDS,
                    "column 'a': a is an object (byte 6), and a column takes single values: "
                    "add a key, as in a.b; set other = \"empty\" to leave such cells empty");
    expect_rejected(
        h, 1, LEAT_R_FIELDS,
        "column 'x': b.c is an array (byte 11), and a column takes single values: "
        "add an element, [0], or all, [*]; set other = \"empty\" to leave such cells empty");
    expect_rejected_for(h, 2, LEAT_R_FIELDS, "a is an array (byte 6)");
    harness_free(h);
}
END_TEST

START_TEST(a_record_longer_than_its_source_declared_is_rejected)
{
    struct harness *h = parser("a");
    h->in.max_record_bytes = 64;
    char text[256];
    sprintf(text, "{\"a\":\"%080d\"}", 1);
    PARSE(h, text, "{\"a\":1}");
    expect_rejected_for(h, 0, LEAT_R_TOO_LARGE, "the record has 88 bytes");
    ck_assert_str_eq(cell(h, 0, 1), "1");
    harness_free(h);
}
END_TEST

START_TEST(wrong_parameters_are_reported)
{
    static const char *const wrong[][2] = {
        {"a..b",
         "'a..b': a key (in quotes where it holds . [ ] = or is empty) is expected at byte 3"},
        {"x=a.", "'x=a.': a key"},
        {"[0]", "is expected at byte 1"},
        {"a[", "the number of an element, from 0, or * is expected at byte 3"},
        {"a[-1]", "the number of an element, from 0, or * is expected at byte 3"},
        {"a[99999999999]", "the number of an element"},
        {"a[1", "a ] is expected at byte 4"},
        {"a[*", "a ] is expected at byte 4"},
        {"a[0]b", "a . or [ is expected at byte 5"},
        {"x=a=b", "a . or [ is expected at byte 4"},
        {"\"a", "the quote that closes the key is expected at byte 3"},
        {"=a", "'=a' must have the form \"path\" or \"name=path\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refused_and_free(parser(wrong[i][0]), wrong[i][1]);
    struct harness *h = parser("a,b[*]");
    harness_set(h, "numbers", "c");
    expect_refused_and_free(h, "there is no column 'c' in `columns`");
    h = parser("a,b[*]");
    harness_set(h, "numbers", "b[*]");
    expect_refused_and_free(h, "joins elements");
}
END_TEST

START_TEST(quoted_keys_may_hold_anything)
{
    struct harness *h = parser("\"\".\"a\"\"b\".\"[0]\"[1],\"x \"=\"\"");
    PARSE(h, "{\"\":{\"a\\\"b\":{\"[0]\":[1,2]}}}");
    ck_assert_str_eq(cell(h, 0, 0), "2");
    harness_free(h);
}
END_TEST

static struct harness *of_two(void) { return parser("a,b[*]"); }

START_TEST(every_failed_allocation_is_told_and_leaves_nothing)
{
    expect_failed_allocations_told(of_two);
}
END_TEST

START_TEST(without_columns_the_schema_stays_open)
{
    struct harness *h = parser(NULL);
    ck_assert_int_eq(harness_negotiate(h), 0);
    ck_assert_uint_eq(h->out.open, 1);
    ck_assert_uint_eq(h->out.n_columns, 0);
    harness_free(h);
}
END_TEST

/* ---- random documents ---- */

enum { TEXT = 4096, DOCUMENTS = 3000, DEEP = 5 };

static const char *const KEYS[] = {"a", "\\u0062", "c.d", "", "k\\u00e9y", "a\\\"b"};
static const char *const SCALARS[] = {
    "0",
    "-1.50",
    "7e2",
    "123456789",
    "true",
    "false",
    "null",
    "\"\"",
    "\"x y\"",
    "\"\\n\\\\\"",
    "\"\\ud83d\\ude00\"",
    "\"\xe2\x82\xac\"",
};
enum { N_KEYS = sizeof KEYS / sizeof *KEYS, N_SCALARS = sizeof SCALARS / sizeof *SCALARS };

struct document {
    uint64_t random;
    char text[TEXT];
    size_t n;
};

static void put(struct document *d, const char *text)
{
    ck_assert(d->n + strlen(text) < TEXT);
    d->n += (size_t)sprintf(d->text + d->n, "%s", text);
    if (!below(&d->random, 8)) d->n += (size_t)sprintf(d->text + d->n, " ");
}

static void put_value(struct document *d, int depth);

static void put_object(struct document *d, int depth)
{
    const char *comma = "";
    put(d, "{");
    for (uint32_t i = 0, from = below(&d->random, N_KEYS); i < N_KEYS; i++) {
        if (below(&d->random, 2)) continue;
        char key[32];
        sprintf(key, "%s\"%s\"", comma, KEYS[(from + i) % N_KEYS]);
        put(d, key);
        put(d, ":");
        put_value(d, depth + 1);
        comma = ",";
    }
    put(d, "}");
}

static void put_array(struct document *d, int depth)
{
    put(d, "[");
    for (uint32_t i = 0, n = below(&d->random, 4); i < n; i++) {
        if (i) put(d, ",");
        put_value(d, depth + 1);
    }
    put(d, "]");
}

static void put_value(struct document *d, int depth)
{
    uint32_t what = depth < DEEP ? below(&d->random, 5) : 4;
    if (what == 0)
        put_object(d, depth);
    else if (what == 1)
        put_array(d, depth);
    else
        put(d, SCALARS[below(&d->random, N_SCALARS)]);
}

static void make_document(struct document *d)
{
    d->n = 0;
    put_object(d, 0);
}

/* Each path for parse.json, and its steps for the oracle: keys, "#2" and "#*". */
enum { STEPS = 4 };
static const struct {
    const char *path, *step[STEPS];
} PATHS[] = {
    {"a", {"a"}},
    {"b", {"b"}},
    {"a.b", {"a", "b"}},
    {"\"c.d\"", {"c.d"}},
    {"\"c.d\".a.b", {"c.d", "a", "b"}},
    {"\"\"", {""}},
    {"k\xc3\xa9y[0]", {"k\xc3\xa9y", "#0"}},
    {"b[1].b", {"b", "#1", "b"}},
    {"a[*]", {"a", "#*"}},
    {"b[*].a", {"b", "#*", "a"}},
    {"b[0][*]", {"b", "#0", "#*"}},
    {"\"\".a[*][*]", {"", "a", "#*", "#*"}},
    {"\"a\"\"b\"[*][1]", {"a\"b", "#*", "#1"}},
};
enum { N_PATHS = sizeof PATHS / sizeof *PATHS };

/* The expected cell. */
struct want {
    bool rejected, joined;
    uint32_t n;
    char text[TEXT];
};

static const char *scalar_text(const json_t *value)
{
    if (json_is_string(value)) return json_string_value(value);
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    uint32_t i = 0;
    while (strtod(SCALARS[i], NULL) != json_number_value(value))
        i++;
    return SCALARS[i];
}

static void want_value(struct want *w, const json_t *value, const char *const *step)
{
    if (value && *step && step[0][0] == '#' && step[0][1] == '*') {
        w->joined = true;
        if (!json_is_array(value)) want_value(w, value, step + 1); /* counts as one element */
        for (size_t i = 0; i < json_array_size(value); i++)
            want_value(w, json_array_get(value, i), step + 1);
    } else if (value && *step) {
        want_value(w,
                   step[0][0] == '#' ? json_array_get(value, strtoul(step[0] + 1, NULL, 10))
                                     : json_object_get(value, *step),
                   step + 1);
    } else if (json_is_object(value) || json_is_array(value)) {
        w->rejected = true;
    } else if (value && !json_is_null(value)) {
        sprintf(w->text + strlen(w->text), "%s%s", w->n++ ? " " : "", scalar_text(value));
    }
}

static json_t *load(const struct document *d, json_error_t *error)
{
    return json_loadb(d->text, d->n, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, error);
}

static void compare(const struct harness *h, uint32_t r, const struct document *d)
{
    json_error_t error;
    json_t *root = load(d, &error);
    ck_assert_msg(root != NULL, "%s: %s", d->text, error.text);
    bool rejected = false;
    for (uint32_t i = 0; i < N_PATHS && !rejected; i++) {
        const char *step[STEPS + 1] = {0};
        memcpy(step, PATHS[i].step, sizeof PATHS[i].step);
        struct want w = {.n = 0};
        want_value(&w, root, step);
        rejected = w.rejected;
        struct leat_str s = h->b.column[i].text[r];
        bool same = w.n ? s.len == strlen(w.text) && !memcmp(leat_text(&h->b, s), w.text, s.len)
                        : s.len == LEAT_NULL;
        ck_assert_msg(rejected || same, "%s of %s is not '%s'", PATHS[i].path, d->text, w.text);
    }
    ck_assert_msg(rejected == (harness_rejected(h, r) != NULL), "%s", d->text);
    json_decref(root);
}

static struct harness *parser_of_paths(void)
{
    char columns[512] = "";
    for (uint32_t i = 0; i < N_PATHS; i++)
        sprintf(columns + strlen(columns), "%s%s", i ? "," : "", PATHS[i].path);
    struct harness *h = parser(columns);
    ck_assert_msg(harness_open(h, 64) == LEAT_OK, "%s", h->said);
    return h;
}

START_TEST(random_documents_have_the_values_that_jansson_finds)
{
    struct harness *h = parser_of_paths();
    struct document d = {.random = seed_given()};
    for (int i = 0; i < DOCUMENTS; i++) {
        make_document(&d);
        harness_clear(h);
        harness_record(h, d.text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        compare(h, 0, &d);
    }
    harness_free(h);
}
END_TEST

static void mutate(struct document *d)
{
    static const char bytes[] = "{}[]:,\"\\ 0e-+.tfnu1\t\x01\x80\xc3\xa9";
    for (uint32_t i = 0, n = 1 + below(&d->random, 3); i < n && d->n; i++) {
        size_t at = below(&d->random, (uint32_t)d->n), less = below(&d->random, 2),
               more = below(&d->random, 2);
        if (d->n + more >= TEXT) continue;
        memmove(d->text + at + more, d->text + at + less, d->n + 1 - at - less);
        if (more) d->text[at] = bytes[below(&d->random, sizeof bytes - 1)];
        d->n += more - less;
    }
}

START_TEST(damaged_documents_are_rejected_where_jansson_rejects_them)
{
    struct harness *h = parser("none");
    struct document d = {.random = seed_given() + 1};
    int right = 0, wrong = 0;
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    for (int i = 0; i < 10 * DOCUMENTS; i++) {
        json_error_t error;
        make_document(&d);
        mutate(&d);
        if (strspn(d.text, " \t") == d.n) continue; /* blank */
        harness_clear(h);
        harness_record(h, d.text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        json_t *root = load(&d, &error);
        if (!root && json_error_code(&error) == json_error_numeric_overflow) continue;
        ck_assert_msg(json_is_object(root) == (h->n_rejections == 0), "%s: %s", d.text,
                      h->n_rejections ? h->rejection[0].text : error.text);
        right += root != NULL;
        wrong += !root;
        json_decref(root);
    }
    ck_assert_int_gt(right, 1000);
    ck_assert_int_gt(wrong, 1000);
    harness_free(h);
}
END_TEST

/* Positions, numbers of tokens and the end of the text fall on all parts of blocks of 64 bytes. */
START_TEST(length_and_place_do_not_matter)
{
    struct harness *h = parser("a,b");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (int n = 0; n < 200; n++) {
        char text[600], want[256];
        sprintf(want, "%0*d", n + 1, 1);
        sprintf(text, "{\"a\":\"%s\",\"b\":[\"%s\\\\\"]}", want, want);
        harness_clear(h);
        harness_record(h, "{\"a\":1}");
        harness_record(h, text);
        text[strlen(text) - 1] = 0;
        harness_record(h, text);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_str_eq(cell(h, 0, 0), "1");
        expect_rejected_for(h, 1, LEAT_R_FIELDS, "b is an array");
        ck_assert_str_eq(cell(h, 0, 1), want);
        expect_rejected_for(h, 2, LEAT_R_SYNTAX, "the text ends inside the object");
    }
    harness_free(h);
}
END_TEST

/* Adds a record that begins with bytes that may be 0. */
static void framed(struct harness *h, const char *head, size_t n, const char *text)
{
    char record[256];
    memcpy(record, head, n);
    memcpy(record + n, text, strlen(text));
    harness_bytes(h, record, n + strlen(text));
}
#define FRAMED(H, HEAD, TEXT) framed(H, HEAD, sizeof HEAD - 1, TEXT)
#define GLUE_UUID             "\x0f\x11\"3DUfw\x88\x99\xaa\xbb\xcc\xdd\xee\xff"

START_TEST(the_number_of_a_schema_before_the_object_is_passed_over)
{
    struct harness *h = parser("a");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    FRAMED(h, "\0\0\0\0\5", "{\"a\":1}");
    FRAMED(h, "\0\0\0\0\"", " {\"a\":\"x\"}"); /* a quote, and a byte that is no UTF-8 */
    FRAMED(h, "\0\xff\xff\0{", "{\"a\":2}");
    FRAMED(h, "\3\0" GLUE_UUID, "{\"a\":3}");
    FRAMED(h, "", "{\"a\":4}");
    FRAMED(h, "\0\0\0\0\5", "{\"a\":1}x");
    FRAMED(h, "\0\0\0\0\5", "{\"a\":\"\xff\"}");
    FRAMED(h, "\0\xff\0\0\5", "\x0e,\x02q");
    FRAMED(h, "\3\5" GLUE_UUID, "{\"a\":3}");
    FRAMED(h, "\0\0\0\0\5", "");
    FRAMED(h, "\xC3\1", "12345678,");
    FRAMED(h, "Obj\1", "avro,");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    static const char *const want[] = {"1", "x", "2", "3", "4"};
    for (uint32_t r = 0; r < 5; r++)
        ck_assert_str_eq(cell(h, 0, r), want[r]);
    expect_rejected_for(h, 5, LEAT_R_SYNTAX, "byte 13 is wrong");
    expect_rejected_for(h, 6, LEAT_R_SYNTAX, "byte 12 is wrong");
    expect_rejected_for(h, 7, LEAT_R_SYNTAX, "0 and the number of a schema, and no JSON follows");
    expect_rejected_for(h, 8, LEAT_R_SYNTAX, "compressed as AWS Glue does it");
    expect_rejected_for(h, 9, LEAT_R_SYNTAX, "0 and the number of a schema, and no JSON follows");
    expect_rejected_for(h, 10, LEAT_R_SYNTAX, "Avro's single-object encoding");
    expect_rejected_for(h, 11, LEAT_R_SYNTAX, "begins like an Avro file");
    harness_free(h);
}
END_TEST

START_TEST(json_that_glue_has_compressed_is_unpacked)
{
    static const char head[] = "\3\5" GLUE_UUID;
    static const struct {
        const char *bytes;
        size_t n;
    } packed[] = {
        {"\170\234\253\126\112\124\262\122\252\210\311\253\124\252\005\000\027\200\003\327", 20},
        {"\170\234\253\126\112\124\262\252\126\112\122\262\062\254\255\005\000\032\033\003\341",
         21},
        {"\170\234\253\126\112\124\262\062\004\000\006\041\001\214", 14},
        {"\170\234\253\126\112\124\262\122\142\124\252\005\000\013\115\002\035", 17},
        {"\170\234\213\066\214\005\000\001\323\000\352", 11},
    };
    struct harness *h = parser("a");
    harness_set(h, "framing", "glue");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        char record[256];
        memcpy(record, head, sizeof head - 1);
        memcpy(record + sizeof head - 1, packed[i].bytes, packed[i].n);
        harness_bytes(h, record, sizeof head - 1 + packed[i].n);
    }
    FRAMED(h, "\3\5" GLUE_UUID, "{\"a\":3}");
    FRAMED(h, "\3\0" GLUE_UUID, "{\"a\":4}");
    FRAMED(h, "", "{\"a\":5}");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(cell(h, 0, 0), "x\ny");
    expect_rejected_for(h, 1, LEAT_R_FIELDS, "a is an object");
    expect_rejected_for(h, 2, LEAT_R_SYNTAX, "");
    expect_rejected_for(h, 3, LEAT_R_SYNTAX, "control character");
    expect_rejected_for(h, 4, LEAT_R_SYNTAX, "not an object");
    expect_rejected_for(h, 5, LEAT_R_SYNTAX, "zlib stream is damaged");
    ck_assert_str_eq(cell(h, 0, 6), "4");
    ck_assert_str_eq(cell(h, 0, 7), "5");
    harness_free(h);
}
END_TEST

START_TEST(items_of_cbor_and_messagepack_are_read_like_their_json)
{
    struct harness *h = parser("a,t=l[*],n,b=a,d");
    harness_set(h, "format", "cbor");
    harness_set(h, "numbers", "n");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    FRAMED(h,
           "\xa3\x61"
           "a\x63"
           "x\"\n\x61l\x83\x01\xf5\x61"
           "y\x61n\xf9\x3e\x00",
           "");
    FRAMED(h,
           "\xd9\xd9\xf7\xa1\x61"
           "a\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
           "");
    FRAMED(h,
           "\xbf\x61"
           "a\x42\x01\x02\x61"
           "a\x01\xff",
           "");
    FRAMED(h, "\x01", "");
    FRAMED(h,
           "\xa1\x61"
           "a",
           "");
    FRAMED(h,
           "\xa1\x61"
           "a\x1c",
           "");
    FRAMED(h,
           "\xa1\x61"
           "a\x01\x02",
           "");
    FRAMED(h,
           "\xa1\x61"
           "a\x61\xff",
           "");
    FRAMED(h, "\xa1\x80\x01", "");
    FRAMED(h, "\xa1\x61z\xf9\x7e\x00", "");
    FRAMED(h,
           "\xa1\x61"
           "d\xa0",
           "");
    harness_record(h, "{\"a\":1}");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(cell(h, 0, 0), "x\"\n");
    ck_assert_str_eq(cell(h, 1, 0), "1 true y");
    ck_assert(h->b.column[2].number[0] == 1.5);
    ck_assert_str_eq(cell(h, 3, 0), "x\"\n");
    ck_assert_str_eq(cell(h, 0, 1), "18446744073709551615");
    ck_assert_str_eq(cell(h, 0, 2), "AQI=");
    expect_rejected_for(h, 3, LEAT_R_SYNTAX, "the record is not a map");
    expect_rejected_for(h, 4, LEAT_R_SYNTAX, "byte 4 is wrong: it ends within an item");
    expect_rejected_for(h, 5, LEAT_R_SYNTAX, "byte 4 is wrong: the format has no such byte here");
    expect_rejected_for(h, 6, LEAT_R_SYNTAX, "byte 5 is wrong: other bytes follow the item");
    expect_rejected_for(h, 7, LEAT_R_SYNTAX, "byte 5 is wrong: a text is not UTF-8");
    expect_rejected_for(h, 8, LEAT_R_SYNTAX, "byte 2 is wrong: a key is an array or a map");
    expect_rejected_for(h, 9, LEAT_R_SYNTAX, "a number is NaN or infinite: set other = \"empty\"");
    expect_rejected_for(h, 10, LEAT_R_FIELDS, "column 'd': d is an object");
    expect_rejected_for(h, 11, LEAT_R_SYNTAX, "byte 8 is wrong: it ends within an item");
    harness_free(h);
    h = parser("a,z");
    harness_set(h, "format", "msgpack");
    harness_set(h, "other", "empty");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    FRAMED(h,
           "\x82\xa1"
           "a\xd6\xff\x65\xe0\xa5\x80\xa1z\xca\x7f\xc0\0\0",
           "");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(cell(h, 0, 0), "2024-02-29T15:40:48Z");
    ck_assert_str_eq(cell(h, 1, 0), "NULL");
    harness_free(h);
}
END_TEST

/* Reads a record of many values of one kind, each as a column and joined. */
static void dense(const char *value, size_t n_value)
{
    enum { VALUES = 60 };
    struct harness *h = parser(NULL);
    char paths[1024] = "all=v[*]", record[1024] = "\xa1\x61v\x98\x3c";
    size_t n = 5;
    for (int i = 0; i < VALUES; i++) {
        sprintf(paths + strlen(paths), ",v[%d]", i);
        memcpy(record + n, value, n_value);
        n += n_value;
    }
    harness_set(h, "columns", paths);
    harness_set(h, "format", "cbor");
    harness_set(h, "separator", "---");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    harness_bytes(h, record, n);
    const uint32_t before = h->b.n_bytes;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_gt(h->b.n_bytes, before);
    ck_assert_uint_le(h->b.n_bytes - before,
                      n * h->out.copies_text + h->out.added_bytes_per_record);
    harness_free(h);
}

START_TEST(cells_of_items_fit_the_declared_room)
{
    dense("\xf4", 1);
    dense("\x38\xff", 2);
    dense("\x61\x01", 2);
    dense("\xf9\x84\x01", 3);
    dense("\xc4\x82\x25\x01", 4);
}
END_TEST

START_TEST(an_item_whose_json_is_longer_than_a_record_is_rejected)
{
    struct harness *h = parser("a");
    char record[100] = "\x99\0\x60";
    harness_set(h, "format", "cbor");
    h->in.max_record_bytes = 128;
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    memset(record + 3, 0xf4, 96);
    harness_bytes(h, record, 99);
    FRAMED(h,
           "\xa1\x61"
           "a\xf4",
           "");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    expect_rejected_for(h, 0, LEAT_R_TOO_LARGE, "the record's JSON has more than 128 bytes");
    ck_assert_str_eq(cell(h, 0, 1), "false");
    harness_free(h);
}
END_TEST

LEAT_SUITE(
    "parse_json", bytes_of_the_journal_are_texts, other_arrays_are_no_bytes,
    items_of_cbor_and_messagepack_are_read_like_their_json, cells_of_items_fit_the_declared_room,
    an_item_whose_json_is_longer_than_a_record_is_rejected,
    the_number_of_a_schema_before_the_object_is_passed_over,
    json_that_glue_has_compressed_is_unpacked, columns_are_named_by_their_paths_or_by_their_names,
    values_are_what_is_written, escapes_become_the_characters_they_stand_for,
    elements_are_taken_one_by_one_or_joined, what_is_no_array_is_one_element,
    nan_and_infinity_are_no_value_on_demand, values_of_another_type_are_left_out_on_demand,
    joined_elements_have_the_separator_between, joined_elements_fit_the_declared_room,
    numbers_are_read_as_numbers, what_is_missing_or_null_is_rejected_on_demand,
    of_equal_keys_the_first_counts, blank_records_are_left_out,
    what_is_no_object_is_rejected_with_the_byte, what_is_too_deep_is_rejected,
    an_object_or_array_is_no_single_value, a_record_longer_than_its_source_declared_is_rejected,
    wrong_parameters_are_reported, quoted_keys_may_hold_anything,
    every_failed_allocation_is_told_and_leaves_nothing, without_columns_the_schema_stays_open,
    random_documents_have_the_values_that_jansson_finds,
    damaged_documents_are_rejected_where_jansson_rejects_them, length_and_place_do_not_matter)
