/* decimal.c -- numbers outside the fast path of decimal.h: with exponents, long, or extreme
 *
 * A number is brought to the form D · 10^e, where D is the integer written by its n significant
 * digits (no leading, no trailing zeros). Then
 *   n <= 19 and |e| small   one exact integer or double operation, as in the header;
 *   otherwise               strtod of the text "D e E". This text has no decimal point, the only
 *                           part that depends on a locale.
 *
 * Only 800 digits are stored. A double, or the middle between two doubles, has at most 767
 * significant digits, so it is an 800-digit number. Therefore all numbers strictly between two
 * neighbouring 800-digit numbers round to the same double. So if digits that are not 0 are cut off,
 * one digit 1 replaces them.
 *
 * Out of scope: the digit loop and the fast path (decimal.h). */
#include "decimal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS_MAX 800
/* Limit of the exponent in a text. No text in memory has enough digits to compensate for a
 * larger exponent. */
#define EXPONENT_MAX INT64_C(1000000000000000)

__extension__ typedef unsigned __int128 u128;

/* Parts of a number. */
struct parts {
    size_t n;                /* number of significant digits in d; 0: the number is 0 */
    int64_t e;               /* the value is D · 10^e                                 */
    char d[DIGITS_MAX + 32]; /* digits of D, with room for "1", "e" and the exponent  */
};

/* Returns 2^e as a double; -1022 <= e <= 1023. */
static double power_of_two(int e) { return double_of_bits((uint64_t)(e + 1023) << 52); }

/* Returns m / d, correctly rounded; m, d > 0. Both are shifted so that their top bit is bit 63;
 * then the quotient m·2^63 / d has 63 or 64 bits. Its lowest bit is also set if there is a
 * remainder. A double has 53 bits, so only the conversion rounds. The scaling is exact, because no
 * result comes near the subnormals. */
static double decimal_divide(uint64_t m, uint64_t d)
{
    int up_m = __builtin_clzll(m), up_d = __builtin_clzll(d);
    u128 n = (u128)(m << up_m) << 63;
    d <<= up_d;
    uint64_t q = (uint64_t)(n / d);
    q |= (n % d) != 0;
    return (double)q * power_of_two(up_d - up_m - 63);
}

double decimal_scale(uint64_t m, int e)
{
    assert(e >= -19 && e <= 19);
    if (m == 0) return 0;
    if (e >= 0) return (double)((u128)m * pow10_u64[e]);
    return decimal_divide(m, pow10_u64[-e]);
}

static const char *decimal_skip_digits(const char *p, const char *end)
{
    while (p < end && decimal_is_digit(*p))
        p++;
    return p;
}

/* True if [p, end) begins with `word` in any case; `word` is in lower case. */
static bool decimal_begins(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - p) < n) return false;
    for (size_t i = 0; i < n; i++)
        if ((p[i] | 0x20) != word[i]) return false;
    return true;
}

/* Reads "inf", "infinity" or "nan" if q begins with one of these words. q is the
 * text after the sign. */
static enum decimal_status spelled(const char *p, const char *q, const char *end, const char **stop)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (decimal_begins(q, end, words[i])) {
            *stop = q + strlen(words[i]);
            return DECIMAL_NONFINITE;
        }
    *stop = p;
    return DECIMAL_NONE;
}

/* Reads the exponent ("e", sign, digits) at *q, and moves *q after it. Returns 0 if there is
 * no exponent. */
static int64_t exponent(const char **q, const char *end)
{
    const char *p = *q;
    if (p == end || (*p | 0x20) != 'e') return 0;
    p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !decimal_is_digit(*p)) return 0;
    int64_t e = 0;
    for (; p < end && decimal_is_digit(*p); p++)
        if (e < EXPONENT_MAX) e = e * 10 + (*p - '0');
    *q = p;
    return negative ? -e : e;
}

/* Appends the digits [p, end) to the significant digits. Digits beyond DIGITS_MAX only raise the
 * exponent; sets *cut if one of them is not 0. */
static void decimal_append(struct parts *x, const char *p, const char *end, bool *cut)
{
    for (; p < end; p++) {
        if (x->n == 0 && *p == '0') continue;
        if (x->n < DIGITS_MAX) {
            x->d[x->n++] = *p;
        } else {
            x->e++;
            *cut |= *p != '0';
        }
    }
}

/* Computes D · 10^e from the digits before and after the point, and the exponent e in the text. */
static void take_apart(struct parts *x, const char *const whole[2], const char *const fraction[2],
                       int64_t e)
{
    bool cut = false;
    x->n = 0;
    x->e = e - (fraction[1] - fraction[0]);
    decimal_append(x, whole[0], whole[1], &cut);
    decimal_append(x, fraction[0], fraction[1], &cut);
    if (cut) {
        x->d[x->n++] = '1';
        x->e--;
    }
    for (; x->n && x->d[x->n - 1] == '0'; x->n--)
        x->e++;
}

static double by_strtod(struct parts *x)
{
    snprintf(x->d + x->n, sizeof x->d - x->n, "e%d", (int)x->e);
    return strtod(x->d, NULL);
}

static double put_together(struct parts *x)
{
    if (x->n == 0) return 0;
    if (x->e > 400) return (double)INFINITY;    /* D >= 1                                       */
    if (x->e < -400 - DIGITS_MAX - 1) return 0; /* D < 10^801, so the value is far below 5e-324 */
    if (x->n > 19) return by_strtod(x);
    uint64_t m = 0;
    decimal_digits(x->d, x->d + x->n, &m);
    int e = (int)x->e;
    if (e >= -19 && e <= 19) return decimal_scale(m, e);
    if (m < DECIMAL_EXACT_MAX && e >= -22 && e < 0) return (double)m / pow10_f64[-e];
    if (m < DECIMAL_EXACT_MAX && e > 0 && e <= 22) return (double)m * pow10_f64[e];
    return by_strtod(x);
}

enum decimal_status decimal_general(const char *p, const char *end, double *value,
                                    const char **stop)
{
    bool negative = p < end && *p == '-';
    const char *q = p + (p < end && (*p == '-' || *p == '+'));
    const char *whole[2] = {q, decimal_skip_digits(q, end)};
    q = whole[1];
    const char *fraction[2] = {q, q};
    if (q < end && *q == '.') {
        fraction[0] = q + 1;
        fraction[1] = decimal_skip_digits(q + 1, end);
    }
    if (whole[0] == whole[1] && fraction[0] == fraction[1]) return spelled(p, whole[0], end, stop);
    q = fraction[1];
    int64_t e = exponent(&q, end);
    struct parts x;
    take_apart(&x, whole, fraction, e);
    double v = put_together(&x);
    *stop = q;
    if (isinf(v)) return DECIMAL_NONFINITE;
    *value = decimal_sign(v, negative);
    return DECIMAL_OK;
}
