/* fit_time.c -- dates and times of fit.h. */
#include <string.h>

#include "core/pow10.h"
#include "core/time/civil.h"
#include "fit.h"

/* A time in parts. */
struct fit_parts {
    int64_t days, seconds; /* since 1970-01-01, and since midnight */
    int64_t ns;
    bool has_offset;
};

/* Reads n digits. Returns false if others stand there. */
static bool fit_digits_at(const char **p, const char *end, int n, int64_t *out)
{
    *out = 0;
    for (; n > 0 && *p < end && **p >= '0' && **p <= '9'; n--, ++*p)
        *out = 10 * *out + (**p - '0');
    return n == 0;
}

static bool fit_char_at(const char **p, const char *end, char c)
{
    if (*p == end || **p != c) return false;
    ++*p;
    return true;
}

/* Reads 2024-02-29. */
static bool fit_date_at(const char **p, const char *end, int64_t *days)
{
    int64_t year, month, day;
    bool good = fit_digits_at(p, end, 4, &year) && fit_char_at(p, end, '-') &&
                fit_digits_at(p, end, 2, &month) && fit_char_at(p, end, '-') &&
                fit_digits_at(p, end, 2, &day);
    if (!good || month < 1 || month > 12 || day < 1 ||
        day > civil_days_of((int32_t)year, (int32_t)month))
        return false;
    *days = civil_to_days((int32_t)year, (int32_t)month, (int32_t)day);
    return true;
}

/* Reads 23:59, 23:59:59 or 23:59:59.999; of a fraction the first nine digits count. */
static bool fit_clock_at(const char **p, const char *end, struct fit_parts *t)
{
    int64_t hour, minute, second = 0;
    int digits = 0;
    if (!fit_digits_at(p, end, 2, &hour) || !fit_char_at(p, end, ':') ||
        !fit_digits_at(p, end, 2, &minute))
        return false;
    if (fit_char_at(p, end, ':')) {
        if (!fit_digits_at(p, end, 2, &second)) return false;
        bool fraction = fit_char_at(p, end, '.');
        for (; fraction && *p < end && **p >= '0' && **p <= '9'; ++*p)
            if (digits++ < 9) t->ns = 10 * t->ns + (**p - '0');
        if (fraction && !digits) return false;
        for (; digits < 9; digits++)
            t->ns *= 10;
    }
    t->seconds = 3600 * hour + 60 * minute + second;
    return hour < 24 && minute < 60 && second < 60;
}

/* Reads Z, +02:00 or nothing. */
static bool fit_offset_at(const char **p, const char *end, struct fit_parts *t)
{
    int64_t hour, minute, sign = *p < end && **p == '-' ? -1 : 1;
    if (*p == end) return true;
    t->has_offset = true;
    if (fit_char_at(p, end, 'Z')) return true;
    if (!fit_char_at(p, end, '+') && !fit_char_at(p, end, '-')) return false;
    bool good = fit_digits_at(p, end, 2, &hour) && fit_char_at(p, end, ':') &&
                fit_digits_at(p, end, 2, &minute) && hour < 24 && minute < 60;
    if (good) t->seconds -= sign * (3600 * hour + 60 * minute);
    return good;
}

static bool fit_read_time(const struct fit_value *v, enum fit_clock clock, struct fit_parts *t)
{
    const char *p = v->is.text, *end = p + v->n;
    *t = (struct fit_parts){.days = 0};
    if (clock == FIT_OF_DAY) return fit_clock_at(&p, end, t) && p == end;
    if (!fit_date_at(&p, end, &t->days)) return false;
    bool has_clock = p < end;
    if (has_clock && !fit_char_at(&p, end, 'T') && !fit_char_at(&p, end, ' ')) return false;
    if (has_clock && !(fit_clock_at(&p, end, t) && fit_offset_at(&p, end, t))) return false;
    return p == end && !(clock == FIT_LOCAL && t->has_offset);
}

/* Returns the number of units of 10^-digits s. */
static bool fit_units(const struct fit_parts *t, uint32_t digits, int64_t *out)
{
    int64_t units;
    return !__builtin_mul_overflow(t->days * CIVIL_DAY + t->seconds, (int64_t)pow10_u64[digits],
                                   &units) &&
           !__builtin_add_overflow(units, t->ns / (int64_t)pow10_u64[9 - digits], out);
}

enum fit_fault fit_time(const struct fit_column *c, const struct fit_value *v, enum fit_clock clock,
                        uint32_t digits, int64_t max, int64_t *out)
{
    struct fit_parts t;
    if (v->kind == FIT_TIME && clock == FIT_INSTANT) {
        *out = civil_floor_div(v->is.integer, (int64_t)pow10_u64[9 - digits]);
        return FIT_OK;
    }
    const int64_t day = CIVIL_DAY * (int64_t)pow10_u64[digits];
    if (v->kind != FIT_TEXT)
        return clock == FIT_OF_DAY ? fit_integer(c, v, 0, day - 1, out)
                                   : fit_integer(c, v, INT64_MIN, max, out);
    if (!v->n) return FIT_NO_VALUE;
    return fit_read_time(v, clock, &t) && fit_units(&t, digits, out) ? FIT_OK : FIT_NO_TIME;
}

enum fit_fault fit_instant(const struct fit_column *c, const struct fit_value *v, int64_t *second,
                           int32_t *ns)
{
    static const int64_t first = -INT64_C(62135596800), last = INT64_C(253402300799);
    const int64_t unit = INT64_C(1000000000);
    struct fit_parts t;
    int64_t x;
    if (v->kind != FIT_TEXT) {
        enum fit_fault fault = fit_time(c, v, FIT_INSTANT, 9, INT64_MAX, &x);
        if (fault != FIT_OK) return fault;
        *second = civil_floor_div(x, unit);
        *ns = (int32_t)(x - *second * unit);
        return FIT_OK;
    }
    if (!v->n) return FIT_NO_VALUE;
    if (!fit_read_time(v, FIT_INSTANT, &t)) return FIT_NO_TIME;
    *second = t.days * CIVIL_DAY + t.seconds;
    *ns = (int32_t)t.ns;
    return *second < first || *second > last ? FIT_NO_TIME : FIT_OK;
}

enum fit_fault fit_date(const struct fit_column *c, const struct fit_value *v, int64_t *out)
{
    if (v->kind == FIT_TIME) {
        *out = civil_floor_div(v->is.integer, CIVIL_DAY * INT64_C(1000000000));
        return FIT_OK;
    }
    if (v->kind != FIT_TEXT) return fit_integer(c, v, INT32_MIN, INT32_MAX, out);
    if (!v->n) return FIT_NO_VALUE;
    const char *p = v->is.text, *end = p + v->n;
    return fit_date_at(&p, end, out) && p == end ? FIT_OK : FIT_NO_TIME;
}
