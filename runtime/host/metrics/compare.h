/* compare.h -- which of two learners is better on the same stream, and whether that may be chance.
 *
 * Kept of each learner are its losses, summed up by COMPARE_GROUPS groups of records. The group
 * of a record is drawn by a hash of its number in the stream, so the same record falls into the
 * same group with every learner that saw it, and streams need not be joined to pair their losses.
 *
 * The interval is the percentile interval of a paired bootstrap over groups: groups are drawn with
 * replacement, the same for both learners, and the difference of their figures is taken each time.
 * With groups drawn at random the expected variance is that of a bootstrap over single records
 * (the cross terms of a group have mean 0), with a standard error of 2 % from there being 1024. All
 * examples of a record are in one group: they need not be independent of each other. Records are
 * taken to be.
 *
 * Groups, and not weights of each example in each replicate, because for the same precision these
 * would cost a thousand times as much for each example. */
#ifndef LEAT_HOST_METRICS_COMPARE_H
#define LEAT_HOST_METRICS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "last_fifth.h" /* struct sums */

enum {
    COMPARE_GROUPS = 1024,
    COMPARE_MIN_GROUPS = 30, /* groups with examples; with fewer there is no interval */
    COMPARE_DRAWS = 2000
};

/* All zero is the start. */
struct compare {
    uint64_t examples;
    uint64_t same; /* sum of hashes: equal where records, labels and weights were */
    struct sums group[COMPARE_GROUPS];
};

/* Add the (unweighted) losses of an example of record number `record` of the stream. */
void compare_add(struct compare *c, uint64_t record, float label, double weight, double loss,
                 double second);

/* Add another stream: two learners that saw both are still compared record by record. */
void compare_merge(struct compare *c, const struct compare *other);

/* A learner's sums over the groups of each replicate. These depend on the learner alone, and seeds
 * are equal where examples are: those of n learners do for all their n (n - 1) / 2 pairs. */
struct compare_draws {
    struct sums of[COMPARE_DRAWS];
};
void compare_draw(const struct compare *c, struct compare_draws *to);

/* The figures that are compared: averages of a loss, or the root of one. */
enum compare_measure { COMPARE_LOSS, COMPARE_SECOND, COMPARE_ROOT_LOSS };

struct compare_result {
    double difference; /* a's figure less b's                           */
    double low, high;  /* 95 % interval; NaN: too few records           */
};

/* false: a and b did not see the same examples, or none. */
bool compare_alike(const struct compare *a, const struct compare *b);
/* Of two that are alike, with what compare_draw has drawn of each. Deterministic. */
void compare_learners(const struct compare *a, const struct compare_draws *drawn_a,
                      const struct compare *b, const struct compare_draws *drawn_b,
                      enum compare_measure measure, struct compare_result *out);

/* Below 0: a is better (its losses are smaller). Above: b is. 0: no difference is shown. */
int compare_verdict(const struct compare_result *r);

/* As a part of a snapshot. compare_read: LEAT_OK or LEAT_EDATA. */
void compare_write(const struct compare *c, struct leat_writer *w);
int compare_read(struct compare *c, struct leat_reader *r);

#endif
