/* product_model.h -- a sketched product for stages: two growing tables of features, and the sketch.
 *
 * The model learns from pairs of examples in a batch: a record's first example is a column of X,
 * and its second example is the column of Y. Used by learn.product and by the sink that evaluates
 * sketches.
 */
#ifndef LEAT_COMMON_LEARNERS_PRODUCT_MODEL_H
#define LEAT_COMMON_LEARNERS_PRODUCT_MODEL_H

#include "growing.h"
#include "kernels/product/product.h"

/* Names of enum product_method, in the order of the enum, ended by NULL. */
extern const char *const product_model_methods[];
/* Values of the parameter `form`, for product_options.paper false and true. */
extern const char *const product_model_forms[];

struct product_model {
    struct growing side[2];
    struct product sketch;
    void *block, *scratch;
    struct product_column column[2]; /* their memory is `scratch` */
    uint32_t max_row;                /* most entries of an example */
};

size_t product_model_scratch_bytes(uint32_t max_row);

/* Adds the memory of a model to a plan: at most `max` features a side, and examples of at most
 * `row` entries. */
void product_model_plan(struct leat_plan *p, const struct product_options *o, uint32_t max,
                        uint32_t row);
/* Sets *model to a new model, or to NULL if there is no memory. */
int product_model_open(struct leat_ctx *ctx, const struct growing_cfg *c,
                       const struct product_options *o, struct product_model **model);
void product_model_close(struct leat_ctx *ctx, struct product_model *m); /* m may be NULL */

/* Learns the pair of examples x and y, found by sides_next(). */
int product_model_learn(struct leat_ctx *ctx, struct product_model *m, const struct leat_batch *b,
                        uint32_t x, uint32_t y);

#endif
