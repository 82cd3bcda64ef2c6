/* test_answer_reader.c -- answers of HTTP, however their bytes come, and what is none. */
#include "support/suite.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/cli/top/answer_reader.h"

/* As parts of `step` bytes; then the connection ends. */
static struct answer_reader read_in_steps(const char *text, size_t n, size_t step)
{
    struct answer_reader a = {.bytes = NULL};
    for (size_t at = 0; at < n && a.progress == ANSWER_MORE; at += step)
        answer_reader_take(&a, text + at, n - at < step ? n - at : step);
    answer_reader_end(&a);
    return a;
}

static void reads(const char *text, int code, const char *body)
{
    for (size_t step = 1; step < 40; step++) {
        struct answer_reader a = read_in_steps(text, strlen(text), step);
        ck_assert_int_eq(a.progress, ANSWER_WHOLE);
        ck_assert_int_eq(a.code, code);
        ck_assert_uint_eq(a.body_end - a.body, strlen(body));
        ck_assert_int_eq(memcmp(a.bytes + a.body, body, strlen(body)), 0);
        answer_reader_free(&a);
    }
}

static void refuses(const char *text, const char *fault)
{
    for (size_t step = 1; step < 40; step += 3) {
        struct answer_reader a = read_in_steps(text, strlen(text), step);
        ck_assert_int_eq(a.progress, ANSWER_WRONG);
        ck_assert_ptr_nonnull(strstr(a.fault, fault));
        answer_reader_free(&a);
    }
}

START_TEST(a_body_is_counted_chunked_or_ends_with_the_connection)
{
    reads("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello");
    reads("HTTP/1.1 200 OK\r\ncontent-length:5\r\nX: y\r\n\r\nhello and more", 200, "hello");
    reads("HTTP/1.0 404 Not Found\r\nX: y\r\n\r\nno such page", 404, "no such page");
    reads("HTTP/1.1 204 Nothing\r\nContent-Length: 0\r\n\r\n", 204, "");
    reads("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          "5\r\nhello\r\n1;a=b\r\n,\r\nB\r\n the world\n\r\n0\r\nX: y\r\n\r\n",
          200, "hello, the world\n");
    reads("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n"
          "3\r\n{}\n\r\n0\r\n\r\n",
          200, "{}\n");
}
END_TEST

START_TEST(what_is_no_answer_is_named)
{
    refuses("", "without an answer");
    refuses("SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP");
    refuses("HTTP", "does not speak HTTP");
    refuses("HTTP/1.1 2x0 OK\r\n\r\n", "does not speak HTTP");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "does not speak HTTP");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "does not speak");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "within an answer");
    refuses("HTTP/1.1 200 OK\r\nContent-", "within an answer");
    refuses("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "does not speak HTTP");
    refuses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "does not speak HTTP");
    refuses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "within an answer");
    refuses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\n", "HTTP");
}
END_TEST

/* As long as it takes bytes; *n: how many. */
static struct answer_reader flood(const char *head, const char *rest, size_t *n)
{
    struct answer_reader a = {.bytes = NULL};
    answer_reader_take(&a, head, strlen(head));
    for (*n = 0; a.progress == ANSWER_MORE; *n += strlen(rest))
        answer_reader_take(&a, rest, strlen(rest));
    return a;
}

START_TEST(heads_and_bodies_have_a_bound)
{
    static const char *const heads[] = {"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n",
                                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"};
    static char rest[][5000] = {"X: ", "", "1000\r\n"};
    static const size_t most[] = {ANSWER_HEAD, ANSWER_BODY, 2 * ANSWER_BODY};
    for (size_t k = 0; k < 3; k++) {
        size_t n, from = strlen(rest[k]);
        memset(rest[k] + from, 'a', 4096);
        strcpy(rest[k] + from + 4096, k == 1 ? "" : "\r\n");
        struct answer_reader a = flood(heads[k], rest[k], &n);
        ck_assert_int_eq(a.progress, ANSWER_WRONG);
        ck_assert_uint_le(n, most[k] + 2 * sizeof *rest);
        answer_reader_free(&a);
    }
}
END_TEST

LEAT_SUITE("answer_reader", a_body_is_counted_chunked_or_ends_with_the_connection,
           what_is_no_answer_is_named, heads_and_bodies_have_a_bound)
