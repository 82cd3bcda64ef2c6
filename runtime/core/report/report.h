/* report.h -- a report as a table, as JSON lines or as CSV.
 *
 * A report has a head, a few values that hold for all of it, and lists of rows in named columns.
 *
 *   table   Title (model, 36,000 examples)         the head, in the parentheses
 *           #  weight  relative risk  feature      one list, aligned
 *           1   2.346          123.4  payee=ACME
 *   jsonl   {"learner":"model","examples":36000,"top":[{"feature":"payee=ACME","weight":2.346, …}]}
 *   csv     learner,examples,rank,feature,weight,relative_risk
 *           model,36000,1,payee=ACME,2.34567,123.4
 *
 * A column has one name in all three formats; a table shows "relative_risk" as "relative risk".
 * Some formats may leave out a column, a value of the head, or a list. A missing value (NaN, a text
 * of NULL) is "-" in a table, null in JSON and nothing in CSV.
 *
 * Widths come from a first pass over the rows, which formats everything and stores nothing. So any
 * number of rows needs no memory. If a terminal is too narrow, headings take two lines, then
 * columns are dropped, then names are cut in the middle.
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

/* Names of the formats in that order, ended by NULL. */
extern const char *const report_formats[];

/* Formats in which a column, a value of the head or a list appears; 0: all. */
enum {
    REPORT_IN_TABLE = 1 << REPORT_TABLE,
    REPORT_IN_JSONL = 1 << REPORT_JSONL,
    REPORT_IN_CSV = 1 << REPORT_CSV,
    REPORT_IN_NONE = 1 << 8
};

enum report_type {
    REPORT_NUMBER, /* in a table all have the decimals that give the largest four digits */
    REPORT_SHARE,  /* decimals like NUMBER, in per cent: 0.123 is 12.3 %                 */
    REPORT_FIGURE, /* a number with its own decimals                                     */
    REPORT_CHANCE, /* at least 0; in a table with two decimals: 0.16, <0.01              */
    REPORT_COUNT,  /* an integer: 1,234,567 in a table                                   */
    REPORT_BYTES,  /* a number of bytes: 35.9 MB in a table                              */
    REPORT_FLAG,   /* true or false                                                      */
    REPORT_TIME,   /* in UTC: 2026-11-23T10:00:00Z; in a table 2026-11-23 10:00:00 UTC   */
    REPORT_WORD,   /* a short text, left-aligned                                         */
    REPORT_NAME    /* a text of any length, last in a table: a terminal's width cuts it  */
};

struct report_column {
    const char *name;
    enum report_type type;
    unsigned in;
    const char *heading; /* heading in a table; NULL: the name, with blanks for underscores. In a
                          * table's title: the noun after the value (for TIME the word before it);
                          * NULL: the value alone */
    int decimals;        /* NUMBER in a table: number of decimals; 0: by the values */
    size_t width;        /* minimum width in a table                                */
    uint8_t drop; /* 1, 2, …: a table too wide for its terminal drops these columns, in this
                   * order; 0: never */
};

/* A cell; the column's type decides which member holds it. */
struct report_value {
    double number;
    uint64_t count;
    int64_t time;     /* ns since 1970; below 0: missing */
    const char *text; /* NULL: missing */
    size_t len;
    /* NUMBER, SHARE, FIGURE: the number is between these two. A table shows the range if they
     * differ: "3.1–3.4"; if wide: "3.1–9.8 ?" */
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

/* Values for all rows: members of the object in JSON, first columns in CSV. */
enum { REPORT_MAX_HEAD = 24 };

struct report_head {
    uint32_t n;
    struct report_column column[REPORT_MAX_HEAD];
    struct report_value value[REPORT_MAX_HEAD];
};

/* Appends a value; at most REPORT_MAX_HEAD. */
void report_head_add(struct report_head *h, struct report_column c, struct report_value v);

enum { REPORT_MAX_COLUMNS = 64 };

struct report_list {
    const char
        *name; /* name of the array in JSON; NULL: each row is an object with the head's members */
    unsigned in;
    const struct report_column *column;
    uint32_t n_columns, n_rows;
    /* Returns the value of a cell; may be called more than once for a cell. `of` is the member
     * below. */
    struct report_value (*cell)(const void *of, uint32_t row, uint32_t column);
    const void *of;
};

struct report {
    struct text_out *out;
    enum report_format format;
    bool headed;       /* CSV: the heading is already written; table: another report is above this
                        * one */
    size_t terminal;   /* columns of the terminal that shows the table; 0: names are never cut */
    const char *title; /* title of a table; NULL: none, and one heading for all reports        */
    const char *noun;  /* noun for the count `examples` in the title; NULL: examples           */
    const struct report_head *head;
    uint32_t lists; /* lists of this report so far    */
    bool open;      /* JSON: the object is still open */
};

/* Write a report: report_begin, report_rows for each list, report_end. The head (NULL: none) must
 * live until the end. The struct can be reused for the next report. Write errors: out->failed. */
void report_begin(struct report *r, const struct report_head *head);
void report_rows(struct report *r, const struct report_list *list);
void report_end(struct report *r);

#endif
