/* test_arrow.c -- messages of Arrow: rows of a stream, and of the stream with any byte changed. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/arrow/arrow.h"

enum { HEAD = 8, TEXT = 4096, BUFFERS = 64 };

/* Stream of pyarrow: a schema, a batch of three rows, and the mark at the end. */
static const char stream_hex[] =
    "ffffffff380100001000000000000a000c000600050008000a000000000104000c0000000800080000000400"
    "080000000400000004000000d4000000980000003c000000040000004cffffff00000107100000001c000000"
    "0400000000000000010000006400000008000c000400080008000000150000000200000080ffffff0000010c"
    "1400000018000000040000000100000010000000010000006c000000acffffffa8ffffff0000010310000000"
    "1c0000000400000000000000040000006974656d00000600080006000600000000000100d8ffffff00000105"
    "1000000018000000040000000000000001000000730000000400040004000000100014000800060007000c00"
    "000010001000000000000102100000001c0000000400000000000000020000006964000008000c0008000700"
    "080000000000000140000000ffffffff5801000014000000000000000c0016000600050008000c000c000000"
    "0003040018000000980000000000000000000a0018000c00040008000a000000cc0000001000000003000000"
    "00000000000000000b0000000000000000000000010000000000000008000000000000001800000000000000"
    "2000000000000000010000000000000028000000000000001000000000000000380000000000000004000000"
    "0000000040000000000000000000000000000000400000000000000010000000000000005000000000000000"
    "010000000000000058000000000000000c000000000000006800000000000000000000000000000068000000"
    "0000000030000000000000000000000005000000030000000000000001000000000000000300000000000000"
    "0100000000000000030000000000000000000000000000000300000000000000010000000000000003000000"
    "000000000000000000000000050000000000000001000000000000000000000000000000fdffffffffffffff"
    "03000000000000000000000001000000040000000400000061c3a92200000000000000000200000002000000"
    "0300000005000000000000000000c03f000000000000c07f0000000044d61200000000000000000000000000"
    "0cfeffffffffffffffffffffffffffff00000000000000000000000000000000ffffffff00000000";

static const char stream_rows[] = "{\"id\":1,\"s\":\"a\",\"l\":[1.5,null],\"d\":12345.00}\n"
                                  "{\"id\":null,\"s\":\"\u00e9\\\"\",\"l\":[],\"d\":-5.00}\n"
                                  "{\"id\":-3,\"s\":null,\"l\":[NaN],\"d\":0.00}\n";

static int collect(void *to, const char *bytes, size_t n)
{
    char *text = to;
    size_t had = strlen(text);
    if (had + n >= TEXT) return 1;
    memcpy(text + had, bytes, n);
    text[had + n] = '\0';
    return 0;
}

/* Reads a batch, and writes its rows. Returns NULL, or what is wrong. */
static const char *rows_of(struct arrow_batch *b, struct flat *f, uint64_t batch,
                           struct arrow_buffer body, char *text)
{
    char piece[64];
    struct text_out o = {.buf = piece, .cap = sizeof piece, .drain = collect, .to = text};
    struct arrow_buffer buffer[BUFFERS];
    struct arrow_layout l = {.f = f, .buffer = buffer};
    l.nodes = flat_vector(f, batch, 1, 16, &l.n_nodes);
    l.buffers = flat_vector(f, batch, 2, 16, &l.n_buffers);
    if (l.n_buffers > BUFFERS) return "too many buffers";
    for (uint64_t i = 0; i < l.n_buffers; i++) {
        uint64_t at = flat_number(f, l.buffers + 16 * i, 8);
        buffer[i].n = flat_number(f, l.buffers + 16 * i + 8, 8);
        if (buffer[i].n > body.n || at > body.n - buffer[i].n) return "a buffer is outside";
        buffer[i].p = body.p + at;
    }
    b->rows = flat_get(f, batch, 0, 8, 0);
    const char *why = arrow_bind(b, &l, 0, b->schema->n, false);
    for (uint64_t row = 0; !why && row < b->rows && !o.failed; row++) {
        why = arrow_write_row(b, row, &o);
        text_char(&o, '\n');
    }
    text_flush(&o);
    return why;
}

/* Reads the messages of a stream. Returns NULL, or what is wrong. */
static const char *read_stream(const uint8_t *p, size_t n, char text[TEXT])
{
    static struct arrow_schema schema;
    static struct arrow_batch batch = {.schema = &schema};
    const char *why = NULL;
    *text = '\0';
    while (!why && n >= HEAD && le_get32(p + 4)) {
        struct flat f = {p + HEAD, le_get32(p + 4), false};
        if (f.n > n - HEAD) return "the metadata are cut";
        uint64_t message = flat_number(&f, 0, 4), body = flat_get(&f, message, 3, 8, 0);
        uint64_t header = flat_table(&f, message, 2);
        if (body > n - HEAD - f.n) return "the body is cut";
        const struct arrow_buffer at = {p + HEAD + f.n, body};
        if (flat_get(&f, message, 1, 1, 0) == 1)
            why = arrow_read_schema(&f, header, &schema);
        else
            why = rows_of(&batch, &f, header, at, text);
        p += HEAD + f.n + body;
        n -= HEAD + f.n + body;
    }
    return why;
}

static uint8_t *stream_bytes(size_t *n)
{
    *n = (sizeof stream_hex - 1) / 2;
    uint8_t *p = malloc(*n);
    for (size_t i = 0; i < *n; i++) {
        unsigned byte;
        ck_assert_int_eq(sscanf(stream_hex + 2 * i, "%2x", &byte), 1);
        p[i] = (uint8_t)byte;
    }
    return p;
}

START_TEST(rows_are_json)
{
    char text[TEXT];
    size_t n;
    uint8_t *p = stream_bytes(&n);
    ck_assert_ptr_null(read_stream(p, n, text));
    ck_assert_str_eq(text, stream_rows);
    free(p);
}
END_TEST

/* A sanitizer sees each read outside of the stream. */
START_TEST(a_changed_byte_is_found_or_changes_a_value)
{
    char text[TEXT];
    size_t n, found = 0;
    uint8_t *p = stream_bytes(&n);
    for (size_t i = 0; i < n; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            p[i] ^= (uint8_t)(1u << bit);
            found += read_stream(p, n, text) != NULL;
            p[i] ^= (uint8_t)(1u << bit);
        }
    ck_assert_uint_gt(found, n);
    free(p);
}
END_TEST

START_TEST(a_place_outside_of_the_metadata_is_wrong)
{
    static const uint8_t table[] = {8, 0, 0, 0, 4, 0, 8, 0, 4, 0, 0, 0, 255, 255, 255, 127};
    struct flat f = {table, sizeof table, false};
    uint64_t n;
    ck_assert_uint_eq(flat_get(&f, 8, 0, 4, 7), 7); /* a vtable without fields */
    ck_assert(!f.wrong);
    flat_vector(&f, 8, 0, 4, &n);
    ck_assert(!f.wrong && !n);
    ck_assert_uint_eq(flat_number(&f, 12, 8), 0);
    ck_assert(f.wrong);
    f.wrong = false;
    ck_assert_uint_eq(flat_number(&f, UINT64_MAX - 2, 4), 0);
    ck_assert(f.wrong);
}
END_TEST

LEAT_SUITE("arrow", rows_are_json, a_changed_byte_is_found_or_changes_a_value,
           a_place_outside_of_the_metadata_is_wrong)
