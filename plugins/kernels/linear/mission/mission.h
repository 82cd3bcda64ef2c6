/* mission.h -- MISSION: gradient steps go into a Count-Sketch, and only its k heaviest features
 * predict.
 *
 * Source: A. Aghazadeh, R. Spring, D. LeJeune, G. Dasarathy, A. Shrivastava, R. Baraniuk, MISSION:
 * Ultra large-scale feature selection using Count-Sketches, ICML 2018, algorithm 1. Names here ->
 * paper: sketch = S, the top = the heap, beta.
 *
 * One example:
 *
 *   1. margin = bias + sum of x_i beta_i over the entries whose features are in the top.
 *   2. Every entry adds its step to the sketch: S += -u x_i, u = eta g / alpha.
 *   3. beta_i of an entry becomes the estimate of S after its step. A feature that is not in the
 *      top enters it while there is a free slot or |beta_i| is larger than the smallest |beta|
 *      there; the feature with that (equal ones: the lowest slot) leaves.
 *
 * So beta is hard-thresholded: a feature that has left the top does not predict, but the sketch
 * remembers its steps. beta of a member is the estimate as of its last example, as the authors'
 * program has it; steps of others that share its cells do not change it in between.
 *
 * Beyond the paper: the bias, a rate that falls and the L2 penalty of sgd.h (lambda = 0 is the
 * paper's), importance weights, losses.
 *
 * An id that a row repeats counts as that many entries. Ids are folded to 32 bits; ids whose folds
 * are equal are one feature. An example costs O(n depth), and O(log active) for each that enters.
 */
#ifndef LEAT_KERNELS_LINEAR_MISSION_MISSION_H
#define LEAT_KERNELS_LINEAR_MISSION_MISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/linear.h"
#include "kernels/sketch/count_sketch.h"
#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"

struct mission_shape {
    uint32_t active; /* features of the top, >= 1: k */
    uint32_t width;  /* cells a row                  */
    uint32_t depth;  /* rows                         */
    uint32_t extra;  /* values of a member besides id and weight: mission_extra() */
};
#define MISSION_MAX_ACTIVE (1u << 26)
#define MISSION_MAX_CELLS  (1u << 30) /* width * depth */

struct mission_options {
    struct sgd_options sgd; /* rates SGD_SHARED, l1 0 */
    bool counts;            /* positive and negative examples of each member since it entered */
    uint32_t max_row;
    uint64_t seed; /* of the hash functions */
};

struct mission {
    struct mission_shape shape;
    struct mission_options opt;
    struct sgd sgd;
    struct count_sketch sketch; /* stored: w / alpha */
    struct id_slots set;        /* the top           */
    float *weight;   /* beta of its members, stored as cells are, padded for `lightest` */
    uint32_t *count; /* active x { negative, positive }, or NULL */
    struct lazy_min lightest;
    int32_t *bounds; /* its memory */
    int32_t bar;     /* bits of a float <= |weight| of all members; -1 while a slot is free */
    struct linear_entrant *entrant; /* of the last example, n_entrants */
    uint32_t n_entrants;
};

uint32_t mission_extra(const struct mission_options *opt);
/* Choose the fields of a shape that are 0 for a budget at 4 bytes an id, weight, extra value and
 * cell: 128 members but at most half the budget, 3 rows, and as wide as fits. false: none fits, or
 * the given ones cost more or are too large. */
bool mission_shape_from_budget(uint64_t bytes, struct mission_shape *shape);
uint64_t mission_charged_bytes(const struct mission_shape *shape);
size_t mission_block_bytes(const struct mission_shape *shape, const struct mission_options *opt);

/* block: mission_block_bytes() zeroed bytes, aligned to 64. */
void mission_init(struct mission *m, const struct mission_shape *shape,
                  const struct mission_options *opt, void *block);
/* m, initialised with max_row 0, uses the scratch of `from`, of the same seed. */
void mission_borrow(struct mission *m, const struct mission *from);

/* Predict, then learn. hash: what mission_hash made of the ids, or NULL. Anything but LINEAR_OK:
 * nothing has changed. */
enum linear_result mission_learn_hashed(struct mission *m, const struct linear_row *row,
                                        const uint64_t *hash, double *margin);
void mission_hash(const struct mission *m, uint32_t n, const uint64_t *id, uint64_t *hash);
/* Predict only. Not finite when a value is not. */
double mission_margin(const struct mission *m, uint32_t n, const uint64_t *id, const float *x);

/* The sketch's estimate of any feature's weight. */
double mission_weight(const struct mission *m, uint64_t id);
/* The k heaviest members, as wm_top. */
uint32_t mission_top(const struct mission *m, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *slot);
static inline double mission_slot_weight(const struct mission *m, uint32_t slot)
{
    return (double)m->weight[slot] * m->sgd.alpha;
}
/* NULL, or which invariant is broken. */
const char *mission_check(const struct mission *m);

/* ---- copies and merges (mission_state.c) ---- */

struct linear_parts mission_parts(const struct mission *m);
/* As wm_load. */
const char *mission_load(struct mission *m, const struct linear_parts *p);
/* Make m, just initialised, the mean of a and b, as wm_merge: the sketches are averaged, and the
 * top are the heaviest members of both by the estimates of that mean. */
void mission_merge(struct mission *m, const struct mission *a, const struct mission *b,
                   double count, struct linear_origin *member);

#endif
