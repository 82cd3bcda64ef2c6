/* sheet.h -- the elements of a page: headings, sentences, tables and charts, in HTML or Markdown.
 *
 * The parts of a page do not see the language. Texts are UTF-8 of any content; a language escapes
 * them. Nothing is kept after a call. */
#ifndef LEAT_PROGRAM_PAGE_SHEET_H
#define LEAT_PROGRAM_PAGE_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "core/report/report.h"
#include "core/report/text_out.h"

struct sheet;

enum sheet_tone { SHEET_PLAIN, SHEET_NOTE, SHEET_WARNING };

/* Pictures of a column, after it: a bar from `zero` to the number, with the interval low to high if
 * a value has one. */
struct sheet_bars {
    uint32_t column;
    double from, to; /* range of a cell's width; > 0 on a logarithmic scale */
    double zero;     /* place of "no difference"; NaN: none */
    bool logarithmic;
};

/* A picture of each row, as the last column: its rank at each of n moments; 0 without a rank. */
struct sheet_ranks {
    uint32_t n, worst;
    uint32_t (*rank)(const void *of, uint32_t row, uint32_t moment);
    const void *of;
};

struct sheet_table {
    const struct report_list *list; /* columns of REPORT_TABLE */
    const char *caption;
    const struct sheet_bars *bars;   /* or NULL */
    const struct sheet_ranks *ranks; /* or NULL */
};

struct sheet_line {
    const char *name;
    const double *x, *y; /* n of each; NaN: no point */
    uint32_t n;
};

struct sheet_chart {
    const char *title, *says; /* says: the picture in words */
    const char *x_label, *y_label;
    const struct sheet_line *line;
    uint32_t n_lines;
    bool shares; /* both axes from 0 to 1, with the diagonal */
    bool dots;   /* a dot at each point */
};

struct sheet_language {
    void (*begin)(struct sheet *, const char *title);
    void (*end)(struct sheet *);
    void (*title)(struct sheet *, const char *above, const char *text);
    void (*heading)(struct sheet *, const char *text);
    void (*paragraph)(struct sheet *, enum sheet_tone tone, const char *text);
    void (*table)(struct sheet *, const struct sheet_table *);
    void (*charts)(struct sheet *, const struct sheet_chart *, uint32_t n); /* side by side */
    void (*code)(struct sheet *, const char *text);
    void (*fold)(struct sheet *, const char *what); /* begins a part that the reader may open */
    void (*unfold)(struct sheet *);                 /* ends the part */
};

struct sheet {
    const struct sheet_language *language;
    struct text_out out;
    uint32_t charts; /* number of charts, which numbers their ids */
    bool in_section, folded;
};

extern const struct sheet_language sheet_html, sheet_markdown;

/* True if a table shows the column. */
static inline bool sheet_shows(const struct report_column *c)
{
    return !c->in || c->in >> REPORT_TABLE & 1;
}

/* Writes a column's heading; or its name with blanks, such as "relative risk" for "relative_risk".
 * Cuts it at SHEET_HEADING. Returns `text`. */
enum { SHEET_HEADING = 96 };
const char *sheet_heading(const struct report_column *c, char text[SHEET_HEADING]);

/* True if the cells are texts, which are aligned left. Numbers are aligned right. */
static inline bool sheet_is_text(const struct report_column *c)
{
    return c->type == REPORT_WORD || c->type == REPORT_NAME;
}

#endif
