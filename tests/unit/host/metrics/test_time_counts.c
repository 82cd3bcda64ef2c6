/* test_time_counts.c -- records by event time, against all records kept. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/metrics/time_counts.h"
#include "support/random.h"

#define SECOND 1000000000LL
#define DAY    (86400 * SECOND)
enum { MANY = 20000 };
static struct {
    int64_t ns;
    double label;
} all[MANY];
static struct time_counts counts;

static void add(int n)
{
    memset(&counts, 0, sizeof counts);
    for (int i = 0; i < n; i++)
        time_counts_add(&counts, all[i].ns, all[i].label);
}

/* Compares each span with the records that lie in it. */
static void check(int n)
{
    uint64_t total = 0;
    int64_t width = time_counts_seconds(&counts) * SECOND;
    ck_assert_uint_le(counts.n, TIME_SPANS);
    for (uint32_t k = 0; k < counts.n; k++) {
        struct time_span s = {0};
        int64_t begin = time_counts_begin(&counts, k);
        for (int i = 0; i < n; i++) {
            if (all[i].ns < begin || (uint64_t)all[i].ns - (uint64_t)begin >= (uint64_t)width)
                continue;
            s.records++;
            if (!isfinite(all[i].label)) continue;
            s.labelled++;
            s.positive += all[i].label > 0;
            s.sum += all[i].label;
        }
        ck_assert_uint_eq(s.records, counts.span[k].records);
        ck_assert_uint_eq(s.labelled, counts.span[k].labelled);
        ck_assert_uint_eq(s.positive, counts.span[k].positive);
        ck_assert(s.sum == counts.span[k].sum);
        total += s.records;
    }
    ck_assert_uint_eq(total, (uint64_t)n);
    ck_assert(counts.span[0].records > 0 && counts.span[counts.n - 1].records > 0);
}

/* Fills n records of whole labels within `range` ns after `from`. */
static void fill(int n, int64_t from, double range, uint64_t seed)
{
    for (int i = 0; i < n; i++) {
        all[i].ns = from + (int64_t)(range * uniform(&seed, 0, 1));
        all[i].label =
            uniform(&seed, 0, 1) < 0.1 ? (double)NAN : floor(5 * uniform(&seed, 0, 1)) - 2;
    }
}

START_TEST(spans_hold_the_records_of_their_times)
{
    for (uint64_t seed = 1; seed < 40; seed++) {
        fill(2000, 1700000000 * SECOND, pow(10, 5 + (double)(seed % 13)), seed);
        add(2000);
        check(2000);
    }
}
END_TEST

static int later(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

START_TEST(the_order_of_the_records_does_not_matter)
{
    static struct time_counts before;
    fill(MANY, 0, 3e17, 7);
    add(MANY);
    before = counts;
    qsort(all, MANY, sizeof *all, later);
    add(MANY);
    ck_assert(before.n == counts.n && before.width == counts.width);
    ck_assert(!memcmp(before.span, counts.span, sizeof before.span));
}
END_TEST

START_TEST(the_width_is_the_least_that_has_room)
{
    struct {
        int64_t range, seconds;
    } const known[] = {{0, 1},
                       {95, 1},
                       {96, 5},
                       {3600, 60},
                       {86399, 900},
                       {86400, 3600},
                       {90 * 86400, 86400},
                       {365 * 86400, 7 * 86400}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        all[0].ns = 1577836800 * SECOND; /* 2020-01-01, a Wednesday */
        all[1].ns = all[0].ns + known[k].range * SECOND;
        add(2);
        check(2);
        ck_assert_int_eq(time_counts_seconds(&counts), known[k].seconds);
    }
    ck_assert_int_eq(time_counts_begin(&counts, 0), all[0].ns - 2 * DAY); /* the Monday before */
}
END_TEST

START_TEST(settled_spans_are_as_wide_as_the_unit_of_all_times)
{
    int64_t const known[][2] = {{86400, 86400}, {43200, 43200}, {3600, 3600},   {900, 900},
                                {7200, 3600},   {7, 1},         {172800, 86400}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        for (int i = 0; i < 8; i++)
            all[i].ns = (1577836800 + i * known[k][0]) * SECOND, all[i].label = i - 4;
        add(8);
        time_counts_settle(&counts);
        check(8);
        ck_assert_int_eq(time_counts_seconds(&counts), known[k][1]);
    }
}
END_TEST

START_TEST(any_two_times_have_room)
{
    int64_t times[] = {0, 1, INT64_MAX, INT64_MAX - 1, 4 * DAY, 40000 * DAY};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            all[0].ns = times[i];
            all[1].ns = times[k];
            add(2);
            check(2);
        }
}
END_TEST

LEAT_SUITE("time_counts", spans_hold_the_records_of_their_times,
           the_order_of_the_records_does_not_matter, the_width_is_the_least_that_has_room,
           settled_spans_are_as_wide_as_the_unit_of_all_times, any_two_times_have_room)
