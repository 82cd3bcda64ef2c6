/* header_values.h -- is the header of a file its first row? Then its names come as values of their
 * own columns below it. A row that is the header again, as in files that were joined, says nothing.
 */
#ifndef LEAT_PARSERS_HEADER_VALUES_H
#define LEAT_PARSERS_HEADER_VALUES_H

#include <leat/plugin.h>

enum { HEADER_VALUES_ROWS = 64 };

struct header_values {
    uint32_t rows; /* looked at                                            */
    uint64_t same; /* of the first 64 columns, those whose name came       */
};

/* The first rows that came, whose n columns begin at `first`. */
void header_values_look(struct header_values *v, const struct leat_ctx *ctx,
                        const struct leat_batch *b, uint32_t first, uint32_t n);

/* Warns if the header is probably a row. Once all came. */
void header_values_warn(const struct header_values *v, struct leat_ctx *ctx, uint32_t first,
                        uint32_t n);

#endif
