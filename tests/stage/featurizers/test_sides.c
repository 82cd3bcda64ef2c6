/* test_sides.c -- the built feature.sides. */
#include <stdio.h>
#include <string.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/suite.h"

static struct harness *sides(const char *param, const char *value)
{
    struct harness *h = harness_new("featurizers", "feature.sides");
    harness_has(h, LEAT_HAS_EXAMPLES);
    h->in.examples_per_record = 1;
    h->in.entries_per_record = 6;
    if (param) harness_set(h, param, value);
    return h;
}

/* Returns the entries of example e: "7:1 9:2". */
static const char *shown(const struct harness *h, uint32_t e)
{
    static char text[2][256];
    static int turn;
    char *out = text[turn ^= 1];
    size_t n = 0;
    *out = 0;
    for (uint32_t i = h->b.ex_start[e]; i < h->b.ex_start[e + 1]; i++)
        n += (size_t)snprintf(out + n, 256 - n, "%s%llu:%g", n ? " " : "",
                              (unsigned long long)h->b.id[i], (double)h->b.value[i]);
    return out;
}

START_TEST(ids_below_a_number_are_on_the_left)
{
    struct harness *h = sides("below", "10");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    uint32_t r = harness_record(h, "a");
    h->b.weight[r] = 2.5f;
    harness_example(h, r, 1, "12:1 3:2 10:-3 9:4");
    harness_example(h, harness_record(h, "b"), -1, "11:5");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_uint_eq(h->b.n_ex_sel, 4);
    const uint32_t *e = h->b.ex_sel;
    ck_assert_str_eq(shown(h, e[0]), "3:2 9:4");
    ck_assert_str_eq(shown(h, e[1]), "12:1 10:-3");
    ck_assert_str_eq(shown(h, e[2]), ""); /* a side may be empty */
    ck_assert_str_eq(shown(h, e[3]), "11:5");
    for (int k = 0; k < 2; k++) {
        ck_assert_uint_eq(h->b.ex_record[e[k]], r);
        ck_assert_float_eq(h->b.ex_weight[e[k]], 2.5f);
        ck_assert_float_eq(h->b.ex_label[e[k]], 1);
    }
    harness_free(h);
}
END_TEST

START_TEST(halves_leave_out_the_middle_one)
{
    struct harness *h = sides("halves", "true");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    static const char *const in[] = {"1:1 2:1 3:1 4:1", "1:1 2:1 3:1", "1:1", ""};
    static const char *const left[] = {"1:1 2:1", "1:1", "", ""}, *const right[] = {"3:1 4:1",
                                                                                    "3:1", "", ""};
    for (int k = 0; k < 4; k++)
        harness_example(h, harness_record(h, "r"), 1, in[k]);
    harness_process(h);
    for (uint32_t k = 0; k < 4; k++) {
        ck_assert_str_eq(shown(h, h->b.ex_sel[2 * k]), left[k]);
        ck_assert_str_eq(shown(h, h->b.ex_sel[2 * k + 1]), right[k]);
    }
    harness_free(h);
}
END_TEST

/* Adds an entry named field = value; with field NONE, only the value. */
static void add_named(struct harness *h, uint64_t id, uint32_t field, const char *value,
                      uint32_t more_field)
{
    uint32_t i = (uint32_t)leat_add_entry(&h->b, id, 1), len = (uint32_t)strlen(value);
    uint32_t off = leat_add_bytes(&h->b, len);
    memcpy(h->b.bytes + off, value, len);
    h->b.name[i] = (struct leat_name){{leat_add_part(&h->b, field, (struct leat_str){off, len})}};
    if (more_field != LEAT_NO_FIELD)
        h->b.name[i].part[1] = leat_add_part(&h->b, more_field, (struct leat_str){off, len});
}

START_TEST(columns_tell_sides_and_conjunctions_go_by_all_their_parts)
{
    struct harness *h = sides("left", "office,party");
    harness_has(h, LEAT_HAS_NAMES);
    h->in.parts_per_record = 8;
    uint32_t office = harness_field(h, "office"), payee = harness_field(h, "payee"),
             party = harness_field(h, "party");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    harness_example(h, harness_record(h, "some text"), 1, "");
    add_named(h, 1, payee, "x", LEAT_NO_FIELD);
    add_named(h, 2, office, "x", LEAT_NO_FIELD);
    add_named(h, 3, office, "x", payee);
    add_named(h, 4, party, "x", office);
    add_named(h, 5, LEAT_NO_FIELD, "x", LEAT_NO_FIELD);
    harness_process(h);
    ck_assert_str_eq(shown(h, h->b.ex_sel[0]), "2:1 4:1");
    ck_assert_str_eq(shown(h, h->b.ex_sel[1]), "1:1 3:1 5:1");
    uint32_t first = h->b.ex_start[h->b.ex_sel[1]];
    ck_assert_str_eq(harness_name(h, first), "payee=x");
    harness_free(h);
}
END_TEST

START_TEST(a_mark_parts_tokens_and_a_record_without_it_is_rejected)
{
    struct harness *h = sides("mark", "|||");
    harness_has(h, LEAT_HAS_NAMES);
    h->in.parts_per_record = 8;
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    static const char *const tokens[][4] = {{"a", "|||", "b", "|||"}, {"a", "b", NULL}};
    for (int k = 0; k < 2; k++) {
        harness_example(h, harness_record(h, "some text"), 1, "");
        for (uint64_t t = 0; t < 4 && tokens[k][t]; t++)
            add_named(h, t, LEAT_NO_FIELD, tokens[k][t], LEAT_NO_FIELD);
    }
    harness_process(h);
    ck_assert_uint_eq(h->b.n_ex_sel, 2);
    ck_assert_str_eq(shown(h, h->b.ex_sel[0]), "0:1");
    ck_assert_str_eq(shown(h, h->b.ex_sel[1]), "2:1 3:1"); /* the second mark is a token */
    ck_assert_ptr_nonnull(strstr(harness_rejected(h, 1)->text, "no '|||'"));
    harness_free(h);
}
END_TEST

START_TEST(sides_must_be_told_apart_in_one_way)
{
    struct harness *h = sides(NULL, NULL);
    expect_errors(h, 1, "nothing says how to split the sides");
    harness_set(h, "below", "3");
    ck_assert_int_eq(harness_negotiate(h), 0);
    harness_set(h, "halves", "true");
    expect_refused(h, "several parameters");
    harness_free(h);
    h = sides("left", "nonesuch");
    expect_refused(h, "no earlier stage makes features from a column 'nonesuch'");
    harness_free(h);
    h = sides("left", "office,payee,office");
    harness_field(h, "office"), harness_field(h, "payee");
    expect_refused(h, "leave out the columns of the right side");
    harness_free(h);
    for (int k = 0; k < 2; k++) { /* a token can never equal this mark */
        char mark[258] = "";
        memset(mark, 'x', k ? 257 : 0);
        h = sides("mark", mark);
        expect_refused(h, "it must have 1 to 256");
        harness_free(h);
    }
    h = sides("mark", "|");
    expect_refused(h, "no names");
    h->in.examples_per_record = 4;
    expect_refused(h, "this stage needs one a record");
    harness_free(h);
}
END_TEST

LEAT_SUITE("feature.sides", ids_below_a_number_are_on_the_left, halves_leave_out_the_middle_one,
           columns_tell_sides_and_conjunctions_go_by_all_their_parts,
           a_mark_parts_tokens_and_a_record_without_it_is_rejected,
           sides_must_be_told_apart_in_one_way)
