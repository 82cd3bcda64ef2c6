/* test_address.c -- values of --http, and the address that it listens on. */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/suite.h"
#include "program/watch/address.h"

static struct http_address at;

static in_port_t port(void)
{
    return ntohs(at.at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at.at)->sin6_port
                                             : ((struct sockaddr_in *)&at.at)->sin_port);
}

START_TEST(an_address_without_a_host_is_loopback)
{
    static const char *const texts[] = {":9100", "localhost:9100", "127.0.0.1:9100",
                                        "127.8.9.1:9100", "[::1]:9100"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_msg(!http_address_read(texts[i], &at), "%s", texts[i]);
        ck_assert(at.loopback && port() == 9100);
    }
}
END_TEST

START_TEST(other_addresses_are_not)
{
    static const char *const texts[] = {"0.0.0.0:0", "[::]:65535", "10.0.0.1:80", "[fe80::1]:80",
                                        "128.0.0.1:1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_msg(!http_address_read(texts[i], &at), "%s", texts[i]);
        ck_assert(!at.loopback);
    }
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
    static const char *const texts[] = {"",
                                        ":",
                                        "9100",
                                        "localhost",
                                        "localhost:",
                                        ":-1",
                                        ":65536",
                                        ":0x1",
                                        ":123456",
                                        ": 1",
                                        "::1:80",
                                        "[::1]80",
                                        "[127.0.0.1]:80",
                                        "[]:80",
                                        "[:80",
                                        "example.org:80",
                                        "1.2.3:80",
                                        "1.2.3.4.5:80",
                                        "127.0.0.1:80:",
                                        "1:2:3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(http_address_read(texts[i], &at), "%s", texts[i]);
    char lengthy[400];
    memset(lengthy, '1', sizeof lengthy);
    memcpy(lengthy + sizeof lengthy - 4, ":80", 4);
    ck_assert(http_address_read(lengthy, &at));
}
END_TEST

START_TEST(port_0_is_a_free_one_and_is_shown)
{
    char shown[HTTP_ADDRESS_TEXT], why[HTTP_ADDRESS_WHY], again[HTTP_ADDRESS_TEXT];
    ck_assert(!http_address_read(":0", &at));
    int fd = http_address_listen(&at, shown, why);
    ck_assert(fd >= 0);
    unsigned number = 0;
    char rest;
    ck_assert_int_eq(sscanf(shown, "http://127.0.0.1:%u%c", &number, &rest), 2);
    ck_assert(number > 0 && rest == '/');
    snprintf(again, sizeof again, ":%u", number);
    ck_assert(!http_address_read(again, &at));
    ck_assert_int_eq(http_address_listen(&at, shown, why), -1);
    ck_assert(strstr(why, "give another port"));
    close(fd);
}
END_TEST

LEAT_SUITE("address", an_address_without_a_host_is_loopback, other_addresses_are_not,
           what_is_no_address_is_refused, port_0_is_a_free_one_and_is_shown)
