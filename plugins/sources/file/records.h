/* records.h -- records from the reader's window into a batch.
 *
 * Records are found in the window (framing.h) and copied in one piece, with their line ends: within
 * an extent the batch has the input's bytes as they are, and offset and line of a record follow
 * from those of the extent. Records that are too long are skipped while they are read; 256 bytes of
 * each are kept for the dead letters.
 *
 * Here, too: a regular expression that says where records of several lines begin, and whether the
 * text is UTF-8. */
#ifndef LEAT_SOURCES_FILE_RECORDS_H
#define LEAT_SOURCES_FILE_RECORDS_H

#include "reader.h"

/* Compiles `record_start` (PCRE2). Returns NULL with the reason in `why` if the pattern is wrong;
 * NULL with an empty `why` if there is no memory. */
struct multiline *multiline_new(const char *pattern, char why[256]);
void multiline_free(struct multiline *m);
/* True if a record begins at this line, as framing_of_events asks. A line on which the pattern
 * takes more than MULTILINE_STEPS, or too much memory, begins no record, and is counted. */
enum { MULTILINE_STEPS = 100000 }; /* of PCRE2, some 10 ns each */
bool multiline_begins(void *multiline, const char *line, size_t n);
/* Returns how many lines were counted so. *first: where the first of them begins. */
uint64_t multiline_given_up(const struct multiline *m, const char **first);

/* Text that is delivered: whole records with their line ends, which follow each other; or a header,
 * which is not a record. */
struct records_text {
    const char *text;
    size_t n;
    uint64_t line;                 /* of its first byte                         */
    const struct leat_str *record; /* n_records; the first begins at text[0]    */
    uint32_t n_records;
};
/* Warns, once, of the first byte that is not UTF-8; such bytes are passed on unchanged. Data with
 * zero bytes are not text, and not warned of. */
void records_check_encoding(struct leat_ctx *ctx, struct reader *r, const struct records_text *t);

/* At the beginning of an input: skips the byte order mark of UTF-8; fails at another's. */
enum reader_step records_skip_mark(struct leat_ctx *ctx, struct reader *r);
/* Takes as many records as are there and fit. */
enum reader_step records_take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);
/* Takes the rest of a record that is too long, and then rejects it. */
enum reader_step records_take_long(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

#endif
