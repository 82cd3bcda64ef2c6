/* test_label_period.c -- the built label.period: which records lie in which period. */
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

#define HOUR INT64_C(3600000000000)

static struct harness *period(const char *before, const char *after, const char *newest)
{
    struct harness *h = harness_new("labels", "label.period");
    harness_has(h, LEAT_HAS_RECORDS | LEAT_HAS_TIMESTAMP);
    if (before) harness_set(h, "before", before);
    if (after) harness_set(h, "after", after);
    if (newest) harness_set(h, "newest", newest);
    return h;
}

/* Checks the labels of records at hours 0 to 11 of 1970, in batches of 5, and of one without a
 * time: +, -, or a blank for a filtered record. */
static void labels(struct harness *h, const char *want)
{
    char got[14] = "";
    ck_assert_msg(harness_open(h, 5) == LEAT_OK, "%s", h->said);
    for (int i = 0; i < 13;) {
        int first = i;
        harness_clear(h);
        for (; i < 13 && i < first + 5; i++)
            h->b.timestamp[harness_record(h, "x")] = i == 12 ? -1 : i * HOUR;
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        memset(got + first, ' ', (size_t)(i - first));
        for (LEAT_EACH_RECORD(&h->b, r))
            got[first + (int)r] = h->b.label[r] > 0 ? '+' : '-';
    }
    ck_assert_str_eq(got, want);
    double n[2] = {0, 0}, filtered = 0;
    for (const char *c = want; *c; c++) {
        n[0] += *c == '+';
        n[1] += *c == '-';
        filtered += *c == ' ';
    }
    ck_assert_double_eq(harness_metric(h, "first"), n[0]);
    ck_assert_double_eq(harness_metric(h, "second"), n[1]);
    ck_assert_double_eq(harness_metric(h, "outside"), filtered - 1);
    ck_assert_double_eq(harness_metric(h, "without_time"), 1);
    harness_free(h);
}

START_TEST(the_period_alone_is_positive)
{
    labels(period("1970-01-01T04:00", NULL, NULL), "++++-------- ");
    labels(period(NULL, "1970-01-01T04:00", NULL), "----++++++++ ");
    labels(period("1970-01-01T04:00..1970-01-01T06:00", NULL, NULL), "----++------ ");
}
END_TEST

START_TEST(of_two_periods_the_rest_is_filtered)
{
    labels(period("1970-01-01T04:00", "1970-01-01T06:00", NULL), "++++  ------ ");
    labels(period("1970-01-01T04:00..1970-01-01T06:00", "..1970-01-01T02:00", NULL),
           "--  ++       ");
}
END_TEST

START_TEST(a_duration_counts_from_the_newest_time)
{
    labels(period(NULL, "-3h", "1970-01-01T11:00"), "---------+++ ");
    labels(period("-3h..-1h", NULL, "1970-01-01T11:00"), "---------++- ");
}
END_TEST

LEAT_SUITE("label_period", the_period_alone_is_positive, of_two_periods_the_rest_is_filtered,
           a_duration_counts_from_the_newest_time)
