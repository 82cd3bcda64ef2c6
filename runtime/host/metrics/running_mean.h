/* running_mean.h -- what predictions without any feature lose where labels are numbers: each is the
 * weighted mean of the labels before it, and the first is 0.
 *
 * Measured as a learner is: sums of squared and absolute errors, of the whole stream, of its last
 * fifth and of what is held out.
 */
#ifndef LEAT_HOST_METRICS_RUNNING_MEAN_H
#define LEAT_HOST_METRICS_RUNNING_MEAN_H

#include "last_fifth.h"

struct running_mean {
    uint64_t examples;     /* measured; fewer than the learner's where its state is an older one */
    struct sums sum, held; /* second: of absolute errors; held: each counts 1                    */
    struct last_fifth last;
};

/* An example of weight w > 0, for which `mean` was predicted. */
void running_mean_add(struct running_mean *m, double mean, double label, double w);
/* One that is held out. */
void running_mean_hold(struct running_mean *m, double mean, double label);

/* Root of the mean squared error, and the mean absolute error; NaN where there is no example. */
struct mean_errors {
    double rmse, mae;
};
struct mean_errors running_mean_errors(const struct running_mean *m);
struct mean_errors running_mean_last(const struct running_mean *m);
struct mean_errors running_mean_held(const struct running_mean *m);

/* Adds the other's, as if its stream came after. */
void running_mean_merge(struct running_mean *m, const struct running_mean *other);

/* A part of a snapshot. running_mean_read: LEAT_OK, or LEAT_EDATA: nothing is changed. */
void running_mean_write(const struct running_mean *m, struct leat_writer *w);
int running_mean_read(struct running_mean *m, struct leat_reader *r);

#endif
