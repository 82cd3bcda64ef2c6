/* kept_record.h -- records that outlive their batch: packed into bytes, and given in a later one.
 *
 *     head | a cell of each column | raw, key, headers, name of the input, text of other cells
 *
 * A packed record has its columns, raw bytes, key, headers, event time, label, weight and origin.
 * Cells within its raw bytes point there. Snapshots use the same bytes. For stages with expand that
 * pass records on unchanged. */
#ifndef LEAT_SHAPE_KEPT_RECORD_H
#define LEAT_SHAPE_KEPT_RECORD_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/window/held.h"

/* Declares, in negotiate, that the output equals the input. Refuses examples. */
int kept_negotiate(struct leat_negotiation *n);

/* Returns the least bytes of a record. */
uint32_t kept_least(const struct leat_schema *in);

/* Allocates the memory of the records, in open; the caller frees *block. Returns LEAT_OK or a
 * failure of the run. */
int kept_open(struct leat_ctx *ctx, struct held *held, void **block, uint64_t budget);

/* Packs record r into `held`. Returns false after rejecting a record that is too long for `held`,
 * or for a batch such as `out`. */
bool kept_take(struct leat_ctx *ctx, struct held *held, uint64_t key, struct leat_batch *b,
               uint32_t r, const struct leat_batch *out);

/* Outputs the first held record, and drops it. Returns false if the batch is full. */
bool kept_give(struct leat_ctx *ctx, struct held *held, struct leat_batch *out);

/* Saves all held records as the arrays `keys` and `records`, in the order of arrival. */
int kept_save(struct held *held, struct leat_writer *w);
/* Replaces the records in `held` by at most max saved ones. A refusal changes nothing. */
int kept_restore(struct leat_ctx *ctx, struct held *held, struct leat_reader *r, uint64_t max);
/* Save and check the columns of the records, in the same snapshot. */
int kept_save_columns(const struct leat_ctx *ctx, struct leat_writer *w);
int kept_check_columns(struct leat_ctx *ctx, struct leat_reader *r);

#endif
