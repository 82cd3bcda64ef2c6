/* cell_text.h -- text of a cell in a report for people, on terminals and pages alike. */
#ifndef LEAT_CORE_REPORT_CELL_TEXT_H
#define LEAT_CORE_REPORT_CELL_TEXT_H

#include "report.h"

enum { CELL_TEXT = 96 }; /* no number, time or size is longer */

/* Format of a column's cells, which aligns their digits. */
struct cell_style {
    bool whole;   /* integers, in groups of three                            */
    int decimals; /* otherwise; -1: exponents, for too large or small values */
    size_t cells; /* widest cell of numbers and words, in columns            */
};

/* Derives the style from the values of column `c` in all rows. */
struct cell_style cell_style_of(const struct report_list *l, uint32_t c);

/* Returns the text of a cell: a text unchanged, a number formatted into `buf`; "-" if missing. */
struct report_value cell_text(const struct report_column *c, const struct cell_style *s,
                              struct report_value v, char buf[CELL_TEXT]);

/* Returns the column's heading in a table: its `heading`, or its name. */
const char *cell_heading(const struct report_column *c);

#endif
