/* test_featurizers.c -- the built feature.columns, feature.normalize, feature.hash. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

/* ---- feature.columns ---- */

static struct harness *columns(const char *list, const char *cross, const char *explode)
{
    struct harness *h = harness_new("featurizers", "feature.columns");
    harness_column(h, "a", LEAT_TEXT);
    harness_column(h, "b", LEAT_TEXT);
    harness_column(h, "c", LEAT_TEXT);
    harness_column(h, "d", LEAT_TEXT);
    harness_column(h, "n", LEAT_NUMBER);
    harness_set(h, "columns", list);
    harness_set(h, "cross", cross);
    harness_set(h, "explode", explode);
    return h;
}

/* Returns the names of the batch's entries, one a line, with "--" between examples. */
static const char *all_names(const struct harness *h)
{
    static char text[4096];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t e = 0; e < h->b.n_examples; e++) {
        if (e) n += (size_t)sprintf(text + n, "--\n");
        for (uint32_t i = h->b.ex_start[e]; i < h->b.ex_start[e + 1]; i++)
            n += (size_t)sprintf(text + n, "%s\n", harness_name(h, i));
    }
    return text;
}

static uint64_t id_of(const struct harness *h, const char *name)
{
    for (uint32_t i = 0; i < h->b.n_entries; i++)
        if (!strcmp(harness_name(h, i), name)) return h->b.id[i];
    ck_abort_msg("no feature '%s'", name);
    return 0;
}

START_TEST(one_example_has_all_features_by_name)
{
    struct harness *h = columns("a,b", "2", "false");
    harness_open(h, 10);
    uint32_t r = harness_row(h, "x|y|z|");
    h->b.label[r] = -1.0f;
    h->b.weight[r] = 2.5f;
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(all_names(h), "a=x\nb=y\na=x & b=y\n");
    ck_assert_uint_eq(h->b.n_examples, 1);
    ck_assert_float_eq(h->b.ex_label[0], -1.0f);
    ck_assert_float_eq(h->b.ex_weight[0], 2.5f);
    ck_assert_uint_eq(h->b.ex_record[0], r);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_float_eq(h->b.value[i], 1.0f);
    harness_free(h);
}
END_TEST

START_TEST(ids_are_those_of_the_kernel)
{
    struct harness *h = columns("a,b,c", "3", "false");
    harness_open(h, 10);
    harness_row(h, "x|y|z|");
    harness_process(h);
    uint64_t id[3], part[3];
    static const char *const field[] = {"a", "b", "c"}, *const value[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        id[i] = feature_id_value(feature_id_name(field[i], 1), value[i], 1);
        part[i] = feature_id_part(id[i]);
    }
    ck_assert_uint_eq(id_of(h, "b=y"), id[1]);
    ck_assert_uint_eq(id_of(h, "a=x & c=z"), feature_id_and2(part[0], part[2]));
    ck_assert_uint_eq(id_of(h, "a=x & b=y & c=z"), feature_id_and3(part[0], part[1], part[2]));
    harness_free(h);
}
END_TEST

START_TEST(order_of_columns_changes_names_but_no_id)
{
    struct harness *one = columns("a,b,c", "3", "true"), *two = columns("c,a,b", "3", "true");
    harness_open(one, 10);
    harness_open(two, 10);
    harness_row(one, "x|y|z|");
    harness_row(two, "x|y|z|");
    harness_process(one);
    harness_process(two);
    ck_assert_uint_eq(id_of(one, "a=x & b=y"), id_of(two, "a=x & b=y"));
    ck_assert_uint_eq(id_of(one, "b=y & c=z"), id_of(two, "c=z & b=y"));
    ck_assert_uint_eq(id_of(one, "a=x & b=y & c=z"), id_of(two, "c=z & a=x & b=y"));
    harness_free(one);
    harness_free(two);
}
END_TEST

START_TEST(a_constant_is_in_every_example_and_in_no_conjunction)
{
    struct harness *h = columns("a,b", "2", "false");
    harness_set(h, "constant", "one");
    harness_open(h, 10);
    ck_assert_uint_eq(h->out.entries_per_record, 4);
    ck_assert_uint_eq(h->out.parts_per_record, 3);
    harness_row(h, "x|y|z|");
    harness_row(h, "||z|");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(all_names(h), "one\na=x\nb=y\na=x & b=y\n--\none\n");
    for (uint32_t i = 0; i < h->b.n_entries; i++)
        ck_assert_float_eq(h->b.value[i], 1);
    harness_free(h);
    h = columns("a,b", "1", "true");
    harness_set(h, "constant", "one");
    expect_errors(h, 1, "constant: cannot be combined with explode");
    harness_free(h);
    h = columns("a,b", "1", "false");
    harness_set(h, "constant", "b");
    expect_errors(h, 1, "constant: 'b' is also a column");
    harness_free(h);
}
END_TEST

START_TEST(explode_makes_an_example_of_every_feature)
{
    static const uint32_t expected[] = {4, 10, 14}; /* C(4,1) + C(4,2) + C(4,3) */
    for (int cross = 1; cross <= 3; cross++) {
        char text[2] = {(char)('0' + cross), 0};
        struct harness *h = columns("a,b,c,d", text, "true");
        harness_open(h, 3);
        ck_assert_uint_eq(h->out.examples_per_record, expected[cross - 1]);
        ck_assert_uint_eq(h->out.entries_per_record, expected[cross - 1]);
        ck_assert_uint_eq(h->out.parts_per_record, 4);
        for (int r = 0; r < 3; r++)
            h->b.label[harness_row(h, "w|x|y|z")] = r == 1 ? 1.0f : -1.0f;
        harness_process(h);
        ck_assert_uint_eq(h->b.n_examples, 3 * expected[cross - 1]);
        ck_assert_uint_eq(h->b.n_parts, 12);
        for (uint32_t e = 0; e < h->b.n_examples; e++) {
            ck_assert_uint_eq(h->b.ex_start[e + 1] - h->b.ex_start[e], 1);
            ck_assert_float_eq(h->b.ex_label[e], h->b.ex_record[e] == 1 ? 1.0f : -1.0f);
        }
        harness_free(h);
    }
}
END_TEST

START_TEST(missing_texts_make_no_feature)
{
    struct harness *h = columns("a,b,c", "2", "true");
    harness_open(h, 10);
    harness_row(h, "x||z|");
    harness_row(h, "\\N|\\N|\\N|");
    harness_row(h, "|y||");
    harness_process(h);
    /* The second record has no feature, but it is an example. */
    ck_assert_str_eq(all_names(h), "a=x\n--\nc=z\n--\na=x & c=z\n--\n--\nb=y\n");
    ck_assert_uint_eq(h->b.ex_record[3], 1);
    ck_assert_uint_eq(h->b.ex_record[4], 2);
    ck_assert_uint_eq(h->b.n_sel, 3);
    harness_free(h);
}
END_TEST

START_TEST(missing_values_are_features_when_asked_for)
{
    struct harness *h = columns("a,b", "2", "false");
    harness_set(h, "skip_missing", "false");
    harness_open(h, 10);
    harness_row(h, "x||z|");
    harness_process(h);
    ck_assert_str_eq(all_names(h), "a=x\nb is missing\na=x & b is missing\n");
    harness_free(h);
}
END_TEST

START_TEST(numbers_are_values_of_one_feature)
{
    struct harness *h = columns("a,n", "2", "false");
    harness_set(h, "numbers", "b");
    harness_open(h, 10);
    harness_row(h, "x| -2.5 |||4");
    harness_row(h, "x|0|||\\N"); /* 0: outside conjunctions; missing: no feature */
    harness_process(h);
    ck_assert_uint_eq(h->b.ex_start[1], 6);
    static const float expected[] = {1, 4, -2.5f, 4, -2.5f, -10}; /* a n b an ab nb */
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq(h->b.value[i], expected[i]);
    ck_assert_uint_eq(h->b.id[1], feature_id_name("n", 1));
    ck_assert_uint_eq(h->b.id[2], feature_id_name("b", 1));
    const struct leat_part *part = &h->b.part[h->b.name[2].part[0] - 1];
    ck_assert_str_eq(h->b.fields[part->field], "b");
    ck_assert_uint_eq(part->value.len, LEAT_NULL);
    ck_assert_uint_eq(h->b.ex_start[2] - h->b.ex_start[1], 2);
    ck_assert_uint_eq(h->b.id[7], feature_id_name("b", 1));
    ck_assert_float_eq(h->b.value[7], 0);
    static const uint8_t marks[] = {LEAT_MARK_NONE, LEAT_MARK_NUMBER, LEAT_MARK_NUMBER};
    ck_assert_uint_eq(h->out.n_marks, 3);
    ck_assert_mem_eq(h->out.mark, marks, sizeof marks);
    harness_free(h);
}
END_TEST

START_TEST(numbers_may_stay_as_they_are)
{
    struct harness *h = columns("a,n", "1", "false");
    harness_set(h, "scaled", "false");
    harness_open(h, 10);
    harness_row(h, "x||||0");
    harness_process(h);
    ck_assert_uint_eq(h->b.ex_start[1], 1);
    ck_assert_uint_eq(h->out.n_marks, 0);
    harness_free(h);
}
END_TEST

START_TEST(number_columns_may_be_categories)
{
    struct harness *h = columns("n", "1", "true");
    harness_set(h, "numeric", "category");
    harness_open(h, 10);
    static const char *const cells[] = {"3", "0.1", "-0", "1e300", "0.30000000000000004"};
    for (int i = 0; i < 5; i++) {
        uint32_t r = harness_record(h, "");
        h->b.column[4].number[r] = strtod(cells[i], NULL);
    }
    harness_process(h);
    ck_assert_str_eq(all_names(h),
                     "n=3\n--\nn=0.1\n--\nn=0\n--\nn=1e+300\n--\nn=0.30000000000000004\n");
    ck_assert_uint_eq(h->b.id[0], feature_id_value(feature_id_name("n", 1), "3", 1));
    harness_free(h);
}
END_TEST

/* Column a is plain, column b has elements. */
static struct harness *with_each(const char *cross, const char *separator)
{
    struct harness *h = columns("a", cross, "false");
    harness_set(h, "each", "b");
    harness_set(h, "separator", separator);
    return h;
}

START_TEST(each_element_is_a_feature)
{
    struct harness *h = with_each("2", ";");
    harness_open(h, 10);
    harness_row(h, "x|p;q r;;p||");
    harness_row(h, "x|||");
    harness_row(h, "x|\\N||");
    harness_row(h, "|q r||");
    harness_process(h);
    ck_assert_str_eq(all_names(h), "a=x\nb=p\nb=q r\na=x & b=p\na=x & b=q r\nb=p & b=q r\n--\n"
                                   "a=x\n--\na=x\n--\nb=q r\n");
    uint64_t seed = feature_id_name("b", 1), x = feature_id_value(feature_id_name("a", 1), "x", 1);
    uint64_t p = feature_id_value(seed, "p", 1), q = feature_id_value(seed, "q r", 3);
    ck_assert_uint_eq(h->b.id[1], p);
    ck_assert_uint_eq(h->b.id[2], q);
    ck_assert_uint_eq(h->b.id[3], feature_id_and2(feature_id_part(x), feature_id_part(p)));
    ck_assert_uint_eq(h->b.id[5], feature_id_and2(feature_id_part(p), feature_id_part(q)));
    ck_assert_uint_eq(h->b.id[8], q);
    harness_free(h);
}
END_TEST

/* Exact counts of a thousand records, computed in another way: elements are bits of a set. */
START_TEST(elements_and_their_pairs_are_counted_exactly)
{
    struct harness *h = with_each("2", "::");
    uint32_t single[6] = {0}, pair[6][6] = {{0}}, n[6] = {0}, n2[6][6] = {{0}};
    harness_open(h, 1000);
    for (uint32_t r = 0; r < 1000; r++) {
        char text[128] = "|";
        uint32_t set = r * 2654435761u >> 26;
        for (uint32_t e = 0; e < 6; e++)
            if (set >> e & 1) sprintf(text + strlen(text), "%c::%c::", 'a' + e, 'a' + e);
        harness_row(h, strcat(text, "||"));
        for (uint32_t e = 0; e < 6; e++)
            for (uint32_t f = 0; f < 6; f++)
                pair[e][f] += (set >> e & 1) && (set >> f & 1);
        for (uint32_t e = 0; e < 6; e++)
            single[e] += set >> e & 1;
    }
    harness_process(h);
    ck_assert_uint_eq(h->n_rejections, 0);
    for (uint32_t i = 0; i < h->b.n_entries; i++) {
        char name[64], e, f;
        strcpy(name, harness_name(h, i));
        if (sscanf(name, "b=%c & b=%c", &e, &f) == 2)
            n2[e - 'a'][f - 'a']++;
        else
            n[name[2] - 'a']++;
    }
    for (int e = 0; e < 6; e++) {
        ck_assert_uint_eq(n[e], single[e]);
        for (int f = e + 1; f < 6; f++)
            ck_assert_uint_eq(n2[e][f], pair[e][f]);
    }
    harness_free(h);
}
END_TEST

START_TEST(no_more_elements_than_were_promised_are_taken)
{
    struct harness *h = with_each("2", " ");
    harness_set(h, "elements", "2");
    harness_open(h, 3);
    ck_assert_uint_eq(h->out.entries_per_record, 6); /* C(3,1) + C(3,2) */
    ck_assert_uint_eq(h->out.parts_per_record, 3);
    harness_row(h, "x|p q p r s||");
    harness_row(h, "x|p q p||");
    harness_row(h, "x|t u||");
    harness_process(h);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_uint_eq(h->b.n_entries, 18);
    ck_assert_ptr_null(strstr(all_names(h), "b=r"));
    harness_free(h);
}
END_TEST

START_TEST(bad_numbers_reject_the_record_and_leave_nothing)
{
    struct harness *h = columns("a", "2", "true");
    harness_set(h, "numbers", "b,n");
    harness_open(h, 10);
    harness_row(h, "x|1|||1");
    harness_row(h, "x|seven|||1");
    harness_row(h, "x|1|||inf");
    harness_row(h, "x|1e30|||1e30"); /* a float cannot hold their product */
    harness_row(h, "y|2|||1");
    harness_process(h);
    expect_rejected(h, 1, LEAT_R_NUMBER, "column 'b': 'seven' is not a number");
    expect_rejected(h, 2, LEAT_R_NONFINITE, "column 'n': 'inf' is not finite");
    expect_rejected(h, 3, LEAT_R_NONFINITE, "a number, or a product of numbers, exceeds 3.4e+38");
    ck_assert_uint_eq(h->b.n_examples, 12);
    ck_assert_uint_eq(h->b.n_ex_sel, 12);
    ck_assert_uint_eq(h->b.n_parts, 6);
    for (uint32_t e = 0; e < 12; e++)
        ck_assert_uint_eq(h->b.ex_record[e], e < 6 ? 0 : 4);
    harness_free(h);
}
END_TEST

START_TEST(full_batch_rejects_the_record_whole)
{
    uint32_t n[3] = {0};
    for (int which = 0; which < 3; which++) {
        struct harness *h = columns("a,b,c", "2", "true");
        harness_open(h, 2);
        /* one less than two records need */
        h->b.cap_entries -= which == 0;
        h->b.cap_examples -= which == 1;
        h->b.cap_parts -= which == 2;
        harness_row(h, "x|y|z|");
        harness_row(h, "x|y|z|");
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        expect_rejected(h, 1, LEAT_R_TOO_LARGE,
                        which == 2 ? "the batch has no room for more name parts"
                                   : "the batch has no room for the record's 6 features");
        n[which] = h->b.n_examples;
        ck_assert_uint_eq(h->b.n_entries, 6);
        ck_assert_uint_eq(h->b.n_parts, 3);
        ck_assert_uint_eq(h->b.n_sel, 1);
        harness_free(h);
    }
    ck_assert(n[0] == 6 && n[1] == 6 && n[2] == 6);
}
END_TEST

START_TEST(a_full_batch_needs_no_more_than_was_promised)
{
    for (int explode = 0; explode < 2; explode++) {
        struct harness *h = columns("a,b,c,d,n", "3", explode ? "true" : "false");
        harness_set(h, "numeric", "category");
        harness_open(h, 50);
        for (int r = 0; r < 50; r++)
            h->b.column[4].number[harness_row(h, "w|x|y|z")] = -1.7976931348623157e308;
        harness_process(h);
        ck_assert_uint_eq(h->n_rejections, 0);
        ck_assert_uint_eq(h->b.n_entries, 50 * 25);
        harness_free(h);
    }
}
END_TEST

START_TEST(records_out_of_the_running_make_no_examples)
{
    struct harness *h = columns("a", "1", "false");
    harness_open(h, 3);
    for (int r = 0; r < 3; r++)
        harness_row(h, "x");
    h->b.n_sel = 1;
    h->b.sel[0] = 1;
    harness_process(h);
    ck_assert_uint_eq(h->b.n_examples, 1);
    ck_assert_uint_eq(h->b.ex_record[0], 1);
    harness_free(h);
}
END_TEST

START_TEST(fields_come_after_those_that_are_there)
{
    struct harness *h = columns("b,a", "2", "false");
    harness_field(h, "other");
    harness_open(h, 1);
    harness_row(h, "x|y");
    harness_process(h);
    ck_assert_str_eq(all_names(h), "b=y\na=x\nb=y & a=x\n");
    harness_free(h);
}
END_TEST

START_TEST(wrong_lists_are_reported)
{
    struct harness *h = columns("a,b,a", "1", "false");
    expect_errors(h, 1, "columns: column 'a' is listed twice");
    harness_set(h, "columns", "");
    expect_errors(h, 1, "name at least one column");
    harness_set(h, "columns", "a,zz");
    expect_errors(h, 1, "columns: there is no column 'zz'");
    harness_set(h, "columns", "a");
    harness_set(h, "numbers", "a");
    expect_errors(h, 1, "numbers: column 'a' is listed twice");
    harness_set(h, "numbers", "b");
    harness_has(h, LEAT_HAS_EXAMPLES);
    expect_errors(h, 1, "an earlier stage makes examples");
    harness_free(h);
}
END_TEST

START_TEST(too_many_features_are_refused_with_their_number)
{
    struct harness *h = columns("a", "3", "true");
    char list[512] = "c0", *end = list + 2;
    for (int i = 1; i < 40; i++)
        end += sprintf(end, ",c%d", i);
    h->in.open = 1;
    harness_set(h, "columns", list);
    expect_errors(h, 1, "10700 features a record"); /* 40 + 780 + 9880 */
    harness_set(h, "cross", "2");
    ck_assert_int_eq(harness_negotiate(h), 0);
    harness_free(h);
    h = with_each("2", " ");
    harness_set(h, "elements", "140");
    expect_errors(h, 1, "10011 features a record"); /* 141 + 9870 */
    harness_free(h);
    h = with_each("2", "");
    expect_errors(h, 1, "separator: is empty");
    harness_free(h);
}
END_TEST

START_TEST(featurizer_without_memory_says_so)
{
    struct harness *h = columns("a,b", "2", "true");
    harness_negotiate(h);
    h->allocs_left = 0;
    ck_assert_int_eq(harness_open(h, 1), LEAT_ENOMEM);
    h->allocs_left = -1;
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    ck_assert_uint_eq(h->allocated, harness_plan(h).work_bytes);
    harness_free(h);
}
END_TEST

/* ---- feature.normalize, feature.hash ---- */

static struct harness *on_examples(const char *plugin, const char *stage)
{
    struct harness *h = harness_new(plugin, stage);
    harness_has(h, LEAT_HAS_EXAMPLES);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 10;
    return h;
}

START_TEST(normalized_examples_have_norm_one)
{
    static const struct {
        const char *norm;
        float expected[2];
    } cases[] = {{"l1", {3 / 7.0f, -4 / 7.0f}}, {"l2", {0.6f, -0.8f}}, {"max", {0.75f, -1.0f}}};
    for (int c = 0; c < 3; c++) {
        struct harness *h = on_examples("featurizers", "feature.normalize");
        harness_set(h, "norm", cases[c].norm);
        harness_open(h, 10);
        for (int r = 0; r < 5; r++)
            harness_record(h, "");
        harness_example(h, 0, 1, "1:3 2:-4");
        harness_example(h, 1, 1, "1:0 2:0");
        harness_example(h, 2, 1, "");
        harness_example(h, 3, 1, "1:3e38 2:-3e38 3:3e38"); /* a float cannot hold the squares */
        harness_example(h, 4, 1, "1:1e-45");
        harness_process(h);
        ck_assert_float_eq(h->b.value[0], cases[c].expected[0]);
        ck_assert_float_eq(h->b.value[1], cases[c].expected[1]);
        ck_assert(h->b.value[2] == 0 && h->b.value[3] == 0);
        float third = c == 0 ? 1 / 3.0f : c == 1 ? (float)sqrt(1 / 3.0) : 1.0f;
        for (int i = 4; i < 7; i++)
            ck_assert_float_eq_tol(fabsf(h->b.value[i]), third, 1e-7f);
        ck_assert_float_eq(h->b.value[7], 1.0f);
        harness_free(h);
    }
}
END_TEST

START_TEST(normalize_leaves_examples_out_of_the_running_alone)
{
    struct harness *h = on_examples("featurizers", "feature.normalize");
    harness_open(h, 2);
    harness_record(h, "");
    harness_record(h, "");
    harness_example(h, 0, 1, "1:2");
    harness_example(h, 1, 1, "1:2");
    h->b.n_ex_sel = 1;
    h->b.ex_sel[0] = 1;
    harness_process(h);
    ck_assert_float_eq(h->b.value[0], 2.0f);
    ck_assert_float_eq(h->b.value[1], 1.0f);
    harness_free(h);
}
END_TEST

START_TEST(hash_folds_ids_and_keeps_values_and_names)
{
    struct harness *h = on_examples("featurizers", "feature.hash");
    harness_has(h, LEAT_HAS_NAMES);
    h->in.parts_per_record = 1;
    harness_set(h, "bits", "5");
    harness_open(h, 1);
    uint32_t r = harness_record(h, "word");
    harness_example(h, r, 1, "7:1.5 123456789012345:2");
    h->b.name[0].part[0] = leat_add_part(&h->b, LEAT_NO_FIELD, h->b.raw[r]);
    harness_process(h);
    ck_assert_uint_eq(h->b.id[0], feature_id_fold(7, 0, 5));
    ck_assert_uint_eq(h->b.id[1], feature_id_fold(123456789012345u, 0, 5));
    ck_assert_uint_lt(h->b.id[1], 32);
    ck_assert_float_eq(h->b.value[0], 1.5f);
    ck_assert_str_eq(harness_name(h, 0), "word");
    harness_free(h);
}
END_TEST

/* The mean of <h(x), h(y)> over many seeds is <x, y> with signs, and too large without them. */
START_TEST(signed_hashing_keeps_inner_products_on_average)
{
    double mean[2] = {0};
    for (int is_signed = 0; is_signed < 2; is_signed++)
        for (int seed = 0; seed < 400; seed++) {
            char text[16];
            struct harness *h = on_examples("featurizers", "feature.hash");
            harness_set(h, "bits", "3");
            harness_set(h, "signed", is_signed ? "true" : "false");
            sprintf(text, "%d", seed);
            harness_set(h, "seed", text);
            harness_open(h, 2);
            harness_record(h, "");
            harness_record(h, "");
            harness_example(h, 0, 1, "1:1 2:2 3:3 4:1");
            harness_example(h, 1, 1, "3:1 5:2 6:4 7:1");
            harness_process(h);
            for (int i = 0; i < 4; i++)
                for (int j = 4; j < 8; j++)
                    if (h->b.id[i] == h->b.id[j])
                        mean[is_signed] += (double)h->b.value[i] * (double)h->b.value[j] / 400;
            harness_free(h);
        }
    ck_assert_double_eq_tol(mean[1], 3.0, 1.0); /* one deviation of the mean is about 0.3 */
    ck_assert_double_gt(mean[0], 6.0);          /* 3 + (7 * 8 - 3) / 8 = 9.6 */
}
END_TEST

LEAT_SUITE(
    "featurizers", one_example_has_all_features_by_name, ids_are_those_of_the_kernel,
    order_of_columns_changes_names_but_no_id, a_constant_is_in_every_example_and_in_no_conjunction,
    explode_makes_an_example_of_every_feature, missing_texts_make_no_feature,
    missing_values_are_features_when_asked_for, numbers_are_values_of_one_feature,
    numbers_may_stay_as_they_are, number_columns_may_be_categories, each_element_is_a_feature,
    elements_and_their_pairs_are_counted_exactly, no_more_elements_than_were_promised_are_taken,
    bad_numbers_reject_the_record_and_leave_nothing, full_batch_rejects_the_record_whole,
    a_full_batch_needs_no_more_than_was_promised, records_out_of_the_running_make_no_examples,
    fields_come_after_those_that_are_there, wrong_lists_are_reported,
    too_many_features_are_refused_with_their_number, featurizer_without_memory_says_so,
    normalized_examples_have_norm_one, normalize_leaves_examples_out_of_the_running_alone,
    hash_folds_ids_and_keeps_values_and_names, signed_hashing_keeps_inner_products_on_average)
