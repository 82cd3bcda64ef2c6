/* product.h -- learn.product: its instance, its state, and the features that a question names.
 *
 * plugins/kernels/product/product_state.c makes sketches from parts, and merges two. A state is
 * read into a second model, which replaces the live one when nothing can fail any more.
 */
#ifndef LEAT_LEARNERS_PRODUCT_PRODUCT_H
#define LEAT_LEARNERS_PRODUCT_PRODUCT_H

#include "common/learners/product_model.h"

enum { PRODUCT_STATE_VERSION = 2 };

/* Instance of the stage. Its configuration begins with struct growing_cfg. */
struct product_stage {
    struct product_model *model;
    uint32_t rows, sure; /* rows of the last answer; rows of it further from 0 than the bound */
    double bound;
    bool empty;      /* nothing was left in the sketch */
    bool told_names; /* the log has said that no feature has the requested name */
};

/* Calls of the stage. The model changes only if the result is LEAT_OK, or LEAT_ENONFINITE of a
 * merge, which ends the run. */
int product_state_write(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int product_state_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                          uint32_t version);
int product_state_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count);

/* of_left and of_right of learn.product: features by name. */

/* Returns the feature named `name`, or FEATURE_TABLE_NONE. */
uint32_t product_named(const struct growing *g, const char *name);

/* Warns of each name (left, right; NULL: not set) that no feature of its side has, and suggests
 * another. Returns true if there was one. */
bool product_named_tell(struct leat_ctx *ctx, const struct product_model *m,
                        const char *const name[2]);

#endif
