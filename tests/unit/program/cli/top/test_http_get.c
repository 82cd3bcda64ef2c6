/* test_http_get.c -- names of a watched run; answers of HTTP in any pieces.
 *
 * Other bytes are refused. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/cli/top/http_get.h"

static const char *url_of(const char *text)
{
    static struct server_address a;
    return server_address_read(&a, text) ? a.url : NULL;
}

START_TEST(an_address_a_port_or_a_url)
{
    ck_assert_str_eq(url_of("127.0.0.1:8080"), "http://127.0.0.1:8080/");
    ck_assert_str_eq(url_of(":8080"), "http://127.0.0.1:8080/");
    ck_assert_str_eq(url_of("host-7.example.org:08080"), "http://host-7.example.org:8080/");
    ck_assert_str_eq(url_of("[::1]:9100"), "http://[::1]:9100/");
    ck_assert_str_eq(url_of("http://host:9100/"), "http://host:9100/");
    ck_assert_str_eq(url_of("http://host:9100"), "http://host:9100/");
    ck_assert_str_eq(url_of("http://host/"), "http://host:80/");
    ck_assert_str_eq(url_of("http://[::1]/"), "http://[::1]:80/");
}
END_TEST

START_TEST(anything_else_is_none)
{
    static const char *const wrong[] = {"",
                                        "host",
                                        ":",
                                        ":0",
                                        ":65536",
                                        ":99999999",
                                        ":8a",
                                        "a b:80",
                                        "::1:80",
                                        "[::1",
                                        "[x]:80",
                                        "https://h:1/",
                                        "http:///",
                                        "http://h:80/top",
                                        "http://h:x/",
                                        "u:p@h:80",
                                        "h:80/",
                                        "h\n:80"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        ck_assert_msg(!url_of(wrong[k]), "%s", wrong[k]);
}
END_TEST

START_TEST(only_this_machine_is_asked_by_number)
{
    struct server_address a;
    char why[SERVER_WHY], host[SERVER_URL];
    ck_assert(server_address_read(&a, "localhost:9100"));
    ck_assert(server_address_resolve(&a, why));
    for (const struct addrinfo *at = a.list; at; at = at->ai_next) {
        server_address_host(&a, at, host);
        ck_assert(!strcmp(host, "127.0.0.1:9100") || !strcmp(host, "[::1]:9100"));
    }
    freeaddrinfo(a.list);
    ck_assert(server_address_read(&a, "192.0.2.1:80"));
    ck_assert(server_address_resolve(&a, why));
    server_address_host(&a, a.list, host);
    ck_assert_str_eq(host, "192.0.2.1:80");
    freeaddrinfo(a.list);
}
END_TEST

/* Text that a server sends in parts of `step` bytes; letters follow without end if it is
 * endless. */
struct sender {
    const char *text;
    size_t step, sent;
    bool endless;
};

static ssize_t send_part(void *to, char *bytes, size_t size)
{
    struct sender *s = to;
    size_t n = s->step < size ? s->step : size, all = strlen(s->text), k = 0;
    for (; k < n && (s->endless || s->sent < all); k++, s->sent++)
        bytes[k] = s->sent < all ? s->text[s->sent] : 'a';
    return (ssize_t)k;
}

static struct http_answer read_from(struct sender *s)
{
    FILE *from = fopencookie(s, "r", (cookie_io_functions_t){.read = send_part});
    struct http_answer a = http_read(from);
    fclose(from);
    return a;
}

static void reads(const char *text, int code, const char *body)
{
    for (size_t step = 1; step < 40; step++) {
        struct http_answer a = read_from(&(struct sender){text, step, 0, false});
        ck_assert_ptr_null(a.fault);
        ck_assert_int_eq(a.code, code);
        ck_assert_uint_eq(a.n, strlen(body));
        ck_assert_int_eq(memcmp(a.body, body, strlen(body)), 0);
        free(a.body);
    }
}

static void refuses(const char *text, const char *fault)
{
    for (size_t step = 1; step < 40; step += 3) {
        struct http_answer a = read_from(&(struct sender){text, step, 0, false});
        ck_assert_ptr_nonnull(a.fault);
        ck_assert_msg(strstr(a.fault, fault) != NULL, "%s: %s", text, a.fault);
        free(a.body);
    }
}

START_TEST(a_body_is_counted_or_ends_with_the_connection)
{
    reads("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello");
    reads("HTTP/1.1 200 OK\r\ncontent-length:5\r\nX: y\r\n\r\nhello and more", 200, "hello");
    reads("HTTP/1.0 404 Not Found\r\nX: y\r\n\r\nno such page", 404, "no such page");
    reads("HTTP/1.1 204 Nothing\r\nContent-Length: 0\r\n\r\n", 204, "");
}
END_TEST

START_TEST(an_answer_that_is_none_is_named)
{
    refuses("", "without an answer");
    refuses("SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP");
    refuses("HTTP", "does not speak HTTP");
    refuses("HTTP/1.1 2x0 OK\r\n\r\n", "does not speak HTTP");
    refuses("HTTP/1.1\r\n\r\n", "does not speak HTTP");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "does not speak HTTP");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "16 MB");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n", "more than 16 MB");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "in the middle of an answer");
    refuses("HTTP/1.1 200 OK\r\nContent-", "in the middle of an answer");
}
END_TEST

/* The request is HTTP/1.0, which has no chunks and no other codings. */
START_TEST(an_answer_in_chunks_is_refused)
{
    refuses("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "does not speak HTTP");
    refuses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "does not speak HTTP");
}
END_TEST

/* Returns how many bytes of an endless answer are read until it is refused. */
static size_t flood(const char *head, const char *fault)
{
    struct sender s = {head, 4096, 0, true};
    struct http_answer a = read_from(&s);
    ck_assert_ptr_nonnull(a.fault);
    ck_assert_ptr_nonnull(strstr(a.fault, fault));
    free(a.body);
    return s.sent;
}

START_TEST(heads_and_bodies_have_a_bound)
{
    ck_assert_uint_le(flood("HTTP/1.1 200 OK\r\n", "above 16 KB"), 2 * HTTP_HEAD);
    ck_assert_uint_le(flood("HTTP/1.1 200 OK\r\nX: y\r\n\r\n", "more than 16 MB"),
                      HTTP_BODY + 8192);
}
END_TEST

LEAT_SUITE("http_get", an_address_a_port_or_a_url, anything_else_is_none,
           only_this_machine_is_asked_by_number, a_body_is_counted_or_ends_with_the_connection,
           an_answer_that_is_none_is_named, an_answer_in_chunks_is_refused,
           heads_and_bodies_have_a_bound)
