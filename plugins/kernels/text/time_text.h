/* time_text.h -- times in text or numbers, as nanoseconds since 1970-01-01T00:00:00Z
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
 * A time is absolute by itself, by its offset, or by the zone of its clock (time_zone.h). Days are
 * checked against their month. A second 60, of leap seconds, is second 0 of the next minute, as in
 * POSIX. Times before 1970 and after 2262-04-11T23:47:15 are refused.
 *
 * A pattern is matched as by strptime, in English for any locale:
 *
 *   %Y year, four digits    %m month       %d %e day       %j day of the year
 *   %y year, two digits: 69 to 99 mean 1969 to 1999, 00 to 68 mean 2000 to 2068
 *   %H %k hour              %I %l hour of twelve, with %p: AM or PM
 *   %M minute               %S second      %f fraction of a second, any number of digits
 *   %b %B %h name of the month, whole or three letters   %a %A name of the weekday, not used
 *   %z offset: +02:00, +0200, +02, Z, UTC    %s seconds since 1970    %% a percent sign
 *   %F is %Y-%m-%d, %T is %H:%M:%S, %R is %H:%M, %D is %m/%d/%y
 *
 * A number may follow blanks and have fewer digits than its maximum (except %Y). A blank matches
 * any number of blanks, also none. Any other character matches itself. A pattern must determine the
 * day, and name no part twice.
 *
 * The year. Some formats, such as syslog, have no year. With `year` and `month`, all times lie in
 * the twelve months that begin there. Otherwise the record needs another time: the year is the one
 * that brings the two closest together.
 *
 *   example   2026-11-20T12:00:00.5+02:00       1795168800500000000
 *             1795168800.5, as unix             1795168800500000000
 *
 * A reader is set up once and reads any number of texts. It never reads the wall clock. */
#ifndef LEAT_KERNELS_TEXT_TIME_TEXT_H
#define LEAT_KERNELS_TEXT_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "time_zone.h"

enum time_kind { TIME_ISO8601, TIME_UNIX, TIME_UNIX_MS, TIME_UNIX_US, TIME_UNIX_NS, TIME_PATTERN };

enum { TIME_STEPS = 64, TIME_WHY = 160 };
#define TIME_NONE    (-1)                /* a record without a time */
#define TIME_SECONDS INT64_C(9223372036) /* limit in seconds since 1970 (exclusive) */

/* One directive or character of a pattern. */
struct time_step {
    char what; /* letter of a directive; 0: the character `literal`; ' ': blanks */
    char literal;
    bool is_date; /* directive of the year, month or day, not of the time of day */
};

struct time_format {
    enum time_kind kind;
    bool has_year;
    uint32_t n;
    struct time_step step[TIME_STEPS];
};

struct time_reader {
    struct time_format format;
    int32_t year, month; /* begin of the twelve months, for a format without a year; year 0: none */
    struct time_zone zone;
};

/* Names of the ready formats, in the order of their kinds, then clf and syslog; ends with NULL. */
extern const char *const time_format_names[];

/* Reads a ready name, or a pattern. Returns false if it is wrong, with the reason in `why`
 * (TIME_WHY bytes). */
bool time_format_read(struct time_format *f, const char *text, char *why);

/* Reads text[0 .. n), which has no blanks around it, and sets *ns to the time. Returns NULL, or a
 * sentence about the fault of the text. `near` is another time of the same record, or TIME_NONE; it
 * serves for formats without a year. */
const char *time_read(struct time_reader *r, const char *text, size_t n, int64_t near, int64_t *ns);

/* Converts a finite number in the unit of a unix… format, rounded to a nanosecond. */
const char *time_of_number(enum time_kind kind, double x, int64_t *ns);

#endif
