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

struct bear_options {
    struct sgd_options sgd; /* these as in struct mission_options */
    bool counts;
    uint32_t max_row;
    uint64_t seed;
    uint32_t tau;     /* 1 .. LBFGS_MAX_PAIRS                   */
    uint32_t batch;   /* >= 1: examples                         */
    uint32_t entries; /* >= 1: of a mini-batch, and of a pair   */
    uint32_t longest; /* >= max_row: entries of a row           */
};
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
    struct mission_shape shape;
    struct bear_options opt;
    struct mission top;
    struct lbfgs lbfgs;
    struct linear_pending pending; /* Theta, until it is whole */
    struct bear_scratch scratch;
    struct linear_entrant *entrant; /* of the last example, n_entrants */
    uint32_t n_entrants;
};

/* As the functions of mission.h. */
size_t bear_block_bytes(const struct mission_shape *shape, const struct bear_options *opt);
/* What of that is for pairs and examples that wait: no budget bounds it. */
size_t bear_pair_bytes(const struct bear_options *opt);
void bear_init(struct bear *b, const struct mission_shape *shape, const struct bear_options *opt,
               void *block);
void bear_borrow(struct bear *b, const struct bear *from);
enum linear_result bear_learn_hashed(struct bear *b, const struct linear_row *row,
                                     const uint64_t *hash, double *margin);
double bear_margin(const struct bear *b, uint32_t n, const uint64_t *id, const float *x);
static inline void bear_hash(const struct bear *b, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    mission_hash(&b->top, n, id, hash);
}
static inline uint32_t bear_top(const struct bear *b, uint32_t k, uint32_t min_count, float *weight,
                                uint32_t *slot)
{
    return mission_top(&b->top, k, min_count, weight, slot);
}
static inline double bear_slot_weight(const struct bear *b, uint32_t slot)
{
    return mission_slot_weight(&b->top, slot);
}
const char *bear_check(const struct bear *b);

/* ---- copies and merges (bear_state.c) ---- */

struct linear_parts bear_parts(const struct bear *b);
const char *bear_load(struct bear *b, const struct linear_parts *p);
/* As mission_merge; pairs, and examples of a mini-batch that is not whole, are left behind: what
 * the gradient did at the weights of one side says nothing of the mean. */
void bear_merge(struct bear *m, const struct bear *a, const struct bear *b, double count,
                struct linear_origin *member);

#endif
