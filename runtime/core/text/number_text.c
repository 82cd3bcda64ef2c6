/* number_text.c -- implementation of number_text.h: reads short numbers exactly without strtod.
 *
 * Integers of up to 15 digits, and powers of ten up to 10^22, are exact doubles. So the product or
 * quotient of the two is correctly rounded. strtod reads all other numbers. */
#include "number_text.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/pow10.h"

enum { NUMBER_TEXT_MAX = 200, EXACT_DIGITS = 15, EXACT_POWER = 22 };

static bool number_text_is_digit(char ch) { return ch >= '0' && ch <= '9'; }
static bool number_text_is_blank(char ch) { return ch == ' ' || ch == '\t'; }

static const char *number_text_skip_digits(const char *p, const char *end, uint64_t *value,
                                           int *digits)
{
    for (; p < end && number_text_is_digit(*p); p++) {
        if (*digits || *p != '0') ++*digits;
        if (*digits <= EXACT_DIGITS) *value = *value * 10 + (uint64_t)(*p - '0');
    }
    return p;
}

/* Reads an exponent, [eE][+-]?digits, at p. Returns its end; p if there is none. */
static const char *skip_exponent(const char *p, const char *end, int *exponent)
{
    const char *q = p;
    if (q == end || (*q | 0x20) != 'e') return p;
    q++;
    int negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+')) q++;
    if (q == end || !number_text_is_digit(*q)) return p;
    int e = 0;
    for (; q < end && number_text_is_digit(*q); q++)
        e = e < 10000 ? e * 10 + (*q - '0') : e;
    *exponent = negative ? -e : e;
    return q;
}

static int slow_number(const char *p, const char *end, double *out)
{
    char copy[NUMBER_TEXT_MAX + 1];
    size_t n = (size_t)(end - p);
    if (n > NUMBER_TEXT_MAX) return -1;
    memcpy(copy, p, n);
    copy[n] = '\0';
    *out = strtod(copy, NULL);
    return isfinite(*out) ? 1 : -1;
}

static const char *number_text_skip_blanks(const char *p, const char *end)
{
    while (p < end && number_text_is_blank(*p))
        p++;
    return p;
}

static const char *drop_blanks(const char *p, const char *end)
{
    while (p < end && number_text_is_blank(end[-1]))
        end--;
    return end;
}

int number_text_double(const char *p, const char *end, double *out)
{
    p = number_text_skip_blanks(p, end);
    end = drop_blanks(p, end);
    if (p == end) return 0;
    const char *start = p;
    int negative = *p == '-', digits = 0, exponent = 0;
    uint64_t value = 0;
    if (*p == '-' || *p == '+') p++;
    const char *whole = p;
    p = number_text_skip_digits(p, end, &value, &digits);
    ptrdiff_t seen = p - whole, places = 0;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = number_text_skip_digits(p, end, &value, &digits);
        places = p - fraction;
    }
    if (seen + places == 0) return -1;
    p = skip_exponent(p, end, &exponent);
    if (p != end) return -1;
    ptrdiff_t e = exponent - places;
    if (digits > EXACT_DIGITS || e < -EXACT_POWER || e > EXACT_POWER)
        return slow_number(start, end, out);
    double v = e < 0 ? (double)value / pow10_f64[-e] : (double)value * pow10_f64[e];
    *out = negative ? -v : v;
    return 1;
}

/* Reads a number that consists of a sign and digits. Returns false for any other text, and if the
 * number is beyond INT64_MAX. */
static bool read_digits(const char *p, const char *end, int64_t *out)
{
    bool negative = p < end && *p == '-';
    int64_t v = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    for (; p < end; p++)
        if (!number_text_is_digit(*p) || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, *p - '0', &v))
            return false;
    *out = negative ? -v : v;
    return true;
}

/* Appends a digit to a number. Returns false if the number is then beyond INT64_MAX. */
static bool append_digit(int64_t *v, char digit)
{
    return !__builtin_mul_overflow(*v, 10, v) && !__builtin_add_overflow(*v, digit - '0', v);
}

/* Reads a number with a point or an exponent that is whole, as 2.0, 1e3 and 12.50e1. Takes digits
 * before the point, moved by the exponent, and wants zeros after it. */
static bool number_text_whole(const char *p, const char *end, int64_t *out)
{
    bool negative = p < end && *p == '-';
    int exponent = 0;
    int64_t v = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *digits = p, *point = NULL;
    while (p < end && (number_text_is_digit(*p) || (*p == '.' && !point)))
        if (*p++ == '.') point = p - 1;
    const char *last = p;
    if (last - digits == (point ? 1 : 0) || skip_exponent(p, end, &exponent) != end) return false;
    ptrdiff_t left = (point ? point : last) - digits + exponent; /* digits before the point */
    for (p = digits; p < last; p++) {
        if (p == point) continue;
        if (left-- > 0 ? !append_digit(&v, *p) : *p != '0') return false;
    }
    for (; left > 0 && v; left--)
        if (!append_digit(&v, '0')) return false;
    *out = negative ? -v : v;
    return true;
}

int number_text_int64(const char *p, const char *end, int64_t *out)
{
    p = number_text_skip_blanks(p, end);
    end = drop_blanks(p, end);
    if (p == end) return 0;
    return read_digits(p, end, out) || number_text_whole(p, end, out) ? 1 : -1;
}

/* Converts the text [*p, *end) to the plain form, and sets *p and *end to it. Returns 1; 0 if the
 * text is empty or blank; -1 if it is not a number. */
static int make_plain(const struct grouped *form, const char **p, const char **end,
                      char plain[GROUPED_MAX])
{
    *p = number_text_skip_blanks(*p, *end);
    *end = drop_blanks(*p, *end);
    if (*p == *end) return 0;
    size_t n = grouped_plain(form, *p, (size_t)(*end - *p), plain);
    *p = plain;
    *end = plain + n;
    return n ? 1 : -1;
}

int number_text_double_as(const struct grouped *form, const char *p, const char *end, double *out)
{
    char plain[GROUPED_MAX];
    if (grouped_is_plain(form)) return number_text_double(p, end, out);
    int got = make_plain(form, &p, &end, plain);
    return got > 0 ? number_text_double(p, end, out) : got;
}

int number_text_int64_as(const struct grouped *form, const char *p, const char *end, int64_t *out)
{
    char plain[GROUPED_MAX];
    if (grouped_is_plain(form)) return number_text_int64(p, end, out);
    int got = make_plain(form, &p, &end, plain);
    return got > 0 ? number_text_int64(p, end, out) : got;
}
