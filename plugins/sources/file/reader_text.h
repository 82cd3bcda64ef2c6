/* reader_text.h -- text of the inputs into the window, one input after the other.
 *
 * A batch is full when it has its records or its bytes, whichever comes first, so its last read
 * would mostly have to be carried over: hence a window. It is small enough to stay in the
 * second-level cache, and one copy from there costs a tenth of reading it. It has max_record + 2
 * bytes, the most that framing asks for, and those of one more read. */
#ifndef LEAT_SOURCES_FILE_READER_TEXT_H
#define LEAT_SOURCES_FILE_READER_TEXT_H

#include "reader_inside.h"

enum { READER_READ_BYTES = 256 << 10 }; /* at a time */

/* Opens the next input, which is r->input, at its beginning; or that of the next pass. */
enum reader_step reader_begin_input(struct reader *r);

/* Reads more text after window[end); what is left of it moves to the window's beginning. With
 * `wait` it sleeps until there is some. */
enum reader_step reader_more_text(struct leat_ctx *ctx, struct reader *r, bool wait);

#endif
