/* linear_loop.h -- the loop of process() over the examples of a batch.
 *
 * It is inlined into slotted.c and logistic.c, with their `learn`: an example of one feature takes
 * learn.awm 48 ns; with calls between loop and `learn` it takes 54 ns.
 */
#ifndef LEAT_LEARNERS_LINEAR_LINEAR_LOOP_H
#define LEAT_LEARNERS_LINEAR_LINEAR_LOOP_H

#include <math.h>

#include "kernels/linear/linear.h"
#include "linear.h"
#include "support/examples.h"

#define LINEAR_INLINE static inline __attribute__((always_inline))

struct linear_example {
    struct linear_row row;
    float label;    /* as it is: the class         */
    uint32_t start; /* of its entries in the batch */
};

/* Predict (the margin, or the class), then learn. false: a value is not finite, and nothing has
 * changed. */
typedef bool linear_learn(struct leat_ctx *ctx, void *self, const struct leat_batch *b,
                          const struct linear_example *ex, double *score);

/* The margin of a row by the model of class c (0, where there is one model), which stays as it is;
 * not finite when a value is not. */
typedef double linear_margin(void *self, uint32_t c, const struct linear_row *row);

/* An example of weight 0 is held out: predicted, and not learned from. */
static inline bool linear_predict(void *self, uint32_t classes, linear_margin *margin,
                                  const struct linear_row *row, double *score)
{
    double max = margin(self, 0, row);
    if (!isfinite(max)) return false;
    *score = classes ? 0 : max;
    for (uint32_t c = 1; c < classes; c++) {
        double z = margin(self, c, row);
        if (z <= max) continue;
        max = z;
        *score = c;
    }
    return true;
}

/* Learn from a batch; examples of more than max_row entries are rejected. */
LINEAR_INLINE int linear_process(struct leat_ctx *ctx, void *self, struct leat_batch *b,
                                 uint32_t max_row, uint32_t classes, linear_learn *learn,
                                 linear_margin *margin)
{
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e], start = b->ex_start[e];
        if (r == refused) continue; /* its other examples */
        double score = 0;
        struct linear_example ex = {.row = {.id = b->id + start,
                                            .x = b->value + start,
                                            .n = b->ex_start[e + 1] - start,
                                            .y = b->ex_label[e] > 0 ? 1 : -1,
                                            .weight = b->ex_weight[e],
                                            .new_record = r != record},
                                    .label = b->ex_label[e],
                                    .start = start};
        if (examples_refuse_of(ctx, b, e, max_row, classes)) {
            refused = r;
        } else if (ex.row.weight > 0 ? !learn(ctx, self, b, &ex, &score)
                                     : !linear_predict(self, classes, margin, &ex.row, &score)) {
            examples_reject_values(ctx, b, e);
            refused = r;
        } else {
            b->score[e] = examples_score(score);
            record = r;
        }
    }
    return LEAT_OK;
}

#endif
