/* sheet.h -- what a page is written with: headings, sentences, tables and charts, in a language
 * (HTML, Markdown) that the parts of a page do not see.
 *
 * Texts are UTF-8 of any content; a language escapes them. Nothing is kept after a call. */
#ifndef LEAT_PROGRAM_PAGE_SHEET_H
#define LEAT_PROGRAM_PAGE_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "core/report/report.h"
#include "core/report/text_out.h"

struct sheet;

enum sheet_tone { SHEET_PLAIN, SHEET_NOTE, SHEET_WARNING };

/* Pictures of a column, after it: a bar from `zero` to the number, with the interval low to high of
 * values that have one. */
struct sheet_bars {
    uint32_t column;
    double from, to; /* what the width of a cell stands for; > 0 on a logarithmic scale */
    double zero;     /* where "no difference" is; NaN: nowhere                          */
    bool logarithmic;
};

/* A picture of each row, last: its rank at each of n moments. 0 if it had none. */
struct sheet_ranks {
    uint32_t n, worst;
    uint32_t (*rank)(const void *of, uint32_t row, uint32_t moment);
    const void *of;
};

struct sheet_table {
    const struct report_list *list; /* columns that are in REPORT_TABLE */
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
    const char *title, *says; /* says: what the picture shows, in words */
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
    void (*fold)(struct sheet *, const char *what); /* what follows is for those who open it … */
    void (*unfold)(struct sheet *);                 /* … up to here */
};

struct sheet {
    const struct sheet_language *language;
    struct text_out out;
    uint32_t charts; /* so far: each has a number for its ids */
    bool in_section, folded;
};

extern const struct sheet_language sheet_html, sheet_markdown;

/* The columns of a list that a table shows. */
static inline bool sheet_shows(const struct report_column *c)
{
    return !c->in || c->in >> REPORT_TABLE & 1;
}

/* "relative_risk" -> "relative risk", of a name and not of a heading; cut at SHEET_HEADING. Returns
 * `text`. */
enum { SHEET_HEADING = 96 };
const char *sheet_heading(const struct report_column *c, char text[SHEET_HEADING]);

/* Are its cells texts, which begin together? Numbers end together. */
static inline bool sheet_is_text(const struct report_column *c)
{
    return c->type == REPORT_WORD || c->type == REPORT_NAME;
}

#endif
