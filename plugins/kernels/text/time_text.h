/* time_text.h -- times written as text or numbers, as nanoseconds since 1970-01-01T00:00:00Z.
 *
 * A format is one of
 *
 *   iso8601   date [ ( "T" | "t" | " " ) time [ fraction ] [ [ " " ] offset ] ]  (RFC 3339, more)
 *             date     = YYYY-MM-DD | YYYYMMDD
 *             time     = HH:MM[:SS] | HHMM[SS]
 *             fraction = ( "." | "," ) digits, of which nine count
 *             offset   = "Z" | "z" | "UTC" | "GMT" | ( "+" | "-" ) HH[[:]MM]
 *   unix, unix_ms, unix_us, unix_ns
 *             a number of seconds, …; with a fraction, and exact; 1.5e9 is a number, too
 *   clf       %d/%b/%Y:%H:%M:%S %z, as access logs have it
 *   syslog    %b %d %H:%M:%S, as RFC 3164 has it
 *   a pattern, with a '%': see below
 *
 * and says which time it is by itself, by its offset, or by the zone of its clock (time_zone.h).
 * Days are checked against their month. A second 60, of leap seconds, is second 0 of the next
 * minute, as in POSIX. Times before 1970 and after 2262-04-11T23:47:15 are refused.
 *
 * A pattern is matched as strptime does it, in English whatever the locale is:
 *
 *   %Y year, four digits    %m month       %d %e day       %j day of the year
 *   %y year, two digits: 69 to 99 are of 1900, 00 to 68 of 2000
 *   %H %k hour              %I %l hour of twelve, with %p: AM or PM
 *   %M minute               %S second      %f fraction of a second, any number of digits
 *   %b %B %h name of the month, whole or of three letters   %a %A of the weekday, which is not used
 *   %z offset: +02:00, +0200, +02, Z, UTC    %s seconds since 1970    %% a percent sign
 *   %F is %Y-%m-%d, %T is %H:%M:%S, %R is %H:%M, %D is %m/%d/%y
 *
 * A number may have blanks before it and fewer digits than it can have (not %Y); a blank stands for
 * blanks, or none; any other character stands for itself. A pattern says which day it is, and no
 * part of that twice.
 *
 * The year. Some formats (syslog) have none. It comes from `year_from`, the month with which twelve
 * months begin that all times lie in; or, without one, from a time that the record has by other
 * means: the year is the one that brings the two closest together.
 *
 *   example   2026-11-20T12:00:00.5+02:00       1795168800500000000
 *             1795168800.5, as unix             1795168800500000000
 *
 * A reader is set up once and reads any number of texts. It never looks at the wall clock. */
#ifndef LEAT_KERNELS_TEXT_TIME_TEXT_H
#define LEAT_KERNELS_TEXT_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "time_zone.h"

enum time_kind { TIME_ISO8601, TIME_UNIX, TIME_UNIX_MS, TIME_UNIX_US, TIME_UNIX_NS, TIME_PATTERN };

enum { TIME_STEPS = 64, TIME_WHY = 160 };
#define TIME_NONE    (-1)                /* a record without a time */
#define TIME_SECONDS INT64_C(9223372036) /* times are less than so many seconds after 1970 */

/* One directive or character of a pattern. */
struct time_step {
    char what; /* the letter of a directive; 0: the character in `literal`; ' ': blanks */
    char literal;
    bool is_date; /* a directive of the year, month or day; else of the time of day */
};

struct time_format {
    enum time_kind kind;
    bool has_year;
    uint32_t n;
    struct time_step step[TIME_STEPS];
};

struct time_reader {
    struct time_format format;
    int32_t year,
        month; /* with which the twelve months begin, of a format without a year; 0: none */
    struct time_zone zone;
};

/* The ready formats, in the order of their kinds, then clf and syslog; ended by NULL. */
extern const char *const time_format_names[];

/* Reads a ready name, or a pattern. Returns false if it is wrong; `why` (TIME_WHY bytes) says
 * how. */
bool time_format_read(struct time_format *f, const char *text, char *why);

/* Reads text[0 .. n), without blanks around it. Returns NULL, and *ns is the time; or a sentence
 * without its subject if the text is wrong. near: a time of the same record, or TIME_NONE; see
 * above. */
const char *time_read(struct time_reader *r, const char *text, size_t n, int64_t near, int64_t *ns);

/* Reads a finite number in the unit of a format unix…, rounded to a nanosecond. */
const char *time_of_number(enum time_kind kind, double x, int64_t *ns);

#endif
