/* last_fifth.h -- the running sums of a stream at the beginning of its last fifth, although nobody
 * knows beforehand where that is.
 *
 * Kept are the sums at marks, one every `step` examples. When the marks are full, every second one
 * is dropped and the step doubles, so a long stream always has more than LAST_FIFTH_MARKS / 2 of
 * them. The last fifth is counted from the last mark at or before its first example.
 *
 * Exact in streams of up to LAST_FIFTH_MARKS examples, and wherever 4/5 of the stream is a multiple
 * of the step (a power of 2); else it begins at most 1/2048 of the stream early.
 */
#ifndef LEAT_HOST_METRICS_LAST_FIFTH_H
#define LEAT_HOST_METRICS_LAST_FIFTH_H

#include <stdint.h>

#include <leat/state.h>

enum { LAST_FIFTH_MARKS = 4096 };

/* More than sums over 2^60 examples can be: of (label - score)^2 w, each below 3.5e38. */
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
    uint64_t step; /* 0: none kept yet */
    uint32_t n;
    struct sums mark[LAST_FIFTH_MARKS]; /* mark[i]: after i * step examples */
};

/* The sums after `examples` examples: called after each, with examples = 1, 2, 3, … */
void last_fifth_add(struct last_fifth *l, uint64_t examples, const struct sums *now);

/* The sums over the last fifth of the stream so far; *examples (its length before) becomes the
 * number of examples in it. */
struct sums last_fifth_sums(const struct last_fifth *l, const struct sums *now, uint64_t *examples);

/* As if the stream of `other` came after this one, whose sums are `now` after `examples`. A mark
 * that falls between two of the other's takes the earlier one. */
void last_fifth_merge(struct last_fifth *l, const struct sums *now, uint64_t examples,
                      const struct last_fifth *other, uint64_t other_examples);

/* A part of a snapshot made after that many examples, whose sums are `now`; its fields are named
 * "mark_step" and "marks", after `of`, at most LAST_FIFTH_OF bytes. last_fifth_read: LEAT_OK, or
 * LEAT_EDATA: nothing is changed. */
enum { LAST_FIFTH_OF = 16 };
void last_fifth_write(const struct last_fifth *l, const char *of, struct leat_writer *w);
int last_fifth_read(struct last_fifth *l, const char *of, struct leat_reader *r, uint64_t examples,
                    const struct sums *now);

/* What predictions without any feature lose where labels are numbers: each is the
 * weighted mean of the labels before it, and the first is 0.
 *
 * Measured as a learner is: sums of squared and absolute errors, of the whole stream, of its last
 * fifth and of what is held out.
 */

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
