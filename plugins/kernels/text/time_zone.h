/* time_zone.h -- offset from UTC of a time zone, at any time from 1970 to 2262
 *
 * A zone is a list of changes: from the UTC time `from` on, clocks in the zone show UTC + offset.
 *
 *   change   from (UTC)             offset   local
 *   0        beginning              +1:00
 *   1        1980-04-06T01:00:00Z   +2:00    03:00: the hour from 2:00 is skipped (a gap)
 *   2        1980-09-28T01:00:00Z   +1:00    03:00: the hour from 2:00 occurs twice (a fold)
 *
 * To convert UTC to the zone's clock, the last change at or before the time applies. To convert the
 * zone's clock to UTC, the offset before a change applies until the clock shows from + max(offset
 * before, offset after), the column `local`. Thus
 *
 *   fold   a time that occurs twice means its first occurrence: 2:30 on 1980-09-28 is 00:30Z
 *   gap    a skipped time is converted with the offset before the gap, as on a clock that was not
 *          put forward: 2:30 on 1980-04-06 is 01:30Z, which is 3:30 on a correct clock
 *
 * These are the rules of RFC 5545 (iCalendar). If local times ascend, their UTC times go back by
 * the length of the fold at most.
 *
 * A zone is read from the bytes of a TZif file (RFC 8536), version 2 or later. It gets the changes
 * of the file and, until 2262, those of the POSIX TZ rule in the file's last line. Changes before
 * 1970 are dropped. A file with leap seconds is refused.
 *
 * Cost: a binary search, except if the time lies between the same two changes as the
 * time of the last call. */
#ifndef LEAT_KERNELS_TEXT_TIME_ZONE_H
#define LEAT_KERNELS_TEXT_TIME_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TIME_ZONE_CHANGES = 1200, /* two a year until 2262 are 586, and files have up to 250 more */
    TIME_ZONE_LAST_YEAR = 2262,
    TIME_ZONE_MAX_OFFSET = 93599 /* seconds: 25:59:59, the limit of RFC 8536 */
};

struct time_zone_change {
    int64_t from, local; /* seconds since 1970: in UTC, and on the zone's clock */
    int32_t offset;      /* seconds east of UTC                                 */
};

struct time_zone {
    uint32_t n;  /* number of changes, at least one; the first applies from the beginning */
    uint32_t at; /* index of the change that the last search found                        */
    struct time_zone_change change[TIME_ZONE_CHANGES];
};

/* Makes a zone with one constant offset, within +-TIME_ZONE_MAX_OFFSET. */
void time_zone_fixed(struct time_zone *z, int32_t offset);

/* Reads a zone from the bytes of a TZif file. Returns NULL, or a sentence about their fault. */
const char *time_zone_read(struct time_zone *z, const void *bytes, size_t n);

/* Returns the offset at the UTC time `utc`, in seconds since 1970. */
int32_t time_zone_offset(struct time_zone *z, int64_t utc);

/* Returns the UTC time at which the zone's clock shows `local`. */
int64_t time_zone_to_utc(struct time_zone *z, int64_t local);

/* Returns the value of the two digits at p, or 255 if they are not digits. */
static inline uint32_t time_two(const char *p)
{
    uint32_t a = (uint8_t)(p[0] - '0'), b = (uint8_t)(p[1] - '0');
    return a > 9 || b > 9 ? 255 : 10 * a + b;
}

#define TIME_NO_OFFSET INT32_MIN /* value of `offset` if a text states none */

/* Reads "Z", "UTC", "+02:00" … at *p, and sets *offset to the seconds east of UTC. Returns NULL, or
 * a sentence about the fault. */
const char *time_take_offset(const char **p, const char *end, int32_t *offset);

#endif
