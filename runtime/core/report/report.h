/* report.h -- a report as a table, as JSON lines or as CSV.
 *
 * A report has a head, which is a few values for the whole report, and lists of rows in named
 * columns.
 *
 *   table   Title (model, 36,000 examples)         the head, in the parentheses
 *           #  weight  relative risk  feature      one list, aligned
 *           1   2.346          123.4  payee=ACME
 *   jsonl   {"learner":"model","examples":36000,"top":[{"feature":"payee=ACME","weight":2.346, …}]}
 *   csv     learner,examples,rank,feature,weight,relative_risk
 *           model,36000,1,payee=ACME,2.34567,123.4
 *
 * A column has the same name in all formats; a table shows "relative_risk" as "relative risk". A
 * column, a value of the head, or a list may be limited to some formats. A missing value (NaN, or a
 * NULL text) is "-" in a table, null in JSON and empty in CSV.
 *
 * A first pass over the rows formats all cells to find the widths, and stores nothing, so a report
 * of any length needs no memory. If a table is too wide for the terminal, headings take two lines;
 * if that is not enough, columns are dropped; at last names are cut in the middle.
 *
 * Plugins link this file too. It depends only on cell_text.c, text_out.c, byte_size.c and
 * core/time/utc.c. */
#ifndef LEAT_CORE_REPORT_REPORT_H
#define LEAT_CORE_REPORT_REPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "text_out.h"

enum report_format { REPORT_TABLE, REPORT_JSONL, REPORT_CSV };

/* Names of the formats, in the order of enum report_format, with a NULL at the end. */
extern const char *const report_formats[];

/* Formats in which a column, a value of the head or a list appears; 0: all. */
enum {
    REPORT_IN_TABLE = 1 << REPORT_TABLE,
    REPORT_IN_JSONL = 1 << REPORT_JSONL,
    REPORT_IN_CSV = 1 << REPORT_CSV,
    REPORT_IN_NONE = 1 << 8
};

enum report_type {
    REPORT_NUMBER, /* a number; decimals so that the column's largest value has four digits    */
    REPORT_SHARE,  /* a share, shown in per cent: 0.123 as 12.3 %; decimals like NUMBER        */
    REPORT_FIGURE, /* a number with four significant digits, whatever the other cells have     */
    REPORT_CHANCE, /* a number >= 0; a table shows it with two decimals, such as 0.16 or <0.01 */
    REPORT_COUNT,  /* an integer; a table shows it with commas, such as 1,234,567              */
    REPORT_BYTES,  /* a number of bytes; a table shows it with a unit, such as 35.9 MB         */
    REPORT_FLAG,   /* true or false                                                            */
    REPORT_TIME,   /* a time, as 2026-11-23T10:00:00Z; in a table as 2026-11-23 10:00:00 UTC   */
    REPORT_WORD,   /* a short text, left-aligned                                               */
    REPORT_NAME    /* a text of any length; a table has it last, cut to the terminal's width   */
};

struct report_column {
    const char *name;
    enum report_type type;
    unsigned in;
    const char *heading; /* in a table: the heading; NULL: the name, with blanks for underscores. In
                          * a table's title: the noun after the value, or the word before it for
                          * TIME; NULL: no noun */
    int decimals;        /* for NUMBER in a table; 0: computed from the values */
    size_t width;        /* minimum width in a table                           */
    uint8_t drop; /* order in which columns are dropped if the table is too wide for the terminal: 1
                   * is first; 0: never dropped */
};

/* A cell; the column's type decides which member holds it. */
struct report_value {
    double number;
    uint64_t count;
    int64_t time;     /* ns since 1970; below 0: missing */
    const char *text; /* NULL: missing */
    size_t len;
    /* For NUMBER, SHARE and FIGURE, if `ranged`: bounds of the number. A table shows the range
     * "3.1–3.4" if low and high differ, and "3.1–9.8 ?" if `wide`. */
    bool ranged, wide;
    double low, high;
};

static inline struct report_value report_number(double x)
{
    return (struct report_value){.number = x};
}

static inline struct report_value report_count(uint64_t n)
{
    return (struct report_value){.count = n};
}

static inline struct report_value report_time(int64_t ns)
{
    return (struct report_value){.time = ns};
}

static inline struct report_value report_text(const char *s, size_t n)
{
    return (struct report_value){.text = s, .len = n};
}

static inline struct report_value report_word(const char *s) { return report_text(s, strlen(s)); }

/* The head of a report: values for the whole report. They are members of the object in JSON, and
 * the first columns in CSV. */
enum { REPORT_MAX_HEAD = 24 };

struct report_head {
    uint32_t n;
    struct report_column column[REPORT_MAX_HEAD];
    struct report_value value[REPORT_MAX_HEAD];
};

/* Appends a value; the head must have fewer than REPORT_MAX_HEAD values. */
void report_head_add(struct report_head *h, struct report_column c, struct report_value v);

enum { REPORT_MAX_COLUMNS = 64 };

struct report_list {
    const char
        *name; /* name of the array in JSON; NULL: each row is an object with the head's members */
    unsigned in;
    const struct report_column *column;
    uint32_t n_columns, n_rows;
    /* Returns the value of a cell; `of` is the member `of`. May be called several times for the
     * same cell. */
    struct report_value (*cell)(const void *of, uint32_t row, uint32_t column);
    const void *of;
};

struct report {
    struct text_out *out;
    enum report_format format;
    bool headed;       /* CSV: the heading is written. Table: this is not the first report      */
    size_t terminal;   /* width of the terminal that shows the table; 0: names are never cut    */
    const char *title; /* title of a table; NULL: none, and only the first report has a heading */
    const char *noun;  /* noun after the number of examples in the title; NULL: "examples"      */
    const struct report_head *head;
    uint32_t lists; /* number of lists written in this report              */
    bool open;      /* JSON: the object's closing brace is not written yet */
};

/* To write a report, call report_begin, then report_rows for each list, then report_end. The head
 * (or NULL) must stay valid until report_end. The struct can be used again for the next report.
 * Write errors are in out->failed. */
void report_begin(struct report *r, const struct report_head *head);
void report_rows(struct report *r, const struct report_list *list);
void report_end(struct report *r);

#endif
