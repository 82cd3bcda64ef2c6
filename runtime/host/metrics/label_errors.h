/* label_errors.h -- errors of predicted numbers by their label, where labels are few: ratings of 1
 * to 5 stars. Labels are kept as they come; with more than LABEL_ERRORS different ones there is no
 * table.
 *
 * Of one process: what a snapshot or another stream has of it is not known, so neither has then a
 * table (label_errors_give_up). */
#ifndef LEAT_HOST_METRICS_LABEL_ERRORS_H
#define LEAT_HOST_METRICS_LABEL_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

enum { LABEL_ERRORS = 24 };

/* Sums over the examples with that label: w, w (score - label)^2, w |score - label|, and
 * w (score - label). */
struct label_error {
    double label, weight, squared, absolute, signed_sum;
};

struct label_errors {
    uint32_t n;
    bool many; /* there is no table, and nothing is added any more */
    struct label_error of[LABEL_ERRORS];
};

void label_errors_add(struct label_errors *e, double label, double score, double w);
static inline void label_errors_give_up(struct label_errors *e) { e->many = true; }
static inline bool label_errors_given_up(const struct label_errors *e) { return e->many; }

/* By label, ascending. Returns how many. */
uint32_t label_errors_sorted(const struct label_errors *e, struct label_error out[LABEL_ERRORS]);

/* In which order the labels of a learner came: mixed, or in long runs.
 *
 * A learner that learns in order follows the labels of the last records. In n records whose labels
 * c, of shares p_c, come in random order, a label differs from the one before it
 *
 *     n (1 - sum p_c^2)                                        (two labels: 2 n p (1 - p))
 *
 * times on average. A record counts once, by its first example. Of this process alone: it is in no
 * snapshot. */

struct label_order {
    uint64_t records, changes;
    uint64_t record; /* number of the last one, from 1; 0: none */
    uint32_t last;   /* its label                               */
    uint32_t labels; /* there are labels 0 .. labels - 1        */
    uint64_t *of;    /* records of each label                   */
};

/* record: its number, from 1; those of one record follow each other. Greater labels
 * do not count. */
static inline void label_order_add(struct label_order *o, uint64_t record, uint32_t label)
{
    if (record == o->record || label >= o->labels) return;
    o->changes += o->records && label != o->last;
    o->record = record;
    o->last = label;
    o->records++;
    o->of[label]++;
}

/* How often labels in random order would change. */
static inline double label_order_expected(const struct label_order *o)
{
    double n = (double)o->records, same = 0;
    for (uint32_t c = 0; c < o->labels && o->records; c++)
        same += (double)o->of[c] / n * ((double)o->of[c] / n); /* sum p_c^2 */
    return n * (1 - same);
}

/* Less than a tenth of that. Few records, or few changes that are expected, say nothing. */
static inline bool label_order_in_runs(const struct label_order *o)
{
    double expected = label_order_expected(o);
    return o->records >= 1000 && expected >= 100 && (double)o->changes < expected / 10;
}

/* As if both were of one stream that is cut between them. */
static inline void label_order_merge(struct label_order *o, const struct label_order *other)
{
    o->records += other->records;
    o->changes += other->changes;
    for (uint32_t c = 0; c < o->labels; c++)
        o->of[c] += other->of[c];
}

#endif
