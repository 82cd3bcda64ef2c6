/* utc.h -- a time as ISO 8601 text in UTC. */
#ifndef LEAT_CORE_TIME_UTC_H
#define LEAT_CORE_TIME_UTC_H

#include <stdint.h>

enum { UTC_TEXT = 40 }; /* room for any time */

/* Writes `ns`, the time since 1970, as 2026-11-23T10:00:00Z, with milliseconds unless they are 0.
 * Returns the length; writes no NUL. */
uint32_t utc_write(char to[UTC_TEXT], int64_t ns);

/* Returns the time in seconds. Divides whole seconds and the rest separately: a double cannot hold
 * the ns of today, so their quotient would be up to 0.2 us off. */
static inline double utc_seconds(int64_t ns)
{
    return (double)(ns / 1000000000) + (double)(ns % 1000000000) / 1e9;
}

#endif
