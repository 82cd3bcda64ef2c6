/* svg.h -- the pictures of a page: bars and ranks in the rows of a table, and charts.
 *
 * Colours come from the page's style. Every picture can be understood without colours. */
#ifndef LEAT_PROGRAM_PAGE_SVG_H
#define LEAT_PROGRAM_PAGE_SVG_H

#include "sheet.h"

/* Draws the bar of a value, or its interval. Screen readers skip it, because the number is next to
 * it. */
void svg_bar(struct text_out *o, const struct sheet_bars *bars, const struct report_value *v);

/* Draws the ranks of one row over time. Rank 1 is at the top. A gap means that the row was
 * absent. */
void svg_ranks(struct text_out *o, const struct sheet_ranks *ranks, uint32_t row);

/* Draws a chart with axes, title and description. `number` makes its ids unique on the page. */
void svg_chart(struct text_out *o, const struct sheet_chart *c, uint32_t number);

/* Draws upright bars with axes, title and description. */
void svg_columns(struct text_out *o, const struct sheet_columns *c, uint32_t number);

/* Draws the marker of line k, for a legend. */
void svg_sign(struct text_out *o, uint32_t k);

/* Writes a number for an axis in short form: 150000 as 150k, 2000000 as 2M. */
void svg_number(struct text_out *o, double v);

/* Prints into a text_out like printf, at most 255 bytes. */
void svg_put(struct text_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
