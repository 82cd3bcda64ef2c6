/* kept_record.h -- packs records into bytes, so that they outlive their batch.
 *
 *     head | a cell for each column | raw, key, headers, name of the input, texts outside of raw
 *
 * A packed record has its columns, raw bytes, key, headers, event time, label, weight and origin. A
 * cell whose text lies within the raw bytes refers to them. Snapshots contain the same bytes.
 * Stages with expand use this to output records unchanged in a later batch. */
#ifndef LEAT_SHAPE_KEPT_RECORD_H
#define LEAT_SHAPE_KEPT_RECORD_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/window/held.h"

/* Called by the stage's negotiate. Declares that the output equals the input, and refuses
 * examples. */
int kept_negotiate(struct leat_negotiation *n);

/* Returns the smallest number of bytes of a packed record. */
uint32_t kept_least(const struct leat_schema *in);

/* Called by the stage's open. Allocates the memory of the records; the caller frees *block. Returns
 * LEAT_OK or an error of the run. */
int kept_open(struct leat_ctx *ctx, struct held *held, void **block, uint64_t budget);

/* Packs record r into `held`, with the sort key `key`. If the record is too long for `held`, or for
 * a batch like `out`, rejects the record and returns false. */
bool kept_take(struct leat_ctx *ctx, struct held *held, uint64_t key, struct leat_batch *b,
               uint32_t r, const struct leat_batch *out);

/* Moves the record with the smallest key from `held` to `out`. Returns false if `out` is full. */
bool kept_give(struct leat_ctx *ctx, struct held *held, struct leat_batch *out);

/* Saves all records in `held` as the arrays `keys` and `records`, in the order of arrival. */
int kept_save(struct held *held, struct leat_writer *w);
/* Replaces the records in `held` by the saved records, of which there may be at most max. If the
 * state is refused, changes nothing. */
int kept_restore(struct leat_ctx *ctx, struct held *held, struct leat_reader *r, uint64_t max);
/* Save the types and names of the input's columns in the snapshot, and compare them on restore. */
int kept_save_columns(const struct leat_ctx *ctx, struct leat_writer *w);
int kept_check_columns(struct leat_ctx *ctx, struct leat_reader *r);

#endif
