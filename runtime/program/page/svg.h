/* svg.h -- the pictures of a page: bars and ranks beside the rows of a table, and charts. Colours
 * come from the page's style; no picture needs them to be read. */
#ifndef LEAT_PROGRAM_PAGE_SVG_H
#define LEAT_PROGRAM_PAGE_SVG_H

#include "sheet.h"

/* A bar, or an interval, of one value. The number stands beside it, so readers by ear are not told
 * of the picture. */
void svg_bar(struct text_out *o, const struct sheet_bars *bars, const struct report_value *v);

/* The ranks of one row: high is a low rank, a gap is a moment without it. */
void svg_ranks(struct text_out *o, const struct sheet_ranks *ranks, uint32_t row);

/* A chart with axes, title and description; `number` makes its ids unique. */
void svg_chart(struct text_out *o, const struct sheet_chart *c, uint32_t number);

/* The sign of line number k, for a legend. */
void svg_sign(struct text_out *o, uint32_t k);

/* A number beside a scale, short: 150000 as 150k, 2000000 as 2M. */
void svg_number(struct text_out *o, double v);

/* printf into a text_out; at most 255 bytes. */
void svg_put(struct text_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
