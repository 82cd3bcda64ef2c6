/* wm_adaptive.h -- Weight-Median Sketch in which every weight has its own rate.
 *
 * As in wm.h, all features share the cells of a Count-Sketch. A passive set holds some features
 * with their ids and weights for queries; they are its members. Steps are those of sgd_adaptive.h,
 * so each cell has an accumulator. With one row of cells this is feature hashing.
 *
 *   w_i      = mean over the rows j of sign_j(i) cell_j[h_j(i)]
 *   a_i      = mean of the accumulators of these cells
 *   estimate = median over the rows of sign_j(i) cell_j[h_j(i)], or with `mean` their mean; the
 *              median of an even number of values is the mean of the middle two
 *
 * One example:
 *
 *   1. Each cell's weight is limited by its accumulator. margin = bias + sum of x_i w_i, where
 *      weights are lessened at values that are large compared with a_i.
 *   2. All weights decay. Each direction d_i follows from a_i and the amount that the entry adds to
 *      it, and the step u from all directions.
 *   3. The entries take their steps in the order of the row; entries of value 0 are skipped. In
 *      every row of the sketch the cell takes the full step, cell_j[h_j(i)] += sign_j(i) u d_i, and
 *      its accumulator grows by the entry's amount. A member of the passive set also takes the step
 *      u d_i. Any other feature is a candidate with w = WM_ADAPTIVE_SHARE times its new estimate.
 *      It enters the set if a slot is free, or if |w| is above the smallest |weight| of the
 *      members. In the second case the member of the smallest |weight| leaves (of several, the one
 *      in the lowest slot).
 *
 * Reasons. All rows take the same step, so the cells are the Count-Sketch of one vector, the sum of
 * the steps, and medians estimate it. Why a_i is the mean of the accumulators: a token may share
 * one of its cells with a column of large numbers, and the mean then limits the token's steps. The
 * smallest accumulator would be nearest to the token's own, but the large numbers would multiply
 * its steps. Four variants had log losses within 0.4 % of this one's on Brown, Reuters and hflights
 * with 2 to 32 KB: an accumulator and a step for each cell; the smallest accumulator; conservative
 * updates of the accumulators; margins of cells weighted by their accumulators. Margins of medians
 * had losses one to two percent higher.
 *
 * With `estimates` the passive set is the paper's heap. The weight of a candidate or member is its
 * estimate after the entry's step, and query results show the members' current estimates.
 *
 * Precision: as in adaptive.h. Full: 8 bytes for a member with its id, and 8 for a cell. Compact: 6
 * and 3 bytes. The random bits of an example depend only on the seed and the example's number.
 *
 * Example. A compact model of 1,024 bytes with three rows: 256 bytes are 42 members of 6, and the
 * other 772 are 257 cells of 3: three rows of 85. The model takes 42 x 6 + 255 x 3 = 1,017 bytes of
 * the budget.
 *
 * L1 penalty (l1.h): all cells and members shrink at once by the pending penalty, at such intervals
 * that an example costs L1_CELLS of them on average.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 1, which has one rate for all.
 */
#ifndef LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_H

#include "kernels/linear/store.h"
#include "kernels/summaries/count_sketch.h"

#define WM_ADAPTIVE_DEPTH 3     /* default number of rows                                  */
#define WM_ADAPTIVE_SHARE 0.25f /* a feature enters with this share of its estimate (wm.h) */

/* s.cell holds depth x width cells, row by row. s.member has no accumulators. */
struct wm_adaptive {
    struct store s;           /* the slots are the passive set           */
    struct count_sketch rows; /* hash functions; the cells are in s.cell */

    /* scratch */
    uint32_t *place; /* max_row x depth: cell of entry i in row j; the top bit is the sign */
    float *along;    /* max_row: accumulator a_i of each entry, then direction d_i         */
};

/* The shape for a budget has 128 members, or fewer if they would take more than a quarter of the
 * budget (an eighth if depth is 1). It has as many cells as fit in the rest, in
 * WM_ADAPTIVE_DEPTH rows by default. */
extern const struct linear_kernel wm_adaptive_kernel;

#endif
