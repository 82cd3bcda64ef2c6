/* test_server_address.c -- how a run that is watched may be named. */
#include "support/suite.h"

#include <string.h>

#include "program/cli/top/server_address.h"

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
    server_address_free(&a);
    ck_assert(server_address_read(&a, "192.0.2.1:80"));
    ck_assert(server_address_resolve(&a, why));
    server_address_host(&a, a.list, host);
    ck_assert_str_eq(host, "192.0.2.1:80");
    server_address_free(&a);
}
END_TEST

LEAT_SUITE("server_address", an_address_a_port_or_a_url, anything_else_is_none,
           only_this_machine_is_asked_by_number)
