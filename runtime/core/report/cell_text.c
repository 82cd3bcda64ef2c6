/* cell_text.c -- formats numbers, shares, ranges and times so that the cells of a column align. */
#include "cell_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pow10.h"
#include "core/time/utc.h"
#include "byte_size.h"

/* Number of decimals of a column of percentages if one decimal would show the smallest as 0. */
enum { LEAST_SHARE = 2 };

/* A number is shown as 0 if it is below NOISE times one unit of the last displayed decimal. It is
 * then probably a rounding error. */
static const double NOISE = 1e-6;

static bool cell_is_whole(double v) { return floor(v) == v && fabs(v) < 1e15; }

/* Returns the number of decimals that gives the column's largest value four significant digits; -1
 * if the value is too large or too small for decimals. */
static int decimals_for(double largest)
{
    if (largest == 0.0) return 0;
    if (largest >= 1e9 || largest < 1e-5) return -1;
    int d = 3 - pow10_exponent(largest);
    return d < 1 ? 1 : d;
}

static size_t format_whole(char *out, double v)
{
    size_t n = 0;
    if (v < 0.0) out[n++] = '-';
    return n + text_format_grouped(out + n, (uint64_t)fabs(v));
}

static bool reads_as_zero(const char *text) { return !strpbrk(text, "123456789"); }

/* Formats a share in per cent. A share that is above 0 but would be shown as 0 becomes "<0.01
 * %". */
static int format_share(char *out, int decimals, double v)
{
    int n = snprintf(out, CELL_TEXT, "%.*f %%", decimals, 100.0 * v);
    if (!(v > 0.0) || !reads_as_zero(out)) return n;
    return snprintf(out, CELL_TEXT, "<%.*f %%", decimals, 1.0 / pow10_f64[decimals]);
}

/* Formats a number. A number that is not 0 but would be shown as 0 gets more digits ("0.0012" next
 * to 303.0), unless it is a rounding error (NOISE). */
static int format_decimals(char *out, int decimals, double v)
{
    int n = snprintf(out, CELL_TEXT, "%.*f", decimals, v);
    if (!reads_as_zero(out) || fabs(v) < NOISE / pow10_f64[decimals]) return n;
    return snprintf(out, CELL_TEXT, "%.2g", v);
}

static size_t format_number(char *out, enum report_type type, const struct cell_style *s, double v)
{
    int n;
    if (isnan(v))
        n = snprintf(out, CELL_TEXT, "-");
    else if (isinf(v))
        n = snprintf(out, CELL_TEXT, "%s", v > 0.0 ? "inf" : "-inf");
    else if (type == REPORT_CHANCE)
        n = snprintf(out, CELL_TEXT, v > 0 && v < 0.01 ? "<0.01" : "%.2f", v);
    else if (type == REPORT_SHARE)
        n = format_share(out, s->decimals, v);
    else if (type == REPORT_FIGURE ? cell_is_whole(v) : s->whole)
        return format_whole(out, v);
    else if (type == REPORT_FIGURE)
        n = snprintf(out, CELL_TEXT, "%.4g", v);
    else if (s->decimals < 0)
        n = snprintf(out, CELL_TEXT, "%.3e", v);
    else
        n = format_decimals(out, s->decimals, v);
    return n < 0 ? 0 : n < CELL_TEXT ? (size_t)n : CELL_TEXT - 1;
}

/* Formats a range, such as "3.1–9.8 ?"; only one number if low and high have the same text. A range
 * without an end is "> 3.1" or "< 9.8". */
static size_t format_range(char *out, enum report_type type, const struct cell_style *s,
                           const struct report_value *v)
{
    static const char percent[] = " %";
    char low[CELL_TEXT], high[CELL_TEXT];
    size_t n = format_number(low, type, s, v->low), end = format_number(high, type, s, v->high);
    bool same = n == end && !memcmp(low, high, n), share = n > 2 && type == REPORT_SHARE;
    if (isinf(v->high)) return (size_t)snprintf(out, CELL_TEXT, "> %.*s", (int)n, low);
    if (isinf(v->low)) return (size_t)snprintf(out, CELL_TEXT, "< %.*s", (int)end, high);
    if (share && !memcmp(low + n - 2, percent, 2)) n -= 2; /* "%" only after `high` */
    if (same || *high == '<') return (size_t)snprintf(out, CELL_TEXT, "%.*s", (int)end, high);
    return (size_t)snprintf(out, CELL_TEXT, "%.*s\xe2\x80\x93%.*s%s", (int)n, low, (int)end, high,
                            v->wide ? " ?" : "");
}

/* Formats a time as "2026-11-23 10:00:00 UTC", without fractions of a second; "-" if it is
 * missing. */
static size_t format_time(char *out, int64_t ns)
{
    enum { DATE = sizeof "2026-11-23" - 1, SECOND = sizeof "2026-11-23T10:00:00" - 1 };
    char text[UTC_TEXT];
    if (ns < 0) return (size_t)snprintf(out, CELL_TEXT, "-");
    utc_write(text, ns);
    return (size_t)snprintf(out, CELL_TEXT, "%.*s %.*s UTC", DATE, text, SECOND - DATE - 1,
                            text + DATE + 1);
}

struct report_value cell_text(const struct report_column *c, const struct cell_style *s,
                              struct report_value v, char buf[CELL_TEXT])
{
    switch (c->type) {
    case REPORT_WORD:
    case REPORT_NAME:
        return v.text ? v : report_word("-");
    case REPORT_FLAG:
        return report_word(v.count ? "true" : "false");
    case REPORT_COUNT:
        return report_text(buf, text_format_grouped(buf, v.count));
    case REPORT_BYTES:
        return report_word(v.number >= 0 ? byte_size((uint64_t)fmin(v.number, 0x1p63), buf) : "-");
    case REPORT_TIME:
        return report_text(buf, format_time(buf, v.time));
    case REPORT_NUMBER:
    case REPORT_SHARE:
    case REPORT_FIGURE:
    case REPORT_CHANCE:
        break;
    }
    return report_text(buf, v.ranged ? format_range(buf, c->type, s, &v)
                                     : format_number(buf, c->type, s, v.number));
}

const char *cell_heading(const struct report_column *c)
{
    return c->heading ? c->heading : c->name;
}

/* Returns the number of decimals for shares in per cent: 12.3 % and 0.0123 %. If one decimal would
 * show the smallest share as 0, returns LEAST_SHARE: 0.04 % next to 12.30 %. */
static int decimals_for_shares(double largest, double least)
{
    char text[CELL_TEXT];
    int d = (int)fmax(decimals_for(100.0 * largest) - 1, 1);
    snprintf(text, sizeof text, "%.*f", d, 100.0 * least);
    return d < LEAST_SHARE && isfinite(least) && reads_as_zero(text) ? LEAST_SHARE : d;
}

static void fit_decimals(const struct report_list *l, uint32_t c, struct cell_style *s)
{
    const struct report_column *column = &l->column[c];
    double largest = 0.0, least = (double)INFINITY; /* least: smallest value above 0 */
    s->whole = !column->decimals;
    for (uint32_t row = 0; row < l->n_rows; row++) {
        struct report_value v = l->cell(l->of, row, c);
        if (!v.ranged) v.low = v.high = v.number;
        if (isinf(v.low)) v.low = v.high; /* a range without an end */
        if (isinf(v.high)) v.high = v.low;
        if (!isfinite(v.low) || !isfinite(v.high)) continue;
        largest = fmax(largest, fmax(fabs(v.low), fabs(v.high)));
        double lower = v.low > 0.0 ? v.low : v.high;
        if (lower > 0.0) least = fmin(least, lower);
        s->whole &= cell_is_whole(v.low) && cell_is_whole(v.high);
    }
    if (column->decimals)
        s->decimals = column->decimals;
    else if (column->type == REPORT_SHARE)
        s->decimals = decimals_for_shares(largest, least);
    else
        s->decimals = decimals_for(largest);
}

/* Names have no common width, so s.cells does not count them. */
struct cell_style cell_style_of(const struct report_list *l, uint32_t c)
{
    const struct report_column *column = &l->column[c];
    struct cell_style s = {.cells = column->width};
    if (column->type == REPORT_NUMBER || column->type == REPORT_SHARE) fit_decimals(l, c, &s);
    for (uint32_t row = 0; row < l->n_rows && column->type != REPORT_NAME; row++) {
        char buf[CELL_TEXT];
        struct report_value v = cell_text(column, &s, l->cell(l->of, row, c), buf);
        size_t width = text_width(v.text, v.len);
        if (width > s.cells) s.cells = width;
    }
    return s;
}
