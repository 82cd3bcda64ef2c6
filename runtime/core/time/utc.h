/* utc.h -- a time as ISO 8601 text in UTC. */
#ifndef LEAT_CORE_TIME_UTC_H
#define LEAT_CORE_TIME_UTC_H

#include <stdint.h>

enum { UTC_TEXT = 40 }; /* room for any time */

/* Writes `ns`, the time since 1970, as 2026-11-23T10:00:00Z, with milliseconds unless they are 0.
 * Returns the length; writes no NUL. */
uint32_t utc_write(char to[UTC_TEXT], int64_t ns);

/* Returns the time in seconds. A double holds no ns of today exactly, so a quotient of them would
 * be 0.2 us off: 1715954136.25 would be 1715954136.2499998. */
static inline double utc_seconds(int64_t ns)
{
    return (double)(ns / 1000000000) + (double)(ns % 1000000000) / 1e9;
}

#endif
