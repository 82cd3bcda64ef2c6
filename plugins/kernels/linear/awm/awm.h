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
 * One example (all of it is what Algorithm 2 does; the ties are ours to break):
 *   1. margin = bias + sum over S of w_i x_i + sum over the rest of x_i (mean of the rows' signed
 * cells).
 *   2. decay, and the gradient step on the members of S.
 *   3. each feature outside S is a candidate with w~ = estimate - step. Largest |w~| first (equal
 * ones: by place in the row), it enters S while S has room or |w~| > min |S|; the member with the
 * smallest |w| (equal ones: the lowest slot) goes, and what it weighs more than its estimate goes
 * to the sketch.
 *   4. all other features outside S get their step in the sketch.
 *
 * Evidence. Where every example has one feature, the weight of feature i that fits best is known in
 * closed form from how often it was in positive and negative examples, n+ and n-:
 *
 *   W(s) = log((n+ + s q) / (n- + s (1 - q))) - bias     q = 1 / (1 + e^-bias)
 *
 * the log odds of i beyond the common ones, as if s examples of common odds had come before (it is
 * 0 without counts, and few counts stay near it). With AWM_COUNTS members follow that instead of
 * the gradient, and need no rate:
 *   - a member's weight is W(AWM_CAUTION), a cautious one: it decides who stays, and the margin;
 *   - a candidate is compared, and enters, with AWM_TRUST of w~: the estimate of a shared cell is
 *     half others', and its counts begin with this example;
 *   - what is shown of a member is W(AWM_SHOWN), and members are ranked by what is shown.
 * Values count as 1 there, weights of examples too. The sketch learns as ever. Rows of several
 * features are learned as well, each feature by itself (a naive Bayes classifier).
 *
 * An id that a row repeats counts as that many entries: the margin and the steps add up as if they
 * were summed, |w~| is each entry's own, and once one of them has entered, the others step the
 * member. Ids are folded to 32 bits; ids whose folds are equal are one feature.
 *
 * With an L1 penalty (l1.h) members are compared as they are before the example's own share of
 * it; the sketch has it as a penalty on its cells. Not with AWM_COUNTS.
 *
 * Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/linear.h"
#include "kernels/sketch/lazy_min.h"
#include "kernels/sketch/id_slots.h"

struct awm_shape {
    uint32_t active; /* slots of S, >= 1             */
    uint32_t width;  /* cells a row; a power of two  */
    uint32_t depth;  /* rows, 1 .. AWM_MAX_DEPTH     */
    uint32_t extra;  /* values a slot beside id and weight: awm_extra() */
};
#define AWM_MAX_DEPTH  64
#define AWM_MAX_ACTIVE (1u << 26)
#define AWM_MAX_CELLS  (1u << 30) /* width * depth */

enum awm_evidence { AWM_GRADIENT = 0, AWM_COUNTS = 1 };
#define AWM_CAUTION 20.0 /* examples of common odds that speak against a feature's staying */
#define AWM_SHOWN   2.0  /* and against what is shown of it */
#define AWM_TRUST   0.5f /* share of an estimate from the sketch that is believed */

struct awm_options {
    struct sgd_options sgd;
    enum awm_evidence evidence;
    bool counts;      /* positive and negative examples of each member since it entered */
    uint32_t max_row; /* entries of the longest row that is learned */
    uint64_t seed;    /* of the hash functions */
};

/* The model. Everything that a copy of it needs is sgd, index.n and the state_bytes at `cell`; the
 * other arrays are an index that can be built from those, and scratch. */
struct awm {
    struct awm_shape shape;
    struct awm_options opt;
    struct sgd sgd;
    int32_t bound; /* bits of a float <= min |S|; -1 while S has room */

    size_t state_bytes;
    float *cell;     /* slots of S, padded to blocks; then depth x width cells. Stored: w / alpha */
    uint32_t *id;    /* active + 2: folded id of each slot, then two guards         */
    float *own;      /* active accumulators of own rates, or NULL                   */
    uint32_t *count; /* active x { negative, positive }, or NULL                    */
    float *settled;  /* active: penalty up to which a weight has had it, or NULL    */

    struct id_slots index;     /* id -> slot, index.n of which are in use; its id is `id` */
    struct lazy_min lowest;    /* of the cells of S                                     */
    int32_t *bounds;           /* its memory                                            */
    uint32_t first_cell;       /* of the sketch, in `cell`                                    */
    float trust;               /* share of a candidate's weight that counts: 1, or AWM_TRUST */
    struct sgd_common caution; /* AWM_CAUTION examples at the bias … */
    double caution_bias;       /* … that was this                    */

    uint32_t *at;     /* scratch, max_row each: where entry i lives, … */
    float *sx;        /* … its value times its sign there, …           */
    float *seen;      /* … and the stored weight that the margin used  */
    int32_t *key;     /* bits of |w~| where entry i is a candidate, else -1 */
    uint32_t *member; /* entries of members, n_members, of a row in one row of cells */
    uint32_t n_members;
    uint64_t *candidate;
    uint64_t entered;               /* bit c % 64: a feature of cell c has entered in this row */
    struct linear_entrant *entrant; /* of the last example, n_entrants */
    uint32_t n_entrants;
};

static inline uint32_t awm_fold(uint64_t id) { return id_slots_fold(id); }

/* What these options make a slot keep beside id and weight: a rate of its own, counts. */
static inline bool awm_keeps_own(const struct awm_options *opt)
{
    return opt->sgd.rates != SGD_SHARED && opt->evidence == AWM_GRADIENT;
}
static inline bool awm_keeps_counts(const struct awm_options *opt)
{
    return opt->counts || opt->evidence == AWM_COUNTS;
}
static inline bool awm_keeps_settled(const struct awm_options *opt) { return opt->sgd.l1 > 0; }
/* Extra values a slot that these options take. */
uint32_t awm_extra(const struct awm_options *opt);
/* Chooses the fields that are 0 for a budget at 4 bytes an id, weight, extra value and cell: depth
 * 1, half for the sketch with its width rounded down to a power of two, the rest for S. 32 KB: 2048
 * slots, 4096 cells. `extra` is as given. false: no shape fits, or a given one is too large. */
bool awm_shape_from_budget(uint64_t bytes, struct awm_shape *shape);
/* The same with the `extra` of these options. AWM_COUNTS has an eighth for the sketch, for there
 * what is known of members is worth more: 32 KB are 1792 slots, 1024 cells. */
bool awm_shape_for(uint64_t bytes, const struct awm_options *opt, struct awm_shape *shape);
/* Bytes of a shape in that model, and those that really are allocated (index, padding, scratch). */
uint64_t awm_charged_bytes(const struct awm_shape *shape);
size_t awm_block_bytes(const struct awm_shape *shape, const struct awm_options *opt);
size_t awm_scratch_bytes(uint32_t max_row);

/* block: awm_block_bytes() zeroed bytes, aligned to 64. */
void awm_init(struct awm *m, const struct awm_shape *shape, const struct awm_options *opt,
              void *block);

/* Predict, then learn. hash: what awm_hash made of the ids, or NULL. *margin is the prediction
 * before the update. Anything but LINEAR_OK: nothing has changed. Cost O(n) + O(active / 64) for each
 * feature that enters. */
enum linear_result awm_learn_hashed(struct awm *m, const struct linear_row *row,
                                    const uint64_t *hash, double *margin);
static inline enum linear_result awm_learn(struct awm *m, const struct linear_row *row,
                                           double *margin)
{
    return awm_learn_hashed(m, row, NULL, margin);
}

/* One of several models of one shape, seed and options that learn the same rows, each with labels
 * of its own: awm_hash is done once for all. m was initialised with max_row 0; `from`, which has
 * room for rows, lends it its scratch. */
void awm_borrow(struct awm *m, const struct awm *from);
static inline void awm_hash(const struct awm *m, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    id_slots_mix_all(m->opt.seed, n, id, hash);
}
/* Predict only. Non-finite when a value is. */
double awm_margin(const struct awm *m, uint32_t n, const uint64_t *id, const float *x);

/* Estimate of one feature's weight in margins: exact in S, the median of its cells otherwise. */
double awm_weight(const struct awm *m, uint64_t id);
/* The weight to show of a member: awm_weight, or W(AWM_SHOWN) as a float. */
double awm_slot_weight(const struct awm *m, uint32_t slot);
/* What is sure of it: awm_weight, or W(AWM_CAUTION). Two features differ when these do. */
double awm_slot_caution(const struct awm *m, uint32_t slot);
/* The k heaviest slots of S by awm_slot_weight, heaviest first (equal ones: lowest slot first);
 * with counts, only those of at least min_count examples. weight: scratch for `active`; slot: room
 * for k. Returns how many there are. */
uint32_t awm_top(const struct awm *m, uint32_t k, uint32_t min_count, float *weight,
                 uint32_t *slot);

/* Where row j of the sketch keeps a feature: index into `cell`, and its sign. */
uint32_t awm_cell(const struct awm *m, uint32_t j, uint64_t id, float *sign);
/* With AWM_COUNTS: give every member the weight of its counts, after these were set from outside.
 */
void awm_recount(struct awm *m);
/* NULL, or which invariant is broken (for tests). */
const char *awm_check(const struct awm *m);

/* ---- copies and merges (awm_state.c) ---- */

/* All that makes a model, besides shape and options: lent arrays, members in the order of slots. */
struct awm_parts {
    struct sgd sgd; /* but for opt */
    uint32_t n_active;
    const uint32_t *id;    /* folded                              */
    const float *weight;   /* stored                              */
    const float *own;      /* NULL without own rates              */
    const uint32_t *count; /* NULL without counts                 */
    const float *settled;  /* NULL without penalty                */
    const float *cell;     /* depth x width                       */
};
struct awm_parts awm_parts(const struct awm *m);
/* Make m, just initialised, that model, which then goes on as the one whose parts they are would
 * have. NULL, or why there is no such model: m is then good for nothing. */
const char *awm_load(struct awm *m, const struct awm_parts *p);

/* Make m, just initialised, the mean of a and b (sgd_state.h), b counting `count` times; all three
 * of one shape and the same options, seed among them. The weight of each feature that is a member
 * in a or b is the mean of what the two know of it (awm_weight); the heaviest are members of m,
 * heaviest first, the others go to the sketch, the mean of both, as evicted ones do. Own rates and
 * counts of members add up; where one is no member, it adds none. (With AWM_COUNTS their weights
 * then follow from the counts.) member: room for 2 active; member[s] is then the origin of slot s.
 * O(active log active + cells). m is the same, whichever way round; associative up to rounding as
 * long as no member is evicted and depth < 3 (a median of sums is no sum of medians). */
void awm_merge(struct awm *m, const struct awm *a, const struct awm *b, double count,
               struct linear_origin *member);

#endif
