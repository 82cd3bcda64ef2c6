/* progressive_inside.h -- definition of struct progressive, only for progressive*.c. */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_INSIDE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_INSIDE_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "compare.h"
#include "label_errors.h"
#include "last_fifth.h"
#include "order.h"
#include "progressive.h"
#include "score_bins.h"

/* CLASSES: number of classes whose weights are counted. CLASS_SUMS: number of sums for each class
 * (of_class). */
enum { CLASSES = 1024, CLASS_SUMS = 3 };

struct progressive {
    const char *learner;
    const struct progressive_table *table;
    enum leat_score kind;

    uint64_t examples, features, records;
    uint64_t unmeasured; /* examples of models that were merged, whose figures are not here */
    uint64_t continued;  /* examples of earlier processes, whose number of features is unknown */
    uint64_t nonfinite;  /* examples of this process whose score is not finite */
    /* sum: over learned examples. held: over held-out examples, each with weight 1. */
    struct sums sum, held;

    /* of: for margins and decisions, the sum of w for each class. expected: for margins, the sum of
     * w * P(+1); for values, the sum of w of the examples that `mean` has predicted (0 in older
     * states) */
    double of[2], expected;
    /* For values: first_label is the first label y0, d1 the sum of w (y - y0), d2 the sum of w (y -
     * y0)^2. For margins, d1 is the total loss of the running share (progressive_constant.c) from
     * the first weight other than 1 on; 0 if all weights are 1. */
    double first_label, d1, d2;
    struct running_mean *mean; /* for values: baseline without features */
    /* For classes: three arrays, each with CLASSES sums of w. The first is by label, the second by
     * prediction, the third by label but only of right predictions. The last two cover only this
     * process. */
    double *of_class;

    uint64_t next_row; /* number of examples at which the next table row is due */
    double row_weight, row_loss;
    uint64_t start;
    struct score_bin *bins, *held_bins;
    struct last_fifth last;
    struct label_order order; /* for margins and classes: order of the labels */
    struct order *watch;      /* order of the examples; NULL if there are no predictions */
    /* For values: errors by label. For other kinds, only label_errors_given_up() has a meaning. */
    struct label_errors by_label;
    struct compare compare; /* filled if there are several learners */
    _Atomic double shown;   /* average loss after the last batch, for other threads */
};

/* True if scores are margins of label +1, whether log odds or not. Margins rank examples, so they
 * have an AUC. */
static inline bool is_margin(enum leat_score kind)
{
    return kind == LEAT_SCORE_MARGIN || kind == LEAT_SCORE_DECISION;
}

static inline double mean(const struct progressive *p, double sum)
{
    return p->sum.weight > 0.0 ? sum / p->sum.weight : (double)NAN;
}

static inline double calibration(const struct progressive *p)
{
    return p->of[1] > 0.0 ? p->expected / p->of[1] : (double)NAN;
}

/* Sets the average losses over the last fifth and returns the number of its examples. */
static inline uint64_t last_means(const struct progressive *p, double *loss, double *second)
{
    uint64_t n = p->examples;
    struct sums s = last_fifth_sums(&p->last, &p->sum, &n);
    *loss = s.weight > 0.0 ? s.loss / s.weight : (double)NAN;
    *second = s.weight > 0.0 ? s.second / s.weight : (double)NAN;
    return n;
}

/* Sets the constant prediction with the smallest loss, and its average loss. In
 * progressive_constant.c. */
void progressive_best_constant(const struct progressive *p, double *constant, double *loss);

/* Sum up the loss of predicting the share of labels so far, for margins. Call
 * progressive_lose_share() before an example is counted in `of`, and progressive_join_shares()
 * before two streams are merged. In progressive_constant.c. */
void progressive_lose_share(struct progressive *p, uint32_t label, double w);
void progressive_join_shares(struct progressive *p, const struct progressive *other);

/* Notes the features of example e, whose record is sampled. In progressive_order.c. */
void progressive_note(struct progressive *p, const struct leat_batch *b, uint32_t e);

/* progressive_now() returns the time of the table's clock, in ns. progressive_row() writes a table
 * row for the example that was just added. Both are in progressive_table.c. */
uint64_t progressive_now(const struct progressive_table *t);
void progressive_row(struct progressive *p, double label, double score, uint32_t features);

#endif
