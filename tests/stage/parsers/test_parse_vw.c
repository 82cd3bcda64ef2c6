/* test_parse_vw.c -- parse.vw in the harness: labels, weights, names, namespaces, bounds,
 * rejections.
 *
 * Written rows are read back. tests/kernel/text/test_vw.c tests the format. */
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/random.h"
#include "support/suite.h"

static struct harness *parser(void) { return parser_new("parse.vw"); }

static void is_named(const struct harness *h, const char *const *names, uint32_t n)
{
    ck_assert_uint_eq(h->b.n_entries, n);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_str_eq(harness_name(h, i), names[i]);
}
#define NAMED(H, ...)                                                                              \
    is_named(H, (const char *const[]){__VA_ARGS__},                                                \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

START_TEST(a_record_becomes_an_example_with_label_weight_and_named_features)
{
    struct harness *h = parser();
    PARSE(h, "1 2.5 'order-17|user age:0.25 premium |item:0.5 price:17 red", "0 | a 17:2",
          "-1 |user");
    const struct leat_batch *b = &h->b;
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(b->n_ex_sel, 3);
    ck_assert(b->ex_label[0] == 1 && b->ex_label[1] == -1 && b->ex_label[2] == -1);
    ck_assert(b->ex_weight[0] == 2.5f && b->ex_weight[1] == 1);
    ck_assert(b->ex_start[1] == 4 && b->ex_start[2] == 6 && b->ex_start[3] == 6);
    ck_assert(b->value[0] == 0.25f && b->value[1] == 1 && b->value[2] == 8.5f &&
              b->value[3] == 0.5f && b->value[5] == 2);
    ck_assert_uint_eq(b->id[5], 17);
    NAMED(h, "user^age", "user^premium", "item^price", "item^red", "a", "17");
    harness_free(h);
}
END_TEST

START_TEST(blank_lines_and_records_without_a_label_are_filtered)
{
    struct harness *h = parser();
    PARSE(h, "", "|a b", "'tag |a b", "1 |a b", " \t");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_sel, 1);
    ck_assert_uint_eq(h->b.n_examples, 1);
    ck_assert_uint_eq(h->b.ex_record[0], 3);
    NAMED(h, "a^b");
    harness_free(h);

    h = parser();
    harness_set(h, "missing", "reject");
    PARSE(h, "", "|a b");
    ck_assert_ptr_null(harness_rejected(h, 0));
    expect_rejected(h, 1, LEAT_R_LABEL, "the record has no label");
    harness_free(h);
}
END_TEST

START_TEST(labels_mean_what_they_mean_to_parse_libsvm)
{
    struct harness *h = parser();
    PARSE(h, "2 |a b");
    expect_rejected_for(h, 0, LEAT_R_LABEL, "positive = \"2\"");
    harness_free(h);

    h = parser();
    harness_set(h, "label", "raw");
    PARSE(h, "4.5 |a b", "-3e2 |");
    ck_assert(h->b.ex_label[0] == 4.5f && h->b.ex_label[1] == -300);
    harness_free(h);

    h = parser();
    harness_set(h, "positive", "2");
    PARSE(h, "2 |a b", "1 |a b");
    ck_assert(h->b.ex_label[0] == 1 && h->b.ex_label[1] == -1);
    harness_free(h);
}
END_TEST

START_TEST(rejections_say_what_where_and_what_to_do)
{
    struct harness *h = parser();
    PARSE(h, "1|a b", "+1 3:0.5 4", "1 -2 |a b", "1 |a b:x", "1 |a :2", "x |a", "1 |a:1e30 b:1e30",
          "1 1e20 |a b", "1 1 0.5 |a b", "1 1 0 'x 7 |a");
    expect_rejected(h, 0, LEAT_R_LABEL,
                    "'1' touches the '|' (or ends a line without one) and so is a tag, and the "
                    "label is missing: write ' |' after a label, or ' before a tag, at byte 1");
    expect_rejected(h, 1, LEAT_R_NUMBER,
                    "importance '3:0.5' is not a number (features follow a '|'), at byte 4");
    expect_rejected(h, 2, LEAT_R_NUMBER, "importance '-2' is below 0, at byte 3");
    expect_rejected(h, 3, LEAT_R_NUMBER, "value 'x' is not a number, at byte 8");
    expect_rejected(h, 4, LEAT_R_SYNTAX, "':2' has nothing before its ':', at byte 6");
    expect_rejected_for(h, 5, LEAT_R_LABEL, "label 'x' is not a number");
    expect_rejected_for(h, 6, LEAT_R_NONFINITE, "scale, at byte 13");
    expect_rejected_for(h, 7, LEAT_R_NUMBER, "importance 1e+20 is not a weight");
    expect_rejected_for(h, 8, LEAT_R_OWN(0), "set skip_base = true");
    expect_rejected_for(h, 9, LEAT_R_SYNTAX, "comes after label, importance and base");
    ck_assert_uint_eq(h->b.n_examples, 0);
    ck_assert_uint_eq(h->b.n_parts, 0);
    harness_free(h);
}
END_TEST

START_TEST(a_rejected_record_leaves_no_entries_and_no_names_behind)
{
    struct harness *h = parser();
    PARSE(h, "1 |a b c d:x", "1 |a e", "7 |a f", "|a g", "-1 |a h");
    uint32_t bytes = 0;
    for (uint32_t r = 0; r < h->b.n; r++)
        bytes += h->b.raw[r].len;
    NAMED(h, "a^e", "a^h");
    ck_assert_uint_eq(h->b.n_parts, 2);
    ck_assert_uint_eq(h->b.n_bytes, bytes + 3 + 3);
    harness_free(h);
}
END_TEST

START_TEST(namespaces_are_kept_or_ignored_by_their_whole_names)
{
    struct harness *h = parser();
    harness_set(h, "keep", "user,item");
    PARSE(h, "1 |user a |users b |item c | d |User e |user f");
    NAMED(h, "user^a", "item^c", "user^f");
    harness_free(h);

    h = parser();
    harness_set(h, "ignore", "user");
    PARSE(h, "1 |user a |users b |item c | d");
    NAMED(h, "users^b", "item^c", "d");
    harness_free(h);

    h = parser();
    harness_set(h, "keep", "a");
    harness_set(h, "ignore", "b");
    expect_errors(h, 1, "cannot be set together with `keep`");
    harness_free(h);
}
END_TEST

START_TEST(the_tag_is_the_key_only_when_asked_for)
{
    struct harness *h = parser();
    harness_set(h, "tag", "true");
    PARSE(h, "1 'id-7|a b", "1 |a b");
    ck_assert(h->out.has & LEAT_HAS_KEY);
    ck_assert_uint_eq(h->b.key[0].len, 4);
    ck_assert(!memcmp(leat_text(&h->b, h->b.key[0]), "id-7", 4));
    ck_assert_uint_eq(h->b.key[1].len, LEAT_NULL);
    harness_free(h);

    h = parser();
    PARSE(h, "1 'id-7|a b");
    ck_assert(!(h->out.has & LEAT_HAS_KEY));
    harness_free(h);
}
END_TEST

START_TEST(bases_are_skipped_when_asked_for)
{
    struct harness *h = parser();
    harness_set(h, "skip_base", "true");
    PARSE(h, "1 1 0.5 |a b");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_examples, 1);
    harness_free(h);
}
END_TEST

START_TEST(without_names_ids_are_the_same_and_nothing_is_copied)
{
    struct harness *named = parser(), *bare = parser();
    harness_set(bare, "names", "false");
    PARSE(named, "1 |user age:2 |a_long_namespace_of_short_names 1 2 3");
    PARSE(bare, "1 |user age:2 |a_long_namespace_of_short_names 1 2 3");
    ck_assert(!(bare->out.has & LEAT_HAS_NAMES));
    ck_assert_uint_eq(bare->b.n_bytes, bare->b.raw[0].len);
    ck_assert_uint_eq(named->b.n_entries, 4);
    ck_assert_uint_eq(bare->b.n_entries, 4);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert(named->b.id[i] == bare->b.id[i]);
    harness_free(named);
    harness_free(bare);
}
END_TEST

START_TEST(names_that_take_four_times_the_record_are_refused_with_the_remedy)
{
    char text[256], *p = text;
    p += sprintf(p, "1 |a_long_namespace");
    for (int i = 0; i < 40; i++)
        p += sprintf(p, " x");
    struct harness *h = parser();
    PARSE(h, text, "1 |a b");
    expect_rejected_for(h, 0, LEAT_R_TOO_LARGE, "more than 4 times");
    expect_rejected_for(h, 0, LEAT_R_TOO_LARGE, "set names = false");
    NAMED(h, "a^b");
    harness_free(h);

    h = parser();
    harness_set(h, "names", "false");
    PARSE(h, text);
    ck_assert_uint_eq(h->b.n_entries, 40);
    harness_free(h);
}
END_TEST

START_TEST(declared_bounds_hold_for_the_densest_records)
{
    parser_fits_its_bounds(parser(), "1 |", " a", true);
}
END_TEST

START_TEST(a_record_larger_than_the_batch_is_rejected)
{
    parser_refuses_the_third(parser(), "1 |a b c d", "'d'");
}
END_TEST

/* ---- rows that are written and read back ---- */

enum { FEATURES = 12 };

struct written {
    float label, weight, value[FEATURES];
    uint32_t n;
    char name[FEATURES][32]; /* the expected name */
    char text[1024];
};

static uint64_t state;

static void random_word(char *out)
{
    static const char letters[] = "abcdefXYZ_-=.#'^";
    uint32_t n = 1 + below(&state, 9);
    for (uint32_t i = 0; i < n; i++)
        out[i] = letters[below(&state, sizeof letters - 1)];
    out[n] = 0;
}

static void write_row(struct written *w)
{
    char space[16] = "", word[16], *p = w->text;
    float scale = 1;
    w->label = below(&state, 2) ? 1 : -1;
    w->weight = (float)uniform(&state, 0.01, 9);
    w->n = below(&state, FEATURES + 1);
    p += sprintf(p, "%g %.9g |", (double)w->label, (double)w->weight);
    for (uint32_t i = 0; i < w->n; i++) {
        if (!below(&state, 3)) { /* another namespace */
            random_word(space);
            scale = below(&state, 2) ? 1 : (float)below(&state, 99) / 8;
            p += sprintf(p, "|%s", space);
            if (scale != 1) p += sprintf(p, ":%.9g", (double)scale);
        }
        float value = (float)normal(&state);
        random_word(word);
        p += sprintf(p, " %s:%.9g", word, (double)value);
        w->value[i] = value * scale;
        sprintf(w->name[i], "%s%s%s", space, *space ? "^" : "", word);
    }
}

START_TEST(rows_that_are_written_are_read_back)
{
    enum { ROWS = 64 };
    static struct written rows[ROWS];
    state = seed_given();
    struct harness *h = parser();
    ck_assert_int_eq(harness_open(h, ROWS), LEAT_OK);
    for (int batch = 0; batch < 40; batch++) {
        harness_clear(h);
        for (uint32_t r = 0; r < ROWS; r++) {
            write_row(&rows[r]);
            harness_record(h, rows[r].text);
        }
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->b.n_ex_sel, ROWS);
        for (uint32_t r = 0; r < ROWS; r++) {
            const struct written *w = &rows[r];
            uint32_t at = h->b.ex_start[r];
            ck_assert_uint_eq(h->b.ex_start[r + 1] - at, w->n);
            ck_assert(h->b.ex_label[r] == w->label && h->b.ex_weight[r] == w->weight);
            for (uint32_t i = 0; i < w->n; i++) {
                ck_assert_msg(h->b.value[at + i] == w->value[i], "%s", w->text);
                ck_assert_str_eq(harness_name(h, at + i), w->name[i]);
            }
        }
    }
    harness_free(h);
}
END_TEST

LEAT_SUITE("parse_vw", a_record_becomes_an_example_with_label_weight_and_named_features,
           blank_lines_and_records_without_a_label_are_filtered,
           labels_mean_what_they_mean_to_parse_libsvm, rejections_say_what_where_and_what_to_do,
           a_rejected_record_leaves_no_entries_and_no_names_behind,
           namespaces_are_kept_or_ignored_by_their_whole_names,
           the_tag_is_the_key_only_when_asked_for, bases_are_skipped_when_asked_for,
           without_names_ids_are_the_same_and_nothing_is_copied,
           names_that_take_four_times_the_record_are_refused_with_the_remedy,
           declared_bounds_hold_for_the_densest_records, a_record_larger_than_the_batch_is_rejected,
           rows_that_are_written_are_read_back)
