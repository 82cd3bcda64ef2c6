/* test_state_codec.c -- bytes of a state are read back; damaged or false ones are refused. */
#include "support/suite.h"
#include "core/mix64.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/store/state_codec.h"

static const float THREE[] = {1.5f, -0.0f, 3e38f};
static const uint32_t WORDS[] = {1, 2, 0xffffffffu, 7, 0};

static const int64_t TIMES[] = {INT64_MIN, -1, INT64_MAX};

enum { WIDE = 1203 }; /* doubles: not whole blocks */

static const double *wide(void)
{
    static double v[WIDE];
    v[0] = -0.0, v[8] = 1, v[511] = v[512] = 1e300, v[WIDE - 1] = NAN;
    return v;
}

/* Returns a state with every kind of field; the caller frees it. */
static struct state_writer sample(void)
{
    struct state_writer w;
    ck_assert_int_eq(state_writer_init(&w, "learn.sample", 7), LEAT_OK);
    w.base.u64(&w.base, "width", 1024);
    w.base.f64(&w.base, "lambda", 1e-6);
    w.base.array(&w.base, "cells", LEAT_F32, THREE, 3);
    w.base.array(&w.base, "none", LEAT_U64, NULL, 0);
    w.base.array(&w.base, "text", LEAT_U8, "h\0i", 3);
    w.base.array(&w.base, "words", LEAT_U32, WORDS, 5);
    w.base.array(&w.base, "masses", LEAT_F64, (double[]){NAN, -INFINITY}, 2);
    w.base.array(&w.base, "wide", LEAT_F64, wide(), WIDE);
    w.base.i64(&w.base, "since", INT64_MIN);
    w.base.text(&w.base, "unit", "ms", 2);
    w.base.text(&w.base, "eight", "12345678", 8); /* the final zero is in the next eight bytes */
    w.base.text(&w.base, "empty", NULL, 0);
    w.base.array(&w.base, "times", LEAT_I64, TIMES, 3);
    w.base.u64(&w.base, "last", UINT64_MAX);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    return w;
}

static struct state_reader *reading(const void *bytes, size_t n, int status)
{
    struct state_reader *r = malloc(sizeof *r);
    int got = state_reader_init(r, bytes, n);
    ck_assert_msg(got == status, "%d: %s", got, r->error);
    ck_assert((got == LEAT_OK) == (r->error[0] == 0));
    return r;
}

static void done(struct state_reader *r)
{
    state_reader_free(r);
    free(r);
}

static void check_sample(struct leat_reader *r)
{
    uint64_t v = 0, n = 0;
    int64_t i = 0;
    double d = 0;
    const void *p;
    const char *t;
    ck_assert_int_eq(r->u64(r, "width", &v), LEAT_OK);
    ck_assert_uint_eq(v, 1024);
    ck_assert_int_eq(r->f64(r, "lambda", &d), LEAT_OK);
    ck_assert(d == 1e-6);
    ck_assert_int_eq(r->array(r, "cells", LEAT_F32, 3, &p), LEAT_OK);
    ck_assert(!memcmp(p, THREE, sizeof THREE) && (uintptr_t)p % 64 == 0);
    ck_assert_int_eq(r->array(r, "none", LEAT_U64, 0, &p), LEAT_OK);
    n = 7;
    ck_assert_int_eq(r->array_up_to(r, "none", LEAT_U64, 0, &p, &n), LEAT_OK);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(r->array_up_to(r, "text", LEAT_U8, 3, &p, &n), LEAT_OK);
    ck_assert(n == 3 && !memcmp(p, "h\0i", 3) && (uintptr_t)p % 64 == 0);
    ck_assert_int_eq(r->array_up_to(r, "words", LEAT_U32, UINT64_MAX, &p, &n), LEAT_OK);
    ck_assert(n == 5 && !memcmp(p, WORDS, sizeof WORDS) && (uintptr_t)p % 64 == 0);
    ck_assert_int_eq(r->array(r, "masses", LEAT_F64, 2, &p), LEAT_OK);
    ck_assert(isnan(((const double *)p)[0]) && ((const double *)p)[1] == -INFINITY);
    ck_assert_int_eq(r->array(r, "wide", LEAT_F64, WIDE, &p), LEAT_OK);
    ck_assert(!memcmp(p, wide(), WIDE * sizeof(double)) && (uintptr_t)p % 64 == 0);
    ck_assert_int_eq(r->i64(r, "since", &i), LEAT_OK);
    ck_assert(i == INT64_MIN);
    ck_assert_int_eq(r->text(r, "unit", 2, &t, &n), LEAT_OK);
    ck_assert(n == 2 && !strcmp(t, "ms"));
    ck_assert_int_eq(r->text(r, "eight", 8, &t, NULL), LEAT_OK);
    ck_assert_str_eq(t, "12345678");
    ck_assert_int_eq(r->text(r, "empty", 0, &t, &n), LEAT_OK);
    ck_assert(n == 0 && !*t);
    ck_assert_int_eq(r->array(r, "times", LEAT_I64, 3, &p), LEAT_OK);
    ck_assert(!memcmp(p, TIMES, sizeof TIMES));
    ck_assert_int_eq(r->u64(r, "last", &v), LEAT_OK);
    ck_assert_uint_eq(v, UINT64_MAX);
}

START_TEST(what_was_written_is_read)
{
    struct state_writer w = sample();
    struct state_reader *r = reading(w.bytes, w.n, LEAT_OK);
    ck_assert_str_eq(r->stage, "learn.sample");
    ck_assert_uint_eq(r->version, 7);
    check_sample(&r->base);
    check_sample(&r->base);                                                    /* repeatable */
    ck_assert_int_eq(r->copy != NULL, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__); /* else aligned */
    done(r);
    state_writer_free(&w);
}
END_TEST

START_TEST(fields_are_found_in_any_order)
{
    struct state_writer w = sample();
    struct state_reader *r = reading(w.bytes, w.n, LEAT_OK);
    static const char *const name[] = {"last", "width", "last", "width", "width"};
    uint64_t v;
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(r->base.u64(&r->base, name[i], &v), LEAT_OK);
        ck_assert_uint_eq(v, name[i][0] == 'l' ? UINT64_MAX : 1024);
    }
    done(r);
    state_writer_free(&w);
}
END_TEST

/* Bytes from a network message have any alignment. */
START_TEST(bytes_that_are_not_aligned_are_read_too)
{
    struct state_writer w = sample();
    char *moved = aligned_alloc(64, (w.n + 127) & ~(size_t)63);
    for (size_t by = 1; by < 64; by += 9) {
        memcpy(moved + by, w.bytes, w.n);
        struct state_reader *r = reading(moved + by, w.n, LEAT_OK);
        memset(moved + by, 0, w.n); /* the reader has a copy */
        check_sample(&r->base);
        done(r);
    }
    free(moved);
    state_writer_free(&w);
}
END_TEST

/* Checks the format byte by byte, so that it does not change unnoticed. */
START_TEST(the_format_is_the_documented_one)
{
    struct state_writer w;
    ck_assert_int_eq(state_writer_init(&w, "a.b", 0x01020304), LEAT_OK);
    w.base.u64(&w.base, "width", 0x1122334455667788u);
    w.base.array(&w.base, "x", LEAT_U32, WORDS + 2, 2);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    static const unsigned char want[] =
        "leatSTAT\2\0\0\0\4\3\2\1\x90\0\0\0\0\0\0\0\2\0\0\0\3\0\0\0a.b\0\0\0\0\0"     /* 40 bytes */
        "\3\0\0\0\5\0\0\0\1\0\0\0\0\0\0\0width\0\0\0\x88\x77\x66\x55\x44\x33\x22\x11" /* 72 */
        "\2\0\1\0\1\0\0\0\2\0\0\0\0\0\0\0x\0\0\0\0\0\0\0";                            /* 96 */
    ck_assert_uint_eq(w.n, 128 + 8 + 8);
    ck_assert(!memcmp(w.bytes, want, 96));
    for (int i = 96; i < 128; i++)
        ck_assert_int_eq(w.bytes[i], 0);
    ck_assert(!memcmp(w.bytes + 128, "\xff\xff\xff\xff\7\0\0\0", 8));
    state_writer_free(&w);
}
END_TEST

START_TEST(of_an_array_that_is_mostly_zeros_only_the_rest_is_kept)
{
    struct state_writer w;
    ck_assert_int_eq(state_writer_init(&w, "a", 1), LEAT_OK);
    size_t before = w.n;
    w.base.array(&w.base, "x", LEAT_F64, wide(), WIDE);
    const unsigned char *field = (const unsigned char *)w.bytes + before;
    ck_assert_uint_eq(field[2], 2);
    ck_assert_uint_eq(w.n - before, (64 - before % 64) + 64 + 5 * 64); /* head, bitmap, 5 blocks */
    const unsigned char *bitmap = (const unsigned char *)w.bytes + (before + 63) / 64 * 64;
    static const unsigned char want[24] = {[0] = 3, [7] = 0x80, [8] = 1, [18] = 0x40};
    ck_assert(!memcmp(bitmap, want, sizeof want)); /* blocks 0, 1, 63, 64 and 150 */
    state_writer_free(&w);
}
END_TEST

START_TEST(room_that_the_stage_fills_itself_is_a_field_like_others)
{
    struct state_writer w, v;
    state_writer_init(&w, "a", 1);
    state_writer_init(&v, "a", 1);
    uint32_t *words = w.base.reserve(&w.base, "words", LEAT_U32, 5);
    ck_assert_ptr_nonnull(words);
    memcpy(words, WORDS, sizeof WORDS);
    ck_assert_ptr_nonnull(w.base.reserve(&w.base, "none", LEAT_U8, 0));
    v.base.array(&v.base, "words", LEAT_U32, WORDS, 5);
    v.base.array(&v.base, "none", LEAT_U8, "", 0);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    ck_assert_int_eq(state_writer_finish(&v), LEAT_OK);
    ck_assert(w.n == v.n && !memcmp(w.bytes, v.bytes, w.n));
    state_writer_begin(&w, "a", 1);
    ck_assert_ptr_null(w.base.reserve(&w.base, "too much", LEAT_U64, UINT64_MAX / 8));
    ck_assert_int_eq(state_writer_finish(&w), LEAT_ENOMEM);
    state_writer_free(&w);
    state_writer_free(&v);
}
END_TEST

START_TEST(every_flipped_bit_is_noticed)
{
    struct state_writer w = sample();
    for (size_t i = 0; i < w.n * 8; i++) {
        w.bytes[i / 8] ^= (char)(1 << i % 8);
        done(reading(w.bytes, w.n, LEAT_EDATA));
        w.bytes[i / 8] ^= (char)(1 << i % 8);
    }
    done(reading(w.bytes, w.n, LEAT_OK));
    state_writer_free(&w);
}
END_TEST

START_TEST(every_shorter_and_longer_state_is_refused)
{
    struct state_writer w = sample();
    for (size_t n = 0; n < w.n; n++) {
        char *cut = malloc(n + 1); /* exact size, so that a sanitizer sees the end */
        memcpy(cut, w.bytes, n);
        struct state_reader *r = reading(cut, n, LEAT_EDATA);
        if (n >= 40) ck_assert_msg(strstr(r->error, "cut short") != NULL, "%s", r->error);
        done(r);
        free(cut);
    }
    char *more = calloc(1, w.n + 8);
    memcpy(more, w.bytes, w.n);
    done(reading(more, w.n + 8, LEAT_EDATA));
    free(more);
    state_writer_free(&w);
}
END_TEST

static void seal(char *bytes, size_t n)
{
    uint64_t sum = state_checksum(bytes, n);
    for (int i = 0; i < 8; i++)
        bytes[n - 8 + i] = (char)(sum >> 8 * i);
}

/* Requests everything that a hostile state may claim to hold, and reads every byte of it. */
static uint64_t read_all(struct state_reader *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n_fields; i++) {
        const struct stored_field *f = &r->field[i];
        static const size_t size[] = {0, 1, 4, 8, 4, 8, 8};
        char name[STATE_MAX_NAME + 1] = {0};
        const void *p = NULL;
        uint64_t n = 0, v;
        int64_t s;
        double d;
        const char *t = NULL;
        memcpy(name, f->name, f->name_len);
        if (f->array)
            ck_assert_int_eq(r->base.array_up_to(&r->base, name, f->element, UINT64_MAX, &p, &n),
                             LEAT_OK);
        else if (f->text)
            ck_assert_int_eq(r->base.text(&r->base, name, UINT64_MAX, &t, NULL), LEAT_OK);
        else if (f->element == LEAT_I64)
            ck_assert_int_eq(r->base.i64(&r->base, name, &s), LEAT_OK);
        else if (f->element == LEAT_U64)
            ck_assert_int_eq(r->base.u64(&r->base, name, &v), LEAT_OK);
        else
            ck_assert_int_eq(r->base.f64(&r->base, name, &d), LEAT_OK);
        for (uint64_t k = 0; k < n * size[f->element]; k++)
            sum += ((const unsigned char *)p)[k];
        if (t) sum += strlen(t);
    }
    return sum;
}

/* Anyone can compute the checksum, so a right one does not make the lengths true. */
START_TEST(a_state_with_wrong_contents_and_a_right_checksum_is_read_within_its_bounds)
{
    static const uint64_t lie[] = {0, 1, 2, 7, 63, 64, 255, 1u << 16, UINT32_MAX, UINT64_MAX};
    struct state_writer w = sample();
    uint64_t s = 11;
    int accepted = 0, refused = 0;
    for (int k = 0; k < 100000; k++) {
        size_t n = mix64_next(&s) % 4 ? w.n : mix64_next(&s) % (w.n + 1);
        if (n < 8) continue;
        char *bytes = aligned_alloc(64, (n + 63) & ~(size_t)63);
        memcpy(bytes, w.bytes, n);
        for (uint64_t i = 0, times = 1 + mix64_next(&s) % 3; i < times; i++) {
            size_t size = (size_t)1 << mix64_next(&s) % 4, at = mix64_next(&s) % n;
            uint64_t v = mix64_next(&s) % 3 ? lie[mix64_next(&s) % 10] : mix64_next(&s);
            at -= at % size;
            memcpy(bytes + at, &v, size < n - at ? size : n - at);
        }
        if (n > 24 && mix64_next(&s) % 8) memcpy(bytes + 16, &(uint64_t){n}, 8);
        seal(bytes, n);
        struct state_reader r;
        if (state_reader_init(&r, bytes, n) == LEAT_OK) {
            accepted++;
            read_all(&r);
        } else {
            refused++;
            ck_assert(r.error[0]);
        }
        state_reader_free(&r);
        free(bytes);
    }
    ck_assert_int_gt(accepted, 1000);
    ck_assert_int_gt(refused, 1000);
    state_writer_free(&w);
}
END_TEST

START_TEST(a_newer_format_is_refused_as_such)
{
    struct state_writer w = sample();
    w.bytes[8] = 3;
    seal(w.bytes, w.n);
    struct state_reader *r = reading(w.bytes, w.n, LEAT_EDATA);
    ck_assert_str_eq(r->error, "format 3; this version of leat reads 2");
    done(r);
    state_writer_free(&w);
}
END_TEST

START_TEST(two_fields_of_one_name_are_refused)
{
    struct state_writer w;
    state_writer_init(&w, "s", 1);
    w.base.u64(&w.base, "ab", 1);
    w.base.u64(&w.base, "ac", 2);
    state_writer_finish(&w);
    *(char *)memmem(w.bytes, w.n, "ac", 2) = 'a';
    ((char *)memmem(w.bytes, w.n, "ac", 2))[1] = 'b';
    seal(w.bytes, w.n);
    struct state_reader *r = reading(w.bytes, w.n, LEAT_EDATA);
    ck_assert_str_eq(r->error, "malformed: there are two fields ab");
    done(r);
    state_writer_free(&w);
}
END_TEST

/* A text of eight bytes: its head at 40, its bytes at 64, its zero at 72. */
START_TEST(a_text_that_is_none_is_refused)
{
    static const struct {
        size_t at;
        unsigned char byte;
        const char *said;
    } lie[] = {
        {40, LEAT_U32, "malformed: field 1"},
        {42, 4, "malformed: field 1"},
        {48, 7, "malformed: t is not a text that ends with a zero byte"}, /* its length */
        {48, 9, "malformed: t is not a text that ends with a zero byte"},
        {48, 16, "malformed: t is not a text that ends with a zero byte"},
        {48, 17, "malformed: t is longer than the state"},
        {66, 0, "malformed: t is not a text that ends with a zero byte"},
        {72, 'x', "malformed: t is not a text that ends with a zero byte"},
    };
    struct state_writer w;
    ck_assert_int_eq(state_writer_init(&w, "a.b", 1), LEAT_OK);
    w.base.text(&w.base, "t", "12345678", 8);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    ck_assert(w.n == 88 && !memcmp(w.bytes + 40, "\1\0\3\0\1\0\0\0\10", 9));
    ck_assert(!memcmp(w.bytes + 64, "12345678\0\0\0\0\0\0\0", 16));
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        char was = w.bytes[lie[i].at];
        w.bytes[lie[i].at] = (char)lie[i].byte;
        seal(w.bytes, w.n);
        struct state_reader *r = reading(w.bytes, w.n, LEAT_EDATA);
        ck_assert_str_eq(r->error, lie[i].said);
        done(r);
        w.bytes[lie[i].at] = was;
    }
    state_writer_free(&w);
}
END_TEST

/* ---- messages about mismatches ---- */

static int ask(struct state_reader *r, int k)
{
    struct leat_reader *b = &r->base;
    const void *p;
    const char *t;
    uint64_t v, n;
    int64_t i;
    double d;
    switch (k) {
    case 0:
        return b->u64(b, "depth", &v);
    case 1:
        return b->f64(b, "width", &d);
    case 2:
        return b->array(b, "cells", LEAT_F64, 3, &p);
    case 3:
        return b->array(b, "cells", LEAT_F32, 4, &p);
    case 4:
        return b->array(b, "width", LEAT_U64, 1, &p);
    case 5:
        return b->same_u64(b, "width", 4096);
    case 6:
        return b->same_f64(b, "lambda", 1e-5);
    case 7:
        return b->same_f64(b, "lambda", nextafter(1e-6, 1));
    case 8:
        return b->array(b, "cells", 99, 3, &p);
    case 9:
        return b->array(b, "cells", LEAT_F32, 0, &p);
    case 10:
        return b->array_up_to(b, "cells", LEAT_F32, 2, &p, &n);
    case 11:
        return b->text(b, "unit", 1, &t, &n);
    case 12:
        return b->text(b, "text", 9, &t, &n);
    case 13:
        return b->i64(b, "last", &i);
    case 14:
        return b->same_i64(b, "since", 7);
    case 15:
        return b->same_text(b, "unit", "seconds", 7);
    case 16:
        return b->same_text(b, "empty", "ms", 2);
    case 17:
        return b->array(b, "unit", LEAT_U8, 2, &p);
    case 18:
        return b->u64(b, "since", &v);
    default:
        return b->refuse(b, "%s is %d", "it", 3);
    }
}

START_TEST(each_refusal_names_its_field)
{
    static const char *const said[] = {
        "field depth is missing",
        "width is a u64 in the saved state and a f64 here",
        "cells is an array of f32 in the saved state and an array of f64 here",
        "cells has 3 elements in the saved state and 4 here",
        "width is a u64 in the saved state and an array of u64 here",
        "width is 1024 in the saved state and 4096 here",
        "lambda is 1e-06 in the saved state and 1e-05 here",
        "lambda is 9.9999999999999995e-07 in the saved state and 1.0000000000000002e-06 here",
        "the stage asks for cells with element type 99, which does not exist",
        "cells has 3 elements in the saved state and 0 here",
        "cells has 3 elements; there must be 0 to 2",
        "unit has 2 bytes; there must be 0 to 1",
        "text is an array of u8 in the saved state and a text here",
        "last is a u64 in the saved state and an i64 here",
        "since is -9223372036854775808 in the saved state and 7 here",
        "unit is 'ms' in the saved state and 'seconds' here",
        "empty is '' in the saved state and 'ms' here",
        "unit is a text in the saved state and an array of u8 here",
        "since is an i64 in the saved state and a u64 here",
        "it is 3"};
    enum { ASKED = sizeof said / sizeof *said };
    struct state_writer w = sample();
    for (int k = 0; k < ASKED; k++) {
        struct state_reader *r = reading(w.bytes, w.n, LEAT_OK);
        ck_assert_int_eq(ask(r, k), LEAT_EDATA);
        ck_assert_str_eq(r->error, said[k]);
        ck_assert_int_eq(ask(r, (k + 1) % ASKED), LEAT_EDATA);
        ck_assert_str_eq(r->error, said[k]); /* the first error stays */
        ck_assert_int_eq(r->base.same_u64(&r->base, "width", 1024), LEAT_OK);
        ck_assert_int_eq(r->base.same_f64(&r->base, "lambda", 1e-6), LEAT_OK);
        ck_assert_int_eq(r->base.same_i64(&r->base, "since", INT64_MIN), LEAT_OK);
        ck_assert_int_eq(r->base.same_text(&r->base, "unit", "ms", 2), LEAT_OK);
        ck_assert_int_eq(r->base.same_text(&r->base, "empty", NULL, 0), LEAT_OK);
        done(r);
    }
    state_writer_free(&w);
}
END_TEST

START_TEST(states_of_other_stages_and_newer_versions_are_refused)
{
    struct state_writer w = sample();
    static const struct {
        const char *stage, *said;
        uint32_t version;
        int exact;
    } c[] = {
        {"learn.sample", "", 7, 0},
        {"learn.sample", "", 7, 1},
        {"learn.sample", "", 8, 0}, /* an older state: the stage decides */
        {"learn.sample", "the state of learn.sample has version 7; plugin p 1.2 has 8", 8, 1},
        {"learn.sample", "the state of learn.sample has version 7; plugin p 1.2 has 6", 6, 0},
        {"learn.other", "the state is from learn.sample, not from learn.other", 7, 0},
    };
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        struct state_reader *r = reading(w.bytes, w.n, LEAT_OK);
        int got = state_reader_expect(r, c[k].stage, c[k].version, c[k].exact, "plugin p 1.2");
        ck_assert_int_eq(got, c[k].said[0] ? LEAT_EDATA : LEAT_OK);
        ck_assert_str_eq(r->error, c[k].said);
        done(r);
    }
    state_writer_free(&w);
}
END_TEST

/* ---- unwritable fields ---- */

static int write_wrong(struct state_writer *w, int k)
{
    struct leat_writer *b = &w->base;
    char name[STATE_MAX_NAME + 2];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    switch (k) {
    case 0:
        return b->u64(b, "twice", 2);
    case 1:
        return b->array(b, "x", LEAT_I64 + 1, "", 1);
    case 2:
        return b->f64(b, "", 1);
    case 3:
        return b->f64(b, name, 1);
    case 4:
        return b->f64(b, "a\x7f", 1); /* the reader refuses this name */
    case 5:
        return b->text(b, "a", "b\0c", 3);
    default:
        for (int i = 0; i < STATE_MAX_FIELDS; i++) {
            char number[16];
            snprintf(number, sizeof number, "%d", i);
            b->u64(b, number, 0);
        }
        return w->status;
    }
}

START_TEST(a_field_that_cannot_be_fails_the_whole)
{
    for (int k = 0; k < 7; k++) {
        struct state_writer w;
        state_writer_init(&w, "s", 1);
        ck_assert_int_eq(w.base.u64(&w.base, "twice", 1), LEAT_OK);
        ck_assert_int_eq(write_wrong(&w, k), LEAT_EARG);
        ck_assert(w.error[0]);
        ck_assert_int_eq(w.base.u64(&w.base, "good", 1), LEAT_EARG); /* later calls fail, too */
        ck_assert_int_eq(state_writer_finish(&w), LEAT_EARG);
        state_writer_free(&w);
    }
}
END_TEST

START_TEST(more_than_there_is_memory_is_no_memory)
{
    static const uint64_t n[] = {UINT64_MAX, UINT64_MAX / 8, SIZE_MAX / 4, 1ull << 60};
    for (int k = 0; k < 4; k++) {
        struct state_writer w;
        state_writer_init(&w, "s", 1);
        ck_assert_int_eq(w.base.array(&w.base, "x", LEAT_F64, &w, n[k]), LEAT_ENOMEM);
        ck_assert_int_eq(state_writer_finish(&w), LEAT_ENOMEM);
        state_writer_free(&w);
    }
}
END_TEST

START_TEST(large_arrays_grow_the_memory)
{
    enum { N = 1 << 20 };
    uint64_t *v = malloc(N * sizeof *v), s = 1;
    for (uint32_t i = 0; i < N; i++)
        v[i] = mix64_next(&s);
    struct state_writer w;
    state_writer_init(&w, "s", 1);
    for (int k = 0; k < 3; k++)
        w.base.array(&w.base, (const char *[]){"a", "b", "c"}[k], LEAT_U64, v + k, N - 2);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    struct state_reader *r = reading(w.bytes, w.n, LEAT_OK);
    for (int k = 0; k < 3; k++) {
        const void *p;
        ck_assert_int_eq(
            r->base.array(&r->base, (const char *[]){"a", "b", "c"}[k], LEAT_U64, N - 2, &p),
            LEAT_OK);
        ck_assert(!memcmp(p, v + k, (N - 2) * sizeof *v));
    }
    done(r);
    state_writer_free(&w);
    free(v);
}
END_TEST

LEAT_SUITE("state", what_was_written_is_read, fields_are_found_in_any_order,
           bytes_that_are_not_aligned_are_read_too, the_format_is_the_documented_one,
           of_an_array_that_is_mostly_zeros_only_the_rest_is_kept,
           room_that_the_stage_fills_itself_is_a_field_like_others, every_flipped_bit_is_noticed,
           every_shorter_and_longer_state_is_refused,
           a_state_with_wrong_contents_and_a_right_checksum_is_read_within_its_bounds,
           a_newer_format_is_refused_as_such, two_fields_of_one_name_are_refused,
           each_refusal_names_its_field, a_text_that_is_none_is_refused,
           states_of_other_stages_and_newer_versions_are_refused,
           a_field_that_cannot_be_fails_the_whole, more_than_there_is_memory_is_no_memory,
           large_arrays_grow_the_memory)
