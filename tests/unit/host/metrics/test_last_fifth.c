/* test_last_fifth.c -- sums of the last fifth, against sums of every example. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "host/metrics/last_fifth.h"

enum { LONGEST = 300000 };
static struct sums all[LONGEST + 1];
static struct last_fifth marks;

/* Fills sums with different values for every prefix, which doubles hold exactly. */
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

/* Merges the marks of streams [0, cut) and [cut, n). Every figure identifies its prefix. */
static void merge_at(uint64_t cut, uint64_t n)
{
    static struct last_fifth rest;
    struct sums now = {0, 0, 0};
    memset(&rest, 0, sizeof rest);
    memset(&marks, 0, sizeof marks);
    for (uint64_t i = 1; i <= cut; i++)
        last_fifth_add(&marks, i, &all[i]);
    for (uint64_t i = cut + 1; i <= n; i++) {
        now = (struct sums){all[i].weight - all[cut].weight, all[i].loss - all[cut].loss,
                            all[i].second - all[cut].second};
        last_fifth_add(&rest, i - cut, &now);
    }
    last_fifth_merge(&marks, &all[cut], cut, &rest, n - cut);
    ck_assert(marks.n <= LAST_FIFTH_MARKS);
    ck_assert(n == 0 || marks.n == n / marks.step + 1); /* required of a snapshot */
}

START_TEST(merged_marks_are_those_of_one_stream_behind_the_other)
{
    fill();
    static const uint64_t cuts[][2] = {
        {0, 3000},    {3000, 3000}, {1000, 3000},   {1, 4095},      {4095, 4096},
        {2500, 5000}, {100, 90000}, {90000, 90100}, {50000, 90000}, {LONGEST / 2, LONGEST}};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        uint64_t cut = cuts[k][0], n = cuts[k][1], exact = n - n / 5, examples = n, really = n;
        merge_at(cut, n);
        struct sums s = last_fifth_sums(&marks, &all[n], &examples);
        ck_assert_uint_le(n - examples, exact);
        ck_assert_uint_le(exact - (n - examples), n / 2048);
        while (all[n].weight - all[really].weight < s.weight)
            really--;
        ck_assert_uint_le(really, n - examples); /* its beginning may be one mark early */
        ck_assert_uint_le((n - examples) - really, n / 2048);
        ck_assert(s.loss == all[n].loss - all[really].loss);
        for (uint64_t i = n + 1; i <= n + 5000 && i <= LONGEST; i++) /* it can continue */
            last_fifth_add(&marks, i, &all[i]);
    }
    merge_at(1234, 3000);
    check(3000, 2400);
}
END_TEST

LEAT_SUITE("last_fifth", exact_at_every_length_that_the_marks_hold,
           beyond_it_begins_at_most_a_2048th_early_and_never_late,
           exact_where_four_fifths_are_a_multiple_of_the_step,
           merged_marks_are_those_of_one_stream_behind_the_other)
