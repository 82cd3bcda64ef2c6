/* test_expression.c -- expressions of shape.set and shape.where: results and refusals. */
/* tier: long (10 s) */
#include <math.h>
#include <stdio.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/random.h"
#include "support/suite.h"

/* ---- by hand ---- */

static struct harness *with_columns(const char *stage)
{
    struct harness *h = harness_new("shape", stage);
    harness_column(h, "s", LEAT_TEXT);
    harness_column(h, "t", LEAT_TEXT);
    harness_column(h, "x", LEAT_NUMBER);
    h->in.max_record_bytes = 4096;
    return h;
}

static char shown[256];

/* Returns the expression's result for one record: its text, its number, 1 or 0 for a condition, "-"
 * if it is missing, "rejected". */
static const char *value(const char *expression, const char *cells)
{
    static char definition[512];
    static const char *list[1] = {definition};
    struct harness *h = with_columns("shape.set");
    snprintf(definition, sizeof definition, "new = %s", expression);
    harness_set_list(h, "columns", list, 1);
    ck_assert_msg(harness_open(h, 4) == LEAT_OK, "%s: %s", expression, h->said);
    uint32_t r = harness_row(h, cells);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    if (h->b.status[r] == LEAT_ROW_REJECTED)
        snprintf(shown, sizeof shown, "rejected");
    else if (h->out.column[3].type == LEAT_BOOLEAN)
        snprintf(shown, sizeof shown, "%c", "01-"[h->b.column[3].boolean[r]]);
    else if (h->out.column[3].type == LEAT_NUMBER)
        snprintf(shown, sizeof shown, isnan(h->b.column[3].number[r]) ? "-" : "%.15g",
                 h->b.column[3].number[r]);
    else if (h->b.column[3].text[r].len == LEAT_NULL)
        snprintf(shown, sizeof shown, "-");
    else
        snprintf(shown, sizeof shown, "%.*s", (int)h->b.column[3].text[r].len,
                 leat_text(&h->b, h->b.column[3].text[r]));
    harness_free(h);
    return shown;
}

struct claim {
    const char *expression, *cells, *wanted;
};

static void check_all(const struct claim *claims, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(!strcmp(value(claims[i].expression, claims[i].cells), claims[i].wanted),
                      "%s of %s is %s and not %s", claims[i].expression, claims[i].cells, shown,
                      claims[i].wanted);
}
#define CHECK_ALL(...)                                                                             \
    do {                                                                                           \
        static const struct claim claims[] = {__VA_ARGS__};                                        \
        check_all(claims, sizeof claims / sizeof *claims);                                         \
    } while (0)

START_TEST(operators_bind_as_in_arithmetic)
{
    CHECK_ALL({"1 + 2 * 3", "||", "7"}, {"(1 + 2) * 3", "||", "9"}, {"8 - 2 - 1", "||", "5"},
              {"8 / 2 / 2", "||", "2"}, {"-2 - -3", "||", "1"}, {"7 % 3", "||", "1"},
              {"-7 % 3", "||", "2"}, {"7 % -3", "||", "-2"}, {"1 + 1 .. 'a' .. 2 * 2", "||", "2a4"},
              {"x + 1 > 2 and not x > 5 or s == 'a'", "a||9", "1"}, {"1..2", "||", "12"},
              {"x*2", "||4", "8"}, {".5 + 1.", "||", "1.5"}, {"1e3", "||", "1000"},
              {"not not true", "||", "1"}, {"true or false and false", "||", "1"});
}
END_TEST

START_TEST(texts_are_cut_joined_and_changed)
{
    CHECK_ALL({"lower(s)", "ÄÖ Straße AB\xff||", "äö straße ab\xff"},
              {"upper(s)", "äö-ab||", "ÄÖ-AB"}, {"upper(s)", "ɐ||", "Ɐ"},
              {"trim(s)", "  \t a b \r||", "a b"}, {"trim(s)", "  ||", ""},
              {"substring(s, 2, 3)", "añbcd||", "ñbc"}, {"substring(s, 2)", "añb||", "ñb"},
              {"substring(s, -2)", "añb||", "ñb"}, {"substring(s, -9, 2)", "añb||", "añ"},
              {"substring(s, 9)", "abc||", ""}, {"substring(s, 0, 1)", "abc||", "a"},
              {"substring(s, 1, -1)", "abc||", ""}, {"substring(s, 1, 1e300)", "abc||", "abc"},
              {"split(s, '/', 2)", "a/b/c||", "b"}, {"split(s, '/', -1)", "a/b/c||", "c"},
              {"split(s, '/', 4)", "a/b/c||", "-"}, {"split(s, '/', -4)", "a/b/c||", "-"},
              {"split(s, '/', 0)", "a/b/c||", "-"}, {"split(s, '::', 2)", "a::b||", "b"},
              {"split(s, '', 1)", "ab||", "-"}, {"split(s, '/', 1)", "||", ""},
              {"before(s, '=')", "k=v=w||", "k"}, {"after(s, '=')", "k=v=w||", "v=w"},
              {"before(s, '=')", "kv||", "-"}, {"after(s, '=')", "kv||", "-"},
              {"replace(s, 'a', 'xyz')", "banana||", "bxyznxyznxyz"},
              {"replace(s, 'an', '')", "banana||", "ba"}, {"replace(s, '', 'x')", "ab||", "ab"},
              {"s .. '-' .. t", "a|b|", "a-b"}, {"s .. t", "a|\\N|", "-"},
              {"s .. x", "a||0.5", "a0.5"}, {"length(s)", "añb\xff||", "4"},
              {"'it''s'", "||", "it's"}, {"\"say \"\"a\"\"\"", "||", "say \"a\""},
              {"text(x)", "||0.1", "0.1"}, {"lower(x)", "||1e300", "1e+300"});
}
END_TEST

START_TEST(numbers_are_rounded_bounded_and_put_into_buckets)
{
    CHECK_ALL({"round(x)", "||2.5", "3"}, {"round(x)", "||-2.5", "-3"},
              {"round(x, 2)", "||3.14159", "3.14"}, {"round(x, -2)", "||1250", "1300"},
              {"round(x, 400)", "||1.5", "1.5"}, {"round(x, -400)", "||1.5", "0"},
              {"round(x, 5)", "||1e300", "1e+300"}, {"floor(x)", "||-1.5", "-2"},
              {"ceil(x)", "||-1.5", "-1"}, {"abs(x)", "||-3", "3"}, {"sqrt(x)", "||9", "3"},
              {"sqrt(x)", "||-1", "-"}, {"log(x)", "||1", "0"}, {"log(x)", "||0", "-"},
              {"log(x)", "||-1", "-"}, {"round(log(x), 12)", "||1e-320", "-736.827240890974"},
              {"min(x, 3, 2)", "||4", "2"}, {"max(x, 3)", "||4", "4"}, {"min(x, 1)", "||\\N", "-"},
              {"bucket(x, -1, 0, 1e6)", "||-2", "<-1"}, {"bucket(x, -1, 0, 1e6)", "||-1", "-1..0"},
              {"bucket(x, -1, 0, 1e6)", "||0", "0..1000000"}, {"bucket(x, 5)", "||5", ">=5"},
              {"bucket(x, 5)", "||\\N", "-"}, {"x / 0", "||1", "-"}, {"x % 0", "||1", "-"},
              {"x * 1e300", "||1e300", "-"}, {"x - x", "||inf", "-"});
}
END_TEST

START_TEST(a_hash_is_the_same_for_ever)
{
    CHECK_ALL({"hash(s)", "\\N||", "-"}, {"hash(s) == 1188583619219621", "user 1||", "1"},
              {"hash('a', 'bc') == hash('ab', 'c')", "||", "0"},
              {"hash(x) == hash('7')", "||7", "1"}, {"hash(s) % 1000 < 1000", "a||", "1"});
}
END_TEST

START_TEST(a_missing_operand_makes_a_missing_result)
{
    CHECK_ALL({"x + 1", "||\\N", "-"}, {"s == 'a'", "\\N||", "-"}, {"s != 'a'", "\\N||", "-"},
              {"s in ('a')", "\\N||", "-"}, {"not (x > 1)", "||\\N", "-"},
              {"x > 1 and false", "||\\N", "0"}, {"x > 1 and true", "||\\N", "-"},
              {"x > 1 or true", "||\\N", "1"}, {"x > 1 or false", "||\\N", "-"},
              {"if(x > 1, 'a', 'b')", "||\\N", "-"}, {"if(x > 1, 'a')", "||0", "-"},
              {"if(x > 1, 'a')", "||2", "a"}, {"coalesce(s, t, 'none')", "\\N|\\N|", "none"},
              {"coalesce(s, t, 'none')", "\\N|b|", "b"}, {"coalesce(x, 0)", "||\\N", "0"},
              {"is_missing(s)", "\\N||", "1"}, {"is_missing(s)", "a||", "0"},
              {"is_missing(x / 0)", "||1", "1"}, {"length(s)", "\\N||", "-"},
              {"upper(s)", "\\N||", "-"}, {"contains(s, t)", "a|\\N|", "-"});
}
END_TEST

START_TEST(text_is_read_as_a_number_where_one_is_needed)
{
    CHECK_ALL({"s + 1", " 2 ||", "3"}, {"s + 1", "two||", "rejected"}, {"s + 1", "||", "-"},
              {"s + 1", "   ||", "-"}, {"s + 1", "1e999||", "rejected"}, {"s > 5", "10||", "1"},
              {"s > t", "10|9|", "1"}, {"s > '9'", "10||", "0"}, {"s == t", "1.0|1|", "0"},
              {"s == 1", "1.0||", "1"}, {"s in (1, 2)", "2.0||", "1"},
              {"s not in (1, 2)", "3||", "1"}, {"number(s)", "two||", "-"},
              {"number(s) + 1", "2||", "3"}, {"number(x)", "||2", "2"},
              {"number(x > 1)", "||2", "1"}, {"text(s)", "a||", "a"});
}
END_TEST

START_TEST(only_what_the_result_needs_rejects_the_record)
{
    CHECK_ALL({"if(s == '-', 0, s / 2)", "-||", "0"}, {"if(s == '-', 0, s / 2)", "8||", "4"},
              {"if(s == '-', 0, s / 2)", "?||", "rejected"}, {"s != '-' and s > 5", "-||", "0"},
              {"coalesce(s + 1, 0)", "a||", "rejected"}, {"coalesce(number(s) + 1, 0)", "a||", "0"},
              {"is_missing(s + 1)", "a||", "rejected"}, {"x + s", "a||\\N", "rejected"},
              {"text(s + 1)", "a||", "rejected"}, {"substring('abc', s)", "a||", "rejected"});
}
END_TEST

/* ---- messages ---- */

START_TEST(a_mistake_is_told_with_its_place)
{
    static const struct {
        const char *expression, *told;
    } cases[] = {
        {"x / duraton",
         "character 9: there is no column 'duraton': did you mean 'duration'? (columns: s, t, "
         "x, duration)"},
        {"1 + lowr(s)", "character 9: there is no function 'lowr': did you mean 'lower'?"},
        {"zzz(s)", "there is no function 'zzz' (functions: lower, upper,"},
        {"s == GET", "there is no column 'GET'; if it is a text, write it in quotes: 'GET'"},
        {"x == nil", "character 10: there is no column 'nil': write is_missing(x)"},
        {"lower + 1", "there is no column 'lower', and a call of the function is written "
                      "lower(text)"},
        {"'añ' .. qqq", "character 13: there is no column 'qqq'"},
        {"x = 1", "'=' has no meaning here: write == for equality"},
        {"x > 1 and s = 'a'", "'=' has no meaning here: write == for equality"},
        {"not s <> 'a'", "'<>' has no meaning here: write !="},
        {"s >= 2024-03-10", "2024-03-10 without quotes is a difference: write a date as a text: "
                            "'2024-03-10'"},
        {"s < 2024-03", "2024-03 without quotes is a difference"},
        {"s < 2024-12", "2024-12 without quotes is a difference"},
        {"s >= 1999-10", "write a date as a text: '1999-10'"},
        {"x > 1 && x < 2", "'&&' has no meaning here: write and"},
        {"1 < x < 3", "character 11: a comparison has only two sides: write a < b and b < c"},
        {"(x + 1", "character 11: the expression ends where ')' is missing"},
        {"x +", "the expression ends where a value is missing"},
        {"x + * 2", "'*' stands where a value is missing"},
        {"'a", "the quote ' is not closed"},
        {"if(x, 1, 2)", "if wants a condition, such as x > 0, and this is a number"},
        {"(x > 1) + 1", "+ wants a number, and this is a condition: write if(condition, 1, 0)"},
        {"if(x > 1, s, x)", "if wants values of one type, and this is a number after a text"},
        {"coalesce(x, s)", "this is a text after a number: write number(…)"},
        {"x + 'abc'", "+ wants a number, and this text is not one"},
        {"substring(s)", "substring has too few values: write substring(text, first, count)"},
        {"length(s, 1)", "length has too many values: write length(text)"},
        {"bucket(x)", "bucket has too few values"},
        {"bucket(x, 2, 1)", "the edges of bucket must ascend"},
        {"bucket(x, s)", "a number must stand here, such as 1000 or 1e6"},
        {"s in ('a', 2)", "a text must stand here, because the first value is a text"},
        {"x in (1, 'a')", "a text stands among numbers"},
        {"1e999", "the number is too large"},
        {"@label > 0", "@label: no earlier stage makes labels"},
        {"@lable", "there is no column '@lable': did you mean '@label'?"},
        {"", "the expression ends where a value is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char definition[256];
        const char *list[1] = {definition};
        struct harness *h = with_columns("shape.set");
        harness_column(h, "duration", LEAT_NUMBER);
        snprintf(definition, sizeof definition, "n = %s", cases[i].expression);
        harness_set_list(h, "columns", list, 1);
        expect_refused_and_free(h, cases[i].told);
    }
}
END_TEST

/* Lua's spelling of operations and functions that expressions have, and signs of other
 * languages. */
START_TEST(the_spelling_of_other_languages_is_told_with_the_cure)
{
    static const struct {
        const char *expression, *told;
    } cases[] = {
        {"#s > 2", "'#' stands where a value is missing: write length(x)"},
        {"s:sub(1, 2) == 'a'", "':' has no meaning here: write substring(x, first, count)"},
        {"s:find('a')", "write contains(x, 'part') or starts_with(x, 'part')"},
        {"s:match('^a')", "write split(x, separator, n), before(x, part) or after(x, part)"},
        {"s:rep(3)", "write the function before the value, as in lower(x)"},
        {"string.gsub(s, 'a', 'b')",
         "there is no function 'string.gsub': write replace(x, old, new)"},
        {"tonumber(s) > 5", "there is no function 'tonumber': write number(x)"},
        {"tostring(x)", "write text(x)"},
        {"math.floor(x)", "there is no function 'math.floor': write floor(number)"},
        {"os.date(s)", "write substring(x, 1, 4)"},
        {"s == NULL", "there is no column 'NULL': write is_missing(x)"},
        {"x > 5 and 1 or 0", "one of two values write if(condition, a, b)"},
        {"x or 0", "coalesce(x, 0), which is 0 if x has no value"},
        {"not s", "is_missing(x) is true if x has no value"},
        {"x ^ 2", "write x * x, or sqrt(x)"},
        {"x ≥ 5", "expressions do not have ≥: write >="},
        {"s == “a”", "expressions do not have “: write \""},
        {"x > 5,000", "5,000 is written 5000 in an expression"},
        {"x > 5.000,5", "5.000,5 is written 5000.5 in an expression"},
        {"x == '5'", "== stands between a number and the text '5': write a number without quotes"},
        {"'abc' < x + 1", "< stands between a number and the text 'abc': write a number without "
                          "quotes"},
        {"x in ('7')", "a text stands among numbers: write numbers without quotes"},
        {"x == true", "== stands between a condition and a number: a condition is true or false"},
        {"(x > 1) == s", "== stands between a condition and a text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct harness *h = with_columns("shape.where");
        harness_set(h, "condition", cases[i].expression);
        expect_refused_and_free(h, cases[i].told);
    }
}
END_TEST

/* Conditions in columns, constants and texts of the data. */
START_TEST(a_condition_is_true_or_false_everywhere)
{
    CHECK_ALL({"s == true", "true||", "1"}, {"s == true", "false||", "0"},
              {"false != s", "false||", "0"}, {"s == true", "maybe||", "0"},
              {"s == true", "\\N||", "-"}, {"(x > 1) == 'true'", "||2", "1"},
              {"'false' == (x > 1)", "||0", "1"}, {"text(x > 1)", "||2", "true"},
              {"text(x > 1)", "||\\N", "-"}, {"s .. (x > 1)", "is ||0", "is false"},
              {"(x > 1) in ('true')", "||2", "1"}, {"coalesce(x > 1, false)", "||\\N", "0"},
              {"number(x > 1) + 1", "||2", "2"});
}
END_TEST

START_TEST(columns_of_booleans_are_conditions)
{
    static const char *const list[] = {"b = not b", "c = b or x > 1", "d = c == true", "s = c",
                                       "x = c"};
    static const char *const wanted[] = {"false|true|true|true|1", "true|true|true|true|1",
                                         "-|-|-|-|-"};
    struct harness *h = with_columns("shape.set");
    harness_column(h, "b", LEAT_BOOLEAN);
    harness_set_list(h, "columns", list, 5);
    ck_assert_msg(harness_open(h, 4) == LEAT_OK, "%s", h->said);
    harness_row(h, "||2|true"), harness_row(h, "||0|false"), harness_row(h, "||0|\\N");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t r = 0; r < 3; r++) {
        static const char *const truth[] = {"false", "true", "-"};
        const struct leat_batch *b = &h->b;
        struct leat_str s = b->column[0].text[r];
        char got[64], number[16] = "-";
        if (!isnan(b->column[2].number[r]))
            snprintf(number, sizeof number, "%g", b->column[2].number[r]);
        snprintf(got, sizeof got, "%s|%s|%s|%.*s|%s", truth[b->column[3].boolean[r]],
                 truth[b->column[4].boolean[r]], truth[b->column[5].boolean[r]],
                 s.len == LEAT_NULL ? 1 : (int)s.len, s.len == LEAT_NULL ? "-" : leat_text(b, s),
                 number);
        ck_assert_str_eq(got, wanted[r]);
    }
    harness_free(h);
}
END_TEST

/* Texts and columns of integers, such as 2^53 + 1 and 2^63 - 1. */
START_TEST(arithmetic_of_whole_numbers_is_exact)
{
    static const char *const most = "9223372036854775807|9007199254740993|2";
    static const struct claim claims[] = {
        {"text(s % 10)", most, "7"},
        {"text(t + 1)", most, "9007199254740994"},
        {"text(t - s)", most, "-9214364837600034814"},
        {"text(t // 2)", most, "4503599627370496"},
        {"text(t * 1000)", most, "9007199254740993000"},
        {"text(-t)", most, "-9007199254740993"},
        {"text(- -t)", most, "9007199254740993"},
        {"text(t % -10)", most, "-7"},
        {"text(-t // 2)", most, "-4503599627370497"},
        {"s - 1 == 9223372036854775806", most, "1"},
        {"t + x == 9007199254740995", most, "1"},
        {"t % 10 in (3)", most, "1"},
        {"s + 1", most, "-"},
        {"-s - 2", most, "-"},
        {"t * 1025", most, "-"},
        {"t % 0", most, "-"},
        {"t // 0", most, "-"},
        {"t + 1", most, "9.00719925474099e+15"},
        {"t + 2", most, "rejected"},
        {"t / 2", most, "4.5035996273705e+15"},
        {"t + 0.5 > 0", most, "rejected"},
        {"number(t) + 1 == number(t)", most, "0"},
        {"text(number(t) + 1)", most, "9007199254740994"},
        {"number(t)", most, "rejected"},
        {"max(t, x)", most, "rejected"},
        {"abs(-t)", most, "rejected"},
        {"floor(t)", most, "rejected"},
        {"floor(t - 1)", most, "9.00719925474099e+15"},
        {"is_missing(number(t))", most, "0"},
        {"sqrt(t - 1)", most, "94906265.6242516"},
        {"x // 0.5", most, "4"},
        {"-7 // 2", most, "-4"},
        {"7 // -2", most, "-4"},
        {"x // 0", most, "-"},
    };
    check_all(claims, sizeof claims / sizeof *claims);
}
END_TEST

START_TEST(integers_make_columns_of_integers)
{
    static const char *const list[] = {"a = id % 10", "b = id + n", "c = -id", "d = id * id",
                                       "e = id / 2"};
    struct harness *h = with_columns("shape.set");
    harness_column(h, "id", LEAT_INT64);
    harness_column(h, "n", LEAT_INT64);
    harness_set_list(h, "columns", list, 5);
    ck_assert_msg(harness_open(h, 4) == LEAT_OK, "%s", h->said);
    uint32_t r = harness_row(h, "|||9007199254740993|-3");
    uint32_t none = harness_row(h, "|||\\N|-3");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(h->out.column[5 + i].type, LEAT_INT64);
    ck_assert_int_eq(h->b.column[5].int64[r], 3);
    ck_assert_int_eq(h->b.column[6].int64[r], 9007199254740990);
    ck_assert_int_eq(h->b.column[7].int64[r], -9007199254740993);
    ck_assert_int_eq(h->b.column[8].int64[r], LEAT_NO_INT64);
    ck_assert(h->out.column[9].type == LEAT_NUMBER && h->b.column[9].number[r] == 0x1p52);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(h->b.column[5 + i].int64[none], LEAT_NO_INT64);
    harness_free(h);
}
END_TEST

/* Three columns whose names need backquotes, and one that does not. */
START_TEST(a_name_that_needs_backquotes_is_told_so)
{
    static const struct {
        const char *expression, *told;
    } cases[] = {
        {"unit-price > 3", "did you mean `unit-price`?"},
        {"unit_price > 3", "did you mean `unit-price`?"},
        {"net amount > 3", "did you mean `net amount`?"},
        {"2024 total > 3",
         "'total' has no meaning here: an operator or the end of the expression must stand "
         "here; column '2024 total' is written `2024 total`"},
        {"\"unit-price\" > 3",
         "the text 'unit-price': write a number without quotes; column 'unit-price' is written "
         "`unit-price`"},
        {"column['unit-price'] > 3",
         "between backquotes, `first name`; column 'unit-price' is written `unit-price`"},
        {"Grösse > 3", "did you mean 'Größe'?"},
    };
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        struct harness *h = harness_new("shape", "shape.where");
        harness_column(h, "unit-price", LEAT_NUMBER);
        harness_column(h, "net amount", LEAT_NUMBER);
        harness_column(h, "2024 total", LEAT_NUMBER);
        harness_column(h, "Größe", LEAT_NUMBER);
        h->in.max_record_bytes = 64;
        if (i < sizeof cases / sizeof *cases) {
            harness_set(h, "condition", cases[i].expression);
            expect_refused_and_free(h, cases[i].told);
            continue;
        }
        harness_set(h, "condition", "`unit-price` + `net amount` + `2024 total` + Größe > 3");
        ck_assert_msg(harness_open(h, 1) == LEAT_OK, "%s", h->said);
        harness_free(h);
    }
}
END_TEST

/* A double cannot hold 2^53 + 1. */
START_TEST(a_whole_constant_is_exact_or_refused)
{
    static const struct {
        const char *expression;
        bool right;
    } cases[] = {
        {"x == 9007199254740993", false},
        {"x == 9223372036854775808", false},
        {"x == -9223372036854775808", false},
        {"x != 18446744073709551616", false},
        {"x in (1e19)", false},
        {"x == 9007199254740992", false},
        {"x != -9007199254740992", false},
        {"x > 9007199254740993", false},
        {"x > 9007199254740992", true},
        {"x == 9007199254740991", true},
        {"s == '9007199254740993'", true},
        {"x in (1, 9007199254740993)", false},
        {"x in (1, 9007199254740992)", false},
        {"s in ('9007199254740993')", true},
        {"x + 9007199254740993", false},
        {"s .. 9007199254740993", false},
        {"bucket(x, 9007199254740993)", false},
        {"bucket(x, 9007199254740992)", true},
        {"x < 18446744073709551616", true},
        {"x < 18446744073709551617", false},
        {"x > 1e16", true},
        {"x > 9007199254740992.0001", false},
        {"x > 9007199254740993e0", false},
        {"x > 90071992547409920e-1", true},
        {"x > 0.9007199254740994e16", true},
        {"id == 9007199254740993", true},
        {"id in (9007199254740993, 1)", true},
        {"id + 0 == 9007199254740993", true},
        {"s + 9007199254740993 > 0", true},
        {"9007199254740993", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char definition[256];
        const char *list[1] = {definition};
        struct harness *h = with_columns("shape.set");
        harness_column(h, "id", LEAT_INT64);
        snprintf(definition, sizeof definition, "n = %s", cases[i].expression);
        harness_set_list(h, "columns", list, 1);
        if (!cases[i].right) {
            expect_refused_and_free(h, "beyond 2^53 different whole numbers count as equal");
            continue;
        }
        ck_assert_msg(harness_open(h, 1) == LEAT_OK, "%s: %s", cases[i].expression, h->said);
        harness_free(h);
    }
    struct harness *h = with_columns("shape.set");
    static const char *into_integers[] = {"id = 9007199254740993"};
    harness_column(h, "id", LEAT_INT64);
    harness_set_list(h, "columns", into_integers, 1);
    ck_assert_msg(harness_open(h, 1) == LEAT_OK, "%s", h->said);
    harness_free(h);
}
END_TEST

static const char *const ids[] = {"9007199254740991",
                                  "9007199254740992",
                                  "9007199254740993",
                                  "9007199254740994",
                                  "-9007199254740992",
                                  "-9007199254740993",
                                  "9223372036854775807",
                                  "9223372036854775806",
                                  "-9223372036854775807",
                                  "0",
                                  "-3"};
enum { IDS = sizeof ids / sizeof *ids };

/* Compares a and b like the sign of C. */
static bool holds(long long a, const char *sign, long long b)
{
    bool equal = sign[1] == '=';
    return *sign == '<'   ? a < b || (equal && a == b)
           : *sign == '>' ? a > b || (equal && a == b)
                          : (a == b) == (*sign == '=');
}

/* Compares texts of 64-bit whole numbers in column s by `sign`: with `id`, or with column t that
 * has it. */
static void check_ids(const char *form, const char *sign, const char *id)
{
    char expression[256], cells[128];
    struct harness *h = with_columns("shape.where");
    snprintf(expression, sizeof expression, form, sign, id);
    harness_set(h, "condition", expression);
    ck_assert_msg(harness_open(h, IDS) == LEAT_OK, "%s: %s", expression, h->said);
    for (int i = 0; i < IDS; i++) {
        snprintf(cells, sizeof cells, "%s%s|%s|1", i % 2 ? "" : " ", ids[i], id);
        harness_row(h, cells);
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t i = 0; i < IDS; i++)
        ck_assert_msg((h->b.status[i] == LEAT_ROW_OK) ==
                          holds(strtoll(ids[i], NULL, 10), sign, strtoll(id, NULL, 10)),
                      "%s of %s", expression, ids[i]);
    harness_free(h);
}

START_TEST(texts_are_compared_with_large_numbers_exactly)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    for (int k = 0; k < IDS; k++)
        for (int o = 0; o < 6; o++) {
            check_ids("s %s %s", signs[o], ids[k]);
            check_ids("trim(s) %s %s", signs[o], ids[k]);
            if (o < 4) check_ids("s %s t", signs[o], ids[k]);
        }
    static const struct claim claims[] = {
        {"s < t", "9007199254740992|9007199254740993|1", "1"},
        {"s >= t", "9007199254740992|9007199254740993|1", "0"},
        {"s > x + 9007199254740990", "9007199254740993|0|2", "1"},
        {"s in (9007199254740993, 2)", "9007199254740993|0|1", "1"},
        {"s in (9007199254740992, 2)", "9007199254740993|0|1", "0"},
        {"s not in (9007199254740993, 2.5)", "2.50|0|1", "0"},
        {"s > 9007199254740992", "3.5|0|1", "0"},
        {"s > 9007199254740992", "9007199254740993.5|0|1", "1"},
        {"s > 9007199254740992", "1e300|0|1", "1"},
        {"s < 1e16", "9999999999999999|0|1", "1"},
        {"s > 9007199254740992", "\\N|0|1", "-"},
        {"s > 9007199254740992", " |0|1", "-"},
        {"s in (9007199254740993)", "\\N|0|1", "-"},
        {"s == 9007199254740993", "n/a|0|1", "rejected"},
        {"s in (9007199254740993)", "n/a|0|1", "rejected"},
    };
    check_all(claims, sizeof claims / sizeof *claims);
    static const char *const refused[] = {"s == 9223372036854775808", "s != -9223372036854775808",
                                          "s in (1, 9223372036854775808)", "s in (-1e19)",
                                          "s < 18446744073709551557"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct harness *h = with_columns("shape.where");
        harness_set(h, "condition", refused[i]);
        expect_refused_and_free(h, strstr(refused[i], "-")
                                       ? "compare texts, as in id == '-9223372036854775808'"
                                       : "compare texts, as in id == '9223372036854775808'");
    }
}
END_TEST

/* Two such numbers have one double. */
START_TEST(a_text_beyond_the_integers_has_an_order_only)
{
    static const char *const two = " 18446744073709551557|18446744073709551558|3";
    static const struct claim claims[] = {
        {"s % 10", two, "rejected"},
        {"s // 10", two, "rejected"},
        {"-s", two, "rejected"},
        {"x + s", two, "rejected"},
        {"s % 10", "18446744073709551616|0|1", "rejected"},
        {"s < t", two, "rejected"},
        {"number(s) == number(t)", two, "rejected"},
        {"number(s)", two, "rejected"},
        {"text(number(s))", two, "rejected"},
        {"max(x, s)", two, "rejected"},
        {"min(s, t)", two, "rejected"},
        {"abs(s)", two, "rejected"},
        {"round(s)", two, "rejected"},
        {"if(x == 3, number(s), 0)", two, "rejected"},
        {"if(x == 4, number(s), 0)", two, "0"},
        {"coalesce(number(s), 0)", two, "rejected"},
        {"s > 1e19", two, "1"},
        {"s < 1e20", "100000000000000000001|0|1", "rejected"},
        {"s > x", two, "1"},
        {"s <= x", "-18446744073709551557|0|1", "1"},
        {"s < t", "-18446744073709551557|18446744073709551557|1", "1"},
        {"s == x", two, "0"},
        {"s == 9223372036854775807", "9223372036854775808|0|1", "0"},
        {"s in (9223372036854775807, 3)", two, "0"},
        {"is_missing(number(s))", two, "0"},
        {"s / 1 > 1e19", two, "1"},
        {"sqrt(s)", two, "4294967296"},
        {"bucket(s, 5)", two, ">=5"},
        {"s == '18446744073709551557'", "18446744073709551557|0|1", "1"},
        {"s + 0 > 1", "1e300|0|1", "1"},
    };
    check_all(claims, sizeof claims / sizeof *claims);
    struct harness *h = with_columns("shape.where");
    harness_set(h, "condition", "s // 10 > 5");
    ck_assert_msg(harness_open(h, 1) == LEAT_OK, "%s", h->said);
    uint32_t r = harness_row(h, two);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    expect_rejected_for(h, r, LEAT_R_NUMBER,
                        "'s // 10 > 5', character 1: ' 18446744073709551557' is a whole number "
                        "beyond 2^63: only a text keeps its digits");
    harness_free(h);
}
END_TEST

START_TEST(an_expression_has_bounds)
{
    static char text[40000];
    const char *list[1] = {text};
    static const char *const parts[] = {"(", "-", "x+", "not "};
    static const char *const told[] = {"nested too deep", NULL, "too long", NULL};
    for (int i = 0; i < 4; i++) {
        strcpy(text, "n = ");
        for (int k = 0; k < 1000; k++)
            strcat(text, parts[i]);
        strcat(text, i == 3 ? "true" : "x");
        struct harness *h = with_columns("shape.set");
        harness_set_list(h, "columns", list, 1);
        if (told[i])
            expect_refused(h, told[i]);
        else
            ck_assert_int_eq(harness_negotiate(h), 0);
        harness_free(h);
    }
}
END_TEST

/* ---- against an evaluation of trees, record by record ---- */

enum kind { VALUE, MISSING, BAD };
struct result {
    enum kind kind;
    double number;
    char text[600];
};

enum { NODES = 96, ROWS = 30, TEXTS = 3 };
struct node {
    char type; /* n, t, c */
    int rule, child[3];
    int constant;
};
static struct node node[NODES];
static int n_nodes;
static const char *const row_text[] = {"\\N", "", "a", "Ab/c", "7", "-2.5", "b/a/7", " 3 ", "/"};
static const double constants[] = {0, 1, -2, 2.5, 7};
static const char *const texts[] = {"a", "/", "7"};
static const char *const rules_n[] = {
    "x",         "#",      "(% + %)",     "(% - %)",        "(% * %)",   "(% / %)",   "(% % %)",
    "min(%, %)", "abs(%)", "if(?, %, %)", "coalesce(%, %)", "number($)", "length($)", "floor(%)"};
static const char *const rules_t[] = {"s",
                                      "t",
                                      "@",
                                      "upper($)",
                                      "($ .. $)",
                                      "substring($, %, %)",
                                      "split($, '/', %)",
                                      "before($, $)",
                                      "after($, $)",
                                      "replace($, $, $)",
                                      "if(?, $, $)",
                                      "coalesce($, $)",
                                      "trim($)"};
static const char *const rules_c[] = {
    "(% < %)",       "(% == %)",      "(? and ?)",      "(? or ?)", "(not ?)",
    "is_missing(%)", "is_missing($)", "contains($, $)", "($ == $)", "(s + 1 > %)"};

static const char *const *rules_of(char type, int *n)
{
    *n = type == 'n'   ? sizeof rules_n / sizeof *rules_n
         : type == 't' ? sizeof rules_t / sizeof *rules_t
                       : sizeof rules_c / sizeof *rules_c;
    return type == 'n' ? rules_n : type == 't' ? rules_t : rules_c;
}

static char type_of(char mark) { return mark == '%' ? 'n' : mark == '$' ? 't' : 'c'; }
static bool is_mark(const char *at, const char *rule)
{
    return *at == '$' || *at == '?' ||
           (*at == '%' && !(at > rule && at[-1] == ' ' && at[1] == ' '));
}

/* Makes a tree of this type, and its text at *out. Returns its node. Near the bounds it makes only
 * leaves. */
static int grow(uint64_t *seed, char type, int depth, char **out)
{
    int n, me = n_nodes++, leaves = type == 'n' ? 2 : type == 't' ? 3 : 0, k = 0;
    const char *const *rules = rules_of(type, &n);
    node[me].type = type;
    node[me].constant = (int)below(seed, type == 'n' ? 5 : 3);
    bool leaf = depth == 0 || n_nodes > NODES - 64;
    node[me].rule = leaf && leaves ? (int)below(seed, (uint32_t)leaves)
                    : leaf         ? 9
                                   : (int)below(seed, (uint32_t)n);
    for (const char *p = rules[node[me].rule], *rule = p; *p; p++)
        if (*p == '#')
            *out += sprintf(*out, "(%g)", constants[node[me].constant]);
        else if (*p == '@')
            *out += sprintf(*out, "'%s'", texts[node[me].constant]);
        else if (is_mark(p, rule))
            node[me].child[k++] = grow(seed, type_of(*p), depth - 1, out);
        else
            *(*out)++ = *p;
    **out = 0;
    return me;
}

static const char *cell[TEXTS]; /* s, t, x of the record being computed */

static struct result none(enum kind kind) { return (struct result){.kind = kind}; }
static struct result number(double x)
{
    return isfinite(x) ? (struct result){.number = x} : none(MISSING);
}
static struct result text_of(const char *s)
{
    struct result r = none(VALUE);
    ck_assert_uint_lt(strlen(s), sizeof r.text);
    strcpy(r.text, s);
    return r;
}
static struct result given(const char *s) { return strcmp(s, "\\N") ? text_of(s) : none(MISSING); }

static struct result read_number(const struct result *t, enum kind otherwise)
{
    char *end, *p = (char *)t->text;
    if (t->kind) return none(t->kind);
    if (!p[strspn(p, " ")]) return none(MISSING);
    double x = strtod(p, &end);
    return end == p || end[strspn(end, " ")] ? none(otherwise) : number(x);
}

static struct result evaluate(int me);

static enum kind worst(const struct result *a, int n)
{
    enum kind k = VALUE;
    for (int i = 0; i < n; i++)
        k = a[i].kind > k ? a[i].kind : k;
    return k;
}

static struct result number_rule(const struct node *me, struct result *a, int n)
{
    double x = a[0].number, y = a[1].number;
    switch (me->rule) {
    case 9:
        return a[0].kind ? none(a[0].kind) : a[0].number ? a[1] : a[2];
    case 10:
        return a[0].kind == MISSING ? a[1] : a[0];
    case 11:
        return read_number(&a[0], MISSING);
    }
    if (worst(a, n)) return none(worst(a, n));
    switch (me->rule) {
    case 2:
        return number(x + y);
    case 3:
        return number(x - y);
    case 4:
        return number(x * y);
    case 5:
        return number(x / y);
    case 6:
        return number(y == 0                                      ? NAN
                      : fmod(x, y) && (fmod(x, y) < 0) != (y < 0) ? fmod(x, y) + y
                                                                  : fmod(x, y));
    case 7:
        return number(x < y ? x : y);
    case 8:
        return number(x < 0 ? -x : x);
    case 12:
        return number((double)strlen(a[0].text));
    default:
        return number(floor(x));
    }
}

static struct result cut(const char *s, const char *end)
{
    struct result r = none(VALUE);
    memcpy(r.text, s, (size_t)(end - s));
    return r;
}

static struct result nth_part(const char *s, double n)
{
    const char *part[600];
    int parts = 0;
    for (const char *p = s; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        part[parts++] = p;
    int i = (int)fmax(-1000, fmin(1000, trunc(n)));
    i = i > 0 ? i - 1 : i < 0 ? parts + i : -1;
    return i < 0 || i >= parts ? none(MISSING) : cut(part[i], part[i] + strcspn(part[i], "/"));
}

static struct result replaced(const char *s, const char *old, const char *new)
{
    struct result r = none(VALUE);
    for (size_t n = 0; *s; n = strlen(r.text)) {
        bool here = *old && !strncmp(s, old, strlen(old));
        ck_assert_uint_lt(n + strlen(new) + 1, sizeof r.text);
        if (here)
            strcat(r.text, new);
        else
            r.text[n] = *s;
        s += here ? strlen(old) : 1;
    }
    return r;
}

static struct result substring(const char *s, double first, double count)
{
    struct result r = none(VALUE);
    double n = (double)strlen(s), from = trunc(first);
    if (from < 0) from += n + 1;
    if (from < 1) from = 1;
    for (double i = from; i <= n && i < from + trunc(count); i++)
        r.text[(int)(i - from)] = s[(int)i - 1];
    return r;
}

static struct result text_rule(const struct node *me, struct result *a, int n)
{
    const char *s = a[0].text, *at = strstr(s, a[1].text);
    struct result r = none(VALUE);
    if (me->rule == 10) return a[0].kind ? none(a[0].kind) : a[0].number ? a[1] : a[2];
    if (me->rule == 11) return a[0].kind == MISSING ? a[1] : a[0];
    if (worst(a, n)) return none(worst(a, n));
    switch (me->rule) {
    case 3:
        for (int i = 0; s[i]; i++)
            r.text[i] = s[i] >= 'a' && s[i] <= 'z' ? (char)(s[i] - 32) : s[i];
        return r;
    case 4:
        ck_assert_uint_lt(strlen(s) + strlen(a[1].text), sizeof r.text);
        return strcpy(r.text, s), strcat(r.text, a[1].text), r;
    case 5:
        return substring(s, a[1].number, a[2].number);
    case 6:
        return nth_part(s, a[1].number);
    case 7:
        return at ? cut(s, at) : none(MISSING);
    case 8:
        return at ? text_of(at + strlen(a[1].text)) : none(MISSING);
    case 9:
        return replaced(s, a[1].text, a[2].text);
    default:
        s += strspn(s, " ");
        for (size_t i = strlen(s); i && s[i - 1] == ' ';)
            ((char *)s)[--i] = 0;
        return text_of(s);
    }
}

static struct result condition_rule(const struct node *me, struct result *a, int n)
{
    bool decided = me->rule == 3;
    struct result s;
    switch (me->rule) {
    case 2:
    case 3:
        for (int i = 0; i < 2; i++)
            if (!a[i].kind && (a[i].number != 0) == decided) return number(decided);
        return worst(a, 2) ? none(worst(a, 2)) : number(!decided);
    case 5:
    case 6:
        return a[0].kind == BAD ? a[0] : number(a[0].kind == MISSING);
    case 9:
        s = given(cell[0]);
        s = read_number(&s, BAD);
        if (s.kind || a[0].kind) return none(s.kind > a[0].kind ? s.kind : a[0].kind);
        return number(s.number + 1 > a[0].number);
    }
    if (worst(a, n)) return none(worst(a, n));
    switch (me->rule) {
    case 0:
        return number(a[0].number < a[1].number);
    case 1:
        return number(a[0].number == a[1].number);
    case 4:
        return number(!a[0].number);
    case 7:
        return number(strstr(a[0].text, a[1].text) != NULL);
    default:
        return number(!strcmp(a[0].text, a[1].text));
    }
}

static struct result evaluate(int at)
{
    const struct node *me = &node[at];
    int n, operands = 0;
    const char *rule = rules_of(me->type, &n)[me->rule];
    struct result a[3] = {none(VALUE), none(VALUE), none(VALUE)};
    if (!strcmp(rule, "x"))
        return strcmp(cell[2], "\\N") ? number(strtod(cell[2], NULL)) : none(MISSING);
    if (*rule == '#') return number(constants[me->constant]);
    if (*rule == '@') return text_of(texts[me->constant]);
    if (!strcmp(rule, "s")) return given(cell[0]);
    if (!strcmp(rule, "t")) return given(cell[1]);
    for (const char *p = rule; *p; p++)
        if (is_mark(p, rule)) {
            a[operands] = evaluate(me->child[operands]);
            operands++;
        }
    return me->type == 'n'   ? number_rule(me, a, operands)
           : me->type == 't' ? text_rule(me, a, operands)
                             : condition_rule(me, a, operands);
}

static void compare_row(struct harness *h, uint32_t r, const char *expression, char type)
{
    struct result wanted = evaluate(0);
    bool rejected = h->b.status[r] == LEAT_ROW_REJECTED;
    const char *where = leat_text(&h->b, h->b.raw[r]);
    ck_assert_msg(rejected == (wanted.kind == BAD), "%s of %.30s: rejected %d: %s", expression,
                  where, rejected, rejected ? h->rejection[0].text : "");
    if (rejected) return;
    if (type == 't') {
        struct leat_str s = h->b.column[3].text[r];
        bool same = s.len == LEAT_NULL ? wanted.kind == MISSING
                                       : wanted.kind == VALUE && s.len == strlen(wanted.text) &&
                                             !memcmp(leat_text(&h->b, s), wanted.text, s.len);
        ck_assert_msg(same, "%s of %.30s is %.*s and not %d '%s'", expression, where,
                      s.len == LEAT_NULL ? 1 : (int)s.len,
                      s.len == LEAT_NULL ? "-" : leat_text(&h->b, s), wanted.kind, wanted.text);
    } else {
        uint8_t holds = type == 'c' ? h->b.column[3].boolean[r] : LEAT_NO_BOOLEAN;
        double x = type == 'n'                ? h->b.column[3].number[r]
                   : holds == LEAT_NO_BOOLEAN ? (double)NAN
                                              : holds;
        ck_assert_msg(
            isnan(x) ? wanted.kind == MISSING : wanted.kind == VALUE && x == wanted.number,
            "%s of %.30s is %g and not %d %g", expression, where, x, wanted.kind, wanted.number);
    }
}

START_TEST(random_expressions_give_what_their_trees_give)
{
    uint64_t seed = seed_given();
    static const char *rows[ROWS][TEXTS];
    static char definition[20000], x[ROWS][8];
    const char *list[1] = {definition};
    for (int trial = 0; trial < 3000; trial++) {
        char type = "ntc"[below(&seed, 3)], *out = definition + sprintf(definition, "new = ");
        n_nodes = 0;
        grow(&seed, type, 4, &out);
        struct harness *h = with_columns("shape.set");
        h->in.added_bytes_per_record = 4096;
        harness_set_list(h, "columns", list, 1);
        ck_assert_msg(harness_open(h, ROWS) == LEAT_OK, "%s: %s", definition, h->said);
        for (uint32_t r = 0; r < ROWS; r++) {
            char line[256];
            for (int k = 0; k < 2; k++)
                rows[r][k] = row_text[below(&seed, 9)];
            sprintf(x[r], "%d", (int)below(&seed, 9) - 4);
            rows[r][2] = below(&seed, 5) ? x[r] : "\\N";
            snprintf(line, sizeof line, "%s|%s|%s", rows[r][0], rows[r][1], rows[r][2]);
            harness_row(h, line);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        for (uint32_t r = 0; r < ROWS; r++) {
            memcpy(cell, rows[r], sizeof cell);
            compare_row(h, r, definition, type);
        }
        harness_free(h);
    }
}
END_TEST

LEAT_TIERS("expression",
           (operators_bind_as_in_arithmetic, texts_are_cut_joined_and_changed,
            numbers_are_rounded_bounded_and_put_into_buckets, a_hash_is_the_same_for_ever,
            a_missing_operand_makes_a_missing_result, text_is_read_as_a_number_where_one_is_needed,
            only_what_the_result_needs_rejects_the_record, a_mistake_is_told_with_its_place,
            the_spelling_of_other_languages_is_told_with_the_cure,
            a_condition_is_true_or_false_everywhere, columns_of_booleans_are_conditions,
            arithmetic_of_whole_numbers_is_exact, integers_make_columns_of_integers,
            a_name_that_needs_backquotes_is_told_so, a_whole_constant_is_exact_or_refused,
            texts_are_compared_with_large_numbers_exactly,
            a_text_beyond_the_integers_has_an_order_only, an_expression_has_bounds),
           (random_expressions_give_what_their_trees_give))
