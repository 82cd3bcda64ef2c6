/* csv_warnings.h -- what parse.csv and parse.tsv note while they read, and warn of at the end. */
#ifndef LEAT_PARSERS_CSV_CSV_WARNINGS_H
#define LEAT_PARSERS_CSV_CSV_WARNINGS_H

#include <stdint.h>

#include <leat/plugin.h>

#include "kernels/text/csv.h"

enum { CSV_HEADER_ROWS = 64 };

struct csv_header_values {
    uint32_t rows; /* number of rows checked */
    uint64_t same; /* bit i: the name of column i has recurred as a value (first 64 columns) */
};

/* Looks for names as values in the first rows, whose n columns begin at column `first` of the
 * batch. */
void csv_header_look(struct csv_header_values *v, const struct leat_ctx *ctx,
                     const struct leat_batch *b, uint32_t first, uint32_t n);
/* Warns if the header is probably a row. */
void csv_header_warn(const struct csv_header_values *v, struct leat_ctx *ctx, uint32_t first,
                     uint32_t n);

enum { CSV_OTHER_BYTES = 40 }; /* most bytes of a text that is kept for a message */

/* Texts with a backslash that begins no escape: the file may have no escapes. */
struct csv_other {
    uint64_t n;
    uint32_t column, len;       /* of the first one: its column, and the length of `text` */
    char text[CSV_OTHER_BYTES]; /* from the backslash on, or from before it if the text is short */
};

/* Counts a text of a column, counted from the parser's first one. Its backslash at offset `at`
 * begins no escape. */
void csv_other_note(struct csv_other *o, uint32_t column, const char *text, uint32_t len,
                    uint32_t at);
/* Adds those of another lane. */
void csv_other_add(struct csv_other *to, const struct csv_other *o);
/* Warns of them, if there are any. first: the parser's first column. */
void csv_other_warn(const struct csv_other *o, struct leat_ctx *ctx, uint32_t first);

/* Records of several lines, each of which has all fields if quotes are text. */
struct csv_swallowed {
    uint64_t n, lines;          /* records, and their lines */
    uint32_t len;               /* of `text` */
    char text[CSV_OTHER_BYTES]; /* beginning of the first one */
};

/* Counts the record text[0, len) if each of its lines has n_fields fields. */
void csv_swallowed_look(struct csv_swallowed *s, const struct csv_dialect *d, const char *text,
                        uint32_t len, uint32_t n_fields);
void csv_swallowed_add(struct csv_swallowed *to, const struct csv_swallowed *s);
void csv_swallowed_warn(const struct csv_swallowed *s, struct leat_ctx *ctx);

#endif
