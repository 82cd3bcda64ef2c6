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

/* A line of an access log, and the parts that each format finds in front of its time; NULL if the
 * format refuses the line. A part without a value is "-". */
struct front {
    const char *line, *combined, *vhost, *forwarded;
};
#define REST " [t] \"GET /a HTTP/1.1\" 200 5 \"-\" \"x\""
static const struct front fronts[] = {
    {"10.0.0.1 - -" REST, "10.0.0.1|-|-", NULL, "10.0.0.1|-|-|-"},
    {"10.0.0.1 - bob" REST, "10.0.0.1|-|bob", NULL, "10.0.0.1|-|-|bob"},
    {"10.0.0.1 - a b" REST, "10.0.0.1|-|a b", NULL, "10.0.0.1|-|-|a b"},
    {"10.0.0.1 - a-b -c d" REST, "10.0.0.1|-|a-b -c d", NULL, "10.0.0.1|-|-|a-b -c d"},
    {"::1 joe ann" REST, "::1|joe|ann", NULL, "::1|-|joe|ann"},
    {"h:80 127.0.0.1 - -" REST, NULL, "h|80|127.0.0.1|-|-", "h:80|127.0.0.1|-|-"},
    {"h:80 ::1 - bob" REST, NULL, "h|80|::1|-|bob", "h:80|::1|-|bob"},
    {"h:80 c.example - a b" REST, NULL, "h|80|c.example|-|a b", "h:80|c.example|-|a b"},
    {"www.example.org 10.0.0.1 - -" REST, NULL, "www.example.org|-|10.0.0.1|-|-",
     "www.example.org|10.0.0.1|-|-"},
    {"1.2.3.4, 5.6.7.8 - bob" REST, NULL, NULL, "1.2.3.4, 5.6.7.8|-|-|bob"},
    {"1.2.3.4,5.6.7.8, ::2 10.0.0.1 - -" REST, NULL, NULL, "1.2.3.4,5.6.7.8, ::2|10.0.0.1|-|-"},
    {"1.2.3.4 10.0.0.1 - -" REST, NULL, NULL, "1.2.3.4|10.0.0.1|-|-"},
    {"- 10.0.0.1 - -" REST, NULL, NULL, "-|10.0.0.1|-|-"},
    {"10.0.0.1 - - bob" REST, NULL, NULL, NULL},
    {"10.0.0.1 - bob -" REST, NULL, NULL, NULL},
    {"h 10.0.0.1 bob" REST, NULL, NULL, NULL},
    {"2026-11-28T00:00:00Z stdout F 10.0.0.1 - -" REST, NULL, NULL, NULL},
    {"2026-11-28T00:00:00+01:00 web nginx: 10.0.0.1 - bob" REST, NULL, NULL, NULL},
    {"Nov 28 21:11:44 web nginx: 10.0.0.1 - -" REST, NULL, NULL, NULL},
    {"web-1 | 10.0.0.1 - -" REST, NULL, NULL, NULL},
    {"web-1  | 10.0.0.1 - -" REST, NULL, NULL, NULL},
};

/* Checks the first n columns of a line. want: their texts with bars between them, or NULL. */
static void expect_front(const char *format, uint32_t n, const char *line, const char *want)
{
    struct harness *h = parser("format", format);
    char found[200] = "";
    PARSE(h, line);
    for (uint32_t c = 0; c < n && h->b.n_sel; c++) {
        struct leat_str s = h->b.column[c].text[0];
        sprintf(found + strlen(found), "%s%.*s", c ? "|" : "", s.len == LEAT_NULL ? 1 : (int)s.len,
                s.len == LEAT_NULL ? "-" : leat_text(&h->b, s));
    }
    ck_assert_msg(h->b.n_sel == (want != NULL) && (!want || !strcmp(found, want)),
                  "%s takes '%s' as '%s', not '%s'", format, line, found, want ? want : "");
    harness_free(h);
}

START_TEST(no_field_of_an_access_log_takes_what_belongs_to_another)
{
    char common[100];
    for (const struct front *f = fronts; f < fronts + sizeof fronts / sizeof *fronts; f++) {
        expect_front("combined", 3, f->line, f->combined);
        expect_front("vhost_combined", 5, f->line, f->vhost);
        expect_front("forwarded_combined", 4, f->line, f->forwarded);
        sprintf(common, "%.*s", (int)(strlen(f->line) - strlen(" \"-\" \"x\"")), f->line);
        expect_front("common", 3, common, f->combined);
    }
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
#define ADDRESS_PATTERN "(?:(?:\\d{1,3}\\.){3}\\d{1,3} |[0-9A-Fa-f]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]* )"
#define COMMON_PATTERN                                                                             \
    "^(?<host>\\S*[^\\s,]) (?!" ADDRESS_PATTERN ")(?<ident>\\S+) "                                 \
    "(?<user>\\S+|(?<= - )(?!- )(?:(?! - ).)+?) \\[(?<time>[^\\]]+)\\] "                           \
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

/* A line, and some of its columns: "name=text" with bars between them, "name" for no value. want is
 * NULL if the format refuses the line. */
struct known_line {
    const char *format, *line, *want;
};
#define ALB_END                                                                                    \
    " TLS_AES_128 TLSv1.3 arn:aws:tg/web/1 \"Root=1-5\" \"shop.example\" \"arn:cert\" 0 "          \
    "2026-07-02T22:22:48.364000Z \"forward\" \"-\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\" TID_1"
static const struct known_line known_lines[] = {
    /* journalctl --no-hostname, -o short-precise; a repetition */
    {"syslog", "Nov 14 22:13:20 sshd[100]: error: kex failed",
     "host|program=sshd|pid=100|message=error: kex failed"},
    {"syslog", "Nov 14 22:13:20.123456 web1 cron[7]: (root) CMD: x",
     "time=Nov 14 22:13:20|host=web1|program=cron|message=(root) CMD: x"},
    {"syslog", "Nov 14 22:13:20 web1 last message repeated 3 times",
     "host=web1|program|message=last message repeated 3 times"},
    {"syslog", "Nov 14 22:13:20 2024 web1 %ASA-6: x", NULL},
    {"syslog", "Nov 14 22:13:20 web1 app from RFC 5424",
     "host=web1|program|message=app from RFC 5424"},
    {"syslog", "Nov 14 22:13:20 [main] x", NULL},
    /* rsyslog's default, journalctl -o short-iso, a message that came as RFC 5424 */
    {"syslog3339", "2026-10-11T22:14:15.123456+02:00 web1 sshd[9]: Accepted: key",
     "time=2026-10-11T22:14:15.123456+02:00|host=web1|program=sshd|pid=9|message=Accepted: key"},
    {"syslog3339", "2026-10-11T22:14:15+0200 web1 kernel: [ 1.2] x",
     "host=web1|program=kernel|pid|message=[ 1.2] x"},
    {"syslog3339", "2026-10-11T22:14:15Z web1 su[77] a: b", "program=su|pid=77|message=a: b"},
    {"syslog3339", "2026-10-11T22:14:15Z web1 app \xef\xbb\xbfstarted",
     "host=web1|program|message=app \xef\xbb\xbfstarted"},
    {"syslog3339", "2026-10-11T22:14:15Z su[1]: x y", "host|program=su|message=x y"},
    {"syslog3339", "2026-10-11T22:14:15Z INFO started", NULL},
    {"syslog3339", "2026-10-11T22:14:15Z stdout F started", NULL},
    {"syslog3339", "2026-10-11T22:14:15Z {\"a\":1}", NULL},
    {"syslog5424", "<34>1 2026-10-11T22:14:15Z h su 7 ID - \xef\xbb\xbfsession", "message=session"},
    {"haproxy",
     "10.0.0.7:49956 [28/Nov/2026:21:25:11.930] web~ app/s1 0/1/2/30/33 200 2750 - - ---- "
     "4/3/2/1/0 0/0 {shop.example} {} \"GET /q?a=1 HTTP/1.1\"",
     "client=10.0.0.7|port=49956|time=28/Nov/2026:21:25:11.930|frontend=web|backend=app|server=s1|"
     "request_ms=0|response_ms=30|total_ms=33|status=200|bytes=2750|request_cookie|"
     "termination=----|of_server=1|retries=0|request_headers=shop.example|method=GET|"
     "path=/q?a=1|request"},
    {"haproxy",
     "Nov 28 21:25:12 lb haproxy[14]: ::1:49972 [28/Nov/2026:21:25:12.935] fe fe/<NOSRV> "
     "-1/-1/-1/-1/502 408 0 - - cR-- 2/2/0/0/0 0/0 \"<BADREQ>\"",
     "client=::1|port=49972|backend=fe|server|request_ms|total_ms=502|method|request=<BADREQ>"},
    /* HAProxy's format of TCP */
    {"haproxy", "10.0.0.7:49956 [28/Nov/2026:21:25:11.930] fe app/s1 1/0/5007 212 -- 0/0/0/0/3 0/0",
     NULL},
    {"alb",
     "https 2026-07-02T22:23:00.186641Z app/web/5 10.0.0.9:2817 10.0.0.1:80 0.086 0.048 0.037 200 "
     "502 57 366 \"GET https://shop.example:443/a?b=c HTTP/2.0\" \"curl/8 \\x22\"" ALB_END,
     "type=https|balancer=app/web/5|client=10.0.0.9|target=10.0.0.1:80|request_s=0.086|status=200|"
     "target_status=502|bytes=366|method=GET|agent=curl/8 \\x22|tls=TLSv1.3|domain=shop.example|"
     "error"},
    {"alb",
     "http 2026-07-02T22:23:00.186641Z app/web/5 10.0.0.9:2817 - -1 -1 -1 503 - 57 366 "
     "\"GET http://x:80/ HTTP/1.1\" \"-\"" ALB_END,
     "target|request_s|target_s|status=503|target_status|agent"},
    {"auditd",
     "type=USER_LOGIN msg=audit(1704067200.200:46): pid=1 uid=0 auid=1000 msg='op=login "
     "acct=\"a b\" exe=\"/usr/sbin/sshd\" hostname=? addr=10.0.0.2 res=success'\x1dUID=\"root\" "
     "AUID=\"ann\"",
     "type=USER_LOGIN|time=1704067200.200|serial=46|pid=1|ppid|uid=0|op=login|acct=a b|hostname|"
     "addr=10.0.0.2|res=success"},
    {"auditd",
     "type=SYSCALL msg=audit(1.5:4): arch=c0 comm=\"cat\" key=(null)\x1d"
     "ARCH=x86_64",
     "comm=cat|key|exe"},
    {"cef",
     "CEF:0|V|P \\| x|1.0|100|a name|5|src=10.0.0.1 dst=10.0.0.2 msg=hello big world  act=deny\\=1",
     "vendor=V|product=P \\| x|severity=5|src=10.0.0.1|dst=10.0.0.2|msg=hello big world|"
     "act=deny\\=1|spt"},
    {"cef", "Nov 28 21:25:12 fw CEF:0|V|P|1|1|n|High|cs1=src of=1 src=::1", "event=n|src=::1"},
};

/* Checks one column, of the form of a known_line. */
static void expect_column(const struct harness *h, const char *want, size_t n)
{
    size_t name = strcspn(want, "=|"), c = 0;
    while (c < h->out.n_columns &&
           (strlen(h->out.column[c].name) != name || memcmp(h->out.column[c].name, want, name)))
        c++;
    ck_assert_msg(c < h->out.n_columns, "there is no column %.*s", (int)name, want);
    struct leat_str s = h->b.column[c].text[0];
    bool has = name < n, equal = s.len == (has ? n - name - 1 : LEAT_NULL);
    if (equal && has) equal = !memcmp(leat_text(&h->b, s), want + name + 1, s.len);
    ck_assert_msg(equal, "%.*s is '%.*s'", (int)n, want, s.len == LEAT_NULL ? 0 : (int)s.len,
                  leat_text(&h->b, s));
}

START_TEST(lines_of_known_programs_are_read)
{
    enum { LINES = sizeof known_lines / sizeof *known_lines };
    for (const struct known_line *l = known_lines; l < known_lines + LINES; l++) {
        struct harness *h = parser("format", l->format);
        PARSE(h, l->line);
        ck_assert_msg(h->b.n_sel == (l->want != NULL), "%s of '%s'", l->format, l->line);
        for (const char *at = l->want; at && *at;) {
            size_t n = 0; /* a bar after a backslash is part of a text */
            while (at[n] && (at[n] != '|' || (n && at[n - 1] == '\\')))
                n++;
            expect_column(h, at, n);
            at += n + (at[n] == '|');
        }
        harness_free(h);
    }
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
           no_field_of_an_access_log_takes_what_belongs_to_another,
           a_line_of_an_access_log_is_split_as_its_pattern_says, syslog_is_read,
           lines_of_known_programs_are_read, a_pattern_that_takes_too_long_costs_its_record,
           wrong_patterns_are_named)
