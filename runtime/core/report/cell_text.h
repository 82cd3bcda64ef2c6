/* cell_text.h -- text of a cell in a report for people, on terminals and web pages. */
#ifndef LEAT_CORE_REPORT_CELL_TEXT_H
#define LEAT_CORE_REPORT_CELL_TEXT_H

#include "report.h"

enum { CELL_TEXT = 96 }; /* room for any number, time or size */

/* Common format of the cells of a column, so that their digits align. */
struct cell_style {
    bool whole;   /* integers, with digits in groups of three                                   */
    int decimals; /* used unless `whole`; -1: exponents, because values are very large or small */
    size_t cells; /* width of the widest cell on a terminal, in characters; not for names       */
};

/* Returns the style that fits the values of column c in all rows. */
struct cell_style cell_style_of(const struct report_list *l, uint32_t c);

/* Returns the text of a cell: v itself if it is a text, otherwise v formatted into `buf`; "-" if v
 * is missing. */
struct report_value cell_text(const struct report_column *c, const struct cell_style *s,
                              struct report_value v, char buf[CELL_TEXT]);

/* Returns the column's heading in a table: its `heading`, or its name. */
const char *cell_heading(const struct report_column *c);

#endif
