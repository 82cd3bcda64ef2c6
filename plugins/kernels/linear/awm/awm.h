/* awm.h -- the Active-Set Weight-Median Sketch: a linear classifier in a fixed number of bytes.
 *
 * The heaviest weights are kept exactly, with the ids of their features, in an active set S; all
 * others share the cells of a Count-Sketch. S is the explanation, S and sketch together are the
 * classifier.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 2. Names here -> paper: active = |S|, depth = s, width = k/s,
 * cell values = sqrt(s) z (so the estimate is a plain median of cells), sgd.alpha = the scale of
 * section 5.1.
 *
 * One example (all of it is what Algorithm 2 does; it leaves the ties open):
 *
 *   1. margin = bias + sum over S of w_i x_i + sum over the rest of x_i m_i, where m_i is the mean
 *      over the rows j of sign_j(i) cell_j[h_j(i)].
 *   2. All weights decay; the members of S take the gradient step.
 *   3. Each feature outside S is a candidate with w~ = estimate - step. In the order of |w~|,
 *      largest first (equal ones: in the order of the row), a candidate enters S while S has a free
 *      slot or |w~| > min |S|. The member with the smallest |w| (equal ones: the lowest slot)
 *      leaves, and its weight minus its estimate is added to the sketch.
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
 *   a member of S:       cell[slot]; its cells of the sketch stay as they were when it entered
 *   any other feature i: row j keeps it in cell[first_cell + j * width + h_j(i)], times sign_j(i)
 *
 * An id that a row repeats counts as that many entries: the margin and the steps add up as if they
 * were summed, |w~| is each entry's own, and once one of them has entered, the others step the
 * member. Ids are folded to 32 bits; ids whose folds are equal are one feature.
 *
 * With an L1 penalty (l1.h) members are compared as they are before the example's own share of
 * it; the sketch has it as a penalty on its cells.
 *
 * Example. One slot, a row of 64 cells, rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1
 * has the margin 0 and the slope l' = -1/2, so feature 7 steps to 1/2 x 1/2 = 0.25, and enters. The
 * row { 7: 1, 9: 2 } of label -1 has the margin 0.25 and the slope 1/(1 + e^-0.25) = 0.562. Feature
 * 7 steps to 0.25 - 0.281 = -0.031. Feature 9 is a candidate with w~ = 0 - 0.562, outweighs that
 * and takes the slot; -0.031 is added to the cell of feature 7, which still weighs that.
 *
 * Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_H

#include "kernels/linear/store.h"

#define AWM_MAX_DEPTH LINEAR_MAX_DEPTH

/* Weights of S and cells of the sketch are one array: s.member.weight, with the cells from
 * s.first_cell on. s.member.sum: accumulators of own rates (sgd.h), or NULL. */
struct awm {
    struct store s;

    /* scratch, max_row each */
    uint32_t *at;     /* where entry i lives: index into `cell`                       */
    float *sx;        /* its value times its sign there                               */
    float *before;    /* what was stored there when the margin was computed           */
    int32_t *key;     /* bits of |w~| where entry i is a candidate, else -1           */
    uint32_t *member; /* with depth 1: which entries are members, n_members           */
    uint32_t n_members;
    uint64_t *candidate;
    uint64_t entered; /* bit c % 64: a feature of cell c has entered in this row */
};

/* The shape for a budget at 4 bytes an id, weight, other value of a slot and cell: depth 1, half
 * for the sketch with its width rounded down to a power of two, the rest for S. 32 KB: 2048 slots,
 * 4096 cells. An example costs O(n), and O(active / 64) for each feature that enters.
 *
 * Merging is associative up to rounding as long as no member is evicted and depth < 3: a median of
 * sums is not a sum of medians. An evicted member goes to the sketch, as when it is evicted by an
 * example. */
extern const struct linear_kernel awm_kernel;

/* Predicts, then learns; the kernel's `learn`. */
enum linear_result awm_learn(struct store *s, const struct linear_row *row, const uint64_t *hash,
                             double *margin);
double awm_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x);
/* Exact in S, the median of its cells otherwise. */
double awm_weight(const struct store *s, uint64_t id);
/* The sketch's estimate of a feature becomes w, in margins. */
void awm_put_back(struct awm *m, uint32_t id, double w);
/* Where row j of the sketch keeps a feature: index into s.member.weight, and its sign. */
uint32_t awm_cell(const struct awm *m, uint32_t j, uint64_t id, float *sign);

#endif
