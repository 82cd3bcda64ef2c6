/* test_pairs.c -- the built feature.tokens and feature.pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

/* ---- feature.tokens ---- */

static struct harness *tokens(const char *rule, const char *lower)
{
    struct harness *h = harness_new("featurizers", "feature.tokens");
    harness_column(h, "text", LEAT_TEXT);
    harness_set(h, "rule", rule);
    harness_set(h, "lower", lower);
    return h;
}

START_TEST(a_record_is_one_example_of_its_tokens_in_order)
{
    struct harness *h = tokens("words", "true");
    harness_open(h, 4);
    uint32_t r = harness_row(h, "The cat, the ÄRA");
    h->b.label[r] = -1.0f;
    h->b.weight[r] = 2.0f;
    harness_process(h);
    static const char *const expected[] = {"the", "cat", "the", "ära"};
    ck_assert_uint_eq(h->b.n_examples, 1);
    ck_assert_uint_eq(h->b.n_entries, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_str_eq(harness_name(h, i), expected[i]);
        ck_assert_uint_eq(h->b.id[i], feature_id_name(expected[i], strlen(expected[i])));
        ck_assert_float_eq(h->b.value[i], 1.0f);
    }
    ck_assert_float_eq(h->b.ex_label[0], -1.0f);
    ck_assert_float_eq(h->b.ex_weight[0], 2.0f);
    ck_assert_str_eq(h->ctx.in->column[0].name, "text");
    ck_assert_int_eq(memcmp(leat_text(&h->b, h->b.raw[r]), "The cat", 7), 0);
    harness_free(h);
}
END_TEST

START_TEST(records_without_tokens_make_examples_without_features)
{
    struct harness *h = tokens("words", "false");
    harness_open(h, 4);
    harness_row(h, "");
    harness_row(h, "...");
    harness_row(h, "\\N");
    harness_row(h, "x");
    harness_process(h);
    ck_assert_uint_eq(h->b.n_examples, 4);
    for (uint32_t e = 0; e < 4; e++) {
        ck_assert_uint_eq(h->b.ex_record[e], e);
        ck_assert_uint_eq(h->b.ex_start[e + 1] - h->b.ex_start[e], e == 3);
    }
    ck_assert_uint_eq(h->b.n_sel, 4);
    ck_assert_uint_eq(h->n_rejections, 0);
    harness_free(h);
}
END_TEST

/* The batch is as small as the declared bounds allow, and full of the densest possible text. */
START_TEST(declared_room_suffices_for_the_densest_text)
{
    struct harness *h = tokens("whitespace", "true");
    harness_open(h, 8);
    static char text[801];
    for (int i = 0; i < 800; i += 2)
        memcpy(text + i, "A ", 2);
    for (int r = 0; r < 7; r++)
        harness_row(h, text);
    for (int i = 0; i + 2 <= 800; i += 2)
        memcpy(text + i, "\u023a", 2); /* grows by half: 1,200 bytes, but cut */
    harness_row(h, text);
    harness_process(h);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_entries, 7 * 400 + 1);
    ck_assert_uint_eq(strlen(harness_name(h, 7 * 400)), 63);
    harness_free(h);
}
END_TEST

START_TEST(numbers_are_tokens_as_they_are_written_and_bytes_are_refused)
{
    struct harness *h = harness_new("featurizers", "feature.tokens");
    harness_column(h, "n", LEAT_NUMBER);
    harness_set(h, "column", "n");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    harness_row(h, "2.50");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(harness_name(h, 0), "2.5");
    harness_free(h);
    h = harness_new("featurizers", "feature.tokens");
    harness_column(h, "n", LEAT_BYTES);
    harness_set(h, "column", "n");
    expect_errors(h, 1, "column 'n' holds bytes, but the stage takes text");
    harness_free(h);
}
END_TEST

/* ---- feature.pairs ---- */

static struct harness *pairs(const char *window, const char *negatives)
{
    struct harness *h = harness_new("featurizers", "feature.pairs");
    harness_has(h, LEAT_HAS_EXAMPLES | LEAT_HAS_NAMES);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = h->in.parts_per_record = 64;
    harness_set(h, "window", window);
    harness_set(h, "negatives", negatives);
    harness_set(h, "max_tokens", "40");
    harness_set(h, "reservoir", "50");
    return h;
}

/* Returns the names of the selected examples with this label, one a line. */
static const char *named(const struct harness *h, float label)
{
    static char text[1 << 16];
    size_t n = 0;
    text[0] = 0;
    for (LEAT_EACH_EXAMPLE(&h->b, e))
        if (h->b.ex_label[e] == label)
            n += (size_t)sprintf(text + n, "%s\n", harness_name(h, h->b.ex_start[e]));
    return text;
}

static uint32_t positives(const struct harness *h)
{
    uint32_t n = 0;
    for (LEAT_EACH_EXAMPLE(&h->b, e))
        n += h->b.ex_label[e] > 0;
    return n;
}

START_TEST(pairs_lie_within_the_window)
{
    struct harness *h = pairs("3", "1");
    harness_open(h, 4);
    harness_tokens(h, "a b c d");
    harness_process(h);
    ck_assert_str_eq(named(h, 1.0f), "a & b\na & c\nb & c\nb & d\nc & d\n");
    harness_free(h);
}
END_TEST

START_TEST(every_example_has_one_pair_and_the_weights_of_both_kinds_are_equal)
{
    struct harness *h = pairs("6", "5");
    harness_open(h, 4);
    harness_tokens(h, "a b c d e f g h i j");
    h->b.ex_weight[0] = 3.0f;
    harness_process(h);
    double weight[2] = {0, 0};
    ck_assert_uint_eq(h->b.n_ex_sel, 6 * positives(h));
    for (LEAT_EACH_EXAMPLE(&h->b, e)) {
        ck_assert_uint_eq(h->b.ex_start[e + 1] - h->b.ex_start[e], 1);
        ck_assert_float_eq(h->b.value[h->b.ex_start[e]], 1.0f);
        ck_assert_uint_eq(h->b.ex_record[e], 0);
        weight[h->b.ex_label[e] > 0] += h->b.ex_weight[e];
    }
    ck_assert_double_eq_tol(weight[1], 3.0 * positives(h), 1e-9);
    ck_assert_double_eq_tol(weight[0], weight[1], 1e-4);
    harness_free(h);
}
END_TEST

START_TEST(the_number_of_pairs_is_that_of_the_formula)
{
    for (int window = 2; window <= 8; window++)
        for (int n = 0; n <= 20; n++) {
            char text[64] = "", w[12];
            sprintf(w, "%d", window);
            for (int i = 0; i < n; i++)
                sprintf(text + strlen(text), "%s%c", i ? " " : "", 'a' + i);
            struct harness *h = pairs(w, "2");
            harness_open(h, 1);
            harness_tokens(h, text);
            harness_process(h);
            uint32_t expected = 0; /* counted, not computed */
            for (int i = 0; i < n; i++)
                for (int j = i + 1; j < n; j++)
                    expected += j - i < window;
            ck_assert_uint_eq(positives(h), expected);
            ck_assert_uint_eq(h->b.n_ex_sel, 3 * expected);
            harness_free(h);
        }
}
END_TEST

START_TEST(no_pair_from_nothing_or_a_single_token)
{
    struct harness *h = pairs("6", "5");
    harness_open(h, 4);
    harness_tokens(h, "");
    harness_tokens(h, "alone");
    harness_process(h);
    ck_assert_uint_eq(h->b.n_ex_sel, 0);
    ck_assert_uint_eq(h->b.n_sel, 2);
    harness_free(h);
}
END_TEST

START_TEST(ids_ignore_the_order_unless_told)
{
    static const char *const ordered[] = {"false", "true"};
    for (int k = 0; k < 2; k++) {
        struct harness *h = pairs("2", "1");
        harness_set(h, "ordered", ordered[k]);
        harness_open(h, 4);
        harness_tokens(h, "u v");
        harness_tokens(h, "v u");
        harness_process(h);
        uint64_t id[2];
        int n = 0;
        for (LEAT_EACH_EXAMPLE(&h->b, e))
            if (h->b.ex_label[e] > 0) id[n++] = h->b.id[h->b.ex_start[e]];
        ck_assert_int_eq(id[0] != id[1], k);
        if (!k) {
            uint64_t u = feature_id_part(feature_id_name("u", 1));
            uint64_t v = feature_id_part(feature_id_name("v", 1));
            ck_assert_uint_eq(id[0], feature_id_and2(u, v));
        }
        harness_free(h);
    }
}
END_TEST

START_TEST(ids_and_names_of_chance_pairs_belong_together)
{
    struct harness *h = pairs("4", "5");
    harness_open(h, 8);
    for (int batch = 0; batch < 20; batch++) { /* the tokens' batch is gone */
        char text[64];
        harness_clear(h);
        for (int k = 0; k < 4; k++) {
            sprintf(text, "t%d x%d t%d y%d", batch, batch * k, k, batch + k);
            harness_tokens(h, text);
        }
        harness_process(h);
        for (LEAT_EACH_EXAMPLE(&h->b, e)) {
            const char *name = harness_name(h, h->b.ex_start[e]), *and = strstr(name, " & ");
            ck_assert_ptr_nonnull(and);
            uint64_t u = feature_id_part(feature_id_name(name, (size_t)(and-name)));
            uint64_t v = feature_id_part(feature_id_name(and+3, strlen(and+3)));
            ck_assert_uint_eq(h->b.id[h->b.ex_start[e]], feature_id_and2(u, v));
        }
    }
    harness_free(h);
}
END_TEST

/* Tokens 0 .. 9, token i with chance proportional to i + 1. Both places of a chance pair must be
 * distributed like the tokens, and the two together like their product. */
START_TEST(chance_pairs_follow_the_distribution_of_tokens)
{
    enum { KINDS = 10, RECORDS = 3000 };
    double token[KINDS] = {0}, place[2][KINDS] = {{0}}, both[KINDS][KINDS] = {{0}};
    double n_tokens = 0, n = 0;
    struct harness *h = pairs("4", "3");
    harness_set(h, "ordered", "true");
    harness_set(h, "reservoir", "5000");
    harness_open(h, 1);
    srand(11);
    for (int r = 0; r < RECORDS; r++) {
        char text[64] = "";
        harness_clear(h);
        for (int i = 0; i < 20; i++) {
            int x = rand() % 55, kind = 0;
            while (x > kind)
                x -= ++kind;
            sprintf(text + strlen(text), "%s%d", i ? " " : "", kind);
            token[kind]++;
            n_tokens++;
        }
        harness_tokens(h, text);
        harness_process(h);
        for (LEAT_EACH_EXAMPLE(&h->b, e)) {
            if (h->b.ex_label[e] > 0) continue;
            const char *name = harness_name(h, h->b.ex_start[e]);
            place[0][name[0] - '0']++;
            place[1][name[4] - '0']++;
            both[name[0] - '0'][name[4] - '0']++;
            n++;
        }
    }
    /* Draws repeat the tokens of few records and of one reservoir, so they are not independent: the
     * effective number is that of tokens, not of draws. */
    double chi[3] = {0}, size = n_tokens / 2;
    for (int i = 0; i < KINDS; i++) {
        double p = token[i] / n_tokens;
        for (int k = 0; k < 2; k++)
            chi[k] += size * pow(place[k][i] / n - p, 2) / p;
        for (int j = 0; j < KINDS; j++) {
            double q = token[j] / n_tokens;
            chi[2] += size * pow(both[i][j] / n - p * q, 2) / (p * q);
        }
    }
    ck_assert_msg(chi[0] < 27.9, "first place: chi-square %g", chi[0]);  /* 9 df, .001 */
    ck_assert_msg(chi[1] < 27.9, "second place: chi-square %g", chi[1]); /* 9 df, .001 */
    ck_assert_msg(chi[2] < 148.2, "both: chi-square %g", chi[2]);        /* 99 df, .001 */
    harness_free(h);
}
END_TEST

START_TEST(equal_seeds_draw_equal_pairs_others_do_not)
{
    static char drawn[3][1 << 14];
    static const char *const seed[] = {"7", "7", "8"};
    for (int k = 0; k < 3; k++) {
        struct harness *h = pairs("6", "5");
        harness_set(h, "seed", seed[k]);
        harness_open(h, 4);
        harness_tokens(h, "a b c d e f g h i j k l m n o p");
        harness_tokens(h, "A B C D E F G H I J K L M N O P");
        harness_process(h);
        strcpy(drawn[k], named(h, -1.0f));
        harness_free(h);
    }
    ck_assert_str_eq(drawn[0], drawn[1]);
    ck_assert_str_ne(drawn[0], drawn[2]);
}
END_TEST

START_TEST(tokens_beyond_the_limit_make_no_pairs_and_are_counted)
{
    struct harness *h = pairs("2", "1");
    harness_set(h, "max_tokens", "3");
    harness_open(h, 1);
    harness_tokens(h, "a b c d e");
    harness_process(h);
    ck_assert_str_eq(named(h, 1.0f), "a & b\nb & c\n");
    h->stage->stop(&h->ctx, h->self);
    ck_assert_double_eq(harness_metric(h, "tokens_cut"), 2);
    ck_assert_double_eq(harness_metric(h, "tokens"), 3);
    harness_free(h);
}
END_TEST

START_TEST(the_plan_and_the_room_hold_for_full_records)
{
    struct harness *h = pairs("6", "5");
    char text[81] = "";
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "%s%c", i ? " " : "", 'A' + i);
    harness_open(h, 8);
    for (int batch = 0; batch < 3; batch++) {
        harness_clear(h);
        for (int r = 0; r < 8; r++)
            harness_tokens(h, text);
        harness_process(h);
        ck_assert_uint_eq(h->n_rejections, 0);
        ck_assert_uint_eq(positives(h), 8 * (35 * 5 + 10));
    }
    struct leat_plan plan = harness_plan(h);
    ck_assert_uint_ge(plan.state_bytes + plan.names_bytes + plan.work_bytes, h->allocated);
    ck_assert_uint_eq(plan.names_bytes, 50 * 64);
    harness_free(h);
}
END_TEST

START_TEST(no_memory_is_a_clean_failure)
{
    for (int64_t k = 0; k < 4; k++) {
        struct harness *h = pairs("6", "5");
        ck_assert_int_eq(harness_negotiate(h), 0);
        h->allocs_left = k;
        ck_assert_int_eq(harness_open(h, 1), LEAT_ENOMEM);
        harness_free(h);
    }
}
END_TEST

/* Two batches, then two more by the same stage, or by another stage with the state of the first. */
START_TEST(a_restored_stage_goes_on_with_the_same_draws)
{
    static char drawn[2][1 << 14];
    struct harness *a = pairs("6", "3"), *b = pairs("6", "3");
    harness_set(b, "seed", "99");
    harness_open(a, 2);
    harness_open(b, 2);
    harness_tokens(a, "a b c d e f g h i j k l m n o p");
    harness_tokens(a, "A B C D E F G H I J K L M N O P");
    harness_process(a);
    size_t n;
    const void *state = harness_snapshot(a, &n);
    ck_assert_ptr_nonnull(state);
    ck_assert_int_eq(harness_restore(b, state, n), LEAT_OK);
    for (int k = 0; k < 2; k++) {
        struct harness *h = k ? b : a;
        harness_clear(h);
        harness_tokens(h, "q r s t u v w x y z");
        harness_process(h);
        strcpy(drawn[k], named(h, -1.0f));
    }
    ck_assert_str_eq(drawn[0], drawn[1]);
    ck_assert(strpbrk(drawn[1], "ABCDEFGHIJKLMNOP") != NULL);
    harness_free(a);
    harness_free(b);
}
END_TEST

START_TEST(the_state_of_another_sample_size_is_refused_by_name)
{
    struct harness *a = pairs("6", "3"), *b = pairs("6", "3");
    harness_set(b, "reservoir", "51");
    harness_open(a, 1);
    harness_open(b, 1);
    size_t n;
    const void *state = harness_snapshot(a, &n); /* the sample is empty */
    ck_assert_int_lt(harness_restore(b, state, n), 0);
    ck_assert(says(b, "reservoir is 50 in the saved state and 51 here"));
    ck_assert_int_lt(harness_restore_as(a, state, n, 2), 0);
    ck_assert_int_eq(harness_restore(a, state, n), LEAT_OK);
    harness_free(a);
    harness_free(b);
}
END_TEST

START_TEST(long_tokens_keep_64_bytes_of_their_name)
{
    struct harness *h = pairs("2", "4");
    char text[210] = "";
    memset(text, 'x', 200);
    strcpy(text + 200, " y");
    harness_open(h, 2);
    harness_tokens(h, text);
    harness_process(h);
    harness_clear(h);
    harness_tokens(h, "p q");
    harness_process(h);
    const char *all = named(h, -1.0f), *x = strstr(all, "xxx");
    ck_assert_msg(x == NULL || strspn(x, "x") == 64, "%s", all);
    harness_free(h);
}
END_TEST

START_TEST(the_schema_says_that_labels_are_made_up)
{
    struct harness *h = pairs("2", "4");
    ck_assert_int_eq(harness_negotiate(h), 0);
    ck_assert_uint_eq(h->out.made_labels, 1);
    harness_free(h);
}
END_TEST

LEAT_SUITE("pairs", a_record_is_one_example_of_its_tokens_in_order,
           records_without_tokens_make_examples_without_features,
           declared_room_suffices_for_the_densest_text,
           numbers_are_tokens_as_they_are_written_and_bytes_are_refused,
           pairs_lie_within_the_window,
           every_example_has_one_pair_and_the_weights_of_both_kinds_are_equal,
           the_number_of_pairs_is_that_of_the_formula, no_pair_from_nothing_or_a_single_token,
           ids_ignore_the_order_unless_told, ids_and_names_of_chance_pairs_belong_together,
           chance_pairs_follow_the_distribution_of_tokens,
           equal_seeds_draw_equal_pairs_others_do_not,
           tokens_beyond_the_limit_make_no_pairs_and_are_counted,
           the_plan_and_the_room_hold_for_full_records, no_memory_is_a_clean_failure,
           a_restored_stage_goes_on_with_the_same_draws,
           the_state_of_another_sample_size_is_refused_by_name,
           long_tokens_keep_64_bytes_of_their_name, the_schema_says_that_labels_are_made_up)
