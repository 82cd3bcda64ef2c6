/* test_avro_write.c -- avro_write.h: the bytes of fastavro 1.13.1, random records that a decoder in
 * this file and avro_read() read back, faults of columns and schemas, schemas made of columns.
 * SEED=… replays other random records. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/bits.h"
#include "kernels/avro/avro.h"
#include "kernels/avro/avro_write.h"
#include "support/fit_values.h"
#include "support/random.h"
#include "support/suite.h"

enum { BYTES = 1 << 16 };

static int overflow(void *to, const char *bytes, size_t n) { return -1; }

/* A schema, its columns and a writer. */
struct rig {
    struct avro_schema *schema;
    struct avro_writer *writer;
    struct said said;
    char bytes[BYTES];
    struct text_out out;
};

static struct rig *rig_new(const char *schema, const struct fit_column *column, uint32_t n)
{
    char why[400];
    struct rig *r = calloc(1, sizeof *r);
    struct fit_faults *faults = said_begin(&r->said);
    r->schema =
        avro_schema_read(&(struct avro_schema_text){schema, strlen(schema)}, 1, why, sizeof why);
    ck_assert_msg(r->schema != NULL, "%s: %s", schema, why);
    r->writer = avro_writer_new(r->schema, column, n, faults);
    r->out = (struct text_out){.buf = r->bytes, .cap = BYTES, .drain = overflow};
    return r;
}

static void rig_free(struct rig *r)
{
    avro_writer_free(r->writer);
    avro_schema_free(r->schema);
    free(r);
}

static enum fit_fault rig_write(struct rig *r, const struct fit_value *value,
                                struct fit_place *place)
{
    r->out.n = 0;
    return avro_write(r->writer, value, &r->out, place);
}

/* ---- fastavro ---- */

static const char ALL[] =
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"b\",\"type\":\"boolean\"},"
    "{\"name\":\"i\",\"type\":\"int\"},{\"name\":\"l\",\"type\":\"long\"},"
    "{\"name\":\"f\",\"type\":\"float\"},{\"name\":\"d\",\"type\":\"double\"},"
    "{\"name\":\"s\",\"type\":[\"null\",\"string\"]},{\"name\":\"raw\",\"type\":\"bytes\"},"
    "{\"name\":\"fix\",\"type\":{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}},"
    "{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\",\"C\"]}},"
    "{\"name\":\"m\",\"type\":{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":20,"
    "\"scale\":2}},{\"name\":\"mf\",\"type\":{\"type\":\"fixed\",\"name\":\"M\",\"size\":4,"
    "\"logicalType\":\"decimal\",\"precision\":9,\"scale\":4}},"
    "{\"name\":\"day\",\"type\":{\"type\":\"int\",\"logicalType\":\"date\"}},"
    "{\"name\":\"ms\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}},"
    "{\"name\":\"us\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}},"
    "{\"name\":\"ts\",\"type\":{\"type\":\"long\",\"logicalType\":\"local-timestamp-micros\"}},"
    "{\"name\":\"clock\",\"type\":{\"type\":\"int\",\"logicalType\":\"time-millis\"}},"
    "{\"name\":\"o\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"O\",\"fields\":["
    "{\"name\":\"x\",\"type\":\"int\"},{\"name\":\"y\",\"type\":[\"string\",\"null\"],"
    "\"default\":\"d\\u00e9\"}]}]},"
    "{\"name\":\"arr\",\"type\":{\"type\":\"array\",\"items\":[\"null\",\"int\"]},"
    "\"default\":[1,null,-3]},"
    "{\"name\":\"map\",\"type\":{\"type\":\"map\",\"values\":\"float\"},\"default\":{\"k\":1.5}},"
    "{\"name\":\"rec\",\"type\":{\"type\":\"record\",\"name\":\"D\",\"fields\":["
    "{\"name\":\"a\",\"type\":\"bytes\"},{\"name\":\"z\",\"type\":\"E\",\"default\":\"C\"}]},"
    "\"default\":{\"a\":\"\\u00ff\\u0001\"}},{\"name\":\"nul\",\"type\":\"null\"},"
    "{\"name\":\"opt\",\"type\":[\"long\",\"null\"]}]}";
static const struct fit_column ALL_COLUMNS[] = {
    COL("b", BOOLEAN),  COL("i", INTEGER), COL("l", TEXT),   COL("f", REAL),     COL("d", REAL),
    COL("s", TEXT),     COL("raw", BYTES), COL("fix", TEXT), COL("e", TEXT),     COL("m", TEXT),
    COL("mf", REAL),    COL("day", TEXT),  COL("ms", TIME),  COL("us", INTEGER), COL("ts", TEXT),
    COL("clock", TEXT), COL("o.x", REAL),  COL("o.y", TEXT), COL("opt", INTEGER)};
enum { ALL_N = sizeof ALL_COLUMNS / sizeof *ALL_COLUMNS };

static void bytes_are(struct rig *r, const struct fit_value *value, const char *hex)
{
    struct fit_place place;
    char got[2 * 400 + 1];
    enum fit_fault fault = rig_write(r, value, &place);
    ck_assert_msg(fault == FIT_OK, "fault %d at %s", fault, place.field);
    for (size_t i = 0; i < r->out.n; i++)
        sprintf(got + 2 * i, "%02x", (unsigned char)r->bytes[i]);
    ck_assert_str_eq(got, hex);
}

START_TEST(records_have_the_bytes_of_another_encoder)
{
    struct rig *r = rig_new(ALL, ALL_COLUMNS, ALL_N);
    struct fit_value v[ALL_N] = {YES(1),
                                 INT(INT32_MIN),
                                 TXT("9223372036854775806"),
                                 NUM(0.1),
                                 NUM(-1e-300),
                                 TXT("gr\xc3\xbcn"),
                                 RAW("\0\xff"),
                                 TXT("abc"),
                                 TXT("B"),
                                 TXT("-1234567890123456.78"),
                                 NUM(0.0125),
                                 TXT("1969-12-31"),
                                 AT(INT64_C(1709251199999999999)),
                                 INT(-500000),
                                 TXT("2024-01-01T00:00:00.000001"),
                                 TXT("23:59:59.999"),
                                 NUM(7),
                                 TXT("w"),
                                 NIL};
    ck_assert_str_eq(r->said.text, "");
    bytes_are(r, v,
              "01ffffffff0ffcffffffffffffffff01cdcccc3d59f3f8c21f6ea581020a6772c3bc6e0400ff61"
              "62630210fe4964b459cf0cb20000007d01fe8ffcf4be63bf843d82808982e2f58606feefb25202"
              "0e0002770602020002050002026b0000c03f0004ff010402");
    v[16] = NUM(1), v[17] = NIL;
    bytes_are(r, v,
              "01ffffffff0ffcffffffffffffffff01cdcccc3d59f3f8c21f6ea581020a6772c3bc6e0400ff61"
              "62630210fe4964b459cf0cb20000007d01fe8ffcf4be63bf843d82808982e2f58606feefb25202"
              "02020602020002050002026b0000c03f0004ff010402");
    v[0] = YES(0), v[5] = NIL, v[9] = TXT("0.05"), v[11] = TXT("2024-02-29"), v[16] = NIL;
    v[18] = INT(5);
    bytes_are(r, v,
              "00ffffffff0ffcffffffffffffffff01cdcccc3d59f3f8c21f6ea581000400ff61626302020500"
              "00007d8cb502fe8ffcf4be63bf843d82808982e2f58606feefb252000602020002050002026b00"
              "00c03f0004ff0104000a");
    rig_free(r);
}
END_TEST

/* ---- random records ---- */

/* A cursor of the decoder. */
struct cursor {
    const uint8_t *at, *end;
};

static int64_t take_integer(struct cursor *c)
{
    uint64_t x = 0;
    for (int shift = 0;; shift += 7) {
        ck_assert(c->at < c->end);
        x += (uint64_t)(*c->at % 128) << shift;
        if (*c->at++ < 128) break;
    }
    return x % 2 ? -(int64_t)(x / 2) - 1 : (int64_t)(x / 2);
}

enum { N_TYPES = 8, FIELDS = 12 };
static const char *const type_names[N_TYPES] = {
    "\"boolean\"", "\"int\"",
    "\"long\"",    "\"float\"",
    "\"double\"",  "\"string\"",
    "\"bytes\"",   "{\"type\":\"enum\",\"name\":\"E%u\",\"symbols\":[\"a\",\"bb\",\"c\"]}"};

/* A random field: its type, and the value that it has in the present record. */
struct truth {
    uint32_t type;
    uint32_t null; /* 0: no union; 1: branch of null is 0; 2: it is 1 */
    bool missing, inner;
    int64_t integer;
    double real;
    char text[24];
    uint32_t n;
};

static void draw_value(struct truth *t, uint64_t *seed)
{
    uint64_t bits = mix64_next(seed) >> below(seed, 64);
    t->missing = t->null && below(seed, 3) == 0;
    t->integer = t->type == 0   ? (int64_t)(bits % 2)
                 : t->type == 1 ? (int32_t)bits
                 : t->type == 7 ? (int64_t)(bits % 3)
                                : (int64_t)bits;
    if (t->integer == INT64_MIN) t->integer++;
    t->real = t->type == 3 ? (double)(float)normal(seed) : normal(seed) * exp(50 * normal(seed));
    t->n = below(seed, sizeof t->text);
    for (uint32_t i = 0; i < t->n; i++)
        t->text[i] = (char)(t->type == 6 ? below(seed, 256) : 32 + below(seed, 90));
    static const char *const symbols[] = {"a", "bb", "c"};
    if (t->type == 7) t->n = (uint32_t)sprintf(t->text, "%s", symbols[t->integer]);
}

/* A kind of column that can hold the value of the type. */
static enum fit_kind draw_kind(uint32_t type, uint64_t *seed)
{
    static const enum fit_kind some[N_TYPES][3] = {
        {FIT_BOOLEAN, FIT_INTEGER, FIT_TEXT}, {FIT_INTEGER, FIT_REAL, FIT_TEXT},
        {FIT_INTEGER, FIT_TEXT, FIT_INTEGER}, {FIT_REAL, FIT_TEXT, FIT_REAL},
        {FIT_REAL, FIT_TEXT, FIT_REAL},       {FIT_TEXT, FIT_BYTES, FIT_TEXT},
        {FIT_BYTES, FIT_TEXT, FIT_BYTES},     {FIT_TEXT, FIT_TEXT, FIT_TEXT}};
    return some[type][below(seed, 3)];
}

/* Makes the cell of a column; `text` has room for a number. */
static struct fit_value cell_of(const struct truth *t, enum fit_kind kind, char text[40])
{
    struct fit_value v = {.kind = kind};
    if (t->missing) return NIL;
    if (t->type >= 5) {
        v.is.text = t->text;
        v.n = t->n;
    } else if (kind == FIT_TEXT) {
        v.is.text = text;
        v.n = (uint32_t)(t->type == 0   ? sprintf(text, "%s", t->integer ? "true" : "false")
                         : t->type <= 2 ? sprintf(text, "%" PRId64, t->integer)
                                        : sprintf(text, "%.17g", t->real));
    } else if (kind == FIT_REAL)
        v.is.real = t->type == 1 ? (double)t->integer : t->real;
    else
        v.is.integer = t->integer;
    return v;
}

static void field_is(struct cursor *c, const struct truth *t, const char *name)
{
    uint64_t bits = 0;
    int64_t n;
    if (t->null) {
        ck_assert_msg(take_integer(c) == (t->missing ? t->null - 1 : 2 - t->null), "%s", name);
        if (t->missing) return;
    }
    switch (t->type) {
    case 0:
        ck_assert_int_eq(*c->at++, t->integer);
        break;
    case 3:
    case 4:
        n = t->type == 3 ? 4 : 8;
        ck_assert_int_ge(c->end - c->at, n);
        for (int64_t i = n; i-- > 0;)
            bits = bits << 8 | c->at[i];
        ck_assert_double_eq(n == 4 ? float_of_bits((uint32_t)bits) : double_of_bits(bits), t->real);
        c->at += n;
        break;
    case 5:
    case 6:
        n = take_integer(c);
        ck_assert_msg(n == t->n && c->end - c->at >= n, "%s", name);
        ck_assert_mem_eq(c->at, t->text, (size_t)n);
        c->at += n;
        break;
    default:
        ck_assert_msg(take_integer(c) == t->integer, "%s", name);
    }
}

static void draw_schema(struct truth *t, uint32_t n, uint32_t inner, char *schema, uint64_t *seed)
{
    char *to = schema + sprintf(schema, "{\"type\":\"record\",\"name\":\"R\",\"fields\":[");
    for (uint32_t i = 0; i < n; i++) {
        char type[80];
        t[i] = (struct truth){.type = below(seed, N_TYPES), .null = below(seed, 3)};
        t[i].inner = i >= inner;
        snprintf(type, sizeof type, type_names[t[i].type], i);
        if (i == inner)
            to += sprintf(to,
                          "%s{\"name\":\"in\",\"type\":{\"type\":\"record\",\"name\":\"In\","
                          "\"fields\":[",
                          i ? "," : "");
        to += sprintf(to, "%s{\"name\":\"f%u\",\"type\":%s%s%s}", i && i != inner ? "," : "", i,
                      t[i].null == 1 ? "[\"null\","
                      : t[i].null    ? "["
                                     : "",
                      type,
                      t[i].null == 1 ? "]"
                      : t[i].null    ? ",\"null\"]"
                                     : "");
    }
    sprintf(to, "%s]}", inner < n ? "]}}" : "");
}

/* Reads a record with avro_read(), and compares the place of the last field. */
static void reader_takes(const struct rig *r)
{
    struct json_paths paths = {.n_nodes = 1};
    struct avro_value found[1];
    uint32_t at;
    const char *field;
    struct json_node root[1] = {{.child = 0}};
    paths.node = root;
    struct avro_plan *plan = avro_plan_new(r->schema, &paths);
    struct avro_bytes b = {(const uint8_t *)r->bytes, (uint32_t)r->out.n};
    ck_assert_int_eq(avro_read(plan, b, found, &at, &field), AVRO_OK);
    avro_plan_free(plan);
}

static void one_random_schema(uint64_t *seed)
{
    char schema[4000], names[FIELDS][16], numbers[FIELDS][40];
    struct truth t[FIELDS];
    struct fit_column column[FIELDS];
    struct fit_value value[FIELDS];
    struct fit_place place;
    uint32_t n = 1 + below(seed, FIELDS), inner = below(seed, 2) ? below(seed, n) : n;
    draw_schema(t, n, inner, schema, seed);
    for (uint32_t i = 0; i < n; i++) {
        sprintf(names[i], "%sf%u", i >= inner ? "in." : "", i);
        column[i] = (struct fit_column){.name = names[i], .kind = draw_kind(t[i].type, seed)};
    }
    struct rig *r = rig_new(schema, column, n);
    ck_assert_msg(r->writer != NULL, "%s: %s", schema, r->said.text);
    for (int record = 0; record < 20; record++) {
        for (uint32_t i = 0; i < n; i++) {
            draw_value(&t[i], seed);
            value[i] = cell_of(&t[i], column[i].kind, numbers[i]);
        }
        enum fit_fault fault = rig_write(r, value, &place);
        ck_assert_msg(fault == FIT_OK, "%s: fault %d at %s", schema, fault, place.field);
        struct cursor c = {(const uint8_t *)r->bytes, (const uint8_t *)r->bytes + r->out.n};
        for (uint32_t i = 0; i < n; i++)
            field_is(&c, &t[i], names[i]);
        ck_assert_ptr_eq(c.at, c.end);
        reader_takes(r);
    }
    rig_free(r);
}

START_TEST(random_records_are_read_back)
{
    uint64_t seed = seed_given();
    for (int i = 0; i < 500; i++)
        one_random_schema(&seed);
}
END_TEST

/* ---- faults ---- */

static void refused(const char *fields, const char *name, enum fit_kind kind, const char *says)
{
    char schema[1000];
    struct fit_column c = {.name = name, .kind = kind};
    sprintf(schema, "{\"type\":\"record\",\"name\":\"R\",\"fields\":[%s]}", fields);
    struct rig *r = rig_new(schema, &c, 1);
    ck_assert_msg(!r->writer && !strcmp(r->said.text, says), "%s\n%s", r->said.text, says);
    rig_free(r);
}

START_TEST(columns_that_do_not_fit_are_named_before_the_first_record)
{
    refused("{\"name\":\"amount\",\"type\":\"int\"}", "amout", FIT_REAL,
            "field 'amount' (int) of the schema has no column and no default: did you mean column "
            "'amout'?\n"
            "column 'amout' is no field of the schema: did you mean 'amount'?\n");
    refused("{\"name\":\"a\",\"type\":\"null\"}", "tags", FIT_TEXT,
            "column 'tags' is no field of the schema: list the others in `columns`\n");
    refused("{\"name\":\"a\",\"type\":\"null\"}", "a", FIT_TEXT,
            "column 'a' has texts, which field 'a' (null) does not take\n");
    refused("{\"name\":\"a\",\"type\":\"int\"}", "a", FIT_BYTES,
            "column 'a' has bytes, which field 'a' (int) does not take\n");
    refused("{\"name\":\"a\",\"type\":{\"type\":\"array\",\"items\":\"int\"}}", "a", FIT_TEXT,
            "column 'a' has texts, which field 'a' (array) does not take\n");
    refused("{\"name\":\"a\",\"type\":\"long\"}", "a", FIT_TIME,
            "column 'a' has times, which field 'a' (long) does not take\n");
    refused("{\"name\":\"a\",\"type\":[\"null\",{\"type\":\"map\",\"values\":\"int\"}]}", "a",
            FIT_REAL, "column 'a' has numbers, which field 'a' (union) does not take\n");
    refused("{\"name\":\"a\",\"type\":{\"type\":\"fixed\",\"name\":\"D\",\"size\":12,"
            "\"logicalType\":\"duration\"}}",
            "a", FIT_TEXT, "column 'a' has texts, which field 'a' (duration) does not take\n");
    refused("{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\",\"default\":"
            "\"x\"}",
            "a", FIT_REAL, "the default of field 'b' (int) does not fit its type\n");
    refused("{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\",\"default\":"
            "2147483648}",
            "a", FIT_REAL, "the default of field 'b' (int) does not fit its type\n");
    refused(
        "{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"float\",\"default\":1e60}",
        "a", FIT_REAL, "the default of field 'b' (float) does not fit its type\n");
    refused("{\"name\":\"a\",\"type\":{\"type\":\"record\",\"name\":\"A\",\"fields\":["
            "{\"name\":\"x\",\"type\":\"int\"}]}}",
            "a.y", FIT_REAL,
            "field 'a.x' (int) of the schema has no column and no default: did you mean column "
            "'a.y'?\n"
            "column 'a.y' is no field of the schema: did you mean 'a.x'?\n");
}
END_TEST

START_TEST(two_columns_of_one_field_are_named)
{
    const char *schema =
        "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"x\",\"type\":\"int\"}]}";
    struct fit_column c[] = {{.name = "x", .shown = "a", .kind = FIT_REAL},
                             {.name = "x", .shown = "b", .kind = FIT_REAL}};
    struct rig *r = rig_new(schema, c, 2);
    ck_assert_ptr_null(r->writer);
    ck_assert_msg(
        !strncmp(r->said.text, "columns 'a' and 'b' both go to field 'x': give one of them", 58),
        "%s", r->said.text);
    rig_free(r);
}
END_TEST

/* Records of which each holds the one before twice: 2^n fields. */
static void record_of_records(char *schema, int n)
{
    if (!n) {
        strcat(schema, "{\"type\":\"record\",\"name\":\"R0\",\"fields\":[{\"name\":\"v\",\"type\":"
                       "\"int\",\"default\":1}]}");
        return;
    }
    sprintf(schema + strlen(schema),
            "{\"type\":\"record\",\"name\":\"R%d\",\"fields\":[{\"name\":\"x\",\"type\":", n);
    record_of_records(schema, n - 1);
    sprintf(schema + strlen(schema), "},{\"name\":\"y\",\"type\":\"R%d\"}]}", n - 1);
}

START_TEST(records_that_hold_each_other_are_bounded)
{
    char schema[6000] =
        "{\"type\":\"record\",\"name\":\"T\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"},"
        "{\"name\":\"r\",\"type\":";
    struct fit_column c = {.name = "a", .kind = FIT_REAL};
    record_of_records(schema, 40);
    strcat(schema, "}]}");
    struct rig *r = rig_new(schema, &c, 1);
    ck_assert_ptr_null(r->writer);
    ck_assert_str_eq(r->said.text,
                     "the schema's records hold each other and have more than 100000 fields: give "
                     "a schema whose records repeat less often\n");
    rig_free(r);
}
END_TEST

static void faulty(const char *type, struct fit_value v, enum fit_fault want)
{
    char schema[400];
    struct fit_column c = {.name = "v", .kind = v.kind ? v.kind : FIT_TEXT};
    struct fit_place place = {.field = ""};
    sprintf(schema,
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"v\",\"type\":%s}]}", type);
    struct rig *r = rig_new(schema, &c, 1);
    ck_assert_msg(r->writer != NULL, "%s", r->said.text);
    enum fit_fault fault = rig_write(r, &v, &place);
    ck_assert_msg(fault == want, "%s: %d, not %d", type, fault, want);
    if (want) ck_assert_str_eq(place.field, "v");
    rig_free(r);
}

START_TEST(values_that_do_not_fit_have_a_fault)
{
    faulty("\"int\"", NIL, FIT_NO_VALUE);
    faulty("[\"int\",\"null\"]", NIL, FIT_OK);
    faulty("[\"null\",\"int\"]", TXT(""), FIT_OK); /* null */
    faulty("\"int\"", INT(INT64_C(2147483648)), FIT_RANGE);
    faulty("\"long\"", NUM(0x1p63), FIT_RANGE);
    faulty("\"float\"", NUM(1e39), FIT_RANGE);
    faulty("\"double\"", NUM(INFINITY), FIT_OK);
    faulty("\"boolean\"", TXT("yes"), FIT_NO_BOOLEAN);
    faulty("\"string\"", RAW("\xff"), FIT_NO_UTF8);
    faulty("\"string\"", TXT("\xc0\x80"), FIT_NO_UTF8);
    faulty("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}", TXT("C"), FIT_NO_SYMBOL);
    faulty("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}", TXT("A\0B"),
           FIT_NO_SYMBOL);
    faulty("{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}", TXT("ab"), FIT_SIZE);
    faulty("{\"type\":\"fixed\",\"name\":\"F\",\"size\":1,\"logicalType\":\"decimal\",\"precision\""
           ":3,\"scale\":0}",
           TXT("128"), FIT_RANGE);
    faulty("{\"type\":\"fixed\",\"name\":\"F\",\"size\":1,\"logicalType\":\"decimal\",\"precision\""
           ":3,\"scale\":0}",
           TXT("-128"), FIT_OK);
    faulty("{\"type\":\"int\",\"logicalType\":\"time-millis\"}", INT(INT64_C(1) << 40), FIT_RANGE);
    faulty("{\"type\":\"int\",\"logicalType\":\"time-millis\"}", INT(86400000), FIT_RANGE);
    faulty("{\"type\":\"long\",\"logicalType\":\"time-micros\"}", INT(-1), FIT_RANGE);
    faulty("{\"type\":\"string\",\"logicalType\":\"uuid\"}", TXT("no uuid"), FIT_NO_UUID);
}
END_TEST

START_TEST(of_several_branches_the_one_of_the_columns_type_is_written)
{
    static const struct {
        enum fit_kind kind;
        struct fit_value v;
        int branch;
    } tried[] = {{FIT_REAL, NUM(1), 4},    {FIT_INTEGER, INT(1), 2}, {FIT_TEXT, TXT("1"), 5},
                 {FIT_BYTES, RAW("1"), 3}, {FIT_BOOLEAN, YES(1), 6}, {FIT_TEXT, NIL, 1}};
    const char *schema = "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"v\",\"type\":"
                         "[\"int\",\"null\",\"long\",\"bytes\",\"double\",\"string\",\"boolean\"]}"
                         "]}";
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        struct fit_place place;
        struct fit_column c = {.name = "v", .kind = tried[i].kind};
        struct rig *r = rig_new(schema, &c, 1);
        ck_assert_int_eq(rig_write(r, &tried[i].v, &place), FIT_OK);
        ck_assert_int_eq(r->bytes[0], 2 * tried[i].branch);
        rig_free(r);
    }
}
END_TEST

/* ---- schemas of columns ---- */

START_TEST(a_schema_is_made_of_the_columns)
{
    static const struct fit_column c[] = {COL("user.id", TEXT),   COL("n", INTEGER),
                                          COL("user.at.x", REAL), COL("yes", BOOLEAN),
                                          COL("user.at.t", TIME), COL("raw", BYTES)};
    struct said said;
    char *text = avro_schema_made(c, 6, "out", said_begin(&said));
    ck_assert_str_eq(
        text, "{\"type\":\"record\",\"name\":\"out\",\"fields\":["
              "{\"name\":\"user\",\"type\":{\"type\":\"record\",\"name\":\"out.user\",\"fields\":["
              "{\"name\":\"id\",\"type\":[\"null\",\"string\"],\"default\":null},"
              "{\"name\":\"at\",\"type\":{\"type\":\"record\",\"name\":\"out.user.at\",\"fields\":["
              "{\"name\":\"x\",\"type\":[\"null\",\"double\"],\"default\":null},"
              "{\"name\":\"t\",\"type\":[\"null\",{\"type\":\"long\",\"logicalType\":"
              "\"timestamp-micros\"}],\"default\":null}]}}]}},"
              "{\"name\":\"n\",\"type\":[\"null\",\"long\"],\"default\":null},"
              "{\"name\":\"yes\",\"type\":[\"null\",\"boolean\"],\"default\":null},"
              "{\"name\":\"raw\",\"type\":[\"null\",\"bytes\"],\"default\":null}]}");
    struct rig *r = rig_new(text, c, 6);
    ck_assert_msg(r->writer != NULL, "%s", r->said.text);
    bytes_are(r, (struct fit_value[]){TXT("k"), INT(-1), NIL, YES(1), AT(1001), NIL},
              "02026b0002020201020100");
    rig_free(r);
    free(text);
}
END_TEST

START_TEST(a_column_that_cannot_be_a_field_is_named)
{
    static const struct fit_column c[] = {COL("quantile(ms, 0.99)", REAL), COL("a..b", REAL)};
    struct said said;
    ck_assert_ptr_null(avro_schema_made(c, 2, "out", said_begin(&said)));
    ck_assert_str_eq(said.text,
                     "column 'quantile(ms, 0.99)' cannot be a field, because names in Avro have "
                     "letters, digits and _ only: write \"NAME=quantile(ms, 0.99)\" in `columns`\n"
                     "column 'a..b' cannot be a field, because names in Avro have letters, digits "
                     "and _ only: write \"NAME=a..b\" in `columns`\n");
}
END_TEST

LEAT_SUITE("avro_write", two_columns_of_one_field_are_named,
           records_that_hold_each_other_are_bounded, records_have_the_bytes_of_another_encoder,
           random_records_are_read_back, columns_that_do_not_fit_are_named_before_the_first_record,
           values_that_do_not_fit_have_a_fault,
           of_several_branches_the_one_of_the_columns_type_is_written,
           a_schema_is_made_of_the_columns, a_column_that_cannot_be_a_field_is_named)
