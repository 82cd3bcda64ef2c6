/* test_order.c -- facts about the order of examples, computed again from all of them. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/metrics/order.h"
#include "support/random.h"

enum { N = 6000 };
static struct order o;
static double label[N], weight[N];

/* Draws labels that drift, far from 0. */
static void draw_drift(void)
{
    uint64_t state = 11;
    double level = 1e6;
    for (int i = 0; i < N; i++) {
        level += normal(&state);
        label[i] = level + 5 * normal(&state);
        weight[i] = i % 3 ? 1 : 2;
    }
}

static double naive_likeness(int distance)
{
    double mean = 0, all = 0, some = 0;
    for (int i = 0; i < N; i++)
        mean += label[i] / N;
    for (int i = 0; i < N; i++)
        all += (label[i] - mean) * (label[i] - mean);
    for (int i = distance; i < N; i++)
        some += (label[i] - mean) * (label[i - distance] - mean);
    return some / all;
}

START_TEST(likeness_of_numbers_is_their_autocorrelation)
{
    memset(&o, 0, sizeof o);
    draw_drift();
    for (int i = 0; i < N; i++)
        order_add_number(&o, label[i], weight[i]);
    struct order_likeness l = order_of_numbers(&o);
    ck_assert_double_eq_tol(l.near, naive_likeness(1), 1e-9);
    ck_assert_double_eq_tol(l.far, naive_likeness(ORDER_FAR), 1e-9);
    ck_assert(order_is_found(&l, N));
}
END_TEST

START_TEST(recent_mean_is_that_of_all_labels_with_fading_weights)
{
    double squares = 0, absolute = 0, all = 0;
    memset(&o, 0, sizeof o);
    draw_drift();
    for (int i = 0; i < 500; i++) {
        double sum = 0, of = 0;
        for (int k = 0; k < i; k++) {
            double fades = weight[k] * pow(1 - 1.0 / ORDER_SPAN, i - 1 - k);
            sum += fades * label[k];
            of += fades;
        }
        double error = (i ? sum / of : 0) - label[i];
        squares += weight[i] * error * error;
        absolute += weight[i] * fabs(error);
        all += weight[i];
        order_add_number(&o, label[i], weight[i]);
    }
    ck_assert_double_eq_tol(o.errors.weight, all, 1e-9);
    ck_assert_double_eq_tol(o.errors.loss / squares, 1, 1e-9);
    ck_assert_double_eq_tol(o.errors.second / absolute, 1, 1e-9);
}
END_TEST

/* Feeds classes, and compares the errors of the label before and of the most frequent label. */
static struct order_likeness feed_classes(uint32_t classes, int run)
{
    double share[8] = {0}, before = 0, frequent = 0, changes = 0, far = 0, same = 0;
    uint64_t state = 5;
    uint32_t best = 0;
    memset(&o, 0, sizeof o);
    for (int i = 0; i < N; i++) {
        bool same_run = run && i % run;
        label[i] = same_run ? label[i - 1] : floor(uniform(&state, 0, classes));
        changes += i && label[i] != label[i - 1];
        before += i && label[i] != label[i - 1];
        far += i >= ORDER_FAR && label[i] != label[i - ORDER_FAR];
        frequent += label[i] != best;
        order_add_class(&o, (uint32_t)label[i], 1, share);
        share[(int)label[i]]++;
        for (uint32_t c = 0; c < classes; c++)
            if (share[c] > share[best]) best = c;
    }
    ck_assert_double_eq(o.errors.loss, before);
    ck_assert_double_eq(o.errors.second, frequent);
    for (uint32_t c = 0; c < classes; c++)
        same += share[c] / N * (share[c] / N);
    struct order_likeness l = order_of_classes(&o, N, changes, N * (1 - same));
    ck_assert_double_eq_tol(l.near, 1 - changes / (N * (1 - same)), 1e-9);
    ck_assert_double_eq_tol(l.far, 1 - far / ((N - ORDER_FAR) * (1 - same)), 1e-9);
    return l;
}

START_TEST(likeness_of_classes_counts_changes)
{
    for (uint32_t classes = 2; classes <= 8; classes++) {
        struct order_likeness mixed = feed_classes(classes, 0), runs = feed_classes(classes, 4);
        ck_assert(!order_is_found(&mixed, N));
        ck_assert(order_is_found(&runs, N));
    }
}
END_TEST

START_TEST(few_labels_show_no_order)
{
    memset(&o, 0, sizeof o);
    for (int i = 0; i < 900; i++)
        order_add_number(&o, i, 1);
    struct order_likeness l = order_of_numbers(&o);
    ck_assert(!order_is_found(&l, 900));
}
END_TEST

/* Feature 1 is in all records, 2 in a tenth anywhere, 3 in a tenth in one block, and 4 in a few
 * next to each other. */
START_TEST(blocks_are_the_features_whose_records_are_near_each_other)
{
    uint64_t state = 7;
    memset(&o, 0, sizeof o);
    for (uint64_t r = 0; r < 60000; r++) {
        uint64_t id[4] = {1};
        uint32_t n = 1;
        if (uniform(&state, 0, 1) < 0.1) id[n++] = 2;
        if (r >= 30000 && r < 36000) id[n++] = 3;
        if (r >= 50000 && r < 50020) id[n++] = 4;
        if (order_is_sampled(r)) order_note(&o, r, id, n);
    }
    const struct order_block *b = order_find_block(&o, 3);
    ck_assert_ptr_nonnull(b);
    ck_assert_uint_eq(b->first, 30016);
    ck_assert_uint_eq(b->last, 35999 / ORDER_EVERY * ORDER_EVERY);
    ck_assert_uint_eq(b->count, 1 + (35999 - 30016) / ORDER_EVERY);
    ck_assert_ptr_null(order_find_block(&o, 1));
    ck_assert_ptr_null(order_find_block(&o, 2));
    ck_assert_ptr_null(order_find_block(&o, 4));
    ck_assert_ptr_null(order_find_block(&o, 5));
}
END_TEST

START_TEST(the_first_features_fill_the_table)
{
    memset(&o, 0, sizeof o);
    for (uint64_t r = 0; r < 200000; r++)
        if (order_is_sampled(r)) order_note(&o, r, &r, 1);
    ck_assert_uint_eq(o.n_blocks, ORDER_FEATURES);
    ck_assert_ptr_null(order_find_block(&o, 199984));
}
END_TEST

/* 2,000 features at random places: none of them looks like a block. */
START_TEST(features_in_random_order_are_no_blocks)
{
    uint64_t state = 9;
    memset(&o, 0, sizeof o);
    for (uint64_t r = 0; r < 100000; r++) {
        double x = uniform(&state, 0, 1);
        uint64_t id = (uint64_t)(2000 * x * x * x);
        if (order_is_sampled(r)) order_note(&o, r, &id, 1);
    }
    for (uint64_t id = 0; id < 2000; id++)
        ck_assert_ptr_null(order_find_block(&o, id));
}
END_TEST

LEAT_SUITE("order", likeness_of_numbers_is_their_autocorrelation,
           recent_mean_is_that_of_all_labels_with_fading_weights,
           likeness_of_classes_counts_changes, few_labels_show_no_order,
           blocks_are_the_features_whose_records_are_near_each_other,
           the_first_features_fill_the_table, features_in_random_order_are_no_blocks)
