/* report.c -- see report.h.
 *
 * Not here: numbers and texts by themselves (text_out.c); files and streams (the drain of the
 * text_out). */
#include "report.h"

#include <assert.h>
#include <stdio.h>

#include "byte_size.h"
#include "base/pow10.h"
#include "base/utc.h"

const char *const report_formats[] = {"table", "jsonl", "csv", NULL};

enum {
    CELL = 96,
    GAP = 2,             /* blanks between columns                                   */
    NARROWEST_NAME = 24, /* columns of a terminal that a name has, whatever follows   */
    WANTED_NAME = 32,    /* … and for which other columns make room, if names need it */
    LATER_NAME = 10,     /* the same of names after the first: those are cut first    */
    LEAST_SHARE = 2      /* decimals of per cent that a small share may ask of its column */
};

static const struct report_head no_head;

static bool shown(unsigned in, enum report_format format) { return !in || in >> format & 1; }

/* ---- JSON lines and CSV ---- */

static void put_time(struct text_out *o, bool json, int64_t ns)
{
    char text[UTC_TEXT];
    if (ns < 0)
        text_str(o, json ? "null" : "");
    else if (json)
        text_json(o, text, utc_write(text, ns));
    else
        text_csv(o, text, utc_write(text, ns), ',');
}

/* Where there is no value JSON says null, CSV nothing. */
static void put_value(struct text_out *o, bool json, enum report_type type,
                      const struct report_value *v)
{
    switch (type) {
    case REPORT_NUMBER:
    case REPORT_SHARE:
    case REPORT_FIGURE:
    case REPORT_BYTES:
        if (json)
            text_json_double(o, v->number);
        else if (!isnan(v->number))
            text_double(o, v->number);
        break;
    case REPORT_COUNT:
        text_uint(o, v->count);
        break;
    case REPORT_FLAG:
        text_str(o, v->count ? "true" : "false");
        break;
    case REPORT_TIME:
        put_time(o, json, v->time);
        break;
    case REPORT_WORD:
    case REPORT_NAME:
        if (!v->text)
            text_str(o, json ? "null" : "");
        else if (json)
            text_json(o, v->text, v->len);
        else
            text_csv(o, v->text, v->len, ',');
    }
}

/* A field of CSV, or "name":value, after a comma unless it is the first of its line or object. No
 * value: the name, for the heading of CSV. */
static void put_field(const struct report *r, bool *any, const struct report_column *c,
                      const struct report_value *v)
{
    bool json = r->format == REPORT_JSONL;
    if (!shown(c->in, r->format)) return;
    if (*any) text_char(r->out, ',');
    *any = true;
    if (json) {
        text_json(r->out, c->name, strlen(c->name));
        text_char(r->out, ':');
    }
    if (v)
        put_value(r->out, json, c->type, v);
    else
        text_csv(r->out, c->name, strlen(c->name), ',');
}

/* True when the head has any fields. */
static bool put_head(const struct report *r)
{
    bool any = false;
    for (uint32_t i = 0; i < r->head->n; i++)
        put_field(r, &any, &r->head->column[i], &r->head->value[i]);
    return any;
}

static void put_cells(const struct report *r, const struct report_list *l, uint32_t row, bool any)
{
    for (uint32_t c = 0; c < l->n_columns; c++) {
        struct report_value v = l->cell(l->of, row, c);
        put_field(r, &any, &l->column[c], &v);
    }
}

static void json_array(struct report *r, const struct report_list *l)
{
    struct text_out *o = r->out;
    if (!r->open) text_char(o, '{');
    if (r->open || put_head(r)) text_char(o, ',');
    r->open = true;
    text_json(o, l->name, strlen(l->name));
    text_str(o, ":[");
    for (uint32_t row = 0; row < l->n_rows; row++) {
        text_str(o, row ? ",{" : "{");
        put_cells(r, l, row, false);
        text_char(o, '}');
    }
    text_char(o, ']');
}

static void json_rows(struct report *r, const struct report_list *l)
{
    if (l->name) {
        json_array(r, l);
        return;
    }
    for (uint32_t row = 0; row < l->n_rows; row++) {
        text_char(r->out, '{');
        put_cells(r, l, row, put_head(r));
        text_char(r->out, '}');
        text_line(r->out);
    }
}

static void csv_heading(const struct report *r, const struct report_list *l)
{
    bool any = false;
    for (uint32_t i = 0; i < r->head->n; i++)
        put_field(r, &any, &r->head->column[i], NULL);
    for (uint32_t c = 0; c < l->n_columns; c++)
        put_field(r, &any, &l->column[c], NULL);
    text_line(r->out);
}

static void csv_rows(const struct report *r, const struct report_list *l)
{
    if (!r->headed) csv_heading(r, l);
    for (uint32_t row = 0; row < l->n_rows; row++) {
        put_cells(r, l, row, put_head(r));
        text_line(r->out);
    }
}

/* ---- tables: cells ---- */

struct style {
    bool whole;   /* integers, in groups of three                      */
    int decimals; /* otherwise; -1: too large or small, with exponent  */
    size_t cells; /* the widest cell                                   */
    size_t width; /* of the column: of the heading and of every cell   */
    size_t cut;   /* of a name: where it is cut; 0: nowhere            */
};

static bool is_whole(double v) { return floor(v) == v && fabs(v) < 1e15; }

/* Four significant digits for the largest value. */
static int decimals_for(double largest)
{
    if (largest == 0.0) return 0;
    if (largest >= 1e9 || largest < 1e-5) return -1;
    int d = 3 - (int)floor(log10(largest));
    return d < 1 ? 1 : d;
}

static size_t format_whole(char *out, double v)
{
    size_t n = 0;
    if (v < 0.0) out[n++] = '-';
    return n + text_format_grouped(out + n, (uint64_t)fabs(v));
}

static bool reads_as_zero(const char *text) { return !strpbrk(text, "123456789"); }

/* What is above 0 never reads as 0: "<0.01 %". */
static int format_share(char *out, int decimals, double v)
{
    int n = snprintf(out, CELL, "%.*f %%", decimals, 100.0 * v);
    if (!(v > 0.0) || !reads_as_zero(out)) return n;
    return snprintf(out, CELL, "<%.*f %%", decimals, 1.0 / pow10_f64[decimals]);
}

static size_t format_number(char *out, enum report_type type, const struct style *s, double v)
{
    int n;
    if (isnan(v))
        n = snprintf(out, CELL, "-");
    else if (isinf(v))
        n = snprintf(out, CELL, "%s", v > 0.0 ? "inf" : "-inf");
    else if (type == REPORT_SHARE)
        n = format_share(out, s->decimals, v);
    else if (type == REPORT_FIGURE ? is_whole(v) : s->whole)
        return format_whole(out, v);
    else if (type == REPORT_FIGURE)
        n = snprintf(out, CELL, "%.4g", v);
    else if (s->decimals < 0)
        n = snprintf(out, CELL, "%.3e", v);
    else
        n = snprintf(out, CELL, "%.*f", s->decimals, v);
    return n < 0 ? 0 : n < CELL ? (size_t)n : CELL - 1;
}

/* "3.1–9.8 ?", or one number where both ends look the same. */
static size_t format_range(char *out, enum report_type type, const struct style *s,
                           const struct report_value *v)
{
    static const char percent[] = " %";
    char low[CELL], high[CELL];
    size_t n = format_number(low, type, s, v->low), end = format_number(high, type, s, v->high);
    bool same = n == end && !memcmp(low, high, n), share = n > 2 && type == REPORT_SHARE;
    if (share && !memcmp(low + n - 2, percent, 2)) n -= 2; /* said once, behind the second */
    if (same || *high == '<') return (size_t)snprintf(out, CELL, "%.*s", (int)end, high);
    return (size_t)snprintf(out, CELL, "%.*s\xe2\x80\x93%.*s%s", (int)n, low, (int)end, high,
                            v->wide ? " ?" : "");
}

/* 2026-11-23 10:00:00 UTC, without parts of a second; "-": missing */
static size_t format_time(char *out, int64_t ns)
{
    enum { DATE = sizeof "2026-11-23" - 1, SECOND = sizeof "2026-11-23T10:00:00" - 1 };
    char text[UTC_TEXT];
    if (ns < 0) return (size_t)snprintf(out, CELL, "-");
    utc_write(text, ns);
    return (size_t)snprintf(out, CELL, "%.*s %.*s UTC", DATE, text, SECOND - DATE - 1,
                            text + DATE + 1);
}

/* What has a fixed text, as a text; what is a number, formatted into `buf`. */
static struct report_value cell_text(const struct report_column *c, const struct style *s,
                                     struct report_value v, char buf[CELL])
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
        return report_word(v.number >= 0 ? byte_size((uint64_t)v.number, buf) : "-");
    case REPORT_TIME:
        return report_text(buf, format_time(buf, v.time));
    case REPORT_NUMBER:
    case REPORT_SHARE:
    case REPORT_FIGURE:
        break;
    }
    return report_text(buf, v.ranged ? format_range(buf, c->type, s, &v)
                                     : format_number(buf, c->type, s, v.number));
}

/* ---- tables: columns ---- */

static const char *heading_of(const struct report_column *c)
{
    return c->heading ? c->heading : c->name;
}

/* 12.3 % and 0.0123 %; and 0.04 % beside 12.30 %, which one decimal would show as 0. */
static int decimals_for_shares(double largest, double least)
{
    char text[CELL];
    int d = (int)fmax(decimals_for(100.0 * largest) - 1, 1);
    snprintf(text, sizeof text, "%.*f", d, 100.0 * least);
    return d < LEAST_SHARE && isfinite(least) && reads_as_zero(text) ? LEAST_SHARE : d;
}

static void fit_decimals(const struct report_list *l, uint32_t c, struct style *s)
{
    const struct report_column *column = &l->column[c];
    double largest = 0.0, least = (double)INFINITY; /* above 0 */
    s->whole = !column->decimals;
    for (uint32_t row = 0; row < l->n_rows; row++) {
        struct report_value v = l->cell(l->of, row, c);
        if (!v.ranged) v.low = v.high = v.number;
        if (!isfinite(v.low) || !isfinite(v.high)) continue;
        largest = fmax(largest, fmax(fabs(v.low), fabs(v.high)));
        double lower = v.low > 0.0 ? v.low : v.high;
        if (lower > 0.0) least = fmin(least, lower);
        s->whole &= is_whole(v.low) && is_whole(v.high);
    }
    if (column->decimals)
        s->decimals = column->decimals;
    else if (column->type == REPORT_SHARE)
        s->decimals = decimals_for_shares(largest, least);
    else
        s->decimals = decimals_for(largest);
}

/* Cells of numbers and words; names are as long as they are. */
static struct style style_of(const struct report_list *l, uint32_t c)
{
    const struct report_column *column = &l->column[c];
    struct style s = {.cells = column->width};
    if (column->type == REPORT_NUMBER || column->type == REPORT_SHARE) fit_decimals(l, c, &s);
    for (uint32_t row = 0; row < l->n_rows && column->type != REPORT_NAME; row++) {
        char buf[CELL];
        struct report_value v = cell_text(column, &s, l->cell(l->of, row, c), buf);
        size_t width = text_width(v.text, v.len);
        if (width > s.cells) s.cells = width;
    }
    return s;
}

static size_t longest_name(const struct report_list *l, uint32_t c)
{
    size_t longest = text_width(heading_of(&l->column[c]), strlen(heading_of(&l->column[c])));
    for (uint32_t row = 0; row < l->n_rows; row++) {
        struct report_value v = l->cell(l->of, row, c);
        size_t width = v.text ? text_width(v.text, v.len) : 1;
        if (width > longest) longest = width;
    }
    return longest;
}

struct layout {
    uint32_t n, column[REPORT_MAX_COLUMNS]; /* those that the table shows, names last */
    uint32_t names;                         /* of them */
    struct style style[REPORT_MAX_COLUMNS];
    bool two_lines; /* of headings */
};

/* The first line of a heading in two lines, or 0: it has one word. Both are as short as can be. */
static size_t first_line(const char *heading)
{
    size_t n = strlen(heading), best = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        bool nearer = !best || (n > 2 * i ? n - 2 * i : 2 * i - n) <
                                   (n > 2 * best ? n - 2 * best : 2 * best - n);
        if ((heading[i] == ' ' || heading[i] == '_') && nearer) best = i;
    }
    return best;
}

static size_t heading_width(const char *heading, bool two_lines)
{
    size_t n = strlen(heading), first = two_lines ? first_line(heading) : 0;
    if (!first) return text_width(heading, n);
    size_t above = text_width(heading, first);
    size_t below = text_width(heading + first + 1, n - first - 1);
    return above > below ? above : below;
}

/* What all columns but names take. */
static size_t fit_headings(const struct report_list *l, struct layout *y)
{
    size_t taken = 0;
    for (uint32_t i = 0; i < y->n; i++) {
        struct style *s = &y->style[i];
        size_t heading = heading_width(heading_of(&l->column[y->column[i]]), y->two_lines);
        s->width = heading > s->cells ? heading : s->cells;
        if (i < y->n - y->names) taken += s->width + GAP;
    }
    return taken;
}

static bool drop_column(const struct report_list *l, struct layout *y)
{
    uint32_t next = y->n;
    for (uint32_t i = 0; i < y->n; i++) {
        unsigned drop = l->column[y->column[i]].drop;
        if (drop && (next == y->n || drop < l->column[y->column[next]].drop)) next = i;
    }
    if (next == y->n) return false;
    y->n--;
    memmove(y->column + next, y->column + next + 1, (y->n - next) * sizeof *y->column);
    memmove(y->style + next, y->style + next + 1, (y->n - next) * sizeof *y->style);
    return true;
}

/* What the names from i on, which is not the first, take at least. */
static size_t least_names(const struct report_list *l, const struct layout *y, uint32_t i)
{
    size_t taken = 0;
    for (; i < y->n; i++) {
        size_t longest = longest_name(l, y->column[i]);
        taken += (longest < LATER_NAME ? longest : LATER_NAME) + GAP;
    }
    return taken;
}

/* Each name takes what it needs, as long as the next ones can be shown: the last is cut first. */
static void cut_names(const struct report_list *l, struct layout *y, size_t room)
{
    for (uint32_t i = y->n - y->names; i < y->n; i++) {
        size_t longest = longest_name(l, y->column[i]), after = least_names(l, y, i + 1);
        size_t least = i == y->n - y->names ? NARROWEST_NAME : LATER_NAME;
        size_t part = room > after + least ? room - after : least;
        y->style[i].cut = part;
        if (i + 1 < y->n) y->style[i].width = longest < part ? longest : part;
        room -= y->style[i].width + GAP < room ? y->style[i].width + GAP : room;
    }
}

/* What names must have before headings are broken and columns dropped: the first is not cut
 * much. */
static size_t wanted_by_names(const struct report_list *l, const struct layout *y)
{
    uint32_t first = y->n - y->names;
    if (!y->names) return 0;
    size_t longest = longest_name(l, y->column[first]);
    return (longest < WANTED_NAME ? longest : WANTED_NAME) + least_names(l, y, first + 1);
}

static void fit_terminal(const struct report_list *l, struct layout *y, size_t terminal)
{
    size_t wanted = wanted_by_names(l, y), taken = fit_headings(l, y);
    if (taken + wanted > terminal) y->two_lines = true, taken = fit_headings(l, y);
    while (taken + wanted > terminal && drop_column(l, y))
        taken = fit_headings(l, y);
    cut_names(l, y, terminal > taken ? terminal - taken : 0);
}

static void lay_out(const struct report *r, const struct report_list *l, struct layout *y)
{
    *y = (struct layout){.n = 0};
    for (int names = 0; names < 2; names++)
        for (uint32_t c = 0; c < l->n_columns; c++) {
            if ((l->column[c].type == REPORT_NAME) != names) continue;
            if (!shown(l->column[c].in, REPORT_TABLE)) continue;
            y->style[y->n] = style_of(l, c);
            y->column[y->n++] = c;
            y->names += (uint32_t)names;
        }
    if (r->terminal)
        fit_terminal(l, y, r->terminal);
    else
        fit_headings(l, y);
}

/* ---- tables: lines ---- */

/* The i-th cell of a line: texts begin together, numbers end together, and no line ends in
 * blanks. */
static void put_cell(struct text_out *o, const struct layout *y, uint32_t i, enum report_type type,
                     struct report_value v)
{
    bool left = type == REPORT_WORD || type == REPORT_NAME, last = i + 1 == y->n;
    size_t width = y->style[i].width, taken = text_width(v.text, v.len);
    size_t pad = width > taken ? width - taken : 0;
    if (last && !v.len) return;
    if (i) text_pad(o, GAP);
    if (!left) text_pad(o, pad);
    text_shown(o, v.text, v.len, y->style[i].cut);
    if (left && !last) text_pad(o, pad);
}

/* "relative_risk" -> "relative risk" */
static void put_heading(struct text_out *o, const struct report_list *l, const struct layout *y,
                        uint32_t i, const char *heading, size_t n)
{
    char text[CELL];
    if (n > sizeof text) n = sizeof text;
    for (size_t j = 0; j < n; j++)
        text[j] = heading[j] == '_' ? ' ' : heading[j];
    put_cell(o, y, i, l->column[y->column[i]].type, report_text(text, n));
}

/* The first words of headings in two lines, up to the last that has two. */
static void put_first_line(struct text_out *o, const struct report_list *l, const struct layout *y)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < y->n; i++)
        if (first_line(heading_of(&l->column[y->column[i]]))) end = i + 1;
    for (uint32_t i = 0; i < end; i++) {
        const char *heading = heading_of(&l->column[y->column[i]]);
        put_heading(o, l, y, i, heading, first_line(heading));
    }
    if (end) text_line(o);
}

static void put_headings(struct text_out *o, const struct report_list *l, const struct layout *y)
{
    if (y->two_lines) put_first_line(o, l, y);
    for (uint32_t i = 0; i < y->n; i++) {
        const char *heading = heading_of(&l->column[y->column[i]]);
        size_t first = y->two_lines ? first_line(heading) : 0;
        if (first) heading += first + 1;
        put_heading(o, l, y, i, heading, strlen(heading));
    }
    text_line(o);
}

static void put_row(struct text_out *o, const struct report_list *l, uint32_t row,
                    const struct layout *y)
{
    for (uint32_t i = 0; i < y->n; i++) {
        const struct report_column *c = &l->column[y->column[i]];
        char buf[CELL];
        struct report_value v = l->cell(l->of, row, y->column[i]);
        put_cell(o, y, i, c->type, cell_text(c, &y->style[i], v, buf));
    }
    text_line(o);
}

static void table_rows(struct report *r, const struct report_list *l)
{
    struct layout y;
    if (r->lists++ && r->title) text_line(r->out);
    if (r->title && !l->n_rows) {
        text_str(r->out, "none");
        text_line(r->out);
        return;
    }
    lay_out(r, l, &y);
    if (r->title || !r->headed) put_headings(r->out, l, &y);
    for (uint32_t row = 0; row < l->n_rows; row++)
        put_row(r->out, l, row, &y);
}

static bool is_missing(enum report_type type, const struct report_value *v)
{
    bool text = type == REPORT_WORD || type == REPORT_NAME;
    bool number = type == REPORT_NUMBER || type == REPORT_SHARE || type == REPORT_FIGURE ||
                  type == REPORT_BYTES;
    if (type == REPORT_TIME) return v->time < 0;
    return (text && !v->text) || (number && isnan(v->number));
}

/* "model", "36,000 examples", "1 example", "until 2026-11-23 10:00:00 UTC" */
static void put_title_value(struct text_out *o, const struct report_column *c,
                            struct report_value v)
{
    char buf[CELL];
    struct style s = {.decimals = c->decimals};
    struct report_value text = cell_text(c, &s, v, buf);
    bool before = c->type == REPORT_TIME;
    if (before && c->heading) text_str(o, c->heading), text_char(o, ' ');
    text_shown(o, text.text, text.len, 0);
    if (!c->heading || before) return;
    size_t n = strlen(c->heading);
    text_char(o, ' ');
    text_bytes(o, c->heading,
               n - (c->type == REPORT_COUNT && v.count == 1 && n > 1 && c->heading[n - 1] == 's'));
}

/* Heaviest features (model, 36,000 examples, 1.2 s) */
static void put_title(const struct report *r)
{
    struct text_out *o = r->out;
    const struct report_head *h = r->head;
    const char *before = " (";
    if (r->headed) text_line(o);
    text_shown(o, r->title, strlen(r->title), 0);
    for (uint32_t i = 0; i < h->n; i++) {
        if (!shown(h->column[i].in, REPORT_TABLE)) continue;
        if (is_missing(h->column[i].type, &h->value[i])) continue;
        text_str(o, before);
        put_title_value(o, &h->column[i], h->value[i]);
        before = ", ";
    }
    if (*before == ',') text_char(o, ')');
    text_line(o);
}

/* ---- the whole ---- */

void report_head_add(struct report_head *h, struct report_column c, struct report_value v)
{
    assert(h->n < REPORT_MAX_HEAD);
    h->column[h->n] = c;
    h->value[h->n++] = v;
}

void report_begin(struct report *r, const struct report_head *head)
{
    assert(!r->open);
    r->head = head ? head : &no_head;
    r->lists = 0;
    if (r->format == REPORT_TABLE && r->title) put_title(r);
}

void report_rows(struct report *r, const struct report_list *list)
{
    assert(list->n_columns <= REPORT_MAX_COLUMNS);
    if (!shown(list->in, r->format)) return;
    if (r->format == REPORT_TABLE)
        table_rows(r, list);
    else if (r->format == REPORT_JSONL)
        json_rows(r, list);
    else
        csv_rows(r, list);
    if (r->format == REPORT_CSV || !r->title) r->headed = true;
}

void report_end(struct report *r)
{
    if (r->open) {
        text_char(r->out, '}');
        text_line(r->out);
    }
    r->open = false;
    r->headed = true;
}
