/* test_parse_avro.c -- parse.avro in the harness.
 *
 * It reads records that fastavro 1.13.1 has encoded, values of all types, several schemas, and
 * hostile bytes. Random schemas and records are compared with the input of an encoder in this
 * file. */
/* tier: long (9 s) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/random.h"
#include "support/suite.h"

/* ---- schemas in files ---- */

static char folder[] = "/tmp/leat-avro-XXXXXX";
static bool has_folder;

/* Removes the folder at exit, when assertions no longer work. */
static void remove_folder(void)
{
    char command[64];
    sprintf(command, "rm -rf %s", folder);
    if (system(command)) fprintf(stderr, "%s has failed\n", command);
}

/* Returns the path of a file in a folder of this program. */
static const char *file(const char *name, const char *text)
{
    static char path[64];
    if (!has_folder) {
        ck_assert_ptr_nonnull(mkdtemp(folder));
        atexit(remove_folder);
        has_folder = true;
    }
    sprintf(path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && !fclose(f));
    return path;
}

static struct harness *parser(const char *columns)
{
    struct harness *h = harness_new("avro", "parse.avro");
    harness_has(h, LEAT_HAS_RECORDS);
    if (columns) harness_set(h, "columns", columns);
    return h;
}

/* Reads records of one schema, with nothing before them. */
static struct harness *bare(const char *columns, const char *schema)
{
    struct harness *h = parser(columns);
    harness_set(h, "schema", file("bare.avsc", schema));
    harness_set(h, "framing", "none");
    return h;
}

/* Reads one record with a field "v". */
static struct harness *of_type(const char *columns, const char *type)
{
    char schema[1024];
    sprintf(schema,
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"v\",\"type\":%s}]}", type);
    return bare(columns, schema);
}

/* ---- records in hexadecimal ---- */

static uint32_t hex(struct harness *h, const char *digits)
{
    static uint8_t byte[4096];
    size_t n = 0;
    unsigned value;
    for (; *digits; digits++) {
        if (*digits == ' ') continue;
        ck_assert_int_eq(sscanf(digits++, "%2x", &value), 1);
        byte[n++] = (uint8_t)value;
    }
    return harness_bytes(h, byte, n);
}

/* One batch of these records. */
static void read_hex(struct harness *h, const char *const *records)
{
    ck_assert_msg(harness_open(h, 64) == LEAT_OK, "%s", h->said);
    for (; *records; records++)
        hex(h, *records);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
}
#define HEX(H, ...) read_hex(H, (const char *const[]){__VA_ARGS__, NULL})

/* ---- fastavro ---- */

static const char PAY[] =
    "{\"type\":\"record\",\"name\":\"Pay\",\"namespace\":\"shop\",\"fields\":["
    "{\"name\":\"id\",\"type\":\"long\"},"
    "{\"name\":\"user\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"User\",\"fields\":["
    "{\"name\":\"id\",\"type\":\"string\"},{\"name\":\"vip\",\"type\":\"boolean\"},"
    "{\"name\":\"friend\",\"type\":[\"null\",\"User\"]}]}]},"
    "{\"name\":\"amount\",\"type\":{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":"
    "20,\"scale\":2}},"
    "{\"name\":\"fee\",\"type\":{\"type\":\"fixed\",\"name\":\"Fee\",\"size\":4,\"logicalType\":"
    "\"decimal\",\"precision\":9,\"scale\":4}},"
    "{\"name\":\"day\",\"type\":{\"type\":\"int\",\"logicalType\":\"date\"}},"
    "{\"name\":\"at\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}},"
    "{\"name\":\"clock\",\"type\":{\"type\":\"int\",\"logicalType\":\"time-millis\"}},"
    "{\"name\":\"kind\",\"type\":{\"type\":\"enum\",\"name\":\"Kind\",\"symbols\":[\"CARD\","
    "\"CASH\"]}},"
    "{\"name\":\"ratio\",\"type\":\"float\"},{\"name\":\"exact\",\"type\":\"double\"},"
    "{\"name\":\"tags\",\"type\":{\"type\":\"array\",\"items\":[\"null\",\"string\"]}},"
    "{\"name\":\"more\",\"type\":{\"type\":\"map\",\"values\":{\"type\":\"array\",\"items\":"
    "\"int\"}}},"
    "{\"name\":\"raw\",\"type\":\"bytes\"},"
    "{\"name\":\"trace\",\"type\":{\"type\":\"string\",\"logicalType\":\"uuid\"}}]}";
static const char PAY_1[] =
    "f1fdeee09092380208c3bc2d3701020278000010fe4964b459cf0cb20000007d8cb502feff8882e2f58606feefb252"
    "02cdcccc3d48afbc9af2d77a3e0602066120620002026300040278060203d8040006792e7a00000400ff4866383164"
    "346661652d376465632d313164302d613736352d303061306339316536626636";
static const char PAY_2[] =
    "00000205ffff9e5801bf843d0000000020c0000000c0298c6741000000483030303030303030"
    "2d303030302d303030302d303030302d303030303030303030303030";

START_TEST(records_of_another_encoder_have_its_values)
{
    static const char *const want[][3] = {
        {"id", "-123456789012345", "0"},
        {"user.id", "\xc3\xbc-7", "NULL"},
        {"user.vip", "true", "NULL"},
        {"user.friend.id", "x", "NULL"},
        {"user.friend.vip", "false", "NULL"},
        {"user.friend.friend", "NULL", "NULL"},
        {"amount", "-1234567890123456.78", "0.05"},
        {"fee", "0.0125", "-2.5000"},
        {"day", "2024-02-29", "1969-12-31"},
        {"at", "2023-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.500000Z"},
        {"clock", "23:59:59.999", "00:00:00.000"},
        {"kind", "CASH", "CARD"},
        {"ratio", "0.1", "-2.5"},
        {"exact", "1e-07", "12345678"},
        {"tags[*]", "a b c", "NULL"},
        {"tags[1]", "NULL", "NULL"},
        {"tags[2]", "c", "NULL"},
        {"more.x[*]", "1 -2 300", "NULL"},
        {"more.x[2]", "300", "NULL"},
        {"more.\"y.z\"[*]", "NULL", "NULL"},
        {"trace", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "00000000-0000-0000-0000-000000000000"},
    };
    enum { N = sizeof want / sizeof *want };
    char columns[512] = "";
    for (uint32_t i = 0; i < N; i++)
        sprintf(columns + strlen(columns), "%s%s", i ? "," : "", want[i][0]);
    struct harness *h = bare(columns, PAY);
    HEX(h, PAY_1, PAY_2);
    ck_assert_msg(h->n_rejections == 0, "%s", h->rejection[0].text);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t r = 0; r < 2; r++)
            ck_assert_msg(!strcmp(cell(h, i, r), want[i][1 + r]), "%s: %s", want[i][0],
                          cell(h, i, r));
    harness_free(h);
}
END_TEST

START_TEST(texts_stay_in_the_record_and_symbols_are_added_once)
{
    struct harness *h = bare("user.id,kind,raw,x=kind", PAY);
    HEX(h, PAY_1, PAY_1, PAY_2);
    struct leat_str raw = h->b.raw[0], id = h->b.column[0].text[0], *kind = h->b.column[1].text;
    ck_assert(id.off >= raw.off && id.off + id.len <= raw.off + raw.len);
    ck_assert_uint_eq(kind[0].off, kind[1].off);
    ck_assert_uint_eq(kind[0].off, h->b.column[3].text[0].off);
    ck_assert_uint_ne(kind[0].off, kind[2].off);
    ck_assert_uint_eq(h->b.column[2].text[0].len, 2);
    ck_assert_int_eq(memcmp(leat_text(&h->b, h->b.column[2].text[0]), "\x00\xff", 2), 0);
    ck_assert_uint_eq(h->b.column[2].text[2].len, 0);
    harness_clear(h);
    hex(h, PAY_2); /* the next batch has them again */
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(cell(h, 1, 0), "CARD");
    harness_free(h);
}
END_TEST

START_TEST(numbers_are_what_is_stored)
{
    struct harness *h = bare("id,user.id,amount,day,at,ratio,exact,kind", PAY);
    harness_set(h, "numbers", "id,amount,day,at,ratio,exact");
    HEX(h, PAY_1, PAY_2);
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert(h->b.column[0].number[0] == -123456789012345.0);
    ck_assert(h->b.column[2].number[0] == -1234567890123456.78);
    ck_assert(h->b.column[2].number[1] == 0.05);
    ck_assert(h->b.column[3].number[0] == 19782 && h->b.column[3].number[1] == -1);
    ck_assert(h->b.column[4].number[0] == 1704067199999999.0);
    ck_assert(h->b.column[5].number[0] == (double)0.1f && h->b.column[6].number[0] == 1e-7);
    harness_free(h);
    h = of_type("v", "[\"string\",\"double\",\"boolean\",\"null\"]");
    harness_set(h, "numbers", "v");
    HEX(h, "00 06 312e35", "00 04 6162", "02 000000000000f07f", "04 01", "06");
    ck_assert(h->b.column[0].number[0] == 1.5 && isnan(h->b.column[0].number[4]));
    expect_rejected(
        h, 1, LEAT_R_NUMBER,
        "column 'v': 'ab' is not a number: set other = \"empty\" to leave such cells empty");
    expect_rejected_for(h, 2, LEAT_R_NONFINITE, "column 'v': 'inf' is not finite");
    expect_rejected(
        h, 3, LEAT_R_NUMBER,
        "column 'v': 'true' is not a number: set other = \"empty\" to leave such cells empty");
    harness_free(h);
}
END_TEST

START_TEST(no_number_is_no_value_on_demand)
{
    struct harness *h = of_type("v", "[\"double\",\"float\",\"string\"]");
    harness_set(h, "numbers", "v");
    harness_set(h, "other", "empty");
    HEX(h, "00 000000000000f87f", "00 000000000000f0ff", "02 0000807f", "04 06 6e616e",
        "00 000000000000f03f");
    ck_assert_msg(h->n_rejections == 0, "%s", h->rejection[0].text);
    for (uint32_t r = 0; r < 4; r++)
        ck_assert(isnan(h->b.column[0].number[r]));
    ck_assert(h->b.column[0].number[4] == 1);
    harness_free(h);
}
END_TEST

/* ---- values of single types ---- */

static void becomes(const char *type, const char *bytes, const char *text)
{
    struct harness *h = of_type("v", type);
    HEX(h, bytes);
    const char *got = h->n_rejections ? h->rejection[0].text : cell(h, 0, 0);
    ck_assert_msg(!strcmp(got, text), "%s %s: %s, not %s", type, bytes, got, text);
    harness_free(h);
}

#define LOGICAL(TYPE, NAME) "{\"type\":\"" TYPE "\",\"logicalType\":\"" NAME "\"}"

START_TEST(integers_are_read_to_their_ends)
{
    becomes("\"long\"", "ffffffffffffffffff01", "-9223372036854775808");
    becomes("\"long\"", "feffffffffffffffff01", "9223372036854775807");
    becomes("\"int\"", "ffffffff0f", "-2147483648");
    becomes("\"int\"", "feffffff0f", "2147483647");
    becomes("\"long\"", "8000", "0"); /* longer than it needs */
    becomes("\"float\"", "0000c07f", "nan");
    becomes("\"double\"", "000000000000f0ff", "-inf");
    becomes("\"double\"", "0000000000000080", "-0");
    becomes("\"float\"", "00000080", "-0");
    becomes("\"double\"", "0000000000000000", "0");
    becomes("{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}", "616263", "abc");
}
END_TEST

START_TEST(dates_and_times_are_those_of_iso_8601)
{
    becomes(LOGICAL("int", "date"), "00", "1970-01-01");
    becomes(LOGICAL("int", "date"), "d7e957", "0000-03-01");
    becomes(LOGICAL("int", "date"), "d9e957", "0000-02-29");
    becomes(LOGICAL("int", "date"), "c082e602", "9999-12-31");
    becomes(LOGICAL("int", "date"), "c282e602", "+10000-01-01");
    becomes(LOGICAL("int", "date"), "d1ea57", "-0001-12-31");
    becomes(LOGICAL("int", "date"), "feffffff0f", "+5881580-07-11");
    becomes(LOGICAL("int", "date"), "ffffffff0f", "-5877641-06-23");
    becomes(LOGICAL("long", "time-micros"), "02", "00:00:00.000001");
    becomes(LOGICAL("int", "time-millis"), "01", "-1"); /* outside a day */
    becomes(LOGICAL("long", "timestamp-millis"), "01", "1969-12-31T23:59:59.999Z");
    becomes(LOGICAL("long", "timestamp-nanos"), "02", "1970-01-01T00:00:00.000000001Z");
    becomes(LOGICAL("long", "local-timestamp-millis"), "00", "1970-01-01T00:00:00.000");
    becomes(LOGICAL("long", "timestamp-millis"), "feffffffffffffffff01",
            "+292278994-08-17T07:12:55.807Z");
    becomes(LOGICAL("long", "timestamp-millis"), "ffffffffffffffffff01",
            "-292275055-05-16T16:47:04.192Z");
    becomes(LOGICAL("string", "date"), "0461 62", "ab"); /* date is not for strings */
    becomes("{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":\"uuid\"}",
            "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
}
END_TEST

#define DECIMAL(SCALE)                                                                             \
    "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":40,\"scale\":" #SCALE "}"
START_TEST(decimals_have_the_digits_of_their_scale)
{
    becomes(DECIMAL(0), "00", "0");
    becomes(DECIMAL(3), "00", "0.000");
    becomes(DECIMAL(3), "02 ff", "-0.001");
    becomes(DECIMAL(1), "0a ffffffff85", "-12.3");
    becomes(DECIMAL(2), "04 7fff", "327.67");
    becomes(DECIMAL(0), "20 4b3b4ca85a86c47a098a223fffffffff",
            "99999999999999999999999999999999999999");
    becomes(DECIMAL(38), "20 b4c4b357a5793b85f675ddc000000001",
            "-0.99999999999999999999999999999999999999");
    becomes(DECIMAL(0), "20 4b3b4ca85a86c47a098a224000000000",
            "column 'v': the decimal at v has more than 38 digits");
    becomes(DECIMAL(0), "22 0100000000000000000000000000000000",
            "column 'v': the decimal at v has more than 38 digits");
    becomes(DECIMAL(39), "02 01", "column 'v': the decimal at v has more than 38 digits");
    becomes(DECIMAL(0), "22 ff80000000000000000000000000000000",
            "column 'v': the decimal at v has more than 38 digits");
    becomes(DECIMAL(0), "22 fffffffffffffffffffffffffffffffffe", "-2");
    becomes("{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":2,\"scale\":3}", "02 41",
            "A"); /* scale above precision: bytes */
}
END_TEST

START_TEST(big_decimals_bring_their_scale)
{
    static const char type[] = LOGICAL("bytes", "big-decimal");
    becomes(type, "08 04 04e2 04", "12.50");
    becomes(type, "06 02 fb 00", "-5");
    becomes(type, "06 02 05 03", "500");
    becomes(type, "04 00 04", "0.00");
    becomes(type, "06 02 00 4f", "0");
    static const char wrong[] = "column 'v': the decimal at v is wrong, or has more than 38 digits";
    becomes(type, "06 02 05 4d", wrong); /* 5, and 39 zeros */
    becomes(type, "04 02 05", wrong);    /* no scale */
    becomes(type, "08 02 05 00 00", wrong);
    becomes(type, "00", wrong);
}
END_TEST

START_TEST(durations_are_those_of_iso_8601)
{
    static const char type[] =
        "{\"type\":\"fixed\",\"name\":\"D\",\"size\":12,\"logicalType\":\"duration\"}";
    becomes(type, "0e000000 03000000 f4010000", "P14M3DT0.500S");
    becomes(type, "00000000 00000000 00000000", "P0M0DT0.000S");
    becomes(type, "ffffffff ffffffff ffffffff", "P4294967295M4294967295DT4294967.295S");
}
END_TEST

/* ---- policies ---- */

START_TEST(what_is_missing_or_null_is_rejected_on_demand)
{
    static const char type[] = "[\"null\",{\"type\":\"map\",\"values\":[\"null\",\"int\"]}]";
    for (int policy = 0; policy < 3; policy++) {
        struct harness *h = of_type("v.a", type);
        if (policy) harness_set(h, policy == 1 ? "missing" : "null", "reject");
        HEX(h, "00", "02 00", "02 02 0261 00 00", "02 02 0261 02 0e 00",
            "02 04 0261 02 0e 0261 02 10 00");
        ck_assert_str_eq(cell(h, 0, 3), "7");
        ck_assert_str_eq(cell(h, 0, 4), "7"); /* the first of equal keys counts */
        ck_assert_uint_eq(h->n_rejections, policy == 0 ? 0 : policy == 1 ? 2 : 1);
        if (policy == 1)
            expect_rejected(h, 0, LEAT_R_FIELDS, "column 'v.a': the record has no v.a");
        if (policy == 2) expect_rejected(h, 2, LEAT_R_FIELDS, "column 'v.a': v.a is null");
        harness_free(h);
    }
}
END_TEST

START_TEST(a_record_or_array_or_map_is_no_single_value)
{
    struct harness *h = bare("user,id", PAY);
    HEX(h, PAY_1, PAY_2);
    expect_rejected(
        h, 0, LEAT_R_FIELDS,
        "column 'user': user is a record (byte 9), and a column takes single "
        "values: add a key, as in a.b; set other = \"empty\" to leave such cells empty");
    ck_assert_str_eq(cell(h, 1, 1), "0");
    harness_free(h);
    h = bare("more", PAY);
    HEX(h, PAY_1);
    expect_rejected_for(h, 0, LEAT_R_FIELDS, "more is a map (byte ");
    harness_free(h);
    h = bare("more.x", PAY);
    HEX(h, PAY_1);
    expect_rejected_for(h, 0, LEAT_R_FIELDS, "more.x is an array (byte ");
    harness_free(h);
    h = of_type("v[*]", "\"int\"");
    HEX(h, "0e");
    ck_assert_str_eq(cell(h, 0, 0), "7"); /* a value that is not an array is one element */
    harness_free(h);
    h = of_type("v[*]", "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":\"int\"}}");
    HEX(h, "02 02 0e 00 00", "00");
    expect_rejected_for(h, 0, LEAT_R_FIELDS, "v[*] is an array (byte 2)");
    ck_assert_str_eq(cell(h, 0, 1), "NULL");
    harness_free(h);
}
END_TEST

START_TEST(elements_of_elements_are_joined)
{
    static const char type[] =
        "{\"type\":\"array\",\"items\":[\"null\",{\"type\":\"record\",\"name\":\"E\",\"fields\":["
        "{\"name\":\"z\",\"type\":\"string\"},"
        "{\"name\":\"n\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},"
        "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"boolean\"}}]}]}";
    struct harness *h = of_type("v[*].n[*],v[*].n[1],v[*].m.k,v[*].z,v[1].n[0]", type);
    harness_set(h, "separator", "|");
    /* { "ab", [1, 2], {j: 1, k: 0} }, null, { "", [], {k: 1} }: in blocks with and without sizes */
    HEX(h, "01 20 02 046162 04 0204 00 04 026a01 026b00 00 04 00 02 00 00 02 026b01 00 00", "00");
    ck_assert_msg(h->n_rejections == 0, "%s", h->rejection[0].text);
    ck_assert_str_eq(cell(h, 0, 0), "1|2");
    ck_assert_str_eq(cell(h, 1, 0), "2");
    ck_assert_str_eq(cell(h, 2, 0), "false|true");
    ck_assert_str_eq(cell(h, 3, 0), "ab|");
    ck_assert_str_eq(cell(h, 4, 0), "NULL");
    ck_assert_str_eq(cell(h, 0, 1), "NULL");
    harness_free(h);
}
END_TEST

/* ---- which schema ---- */

static const char V1[] = "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":"
                         "\"int\"}]}";
static const char V2[] = "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"b\",\"type\":"
                         "\"string\"},{\"name\":\"a\",\"type\":\"long\"}]}";

static struct harness *of_versions(const char *columns)
{
    struct harness *h = parser(columns);
    file("1.avsc", V1);
    file("300.avsc", V2);
    file("2.avsc.old", "no schema");
    harness_set(h, "schemas", folder);
    return h;
}

START_TEST(each_record_is_read_by_its_own_schema)
{
    struct harness *h = of_versions("a,b");
    HEX(h, "00 00000001 0e", "00 0000012c 0278 10", "00 00000001 12", "00 00000007 12");
    ck_assert_str_eq(cell(h, 0, 0), "7");
    ck_assert_str_eq(cell(h, 1, 0), "NULL"); /* this version has no b */
    ck_assert_str_eq(cell(h, 0, 1), "8");
    ck_assert_str_eq(cell(h, 1, 1), "x");
    ck_assert_str_eq(cell(h, 0, 2), "9");
    expect_rejected_for(h, 3, LEAT_R_OWN(0), "schema 7 is unknown: the folder ");
    expect_rejected_for(h, 3, LEAT_R_OWN(0), " has no file 7.avsc");
    harness_free(h);
}
END_TEST

START_TEST(a_file_that_comes_later_is_found)
{
    struct harness *h = of_versions("a");
    HEX(h, "00 00000001 0e");
    file("8.avsc", V1);
    harness_clear(h);
    hex(h, "00 00000008 10");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(cell(h, 0, 0), "8");
    file("9.avsc", "{\"type\":\"record\"}");
    harness_clear(h);
    hex(h, "00 00000009 10");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    expect_rejected_for(h, 0, LEAT_R_OWN(0), "9.avsc: a record, enum or fixed has no name");
    file("9.avsc", V1); /* other tests may have the same folder */
    harness_free(h);
}
END_TEST

START_TEST(a_prefix_that_is_none_is_rejected)
{
    struct harness *h = of_versions("a");
    HEX(h, "01 00000001 0e", "00 000001", "0e", "");
    for (uint32_t r = 0; r < 3; r++)
        expect_rejected_for(h, r, LEAT_R_SYNTAX, "does not begin with a zero byte and the four");
    ck_assert_uint_eq(h->n_rejections, 3); /* the record without bytes is left out */
    ck_assert_uint_eq(h->b.n_sel, 0);
    harness_free(h);
}
END_TEST

START_TEST(another_framing_is_named)
{
    struct harness *h = parser("a");
    harness_set(h, "registry", "http://127.0.0.1:1");
    if (harness_negotiate(h)) { /* built without libcurl */
        harness_free(h);
        return;
    }
    HEX(h, "4f626a01 0e", "7b22 61223a31 7d", "0305 00112233445566778899aabbccddeeff 0e",
        "0300 00112233445566778899aabbccddeeff 0e", "c301 0011223344556677 0e", "0300 0e");
    static const char *const framing[] = {
        "like an Avro file, and this stage reads single records",
        "like JSON: use parse.json",
        "as AWS Glue writes compressed records: give the schema in a file (`schema`) or a folder",
        "as AWS Glue writes records, and a Schema Registry does not know its UUIDs",
        "like a single-object encoding, and a Schema Registry does not know its fingerprints",
        "if no record does, set framing"};
    for (uint32_t r = 0; r < 6; r++)
        expect_rejected_for(h, r, LEAT_R_SYNTAX, framing[r]);
    harness_free(h);
    h = of_versions("a");
    HEX(h, "00 0000000000000001 0e");
    expect_rejected_for(h, 0, LEAT_R_OWN(0), "some serializers of Apicurio write ids of eight");
    harness_free(h);
    h = parser("a");
    harness_set(h, "schema", file("one.avsc", V1));
    HEX(h, "00 0000000000000001 0e", "00 00000001 0e0e");
    expect_rejected_for(h, 0, LEAT_R_SYNTAX, "some serializers of Apicurio write ids of eight");
    expect_rejected(h, 1, LEAT_R_SYNTAX, "byte 7 is wrong for a record: bytes follow the record");
    harness_free(h);
}
END_TEST

START_TEST(records_that_glue_has_compressed_are_unpacked)
{
    struct harness *h = parser("a");
    harness_set(h, "schema", file("one.avsc", V1));
    harness_set(h, "framing", "glue");
    HEX(h, "0305 00112233445566778899aabbccddeeff 78dae30300000f000f",
        "0300 00112233445566778899aabbccddeeff 10",
        "0305 00112233445566778899aabbccddeeff 78dae30300000f00aa",
        "0305 00112233445566778899aabbccddeeff 78dae30300000f00",
        "0305 00112233445566778899aabbccddeeff",
        "0305 00112233445566778899aabbccddeeff 78dae30300000f000f 00",
        "0305 00112233445566778899aabbccddeeff 78dae3e30300002c001d");
    ck_assert_str_eq(cell(h, 0, 0), "7");
    ck_assert_str_eq(cell(h, 0, 1), "8");
    static const char *const wrong[] = {
        "zlib stream is damaged", "zlib stream is cut off", "zlib stream is cut off",
        "zlib stream is followed by other bytes", "byte 2 of the unpacked record is wrong"};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_rejected_for(h, i + 2, LEAT_R_SYNTAX, wrong[i]);
    harness_free(h);
}
END_TEST

START_TEST(a_framing_that_stands_where_none_should_is_named)
{
    static const struct {
        const char *bytes, *hint;
    } wrong[] = {{"00 00000001 10", "the number of a schema do: leave out framing)"},
                 {"0300 00112233445566778899aabbccddeeff 10", "writes records: leave out framing)"},
                 {"0305 00112233445566778899aabbccddeeff 10", "and set framing = \"glue\")"},
                 {"c301 0011223344556677 10", "single-object encoding: leave out framing)"},
                 {"4f626a01 10", "like an Avro file, and this stage reads single records)"},
                 {"7b 22 61 22", "like JSON: use parse.json for such records)"}};
    struct harness *h = bare("a", V1);
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        hex(h, wrong[i].bytes);
    hex(h, "10 10");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect_rejected_for(h, i, LEAT_R_SYNTAX, "bytes follow the record (it begins ");
        expect_rejected_for(h, i, LEAT_R_SYNTAX, wrong[i].hint);
    }
    expect_rejected(h, 6, LEAT_R_SYNTAX, "byte 2 is wrong for a record: bytes follow the record");
    harness_free(h);
}
END_TEST

/* Fingerprints of fastavro 1.13.1; avro 1.12.0 has the same one for V1. */
START_TEST(records_of_glue_and_of_single_objects_are_read_with_files)
{
    struct harness *h = parser("a,b");
    harness_set(h, "schema", file("one.avsc", V1));
    HEX(h, "0300 00112233445566778899aabbccddeeff 10", "c301 3715a01bf361b035 12", "00 00000001 14",
        "c301 3715a01bf361b036 12");
    ck_assert_str_eq(cell(h, 0, 0), "8");
    ck_assert_str_eq(cell(h, 0, 1), "9");
    ck_assert_str_eq(cell(h, 0, 2), "10");
    expect_rejected(h, 3, LEAT_R_OWN(0),
                    "the record has the fingerprint 36b061f31ba01537, and so was written with "
                    "another schema than that of the file");
    harness_free(h);
    file("0f112233-4455-6677-8899-aabbccddeeff.avsc", V1);
    h = of_versions("a,b");
    HEX(h, "0300 0f112233445566778899aabbccddeeff 10", "c301 3715a01bf361b035 12",
        "c301 0000000000000000 12");
    ck_assert_str_eq(cell(h, 0, 0), "8");
    ck_assert_str_eq(cell(h, 0, 1), "9");
    expect_rejected_for(h, 2, LEAT_R_OWN(0), "than those that the folder had at the start");
    harness_free(h);
    /* a default leaves the fingerprint as it is, and a scale would, too */
    file("77.avsc", "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\","
                    "\"type\":\"long\",\"default\":5}]}");
    file("78.avsc", "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\","
                    "\"type\":\"long\",\"default\":0}]}");
    h = of_versions("a");
    HEX(h, "c301 9a89b5f44e448d92 0a", "00 0000004d 0a");
    expect_rejected_for(h, 0, LEAT_R_OWN(0), "several files of the folder have the fingerprint");
    ck_assert_str_eq(cell(h, 0, 1), "5");
    harness_free(h);
}
END_TEST

START_TEST(fingerprints_are_of_the_canonical_form)
{
    static const struct {
        const char *schema, *column, *bytes;
    } of[] = {{PAY, "id", "c301 0ba4826b508945fd"},
              {"{\"type\":\"record\",\"name\":\"N\",\"namespace\":\"x.y\",\"doc\":\"d\","
               "\"aliases\":[\"Z\"],\"fields\":["
               "{\"name\":\"next\",\"type\":[\"null\",\"N\"],\"default\":null},"
               "{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"name\":\"q.E\","
               "\"symbols\":[\"A\",\"B\"],\"default\":\"A\"}},"
               "{\"name\":\"f\",\"type\":{\"type\":\"fixed\",\"name\":\"F\",\"size\":4}},"
               "{\"name\":\"g\",\"type\":\"F\"},"
               "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":{\"type\":\"array\","
               "\"items\":{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}}}}]}",
               "e", "c301 36ddd596c5a4ce68"}};
    for (size_t i = 0; i < 2; i++) {
        struct harness *h = parser(of[i].column);
        harness_set(h, "schema", file("one.avsc", of[i].schema));
        HEX(h, of[i].bytes); /* no record follows, so its first value is missing */
        expect_rejected_for(h, 0, LEAT_R_SYNTAX, "the record ends inside a value");
        harness_free(h);
    }
}
END_TEST

START_TEST(a_union_of_records_is_the_record_that_it_has)
{
    static const char schema[] =
        "[{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"}]},"
        "{\"type\":\"record\",\"name\":\"B\",\"fields\":[{\"name\":\"b\",\"type\":\"string\"},"
        "{\"name\":\"more\",\"type\":\"A\"}]}]";
    struct harness *h = bare("a,b,more.a", schema);
    HEX(h, "00 0e", "02 0278 10", "04 0e");
    static const char *const want[2][3] = {{"7", "NULL", "NULL"}, {"NULL", "x", "8"}};
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t i = 0; i < 3; i++)
            ck_assert_str_eq(cell(h, i, r), want[r][i]);
    expect_rejected(h, 2, LEAT_R_SYNTAX,
                    "byte 1 is wrong for a record: the union has no such branch");
    harness_free(h);
}
END_TEST

/* Adds a record whose message has a header, in hexadecimal. */
static void with_header(struct harness *h, const char *name, const char *value, const char *record)
{
    char bytes[64];
    struct leat_header header = {.name = name, .n_name = (uint32_t)strlen(name), .value = bytes};
    for (unsigned byte; sscanf(value, "%2x", &byte) == 1; value += 2)
        bytes[header.n_value++] = (char)byte;
    uint32_t r = hex(h, record), n = leat_header_bytes(&header), off = leat_add_bytes(&h->b, n);
    leat_put_header(h->b.bytes + off, &header);
    h->b.headers[r] = (struct leat_str){off, n};
}

START_TEST(a_header_names_the_schema_whatever_the_record_begins_with)
{
    static const char id[] = "__value_schema_id", guid[] = "0100112233445566778899aabbccddeeff";
    struct harness *h = of_versions("a,b");
    file("00112233-4455-6677-8899-aabbccddeeff.avsc",
         "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"zeros\",\"type\":{\"type\":"
         "\"fixed\",\"name\":\"F\",\"size\":5}},{\"name\":\"a\",\"type\":\"long\"}]}");
    harness_has(h, LEAT_HAS_HEADERS);
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    with_header(h, id, guid, "00 00000001 10"); /* a right record of schema 1, too */
    with_header(h, id, "000000012c", "0278 10");
    with_header(h, "id", guid, "00 00000001 10");
    with_header(h, id, "01", "00 00000001 10");
    with_header(h, id, "0000000001ff", "00 00000001 10");
    with_header(h, id, "0200112233445566778899aabbccddeeff", "00 00000001 10");
    with_header(h, id, "01ff112233445566778899aabbccddeeff", "00 00000001 10");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_str_eq(cell(h, 0, 0), "8");
    ck_assert_str_eq(cell(h, 1, 0), "NULL");
    ck_assert_str_eq(cell(h, 1, 1), "x");
    ck_assert_str_eq(cell(h, 0, 2), "8");
    for (uint32_t r = 3; r < 6; r++)
        expect_rejected_for(h, r, LEAT_R_SYNTAX, "the header __value_schema_id of the message is");
    expect_rejected_for(h, 6, LEAT_R_OWN(0),
                        "schema ff112233-4455-6677-8899-aabbccddeeff is unknown");
    harness_free(h);
}
END_TEST

START_TEST(more_schemas_than_are_kept_are_all_read)
{
    struct harness *h = of_versions("a");
    enum { ALL = 5000 }; /* SCHEMAS_MAX is 4,096 */
    char name[32];
    for (int i = 0; i < ALL; i++) {
        sprintf(name, "%d.avsc", 1000 + i);
        file(name, V1);
    }
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    for (int i = 0; i < 2 * ALL; i++) {
        harness_clear(h);
        sprintf(name, "00 %08x 0e", 1000 + i % ALL);
        hex(h, name);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_str_eq(cell(h, 0, 0), "7");
    }
    harness_free(h);
    for (int i = 0; i < ALL; i++) {
        sprintf(name, "%s/%d.avsc", folder, 1000 + i);
        ck_assert_int_eq(unlink(name), 0);
    }
}
END_TEST

START_TEST(one_schema_reads_records_of_any_number)
{
    struct harness *h = parser("a");
    harness_set(h, "schema", file("one.avsc", V1));
    HEX(h, "00 00000001 0e", "00 0000ffff 10");
    ck_assert_str_eq(cell(h, 0, 0), "7");
    ck_assert_str_eq(cell(h, 0, 1), "8");
    harness_free(h);
}
END_TEST

static void is_no_schema(const char *text, const char *why)
{
    struct harness *h = bare("v", text);
    ck_assert_int_eq(harness_open(h, 1), LEAT_EARG);
    ck_assert_msg(strstr(h->said, why) != NULL, "%s: %s", text, h->said);
    harness_free(h);
}

#define RECORD(FIELDS) "{\"type\":\"record\",\"name\":\"R\",\"fields\":[" FIELDS "]}"
START_TEST(what_is_no_schema_is_told)
{
    is_no_schema("", "bare.avsc: it is not JSON");
    is_no_schema("\"long\"", "it is not the schema of a record");
    is_no_schema("[\"null\","
                 "{\"type\":\"record\",\"name\":\"R\",\"fields\":[]}]",
                 "it is not the schema of a record");
    is_no_schema("{\"type\":\"record\",\"name\":\"R\"}", "record 'R' has no fields");
    is_no_schema(RECORD("{\"name\":\"a\",\"type\":\"lnog\"}"),
                 "there is no type 'lnog', in field 'a'");
    is_no_schema(RECORD("{\"name\":\"a\"}"), "a type is missing, in field 'a'");
    is_no_schema(RECORD("{\"name\":\"a\",\"type\":\"R\"}"), "record 'R' contains itself");
    is_no_schema(RECORD("{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"a\",\"type\":\"int\"}"),
                 "record 'R' has two fields 'a'");
    is_no_schema(RECORD("{\"name\":\"a\",\"type\":[]}"), "a union has no branches");
    is_no_schema(RECORD("{\"name\":\"a\",\"type\":{\"type\":\"enum\",\"name\":\"R\",\"symbols\":["
                        "\"x\"]}}"),
                 "the type 'R' is declared twice");
}
END_TEST

START_TEST(wrong_parameters_are_reported)
{
    expect_refused_and_free(parser("a"), "the schema of the records is missing");
    struct harness *h = of_versions("a");
    harness_set(h, "schema", file("one.avsc", V1));
    expect_refused_and_free(h, "exclude each other: give only one of them");
    h = of_versions("a");
    harness_set(h, "framing", "none");
    expect_refused_and_free(h, "set `schema` to the file with the schema of all records");
    h = parser("a");
    harness_set(h, "registry", "https://me:hunter2@registry");
    harness_negotiate(h);
    ck_assert_ptr_null(strstr(h->said, "hunter2"));
    expect_refused_and_free(h, "user:password in registry_login");
    h = parser("a");
    harness_set(h, "registry", "registry:8081");
    expect_refused_and_free(h, "'registry:8081' is not an address: write http://host:port");
}
END_TEST

static struct harness *of_two(void) { return of_versions("a,b"); }

START_TEST(every_failed_allocation_is_told_and_leaves_nothing)
{
    expect_failed_allocations_told(of_two);
}
END_TEST

/* ---- hostile bytes ---- */

static void is_wrong(const char *type, const char *bytes, unsigned byte, const char *why)
{
    struct harness *h = of_type("v", type);
    char head[64];
    sprintf(head, "byte %u, in field 'v', is wrong for a record: ", byte);
    HEX(h, bytes);
    ck_assert_msg(h->n_rejections == 1, "%s %s is not rejected", type, bytes);
    ck_assert_int_eq(h->rejection[0].reason, LEAT_R_SYNTAX);
    ck_assert_msg(!strncmp(h->rejection[0].text, head, strlen(head)) &&
                      strstr(h->rejection[0].text, why),
                  "%s %s: %s", type, bytes, h->rejection[0].text);
    harness_free(h);
}

#define ARRAY(ITEMS) "{\"type\":\"array\",\"items\":" ITEMS "}"
START_TEST(what_does_not_fit_its_type_is_rejected)
{
    is_wrong("\"long\"", "80", 2, "the record ends inside a value");
    is_wrong("\"long\"", "ffffffffffffffffff02", 10, "an integer is too long");
    is_wrong("\"long\"", "ffffffffffffffffffff01", 10, "an integer is too long");
    is_wrong("\"int\"", "8080808010", 1, "an integer is too long");
    is_wrong("\"double\"", "00000000000000", 1, "the record ends");
    is_wrong("\"boolean\"", "02", 1, "neither 0 nor 1");
    is_wrong("\"string\"", "06 6162", 1, "a length is negative, or greater");
    is_wrong("\"string\"", "01", 1, "a length is negative");
    is_wrong("\"bytes\"", "feffffffffffffffff01", 1, "greater than the rest");
    is_wrong("\"string\"", "06 61ff62", 3, "not UTF-8");
    is_wrong("{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}", "6162", 1, "the record ends");
    is_wrong("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"x\"]}", "02", 1, "no such symbol");
    is_wrong("[\"null\",\"int\"]", "04", 1, "no such branch");
    is_wrong("[\"null\",\"int\"]", "01", 1, "no such branch");
    is_wrong(ARRAY("\"int\""), "06 0202 00", 5, "the record ends");
    is_wrong(ARRAY("\"int\""), "feffffffffffffffff01", 1, "more items than the rest");
    is_wrong(ARRAY("\"int\""), "ffffffffffffffffff01 02 02 00", 1, "more items than the rest");
    is_wrong(ARRAY("\"int\""), "01 04 02 00", 4, "the length of a block is wrong");
    is_wrong(ARRAY("\"int\""), "01 0e 02 00", 1, "greater than the rest");
    is_wrong(ARRAY("\"null\""), "feffffffffffffffff01 00", 1, "more items than");
    is_wrong(ARRAY("\"null\""), "808008 02 00", 4, "more items than"); /* 65537 items */
    is_wrong("{\"type\":\"map\",\"values\":\"null\"}", "02 04 61", 2, "greater than the rest");
    struct harness *h = of_type("v", "\"int\"");
    HEX(h, "02 02");
    expect_rejected(h, 0, LEAT_R_SYNTAX, "byte 2 is wrong for a record: bytes follow the record");
    harness_free(h);
}
END_TEST

START_TEST(what_is_too_deep_is_rejected)
{
    static const char schema[] = RECORD("{\"name\":\"n\",\"type\":[\"null\",\"R\"]}");
    char digits[4096];
    for (int deep = 0; deep < 2; deep++) {
        struct harness *h = bare("n.n.n", schema);
        int n = deep ? 1000 : 100;
        for (int i = 0; i < n; i++)
            memcpy(digits + 2 * i, "02", 2);
        strcpy(digits + 2 * n, "00");
        HEX(h, digits);
        expect_rejected_for(h, 0, deep ? LEAT_R_SYNTAX : LEAT_R_FIELDS,
                            deep ? "values are nested too deep" : "is a record");
        harness_free(h);
    }
}
END_TEST

/* Record R0 has the field `a`, a null. Each later record has `a` and `b` of the previous record's
 * type. */
static char *doubling(char *to, int level)
{
    to += sprintf(
        to, "{\"type\":\"record\",\"name\":\"R%d\",\"fields\":[{\"name\":\"a\",\"type\":", level);
    if (!level) return to + sprintf(to, "\"null\"}]}");
    to = doubling(to, level - 1);
    return to + sprintf(to, "},{\"name\":\"b\",\"type\":\"R%d\"}]}", level - 1);
}

START_TEST(values_without_bytes_take_no_time_however_many_they_are)
{
    enum { LEVELS = 60 }; /* 2^60 nulls */
    char many[8192], schema[2 * sizeof many], path[512] = "n,all[7].a.a,v.b";
    *doubling(many, LEVELS) = '\0';
    for (int i = 0; i < LEVELS; i++)
        strcat(path, ".a");
    sprintf(
        schema,
        RECORD("{\"name\":\"v\",\"type\":%s},"
               "{\"name\":\"all\",\"type\":" ARRAY("\"R%d\"") "},"
                                                              "{\"name\":\"n\",\"type\":\"int\"}"),
        many, LEVELS);
    struct harness *h = bare(path, schema);
    HEX(h, "10 00 0e"); /* eight of them, and 7 */
    expect_rejected_for(h, 0, LEAT_R_FIELDS, "all[7].a.a is a record");
    harness_free(h);
    h = bare("n,all[*].a.z,v.b.a.z", schema);
    HEX(h, "10 00 0e");
    ck_assert_uint_eq(h->n_rejections, 0);
    ck_assert_int_eq(h->b.bytes[h->b.column[0].text[0].off], '7');
    harness_free(h);
}
END_TEST

/* ---- random schemas ---- */

enum { TEXT = 1 << 16, FIELDS = 4, DEEP = 4, PATHS = 40, SHOWN = 64, SCHEMAS = 300, RECORDS = 20 };

/* A schema, one record of it, and the record's values by path. */
struct sample {
    uint64_t random;
    char schema[TEXT];
    size_t n_schema;
    uint8_t bytes[TEXT];
    size_t n_bytes;
    char path[PATHS][256], want[PATHS][SHOWN];
    uint32_t n_paths, names;
};

/* ck_assert writes to a file even if it holds, which is too slow for every byte. */
static void must_fit(size_t n)
{
    if (n >= TEXT) ck_abort_msg("the sample is too long");
}

static void put(struct sample *s, const char *format, const char *text)
{
    must_fit(s->n_schema + strlen(format) + strlen(text));
    s->n_schema += (size_t)sprintf(s->schema + s->n_schema, format, text);
}

static void put_byte(struct sample *s, uint8_t byte)
{
    must_fit(s->n_bytes);
    s->bytes[s->n_bytes++] = byte;
}

static void put_long(struct sample *s, int64_t value)
{
    uint64_t bits = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    for (; bits >= 0x80; bits >>= 7)
        put_byte(s, (uint8_t)(bits | 0x80));
    put_byte(s, (uint8_t)bits);
}

static void want(struct sample *s, const char *path, const char *text)
{
    if (s->n_paths == PATHS) return;
    strcpy(s->path[s->n_paths], path);
    strcpy(s->want[s->n_paths++], text);
}

static void put_single(struct sample *s, const char *path)
{
    char text[SHOWN] = "";
    uint32_t kind = below(&s->random, 6), n = below(&s->random, 20);
    int64_t value = (int64_t)mix64_next(&s->random) >> below(&s->random, 64);
    double real = (double)(value % 1000) / 8;
    uint64_t bits;
    switch (kind) {
    case 0:
        put(s, "%s", "\"long\"");
        put_long(s, value);
        sprintf(text, "%lld", (long long)value);
        break;
    case 1:
        put(s, "%s", "{\"type\":\"int\"}");
        put_long(s, (int32_t)value);
        sprintf(text, "%d", (int)(int32_t)value);
        break;
    case 2:
        put(s, "%s", n % 2 ? "\"bytes\"" : "\"string\"");
        put_long(s, n);
        for (uint32_t i = 0; i < n; i++)
            put_byte(s, (uint8_t)(text[i] = (char)('a' + (i + n) % 26)));
        break;
    case 3:
        put(s, "%s", "\"boolean\"");
        put_byte(s, n % 2);
        strcpy(text, n % 2 ? "true" : "false");
        break;
    case 4:
        put(s, "%s", "\"double\"");
        memcpy(&bits, &real, sizeof bits);
        for (int i = 0; i < 8; i++)
            put_byte(s, (uint8_t)(bits >> 8 * i));
        sprintf(text, "%.15g", real == 0 ? 0.0 : real);
        break;
    default:
        put(s, "%s", "\"null\"");
        strcpy(text, "NULL");
    }
    want(s, path, text);
}

static void put_type(struct sample *s, const char *path, int depth);

static void put_record(struct sample *s, const char *path, int depth)
{
    char name[32];
    sprintf(name, "R%u", (unsigned)s->names++);
    put(s, "{\"type\":\"record\",\"name\":\"%s\",\"fields\":[", name);
    for (uint32_t i = 0, n = 1 + below(&s->random, FIELDS); i < n; i++) {
        char inner[256];
        sprintf(name, "f%u", (unsigned)i);
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", name);
        put(s, i ? ",{\"name\":\"%s\",\"type\":" : "{\"name\":\"%s\",\"type\":", name);
        put_type(s, inner, depth + 1);
        put(s, "%s", "}");
    }
    put(s, "%s", "]}");
}

/* All items after the first are copies of its bytes, sometimes in blocks that give their size. */
static void put_items(struct sample *s, const char *path, int depth, bool map)
{
    struct sample *item = calloc(1, sizeof *item);
    uint32_t n = below(&s->random, 4);
    char inner[256];
    item->random = s->random;
    item->names = s->names;
    snprintf(inner, sizeof inner, map ? "%s.k1" : "%s[1]", path);
    put_type(item, inner, depth + 1);
    s->random = item->random;
    s->names = item->names;
    put(s, "%s", item->schema);
    for (uint32_t i = 0; i < n; i++) {
        bool sized = below(&s->random, 2);
        size_t key = map ? 3 : 0;
        put_long(s, sized ? -1 : 1);
        if (sized) put_long(s, (int64_t)(item->n_bytes + key));
        if (map) {
            put_long(s, 2);
            put_byte(s, 'k');
            put_byte(s, (uint8_t)('0' + i));
        }
        for (size_t k = 0; k < item->n_bytes; k++)
            put_byte(s, item->bytes[k]);
    }
    put_long(s, 0);
    for (uint32_t i = 0; i < item->n_paths; i++)
        want(s, item->path[i], n > 1 ? item->want[i] : "NULL");
    free(item);
}

static void put_container(struct sample *s, const char *path, int depth, bool map)
{
    put(s, "%s", map ? "{\"type\":\"map\",\"values\":" : "{\"type\":\"array\",\"items\":");
    put_items(s, path, depth, map);
    put(s, "%s", "}");
}

/* A union must not contain a union, so one branch is another type. Its index comes first. */
static void put_union(struct sample *s, const char *path)
{
    bool second = below(&s->random, 2);
    put(s, "%s", second ? "[{\"type\":\"fixed\",\"name\":" : "[");
    if (second) {
        char name[32];
        sprintf(name, "\"F%u\"", (unsigned)s->names++);
        put(s, "%s,\"size\":3},", name);
    }
    put_long(s, second);
    put_single(s, path);
    put(s, "%s", "]");
}

static void put_type(struct sample *s, const char *path, int depth)
{
    uint32_t what = depth < DEEP ? below(&s->random, 8) : 7;
    if (what < 2)
        put_record(s, path, depth);
    else if (what < 4)
        put_container(s, path, depth, what == 3);
    else if (what == 4)
        put_union(s, path);
    else
        put_single(s, path);
}

static struct harness *of_sample(struct sample *s)
{
    char columns[PATHS * 64] = "";
    s->n_schema = s->n_bytes = s->n_paths = s->names = 0;
    put_record(s, "", 0);
    for (uint32_t i = 0; i < s->n_paths; i++)
        sprintf(columns + strlen(columns), "%s%s", i ? "," : "", s->path[i]);
    if (!s->n_paths) return NULL;
    struct harness *h = bare(columns, s->schema);
    ck_assert_msg(harness_open(h, 4) == LEAT_OK, "%s: %s", s->schema, h->said);
    return h;
}

START_TEST(random_records_have_the_values_that_were_written)
{
    struct sample *s = calloc(1, sizeof *s);
    s->random = seed_given();
    for (int i = 0; i < SCHEMAS; i++) {
        struct harness *h = of_sample(s);
        if (!h) continue;
        harness_bytes(h, s->bytes, s->n_bytes);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_msg(!s->n_bytes || h->n_rejections == 0, "%s: %s", s->schema,
                      h->rejection[0].text);
        for (uint32_t c = 0; s->n_bytes && c < s->n_paths; c++)
            if (strcmp(cell(h, c, 0), s->want[c]) != 0)
                ck_abort_msg("%s of %s is %s, not %s", s->path[c], s->schema, cell(h, c, 0),
                             s->want[c]);
        harness_free(h);
    }
    free(s);
}
END_TEST

/* Any bytes are either rejected with a place in the record, or become cells in the batch. */
START_TEST(damaged_records_are_rejected_or_have_cells)
{
    struct sample *s = calloc(1, sizeof *s);
    int right = 0, wrong = 0;
    s->random = seed_given() + 1;
    for (int i = 0; i < SCHEMAS; i++) {
        struct harness *h = of_sample(s);
        for (int k = 0; h && s->n_bytes && k < RECORDS; k++) {
            uint8_t *copy = malloc(s->n_bytes);
            memcpy(copy, s->bytes, s->n_bytes);
            size_t n =
                below(&s->random, 3) ? s->n_bytes : 1 + below(&s->random, (uint32_t)s->n_bytes);
            copy[below(&s->random, (uint32_t)n)] ^= (uint8_t)(1 << below(&s->random, 8));
            harness_clear(h);
            harness_bytes(h, copy, n);
            ck_assert_int_eq(harness_process(h), LEAT_OK);
            right += !h->n_rejections;
            wrong += h->n_rejections != 0;
            for (uint32_t c = 0; !h->n_rejections && c < s->n_paths; c++) {
                struct leat_str text = h->b.column[c].text[0];
                if (text.len != LEAT_NULL && text.off + text.len > h->b.n_bytes)
                    ck_abort_msg("a cell is not in the batch");
            }
            free(copy);
        }
        if (h) harness_free(h);
    }
    ck_assert_int_gt(right, 500);
    ck_assert_int_gt(wrong, 500);
    free(s);
}
END_TEST

LEAT_TIERS("parse_avro",
           (records_of_another_encoder_have_its_values,
            texts_stay_in_the_record_and_symbols_are_added_once, numbers_are_what_is_stored,
            no_number_is_no_value_on_demand, big_decimals_bring_their_scale,
            durations_are_those_of_iso_8601, integers_are_read_to_their_ends,
            dates_and_times_are_those_of_iso_8601, decimals_have_the_digits_of_their_scale,
            what_is_missing_or_null_is_rejected_on_demand,
            a_record_or_array_or_map_is_no_single_value, elements_of_elements_are_joined,
            each_record_is_read_by_its_own_schema, a_file_that_comes_later_is_found,
            a_prefix_that_is_none_is_rejected, another_framing_is_named,
            records_that_glue_has_compressed_are_unpacked,
            a_framing_that_stands_where_none_should_is_named,
            records_of_glue_and_of_single_objects_are_read_with_files,
            fingerprints_are_of_the_canonical_form, a_union_of_records_is_the_record_that_it_has,
            a_header_names_the_schema_whatever_the_record_begins_with,
            one_schema_reads_records_of_any_number, what_is_no_schema_is_told,
            wrong_parameters_are_reported, every_failed_allocation_is_told_and_leaves_nothing,
            what_does_not_fit_its_type_is_rejected, what_is_too_deep_is_rejected,
            values_without_bytes_take_no_time_however_many_they_are),
           (more_schemas_than_are_kept_are_all_read, damaged_records_are_rejected_or_have_cells,
            random_records_have_the_values_that_were_written))
