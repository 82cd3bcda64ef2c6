/* time_text.h -- converts times in text or numbers to nanoseconds since 1970-01-01T00:00:00Z
 *
 * Formats:
 *
 *   iso8601   date [ ( "T" | "t" | " " ) time [ fraction ] [ [ " " ] offset ] ]  (RFC 3339, more)
 *             date     = YYYY-MM-DD | YYYYMMDD
 *             time     = HH:MM[:SS] | HHMM[SS]
 *             fraction = ( "." | "," ) digits, of which the first nine count
 *             offset   = "Z" | "z" | "UTC" | "GMT" | ( "+" | "-" ) HH[[:]MM]
 *   unix, unix_ms, unix_us, unix_ns
 *             a number of seconds, milliseconds, …; exact, also with a fraction; may be 1.5e9
 *   clf       %d/%b/%Y:%H:%M:%S %z, the form of access logs
 *   syslog    %b %d %H:%M:%S, the form of RFC 3164
 *   a pattern, with a '%': see below
 *
 * A time is a number since 1970, or it has an offset from UTC, or the reader's zone (time_zone.h)
 * applies. Days must exist in their month. A second 60 (leap second) is second 0 of the next
 * minute, as in POSIX. Times before 1970 and after 2262-04-11T23:47:15 are refused.
 *
 * Patterns work as in strptime(), with English names in any locale:
 *
 *   %Y year, four digits    %m month       %d %e day       %j day of the year
 *   %y year, two digits: 69 to 99 mean 1969 to 1999, 00 to 68 mean 2000 to 2068
 *   %H %k hour              %I %l hour of twelve, with %p: AM or PM
 *   %M minute               %S second      %f fraction of a second, any number of digits
 *   %b %B %h name of the month, whole or three letters   %a %A name of the weekday, not used
 *   %z offset: +02:00, +0200, +02, Z, UTC    %s seconds since 1970    %% a percent sign
 *   %F is %Y-%m-%d, %T is %H:%M:%S, %R is %H:%M, %D is %m/%d/%y
 *
 * A number may have blanks before it, and fewer digits than its maximum (except %Y). A blank in the
 * pattern matches any number of blanks, even none. Any other character matches itself. A pattern
 * must determine the day, and must not have a part of the time twice.
 *
 * Formats without a year, such as syslog. If `year` and `month` are set, all times are in the
 * twelve months from then on. Otherwise the caller passes another time of the record, `near`, and
 * the year is chosen such that the result is closest to it.
 *
 *   example   2026-11-20T12:00:00.5+02:00       1795168800500000000
 *             1795168800.5, as unix             1795168800500000000
 *
 * A time_reader is set up once and reads any number of texts. It does not use the current time. */
#ifndef LEAT_KERNELS_TEXT_TIME_TEXT_H
#define LEAT_KERNELS_TEXT_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "time_zone.h"

enum time_kind { TIME_ISO8601, TIME_UNIX, TIME_UNIX_MS, TIME_UNIX_US, TIME_UNIX_NS, TIME_PATTERN };

enum { TIME_STEPS = 64, TIME_WHY = 160 };
#define TIME_NONE    (-1)                /* a record without a time                         */
#define TIME_SECONDS INT64_C(9223372036) /* exclusive limit of times, in seconds since 1970 */

/* Step of a pattern: a directive or a character. */
struct time_step {
    char what; /* letter of the directive; 0: the character `literal`; ' ': blanks */
    char literal;
    bool is_date; /* the directive is part of the date, not of the time of day */
};

struct time_format {
    enum time_kind kind;
    bool has_year;
    uint32_t n;
    struct time_step step[TIME_STEPS];
};

struct time_reader {
    struct time_format format;
    int32_t year, month; /* first month, for formats without a year; year 0: use `near` */
    struct time_zone zone;
};

/* Names of the predefined formats: in the order of enum time_kind, then clf and syslog. Ends
 * with NULL. */
extern const char *const time_format_names[];

/* Sets *f from the name of a predefined format, or from a pattern. Returns false if the text is
 * wrong, with the reason in `why` (TIME_WHY bytes). */
bool time_format_read(struct time_format *f, const char *text, char *why);

/* Reads text[0 .. n), which has no blanks around it, and sets *ns to the time. Returns NULL, or a
 * sentence about the fault of the text. `near` is another time of the same record, or TIME_NONE; it
 * is used only if the format has no year. */
const char *time_read(struct time_reader *r, const char *text, size_t n, int64_t near, int64_t *ns);

/* Converts a finite number x, in the unit of a unix… format, rounded to a nanosecond. Returns NULL,
 * or a sentence about the fault. */
const char *time_of_number(enum time_kind kind, double x, int64_t *ns);

#endif
