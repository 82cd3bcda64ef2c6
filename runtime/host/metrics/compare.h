/* compare.h -- compares two learners on the same stream, with a confidence interval.
 *
 * Each learner has the sums of its losses by COMPARE_GROUPS groups of records. A hash of a record's
 * number in the stream picks its group. So the same record falls into the same group with every
 * learner, and the streams need no join to pair their losses.
 *
 * The interval is the percentile interval of a paired bootstrap over groups. Each replicate draws
 * groups with replacement, the same for both learners, and takes the difference of their figures.
 * Groups are random, so the expected variance equals that of a bootstrap over single records. (The
 * cross terms of a group have mean 0.) 1024 groups give it a standard error of 2 %. All examples of
 * a record are in one group, so they need not be independent of each other. Records are assumed to
 * be.
 *
 * Why groups, and not weights of each example in each replicate: for the same precision the weights
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

/* State; all zero at the start. */
struct compare {
    uint64_t examples;
    uint64_t same; /* sum of hashes: equal if records, labels and weights are */
    struct sums group[COMPARE_GROUPS];
};

/* Adds the (unweighted) losses of an example of record number `record` of the stream. */
void compare_add(struct compare *c, uint64_t record, float label, double weight, double loss,
                 double second);

/* Adds another stream: two learners that saw both are still compared record by record. */
void compare_merge(struct compare *c, const struct compare *other);

/* Sums of a learner over the groups of each replicate. The draws depend only on the learner, and
 * equal examples give equal seeds. So one draw for each of n learners serves all n (n - 1) / 2
 * pairs. */
struct compare_draws {
    struct sums of[COMPARE_DRAWS];
};
void compare_draw(const struct compare *c, struct compare_draws *to);

/* Compared figures: averages of a loss, or the root of one. */
enum compare_measure { COMPARE_LOSS, COMPARE_SECOND, COMPARE_ROOT_LOSS };

struct compare_result {
    double difference; /* a's figure minus b's                */
    double low, high;  /* 95 % interval; NaN: too few records */
};

/* False if a and b did not see the same examples, or saw none. */
bool compare_alike(const struct compare *a, const struct compare *b);
/* Compares two learners that are alike, with the draws of compare_draw for each. Deterministic. */
void compare_learners(const struct compare *a, const struct compare_draws *drawn_a,
                      const struct compare *b, const struct compare_draws *drawn_b,
                      enum compare_measure measure, struct compare_result *out);

/* Returns below 0 if a is better (smaller losses); above 0 if b is; 0 if no difference shows. */
int compare_verdict(const struct compare_result *r);

/* Write and read a part of a snapshot. compare_read returns LEAT_OK or LEAT_EDATA. */
void compare_write(const struct compare *c, struct leat_writer *w);
int compare_read(struct compare *c, struct leat_reader *r);

#endif
