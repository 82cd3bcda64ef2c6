/* test_holdout.c -- label.holdout: records and examples with importance 0. */
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *holdout(const char *after, const char *period)
{
    struct harness *h = harness_new("labels", "label.holdout");
    harness_has(h, LEAT_HAS_RECORDS | LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL);
    h->in.examples_per_record = h->in.entries_per_record = 2;
    if (after) harness_set(h, "after", after);
    if (period) harness_set(h, "period", period);
    return h;
}

/* Checks which of 12 records, in batches of 5, are held out ('-') or not ('+'). Each has two
 * examples. */
static void holds(struct harness *h, const char *want)
{
    char got[13] = "";
    ck_assert_msg(harness_open(h, 5) == LEAT_OK, "%s", h->said);
    for (int i = 0; i < 12;) {
        harness_clear(h);
        int first = i;
        for (; i < 12 && i < first + 5; i++) {
            uint32_t r = harness_record(h, "x");
            harness_example(h, r, 1, "1:1");
            harness_example(h, r, 1, "2:1");
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        for (int j = first; j < i; j++) {
            uint32_t r = (uint32_t)(j - first);
            ck_assert(h->b.ex_weight[2 * r] == h->b.weight[r]);
            ck_assert(h->b.ex_weight[2 * r + 1] == h->b.weight[r]);
            got[j] = h->b.weight[r] == 0 ? '-' : h->b.weight[r] == 1 ? '+' : '?';
        }
    }
    ck_assert_str_eq(got, want);
    harness_free(h);
}

START_TEST(records_after_the_given_number_are_held_out)
{
    holds(holdout("7", NULL), "+++++++-----");
}
END_TEST

START_TEST(one_record_of_each_period_is_held_out) { holds(holdout(NULL, "4"), "+++-+++-+++-"); }
END_TEST

START_TEST(both_may_be_given) { holds(holdout("9", "5"), "++++-++++---"); }
END_TEST

START_TEST(a_restored_stage_counts_on)
{
    struct harness *h = holdout("3", NULL), *other = holdout("3", NULL);
    ck_assert_int_eq(harness_open(h, 5), LEAT_OK);
    ck_assert_int_eq(harness_open(other, 5), LEAT_OK);
    for (int i = 0; i < 2; i++)
        harness_record(h, "x");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    size_t n;
    const void *bytes = harness_snapshot(h, &n);
    ck_assert_int_eq(harness_restore(other, bytes, n), LEAT_OK);
    for (int i = 0; i < 2; i++)
        harness_record(other, "x");
    ck_assert_int_eq(harness_process(other), LEAT_OK);
    ck_assert(other->b.weight[0] == 1 && other->b.weight[1] == 0);
    harness_free(h);
    harness_free(other);
}
END_TEST

START_TEST(holding_out_nothing_or_everything_is_an_error)
{
    expect_refused_and_free(holdout(NULL, NULL), "holds out nothing");
    expect_refused_and_free(holdout("10", "1"), "every record");
}
END_TEST

LEAT_SUITE("holdout", records_after_the_given_number_are_held_out,
           one_record_of_each_period_is_held_out, both_may_be_given, a_restored_stage_counts_on,
           holding_out_nothing_or_everything_is_an_error)
