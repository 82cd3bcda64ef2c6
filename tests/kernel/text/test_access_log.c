/* test_access_log.c -- the parts of usual lines of access logs, and lines that are left to others.
 *
 * The test of parse.regex compares it with the regular expression. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/text/access_log.h"

#define HEAD "10.0.0.1 - ann [10/Oct/2023:13:55:36 +0000] "

static bool split(const char *line, bool combined, struct access_log *log)
{
    size_t len = strlen(line);
    char *exact = memcpy(malloc(len + 1), line, len); /* a sanitizer sees reads beyond it */
    bool done = access_log_split(exact, len, combined, log);
    free(exact);
    return done;
}

static void expect_parts(const char *line, bool combined, const char *const *want)
{
    struct access_log log;
    ck_assert_msg(split(line, combined, &log), "refused: %s", line);
    for (int p = 0; p < (combined ? ACCESS_LOG_PARTS : ACCESS_LOG_REFERER); p++) {
        size_t n = log.to[p] - log.from[p];
        if (p == ACCESS_LOG_REQUEST) continue;
        ck_assert_msg(n == strlen(want[p]) && !memcmp(line + log.from[p], want[p], n),
                      "part %d of %s", p, line);
    }
}

START_TEST(usual_lines_are_split)
{
    const char *const want[] = {"10.0.0.1", "-",
                                "ann",      "10/Oct/2023:13:55:36 +0000",
                                "GET",      "/p/\"1\".gif",
                                "HTTP/1.1", "",
                                "200",      "2326",
                                "",         "curl [x]"};
    expect_parts(HEAD "\"GET /p/\"1\".gif HTTP/1.1\" 200 2326", false, want);
    expect_parts(HEAD "\"GET /p/\"1\".gif HTTP/1.1\" 200 2326 \"\" \"curl [x]\" more", true, want);
}
END_TEST

START_TEST(other_lines_are_left_to_the_expression)
{
    const char *const lines[] = {"",
                                 "10.0.0.1",
                                 HEAD "\"GET /p\" 200 5",
                                 HEAD "\"\\x16\" 400 5",
                                 HEAD "\"GET /p HTTP/1.1\" 2000 5",
                                 HEAD "\"GET /p HTTP/1.1\" 200 5 ",
                                 HEAD "\"GET /p HTTP/1.1\" 200 ",
                                 "h - a b [t] \"GET /p HTTP/1.1\" 200 5",
                                 "h, - a [t] \"GET /p HTTP/1.1\" 200 5",
                                 ", - a [t] \"GET /p HTTP/1.1\" 200 5",
                                 "h id a [t] \"GET /p HTTP/1.1\" 200 5",
                                 "h --a [t] \"GET /p HTTP/1.1\" 200 5"};
    struct access_log log;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(!split(lines[i], false, &log), "%s", lines[i]);
    ck_assert(!split(HEAD "\"GET /p HTTP/1.1\" 200 5 \"-\" \"a \\\" b\"", true, &log));
    ck_assert(!split(HEAD "\"GET /p HTTP/1.1\" 200 5 \"-\" \"a", true, &log));
}
END_TEST

LEAT_SUITE("access_log", usual_lines_are_split, other_lines_are_left_to_the_expression)
