/* label_errors.h -- errors of predicted numbers by label, for a small number of labels such as
 * ratings.
 *
 * Each distinct label has an entry, for instance 1 to 5 stars. With more than LABEL_ERRORS distinct
 * labels there is no table. The table covers only one process and one stream. Snapshots do not
 * contain it, and figures that were restored or merged have no table (label_errors_give_up). */
#ifndef LEAT_HOST_METRICS_LABEL_ERRORS_H
#define LEAT_HOST_METRICS_LABEL_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

enum { LABEL_ERRORS = 24 };

/* Sums over the examples with one label, each with weight w: w, w (score - label)^2, w |score -
 * label|, and w (score - label). */
struct label_error {
    double label, weight, squared, absolute, signed_sum;
};

struct label_errors {
    uint32_t n;
    bool many; /* there is no table: too many labels, or restored or merged figures */
    struct label_error of[LABEL_ERRORS];
};

void label_errors_add(struct label_errors *e, double label, double score, double w);
static inline void label_errors_give_up(struct label_errors *e) { e->many = true; }
static inline bool label_errors_given_up(const struct label_errors *e) { return e->many; }

/* Copies the errors to `out` in ascending order of the labels. Returns their number. */
uint32_t label_errors_sorted(const struct label_errors *e, struct label_error out[LABEL_ERRORS]);

/* Order in which a learner's labels came: mixed, or in long runs of equal labels.
 *
 * A learner that learns in order follows the labels of the most recent records. If n records have
 * labels c with shares p_c in random order, a label differs from the previous one
 *
 *     n (1 - sum p_c^2)          (two labels: 2 n p (1 - p))
 *
 * times on average. Each record counts once, with the label of its first example. The counts cover
 * only this process; snapshots do not contain them. */

struct label_order {
    uint64_t records, changes;
    uint64_t record; /* number of the last record, from 1; 0 before the first */
    uint32_t last;   /* label of the last record */
    uint32_t labels; /* number of labels, which are 0 .. labels - 1 */
    uint64_t *of;    /* number of records by label */
};

/* Counts the record with this number (from 1) and label. Examples of one record must follow each
 * other; only the first counts. Ignores labels that are too large. */
static inline void label_order_add(struct label_order *o, uint64_t record, uint32_t label)
{
    if (record == o->record || label >= o->labels) return;
    o->changes += o->records && label != o->last;
    o->record = record;
    o->last = label;
    o->records++;
    o->of[label]++;
}

/* Returns the expected number of changes for labels in random order. */
static inline double label_order_expected(const struct label_order *o)
{
    double n = (double)o->records, same = 0;
    for (uint32_t c = 0; c < o->labels && o->records; c++)
        same += (double)o->of[c] / n * ((double)o->of[c] / n); /* sum p_c^2 */
    return n * (1 - same);
}

/* True if fewer than a tenth of the expected changes occurred. False if there are too few records,
 * or too few expected changes, to tell. */
static inline bool label_order_in_runs(const struct label_order *o)
{
    double expected = label_order_expected(o);
    return o->records >= 1000 && expected >= 100 && (double)o->changes < expected / 10;
}

/* Adds the counts of `other`, as if its stream continued this one. A change between the two is not
 * counted. */
static inline void label_order_merge(struct label_order *o, const struct label_order *other)
{
    o->records += other->records;
    o->changes += other->changes;
    for (uint32_t c = 0; c < o->labels; c++)
        o->of[c] += other->of[c];
}

#endif
