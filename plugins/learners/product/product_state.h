/* product_state.h -- the state of learn.product: written, read, merged.
 *
 * Only glue; plugins/kernels/product/product_state.c makes sketches of parts and sums of two. What
 * is read goes into a second model, which replaces the live one when nothing can fail any more.
 */
#ifndef LEAT_LEARNERS_PRODUCT_PRODUCT_STATE_H
#define LEAT_LEARNERS_PRODUCT_PRODUCT_STATE_H

#include "support/product_model.h"

enum { PRODUCT_STATE_VERSION = 1 };

int product_state_write(struct leat_ctx *ctx, const struct product_model *m, struct leat_writer *w);

/* *live becomes the model that was written. */
int product_state_restore(struct leat_ctx *ctx, const struct growing_cfg *c,
                          struct product_model **live, struct leat_reader *r);

/* The written model is added to *live, counting `count` times. *live changes only when the result
 * is LEAT_OK, or LEAT_ENONFINITE, which ends the run. */
int product_state_merge(struct leat_ctx *ctx, const struct growing_cfg *c,
                        struct product_model **live, struct leat_reader *r, double count);

#endif
