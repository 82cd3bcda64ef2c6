/* escape.h -- escapes any text for a page, so that it is shown and has no effect.
 *
 * Characters that affect others (utf8_acts: controls, direction marks) are shown as their codes,
 * such as [U+202E]. Bytes that are not UTF-8 become U+FFFD. A text longer than ESCAPE_LONGEST
 * columns loses its middle, as in tables on a terminal. */
#ifndef LEAT_PROGRAM_PAGE_ESCAPE_H
#define LEAT_PROGRAM_PAGE_ESCAPE_H

#include "core/report/text_out.h"

enum { ESCAPE_LONGEST = 400 };

/* Escapes text for an element or a quoted attribute of HTML and SVG. */
void escape_html(struct text_out *o, const char *s, size_t n);
/* Escapes text for a line of Markdown, or for a cell of a Markdown table. */
void escape_markdown(struct text_out *o, const char *s, size_t n);

#endif
