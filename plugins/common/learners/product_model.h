/* product_model.h -- a sketched product as stages have it: two growing tables of features, the
 * kernel's sketch over them, and the pairs of examples of a batch that it learns from.
 *
 * A record's first example is a column of X, its second one the column of Y. Used by learn.product
 * and by the sink that evaluates sketches.
 */
#ifndef LEAT_COMMON_LEARNERS_PRODUCT_MODEL_H
#define LEAT_COMMON_LEARNERS_PRODUCT_MODEL_H

#include <stdbool.h>

#include "growing.h"
#include "kernels/product/product.h"

/* Names of enum product_method, in its order; NULL at the end. */
extern const char *const product_model_methods[];
/* Values of `form`: product_options.paper is false, true. */
extern const char *const product_model_forms[];

struct product_model {
    struct growing side[2];
    struct product sketch;
    void *block, *scratch;
    struct product_column column[2]; /* in scratch */
    uint32_t max_row;                /* entries of a side */
};

size_t product_model_scratch_bytes(uint32_t max_row);

/* Adds to a plan a model of at most `max` features a side, and sides of at most `row` entries. */
void product_model_plan(struct leat_plan *p, const struct product_options *o, uint32_t max,
                        uint32_t row);
/* *model becomes a new one, or NULL when there is no memory. */
int product_model_open(struct leat_ctx *ctx, const struct growing_cfg *c,
                       const struct product_options *o, struct product_model **model);
void product_model_close(struct leat_ctx *ctx, struct product_model *m); /* m: or NULL */

/* Learn the pair of examples x and y, as product_model_next() gave them. */
int product_model_learn(struct leat_ctx *ctx, struct product_model *m, const struct leat_batch *b,
                        uint32_t x, uint32_t y);

/* In negotiate: does a record make two sides? */
int product_model_check_sides(struct leat_negotiation *n);

/* The next pair of sides among the selected examples from the *k-th on; false at the end. Records
 * are rejected that have one example only, more than max_row entries on a side, or numbers that
 * are not finite. */
bool product_model_next(struct leat_ctx *ctx, struct leat_batch *b, uint32_t max_row, uint32_t *k,
                        uint32_t *x, uint32_t *y);

#endif
