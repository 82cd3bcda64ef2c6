/* report.c -- layout of reports: JSON lines, CSV, and tables that fit a terminal.
 *
 * text_out.c writes numbers and single texts. text_out.drain writes to files. */
#include "report.h"

#include <assert.h>
#include <stdio.h>

#include "core/time/utc.h"
#include "cell_text.h"

const char *const report_formats[] = {"table", "jsonl", "csv", NULL};

enum {
    GAP = 2,             /* blanks between columns                                             */
    NARROWEST_NAME = 24, /* least width of the first column of names                           */
    WANTED_NAME = 32,    /* columns are dropped until the first column of names has this width */
    LATER_NAME = 10      /* least width of further columns of names, which are cut first       */
};

static const struct report_head no_head;

static bool report_shows(unsigned in, enum report_format format) { return !in || in >> format & 1; }

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

/* Writes a value; if it is missing, writes null in JSON and nothing in CSV. */
static void report_put_value(struct text_out *o, bool json, enum report_type type,
                             const struct report_value *v)
{
    switch (type) {
    case REPORT_NUMBER:
    case REPORT_SHARE:
    case REPORT_FIGURE:
    case REPORT_CHANCE:
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

/* Writes a field of CSV, or a member "name":value of JSON. Writes a comma before it if *any, and
 * sets *any. If v is NULL, writes the column's name, for the heading of CSV. */
static void report_put_field(const struct report *r, bool *any, const struct report_column *c,
                             const struct report_value *v)
{
    bool json = r->format == REPORT_JSONL;
    if (!report_shows(c->in, r->format)) return;
    if (*any) text_char(r->out, ',');
    *any = true;
    if (json) {
        text_json(r->out, c->name, strlen(c->name));
        text_char(r->out, ':');
    }
    if (v)
        report_put_value(r->out, json, c->type, v);
    else
        text_csv(r->out, c->name, strlen(c->name), ',');
}

/* Writes the head. Returns true if it has written any field. */
static bool put_head(const struct report *r)
{
    bool any = false;
    for (uint32_t i = 0; i < r->head->n; i++)
        report_put_field(r, &any, &r->head->column[i], &r->head->value[i]);
    return any;
}

static void report_put_cells(const struct report *r, const struct report_list *l, uint32_t row,
                             bool any)
{
    for (uint32_t c = 0; c < l->n_columns; c++) {
        struct report_value v = l->cell(l->of, row, c);
        report_put_field(r, &any, &l->column[c], &v);
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
        report_put_cells(r, l, row, false);
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
        report_put_cells(r, l, row, put_head(r));
        text_char(r->out, '}');
        text_line(r->out);
    }
}

static void csv_heading(const struct report *r, const struct report_list *l)
{
    bool any = false;
    for (uint32_t i = 0; i < r->head->n; i++)
        report_put_field(r, &any, &r->head->column[i], NULL);
    for (uint32_t c = 0; c < l->n_columns; c++)
        report_put_field(r, &any, &l->column[c], NULL);
    text_line(r->out);
}

static void csv_rows(const struct report *r, const struct report_list *l)
{
    if (!r->headed) csv_heading(r, l);
    for (uint32_t row = 0; row < l->n_rows; row++) {
        report_put_cells(r, l, row, put_head(r));
        text_line(r->out);
    }
}

/* ---- tables: widths and order of the columns ---- */

struct style {
    struct cell_style cell;
    size_t width; /* width of the column, the largest of heading and cells */
    size_t cut;   /* width to which names are cut; 0: never cut            */
};

static size_t report_longest_name(const struct report_list *l, uint32_t c)
{
    size_t longest = text_width(cell_heading(&l->column[c]), strlen(cell_heading(&l->column[c])));
    for (uint32_t row = 0; row < l->n_rows; row++) {
        struct report_value v = l->cell(l->of, row, c);
        size_t width = v.text ? text_width(v.text, v.len) : 1;
        if (width > longest) longest = width;
    }
    return longest;
}

struct report_layout {
    uint32_t n, column[REPORT_MAX_COLUMNS]; /* indexes of the list's columns in the order of the
                                             * table: names come last */
    uint32_t names;                         /* number of columns of names */
    struct style style[REPORT_MAX_COLUMNS];
    bool two_lines; /* headings are broken into two lines */
};

/* Returns the length of the first line of a heading that is broken into two lines of about equal
 * length; 0 if the heading is one word. */
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

/* Computes the widths of all columns. Returns the total width of the columns that are not names. */
static size_t fit_headings(const struct report_list *l, struct report_layout *y)
{
    size_t taken = 0;
    for (uint32_t i = 0; i < y->n; i++) {
        struct style *s = &y->style[i];
        size_t heading = heading_width(cell_heading(&l->column[y->column[i]]), y->two_lines);
        s->width = heading > s->cell.cells ? heading : s->cell.cells;
        if (i < y->n - y->names) taken += s->width + GAP;
    }
    return taken;
}

static bool drop_column(const struct report_list *l, struct report_layout *y)
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

/* Returns the least total width of the columns of names from i on; i is not the first column of
 * names. */
static size_t least_names(const struct report_list *l, const struct report_layout *y, uint32_t i)
{
    size_t taken = 0;
    for (; i < y->n; i++) {
        size_t longest = report_longest_name(l, y->column[i]);
        taken += (longest < LATER_NAME ? longest : LATER_NAME) + GAP;
    }
    return taken;
}

/* Shares `room` among the columns of names. Each gets the width of its longest name if the later
 * columns still get their least widths. So the last column is cut first. */
static void cut_names(const struct report_list *l, struct report_layout *y, size_t room)
{
    for (uint32_t i = y->n - y->names; i < y->n; i++) {
        size_t longest = report_longest_name(l, y->column[i]), after = least_names(l, y, i + 1);
        size_t least = i == y->n - y->names ? NARROWEST_NAME : LATER_NAME;
        size_t part = room > after + least ? room - after : least;
        y->style[i].cut = part;
        if (i + 1 < y->n) y->style[i].width = longest < part ? longest : part;
        room -= y->style[i].width + GAP < room ? y->style[i].width + GAP : room;
    }
}

/* Returns the width that the columns of names should have. If they have less, headings are broken
 * and columns dropped, so that the first column of names is not cut much. */
static size_t wanted_by_names(const struct report_list *l, const struct report_layout *y)
{
    uint32_t first = y->n - y->names;
    if (!y->names) return 0;
    size_t longest = report_longest_name(l, y->column[first]);
    return (longest < WANTED_NAME ? longest : WANTED_NAME) + least_names(l, y, first + 1);
}

static void fit_terminal(const struct report_list *l, struct report_layout *y, size_t terminal)
{
    size_t wanted = wanted_by_names(l, y), taken = fit_headings(l, y);
    if (taken + wanted > terminal) y->two_lines = true, taken = fit_headings(l, y);
    while (taken + wanted > terminal && drop_column(l, y))
        taken = fit_headings(l, y);
    cut_names(l, y, terminal > taken ? terminal - taken : 0);
}

static void report_lay_out(const struct report *r, const struct report_list *l,
                           struct report_layout *y)
{
    *y = (struct report_layout){.n = 0};
    for (int names = 0; names < 2; names++)
        for (uint32_t c = 0; c < l->n_columns; c++) {
            if ((l->column[c].type == REPORT_NAME) != names) continue;
            if (!report_shows(l->column[c].in, REPORT_TABLE)) continue;
            y->style[y->n].cell = cell_style_of(l, c);
            y->column[y->n++] = c;
            y->names += (uint32_t)names;
        }
    if (r->terminal)
        fit_terminal(l, y, r->terminal);
    else
        fit_headings(l, y);
}

/* ---- tables: cells, headings and titles ---- */

/* Writes the i-th cell of a line. Texts are left-aligned, numbers right-aligned. Lines do not end
 * in blanks. */
static void put_cell(struct text_out *o, const struct report_layout *y, uint32_t i,
                     enum report_type type, struct report_value v)
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

/* Writes a heading, with blanks in place of underscores. */
static void report_put_heading(struct text_out *o, const struct report_list *l,
                               const struct report_layout *y, uint32_t i, const char *heading,
                               size_t n)
{
    char text[CELL_TEXT];
    if (n > sizeof text) n = sizeof text;
    for (size_t j = 0; j < n; j++)
        text[j] = heading[j] == '_' ? ' ' : heading[j];
    put_cell(o, y, i, l->column[y->column[i]].type, report_text(text, n));
}

/* Writes the upper line of headings that are broken into two lines, up to the last such heading. */
static void put_first_line(struct text_out *o, const struct report_list *l,
                           const struct report_layout *y)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < y->n; i++)
        if (first_line(cell_heading(&l->column[y->column[i]]))) end = i + 1;
    for (uint32_t i = 0; i < end; i++) {
        const char *heading = cell_heading(&l->column[y->column[i]]);
        report_put_heading(o, l, y, i, heading, first_line(heading));
    }
    if (end) text_line(o);
}

static void report_put_headings(struct text_out *o, const struct report_list *l,
                                const struct report_layout *y)
{
    if (y->two_lines) put_first_line(o, l, y);
    for (uint32_t i = 0; i < y->n; i++) {
        const char *heading = cell_heading(&l->column[y->column[i]]);
        size_t first = y->two_lines ? first_line(heading) : 0;
        if (first) heading += first + 1;
        report_put_heading(o, l, y, i, heading, strlen(heading));
    }
    text_line(o);
}

static void report_put_row(struct text_out *o, const struct report_list *l, uint32_t row,
                           const struct report_layout *y)
{
    for (uint32_t i = 0; i < y->n; i++) {
        const struct report_column *c = &l->column[y->column[i]];
        char buf[CELL_TEXT];
        struct report_value v = l->cell(l->of, row, y->column[i]);
        put_cell(o, y, i, c->type, cell_text(c, &y->style[i].cell, v, buf));
    }
    text_line(o);
}

static void table_rows(struct report *r, const struct report_list *l)
{
    struct report_layout y;
    if (r->lists++ && r->title) text_line(r->out);
    if (r->title && !l->n_rows) {
        text_str(r->out, "none");
        text_line(r->out);
        return;
    }
    report_lay_out(r, l, &y);
    if (r->title || !r->headed) report_put_headings(r->out, l, &y);
    for (uint32_t row = 0; row < l->n_rows; row++)
        report_put_row(r->out, l, row, &y);
}

static bool report_is_missing(enum report_type type, const struct report_value *v)
{
    bool text = type == REPORT_WORD || type == REPORT_NAME;
    bool number = type == REPORT_NUMBER || type == REPORT_SHARE || type == REPORT_FIGURE ||
                  type == REPORT_CHANCE || type == REPORT_BYTES;
    if (type == REPORT_TIME) return v->time < 0;
    return (text && !v->text) || (number && isnan(v->number));
}

/* Writes a value of the head in the title: "model", "36,000 examples", "1 example" or "until
 * 2026-11-23 10:00:00 UTC". */
static void put_title_value(struct text_out *o, const struct report_column *c, const char *heading,
                            struct report_value v)
{
    char buf[CELL_TEXT];
    struct cell_style s = {.decimals = c->decimals};
    struct report_value text = cell_text(c, &s, v, buf);
    bool before = c->type == REPORT_TIME;
    if (before && heading) text_str(o, heading), text_char(o, ' ');
    text_shown(o, text.text, text.len, 0);
    if (!heading || before) return;
    size_t n = strlen(heading);
    text_char(o, ' ');
    text_bytes(o, heading,
               n - (c->type == REPORT_COUNT && v.count == 1 && n > 1 && heading[n - 1] == 's'));
}

/* Writes the title: "Heaviest features (model, 36,000 examples, 1.2 s)". */
static void report_put_title(const struct report *r)
{
    struct text_out *o = r->out;
    const struct report_head *h = r->head;
    const char *before = " (";
    if (r->headed) text_line(o);
    text_shown(o, r->title, strlen(r->title), 0);
    for (uint32_t i = 0; i < h->n; i++) {
        if (!report_shows(h->column[i].in, REPORT_TABLE)) continue;
        if (report_is_missing(h->column[i].type, &h->value[i])) continue;
        text_str(o, before);
        bool renamed = r->noun && h->column[i].name && !strcmp(h->column[i].name, "examples");
        put_title_value(o, &h->column[i], renamed ? r->noun : h->column[i].heading, h->value[i]);
        before = ", ";
    }
    if (*before == ',') text_char(o, ')');
    text_line(o);
}

/* ---- the functions of report.h ---- */

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
    if (r->format == REPORT_TABLE && r->title) report_put_title(r);
}

void report_rows(struct report *r, const struct report_list *list)
{
    assert(list->n_columns <= REPORT_MAX_COLUMNS);
    if (!report_shows(list->in, r->format)) return;
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
