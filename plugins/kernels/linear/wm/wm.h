/* wm.h -- the Weight-Median Sketch: a linear classifier whose weights share the cells of a
 * Count-Sketch. With one row of cells it is feature hashing.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 1. Names here -> paper: depth = s, width = k/s, cells =
 * sqrt(s) z, sgd.alpha = the scale of section 5.1, passive set = the heap of section 5.1.
 *
 * One example:
 *
 *   1. margin = bias + sum of x_i m_i, m_i = mean over the rows j of sign_j(i) cell_j[h_j(i)].
 *   2. Every row takes the full step: cell_j[h_j(i)] -= sign_j(i) u x_i, u = eta g / alpha.
 *   3. An entry whose feature is in the passive set steps that member's weight by u x_i.
 *   4. Any other entry is a candidate with w = WM_ESTIMATE_SHARE (estimate - u x_i), the estimate
 *      being that of the cells before step 2. In the order of the row, a candidate enters the
 *      passive set while that has a free slot or |w| is larger than its smallest |weight|; the
 *      member with that weight (equal ones: the lowest slot) leaves.
 *
 * The estimate of w_i is the median over the rows of sign_j(i) cell_j[h_j(i)] (of an even number,
 * the mean of the two in the middle), or with `mean` their mean.
 *
 *              0                       width - 1
 *      row 0 | . | . | a | . | . | . | . | b |     feature a: one cell in each row,
 *      row 1 | . | b | . | . | . | a | . | . |     with sign_0(a), sign_1(a), sign_2(a);
 *      row 2 | . | . | . | . |a,b| . | . | . |     a and b share a cell of row 2
 *
 * The passive set. Nothing is predicted from it; its weights order admissions and are the ones
 * shown. The paper shows estimates in their place. But the largest of many noisy estimates are
 * mostly noise: at 8 KB on RCV1 the weights of the features that are chosen so are 0.3 times their
 * estimates, and the set is worse than an empty one. A step that a feature takes itself has no
 * noise. So a member's weight is a quarter of the estimate with which it entered, plus all its own
 * steps since then.
 *
 * With `estimates` the set is the paper's heap: a candidate has w = estimate - u x_i, a member
 * weighs in step 3 what its estimate less u x_i is, and answers show the estimates of the
 * members as they are then.
 *
 * Theorem 2. With a `radius` the cells are scaled after each example so that z has at most that
 * length, ||z|| = alpha ||cells|| / sqrt(depth). With `average` a second value of each cell makes
 * the mean of all z so far known, and answers are from that: estimates, and margins that are only
 * asked for. Steps are from z itself. Where alpha_t is the scale after example t and A_t the sum of
 * these, sum_t alpha_t v_t = A_T v_T - behind_T, and `behind` grows by A_(t-1) (v_t - v_(t-1)):
 * only where a cell steps. Before a step that may be far longer than the radius, and where alpha
 * has become small, the mean is folded into `behind` (one pass over the cells): it would drown in
 * the rounding of the two large numbers whose difference it is.
 *
 * Example. Two rows, rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1 has the margin 0
 * and the slope -1/2, so u x = -0.25: feature 7's cell in each row becomes 0.25 times its sign
 * there. Its estimate, less the step, is 0.25, and it enters the passive set with a quarter of
 * that, 0.0625. When the row comes again its margin is 0.25.
 *
 * The L1 penalty (l1.h) is one on the cells; the weights of the passive set shrink with them.
 *
 * An id that a row repeats counts as that many entries: margin and steps add up. Ids are folded to
 * 32 bits; ids whose folds are equal are one feature. Rows of more than WM_STRETCH entries are
 * stepped stretch by stretch; "before step 2" then means before the entry's stretch.
 *
 * Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_LINEAR_WM_WM_H
#define LEAT_KERNELS_LINEAR_WM_WM_H

#include "kernels/linear/store.h"

#define WM_MAX_DEPTH      LINEAR_MAX_DEPTH
#define WM_STRETCH        256
#define WM_ESTIMATE_SHARE 0.25f /* of the estimate with which a feature enters */

/* What pass 1 (step 1) leaves for pass 2 (steps 2 to 4) of one stretch of a row. Arrays of n x
 * depth hold one row of the sketch after the other. */
struct wm_scratch {
    uint32_t *mixed, *at, *sign;
    float *before, *sum, *d, *above, *below, *signed_d;
    int32_t *votes;
    uint32_t *slot, *member; /* of entries in the passive set; which these are */
};

/* Options: rates must be SGD_SHARED, as many features share a cell. `average` needs `estimates`;
 * with it, or a radius, there is no L1 penalty and no half-life. */
struct wm {
    struct store s;    /* slots: the passive set; s.cell: depth x width       */
    double cell_bound; /* >= the |value| of every cell                        */

    float *behind;   /* depth x width, or NULL without `average`              */
    double mass;     /* A                                                     */
    double iterates; /* examples that the mean is of                          */
    double square;   /* with a radius: sum of all cells' squares              */
    uint8_t *filter; /* how many members (at most 255) have these top bits in their mixed id */
    uint32_t filter_shift;

    uint32_t multiplier[WM_MAX_DEPTH], addend[WM_MAX_DEPTH], seed; /* hash functions */
    uint32_t width_bits; /* of a width that is a power of two; else UINT32_MAX */

    struct wm_scratch scratch;
};

/* The shape for a budget at 4 bytes an id, weight, other value of a member, and cell.
 *
 * WM: 128 members (256 from 4 KB to below 8 KB) but at most half the budget; rows of as many cells
 * as that, of the double while there would be more than 32 rows, of half while there would be less
 * than 2; and as many rows as fit. At 2, 4, 8, 16, 32 KB these are the shapes of the paper's table.
 * Hashing: 128 members but at most an eighth of the budget, and one row of all cells that fit.
 *
 * An example costs O(n depth), and O(log active) for each entry that enters the passive set.
 *
 * Cells are linear in the steps that made them, so in a merge the mean of the cells is the sketch
 * of the mean of the weights. A member weighs the mean of its weights in a and b; on a side where
 * it is no member, that is WM_ESTIMATE_SHARE times the estimate. Merging is associative up to
 * rounding as long as no member leaves. */
extern const struct linear_kernel wm_kernel;
bool wm_hash_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s);

/* Predicts, then learns; the kernel's `learn`. */
enum linear_result wm_learn(struct store *s, const struct linear_row *row, const uint64_t *hash,
                            double *margin);

/* ---- theorem 1 ----
 *
 * With w* the minimiser of the mean loss with the penalty lambda, over d features, w the estimates
 * from the minimiser of the sketched problem, beta = 1 the smoothness of the loss and gamma the
 * largest |x_1| + |x_2| + … of an example, with k cells in s rows
 *
 *   k = (C1 / epsilon^4) log^3(d / delta) max(1, (beta gamma^2 / lambda)^2)
 *   s = (C2 / epsilon^2) log^2(d / delta) max(1,  beta gamma^2 / lambda)
 *
 * every |w*_i - w_i| <= epsilon sum |w*_i|, with probability 1 - delta over the hash functions. The
 * paper leaves the constants open; here C1 = C2 = 1. So this is what the theorem asks for up to a
 * constant: sketches that are far smaller are what is of use (RESULTS.md).
 */

struct wm_theorem {
    double epsilon, delta; /* 0 < epsilon, 0 < delta < 1 */
    double lambda;         /* > 0                        */
    double features;       /* d >= 1                     */
    double norm;           /* gamma > 0                  */
};

/* Whole numbers, of any size: rows s, and k / s cells in each. */
struct wm_theorem_shape {
    double rows, width;
};
struct wm_theorem_shape wm_theorem_shape(const struct wm_theorem *t);

/* ---- for wm.c and wm_state.c: a feature's cells, and the estimate from them ---- */

/* w, with its sign flipped when `sign` is WM_SIGN_BIT. */
static inline float wm_signed(float w, uint32_t sign)
{
    return float_of_bits(bits_of_float(w) ^ sign);
}

/* A permutation of the 32-bit words. */
static inline uint32_t wm_mix(const struct wm *m, uint64_t id)
{
    uint32_t h = id_slots_fold(id) ^ m->seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

#define WM_SIGN_BIT 0x80000000u

/* The column in a row of width w that 31 bits of a hash give: bits * w / 2^31, for a power of two
 * their top ones. */
static inline uint32_t wm_column_of(uint32_t hash, uint32_t w)
{
    return (uint32_t)(((uint64_t)(hash & ~WM_SIGN_BIT) * w) >> 31);
}

static inline size_t wm_locate(const struct wm *m, uint32_t j, uint32_t mixed, uint32_t *sign)
{
    uint32_t hash = mixed * m->multiplier[j] + m->addend[j];
    *sign = hash & WM_SIGN_BIT;
    return (size_t)j * m->s.shape.width + wm_column_of(hash, m->s.shape.width);
}

/* How many members share this part of their mixed id. A counter that was full once stays full: it
 * only lets more through. */
static inline uint8_t *wm_filter_of(const struct wm *m, uint32_t mixed)
{
    return &m->filter[mixed >> m->filter_shift];
}

static inline float wm_sum_of(const float *v, uint32_t n)
{
    float sum = 0;
    for (uint32_t j = 0; j < n; j++)
        sum += v[j];
    return sum;
}

/* What answers know of cell c: what is stored, or the sum of all z. */
static inline float wm_cell_now(const struct wm *m, size_t c)
{
    if (!m->behind) return m->s.cell.weight[c];
    return sgd_clamp((float)(m->mass * (double)m->s.cell.weight[c] - (double)m->behind[c]));
}

/* By what that is multiplied. */
static inline double wm_scale_now(const struct wm *m)
{
    if (!m->behind) return m->s.sgd.alpha;
    return m->iterates > 0 ? 1 / m->iterates : 0;
}

static inline void wm_read_cells(const struct wm *m, uint64_t id, float *v)
{
    uint32_t mixed = wm_mix(m, id), sign;
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        size_t c = wm_locate(m, j, mixed, &sign);
        v[j] = wm_signed(wm_cell_now(m, c), sign);
    }
}

/* The sum of the squares of all cells. */
double wm_square(const struct wm *m);

/* What of its estimate a feature enters the passive set with. */
static inline float wm_share_of_estimate(const struct wm *m)
{
    return m->s.opt.estimates ? 1 : WM_ESTIMATE_SHARE;
}

/* Stored estimate from the signed cells v of a feature; reorders them. */
float wm_recover(const struct wm *m, float *v);

/* Makes the filter of the passive set, after set.id and set.n were written. */
void wm_make_filter(struct wm *m);
/* Length of `filter`: a power of two. */
static inline uint32_t wm_filter_size(uint32_t active)
{
    uint32_t size = 64;
    while (size < 8 * (uint64_t)active && size < 1u << 20)
        size *= 2;
    return size;
}

#endif
