/* product_rig.h -- a sketch of a product with its tables, fed with columns of dense matrices. */
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
/* Makes a rig. Features 0 .. m - 1 have these numbers as ids. */
struct product_rig *rig_new(const struct product_options *o, uint32_t mx, uint32_t my);
void rig_free(struct product_rig *r);
/* Learns columns [from, to) of X and Y without zeros. */
void rig_learn(struct product_rig *r, struct dense X, struct dense Y, uint32_t from, uint32_t to);
/* Returns the present scale A B', and the bound unless `bound` is NULL. */
struct dense rig_product(struct product_rig *r, double *bound);

#endif
