/* iso_text.h -- dates and times of day in ISO 8601: -0044-03-15, 12:00:00.123 */
#ifndef LEAT_KERNELS_TEXT_ISO_TEXT_H
#define LEAT_KERNELS_TEXT_ISO_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/time/civil.h"

enum { ISO_TEXT = 40 /* room for a date and a time of day */ };

/* Writes the day, counted from 1970-01-01, to *to, and moves *to behind it. Returns false if its
 * year has more than four digits. */
static inline bool iso_date(char **to, int64_t day)
{
    if (day < civil_to_days(-9999, 1, 1) || day > civil_to_days(9999, 12, 31)) return false;
    const struct civil date = civil_of_days(day);
    *to += sprintf(*to, date.year < 0 ? "%05d-%02d-%02d" : "%04d-%02d-%02d", date.year, date.month,
                   date.day);
    return true;
}

/* Writes a second of a day, with `digits` digits of the fraction unless these are 0. */
static inline void iso_clock(char **to, unsigned second, unsigned fraction, int digits)
{
    *to += sprintf(*to, "%02u:%02u:%02u", second / 3600, second / 60 % 60, second % 60);
    if (digits) *to += sprintf(*to, ".%0*u", digits, fraction);
}

#endif
