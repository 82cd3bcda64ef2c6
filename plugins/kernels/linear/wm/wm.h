/* wm.h -- Weight-Median Sketch: a linear classifier whose weights share cells of a Count-Sketch.
 *
 * With one row of cells it is feature hashing.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 1. Names here -> paper: depth = s, width = k/s, cells =
 * sqrt(s) z, sgd.alpha = the scale of section 5.1, passive set = the heap of section 5.1.
 *
 * One example:
 *
 *   1. margin = bias + sum of x_i m_i, m_i = mean over the rows j of sign_j(i) cell_j[h_j(i)].
 *   2. Every row takes the full step: cell_j[h_j(i)] -= sign_j(i) u x_i, u = eta g / alpha.
 *   3. If the entry's feature is a member of the passive set, the member's weight also takes the
 *      step u x_i.
 *   4. Any other entry is a candidate with w = WM_ESTIMATE_SHARE (estimate - u x_i). The estimate
 *      uses the cells before step 2. Candidates are tried in the order of the row. A candidate
 *      enters the passive set if a slot is free, or if |w| is above the smallest |weight| of the
 *      members. In the second case the member of the smallest |weight| leaves (of several, the one
 *      in the lowest slot).
 *
 * The estimate of w_i is the median over the rows of sign_j(i) cell_j[h_j(i)], or with `mean` their
 * mean. The median of an even number of values is the mean of the middle two.
 *
 *              0                       width - 1
 *      row 0 | . | . | a | . | . | . | . | b |     feature a: one cell in each row,
 *      row 1 | . | b | . | . | . | a | . | . |     with sign_0(a), sign_1(a), sign_2(a);
 *      row 2 | . | . | . | . |a,b| . | . | . |     a and b share a cell of row 2
 *
 * The passive set is not used for predictions. Query results show its features and weights, and the
 * weights decide which features may enter. The paper uses estimates as weights. But the largest of
 * many noisy estimates are mostly noise. At 8 KB on RCV1, features chosen by estimates have 0.3
 * times the estimated weight, and the set is worse than an empty one. A feature's own steps have no
 * noise. So the weight of a member is a quarter of the estimate with which it entered, plus all its
 * own steps since then.
 *
 * With `estimates` the passive set is the paper's heap. A candidate has w = estimate - u x_i. Step
 * 3 sets a member's weight to its estimate minus u x_i. Query results show the members' current
 * estimates.
 *
 * Theorem 2. With a `radius`, the cells are scaled after each example so that ||z|| is at most the
 * radius, where ||z|| = alpha ||cells|| / sqrt(depth). With `average`, a second value of each cell,
 * `behind`, gives the mean of z over all examples so far. Estimates and margins of queries use the
 * mean; learning uses z itself. Let v_t be a cell and alpha_t the scale after example t, and A_t
 * the sum of the scales. Then sum_t alpha_t v_t = A_T v_T - behind_T, where `behind` grows by
 * A_(t-1) (v_t - v_(t-1)), that is, only when the cell steps. This sum is the difference of two
 * large numbers and could be lost in their rounding errors. So one pass over the cells folds the
 * sum into `behind` before a step that may be far longer than the radius, and when alpha has become
 * small.
 *
 * Example. Two rows, rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1 has the margin 0
 * and the slope -1/2, so u x = -0.25, and feature 7's cell in each row becomes 0.25 times its sign
 * there. Its estimate minus the step u x is 0.25, and it enters the passive set with a quarter of
 * this, 0.0625. If the row comes again its margin is 0.25.
 *
 * L1 penalty (l1.h): the cells shrink, and the weights of the passive set shrink by the same
 * amount.
 *
 * If a row contains an id several times, margin and steps of its entries add up. Ids are folded to
 * 32 bits; ids with equal folds are one feature. Steps 2 to 4 process a row in stretches of at most
 * WM_STRETCH entries; "before step 2" then means before the entry's stretch.
 *
 * Out of scope: names of features, parsing of text, batches of records.
 */
#ifndef LEAT_KERNELS_LINEAR_WM_WM_H
#define LEAT_KERNELS_LINEAR_WM_WM_H

#include "kernels/linear/store.h"

#define WM_MAX_DEPTH      LINEAR_MAX_DEPTH
#define WM_STRETCH        256
#define WM_ESTIMATE_SHARE 0.25f /* a feature enters with this share of its estimate */

/* Values of one stretch of a row, computed by pass 1 (step 1) for pass 2 (steps 2 to 4). Arrays of
 * n x depth are stored row by row of the sketch. */
struct wm_scratch {
    uint32_t *mixed, *at, *sign;
    float *before, *sum, *d, *above, *below, *signed_d;
    int32_t *votes;
    uint32_t *slot, *member; /* slot of each entry, or STORE_NONE; entries that have a slot */
};

/* Options: rates must be SGD_SHARED, because many features share a cell. `average` needs
 * `estimates`. With `average` or a radius there is no L1 penalty and no half-life. */
struct wm {
    struct store s;    /* the slots are the passive set; s.cell has depth x width cells */
    double cell_bound; /* upper bound of |value| over all cells                         */

    float *behind;   /* for theorem 2: depth x width; NULL without `average`              */
    double mass;     /* A_t of theorem 2, the sum of the scales                           */
    double iterates; /* number of examples in the mean                                    */
    double square;   /* sum of the squares of all cells, if there is a radius             */
    uint8_t *filter; /* indexed by top bits of the mixed id: number of members, up to 255 */
    uint32_t filter_shift;

    uint32_t multiplier[WM_MAX_DEPTH], addend[WM_MAX_DEPTH], seed; /* hash functions */
    uint32_t width_bits; /* log2 of the width, or UINT32_MAX if the width is not a power of two */

    struct wm_scratch scratch;
};

/* In a budget, an id, a weight, each other value of a member, and a cell take 4 bytes each.
 *
 * The default shape of WM has 128 members (256 from 4 KB to below 8 KB), or fewer if they would
 * take more than half of the budget. A row has as many cells as there are members, and there are as
 * many rows as fit. If there would be more than 32 rows, the width is doubled; if fewer than 2,
 * halved. At 2, 4, 8, 16 and 32 KB these are the shapes of the paper's table. The default shape of
 * feature hashing has 128 members, or fewer if they would take more than an eighth of the budget,
 * and one row of as many cells as fit.
 *
 * An example costs O(n depth), plus O(log active) for each feature that enters the passive set.
 *
 * Merge. Cells are linear in their steps, so the mean of the cells is the sketch of the mean of the
 * weights. The weight of a member is the mean of its weights in a and b; a model where the feature
 * is not a member contributes WM_ESTIMATE_SHARE times its estimate. Merging is associative up to
 * rounding if no member leaves. */
extern const struct linear_kernel wm_kernel;
bool wm_hash_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s);

/* Predicts, then learns; `learn` of wm_kernel. */
enum linear_result wm_learn(struct store *s, const struct linear_row *row, const uint64_t *hash,
                            double *margin);

/* ---- theorem 1 ----
 *
 * Let w* minimise the mean loss with the penalty lambda over d features, and w be the estimates
 * from the minimiser of the sketched problem. beta = 1 is the smoothness of the loss, gamma the
 * largest |x_1| + |x_2| + … of an example. With k cells in s rows, where
 *
 *   k = (C1 / epsilon^4) log^3(d / delta) max(1, (beta gamma^2 / lambda)^2)
 *   s = (C2 / epsilon^2) log^2(d / delta) max(1,  beta gamma^2 / lambda)
 *
 * every |w*_i - w_i| <= epsilon sum |w*_i|, with probability 1 - delta over the hash functions. The
 * paper leaves the constants open; here C1 = C2 = 1, so the shape is right up to a constant. In
 * practice far smaller sketches are useful (RESULTS.md).
 */

struct wm_theorem {
    double epsilon, delta; /* 0 < epsilon, 0 < delta < 1                 */
    double lambda;         /* > 0                                        */
    double features;       /* number of features d; >= 1                 */
    double norm;           /* gamma, the largest norm of an example; > 0 */
};

/* Rows s, and cells per row k / s. Both are whole numbers, possibly too large for an integer. */
struct wm_theorem_shape {
    double rows, width;
};
struct wm_theorem_shape wm_theorem_shape(const struct wm_theorem *t);

/* ---- for wm.c and wm_state.c: a feature's cells, and the estimate from them ---- */

/* Returns -w if `sign` is WM_SIGN_BIT, and w if `sign` is 0. */
static inline float wm_signed(float w, uint32_t sign)
{
    return float_of_bits(bits_of_float(w) ^ sign);
}

/* Returns the mix of a folded id. The mix is a permutation of the 32-bit numbers. */
static inline uint32_t wm_mix(const struct wm *m, uint64_t id)
{
    uint32_t h = id_slots_fold(id) ^ m->seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

#define WM_SIGN_BIT 0x80000000u

/* Returns a feature's column in a row of width w: the low 31 bits of the hash, times w / 2^31. If w
 * is a power of two, these are the top bits. */
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

/* Returns the counter of the members whose mixed ids have these top bits. A counter that has
 * reached its limit is never decremented; the filter then only lets more entries through. */
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

/* Value of cell c that queries use: the stored value, or with `average` the sum of z over
 * all examples. */
static inline float wm_cell_now(const struct wm *m, size_t c)
{
    if (!m->behind) return m->s.cell.weight[c];
    return sgd_clamp((float)(m->mass * (double)m->s.cell.weight[c] - (double)m->behind[c]));
}

/* Factor that converts wm_cell_now() to a weight in margins. */
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

/* Sum of the squares of all cells. */
double wm_square(const struct wm *m);

/* Returns the share of its estimate with which a feature enters the passive set. */
static inline float wm_share_of_estimate(const struct wm *m)
{
    return m->s.opt.estimates ? 1 : WM_ESTIMATE_SHARE;
}

/* Returns the stored estimate of a feature from its signed cells v. Reorders v. */
float wm_recover(const struct wm *m, float *v);

/* Rebuilds the filter of the passive set from set.id and set.n. */
void wm_make_filter(struct wm *m);
/* Returns the length of `filter`, a power of two. */
static inline uint32_t wm_filter_size(uint32_t active)
{
    uint32_t size = 64;
    while (size < 8 * (uint64_t)active && size < 1u << 20)
        size *= 2;
    return size;
}

#endif
