/* product_named.h -- of_left and of_right of learn.product: the feature that a name asks for. */
#ifndef LEAT_LEARNERS_PRODUCT_PRODUCT_NAMED_H
#define LEAT_LEARNERS_PRODUCT_PRODUCT_NAMED_H

#include "common/learners/product_model.h"

/* The feature that is called `name`, or FEATURE_TABLE_NONE. */
uint32_t product_named(const struct growing *g, const char *name);

/* Names (left, right; NULL: none was given) that no feature of their side has are told, with what
 * may have been meant. true: there was one. */
bool product_named_tell(struct leat_ctx *ctx, const struct product_model *m,
                        const char *const name[2]);

#endif
