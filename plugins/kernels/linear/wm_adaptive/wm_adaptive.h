/* wm_adaptive.h -- the Weight-Median Sketch in which every weight has a rate of its own. With one
 * row of cells it is feature hashing.
 *
 * As in wm.h all features share the cells of a Count-Sketch, and a passive set keeps some of them
 * by id. Steps are those of sgd_adaptive.h, so each cell has an accumulator beside it.
 *
 *   w_i      = mean over the rows j of sign_j(i) cell_j[h_j(i)]
 *   a_i      = the mean of the accumulators of these cells
 *   estimate = the median over the rows of sign_j(i) cell_j[h_j(i)] (of an even number, the mean of
 *              the two in the middle), or with `mean` their mean
 *
 * One example:
 *
 *   1. Each cell's weight is held by its accumulator. margin = bias + sum of x_i w_i; weights count
 *      for less at large values, of which a_i tells.
 *   2. All weights decay; directions d_i follow from a_i and what the entry adds to it, the step u
 *      from all of them.
 *   3. In the order of the row, of entries that are not 0: every row takes the full step,
 *      cell_j[h_j(i)] += sign_j(i) u d_i, and its accumulator what the entry adds. A member of the
 *      passive set takes the step u d_i, too. Any other feature is a candidate with w =
 *      WM_ADAPTIVE_SHARE times its estimate now; it enters the set while that has a free slot or
 *      |w| is larger than the smallest |weight| there, whose member (equal ones: the lowest slot)
 *      leaves.
 *
 * Why so. All rows take the same step, so the cells are the Count-Sketch of one vector, the sum of
 * the steps, and medians estimate that. The mean of the accumulators also holds a token back that
 * shares a cell with a column of large numbers: with the smallest one, which is nearest to the
 * token's own, its steps there would be multiplied by those numbers. Measured on Brown, Reuters and
 * hflights with 2 to 32 KB: an accumulator and a step of its own for each cell, the smallest one,
 * accumulators that only rise as far as the smallest one asks, and margins of cells weighted by
 * their accumulators have log losses within .4 % of this one's; margins of medians one to two
 * percent higher.
 *
 * With `estimates` the passive set is the paper's heap: candidates and members weigh what their
 * estimate is once the entry has stepped, and answers show the estimates of the members as they are
 * then.
 *
 * Precision: as in adaptive.h. Full: 8 bytes a member, with its id, and 8 a cell. Compact: 6 and 3.
 * The random bits of an example follow from the seed and its number.
 *
 * Example. A compact model of 1,024 bytes with three rows: 256 bytes are 42 members of 6, and the
 * other 772 are 257 cells of 3: three rows of 85. It is charged 42 x 6 + 255 x 3 = 1,017 bytes.
 *
 * With an L1 penalty (l1.h) cells and members take what is pending together, so often that it costs
 * L1_CELLS of them an example.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 1, which has one rate for all.
 */
#ifndef LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_H

#include "kernels/linear/store.h"
#include "kernels/sketch/count_sketch.h"

#define WM_ADAPTIVE_DEPTH 3     /* rows of a WM-Sketch unless said */
#define WM_ADAPTIVE_SHARE 0.25f /* of the estimate with which a feature enters (wm.h) */

/* s.cell: depth x width, one row after the other. s.member has no accumulators. */
struct wm_adaptive {
    struct store s;           /* slots: the passive set                                 */
    struct count_sketch rows; /* the hash functions; its cells are in s.cell            */

    /* scratch */
    uint32_t *place; /* max_row x depth: cell of entry i in row j, with its sign in the top bit */
    float *along;    /* max_row: a_i, then d_i                                                  */
};

/* The shape for a budget: 128 members but at most a quarter of the budget (an eighth beside a
 * single row), WM_ADAPTIVE_DEPTH rows, and rows of all cells that fit. */
extern const struct linear_kernel wm_adaptive_kernel;

#endif
