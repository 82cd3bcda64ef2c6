/* product_rig.h -- a sketch of a product with its tables, over the columns of dense matrices. */
#ifndef LEAT_TESTS_SUPPORT_PRODUCT_RIG_H
#define LEAT_TESTS_SUPPORT_PRODUCT_RIG_H

#include "kernels/product/product_state.h"
#include "oracle_product.h"

struct product_rig {
    struct product p;
    struct feature_table table[2];
    void *block, *rows[2];
};

struct product_options product_of(enum product_method method, uint32_t l);
/* Features 0 .. m - 1 have these numbers. */
struct product_rig *rig_new(const struct product_options *o, uint32_t mx, uint32_t my);
void rig_free(struct product_rig *r);
/* Columns [from, to) of X and Y, whatever is 0 left out. */
void rig_learn(struct product_rig *r, struct dense X, struct dense Y, uint32_t from, uint32_t to);
/* scale A B' as it is now, and the bound (NULL: not wanted). */
struct dense rig_product(struct product_rig *r, double *bound);

#endif
