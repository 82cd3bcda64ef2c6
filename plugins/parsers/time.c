/* time.c -- parse.time: event time of a record, from a column; parts of the time as columns.
 *
 * `validate` compiles the format, reads the zone and reports mistakes. Each lane compiles and reads
 * them again. A record's time does not depend on other records, the locale or the wall clock. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "core/report/text_out.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/time_text.h"
#include "parsers/docs.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "time_parts.h"
#include "common/zone_file.h"

static const char *const missing_names[] = {"reject", "none", "any", NULL};
enum missing { REJECT, NONE, ANY };
/* FEWEST_TIMES: number of times that suffices to recognise a wrong unit. */
enum { FEWEST_TIMES = 10, PATTERN_BYTES = 64, WHY_BYTES = 400, LAST_BYTES = 40 };

struct time_cfg {
    const char *column, *format, *zone, *year, *prefix;
    struct leat_strings parts;
    int32_t missing; /* enum missing */
};

struct time_parser {
    struct time_reader reader;
    uint32_t column, type; /* index and type of the column; type 0 if there is none */
    uint32_t first, n;     /* first column of the parts, and their number */
    bool has_time;         /* arriving records may have an event time */
    bool warned;           /* the log has warned that times are too early */
    uint64_t read;         /* times in unix_ms, unix_us or unix_ns that were read */
    uint64_t early;        /* number of these times that would be plausible in a coarser unit */
    int64_t early_ns;      /* the last of the times counted in `early` */
    uint64_t unread;       /* values that are no times, of records that are kept */
    char why[WHY_BYTES];   /* the reason of the first of them */
    struct time_part part[TIME_PARTS];
    char last[LAST_BYTES]; /* the last text that was read, of n_last bytes; n_last 0: none */
    size_t n_last;
    int64_t last_ns;    /* its time */
    double last_number; /* the last number that was read; NAN: none */
    int64_t last_number_ns;
};

static const struct leat_param time_params[] = {
    LEAT_PARAM(struct time_cfg, column, LEAT_STRING, .flags = LEAT_POSITIONAL,
               .doc = "the column with the time; none: the time that the source gave the record"),
    LEAT_PARAM(struct time_cfg, format, LEAT_STRING, .def = "iso8601",
               .doc = "iso8601, unix, unix_ms, unix_us, unix_ns, clf, syslog, or a pattern such as "
                      "%d.%m.%Y %H:%M:%S",
               .only_with = "column"),
    LEAT_PARAM(
        struct time_cfg, zone, LEAT_STRING, .def = "UTC",
        .doc = "time zone of times without an offset, and of `parts`: UTC, +02:00, Europe/Berlin"),
    LEAT_PARAM(
        struct time_cfg, year, LEAT_STRING,
        .doc =
            "year for a format without one: 2024; or 2024-07 for the twelve months from July 2024",
        .only_with = "column"),
    LEAT_PARAM(struct time_cfg, missing, LEAT_CHOICE, .def = "reject", .choices = missing_names,
               .doc =
                   "reject: a record without a time is rejected; none: without a value it has no "
                   "event time; any: nor with a value that is no time",
               .only_with = "column"),
    LEAT_PARAM(struct time_cfg, parts, LEAT_STRINGS,
               .doc = "new columns: year, month, week, date, day, weekday, hour, quarter_hour, "
                      "minute, second, iso8601"),
    LEAT_PARAM(struct time_cfg, prefix, LEAT_STRING, .def = "",
               .doc = "prefix of the names of these columns", .only_with = "parts"),
};

/* ---- before the run ---- */

/* Reads "2024" or "2024-07". Returns false if the text has another form. */
static bool read_year(const char *text, int32_t *year, int32_t *month)
{
    struct time_format f;
    struct time_reader r = {.year = 0};
    char why[TIME_WHY];
    int64_t ns;
    char whole[16];
    if (strlen(text) != 4 && strlen(text) != 7) return false;
    snprintf(whole, sizeof whole, "%s%s", text, strlen(text) == 4 ? "-01-01" : "-01");
    if (!time_format_read(&f, "%Y-%m-%d", why)) return false;
    r.format = f;
    time_zone_fixed(&r.zone, 0);
    if (time_read(&r, whole, strlen(whole), TIME_NONE, &ns)) return false;
    struct civil d = civil_of_days(ns / 1000000000 / CIVIL_DAY);
    *year = d.year;
    *month = d.month;
    return true;
}

static void check_parts(const struct time_cfg *c, struct leat_diag *d)
{
    for (uint32_t i = 0; i < c->parts.n; i++) {
        const char *name = c->parts.v[i];
        const char *near = edit_nearest(name, time_part_names);
        if (time_part_find(name) == TIME_PARTS)
            d->error(d, "parts",
                     "'%s' is not a part%s%s%s: the parts are year, month, week, date, day, "
                     "weekday, hour, quarter_hour, minute, second and iso8601",
                     name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(c->parts.v[j], name))
                d->error(d, "parts", "'%s' is listed twice: leave one out", name);
    }
}

static int time_validate(const void *cfg, struct leat_diag *d)
{
    const struct time_cfg *c = cfg;
    struct time_format f;
    struct time_zone z;
    char why[ZONE_WHY];
    int32_t year, month;
    bool fine = time_format_read(&f, c->format, why);
    if (!fine) d->error(d, "format", "%s", why);
    if (!zone_file_find(&z, c->zone, why)) d->error(d, "zone", "%s", why);
    if (fine && f.has_year && c->year)
        d->error(d, "year", "the times of format %s have a year: leave this out", c->format);
    if (c->year && !read_year(c->year, &year, &month))
        d->error(d, "year",
                 "'%s' is not a year such as 2024, or a first month such as 2024-07, from 1970 on",
                 c->year);
    check_parts(c, d);
    return LEAT_OK;
}

static bool is_unix(const struct time_format *f)
{
    return f->kind >= TIME_UNIX && f->kind <= TIME_UNIX_NS;
}

/* Types of a column with times. */
enum { TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER | LEAT_TAKES_INT64 | LEAT_TAKES_TIME };

/* Reports a format that does not fit the column's type, or needs a year that is missing. */
static void check_format(const struct time_cfg *c, struct leat_negotiation *n, uint32_t type)
{
    struct time_format f;
    char why[TIME_WHY];
    if (!time_format_read(&f, c->format, why)) return;
    if ((type == LEAT_NUMBER || type == LEAT_INT64) && !is_unix(&f))
        n->diag->error(n->diag, "format",
                       "column '%s' holds numbers, and %s is a format of text: give unix (seconds "
                       "since 1970), unix_ms, unix_us or unix_ns",
                       c->column, c->format);
    if (type != LEAT_TIME && !f.has_year && !c->year && !(n->in->has & LEAT_HAS_TIMESTAMP))
        n->diag->error(n->diag, "year",
                       "is missing, and times of format %s have no year: give year = \"2024\", or "
                       "year = \"2024-07\" for the twelve months from July 2024",
                       c->format);
}

static void check_source(const struct time_cfg *c, struct leat_negotiation *n)
{
    if (!(n->in->has & LEAT_HAS_TIMESTAMP))
        n->diag->error(n->diag, "column",
                       "is missing: name the column with the time (the source gives records none)");
    else if (!c->parts.n)
        n->diag->error(n->diag, "column",
                       "is missing: name the column with the time, or the `parts` to make of the "
                       "times that the source gives");
}

static bool has_column(const struct leat_schema *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (!strcmp(s->column[i].name, name)) return true;
    return false;
}

static int time_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct time_cfg *c = cfg;
    uint32_t column = 0;
    int status = LEAT_OK;
    if (c->column) {
        status = n->column(n, "column", c->column, TAKES, &column);
        if (status >= 0) check_format(c, n, status ? 0 : n->in->column[column].type);
    } else {
        check_source(c, n);
    }
    for (uint32_t i = 0; i < c->parts.n; i++) {
        char name[256];
        uint32_t which = time_part_find(c->parts.v[i]);
        if (which == TIME_PARTS) continue;
        int len = snprintf(name, sizeof name, "%.200s%s", c->prefix, c->parts.v[i]);
        if (has_column(n->out, name)) {
            n->diag->error(n->diag, "parts",
                           "the input already has a column '%s': give the new columns a prefix, "
                           "such as prefix = \"time_\"",
                           name);
            continue;
        }
        int added = n->add_column(n, name, (size_t)len, LEAT_TEXT, NULL);
        if (added < 0) return added;
        n->add_bounds(n, &(struct leat_bounds){.added_bytes_per_record = time_part_bytes(which)});
    }
    return status < 0 ? status : LEAT_OK;
}

static int time_open(struct leat_ctx *ctx, void *self)
{
    const struct time_cfg *c = ctx->cfg;
    struct time_parser *st = self;
    char why[ZONE_WHY];
    if (!time_format_read(&st->reader.format, c->format, why) ||
        !zone_file_find(&st->reader.zone, c->zone, why))
        return ctx->host->fail(ctx, LEAT_EARG, "%s", why);
    if (c->year) read_year(c->year, &st->reader.year, &st->reader.month);
    if (c->column) st->column = columns_known(ctx, c->column, TAKES);
    st->type = c->column ? ctx->in->column[st->column].type : 0;
    st->has_time = (ctx->in->has & LEAT_HAS_TIMESTAMP) != 0;
    st->last_number = (double)NAN;
    st->n = c->parts.n;
    st->first = ctx->out->n_columns - st->n;
    for (uint32_t i = 0; i < st->n; i++)
        st->part[i].which = time_part_find(c->parts.v[i]);
    return LEAT_OK;
}

/* ---- a record ---- */

static const char *format_shown(const struct time_format *f, const char *format)
{
    return f->kind == TIME_ISO8601 ? "iso8601, such as 2024-05-17T13:55:36.25+02:00" : format;
}

/* Exchanges two conversion letters in a pattern. Returns false if the pattern is too long. */
static bool swap_letters(const char *pattern, char a, char b, char to[PATTERN_BYTES])
{
    size_t n = strlen(pattern);
    if (n >= PATTERN_BYTES) return false;
    for (size_t i = 0; i <= n; i++) {
        bool letter = i && pattern[i - 1] == '%';
        to[i] = letter && pattern[i] == a ? b : letter && pattern[i] == b ? a : pattern[i];
    }
    return true;
}

static bool time_reads(const struct time_parser *st, const char *format, const char *text, size_t n)
{
    struct time_reader r = st->reader;
    char why[TIME_WHY];
    int64_t ns;
    return time_format_read(&r.format, format, why) && !time_read(&r, text, n, TIME_NONE, &ns);
}

/* Returns a similar format by which the text can be read; NULL if none is known. */
static const char *other_format(const struct time_parser *st, const char *format, const char *text,
                                size_t n, char pattern[PATTERN_BYTES])
{
    if (time_reads(st, "iso8601", text, n)) return "iso8601";
    if (time_reads(st, "clf", text, n)) return "clf";
    if (st->reader.format.kind != TIME_PATTERN) return NULL;
    if (swap_letters(format, 'd', 'm', pattern) && time_reads(st, pattern, text, n)) return pattern;
    if (swap_letters(format, 'M', 'm', pattern) && time_reads(st, pattern, text, n)) return pattern;
    return NULL;
}

/* Rejects record r, whose value is no time. With missing = "any" counts it; the record has no event
 * time then. */
static void time_refuse(struct leat_ctx *ctx, struct time_parser *st, struct leat_batch *b,
                        uint32_t r, const char *text, size_t n, const char *why)
{
    const struct time_cfg *c = ctx->cfg;
    char pattern[PATTERN_BYTES], whole[WHY_BYTES];
    b->timestamp[r] = TIME_NONE;
    if (c->missing == ANY && st->unread++) return;
    const char *other = other_format(st, c->format, text, n, pattern);
    snprintf(c->missing == ANY ? st->why : whole, WHY_BYTES,
             "column '%s': '%.*s%s' is not a time (format %s): %s%s%s%s", c->column,
             (int)(n > CELL_SHOWN ? CELL_SHOWN : n), text, n > CELL_SHOWN ? "…" : "",
             format_shown(&st->reader.format, c->format), why, other ? "; format = \"" : "",
             other ? other : "", other ? "\" reads it" : "");
    if (c->missing != ANY) ctx->host->reject(ctx, b, r, LEAT_R_TIME, "%s", whole);
}

/* ---- warning of a unit that is too fine ---- */

/* Returns the format with a coarser unit than `kind` in which a number would be a time from 2001 to
 * 2286. ns: the time that the number means as `kind`. Returns NULL if there is no such format, or
 * if `ns` itself is in these years. */
static const char *coarser(enum time_kind kind, int64_t ns)
{
    static const char *const name[] = {"unix", "unix_ms", "unix_us"};
    const int64_t from = 1000000000, to = 10000000000; /* seconds since 1970 */
    int64_t unit = kind == TIME_UNIX_MS ? 1000000 : kind == TIME_UNIX_US ? 1000 : 1, x = ns / unit;
    for (uint32_t k = 0; k < (uint32_t)(kind - TIME_UNIX); k++, x /= 1000)
        if (x >= from && x < to) return name[k];
    return NULL;
}

/* True if the unit is finer than seconds, and too few times have been read to judge the unit. */
static bool is_fine(const struct time_parser *st)
{
    enum time_kind kind = st->reader.format.kind;
    return st->read < FEWEST_TIMES && kind > TIME_UNIX && kind <= TIME_UNIX_NS;
}

static void tell_early(struct leat_ctx *ctx, const struct time_parser *st, uint64_t records)
{
    const struct time_cfg *c = ctx->cfg;
    int year = civil_of_days(st->early_ns / 1000000000 / CIVIL_DAY).year;
    ctx->host->log(ctx, LEAT_WARN,
                   "column '%s': the times of the first %llu records are in the year %d: numbers "
                   "of this size are of format = \"%s\", not %s",
                   c->column, (unsigned long long)records, year,
                   coarser(st->reader.format.kind, st->early_ns), c->format);
}

/* Counts a time. Warns if all of the first times are close to 1970, because they may be seconds
 * that are read as milliseconds. */
static void look_at(struct leat_ctx *ctx, struct time_parser *st, int64_t ns)
{
    st->read++;
    if (coarser(st->reader.format.kind, ns)) {
        st->early++;
        st->early_ns = ns;
    }
    if (st->read < FEWEST_TIMES || st->early < st->read || ctx->lane || st->warned) return;
    st->warned = true;
    tell_early(ctx, st, FEWEST_TIMES);
}

/* Warns of records that are kept without a time, as their values are none. */
static void tell_unread(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct time_parser *first = NULL;
    uint64_t n = 0;
    for (uint32_t i = lanes; i--;) {
        const struct time_parser *st = self[i];
        n += st->unread;
        if (st->unread) first = st;
    }
    if (first)
        ctx->host->log(ctx, LEAT_WARN, "%llu record%s no time that can be read: %s",
                       (unsigned long long)n, n == 1 ? " has" : "s have", first->why);
}

/* Warns of values that are no times, and of a wrong unit in short runs (below FEWEST_TIMES). */
static void time_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    tell_unread(ctx, self, lanes);
    const struct time_parser *last = NULL;
    uint64_t read = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        const struct time_parser *st = self[i];
        if (st->warned || st->early < st->read) return;
        read += st->read;
        if (st->read) last = st;
    }
    if (last) tell_early(ctx, last, read);
}

/* Returns the text of record r without blanks around it. *n, its length, is 0 if it is missing or
 * blank. */
static const char *time_text_of(const struct leat_batch *b, uint32_t column, uint32_t r, size_t *n)
{
    struct leat_str s = b->column[column].text[r];
    *n = 0;
    if (s.len == LEAT_NULL) return "";
    const char *p = leat_text(b, s), *end = p + s.len;
    cell_trim(&p, &end);
    *n = (size_t)(end - p);
    return p;
}

/* Handles a missing value: rejects record r, or gives it no event time. Returns false if the value
 * is missing. */
static bool has_value(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, bool has)
{
    const struct time_cfg *c = ctx->cfg;
    b->timestamp[r] = has ? b->timestamp[r] : TIME_NONE;
    if (!has && c->missing == REJECT)
        ctx->host->reject(ctx, b, r, LEAT_R_TIME,
                          "column '%s' has no value: missing = \"none\" (--set time_missing=none) "
                          "accepts such records without an event time",
                          c->column);
    return has;
}

static void time_read_number(struct leat_ctx *ctx, struct time_parser *st, struct leat_batch *b,
                             uint32_t r)
{
    double x = b->column[st->column].number[r];
    if (!has_value(ctx, b, r, !isnan(x))) return;
    const char *wrong = time_of_number(st->reader.format.kind, x, &b->timestamp[r]);
    if (!wrong && is_fine(st)) {
        look_at(ctx, st, b->timestamp[r]);
    } else if (!wrong) {
        st->last_number = x;
        st->last_number_ns = b->timestamp[r];
    }
    if (!wrong) return;
    char text[TEXT_NUMBER];
    time_refuse(ctx, st, b, r, text, text_format_double(text, x), wrong);
}

/* Sets the event time from a column of times. Rejects a time before 1970. */
static void time_take_time(struct leat_ctx *ctx, struct time_parser *st, struct leat_batch *b,
                           uint32_t r)
{
    int64_t ns = b->column[st->column].int64[r];
    if (!has_value(ctx, b, r, ns != LEAT_NO_TIME)) return;
    b->timestamp[r] = ns < 0 ? TIME_NONE : ns;
    if (ns >= 0) return;
    char text[UTC_TEXT];
    time_refuse(ctx, st, b, r, text, utc_write(text, ns), "it is before 1970");
}

/* Reads an integer as a time. Does not convert it to a double, which cannot hold nanoseconds. */
static void read_int64(struct leat_ctx *ctx, struct time_parser *st, struct leat_batch *b,
                       uint32_t r)
{
    int64_t x = b->column[st->column].int64[r];
    enum time_kind kind = st->reader.format.kind;
    if (!has_value(ctx, b, r, x != LEAT_NO_INT64)) return;
    const char *wrong = time_of_number(kind, (double)x, &b->timestamp[r]);
    if (!wrong && kind == TIME_UNIX_NS) b->timestamp[r] = x;
    if (!wrong && is_fine(st)) look_at(ctx, st, b->timestamp[r]);
    if (!wrong) return;
    char text[TEXT_NUMBER];
    time_refuse(ctx, st, b, r, text, text_format_int(text, x), wrong);
}

/* True if the text is that of the record before, as often in logs. */
static inline bool time_is_last(const struct time_parser *st, const char *text, size_t n)
{
    return n == st->n_last && text[n - 1] == st->last[n - 1] && !memcmp(text, st->last, n);
}

/* Keeps a text whose time depends on nothing else, and its time. */
static inline void time_keep_last(struct time_parser *st, const char *text, size_t n, int64_t ns)
{
    if (n > LAST_BYTES || !st->reader.format.has_year) return;
    memcpy(st->last, text, n);
    st->n_last = n;
    st->last_ns = ns;
}

static void time_read_text(struct leat_ctx *ctx, struct time_parser *st, struct leat_batch *b,
                           uint32_t r)
{
    size_t n;
    const char *text = time_text_of(b, st->column, r, &n);
    int64_t near = st->has_time ? b->timestamp[r] : TIME_NONE;
    if (!has_value(ctx, b, r, n > 0)) return;
    if (time_is_last(st, text, n)) {
        b->timestamp[r] = st->last_ns;
        return;
    }
    const char *wrong = time_read(&st->reader, text, n, near, &b->timestamp[r]);
    if (wrong)
        time_refuse(ctx, st, b, r, text, n, wrong);
    else if (is_fine(st))
        look_at(ctx, st, b->timestamp[r]);
    else
        time_keep_last(st, text, n, b->timestamp[r]);
}

static void add_parts(struct leat_ctx *ctx, struct time_parser *st, struct leat_batch *b,
                      uint32_t r)
{
    int64_t ns = b->timestamp[r];
    struct time_shown t = ns >= 0 ? time_shown_in(&st->reader.zone, ns) : (struct time_shown){0};
    for (uint32_t i = 0; i < st->n; i++) {
        struct leat_str *cell = &b->column[st->first + i].text[r];
        *cell = (struct leat_str){0, LEAT_NULL};
        if (ns < 0) continue;
        if (time_part_text(&st->part[i], &t, b))
            *cell = st->part[i].text;
        else
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "the batch has no room for the parts of the record's time");
    }
}

/* Reads the numbers of all records. A number that repeats is not converted again. */
static void time_read_numbers(struct leat_ctx *ctx, struct time_parser *st, struct leat_batch *b)
{
    const double *x = b->column[st->column].number;
    const uint32_t *sel = b->sel, n = b->n_sel;
    for (uint32_t k = 0; k < n; k++)
        if (x[sel[k]] == st->last_number)
            b->timestamp[sel[k]] = st->last_number_ns;
        else
            time_read_number(ctx, st, b, sel[k]);
}

static int time_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct time_parser *st = self;
    for (uint32_t i = 0; i < st->n; i++)
        st->part[i].has_text = false; /* texts in the previous batch are gone */
    if (st->type == LEAT_NUMBER && !st->n) {
        time_read_numbers(ctx, st, b);
        return LEAT_OK;
    }
    for (LEAT_EACH_RECORD(b, r)) {
        if (st->type == LEAT_NUMBER)
            time_read_number(ctx, st, b, r);
        else if (st->type == LEAT_INT64)
            read_int64(ctx, st, b, r);
        else if (st->type == LEAT_TIME)
            time_take_time(ctx, st, b, r);
        else if (st->type)
            time_read_text(ctx, st, b, r);
        if (st->n && b->status[r] == LEAT_ROW_OK) add_parts(ctx, st, b, r);
    }
    return LEAT_OK;
}

const struct leat_stage parse_time = {
    .name = "parse.time",
    .summary = "the event time of records, from a column; its hour, weekday, … as columns",
    .doc = time_doc,
    .example = "leat.parse.time { \"time\", format = \"clf\", parts = { \"hour\", \"weekday\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL | LEAT_REWRITES,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_TIMESTAMP),
    LEAT_PARAMS(time_params, struct time_cfg),
    LEAT_INSTANCE(struct time_parser, time_open, NULL),
    .validate = time_validate,
    .negotiate = time_negotiate,
    .process = time_process,
    .finish = time_finish,
};
