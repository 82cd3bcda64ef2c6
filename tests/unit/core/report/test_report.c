/* test_report.c -- one report in its three formats; jansson reads back the JSON. */
#include "support/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"
#include "support/written.h"

/* ---- a report that is written into memory ---- */

static struct text_out out;

static struct report report_in(enum report_format format, const char *title)
{
    out = written_begin();
    return (struct report){.out = &out, .format = format, .title = title};
}

static const char *result(void) { return written_end(&out); }

/* ---- rows with a column of each type ---- */

enum { NAME, KIND, COUNT, WEIGHT, SHARE, FIGURE, KEPT, COLUMNS };

static const struct report_column columns[COLUMNS] = {
    [NAME] = {.name = "feature", .type = REPORT_NAME},
    [KIND] = {.name = "kind", .type = REPORT_WORD},
    [COUNT] = {.name = "count", .type = REPORT_COUNT},
    [WEIGHT] = {.name = "log_odds", .type = REPORT_NUMBER},
    [SHARE] = {.name = "support", .type = REPORT_SHARE},
    [FIGURE] = {.name = "figure", .type = REPORT_FIGURE},
    [KEPT] = {.name = "kept", .type = REPORT_FLAG}};

static struct report_value cell(const void *of, uint32_t row, uint32_t column)
{
    static const char *const name[] = {"payee=\"ACME\", x", "caf\xc3\xa9\x1b[2J\nend", NULL};
    static const char *const kind[] = {"\xc3\xa9t\xc3\xa9", NULL, "plain"};
    static const uint64_t count[] = {1234567, 0, 12};
    static const double weight[] = {2.3456789, NAN, -0.5}, share[] = {0.1234, NAN, 0.00051},
                        figure[] = {1e6, 0.0123456, INFINITY};
    switch (column) {
    case NAME:
        return name[row] ? report_word(name[row]) : report_text(NULL, 0);
    case KIND:
        return kind[row] ? report_word(kind[row]) : report_text(NULL, 0);
    case COUNT:
        return report_count(count[row]);
    case WEIGHT:
        return report_number(weight[row]);
    case SHARE:
        return report_number(share[row]);
    case FIGURE:
        return report_number(figure[row]);
    default:
        return report_count(row == 1);
    }
}

static struct report_list list(const char *name, uint32_t rows)
{
    return (struct report_list){
        .name = name, .column = columns, .n_columns = COLUMNS, .n_rows = rows, .cell = cell};
}

static const struct report_head *head(uint64_t examples, double seconds)
{
    static struct report_head h;
    h.n = 0;
    report_head_add(&h, (struct report_column){.name = "learner", .type = REPORT_WORD},
                    report_word("a,b"));
    report_head_add(
        &h, (struct report_column){.name = "examples", .type = REPORT_COUNT, .heading = "examples"},
        report_count(examples));
    report_head_add(&h,
                    (struct report_column){.name = "seconds",
                                           .type = REPORT_NUMBER,
                                           .in = REPORT_IN_TABLE,
                                           .heading = "s",
                                           .decimals = 1},
                    report_number(seconds));
    report_head_add(
        &h, (struct report_column){.name = "last", .type = REPORT_FLAG, .in = REPORT_IN_JSONL},
        report_count(1));
    return &h;
}

static void write_report(struct report *r, const struct report_head *h, const char *name,
                         uint32_t rows)
{
    struct report_list l = list(name, rows);
    report_begin(r, h);
    report_rows(r, &l);
    report_end(r);
}

/* ---- tables ---- */

START_TEST(a_table_is_aligned_and_harmless_and_has_its_names_last)
{
    struct report r = report_in(REPORT_TABLE, "What there is");
    write_report(&r, head(36000, 1.2345), "rows", 3);
    ck_assert_str_eq(
        result(),
        "What there is (a,b, 36,000 examples, 1.2 s)\n"
        "kind       count  log odds  support     figure   kept  feature\n"
        "\xc3\xa9t\xc3\xa9    1,234,567     2.346   12.3 %  1,000,000  false  payee=\"ACME\", x\n"
        "-              0         -        -    0.01235   true  caf\xc3\xa9?[2J?end\n"
        "plain         12    -0.500    0.1 %        inf  false  -\n");
}
END_TEST

static struct report_value bytes_cell(const void *of, uint32_t row, uint32_t column)
{
    static const double bytes[] = {8192, 1572864, NAN, 1e300};
    return report_number(bytes[row]);
}

START_TEST(bytes_are_sizes_in_a_table_and_numbers_elsewhere)
{
    static const struct report_column column = {.name = "model_bytes", .type = REPORT_BYTES};
    static const char *const wanted[] = {
        "       model bytes\n            8192 B\n            1.5 MB\n"
        "                 -\n8796093022208.0 MB\n",
        "{\"model_bytes\":8192}\n{\"model_bytes\":1572864}\n"
        "{\"model_bytes\":null}\n{\"model_bytes\":1e+300}\n",
        "model_bytes\n8192\n1572864\n\n1e+300\n"};
    for (int format = REPORT_TABLE; format <= REPORT_CSV; format++) {
        struct report r = report_in((enum report_format)format, NULL);
        struct report_list l = {.column = &column, .n_columns = 1, .n_rows = 4, .cell = bytes_cell};
        report_begin(&r, NULL);
        report_rows(&r, &l);
        report_end(&r);
        ck_assert_str_eq(result(), wanted[format]);
    }
}
END_TEST

static struct report_value time_cell(const void *of, uint32_t row, uint32_t column)
{
    static const int64_t ns[] = {0, INT64_C(1795521600250000000),
                                 -1}; /* `date -u -d @1795521600` */
    return report_time(ns[row]);
}

START_TEST(times_are_in_utc_and_one_that_is_missing_is_said_to_be)
{
    static const struct report_column column = {.name = "time", .type = REPORT_TIME};
    static const char *const wanted[] = {
        "                   time\n1970-01-01 00:00:00 UTC\n"
        "2026-11-24 12:00:00 UTC\n                      -\n",
        "{\"time\":\"1970-01-01T00:00:00Z\"}\n"
        "{\"time\":\"2026-11-24T12:00:00.250Z\"}\n"
        "{\"time\":null}\n",
        "time\n1970-01-01T00:00:00Z\n2026-11-24T12:00:00.250Z\n\n"};
    for (int format = REPORT_TABLE; format <= REPORT_CSV; format++) {
        struct report r = report_in((enum report_format)format, NULL);
        struct report_list l = {.column = &column, .n_columns = 1, .n_rows = 3, .cell = time_cell};
        report_begin(&r, NULL);
        report_rows(&r, &l);
        report_end(&r);
        ck_assert_str_eq(result(), wanted[format]);
    }
}
END_TEST

START_TEST(a_title_has_the_word_before_its_time_and_leaves_a_missing_one_out)
{
    struct report r = report_in(REPORT_TABLE, "T");
    struct report_head h = {.n = 0};
    report_head_add(&h,
                    (struct report_column){.name = "time", .type = REPORT_TIME, .heading = "until"},
                    report_time(0));
    write_report(&r, &h, "rows", 0);
    h.value[0] = report_time(-1);
    write_report(&r, &h, "rows", 0);
    ck_assert_str_eq(result(), "T (until 1970-01-01 00:00:00 UTC)\nnone\n\nT\nnone\n");
}
END_TEST

static struct report_value long_name(const void *of, uint32_t row, uint32_t column)
{
    return column ? report_count(7) : report_word(of);
}

static struct report_value nothing(const void *of, uint32_t row, uint32_t column)
{
    return (struct report_value){.text = NULL};
}

START_TEST(names_get_what_the_terminal_leaves_and_at_least_24_columns)
{
    static const struct report_column two[] = {{.name = "feature", .type = REPORT_NAME},
                                               {.name = "n", .type = REPORT_COUNT}};
    char name[101], shown[128];
    memset(name, 'x', 100);
    name[100] = 0;
    for (size_t terminal = 1; terminal < 140; terminal++) {
        struct report r = report_in(REPORT_TABLE, "T");
        size_t left = terminal > 27 ? terminal - 3 : 24, width = left < 100 ? left : 100;
        r.terminal = terminal;
        report_begin(&r, NULL);
        report_rows(&r,
                    &(struct report_list){
                        .column = two, .n_columns = 2, .n_rows = 1, .cell = long_name, .of = name});
        report_end(&r);
        memset(shown, 'x', sizeof shown);
        memcpy(shown + width / 2, "\xe2\x80\xa6", width < 100 ? 3 : 0);
        shown[width < 100 ? width + 2 : width] = 0;
        const char *line = strstr(result(), "\n7  ");
        ck_assert_ptr_nonnull(line);
        ck_assert_int_eq(strncmp(line + 4, shown, strlen(shown)), 0);
        ck_assert(line[4 + strlen(shown)] == '\n');
    }
}
END_TEST

/* Columns of a report on a terminal, with names of 30 and of 10 bytes. */
static struct report_value named_cell(const void *of, uint32_t row, uint32_t column)
{
    static const char *const names[] = {"a=aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b=bbbbbbbb"};
    return column < 3 ? report_number(1.5) : report_word(names[(column - 3 + row) % 2]);
}

static const char *on_terminal(size_t terminal, uint32_t n_columns)
{
    static const struct report_column of[] = {
        {.name = "support_outliers", .type = REPORT_NUMBER},
        {.name = "relative_risk", .type = REPORT_NUMBER, .drop = 2},
        {.name = "count", .type = REPORT_NUMBER, .drop = 1},
        {.name = "feature", .type = REPORT_NAME},
        {.name = "also", .type = REPORT_NAME}};
    struct report r = report_in(REPORT_TABLE, "T");
    r.terminal = terminal;
    report_begin(&r, NULL);
    report_rows(
        &r, &(struct report_list){
                .column = of, .n_columns = n_columns, .n_rows = 1, .cell = named_cell, .of = NULL});
    report_end(&r);
    return result();
}

#define LONG "a=aaaaaaaaaaaaaaaaaaaaaaaaaaaa"

START_TEST(a_narrow_terminal_breaks_headings_then_drops_columns_then_cuts_names)
{
    ck_assert_str_eq(on_terminal(70, 4), "T\nsupport outliers  relative risk  count  feature\n"
                                         "           1.500          1.500  1.500  " LONG "\n");
    ck_assert_str_eq(on_terminal(69, 4), "T\n support  relative\n"
                                         "outliers      risk  count  feature\n"
                                         "   1.500     1.500  1.500  " LONG "\n");
    ck_assert_str_eq(on_terminal(56, 4), "T\n support  relative\noutliers      risk  feature\n"
                                         "   1.500     1.500  " LONG "\n");
    ck_assert_str_eq(on_terminal(49, 4), "T\n support\noutliers  feature\n"
                                         "   1.500  " LONG "\n");
    ck_assert_str_eq(on_terminal(39, 4), "T\n support\noutliers  feature\n"
                                         "   1.500  a=aaaaaaaaaaaa\xe2\x80\xa6"
                                         "aaaaaaaaaaaaaa\n");
}
END_TEST

START_TEST(two_names_share_what_a_terminal_has)
{
    ck_assert_str_eq(on_terminal(52, 5),
                     "T\n support\noutliers  feature                         also\n"
                     "   1.500  " LONG "  b=bbbbbbbb\n");
    for (size_t terminal = 60; terminal < 120; terminal++)
        for (const char *line = on_terminal(terminal, 5); *line; line += strcspn(line, "\n") + 1)
            ck_assert_uint_le(text_width(line, strcspn(line, "\n")), terminal);
}
END_TEST

static struct report_value long_cell(const void *of, uint32_t row, uint32_t column)
{
    return column == 0 ? report_number(1.5) : report_word(LONG);
}

START_TEST(the_last_of_two_names_is_cut_before_a_heading_is_broken)
{
    static const struct report_column of[] = {{.name = "support_outliers", .type = REPORT_NUMBER},
                                              {.name = "feature", .type = REPORT_NAME},
                                              {.name = "also", .type = REPORT_NAME}};
    struct report r = report_in(REPORT_TABLE, "T");
    r.terminal = 60;
    report_begin(&r, NULL);
    report_rows(&r, &(struct report_list){
                        .column = of, .n_columns = 3, .n_rows = 1, .cell = long_cell, .of = NULL});
    report_end(&r);
    ck_assert_str_eq(result(), "T\nsupport outliers  feature                         also\n"
                               "           1.500  " LONG "  a=aaa\xe2\x80\xa6"
                               "aaaa\n");
}
END_TEST

/* Shares in per cent. A second number is the upper end of a range. */
struct shares {
    double low[4], high[4];
};

static struct report_value share_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct shares *s = of;
    struct report_value v = report_number(s->low[row] / 100);
    v.ranged = !isnan(s->high[row]);
    v.low = s->low[row] / 100;
    v.high = s->high[row] / 100;
    return v;
}

static const char *shares_shown(const struct shares *s)
{
    static const struct report_column of = {.name = "share", .type = REPORT_SHARE};
    struct report r = report_in(REPORT_TABLE, NULL);
    report_begin(&r, NULL);
    report_rows(&r, &(struct report_list){
                        .column = &of, .n_columns = 1, .n_rows = 4, .cell = share_cell, .of = s});
    report_end(&r);
    return result();
}

START_TEST(a_share_above_0_never_reads_as_0)
{
    static const double no = (double)NAN;
    static const struct {
        struct shares share;
        const char *shown;
    } of[] = {
        {{{91.4, 3.2, 0.06, 0}, {no, no, no, no}}, " share\n91.4 %\n 3.2 %\n 0.1 %\n 0.0 %\n"},
        {{{91.4, 3.2, 0.04, 0}, {no, no, no, no}}, "  share\n91.40 %\n 3.20 %\n 0.04 %\n 0.00 %\n"},
        {{{91.4, 3.2, 0.004, 0}, {no, no, no, no}},
         "  share\n91.40 %\n 3.20 %\n<0.01 %\n 0.00 %\n"},
        {{{0.02, 1e-9, 0, 0}, {no, no, no, no}},
         "    share\n 0.0200 %\n<0.0001 %\n 0.0000 %\n 0.0000 %\n"},
        {{{1e-9, 1e-9, 0, 0}, {no, no, no, no}}, "  share\n<0.01 %\n<0.01 %\n 0.00 %\n 0.00 %\n"},
        {{{50, 0.004, 0, 0}, {60, 0.02, 0.004, 0}},
         "        share\n50.00\xe2\x80\x93"
         "60.00 %\n <0.01\xe2\x80\x93"
         "0.02 %\n      <0.01 %\n       0.00 %\n"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        ck_assert_str_eq(shares_shown(&of[i].share), of[i].shown);
}
END_TEST

START_TEST(reports_with_a_title_stand_apart_and_an_empty_one_says_so)
{
    struct report r = report_in(REPORT_TABLE, "T");
    write_report(&r, head(1, NAN), "rows", 0);
    write_report(&r, NULL, "rows", 0);
    ck_assert_str_eq(result(), "T (a,b, 1 example)\nnone\n\nT\nnone\n");
}
END_TEST

START_TEST(reports_without_a_title_share_one_heading)
{
    static const struct report_column one = {
        .name = "log_odds", .type = REPORT_NUMBER, .decimals = 2, .width = 12};
    struct report r = report_in(REPORT_TABLE, NULL);
    for (int i = 0; i < 3; i++) {
        report_begin(&r, head(1, 1));
        report_rows(&r, &(struct report_list){
                            .column = &one, .n_columns = 1, .n_rows = i > 0, .cell = nothing});
        report_end(&r);
    }
    ck_assert_str_eq(result(), "    log odds\n        0.00\n        0.00\n");
}
END_TEST

/* For any magnitude, the cells of a column end under the end of its heading, and show three
 * digits. */
static struct report_value magnitude(const void *of, uint32_t row, uint32_t column)
{
    return report_number(row ? -*(const double *)of / 3 : *(const double *)of);
}

START_TEST(numbers_of_any_size_end_together_and_keep_their_digits)
{
    static const double size[] = {0, 1e-300, 3e-6, 1e-4, 0.99996, 9.99996, 1e3, 1e8, 1e9, 1e300};
    static const struct report_column one = {.name = "w", .type = REPORT_NUMBER};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        struct report r = report_in(REPORT_TABLE, NULL);
        report_begin(&r, NULL);
        report_rows(
            &r,
            &(struct report_list){
                .column = &one, .n_columns = 1, .n_rows = 2, .cell = magnitude, .of = &size[i]});
        report_end(&r);
        const char *line = result();
        size_t end = strcspn(line, "\n");
        for (int row = 0; row < 2; row++) {
            line = strchr(line, '\n') + 1;
            ck_assert_uint_eq(strcspn(line, "\n"), end);
            double want = row ? -size[i] / 3 : size[i];
            char plain[64];
            size_t n = 0;
            for (const char *p = line; *p != '\n'; p++)
                if (*p != ',') plain[n++] = *p;
            plain[n] = 0;
            ck_assert_double_le(fabs(strtod(plain, NULL) - want), 2e-3 * size[i]);
        }
    }
}
END_TEST

static struct report_value one_of(const void *of, uint32_t row, uint32_t column)
{
    return report_number(((const double *)of)[row]);
}

START_TEST(a_number_other_than_0_does_not_read_as_0)
{
    static const double value[] = {303, 0.00119, 0.01199, -0.0004, 1e-9, 0};
    static const struct report_column one = {.name = "w", .type = REPORT_NUMBER};
    struct report r = report_in(REPORT_TABLE, NULL);
    report_begin(&r, NULL);
    report_rows(&r, &(struct report_list){
                        .column = &one, .n_columns = 1, .n_rows = 6, .cell = one_of, .of = value});
    report_end(&r);
    ck_assert_str_eq(result(), "      w\n  303.0\n 0.0012\n  0.012\n-0.0004\n    0.0\n    0.0\n");
}
END_TEST

/* ---- JSON lines ---- */

START_TEST(a_json_object_has_the_head_and_its_lists)
{
    struct report r = report_in(REPORT_JSONL, "never shown");
    struct report_list a = list("top", 3), none = list("none", 0), table = list("table", 1);
    table.in = REPORT_IN_TABLE | REPORT_IN_CSV;
    report_begin(&r, head(36000, 1));
    report_rows(&r, &a);
    report_rows(&r, &table);
    report_rows(&r, &none);
    report_end(&r);
    const char *text = result();
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
    json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(j);
    ck_assert_uint_eq(json_object_size(j), 5);
    ck_assert_str_eq(json_string_value(json_object_get(j, "learner")), "a,b");
    ck_assert_int_eq(json_integer_value(json_object_get(j, "examples")), 36000);
    ck_assert(json_is_true(json_object_get(j, "last")));
    ck_assert_ptr_null(json_object_get(j, "seconds"));
    ck_assert_uint_eq(json_array_size(json_object_get(j, "none")), 0);
    const json_t *rows = json_object_get(j, "top"), *first = json_array_get(rows, 0);
    ck_assert_uint_eq(json_array_size(rows), 3);
    ck_assert_str_eq(json_string_value(json_object_get(first, "feature")), "payee=\"ACME\", x");
    ck_assert(json_number_value(json_object_get(first, "log_odds")) == 2.3456789);
    ck_assert(json_number_value(json_object_get(first, "support")) == 0.1234);
    ck_assert(json_is_false(json_object_get(first, "kept")));
    const json_t *second = json_array_get(rows, 1), *third = json_array_get(rows, 2);
    ck_assert_str_eq(json_string_value(json_object_get(second, "feature")),
                     "caf\xc3\xa9\x1b[2J\nend");
    ck_assert(json_is_null(json_object_get(second, "log_odds")));
    ck_assert(json_is_null(json_object_get(second, "kind")));
    ck_assert(json_is_null(json_object_get(third, "figure"))); /* inf, which JSON lacks */
    ck_assert(json_is_null(json_object_get(third, "feature")));
    json_decref(j);
}
END_TEST

START_TEST(rows_of_a_list_without_a_name_are_objects_of_their_own)
{
    static const struct report_column n = {.name = "n", .type = REPORT_COUNT};
    struct report r = report_in(REPORT_JSONL, NULL);
    for (int i = 0; i < 2; i++) { /* with a head, then without */
        report_begin(&r, i ? NULL : head(3, 1));
        report_rows(&r,
                    &(struct report_list){
                        .column = &n, .n_columns = 1, .n_rows = 2 - (uint32_t)i, .cell = nothing});
        report_end(&r);
    }
    ck_assert_str_eq(result(), "{\"learner\":\"a,b\",\"examples\":3,\"last\":true,\"n\":0}\n"
                               "{\"learner\":\"a,b\",\"examples\":3,\"last\":true,\"n\":0}\n"
                               "{\"n\":0}\n");
}
END_TEST

/* ---- CSV ---- */

START_TEST(csv_has_one_heading_quotes_what_must_be_and_leaves_out_what_is_missing)
{
    struct report r = report_in(REPORT_CSV, "never shown");
    write_report(&r, head(36000, 1), "rows", 3);
    write_report(&r, head(36001, 1), "rows", 1);
    ck_assert_str_eq(
        result(),
        "learner,examples,feature,kind,count,log_odds,support,figure,kept\n"
        "\"a,b\",36000,\"payee=\"\"ACME\"\", x\",\xc3\xa9t\xc3\xa9,1234567,2.3456789,0.1234,"
        "1000000,false\n"
        "\"a,b\",36000,\"caf\xc3\xa9\x1b[2J\nend\",,0,,,0.0123456,true\n"
        "\"a,b\",36000,,plain,12,-0.5,0.00051,inf,false\n"
        "\"a,b\",36001,\"payee=\"\"ACME\"\", x\",\xc3\xa9t\xc3\xa9,1234567,2.3456789,0.1234,"
        "1000000,false\n");
}
END_TEST

START_TEST(csv_writes_no_heading_behind_what_a_file_holds)
{
    struct report r = report_in(REPORT_CSV, NULL);
    r.headed = true;
    write_report(&r, NULL, "rows", 0);
    ck_assert_str_eq(result(), "");
    r = report_in(REPORT_CSV, NULL);
    write_report(&r, NULL, "rows", 0);
    ck_assert_str_eq(result(), "feature,kind,count,log_odds,support,figure,kept\n");
}
END_TEST

LEAT_SUITE("report", a_table_is_aligned_and_harmless_and_has_its_names_last,
           bytes_are_sizes_in_a_table_and_numbers_elsewhere,
           times_are_in_utc_and_one_that_is_missing_is_said_to_be,
           a_title_has_the_word_before_its_time_and_leaves_a_missing_one_out,
           names_get_what_the_terminal_leaves_and_at_least_24_columns,
           a_narrow_terminal_breaks_headings_then_drops_columns_then_cuts_names,
           a_number_other_than_0_does_not_read_as_0, two_names_share_what_a_terminal_has,
           a_share_above_0_never_reads_as_0,
           the_last_of_two_names_is_cut_before_a_heading_is_broken,
           reports_with_a_title_stand_apart_and_an_empty_one_says_so,
           reports_without_a_title_share_one_heading,
           numbers_of_any_size_end_together_and_keep_their_digits,
           a_json_object_has_the_head_and_its_lists,
           rows_of_a_list_without_a_name_are_objects_of_their_own,
           csv_has_one_heading_quotes_what_must_be_and_leaves_out_what_is_missing,
           csv_writes_no_heading_behind_what_a_file_holds)
