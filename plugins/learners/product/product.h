/* product.h -- learn.product: its instance, its state, and features that parameters name.
 *
 * plugins/kernels/product/product_state.c makes sketches from saved parts, and merges two sketches.
 * A state is read into a second model, which replaces the live model when no step can fail any
 * more. */
#ifndef LEAT_LEARNERS_PRODUCT_PRODUCT_H
#define LEAT_LEARNERS_PRODUCT_PRODUCT_H

#include "common/learners/product_model.h"

enum { PRODUCT_STATE_VERSION = 2 };

/* Instance of learn.product. Its configuration begins with struct growing_cfg. */
struct product_stage {
    struct product_model *model;
    uint32_t rows, sure; /* rows of the last answer; rows that differ from 0 by more than `bound` */
    double bound;
    bool empty;      /* true if the last answer had no rows because the sketch was empty */
    bool told_names; /* true if the warning of product_named_tell() was given */
};

/* Functions of struct leat_state. On failure they do not change the model, except a merge that
 * returns LEAT_ENONFINITE, which ends the run. */
int product_state_write(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int product_state_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                          uint32_t version);
int product_state_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count);

/* The parameters of_left and of_right restrict an answer to a feature, which they name. */

/* Returns the feature with this name; FEATURE_TABLE_NONE if there is none. */
uint32_t product_named(const struct growing *g, const char *name);

/* Warns of each name that no feature of its side has, and suggests another name. name[0] is of_left
 * and name[1] of_right; NULL: not set. Returns true if it has warned. */
bool product_named_tell(struct leat_ctx *ctx, const struct product_model *m,
                        const char *const name[2]);

#endif
