/* test_product.c -- the built learn.product and eval.product. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/store/state_codec.h"
#include "support/expect.h"
#include "support/laws.h"
#include "support/suite.h"

/* ---- learn.product: input ---- */

static const char *const methods[] = {"scod",    "cod",        "fd_amm", "sfd_amm",
                                      "columns", "projection", "hashing"};
enum { METHODS = 7 };

static struct harness *learner(const char *method, const char *size)
{
    struct harness *h = harness_new("learners_product", "learn.product");
    harness_has(h, LEAT_HAS_EXAMPLES);
    h->in.examples_per_record = 2;
    h->in.entries_per_record = 8;
    harness_set(h, "method", method);
    harness_set(h, "size", size);
    return h;
}

static void pair(struct harness *h, const char *left, const char *right)
{
    uint32_t r = harness_record(h, "r");
    harness_example(h, r, 0, left);
    harness_example(h, r, 0, right);
}

START_TEST(the_largest_entries_are_shown_by_name_with_a_bound)
{
    for (int k = 0; k < METHODS; k++) {
        struct harness *h = learner(methods[k], "64");
        ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
        for (int i = 0; i < 10; i++) {
            harness_clear(h);
            pair(h, "1:1", "7:2");
            ck_assert_int_eq(harness_process(h), LEAT_OK);
        }
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 5, 0);
        ck_assert_uint_eq(a->n_rows, 1);
        ck_assert_str_eq(a->name[0], "1 × 7");
        ck_assert_str_eq(a->column[0], "value");
        ck_assert_str_eq(a->column[1], "bound");
        ck_assert_double_le(fabs(a->value[0][0] - 20), a->value[0][1] + 1e-9);
        if (k < 4) ck_assert_double_eq_tol(a->value[0][0], 20, 1e-9);
        ck_assert(harness_metric(h, "pairs") == 10);
        harness_free(h);
    }
}
END_TEST

START_TEST(entries_of_one_feature_or_of_two_are_asked_for_by_name)
{
    static const char *const of[][4] = {/* left, right, rows, the first row's name */
                                        {"1", NULL, "2", "1 × 7"}, {"2", NULL, "1", "2 × 8"},
                                        {NULL, "8", "2", "2 × 8"}, {"1", "8", "1", "1 × 8"},
                                        {"2", "7", "1", "2 × 7"},  {"3", NULL, "0", NULL},
                                        {"1", "9", "0", NULL}};
    static const double value[] = {6, 5, 5, 4, 0, 0, 0};
    for (int i = 0; i < 7; i++) {
        struct harness *h = learner("scod", "8");
        if (of[i][0]) harness_set(h, "of_left", of[i][0]);
        if (of[i][1]) harness_set(h, "of_right", of[i][1]);
        ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
        pair(h, "1:2", "7:3 8:2");
        pair(h, "2:1", "8:5");
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 5, 0);
        ck_assert_int_eq((int)a->n_rows, atoi(of[i][2]));
        if (a->n_rows) {
            ck_assert_str_eq(a->name[0], of[i][3]);
            ck_assert_double_eq_tol(a->value[0][0], value[i], 1e-9);
        }
        harness_free(h);
    }
    struct harness *h = learner("scod", "8");
    harness_set(h, "of_right", "7");
    harness_set(h, "show", "triplets");
    expect_refused(h, "show = \"triplets\" shows all features");
    harness_free(h);
}
END_TEST

/* The order of the stream decides nothing: equal entries stand in the order of their names. */
START_TEST(equal_entries_stand_in_the_order_of_their_names)
{
    static const char *const sides[][2] = {{"3:1", "9:1"}, {"1:1", "8:1"}, {"2:1", "7:1"},
                                           {"1:1", "7:1"}, {"3:1", "7:1"}, {"5:2", "6:1"}};
    static const char *const want[] = {"5 × 6", "1 × 7", "1 × 8", "2 × 7", "3 × 7"};
    for (int method = 0; method < 4; method++)
        for (int exact = 0; exact < 2; exact++)
            for (int shift = 0; shift < 6; shift++) {
                struct harness *h = learner(methods[method], "64");
                harness_set(h, "exact", exact ? "true" : "false");
                ck_assert_int_eq(harness_open(h, 16), LEAT_OK);
                for (int i = 0; i < 6; i++) {
                    const char *const *is = sides[(shift + 5 * i) % 6];
                    pair(h, is[0], is[1]);
                }
                ck_assert_int_eq(harness_process(h), LEAT_OK);
                const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 5, 0);
                ck_assert_uint_eq(a->n_rows, 5);
                for (int i = 0; i < 5; i++) {
                    ck_assert_str_eq(a->name[i], want[i]);
                    ck_assert(a->value[i][0] == (i ? 1 : 2));
                    ck_assert((a->value[i][1] == 0) == exact);
                }
                ck_assert(harness_metric(h, "exact") == exact);
                harness_free(h);
            }
}
END_TEST

START_TEST(triplets_are_called_by_their_heaviest_features)
{
    struct harness *h = learner("scod", "8");
    harness_set(h, "show", "triplets");
    ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
    pair(h, "1:3 2:-2 3:1 4:0.5", "7:2");
    pair(h, "9:1", "8:1");
    harness_process(h);
    const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 5, 0);
    ck_assert_uint_eq(a->n_rows, 2);
    ck_assert_str_eq(a->name[0], "1, -2, 3 × 7");
    ck_assert_str_eq(a->name[1], "9 × 8");
    ck_assert_str_eq(a->column[0], "sigma");
    ck_assert_double_eq_tol(a->value[0][0], 2 * sqrt(14.25), 1e-9);
    ck_assert_double_eq_tol(a->value[1][0], 1, 1e-9);
    harness_free(h);
}
END_TEST

START_TEST(a_record_counts_half_after_a_half_life)
{
    for (int k = 0; k < 4; k++) {
        struct harness *h = learner(methods[k], "64");
        harness_set(h, "half_life", "2");
        ck_assert_int_eq(harness_open(h, 8), LEAT_OK);
        pair(h, "1:1", "7:8");
        for (int i = 0; i < 2; i++)
            pair(h, "2:1", "8:1");
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 5, 0);
        ck_assert_uint_eq(a->n_rows, 2);
        ck_assert_double_eq_tol(a->value[0][0], 4, 1e-9);             /* 1 × 7 */
        ck_assert_double_eq_tol(a->value[1][0], 1 + sqrt(0.5), 1e-9); /* 2 × 8 */
        harness_free(h);
    }
}
END_TEST

START_TEST(bad_pairs_are_rejected_or_counted_and_change_nothing)
{
    for (int k = 0; k < METHODS; k++) {
        struct harness *h = learner(methods[k], "3");
        harness_set(h, "max_entries", "3");
        ck_assert_int_eq(harness_open(h, 16), LEAT_OK);
        pair(h, "1:1", "2:1");
        harness_process(h);
        struct kept before = kept_from(h);
        harness_clear(h);
        pair(h, "1:nan", "2:1");                              /* 0 */
        pair(h, "1:1", "2:1 3:-inf");                         /* 1 */
        pair(h, "1:1 2:1 3:1 4:1", "2:1");                    /* 2: too long */
        harness_example(h, harness_record(h, "r"), 1, "1:1"); /* 3: one side only */
        pair(h, "1:1", "2:1");                                /* 4 */
        h->b.ex_weight[h->b.n_examples - 2] = NAN;
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        static const char *const why[] = {
            "feature 1 has the value nan", "feature 3 has the value -inf",
            "4 entries, more than max_entries = 3", "a left and a right side", "importance weight"};
        for (uint32_t r = 0; r < 5; r++)
            ck_assert_msg(strstr(harness_rejected(h, r)->text, why[r]) != NULL, "%s",
                          harness_rejected(h, r)->text);
        ck_assert(kept_is_of(h, &before));
        harness_clear(h);
        pair(h, "", "2:1"); /* an empty side, no sides, zeros: no entry, but counted */
        pair(h, "", "");
        pair(h, "1:0 5:0", "2:1");
        harness_process(h);
        ck_assert_uint_eq(h->n_rejections, 0);
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 9, 0);
        ck_assert_uint_eq(a->n_rows, 1);
        ck_assert(harness_metric(h, "pairs_with_an_empty_side") == 3);
        ck_assert(harness_metric(h, "pairs") == 4);
        free(before.bytes);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_record_must_have_two_sides_and_the_plan_says_what_it_takes)
{
    struct harness *h = learner("scod", "100");
    struct leat_plan p = harness_plan(h);
    ck_assert_ptr_nonnull(strstr(p.note, "error at most 0.0221 |X|_F |Y|_F"));
    ck_assert_ptr_nonnull(strstr(p.note, "stops growing at 65536 features ("));
    harness_set(h, "failure", "0");
    p = harness_plan(h);
    ck_assert_ptr_null(strstr(p.note, "error"));
    h->in.examples_per_record = 1;
    expect_errors(h, 1, "1 example, not two sides: put feature.sides before this stage");
    harness_free(h);
}
END_TEST

START_TEST(features_beyond_max_features_are_ignored_and_counted)
{
    for (int k = 0; k < METHODS; k++) {
        struct harness *h = learner(methods[k], "20");
        harness_set(h, "max_features", "2");
        ck_assert_int_eq(harness_open(h, 16), LEAT_OK);
        pair(h, "1:1 2:1 3:1", "4:1");
        pair(h, "3:1", "4:1");
        harness_process(h);
        const struct harness_answer *a = harness_query(h, LEAT_QUERY_TOP, 9, 0);
        ck_assert_uint_le(a->n_rows, 2);
        ck_assert(harness_metric(h, "ignored_entries") == 2);
        harness_free(h);
    }
}
END_TEST

/* ---- states ---- */

#define ENOUGH "max_features=64 names_budget=8KB "
static const struct learner lines[] = {
    {"learners_product", "learn.product", ENOUGH "method=scod size=5",
     "seed=2 method=cod size=6 iterations=3 failure=0.1 form=paper", 16, 1e-9, 0},
    {"learners_product", "learn.product", ENOUGH "method=scod size=5 form=paper", "form=leat", 16,
     1e-9, 0},
    {"learners_product", "learn.product", ENOUGH "method=cod size=5", "size=4 method=scod", 16,
     1e-9, 0},
    {"learners_product", "learn.product", ENOUGH "method=fd_amm size=6", "size=4 seed=2", 16, 1e-9,
     0},
    {"learners_product", "learn.product", ENOUGH "method=sfd_amm size=5", "iterations=1", 16, 1e-9,
     0},
    {"learners_product", "learn.product", ENOUGH "method=columns size=5", "failure=0", 16, 1e-9, 0},
    {"learners_product", "learn.product", ENOUGH "method=projection size=5", "seed=9", 16, 1e-9, 0},
    {"learners_product", "learn.product", ENOUGH "method=hashing size=5", "size=7", 16, 1e-9, 0},
    {"learners_product", "learn.product", ENOUGH "method=scod size=5 half_life=5", "half_life=0",
     16, 1e-9, 0},
    {"learners_product", "learn.product", ENOUGH "method=columns size=5 half_life=5", "half_life=6",
     16, 1e-9, 0},
};
enum { LINES = sizeof lines / sizeof *lines, IDS = 60 };

START_TEST(a_restored_sketch_goes_on_bit_for_bit_and_answers_alike)
{
    for (const struct learner *l = lines; l < lines + LINES; l++)
        for (uint32_t n = 0; n <= 400; n += 57) {
            struct harness *h = learner_after(l, 1, n, IDS), *copy = learner_after(l, 5, 30, IDS);
            struct kept s = kept_from(h), end;
            kept_restore(copy, &s);
            ck_assert(kept_is_of(copy, &s));
            law_same_top(h, copy);
            ck_assert(kept_is_of(h, &s)); /* asking changes nothing */
            learner_learn(h, 2, 300, IDS, NULL);
            learner_learn(copy, 2, 300, IDS, NULL);
            end = kept_from(h);
            ck_assert(kept_is_of(copy, &end) && !kept_is_of(copy, &s));
            free(s.bytes), free(end.bytes);
            harness_free(h), harness_free(copy);
        }
}
END_TEST

START_TEST(a_fresh_state_is_the_identity_of_merge)
{
    for (const struct learner *l = lines; l < lines + LINES; l++)
        law_identity_of_merge(l, 300, IDS);
}
END_TEST

/* Checks that common entries of two answers differ by at most the sum of their bounds. With room
 * for the whole product, the answers are equal. */
static void alike(const struct learner *l, const struct kept *a, const struct kept *b)
{
    struct harness *one = learner_fresh(l), *other = learner_fresh(l);
    kept_restore(one, a);
    kept_restore(other, b);
    const struct harness_answer *x = learner_top(one), *y = learner_top(other);
    ck_assert_uint_gt(x->n_rows, 5);
    for (uint32_t i = 0; i < x->n_rows; i++)
        for (uint32_t k = 0; k < y->n_rows; k++)
            if (!strcmp(x->name[i], y->name[k]))
                ck_assert_double_le(fabs(x->value[i][0] - y->value[k][0]),
                                    (x->value[i][1] + y->value[k][1]) * (1 + 1e-9) + 1e-6);
    ck_assert(harness_metric(one, "pairs") == harness_metric(other, "pairs"));
    harness_free(one), harness_free(other);
}

static void commutes_and_associates(const struct learner *l, uint32_t ids)
{
    struct kept p[3] = {kept_of(l, 1, 300, ids), kept_of(l, 2, 100, ids), kept_of(l, 3, 200, ids)};
    struct kept ab = kept_merged(l, &p[0], &p[1]), ba = kept_merged(l, &p[1], &p[0]);
    struct kept bc = kept_merged(l, &p[1], &p[2]);
    struct kept left = kept_merged(l, &ab, &p[2]), right = kept_merged(l, &p[0], &bc);
    alike(l, &ab, &ba);
    alike(l, &left, &right);
    for (int k = 0; k < 3; k++)
        free(p[k].bytes);
    free(ab.bytes), free(ba.bytes), free(bc.bytes), free(left.bytes), free(right.bytes);
}

START_TEST(merge_is_commutative_and_associative_within_the_bounds)
{
    for (const struct learner *l = lines; l < lines + LINES; l++)
        commutes_and_associates(l, IDS);
}
END_TEST

/* The columns suffice for every product of 8 + 8 features, so bounds and differences are 0. */
START_TEST(merge_is_exact_while_all_of_the_product_is_kept)
{
    for (int k = 0; k < 4; k++) {
        char with[128];
        snprintf(with, sizeof with, ENOUGH "method=%s size=40", methods[k]);
        struct learner l = {"learners_product", "learn.product", with, "", 8, 1e-9, 0};
        commutes_and_associates(&l, 8);
        struct harness *h = learner_after(&l, 1, 300, 8);
        ck_assert_double_le(learner_top(h)->value[0][1], 1e-6);
        harness_free(h);
    }
}
END_TEST

START_TEST(states_of_other_parameters_are_refused_by_name)
{
    for (const struct learner *l = lines; l < lines + LINES; l++)
        law_refuses_other_parameters(l, 150, IDS);
    struct harness *small = learner_fresh_with(lines, "max_features=8");
    struct kept is = kept_from(small), s = kept_of(lines, 1, 100, IDS);
    law_refuses(small, &is, s.bytes, s.n, "max_features allows 8 here");
    free(is.bytes), free(s.bytes);
    harness_free(small);
}
END_TEST

START_TEST(damaged_states_are_refused_and_lies_make_no_sketch_that_fails)
{
    static const uint32_t odd[] = {0, 1, 0x7ff80000u, 0x7ff00000u, 0xffffffffu, 5, 0x80000000u};
    uint64_t s = 5;
    for (const struct learner *l = lines; l < lines + LINES; l++) {
        struct harness *h = learner_after(l, 1, 30, 8);
        struct kept is = kept_from(h), good = kept_of(l, 2, 33, 8);
        for (size_t i = 0; i < good.n; i += 7) {
            good.bytes[i] ^= (char)(1 << i % 8);
            law_refuses(h, &is, good.bytes, good.n, "");
            good.bytes[i] ^= (char)(1 << i % 8);
        }
        int accepted = 0, turned_away = 0;
        for (int k = 0; k < 600; k++) {
            char *bytes = aligned_alloc(64, (good.n + 63) & ~(size_t)63);
            memcpy(bytes, good.bytes, good.n);
            uint32_t v = below(&s, 3) ? odd[below(&s, 7)] : (uint32_t)mix64_next(&s);
            memcpy(bytes + below(&s, (uint32_t)good.n / 4) * 4, &v, 4);
            uint64_t sum = state_checksum(bytes, good.n);
            memcpy(bytes + good.n - 8, &sum, 8);
            int got =
                k % 2 ? harness_restore(h, bytes, good.n) : harness_merge(h, bytes, good.n, 1);
            free(bytes);
            if (got != LEAT_OK && got != LEAT_ENONFINITE) { /* LEAT_ENONFINITE would end the run */
                ck_assert_msg(kept_is_of(h, &is), "%s, %d: status %d", l->with, k, got);
                turned_away++;
                continue;
            }
            if (got == LEAT_OK) {
                learner_learn(h, 7 + (uint64_t)k, 40, 16, NULL);
                learner_top(h);
                accepted++;
            }
            kept_restore(h, &is);
        }
        ck_assert_int_gt(accepted, 50);
        ck_assert_int_gt(turned_away, 50);
        free(is.bytes), free(good.bytes);
        harness_free(h);
    }
}
END_TEST

START_TEST(without_memory_nothing_changes_and_nothing_leaks)
{
    for (const struct learner *l = lines; l < lines + LINES; l++)
        law_survives_without_memory(l, 200, IDS, true);
    for (int k = 0, got = -1; got != LEAT_OK; k++) { /* allocations of open */
        struct harness *h = learner("scod", "4");
        h->allocs_left = k;
        got = harness_open(h, 4);
        h->allocs_left = -1;
        ck_assert(got == LEAT_OK || got == LEAT_ENOMEM);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_sketch_counts_a_sensible_number_of_times)
{
    static const double wrong[] = {-1, NAN, INFINITY, 1e300};
    struct harness *h = learner_after(lines, 1, 50, IDS);
    struct kept is = kept_from(h), s = kept_of(lines, 2, 50, IDS);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(harness_merge(h, s.bytes, s.n, wrong[k]), LEAT_EDATA);
        ck_assert(says(h, "merge weight") && kept_is_of(h, &is));
    }
    ck_assert_int_eq(harness_restore_as(h, s.bytes, s.n, 0), LEAT_EDATA);
    ck_assert(says(h, "state has version 0"));
    for (int k = 0; k < 2; k++)
        kept_merge(h, &s, k ? 1e9 : 1e-9);
    learner_learn(h, 3, 300, IDS, NULL);
    free(is.bytes), free(s.bytes);
    harness_free(h);
}
END_TEST

/* ---- eval.product ---- */

static struct harness *sink(const char *methods_named, const char *sizes)
{
    struct harness *h = harness_new("evaluate", "eval.product");
    harness_has(h, LEAT_HAS_EXAMPLES);
    h->in.examples_per_record = 2;
    h->in.entries_per_record = 8;
    harness_set(h, "methods", methods_named);
    harness_set(h, "sizes", sizes);
    return h;
}

START_TEST(an_evaluation_refuses_methods_it_does_not_know)
{
    static const char *const wrong[][3] = {{"scod,nonesuch", "5", "'nonesuch' is not a method"},
                                           {"scod", "5,x", "'x' is not a size"},
                                           {"scod", "0", "'0' is not a size"},
                                           {"scod", "4096", "'4096' is not a size"},
                                           {"scod", "-3", "'-3' is not a size"}};
    for (int k = 0; k < 5; k++) {
        struct harness *h = sink(wrong[k][0], wrong[k][1]);
        ck_assert_int_ge(harness_negotiate(h), 1);
        ck_assert_msg(says(h, wrong[k][2]), "%s", h->said);
        harness_free(h);
    }
    struct harness *h = sink("scod", "5");
    h->in.examples_per_record = 1;
    expect_refused(h, "feature.sides");
    harness_free(h);
}
END_TEST

LEAT_TIERS("product stages",
           (the_largest_entries_are_shown_by_name_with_a_bound,
            entries_of_one_feature_or_of_two_are_asked_for_by_name,
            equal_entries_stand_in_the_order_of_their_names,
            triplets_are_called_by_their_heaviest_features, a_record_counts_half_after_a_half_life,
            bad_pairs_are_rejected_or_counted_and_change_nothing,
            a_record_must_have_two_sides_and_the_plan_says_what_it_takes,
            features_beyond_max_features_are_ignored_and_counted,
            a_fresh_state_is_the_identity_of_merge, merge_is_exact_while_all_of_the_product_is_kept,
            states_of_other_parameters_are_refused_by_name,
            without_memory_nothing_changes_and_nothing_leaks,
            a_sketch_counts_a_sensible_number_of_times,
            an_evaluation_refuses_methods_it_does_not_know),
           (damaged_states_are_refused_and_lies_make_no_sketch_that_fails,
            a_restored_sketch_goes_on_bit_for_bit_and_answers_alike,
            merge_is_commutative_and_associative_within_the_bounds))
