/* bear.h -- BEAR: as MISSION, but what goes into the Count-Sketch is the direction
 * of limited-memory BFGS.
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
 * And when `batch` examples, the mini-batch Theta of n examples with the features A, have come:
 *
 *   4. beta = estimates on A, 0 for a feature that is not in the top.
 *   5. g(beta) = 1/n sum over Theta of c y l'(y z) x, z being the margin at beta.
 *   6. z = the direction from g(beta) and the last tau pairs (lbfgs.h); without a pair, g(beta).
 *   7. The sketch takes -eta z on A.
 *   8. beta' = estimates as in 4. The pair is s = beta' - beta, r = g(beta') - g(beta).
 *
 * What the paper leaves open, or has otherwise: the bias, a rate that falls, the L2 penalty of
 * sgd.h (it shrinks cells, and is in no gradient), importance weights c, losses. When a pair is too
 * flat to be kept (lbfgs.h). Where a direction is not finite the pairs are forgotten and the step
 * is g. Features enter the top when they come, and not at the end of their mini-batch, when their
 * names are gone: one that has become heavy enters when it comes the next time. A mini-batch ends
 * early when the next example would make it longer than `entries`; so does one that is as long. An
 * example longer than that leaves no pair.
 *
 * An id that a row repeats counts as that many entries. Ids are folded to 32 bits; ids whose folds
 * are equal are one feature. An example costs what one of MISSION does and, for each
 * entry, O(depth + tau).
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_BEAR_H
#define LEAT_KERNELS_LINEAR_MISSION_BEAR_H

#include "lbfgs.h"
#include "mission.h"

#define BEAR_MAX_BATCH   65536u
#define BEAR_MAX_ENTRIES (1u << 24)

/* Of a mini-batch, in the order of A: ascending ids. */
struct bear_scratch {
    uint64_t *key, *sorted; /* id and entry                */
    uint32_t *id, n;        /* A                           */
    uint32_t *at;           /* of an entry: its place in A */
    double *beta, *after;   /* beta, beta'; s       */
    double *g, *z;          /* g(beta), z; r        */
};

struct bear {
    struct mission top;
    struct lbfgs lbfgs;
    struct linear_pending pending; /* Theta, until it is whole */
    struct bear_scratch scratch;
};

/* Options: rates SGD_SHARED and l1 0, as of MISSION; tau, 1 .. LBFGS_MAX_PAIRS; batch, >= 1:
 * examples of a mini-batch; entries, >= 1: those of a mini-batch, and of a pair; longest, >=
 * max_row: entries of a row. The shape for a budget is that of MISSION: no budget bounds pairs and
 * examples that wait.
 *
 * A merge is that of MISSION; pairs, and examples of a mini-batch that is not whole, are left
 * behind: what the gradient did at the weights of one side says nothing about the mean. */
extern const struct linear_kernel bear_kernel;

#endif
