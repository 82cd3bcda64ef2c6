/* test_guests.c -- slow connections make place for others. */
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/suite.h"
#include "program/watch/guests.h"

static struct guests all;
static int end[GUESTS_MAX][2];
static struct guest *guest[GUESTS_MAX];

static void come(int i, uint64_t now)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, end[i]), 0);
    guest[i] = guests_come(&all, end[i][0], now);
    ck_assert(guest[i] != NULL);
}

/* The other side sees its end. */
static bool is_away(int i)
{
    char c;
    return recv(end[i][1], &c, 1, MSG_DONTWAIT) == 0;
}

START_TEST(few_are_left_alone)
{
    guests_init(&all);
    for (int i = 0; i < GUESTS_FEW_LEFT; i++)
        come(i, (uint64_t)i);
    for (int i = 0; i < GUESTS_FEW_LEFT; i++)
        ck_assert(!is_away(i));
}
END_TEST

START_TEST(then_the_slowest_goes_for_each_that_comes)
{
    guests_init(&all);
    for (int i = 0; i < GUESTS_FEW_LEFT; i++)
        come(i, (uint64_t)i);
    guests_answered(guest[0], 1000);
    come(GUESTS_FEW_LEFT, 2000);
    ck_assert(!is_away(0) && is_away(1) && !is_away(2));
    come(GUESTS_FEW_LEFT + 1, 2001);
    ck_assert(!is_away(0) && is_away(2) && !is_away(3));
}
END_TEST

START_TEST(who_goes_leaves_a_place)
{
    guests_init(&all);
    for (int i = 0; i < GUESTS_MAX; i++)
        come(i, (uint64_t)i);
    ck_assert(guests_come(&all, 0, 5) == NULL);
    guests_go(&all, guest[7]);
    ck_assert(guests_come(&all, 0, 5) == guest[7] && all.n == GUESTS_MAX);
}
END_TEST

LEAT_SUITE("guests", few_are_left_alone, then_the_slowest_goes_for_each_that_comes,
           who_goes_leaves_a_place)
