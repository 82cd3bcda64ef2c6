/* test_items.c -- heads, ends and JSON of items of CBOR and MessagePack. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/items/item_json.h"

enum { TEXT = 4096 };

static int collect(void *to, const char *bytes, size_t n)
{
    char *text = to;
    size_t had = strlen(text);
    if (had + n >= TEXT) return 1;
    memcpy(text + had, bytes, n);
    text[had + n] = '\0';
    return 0;
}

/* Reads hexadecimal digits to a block of its own, so that a sanitizer sees every read past it. */
static uint8_t *bytes_of(const char *hex, size_t *n)
{
    *n = strlen(hex) / 2;
    uint8_t *p = malloc(*n + !*n);
    for (size_t i = 0; i < *n; i++) {
        unsigned byte;
        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        p[i] = (uint8_t)byte;
    }
    return p;
}

static enum item_fault scan(enum item_format format, const uint8_t *p, size_t n, uint64_t *at)
{
    struct item_scan s;
    item_scan_begin(&s);
    enum item_fault fault = item_scan(&s, format, p, n, 1 << 20);
    *at = s.at;
    return fault;
}

/* Scans an item whose bytes come one by one: it is complete with its last byte, not before. */
static void scan_slowly(enum item_format format, const uint8_t *p, size_t n)
{
    struct item_scan s;
    item_scan_begin(&s);
    for (size_t have = 0; have < n; have++) {
        uint8_t *copy = malloc(have + !have);
        memcpy(copy, p, have);
        ck_assert_int_eq(item_scan(&s, format, copy, have, 1 << 20), ITEM_CUT);
        free(copy);
    }
    ck_assert_int_eq(item_scan(&s, format, p, n, 1 << 20), ITEM_OK);
    ck_assert_uint_eq(s.at, n);
}

static enum item_fault write(enum item_format format, const char *hex, char text[TEXT], size_t *at)
{
    char piece[64];
    struct text_out o = {.buf = piece, .cap = sizeof piece, .drain = collect, .to = text};
    size_t n;
    uint64_t end;
    uint8_t *p = bytes_of(hex, &n);
    *text = '\0';
    ck_assert_msg(scan(format, p, n, &end) == ITEM_OK && end == n, "%s", hex);
    scan_slowly(format, p, n);
    enum item_fault fault = item_json(format, p, n, &o, at);
    text_flush(&o);
    ck_assert_uint_le(strlen(text), n * ITEM_JSON_COPIES + ITEM_JSON_MORE);
    free(p);
    return fault;
}

static void check(enum item_format format, const char *hex, const char *json)
{
    char text[TEXT];
    size_t at;
    ck_assert_msg(write(format, hex, text, &at) == ITEM_OK, "%s", hex);
    ck_assert_msg(!strcmp(text, json), "%s is %s, not %s", hex, text, json);
}

struct pair {
    const char *hex, *json;
};

static void check_all(enum item_format format, const struct pair *pair, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check(format, pair[i].hex, pair[i].json);
}

/* The examples of RFC 8949, appendix A. Byte strings are base64; floats of four bytes have the
 * fewest digits of a float. */
static const struct pair rfc8949[] = {
    {"00", "0"},
    {"01", "1"},
    {"0a", "10"},
    {"17", "23"},
    {"1818", "24"},
    {"1819", "25"},
    {"1864", "100"},
    {"1903e8", "1000"},
    {"1a000f4240", "1000000"},
    {"1b000000e8d4a51000", "1000000000000"},
    {"1bffffffffffffffff", "18446744073709551615"},
    {"c249010000000000000000", "18446744073709551616"},
    {"3bffffffffffffffff", "-18446744073709551616"},
    {"c349010000000000000000", "-18446744073709551617"},
    {"20", "-1"},
    {"29", "-10"},
    {"3863", "-100"},
    {"3903e7", "-1000"},
    {"f90000", "0"},
    {"f98000", "-0"},
    {"f93c00", "1"},
    {"fb3ff199999999999a", "1.1"},
    {"f93e00", "1.5"},
    {"f97bff", "65504"},
    {"fa47c35000", "100000"},
    {"fa7f7fffff", "3.4028235e+38"},
    {"fb7e37e43c8800759c", "1e+300"},
    {"f90001", "5.9604645e-08"},
    {"f90400", "6.1035156e-05"},
    {"f9c400", "-4"},
    {"fbc010666666666666", "-4.1"},
    {"f97c00", "Infinity"},
    {"f97e00", "NaN"},
    {"f9fc00", "-Infinity"},
    {"fa7f800000", "Infinity"},
    {"fa7fc00000", "NaN"},
    {"faff800000", "-Infinity"},
    {"fb7ff0000000000000", "Infinity"},
    {"fb7ff8000000000000", "NaN"},
    {"fbfff0000000000000", "-Infinity"},
    {"f4", "false"},
    {"f5", "true"},
    {"f6", "null"},
    {"f7", "null"},
    {"f0", "null"},
    {"f8ff", "null"},
    {"c074323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\""},
    {"c11a514b67b0", "1363896240"},
    {"c1fb41d452d9ec200000", "1363896240.5"},
    {"d74401020304", "\"AQIDBA==\""},
    {"d818456449455446", "\"ZElFVEY=\""},
    {"d82076687474703a2f2f7777772e6578616d706c652e636f6d", "\"http://www.example.com\""},
    {"40", "\"\""},
    {"4401020304", "\"AQIDBA==\""},
    {"60", "\"\""},
    {"6161", "\"a\""},
    {"6449455446", "\"IETF\""},
    {"62225c", "\"\\\"\\\\\""},
    {"62c3bc", "\"\u00fc\""},
    {"63e6b0b4", "\"\u6c34\""},
    {"64f0908591", "\"\xf0\x90\x85\x91\""},
    {"80", "[]"},
    {"83010203", "[1,2,3]"},
    {"8301820203820405", "[1,[2,3],[4,5]]"},
    {"98190102030405060708090a0b0c0d0e0f101112131415161718181819",
     "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]"},
    {"a0", "{}"},
    {"a201020304", "{\"1\":2,\"3\":4}"},
    {"a26161016162820203", "{\"a\":1,\"b\":[2,3]}"},
    {"826161a161626163", "[\"a\",{\"b\":\"c\"}]"},
    {"a56161614161626142616361436164614461656145",
     "{\"a\":\"A\",\"b\":\"B\",\"c\":\"C\",\"d\":\"D\",\"e\":\"E\"}"},
    {"5f42010243030405ff", "\"AQIDBAU=\""},
    {"7f657374726561646d696e67ff", "\"streaming\""},
    {"9fff", "[]"},
    {"9f018202039f0405ffff", "[1,[2,3],[4,5]]"},
    {"9f01820203820405ff", "[1,[2,3],[4,5]]"},
    {"83018202039f0405ff", "[1,[2,3],[4,5]]"},
    {"83019f0203ff820405", "[1,[2,3],[4,5]]"},
    {"9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
     "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]"},
    {"bf61610161629f0203ffff", "{\"a\":1,\"b\":[2,3]}"},
    {"826161bf61626163ff", "[\"a\",{\"b\":\"c\"}]"},
    {"bf6346756ef563416d7421ff", "{\"Fun\":true,\"Amt\":-2}"},
};

START_TEST(the_examples_of_rfc_8949_have_their_json)
{
    check_all(ITEM_CBOR, rfc8949, sizeof rfc8949 / sizeof *rfc8949);
}
END_TEST

START_TEST(tags_and_keys_of_cbor_have_json)
{
    static const struct pair pairs[] = {
        {"d9d9f7a0", "{}"},         /* self-described */
        {"c48221196ab3", "273.15"}, /* decimal fractions */
        {"c4822100", "0.00"},
        {"c4822001", "0.1"},
        {"c4822020", "-0.1"},
        {"c4822501", "0.000001"},
        {"c4822701", "1e-8"},
        {"c4820203", "3e2"},
        {"c4820003", "3"},
        {"c49f2103ff", "0.03"},
        {"c482271849", "0.00000073"},
        {"c482281849", "73e-9"},
        {"c48229c24203e8", "0.0000001000"},
        {"c482383fc349ffffffffffffffffff", "-4722366482869645213696e-64"},
        {"c480", "[]"}, /* are none: as if untagged */
        {"c4830102f6", "[1,2,null]"},
        {"c4826161f4", "[\"a\",false]"},
        {"c582010a", "[1,10]"},
        {"c240", "0"},
        {"c340", "-1"},
        {"c34100", "-1"},
        {"c341ff", "-256"},
        {"c25f41014100ff", "256"},
        {"c26161", "\"a\""},
        {"a1f4f5", "{\"false\":true}"}, /* keys */
        {"a1f93e0001", "{\"1.5\":1}"},
        {"a1f97e0001", "{\"NaN\":1}"},
        {"a1f601", "{\"null\":1}"},
        {"a14101a120f6", "{\"AQ==\":{\"-1\":null}}"},
        {"a1c2420100a10102", "{\"256\":{\"1\":2}}"},
        {"a2616101616102", "{\"a\":1,\"a\":2}"},
    };
    check_all(ITEM_CBOR, pairs, sizeof pairs / sizeof *pairs);
    char text[TEXT], hex[600];
    size_t at;
    memset(hex, 'f', sizeof hex);
    memcpy(hex, "c25880", 6); /* a bignum of 128 bytes: 2^1024 - 1 */
    hex[6 + 256] = '\0';
    ck_assert_int_eq(write(ITEM_CBOR, hex, text, &at), ITEM_OK);
    ck_assert_uint_eq(strlen(text), 309);
    ck_assert(
        !strncmp(text, "17976931348623159077293051907890247336179769789423065727343008115", 65));
    memcpy(hex, "c25881", 6); /* one byte more: as a byte string */
    hex[6 + 256] = hex[6 + 257] = 'f';
    hex[6 + 258] = '\0';
    ck_assert_int_eq(write(ITEM_CBOR, hex, text, &at), ITEM_OK);
    ck_assert(!strncmp(text, "\"////////", 8));
}
END_TEST

START_TEST(objects_of_messagepack_have_json)
{
    static const struct pair pairs[] = {
        {"00", "0"},
        {"7f", "127"},
        {"ff", "-1"},
        {"e0", "-32"},
        {"c0", "null"},
        {"c2", "false"},
        {"c3", "true"},
        {"cc80", "128"},
        {"cdffff", "65535"},
        {"ceffffffff", "4294967295"},
        {"cfffffffffffffffff", "18446744073709551615"},
        {"d080", "-128"},
        {"d07f", "127"},
        {"d18000", "-32768"},
        {"d280000000", "-2147483648"},
        {"d38000000000000000", "-9223372036854775808"},
        {"d3ffffffffffffffff", "-1"},
        {"d37fffffffffffffff", "9223372036854775807"},
        {"ca3dcccccd", "0.1"},
        {"cb3fb999999999999a", "0.1"},
        {"cb7ff8000000000000", "NaN"},
        {"a0", "\"\""},
        {"a3613a62", "\"a:b\""},
        {"d903610a62", "\"a\\nb\""},
        {"da000161", "\"a\""},
        {"db0000000161", "\"a\""},
        {"c403010203", "\"AQID\""},
        {"c5000101", "\"AQ==\""},
        {"c60000000101", "\"AQ==\""},
        {"9201c0", "[1,null]"},
        {"dc000101", "[1]"},
        {"dd0000000101", "[1]"},
        {"81a16102", "{\"a\":2}"},
        {"de00010102", "{\"1\":2}"},
        {"df000000010102", "{\"1\":2}"},
        {"8105a0", "{\"5\":\"\"}"},
        {"d60565e0a580", "\"ZeClgA==\""}, /* an extension of type 5 */
        {"c70305010203", "\"AQID\""},
        {"c800010501", "\"AQ==\""},
        {"c9000000010501", "\"AQ==\""},
        {"d405ff", "\"/w==\""},
        {"d505ffff", "\"//8=\""},
        {"d8050102030405060708090a0b0c0d0e0f10", "\"AQIDBAUGBwgJCgsMDQ4PEA==\""},
        {"d6ff65e0a580", "\"2024-02-29T15:40:48Z\""}, /* timestamps */
        {"d6ffffffffff", "\"2106-02-07T06:28:15Z\""},
        {"d7ff0000000465e0a580", "\"2024-02-29T15:40:48.000000001Z\""},
        {"d7ffee6b27fc00000000", "\"1970-01-01T00:00:00.999999999Z\""},
        {"d7ff0000000300000000", "\"2378-04-22T19:24:48Z\""},
        {"c70cff00000001ffffffffffffffff", "\"1969-12-31T23:59:59.000000001Z\""},
        {"c70cff00000000ffffffec4cd82480", "\"-0712-10-23T07:00:16Z\""},
        {"c702ff0000", "\"AAA=\""},
    };
    check_all(ITEM_MSGPACK, pairs, sizeof pairs / sizeof *pairs);
}
END_TEST

START_TEST(entries_of_fluentd_name_time_and_record)
{
    static const struct pair pairs[] = {
        {"92ce65e0a58081a16101", "{\"time\":\"2024-02-29T15:40:48Z\",\"record\":{\"a\":1}}"},
        {"92d70065e0a58000000001"
         "80",
         "{\"time\":\"2024-02-29T15:40:48.000000001Z\",\"record\":{}}"},
        {"92c7080065e0a58000000000"
         "80",
         "{\"time\":\"2024-02-29T15:40:48Z\",\"record\":{}}"},
        {"9292d70065e0a58000000000"
         "80"
         "81a16101",
         "{\"time\":\"2024-02-29T15:40:48Z\",\"metadata\":{},\"record\":{\"a\":1}}"},
        {"820080"
         "a161"
         "80",
         "{\"0\":{},\"a\":{}}"},
        {"920001", "[0,1]"},
        {"92a16180", "[\"a\",{}]"},
        {"930080c0", "[0,{},null]"},
        {"92d70165e0a5800000000080", "[\"ZeClgAAAAAA=\",{}]"},
        {"91920080", "[[0,{}]]"},
    };
    check_all(ITEM_MSGPACK, pairs, sizeof pairs / sizeof *pairs);
    check(ITEM_CBOR, "8200a0", "[0,{}]");
}
END_TEST

static void check_fault(enum item_format format, const char *hex, enum item_fault expected,
                        uint64_t expected_at)
{
    size_t n;
    uint64_t at;
    uint8_t *p = bytes_of(hex, &n);
    ck_assert_msg(scan(format, p, n, &at) == expected && at == expected_at, "%s", hex);
    ck_assert(*item_fault_text(expected));
    free(p);
}

START_TEST(what_is_no_item_is_found_at_its_byte)
{
    static const char *const reserved[] = {"1c", "1d", "1e", "1f", "3c", "3f", "5c",   "7d",  "9e",
                                           "bc", "dc", "df", "fc", "fd", "fe", "f800", "f81f"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        char hex[16];
        snprintf(hex, sizeof hex, "8201%s", reserved[i]);
        check_fault(ITEM_CBOR, hex, ITEM_RESERVED, 2);
    }
    check_fault(ITEM_MSGPACK, "9201c1", ITEM_RESERVED, 2);
    check_fault(ITEM_CBOR, "ff", ITEM_BROKEN, 0);
    check_fault(ITEM_CBOR, "81ff", ITEM_BROKEN, 1);
    check_fault(ITEM_CBOR, "bf00ff", ITEM_BROKEN, 2);
    check_fault(ITEM_CBOR, "9fc1ff", ITEM_BROKEN, 2);
    check_fault(ITEM_CBOR, "5f00ff", ITEM_CHUNK, 1);
    check_fault(ITEM_CBOR, "5f6161ff", ITEM_CHUNK, 1);
    check_fault(ITEM_CBOR, "7f4161ff", ITEM_CHUNK, 1);
    check_fault(ITEM_CBOR, "5f5f4100ffff", ITEM_CHUNK, 1);
    check_fault(ITEM_CBOR, "7fc06161ff", ITEM_CHUNK, 1);
    check_fault(ITEM_CBOR, "5bffffffffffffffff", ITEM_LONG, 0);
    check_fault(ITEM_CBOR, "bb7fffffffffffffff", ITEM_LONG, 0);
    check_fault(ITEM_CBOR, "9b8000000000000000", ITEM_LONG, 0);
    check_fault(ITEM_MSGPACK, "c6ffffffff", ITEM_LONG, 0);
    check_fault(ITEM_MSGPACK, "ddffffffff", ITEM_LONG, 0);
}
END_TEST

START_TEST(an_item_is_at_most_256_deep)
{
    static uint8_t deep[ITEM_DEPTH + 2];
    static const uint8_t opening[][2] = {{0x81, 0}, {0x9f, 0}, {0xc6, 0}};
    uint64_t at;
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        memset(deep, opening[i][0], sizeof deep);
        ck_assert_int_eq(scan(ITEM_CBOR, deep, ITEM_DEPTH, &at), ITEM_CUT);
        ck_assert_int_eq(scan(ITEM_CBOR, deep, ITEM_DEPTH + 1, &at), ITEM_DEEP);
        ck_assert_uint_eq(at, ITEM_DEPTH);
    }
    char hex[2 * ITEM_DEPTH + 3], text[TEXT];
    for (int i = 0; i < ITEM_DEPTH; i++)
        memcpy(hex + 2 * i, "91", 2);
    strcpy(hex + sizeof hex - 3, "01");
    size_t end;
    ck_assert_int_eq(write(ITEM_MSGPACK, hex, text, &end), ITEM_OK);
    ck_assert_uint_eq(strlen(text), 2 * ITEM_DEPTH + 1);
}
END_TEST

START_TEST(what_has_no_json_is_found_at_its_byte)
{
    static const struct {
        enum item_format format;
        const char *hex;
        enum item_fault fault;
        size_t at;
    } wrong[] = {
        {ITEM_CBOR, "8161ff", ITEM_NO_UTF8, 2},
        {ITEM_CBOR, "7f61c361bcff", ITEM_NO_UTF8, 2}, /* each part must be UTF-8 */
        {ITEM_CBOR, "63eda080", ITEM_NO_UTF8, 1},
        {ITEM_CBOR, "a18001", ITEM_COMPOUND_KEY, 1},
        {ITEM_CBOR, "a1c1a001", ITEM_COMPOUND_KEY, 2},
        {ITEM_MSGPACK, "82000081010203", ITEM_COMPOUND_KEY, 3},
        {ITEM_MSGPACK, "a180", ITEM_NO_UTF8, 1},
        {ITEM_MSGPACK, "d7ffee6b280000000000", ITEM_TIME, 2},
        {ITEM_MSGPACK, "c70cff000000007fffffffffffffff", ITEM_TIME, 3},
        {ITEM_MSGPACK, "c70cff000000008000000000000000", ITEM_TIME, 3},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[TEXT];
        size_t at;
        ck_assert_msg(write(wrong[i].format, wrong[i].hex, text, &at) == wrong[i].fault, "%s",
                      wrong[i].hex);
        ck_assert_msg(at == wrong[i].at, "%s", wrong[i].hex);
    }
}
END_TEST

LEAT_SUITE("items", the_examples_of_rfc_8949_have_their_json, tags_and_keys_of_cbor_have_json,
           objects_of_messagepack_have_json, entries_of_fluentd_name_time_and_record,
           what_is_no_item_is_found_at_its_byte, an_item_is_at_most_256_deep,
           what_has_no_json_is_found_at_its_byte)
