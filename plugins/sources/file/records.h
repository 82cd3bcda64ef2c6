/* records.h -- copies records from the reader's window into a batch.
 *
 * framing.h finds the records in the window. One copy takes them with their line ends, so within an
 * extent the batch has the input's bytes unchanged. Offset and line of a record follow from those
 * of its extent. A record that is too long is skipped while it is read; its first 256 bytes go to
 * the dead letters.
 *
 * This module also has the regular expression that says where records of several lines begin, and
 * the check for UTF-8. */
#ifndef LEAT_SOURCES_FILE_RECORDS_H
#define LEAT_SOURCES_FILE_RECORDS_H

#include "reader.h"

/* Compiles `record_start` (PCRE2). Returns NULL with the reason in `why` if the pattern is wrong;
 * NULL with an empty `why` if there is no memory. */
struct multiline *multiline_new(const char *pattern, char why[256]);
void multiline_free(struct multiline *m);
/* True if a record begins at this line, for framing_of_events. A line on which the pattern takes
 * more than MULTILINE_STEPS, or too much memory, begins no record; it is counted. */
enum { MULTILINE_STEPS = 100000 }; /* PCRE2's steps, some 10 ns each */
bool multiline_begins(void *multiline, const char *line, size_t n);
/* Returns how many lines were counted. *first points to the first of them. */
uint64_t multiline_given_up(const struct multiline *m, const char **first);

/* Text to deliver: consecutive whole records with their line ends; or a header, which is no
 * record. */
struct records_text {
    const char *text;
    size_t n;
    uint64_t line;                 /* of text[0] */
    const struct leat_str *record; /* n_records; the first begins at text[0] */
    uint32_t n_records;
};
/* Warns, once, of the first byte that is not UTF-8. It changes no bytes. Text with zero bytes is
 * taken for binary data, and gets no warning. */
void records_check_encoding(struct leat_ctx *ctx, struct reader *r, const struct records_text *t);

/* Skips the byte order mark of UTF-8 at the beginning of an input. Fails at another encoding's
 * mark. */
enum reader_step records_skip_mark(struct leat_ctx *ctx, struct reader *r);
/* Takes as many records as the window has and the batch can hold. */
enum reader_step records_take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);
/* Skips the rest of a record that is too long, then rejects the record. */
enum reader_step records_take_long(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

#endif
