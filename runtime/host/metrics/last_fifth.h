/* last_fifth.h -- sums over the last fifth of a stream of unknown length.
 *
 * The sums of the last fifth are the current sums minus the sums at the beginning of the last
 * fifth. Nobody knows this beginning in advance. So the sums are stored as marks, one mark every
 * `step` examples. When LAST_FIFTH_MARKS marks are full, every second mark is dropped and the step
 * doubles. So a long stream always has more than LAST_FIFTH_MARKS / 2 marks. The last fifth is
 * counted from the last mark at or before its first example.
 *
 * This is exact in streams of up to LAST_FIFTH_MARKS examples, and whenever 4/5 of the stream is a
 * multiple of the step (a power of 2). Otherwise the counted part begins at most 1/2048 of the
 * stream too early. */
#ifndef LEAT_HOST_METRICS_LAST_FIFTH_H
#define LEAT_HOST_METRICS_LAST_FIFTH_H

#include <stdint.h>

#include <leat/state.h>

enum { LAST_FIFTH_MARKS = 4096 };

/* Bound that sums over 2^60 terms (label - score)^2 w, each below 3.5e38, cannot reach. */
#define SUMS_MAX 1e140

struct sums {
    double weight, loss; /* sums of w and of w * loss (log loss or squared loss) */
    double second;       /* margin: sum of w over wrong predictions; value: sum of w * |error| */
};

static inline void sums_add(struct sums *to, const struct sums *s)
{
    to->weight += s->weight;
    to->loss += s->loss;
    to->second += s->second;
}

struct last_fifth {
    uint64_t step; /* examples between two marks; 0 without marks */
    uint32_t n;
    struct sums mark[LAST_FIFTH_MARKS]; /* mark[i]: sums after i * step examples */
};

/* Takes a mark if one is due. Call it after each example, with examples = 1, 2, 3, …; `now` has the
 * sums after that many examples. */
void last_fifth_add(struct last_fifth *l, uint64_t examples, const struct sums *now);

/* Returns the sums over the last fifth of the stream so far, whose sums are `now`. On entry,
 * *examples is the length of the stream; on return, the number of examples in the last fifth. */
struct sums last_fifth_sums(const struct last_fifth *l, const struct sums *now, uint64_t *examples);

/* Adds the marks of `other`, as if its stream continued this one. `now` has the sums of this stream
 * after `examples` examples. A joint mark between two marks of `other` takes the earlier one. */
void last_fifth_merge(struct last_fifth *l, const struct sums *now, uint64_t examples,
                      const struct last_fifth *other, uint64_t other_examples);

/* Write and read the marks as part of a snapshot. `now` has the sums after `examples` examples,
 * when the snapshot was made. The fields are named "mark_step" and "marks", with the prefix `of` of
 * at most LAST_FIFTH_OF bytes. last_fifth_read() returns LEAT_OK; or LEAT_EDATA, without changing
 * anything. */
enum { LAST_FIFTH_OF = 16 };
void last_fifth_write(const struct last_fifth *l, const char *of, struct leat_writer *w);
int last_fifth_read(struct last_fifth *l, const char *of, struct leat_reader *r, uint64_t examples,
                    const struct sums *now);

/* Losses of a baseline without features for labels that are numbers: each prediction is the
 * weighted mean of all earlier labels; the first prediction is 0.
 *
 * The baseline is measured in the same way as a learner: sums of squared and absolute errors, over
 * the whole stream, its last fifth and the held-out examples. */

struct running_mean {
    /* number of examples; fewer than the learner's if an older state did not count them */
    uint64_t examples;
    /* loss: squared errors; second: absolute errors; held: held-out examples, each with weight 1 */
    struct sums sum, held;
    struct last_fifth last;
};

/* Adds an example of weight w > 0 for which the baseline predicted `mean`. */
void running_mean_add(struct running_mean *m, double mean, double label, double w);
/* Adds a held-out example for which the baseline predicted `mean`. */
void running_mean_hold(struct running_mean *m, double mean, double label);

/* Root mean squared error and mean absolute error; NaN without examples. */
struct mean_errors {
    double rmse, mae;
};
struct mean_errors running_mean_errors(const struct running_mean *m);
struct mean_errors running_mean_last(const struct running_mean *m);
struct mean_errors running_mean_held(const struct running_mean *m);

/* Adds the sums of `other`, as if its stream continued this one. */
void running_mean_merge(struct running_mean *m, const struct running_mean *other);

/* Write and read the sums as part of a snapshot. running_mean_read() returns LEAT_OK; or
 * LEAT_EDATA, without changing anything. */
void running_mean_write(const struct running_mean *m, struct leat_writer *w);
int running_mean_read(struct running_mean *m, struct leat_reader *r);

#endif
