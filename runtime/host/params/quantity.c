/* quantity.c -- implementation of quantity.h.
 *
 * A number without point or exponent stays a 64-bit integer throughout, so 9007199254740993 is not
 * rounded to a double. Any other number goes through a double. */
#include "quantity.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/report/text_out.h"

struct unit {
    const char *name;
    int64_t factor;
};

#define KI     (INT64_C(1) << 10)
#define MI     (INT64_C(1) << 20)
#define GI     (INT64_C(1) << 30)
#define TI     (INT64_C(1) << 40)
#define SECOND INT64_C(1000000000)

// clang-format off
static const struct unit count_units[] = {
    {"", 1},    {"K", 1000}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", 1000000000000},
    {"Ki", KI}, {"Mi", MI},  {"Gi", GI},  {"Ti", TI},     {NULL, 0}};

/* Units of bytes. For output, the first unit of each factor is used. */
static const struct unit byte_units[] = {
    {"TB", TI},  {"GB", GI},  {"MB", MI},  {"KB", KI}, {"B", 1},  {"", 1},   {"TiB", TI},
    {"GiB", GI}, {"MiB", MI}, {"KiB", KI}, {"T", TI},  {"G", GI}, {"M", MI}, {"K", KI},
    {"Ti", TI},  {"Gi", GI},  {"Mi", MI},  {"Ki", KI}, {NULL, 0}};

static const struct unit time_units[] = {
    {"d", 86400 * SECOND}, {"h", 3600 * SECOND}, {"min", 60 * SECOND}, {"s", SECOND},
    {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {"µs", 1000}, {"", SECOND}, {NULL, 0}};
// clang-format on

struct number {
    double value;
    int64_t integer;
    bool is_integer; /* written with digits only, and fits into `integer` */
    const char *unit;
};

static const char *quantity_skip_digits(const char *s)
{
    while (*s >= '0' && *s <= '9')
        s++;
    return s;
}

/* Returns the end of the number at s; NULL if there is no number. An 'e' without digits after it
 * belongs to the unit. */
static const char *number_end(const char *s, bool *is_integer)
{
    if (*s == '+' || *s == '-') s++;
    const char *end = quantity_skip_digits(s);
    size_t digits = (size_t)(end - s);
    *is_integer = true;
    if (*end == '.') {
        const char *fraction = end + 1;
        end = quantity_skip_digits(fraction);
        digits += (size_t)(end - fraction);
        *is_integer = false;
    }
    if (digits == 0) return NULL;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '+' || end[1] == '-');
        if (quantity_skip_digits(exponent) > exponent) {
            end = quantity_skip_digits(exponent);
            *is_integer = false;
        }
    }
    return end;
}

/* Like strtod(), but in the C locale, whatever the current locale is. */
static double plain_strtod(const char *s)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double x = strtod_l(s, NULL, c);
    freelocale(c);
    return x;
}

static enum quantity_status scan(const char *text, struct number *out)
{
    while (*text == ' ')
        text++;
    bool digits_only = false;
    const char *end = number_end(text, &digits_only);
    if (!end) return QUANTITY_WRONG;
    out->value = plain_strtod(text);
    out->integer = 0;
    out->is_integer = false;
    if (!isfinite(out->value)) return QUANTITY_LARGE;
    if (digits_only) {
        errno = 0;
        out->integer = strtoll(text, NULL, 10);
        out->is_integer = errno == 0;
    }
    while (*end == ' ')
        end++;
    out->unit = end;
    return QUANTITY_OK;
}

/* True if x is an integer except for rounding errors: 2.3 * 1000000 counts as 2300000. */
static bool quantity_is_whole(double x)
{
    return fabs(x - nearbyint(x)) <= 4 * DBL_EPSILON * fabs(x);
}

static enum quantity_status scale(const struct number *number, int64_t factor, bool round,
                                  int64_t *out)
{
    if (number->is_integer)
        return __builtin_mul_overflow(number->integer, factor, out) ? QUANTITY_LARGE : QUANTITY_OK;
    double x = number->value * (double)factor;
    if (!(fabs(x) < 0x1p63)) return QUANTITY_LARGE;
    if (!round && !quantity_is_whole(x)) return QUANTITY_WRONG;
    *out = llround(x);
    return QUANTITY_OK;
}

static enum quantity_status read_scaled(const char *text, const struct unit *units,
                                        int (*compare)(const char *, const char *), bool round,
                                        int64_t *out)
{
    struct number number;
    enum quantity_status status = scan(text, &number);
    if (status != QUANTITY_OK) return status;
    for (const struct unit *u = units; u->name; u++)
        if (!compare(u->name, number.unit)) return scale(&number, u->factor, round, out);
    return QUANTITY_WRONG;
}

enum quantity_status quantity_float(const char *text, double *out)
{
    struct number number;
    enum quantity_status status = scan(text, &number);
    if (status != QUANTITY_OK) return status;
    *out = number.value;
    return *number.unit ? QUANTITY_WRONG : QUANTITY_OK;
}

enum quantity_status quantity_count(const char *text, int64_t *out)
{
    return read_scaled(text, count_units, strcmp, false, out);
}

/* Refuses negative sizes. Rounds "0.3MB" to whole bytes. */
enum quantity_status quantity_bytes(const char *text, int64_t *out)
{
    enum quantity_status status = read_scaled(text, byte_units, strcasecmp, true, out);
    return status == QUANTITY_OK && *out < 0 ? QUANTITY_WRONG : status;
}

enum quantity_status quantity_ns(const char *text, int64_t *out)
{
    enum quantity_status status = read_scaled(text, time_units, strcmp, true, out);
    return status == QUANTITY_OK && *out < 0 ? QUANTITY_WRONG : status;
}

enum quantity_status quantity_whole(double x, int64_t *out)
{
    /* true for NaN, too; an infinity passes here and is too large */
    if (x != floor(x)) return QUANTITY_WRONG;
    if (!(fabs(x) < 0x1p63)) return QUANTITY_LARGE;
    *out = (int64_t)x;
    return QUANTITY_OK;
}

enum quantity_status quantity_seconds(double seconds, int64_t *ns)
{
    if (!(seconds >= 0)) return QUANTITY_WRONG;
    struct number number = {.value = seconds};
    return scale(&number, SECOND, true, ns);
}

const char *quantity_show_float(double x, char out[QUANTITY_TEXT])
{
    out[text_format_double(out, x)] = 0;
    return out;
}

static const char *show_scaled(int64_t x, const struct unit *units, char out[QUANTITY_TEXT])
{
    const struct unit *u = units;
    while (u->factor > 1 && x % u->factor != 0)
        u++;
    snprintf(out, QUANTITY_TEXT, "%" PRId64 "%s", x / u->factor, u->name);
    return out;
}

const char *quantity_show_bytes(int64_t bytes, char out[QUANTITY_TEXT])
{
    return show_scaled(bytes, bytes ? byte_units : byte_units + 4, out); /* 0 is "0B", not "0TB" */
}

const char *quantity_show_ns(int64_t ns, char out[QUANTITY_TEXT])
{
    return show_scaled(ns, ns ? time_units : time_units + 3, out); /* 0 is "0s", not "0d" */
}
