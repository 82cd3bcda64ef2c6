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
 * With an L1 penalty (l1.h) cells and members take what is pending together, so often that it costs
 * L1_CELLS of them an example.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018, Algorithm 1, which has one rate for all.
 */
#ifndef LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_H
#define LEAT_KERNELS_LINEAR_WM_ADAPTIVE_WM_ADAPTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/linear.h"
#include "kernels/linear/numbers.h"
#include "kernels/sketch/count_sketch.h"
#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"

struct wm_adaptive_shape {
    uint32_t active; /* members of the passive set, >= 1    */
    uint32_t width;  /* cells a row                         */
    uint32_t depth;  /* rows, 1 .. COUNT_SKETCH_MAX_DEPTH   */
};
#define WM_ADAPTIVE_MAX_ACTIVE (1u << 26)
#define WM_ADAPTIVE_MAX_CELLS  (1u << 30) /* width * depth */
#define WM_ADAPTIVE_DEPTH      3          /* rows of a WM-Sketch unless said */
#define WM_ADAPTIVE_SHARE      0.25f      /* of the estimate with which a feature enters (wm.h) */

struct wm_adaptive_options {
    struct sgd_options sgd; /* rates = SGD_ADAPTIVE */
    enum adaptive_precision precision;
    bool counts;      /* positive and negative examples of each member since it entered */
    bool mean;        /* estimates are means, not medians                               */
    bool estimates;   /* members are weighed and shown by their estimates               */
    uint32_t max_row; /* entries of the longest row that is learned                     */
    uint64_t seed;    /* of the hash functions and the rounding                         */
};

/* The model. Everything that a copy of it needs is sgd, set.n and the arrays up to `count`. */
struct wm_adaptive {
    struct wm_adaptive_shape shape;
    struct wm_adaptive_options opt;
    struct sgd sgd;
    struct count_sketch rows; /* the hash functions; its cells are in `cell` */

    struct numbers cell;   /* depth x width, one row after the other. Stored: w / alpha */
    struct numbers member; /* weights of the passive set, without accumulators          */
    struct id_slots set;   /* slots 0 .. set.n - 1 hold members                         */
    uint32_t *count;       /* active x { negative, positive }, or NULL                  */

    struct lazy_min lowest; /* of the members' weights */
    int32_t *bounds;        /* its memory              */
    int32_t bar; /* bits of a float <= |weight| of all members; -1 while a slot is free */

    /* scratch */
    uint32_t *place; /* max_row x depth: cell of entry i in row j, with its sign in the top bit */
    float *along;    /* max_row: a_i, then d_i                                                  */
    struct linear_entrant *entrant; /* of the last example, n_entrants */
    uint32_t n_entrants;
    uint64_t random, draws; /* of the last example */
};

/* Bytes that a member and a cell are charged. */
uint32_t wm_adaptive_member_bytes(const struct wm_adaptive_options *opt);
uint32_t wm_adaptive_cell_bytes(const struct wm_adaptive_options *opt);
/* Choose the fields of a shape that are 0 for a budget: 128 members but at most a quarter of the
 * budget (an eighth beside a single row), WM_ADAPTIVE_DEPTH rows, and rows of all cells that fit.
 * false: none fits, or the given ones cost more or are too large. */
bool wm_adaptive_shape_for(uint64_t bytes, const struct wm_adaptive_options *opt,
                           struct wm_adaptive_shape *shape);
/* Bytes of a shape in that model; bytes that are allocated, with index, padding and scratch. */
uint64_t wm_adaptive_charged_bytes(const struct wm_adaptive_shape *shape,
                                   const struct wm_adaptive_options *opt);
size_t wm_adaptive_block_bytes(const struct wm_adaptive_shape *shape,
                               const struct wm_adaptive_options *opt);

/* block: wm_adaptive_block_bytes() zeroed bytes, aligned to 64. */
void wm_adaptive_init(struct wm_adaptive *m, const struct wm_adaptive_shape *shape,
                      const struct wm_adaptive_options *opt, void *block);

/* Predict, then learn. hash: what wm_adaptive_hash made of the ids, or NULL. *margin is the
 * prediction before the update. Anything but LINEAR_OK: nothing has changed. */
enum linear_result wm_adaptive_learn_hashed(struct wm_adaptive *m, const struct linear_row *row,
                                            const uint64_t *hash, double *margin);
static inline enum linear_result wm_adaptive_learn(struct wm_adaptive *m,
                                                   const struct linear_row *row, double *margin)
{
    return wm_adaptive_learn_hashed(m, row, NULL, margin);
}

/* As wm_borrow and wm_hash. */
void wm_adaptive_borrow(struct wm_adaptive *m, const struct wm_adaptive *from);
void wm_adaptive_hash(const struct wm_adaptive *m, uint32_t n, const uint64_t *id, uint64_t *hash);
/* Predict only. Not finite when a value is not. */
double wm_adaptive_margin(const struct wm_adaptive *m, uint32_t n, const uint64_t *id,
                          const float *x);

/* Estimate of any feature's weight in margins; weight of a member as it is shown. */
double wm_adaptive_weight(const struct wm_adaptive *m, uint64_t id);
double wm_adaptive_slot_weight(const struct wm_adaptive *m, uint32_t slot);
/* As wm_top; weight: capacity set.n. */
uint32_t wm_adaptive_top(const struct wm_adaptive *m, uint32_t k, uint32_t min_count, float *weight,
                         uint32_t *slot);
/* NULL, or which invariant is broken. */
const char *wm_adaptive_check(const struct wm_adaptive *m);

/* As adaptive_forget. */
void wm_adaptive_forget(struct wm_adaptive *m, double share, double sums);

/* ---- copies and merges (wm_adaptive_state.c) ---- */

/* Members in the order of slots. */
struct linear_parts wm_adaptive_parts(const struct wm_adaptive *m);
/* As wm_load. */
const char *wm_adaptive_load(struct wm_adaptive *m, const struct linear_parts *p);
/* As wm_merge: means of weights, sums of accumulators and counts. */
void wm_adaptive_merge(struct wm_adaptive *m, const struct wm_adaptive *a,
                       const struct wm_adaptive *b, double count, struct linear_origin *member);

#endif
