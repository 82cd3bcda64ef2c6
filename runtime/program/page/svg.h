/* svg.h -- the pictures of a page: bars and ranks next to the rows of a table, and charts.
 *
 * Colours come from the page's style; every picture can be read without them. */
#ifndef LEAT_PROGRAM_PAGE_SVG_H
#define LEAT_PROGRAM_PAGE_SVG_H

#include "sheet.h"

/* Draws a bar, or an interval, for one value. It is hidden from screen readers, because the number
 * stands next to it. */
void svg_bar(struct text_out *o, const struct sheet_bars *bars, const struct report_value *v);

/* Draws the ranks of one row. A low rank is high up; a gap is a moment without a rank. */
void svg_ranks(struct text_out *o, const struct sheet_ranks *ranks, uint32_t row);

/* Draws a chart with axes, title and description; `number` makes its ids unique. */
void svg_chart(struct text_out *o, const struct sheet_chart *c, uint32_t number);

/* Draws the sign of line number k, for a legend. */
void svg_sign(struct text_out *o, uint32_t k);

/* Writes a number for a scale, shortened: 150000 as 150k, 2000000 as 2M. */
void svg_number(struct text_out *o, double v);

/* Prints into a text_out like printf, at most 255 bytes. */
void svg_put(struct text_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
