/* time_zone.c -- implementation of time_zone.h */
#include "time_zone.h"

#include <assert.h>
#include <string.h>

#include "core/time/civil.h"

/* ---- the list of changes ---- */

static int64_t later_of(int64_t a, int64_t b) { return a > b ? a : b; }

void time_zone_fixed(struct time_zone *z, int32_t offset)
{
    assert(offset >= -TIME_ZONE_MAX_OFFSET && offset <= TIME_ZONE_MAX_OFFSET);
    z->n = 1;
    z->at = 0;
    z->change[0] = (struct time_zone_change){INT64_MIN, INT64_MIN, offset};
}

/* Adds a change. A change before 1970 replaces all earlier ones. Returns false if there are too
 * many changes. */
static bool add_change(struct time_zone *z, int64_t from, int32_t offset)
{
    if (from <= 0) {
        time_zone_fixed(z, offset);
        return true;
    }
    if (z->n == TIME_ZONE_CHANGES) return false;
    int64_t shown = from + later_of(z->change[z->n - 1].offset, offset);
    z->change[z->n++] = (struct time_zone_change){from, shown, offset};
    return true;
}

static bool holds_utc(const struct time_zone *z, uint32_t i, int64_t t)
{
    return z->change[i].from <= t && (i + 1 == z->n || t < z->change[i + 1].from);
}

static bool holds_local(const struct time_zone *z, uint32_t i, int64_t t)
{
    return z->change[i].local <= t && (i + 1 == z->n || t < z->change[i + 1].local);
}

int32_t time_zone_offset(struct time_zone *z, int64_t utc)
{
    if (!holds_utc(z, z->at, utc)) {
        uint32_t low = 0, high = z->n; /* the last change with from <= utc is in [low, high) */
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (z->change[middle].from <= utc)
                low = middle;
            else
                high = middle;
        }
        z->at = low;
    }
    return z->change[z->at].offset;
}

int64_t time_zone_to_utc(struct time_zone *z, int64_t local)
{
    if (!holds_local(z, z->at, local)) {
        uint32_t low = 0, high = z->n;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (z->change[middle].local <= local)
                low = middle;
            else
                high = middle;
        }
        z->at = low;
    }
    return local - z->change[z->at].offset;
}

/* ---- the POSIX rule for later years: CET-1CEST,M3.5.0,M10.5.0/3 ---- */

enum day_kind { DAY_JULIAN, DAY_OF_YEAR, DAY_OF_WEEK };

/* Day of the year on which clocks change. */
struct rule_day {
    enum day_kind kind;
    int32_t month, week, day; /* month and week only for DAY_OF_WEEK                        */
    int32_t time;             /* seconds from the start of the day; may lie outside the day */
};

struct time_zone_rule {
    int32_t standard, summer; /* offsets in standard time and in summer time */
    bool changes;             /* true if the zone has summer time            */
    struct rule_day begin, end;
};

struct cursor {
    const char *p, *end;
};

static bool zone_take(struct cursor *c, char wanted)
{
    bool has = c->p < c->end && *c->p == wanted;
    c->p += has;
    return has;
}

/* Reads a number of up to three digits. Returns -1 if there is none, or it exceeds max. */
static int32_t time_zone_take_number(struct cursor *c, int32_t max)
{
    const char *from = c->p;
    int32_t x = 0;
    while (c->p < c->end && c->p - from < 3 && *c->p >= '0' && *c->p <= '9')
        x = 10 * x + (*c->p++ - '0');
    return c->p == from || x > max ? -1 : x;
}

static bool time_zone_is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* Reads the name of a zone, such as CEST or <+03>. */
static bool time_zone_take_name(struct cursor *c)
{
    const char *from = c->p;
    if (zone_take(c, '<')) {
        while (c->p < c->end && *c->p != '>')
            c->p++;
        return zone_take(c, '>');
    }
    while (c->p < c->end && time_zone_is_letter(*c->p))
        c->p++;
    return c->p > from;
}

/* Reads [+-]hh[:mm[:ss]] as seconds. */
static bool time_zone_take_time(struct cursor *c, int32_t *seconds)
{
    int32_t sign = zone_take(c, '-') ? -1 : 1, minutes = 0, rest = 0;
    if (sign > 0) zone_take(c, '+');
    int32_t hours = time_zone_take_number(c, 167);
    if (zone_take(c, ':')) minutes = time_zone_take_number(c, 59);
    if (minutes >= 0 && zone_take(c, ':')) rest = time_zone_take_number(c, 59);
    *seconds = sign * (3600 * hours + 60 * minutes + rest);
    return hours >= 0 && minutes >= 0 && rest >= 0;
}

static bool take_day(struct cursor *c, struct rule_day *d)
{
    d->time = 7200;
    if (zone_take(c, 'M')) {
        d->kind = DAY_OF_WEEK;
        d->month = time_zone_take_number(c, 12);
        if (d->month < 1 || !zone_take(c, '.')) return false;
        d->week = time_zone_take_number(c, 5);
        if (d->week < 1 || !zone_take(c, '.')) return false;
        d->day = time_zone_take_number(c, 6);
    } else if (zone_take(c, 'J')) {
        d->kind = DAY_JULIAN;
        d->day = time_zone_take_number(c, 365) - 1;
    } else {
        d->kind = DAY_OF_YEAR;
        d->day = time_zone_take_number(c, 365);
    }
    return d->day >= 0 && (!zone_take(c, '/') || time_zone_take_time(c, &d->time));
}

/* Reads the offset after the name of a zone. Negates it, because POSIX counts offsets west
 * of Greenwich. */
static bool take_offset(struct cursor *c, int32_t *offset)
{
    if (!time_zone_take_time(c, offset)) return false;
    *offset = -*offset;
    return *offset >= -TIME_ZONE_MAX_OFFSET && *offset <= TIME_ZONE_MAX_OFFSET;
}

static bool read_rule(struct cursor c, struct time_zone_rule *r)
{
    if (!time_zone_take_name(&c) || !take_offset(&c, &r->standard)) return false;
    r->changes = c.p < c.end;
    if (!r->changes) return true;
    if (!time_zone_take_name(&c)) return false;
    r->summer = r->standard + 3600;
    if (c.p < c.end && *c.p != ',' && !take_offset(&c, &r->summer)) return false;
    return zone_take(&c, ',') && take_day(&c, &r->begin) && zone_take(&c, ',') &&
           take_day(&c, &r->end) && c.p == c.end;
}

/* Returns the day of a rule in a given year, in days since 1970. */
static int64_t day_of(const struct rule_day *d, int32_t year)
{
    int64_t first = civil_to_days(year, 1, 1);
    if (d->kind == DAY_OF_YEAR) return first + d->day;
    if (d->kind == DAY_JULIAN) return first + d->day + (civil_is_leap(year) && d->day >= 59);
    int64_t month = civil_to_days(year, d->month, 1);
    int64_t sunday_first = (civil_weekday(month) + 1) % 7;
    int64_t day =
        (d->day - sunday_first + 7) % 7 + 7 * (d->week - 1); /* day of the month, from 0 */
    return month + (day < civil_days_of(year, d->month) ? day : day - 7);
}

/* Adds the two changes of a year, in their order, if they come after the time `last`. */
static bool add_year(struct time_zone *z, const struct time_zone_rule *r, int32_t year,
                     int64_t last)
{
    int64_t begin = day_of(&r->begin, year) * CIVIL_DAY + r->begin.time - r->standard;
    int64_t end = day_of(&r->end, year) * CIVIL_DAY + r->end.time - r->summer;
    bool fits = true;
    if (begin <= end && begin > last) fits &= add_change(z, begin, r->summer);
    if (end > last) fits &= add_change(z, end, r->standard);
    if (begin > end && begin > last) fits &= add_change(z, begin, r->summer);
    return fits;
}

/* Adds the changes by the TZ rule `text` that come after the time `last`. Returns NULL, or a
 * sentence about the fault. */
static const char *add_rule(struct time_zone *z, struct cursor text, int64_t last)
{
    struct time_zone_rule r;
    if (text.p == text.end) return NULL;
    if (!read_rule(text, &r)) return "its rule for later years cannot be read";
    bool fits = true;
    if (!r.changes && last == INT64_MIN) time_zone_fixed(z, r.standard);
    int32_t year = last < 0 ? 1969 : civil_of_days(last / CIVIL_DAY).year;
    for (; r.changes && fits && year <= TIME_ZONE_LAST_YEAR; year++)
        fits = add_year(z, &r, year, last);
    return fits ? NULL : "it has too many changes";
}

/* ---- the TZif file ---- */

/* Counts in the header of a TZif file (RFC 8536, section 3.1). */
struct counts {
    uint64_t utc, standard, leaps, times, types, chars;
};

enum { HEADER = 44, TYPE = 6 };
#define LATEST INT64_C(253402300800) /* the year 10000 */

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t big_endian64(const unsigned char *p)
{
    return (int64_t)((uint64_t)big_endian(p) << 32 | big_endian(p + 4));
}

/* Returns the bytes of the data that follow a header, if each time has `wide` bytes. */
static uint64_t block_bytes(const struct counts *c, uint64_t wide)
{
    return c->times * (wide + 1) + c->types * TYPE + c->chars + c->leaps * (wide + 4) +
           c->standard + c->utc;
}

static bool read_header(const unsigned char *p, size_t n, struct counts *c)
{
    if (n < HEADER || memcmp(p, "TZif", 4) || p[4] < '2') return false;
    c->utc = big_endian(p + 20);
    c->standard = big_endian(p + 24);
    c->leaps = big_endian(p + 28);
    c->times = big_endian(p + 32);
    c->types = big_endian(p + 36);
    c->chars = big_endian(p + 40);
    return true;
}

static bool is_offset(int32_t x) { return x >= -TIME_ZONE_MAX_OFFSET && x <= TIME_ZONE_MAX_OFFSET; }

/* Adds the changes of the file's second block. Sets *last to the time of the last change. */
static const char *add_changes(struct time_zone *z, const unsigned char *p, const struct counts *c,
                               int64_t *last)
{
    const unsigned char *index = p + 8 * c->times, *types = index + c->times;
    if (!c->types || !is_offset((int32_t)big_endian(types))) return "it has no first offset";
    time_zone_fixed(z, (int32_t)big_endian(types));
    *last = INT64_MIN;
    for (uint64_t i = 0; i < c->times; i++) {
        int64_t from = big_endian64(p + 8 * i);
        if (index[i] >= c->types || (i && from <= *last)) return "its changes are damaged";
        int32_t offset = (int32_t)big_endian(types + (size_t)TYPE * index[i]);
        if (!is_offset(offset)) return "an offset is out of range";
        if (from > LATEST || !add_change(z, from, offset)) return "it has too many changes";
        *last = from;
    }
    return NULL;
}

const char *time_zone_read(struct time_zone *z, const void *bytes, size_t n)
{
    const unsigned char *p = bytes, *end = p + n;
    struct counts c;
    if (!read_header(p, n, &c)) return "it is not a TZif file of version 2 or later";
    if (block_bytes(&c, 4) > n - HEADER) return "it is cut off";
    p += HEADER + block_bytes(&c, 4); /* the first block has times of 32 bits */
    if (!read_header(p, (size_t)(end - p), &c)) return "its second header is damaged";
    p += HEADER;
    if (block_bytes(&c, 8) > (size_t)(end - p)) return "it is cut off";
    if (c.leaps) return "it counts leap seconds, which times in files do not have";
    int64_t last;
    const char *wrong = add_changes(z, p, &c, &last);
    if (wrong) return wrong;
    p += block_bytes(&c, 8);
    if (p == end || *p != '\n') return "its last line is missing";
    const unsigned char *stop = memchr(p + 1, '\n', (size_t)(end - p - 1));
    if (!stop) return "its last line is cut off";
    return add_rule(z, (struct cursor){(const char *)p + 1, (const char *)stop}, last);
}

/* ---- offsets in texts ---- */

/* True if p begins with the three letters of `word`, in any case. */
static bool time_zone_is_word(const char *p, const char *word)
{
    return (p[0] | 0x20) == word[0] && (p[1] | 0x20) == word[1] && (p[2] | 0x20) == word[2];
}

const char *time_take_offset(const char **p, const char *end, int32_t *offset)
{
    static const char wrong[] = "its offset is not Z or between -23:59 and +23:59";
    const char *q = *p;
    bool is_signed = q < end && (*q == '+' || *q == '-');
    *offset = 0;
    if (!is_signed) {
        size_t left = (size_t)(end - q), n = left && (*q | 0x20) == 'z' ? 1 : 0;
        if (left >= 3 && (time_zone_is_word(q, "utc") || time_zone_is_word(q, "gmt"))) n = 3;
        *p = q + n;
        return n ? NULL : wrong;
    }
    if (end - q < 3) return wrong;
    uint32_t hours = time_two(q + 1), minutes = 0;
    const char *more = q + 3 + (end - q > 3 && q[3] == ':');
    if (end - more >= 2 && (uint8_t)(*more - '0') < 10) {
        minutes = time_two(more);
        *p = more + 2;
    } else {
        *p = q + 3;
    }
    if (hours > 23 || minutes > 59) return wrong;
    *offset = (int32_t)(3600 * hours + 60 * minutes) * (*q == '-' ? -1 : 1);
    return NULL;
}
