/* records.h -- copies records from the reader's window into a batch.
 *
 * framing.h finds the records in the window. They are copied together, with their line ends, so
 * within an extent the batch has the input's bytes unchanged. The offset and line of a record
 * follow from the offset and line of its extent. A record that is too long is skipped while it is
 * read; its first 256 bytes go to the dead letters.
 *
 * This module also has the regular expression that finds where a record of several lines begins,
 * and the check for UTF-8. */
#ifndef LEAT_SOURCES_FILE_RECORDS_H
#define LEAT_SOURCES_FILE_RECORDS_H

#include "reader.h"

/* Compiles the pattern `record_start` with PCRE2. Returns NULL with the reason in `why` if the
 * pattern is wrong; NULL with an empty `why` if there is no memory. */
struct multiline *multiline_new(const char *pattern, char why[256]);
void multiline_free(struct multiline *m);
/* True if a record begins at this line. A callback of framing_of_events(). It gives up, counts the
 * line and returns false if the pattern takes more than MULTILINE_STEPS, or too much memory. */
enum { MULTILINE_STEPS = 100000 }; /* steps of PCRE2, some 10 ns each */
bool multiline_begins(void *multiline, const char *line, size_t n);
/* Returns the number of lines for which matching was given up. Sets *first to the first such
 * line. */
uint64_t multiline_given_up(const struct multiline *m, const char **first);

/* Text in the reader's window: consecutive whole records with their line ends, or a header line. */
struct records_text {
    const char *text;
    size_t n;
    uint64_t line;                 /* line of text[0] */
    const struct leat_str *record; /* n_records slices; the first begins at text[0] */
    uint32_t n_records;
};
/* Warns, once, of the first byte that is not UTF-8. The text is not changed. If it has zero bytes,
 * too, the warning calls it binary data. */
void records_check_encoding(struct leat_ctx *ctx, struct reader *r, const struct records_text *t);

/* Skips the byte order mark of UTF-8 at the beginning of an input. Fails if the mark is of another
 * encoding. */
enum reader_step records_skip_mark(struct leat_ctx *ctx, struct reader *r);
/* Adds to the batch as many records as the window has and the batch can hold. */
enum reader_step records_take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);
/* Kinds of records: good, with a quote that is never closed, and too long. */
enum records_kind { RECORDS_GOOD, RECORDS_QUOTE, RECORDS_LONG };
/* Receives a record that begins at this position of the input. Returns false if it has no room. */
typedef bool records_found(void *to, uint64_t offset, uint64_t line, enum records_kind kind);
/* Passes over the records that the window has, and calls `found` for each. Copies nothing. */
enum reader_step records_pass(struct leat_ctx *ctx, struct reader *r, records_found *found,
                              void *to);
/* Skips the rest of a record that is too long. Once its end is found, rejects the record. */
enum reader_step records_take_long(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

/* Reject a record that is longer than `max` bytes, and one with a quote that is never closed. If
 * `cut`, the record has more than `len` bytes. */
void records_reject_long(struct leat_ctx *ctx, struct leat_batch *b, uint32_t record, bool cut,
                         uint64_t len, int64_t max);
void records_reject_quote(struct leat_ctx *ctx, struct leat_batch *b, uint32_t record);

/* Message for a file with more records than were counted. */
#define RECORDS_GREW "%s has grown while it was read, and shuffle needs a file that is complete"

#endif
