/* test_edges.c -- feature.columns: features of the edges of numbers, and of missing values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "featurizers/columns_edges.h"
#include "kernels/base/feature_id.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

/* A stage on the columns a (text), n and m (numbers). */
static struct harness *cut(const char *columns, const char *edges, const char *cross)
{
    struct harness *h = harness_new("featurizers", "feature.columns");
    harness_column(h, "a", LEAT_TEXT);
    harness_column(h, "n", LEAT_NUMBER);
    harness_column(h, "m", LEAT_NUMBER);
    harness_set(h, "columns", columns);
    harness_set(h, "edges", edges);
    harness_set(h, "cross", cross);
    return h;
}

static void add(struct harness *h, const char *a, double n, double m)
{
    uint32_t r = harness_row(h, a);
    h->b.column[1].number[r] = n;
    h->b.column[2].number[r] = m;
}

/* Returns the names of all features, in order, one a line. */
static const char *names(const struct harness *h)
{
    static char text[1 << 16];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < h->b.n_entries; i++)
        n += (size_t)sprintf(text + n, "%s\n", harness_name(h, i));
    return text;
}

START_TEST(each_edge_makes_one_of_two_features)
{
    struct harness *h = cut("a", "n=1 2.50 4e1", "1");
    harness_open(h, 10);
    add(h, "x|", 2.5, 0);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(names(h), "a=x\nn >= 1\nn >= 2.50\nn < 4e1\n");
    for (uint32_t i = 0; i < h->b.n_entries; i++)
        ck_assert_float_eq(h->b.value[i], 1);
    ck_assert_uint_eq(h->b.id[1], feature_id_name("n >= 1", 6));
    harness_free(h);
}
END_TEST

/* Neighbours of 2^53 + 1, which is no double, and of 17 * 10^17, which is one. */
START_TEST(integers_beyond_2_to_53_are_compared_as_they_are)
{
    static const char *const text[] = {
        "9007199254740992",    "9007199254740993",  " 9007199254740994",  "1699999999999999999",
        "1700000000000000000", "-9007199254740993", "9007199254740993.0", "1e300"};
    static const uint32_t steps[] = {1, 2, 2, 2, 3, 0, 2, 3};
    static const char *const edge[] = {"-9007199254740992", "9007199254740993", "1.7e18"};
    struct harness *h = harness_new("featurizers", "feature.columns");
    char wanted[4096] = "";
    harness_column(h, "a", LEAT_TEXT);
    harness_column(h, "n", LEAT_INT64);
    harness_set(h, "edges",
                "a=-9007199254740992 9007199254740993 1.7e18,"
                "n=-9007199254740992 9007199254740993 1.7e18");
    harness_open(h, 10);
    for (uint32_t k = 0; k < sizeof text / sizeof *text; k++) {
        uint32_t r = harness_row(h, text[k]);
        h->b.column[1].int64[r] = k < 6 ? strtoll(text[k], NULL, 10) : LEAT_NO_INT64;
        for (int c = 0; c < (k < 6 ? 2 : 1); c++)
            for (uint32_t e = 0; e < 3; e++)
                sprintf(wanted + strlen(wanted), "%c %s %s\n", c ? 'n' : 'a',
                        steps[k] > e ? ">=" : "<", edge[e]);
    }
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(names(h), wanted);
    harness_free(h);
}
END_TEST

START_TEST(sides_of_two_edges_make_a_band)
{
    struct harness *h = cut("", "n=1 2 3", "2");
    harness_open(h, 10);
    add(h, "|", 2, 0);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(names(h), "n >= 1\nn >= 2\nn < 3\nn >= 1 & n < 3\nn >= 2 & n < 3\n");
    harness_free(h);
}
END_TEST

START_TEST(a_category_and_the_edges_of_one_column_make_no_pair)
{
    struct harness *h = cut("a,n", "n=2,m=0", "2");
    harness_set(h, "numeric", "category");
    harness_open(h, 10);
    add(h, "x|", 3, -1);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(names(h), "a=x\nn=3\nn >= 2\nm < 0\na=x & n=3\na=x & n >= 2\na=x & m < 0\n"
                               "n=3 & m < 0\nn >= 2 & m < 0\n");
    harness_free(h);
}
END_TEST

START_TEST(missing_numbers_make_a_feature_when_asked_for)
{
    struct harness *h = cut("a,n", "n=2,m=0 1", "2");
    harness_set(h, "numeric", "category");
    harness_open(h, 10);
    add(h, "x|", (double)NAN, (double)NAN);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(names(h), "a=x\n");
    harness_free(h);
    h = cut("a,n", "n=2,m=0 1", "2");
    harness_set(h, "numeric", "category");
    harness_set(h, "skip_missing", "false");
    harness_open(h, 10);
    add(h, "x|", (double)NAN, (double)NAN);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(names(h), "a=x\nn is missing\nm is missing\na=x & n is missing\n"
                               "a=x & m is missing\nn is missing & m is missing\n");
    harness_free(h);
}
END_TEST

/* Appends the name of a pair if the two features may make one. */
static void pair(char *to, char one[64], char two[64])
{
    bool same = one[0] == two[0] && one[1] == ' ' && two[1] == ' ';
    bool band = same && strchr("<>", one[2]) && one[2] != two[2];
    if (!same || band) sprintf(to + strlen(to), "%s & %s\n", one, two);
}

/* Random edges and numbers, all features of one record, made by the words of the manual. */
START_TEST(features_are_those_of_the_manual)
{
    srand(7);
    for (int round = 0; round < 300; round++) {
        char edges[256] = "n=", all[1 << 15] = "", one[32][64];
        int n = 1 + rand() % 9, crossed = rand() % 6, singles = 0;
        double at = rand() % 20, x = rand() % 60 - 10.0;
        struct {
            char name[64];
            bool crossed;
        } side[9];
        for (int i = 0; i < n; i++, at += 1 + rand() % 6) {
            bool in = n <= crossed;
            for (int k = 0; k < crossed; k++)
                in |= i == (int)floor((k + .5) * n / crossed);
            sprintf(edges + strlen(edges), "%s%g", i ? " " : "", at);
            sprintf(side[i].name, "n %s %g", x >= at ? ">=" : "<", at);
            side[i].crossed = in;
        }
        strcpy(one[singles++], "a=x");
        for (int i = 0; i < n; i++)
            if (side[i].crossed) strcpy(one[singles++], side[i].name);
        for (int i = 0; i < singles; i++)
            sprintf(all + strlen(all), "%s\n", one[i]);
        for (int i = 0; i < n; i++)
            if (!side[i].crossed) sprintf(all + strlen(all), "%s\n", side[i].name);
        for (int i = 0; i < singles; i++)
            for (int j = i + 1; j < singles; j++)
                pair(all, one[i], one[j]);
        struct harness *h = cut("a", edges, "2");
        char text[16];
        sprintf(text, "%d", crossed);
        harness_set(h, "cross_edges", text);
        harness_set(h, "explode", round % 2 ? "true" : "false");
        harness_open(h, 1);
        add(h, "x|", x, 0);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_str_eq(names(h), all);
        ck_assert_uint_le(h->b.n_entries, h->out.entries_per_record);
        ck_assert_uint_le(h->b.n_examples, h->out.examples_per_record);
        harness_free(h);
    }
}
END_TEST

START_TEST(texts_are_cut_like_numbers_and_others_make_no_feature)
{
    struct harness *h = cut("", "a=10", "1");
    harness_open(h, 10);
    add(h, " 12 |", 0, 0);
    add(h, "9.99|", 0, 0);
    add(h, "|", 0, 0);
    add(h, "NA|", 0, 0);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(names(h), "a >= 10\na < 10\n");
    ck_assert_uint_eq(h->b.n_examples, 4); /* the last two have no features */
    harness_free(h);
}
END_TEST

/* Writes the sides of the edges to which a text belongs, as strtod() reads it. */
static void sides_of(char *to, const char *text)
{
    static const double edge[] = {-7, -3, 0, 0.5, 5, 11, 12345678, 5e8};
    char *end;
    double x = strtod(text, &end);
    if (end == text || end[strspn(end, " ")]) return;
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        to += sprintf(to, "a %s %.9g\n", x >= edge[i] ? ">=" : "<", edge[i]);
}

/* Random texts in many spellings. The last ones have few bytes after them in the batch. */
START_TEST(texts_are_cut_at_the_numbers_that_they_write)
{
    static const char *const form[] = {"%d",   "%d.0", "0%d",  "+%d", " %d ",      "-%d",
                                       "0.%d", "%de0", "%d-",  "%dx", "1234567%d", "%d00000000",
                                       "-  ",  "  ",   "-%de", "NA",  "-0%d",      "000000%d"};
    srand(11);
    for (int round = 0; round < 200; round++) {
        static char all[1 << 15];
        struct harness *h = cut("", "a=-7 -3 0 0.5 5 11 12345678 500000000", "1");
        harness_set(h, "cross_edges", "8");
        harness_open(h, 20);
        *all = 0;
        for (int r = 0; r < 20; r++) {
            char text[32];
            snprintf(text, sizeof text, form[(size_t)rand() % (sizeof form / sizeof *form)],
                     rand() % 13);
            sides_of(all + strlen(all), text);
            add(h, text, 0, 0);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_str_eq(names(h), all);
        harness_free(h);
    }
}
END_TEST

START_TEST(wrong_edges_are_reported)
{
    static const char *const wrong[] = {"n", "n=", "=1 2", "n=1 x", "n=2 1", "n=1 1", "n=1 nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct harness *h = cut("a", wrong[i], "1");
        expect_errors(h, 1,
                      "is wrong: write a column and ascending numbers, such as humid=60 70 80");
        harness_free(h);
    }
    struct harness *h = cut("a", "n=1,n=2", "1");
    expect_errors(h, 1, "edges: column 'n' is listed twice");
    harness_set(h, "edges", "zz=1");
    expect_errors(h, 1, "edges: there is no column 'zz'");
    harness_free(h);
    char many[512] = "n=";
    for (int i = 0; i <= COLUMNS_EDGES; i++)
        sprintf(many + strlen(many), "%d ", i);
    h = cut("a", many, "1");
    expect_errors(h, 1, "more than 64 numbers");
    harness_free(h);
}
END_TEST

LEAT_SUITE("edges", each_edge_makes_one_of_two_features,
           integers_beyond_2_to_53_are_compared_as_they_are, sides_of_two_edges_make_a_band,
           a_category_and_the_edges_of_one_column_make_no_pair,
           missing_numbers_make_a_feature_when_asked_for, features_are_those_of_the_manual,
           texts_are_cut_like_numbers_and_others_make_no_feature,
           texts_are_cut_at_the_numbers_that_they_write, wrong_edges_are_reported)
