/* time_pattern.h -- the two halves of reading a time: from text to the fields of a date, and from
 * these to seconds. time_text.h says what is read. */
#ifndef LEAT_KERNELS_TEXT_TIME_PATTERN_H
#define LEAT_KERNELS_TEXT_TIME_PATTERN_H

#include "time_text.h"

#define TIME_NO_OFFSET INT32_MIN

/* What a text says. Fields it does not have are 0, but for month and day, which are 1. */
struct time_fields {
    int32_t year, month, day;
    int32_t of_year; /* day of the year, from 1; 0: month and day say it   */
    int32_t hour, minute, second, nanos;
    int32_t twelve;  /* 0: hour is of 24; 1: of twelve, AM; 2: PM          */
    int32_t offset;  /* seconds east of UTC, or TIME_NO_OFFSET             */
    int64_t seconds; /* since 1970, which say all but nanos; -1: none      */
};

/* The number of two digits at p; 255 or more when they are none. */
static inline uint32_t time_two(const char *p)
{
    uint32_t a = (uint8_t)(p[0] - '0'), b = (uint8_t)(p[1] - '0');
    return a > 9 || b > 9 ? 255 : 10 * a + b;
}

/* Digits at *p as a fraction of a second; what comes after nine digits is cut off. */
const char *time_take_fraction(const char **p, const char *end, int32_t *nanos);

/* "Z", "UTC", "+02:00" … at *p. NULL, or what is wrong. */
const char *time_take_offset(const char **p, const char *end, int32_t *offset);

/* A pattern, compiled. false: why says what is wrong with it. */
bool time_pattern_compile(struct time_format *f, const char *text, char *why);

/* NULL, or what is wrong with text [p, end). */
const char *time_pattern_match(const struct time_format *f, const char *p, const char *end,
                               struct time_fields *t);

#endif
