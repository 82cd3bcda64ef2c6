/* test_parse_protobuf.c -- parse.protobuf in the harness.
 *
 * It reads messages that Python's protobuf 4.25.3 has encoded, messages that are encoded as only
 * other writers do, several framings, and hostile bytes. The values are those of Python's
 * json_format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/harness.h"
#include "support/parser_rig.h"
#include "support/random.h"
#include "support/suite.h"

/* ---- schemas in files ---- */

static const char PAY[] = "syntax = \"proto3\";\n"
                          "package shop;\n"
                          "import \"google/protobuf/timestamp.proto\";\n"
                          "import \"google/protobuf/duration.proto\";\n"
                          "import \"google/protobuf/wrappers.proto\";\n"
                          "import \"google/protobuf/struct.proto\";\n"
                          "import \"base.proto\";\n"
                          "message Pay {\n"
                          "  string id = 1;\n"
                          "  User user = 2;\n"
                          "  repeated string tags = 3;\n"
                          "  repeated int32 counts = 4;\n"
                          "  map<string, Item> items = 5;\n"
                          "  map<int64, string> names = 6;\n"
                          "  Kind kind = 7;\n"
                          "  oneof how { string card = 8; Cash cash = 9; }\n"
                          "  google.protobuf.Timestamp at = 10;\n"
                          "  google.protobuf.Duration took = 11;\n"
                          "  google.protobuf.Int64Value limit = 12;\n"
                          "  google.protobuf.Struct more = 13;\n"
                          "  bytes raw = 14;\n"
                          "  double exact = 15;\n"
                          "  float ratio = 16;\n"
                          "  uint64 big = 17;\n"
                          "  sint64 delta = 18;\n"
                          "  optional int32 maybe = 19;\n"
                          "  bool vip = 20;\n"
                          "  repeated Item lines = 21;\n"
                          "  Base base = 22;\n"
                          "  fixed64 hash = 23;\n"
                          "  repeated Kind kinds = 24;\n"
                          "  message Item { string sku = 1; int32 n = 2; Item inner = 3; }\n"
                          "  message Cash { string drawer = 1; }\n"
                          "}\n"
                          "message User { string name = 1; User friend = 2; }\n"
                          "enum Kind { CARD = 0; CASH = 1; OTHER = -1; }\n";
static const char BASE[] = "syntax = \"proto2\";\n"
                           "package shop;\n"
                           "message Base {\n"
                           "  optional int32 a = 1 [default = 7];\n"
                           "  optional string s = 2;\n"
                           "  required int32 need = 3;\n"
                           "  repeated int32 packed = 4 [packed = true];\n"
                           "  repeated int32 plain = 5;\n"
                           "  optional group Part = 6 { optional int32 x = 1; }\n"
                           "  optional bool b = 7;\n"
                           "  optional Level level = 8 [default = HIGH];\n"
                           "  enum Level { LOW = 1; HIGH = 2; }\n"
                           "}\n";

static char folder[] = "/tmp/leat-protobuf-XXXXXX";
static bool has_folder;

/* Removes the folder at exit, when assertions no longer work. */
static void remove_folder(void)
{
    char command[64];
    sprintf(command, "rm -rf %s", folder);
    if (system(command)) fprintf(stderr, "%s has failed\n", command);
}

/* Returns the path of a file in a folder of this program. */
static const char *file_of(const char *name, const void *bytes, size_t n)
{
    static char path[64];
    if (!has_folder) {
        ck_assert_ptr_nonnull(mkdtemp(folder));
        atexit(remove_folder);
        has_folder = true;
    }
    sprintf(path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
    return path;
}

static const char *file(const char *name, const char *text)
{
    return file_of(name, text, strlen(text));
}

static struct harness *parser(const char *columns)
{
    struct harness *h = harness_new("protobuf", "parse.protobuf");
    harness_has(h, LEAT_HAS_RECORDS);
    if (columns) harness_set(h, "columns", columns);
    return h;
}

static struct harness *of_schema(const char *columns)
{
    struct harness *h = parser(columns);
    file("base.proto", BASE);
    harness_set(h, "schema", file("pay.proto", PAY));
    return h;
}

/* Reads messages of one type, with nothing before them. */
static struct harness *bare(const char *columns)
{
    struct harness *h = of_schema(columns);
    harness_set(h, "message", "shop.Pay");
    harness_set(h, "framing", "none");
    return h;
}

/* ---- messages in hexadecimal ---- */

static size_t bytes_of(const char *digits, uint8_t *to)
{
    size_t n = 0;
    unsigned value;
    for (; *digits; digits++) {
        if (*digits == ' ') continue;
        ck_assert_int_eq(sscanf(digits++, "%2x", &value), 1);
        to[n++] = (uint8_t)value;
    }
    return n;
}

static uint32_t hex(struct harness *h, const char *digits)
{
    static uint8_t byte[4096];
    return harness_bytes(h, byte, bytes_of(digits, byte));
}

static void read_hex(struct harness *h, const char *const *records)
{
    ck_assert_msg(harness_open(h, 64) == LEAT_OK, "%s", h->said);
    for (; *records; records++)
        hex(h, *records);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
}
#define HEX(H, ...) read_hex(H, (const char *const[]){__VA_ARGS__, NULL})

/* ---- values ---- */

static const char PAY_1[] =
    "0a04c3bc2d31120a0a036b696d12030a01781a01611a036220631a00221001feffffffffffffffff01ff"
    "ffffff072a0e0a016b12090a017310031a0210042a050a017a1200321208f9ffffffffffffffff011205"
    "6d696e757332040808120038014a040a026431520c08ffb484af0610c08faedc035a1608fdffffffffff"
    "ffffff011080b6ca91feffffffff0162006a560a0e0a0161120911000000000000f03f0a280a01621223"
    "32210a0220010a0208000a031a01740a122a100a0e0a016312091100000000000004400a070a016e1202"
    "08000a110a016f120c2a0a0a080a017012031a0171720200ff7948afbc9af2d77a3e8501cdcccc3d8801"
    "ffffffffffffffffff01900109a00101aa01060a026c311001aa01021002aa01021003b2010e18012202"
    "01022803280433080934b9010000000000000080c2010b00ffffffffffffffffff01";
static const char PAY_3[] = "3805420163520e08ffffffffffffffffff0110f4035a021001980100b201024001";

START_TEST(messages_of_another_encoder_have_its_values)
{
    static const char *const want[][3] = {
        {"id", "\xc3\xbc-1", ""},
        {"user.name", "kim", "NULL"},
        {"user.friend.name", "x", "NULL"},
        {"user.friend.friend.name", "NULL", "NULL"},
        {"tags[*]", "a|b c|", "NULL"},
        {"tags[1]", "b c", "NULL"},
        {"tags[3]", "NULL", "NULL"},
        {"counts[*]", "1|-2|2147483647", "NULL"},
        {"items.k.sku", "s", "NULL"},
        {"items.k.inner.n", "4", "NULL"},
        {"items.z.n", "0", "NULL"},
        {"items.y.n", "NULL", "NULL"},
        {"names.-7", "minus", "NULL"},
        {"names.8", "", "NULL"},
        {"kind", "CASH", "5"},
        {"card", "NULL", "c"},
        {"cash.drawer", "d1", "NULL"},
        {"at", "2024-02-29T23:59:59.999Z", "1969-12-31T23:59:59.000000500Z"},
        {"at.seconds", "1709251199", "-1"},
        {"took", "-3.500s", "0.000000001s"},
        {"limit", "0", "NULL"},
        {"more.a", "1", "NULL"},
        {"more.b[0]", "true", "NULL"},
        {"more.b[1]", "NULL", "NULL"},
        {"more.b[2]", "t", "NULL"},
        {"more.b[3].c", "2.5", "NULL"},
        {"more.n", "NULL", "NULL"},
        {"more.o.p", "q", "NULL"},
        {"exact", "1e-07", "0"},
        {"ratio", "0.1", "0"},
        {"big", "18446744073709551615", "0"},
        {"delta", "-5", "0"},
        {"maybe", "NULL", "0"},
        {"vip", "true", "false"},
        {"lines[*].sku", "l1||", "NULL"},
        {"lines[*].n", "1|2|3", "NULL"},
        {"base.a", "7", "7"},
        {"base.s", "NULL", "NULL"},
        {"base.need", "1", "NULL"},
        {"base.packed[*]", "1|2", "NULL"},
        {"base.plain[*]", "3|4", "NULL"},
        {"base.part.x", "9", "NULL"},
        {"base.level", "HIGH", "LOW"},
        {"hash", "9223372036854775808", "0"},
        {"kinds[*]", "CARD|OTHER", "NULL"},
    };
    enum { N = sizeof want / sizeof *want };
    char columns[1024] = "";
    for (uint32_t i = 0; i < N; i++)
        sprintf(columns + strlen(columns), "%s%s", i ? "," : "", want[i][0]);
    struct harness *h = bare(columns);
    harness_set(h, "separator", "|");
    HEX(h, PAY_1, PAY_3);
    ck_assert_msg(h->n_rejections == 0, "%s", h->rejection[0].text);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t r = 0; r < 2; r++)
            ck_assert_msg(!strcmp(cell(h, i, r), want[i][1 + r]), "%s: %s", want[i][0],
                          cell(h, i, r));
    harness_free(h);
}
END_TEST

static void becomes(const char *path, const char *bytes, const char *text)
{
    struct harness *h = bare(path);
    HEX(h, bytes);
    const char *got = h->n_rejections ? h->rejection[0].text : cell(h, 0, 0);
    ck_assert_msg(!strcmp(got, text), "%s of %s: %s, not %s", path, bytes, got, text);
    harness_free(h);
}

START_TEST(fields_come_in_any_form_that_the_wire_allows)
{
    becomes("id", "0a0161 0a0162", "b");
    becomes("id", "a00101 0a0161", "a");
    becomes("user.name", "1203 0a016b 1205 1203 0a0166", "k"); /* messages are merged */
    becomes("user.friend.name", "1203 0a016b 1205 1203 0a0166", "f");
    becomes("counts[*]", "2202 0102 2003 2201 04", "1 2 3 4");
    becomes("items.\"\".n", "2a04 1202 1005", "5");
    becomes("items.k.n", "2a03 0a016b", "0");
    becomes("items.k.n", "2a08 0a016b 12030a0161 2a07 0a016b 1202 1005", "5");
    becomes("items.k.sku", "2a08 0a016b 12030a0161 2a07 0a016b 1202 1005", "");
    becomes("maybe", "9801 ffffffffffffffffff01", "-1");
    becomes("maybe", "9801 8080808010", "0");
    becomes("vip", "a001 02", "true");
    becomes("id", "0801 1005", ""); /* of another wire type, and so unknown */
    becomes("card", "4a04 0a02 6431 420163", "c");
    becomes("cash.drawer", "4a04 0a02 6431 420163", "NULL");
    becomes("cash.drawer", "4a04 0a02 6431 420163 4a00", "");
    becomes("base.packed[*]", "b201 06 2001 2002 2803", "1 2");
    becomes("base.plain[*]", "b201 04 2a02 0304", "3 4");
    becomes("base.part.x", "b201 06 33 0809 34 1801", "9");
    becomes("tags[*]", "a00101", "NULL");
    becomes("exact", "79 000000000000f07f", "inf");
    becomes("exact", "79 0000000000000080", "-0");
}
END_TEST

START_TEST(names_of_enums_are_added_once_to_a_batch)
{
    struct harness *h = bare("kind,other=kind,kinds[0]");
    ck_assert_int_eq(harness_open(h, 4), LEAT_OK);
    for (int batch = 0; batch < 2; batch++) {
        harness_clear(h);
        for (int i = 0; i < 2; i++)
            hex(h, "3801 c20102 0001");
        hex(h, "");
        hex(h, "3800 a00101");
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        const struct leat_str *kind = h->b.column[0].text;
        ck_assert_str_eq(cell(h, 0, 1), "CASH");
        ck_assert_str_eq(cell(h, 0, 3), "CARD");
        ck_assert_str_eq(cell(h, 2, 1), "CARD");
        ck_assert_uint_eq(kind[0].off, kind[1].off);
        ck_assert_uint_eq(kind[0].off, h->b.column[1].text[0].off);
        ck_assert_uint_eq(kind[3].off, h->b.column[2].text[0].off);
    }
    harness_free(h);
}
END_TEST

/* The longest texts of the fewest bytes fit the room that the stage asks for. */
START_TEST(texts_fit_the_declared_room)
{
    struct harness *h = bare("at,took,big,exact,counts[*],kinds[*],vip,raw");
    harness_set(h, "other", "empty");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (int i = 0; i < 64; i++)
        hex(h, "5202 1001 5a02 1001 8801 ffffffffffffffffff01 79 ffffffffffffefff 2202 0102 a00101 "
               "7201 61");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    ck_assert_msg(h->n_rejections == 0, "%s", h->rejection[0].text);
    ck_assert_str_eq(cell(h, 0, 63), "1970-01-01T00:00:00.000000001Z");
    ck_assert_str_eq(cell(h, 3, 63), "-1.7976931348623157e+308");
    harness_free(h);
}
END_TEST

START_TEST(times_out_of_their_range_are_rejected)
{
    becomes("at", "5207 088083d1ffaf07",
            "column 'at': 253402300800 s and 0 ns is out of the range of a Timestamp");
    becomes("at", "5206 1080 94ebdc03",
            "column 'at': 0 s and 1000000000 ns is out of the range of a Timestamp");
    becomes("took", "5a0d 0801 10ffffffffffffffffff01",
            "column 'took': 1 s and -1 ns is out of the range of a Duration");
    becomes("at", "5207 08ff82d1ffaf07", "9999-12-31T23:59:59Z");
    becomes("at", "5200", "1970-01-01T00:00:00Z");
    becomes("took", "5a00", "0s");
}
END_TEST

START_TEST(numbers_and_integers_are_what_is_stored)
{
    struct harness *h = bare("big,hash,kind,at,took,limit,delta,exact");
    harness_set(h, "numbers", "at,took,exact");
    harness_set(h, "integers", "kind,limit,delta,hash");
    harness_set(h, "other", "empty");
    HEX(h, PAY_1, "79 000000000000f87f");
    ck_assert_msg(h->n_rejections == 0, "%s", h->rejection[0].text);
    ck_assert(h->b.column[1].int64[0] == LEAT_NO_INT64); /* 2^63 */
    ck_assert(h->b.column[2].int64[0] == 1 && h->b.column[5].int64[0] == 0);
    ck_assert(h->b.column[6].int64[0] == -5);
    ck_assert(h->b.column[3].number[0] == 1709251199.999 && h->b.column[4].number[0] == -3.5);
    ck_assert(h->b.column[7].number[0] == 1e-7 && isnan(h->b.column[7].number[1]));
    harness_free(h);
}
END_TEST

START_TEST(a_message_or_what_is_repeated_is_no_single_value)
{
    static const char *const what[][2] = {{"user", "user is a message, and a column takes single "
                                                   "values: add a key, as in a.b"},
                                          {"tags", "tags is repeated, and a column takes single "
                                                   "values: add an element, [0], or all, [*]"},
                                          {"items", "items is a map, "},
                                          {"lines[*]", "lines[*] is a message, "}};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        struct harness *h = bare(what[i][0]);
        HEX(h, PAY_1);
        expect_rejected_for(h, 0, LEAT_R_FIELDS, what[i][1]);
        harness_free(h);
    }
}
END_TEST

START_TEST(what_is_missing_or_null_is_rejected_on_demand)
{
    struct harness *h = bare("maybe,more.n");
    harness_set(h, "missing", "reject");
    harness_set(h, "null", "reject");
    HEX(h, "980101 6a09 0a07 0a016e 1202 0800", "6a09 0a07 0a016e 1202 0800", "980101", "");
    expect_rejected(h, 0, LEAT_R_FIELDS, "column 'more.n': more.n is null");
    expect_rejected(h, 1, LEAT_R_FIELDS, "column 'maybe': the record has no maybe");
    expect_rejected(h, 2, LEAT_R_FIELDS, "column 'more.n': the record has no more.n");
    ck_assert_uint_eq(h->n_rejections, 3); /* the record without bytes is left out */
    harness_free(h);
}
END_TEST

/* ---- framings ---- */

START_TEST(indexes_name_the_type_of_a_message)
{
    struct harness *h = of_schema("id,name,sku,drawer");
    HEX(h, "00 00000001 00 0a0161", "00 ffffffff 0202 0a0162", "00 00000001 040000 0a0163",
        "00 00000001 040002 0a0164", "00 00000001 00", "00 00000001 0204 0a0161",
        "00 00000001 ffffffffffffffffffff01", "00 00000001", "00 00000001 0201 0a0161",
        "00 00000001 0e0a0c 73686f702e5061792e4361");
    static const char *const want[5][4] = {{"a", "NULL", "NULL", "NULL"},
                                           {"NULL", "b", "NULL", "NULL"},
                                           {"NULL", "NULL", "c", "NULL"},
                                           {"NULL", "NULL", "NULL", "d"},
                                           {"", "NULL", "NULL", "NULL"}};
    for (uint32_t r = 0; r < 5; r++)
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_msg(!strcmp(cell(h, i, r), want[r][i]), "%u %u: %s", r, i, cell(h, i, r));
    for (uint32_t r = 5; r < 10; r++)
        expect_rejected_for(h, r, LEAT_R_SYNTAX, "name no message of it");
    harness_free(h);
}
END_TEST

/* ItemsEntry, NamesEntry, Item, Cash; and Entry, A, B, C. */
START_TEST(entries_of_maps_are_counted_or_not)
{
    static const char many[] =
        "syntax = \"proto3\"; message M { map<int32, int32> m = 1; message A { int32 a = 1; } "
        "message B { int32 b = 1; } }";
    struct harness *h = of_schema("sku,drawer");
    HEX(h, "00 00000001 040004 0a0163", "00 00000001 040006 0a0164");
    ck_assert_str_eq(cell(h, 0, 0), "c");
    ck_assert_str_eq(cell(h, 1, 1), "d");
    harness_free(h);
    for (int named = 0; named < 3; named++) {
        h = parser("a,b");
        harness_set(h, "schema", file("many.proto", many));
        if (named) harness_set(h, "message", named == 1 ? "M.A" : "M.B");
        HEX(h, "00 00000001 040000 0807", "00 00000001 040002 0807", "00 00000001 040004 0807");
        if (named != 2) ck_assert_str_eq(cell(h, 0, 0), "7");
        if (named != 1) ck_assert_str_eq(cell(h, 1, 2), "7");
        if (named)
            ck_assert_str_eq(cell(h, (uint32_t)named - 1, 1), "7");
        else
            expect_rejected(h, 1, LEAT_R_SYNTAX,
                            "the indexes name M.A if their writer counts the entries of maps, and "
                            "else M.B: set `message`");
        harness_free(h);
    }
}
END_TEST

START_TEST(apicurio_names_the_type)
{
    struct harness *h = of_schema("id,name,drawer");
    HEX(h, "00 00000001 0b 0a09 73686f702e55736572 0a0162",
        "00 00000001 0f 0a0d 73686f702e5061792e43617368 0a0164");
    ck_assert_str_eq(cell(h, 1, 0), "b");
    ck_assert_str_eq(cell(h, 2, 1), "d");
    harness_free(h);
}
END_TEST

START_TEST(a_message_of_another_type_is_rejected)
{
    struct harness *h = of_schema("id");
    harness_set(h, "message", "shop.Pay");
    HEX(h, "00 00000001 00 0a0161", "00 00000001 0202 0a0162");
    ck_assert_str_eq(cell(h, 0, 0), "a");
    expect_rejected(h, 1, LEAT_R_SYNTAX, "the record is a message shop.User, not shop.Pay");
    harness_free(h);
}
END_TEST

START_TEST(another_framing_is_named)
{
    struct harness *h = of_schema("id");
    HEX(h, "4f626a01 0e", "7b22 61223a31 7d", "0300 00112233445566778899aabbccddeeff 0e",
        "c301 0011223344556677 0e", "0a0161");
    static const char *const framing[] = {
        "like an Avro file, which this stage does not read", "like JSON: use parse.json",
        "behind the UUID of the schema name no message of it", "like a single-object encoding",
        "set framing = \"none\""};
    for (uint32_t r = 0; r < 5; r++)
        expect_rejected_for(h, r, LEAT_R_SYNTAX, framing[r]);
    harness_free(h);
}
END_TEST

START_TEST(glue_counts_all_messages_by_name)
{
    struct harness *h = parser("a,z,c");
    harness_set(h, "schema",
                file("g.proto", "syntax = \"proto3\"; package s; message B { map<string, int32> m "
                                "= 1; message C { string c = 1; } message A { string a = 1; } } "
                                "message Aa { string z = 1; }"));
    harness_set(h, "framing", "glue");
    HEX(h, "0300 00112233445566778899aabbccddeeff 02 0a027a7a",
        "0305 00112233445566778899aabbccddeeff 789c63e262aaaa020001ab0103",
        "0300 00112233445566778899aabbccddeeff 00 0a0161",
        "0300 00112233445566778899aabbccddeeff 03 0a0162",
        "0300 00112233445566778899aabbccddeeff 04 0a0162",
        "0300 00112233445566778899aabbccddeeff 05", "0300 00112233445566778899aabbccddeeff",
        "0305 00112233445566778899aabbccddeeff 789c63e262aaaa020001ab");
    ck_assert_str_eq(cell(h, 0, 0), "zz");
    ck_assert_str_eq(cell(h, 0, 1), "zz");
    ck_assert_str_eq(cell(h, 1, 2), "a");
    ck_assert_str_eq(cell(h, 2, 3), "b");
    for (uint32_t r = 4; r < 7; r++)
        expect_rejected_for(h, r, LEAT_R_SYNTAX, "behind the UUID of the schema name no message");
    expect_rejected_for(h, 7, LEAT_R_SYNTAX, "zlib stream is cut off");
    harness_free(h);
}
END_TEST

START_TEST(a_framing_that_stands_where_none_should_is_named)
{
    static const struct {
        const char *bytes, *hint;
    } wrong[] = {{"00 00000001 00 0a0161", "the number of a schema do: leave out framing"},
                 {"0300 00112233445566778899aabbccddeeff 0a0161", "as AWS Glue writes records"},
                 {"c301 0011223344556677 0e", "like Avro: use parse.avro"},
                 {"4f626a01 0e", "like Avro: use parse.avro"},
                 {"7b22 61223a31 7d", "like JSON: use parse.json"}};
    struct harness *h = bare("id");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        hex(h, wrong[i].bytes);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_rejected_for(h, i, LEAT_R_SYNTAX, wrong[i].hint);
    harness_free(h);
}
END_TEST

/* Adds a record whose message has the header that names its schema, in hexadecimal. */
static void with_header(struct harness *h, const char *value, const char *record)
{
    static const char name[] = "__value_schema_id";
    uint8_t bytes[64];
    struct leat_header header = {.name = name, .n_name = sizeof name - 1};
    header.n_value = (uint32_t)bytes_of(value, bytes);
    header.value = (const char *)bytes;
    uint32_t r = hex(h, record), n = leat_header_bytes(&header), off = leat_add_bytes(&h->b, n);
    leat_put_header(h->b.bytes + off, &header);
    h->b.headers[r] = (struct leat_str){off, n};
}

START_TEST(a_header_names_schema_and_type)
{
    static const char guid[] = "01 00112233445566778899aabbccddeeff 0202";
    struct harness *h = of_schema("id,name");
    harness_has(h, LEAT_HAS_HEADERS);
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    with_header(h, guid, "0a0161");
    with_header(h, "01 00112233445566778899aabbccddeeff 00", "0a0162");
    with_header(h, "01 00112233445566778899aabbccddeeff", "0a0163");
    with_header(h, "00 00000007 0202", "");
    with_header(h, "01 00112233", "0a0161");
    with_header(h, "01 00112233445566778899aabbccddeeff 0208", "0a0161");
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    static const char *const want[4][2] = {
        {"NULL", "a"}, {"b", "NULL"}, {"c", "NULL"}, {"NULL", ""}};
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t i = 0; i < 2; i++)
            ck_assert_str_eq(cell(h, i, r), want[r][i]);
    expect_rejected_for(h, 4, LEAT_R_SYNTAX, "the header __value_schema_id of the message is");
    expect_rejected_for(h, 5, LEAT_R_SYNTAX, "name no message of it");
    harness_free(h);
}
END_TEST

/* ---- schemas ---- */

/* Set of descriptors by protoc 3.21.12, of: syntax = "proto3"; package p;
 * message M { int32 v = 1; N n = 2; message N { string s = 1; } } */
static const char SET[] =
    "0a500a076d2e70726f746f120170223a0a014d120c0a017618012001280552017612140a016e18022001280b3206"
    "2e702e4d2e4e52016e1a110a014e120c0a0173180120012809520173620670726f746f33";

static struct harness *of_set(void)
{
    uint8_t bytes[512];
    struct harness *h = parser("v,n.s");
    harness_set(h, "schema", file_of("m.desc", bytes, bytes_of(SET, bytes)));
    return h;
}

START_TEST(a_set_of_descriptors_is_a_schema)
{
    struct harness *h = of_set();
    HEX(h, "00 00000001 00 0807 1203 0a0178", "00 00000001 040000 0a0161");
    ck_assert_str_eq(cell(h, 0, 0), "7");
    ck_assert_str_eq(cell(h, 1, 0), "x");
    ck_assert_str_eq(cell(h, 0, 1), "NULL");
    harness_free(h);
}
END_TEST

START_TEST(what_is_no_schema_is_told)
{
    static const char *const wrong[][3] = {
        {"a.proto", "message M { int32 v = x; }", "a.proto:1: "},
        {"b.proto", "syntax = \"proto3\"; import \"none.proto\"; message M {}", "none.proto"},
        {"c.desc", "message M {}", "neither a .proto file nor a set of descriptors"},
        {"d.desc", "", "neither a .proto file nor a set of descriptors"},
        {"e.proto", "syntax = \"proto3\"; message M { N n = 1; }", "\"N\" is not defined"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct harness *h = parser("v");
        harness_set(h, "schema", file(wrong[i][0], wrong[i][1]));
        ck_assert_int_eq(harness_open(h, 1), LEAT_EARG);
        ck_assert_msg(strstr(h->said, wrong[i][2]) != NULL, "%s: %s", wrong[i][0], h->said);
        harness_free(h);
    }
    struct harness *h = of_schema("v");
    harness_set(h, "message", "Pay");
    ck_assert_int_eq(harness_open(h, 1), LEAT_EARG);
    ck_assert_ptr_nonnull(strstr(h->said, "has no message 'Pay': give the name with its package"));
    harness_free(h);
}
END_TEST

START_TEST(wrong_parameters_are_reported)
{
    expect_refused_and_free(parser("a"), "the schema of the messages is missing");
    struct harness *h = of_schema("a");
    harness_set(h, "framing", "none");
    expect_refused_and_free(h, "and `message` to the name of the type");
    h = of_schema("a");
    harness_set(h, "registry", "http://localhost:8081");
    expect_refused_and_free(h, "exclude each other: give only one of them");
}
END_TEST

START_TEST(every_failed_allocation_is_told_and_leaves_nothing)
{
    expect_failed_allocations_told(of_set);
}
END_TEST

/* ---- hostile bytes ---- */

START_TEST(what_is_no_message_is_rejected)
{
    static const char *const wrong[] = {
        "0a05 61",      "0a01ff", "08", "0f01", "3301", "0a0161 00", "ffffffffffffffffffff01",
        "12ffffffff0f", "34"};
    struct harness *h = bare("id");
    ck_assert_int_eq(harness_open(h, 64), LEAT_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        hex(h, wrong[i]);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
    for (uint32_t r = 0; r < sizeof wrong / sizeof *wrong; r++)
        expect_rejected_for(h, r, LEAT_R_SYNTAX,
                            "the bytes from byte 1 on are no message shop.Pay");
    harness_free(h);
}
END_TEST

START_TEST(messages_that_are_nested_too_deep_are_rejected)
{
    for (int deep = 0; deep < 2; deep++) {
        uint8_t bytes[4096];
        size_t at = sizeof bytes, n = deep ? 200 : 50;
        for (size_t i = 0; i < n; i++) { /* from the innermost one */
            size_t len = sizeof bytes - at;
            if (len > 127) bytes[--at] = (uint8_t)(len >> 7);
            bytes[--at] = (uint8_t)(len > 127 ? (len & 127) | 128 : len);
            bytes[--at] = 0x12;
        }
        struct harness *h = bare("user.name");
        ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
        harness_bytes(h, bytes + at, sizeof bytes - at);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        ck_assert_uint_eq(h->n_rejections, (uint32_t)deep);
        harness_free(h);
    }
}
END_TEST

START_TEST(damaged_messages_are_rejected_or_have_cells)
{
    uint64_t random = 7;
    uint8_t good[1024], bytes[1024];
    size_t n = bytes_of(PAY_1, good);
    struct harness *h =
        bare("id,user.friend.name,tags[*],items.k.sku,names.8,at,took,more.b[*].c,lines[*].n,raw");
    harness_set(h, "other", "empty");
    ck_assert_int_eq(harness_open(h, 1), LEAT_OK);
    uint32_t right = 0, wrong = 0;
    for (int i = 0; i < 20000; i++) {
        memcpy(bytes, good, n);
        for (int k = 0; k < 1 + i % 3; k++)
            bytes[mix64_next(&random) % n] = (uint8_t)mix64_next(&random);
        harness_clear(h);
        harness_bytes(h, bytes, 1 + mix64_next(&random) % n);
        ck_assert_int_eq(harness_process(h), LEAT_OK);
        right += h->b.n_sel;
        wrong += !h->b.n_sel;
    }
    ck_assert_uint_gt(right, 500);
    ck_assert_uint_gt(wrong, 500);
    harness_free(h);
}
END_TEST

LEAT_SUITE("parse_protobuf", messages_of_another_encoder_have_its_values,
           fields_come_in_any_form_that_the_wire_allows, names_of_enums_are_added_once_to_a_batch,
           texts_fit_the_declared_room, times_out_of_their_range_are_rejected,
           numbers_and_integers_are_what_is_stored,
           a_message_or_what_is_repeated_is_no_single_value,
           what_is_missing_or_null_is_rejected_on_demand, indexes_name_the_type_of_a_message,
           entries_of_maps_are_counted_or_not, apicurio_names_the_type,
           a_message_of_another_type_is_rejected, another_framing_is_named,
           glue_counts_all_messages_by_name, a_framing_that_stands_where_none_should_is_named,
           a_header_names_schema_and_type, a_set_of_descriptors_is_a_schema,
           what_is_no_schema_is_told, wrong_parameters_are_reported,
           every_failed_allocation_is_told_and_leaves_nothing, what_is_no_message_is_rejected,
           messages_that_are_nested_too_deep_are_rejected,
           damaged_messages_are_rejected_or_have_cells)
