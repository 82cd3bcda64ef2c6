/* progressive_inside.h -- definition of struct progressive; for progressive*.c alone. */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_INSIDE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_INSIDE_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "compare.h"
#include "label_errors.h"
#include "last_fifth.h"
#include "progressive.h"
#include "score_bins.h"

/* Number of classes whose weights are counted, for the best constant. */
enum { CLASSES = 1024, CLASS_SUMS = 3 };

struct progressive {
    const char *learner;
    const struct progressive_table *table;
    enum leat_score kind;

    uint64_t examples, features, records;
    uint64_t continued;    /* examples of earlier processes, whose features are unknown */
    uint64_t nonfinite;    /* examples of this process whose score is not finite */
    struct sums sum, held; /* held: held-out examples, each of which counts 1 */

    double of[2], expected;     /* margin, decision: w of each class; margin: w * P(+1); value: w
                                 * that `mean` predicted, 0 in older states */
    double first_label, d1, d2; /* value: w(y - y0), w(y - y0)^2; margin, d1: loss of the running
                                 * share, from the first weight other than 1 on */
    struct running_mean *mean;  /* value                              */
    double *of_class; /* class: w of each; w predicted so; w of these predicted right (the last two
                       * only of this process, like by_label) */

    uint64_t next_row; /* examples at which the next row is due */
    double row_weight, row_loss;
    uint64_t start;
    struct score_bin *bins, *held_bins;
    struct last_fifth last;
    struct label_order order;     /* margin, class */
    struct label_errors by_label; /* value; other kinds: only whether it was given up */
    struct compare compare;       /* if there are several learners */
    _Atomic double shown;         /* average loss after the last batch, for other threads */
};

/* True if scores are margins of label +1, log odds or not. They have an order, and so an AUC. */
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

/* Returns the averages over the last fifth, and the number of its examples. */
static inline uint64_t last_means(const struct progressive *p, double *loss, double *second)
{
    uint64_t n = p->examples;
    struct sums s = last_fifth_sums(&p->last, &p->sum, &n);
    *loss = s.weight > 0.0 ? s.loss / s.weight : (double)NAN;
    *second = s.weight > 0.0 ? s.second / s.weight : (double)NAN;
    return n;
}

/* In progressive_constant.c: returns the constant prediction with the least loss, and its average
 * loss. */
void progressive_best_constant(const struct progressive *p, double *constant, double *loss);

/* In progressive_constant.c: charges the share of labels so far for an example of log odds, before
 * the example is counted; and joins the charges of two streams, before these are joined. */
void progressive_lose_share(struct progressive *p, uint32_t label, double w);
void progressive_join_shares(struct progressive *p, const struct progressive *other);

/* In progressive_table.c: the table's clock; a row for the example just added. */
uint64_t progressive_now(const struct progressive_table *t);
void progressive_row(struct progressive *p, double label, double score, uint32_t features);

#endif
