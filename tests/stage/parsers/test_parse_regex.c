/* test_parse_regex.c -- parse.regex in the harness: groups as columns, and rejections.
 *
 * The predefined formats read lines of the programs that write them. */
#include <stdio.h>
#include <string.h>

#include "core/mix64.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/suite.h"

static struct harness *parser(const char *param, const char *value)
{
    struct harness *h = parser_new("parse.regex");
    harness_set(h, param, value);
    return h;
}

/* Checks the cells of a record, in the order of the columns; NULL for a missing value. */
static void expect_cells(const struct harness *h, uint32_t r, const char *const *want)
{
    for (uint32_t c = 0; c < h->out.n_columns; c++) {
        struct leat_str s = h->b.column[c].text[r];
        const char *name = h->out.column[c].name;
        if (!want[c]) {
            ck_assert_msg(s.len == LEAT_NULL, "%s of record %u has a value", name, r);
            continue;
        }
        ck_assert_msg(s.len == strlen(want[c]) && !memcmp(leat_text(&h->b, s), want[c], s.len),
                      "%s of record %u is '%.*s' and not '%s'", name, r,
                      s.len == LEAT_NULL ? 0 : (int)s.len, leat_text(&h->b, s), want[c]);
    }
}
#define EXPECT_CELLS(H, R, ...) expect_cells(H, R, (const char *const[]){__VA_ARGS__})

START_TEST(groups_are_columns_in_their_order)
{
    struct harness *h = parser("pattern", "(?<zeta>[a-z]+)(\\d)?(?: (?<alpha>\\S+))?");
    PARSE(h, "abc7 x", "  def", "g é");
    ck_assert_uint_eq(h->out.n_columns, 2);
    ck_assert_str_eq(h->out.column[0].name, "zeta");
    ck_assert_str_eq(h->out.column[1].name, "alpha");
    EXPECT_CELLS(h, 0, "abc", "x");
    EXPECT_CELLS(h, 1, "def", NULL);
    EXPECT_CELLS(h, 2, "g", "é");
    harness_free(h);
}
END_TEST

START_TEST(a_blank_line_is_left_out_and_another_rejected)
{
    struct harness *h = parser("pattern", "^(?<n>\\d+)$");
    PARSE(h, "12", "", "x", "7 ");
    ck_assert_uint_eq(h->n_rejections, 2);
    ck_assert_uint_eq(h->b.n_sel, 1);
    expect_rejected(h, 2, LEAT_R_SYNTAX, "the record does not match the pattern");
    harness_free(h);
}
END_TEST

START_TEST(unmatched_lines_can_be_left_out)
{
    struct harness *h = parser("pattern", "^(?<n>\\d+)$");
    harness_set(h, "unmatched", "filter");
    PARSE(h, "12", "x", "13");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_sel, 2);
    harness_free(h);
}
END_TEST

START_TEST(a_text_can_mean_no_value)
{
    struct harness *h = parser("pattern", "^(?<a>\\S+) (?<b>\\S*)$");
    harness_set(h, "missing", "?");
    PARSE(h, "? -", "x ");
    EXPECT_CELLS(h, 0, NULL, "-");
    EXPECT_CELLS(h, 1, "x", "");
    harness_free(h);
    h = parser("pattern", "^(?<a>x*)(?<b>y)?");
    PARSE(h, "z"); /* a group that matched nothing gives the empty text */
    EXPECT_CELLS(h, 0, "", NULL);
    harness_free(h);
}
END_TEST

/* Lines from Apache's documentation, and requests of scanners. */
START_TEST(access_logs_are_read)
{
    struct harness *h = parser("format", "combined");
    PARSE(h,
          "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /apache_pb.gif HTTP/1.0\" 200 2326 "
          "\"http://www.example.com/start.html\" \"Mozilla/4.08 [en] (Win98; I ;Nav)\"",
          "::1 - - [10/Oct/2000:13:55:37 -0700] \"-\" 408 - \"-\" \"-\"",
          "10.0.0.3 - john doe [10/Oct/2000:13:55:38 -0700] \"\\x16\\x03\" 400 226 \"-\" \"a "
          "\\\"quoted\\\" agent\" 0.003",
          "no line of a log");
    ck_assert_uint_eq(h->n_rejections, 1);
    expect_rejected(h, 3, LEAT_R_SYNTAX, "the record is not a line of format combined");
    EXPECT_CELLS(h, 0, "127.0.0.1", NULL, "frank", "10/Oct/2000:13:55:36 -0700", "GET",
                 "/apache_pb.gif", "HTTP/1.0", NULL, "200", "2326",
                 "http://www.example.com/start.html", "Mozilla/4.08 [en] (Win98; I ;Nav)");
    EXPECT_CELLS(h, 1, "::1", NULL, NULL, "10/Oct/2000:13:55:37 -0700", NULL, NULL, NULL, NULL,
                 "408", NULL, NULL, NULL);
    EXPECT_CELLS(h, 2, "10.0.0.3", NULL, "john doe", "10/Oct/2000:13:55:38 -0700", NULL, NULL, NULL,
                 "\\x16\\x03", "400", "226", NULL, "a \\\"quoted\\\" agent");
    harness_free(h);
    h = parser("format", "common");
    PARSE(h, "h - - [t] \"POST /a b\" 200 5", "h - - [t] \"POST /a\" 200 5",
          "h - - [t] \"M-SEARCH * HTTP/1.1\" 200 5", "h - - [t] \"- /a\" 400 5");
    ck_assert_uint_eq(h->n_rejections, 0);
    EXPECT_CELLS(h, 2, "h", NULL, NULL, "t", "M-SEARCH", "*", "HTTP/1.1", NULL, "200", "5");
    EXPECT_CELLS(h, 3, "h", NULL, NULL, "t", NULL, NULL, NULL, "- /a", "400", "5");
    EXPECT_CELLS(h, 0, "h", NULL, NULL, "t", "POST", "/a", "b", NULL, "200", "5");
    EXPECT_CELLS(h, 1, "h", NULL, NULL, "t", "POST", "/a", NULL, NULL, "200", "5");
    harness_free(h);
}
END_TEST

/* Changes up to four bytes of a line: replaces, leaves out, or adds one. */
static void spoil(uint64_t *random, char *line)
{
    static const char bytes[] = " \"\\[]-/A5\t\n";
    for (uint64_t n = mix64_next(random) % 5; n; n--) {
        size_t len = strlen(line), at = mix64_next(random) % len;
        char byte = bytes[mix64_next(random) % (sizeof bytes - 1)];
        uint64_t how = mix64_next(random) % 3;
        if (how == 1) memmove(line + at, line + at + 1, len - at);
        if (how == 2) memmove(line + at + 1, line + at, len - at + 1);
        if (how != 1) line[at] = byte;
    }
}

START_TEST(a_line_of_an_access_log_is_split_as_its_pattern_says)
{
    enum { LINES = 20, ROUNDS = 500 };
#define COMMON_PATTERN                                                                             \
    "^(?<host>\\S+) (?<ident>\\S+) (?<user>.+?) \\[(?<time>[^\\]]+)\\] "                           \
    "\"(?:(?<method>[A-Z][A-Z-]*) (?<path>\\S+)(?: (?<protocol>[^\"\\s]+))?|"                      \
    "(?<request>(?:[^\"\\\\]|\\\\.)*))\" (?<status>\\d{3}|-) (?<bytes>\\d+|-)"
    static const char *const patterns[] = {COMMON_PATTERN "$",
                                           COMMON_PATTERN " \"(?<referer>(?:[^\"\\\\]|\\\\.)*)\" "
                                                          "\"(?<agent>(?:[^\"\\\\]|\\\\.)*)\""};
    static const char *const lines[] = {
        "10.0.0.1 - a [t +0] \"GET /p/1 HTTP/1.1\" 200 23",
        "10.0.0.1 - a [t +0] \"GET /p/1 HTTP/1.1\" 200 23 \"http://r/\" \"agent \\\" [x]\""};
    static char line[LINES][128];
    const char *list[LINES + 1] = {NULL};
    uint64_t random = 1, equal = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int which = round % 2;
        struct harness *h = parser("format", which ? "combined" : "common");
        struct harness *p = parser("pattern", patterns[which]);
        harness_set(p, "missing", "-");
        for (int i = 0; i < LINES; i++) {
            strcpy(line[i], lines[which]);
            spoil(&random, line[i]);
            list[i] = line[i];
        }
        parse(h, list);
        parse(p, list);
        ck_assert_uint_eq(h->b.n_sel, p->b.n_sel);
        for (uint32_t k = 0; k < h->b.n_sel; k++) {
            uint32_t r = h->b.sel[k];
            ck_assert_uint_eq(r, p->b.sel[k]);
            for (uint32_t c = 0; c < h->out.n_columns; c++, equal++) {
                struct leat_str a = h->b.column[c].text[r], b = p->b.column[c].text[r];
                ck_assert_msg(a.off == b.off && a.len == b.len,
                              "%s of '%s' is %u at %u, not %u at %u", h->out.column[c].name,
                              line[r], a.len, a.off, b.len, b.off);
            }
        }
        harness_free(p);
        harness_free(h);
    }
    ck_assert_uint_gt(equal, LINES * ROUNDS * 10 / 5);
}
END_TEST

/* The examples of RFC 3164, section 5.4, and RFC 5424, section 6.5; a line of /var/log/syslog. */
START_TEST(syslog_is_read)
{
    struct harness *h = parser("format", "syslog");
    PARSE(h, "<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8",
          "Feb  5 17:32:18 10.0.0.99 sshd[123]: Accepted key");
    EXPECT_CELLS(h, 0, "34", "Oct 11 22:14:15", "mymachine", "su", NULL,
                 "'su root' failed for lonvick on /dev/pts/8");
    EXPECT_CELLS(h, 1, NULL, "Feb  5 17:32:18", "10.0.0.99", "sshd", "123", "Accepted key");
    harness_free(h);
    h = parser("format", "syslog5424");
    PARSE(h,
          "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - 'su root' failed for "
          "lonvick on /dev/pts/8",
          "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 "
          "[exampleSDID@32473 iut=\"3\" eventSource=\"Applic]ation\" eventID=\"1011\"] An "
          "application event log entry...",
          "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [a@1 b=\"3\"][c@2 "
          "d=\"\\\"]\"]");
    ck_assert_uint_eq(h->n_rejections, 0);
    EXPECT_CELLS(h, 0, "34", "2003-10-11T22:14:15.003Z", "mymachine.example.com", "su", NULL,
                 "ID47", NULL, "'su root' failed for lonvick on /dev/pts/8");
    EXPECT_CELLS(h, 1, "165", "2003-10-11T22:14:15.003Z", "mymachine.example.com", "evntslog", NULL,
                 "ID47",
                 "[exampleSDID@32473 iut=\"3\" eventSource=\"Applic]ation\" eventID=\"1011\"]",
                 "An application event log entry...");
    EXPECT_CELLS(h, 2, "165", "2003-10-11T22:14:15.003Z", "mymachine.example.com", "evntslog", NULL,
                 "ID47", "[a@1 b=\"3\"][c@2 d=\"\\\"]\"]", NULL);
    harness_free(h);
}
END_TEST

START_TEST(a_pattern_that_takes_too_long_costs_its_record)
{
    struct harness *h = parser("pattern", "^(?<a>(?:a|aa)+)$");
    PARSE(h, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", "aaa");
    ck_assert_uint_eq(h->n_rejections, 1);
    expect_rejected_for(h, 0, LEAT_R_OWN(0), "takes more than 1000000 steps on this record");
    EXPECT_CELLS(h, 1, "aaa");
    harness_free(h);
}
END_TEST

START_TEST(wrong_patterns_are_named)
{
    expect_refused_and_free(parser("pattern", "(?<a>x"), "missing closing parenthesis at its end");
    expect_refused_and_free(parser("pattern", "(?<a>*)x"),
                            "quantifier does not follow a repeatable item before '*)x'");
    expect_refused_and_free(parser("pattern", "(?<a>x)(?<a>y)"),
                            "two named subpatterns have the same name");
    expect_refused_and_free(parser("pattern", "(x)"), "names no column");
    char many[1002 * 9 + 1] = "";
    for (int i = 0; i < 1001; i++)
        sprintf(many + strlen(many), "(?<a%d>)", i);
    expect_refused_and_free(parser("pattern", many), "has more than 1000 groups");
}
END_TEST

LEAT_SUITE("parse.regex", groups_are_columns_in_their_order,
           a_blank_line_is_left_out_and_another_rejected, unmatched_lines_can_be_left_out,
           a_text_can_mean_no_value, access_logs_are_read,
           a_line_of_an_access_log_is_split_as_its_pattern_says, syslog_is_read,
           a_pattern_that_takes_too_long_costs_its_record, wrong_patterns_are_named)
