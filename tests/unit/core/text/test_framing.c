/* test_framing.c -- records are found wherever the window ends. */
#include "support/suite.h"
#include "core/mix64.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/framing.h"
#include "support/naive_framing.h"

#define MAX_PIECES 4096

static bool with_escapes; /* of all framings here */

static size_t line_after(const char *text, size_t n, size_t at)
{
    const char *nl = memchr(text + at, '\n', n - at);
    return nl ? (size_t)(nl - text) + 1 : n;
}

static int cut_naive(const char *text, size_t n, bool csv, size_t max, struct piece *out)
{
    int k = 0;
    for (size_t at = 0; at < n; k++) {
        if (k == MAX_PIECES) ck_abort_msg("too many pieces");
        out[k] = naive_next(text + at, n - at, csv, with_escapes, max);
        out[k].from = at;
        at = out[k].what == FRAMING_LONG ? line_after(text, n, at) : at + out[k].used;
    }
    return k;
}

/* Adds records that framing_next_lines() finds at once, a few at a time. Returns their bytes. */
static size_t cut_lines(struct framing *f, const char *p, size_t n, size_t at, struct piece *out,
                        int *k)
{
    uint32_t line[3], most = 1 + (uint32_t)(at % 3);
    size_t from = 0;
    for (uint32_t i = 0, found = framing_next_lines(f, p, n, most, line); i < found; i++) {
        size_t len = line[i] - from;
        if (*k == MAX_PIECES) ck_abort_msg("too many pieces");
        if (len && p[line[i] - 1] == '\r') len--;
        out[(*k)++] = (struct piece){FRAMING_RECORD, at + from, len, line[i] + 1 - from, 1};
        from = line[i] + 1;
    }
    return from;
}

/* Runs the kernel, with a window that grows by `step` bytes on request. Each window is a separate
 * copy, so that a sanitizer sees every read past it. */
static int cut_fed(const char *text, size_t n, bool csv, size_t max, size_t step, struct piece *out)
{
    struct framing f;
    framing_init(&f, csv ? FRAMING_CSV : FRAMING_LINES, ',', '"', with_escapes, max);
    size_t at = 0, end = 0;
    int k = 0;
    while (at < n) {
        struct framing_cut cut = {0};
        char *window = malloc(end - at + 1);
        memcpy(window, text + at, end - at);
        window = realloc(window, end > at ? end - at : 1);
        size_t lines = cut_lines(&f, window, end - at, at, out, &k);
        enum framing_result what =
            lines ? FRAMING_RECORD : framing_next(&f, window, end - at, end == n, &cut);
        free(window);
        at += lines;
        if (lines) continue;
        if (what == FRAMING_MORE) {
            if (end == n || end - at >= max + 2)
                ck_abort_msg("asked for more after %zu of %zu bytes", end - at, n - at);
            end = end + step < n ? end + step : n;
            continue;
        }
        if (k == MAX_PIECES) ck_abort_msg("too many pieces");
        out[k++] = (struct piece){what, at, cut.len, cut.used, cut.lines};
        at += cut.used;
        if (what == FRAMING_LONG) {
            at = line_after(text, n, at);
            end = end > at ? end : at;
            framing_reset(&f);
        }
    }
    return k;
}

/* Compares the members, as padding has any bytes. */
static bool same(struct piece a, struct piece b)
{
    return a.what == b.what && a.from == b.from && a.len == b.len && a.used == b.used &&
           a.lines == b.lines;
}

static void expect_same(const char *text, size_t n, bool csv, size_t max, size_t step,
                        uint64_t seed)
{
    static struct piece want[MAX_PIECES], got[MAX_PIECES];
    int w = cut_naive(text, n, csv, max, want);
    int g = cut_fed(text, n, csv, max, step, got);
    for (int i = 0; i < w && i < g; i++)
        if (!same(want[i], got[i]))
            ck_abort_msg("seed %llu step %zu max %zu piece %d: want %d %zu+%zu/%zu/%u, got %d "
                         "%zu+%zu/%zu/%u in <%.*s>",
                         (unsigned long long)seed, step, max, i, want[i].what, want[i].from,
                         want[i].len, want[i].used, want[i].lines, got[i].what, got[i].from,
                         got[i].len, got[i].used, got[i].lines, (int)n, text);
    ck_assert_int_eq(w, g);
}

/* Returns the pieces as text, in angle brackets: <good>, !<bad>, #long. */
static const char *shown(const char *text, bool csv, size_t max)
{
    static char out[4096];
    static struct piece got[MAX_PIECES];
    int g = cut_fed(text, strlen(text), csv, max, 1, got), n = 0;
    for (int i = 0; i < g; i++) {
        if (got[i].what == FRAMING_LONG)
            n += sprintf(out + n, "#");
        else
            n += sprintf(out + n, "%s<%.*s>", got[i].what == FRAMING_QUOTE ? "!" : "",
                         (int)got[i].len, text + got[i].from);
    }
    out[n] = 0;
    return out;
}

START_TEST(lines_lose_their_end_and_one_carriage_return)
{
    ck_assert_str_eq(shown("a\nb\r\n\n\r\nc\r\r\nd", false, 99), "<a><b><><><c\r><d>");
    ck_assert_str_eq(shown("a\r", false, 99), "<a>");
    ck_assert_str_eq(shown("\"a\nb\"\n", false, 99), "<\"a><b\">");
}
END_TEST

START_TEST(quoted_line_ends_belong_to_the_record)
{
    ck_assert_str_eq(shown("1,\"a\nb\",2\n3\n", true, 99), "<1,\"a\nb\",2><3>");
    ck_assert_str_eq(shown("\"a\r\nb\"\r\nc", true, 99), "<\"a\r\nb\"><c>");
    ck_assert_str_eq(shown("\"\"\"\n\",\"\n\"\n", true, 99), "<\"\"\"\n\",\"\n\">");
    ck_assert_str_eq(shown("\"\n\"", true, 99), "<\"\n\">");
}
END_TEST

START_TEST(quote_within_a_field_is_a_character)
{
    ck_assert_str_eq(shown("5\" pipe,x\n7\"\n", true, 99), "<5\" pipe,x><7\">");
    ck_assert_str_eq(shown(" \"a\nb\"\n", true, 99), "< \"a><b\">");
    ck_assert_str_eq(shown("\"a\"b\"\nc\n", true, 99), "<\"a\"b\"><c>");
}
END_TEST

START_TEST(unclosed_quote_loses_its_line_only)
{
    /* the search for the other quote ends at the input's end, at max_record, or at an opening
     * quote */
    ck_assert_str_eq(shown("a\nb,\"x\nc\nd\n", true, 99), "<a>!<b,\"x><c><d>");
    ck_assert_str_eq(shown("a,\"x\nbb\ncc\ndd\nee\n", true, 6), "!<a,\"x><bb><cc><dd><ee>");
    ck_assert_str_eq(shown("a,\"x\nb,\"y\",z\nc\n", true, 99), "!<a,\"x><b,\"y\",z><c>");
    ck_assert_str_eq(shown("\"", true, 99), "!<\">");
    ck_assert_str_eq(shown("\"x\n", true, 99), "!<\"x>");
}
END_TEST

START_TEST(record_of_max_record_bytes_passes_and_one_more_does_not)
{
    ck_assert_str_eq(shown("abcd\nabcde\nabcd\r\nabcde\r\nx\n", false, 4), "<abcd>#<abcd>#<x>");
    ck_assert_str_eq(shown("abcd\nabcde\nabcd\r\nabcde\r\nx", true, 4), "<abcd>#<abcd>#<x>");
    ck_assert_str_eq(shown("\"\na\"\n\"\nab\"\nx\n", true, 4), "<\"\na\">!<\"><ab\"><x>");
    ck_assert_str_eq(shown("abcde", false, 4), "#");
    ck_assert_str_eq(shown("abcd\r", false, 4), "<abcd>");
}
END_TEST

START_TEST(noise_is_cut_as_the_definition_says)
{
    static const char alphabet[] = "ab,,\"\"\"\n\n\r\\\\";
    for (uint64_t seed = 1; seed <= 8000; seed++) {
        uint64_t s = seed;
        with_escapes = seed % 2;
        char text[64];
        size_t n = 1 + mix64_next(&s) % sizeof text;
        for (size_t i = 0; i < n; i++)
            text[i] = alphabet[mix64_next(&s) % (sizeof alphabet - 1)];
        size_t max = 1 + mix64_next(&s) % 40;
        for (size_t step = 1; step <= n; step += 1 + step / 4) {
            expect_same(text, n, true, max, step, seed);
            expect_same(text, n, false, max, step, seed);
        }
    }
    with_escapes = false;
}
END_TEST

START_TEST(backslash_before_a_quote_makes_it_text)
{
    const char *text = "\"a\\\"\n,b\",1\n\"c\\\\\"\n\\\"d\n\"e\"\"\\\"\n\"\n";
    with_escapes = true;
    ck_assert_str_eq(shown(text, true, 99), "<\"a\\\"\n,b\",1><\"c\\\\\"><\\\"d><\"e\"\"\\\"\n\">");
    with_escapes = false;
}
END_TEST

/* Writes a table with correct quotes. Record i begins at start[i]; start[rows] is the end. */
static size_t write_table(uint64_t seed, char *out, size_t *start, int rows)
{
    static const char *const text[] = {"",
                                       "x",
                                       "\"a,b\"",
                                       "\"two\nlines\"",
                                       "\"\"",
                                       "a b",
                                       "\"\"\"\"",
                                       "\"\r\n\"",
                                       "\"say \"\"hi\"\"\"",
                                       "3.1\"",
                                       "\"\n\n\"",
                                       "longer text without any quote at all"};
    size_t n = 0;
    for (int r = 0; r < rows; r++) {
        start[r] = n;
        for (int c = 0; c < 4; c++) {
            const char *t = text[mix64_next(&seed) % (sizeof text / sizeof *text)];
            n += (size_t)sprintf(out + n, "%s%s", c ? "," : "", t);
        }
        n += (size_t)sprintf(out + n, mix64_next(&seed) % 2 ? "\n" : "\r\n");
    }
    start[rows] = n;
    return n;
}

START_TEST(tables_come_back_whatever_the_window)
{
    enum { ROWS = 12 };
    static struct piece got[MAX_PIECES];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char text[4096];
        size_t start[ROWS + 1], n = write_table(seed, text, start, ROWS);
        for (size_t step = 1; step <= n; step += step < 40 ? 1 : 37) {
            ck_assert_int_eq(cut_fed(text, n, true, 1000, step, got), ROWS);
            for (int r = 0; r < ROWS; r++) {
                ck_assert_int_eq(got[r].what, FRAMING_RECORD);
                ck_assert_uint_eq(got[r].from, start[r]);
                ck_assert_uint_eq(got[r].from + got[r].used, start[r + 1]);
            }
        }
    }
}
END_TEST

START_TEST(line_counts_add_up_to_the_line_ends)
{
    static struct piece got[MAX_PIECES];
    char text[8192];
    size_t start[41], n = write_table(7, text, start, 40);
    int k = cut_fed(text, n, true, 4000, 11, got);
    uint32_t lines = 0, want = 0;
    for (int i = 0; i < k; i++)
        lines += got[i].lines;
    for (size_t i = 0; i < n; i++)
        want += text[i] == '\n';
    ck_assert_uint_eq(lines, want);
    ck_assert_uint_gt(lines, 40);
}
END_TEST

/* 4 MB byte by byte: a new search for each byte would read 10^13 bytes. */
START_TEST(field_that_arrives_byte_by_byte_is_searched_once)
{
    size_t n = 4u << 20;
    char *text = malloc(n);
    for (int quoted = 0; quoted < 2; quoted++) {
        memset(text, 'x', n);
        if (quoted) {
            for (size_t i = 40; i < n; i += 80)
                text[i] = '\n';
            text[0] = text[n - 2] = '"';
        }
        text[n - 1] = '\n';
        struct framing f;
        framing_init(&f, FRAMING_CSV, ',', '"', false, n);
        struct framing_cut cut = {0};
        for (size_t have = 1; have < n; have++)
            if (framing_next(&f, text, have, false, &cut) != FRAMING_MORE)
                ck_abort_msg("not asked for more at %zu", have);
        ck_assert_int_eq(framing_next(&f, text, n, false, &cut), FRAMING_RECORD);
        ck_assert_uint_eq(cut.used, n);
    }
    free(text);
}
END_TEST

static void count_pieces(const char *text, size_t n, size_t *good, size_t *bad)
{
    struct framing f;
    struct framing_cut cut;
    framing_init(&f, FRAMING_CSV, ',', '"', false, 1u << 20);
    *good = *bad = 0;
    for (size_t at = 0; at < n; at += cut.used) {
        enum framing_result what = framing_next(&f, text + at, n - at, true, &cut);
        *good += what == FRAMING_RECORD;
        *bad += what == FRAMING_QUOTE;
    }
}

/* A million lines that all open a quote: the worst case for cutting off lines. */
START_TEST(lines_that_all_open_a_quote_are_all_bad)
{
    size_t rows = 1000000, n = rows * 4;
    char *text = malloc(n);
    for (size_t r = 0; r < rows; r++)
        memcpy(text + r * 4, "1,\"\n", 4);
    for (size_t r = 0; r < rows; r++)
        text[r * 4 + 1] = r % 2 ? 'z' : ',';
    size_t good, bad;
    count_pieces(text, n, &good, &bad);
    ck_assert_uint_eq(good, rows / 2); /* 1,"\n1z"\n is one record of two lines */
    ck_assert_uint_eq(bad, 0);
    for (size_t r = 0; r < rows; r++)
        memcpy(text + r * 4, "\"a\n", 3), text[r * 4 + 3] = '\n';
    count_pieces(text, n, &good, &bad);
    ck_assert_uint_eq(bad, rows);
    ck_assert_uint_eq(good, rows); /* the blank lines between */
    free(text);
}
END_TEST

START_TEST(five_megabyte_line_is_refused_within_a_small_window)
{
    enum { MAX = 4096 };
    char window[MAX + 2];
    memset(window, 'x', sizeof window);
    struct framing f;
    framing_init(&f, FRAMING_CSV, ',', '"', false, MAX);
    struct framing_cut cut;
    ck_assert_int_eq(framing_next(&f, window, MAX + 1, false, &cut), FRAMING_MORE);
    ck_assert_int_eq(framing_next(&f, window, MAX + 2, false, &cut), FRAMING_LONG);
    framing_reset(&f);
    window[0] = '"';
    ck_assert_int_eq(framing_next(&f, window, MAX + 1, false, &cut), FRAMING_MORE);
    ck_assert_int_eq(framing_next(&f, window, MAX + 2, false, &cut), FRAMING_LONG);
}
END_TEST

/* ---- records of several lines ---- */

static bool starts_with_a(void *pattern, const char *line, size_t n)
{
    return n && line[0] == *(const char *)pattern;
}

/* Computes the definition on the whole text. */
static struct piece event_naive(const char *text, size_t n, size_t max)
{
    size_t end = line_after(text, n, 0), len = end - (text[end - 1] == '\n');
    uint32_t lines = end > len;
    if (len && text[len - 1] == '\r') len--;
    if (len > max) return (struct piece){.what = FRAMING_LONG};
    while (end < n && end < max + 2 && text[end] != 'a') {
        size_t next = line_after(text, n, end);
        bool ended = text[next - 1] == '\n';
        if (next - ended > max) break;
        end = next, lines += ended;
    }
    len = end - (text[end - 1] == '\n');
    if (len && text[len - 1] == '\r') len--;
    return (struct piece){.what = FRAMING_RECORD, .len = len, .used = end, .lines = lines};
}

static void check_events(const char *text, size_t n, size_t max, size_t step)
{
    struct framing f;
    char a = 'a';
    size_t end = 0;
    framing_init(&f, FRAMING_LINES, ',', '"', false, max);
    framing_of_events(&f, starts_with_a, &a);
    for (size_t at = 0; at < n;) {
        struct framing_cut cut = {0};
        enum framing_result what = framing_next(&f, text + at, end - at, end == n, &cut);
        if (what == FRAMING_MORE) {
            ck_assert(end < n && end - at < max + 2);
            end = end + step < n ? end + step : n;
            continue;
        }
        struct piece wanted = event_naive(text + at, n - at, max);
        ck_assert_int_eq(what, wanted.what);
        if (what == FRAMING_RECORD) {
            ck_assert_uint_eq(cut.len, wanted.len);
            ck_assert_uint_eq(cut.used, wanted.used);
            ck_assert_uint_eq(cut.lines, wanted.lines);
        } else {
            framing_reset(&f);
        }
        at = what == FRAMING_RECORD ? at + cut.used : line_after(text, n, at);
        end = end > at ? end : at;
    }
}

START_TEST(lines_belong_to_the_record_before_unless_they_start_one)
{
    static const char alphabet[] = "aab \r\n\n";
    char text[300];
    uint64_t state = 11;
    for (int round = 0; round < 4000; round++) {
        size_t n = mix64_next(&state) % sizeof text;
        for (size_t i = 0; i < n; i++)
            text[i] = alphabet[mix64_next(&state) % (sizeof alphabet - 1)];
        check_events(text, n, 4 + mix64_next(&state) % 60, 1 + mix64_next(&state) % 70);
    }
}
END_TEST

START_TEST(whole_lines_are_a_record_on_request)
{
    static const char text[] = "a b\n c\n d";
    char a = 'a';
    struct framing f;
    struct framing_cut cut;
    framing_init(&f, FRAMING_LINES, ',', '"', false, 100);
    framing_of_events(&f, starts_with_a, &a);
    ck_assert_int_eq(framing_next(&f, text, 10, false, &cut), FRAMING_MORE);
    ck_assert_int_eq(framing_flush(&f, text, &cut), FRAMING_RECORD);
    ck_assert_uint_eq(cut.len, 6);
    ck_assert_uint_eq(cut.used, 7);
    ck_assert_int_eq(framing_next(&f, text + 7, 2, false, &cut), FRAMING_MORE);
    ck_assert_int_eq(framing_flush(&f, text + 7, &cut), FRAMING_MORE);
}
END_TEST

LEAT_SUITE("framing", backslash_before_a_quote_makes_it_text,
           lines_belong_to_the_record_before_unless_they_start_one,
           whole_lines_are_a_record_on_request, lines_lose_their_end_and_one_carriage_return,
           quoted_line_ends_belong_to_the_record, quote_within_a_field_is_a_character,
           unclosed_quote_loses_its_line_only,
           record_of_max_record_bytes_passes_and_one_more_does_not,
           noise_is_cut_as_the_definition_says, tables_come_back_whatever_the_window,
           line_counts_add_up_to_the_line_ends, field_that_arrives_byte_by_byte_is_searched_once,
           lines_that_all_open_a_quote_are_all_bad,
           five_megabyte_line_is_refused_within_a_small_window)
