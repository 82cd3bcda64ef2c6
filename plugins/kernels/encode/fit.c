/* fit.c -- implementation of fit.h: numbers, texts, decimals and messages. */
#include "fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/text_out.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/time/utc.h"
#include "kernels/text/decimal.h"

const char *const fit_kind_names[FIT_KINDS] = {"nothing", "booleans", "whole numbers", "numbers",
                                               "times",   "texts",    "bytes"};

/* ---- messages ---- */

static const char *fit_fault_text(enum fit_fault fault)
{
    static const char *const text[] = {
        [FIT_NO_NUMBER] = "not a number",
        [FIT_NO_INTEGER] = "not a whole number",
        [FIT_RANGE] = "beyond the range of the field",
        [FIT_INEXACT] = "a whole number with more digits than the field holds exactly",
        [FIT_NOT_FINITE] = "not finite",
        [FIT_NO_BOOLEAN] = "neither true nor false",
        [FIT_NO_TIME] = "not a time in ISO 8601 that the field can hold",
        [FIT_NO_SYMBOL] = "not one of its values",
        [FIT_NO_UUID] = "no UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        [FIT_NO_UTF8] = "not UTF-8",
        [FIT_SIZE] = "of another length than the field",
        [FIT_PLACES] = "a number with more digits after the point than the field has"};
    return text[fault];
}

/* Returns the number of whole characters in the first FIT_SHOWN bytes. */
static int fit_shown(const struct fit_slice *s)
{
    uint32_t n = 0;
    while (n < s->n) {
        uint32_t more = (uint32_t)utf8_length((const unsigned char *)s->at + n, s->n - n);
        if (!more) more = 1;
        if (n + more > FIT_SHOWN) break;
        n += more;
    }
    return (int)n;
}

void fit_describe(enum fit_fault fault, const struct fit_column *c, const struct fit_value *v,
                  const struct fit_place *place, char *out, size_t cap)
{
    char made[FIT_TEXT_BYTES];
    struct fit_slice s = {"", 0};
    if (fault == FIT_NO_VALUE) {
        snprintf(out, cap, "field '%.200s' (%s) needs a value, and column '%.200s' has none",
                 place->field, place->type, fit_column_shown(c));
        return;
    }
    fit_text(v, false, made, &s);
    int shown = fit_shown(&s);
    snprintf(out, cap, "field '%.200s' (%s): column '%.200s' has '%.*s%s', which is %s",
             place->field, place->type, fit_column_shown(c), shown, s.at,
             (uint32_t)shown < s.n ? "…" : "", fit_fault_text(fault));
}

/* ---- single values ---- */

enum fit_fault fit_boolean(const struct fit_value *v, bool *out)
{
    double x = v->kind == FIT_REAL ? v->is.real : (double)(v->kind != FIT_TEXT ? v->is.integer : 0);
    if (v->kind == FIT_MISSING) return FIT_NO_VALUE;
    if (v->kind == FIT_TEXT) {
        if (!v->n) return FIT_NO_VALUE;
        *out = v->n == 4;
        bool word = (v->n == 4 && !memcmp(v->is.text, "true", 4)) ||
                    (v->n == 5 && !memcmp(v->is.text, "false", 5));
        return word ? FIT_OK : FIT_NO_BOOLEAN;
    }
    *out = x == 1;
    return x == 0 || x == 1 ? FIT_OK : FIT_NO_BOOLEAN;
}

/* True if the text has nothing but blanks. */
static bool fit_is_blank(const struct fit_value *v)
{
    uint32_t n = 0;
    while (n < v->n && (v->is.text[n] == ' ' || v->is.text[n] == '\t'))
        n++;
    return n == v->n;
}

/* Reads a whole number of a text. Tells one that is too large from one that is none. */
static enum fit_fault fit_integer_of_text(const struct fit_column *c, const struct fit_value *v,
                                          int64_t *out)
{
    double x;
    const char *end = v->is.text + v->n;
    if (fit_is_blank(v)) return FIT_NO_VALUE;
    if (number_text_int64_as(&c->form, v->is.text, end, out) == 1) return FIT_OK;
    bool number = number_text_double_as(&c->form, v->is.text, end, &x) == 1;
    return number && fabs(x) >= 0x1p63 ? FIT_RANGE : FIT_NO_INTEGER;
}

static enum fit_fault fit_integer_of_real(double x, int64_t *out)
{
    if (!isfinite(x)) return FIT_NOT_FINITE;
    if (x != floor(x)) return FIT_NO_INTEGER;
    if (fabs(x) > (double)DECIMAL_EXACT_MAX) return FIT_RANGE;
    *out = (int64_t)x;
    return FIT_OK;
}

enum fit_fault fit_integer(const struct fit_column *c, const struct fit_value *v, int64_t min,
                           int64_t max, int64_t *out)
{
    int64_t x = v->kind == FIT_INTEGER ? v->is.integer : 0;
    enum fit_fault fault = v->kind == FIT_MISSING   ? FIT_NO_VALUE
                           : v->kind == FIT_TEXT    ? fit_integer_of_text(c, v, &x)
                           : v->kind == FIT_REAL    ? fit_integer_of_real(v->is.real, &x)
                           : v->kind == FIT_INTEGER ? FIT_OK
                                                    : FIT_NO_INTEGER;
    if (fault != FIT_OK) return fault;
    if (x < min || x > max) return FIT_RANGE;
    *out = x;
    return FIT_OK;
}

/* True if a double, or a float, is exactly the whole number. */
static bool fit_is_exact(int64_t x, bool single)
{
    double d = single ? (double)(float)x : (double)x;
    return d < 0x1p63 && (int64_t)d == x;
}

/* True if a number has neither a point nor an exponent. Others are texts of doubles, whose last
 * digits stand for the nearest double. */
static bool fit_has_only_digits(const struct fit_value *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (!memchr("0123456789-+ \t", v->is.text[i], 14)) return false;
    return true;
}

enum fit_fault fit_real(const struct fit_column *c, const struct fit_value *v, bool single,
                        double *out)
{
    double x = v->kind == FIT_REAL ? v->is.real : 0;
    if (v->kind == FIT_MISSING || (v->kind == FIT_TEXT && fit_is_blank(v))) return FIT_NO_VALUE;
    if (v->kind == FIT_INTEGER) {
        if (!fit_is_exact(v->is.integer, single)) return FIT_INEXACT;
        x = (double)v->is.integer;
    } else if (v->kind == FIT_TEXT) {
        const char *end = v->is.text + v->n;
        int64_t whole;
        if (number_text_double_as(&c->form, v->is.text, end, &x) != 1) return FIT_NO_NUMBER;
        if (fit_has_only_digits(v) && number_text_int64(v->is.text, end, &whole) == 1 &&
            !fit_is_exact(whole, single))
            return FIT_INEXACT;
    } else if (v->kind != FIT_REAL)
        return FIT_NO_NUMBER;
    if (single && isfinite(x) && fabs(x) >= DECIMAL_FLOAT_END) return FIT_RANGE;
    *out = x;
    return FIT_OK;
}

/* ---- texts ---- */

enum fit_fault fit_text(const struct fit_value *v, bool utf8, char made[FIT_TEXT_BYTES],
                        struct fit_slice *out)
{
    _Static_assert((int)FIT_TEXT_BYTES >= (int)UTC_TEXT && (int)FIT_TEXT_BYTES >= TEXT_NUMBER,
                   "room for all values");
    if (v->kind == FIT_MISSING) return FIT_NO_VALUE;
    if (v->kind == FIT_TEXT || v->kind == FIT_BYTES) {
        *out = (struct fit_slice){v->is.text, v->n};
        return !utf8 || utf8_prefix((const unsigned char *)out->at, out->n) == out->n ? FIT_OK
                                                                                      : FIT_NO_UTF8;
    }
    out->at = made;
    if (v->kind == FIT_BOOLEAN)
        out->n = (uint32_t)sprintf(made, "%s", v->is.integer ? "true" : "false");
    else
        out->n = v->kind == FIT_TIME   ? utc_write(made, v->is.integer)
                 : v->kind == FIT_REAL ? (uint32_t)text_format_double(made, v->is.real)
                                       : (uint32_t)text_format_int(made, v->is.integer);
    return FIT_OK;
}

/* ---- decimals ---- */

/* Multiplies the integer by ten and adds a digit. Returns false if it gets too large. */
static bool fit_add_digit(uint8_t out[FIT_DECIMAL_BYTES], uint32_t digit)
{
    for (int i = FIT_DECIMAL_BYTES - 1; i >= 0; i--, digit >>= 8) {
        digit += out[i] * 10u;
        out[i] = (uint8_t)digit;
    }
    return !digit && out[0] < 0x80;
}

static void fit_negate(uint8_t out[FIT_DECIMAL_BYTES])
{
    uint32_t carry = 1;
    for (int i = FIT_DECIMAL_BYTES - 1; i >= 0; i--, carry >>= 8) {
        carry += (uint8_t)~out[i];
        out[i] = (uint8_t)carry;
    }
}

/* Digits of a number, while it is read. */
struct fit_digits {
    uint8_t *out;
    uint32_t n;     /* digits of `out`, without leading zeros */
    int64_t places; /* digits after the point so far */
};

/* Takes the digits at p. Returns their end. Sets d->n beyond all limits if they are too many. */
static const char *fit_take_digits(struct fit_digits *d, const char *p, const char *end,
                                   uint32_t most)
{
    for (; p < end && decimal_is_digit(*p); p++) {
        d->n += d->n || *p != '0';
        if (d->n > most || !fit_add_digit(d->out, (uint32_t)(*p - '0'))) d->n = UINT32_MAX / 2;
    }
    return p;
}

/* Appends zeros until the number has `scale` digits after the point. */
static enum fit_fault fit_scale(struct fit_digits *d, uint32_t precision, uint32_t scale)
{
    for (; d->n && d->places < scale; d->places++)
        if (++d->n > precision || !fit_add_digit(d->out, 0)) return FIT_RANGE;
    return d->n <= precision ? FIT_OK : FIT_RANGE;
}

/* Reads the exponent at p. Returns false if none stands there. */
static bool fit_exponent(const char *p, const char *end, int64_t *exponent)
{
    if (p == end || (*p | 0x20) != 'e') return false;
    bool negative = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (*exponent = 0; p < end && decimal_is_digit(*p); p++)
        *exponent = *exponent < 10000 ? 10 * *exponent + (*p - '0') : *exponent;
    if (negative) *exponent = -*exponent;
    return p == end;
}

/* Reads the number without its sign. `text` is a number (decimal.h). */
static enum fit_fault fit_decimal_of(const char *p, const char *end, uint32_t precision,
                                     uint32_t scale, uint8_t out[FIT_DECIMAL_BYTES])
{
    struct fit_digits d = {.out = out};
    int64_t exponent = 0;
    const char *point = p, *last = end;
    while (point < end && (decimal_is_digit(*point) || *point == '.'))
        point++;
    if (point < end && !fit_exponent(point, end, &exponent)) return FIT_NO_NUMBER;
    last = point; /* end of the digits */
    point = memchr(p, '.', (size_t)(last - p));
    d.places = (point ? last - point - 1 : 0) - exponent;
    while (point && last > point + 1 && last[-1] == '0' && d.places > scale)
        last--, d.places--;
    fit_take_digits(&d, p, point ? point : last, FIT_DECIMAL_DIGITS);
    if (point) fit_take_digits(&d, point + 1, last, FIT_DECIMAL_DIGITS);
    if (d.n > FIT_DECIMAL_DIGITS) return d.places > scale ? FIT_PLACES : FIT_RANGE;
    if (d.n && d.places > scale) return FIT_PLACES;
    return fit_scale(&d, precision, scale);
}

enum fit_fault fit_decimal(const struct fit_column *c, const struct fit_value *v,
                           uint32_t precision, uint32_t scale, uint8_t out[FIT_DECIMAL_BYTES])
{
    char made[FIT_TEXT_BYTES], plain[GROUPED_MAX];
    struct fit_slice s;
    double x;
    memset(out, 0, FIT_DECIMAL_BYTES);
    enum fit_fault fault = fit_text(v, false, made, &s);
    if (fault != FIT_OK || (v->kind == FIT_TEXT && fit_is_blank(v))) return FIT_NO_VALUE;
    if (v->kind == FIT_REAL && !isfinite(v->is.real)) return FIT_NOT_FINITE;
    if (v->kind == FIT_TEXT && !grouped_is_plain(&c->form))
        s = (struct fit_slice){plain, (uint32_t)grouped_plain(&c->form, s.at, s.n, plain)};
    while (s.n && (*s.at == ' ' || *s.at == '\t'))
        s.at++, s.n--;
    while (s.n && (s.at[s.n - 1] == ' ' || s.at[s.n - 1] == '\t'))
        s.n--;
    if (!s.n || decimal_whole(s.at, s.at + s.n, &x) != DECIMAL_OK) return FIT_NO_NUMBER;
    bool sign = *s.at == '-' || *s.at == '+';
    fault = fit_decimal_of(s.at + sign, s.at + s.n, precision, scale, out);
    if (fault == FIT_OK && *s.at == '-') fit_negate(out);
    return fault;
}

bool fit_is_uuid(const char *text, size_t n)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (n != sizeof form - 1) return false;
    for (size_t i = 0; i < n; i++) {
        const char low = (char)(text[i] | 0x20);
        bool hex = decimal_is_digit(text[i]) || (low >= 'a' && low <= 'f');
        if (form[i] == '-' ? text[i] != '-' : !hex) return false;
    }
    return true;
}
