/* test_csv.c -- fields are read back as they were written. */
#include "support/suite.h"
#include "core/mix64.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/text/csv.h"

#define MAX_FIELDS 64
static const struct csv_dialect comma = {',', '"', NULL, false};

/* Returns the fields of rec as text, each in brackets; "?at" on a wrong quote. */
static const char *shown(const struct csv_dialect *d, const char *rec)
{
    static char out[4096];
    struct csv_field field[MAX_FIELDS];
    uint32_t n, at;
    size_t w = 0;
    enum csv_result r = csv_split(d, rec, (uint32_t)strlen(rec), field, MAX_FIELDS, &n, &at);
    for (uint32_t i = 0; i < n; i++) {
        char text[1024];
        uint32_t len = field[i].len;
        if (field[i].doubled)
            len = csv_unescape(d, rec + field[i].off, len, text);
        else
            memcpy(text, rec + field[i].off, len);
        w += (size_t)sprintf(out + w, "[%.*s]", (int)len, text);
    }
    if (r != CSV_OK)
        sprintf(out + w, "%c%u", r == CSV_OPEN_QUOTE ? '!' : '?', at);
    else
        out[w] = 0;
    return out;
}

START_TEST(delimiters_part_fields_and_blanks_stay)
{
    ck_assert_str_eq(shown(&comma, "a, b ,c"), "[a][ b ][c]");
    ck_assert_str_eq(shown(&comma, ""), "[]");
    ck_assert_str_eq(shown(&comma, ","), "[][]");
    ck_assert_str_eq(shown(&comma, ",,,,,,,,,"), "[][][][][][][][][][]");
    ck_assert_str_eq(shown(&comma, "1234567,1234567,12345678,123456789"),
                     "[1234567][1234567][12345678][123456789]");
}
END_TEST

START_TEST(quotes_come_off_and_doubled_ones_become_one)
{
    ck_assert_str_eq(shown(&comma, "\"a,b\",\"\",\"\"\"\",\"x\"\"y\""), "[a,b][][\"][x\"y]");
    ck_assert_str_eq(shown(&comma, "\"a\",b"), "[a][b]");
    ck_assert_str_eq(shown(&comma, "a,\"b\nc\""), "[a][b\nc]");
    ck_assert_str_eq(shown(&comma, "\"a\","), "[a][]");
}
END_TEST

START_TEST(quote_within_a_field_is_a_character)
{
    ck_assert_str_eq(shown(&comma, "5\",a\"b\"c, \"x\""), "[5\"][a\"b\"c][ \"x\"]");
}
END_TEST

START_TEST(wrong_quotes_are_found_where_they_stand)
{
    ck_assert_str_eq(shown(&comma, "ab,\"cd"), "[ab]!3");
    ck_assert_str_eq(shown(&comma, "\"cd\"\""), "!0");
    ck_assert_str_eq(shown(&comma, "\""), "!0");
    ck_assert_str_eq(shown(&comma, "a,b,\"c\"d,e"), "[a][b]?7");
    ck_assert_str_eq(shown(&comma, "\"a\" ,b"), "?3");
}
END_TEST

START_TEST(dialect_without_quotes_takes_them_as_they_are)
{
    struct csv_dialect tab = {.delimiter = '\t'};
    ck_assert_str_eq(shown(&tab, "\"a\t\"b\"\tc,d"), "[\"a][\"b\"][c,d]");
    struct csv_dialect high = {.delimiter = (char)0xa7, .quote = '\''};
    ck_assert_str_eq(shown(&high, "a\xa7'b\xa7''c'\xa7"
                                  "12345678\xa7"),
                     "[a][b\xa7'c][12345678][]");
}
END_TEST

START_TEST(delimiter_of_several_bytes_counts_only_whole)
{
    static const struct csv_dialect colons = {':', 0, ":", false}, arrow = {'-', 0, "->", false};
    ck_assert_str_eq(shown(&colons, "1::1193::5::978300760"), "[1][1193][5][978300760]");
    ck_assert_str_eq(shown(&colons, "a:b::c:"), "[a:b][c:]");
    ck_assert_str_eq(shown(&colons, ":::"), "[][:]");
    ck_assert_str_eq(shown(&colons, "::::"), "[][][]");
    ck_assert_str_eq(shown(&colons, ""), "[]");
    ck_assert_str_eq(shown(&arrow, "--->x->-"), "[-][x->-]");
    ck_assert_str_eq(shown(&arrow, "a--"), "[a--]");
}
END_TEST

START_TEST(fields_past_the_capacity_are_counted_and_not_written)
{
    struct csv_field field[3] = {{0}, {0}, {77, 77, 77}};
    uint32_t n, at;
    ck_assert_int_eq(csv_split(&comma, "a,b,c,\"d\",e", 11, field, 2, &n, &at), CSV_OK);
    ck_assert_uint_eq(n, 5);
    ck_assert_uint_eq(field[1].off, 2);
    ck_assert_uint_eq(field[2].off, 77);
}
END_TEST

/* Bytes that differ from the delimiter by one, or in the top bit, are no delimiters. */
START_TEST(every_byte_but_the_delimiter_is_text)
{
    for (unsigned d = 1; d < 256; d++) {
        struct csv_dialect dialect = {.delimiter = (char)d};
        char rec[256];
        for (unsigned i = 0; i < 256; i++)
            rec[i] = (char)i;
        struct csv_field field[MAX_FIELDS];
        uint32_t n, at;
        csv_split(&dialect, rec, 256, field, MAX_FIELDS, &n, &at);
        ck_assert_uint_eq(n, 2);
        ck_assert_uint_eq(field[0].len, d);
        ck_assert_uint_eq(field[1].off, d + 1);
    }
}
END_TEST

/* Writes a field without knowledge of the splitter: quotes if necessary, and sometimes without
 * need. */
static uint32_t write_field(uint64_t *s, const char *text, uint32_t n, char *out)
{
    bool must = n && (memchr(text, ',', n) || memchr(text, '\n', n) || memchr(text, '\r', n) ||
                      text[0] == '"');
    if (!must && mix64_next(s) % 3) {
        memcpy(out, text, n);
        return n;
    }
    uint32_t w = 0;
    out[w++] = '"';
    for (uint32_t i = 0; i < n; i++) {
        if (text[i] == '"') out[w++] = '"';
        out[w++] = text[i];
    }
    out[w++] = '"';
    return w;
}

START_TEST(written_rows_are_read_back)
{
    static const char alphabet[] = "abcdefgh01234567 ,\"\n\r\0\xc3";
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        uint64_t s = seed;
        char text[8][32], buffer[1024];
        uint32_t len[8], columns = 1 + mix64_next(&s) % 8, n = 0;
        uint64_t dead_letters =
            seed % 2 ? 17 : sizeof alphabet - 1; /* half of them without a quote */
        for (uint32_t c = 0; c < columns; c++) {
            len[c] = (uint32_t)(mix64_next(&s) % 20);
            for (uint32_t i = 0; i < len[c]; i++)
                text[c][i] = alphabet[mix64_next(&s) % dead_letters];
            if (c) buffer[n++] = ',';
            n += write_field(&s, text[c], len[c], buffer + n);
        }
        char *rec = malloc(n + 1); /* exactly n bytes: a sanitizer sees a read past them */
        rec = realloc(rec, n ? n : 1);
        memcpy(rec, buffer, n);
        struct csv_field field[MAX_FIELDS];
        uint32_t got, at;
        ck_assert_int_eq(csv_split(&comma, rec, n, field, MAX_FIELDS, &got, &at), CSV_OK);
        ck_assert_uint_eq(got, columns);
        for (uint32_t c = 0; c < columns; c++) {
            char plain[64];
            uint32_t k = csv_unescape(&comma, rec + field[c].off, field[c].len, plain);
            if (!field[c].doubled) {
                k = field[c].len;
                memcpy(plain, rec + field[c].off, k);
            }
            ck_assert_uint_eq(k, len[c]);
            ck_assert_uint_eq(k, field[c].len - field[c].doubled);
            if (memcmp(plain, text[c], k))
                ck_abort_msg("seed %llu column %u", (unsigned long long)seed, c);
        }
        free(rec);
    }
}
END_TEST

/* Splits rec as a loop over its bytes does. Returns the number of fields; 0 if it has a quote. */
static uint32_t split_naive(const char *rec, uint32_t n, uint32_t end[])
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (rec[i] == '"') return 0;
        if (rec[i] == ',') end[k++] = i;
    }
    end[k++] = n;
    return k;
}

START_TEST(records_within_a_text_are_split_like_records_alone)
{
    static const char alphabet[] = "abcdefg 01\n\r\0\xac,,,\"";
    static struct csv_text t;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t s = seed;
        const uint32_t most = seed % 20 ? 300 : 3 * CSV_PIECE,
                       bytes = 1 + (uint32_t)(mix64_next(&s) % most);
        const uint64_t letters = sizeof alphabet - 1 - seed % 2; /* half of them without a quote */
        char *text = malloc(bytes);
        for (uint32_t i = 0; i < bytes; i++)
            text[i] = alphabet[mix64_next(&s) % letters];
        csv_text_begin(&t, text, bytes);
        for (int k = 0; k < 50; k++) {
            uint32_t off = (uint32_t)(mix64_next(&s) % bytes), cap = seed % 5 ? 300 : 3,
                     n = (uint32_t)(mix64_next(&s) % (bytes - off + 1)), naive[301], at[2],
                     found[2];
            if (n > 300) n = 300;
            struct csv_field one[300], other[300];
            char *rec = malloc(n ? n : 1);
            memcpy(rec, text + off, n);
            const uint32_t fields = split_naive(rec, n, naive);
            ck_assert_int_eq(csv_split(&comma, rec, n, one, cap, &found[0], &at[0]),
                             csv_split_at(&comma, &t, off, n, other, cap, &found[1], &at[1]));
            ck_assert_uint_eq(found[0], found[1]);
            ck_assert_uint_eq(at[0], at[1]);
            const uint32_t written = found[0] < cap ? found[0] : cap;
            ck_assert(!memcmp(one, other, written * sizeof *one));
            for (uint32_t i = 0; fields && i < written; i++) {
                ck_assert_uint_eq(one[i].off, i ? naive[i - 1] + 1 : 0);
                ck_assert_uint_eq(one[i].off + one[i].len, naive[i]);
            }
            for (uint32_t fit = 1; fit < fields + 3; fit++) {
                const uint32_t *found_at = csv_delimiters(&comma, &t, off, n, fit);
                ck_assert_int_eq(found_at != NULL, fit == fields);
                for (uint32_t i = 0; found_at && i + 1 < fields; i++)
                    ck_assert_uint_eq(found_at[i], off + naive[i]);
            }
            free(rec);
        }
        free(text);
    }
}
END_TEST

START_TEST(backslashes_make_quotes_text_in_quotes_alone)
{
    const struct csv_dialect d = {',', '"', NULL, true};
    ck_assert_str_eq(shown(&d, "\"6\\\" pipe\",x\\\"y,\"a\\\\\",\"\\N\\q\""),
                     "[6\" pipe][x\\\"y][a\\][\\N\\q]");
    ck_assert_str_eq(shown(&d, "\"a\\\nb\\\rc\"\"d\\\"\"\"\""), "[a\nb\rc\"d\"\"]");
    ck_assert_str_eq(shown(&d, "\"a\\\""), "!0");
    ck_assert_str_eq(shown(&d, "\"a\\\\\"b"), "?5");
    ck_assert_str_eq(shown(&comma, "\"a\\\\\""), "[a\\\\]");
}
END_TEST

LEAT_SUITE("csv", records_within_a_text_are_split_like_records_alone,
           delimiters_part_fields_and_blanks_stay, quotes_come_off_and_doubled_ones_become_one,
           quote_within_a_field_is_a_character, wrong_quotes_are_found_where_they_stand,
           dialect_without_quotes_takes_them_as_they_are,
           delimiter_of_several_bytes_counts_only_whole,
           fields_past_the_capacity_are_counted_and_not_written,
           every_byte_but_the_delimiter_is_text, backslashes_make_quotes_text_in_quotes_alone,
           written_rows_are_read_back)
