/* harness_columns.h -- columns as the stage in a harness sees them: those that it has asked for, in
 * types that it takes (runtime/host/graph/stage_columns.h). All others are NULL during its calls. */
#ifndef LEAT_SDK_HARNESS_HARNESS_COLUMNS_H
#define LEAT_SDK_HARNESS_HARNESS_COLUMNS_H

#include "harness_inside.h"

/* Nothing is asked for; converted columns begin at `first`. */
void harness_columns_begin(struct harness *h, uint32_t first);
/* leat_negotiation.column, leat_host.column. */
int harness_columns_ask(struct leat_negotiation *n, struct harness *h, const char *param,
                        const char *name, uint32_t types, uint32_t *index);
/* harness_discover: the column comes to be, of a type that the stage takes; negotiation begins
 * again. */
int harness_columns_make(struct harness *h, const char *name, uint32_t types, uint32_t *index);
int harness_columns_find(struct leat_ctx *ctx, struct harness *h, const char *name, uint32_t types,
                         uint32_t *index);
/* How many a batch has that is to go through the stage. */
uint32_t harness_columns_room(const struct harness *h);
/* Bytes that the conversions add to a record. */
uint32_t harness_columns_bytes(const struct harness *h);
/* Around a call on h->b. Returns the columns that the batch has again afterwards. */
union leat_cells *harness_columns_show(struct harness *h);

#endif
