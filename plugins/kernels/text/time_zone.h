/* time_zone.h -- the offset from UTC of a zone at any time from 1970 to 2262
 *
 * A zone is a list of changes: from the time `from` on, its clocks show UTC + offset.
 *
 *   change   from (UTC)             offset   local
 *   0        beginning              +1:00
 *   1        1980-04-06T01:00:00Z   +2:00    03:00: the hour from 2:00 is skipped (a gap)
 *   2        1980-09-28T01:00:00Z   +1:00    03:00: the hour from 2:00 occurs twice (a fold)
 *
 * From UTC to the zone's clock, the last change at or before the time decides. From the clock to
 * UTC, the offset before a change applies until the clock shows from + max(offset before, after),
 * the column `local`. Thus
 *
 *   fold   a time that occurs twice is the first of the two: 2:30 on 1980-09-28 is 00:30Z
 *   gap    a skipped time is read by the offset before the gap, like a clock that was not put
 *          forward: 2:30 on 1980-04-06 is 01:30Z, which is 3:30 on a correct clock
 *
 * These are the rules of RFC 5545 (iCalendar). Ascending local times never go backwards in UTC by
 * more than the fold.
 *
 * A zone is read from the bytes of a TZif file (RFC 8536), version 2 or later. It has the changes
 * of the file, and further changes until 2262 by the POSIX TZ rule in the file's last line. Only
 * changes from 1970 on are kept. A file with leap seconds is refused.
 *
 * Cost: a binary search, unless the time lies between the same two changes as the previous time. */
#ifndef LEAT_KERNELS_TEXT_TIME_ZONE_H
#define LEAT_KERNELS_TEXT_TIME_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TIME_ZONE_CHANGES = 1200, /* two a year until 2262 are 586; files have up to 250 more */
    TIME_ZONE_LAST_YEAR = 2262,
    TIME_ZONE_MAX_OFFSET = 93599 /* seconds: 25:59:59, the limit of RFC 8536 */
};

struct time_zone_change {
    int64_t from, local; /* seconds since 1970, of UTC and of the zone's clock */
    int32_t offset;      /* seconds east of UTC */
};

struct time_zone {
    uint32_t n;  /* changes, at least one; the first has no beginning */
    uint32_t at; /* result of the last search */
    struct time_zone_change change[TIME_ZONE_CHANGES];
};

/* Makes a zone with one offset, at most TIME_ZONE_MAX_OFFSET to either side. */
void time_zone_fixed(struct time_zone *z, int32_t offset);

/* Reads the bytes of a TZif file. Returns NULL, or their fault. */
const char *time_zone_read(struct time_zone *z, const void *bytes, size_t n);

/* Returns the offset at a time in seconds since 1970. */
int32_t time_zone_offset(struct time_zone *z, int64_t utc);

/* Returns the UTC at which the zone's clock shows `local`. */
int64_t time_zone_to_utc(struct time_zone *z, int64_t local);

/* Returns the number of the two digits at p; 255 or more if they are not digits. */
static inline uint32_t time_two(const char *p)
{
    uint32_t a = (uint8_t)(p[0] - '0'), b = (uint8_t)(p[1] - '0');
    return a > 9 || b > 9 ? 255 : 10 * a + b;
}

#define TIME_NO_OFFSET INT32_MIN /* value for a text without an offset */

/* Reads "Z", "UTC", "+02:00" … at *p, and sets *offset to the seconds east of UTC. Returns NULL, or
 * the fault. */
const char *time_take_offset(const char **p, const char *end, int32_t *offset);

#endif
