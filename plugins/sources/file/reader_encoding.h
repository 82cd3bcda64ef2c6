/* reader_encoding.h -- is the text as what follows takes it to be: UTF-8, and quick to search? */
#ifndef LEAT_SOURCES_FILE_READER_ENCODING_H
#define LEAT_SOURCES_FILE_READER_ENCODING_H

#include "reader_inside.h"

/* Text that is delivered: whole records with their line ends, which follow each other, or a header,
 * which is no record. */
struct reader_text {
    const char *text;
    size_t n;
    uint64_t line;                 /* of its first byte                         */
    const struct leat_str *record; /* n_records; the first begins at text[0]    */
    uint32_t n_records;
};

/* Warns, once, of the first byte that is not UTF-8: such bytes are passed on as they are. What has
 * zero bytes is no text, and not warned of. */
void reader_look_at_text(struct leat_ctx *ctx, struct reader *r, const struct reader_text *t);

/* Warns, once, of the first line on which record_start was given up (start.h): of those that were
 * looked at since the text of `t` began. */
void reader_look_at_starts(struct leat_ctx *ctx, struct reader *r, const struct reader_text *t);

/* At the beginning of an input: skips the byte order mark of UTF-8; fails at another's. */
enum reader_step reader_skip_mark(struct leat_ctx *ctx, struct reader *r);

#endif
