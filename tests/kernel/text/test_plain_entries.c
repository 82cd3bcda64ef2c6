/* test_plain_entries.c -- both readers of plain entries against strtoull and strtod.
 *
 * Entries come in all forms, right and wrong. What is read must be right, and an entry in a usual
 * form must be read. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/text/plain_entries.h"
#include "support/random.h"
#include "support/suite.h"

enum { ENTRIES = 40, LONGEST = 32, SLACK = 2 * PLAIN_ENTRIES_BYTES };

typedef const char *reader(const char *, const char *, const char *, struct plain_room *);

struct record {
    char text[ENTRIES * (LONGEST + 1) + SLACK];
    size_t n, start[ENTRIES + 1], len[ENTRIES]; /* start[n] is the end of the record */
};

static uint64_t state;

static char *put_digits(char *out, unsigned n)
{
    for (; n; n--)
        *out++ = (char)('0' + below(&state, 10));
    return out;
}

/* Writes an entry, mostly in a usual form. Returns its end. */
static char *put_entry(char *out)
{
    static const char *const odd[] = {"7",     "7:",    ":1",    "7:-",    "7::1",  "a:1",
                                      "7:1e3", "7:.5",  "7:+1",  "7:--1",  "7:1.",  "7:1.5.5",
                                      "7:-.",  "7:0x1", "7:1#c", "-7:1",   "7:1:2", "7:nan",
                                      "",      "7:1.a", "7:a.1", "07:007", "7:-0",  "7:-0.0"};
    if (!below(&state, 40))
        return out + sprintf(out, "%s", odd[below(&state, sizeof odd / sizeof *odd)]);
    out = put_digits(out, 1 + below(&state, below(&state, 30) ? 7 : 10));
    *out++ = ':';
    if (below(&state, 3) == 0) *out++ = '-';
    if (below(&state, 3) == 0) return put_digits(out, 1 + below(&state, 7));
    out = put_digits(out, below(&state, 30) ? 1 : 2);
    *out++ = '.';
    return put_digits(out, 1 + below(&state, below(&state, 30) ? 6 : 10));
}

static void make(struct record *r)
{
    char *out = r->text;
    r->n = 1 + below(&state, ENTRIES);
    for (size_t i = 0; i < r->n; i++) {
        r->start[i] = (size_t)(out - r->text);
        out = put_entry(out);
        r->len[i] = (size_t)(out - r->text) - r->start[i];
        if (i + 1 < r->n) *out++ = " \t"[!below(&state, 8)];
    }
    r->start[r->n] = (size_t)(out - r->text);
    if (below(&state, 2)) *out++ = '\n';
    for (const char *behind = "1 :7.5 "; out < r->text + r->start[r->n] + SLACK; out++)
        *out = behind[below(&state, 7)];
}

static size_t digits(const char *p)
{
    size_t n = 0;
    while (isdigit((unsigned char)p[n]))
        n++;
    return n;
}

/* True if the entry has a form of the header. */
static bool is_usual(const char *p)
{
    size_t index = digits(p), whole, part;
    if (index < 1 || index > 7 || p[index] != ':') return false;
    p += index + 1;
    if (*p == '-' && strchr(p, '.')) p++;
    whole = digits(p);
    if (!p[whole]) return whole >= 1 && whole <= 7;
    part = digits(p + whole + 1);
    return whole == 1 && p[1] == '.' && part >= 1 && part <= 6 && !p[2 + part];
}

static void is_right(const char *entry, uint64_t id, float value)
{
    char *stop;
    ck_assert_msg(isdigit((unsigned char)*entry), "'%s' was read", entry);
    ck_assert_msg(strtoull(entry, &stop, 10) == id && *stop == ':', "'%s': %ju", entry,
                  (uintmax_t)id);
    ck_assert_msg(isdigit((unsigned char)stop[1 + (stop[1] == '-')]), "'%s' was read", entry);
    float want = (float)strtod(stop + 1, &stop);
    ck_assert_msg(!*stop, "'%s' was read", entry);
    ck_assert_msg(!memcmp(&want, &value, sizeof want), "'%s': %.9g", entry, (double)value);
}

static void check(const struct record *r, reader *read, size_t cap, size_t readable)
{
    uint64_t id[ENTRIES];
    float value[ENTRIES];
    char entry[LONGEST + 1];
    size_t before = cap ? below(&state, (unsigned)cap) : 0; /* entries in the room already */
    struct plain_room room = {id, value, before, cap};
    const char *end = r->text + r->start[r->n], *limit = end + readable;
    size_t at = (size_t)(read(r->text, end, limit, &room) - r->text), n = room.n - before;
    ck_assert_uint_le(room.n, cap);
    ck_assert_uint_le(n, r->n);
    for (size_t i = 0; i < n; i++) {
        snprintf(entry, sizeof entry, "%.*s", (int)r->len[i], r->text + r->start[i]);
        is_right(entry, id[before + i], value[before + i]);
    }
    ck_assert_uint_eq(at, r->start[n]);
    if (n + 1 == r->n && *end != '\n') return; /* a digit behind the record is left to the caller */
    if (n == r->n || room.n == cap || r->text + r->start[n] + PLAIN_ENTRIES_BYTES > limit) return;
    snprintf(entry, sizeof entry, "%.*s", (int)r->len[n], r->text + r->start[n]);
    ck_assert_msg(!is_usual(entry), "'%s' was not read", entry);
}

static void check_reader(reader *read)
{
    static struct record r;
    state = seed_given();
    for (int i = 0; i < 30000; i++) {
        make(&r);
        check(&r, read, ENTRIES, SLACK);
        check(&r, read, below(&state, ENTRIES), SLACK);
        check(&r, read, ENTRIES, below(&state, SLACK));
    }
}

START_TEST(plain_entries_are_read_as_strtod_reads_them) { check_reader(plain_entries); }
END_TEST

START_TEST(the_portable_reader_reads_plain_entries_as_strtod_does)
{
    check_reader(plain_entries_portable);
}
END_TEST

LEAT_SUITE("plain_entries", plain_entries_are_read_as_strtod_reads_them,
           the_portable_reader_reads_plain_entries_as_strtod_does)
