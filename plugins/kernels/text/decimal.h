/* decimal.h -- converts decimal text to the nearest double, eight digits at a time
 *
 *   number   = [ sign ] mantissa [ ( "e" | "E" ) [ sign ] digits ]
 *   mantissa = digits [ "." [ digits ] ] | "." digits
 *   sign     = "+" | "-"
 *
 * decimal_parse() returns exactly the double that strtod() returns in the C locale, whatever the
 * locale of the process. It accepts neither leading blanks nor hexadecimal numbers (in "0x1" it
 * reads 0 and stops at "x"). Like strtod(), it reads the longest prefix that is a number: "1" in
 * "1e".
 *
 * The fast path: up to 19 digits make an integer m, exact in 64 bits, and the value is m / 10^k.
 *   m < 2^53, k <= 22   m and 10^k are exact doubles, so one division rounds once, correctly
 *   else k <= 19        an integer division with remainder (decimal_scale), rounded once
 *   else                out of line: decimal_general
 *
 *   example   -12.5;   m = 125, k = 1: the value is -12.5, and the text ends at ";"
 *             5e-324   has an exponent: decimal_general
 *
 * Eight digits in a register (SWAR): on any machine, the bytes are loaded with the first digit as
 * the lowest byte. One multiplication joins digits to pairs, one pairs to fours, and one fours to
 * eight.
 *
 * A function reads past `end` only if its comment states how many bytes must be readable. */
#ifndef LEAT_KERNELS_TEXT_DECIMAL_H
#define LEAT_KERNELS_TEXT_DECIMAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/bits.h"
#include "core/pow10.h"
#include "core/text/eight_bytes.h"

enum decimal_status {
    DECIMAL_OK = 0,
    DECIMAL_NONE = 1,     /* no number begins at p; *stop is p                                  */
    DECIMAL_NONFINITE = 2 /* "inf", "infinity", "nan" (any case), or a number too large to hold */
};

#define DECIMAL_EXACT_MAX (UINT64_C(1) << 53) /* integers up to this are exact doubles         */
#define DECIMAL_FLOAT_END 0x1.ffffffp127      /* doubles from this on become an infinite float */

/* Returns m · 10^e, correctly rounded, for any m and -19 <= e <= 19. */
double decimal_scale(uint64_t m, int e);

/* Works like decimal_parse(), without its fast path, for numbers of any length and form. */
enum decimal_status decimal_general(const char *p, const char *end, double *value,
                                    const char **stop);

static inline bool decimal_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Returns a word whose lowest set bit is the high bit of the first byte of w that is not a digit; 0
 * if all are digits. Bits above it are meaningless, because that byte may carry into later
 * bytes. */
static inline uint64_t decimal_not_digits(uint64_t w)
{
    uint64_t t = w ^ UINT64_C(0x3030303030303030); /* digits become 0 … 9 */
    return ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
}

/* Returns the number of digits, 0 … 8, before the first byte of w that is not a digit. */
static inline unsigned decimal_run8(uint64_t w)
{
    uint64_t other = decimal_not_digits(w);
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* Returns the number that the eight digits in w write. The first digit is the lowest byte.
 * Zero bytes count as leading zeros, so a run of n digits (1 … 8) has the number
 * decimal_eight(w << (64 - 8 n)). */
static inline uint64_t decimal_eight(uint64_t w)
{
    w = (w & UINT64_C(0x0f0f0f0f0f0f0f0f)) * ((10 << 8) + 1) >> 8;    /* pairs: 10 a + b  */
    w = (w & UINT64_C(0x00ff00ff00ff00ff)) * ((100 << 16) + 1) >> 16; /* fours: 100 a + b */
    return (w & UINT64_C(0x0000ffff0000ffff)) * ((UINT64_C(10000) << 32) + 1) >> 32; /* eight */
}

/* Appends the digits at p to the number *m. Returns the end of the digits. If *m then has more than
 * 19 digits, its value is meaningless. */
static inline const char *decimal_digits(const char *p, const char *end, uint64_t *m)
{
    uint64_t v = *m;
    while (end - p >= 8) {
        uint64_t w = eight_bytes(p);
        unsigned n = decimal_run8(w);
        if (n) v = v * pow10_u64[n] + decimal_eight(w << (64 - 8 * n)); /* v 10^n + digits */
        p += n;
        if (n < 8) {
            *m = v;
            return p;
        }
    }
    for (; p < end && decimal_is_digit(*p); p++)
        v = v * 10 + (uint64_t)(*p - '0');
    *m = v;
    return p;
}

/* Reads a number that consists of digits only. Returns the end of the digits, or NULL if there are
 * none or the number exceeds 64 bits. */
static inline const char *decimal_u64(const char *p, const char *end, uint64_t *value)
{
    uint64_t v = 0;
    const char *stop = decimal_digits(p, end, &v);
    if (stop - p > 19) {
        v = 0;
        for (const char *q = p; q < stop; q++)
            if (__builtin_mul_overflow(v, 10, &v) ||
                __builtin_add_overflow(v, (uint64_t)(*q - '0'), &v))
                return NULL;
    }
    *value = v;
    return stop == p ? NULL : stop;
}

/* Returns -v if `negative`, else v. Has no branch, because signs in data are unpredictable. */
static inline double decimal_sign(double v, bool negative)
{
    return double_of_bits(bits_of_double(v) | (uint64_t)negative << 63);
}

/* Returns a word whose highest n bytes are the lowest of w, and whose others are zeros (digits). */
static inline uint64_t decimal_aligned(uint64_t w, unsigned n)
{
    const unsigned above = 64 - 8 * n; /* bits of the bytes after the number */
    return w << above | (UINT64_C(0x3030303030303030) & ~(UINT64_MAX << above));
}

/* Reads a number of n - 1 digits and a point, 2 <= n <= 8, whose first byte is the lowest of w. */
static inline bool decimal_short_point(uint64_t w, unsigned n, bool negative, double *value)
{
    const unsigned before = decimal_run8(w), bits = 8 * before;
    if (before >= n || n < 2 || (w >> bits & 0xff) != '.') return false;
    const uint64_t low = (UINT64_C(1) << bits) - 1;
    const uint64_t digits = decimal_aligned((w & low) | (w >> 8 & ~low), n - 1);
    if (decimal_not_digits(digits)) return false;
    *value =
        decimal_sign((double)(int64_t)decimal_eight(digits) / pow10_f64[n - 1 - before], negative);
    return true;
}

/* Reads the number that fills the n bytes at p, if they are at most 8 digits, perhaps one of them a
 * point, after an optional minus sign; 8 bytes after the sign must be readable. Returns false if
 * they are something else. */
static inline bool decimal_short(const char *p, size_t n, double *value)
{
    const bool negative = *p == '-';
    n -= negative;
    if (n - 1 >= 8) return false;
    const uint64_t w = eight_bytes(p + negative), digits = decimal_aligned(w, (unsigned)n);
    if (decimal_not_digits(digits)) return decimal_short_point(w, (unsigned)n, negative, value);
    *value = decimal_sign((double)(int64_t)decimal_eight(digits), negative);
    return true;
}

/* Reads the number at p, and sets *stop to its end. Sets *value only if it returns DECIMAL_OK. */
static inline enum decimal_status decimal_parse(const char *p, const char *end, double *value,
                                                const char **stop)
{
    uint64_t m = 0;
    bool negative = p < end && *p == '-';
    const char *first = p + (p < end && (*p == '-' || *p == '+'));
    const char *q = decimal_digits(first, end, &m);
    int64_t digits = q - first, fraction = 0;
    if (q < end && *q == '.') {
        const char *point = q + 1;
        q = decimal_digits(point, end, &m);
        fraction = q - point;
        digits += fraction;
    }
    if (digits < 1 || digits > 19 || (q < end && (*q | 0x20) == 'e'))
        return decimal_general(p, end, value, stop);
    double v = m < DECIMAL_EXACT_MAX ? (double)(int64_t)m / pow10_f64[fraction]
                                     : decimal_scale(m, -(int)fraction);
    *value = decimal_sign(v, negative);
    *stop = q;
    return DECIMAL_OK;
}

/* Like decimal_parse(), for a float. Also returns DECIMAL_NONFINITE if the float would overflow. */
static inline enum decimal_status decimal_parse_float(const char *p, const char *end, float *value,
                                                      const char **stop)
{
    double v;
    enum decimal_status status = decimal_parse(p, end, &v, stop);
    if (status != DECIMAL_OK) return status;
    if (fabs(v) >= DECIMAL_FLOAT_END) return DECIMAL_NONFINITE;
    *value = (float)v;
    return DECIMAL_OK;
}

/* Reads the number that fills [p, end). Returns DECIMAL_NONE if there is other text before or
 * after it. */
static inline enum decimal_status decimal_whole(const char *p, const char *end, double *value)
{
    double v;
    const char *stop;
    enum decimal_status status = decimal_parse(p, end, &v, &stop);
    if (stop != end) return DECIMAL_NONE;
    if (status == DECIMAL_OK) *value = v;
    return status;
}

#endif
