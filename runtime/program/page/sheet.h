/* sheet.h -- the elements of a page: headings, sentences, tables and charts, in HTML or Markdown.
 *
 * The parts of a page do not depend on the language (HTML or Markdown). Texts are UTF-8 with any
 * content; the language escapes them. No argument needs to live longer than the call. */
#ifndef LEAT_PROGRAM_PAGE_SHEET_H
#define LEAT_PROGRAM_PAGE_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "core/report/report.h"
#include "core/report/text_out.h"

struct sheet;

enum sheet_tone { SHEET_PLAIN, SHEET_LEAD, SHEET_NOTE, SHEET_WARNING };

/* Bars next to the cells of a column. A bar reaches from `zero` to the cell's number. If the cell
 * has an interval, it is drawn too. */
struct sheet_bars {
    uint32_t column;
    double from, to; /* values at the ends of the scale; > 0 if logarithmic */
    double zero;     /* value that means "no difference"; NaN: none */
    bool logarithmic;
    bool shares; /* values are shares, shown in per cent */
};

/* A picture in the last column of each row: the row's rank at each of n times; rank 0: absent. */
struct sheet_ranks {
    uint32_t n, worst;
    uint32_t (*rank)(const void *of, uint32_t row, uint32_t moment);
    const void *of;
};

struct sheet_table {
    const struct report_list *list; /* its columns with REPORT_TABLE are shown */
    const char *caption;
    const struct sheet_bars *bars;   /* NULL: no bars */
    const struct sheet_ranks *ranks; /* NULL: no pictures of ranks */
};

struct sheet_line {
    const char *name;
    const double *x, *y; /* n values each; NaN: no point */
    uint32_t n;
};

struct sheet_chart {
    const char *title, *says; /* says: description of the picture for people who do not see it */
    const char *x_label, *y_label;
    const struct sheet_line *line;
    uint32_t n_lines;
    bool shares; /* both axes reach from 0 to 1, and the diagonal is drawn */
    bool dots;   /* each point has a dot */
};

/* A picture of upright bars, one for each row of a list. */
struct sheet_columns {
    const char *title, *says;
    const struct report_list *list; /* column 0: texts below the bars */
    uint32_t column;                /* the column that the bars show  */
    const char *y_label;
    double all; /* a dashed line; NaN: none */
};

struct sheet_language {
    void (*begin)(struct sheet *, const char *title);
    void (*end)(struct sheet *);
    void (*title)(struct sheet *, const char *above, const char *text);
    void (*heading)(struct sheet *, const char *text);
    void (*paragraph)(struct sheet *, enum sheet_tone tone, const char *text);
    void (*table)(struct sheet *, const struct sheet_table *);
    void (*charts)(struct sheet *, const struct sheet_chart *, uint32_t n); /* drawn side by side */
    /* draws pictures of the same list side by side, and its numbers once */
    void (*columns)(struct sheet *, const struct sheet_columns *, uint32_t n);
    void (*code)(struct sheet *, const char *text);
    void (*fold)(struct sheet *, const char *what); /* begins a part that the reader can unfold */
    void (*unfold)(struct sheet *);                 /* ends the part that fold() began */
};

struct sheet {
    const struct sheet_language *language;
    struct text_out out;
    uint32_t charts; /* number of charts so far, for unique ids */
    bool in_section, folded;
};

extern const struct sheet_language sheet_html, sheet_markdown;

/* True if a table shows the column. */
static inline bool sheet_shows(const struct report_column *c)
{
    return !c->in || c->in >> REPORT_TABLE & 1;
}

/* Writes the column's heading. If there is none, writes its name with blanks for underscores, such
 * as "relative risk". Cuts it to SHEET_HEADING bytes. Returns `text`. */
enum { SHEET_HEADING = 96 };
const char *sheet_heading(const struct report_column *c, char text[SHEET_HEADING]);

/* True if the cells are texts, which are aligned left. Numbers are aligned right. */
static inline bool sheet_is_text(const struct report_column *c)
{
    return c->type == REPORT_WORD || c->type == REPORT_NAME;
}

#endif
