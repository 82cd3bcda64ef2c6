/* product.h -- learn.product: its instance, its state, and the features that a question names.
 *
 * Only glue; plugins/kernels/product/product_state.c makes sketches of parts and sums of two. What
 * is read goes into a second model, which replaces the live one when nothing can fail any more.
 */
#ifndef LEAT_LEARNERS_PRODUCT_PRODUCT_H
#define LEAT_LEARNERS_PRODUCT_PRODUCT_H

#include "common/learners/product_model.h"

enum { PRODUCT_STATE_VERSION = 2 };

/* The instance. Its configuration begins with struct growing_cfg. */
struct product_stage {
    struct product_model *model;
    uint32_t rows, sure; /* of the last answer; those further from 0 than the bound */
    double bound;
    bool empty;      /* nothing was left in the sketch */
    bool told_names; /* that no feature has the name that is asked for */
};

/* The calls of the stage. The model changes only when the result is LEAT_OK, or LEAT_ENONFINITE of
 * a merge, which ends the run. */
int product_state_write(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int product_state_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                          uint32_t version);
int product_state_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count);

/* Of_left and of_right of learn.product: the feature that a name asks for. */

/* The feature that is called `name`, or FEATURE_TABLE_NONE. */
uint32_t product_named(const struct growing *g, const char *name);

/* Names (left, right; NULL: none was given) that no feature of their side has are told, with what
 * may have been meant. true: there was one. */
bool product_named_tell(struct leat_ctx *ctx, const struct product_model *m,
                        const char *const name[2]);

#endif
