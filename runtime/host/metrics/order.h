/* order.h -- tells whether the order of the records misleads a learner: facts about its examples.
 *
 * A learner that learns in order follows the most recent records. So in a sorted file its errors
 * profit from the records just before, and a weight is what the last records with the feature left.
 * Three facts show this:
 *
 *   - Labels are like those before. Measured at the distances 1 and ORDER_FAR. For numbers this is
 *     the autocorrelation. For classes it is 1 - c / e, where c is the number of changes and e that
 *     of a random order. In a random order it is 0 with a deviation of 1 / sqrt(n).
 *   - A prediction from the labels just before is good. For numbers the prediction is their mean,
 *     in which a label weighs less by 1 - 1 / ORDER_SPAN with each later one. For classes it is the
 *     label before.
 *   - All records with a feature lie in a narrow part of the stream. This is sampled: the first
 *     ORDER_DENSE records, and then each record number that ORDER_EVERY divides. The table keeps
 *     the first ORDER_FEATURES features.
 *
 * The facts cover only one process and one stream. Snapshots do not contain them. */
#ifndef LEAT_HOST_METRICS_ORDER_H
#define LEAT_HOST_METRICS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "last_fifth.h"

enum {
    ORDER_FAR = 100,
    ORDER_SPAN = 20,
    ORDER_EVERY = 32,
    ORDER_DENSE = 1024,
    ORDER_FEATURES = 4096,
    ORDER_SLOTS = 2 * ORDER_FEATURES
};

/* Sampled records of a feature: record numbers and sample numbers of the first and the last. */
struct order_block {
    uint64_t id, first, last;
    uint32_t from, to, count;
};

struct order {
    uint64_t n;   /* examples of weight above 0 */
    uint64_t due; /* value of n at which the next mark is due */
    /* For numbers: sums of d = label - start, of d^2, and of products with the label at distance 1
     * and ORDER_FAR. head: sum of the first ORDER_FAR labels. before: the latest labels; number i
     * is at i % ORDER_FAR. */
    double start, sum, squares, near, far, head;
    double before[ORDER_FAR];
    /* For classes: number of changes at distance ORDER_FAR, and the latest labels. The next label
     * goes to `at`. */
    uint64_t changes;
    uint32_t at, label[ORDER_FAR];

    double mean, mean_weight; /* of the recent labels */
    uint32_t last, best;      /* for classes: the label before, and the most frequent so far */
    /* loss: squared errors of the recent mean, or errors of the label before. second: absolute
     * errors of the recent mean, or errors of the most frequent label so far. */
    struct sums errors;
    struct last_fifth marks;

    uint64_t record; /* number of the last sampled record */
    uint32_t samples, n_blocks;
    uint16_t slot[ORDER_SLOTS]; /* number of a block, from 1, by the hash of its id; 0: none */
    struct order_block block[ORDER_FEATURES];
};

/* Measures an example of weight w > 0 whose label is a number. */
void order_add_number(struct order *o, double label, double w);
/* Takes a mark of the errors, if one is due. */
void order_mark(struct order *o);

/* Measures an example of weight w > 0 whose label is a class. `share` has the weights of the
 * classes, before this example is added. Inline, because it costs little more than a call. */
static inline void order_add_class(struct order *o, uint32_t label, double w, const double *share)
{
    uint32_t at = o->at, *far = &o->label[at];
    o->at = at + 1 == ORDER_FAR ? 0 : at + 1;
    if (o->n >= ORDER_FAR) o->changes += *far != label;
    *far = label;
    o->errors.weight += w;
    if (label != o->last && o->n) o->errors.loss += w;
    o->last = label;
    if (label != o->best) {
        o->errors.second += w;
        if (share[label] + w > share[o->best]) o->best = label;
    }
    if (++o->n >= o->due) order_mark(o);
}

/* True if the features of this record are sampled. */
static inline bool order_is_sampled(uint64_t record)
{
    return record % ORDER_EVERY == 0 || record < ORDER_DENSE;
}
/* Notes the features of a sampled record with this number, from 0. */
void order_note(struct order *o, uint64_t record, const uint64_t *id, uint32_t n);

/* How much a label is like the label at distance 1 and ORDER_FAR; NaN with too few labels. */
struct order_likeness {
    double near, far;
};
struct order_likeness order_of_numbers(const struct order *o);
/* `expected`: number of changes that `records` records would have in random order; `changes`: those
 * that they have. */
struct order_likeness order_of_classes(const struct order *o, double records, double changes,
                                       double expected);
/* True if labels are so much like those before that chance is no explanation. */
bool order_is_found(const struct order_likeness *l, double records);

/* Returns the feature's records, if they lie in less than half of the stream and a random order
 * would do this once in a billion times; otherwise NULL. */
const struct order_block *order_find_block(const struct order *o, uint64_t id);

#endif
