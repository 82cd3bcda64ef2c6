/* test_schema_json.c -- schemas as JSON: the members that open() reads come back.
 *
 * Impossible members are refused by name. */
#include <string.h>

#include "host/graph/fingerprint/schema_json.h"
#include "support/suite.h"

static struct arena arena;

START_TEST(every_number_column_field_and_class_comes_back)
{
    static const struct leat_column columns[] = {
        {.name = "delay", .type = LEAT_NUMBER},
        {.name = "car\"rier\n", .type = LEAT_TEXT, .decimal = ',', .thousands = ' '}};
    static const char *const fields[] = {"a", "b c", ""}, *const classes[] = {"yes", "n\"o"};
    struct leat_schema s = {.size = sizeof s}, back;
    uint32_t *number[] = {&s.has,
                          &s.score,
                          &s.open,
                          &s.examples_per_record,
                          &s.entries_per_record,
                          &s.entries_per_256_bytes,
                          &s.parts_per_record,
                          &s.added_bytes_per_record,
                          &s.max_record_bytes,
                          &s.copies_text,
                          &s.added_names,
                          &s.extents};
    for (uint32_t i = 0; i < sizeof number / sizeof *number; i++)
        *number[i] = i ? i * 1000 : UINT32_MAX;
    s.score = LEAT_SCORE_DECISION;
    s.column = columns, s.n_columns = 2;
    s.fields = fields, s.n_fields = 3;
    s.classes = classes, s.n_classes = 2;
    json_t *o = schema_to_json(&s);
    ck_assert_ptr_null(schema_from_json(o, &arena, &back));
    json_decref(o);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_str_eq(back.column[i].name, columns[i].name);
        ck_assert_uint_eq(back.column[i].type, columns[i].type);
        ck_assert_int_eq(back.column[i].decimal, columns[i].decimal);
        ck_assert_int_eq(back.column[i].thousands, columns[i].thousands);
    }
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_str_eq(back.fields[i], fields[i]);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_str_eq(back.classes[i], classes[i]);
    back.column = columns, back.fields = fields, back.classes = classes;
    ck_assert_mem_eq(&back, &s, sizeof s);
    arena_free(&arena);
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
    static const char *const wrong[][2] = {
        {"{\"has\": -1}", "has"},
        {"{\"score\": 4294967296}", "score"},
        {"{\"score\": 5}", "score"},
        {"{\"open\": \"1\"}", "open"},
        {"{\"columns\": [{\"name\": \"a\"}]}", "columns"},
        {"{\"columns\": [{\"name\": 3, \"type\": 1}]}", "columns"},
        {"{\"columns\": [7]}", "columns"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": 1, \"decimal\": \",\"}]}", "columns"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": 1, \"thousands\": 300}]}", "columns"},
        {"{\"fields\": [\"a\", 1]}", "fields"},
        {"{\"classes\": [\"a\", null]}", "classes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct leat_schema s;
        json_t *o = json_loads(wrong[i][0], 0, NULL);
        ck_assert_ptr_nonnull(o);
        ck_assert_str_eq(schema_from_json(o, &arena, &s), wrong[i][1]);
        json_decref(o);
    }
    arena_free(&arena);
}
END_TEST

LEAT_SUITE("schema_json", every_number_column_field_and_class_comes_back, what_is_wrong_is_named)
