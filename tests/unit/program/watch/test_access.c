/* test_access.c -- access rights; slow connections make room for others; the time limit of
 * answers. */
#include "support/suite.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

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

static struct connections all;
static int other_end[CONNECTIONS_MAX][2];
static struct connection *one[CONNECTIONS_MAX];

static void come(int i, uint64_t now)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, other_end[i]), 0);
    one[i] = connections_add(&all, other_end[i][0], now);
    ck_assert(one[i] != NULL);
}

/* True if the other side sees the end of the connection. */
static bool is_away(int i)
{
    char c;
    return recv(other_end[i][1], &c, 1, MSG_DONTWAIT) == 0;
}

START_TEST(few_are_left_alone)
{
    connections_init(&all);
    for (int i = 0; i < CONNECTIONS_FEW_LEFT; i++)
        come(i, (uint64_t)i);
    for (int i = 0; i < CONNECTIONS_FEW_LEFT; i++)
        ck_assert(!is_away(i));
}
END_TEST

START_TEST(then_the_slowest_goes_for_each_that_comes)
{
    connections_init(&all);
    for (int i = 0; i < CONNECTIONS_FEW_LEFT; i++)
        come(i, (uint64_t)i);
    connections_answered(one[0], 1000);
    come(CONNECTIONS_FEW_LEFT, 2000);
    ck_assert(!is_away(0) && is_away(1) && !is_away(2));
    come(CONNECTIONS_FEW_LEFT + 1, 2001);
    ck_assert(!is_away(0) && is_away(2) && !is_away(3));
}
END_TEST

START_TEST(who_goes_leaves_a_place)
{
    connections_init(&all);
    for (int i = 0; i < CONNECTIONS_MAX; i++)
        come(i, (uint64_t)i);
    ck_assert(connections_add(&all, 0, 5) == NULL);
    connections_remove(&all, one[7]);
    ck_assert(connections_add(&all, 0, 5) == one[7] && all.n == CONNECTIONS_MAX);
}
END_TEST

static const uint64_t MS = 1000000;

/* Sends requests as fast as the pace allows for `whole` ns; each answer costs `cost` ns of
 * processor time. Returns their processor time. */
static uint64_t attack(struct pace *p, uint64_t *now, uint64_t cost, uint64_t whole)
{
    uint64_t end = *now + whole, busy = p->busy, before = busy;
    while (*now < end) {
        *now += cost;
        busy += cost;
        *now += pace_rest(p, *now, busy);
    }
    return busy - before;
}

START_TEST(whoever_asks_without_end_gets_the_share_and_the_advance)
{
    for (uint64_t cost = MS / 100; cost <= PACE_REST_NS / 100 * PACE_PERCENT; cost *= 7) {
        struct pace p = {0};
        uint64_t now = 1, whole = 600000 * MS;
        pace_rest(&p, now, 0);
        uint64_t took = attack(&p, &now, cost, whole);
        ck_assert_uint_le(took, whole / 100 * PACE_PERCENT + PACE_ADVANCE_NS + cost);
        ck_assert_uint_ge(took, whole / 100 * PACE_PERCENT);
    }
}
END_TEST

START_TEST(whoever_asks_now_and_then_never_waits)
{
    struct pace p = {0};
    uint64_t busy = 0;
    for (uint64_t s = 1; s < 10000; s++) {
        busy += 30 * MS; /* each second */
        ck_assert_uint_eq(pace_rest(&p, s * 1000 * MS, busy), 0);
    }
    for (int k = 0; k < 2000; k++) { /* 2,000 pages at once, a quarter of a millisecond each */
        busy += MS / 4;
        ck_assert_uint_eq(pace_rest(&p, 10000 * 1000 * MS, busy), 0);
    }
}
END_TEST

START_TEST(a_rest_is_short)
{
    struct pace p = {0};
    pace_rest(&p, 1, 0);
    ck_assert_uint_eq(pace_rest(&p, 2, 60000 * MS), PACE_REST_NS);
}
END_TEST

LEAT_SUITE("access", hosts_are_addresses_or_localhost, pages_of_other_sites_are_told_by_the_browser,
           few_are_left_alone, then_the_slowest_goes_for_each_that_comes, who_goes_leaves_a_place,
           whoever_asks_without_end_gets_the_share_and_the_advance,
           whoever_asks_now_and_then_never_waits, a_rest_is_short)
