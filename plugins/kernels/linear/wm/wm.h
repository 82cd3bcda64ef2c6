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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/l1.h"
#include "kernels/linear/linear.h"
#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"

struct wm_shape {
    uint32_t active; /* members of the passive set, >= 1 */
    uint32_t width;  /* cells a row                      */
    uint32_t depth;  /* rows, 1 .. WM_MAX_DEPTH          */
    uint32_t extra;  /* values a member besides id and weight: wm_extra() */
    uint32_t beside; /* values a cell besides its weight: wm_beside()     */
};
#define WM_MAX_DEPTH      64
#define WM_MAX_ACTIVE     (1u << 26)
#define WM_MAX_CELLS      (1u << 30) /* width * depth */
#define WM_STRETCH        256
#define WM_ESTIMATE_SHARE 0.25f /* of the estimate with which a feature enters */

struct wm_options {
    struct sgd_options sgd; /* rates must be SGD_SHARED: many features share a cell */
    bool counts;            /* positive and negative examples of each member since it entered */
    bool mean;              /* estimates are means, not medians */
    bool estimates;         /* members are weighed and shown by their estimates */
    bool average;     /* answers are from the mean z; with estimates, without l1 and half-life */
    double radius;    /* > 0: largest length of z; without l1 and half-life */
    uint32_t max_row; /* entries of the longest row that is learned */
    uint64_t seed;    /* of the hash functions */
};

/* What pass 1 (step 1) leaves for pass 2 (steps 2 to 4) of one stretch of a row. Arrays of n x
 * depth hold one row of the sketch after the other. */
struct wm_scratch {
    uint32_t *mixed, *at, *sign;
    float *before, *sum, *d, *above, *below, *signed_d;
    int32_t *votes;
    uint32_t *slot, *member; /* of entries in the passive set; which these are */
};

struct wm {
    struct wm_shape shape;
    struct wm_options opt;
    struct sgd sgd;
    double cell_bound; /* >= the |value| of every cell */

    float *cell;         /* depth x width. Stored: w / alpha                       */
    float *behind;       /* the same, or NULL without `average`                    */
    double mass;         /* A                                                      */
    double iterates;     /* examples that the mean is of                           */
    double square;       /* with a radius: sum of all cells' squares               */
    struct id_slots set; /* the passive set                                        */
    float *weight;       /* of its members, stored as cells are, padded for `lightest` */
    uint32_t *count;     /* active x { negative, positive }, or NULL               */
    uint8_t *filter;     /* how many members (at most 255) have these top bits in their mixed id */
    uint32_t filter_shift;
    struct lazy_min lightest;
    int32_t *bounds; /* its memory */
    int32_t bar;     /* bits of a float <= |weight| of all members; -1 while a slot is free */

    uint32_t multiplier[WM_MAX_DEPTH], addend[WM_MAX_DEPTH], seed; /* hash functions */
    uint32_t width_bits; /* of a width that is a power of two; else UINT32_MAX */

    struct wm_scratch scratch;
    struct linear_entrant *entrant; /* of the last example, n_entrants */
    uint32_t n_entrants;
};

/* `extra` of a shape: values that a member keeps besides id and weight under these options. */
uint32_t wm_extra(const struct wm_options *opt);
uint32_t wm_beside(const struct wm_options *opt);
/* Choose the fields of a shape that are 0 for a budget at 4 bytes an id, weight, extra value and
 * cell. false: none fits, or the given ones cost more or are too large. `extra` is as given.
 *
 * WM: 128 members (256 from 4 KB to below 8 KB) but at most half the budget; rows of as many cells
 * as that, of the double while there would be more than 32 rows, of half while there would be less
 * than 2; and as many rows as fit. At 2, 4, 8, 16, 32 KB these are the shapes of the paper's table.
 * Hashing: 128 members but at most an eighth of the budget, and one row of all cells that fit. */
bool wm_shape_from_budget(uint64_t bytes, struct wm_shape *shape);
bool wm_hash_shape_from_budget(uint64_t bytes, struct wm_shape *shape);
/* Bytes of a shape in that model, and those that really are allocated (index, padding, scratch). */
uint64_t wm_charged_bytes(const struct wm_shape *shape);
size_t wm_block_bytes(const struct wm_shape *shape, const struct wm_options *opt);

/* block: wm_block_bytes() zeroed bytes, aligned to 64. */
void wm_init(struct wm *m, const struct wm_shape *shape, const struct wm_options *opt, void *block);

/* Predict, then learn. hash: what wm_hash made of the ids, or NULL. *margin is the prediction
 * before the update. Anything but LINEAR_OK: nothing has changed. Cost O(n depth), and O(log
 * active) for each entry that enters the passive set. */
enum linear_result wm_learn_hashed(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                                   double *margin);
static inline enum linear_result wm_learn(struct wm *m, const struct linear_row *row,
                                          double *margin)
{
    return wm_learn_hashed(m, row, NULL, margin);
}

/* For several models of one shape, seed and options that learn the same rows, each with labels of
 * its own: m, which was initialised with max_row 0, uses the scratch of `from`, and one wm_hash
 * serves all. */
void wm_borrow(struct wm *m, const struct wm *from);
void wm_hash(const struct wm *m, uint32_t n, const uint64_t *id, uint64_t *hash);
/* Predict only. Not finite when a value is not. */
double wm_margin(const struct wm *m, uint32_t n, const uint64_t *id, const float *x);

/* Estimate of any feature's weight. */
double wm_weight(const struct wm *m, uint64_t id);
/* The k heaviest members, heaviest first (equal ones: lowest slot first); with counts, only those
 * of at least min_count examples. weight: scratch, capacity set.n; slot: capacity k. Returns how
 * many there are. */
uint32_t wm_top(const struct wm *m, uint32_t k, uint32_t min_count, float *weight, uint32_t *slot);
/* The weight of a member as it is shown: with `estimates` wm_weight, else that of
 * the passive set. */
double wm_slot_weight(const struct wm *m, uint32_t slot);

/* Where row j keeps a feature: index into `cell`, and its sign. */
size_t wm_cell(const struct wm *m, uint32_t j, uint64_t id, float *sign);
/* Length of `filter`: a power of two. */
static inline uint32_t wm_filter_size(uint32_t active)
{
    uint32_t size = 64;
    while (size < 8 * (uint64_t)active && size < 1u << 20)
        size *= 2;
    return size;
}
/* After set.id and set.n were written: the index and the filter of the passive set are made. */
void wm_reindex(struct wm *m);
/* NULL, or which invariant is broken. */
const char *wm_check(const struct wm *m);

/* ---- copies and merges (wm_state.c) ---- */

/* Members in the order of slots, without accumulators and l1_seen. */
struct linear_parts wm_parts(const struct wm *m);
/* Make m, just initialised, the model of these parts, whose numbers are in range: it continues
 * exactly as the model that they were taken from. NULL, or why no model can have these parts; m
 * must then not be used. */
const char *wm_load(struct wm *m, const struct linear_parts *p);

/* Make m, just initialised, the mean of a and b (sgd_state.h), b counting `count` times; all three
 * have one shape and the same options, seed among them. Cells are linear in the steps that made
 * them, so the mean of the cells is the sketch of the mean of the weights. Members are the heaviest
 * of both, heaviest first, equal ones by id. A member weighs the mean of its weights in a and b; on
 * a side where it is not a member, that is WM_ESTIMATE_SHARE times the estimate. Counts of members
 * add up; a side where the feature is not a member adds none. member: capacity 2 active; member[s]
 * becomes the origin of slot s. O(active log active + cells). m does not depend on the order of a
 * and b; merging is associative up to rounding as long as no member leaves. */
void wm_merge(struct wm *m, const struct wm *a, const struct wm *b, double count,
              struct linear_origin *member);

#endif
