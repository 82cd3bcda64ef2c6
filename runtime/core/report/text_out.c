/* text_out.c -- implementation of text_out.h: the buffer, strings, widths on terminals, numbers.
 *
 * Numbers. To write x, text_format_double and text_format_float scale |x| to an integer m of d
 * digits. If m / 10^k reads back as x, they write m with a decimal point. m (below 2^53) and 10^k
 * (k <= 22) are exact doubles, so the quotient is the double nearest to the decimal, which is what
 * a reader gets. That takes one multiplication and one division, a fifth of printf's time.
 *   double   d = 15. A decimal of up to 15 digits is the same after conversion to a double and
 *            back, so a short decimal is found if there is one. Trailing zeros are dropped.
 *   float    d = 6, then 7, 8, 9; nine digits always suffice. The quotient is rounded twice, to
 *            double and to float. That is wrong only if it lies exactly between two floats, so
 *            such a quotient is not used.
 * printf writes very large and very small numbers, and numbers for which this method fails.
 *
 * Not here: files (plugins/common/output/out.h); reading numbers (number_text.c). */
#include "text_out.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pow10.h"
#include "core/text/utf8.h"

/* ---- filling and flushing the buffer ---- */

int text_to_file(void *to, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, to) == n ? 0 : errno ? errno : EIO;
}

int text_flush(struct text_out *o)
{
    assert(o->cap >= 64 && o->n <= o->cap);
    if (!o->failed && o->n) o->failed = o->drain(o->to, o->buf, o->n);
    o->n = 0;
    return o->failed;
}

void text_bytes(struct text_out *o, const char *s, size_t n)
{
    while (n > o->cap - o->n) {
        size_t part = o->cap - o->n;
        memcpy(o->buf + o->n, s, part);
        o->n = o->cap;
        s += part;
        n -= part;
        text_flush(o);
    }
    if (n) memcpy(o->buf + o->n, s, n);
    o->n += n;
}

void text_str(struct text_out *o, const char *s) { text_bytes(o, s, strlen(s)); }

void text_char(struct text_out *o, char c)
{
    if (o->n == o->cap) text_flush(o);
    o->buf[o->n++] = c;
}

void text_pad(struct text_out *o, size_t n)
{
    while (n--)
        text_char(o, ' ');
}

void text_line(struct text_out *o)
{
    text_char(o, '\n');
    if (o->n >= o->cap / 2) text_flush(o);
}

/* ---- strings of JSON, fields of CSV and TSV ---- */

/* Constants to test eight bytes at a time. skip_plain() and needs_quotes() do so, because most
 * texts need no escapes. */
#define ONES UINT64_C(0x0101010101010101)
#define HIGH UINT64_C(0x8080808080808080)

static uint64_t text_word(const void *s)
{
    uint64_t w;
    memcpy(&w, s, sizeof w);
    return w;
}

/* Nonzero if one of the eight bytes of w is c. */
static uint64_t text_has(uint64_t w, char c)
{
    uint64_t zero = w ^ ONES * (unsigned char)c;
    return (zero - ONES) & ~zero & HIGH;
}

static const char hex[] = "0123456789abcdef";

static void json_escape(struct text_out *o, unsigned char c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *at = c ? strchr(plain, c) : NULL;
    if (at) {
        text_char(o, '\\');
        text_char(o, letter[at - plain]);
    } else {
        text_str(o, "\\u00");
        text_char(o, hex[c >> 4]);
        text_char(o, hex[c & 15]);
    }
}

/* True for an ASCII character that needs no escape in a JSON string. */
static bool text_is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static size_t skip_plain(const unsigned char *s, size_t n)
{
    size_t i = 0;
    for (; n - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t w = text_word(s + i);
        if (((w | (w - ONES * 0x20)) & HIGH) | text_has(w, '"') | text_has(w, '\\')) break;
    }
    while (i < n && text_is_plain(s[i]))
        i++;
    return i;
}

void text_json_part(struct text_out *o, const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0, from = 0; /* text[from, i) needs no escape and is not written yet */
    while (i < n) {
        size_t len = 1;
        i += skip_plain(s + i, n - i);
        while (i < n && (len = utf8_length(s + i, n - i)) > 1)
            i += len;
        if (i == n || text_is_plain(s[i])) continue;
        text_bytes(o, text + from, i - from);
        if (len)
            json_escape(o, s[i]);
        else
            text_str(o, UTF8_REPLACEMENT);
        from = ++i;
    }
    text_bytes(o, text + from, i - from);
}

void text_json(struct text_out *o, const char *text, size_t n)
{
    text_char(o, '"');
    text_json_part(o, text, n);
    text_char(o, '"');
}

static bool needs_quotes(const char *s, size_t n, char delimiter)
{
    size_t i = 0;
    for (; n - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t w = text_word(s + i);
        if (text_has(w, delimiter) | text_has(w, '"') | text_has(w, '\n') | text_has(w, '\r'))
            return true;
    }
    for (; i < n; i++)
        if (s[i] == delimiter || s[i] == '"' || s[i] == '\n' || s[i] == '\r') return true;
    return n == 0;
}

void text_csv(struct text_out *o, const char *s, size_t n, char delimiter)
{
    if (!needs_quotes(s, n, delimiter)) {
        text_bytes(o, s, n);
        return;
    }
    text_char(o, '"');
    for (const char *end = s + n, *quote; s < end; s = quote + 1) {
        quote = memchr(s, '"', (size_t)(end - s));
        if (!quote) {
            text_bytes(o, s, (size_t)(end - s));
            break;
        }
        text_bytes(o, s, (size_t)(quote + 1 - s));
        text_char(o, '"');
    }
    text_char(o, '"');
}

void text_tsv(struct text_out *o, const char *s, size_t n)
{
    static const char special[] = "\t\n\r\\", letter[] = "tnr\\";
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        const char *at = s[i] ? strchr(special, s[i]) : NULL;
        if (!at) continue;
        text_bytes(o, s + from, i - from);
        text_char(o, '\\');
        text_char(o, letter[at - special]);
        from = i + 1;
    }
    text_bytes(o, s + from, n - from);
}

/* ---- widths of texts on a terminal, in columns ----
 *
 * Widths of characters on a terminal, from Unicode's EastAsianWidth.txt and the category Mn. For
 * each block of Unicode they are the widths of most of its characters. wcwidth is unsuitable
 * because it depends on the locale. */

struct utf8_range {
    uint32_t first, last;
};

static const struct utf8_range utf8_marks[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

static const struct utf8_range utf8_wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

static bool utf8_among(const struct utf8_range *r, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n; i++)
        if (code >= r[i].first && code <= r[i].last) return true;
    return false;
}

/* Returns the width of the well-formed character s[0 .. len) (utf8_length), in columns. */
static size_t utf8_columns(const unsigned char *s, size_t len)
{
    if (len == 1) return 1;
    uint32_t code = s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++)
        code = code << 6 | (s[i] & 0x3fu);
    if (utf8_among(utf8_marks, sizeof utf8_marks / sizeof *utf8_marks, code)) return 0;
    return utf8_among(utf8_wide, sizeof utf8_wide / sizeof *utf8_wide, code) ? 2 : 1;
}

/* Width of \xe9, the display of a byte that belongs to no character. */
enum { FOREIGN_COLUMNS = 4 };

/* Returns the number of bytes of the first displayed character of text[0 .. n), n > 0, and sets
 * *columns to its width. */
static size_t text_step(const char *text, size_t n, size_t *columns)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t len = utf8_length(s, n);
    *columns = !len ? FOREIGN_COLUMNS : !utf8_acts(s, len) ? utf8_columns(s, len) : 1;
    return len ? len : 1;
}

size_t text_width(const char *text, size_t n)
{
    size_t width = 0;
    for (size_t i = 0, columns; i < n; width += columns)
        i += text_step(text + i, n - i, &columns);
    return width;
}

/* Returns the number of bytes of the longest prefix that is at most `width` columns wide. It
 * includes the combining marks on its last letter. */
static size_t text_beginning(const char *text, size_t n, size_t width)
{
    for (size_t i = 0, columns; i < n; width -= columns) {
        size_t len = text_step(text + i, n - i, &columns);
        if (columns > width) return i;
        i += len;
    }
    return n;
}

/* Returns the offset of the longest suffix that is at most `width` columns wide. It does not begin
 * with a combining mark. */
static size_t text_ending(const char *text, size_t n, size_t width)
{
    size_t left = text_width(text, n), i = 0;
    while (i < n) {
        size_t columns, len = text_step(text + i, n - i, &columns);
        if (columns && left <= width) break;
        left -= columns;
        i += len;
    }
    return i;
}

/* Writes a byte that is not UTF-8 as \xe9, so that names that differ only in such a byte look
 * different. */
static void put_foreign(struct text_out *o, unsigned char c)
{
    text_str(o, "\\x");
    text_char(o, hex[c >> 4]);
    text_char(o, hex[c & 15]);
}

static void put_plain(struct text_out *o, const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < n;) {
        size_t len = utf8_length(s + i, n - i);
        if (!len)
            put_foreign(o, s[i]);
        else if (utf8_acts(s + i, len))
            text_char(o, '?');
        else
            text_bytes(o, text + i, len);
        i += len ? len : 1;
    }
}

static const char *next_part(const char *text, size_t n) { return memmem(text, n, " & ", 3); }

static void put_without_middle(struct text_out *o, const char *text, size_t n, size_t width)
{
    size_t head = width / 2, tail = width - 1 - head, from = text_ending(text, n, tail);
    put_plain(o, text, text_beginning(text, n, head));
    text_str(o, "\xe2\x80\xa6"); /* an ellipsis */
    put_plain(o, text + from, n - from);
}

void text_shown(struct text_out *o, const char *text, size_t n, size_t width)
{
    if (!width || text_width(text, n) <= width) {
        put_plain(o, text, n);
        return;
    }
    size_t parts = 1;
    for (const char *at = text; (at = next_part(at, n - (size_t)(at - text))); at += 3)
        parts++;
    size_t room = width > 3 ? width - 3 : 0, share = room / parts;
    if (parts == 1 || share < LEAST_PART) {
        put_without_middle(o, text, n, width);
        return;
    }
    size_t first = (size_t)(next_part(text, n) - text), rest = n - first - 3;
    size_t left =
        text_width(text + first + 3, rest); /* width of the other parts; the first part may use what
                                             * they do not need */
    size_t own = text_width(text, first), given = room > left + share ? room - left : share;
    given = given < own ? given : own;
    text_shown(o, text, first, given);
    text_str(o, " & ");
    text_shown(o, text + first + 3, rest, room - given);
}

/* ---- writing numbers ---- */

static size_t text_digits_of(char *out, uint64_t x)
{
    char d[20];
    size_t n = 0, at = sizeof d;
    do
        d[--at] = (char)('0' + x % 10);
    while (x /= 10);
    n = sizeof d - at;
    memcpy(out, d + at, n);
    return n;
}

/* Returns a * 10^k, rounded to an integer. Sets *k to the k >= 0 with which the result has `digits`
 * digits. If a has more digits before its decimal point, *k is 0. */
static uint64_t scaled(double a, int digits, int *k)
{
    int e = 0; /* 10^e <= a < 10^(e + 1) */
    while (a >= pow10_f64[e + 1])
        e++;
    while (e <= 0 && a * pow10_f64[-e] < 1.0)
        e--;
    *k = digits - 1 > e ? digits - 1 - e : 0;
    return (uint64_t)(a * pow10_f64[*k] + 0.5);
}

/* Writes m / 10^k, without trailing zeros in the fraction; 0 <= k <= 19. */
static size_t put_decimal(char *out, bool negative, uint64_t m, int k)
{
    for (; k > 0 && m % 10 == 0; k--)
        m /= 10;
    uint64_t whole = m / pow10_u64[k], rest = m % pow10_u64[k];
    size_t n = 0;
    if (negative) out[n++] = '-';
    n += text_digits_of(out + n, whole);
    if (k == 0) return n;
    out[n++] = '.';
    for (int i = k; i-- > 0; rest /= 10)
        out[n + (size_t)i] = (char)('0' + rest % 10);
    return n + (size_t)k;
}

static size_t put_nonfinite(char *out, double x)
{
    const char *text = isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    memcpy(out, text, strlen(text));
    return strlen(text);
}

/* True if q lies exactly between two floats: the last 29 bits of its mantissa, which a float does
 * not have, are 1 followed by zeros. */
static bool between_floats(double q)
{
    uint64_t bits;
    memcpy(&bits, &q, sizeof bits);
    return (bits & 0x1fffffffu) == 0x10000000u;
}

static bool reads_back(const char *text, double x, bool single)
{
    return single ? strtof(text, NULL) == (float)x : strtod(text, NULL) == x;
}

/* True if x is a power of two: its neighbour away from 0 is farther than the one towards 0. */
static bool is_power_of_two(double x)
{
    int e;
    return fabs(frexp(x, &e)) == 0.5;
}

/* Writes x, a power of two, as the text of `digits` digits after the nearest one, away from 0. The
 * last digit of the nearest one must not be 9. */
static int put_next(char *out, double x, int digits)
{
    int n = snprintf(out, TEXT_NUMBER, "%.*e", digits - 1, x);
    strchr(out, 'e')[-1]++;
    return n;
}

/* Writes x by printf with the fewest digits that read back as x. If `single`, x is a float. A text
 * of DBL_DIG or FLT_DIG digits is the only one of its length, but for subnormal numbers. At a power
 * of two the next text away from 0 may read back where the nearest does not. */
static size_t put_printed(char *out, double x, bool single)
{
    bool subnormal = fabs(x) < (single ? (double)FLT_MIN : DBL_MIN);
    int most = single ? 9 : 17, n = 0;
    for (int digits = subnormal ? 1 : single ? FLT_DIG : DBL_DIG; digits <= most; digits++) {
        n = snprintf(out, TEXT_NUMBER, "%.*g", digits, x);
        if (reads_back(out, x, single)) break;
        if (!is_power_of_two(x)) continue;
        n = put_next(out, x, digits);
        if (reads_back(out, x, single)) break;
    }
    return (size_t)n;
}

size_t text_format_float(char *out, float x)
{
    double a = fabs((double)x);
    if (!isfinite(x)) return put_nonfinite(out, (double)x);
    if (a == 0.0) return text_digits_of(out, 0);
    bool usual = a >= 1e-4 && a < 1e9;
    for (int digits = 6, k; usual && digits <= 9; digits++) {
        uint64_t m = scaled(a, digits, &k);
        double q = (double)m / pow10_f64[k];
        if ((float)q == (float)a && !between_floats(q)) return put_decimal(out, x < 0.0f, m, k);
    }
    return put_printed(out, (double)x, true);
}

size_t text_format_double(char *out, double x)
{
    double a = fabs(x);
    if (!isfinite(x)) return put_nonfinite(out, x);
    if (a == 0.0) return text_digits_of(out, 0);
    if (a >= 1e-4 && a < 1e15) {
        int k;
        uint64_t m = scaled(a, 15, &k);
        if ((double)m / pow10_f64[k] == a) return put_decimal(out, x < 0.0, m, k);
    }
    return put_printed(out, x, false);
}

size_t text_format_real(char *out, double x, bool single)
{
    size_t sign = x == 0 && signbit(x);
    const char *word = isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
    if (!isfinite(x)) return (size_t)sprintf(out, "%s", word);
    *out = '-';
    return sign +
           (single ? text_format_float(out + sign, (float)x) : text_format_double(out + sign, x));
}

size_t text_format_int(char *out, int64_t x)
{
    size_t sign = x < 0;
    *out = '-';
    return sign + text_digits_of(out + sign, sign ? 0 - (uint64_t)x : (uint64_t)x);
}

void text_float(struct text_out *o, float x)
{
    char s[TEXT_NUMBER];
    text_bytes(o, s, text_format_float(s, x));
}

void text_double(struct text_out *o, double x)
{
    char s[TEXT_NUMBER];
    text_bytes(o, s, text_format_double(s, x));
}

void text_json_float(struct text_out *o, float x)
{
    if (isfinite(x))
        text_float(o, x);
    else
        text_str(o, "null");
}

void text_json_double(struct text_out *o, double x)
{
    if (isfinite(x))
        text_double(o, x);
    else
        text_str(o, "null");
}

void text_uint(struct text_out *o, uint64_t x)
{
    char s[TEXT_NUMBER];
    text_bytes(o, s, text_digits_of(s, x));
}

void text_int(struct text_out *o, int64_t x)
{
    char s[TEXT_NUMBER];
    text_bytes(o, s, text_format_int(s, x));
}

size_t text_format_grouped(char *out, uint64_t x)
{
    char d[20];
    size_t count = text_digits_of(d, x), n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0) out[n++] = ',';
        out[n++] = d[i];
    }
    return n;
}
