/* compare.h -- compares two learners on the same stream, with a confidence interval.
 *
 * Each learner sums its losses in COMPARE_GROUPS groups of records. A hash of the record's number
 * in the stream picks the group. So a record falls into the same group for every learner, and the
 * losses of two learners can be paired by group.
 *
 * The confidence interval is the percentile interval of a paired bootstrap over groups. Each
 * replicate draws groups with replacement, the same groups for both learners, and takes the
 * difference of their figures. Because groups are random, the expected variance equals that of a
 * bootstrap over single records (the cross terms of a group have mean 0). With 1024 groups the
 * variance has a standard error of 2 %. All examples of a record are in one group, so they may
 * depend on each other. Records are assumed to be independent.
 *
 * A bootstrap with random weights for each example would have the same precision, but would cost a
 * thousand times as much per example. */
#ifndef LEAT_HOST_METRICS_COMPARE_H
#define LEAT_HOST_METRICS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "last_fifth.h" /* struct sums */

enum {
    COMPARE_GROUPS = 1024,
    COMPARE_MIN_GROUPS = 30, /* fewest groups with examples for an interval */
    COMPARE_DRAWS = 2000
};

/* Losses of one learner; all zero at the start. */
struct compare {
    uint64_t examples;
    /* sum of hashes; equal for two learners if they saw the same records, labels and weights */
    uint64_t same;
    struct sums group[COMPARE_GROUPS];
};

/* Adds an example's losses, without its weight. `record` is the number of its record in the
 * stream. */
void compare_add(struct compare *c, uint64_t record, float label, double weight, double loss,
                 double second);

/* Adds the losses of the same learner on another stream. If two learners saw the same two streams,
 * they can still be compared record by record. */
void compare_merge(struct compare *c, const struct compare *other);

/* A learner's sums over the groups that each replicate draws. The random numbers depend only on the
 * examples seen, so two comparable learners draw the same groups. Therefore one compare_draw() per
 * learner suffices for all n (n - 1) / 2 pairs of n learners. */
struct compare_draws {
    struct sums of[COMPARE_DRAWS];
};
void compare_draw(const struct compare *c, struct compare_draws *to);

/* Figure to compare: the average of `loss` or `second`, or the root of the average `loss`. */
enum compare_measure { COMPARE_LOSS, COMPARE_SECOND, COMPARE_ROOT_LOSS };

struct compare_result {
    double difference; /* a's figure minus b's                                    */
    double low, high;  /* 95 % interval of `difference`; NaN with too few records */
};

/* True if a and b saw the same examples, and at least one. */
bool compare_alike(const struct compare *a, const struct compare *b);
/* Compares learners a and b, for which compare_alike() holds, with the results of compare_draw()
 * for each. The result is deterministic. */
void compare_learners(const struct compare *a, const struct compare_draws *drawn_a,
                      const struct compare *b, const struct compare_draws *drawn_b,
                      enum compare_measure measure, struct compare_result *out);

/* Returns a value below 0 if a is better (has smaller losses), and above 0 if b is better. Returns
 * 0 if the interval contains 0 or is missing. */
int compare_verdict(const struct compare_result *r);

/* Write and read the losses as part of a snapshot. compare_read() returns LEAT_OK or LEAT_EDATA. */
void compare_write(const struct compare *c, struct leat_writer *w);
int compare_read(struct compare *c, struct leat_reader *r);

#endif
