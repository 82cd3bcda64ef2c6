/* reader_encoding.h -- is the text UTF-8, as all that follows takes it to be? */
#ifndef LEAT_SOURCES_FILE_READER_ENCODING_H
#define LEAT_SOURCES_FILE_READER_ENCODING_H

#include "reader_inside.h"

/* Text that was just read. What is not UTF-8 near the beginning of the first input is warned of,
 * once: such bytes are passed on as they are, and look wrong wherever they are shown. */
void reader_look_at_text(struct leat_ctx *ctx, struct reader *r, const char *bytes, size_t n);

/* At the beginning of an input: skips the byte order mark of UTF-8; fails at another's. */
enum reader_step reader_skip_mark(struct reader *r);

#endif
