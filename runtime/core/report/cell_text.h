/* cell_text.h -- the text of a cell in a report for people, as report.h describes its types; the
 * columns of terminals and of pages are written alike. */
#ifndef LEAT_CORE_REPORT_CELL_TEXT_H
#define LEAT_CORE_REPORT_CELL_TEXT_H

#include "report.h"

enum { CELL_TEXT = 96 }; /* no number, moment or size is longer */

/* How the cells of a column are written, so that their digits stand below each other. */
struct cell_style {
    bool whole;   /* integers, in groups of three                      */
    int decimals; /* otherwise; -1: too large or small, with exponent  */
    size_t cells; /* the widest cell that is no name, in columns       */
};

/* From the values of the column `c` in all rows. */
struct cell_style cell_style_of(const struct report_list *l, uint32_t c);

/* Returns the text of a cell: a text as it is, a number formatted into `buf`; "-" if it is
 * missing. */
struct report_value cell_text(const struct report_column *c, const struct cell_style *s,
                              struct report_value v, char buf[CELL_TEXT]);

/* Its heading in a table: what is given, or the name. */
const char *cell_heading(const struct report_column *c);

#endif
