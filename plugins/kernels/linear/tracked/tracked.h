/* tracked.h -- linear classifiers that know the weights of a few features and of no others.
 *
 * The baselines of the sketches, at an equal number of bytes. A table of slots holds the tracked
 * features with exact weights; all other weights are 0. One example:
 *
 *   1. margin = bias + sum over the tracked features of w_i x_i.
 *   2. All weights decay; the tracked features of the row take the gradient step.
 *   3. The rule decides which of the row's other features take a slot, and which tracked ones lose
 *      theirs.
 *
 * The rules (truncation.c, space_saving.c, count_min.c):
 *
 *   HEAVIEST      the largest |w| of tracked and stepped features stay. Simple truncation.
 *   SAMPLED       each feature draws e ~ Exp(1) when it enters and has the key |w|/e; the largest
 *                 keys stay: a sample without replacement in which heavier features are likelier.
 *                 Probabilistic truncation.
 *   SPACE_SAVING  the most frequent features stay, by Space Saving.
 *   COUNT_MIN     the most frequent features stay, by the counts of a Count-Min sketch.
 *
 * Source: K. S. Tai, V. Sharan, P. Bailis, G. Valiant, Sketching Linear Classifiers over Data
 * Streams, SIGMOD 2018: Algorithms 3 and 4, and the frequent-feature baselines of section 7. Names
 * here -> paper: slots = K, w = S, key = -1/log W of Algorithm 4.
 *
 * Why the key is |w|/e: Algorithm 4 starts with W = u^(1/|w|) and raises W to |w_old/w_new| with
 * each change, so log W stays log(u)/|w|. So e = -log(u) is all that must be kept; W need never be
 * computed, decay changes no order, and a weight that passes through 0 returns with the right key
 * (its W would be lost). `priority` holds 1/e, so the key is |w| times the priority. With `product`
 * the key is |w| e, as in the authors' own program: the draw lifts light features less, and a heavy
 * one is lost less easily.
 *
 * With an L1 penalty (l1.h) features are compared as they are before the example's own share of
 * it.
 *
 * An id that a row repeats has its values summed first. Ids are folded to 32 bits; ids whose folds
 * are equal are one feature. A feature that enters starts from weight 0 with one step.
 *
 * Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_LINEAR_TRACKED_TRACKED_H
#define LEAT_KERNELS_LINEAR_TRACKED_TRACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/linear/l1.h"
#include "kernels/linear/linear.h"
#include "kernels/sketch/id_slots.h"
#include "kernels/sketch/lazy_min.h"

enum tracked_rule {
    TRACKED_HEAVIEST = 0,
    TRACKED_SAMPLED,
    TRACKED_SPACE_SAVING,
    TRACKED_COUNT_MIN
};

struct tracked_shape {
    uint32_t slots; /* features, >= 1                                        */
    uint32_t width; /* Count-Min: cells a row, a power of two; others: 0     */
    uint32_t depth; /* Count-Min: rows, 1 .. TRACKED_MAX_DEPTH; others: 0    */
    uint32_t extra; /* values a slot besides id and weight: tracked_extra()  */
};
#define TRACKED_MAX_DEPTH 16
#define TRACKED_MAX_SLOTS (1u << 26)
#define TRACKED_MAX_CELLS (1u << 30) /* width * depth */

struct tracked_options {
    struct sgd_options sgd;
    enum tracked_rule rule;
    bool counts;       /* negative and positive examples of each feature since it entered   */
    bool product;      /* SAMPLED: the key is |w| e in place of |w|/e                       */
    bool churn_one;    /* Space Saving: at most one feature enters an example, at random    */
    bool conservative; /* Count-Min: raise only the cells that the estimate needs raised    */
    uint32_t max_row;  /* entries of the longest row that is learned                        */
    uint64_t seed;     /* of hash functions and random choices                              */
};

/* The model. Everything that a copy of it needs is sgd, slots.n and the state_bytes at `w`; the
 * rest is an index that can be built from those, and scratch. Random choices depend on nothing but
 * the seed, sgd.t and the order of the row. */
struct tracked {
    struct tracked_shape shape;
    struct tracked_options opt;
    struct sgd sgd;
    struct id_slots slots;
    uint64_t replaced; /* features that lost their slot */

    size_t state_bytes;
    float *w;            /* slots, padded to blocks, then one 0. Stored: weight / alpha */
    float *accumulator;  /* slots: accumulators of own rates, or NULL                   */
    uint32_t *count;     /* slots x { negative, positive }, or NULL                     */
    float *l1_seen;      /* slots: penalty up to which a weight has had it, or NULL     */
    float *priority;     /* SAMPLED: 1/e, or e, of each slot, padded; or NULL           */
    uint32_t *frequency; /* SPACE_SAVING, COUNT_MIN: how often, padded; or NULL         */
    uint32_t *cell;      /* COUNT_MIN: depth x width counts; or NULL                    */

    struct lazy_min low;
    int32_t *bounds;      /* its memory */
    int32_t bound;        /* <= all keys in `low`; -1 while a slot is free                     */
    uint32_t floor, hand; /* Space Saving: smallest count; no slot before `hand` has it        */

    /* scratch: the row with each id once (n entries) and where its features live */
    uint32_t n, n_members, n_others, n_entrants;
    const float *x;
    const uint32_t *entry; /* index in the given row; NULL: the same */
    uint32_t *fid, *at, *member, *other, *origin, *twice;
    float *sum;
    uint64_t *candidate;
    struct linear_entrant *entrant;
};

/* `extra` of a shape: values that a slot keeps besides id and weight under these options. */
uint32_t tracked_extra(const struct tracked_options *opt);
/* Choose the fields of a shape that are 0 for a budget at 4 bytes an id, weight, extra value and
 * cell. Count-Min: half the budget for its cells, the width rounded down to a power of two. false:
 * no slot fits, or a given field is too large. */
bool tracked_shape_from_budget(uint64_t bytes, enum tracked_rule rule, struct tracked_shape *shape);
/* Bytes of a shape in that model; bytes that are allocated. */
uint64_t tracked_charged_bytes(const struct tracked_shape *shape);
size_t tracked_block_bytes(const struct tracked_shape *shape, const struct tracked_options *opt);

/* block: tracked_block_bytes() zeroed bytes, aligned to 64. */
void tracked_init(struct tracked *m, const struct tracked_shape *shape,
                  const struct tracked_options *opt, void *block);
/* After sgd, slots.n and the arrays from `w` on were written: index and bounds are built. */
void tracked_rebuild(struct tracked *m);

/* Predict, then learn. hash: what tracked_hash made of the ids, or NULL. *margin is the prediction
 * before the update. Anything but LINEAR_OK: no state has changed. Cost O(n), and O(slots / 64)
 * for each feature that enters. */
enum linear_result tracked_learn_hashed(struct tracked *m, const struct linear_row *row,
                                        const uint64_t *hash, double *margin);
static inline enum linear_result tracked_learn(struct tracked *m, const struct linear_row *row,
                                               double *margin)
{
    return tracked_learn_hashed(m, row, NULL, margin);
}

/* For several models of one shape, seed and options that learn the same rows, each with labels of
 * its own: m, which was initialised with max_row 0, uses the scratch of `from`, and one
 * tracked_hash serves all. */
void tracked_borrow(struct tracked *m, const struct tracked *from);
static inline void tracked_hash(const struct tracked *m, uint32_t n, const uint64_t *id,
                                uint64_t *hash)
{
    id_slots_mix_all(m->opt.seed, n, id, hash);
}
/* Predict only. Not finite when a value is not. */
double tracked_margin(const struct tracked *m, uint32_t n, const uint64_t *id, const float *x);
/* Weight of a feature; 0 when it is not tracked. */
double tracked_weight(const struct tracked *m, uint64_t id);
/* The k heaviest slots, heaviest first (equal ones: lowest slot first); with counts, only those of
 * at least min_count examples. weight: scratch for all slots; slot: capacity k. Returns how many
 * there are. */
uint32_t tracked_top(const struct tracked *m, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *slot);
/* Stored weight of the feature in a slot, less the penalty that is pending. */
static inline float tracked_weight_now(const struct tracked *m, uint32_t slot)
{
    return m->l1_seen ? l1_now(&m->sgd, m->w[slot], m->l1_seen[slot]) : m->w[slot];
}
static inline double tracked_slot_weight(const struct tracked *m, uint32_t slot)
{
    return (double)tracked_weight_now(m, slot) * m->sgd.alpha;
}

/* Uniform in (0, 1): what entry i (of the row with each id once) draws at example t. */
double tracked_draw(uint64_t seed, uint64_t t, uint32_t i);
/* The priority that a draw in (0, 1) gives: with e = -log(1 - draw) it is 1/e, held so that keys
 * stay finite; with `product` it is e. */
#define TRACKED_MAX_PRIORITY 1e8
float tracked_priority(const struct tracked_options *opt, double draw);
/* Which one of n features takes a slot at example t. */
uint32_t tracked_pick(uint64_t seed, uint64_t t, uint32_t n);
/* Where row j of the Count-Min sketch counts a feature: index into `cell`. */
uint32_t count_min_cell(const struct tracked *m, uint32_t j, uint32_t folded_id);
/* COUNT_MIN: estimate of how many examples had a feature; never too low. */
uint32_t count_min_estimate(const struct tracked *m, uint32_t folded_id);
/* NULL, or which invariant is broken. */
const char *tracked_check(const struct tracked *m);

/* ---- copies and merges (tracked_state.c) ---- */

/* In the order of slots. */
struct linear_parts tracked_parts(const struct tracked *m);
/* Make m, just initialised, the model of these parts, whose numbers are in range: it continues
 * exactly as the model that they were taken from. NULL, or why no model can have these parts; m
 * must then not be used. */
const char *tracked_load(struct tracked *m, const struct linear_parts *p);

/* Make m, just initialised, the mean of a and b (sgd_state.h), b counting `count` times; all three
 * have one shape and the same options. A feature weighs 0 on a side that does not track it. Of all
 * features those stay that the rule prefers, best first:
 *
 *   HEAVIEST      by |w|.
 *   SAMPLED       by key, with the larger of the two priorities.
 *   SPACE_SAVING  by count. Where only one side has a feature, the other's smallest count is added
 *                 if that side is full: no count is then too low, nor too high by more than the two
 *                 together may be (P. Agarwal et al., Mergeable Summaries, PODS 2012).
 *   COUNT_MIN     by count. Where only one side has a feature, the other's estimate is added. The
 *                 cells of both add up.
 *
 * Accumulators and counts add up. origin: capacity 2 slots; origin[s] becomes that of slot s. m
 * does not depend on the order of a and b; merging is associative, up to rounding, as long as no
 * feature loses its slot. */
void tracked_merge(struct tracked *m, const struct tracked *a, const struct tracked *b,
                   double count, struct linear_origin *origin);

#endif
