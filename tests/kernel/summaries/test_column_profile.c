/* test_column_profile.c -- column_profile against exact counts of the same texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/summaries/column_profile.h"
#include "support/random.h"
#include "support/suite.h"

static void add(struct column_profile *p, const char *text)
{
    char *end;
    double x = strtod(text, &end);
    column_profile_add(p, text, strlen(text), *text && !*end && isfinite(x) ? x : (double)NAN);
}

START_TEST(few_texts_are_counted_exactly)
{
    static struct column_profile p;
    const struct profile_text *ranked[PROFILE_KEPT];
    char text[8];
    memset(&p, 0, sizeof p);
    for (int i = 0; i < PROFILE_KEPT; i++)
        for (int times = 0; times <= i; times++) {
            snprintf(text, sizeof text, "t%02d", i);
            add(&p, text);
        }
    ck_assert_uint_eq(column_profile_rank(&p, ranked), PROFILE_KEPT);
    for (int i = 0; i < PROFILE_KEPT; i++) {
        snprintf(text, sizeof text, "t%02d", PROFILE_KEPT - 1 - i);
        ck_assert_mem_eq(ranked[i]->text, text, 3);
        ck_assert_uint_eq(ranked[i]->count, (uint64_t)(PROFILE_KEPT - i));
        ck_assert_uint_eq(ranked[i]->excess, 0);
    }
    ck_assert(!p.full);
    ck_assert_double_eq(column_profile_distinct(&p), PROFILE_KEPT);
    ck_assert_uint_eq(p.texts, PROFILE_KEPT * (PROFILE_KEPT + 1) / 2);
}
END_TEST

START_TEST(equal_counts_are_in_the_order_of_their_texts)
{
    static struct column_profile p;
    const struct profile_text *ranked[PROFILE_KEPT];
    memset(&p, 0, sizeof p);
    const char *texts[] = {"b", "a", "ab", "c"};
    for (int i = 0; i < 4; i++)
        add(&p, texts[i]);
    ck_assert_uint_eq(column_profile_rank(&p, ranked), 4);
    ck_assert_mem_eq(ranked[0]->text, "a", 1);
    ck_assert_uint_eq(ranked[1]->len, 2);
    ck_assert_mem_eq(ranked[3]->text, "c", 1);
}
END_TEST

START_TEST(numbers_have_their_range)
{
    static struct column_profile p;
    memset(&p, 0, sizeof p);
    const char *texts[] = {"3", "x", "-7.5", "1e3", "inf"};
    for (int i = 0; i < 5; i++)
        add(&p, texts[i]);
    ck_assert_uint_eq(p.numbers, 3);
    ck_assert_double_eq(p.low, -7.5);
    ck_assert_double_eq(p.high, 1000);
    ck_assert_uint_eq(p.longest, 4);
}
END_TEST

enum { TEXTS = 20000, RECORDS = 200000 };

/* Checks skewed texts: bounds hold the counts, a text more frequent than some share of all is
 * stored, and the number of different texts is within four standard errors. */
static void check_bounds(uint64_t seed)
{
    static struct column_profile p;
    static uint64_t exact[TEXTS];
    const struct profile_text *ranked[PROFILE_KEPT];
    uint64_t rng = seed, different = 0;
    memset(&p, 0, sizeof p);
    memset(exact, 0, sizeof exact);
    for (int i = 0; i < RECORDS; i++) {
        char text[16];
        int t = (int)(TEXTS * pow(uniform(&rng, 0, 1), 4));
        snprintf(text, sizeof text, "%d", t);
        add(&p, text);
        different += !exact[t]++;
    }
    uint32_t n = column_profile_rank(&p, ranked), kept = 0, frequent = 0;
    for (uint32_t i = 0; i < n; i++) {
        char text[PROFILE_TEXT + 1] = {0};
        memcpy(text, ranked[i]->text, ranked[i]->len);
        uint64_t truth = exact[atoi(text)];
        ck_assert_uint_le(ranked[i]->count - ranked[i]->excess, truth);
        ck_assert_uint_ge(ranked[i]->count, truth);
        kept += truth > RECORDS / PROFILE_KEPT;
    }
    for (int t = 0; t < TEXTS; t++)
        frequent += exact[t] > RECORDS / PROFILE_KEPT;
    ck_assert_uint_gt(frequent, 0);
    ck_assert_uint_eq(kept, frequent);
    ck_assert(p.full);
    double error = column_profile_distinct(&p) / (double)different - 1;
    ck_assert_msg(fabs(error) < 4 * 1.04 / 32, "%g", error);
}

START_TEST(bounds_hold_of_many_texts)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        check_bounds(seed);
}
END_TEST

START_TEST(long_texts_are_told_apart_and_kept_in_part)
{
    static struct column_profile p;
    const struct profile_text *ranked[PROFILE_KEPT];
    char text[201];
    memset(&p, 0, sizeof p);
    memset(text, 'x', 200);
    text[200] = 0;
    add(&p, text);
    text[199] = 'y';
    add(&p, text);
    add(&p, text);
    ck_assert_uint_eq(column_profile_rank(&p, ranked), 2);
    ck_assert_uint_eq(ranked[0]->count, 2);
    ck_assert_uint_eq(ranked[0]->len, 200);
    ck_assert_uint_eq(p.longest, 200);
}
END_TEST

/* Texts that all differ, and come twice. After each, the estimate is compared with their number. */
START_TEST(different_texts_are_exact_up_to_the_list_and_never_more_than_all)
{
    for (int from = 0; from < 200; from++) {
        static struct column_profile p;
        char text[32];
        memset(&p, 0, sizeof p);
        for (int i = 0; i < 400; i++) {
            snprintf(text, sizeof text, "R-%d", 1000 * from + i);
            add(&p, text);
            ck_assert(column_profile_distinct(&p) <= i + 1);
            ck_assert(column_profile_is_exact(&p) == (i < 128));
            if (i >= 128) continue;
            ck_assert_double_eq(column_profile_distinct(&p), i + 1);
        }
        double estimate = column_profile_distinct(&p);
        ck_assert_double_eq_tol(estimate, 400, 0.15 * 400);
        for (int i = 0; i < 400; i++) {
            snprintf(text, sizeof text, "R-%d", 1000 * from + i);
            add(&p, text);
        }
        ck_assert(column_profile_distinct(&p) >= estimate);
    }
}
END_TEST

/* Profiles of older states have only registers. */
START_TEST(a_profile_without_a_list_goes_on_with_registers)
{
    static struct column_profile p;
    char text[32];
    memset(&p, 0, sizeof p);
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "t%d", i);
        add(&p, text);
    }
    union distinct_space listed = p.texts_had;
    memset(&p.texts_had, 0, sizeof p.texts_had);
    for (int i = 0; i < 40; i++)
        distinct_add(p.texts_had.registers, listed.hash[i]);
    p.listed = 0;
    ck_assert(!column_profile_is_exact(&p));
    ck_assert_double_eq_tol(column_profile_distinct(&p), 40, 4);
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "t%d", i);
        add(&p, text);
    }
    ck_assert_double_eq_tol(column_profile_distinct(&p), 300, 45);
}
END_TEST

START_TEST(the_example_of_distinct_is_what_happens)
{
    uint8_t registers[DISTINCT_REGISTERS] = {0};
    distinct_add(registers, 0x00c4000000000000);
    for (int i = 0; i < DISTINCT_REGISTERS; i++)
        ck_assert_int_eq(registers[i], i == 3 ? 4 : 0);
    ck_assert_double_eq_tol(distinct_count(registers), 1.0005, 5e-5);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    static struct column_profile p;
    static const char *const texts[] = {"a", "b", "a", "12", "7"};
    const struct profile_text *ranked[PROFILE_KEPT];
    char text[8];
    memset(&p, 0, sizeof p);
    for (int i = 0; i < 5; i++)
        add(&p, texts[i]);
    ck_assert(p.texts == 5 && p.numbers == 2 && p.low == 7 && p.high == 12);
    ck_assert_double_eq(column_profile_distinct(&p), 4);
    ck_assert_uint_eq(column_profile_rank(&p, ranked), 4);
    ck_assert(ranked[0]->text[0] == 'a' && ranked[0]->count == 2 && ranked[0]->excess == 0);
    for (int i = 0; i < 28; i++) {
        snprintf(text, sizeof text, "t%d", i);
        add(&p, text);
    }
    ck_assert(p.n_kept == PROFILE_KEPT && !p.full);
    add(&p, "more");
    for (int i = 0; i < PROFILE_KEPT; i++)
        if (!memcmp(p.kept[i].text, "more", 4))
            ck_assert(p.kept[i].count == 2 && p.kept[i].excess == 1);
    ck_assert(p.full);
}
END_TEST

LEAT_SUITE("column_profile", few_texts_are_counted_exactly,
           different_texts_are_exact_up_to_the_list_and_never_more_than_all,
           a_profile_without_a_list_goes_on_with_registers,
           equal_counts_are_in_the_order_of_their_texts, numbers_have_their_range,
           long_texts_are_told_apart_and_kept_in_part, bounds_hold_of_many_texts,
           the_example_of_distinct_is_what_happens, the_example_of_the_header_is_what_happens)
