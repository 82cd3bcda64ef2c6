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
 * Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/linear.h"
#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"

struct awm_shape {
    uint32_t active; /* slots of S, >= 1                                   */
    uint32_t width;  /* cells a row; a power of two                        */
    uint32_t depth;  /* rows, 1 .. AWM_MAX_DEPTH                           */
    uint32_t extra;  /* values a slot besides id and weight: awm_extra()   */
};
#define AWM_MAX_DEPTH  64
#define AWM_MAX_ACTIVE (1u << 26)
#define AWM_MAX_CELLS  (1u << 30) /* width * depth */

struct awm_options {
    struct sgd_options sgd;
    bool counts;      /* positive and negative examples of each member since it entered */
    uint32_t max_row; /* entries of the longest row that is learned                     */
    uint64_t seed;    /* of the hash functions                                          */
};

/* The model. Everything that a copy of it needs is sgd, index.n and the state_bytes at `cell`; the
 * other arrays are an index that can be built from those, and scratch. */
struct awm {
    struct awm_shape shape;
    struct awm_options opt;
    struct sgd sgd;
    int32_t bound; /* bits of a float <= min |S|; -1 while S has a free slot */

    size_t state_bytes;
    float *cell;        /* weights of S, padded; the sketch from first_cell on. Stored: w / alpha */
    uint32_t *id;       /* active + 2: folded id of each slot, then two guards          */
    float *accumulator; /* active: of own rates (sgd.h), or NULL                        */
    uint32_t *count;    /* active x { negative, positive }, or NULL                     */
    float *l1_seen;     /* active: the penalty that each weight has had (l1.h), or NULL */

    struct id_slots index;  /* id -> slot; slots 0 .. index.n - 1 hold members. index.id is `id` */
    struct lazy_min lowest; /* of the weights of S                                              */
    int32_t *bounds;        /* its memory                                                       */
    uint32_t first_cell;    /* of the sketch, in `cell`                                         */

    /* scratch, max_row each */
    uint32_t *at;     /* where entry i lives: index into `cell`                       */
    float *sx;        /* its value times its sign there                               */
    float *before;    /* what was stored there when the margin was computed           */
    int32_t *key;     /* bits of |w~| where entry i is a candidate, else -1           */
    uint32_t *member; /* with depth 1: which entries are members, n_members           */
    uint32_t n_members;
    uint64_t *candidate;
    uint64_t entered;               /* bit c % 64: a feature of cell c has entered in this row */
    struct linear_entrant *entrant; /* of the last example, n_entrants                         */
    uint32_t n_entrants;
};

static inline uint32_t awm_fold(uint64_t id) { return id_slots_fold(id); }

/* What a slot keeps besides id and weight under these options. */
static inline bool awm_keeps_accumulators(const struct awm_options *opt)
{
    return opt->sgd.rates != SGD_SHARED;
}
static inline bool awm_keeps_counts(const struct awm_options *opt) { return opt->counts; }
static inline bool awm_keeps_l1_seen(const struct awm_options *opt) { return opt->sgd.l1 > 0; }
/* `extra` of a shape: how many values that makes. */
uint32_t awm_extra(const struct awm_options *opt);
/* Choose the fields of a shape that are 0 for a budget at 4 bytes an id, weight, extra value and
 * cell: depth 1, half for the sketch with its width rounded down to a power of two, the rest for S.
 * 32 KB: 2048 slots, 4096 cells. `extra` is as given. false: no shape fits, or a given field is too
 * large. */
bool awm_shape_from_budget(uint64_t bytes, struct awm_shape *shape);
/* The same with the `extra` of these options. */
bool awm_shape_for(uint64_t bytes, const struct awm_options *opt, struct awm_shape *shape);
/* Bytes of a shape in that model; bytes that are allocated, with index, padding and scratch. */
uint64_t awm_charged_bytes(const struct awm_shape *shape);
size_t awm_block_bytes(const struct awm_shape *shape, const struct awm_options *opt);

/* block: awm_block_bytes() zeroed bytes, aligned to 64. */
void awm_init(struct awm *m, const struct awm_shape *shape, const struct awm_options *opt,
              void *block);

/* Predict, then learn. hash: what awm_hash made of the ids, or NULL. *margin is the prediction
 * before the update. Anything but LINEAR_OK: nothing has changed. Cost O(n), and O(active / 64) for
 * each feature that enters. */
enum linear_result awm_learn_hashed(struct awm *m, const struct linear_row *row,
                                    const uint64_t *hash, double *margin);
static inline enum linear_result awm_learn(struct awm *m, const struct linear_row *row,
                                           double *margin)
{
    return awm_learn_hashed(m, row, NULL, margin);
}

/* For several models of one shape, seed and options that learn the same rows, each with labels of
 * its own: m, which was initialised with max_row 0, uses the scratch of `from`, and one awm_hash
 * serves all. */
void awm_borrow(struct awm *m, const struct awm *from);
static inline void awm_hash(const struct awm *m, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    id_slots_mix_all(m->opt.seed, n, id, hash);
}
/* Predict only. Not finite when a value is not. */
double awm_margin(const struct awm *m, uint32_t n, const uint64_t *id, const float *x);

/* Estimate of one feature's weight in margins: exact in S, the median of its cells otherwise. */
double awm_weight(const struct awm *m, uint64_t id);
/* awm_weight of a member. */
double awm_slot_weight(const struct awm *m, uint32_t slot);
/* The k heaviest slots of S by awm_slot_weight, heaviest first (equal ones: lowest slot first);
 * with counts, only those of at least min_count examples. weight: scratch for `active`; slot:
 * capacity k. Returns how many there are. */
uint32_t awm_top(const struct awm *m, uint32_t k, uint32_t min_count, float *weight,
                 uint32_t *slot);

/* Where row j of the sketch keeps a feature: index into `cell`, and its sign. */
uint32_t awm_cell(const struct awm *m, uint32_t j, uint64_t id, float *sign);
/* NULL, or which invariant is broken. */
const char *awm_check(const struct awm *m);

/* ---- copies and merges (awm_state.c) ---- */

/* Members in the order of slots. */
struct linear_parts awm_parts(const struct awm *m);
/* Make m, just initialised, the model of these parts, whose numbers are in range: it continues
 * exactly as the model that they were taken from. NULL, or why no model can have these parts; m
 * must then not be used. */
const char *awm_load(struct awm *m, const struct linear_parts *p);

/* Make m, just initialised, the mean of a and b (sgd_state.h), b counting `count` times; all three
 * have one shape and the same options, seed among them. A feature that is a member in a or b weighs
 * the mean of awm_weight in both. The heaviest are members of m, heaviest first; the others go to
 * the sketch, which is the mean of both sketches, as evicted members do. Accumulators and counts
 * add up; a side where the feature is not a member adds none. member: capacity 2 active; member[s]
 * becomes the origin of slot s. O(active log active + cells). m does not depend on the order of a
 * and b; merging is associative up to rounding as long as no member is evicted and depth < 3 (a
 * median of sums is not a sum of medians). */
void awm_merge(struct awm *m, const struct awm *a, const struct awm *b, double count,
               struct linear_origin *member);

#endif
