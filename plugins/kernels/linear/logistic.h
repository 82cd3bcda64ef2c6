/* logistic.h -- linear classifier with an exact weight for every feature: the sketches' baseline.
 *
 * The model of sgd.h without compression. For each feature of an example w -= eta g x; or the step
 * has the feature's own rate, or is that of sgd_adaptive.h. Features are numbered in the order in
 * which they first come. Arrays by number hold id, weight, accumulator, counts and the caller's tag
 * (for example, of a name); a hash index finds the number of an id. A query for the heaviest
 * features looks at all weights.
 *
 * Memory: one block for the largest number of features. Only its filled part is touched, so the
 * system backs no more with memory. When logistic_free_slots() shows that the next row may not fit,
 * the caller doubles the model in place, which moves only the index. If there is no room for more,
 * new features are ignored and counted; their weight stays 0.
 *
 * An id that a row repeats counts as that many entries; margin and steps add up.
 *
 * Example. Rate 1/2, no penalty, no bias. The row { 7: 1 } of label +1 has the margin 0 and the
 * slope l' = -1/2, so feature 7 gets number 0 and the weight 1/2 x 1/2 = 0.25. The row
 * { 7: 1, 9: 2 } of label -1 has the margin 0.25 and the slope 1/(1 + e^-0.25) = 0.562. Feature 7
 * steps to 0.25 - 0.281 = -0.031, and feature 9, number 1, to -0.562.
 */
#ifndef LEAT_KERNELS_LINEAR_LOGISTIC_H
#define LEAT_KERNELS_LINEAR_LOGISTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "l1.h"
#include "linear.h"

#define LOGISTIC_MAX_CAPACITY (1u << 30)

struct logistic_options {
    struct sgd_options sgd;
    bool counts;
};

struct logistic {
    struct logistic_options opt;
    struct sgd sgd;
    uint32_t n, capacity;  /* features known; features that fit now, a power of two          */
    uint32_t max_capacity; /* features that may ever fit, a power of two                     */
    uint64_t secret;       /* key of the index's hash, secret to the process (core/secret.h) */
    uint32_t fresh_from;   /* features fresh_from .. n - 1 were new in the last example      */
    uint64_t ignored;      /* entries whose feature found no room                            */

    uint64_t *id;
    float *weight;      /* stored: w / alpha                              */
    float *accumulator; /* NULL with the shared rate                      */
    uint32_t *count;    /* max_capacity x { negative, positive }, or NULL */
    float *l1_seen;     /* penalty that each weight has had, or NULL      */
    uint32_t *tag;      /* the caller's; 0 for a new feature              */
    uint32_t *index;    /* 2 capacity: hash -> feature + 1; 0: empty      */

    /* scratch, max_row each */
    uint32_t *at, *fresh; /* feature of an entry; entry of a new feature */
    float *along;         /* with adaptive rates: direction of an entry  */
    uint32_t max_row;
};

size_t logistic_block_bytes(uint32_t max_capacity, const struct logistic_options *opt);
size_t logistic_scratch_bytes(uint32_t max_row);
/* block: logistic_block_bytes(max_capacity) zeroed bytes; scratch: logistic_scratch_bytes(max_row)
 * bytes. */
void logistic_init(struct logistic *m, const struct logistic_options *opt, uint32_t capacity,
                   uint32_t max_capacity, void *block, uint32_t max_row, void *scratch);
/* Raises the capacity, at most to max_capacity. */
void logistic_grow(struct logistic *m, uint32_t capacity);

static inline uint32_t logistic_free_slots(const struct logistic *m) { return m->capacity - m->n; }

/* Predicts, then learns. hash: result of logistic_hash() for the row's ids, or NULL. Changes
 * nothing unless it returns LINEAR_OK. */
enum linear_result logistic_learn_hashed(struct logistic *m, const struct linear_row *row,
                                         const uint64_t *hash, double *margin);
static inline enum linear_result logistic_learn(struct logistic *m, const struct linear_row *row,
                                                double *margin)
{
    return logistic_learn_hashed(m, row, NULL, margin);
}

/* Hashes the ids of a row. Several models that learn the same rows with different labels can share
 * these hashes, and the scratch. */
void logistic_hash(const struct logistic *m, uint32_t n, const uint64_t *id, uint64_t *hash);
/* Multiplies weights and a learned bias by `share`, accumulators by `sums`. Only with adaptive
 * rates. */
void logistic_forget(struct logistic *m, double share, double sums);
double logistic_margin(const struct logistic *m, uint32_t n, const uint64_t *id, const float *x);
/* Weight of a feature; 0 if it was never seen. */
double logistic_weight(const struct logistic *m, uint64_t id);

/* Stored weight of feature f, after its pending penalty. */
static inline float logistic_weight_now(const struct logistic *m, uint32_t f)
{
    return m->l1_seen ? l1_now(&m->sgd, m->weight[f], m->l1_seen[f]) : m->weight[f];
}
/* Lists the numbers of the k heaviest features, heaviest first, equal ones by number. With counts,
 * leaves out features of fewer than min_count examples. weight: scratch for n; f: capacity k.
 * Returns their number. */
uint32_t logistic_top(const struct logistic *m, uint32_t k, uint32_t min_count, float *weight,
                      uint32_t *f);

/* Number of a feature, which gets a new one if it is unknown. There must be room for it. */
uint32_t logistic_enroll(struct logistic *m, uint64_t id);

/* ---- copies and merges ---- */

/* Parts of a model, by number of feature, with whole ids and without tags. */
struct linear_parts logistic_parts(const struct logistic *m);
/* Loads parts, whose numbers are in range, into m, just initialised with a capacity of at least
 * p->n. Returns NULL, or why no model can have these parts; then m must not be used. */
const char *logistic_load(struct logistic *m, const struct linear_parts *p);

/* Makes m, just initialised with room for both, the mean of a and b (sgd.h), b counting `count`
 * times. A feature weighs 0 on a side that does not know it. Accumulators and counts add up. a's
 * features keep their numbers and tags; b's other features follow, without tags. number[f] becomes
 * the number in m of b's feature f; capacity b->n. */
void logistic_merge(struct logistic *m, const struct logistic *a, const struct logistic *b,
                    double count, uint32_t *number);
/* Makes m, just initialised, a copy of `from` with only its m->capacity heaviest features, in their
 * order; equal ones with lower numbers stay. `ignored` does not count entries of the features that
 * leave. keep: scratch for m->capacity numbers. */
void logistic_trim(struct logistic *m, const struct logistic *from, uint32_t *keep);
/* Returns NULL, or which invariant is broken. */
const char *logistic_check(const struct logistic *m);

#endif
