/* product.h -- learn.product: its instance, its state, features by name, and their order.
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

/* Features of both sides in the order of their names. Those without a name stand first, in the
 * order of their ids. */
struct product_named_order {
    uint32_t *rank[2];    /* place of a feature     */
    uint32_t *feature[2]; /* feature at each place  */
};
size_t product_named_order_bytes(uint32_t left, uint32_t right);
/* block: product_named_order_bytes() of the model's features, aligned to 64. */
struct product_named_order product_named_order(const struct product_model *m, void *block);

#endif
