/* bear.h -- BEAR: MISSION whose Count-Sketch takes directions of limited-memory BFGS.
 *
 * Source: A. Aghazadeh, V. Gupta, A. DeWeese, O. O. Koyluoglu, K. Ramchandran, BEAR: Sketching BFGS
 * Algorithm for Ultra-High Dimensional Feature Selection in Sublinear Memory, MSML 2021,
 * algorithm 1. Names here -> paper: sketch = beta^s, the top = the heap, tau, A = the active set,
 * Theta = the mini-batch.
 *
 * One example:
 *
 *   1. margin = bias + sum of x_i beta_i over the entries whose features are in the top; beta_i is
 *      the sketch's estimate.
 *   2. The bias takes its step, as in sgd.h.
 *   3. A feature of the example that is not in the top enters it as in MISSION, by its estimate.
 *
 * Once `batch` examples have come (the mini-batch Theta of n examples, with the features A):
 *
 *   4. beta = estimates on A, 0 for a feature that is not in the top.
 *   5. g(beta) = 1/n sum over Theta of c y l'(y z) x, where z is the margin at beta.
 *   6. z = the direction from g(beta) and the last tau pairs (lbfgs.h); without a pair, g(beta).
 *   7. The sketch takes -eta z on A.
 *   8. beta' = estimates as in 4. The pair is s = beta' - beta, r = g(beta') - g(beta).
 *
 * Differences from the paper:
 *
 *   - A bias, a falling rate, importance weights c and other losses are added. So is the L2 penalty
 *     of sgd.h, which shrinks cells but is in no gradient.
 *   - A pair that is too flat is not kept (lbfgs.h). If a direction is not finite, the pairs are
 *     forgotten and the step is g.
 *   - A feature enters the top when it comes, not at the end of its mini-batch, because its name is
 *     gone by then. So a feature that a mini-batch made heavy enters when it next comes.
 *   - A mini-batch ends early when it has `entries` entries, or when the next example would take it
 *     above. An example longer than `entries` leaves no pair.
 *
 * Example. One slot, batch = 1, rate 1/2, no penalty, no bias, and the row { 7: 1 } of label +1
 * twice. First beta = 0 and g = -1/2. There is no pair, so the step is 1/2 x 1/2 and beta' = 0.25,
 * where the slope is -0.438. The pair is s = 0.25, r = -0.438 + 0.5 = 0.0622. The second time g =
 * -0.438, and z = g s / r = -1.76. The step is 0.88, and beta becomes 1.13.
 *
 * An id that a row repeats counts as that many entries. Ids are folded to 32 bits; ids whose folds
 * are equal are one feature. An example costs as much as in MISSION, and O(depth + tau) more for
 * each entry.
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_BEAR_H
#define LEAT_KERNELS_LINEAR_MISSION_BEAR_H

#include "lbfgs.h"
#include "mission.h"

#define BEAR_MAX_BATCH   65536u
#define BEAR_MAX_ENTRIES (1u << 24)

/* Work space of a mini-batch. Arrays by feature are in the order of A: by ascending id. */
struct bear_scratch {
    uint64_t *key, *sorted; /* id and entry             */
    uint32_t *id, n;        /* A                        */
    uint32_t *at;           /* place in A of each entry */
    double *beta, *after;   /* beta, beta'; s           */
    double *g, *z;          /* g(beta), z; r            */
};

struct bear {
    struct mission top;
    struct lbfgs lbfgs;
    struct linear_pending pending; /* Theta, until it is complete */
    struct bear_scratch scratch;
};

/* Options:
 *
 *   rates, l1  SGD_SHARED and 0, as in MISSION
 *   tau        pairs, 1 .. LBFGS_MAX_PAIRS
 *   batch      examples of a mini-batch, >= 1
 *   entries    most entries of a mini-batch, and of a pair, >= 1
 *   longest    most entries of a row, >= max_row
 *
 * The shape for a budget is that of MISSION. Pairs and waiting examples are outside the budget.
 *
 * A merge is that of MISSION. It drops pairs and the examples of an incomplete mini-batch, because
 * the gradient at one side's weights says nothing about the mean. */
extern const struct linear_kernel bear_kernel;

#endif
