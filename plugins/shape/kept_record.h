/* kept_record.h -- records that outlive their batch: packed into bytes, and given in a later one.
 *
 *     head | a cell of each column | raw, key, headers, name of the input, text of other cells
 *
 * What a record has goes with it: columns, raw bytes, key, headers, event time, label, weight, and
 * where it came from. Cells that lie in its raw bytes point there. The bytes are a snapshot's, too.
 * For stages with expand that pass records on as they are. */
#ifndef LEAT_SHAPE_KEPT_RECORD_H
#define LEAT_SHAPE_KEPT_RECORD_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/window/held.h"

/* In negotiate: what comes is what goes out, but for examples, which are refused. */
int kept_negotiate(struct leat_negotiation *n);

/* The least bytes of a record. */
uint32_t kept_least(const struct leat_schema *in);

/* In open: memory for them, *block, to be freed by the caller. LEAT_OK or a failure of the run. */
int kept_open(struct leat_ctx *ctx, struct held *held, void **block, uint64_t budget);

/* A place of record r among those that are held. false: it is rejected, as it is too long for
 * `held`, or for a batch such as `out`. */
bool kept_take(struct leat_ctx *ctx, struct held *held, uint64_t key, struct leat_batch *b,
               uint32_t r, const struct leat_batch *out);

/* Gives the first of those that are held, and drops it. false: the batch is full. */
bool kept_give(struct leat_ctx *ctx, struct held *held, struct leat_batch *out);

/* All that are held as the arrays `keys` and `records`, in the order in which they came. */
int kept_save(struct held *held, struct leat_writer *w);
/* Into `held`, in place of what it holds; max records at most. A refusal changes nothing. */
int kept_restore(struct leat_ctx *ctx, struct held *held, struct leat_reader *r, uint64_t max);
/* A snapshot's other part: the columns that the records have. */
int kept_save_columns(const struct leat_ctx *ctx, struct leat_writer *w);
int kept_check_columns(struct leat_ctx *ctx, struct leat_reader *r);

#endif
