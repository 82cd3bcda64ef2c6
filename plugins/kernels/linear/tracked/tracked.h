/* tracked.h -- linear classifiers that keep exact weights of a few features and no others.
 *
 * They are baselines for the sketches at an equal number of bytes. A table of slots holds the
 * weights of the tracked features; all other weights are 0. One example:
 *
 *   1. margin = bias + sum over the tracked features of w_i x_i.
 *   2. All weights decay; the tracked features of the row take the gradient step.
 *   3. The rule decides which of the row's other features take a slot, and which tracked features
 *      lose their slots.
 *
 * The rules (tracked_rules.c):
 *
 *   HEAVIEST      simple truncation: the features with the largest |w| after the step keep their
 *                 slots.
 *   SAMPLED       probabilistic truncation: each feature draws e ~ Exp(1) when it enters and has
 *                 the key |w|/e. The features with the largest keys keep their slots. This is
 *                 sampling without replacement in which heavy features are more likely.
 *   SPACE_SAVING  the most frequent features keep their slots, by Space Saving.
 *   COUNT_MIN     the most frequent features keep their slots, by the counts of a Count-Min sketch.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018: Algorithms 3 and 4, and the frequent-feature baselines of section 7. Names
 * here -> paper: slots = K, w = S, key = -1/log W of Algorithm 4.
 *
 * The key |w|/e: Algorithm 4 starts with W = u^(1/|w|) and raises W to the power |w_old/w_new| at
 * each change of w, so log W is always log(u)/|w|. Therefore a feature only needs to store
 * e = -log(u). Decay then does not change the order of keys. A weight that passes through 0 gets
 * its right key again, whereas its W would be lost. `priority` holds 1/e, so the key is |w| times
 * the priority. With `product` the key is |w| e, as in the authors' program. Then e raises the key
 * of light features less, and heavy features lose their slots less often.
 *
 * L1 penalty (l1.h): features are compared by their weights before this example's share of the
 * penalty.
 *
 * If a row contains an id several times, its values are summed first. Ids are folded to 32 bits;
 * ids with equal folds are one feature. A feature that gets a slot starts with one step from weight
 * 0.
 *
 * Example. SPACE_SAVING with two slots: after the rows { 1 }, { 1 }, { 2 } feature 1 has the count
 * 2 and feature 2 the count 1. At the row { 3 }, feature 3 takes the slot of feature 2, whose count
 * is the smallest, and gets this count plus one. Now features 1 and 3 both have the count 2, and
 * feature 2 weighs 0.
 *
 * Out of scope: names of features, parsing of text, batches of records.
 */
#ifndef LEAT_KERNELS_LINEAR_TRACKED_TRACKED_H
#define LEAT_KERNELS_LINEAR_TRACKED_TRACKED_H

#include "kernels/linear/store.h"

enum tracked_rule {
    TRACKED_HEAVIEST = 0,
    TRACKED_SAMPLED,
    TRACKED_SPACE_SAVING,
    TRACKED_COUNT_MIN
};

/* A shape has slots. COUNT_MIN also has a width, a power of two, and a depth, 1 ..
 * TRACKED_MAX_DEPTH. For the other rules width and depth are 0. */
#define TRACKED_MAX_DEPTH 16

/* Random choices depend only on the seed, sgd.t and the order of the row. s.member.sum holds the
 * accumulators of own rates (sgd.h), or is NULL. s.lightest finds the slot with the smallest key of
 * the rule. */
struct tracked {
    struct store s;
    uint64_t replaced; /* number of features that lost their slot */

    float *priority;      /* SAMPLED: 1/e (with `product` e) of each slot, padded; or NULL */
    uint32_t *frequency;  /* SPACE_SAVING, COUNT_MIN: count of each slot, padded; or NULL  */
    uint32_t *counter;    /* COUNT_MIN: depth x width counts; or NULL                      */
    uint32_t floor, hand; /* SPACE_SAVING: smallest count; slots below `hand` count more   */

    /* scratch: the n features of the row, each id once, and their slots */
    uint32_t n, n_members, n_others;
    const float *x;
    const uint32_t *entry; /* entry of each feature in the caller's row; NULL: the same index */
    uint32_t *fid, *at, *member, *other, *origin, *twice;
    float *sum;
    uint64_t *candidate;
};

/* In a budget, an id, a weight, each other value of a slot, and a cell take 4 bytes each. In
 * COUNT_MIN the default shape has cells for half of the budget; the width is rounded down to a
 * power of two. An example costs O(n), and O(slots / 64) for each feature that gets a slot.
 *
 * In a merge of models, the sides, a feature does not count on a side that does not track it, or
 * weighs 0 there without own rates. The features that rank highest by the rule get the slots, the
 * highest first:
 *
 *   HEAVIEST      by |w|.
 *   SAMPLED       by key; the priority is the larger one of both sides.
 *   SPACE_SAVING  by count. If only one side has a feature and the other side is full, the other
 *                 side's smallest count is added. So no count is too low, and none exceeds the true
 *                 count by more than the errors of both sides (P. Agarwal et al., Mergeable
 *                 Summaries, PODS 2012).
 *   COUNT_MIN     by the estimate of the cells, which add up.
 *
 * The order of merges does not matter (sums.h). */
extern const struct linear_kernel tracked_kernel;

/* Weight of a feature; 0 if it is not tracked. */
double tracked_weight(const struct store *s, uint64_t id);

/* Random number of entry i at example t, uniform in (0, 1). i counts the distinct ids of the
 * row. */
double tracked_draw(uint64_t seed, uint64_t t, uint32_t i);
/* Converts a random number in (0, 1) to a priority: 1/e with e = -log(1 - draw), limited so that
 * keys stay finite. With `product` the priority is e. */
#define TRACKED_MAX_PRIORITY 1e8
float tracked_priority(const struct linear_options *opt, double draw);
/* Returns a random number below n: which of n features gets a slot at example t. */
uint32_t tracked_pick(uint64_t seed, uint64_t t, uint32_t n);
/* Returns the index in `counter` of a feature's cell in row j of the Count-Min sketch. */
uint32_t count_min_cell(const struct tracked *m, uint32_t j, uint32_t folded_id);
/* Estimates the number of examples with a feature; the estimate is never too low. Only
 * for COUNT_MIN. */
uint32_t count_min_estimate(const struct tracked *m, uint32_t folded_id);

#endif
