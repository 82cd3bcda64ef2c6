/* test_proto_write.c -- proto_schema.h and proto_write.h: the bytes of protobuf 7.36.2, random
 * messages that a decoder in this file reads, presence, faults of schemas and columns. SEED=…
 * replays other random messages. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/bits.h"
#include "kernels/encode/proto_write.h"
#include "support/fit_values.h"
#include "support/random.h"
#include "support/suite.h"

enum { BYTES = 1 << 16 };

static int overflow(void *to, const char *bytes, size_t n) { return -1; }

static char bytes[BYTES];
static struct text_out out;
static struct proto_schema *schema;

static void read_schema(const char *text)
{
    char why[400];
    schema = proto_schema_read(&(struct proto_text){text, strlen(text)}, 1, why, sizeof why);
    ck_assert_msg(schema != NULL, "%s", why);
}

static struct proto_writer *writer(const char *text, const struct fit_column *c, uint32_t n)
{
    struct said said;
    read_schema(text);
    struct proto_writer *w =
        proto_writer_new(proto_schema_message(schema, NULL), c, n, said_begin(&said));
    ck_assert_msg(w != NULL, "%s", said.text);
    return w;
}

static void drop(struct proto_writer *w)
{
    proto_writer_free(w);
    proto_schema_free(schema);
}

static enum fit_fault write_message(const struct proto_writer *w, const struct fit_value *value,
                                    struct fit_place *place)
{
    out = (struct text_out){.buf = bytes, .cap = BYTES, .drain = overflow};
    return proto_write(w, value, &out, place);
}

static void bytes_are(const struct proto_writer *w, const struct fit_value *value, const char *hex)
{
    char got[1000];
    struct fit_place place;
    enum fit_fault fault = write_message(w, value, &place);
    ck_assert_msg(fault == FIT_OK, "fault %d at %s", fault, place.field);
    *got = 0;
    for (size_t i = 0; i < out.n; i++)
        sprintf(got + 2 * i, "%02x", (unsigned char)bytes[i]);
    ck_assert_str_eq(got, hex);
}

/* ---- another serializer ---- */

static const char ALL[] =
    "// all types\nsyntax = \"proto3\";\npackage t.x; import \"google/protobuf/timestamp.proto\";\n"
    "option java_package = \"a;b\"; /* { */\n"
    "message M { reserved 99, 100 to 110; double double = 1; float float = 2; int32 int32 = 3;\n"
    "  int64 int64 = 4; uint32 uint32 = 5 [deprecated = true, (x) = {a: [1]}]; uint64 uint64 = 6;\n"
    "  sint32 sint32 = 0x7; sint64 sint64 = 8; fixed32 fixed32 = 9; fixed64 fixed64 = 10;\n"
    "  sfixed32 sfixed32 = 11; sfixed64 sfixed64 = 12; bool bool = 13; string string = 14;\n"
    "  bytes bytes = 15; E e = 16; U u = 17; google.protobuf.Timestamp at = 18;\n"
    "  message U { bool vip = 1; string s = 1000; map<string, int32> m = 3; }\n"
    "  enum E { option allow_alias = true; A = 0; B = -1; C = 300 [(y) = 1]; }\n"
    "}\nservice S { rpc Get(M) returns (M) {} }\nmessage Second { .t.x.M m = 1; }\n";
static const struct fit_column ALL_COLUMNS[] = {
    COL("double", REAL),     COL("float", REAL),       COL("int32", REAL),
    COL("int64", TEXT),      COL("uint32", INTEGER),   COL("uint64", INTEGER),
    COL("sint32", INTEGER),  COL("sint64", TEXT),      COL("fixed32", REAL),
    COL("fixed64", INTEGER), COL("sfixed32", INTEGER), COL("sfixed64", TEXT),
    COL("bool", TEXT),       COL("string", TEXT),      COL("bytes", BYTES),
    COL("e", TEXT),          COL("u.vip", BOOLEAN),    COL("u.s", TEXT),
    COL("at", TEXT)};

START_TEST(messages_have_the_bytes_of_another_serializer)
{
    struct proto_writer *w = writer(ALL, ALL_COLUMNS, 19);
    struct fit_value v[19] = {NUM(-1.5),
                              NUM(0.1),
                              NUM(-1),
                              TXT("-4611686018427387904"),
                              INT(UINT32_MAX),
                              INT(INT64_MAX),
                              INT(INT32_MIN),
                              TXT("4611686018427387904"),
                              NUM(7),
                              INT(8),
                              INT(-7),
                              TXT("-8"),
                              TXT("true"),
                              TXT("gr\xc3\xbcn"),
                              RAW("\0\xff"),
                              TXT("B"),
                              YES(1),
                              TXT("xxx"),
                              TXT("1969-12-31T23:59:59.5Z")};
    bytes_are(w, v,
              "09000000000000f8bf15cdcccc3d18ffffffffffffffffff01208080808080808080c00128ffffffff0f"
              "30ffffffffffffffff7f38ffffffff0f40808080808080808080014d0700000051080000000000000"
              "05df9ffffff61f8ffffffffffffff680172056772c3bc6e7a0200ff8001ffffffffffffffffff018a0"
              "1080801c23e0378787892011108ffffffffffffffffff011080cab5ee01");
    for (int i = 0; i < 12; i++)
        v[i] = NUM(0);
    v[3] = v[7] = v[11] = TXT("0"), v[4] = v[5] = v[6] = v[9] = v[10] = INT(0);
    v[12] = TXT("false"), v[13] = TXT(""), v[14] = RAW(""), v[15] = TXT("C");
    v[16] = YES(0), v[17] = TXT(""), v[18] = TXT("2024-02-29T23:59:59.000000999Z");
    bytes_are(w, v, "8001ac028a010092010908ffb484af0610e707");
    v[18] = NIL;
    struct fit_place place;
    ck_assert_int_eq(write_message(w, v, &place), FIT_OK); /* a message has presence … */
    v[13] = NIL;
    ck_assert_int_eq(write_message(w, v, &place), FIT_NO_VALUE); /* … and a field has none */
    ck_assert_str_eq(place.field, "string");
    drop(w);
}
END_TEST

START_TEST(a_type_is_named_by_its_index)
{
    char to[PROTO_INDEXES];
    read_schema(ALL);
    ck_assert_uint_eq(proto_indexes(proto_schema_message(schema, NULL), to), 1);
    ck_assert_int_eq(to[0], 0);
    ck_assert_uint_eq(proto_indexes(proto_schema_message(schema, "t.x.Second"), to), 2);
    ck_assert_mem_eq(to, "\2\2", 2);
    ck_assert_ptr_nonnull(proto_schema_message(schema, "Second"));
    ck_assert_ptr_null(proto_schema_message(schema, "U"));
    proto_schema_free(schema);
    read_schema("enum E { A = 0; }");
    ck_assert_ptr_null(proto_schema_message(schema, NULL));
    proto_schema_free(schema);
}
END_TEST

/* ---- presence ---- */

START_TEST(a_missing_value_is_left_out_where_it_may_be)
{
    static const struct fit_column c[] = {COL("a", INTEGER), COL("b", TEXT), COL("in.x", REAL),
                                          COL("in.d.y", TEXT)};
    struct proto_writer *w = writer(
        "syntax = 'proto3'; message M { optional int64 a = 1; oneof o { string b = 2; In in = 3; }"
        " repeated int32 not = 4; } message In { double x = 1; message D { string y = 1; } "
        "optional D d = 2; }",
        c, 2);
    bytes_are(w, (struct fit_value[]){NIL, NIL}, "");
    bytes_are(w, (struct fit_value[]){INT(0), TXT("")}, "08001200");
    drop(w);
    w = writer("message M { required int64 a = 1; optional string b = 2; optional In in = 3; } "
               "message In { optional double x = 1; message D { optional string y = 1; } "
               "optional D d = 2; }",
               c, 4);
    bytes_are(w, (struct fit_value[]){INT(0), NIL, NIL, NIL}, "0800");
    bytes_are(w, (struct fit_value[]){INT(0), NIL, NIL, TXT("k")}, "08001a0512030a016b");
    struct fit_place place;
    ck_assert_int_eq(write_message(w, (struct fit_value[]){NIL, NIL, NIL, NIL}, &place),
                     FIT_NO_VALUE);
    drop(w);
}
END_TEST

START_TEST(lengths_of_messages_may_have_several_bytes)
{
    static char long_text[20000];
    static const struct fit_column c[] = {COL("in.d.y", TEXT), COL("in.d.z", INTEGER)};
    struct proto_writer *w =
        writer("syntax = \"proto3\"; message M { In in = 1; } message In { D d = 1; } "
               "message D { string y = 1; int32 z = 2; }",
               c, 2);
    struct fit_place place;
    memset(long_text, 'x', sizeof long_text);
    struct fit_value v[] = {{FIT_TEXT, sizeof long_text, {.text = long_text}}, INT(5)};
    ck_assert_int_eq(write_message(w, v, &place), FIT_OK);
    ck_assert_uint_eq(out.n, sizeof long_text + 4 + 2 + 4 + 4);
    ck_assert_mem_eq(bytes, "\x0a\xaa\x9c\x01\x0a\xa6\x9c\x01\x0a\xa0\x9c\x01xxx", 15);
    ck_assert_mem_eq(bytes + out.n - 3, "x\x10\x05", 3);
    drop(w);
}
END_TEST

/* ---- faults ---- */

static void refused(const char *text, const char *name, enum fit_kind kind, const char *says)
{
    struct said said;
    struct fit_column c = {.name = name, .kind = kind};
    read_schema(text);
    ck_assert_ptr_null(
        proto_writer_new(proto_schema_message(schema, NULL), &c, 1, said_begin(&said)));
    ck_assert_str_eq(said.text, says);
    proto_schema_free(schema);
}

START_TEST(columns_that_do_not_fit_are_named_before_the_first_record)
{
    refused("message M { optional int32 amount = 1; }", "amout", FIT_REAL,
            "column 'amout' is no field of the schema: did you mean 'amount'?\n");
    refused("message M { required int32 amount = 1; }", "amout", FIT_REAL,
            "field 'amount' (int32) of the schema has no column and is required: did you mean "
            "column 'amout'?\n"
            "column 'amout' is no field of the schema: did you mean 'amount'?\n");
    refused("message M { repeated int32 a = 1; }", "a", FIT_REAL,
            "column 'a' has numbers, which field 'a' (repeated) does not take\n");
    refused("message M { map<string, int32> a = 1; }", "a", FIT_REAL,
            "column 'a' has numbers, which field 'a' (repeated) does not take\n");
    refused("message M { optional M a = 1; }", "a", FIT_REAL,
            "column 'a' has numbers, which field 'a' (message) does not take\n");
    refused("message M { optional other.Type a = 1; }", "a", FIT_REAL,
            "column 'a' has numbers, which field 'a' (a type of another file) does not take\n");
    refused("message M { optional int32 a = 1; }", "a", FIT_BYTES,
            "column 'a' has bytes, which field 'a' (int32) does not take\n");
    static const struct fit_column two[] = {COL("a", TEXT), COL("b", TEXT)};
    struct said said;
    read_schema("message M { oneof o { string a = 1; string b = 2; } }");
    ck_assert_ptr_null(
        proto_writer_new(proto_schema_message(schema, NULL), two, 2, said_begin(&said)));
    ck_assert_str_eq(said.text, "column 'b' has texts, which field 'b' (a second one of its oneof) "
                                "does not take\n");
    proto_schema_free(schema);
}
END_TEST

START_TEST(wrong_schemas_are_refused_with_their_line)
{
    static const char *const wrong[][2] = {
        {"{}", "line 1: it is not the text of a .proto file"},
        {"\n\nmessage M { int32 a = x; }", "line 3: a number is expected"},
        {"message M { int32 a = 0; }", "line 1: the number of a field is wrong"},
        {"message M { int32 a = 1; int32 b = 1; }",
         "line 1: two fields of a message have one name or number"},
        {"message M { int32 a = 1; int32 a = 2; }",
         "line 1: two fields of a message have one name or number"},
        {"message M { int32 a = 19000; }",
         "line 1: the numbers of fields 19000 to 19999 are reserved"},
        {"message M { int32 a 1; }", "line 1: '=' is expected, not '1'"},
        {"message M { int32 a = 1", "line 1: ';' is expected, not ''"},
        {"message { }", "line 1: a name is expected"},
        {"message M {", "line 1: '}' is expected, not ''"},
        {"enum E { A = 1; ", "line 1: '}' is expected, not ''"},
        {"option a = {", "line 1: the text ends in a statement"},
        {"message M { int32 a = 1 [x", "line 1: the text ends in options"},
        {"/* ", ""}};
    char why[400];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct proto_schema *s = proto_schema_read(
            &(struct proto_text){wrong[i][0], strlen(wrong[i][0])}, 1, why, sizeof why);
        ck_assert_msg(!s == !!*wrong[i][1], "%s", wrong[i][0]);
        ck_assert_str_eq(why, wrong[i][1]);
        proto_schema_free(s);
    }
}
END_TEST

START_TEST(cut_and_changed_schemas_never_crash)
{
    uint64_t seed = seed_given();
    char why[400];
    for (int i = 0; i < 20000; i++) {
        char *text = malloc(sizeof ALL);
        memcpy(text, ALL, sizeof ALL);
        size_t n = below(&seed, 2) ? sizeof ALL - 1 : below(&seed, sizeof ALL);
        for (uint32_t k = below(&seed, 4); k > 0; k--)
            text[below(&seed, sizeof ALL - 1)] = "{};=[]\"/*<>. M1\n"[below(&seed, 16)];
        char *exact = malloc(n ? n : 1);
        memcpy(exact, text, n);
        struct proto_schema *s =
            proto_schema_read(&(struct proto_text){exact, n}, 1, why, sizeof why);
        ck_assert(!s == !!*why);
        proto_schema_free(s);
        free(exact);
        free(text);
    }
}
END_TEST

/* ---- random messages by schemas of columns ---- */

enum { FIELDS = 20 };

static uint64_t take_varint(const uint8_t **at)
{
    uint64_t x = 0;
    for (int shift = 0;; shift += 7) {
        x |= (uint64_t)(**at & 127) << shift;
        if (*(*at)++ < 128) return x;
    }
}

static void field_is(const uint8_t **at, uint32_t number, const struct fit_value *v)
{
    static const int wire[FIT_KINDS] = {[FIT_REAL] = 1, [FIT_TEXT] = 2, [FIT_BYTES] = 2};
    uint64_t bits = 0;
    if (v->kind == FIT_MISSING) return;
    ck_assert_uint_eq(take_varint(at), number * 8u + (uint32_t)wire[v->kind]);
    if (wire[v->kind] == 2) {
        ck_assert_uint_eq(take_varint(at), v->n);
        ck_assert_mem_eq(*at, v->is.text, v->n);
        *at += v->n;
    } else if (v->kind == FIT_REAL) {
        for (int i = 7; i >= 0; i--)
            bits = bits << 8 | (*at)[i];
        ck_assert_double_eq(double_of_bits(bits), v->is.real);
        *at += 8;
    } else
        ck_assert_msg((int64_t)take_varint(at) == v->is.integer, "%" PRId64, v->is.integer);
}

START_TEST(random_messages_by_schemas_of_columns_are_read_back)
{
    static const enum fit_kind kinds[] = {FIT_TEXT, FIT_REAL, FIT_INTEGER, FIT_BOOLEAN, FIT_BYTES};
    uint64_t seed = seed_given();
    for (int round = 0; round < 2000; round++) {
        char names[FIELDS][8];
        struct fit_column c[FIELDS];
        struct fit_value v[FIELDS];
        struct said said;
        struct fit_place place;
        uint32_t n = 1 + below(&seed, FIELDS);
        for (uint32_t i = 0; i < n; i++) {
            sprintf(names[i], "f%u", i);
            enum fit_kind kind = kinds[below(&seed, 5)];
            c[i] = (struct fit_column){.name = names[i], .kind = kind};
            v[i] = (struct fit_value){.kind = below(&seed, 3) ? kind : FIT_MISSING};
            if (kind == FIT_REAL) v[i].is.real = below(&seed, 5) ? normal(&seed) : 0;
            if (kind == FIT_BOOLEAN) v[i].is.integer = below(&seed, 2);
            if (kind == FIT_INTEGER)
                v[i].is.integer = (int64_t)(mix64_next(&seed) >> below(&seed, 64));
            if (kind != FIT_TEXT && kind != FIT_BYTES) continue;
            v[i].is.text = names[i];
            v[i].n = below(&seed, 3);
        }
        char *text = proto_schema_made(c, n, "R", said_begin(&said));
        struct proto_writer *w = writer(text, c, n);
        ck_assert_int_eq(write_message(w, v, &place), FIT_OK);
        const uint8_t *at = (const uint8_t *)bytes;
        for (uint32_t i = 0; i < n; i++)
            field_is(&at, i + 1, &v[i]);
        ck_assert_ptr_eq(at, bytes + out.n);
        drop(w);
        free(text);
    }
}
END_TEST

START_TEST(a_schema_is_made_of_the_columns)
{
    static const struct fit_column c[] = {COL("id", TEXT), COL("n", INTEGER), COL("at", TIME)};
    static const struct fit_column wrong[] = {COL("user.id", TEXT)};
    struct said said;
    char *text = proto_schema_made(c, 3, "out", said_begin(&said));
    ck_assert_str_eq(text, "syntax = \"proto3\";\nimport \"google/protobuf/timestamp.proto\";\n"
                           "message out {\n  optional string id = 1;\n  optional int64 n = 2;\n"
                           "  optional google.protobuf.Timestamp at = 3;\n}\n");
    struct proto_writer *w = writer(text, c, 3);
    bytes_are(w, (struct fit_value[]){TXT("k"), NIL, AT(-1)},
              "0a016b1a1108ffffffffffffffffff0110ff93ebdc03");
    drop(w);
    free(text);
    ck_assert_ptr_null(proto_schema_made(wrong, 1, "out", said_begin(&said)));
    ck_assert_str_eq(said.text,
                     "column 'user.id' cannot be a field, because names in Protocol Buffers have "
                     "letters, digits and _ only: write \"NAME=user.id\" in `columns`, or give "
                     "`schema`\n");
}
END_TEST

/* parse.protobuf shows an unknown number of an enum as a text, and a Timestamp of any year. */
START_TEST(what_the_parser_shows_is_written)
{
    static const struct fit_column columns[] = {{"e", .kind = FIT_TEXT}, {"at", .kind = FIT_TEXT}};
    struct proto_writer *w =
        writer("syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; "
               "enum E { A = 0; } message M { E e = 1; "
               "google.protobuf.Timestamp at = 2; }",
               columns, 2);
    struct fit_place place;
    bytes_are(w,
              (struct fit_value[]){{FIT_TEXT, 1, {.text = "7"}},
                                   {FIT_TEXT, 30, {.text = "0001-01-01T00:00:00.000000001Z"}}},
              "0807120d088092b8c398feffffff011001");
    bytes_are(w,
              (struct fit_value[]){{FIT_TEXT, 2, {.text = "-2"}},
                                   {FIT_TEXT, 30, {.text = "9999-12-31T23:59:59.999999999Z"}}},
              "08feffffffffffffffff01120d08ff82d1ffaf0710ff93ebdc03");
    ck_assert_int_eq(write_message(w,
                                   (struct fit_value[]){{FIT_TEXT, 1, {.text = "B"}},
                                                        {FIT_TEXT, 10, {.text = "2024-01-01"}}},
                                   &place),
                     FIT_NO_SYMBOL);
    ck_assert_int_eq(write_message(w,
                                   (struct fit_value[]){{FIT_TEXT, 10, {.text = "2147483648"}},
                                                        {FIT_TEXT, 10, {.text = "2024-01-01"}}},
                                   &place),
                     FIT_NO_SYMBOL);
    drop(w);
}
END_TEST

LEAT_SUITE("proto_write", what_the_parser_shows_is_written,
           messages_have_the_bytes_of_another_serializer, a_type_is_named_by_its_index,
           a_missing_value_is_left_out_where_it_may_be, lengths_of_messages_may_have_several_bytes,
           columns_that_do_not_fit_are_named_before_the_first_record,
           wrong_schemas_are_refused_with_their_line, cut_and_changed_schemas_never_crash,
           random_messages_by_schemas_of_columns_are_read_back, a_schema_is_made_of_the_columns)
