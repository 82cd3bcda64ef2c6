/* utc.c -- implementation of utc.h: digits of date and time from nanoseconds. */
#include "utc.h"

#include "civil.h"

#define WHOLE INT64_C(1000000000)

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static uint32_t put_digits(char *to, uint32_t n, int64_t x)
{
    for (uint32_t i = n; i-- > 0; x /= 10)
        to[i] = (char)('0' + x % 10);
    return n;
}

uint32_t utc_write(char to[UTC_TEXT], int64_t ns)
{
    int64_t seconds = floor_div(ns, WHOLE), ms = (ns - seconds * WHOLE) / 1000000;
    int64_t day = floor_div(seconds, CIVIL_DAY), of_day = seconds - day * CIVIL_DAY;
    struct civil date = civil_of_days(day);
    const int64_t part[] = {date.year,     date.month,       date.day,
                            of_day / 3600, of_day / 60 % 60, of_day % 60};
    uint32_t n = 0;
    for (int i = 0; i < 6; i++) {
        n += put_digits(to + n, i ? 2 : 4, part[i]);
        to[n++] = "--T::Z"[i];
    }
    if (!ms) return n;
    to[n - 1] = '.';
    n += put_digits(to + n, 3, ms);
    to[n++] = 'Z';
    return n;
}
