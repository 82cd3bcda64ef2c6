/* awm.h -- Active-Set Weight-Median Sketch: a linear classifier in a fixed number of bytes.
 *
 * An active set S holds the features with the largest |weight|, their ids and their exact weights;
 * they are the members of S. All other features share the cells of a Count-Sketch. A margin uses
 * both; queries for the heaviest features list S.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 2. Names here -> paper: active = |S|, depth = s, width = k/s,
 * cell values = sqrt(s) z (so the estimate is a plain median of cells), sgd.alpha = the scale of
 * section 5.1.
 *
 * One example, as in Algorithm 2, which does not define the order of ties:
 *
 *   1. margin = bias + sum over S of w_i x_i + sum over the rest of x_i m_i, where m_i is the mean
 *      over the rows j of sign_j(i) cell_j[h_j(i)].
 *   2. All weights decay; the members of S take the gradient step.
 *   3. Each feature outside S is a candidate with w~ = estimate - step. Candidates are tried by
 *      descending |w~|; if equal, in the order of the row. A candidate enters S if S has a free
 *      slot or |w~| > min |S|. In the second case the member with the smallest |w| leaves (of
 *      several, the one in the lowest slot). The sketch adds its weight minus its estimate.
 *   4. All other features outside S take their step in the sketch.
 *
 * In memory, here with 70 slots and a sketch of 2 rows of 8 cells (slots are padded to blocks of
 * 64, as lazy_min.h needs them):
 *
 *   cell  | w of slot 0 | slot 1 | ... | slot 69 | padding | row 0: 8 cells | row 1: 8 cells |
 *   index   0             1                        70        128 = first_cell   136
 *         '--------- S: exact weights -----------'         '--- Count-Sketch: shared --------'
 *   id    | slot 0      | slot 1 | ... | slot 69 | guard | guard |
 *
 *   a member of S:       cell[slot]; the member does not step its cells of the sketch
 *   any other feature i: row j keeps it in cell[first_cell + j * width + h_j(i)], times sign_j(i)
 *
 * If a row contains an id several times, the margin and the steps of its entries add up, but each
 * entry has its own |w~|. Once one of these entries has entered S, the others step the member. Ids
 * are folded to 32 bits; ids with equal folds are one feature.
 *
 * L1 penalty (l1.h): the comparison with min |S| uses weights before this example's share of the
 * penalty. In the sketch the cells shrink.
 *
 * Example. One slot, a row of 64 cells, rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1
 * has the margin 0 and the slope l' = -1/2, so feature 7 steps to 1/2 x 1/2 = 0.25, and enters. The
 * row { 7: 1, 9: 2 } of label -1 has the margin 0.25 and the slope 1/(1 + e^-0.25) = 0.562. Feature
 * 7 steps to 0.25 - 0.281 = -0.031. Feature 9 is a candidate with w~ = 0 - 0.562; it outweighs
 * feature 7 and takes the slot. The cell of feature 7 gets -0.031, so its weight is unchanged.
 *
 * Out of scope: names of features, parsing of text, batches of records.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_H

#include "kernels/linear/store.h"

#define AWM_MAX_DEPTH LINEAR_MAX_DEPTH

/* s.member.weight holds the weights of S and, from index s.first_cell on, the cells of the sketch.
 * s.member.sum holds the accumulators of own rates (sgd.h), or is NULL. */
struct awm {
    struct store s;

    /* scratch: arrays of max_row, indexed by the entries of the row */
    uint32_t *at;     /* index of the feature's slot or cell in s.member.weight       */
    float *sx;        /* value of the entry times the feature's sign in its cell      */
    float *before;    /* stored weight at at[i] when the margin was computed          */
    int32_t *key;     /* bits of |weight after the step| of a candidate, else -1      */
    uint32_t *member; /* only for depth 1: entries of members of S; n_members of them */
    uint32_t n_members;
    uint64_t *candidate;
    uint64_t entered; /* bit c % 64 is set if a feature of cell c has entered S in this row */
};

/* The shape for a budget has one row of cells in half of the budget, the number of cells rounded
 * down to a power of two, and S in the rest. An id, a weight, each other value of a slot, and a
 * cell take 4 bytes each. 32 KB give 2048 slots and 4096 cells. An example costs O(n), and O(active
 * / 64) for each feature that enters S.
 *
 * In a merge, a member that loses its slot goes to the sketch, as in learning. Merging is
 * associative up to rounding if no member loses its slot and depth < 3. A median of sums is not a
 * sum of medians. */
extern const struct linear_kernel awm_kernel;

/* Predicts, then learns; `learn` of awm_kernel. */
enum linear_result awm_learn(struct store *s, const struct linear_row *row, const uint64_t *hash,
                             double *margin);
double awm_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x);
/* Weight of a feature: exact if the feature is in S, otherwise the median of its cells. */
double awm_weight(const struct store *s, uint64_t id);
/* Weight of a folded id by the sketch, whether it has a slot or not. */
double awm_outside(const struct store *s, uint32_t id);
/* Changes the sketch so that its estimate of the feature `id` becomes w, a weight as margins use it
 * (the stored weight times alpha). */
void awm_put_back(struct awm *m, uint32_t id, double w);

#endif
