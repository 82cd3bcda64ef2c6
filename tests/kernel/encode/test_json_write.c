/* test_json_write.c -- json_write.h: objects that jansson reads back, missing values, limits,
 * faults of columns and schemas, schemas made of columns. SEED=… replays other random objects. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/encode/json_write.h"
#include "support/fit_values.h"
#include "support/random.h"
#include "support/suite.h"

enum { BYTES = 1 << 16 };

static int overflow(void *to, const char *bytes, size_t n) { return -1; }

static char text[BYTES];
static struct text_out out;

/* Writes an object as text. Returns the fault. */
static enum fit_fault write_object(const struct json_writer *w, const struct fit_value *value)
{
    struct fit_place place;
    out = (struct text_out){.buf = text, .cap = BYTES - 1, .drain = overflow};
    enum fit_fault fault = json_write(w, value, &out, &place);
    text[out.n] = 0;
    return fault;
}

static struct json_writer *writer(const char *schema, const struct fit_column *c, uint32_t n)
{
    struct said said;
    struct json_writer *w = json_writer_new(schema, strlen(schema), c, n, said_begin(&said));
    ck_assert_msg(w != NULL, "%s", said.text);
    return w;
}

/* Expects the object of a schema with one property v. */
static void object_is(const char *property, const char *required, struct fit_value v,
                      const char *want)
{
    char schema[1000];
    struct fit_column c = {.name = "v", .kind = v.kind ? v.kind : FIT_TEXT};
    sprintf(schema, "{\"type\":\"object\",\"properties\":{\"v\":%s},\"required\":[%s]}", property,
            required);
    struct json_writer *w = writer(schema, &c, 1);
    enum fit_fault fault = write_object(w, &v);
    ck_assert_msg(fault == FIT_OK && !strcmp(text, want), "fault %d, %s, not %s", fault, text,
                  want);
    json_writer_free(w);
}

static void fault_is(const char *property, struct fit_value v, enum fit_fault want)
{
    char schema[1000];
    struct fit_column c = {.name = "v", .kind = v.kind ? v.kind : FIT_TEXT};
    sprintf(schema, "{\"type\":\"object\",\"properties\":{\"v\":%s},\"required\":[\"v\"]}",
            property);
    struct json_writer *w = writer(schema, &c, 1);
    enum fit_fault fault = write_object(w, &v);
    ck_assert_msg(fault == want, "%s: fault %d, not %d", property, fault, want);
    json_writer_free(w);
}

START_TEST(values_are_json_of_their_property)
{
    object_is("{\"type\":\"number\"}", "\"v\"", NUM(0.1), "{\"v\":0.1}");
    object_is("{\"type\":\"number\"}", "\"v\"", INT(INT64_MAX), "{\"v\":9223372036854775807}");
    object_is("{\"type\":\"number\"}", "\"v\"", TXT("9223372036854775807"),
              "{\"v\":9223372036854775807}");
    object_is("{\"type\":\"number\"}", "\"v\"", TXT("1.50"), "{\"v\":1.5}");
    object_is("{\"type\":\"integer\"}", "\"v\"", NUM(-3), "{\"v\":-3}");
    object_is("{\"type\":\"boolean\"}", "\"v\"", TXT("true"), "{\"v\":true}");
    object_is("{\"type\":\"string\"}", "\"v\"", TXT("a\"\\\n\xc3\xbc"),
              "{\"v\":\"a\\\"\\\\\\n\xc3\xbc\"}");
    object_is("{\"type\":\"string\"}", "\"v\"", INT(5), "{\"v\":\"5\"}");
    object_is("{\"type\":[\"string\",\"integer\"]}", "\"v\"", INT(5), "{\"v\":5}");
    object_is("{\"enum\":[\"A\",\"B\",null]}", "\"v\"", TXT("B"), "{\"v\":\"B\"}");
    object_is("{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"integer\"}]}", "\"v\"", INT(5),
              "{\"v\":5}");
}
END_TEST

START_TEST(a_missing_value_is_null_or_left_out)
{
    object_is("{\"type\":\"number\"}", "", NIL, "{}");
    object_is("{\"type\":[\"number\",\"null\"]}", "\"v\"", NIL, "{\"v\":null}");
    object_is("{\"type\":[\"number\",\"null\"]}", "", TXT(" "), "{\"v\":null}");
    object_is("{\"anyOf\":[{\"type\":\"null\"},{\"enum\":[\"A\"]}]}", "\"v\"", NIL, "{\"v\":null}");
    fault_is("{\"type\":\"number\"}", NIL, FIT_NO_VALUE);
    fault_is("{\"type\":[\"string\",\"null\"],\"enum\":[\"A\"]}", NIL, FIT_NO_VALUE);
}
END_TEST

START_TEST(values_that_do_not_fit_have_a_fault)
{
    fault_is("{\"type\":\"number\"}", NUM(INFINITY), FIT_NOT_FINITE);
    fault_is("{\"type\":\"number\"}", TXT("nan"), FIT_NO_NUMBER);
    fault_is("{\"type\":\"integer\"}", NUM(0.5), FIT_NO_INTEGER);
    fault_is("{\"type\":\"boolean\"}", TXT("yes"), FIT_NO_BOOLEAN);
    fault_is("{\"type\":\"string\"}", RAW("\xff"), FIT_NO_UTF8);
    fault_is("{\"enum\":[\"A\",\"B\"]}", TXT("C"), FIT_NO_SYMBOL);
    fault_is("{\"type\":\"number\",\"minimum\":1}", NUM(0.99), FIT_RANGE);
    fault_is("{\"type\":\"number\",\"minimum\":1}", NUM(1), FIT_OK);
    fault_is("{\"type\":\"number\",\"exclusiveMinimum\":1}", NUM(1), FIT_RANGE);
    fault_is("{\"type\":\"integer\",\"maximum\":9}", INT(10), FIT_RANGE);
    fault_is("{\"type\":\"integer\",\"maximum\":9}", INT(9), FIT_OK);
    fault_is("{\"type\":\"integer\",\"exclusiveMaximum\":9}", INT(9), FIT_RANGE);
    fault_is("{\"type\":\"string\",\"minLength\":2}", TXT("\xc3\xbc"), FIT_SIZE);
    fault_is("{\"type\":\"string\",\"maxLength\":2}", TXT("\xc3\xbc\xc3\xbc"), FIT_OK);
    fault_is("{\"type\":\"string\",\"maxLength\":2}", TXT("abc"), FIT_SIZE);
}
END_TEST

START_TEST(objects_references_and_defaults)
{
    static const struct fit_column c[] = {COL("in.a", INTEGER), COL("in.b", TEXT),
                                          COL("opt.a", TEXT)};
    struct json_writer *w =
        writer("{\"type\":\"object\",\"required\":[\"in\",\"k\"],\"properties\":{"
               "\"d\":{\"type\":\"array\",\"default\":[1]},\"in\":{\"$ref\":\"#/definitions/In\"},"
               "\"k\":{\"const\":\"v1\"},\"skip\":{\"type\":\"array\"},"
               "\"opt\":{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"object\",\"properties\":{"
               "\"a\":{\"type\":\"string\"}}}]}},"
               "\"definitions\":{\"In\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
               "\"integer\"},\"b\":{\"type\":\"string\"}}}}}",
               c, 3);
    ck_assert_int_eq(write_object(w, (struct fit_value[]){INT(1), TXT(""), TXT("x")}), FIT_OK);
    ck_assert_str_eq(text,
                     "{\"d\":[1],\"in\":{\"a\":1,\"b\":\"\"},\"k\":\"v1\",\"opt\":{\"a\":\"x\"}}");
    ck_assert_int_eq(write_object(w, (struct fit_value[]){NIL, TXT("{"), NIL}), FIT_OK);
    ck_assert_str_eq(text, "{\"d\":[1],\"in\":{\"b\":\"{\"},\"k\":\"v1\",\"opt\":null}");
    ck_assert_int_eq(write_object(w, (struct fit_value[]){NIL, NIL, NIL}), FIT_OK);
    ck_assert_str_eq(text, "{\"d\":[1],\"in\":{},\"k\":\"v1\",\"opt\":null}");
    json_writer_free(w);
}
END_TEST

static void refused(const char *schema, enum fit_kind kind, const char *says)
{
    struct said said;
    struct fit_column c = {.name = "amout", .kind = kind};
    ck_assert_ptr_null(json_writer_new(schema, strlen(schema), &c, 1, said_begin(&said)));
    ck_assert_str_eq(said.text, says);
}

START_TEST(schemas_and_columns_that_do_not_fit_are_named)
{
    const char *no_object = "it is not the schema of an object: its \"type\" must be \"object\", "
                            "and it must have \"properties\"\n";
    refused("{", FIT_TEXT,
            "the schema is not JSON: line 1: string or '}' expected near end of "
            "file\n");
    refused("{\"type\":\"array\"}", FIT_TEXT, no_object);
    refused("{\"type\":\"object\"}", FIT_TEXT, no_object);
    refused("{\"type\":\"object\",\"required\":[\"amount\"],\"properties\":{\"amount\":{\"type\":"
            "\"number\"}}}",
            FIT_REAL,
            "field 'amount' (number) of the schema has no column and is required: did you mean "
            "column 'amout'?\n"
            "column 'amout' is no field of the schema: did you mean 'amount'?\n");
    refused(
        "{\"type\":\"object\",\"required\":[\"amout\",\"b\"],\"properties\":{\"amout\":{\"type\":"
        "\"number\"}}}",
        FIT_REAL, "field 'b' is required, but \"properties\" does not have it: add it there\n");
    refused("{\"type\":\"object\",\"properties\":{\"amout\":{\"type\":\"array\"}}}", FIT_TEXT,
            "column 'amout' has texts, which field 'amout' (array) does not take\n");
    refused("{\"type\":\"object\",\"properties\":{\"amout\":{\"type\":\"number\"}}}", FIT_BYTES,
            "column 'amout' has bytes, which field 'amout' (number) does not take\n");
    refused("{\"type\":\"object\",\"properties\":{\"amout\":{\"$ref\":\"#/nowhere\"}}}", FIT_TEXT,
            "column 'amout' has texts, which field 'amout' (of another type) does not take\n");
    refused("{\"type\":\"object\",\"properties\":{\"amout\":{\"$ref\":\"#/properties/amout\"}}}",
            FIT_TEXT,
            "column 'amout' has texts, which field 'amout' (of another type) does not take\n");
}
END_TEST

/* ---- random objects ---- */

enum { FIELDS = 10 };

static struct fit_value draw_value(enum fit_kind kind, char made[16], uint64_t *seed)
{
    struct fit_value v = {.kind = below(seed, 4) ? kind : FIT_MISSING};
    if (kind == FIT_REAL) v.is.real = normal(seed) * exp(30 * normal(seed));
    if (kind == FIT_BOOLEAN) v.is.integer = below(seed, 2);
    if (kind == FIT_INTEGER)
        v.is.integer =
            (int64_t)(mix64_next(seed) >> below(seed, 64) >> 1) * (below(seed, 2) ? 1 : -1);
    if (kind != FIT_TEXT) return v;
    v.n = below(seed, 16);
    for (uint32_t i = 0; i < v.n; i++)
        made[i] = "a{}\"\\,:\n\t\x01 z"[below(seed, 12)];
    v.is.text = made;
    return v;
}

static void member_is(const json_t *one, const struct fit_value *v)
{
    if (v->kind == FIT_MISSING)
        ck_assert(json_is_null(one));
    else if (v->kind == FIT_TEXT) {
        ck_assert_uint_eq(json_string_length(one), v->n);
        ck_assert_mem_eq(json_string_value(one), v->is.text, v->n);
    } else if (v->kind == FIT_BOOLEAN)
        ck_assert(v->is.integer ? json_is_true(one) : json_is_false(one));
    else if (v->kind == FIT_INTEGER)
        ck_assert_msg(json_integer_value(one) == v->is.integer, "%" PRId64, v->is.integer);
    else
        ck_assert_double_eq(json_number_value(one), v->is.real);
}

START_TEST(random_objects_by_schemas_of_columns_are_read_back)
{
    static const enum fit_kind kinds[] = {FIT_TEXT, FIT_REAL, FIT_INTEGER, FIT_BOOLEAN};
    uint64_t seed = seed_given();
    for (int round = 0; round < 2000; round++) {
        char names[FIELDS][16], made[FIELDS][16];
        struct fit_column c[FIELDS];
        struct fit_value v[FIELDS];
        struct said said;
        uint32_t n = 1 + below(&seed, FIELDS);
        for (uint32_t i = 0; i < n; i++) {
            sprintf(names[i], below(&seed, 2) ? "o.f%u" : "f%u", i);
            c[i] = (struct fit_column){.name = names[i], .kind = kinds[below(&seed, 4)]};
            v[i] = draw_value(c[i].kind, made[i], &seed);
        }
        char *schema = json_schema_made(c, n, "R", said_begin(&said));
        struct json_writer *w = writer(schema, c, n);
        ck_assert_int_eq(write_object(w, v), FIT_OK);
        json_t *json = json_loadb(text, out.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        ck_assert_msg(json != NULL, "%s", text);
        const json_t *inner = json_object_get(json, "o");
        for (uint32_t i = 0; i < n; i++) {
            bool in = names[i][0] == 'o';
            if (in && !inner)
                ck_assert_int_eq(v[i].kind, FIT_MISSING);
            else
                member_is(json_object_get(in ? inner : json, names[i] + (in ? 2 : 0)), &v[i]);
        }
        json_decref(json);
        json_writer_free(w);
        free(schema);
    }
}
END_TEST

START_TEST(a_schema_is_made_of_the_columns)
{
    static const struct fit_column c[] = {COL("user.id", TEXT), COL("quantile(ms, 0.99)", REAL),
                                          COL("user.n", INTEGER), COL("at", TIME)};
    struct said said;
    char *schema = json_schema_made(c, 4, "out", said_begin(&said));
    ck_assert_str_eq(schema,
                     "{\"title\":\"out\",\"type\":\"object\",\"additionalProperties\":false,"
                     "\"properties\":{\"user\":{\"title\":\"out.user\",\"type\":\"object\","
                     "\"additionalProperties\":false,\"properties\":{"
                     "\"id\":{\"type\":[\"null\",\"string\"]},"
                     "\"n\":{\"type\":[\"null\",\"integer\"]}}},"
                     "\"quantile(ms, 0.99)\":{\"type\":[\"null\",\"number\"]},"
                     "\"at\":{\"type\":[\"null\",\"string\"]}}}");
    struct json_writer *w = writer(schema, c, 4);
    ck_assert_int_eq(write_object(w, (struct fit_value[]){TXT("k"), NUM(2), NIL, AT(0)}), FIT_OK);
    ck_assert_str_eq(text, "{\"user\":{\"id\":\"k\",\"n\":null},\"quantile(ms, 0.99)\":2,"
                           "\"at\":\"1970-01-01T00:00:00Z\"}");
    json_writer_free(w);
    free(schema);
}
END_TEST

LEAT_SUITE("json_write", values_are_json_of_their_property, a_missing_value_is_null_or_left_out,
           values_that_do_not_fit_have_a_fault, objects_references_and_defaults,
           schemas_and_columns_that_do_not_fit_are_named,
           random_objects_by_schemas_of_columns_are_read_back, a_schema_is_made_of_the_columns)
