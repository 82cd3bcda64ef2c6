/* test_examples.c -- the worked examples in the headers of kernels/text and kernels/avro hold as
 * printed. */
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/avro/avro.h"
#include "kernels/text/counted.h"
#include "kernels/text/csv.h"
#include "kernels/text/decimal.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/encoding.h"
#include "kernels/text/json.h"
#include "kernels/text/json_path.h"
#include "kernels/text/packet.h"
#include "kernels/text/sparse_text.h"
#include "kernels/text/time_text.h"
#include "kernels/text/tokens.h"

static void is_text(const char *at, size_t n, const char *wanted)
{
    ck_assert_uint_eq(n, strlen(wanted));
    ck_assert(!memcmp(at, wanted, n));
}

START_TEST(csv)
{
    static const char record[] = "a,\"b \"\"c\"\"\",  d";
    const struct csv_dialect d = {',', '"', NULL, false};
    struct csv_field f[3];
    char out[16];
    uint32_t n, at;
    ck_assert_int_eq(csv_split(&d, record, sizeof record - 1, f, 3, &n, &at), CSV_OK);
    ck_assert_uint_eq(n, 3);
    is_text(record + f[0].off, f[0].len, "a");
    is_text(record + f[1].off, f[1].len, "b \"\"c\"\"");
    ck_assert_uint_eq(f[1].doubled, 2);
    is_text(out, csv_unescape(&d, record + f[1].off, f[1].len, out), "b \"c\"");
    is_text(record + f[2].off, f[2].len, "  d");
}
END_TEST

START_TEST(decimal)
{
    static const char text[] = "-12.5;", small[] = "5e-324";
    const char *stop;
    double x;
    ck_assert_int_eq(decimal_parse(text, text + 6, &x, &stop), DECIMAL_OK);
    ck_assert_double_eq(x, -12.5);
    ck_assert_int_eq(*stop, ';');
    ck_assert_int_eq(decimal_whole(small, small + 6, &x), DECIMAL_OK);
    ck_assert_double_eq(x, 0x1p-1074);
}
END_TEST

START_TEST(encoding)
{
    static const uint8_t latin[] = {0x63, 0x61, 0x66, 0xe9};
    struct recode r = {.from = RECODE_LATIN_1};
    char out[16];
    bool beyond = false;
    size_t used;
    ck_assert_uint_eq(utf8_scan((const char *)latin, 4, &beyond), 3);
    size_t n = recode_some(&r, latin, 4, &used, out, sizeof out);
    ck_assert_uint_eq(used, 4);
    is_text(out, n, "\x63\x61\x66\xc3\xa9");
    ck_assert_uint_eq(utf8_scan(out, n, &beyond), n);
}
END_TEST

START_TEST(a_path)
{
    static const char column[] = "code=http.\"a.b\"[2]";
    struct json_step step[sizeof column];
    struct json_path_fault fault;
    char keys[sizeof column];
    uint32_t off = json_path_offset(column);
    is_text(column, off - 1, "code");
    ck_assert_uint_eq(json_path_read(column + off, sizeof column - 1 - off, step, keys, &fault), 3);
    is_text(step[0].key, step[0].len, "http");
    is_text(step[1].key, step[1].len, "a.b");
    ck_assert_int_eq(step[2].kind, JSON_ELEMENT);
    ck_assert_uint_eq(step[2].index, 2);
}
END_TEST

START_TEST(sparse_text)
{
    static const char svm[] = "+1 3:0.5 7:2", ffm[] = "1 0:3:0.5", vw[] = "1 2 |user age:0.5";
    uint64_t id[4];
    float value[4];
    struct libsvm_row s = {.id = id, .value = value, .cap = 4};
    ck_assert_int_eq(libsvm_parse(svm, svm + 12, svm + 12, &s), LIBSVM_OK);
    ck_assert(s.n == 2 && s.label == 1 && id[0] == 3 && id[1] == 7);
    ck_assert(value[0] == 0.5f && value[1] == 2);
    struct libffm_row f = {.id = id, .value = value, .cap = 4};
    ck_assert_int_eq(libffm_parse(ffm, ffm + 9, &f), LIBFFM_OK);
    ck_assert(f.n == 1 && f.label == 1 && id[0] == libffm_id(0, 3) && value[0] == 0.5f);
    struct vw_row v = {.id = id, .value = value, .cap = 4};
    ck_assert_int_eq(vw_parse(vw, vw + 17, vw + 17, &v), VW_OK);
    ck_assert(v.n == 1 && v.label == 1 && v.importance == 2 && value[0] == 0.5f);
}
END_TEST

static int64_t time_as(const char *format, const char *text)
{
    struct time_reader r = {.year = 0};
    char why[TIME_WHY];
    int64_t ns = 0;
    ck_assert(time_format_read(&r.format, format, why));
    ck_assert_ptr_null(time_read(&r, text, strlen(text), TIME_NONE, &ns));
    return ns;
}

START_TEST(times)
{
    ck_assert_int_eq(time_as("iso8601", "2026-11-20T12:00:00.5+02:00"), 1795168800500000000);
    ck_assert_int_eq(time_as("unix", "1795168800.5"), 1795168800500000000);
}
END_TEST

START_TEST(words)
{
    static const char *const known[] = {"earliest", "latest", NULL};
    ck_assert_uint_eq(edit_distance("kafak", "Kafka", 5), 2);
    ck_assert_str_eq(edit_nearest("earlyest", known), "earliest");
}
END_TEST

/* Returns the tokens of a text with '|' between them. */
static const char *tokens_of(const char *text, enum tokens_rule rule)
{
    static char out[100];
    struct tokens_options o = {.rule = rule, .max_bytes = 100};
    struct token t;
    size_t at = 0, n = 0;
    while (tokens_next(&o, text, strlen(text), &at, &t)) {
        memcpy(out + n, text + t.off, t.len);
        n += t.len;
        out[n++] = '|';
    }
    out[n] = 0;
    return out;
}

START_TEST(tokens)
{
    struct tokens_options o = {.lower = true, .max_bytes = 4};
    char form[16];
    ck_assert_str_eq(tokens_of("Don't stop, Ann", TOKENS_WHITESPACE), "Don't|stop,|Ann|");
    ck_assert_str_eq(tokens_of("Don't stop, Ann", TOKENS_WORDS), "Don|t|stop|Ann|");
    is_text(form, tokens_form(&o, "Stopped", 7, form), "stop");
}
END_TEST

START_TEST(counted)
{
    static const char length[] = "\0\0\0\2hi", octets[] = "11 <34>1 - hello";
    struct counted_cut cut;
    ck_assert_int_eq(counted_next(COUNTED_LENGTH, 100, length, 6, &cut), COUNTED_RECORD);
    is_text(length + cut.head, cut.len, "hi");
    ck_assert_uint_eq(cut.head, 4);
    ck_assert_int_eq(counted_next(COUNTED_OCTETS, 100, octets, 16, &cut), COUNTED_RECORD);
    is_text(octets + cut.head, cut.len, "<34>1 - hel");
    ck_assert_uint_eq(cut.head, 3);
}
END_TEST

START_TEST(json)
{
    static const char text[] = "{\"a\": [1, true], \"b\": \"x\\ty\"}";
    static const uint32_t at[] = {0, 1, 4, 6, 7, 8, 10, 14, 15, 17, 20, 22, 28, sizeof text - 1};
    static const char *const path[] = {"a[1]", "b"};
    const struct json_text t = {text, at, 13, true};
    struct json_step step[2][8];
    struct json_node node[8] = {{.child = 0}};
    struct json_path end[2];
    struct json_paths paths = {.node = node, .path = end};
    struct json_path_fault fault;
    char keys[2][8], out[8];
    uint32_t where, off, len;
    for (int i = 0; i < 2; i++)
        json_paths_add(
            &paths, step[i],
            json_path_read(path[i], (uint32_t)strlen(path[i]), step[i], keys[i], &fault));
    ck_assert_int_eq(json_read(&paths, &t, &where), JSON_OK);
    ck_assert_uint_eq(json_found(&paths, 0), 6);
    json_token(&t, 6, &off, &len);
    is_text(text + off, len, "true");
    ck_assert_uint_eq(json_found(&paths, 1), 11);
    json_token(&t, 11, &off, &len);
    is_text(text + off, len, "x\\ty");
    is_text(out, json_unescape(text + off, len, out), "x\ty");
}
END_TEST

START_TEST(packet)
{
    static const uint8_t bytes[] = {0x45, 0, 0,    0x1c, 0, 0, 0, 0,    0x40, 0x11, 0, 0, 0x0a, 0,
                                    0,    1, 0x0a, 0,    0, 2, 0, 0x35, 4,    0,    0, 8, 0,    0};
    struct packet p;
    ck_assert_int_eq(packet_parse(PACKET_RAW, bytes, sizeof bytes, &p), PACKET_OK);
    ck_assert(p.version == 4 && p.protocol == 17 && p.has_ports && p.sport == 53 &&
              p.dport == 1024);
    ck_assert(!memcmp(p.src, (uint8_t[]){10, 0, 0, 1}, 4));
    ck_assert(!memcmp(p.dst, (uint8_t[]){10, 0, 0, 2}, 4));
}
END_TEST

START_TEST(avro)
{
    static const char schema[] =
        "{\"type\": \"record\", \"name\": \"r\", \"fields\": ["
        "{\"name\": \"id\", \"type\": \"long\"},"
        "{\"name\": \"name\", \"type\": [\"null\", \"string\"]},"
        "{\"name\": \"tags\", \"type\": {\"type\": \"array\", \"items\": \"int\"}}]}";
    static const uint8_t bytes[] = {0x02, 0x02, 0x06, 0x6b, 0x69, 0x6d, 0x04, 0x0e, 0x10, 0x00};
    const struct avro_bytes record = {bytes, sizeof bytes};
    struct json_step step[8];
    struct json_node node[4] = {{.child = 0}};
    struct json_path end[1];
    struct json_paths paths = {.node = node, .path = end};
    struct json_path_fault fault;
    struct avro_value found[4];
    char keys[8], why[200];
    const char *field;
    uint32_t at;
    json_paths_add(&paths, step, json_path_read("name", 4, step, keys, &fault));
    struct avro_schema *s =
        avro_schema_read(&(struct avro_schema_text){schema, sizeof schema - 1}, 1, why, sizeof why);
    ck_assert_msg(s != NULL, "%s", why);
    struct avro_plan *plan = avro_plan_new(s, &paths);
    ck_assert_int_eq(avro_read(plan, record, found, &at, &field), AVRO_OK);
    struct avro_value name = found[paths.path[0].node];
    ck_assert(name.type->kind == AVRO_STRING && name.at == 2);
    struct avro_bytes value = avro_slice(record, name);
    is_text((const char *)value.at, value.n, "kim");
    avro_plan_free(plan);
    avro_schema_free(s);
}
END_TEST

LEAT_SUITE("examples", csv, decimal, encoding, a_path, sparse_text, times, words, tokens, counted,
           json, packet, avro)
