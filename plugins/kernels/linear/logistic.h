/* logistic.h -- linear classifier with an exact weight for every feature: the baseline of the
 * sketches.
 *
 * The model of sgd.h without compression: for each feature of an example w -= eta g x, or a step
 * with its own rate, or that of sgd_adaptive.h. Features are numbered in the order in which they
 * are first seen; arrays by that number hold id, weight, accumulator, counts and the caller's tag
 * (say, of a name), and a hash index leads from id to number. The heaviest features are found among
 * all weights at the time of asking.
 *
 * Memory: one block for the most features that there may ever be, of which only what is filled is
 * touched, so that the system gives no more. The model doubles in place when `logistic_free_slots`
 * says that the next row may not fit: nothing moves but the index. Without room for more, new
 * features are ignored (their weight stays 0) and counted.
 *
 * An id that a row repeats counts as that many entries; margin and steps add up.
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
    uint32_t n, capacity;  /* features known; how many fit now, a power of two */
    uint32_t max_capacity; /* how many may ever fit, a power of two */
    uint64_t secret;       /* of the index: its order is a secret of the process (base/secret.h) */
    uint32_t fresh_from;   /* features fresh_from .. n - 1 were new in the last example */
    uint64_t ignored;      /* entries of features for which nothing was free */

    uint64_t *id;
    float *weight;      /* stored: w / alpha                             */
    float *accumulator; /* accumulators of own rates, or NULL            */
    uint32_t *count;    /* max_capacity x { negative, positive }, or NULL    */
    float *l1_seen;     /* penalty up to which a weight has had it, or NULL */
    uint32_t *tag;      /* the caller's; 0 for a new feature             */
    uint32_t *index;    /* 2 capacity: hash -> feature + 1, 0 for empty  */

    /* scratch, max_row each */
    uint32_t *at, *fresh; /* feature of an entry; entry of a new feature   */
    float *along;         /* with adaptive rates: direction of an entry    */
    uint32_t max_row;
};

size_t logistic_block_bytes(uint32_t max_capacity, const struct logistic_options *opt);
size_t logistic_scratch_bytes(uint32_t max_row);
/* block: logistic_block_bytes(max_capacity) zeroed bytes; scratch: logistic_scratch_bytes(max_row)
 * bytes. */
void logistic_init(struct logistic *m, const struct logistic_options *opt, uint32_t capacity,
                   uint32_t max_capacity, void *block, uint32_t max_row, void *scratch);
/* To a larger capacity, at most max_capacity. */
void logistic_grow(struct logistic *m, uint32_t capacity);

static inline uint32_t logistic_free_slots(const struct logistic *m) { return m->capacity - m->n; }

/* Predict, then learn. hash: what logistic_hash made of the ids, or NULL. Anything but LINEAR_OK:
 * nothing has changed. */
enum linear_result logistic_learn_hashed(struct logistic *m, const struct linear_row *row,
                                         const uint64_t *hash, double *margin);
static inline enum linear_result logistic_learn(struct logistic *m, const struct linear_row *row,
                                                double *margin)
{
    return logistic_learn_hashed(m, row, NULL, margin);
}

/* Hashes the ids of a row. Several models that learn the same rows with labels of their own can use
 * one logistic_hash, and may share the scratch, too. */
void logistic_hash(const struct logistic *m, uint32_t n, const uint64_t *id, uint64_t *hash);
/* As adaptive_forget; of a model with adaptive rates. */
void logistic_forget(struct logistic *m, double share, double sums);
double logistic_margin(const struct logistic *m, uint32_t n, const uint64_t *id, const float *x);
/* Weight of a feature; 0 when it was never seen. */
double logistic_weight(const struct logistic *m, uint64_t id);

/* Stored weight of feature number f, less the penalty that is pending. */
static inline float logistic_weight_now(const struct logistic *m, uint32_t f)
{
    return m->l1_seen ? l1_now(&m->sgd, m->weight[f], m->l1_seen[f]) : m->weight[f];
}
/* The k heaviest features by number, heaviest first (equal ones: lowest number first); with counts,
 * only those of at least min_count examples. weight: scratch for all; f: capacity k. Returns how
 * many there are. */
uint32_t logistic_top(const struct logistic *m, uint32_t k, uint32_t min_count, float *weight,
                      uint32_t *f);

/* The number of a feature, a new one if it has none; there is space for it. */
uint32_t logistic_enroll(struct logistic *m, uint64_t id);

/* ---- copies and merges ---- */

/* By number of feature, with whole ids; tags are not among them. */
struct linear_parts logistic_parts(const struct logistic *m);
/* Make m, just initialised with a capacity of at least p->n, the model of these parts, whose
 * numbers are in range. NULL, or why no model can have these parts; m must then not be used. */
const char *logistic_load(struct logistic *m, const struct linear_parts *p);

/* Make m, just initialised with a capacity for both, the mean of a and b (sgd.h), b counting
 * `count` times; a feature weighs 0 on a side that does not know it. Accumulators and counts add
 * up. Features keep a's numbers and tags; b's new ones follow, without tag. number[f], b->n of
 * them, becomes the number in m of b's feature f. */
void logistic_merge(struct logistic *m, const struct logistic *a, const struct logistic *b,
                    double count, uint32_t *number);
/* Make m, just initialised, `from` with only its m->capacity heaviest features (equal ones: lowest
 * number), in their order. `ignored` does not count the entries of the others. keep: capacity
 * m->capacity. */
void logistic_trim(struct logistic *m, const struct logistic *from, uint32_t *keep);
/* NULL, or which invariant is broken. */
const char *logistic_check(const struct logistic *m);

#endif
