/* civil.h -- days of the Gregorian calendar, counted from 1970-01-01 (day 0, a Thursday).
 *
 * The formulas use years that begin in March, so that a leap day is the last day of the year. Then
 *
 *     day of the year of month m (March 0, …, February 11) = (153 m + 2) / 5
 *     day of the era (400 years, 146,097 days) of year y   = 365 y + y / 4 - y / 100
 *
 * and the inverse uses the same divisions. There is no table and no loop. Valid for years -9999 to
 * 9999. */
#ifndef LEAT_CORE_TIME_CIVIL_H
#define LEAT_CORE_TIME_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

enum { CIVIL_DAY = 86400 }; /* seconds */

struct civil {
    int32_t year, month, day; /* month and day count from 1 */
};

static inline bool civil_is_leap(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Returns the number of days of a month, 1 to 12. */
static inline int32_t civil_days_of(int32_t year, int32_t month)
{
    if (month == 2) return 28 + civil_is_leap(year);
    return 30 + ((month + (month > 7)) & 1); /* odd months up to July, even months from August on */
}

static inline int64_t civil_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Returns the number of the day; the date must exist. */
static inline int64_t civil_to_days(int32_t year, int32_t month, int32_t day)
{
    int64_t y = year - (month <= 2);
    int64_t era = civil_floor_div(y, 400), of_era = y - 400 * era;       /* 0 … 399 */
    int64_t of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;      /* 0 … 365 */
    int64_t in_era = 365 * of_era + of_era / 4 - of_era / 100 + of_year; /* 0 … 146096 */
    return 146097 * era + in_era - 719468; /* days from 0000-03-01 to 1970-01-01 */
}

static inline struct civil civil_of_days(int64_t days)
{
    int64_t z = days + 719468, era = civil_floor_div(z, 146097), in_era = z - 146097 * era;
    int64_t of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t of_year = in_era - (365 * of_era + of_era / 4 - of_era / 100);
    int64_t m = (5 * of_year + 2) / 153; /* March is 0 */
    int32_t month = (int32_t)(m < 10 ? m + 3 : m - 9);
    return (struct civil){.year = (int32_t)(of_era + 400 * era) + (month <= 2),
                          .month = month,
                          .day = (int32_t)(of_year - (153 * m + 2) / 5 + 1)};
}

/* Returns the day of the week: 0 is Monday, 6 is Sunday. */
static inline int civil_weekday(int64_t days)
{
    int64_t w = (days + 3) % 7;
    return (int)(w < 0 ? w + 7 : w);
}

#endif
