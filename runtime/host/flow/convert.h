/* convert.h -- converts a column to another type (schema.h lists the conversions). */
#ifndef LEAT_HOST_FLOW_CONVERT_H
#define LEAT_HOST_FLOW_CONVERT_H

#include <leat/plugin.h>

#include "host/graph/column_type.h"

enum { CONVERT_TEXT = 40 }; /* bytes of a cell as text */

/* Fills column c->to of the selected records from c->from. A record whose value cannot be converted
 * is rejected through ctx->host, and its cell gets no value. The batch must have room for the
 * text. */
void convert_column(struct leat_ctx *ctx, const struct conversion *c, struct leat_batch *b);

/* Returns the text of a cell of any type: a slice of the batch, or written to `out`, without a NUL;
 * NULL if the cell has no value. */
const char *convert_cell(const struct leat_batch *b, uint32_t column, uint32_t type, uint32_t r,
                         char out[CONVERT_TEXT], size_t *n);

#endif
