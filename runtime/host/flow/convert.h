/* convert.h -- converts a column to another type (schema.h lists the conversions). */
#ifndef LEAT_HOST_FLOW_CONVERT_H
#define LEAT_HOST_FLOW_CONVERT_H

#include <leat/plugin.h>

#include "host/graph/column_type.h"

enum { CONVERT_TEXT = 40 }; /* room for a number, time or boolean as text */

/* Fills column c->to for the selected records, by converting column c->from. If a value cannot be
 * converted, rejects the record through ctx->host and leaves the cell empty. The batch must have
 * room for the text. */
void convert_column(struct leat_ctx *ctx, const struct conversion *c, struct leat_batch *b);

/* Returns the value of a cell of any type as text of *n bytes without a NUL; NULL if the cell has
 * no value. Text cells return their slice of the batch; other types are written to `out`. */
const char *convert_cell(const struct leat_batch *b, uint32_t column, uint32_t type, uint32_t r,
                         char out[CONVERT_TEXT], size_t *n);

#endif
