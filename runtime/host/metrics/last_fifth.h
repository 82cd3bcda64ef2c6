/* last_fifth.h -- running sums of a stream at the beginning of its last fifth.
 *
 * Nobody knows that beginning in advance. So the sums are kept at marks, one every `step` examples.
 * When the marks are full, every second one is dropped and the step doubles. So a long stream
 * always has more than LAST_FIFTH_MARKS / 2 marks. The last fifth counts from the last mark at or
 * before its first example.
 *
 * Exact in streams of up to LAST_FIFTH_MARKS examples, and wherever 4/5 of the stream is a multiple
 * of the step (a power of 2). Otherwise it begins at most 1/2048 of the stream early.
 */
#ifndef LEAT_HOST_METRICS_LAST_FIFTH_H
#define LEAT_HOST_METRICS_LAST_FIFTH_H

#include <stdint.h>

#include <leat/state.h>

enum { LAST_FIFTH_MARKS = 4096 };

/* Bound that sums over 2^60 examples cannot reach: of (label - score)^2 w, each below 3.5e38. */
#define SUMS_MAX 1e140

struct sums {
    double weight, loss; /* sum of w, of w * (log loss | squared loss)                    */
    double second;       /* margin: w of errors; value: sum of w * |error|                 */
};

static inline void sums_add(struct sums *to, const struct sums *s)
{
    to->weight += s->weight;
    to->loss += s->loss;
    to->second += s->second;
}

struct last_fifth {
    uint64_t step; /* 0: no marks yet */
    uint32_t n;
    struct sums mark[LAST_FIFTH_MARKS]; /* mark[i]: after i * step examples */
};

/* Notes the sums after `examples` examples; called after each, with examples = 1, 2, 3, … */
void last_fifth_add(struct last_fifth *l, uint64_t examples, const struct sums *now);

/* Returns the sums over the last fifth of the stream so far. *examples is the length of the stream,
 * and becomes the number of examples in the last fifth. */
struct sums last_fifth_sums(const struct last_fifth *l, const struct sums *now, uint64_t *examples);

/* Adds the marks of `other`, as if its stream came after this one, whose sums are `now` after
 * `examples`. A mark between two of the other's marks takes the earlier one. */
void last_fifth_merge(struct last_fifth *l, const struct sums *now, uint64_t examples,
                      const struct last_fifth *other, uint64_t other_examples);

/* Write and read a part of a snapshot made after that many examples, whose sums are `now`. The
 * fields are named "mark_step" and "marks", after the prefix `of` of at most LAST_FIFTH_OF bytes.
 * last_fifth_read returns LEAT_OK, or LEAT_EDATA without changing anything. */
enum { LAST_FIFTH_OF = 16 };
void last_fifth_write(const struct last_fifth *l, const char *of, struct leat_writer *w);
int last_fifth_read(struct last_fifth *l, const char *of, struct leat_reader *r, uint64_t examples,
                    const struct sums *now);

/* Losses of predictions without any feature if labels are numbers: each prediction is the weighted
 * mean of the labels before it, and the first is 0.
 *
 * Measured like a learner: sums of squared and absolute errors, of the whole stream, of its last
 * fifth and of the held-out examples.
 */

struct running_mean {
    uint64_t examples;     /* measured; fewer than the learner's if its state is an older one */
    struct sums sum, held; /* second: absolute errors; held: each example counts 1            */
    struct last_fifth last;
};

/* Adds an example of weight w > 0 with the prediction `mean`. */
void running_mean_add(struct running_mean *m, double mean, double label, double w);
/* Adds a held-out example. */
void running_mean_hold(struct running_mean *m, double mean, double label);

/* Root mean squared error, and mean absolute error; NaN without examples. */
struct mean_errors {
    double rmse, mae;
};
struct mean_errors running_mean_errors(const struct running_mean *m);
struct mean_errors running_mean_last(const struct running_mean *m);
struct mean_errors running_mean_held(const struct running_mean *m);

/* Adds the other's sums, as if its stream came after this one. */
void running_mean_merge(struct running_mean *m, const struct running_mean *other);

/* Write and read a part of a snapshot. running_mean_read returns LEAT_OK, or LEAT_EDATA without
 * changing anything. */
void running_mean_write(const struct running_mean *m, struct leat_writer *w);
int running_mean_read(struct running_mean *m, struct leat_reader *r);

#endif
