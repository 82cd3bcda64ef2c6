/* logistic.h -- linear classifier with an exact weight for every feature: the sketches' baseline.
 *
 * The model of sgd.h without compression. Each feature of an example takes the step w -= eta g x, a
 * step with its own rate, or the step of sgd_adaptive.h, according to sgd_options.rates. Features
 * are numbered in the order of their first examples. Arrays, indexed by these numbers, hold id,
 * weight, accumulator, counts, and a tag for the caller (for example, a name's number). A hash
 * index finds the number of an id. A query for the heaviest features scans all weights.
 *
 * Memory: one block for max_capacity features. The model touches only the part that it uses, so the
 * operating system backs only this part with memory. When logistic_free_slots() shows that the next
 * row may not fit, the caller calls logistic_grow(), which doubles the model in place and rebuilds
 * only the index. Once the model is full, entries of new features are ignored and counted in
 * `ignored`; the weight of these features is 0.
 *
 * Blended. With adaptive rates, the logistic loss, and no L1 penalty or half-life, predictions are
 * blends of the last weights and of their averages (blend.h), and so are the weights shown. The
 * gradient steps take the margin of the last weights.
 *
 * If a row contains an id several times, each entry adds to the margin and makes a step.
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

#include "blend.h"
#include "l1.h"
#include "linear.h"
#include "sums.h"

#define LOGISTIC_MAX_CAPACITY (1u << 30)

struct logistic_options {
    struct sgd_options sgd;
    bool counts;
};

/* True if such a model blends. */
static inline bool logistic_blends(const struct sgd_options *o)
{
    return o->rates == SGD_ADAPTIVE && o->loss == LOSS_LOGISTIC && !(o->l1 > 0) &&
           !(o->half_life > 0);
}

struct logistic {
    struct logistic_options opt;
    struct sgd sgd;
    uint32_t n, capacity;  /* features stored; features that fit now, a power of two          */
    uint32_t max_capacity; /* limit of `capacity`, a power of two                             */
    uint64_t secret;       /* key of the index's hash; random in each process (core/secret.h) */
    uint32_t fresh_from;   /* features fresh_from .. n - 1 were new in the last example       */
    uint64_t ignored;      /* entries that were ignored because the model was full            */

    uint64_t *id;
    float *weight;      /* stored: w / alpha                                            */
    float *accumulator; /* NULL if all features use the shared rate                     */
    struct blend blend;
    struct blend_past *past; /* averages of stored weights; NULL if predictions are no blends */
    uint32_t *count;         /* max_capacity x { negative, positive }, or NULL               */
    float *l1_seen;          /* `penalty` up to which each weight was shrunk (l1.h), or NULL */
    uint32_t *tag;           /* set and read by the caller; 0 for a new feature              */
    uint32_t *index;         /* 2 capacity cells: feature number + 1; 0: empty               */

    /* scratch for one row: arrays of max_row */
    uint32_t *at, *fresh; /* number of each entry's feature; index of each new feature's entry */
    float *along, *known; /* direction of each entry; its value, 0 if it is ignored. Only with
                           * adaptive rates. */
    uint32_t max_row;
};

size_t logistic_block_bytes(uint32_t max_capacity, const struct logistic_options *opt);
size_t logistic_scratch_bytes(uint32_t max_row);
/* Initialises an empty model. block: logistic_block_bytes(max_capacity) zeroed bytes; scratch:
 * logistic_scratch_bytes(max_row) bytes. */
void logistic_init(struct logistic *m, const struct logistic_options *opt, uint32_t capacity,
                   uint32_t max_capacity, void *block, uint32_t max_row, void *scratch);
/* Raises the capacity to `capacity`, which is at most max_capacity. */
void logistic_grow(struct logistic *m, uint32_t capacity);

static inline uint32_t logistic_free_slots(const struct logistic *m) { return m->capacity - m->n; }

/* Predicts, then learns. hash: result of logistic_hash() for the row's ids, or NULL to compute it.
 * Sets *margin to the margin before the update. Changes nothing unless it returns LINEAR_OK. */
enum linear_result logistic_learn_hashed(struct logistic *m, const struct linear_row *row,
                                         const uint64_t *hash, double *margin);
static inline enum linear_result logistic_learn(struct logistic *m, const struct linear_row *row,
                                                double *margin)
{
    return logistic_learn_hashed(m, row, NULL, margin);
}

/* Hashes the ids of a row. Models that learn the same rows with different labels can share these
 * hashes, and their scratch. */
void logistic_hash(const struct logistic *m, uint32_t n, const uint64_t *id, uint64_t *hash);
/* Multiplies all weights and a learned bias by `share`, and all accumulators by `sums`. Requires
 * adaptive rates. */
void logistic_forget(struct logistic *m, double share, double sums);
double logistic_margin(const struct logistic *m, uint32_t n, const uint64_t *id, const float *x);
/* Weight of a feature as predictions have it; 0 if it was never seen. */
double logistic_weight(const struct logistic *m, uint64_t id);
/* Bias as predictions have it. */
double logistic_bias(const struct logistic *m);
/* Adds the weight of a feature times `shift` to the bias, because the centre of its values has
 * moved. */
void logistic_shift(struct logistic *m, uint64_t id, double shift);

/* Stored weight of feature f, shrunk by its pending penalty (l1.h). */
static inline float logistic_weight_now(const struct logistic *m, uint32_t f)
{
    return m->l1_seen ? l1_now(&m->sgd, m->weight[f], m->l1_seen[f]) : m->weight[f];
}
/* Lists the numbers of the k features with the largest |weight| as predictions have it, the largest
 * first; features of
 * equal |weight| by ascending number. With counts, leaves out features with fewer than min_count
 * examples. weight: scratch for n; f: capacity k. Returns the number of features listed. */
uint32_t logistic_top(const struct logistic *m, uint32_t k, uint32_t min_count, float *weight,
                      uint32_t *f);

/* Returns the number of the feature `id`. If the feature is new, adds it; the model must have a
 * free slot. */
uint32_t logistic_enroll(struct logistic *m, uint64_t id);

/* ---- copies and merges ---- */

/* Returns the parts of m, indexed by feature number. Includes wide_id but not the tags. */
struct linear_parts logistic_parts(const struct logistic *m);
/* Loads parts and, if the model blends, the averages, into m. The caller has checked their sizes. m
 * was just initialised, with a capacity of at least p->n. Returns NULL, or the reason why no model
 * can have them. After an error, m must not be used. */
const char *logistic_load(struct logistic *m, const struct linear_parts *p,
                          const struct blend *blend, const struct blend_past *past);

/* Returns the sums that a merge of such models keeps of each feature. `averaged`: also those for
 * averages of the weights. */
struct sums_fields logistic_sums_fields(const struct logistic *m, bool averaged);
/* Sets `to`, laid out for m->n features, to the sums of one model. Row k is that of feature
 * slot[k].slot. slot: capacity m->n. */
void logistic_sums(const struct logistic *m, struct sums *to, struct sums_slot *slot);
/* Makes m, just initialised, the merged model of `s`. If its capacity is too small, the features
 * with the largest |weight| stay, equal ones in the order of their ids. Features are numbered by
 * ascending id. place: capacity s->feature.n; place[k] becomes the feature k. */
void logistic_settle(struct logistic *m, const struct sums *s, struct sums_place *place);
/* Checks the model. Returns NULL, or a text that names the broken invariant. */
const char *logistic_check(const struct logistic *m);

#endif
