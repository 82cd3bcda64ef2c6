/* awm.h -- Active-Set Weight-Median Sketch: a linear classifier in a fixed number of bytes.
 *
 * An active set S keeps the heaviest weights exactly, with the ids of their features. All other
 * features share the cells of a Count-Sketch. S explains the model; S and sketch together classify.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 2. Names here -> paper: active = |S|, depth = s, width = k/s,
 * cell values = sqrt(s) z (so the estimate is a plain median of cells), sgd.alpha = the scale of
 * section 5.1.
 *
 * One example, as Algorithm 2, which leaves ties open:
 *
 *   1. margin = bias + sum over S of w_i x_i + sum over the rest of x_i m_i, where m_i is the mean
 *      over the rows j of sign_j(i) cell_j[h_j(i)].
 *   2. All weights decay; the members of S take the gradient step.
 *   3. Each feature outside S is a candidate with w~ = estimate - step. Candidates come by falling
 *      |w~|, equal ones in the order of the row. A candidate enters S while S has a free slot or
 *      |w~| > min |S|. The member with the smallest |w| leaves, equal ones by lowest slot. The
 *      sketch adds its weight minus its estimate.
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
 * An id that a row repeats counts as that many entries. Their margin and steps add up, but each
 * entry has its own |w~|; once one of them has entered S, the others step the member. Ids are
 * folded to 32 bits; ids whose folds are equal are one feature.
 *
 * With an L1 penalty (l1.h) members are compared before the example's own share of it; in the
 * sketch the penalty applies to the cells.
 *
 * Example. One slot, a row of 64 cells, rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1
 * has the margin 0 and the slope l' = -1/2, so feature 7 steps to 1/2 x 1/2 = 0.25, and enters. The
 * row { 7: 1, 9: 2 } of label -1 has the margin 0.25 and the slope 1/(1 + e^-0.25) = 0.562. Feature
 * 7 steps to 0.25 - 0.281 = -0.031. Feature 9 is a candidate with w~ = 0 - 0.562; it outweighs
 * feature 7 and takes the slot. The cell of feature 7 gets -0.031, so its weight is unchanged.
 *
 * Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_H

#include "kernels/linear/store.h"

#define AWM_MAX_DEPTH LINEAR_MAX_DEPTH

/* Weights of S and cells of the sketch are in one array, s.member.weight. The cells begin at
 * s.first_cell. s.member.sum: accumulators of own rates (sgd.h), or NULL. */
struct awm {
    struct store s;

    /* scratch, max_row each: about entry i of the row */
    uint32_t *at;     /* place of its feature: index into s.member.weight */
    float *sx;        /* its value times its sign there                   */
    float *before;    /* stored weight there when the margin was computed */
    int32_t *key;     /* bits of |w~| if it is a candidate, else -1       */
    uint32_t *member; /* with depth 1: entries of members; n_members      */
    uint32_t n_members;
    uint64_t *candidate;
    uint64_t entered; /* bit c % 64: a feature of cell c has entered in this row */
};

/* The shape for a budget has one row of cells in half of it, rounded down to a power of two, and S
 * in the rest. Ids, weights, other values of a slot, and cells are charged 4 bytes each. 32 KB:
 * 2048 slots, 4096 cells. An example costs O(n), and O(active / 64) for each feature that enters.
 *
 * In a merge, an evicted member goes to the sketch, as in learning. Merging is associative up to
 * rounding if no member is evicted and depth < 3; a median of sums is not a sum of medians. */
extern const struct linear_kernel awm_kernel;

/* Predicts, then learns; the kernel's `learn`. */
enum linear_result awm_learn(struct store *s, const struct linear_row *row, const uint64_t *hash,
                             double *margin);
double awm_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x);
/* Weight of a feature: exact in S, otherwise the median of its cells. */
double awm_weight(const struct store *s, uint64_t id);
/* Adds to the sketch so that its estimate of a feature becomes w, in margins. */
void awm_put_back(struct awm *m, uint32_t id, double w);
/* Cell of a feature in row j of the sketch: index into s.member.weight, and sign. */
uint32_t awm_cell(const struct awm *m, uint32_t j, uint64_t id, float *sign);

#endif
