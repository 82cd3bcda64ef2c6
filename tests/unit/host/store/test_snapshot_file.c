/* test_snapshot_file.c -- streams of snapshots: what was written is read, and nothing is lost
 * silently. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat/status.h>

#include "host/store/snapshot_file.h"
#include "support/random.h"
#include "support/suite.h"

enum { LONGEST = 300, ROOM = 32768, ELEMENTS = 12 };

/* Bytes that end with a zero, which does not count. */
struct text {
    size_t n;
    char at[ROOM];
};

static void put(struct text *t, const void *bytes, size_t n)
{
    ck_assert_uint_lt(t->n + n, sizeof t->at);
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = 0;
}

static void put_word(struct text *t, const char *word) { put(t, word, strlen(word)); }

/* Encodes bit by bit, as RFC 4648 draws it. */
static void put_base64(struct text *t, const unsigned char *bytes, size_t n)
{
    for (size_t bit = 0; bit < 8 * n; bit += 6) {
        unsigned v = 0;
        for (size_t k = bit; k < bit + 6; k++)
            v = 2 * v + (k < 8 * n ? (unsigned)bytes[k / 8] >> (7 - k % 8) & 1 : 0);
        char c = (char)(v < 26   ? 'A' + v
                        : v < 52 ? 'a' + v - 26
                        : v < 62 ? '0' + v - 52
                        : v < 63 ? '+'
                                 : '/');
        put(t, &c, 1);
    }
    for (size_t k = n; k % 3; k++)
        put_word(t, "=");
}

/* Makes a snapshot of one section with n random bytes. */
static void make_snapshot(struct text *t, uint64_t *seed, size_t n)
{
    unsigned char payload[LONGEST];
    for (size_t i = 0; i < n; i++)
        payload[i] = (unsigned char)below(seed, 256);
    struct snapshot_section section = {"stage/model/0", payload, n};
    t->n = snapshot_bytes(&section, 1);
    ck_assert_uint_lt(t->n, sizeof t->at);
    snapshot_put(t->at, 1, &section, 1);
    t->at[t->n] = 0;
}

static struct snapshot_stream opened(struct text *t)
{
    struct snapshot_stream s = {.in = fmemopen(t->at, t->n, "r")};
    ck_assert_ptr_nonnull(s.in);
    return s;
}

static void expect_bytes(struct snapshot_stream *s, const void *bytes, size_t n)
{
    void *got;
    size_t n_got = 0;
    const char *name = NULL;
    ck_assert_int_eq(snapshot_stream_next(s, &got, &n_got, &name), LEAT_OK);
    ck_assert_uint_eq(n_got, n);
    ck_assert_mem_eq(got, bytes, n);
    free(got);
}

static void expect_name(struct snapshot_stream *s, const char *expected)
{
    void *got;
    size_t n;
    const char *name = NULL;
    ck_assert_int_eq(snapshot_stream_next(s, &got, &n, &name), LEAT_OK);
    ck_assert_ptr_null(got);
    ck_assert_str_eq(name, expected);
}

static void expect_status(struct snapshot_stream *s, int status)
{
    void *got;
    size_t n;
    const char *name = NULL;
    ck_assert_int_eq(snapshot_stream_next(s, &got, &n, &name), status);
    ck_assert_ptr_null(got);
    ck_assert(status == LEAT_EOS || s->error[0]);
}

static void expect_end(struct snapshot_stream *s)
{
    expect_status(s, LEAT_EOS);
    snapshot_stream_close(s);
}

/* ---- lines of base64 ---- */

START_TEST(base64_of_every_length_is_read_back)
{
    static const char *const ends[] = {"\n", "\r\n", "\n\r\n\n", ""};
    uint64_t seed = seed_given();
    for (size_t n = SNAPSHOT_HEADER; n <= LONGEST; n++) {
        unsigned char bytes[LONGEST] = "leatSNAP";
        for (size_t i = 8; i < n; i++)
            bytes[i] = (unsigned char)below(&seed, 256);
        for (size_t k = 0; k < 4; k++) {
            struct text t = {0};
            put_base64(&t, bytes, n);
            put_word(&t, ends[k]);
            struct snapshot_stream s = opened(&t);
            expect_bytes(&s, bytes, n);
            expect_end(&s);
        }
    }
}
END_TEST

static void read_file(struct text *t, const char *path)
{
    FILE *f = fopen(path, "r");
    t->n = fread(t->at, 1, sizeof t->at - 1, f);
    fclose(f);
}

START_TEST(written_text_is_the_base64_of_the_written_file)
{
    char dir[] = "/tmp/leat-stream-XXXXXX", path[2][64], error[SNAPSHOT_MESSAGE];
    unsigned char payload[LONGEST];
    uint64_t seed = seed_given();
    ck_assert_ptr_nonnull(mkdtemp(dir));
    for (int k = 0; k < 2; k++)
        snprintf(path[k], sizeof path[k], "%s/%d", dir, k);
    for (size_t n = 0; n < LONGEST; n++) {
        payload[n] = (unsigned char)below(&seed, 256);
        struct snapshot_section section = {"stage/model/0", payload, n};
        static struct text file, text, expected;
        for (int k = 0; k < 2; k++)
            ck_assert_int_eq(snapshot_file_write(path[k], (struct snapshot_file_form){7, k, n > 0},
                                                 &section, 1, error),
                             LEAT_OK);
        read_file(&file, path[0]);
        read_file(&text, path[1]);
        expected.n = 0;
        put_base64(&expected, (unsigned char *)file.at, file.n);
        put_word(&expected, "\n");
        ck_assert_uint_eq(text.n, expected.n);
        ck_assert_mem_eq(text.at, expected.at, text.n);
    }
    for (int k = 0; k < 2; k++)
        unlink(path[k]);
    ck_assert_int_eq(rmdir(dir), 0); /* no temporary file is left */
}
END_TEST

/* Reads the first element of t. Returns true if that is a whole snapshot. */
static bool reads_whole(struct text *t)
{
    struct snapshot_stream s = opened(t);
    struct snapshot found = {0};
    void *bytes;
    size_t n = 0;
    const char *name = NULL;
    int status = snapshot_stream_next(&s, &bytes, &n, &name);
    ck_assert(status == LEAT_OK || (status == LEAT_EDATA && s.error[0] && !bytes));
    bool whole = bytes && snapshot_parse(&found, bytes, n) == LEAT_OK;
    snapshot_free(&found);
    snapshot_stream_close(&s);
    return whole;
}

START_TEST(a_cut_or_damaged_line_of_base64_is_no_snapshot)
{
    uint64_t seed = seed_given();
    static struct text good, line, bad;
    make_snapshot(&good, &seed, 50); /* 256 bytes, so the line ends with two '=' */
    line.n = 0;
    put_base64(&line, (unsigned char *)good.at, good.n);
    ck_assert(reads_whole(&line));
    for (size_t i = 1; i < line.n; i++) {
        bad = line;
        bad.n = i;
        ck_assert_msg(!reads_whole(&bad), "cut at %zu", i);
    }
    static const char others[] = "\0\r\t =-_B\xff";
    for (size_t i = 0; i + 3 < line.n; i++)
        for (size_t k = 0; k + 1 < sizeof others; k++) {
            bad = line;
            bad.at[i] = others[k];
            ck_assert_msg(bad.at[i] == line.at[i] || !reads_whole(&bad), "byte %zu, %zu", i, k);
            memmove(bad.at + i + 1, line.at + i, line.n - i);
            bad.n = line.n + 1;
            ck_assert_msg(!i || !reads_whole(&bad), "one more at %zu, %zu", i, k);
        }
}
END_TEST

/* ---- streams ---- */

START_TEST(elements_of_all_forms_come_in_their_order)
{
    uint64_t seed = seed_given();
    static struct text all, element[ELEMENTS];
    for (int round = 0; round < 300; round++) {
        uint32_t form[ELEMENTS];
        all.n = 0;
        for (int i = 0; i < ELEMENTS; i++) {
            struct text *e = &element[i];
            form[i] = below(&seed, 3);
            make_snapshot(e, &seed, below(&seed, LONGEST));
            if (form[i] == 0) put(&all, e->at, e->n);
            if (form[i] == 1) put_base64(&all, (unsigned char *)e->at, e->n);
            if (form[i] == 2) {
                e->n = 0;
                for (uint32_t k = below(&seed, 40) + 1; k; k--)
                    put(e, &"leatSNP bGV/.\t\xc3="[below(&seed, 16)], 1);
                put(&all, e->at, e->n);
            }
            if (form[i] || below(&seed, 2)) put_word(&all, below(&seed, 2) ? "\n" : "\r\n");
        }
        struct snapshot_stream s = opened(&all);
        for (int i = 0; i < ELEMENTS; i++)
            if (form[i] == 2)
                expect_name(&s, element[i].at);
            else
                expect_bytes(&s, element[i].at, element[i].n);
        expect_end(&s);
    }
}
END_TEST

static void expect_refused(const char *bytes, size_t n, int names)
{
    struct text t = {0};
    put(&t, bytes, n);
    struct snapshot_stream s = opened(&t);
    for (int i = 0; i < names; i++)
        expect_name(&s, "a.snapshot");
    expect_status(&s, LEAT_EDATA);
    snapshot_stream_close(&s);
}

/* `find -print0` ends names with zeros. A reader that stops at the first would merge one file. */
START_TEST(a_zero_hides_no_name_after_it)
{
    expect_refused("a.snapshot\0b.snapshot\0", 22, 0);
    expect_refused("a.snapshot\na.snapshot\0b.snapshot\n", 33, 1);
    expect_refused("a\0b\n", 4, 0);
    expect_refused("\0", 1, 0);
}
END_TEST

START_TEST(a_carriage_return_hides_nothing_after_it)
{
    uint64_t seed = seed_given();
    static struct text snapshot, t;
    put_word(&t, "a.snapshot\rb.snapshot\r\n");
    struct snapshot_stream s = opened(&t);
    expect_name(&s, "a.snapshot\rb.snapshot");
    expect_end(&s);
    make_snapshot(&snapshot, &seed, 100);
    t.n = 0;
    for (int i = 0; i < 2; i++) {
        put_base64(&t, (unsigned char *)snapshot.at, snapshot.n);
        put_word(&t, "\r");
    }
    expect_refused(t.at, t.n, 0);
}
END_TEST

START_TEST(a_cut_or_damaged_binary_snapshot_is_none)
{
    uint64_t seed = seed_given();
    static struct text good, bad;
    make_snapshot(&good, &seed, 50);
    ck_assert(reads_whole(&good));
    for (size_t bit = 0; bit < 8 * good.n; bit++) {
        bad = good;
        bad.at[bit / 8] ^= (char)(1 << bit % 8);
        ck_assert_msg(!reads_whole(&bad), "bit %zu", bit);
    }
    for (size_t cut = SNAPSHOT_MAGIC; cut < good.n; cut++)
        expect_refused(good.at, cut, 0);
}
END_TEST

START_TEST(any_bytes_come_to_an_end)
{
    uint64_t seed = seed_given();
    static const char usual[] = "leatSNAPbGVhdFNOQV=\n\r\0";
    for (int round = 0; round < 3000; round++) {
        struct text t = {0};
        size_t n = below(&seed, 400) + 1, elements = 0;
        for (size_t i = 0; i < n; i++) {
            char any = (char)below(&seed, 256);
            if (!below(&seed, 20)) put_word(&t, below(&seed, 2) ? "leatSNAP" : "bGVhdFNOQV");
            put(&t, below(&seed, 4) ? &usual[below(&seed, sizeof usual)] : &any, 1);
        }
        struct snapshot_stream s = opened(&t);
        void *bytes;
        const char *name = NULL;
        while (snapshot_stream_next(&s, &bytes, &(size_t){0}, &name) == LEAT_OK) {
            ck_assert(bytes || *name);
            free(bytes);
            ck_assert_uint_le(++elements, t.n);
        }
        snapshot_stream_close(&s);
    }
}
END_TEST

START_TEST(a_failed_read_is_no_end)
{
    struct snapshot_stream s;
    ck_assert_int_eq(snapshot_stream_open(&s, "/tmp"), LEAT_OK);
    expect_status(&s, LEAT_EIO);
    snapshot_stream_close(&s);
}
END_TEST

LEAT_SUITE("snapshot_file", base64_of_every_length_is_read_back,
           written_text_is_the_base64_of_the_written_file,
           a_cut_or_damaged_line_of_base64_is_no_snapshot,
           elements_of_all_forms_come_in_their_order, a_zero_hides_no_name_after_it,
           a_carriage_return_hides_nothing_after_it, a_cut_or_damaged_binary_snapshot_is_none,
           any_bytes_come_to_an_end, a_failed_read_is_no_end)
