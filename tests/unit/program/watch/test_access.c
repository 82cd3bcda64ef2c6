/* test_access.c -- who may ask. */
#include "support/suite.h"
#include "program/watch/access.h"

START_TEST(pages_of_other_sites_are_told_by_the_browser)
{
    ck_assert(http_access_site(NULL, NULL) && http_access_site("same-origin", "cors") &&
              http_access_site("none", "navigate") && http_access_site("cross-site", "navigate"));
    ck_assert(!http_access_site("cross-site", "no-cors") && !http_access_site("cross-site", NULL) &&
              !http_access_site("same-site", "cors"));
    ck_assert(http_access_origin(NULL, "localhost:80") &&
              http_access_origin("http://LOCALHOST:80", "localhost:80"));
    ck_assert(!http_access_origin("http://evil.example", "localhost:80") &&
              !http_access_origin("null", "localhost:80") && !http_access_origin("http://a", NULL));
}
END_TEST

START_TEST(hosts_are_addresses_or_localhost)
{
    ck_assert(http_access_host(NULL) && http_access_host("localhost") &&
              http_access_host("LOCALHOST:80") && http_access_host("127.0.0.1:9100") &&
              http_access_host("10.0.0.3") && http_access_host("[::1]:9100") &&
              http_access_host("[::1]"));
    ck_assert(!http_access_host("") && !http_access_host("evil.example") &&
              !http_access_host("localhost.evil.example") &&
              !http_access_host("127.0.0.1.nip.io") && !http_access_host("[evil]") &&
              !http_access_host("[::1") && !http_access_host("local"));
}
END_TEST

START_TEST(only_the_token_is_the_token)
{
    ck_assert(http_access_token("sesame", "sesame"));
    ck_assert(!http_access_token("sesame", NULL) && !http_access_token("sesame", "") &&
              !http_access_token("sesame", "sesam") && !http_access_token("sesame", "sesames") &&
              !http_access_token("sesame", "sesamesesame") && !http_access_token("a", "aa") &&
              !http_access_token("sesame", "Sesame"));
}
END_TEST

START_TEST(a_bearer_is_one)
{
    ck_assert_str_eq(http_access_bearer("Bearer x y"), "x y");
    ck_assert_str_eq(http_access_bearer("bearer x"), "x");
    ck_assert(!http_access_bearer(NULL) && !http_access_bearer("Basic x") &&
              !http_access_bearer("Bearer") && !http_access_bearer(""));
}
END_TEST

LEAT_SUITE("access", hosts_are_addresses_or_localhost, only_the_token_is_the_token, a_bearer_is_one,
           pages_of_other_sites_are_told_by_the_browser)
