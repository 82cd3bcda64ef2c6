/* products.h -- who computes the products of matrices of a stage. */
#ifndef LEAT_COMMON_LEARNERS_PRODUCTS_H
#define LEAT_COMMON_LEARNERS_PRODUCTS_H

#include <leat/plugin.h>

/* Gives large products to the library that the pipeline's option `linalg` names, if any. A stage
 * whose kernels use dense/multiply.h calls this in `open`. */
void products_open(struct leat_ctx *ctx);

#endif
