/* label_errors.h -- errors of predicted numbers by label, for few labels such as ratings.
 *
 * Labels are kept as they come, for instance 1 to 5 stars; beyond LABEL_ERRORS different labels
 * there is no table. The table covers one process. A snapshot or another stream does not contain
 * it, so after restoring or merging there is none (label_errors_give_up). */
#ifndef LEAT_HOST_METRICS_LABEL_ERRORS_H
#define LEAT_HOST_METRICS_LABEL_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

enum { LABEL_ERRORS = 24 };

/* Sums over the examples with that label: w, w (score - label)^2, w |score - label|, and w (score -
 * label). */
struct label_error {
    double label, weight, squared, absolute, signed_sum;
};

struct label_errors {
    uint32_t n;
    bool many; /* there is no table, and nothing more is added */
    struct label_error of[LABEL_ERRORS];
};

void label_errors_add(struct label_errors *e, double label, double score, double w);
static inline void label_errors_give_up(struct label_errors *e) { e->many = true; }
static inline bool label_errors_given_up(const struct label_errors *e) { return e->many; }

/* Lists the errors by label, ascending. Returns their number. */
uint32_t label_errors_sorted(const struct label_errors *e, struct label_error out[LABEL_ERRORS]);

/* Order in which the labels of a learner came: mixed, or in long runs.
 *
 * A learner that learns in order follows the labels of the last records. If n records have labels c
 * with shares p_c in random order, a label differs from the previous one
 *
 *     n (1 - sum p_c^2)                                        (two labels: 2 n p (1 - p))
 *
 * times on average. A record counts once, by its first example. Covers this process alone;
 * snapshots do not contain it. */

struct label_order {
    uint64_t records, changes;
    uint64_t record; /* number of the last one, from 1; 0: none */
    uint32_t last;   /* label of the last record                */
    uint32_t labels; /* labels are 0 .. labels - 1              */
    uint64_t *of;    /* number of records by label              */
};

/* record: its number, from 1; examples of one record follow each other. Greater labels do not
 * count. */
static inline void label_order_add(struct label_order *o, uint64_t record, uint32_t label)
{
    if (record == o->record || label >= o->labels) return;
    o->changes += o->records && label != o->last;
    o->record = record;
    o->last = label;
    o->records++;
    o->of[label]++;
}

/* Expected number of changes if labels came in random order. */
static inline double label_order_expected(const struct label_order *o)
{
    double n = (double)o->records, same = 0;
    for (uint32_t c = 0; c < o->labels && o->records; c++)
        same += (double)o->of[c] / n * ((double)o->of[c] / n); /* sum p_c^2 */
    return n * (1 - same);
}

/* True if there are fewer than a tenth of the expected changes. With few records, or few expected
 * changes, no conclusion is possible. */
static inline bool label_order_in_runs(const struct label_order *o)
{
    double expected = label_order_expected(o);
    return o->records >= 1000 && expected >= 100 && (double)o->changes < expected / 10;
}

/* Adds the other's records, as if both were of one stream, cut between them. */
static inline void label_order_merge(struct label_order *o, const struct label_order *other)
{
    o->records += other->records;
    o->changes += other->changes;
    for (uint32_t c = 0; c < o->labels; c++)
        o->of[c] += other->of[c];
}

#endif
