/* tracked.h -- linear classifiers that keep exact weights of a few features and no others.
 *
 * These are the baselines of the sketches at an equal number of bytes. A table of slots holds the
 * weights of the tracked features; all other weights are 0. One example:
 *
 *   1. margin = bias + sum over the tracked features of w_i x_i.
 *   2. All weights decay; the tracked features of the row take the gradient step.
 *   3. The rule decides which of the row's other features take a slot, and which tracked features
 *      lose their slots.
 *
 * The rules (tracked_rules.c):
 *
 *   HEAVIEST      the features with the largest |w|, after the step, stay. Simple truncation.
 *   SAMPLED       each feature draws e ~ Exp(1) when it enters and has the key |w|/e; the largest
 *                 keys stay. This samples without replacement, and favours heavy features.
 *                 Probabilistic truncation.
 *   SPACE_SAVING  the most frequent features stay, by Space Saving.
 *   COUNT_MIN     the most frequent features stay, by the counts of a Count-Min sketch.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018: Algorithms 3 and 4, and the frequent-feature baselines of section 7. Names
 * here -> paper: slots = K, w = S, key = -1/log W of Algorithm 4.
 *
 * The key |w|/e: Algorithm 4 starts with W = u^(1/|w|) and raises W to the power |w_old/w_new| with
 * each change, so log W stays log(u)/|w|. Therefore a feature only needs to keep e = -log(u). Decay
 * then changes no order, and a weight that passes through 0 returns with the right key, while its W
 * would be lost. `priority` holds 1/e, so the key is |w| times the priority. With `product` the key
 * is |w| e, as in the authors' program: the draw lifts light features less, and heavy features are
 * lost less easily.
 *
 * With an L1 penalty (l1.h) features are compared before the example's own share of it.
 *
 * Values of an id that a row repeats are summed first. Ids are folded to 32 bits; ids whose folds
 * are equal are one feature. A feature that enters starts with one step from weight 0.
 *
 * Example. SPACE_SAVING with two slots: after the rows { 1 }, { 1 }, { 2 } feature 1 is counted
 * twice and feature 2 once. The row { 3 } takes the slot of feature 2, whose count is the smallest,
 * and takes over this count plus one. Now features 1 and 3 are both counted twice, and feature 2
 * weighs 0.
 *
 * Not here: names, text, batches.
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
 * TRACKED_MAX_DEPTH; other rules have 0 for both. */
#define TRACKED_MAX_DEPTH 16

/* Random choices depend only on the seed, sgd.t and the order of the row. s.member.sum:
 * accumulators of own rates (sgd.h), or NULL. s.lightest has the keys of the rule. */
struct tracked {
    struct store s;
    uint64_t replaced; /* features that lost their slot */

    float *priority;      /* SAMPLED: 1/e (with `product` e) of each slot, padded; or NULL */
    uint32_t *frequency;  /* SPACE_SAVING, COUNT_MIN: count of each slot, padded; or NULL  */
    uint32_t *counter;    /* COUNT_MIN: depth x width counts; or NULL                      */
    uint32_t floor, hand; /* Space Saving: smallest count; no slot before `hand` has it    */

    /* scratch: the row with each id once (n entries), and the places of its features */
    uint32_t n, n_members, n_others;
    const float *x;
    const uint32_t *entry; /* index in the caller's row; NULL: equal indices */
    uint32_t *fid, *at, *member, *other, *origin, *twice;
    float *sum;
    uint64_t *candidate;
};

/* The shape for a budget charges 4 bytes for each id, weight, other value of a slot, and cell.
 * Count-Min has half of the budget for its cells, the width rounded down to a power of two. An
 * example costs O(n), and O(slots / 64) for each feature that enters.
 *
 * In a merge a feature weighs 0 on a side that does not track it. The features that rank highest by
 * the rule stay, the best first:
 *
 *   HEAVIEST      by |w|.
 *   SAMPLED       by key, with the larger of the two priorities.
 *   SPACE_SAVING  by count. If only one side has a feature and the other side is full, the other
 *                 side's smallest count is added. So no count is too low, or too high by more than
 *                 the errors of both sides (P. Agarwal et al., Mergeable Summaries, PODS 2012).
 *   COUNT_MIN     by count. If only one side has a feature, the other's estimate is added. The
 *                 cells of both add up.
 *
 * Merging is associative, up to rounding, as long as no feature loses its slot. */
extern const struct linear_kernel tracked_kernel;

/* Weight of a feature; 0 if it is not tracked. */
double tracked_weight(const struct store *s, uint64_t id);

/* Draw of entry i at example t, uniform in (0, 1). i counts the row with each id once. */
double tracked_draw(uint64_t seed, uint64_t t, uint32_t i);
/* Priority from a draw in (0, 1). With e = -log(1 - draw) it is 1/e, limited such that keys stay
 * finite; with `product` it is e. */
#define TRACKED_MAX_PRIORITY 1e8
float tracked_priority(const struct linear_options *opt, double draw);
/* Random choice, at example t, of one of n features to take a slot. */
uint32_t tracked_pick(uint64_t seed, uint64_t t, uint32_t n);
/* Cell of a feature in row j of the Count-Min sketch: index into `counter`. */
uint32_t count_min_cell(const struct tracked *m, uint32_t j, uint32_t folded_id);
/* COUNT_MIN: estimate of the number of examples with a feature; never too low. */
uint32_t count_min_estimate(const struct tracked *m, uint32_t folded_id);

#endif
