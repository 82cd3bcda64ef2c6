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
 * After each mini-batch Theta of n = `batch` examples, whose features are A:
 *
 *   4. beta = estimates on A, 0 for a feature that is not in the top.
 *   5. g(beta) = 1/n sum over Theta of c y l'(y z) x, where z is the margin at beta.
 *   6. z = the direction from g(beta) and the last tau pairs (lbfgs.h); without a pair, g(beta).
 *   7. The sketch takes -eta z on A.
 *   8. beta' = estimates as in 4. The pair is s = beta' - beta, r = g(beta') - g(beta).
 *
 * Differences from the paper:
 *
 *   - Added: a bias, a falling rate, importance weights c, other losses, and the L2 penalty of
 *     sgd.h. The penalty shrinks cells but is not part of the gradients.
 *   - A pair with too little curvature is dropped (lbfgs.h). If a direction is not finite, all
 *     pairs are dropped and g is the direction.
 *   - A feature enters the top during its example, not at the end of its mini-batch, because its
 *     name is no longer known then. So a feature that a mini-batch made heavy enters in its next
 *     example.
 *   - A mini-batch ends early when it has `entries` entries, or when the next example would exceed
 *     this limit. An example with more than `entries` entries yields no pair.
 *
 * Example. One slot, batch = 1, rate 1/2, no penalty, no bias, and the row { 7: 1 } of label +1
 * twice. First beta = 0 and g = -1/2. There is no pair, so the step is 1/2 x 1/2 and beta' = 0.25,
 * where the slope is -0.438. The pair is s = 0.25, r = -0.438 + 0.5 = 0.0622. The second time g =
 * -0.438, and z = g s / r = -1.76. The step is 0.88, and beta becomes 1.13.
 *
 * If a row contains an id several times, each entry counts. Ids are folded to 32 bits; ids with
 * equal folds are one feature. An example costs as much as in MISSION, plus O(depth + tau) for each
 * entry.
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_BEAR_H
#define LEAT_KERNELS_LINEAR_MISSION_BEAR_H

#include "lbfgs.h"
#include "mission.h"

#define BEAR_MAX_BATCH   65536u
#define BEAR_MAX_ENTRIES (1u << 24)

/* Work space for a mini-batch. Arrays indexed by feature are in the order of A, by ascending id. */
struct bear_scratch {
    uint64_t *key, *sorted; /* id << 32 | index of each entry; scratch to sort `key` */
    uint32_t *id, n;        /* ids of A                                              */
    uint32_t *at;           /* index in A of each entry's feature                    */
    double *beta, *after;   /* beta; beta', later s                                  */
    double *g, *z;          /* g(beta); z, later r                                   */
};

struct bear {
    struct mission top;
    struct lbfgs lbfgs;
    struct linear_pending pending; /* examples of the incomplete mini-batch */
    struct bear_scratch scratch;
};

/* Options:
 *
 *   rates, l1  must be SGD_SHARED and 0, as in MISSION
 *   tau        limit of pairs, 1 .. LBFGS_MAX_PAIRS
 *   batch      examples of a mini-batch, >= 1
 *   entries    limit of entries in a mini-batch, and in a pair, >= 1
 *   longest    limit of entries in a row, >= max_row
 *
 * The shape for a budget is that of MISSION. The budget does not include pairs and waiting
 * examples.
 *
 * A merge works as in MISSION. It drops pairs and the examples of an incomplete mini-batch, because
 * gradients at the weights of one model do not apply to the mean. */
extern const struct linear_kernel bear_kernel;

#endif
