/* report.h -- a report: a few values that hold for all of it (its head) and lists of rows in named
 * columns, written as a table for people, as JSON lines or as CSV.
 *
 *   table   Title (model, 36,000 examples)         the head, in the parentheses
 *           #  weight  relative risk  feature      one list, aligned
 *           1   2.346          123.4  payee=ACME
 *   jsonl   {"learner":"model","examples":36000,"top":[{"feature":"payee=ACME","weight":2.346, …}]}
 *   csv     learner,examples,rank,feature,weight,relative_risk
 *           model,36000,1,payee=ACME,2.34567,123.4
 *
 * A column has one name in all three formats; a table shows "relative_risk" as "relative risk". A
 * column or a value of the head can be left out of some formats, and so can a list. A missing value
 * (NaN, a text of NULL) is "-" in a table, null in JSON and nothing in CSV.
 *
 * Widths come from a first pass over the rows, which formats everything and keeps nothing: no
 * memory is needed, whatever the number of rows. Where a terminal is too narrow, headings take two
 * lines, then columns are left out, then names are cut in the middle.
 *
 * Plugins link this file too: it depends on cell_text.c, text_out.c, byte_size.c and
 * base/time/utc.c and nothing else of the project. */
#ifndef LEAT_CORE_REPORT_REPORT_H
#define LEAT_CORE_REPORT_REPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "text_out.h"

enum report_format { REPORT_TABLE, REPORT_JSONL, REPORT_CSV };

/* The formats' names in that order, ended by NULL. */
extern const char *const report_formats[];

/* In which formats a column, a value of the head or a list appears; 0 means all of them. */
enum {
    REPORT_IN_TABLE = 1 << REPORT_TABLE,
    REPORT_IN_JSONL = 1 << REPORT_JSONL,
    REPORT_IN_CSV = 1 << REPORT_CSV,
    REPORT_IN_NONE = 1 << 8
};

enum report_type {
    REPORT_NUMBER, /* in a table with the same decimals for all: four digits for the largest */
    REPORT_SHARE,  /* likewise, in per cent: 0.123 is 12.3 %           */
    REPORT_FIGURE, /* a number with decimals of its own                */
    REPORT_CHANCE, /* at least 0; in a table with two decimals: 0.16, <0.01 */
    REPORT_COUNT,  /* an integer: 1,234,567 in a table                 */
    REPORT_BYTES,  /* a number of bytes: 35.9 MB in a table            */
    REPORT_FLAG,   /* true or false                                    */
    REPORT_TIME,   /* a moment, in UTC: 2026-11-23T10:00:00Z; in a table 2026-11-23 10:00:00 UTC */
    REPORT_WORD,   /* a short text, left-aligned                       */
    REPORT_NAME    /* a text of any length, last in a table: a terminal's width cuts it */
};

struct report_column {
    const char *name;
    enum report_type type;
    unsigned in;
    const char *heading; /* of a table; NULL: the name, with blanks for underscores. In the title of
                          * a table: the noun that follows the value (the word before it, of
                          * TIME); NULL: the value alone */
    int decimals;        /* NUMBER, in a table: their number; 0: as the values need */
    size_t width;        /* in a table: the minimum                                 */
    uint8_t drop;        /* 1, 2, …: a table that is too wide for its terminal leaves out these
                          * columns, in this order; 0: never */
};

/* A cell: the member that the column's type asks for. */
struct report_value {
    double number;
    uint64_t count;
    int64_t time;     /* ns since 1970; below 0: missing */
    const char *text; /* NULL: missing */
    size_t len;
    /* NUMBER, SHARE, FIGURE, in a table: the number is known to be between these, and shown as such
     * where they differ: "3.1–3.4"; wide: "3.1–9.8 ?" */
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

/* Values that hold for all rows: members of the object in JSON, first columns in CSV. */
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
        *name; /* of the array in JSON; NULL: each row is an object with the head's members */
    unsigned in;
    const struct report_column *column;
    uint32_t n_columns, n_rows;
    /* Returns the value of a cell; `of` is the member below. Called more than once for a cell. */
    struct report_value (*cell)(const void *of, uint32_t row, uint32_t column);
    const void *of;
};

struct report {
    struct text_out *out;
    enum report_format format;
    bool headed;       /* CSV: the heading is already written; table: a report is above this one */
    size_t terminal;   /* columns of the terminal that shows the table; 0: names are never cut */
    const char *title; /* of a table; NULL: none, and one heading for all reports              */
    const char *noun;  /* of the count `examples` in the title; NULL: examples                 */
    const struct report_head *head;
    uint32_t lists; /* of this report, so far        */
    bool open;      /* JSON: the object is not ended */
};

/* report_begin, report_rows for each list, report_end. The head (NULL: none) must live until the
 * end. The same struct serves the next report. Write errors: out->failed. */
void report_begin(struct report *r, const struct report_head *head);
void report_rows(struct report *r, const struct report_list *list);
void report_end(struct report *r);

#endif
