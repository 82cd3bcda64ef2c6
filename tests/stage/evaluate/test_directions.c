/* test_directions.c -- eval.directions: errors computed by hand, and its bounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static char path[] = "/tmp/leat-directions-XXXXXX";

static struct harness *directions(const char *m, const char *features)
{
    struct harness *h = harness_new("evaluate", "eval.directions");
    strcpy(path + strlen(path) - 6, "XXXXXX");
    close(mkstemp(path));
    harness_has(h, LEAT_HAS_RECORDS | LEAT_HAS_EXAMPLES);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 8;
    harness_set(h, "m", m);
    harness_set(h, "features", features);
    harness_set(h, "path", path);
    return h;
}

static void row(struct harness *h, const char *features)
{
    harness_example(h, harness_record(h, "x"), 0, features);
}

/* Reads line `line` of the report at the end: rows, features, errors and bound of size m. */
static void report(struct harness *h, int line, unsigned m, double *v)
{
    unsigned got;
    harness_free(h); /* stops it */
    FILE *f = fopen(path, "r");
    char text[256];
    for (int i = 0; i <= line; i++)
        ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
    fclose(f);
    unlink(path);
    ck_assert_msg(sscanf(text, "%u,%lf,%lf,%lf,%lf,%lf", &got, v, v + 1, v + 2, v + 3, v + 4) == 6,
                  "%s", text);
    ck_assert_uint_eq(got, m);
}

/* G = diag(16, 9, 4, 1) shrinks by 9 and loses diag(9, 9, 4, 1). */
START_TEST(errors_of_four_orthogonal_rows_are_those_worked_out_by_hand)
{
    struct harness *h = directions("2", "4");
    ck_assert_msg(harness_open(h, 8) == LEAT_OK, "%s", h->said);
    row(h, "7:4");
    row(h, "9:-3");
    row(h, "11:2");
    row(h, "13:0.5 13:0.5");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    double v[5];
    report(h, 1, 2, v);
    ck_assert(v[0] == 4 && v[1] == 4);
    ck_assert_double_eq_tol(v[2], 9.0 / 16, 1e-12);
    ck_assert_double_eq_tol(v[3], 4.5 / 16, 1e-12);
    ck_assert_double_eq_tol(v[4], 9.0 / 16, 1e-12);
}
END_TEST

static void random_rows(struct harness *h, unsigned n, unsigned features)
{
    uint64_t s = 5;
    for (unsigned i = 0; i < n; i++) {
        char text[128];
        int at = 0;
        for (int k = 0; k < 4; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            at += sprintf(text + at, "%s%u:%.3f", k ? " " : "", (unsigned)(s >> 33) % features,
                          (double)(s >> 40) * 0x1p-24 - 0.3);
        }
        row(h, text);
    }
}

START_TEST(errors_stay_within_their_bounds)
{
    struct harness *h = directions("3,9", "30");
    ck_assert_int_eq(harness_open(h, 2000), LEAT_OK);
    random_rows(h, 2000, 30);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    double v[5];
    report(h, 2, 9, v);
    ck_assert(v[0] == 2000 && v[1] == 30);
    ck_assert_msg(0.05 < v[2] && v[2] <= v[4], "%g of %g", v[2], v[4]);
    ck_assert_msg(0.025 < v[3] && v[3] <= v[4] / 2 + 1e-12, "%g of %g", v[3], v[4]);
}
END_TEST

START_TEST(more_rows_than_features_are_no_loss)
{
    struct harness *h = directions("7", "6");
    ck_assert_int_eq(harness_open(h, 500), LEAT_OK);
    random_rows(h, 500, 6);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    double v[5];
    report(h, 1, 7, v);
    ck_assert(v[2] < 1e-12 && v[3] < 1e-12 && v[4] == 0);
}
END_TEST

START_TEST(what_cannot_be_judged_is_rejected)
{
    struct harness *h = directions("2", "2");
    harness_set(h, "max_entries", "2");
    ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
    row(h, "1:1 2:1");
    row(h, "3:1");
    row(h, "1:1 1:1 1:1");
    row(h, "1:inf");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_ptr_null(harness_rejected(h, 0));
    ck_assert_ptr_nonnull(strstr(harness_rejected(h, 1)->text, "raise `features`"));
    ck_assert_ptr_nonnull(strstr(harness_rejected(h, 2)->text, "more than max_entries = 2"));
    ck_assert_ptr_nonnull(strstr(harness_rejected(h, 3)->text, "too large"));
    harness_free(h);
    unlink(path);
}
END_TEST

START_TEST(sizes_that_are_none_are_errors)
{
    static const char *const wrong[] = {"0", "x", "5,-1", "3.5", "1e9"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct harness *h = directions(wrong[i], "4");
        expect_refused(h, "is not a size");
        unlink(path);
        harness_free(h);
    }
}
END_TEST

LEAT_SUITE("directions", errors_of_four_orthogonal_rows_are_those_worked_out_by_hand,
           errors_stay_within_their_bounds, more_rows_than_features_are_no_loss,
           what_cannot_be_judged_is_rejected, sizes_that_are_none_are_errors)
