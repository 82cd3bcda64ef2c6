/* test_last_fifth.c -- the sums of the last fifth against sums kept of every example. */
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/last_fifth.h"

enum { LONGEST = 300000 };
static struct sums all[LONGEST + 1];
static struct last_fifth marks;

/* Sums whose every prefix is told apart, in numbers that doubles hold exactly. */
static void fill(void)
{
    memset(&marks, 0, sizeof marks);
    for (int i = 1; i <= LONGEST; i++) {
        all[i] = all[i - 1];
        all[i].weight += 1 + i % 3;
        all[i].loss += i % 101;
        all[i].second += i % 2;
    }
}

static void check(uint64_t n, uint64_t begins)
{
    uint64_t examples = n;
    struct sums s = last_fifth_sums(&marks, &all[n], &examples);
    ck_assert_uint_eq(examples, n - begins);
    ck_assert(s.weight == all[n].weight - all[begins].weight);
    ck_assert(s.loss == all[n].loss - all[begins].loss);
    ck_assert(s.second == all[n].second - all[begins].second);
}

START_TEST(exact_at_every_length_that_the_marks_hold)
{
    fill();
    check(0, 0);
    for (uint64_t n = 1; n < LAST_FIFTH_MARKS; n++) {
        last_fifth_add(&marks, n, &all[n]);
        check(n, n - n / 5);
    }
}
END_TEST

START_TEST(beyond_it_begins_at_most_a_2048th_early_and_never_late)
{
    fill();
    for (uint64_t n = 1; n <= LONGEST; n++) {
        last_fifth_add(&marks, n, &all[n]);
        uint64_t examples = n, exact = n - n / 5;
        last_fifth_sums(&marks, &all[n], &examples);
        uint64_t begins = n - examples;
        ck_assert_msg(begins <= exact && exact - begins <= n / 2048, "%lu of %lu",
                      (unsigned long)begins, (unsigned long)n);
        if (n % 997 == 0) check(n, begins);
        ck_assert(marks.n <= LAST_FIFTH_MARKS);
    }
}
END_TEST

START_TEST(exact_where_four_fifths_are_a_multiple_of_the_step)
{
    fill();
    for (uint64_t n = 1; n <= 100000; n++)
        last_fifth_add(&marks, n, &all[n]);
    check(100000, 80000); /* the step is 32 */
}
END_TEST

LEAT_SUITE("last_fifth", exact_at_every_length_that_the_marks_hold,
           beyond_it_begins_at_most_a_2048th_early_and_never_late,
           exact_where_four_fifths_are_a_multiple_of_the_step)
